// interior_point.c: infeasible primal-dual interior points for monotone mixed problems. (Somewhat
// long: two barriers and the changes of the regularisation share one iteration.)
//
// With s = x - lo, t = hi - x and multipliers z, w > 0, Newton's method on
//     A x + b - z + w = 0,   s_i z_i = sigma mu,   t_i w_i = sigma mu
// leaves, after dz and dw are eliminated, one system with a changed diagonal a step:
//     (A + diag(z/s + w/t)) dx = -(A x + b) + (sigma mu - c)/s - (sigma mu - d)/t
// Free rows have neither z nor w. c and d are the second-order terms of Mehrotra's corrector.
//
// `mehrotra`: predictor and corrector (Mehrotra 1992; for QPs Gertz and Wright 2003), one factor
// for both and one step length for all, because only then the residual of the linear part shrinks
// by 1 - alpha. `paper`: MNS08 4: sigma = 0.25 and 0.9995 of the way to the boundary throughout,
// two step lengths, u0 = 0, v0 = 0.1, w0 = 1. Feasible monotone problems (A PSD) are solvable, and
// such iterations converge on them (Wright 1997, ch. 6); A may be singular: a small multiple of the
// identity keeps the factor finite, and refinement against the original takes its bias away.
// KKT systems of quadratic programs take more of it, 1e-7 in scaled units, so that pivots stay on the
// diagonal, and less where that hides too much of an ill-conditioned system.
// Near the end the active set is guessed and solved for (crossover.c), which also settles problems
// without strict complementarity, where s_i and z_i both go to zero like sqrt(mu).
// A further right-hand side or two bring products s_i z_i that would leave a longer step far from
// sigma mu near it (Gondzio: Multiple centrality corrections in a primal-dual method for linear
// programming, 1996): a quarter fewer iterations on walls of bricks, at a tenth of their time each.
// Cost: one factorisation of the pattern of A + I and two to six solves.
#include <math.h>
#include <string.h>

#include "crossover.h"
#include "run.h"
#include "system.h"
#include "vector.h"

#define DELTA_FIRST 1e-13    // regularisation relative to the scaled diagonal, ...
#define DELTA_QUASI 1e-7     //   for KKT systems, whose pivots then stay on the diagonal, ...
#define DELTA_QUASI_LESS 1e-3  //   times this where refinement leaves more than ...
#define POOR 1e-3            //     this part of a right-hand side: the system is ill-conditioned
#define DELTA_QUASI_LEAST 1e-13  //   and no less than this
#define ROUGH 1e-4           // accuracy at which nothing is refined, ...
#define UNSEEN 1e300         //   at which the residual is not even looked at: a predictor says how
                             //   much to centre, and the step that follows is looked at, ...
#define LOOSE 1e-6           //   of steps far from the solution, ...
#define FRACTION 1e-4        //   nearer, of the residual there, ...
#define BAD 1e-3             //   and what no step may have
#define INSIDE_OF 0.1        // of the largest x and y: how far inside the first iterate is at least
#define FARTHER 100.0        //   by what more where steps from there are short ...
#define FARTHEST 1e6         //   and by what at most
#define SHORT 0.1            // a step that is: three of them that leave ...
#define MOST_LEFT 0.8        //   this part of the first mismatch are enough
#define CORRECTIONS 2        // further right-hand sides an iteration, ...
#define WINDOW 0.1           //   products are brought into sigma mu [WINDOW, 1/WINDOW], ...
#define GAIN 0.1             //   and a step must gain this part of what was aimed at
#define DELTA_FACTOR 100.0   //   how it grows when a pivot vanishes ...
#define DELTA_LAST 1e-5      //   and where that is no longer the same problem
#define NULL_SHIFT 1e-11     // of the inverse iteration for null vectors
#define PATIENCE 12          // iterations without a better residual, smaller mu or smaller mismatch
#define PROXIMAL_ROUNDS 500  // factorisations to spend where A is monotone but for its rounding
#define CLOSE 1e-3           // residual at which the active set is worth a guess ...
#define DOUBTFUL 50          //   where no more than one row of so many is in doubt, or ...
#define LATE 10.0            //   the residual is so many tolerances ...
#define SLOW 0.3             //     and this part of the last one: else the next will do, ...
#define CLOSER 0.1           //   and how much smaller it must be after one that failed

