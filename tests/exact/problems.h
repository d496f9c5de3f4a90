// problems.h: random small problems in whole numbers, by class, and as doubles for the library.
#ifndef PERP_TEST_PROBLEMS_H
#define PERP_TEST_PROBLEMS_H

#include <perp/perp.h>

#include "exact.h"

// id, name, text, and whether the data range so widely that doubles do not always tell whether there
// is a solution: then "solved" may be false for fewer than 1 in 10^4 of the unsolvable ones.
#define PROBLEM_CLASS_LIST(X)                                                                  \
  X(P,          "P",            "every principal minor is positive", 0)                        \
  X(PSD,        "PSD",          "x'Ax >= 0, symmetric or not, often singular", 0)              \
  X(SINGULAR,   "singular",     "repeated, empty or dependent rows and columns", 0)            \
  X(STRICT,     "strictly copositive", "x'Ax > 0 for x >= 0, x != 0", 0)                       \
  X(COPOSITIVE, "copositive",   "x'Ax >= 0 for x >= 0: friction, Horn, PSD + nonnegative", 0)  \
  X(INDEFINITE, "indefinite",   "any whole numbers", 0)                                        \
  X(DEGENERATE, "degenerate",   "built around a solution with many x_i = y_i = 0", 0)          \
  X(TIES,       "ties",         "entries and b from -1, 0, 1", 0)                              \
  X(WIDE,       "wide b",       "entries up to 3, b over 1..1e10 with either sign", 1)         \
  X(WIDE_PSD,   "wide b, PSD",  "semidefinite and singular, b over 1..1e10", 1)                \
  X(CHAINS,     "chains",       "reducible, b over 1..1e10", 1)                                \
  X(NEAR,       "near-singular", "entries of 1e5 +- 1 (1e4 +- 1 for n = 4), b up to 8", 1)

typedef enum problem_class {
#define X_ID(id, name, text, wide) PROBLEM_##id,
  PROBLEM_CLASS_LIST(X_ID)
#undef X_ID
  PROBLEM_CLASSES
} problem_class;

typedef struct small_problem {
  exact_problem exact;
  problem_class kind;
  int plain;                                  // every row is 0 <= x
  int scaled;
  int row[EXACT_ROWS], column[EXACT_ROWS];    // exponents: the library sees 2^row A 2^column
  double A[EXACT_ROWS*EXACT_ROWS], b[EXACT_ROWS], lo[EXACT_ROWS], hi[EXACT_ROWS];
  perp_dense dense;
  perp_csc csc;
  int32_t colptr[EXACT_ROWS + 1], rows[EXACT_ROWS*EXACT_ROWS];
  double value[EXACT_ROWS*EXACT_ROWS];
  perp_problem problem;                       // views of the above
} small_problem;

const char *problem_class_name(problem_class kind);
int problem_class_is_wide(problem_class kind);

// The problem of this number: the same on every machine. n <= EXACT_ROWS; every second one has
// rows that are not 0 <= x, every fourth one is scaled. It must not be moved in memory.
void problem_make(uint64_t number, small_problem *s);

void problem_unscale(const small_problem *s, const double *x, double *whole);   // back to exact's
void problem_print(const small_problem *s);   // as the body of a C program

#endif
