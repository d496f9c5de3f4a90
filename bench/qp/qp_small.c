// qp_small.c: quadratic programs with at most 15 variables, most of them of Hock and Schittkowski
// (Test examples for nonlinear programming codes, 1981), whose numbers they have.
#include <math.h>

#include "qp_build.h"

#define INF ((double)INFINITY)
enum { MOST = 5 };                     // variables, and rows

typedef struct table {
  int32_t variables, rows;
  double constant;
  double P[MOST*MOST], q[MOST];        // variables x variables, by rows
  double B[MOST*MOST];                 // rows x variables
  double low[MOST], high[MOST], lo[MOST], hi[MOST];
} table;

#define FREE {-INF, -INF, -INF, -INF, -INF}
#define NO_LIMIT {INF, INF, INF, INF, INF}

static const table tables[] = {
  [QP_HS21] = {2, 1, -100.0, {0.02, 0, 0, 2}, {0}, {10, -1}, {10}, NO_LIMIT, {2, -50}, {50, 50}},
  [QP_HS35] = {3, 1, 9.0, {4, 2, 2, 2, 4, 0, 2, 0, 2}, {-8, -6, -4}, {1, 1, 2}, FREE, {3}, {0},
               NO_LIMIT},
  [QP_HS35MOD] = {3, 1, 9.0, {4, 2, 2, 2, 4, 0, 2, 0, 2}, {-8, -6, -4}, {1, 1, 2}, FREE, {3},
                  {0, 0.5, 0}, {INF, 0.5, INF}},
  [QP_HS51] = {5, 3, 6.0,
               {2, -2, 0, 0, 0, -2, 4, 2, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2},
               {0, -4, -4, -2, -2}, {1, 3, 0, 0, 0, 0, 0, 1, 1, -2, 0, 1, 0, 0, -1}, {4, 0, 0},
               {4, 0, 0}, FREE, NO_LIMIT},
  [QP_HS52] = {5, 3, 6.0,
               {32, -8, 0, 0, 0, -8, 4, 2, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2},
               {0, -4, -4, -2, -2}, {1, 3, 0, 0, 0, 0, 0, 1, 1, -2, 0, 1, 0, 0, -1}, {0}, {0}, FREE,
               NO_LIMIT},
  [QP_HS53] = {5, 3, 6.0,
               {2, -2, 0, 0, 0, -2, 4, 2, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2},
               {0, -4, -4, -2, -2}, {1, 3, 0, 0, 0, 0, 0, 1, 1, -2, 0, 1, 0, 0, -1}, {0}, {0},
               {-10, -10, -10, -10, -10}, {10, 10, 10, 10, 10}},
  [QP_HS76] = {4, 3, 0.0, {2, 0, -1, 0, 0, 1, 0, 0, -1, 0, 2, 1, 0, 0, 1, 1}, {-1, -3, 1, -1},
               {1, 2, 1, 1, 3, 1, 2, -1, 0, 1, 4, 0}, {-INF, -INF, 1.5}, {5, 4, INF}, {0},
               NO_LIMIT},
  [QP_HS268] = {5, 5, 14463.0,
                {20394, -24908, -2026, 3896, 658, -24908, 41818, -3466, -9828, -372, -2026, -3466,
                 3510, 2178, -348, 3896, -9828, 2178, 3030, -44, 658, -372, -348, -44, 54},
                {18340, -34198, 4542, 8672, 86},
                {-1, -1, -1, -1, -1, 10, 10, -3, 5, 4, -8, 1, -2, -5, 3, 8, -1, 2, 5, -3, -4, -2, 3,
                 -5, 1},
                {-5, 20, -40, 11, -30}, NO_LIMIT, FREE, NO_LIMIT},
  [QP_TAME] = {2, 1, 0.0, {2, -2, -2, 2}, {0}, {1, 1}, {1}, {1}, {0}, NO_LIMIT},
  [QP_ZECEVIC2] = {2, 2, 0.0, {0, 0, 0, 4}, {-2, -3}, {1, 1, 1, 4}, FREE, {2, 4}, {0}, {10, 10}},
  [QP_TEST] = {2, 2, 0.0, {8, 2, 2, 10}, {1.5, -2}, {2, 1, -1, 2}, {2, -INF}, {INF, 6}, {0},
               {20, INF}},
};

void qp_small(qp_problem *qp, int32_t size, int32_t variant) {
  (void)size;
  const table *t = &tables[variant];
  const int32_t n = t->variables;
  qp_begin(qp, n, t->rows);
  qp->constant = t->constant;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++)
      if (t->P[n*i + j] != 0.0) qp_add(&qp->P, i, j, t->P[n*i + j]);
    qp->q[i] = t->q[i];
    qp->lo[i] = t->lo[i];
    qp->hi[i] = t->hi[i];
  }
  for (int32_t i = 0; i < t->rows; i++) {
    for (int32_t j = 0; j < n; j++)
      if (t->B[n*i + j] != 0.0) qp_add(&qp->B, i, j, t->B[n*i + j]);
    qp->low[i] = t->low[i];
    qp->high[i] = t->high[i];
  }
}

// HS118: production of three goods in five periods; demands, and changes within limits.
void qp_hs118(qp_problem *qp, int32_t size, int32_t variant) {
  (void)size;
  (void)variant;
  static const double linear[] = {2.3, 1.7, 2.2}, quadratic[] = {1e-4, 1e-4, 1.5e-4};
  static const double demand[] = {60, 50, 70, 85, 100}, most[] = {90, 120, 60};
  static const double first[][2] = {{8, 21}, {43, 57}, {3, 16}}, rise[] = {6, 7, 6};
  qp_begin(qp, 15, 17);
  for (int32_t j = 0; j < 15; j++) {
    const int32_t period = j/3, good = j%3, change = 5 + 3*(period - 1) + good;
    qp_add_square_of(qp, 2.0*quadratic[good], j, 0.0);
    qp->q[j] += linear[good];
    qp->lo[j] = period == 0 ? first[good][0] : 0.0;
    qp->hi[j] = period == 0 ? first[good][1] : most[good];
    qp_add(&qp->B, period, j, 1.0);
    qp->low[period] = demand[period];
    if (period == 0) continue;
    qp_add(&qp->B, change, j, 1.0);
    qp_add(&qp->B, change, j - 3, -1.0);
    qp->low[change] = -7.0;
    qp->high[change] = rise[good];
  }
}

// GENHS28: sums of neighbours squared, with equations over three variables each.
void qp_genhs28(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  qp_begin(qp, size, size - 2);
  const double ones[] = {1.0, 1.0};
  for (int32_t i = 0; i + 1 < size; i++) {
    const int32_t two[] = {i, i + 1};
    qp_add_square(qp, 2.0, 2, two, ones, 0.0);
  }
  for (int32_t i = 0; i + 2 < size; i++) {
    for (int32_t k = 0; k < 3; k++) qp_add(&qp->B, i, i + k, k + 1.0);
    qp_equation(qp, i, 1.0);
  }
}
