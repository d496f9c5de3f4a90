// contact_newton.c: finds the faces of all contacts of E13 (27) by sweeps, a path and Newton steps.
//
//   1. From a good guess, and from every point near a solution: accelerated sweeps solve each
//      contact's own problem in turn, with Anderson's mixing of the last few sweeps
//      (contact_mixing.c). With many contacts they also start from a bad guess, and go on after
//      long steps along the direction in which they drift (contact_ray.c). Then proximal steps:
//      (27) with sigma size (l - centre) added to the velocities, around the last impulses l.
//      Newton's method solves each: it takes the faces that the contacts want and solves their linear
//      system (contact_faces.c). Contacts whose faces keep changing form a small problem of their
//      own. sigma falls while this works; the limit for sigma -> 0 solves (27).
//   2. Otherwise the central path of (27) from large impulses to its end (contact_path.c), and if it
//      leads nowhere, two more paths. Once an interior point shows the faces, one linear system gives
//      all digits.
//
// With a time limit a few sweeps come first, and their x is remembered. In piles contacts are
// redundant, and (27) has many solutions near points that almost solve it. There sweeps alone need
// 10^5 passes, and Newton's method on faces cycles far from a solution.
// Anderson 1965; Rockafellar 1976 for monotone problems. (27) is not monotone, so there is no proof
// of convergence. Cost: 200 operations per contact for a sweep with its mixing. A system, or a step
// along a path, takes a factor with a 6 x 6 block per body and about one per contact.
#include <math.h>
#include <string.h>

#include "contact_faces.h"
#include "contact_mixing.h"
#include "contact_path.h"
#include "contact_ray.h"
#include "vector.h"

// After each semicolon: what another value does.
enum {
  // Contacts up to which a factor is cheap. With more, sweeps and steps along their drift come first;
  // without that, 1000 spheres in a hopper take 15 times the time (perp run hopper --spheres 1000
  // --steps 150, as in the lines below).
  CHEAP_CONTACTS_MAX = 800,
  SWEEPS_MAX = 3000,      // accelerated sweeps in a row
  IDLE_SWEEPS_MAX = 60,   // of them, sweeps in which the change does not halve; 3000: 2.2 times
  IDLE_RAYS_MAX = 20,     // steps along the drift after which the least change does not halve; 1:
                          //   1.2 times
  PATHS_MAX = 3,          // paths of interior points; 1: 4 of 250 steps of 120 spheres stay unsolved
  PATH_STEPS_MAX = 400,   // steps along a path; 1: 11 times the work
  SYSTEMS_MAX = 250,      // systems solved from the best point, and again from 0; 1: one scene
                          //   is lost
  NEAR_SYSTEMS_MAX = 20,  // the same from the guess, from a path's end, and in a proximal step
  TRIALS_MAX = 14         // trials of a line search
};
#define FIRST_SWEEP_TIME_RATIO 0.03  // part of the time limit for the first sweeps
#define GUESS_ERROR_MAX 1e-3      // look.worst below which a guess is near a solution; larger: 7
                                  //   times the work
#define POLISH_RESIDUAL_MAX 1e-5  // residual below which faces are tried; smaller: 3 times the work
#define SIGMA_FIRST 1e-3          // relative to a contact's own response; smaller: 1.2 times the work
#define SIGMA_FALL 0.3            // factor on sigma after a success of Newton's method, and its
                                  //   inverse after a failure; 1: 1.15 times the work
#define FACTOR_ENTRIES_MAX 50e6   // entries of a factor; with more, there are only sweeps, which
                                  //   take up to 27 times the work on heavy boxes

typedef struct newton {
  contact_bodies s;
  contact_faces f;
  contact_path path;
  perp_run *run;
  double *x, *y;                          // n
  double *from, *to, *target, *last;      // 3 contacts
  double *saved;
  contact_mixing mixing;
  double change;                          // least change in one of the last sweeps
  int32_t *wanted, *kept, *before;        // contacts
  double goal;                            // look.worst below which (27) may be solved
  double best;                            // residual of run->x
  int32_t systems;
} newton;

