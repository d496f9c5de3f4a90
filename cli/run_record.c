// run_record.c: what perp run writes down while it runs: frames, statistics, states to resume from.
#include "run_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum {
  SPAN_MAX = 64,
  SPAN_BYTES = 1 << 24,        // of a chunk of frames, about
  SPAN_ROWS = 1 << 16          // of a chunk of statistics
};

int64_t recorder_span(double bytes, int64_t every) {
  int64_t span = bytes > 0.0 && bytes < SPAN_BYTES ? (int64_t)(SPAN_BYTES/bytes) : 1;
  if (span > SPAN_MAX) span = SPAN_MAX;
  if (span > SPAN_ROWS/every) span = SPAN_ROWS/every;
  return span < 1 ? 1 : span;
}

size_t recorder_part = RECORD_PLAIN_MAX;

static int trouble(const char *message) { return fail(CODE_IO, "%s", message); }

static int begin(const recording_head *about, const recorder *shape, recorder *out) {
  const char *const *names;
  const uint32_t columns = recording_columns(about, &names);
  if (record_steps_create(columns, (uint32_t)shape->span, &out->steps))
    return trouble("out of memory for the statistics");
  return CODE_OK;
}

int recorder_create(const char *path, const char *head, const recording_head *about,
                    const recorder *shape, recorder *out) {
  char message[512] = "";
  *out = *shape;
  if (record_create(path, &out->writer, message, sizeof message)) return trouble(message);
  const int code = begin(about, shape, out);
  if (code) return code;
  if (record_write(out->writer, RECORD_HEAD, 0, 0, head, strlen(head), message, sizeof message))
    return trouble(message);
  return CODE_OK;
}

int recorder_append(const char *path, const record_index *index, int32_t chunks,
                    const recording_head *about, const recorder *shape, recorder *out) {
  char message[512] = "";
  *out = *shape;
  if (record_append(path, index, chunks, &out->writer, message, sizeof message))
    return trouble(message);
  const int code = begin(about, shape, out);
  if (code) return code;
  uint32_t rows = 0;
  for (int32_t k = 0; k < chunks; k++) {
    const record_chunk *chunk = &index->chunk[k];
    if (chunk->type == RECORD_FRAM || chunk->type == RECORD_FLOW) out->frame_count += chunk->count;
    if (chunk->type == RECORD_STEP) rows = chunk->first + chunk->count;
  }
  out->film.clear(out->film.self, (uint32_t)(out->frame_count*out->every));
  record_steps_clear(&out->steps, rows);
  return CODE_OK;
}

void recorder_free(recorder *what) {
  record_close(what->writer, NULL, 0);
  if (what->film.self) what->film.destroy(what->film.self);
  record_steps_free(&what->steps);
  free(what->state.data);
  *what = (recorder){0};
}

// The state after a whole span, unless the file would consist of states.
static int save(recorder *what, int64_t step) {
  char message[512] = "";
  if (step == 0) return CODE_OK;   // the start is made again as fast as it is read
  const record_index *index = record_written(what->writer);
  size_t since = index->chunk[0].byte + RECORD_HEADER_BYTES + index->chunk[0].stored;
  for (int32_t k = 0; k < index->count; k++) {
    if (index->chunk[k].type == RECORD_SAVE)
      since = index->chunk[k].byte + RECORD_HEADER_BYTES + index->chunk[k].stored;
  }
  const size_t bytes = what->film.save(what->film.self, NULL, 0);
  if (index->whole - since < what->film.share*bytes) return CODE_OK;
  if (bytes > what->state.room) {
    unsigned char *room = realloc(what->state.data, bytes);
    if (!room) return trouble("out of memory for the state");
    what->state.data = room;
    what->state.room = bytes;
  }
  what->film.save(what->film.self, what->state.data, bytes);
  if (record_write_state(what->writer, (uint32_t)step, what->state.data, bytes, recorder_part,
                         message, sizeof message))
    return trouble(message);
  return CODE_OK;
}

static int flush(recorder *what) {
  char message[512] = "";
  const film *f = &what->film;
  const uint32_t frames = f->frames(f->self);
  what->frame_count += frames;
  if ((frames > 0 && f->write(f->self, what->writer, message, sizeof message)) ||
      (what->steps.rows > 0 &&
       record_write_steps(what->writer, &what->steps, what->times, message, sizeof message)))
    return trouble(message);
  f->clear(f->self, (uint32_t)(what->frame_count*what->every));
  record_steps_clear(&what->steps, what->steps.first + what->steps.rows);
  return CODE_OK;
}

int recorder_step(recorder *what, const recorder_row *row) {
  if (!what->writer) return CODE_OK;
  if (record_steps_add(&what->steps, row->value, row->seconds, row->trace, row->points))
    return trouble("out of memory for the statistics");
  if (row->step % what->every != 0) return CODE_OK;
  int code = what->film.add(what->film.self, row->step);
  if (code || what->film.frames(what->film.self) < (uint32_t)what->span) return code;
  code = flush(what);
  return code ? code : save(what, row->step);
}

int64_t recorder_saved(const recorder *what) {
  const record_index *index = what->writer ? record_written(what->writer) : NULL;
  int64_t step = 0;
  for (int32_t k = 0; index && k < index->count; k++) {
    if (index->chunk[k].type == RECORD_SAVE && index->chunk[k].count == 0)   // all of its parts
      step = index->chunk[k].first;
  }
  return step;
}

int recorder_end(recorder *what, int complete, const char *reason, int64_t steps,
                 int64_t unsolved, double residual) {
  if (!what->writer) return CODE_OK;
  char message[512] = "";
  int code = flush(what);
  if (!code) {
    json_t *last = recording_last_json(record_written(what->writer), complete, reason,
                                       what->frame_count, steps, unsolved, residual);
    char *text = json_dumps(last, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(last);
    if (!text) code = trouble("out of memory for the end of the recording");
    else if (record_write(what->writer, RECORD_LAST, 0, 0, text, strlen(text), message,
                          sizeof message))
      code = trouble(message);
    free(text);
  }
  const int closed = record_close(what->writer, message, sizeof message);
  what->writer = NULL;
  return code ? code : closed ? trouble(message) : CODE_OK;
}
