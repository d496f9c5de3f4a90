// interior_point.c: infeasible primal-dual interior points for monotone mixed problems.
//
// With s = x - lo, t = hi - x and multipliers z, w > 0, Newton's method on
//     A x + b - z + w = 0,   s_i z_i = sigma mu,   t_i w_i = sigma mu
// leaves one system with a changed diagonal per step, after dz and dw are eliminated:
//     (A + diag(z/s + w/t)) dx = -(A x + b) + (sigma mu - c)/s - (sigma mu - d)/t
// Free rows have neither z nor w. c and d are the second-order terms of Mehrotra's corrector.
//
// barrier.variant mehrotra: predictor and corrector (Mehrotra 1992; for QPs Gertz and Wright 2003)
// with one factor for both. All variables take the same step length alpha, because only then the
// residual of the linear equations shrinks by 1 - alpha. One or two further right-hand sides move
// the products s_i z_i towards sigma mu, so that the step can be longer (Gondzio: Multiple
// centrality corrections in a primal-dual method for linear programming, 1996). On walls of bricks
// that saves a quarter of the iterations and costs a tenth of the time of each.
// barrier.variant paper: MNS08 4, with sigma = 0.25, 0.9995 of the way to the boundary, two step
// lengths, u0 = 0, v0 = 0.1, w0 = 1.
//
// Converges if A is positive semidefinite and some x is feasible; then a solution exists (Wright
// 1997, ch. 6). A may be singular: interior_system.c keeps the factor finite. interior_start.c
// makes the first iterate. KKT systems of quadratic programs start far inside, because their
// multipliers may be much larger than the data, and a step hardly doubles them. Others start there if
// they make no progress from a near start.
// interior_proof.c turns diverging iterates into proofs.
// Near the end crossover.c guesses the active set and solves for it. That also settles problems
// without strict complementarity, where s_i and z_i both go to zero like sqrt(mu). The multipliers
// of a quadratic program may be so large that the tolerance is below the rounding of x. The
// iteration ends if the certificate refuses a polished x for that reason alone.
// Cost per iteration: one factorisation of the pattern of A + I and two to six solves.
#include <math.h>
#include <string.h>

#include "interior_parts.h"
#include "vector.h"

// After each semicolon: what another value does to the problems of bench/kit/ablation.c, or to the
// 604 steps of the first 14 walls of bench/impacts.
#define CORRECTIONS_MAX 2        // more right-hand sides; 1: card houses take 1.4 times the work
#define BOUNDARY_FRACTION 0.995  // of the way to the boundary; 0.99, with PRODUCT_WINDOW 0.3: Buck2
                                 //   takes 2.6 times the work
#define BOUNDARY_REST_MIN 1e-8   // part of the way to the boundary that every step leaves, so that
                                 //   s_i does not round to 0; 0: two more of the 604 steps stay
                                 //   unsolved
#define GUESS_RESIDUAL_MAX 1e-3  // below it the active set is guessed; 1e3: MOSARQP2 takes 1.3 times
                                 //   the work
#define CLEAR_ROWS_MIN 50        // rows per changed or doubtful row of a clear guess; 1: walls take
                                 //   up to 1.5 times the work
// An unclear guess is tried if the residual is below this many tolerances and hardly falls. 0: 22 more
// of the 604 steps stay unsolved, with 1.6 times the iterations.
#define UNCLEAR_TOLERANCES_MAX 10.0
// Residual over the one before, above which it hardly falls; 0: a wall of 147 bricks takes 1.1 times
// the time, because the next step would have solved it.
#define SLOW_RESIDUAL_RATIO_MIN 0.3
#define GUESS_AGAIN_RATIO 0.1    // residual for the next guess over that of a failed one; 1:
                                 //   KaplasTower takes 1.2 times the work