static int take(newton *t) {
  perp_run *run = t->run;
  const size_t n = (size_t)t->s.count, three = 3*n;
  const size_t numbers = 2*(size_t)run->n + 5*three + contact_mixing_numbers(&t->s);
  t->x = run_allocate(run, numbers*sizeof *t->x);
  t->wanted = run_allocate(run, 3*n*sizeof *t->wanted);
  if (t->x == NULL || t->wanted == NULL) return 0;
  double *next = t->x + 2*(size_t)run->n;
  double **const vectors[] = {&t->from, &t->to, &t->target, &t->last, &t->saved};
  t->y = t->x + run->n;
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++, next += three) *vectors[k] = next;
  contact_mixing_begin(&t->mixing, &t->s, next);
  t->kept = t->wanted + n;
  t->before = t->kept + n;
  return 1;
}

static size_t bytes_of_l(const newton *t) { return 3*(size_t)t->s.count*sizeof(double); }
static size_t bytes_of_faces(const newton *t) { return (size_t)t->s.count*sizeof(int32_t); }

// Copies t->x to run->x if it is better. 1: the run has ended.
static int take_x(newton *t, double residual) {
  perp_run *run = t->run;
  if (!(residual < t->best)) return 0;
  t->best = run->residual = residual;
  memcpy(run->x, t->x, (size_t)run->n*sizeof *run->x);
  return residual <= 2.0*run->options->tol && run_check(run);
}

static int offer(newton *t) {   // computes t->x from the impulses l and calls take_x()
  contact_bodies_write(&t->s, t->x);
  return run_apply(t->run, t->x, t->y) != 0 || take_x(t, run_residual(t->run, t->x, t->y));
}

// Solves the linear system of the wanted faces. If these are right, l is then accurate to all digits;
// otherwise l is unchanged.
static void polish(newton *t) {
  contact_bodies *s = &t->s;
  if (t->f.factor == NULL || (double)block_lu_nonzeros(t->f.factor) > FACTOR_ENTRIES_MAX) return;
  memcpy(t->saved, s->l, bytes_of_l(t));
  memcpy(t->before, s->face, bytes_of_faces(t));
  const contact_look look = contact_bodies_look(s, t->wanted, t->target);
  memcpy(s->face, t->wanted, bytes_of_faces(t));
  memcpy(s->l, t->target, bytes_of_l(t));
  contact_bodies_refresh(s);
  t->systems++;
  const double left = contact_faces_solve(&t->f, s, t->run, 3);
  if (left < t->goal && contact_bodies_look(s, t->wanted, NULL).worst < look.worst) return;
  memcpy(s->l, t->saved, bytes_of_l(t));
  memcpy(s->face, t->before, bytes_of_faces(t));
  contact_bodies_refresh(s);
}

// Polishes and submits l once look.worst has reached the goal. If it is refused, the goal falls. 1:
// the run has ended.
static int offer_goal(newton *t) {
  polish(t);
  if (offer(t)) return 1;
  t->goal = max2(0.1*t->goal, 1e-14);
  return 0;
}

// ---- sweeps ----

// Returns to the l of the sweep with the smallest change, and makes a plain sweep, because a mixed l
// may be outside the cones.
static void end_sweeps(newton *t, double best) {
  contact_bodies *s = &t->s;
  if (best < (double)INFINITY) memcpy(s->l, t->to, bytes_of_l(t));
  contact_bodies_refresh(s);
  contact_bodies_sweep(s);
}

// The end of a run inside of sweeps: the best l so far is the answer if the time is over.
static int give_up(newton *t, double best) {
  if (run_seconds_left(t->run) < (double)INFINITY && t->run->reason == PERP_STATUS_TIME_LIMIT) {
    end_sweeps(t, best);
    offer(t);
    run_keep(t->run);
  }
  return 1;
}

