// step.c: one time step: forces, impulses, drift, and the report.
//
//   u* = u + h W f                                        forces
//   b  = J u* + max(d, 0)/h                               or, where two bodies bounce (bounce.c),
//                                                         J u* + e J u
//   0 <= l _|_ J W J' l + b >= 0                          and friction: island_problem.c, solve.c
//   u+ = u* + W J'l,   q+ = q + h u+                      drift.c
//
// Without restitution the energy never grows. With a constant f, the step changes it by l'J u+ -
// |u+ - u|^2/2 in the norm of the masses, and l'J u+ = -l'max(d, 0)/h - friction <= 0. In free fall
// the loss is m g^2 h^2/2 per step. A bounce uses the speed at the beginning of the step, not u*.
// Then a bounce with e = 1 keeps H = m(v^2/2 + g z - g h v/2), which free flight keeps exactly: the
// body leaves at once, and the height it gains by that makes up for the fall it misses.
//
// A step is a list of stages, at the end of this file. Only the stages up to SOLVE can fail, and
// what they write, undo() restores.
#include "step.h"

#include <string.h>

static double energy_awake(const perp_world *w) {
  double sum = 0.0;
  for (int32_t i = 0; i < w->bodies; i++)
    if (!bodies_of(w)[i].asleep) sum += body_kinetic(w, i) + body_potential(w, i);
  return sum;
}

// ---- what a failure restores ----

static void swap_lists(contact_list *a, contact_list *b) {
  const contact_list c = *a;
  *a = *b;
  *b = c;
}

static void swap_groups(perp_world *w) {
  const grouping now = w->groups;
  w->groups = w->former;
  w->former = now;
}

// The stages overwrite the contacts. Stale ones are found again instead, in another list.
static perp_error keep(perp_world *w) {
  for (int32_t i = 0; i < w->bodies; i++) {
    body *b = bodies_of(w) + i;
    b->slept = b->asleep;
    b->rested = b->rest;
    copy3(b->before, motions_of(w)[i].velocity);
    copy3(b->before + 3, motions_of(w)[i].spin);
  }
  swap_groups(w);
  w->kept_in = KEPT_NOWHERE;
  if (w->stale) return PERP_OK;
  const size_t bytes = (size_t)w->now.count*sizeof(contact);
  if (!buffer_grow(&w->allocator, &w->kept, bytes, 0))
    return refuse(PERP_ERROR_MEMORY, "no memory for %d contacts", w->now.count);
  if (bytes > 0) memcpy(w->kept.at, w->now.contacts.at, bytes);
  w->kept_in = KEPT_COPY;
  return PERP_OK;
}

static void undo(perp_world *w) {
  if (w->kept_in == KEPT_SPARE) {
    swap_lists(&w->now, &w->spare);
    w->stale = 1;
  } else if (w->kept_in == KEPT_COPY && w->now.count > 0) {
    memcpy(w->now.contacts.at, w->kept.at, (size_t)w->now.count*sizeof(contact));
  }
  swap_groups(w);
  w->asleep = 0;
  for (int32_t i = 0; i < w->bodies; i++) {
    body *b = bodies_of(w) + i;
    b->asleep = b->slept;
    b->rest = b->rested;
    w->asleep += b->asleep;
    copy3(motions_of(w)[i].velocity, b->before);
    copy3(motions_of(w)[i].spin, b->before + 3);
  }
}

// ---- the stages ----

static perp_error find_contacts(perp_world *w) {   // where bodies were added or moved
  const perp_error error = w->stale ? world_detect(w, &w->now, 0) : PERP_OK;
  if (error != PERP_OK || !w->stale) return error;
  swap_lists(&w->now, &w->spare);
  w->stale = 0;
  w->kept_in = KEPT_SPARE;
  return PERP_OK;
}

static perp_error find_islands(perp_world *w) {
  island_wake_pushed(w);
  const perp_error error = island_find(w, &w->now, &w->groups);
  if (error != PERP_OK) return error;
  w->pace.energy = energy_awake(w);
  w->pace.input = w->input;
  return report_room(w);
}

// Detection and projection come after the solves, so the solves leave time for them: the time that
// they took in the last step, or in the first step the time that detection took before the solves.
// These three numbers are estimates; no benchmark chose them.
#define LAST_STEP_MARGIN 1.25       // time left for them, relative to what they took in the last step
#define OVERLAPS_TIME_SHARE_MIN 0.15   // part of time_limit left, if the last step left overlaps
#define KEPT_TIME_SHARE_MAX 0.5     // largest part of time_limit that is left for them

static double kept_for_later(const perp_world *w) {
  const double limit = w->settings.time_limit;
  if (!(limit < (double)INFINITY)) return 0.0;
  const double detection = w->report.step == 0 ? w->pace.begun : 0.0;   // that of the start
  const double later = LAST_STEP_MARGIN*fmax(w->after_solving, detection);
  const double overlaps = w->report.unprojected > 0 ? OVERLAPS_TIME_SHARE_MIN*limit : 0.0;
  return fmin(fmax(later, overlaps), KEPT_TIME_SHARE_MAX*limit);
}

static perp_error solve_islands(perp_world *w) {
  return world_solve(w, w->settings.time_limit - kept_for_later(w));
}

