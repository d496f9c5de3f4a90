// recording.c: opens a recording: all chunks checked, the header understood.
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "recording_head.h"
#include "text.h"

// What the values of a JSON text take in memory, about; more rather than less. Inside strings
// brackets and commas count as well: ours have few.
static size_t tree_bytes(const record_bytes *plain) {
  enum {   // jansson 2.14
    VALUE_BYTES = 40, ARRAY_BYTES = 136, OBJECT_BYTES = 320, PAIR_BYTES = 64, QUOTE_BYTES = 20
  };
  size_t bytes = 0;
  for (size_t i = 0; i < plain->length; i++) {
    switch (plain->data[i]) {
      case '[': bytes += ARRAY_BYTES + VALUE_BYTES; break;
      case '{': bytes += OBJECT_BYTES + VALUE_BYTES; break;
      case ',': bytes += VALUE_BYTES; break;
      case ':': bytes += PAIR_BYTES; break;
      case '"': bytes += QUOTE_BYTES; break;
      default: break;
    }
  }
  return bytes;
}

json_t *recording_parse(const record_bytes *plain, uint32_t stored, json_error_t *error) {
  // Of a header of ours a body takes 1 kB in memory and 45 bytes in the file (hopper, 20000 spheres);
  // a wall of 10000 bricks takes 10 MB, however small it is packed.
  enum { TREE_BYTES_FREE = 20 << 20, TREE_BYTES_PER_STORED_MAX = 28 };
  if (tree_bytes(plain) > TREE_BYTES_FREE + (size_t)TREE_BYTES_PER_STORED_MAX*stored) {
    if (error) {
      *error = (json_error_t){.line = 1, .column = 1};
      snprintf(error->text, sizeof error->text, "more values than a header of ours has");
    }
    return NULL;
  }
  return json_loadb((const char *)plain->data, plain->length, JSON_REJECT_DUPLICATES, error);
}

static int read_head(recording *what, char *message, size_t size) {
  record_bytes plain = {0};
  const record_chunk *chunk = &what->index.chunk[0];
  int code = record_unpack(what->file.data, &what->index, 0, &plain, message, size);
  if (!code) {
    json_error_t error;
    char text[256] = "";
    what->json = recording_parse(&plain, chunk->stored, &error);
    if (!what->json)
      snprintf(text, sizeof text, "line %d, column %d: %s", error.line, error.column, error.text);
    else if (!recording_head_read(what->json, &what->head, text, sizeof text)) text[0] = 0;
    if (text[0]) {
      snprintf(message, size, "chunk 1 at byte %zu: HEAD: %s", chunk->byte, text);
      code = RECORD_CORRUPT;
    }
  }
  free(plain.data);
  return code;
}

// Frames are where the header's `every` puts them; counts what is there.
static int check_frames(recording *what, char *message, size_t size) {
  for (int32_t k = 1; k < what->index.count; k++) {
    const record_chunk *chunk = &what->index.chunk[k];
    if (chunk->type == RECORD_STEP) what->rows = (int64_t)chunk->first + chunk->count;
    if (chunk->type != RECORD_FRAM && chunk->type != RECORD_FLOW) {
      if (chunk->type != RECORD_GRID || what->head.liquid.fields) continue;
      snprintf(message, size, "chunk %d at byte %zu: GRID, and the header has no fields",
               (int)k + 1, chunk->byte);
      return RECORD_CORRUPT;
    }
    const int next = k + 1 < what->index.count ? (int)what->index.chunk[k + 1].type : RECORD_GRID;
    if ((chunk->type == RECORD_FLOW) != what->head.fluid ||
        (what->head.liquid.fields && next != RECORD_GRID)) {
      snprintf(message, size, "chunk %d at byte %zu: %s, in a recording of %s", (int)k + 1,
               chunk->byte, chunk->type == RECORD_FRAM ? "FRAM"
                            : what->head.fluid         ? "FLOW without its GRID" : "FLOW",
               what->head.fluid ? "a liquid" : "bodies");
      return RECORD_CORRUPT;
    }
    if ((int64_t)chunk->first != what->frames*what->head.every) {
      snprintf(message, size, "chunk %d at byte %zu: frame %lld is of step %lu, not %lld",
               (int)k + 1, chunk->byte, (long long)what->frames, (unsigned long)chunk->first,
               (long long)(what->frames*what->head.every));
      return RECORD_CORRUPT;
    }
    what->frames += chunk->count;
  }
  // without its end, a recording may have frames whose steps nobody can tell about
  const int64_t told = (what->rows + what->head.every - 1)/what->head.every;
  if (what->frames > told) what->frames = told;
  return RECORD_OK;
}