typedef struct point {
  int32_t n;
  int64_t pairs;             // finite bounds
  double *x;                 // n
  double *s, *z;             // n: distance to lo and its multiplier, where lo is finite
  double *t, *w;             // n: distance to hi and its multiplier, where hi is finite
  double *y;                 // n: A x + b
  double *q;                 // n: z/s + w/t
  double *rhs, *dx, *dz, *dw, *work, *one;   // n
  double *ex, *ez, *ew;      // n: a direction to go back to
  double *c, *d;             // n: what is to be added to s_i z_i and t_i w_i
  uint8_t *kind;             // n: bits HAS_LO, HAS_HI; FIXED where lo = hi, and
                             //   where x_ref solves the row's component exactly
  double mu;
  double length;             // of the last step, the primal one
  double delta;              // the regularisation in use
  double accuracy;           // of a direction: its residual relative to the right-hand side
  int poor;                  // refinement left much of the last right-hand side that was looked at
  crossover cross;
  system_solver *system;
} point;

enum { HAS_LO = 1, HAS_HI = 2, FIXED = 4 };

static void layout(point *p, arena *memory, int32_t n) {
  double **const vectors[] = {&p->x, &p->s, &p->z, &p->t, &p->w, &p->y, &p->q, &p->rhs, &p->dx,
                              &p->dz, &p->dw, &p->work, &p->one, &p->ex, &p->ez, &p->ew, &p->c,
                              &p->d};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  p->kind = ARENA_ARRAY(memory, uint8_t, n);
  crossover_layout(&p->cross, memory, n);
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  point p = {0};
  layout(&p, &count, limits->n);
  return count.used;
}

// ---- the linear system ----

// Factors A + diag(q) + delta; a vanishing pivot raises delta. 0, or the run has ended.
static int factor(point *p, perp_run *run) {
  const perp_deadline deadline = run_deadline(run);
  for (;;) {
    for (int32_t i = 0; i < p->n; i++) {
      const double t = p->cross.scale[i];
      p->one[i] = p->kind[i] & FIXED ? 0.0 : 1.0;
      p->work[i] = p->kind[i] & FIXED ? 1.0 : p->q[i] + p->delta/(t*t);
    }
    const int failed = system_factor(p->system, p->one, p->work, &deadline);
    run_factored(run, 1, system_nonzeros(p->system));
    run->regularization = p->delta;
    if (failed == 0) return 0;
    if (failed == -1) {
      run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached in a factorisation");
      return 1;
    }
    if (failed == -2) {
      run_no_memory(run, "the linear systems");
      return 1;
    }
    p->delta = max2(p->delta*DELTA_FACTOR, DELTA_FIRST);
    if (p->delta > DELTA_LAST) {
      run_stop(run, PERP_STATUS_BREAKDOWN,
               "interior_point met a singular A + D at row %d", failed - 1);
      return 1;
    }
  }
}

// work = rhs - (A + diag(q)) dx; returns the largest one, scaled.
static double linear_residual(point *p) {
  double worst = 0.0;
  system_apply(p->system, p->dx, p->work);
  for (int32_t i = 0; i < p->n; i++) {
    p->work[i] = p->kind[i] & FIXED ? 0.0 : p->rhs[i] - p->work[i] - p->q[i]*p->dx[i];
    worst = max_or_nan(worst, fabs(p->cross.scale[i]*p->work[i]));
  }
  return worst;
}

