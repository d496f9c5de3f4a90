// run_record.c: what perp run writes down while it runs: frames, statistics, states to resume from.
#include "run_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum {
  SPAN_MAX = 64,
  SPAN_BYTES = 1 << 24,        // of the states in a chunk of frames, about
  SPAN_ROWS = 1 << 16,         // of a chunk of statistics
  CONTACTS_MOST = 5000,        // of a frame, with --contacts auto
  CONTACTS_SPAN = 2000000,     // of all frames of a chunk: 100 MB
  SAVE_SHARE = 4               // a state is saved when the file grew by so many times its size
};

int64_t recorder_span(int32_t moving, int64_t every) {
  int64_t span = SPAN_BYTES/(4*RECORD_COMPONENTS*((int64_t)moving + 1));
  if (span > SPAN_MAX) span = SPAN_MAX;
  if (span > SPAN_ROWS/every) span = SPAN_ROWS/every;
  return span < 1 ? 1 : span;
}

static int trouble(const char *message) { return fail(CODE_IO, "%s", message); }

static int begin(const recording_head *about, const recorder *shape, recorder *out) {
  record_writer *writer = out->writer;
  *out = *shape;
  out->writer = writer;
  out->mover = malloc(((size_t)about->moving + 1)*sizeof *out->mover);
  if (!out->mover ||
      record_frames_create((uint32_t)about->moving, (uint32_t)shape->span, &out->frames) ||
      record_steps_create(RECORD_COLUMNS, (uint32_t)shape->span, &out->steps))
    return trouble("out of memory for the frames");
  memcpy(out->mover, about->mover, (size_t)about->moving*sizeof *out->mover);
  return CODE_OK;
}

int recorder_create(const char *path, const char *head, const recording_head *about,
                    const recorder *shape, recorder *out) {
  char message[512] = "";
  *out = (recorder){0};
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
  *out = (recorder){0};
  if (record_append(path, index, chunks, &out->writer, message, sizeof message))
    return trouble(message);
  const int code = begin(about, shape, out);
  if (code) return code;
  uint32_t rows = 0;
  for (int32_t k = 0; k < chunks; k++) {
    if (index->chunk[k].type == RECORD_FRAM) out->frame_count += index->chunk[k].count;
    if (index->chunk[k].type == RECORD_STEP) rows = index->chunk[k].first + index->chunk[k].count;
  }
  record_frames_clear(&out->frames, (uint32_t)(out->frame_count*out->every));
  record_steps_clear(&out->steps, rows);
  return CODE_OK;
}

void recorder_free(recorder *what) {
  record_close(what->writer, NULL, 0);
  record_frames_free(&what->frames);
  record_steps_free(&what->steps);
  free(what->mover);
  free(what->state.data);
  *what = (recorder){0};
}

void recorder_row(const perp_step *step, double row[RECORD_COLUMNS]) {
  const double values[RECORD_COLUMNS] = {
      (double)step->step, step->time, step->contacts, step->rows, step->islands, step->asleep,
      step->unsolved, step->worst_status, step->residual, step->iterations, step->factorizations,
      step->kinetic, step->potential, step->dissipated, step->penetration, step->unprojected,
      step->momentum[0], step->momentum[1], step->momentum[2], step->angular[0], step->angular[1],
      step->angular[2]};
  for (int c = 0; c < RECORD_COLUMNS; c++)   // a residual may be infinite, where there is no x
    row[c] = isfinite(values[c]) ? values[c] : values[c] < 0.0 ? -1e300 : 1e300;
}

void totals_add(run_totals *totals, const double row[RECORD_COLUMNS]) {
  const double energy = row[RECORD_COLUMN_kinetic] + row[RECORD_COLUMN_potential];
  if (row[RECORD_COLUMN_step] < 1.0) totals->energy_start = energy;
  else totals->steps++;
  // More than the tolerance of a certified step explains: Newton's restitution beside friction.
  const double gain = totals->dissipated - row[RECORD_COLUMN_dissipated];
  if (gain > 1e-8*(fabs(energy) + row[RECORD_COLUMN_kinetic] + fabs(totals->dissipated))) {
    totals->gains++;
    totals->gained += gain;
  }
  totals->energy = energy;
  totals->last_contacts = row[RECORD_COLUMN_contacts];
  totals->last_iterations = row[RECORD_COLUMN_iterations];
  totals->last_residual = row[RECORD_COLUMN_residual];
  totals->kinetic = row[RECORD_COLUMN_kinetic];
  totals->dissipated = row[RECORD_COLUMN_dissipated];
  totals->contacts += row[RECORD_COLUMN_contacts];
  totals->iterations += row[RECORD_COLUMN_iterations];
  totals->most_contacts = fmax(totals->most_contacts, row[RECORD_COLUMN_contacts]);
  totals->residual = fmax(totals->residual, row[RECORD_COLUMN_residual]);
  totals->penetration = fmax(totals->penetration, row[RECORD_COLUMN_penetration]);
  totals->unprojected += (int64_t)row[RECORD_COLUMN_unprojected];
  if (row[RECORD_COLUMN_unsolved] > 0.0 && totals->unsolved++ == 0)
    totals->first_unsolved = (int64_t)row[RECORD_COLUMN_step];
}

