// arch.c: two columns of stones lean against each other; nothing but friction holds them.
//
// A leg spans a = l s and rises b = l c. Its feet push outwards with H = W a/(2 b), so they slide
// if mu < a/(2 b). In the leg the line of thrust bends by b a/(4 l) off the inner face, on which
// foot and apex lie; the stones must be thicker than that, or the leg opens.
#include <math.h>

#include "layout.h"

enum { STONES = SCENE_OWN, LENGTH, THICKNESS, SLOPE, FRICTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(600, 1.0/120.0),
  {"stones", 4, 1, 20, 1, NULL, "stones in each leg"},
  {"length", 4, 0.5, 100, 0, NULL, "of a leg"},
  {"thickness", 1, 0.1, 20, 0, NULL, "of a leg"},
  {"slope", 0.5, 0.05, 2, 0, NULL, "how far a leg leans, per height"},
  {"friction", 1, 0, 10, 0, NULL, "coefficient of friction"},
};

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  (void)seed;
  const int32_t stones = (int32_t)p[STONES];
  const double l = p[LENGTH], t = p[THICKNESS], c = 1.0/sqrt(1.0 + p[SLOPE]*p[SLOPE]),
               s = p[SLOPE]*c;
  const double half[3] = {0.5*t, 0.5*l/stones, 0.5*t};
  const perp_body ground = perp_plane(0.0, 1.0, 0.0, 0.0);
  out->settings.friction = p[FRICTION];
  out->settings.margin = 0.01*t;
  out->materials[0] = "stone";
  out->groups[0] = "ground";
  out->groups[1] = "left leg";
  out->groups[2] = "right leg";
  if (!layout_add(out, &ground, 0)) return PERP_ERROR_MEMORY;
  for (int side = -1; side <= 1; side += 2) {
    for (int32_t k = 0; k < stones; k++) {
      const double along = l*((k + 0.5)/stones - 0.5);   // from the middle of the leg, upwards
      const double x = 0.5*(t*c + l*s) - along*s, y = 0.5*(l*c + t*s) + along*c;
      perp_body *stone = layout_box(out, half, side*x, y, 0.0, t*t*l/stones, side < 0 ? 1 : 2);
      if (!stone) return PERP_ERROR_MEMORY;
      turn_about_z(stone, side*p[SLOPE]);
    }
  }
  layout_view(out, 0.0, 0.5*l*c, 0.0, 0.7*l + t);
  return PERP_OK;
}

SCENE_DEFINE(arch, "arch", "two leaning columns of stones, held by friction alone",
             "that it stands, and with --friction 0.2 that its feet slide outwards");
