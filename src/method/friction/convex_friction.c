// convex_friction.c: interior points for the contact LCP E13 (27), through its convex relaxation.
//
// Newton's method on  A x + b = z,  x_i z_i = sigma mu  needs at every step the solution of
//     (A + D) dx = -(A x + b) + (sigma mu - c)/x,   D = diag(z/x),   c: Mehrotra's second order.
// A of (27) is not monotone. Anitescu's relaxation has -mu_k instead of 0 at (normal row, slack
// column) of contact k, which makes A the sum of a positive semidefinite and a skew matrix. With
// f_k = (-mu_k, 1, .., 1) on contact k and the slacks eliminated, it leaves
//     S = B + D_l + sum_k f_k f_k'/D_k,   symmetric and positive definite.
// GMRES solves with A + D, preconditioned by a factor of S. With few iterations a step follows the
// fixed point b_n + mu s of the relaxation: slow and safe. With many it is Newton's method: fast,
// but without monotonicity it may get stuck at the boundary. mu waits for the residual
// |A x + b - z|. Near the end crossover.c solves for the states of the contacts.
//
// Anitescu: Optimization-based simulation of nonsmooth rigid multibody dynamics (2006). There is no
// proof of convergence for (27). It takes 10 to 40 steps if mu <= 0.5, and more for larger mu.
// Cost of a step: a sparse LDL' of the pattern of B and up to 2 GMRES_STEPS_MAX solves with it.
#include <math.h>
#include <string.h>

#include "assemble.h"
#include "contact_problem.h"
#include "crossover.h"
#include "krylov.h"
#include "sparse_ldl.h"
#include "vector.h"

// Iterations of GMRES per direction. Each takes memory. With 1, no problem is solved.
#define GMRES_STEPS_MAX 20
// mu does not fall while the residual, relative to its start, is more than this many times mu,
// relative to its start. With 1, 1.2 times the work; without a limit, 1.4 times.
#define MU_LEAD_MAX 10.0
// Added to the diagonal of S, which is 1, for redundant contacts. If smaller or larger, 1.2 times
// the work.
#define FACTOR_SHIFT 1e-14
// Steps without a better residual before another start. With 1, one problem stays unsolved.
#define IDLE_STEPS_MAX 30

typedef struct state {
  int32_t n, m;              // rows; rows that are not slacks
  double *x, *z, *y;         // n: iterate, multipliers, A x + b
  double *d;                 // n: z/x
  double *rhs, *dx, *dz;     // n
  double *work, *unit;       // n, m used: work space of a solve; 1/sqrt(S_jj)
  int32_t *place;            // n: row -> row of S; -1: a slack
  int32_t *start;            // contacts: where a contact's block begins in `local`
  int32_t *local;            // the positions of each contact's block in S
  perp_csc B;                // m x m, symmetric
  double *value;             // of S, on the pattern of B
  double *krylov;
  sparse_ldl *factor;        // of S
  face *system;              // of A, for the crossover
  crossover cross;
  double mu;
} state;

static void layout(state *s, arena *memory, int32_t n) {
  double **const vectors[] = {&s->x, &s->z, &s->y, &s->d, &s->rhs, &s->dx, &s->dz, &s->work,
                              &s->unit};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  s->place = ARENA_ARRAY(memory, int32_t, n);
  s->start = ARENA_ARRAY(memory, int32_t, n);
  crossover_layout(&s->cross, memory, n);
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  state s = {0};
  layout(&s, &count, limits->n);
  return count.used;
}

// ---- S, and solving with A + D ----

static int32_t position(const perp_csc *A, int32_t i, int32_t j) {
  int32_t a = A->colptr[j], b = A->colptr[j + 1];
  while (a < b) {
    const int32_t half = a + (b - a)/2;
    if (A->row[half] < i) a = half + 1;
    else b = half;
  }
  return a;
}

