// friction_cone.h: the friction cone of one contact, lt in mu ln C with a polygon C: its faces and
// its own problem.
#ifndef PERP_FRICTION_CONE_H
#define PERP_FRICTION_CONE_H

#include <stdint.h>

enum { CONE_DIRECTIONS_MAX = 64 };  // limit for the corners of C

// Faces: open (l = 0), stick (inside, or anywhere with v = 0), CONE_SLIDE + k (lt = mu ln d_k), and
// CONE_SLIDE + K + k (lt between mu ln d_k and mu ln d_k+1).
enum cone_side { CONE_OPEN, CONE_STICK, CONE_SLIDE };

// C is the convex hull of d_0 .. d_K-1, counterclockwise about 0. In a 2D world it is a line, K =
// 2, and the second tangent is unused.
typedef struct polygon {
  int32_t K;
  double d[CONE_DIRECTIONS_MAX][2];
  double edge[CONE_DIRECTIONS_MAX][2];     // d_k+1 - d_k
  double outward[CONE_DIRECTIONS_MAX][2];  // C: outward_k . t <= height_k
  double height[CONE_DIRECTIONS_MAX];
} polygon;

// direction: K x tangents. 0: the directions are not the corners of a polygon about 0.
int polygon_set(polygon *C, int32_t K, int32_t tangents, const double *direction);

typedef struct cone_response {         // the effect of a contact's own impulse on its velocity
  double G[9];                         // symmetric
  double inverse[9];
  int regular;                         // 1: the inverse is valid
} cone_response;
void cone_invert(cone_response *r);

// The friction problem of one contact: v = G l + q, ln >= 0 _|_ vn >= 0, lt in mu ln C opposes vt.
// hint: the face to try first. Returns the face of l; -1: no face fits.
int32_t cone_solve(const polygon *C, double mu, const cone_response *r, const double *q,
                   int32_t hint, double *l);

// On a face l = P z and R v = 0. Returns the number of z.
int32_t cone_face(const polygon *C, double mu, int32_t face, double P[3][3], double R[3][3]);
// M = P (R diag(rho) P)^-1 R: -M v is the impulse that a velocity v causes if the compliance is
// rho. 0: the face is open, and M = 0.
int cone_yield(const polygon *C, double mu, int32_t face, const double *rho, double *M);

// K parts >= 0 with lt = sum part_k d_k and sum part_k <= mu ln; equal to mu ln if it slides.
void cone_parts(const polygon *C, double mu, int32_t face, const double *l, double *part);
// max(0, max -d_k . vt): the sliding speed
double cone_speed(const polygon *C, const double *v);

#endif