static perp_error move_bodies(perp_world *w) {
  w->pace.moving = 0;
  double energy = 0.0;
  for (int32_t i = 0; i < w->bodies; i++) {
    const body *b = bodies_of(w) + i;
    perp_motion *m = motions_of(w) + i;
    if (b->asleep) continue;
    const perp_motion old = *m;
    drift(b, m, w->settings.step);
    w->pace.moving |= memcmp(&old, m, sizeof old) != 0;
    energy += body_kinetic(w, i) + body_potential(w, i);
  }
  w->pace.budget = w->pace.energy + (w->input - w->pace.input) - energy;
  return PERP_OK;
}

// The contacts of the positions now, with the impulses of `before`. If there is no memory for that,
// the contacts are stale, and the next step reports it.
static void detect_again(perp_world *w, const contact_list *before, int again) {
  w->stale = world_detect(w, before, again) != PERP_OK;
  w->report.starved += w->stale;
}

static int has_new_contacts(const perp_world *w) {   // or they are what they were
  return w->pace.moving || w->groups.islands > 0;
}

static perp_error find_new_contacts(perp_world *w) {
  if (!has_new_contacts(w)) return PERP_OK;
  swap_lists(&w->now, &w->last);
  detect_again(w, &w->last, 0);
  if (w->stale) w->spare.count = 0;
  swap_lists(&w->now, &w->spare);
  return PERP_OK;
}

// A body that was moved out of one body may now overlap another, and the compliance leaves part of a
// deep overlap. Then project again, up to PROJECT_ROUNDS_MAX times in a step.
enum { PROJECT_ROUNDS_MAX = 4 };

static void remove_overlaps(perp_world *w) {
  double deepest = project_deepest(w);
  for (int round = 0; round < PROJECT_ROUNDS_MAX && !w->stale; round++) {
    if (!world_project(w, &w->pace.budget, w->settings.time_limit)) return;
    detect_again(w, &w->now, 1);
    if (!w->stale) swap_lists(&w->now, &w->spare);
    const double left = project_deepest(w);
    if (!(left > 0.1*w->settings.margin && left < 0.9*deepest)) return;
    deepest = left;
  }
}

static perp_error project(perp_world *w) {
  w->report.projections = w->report.unprojected = 0;
  if (has_new_contacts(w)) remove_overlaps(w);
  for (int32_t i = 0; i < w->bodies; i++) drift_limit(motions_of(w) + i);
  return PERP_OK;
}

// ---- the step ----

static const struct { const char *name, *text; } texts[] = {
#define PERP_X(id, name, text) {name, text},
  PERP_WORLD_STAGE_LIST(PERP_X)
#undef PERP_X
};

const char *perp_world_stage_name(perp_world_stage stage) {
  return stage >= 0 && stage < PERP_WORLD_STAGES ? texts[stage].name : "";
}

const char *perp_world_stage_text(perp_world_stage stage) {
  return stage >= 0 && stage < PERP_WORLD_STAGES ? texts[stage].text : "";
}

static const struct {
  perp_world_stage stage;
  perp_error (*run)(perp_world *w);
} stages[] = {
  //                                         reads                  writes
  {PERP_WORLD_CONTACTS, keep},               // all                  what undo() restores
  {PERP_WORLD_CONTACTS, find_contacts},      // positions            contacts, if they are stale
  {PERP_WORLD_ISLANDS,  find_islands},       // contacts, pushes     islands, who is awake
  {PERP_WORLD_FORCES,   velocities_force},   // gravity, pushes      velocities u*, b of contacts
  {PERP_WORLD_SOLVE,    solve_islands},      // contacts, b, old x   x: the impulses
  {PERP_WORLD_MEASURE,  report_solves},      // islands, x           report, touches
  {PERP_WORLD_IMPULSES, velocities_hit},     // x                    velocities u+
  {PERP_WORLD_DRIFT,    move_bodies},        // velocities           positions
  {PERP_WORLD_CONTACTS, find_new_contacts},  // positions, x         contacts and their x
  {PERP_WORLD_PROJECT,  project},            // contacts             positions, velocities
  {PERP_WORLD_SLEEP,    island_sleep},       // velocities, islands  who is asleep
  {PERP_WORLD_MEASURE,  report_end}};        // bodies, contacts     report

perp_error perp_world_step(perp_world *w, perp_world_report *report) {
  if (w == NULL) return refuse(PERP_ERROR_ARGUMENT, "world is NULL");
  double seconds[PERP_WORLD_STAGES] = {0.0};
  perp_error error = PERP_OK;
  world_start_clock(w);
  w->pace.begun = 0.0;
  for (size_t k = 0; k < sizeof stages/sizeof *stages && error == PERP_OK; k++) {
    error = stages[k].run(w);
    const double now = world_clock(w);
    seconds[stages[k].stage] += fmax(now - w->pace.begun, 0.0);   // should the clock go back
    w->pace.begun = now;
  }
  perp_world_report *r = &w->report;
  if (error != PERP_OK) {
    undo(w);
    if (report == NULL) return error;
    *report = *r;
    report_measure(w, report);
    return error;
  }
  memcpy(r->stage_seconds, seconds, sizeof seconds);
  r->seconds = w->pace.begun;
  r->solve_seconds = seconds[PERP_WORLD_SOLVE];
  r->overrun = fmax(r->seconds - w->settings.time_limit, 0.0);
  w->after_solving = fmax(r->seconds - w->pace.solved, 0.0);
  if (report != NULL) *report = *r;
  return PERP_OK;
}
