// hollow_sphere.c: spheres inside of a hollow sphere SPH.
//
// The source places a centre at U[0, R - r] times a unit vector, which crowds the middle and lets
// spheres overlap. Here it is uniform in the ball of radius R - r, and drawn again on overlap.
#include <math.h>
#include <stdio.h>

#include "layout.h"

enum { SPHERES = SCENE_OWN, RADIUS, SMALLEST, LARGEST, FRICTION, RESTITUTION };

static const perp_gallery_parameter rows[] = {
  SCENE_COMMON(1200, 1.0/60.0),
  {"spheres", 15, 0, 20000, 1, NULL, "number of spheres"},
  {"radius", 0, 0, 1000, 0, NULL, "hollow sphere's radius; 0: to fit"},
  {"smallest", 0.7, 0.01, 100, 0, NULL, "radius of the smallest sphere"},
  {"largest", 1.2, 0.01, 100, 0, NULL, "radius of the largest sphere"},
  {"friction", 0.3, 0, 10, 0, NULL, "coefficient of friction"},
  {"restitution", 0, 0, 1, 0, NULL, "share of speed that an impact leaves"},
};

static int overlaps(const scene_layout *out, const perp_body *ball) {
  for (int32_t i = 1; i < out->bodies; i++) {
    const perp_body *other = &out->body[i];
    double square = 0.0;
    for (int c = 0; c < 3; c++) {
      const double d = other->motion.position[c] - ball->motion.position[c];
      square += d*d;
    }
    const double both = other->extent[0] + ball->extent[0];
    if (square < both*both) return 1;
  }
  return 0;
}

static perp_error build(const double *p, uint64_t seed, scene_layout *out) {
  enum { PLACEMENTS_MAX = 20000 };
  const double scale = 0.5*(p[SMALLEST] + p[LARGEST])/0.95;   // 1 for the radii of [SPH]
  const double R = p[RADIUS] > 0.0 ? p[RADIUS]
                                   : 5.0*scale*cube_root(fmax(p[SPHERES], 1.0)/15.0);
  if (p[SMALLEST] > p[LARGEST] || p[LARGEST] >= R) {
    snprintf(out->message, sizeof out->message,
             "smallest = %g <= --largest = %g < --radius = %g does not hold", p[SMALLEST], p[LARGEST],
             R);
    return PERP_ERROR_ARGUMENT;
  }
  scene_random random = {seed, 0};
  out->settings.friction = p[FRICTION];
  out->settings.restitution = p[RESTITUTION];
  out->materials[0] = "sphere";
  out->groups[0] = "hollow sphere";
  out->groups[1] = "sphere";
  const perp_body hollow = perp_hollow(R);
  if (!layout_add(out, &hollow, 0)) return PERP_ERROR_MEMORY;
  for (int32_t i = 0; i < (int32_t)p[SPHERES]; i++) {
    const double r = scene_between(&random, p[SMALLEST], p[LARGEST]);
    perp_body ball = perp_sphere(r, r*r*r);
    int tries = 0;
    do scene_in_ball(&random, R - r, ball.motion.position);
    while (overlaps(out, &ball) && ++tries < PLACEMENTS_MAX);
    if (tries == PLACEMENTS_MAX) {
      snprintf(out->message, sizeof out->message,
               "spheres = %g is too many: only %d found a place in a radius of %g; raise --radius, or "
               "leave it out", p[SPHERES],
               (int)i, R);
      return PERP_ERROR_ARGUMENT;
    }
    if (!layout_add(out, &ball, 1)) return PERP_ERROR_MEMORY;
  }
  layout_view(out, 0.0, 0.0, 0.0, R);
  return PERP_OK;
}

SCENE_DEFINE(hollow_sphere, "hollow-sphere", "spheres inside of a hollow sphere [SPH]",
             "how the spheres swing from side to side of the bowl, and how friction with the wall "
             "slows them: the total energy falls until they rest in a heap");