// dx from rhs, refined against A + diag(q) without delta as long as that helps. 1: it is finite.
static int solve(point *p, double accuracy) {
  const int32_t n = p->n;
  double size = 0.0, worst = (double)INFINITY;
  for (int32_t i = 0; i < n; i++) {
    if (p->kind[i] & FIXED) p->rhs[i] = 0.0;
    size = max_or_nan(size, fabs(p->cross.scale[i]*p->rhs[i]));
  }
  // first as it comes; where that is bad the solver looks at its own residual, and factors with
  // more care
  for (int care = system_lifts(p->system); care < 2 && !(worst <= BAD*size); care++) {
    double before = worst = (double)INFINITY;
    memcpy(p->dx, p->rhs, (size_t)n*sizeof *p->dx);
    if (size == 0.0) return 1;
    system_solve(p->system, p->dx, care == 0 ? -1 : accuracy < ROUGH);
    if (accuracy == UNSEEN && care == 0) break;
    // without delta the solver's own residual will do
    if (p->delta == 0.0 && system_left(p->system) <= accuracy) break;
    for (int k = 0; k < 3; k++) {
      worst = linear_residual(p);
      if (!(worst < 0.5*before) || worst <= accuracy*size) break;
      before = worst;
      system_solve(p->system, p->work, -1);   // what it leaves, the next round sees
      for (int32_t i = 0; i < n; i++) p->dx[i] += p->work[i];
    }
  }
  if (accuracy < UNSEEN) p->poor = worst < (double)INFINITY && worst > POOR*size;
  double bad = 0.0;
  for (int32_t i = 0; i < n; i++) bad += p->dx[i] - p->dx[i];
  return bad == 0.0;
}

// The Newton step to s_i z_i = centre - c_i, t_i w_i = centre - d_i; c, d: NULL means 0.
static int direction(point *p, double accuracy, double centre, const double *c,
                     const double *d) {
  const int32_t n = p->n;
  for (int32_t i = 0; i < n; i++) {
    double r = -p->y[i];
    if (p->kind[i] & HAS_LO) r += (centre - (c != NULL ? c[i] : 0.0))/p->s[i];
    if (p->kind[i] & HAS_HI) r -= (centre - (d != NULL ? d[i] : 0.0))/p->t[i];
    p->rhs[i] = r;
  }
  // c and d may live where dz and dw will
  if (!solve(p, accuracy)) return 0;
  for (int32_t i = 0; i < n; i++) {
    const double ci = c != NULL ? c[i] : 0.0, di = d != NULL ? d[i] : 0.0;
    p->dz[i] = p->kind[i] & HAS_LO ? (centre - ci - p->z[i]*p->dx[i])/p->s[i] - p->z[i] : 0.0;
    p->dw[i] = p->kind[i] & HAS_HI ? (centre - di + p->w[i]*p->dx[i])/p->t[i] - p->w[i] : 0.0;
  }
  return 1;
}

// ---- steps ----

typedef struct lengths { double primal, dual; } lengths;   // to the boundary, at most `most`

static lengths to_boundary(const point *p, double most) {
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

static double mean_product(const point *p, double primal, double dual) {   // mu after such a step
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

static void move(point *p, const perp_run *run, double primal, double dual) {
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
    // The smaller distance is the accurate one.
    const int low = p->kind[i] & HAS_LO && (!(p->kind[i] & HAS_HI) || p->s[i] <= p->t[i]);
    if (low) p->x[i] = run->lo != NULL ? run->lo[i] + p->s[i] : p->s[i];
    else if (p->kind[i] & HAS_HI) p->x[i] = run->hi[i] - p->t[i];
  }
}

// ---- starting ----

static void begin(point *p, const perp_run *run) {
  p->n = run->n;
  p->pairs = 0;
  for (int32_t i = 0; i < p->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i);
    p->kind[i] = lo == hi || run_settled(run, i)
                     ? FIXED
                     : (uint8_t)((lo > -(double)INFINITY ? HAS_LO : 0) |
                                 (hi < (double)INFINITY ? HAS_HI : 0));
    p->pairs += (p->kind[i] & HAS_LO ? 1 : 0) + (p->kind[i] & HAS_HI ? 1 : 0);
    p->s[i] = p->z[i] = p->t[i] = p->w[i] = 0.0;
    p->x[i] = p->kind[i] & FIXED ? clamp(0.0, lo, hi) : 0.0;
  }
}

