// heavy_on_light.c: boxes on top of each other, each heavier than the one below by the same ratio.
// The load of the lowest contacts hardly depends on the light body between them, so A is badly
// conditioned.
#include <math.h>
#include <stdio.h>

#include "layout.h"

enum { BOXES = SCENE_OWN, RATIO, FRICTION, RESTITUTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(300, 1.0/60.0),
  {"boxes", 2, 0, 6, 1, NULL, "number of boxes"},
  {"ratio", 1000, 1e-6, 1e6, 0, NULL, "mass of a box over the one below"},
  {"friction", 0.5, 0, 10, 0, NULL, "coefficient of friction"},
  {"restitution", 0, 0, 1, 0, NULL, "share of speed that an impact leaves"},
};

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  (void)seed;
  static const double half[3] = {0.5, 0.5, 0.5};
  const perp_body ground = perp_plane(0.0, 1.0, 0.0, 0.0);
  // a world takes masses from 1e-12 to 1e12
  const double most = p[BOXES] > 2.0 ? pow(1e12, 1.0/(p[BOXES] - 1.0)) : 1e6;
  if (!(p[RATIO] <= most*(1.0 + 1e-9) && p[RATIO] >= (1.0 - 1e-9)/most)) {
    snprintf(out->message, sizeof out->message, "ratio = %g is outside [%.4g, %.4g] for %g boxes; "
             "lower --boxes, or bring --ratio nearer to 1", p[RATIO], 1.0/most, most, p[BOXES]);
    return PERP_ERROR_ARGUMENT;
  }
  out->settings.friction = p[FRICTION];
  out->settings.restitution = p[RESTITUTION];
  out->materials[0] = "stone";
  out->groups[0] = "ground";
  out->groups[1] = "box";
  if (!layout_add(out, &ground, 0)) return PERP_ERROR_MEMORY;
  double mass = 1.0;
  for (int32_t k = 0; k < (int32_t)p[BOXES]; k++, mass *= p[RATIO]) {
    if (!layout_box(out, half, 0.0, k + 0.5, 0.0, mass, 1)) return PERP_ERROR_MEMORY;
  }
  layout_view(out, 0.0, 0.5*p[BOXES], 0.0, 0.5*p[BOXES] + 1.0);
  return PERP_OK;
}

SCENE_DEFINE(heavy_on_light, "heavy-on-light", "a heavy box on a light one, at rest",
             "the penetration, which must not grow");
