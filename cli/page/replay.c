// replay.c: a recording as the player reads it.
//
// Positions are integers of 2 bytes, relative to the box of everything that moves, or of 3 bytes if
// the box is so large that rounding would be visible. Quaternions have 2 bytes per component. A
// frame is stored as its difference from the straight line through the two frames before it; under
// gravity that difference is small and nearly constant. Bytes of equal significance are stored
// together and compressed by zlib. An impulse has a direction of 2 bytes, on an octahedron, and 2
// bytes for the logarithm of its size.
//
// Two passes over the recording: the first finds the ranges, the second rounds.
#include "replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "replay_common.h"
#include "solve_settings.h"

// Steps of rounded numbers: of a component of a quaternion, each way; of a speed up to the largest;
// of the logarithm of an impulse.
enum { TURN_STEPS = 32767, SPEED_STEPS = 65535, STRENGTH_STEPS = 65000 };
// The largest step of rounded positions, relative to the smallest body, that is invisible.
static const double position_step_max = 1e-3;

typedef struct packer {
  const recording *what;
  const replay_settings *settings;
  int64_t frames, moving, contacts;
  double low[3], high[3], scale[3];    // the box, and the length of a step in it
  double top;                          // speed
  double weakest, strongest;           // impulses that are not 0
  int width;                           // bytes of a position
  uint32_t *position[3];               // frames x moving
  uint32_t *turn[4];                   // frames x moving; modulo 2^32
  uint32_t *speed;                     // frames x moving
  uint32_t *counts;                    // frames
  uint32_t *a, *b, *flags, *point[3], *direction[2], *strength;   // contacts
  record_steps steps;
  planes plain;
} packer;

// ------------------------------------------------------------------------------------------ ranges

static void widen(packer *p, const float at[3]) {
  for (int c = 0; c < 3; c++) {
    if (!isfinite(at[c])) continue;
    p->low[c] = fmin(p->low[c], (double)at[c]);
    p->high[c] = fmax(p->high[c], (double)at[c]);
  }
}

static double length(const float v[3]) {
  const double x = (double)v[0], y = (double)v[1], z = (double)v[2];
  return sqrt(x*x + y*y + z*z);
}

static void measure(packer *p, const record_frames *frames, uint32_t f, const record_touch *touch,
                    uint32_t touches) {
  const float *part[6];
  for (int c = 0; c < 3; c++) {
    part[c] = record_frame(frames, c, f);
    part[3 + c] = record_frame(frames, 7 + c, f);
  }
  for (uint32_t i = 0; i < frames->bodies; i++) {
    widen(p, (const float[3]){part[0][i], part[1][i], part[2][i]});
    const double speed = length((const float[3]){part[3][i], part[4][i], part[5][i]});
    if (isfinite(speed)) p->top = fmax(p->top, speed);
  }
  for (uint32_t k = 0; k < touches; k++) {
    widen(p, touch[k].point);
    const double size = length(touch[k].impulse);
    if (!(size > 0.0) || !isfinite(size)) continue;
    p->weakest = fmin(p->weakest, size);
    p->strongest = fmax(p->strongest, size);
  }
  p->contacts += touches;
}

// What the smallest body that moves measures, from its centre.
static double smallest(const recording_head *head) {
  double size = (double)INFINITY;
  for (int32_t m = 0; m < head->moving; m++) {
    const recording_body *body = &head->body[head->mover[m]];
    size = fmin(size, body->extent[0]);
    if (body->shape != 1) continue;
    size = fmin(size, fmin(body->extent[1], head->dimension == 2 ? size : body->extent[2]));
  }
  return size;
}

static void choose_scales(packer *p) {
  double side = 0.0;
  for (int c = 0; c < 3; c++) {
    if (!(p->low[c] <= p->high[c])) p->low[c] = p->high[c] = 0.0;
    side = fmax(side, p->high[c] - p->low[c]);
  }
  p->width = side/65535.0 <= position_step_max*smallest(&p->what->head) ? 2 : 3;
  const double words = p->width == 2 ? 65535.0 : 16777215.0;
  for (int c = 0; c < 3; c++) {
    const double range = p->high[c] - p->low[c];
    p->scale[c] = (range > 0.0 ? range : 1.0)/words;
  }
  if (!(p->weakest <= p->strongest)) p->weakest = p->strongest = 1.0;
  if (!(p->top > 0.0)) p->top = 1.0;
}

// ---------------------------------------------------------------------------------------- rounding

static uint32_t rounded(double value, double most) {
  if (!(value > 0.0)) return 0;   // nor NaN
  return (uint32_t)(fmin(value, most) + 0.5);
}

static uint32_t place(const packer *p, int c, float value) {
  return rounded(((double)value - p->low[c])/p->scale[c], p->width == 2 ? 65535.0 : 16777215.0);
}

