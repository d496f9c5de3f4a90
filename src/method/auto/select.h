// select.h: what auto looks at in a problem, and the list of methods it tries.
#ifndef PERP_SELECT_H
#define PERP_SELECT_H

#include <perp/method.h>

#include "facts.h"

typedef struct outlook {
  int32_t n;
  int32_t free, boxed;      // rows without bounds; rows with two finite bounds
  int32_t entries;          // 1: the operator can list its entries
  int32_t sweeps;           // 1: Gauss-Seidel passes are possible
  int32_t symmetric;        // 1: up to SYMMETRY_SELECTED; by claim where entries are not read
  int32_t m_matrix;         // 1: symmetric, dominant, no positive entry off the diagonal
  int32_t grid;             // 1: a grid of cells
  int32_t product;          // 1: J W J'
  int32_t eased;            // 1: J W J' with compliance in every row
  int32_t bodies;           // 1: A is a contact operator, which knows the bodies
  facts A;                  // contacts: only where 0 <= x in all rows. factor: INFINITY: no memory
} outlook;

// known: facts of A, which learn what they lack. 0: success; -1: the deadline has passed (NULL: no
// deadline); -2: no memory.
int select_look(const perp_operator *A, facts *known, const double *lo, const double *hi,
                const perp_allocator *allocator, const perp_deadline *deadline, outlook *f);

typedef struct rung {
  const perp_method *method;    // NULL: look for a proof that there is no solution
  int32_t iterations;           // limit
  double omega;                 // sweep.omega; 0: its default
  double shift;                 // proximal.shift; 0: its default
  const char *why;
} rung;

enum select_sizes { SELECT_RUNGS_MAX = 13 };   // methods in a list
enum {
  // Rows up to which enumerate comes first: at most 3^4 systems of 4 equations. Pivoting methods
  // take up to 9 times the work.
  SELECT_TINY_ROWS_MAX = 4,
  // Rows up to which pivoting methods come first. Without a limit, up to 9 times the work.
  SELECT_SMALL_ROWS_MAX = 400,
  // Iterations of sweeps before a factorisation. gen mixed --n 1000 is solved in 15 of them, with a
  // 24th of the work of the factorisation.
  SELECT_FIRST_SWEEPS = 32
};
int32_t select_rungs(const outlook *f, int32_t iteration_limit, rung *rungs);   // returns the count
// For a short remaining time: does not examine A. Lists sweeps over the contacts if A may be a
// contact LCP, then sweeps over the rows by `method`. Returns the count; 0: A has no sweeps.
int32_t select_sweeps(const perp_operator *A, const double *lo, const double *hi,
                      const perp_method *method, int32_t iteration_limit, rung *rungs);

#endif
