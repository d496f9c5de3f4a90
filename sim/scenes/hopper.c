// hopper.c: spheres run through a funnel of four slabs into a bin.
//
// They start on a cubic lattice above the funnel, each shifted a little at random. The bin and the
// funnel grow with the cube root of their number, so that the scene looks the same at any size.
#include <math.h>

#include "layout.h"

enum { SPHERES = SCENE_OWN, RADIUS, OPENING, FRICTION, RESTITUTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(600, 1.0/120.0),
  {"spheres", 10000, 0, 200000, 1, NULL, "number of spheres"},
  {"radius", 0.1, 0.001, 100, 0, NULL, "largest radius; the smallest is 80 %"},
  {"opening", 6, 3, 50, 0, NULL, "width of the hole, in largest spheres"},
  {"friction", 0.3, 0, 10, 0, NULL, "coefficient of friction"},
  {"restitution", 0, 0, 1, 0, NULL, "share of speed that an impact leaves"},
};

// Four slabs that lean inwards by 45 degrees around a square hole at height y.
static int put_funnel(scene_layout *out, double wide, double hole, double y, double thick) {
  const double long_side = 0.75*(wide - hole)*1.4142135623730951 + thick;
  const double half[3] = {0.5*long_side, thick, 0.75*wide + thick};
  const double along = 0.5*long_side*0.7071067811865476, back = thick*0.7071067811865476;
  const double turn = 0.38268343236508978, other = 0.92387953251128674;   // of 22.5 degrees
  for (int k = 0; k < 4; k++) {
    const int sign = k % 2 ? -1 : 1, across = k > 1;
    const double away = sign*(0.5*hole + along + back), height = y + along - back;
    double size[3] = {half[0], half[1], half[2]};
    if (across) size[0] = half[2], size[2] = half[0];
    perp_body *slab = layout_box(out, size, across ? 0.0 : away, height, across ? away : 0.0, 0.0,
                                 0);
    if (!slab) return 0;
    slab->motion.orientation[0] = other;
    slab->motion.orientation[across ? 1 : 3] = (across ? -sign : sign)*turn;
  }
  return 1;
}

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  const int64_t count = (int64_t)p[SPHERES];
  const double cell = 2.1*p[RADIUS], hole = 2.0*p[OPENING]*p[RADIUS];
  int64_t side = (int64_t)ceil(cube_root(0.5*(double)count) - 1e-9);   // twice as high as wide
  const int64_t least = (int64_t)ceil(1.5*hole/cell);
  if (side < least) side = least;
  const double wide = cell*(double)side, drop = 0.75*wide, funnel = 0.75*(wide - hole);
  scene_random random = {seed, 0};
  out->settings.friction = p[FRICTION];
  out->settings.restitution = p[RESTITUTION];
  out->settings.margin = 0.05*p[RADIUS];
  out->materials[0] = "grain";
  out->groups[0] = "funnel";
  out->groups[1] = "sphere";
  const double out_x = 0.5*hole + funnel;
  const perp_body bin[] = {
      perp_plane(0.0, 1.0, 0.0, 0.0), perp_plane(1.0, 0.0, 0.0, -out_x),
      perp_plane(-1.0, 0.0, 0.0, -out_x), perp_plane(0.0, 0.0, 1.0, -out_x),
      perp_plane(0.0, 0.0, -1.0, -out_x)};
  for (int k = 0; k < 5; k++) {
    if (!layout_add(out, &bin[k], 0)) return PERP_ERROR_MEMORY;
  }
  if (!put_funnel(out, wide, hole, drop, 2.0*p[RADIUS])) return PERP_ERROR_MEMORY;
  const double top = drop + funnel + cell;
  for (int64_t i = 0; i < count; i++) {
    const double r = scene_between(&random, 0.8*p[RADIUS], p[RADIUS]), room = 0.5*cell - r;
    const int64_t at[3] = {i % side, i/(side*side), i/side % side};
    perp_body ball = perp_sphere(r, r*r*r);
    for (int c = 0; c < 3; c++)
      ball.motion.position[c] = ((double)at[c] + 0.5)*cell - (c == 1 ? -top : 0.5*wide) +
                                scene_between(&random, -room, room);
    if (!layout_add(out, &ball, 1)) return PERP_ERROR_MEMORY;
  }
  layout_view(out, 0.0, top, 0.0, 1.5*wide);
  return PERP_OK;
}

SCENE_DEFINE(hopper, "hopper", "spheres run through a funnel into a bin",
             "bridges over the hole, and how contacts and iterations grow as the spheres pile up");
