// wall.c: a wall of bricks in running bond, hit by a heavy ball: the destruction of MNS08. By
// default it is 100 bricks without friction; --model friction has many more rows.
#include <math.h>

#include "layout.h"

enum { BRICKS = SCENE_OWN, COLUMNS, LINES, BALL_RADIUS, BALL_MASS, BALL_SPEED, FRICTION,
       RESTITUTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(300, 1.0/60.0),
  {"bricks", 100, 0, 10000, 1, NULL, "number of bricks"},
  {"columns", 0, 0, 100, 1, NULL, "bricks in a row; 0: from --bricks"},
  {"rows", 0, 0, 100, 1, NULL, "rows of bricks; 0: from --bricks"},
  {"ball-radius", 0.6, 0.05, 100, 0, NULL, "radius of the ball"},
  {"ball-mass", 40, 0, 1e6, 0, NULL, "mass of the ball in bricks; 0: no ball"},
  {"ball-speed", 15, 0, 1000, 0, NULL, "speed of the ball towards the wall"},
  {"friction", 0.5, 0, 10, 0, NULL, "coefficient, if --model has friction"},
  {"restitution", 0, 0, 1, 0, NULL, "share of speed that an impact leaves"},
};

static int64_t bricks_in(int64_t columns, int64_t lines) { return columns*lines + lines/2; }

// The number of rows for this many bricks; the last row may not be full.
static int64_t rows_for(int64_t bricks, int64_t columns) {
  int64_t lines = bricks/(2*columns + 1)*2;
  while (bricks_in(columns, lines) < bricks) lines++;
  return lines;
}

// One and a half times as wide as it has rows, or nearly so if the top row gets fuller: of 100
// bricks 12 x 8, of 1000 bricks 34 x 29 with none missing.
static int64_t columns_for(int64_t bricks) {
  const double middle = sqrt(1.5*(double)bricks);
  int64_t best = 1, missing = INT64_MAX;
  for (int64_t c = (int64_t)ceil(0.8*middle); c <= (int64_t)ceil(1.25*middle); c++) {
    if (c < 1) continue;
    const int64_t lack = bricks_in(c, rows_for(bricks, c)) - bricks;
    const int nearer = fabs((double)c - middle) < fabs((double)best - middle);
    if (lack < missing || (lack == missing && nearer)) best = c, missing = lack;
  }
  return best;
}

// A row of bricks 1 x 0.5 x 0.5; every second row begins and ends with half a brick.
static int lay_row(scene_layout *out, int64_t row, int64_t columns, int64_t bricks) {
  static const double whole[3] = {0.5, 0.25, 0.25}, part[3] = {0.25, 0.25, 0.25};
  const double y = 0.5*(double)row + 0.25, left = -0.5*(double)columns;
  for (int64_t k = 0; k < columns + row % 2 && k < bricks; k++) {
    const int halved = row % 2 && (k == 0 || k == columns);
    const double x = row % 2 == 0 ? left + (double)k + 0.5
                     : k == 0     ? left + 0.25
                                  : left + (double)k - (k == columns ? 0.25 : 0.0);
    if (!layout_box(out, halved ? part : whole, x, y, 0.0, halved ? 0.5 : 1.0, 1)) return 0;
  }
  return 1;
}

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  (void)seed;
  const int given = p[COLUMNS] > 0.0 && p[LINES] > 0.0;   // then they say how many bricks
  int64_t bricks = (int64_t)p[BRICKS], columns = (int64_t)p[COLUMNS], lines = (int64_t)p[LINES];
  if (given) bricks = bricks_in(columns, lines);
  else if (lines > 0) columns = (bricks - lines/2 + lines - 1)/lines;
  else if (columns == 0) columns = columns_for(bricks);
  if (columns < 1) columns = 1;
  lines = rows_for(bricks, columns);
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
  for (int64_t row = 0; row < lines; row++) {
    if (!lay_row(out, row, columns, bricks - bricks_in(columns, row))) return PERP_ERROR_MEMORY;
  }
  if (p[BALL_MASS] > 0.0) {
    const double r = p[BALL_RADIUS], middle = 0.25*(double)lines;
    perp_body ball = perp_sphere(r, p[BALL_MASS]);
    ball.motion.position[1] = middle > r ? middle : r + 0.01;
    ball.motion.position[2] = -(0.25 + r + 3.0);   // on the side from which one looks
    ball.motion.velocity[2] = p[BALL_SPEED];
    if (!layout_add(out, &ball, 2)) return PERP_ERROR_MEMORY;
  }
  const double wide = 0.5*(double)columns, high = 0.25*(double)lines;
  layout_view(out, 0.0, high, 0.0, (wide > high ? wide : high) + 2.0);
  return PERP_OK;
}

SCENE_DEFINE(wall, "wall", "a wall of bricks, hit by a heavy ball [MNS08]",
             "the iterations at the impact, and how the contacts become fewer as the wall falls apart");