// Makes accelerated sweeps while their change keeps falling. If until >= 0, they end when `until`
// seconds remain, do not count as iterations, and submit nothing. 1: the run has ended.
static int sweeps(newton *t, double until) {
  contact_bodies *s = &t->s;
  const int uncounted = until >= 0.0;
  double size = (double)INFINITY, best = (double)INFINITY, halved = (double)INFINITY;
  int32_t halved_at = 0;
  contact_mixing_restart(&t->mixing);
  for (int32_t k = 0; k < SWEEPS_MAX && k - halved_at < IDLE_SWEEPS_MAX; k++) {
    if (uncounted && run_seconds_left(t->run) <= until) break;
    if (!uncounted && !run_continue(t->run)) return give_up(t, best);
    memcpy(t->from, s->l, bytes_of_l(t));
    const double worst = contact_bodies_sweep(s), before = size;
    if (worst < t->goal && uncounted) break;
    if (worst < t->goal && offer_goal(t)) return 1;
    size = contact_mixing_record(&t->mixing, s, t->from);
    const int finite = size < (double)INFINITY, failed = size > 2.0*before && k > 1;
    if (size < best) {
      best = size;
      memcpy(t->to, s->l, bytes_of_l(t));
    }
    if (size < 0.5*halved) {
      halved = size;
      halved_at = k;
    }
    if (finite && !failed) {
      contact_mixing_apply(&t->mixing, s);
      continue;
    }
    contact_mixing_restart(&t->mixing);
    if (finite && size <= 10.0*best) continue;
    if (best < (double)INFINITY) memcpy(s->l, t->to, bytes_of_l(t));
    else memset(s->l, 0, bytes_of_l(t));
    contact_bodies_refresh(s);
  }
  end_sweeps(t, best);
  t->change = best;
  return uncounted ? 0 : offer(t);
}

static int sweep(newton *t) { return sweeps(t, -1.0); }

// Sweeps, and steps along their drift until these gain nothing. 1: the run has ended.
static int sweep_and_step(newton *t) {
  double best = (double)INFINITY;
  for (int32_t idle = 0; idle < IDLE_RAYS_MAX; idle++) {
    if (sweep(t)) return 1;
    if (t->change < 0.5*best) {
      best = t->change;
      idle = 0;
    }
    if (!contact_ray_step(&t->s, t->run, t->from, t->target)) break;
  }
  return 0;
}

// With a time limit: makes a few sweeps from the guess and remembers their x, in case the time ends
// early. Then it returns to the guess, as without a limit.
static int first_sweeps(newton *t) {
  contact_bodies *s = &t->s;
  perp_run *run = t->run;
  const double left = run_seconds_left(run);
  if (!(left < (double)INFINITY)) return 0;
  memcpy(t->saved, s->l, bytes_of_l(t));
  memcpy(t->kept, s->face, bytes_of_faces(t));
  sweeps(t, (1.0 - FIRST_SWEEP_TIME_RATIO)*left);
  contact_bodies_write(s, t->x);
  if (run_apply(run, t->x, t->y) != 0) return 1;
  run_remember(run, t->x, run_residual(run, t->x, t->y));
  memcpy(s->l, t->saved, bytes_of_l(t));
  memcpy(s->face, t->kept, bytes_of_faces(t));
  contact_bodies_refresh(s);
  return 0;
}

// Sweeps from the guess until time is up.
static void sweep_until_end(newton *t) {
  while (!sweep(t)) {}
}

// ---- interior points ----

// Follows a path. 1: the run has ended; 0: l is the best point of the path, and *best its residual.
static int points(newton *t, int32_t path, double *best) {
  contact_bodies *s = &t->s;
  double polished = POLISH_RESIDUAL_MAX;
  *best = (double)INFINITY;
  memcpy(t->to, s->l, bytes_of_l(t));
  contact_path_start(&t->path, s, path);
  for (int32_t k = 0; k < PATH_STEPS_MAX; k++) {
    if (!run_continue(t->run)) return 1;
    if (!contact_path_step(&t->path, s, t->f.factor, t->run)) break;
    contact_interior_write(&t->path.p, s, t->x);
    if (run_apply(t->run, t->x, t->y) != 0) return 1;
    const double residual = run_residual(t->run, t->x, t->y);
    if (take_x(t, residual)) return 1;
    if (residual < *best) {
      *best = residual;
      memcpy(t->to, s->l, bytes_of_l(t));
    }
    if (residual < polished) {
      polished = 0.1*residual;
      polish(t);
      if (offer(t)) return 1;
      contact_interior_refresh(&t->path.p, s);
    }
  }
  memcpy(s->l, t->to, bytes_of_l(t));
  contact_bodies_refresh(s);
  return 0;
}

// ---- one proximal problem ----

static double system_of_faces(newton *t, int corrections) {
  t->systems++;
  return contact_faces_solve(&t->f, &t->s, t->run, corrections);
}

