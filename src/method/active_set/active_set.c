// active_set.c: finds the free rows by sweeps and flips, with a factor that follows them.
//
// Each round starts from x within the bounds and y = A x + b:
//   I = {lo < x < hi} u {y points inwards},  (A_II + sigma I) d_I = -y_I,
//   x <- P(x + t d), t <= 1 by phi(x) = 1/2 x'Ax + b'x,  then 5 passes of PGS.
// This is the block active set of MNS08 with flips in both directions: rows at a bound that y pushes
// inside and free rows that d carries over a bound change at once. If no row would flip, x solves the
// problem up to sigma. If the number of wrong rows stops falling, active_set_newton.c continues with
// proximal points
//   x+ = argmin phi + sigma/2 |x - x_k|^2   (Rockafellar 1976)
// by Newton steps on the dual. Their search is exact, so they are finite for any rank of A. With
// sigma = 1e-8 of the diagonal one to three points suffice, and the factor stays valid. If flips
// gained little, points with a larger sigma come first.
// Converges for symmetric positive semidefinite A if a solution exists. Cost of a round: row
// modifications of the factor (a factorisation if many rows changed), one solve, a few products.
//
// multigrid.c solves large M-matrices, active_set_grid.c grids of cells.
// Under auto, if flips gain little and interior points should need fewer operations than Newton
// steps, body_interior.c continues if A is given by bodies, interior_point otherwise. If the first
// round leaves a fifth of the rows wrong, as when a ball hits a wall, body_interior.c starts at once.
// With a time limit, a factorisation starts only if it should finish in time, by its operations and
// the measured pace. southwell uses the remaining time, or all of it if the analysis would
// take too long.
#include "active_set.h"

#include <string.h>

#include "active_set_grid.h"
#include "body_interior.h"
#include "grid.h"
#include "line_search.h"
#include "methods.h"
#include "multigrid.h"
#include "objective.h"
#include "operator.h"
#include "vector.h"

// After each semicolon: what another value does to the problems of bench/kit/ablation.c.
#define SWEEPS_PER_ROUND 5          // passes of PGS, k_gs in MNS08; 1: up to 1.5 times the work
#define LAST_SWEEP_PRODUCTS 80      // products reserved for the last sweeps; 70: too few on walls
#define IDLE_ROUNDS_MAX 2           // rounds without progress; 1: bearing takes 2.2 times the work
#define WRONG_ROWS_MIN 50           // wrong rows of a hard problem; 50000: walls take 2.5 times the
                                    //   work
#define UPDATES_PER_FACTOR 2.0      // cost of Newton steps over that of interior points; 0: a mixed
                                    //   wall with condition 1e10 takes 2.4 times as long
#define SIGMA 1e-8                  // added to a diagonal near 1; 1e-2: up to 2.6 times the work
#define SIGMA_SOFT 1e-3             // first sigma if flips gained little, and factor from one sigma
                                    //   to the next; 1e-9: walls take 1.8 times the work
#define IDLE_SIGMA_RATIO 0.1        // factor on sigma after an idle point; 1: 23 of 204 steps of the
                                    //   first 5 walls of bench/impacts stay unsolved
#define SIGMA_MIN 1e-11             // guard: with less than 2^-40 of the diagonal, pivots of redundant
                                    //   rows are only rounding
#define TIMED_OPERATIONS_MIN 1e6    // operations of a step that starts only if there is time for it;
                                    //   0: fluid3d with 12^3 cells stays unsolved in 8 ms
#define ANALYSIS_SWEEPS 50.0        // sweeps that cost as much as an analysis; 30 to 75 measured
#define LAST_SWEEP_TIME_RATIO 0.12  // part of the time for the last sweeps; 1: 11 of 58 problems
                                    //   with a time limit stay unsolved

static double operations(const active_set *a) {   // of the next step
  return face_flops_update(a->face, a->is_free) + 3.0*face_flops_solve(a->face);
}