static int32_t row_of(const contacts *c, int32_t k, int32_t i) {   // 0: normal, then tangents
  return i == 0 ? c->normal[k] : c->tangent[c->first[k] + i - 1];
}

// Builds the pattern of S: that of B made symmetric, and each contact's block. Values: (B + B')/2.
static int build(state *s, perp_run *run, const contact_problem *p) {
  const int32_t n = run->n;
  const contacts *c = &p->c;
  for (int32_t i = 0; i < n; i++) s->place[i] = 0;
  for (int32_t k = 0; k < c->count; k++) s->place[c->slack[k]] = -1;
  s->m = 0;
  for (int32_t i = 0; i < n; i++)
    if (s->place[i] == 0) s->place[i] = s->m++;
  size_t locals = 0;
  for (int32_t k = 0; k < c->count; k++) {
    const size_t size = (size_t)(c->first[k + 1] - c->first[k] + 1);
    s->start[k] = (int32_t)locals;
    locals += size*size;
  }
  const size_t room = 2*(size_t)p->A.colptr[n] + locals;
  int32_t *colptr = run_allocate(run, ((size_t)s->m + 1 + room + (size_t)s->m)*sizeof *colptr);
  double *value = run_allocate(run, room*sizeof *value);
  s->local = run_allocate(run, (locals + (size_t)n)*sizeof *s->local);
  if (colptr == NULL || value == NULL || s->local == NULL) return 0;
  int32_t *row = colptr + s->m + 1, *at = row + room, *owner = s->local + locals;
  for (int32_t k = 0; k < c->count; k++) {
    owner[c->normal[k]] = k;
    for (int32_t t = c->first[k]; t < c->first[k + 1]; t++) owner[c->tangent[t]] = k;
  }
  for (int32_t i = 0; i < s->m; i++) at[i] = -1;
  int32_t count = 0;
  for (int32_t j = 0; j < n; j++) {
    const int32_t q = s->place[j];
    if (q < 0) continue;
    const int32_t begin = count;
    colptr[q] = begin;
    for (int side = 0; side < 2; side++) {
      const perp_csc *M = side ? &p->T : &p->A;
      for (int32_t e = M->colptr[j]; e < M->colptr[j + 1]; e++) {
        const int32_t i = s->place[M->row[e]];
        if (i < 0) continue;
        if (at[i] < begin) {
          at[i] = count;
          row[count] = i;
          value[count++] = 0.0;
        }
        value[at[i]] += 0.5*M->value[e];
      }
    }
    const int32_t k = owner[j], size = c->first[k + 1] - c->first[k] + 1;
    for (int32_t i = 0; i < size; i++) {
      const int32_t r = s->place[row_of(c, k, i)];
      if (at[r] >= begin) continue;
      at[r] = count;
      row[count] = r;
      value[count++] = 0.0;
    }
  }
  colptr[s->m] = count;
  // The transpose is the same matrix with sorted rows.
  const perp_csc unsorted = {s->m, s->m, colptr, row, value};
  if (transpose_csc(&unsorted, p->allocator, &s->B) != 0) {
    run_allocate(run, SIZE_MAX);   // ends the run with the error of memory
    return 0;
  }
  for (int32_t k = 0; k < c->count; k++) {
    const int32_t size = c->first[k + 1] - c->first[k] + 1;
    for (int32_t i = 0; i < size; i++)
      for (int32_t j = 0; j < size; j++)
        s->local[s->start[k] + i*size + j] =
            position(&s->B, s->place[row_of(c, k, i)], s->place[row_of(c, k, j)]);
  }
  s->value = value;
  s->krylov = run_allocate(run, krylov_doubles(PERP_KRYLOV_GMRES, n, GMRES_STEPS_MAX)*
                                    sizeof *s->krylov);
  if (s->krylov == NULL) return 0;
  if (!run_may_fit_analysis(run)) return 0;
  int failed = 0;
  s->factor = sparse_ldl_create(p->allocator);
  s->system = face_create(&run->A, FACE_DIAGONALS, p->allocator, &failed);
  if (s->factor == NULL || s->system == NULL || sparse_ldl_analyse(s->factor, &s->B) != 0) {
    run_allocate(run, SIZE_MAX);   // ends the run with the error of memory
    return 0;
  }
  return 1;
}

