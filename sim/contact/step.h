// step.h: the parts of a step.
#ifndef PERP_CONTACT_STEP_H
#define PERP_CONTACT_STEP_H

#include "island_problem.h"

// ---- stages: step.c has their order ----
void island_wake_pushed(perp_world *w);                   // island.c
perp_error island_sleep(perp_world *w);
perp_error velocities_force(perp_world *w);               // velocities.c: u* and b
perp_error velocities_hit(perp_world *w);                 // u+
perp_error report_room(perp_world *w);                    // report.c: for the touches of a step
perp_error report_solves(perp_world *w);
perp_error report_end(perp_world *w);
void report_measure(const perp_world *w, perp_world_report *r);   // energy, momentum, overlap

// ---- what they use ----
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
// bounce.c: the speeds after bounces in the island, reduced where they are impossible
perp_error bounce_limit(const perp_world *w, worker *by, island *s, double end);
int bounce_any(const perp_world *w, const island *s);
void bounce_none(const perp_world *w, const island *s);   // rows as without restitution
// limit_energy.c: the factor for the impulses of an x that is not certified
double limit_energy(const perp_world *w, const island *s, const double *x);
#define PROJECT_COMPLIANCE 0.01   // compliance of projected contacts, relative to their diagonal
// project.c: removes the overlaps of the current contacts, and adds at most `budget` of energy. 1:
// bodies have moved
int world_project(perp_world *w, double *budget, double deadline);
double project_deepest(const perp_world *w);   // overlap beyond what is left alone, >= 0

// The search for the impulses of an island.
typedef struct trial {
  perp_world *w;
  worker *by;
  island *s;
  assembled *a;               // the problem, and the x of the current attempt or of the best one
  double end;                 // end of its time, on the world's clock
  solve_kind kind;
  perp_result tried, best;    // of the current attempt; of the one whose x is kept
  int answered;               // 0: the current attempt has no answer
  int from;                   // the perp_attempt that gave `best`; -1: none yet
} trial;

perp_error attempts_run(trial *t);   // attempts.c: a->x and best, one attempt after the other
// model.c: assembles the problem of the world's model for contacts in l. 0: no memory
int model_assemble(const perp_world *w, worker *by, const contact_list *l, const island *s,
                   assembled *out);
perp_error model_solve(trial *t);          // assembles it and solves it, from the warm start
perp_error model_solve_once(trial *t);     // solves the assembled problem from a->x, without rounds
void model_set_bounds(const trial *t);     // of boxed friction, by a->x
// Solves an auxiliary normal problem, starting from a->x, and counts it in s. *found: it is solved
perp_error model_solve_own(const perp_world *w, worker *by, island *s, assembled *a, double end,
                           int *found);
int sweep_applies(const trial *t);         // sweep.c: passes of Gauss-Seidel
perp_error sweep_try(trial *t);
perp_error no_impulses_try(trial *t);      // no_impulses.c: answers if no impulses are large enough

#endif
