// run_liquid.c: perp run of a liquid: a fluid, a step of it, its header and its report.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "recording_head.h"
#include "report.h"
#include "run_command.h"
#include "run_films.h"
#include "solve_settings.h"
#include "text.h"

enum { CELL_PLACES = 64 };   // positions of a particle in a cell along each axis, if they fit
static const char *const walls[] = {"no-slip", "slip", "separating"};
static const char *const transfers[] = {"flip", "apic"};

static int build(run_session *s) {
  const perp_error error = scene_fill(s->scene, s->values, s->seed, &s->pool);
  if (error != PERP_OK) return fail(exit_code_of(error), "--%s", s->pool.message);
  s->planned = s->pool.steps;
  s->dt = s->pool.settings.step;
  return CODE_OK;
}

static int settle(run_session *s) {
  perp_fluid_settings *settings = &s->pool.settings;
  settings->threads = s->options.threads;
  settings->time_limit = s->options.time_limit;
  settings->options = &s->options;
  return CODE_OK;
}

static int create(run_session *s) {
  const perp_error error = scene_fluid(&s->pool, NULL, &s->fluid);
  if (error != PERP_OK) return fail(exit_code_of(error), "%s", perp_last_message());
  perp_fluid_report poured;
  if (perp_fluid_last(s->fluid, &poured) == PERP_OK && poured.particles == 0)
    warn("there is no liquid: what is poured is thinner than a cell, which is 1/%d wide; a larger "
         "--size has smaller ones", (int)s->pool.settings.cells[0]);
  return CODE_OK;
}

// An upper limit of the size of a state: the fields, and particles. Reseeding leaves at most twice
// the initial number of particles in a cell; this allows four times that number in every cell.
static size_t state_most(const run_session *s) {
  enum { CROWDING_MAX = 4, PARTICLE_BYTES = 15*sizeof(double) };
  const perp_fluid_settings *settings = &s->pool.settings;
  size_t cells = 1, each = CROWDING_MAX;
  for (int c = 0; c < settings->dimension; c++)
    cells *= (size_t)settings->cells[c], each *= (size_t)settings->particles;
  return perp_fluid_save(s->fluid, NULL, 0) + cells*(sizeof(double) + PARTICLE_BYTES*each);
}

static int load(run_session *s, const void *state, size_t size) {
  return perp_fluid_load(s->fluid, state, size) != PERP_OK;
}

static void destroy(run_session *s) { perp_fluid_destroy(s->fluid); }

// ------------------------------------------------------------------------------------ recording

// As bodies have it: a hollow shape is one of its own, and a plane has an offset.
static void read_solid(const scene_pool *pool, int32_t i, recording_body *out) {
  static const int32_t shapes[][2] = {{0, 3}, {1, 4}, {2, 2}};   // sphere, box, plane; and outside
  const perp_fluid_shape *solid = &pool->solid[i];
  int still = 1;
  for (int c = 0; c < 3; c++) still = still && solid->velocity[c] == 0.0 && solid->spin[c] == 0.0;
  *out = (recording_body){.shape = shapes[solid->kind][solid->outside], .fixed = still,
                          .group = pool->group[i]};
  memcpy(out->extent, solid->extent, sizeof out->extent);
  memcpy(out->position, solid->position, sizeof out->position);
  memcpy(out->orientation, solid->orientation, sizeof out->orientation);
  if (solid->kind == PERP_FLUID_BOX && !(out->extent[2] > 0.0))   // without an end along z
    out->extent[2] = 0.5*pool->settings.spacing*pool->settings.cells[2];
  if (solid->kind != PERP_FLUID_PLANE) return;
  const double *n = solid->extent, sign = solid->outside ? -1.0 : 1.0;
  const double length = sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2]);
  for (int c = 0; c < 3; c++) {
    out->extent[c] = sign*n[c]/length;
    out->offset += out->extent[c]*solid->position[c];
  }
}

static int fill_liquid(const run_session *s, recording_head *head) {
  const perp_fluid_settings *settings = &s->pool.settings;
  recording_fluid *liquid = &head->liquid;
  int32_t keep = KEEP_AUTO, fields = 0;
  int code = settings_choice(s->args, "keep", &keep);
  if (!code) code = settings_choice(s->args, "fields", &fields);
  if (keep == KEEP_AUTO) keep = settings->dimension == 2 ? KEEP_ALL : KEEP_SURFACE;
  *liquid = (recording_fluid){
      .spacing = settings->spacing, .density = settings->density, .flip = settings->flip,
      .walls = walls[settings->walls], .transfer = transfers[settings->transfer],
      .keep = keep == KEEP_ALL ? "all" : "surface",
      .fields = fields == 0 ? RECORD_TYPES_OF_CELLS | RECORD_SURFACE | RECORD_PRESSURE
                : fields == 1 ? RECORD_SURFACE : 0};
  memcpy(liquid->cells, settings->cells, sizeof liquid->cells);
  const int32_t places = argument(s->args, "exact") ? RECORD_PLACES : CELL_PLACES;
  liquid->fine = record_fine(liquid->cells, places);
  head->model = liquid->walls;
  head->dimension = settings->dimension;
  memcpy(head->gravity, settings->gravity, sizeof head->gravity);
  return code;
}

