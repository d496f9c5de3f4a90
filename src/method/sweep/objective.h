// objective.h: phi(x) = x'A x/2 + b'x, stationary at solutions of symmetric problems.
#ifndef PERP_OBJECTIVE_H
#define PERP_OBJECTIVE_H

#include "run.h"

// phi(to) - phi(from), with y = A x + b at both. It subtracts no two large numbers, so its sign is
// right even if phi itself has lost it to rounding.
double objective_change(int32_t n, const double *from, const double *y_from, const double *to,
                        const double *y_to);
double objective(int32_t n, const double *b, const double *x, const double *y);

// The largest step up to `most` for which x + step d stays within the bounds.
double objective_room(const perp_run *run, const double *x, const double *d, double most);

#endif
