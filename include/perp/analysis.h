// analysis.h: what can be proved about a problem or an answer: certificates with every tolerance by
// name, proofs that no solution exists, error bounds, enclosures, and classes of matrices.
//
// E13: Erleben, Numerical methods for linear complementarity problems, 2013.
#ifndef PERP_ANALYSIS_H
#define PERP_ANALYSIS_H

#include "perp.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------- certificate

// The tolerances of a certificate. perp_default_tolerances() returns those of perp_solve.
typedef struct perp_tolerances {
  size_t size;                // sizeof(perp_tolerances): a struct of zeros is refused
  double tol;                 // relative, in (0, 1)
  double absolute_tol;        // 0: none
  double componentwise_tol;   // limit of perp_certificate.componentwise. 0: 1e6 tol, or none if
                              //   tol >= 1e-6; INFINITY: none
} perp_tolerances;
perp_tolerances perp_default_tolerances(void);   // settings to start from
// perp_certify with these tolerances
perp_error perp_certify_with(const perp_problem *problem, const double *x,
                             const perp_tolerances *tolerances, double *y,
                             perp_certificate *certificate);

// ------------------------------------------------------------------------- proofs and error bounds

// A Farkas vector u proves that there is no solution. Its signs: u_i >= 0 on rows that have only a
// lower bound (y_i >= 0 in every solution), u_i <= 0 on rows that have only an upper bound, any u_i
// on free rows, u_i = 0 on rows with two bounds. Every solution x then has u'(A x + b) >= 0. If the
// supremum of u'(A x + b) over the box is negative, no x can be a solution.
typedef struct perp_farkas {
  int32_t proven;             // 1: there is no solution. radius is INFINITY, and -value > allowed,
                              //   for u itself or for an exact vector enclosed near u
  int32_t worst;              // row with the wrong sign, or column that makes the radius finite;
                              //   -1: none
  double radius;              // no solution has |x|_1 < radius; INFINITY if every sign is right,
                              //   rounding included
  double value;               // an upper bound of u'b + the finite terms of the supremum
  char reason[160];           // why u proves it, or why not
  int32_t bounded;            // 1: radius is finite but large, and -value > allowed: there is no
                              //   solution of moderate size, but a larger one may exist
  double allowed;             // the part of -value that the tolerance of the certificate and the
                              //   rounding of the data can explain; a proof needs more
} perp_farkas;
// Uses the default tolerance of the certificate. If there is a proof, perp_certify accepts no x at
// the same tolerances.
perp_error perp_check_farkas(const perp_problem *problem, const double *u, perp_farkas *farkas);
// perp_check_farkas with these tolerances. allocator NULL: malloc.
perp_error perp_check_farkas_within(const perp_problem *problem, const double *u, double tol,
                                    double absolute_tol, const perp_allocator *allocator,
                                    perp_farkas *farkas);

// |x_i - x*_i| <= bound_i for the solution x*, which is unique if a bound is known.
typedef struct perp_bound {
  int32_t known;              // 0: no bound, and `reason` says why
  double largest;             // max bound_i
  char reason[160];           // the theorem behind the bound, or why there is none
} perp_bound;
// Bounds how far x is from the solution. bound_i is INFINITY where no bound is known.
perp_error perp_error_bound(const perp_problem *problem, const double *x,
                            const perp_allocator *allocator, double *bound /* n */,
                            perp_bound *result);

// A proof that a solution lies in [lower, upper]. The rows at their bounds, F, are read off x. The
// other rows I satisfy A_II x_I = -b_I - A_IF x_F, which is enclosed in rigorous arithmetic.
typedef struct perp_proof {
  int32_t proven;             // 1: a solution lies in [lower, upper]
  int32_t worst;              // row at which the proof failed; -1: none
  int32_t free_count;         // rows strictly between their bounds
  double width;               // max (upper - lower)
  char reason[160];           // why it is proven, or why not
} perp_proof;
// Looks for a proof that a solution is near x. allocator NULL: malloc.
perp_error perp_prove(const perp_problem *problem, const double *x, const perp_allocator *allocator,
                      double *lower, double *upper /* n each */, perp_proof *proof);

// --------------------------------------------------------------------------------- classification

typedef enum perp_verdict { PERP_NO, PERP_YES, PERP_UNKNOWN } perp_verdict;   // does it hold?

// Classes of matrices.
#define PERP_CLASS_LIST(X)                                                         \
  X(SYMMETRIC,   "symmetric",            "A = A'")                                 \
  X(Z,           "Z",                    "off-diagonal entries <= 0")              \
  X(DOMINANT,    "diagonally dominant",  "|A_ii| >= sum of the other |A_ij|, rows or columns") \
  X(H,           "H+",                   "positive diagonal, comparison matrix is an M-matrix") \
  X(M,           "M",                    "Z and H+")                               \
  X(TRIDIAGONAL, "tridiagonal",          "A_ij = 0 where |i - j| > 1")             \
  X(NONNEGATIVE, "nonnegative",          "A_ij >= 0, positive diagonal: strictly copositive") \
  X(FRICTION,    "friction",             "block pattern of the contact LCP E13 (27)") \
  X(PSD,         "positive semidefinite", "x'Ax >= 0")                             \
  X(PD,          "positive definite",    "x'Ax > 0 for x != 0")                    \
  X(SPD,         "SPD",                  "symmetric and positive definite")

typedef enum perp_class {
#define PERP_X(id, name, text) PERP_CLASS_##id,
  PERP_CLASS_LIST(PERP_X)
#undef PERP_X
  PERP_CLASS_COUNT
} perp_class;

typedef struct perp_classes {   // what a matrix and its bounds are
  struct { perp_verdict verdict; char reason[96]; } of[PERP_CLASS_COUNT];   // whether, and why
  // rows by their bounds; boxed: two finite bounds, or one that is not lo = 0
  int32_t lcp_rows, free_rows, boxed_rows, fixed_rows;
  int32_t components;         // connected components of A's pattern
  double asymmetry;           // max |A - A'| / max |A|
} perp_classes;

// A counts as symmetric if no |A_ij - A_ji| exceeds this part of the largest of |A_ij|, |A_ji| and
// sqrt|A_ii A_jj|: the rounding of a product such as J W J'.
#define PERP_SYMMETRIC_ASYMMETRY_MAX 1e-14

const char *perp_class_name(perp_class which);   // "SPD"
const char *perp_class_text(perp_class which);   // "symmetric and positive definite"
// Finds the classes of A. allocator NULL: malloc.
perp_error perp_classify(const perp_problem *problem, const perp_allocator *allocator,
                         perp_classes *classes);

#ifdef __cplusplus
}
#endif
#endif
