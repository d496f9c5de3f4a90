// report.c: the report of a step, its contacts and its problems, for the caller.
#include <string.h>

#include "step.h"

perp_error report_room(perp_world *w) {
  const int32_t count = w->now.count;
  if (!buffer_grow(&w->allocator, &w->touch_memory, (size_t)count*sizeof(perp_touch),
                   (size_t)w->touches*sizeof(perp_touch)))
    return refuse(PERP_ERROR_MEMORY, "no memory for %d contacts", count);
  return PERP_OK;
}

static void fill_touches(perp_world *w) {
  perp_touch *out = w->touch_memory.at;
  contact *c = w->now.contacts.at;
  const double *x = w->now.x.at;
  const island *s = w->groups.island_memory.at;
  w->touches = w->now.count;
  for (int32_t k = 0; k < w->now.count; k++) {
    perp_touch *t = &out[k];
    c[k].solved = c[k].island >= 0 ? s[c[k].island].status == PERP_STATUS_SOLVED : c[k].solved;
    *t = (perp_touch){.a = c[k].a, .b = c[k].b, .feature = c[k].feature, .island = c[k].island,
                      .gap = c[k].gap, .solved = c[k].solved, .bounced = c[k].bounced};
    t->normal_impulse = problem_impulse(w, &c[k], x + (size_t)k*(size_t)w->width,
                                        t->friction_impulse);
    copy3(t->normal, c[k].normal);
    for (int i = 0; i < 3; i++)
      t->point[i] = motions_of(w)[c[k].a].position[i] + c[k].arm[0][i];
  }
}

static double deepest(const perp_world *w) {
  const contact *c = w->now.contacts.at;
  double depth = 0.0;
  for (int32_t k = 0; k < w->now.count; k++) depth = fmax(depth, -c[k].gap);
  return depth;
}

void report_measure(const perp_world *w, perp_world_report *r) {
  r->kinetic = r->potential = 0.0;
  memset(r->momentum, 0, sizeof r->momentum);
  memset(r->angular, 0, sizeof r->angular);
  for (int32_t i = 0; i < w->bodies; i++) {
    const body *b = bodies_of(w) + i;
    const perp_motion *m = motions_of(w) + i;
    if (!moves(b)) continue;
    double orbit[3], L[3];
    cross3(m->position, m->velocity, orbit);
    body_spin_momentum(b, m, L);
    r->kinetic += body_kinetic(w, i);
    r->potential += body_potential(w, i);
    for (int k = 0; k < 3; k++) {
      r->momentum[k] += b->mass*m->velocity[k];
      r->angular[k] += b->mass*orbit[k] + L[k];
    }
  }
  r->dissipated = w->input - (r->kinetic + r->potential);
  r->penetration = deepest(w);
  r->asleep = w->asleep;
}

static void summarise(const perp_world *w, perp_world_report *r) {
  const island *s = w->groups.island_memory.at;
  r->contacts = w->now.count;
  r->islands = w->groups.islands;
  r->worst_status = PERP_STATUS_SOLVED;
  r->rows = r->solved = r->unsolved = r->iterations = r->factorizations = r->starved = 0;
  r->residual = 0.0;
  memset(r->answers, 0, sizeof r->answers);
  double worst = -1.0;
  for (int32_t k = 0; k < w->groups.islands; k++) {
    const int solved = s[k].status == PERP_STATUS_SOLVED;
    r->rows += s[k].rows;
    r->solved += solved;
    r->unsolved += !solved;
    r->starved += s[k].starved;
    r->answers[s[k].answer]++;
    r->iterations += s[k].iterations;
    r->factorizations += s[k].factorizations;
    r->residual = fmax(r->residual, s[k].residual);
    if (!solved && s[k].residual > worst) {
      worst = s[k].residual;
      r->worst_status = (int32_t)s[k].status;
    }
  }
}

perp_error report_solves(perp_world *w) {
  w->pace.solved = w->pace.begun;
  summarise(w, &w->report);
  fill_touches(w);
  return PERP_OK;
}

perp_error report_end(perp_world *w) {
  w->report.step++;
  w->report.time = (double)w->report.step*w->settings.step;
  report_measure(w, &w->report);
  return PERP_OK;
}

// ---- queries ----

perp_error perp_world_last(const perp_world *w, perp_world_report *report) {
  if (w == NULL || report == NULL)
    return refuse(PERP_ERROR_ARGUMENT, "%s is NULL", w == NULL ? "world" : "report");
  *report = w->report;
  report_measure(w, report);
  return PERP_OK;
}

const perp_touch *perp_world_touches(const perp_world *w, int32_t *count) {
  if (count != NULL) *count = w != NULL ? w->touches : 0;
  return w != NULL ? w->touch_memory.at : NULL;
}

const perp_statistics *perp_world_trace(const perp_world *w, int32_t *count) {
  if (count != NULL) *count = w != NULL ? w->trace_count : 0;
  return w != NULL ? w->trace : NULL;
}

perp_error perp_world_problem(perp_world *w, int32_t which, perp_problem *problem, const double **x,
                              int32_t *bodies) {
  if (w == NULL || problem == NULL || x == NULL)
    return refuse(PERP_ERROR_ARGUMENT, "%s is NULL",
                  w == NULL ? "world" : problem == NULL ? "problem" : "x");
  if (which < 0 || which >= w->groups.islands)
    return refuse(PERP_ERROR_ARGUMENT, "island = %d is outside [0, %d]", which,
                  w->groups.islands - 1);
  const island *s = (const island *)w->groups.island_memory.at + which;
  island_number(w, s);
  for (int32_t i = 0; i < s->bodies; i++) {
    body *b = bodies_of(w) + s->member[i];
    memcpy(b->W, b->step_W, sizeof b->W);
  }
  assembled *a = &w->workers->made;
  if (!model_assemble(w, w->workers, &w->last, s, a))
    return refuse(PERP_ERROR_MEMORY, "no memory for a problem with %d contacts", s->count);
  *problem = a->problem;
  *x = a->x;
  if (bodies != NULL) *bodies = s->bodies;
  return PERP_OK;
}
