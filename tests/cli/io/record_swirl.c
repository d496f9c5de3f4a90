// record_swirl.c: writes a recording of an analytic flow: liquid that swirls in a round tank about
// a disc that moves, the faster the closer to the middle. For tests of what reads recordings:
// record_swirl FILE [FRAMES [DIMENSION [CELLS [cut]]]].
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/gallery.h>

#include "record_json.h"

enum { SPAN = 32 };
static const double pi = 3.141592653589793, dt = 1.0/60.0, tank = 0.45, disc = 0.06, rho = 1000.0;
static int32_t dimension = 2, cells[3] = {100, 100, 1};
static double h;

static double rate_of(double r) { return 3.0/(1.0 + 10.0*r*r); }   // 1/s, of the angle

// The liquid was the lower half of the tank: the height above it of what is now at (x, y).
static double height_of(double x, double y, double t) {
  const double r = hypot(x - 0.5, y - 0.5), turn = -rate_of(r)*t;
  return (x - 0.5)*sin(turn) + (y - 0.5)*cos(turn);
}
static void disc_at(double t, double at[3]) {
  at[0] = 0.5 + 0.1*cos(t);
  at[1] = 0.5 + 0.1*sin(t);
  at[2] = dimension == 3 ? 0.5 : 0.0;
}
// Negative inside of the liquid.
static double surface_of(double x, double y, double t) {
  double at[3];
  disc_at(t, at);
  return fmax(height_of(x, y, t), disc - hypot(x - at[0], y - at[1]));
}
static double pressure_of(double x, double y) { return rho*9.81*(0.7 - y) + 500.0*(x - 0.5); }
static int is_solid(double x, double y, double t) {
  double at[3];
  disc_at(t, at);
  return hypot(x - 0.5, y - 0.5) > tank || hypot(x - at[0], y - at[1]) < disc;
}

static json_t *make_head(int64_t steps, int32_t fine) {
  static recording_body body[2];
  static const char *materials[] = {"wall", NULL}, *groups[] = {"tank", "disc", NULL};
  const double middle = dimension == 3 ? 0.5 : 0.0;
  body[0] = (recording_body){.shape = 3, .fixed = 1, .extent = {tank, 0, 0},
                             .position = {0.5, 0.5, middle}, .orientation = {1, 0, 0, 0}};
  body[1] = (recording_body){.shape = 0, .group = 1, .extent = {disc, 0, 0},
                             .orientation = {1, 0, 0, 0}};
  disc_at(0.0, body[1].position);
  json_t *arguments = json_array(), *parameters = json_object();
  const recording_head head = {
      .fluid = 1, .scene = "swirl-sample", .title = "liquid that swirls in a tank",
      .command = "record_swirl", .version = "0.0.0", .method = "none", .seed = "0", .dt = dt,
      .liquid = {.cells = {cells[0], cells[1], cells[2]}, .spacing = h, .density = rho,
                 .flip = 0.97, .walls = "separating", .transfer = "flip", .keep = "all",
                 .fields = RECORD_TYPES_OF_CELLS | RECORD_SURFACE | RECORD_PRESSURE,
                 .fine = fine},
      .tol = 1e-8, .dimension = dimension, .steps = steps, .every = 1, .span = SPAN,
      .gravity = {0, -9.81, 0}, .center = {0.5, 0.5, middle}, .radius = 0.5, .bodies = 2,
      .moving = 1, .body = body, .materials = materials, .groups = groups,
      .arguments = arguments, .parameters = parameters};
  json_t *object = recording_head_json(&head);
  json_decref(arguments);
  json_decref(parameters);
  return object;
}

