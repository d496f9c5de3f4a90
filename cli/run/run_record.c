// run_record.c: what perp run writes down while it runs: frames, statistics, states to resume from.
#include "run_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "progress.h"

enum {
  SPAN_FRAMES_MAX = 64,        // of a chunk of frames
  SPAN_BYTES = 1 << 24,        // of a chunk of frames, about
  SPAN_ROWS_MAX = 1 << 16      // of a chunk of statistics
};

int64_t recorder_span(double bytes, int64_t every) {
  int64_t span = bytes > 0.0 && bytes < SPAN_BYTES ? (int64_t)(SPAN_BYTES/bytes) : 1;
  if (span > SPAN_FRAMES_MAX) span = SPAN_FRAMES_MAX;
  if (span > SPAN_ROWS_MAX/every) span = SPAN_ROWS_MAX/every;
  return span < 1 ? 1 : span;
}

size_t recorder_part = RECORD_PLAIN_MAX;

static int trouble(const char *message) { return fail(CODE_IO, "%s", message); }

static int begin(const recording_head *about, const recorder *shape, recorder *out) {
  const char *const *names;
  const uint32_t columns = recording_columns(about, &names);
  if (record_steps_create(columns, (uint32_t)shape->span, &out->steps))
    return trouble("out of memory for the statistics");
  out->settled = 1;
  out->saved_at = out->stepped_at = progress_now();
  out->side_step = -1;
  return CODE_OK;
}

static int name_side(const char *path, recorder *out) {
  if (!record_is_regular(out->writer)) return CODE_OK;
  out->side = state_path(path);
  return out->side ? CODE_OK : trouble("out of memory for a name");
}

int recorder_create(const char *path, const char *head, const recording_head *about,
                    const recorder *shape, recorder *out) {
  char message[512] = "";
  *out = *shape;
  if (record_create(path, &out->writer, message, sizeof message)) return trouble(message);
  int code = begin(about, shape, out);
  if (!code) code = name_side(path, out);
  if (code) return code;
  if (record_write(out->writer, RECORD_HEAD, 0, 0, head, strlen(head), message, sizeof message))
    return trouble(message);
  if (out->side) state_remove(out->side);   // of what was in the file before
  return CODE_OK;
}

int recorder_append(const char *path, const record_index *index, const recording_head *about,
                    const recorder *shape, recorder *out) {
  char message[512] = "";
  *out = *shape;
  if (record_append(path, index, index->count, &out->writer, message, sizeof message))
    return trouble(message);
  const int code = begin(about, shape, out);
  return code ? code : name_side(path, out);
}

static int restore_rows(recorder *what, const void *bytes, const record_index *index, int32_t k,
                        int32_t to, char *message, size_t size) {
  record_steps rows, times = {0};
  int code = record_read_steps(bytes, index, k, &rows, message, size);
  const int timed = k + 1 < to && index->chunk[k + 1].type == RECORD_TIME;
  if (!code && timed) code = record_read_steps(bytes, index, k + 1, &times, message, size);
  if (!code) code = record_steps_append(&what->steps, &rows, timed ? &times : NULL);
  record_steps_free(&times);
  record_steps_free(&rows);
  return code;
}

int recorder_restore(recorder *what, int32_t chunks, const void *bytes, const record_index *index,
                     int32_t from, int32_t to, int64_t step) {
  char message[512] = "the frames and rows behind the last whole span are not those of its steps";
  const record_index *old = record_written(what->writer);
  uint32_t rows = 0;
  what->settled = chunks;
  for (int32_t k = 0; k < chunks; k++) {
    const record_chunk *chunk = &old->chunk[k];
    if (chunk->type == RECORD_FRAM || chunk->type == RECORD_FLOW) what->frame_count += chunk->count;
    if (chunk->type == RECORD_STEP) rows = chunk->first + chunk->count;
  }
  what->film.clear(what->film.self, (uint32_t)(what->frame_count*what->every));
  record_steps_clear(&what->steps, rows);
  for (int32_t k = from; k < to; k++) {
    int code = what->film.restore(what->film.self, bytes, index, k, message, sizeof message);
    if (!code && index->chunk[k].type == RECORD_STEP)
      code = index->chunk[k].first != what->steps.first + what->steps.rows
                 ? CODE_INPUT
                 : restore_rows(what, bytes, index, k, to, message, sizeof message);
    if (code) return fail(code, "%s", message);
  }
  // All of them up to the state. A whole span ends with its last frame; recorder_cut() writes it.
  const int64_t frames = what->film.frames(what->film.self), last = step/what->every;
  if (step > 0 &&
      (what->frame_count + frames != last + 1 || frames > what->span ||
       (frames == what->span && step % what->every != 0) ||
       (int64_t)what->steps.first + what->steps.rows != step + 1))
    return fail(CODE_INPUT, "%s", message);
  return CODE_OK;
}

