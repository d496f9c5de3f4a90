// contact_newton.c: the faces of all contacts of E13 (27), found by sweeps, interior points and
// proximal steps.
//
//   1. where the guess is good or a factor dear, and wherever a point is near a solution:
//      accelerated sweeps, which are each contact's own problem in turn and Anderson's mixing of
//      the last few; then proximal steps: (27) with sigma size (l - centre) added to the
//      velocities, from the last l as the centre, by Newton's method: the faces that the contacts
//      want, and the linear system of these faces (contact_faces.c). Contacts that do not settle
//      are solved for among themselves, with the others on their faces. sigma falls as long as
//      this works; for sigma -> 0 the limit solves (27);
//   with a time limit some of these sweeps come before all else, and their x is remembered;
//   2. else the central path of (27) from far away to its end (contact_path.c), and where it leads
//      nowhere, two more of them. Once faces show, they give all digits at once.
//
// Where piles stand, contacts are redundant and (27) has many solutions next to others that almost
// are: sweeps then need 10^5 passes, and Newton's method on faces cycles far from a solution.
// Anderson 1965; Rockafellar 1976 for monotone problems. (27) is not monotone: no proof.
// Cost: a sweep takes 100 operations a contact; a system, or a step along a path, a factor with a
// 6 x 6 block for a body and not many more than one for a contact.
#include <math.h>
#include <string.h>

#include "contact_faces.h"
#include "contact_path.h"
#include "vector.h"

enum {
  SWEEPS = 150,            // accelerated ones
  FIRST_SWEEPS = 30,       // of them with a time limit, before anything else: heaps then are at 1e-2
  MIXED = 5,               // sweeps that are mixed
  PATHS = 3,               // of interior points
  POINTS = 400,            // steps along each
  IDLE = 30,               // of them that do not halve a residual that is close to 0
  SYSTEMS = 250,           // that are solved at most, from the best point and from none
  FEW_SYSTEMS = 20,        // from the guess, and from the end of each path
  ROUNDS = 12,             // Newton steps of a proximal one
  FEW = 6,                 // of them where sigma may fall
  TRIES = 8,               // subproblems of a Newton step
  SMOOTHED = 5,            // sweeps where a step brought little
  TRIALS = 14,             // of a line search
  PATIENCE = 60            // proximal steps without a better residual
};
#define ASIDE 0.03         // of a time limit that those may take
#define GUESSED 1e-3       // look.worst of a guess that may be near a solution
#define DEAR 1e4           // operations a contact of a factor that is worth many sweeps
#define NEARBY 3e-5        // residual of an interior point that may be
#define CLEAR 1e-5         // of one that shows the faces
#define CLOSE 1e-6         // of one whose last digits sweeps will find
#define SIGMA_FIRST 1e-3
#define SIGMA_LEAST 1e-6
#define RISE 3.0           // of sigma where Newton's method fails
#define FALL 0.3           // where it does not
#define SMALL_DENSE_FALL 0.05    // where no face has changed
#define SHORTER 0.6        // in a line search
#define SHORT 0.05         // steps below it fail where many faces are wrong
#define LARGEST 50e6       // entries of a factor: beyond, there are sweeps only

typedef struct newton {
  contact_bodies s;
  contact_faces f;
  contact_path path;
  perp_run *run;
  double *x, *y;                          // n
  double *from, *to, *target, *last;      // 3 contacts
  double *saved;
  double *F, *Z, *f0, *z0;                // MIXED x 3 contacts, and of the last sweep
  int32_t *wanted, *kept, *before;        // contacts
  double goal;                            // look.worst at which (27) may be solved
  double best;                            // residual of run->x
  int32_t systems;
} newton;

static int take(newton *t) {
  perp_run *run = t->run;
  const size_t n = (size_t)t->s.count, three = 3*n;
  t->x = run_allocate(run, (2*(size_t)run->n + (7 + 2*MIXED)*three)*sizeof *t->x);
  t->wanted = run_allocate(run, 3*n*sizeof *t->wanted);
  if (t->x == NULL || t->wanted == NULL) return 0;
  double *next = t->x + 2*(size_t)run->n;
  double **const vectors[] = {&t->from, &t->to, &t->target, &t->last, &t->saved, &t->f0,
                              &t->z0};
  t->y = t->x + run->n;
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++, next += three) *vectors[k] = next;
  t->F = next;
  t->Z = next + MIXED*three;
  t->kept = t->wanted + n;
  t->before = t->kept + n;
  return 1;
}

static size_t bytes_of_l(const newton *t) { return 3*(size_t)t->s.count*sizeof(double); }
static size_t bytes_of_faces(const newton *t) { return (size_t)t->s.count*sizeof(int32_t); }