// Two particles per cell and direction, each shifted at random, turned with the flow.
static int64_t make_particles(double t, double *x[3], double *v[3]) {
  const int32_t fill[3] = {2*cells[0], 2*cells[1], dimension == 3 ? 2*cells[2] : 1};
  int64_t count = 0;
  uint64_t draw = 0;
  for (int32_t k = 0; k < fill[2]; k++) {
    for (int32_t j = 0; j < fill[1]; j++) {
      for (int32_t i = 0; i < fill[0]; i++) {
        double at[3], now[3];
        const int32_t corner[3] = {i, j, k};
        for (int c = 0; c < 3; c++)
          at[c] = 0.5*h*(corner[c] + perp_random_uniform(1, draw++));
        const double r = hypot(at[0] - 0.5, at[1] - 0.5), turn = rate_of(r)*t;
        if (r > tank || at[1] > 0.5) continue;
        now[0] = 0.5 + (at[0] - 0.5)*cos(turn) - (at[1] - 0.5)*sin(turn);
        now[1] = 0.5 + (at[0] - 0.5)*sin(turn) + (at[1] - 0.5)*cos(turn);
        now[2] = at[2];
        if (is_solid(now[0], now[1], t)) continue;
        const double speed[3] = {-rate_of(r)*(now[1] - 0.5), rate_of(r)*(now[0] - 0.5), 0.0};
        for (int c = 0; c < dimension; c++) {
          x[c][count] = now[c];
          v[c][count] = speed[c];
        }
        count++;
      }
    }
  }
  return count;
}

static void add_fields(record_grid *grid, double t) {
  const size_t count = record_grid_cells(grid);
  uint8_t *type = calloc(2*count, 1), *separating = type ? type + count : NULL;
  double *surface = calloc(2*count, sizeof *surface), *pressure = surface ? surface + count : NULL;
  for (size_t i = 0; i < count && type && surface; i++) {
    const double x = (0.5 + (double)(i % (size_t)cells[0]))*h;
    const double y = (0.5 + (double)(i/(size_t)cells[0] % (size_t)cells[1]))*h;
    surface[i] = surface_of(x, y, t);
    type[i] = is_solid(x, y, t) ? PERP_CELL_SOLID
              : surface[i] < 0.0 ? PERP_CELL_LIQUID : PERP_CELL_AIR;
    if (type[i] != PERP_CELL_LIQUID) continue;
    separating[i] = y > 0.6 && hypot(x - 0.5, y - 0.5) > tank - h;
    pressure[i] = separating[i] ? 0.0 : pressure_of(x, y);
  }
  if (type && surface) record_grid_add(grid, type, separating, surface, h, pressure);
  free(type);
  free(surface);
}

static int add_frame(record_flow *flow, record_grid *grid, double t, double *x[3], double *v[3],
                     int64_t *count) {
  double at[3];
  disc_at(t, at);
  for (int c = 0; c < RECORD_POSE; c++)
    record_pose(flow, c, flow->frames)[0] = c < 3 ? (float)at[c] : (float)(c == 3);
  *count = make_particles(t, x, v);
  add_fields(grid, t);
  return record_flow_add(flow, *count, (const double *const *)x, (const double *const *)v, h, NULL);
}

static void add_row(record_steps *steps, int64_t step, int64_t count, double *const v[3]) {
  double row[RECORD_COLUMNS_MAX] = {0};
  const double volume = 0.5*pi*tank*tank*(dimension == 3 ? 1.0 : h);
  row[RECORD_FLUID_step] = (double)step;
  row[RECORD_FLUID_time] = dt*(double)step;
  row[RECORD_FLUID_particles] = (double)count;
  row[RECORD_FLUID_poured] = volume;
  row[RECORD_FLUID_volume] = volume*(1.0 + 0.01*sin(0.1*(double)step));
  for (int64_t i = 0; i < count; i++)
    for (int c = 0; c < dimension; c++) {
      row[RECORD_FLUID_kinetic] += 0.5*rho*volume/(double)count*v[c][i]*v[c][i];
      row[RECORD_FLUID_px + c] += rho*volume/(double)count*v[c][i];
    }
  row[RECORD_FLUID_potential] = 10.0 + 5.0*cos(0.05*(double)step);
  if (step > 0) {
    row[RECORD_FLUID_substeps] = 1.0 + (double)(step % 3);
    row[RECORD_FLUID_liquid] = 3000.0;
    row[RECORD_FLUID_complementary] = 120.0;
    row[RECORD_FLUID_separating] = (double)(step % 40);
    row[RECORD_FLUID_components] = 1.0;
    row[RECORD_FLUID_unsolved] = step % 100 == 57;
    row[RECORD_FLUID_solved] = row[RECORD_FLUID_substeps] - row[RECORD_FLUID_unsolved];
    row[RECORD_FLUID_status] = row[RECORD_FLUID_unsolved] > 0.0 ? 2 : 1;
    row[RECORD_FLUID_residual] = row[RECORD_FLUID_unsolved] > 0.0 ? 1e-4 : 3e-9;
    row[RECORD_FLUID_newton] = 3.0 + (double)(step % 5);
    row[RECORD_FLUID_inner] = 12.0 + (double)(step % 7);
    row[RECORD_FLUID_divergence] = 1e-7;
    row[RECORD_FLUID_courant] = 1.2;
  }
  record_steps_add(steps, row, 0.001, NULL, 0);
}

