// contact_path.c: follows the central path of E13 (27) to its end and around its turns.
//
// For each c > 0 the interior points (contact_interior.c) with a z = c and ln zn = K c form a path
// that begins at large impulses and ends, for c -> 0, at a solution. While the path is straight,
// the steps are Mehrotra's. But (27) is not monotone, so c need not always fall along the path.
// Where it turns, the determinant of Newton's equations changes its sign, and steps towards smaller
// c become short. Then the path is followed by its length. With the changes D(c) = A + c T,
//     correction   D(c), with the c that makes it shortest: across the path, not along it;
//     prediction   along T, with c falling where the determinant is positive and growing where it
//                  is negative,
// until c is below its value at the turn. Lengths are measured in a'(z/a) a + z'(a/z) z. Mehrotra
// 1992; Allgower, Georg: Numerical continuation methods (1990). There is no proof that the path
// ends. A straight path of 100 bodies takes 15 to 30 steps. Cost per step: one factor of the body
// graph and two solves.
#include "contact_path.h"

#include <math.h>
#include <string.h>

#include "random.h"
#include "vector.h"

// After each semicolon: what another value does. "Spheres" are 80 to 120 spheres in a hollow
// sphere, for 250 steps; 1 to 6 of these steps stay unsolved if turns are not followed.
enum {
  SHORT_STEPS_MAX = 2,  // short steps in a row that mean a turn; 1: heavy boxes take 9 times the work
  CORRECTIONS_MAX = 4   // corrections before a prediction is undone; twice as many: the path is lost
};
#define BOUNDARY_FRACTION 0.995     // part of the way to the boundary; 1: card houses take 1.1 times
                                    //   the work
#define TURN_BOUNDARY_FRACTION 0.9  // the same in a turn; 0.995: a pile of spheres stays unsolved
#define SHORT_STEP_MAX 0.1          // length of a short step; 1: three scenes stay unsolved
#define KEEP_STEP_MIN 0.5           // step length above which the start is near the path, and kept
#define NEAR_CHANGE_MAX 1.0         // relative change by a correction near the path
#define STRIDE_MAX 3.0              // relative change by a prediction, at most; none: spheres stay
                                    //   unsolved
#define STRIDE_REDUCTION 0.3        // factor on the stride after an undone prediction; 0.5: spheres
                                    //   stay unsolved

static size_t bytes_of_state(const contact_interior *p) {
  return POINT_PARTS(p->K)*(size_t)p->count*sizeof(double);
}

static size_t changes(const contact_interior *p) { return POINT_CHANGES(p->K)*(size_t)p->count; }

int contact_path_begin(contact_path *t, const contact_bodies *s, perp_run *run) {
  *t = (contact_path){0};
  if (!contact_interior_begin(&t->p, s, run)) return 0;
  t->affine = run_allocate(run, changes(&t->p)*sizeof *t->affine +
                                    PATH_POINTS_KEPT*bytes_of_state(&t->p));
  if (t->affine == NULL) return 0;
  t->kept = t->affine + changes(&t->p);
  return 1;
}

static double *kept(const contact_path *t, int32_t k) {
  return t->kept + (size_t)k*POINT_PARTS(t->p.K)*(size_t)t->p.count;
}

static void keep(contact_path *t) {   // replaces the oldest point if there is no room
  const size_t bytes = bytes_of_state(&t->p);
  if (t->count == PATH_POINTS_KEPT) {
    memmove(kept(t, 0), kept(t, 1), (PATH_POINTS_KEPT - 1)*bytes);
    t->count--;
  }
  memcpy(kept(t, t->count++), t->p.state, bytes);
}

static void take_back(contact_path *t, contact_bodies *s) {
  memcpy(t->p.state, kept(t, t->count - 1), bytes_of_state(&t->p));
  contact_interior_refresh(&t->p, s);
}

void contact_path_start(contact_path *t, contact_bodies *s, int32_t turn) {
  contact_interior *p = &t->p;
  random_stream draw = {.seed = (uint64_t)turn};
  for (int32_t c = 0; c < p->count; c++)
    p->weight[c] = turn == 0 ? 1.0 : exp(random_range(&draw, -1.0, 1.0));
  t->turning = 0;
  t->short_steps = 0;
  t->lowest = (double)INFINITY;
  t->count = 0;
  contact_interior_start(p, s);
  keep(t);
}

// ---- straight parts ----

