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
// makes the first iterate. KKT systems of quadratic programs start farther inside than others,
// because their multipliers may be much larger than the data, and a step hardly doubles them.
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

#define STEP_ACCURACY_MAX 1e-6    // relative accuracy of a step far from the solution
#define STEP_ACCURACY_RATIO 1e-4  // accuracy of a step relative to the residual of x
// Short steps mean that the start was too close to the bounds. The iteration then starts again
// farther inside.
#define START_DISTANCE_GROWTH 100.0  // factor on the distance from one start to the next
#define START_DISTANCE_MAX 1e10      // distance of a start relative to the first one
#define SHORT_STEP_MAX 0.1           // step length: three shorter steps in a row cause a new start
#define MISMATCH_RATIO_MIN 0.8       // mismatch over that after one step: with less, no step is short
#define KKT_START_DISTANCE 1e4       // KKT systems: distance of the first start; z may be large
#define KKT_SHORT_STEP_MAX 0.5       // KKT systems: step length below which a step is short
#define KKT_SHORT_STEPS_MAX 6        // KKT systems: short steps before a new start
#define CORRECTIONS_MAX 2            // further right-hand sides per iteration
#define PRODUCT_WINDOW 0.1           // corrections bring s_i z_i over sigma mu into [this, 1/this]
#define CORRECTION_GAIN_MIN 0.1      // part of the intended gain in length that is required
#define IDLE_ITERATIONS_MAX 12       // iterations without a better residual, mu or mismatch
#define PROXIMAL_FACTORS_MAX 500     // factorisations for an A that is monotone except for rounding
#define GUESS_RESIDUAL_MAX 1e-3      // residual below which the active set is guessed
#define GUESS_CLEAR_ROWS_MIN 50      // rows per doubtful row for a guess to be clear
#define GUESS_TOLERANCES_MAX 10.0    // times the tolerance: below it an unclear guess is tried too
#define SLOW_RESIDUAL_RATIO_MIN 0.3  // residual over the last one: above it progress is slow
#define GUESS_AGAIN_RATIO 0.1        // residual for the next guess, relative to that of a failed one

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

static double positive(double v) { return max2(v, 1e-300); }

static void move(interior *p, const perp_run *run, double primal, double dual) {
  p->length = primal;
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

// The change that brings v into the window around the target. A large decrease is cut.
static double towards(double target, double v) {
  return max2(clamp(v, PRODUCT_WINDOW*target, target/PRODUCT_WINDOW) - v, -target/PRODUCT_WINDOW);
}

static void copy_direction(const interior *p, double *const to[3], double *const from[3]) {
  for (int k = 0; k < 3; k++) memcpy(to[k], from[k], (size_t)p->n*sizeof(double));
}

// Adds one more right-hand side to a step that reaches the boundary at length alpha. Returns the
// reach of the corrected step, or alpha if the correction gained too little and was undone.
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
  if (interior_solve(p, INTERIOR_UNCHECKED_ACCURACY)) {
    for (int32_t i = 0; i < p->n; i++) {
      if (p->kind[i] & HAS_LO) p->dz[i] += (p->c[i] - p->z[i]*p->dx[i])/p->s[i];
      if (p->kind[i] & HAS_HI) p->dw[i] += (p->d[i] + p->w[i]*p->dx[i])/p->t[i];
      p->dx[i] += p->ex[i];
    }
    const lengths far = to_boundary(p, 1.0);
    longer = min2(far.primal, far.dual);
  }
  if (longer >= alpha + CORRECTION_GAIN_MIN*(aim - alpha)) return longer;
  copy_direction(p, now, before);
  return alpha;
}

// Mehrotra: the reach of the affine step shows how much centring is needed.
static int step_mehrotra(interior *p, perp_run *run) {
  if (!direction(p, INTERIOR_UNCHECKED_ACCURACY, 0.0, 0.0, NULL, NULL)) return 0;
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
  const double accuracy = clamp(STEP_ACCURACY_RATIO*run->residual, p->accuracy, STEP_ACCURACY_MAX);
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
  const double tau = max2(0.995, 1.0 - p->mu);
  length = min2(1.0, tau*length);
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
  double first_gap, first_mu;   // of the start
  double second_gap;         // after one step
  double last;               // the least residual before the last iteration
  int32_t since_any, since_residual;   // iterations without progress
  int32_t blocked;           // short steps from this start
  double farther;            // distance of this start
} progress;

static void forget(progress *now) {   // after a new start
  now->residual = now->mu = now->gap = (double)INFINITY;
  now->since_any = now->since_residual = now->blocked = 0;
}

static void note(progress *now, double residual, double mu, double gap) {
  const int better = mu < 0.5*now->mu || gap < 0.9*now->gap;
  now->since_residual = residual < 0.9*now->residual ? 0 : now->since_residual + 1;
  now->since_any = now->since_residual == 0 || better ? 0 : now->since_any + 1;
  now->last = now->residual;
  now->residual = min2(now->residual, residual);
  now->mu = min2(now->mu, mu);
  now->gap = min2(now->gap, gap);
}

