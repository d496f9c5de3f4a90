// falling_ball.c: a ball of liquid falls into a pool.
#include <stdio.h>

#include "pool.h"

enum { RADIUS = POOL_OWN, DEPTH, SPEED };

static const perp_gallery_parameter rows[] = {
  POOL_COMMON(240, 48, 192),
  {"radius", 0.2, 0.05, 0.4, 0, NULL, "radius of the ball"},
  {"depth", 0.2, 0, 0.5, 0, NULL, "depth of the pool"},
  {"speed", 1, 0, 100, 0, NULL, "speed of the ball, downwards"},
};

static perp_error fill(const double *p, uint64_t seed, scene_pool *out) {
  (void)seed;
  pool_deep(out);
  if (p[DEPTH] > 0.0) pool_pour(out, pool_box(0.0, 0.0, 0.0, 1.0, p[DEPTH], 1.0));
  const double y = 0.95 - p[RADIUS];                   // as high as it fits
  if (y < p[DEPTH] + p[RADIUS]) {
    snprintf(out->message, sizeof out->message, "depth = %g leaves no room for a ball of radius %g; "
             "lower --depth or --radius", p[DEPTH], p[RADIUS]);
    return PERP_ERROR_ARGUMENT;
  }
  pool_pour(out, perp_fluid_sphere(0.5, y, 0.5, p[RADIUS]))->velocity[1] = -p[SPEED];
  return PERP_OK;
}

POOL_DEFINE(falling_ball, "falling-ball", "a ball of liquid falls into a pool",
            "the crown of the splash, and the jet after it");