static double straight(contact_path *t, contact_bodies *s, block_lu *factor) {
  contact_interior *p = &t->p;
  if (!contact_interior_direction(p, s, factor, 0.0, 0.0)) return 0.0;
  const double affine = min2(1.0, contact_interior_reach(p));
  const double ratio = clamp(contact_interior_leave(p, affine), 0.0, 1.0);
  const double sigma = max2(ratio*ratio*ratio, affine < SHORT_STEP_MAX ? 0.5 : 0.0);
  if (!contact_interior_direction(p, s, factor, sigma*p->mu,
                                  affine < SHORT_STEP_MAX ? 0.0 : 1.0)) return 0.0;
  return min2(1.0, BOUNDARY_FRACTION*contact_interior_reach(p));
}

// ---- turns ----

typedef struct tangent {
  double shortest;         // c/mu of the correction
  double across;           // its largest relative change
  double along;            // the largest relative change of T mu
} tangent;

// p->change: D(mu); t->affine: D(0)
static tangent look(const contact_path *t) {
  const contact_interior *p = &t->p;
  const double *a0 = t->affine, *z0 = a0 + p->corners, *n0 = z0 + p->corners;
  double TT = 0.0, AT = 0.0;
  tangent out = {0};
  for (int32_t i = 0; i < p->corners; i++) {
    const double Ta = p->da[i] - a0[i], Tz = p->dz[i] - z0[i], ratio = p->z[i]/p->a[i];
    TT += Ta*Ta*ratio + Tz*Tz/ratio;
    AT += Ta*a0[i]*ratio + Tz*z0[i]/ratio;
    out.along = max_or_nan(out.along, max2(fabs(Ta)/p->a[i], fabs(Tz)/p->z[i]));
  }
  for (int32_t c = 0; c < p->count; c++) {
    const double T = p->dzn[c] - n0[c], ratio = p->ln[c]/p->zn[c];
    TT += T*T*ratio;
    AT += T*n0[c]*ratio;
  }
  out.shortest = -AT/TT;
  for (int32_t i = 0; i < p->corners; i++) {
    const double da = a0[i] + out.shortest*(p->da[i] - a0[i]);
    const double dz = z0[i] + out.shortest*(p->dz[i] - z0[i]);
    out.across = max_or_nan(out.across, max2(fabs(da)/p->a[i], fabs(dz)/p->z[i]));
  }
  return out;
}

static double turn(contact_path *t, contact_bodies *s, block_lu *factor, int sign) {
  contact_interior *p = &t->p;
  if (!contact_interior_direction(p, s, factor, 0.0, 0.0)) return 0.0;
  memcpy(t->affine, p->change, changes(p)*sizeof *t->affine);
  if (!contact_interior_direction(p, s, factor, p->mu, 0.0)) return 0.0;
  const tangent now = look(t);
  double c = now.shortest;
  if (!(now.across < (double)INFINITY) || !(now.along > 0.0)) return 0.0;
  if (now.across < NEAR_CHANGE_MAX) {
    if (t->ahead && t->corrections <= CORRECTIONS_MAX/2) t->stride = min2(2.0*t->stride, STRIDE_MAX);
    t->corrections = 0;
    if (t->ahead) t->count--;
    t->ahead = 1;
    keep(t);
    c -= sign*t->stride/now.along;
  } else if (t->ahead && t->corrections >= CORRECTIONS_MAX) {
    t->stride *= STRIDE_REDUCTION;
    t->corrections = 0;
    return -1.0;
  } else if (++t->corrections > 2*CORRECTIONS_MAX) {   // try again from an earlier point
    t->corrections = 0;
    return --t->count > 0 ? -1.0 : 0.0;
  }
  for (size_t i = 0; i < changes(p); i++)
    p->change[i] = t->affine[i] + c*(p->change[i] - t->affine[i]);
  return min2(1.0, TURN_BOUNDARY_FRACTION*contact_interior_reach(p));
}

int contact_path_step(contact_path *t, contact_bodies *s, block_lu *factor, perp_run *run) {
  contact_interior *p = &t->p;
  const int sign = contact_interior_factor(p, s, factor, run);
  if (sign == 0) return 0;
  if (t->turning && sign > 0 && p->mu < t->lowest) t->turning = 0;
  if (!t->turning) t->lowest = min2(t->lowest, p->mu);
  const double length = t->turning ? turn(t, s, factor, sign) : straight(t, s, factor);
  if (length == 0.0 || length != length) return 0;
  if (length < 0.0) {
    take_back(t, s);
    return 1;
  }
  if (!t->turning && length > KEEP_STEP_MIN) keep(t);
  contact_interior_move(p, s, length);
  t->short_steps = !t->turning && length < SHORT_STEP_MAX ? t->short_steps + 1 : 0;
  if (t->short_steps < SHORT_STEPS_MAX) return 1;
  t->turning = 1;
  t->ahead = 0;
  t->corrections = 0;
  t->stride = NEAR_CHANGE_MAX;
  t->short_steps = 0;
  take_back(t, s);
  return 1;
}
