// pgs_sm.c: projected Gauss-Seidel with subspace minimisation, for symmetric A.
//
//   z0 = PGS^k_gs(x);  up to k_sm times: I = {i : lo_i + tau < z_i < hi_i - tau},
//   A_II d = -y_I,  z <- clamp(z + d);      x = z, or z_b = z0 + alpha d_1 where phi(z_b) < phi(z)
//                                                                       MNS08 Algorithm 3.1, (3.5)
// phi(z) = z'A z/2 + b'z. Sweeps add rows to I, projections remove them. z_b is the farthest point
// within the bounds on the way to the first subspace solution.
// The printed algorithm leaves rows in (0, tau] neither free nor zero, and does not change u when v
// is projected. Here such rows go to their bound before z0 is taken, so that phi(z_b) <= phi(z0).
// After the last projection the rows without bounds are solved for once more. A row with two bounds
// is free while it is farther than tau from both; otherwise it goes to the nearer one. Variant
// kocvara_zowe has k_sm = 1 and always takes z_b. If A_II is not positive definite, the residual
// (2.7), corrected, replaces phi.
// Converges for symmetric PD A: phi falls in every sweep and never rises in a phase. With the
// residual, or with subspace.safeguard 0, the iterates may cycle; the method notices that and ends
// as stalled (docs/theory.md explains when). Cost per iteration: k_gs passes, and a factorisation,
// or row modifications, per subspace.
#include <string.h>

#include "driver.h"
#include "face.h"
#include "objective.h"
#include "plain.h"
#include "sweep.h"
#include "vector.h"

// Shift of a singular A_II, relative to the largest A_ii. If a pivot still fails, A_II is
// indefinite. If a million times larger, 1.3 times the work.
#define SIGMA 1e-12
enum { IDLE_ITERATIONS_MAX = 64 };   // without progress; as many are remembered, to find a cycle
// Assumed until an operation has been timed. If it is a million times larger or smaller, problems
// with little time stay unsolved.
#define SECONDS_PER_OPERATION 1e-9

typedef struct subspace {
  int32_t n, unbounded;      // rows; rows without bounds
  double *z, *y;             // n: z_s, and A z_s + b
  double *zb, *yb;           // n: z_b, and A z_b + b
  double *d, *work;          // n
  uint8_t *is_free;          // n: I
  uint8_t *is_unbounded;     // n
  uint8_t *factored;         // n: I of the current factor
  int known;                 // 1: there is a factor
  face *all, *rest;          // A_II; the rows without bounds, NULL until needed
  face *general;            // for an A_II that is not definite; NULL until needed
  double *root;              // n: 1/sqrt(A_ii), the unit of x_i
  double largest;            // A_ii > 0
  double sigma;
  int indefinite;            // 1: the current A_II is not definite
  double flop;               // seconds of an operation
  int64_t phases, backed;    // phases so far; phases that returned to z_b because phi is lower there
  int64_t entered, taken;    // sums over phases: free rows with bounds at the start; those projected
  struct { uint64_t set; double residual; } record[IDLE_ITERATIONS_MAX];
} subspace;

static void layout(subspace *s, arena *memory, int32_t n) {
  double **const vectors[] = {&s->z, &s->y, &s->zb, &s->yb, &s->d, &s->work, &s->root};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  s->is_free = ARENA_ARRAY(memory, uint8_t, n);
  s->is_unbounded = ARENA_ARRAY(memory, uint8_t, n);
  s->factored = ARENA_ARRAY(memory, uint8_t, n);
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  arena count = {0};
  subspace s;
  layout(&s, &count, limits->n);
  arena_take(&count, sweeper_bytes(limits, options), 1);
  return count.used;
}

// ---- the free rows ----

// Sets I at z; rows within tau of a bound go there. Returns the number of free rows.
static int32_t choose(subspace *s, const perp_run *run, double *z) {
  double size = 0.0;
  int32_t count = 0;
  for (int32_t i = 0; i < s->n; i++)
    if (!s->is_unbounded[i])
      size = max2(size, fabs(z[i] - clamp(0.0, lower(run->lo, i), upper(run->hi, i)))/s->root[i]);
  for (int32_t i = 0; i < s->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i);
    const double tau = min2(run->options->subspace.tol*size*s->root[i], 0.25*(hi - lo));
    s->is_free[i] = z[i] - lo > tau && hi - z[i] > tau;
    count += s->is_free[i];
    if (!s->is_free[i]) z[i] = z[i] - lo <= hi - z[i] ? lo : hi;
  }
  return count;
}