int active_step(active_set *a, double *d) {
  perp_run *run = a->run;
  const double left = run_seconds_left(run);
  const double flops = left < (double)INFINITY ? operations(a) : 0.0;
  if (flops > TIMED_OPERATIONS_MIN && a->fastest < (double)INFINITY &&
      flops*a->fastest > left - a->sweep_reserve)
    return -1;
  const perp_deadline deadline = run_deadline(run);
  const int32_t before = face_factorizations(a->face);
  const int code = face_update(a->face, a->is_free, &deadline);
  run_factored(run, face_factorizations(a->face) - before, face_nnz(a->face));
  if (code == -2) run_no_memory(run, "the factor");
  if (code < 0) return -1;
  a->singular = code;
  const int solved = code == 0 ? face_solve_within(a->face, d, 1, &deadline) : 1;
  if (solved != 0) return solved;
  if (flops > 0.0) {
    a->fastest = min2(a->fastest, (left - run_seconds_left(run))/flops);
  }
  return 0;
}

// Computes y and the residual of run->x, and asks for a certificate if the residual is small. 1: the
// run has ended.
static int judge(active_set *a) {
  perp_run *run = a->run;
  if (run_apply(run, run->x, a->y) != 0) return 1;
  run->residual = run_residual(run, run->x, a->y);
  return run->residual <= 10.0*run->options->tol && run_check(run);
}

static int sweep(active_set *a, int32_t passes) {   // 1: the run has ended
  perp_run *run = a->run;
  const double left = run_seconds_left(run);
  a->sweeps.state.fresh = 1;
  for (int32_t k = 0; k < passes && !run_out_of_time(run); k++)
    run->residual = sweeper_pass(&a->sweeps, run, k & 1);
  if (left < (double)INFINITY) a->sweep_seconds = (left - run_seconds_left(run))/passes;
  return run_ended(run) || run_apply(run, run->x, a->y) != 0;
}

// Sets is_free at x, and d = -y on the free rows.
static void label(active_set *a) {
  const perp_run *run = a->run;
  const double *x = run->x;
  for (int32_t i = 0; i < a->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i), y = a->y[i];
    const double tau = 1e-2*run->options->tol/a->unit[i];
    a->is_free[i] = (x[i] > lo && x[i] < hi) || (lo < hi && x[i] <= lo && y < -tau) ||
                    (lo < hi && x[i] >= hi && y > tau);
    a->d[i] = a->is_free[i] ? -y : 0.0;
  }
}

// Counts the rows that are wrong at x + d.
static int32_t wrong(const active_set *a) {
  const perp_run *run = a->run;
  int32_t count = 0;
  for (int32_t i = 0; i < a->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i), y = a->y[i] + a->Ad[i];
    const double tau = 1e-2*run->options->tol/a->unit[i];
    const double z = run->x[i] + a->d[i];
    if (a->is_free[i]) count += z < lo || z > hi;
    else count += lo < hi && ((run->x[i] <= lo && y < -tau) || (run->x[i] >= hi && y > tau));
  }
  return count;
}

static double phi(const active_set *a, const double *x, const double *y) {
  double sum = 0.0;
  for (int32_t i = 0; i < a->n; i++) sum += 0.5*x[i]*(y[i] + a->run->b[i]);
  return sum;
}

// Searches along d: x <- P(x + t d), and y follows; z and Az are work space. Starts with t = 1. The
// next t is where phi is least on the chord from x to P(x + t d), at most half as far. Ends if phi
// is lower and does not rise at the end of the chord. Returns t; 0: no t lowers phi, or the run has
// ended.
static double search(active_set *a) {
  perp_run *run = a->run;
  double best = phi(a, run->x, a->y), t = 1.0, found = 0.0;
  memcpy(a->centre, run->x, (size_t)a->n*sizeof *a->centre);
  memcpy(a->Ad, a->y, (size_t)a->n*sizeof *a->Ad);
  for (int32_t k = 0; k < 12; k++) {
    double begin = 0.0, end = 0.0;   // slopes along the chord
    for (int32_t i = 0; i < a->n; i++)
      a->z[i] = clamp(a->centre[i] + t*a->d[i], lower(run->lo, i), upper(run->hi, i));
    if (run_apply(run, a->z, a->Az) != 0) return 0.0;
    const double value = phi(a, a->z, a->Az);
    if (found > 0.0 && !(value < best)) break;
    for (int32_t i = 0; i < a->n; i++) {
      begin += a->Ad[i]*(a->z[i] - a->centre[i]);
      end += a->Az[i]*(a->z[i] - a->centre[i]);
    }
    if (value < best) {
      best = value;
      found = t;
      memcpy(run->x, a->z, (size_t)a->n*sizeof *a->z);
      memcpy(a->y, a->Az, (size_t)a->n*sizeof *a->Az);
      if (!(end > 0.0)) break;
    }
    const double least = begin < 0.0 && end > begin ? begin/(begin - end) : 0.5;
    if (found > 0.0 && least > 0.75) break;
    t *= min2(least, 0.5);
  }
  return found;
}

