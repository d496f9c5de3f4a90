// text.c: text for people: wrapping at 80 columns, readable numbers, and colour on terminals.
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Characters, not bytes: continuation bytes of UTF-8 take no room.
static int width_of(const char *text, size_t bytes) {
  int width = 0;
  for (size_t i = 0; i < bytes; i++) width += ((unsigned char)text[i] & 0xc0) != 0x80;
  return width;
}

static void pad(FILE *out, int columns) {
  if (columns > 0) fprintf(out, "%*s", columns, "");
}

static int is_operator(const char *word, size_t bytes) {
  static const char *const operators[] = {"=", "<=", ">=", "<", ">", "+", "-", "!=", "->", "||"};
  for (size_t i = 0; i < sizeof operators/sizeof *operators; i++) {
    if (strlen(operators[i]) == bytes && !strncmp(word, operators[i], bytes)) return 1;
  }
  return 0;
}

// 1 if no line may end between a word and the next, as in y = A x + b, [0, 1] and (0, 2).
static int sticks(const char *word, size_t bytes, const char *next, size_t next_bytes) {
  if (is_operator(word, bytes) || is_operator(next, next_bytes)) return 1;
  if (bytes == 1 && *word == 'A' && strspn(next, "abuvxyz") == 1 && next_bytes <= 2) return 1;
  const size_t brackets = strspn(word, "([");
  return brackets > 0 && brackets < bytes && word[bytes - 1] == ',' &&
         strchr("-0123456789", word[brackets]) != NULL;
}

// The bytes from here that belong on one line: a word, or a formula.
static size_t unit(const char *text) {
  enum { UNIT_BYTES_MAX = 44 };
  size_t word = 0, bytes = strcspn(text, " \n");
  while (bytes > 0 && text[bytes - 1] == '\\' && text[bytes] == ' ')   // a name for the shell
    bytes += 1 + strcspn(text + bytes + 1, " \n");
  const size_t quoted = *text == '\'' ? 1 + strcspn(text + 1, "'\n") : 0;
  if (quoted > bytes && quoted <= UNIT_BYTES_MAX && text[quoted] == '\'') {
    bytes = quoted + strcspn(text + quoted, " \n");
    return bytes;
  }
  while (text[bytes] == ' ' && text[bytes + 1] && !strchr(" \n", text[bytes + 1])) {
    const size_t next = strcspn(text + bytes + 1, " \n");
    if (!sticks(text + word, bytes - word, text + bytes + 1, next)) break;
    if (bytes + 1 + next > UNIT_BYTES_MAX) break;
    word = bytes + 1, bytes += 1 + next;
  }
  return bytes;
}

