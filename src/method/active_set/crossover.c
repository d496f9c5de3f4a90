// crossover.c: guesses the active set, solves A_II x_I = -(b + A_IF x_F)_I, and flips wrong rows.
//
// A_II may be singular, as when contacts are redundant. The proximal steps from the iterate x
//     (A_II + sigma I) d = -(A x + b)_I,   x_I <- x_I + d
// converge for monotone A to a solution nearby if there is one (Rockafellar 1976). For a regular
// A_II they are iterative refinement. All rows with wrong signs flip at once (block principal
// pivoting, Kostreva 1978) while that halves their number. Cost: a factorisation and a few solves
// per set.
#include "crossover.h"

#include <math.h>
#include <string.h>

#include "balance.h"
#include "vector.h"

// After each semicolon: what another value does to the problems of bench/kit/ablation.c.
#define SIGMA 1e-9            // shift of the scaled diagonal; 1e-3: up to 2.5 times the work
#define DOUBT_RATIO_MIN 0.01  // smaller over larger of x_i - bound and y_i, above which row i is
                              //   doubtful; 1: walls take 1.25 times the work
#define IDLE_POLISH_STEPS_MAX 3   // polishing steps in a row that do not halve the gap; 1: POWELL20
                                  //   ends with a dual residual of 7.4e-9, not 0

void crossover_layout(crossover *c, arena *memory, int32_t n) {
  double **const vectors[] = {&c->scale, &c->x, &c->y, &c->d, &c->q, &c->last};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  c->state = ARENA_ARRAY(memory, uint8_t, n);
  c->guess = ARENA_ARRAY(memory, uint8_t, n);
  c->is_free = ARENA_ARRAY(memory, uint8_t, n);
  c->seen = ARENA_ARRAY(memory, uint64_t, CROSSOVER_SETS_MAX);
  c->tried = 0;
}

// Rows and columns get the same scale, which keeps A monotone.
void crossover_begin(crossover *c, const perp_run *run) {
  const perp_operator_ops *ops = run->A.ops;
  const int32_t n = run->n;
  c->tried = c->rounded = 0;
  c->sigma = 0.0;
  c->level = (double)INFINITY;
  for (int32_t i = 0; i < n; i++) {
    c->scale[i] = 1.0;
    c->guess[i] = HELD;
  }
  if (ops->row_col_max != NULL) {
    for (int pass = 0; pass < 4; pass++) {
      ops->row_col_max(run->A.self, c->scale, c->scale, c->x, c->y);
      for (int32_t i = 0; i < n; i++) c->scale[i] *= power_near_root(max2(c->x[i], c->y[i]), 300);
    }
  } else if (ops->diagonal != NULL) {
    ops->diagonal(run->A.self, c->x);
    for (int32_t i = 0; i < n; i++) c->scale[i] = power_near_root(c->x[i], 300);
  }
}

int32_t crossover_guess(crossover *c, const perp_run *run, const double *x, const double *y) {
  int32_t changed = 0;
  c->doubtful = 0;
  for (int32_t i = 0; i < run->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i);
    const double pull = c->scale[i]*c->scale[i]*y[i];   // y_i in the units of x_i
    const crossover_state now = lo == hi || run_settled(run, i) ? HELD
                                : pull > x[i] - lo              ? AT_LOWER
                                : pull < x[i] - hi              ? AT_UPPER
                                                                : INSIDE;
    const double room = now == AT_LOWER || (now == INSIDE && pull > 0.0) ? x[i] - lo : hi - x[i];
    const double less = min2(fabs(pull), room), more = max2(fabs(pull), room);
    c->doubtful += now != HELD && room < (double)INFINITY && less > DOUBT_RATIO_MIN*more;
    changed += now != c->guess[i];
    c->guess[i] = (uint8_t)now;
  }
  return changed;
}

static uint64_t signature(const crossover *c, int32_t n) {   // FNV-1a of the states
  uint64_t h = 14695981039346656037u;
  for (int32_t i = 0; i < n; i++) h = (h ^ c->state[i])*1099511628211u;
  return h;
}

// 1: these states are new. They are remembered.
static int remember(crossover *c, int32_t n) {
  const uint64_t h = signature(c, n);
  const int32_t known = c->tried < CROSSOVER_SETS_MAX ? c->tried : CROSSOVER_SETS_MAX;
  for (int32_t k = 0; k < known; k++)
    if (c->seen[k] == h) return 0;
  c->seen[c->tried++%CROSSOVER_SETS_MAX] = h;
  return 1;
}

// Systems that lift small pivots themselves need no weight.
static double proximal_weight(const crossover *c, const face *system) {
  return c->sigma > 0.0 ? c->sigma : face_lifts(system) ? 0.0 : SIGMA;
}

