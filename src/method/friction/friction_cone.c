// friction_cone.c: solves the friction problem E13 (27) of one contact, face by face.
//
// With C = conv{d_k} the K + 2 rows of a contact say: ln >= 0 _|_ vn >= 0, lt in mu ln C, and lt is
// the point of mu ln C that removes most energy, so -vt is in its normal cone. A contact is open,
// sticks (three unknowns, v = 0), slides at a corner (one unknown ln, vn = 0), or slides on an edge
// (two unknowns, vn = 0 and vt across the edge). Each case is a system of at most three equations.
// The case whose inequalities hold is the solution. Cost: a few dozen operations if the hint is
// right.
#include "friction_cone.h"

#include <math.h>
#include <string.h>

#include "vector.h"

#define ROUNDING_RATIO 1e-13  // rounding of a comparison, relative to its terms

int polygon_set(polygon *C, int32_t K, int32_t tangents, const double *direction) {
  if (K > CONE_DIRECTIONS_MAX || K < 2 || (tangents == 1) != (K == 2)) return 0;
  *C = (polygon){.K = K};
  for (int32_t k = 0; k < K; k++)
    for (int32_t t = 0; t < tangents; t++) C->d[k][t] = direction[k*tangents + t];
  if (K == 2) {
    if (!(C->d[0][0]*C->d[1][0] < 0.0)) return 0;
    for (int32_t k = 0; k < 2; k++) {
      C->outward[k][0] = C->d[k][0] > 0.0 ? 1.0 : -1.0;
      C->height[k] = fabs(C->d[k][0]);
    }
    return 1;
  }
  for (int32_t k = 0; k < K; k++) {
    const double *a = C->d[k], *b = C->d[(k + 1)%K];
    C->edge[k][0] = b[0] - a[0];
    C->edge[k][1] = b[1] - a[1];
    C->outward[k][0] = C->edge[k][1];
    C->outward[k][1] = -C->edge[k][0];
    C->height[k] = a[0]*b[1] - a[1]*b[0];   // outward . a
    if (!(C->height[k] > 0.0)) return 0;
  }
  for (int32_t k = 0; k < K; k++)           // every corner is inside every edge: C is convex
    for (int32_t j = 0; j < K; j++)
      if (C->outward[k][0]*C->d[j][0] + C->outward[k][1]*C->d[j][1] >
          C->height[k]*(1.0 + 1e-12))
        return 0;
  return 1;
}

void cone_invert(cone_response *r) {
  const double *G = r->G;
  const double a = G[4]*G[8] - G[5]*G[7], b = G[5]*G[6] - G[3]*G[8], c = G[3]*G[7] - G[4]*G[6];
  const double determinant = G[0]*a + G[1]*b + G[2]*c;
  r->regular = determinant > 1e-14*G[0]*G[4]*G[8];
  if (!r->regular) return;
  const double s = 1.0/determinant;
  const double inverse[9] = {a*s, (G[2]*G[7] - G[1]*G[8])*s, (G[1]*G[5] - G[2]*G[4])*s,
                             b*s, (G[0]*G[8] - G[2]*G[6])*s, (G[2]*G[3] - G[0]*G[5])*s,
                             c*s, (G[1]*G[6] - G[0]*G[7])*s, (G[0]*G[4] - G[1]*G[3])*s};
  memcpy(r->inverse, inverse, sizeof inverse);
}

static int stick(const polygon *C, double mu, const cone_response *r, const double *q, double *l) {
  if (!r->regular) return 0;
  const double *I = r->inverse;
  for (int i = 0; i < 3; i++) l[i] = -(I[3*i]*q[0] + I[3*i + 1]*q[1] + I[3*i + 2]*q[2]);
  if (!(l[0] >= 0.0)) return 0;
  for (int32_t k = 0; k < C->K; k++)
    if (C->outward[k][0]*l[1] + C->outward[k][1]*l[2] > mu*l[0]*C->height[k]) return 0;
  return 1;
}