static void layout(interior *p, arena *memory, int32_t n) {
  double **const vectors[] = {&p->x, &p->s, &p->z, &p->t, &p->w, &p->y, &p->q, &p->rhs, &p->dx,
                              &p->dz, &p->dw, &p->work, &p->ex, &p->ez, &p->ew, &p->c,
                              &p->d};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  p->kind = ARENA_ARRAY(memory, uint8_t, n);
  p->is_free = ARENA_ARRAY(memory, uint8_t, n);
  crossover_layout(&p->cross, memory, n);
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  interior p = {0};
  layout(&p, &count, limits->n);
  return count.used;
}

// The Newton step to s_i z_i = centre - c_i and t_i w_i = centre - d_i that leaves `kept` times the
// mismatch A x + b - z + w. c or d NULL: 0.
static int direction(interior *p, double accuracy, double centre, double kept, const double *c,
                     const double *d) {
  const int32_t n = p->n;
  for (int32_t i = 0; i < n; i++) {
    double r = -p->y[i] + kept*(p->y[i] - p->z[i] + p->w[i]);
    if (p->kind[i] & HAS_LO) r += (centre - (c != NULL ? c[i] : 0.0))/p->s[i];
    if (p->kind[i] & HAS_HI) r -= (centre - (d != NULL ? d[i] : 0.0))/p->t[i];
    p->rhs[i] = r;
  }
  // c and d may share memory with dz and dw, which are written below.
  if (!interior_solve(p, accuracy)) return 0;
  for (int32_t i = 0; i < n; i++) {
    const double ci = c != NULL ? c[i] : 0.0, di = d != NULL ? d[i] : 0.0;
    p->dz[i] = p->kind[i] & HAS_LO ? (centre - ci - p->z[i]*p->dx[i])/p->s[i] - p->z[i] : 0.0;
    p->dw[i] = p->kind[i] & HAS_HI ? (centre - di + p->w[i]*p->dx[i])/p->t[i] - p->w[i] : 0.0;
  }
  return 1;
}

// ---- steps ----

typedef struct lengths { double primal, dual; } lengths;   // to the boundary, at most `most`

static lengths to_boundary(const interior *p, double most) {
  lengths a = {most, most};
  for (int32_t i = 0; i < p->n; i++) {
    if (p->kind[i] & HAS_LO) {
      if (p->dx[i] < 0.0) a.primal = min2(a.primal, -p->s[i]/p->dx[i]);
      if (p->dz[i] < 0.0) a.dual = min2(a.dual, -p->z[i]/p->dz[i]);
    }
    if (p->kind[i] & HAS_HI) {
      if (p->dx[i] > 0.0) a.primal = min2(a.primal, p->t[i]/p->dx[i]);
      if (p->dw[i] < 0.0) a.dual = min2(a.dual, -p->w[i]/p->dw[i]);
    }
  }
  return a;
}

// mu after a step of these lengths
static double mean_product(const interior *p, double primal, double dual) {
  double sum = 0.0;
  for (int32_t i = 0; i < p->n; i++) {
    if (p->kind[i] & HAS_LO)
      sum += (p->s[i] + primal*p->dx[i])*(p->z[i] + dual*p->dz[i]);
    if (p->kind[i] & HAS_HI)
      sum += (p->t[i] - primal*p->dx[i])*(p->w[i] + dual*p->dw[i]);
  }
  return p->pairs > 0 ? sum/(double)p->pairs : 0.0;
}

static void move(interior *p, const perp_run *run, double primal, double dual) {
  for (int32_t i = 0; i < p->n; i++) {
    if (p->kind[i] & FIXED) continue;
    const double step = primal*p->dx[i];
    p->x[i] += step;
    if (p->kind[i] & HAS_LO) {
      p->s[i] = positive(p->s[i] + step);
      p->z[i] = positive(p->z[i] + dual*p->dz[i]);
    }
    if (p->kind[i] & HAS_HI) {
      p->t[i] = positive(p->t[i] - step);
      p->w[i] = positive(p->w[i] + dual*p->dw[i]);
    }
    // The smaller distance is the accurate one, so x follows from it.
    const int low = p->kind[i] & HAS_LO && (!(p->kind[i] & HAS_HI) || p->s[i] <= p->t[i]);
    if (low) p->x[i] = run->lo != NULL ? run->lo[i] + p->s[i] : p->s[i];
    else if (p->kind[i] & HAS_HI) p->x[i] = run->hi[i] - p->t[i];
  }
}

