// run_resume.c: perp run --resume: cuts a recording back to its last saved state and loads it.
//
// The header must come out of the scene again, byte for byte: then the rest will, too.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recording_head.h"
#include "run.h"

// A recording that may be damaged from some chunk on; that is said at the first look.
typedef struct torn {
  file_text file;
  record_index index;
  record_bytes head;
} torn;

static void torn_free(torn *what) {
  record_index_free(&what->index);
  file_text_free(&what->file);
  free(what->head.data);
}

static int torn_open(const char *path, int first, torn *out) {
  char message[512] = "";
  *out = (torn){0};
  int code = file_read(path, &out->file, message, sizeof message);
  if (code) return fail(code, "%s", message);
  code = record_scan(out->file.data, out->file.length, &out->index, message, sizeof message);
  if (code && out->index.count > 0 && first)
    warn("%s: %s; what follows is made again", path, message);
  else if (out->index.count == 0) code = fail(code, "%s: %s", path, message);
  if (out->index.count > 0) {
    code = record_unpack(out->file.data, &out->index, 0, &out->head, message, sizeof message);
    if (code) code = fail(code, "%s: %s", path, message);
  }
  if (code) torn_free(out);
  return code;
}

run_file run_existing(const char *path) {
  struct stat status;
  char message[512];
  torn file = {0};
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return RUN_FREE;
  if (file_read(path, &file.file, message, sizeof message)) return RUN_FOREIGN;
  run_file what = RUN_UNFINISHED;
  if (file.file.length < sizeof RECORD_MAGIC - 1 ||
      memcmp(file.file.data, RECORD_MAGIC, sizeof RECORD_MAGIC - 1) != 0)
    what = RUN_FOREIGN;
  else if (!record_scan(file.file.data, file.file.length, &file.index, message, sizeof message) &&
           file.index.complete &&
           !record_unpack(file.file.data, &file.index, file.index.count - 1, &file.head, message,
                          sizeof message)) {
    json_t *last = json_loadb((const char *)file.head.data, file.head.length, 0, NULL);
    if (json_is_true(json_object_get(last, "complete"))) what = RUN_FINISHED;
    json_decref(last);
  }
  torn_free(&file);
  return what;
}

int run_resume_arguments(const char *path, int *count, char ***words) {
  torn file;
  *count = 0;
  *words = NULL;
  int code = torn_open(path, 1, &file);
  if (code) return code;
  json_t *object = json_loadb((const char *)file.head.data, file.head.length, 0, NULL);
  const json_t *list = json_object_get(object, "arguments");
  const char *version = json_string_value(json_object_get(object, "version"));
  const size_t size = json_array_size(list);
  if (!version || !json_is_array(list)) {
    code = fail(CODE_INPUT, "%s: chunk 1 at byte 8: the header has no version or arguments", path);
  } else if (strcmp(version, perp_version()) != 0) {
    code = fail(CODE_INPUT, "%s was made by perp %s and this is %s: the rest would not fit", path,
                version, perp_version());
  } else if (!(*words = calloc(size + 2, sizeof **words))) {
    code = fail(CODE_IO, "out of memory for the arguments");
  }
  for (size_t k = 0; k <= size && !code; k++) {
    const char *word = k ? json_string_value(json_array_get(list, k - 1)) : "run";
    (*words)[k] = word ? strdup(word) : NULL;
    if (!(*words)[k]) code = fail(CODE_INPUT, "%s: the header has a bad argument", path);
    else *count = (int)k + 1;
  }
  json_decref(object);
  torn_free(&file);
  return code;
}

// The statistics of the chunks that stay.
static int read_totals(const torn *file, int32_t chunks, run_session *s) {
  for (int32_t k = 0; k < chunks; k++) {
    record_steps steps;
    char message[512] = "";
    if (file->index.chunk[k].type != RECORD_STEP) continue;
    const int code = record_read_steps(file->file.data, &file->index, k, &steps, message,
                                       sizeof message);
    if (code) return fail(code, "%s: %s", s->path, message);
    for (uint32_t i = 0; i < steps.rows; i++) {
      double row[RECORD_COLUMNS_MOST] = {0};
      for (size_t c = 0; c < steps.columns; c++) row[c] = steps.column[c*steps.room + i];
      run_count(s, row);
    }
    record_steps_free(&steps);
  }
  return CODE_OK;
}

