// exact.h: complementarity problems in whole numbers, decided without rounding.
//
// Find x with lo <= x <= hi and, for y = A x + b: y_i >= 0 where x_i < hi_i, y_i <= 0 where
// x_i > lo_i. The tableau of the linear conditions is kept fraction-free (Edmonds, Bareiss): every
// entry is a minor of [A b], so 64 bits hold it for small entries and n <= 8; products take 128.
// Each operation that could overflow is checked, and then the answer is EXACT_OVERFLOW.
// Nothing here uses the library.
#ifndef PERP_TEST_EXACT_H
#define PERP_TEST_EXACT_H

#include <stdint.h>

enum { EXACT_ROWS = 8 };
#define EXACT_INF INT64_MAX            // hi = EXACT_INF, lo = -EXACT_INF: no bound

typedef struct exact_problem {
  int32_t n;
  int64_t A[EXACT_ROWS][EXACT_ROWS], b[EXACT_ROWS], lo[EXACT_ROWS], hi[EXACT_ROWS];
} exact_problem;

typedef enum exact_verdict { EXACT_NO, EXACT_YES, EXACT_OVERFLOW } exact_verdict;

// Do the linear conditions have a point: lo <= x <= hi, y_i >= 0 on rows with a lower bound only,
// <= 0 with an upper one only, = 0 with none? If not, a Farkas vector exists.
exact_verdict exact_feasible(const exact_problem *p);

// Is there a solution? Labels (y_i = 0, x_i = lo_i, x_i = hi_i) are assigned row by row, and a
// partial assignment is dropped where its linear conditions have no point. x (n, may be NULL)
// receives a solution, rounded.
exact_verdict exact_solvable(const exact_problem *p, double *x);

// The same by trying every assignment; *faces: how many of them hold a solution.
exact_verdict exact_enumerate(const exact_problem *p, int32_t *faces);

// Is there a solution with |x*_i - x_i| <= tol max(1, |x_i|) + slack for every i?
exact_verdict exact_near(const exact_problem *p, const double *x, double tol, double slack);

// Every principal minor is positive; nonnegative.
exact_verdict exact_is_P(const exact_problem *p);
exact_verdict exact_is_P0(const exact_problem *p);

// A Farkas vector u of doubles for the problem with rows times 2^row_i and columns times
// 2^column_j (x_j and its bounds times 2^-column_j). Returns the largest r for which u proves that
// no solution has |x|_1 < r, in those units: +inf where every sign is right, 0 where u proves
// nothing. Signs and sums are exact, the quotient is rounded.
double exact_farkas_radius(const exact_problem *p, const int *row, const int *column,
                           const double *u);

#endif
