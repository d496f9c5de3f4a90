// dense_kernels.c: equilibration, LU with partial pivoting, affine sets by complete pivoting.
#include "linear.h"

#include <math.h>

#include "vector.h"

#define EQUILIBRATION_PASSES 3

static double power_near(double magnitude) {   // the power of two p with p*magnitude in [1/2, 1)
  int exponent = 0;
  frexp(magnitude, &exponent);
  return power_of_two_within(-exponent, 1000);
}

void dense_equilibrate(int32_t rows, int32_t columns, double *S, double *r, double *c) {
  for (int32_t i = 0; i < rows; i++) r[i] = 1.0;
  for (int32_t j = 0; j < columns; j++) c[j] = 1.0;
  for (int32_t pass = 0; pass < EQUILIBRATION_PASSES; pass++) {
    for (int32_t i = 0; i < rows; i++) {
      double *row = S + (size_t)i*(size_t)columns;
      double largest = 0.0;
      for (int32_t j = 0; j < columns; j++) largest = max2(largest, fabs(row[j]));
      if (!(largest > 0.0)) continue;
      const double p = power_near(largest);
      for (int32_t j = 0; j < columns; j++) row[j] *= p;
      r[i] *= p;
    }
    for (int32_t j = 0; j < columns; j++) {
      double largest = 0.0;
      for (int32_t i = 0; i < rows; i++)
        largest = max2(largest, fabs(S[(size_t)i*(size_t)columns + (size_t)j]));
      if (!(largest > 0.0)) continue;
      const double p = power_near(largest);
      for (int32_t i = 0; i < rows; i++) S[(size_t)i*(size_t)columns + (size_t)j] *= p;
      c[j] *= p;
    }
  }
}

int32_t lu_factor(int32_t m, double *S, int32_t *pivot, double floor,
                  const perp_deadline *deadline) {
  const size_t ld = (size_t)m;
  for (int32_t k = 0; k < m; k++) {
    if (k%16 == 0 && deadline_passed(deadline)) return -1;
    int32_t best = k;
    for (int32_t i = k + 1; i < m; i++)
      if (fabs(S[(size_t)i*ld + (size_t)k]) > fabs(S[(size_t)best*ld + (size_t)k])) best = i;
    double *top = S + (size_t)k*ld;
    pivot[k] = best;
    if (best != k) {
      double *other = S + (size_t)best*ld;
      for (int32_t j = 0; j < m; j++) {
        const double t = top[j];
        top[j] = other[j];
        other[j] = t;
      }
    }
    if (!(fabs(top[k]) > floor)) return k + 1;
    const double inverse = 1.0/top[k];
    for (int32_t i = k + 1; i < m; i++) {
      double *row = S + (size_t)i*ld;
      if (row[k] == 0.0) continue;
      const double l = row[k]*inverse;
      row[k] = l;
      for (int32_t j = k + 1; j < m; j++) row[j] -= l*top[j];
    }
  }
  return 0;
}

void lu_solve(int32_t m, const double *S, const int32_t *pivot, double *v) {
  const size_t ld = (size_t)m;
  for (int32_t k = 0; k < m; k++) {
    const double t = v[pivot[k]];
    v[pivot[k]] = v[k];
    v[k] = t;
  }
  for (int32_t i = 1; i < m; i++) v[i] -= dot(i, S + (size_t)i*ld, v);                     // L
  for (int32_t i = m - 1; i >= 0; i--) {                                                    // U
    const double *row = S + (size_t)i*ld;
    v[i] = (v[i] - dot(m - 1 - i, row + i + 1, v + i + 1))/row[i];
  }
}

static void exchange(double *a, double *b) {
  const double t = *a;
  *a = *b;
  *b = t;
}

int32_t lu_affine(int32_t rows, int32_t columns, double *S, double *rhs, double threshold,
                  int32_t *order, double *x, double *N, double *smallest) {
  const size_t ld = (size_t)columns;
  double first = 0.0, last = 0.0;
  for (int32_t j = 0; j < columns; j++) order[j] = j;
  int32_t rank = 0;
  for (; rank < rows && rank < columns; rank++) {
    int32_t at_row = rank, at_column = rank;
    double largest = 0.0;
    for (int32_t i = rank; i < rows; i++)
      for (int32_t j = rank; j < columns; j++)
        if (fabs(S[(size_t)i*ld + (size_t)j]) > largest) {
          largest = fabs(S[(size_t)i*ld + (size_t)j]);
          at_row = i;
          at_column = j;
        }
    if (rank == 0) first = largest;
    if (!(largest > threshold*first)) break;
    last = largest;
    if (at_row != rank) {
      for (int32_t j = 0; j < columns; j++)
        exchange(&S[(size_t)at_row*ld + (size_t)j], &S[(size_t)rank*ld + (size_t)j]);
      exchange(&rhs[at_row], &rhs[rank]);
    }
    if (at_column != rank) {
      for (int32_t i = 0; i < rows; i++)
        exchange(&S[(size_t)i*ld + (size_t)at_column], &S[(size_t)i*ld + (size_t)rank]);
      const int32_t t = order[at_column];
      order[at_column] = order[rank];
      order[rank] = t;
    }
    const double *top = S + (size_t)rank*ld;
    for (int32_t i = rank + 1; i < rows; i++) {
      double *row = S + (size_t)i*ld;
      if (row[rank] == 0.0) continue;
      const double l = row[rank]/top[rank];
      for (int32_t j = rank + 1; j < columns; j++) row[j] -= l*top[j];
      rhs[i] -= l*rhs[rank];
    }
  }
  *smallest = first > 0.0 ? last/first : 1.0;

  // U11 z1 = rhs1 - U12 z2: z2 = 0 for x, and the unit vectors for the columns of N
  const int32_t nullity = columns - rank;
  for (int32_t j = 0; j < columns; j++) x[order[j]] = 0.0;
  for (int32_t i = rank - 1; i >= 0; i--) {
    const double *row = S + (size_t)i*ld;
    double sum = rhs[i];
    for (int32_t j = i + 1; j < rank; j++) sum -= row[j]*x[order[j]];
    x[order[i]] = sum/row[i];
  }
  for (int32_t q = 0; q < nullity; q++) {
    for (int32_t j = rank; j < columns; j++)
      N[(size_t)order[j]*(size_t)nullity + (size_t)q] = j == rank + q ? 1.0 : 0.0;
    for (int32_t i = rank - 1; i >= 0; i--) {
      const double *row = S + (size_t)i*ld;
      double sum = -row[rank + q];
      for (int32_t j = i + 1; j < rank; j++)
        sum -= row[j]*N[(size_t)order[j]*(size_t)nullity + (size_t)q];
      N[(size_t)order[i]*(size_t)nullity + (size_t)q] = sum/row[i];
    }
  }
  return rank;
}