int main(int count, char **argument) {
  char message[512] = "";
  const int64_t total = count > 2 ? strtol(argument[2], NULL, 10) : 100;
  if (count > 3) dimension = (int32_t)strtol(argument[3], NULL, 10);
  const int32_t n = count > 4 ? (int32_t)strtol(argument[4], NULL, 10) : dimension == 3 ? 32 : 100;
  const int cut = count > 5 && !strcmp(argument[5], "cut");
  if (count < 2 || n < 8 || dimension < 2 || dimension > 3) return RECORD_IO;
  cells[0] = cells[1] = n;
  cells[2] = dimension == 3 ? n : 1;
  h = 1.0/n;
  record_writer *writer = NULL;
  record_flow flow = {0}, like = {.bodies = 1, .dimension = dimension,
                                  .cells = {cells[0], cells[1], cells[2]},
                                  .fine = record_fine(cells, 64)};
  record_grid grid = {0};
  record_steps steps = {0};
  double *x[3] = {0}, *v[3] = {0};
  const size_t room = 8*(size_t)n*(size_t)n*(size_t)cells[2];
  for (int c = 0; c < dimension; c++) {
    x[c] = calloc(room, sizeof *x[c]);
    v[c] = calloc(room, sizeof *v[c]);
    if (!x[c] || !v[c]) return RECORD_IO;
  }
  int code = record_create(argument[1], &writer, message, sizeof message);
  if (!code) code = write_json(writer, RECORD_HEAD, make_head(total - 1, like.fine), message);
  if (!code) code = record_flow_create(&like, SPAN, &flow);
  if (!code) code = record_grid_create(cells, RECORD_TYPES_OF_CELLS | RECORD_SURFACE |
                                              RECORD_PRESSURE, SPAN, &grid);
  if (!code) code = record_steps_create(RECORD_FLUID_COLUMNS, SPAN, &steps);
  for (int64_t k = 0; k < total && !code; k++) {
    int64_t particles;
    code = add_frame(&flow, &grid, dt*(double)k, x, v, &particles);
    add_row(&steps, k, particles, v);
    if (code || (flow.frames < SPAN && k < total - 1)) continue;
    code = record_write_flow(writer, &flow, message, sizeof message);
    if (!code) code = record_write_grid(writer, &grid, message, sizeof message);
    if (!code) code = record_write_steps(writer, &steps, 0, message, sizeof message);
    record_flow_clear(&flow, (uint32_t)(k + 1));
    record_grid_clear(&grid, (uint32_t)(k + 1));
    record_steps_clear(&steps, (uint32_t)(k + 1));
  }
  if (!code && !cut)
    code = write_json(writer, RECORD_LAST,
                      recording_last_json(record_written(writer), 1, "finished", total, total - 1,
                                          0, 1e-4), message);
  for (int c = 0; c < dimension; c++) free(x[c]), free(v[c]);
  record_flow_free(&flow);
  record_grid_free(&grid);
  record_steps_free(&steps);
  if (writer && record_close(writer, message, sizeof message)) code = RECORD_IO;
  if (code) fprintf(stderr, "record_swirl: %s\n", *message ? message : "out of memory");
  return code;
}