// ---- the iteration ----

static void prepare(interior *p) {
  double sum = 0.0;
  for (int32_t i = 0; i < p->n; i++) {
    double q = 0.0;
    if (p->kind[i] & HAS_LO) {
      q += p->z[i]/p->s[i];
      sum += p->s[i]*p->z[i];
    }
    if (p->kind[i] & HAS_HI) {
      q += p->w[i]/p->t[i];
      sum += p->t[i]*p->w[i];
    }
    p->q[i] = min2(q, 1e200);
  }
  p->mu = p->pairs > 0 ? sum/(double)p->pairs : 0.0;
}

static void copy_direction(const interior *p, double *const to[3], double *const from[3]) {
  for (int k = 0; k < 3; k++) memcpy(to[k], from[k], (size_t)p->n*sizeof(double));
}

// Adds one more right-hand side to a step that reaches the boundary at length alpha. Returns the
// reach of the corrected step, or alpha if the correction gained nothing and was undone.
static double correct(interior *p, double centre, double alpha) {
  double *const now[3] = {p->dx, p->dz, p->dw}, *const before[3] = {p->ex, p->ez, p->ew};
  const double aim = min2(1.0, 1.1*alpha + 0.1);
  for (int32_t i = 0; i < p->n; i++) {
    const double step = aim*p->dx[i];
    p->c[i] = p->d[i] = p->rhs[i] = 0.0;
    if (p->kind[i] & HAS_LO) {
      p->c[i] = towards(centre, (p->s[i] + step)*(p->z[i] + aim*p->dz[i]));
      p->rhs[i] += p->c[i]/p->s[i];
    }
    if (p->kind[i] & HAS_HI) {
      p->d[i] = towards(centre, (p->t[i] - step)*(p->w[i] + aim*p->dw[i]));
      p->rhs[i] -= p->d[i]/p->t[i];
    }
  }
  copy_direction(p, before, now);
  double longer = 0.0;
  if (interior_solve(p, (double)INFINITY)) {
    for (int32_t i = 0; i < p->n; i++) {
      if (p->kind[i] & HAS_LO) p->dz[i] += (p->c[i] - p->z[i]*p->dx[i])/p->s[i];
      if (p->kind[i] & HAS_HI) p->dw[i] += (p->d[i] + p->w[i]*p->dx[i])/p->t[i];
      p->dx[i] += p->ex[i];
    }
    const lengths far = to_boundary(p, 1.0);
    longer = min2(far.primal, far.dual);
  }
  if (longer > alpha) return longer;
  copy_direction(p, now, before);
  return alpha;
}

// Mehrotra: the reach of the affine step shows how much centring is needed.
static int step_mehrotra(interior *p, perp_run *run) {
  if (!direction(p, (double)INFINITY, 0.0, 0.0, NULL, NULL)) return 0;
  const lengths reach = to_boundary(p, 1.0);
  const double alpha = min2(reach.primal, reach.dual);
  const double after = mean_product(p, alpha, alpha);
  const double ratio = p->mu > 0.0 ? clamp(after/p->mu, 0.0, 1.0) : 0.0;
  const double centre = p->mu*ratio*ratio*ratio;
  for (int32_t i = 0; i < p->n; i++) {
    p->dz[i] *= p->dx[i];
    p->dw[i] *= -p->dx[i];
  }
  // The next steps remove what an inaccurate step leaves of the linear residual.
  const double accuracy = clamp(run->residual, p->accuracy, 1.0);
  // KKT systems: a step that centres reduces the mismatch only by the same part as mu.
  const double kept = p->quasi && p->mu > 0.0 ? centre/p->mu : 0.0;
  if (!direction(p, accuracy, centre, kept, p->dz, p->dw)) return 0;
  lengths far = to_boundary(p, 1e300);
  double length = min2(far.primal, far.dual);
  for (int k = 0; k < CORRECTIONS_MAX && length < 1.0; k++) {
    const double longer = correct(p, centre, length);
    if (longer == length) break;
    far = to_boundary(p, 1e300);
    length = min2(far.primal, far.dual);
  }
  length = min2(1.0, clamp(1.0 - p->mu, BOUNDARY_FRACTION, 1.0 - BOUNDARY_REST_MIN)*length);
  move(p, run, length, length);
  p->removes = (1.0 - kept)*length;
  return 1;
}

