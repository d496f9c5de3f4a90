// friction_cone.h: the impulses of a contact: (ln, lt) with lt in mu ln C, C a polygon; its faces,
// and the friction problem of a single contact.
#ifndef PERP_FRICTION_CONE_H
#define PERP_FRICTION_CONE_H

#include <stdint.h>

enum { CONE_DIRECTIONS = 64 };   // most corners of C

// Faces: open (l = 0), stick (inside, or anywhere with v = 0), CONE_SLIDE + k (lt = mu ln d_k), and
// CONE_SLIDE + K + k (lt between mu ln d_k and mu ln d_k+1).
enum { CONE_OPEN = 0, CONE_STICK = 1, CONE_SLIDE = 2 };

// C is the convex hull of d_0 .. d_K-1, counterclockwise about 0; in the plane of a 2D world it is
// a line, K = 2, and the second tangent is void.
typedef struct polygon {
  int32_t K;
  double d[CONE_DIRECTIONS][2];
  double edge[CONE_DIRECTIONS][2];     // d_k+1 - d_k
  double outward[CONE_DIRECTIONS][2];  // C: outward_k . t <= height_k
  double height[CONE_DIRECTIONS];
} polygon;

// direction: K x tangents. 0: the directions are no corners of a polygon about 0.
int polygon_set(polygon *C, int32_t K, int32_t tangents, const double *direction);

typedef struct cone_response {         // what a contact's own impulse does to its velocity
  double G[9];                         // symmetric
  double inverse[9];
  int regular;                         // the inverse is one
} cone_response;
void cone_invert(cone_response *r);

// The friction problem of one contact: v = G l + q, ln >= 0 _|_ vn >= 0, lt in mu ln C opposes vt.
// hint: a face that is tried first. Returns the face of l; -1: no face fits.
int32_t cone_solve(const polygon *C, double mu, const cone_response *r, const double *q,
                   int32_t hint, double *l);

// l on a face is P z, and there R v = 0. Returns how many z there are.
int32_t cone_face(const polygon *C, double mu, int32_t face, double P[3][3], double R[3][3]);
// M = P (R diag(rho) P)^-1 R: -M v is the impulse that a velocity v asks for where the contact
// yields by rho. 0: the face is open, M = 0.
int cone_yield(const polygon *C, double mu, int32_t face, const double *rho, double *M);

// K parts >= 0 with lt = sum part_k d_k and sum part_k <= mu ln; sliding: = mu ln.
void cone_parts(const polygon *C, double mu, int32_t face, const double *l, double *part);
// max(0, max -d_k . vt): how fast it slides
double cone_speed(const polygon *C, const double *v);

#endif
