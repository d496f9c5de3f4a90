// engines.c: perp as an engine, scenes for all of them, and the judge of impulses.
//
// A step of any of the engines that are compared here looks for impulses l with
//     0 <= l  _|_  w = J u+ + s l - t >= 0,    u+ = u* + W J'l
// at the contacts it has found; target speeds t and softness s are the engine's own. The velocities
// u+ are those it ends with, so w is known without asking what forces it saw, and
// b = w - (J W J' + s) l gives the problem that its l was meant for.
#include "engines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

int32_t engine_iterations;

const engine *const engine_list[] = {&engine_perp, &engine_ode_quick, &engine_ode_step,
                                     &engine_bullet};

#ifndef BENCH_ODE
const engine engine_ode_step = {.name = "ODE dWorldStep"};
const engine engine_ode_quick = {.name = "ODE dWorldQuickStep"};
#endif
#ifndef BENCH_BULLET
const engine engine_bullet = {.name = "Bullet"};
#endif

double engine_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

int engine_moves(const perp_body *body) { return body->mass < (double)INFINITY; }

double engine_friction(const scene_layout *layout) {
  return layout->settings.model == PERP_CONTACT_NORMAL ? 0.0 : layout->settings.friction;
}

static void give_up(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(1);
}

void engine_layout(const char *name, const char *settings, scene_layout *layout) {
  enum { MOST = 64 };
  double values[MOST];
  const scene *s = scene_find(name);
  if (s == NULL) give_up(name, "no such scene");
  for (int32_t k = 0; k < s->parameter_count; k++) values[k] = s->parameters[k].initial;
  char text[256];
  snprintf(text, sizeof text, "%s", settings);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
    char *equals = strchr(word, '=');
    if (equals == NULL) give_up(name, "a setting without =");
    *equals = '\0';
    const int32_t k = scene_parameter(s, word);
    if (k < 0) give_up(word, "no such parameter");
    values[k] = atof(equals + 1);
  }
  if (scene_build(s, values, 1, layout) != PERP_OK) give_up(name, layout->message);
  perp_world *world;
  if (scene_world(layout, NULL, &world) != PERP_OK) give_up(name, perp_last_message());
  for (int32_t i = 0; i < layout->bodies; i++) perp_world_read(world, i, &layout->body[i]);
  perp_world_destroy(world);
}

// ---- perp ----

static void *perp_begin(const scene_layout *layout) {
  scene_layout mine = *layout;
  mine.settings.threads = 1;
  mine.settings.sleep = 0;
  perp_world *world;
  if (scene_world(&mine, NULL, &world) != PERP_OK) give_up("perp", perp_last_message());
  return world;
}

static void perp_go(void *world, engine_step *report) {
  perp_world_report r = {0};
  const double start = engine_clock();
  const perp_error error = perp_world_step(world, &r);
  report->seconds = engine_clock() - start;
  report->solving = r.seconds > 0.0 ? r.solve_seconds/r.seconds*report->seconds : 0.0;
  report->contacts = r.contacts;
  report->certified = error == PERP_OK && r.unsolved == 0;
}

static void perp_look(const void *world, perp_motion *motion) {
  memcpy(motion, perp_world_motions(world), (size_t)perp_world_count(world)*sizeof *motion);
}

static void perp_end(void *world) { perp_world_destroy(world); }

const engine engine_perp = {.name = "perp", .create = perp_begin, .step = perp_go,
                            .read = perp_look, .destroy = perp_end};

