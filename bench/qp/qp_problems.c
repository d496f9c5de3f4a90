// qp_problems.c: how quadratic programs are put together, their complementarity problems, and what
// an answer is worth. The problems are in the files that qp_build.h lists.
#include "qp_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *qp_take(size_t count, size_t size) {
  void *p = calloc(count > 0 ? count : 1, size);
  if (p == NULL) {
    fprintf(stderr, "no memory for %zu numbers\n", count);
    exit(6);
  }
  return p;
}

void qp_add(qp_list *list, int32_t row, int32_t column, double value) {
  if (list->count == list->room) {
    list->room = 2*list->room + 64;
    qp_triplet *more = realloc(list->entry, (size_t)list->room*sizeof *more);
    if (more == NULL) {
      fprintf(stderr, "no memory for %d entries\n", list->room);
      exit(6);
    }
    list->entry = more;
  }
  list->entry[list->count++] = (qp_triplet){row, column, value};
}

// Free variables, and rows B v >= 0.
void qp_begin(qp_problem *qp, int32_t variables, int32_t rows) {
  *qp = (qp_problem){.variables = variables, .rows = rows};
  double **const of_variables[] = {&qp->q, &qp->lo, &qp->hi};
  for (int k = 0; k < 3; k++) *of_variables[k] = qp_take((size_t)variables, sizeof(double));
  qp->low = qp_take((size_t)rows, sizeof(double));
  qp->high = qp_take((size_t)rows, sizeof(double));
  for (int32_t j = 0; j < variables; j++) {
    qp->lo[j] = -(double)INFINITY;
    qp->hi[j] = (double)INFINITY;
  }
  for (int32_t i = 0; i < rows; i++) qp->high[i] = (double)INFINITY;
}

void qp_fix(qp_problem *qp, int32_t j, double value) { qp->lo[j] = qp->hi[j] = value; }

void qp_bound(qp_problem *qp, double lo, double hi) {
  for (int32_t j = 0; j < qp->variables; j++) {
    qp->lo[j] = lo;
    qp->hi[j] = hi;
  }
}

void qp_equation(qp_problem *qp, int32_t i, double value) { qp->low[i] = qp->high[i] = value; }

// weight/2 (sum of coefficient[k] v[index[k]] - centre)^2
void qp_add_square(qp_problem *qp, double weight, int32_t terms, const int32_t *index,
                       const double *coefficient, double centre) {
  for (int32_t k = 0; k < terms; k++) {
    for (int32_t m = 0; m < terms; m++)
      qp_add(&qp->P, index[k], index[m], weight*coefficient[k]*coefficient[m]);
    qp->q[index[k]] -= weight*centre*coefficient[k];
  }
  qp->constant += 0.5*weight*centre*centre;
}

void qp_add_square_of(qp_problem *qp, double weight, int32_t j, double centre) {
  const double one = 1.0;
  qp_add_square(qp, weight, 1, &j, &one, centre);
}

qp_problem qp_make(const qp_family *family, int32_t size) {
  qp_problem qp;
  family->make(&qp, size > 0 ? size : family->size, family->variant);
  return qp;
}

void qp_free(qp_problem *qp) {
  void *const all[] = {qp->P.entry, qp->B.entry, qp->q, qp->lo, qp->hi, qp->low, qp->high};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) free(all[k]);
}

// ---- the complementarity problem ----

static int by_column(const void *left, const void *right) {
  const qp_triplet *a = left, *b = right;
  return a->column != b->column ? (a->column < b->column ? -1 : 1)
                                : (a->row > b->row) - (a->row < b->row);
}

qp_matrix qp_compress(const qp_list *list, int32_t columns) {
  qp_triplet *sorted = qp_take((size_t)list->count, sizeof *sorted);
  if (list->count > 0) memcpy(sorted, list->entry, (size_t)list->count*sizeof *sorted);
  qsort(sorted, (size_t)list->count, sizeof *sorted, by_column);
  qp_matrix A = {.colptr = qp_take((size_t)columns + 1, sizeof *A.colptr),
                 .row = qp_take((size_t)list->count, sizeof *A.row),
                 .value = qp_take((size_t)list->count, sizeof *A.value)};
  int32_t entries = 0;
  for (int32_t k = 0; k < list->count; k++) {
    const qp_triplet *e = &sorted[k];
    const int again = k > 0 && e[-1].row == e->row && e[-1].column == e->column;
    if (!again) {
      A.row[entries++] = e->row;
      A.colptr[e->column + 1]++;
    }
    A.value[entries - 1] += e->value;
  }
  for (int32_t j = 0; j < columns; j++) A.colptr[j + 1] += A.colptr[j];
  free(sorted);
  return A;
}

void qp_matrix_free(qp_matrix *A) {
  free(A->colptr);
  free(A->row);
  free(A->value);
}

static int has_slack(const qp_problem *qp, int32_t i) {
  return qp->low[i] > -(double)INFINITY && qp->high[i] < (double)INFINITY &&
         qp->low[i] < qp->high[i];
}

