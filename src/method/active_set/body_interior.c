// body_interior.c: interior points for A = B B' + S, contacts between bodies, from a guess.
//
// The velocities u = B'x that the impulses x give to the bodies are unknowns of their own. With
// s = x - lo, t = hi - x and multipliers z, w > 0, Newton's method on
//     B u + S x + b - z + w = 0,   u - B'x = 0,   s_i z_i = p_i,   t_i w_i = p_i
// leaves one system per step, as large as the bodies' velocities, with E = S + z/s + w/t + delta:
//     H du = B'x - u + B'E^-1 r,   H = I + B'E^-1 B,   dx = E^-1 (r - B du),
//     r = -(z - w + rest) + (p - c)/s - (p - d)/t,   rest = B u + S x + b - z + w,
// where c and d are the second-order terms of Mehrotra's corrector (1992) and p = sigma mu.
//
// A row is done once s_i or z_i is below a part of the tolerance: it keeps its product and does not
// count in mu. Redundant contacts need this: rows of B depend on each other, and the same combination
// of b is zero up to rounding. Degenerate rows there have s_i = z_i and would need products of 1e-18,
// so that rounding determines x. Because such rows are done early, E stays far above the rounding of
// B u. The steps update `rest` and never compute it from u again, so its error is relative to `rest`
// and not to b. The next step corrects the rounding of dx as part of B'x - u, so no refinement is
// needed. delta is a proximal term that keeps H bounded.
// The start is near the central path and the guess: s - z = x - y and s z = mu0, where mu0 is a
// tenth of the squared natural residual of the guess.
// Converges on feasible monotone problems, which are solvable (Wright 1997, ch. 6). Without strict
// complementarity mu falls by a factor of 4 or less per step, which takes 20 to 40 steps.
// Cost per step: a factor of the body graph, up to five solves with it, and a few passes over B.
#include "body_interior.h"

#include <math.h>
#include <string.h>

#include "barrier.h"
#include "face_kind.h"

// How far to go below a limit. It scales three numbers: the limits of rows that are done, relative
// to the tolerance; the aims of other rows, relative to these limits; and mu0, relative to the
// guess. With 1, walls that a ball hits take 1.4 times the work.
#define DONE_RATIO 0.1

// 24 steps of a wall of 1012 bricks that a ball hits take 406 factorisations with these values.
#define BOUNDARY_FRACTION 0.99  // of the way to the boundary; 0.995: 30 factorisations more
#define CORRECTIONS_MAX 3       // more right-hand sides per step; 2: 23 factorisations more

typedef struct step { double *x, *z, *w, *u; } step;   // n, n, n, dofs

typedef struct points {      // everything in units in which the diagonal of A is near 1
  perp_run *run;
  face *bodies;
  const body_rows *B;
  const double *r;           // n: x = r x', y' = r y; powers of two
  int32_t n, dofs;
  int64_t pairs;             // number of finite bounds
  uint8_t *kind;             // n
  double *x, *s, *z, *t, *w; // n: x, distances to the bounds and their multipliers
  double *rest;              // n: residual of the linear equations
  double *E, *rhs;           // n each; E holds E^-1 after prepare()
  double *c, *d;             // n: second-order terms, or corrections
  double *done_distance, *done_multiplier;   // n each: a row with less s_i or less z_i is done
  double *y, *best;          // n: y of the candidate, in the run's units; a copy of x
  double *u, *gap;           // dofs: velocities, B'x - u
  step now, kept;            // a step, and a copy of it
  double delta;
  double mu;
} points;

static double lo_of(const points *p, int32_t i) { return lower(p->run->lo, i)/p->r[i]; }
static double hi_of(const points *p, int32_t i) { return upper(p->run->hi, i)/p->r[i]; }

static double row_times(const body_rows *B, int32_t i, const double *u) {
  double sum = 0.0;
  for (int32_t k = B->rowptr[i]; k < B->rowptr[i + 1]; k++) sum += B->value[k]*u[B->column[k]];
  return sum;
}

static void add_row(const body_rows *B, int32_t i, double f, double *u) {
  for (int32_t k = B->rowptr[i]; k < B->rowptr[i + 1]; k++) u[B->column[k]] += f*B->value[k];
}

