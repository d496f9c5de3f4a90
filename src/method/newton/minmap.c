// minmap.c: the minimum map H, its piecewise linear model, and directions that decrease |H|.
//
//   H_i(x) = mid(D_i (x_i - hi_i), y_i, D_i (x_i - lo_i)),  y = A x + b,  D = diag A     E13 (61)
//   I = {i : H_i = y_i alone},  F the others                                              E13 (77)
//   Newton:    d_F = -H_F / D_F,   A_II d_I = -y_I - A_IF d_F                              E13 (80)
//   gradient:  g = J'H,  J the rows A_I and D_F;  d from (J'J + mu) d = -g, roughly
//
// For 0 <= x this is the map of the source with x measured in the units of y, so scaling a row does
// not change the sets. Free rows are always in I.
#include "minmap.h"

#include <string.h>

#include "krylov.h"
#include "vector.h"

minmap minmap_layout(arena *memory, int32_t n) {
  minmap m = {.n = n};
  double **const vectors[] = {&m.D, &m.y, &m.H, &m.d, &m.Ad, &m.trial, &m.trial_y, &m.g, &m.work};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  m.krylov = ARENA_ARRAY(memory, double, krylov_doubles(PERP_KRYLOV_CR, n, 0));
  m.is_free = ARENA_ARRAY(memory, uint8_t, n);
  m.factored = ARENA_ARRAY(memory, uint8_t, n);
  m.moves = ARENA_ARRAY(memory, uint8_t, n);
  return m;
}

// ---- the map ----

static double map_row(const minmap *m, int32_t i, double x, double y) {
  return mid(m->D[i]*(x - upper(m->run->hi, i)), y, m->D[i]*(x - lower(m->run->lo, i)));
}

double minmap_merit(const minmap *m, const double *x, const double *y) {   // E13 (64)
  double sum = 0.0;
  for (int32_t i = 0; i < m->n; i++) {
    const double h = map_row(m, i, x[i], y[i]);
    sum += h*h;
  }
  return 0.5*sum;
}

static void measure(minmap *m) {   // H, theta and the residual from x and y
  const double *x = m->run->x;
  for (int32_t i = 0; i < m->n; i++) m->H[i] = map_row(m, i, x[i], m->y[i]);
  m->theta = 0.5*dot(m->n, m->H, m->H);
  m->run->residual = run_residual(m->run, x, m->y);
}

int minmap_evaluate(minmap *m) {
  if (run_apply(m->run, m->run->x, m->y) != 0) return 1;
  measure(m);
  return 0;
}

void minmap_move(minmap *m) {
  memcpy(m->run->x, m->trial, (size_t)m->n*sizeof *m->trial);
  memcpy(m->y, m->trial_y, (size_t)m->n*sizeof *m->y);
  measure(m);
}

// E13 (77): y_i strictly between the two distances; x on a bound with y = 0 belongs to F.
void minmap_classify(minmap *m) {
  const perp_run *run = m->run;
  for (int32_t i = 0; i < m->n; i++)
    m->is_free[i] = m->D[i]*(run->x[i] - upper(run->hi, i)) < m->y[i] &&
                    m->y[i] < m->D[i]*(run->x[i] - lower(run->lo, i));
}

int minmap_settled(const minmap *m) {
  return !m->fresh && memcmp(m->is_free, m->factored, (size_t)m->n) == 0;
}

// ---- products by finite differences: E13 (102) on the rows of I ----

// H is piecewise linear: the quotient is exact up to rounding unless a kink lies within h p.
static int difference_apply(const void *self, const double *p, double *out, void *scratch) {
  const minmap *m = self;
  const perp_run *run = m->run;
  double size = 0.0, largest = 0.0;
  for (int32_t i = 0; i < m->n; i++) {
    size = max2(size, fabs(p[i]));
    largest = max2(largest, fabs(run->x[i]));
  }
  if (size == 0.0) {
    memset(out, 0, (size_t)m->n*sizeof *out);
    return 0;
  }
  const double h = run->options->newton.h*(largest > 0.0 ? largest : 1.0)/size;
  for (int32_t i = 0; i < m->n; i++) m->work[i] = run->x[i] + h*p[i];
  const int code = run->A.ops->apply(run->A.self, m->work, out, scratch);
  for (int32_t i = 0; code == 0 && i < m->n; i++)
    out[i] = (map_row(m, i, m->work[i], out[i] + run->b[i]) - m->H[i])/h;
  return code;
}