// Solves a subproblem of the contacts that want another face. Contacts that then want another face
// join it. 1: solved; 0: not.
static int settle(newton *t) {
  contact_bodies *s = &t->s;
  int32_t chosen[FACES_CONTACTS_MAX], count = 0;
  contact_look look = contact_bodies_look(s, t->wanted, NULL);
  while (!(look.worst < t->goal)) {
    int32_t added = 0;
    for (int32_t k = 0; k < s->count; k++) {
      if (t->wanted[k] == s->face[k]) continue;
      int in = 0;
      for (int32_t j = 0; j < count; j++) in |= chosen[j] == k;
      if (in) continue;
      if (count == FACES_CONTACTS_MAX) return 0;
      chosen[count++] = k;
      added++;
    }
    if (added == 0 || run_out_of_time(t->run)) return 0;
    t->systems++;
    if (!contact_faces_choose(&t->f, s, t->run, chosen, count)) return 0;
    if (!(system_of_faces(t, 2) < (double)INFINITY)) return 0;
    look = contact_bodies_look(s, t->wanted, NULL);
  }
  return 1;
}

// Searches from `from` towards `to` for the least merit.
static void search(newton *t, double merit, double *reached) {
  contact_bodies *s = &t->s;
  double best = 0.0, length = 1.0;
  *reached = merit;
  for (int k = 0; k < TRIALS_MAX; k++, length *= 0.5) {
    for (int32_t i = 0; i < 3*s->count; i++)
      s->l[i] = t->from[i] + length*(t->to[i] - t->from[i]);
    contact_bodies_refresh(s);
    const contact_look look = contact_bodies_look(s, t->wanted, NULL);
    if (look.merit < *reached) {
      *reached = look.merit;
      best = length;
    } else if (best > 0.0) {
      break;
    }
  }
  for (int32_t i = 0; i < 3*s->count; i++)   // `to` may not be finite
    s->l[i] = best > 0.0 ? t->from[i] + best*(t->to[i] - t->from[i]) : t->from[i];
  contact_bodies_refresh(s);
}

// Solves one proximal problem. 1: solved; 0: not; -1: the run has ended.
static int proximal(newton *t) {
  contact_bodies *s = &t->s;
  const int32_t before = t->systems;
  int solved = 0;
  for (int k = 0; k < 2; k++) contact_bodies_sweep(s);
  while (!solved && t->systems - before < NEAR_SYSTEMS_MAX) {
    if (!run_continue(t->run)) return -1;
    memcpy(t->from, s->l, bytes_of_l(t));
    const contact_look look = contact_bodies_look(s, t->wanted, t->target);
    solved = look.worst < t->goal;
    if (solved) break;
    memcpy(s->face, t->wanted, bytes_of_faces(t));
    memcpy(s->l, t->target, bytes_of_l(t));
    contact_bodies_refresh(s);
    const double left = system_of_faces(t, 2);
    memcpy(t->to, s->l, bytes_of_l(t));
    memcpy(t->kept, s->face, bytes_of_faces(t));
    solved = left < (double)INFINITY && settle(t);
    if (solved) break;
    memcpy(s->face, t->kept, bytes_of_faces(t));
    double merit;
    search(t, look.merit, &merit);
    for (int k = 0; k < 2 && !(merit < 0.9*look.merit); k++) contact_bodies_sweep(s);
  }
  return solved;
}

// Places the next centre ahead of l (Gueler 1992), unless the last one was too far ahead.
static void look_ahead(newton *t, int *ahead) {
  contact_bodies *s = &t->s;
  double turned = 0.0;
  for (int32_t i = 0; i < 3*s->count; i++) {
    const double unit = s->contact[i/3].size;
    turned += unit*unit*(s->centre[i] - s->l[i])*(s->l[i] - t->last[i]);
  }
  *ahead = turned > 0.0 ? 0 : *ahead + 1;
  const double weight = *ahead/(*ahead + 3.0);
  for (int32_t i = 0; i < 3*s->count; i++) {
    s->centre[i] = s->l[i] + weight*(s->l[i] - t->last[i]);
    t->last[i] = s->l[i];
  }
}

static void begin_at(newton *t) {   // puts the centre at l
  memcpy(t->s.centre, t->s.l, bytes_of_l(t));
  memcpy(t->last, t->s.l, bytes_of_l(t));
}