// The part of a product that does not count in mu: all of it if the row is done.
static double beyond(const points *p, int32_t i, double s, double z) {
  if (s <= p->done_distance[i] || z <= p->done_multiplier[i]) return s*z;
  return DONE_RATIO*max2(p->done_multiplier[i]*s, p->done_distance[i]*z);
}

// ---- the step ----

// Computes E, mu, and B'x - u.
static void prepare(points *p) {
  double sum = 0.0;
  for (int32_t j = 0; j < p->dofs; j++) p->gap[j] = -p->u[j];
  for (int32_t i = 0; i < p->n; i++) {
    double q = p->delta;
    if (p->kind[i] & HAS_LO) {
      q += p->z[i]/p->s[i];
      sum += max2(p->s[i]*p->z[i] - beyond(p, i, p->s[i], p->z[i]), 0.0);
    }
    if (p->kind[i] & HAS_HI) {
      q += p->w[i]/p->t[i];
      sum += max2(p->t[i]*p->w[i] - beyond(p, i, p->t[i], p->w[i]), 0.0);
    }
    p->E[i] = p->kind[i] & FIXED ? (double)INFINITY : p->B->slack[i] + q;
    add_row(p->B, i, p->x[i], p->gap);
  }
  p->mu = p->pairs > 0 ? sum/(double)p->pairs : 0.0;
}

static int factor(points *p) {
  perp_run *run = p->run;
  const perp_deadline deadline = run_deadline(run);
  for (; p->delta <= DELTA_MAX; p->delta *= DELTA_FACTOR) {
    prepare(p);
    const int code = face_body_factor(p->bodies, p->E, &deadline);
    run_factored(run, 1, face_nnz(p->bodies));
    if (code < 0) return 0;
    if (code > 0) continue;
    for (int32_t i = 0; i < p->n; i++) p->E[i] = 1.0/p->E[i];
    return 1;
  }
  return 0;
}

// Solves for du and dx; now.u holds the right-hand side without B'E^-1 rhs. 1: dx is finite.
static int solve(points *p) {
  double bad = 0.0;
  for (int32_t i = 0; i < p->n; i++) add_row(p->B, i, p->rhs[i] *= p->E[i], p->now.u);
  face_body_velocities(p->bodies, p->now.u);
  for (int32_t i = 0; i < p->n; i++) {
    p->now.x[i] = p->kind[i] & FIXED
                      ? 0.0 : p->rhs[i] - p->E[i]*row_times(p->B, i, p->now.u);
    bad += p->now.x[i] - p->now.x[i];
  }
  return bad == 0.0;
}

// The Newton step to s_i z_i = centre - c_i, t_i w_i = centre - d_i.
static int direction(points *p, double centre) {
  memcpy(p->now.u, p->gap, (size_t)p->dofs*sizeof *p->gap);
  for (int32_t i = 0; i < p->n; i++) {
    double r = -(p->z[i] - p->w[i] + p->rest[i]);
    if (p->kind[i] & HAS_LO) {
      p->c[i] = centre + beyond(p, i, p->s[i], p->z[i]) - p->c[i];
      r += p->c[i]/p->s[i];
    }
    if (p->kind[i] & HAS_HI) {
      p->d[i] = centre + beyond(p, i, p->t[i], p->w[i]) - p->d[i];
      r -= p->d[i]/p->t[i];
    }
    p->rhs[i] = r;
  }
  if (!solve(p)) return 0;
  for (int32_t i = 0; i < p->n; i++) {
    const double dx = p->now.x[i];
    p->now.z[i] = p->kind[i] & HAS_LO ? (p->c[i] - p->z[i]*dx)/p->s[i] - p->z[i] : 0.0;
    p->now.w[i] = p->kind[i] & HAS_HI ? (p->d[i] + p->w[i]*dx)/p->t[i] - p->w[i] : 0.0;
  }
  return 1;
}

static double to_boundary(const points *p) {
  double a = 1e300;
  for (int32_t i = 0; i < p->n; i++) {
    const double dx = p->now.x[i];
    if (p->kind[i] & HAS_LO) {
      if (dx < 0.0 && -p->s[i] > a*dx) a = -p->s[i]/dx;
      if (p->now.z[i] < 0.0 && -p->z[i] > a*p->now.z[i]) a = -p->z[i]/p->now.z[i];
    }
    if (p->kind[i] & HAS_HI) {
      if (dx > 0.0 && p->t[i] < a*dx) a = p->t[i]/dx;
      if (p->now.w[i] < 0.0 && -p->w[i] > a*p->now.w[i]) a = -p->w[i]/p->now.w[i];
    }
  }
  return a;
}

