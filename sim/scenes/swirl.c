// swirl.c: liquid that turns in a round tank.
#include "pool.h"

enum { RADIUS = POOL_OWN, LEVEL, SPIN };

static const perp_gallery_parameter rows[] = {
  POOL_COMMON(300, 100, 2048),
  {"radius", 0.45, 0.1, 0.49, 0, NULL, "radius of the tank"},
  {"level", 0.5, 0.05, 0.95, 0, NULL, "liquid level, in heights of the tank"},
  {"spin", 8, -50, 50, 0, NULL, "turn it begins with, radians a second"},
};

static perp_error fill(const double *p, uint64_t seed, scene_pool *out) {
  (void)seed;
  const double above = (2.0*p[LEVEL] - 1.0)*p[RADIUS];   // of the surface, from the middle
  pool_solid(out, perp_fluid_sphere(0.5, 0.5, 0.0, p[RADIUS]), "tank")->outside = 1;
  perp_fluid_shape *liquid = pool_pour(out, perp_fluid_plane(0.5, 0.5 + above, 0.0, 0.0, 1.0,
                                                             0.0));
  liquid->spin[2] = p[SPIN];                             // about the middle of the tank
  liquid->velocity[0] = -p[SPIN]*above;
  return PERP_OK;
}

POOL_DEFINE(swirl, "swirl", "liquid that turns in a round tank [ANE17]",
            "whether it leaves the wall where it runs overhead");
