// run_resume.c: perp run --resume: finds the newest state of a recording and continues from it.
//
// The header that the scene makes now must equal the recorded one byte for byte. Then the rest of
// the recording will be equal, too.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "guard.h"
#include "recording_head.h"
#include "run_command.h"

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
    json_t *last = recording_parse(&file.head, file.index.chunk[file.index.count - 1].stored, NULL);
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
  json_t *object = recording_parse(&file.head, file.index.chunk[0].stored, NULL);
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

// The statistics of chunks [from, to).
static int read_totals(const torn *file, int32_t from, int32_t to, run_session *s) {
  for (int32_t k = from; k < to; k++) {
    record_steps steps;
    char message[512] = "";
    if (file->index.chunk[k].type != RECORD_STEP) continue;
    const int code = record_read_steps(file->file.data, &file->index, k, &steps, message,
                                       sizeof message);
    if (code) return fail(code, "%s: %s", s->path, message);
    for (uint32_t i = 0; i < steps.rows; i++) {
      double row[RECORD_COLUMNS_MAX] = {0};
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
  int code = record_read_state(file->file.data, &file->index, k, s->kind->state_most(s), &state,
                               message, sizeof message);
  if (code) code = fail(code, "%s: %s", s->path, message);
  else if (s->kind->load(s, state.data, state.length))
    code = fail(CODE_INPUT, "%s: chunk %d at byte %zu: %s", s->path, (int)k + 1,
                file->index.chunk[k].byte, perp_last_message());
  free(state.data);
  return code;
}

// ---- the newest state ----

typedef struct newest {
  const torn *file;            // that has it: the recording, or NAME.perp.state
  state_at where;
  int32_t chunks;              // of the recording that stay, whole spans with their states
  int32_t from, to;            // chunks of `file` with frames and rows behind them
  int32_t save;                // the chunk of `file` that the state ends with; -1: there is none
  int64_t step;
} newest;

static int32_t last_state(const record_index *index) {
  int32_t last = -1;
  for (int32_t k = 0; k < index->count; k++)   // all of its parts are there
    if (index->chunk[k].type == RECORD_SAVE && index->chunk[k].count == 0) last = k;
  return last;
}

static int32_t state_begin(const record_index *index, int32_t save) {   // its first part
  while (save > 0 && index->chunk[save - 1].type == RECORD_SAVE) save--;
  return save;
}

// The span that ends before chunk `to`: its first chunk.
static int32_t span_begin(const record_index *index, int32_t to) {
  int32_t k = to - 1;
  if (index->chunk[k].type == RECORD_TIME) k--;
  if (index->chunk[k - 1].type == RECORD_GRID) k--;
  if (index->chunk[k - 1].type == RECORD_FRAM || index->chunk[k - 1].type == RECORD_FLOW) k--;
  return k;
}

// Of the recording itself. A state that only an interrupted run has does not stay, nor does a span
// that is not whole: what is in them is written again later.
static newest newest_inside(const torn *file, const recorder *shape) {
  const record_index *index = &file->index;
  const int32_t save = last_state(index);
  newest out = {.file = file, .where = STATE_IN_RECORDING, .chunks = save + 1, .from = save + 1,
                .to = save + 1, .save = save};
  if (save < 0) {
    out.chunks = out.from = out.to = 1;
    return out;
  }
  out.step = index->chunk[save].first;
  const record_fit fit = recorder_fit(shape, index, save);
  if (fit == RECORD_FIT_REGULAR) return out;
  out.where = STATE_IN_TAIL;
  out.chunks = out.from = out.to = state_begin(index, save);
  if (fit == RECORD_FIT_SHORT) out.chunks = out.from = span_begin(index, out.to);
  return out;
}

// NAME.perp.state, if it is of this recording and has a newer state. 1: it does.
static int newest_beside(const run_session *s, const torn *recorded, torn *file, newest *best) {
  char message[512] = "";
  struct stat status;
  char *path = state_path(s->path);
  int32_t chunks = 0, save = -1;
  *file = (torn){0};
  if (!path || stat(path, &status) != 0) {
    free(path);
    return 0;
  }
  if (!file_read(path, &file->file, message, sizeof message) &&
      !record_scan_state(file->file.data, file->file.length, &file->index, message,
                         sizeof message)) {
    save = last_state(&file->index);
    chunks = state_place(file->file.data, &file->index, &recorded->index);
  }
  if (save < 0 || chunks == 0)
    warn("%s is not used: %s", path,
         *message ? message : save < 0 ? "it is not whole" : "it is of another recording");
  free(path);
  if (save < 0 || chunks == 0 || file->index.chunk[save].first <= best->step) return 0;
  *best = (newest){.file = file, .where = STATE_BESIDE, .chunks = chunks, .from = 1,
                   .to = state_begin(&file->index, save), .save = save,
                   .step = file->index.chunk[save].first};
  return 1;
}

// ---- a longer run ----

static int copy_chunks(const torn *file, int32_t from, int32_t to, record_writer *writer,
                       char *message, size_t size) {
  record_bytes plain = {0};
  int code = RECORD_OK;
  for (int32_t k = from; k < to && !code; k++) {
    const record_chunk *chunk = &file->index.chunk[k];
    code = record_check(file->file.data, &file->index, k, message, size);
    if (!code) code = record_unpack(file->file.data, &file->index, k, &plain, message, size);
    if (!code)
      code = record_write(writer, chunk->type, chunk->first, chunk->count, plain.data,
                          plain.length, message, size);
  }
  free(plain.data);
  return code;
}

// No part of a state in chunks [from, to) is larger than a state of this scene.
static int check_states(const run_session *s, const torn *file, int32_t from, int32_t to) {
  const size_t most = s->kind->state_most(s);
  for (int32_t k = from; k < to; k++) {
    const record_chunk *chunk = &file->index.chunk[k];
    if (chunk->type == RECORD_SAVE && chunk->plain > most)
      return fail(CODE_INPUT, "%s: chunk %d at byte %zu: %lu bytes of a state; this scene has one of "
                  "at most %zu", s->path, (int)k + 1, chunk->byte, (unsigned long)chunk->plain, most);
  }
  return CODE_OK;
}

// What a run goes on from, behind a new header.
static int copy_with(const torn *recorded, const newest *from, const char *head, const char *path,
                     char *message, size_t size) {
  record_writer *writer = NULL;
  int code = record_create(path, &writer, message, size);
  if (!code) code = record_write(writer, RECORD_HEAD, 0, 0, head, strlen(head), message, size);
  if (!code) code = copy_chunks(recorded, 1, from->chunks, writer, message, size);
  if (!code) code = copy_chunks(from->file, from->from, from->save + 1, writer, message, size);
  char other[512];
  const int closed = record_close(writer, code ? other : message, code ? sizeof other : size);
  return code ? code : closed;
}

static int64_t rows_of(const record_index *index) {
  int64_t rows = 0;
  for (int32_t k = 0; k < index->count; k++)
    if (index->chunk[k].type == RECORD_STEP)
      rows = (int64_t)index->chunk[k].first + index->chunk[k].count;
  return rows;
}

// The one file that is read and replaced: it becomes longer.
static int replace(const char *path, file_output **output, char *message, size_t size) {
  struct stat status;
  if (stat(path, &status) == 0) guard_release(&status);
  return file_create(path, output, message, size);
}

// The new file takes the place of the old one when it is whole.
int run_extend(const run_session *s, const char *was, const char *head, const recorder *shape) {
  char message[512] = "";
  torn file, side;
  int code = torn_open(s->path, 0, &file);
  if (code) return code;
  if (strlen(head) == file.head.length && !memcmp(head, file.head.data, file.head.length)) {
    torn_free(&file);            // it has that length already
    return CODE_OK;
  }
  record_writer *guard = NULL;   // nobody else writes to the old one
  file_output *output = NULL;
  newest from = newest_inside(&file, shape);
  const int beside = newest_beside(s, &file, &side, &from);
  const int64_t rows = rows_of(&file.index), steps = from.step < rows - 1 ? rows - 1 : from.step;
  if (strlen(was) != file.head.length || memcmp(was, file.head.data, file.head.length) != 0)
    code = fail(CODE_INPUT, "%s: its scene is not what its header says here", s->path);
  else if (s->planned < steps)
    code = fail(CODE_USAGE, "--steps = %lld is outside [%lld, 100000000]; %s has %lld steps",
                (long long)s->planned, (long long)steps, s->path, (long long)steps);
  else code = check_states(s, &file, 1, from.chunks);
  if (!code) code = check_states(s, from.file, from.from, from.save + 1);
  if (!code &&
      (record_append(s->path, &file.index, file.index.count, &guard, message, sizeof message) ||
       replace(s->path, &output, message, sizeof message)))
    code = fail(CODE_IO, "%s", message);
  if (!code) {
    code = copy_with(&file, &from, head, file_temporary(output), message, sizeof message);
    if (code == RECORD_CORRUPT) fail(CODE_INPUT, "%s: %s", s->path, message);
    else if (code) fail(CODE_IO, "%s", message);
  }
  if (code) file_abandon(output);
  else if (file_commit(output, message, sizeof message)) code = fail(CODE_IO, "%s", message);
  char *path = code || !beside ? NULL : state_path(s->path);
  if (path) state_remove(path);  // the new file has it
  free(path);
  record_close(guard, message, sizeof message);
  torn_free(&side);
  torn_free(&file);
  return code;
}

// ---- going on ----

// The old chunks are cut only when the state is in a place that stays.
static int go_on(run_session *s, const recording_head *head, const recorder *shape, torn *file,
                 torn *side, const newest *from) {
  recorder *out = &s->recorder;
  int code = CODE_OK;
  if (from->save >= 0) code = load_state(s, from->file, from->save);
  else if (file->index.count > 1)
    warn("%s has no saved state yet: its steps are made again", s->path);
  if (!code) code = read_totals(file, 0, from->chunks, s);
  if (!code) code = read_totals(from->file, from->from, from->to, s);
  if (!code) code = recorder_append(s->path, &file->index, head, shape, out);
  if (!code)
    code = recorder_restore(out, from->chunks, from->file->file.data, &from->file->index,
                            from->from, from->to, from->step);
  if (!code) code = recorder_keep(out, from->step, from->where);
  s->done = s->begun = from->step;
  file_text_free(&side->file);
  file_text_free(&file->file);   // it may be the file's own pages, which are cut now
  return code ? code : recorder_cut(out, from->chunks);
}

static int check_head(const run_session *s, const recording_head *head, const torn *file) {
  // each body has a line of numbers in the header: text for more than these would be for nothing
  const int fits = (size_t)head->bodies <= file->head.length;
  char *text = fits ? run_head_text(s, head) : NULL;
  const int same = text && strlen(text) == file->head.length &&
                   !memcmp(text, file->head.data, file->head.length);
  free(text);
  if (same) return CODE_OK;
  return fail(CODE_INPUT, "%s: its scene is not what '%s' makes here", s->path, s->command);
}

int run_resume_check(const run_session *s) {
  torn file;
  recording_head head;
  int code = torn_open(s->path, 0, &file);
  if (code) return code;
  code = run_head(s, &head);
  if (!code) {
    code = check_head(s, &head, &file);
    recording_head_free(&head);
  }
  torn_free(&file);
  return code;
}

int run_resume(run_session *s, const recording_head *head, const recorder *shape) {
  torn file, side = {0};
  int code = torn_open(s->path, 0, &file);
  if (code) return code;
  code = check_head(s, head, &file);
  if (!code && file.index.complete && rows_of(&file.index) == s->planned + 1) {
    code = read_totals(&file, 0, file.index.count, s);   // nothing is left to do
    s->done = s->begun = s->planned;
    char *path = code ? NULL : state_path(s->path);
    if (path) state_remove(path);   // a run that was killed between its last chunk and this leaves it
    free(path);
  } else if (!code) {
    newest from = newest_inside(&file, shape);
    newest_beside(s, &file, &side, &from);
    code = go_on(s, head, shape, &file, &side, &from);
  }
  torn_free(&side);
  torn_free(&file);
  return code;
}