// q and -q are one orientation: the one nearer to the frame before is taken.
static void round_turn(packer *p, const record_frames *frames, uint32_t f, size_t at, size_t i) {
  double q[4], sign = 1.0, match = 0.0;
  for (int c = 0; c < 4; c++) {
    q[c] = (double)record_frame(frames, 3 + c, f)[i];
    if (!(fabs(q[c]) <= 1.0)) q[c] = q[c] > 1.0;
    if (at >= (size_t)p->moving) match += q[c]*(int32_t)p->turn[c][at - (size_t)p->moving];
  }
  if (match < 0.0) sign = -1.0;
  for (int c = 0; c < 4; c++) p->turn[c][at] = (uint32_t)lrint(sign*q[c]*TURN_STEPS);
}

// The octahedron |x| + |y| + |z| = 1; the half with z < 0 is folded outwards.
static void round_direction(const float v[3], uint32_t out[2]) {
  const double sum = fabs((double)v[0]) + fabs((double)v[1]) + fabs((double)v[2]);
  double x = 0.0, y = 0.0;
  if (sum > 0.0 && isfinite(sum)) {
    x = (double)v[0]/sum;
    y = (double)v[1]/sum;
    if (v[2] < 0.0f) {
      const double old = x;
      x = copysign(1.0 - fabs(y), x);
      y = copysign(1.0 - fabs(old), y);
    }
  }
  out[0] = rounded((x + 1.0)*127.5, 255.0);
  out[1] = rounded((y + 1.0)*127.5, 255.0);
}

static double strength_step(const packer *p) {
  const double range = log2(p->strongest/p->weakest);
  return range > 0.0 ? range/STRENGTH_STEPS : 1.0;
}

static uint32_t round_strength(const packer *p, const float impulse[3]) {
  const double size = length(impulse);
  if (!(size > 0.0) || !isfinite(size)) return 0;
  return 1 + rounded(log2(size/p->weakest)/strength_step(p), (double)STRENGTH_STEPS);
}

static void round_frame(packer *p, const record_frames *frames, uint32_t f, size_t frame) {
  const float *velocity[3];
  for (int c = 0; c < 3; c++) velocity[c] = record_frame(frames, 7 + c, f);
  for (uint32_t i = 0; i < frames->bodies; i++) {
    const size_t at = frame*(size_t)p->moving + i;
    for (int c = 0; c < 3; c++)
      p->position[c][at] = place(p, c, record_frame(frames, c, f)[i]);
    round_turn(p, frames, f, at, i);
    const float v[3] = {velocity[0][i], velocity[1][i], velocity[2][i]};
    p->speed[at] = rounded(length(v)/p->top*SPEED_STEPS, SPEED_STEPS);
  }
}

static void round_touch(packer *p, const record_touch *touch, size_t k) {
  uint32_t direction[2];
  round_direction(touch->impulse, direction);
  p->a[k] = touch->a;
  p->b[k] = touch->b;
  p->flags[k] = touch->flags & 255;
  for (int c = 0; c < 3; c++) p->point[c][k] = place(p, c, touch->point[c]);
  for (int c = 0; c < 2; c++) p->direction[c][k] = direction[c];
  p->strength[k] = round_strength(p, touch->impulse);
}

// ------------------------------------------------------------------------------------------ passes

// Goes over the frames that are taken; `second` says which pass it is.
static int pass(packer *p, int second) {
  const recording *what = p->what;
  int64_t recorded = 0;
  size_t frame = 0, contact = 0;
  int code = CODE_OK;
  for (int32_t k = 0; k < what->index.count && !code; k++) {
    if (what->index.chunk[k].type != RECORD_FRAM) continue;
    record_frames frames = {0};
    code = recording_frames(what, k, &frames);
    const record_touch *touch = frames.touch;
    for (uint32_t f = 0; f < frames.frames && recorded < what->frames && !code; f++, recorded++) {
      const int known = frames.touches[f] != RECORD_NO_TOUCHES;
      const uint32_t touches = known ? frames.touches[f] : 0;
      if (recorded % p->settings->every == 0) {
        const uint32_t taken = p->settings->contacts ? touches : 0;
        if (!second) measure(p, &frames, f, touch, taken);
        if (second) {
          round_frame(p, &frames, f, frame);
          for (uint32_t t = 0; t < taken; t++) round_touch(p, &touch[t], contact++);
          p->counts[frame] = known && p->settings->contacts ? touches : RECORD_NO_TOUCHES;
        }
        frame++;
      }
      touch += touches;
    }
    record_frames_free(&frames);
  }
  p->frames = (int64_t)frame;
  return code;
}

static void *take(packer *p, size_t count) { return replay_take(&p->plain, count); }

static int out_of_memory(const packer *p) {
  return fail(CODE_IO, "%s: out of memory for %lld frames of %lld bodies; try --every 10",
              p->what->path, (long long)p->frames, (long long)p->moving);
}

