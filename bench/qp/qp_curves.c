// qp_curves.c: quadratic programs about curves and their knots.
#include <math.h>

#include "qp_build.h"

static double exact_curve(int32_t variant, double t) {
  const double pi = acos(-1.0);
  switch (variant) {
    case 1: return sqrt(t);
    case 2: return t;
    case 3: return t*t;
    case 4: return t*t*t;
    case 5: return exp(t);
    case 6: return exp(-t);
    case 7: return sin(pi*t);
    case 8: return sin(2.0*pi*t);
    case 9: return sin(4.0*pi*t);
    case 10: return cos(pi*t);
    case 11: return cos(2.0*pi*t);
    default: return cos(4.0*pi*t);
  }
}

// LISWET: the convex sequence nearest to samples of a curve with 0.1 sin(i) added.
void qp_liswet(qp_problem *qp, int32_t size, int32_t variant) {
  const int32_t variables = size + 2;
  qp_begin(qp, variables, size);
  for (int32_t i = 0; i < variables; i++) {
    const double t = (double)i/(variables - 1);
    qp_add_square_of(qp, 1.0, i, exact_curve(variant, t) + 0.1*sin(i + 1.0));
  }
  for (int32_t i = 0; i < size; i++) {
    qp_add(&qp->B, i, i, 1.0);
    qp_add(&qp->B, i, i + 1, -2.0);
    qp_add(&qp->B, i, i + 2, 1.0);
  }
}

// YAO: the same for sin(t), with the first value at least 0.08 and the last two fixed at 0.
void qp_yao(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  const int32_t variables = size + 2;
  qp_begin(qp, variables, size);
  for (int32_t i = 0; i < variables; i++)
    qp_add_square_of(qp, 1.0, i, sin((i + 1.0)/variables));
  for (int32_t i = 0; i < size; i++) {
    qp_add(&qp->B, i, i, 1.0);
    qp_add(&qp->B, i, i + 1, -2.0);
    qp_add(&qp->B, i, i + 2, 1.0);
  }
  qp->lo[0] = 0.08;
  qp_fix(qp, size, 0.0);
  qp_fix(qp, size + 1, 0.0);
}

// KSIP: a polynomial of degree 19 above sin(t) at 1001 points; nearly parallel rows.
void qp_ksip(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  const int32_t degree = 20;
  qp_begin(qp, degree, size + 1);
  for (int32_t j = 0; j < degree; j++) {
    qp_add_square_of(qp, 1.0/(j + 1), j, 0.0);
    qp->q[j] = 1.0/(j + 1);
  }
  for (int32_t i = 0; i <= size; i++) {
    const double t = (double)i/size;
    double power = 1.0;
    for (int32_t j = 0; j < degree && power != 0.0; j++, power *= t) qp_add(&qp->B, i, j, power);
    qp->low[i] = sin(t);
  }
}

static double knot(int32_t i) { return i == 1 ? 2.0 : 1.0 + pow(1.01, i - 1); }

// GOULDQP2: knots within intervals, and the spaces between them as even as possible. GOULDQP3: with
// every knot and the space of the opposite place near to a given sum as well.
void qp_gouldqp(qp_problem *qp, int32_t size, int32_t variant) {
  const int32_t K = size;
  qp_begin(qp, 2*K - 1, K - 1);
  const double difference[] = {-1.0, 1.0}, sum[] = {1.0, 1.0};
  for (int32_t i = 1; i <= K; i++) {
    qp->lo[i - 1] = knot(i);
    qp->hi[i - 1] = knot(i + 1);
  }
  for (int32_t i = 1; i < K; i++) {
    const int32_t space = K + i - 1, spaces[] = {space, space + 1}, opposite[] = {K - i - 1, space};
    const double room = knot(i + 2) - knot(i);
    qp->lo[space] = 0.4*room;
    qp->hi[space] = 0.6*room;
    if (i < K - 1) qp_add_square(qp, 1.0, 2, spaces, difference, 0.0);
    if (variant == 3) qp_add_square(qp, 1.0, 2, opposite, sum, knot(K + 1 - i));
    qp_add(&qp->B, i - 1, space, 1.0);
    qp_add(&qp->B, i - 1, i, -1.0);
    qp_add(&qp->B, i - 1, i - 1, 1.0);
    qp_equation(qp, i - 1, 0.0);
  }
}
