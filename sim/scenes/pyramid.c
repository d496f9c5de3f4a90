// pyramid.c: rows of bricks, each shorter by one than the row below and shifted by half a brick.
#include "layout.h"

enum { BASE = SCENE_OWN, FRICTION, RESTITUTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(600, 1.0/60.0),
  {"base", 8, 0, 60, 1, NULL, "bricks in the lowest row"},
  {"friction", 0.5, 0, 10, 0, NULL, "coefficient of friction"},
  {"restitution", 0, 0, 1, 0, NULL, "share of speed that an impact leaves"},
};

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  (void)seed;
  static const double half[3] = {0.5, 0.25, 0.25};
  const int32_t base = (int32_t)p[BASE];
  const perp_body ground = perp_plane(0.0, 1.0, 0.0, 0.0);
  out->settings.friction = p[FRICTION];
  out->settings.restitution = p[RESTITUTION];
  out->settings.margin = 0.005;
  out->materials[0] = "brick";
  out->groups[0] = "ground";
  out->groups[1] = "brick";
  if (!layout_add(out, &ground, 0)) return PERP_ERROR_MEMORY;
  const double pitch = 1.02;   // bricks of a row do not touch: each leans on two below only
  for (int32_t row = 0; row < base; row++) {
    for (int32_t k = 0; k < base - row; k++) {
      const double x = pitch*(k - 0.5*(base - row - 1));
      if (!layout_box(out, half, x, 0.5*row + 0.25, 0.0, 1.0, 1)) return PERP_ERROR_MEMORY;
    }
  }
  layout_view(out, 0.0, 0.25*base, 0.0, 0.55*base + 1.0);
  return PERP_OK;
}

SCENE_DEFINE(pyramid, "pyramid", "a pyramid of bricks that stands still",
             "how the weight spreads towards the ground");