static uint64_t signature(const subspace *s) {   // FNV-1a of the free rows
  uint64_t h = 14695981039346656037u;
  for (int32_t i = 0; i < s->n; i++) h = (h ^ s->is_free[i])*1099511628211u;
  return h;
}

// ---- the reduced systems (3.3) ----

static int factor_general(subspace *s, perp_run *run, const perp_deadline *deadline) {
  int failed = 0;
  if (s->general == NULL)
    s->general = face_create(&run->A, FACE_DIAGONALS, run_allocator(run), &failed);
  return s->general != NULL ? face_update(s->general, s->is_free, deadline) : -2;
}

// Factors A_II, regularised as far as needed. 0: success; 1: it cannot be factored; -1: the run has
// ended, or time is up.
static int factor(subspace *s, perp_run *run) {
  if (s->known && memcmp(s->factored, s->is_free, (size_t)s->n) == 0) return 0;
  const perp_deadline deadline = run_deadline(run);
  const double flops = min2(face_flops_factor(s->all), face_flops_rows(s->all, s->is_free));
  const double before = run_seconds_left(run);
  s->known = s->indefinite = 0;
  run->factorizations++;
  int failed = face_update(s->all, s->is_free, &deadline);
  if (failed > 0 && s->sigma == 0.0) {
    s->sigma = SIGMA*s->largest;
    face_shift(s->all, s->sigma);
    run->factorizations++;
    failed = face_update(s->all, s->is_free, &deadline);
  }
  if (failed == 0 && before < (double)INFINITY)
    s->flop = max2(0.5*s->flop, (before - run_seconds_left(run))/max2(flops, 1.0));
  if (failed > 0) {
    s->indefinite = 1;
    run->factorizations++;
    failed = factor_general(s, run, &deadline);
  } else {
    run->regularization = max2(run->regularization, s->sigma/s->largest);
    run_factored(run, 0, face_nnz(s->all));   // 0: the factorisations are counted above
  }
  if (failed == -2) run_no_memory(run, "the linear systems");
  if (failed != 0) return failed < 0 ? -1 : 1;
  memcpy(s->factored, s->is_free, (size_t)s->n);
  s->known = 1;
  return 0;
}

// v_I <- A_II^-1 v_I, v_F <- 0. 1: the result is finite.
static int back_solve(subspace *s, double *v) {
  return face_solve(s->indefinite ? s->general : s->all, v, 2) == 0;
}

// z <- z + d with A_II d = -y_I, y <- A z + b, d in s->d. With sigma > 0 it is a proximal step,
// (A_II + sigma) d = -y_I, which lowers phi too. 0: success; 1: no solution; -1: the run has ended.
static int minimise(subspace *s, perp_run *run) {
  const int failed = factor(s, run);
  if (failed != 0) return failed;
  for (int32_t i = 0; i < s->n; i++) s->d[i] = -s->y[i];
  if (!back_solve(s, s->d)) return 1;
  for (int32_t i = 0; i < s->n; i++) s->z[i] += s->d[i];
  return run_apply(run, s->z, s->y) == 0 ? 0 : -1;
}

// Solves for the rows without bounds once more, after others were projected. One factor serves all
// phases. 0: success; -1: the run has ended.
static int settle_unbounded(subspace *s, perp_run *run) {
  const perp_deadline deadline = run_deadline(run);
  int failed = 0;
  if (s->unbounded == 0) return 0;
  if (s->rest == NULL) {
    if (!run_may_fit(run, RUN_ANALYSIS)) return 0;   // the next phase solves for them again
    s->rest = face_create(&run->A, FACE_SHIFTS, run_allocator(run), &failed);
    if (s->rest == NULL) {
      run_no_memory(run, "the linear systems");
      return -1;
    }
    face_shift(s->rest, s->sigma);
    run->factorizations++;
  }
  failed = face_update(s->rest, s->is_unbounded, &deadline);
  if (failed != 0) return 0;   // singular, or no time: the next phase solves for them again
  for (int32_t i = 0; i < s->n; i++) s->work[i] = -s->y[i];
  if (face_solve(s->rest, s->work, 2) != 0) return 0;
  for (int32_t i = 0; i < s->n; i++) s->z[i] += s->work[i];
  return run_apply(run, s->z, s->y) == 0 ? 0 : -1;
}