int text_columns(FILE *out) {
  struct winsize size;
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void text_wrap(FILE *out, const char *text, int column, int margin) {
  text_wrap_to(out, text, column, margin, TEXT_WIDTH);
}

void text_wrap_to(FILE *out, const char *text, int column, int margin, int columns) {
  int fresh = 1;      // nothing on this line yet but the indent
  int pending = 0;    // the indent is not printed yet: lines have no trailing blanks
  int indent = margin;
  while (*text) {
    if (*text == '\n') {
      fputc('\n', out);
      text++;
      const int blanks = (int)strspn(text, " ");
      const size_t line = strcspn(text, "\n");
      indent = margin + blanks;
      column = indent, fresh = pending = 1;
      if (blanks > 0 && margin + width_of(text, line) <= columns) {   // blanks inside stay too
        pad(out, margin);
        fwrite(text, 1, line, out);
        text += line;
      }
      continue;
    }
    if (*text == ' ') {
      text++;
      continue;
    }
    const size_t bytes = unit(text);
    const int width = width_of(text, bytes);
    if (!fresh && column + 1 + width > columns) {
      fputc('\n', out);
      column = indent, fresh = pending = 1;
    }
    if (!fresh) fputc(' ', out), column++;
    if (pending) pad(out, indent), pending = 0;
    fwrite(text, 1, bytes, out);
    column += width, fresh = 0;
    text += bytes;
  }
  fputc('\n', out);
}

void text_row(FILE *out, int indent, const char *label, int column, const char *text) {
  pad(out, indent);
  fputs(label, out);
  const int used = indent + width_of(label, strlen(label));
  if (!*text) {
    fputc('\n', out);
  } else if (used + 2 > column) {
    fputc('\n', out);
    pad(out, column);
    text_wrap(out, text, column, column);
  } else {
    pad(out, column - used);
    text_wrap(out, text, column, column);
  }
}

// The bytes of the UTF-8 character that begins here, and which it is; 0: they are none.
static int decode(const unsigned char *at, uint32_t *point) {
  const unsigned char first = *at;
  const int bytes = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3
                    : first < 0xf5 ? 4 : 0;
  if (bytes == 0) return 0;
  uint32_t value = bytes == 1 ? first : first & (0x7fu >> bytes);
  for (int k = 1; k < bytes; k++) {
    if ((at[k] & 0xc0) != 0x80) return 0;
    value = value << 6 | (at[k] & 0x3fu);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};   // shorter forms are not allowed
  if (value < least[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 0;
  *point = value;
  return bytes;
}

// Ends of lines and paragraphs, directions of writing, the mark of byte order.
static int is_mark(uint32_t point) {
  return point == 0x61c || (point >= 0x200e && point <= 0x200f) ||
         (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
         point == 0xfeff || point == 0xfffe || point == 0xffff;
}

const char *text_next(const char **text, char unit[TEXT_UNIT]) {
  const unsigned char *at = (const unsigned char *)*text;
  uint32_t point = 0;
  const int bytes = decode(at, &point);
  *text += bytes > 0 ? bytes : 1;
  if (bytes == 0) snprintf(unit, TEXT_UNIT, "\\x%02x", *at);
  else if (point == '\n' || point == '\r' || point == '\t')
    snprintf(unit, TEXT_UNIT, "\\%c", point == '\n' ? 'n' : point == '\r' ? 'r' : 't');
  else if (point < 0x20 || (point >= 0x7f && point < 0xa0))
    snprintf(unit, TEXT_UNIT, "\\x%02x", (unsigned)point);
  else if (is_mark(point)) snprintf(unit, TEXT_UNIT, "\\u%04x", (unsigned)point);
  else snprintf(unit, TEXT_UNIT, "%.*s", bytes, (const char *)at);
  return unit;
}

const char *text_visible(const char *text, char *out, size_t size) {
  size_t used = 0;
  char unit[TEXT_UNIT];
  while (*text) {
    const size_t length = strlen(text_next(&text, unit));
    if (used + length + 1 > size) break;
    memcpy(out + used, unit, length);
    used += length;
  }
  out[used] = 0;
  return out;
}

static int is_plain(const char *unit) {   // to every shell
  return strlen(unit) == 1 && (strchr("_./,+=:@%-", *unit) || (*unit >= '0' && *unit <= '9') ||
                               (*unit >= 'a' && *unit <= 'z') || (*unit >= 'A' && *unit <= 'Z'));
}

const char *text_shell(const char *name, text_word *word) {
  size_t used = 0;
  word->text[0] = 0;
  if (*name == '-') used = (size_t)snprintf(word->text, sizeof word->text, "./");
  if (!*name) used = (size_t)snprintf(word->text, sizeof word->text, "''");
  while (*name) {
    char unit[TEXT_UNIT], piece[8*TEXT_UNIT] = "";
    const char *from = name;
    text_next(&name, unit);
    const size_t bytes = (size_t)(name - from);
    const int shown = strlen(unit) == bytes && !strncmp(unit, from, bytes);
    if (shown) {
      snprintf(piece, sizeof piece, "%s%s", is_plain(unit) || bytes > 1 ? "" : "\\", unit);
    } else {
      text_append(piece, sizeof piece, "$'");
      for (size_t k = 0; k < bytes; k++)
        text_append(piece, sizeof piece, "\\%03o", (unsigned char)from[k]);
      text_append(piece, sizeof piece, "'");
    }
    const size_t length = strlen(piece);
    if (used + length + 1 > sizeof word->text) {
      snprintf(word->text, sizeof word->text, "NAME");
      break;
    }
    memcpy(word->text + used, piece, length + 1);
    used += length;
  }
  return word->text;
}

const char *text_number(double value, text_buffer *buffer) {
  if (isnan(value)) return "unknown";
  if (isinf(value)) return value > 0.0 ? "inf" : "-inf";
  if (fabs(value) < 1e15 && value == floor(value)) {
    snprintf(buffer->text, sizeof buffer->text, "%.0f", value);
  } else {
    snprintf(buffer->text, sizeof buffer->text, "%.6g", value);
  }
  return buffer->text;
}

const char *text_seconds(double seconds, text_buffer *buffer) {
  char *text = buffer->text;
  const size_t size = sizeof buffer->text;
  if (!isfinite(seconds)) return "none";
  if (seconds < 0.9995e-3) snprintf(text, size, "%.3g us", 1e6 * seconds);
  else if (seconds < 0.9995) snprintf(text, size, "%.3g ms", 1e3 * seconds);
  else if (seconds < 99.95) snprintf(text, size, "%.3g s", seconds);
  else if (seconds < 359990.0) {
    const int whole = (int)(seconds + 0.5);
    if (whole < 3600) snprintf(text, size, "%d min %02d s", whole / 60, whole % 60);
    else snprintf(text, size, "%d h %02d min", whole / 3600, whole / 60 % 60);
  } else {
    snprintf(text, size, "%.3g h", seconds / 3600.0);
  }
  return text;
}

const char *text_range(double low, double high, int low_open, int high_open, text_buffer *buffer) {
  text_buffer a, b;
  snprintf(buffer->text, sizeof buffer->text, "%c%.40s, %.40s%c",
           low_open || isinf(low) ? '(' : '[', text_number(low, &a), text_number(high, &b),
           high_open || isinf(high) ? ')' : ']');
  return buffer->text;
}

const char *text_limits(double low, double high, int low_open, int high_open, text_buffer *buffer) {
  text_buffer number;
  if (high < 2147483647.0 || isinf(low)) {
    snprintf(buffer->text, sizeof buffer->text, "in ");
    const char *range = text_range(low, high, low_open, high_open, &number);
    text_append(buffer->text, sizeof buffer->text, "%s", range);
  } else {   // the top is only what fits into the type
    snprintf(buffer->text, sizeof buffer->text, "%s %.40s", low_open ? "above" : "at least",
             text_number(low, &number));
  }
  return buffer->text;
}

const char *text_count(int64_t count, const char *one, const char *many, text_buffer *buffer) {
  snprintf(buffer->text, sizeof buffer->text, "%" PRId64 " %s", count, count == 1 ? one : many);
  return buffer->text;
}

void text_append(char *buffer, size_t size, const char *format, ...) {
  const size_t used = strlen(buffer);
  if (used + 1 >= size) return;
  va_list list;
  va_start(list, format);
  vsnprintf(buffer + used, size - used, format, list);
  va_end(list);
}

static int colour_refused;

void text_no_colour(void) { colour_refused = 1; }

const char *text_paint(FILE *out, text_colour colour) {
  static const char *const escape[] = {"\033[0m", "\033[1m", "\033[32m", "\033[31m"};
  const char *none = getenv("NO_COLOR");
  const char *term = getenv("TERM");
  if (colour_refused || (none && *none) || !term || !strcmp(term, "dumb") || !isatty(fileno(out)))
    return "";
  return escape[colour];
}
