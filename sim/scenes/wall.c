// wall.c: a wall of bricks in running bond, hit by a heavy ball: the destruction of [MNS08]. By
// default it is 100 bricks without friction; --model friction has many more rows.
#include "layout.h"

enum { COLUMNS = SCENE_OWN, LINES, BALL_RADIUS, BALL_MASS, BALL_SPEED, FRICTION, RESTITUTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(300, 1.0/60.0),
  {"columns", 12, 1, 100, 1, NULL, "bricks in a row"},
  {"rows", 8, 0, 100, 1, NULL, "rows of bricks"},
  {"ball-radius", 0.6, 0.05, 100, 0, NULL, "radius of the ball"},
  {"ball-mass", 40, 0, 1e6, 0, NULL, "mass of the ball, where a brick has 1; 0: no ball"},
  {"ball-speed", 15, 0, 1000, 0, NULL, "speed of the ball towards the wall"},
  {"friction", 0.5, 0, 10, 0, NULL, "coefficient, with a --model that has friction"},
  {"restitution", 0, 0, 1, 0, NULL, "share of the speed that is left after an impact"},
};

// A row of bricks 1 x 0.5 x 0.5; every second row begins and ends with half a brick.
static int lay_row(scene_layout *out, int32_t row, int32_t columns) {
  static const double whole[3] = {0.5, 0.25, 0.25}, part[3] = {0.25, 0.25, 0.25};
  const double y = 0.5*row + 0.25, left = -0.5*columns;
  for (int32_t k = 0; k < columns + row % 2; k++) {
    const int halved = row % 2 && (k == 0 || k == columns);
    const double x = row % 2 == 0 ? left + k + 0.5
                     : k == 0     ? left + 0.25
                                  : left + k - (k == columns ? 0.25 : 0.0);
    if (!layout_box(out, halved ? part : whole, x, y, 0.0, halved ? 0.5 : 1.0, 1)) return 0;
  }
  return 1;
}

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  (void)seed;
  const int32_t columns = (int32_t)p[COLUMNS], lines = (int32_t)p[LINES];
  const perp_body ground = perp_plane(0.0, 1.0, 0.0, 0.0);
  out->settings.friction = p[FRICTION];
  out->settings.restitution = p[RESTITUTION];
  out->settings.margin = 0.005;
  out->settings.model = PERP_CONTACT_NORMAL;   // what the source is about, and its size allows
  out->materials[0] = "brick";
  out->groups[0] = "ground";
  out->groups[1] = "brick";
  out->groups[2] = "ball";
  if (!layout_add(out, &ground, 0)) return PERP_ERROR_MEMORY;
  for (int32_t row = 0; row < lines; row++) {
    if (!lay_row(out, row, columns)) return PERP_ERROR_MEMORY;
  }
  if (p[BALL_MASS] > 0.0) {
    const double r = p[BALL_RADIUS], middle = 0.25*lines;
    perp_body ball = perp_sphere(r, p[BALL_MASS]);
    ball.motion.position[1] = middle > r ? middle : r + 0.01;
    ball.motion.position[2] = 0.25 + r + 3.0;
    ball.motion.velocity[2] = -p[BALL_SPEED];
    if (!layout_add(out, &ball, 2)) return PERP_ERROR_MEMORY;
  }
  const double wide = 0.5*columns, high = 0.25*lines;
  layout_view(out, 0.0, high, 0.0, (wide > high ? wide : high) + 2.0);
  return PERP_OK;
}

SCENE_DEFINE(wall, "wall", "a wall of bricks, hit by a heavy ball [MNS08]",
             "iterations at the impact, and how the contacts fall apart into islands");