static size_t difference_scratch(const void *self) {
  return operator_scratch_bytes(&((const minmap *)self)->run->A);
}

static void difference_diagonal(const void *self, double *d) {   // of A: for a preconditioner
  const perp_operator *A = &((const minmap *)self)->run->A;
  A->ops->diagonal(A->self, d);
}

static const perp_operator_ops differences[2] = {
  {.name = "differences", .scratch_bytes = difference_scratch, .apply = difference_apply},
  {.name = "differences", .scratch_bytes = difference_scratch, .apply = difference_apply,
   .diagonal = difference_diagonal},
};

// ---- begin and end ----

static void set_scales(minmap *m) {
  const perp_operator *A = &m->run->A;
  const int known = A->ops->diagonal != NULL;
  double sum = 0.0;
  if (known) A->ops->diagonal(A->self, m->D);
  for (int32_t i = 0; i < m->n; i++) {
    if (!known || !(m->D[i] > 0.0 && m->D[i] < (double)INFINITY)) m->D[i] = 1.0;
    sum += m->D[i];
  }
  // Shifts are multiples of it, and its square is added to diagonals, so it must not overflow.
  m->typical = m->n > 0 ? clamp(sum/m->n, 0x1p-400, 0x1p400) : 1.0;
}

int minmap_begin(minmap *m, perp_run *run) {
  m->run = run;
  set_scales(m);
  const perp_operator difference = {&differences[run->A.ops->diagonal != NULL], m, m->n, 0};
  const int differs = run->options->newton.inner == PERP_INNER_DIFFERENCES;
  int failed = 0;
  m->fresh = 1;
  m->linear = face_choose_linear(&run->A, run->options);
  if (!run_may_fit_analysis(run)) return 1;
  m->face = face_linear_create(m->linear, differs ? &difference : &run->A, run->options,
                               run_allocator(run), &failed);
  if (m->face == NULL) run_no_memory(run, "the linear solver");
  return m->face == NULL;
}

void minmap_end(minmap *m) { face_destroy(m->face); }

int minmap_shift(minmap *m, double shift) {
  if (m->shift == shift) return 0;
  m->shift = shift;
  m->fresh = 1;
  face_shift(m->face, shift);
  return !run_may_fit_analysis(m->run);
}

// ---- directions ----

// d_I <- (A_II + shift I)^-1 rhs_I, d_F <- 0; tol: relative residual of iterative solvers. 1:
// success; 0: singular, or no progress; -1: the run has ended, or is out of time.
static int solve_free(minmap *m, const double *rhs, double tol) {
  perp_run *run = m->run;
  const perp_deadline deadline = run_deadline(run);
  if (!minmap_settled(m)) {
    memcpy(m->factored, m->is_free, (size_t)m->n);
    m->fresh = 1;
    const int failed = face_update(m->face, m->is_free, &deadline);
    if (m->linear->iterations == NULL) run->factorizations++;
    if (failed == -2) run_no_memory(run, "the factors of A_II");
    if (failed != 0) return failed < 0 ? -1 : 0;
    m->fresh = 0;
  }
  memcpy(m->d, rhs, (size_t)m->n*sizeof *rhs);
  face_accuracy(m->face, tol);
  const int32_t before = face_inner_iterations(m->face);
  const int failed = face_solve_within(m->face, m->d, 0, &deadline);
  run->inner_iterations += face_inner_iterations(m->face) - before;
  return failed == 0 ? 1 : failed < 0 ? -1 : 0;
}

