// small_simplex.h: finds the point of a small polyhedron that is farthest from its inequalities.
#ifndef PERP_SMALL_SIMPLEX_H
#define PERP_SMALL_SIMPLEX_H

#include <stddef.h>
#include <stdint.h>

typedef struct simplex_result {
  double slack;      // the largest s <= 1 with G t + s <= h; < 0: G t <= h has no solution
  int32_t pivots;
  int32_t finished;  // 0: the pivot limit was reached, and the result is unknown
} simplex_result;

size_t simplex_doubles(int32_t rows, int32_t columns);   // length of `work`

// Maximises s subject to G t + s <= h and s <= 1, t free, by Dantzig's simplex method with Bland's
// rule. u >= 0 receives multipliers: if s = 0, the rows with u_i > 0 are equalities on the whole
// polyhedron. G: rows x columns, row-major; h, u: rows; t: columns; basis: rows + columns + 2.
simplex_result simplex_maximise(int32_t rows, int32_t columns, const double *G, const double *h,
                                double *t, double *u, double *work, int32_t *basis);

#endif
