// step.h: the parts of a step.
#ifndef PERP_CONTACT_STEP_H
#define PERP_CONTACT_STEP_H

#include "problem.h"

double world_clock(const perp_world *w);
perp_error world_solve(perp_world *w, double deadline);   // solve.c: x of all islands
// the problem of the model's, for contacts in l
int problem_of(const perp_world *w, worker *by, const contact_list *l, const island *s,
               assembled *out);

#endif
