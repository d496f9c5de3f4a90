// minmap_newton.c: Newton's method on the minimum map, with a projected Armijo search.
//
//   A_II d_I = -y_I - A_IF d_F,  d_F = -H_F / D_F                                          E13 (80)
//   x <- clamp(x + tau d), tau from the Armijo search on theta = 1/2 |H|^2                 E13 (83)
//
// H, D, I and F are those of minmap.c. The search tests the projected point and keeps it (the
// source keeps the unprojected one). If no step of reasonable length is accepted, three means
// follow:
//   excursion  full steps that may increase theta, with the sets of the unprojected points: this
//              is the primal-dual active set method, finite on M-matrices. After some steps
//              without a smaller theta, back to the best x; the next one only after theta has
//              halved
//   shift      A_II + shift I instead of A_II, which may be singular
//   gradient   a least-squares step, of which the projected gradient is the first approximation
// So theta of the best x falls, and excursions are finite in number and length. Plain Newton-min
// cycles on some P-matrices; this method does not. Converges to stationary points of theta, which
// need not be solutions; then newton.restarts other starts are tried. Sources: E13 5.4 and 6, ANE17
// 3 and 4; active sets: Hintermueller, Ito, Kunisch 2003. Cost per iteration: one linear system in
// the free rows, and a product for every trial step.
#include <string.h>

#include "line_search.h"
#include "minmap.h"
#include "random.h"
#include "vector.h"

#define EXCURSION_STEPS_MAX 20     // full steps in a row that may increase theta; 1: cps_4_4_7 takes
                                   //   140 times the work; 20000: NESpheres takes 2.3 times
#define HALVING_STEPS_MAX 100      // steps in which theta has to halve, or a start is given up; without
                                   //   a limit, steps may gain a little for ever; 200: six heaps of 70 and
                                   //   88 spheres take 1.07 times the steps; 50: a step of a wall stays
                                   //   unsolved
#define STATIONARY_GAIN_MAX 1e-8   // gain, relative to theta, below which x is stationary
#define SHIFT_MIN 1e-8             // first shift of A_II, relative to its diagonal
#define SHIFT_MAX 1e-2             // largest shift of A_II, relative to its diagonal

typedef struct search {
  minmap map;
  uint8_t *predicted;              // n: I after a full step, before projection
  double *best, *first;            // n each: the x with the least theta of this start; the guess
  double best_theta, mark;         // theta of `best`; the value that progress must halve
  int32_t budget;                  // remaining steps that may increase theta
  int32_t slow;                    // steps since theta halved
  int32_t exploring;               // 1: in an excursion
  int32_t cautious;                // 1: larger shifts instead of excursions
  int32_t bare;                    // 1: only Newton steps and the search, as in ANE17
} search;

static search layout(arena *memory, int32_t n) {
  search s = {.map = minmap_layout(memory, n)};
  s.predicted = ARENA_ARRAY(memory, uint8_t, n);
  s.best = ARENA_ARRAY(memory, double, n);
  s.first = ARENA_ARRAY(memory, double, n);
  return s;
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  layout(&count, limits->n);
  return count.used;
}

// ---- steps: 1: taken; 0: there is none; -1: the run has ended ----

static double try_step(void *context, double tau) {
  minmap *m = context;
  const perp_run *run = m->run;
  for (int32_t i = 0; i < m->n; i++)
    m->trial[i] = clamp(run->x[i] + tau*m->d[i], lower(run->lo, i), upper(run->hi, i));
  if (run_out_of_time(m->run) || run_apply(m->run, m->trial, m->trial_y) != 0) return -1.0;
  return minmap_merit(m, m->trial, m->trial_y);
}

static int accept(search *s) {   // the trial point becomes x
  minmap *m = &s->map;
  minmap_move(m);
  s->slow++;
  if (m->theta < s->best_theta) {
    s->best_theta = m->theta;
    memcpy(s->best, m->run->x, (size_t)m->n*sizeof *s->best);
  }
  if (m->theta < 0.5*s->mark) {   // progress
    s->mark = m->theta;
    s->budget = s->bare ? 0 : EXCURSION_STEPS_MAX;
    s->slow = 0;
  }
  return 1;
}

