// contact_path.c: the central path of E13 (27), followed to its end and around its turns.
//
// For each c > 0 the interior points (contact_interior.c) with a z = c and ln zn = K c make a path
// that begins at large impulses and ends, for c -> 0, at a solution. As long as it runs straight,
// the steps are Mehrotra's. (27) is not monotone, though: c need not fall along the path all the
// time. Where it turns, the determinant of Newton's equations changes its sign, and steps towards
// smaller c become short. Then the path is followed by its length: with the changes D(c) = A + c T,
//     correction   D(c), c chosen so that it is as short as can be: across the path, not along it;
//     prediction   along T, with c falling where the determinant is positive and growing where it
//                  is negative,
// until c is below what it was at the turn. Lengths are measured in a'(z/a) a + z'(a/z) z.
// Mehrotra 1992; Allgower, Georg: Numerical continuation methods (1990). No proof that the path
// ends; one of 100 bodies takes 15 to 30 steps where it is straight.
#include "contact_path.h"

#include <math.h>
#include <string.h>

#include "random.h"
#include "vector.h"

enum {
  JAMS = 2,                // short steps: the path turns
  CORRECTIONS = 4,         // before a prediction is taken back
  LOST = 8,                // before the path is
  RETURNS = 15,            // so often, at most
  STRAIGHTS = 100          // steps without a turn, at most
};
#define REACH 0.995        // of the way to the boundary
#define SAFE 0.9           // the same in a turn
#define SHORT 0.1          // steps below it are
#define LONG 0.5           // one above it began near the path
#define NEAR 1.0           // relative change by a correction that is near the path
#define FAR 30.0           // one that is too far off
#define STRIDE 1.0         // along the path: at first, ...
#define STRIDE_MOST 3.0    //   and at most
#define SHRINK 0.3         // where a prediction is taken back
#define STRAIGHT 0.3       // of the lowest mu: the turn is over

static size_t bytes_of_state(const contact_interior *p) {
  return POINT_PARTS(p->K)*(size_t)p->count*sizeof(double);
}

static size_t changes(const contact_interior *p) { return POINT_CHANGES(p->K)*(size_t)p->count; }

int contact_path_begin(contact_path *t, const contact_bodies *s, perp_run *run) {
  *t = (contact_path){0};
  if (!contact_interior_begin(&t->p, s, run)) return 0;
  t->affine = run_allocate(run, changes(&t->p)*sizeof *t->affine + PATH_KEPT*bytes_of_state(&t->p));
  if (t->affine == NULL) return 0;
  t->kept = t->affine + changes(&t->p);
  return 1;
}

static double *kept(const contact_path *t, int32_t k) {
  return t->kept + (size_t)k*POINT_PARTS(t->p.K)*(size_t)t->p.count;
}

static void keep(contact_path *t) {   // the oldest makes room
  const size_t bytes = bytes_of_state(&t->p);
  if (t->count == PATH_KEPT) {
    memmove(kept(t, 0), kept(t, 1), (PATH_KEPT - 1)*bytes);
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
  t->jams = t->returns = t->straights = 0;
  t->lowest = (double)INFINITY;
  t->count = 0;
  contact_interior_start(p, s);
  keep(t);
}

// ---- where it is straight ----

static double straight(contact_path *t, contact_bodies *s, block_lu *factor) {
  contact_interior *p = &t->p;
  if (!contact_interior_direction(p, s, factor, 0.0, 0.0)) return 0.0;
  const double affine = min2(1.0, contact_interior_reach(p));
  const double ratio = clamp(contact_interior_leave(p, affine), 0.0, 1.0);
  const double sigma = max2(ratio*ratio*ratio, affine < SHORT ? 0.5 : 0.0);
  if (!contact_interior_direction(p, s, factor, sigma*p->mu,
                                  affine < SHORT ? 0.0 : 1.0)) return 0.0;
  return min2(1.0, REACH*contact_interior_reach(p));
}

// ---- where it turns ----

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
  if (now.across < NEAR) {
    if (t->ahead && t->corrections <= CORRECTIONS/2) t->stride = min2(2.0*t->stride, STRIDE_MOST);
    t->corrections = 0;
    if (t->ahead) t->count--;
    t->ahead = 1;
    keep(t);
    c -= sign*t->stride/now.along;
  } else if (t->ahead && (t->corrections >= CORRECTIONS || now.across > FAR)) {
    t->stride *= SHRINK;
    t->corrections = 0;
    return ++t->returns <= RETURNS ? -1.0 : 0.0;
  } else if (++t->corrections > LOST) {   // from further back it may be found
    t->corrections = 0;
    return --t->count > 0 ? -1.0 : 0.0;
  }
  for (size_t i = 0; i < changes(p); i++)
    p->change[i] = t->affine[i] + c*(p->change[i] - t->affine[i]);
  return min2(1.0, SAFE*contact_interior_reach(p));
}

int contact_path_step(contact_path *t, contact_bodies *s, block_lu *factor, perp_run *run) {
  contact_interior *p = &t->p;
  const int sign = contact_interior_factor(p, s, factor, run);
  if (sign == 0) return 0;
  if (t->turning && sign > 0 && p->mu < STRAIGHT*t->lowest) t->turning = 0;
  if (!t->turning) t->lowest = min2(t->lowest, p->mu);
  if (!t->turning && ++t->straights > STRAIGHTS) return 0;
  const double length = t->turning ? turn(t, s, factor, sign) : straight(t, s, factor);
  if (length == 0.0 || length != length) return 0;
  if (length < 0.0) {
    take_back(t, s);
    return 1;
  }
  if (!t->turning && length > LONG) keep(t);
  contact_interior_move(p, s, length);
  t->jams = !t->turning && length < SHORT ? t->jams + 1 : 0;
  if (t->jams < JAMS) return 1;
  t->turning = 1;
  t->ahead = 0;
  t->corrections = 0;
  t->stride = STRIDE;
  t->jams = 0;
  take_back(t, s);
  return 1;
}