static double mean_product(const points *p, double a) {   // mu after such a step
  double sum = 0.0;
  for (int32_t i = 0; i < p->n; i++) {
    const double dx = a*p->now.x[i];
    if (p->kind[i] & HAS_LO) {
      const double s = p->s[i] + dx, z = p->z[i] + a*p->now.z[i];
      sum += max2(s*z - beyond(p, i, s, z), 0.0);
    }
    if (p->kind[i] & HAS_HI) {
      const double t = p->t[i] - dx, w = p->w[i] + a*p->now.w[i];
      sum += max2(t*w - beyond(p, i, t, w), 0.0);
    }
  }
  return p->pairs > 0 ? sum/(double)p->pairs : 0.0;
}

static void move(points *p, double a) {
  for (int32_t j = 0; j < p->dofs; j++) p->u[j] += a*p->now.u[j];
  for (int32_t i = 0; i < p->n; i++) {
    const double dx = a*p->now.x[i];
    p->x[i] += dx;
    p->rest[i] = (1.0 - a)*p->rest[i] - p->delta*dx;
    if (p->kind[i] & HAS_LO) {
      p->s[i] = positive(p->s[i] + dx);
      p->z[i] = positive(p->z[i] + a*p->now.z[i]);
    }
    if (p->kind[i] & HAS_HI) {
      p->t[i] = positive(p->t[i] - dx);
      p->w[i] = positive(p->w[i] + a*p->now.w[i]);
    }
    // The smaller distance is the accurate one, so x follows from it.
    const int low = p->kind[i] & HAS_LO && (!(p->kind[i] & HAS_HI) || p->s[i] <= p->t[i]);
    if (low) p->x[i] = lo_of(p, i) + p->s[i];
    else if (p->kind[i] & HAS_HI) p->x[i] = hi_of(p, i) - p->t[i];
  }
}

static void copy(const points *p, const step *to, const step *from) {
  const size_t bytes = (size_t)p->n*sizeof(double);
  memcpy(to->x, from->x, bytes);
  memcpy(to->z, from->z, bytes);
  memcpy(to->w, from->w, bytes);
  memcpy(to->u, from->u, (size_t)p->dofs*sizeof *to->u);
}

// Adds one more right-hand side to a step that reaches the boundary at length `reach`. Returns the
// reach of the corrected step, or `reach` if the correction gained nothing and was undone.
static double correct(points *p, double centre, double reach) {
  const double aim = min2(1.0, 1.1*reach + 0.1);
  copy(p, &p->kept, &p->now);
  memset(p->now.u, 0, (size_t)p->dofs*sizeof *p->now.u);
  for (int32_t i = 0; i < p->n; i++) {
    const double dx = aim*p->now.x[i];
    p->rhs[i] = 0.0;
    if (p->kind[i] & HAS_LO) {
      p->c[i] = towards(centre + beyond(p, i, p->s[i], p->z[i]),
                        (p->s[i] + dx)*(p->z[i] + aim*p->now.z[i]));
      p->rhs[i] += p->c[i]/p->s[i];
    }
    if (p->kind[i] & HAS_HI) {
      p->d[i] = towards(centre + beyond(p, i, p->t[i], p->w[i]),
                        (p->t[i] - dx)*(p->w[i] + aim*p->now.w[i]));
      p->rhs[i] -= p->d[i]/p->t[i];
    }
  }
  double longer = 0.0;
  if (solve(p)) {
    for (int32_t i = 0; i < p->n; i++) {
      const double dx = p->now.x[i];
      if (p->kind[i] & HAS_LO) p->now.z[i] += (p->c[i] - p->z[i]*dx)/p->s[i];
      if (p->kind[i] & HAS_HI) p->now.w[i] += (p->d[i] + p->w[i]*dx)/p->t[i];
      p->now.x[i] += p->kept.x[i];
    }
    for (int32_t j = 0; j < p->dofs; j++) p->now.u[j] += p->kept.u[j];
    longer = to_boundary(p);
  }
  if (longer > reach) return longer;
  copy(p, &p->now, &p->kept);
  return reach;
}

