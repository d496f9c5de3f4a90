// wedge.c: boxes in a groove with both faces flat on its sides, pressed against each other by end
// walls at zero distance: more contacts than unknown forces, so the impulses are not unique. With
// --ram a plate of infinite mass comes down on them, and from then on no impulses are enough.
#include "layout.h"

enum { BOXES = SCENE_OWN, RAM, FRICTION, RESTITUTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(300, 1.0/60.0),
  {"boxes", 5, 0, 100, 1, NULL, "boxes in the groove"},
  {"ram", 0, 0, 10, 0, NULL, "speed of a plate above; 0: no plate"},
  {"friction", 1, 0, 10, 0, NULL, "coefficient of friction"},
  {"restitution", 0, 0, 1, 0, NULL, "share of speed that an impact leaves"},
};

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  (void)seed;
  static const double half[3] = {0.5, 0.5, 0.5};
  const double root = 1.4142135623730951, n = 0.5*root;   // sqrt(2): across a unit square
  const int32_t boxes = (int32_t)p[BOXES];
  const perp_body sides[] = {
      perp_plane(n, n, 0.0, 0.0), perp_plane(-n, n, 0.0, 0.0),
      perp_plane(0.0, 0.0, 1.0, -0.5*boxes), perp_plane(0.0, 0.0, -1.0, -0.5*boxes)};
  out->settings.friction = p[FRICTION];
  out->settings.restitution = p[RESTITUTION];
  out->materials[0] = "stone";
  out->groups[0] = "groove";
  out->groups[1] = "box";
  out->groups[2] = "ram";
  for (int k = 0; k < 4; k++) {
    if (!layout_add(out, &sides[k], 0)) return PERP_ERROR_MEMORY;
  }
  for (int32_t k = 0; k < boxes; k++) {
    perp_body *box = layout_box(out, half, 0.0, n, k - 0.5*(boxes - 1), 1.0, 1);
    if (!box) return PERP_ERROR_MEMORY;
    turn_about_z(box, 1.0);
  }
  if (p[RAM] > 0.0) {
    const double plate[3] = {1.0, 0.1, 0.5*boxes + 0.5};
    perp_body *ram = layout_box(out, plate, 0.0, root + 0.3, 0.0, 0.0, 2);
    if (!ram) return PERP_ERROR_MEMORY;
    ram->motion.velocity[1] = -p[RAM];
  }
  layout_view(out, 0.0, 0.7, 0.0, 0.5*boxes + 1.5);
  return PERP_OK;
}

SCENE_DEFINE(wedge, "wedge", "boxes wedged in a groove: redundant contacts",
             "that the impulses are found although they are not unique; with --ram 1, what "
             "happens when there are none");
