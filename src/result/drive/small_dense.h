// small_dense.h: small dense problems in a fraction of a microsecond, certified without
// equilibrating A.
#ifndef PERP_SMALL_DENSE_H
#define PERP_SMALL_DENSE_H

#include <perp/perp.h>

#include "componentwise.h"

enum {
  SMALL_DENSE_N = 16,              // rows at most: beyond, factors that follow the pivots are cheaper
  SMALL_DENSE_ROUNDS = 100         // at most
};

typedef enum small_dense_end {
  SMALL_DENSE_NONE,                // not for here: ask somebody else
  SMALL_DENSE_CANDIDATE,           // x looks like a solution, and the certificate has to be asked
  SMALL_DENSE_REFERENCE,           // the point of the box nearest to 0 solves the problem exactly
  SMALL_DENSE_GUESS,               // the certificate holds for the guess, clamped to its bounds,
  SMALL_DENSE_CERTIFIED            //   for what the pivots have found: by small_dense_bound.c
} small_dense_end;

typedef struct small_dense_answer {
  double x[SMALL_DENSE_N];
  int32_t rounds;            // block pivots: what principal_pivoting calls an iteration
  perp_certificate certificate;   // from SMALL_DENSE_REFERENCE on
} small_dense_answer;

// p is dense with 1 <= n <= SMALL_DENSE_N, its arrays are there and nothing else has been looked
// at: data that are not valid end as SMALL_DENSE_NONE. guess: n. within: what the bound of r_i/G
// has to prove, small_dense_demand().
small_dense_end small_dense_solve(const perp_problem *p, const perp_dense *A, const double *guess,
                                  double within,
                                  small_dense_answer *answer);

// The same for four problems with the same n at once, with the same bits: where the end is not
// SMALL_DENSE_REFERENCE or SMALL_DENSE_CERTIFIED it is SMALL_DENSE_NONE, and small_dense_solve has
// to be asked.
void small_dense_solve_four(const perp_problem *const p[4], const perp_dense *const A[4],
                            double *const guess[4], double within, small_dense_end end[4],
                            small_dense_answer answer[4]);

// A thousandth of tol; where the componentwise rule applies not more than what it counts as
// rounding either, so that both rules hold.
static inline double small_dense_demand(double tol, double componentwise_tol) {
  const double part = 1e-3*tol;
  const int ruled = componentwise_limit(componentwise_tol, tol) < (double)INFINITY;
  return ruled && part > COMPONENTWISE_ROUNDING ? COMPONENTWISE_ROUNDING : part;
}

// ---- between small_dense.c, small_dense_four.c and small_dense_bound.c ----

#define SMALL_DENSE_UNIT 0x1p-53       // rounding of one operation
#define SMALL_DENSE_ROUNDING 0x1p-42   // relative to what is wrong at x_ref: not a violation
#define SMALL_DENSE_SAFE 0x1p-30       // smallest pivot, relative to A_kk: below, A is nearly singular
#define SMALL_DENSE_EXTREME 0x1p64     // numbers beyond this, or below its inverse, go another way
#define SMALL_DENSE_RANGE 0x1p-32      // smallest entry of A but 0, relative to the largest
// rounding of y = A x + b by rows in four sums of so many terms, relative to |b_i| + max |A| |x|_1
#define SMALL_DENSE_PRODUCT(terms) (1.01*((terms) + 4)*SMALL_DENSE_UNIT)

// Vectors and rows have n entries and room for a whole number of fours, the width; there A_ii = 1
// and all else is 0.
typedef struct quick {
  int32_t n, width;
  double A[SMALL_DENSE_N*SMALL_DENSE_N];   // n x width, row-major
  double T[SMALL_DENSE_N*SMALL_DENSE_N];   // n x width, row-major: A after the pivots
  double diagonal[SMALL_DENSE_N], b[SMALL_DENSE_N], lo[SMALL_DENSE_N], hi[SMALL_DENSE_N];
  double x[SMALL_DENSE_N], y[SMALL_DENSE_N];
  double most, least;        // of all |A_ij|
  double g[SMALL_DENSE_N];         // lower bounds of min(|y_i|, A_ii (distance to the bound that y_i
                             //   points to)) at x_ref
  double g_most;
} quick;

// Is A one component; irreducible? width: of a row of A, or of a column
int small_dense_connected(const double *A, int32_t n, int32_t width, int strongly);
// May A be the KKT matrix of a quadratic program? Then the certificate has to be asked.
int small_dense_two_sided(const double *A, int32_t n, int32_t width);
// For matrices with wide ranges of entries: r_i/G <= factor_i t_i, by (3) of small_dense_bound.c
// or by (2) if `second`; 0: not known.
int small_dense_fitted(const quick *q, int second, double *factor /* n */);
int small_dense_one_scaling(const quick *q);   // the entries that are not 0 are near each other

#endif
