// fischer_newton.c: safeguarded non-smooth Newton method on the Fischer-Burmeister equations.
//
//   F_i(x) = psi(x_i, y_i),  psi(a, b) = sqrt(a^2 + b^2) - a - b,  y = A x + b         E13 (84)
//   (diag(p) A + diag(q)) d = -F(x),  p = dpsi/dy, q = dpsi/dx                     E13 (85), (96)
//   x <- x + tau d,  tau by an Armijo search on theta = |F|^2/2                     E13 (83), (103)
//
// (E13 writes p for our q.) At a kink x_i = y_i = 0 the method chooses an element of the
// generalised Jacobian. newton.jacobian random, zero, perturbation and approximation are the four
// strategies of E13 5.5, with its projected search. The default, robust, has these stages:
//  0. Regularised smoothing Newton (Qi, Sun, Zhou 2000; Sun 1999): u > 0 smooths psi, kappa u (x-c)
//     is added to y, and Newton's method drives the unknown u to zero together with F. On P0
//     matrices every Newton matrix is non-singular. It also solves most friction problems, which
//     are not P0.
//  1. The same from zero, with more smoothing that falls more slowly.
//  2. From the best point, without smoothing: the element of De Luca, Facchinei and Kanzow (2000), a
//     limit of Jacobians.
//  3. Random starts, up to newton.restarts other starts in all.
// In each stage a bad factor is regularised by a shift of its diagonal, as Levenberg and Marquardt
// do for J'J. A direction that does not descend is replaced by the gradient. The search is
// non-monotone over newton.memory merits. Once the set of free rows settles, its linear system is
// solved. On non-degenerate problems that gives the answer two or three iterations earlier.
//
// Converges to a solution for positive definite A, and for P0 matrices with bounded level sets. In
// general it converges to a stationary point of theta, which is a solution only if theta = 0. Cost
// per iteration: a factorisation of PA + Q (dense 2/3 n^3), or a Krylov solve on products with A.
// The file is long because the four strategies and the robust one share one state.
#include <math.h>
#include <string.h>

#include "face.h"
#include "fischer.h"
#include "krylov.h"
#include "line_search.h"
#include "random.h"
#include "run.h"
#include "vector.h"

#define STATIONARY_GRADIENT_MAX 1e-6  // |grad theta| over |F| at a stationary point, equilibrated
#define STAGE_STEPS_MAX 200           // steps of a stage, and gradient steps at the end; 1: 66 of
                                      //   139 problems stay unsolved
#define FREE_ROWS_SHIFT 1e-8          // of the system of the free rows, in case rows are redundant;
                                      //   1e-14: PerioBox takes 1.2 times the work
// Added to the diagonal until the direction descends, relative to |F| where that is below 1.
#define SHIFT_FIRST 1e-4
#define SHIFT_GROWTH 30.0             // from one shift to the next
enum newton_history { MEMORY_MAX = 64 };   // limit of newton.memory

typedef struct newton {
  perp_run *run;
  int32_t n;
  double u;                    // the smoothing of this stage so far
  double kappa;                // y + kappa u (x - centre) instead of y
  double u0;                   // u at the beginning of the stage
  double slow;                 // u falls at most by this factor per step
  double scale;                // x = scale z: brings b to the size of the equilibrated entries of A
  int faithful;                // 1: one of the strategies of E13: projected and monotone
  int differences;             // 1: products with J by (102)
  face *system;                // NULL: Krylov
  double *b, *lo, *hi;         // n each: divided by scale
  double *centre, *best;       // n: centre of the regularisation; the z with the least residual
  double *z, *y, *F;           // n: iterate (unprojected unless faithful), A z + b, F(z)
  double *trial, *trial_y, *trial_F;   // n: of the line search
  double trial_u;
  double *p, *q, *w;           // n: derivatives of F by y, z and u
  double *d, du;               // n: direction for z, and for u
  double *g;                   // n: gradient of theta
  double *v, *v_y, *v_F;       // n: work of products
  double *diagonal;            // n: of A, for the preconditioner; NULL: unknown
  double *work;                // work space of the Krylov solver; NULL with a direct one
  uint8_t *is_free;            // n: rows whose linear system is solved
  signed char *side, *tried;   // n: at lo -1, free 0, at hi 1; the same when polish last solved
  double merit;                // (|F|^2 + u^2)/2
  double history[MEMORY_MAX];  // the last merits, a ring
  int32_t steps;               // in this stage
  int monotone;                // 1: every step lowers the merit
  double best_residual;
  random_stream random;
  perp_status reason;          // why the last stage ended
} newton;