static int step_paper(interior *p, perp_run *run) {
  const double tau = run->options->barrier.tau;
  if (!direction(p, p->accuracy, run->options->barrier.sigma*p->mu, 0.0, NULL, NULL)) return 0;
  const lengths far = to_boundary(p, 1e300);
  move(p, run, min2(1.0, tau*far.primal), min2(1.0, tau*far.dual));
  return 1;
}

// Copies x into the run and computes its residual. 1: the run has ended.
static int present(interior *p, perp_run *run) {
  if (run_apply(run, p->x, p->y) != 0) return 1;
  for (int32_t i = 0; i < p->n; i++)
    run->x[i] = clamp(p->x[i], lower(run->lo, i), upper(run->hi, i));
  run->residual = run_residual(run, run->x, p->y);
  return 0;
}

// How far A x + b is from z - w. An infeasible start closes that gap first.
static double mismatch(const interior *p) {
  double worst = 0.0;
  for (int32_t i = 0; i < p->n; i++) {
    if (p->kind[i] & FIXED) continue;
    worst = max_or_nan(worst, p->cross.scale[i]*fabs(p->y[i] - p->z[i] + p->w[i]));
  }
  return worst;
}

// The best values so far, and the number of iterations without better ones.
typedef struct progress {
  double residual, mu, gap;  // the least so far
  int32_t since_any, since_residual;   // iterations without progress
} progress;

static void note(progress *now, double residual, double mu, double gap) {
  const int better = mu < 0.5*now->mu || gap < 0.9*now->gap;
  now->since_residual = residual < RUN_GAIN_RATIO*now->residual ? 0 : now->since_residual + 1;
  now->since_any = now->since_residual == 0 || better ? 0 : now->since_any + 1;
  now->residual = min2(now->residual, residual);
  now->mu = min2(now->mu, mu);
  now->gap = min2(now->gap, gap);
}

// Guesses the active set if that is worthwhile. last: residual before this step. 1: the run has ended.
static int guess_and_solve(interior *p, perp_run *run, double last, int stuck, double *close) {
  for (int32_t i = 0; i < p->n; i++) p->work[i] = p->z[i] - p->w[i];
  const int32_t changed = crossover_guess(&p->cross, run, p->x, p->work);
  const int clear = changed <= p->n/CLEAR_ROWS_MIN && p->cross.doubtful <= p->n/CLEAR_ROWS_MIN;
  const int late = run->residual <= UNCLEAR_TOLERANCES_MAX*run->options->tol &&
                   run->residual > SLOW_RESIDUAL_RATIO_MIN*last;
  if (stuck || (run->residual <= *close && (clear || late))) {
    if (crossover_run(&p->cross, run, p->system, p->x)) return 1;
    *close = GUESS_AGAIN_RATIO*run->residual;
  }
  return 0;
}