int minmap_newton_direction(minmap *m, int bound, double tol, double *slope) {
  double *rhs = m->trial, *d_F = m->trial_y, moved = 0.0;
  *slope = 0.0;
  for (int32_t i = 0; i < m->n; i++) {
    d_F[i] = m->is_free[i] || bound ? 0.0 : -m->H[i]/m->D[i];
    moved = max2(moved, fabs(d_F[i]));
  }
  memset(m->Ad, 0, (size_t)m->n*sizeof *m->Ad);
  if (moved > 0.0 && run_product(m->run, d_F, m->Ad) != 0) return -1;
  for (int32_t i = 0; i < m->n; i++) rhs[i] = m->is_free[i] ? -m->y[i] - m->Ad[i] : 0.0;
  // The residual may be a part of |H|, so that d descends: E13 (71). |rhs| may be larger than |H|.
  const double outer = sqrt(2.0*m->theta), own = sqrt(dot(m->n, rhs, rhs));
  const int solved =
      solve_free(m, rhs, own > outer ? max2(tol*(outer/own), min2(tol, 1e-13)) : tol);
  if (solved <= 0) return solved;
  for (int32_t i = 0; i < m->n; i++)
    if (!m->is_free[i]) m->d[i] = d_F[i];
  if (run_product(m->run, m->d, m->Ad) != 0) return -1;
  double sum = 0.0;
  for (int32_t i = 0; i < m->n; i++)
    sum += m->H[i]*(m->is_free[i] ? m->Ad[i] : m->D[i]*m->d[i]);   // E13 (68)
  *slope = sum;
  return sum - sum == 0.0;
}

// J'J v + mu v on the variables that may move; the others are unchanged. mu keeps it definite.
static int normal_product(void *context, const double *in, double *out) {
  minmap *m = context;
  const double mu = 1e-10*m->typical*m->typical;
  for (int32_t i = 0; i < m->n; i++) m->work[i] = m->moves[i] ? in[i] : 0.0;
  if (run_product(m->run, m->work, m->Ad) != 0) return 1;
  for (int32_t i = 0; i < m->n; i++) m->Ad[i] = m->is_free[i] ? m->Ad[i] : 0.0;
  if (run_transposed(m->run, m->Ad, out) != 0) return 1;
  for (int32_t i = 0; i < m->n; i++) {
    if (!m->is_free[i]) out[i] += m->D[i]*m->D[i]*m->work[i];
    out[i] = m->moves[i] ? out[i] + mu*in[i] : in[i];
  }
  return 0;
}

// Conjugate residuals on the normal equations: the first iterate is a step along the projected
// gradient, and each one is a descent direction of theta (Fong, Saunders 2012).
int minmap_gradient_direction(minmap *m, double *slope) {
  perp_run *run = m->run;
  *slope = 0.0;
  for (int32_t i = 0; i < m->n; i++) m->trial[i] = m->is_free[i] ? m->H[i] : 0.0;
  const int code = run_transposed(run, m->trial, m->g);
  if (code != 0) return code < 0 ? -1 : 0;
  double square = 0.0;
  for (int32_t i = 0; i < m->n; i++) {
    if (!m->is_free[i]) m->g[i] += m->D[i]*m->H[i];
    m->moves[i] = !((m->g[i] > 0.0 && run->x[i] <= lower(run->lo, i)) ||
                    (m->g[i] < 0.0 && run->x[i] >= upper(run->hi, i)));
    m->trial[i] = m->moves[i] ? -m->g[i] : 0.0;
    m->d[i] = 0.0;
    square += m->trial[i]*m->trial[i];
  }
  // A projected gradient below the rounding of |J||H| counts as zero.
  if (!(square > 1e-24*2.0*m->theta*m->typical*m->typical)) return 1;
  const perp_deadline deadline = run_deadline(run);
  const int32_t limit = m->n < 200 ? 2*m->n + 10 : 400;   // enough for a direction
  const krylov_result result =
      krylov_solve(PERP_KRYLOV_CR, m->n, (krylov_map){normal_product, m}, (krylov_map){NULL, NULL},
                   m->trial, m->d, 1e-6, limit, 0, m->krylov, &deadline);
  run->inner_iterations += result.iterations;
  const double sum = dot(m->n, m->g, m->d);
  *slope = sum - sum == 0.0 && sum < 0.0 ? sum : 0.0;
  return 1;
}
