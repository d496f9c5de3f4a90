// drift.c: positions and orientations after a step of free motion.
//
//     x+ = x + h v,     Q+ = Q cay(h w_m),     I(w1 - w0) = -h w_m x I w_m,   w_m = (w0 + w1)/2
//
// with w in the body's axes and cay(a) = (1 - [a]/2)^-1 (1 + [a]/2), [a] b = a x b, the rotation of
// the unit quaternion along (1, a/2). This midpoint rule (Lewis, Simo 1994; Austin, Krishnaprasad,
// Wang 1993) keeps both invariants of free rotation exactly. Momentum: the equation times (1/2) is
//     (1 + h/2 [w_m]) I w1 = (1 - h/2 [w_m]) I w0,   that is   cay(h w_m) I w1 = I w0,
// so Q+ I w1 = Q I w0. Energy: w1'I w1 - w0'I w0 = 2 w_m'I(w1 - w0) = -2h w_m.(w_m x I w_m) = 0.
// Newton's method solves for w_m. w1 is then computed from the momentum, which is therefore kept to
// rounding even if Newton's method is not exact. A box that turns by more than about a radian in a
// step is turned in several parts. At about a hundred radians in a step Newton's method fails, and
// the box is turned about its momentum instead. This leaves w in the body's axes unchanged, so both
// invariants are kept.
#include "world.h"

enum { NEWTON_ITERATIONS_MAX = 12, PARTS_MAX = 64 };   // parts of a turn in one step

// m = w_m of one step; 1: to rounding
static int midpoint(const double *I, const double *w0, double h, double *m) {
  copy3(m, w0);
  double size = 0.0;
  for (int i = 0; i < 3; i++) size = fmax(size, I[i]*fabs(w0[i]));
  for (int round = 0; round < NEWTON_ITERATIONS_MAX; round++) {
    // F = I(m - w0) + h/2 m x I m
    const double Im[3] = {I[0]*m[0], I[1]*m[1], I[2]*m[2]};
    double F[3], worst = 0.0;
    cross3(m, Im, F);
    for (int i = 0; i < 3; i++) {
      F[i] = I[i]*(m[i] - w0[i]) + 0.5*h*F[i];
      worst = fmax(worst, fabs(F[i]));
    }
    if (worst <= 4e-16*size) return 1;
    // dF = I + h/2 ([m] I - [I m])
    const double s = 0.5*h;
    const double A[3][3] = {
      {I[0], s*(-m[2]*I[1] + Im[2]), s*(m[1]*I[2] - Im[1])},
      {s*(m[2]*I[0] - Im[2]), I[1], s*(-m[0]*I[2] + Im[0])},
      {s*(-m[1]*I[0] + Im[1]), s*(m[0]*I[1] - Im[0]), I[2]}};
    double c[3];   // Cramer's rule
    cross3(A[1], A[2], c);
    const double det = dot3(A[0], c);
    if (!(fabs(det) > 0.0)) return 0;
    const double B[3][3] = {
      {c[0], A[2][1]*A[0][2] - A[2][2]*A[0][1], A[0][1]*A[1][2] - A[0][2]*A[1][1]},
      {c[1], A[2][2]*A[0][0] - A[2][0]*A[0][2], A[0][2]*A[1][0] - A[0][0]*A[1][2]},
      {c[2], A[2][0]*A[0][1] - A[2][1]*A[0][0], A[0][0]*A[1][1] - A[0][1]*A[1][0]}};
    for (int i = 0; i < 3; i++) m[i] -= dot3(B[i], F)/det;
    if (!isfinite(m[0] + m[1] + m[2])) return 0;
    if (round > 2 && worst <= 1e-14*size) return 1;   // rounding is all that is left
  }
  return 0;
}

// q <- q (1, a/2) normalised: turned by cay(a), a in the body's axes
static void turn(double *q, const double *a) {
  const double by[4] = {1.0, 0.5*a[0], 0.5*a[1], 0.5*a[2]};
  double r[4];
  multiply4(q, by, r);
  normalise4(r);
  for (int i = 0; i < 4; i++) q[i] = r[i];
}

void drift_turn(double *q, const double *a) {
  const double by[4] = {1.0, 0.5*a[0], 0.5*a[1], 0.5*a[2]};
  double r[4];
  multiply4(by, q, r);
  normalise4(r);
  for (int i = 0; i < 4; i++) q[i] = r[i];
}

static void tumble(const body *b, perp_motion *m, double h) {
  double R[9], L[3], w0[3], wm[3], momentum[3];
  rotation(m->orientation, R);
  apply_transposed3(R, m->spin, w0);
  for (int i = 0; i < 3; i++) momentum[i] = b->inertia[i]*w0[i];
  apply3(R, momentum, L);   // in the world's axes: kept
  int parts = 1;
  while (parts < PARTS_MAX && h*norm3(w0) > parts) parts *= 2;
  for (int k = 0; k < parts; k++) {
    const double step = h/parts;
    const double size = norm3(momentum);
    if (!midpoint(b->inertia, w0, step, wm))
      for (int i = 0; i < 3; i++) wm[i] = size > 0.0 ? norm3(w0)*(momentum[i]/size) : w0[i];
    const double a[3] = {step*wm[0], step*wm[1], step*wm[2]};
    turn(m->orientation, a);
    rotation(m->orientation, R);
    apply_transposed3(R, L, momentum);
    for (int i = 0; i < 3; i++) w0[i] = momentum[i]/b->inertia[i];
  }
  apply3(R, w0, m->spin);
}

static double within(double value) { return smaller(larger(value, -MAGNITUDE_MAX), MAGNITUDE_MAX); }

static void slow_down(double *v) {
  const double most = larger(fabs(v[0]), larger(fabs(v[1]), fabs(v[2])));
  const int finite = isfinite(v[0] + v[1] + v[2]);
  if (finite && most <= MAGNITUDE_MAX) return;
  for (int i = 0; i < 3; i++) v[i] = finite ? within(v[i]*(MAGNITUDE_MAX/most)) : 0.0;
}

void drift_limit(perp_motion *m) {
  slow_down(m->velocity);
  slow_down(m->spin);
  for (int i = 0; i < 3; i++) m->position[i] = within(m->position[i]);
}

void drift(const body *b, perp_motion *m, double h) {
  drift_limit(m);
  for (int i = 0; i < 3; i++) m->position[i] += h*m->velocity[i];
  if (m->spin[0] == 0.0 && m->spin[1] == 0.0 && m->spin[2] == 0.0) return;
  if (b->round || b->flat || !moves(b)) {
    const double a[3] = {h*m->spin[0], h*m->spin[1], h*m->spin[2]};
    drift_turn(m->orientation, a);
  } else {
    tumble(b, m, h);
  }
}
