// qp_problems.h: convex quadratic programs that formulas define, and each as a complementarity
// problem.
//
//     min  1/2 v'P v + q'v + constant    where  low <= B v <= high,  lo <= v <= hi
//
// They are those members of the Maros-Meszaros test set (A repository of convex quadratic
// programming problems, Optimization Methods and Software 11, 1999) whose data a few lines of
// arithmetic give. Their definitions are those of the CUTEst collection (Gould, Orban, Toint 2015),
// which names the paper each one comes from; the optimal values are those of Maros and Meszaros.
#ifndef PERP_BENCH_QP_PROBLEMS_H
#define PERP_BENCH_QP_PROBLEMS_H

#include <stdint.h>

#include <perp/perp.h>

typedef struct qp_triplet {
  int32_t row, column;
  double value;
} qp_triplet;

typedef struct qp_list {     // entries that share a place are added up
  qp_triplet *entry;
  int32_t count, room;
} qp_list;

typedef struct qp_problem {
  int32_t variables, rows;
  qp_list P;                 // both triangles
  qp_list B;
  double *q, *lo, *hi;       // variables
  double *low, *high;        // rows
  double constant;
} qp_problem;

typedef struct qp_matrix {   // by columns, rows sorted
  int32_t *colptr, *row;     // columns + 1, entries
  double *value;             // entries
} qp_matrix;
qp_matrix qp_compress(const qp_list *list, int32_t columns);
void qp_matrix_free(qp_matrix *A);

typedef struct qp_family {
  const char *name;
  int32_t size, variant;     // what `make` is given
  double optimum;            // the published one, of data that were rounded to some digits
  void (*make)(qp_problem *qp, int32_t size, int32_t variant);
} qp_family;

extern const qp_family qp_families[];
extern const int32_t qp_family_count;

// NULL where there is none of this name.
const qp_family *qp_find(const char *name);
// With another size than the published one where size > 0. Ends the program without memory.
qp_problem qp_make(const qp_family *family, int32_t size);
void qp_free(qp_problem *qp);

// The optimality conditions as a complementarity problem. With x = (v, s, l) and s the values of
// the rows that have two different limits,
//     A = [P 0 -B'; 0 0 I'; B -I 0],   b = (q, 0, -limit)
// l is free in equations, l >= 0 where a row has a lower limit, l <= 0 where it has an upper one.
typedef struct qp_complementarity {
  int32_t n;
  int32_t slacks;            // rows with two different limits
  int32_t *colptr, *row;
  double *value, *b, *lo, *hi;   // n each, but for value
  perp_csc matrix;
  perp_problem problem;
} qp_complementarity;
// Fills an object that stays where it is: the problem points into it.
void qp_complementarity_make(qp_complementarity *c, const qp_problem *qp);
void qp_complementarity_free(qp_complementarity *c);

// What the public benchmark of QP solvers (qpsolvers/qpbenchmark) measures, all absolute: the
// largest violation of a row or bound, the largest entry of the gradient of the Lagrangian, and
// the difference of primal and dual objective. Bounds of v have the multipliers that their sign
// allows.
typedef struct qp_measures {
  double primal, dual, gap;
  double objective;          // with the constant
} qp_measures;
qp_measures qp_measure(const qp_problem *qp, const double *v, const double *l);
// The same of x of the complementarity problem.
qp_measures qp_measure_x(const qp_problem *qp, const qp_complementarity *c, const double *x);

#endif
