// gmres.c: generalised minimal residuals, restarted, preconditioned from the right, for any A.
//
//   A P V = V_+ H (Arnoldi),  y minimises | |r| e_1 - H y |,  z += P V y
//
// Saad, Schultz 1986. |r| never grows. Without restarts the method ends after at most n iterations
// on a nonsingular A. With right preconditioning |r| is the true residual. If A is singular, pivots
// of the triangle may vanish. Their columns are left out, and y is a least-squares solution in the
// space of the others.
// Cost: one product, one application of P and j inner products in iteration j.
#include "krylov_steps.h"

#include "error_free.h"

typedef struct arnoldi {
  int32_t m;                // vectors before a restart
  double *V;                // (m + 1) x n
  double *H;                // m columns of m + 1: upper triangular after the rotations
  double *c, *s, *g, *y;    // m + 1 each: rotations, right-hand side, solution
  double *w;                // n
} arnoldi;

static int32_t kept(int32_t n, int32_t restart) {
  return restart < 1 ? 1 : restart < n ? restart : n < 1 ? 1 : n;
}

size_t gmres_doubles(int32_t n, int32_t restart) {
  const size_t m = (size_t)kept(n, restart), length = (size_t)n;
  return (m + 1)*length + m*(m + 1) + 4*(m + 1) + length;
}

static arnoldi layout(const krylov *k) {
  const int32_t m = kept(k->n, k->restart);
  const size_t rows = (size_t)m + 1, n = (size_t)k->n;
  arnoldi a = {.m = m, .V = k->work};
  a.H = a.V + rows*n;
  a.c = a.H + (size_t)m*rows;
  a.s = a.c + rows;
  a.g = a.s + rows;
  a.y = a.g + rows;
  a.w = a.y + rows;
  return a;
}

// Makes w orthogonal to the first `count` vectors of V, and does so twice if the first time
// cancelled most of w. h receives the coefficients. Returns the remaining |w|.
static double orthogonalise(const arnoldi *a, int32_t n, int32_t count, double *h, double *w) {
  double left = norm(n, w);
  for (int32_t l = 0; l < count; l++) h[l] = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    const double before = left;
    for (int32_t l = 0; l < count; l++) {
      const double *v = a->V + (size_t)l*(size_t)n;
      const double along = dot(n, v, w);
      h[l] += along;
      for (int32_t i = 0; i < n; i++) w[i] -= along*v[i];
    }
    left = norm(n, w);
    if (!(left < 0.1*before)) return left;
  }
  return left;
}

// Applies rotations 0 .. j-1 to column h, then makes rotation j, which turns h[j + 1] to 0.
static void rotate(arnoldi *a, int32_t j, double *h) {
  for (int32_t l = 0; l < j; l++) {
    const double upper_part = a->c[l]*h[l] + a->s[l]*h[l + 1];
    h[l + 1] = a->c[l]*h[l + 1] - a->s[l]*h[l];
    h[l] = upper_part;
  }
  const double size = hypotenuse(h[j], h[j + 1]);
  a->c[j] = size > 0.0 ? h[j]/size : 1.0;
  a->s[j] = size > 0.0 ? h[j + 1]/size : 0.0;
  h[j] = size;
  h[j + 1] = 0.0;
  a->g[j + 1] = -a->s[j]*a->g[j];
  a->g[j] *= a->c[j];
}

// Solves for y and adds P V y to z, with the first `count` columns of V.
static int combine(krylov *k, arnoldi *a, int32_t count) {
  const int32_t n = k->n;
  const size_t rows = (size_t)a->m + 1;
  double largest = 0.0;
  for (int32_t j = 0; j < count; j++) largest = max2(largest, a->H[(size_t)j*rows + (size_t)j]);
  for (int32_t j = count - 1; j >= 0; j--) {
    double sum = a->g[j];
    for (int32_t l = j + 1; l < count; l++) sum -= a->H[(size_t)l*rows + (size_t)j]*a->y[l];
    const double pivot = a->H[(size_t)j*rows + (size_t)j];
    a->y[j] = pivot > 0x1p-46*largest ? sum/pivot : 0.0;
  }
  for (int32_t i = 0; i < n; i++) a->w[i] = 0.0;
  for (int32_t j = 0; j < count; j++) {
    const double *v = a->V + (size_t)j*(size_t)n;
    for (int32_t i = 0; i < n; i++) a->w[i] += a->y[j]*v[i];
  }
  double *correction = a->V;   // V is no longer needed
  if (precondition(k, a->w, correction)) return 1;
  for (int32_t i = 0; i < n; i++) k->z[i] += correction[i];
  return 0;
}

// Runs at most m iterations from z with residual r and updates both. Returns 0 if it failed.
static int cycle(krylov *k, arnoldi *a) {
  const int32_t n = k->n;
  const double begin = norm(n, k->r);
  for (int32_t i = 0; i < n; i++) a->V[i] = k->r[i]/begin;
  for (int32_t j = 0; j <= a->m; j++) a->g[j] = 0.0;
  a->g[0] = begin;
  int32_t count = 0;
  while (count < a->m) {
    double *h = a->H + (size_t)count*((size_t)a->m + 1);
    double *v = a->V + (size_t)count*(size_t)n, *next = v + n;
    if (precondition(k, v, a->w) || product(k, a->w, next)) break;
    const double before = norm(n, next);
    if (!is_finite(before)) {
      k->broken = 1;
      break;
    }
    const double left = orthogonalise(a, n, count + 1, h, next);
    const int closed = !(left > 0x1p-50*before);   // 1: the space is invariant
    h[count + 1] = closed ? 0.0 : left;
    rotate(a, count, h);
    count++;
    if (closed) break;
    for (int32_t i = 0; i < n; i++) next[i] /= left;
    if (fabs(a->g[count]) <= k->target || k->iterations + count >= k->limit) break;
    if (look_now(k, count) && deadline_passed(k->deadline)) {
      k->expired = 1;
      break;
    }
  }
  k->iterations += count - (count > 0);   // going_on counts the last one
  if (k->broken || count == 0 || combine(k, a, count) || product(k, k->z, k->r)) return 0;
  for (int32_t i = 0; i < n; i++) k->r[i] = k->rhs[i] - k->r[i];
  return 1;
}

void krylov_gmres(krylov *k) {
  arnoldi a = layout(k);
  double before = (double)INFINITY;
  while (cycle(k, &a)) {
    const double size = norm(k->n, k->r);
    if (!going_on(k, size)) return;
    if (!(size < before)) {   // no progress; the next cycle would repeat this one
      k->broken = 1;
      return;
    }
    before = size;
  }
}