// 1: no progress; 0: the run has ended.
static int iterate(interior *p, perp_run *run) {
  const int paper = run->options->barrier.variant == PERP_BARRIER_PAPER;
  progress now = {.residual = (double)INFINITY, .mu = (double)INFINITY, .gap = (double)INFINITY};
  double close = GUESS_RESIDUAL_MAX;
  if (!(paper ? interior_start_paper(p, run) : interior_start(p, run))) {
    run_stop(run, PERP_STATUS_BREAKDOWN, "the starting point of interior_point is not finite");
    return 0;
  }
  while (run_continue(run)) {
    prepare(p);
    const double before = mismatch(p), last = run->residual;
    if (interior_factor(p, run) != 0) return 0;
    const int stepped = paper ? step_paper(p, run) : step_mehrotra(p, run);
    if (stepped && present(p, run)) return 0;
    const double mu = mean_product(p, 0.0, 0.0), gap = mismatch(p);
    if (stepped) interior_adapt(p, before, gap);
    note(&now, run->residual, mu, gap);
    // mu may keep falling although there is no solution, so the residual counts too.
    const int stuck = !stepped || now.since_any >= IDLE_STEPS_MAX ||
                      now.since_residual >= 3*IDLE_STEPS_MAX;
    // The objective of a quadratic program may be wrong although each row is right.
    if (run->residual <= run->options->tol && run_check(run)) continue;
    if (run->options->barrier.crossover && guess_and_solve(p, run, last, stuck, &close)) continue;
    if (p->cross.rounded > 0) {
      run->rounded = 1;
      run_keep(run);
      run_stop(run, PERP_STATUS_STALLED, "the remaining residual is the rounding of x: no doubles "
               "near this solution are much closer to it");
      return 0;
    }
    if (!stuck) continue;
    return !interior_diverged(p, run);
  }
  return 0;
}

static void run_interior_point(perp_run *run) {
  interior p = {.accuracy = clamp(1e-3*run->options->tol, 1e-15, 1e-11)};
  layout(&p, run->memory, run->n);
  if (!run_may_fit_analysis(run)) return;
  int failed = 0;
  p.system = face_create(&run->A, FACE_DIAGONALS, run_allocator(run), &failed);
  if (p.system == NULL) {
    run_no_memory(run, "the linear systems");
    return;
  }
  crossover_begin(&p.cross, run);
  interior_regularise(&p);
  interior_begin(&p, run);
  p.far = p.quasi;   // the multipliers of a KKT system may be much larger than the data
  int stuck = iterate(&p, run);
  if (stuck && !p.far) {
    p.far = 1;
    interior_begin(&p, run);
    stuck = iterate(&p, run);
  }
  if (stuck) run_stop(run, PERP_STATUS_STALLED, "interior_point made no progress in %d iterations",
                      IDLE_STEPS_MAX);
  face_destroy(p.system);
}

static const perp_parameter parameters[] = {
  {"barrier.variant", PERP_KIND_CHOICE, offsetof(perp_options, barrier.variant),
   PERP_BARRIER_MEHROTRA, 0, 1, 0, 0, "mehrotra|paper",
   "predictor-corrector, or the plain iteration of MNS08 4"},
  {"barrier.crossover", PERP_KIND_SWITCH, offsetof(perp_options, barrier.crossover), 1, 0, 1, 0, 0,
   NULL, "guess the active set near the end and solve for it"},
  {"barrier.sigma", PERP_KIND_REAL, offsetof(perp_options, barrier.sigma), 0.25, 0, 1, 1, 1, NULL,
   "paper: the next mu, relative to the current one"},
  {"barrier.tau", PERP_KIND_REAL, offsetof(perp_options, barrier.tau), 0.9995, 0, 1, 1, 1, NULL,
   "paper: the fraction of the way to the boundary that a step takes"},
};

const perp_method method_interior_point = {
  .name = "interior_point", .tier = PERP_TIER_CHOOSE,
  .use = "quadratic programs, and other positive semidefinite A",
  .title = "primal-dual interior points",
  .source = "Mehrotra 1992; MNS08 4",
  .formula = "(A + diag(z/s + w/t)) dx = -(A x + b) + sigma mu (1/s - 1/t) + corrector",
  .converges = "A positive semidefinite, symmetric or not, and some x satisfies the inequalities",
  .cost = "one factorisation of A + D, sparse where A is, and a few solves",
  .advice = "It takes no guess. Where A is not positive semidefinite use fischer_newton.",
  .needs = PERP_NEEDS_SUBMATRIX,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_PSD | 1u << PERP_CLASS_PD | 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_SPLITS,
  .parameters = parameters,
  .parameter_count = sizeof parameters/sizeof parameters[0],
  .bytes = bytes,
  .run = run_interior_point,
  .iteration = "Newton",
};