static int corner(const polygon *C, double mu, const double *G, const double *q, int32_t k,
                  double *l) {
  const double *d = C->d[k], d0 = mu*d[0], d1 = mu*d[1], pivot = G[0] + G[1]*d0 + G[2]*d1;
  if (!(pivot > 1e-12*G[0])) return 0;
  const double ln = -q[0]/pivot;
  const double v[2] = {q[1] + ln*(G[3] + G[4]*d0 + G[5]*d1),
                       q[2] + ln*(G[6] + G[7]*d0 + G[8]*d1)};
  const double speed = -(d[0]*v[0] + d[1]*v[1]), slip = ROUNDING_RATIO*(fabs(v[0]) + fabs(v[1]));
  const double *next = C->d[(k + 1)%C->K], *last = C->d[(k + C->K - 1)%C->K];
  if (!(speed >= -slip) || -(next[0]*v[0] + next[1]*v[1]) > speed + slip ||
      -(last[0]*v[0] + last[1]*v[1]) > speed + slip)
    return 0;
  l[0] = ln;
  l[1] = ln*d0;
  l[2] = ln*d1;
  return 1;
}

static int edge(const polygon *C, double mu, const double *G, const double *q, int32_t k,
                double *l) {
  const double *e = C->edge[k], *c = C->d[k], *d = C->d[(k + 1)%C->K];
  const double A[3] = {1.0, mu*c[0], mu*c[1]}, B[3] = {1.0, mu*d[0], mu*d[1]};
  double GA[3], GB[3];
  for (int i = 0; i < 3; i++) {
    GA[i] = G[3*i]*A[0] + G[3*i + 1]*A[1] + G[3*i + 2]*A[2];
    GB[i] = G[3*i]*B[0] + G[3*i + 1]*B[1] + G[3*i + 2]*B[2];
  }
  const double ta = e[0]*GA[1] + e[1]*GA[2], tb = e[0]*GB[1] + e[1]*GB[2],
               across = e[0]*q[1] + e[1]*q[2], determinant = GA[0]*tb - GB[0]*ta;
  if (!(fabs(determinant) > 1e-14*G[0]*G[0])) return 0;
  const double a = (-q[0]*tb + across*GB[0])/determinant,
               b = (-GA[0]*across + ta*q[0])/determinant,
               slip = -ROUNDING_RATIO*(fabs(a) + fabs(b));
  if (!(a >= slip && b >= slip)) return 0;
  const double v[2] = {q[1] + a*GA[1] + b*GB[1], q[2] + a*GA[2] + b*GB[2]};
  if (!(-(c[0]*v[0] + c[1]*v[1]) >= -ROUNDING_RATIO*(fabs(v[0]) + fabs(v[1])))) return 0;
  for (int i = 0; i < 3; i++) l[i] = a*A[i] + b*B[i];
  return 1;
}

int32_t cone_solve(const polygon *C, double mu, const cone_response *r, const double *q,
                   int32_t hint, double *l) {
  const int32_t K = C->K;
  l[0] = l[1] = l[2] = 0.0;
  if (q[0] >= 0.0) return CONE_OPEN;
  if (mu == 0.0) {
    l[0] = r->G[0] > 0.0 ? -q[0]/r->G[0] : 0.0;
    return r->G[0] > 0.0 ? CONE_SLIDE : -1;
  }
  if (hint >= CONE_SLIDE + K && edge(C, mu, r->G, q, hint - CONE_SLIDE - K, l)) return hint;
  if (hint >= CONE_SLIDE && hint < CONE_SLIDE + K && corner(C, mu, r->G, q, hint - CONE_SLIDE, l))
    return hint;
  if (stick(C, mu, r, q, l)) return CONE_STICK;
  for (int32_t k = 0; k < K; k++)
    if (corner(C, mu, r->G, q, k, l)) return CONE_SLIDE + k;
  for (int32_t k = 0; k < K && K > 2; k++)
    if (edge(C, mu, r->G, q, k, l)) return CONE_SLIDE + K + k;
  return -1;
}