void qp_complementarity_make(qp_complementarity *c, const qp_problem *qp) {
  *c = (qp_complementarity){0};
  for (int32_t i = 0; i < qp->rows; i++) c->slacks += has_slack(qp, i);
  const int32_t first = qp->variables + c->slacks, n = c->n = first + qp->rows;
  double **const vectors[] = {&c->b, &c->lo, &c->hi};
  for (int k = 0; k < 3; k++) *vectors[k] = qp_take((size_t)n, sizeof(double));
  qp_list all = {0};
  for (int32_t k = 0; k < qp->P.count; k++)
    qp_add(&all, qp->P.entry[k].row, qp->P.entry[k].column, qp->P.entry[k].value);
  for (int32_t k = 0; k < qp->B.count; k++) {
    const qp_triplet *e = &qp->B.entry[k];
    qp_add(&all, first + e->row, e->column, e->value);
    qp_add(&all, e->column, first + e->row, -e->value);
  }
  for (int32_t j = 0; j < qp->variables; j++) {
    c->b[j] = qp->q[j];
    c->lo[j] = qp->lo[j];
    c->hi[j] = qp->hi[j];
  }
  int32_t slack = qp->variables;
  for (int32_t i = 0; i < qp->rows; i++) {
    const double low = qp->low[i], high = qp->high[i];
    const int below = low > -(double)INFINITY, above = high < (double)INFINITY;
    const int32_t k = first + i;
    c->lo[k] = below && !above ? 0.0 : -(double)INFINITY;
    c->hi[k] = above && !below ? 0.0 : (double)INFINITY;
    if (has_slack(qp, i)) {
      c->lo[slack] = low;
      c->hi[slack] = high;
      qp_add(&all, k, slack, -1.0);
      qp_add(&all, slack, k, 1.0);
      slack++;
    } else {
      c->b[k] = below ? -low : above ? -high : 0.0;
    }
  }
  const qp_matrix A = qp_compress(&all, n);
  free(all.entry);
  c->colptr = A.colptr;
  c->row = A.row;
  c->value = A.value;
  c->matrix = (perp_csc){.rows = n, .columns = n, .colptr = c->colptr, .row = c->row,
                         .value = c->value};
  c->problem = (perp_problem){.A = perp_from_csc(&c->matrix, 0), .b = c->b, .lo = c->lo,
                              .hi = c->hi};
}

void qp_complementarity_free(qp_complementarity *c) {
  void *const all[] = {c->colptr, c->row, c->value, c->b, c->lo, c->hi};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) free(all[k]);
}

// ---- what an answer is worth ----

// Where y > 0 the lower limit holds v, where y < 0 the upper one; a limit that is infinite holds
// nothing, and y is a residual.
static long double held(long double y, double lo, double hi, double *residual) {
  const double limit = y > 0.0L ? lo : hi;
  if (fabs(limit) < (double)INFINITY) return y*limit;
  *residual = fmax(*residual, (double)fabsl(y));
  return 0.0L;
}

static double outside(double v, double lo, double hi) { return fmax(0.0, fmax(lo - v, v - hi)); }

// Sums and products are in long double: the measures go down to 1e-9 where terms are 1e11.
qp_measures qp_measure(const qp_problem *qp, const double *v, const double *l) {
  long double *gradient = qp_take((size_t)qp->variables, sizeof *gradient);
  long double *rows = qp_take((size_t)qp->rows, sizeof *rows);
  long double quadratic = 0.0L, linear = 0.0L, dual = 0.0L;
  for (int32_t k = 0; k < qp->P.count; k++) {
    const qp_triplet *e = &qp->P.entry[k];
    gradient[e->row] += (long double)e->value*v[e->column];
  }
  for (int32_t j = 0; j < qp->variables; j++) {
    quadratic += gradient[j]*v[j];
    linear += (long double)qp->q[j]*v[j];
    gradient[j] += qp->q[j];
  }
  for (int32_t k = 0; k < qp->B.count; k++) {
    const qp_triplet *e = &qp->B.entry[k];
    gradient[e->column] -= (long double)e->value*l[e->row];
    rows[e->row] += (long double)e->value*v[e->column];
  }
  qp_measures m = {0};
  for (int32_t j = 0; j < qp->variables; j++) {
    m.primal = fmax(m.primal, outside(v[j], qp->lo[j], qp->hi[j]));
    dual += held(gradient[j], qp->lo[j], qp->hi[j], &m.dual);
  }
  for (int32_t i = 0; i < qp->rows; i++) {
    m.primal = fmax(m.primal, (double)fmaxl(qp->low[i] - rows[i], rows[i] - qp->high[i]));
    dual += held(l[i], qp->low[i], qp->high[i], &m.dual);
  }
  m.gap = (double)fabsl(quadratic + linear - dual);
  m.objective = (double)(0.5L*quadratic + linear + qp->constant);
  free(gradient);
  free(rows);
  return m;
}

qp_measures qp_measure_x(const qp_problem *qp, const qp_complementarity *c, const double *x) {
  return qp_measure(qp, x, x + qp->variables + c->slacks);
}
