// crossover.c: guesses the active set, solves A_II x_I = -(b + A_IF x_F)_I, and flips wrong rows.
//
// A_II may be singular, as when contacts are redundant. The proximal steps from the iterate x
//     (A_II + sigma I) d = -(A x + b)_I,   x_I <- x_I + d
// converge for monotone A to a solution nearby if there is one (Rockafellar 1976). For a regular
// A_II they are iterative refinement. All rows with wrong signs flip at once (block principal
// pivoting, Kostreva 1978). When their number stops falling, only the last one flips (Judice and
// Pires 1994: finite for P-matrices), and so it does if the set was tried before. Cost: a
// factorisation and a few solves per set.
#include "crossover.h"

#include <math.h>
#include <string.h>

#include "balance.h"
#include "vector.h"

#define SIGMA 1e-9                // proximal weight sigma, relative to the scaled diagonal
#define SIGMA_QUASI 1e-7          // sigma of KKT systems: keeps pivots on the diagonal
#define SIGMA_LIFTED 1e-13        // sigma of systems that lift small pivots themselves
#define PROXIMAL_STEPS_MAX 8      // proximal steps per set
#define SIGMA_FACTOR 1e-3         // reduction of sigma if the system is ill-conditioned
#define SIGMA_MIN 1e-17           // proximal weight at which sigma stops falling
#define ROUNDING_GAP_RATIO 0.25   // gap over the bound of its rounding: less can hardly improve
#define POLISH_STEPS_MAX 30       // steps with compensated residuals
#define IDLE_POLISH_STEPS_MAX 3   // such steps in a row that do not halve the gap
#define ZERO_VALUE_MAX 1e-9       // relative to the largest x_i, in scaled units: tried as 0
#define QUICK_ROUNDS_MAX 5        // rounds: a caller with so few can continue without a crossover
#define QUICK_WRONG_ROWS_MAX 100  // wrong rows that a few rounds can correct, or 5 per cent
#define DOUBT_RATIO_MIN 0.01      // smaller over larger of x_i - bound and y_i of a doubtful row
#define BLOCK_FLIPS_MAX 6         // block flips without fewer wrong rows before single flips