int recording_open(const char *path, recording *out) {
  char message[512] = "";
  *out = (recording){0};
  snprintf(out->path, sizeof out->path, "%s", file_read_name(path));
  int code = file_read(path, &out->file, message, sizeof message);
  if (code) return fail(code, "%s", message);   // it names the file
  code = record_scan(out->file.data, out->file.length, &out->index, message, sizeof message);
  if (!code) code = read_head(out, message, sizeof message);
  if (!code) code = check_frames(out, message, sizeof message);
  if (code) {
    const int whole = out->index.count;   // chunks in front of the damage
    recording_close(out);
    if (whole < 2 || !strcmp(path, "-"))
      return fail(code, "%s: %s", file_read_name(path), message);
    text_word word;
    return fail(code, "%s: %s; 'perp run --resume %s' makes the rest of it again", path, message,
                text_shell(path, &word));
  }
  if (!out->index.complete)
    warn("%s: the end is missing; %lld frames are there", out->path, (long long)out->frames);
  return CODE_OK;
}

int recording_output(const char *given, const char *from, const char *ending, char *out,
                     size_t size) {
  static const char perp[] = ".perp";
  size_t stem = given ? strlen(given) : strlen(from);
  if (!given && stem >= sizeof perp && !strcmp(from + stem + 1 - sizeof perp, perp))
    stem -= sizeof perp - 1;
  const int used = snprintf(out, size, "%.*s%s", (int)stem, given ? given : from,
                            given ? "" : ending);
  return used >= 0 && (size_t)used < size;
}

void recording_close(recording *what) {
  recording_head_free(&what->head);
  json_decref(what->json);
  record_index_free(&what->index);
  file_text_free(&what->file);
  what->json = NULL;
}

int32_t recording_chunk(const recording *what, int64_t frame, uint32_t *within) {
  for (int32_t k = 0; k < what->index.count; k++) {
    const record_chunk *chunk = &what->index.chunk[k];
    if (chunk->type != RECORD_FRAM && chunk->type != RECORD_FLOW) continue;
    if (frame < chunk->count) {
      *within = (uint32_t)frame;
      return frame < 0 ? -1 : k;
    }
    frame -= chunk->count;
  }
  return -1;
}

static int refuse(const recording *what, int32_t chunk, const char *trouble) {
  return fail(CODE_INPUT, "%s: chunk %d at byte %zu: %s", what->path, (int)chunk + 1,
              what->index.chunk[chunk].byte, trouble);
}

// The first words of a chunk, to compare with the header before the rest is unpacked.
static int peek(const recording *what, int32_t chunk, uint32_t word[RECORD_PEEK/4]) {
  unsigned char start[RECORD_PEEK];
  if (record_peek(what->file.data, &what->index, chunk, start))
    return fail(CODE_IO, "%s: out of memory", what->path);
  for (int k = 0; k < RECORD_PEEK/4; k++) word[k] = record_word(start, k);
  return CODE_OK;
}

// The largest number of contacts in `frames` frames: 16 per pair of bodies, and far fewer than 256
// per body.
static uint64_t touches_most(const recording_head *head, uint32_t frames) {
  const uint64_t n = (uint64_t)head->bodies, pairs = n*(n - (n > 0))/2;
  return frames*(16*pairs < 256*n ? 16*pairs : 256*n);
}

int recording_frames(const recording *what, int32_t chunk, record_frames *out) {
  char message[512] = "";
  uint32_t word[RECORD_PEEK/4];
  *out = (record_frames){0};
  if (peek(what, chunk, word)) return CODE_IO;
  if (word[1] != (uint32_t)what->head.moving)
    snprintf(message, sizeof message, "FRAM has %lu bodies, the header has %d that move",
             (unsigned long)word[1], (int)what->head.moving);
  else if (word[2] > touches_most(&what->head, what->index.chunk[chunk].count))
    snprintf(message, sizeof message, "FRAM has %lu contacts of %d bodies in %lu frames",
             (unsigned long)word[2], (int)what->head.bodies,
             (unsigned long)what->index.chunk[chunk].count);
  if (*message) return refuse(what, chunk, message);
  const int code = record_read_frames(what->file.data, &what->index, chunk, out, message,
                                      sizeof message);
  if (code) return fail(code, "%s: %s", what->path, message);
  for (uint32_t i = 0; i < out->touch_count; i++) {
    const record_touch *touch = &out->touch[i];
    if (touch->a < (uint32_t)what->head.bodies && touch->b < (uint32_t)what->head.bodies) continue;
    snprintf(message, sizeof message, "contact %lu is of bodies %lu and %lu; there are %d",
             (unsigned long)i, (unsigned long)touch->a, (unsigned long)touch->b,
             (int)what->head.bodies);
    record_frames_free(out);
    return refuse(what, chunk, message);
  }
  return CODE_OK;
}