// 1: the method runs under auto, and interior points should need fewer operations than Newton steps.
// The solves of both cost about the same.
static int points_are_cheaper(const active_set *a) {
  return a->run->is_child && face_flops_factor(a->face) < UPDATES_PER_FACTOR*a->update;
}

// 1: interior points through bodies can be used.
static int points_by_bodies(const active_set *a) {
  return a->run->is_child && !a->tried && body_interior_apply(a->run, a->face);
}

// Continues with interior points: through bodies from the guess, or by interior_point. Only auto asks
// for this. -1: the run has ended; 0: interior points failed, and Newton's method continues from
// their best point z.
static int hand_over(active_set *a) {
  perp_run *run = a->run;
  if (points_by_bodies(a)) {
    a->tried = 1;
    memcpy(run->x, a->guess, (size_t)a->n*sizeof *run->x);
    if (body_interior(run, a->face)) return -1;
    face_shift(a->face, a->sigma);
  } else {
    const perp_options options = child_options(run, &method_interior_point);
    run_child(run, &method_interior_point, &options, INT32_MAX, (double)INFINITY);
  }
  memcpy(a->z, run->x, (size_t)a->n*sizeof *a->z);
  return run_ended(run) || judge(a) ? -1 : 0;
}

// 1: most rows have no bounds, as in contacts with many tangential rows. A larger sigma slows these
// rows down although they shorten no step. So a few dozen steps with the small sigma come first:
// nb977_nc9534 takes 41, and 83 if it begins with a larger sigma.
static int mostly_free(const perp_run *run) {
  int32_t count = 0;
  for (int32_t i = 0; i < run->n; i++) count += unbounded(run->lo, run->hi, i);
  return count > run->n/2;
}

// Rounds of flips. 0: they no longer gain, and Newton's method continues from z; 1: a pivot failed;
// -1: the run has ended, or time is short.
static int flips(active_set *a) {
  perp_run *run = a->run;
  int32_t fewest = INT32_MAX, idle = 0, first = 0, rounds = 0;
  int cut = 0;
  while (run_continue(run)) {
    label(a);
    if (rounds > 0 && run->is_child)
      a->update += (face_flops_update(a->face, a->is_free) - a->update)/rounds;
    const int code = active_step(a, a->d);
    if (code != 0) return code;
    if (run_product(run, a->d, a->Ad) != 0) return -1;
    const int32_t bad = wrong(a);
    if (bad == 0) {
      for (int32_t i = 0; i < a->n; i++) run->x[i] += a->d[i];
      if (judge(a)) return -1;
    }
    if (rounds++ == 0) first = bad;
    if (bad >= WRONG_ROWS_MIN && bad > a->n/5 && points_by_bodies(a)) return hand_over(a);
    const int hard = (rounds > 2 || cut) && bad >= WRONG_ROWS_MIN && bad > first - first/8;
    if (hard && points_are_cheaper(a)) return hand_over(a);
    idle = bad < fewest - fewest/8 ? 0 : idle + 1;
    if (cut && idle > 0 && rounds > 2) idle = IDLE_ROUNDS_MAX + 1;
    fewest = bad < fewest ? bad : fewest;
    if (idle > IDLE_ROUNDS_MAX || bad == 0) {
      a->flips_failed = fewest >= WRONG_ROWS_MIN && fewest > first/2;
      if (a->flips_failed && points_are_cheaper(a)) return hand_over(a);
      a->flips_failed &= !mostly_free(run);
      for (int32_t i = 0; i < a->n; i++)
        a->z[i] = run->x[i] + (bad > 0 && !a->flips_failed ? a->d[i] : 0.0);
      return 0;
    }
    cut = search(a) < SHORT_STEP_MAX;
    if (sweep(a, SWEEPS_PER_ROUND)) return -1;
    run->residual = run_residual(run, run->x, a->y);
  }
  return -1;
}