static perp_krylov solver_of(const perp_options *o) {
  return o->krylov.solver == PERP_KRYLOV_AUTO ? PERP_KRYLOV_GMRES : (perp_krylov)o->krylov.solver;
}

static void layout(newton *s, arena *memory, int32_t n) {
  double **const vectors[] = {&s->b, &s->lo, &s->hi, &s->centre, &s->best, &s->z, &s->y, &s->F,
                              &s->trial, &s->trial_y, &s->trial_F, &s->p, &s->q, &s->w, &s->d,
                              &s->g, &s->v, &s->v_y, &s->v_F, &s->diagonal};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  s->is_free = ARENA_ARRAY(memory, uint8_t, n);
  s->side = ARENA_ARRAY(memory, signed char, n);
  s->tried = ARENA_ARRAY(memory, signed char, n);
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  newton s;
  layout(&s, &count, limits->n);
  return count.used;
}

// ---- F, its Jacobian and the gradient of theta ----

static double regularised(const newton *s, double z, double y, double u, int32_t i) {
  return u > 0.0 ? y + s->kappa*u*(z - s->centre[i]) : y;
}

// y = A z + b and F at z; returns |F|^2/2, or a negative number if the operator aborted.
static double evaluate(newton *s, const double *z, double u, double *y, double *F) {
  if (run_product(s->run, z, y) != 0) return -1.0;
  double sum = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    y[i] += s->b[i];
    F[i] = fischer_at(u, z[i], regularised(s, z[i], y[i], u, i), s->lo[i], s->hi[i],
                      (fischer_choice){0}).F;
    sum += F[i]*F[i];
  }
  return 0.5*sum;
}

// The row at a kink of the strategies of E13: random, zero, and x_i moved by epsilon.
static fischer_row paper_row(newton *s, int32_t i, int side) {
  const double lo = s->lo[i], hi = s->hi[i], epsilon = s->run->options->newton.epsilon;
  const double bound = side < 0 ? lo : hi;
  switch ((perp_jacobian)s->run->options->newton.jacobian) {
    case PERP_JACOBIAN_RANDOM: {
      const double angle = random_range(&s->random, 0.0, 6.283185307179586);
      const double length = sqrt(random_uniform(&s->random));
      const fischer_choice inside = {length*cos(angle), length*sin(angle), 0};
      return fischer_at(s->u, bound, 0.0, lo, hi, inside);
    }
    case PERP_JACOBIAN_PERTURBATION: {
      const fischer_choice none = {0};
      return fischer_at(s->u, bound - side*epsilon, s->y[i], lo, hi, none);
    }
    default: return fischer_at(s->u, bound, 0.0, lo, hi, (fischer_choice){0});
  }
}

// Computes p, q and w at z: J = diag(p) A + diag(q), dF/du = w. At kinks robust takes the limit of
// Jacobians along the direction v that is 1 at kinks and 0 elsewhere: (v_i, (A v)_i)/|.| in E13
// (98).
static int element(newton *s) {
  const double u = s->u, kappa = s->kappa;
  const double epsilon = s->faithful ? s->run->options->newton.epsilon : 0.0;
  int32_t kinks = 0;
  for (int32_t i = 0; i < s->n; i++) {
    s->v[i] = u == 0.0 && fischer_kink(s->z[i], s->y[i], s->lo[i], s->hi[i], epsilon) != 0;
    kinks += s->v[i] != 0.0;
  }
  if (!s->faithful && kinks > 0 && run_product(s->run, s->v, s->v_y) != 0) return 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double lo = s->lo[i], hi = s->hi[i], z = s->z[i];
    const int kink = s->v[i] != 0.0;
    const fischer_choice along = {1.0, kink && !s->faithful ? s->v_y[i] : 0.0, 1};
    const fischer_row row =
        kink && s->faithful
            ? paper_row(s, i, fischer_kink(z, s->y[i], lo, hi, epsilon))
            : fischer_at(s->u, z, regularised(s, z, s->y[i], u, i), lo, hi, along);
    s->p[i] = row.y;
    s->q[i] = row.x + row.y*kappa*u;
    s->w[i] = row.u + row.y*kappa*(z - s->centre[i]);
  }
  return 1;
}

