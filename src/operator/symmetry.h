// symmetry.h: the one measure of asymmetry, and how much of it each purpose allows.
//
// The asymmetry of a pair of entries is |A_ij - A_ji| relative to the largest of |A_ij|, |A_ji| and
// sqrt|A_ii A_jj|. That of A is the largest of all pairs. Scaling rows and columns by the same
// factors does not change it.
#ifndef PERP_SYMMETRY_H
#define PERP_SYMMETRY_H

#include <perp/analysis.h>
#include <perp/matrix.h>

#include "vector.h"

// The largest asymmetry for each purpose. A kernel that reads columns as rows is not listed: it
// needs equal bits, which csc_is_symmetric() checks.
#define SYMMETRY_STATED PERP_SYMMETRIC_ASYMMETRY_MAX   // told to the user: the rounding of J W J'
#define SYMMETRY_PAIRED 1e-12     // both triangles are read once: rounding after long sums
#define SYMMETRY_PROVED 1e-9      // a proof needs A = A': files have ten digits or more
#define SYMMETRY_SELECTED 1e-4    // auto begins with methods for a symmetric A; at 3e-4 lemke is faster
#define SYMMETRY_REFINED 1e-3     // the symmetric part is factored: refinement gains this per step
#define SYMMETRY_RECOGNISED 0.25  // B of contacts: programs write it with errors of up to 0.2

// Of the pair a, b that differs, with roots = sqrt|A_ii A_jj|.
static inline double asymmetry_by_roots(double a, double b, double roots) {
  return fabs(a - b)/max2(roots, max2(fabs(a), fabs(b)));
}
static inline double asymmetry_of(double a, double b, double d_i, double d_j) {
  return a != b ? asymmetry_by_roots(a, b, sqrt(fabs(d_i))*sqrt(fabs(d_j))) : 0.0;
}

typedef struct asymmetry {
  double most;      // 0: every pair is equal
  int32_t i, j;     // where, i < j; -1: nowhere, or some entries that are not known
} asymmetry;

// The asymmetry of A, or of the first pair that exceeds `enough`. next: n, work.
asymmetry csc_asymmetry(const perp_csc *A, double enough, int32_t *next);
asymmetry dense_asymmetry(const perp_dense *A, double enough);

// 1: A = A' exactly, by value and by pattern. next (n) is work.
int csc_is_symmetric(const perp_csc *A, int32_t *next);

#endif