// Proximal steps. 1: the run has ended; 0: no solution found.
static int iterate(newton *t, int32_t systems) {
  contact_bodies *s = &t->s;
  perp_run *run = t->run;
  double sigma = SIGMA_FIRST, best = (double)INFINITY;
  int ahead = 0;
  begin_at(t);
  const int32_t most = t->systems + systems;
  while (t->systems < most) {
    contact_bodies_sigma(s, sigma);
    const int solved = proximal(t);
    run->regularization = sigma;
    contact_bodies_sigma(s, 0.0);
    if (solved < 0) return 1;
    if (!solved) {
      sigma = min2(sigma/SIGMA_FALL, 1.0);
      contact_bodies_refresh(s);
      begin_at(t);
      ahead = 0;
      continue;
    }
    const contact_look look = contact_bodies_look(s, t->wanted, NULL);
    if (look.worst < t->goal && offer_goal(t)) return 1;
    if (look.worst < 0.3*best) {
      best = look.worst;
      if (offer(t)) return 1;
    }
    look_ahead(t, &ahead);
    sigma = max2(SIGMA_FALL*sigma, SIGMA_MIN);
  }
  return 0;
}

// Sweeps from l, then systems. 1: the run has ended.
static int search_near(newton *t, int32_t systems) {
  return sweep(t) || iterate(t, systems);
}

// 1: l is near a solution.
static int is_near(newton *t) {
  return contact_bodies_look(&t->s, t->wanted, NULL).worst < GUESS_ERROR_MAX;
}

// From the guess, along paths, and from no impulses. 1: the run has ended.
static int search_all(newton *t) {
  contact_bodies *s = &t->s;
  int near = is_near(t);
  const int many = s->count > CHEAP_CONTACTS_MAX;
  if (many && sweep_and_step(t)) return 1;
  if (!contact_faces_begin(&t->f, s, t->run)) return 1;
  if (near && !many && sweep(t)) return 1;
  if ((double)block_lu_nonzeros(t->f.factor) > FACTOR_ENTRIES_MAX) return 0;
  if (!contact_path_begin(&t->path, s, t->run)) return 1;
  near |= many && is_near(t);
  if (near && iterate(t, NEAR_SYSTEMS_MAX)) return 1;
  for (int32_t path = 0; path < PATHS_MAX; path++) {
    double best;
    if (points(t, path, &best)) return 1;
    if (best < POLISH_RESIDUAL_MAX && search_near(t, NEAR_SYSTEMS_MAX)) return 1;
  }
  if (iterate(t, SYSTEMS_MAX)) return 1;
  memset(s->l, 0, bytes_of_l(t));
  contact_bodies_refresh(s);
  return search_near(t, SYSTEMS_MAX);
}

static void run_contact_newton(perp_run *run) {
  newton t = {.run = run, .best = run->residual, .goal = 0.3*run->options->tol};
  if (!contact_bodies_begin(&t.s, run) || !take(&t)) return;
  if (run->only_sweeps) {
    sweep_until_end(&t);
    return;
  }
  if (first_sweeps(&t)) return;
  if (!search_all(&t))
    run_stop(run, PERP_STATUS_STALLED, "%s found no solution with %d systems of faces and %d paths",
             run->method->name, t.systems, PATHS_MAX);
  contact_faces_end(&t.f);
}

const perp_method method_contact_newton = {
  .name = "contact_newton", .tier = PERP_TIER_CHOOSE,
  .use = "contacts with friction, by perp_from_contacts; x >= 0",
  .title = "central path and Newton's method on the faces of friction cones",
  .source = "Alart, Curnier 1991; Rockafellar 1976; Anderson 1965",
  .formula = "faces of contacts by sweeps or along the central path; then R v + sigma (l - centre) "
             "= 0 on them, sigma -> 0",
  .converges = "no proof with friction; in practice piles of hundreds of bodies",
  .cost = "200 operations a contact for a sweep; 6 x 6 blocks on the graph of bodies for a system",
  .advice = "Where it stalls use auto, which goes on with lemke.",
  .needs = PERP_NEEDS_CONTACTS | PERP_NEEDS_BODIES,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME,
  .run = run_contact_newton,
  .iteration = "Newton",
};