// out = J in, or the difference quotient (102), which is not linear at kinks.
static int times_jacobian(void *context, const double *in, double *out) {
  newton *s = context;
  if (!s->differences) {
    const int code = run_product(s->run, in, s->v_y);
    for (int32_t i = 0; code == 0 && i < s->n; i++)
      out[i] = s->p[i]*s->v_y[i] + s->q[i]*in[i];
    return code;
  }
  double size = 0.0, length = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    size = max2(size, fabs(s->z[i]));
    length = max2(length, fabs(in[i]));
  }
  if (!(length > 0.0)) {
    for (int32_t i = 0; i < s->n; i++) out[i] = 0.0;
    return 0;
  }
  const double h = s->run->options->newton.h*(1.0 + size)/length;
  for (int32_t i = 0; i < s->n; i++) s->v[i] = s->z[i] + h*in[i];
  if (evaluate(s, s->v, s->u, s->v_y, s->v_F) < 0.0) return 1;
  for (int32_t i = 0; i < s->n; i++) out[i] = (s->v_F[i] - s->F[i])/h;                // E13 (102)
  return 0;
}

static int precondition(void *context, const double *in, double *out) {
  const newton *s = context;
  for (int32_t i = 0; i < s->n; i++) {
    const double m = s->p[i]*s->diagonal[i] + s->q[i], size = s->p[i] + s->q[i];   // both <= 0
    out[i] = fabs(m) >= 0.1*fabs(size) ? in[i]/m : in[i]/size;
  }
  return 0;
}

// g = J'F. 0: A' is not known.
static int gradient(newton *s) {
  for (int32_t i = 0; i < s->n; i++) s->v[i] = s->p[i]*s->F[i];
  if (s->system != NULL) {
    face_multiply(s->system, 1, s->v, s->g);
  } else if (run_transposed(s->run, s->v, s->g) != 0) {
    return 0;
  }
  for (int32_t i = 0; i < s->n; i++) s->g[i] += s->q[i]*s->F[i];
  return 1;
}

// ---- directions ----

static double norm(int32_t n, const double *v) { return sqrt(dot(n, v, v)); }

// Derivative of the merit along (d, du): F'(J d + w du) + u du, E13 (104). Returns 1 on failure.
static double slope_of(newton *s) {
  if (times_jacobian(s, s->d, s->v_F) != 0) return 1.0;
  double slope = s->u*s->du;
  for (int32_t i = 0; i < s->n; i++) slope += s->F[i]*(s->v_F[i] + s->w[i]*s->du);
  return slope;
}

static int is_descent(newton *s, double *slope) {
  if (!(norm(s->n, s->d) < (double)INFINITY)) return 0;
  *slope = slope_of(s);
  return *slope < 0.0;
}

// Solves (PA + Q - shift I) d = -F - w du directly. 1: solved; 0: singular; -1: the run ends.
static int solve_direct(newton *s, double shift) {
  const perp_deadline deadline = run_deadline(s->run);
  for (int32_t i = 0; i < s->n; i++) {
    s->v[i] = s->q[i] - shift;
    s->d[i] = -s->F[i] - s->w[i]*s->du;
  }
  face_diagonal(s->system, s->p, s->v);
  const int code = face_update(s->system, NULL, &deadline);
  s->run->factorizations = face_factorizations(s->system);
  if (code == -2) run_no_memory(s->run, "the factors of PA + Q");
  if (code != 0) return code > 0 ? 0 : -1;
  return face_solve(s->system, s->d, 1) == 0;
}

static void solve_krylov(newton *s) {
  const perp_options *o = s->run->options;
  const perp_deadline deadline = run_deadline(s->run);
  const krylov_map J = {times_jacobian, s};
  const int plain = s->diagonal == NULL || o->krylov.preconditioner == PERP_PRECONDITIONER_IDENTITY;
  const krylov_map M = {plain ? NULL : precondition, s};
  for (int32_t i = 0; i < s->n; i++) {
    s->g[i] = -s->F[i] - s->w[i]*s->du;
    s->d[i] = 0.0;
  }
  const krylov_result r = krylov_solve(solver_of(o), s->n, J, M, s->g, s->d, o->newton.gamma,
                                       o->krylov.iterations, o->krylov.restart, s->work,
                                       &deadline);                                    // E13 (105)
  s->run->inner_iterations += r.iterations;
}