static int load_state(run_session *s, const torn *file, int32_t k) {
  char message[512] = "";
  record_bytes state = {0};
  int code = record_read_state(file->file.data, &file->index, k, &state, message, sizeof message);
  if (code) code = fail(code, "%s: %s", s->path, message);
  else if (s->kind->load(s, state.data, state.length))
    code = fail(CODE_INPUT, "%s: chunk %d at byte %zu: %s", s->path, (int)k + 1,
                file->index.chunk[k].byte, s->kind->message());
  free(state.data);
  return code;
}

// Up to and with the last state: what a run goes on from. rows: those of the whole file.
static int32_t kept_chunks(const record_index *index, int32_t *last, int64_t *rows) {
  *last = -1;
  *rows = 0;
  for (int32_t k = 0; k < index->count; k++) {
    const record_chunk *chunk = &index->chunk[k];
    if (chunk->type == RECORD_STEP) *rows = (int64_t)chunk->first + chunk->count;
    if (chunk->type == RECORD_SAVE && chunk->count == 0) *last = k;   // all of its parts are there
  }
  return *last + 1 > 1 ? *last + 1 : 1;
}

// Copies the first chunks behind a new header.
static int copy_chunks(const torn *file, int32_t chunks, const char *head, const char *path,
                       char *message, size_t size) {
  record_writer *writer = NULL;
  record_bytes plain = {0};
  int code = record_create(path, &writer, message, size);
  if (!code) code = record_write(writer, RECORD_HEAD, 0, 0, head, strlen(head), message, size);
  for (int32_t k = 1; k < chunks && !code; k++) {
    const record_chunk *chunk = &file->index.chunk[k];
    code = record_unpack(file->file.data, &file->index, k, &plain, message, size);
    if (!code)
      code = record_write(writer, chunk->type, chunk->first, chunk->count, plain.data,
                          plain.length, message, size);
  }
  free(plain.data);
  char other[512];
  const int closed = record_close(writer, code ? other : message, code ? sizeof other : size);
  return code ? code : closed;
}

// The new file takes the place of the old one when it is whole.
int run_extend(const run_session *s, const char *was, const char *head) {
  char message[512] = "";
  torn file;
  int code = torn_open(s->path, 0, &file);
  if (code) return code;
  int32_t last;
  int64_t rows;
  const int32_t chunks = kept_chunks(&file.index, &last, &rows);
  record_writer *guard = NULL;   // nobody else writes to the old one
  file_output *output = NULL;
  if (strlen(head) == file.head.length && !memcmp(head, file.head.data, file.head.length)) {
    torn_free(&file);            // it has that length already
    return CODE_OK;
  }
  if (strlen(was) != file.head.length || memcmp(was, file.head.data, file.head.length) != 0)
    code = fail(CODE_INPUT, "%s: its scene is not what its header says here", s->path);
  else if (s->planned < rows - 1)
    code = fail(CODE_USAGE, "--steps = %lld is outside [%lld, 100000000]: so many are in %s",
                (long long)s->planned, (long long)rows - 1, s->path);
  else if (record_append(s->path, &file.index, file.index.count, &guard, message, sizeof message) ||
           file_create(s->path, &output, message, sizeof message) ||
           copy_chunks(&file, chunks, head, file_temporary(output), message, sizeof message))
    code = fail(CODE_IO, "%s", message);
  if (code) file_abandon(output);
  else if (file_commit(output, message, sizeof message)) code = fail(CODE_IO, "%s", message);
  record_close(guard, message, sizeof message);
  torn_free(&file);
  return code;
}

int run_resume(run_session *s, const recording_head *head, const recorder *shape) {
  torn file;
  int code = torn_open(s->path, 0, &file);
  if (code) return code;
  char *text = run_head_text(s, head);
  if (!text || strlen(text) != file.head.length ||
      memcmp(text, file.head.data, file.head.length) != 0)
    code = fail(CODE_INPUT, "%s: its scene is not what '%s' makes here", s->path, s->command);
  free(text);
  int32_t last;
  int64_t rows;
  int32_t chunks = kept_chunks(&file.index, &last, &rows);
  const int all = !code && file.index.complete && rows == s->planned + 1;
  if (all) chunks = file.index.count;
  else if (!code && last >= 0) code = load_state(s, &file, last);
  else if (!code && file.index.count > 1)
    warn("%s has no saved state yet: its steps are made again", s->path);
  if (!code) code = read_totals(&file, chunks, s);
  if (!code) {
    s->done = s->begun = all ? s->planned : last >= 0 ? file.index.chunk[last].first : 0;
    file_text_free(&file.file);   // it may be the file's own pages, which are cut now
    if (!all) code = recorder_append(s->path, &file.index, chunks, head, shape, &s->recorder);
  }
  torn_free(&file);
  return code;
}
