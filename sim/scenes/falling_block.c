// falling_block.c: a block of liquid falls on two circles and splashes off them.
#include "pool.h"

enum { WIDTH = POOL_OWN, HEIGHT, RADIUS };

static const perp_gallery_parameter rows[] = {
  POOL_COMMON(300, 100, 2048),
  {"width", 0.8, 0.05, 1, 0, NULL, "width of the block"},
  {"height", 0.5, 0.05, 0.6, 0, NULL, "height of the block"},
  {"radius", 0.1, 0, 0.15, 0, NULL, "radius of the circles; 0: none"},
};

static perp_error fill(const double *p, uint64_t seed, scene_pool *out) {
  (void)seed;
  for (int k = 0; k < 2 && p[RADIUS] > 0.0; k++)
    pool_solid(out, perp_fluid_sphere(k ? 0.7 : 0.3, 0.22, 0.0, p[RADIUS]), "circle");
  pool_pour(out, pool_box(0.5 - 0.5*p[WIDTH], 0.95 - p[HEIGHT], 0.0, 0.5 + 0.5*p[WIDTH], 0.95,
                          0.0));
  return PERP_OK;
}

POOL_DEFINE(falling_block, "falling-block", "a block of liquid falls on two circles [ANE17]",
            "the undersides of the circles: with --walls slip liquid sticks to them");