// The x of a row that is not INSIDE. HELD: fixed, or solved exactly by the point nearest to 0.
static double held_at(const crossover *c, int32_t i, double lo, double hi) {
  return c->state[i] == AT_UPPER ? hi : c->state[i] == AT_LOWER ? lo : clamp(0.0, lo, hi);
}

// Reduces y_I with the current factor until it is at most `enough`, scaled. 0: success; 1: y_I is
// not finite; -1: the operator aborted.
static int settle(crossover *c, perp_run *run, face *system, double enough) {
  const int32_t n = run->n;
  double before = (double)INFINITY;
  for (int step = 0;; step++) {
    if (run_apply(run, c->x, c->y) != 0) return -1;
    double size = 0.0;
    for (int32_t i = 0; i < n; i++) {
      c->d[i] = c->state[i] == INSIDE ? -c->y[i] : 0.0;
      size = max_or_nan(size, c->scale[i]*fabs(c->d[i]));
    }
    if (size <= enough) return 0;
    if (!(size < 0.5*before)) break;
    before = size;
    // The first solve checks the factor.
    if (face_solve(system, c->d, step == 0 ? 2 : -1) != 0) return 1;
    for (int32_t i = 0; i < n; i++) c->x[i] += c->state[i] == INSIDE ? c->d[i] : 0.0;
  }
  return run_apply(run, c->x, c->y) != 0 ? -1 : 0;
}

// Reduces y_I of a quadratic program to the last digits, because its gap multiplies y_i by
// multipliers of any size. Keeps the x with the smallest gap, sum |x_i y_i|. 0: the gap is as small
// as rounding; 1: it is not; -1: the operator aborted.
static int polish(crossover *c, perp_run *run, face *system) {
  const int32_t n = run->n;
  double best = (double)INFINITY, noise = 0.0;
  memcpy(c->last, c->x, (size_t)n*sizeof *c->x);
  for (int idle = 0;;) {
    if (run_apply_exactly(run, c->x, c->y, c->q) != 0) return -1;
    double gap = 0.0, rounding = 0.0;
    for (int32_t i = 0; i < n; i++) {
      c->d[i] = c->state[i] == INSIDE ? -c->y[i] : 0.0;
      gap += fabs(c->x[i]*c->d[i]);
      rounding += c->state[i] == INSIDE ? fabs(c->x[i])*c->q[i] : 0.0;
    }
    if (!(gap < (double)INFINITY)) break;
    idle = gap < 0.5*best ? 0 : idle + 1;
    if (gap < best) {
      best = gap;
      noise = 0x1p-53*rounding;
      memcpy(c->last, c->x, (size_t)n*sizeof *c->x);
    }
    if (idle == IDLE_POLISH_STEPS_MAX || face_solve(system, c->d, -1) != 0) break;
    for (int32_t i = 0; i < n; i++) c->x[i] += c->state[i] == INSIDE ? c->d[i] : 0.0;
  }
  memcpy(c->x, c->last, (size_t)n*sizeof *c->x);
  if (run_apply(run, c->x, c->y) != 0) return -1;
  return best <= noise ? 0 : 1;
}

// Factors A_II + sigma I, scaled. Returns as face_update.
static int factor(crossover *c, perp_run *run, face *system, double sigma) {
  for (int32_t i = 0; i < run->n; i++) {
    c->is_free[i] = c->state[i] == INSIDE;
    c->q[i] = sigma/(c->scale[i]*c->scale[i]);
  }
  const perp_deadline deadline = run_deadline(run);
  face_diagonal(system, NULL, c->q);
  return face_update(system, c->is_free, &deadline);
}

// Solves with x at the bounds where held, and y_I = 0 elsewhere. 0, or as face_update.
static int solve_states(crossover *c, perp_run *run, face *system, double sigma,
                        double enough) {
  const int32_t n = run->n;
  for (int32_t i = 0; i < n; i++) {
    const int inside = c->state[i] == INSIDE;
    const double lo = lower(run->lo, i), hi = upper(run->hi, i);
    if (!inside) c->x[i] = held_at(c, i, lo, hi);
    else c->x[i] = clamp(c->x[i], lo, hi);
  }
  const int failed = factor(c, run, system, sigma);
  run->regularization = sigma;
  return failed != 0 ? failed : settle(c, run, system, enough);
}

// Sets *next to the state that row i should have. Returns by how much it is wrong, scaled; 0: it is
// right.
static double wrong(const crossover *c, const perp_run *run, int32_t i, crossover_state *next) {
  const double t = c->scale[i];
  switch ((crossover_state)c->state[i]) {
    case AT_LOWER: *next = INSIDE; return max2(0.0, -t*c->y[i]);
    case AT_UPPER: *next = INSIDE; return max2(0.0, t*c->y[i]);
    case INSIDE:
      *next = c->x[i] < lower(run->lo, i) ? AT_LOWER : AT_UPPER;
      return max2(0.0, max2(lower(run->lo, i) - c->x[i], c->x[i] - upper(run->hi, i))/t);
    case HELD: break;
  }
  return 0.0;
}