int recording_flow(const recording *what, int32_t chunk, record_flow *out) {
  char message[512] = "";
  const recording_head *head = &what->head;
  uint32_t word[RECORD_PEEK/4];
  *out = (record_flow){0};
  if (peek(what, chunk, word)) return CODE_IO;
  const int32_t *cells = head->liquid.cells;
  if (word[1] != (uint32_t)head->moving)
    snprintf(message, sizeof message, "FLOW has %lu solids, the header has %d that move",
             (unsigned long)word[1], (int)head->moving);
  else if (word[3] != (uint32_t)head->dimension || word[4] != (uint32_t)head->liquid.fine ||
           word[5] != (uint32_t)cells[0] || word[6] != (uint32_t)cells[1] ||
           word[7] != (uint32_t)cells[2])
    snprintf(message, sizeof message, "FLOW has another grid than the header");
  if (*message) return refuse(what, chunk, message);
  const int code = record_read_flow(what->file.data, &what->index, chunk, out, message,
                                    sizeof message);
  return code ? fail(code, "%s: %s", what->path, message) : CODE_OK;
}

int recording_grid(const recording *what, int32_t chunk, record_grid *out) {
  char message[512] = "";
  const recording_fluid *liquid = &what->head.liquid;
  uint32_t word[RECORD_PEEK/4];
  *out = (record_grid){0};
  if (peek(what, chunk, word)) return CODE_IO;
  int same = word[4] == liquid->fields;
  for (int c = 0; c < 3; c++) same = same && word[1 + c] == (uint32_t)liquid->cells[c];
  if (!same) return refuse(what, chunk, "GRID has another grid or other fields than the header");
  const int code = record_read_grid(what->file.data, &what->index, chunk, out, message,
                                    sizeof message);
  return code ? fail(code, "%s: %s", what->path, message) : CODE_OK;
}

uint32_t recording_columns(const recording_head *head, const char *const **names) {
  *names = head->fluid ? record_fluid_name : record_column_name;
  return head->fluid ? RECORD_FLUID_COLUMNS : RECORD_COLUMNS;
}

static int read_steps(const recording *what, int32_t chunk, record_steps *out) {
  char message[512] = "";
  const char *const *names;
  const int code = record_read_steps(what->file.data, &what->index, chunk, out, message,
                                     sizeof message);
  if (code) return fail(code, "%s: %s", what->path, message);
  const uint32_t columns = recording_columns(&what->head, &names);
  if (what->index.chunk[chunk].type != RECORD_STEP || out->columns == columns) return CODE_OK;
  snprintf(message, sizeof message, "STEP has %lu columns, the header has %lu",
           (unsigned long)out->columns, (unsigned long)columns);
  record_steps_free(out);
  return refuse(what, chunk, message);
}

int recording_statistics(const recording *what, record_steps *out, int *times) {
  const char *const *names;
  const uint32_t columns = recording_columns(&what->head, &names);
  if (record_steps_create(columns, (uint32_t)what->rows, out) != RECORD_OK)
    return fail(CODE_IO, "%s: out of memory for %lld rows", what->path, (long long)what->rows);
  uint32_t timed = 0;
  int code = CODE_OK;
  for (int32_t k = 0; k < what->index.count && !code; k++) {
    const record_chunk *chunk = &what->index.chunk[k];
    const int row = chunk->type == RECORD_STEP;
    if (!row && chunk->type != RECORD_TIME) continue;
    record_steps part;
    code = read_steps(what, k, &part);
    const record_point *point = part.point;
    for (uint32_t i = 0; i < part.rows && !code; i++) {
      double values[RECORD_COLUMNS_MAX];
      if (!row) {
        out->seconds[part.first + i] = part.seconds[i];
        timed++;
        continue;
      }
      for (size_t c = 0; c < columns; c++) values[c] = part.column[c*part.room + i];
      if (record_steps_add(out, values, 0.0, point, part.points[i]) != RECORD_OK)
        code = fail(CODE_IO, "%s: out of memory", what->path);
      point += part.points[i];
    }
    record_steps_free(&part);
  }
  *times = timed == out->rows;
  if (code) record_steps_free(out);
  return code;
}
