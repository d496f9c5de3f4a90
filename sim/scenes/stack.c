// stack.c: a column of boxes at rest: each impulse carries all the boxes above it.
#include "layout.h"

enum { BOXES = SCENE_OWN, SIDE, FRICTION, RESTITUTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(600, 1.0/60.0),
  {"boxes", 20, 0, 100, 1, NULL, "number of boxes"},
  {"side", 1, 0.01, 100, 0, NULL, "side of a box"},
  {"friction", 0.5, 0, 10, 0, NULL, "coefficient of friction"},
  {"restitution", 0, 0, 1, 0, NULL, "share of speed that an impact leaves"},
};

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  (void)seed;
  const double s = p[SIDE], half[3] = {0.5*s, 0.5*s, 0.5*s};
  const perp_body ground = perp_plane(0.0, 1.0, 0.0, 0.0);
  out->settings.friction = p[FRICTION];
  out->settings.restitution = p[RESTITUTION];
  out->settings.margin = 0.01*s;
  out->materials[0] = "stone";
  out->groups[0] = "ground";
  out->groups[1] = "box";
  if (!layout_add(out, &ground, 0)) return PERP_ERROR_MEMORY;
  for (int32_t k = 0; k < (int32_t)p[BOXES]; k++) {
    if (!layout_box(out, half, 0.0, (k + 0.5)*s, 0.0, s*s*s, 1)) return PERP_ERROR_MEMORY;
  }
  layout_view(out, 0.0, 0.5*s*p[BOXES], 0.0, 0.5*s*p[BOXES] + s);
  return PERP_OK;
}

SCENE_DEFINE(stack, "stack", "a column of boxes that stands still",
             "that nothing moves, and what the lowest contacts carry");
