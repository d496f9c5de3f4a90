// tilted_box.c: liquid on one side of a box that leans, and may turn.
#include <math.h>

#include "pool.h"

enum { SLOPE = POOL_OWN, FILLED, TURN };

static const perp_gallery_parameter rows[] = {
  POOL_COMMON(300, 100, 2048),
  {"slope", 0.5, -1, 1, 0, NULL, "tangent of the angle by which it leans"},
  {"filled", 0.5, 0.05, 0.95, 0, NULL, "share of the box that is liquid"},
  {"turn", 0, -10, 10, 0, NULL, "rotation of the box, in rad/s"},
};

// Square roots only: the same bits everywhere.
static void turn(perp_fluid_shape *shape, double slope) {
  const double c = 1.0/sqrt(1.0 + slope*slope);
  shape->orientation[0] = sqrt(0.5*(1.0 + c));
  shape->orientation[3] = copysign(sqrt(0.5*(1.0 - c)), slope);
}

static perp_error fill(const double *p, uint64_t seed, scene_pool *out) {
  (void)seed;
  const double half = 0.34, c = 1.0/sqrt(1.0 + p[SLOPE]*p[SLOPE]), s = p[SLOPE]*c;
  const double middle = (1.0 - p[FILLED])*half;   // of the liquid, towards the upper side
  perp_fluid_shape *box = pool_solid(out, perp_fluid_box(0.5, 0.5, 0.0, half, half, 0.0), "box");
  box->outside = 1;
  box->spin[2] = p[TURN];
  turn(box, p[SLOPE]);
  turn(pool_pour(out, perp_fluid_box(0.5 + middle*c, 0.5 + middle*s, 0.0, p[FILLED]*half, half,
                                     0.0)), p[SLOPE]);
  return PERP_OK;
}

POOL_DEFINE(tilted_box, "tilted-box", "liquid on one side of a box that leans [ANE17]",
            "the wall that liquid hangs over: it falls off it unless --walls is slip");
