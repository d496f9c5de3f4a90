// contact_problem.h: the contact LCP E13 (27) as contacts instead of rows, for the friction
// methods.
#ifndef PERP_CONTACT_PROBLEM_H
#define PERP_CONTACT_PROBLEM_H

#include "contacts.h"
#include "run.h"

// Residual below which the states of the contacts are tried, which takes a factorisation. If they
// are always tried, 2.1 times the work; if never, convex_friction takes up to 8 times the work.
#define STATES_RESIDUAL_MAX 1e-3

typedef struct contact_problem {
  perp_csc A, T;            // the entries of A, and of A'
  contacts c;
  double *v;                // n: B l + b on normal and tangential rows: velocities without slacks
  const perp_allocator *allocator;
} contact_problem;

// 1: success; 0: A does not have this pattern, or x has bounds other than 0 <= x, and the run has
// been stopped. Always call contact_problem_end afterwards.
int contact_problem_begin(contact_problem *p, perp_run *run);
void contact_problem_end(contact_problem *p);

void contact_velocities(contact_problem *p, const perp_run *run);   // computes v at run->x
// v += d times column j of B
void contact_push(contact_problem *p, int32_t j, double d);
// The residual of (27) at run->x, with y from v and the slacks.
double contact_residual(const contact_problem *p, const perp_run *run, double *y);
// max(0, -min v_t): the smallest slack that satisfies the tangential rows of contact k.
double contact_slack(const contact_problem *p, int32_t k);

#endif