static double f_of(const contacts *c, int32_t k, int32_t i) { return i == 0 ? -c->mu[k] : 1.0; }

static int32_t size_of(const contacts *c, int32_t k) { return c->first[k + 1] - c->first[k] + 1; }

// Scales S to a diagonal of ones and factors it. 0: success; otherwise the run has ended.
static int factor(state *s, perp_run *run, const contacts *c) {
  const perp_csc S = {s->m, s->m, s->B.colptr, s->B.row, s->value};
  memcpy(s->value, s->B.value, (size_t)S.colptr[s->m]*sizeof *s->value);
  for (int32_t k = 0; k < c->count; k++) {
    const int32_t size = size_of(c, k), *local = s->local + s->start[k];
    const double weight = 1.0/s->d[c->slack[k]];
    for (int32_t i = 0; i < size; i++) {
      for (int32_t j = 0; j < size; j++)
        s->value[local[i*size + j]] += weight*f_of(c, k, i)*f_of(c, k, j);
      const int32_t row = row_of(c, k, i);
      s->value[local[i*size + i]] += s->d[row];
      s->unit[s->place[row]] = 1.0/sqrt(max2(s->value[local[i*size + i]], 1e-300));
    }
  }
  for (int32_t j = 0; j < s->m; j++)
    for (int32_t e = S.colptr[j]; e < S.colptr[j + 1]; e++) {
      const int32_t i = S.row[e];
      s->value[e] = s->value[e]*s->unit[j]*s->unit[i] + (i == j ? FACTOR_SHIFT : 0.0);
    }
  const perp_deadline deadline = run_deadline(run);
  const int failed = sparse_ldl_factor(s->factor, &S, NULL, 0x1p-60, &deadline);
  run->factorizations++;
  if (failed == -1)
    run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached in a factorisation");
  else if (failed != 0)
    run_stop(run, PERP_STATUS_BREAKDOWN, "convex_friction needs a positive definite system, and a "
             "pivot is not positive");
  return failed;
}

// v <- (relaxed A + D)^-1 v
static void relaxed_solve(state *s, const contacts *c, double *v) {
  double *u = s->work;
  for (int32_t k = 0; k < c->count; k++) {
    const double slack = v[c->slack[k]]/s->d[c->slack[k]];
    for (int32_t i = 0; i < size_of(c, k); i++) {
      const int32_t row = row_of(c, k, i), q = s->place[row];
      u[q] = s->unit[q]*(v[row] - f_of(c, k, i)*slack);
    }
  }
  sparse_ldl_solve(s->factor, u);
  for (int32_t k = 0; k < c->count; k++) {
    double sum = v[c->slack[k]];
    for (int32_t i = 0; i < size_of(c, k); i++) {
      const int32_t row = row_of(c, k, i), q = s->place[row];
      v[row] = s->unit[q]*u[q];
      sum += f_of(c, k, i)*v[row];
    }
    v[c->slack[k]] = sum/s->d[c->slack[k]];
  }
}

typedef struct newton {
  state *s;
  perp_run *run;
  const contacts *c;
} newton;

static int product(void *context, const double *in, double *out) {
  const newton *t = context;
  if (run_product(t->run, in, out) != 0) return 1;
  for (int32_t i = 0; i < t->s->n; i++) out[i] += t->s->d[i]*in[i];
  return 0;
}

static int precondition(void *context, const double *in, double *out) {
  const newton *t = context;
  memcpy(out, in, (size_t)t->s->n*sizeof *in);
  relaxed_solve(t->s, t->c, out);
  return 0;
}