// One step. Mehrotra: the reach of the affine step shows how much centring is needed. 0: no finite
// step, or no time.
static int advance(points *p) {
  if (!factor(p)) return 0;
  memset(p->c, 0, (size_t)p->n*sizeof *p->c);
  memset(p->d, 0, (size_t)p->n*sizeof *p->d);
  if (!direction(p, 0.0)) return 0;
  const double after = mean_product(p, min2(to_boundary(p), 1.0));
  const double ratio = p->mu > 0.0 ? clamp(after/p->mu, 0.0, 1.0) : 0.0;
  const double centre = p->mu*ratio*ratio*ratio;
  for (int32_t i = 0; i < p->n; i++) {
    p->c[i] = p->now.x[i]*p->now.z[i];
    p->d[i] = -p->now.x[i]*p->now.w[i];
  }
  if (!direction(p, centre)) return 0;
  double reach = to_boundary(p);
  for (int k = 0; k < CORRECTIONS_MAX && reach < 1.0; k++) {
    const double longer = correct(p, centre, reach);
    if (longer == reach) break;
    reach = longer;
  }
  move(p, min2(1.0, BOUNDARY_FRACTION*reach));
  return 1;
}

// ---- begin and end ----

static double on_path(double v, double mu) {   // s with s - z = v, s z = mu
  const double root = sqrt(v*v + 4.0*mu);
  return positive(v > 0.0 ? 0.5*(v + root) : 2.0*mu/(root - v));
}

static void place(points *p, int32_t i, double y, double mu) {
  const double lo = lo_of(p, i), hi = hi_of(p, i);
  if (p->kind[i] & HAS_LO && p->kind[i] & HAS_HI) {
    const double room = hi - lo, least = min2(0.25*room, sqrt(mu));
    p->s[i] = clamp(p->x[i] - lo, least, room - least);
    p->t[i] = room - p->s[i];
    p->z[i] = max2(y, 0.0) + mu/p->s[i];
    p->w[i] = max2(-y, 0.0) + mu/p->t[i];
    p->x[i] = lo + p->s[i];
  } else if (p->kind[i] & HAS_LO) {
    p->s[i] = on_path(p->x[i] - lo - y, mu);
    p->z[i] = positive(mu/p->s[i]);
    p->x[i] = lo + p->s[i];
  } else if (p->kind[i] & HAS_HI) {
    p->t[i] = on_path(hi - p->x[i] + y, mu);
    p->w[i] = positive(mu/p->t[i]);
    p->x[i] = hi - p->t[i];
  }
}

static void velocities(points *p) {   // u = B'x, and y from there
  memset(p->u, 0, (size_t)p->dofs*sizeof *p->u);
  for (int32_t i = 0; i < p->n; i++) add_row(p->B, i, p->x[i], p->u);
  for (int32_t i = 0; i < p->n; i++)
    p->rest[i] = row_times(p->B, i, p->u) + p->B->slack[i]*p->x[i] + p->r[i]*p->run->b[i];
}

static void begin(points *p) {
  const perp_run *run = p->run;
  double natural = 0.0;
  run_units(run, p->done_multiplier);
  for (int32_t i = 0; i < p->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i),
                 small = DONE_RATIO*run->options->tol;
    const int settled = run_settled(run, i);
    p->kind[i] = lo == hi || settled ? FIXED : (uint8_t)((lo > -(double)INFINITY ? HAS_LO : 0) |
                                                         (hi < (double)INFINITY ? HAS_HI : 0));
    p->pairs += (p->kind[i] & HAS_LO ? 1 : 0) + (p->kind[i] & HAS_HI ? 1 : 0);
    p->s[i] = p->z[i] = p->t[i] = p->w[i] = 0.0;
    p->x[i] = clamp(settled ? 0.0 : run->x[i], lo, hi)/p->r[i];
    p->done_multiplier[i] = p->r[i]*small/p->done_multiplier[i];
    p->done_distance[i] = small/(run->weight[i]*p->r[i]);
  }
  velocities(p);
  for (int32_t i = 0; i < p->n; i++)
    if (!(p->kind[i] & FIXED))
      natural = max2(natural, fabs(p->x[i] - clamp(p->x[i] - p->rest[i], lo_of(p, i),
                                                   hi_of(p, i))));
  for (int32_t i = 0; i < p->n; i++) place(p, i, p->rest[i], DONE_RATIO*natural*natural);
  velocities(p);
  for (int32_t i = 0; i < p->n; i++) p->rest[i] -= p->z[i] - p->w[i];
}

