// dam_break_2d.c: a column of liquid collapses and runs against a step.
#include "pool.h"

enum { WIDTH = POOL_OWN, HEIGHT, OBSTACLE };

static const perp_gallery_parameter rows[] = {
  POOL_COMMON(300, 100, 2048),
  {"width", 0.4, 0.05, 0.55, 0, NULL, "width of the column"},
  {"height", 0.8, 0.05, 1, 0, NULL, "height of the column"},
  {"obstacle", 0.15, 0, 0.8, 0, NULL, "height of the step; 0: none"},
};

static perp_error fill(const double *p, uint64_t seed, scene_pool *out) {
  (void)seed;
  if (p[OBSTACLE] > 0.0)
    pool_solid(out, pool_box(0.62, -0.1, 0.0, 0.7, p[OBSTACLE], 0.0), "step");
  pool_pour(out, pool_box(0.0, 0.0, 0.0, p[WIDTH], p[HEIGHT], 0.0));
  return PERP_OK;
}

POOL_DEFINE(dam_break_2d, "dam-break-2d", "a column of liquid runs against a step [ANE17]",
            "where the jet behind the step meets the wall, and how it lets go of it");