// The step to x_i z_i = centre - second_i, with a residual <= tol |rhs|. 1: it is finite.
static int direction(newton *t, double centre, const double *second, double tol) {
  state *s = t->s;
  const int32_t n = s->n;
  for (int32_t i = 0; i < n; i++)
    s->rhs[i] = -s->y[i] + (centre - (second != NULL ? second[i] : 0.0))/s->x[i];
  memcpy(s->dx, s->rhs, (size_t)n*sizeof *s->dx);
  relaxed_solve(s, t->c, s->dx);
  const perp_deadline deadline = run_deadline(t->run);
  const krylov_result done =
      krylov_solve(PERP_KRYLOV_GMRES, n, (krylov_map){product, t}, (krylov_map){precondition, t},
                   s->rhs, s->dx, tol, GMRES_STEPS_MAX, GMRES_STEPS_MAX, s->krylov, &deadline);
  t->run->inner_iterations += done.iterations;
  double bad = 0.0;
  for (int32_t i = 0; i < n; i++) {   // `second` may share memory with dz
    const double c = second != NULL ? second[i] : 0.0;
    bad += s->dx[i] - s->dx[i];
    s->dz[i] = (centre - c - s->z[i]*s->dx[i])/s->x[i] - s->z[i];
  }
  return bad == 0.0;
}

// ---- the iteration ----

static double reach(const state *s) {   // how far to the boundary
  double a = 1e300;
  for (int32_t i = 0; i < s->n; i++) {
    if (s->dx[i] < 0.0) a = min2(a, -s->x[i]/s->dx[i]);
    if (s->dz[i] < 0.0) a = min2(a, -s->z[i]/s->dz[i]);
  }
  return a;
}

// Starts with impulses and velocities of the size of b, times a factor, and with equal x_i z_i.
static int begin(state *s, perp_run *run, const contacts *c, double times) {
  double velocity = 0.0, diagonal = 0.0;
  for (int32_t i = 0; i < s->n; i++) velocity = max2(velocity, fabs(run->b[i]));
  for (int32_t k = 0; k < c->count; k++)
    for (int32_t i = 0, size = size_of(c, k); i < size; i++)
      diagonal = max2(diagonal, s->B.value[s->local[s->start[k] + i*size + i]]);
  if (!(velocity > 0.0)) velocity = 1.0;
  const double impulse = times*velocity/(diagonal > 0.0 ? diagonal : 1.0);
  velocity *= times;
  for (int32_t i = 0; i < s->n; i++) {
    s->x[i] = s->place[i] >= 0 ? impulse : velocity;
    s->z[i] = s->place[i] >= 0 ? velocity : impulse;
  }
  return run_apply(run, s->x, s->y) == 0;
}

// One step. tol: of GMRES; behind: 1: mu has to wait. 1: success.
static int step(newton *t, double tol, int behind) {
  state *s = t->s;
  const int32_t n = s->n;
  if (!direction(t, 0.0, NULL, tol)) return 0;
  const double affine = min2(1.0, reach(s));
  double after = 0.0;
  for (int32_t i = 0; i < n; i++)
    after += (s->x[i] + affine*s->dx[i])*(s->z[i] + affine*s->dz[i]);
  const double ratio = clamp(after/n/s->mu, 0.0, 1.0);
  const double sigma = behind ? 1.0 : ratio*ratio*ratio;
  for (int32_t i = 0; i < n; i++) s->dz[i] *= s->dx[i];
  if (!direction(t, sigma*s->mu, s->dz, tol)) return 0;
  const double length = min2(1.0, 0.995*reach(s));
  for (int32_t i = 0; i < n; i++) {
    s->x[i] = max2(s->x[i] + length*s->dx[i], 1e-300);
    s->z[i] = max2(s->z[i] + length*s->dz[i], 1e-300);
  }
  return 1;
}