void crossover_layout(crossover *c, arena *memory, int32_t n) {
  double **const vectors[] = {&c->scale, &c->x, &c->y, &c->d, &c->q, &c->centre,
                              &c->last};
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

static double proximal_weight(const crossover *c, const face *system) {
  if (c->sigma > 0.0) return c->sigma;
  return face_lifts(system) ? SIGMA_LIFTED : face_quasidefinite(system) ? SIGMA_QUASI : SIGMA;
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
  for (int step = 0; step < PROXIMAL_STEPS_MAX; step++) {
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
  for (int step = 0, idle = 0; step < POLISH_STEPS_MAX && idle < IDLE_POLISH_STEPS_MAX; step++) {
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
    if (face_solve(system, c->d, -1) != 0) break;
    for (int32_t i = 0; i < n; i++) c->x[i] += c->state[i] == INSIDE ? c->d[i] : 0.0;
  }
  memcpy(c->x, c->last, (size_t)n*sizeof *c->x);
  if (run_apply(run, c->x, c->y) != 0) return -1;
  return best <= ROUNDING_GAP_RATIO*noise ? 0 : 1;
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

// Submits x once more with 0 in place of tiny values: a variable without a quadratic term may need a
// multiplier of exactly 0, and no size in the data tells which multipliers are tiny. 1: the run has
// ended.
static int offer_zeros(crossover *c, perp_run *run) {
  const int32_t n = run->n;
  double largest = 0.0;
  int changed = 0;
  for (int32_t i = 0; i < n; i++) largest = max2(largest, fabs(c->x[i])/c->scale[i]);
  for (int32_t i = 0; i < n; i++) {
    if (c->x[i] == 0.0 || fabs(c->x[i])/c->scale[i] > ZERO_VALUE_MAX*largest) continue;
    c->x[i] = 0.0;
    changed = 1;
  }
  return changed && offer(c, run);
}

// Polishes x once the set of a quadratic program is right. If the system is too ill-conditioned for
// that, sigma falls. 1: the run has ended.
static int finish_program(crossover *c, perp_run *run, face *system, double sigma) {
  int left = polish(c, run, system);
  while (left == 1 && sigma > SIGMA_MIN && !run_out_of_time(run)) {
    sigma = max2(SIGMA_FACTOR*sigma, SIGMA_MIN);
    const int failed = solve_states(c, run, system, sigma, 0.0);
    run->factorizations++;
    if (failed != 0) break;
    left = polish(c, run, system);
  }
  if (left < 0) return 0;
  if (offer_balanced(c, run)) return 1;
  c->rounded += run_rounded(run, c->d);
  return 0;
}

int crossover_run(crossover *c, perp_run *run, face *system, const double *x,
                  int32_t rounds) {
  const int32_t n = run->n;
  memcpy(c->state, c->guess, (size_t)n);
  memcpy(c->x, x, (size_t)n*sizeof *x);
  int32_t fewest = INT32_MAX;
  int tries = BLOCK_FLIPS_MAX;
  // Rounding of y_i is not a wrong sign: below the tolerance nothing is flipped.
  double size = 0.0;
  for (int32_t i = 0; i < n; i++) size = max2(size, c->scale[i]*fabs(run->b[i]));
  const double tolerance = 1e-3*run->options->tol*size;
  const int kkt = face_quasidefinite(system);
  for (int32_t round = 0; round < rounds; round++) {
    const int repeated = !remember(c, n);
    if (round == 0) {   // try a set again only from a much better x
      if (repeated && !(run->residual < 0.01*c->level)) return 0;
      c->level = run->residual;
    }
    if (run_out_of_time(run)) return out_of_time(run);
    const double sigma = proximal_weight(c, system);
    int failed = solve_states(c, run, system, sigma, 0.1*tolerance);
    run->factorizations++;
    if (failed > 0) failed = solve_states(c, run, system, 1e4*sigma, 0.1*tolerance);
    if (failed != 0) return failed == -1 && out_of_time(run);
    int32_t count = 0, last = -1;
    for (int32_t i = 0; i < n; i++) {
      crossover_state next = HELD;
      const double amount = wrong(c, run, i, &next);
      if (!(amount > tolerance)) continue;
      count++;
      last = i;
    }
    if (!(kkt && count == 0) && offer(c, run)) return 1;   // otherwise x is polished first
    const int hopeless = count > fewest/2 || (count > QUICK_WRONG_ROWS_MAX && count > n/20);
    if (count == 0) {   // the set is right: solve to the last digit
      if (kkt) return finish_program(c, run, system, sigma);
      if (settle(c, run, system, 0.0) == 0 && offer(c, run)) return 1;
      return offer_zeros(c, run);
    }
    if (rounds <= QUICK_ROUNDS_MAX && hopeless) return 0;
    if (count < fewest) {
      fewest = count;
      tries = BLOCK_FLIPS_MAX;
    } else {
      tries--;
    }
    const int single = (repeated && round > 0) || tries < 0;
    for (int32_t i = single ? last : 0; i <= last; i++) {
      crossover_state next = HELD;
      if (wrong(c, run, i, &next) > tolerance) c->state[i] = (uint8_t)next;
    }
  }
  return 0;
}

// ---- proximal steps ----

// If the entries of A were printed with six digits, eigenvalues that should be 0 have a size of 1e-5
// and either sign. Then that rounding determines x_I, not the forces, and the active set has to
// change until a vertex fits. The proximal steps
//     x <- the solution of the problem with A + sigma I, b - sigma x in place of A, b
// do that gradually. A sigma above the rounding makes each problem definite, so block pivoting
// solves it. For symmetric A each step decreases 1/2 x'A x + b'x, convex or not, so the steps end
// at a solution or go to infinity. sigma adapts to what block pivoting can solve.

#define PROXIMAL_SIGMA_FIRST 1e-6  // proximal weight to begin with, relative to the scaled diagonal
#define PROXIMAL_SIGMA_MAX 1e-1    // proximal weight beyond which the steps are given up
#define BLOCK_PIVOTS_MAX 40        // block pivots per proximal step

// Solves one proximal problem. 1: solved; 0: not solved; -1: out of time.
static int proximal_step(crossover *c, perp_run *run, face *system, double sigma,
                         int32_t *rounds, int *flips) {
  const int32_t n = run->n;
  int32_t fewest = INT32_MAX;
  int tries = 3;
  *flips = 0;
  for (int inner = 0; inner < BLOCK_PIVOTS_MAX && *rounds > 0; inner++) {
    for (int32_t i = 0; i < n; i++) {
      const int inside = c->state[i] == INSIDE;
      const double lo = lower(run->lo, i), hi = upper(run->hi, i);
      c->x[i] = inside ? c->centre[i] : held_at(c, i, lo, hi);
    }
    const int failed = factor(c, run, system, sigma);
    run->factorizations++;
    run->regularization = sigma;
    (*rounds)--;
    if (failed != 0) return failed == -1 ? -1 : 0;
    if (run_apply(run, c->x, c->y) != 0) return -1;
    for (int32_t i = 0; i < n; i++) c->d[i] = c->state[i] == INSIDE ? -c->y[i] : 0.0;
    if (face_solve(system, c->d, 2) != 0 || !(face_error(system) <= 1e-6)) return 0;
    for (int32_t i = 0; i < n; i++) c->x[i] += c->state[i] == INSIDE ? c->d[i] : 0.0;
    if (run_apply(run, c->x, c->y) != 0) return -1;
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
      const double t = c->scale[i];
      c->y[i] += sigma/(t*t)*(c->x[i] - c->centre[i]);
      largest = max_or_nan(largest, fabs(c->x[i])/t);
    }
    if (!(largest < (double)INFINITY)) return 0;
    int32_t count = 0, last = -1;
    for (int32_t i = 0; i < n; i++) {
      crossover_state next = HELD;
      if (!(wrong(c, run, i, &next) > 1e-13*largest)) continue;
      count++;
      last = i;
    }
    if (count == 0) return 1;
    *flips += count;
    if (count < fewest) {
      fewest = count;
      tries = 3;
    } else {
      tries--;
    }
    for (int32_t i = tries < 0 ? last : 0; i <= last; i++) {   // all, or the last one alone
      crossover_state next = HELD;
      if (wrong(c, run, i, &next) > 1e-13*largest) c->state[i] = (uint8_t)next;
    }
  }
  return 0;
}

// Places the next centre ahead of the iterate (Gueler: New proximal point algorithms for convex
// minimization, 1992). If the last centre was too far ahead, the extrapolation starts again.
// Returns the change of the iterate.
static double look_ahead(crossover *c, const perp_run *run, int *ahead) {
  double change = 0.0, turned = 0.0;
  for (int32_t i = 0; i < run->n; i++) {
    const double t = c->scale[i], step = (c->x[i] - c->last[i])/t;
    change = max2(change, fabs(step));
    turned += (c->centre[i] - c->x[i])/t*step;
  }
  *ahead = turned > 0.0 ? 0 : *ahead + 1;
  const double weight = *ahead/(*ahead + 3.0);
  for (int32_t i = 0; i < run->n; i++) {
    const double z = c->x[i] + weight*(c->x[i] - c->last[i]);
    c->last[i] = c->x[i];
    c->centre[i] = clamp(z, lower(run->lo, i), upper(run->hi, i));
  }
  return change;
}

// max |(A - A')v| for a vector v of signs, scaled. If A should be symmetric, this is about the
// rounding of its entries.
static double estimate_asymmetry(crossover *c, const face *system, int32_t n) {
  double largest = 0.0;
  for (int32_t i = 0; i < n; i++) c->d[i] = i%3 == 1 ? c->scale[i] : -c->scale[i];
  face_multiply(system, 0, c->d, c->y);
  face_multiply(system, 1, c->d, c->q);
  for (int32_t i = 0; i < n; i++) largest = max2(largest, c->scale[i]*fabs(c->y[i] - c->q[i]));
  return largest;
}

int crossover_proximal(crossover *c, perp_run *run, face *system, const double *x,
                       int32_t rounds) {
  const int32_t n = run->n;
  double sigma = clamp(4.0*estimate_asymmetry(c, system, n), PROXIMAL_SIGMA_FIRST,
                       1e3*PROXIMAL_SIGMA_FIRST);
  double least = 0.0;   // twice the sigma that failed last; falls slowly
  int ahead = 0;
  memcpy(c->centre, x, (size_t)n*sizeof *x);
  memcpy(c->last, x, (size_t)n*sizeof *x);
  memcpy(c->state, c->guess, (size_t)n);
  while (rounds > 0 && sigma <= PROXIMAL_SIGMA_MAX) {
    int flips = 0;
    const int solved = proximal_step(c, run, system, sigma, &rounds, &flips);
    if (solved < 0 || run_out_of_time(run)) return out_of_time(run);
    if (!solved) {
      least = 2.0*sigma;
      sigma *= 4.0;
      ahead = 0;
      memcpy(c->centre, c->last, (size_t)n*sizeof *x);
      memcpy(c->state, c->guess, (size_t)n);
      continue;
    }
    memcpy(c->guess, c->state, (size_t)n);
    if (offer(c, run)) return 1;
    if (look_ahead(c, run, &ahead) == 0.0) return 0;
    if (flips > 0) continue;
    // The set no longer changes. Try to solve for it without the proximal term.
    const int failed = solve_states(c, run, system, proximal_weight(c, system), 0.0);
    run->factorizations++;
    rounds--;
    if (failed < 0) return out_of_time(run);
    if (failed == 0 && offer(c, run)) return 1;
    sigma = max2(0.5*sigma, least);
    least *= 0.8;
  }
  return 0;
}