// ---- a phase ----

// z_b = z0 + alpha d (3.5), from z = z0 + d; y is affine.
static void back_track(subspace *s, const perp_run *run, const double *z0) {
  const double alpha = objective_room(run, z0, s->d, 1.0);
  for (int32_t i = 0; i < s->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i);
    s->zb[i] = clamp(z0[i] + alpha*s->d[i], lo, hi);
    s->yb[i] += alpha*(s->y[i] - s->yb[i]);   // yb: y at z0 until now
  }
}

static int32_t project(subspace *s, const perp_run *run) {   // (3.4)
  int32_t count = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double z = clamp(s->z[i], lower(run->lo, i), upper(run->hi, i));
    count += z != s->z[i];
    s->z[i] = z;
  }
  return count;
}

// 1: z_s is at least as good as z_b, by the chosen metric.
static int prefers_projected(const subspace *s, const perp_run *run) {
  const int metric = run->options->subspace.metric;
  if (!run->options->subspace.safeguard) return 1;
  if (metric == PERP_METRIC_OBJECTIVE || (metric == PERP_METRIC_AUTO && !s->indefinite))
    return objective_change(s->n, s->zb, s->yb, s->z, s->y) <= 0.0;
  return measure_of(PERP_MEASURE_MNS08_R1, s->n, s->z, s->y, run->b, run->lo, run->hi, NULL, NULL)
         <= measure_of(PERP_MEASURE_MNS08_R1, s->n, s->zb, s->yb, run->b, run->lo, run->hi, NULL,
                       NULL);
}

// One phase, from z0 = run->x with its y in s->y to the new x and its y. 0: success; -1: the run
// has ended, or time is up before anything better than z0 was found.
static int phase(subspace *s, perp_run *run) {
  const int zowe = run->options->subspace.variant == PERP_SUBSPACE_KOCVARA_ZOWE;
  const int32_t most = zowe ? 1 : run->options->subspace.k_sm;
  const size_t size = (size_t)s->n*sizeof(double);
  int definite = 1, found = 0;   // found: z_b
  int32_t projected = 0;         // rows, by the last projection
  memcpy(s->z, run->x, size);
  memcpy(s->yb, s->y, size);
  s->phases++;
  for (int32_t i = 0; i < s->n; i++) s->entered += s->is_free[i] && !s->is_unbounded[i];
  for (int32_t k = 0; k < most; k++) {
    if (k > 0 && choose(s, run, s->z) == 0) break;
    if (k > 0 && run_apply(run, s->z, s->y) != 0) return -1;
    const int failed = minimise(s, run);
    if (failed < 0 && (run_ended(run) || k == 0)) return -1;
    if (failed != 0) {   // go back to the point before
      memcpy(s->z, k == 0 ? run->x : s->zb, size);
      if (run_apply(run, s->z, s->y) != 0) return -1;
      projected = 0;
      break;
    }
    if (k == 0) {
      back_track(s, run, run->x);
      found = 1;
      definite = !s->indefinite;
    }
    projected = project(s, run);
    s->taken += projected;
    if (projected == 0) break;
  }
  if (projected > 0 && (run_apply(run, s->z, s->y) != 0 || settle_unbounded(s, run) != 0))
    return -1;
  s->indefinite = !definite;
  const int backed = found && !zowe && !prefers_projected(s, run);
  s->backed += backed;
  if (found && (zowe || backed)) {
    memcpy(s->z, s->zb, size);
    if (run_apply(run, s->z, s->y) != 0) return -1;
  }
  memcpy(run->x, s->z, size);
  return 0;
}

// ---- the iteration ----