static const double first[] = {1.0, 0.2};   // sizes of the starts
enum { STARTS = sizeof first/sizeof first[0] };

static void iterate(state *s, perp_run *run, const contacts *c) {
  const int32_t n = s->n;
  newton t = {s, run, c};
  double best = (double)INFINITY, mu_first = 0.0, gap_first = 0.0;
  int32_t idle = 0, starts = 0;
  while (run_continue(run)) {
    double products = 0.0, gap = 0.0, size = 0.0;
    for (int32_t i = 0; i < n; i++) {
      s->d[i] = clamp(s->z[i]/s->x[i], 1e-200, 1e200);
      products += s->z[i]*s->x[i];
      gap += (s->y[i] - s->z[i])*(s->y[i] - s->z[i]);
      size += s->y[i]*s->y[i];
    }
    s->mu = max2(products/n, 1e-300);
    if (!(mu_first > 0.0)) {
      mu_first = s->mu;
      gap_first = sqrt(gap);
    }
    const double allowed = gap_first*(s->mu/mu_first);
    if (factor(s, run, c) != 0) return;
    const double tol = size > 0.0 ? clamp(0.1*allowed/sqrt(size), 1e-8, 1e-3) : 1e-3;
    if (!step(&t, tol, sqrt(gap) > MU_LEAD_MAX*allowed)) {
      run_stop(run, PERP_STATUS_BREAKDOWN, "a step of convex_friction is not finite");
      return;
    }
    if (run_apply(run, s->x, s->y) != 0) return;
    memcpy(run->x, s->x, (size_t)n*sizeof *s->x);
    run->residual = run_residual(run, run->x, s->y);
    idle = run->residual < RUN_GAIN_RATIO*best ? 0 : idle + 1;
    best = min2(best, run->residual);
    const int32_t changed = crossover_guess(&s->cross, run, s->x, s->z);
    const int settled = run->residual <= STATES_RESIDUAL_MAX && changed <= n/100,
              stuck = idle >= IDLE_STEPS_MAX;
    if ((settled || stuck) && crossover_run(&s->cross, run, s->system, s->x)) continue;
    if (!stuck) continue;
    if (++starts < STARTS) {
      idle = 0;
      best = (double)INFINITY;
      mu_first = 0.0;
      if (!begin(s, run, c, first[starts])) return;
      continue;
    }
    run_stop(run, PERP_STATUS_STALLED, "convex_friction made no progress in %d steps from %d starts",
             IDLE_STEPS_MAX, STARTS);
  }
}

static void run_convex_friction(perp_run *run) {
  state s = {.n = run->n};
  contact_problem p;
  layout(&s, run->memory, run->n);
  if (contact_problem_begin(&p, run) && build(&s, run, &p)) {
    crossover_begin(&s.cross, run);
    if (begin(&s, run, &p.c, first[0])) iterate(&s, run, &p.c);
  }
  face_destroy(s.system);
  sparse_ldl_destroy(s.factor);
  if (s.B.colptr != NULL) assembled_free(p.allocator, &s.B);
  contact_problem_end(&p);
}

const perp_method method_convex_friction = {
  .name = "convex_friction", .tier = PERP_TIER_INTERNAL,
  .title = "interior points for contacts with friction",
  .source = "Anitescu 2006; Mehrotra 1992",
  .formula = "(A + D) dx = rhs by GMRES, preconditioned by the convex relaxation of E13 (27)",
  .converges = "no proof; the relaxation is monotone, and the steps fall back on it",
  .cost = "a sparse LDL' of the pattern of A, and some tens of solves with it",
  .advice = "It is for many contacts, and takes no guess. Otherwise use auto.",
  .needs = PERP_NEEDS_SUBMATRIX | PERP_NEEDS_CONTACTS,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .bytes = bytes,
  .run = run_convex_friction,
  .iteration = "Newton",
};
