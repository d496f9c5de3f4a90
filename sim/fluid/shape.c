// shape.c: regions of space as signed distances, and how they move.
//
// A shape has axes of its own: r = R'(x - position), R the rotation of its orientation. Its points
// have the velocity v + spin x (x - position).
#include "state.h"

#include <math.h>

// r = R'd by the quaternion q = (w, v): d + 2 w (d x v) + 2 (d x v) x v, with -v for the inverse
static void turn_back(const double q[4], const double d[3], double r[3]) {
  const double w = q[0], *v = q + 1;
  const double c[3] = {d[1]*v[2] - d[2]*v[1], d[2]*v[0] - d[0]*v[2], d[0]*v[1] - d[1]*v[0]};
  r[0] = d[0] + 2.0*(w*c[0] + (c[1]*v[2] - c[2]*v[1]));
  r[1] = d[1] + 2.0*(w*c[1] + (c[2]*v[0] - c[0]*v[2]));
  r[2] = d[2] + 2.0*(w*c[2] + (c[0]*v[1] - c[1]*v[0]));
}

static double box_distance(const double half[3], const double r[3]) {
  double most = -INFINITY, outside = 0.0;
  for (int a = 0; a < 3; a++) {
    if (a == 2 && !(half[a] > 0.0)) break;   // without end along z
    const double q = fabs(r[a]) - half[a];
    if (q > most) most = q;
    if (q > 0.0) outside += q*q;
  }
  return most > 0.0 ? sqrt(outside) : most;
}

double shape_distance(const perp_fluid_shape *shape, const double x[3], double t) {
  const double *e = shape->extent, *p = shape->position;
  const double d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
  double r[3], distance;
  if (shape->kind == PERP_FLUID_SPHERE) {
    distance = sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]) - e[0];
    return shape->outside ? -distance : distance;
  }
  turn_back(shape->orientation, d, r);
  switch (shape->kind) {
  case PERP_FLUID_BOX:
    distance = box_distance(e, r);
    break;
  case PERP_FLUID_PLANE:
    distance = (e[0]*r[0] + e[1]*r[1] + e[2]*r[2])/sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2]);
    break;
  default:
    distance = shape->distance(shape->context, r, t);
  }
  return shape->outside ? -distance : distance;
}

void shape_velocity(const perp_fluid_shape *shape, const double x[3], double v[3]) {
  const double *p = shape->position, *s = shape->spin;
  const double d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
  v[0] = shape->velocity[0] + (s[1]*d[2] - s[2]*d[1]);
  v[1] = shape->velocity[1] + (s[2]*d[0] - s[0]*d[2]);
  v[2] = shape->velocity[2] + (s[0]*d[1] - s[1]*d[0]);
}

// position and orientation after dt, the velocities being constant: the exact rotation
void shape_move(perp_fluid_shape *shape, double dt) {
  const double *s = shape->spin;
  for (int a = 0; a < 3; a++) shape->position[a] += dt*shape->velocity[a];
  const double rate = sqrt(s[0]*s[0] + s[1]*s[1] + s[2]*s[2]);
  if (!(rate*dt > 0.0)) return;   // to normalise once more would change bits
  const double half = 0.5*dt*rate, g = sin(half)/rate;
  const double p[4] = {cos(half), g*s[0], g*s[1], g*s[2]};
  double *q = shape->orientation;
  const double r[4] = {p[0]*q[0] - p[1]*q[1] - p[2]*q[2] - p[3]*q[3],
                       p[0]*q[1] + p[1]*q[0] + p[2]*q[3] - p[3]*q[2],
                       p[0]*q[2] - p[1]*q[3] + p[2]*q[0] + p[3]*q[1],
                       p[0]*q[3] + p[1]*q[2] - p[2]*q[1] + p[3]*q[0]};
  const double norm = 1.0/sqrt(r[0]*r[0] + r[1]*r[1] + r[2]*r[2] + r[3]*r[3]);
  for (int a = 0; a < 4; a++) q[a] = norm*r[a];
}
