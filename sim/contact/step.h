// step.h: the parts of a step.
#ifndef PERP_CONTACT_STEP_H
#define PERP_CONTACT_STEP_H

#include "island_problem.h"

void world_start_clock(perp_world *w);                    // when a step begins
double world_clock(const perp_world *w);                  // seconds since then, >= 0 and finite
double left_until(const perp_world *w, double end);       // seconds; INFINITY: no end
perp_error world_solve(perp_world *w, double deadline);   // solve.c: x of all islands
// the certificate of a problem of the step, by the tolerances of the world
perp_error solve_judge(const perp_world *w, const assembled *a, perp_certificate *certificate);
// Solves one problem, starting from x, within `seconds`. SOLVE_TRACED: writes the trace to
// w->trace.
perp_error solve_problem(const perp_world *w, worker *by, const perp_problem *p, double *x,
                         double seconds, solve_kind kind, perp_result *r);
// Solves an auxiliary normal problem, starting from a->x, and counts it in s. *found: it is solved
perp_error solve_own(const perp_world *w, worker *by, island *s, assembled *a, double end,
                     int *found);
// bounce.c: the speeds after bounces in the island, reduced where they are impossible
perp_error bounce_limit(const perp_world *w, worker *by, island *s, double end);
int bounce_any(const perp_world *w, const island *s);
void bounce_none(const perp_world *w, const island *s);   // rows as without restitution
// sweep.c: passes of Gauss-Seidel on an x that is not certified. First sweep_begin(), which
// returns 0 without memory, once for an island that was assembled last.
int sweep_begin(const perp_world *w, worker *by, const island *s);
void sweep(const perp_world *w, const worker *by, const island *s, int passes, double *x);
// limit_energy.c: the factor for the impulses of an x that is not certified
double limit_energy(const perp_world *w, const island *s, const double *x);
// no_impulses.c: *jammed = 1 if no impulses are large enough; `a` then has the problem and x to
// use.
perp_error no_impulses_find(const perp_world *w, worker *by, island *s, assembled *a, double end,
                            perp_result *r, int *jammed);
#define PROJECT_COMPLIANCE 0.01   // compliance of projected contacts, relative to their diagonal
// project.c: removes the overlaps of the current contacts, and adds at most `budget` of energy. 1:
// bodies have moved
int world_project(perp_world *w, double *budget, double deadline);
double project_deepest(const perp_world *w);   // overlap beyond what is left alone, >= 0
// the problem of the model's, for contacts in l
int problem_of(const perp_world *w, worker *by, const contact_list *l, const island *s,
               assembled *out);

#endif