static int fill_head(const run_session *s, recording_head *head) {
  const scene_pool *pool = &s->pool;
  const int code = fill_liquid(s, head);
  if (code) return code;
  head->bodies = pool->solids;
  head->radius = pool->radius;
  memcpy(head->center, pool->center, sizeof head->center);
  head->body = calloc((size_t)pool->solids + 1, sizeof *head->body);
  head->mover = calloc((size_t)pool->solids + 1, sizeof *head->mover);
  head->materials = calloc(2, sizeof *head->materials);
  head->groups = calloc(SCENE_NAMES + 1, sizeof *head->groups);
  if (!head->body || !head->mover || !head->materials || !head->groups) {
    recording_head_free(head);
    return fail(CODE_IO, "out of memory for the header");
  }
  head->materials[0] = "wall";
  memcpy(head->groups, pool->groups, SCENE_NAMES*sizeof *head->groups);
  for (int32_t i = 0; i < pool->solids; i++) {
    read_solid(pool, i, &head->body[i]);
    if (!head->body[i].fixed) head->mover[head->moving++] = i;
  }
  double cells = 1.0;          // the header must not depend on how far the run has come
  for (int c = 0; c < 3; c++) cells *= head->liquid.cells[c];
  const double particles = 0.5*cells*pow(pool->settings.particles, head->dimension);
  head->span = recorder_span(film_bytes_of_liquid(head, (int64_t)particles), head->every);
  return CODE_OK;
}

static int make_film(const run_session *s, const recording_head *head, film *out) {
  return film_of_liquid(s->fluid, head, out);
}

// ---------------------------------------------------------------------------------------- stepping

static int step(run_session *s, int first, recorder_row *out) {
  perp_fluid_report done;
  const perp_error error = first ? perp_fluid_last(s->fluid, &done)
                                 : perp_fluid_step(s->fluid, &done);
  if (error != PERP_OK) return fail(exit_code_of(error), "%s", perp_last_message());
  const double row[RECORD_FLUID_COLUMNS] = {
      (double)done.step, done.time, done.substeps, done.liquid, done.complementary,
      done.separating, done.components, (double)done.particles, (double)done.added,
      (double)done.removed, done.solved, done.unsolved, done.worst_status, done.residual,
      done.newton, done.inner, done.divergence, done.courant, done.volume, done.poured,
      done.kinetic, done.potential, done.momentum[0], done.momentum[1], done.momentum[2]};
  memcpy(out->value, row, sizeof row);
  out->step = done.step;
  out->seconds = done.seconds;
  _Static_assert(sizeof done.stage_seconds <= sizeof out->stages, "there is room for all stages");
  memcpy(out->stages, done.stage_seconds, sizeof done.stage_seconds);
  return CODE_OK;
}

static void count_row(run_totals *t, const double *row) {
  const double volume = row[RECORD_FLUID_volume];
  const int some = row[RECORD_FLUID_step] > 0.0;
  t->last_iterations = row[RECORD_FLUID_newton];
  t->last_particles = row[RECORD_FLUID_particles];
  t->iterations += row[RECORD_FLUID_newton];
  t->inner += row[RECORD_FLUID_inner];
  t->substeps += row[RECORD_FLUID_substeps];
  t->most_substeps = fmax(t->most_substeps, row[RECORD_FLUID_substeps]);
  t->particles = fmax(t->particles, row[RECORD_FLUID_particles]);
  t->separating = fmax(t->separating, row[RECORD_FLUID_separating]);
  t->courant = fmax(t->courant, row[RECORD_FLUID_courant]);
  t->poured = row[RECORD_FLUID_poured];
  if (!some) return;           // volumes are measured in steps
  t->volume = volume;
  t->least_volume = t->steps == 1 ? volume : fmin(t->least_volume, volume);
  t->most_volume = fmax(t->most_volume, volume);
}

static void show_progress(const run_session *s, progress_state *at) {
  const run_totals *t = &s->totals;
  char iterations[40];
  snprintf(iterations, sizeof iterations, " particles, %2.0f %s", t->last_iterations,
           describe_iterations(s->options.method));
  // As wide as those of bodies, which leaves the same bar.
  snprintf(at->numbers, sizeof at->numbers, "%*.0f%s",
           PROGRESS_NUMBERS - (int)strlen(iterations), t->last_particles, iterations);
}

