// vector3.h: vectors of three, rotations as unit quaternions (w, x, y, z), 3 x 3 matrices by rows.
#ifndef PERP_CONTACT_VECTOR3_H
#define PERP_CONTACT_VECTOR3_H

#include <math.h>

static inline double larger(double a, double b) { return a > b ? a : b; }    // of numbers
static inline double smaller(double a, double b) { return a < b ? a : b; }

static inline double dot3(const double *a, const double *b) {
  return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

static inline double norm3(const double *a) { return sqrt(dot3(a, a)); }

static inline void cross3(const double *a, const double *b, double *c) {   // c is neither
  c[0] = a[1]*b[2] - a[2]*b[1];
  c[1] = a[2]*b[0] - a[0]*b[2];
  c[2] = a[0]*b[1] - a[1]*b[0];
}

static inline void sub3(const double *a, const double *b, double *c) {
  for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

static inline void add_scaled3(double *a, double s, const double *b) {   // a += s b
  for (int i = 0; i < 3; i++) a[i] += s*b[i];
}

static inline void copy3(double *to, const double *from) {
  for (int i = 0; i < 3; i++) to[i] = from[i];
}

static inline void apply3(const double *M, const double *a, double *b) {   // b = M a; b is not a
  for (int i = 0; i < 3; i++) b[i] = M[3*i]*a[0] + M[3*i + 1]*a[1] + M[3*i + 2]*a[2];
}

static inline void apply_transposed3(const double *M, const double *a, double *b) {
  for (int i = 0; i < 3; i++) b[i] = M[i]*a[0] + M[3 + i]*a[1] + M[6 + i]*a[2];
}

static inline void rotation(const double *q, double *R) {   // R x: from the body to the world
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = 1.0 - 2.0*(y*y + z*z), R[1] = 2.0*(x*y - w*z), R[2] = 2.0*(x*z + w*y);
  R[3] = 2.0*(x*y + w*z), R[4] = 1.0 - 2.0*(x*x + z*z), R[5] = 2.0*(y*z - w*x);
  R[6] = 2.0*(x*z - w*y), R[7] = 2.0*(y*z + w*x), R[8] = 1.0 - 2.0*(x*x + y*y);
}

static inline void multiply4(const double *p, const double *q, double *r) {   // r = p q
  r[0] = p[0]*q[0] - p[1]*q[1] - p[2]*q[2] - p[3]*q[3];
  r[1] = p[0]*q[1] + p[1]*q[0] + p[2]*q[3] - p[3]*q[2];
  r[2] = p[0]*q[2] - p[1]*q[3] + p[2]*q[0] + p[3]*q[1];
  r[3] = p[0]*q[3] + p[1]*q[2] - p[2]*q[1] + p[3]*q[0];
}

static inline void normalise4(double *q) {
  const double s = 1.0/sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]);
  for (int i = 0; i < 4; i++) q[i] *= s;
}

// Two directions that span the plane across the unit vector n. They depend on n alone, so that a
// contact whose normal stays has the same directions in every step; for n along z they are x and y.
static inline void tangents(const double *n, double *t1, double *t2) {
  int k = 0;   // the axis most across n
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[k])) k = i;
  double axis[3] = {0.0, 0.0, 0.0};
  axis[k] = 1.0;
  const double along = n[k];
  for (int i = 0; i < 3; i++) t1[i] = axis[i] - along*n[i];
  const double s = 1.0/norm3(t1);
  for (int i = 0; i < 3; i++) t1[i] *= s;
  cross3(n, t1, t2);
}

#endif