// A row at distance `inside` from its bounds, less where they are closer than that, with
// multipliers of at least `force` that agree with y where it has the right sign.
static void place(point *p, const perp_run *run, int32_t i, double x, double inside, double force,
                  double y) {
  if (p->kind[i] & FIXED) return;
  const double lo = lower(run->lo, i), hi = upper(run->hi, i);
  if (p->kind[i] & HAS_LO && p->kind[i] & HAS_HI) {
    const double room = hi - lo, margin = min2(inside, 0.25*room);
    p->s[i] = clamp(x - lo, margin, room - margin);
    p->t[i] = room - p->s[i];
  } else if (p->kind[i] & HAS_LO) {
    p->s[i] = max2(x - lo, inside);
  } else if (p->kind[i] & HAS_HI) {
    p->t[i] = max2(hi - x, inside);
  }
  p->x[i] = p->kind[i] & HAS_LO ? lo + p->s[i] : p->kind[i] & HAS_HI ? hi - p->t[i] : x;
  if (p->kind[i] & HAS_LO) p->z[i] = max2(y, 0.0) + force;
  if (p->kind[i] & HAS_HI) p->w[i] = max2(-y, 0.0) + force;
}

// Mehrotra's start for monotone problems: the solution of (A + I)x = -b, where x - lo and y would
// be opposite, moved inside far enough that both are positive and their products comparable. Where
// the solution is much larger than that x, steps are short from there: `farther` is for them, since
// iterations converge from a start as large as a solution (Wright 1997, ch. 6).
static int start(point *p, perp_run *run, double farther) {
  const int32_t n = p->n;
  const double *scale = p->cross.scale;
  double size = 0.0;
  for (int32_t i = 0; i < n; i++) {
    // at the point of the box nearest to 0, in units in which A has entries near 1
    p->x[i] = clamp(0.0, lower(run->lo, i), upper(run->hi, i));
    p->q[i] = p->kind[i] & (HAS_LO | HAS_HI) ? 1.0/(scale[i]*scale[i]) : 0.0;
  }
  if (run_apply(run, p->x, p->y) != 0 || factor(p, run) != 0) return 0;
  for (int32_t i = 0; i < n; i++) {
    p->rhs[i] = -p->y[i];
    if (!(p->kind[i] & FIXED)) size = max2(size, scale[i]*fabs(p->y[i]));
  }
  if (!solve(p, p->accuracy)) return 0;
  double far = 0.0;
  for (int32_t i = 0; i < n; i++) {
    p->x[i] += p->dx[i];
    if (p->kind[i] & (HAS_LO | HAS_HI)) far = max2(far, fabs(p->dx[i])/scale[i]);
  }
  if (run_apply(run, p->x, p->y) != 0) return 0;
  double force = 0.0;
  for (int32_t i = 0; i < n; i++)
    if (p->kind[i] & (HAS_LO | HAS_HI)) force = max2(force, scale[i]*fabs(p->y[i]));
  far = INSIDE_OF*farther*max2(far, 1e-8*max2(size, 1e-300));
  force = INSIDE_OF*farther*max2(force, 1e-8*max2(size, 1e-300));
  for (int32_t i = 0; i < n; i++)
    place(p, run, i, p->x[i], far*scale[i], force/scale[i], p->y[i]);
  return run_apply(run, p->x, p->y) == 0;
}

static int start_paper(point *p, perp_run *run) {   // MNS08 4: u0 = 0, v0 = 0.1, w0 = 1
  for (int32_t i = 0; i < p->n; i++) place(p, run, i, 0.0, 0.1, 1.0, 0.0);
  return run_apply(run, p->x, p->y) == 0;
}

// ---- the iteration ----

