// small_dense.h: small dense problems in a fraction of a microsecond, certified without
// equilibrating A.
#ifndef PERP_SMALL_DENSE_H
#define PERP_SMALL_DENSE_H

#include <float.h>

#include <perp/perp.h>

#include "componentwise.h"
#include "nearby.h"

enum {
  SMALL_DENSE_N = NEARBY_ROWS,     // largest n; above it, updated factors are cheaper
  SMALL_DENSE_ROUNDS = 100,        // largest number of rounds
  // Rounds without fewer wrong rows, before rows change one by one (Judice, Pires).
  SMALL_DENSE_IDLE_ROUNDS_MAX = 10
};

typedef enum small_dense_end {
  SMALL_DENSE_NONE,                // no answer: the caller uses the general solver
  SMALL_DENSE_CANDIDATE,           // x looks like a solution; the full certificate must decide
  SMALL_DENSE_REFERENCE,           // the point of the box nearest to 0 solves the problem exactly
  SMALL_DENSE_GUESS,               // small_dense_bound.c certifies the guess, clamped to its bounds
  SMALL_DENSE_CERTIFIED            // small_dense_bound.c certifies the x that pivoting found
} small_dense_end;

typedef struct small_dense_answer {
  double x[SMALL_DENSE_N];
  int32_t rounds;                 // block pivots; an iteration of principal_pivoting is one of these
  perp_certificate certificate;   // set if the end is SMALL_DENSE_REFERENCE or later in the list
} small_dense_answer;

// p must be dense with 1 <= n <= SMALL_DENSE_N and have its arrays. The caller need not check
// anything else: invalid data give SMALL_DENSE_NONE. guess: n. within: the largest bound of r_i/G
// that counts as certified, from small_dense_demand().
small_dense_end small_dense_solve(const perp_problem *p, const perp_dense *A, const double *guess,
                                  double within, small_dense_answer *answer);

// Solves four problems with the same n at once. An end is SMALL_DENSE_REFERENCE or
// SMALL_DENSE_CERTIFIED, with the same bits as from small_dense_solve, or SMALL_DENSE_NONE: then
// the caller passes that problem to small_dense_solve.
void small_dense_solve_four(const perp_problem *const p[4], const perp_dense *const A[4],
                            double *const guess[4], double within, small_dense_end end[4],
                            small_dense_answer answer[4]);

// `within`: tol/1000, and at most COMPONENTWISE_ROUNDING where the componentwise rule applies.
static inline double small_dense_demand(double tol, double componentwise_tol) {
  const double part = 1e-3*tol;
  const int ruled = componentwise_limit(componentwise_tol, tol) < (double)INFINITY;
  return ruled && part > COMPONENTWISE_ROUNDING ? COMPONENTWISE_ROUNDING : part;
}

// ---- between small_dense.c, small_dense_four.c and small_dense_bound.c ----

#define SMALL_DENSE_UNIT (0.5*DBL_EPSILON)   // rounding of one operation
#define SMALL_DENSE_VIOLATION_MIN 0x1p-42    // smallest that counts, relative to the largest at x_ref
#define SMALL_DENSE_PIVOT_MIN 0x1p-30        // relative to A_kk; below it A is nearly singular
#define SMALL_DENSE_SIZE_MAX 0x1p64          // largest size of data; its inverse is the smallest
#define SMALL_DENSE_ENTRY_RATIO_MIN 0x1p-32  // smallest nonzero entry of A over the largest
// Rounding of y_i = (A x + b)_i, relative to |b_i| + max |A| |x|_1. A row is added up in four
// partial sums of `terms` terms each.
#define SMALL_DENSE_PRODUCT(terms) (1.01*((terms) + 4)*SMALL_DENSE_UNIT)

// Rows and vectors are padded from n to `width` entries, a multiple of 4. In the padding A_ii = 1
// and every other entry is 0.
typedef struct small_dense_table {
  int32_t n, width;
  double A[SMALL_DENSE_N*SMALL_DENSE_N];   // n x width, row-major
  double T[SMALL_DENSE_N*SMALL_DENSE_N];   // n x width, row-major: A after the pivots
  double diagonal[SMALL_DENSE_N], b[SMALL_DENSE_N], lo[SMALL_DENSE_N], hi[SMALL_DENSE_N];
  double x[SMALL_DENSE_N], y[SMALL_DENSE_N];
  double most, least;        // largest and smallest |A_ij|
  double g[SMALL_DENSE_N];   // g_i <= min(|y_i|, A_ii (distance of x_i to the bound that y_i points
                             //   to)) at x_ref
  double g_most;             // the largest g_i
} small_dense_table;

// Is the graph of A connected? If `strongly`: is A irreducible? width: the distance between two
// rows of A, or between two columns.
int small_dense_connected(const double *A, int32_t n, int32_t width, int strongly);
// 1: A may be the KKT matrix of a quadratic program. Then only the full certificate can decide.
int small_dense_two_sided(const double *A, int32_t n, int32_t width);
// For matrices with a wide range of entries: factors with r_i/G <= factor_i t_i, by (3) of
// small_dense_bound.c, or by (2) if `second`. Returns 0 if no bound is known.
int small_dense_fitted(const small_dense_table *q, int second, double *factor /* n */);
int small_dense_one_scaling(const small_dense_table *q);   // max |A_ij| <= 256 min nonzero |A_ij|

#endif