// 1: the steps from this start are so short that a start farther inside is better. After the
// farthest start comes the first one again, and then no other.
static int is_blocked(const interior *p, progress *now, double gap) {
  if (p->quasi) now->blocked = p->length < KKT_SHORT_STEP_MAX ? now->blocked + 1 : now->blocked/2;
  else
    now->blocked = p->length < SHORT_STEP_MAX && gap > MISMATCH_RATIO_MIN*now->second_gap
                       ? now->blocked + 1 : 0;
  return now->blocked == (p->quasi ? KKT_SHORT_STEPS_MAX : 3) && now->farther <= START_DISTANCE_MAX;
}

// Guesses the active set if that is worthwhile. 1: the run has ended.
static int guess_and_solve(interior *p, perp_run *run, const progress *now, int stuck,
                           double *close) {
  for (int32_t i = 0; i < p->n; i++) p->work[i] = p->z[i] - p->w[i];
  const int32_t changed = crossover_guess(&p->cross, run, p->x, p->work);
  const int clear = changed <= p->n/100 && p->cross.doubtful <= p->n/GUESS_CLEAR_ROWS_MIN;
  const int late = run->residual <= GUESS_TOLERANCES_MAX*run->options->tol &&
                   run->residual > SLOW_RESIDUAL_RATIO_MIN*now->last;
  const int settled = run->residual <= *close && (clear || late);
  if (stuck || settled) {
    if (crossover_run(&p->cross, run, p->system, p->x, stuck ? CROSSOVER_SETS_MAX : 4)) return 1;
    *close = GUESS_AGAIN_RATIO*run->residual;
  }
  return stuck && now->residual < 0.1 &&
         crossover_proximal(&p->cross, run, p->system, run->x, PROXIMAL_FACTORS_MAX);
}

// 0: the run has ended; 1: no progress, and another attempt may be worth it.
static int iterate(interior *p, perp_run *run) {
  const int paper = run->options->barrier.variant == PERP_BARRIER_PAPER;
  const double first = p->quasi ? KKT_START_DISTANCE : 1.0;
  progress now = {.farther = first};
  double close = GUESS_RESIDUAL_MAX;
  forget(&now);
  if (!(paper ? interior_start_paper(p, run) : interior_start(p, run, first))) {
    run_stop(run, PERP_STATUS_BREAKDOWN, "the starting point of interior_point is not finite");
    return 0;
  }
  while (run_continue(run)) {
    prepare(p);
    const double before = mismatch(p);
    if (interior_factor(p, run) != 0) return 0;
    const int stepped = paper ? step_paper(p, run) : step_mehrotra(p, run);
    if (stepped && present(p, run)) return 0;
    const double mu = mean_product(p, 0.0, 0.0), gap = mismatch(p);
    if (now.gap == (double)INFINITY) {
      now.first_gap = before;
      now.first_mu = p->mu;
      now.second_gap = gap;
    }
    if (stepped) interior_adapt(p, before, gap, gap/now.first_gap*(now.first_mu/mu));
    if (stepped && !paper && is_blocked(p, &now, gap)) {
      now.farther *= START_DISTANCE_GROWTH;
      forget(&now);
      interior_regularise(p, p->attempt);
      if (interior_start(p, run, now.farther <= START_DISTANCE_MAX ? now.farther : first)) continue;
    }
    note(&now, run->residual, mu, gap);
    // mu may keep falling although there is no solution, so the residual counts too.
    const int stuck = !stepped || now.since_any >= IDLE_ITERATIONS_MAX ||
                      now.since_residual >= 3*IDLE_ITERATIONS_MAX;
    // The objective of a quadratic program may be wrong although each row is right.
    if (run->residual <= run->options->tol && run_check(run)) continue;
    if (run->options->barrier.crossover && guess_and_solve(p, run, &now, stuck, &close)) continue;
    if (p->cross.rounded > 0) {
      run->rounded = 1;
      run_keep(run);
      run_stop(run, PERP_STATUS_STALLED, "the remaining residual is the rounding of x: no doubles "
               "near this solution are much closer to it");
      return 0;
    }
    if (!stuck) continue;
    if (interior_diverged(p, run)) return 0;
    return 1;
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
  int again = 1;
  for (int attempt = 0; again; attempt++) {
    crossover_begin(&p.cross, run);   // forgets the sets that were tried
    if (!interior_regularise(&p, attempt)) break;
    interior_begin(&p, run);
    again = iterate(&p, run);
  }
  if (again) run_stop(run, PERP_STATUS_STALLED,
                      "interior_point made no progress in %d iterations", IDLE_ITERATIONS_MAX);
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