// The Newton direction, regularised until it descends. 1: found; 0: none; -1: the run ends.
static int newton_direction(newton *s, double *slope) {
  const double u = s->u, aim = max2(0.2*min2(1.0, 2.0*s->merit)*s->u0, s->slow*u);
  s->du = u > 0.0 ? min2(aim - u, 0.0) : 0.0;                 // Qi, Sun, Zhou: u never outruns F
  if (s->system == NULL) {
    solve_krylov(s);
    return is_descent(s, slope);
  }
  double shift = 0.0;
  for (int tries = 0; tries < 4; tries++) {
    const int code = solve_direct(s, shift);
    if (code < 0) return -1;
    if (code > 0 && is_descent(s, slope)) return 1;
    // As Levenberg and Marquardt do: the shift is smaller if F is small, which keeps the end fast.
    shift = shift == 0.0 ? SHIFT_FIRST*min2(1.0, sqrt(2.0*s->merit)) + 1e-12 : SHIFT_GROWTH*shift;
  }
  return 0;
}

// d = -t g with the t that minimises |F - t J g|.
static int gradient_direction(newton *s, double *slope) {
  if (!gradient(s)) return 0;
  s->du = 0.0;
  memcpy(s->d, s->g, (size_t)s->n*sizeof *s->d);
  if (times_jacobian(s, s->d, s->v_F) != 0) return 0;
  const double gg = dot(s->n, s->g, s->g), JJ = dot(s->n, s->v_F, s->v_F);
  const double t = JJ > 0.0 ? gg/JJ : 1.0;
  for (int32_t i = 0; i < s->n; i++) s->d[i] *= -t;
  *slope = -t*gg;
  return *slope < 0.0 && t < (double)INFINITY;
}

// ---- a step ----

static double trial_merit(void *context, double tau) {
  newton *s = context;
  if (run_out_of_time(s->run)) return -1.0;
  for (int32_t i = 0; i < s->n; i++) {
    const double z = s->z[i] + tau*s->d[i];
    s->trial[i] = s->faithful ? clamp(z, s->lo[i], s->hi[i]) : z;
  }
  s->trial_u = s->u + tau*s->du;
  const double theta = evaluate(s, s->trial, s->trial_u, s->trial_y, s->trial_F);
  return theta < 0.0 ? theta : theta + 0.5*s->trial_u*s->trial_u;
}

static void exchange(double **a, double **b) {
  double *const kept = *a;
  *a = *b;
  *b = kept;
}

static int search(newton *s, double slope) {
  const perp_options *o = s->run->options;
  const line_search rule = {.alpha = o->newton.alpha, .beta = o->newton.beta,
                            .delta = o->newton.delta, .merit = trial_merit, .context = s};
  const int32_t memory = s->monotone ? 1 : o->newton.memory;
  double reference = s->merit;
  for (int32_t k = 1; k < memory && k <= s->steps; k++)
    reference = max2(reference, s->history[(s->steps - k)%MEMORY_MAX]);
  const line_step step = line_search_run(&rule, reference, slope);
  if (!step.accepted) return 0;
  s->history[s->steps++%MEMORY_MAX] = s->merit;
  exchange(&s->z, &s->trial);
  exchange(&s->y, &s->trial_y);
  exchange(&s->F, &s->trial_F);
  s->u = s->trial_u;
  s->merit = step.merit;
  return 1;
}

// One step. 1: z has moved; 0: this stage has ended, for s->reason.
static int step(newton *s) {
  double slope;
  if (s->steps > STAGE_STEPS_MAX || !(s->merit > 0.0)) {
    s->reason = PERP_STATUS_STALLED;
    return 0;
  }
  if (!element(s)) return 0;
  const int found = newton_direction(s, &slope);
  if (found < 0) return 0;
  if (!(found && search(s, slope)) && !(gradient_direction(s, &slope) && search(s, slope))) {
    s->reason = PERP_STATUS_NOT_DESCENT;
    return 0;
  }
  return 1;
}

// ---- stages ----

// Projects z into s->g in the driver's units. Returns its residual; NaN if the operator aborted.
static double residual_at(newton *s, const double *z) {
  perp_run *run = s->run;
  for (int32_t i = 0; i < s->n; i++)
    s->g[i] = clamp(s->scale*clamp(z[i], s->lo[i], s->hi[i]), lower(run->lo, i), upper(run->hi, i));
  return run_apply(run, s->g, s->v) == 0 ? run_residual(run, s->g, s->v) : (double)NAN;
}