static int armijo(search *s, double slope, double shortest) {
  const perp_options *options = s->map.run->options;
  const line_search along = {.alpha = options->newton.alpha, .beta = options->newton.beta,
                             .delta = max2(options->newton.delta, shortest), .merit = try_step,
                             .context = &s->map};
  const line_step found = line_search_run(&along, s->map.theta, slope);
  if (found.merit < 0.0) return -1;
  if (!found.accepted) return 0;
  return accept(s);
}

// The relative residual of the linear system: E13 (71) while the set changes, then the accuracy
// that the certificate needs. In an excursion the set must not depend on the residual.
static double inner_tolerance(const search *s) {
  const perp_options *options = s->map.run->options;
  const double gamma = options->newton.gamma, residual = s->map.run->residual;
  if (s->bare) return gamma;
  if (s->exploring) return min2(gamma, 1e-6);
  if (!minmap_settled(&s->map) || !(residual > 0.0)) return gamma;
  return min2(gamma, max2(0.1*options->tol/residual, 1e-13));
}

// Takes the full step along d, and predicts the next set from the unprojected point.
static int full_step(search *s) {
  minmap *m = &s->map;
  const perp_run *run = m->run;
  s->budget--;
  for (int32_t i = 0; i < m->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i), z = run->x[i] + m->d[i];
    const double y = m->is_free[i] ? 0.0 : m->y[i] + m->Ad[i];   // 0 but for rounding
    s->predicted[i] = m->D[i]*(z - hi) < y && y < m->D[i]*(z - lo);
  }
  const double there = try_step(m, 1.0);
  if (there < 0.0) return -1;
  if (!(there < (double)INFINITY)) return 0;
  s->exploring = 1;
  return accept(s);
}

static int explore(search *s) {
  minmap *m = &s->map;
  double slope;
  memcpy(m->is_free, s->predicted, (size_t)m->n);
  const double before = s->best_theta;
  int taken = s->budget > 0 ? minmap_newton_direction(m, 1, inner_tolerance(s), &slope) : 0;
  if (taken > 0) taken = full_step(s);
  if (taken <= 0 || s->best_theta < before) s->exploring = 0;
  return taken;
}

// The shift to try after one that did not help; 0: none.
static double next_shift(const search *s) {
  const double shift = s->map.shift, typical = s->map.typical;
  if (s->bare) return 0.0;
  if (shift == 0.0) return SHIFT_MIN*typical;
  return s->cautious && 100.0*shift <= SHIFT_MAX*typical ? 100.0*shift : 0.0;
}

static int newton_step(search *s) {
  minmap *m = &s->map;
  minmap_classify(m);
  const double least = SHIFT_MIN*m->typical;
  if (m->shift > least && minmap_settled(m) &&
      minmap_shift(m, max2(least, 0.01*m->shift)) != 0)
    return -1;
  for (;;) {
    double slope;
    int taken = minmap_newton_direction(m, 0, inner_tolerance(s), &slope);
    if (taken < 0) return -1;
    if (taken > 0 && slope < 0.0) {   // the descent test
      const int may_rise = s->budget > 0 && !s->cautious;
      taken = armijo(s, slope, may_rise ? SHORT_STEP_MAX : 0.0);
      if (taken == 0 && may_rise) taken = full_step(s);
      if (taken != 0) return taken;
    }
    const double shift = next_shift(s);
    if (shift == 0.0) return 0;
    if (minmap_shift(m, shift) != 0) return -1;
  }
}

typedef enum stuck { STUCK, STUCK_STATIONARY, STUCK_STALLED } stuck;   // how x is stuck

static int step(search *s, stuck *how) {
  minmap *m = &s->map;
  double slope;
  *how = STUCK_STALLED;
  if (s->slow >= HALVING_STEPS_MAX) return 0;
  *how = STUCK;
  if (s->exploring) {
    const int taken = explore(s);
    if (taken != 0) return taken;
  }
  if (m->theta > s->best_theta) {   // back from an excursion
    memcpy(m->run->x, s->best, (size_t)m->n*sizeof *s->best);
    if (minmap_evaluate(m) != 0) return -1;
  }
  int taken = newton_step(s);
  if (taken != 0) return taken;
  if (s->bare) return 0;
  taken = minmap_gradient_direction(m, &slope);
  if (taken <= 0) return taken;
  // -slope is twice the gain of the best step of the linear model.
  if (slope >= -STATIONARY_GAIN_MAX*m->theta) *how = STUCK_STATIONARY;
  return slope < 0.0 ? armijo(s, slope, 0.0) : 0;
}