// 1: a phase should finish before the deadline.
static int fits(const subspace *s, const perp_run *run) {
  const double left = run_seconds_left(run);
  if (!(left < (double)INFINITY)) return 1;
  if (s->all == NULL) return run_may_fit(run, RUN_ANALYSIS);
  const double flops = min2(face_flops_factor(s->all), face_flops_rows(s->all, s->is_free));
  return s->flop*(flops + 3.0*face_flops_solve(s->all)) < left;
}

static int prepare(subspace *s, perp_run *run) {   // 0: the run has ended
  int failed;
  if (s->all != NULL) return 1;
  s->all = face_create(&run->A, FACE_SHIFTS, run_allocator(run), &failed);
  if (s->all != NULL) return 1;
  if (failed == -2) run_no_memory(run, "the linear systems");
  else if (failed == 1)
    run_stop(run, PERP_STATUS_UNSOLVED, "pgs_sm needs the entries of A, which are not known");
  else run_stop(run, PERP_STATUS_BREAKDOWN, "pgs_sm cannot factor this A");
  return 0;
}

// 1: the iterates repeat, and the run has ended.
static int repeats(subspace *s, perp_run *run, uint64_t set) {
  const int32_t k = run->iterations;
  for (int32_t back = 1; back <= k && back <= IDLE_ITERATIONS_MAX; back++) {
    const int32_t at = (k - back)%IDLE_ITERATIONS_MAX;
    if (s->record[at].set != set ||
        fabs(s->record[at].residual - run->residual) > 1e-9*run->residual)
      continue;
    run_stop(run, PERP_STATUS_STALLED,
             "the iterates of pgs_sm repeat with period %d", back);
    return 1;
  }
  s->record[k%IDLE_ITERATIONS_MAX].set = set;
  s->record[k%IDLE_ITERATIONS_MAX].residual = run->residual;
  return 0;
}

static void begin(subspace *s, perp_run *run) {
  run->A.ops->diagonal(run->A.self, s->work);
  for (int32_t i = 0; i < s->n; i++) {
    const double d = s->work[i];
    if (d > 0.0) s->largest = max2(s->largest, d);
    s->root[i] = d > 0.0 && d < (double)INFINITY ? 1.0/sqrt(d) : 1.0;
    s->is_unbounded[i] = (uint8_t)unbounded(run->lo, run->hi, i);
    s->unbounded += s->is_unbounded[i];
  }
  if (s->largest == 0.0) s->largest = 1.0;
  s->largest = clamp(s->largest, 0x1p-900, 0x1p900);   // sigma may not vanish or overflow
}

static void iterate(subspace *s, perp_run *run) {
  const perp_options *options = run->options;
  const int monotone = options->subspace.safeguard ||
                       options->subspace.variant == PERP_SUBSPACE_KOCVARA_ZOWE;
  const int32_t n = s->n;
  double best = (double)INFINITY, last = (double)INFINITY;
  int32_t idle = 0, stuck = 0;
  sweeper sweeps;
  if (!sweeper_begin(&sweeps, run, options->sweep.omega)) return;
  while (run_continue(run)) {
    double change = 0.0;
    sweeps.state.fresh = 1;
    for (int32_t k = 0; k < options->subspace.k_gs; k++) {
      change = max_or_nan(change, sweeper_pass(&sweeps, run, 0));
      if (run_out_of_time(run)) break;
    }
    const int32_t count = choose(s, run, run->x);
    const uint64_t set = signature(s);
    if (run_apply(run, run->x, s->y) != 0) return;
    int by_objective = monotone;
    if (count > 0 && fits(s, run)) {
      if (!prepare(s, run)) return;
      if (fits(s, run) && phase(s, run) != 0 &&
          (run_ended(run) || run_apply(run, run->x, s->y) != 0))
        return;
      by_objective = monotone && options->subspace.metric != PERP_METRIC_RESIDUAL && !s->indefinite;
    }
    run->residual = run_residual(run, run->x, s->y);
    const double phi = objective(n, run->b, run->x, s->y);
    // size: bounds the rounding of phi
    double size = 0.0;
    for (int32_t i = 0; i < n; i++) size += 0.5*fabs(run->x[i])*(fabs(s->y[i]) + fabs(run->b[i]));
    idle = run->residual < RUN_GAIN_RATIO*best ? 0 : idle + 1;
    stuck = run->residual < best || last - phi > 4*0x1p-52*size ? 0 : stuck + 1;
    best = min2(best, run->residual);
    last = phi;
    if (run->residual <= options->tol) continue;
    if (!by_objective && repeats(s, run, set)) return;
    if ((by_objective ? stuck : idle) >= IDLE_ITERATIONS_MAX) {
      if (run_check(run)) continue;
      run_stop(run, PERP_STATUS_STALLED, "pgs_sm made no progress in %d iterations",
               by_objective ? stuck : idle);
    }
  }
}