static int allocate(packer *p) {
  const size_t states = (size_t)p->frames*(size_t)p->moving, contacts = (size_t)p->contacts;
  for (int c = 0; c < 3; c++) p->position[c] = take(p, states);
  for (int c = 0; c < 4; c++) p->turn[c] = take(p, states);
  p->speed = take(p, states);
  p->counts = take(p, (size_t)p->frames);
  p->a = take(p, contacts);
  p->b = take(p, contacts);
  p->flags = take(p, contacts);
  for (int c = 0; c < 3; c++) p->point[c] = take(p, contacts);
  for (int c = 0; c < 2; c++) p->direction[c] = take(p, contacts);
  p->strength = take(p, contacts);
  return p->plain.failed ? out_of_memory(p) : CODE_OK;
}

static void release(packer *p) {
  for (int c = 0; c < 3; c++) free(p->position[c]);
  for (int c = 0; c < 4; c++) free(p->turn[c]);
  for (int c = 0; c < 3; c++) free(p->point[c]);
  for (int c = 0; c < 2; c++) free(p->direction[c]);
  free(p->speed);
  free(p->counts);
  free(p->a);
  free(p->b);
  free(p->flags);
  free(p->strength);
  planes_free(&p->plain);
  record_steps_free(&p->steps);
}

// What the player shows of a step.
static const uint32_t column[] = {
    RECORD_COLUMN_step, RECORD_COLUMN_time, RECORD_COLUMN_contacts, RECORD_COLUMN_rows,
    RECORD_COLUMN_islands, RECORD_COLUMN_asleep, RECORD_COLUMN_unsolved, RECORD_COLUMN_residual,
    RECORD_COLUMN_iterations, RECORD_COLUMN_kinetic, RECORD_COLUMN_potential};
enum { COLUMNS = sizeof column/sizeof *column };

static json_t *describe(const packer *p) {
  json_t *meta = replay_describe(p->what, p->settings, &p->steps, column, COLUMNS);
  json_object_set_new(meta, "frames", json_integer(p->frames));
  json_object_set_new(meta, "moving", json_integer(p->moving));
  json_object_set_new(meta, "size", json_integer(p->width));
  json_t *box = json_numbers(p->low, 3);
  for (int c = 0; c < 3; c++) json_array_append_new(box, json_number(p->scale[c]));
  json_object_set_new(meta, "box", box);
  json_object_set_new(meta, "speed", json_number(p->top/SPEED_STEPS));
  json_object_set_new(meta, "contacts", json_integer(p->contacts));
  const double strength[2] = {log2(p->weakest), strength_step(p)};
  json_object_set_new(meta, "strength", json_numbers(strength, 2));
  return meta;
}

// -------------------------------------------------------------------------------------------- all

static int encode(packer *p, replay *out) {
  planes *plain = &p->plain;
  const size_t frames = (size_t)p->frames, moving = (size_t)p->moving;
  const size_t contacts = (size_t)p->contacts;
  replay_preface(plain, describe(p));
  for (int c = 0; c < 3; c++) planes_motion(plain, p->position[c], frames, moving, p->width, 2);
  for (int c = 0; c < 4; c++) planes_motion(plain, p->turn[c], frames, moving, 2, 2);
  planes_motion(plain, p->speed, frames, moving, 2, 1);
  planes_words(plain, p->counts, frames, 4);
  planes_chain(plain, p->a, contacts);
  planes_chain(plain, p->b, contacts);
  planes_words(plain, p->flags, contacts, 1);
  for (int c = 0; c < 3; c++) planes_words(plain, p->point[c], contacts, p->width);
  for (int c = 0; c < 2; c++) planes_words(plain, p->direction[c], contacts, 1);
  planes_words(plain, p->strength, contacts, 2);
  replay_steps(plain, &p->steps, column, COLUMNS);
  out->text = planes_text(plain, &out->length, settings_threads());
  return out->text ? CODE_OK : out_of_memory(p);
}

int replay_make(const recording *what, const replay_settings *settings, replay *out) {
  const double inf = (double)INFINITY;
  packer p = {.what = what, .settings = settings, .moving = what->head.moving,
              .low = {inf, inf, inf}, .high = {-inf, -inf, -inf}, .weakest = inf,
              .strongest = -inf};
  int times;
  *out = (replay){0};
  if (what->head.fluid) return replay_liquid(what, settings, out);
  int code = pass(&p, 0);
  if (!code) choose_scales(&p);
  if (!code) code = recording_statistics(what, &p.steps, &times);
  if (!code) code = allocate(&p);
  if (!code) code = pass(&p, 1);
  if (!code) {
    out->frames = p.frames;
    out->bodies = what->head.bodies;
    out->contacts = p.contacts;
    out->steps = p.steps.rows > 0 ? (int64_t)p.steps.rows - 1 : 0;
    out->unsolved = replay_unsolved(&p.steps, RECORD_COLUMN_unsolved);
    code = encode(&p, out);
  }
  release(&p);
  return code;
}

void replay_free(replay *what) {
  free(what->text);
  *what = (replay){0};
}