// 1: the step from the last proximal point to this one is a direction that proves there is no
// solution. It is rounded to a few digits, because products of small whole numbers are exact.
static int grows_for_ever(active_set *a) {
  double largest = 0.0;
  for (int32_t i = 0; i < a->n; i++) {
    a->d[i] = a->run->x[i] - a->centre[i];
    largest = max2(largest, fabs(a->d[i]));
  }
  for (int32_t i = 0; i < a->n; i++)
    a->d[i] = largest > 0.0 ? nearbyint(a->d[i]/largest*0x1p20)*0x1p-20 : 0.0;
  return run_infeasible(a->run, a->d);
}

// Computes proximal points until they no longer improve x. Far from the answer a small sigma makes
// theta stiff, and one row after another shortens the Newton steps. So if flips gained little, the
// first points use larger values of sigma, which find most of the free rows. A point still differs
// from the answer by about sigma |x|, so sigma falls when points are idle. -1: the run has ended or
// time is short; 1: a pivot failed.
static int proximal_points(active_set *a) {
  perp_run *run = a->run;
  const size_t bytes = (size_t)a->n*sizeof *run->x;
  double best = (double)INFINITY, sigma = a->flips_failed ? SIGMA_SOFT : SIGMA;
  int32_t idle = 0;
  while (run_continue(run)) {
    face_shift(a->face, a->sigma = sigma);
    memcpy(a->centre, run->x, bytes);
    const int code = active_newton(a);
    if (code != 0) return code;
    memcpy(a->z, run->x, bytes);
    if (judge(a)) return -1;
    idle = run->residual < 0.5*best ? 0 : idle + 1;
    best = min2(best, run->residual);
    if (sigma > SIGMA) {
      if (SIGMA_SOFT*sigma >= SIGMA) sigma *= SIGMA_SOFT;
      else if (idle > 0) sigma = SIGMA;
      idle = 0;
      continue;
    }
    if (idle > 1 && grows_for_ever(a)) return -1;   // a direction in which x grows is a proof
    if (idle > IDLE_ROUNDS_MAX) {
      run_stop(run, PERP_STATUS_STALLED, "the proximal points of active_set with sigma = %.2g no "
               "longer improve x", a->sigma);
      return -1;
    }
    if (idle > 0) sigma = max2(sigma*IDLE_SIGMA_RATIO, SIGMA_MIN);
  }
  return -1;
}

static int begin(active_set *a, perp_run *run) {
  const size_t n = (size_t)run->n;
  const double left = run_seconds_left(run);
  *a = (active_set){.run = run, .n = run->n, .sigma = SIGMA,
                    .fastest = (double)INFINITY,
                    .sweep_reserve = left < (double)INFINITY && !run->is_child
                                         ? LAST_SWEEP_TIME_RATIO*left : 0.0};
  run->paced = 1;
  if (!sweeper_begin(&a->sweeps, run, 1.0)) return 0;
  double *memory = run_allocate(run, 8*n*sizeof *memory);
  a->breaks = memory != NULL ? run_allocate(run, 2*n*sizeof *a->breaks) : NULL;
  a->is_free = a->breaks != NULL ? run_allocate(run, n) : NULL;
  if (a->is_free == NULL) return 0;
  double **const arrays[] = {&a->y, &a->d, &a->Ad, &a->z, &a->Az, &a->centre, &a->unit,
                             &a->guess};
  for (size_t k = 0; k < 8; k++) *arrays[k] = memory + k*n;
  for (size_t i = 0; i < n; i++) {
    const double d = a->sweeps.diagonal[i];
    a->unit[i] = run->weight[i]/(d > 0.0 ? d : 1.0);
    run->x[i] = clamp(run->x[i], lower(run->lo, (int32_t)i), upper(run->hi, (int32_t)i));
    if (run->x[i] != run->x[i]) run->x[i] = 0.0;
    a->guess[i] = run->x[i];
  }
  return 1;
}

