// layout.c: what scenes share: bodies added to a layout, the view, rotations and random numbers.
#include "layout.h"

#include <math.h>
#include <stdlib.h>

perp_body *layout_add(scene_layout *layout, const perp_body *body, int32_t group) {
  if (layout->bodies == layout->room) {
    const int32_t room = 2*layout->room + 64;
    perp_body *bodies = realloc(layout->body, (size_t)room*sizeof *bodies);
    if (bodies) layout->body = bodies;
    int32_t *groups = realloc(layout->group, (size_t)room*sizeof *groups);
    if (groups) layout->group = groups;
    if (!bodies || !groups) return NULL;
    layout->room = room;
  }
  layout->group[layout->bodies] = group;
  layout->body[layout->bodies] = *body;
  return &layout->body[layout->bodies++];
}

perp_body *layout_box(scene_layout *layout, const double half[3], double x, double y, double z,
                      double mass, int32_t group) {
  perp_body box = perp_box(half[0], half[1], half[2], mass > 0.0 ? mass : (double)INFINITY);
  box.motion.position[0] = x;
  box.motion.position[1] = y;
  box.motion.position[2] = z;
  return layout_add(layout, &box, group);
}

void layout_view(scene_layout *layout, double x, double y, double z, double radius) {
  layout->center[0] = x;
  layout->center[1] = y;
  layout->center[2] = z;
  layout->radius = radius;
}

void turn_about_z(perp_body *body, double slope) {
  const double c = 1.0/sqrt(1.0 + slope*slope);   // cosine of the angle; below, of its half
  double *q = body->motion.orientation;
  q[0] = sqrt(0.5*(1.0 + c));
  q[1] = q[2] = 0.0;
  q[3] = copysign(sqrt(0.5*(1.0 - c)), slope);
}

double cube_root(double x) {
  double root = x > 1.0 ? x : 1.0;
  for (int k = 0; k < 100; k++) root = (2.0*root + x/(root*root))/3.0;   // Newton, from above
  return root;
}

double scene_between(scene_random *random, double low, double high) {
  return low + (high - low)*perp_random_uniform(random->seed, random->next++);
}

void scene_in_ball(scene_random *random, double radius, double point[3]) {
  double square;
  do {   // pi/6 of the cube is the ball: 64 misses in a row do not happen
    square = 0.0;
    for (int c = 0; c < 3; c++) {
      point[c] = scene_between(random, -1.0, 1.0);
      square += point[c]*point[c];
    }
  } while (square > 1.0);
  for (int c = 0; c < 3; c++) point[c] *= radius;
}
