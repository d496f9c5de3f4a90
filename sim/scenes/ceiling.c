// ceiling.c: liquid that fills the space below a ceiling, with nothing under it.
#include "pool.h"

enum { WIDTH = POOL_OWN, THICKNESS };

static const perp_gallery_parameter rows[] = {
  POOL_COMMON(300, 100, 2048),
  {"width", 0.8, 0.05, 1, 0, NULL, "width of the liquid"},
  {"thickness", 0.3, 0.05, 0.9, 0, NULL, "thickness of the liquid"},
};

static perp_error fill(const double *p, uint64_t seed, scene_pool *out) {
  (void)seed;
  pool_pour(out, pool_box(0.5 - 0.5*p[WIDTH], 1.0 - p[THICKNESS], 0.0, 0.5 + 0.5*p[WIDTH], 1.0,
                          0.0));
  return PERP_OK;
}

POOL_DEFINE(ceiling, "ceiling", "liquid under a ceiling, and air below it [ANE17]",
            "that all of it falls, and with --walls slip how it hangs there");