static void prepare(point *p) {
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

// What brings v near the target, without a large step down.
static double towards(double target, double v) {
  return max2(clamp(v, WINDOW*target, target/WINDOW) - v, -target/WINDOW);
}

static void copy_direction(const point *p, double *const to[3], double *const from[3]) {
  for (int k = 0; k < 3; k++) memcpy(to[k], from[k], (size_t)p->n*sizeof(double));
}

// One more right-hand side for the step that goes `alpha` to the boundary: returns how far the
// corrected one goes, or alpha where it does not gain enough and was taken back.
static double correct(point *p, double centre, double alpha) {
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
  if (solve(p, UNSEEN)) {
    for (int32_t i = 0; i < p->n; i++) {
      if (p->kind[i] & HAS_LO) p->dz[i] += (p->c[i] - p->z[i]*p->dx[i])/p->s[i];
      if (p->kind[i] & HAS_HI) p->dw[i] += (p->d[i] + p->w[i]*p->dx[i])/p->t[i];
      p->dx[i] += p->ex[i];
    }
    const lengths far = to_boundary(p, 1.0);
    longer = min2(far.primal, far.dual);
  }
  if (longer >= alpha + GAIN*(aim - alpha)) return longer;
  copy_direction(p, now, before);
  return alpha;
}

// Mehrotra: as far as the affine step gets shows how much centring is needed.
static int step_mehrotra(point *p, perp_run *run) {
  if (!direction(p, UNSEEN, 0.0, NULL, NULL)) return 0;
  const lengths reach = to_boundary(p, 1.0);
  const double alpha = min2(reach.primal, reach.dual);
  const double after = mean_product(p, alpha, alpha);
  const double ratio = p->mu > 0.0 ? clamp(after/p->mu, 0.0, 1.0) : 0.0;
  const double centre = p->mu*ratio*ratio*ratio;
  for (int32_t i = 0; i < p->n; i++) {
    p->dz[i] *= p->dx[i];
    p->dw[i] *= -p->dx[i];
  }
  // what a step leaves of the linear part, the next ones see
  const double accuracy = clamp(FRACTION*run->residual, p->accuracy, LOOSE);
  if (!direction(p, accuracy, centre, p->dz, p->dw)) return 0;
  lengths far = to_boundary(p, 1e300);
  double length = min2(far.primal, far.dual);
  for (int k = 0; k < CORRECTIONS && length < 1.0; k++) {
    const double longer = correct(p, centre, length);
    if (longer == length) break;
    far = to_boundary(p, 1e300);
    length = min2(far.primal, far.dual);
  }
  const double tau = max2(0.995, 1.0 - p->mu);
  length = min2(1.0, tau*length);
  move(p, run, length, length);
  return 1;
}

static int step_paper(point *p, perp_run *run) {
  const double tau = run->options->barrier.tau;
  if (!direction(p, p->accuracy, run->options->barrier.sigma*p->mu, NULL, NULL)) return 0;
  const lengths far = to_boundary(p, 1e300);
  move(p, run, min2(1.0, tau*far.primal), min2(1.0, tau*far.dual));
  return 1;
}

// Where there is no solution the iterates leave along a u with A u >= 0, b'u < 0 and u'A u = 0, so
// that (A + A')u = 0 because A is monotone: -A'u >= 0 makes it a Farkas vector. With P the rows
// where u_i is not small, u_P is in the null space of A_PP, to which inverse iteration polishes it.
// 1: it is a proof, or time is up.
static int proves(point *p, perp_run *run, const double *from, double small) {
  const int32_t n = p->n;
  const double *scale = p->cross.scale;
  double largest = 0.0;
  for (int32_t i = 0; i < n; i++)
    if (p->kind[i] != FIXED) largest = max_or_nan(largest, fabs(from[i])/scale[i]);
  if (!(largest > 0.0) || !(largest < (double)INFINITY)) return 0;
  for (int32_t i = 0; i < n; i++) {
    double u = from[i]/largest;
    const int kind = p->kind[i];
    if (kind == HAS_LO) u = max2(u, 0.0);
    else if (kind == HAS_HI) u = min2(u, 0.0);
    else if (kind != 0) u = 0.0;
    if (!(fabs(u) > small*scale[i])) u = 0.0;
    p->rhs[i] = u;
    p->one[i] = u != 0.0 ? 1.0 : 0.0;
    p->q[i] = u != 0.0 ? NULL_SHIFT/(scale[i]*scale[i]) : 1.0;
  }
  const perp_deadline deadline = run_deadline(run);
  const int failed = system_factor(p->system, p->one, p->q, &deadline);
  run->factorizations++;
  if (failed == -1) {
    run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached in a factorisation");
    return 1;
  }
  if (failed != 0) return 0;
  for (int step = 0; step < 3; step++) {
    double norm = 0.0;
    for (int32_t i = 0; i < n; i++) p->work[i] = p->rhs[i]/(scale[i]*scale[i]);
    system_solve(p->system, p->work, 2);
    for (int32_t i = 0; i < n; i++) norm = max_or_nan(norm, fabs(p->work[i])/scale[i]);
    if (!(norm > 0.0) || !(norm < (double)INFINITY)) return 0;
    for (int32_t i = 0; i < n; i++) {
      const double u = p->one[i] != 0.0 ? p->work[i]/norm : 0.0;
      p->rhs[i] = p->kind[i] == HAS_LO ? max2(u, 0.0) : p->kind[i] == HAS_HI ? min2(u, 0.0) : u;
    }
  }
  return run_infeasible(run, p->rhs);
}

static int diverged(point *p, perp_run *run) {
  static const double small[] = {1e-2, 1e-4, 1e-6, 1e-9};
  for (size_t k = 0; k < sizeof small/sizeof small[0]; k++)
    if (proves(p, run, p->x, small[k]) || proves(p, run, p->dx, small[k])) return 1;
  return 0;
}

// Takes x into the run. 1: it ended there.
static int present(point *p, perp_run *run) {
  if (run_apply(run, p->x, p->y) != 0) return 1;
  for (int32_t i = 0; i < p->n; i++)
    run->x[i] = clamp(p->x[i], lower(run->lo, i), upper(run->hi, i));
  run->residual = run_residual(run, run->x, p->y);
  return 0;
}

// How far A x + b is from z - w: an infeasible start closes that gap before anything else.
static double mismatch(const point *p) {
  double worst = 0.0;
  for (int32_t i = 0; i < p->n; i++) {
    if (p->kind[i] & FIXED) continue;
    worst = max_or_nan(worst, p->cross.scale[i]*fabs(p->y[i] - p->z[i] + p->w[i]));
  }
  return worst;
}

// KKT systems: how the regularisation goes, attempt by attempt. What is best for one problem stalls
// on another: UBH1 needs less than 1e-7, LISWET7 does not end with less.
typedef struct attempt { double delta; int adapts; } attempt;
static const attempt attempts[] = {
  {DELTA_QUASI, 1}, {DELTA_QUASI, 0}, {DELTA_QUASI_LEAST, 0}
};
enum { ATTEMPTS = sizeof attempts/sizeof attempts[0] };

// 0: the run has ended; 1: no progress, and another attempt is worth it.
static int iterate(point *p, perp_run *run, const attempt *now) {
  const int paper = run->options->barrier.variant == PERP_BARRIER_PAPER;
  const int cross = run->options->barrier.crossover;
  double best = (double)INFINITY, best_mu = (double)INFINITY, close = CLOSE;
  double best_gap = (double)INFINITY, farther = 1.0, first_gap = 0.0;
  int32_t since_any = 0, since_residual = 0, blocked = 0;
  if (!(paper ? start_paper(p, run) : start(p, run, farther))) {
    run_stop(run, PERP_STATUS_BREAKDOWN, "the starting point of interior_point is not finite");
    return 0;
  }
  while (run_continue(run)) {
    prepare(p);
    if (factor(p, run) != 0) return 0;
    const int stepped = paper ? step_paper(p, run) : step_mehrotra(p, run);
    if (stepped && present(p, run)) return 0;
    if (now != NULL && now->adapts && p->poor && p->delta > DELTA_QUASI_LEAST)
      p->delta = p->cross.sigma = max2(DELTA_QUASI_LESS*p->delta, DELTA_QUASI_LEAST);
    const double mu = mean_product(p, 0.0, 0.0), gap = mismatch(p);
    if (best_gap == (double)INFINITY) first_gap = gap;
    blocked = stepped && p->length < SHORT && gap > MOST_LEFT*first_gap ? blocked + 1 : 0;
    if (blocked == 3 && !paper && farther <= FARTHEST) {   // the last one is the first again
      farther *= FARTHER;
      best_mu = best_gap = (double)INFINITY;
      since_any = blocked = 0;
      if (start(p, run, farther <= FARTHEST ? farther : 1.0)) continue;
    }
    const int better = mu < 0.5*best_mu || gap < 0.9*best_gap;
    since_residual = run->residual < 0.9*best ? 0 : since_residual + 1;
    since_any = since_residual == 0 || better ? 0 : since_any + 1;
    const double last = best;
    best = min2(best, run->residual);
    best_mu = min2(best_mu, mu);
    best_gap = min2(best_gap, gap);
    // mu may go on falling although there is no solution
    const int stuck = !stepped || since_any >= PATIENCE || since_residual >= 3*PATIENCE;
    // the objective of a quadratic program may be wrong although each row is right
    if (run->residual <= run->options->tol && run_check(run)) continue;
    if (cross) {
      for (int32_t i = 0; i < p->n; i++) p->work[i] = p->z[i] - p->w[i];
      const int32_t changed = crossover_guess(&p->cross, run, p->x, p->work);
      const int clear = changed <= p->n/100 && p->cross.doubtful <= p->n/DOUBTFUL;
      const int late = run->residual <= LATE*run->options->tol && run->residual > SLOW*last;
      const int settled = run->residual <= close && (clear || late);
      if (stuck || settled) {
        if (crossover_run(&p->cross, run, p->system, p->x, stuck ? CROSSOVER_ROUNDS : 4)) continue;
        close = CLOSER*run->residual;
      }
      if (stuck && best < 0.1 &&
          crossover_proximal(&p->cross, run, p->system, run->x, PROXIMAL_ROUNDS))
        continue;
    }
    if (!stuck) continue;
    if (diverged(p, run)) return 0;
    if (now != NULL && now < &attempts[ATTEMPTS - 1]) return 1;
    run_stop(run, stepped ? PERP_STATUS_STALLED : PERP_STATUS_BREAKDOWN,
             stepped ? "interior_point made no progress in %d iterations"
                     : "interior_point found no step", PATIENCE);
    return 0;
  }
  return 0;
}

static void run_interior_point(perp_run *run) {
  point p = {.delta = DELTA_FIRST, .accuracy = clamp(1e-3*run->options->tol, 1e-15, 1e-11)};
  layout(&p, run->memory, run->n);
  crossover_begin(&p.cross, run);
  if (!run_may_fit_analysis(run)) return;
  p.system = system_create(&run->A, run_allocator(run));
  if (p.system == NULL) {
    run_no_memory(run, "the linear systems");
    return;
  }
  const int quasi = system_quasidefinite(p.system) && !system_lifts(p.system);
  if (system_lifts(p.system)) p.delta = 0.0;
  for (const attempt *now = quasi ? attempts : NULL;; now++) {
    if (now != NULL) p.delta = p.cross.sigma = now->delta;
    begin(&p, run);
    if (!iterate(&p, run, now)) break;
    crossover_begin(&p.cross, run);   // sets that were tried are worth another try
  }
  system_destroy(p.system);
}

static const perp_parameter parameters[] = {
  {"barrier.variant", PERP_KIND_CHOICE, offsetof(perp_options, barrier.variant),
   PERP_BARRIER_MEHROTRA, 0, 1, 0, 0, "mehrotra|paper",
   "predictor-corrector, or the plain iteration of MNS08 4"},
  {"barrier.crossover", PERP_KIND_SWITCH, offsetof(perp_options, barrier.crossover), 1, 0, 1, 0, 0,
   NULL, "guess the active set near the end and solve for it"},
  {"barrier.sigma", PERP_KIND_REAL, offsetof(perp_options, barrier.sigma), 0.25, 0, 1, 1, 1, NULL,
   "paper: how much of mu the next one aims at"},
  {"barrier.tau", PERP_KIND_REAL, offsetof(perp_options, barrier.tau), 0.9995, 0, 1, 1, 1, NULL,
   "paper: how much of the way to the boundary a step goes"},
};

const perp_method method_interior_point = {
  .name = "interior_point",
  .title = "primal-dual interior points",
  .source = "Mehrotra 1992; MNS08 4",
  .formula = "(A + diag(z/s + w/t)) dx = -(A x + b) + sigma mu (1/s - 1/t) + corrector",
  .converges = "A positive semidefinite, symmetric or not, and some x satisfies the inequalities",
  .cost = "one factorisation of A + D, sparse where A is, and a few solves",
  .advice = "It is for monotone problems, also singular ones, and takes no guess. Otherwise use "
            "fischer_newton.",
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
