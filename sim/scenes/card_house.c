// card_house.c: tents of two leaning cards, with flat cards between the levels, held by friction.
//
// A card of length l and thickness t leans by an angle with sine s and cosine c. Its lowest corner
// stands l s away from the apex of its tent, where the two cards touch; the tent is l c + t s high.
// The next tent begins 0.2 t after it. A flat card reaches from apex to apex, so the feet of the tent
// above stand almost exactly over the apexes below.
#include <math.h>

#include "layout.h"

enum { LEVELS = SCENE_OWN, LENGTH, THICKNESS, SLOPE, FRICTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(300, 1.0/120.0),
  {"levels", 3, 0, 12, 1, NULL, "levels of tents"},
  {"length", 1, 0.1, 10, 0, NULL, "length of a card"},
  {"thickness", 0.04, 0.005, 0.2, 0, NULL, "thickness of a card"},
  {"slope", 0.3, 0.05, 1, 0, NULL, "how far a card leans, per height"},
  {"friction", 0.8, 0, 10, 0, NULL, "coefficient of friction"},
};

// A tent whose apex is above x, its feet at height y.
static int put_tent(scene_layout *out, const double *p, double x, double y) {
  const double t = p[THICKNESS], l = p[LENGTH], c = 1.0/sqrt(1.0 + p[SLOPE]*p[SLOPE]),
               s = p[SLOPE]*c;
  const double half[3] = {0.5*t, 0.5*l, 0.35*l}, away = 0.5*(t*c + l*s), up = 0.5*(l*c + t*s);
  for (int side = -1; side <= 1; side += 2) {
    perp_body *card = layout_box(out, half, x + side*away, y + up, 0.0, l*t, 1);
    if (!card) return 0;
    turn_about_z(card, side*p[SLOPE]);
  }
  return 1;
}

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  (void)seed;
  const int32_t levels = (int32_t)p[LEVELS];
  const double t = p[THICKNESS], l = p[LENGTH], c = 1.0/sqrt(1.0 + p[SLOPE]*p[SLOPE]),
               s = p[SLOPE]*c, pitch = 2.0*(l*s + t*c) + 0.2*t, high = l*c + t*s;
  const double flat[3] = {0.5*(pitch - 0.02*t), 0.5*t, 0.35*l};
  const perp_body ground = perp_plane(0.0, 1.0, 0.0, 0.0);
  out->settings.friction = p[FRICTION];
  out->settings.margin = 0.1*t;
  out->materials[0] = "card";
  out->groups[0] = "ground";
  out->groups[1] = "leaning card";
  out->groups[2] = "flat card";
  if (!layout_add(out, &ground, 0)) return PERP_ERROR_MEMORY;
  for (int32_t level = 0; level < levels; level++) {
    const int32_t tents = levels - level;
    const double y = level*(high + t), left = -0.5*pitch*(tents - 1);
    for (int32_t k = 0; k < tents; k++) {
      if (!put_tent(out, p, left + k*pitch, y)) return PERP_ERROR_MEMORY;
    }
    for (int32_t k = 0; k + 1 < tents; k++) {
      if (!layout_box(out, flat, left + (k + 0.5)*pitch, y + high + 0.5*t, 0.0, pitch*t, 2))
        return PERP_ERROR_MEMORY;
    }
  }
  layout_view(out, 0.0, 0.5*levels*(high + t), 0.0, 0.6*levels*(high + t) + l);
  return PERP_OK;
}

SCENE_DEFINE(card_house, "card-house", "a house of cards, held by friction",
             "whether it stands, and with --friction 0.1 how it slides apart");