// ---- starting, and starting again ----

static int begin_at(search *s) {   // run->x; 1: the run has ended
  minmap *m = &s->map;
  if (minmap_evaluate(m) != 0) return 1;
  s->best_theta = s->mark = m->theta;
  memcpy(s->best, m->run->x, (size_t)m->n*sizeof *s->best);
  s->budget = s->bare ? 0 : EXCURSION_STEPS_MAX;
  s->slow = s->exploring = 0;
  return 0;
}

// Starts again for the k-th time, E13 6: from the guess with more caution, then from random points of
// the box of the size of x. 1: the run has ended.
static int restart(search *s, int32_t k, random_stream *random) {
  minmap *m = &s->map;
  perp_run *run = m->run;
  s->cautious = k%2 == 0;
  memcpy(run->x, k == 0 ? s->first : s->best, (size_t)m->n*sizeof *s->best);
  if (k > 0) {
    double size = 0.0;
    for (int32_t i = 0; i < m->n; i++)
      size = max2(size, max2(fabs(run->x[i]), fabs(m->H[i])/m->D[i]));
    size = ldexp(size, 2*(k%4));   // not always the same size, as x may be far from a solution
    for (int32_t i = 0; i < m->n; i++)
      run->x[i] = clamp(random_range(random, -size, size), lower(run->lo, i), upper(run->hi, i));
  }
  return begin_at(s) || minmap_shift(m, 0.0);
}

// theta, how: of the best start.
static void give_up(perp_run *run, double theta, stuck how) {
  if (how == STUCK_STATIONARY)
    run_stop(run, PERP_STATUS_LOCAL_MINIMUM,
             "minmap_newton reached a local minimum, theta = %.3g, that is no solution",
             theta);
  else if (how == STUCK_STALLED)
    run_stop(run, PERP_STATUS_STALLED, "minmap_newton made no more progress at theta = %.3g", theta);
  else
    run_stop(run, PERP_STATUS_NOT_DESCENT,
             "minmap_newton found no descent from theta = %.3g, neither along the Newton "
             "direction nor along the gradient", theta);
}

static void run_minmap_newton(perp_run *run) {
  search s = layout(run->memory, run->n);
  if (minmap_begin(&s.map, run) != 0) return;
  memcpy(s.first, run->x, (size_t)run->n*sizeof *s.first);
  // Differences are those of H at x, so sets of other points cannot be used.
  const int bound_to_x = run->options->newton.inner == PERP_INNER_DIFFERENCES;
  s.cautious = bound_to_x;
  s.bare = !run->options->newton.excursions;
  random_stream random = {.seed = run->options->seed, .next = 0};
  int32_t restarts = 0, ended = begin_at(&s);
  double least = (double)INFINITY;
  stuck best = STUCK;
  while (!ended && run_continue(run)) {
    stuck how;
    const int taken = step(&s, &how);
    if (taken > 0) continue;
    if (taken < 0) {
      if (run_out_of_time(run)) run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached");
      continue;
    }
    if (run_check(run)) continue;   // theta may be as small as rounding allows
    if (s.best_theta < least) {
      least = s.best_theta;
      best = how;
    }
    if (restarts < run->options->newton.restarts) {
      ended = restart(&s, restarts++, &random);
      s.cautious |= bound_to_x;
    } else {
      give_up(run, least, best);
    }
  }
  minmap_end(&s.map);
}