void recorder_free(recorder *what) {
  record_close(what->writer, NULL, 0);
  if (what->film.self) what->film.destroy(what->film.self);
  record_steps_free(&what->steps);
  free(what->state.data);
  free(what->side);
  *what = (recorder){0};
}

// ---- states ----

// The state as it is now, in memory: a step that is interrupted goes back to it.
static int remember(recorder *what, int64_t step) {
  const size_t bytes = what->film.save(what->film.self, NULL, 0);
  if (bytes > what->state.room) {
    const size_t room = bytes + bytes/8;
    unsigned char *data = realloc(what->state.data, room);
    if (!data) return trouble("out of memory for the state");
    what->state.data = data;
    what->state.room = room;
  }
  what->film.save(what->film.self, what->state.data, bytes);
  what->state.length = bytes;
  what->step = step;
  return CODE_OK;
}

static void forget_side(recorder *what) {
  if (what->side) state_remove(what->side);
  what->side_step = -1;
}

// 1 if a state of this size, placed behind the first chunks of `index`, which end at byte `whole`,
// is small compared to what was recorded since the previous state.
static int is_due(const recorder *what, const record_index *index, int32_t chunks, size_t whole,
                  size_t bytes) {
  size_t since = index->chunk[0].byte + RECORD_HEADER_BYTES + index->chunk[0].stored;
  for (int32_t k = 0; k < chunks; k++) {
    if (index->chunk[k].type == RECORD_SAVE)
      since = index->chunk[k].byte + RECORD_HEADER_BYTES + index->chunk[k].stored;
  }
  return whole - since >= what->share*bytes;
}

record_fit recorder_fit(const recorder *shape, const record_index *index, int32_t k) {
  int32_t first = k, last_frames = -1, last_rows = -1;
  size_t bytes = index->chunk[k].plain;
  for (; index->chunk[first - 1].type == RECORD_SAVE; first--)
    bytes += index->chunk[first - 1].plain;
  for (int32_t i = 0; i < first; i++) {
    const record_type type = index->chunk[i].type;
    if (type == RECORD_FRAM || type == RECORD_FLOW) last_frames = i;
    if (type == RECORD_STEP) last_rows = i;
  }
  if (last_frames < 0 || last_rows < last_frames) return RECORD_FIT_SHORT;
  const record_chunk *frames = &index->chunk[last_frames], *rows = &index->chunk[last_rows];
  const int64_t end = frames->first + ((int64_t)frames->count - 1)*shape->every;
  if (frames->count != shape->span || (int64_t)rows->first + rows->count - 1 != end)
    return RECORD_FIT_SHORT;
  return is_due(shape, index, first, index->chunk[first].byte, bytes) ? RECORD_FIT_REGULAR
                                                                      : RECORD_FIT_WHOLE;
}

// Writes the state into the recording, unless states would make up too much of it. *done: it was
// written.
static int save(recorder *what, int *done) {
  char message[512] = "";
  const record_index *index = record_written(what->writer);
  *done = 0;
  if (what->step == 0) return CODE_OK;   // the start is made again as fast as it is read
  if (!is_due(what, index, index->count, index->whole, what->state.length)) return CODE_OK;
  if (record_write_state(what->writer, (uint32_t)what->step, what->state.data, what->state.length,
                         recorder_part, message, sizeof message))
    return trouble(message);
  *done = 1;
  return CODE_OK;
}

// Writes the state into NAME.perp.state. If that fails, the run continues.
static void save_side(recorder *what) {
  char message[512] = "";
  const double start = progress_now();
  const int code = state_write(what, message, sizeof message);
  what->save_seconds = progress_now() - start;
  if (!code) what->side_step = what->step;
  else if (!what->side_failed++)
    warn("the state after step %lld was not saved: %s", (long long)what->step, message);
}

int recorder_keep(recorder *what, int64_t step, state_at where) {
  char message[512] = "";
  const int code = remember(what, step);
  if (code || !what->side) return code;
  if (where == STATE_IN_RECORDING) forget_side(what);
  else if (where == STATE_IN_TAIL && state_write(what, message, sizeof message))
    return fail(CODE_IO, "%s: the recording stays as it is", message);
  else what->side_step = step;
  return CODE_OK;
}

// ---- spans ----