// Copies x into run->x, at a bound if the distance is less than the multiplier. 1: the run has
// ended.
static int present(points *p) {
  perp_run *run = p->run;
  for (int32_t i = 0; i < p->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i);
    double x = clamp(p->r[i]*p->x[i], lo, hi);
    if (p->kind[i] & HAS_LO && p->s[i] < p->z[i]) x = lo;
    else if (p->kind[i] & HAS_HI && p->t[i] < p->w[i]) x = hi;
    run->x[i] = x;
  }
  if (run_apply(run, run->x, p->y) != 0) return 1;
  run->residual = run_residual(run, run->x, p->y);
  return 0;
}

static void reduce_done_limits(points *p) {
  for (int32_t i = 0; i < p->n; i++) {
    p->done_multiplier[i] *= DONE_RATIO;
    p->done_distance[i] *= DONE_RATIO;
  }
}

// If all multipliers are within the tolerance, as in a wall at rest, further steps make x so
// accurate that the next steps of the scene can start from it. Without them they take three times
// as many iterations.
static void settle(points *p) {
  perp_run *run = p->run;
  const size_t bytes = (size_t)p->n*sizeof(double);
  for (int32_t i = 0; i < p->n; i++)   // the tolerance is done_multiplier/DONE_RATIO
    if (DONE_RATIO*max2(p->z[i], p->w[i]) > p->done_multiplier[i]) return;
  reduce_done_limits(p);
  while (run->residual > DONE_RATIO*run->options->tol) {
    const double before = run->residual;
    memcpy(p->best, run->x, bytes);
    if (advance(p) && !present(p) && run->residual < before) continue;
    memcpy(run->x, p->best, bytes);
    run->residual = before;
    return;
  }
}

static int iterate(points *p) {
  perp_run *run = p->run;
  double best = (double)INFINITY, least = (double)INFINITY;
  int32_t idle = 0;
  begin(p);
  while (idle < IDLE_STEPS_MAX && run_continue(run)) {
    if (!advance(p)) return run_out_of_time(run) && !run_continue(run);
    if (present(p)) return 1;
    if (run->residual <= run->options->tol) settle(p);
    const int better = run->residual < 0.5*best || p->mu < 0.1*least;
    idle = better ? 0 : idle + 1;
    if (idle == IDLE_STEPS_MAX/2) reduce_done_limits(p);
    if (run->residual < 0.5*best) best = run->residual;
    if (p->mu < 0.1*least) least = p->mu;
  }
  return run_ended(run) || !run_continue(run);
}

static int take_memory(points *p) {
  const size_t n = (size_t)p->n, dofs = (size_t)p->dofs;
  double **const rows[] = {&p->x, &p->s, &p->z, &p->t, &p->w, &p->rest, &p->E, &p->rhs, &p->c,
                           &p->d, &p->done_distance, &p->done_multiplier, &p->y, &p->best,
                           &p->now.x, &p->now.z, &p->now.w, &p->kept.x, &p->kept.z, &p->kept.w};
  double **const columns[] = {&p->u, &p->gap, &p->now.u, &p->kept.u};
  const size_t count = sizeof rows/sizeof rows[0], more = sizeof columns/sizeof columns[0];
  double *memory = run_allocate(p->run, (count*n + more*dofs + 1)*sizeof *memory);
  p->kind = memory != NULL ? run_allocate(p->run, n + 1) : NULL;
  if (p->kind == NULL) return 0;
  for (size_t k = 0; k < count; k++) *rows[k] = memory + k*n;
  for (size_t k = 0; k < more; k++) *columns[k] = memory + count*n + k*dofs;
  return 1;
}

int body_interior_apply(const perp_run *run, const face *f) {
  const double *r;
  if (face_body_rows(f, &r) == NULL) return 0;
  for (int32_t i = 0; i < run->n; i++)
    if (unbounded(run->lo, run->hi, i)) return 0;
  return 1;
}

int body_interior(perp_run *run, face *f) {
  points p = {.run = run, .bodies = f, .n = run->n, .delta = DELTA_FIRST};
  p.B = face_body_rows(f, &p.r);
  p.dofs = p.B->dofs;
  return !take_memory(&p) || iterate(&p);
}
