// message.c: errors and warnings on stderr, and the one JSON object of --json.
#include "message.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "text.h"

enum { MESSAGE_SIZE = 1024 };

static const char *command_name;
static const char *header_path;
static int quiet;
static json_t *object;

const exit_row *exit_code_at(int index) {
  static const exit_row rows[] = {
#define CODE_X(id, value, text) {value, text},
    EXIT_CODE_LIST(CODE_X)
#undef CODE_X
  };
  return index >= 0 && (size_t)index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

void message_begin(const char *command) { command_name = command; }

void message_quiet(void) { quiet = 1; }

void message_header_of(const char *path) { header_path = path; }

int message_header_code(int code) {
  return header_path && code == CODE_USAGE ? CODE_INPUT : code;
}

void message_json(void) {
  if (object) return;
  object = json_object();
  json_object_set_new(object, "perp", json_integer(1));
}

json_t *message_object(void) { return object; }

int message_end(int code) {
  if (object) {
    if (!json_object_get(object, "status")) {
      json_object_set_new(object, "status", json_string(code ? "error" : "finished"));
    }
    json_object_set_new(object, "exit_code", json_integer(code));
    if (json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0) putchar('\n');
    json_decref(object);
    object = NULL;
  }
  errno = 0;
  if ((fflush(stdout) != 0 || ferror(stdout)) && code != CODE_IO) {
    code = fail(CODE_IO, "cannot write to the standard output: %s", strerror(errno ? errno : EIO));
  }
  return code;
}

// Messages quote names and contents of files. Control characters in them are made visible, so that
// they cannot act on a terminal.
static void speak(const char *kind, text_colour colour, const char *text) {
  char visible[4*MESSAGE_SIZE];
  progress_clear();
  const int used = fprintf(stderr, "perp%s%s: ", command_name ? " " : "",
                           command_name ? command_name : "") + (int)strlen(kind);
  fprintf(stderr, "%s%s%s", *kind ? text_paint(stderr, colour) : "", kind,
          *kind ? text_paint(stderr, TEXT_PLAIN) : "");
  text_visible(text, visible, sizeof visible);
  const int columns = text_columns(stderr);   // in a pipe a message is a line, for who searches it
  if (columns > 0) text_wrap_to(stderr, visible, used, 2, columns);
  else fprintf(stderr, "%s\n", visible);
}

int fail(int code, const char *format, ...) {
  char text[MESSAGE_SIZE] = "";
  if (message_header_code(code) != code)
    snprintf(text, sizeof text, "%s: the header: ", header_path);
  const size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, sizeof text - used, format, list);
  va_end(list);
  speak("", TEXT_PLAIN, text);
  if (object && !json_object_get(object, "error"))
    json_object_set_new(object, "error", json_text(text));
  return code;
}

void warn(const char *format, ...) {
  if (quiet) return;
  char text[MESSAGE_SIZE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  speak("warning: ", TEXT_BOLD, text);
}

json_t *json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *json_numbers(const double *value, int count) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(list, json_number(value[i]));
  return list;
}

json_t *json_text(const char *text) {
  json_t *value = json_string(text);
  if (value) return value;
  char *copy = strdup(text);
  if (!copy) return json_null();
  for (char *c = copy; *c; c++) {
    if ((unsigned char)*c >= 0x80) *c = '?';
  }
  value = json_string(copy);
  free(copy);
  return value ? value : json_null();
}
