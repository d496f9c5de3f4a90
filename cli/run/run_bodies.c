// run_bodies.c: perp run of rigid bodies: a world, a step of it, its header and its report.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording_head.h"
#include "report.h"
#include "run_command.h"
#include "run_films.h"
#include "solve_settings.h"
#include "text.h"

static const char *const models[] = {"normal", "friction", "staggered", "boxed"};

static int build(run_session *s) {
  const perp_error error = scene_build(s->scene, s->values, s->seed, &s->layout);
  if (error != PERP_OK) return fail(exit_code_of(error), "--%s", s->layout.message);
  s->planned = s->layout.steps;
  s->dt = s->layout.settings.step;
  return CODE_OK;
}

static int settle(run_session *s) {
  const arguments *args = s->args;
  perp_world_settings *settings = &s->layout.settings;
  int64_t directions = settings->directions, sleep = 60;
  int code = settings_choice(args, "model", &settings->model);
  if (!code) code = settings_whole(args, "directions", 3, 64, &directions);
  if (!code) code = settings_whole(args, "sleep", 0, 1000000, &sleep);
  if (!code && argument(args, "friction") && settings->friction > 0.0 &&
      settings->model == PERP_CONTACT_NORMAL)
    warn("--friction = %s has no effect in the model 'normal'; use --model friction",
         argument(args, "friction"));
  settings->directions = (int32_t)directions;
  settings->sleep = (int32_t)sleep;
  settings->threads = s->options.threads;
  settings->time_limit = s->options.time_limit;
  settings->trace = RECORD_TRACE_MAX;
  s->options.threads = 1;   // islands are solved side by side
  s->options.time_limit = (double)INFINITY;
  settings->options = &s->options;
  return code;
}

static int create(run_session *s) {
  const perp_error error = scene_world(&s->layout, NULL, &s->world);
  if (error == PERP_ERROR_UNSUPPORTED) return fail(CODE_COMPONENT, "%s", perp_last_message());
  if (error != PERP_OK) return fail(exit_code_of(error), "%s", perp_last_message());
  return CODE_OK;
}

// An upper limit of the size of a state. A pair has at most 16 contacts; a body has far fewer than
// BODY_CONTACTS_MAX even in the densest scenes (bricks: below 40).
static size_t state_most(const run_session *s) {
  enum { PAIR_CONTACTS_MAX = 16, BODY_CONTACTS_MAX = 256, CONTACT_BYTES = 512 };
  const size_t n = (size_t)s->layout.bodies, pairs = n*(n > 0 ? n - 1 : 0)/2;
  const size_t by_pair = PAIR_CONTACTS_MAX*pairs, by_body = BODY_CONTACTS_MAX*n;
  const size_t contacts = by_pair < by_body ? by_pair : by_body;
  return perp_world_save(s->world, NULL, 0) + CONTACT_BYTES*contacts;
}

static int load(run_session *s, const void *state, size_t size) {
  return perp_world_load(s->world, state, size) != PERP_OK;
}

static void destroy(run_session *s) {
  perp_world_destroy(s->world);
  scene_free(&s->layout);
}

// ------------------------------------------------------------------------------------ recording

static void read_body(const run_session *s, int32_t i, recording_body *out) {
  const perp_body *body = &s->layout.body[i];
  const perp_motion *m = &body->motion;
  int still = body->mass == (double)INFINITY;
  for (int c = 0; c < 3; c++) still = still && m->velocity[c] == 0.0 && m->spin[c] == 0.0;
  *out = (recording_body){.shape = body->shape, .fixed = still, .material = body->material,
                          .group = s->layout.group[i], .offset = body->offset,
                          .mass = body->mass == (double)INFINITY ? 0.0 : body->mass};
  memcpy(out->extent, body->extent, sizeof out->extent);
  memcpy(out->position, m->position, sizeof out->position);
  memcpy(out->orientation, m->orientation, sizeof out->orientation);
}

