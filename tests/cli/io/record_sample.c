// record_sample.c: writes a recording of an analytic motion: 15 spheres that swing in a bowl, with
// contacts and statistics. For tests of what reads recordings:
// record_sample FILE [FRAMES [cut|EVERY]].
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_json.h"

enum { SPHERES = 15, SPAN = 64 };
static const double pi = 3.141592653589793, dt = 1.0/60.0, bowl = 5.0;

static double radius_of(int i) { return 0.7 + 0.5*i/(SPHERES - 1.0); }
static double angle_of(int i) { return 2.0*pi*i/SPHERES; }

// A pendulum in the bowl, in a vertical plane of its own.
static void state_of(int i, double t, double state[RECORD_COMPONENTS]) {
  const double length = bowl - radius_of(i), rate = sqrt(9.81/length);
  const double swing = 0.6 + 0.4*cos(rate*t), speed = -0.4*rate*sin(rate*t);
  const double c = cos(angle_of(i)), s = sin(angle_of(i)), turn = -length*swing/radius_of(i);
  const double values[RECORD_COMPONENTS] = {
      length*sin(swing)*c, -length*cos(swing), length*sin(swing)*s,
      cos(turn/2.0), -s*sin(turn/2.0), 0.0, c*sin(turn/2.0),
      length*cos(swing)*speed*c, length*sin(swing)*speed, length*cos(swing)*speed*s,
      s*length*speed/radius_of(i), 0.0, -c*length*speed/radius_of(i)};
  memcpy(state, values, sizeof values);
}

static json_t *make_head(int64_t steps, int64_t every) {
  static recording_body body[SPHERES + 1];
  static const char *materials[] = {"ball", NULL}, *groups[] = {"bowl", "sphere", NULL};
  body[0] = (recording_body){.shape = 3, .fixed = 1, .extent = {bowl, 0, 0},
                             .orientation = {1, 0, 0, 0}};
  for (int i = 0; i < SPHERES; i++) {
    const double r = radius_of(i);
    double state[RECORD_COMPONENTS];
    state_of(i, 0.0, state);
    body[i + 1] = (recording_body){.group = 1, .extent = {r, 0, 0}, .mass = r*r*r};
    memcpy(body[i + 1].position, state, 3*sizeof *state);
    memcpy(body[i + 1].orientation, state + 3, 4*sizeof *state);
  }
  json_t *arguments = json_array(), *parameters = json_object();
  const recording_head head = {
      .scene = "sample", .title = "spheres that swing in a bowl", .command = "record_sample",
      .version = "0.0.0", .method = "none", .model = "friction", .seed = "0", .dt = dt,
      .tol = 1e-8, .dimension = 3, .steps = steps, .every = every, .span = SPAN,
      .gravity = {0, -9.81, 0}, .radius = bowl, .bodies = SPHERES + 1, .moving = SPHERES,
      .body = body, .materials = materials, .groups = groups, .arguments = arguments,
      .parameters = parameters};
  json_t *object = recording_head_json(&head);
  json_decref(arguments);
  json_decref(parameters);
  return object;
}

static void add_frame(record_frames *frames, double t) {
  const uint32_t f = frames->frames++;
  for (int i = 0; i < SPHERES; i++) {
    double state[RECORD_COMPONENTS];
    state_of(i, t, state);
    for (int c = 0; c < RECORD_COMPONENTS; c++)
      record_frame(frames, c, f)[i] = c < 3   ? record_round(state[c], record_quantum(0.7))
                                      : c < 7 ? record_round(state[c], 0x1p-15)
                                              : record_round_bits(state[c], 0.0);
    if (t <= 0.0) continue;
    const double r = radius_of(i), push = r*r*r*9.81*dt, out = r/(bowl - r);
    record_touch touch = {.a = 0, .b = (uint32_t)i + 1, .gap = -1e-6f,
                          .flags = i == 3 && f % 50 == 7 ? RECORD_UNSOLVED : 0};
    for (int c = 0; c < 3; c++) {
      touch.point[c] = record_round(state[c]*(1.0 + out), record_quantum(0.7));
      touch.normal[c] = record_round_bits(state[c]/(bowl - r), 0.0);
      touch.impulse[c] = record_round_bits(push*state[c]/(bowl - r), 0.0);
    }
    record_frames_touch(frames, &touch);
  }
}