// Writes the waiting frames and rows into the recording. They also stay in memory, because
// recorder_rescue() needs them if the disk is full.
static int write_span(recorder *what) {
  char message[512] = "";
  const film *f = &what->film;
  if ((f->frames(f->self) > 0 && f->write(f->self, what->writer, message, sizeof message)) ||
      (what->steps.rows > 0 &&
       record_write_steps(what->writer, &what->steps, what->times, message, sizeof message)))
    return trouble(message);
  return CODE_OK;
}

static int is_whole(const recorder *what) {
  return what->film.frames(what->film.self) >= (uint32_t)what->span;
}

// A whole span is written, with its state where one is due (*done), and the next one begins.
static int end_span(recorder *what, int *done) {
  const film *f = &what->film;
  *done = 0;
  int code = write_span(what);
  if (!code) code = save(what, done);
  if (code) return code;
  what->settled = record_written(what->writer)->count;
  what->frame_count += f->frames(f->self);
  f->clear(f->self, (uint32_t)(what->frame_count*what->every));
  record_steps_clear(&what->steps, what->steps.first + what->steps.rows);
  return CODE_OK;
}

int recorder_cut(recorder *what, int32_t chunks) {
  char message[512] = "";
  int done = 0;
  if (record_cut(what->writer, chunks, message, sizeof message)) return trouble(message);
  const int code = is_whole(what) ? end_span(what, &done) : CODE_OK;
  if (done) forget_side(what);
  return code;
}

// The row and the frame, and the span when it is whole. *done: with its state.
static int take_row(recorder *what, const recorder_row *row, int *done) {
  *done = 0;
  if (record_steps_add(&what->steps, row->value, row->seconds, row->trace, row->points))
    return trouble("out of memory for the statistics");
  int code = CODE_OK;
  if (row->step % what->every == 0) code = what->film.add(what->film.self, row->step);
  const int whole = is_whole(what);
  if (!code && (what->side || whole)) code = remember(what, row->step);
  return code || !whole ? code : end_span(what, done);
}

int recorder_step(recorder *what, const recorder_row *row) {
  if (!what->writer) return CODE_OK;
  const double now = progress_now(), step_seconds = now - what->stepped_at;
  int done;
  const int code = take_row(what, row, &done);
  if (done) {
    what->saved_at = now;
    forget_side(what);
  } else if (!code && what->side && row->step > 0 &&
             // one more step, and the state would be too old before it is written
             now - what->saved_at + step_seconds + what->save_seconds >= what->save_every) {
    save_side(what);
    what->saved_at = now;
  }
  what->stepped_at = progress_now();
  return code;
}

int64_t recorder_saved(const recorder *what) {
  if (!what->writer) return what->saved;
  const record_index *index = record_written(what->writer);
  int64_t step = what->side_step > 0 ? what->side_step : 0;
  for (int32_t k = 0; k < index->count; k++) {
    const record_chunk *chunk = &index->chunk[k];
    if (chunk->type == RECORD_SAVE && chunk->count == 0 && chunk->first > step)   // all of its parts
      step = chunk->first;
  }
  return step;
}

void recorder_rescue(recorder *what) {
  const int fits = (int64_t)what->steps.first + what->steps.rows == what->step + 1;
  if (what->side && fits && what->step > recorder_saved(what)) save_side(what);
}

// Behind a span that may not be whole: recorder_fit() knows it from the others.
static int save_last(recorder *what) {
  char message[512] = "";
  const record_index *index = record_written(what->writer);
  if (!what->side || what->step == 0 || index->chunk[index->count - 1].type == RECORD_SAVE)
    return CODE_OK;
  if (record_write_state(what->writer, (uint32_t)what->step, what->state.data, what->state.length,
                         recorder_part, message, sizeof message))
    return trouble(message);
  return CODE_OK;
}

int recorder_end(recorder *what, int complete, const char *reason, int64_t steps,
                 int64_t unsolved, double residual) {
  if (!what->writer) return CODE_OK;
  char message[512] = "";
  if (!complete) recorder_rescue(what);   // should the recording not take what follows
  int code = write_span(what);
  if (!code && !complete) code = save_last(what);
  if (!code) {
    const int64_t frames = what->frame_count + what->film.frames(what->film.self);
    json_t *last = recording_last_json(record_written(what->writer), complete, reason, frames,
                                       steps, unsolved, residual);
    char *text = json_dumps(last, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(last);
    if (!text) code = trouble("out of memory for the end of the recording");
    else if (record_write(what->writer, RECORD_LAST, 0, 0, text, strlen(text), message,
                          sizeof message))
      code = trouble(message);
    free(text);
  }
  if (code) recorder_rescue(what);
  what->saved = recorder_saved(what);
  const int closed = record_close(what->writer, message, sizeof message);
  what->writer = NULL;
  if (!code && closed) code = trouble(message);
  if (!code) forget_side(what);
  return code;
}
