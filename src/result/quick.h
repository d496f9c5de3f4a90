// quick.h: small dense problems in a fraction of a microsecond, certified without equilibrating A.
#ifndef PERP_QUICK_H
#define PERP_QUICK_H

#include <perp/perp.h>

#include "componentwise.h"

enum {
  QUICK_N = 16,              // rows at most: beyond, factors that follow the pivots are cheaper
  QUICK_ROUNDS = 100         // at most
};

typedef enum quick_end {
  QUICK_NONE,                // not for here: ask somebody else
  QUICK_CANDIDATE,           // x looks like a solution, and the certificate has to be asked
  QUICK_REFERENCE,           // the point of the box nearest to 0 solves the problem exactly
  QUICK_GUESS,               // the certificate holds for the guess, clamped to its bounds,
  QUICK_CERTIFIED            //   for what the pivots have found: by quick_bound.c
} quick_end;

typedef struct quick_answer {
  double x[QUICK_N];
  int32_t rounds;            // block pivots: what principal_pivoting calls an iteration
  perp_certificate certificate;   // from QUICK_REFERENCE on
} quick_answer;

// p is dense with 1 <= n <= QUICK_N, its arrays are there and nothing else has been looked at: data
// that are not valid end as QUICK_NONE. guess: n. within: what the bound of r_i/G has to prove,
// quick_demand().
quick_end quick_solve(const perp_problem *p, const perp_dense *A, const double *guess, double within,
                      quick_answer *answer);

// The same for four problems with the same n at once, with the same bits: where the end is not
// QUICK_REFERENCE or QUICK_CERTIFIED it is QUICK_NONE, and quick_solve has to be asked.
void quick_solve_four(const perp_problem *const p[4], const perp_dense *const A[4],
                      double *const guess[4], double within, quick_end end[4],
                      quick_answer answer[4]);

// A thousandth of tol; where the componentwise rule applies not more than what it counts as
// rounding either, so that both rules hold.
static inline double quick_demand(double tol, double componentwise_tol) {
  const double part = 1e-3*tol;
  const int ruled = componentwise_limit(componentwise_tol, tol) < (double)INFINITY;
  return ruled && part > COMPONENTWISE_ROUNDING ? COMPONENTWISE_ROUNDING : part;
}

// ---- between quick.c, quick_four.c and quick_bound.c ----

#define QUICK_UNIT 0x1p-53       // rounding of one operation
#define QUICK_ROUNDING 0x1p-42   // relative to what is wrong at x_ref: not a violation
#define QUICK_SAFE 0x1p-30       // smallest pivot, relative to A_kk: below, A is nearly singular
#define QUICK_EXTREME 0x1p64     // numbers beyond this, or below its inverse, go another way
#define QUICK_RANGE 0x1p-32      // smallest entry of A but 0, relative to the largest
// rounding of y = A x + b by rows in four sums of so many terms, relative to |b_i| + max |A| |x|_1
#define QUICK_PRODUCT(terms) (1.01*((terms) + 4)*QUICK_UNIT)

// Vectors and rows have n entries and room for a whole number of fours, the width; there A_ii = 1
// and all else is 0.
typedef struct quick {
  int32_t n, width;
  double A[QUICK_N*QUICK_N], T[QUICK_N*QUICK_N];   // n x width, row-major: T is A after the pivots
  double diagonal[QUICK_N], b[QUICK_N], lo[QUICK_N], hi[QUICK_N];
  double x[QUICK_N], y[QUICK_N];
  double most, least;        // of all |A_ij|
  double g[QUICK_N];         // lower bounds of min(|y_i|, A_ii (distance to the bound that y_i
                             //   points to)) at x_ref
  double g_most;
} quick;

// Is A one component; irreducible? width: of a row of A, or of a column
int quick_connected(const double *A, int32_t n, int32_t width, int strongly);
// May A be the KKT matrix of a quadratic program? Then the certificate has to be asked.
int quick_two_sided(const double *A, int32_t n, int32_t width);
// For matrices with wide ranges of entries: r_i/G <= factor_i t_i, by (3) of quick_bound.c or by
// (2) if `second`; 0: not known.
int quick_fitted(const quick *q, int second, double *factor /* n */);
int quick_one_scaling(const quick *q);   // the entries that are not 0 are near each other

#endif