void engine_judge_perp(perp_world *world, engine_worth *worth) {
  *worth = (engine_worth){0};
  perp_world_report report;
  if (perp_world_last(world, &report) != PERP_OK) return;
  int32_t touches;
  const perp_touch *touch = perp_world_touches(world, &touches);
  int32_t *contacts = bench_take((size_t)report.islands, sizeof *contacts);
  for (int32_t k = 0; k < touches; k++)
    if (touch[k].island >= 0) contacts[touch[k].island]++;
  for (int32_t k = 0; k < report.islands; k++) {
    perp_problem problem;
    const double *x;
    perp_certificate certificate;
    if (perp_world_problem(world, k, &problem, &x, NULL) != PERP_OK) continue;
    double *y = bench_take((size_t)problem.A.n, sizeof *y);
    if (perp_certify(&problem, x, 1e-8, 0.0, y, &certificate) == PERP_OK)
      worth->residual = fmax(worth->residual, certificate.residual);
    else
      worth->residual = (double)INFINITY;
    for (int32_t i = 0; i < contacts[k]; i++) worth->approach = fmax(worth->approach, -y[i]);
    free(y);
  }
  free(contacts);
}

// ---- the judge ----

typedef struct bodies {           // of those that move: number, W by blocks of 6 x 6
  int32_t count;
  int32_t *local;                 // of the scene's bodies; -1: does not move
  double *W;                      // 6 count x 6
} bodies;

// W = diag(1/m, R diag(1/I) R')
static void weigh(const perp_body *body, const double *q, double *W) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double R[3][3] = {{1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)},
                          {2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)},
                          {2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)}};
  for (int i = 0; i < 3; i++) {
    W[6*i + i] = 1.0/body->mass;
    for (int j = i; j < 3; j++) {
      double sum = 0.0;
      for (int k = 0; k < 3; k++) sum += R[i][k]*R[j][k]/body->inertia[k];
      W[6*(3 + i) + 3 + j] = W[6*(3 + j) + 3 + i] = sum;
    }
  }
}

static bodies gather(const scene_layout *layout, const perp_motion *before) {
  bodies b = {.local = bench_take((size_t)layout->bodies, sizeof *b.local)};
  for (int32_t i = 0; i < layout->bodies; i++)
    b.local[i] = engine_moves(&layout->body[i]) ? b.count++ : -1;
  b.W = bench_take(36*(size_t)b.count, sizeof *b.W);
  for (int32_t i = 0; i < layout->bodies; i++)
    if (b.local[i] >= 0)
      weigh(&layout->body[i], before[i].orientation, b.W + 36*(size_t)b.local[i]);
  return b;
}

static void cross(const double *a, const double *b, double *c) {
  c[0] = a[1]*b[2] - a[2]*b[1];
  c[1] = a[2]*b[0] - a[0]*b[2];
  c[2] = a[0]*b[1] - a[1]*b[0];
}

static int32_t put_row(const engine_contact *c, const double *e, const bodies *b,
                       const perp_motion *before, int32_t *column, double *value, int32_t at) {
  const int32_t who[2] = {c->a, c->b}, la = b->local[c->a], lb = b->local[c->b];
  const int first = la >= 0 && lb >= 0 && lb < la;   // columns ascend
  for (int turn = 0; turn < 2; turn++) {
    const int which = turn ^ first;
    const int32_t local = b->local[who[which]];
    if (local < 0) continue;
    const double sign = which == 0 ? 1.0 : -1.0;
    double arm[3], spin[3];
    for (int k = 0; k < 3; k++) arm[k] = c->point[which][k] - before[who[which]].position[k];
    cross(arm, e, spin);
    for (int k = 0; k < 6; k++, at++) {
      column[at] = 6*local + k;
      value[at] = sign*(k < 3 ? e[k] : spin[k - 3]);
    }
  }
  return at;
}

static void times_W(const bodies *b, const double *p, double *u) {   // u = W p
  for (int32_t i = 0; i < 6*b->count; i++) {
    u[i] = 0.0;
    for (int32_t k = 0; k < 6; k++) u[i] += b->W[6*(size_t)i + (size_t)k]*p[6*(i/6) + k];
  }
}

static double row_times(const perp_product *A, int32_t i, const double *u) {
  double sum = 0.0;
  for (int32_t k = A->rowptr[i]; k < A->rowptr[i + 1]; k++) sum += A->value[k]*u[A->column[k]];
  return sum;
}