// Gives the projected iterate and its residual to the driver.
static void publish(newton *s) {
  s->run->residual = residual_at(s, s->z);
  memcpy(s->run->x, s->g, (size_t)s->n*sizeof *s->g);
  if (s->run->residual < s->best_residual) {
    s->best_residual = s->run->residual;
    memcpy(s->best, s->z, (size_t)s->n*sizeof *s->best);
  }
}

// Gives another point to the driver. 1: it is better than the present one.
static int offer(newton *s, const double *z) {
  const double residual = residual_at(s, z);
  if (!(residual < s->run->residual)) return 0;
  s->run->residual = residual;
  memcpy(s->run->x, s->g, (size_t)s->n*sizeof *s->g);
  return 1;
}

// Solves the linear system of the free rows. 1: the residual has fallen.
static int solve_free(newton *s, double diagonal) {
  perp_run *run = s->run;
  const perp_deadline deadline = run_deadline(run);
  for (int32_t i = 0; i < s->n; i++) {
    s->is_free[i] = s->side[i] == 0;
    s->q[i] = diagonal;
    s->trial[i] = s->side[i] == 0 ? s->z[i] : s->side[i] < 0 ? s->lo[i] : s->hi[i];
  }
  face_diagonal(s->system, NULL, s->q);
  const int code = face_update(s->system, s->is_free, &deadline);
  run->factorizations = face_factorizations(s->system);
  if (code != 0) return 0;
  if (run_product(run, s->trial, s->trial_y) != 0) return 0;
  for (int32_t i = 0; i < s->n; i++)
    s->d[i] = s->side[i] == 0 ? -(s->trial_y[i] + s->b[i]) : 0.0;
  if (face_solve(s->system, s->d, 1) != 0) return 0;
  for (int32_t i = 0; i < s->n; i++) s->trial[i] += s->d[i];
  return offer(s, s->trial);
}

// If z and y show the same free rows as in the last iteration, the rest is linear: solve it. A +
// FREE_ROWS_SHIFT I is for redundant rows. The driver gets the better point; the iteration
// continues from z.
static void polish(newton *s) {
  int same = 1, known = 1;
  for (int32_t i = 0; i < s->n; i++) {
    const double lo = s->lo[i], hi = s->hi[i], z = s->z[i];
    const signed char side = lo < hi && s->y[i] < z - lo && s->y[i] > z - hi ? 0
                             : s->y[i] >= z - lo                            ? -1
                                                                            : 1;
    same &= side == s->side[i];
    known &= side == s->tried[i];
    s->side[i] = side;
  }
  if (!same || known) return;
  memcpy(s->tried, s->side, (size_t)s->n*sizeof *s->side);
  if (!solve_free(s, 0.0)) solve_free(s, FREE_ROWS_SHIFT);
}

// Starts a stage at z with these parameters.
static void begin_stage(newton *s, double u, double kappa, double slow) {
  s->slow = slow;
  s->u = s->u0 = u;
  s->kappa = kappa;
  s->steps = 0;
  s->monotone = s->faithful;
  for (int32_t i = 0; i < s->n; i++) s->centre[i] = clamp(s->z[i], s->lo[i], s->hi[i]);
  const double theta = evaluate(s, s->z, u, s->y, s->F);
  s->merit = theta + 0.5*u*u;
}

static void random_start(newton *s) {
  const double size = s->faithful ? max2(norm(s->n, s->b)/sqrt(s->n), 1e-300) : 1.0;
  for (int32_t i = 0; i < s->n; i++) {
    const double lo = s->lo[i], hi = s->hi[i], t = size*random_uniform(&s->random);
    s->z[i] = lo > -(double)INFINITY ? min2(lo + t, hi) : hi < (double)INFINITY ? hi - t : t;
  }
}

// Starts a stage. robust has the stages listed above; E13 has one, and random starts. 0: no more.
static int begin(newton *s, int32_t stage) {
  const int32_t restarts = s->run->options->newton.restarts;
  if (stage > (s->faithful ? restarts : restarts > 1 ? restarts + 1 : 2)) return 0;
  if (s->faithful) {
    if (stage > 0) random_start(s);
    begin_stage(s, 0.0, 0.0, 0.0);
  } else if (stage == 2) {
    memcpy(s->z, s->best, (size_t)s->n*sizeof *s->z);
    begin_stage(s, 0.0, 0.0, 0.0);
  } else {
    if (stage == 1)
      for (int32_t i = 0; i < s->n; i++) s->z[i] = clamp(0.0, s->lo[i], s->hi[i]);
    if (stage > 2) random_start(s);
    // On four heaps of 120 spheres, u = 0.1 failed once; 0.001 to 0.01 solved all, with nearly the
    // same number of iterations.
    begin_stage(s, stage == 0 ? 0.01 : 0.1, 10.0, stage == 0 ? 0.0 : 0.1);
  }
  return 1;
}