// run->x becomes t->x if that is better. 1: the run has ended.
static int take_x(newton *t, double residual) {
  perp_run *run = t->run;
  if (!(residual < t->best)) return 0;
  t->best = run->residual = residual;
  memcpy(run->x, t->x, (size_t)run->n*sizeof *run->x);
  return residual <= 2.0*run->options->tol && run_check(run);
}

static int offer(newton *t) {   // the same for l
  contact_bodies_write(&t->s, t->x);
  return run_apply(t->run, t->x, t->y) != 0 || take_x(t, run_residual(t->run, t->x, t->y));
}

// Faces that are right give all digits at once; those that are not leave l as it is.
static void polish(newton *t) {
  contact_bodies *s = &t->s;
  if (t->f.factor == NULL || (double)block_lu_nonzeros(t->f.factor) > LARGEST) return;
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

// The same where look.worst has reached the goal; it moves on if the certificate wants more.
static int offer_goal(newton *t) {
  polish(t);
  if (offer(t)) return 1;
  t->goal = max2(0.1*t->goal, 1e-14);
  return 0;
}

// ---- sweeps ----

static void mix(newton *t, int32_t have) {
  contact_bodies *s = &t->s;
  const int32_t m = have < MIXED ? have : MIXED, n = 3*s->count;
  double A[MIXED][MIXED + 1], trace = 0.0;
  for (int32_t i = 0; i < m; i++) {
    const double *Fi = t->F + (size_t)i*(size_t)n;
    for (int32_t j = 0; j <= i; j++) A[i][j] = A[j][i] = dot(n, Fi, t->F + (size_t)j*(size_t)n);
    A[i][m] = dot(n, Fi, t->f0);
    trace += A[i][i];
  }
  if (!(trace > 0.0)) return;
  for (int32_t i = 0; i < m; i++) A[i][i] += 1e-10*trace;   // positive definite: no pivoting
  for (int32_t i = 0; i < m; i++)
    for (int32_t r = 0; r < m; r++) {
      const double factor = r == i ? 0.0 : A[r][i]/A[i][i];
      for (int32_t j = i; j <= m && factor != 0.0; j++) A[r][j] -= factor*A[i][j];
    }
  for (int32_t i = 0; i < m; i++) {
    const double weight = A[i][m]/A[i][i], *Zi = t->Z + (size_t)i*(size_t)n;
    for (int32_t j = 0; j < n; j++) s->l[j] -= weight*Zi[j];
  }
  contact_bodies_refresh(s);
}

// l becomes that of the shortest step, and a plain sweep follows: a mixed l need not be in the
// cones
static void end_sweeps(newton *t, double best) {
  contact_bodies *s = &t->s;
  if (best < (double)INFINITY) memcpy(s->l, t->to, bytes_of_l(t));
  contact_bodies_refresh(s);
  contact_bodies_sweep(s);
}

// Up to so many accelerated sweeps. `until`: seconds left at which they end without being counted
// as iterations, and nothing is offered; < 0: they are. 1: the run has ended.
static int sweeps(newton *t, int32_t most, double until) {
  contact_bodies *s = &t->s;
  const int32_t n = 3*s->count;
  const int aside = until >= 0.0;
  int32_t have = 0;
  double size = (double)INFINITY, best = (double)INFINITY;
  memset(t->f0, 0, bytes_of_l(t));
  memset(t->z0, 0, bytes_of_l(t));
  for (int32_t k = 0; k < most; k++) {
    if (aside && run_seconds_left(t->run) <= until) break;
    if (!aside && !run_continue(t->run)) {
      if (run_seconds_left(t->run) < (double)INFINITY && t->run->reason == PERP_STATUS_TIME_LIMIT) {
        end_sweeps(t, best);
        offer(t);
        run_keep(t->run);
      }
      return 1;
    }
    memcpy(t->from, s->l, bytes_of_l(t));
    const double worst = contact_bodies_sweep(s), before = size;
    if (worst < t->goal && aside) break;
    if (worst < t->goal && offer_goal(t)) return 1;
    size = 0.0;
    for (int32_t i = 0; i < n; i++) {
      const double d = (s->l[i] - t->from[i])*(s->contact[i/3].size/s->speed);
      const size_t at = (size_t)(have%MIXED)*(size_t)n + (size_t)i;
      t->F[at] = d - t->f0[i];
      t->Z[at] = s->l[i] - t->z0[i];
      t->f0[i] = d;
      t->z0[i] = s->l[i];
      size += d*d;
    }
    size = sqrt(size);
    if (!(size < (double)INFINITY)) {   // back to the best, or to nothing
      if (best < (double)INFINITY) memcpy(s->l, t->to, bytes_of_l(t));
      else memset(s->l, 0, bytes_of_l(t));
      contact_bodies_refresh(s);
      have = 0;
      continue;
    }
    if (size < best) {
      best = size;
      memcpy(t->to, s->l, bytes_of_l(t));
    }
    if (size > 2.0*before && have > 0) {   // mixing went astray: begin anew
      have = 0;
      if (size > 10.0*best) {
        memcpy(s->l, t->to, bytes_of_l(t));
        contact_bodies_refresh(s);
      }
      continue;
    }
    if (k > 0) mix(t, ++have);
  }
  end_sweeps(t, best);
  return aside ? 0 : offer(t);
}

static int sweep(newton *t) { return sweeps(t, SWEEPS, -1.0); }

// With a time limit: a few sweeps from the guess, for something of use should the time end early.
// What follows begins at the guess, as without a limit.
static int sweep_aside(newton *t) {
  contact_bodies *s = &t->s;
  perp_run *run = t->run;
  const double left = run_seconds_left(run);
  if (!(left < (double)INFINITY)) return 0;
  memcpy(t->saved, s->l, bytes_of_l(t));
  memcpy(t->kept, s->face, bytes_of_faces(t));
  sweeps(t, FIRST_SWEEPS, (1.0 - ASIDE)*left);
  contact_bodies_write(s, t->x);
  if (run_apply(run, t->x, t->y) != 0) return 1;
  run_remember(run, t->x, run_residual(run, t->x, t->y));
  memcpy(s->l, t->saved, bytes_of_l(t));
  memcpy(s->face, t->kept, bytes_of_faces(t));
  contact_bodies_refresh(s);
  return 0;
}

// Nothing but sweeps from the guess, until the time is over.
static void sweep_on(newton *t) {
  while (!sweep(t)) {}
}

// ---- interior points ----

// 1: the run has ended; 0: l is the best point that was seen, and *best its residual.
static int points(newton *t, int32_t path, double *best) {
  contact_bodies *s = &t->s;
  double polished = CLEAR;
  int32_t idle = 0;
  *best = (double)INFINITY;
  memcpy(t->to, s->l, bytes_of_l(t));
  contact_path_start(&t->path, s, path);
  for (int32_t k = 0; k < POINTS && !(*best < CLOSE && idle > IDLE); k++, idle++) {
    if (!run_continue(t->run)) return 1;
    if (!contact_path_step(&t->path, s, t->f.factor, t->run)) break;
    contact_interior_write(&t->path.p, s, t->x);
    if (run_apply(t->run, t->x, t->y) != 0) return 1;
    const double residual = run_residual(t->run, t->x, t->y);
    if (take_x(t, residual)) return 1;
    if (residual < *best) {
      if (residual < 0.5*(*best)) idle = 0;
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

// The contacts that want other faces at the Newton point are solved for among themselves, and those
// that want others then join them. 1: solved; 0: not; wrong: how many there were at first.
static int settle(newton *t, int32_t *wrong) {
  contact_bodies *s = &t->s;
  int32_t chosen[FACES_MOST], count = 0;
  contact_look look = contact_bodies_look(s, t->wanted, NULL);
  *wrong = look.wrong;
  for (int tries = 0; tries < TRIES && !(look.worst < t->goal); tries++) {
    int32_t fresh = 0;
    for (int32_t k = 0; k < s->count; k++) {
      if (t->wanted[k] == s->face[k]) continue;
      int in = 0;
      for (int32_t j = 0; j < count; j++) in |= chosen[j] == k;
      if (in) continue;
      if (count == FACES_MOST) return 0;
      chosen[count++] = k;
      fresh++;
    }
    if (fresh == 0 || run_out_of_time(t->run)) return 0;
    t->systems++;
    if (!contact_faces_choose(&t->f, s, t->run, chosen, count)) return 0;
    if (!(system_of_faces(t, 2) < (double)INFINITY)) return 0;
    look = contact_bodies_look(s, t->wanted, NULL);
  }
  return look.worst < t->goal;
}

// From `from` towards `to` as far as it helps; returns how far.
static double search(newton *t, double merit, double *reached) {
  contact_bodies *s = &t->s;
  double best = 0.0, length = 1.0;
  *reached = merit;
  for (int k = 0; k < TRIALS; k++, length *= SHORTER) {
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
  for (int32_t i = 0; i < 3*s->count; i++)   // `to` need not be finite
    s->l[i] = best > 0.0 ? t->from[i] + best*(t->to[i] - t->from[i]) : t->from[i];
  contact_bodies_refresh(s);
  return best;
}

// 1: solved; 0: not; -1: the run has ended. rounds: systems that it took.
static int proximal(newton *t, int32_t *rounds) {
  contact_bodies *s = &t->s;
  const int32_t before = t->systems;
  int solved = 0;
  for (int k = 0; k < 2; k++) contact_bodies_sweep(s);
  while (!solved && t->systems - before < ROUNDS) {
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
    int32_t wrong = 0;
    solved = left < (double)INFINITY && settle(t, &wrong);
    if (solved) break;
    memcpy(s->face, t->kept, bytes_of_faces(t));
    double merit;
    const double length = search(t, look.merit, &merit);
    if (length < SHORT && wrong > FACES_MOST) break;
    if (!(merit < 0.9*look.merit))
      for (int k = 0; k < SMOOTHED; k++) contact_bodies_sweep(s);
  }
  *rounds = t->systems - before;
  return solved;
}

// The next centre lies ahead of l (Gueler 1992), unless the last one lay too far ahead.
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

static void begin_at(newton *t) {   // the centre where l is
  memcpy(t->s.centre, t->s.l, bytes_of_l(t));
  memcpy(t->last, t->s.l, bytes_of_l(t));
}

// 1: the run has ended; 0: it brought nothing.
static int iterate(newton *t, int32_t systems) {
  contact_bodies *s = &t->s;
  perp_run *run = t->run;
  double sigma = SIGMA_FIRST, best = (double)INFINITY;
  int ahead = 0, idle = 0;
  begin_at(t);
  const int32_t most = t->systems + systems;
  while (t->systems < most && idle < PATIENCE) {
    int32_t rounds = 0;
    memcpy(t->before, s->face, bytes_of_faces(t));
    contact_bodies_sigma(s, sigma);
    const int solved = proximal(t, &rounds);
    run->regularization = sigma;
    contact_bodies_sigma(s, 0.0);
    if (solved < 0) return 1;
    if (!solved) {
      sigma = min2(RISE*sigma, 1.0);
      contact_bodies_refresh(s);
      begin_at(t);
      ahead = 0;
      idle++;
      continue;
    }
    const int same = memcmp(t->before, s->face, bytes_of_faces(t)) == 0;
    const contact_look look = contact_bodies_look(s, t->wanted, NULL);
    if (look.worst < t->goal && offer_goal(t)) return 1;
    if (look.worst < 0.3*best) {
      best = look.worst;
      idle = 0;
      if (offer(t)) return 1;
    }
    idle++;
    look_ahead(t, &ahead);
    if (rounds <= FEW) sigma = max2(sigma*(same ? SMALL_DENSE_FALL : FALL), SIGMA_LEAST);
  }
  return 0;
}

// Sweeps from l, then systems. 1: the run has ended.
static int search_near(newton *t, int32_t systems) {
  return sweep(t) || iterate(t, systems);
}

// From the guess, along paths, and from no impulses. 1: the run has ended.
static int search_all(newton *t) {
  contact_bodies *s = &t->s;
  if (!contact_faces_begin(&t->f, s, t->run)) return 1;
  if ((double)block_lu_nonzeros(t->f.factor) > LARGEST) return sweep(t);
  if (!contact_path_begin(&t->path, s, t->run)) return 1;
  const contact_look look = contact_bodies_look(s, t->wanted, NULL);
  const int dear = block_lu_operations(t->f.factor) > DEAR*s->count;
  if ((look.worst < GUESSED || dear) && search_near(t, FEW_SYSTEMS)) return 1;
  for (int32_t path = 0; path < PATHS; path++) {
    double best;
    if (points(t, path, &best)) return 1;
    if (best < NEARBY && search_near(t, FEW_SYSTEMS)) return 1;
  }
  if (iterate(t, SYSTEMS)) return 1;
  memset(s->l, 0, bytes_of_l(t));
  contact_bodies_refresh(s);
  return search_near(t, SYSTEMS);
}

static void run_contact_newton(perp_run *run) {
  newton t = {.run = run, .best = run->residual, .goal = 0.3*run->options->tol};
  if (!contact_bodies_begin(&t.s, run) || !take(&t)) return;
  if (run->only_sweeps) {
    sweep_on(&t);
    return;
  }
  if (sweep_aside(&t)) return;
  if (!search_all(&t))
    run_stop(run, PERP_STATUS_STALLED, "%s found no solution with %d systems of faces and %d paths",
             run->method->name, t.systems, PATHS);
  contact_faces_end(&t.f);
}

const perp_method method_contact_newton = {
  .name = "contact_newton",
  .title = "central path and Newton's method on the faces of friction cones",
  .source = "Alart, Curnier 1991; Rockafellar 1976; Anderson 1965",
  .formula = "faces of contacts by sweeps or along the central path; then R v + sigma (l - centre) "
             "= 0 on them, sigma -> 0",
  .converges = "no proof with friction; in practice piles of hundreds of bodies",
  .cost = "100 operations a contact for a sweep; 6 x 6 blocks on the graph of bodies for a system",
  .advice = "It is for contact operators and a good guess. Where it stalls use auto, which goes on "
            "with lemke.",
  .needs = PERP_NEEDS_CONTACTS | PERP_NEEDS_BODIES,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME,
  .run = run_contact_newton,
  .iteration = "Newton",
};
