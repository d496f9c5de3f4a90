// objective.h: phi(x) = x'A x/2 + b'x, stationary at solutions of symmetric problems.
#ifndef PERP_OBJECTIVE_H
#define PERP_OBJECTIVE_H

#include "run.h"

// phi(to) - phi(from), y = A x + b at either. No two large numbers are subtracted, so the sign is
// right where phi itself would have lost it.
double objective_change(int32_t n, const double *from, const double *y_from, const double *to,
                        const double *y_to);
double objective(int32_t n, const double *b, const double *x, const double *y);

// The largest step up to `most` for which x + step d stays within the bounds.
double objective_room(const perp_run *run, const double *x, const double *d, double most);

#endif