// The largest |y_i| at the point of the box nearest to 0, rounded to a power of two; 1 if it is 0.
static double size_of(newton *s) {
  const perp_run *run = s->run;
  double largest = 0.0;
  for (int32_t i = 0; i < s->n; i++)
    s->z[i] = clamp(0.0, lower(run->lo, i), upper(run->hi, i));
  if (run_apply(s->run, s->z, s->y) != 0) return 1.0;
  for (int32_t i = 0; i < s->n; i++) largest = max2(largest, fabs(s->y[i]));
  int exponent;
  frexp(largest, &exponent);
  return largest > 0.0 && largest < (double)INFINITY ? power_of_two_within(exponent, 900) : 1.0;
}

// Descends from the best point by gradient steps only, to see whether a stationary point is near.
static void give_up(newton *s) {
  double slope;
  memcpy(s->z, s->best, (size_t)s->n*sizeof *s->z);
  begin_stage(s, 0.0, 0.0, 0.0);
  s->monotone = 1;
  for (int k = 0; k < STAGE_STEPS_MAX && s->merit > 0.0 && element(s) &&
                  gradient_direction(s, &slope); k++) {
    if (norm(s->n, s->g) <= STATIONARY_GRADIENT_MAX*norm(s->n, s->F)) {
      s->reason = PERP_STATUS_LOCAL_MINIMUM;
      break;
    }
    if (!search(s, slope)) break;
  }
  if (run_out_of_time(s->run))
    run_stop(s->run, PERP_STATUS_TIME_LIMIT, "the time limit was reached");
  run_stop(s->run, s->reason,
           "fischer_newton %s at |F| = %.3g",
           s->reason == PERP_STATUS_LOCAL_MINIMUM ? "reached a stationary point of its merit"
           : s->reason == PERP_STATUS_STALLED     ? "made no more progress in its merit"
                                                  : "found no direction of descent",
           s->scale*norm(s->n, s->F));
}

static void run_fischer_newton(perp_run *run) {
  const perp_options *o = run->options;
  newton s = {.run = run, .n = run->n, .scale = 1.0, .best_residual = (double)INFINITY,
              .random = {o->seed, 0}, .reason = PERP_STATUS_NOT_DESCENT};
  layout(&s, run->memory, run->n);
  s.faithful = o->newton.jacobian != PERP_JACOBIAN_ROBUST;
  s.differences = o->newton.jacobian == PERP_JACOBIAN_APPROXIMATION ||
                  o->newton.inner == PERP_INNER_DIFFERENCES;
  if (!s.differences && run->A.ops->submatrix != NULL &&
      (o->newton.inner == PERP_INNER_AUTO || o->newton.inner == PERP_INNER_DIRECT)) {
    if (!run_may_fit_analysis(run)) return;
    int failed = 0;
    s.system = face_create(&run->A, FACE_DIAGONALS, run_allocator(run), &failed);
  }
  if (s.system == NULL) {
    const size_t room = krylov_doubles(solver_of(o), run->n, o->krylov.restart);
    s.work = run_allocate(run, room*sizeof *s.work);
    if (s.work == NULL) return;
  }
  if (run->A.ops->diagonal != NULL) run->A.ops->diagonal(run->A.self, s.diagonal);
  else s.diagonal = NULL;
  if (!s.faithful) s.scale = size_of(&s);
  for (int32_t i = 0; i < s.n; i++) {
    s.b[i] = run->b[i]/s.scale;
    s.lo[i] = lower(run->lo, i)/s.scale;
    s.hi[i] = upper(run->hi, i)/s.scale;
    s.z[i] = s.best[i] = clamp(run->x[i]/s.scale, s.lo[i], s.hi[i]);
    s.side[i] = s.tried[i] = 2;   // none
  }
  int32_t stage = 0;
  begin(&s, 0);
  while (run_continue(run)) {
    if (!step(&s)) {
      if (run_out_of_time(run)) continue;
      stage += stage == 0 && !s.faithful && o->newton.restarts == 0 ? 2 : 1;   // stage 1 restarts
      if (!begin(&s, stage)) {
        give_up(&s);
        continue;
      }
    }
    publish(&s);
    if (s.system != NULL && !s.faithful) polish(&s);
  }
  face_destroy(s.system);
}