static int add_touches(recorder *what, const perp_world *world) {
  int32_t count;
  const perp_touch *touch = perp_world_touches(world, &count);
  record_frames *frames = &what->frames;
  if (what->contacts == CONTACTS_NONE ||
      (what->contacts == CONTACTS_AUTO && count > CONTACTS_MOST) ||
      frames->touch_count + (int64_t)count > CONTACTS_SPAN) {
    frames->touches[frames->frames - 1] = RECORD_NO_TOUCHES;
    return CODE_OK;
  }
  const double least = what->exact ? -1.0 : 0.0, narrow = what->exact ? -1.0 : what->quantum/256.0;
  for (int32_t i = 0; i < count; i++, touch++) {
    record_touch row = {.a = (uint32_t)touch->a, .b = (uint32_t)touch->b,
                        .flags = touch->solved ? 0 : RECORD_UNSOLVED,
                        .gap = record_round_bits(touch->gap, narrow)};
    for (int c = 0; c < 3; c++) {
      const double impulse = touch->normal_impulse*touch->normal[c] + touch->friction_impulse[c];
      row.point[c] = record_round(touch->point[c], what->quantum);
      row.normal[c] = record_round_bits(touch->normal[c], least);
      row.impulse[c] = record_round_bits(impulse, least);
    }
    if (record_frames_touch(frames, &row)) return trouble("out of memory for the contacts");
  }
  return CODE_OK;
}

static int add_frame(recorder *what, const perp_world *world, int64_t step) {
  const perp_motion *motion = perp_world_motions(world);
  record_frames *frames = &what->frames;
  const uint32_t f = frames->frames++;
  const double turn = what->exact ? 0.0 : 0x1p-15;
  const double slow = what->exact ? -1.0 : what->quantum, slow_turn = what->exact ? -1.0 : 0x1p-17;
  for (uint32_t i = 0; i < frames->bodies; i++) {
    const perp_motion *m = &motion[what->mover[i]];
    for (int c = 0; c < 3; c++) {
      record_frame(frames, c, f)[i] = record_round(m->position[c], what->quantum);
      record_frame(frames, 7 + c, f)[i] = record_round_bits(m->velocity[c], slow);
      record_frame(frames, 10 + c, f)[i] = record_round_bits(m->spin[c], slow_turn);
    }
    for (int c = 0; c < 4; c++)
      record_frame(frames, 3 + c, f)[i] = record_round(m->orientation[c], turn);
  }
  return step > 0 ? add_touches(what, world) : CODE_OK;
}

// The state after a whole span, unless the file would consist of states.
static int save(recorder *what, const perp_world *world, int64_t step) {
  char message[512] = "";
  const record_index *index = record_written(what->writer);
  size_t since = index->chunk[0].byte + RECORD_HEADER_BYTES + index->chunk[0].stored;
  for (int32_t k = 0; k < index->count; k++) {
    if (index->chunk[k].type == RECORD_SAVE)
      since = index->chunk[k].byte + RECORD_HEADER_BYTES + index->chunk[k].stored;
  }
  const size_t bytes = perp_world_save(world, NULL, 0);
  if (index->whole - since < SAVE_SHARE*bytes || bytes > RECORD_PLAIN_MAX) return CODE_OK;
  if (bytes > what->state.room) {
    unsigned char *room = realloc(what->state.data, bytes);
    if (!room) return trouble("out of memory for the state");
    what->state.data = room;
    what->state.room = bytes;
  }
  perp_world_save(world, what->state.data, bytes);
  if (record_write(what->writer, RECORD_SAVE, (uint32_t)step, 0, what->state.data, bytes, message,
                   sizeof message))
    return trouble(message);
  return CODE_OK;
}

static int flush(recorder *what) {
  char message[512] = "";
  what->frame_count += what->frames.frames;
  if ((what->frames.frames > 0 &&
       record_write_frames(what->writer, &what->frames, message, sizeof message)) ||
      (what->steps.rows > 0 &&
       record_write_steps(what->writer, &what->steps, what->times, message, sizeof message)))
    return trouble(message);
  record_frames_clear(&what->frames, (uint32_t)(what->frame_count*what->every));
  record_steps_clear(&what->steps, what->steps.first + what->steps.rows);
  return CODE_OK;
}

int recorder_step(recorder *what, const perp_world *world, const perp_step *step) {
  if (!what->writer) return CODE_OK;
  record_point trace[RECORD_TRACE_MAX];
  int32_t count = 0, points = 0;
  const perp_statistics *statistics = perp_world_trace(world, &count);
  for (; step->step > 0 && points < count && points < RECORD_TRACE_MAX; points++) {
    const double residual = statistics[points].residual;
    trace[points].iteration = (uint32_t)statistics[points].iteration;
    trace[points].residual =
        (float)(residual > 0.0 ? fmin(fmax(log10(residual), -99.0), 99.0) : -99.0);
  }
  double row[RECORD_COLUMNS];
  recorder_row(step, row);
  if (record_steps_add(&what->steps, row, step->seconds, trace, (uint32_t)points))
    return trouble("out of memory for the statistics");
  if (step->step % what->every != 0) return CODE_OK;
  int code = add_frame(what, world, step->step);
  if (code || what->frames.frames < (uint32_t)what->span) return code;
  code = flush(what);
  return code ? code : save(what, world, step->step);
}

int recorder_end(recorder *what, int complete, const char *reason, const run_totals *totals) {
  if (!what->writer) return CODE_OK;
  char message[512] = "";
  int code = flush(what);
  if (!code) {
    json_t *last = recording_last_json(record_written(what->writer), complete, reason,
                                       what->frame_count, totals->steps, totals->unsolved,
                                       totals->residual);
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