static const perp_parameter parameters[] = {
  LINE_SEARCH_PARAMETERS,
  {"newton.gamma", PERP_KIND_REAL, offsetof(perp_options, newton.gamma), 0.01, 0, 1, 1, 1, NULL,
   "inner residual relative to the outer one, E13 (71)"},
  {"newton.delta", PERP_KIND_REAL, offsetof(perp_options, newton.delta), 1e-9, 0, 1, 1, 0, NULL,
   "smallest step; below it the method takes a gradient step"},
  {"newton.h", PERP_KIND_REAL, offsetof(perp_options, newton.h), 1e-7, 0, 1, 1, 1, NULL,
   "step of finite differences, relative to the largest |x|, E13 (102)"},
  {"newton.inner", PERP_KIND_CHOICE, offsetof(perp_options, newton.inner), 0, 0, 4, 0, 0,
   "auto|direct|krylov|masks|differences",
   "how to solve A_II d = r; auto: krylov on grids and for n > 100000, else direct"},
  {"newton.excursions", PERP_KIND_SWITCH, offsetof(perp_options, newton.excursions), 1, 0, 1, 0, 0,
   NULL, "take a step even if the line search finds none; off: the method as published"},
  {"newton.restarts", PERP_KIND_INTEGER, offsetof(perp_options, newton.restarts), 8, 0, INT32_MAX,
   0, 0, NULL, "restarts from other points when stuck"},
  {"krylov.solver", PERP_KIND_CHOICE, offsetof(perp_options, krylov.solver), 0, 0, 4, 0, 0,
   "auto|cg|cr|gmres|bicgstab", "Krylov solver; auto: cg where A is symmetric, else gmres"},
  {"krylov.preconditioner", PERP_KIND_CHOICE, offsetof(perp_options, krylov.preconditioner), 0, 0,
   8, 0, 0, "auto|identity|jacobi|ic|mic|ainv_plain|ainv_scaled|ainv_static|ilu",
   "preconditioner of A_II; auto: ic where A is symmetric, else ilu"},
  {"krylov.iterations", PERP_KIND_INTEGER, offsetof(perp_options, krylov.iterations), 1000, 1,
   INT32_MAX, 0, 0, NULL, "inner iterations per linear system"},
  {"krylov.restart", PERP_KIND_INTEGER, offsetof(perp_options, krylov.restart), 50, 1, 100000, 0, 0,
   NULL, "vectors that GMRES keeps before it starts again"},
  {"krylov.drop", PERP_KIND_REAL, offsetof(perp_options, krylov.drop), 0.1, 0, 1, 1, 1, NULL,
   "entries of approximate inverses below this are left out"},
};

// ANE17 6: at most 10 Newton steps, all thresholds (32)-(34) at 1e-5, xi of theorem 3.2 at 0.01, CG
// without a preconditioner for at most 1000 iterations between masks (section 4, corrected), at
// most 100 halvings of a step.
static const char *const paper[][2] = {
  {"iteration_limit", "10"}, {"scale", "off"}, {"stop.measure", "minmap"}, {"stop.tol", "1e-5"},
  {"stop.relative", "1e-5"}, {"stop.stagnation", "1e-5"}, {"newton.inner", "masks"},
  {"newton.alpha", "1e-3"}, {"newton.beta", "0.5"}, {"newton.gamma", "0.01"},
  {"newton.delta", "7.8e-31"}, {"newton.excursions", "off"}, {"newton.restarts", "0"},
  {"krylov.solver", "cg"}, {"krylov.preconditioner", "identity"}, {"krylov.iterations", "1000"},
};
static const perp_preset presets[] = {
  {"paper", "the parameters of ANE17 section 6: masks, CG, its stopping rules, no restarts", paper,
   sizeof paper/sizeof paper[0]},
};

const perp_method method_minmap_newton = {
  .name = "minmap_newton", .tier = PERP_TIER_REFERENCE,
  .title = "minimum map Newton",
  .source = "E13 5.4, ANE17 3-4",
  .formula = "A_II d_I = A_IF H_F - H_I, d_F = -H_F, x = clamp(x + tau d), H = min(x, y)",
  .converges = "to stationary points of |H|^2, in finitely many steps near a regular solution",
  .cost = "one linear system in the free rows, one product for every step that is tried",
  .advice = "Try start = pgs:10, raise newton.restarts, or use fischer_newton.",
  .hint = "start = pgs:10 or more newton.restarts may help.",
  .needs = 0,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_EQUILIBRATE | PERP_TRAIT_LINEAR,
  .parameters = parameters,
  .parameter_count = sizeof parameters/sizeof parameters[0],
  .presets = presets,
  .preset_count = sizeof presets/sizeof presets[0],
  .bytes = bytes,
  .run = run_minmap_newton,
  .iteration = "Newton",
};
