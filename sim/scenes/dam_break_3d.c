// dam_break_3d.c: a column of liquid collapses and runs around a block.
#include "pool.h"

enum { WIDTH = POOL_OWN, HEIGHT, OBSTACLE };

static const perp_gallery_parameter rows[] = {
  POOL_COMMON(240, 48, 192),
  {"width", 0.3, 0.05, 0.55, 0, NULL, "width of the column"},
  {"height", 0.6, 0.05, 1, 0, NULL, "height of the column"},
  {"obstacle", 0.25, 0, 0.8, 0, NULL, "height of the block; 0: none"},
};

static perp_error fill(const double *p, uint64_t seed, scene_pool *out) {
  (void)seed;
  pool_deep(out);
  if (p[OBSTACLE] > 0.0)
    pool_solid(out, pool_box(0.6, -0.1, 0.35, 0.75, p[OBSTACLE], 0.65), "block");
  pool_pour(out, pool_box(0.0, 0.0, 0.0, p[WIDTH], p[HEIGHT], 1.0));
  return PERP_OK;
}

POOL_DEFINE(dam_break_3d, "dam-break-3d", "a column of liquid runs around a block",
            "the sheet that climbs the wall behind the block, and falls off it");