static void run_pgs_sm(perp_run *run) {
  subspace s = {.n = run->n, .flop = SECONDS_PER_OPERATION};
  layout(&s, run->memory, run->n);
  begin(&s, run);
  iterate(&s, run);
  const size_t length = strlen(run->message);
  if (length > 0 && s.entered > 0)   // it failed: report the average of the phases
    plain_print(run->message + length, sizeof run->message - length,
                ". On the way %lld of %lld phases ended in the safeguard point, and projections "
                "removed %.0f of their %.0f free rows", (long long)s.backed, (long long)s.phases,
                (double)s.taken/(double)s.phases, (double)s.entered/(double)s.phases);
  face_destroy(s.all);
  face_destroy(s.rest);
  face_destroy(s.general);
}

static const perp_parameter parameters[] = {
  {"subspace.k_gs", PERP_KIND_INTEGER, offsetof(perp_options, subspace.k_gs), 5, 1, INT32_MAX, 0, 0,
   NULL, "Gauss-Seidel passes before a subspace phase"},
  {"subspace.k_sm", PERP_KIND_INTEGER, offsetof(perp_options, subspace.k_sm), 3, 1, INT32_MAX, 0, 0,
   NULL, "subspaces of a phase, at most"},
  {"subspace.tol", PERP_KIND_REAL, offsetof(perp_options, subspace.tol), 1e-10, 0, 1, 0, 1, NULL,
   "rows closer than this to a bound, relative to the largest x, are put there"},
  {"subspace.variant", PERP_KIND_CHOICE, offsetof(perp_options, subspace.variant),
   PERP_SUBSPACE_MNS08, 0, 1, 0, 0, "mns08|kocvara_zowe",
   "project and repeat, or always go to the first bound only"},
  {"subspace.metric", PERP_KIND_CHOICE, offsetof(perp_options, subspace.metric), PERP_METRIC_AUTO,
   0, 2, 0, 0, "auto|objective|residual",
   "the measure that compares both points; auto: the residual if a subspace is not definite"},
  {"subspace.safeguard", PERP_KIND_SWITCH, offsetof(perp_options, subspace.safeguard), 1, 0, 1, 0,
   0, NULL, "choose the better of both points; off: always the projected one, which may cycle"},
  {"sweep.omega", PERP_KIND_REAL, offsetof(perp_options, sweep.omega), 1, 0, 2, 1, 1, NULL,
   "over-relaxation; if it is not 1, PSOR takes the place of PGS"},
  SWEEP_ORDER_PARAMETER,
};

const perp_method method_pgs_sm = {
  .name = "pgs_sm", .tier = PERP_TIER_REFERENCE,
  .title = "projected Gauss-Seidel with subspace minimisation",
  .source = "MNS08 Algorithm 3.1, corrected; Kocvara, Zowe 1994",
  .formula = "z0 = PGS^k_gs(x), then k_sm times z = clamp(z - A_II^-1 y_I), I = {lo < z < hi}; "
             "z0 + alpha d where that is lower",
  .converges = "A symmetric positive definite; on ill-conditioned contact problems in many "
               "factorisations",
  .cost = "k_gs passes over the nonzeros, and up to k_sm factorisations of A_II",
  .advice = "It is for bearings and obstacles. Ill-conditioned walls take long, see docs/theory.md, so "
            "use active_set or auto for them.",
  .hint = "subspace.safeguard = 1 may help.",
  .needs = PERP_NEEDS_DIAGONAL | PERP_NEEDS_SWEEP | PERP_NEEDS_SUBMATRIX | PERP_NEEDS_SYMMETRIC,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME,
  .parameters = parameters,
  .parameter_count = sizeof parameters/sizeof parameters[0],
  .bytes = bytes,
  .run = run_pgs_sm,
};
