// demands.h: the properties of A that a method needs: symmetry, a positive diagonal, few rows.
//
// A run calls demands_unmet() before it starts, and perp_method_accepts() calls it without a run.
// So `perp classify` reports exactly what a run would do.
#ifndef PERP_DEMANDS_H
#define PERP_DEMANDS_H

#include <perp/method.h>

#include "facts.h"

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

// The first property that `method` needs and A, lo and hi do not have. known: bits of `needs` that
// A is known to meet. f: the facts of A; missing ones are added. lo, hi and allocator may be NULL.
// If memory is short or A does not show its entries, the answer is DEMAND_NONE, and the run finds
// out.
unmet demands_unmet(const perp_method *method, uint32_t known, facts *f, const perp_operator *A,
                    const double *lo, const double *hi, const perp_allocator *allocator);
// The same for the problem that presolve leaves. The rows and columns it takes out are not checked.
unmet demands_unmet_after_presolve(const perp_method *method, const perp_problem *problem);

enum demands_size { DEMANDS_TEXT = 160 };
// "active_set needs a symmetric A, and this A is not symmetric: entries (0, 1) and (1, 0) differ"
void demands_text(const perp_method *method, unmet of, char text[DEMANDS_TEXT]);

#endif
