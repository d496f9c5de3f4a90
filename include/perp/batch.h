// batch.h: many small problems at once, on one solver with several lanes (perp_limits.lanes).
#ifndef PERP_BATCH_H
#define PERP_BATCH_H

#include "perp.h"

#ifdef __cplusplus
extern "C" {
#endif

// Solves many small problems, limits.lanes at a time on options.threads threads. The bits of x do
// not depend on either number. Returns the first error, whose message is also in that problem's
// result; the other problems are still solved. With several lanes no trace is kept, and callbacks
// may be called from several threads at once.
perp_error perp_solve_batch(perp_solver *solver, const perp_problem *problems, int32_t count,
                            double *const *x, perp_result *results);

typedef struct perp_brief {        // a result in 40 bytes; a perp_result takes more than 1000
  perp_status status;
  perp_error error;                // not PERP_OK: the problem was refused, status is UNSOLVED, and
                                   //   x is unchanged
  int32_t iterations;              // from here to natural_residual: as in perp_result and its
  int32_t worst;                   //   certificate
  const perp_method *method;
  double residual;
  double natural_residual;
} perp_brief;

// perp_solve_batch with a brief for each problem: the same x and status, and no memory that grows
// with count. To get the message of one problem, call perp_solve with this solver and the original
// guess.
perp_error perp_solve_batch_brief(perp_solver *solver, const perp_problem *problems, int32_t count,
                                  double *const *x, perp_brief *briefs);

#ifdef __cplusplus
}
#endif
#endif