int32_t cone_face(const polygon *C, double mu, int32_t face, double P[3][3], double R[3][3]) {
  const int32_t K = C->K;
  memset(P, 0, 9*sizeof(double));
  memset(R, 0, 9*sizeof(double));
  if (face == CONE_OPEN) return 0;
  if (face == CONE_STICK) {
    for (int i = 0; i < 3; i++) P[i][i] = R[i][i] = 1.0;
    return 3;
  }
  const int32_t k = (face - CONE_SLIDE)%K;
  P[0][0] = R[0][0] = 1.0;
  P[1][0] = mu*C->d[k][0];
  P[2][0] = mu*C->d[k][1];
  if (face < CONE_SLIDE + K) return 1;
  P[1][1] = R[1][1] = C->edge[k][0];
  P[2][1] = R[1][2] = C->edge[k][1];
  return 2;
}

int cone_yield(const polygon *C, double mu, int32_t face, const double *rho, double *M) {
  double P[3][3], R[3][3], E[2][2] = {{0.0}};
  const int32_t m = cone_face(C, mu, face, P, R);
  memset(M, 0, 9*sizeof *M);
  if (m == 3)
    for (int i = 0; i < 3; i++) M[4*i] = 1.0/rho[i];
  if (m == 0 || m == 3) return m != 0;
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++)
      for (int t = 0; t < 3; t++) E[i][j] += R[i][t]*rho[t]*P[t][j];
  if (m == 1) {
    E[0][0] = 1.0/E[0][0];
  } else {   // E01 = 0: the edge has no normal part
    const double below = -E[1][0]/(E[0][0]*E[1][1]);
    E[0][0] = 1.0/E[0][0];
    E[1][1] = 1.0/E[1][1];
    E[1][0] = below;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int32_t a = 0; a < m; a++)
        for (int32_t b = 0; b <= a; b++) M[3*i + j] += P[i][a]*E[a][b]*R[b][j];
  return 1;
}

void cone_parts(const polygon *C, double mu, int32_t face, const double *l, double *part) {
  const int32_t K = C->K;
  for (int32_t k = 0; k < K; k++) part[k] = 0.0;
  if (!(l[0] > 0.0) || mu == 0.0) return;
  const double most = mu*l[0];
  if (face >= CONE_SLIDE && face < CONE_SLIDE + K) {
    part[face - CONE_SLIDE] = most;
    return;
  }
  if (K == 2) {
    const int32_t k = l[1]*C->d[0][0] > 0.0 ? 0 : 1;
    part[k] = min2(l[1]/C->d[k][0], most);
    return;
  }
  int32_t best = 0;
  double worst = -(double)INFINITY, a = 0.0, b = 0.0;   // the sector that contains lt
  for (int32_t k = 0; k < K; k++) {
    const double *c = C->d[k], *d = C->d[(k + 1)%K];
    const double x = (l[1]*d[1] - l[2]*d[0])/C->height[k], y = (c[0]*l[2] - c[1]*l[1])/C->height[k];
    if (!(min2(x, y) > worst)) continue;
    worst = min2(x, y);
    best = k;
    a = max2(x, 0.0);
    b = max2(y, 0.0);
  }
  if (a + b > most || (face >= CONE_SLIDE + K && a + b > 0.0)) {
    b = most*(b/(a + b));
    a = most - b;
  }
  part[best] = a;
  part[(best + 1)%K] = b;
}

double cone_speed(const polygon *C, const double *v) {
  double speed = 0.0;
  for (int32_t k = 0; k < C->K; k++)
    speed = max2(speed, -(C->d[k][0]*v[1] + C->d[k][1]*v[2]));
  return speed;
}