#define FIELD(name) offsetof(perp_options, name)

static const perp_parameter parameters[] = {
  {"newton.jacobian", PERP_KIND_CHOICE, FIELD(newton.jacobian), PERP_JACOBIAN_ROBUST, 0, 4, 0, 0,
   "robust|random|zero|perturbation|approximation",
   "what to do at rows with x_i = y_i = 0; all but robust are from E13 5.5"},
  {"newton.inner", PERP_KIND_CHOICE, FIELD(newton.inner), PERP_INNER_AUTO, 0, 4, 0, 0,
   "auto|direct|krylov|masks|differences",
   "how to solve with PA + Q; auto: direct if the entries of A are known"},
  {"newton.memory", PERP_KIND_INTEGER, FIELD(newton.memory), 8, 1, MEMORY_MAX, 0, 0, NULL,
   "robust: a step may not exceed the largest of this many merits before it; 1: merits only fall"},
  {"newton.restarts", PERP_KIND_INTEGER, FIELD(newton.restarts), 2, 0, 1000, 0, 0, NULL,
   "restarts from other points when stuck"},
  LINE_SEARCH_PARAMETERS,
  {"newton.delta", PERP_KIND_REAL, FIELD(newton.delta), 1e-12, 0, 1, 1, 1, NULL,
   "smallest step of the line search"},
  {"newton.gamma", PERP_KIND_REAL, FIELD(newton.gamma), 1e-2, 0, 1, 1, 1, NULL,
   "Krylov: residual of the Newton equation relative to |F|, E13 (105)"},
  {"newton.epsilon", PERP_KIND_REAL, FIELD(newton.epsilon), 1e-12, 0, 1, 1, 1, NULL,
   "E13's strategies: x_i and y_i below this count as 0, and perturbation moves x_i by it"},
  {"newton.h", PERP_KIND_REAL, FIELD(newton.h), 1e-7, 0, 1, 1, 1, NULL,
   "step of the finite differences, E13 (102), relative to 1 + |x|"},
  {"krylov.solver", PERP_KIND_CHOICE, FIELD(krylov.solver), PERP_KRYLOV_AUTO, 0, 4, 0, 0,
   "auto|cg|cr|gmres|bicgstab", "Krylov solver; auto: gmres"},
  {"krylov.preconditioner", PERP_KIND_CHOICE, FIELD(krylov.preconditioner), 0, 0, 2, 0, 0,
   "auto|identity|jacobi", "preconditioner; auto: jacobi where the diagonal is known"},
  {"krylov.iterations", PERP_KIND_INTEGER, FIELD(krylov.iterations), 300, 1, INT32_MAX, 0, 0, NULL,
   "inner iterations of a Newton step"},
  {"krylov.restart", PERP_KIND_INTEGER, FIELD(krylov.restart), 60, 1, 100000, 0, 0, NULL,
   "vectors that GMRES keeps before it starts again"},
};

const perp_method method_fischer_newton = {
  .name = "fischer_newton", .tier = PERP_TIER_CHOOSE,
  .use = "any A that is large, or known by its products only",
  .title = "Fischer-Newton",
  .source = "E13 5.5",
  .formula = "(diag(p) A + diag(q)) d = -F, x = x + tau d, F = sqrt(x^2 + y^2) - x - y",
  .hint = "More newton.restarts or another guess may help.",
  .converges = "A positive definite; else to a stationary point of |F|^2, which in practice is a "
               "solution on most friction and mixed problems",
  .cost = "one factorisation of diag(p) A + diag(q), or a Krylov solve",
  .advice = "Raise newton.restarts, try another guess, or use lemke. A stationary point proves "
            "nothing.",
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD | 1u << PERP_CLASS_PD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_SPLITS | PERP_TRAIT_EQUILIBRATE,
  .parameters = parameters,
  .parameter_count = (int32_t)(sizeof parameters/sizeof parameters[0]),
  .bytes = bytes,
  .run = run_fischer_newton,
  .iteration = "Newton",
};
