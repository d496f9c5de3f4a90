// qp_problems.c: the quadratic programs of qp_problems.h.
#include "qp_problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *take(size_t count, size_t size) {
  void *p = calloc(count > 0 ? count : 1, size);
  if (p == NULL) {
    fprintf(stderr, "no memory for %zu numbers\n", count);
    exit(6);
  }
  return p;
}

static void add(qp_list *list, int32_t row, int32_t column, double value) {
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
static void begin(qp_problem *qp, int32_t variables, int32_t rows) {
  *qp = (qp_problem){.variables = variables, .rows = rows};
  double **const of_variables[] = {&qp->q, &qp->lo, &qp->hi};
  for (int k = 0; k < 3; k++) *of_variables[k] = take((size_t)variables, sizeof(double));
  qp->low = take((size_t)rows, sizeof(double));
  qp->high = take((size_t)rows, sizeof(double));
  for (int32_t j = 0; j < variables; j++) {
    qp->lo[j] = -(double)INFINITY;
    qp->hi[j] = (double)INFINITY;
  }
  for (int32_t i = 0; i < rows; i++) qp->high[i] = (double)INFINITY;
}

static void fix(qp_problem *qp, int32_t j, double value) { qp->lo[j] = qp->hi[j] = value; }

static void equation(qp_problem *qp, int32_t i, double value) { qp->low[i] = qp->high[i] = value; }

// weight/2 (sum of coefficient[k] v[index[k]] - centre)^2
static void add_square(qp_problem *qp, double weight, int32_t terms, const int32_t *index,
                       const double *coefficient, double centre) {
  for (int32_t k = 0; k < terms; k++) {
    for (int32_t m = 0; m < terms; m++)
      add(&qp->P, index[k], index[m], weight*coefficient[k]*coefficient[m]);
    qp->q[index[k]] -= weight*centre*coefficient[k];
  }
  qp->constant += 0.5*weight*centre*centre;
}

static void add_square_of(qp_problem *qp, double weight, int32_t j, double centre) {
  const double one = 1.0;
  add_square(qp, weight, 1, &j, &one, centre);
}

// ---- regression under a convexity constraint ----

static double exact_curve(int32_t variant, double t) {
  const double pi = acos(-1.0);
  switch (variant) {
    case 1: return sqrt(t);
    case 4: return t*t*t;
    case 7: return sin(pi*t);
    default: return 0.0;
  }
}

// LISWET: the convex sequence nearest to samples of a curve with 0.1 sin(i) added.
static void make_liswet(qp_problem *qp, int32_t size, int32_t variant) {
  const int32_t variables = size + 2;
  begin(qp, variables, size);
  for (int32_t i = 0; i < variables; i++) {
    const double t = (double)i/(variables - 1);
    add_square_of(qp, 1.0, i, exact_curve(variant, t) + 0.1*sin(i + 1.0));
  }
  for (int32_t i = 0; i < size; i++) {
    add(&qp->B, i, i, 1.0);
    add(&qp->B, i, i + 1, -2.0);
    add(&qp->B, i, i + 2, 1.0);
  }
}

// YAO: the same for sin(t), with the first value at least 0.08 and the last two fixed at 0.
static void make_yao(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  const int32_t variables = size + 2;
  begin(qp, variables, size);
  for (int32_t i = 0; i < variables; i++)
    add_square_of(qp, 1.0, i, sin((i + 1.0)/variables));
  for (int32_t i = 0; i < size; i++) {
    add(&qp->B, i, i, 1.0);
    add(&qp->B, i, i + 1, -2.0);
    add(&qp->B, i, i + 2, 1.0);
  }
  qp->lo[0] = 0.08;
  fix(qp, size, 0.0);
  fix(qp, size + 1, 0.0);
}

// ---- control ----

// UBH1: bring a vehicle to rest at the origin within 1000 seconds, with accelerations u in [-1, 1]
// as small as possible; trapezoidal rule with `size` steps.
static void make_ubh1(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  const int32_t points = size + 1;
  const double step = 1000.0/size;
  begin(qp, 9*points, 6*size);
  for (int32_t k = 0; k < 6; k++) {   // positions 0..2, velocities 3..5; accelerations are 6..8
    for (int32_t t = 1; t <= size; t++) {
      const int32_t row = k*size + t - 1, state = k*points + t, rate = (k + 3)*points + t;
      add(&qp->B, row, state, 1.0);
      add(&qp->B, row, state - 1, -1.0);
      add(&qp->B, row, rate, -0.5*step);
      add(&qp->B, row, rate - 1, -0.5*step);
      equation(qp, row, 0.0);
    }
    const double from = k < 3 ? 1000.0 : k == 4 ? 10.0 : -10.0;
    fix(qp, k*points, from);
    fix(qp, k*points + size, 0.0);
  }
  for (int32_t k = 6; k < 9; k++)
    for (int32_t t = 0; t <= size; t++) {
      const int32_t j = k*points + t;
      qp->lo[j] = -1.0;
      qp->hi[j] = 1.0;
      add_square_of(qp, t == 0 || t == size ? step : 2.0*step, j, 0.0);
    }
}

// DTOC3: a discrete-time control problem with one control and two states.
static void make_dtoc3(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  const double s = 1.0/size;
  begin(qp, 3*size - 1, 2*(size - 1));   // controls, then pairs of states
  for (int32_t t = 0; t < size - 1; t++) {
    const int32_t now = size - 1 + 2*t, next = now + 2;
    add_square_of(qp, 2.0*6.0*0.5*s, t, 0.0);
    add_square_of(qp, 2.0*2.0*0.5*s, next, 0.0);
    add_square_of(qp, 2.0*1.0*0.5*s, next + 1, 0.0);
    add(&qp->B, 2*t, next, -1.0);
    add(&qp->B, 2*t, now, 1.0);
    add(&qp->B, 2*t, now + 1, s);
    add(&qp->B, 2*t + 1, next + 1, -1.0);
    add(&qp->B, 2*t + 1, now + 1, 1.0);
    add(&qp->B, 2*t + 1, now, -s);
    add(&qp->B, 2*t + 1, t, s);
    equation(qp, 2*t, 0.0);
    equation(qp, 2*t + 1, 0.0);
  }
  fix(qp, size - 1, 15.0);
  fix(qp, size, 5.0);
}

// ---- a random-like pattern ----

// CVXQP1, 2, 3: `size` squares of three variables each; size/2, size/4 or 3 size/4 equations.
static void make_cvxqp(qp_problem *qp, int32_t size, int32_t variant) {
  const int32_t n = size, rows = variant == 1 ? n/2 : variant == 2 ? n/4 : 3*n/4;
  begin(qp, n, rows);
  const double ones[] = {1.0, 1.0, 1.0};
  for (int32_t i = 1; i <= n; i++) {
    const int32_t index[] = {i - 1, (2*i - 1)%n, (3*i - 1)%n};
    add_square(qp, i, 3, index, ones, 0.0);
    qp->lo[i - 1] = 0.1;
    qp->hi[i - 1] = 10.0;
  }
  for (int32_t i = 1; i <= rows; i++) {
    add(&qp->B, i - 1, i - 1, 1.0);
    add(&qp->B, i - 1, (4*i - 1)%n, 2.0);
    add(&qp->B, i - 1, (5*i - 1)%n, 3.0);
    equation(qp, i - 1, 6.0);
  }
}

// ---- others ----

// POWELL20: the shortest v whose neighbours differ by alternating amounts; degenerate.
static void make_powell20(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  begin(qp, size, size);
  for (int32_t k = 1; k <= size; k++) {
    const int32_t next = k < size ? k : 0;
    add_square_of(qp, 1.0, k - 1, 0.0);
    add(&qp->B, k - 1, next, 1.0);
    add(&qp->B, k - 1, k - 1, -1.0);
    qp->low[k - 1] = k == size ? size - 0.5 : (k%2 == 0 ? k : -k) - 0.5;
  }
}

// KSIP: a polynomial of degree 19 above sin(t) at 1001 points; nearly parallel rows.
static void make_ksip(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  const int32_t degree = 20;
  begin(qp, degree, size + 1);
  for (int32_t j = 0; j < degree; j++) {
    add_square_of(qp, 1.0/(j + 1), j, 0.0);
    qp->q[j] = 1.0/(j + 1);
  }
  for (int32_t i = 0; i <= size; i++) {
    const double t = (double)i/size;
    double power = 1.0;
    for (int32_t j = 0; j < degree && power != 0.0; j++, power *= t) add(&qp->B, i, j, power);
    qp->low[i] = sin(t);
  }
}

// AUG2D: Laplace's equation on size x size nodes as a least-squares problem for the flows between
// them; those across the edge cost nothing.
static void make_aug2d(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  const int32_t n = size, inner = 2*n*(n - 1), all = inner + 4*n;
  begin(qp, all, n*n);
  int32_t j = 0;
  for (int32_t row = 0; row < n; row++)
    for (int32_t column = 0; column < n; column++) {
      const int32_t node = row*n + column;
      if (column < n - 1) {
        add(&qp->B, node, j, 1.0);
        add(&qp->B, node + 1, j++, -1.0);
      }
      if (row < n - 1) {
        add(&qp->B, node, j, 1.0);
        add(&qp->B, node + n, j++, -1.0);
      }
    }
  for (int32_t k = 0; k < n; k++) {
    const int32_t edge[] = {k, (n - 1)*n + k, k*n, k*n + n - 1};
    for (int side = 0; side < 4; side++) add(&qp->B, edge[side], j++, 1.0);
  }
  for (int32_t i = 0; i < n*n; i++) equation(qp, i, 1.0);
  for (int32_t k = 0; k < inner; k++) add_square_of(qp, 1.0, k, 0.0);
}

// STCQP1, STCQP2: sums of squares over powers of two, 2^size + 1 variables within [-2, 2].
static void make_stcqp(qp_problem *qp, int32_t size, int32_t variant) {
  const int32_t n = 1 << size, groups = n/size, odd = (groups + 1)/2;
  begin(qp, n + 1, odd*size);
  for (int32_t i = 0; i <= n; i++) {
    add_square_of(qp, 2.0, i, 0.0);
    qp->lo[i] = -2.0;
    qp->hi[i] = 2.0;
  }
  for (int32_t l = 1; l <= groups; l++)
    for (int32_t i = 1; i <= size; i++) {
      int32_t index[31];
      double ones[31];
      for (int32_t j = 0; j < i; j++) {
        index[j] = (1 << j) + l;
        ones[j] = 1.0;
      }
      add_square(qp, 2.0, i, index, ones, 0.0);
      if (l%2 == 0) continue;
      const int32_t row = (l - 1)/2*size + i - 1;
      for (int32_t j = 0; j < i; j++)
        add(&qp->B, row, variant == 1 ? (1 << j) + l - 1 : (l - 1)*size + j + 1, 1.0);
      equation(qp, row, i);
    }
}

static double knot(int32_t i) { return i == 1 ? 2.0 : 1.0 + pow(1.01, i - 1); }

// GOULDQP2: knots within intervals, and the spaces between them as even as possible.
static void make_gouldqp(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  const int32_t K = size;
  begin(qp, 2*K - 1, K - 1);
  const double difference[] = {-1.0, 1.0};
  for (int32_t i = 1; i <= K; i++) {
    qp->lo[i - 1] = knot(i);
    qp->hi[i - 1] = knot(i + 1);
  }
  for (int32_t i = 1; i < K; i++) {
    const int32_t space = K + i - 1, spaces[] = {space, space + 1};
    const double room = knot(i + 2) - knot(i);
    qp->lo[space] = 0.4*room;
    qp->hi[space] = 0.6*room;
    if (i < K - 1) add_square(qp, 1.0, 2, spaces, difference, 0.0);
    add(&qp->B, i - 1, space, 1.0);
    add(&qp->B, i - 1, i, -1.0);
    add(&qp->B, i - 1, i - 1, 1.0);
    equation(qp, i - 1, 0.0);
  }
}

// ---- the list ----

const qp_family qp_families[] = {
  {"LISWET1", 10000, 1, 3.6122402e1, make_liswet},
  {"LISWET4", 10000, 4, 2.5000112e1, make_liswet},
  {"LISWET7", 10000, 7, 4.9884089e2, make_liswet},
  {"YAO", 2000, 0, 1.9770426e2, make_yao},
  {"UBH1", 2000, 0, 1.1160008, make_ubh1},
  {"DTOC3", 5000, 0, 2.3526248e2, make_dtoc3},
  {"CVXQP1_S", 100, 1, 1.1590718e4, make_cvxqp},
  {"CVXQP2_S", 100, 2, 8.1209405e3, make_cvxqp},
  {"CVXQP3_S", 100, 3, 1.1943432e4, make_cvxqp},
  {"CVXQP1_M", 1000, 1, 1.0875116e6, make_cvxqp},
  {"CVXQP2_M", 1000, 2, 8.2015543e5, make_cvxqp},
  {"CVXQP3_M", 1000, 3, 1.3628287e6, make_cvxqp},
  {"CVXQP1_L", 10000, 1, 1.0870480e8, make_cvxqp},
  {"CVXQP2_L", 10000, 2, 8.1842458e7, make_cvxqp},
  {"CVXQP3_L", 10000, 3, 1.1571110e8, make_cvxqp},
  {"POWELL20", 10000, 0, 5.2089583e10, make_powell20},
  {"KSIP", 1000, 0, 5.7579794e-1, make_ksip},
  {"AUG2D", 100, 0, 1.6874118e6, make_aug2d},
  {"STCQP1", 12, 1, 1.5514356e5, make_stcqp},
  {"STCQP2", 12, 2, 2.2327313e4, make_stcqp},
  {"GOULDQP2", 350, 0, 1.8427534e-4, make_gouldqp},
};
const int32_t qp_family_count = (int32_t)(sizeof qp_families/sizeof qp_families[0]);

const qp_family *qp_find(const char *name) {
  for (int32_t k = 0; k < qp_family_count; k++)
    if (strcmp(qp_families[k].name, name) == 0) return &qp_families[k];
  return NULL;
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

static int has_slack(const qp_problem *qp, int32_t i) {
  return qp->low[i] > -(double)INFINITY && qp->high[i] < (double)INFINITY &&
         qp->low[i] < qp->high[i];
}

void qp_complementarity_make(qp_complementarity *c, const qp_problem *qp) {
  *c = (qp_complementarity){0};
  for (int32_t i = 0; i < qp->rows; i++) c->slacks += has_slack(qp, i);
  const int32_t first = qp->variables + c->slacks, n = c->n = first + qp->rows;
  double **const vectors[] = {&c->b, &c->lo, &c->hi};
  for (int k = 0; k < 3; k++) *vectors[k] = take((size_t)n, sizeof(double));
  qp_list all = {0};
  for (int32_t k = 0; k < qp->P.count; k++)
    add(&all, qp->P.entry[k].row, qp->P.entry[k].column, qp->P.entry[k].value);
  for (int32_t k = 0; k < qp->B.count; k++) {
    const qp_triplet *e = &qp->B.entry[k];
    add(&all, first + e->row, e->column, e->value);
    add(&all, e->column, first + e->row, -e->value);
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
      add(&all, k, slack, -1.0);
      add(&all, slack, k, 1.0);
      slack++;
    } else {
      c->b[k] = below ? -low : above ? -high : 0.0;
    }
  }
  qsort(all.entry, (size_t)all.count, sizeof *all.entry, by_column);
  c->colptr = take((size_t)n + 1, sizeof *c->colptr);
  c->row = take((size_t)all.count, sizeof *c->row);
  c->value = take((size_t)all.count, sizeof *c->value);
  int32_t entries = 0;
  for (int32_t k = 0; k < all.count; k++) {
    const qp_triplet *e = &all.entry[k];
    const int again = k > 0 && e[-1].row == e->row && e[-1].column == e->column;
    if (!again) {
      c->row[entries++] = e->row;
      c->colptr[e->column + 1]++;
    }
    c->value[entries - 1] += e->value;
  }
  for (int32_t j = 0; j < n; j++) c->colptr[j + 1] += c->colptr[j];
  free(all.entry);
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
static double held(double y, double lo, double hi, double *residual) {
  const double limit = y > 0.0 ? lo : hi;
  if (fabs(limit) < (double)INFINITY) return y*limit;
  *residual = fmax(*residual, fabs(y));
  return 0.0;
}

static double outside(double v, double lo, double hi) { return fmax(0.0, fmax(lo - v, v - hi)); }

// Sums are in long double: the measures go down to 1e-9 where terms are 1e6 and more.
qp_measures qp_measure(const qp_problem *qp, const double *v, const double *l) {
  long double *gradient = take((size_t)qp->variables, sizeof *gradient);
  long double *rows = take((size_t)qp->rows, sizeof *rows);
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
    dual += held((double)gradient[j], qp->lo[j], qp->hi[j], &m.dual);
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
