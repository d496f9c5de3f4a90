// demands.h: what a method demands of the numbers in A: symmetry, a positive diagonal, few rows.
//
// A run asks demands_unmet() before it starts, and perp_method_accepts() asks it for whoever wants
// to know without a run. So what `perp classify` says of a method is what the method will do.
#ifndef PERP_DEMANDS_H
#define PERP_DEMANDS_H

#include <perp/method.h>

typedef enum demand {
  DEMAND_NONE,                // the method takes this A
  DEMAND_SYMMETRY,            // A_ij and A_ji differ; i = j = -1: some entries do
  DEMAND_POSITIVE_DIAGONAL,   // A_ii is not positive
  DEMAND_FEW_ROWS,            // too many rows, given that some have two bounds
} demand;

typedef struct unmet {
  demand what;
  int32_t i, j;
} unmet;

// What `method` demands and A, lo and hi do not give. known: bits of `needs` that A is known to
// meet. lo, hi and allocator may be NULL. Where memory is short or A does not tell, it is
// DEMAND_NONE: the run will show.
unmet demands_unmet(const perp_method *method, uint32_t known, const perp_operator *A,
                    const double *lo, const double *hi, const perp_allocator *allocator);
// The same of what presolve leaves of a problem. Rows and columns that it takes out may differ.
unmet demands_unmet_after_presolve(const perp_method *method, const perp_problem *problem);

enum { DEMANDS_TEXT = 160 };
// "active_set needs a symmetric A, and this A is not symmetric: entries (0, 1) and (1, 0) differ"
void demands_text(const perp_method *method, unmet of, char text[DEMANDS_TEXT]);

#endif
