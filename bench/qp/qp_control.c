// qp_control.c: optimal control, and flows between the nodes of a grid.
#include <math.h>

#include "qp_build.h"

// UBH1: bring a vehicle to rest at the origin within 1000 seconds, with accelerations u in [-1, 1]
// as small as possible; trapezoidal rule with `size` steps.
void qp_ubh1(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  const int32_t points = size + 1;
  const double step = 1000.0/size;
  qp_begin(qp, 9*points, 6*size);
  for (int32_t k = 0; k < 6; k++) {   // positions 0..2, velocities 3..5; accelerations are 6..8
    for (int32_t t = 1; t <= size; t++) {
      const int32_t row = k*size + t - 1, state = k*points + t, rate = (k + 3)*points + t;
      qp_add(&qp->B, row, state, 1.0);
      qp_add(&qp->B, row, state - 1, -1.0);
      qp_add(&qp->B, row, rate, -0.5*step);
      qp_add(&qp->B, row, rate - 1, -0.5*step);
      qp_equation(qp, row, 0.0);
    }
    const double from = k < 3 ? 1000.0 : k == 4 ? 10.0 : -10.0;
    qp_fix(qp, k*points, from);
    qp_fix(qp, k*points + size, 0.0);
  }
  for (int32_t k = 6; k < 9; k++)
    for (int32_t t = 0; t <= size; t++) {
      const int32_t j = k*points + t;
      qp->lo[j] = -1.0;
      qp->hi[j] = 1.0;
      qp_add_square_of(qp, t == 0 || t == size ? step : 2.0*step, j, 0.0);
    }
}

// DTOC3: a discrete-time control problem with one control and two states.
void qp_dtoc3(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  const double s = 1.0/size;
  qp_begin(qp, 3*size - 1, 2*(size - 1));   // controls, then pairs of states
  for (int32_t t = 0; t < size - 1; t++) {
    const int32_t now = size - 1 + 2*t, next = now + 2;
    qp_add_square_of(qp, 2.0*6.0*0.5*s, t, 0.0);
    qp_add_square_of(qp, 2.0*2.0*0.5*s, next, 0.0);
    qp_add_square_of(qp, 2.0*1.0*0.5*s, next + 1, 0.0);
    qp_add(&qp->B, 2*t, next, -1.0);
    qp_add(&qp->B, 2*t, now, 1.0);
    qp_add(&qp->B, 2*t, now + 1, s);
    qp_add(&qp->B, 2*t + 1, next + 1, -1.0);
    qp_add(&qp->B, 2*t + 1, now + 1, 1.0);
    qp_add(&qp->B, 2*t + 1, now, -s);
    qp_add(&qp->B, 2*t + 1, t, s);
    qp_equation(qp, 2*t, 0.0);
    qp_equation(qp, 2*t + 1, 0.0);
  }
  qp_fix(qp, size - 1, 15.0);
  qp_fix(qp, size, 5.0);
}

// The AUG problems: Laplace's equation on a grid of nodes as a least-squares problem for the flows
// between them. A flow leaves a node towards the next one where at most one of the node's
// coordinates is the last one. Every side of the grid has flows of its own, one for each direction
// along it. Variants are sums: with QP_AUG_SIDES the flows of the sides cost something too, with
// QP_AUG_BOUNDS flows are nonnegative, and with QP_AUG_LAST(d) those in direction d are at least 1
// where a coordinate is the last one.
static void flows(qp_problem *qp, int32_t dimensions, int32_t size, int32_t variant) {
  const int32_t last = size - 1;
  int32_t stride[4] = {1}, inner = dimensions*last, node_count = size;
  for (int32_t d = 1; d < dimensions; d++) node_count *= size;
  for (int32_t d = 0; d < dimensions; d++) stride[d + 1] = stride[d]*size;
  for (int32_t d = 2; d < dimensions; d++) inner *= last;
  inner *= last + dimensions - 1;
  int32_t j = 0, side = inner;
  qp_begin(qp, inner + 2*dimensions*(dimensions - 1)*(node_count/size), node_count);
  if (variant & QP_AUG_BOUNDS) qp_bound(qp, 0.0, (double)INFINITY);
  for (int32_t node = 0; node < node_count; node++) {
    int32_t place[3], ends = 0;
    for (int32_t d = 0; d < dimensions; d++) {
      place[d] = node/stride[d]%size;
      ends += place[d] == last;
    }
    qp_equation(qp, node, 1.0);
    for (int32_t d = 0; d < dimensions; d++) {
      if (ends <= 1 && place[d] < last) {
        qp_add(&qp->B, node, j, 1.0);
        qp_add(&qp->B, node + stride[d], j, -1.0);
        qp_add_square_of(qp, 1.0, j, 1.0);
        if (variant & QP_AUG_LAST(d) && ends == 1) qp->lo[j] = 1.0;
        j++;
      }
      const int32_t own = (dimensions - 1)*((place[d] == 0) + (place[d] == last));
      for (int32_t k = 0; k < own; k++, side++) {
        qp_add(&qp->B, node, side, 1.0);
        if (variant & QP_AUG_SIDES) qp_add_square_of(qp, 1.0, side, 1.0);
      }
    }
  }
}

void qp_aug2d(qp_problem *qp, int32_t size, int32_t variant) { flows(qp, 2, size, variant); }
void qp_aug3d(qp_problem *qp, int32_t size, int32_t variant) { flows(qp, 3, size, variant); }
