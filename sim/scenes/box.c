// box.c: discs fall into a box, in two dimensions: the defaults of BOX.
//
// They start on a lattice whose cells hold the largest disc, shifted within their cells at random.
#include <math.h>
#include <stdio.h>

#include "layout.h"

enum { BALLS = SCENE_OWN, WIDTH, HEIGHT, RADIUS, FRICTION, RESTITUTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(1000, 0.015),
  {"balls", 150, 0, 100000, 1, NULL, "number of discs"},
  {"width", 300, 1e-3, 1e6, 0, NULL, "width of the box"},
  {"height", 300, 1e-3, 1e6, 0, NULL, "height of the box"},
  {"radius", 10, 1e-4, 1e5, 0, NULL, "largest radius; the smallest is half"},
  {"friction", 0, 0, 10, 0, NULL, "coefficient of friction"},
  {"restitution", 0, 0, 1, 0, NULL, "share of speed that an impact leaves"},
};

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  static const double normal[4][2] = {{0, 1}, {1, 0}, {-1, 0}, {0, -1}};
  const double width = p[WIDTH], height = p[HEIGHT], cell = 2.05*p[RADIUS];
  const double offset[4] = {0.0, 0.0, -width, -height};
  const int64_t columns = (int64_t)floor(width/cell), lines = (int64_t)floor(height/cell);
  if ((double)columns*(double)lines < p[BALLS]) {
    snprintf(out->message, sizeof out->message,
             "balls = %g is outside [0, %g]: more of radius %g have no room in %g x %g; lower "
             "--balls or --radius, or raise --width or --height", p[BALLS],
             (double)columns*(double)lines, p[RADIUS], width, height);
    return PERP_ERROR_ARGUMENT;
  }
  scene_random random = {seed, 0};
  out->settings.dimension = 2;
  out->settings.margin = 0.01;
  if (!(p[FRICTION] > 0.0)) out->settings.model = PERP_CONTACT_NORMAL;
  out->settings.friction = p[FRICTION];
  out->settings.restitution = p[RESTITUTION];
  out->materials[0] = "ball";
  out->groups[0] = "box";
  out->groups[1] = "ball";
  for (int k = 0; k < 4; k++) {
    const perp_body wall = perp_plane(normal[k][0], normal[k][1], 0.0, offset[k]);
    if (!layout_add(out, &wall, 0)) return PERP_ERROR_MEMORY;
  }
  // Spread over the lattice: ball i gets cell i cells/balls.
  for (int64_t i = 0; i < (int64_t)p[BALLS]; i++) {
    const int64_t at = i*(columns*lines)/(int64_t)p[BALLS];
    const double radius = scene_between(&random, 0.5*p[RADIUS], p[RADIUS]);
    const double room = 0.5*cell - radius;
    perp_body ball = perp_sphere(radius, radius*radius);   // as an area
    ball.motion.position[0] = ((double)(at % columns) + 0.5)*(width/(double)columns) +
                              scene_between(&random, -room, room);
    ball.motion.position[1] = ((double)(at/columns) + 0.5)*cell +
                              scene_between(&random, -room, room);
    if (!layout_add(out, &ball, 1)) return PERP_ERROR_MEMORY;
  }
  layout_view(out, 0.5*width, 0.5*height, 0.0, 0.55*(width > height ? width : height));
  return PERP_OK;
}

SCENE_DEFINE(box, "box", "discs fall into a box, in two dimensions [BOX]",
             "how the number of contacts grows while the discs pile up");
