// quadratic_objective.c: what a symmetric problem minimises, 1/2 x'Ax + b'x over lo <= x <= hi.
//
// With y = A x + b known in full accuracy, A need not be applied again:
//     f = 1/2 x'(y - b) + b'x = 1/2 (x'y + x'b),
// both summed as if in twice the precision (Ogita, Rump, Oishi 2005: Dot2). Near the solution x'y
// is almost 0, term by term.
#include "quadratic_objective.h"

#include <math.h>
#include <stdlib.h>

#include <perp/analysis.h>

static int by_number(const void *a, const void *b) {
  return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

static double entry(const mtx_matrix *A, int32_t i, int32_t j) {
  if (A->dense) return A->value[(size_t)i + (size_t)A->rows*(size_t)j];
  const int32_t *column = A->row + A->colptr[j];
  const int32_t *found =
      bsearch(&i, column, (size_t)(A->colptr[j + 1] - A->colptr[j]), sizeof i, by_number);
  return found ? A->value[found - A->row] : 0.0;
}

static int alike(const mtx_matrix *A, int32_t i, int32_t j, double below) {
  const double beside = entry(A, j, i), difference = fabs(below - beside);
  if (difference == 0.0) return 1;
  const double size = sqrt(fabs(entry(A, i, i)))*sqrt(fabs(entry(A, j, j)));
  return difference <= PERP_SYMMETRIC_ASYMMETRY_MAX*fmax(size, fmax(fabs(below), fabs(beside)));
}

static int is_symmetric(const problem_files *files) {
  const mtx_matrix *A = &files->A;
  if (files->problem.A.claims & PERP_CLAIM_SYMMETRIC) return 1;
  for (int32_t j = 0; j < A->columns; j++) {
    const int32_t from = A->dense ? 0 : A->colptr[j], to = A->dense ? A->rows : A->colptr[j + 1];
    for (int32_t k = from; k < to; k++) {
      const int32_t i = A->dense ? k : A->row[k];
      if (i != j && !alike(A, i, j, A->dense ? entry(A, i, j) : A->value[k])) return 0;
    }
  }
  return 1;
}

typedef struct sum { double high, low; } sum;

static void add_product(sum *s, double a, double b) {
  const double p = a*b, e = fma(a, b, -p), t = s->high + p, z = t - s->high;
  s->low += ((s->high - (t - z)) + (p - z)) + e;
  s->high = t;
}

double objective(const problem_files *files, const double *x, const double *y) {
  const double *b = files->problem.b;
  if (!y || !is_symmetric(files)) return NAN;
  sum s = {0};
  for (int32_t i = 0; i < files->problem.A.n; i++) {
    add_product(&s, x[i], y[i]);
    add_product(&s, x[i], b[i]);
  }
  return 0.5*(s.high + s.low);
}