static void add_row(record_steps *steps, double step) {
  double row[RECORD_COLUMNS] = {step, step*dt};
  record_point trace[8];
  const int points = step > 0.0 ? 3 + (int)step % 6 : 0;
  for (int i = 0; i < SPHERES; i++) {
    double s[RECORD_COMPONENTS];
    state_of(i, step*dt, s);
    const double r = radius_of(i), m = r*r*r;
    row[RECORD_COLUMN_kinetic] += 0.5*m*(s[7]*s[7] + s[8]*s[8] + s[9]*s[9]);
    row[RECORD_COLUMN_potential] += 9.81*m*s[1];
    for (int c = 0; c < 3; c++) row[RECORD_COLUMN_px + c] += m*s[7 + c];
  }
  for (int k = 0; k < points; k++)
    trace[k] = (record_point){(uint32_t)k, (float)(-8.5*k/(points - 1.0))};
  if (points > 0) {
    row[RECORD_COLUMN_contacts] = row[RECORD_COLUMN_islands] = SPHERES;
    row[RECORD_COLUMN_rows] = 6*SPHERES;
    row[RECORD_COLUMN_iterations] = points - 1;
    row[RECORD_COLUMN_unsolved] = (int)step % 64 % 50 == 7;
    row[RECORD_COLUMN_status] = row[RECORD_COLUMN_unsolved] > 0.0 ? 2 : 1;
    row[RECORD_COLUMN_residual] = row[RECORD_COLUMN_unsolved] > 0.0 ? 1e-4 : 3e-9;
    row[RECORD_COLUMN_penetration] = 1e-6;
  }
  record_steps_add(steps, row, 0.001, trace, (uint32_t)points);
}

int main(int count, char **argument) {
  char message[512] = "";
  const int64_t total = count > 2 ? strtol(argument[2], NULL, 10) : 300;
  const int cut = count > 3 && !strcmp(argument[3], "cut");
  const int64_t every = count > 3 && !cut ? strtol(argument[3], NULL, 10) : 1;   // steps a frame
  record_writer *writer = NULL;
  record_frames frames = {0};
  record_steps steps = {0};
  int code = count < 2 ? RECORD_IO : record_create(argument[1], &writer, message, sizeof message);
  if (!code) code = write_json(writer, RECORD_HEAD, make_head((total - 1)*every, every), message);
  if (!code) code = record_frames_create(SPHERES, SPAN, &frames);
  if (!code) code = record_steps_create(RECORD_COLUMNS, (uint32_t)(SPAN*every), &steps);
  for (int64_t k = 0; k < total && !code; k++) {
    add_frame(&frames, dt*(double)(k*every));
    for (int64_t r = k ? (k - 1)*every + 1 : 0; r <= k*every; r++) add_row(&steps, (double)r);
    if (frames.frames < SPAN && k < total - 1) continue;
    code = record_write_frames(writer, &frames, message, sizeof message);
    if (!code) code = record_write_steps(writer, &steps, 0, message, sizeof message);
    record_frames_clear(&frames, (uint32_t)((k + 1)*every));
    record_steps_clear(&steps, (uint32_t)(k*every + 1));
  }
  if (!code && !cut) {
    json_t *last = recording_last_json(record_written(writer), 1, "finished", total,
                                       (total - 1)*every, 0,
                                       1e-4);
    code = write_json(writer, RECORD_LAST, last, message);
  }
  record_frames_free(&frames);
  record_steps_free(&steps);
  if (writer && record_close(writer, message, sizeof message)) code = RECORD_IO;
  if (code) fprintf(stderr, "record_sample: %s\n", *message ? message : "FILE is missing");
  return code;
}