static int make_face(active_set *a) {
  perp_run *run = a->run;
  int failed = 0;
  if (ANALYSIS_SWEEPS*a->sweep_seconds > run_seconds_left(run) - a->sweep_reserve) return 0;
  const perp_linear_ops *linear = run->options->linear;
  a->face = linear != NULL ? face_linear_create(linear, &run->A, run->options, run_allocator(run),
                                                &failed)
                           : face_create(&run->A, FACE_SHIFTS, run_allocator(run), &failed);
  if (failed == -2) run_no_memory(run, "the factor");
  else if (failed != 0)
    run_stop(run, PERP_STATUS_BREAKDOWN, "active_set cannot factor this A by %s",
             linear != NULL ? linear->name : "its own sparse factor");
  else face_shift(a->face, a->sigma);
  return !run_ended(run);
}

static void run_active_set(perp_run *run) {
  active_set a;
  const perp_grid *grid = grid_of(&run->A);
  if (grid != NULL) {
    active_set_grid(run, grid);
    return;
  }
  if (run->options->linear == NULL && multigrid_suits(run)) {   // the same steps without a factor
    const perp_options options = child_options(run, &method_multigrid);
    run->only_child = 1;
    run_child(run, &method_multigrid, &options, INT32_MAX, (double)INFINITY);
    run->only_child = 0;
    if (run_ended(run)) return;
  }
  if (!begin(&a, run) || !run_continue(run)) return;
  int code = run_may_fit(run, RUN_ANALYSIS) ? 0 : -1;
  if (code == 0) run_leaves(run, LAST_SWEEP_PRODUCTS);
  if (code == 0 && (sweep(&a, SWEEPS_PER_ROUND) || judge(&a))) code = -1;
  if (code == 0 && make_face(&a)) {
    code = flips(&a);
    if (code == 0) code = proximal_points(&a);
    if (code == 1 && a.singular > 0)
      run_stop(run, PERP_STATUS_BREAKDOWN, "active_set needs a positive semidefinite A, and a "
               "pivot of A + %.2g I is not positive", a.sigma);
    else if (code == 1)
      run_stop(run, PERP_STATUS_BREAKDOWN, "the iterates of active_set overflowed");
  }
  face_destroy(a.face);
  if (!run_ended(run)) {   // time is short
    const perp_method *fill = sweeper_for(run);
    const perp_options options = child_options(run, fill);
    const perp_status end = run_child(run, fill, &options, INT32_MAX, (double)INFINITY);
    if (!run_ended(run)) run_stop(run, end, "active_set spent the remaining time on %s", fill->name);
  }
}

// The sweeps of a scaled operator keep unscaled copies of x, b, bounds, diagonal and weights.
static size_t bytes(const perp_limits *limits, const perp_options *options) {
  if (limits->grid) return grid_bytes(limits->n);
  perp_limits wide = *limits;
  const size_t room = 6*(size_t)limits->n*sizeof(double) + ARENA_ALIGNMENT;
  wide.scratch = (limits->scratch > room/6 ? limits->scratch : room/6) + room;
  return sweeper_bytes(&wide, options);
}

const perp_method method_active_set = {
  .name = "active_set", .tier = PERP_TIER_CHOOSE,
  .use = "A symmetric, sparse and large; fast with a good guess",
  .title = "block active set with a factor that follows the free rows",
  .source = "MNS08, improved; Li, Sun, Toh 2018",
  .formula = "I = {lo < x < hi} u {y points inwards}, x <- P(x - t (A_II + sigma I)^-1 y_I), 5 "
             "passes of PGS; then proximal points by Newton steps on the dual with exact search",
  .converges = "A symmetric positive semidefinite and a solution exists",
  .cost = "row modifications or a factorisation of A_II, a solve, a few products; grids of cells "
          "(perp_from_grid) have no factor: a few cycles of multigrid on the free cells",
  .advice = "Use auto where A is indefinite or not symmetric, and nncg where A is symmetric and a "
            "factor is too large.",
  .needs = PERP_NEEDS_DIAGONAL | PERP_NEEDS_SWEEP | PERP_NEEDS_SUBMATRIX | PERP_NEEDS_SYMMETRIC,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_SCALES | PERP_TRAIT_LINEAR |
            PERP_TRAIT_SPLITS | PERP_TRAIT_GRID,
  .bytes = bytes,
  .run = run_active_set,
  .hasty = &method_southwell,
  .iteration = "Newton",
};