static int fill_head(const run_session *s, recording_head *head) {
  const scene_layout *layout = &s->layout;
  head->model = models[layout->settings.model];
  head->dimension = layout->settings.dimension;
  head->bodies = layout->bodies;
  head->radius = layout->radius;
  memcpy(head->gravity, layout->settings.gravity, sizeof head->gravity);
  memcpy(head->center, layout->center, sizeof head->center);
  head->body = calloc((size_t)layout->bodies + 1, sizeof *head->body);
  head->mover = calloc((size_t)layout->bodies + 1, sizeof *head->mover);
  head->materials = calloc(SCENE_NAMES + 1, sizeof *head->materials);
  head->groups = calloc(SCENE_NAMES + 1, sizeof *head->groups);
  if (!head->body || !head->mover || !head->materials || !head->groups) {
    recording_head_free(head);
    return fail(CODE_IO, "out of memory for %d bodies", (int)layout->bodies);
  }
  memcpy(head->materials, layout->materials, SCENE_NAMES*sizeof *head->materials);
  memcpy(head->groups, layout->groups, SCENE_NAMES*sizeof *head->groups);
  for (int32_t i = 0; i < layout->bodies; i++) {
    read_body(s, i, &head->body[i]);
    if (!head->body[i].fixed) head->mover[head->moving++] = i;
  }
  head->span = recorder_span(film_bytes_of_bodies(head->moving), head->every);
  return CODE_OK;
}

static int make_film(const run_session *s, const recording_head *head, film *out) {
  int32_t contacts = CONTACTS_AUTO;
  const int code = settings_choice(s->args, "contacts", &contacts);
  double smallest = (double)INFINITY;
  for (int32_t i = 0; i < head->moving; i++) {
    const recording_body *body = &head->body[head->mover[i]];
    for (int c = 0; c < (body->shape == PERP_SHAPE_BOX ? 3 : 1); c++)
      smallest = fmin(smallest, body->extent[c]);
  }
  const int exact = argument(s->args, "exact") != NULL;
  if (code) return code;
  return film_of_bodies(s->world, head, exact || isinf(smallest) ? 0.0 : record_quantum(smallest),
                        exact, (film_contacts)contacts, out);
}

// ---------------------------------------------------------------------------------------- stepping

static int step(run_session *s, int first, recorder_row *out) {
  perp_world_report done;
  const perp_error error = first ? perp_world_last(s->world, &done)
                                 : perp_world_step(s->world, &done);
  if (error != PERP_OK) return fail(exit_code_of(error), "%s", perp_last_message());
  const double row[RECORD_COLUMNS] = {
      (double)done.step, done.time, done.contacts, done.rows, done.islands, done.asleep,
      done.unsolved, done.worst_status, done.residual, done.iterations, done.factorizations,
      done.kinetic, done.potential, done.dissipated, done.penetration, done.unprojected,
      done.momentum[0], done.momentum[1], done.momentum[2], done.angular[0], done.angular[1],
      done.angular[2]};
  memcpy(out->value, row, sizeof row);
  out->step = done.step;
  out->seconds = done.seconds;
  s->totals.late += !first && done.overrun > 0.0;
  if (!first) s->totals.overrun = fmax(s->totals.overrun, done.overrun);
  int32_t count = 0;
  const perp_statistics *statistics = perp_world_trace(s->world, &count);
  for (int32_t k = 0; done.step > 0 && k < count && k < RECORD_TRACE_MAX; k++) {
    const double residual = statistics[k].residual;
    out->trace[out->points++] = (record_point){
        (uint32_t)statistics[k].iteration,
        (float)(residual > 0.0 ? fmin(fmax(log10(residual), -99.0), 99.0) : -99.0)};
  }
  return CODE_OK;
}

