// qp_build.h: what the files with the definitions of quadratic programs share, and what they have.
#ifndef PERP_BENCH_QP_BUILD_H
#define PERP_BENCH_QP_BUILD_H

#include "qp_problems.h"

// All of these end the program without memory.
void *qp_take(size_t count, size_t size);
// Free variables, q = 0, and rows B v >= 0.
void qp_begin(qp_problem *qp, int32_t variables, int32_t rows);
void qp_add(qp_list *list, int32_t row, int32_t column, double value);
void qp_fix(qp_problem *qp, int32_t j, double value);
void qp_bound(qp_problem *qp, double lo, double hi);   // every variable
void qp_equation(qp_problem *qp, int32_t i, double value);
// weight/2 (sum of coefficient[k] v[index[k]] - centre)^2
void qp_add_square(qp_problem *qp, double weight, int32_t terms, const int32_t *index,
                   const double *coefficient, double centre);
void qp_add_square_of(qp_problem *qp, double weight, int32_t j, double centre);

typedef void qp_maker(qp_problem *qp, int32_t size, int32_t variant);
// qp_curves.c: curves and splines
qp_maker qp_liswet, qp_yao, qp_ksip, qp_gouldqp;
// qp_control.c: control, flows between nodes
enum { QP_AUG_SIDES = 1, QP_AUG_BOUNDS = 2 };
#define QP_AUG_LAST(d) (4 << (d))
qp_maker qp_ubh1, qp_dtoc3, qp_aug2d, qp_aug3d;
// qp_patterns.c: patterns that arithmetic on indices gives
qp_maker qp_cvxqp, qp_stcqp, qp_powell20, qp_huestis, qp_mosarqp;
// qp_small.c: at most 15 variables
enum {                       // variants of qp_small
  QP_HS21, QP_HS35, QP_HS35MOD, QP_HS51, QP_HS52, QP_HS53, QP_HS76, QP_HS268, QP_TAME, QP_ZECEVIC2,
  QP_TEST
};
qp_maker qp_small, qp_hs118, qp_genhs28;

#endif