// --------------------------------------------------------------------------------------- reporting

// The stages that take the time, the longest first.
static void report_stages(const run_session *s) {
  double sum = 0.0;
  char text[256] = "";
  int told[PERP_FLUID_STAGES] = {0};
  for (int k = 0; k < PERP_FLUID_STAGES; k++) sum += s->stage_seconds[k];
  if (!(sum > 0.0)) return;
  for (int n = 0; n < 4; n++) {
    int most = -1;
    for (int k = 0; k < PERP_FLUID_STAGES; k++)
      if (!told[k] && (most < 0 || s->stage_seconds[k] > s->stage_seconds[most])) most = k;
    told[most] = 1;
    text_append(text, sizeof text, "%s%s %.0f %%", n ? ", " : "",
                perp_fluid_stage_name((perp_fluid_stage)most), 100.0*s->stage_seconds[most]/sum);
  }
  report_line("time", "%s", text);
}

static double drift(double volume, double poured) {
  return poured > 0.0 ? 100.0*(volume - poured)/poured : 0.0;
}

static void report(const run_session *s) {
  const run_totals *t = &s->totals;
  const int32_t *n = s->pool.settings.cells;
  char grid[64] = "";
  text_append(grid, sizeof grid, "%d x %d", (int)n[0], (int)n[1]);
  if (s->pool.settings.dimension == 3) text_append(grid, sizeof grid, " x %d", (int)n[2]);
  report_line("liquid", "%.0f particles at most, %s cells, %s walls", t->particles, grid,
              walls[s->pool.settings.walls]);
  if (t->steps > 0)
    report_line("pressure", "%.1f substeps a step; %.1f %s and %.1f inner iterations a substep",
                t->substeps/(double)t->steps, t->iterations/fmax(t->substeps, 1.0),
                describe_iterations(s->options.method), t->inner/fmax(t->substeps, 1.0));
  report_stages(s);
  report_line("energy", "from %.4g to %.4g (%.3g kinetic)", t->energy_start, t->energy,
              t->kinetic);
  if (t->steps > 0) {
    const double end = drift(t->volume, t->poured);
    report_line("volume", "%+.2f %% at the end, %+.2f %% to %+.2f %% during the run%s", end,
                drift(t->least_volume, t->poured), drift(t->most_volume, t->poured),
                fabs(end) > 5.0 && !t->unsolved && !s->pool.settings.compensate
                    ? "; --compensate 1 holds it" : "");
  }
  if (t->most_substeps >= s->pool.settings.substeps && t->courant > s->pool.settings.cfl)
    warn("--substeps = %d was too few for --cfl = %g: liquid crossed %.3g cells in one",
         (int)s->pool.settings.substeps, s->pool.settings.cfl, t->courant);
}

static void report_json(const run_session *s, json_t *object) {
  const run_totals *t = &s->totals;
  json_object_set_new(object, "walls", json_text(walls[s->pool.settings.walls]));
  json_object_set_new(object, "cells", json_pack("[i,i,i]", (int)s->pool.settings.cells[0],
                                                 (int)s->pool.settings.cells[1],
                                                 (int)s->pool.settings.cells[2]));
  json_object_set_new(object, "particles", json_integer((json_int_t)t->particles));
  json_object_set_new(object, "substeps", json_integer((json_int_t)t->substeps));
  json_object_set_new(object, "inner", json_integer((json_int_t)t->inner));
  json_object_set_new(object, "separating", json_integer((json_int_t)t->separating));
  json_object_set_new(object, "courant", json_number(t->courant));
  json_object_set_new(object, "poured", json_number(t->poured));
  json_object_set_new(object, "volume", json_number(t->volume));
  json_object_set_new(object, "least_volume", json_number(t->least_volume));
  json_object_set_new(object, "most_volume", json_number(t->most_volume));
  json_t *stages = json_object();
  for (int k = 0; k < PERP_FLUID_STAGES; k++)
    json_object_set_new(stages, perp_fluid_stage_name((perp_fluid_stage)k),
                        json_number(s->stage_seconds[k]));
  json_object_set_new(object, "stages", stages);
}

const run_kind run_liquid = {
    .noun = "liquids", .share = 2,   // about every 64 frames of 100 x 100 cells
    .advice = "'perp explain liquids' says what to do",
    .unsolved = RECORD_FLUID_unsolved, .residual = RECORD_FLUID_residual,
    .kinetic = RECORD_FLUID_kinetic, .potential = RECORD_FLUID_potential, .build = build,
    .settle = settle, .create = create, .state_most = state_most, .load = load,
    .destroy = destroy, .head = fill_head, .film = make_film, .step = step, .count = count_row,
    .dump = run_dump_liquid, .progress = show_progress, .report = report,
    .report_json = report_json};
