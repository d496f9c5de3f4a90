// friction.c: does A have the block pattern of the contact LCP E13 (27)?
//
//        [ Bnn  Bnt  0 ]  nc       normal impulses
//   A =  [ Btn  Btt  E ]  nc*K     tangential impulses: K directions at each contact
//        [ mu  -E'   0 ]  nc       slack velocities; mu = diag(mu_i) >= 0
//
// Each row of E has a single 1, each column K of them (in any order). B = [Bnn Bnt; Btn Btt] is
// symmetric in theory; programs write it with errors of a few per cent, which the reason tells.
#include <math.h>

#include "classify.h"
#include "vector.h"

#define ROUGHLY 0.1   // of max |A|: a B less symmetric than this is none

// Column j (by_columns) or row j of A.
static void list(const matrix *A, int by_columns, int32_t j, int32_t *from, int32_t *to) {
  *from = by_columns ? A->colptr[j] : A->rowptr[j];
  *to = by_columns ? A->colptr[j + 1] : A->rowptr[j + 1];
}

// max |B - B'|: entries of column j and row j merged.
static double block_asymmetry(const matrix *A, int32_t size) {
  double worst = 0.0;
  for (int32_t j = 0; j < size; j++) {
    int32_t p = A->colptr[j], q = A->rowptr[j];
    for (;;) {
      const int32_t a = p < A->colptr[j + 1] ? A->row[p] : size,
          b = q < A->rowptr[j + 1] ? A->column[q] : size;
      const int32_t i = a < b ? a : b;
      if (i >= size) break;
      const double left = a == i ? A->value[p++] : 0.0, right = b == i ? A->by_row[q++] : 0.0;
      worst = max2(worst, fabs(left - right));
    }
  }
  return worst;
}

void classify_friction(const matrix *A, finding *f) {
  // entries of the last column: K ones
  const int32_t n = A->n, directions = n > 0 ? A->colptr[n] - A->colptr[n - 1] : 0;
  if (directions < 1 || n%(directions + 2) != 0) {
    finding_set(f, PERP_NO, "last column has %d entries: n = %d is not nc (K + 2) with K = %d",
                directions, n, directions);
    return;
  }
  const int32_t contacts = n/(directions + 2), slack = n - contacts;   // first slack row
  double lowest = (double)INFINITY, highest = 0.0;
  for (int32_t k = 0; k < contacts; k++) {
    int32_t from, to;
    list(A, 1, slack + k, &from, &to);                                 // column k of E
    if (to - from != directions) {
      finding_set(f, PERP_NO, "column %d has %d entries, %d expected", slack + k, to - from,
                  directions);
      return;
    }
    for (int32_t p = from; p < to; p++)
      if (A->row[p] < contacts || A->row[p] >= slack || A->value[p] != 1.0) {
        finding_set(f, PERP_NO, "A[%d][%d] = %.4g does not fit into E", A->row[p], slack + k,
                    A->value[p]);
        return;
      }
    int32_t q, end, matched = 0;
    list(A, 0, slack + k, &q, &end);                                   // row k of [mu -E' 0]
    double mu = 0.0;
    for (int32_t p = from; q < end; q++) {
      const int32_t j = A->column[q];
      const double a = A->by_row[q];
      if (j == k && a > 0.0) mu = a;
      else if (p < to && j == A->row[p] && a == -1.0) {
        p++;
        matched++;
      } else {
        finding_set(f, PERP_NO, "A[%d][%d] = %.4g does not fit into [mu -E' 0]", slack + k, j, a);
        return;
      }
    }
    if (matched != directions) {
      finding_set(f, PERP_NO, "row %d has %d entries -1, %d expected", slack + k, matched,
                  directions);
      return;
    }
    lowest = min2(lowest, mu);
    highest = max2(highest, mu);
  }
  // a single 1 in each row of E
  for (int32_t i = contacts; i < slack; i++) {
    int32_t ones = 0, from, to;
    list(A, 0, i, &from, &to);
    for (int32_t p = from; p < to; p++) ones += A->column[p] >= slack;
    if (ones != 1) {
      finding_set(f, PERP_NO, "row %d belongs to %d contacts", i, ones);
      return;
    }
  }
  const double asymmetry = block_asymmetry(A, slack)/A->largest;
  finding_set(f, asymmetry > ROUGHLY ? PERP_NO : PERP_YES,
              "%d contacts, %d directions, mu from %.4g to %.4g, |B - B'| <= %.2g max |A|",
              contacts, directions, lowest, highest, asymmetry);
}
