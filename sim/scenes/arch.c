// arch.c: two legs of stones and a keystone between two springers: nothing but friction holds them.
//
// Boxes meet face to face only where their sides are parallel, so the legs rise at 45 degrees and
// the keystone stands on a corner. (Boxes along a curve touch in edges; a chain of more than three
// such hinges is a mechanism and falls, however thick it is and whatever the friction.) With p half
// of the keystone's weight, w that of a leg and H the thrust, a leg is pushed by (H, p) at its top
// and by (H, p + w) at its foot. Both must be within the angle of friction of its axis:
//
//   mu >= tan(a - 45 degrees), tan(a)^2 = (p + w)/p
//
// and the line of thrust, which bends by about w l/(8 (2 p + w)), must not leave the stones.
#include <math.h>

#include "layout.h"

enum { STONES = SCENE_OWN, LENGTH, THICKNESS, KEYSTONE, FRICTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(600, 1.0/120.0),
  {"stones", 4, 1, 20, 1, NULL, "stones in each leg"},
  {"length", 4, 0.5, 100, 0, NULL, "length of a leg"},
  {"thickness", 1, 0.1, 20, 0, NULL, "thickness of a leg"},
  {"keystone", 1.5, 0.5, 4, 0, NULL, "side of the keystone, in thicknesses"},
  {"friction", 0.7, 0, 10, 0, NULL, "coefficient of friction"},
};

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  (void)seed;
  const int32_t stones = (int32_t)p[STONES];
  const double l = p[LENGTH], t = p[THICKNESS], c = 0.7071067811865476;   // of 45 degrees
  const double side = p[KEYSTONE]*t, depth = t;
  const double half[3] = {0.5*t, 0.5*l/stones, 0.5*depth};
  const double key[3] = {0.5*side, 0.5*side, 0.5*depth}, base[3] = {0.75*t, 0.5*t, 0.75*depth};
  const perp_body ground = perp_plane(0.0, 1.0, 0.0, 0.0);
  out->settings.friction = p[FRICTION];
  out->settings.margin = 0.01*t;
  out->materials[0] = "stone";
  out->groups[0] = "ground";
  out->groups[1] = "leg";
  out->groups[2] = "keystone";
  out->groups[3] = "springer";
  if (!layout_add(out, &ground, 0)) return PERP_ERROR_MEMORY;
  // From the keystone's middle down along a leg: half of it, the leg, and half of the springer,
  // which is sunk into the ground.
  const double reach = 0.5*side + l + 0.5*t, high = 0.3*t + reach*c;
  for (int way = -1; way <= 1; way += 2) {
    perp_body *springer = layout_box(out, base, way*reach*c, high - reach*c, 0.0, 0.0, 3);
    if (!springer) return PERP_ERROR_MEMORY;
    turn_about_z(springer, way);
    for (int32_t k = 0; k < stones; k++) {
      const double along = 0.5*side + l*(k + 0.5)/stones;
      perp_body *stone = layout_box(out, half, way*along*c, high - along*c, 0.0,
                                    t*depth*l/stones, 1);
      if (!stone) return PERP_ERROR_MEMORY;
      turn_about_z(stone, way);
    }
  }
  perp_body *stone = layout_box(out, key, 0.0, high, 0.0, side*side*depth, 2);
  if (!stone) return PERP_ERROR_MEMORY;
  turn_about_z(stone, 1.0);
  layout_view(out, 0.0, 0.5*high, 0.0, 0.8*reach);
  return PERP_OK;
}

SCENE_DEFINE(arch, "arch", "two legs and a keystone, held by friction alone",
             "that it stands, and with --friction 0.1 which stones slide first");