// The largest part of u+ that u + h g and the impulses do not explain. Turns by the gyroscopic force
// count as unexplained.
static double unexplained(const scene_layout *layout, const bodies *b, const perp_motion *before,
                          const perp_motion *after, const double *kick) {
  const double h = layout->settings.step;
  double most = 0.0;
  for (int32_t i = 0; i < layout->bodies; i++) {
    if (b->local[i] < 0) continue;
    const double *du = kick + 6*b->local[i];
    for (int k = 0; k < 3; k++) {
      const double fall = before[i].velocity[k] + h*layout->settings.gravity[k];
      most = fmax(most, fabs(after[i].velocity[k] - fall - du[k]));
    }
  }
  return most;
}

void engine_judge(const scene_layout *layout, const engine_contact *contact, int32_t count,
                  const perp_motion *before, const perp_motion *after, engine_worth *worth) {
  const size_t most = 3*(size_t)count;
  bodies b = gather(layout, before);
  const size_t dofs = 6*(size_t)b.count;
  int32_t *rowptr = bench_take(most + 1, sizeof *rowptr);
  int32_t *column = bench_take(12*most, sizeof *column);
  double *value = bench_take(12*most, sizeof *value), *rhs = bench_take(most, sizeof *rhs),
         *lo = bench_take(most, sizeof *lo), *hi = bench_take(most, sizeof *hi),
         *x = bench_take(most, sizeof *x), *soft = bench_take(most, sizeof *soft),
         *push = bench_take(dofs, sizeof *push), *kick = bench_take(dofs, sizeof *kick),
         *u = bench_take(dofs, sizeof *u), *target = bench_take(most, sizeof *target);
  int32_t n = 0;
  for (int32_t k = 0; k < count; k++) {
    const engine_contact *c = &contact[k];
    for (int t = 0; t <= c->tangents; t++, n++) {
      const double *e = t == 0 ? c->normal : c->tangent[t - 1];
      const double edge = c->friction*fmax(c->impulse[0], 0.0);
      rowptr[n + 1] = put_row(c, e, &b, before, column, value, rowptr[n]);
      x[n] = c->impulse[t];
      lo[n] = t == 0 ? 0.0 : -edge;
      hi[n] = t == 0 ? (double)INFINITY : edge;
      soft[n] = t == 0 ? c->softness : 0.0;
      target[n] = t == 0 ? c->target : 0.0;
    }
  }
  for (int32_t i = 0; i < layout->bodies; i++)
    for (int k = 0; k < 6 && b.local[i] >= 0; k++)
      u[6*b.local[i] + k] = k < 3 ? after[i].velocity[k] : after[i].spin[k - 3];
  const perp_product A = {.n = n, .dofs = (int32_t)dofs, .rowptr = rowptr, .column = column,
                          .value = value, .block = 6, .W = b.W, .compliance = soft};
  for (int32_t i = 0; i < n; i++)
    for (int32_t k = rowptr[i]; k < rowptr[i + 1]; k++) push[column[k]] += value[k]*x[i];
  times_W(&b, push, kick);
  *worth = (engine_worth){.unexplained = unexplained(layout, &b, before, after, kick)};
  for (int32_t i = 0; i < n; i++) {
    const double w = row_times(&A, i, u) + soft[i]*x[i] - target[i];
    rhs[i] = w - row_times(&A, i, kick) - soft[i]*x[i];
    if (hi[i] == (double)INFINITY) worth->approach = fmax(worth->approach, -w);
  }
  const perp_problem problem = {.A = perp_from_product(&A, 0), .b = rhs, .lo = lo, .hi = hi};
  perp_certificate certificate = {0};
  if (n > 0 && perp_certify(&problem, x, 1e-8, 0.0, NULL, &certificate) != PERP_OK)
    certificate.residual = (double)INFINITY;
  worth->residual = certificate.residual;
  void *const all[] = {rowptr, column, value, rhs, lo, hi, x, soft, push, kick, u, target, b.local,
                       b.W};
  for (size_t k = 0; k < sizeof all/sizeof *all; k++) free(all[k]);
}