static void count_row(run_totals *totals, const double *row) {
  // More than the tolerance of a certified step explains: Newton's restitution beside friction.
  const double gain = totals->dissipated - row[RECORD_COLUMN_dissipated];
  if (gain > 1e-8*(fabs(totals->energy) + totals->kinetic + fabs(totals->dissipated))) {
    totals->gains++;
    totals->gained += gain;
  }
  totals->last_contacts = row[RECORD_COLUMN_contacts];
  totals->last_iterations = row[RECORD_COLUMN_iterations];
  totals->dissipated = row[RECORD_COLUMN_dissipated];
  totals->contacts += row[RECORD_COLUMN_contacts];
  totals->iterations += row[RECORD_COLUMN_iterations];
  totals->most_contacts = fmax(totals->most_contacts, row[RECORD_COLUMN_contacts]);
  totals->penetration = fmax(totals->penetration, row[RECORD_COLUMN_penetration]);
  totals->unprojected += (int64_t)row[RECORD_COLUMN_unprojected];
}

static void show_progress(const run_session *s, progress_state *at) {
  const run_totals *t = &s->totals;
  snprintf(at->numbers, sizeof at->numbers, "%4.0f contacts, %3.0f iterations", t->last_contacts,
           t->last_iterations);   // PROGRESS_NUMBERS
}

// --------------------------------------------------------------------------------------- reporting

static void report(const run_session *s) {
  const run_totals *t = &s->totals;
  text_buffer count;
  char text[256] = "";
  report_line("bodies", "%d", (int)s->layout.bodies);
  if (t->steps > 0)
    report_line("contacts", "%.0f at most, %.1f a step; %.1f iterations a step", t->most_contacts,
                t->contacts/(double)t->steps, t->iterations/(double)t->steps);
  report_line("energy", "from %.4g to %.4g (%.3g kinetic), %.4g dissipated",
              t->energy_start, t->energy, t->kinetic, t->dissipated);
  if (t->gains > 0)
    report_line("energy gained", "%.3g, in %s", t->gained,
                text_count(t->gains, "step", "steps", &count));
  text_append(text, sizeof text, "%.2g at most", t->penetration);
  if (t->unprojected > 0)
    text_append(text, sizeof text, "; %s a group of touching bodies kept its overlap",
                text_count(t->unprojected, "time", "times", &count));
  report_line("penetration", "%s", text);
  if (t->late > 0)
    report_line("late", "%s longer than --time-limit, by %.3g ms at most",
                text_count(t->late, "step was", "steps were", &count), 1e3*t->overrun);
}

static void report_json(const run_session *s, json_t *object) {
  const run_totals *t = &s->totals;
  json_object_set_new(object, "model", json_text(models[s->layout.settings.model]));
  json_object_set_new(object, "bodies", json_integer(s->layout.bodies));
  json_object_set_new(object, "contacts", json_integer((json_int_t)t->most_contacts));
  json_object_set_new(object, "dissipated", json_number(t->dissipated));
  json_object_set_new(object, "gains", json_integer(t->gains));
  json_object_set_new(object, "gained", json_number(t->gained));
  json_object_set_new(object, "penetration", json_number(t->penetration));
  json_object_set_new(object, "unprojected", json_integer(t->unprojected));
  if (s->layout.settings.time_limit < (double)INFINITY) {
    json_object_set_new(object, "late", json_integer(t->late));
    json_object_set_new(object, "overrun", json_number(t->overrun));
  }
}

const run_kind run_bodies = {
    .noun = "bodies", .share = 4, .unsolved = RECORD_COLUMN_unsolved, .residual = RECORD_COLUMN_residual,
    .kinetic = RECORD_COLUMN_kinetic, .potential = RECORD_COLUMN_potential, .build = build,
    .settle = settle, .create = create, .state_most = state_most, .load = load,
    .destroy = destroy, .head = fill_head, .film = make_film, .step = step, .count = count_row,
    .dump = run_dump_bodies, .progress = show_progress, .report = report,
    .report_json = report_json};