// Submits the clamped x to the run. 1: the run has ended.
static int offer(crossover *c, perp_run *run) {
  const int32_t n = run->n;
  for (int32_t i = 0; i < n; i++)
    c->d[i] = clamp(c->x[i], lower(run->lo, i), upper(run->hi, i));
  if (run_apply(run, c->d, c->q) != 0) return 1;
  const double residual = run_residual(run, c->d, c->q);
  if (!(residual < run->residual)) return 0;
  memcpy(run->x, c->d, (size_t)n*sizeof *run->x);
  run->residual = residual;
  return residual <= 1e3*run->options->tol && run_check(run);
}

static int out_of_time(perp_run *run) {
  run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached in the crossover");
  return 1;
}

// Submits a neighbour of x whose primal and dual objectives agree, then x itself. 1: the run has
// ended.
static int offer_balanced(crossover *c, perp_run *run) {
  const int32_t n = run->n;
  for (int32_t i = 0; i < n; i++) c->x[i] = clamp(c->x[i], lower(run->lo, i), upper(run->hi, i));
  memcpy(c->last, c->x, (size_t)n*sizeof *c->x);
  if (run_apply_exactly(run, c->x, c->y, c->q) != 0) return 1;
  balance_objectives(run, c->q, c->x, c->y);
  if (offer(c, run)) return 1;
  memcpy(c->x, c->last, (size_t)n*sizeof *c->x);
  return offer(c, run);
}

// Submits x once more with 0 in place of values no larger than sigma, which sigma may have made: a
// variable without a quadratic term may need a multiplier of exactly 0. 1: the run has ended.
static int offer_zeros(crossover *c, perp_run *run) {
  const int32_t n = run->n;
  double largest = 0.0;
  int changed = 0;
  for (int32_t i = 0; i < n; i++) largest = max2(largest, fabs(c->x[i])/c->scale[i]);
  for (int32_t i = 0; i < n; i++) {
    if (c->x[i] == 0.0 || fabs(c->x[i])/c->scale[i] > SIGMA*largest) continue;
    c->x[i] = 0.0;
    changed = 1;
  }
  return changed && offer(c, run);
}

// Polishes x once the set of a quadratic program is right. If the system is too ill-conditioned for
// that, sigma is dropped. 1: the run has ended.
static int finish_program(crossover *c, perp_run *run, face *system) {
  int left = polish(c, run, system);
  if (left == 1 && !run_out_of_time(run)) {
    run->factorizations++;
    if (solve_states(c, run, system, 0.0, 0.0) == 0) left = polish(c, run, system);
  }
  if (left < 0) return 0;
  if (offer_balanced(c, run)) return 1;
  c->rounded += run_rounded(run, c->d);
  return 0;
}

int crossover_run(crossover *c, perp_run *run, face *system, const double *x) {
  const int32_t n = run->n;
  memcpy(c->state, c->guess, (size_t)n);
  memcpy(c->x, x, (size_t)n*sizeof *x);
  // Rounding of y_i is not a wrong sign: below the tolerance nothing is flipped.
  double size = 0.0;
  for (int32_t i = 0; i < n; i++) size = max2(size, c->scale[i]*fabs(run->b[i]));
  const double tolerance = 1e-3*run->options->tol*size;
  const int kkt = face_quasidefinite(system);
  const int repeated = !remember(c, n);   // try a set again only from a much better x
  if (repeated && !(run->residual < 0.01*c->level)) return 0;
  c->level = run->residual;
  for (int32_t fewest = INT32_MAX;;) {
    if (run_out_of_time(run)) return out_of_time(run);
    const double sigma = proximal_weight(c, system);
    int failed = solve_states(c, run, system, sigma, 0.1*tolerance);
    run->factorizations++;
    if (failed > 0) failed = solve_states(c, run, system, 1e4*max2(sigma, SIGMA), 0.1*tolerance);
    if (failed != 0) return failed == -1 && out_of_time(run);
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
      crossover_state next = HELD;
      if (!(wrong(c, run, i, &next) > tolerance)) continue;
      c->state[i] = (uint8_t)next;
      count++;
    }
    if (!(kkt && count == 0) && offer(c, run)) return 1;   // otherwise x is polished first
    if (count == 0) {   // the set is right: solve to the last digit
      if (kkt) return finish_program(c, run, system);
      return (settle(c, run, system, 0.0) == 0 && offer(c, run)) || offer_zeros(c, run);
    }
    if (count > fewest/2) return 0;
    fewest = count;
    remember(c, n);
  }
}
