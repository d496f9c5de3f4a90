// point.h: points and directions in space, and rotations.
#pragma once

#include <math.h>

typedef struct vec { double x, y, z; } vec;

// Of two numbers; b if a is not one. Faster than the functions of <math.h>, which are calls.
static inline double least(double a, double b) { return a < b ? a : b; }
static inline double most(double a, double b) { return a > b ? a : b; }

static inline vec vec_of(const double a[3]) { return (vec){a[0], a[1], a[2]}; }
static inline vec plus(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec minus(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec times(double s, vec a) { return (vec){s*a.x, s*a.y, s*a.z}; }
static inline vec along(vec a, double s, vec b) {   // a + s b
  return (vec){a.x + s*b.x, a.y + s*b.y, a.z + s*b.z};
}
static inline double dot(vec a, vec b) { return a.x*b.x + a.y*b.y + a.z*b.z; }
static inline vec cross(vec a, vec b) {
  return (vec){a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x};
}
static inline double norm(vec a) { return sqrt(dot(a, a)); }
static inline vec unit(vec a) {
  const double length = norm(a);
  return length > 0.0 ? times(1.0/length, a) : (vec){0.0, 0.0, 1.0};
}
static inline vec across(vec n) {   // some unit vector across n
  return unit(cross(n, fabs(n.x) < 0.9 ? (vec){1.0, 0.0, 0.0} : (vec){0.0, 1.0, 0.0}));
}
static inline double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}
static inline double smooth(double low, double high, double x) {   // 0 below low, 1 above high
  const double s = clamp((x - low)/(high - low), 0.0, 1.0);
  return s*s*(3.0 - 2.0*s);
}

// The axes of a body as columns of its rotation; a quaternion w x y z of any length but 0.
static inline void axes_of(const double q[4], vec axis[3]) {
  const double square = q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3];
  const double s = square > 0.0 ? 2.0/square : 0.0;
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  axis[0] = (vec){1.0 - s*(y*y + z*z), s*(x*y + w*z), s*(x*z - w*y)};
  axis[1] = (vec){s*(x*y - w*z), 1.0 - s*(x*x + z*z), s*(y*z + w*x)};
  axis[2] = (vec){s*(x*z + w*y), s*(y*z - w*x), 1.0 - s*(x*x + y*y)};
}
static inline vec into(const vec axis[3], vec a) {   // the components along the axes
  return (vec){dot(axis[0], a), dot(axis[1], a), dot(axis[2], a)};
}
static inline vec out_of(const vec axis[3], vec a) {
  return along(along(times(a.x, axis[0]), a.y, axis[1]), a.z, axis[2]);
}
