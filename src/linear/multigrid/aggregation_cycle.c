// aggregation_cycle.c: the cycle over the levels of aggregation.c, and conjugate gradients with it.
//
// A cycle is a forward Gauss-Seidel pass, the coarse correction, and a backward pass. Coarse levels
// take two steps of conjugate gradients around the cycle (K-cycle; Notay 2010, whose analysis
// bounds the condition for M-matrices independently of n). Vectors are in float, with the matrices
// of float_matrix.h. After a pass the residual of the last colour is 0. So half of the places of a
// grid restrict nothing and need no correction. A solution in float would have an error of eps
// times the condition in its smooth parts. So the sum of the steps is in double, and products are
// sums of differences.
// Cost: about four products in float per cycle, six per step of conjugate gradients.
#include "aggregation_parts.h"

#include <math.h>
#include <string.h>

#include "dense_kernels.h"
#include "vector.h"

#define ONE_STEP_RESIDUAL_MAX 0.25   // relative; below it one coarse step is enough

typedef struct job {
  const float_matrix *s;
  const level *l, *next;
  const float *a, *b;
  float *u, *v;
  double *sums;                    // 3 per part
  double *total, *into;            // places; rows
  const double *x;                 // rows
  double t;
  float f, g;
} job;

static double inner(const float *a, const float *b, int32_t from, int32_t to) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  for (int32_t i = from; i < to; i += 4)
    for (int32_t k = 0; k < 4; k++) sum[k] += (double)a[i + k]*(double)b[i + k];
  return sum[0] + sum[1] + (sum[2] + sum[3]);
}

static double summed(const job *j, int32_t which) {
  double sum = 0.0;
  for (int32_t p = 0; p < float_matrix_parts(j->s); p++) sum += j->sums[3*p + which];
  return sum;
}

// u = A a; sums: u'a, a'b, and a'v unless v is NULL
static void product_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  float_matrix_product(j->s, from, to, j->a, j->u);
  j->sums[3*part] = inner(j->u, j->a, LANES*from, LANES*to);
  j->sums[3*part + 1] = inner(j->a, j->b, LANES*from, LANES*to);
  if (j->v != NULL) j->sums[3*part + 2] = inner(j->a, j->v, LANES*from, LANES*to);
}

// u = f a, v -= f b; sums: v'v before and after.
static void first_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  j->sums[3*part] = inner(j->v, j->v, LANES*from, LANES*to);
  for (int32_t i = LANES*from; i < LANES*to; i++) {
    j->u[i] = j->f*j->a[i];
    j->v[i] -= j->f*j->b[i];
  }
  j->sums[3*part + 1] = inner(j->v, j->v, LANES*from, LANES*to);
}

// u += f a + g b
static void second_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  (void)part;
  for (int32_t i = LANES*from; i < LANES*to; i++) j->u[i] += j->f*j->a[i] + j->g*j->b[i];
}

// For slices of the next level: u = the sum of the residuals a in each aggregate.
static void restrict_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  (void)part;
  const int32_t count = j->next->children;
  for (int32_t i = LANES*from; i < LANES*to; i++) {
    const int32_t *child = j->next->child + (size_t)i*(size_t)count;
    float sum = 0.0f;
    for (int32_t k = 0; k < count; k++) sum += j->a[child[k]];
    j->u[i] = sum;
  }
}

// u += the correction a, except where a backward pass overwrites u.
static void prolong_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  const int32_t exact = float_matrix_exact(j->s), end = LANES*to < exact ? LANES*to : exact;
  (void)part;
  for (int32_t i = LANES*from; i < end; i++)
    j->u[i] += j->s->inverse[i] != 0.0f ? j->a[j->l->parent[i]] : 0.0f;
}

static void solve_last(aggregation *g, const float *r, float *z) {
  level *l = &g->at[g->levels - 1];
  if (g->dense != NULL && g->dense_fine) {
    double *v = g->last;
    for (int32_t i = 0; i < l->n; i++)
      v[i] = l->active[i] ? (double)r[l->s.place[i]]/g->unit : 0.0;
    lu_solve(l->n, g->dense, g->pivot, v);
    for (int32_t i = 0; i < l->n; i++)
      z[l->s.place[i]] = l->active[i] ? (float)v[i] : 0.0f;
    return;
  }
  float_matrix_forward(&l->s, NULL, r, z, l->w);
  float_matrix_backward(&l->s, NULL, r, z, l->w);
}

static void cycle(aggregation *g, int32_t k, team *threads, const float *r, float *z);

// z ~ A_k^-1 r by one or two steps of conjugate gradients around the cycle.
static void accelerated(aggregation *g, int32_t k, team *threads, float *r, float *z) {
  level *l = &g->at[k];
  if (k + 1 == g->levels) {
    solve_last(g, r, z);
    return;
  }
  cycle(g, k, threads, r, l->c);
  job j = {.s = &l->s, .sums = g->sums, .a = l->c, .b = r, .u = l->v};
  float_matrix_run(&l->s, threads, product_work, &j);
  const double rho = summed(&j, 0), alpha = summed(&j, 1);
  const double step = rho > 0.0 ? alpha/rho : 0.0;
  j = (job){.s = &l->s, .sums = g->sums, .a = l->c, .b = l->v, .u = z, .v = r, .f = (float)step};
  float_matrix_run(&l->s, threads, first_work, &j);
  const double few = ONE_STEP_RESIDUAL_MAX*ONE_STEP_RESIDUAL_MAX;
  if (!(rho > 0.0) || summed(&j, 1) <= few*summed(&j, 0)) return;
  // Take a second direction. The cycle changes only other levels and l->w, so c and v stay valid.
  cycle(g, k, threads, r, l->d);
  j = (job){.s = &l->s, .sums = g->sums, .a = l->d, .b = r, .u = l->w, .v = l->v};
  float_matrix_run(&l->s, threads, product_work, &j);
  const double beta = summed(&j, 0), second = summed(&j, 1), gamma = summed(&j, 2);
  const double rho2 = beta - gamma*gamma/rho;
  if (!(rho2 > 0.0)) return;
  j = (job){.s = &l->s, .a = l->d, .b = l->c, .u = z, .f = (float)(second/rho2),
            .g = (float)(-gamma*second/(rho*rho2))};
  float_matrix_run(&l->s, threads, second_work, &j);
}

static void cycle(aggregation *g, int32_t k, team *threads, const float *r, float *z) {
  level *l = &g->at[k];
  if (k + 1 == g->levels) {
    solve_last(g, r, z);
    return;
  }
  level *next = &g->at[k + 1];
  float_matrix_forward(&l->s, threads, r, z, l->w);
  float_matrix_remainder(&l->s, threads, r, z, l->w);
  job j = {.s = &next->s, .next = next, .a = l->w, .u = next->r};
  float_matrix_run(&next->s, threads, restrict_work, &j);
  accelerated(g, k + 1, threads, next->r, next->z);
  j = (job){.s = &l->s, .l = l, .a = next->z, .u = z};
  float_matrix_run(&l->s, threads, prolong_work, &j);
  float_matrix_backward(&l->s, threads, r, z, l->w);
}

// u = t x in the order of places, for active rows.
static void load_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  (void)part;
  for (int32_t k = LANES*from; k < LANES*to; k++) {
    const int32_t i = j->s->row[k];
    j->u[k] = i >= 0 && j->l->active[i] ? (float)(j->t*j->x[i]) : 0.0f;
  }
}

static void largest_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  double largest = 0.0;
  for (int32_t k = LANES*from; k < LANES*to; k++) {
    const int32_t i = j->s->row[k];
    if (i >= 0 && j->l->active[i]) largest = max2(largest, fabs(j->x[i]));
  }
  j->sums[3*part] = largest;
}

// into = t total in the order of rows.
static void unload_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  (void)part;
  for (int32_t k = LANES*from; k < LANES*to; k++)
    if (j->s->row[k] >= 0) j->into[j->s->row[k]] = j->t*j->total[k];
}

// Copies r in the order of places, times a power of two that makes its largest entry about 1.
// Returns this power.
static double load(const aggregation *g, const level *l, team *threads, const double *r,
                   float *to) {
  job j = {.s = &l->s, .l = l, .x = r, .u = to, .sums = g->sums};
  double largest = 0.0;
  float_matrix_run(&l->s, threads, largest_work, &j);
  for (int32_t p = 0; p < float_matrix_parts(&l->s); p++) largest = max2(largest, g->sums[3*p]);
  int exponent = 0;
  frexp(largest, &exponent);
  j.t = largest < (double)INFINITY ? power_of_two_within(-exponent, 1000) : 1.0;
  float_matrix_run(&l->s, threads, load_work, &j);
  return j.t;
}

void aggregation_cycle(aggregation *g, int32_t from, const double *r, double *z) {
  level *l = &g->at[from];
  const double unit = load(g, l, NULL, r, l->r);
  cycle(g, from, NULL, l->r, l->z);
  for (int32_t i = 0; i < l->n; i++) z[i] = (double)l->z[l->s.place[i]]*(g->unit/unit);
}

// sums: a'b, a'u
static void inner_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  j->sums[3*part] = inner(j->a, j->b, LANES*from, LANES*to);
  j->sums[3*part + 1] = inner(j->a, j->u, LANES*from, LANES*to);
}

// u = a + f u
static void direction_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  (void)part;
  for (int32_t i = LANES*from; i < LANES*to; i++) j->u[i] = j->a[i] + j->f*j->u[i];
}

// total += t a, v -= t b; sums: v'v
static void step_work(void *data, int32_t from, int32_t to, int32_t part) {
  const job *j = data;
  const float t = (float)j->t;
  for (int32_t i = LANES*from; i < LANES*to; i++) {
    j->total[i] += j->t*(double)j->a[i];
    j->v[i] -= t*j->b[i];
  }
  j->sums[3*part] = inner(j->v, j->v, LANES*from, LANES*to);
}

double aggregation_rest(aggregation *g, int32_t from, team *threads) {
  level *l = &g->at[from];
  job j = {.s = &l->s, .sums = g->sums, .a = l->r, .b = l->r, .u = l->r};
  float_matrix_run(&l->s, threads, inner_work, &j);
  return sqrt(summed(&j, 0));
}

// Starts conjugate gradients at the current r and total, with new p and q.
int32_t aggregation_go_on(aggregation *g, int32_t from, team *threads, double wanted, int32_t most,
                          const perp_deadline *deadline) {
  level *l = &g->at[from];
  float *p = l->c, *q = l->v;
  const double size = aggregation_rest(g, from, threads), first = size*size;
  double before = 0.0, last = 0.0;
  int32_t steps = 0;
  while (steps < most && first > 0.0) {
    cycle(g, from, threads, l->r, l->z);
    job j = {.s = &l->s, .sums = g->sums, .a = l->z, .b = l->r, .u = q};
    float_matrix_run(&l->s, threads, inner_work, &j);
    const double rz = summed(&j, 0);
    if (!(rz > 0.0)) break;
    // Polak-Ribiere: z'(r - previous r) over the previous z'r.
    const double beta = steps > 0 ? max2(-last*summed(&j, 1)/before, 0.0) : 0.0;
    before = rz;
    j = (job){.s = &l->s, .a = l->z, .u = p, .f = (float)beta};
    float_matrix_run(&l->s, threads, direction_work, &j);
    j = (job){.s = &l->s, .sums = g->sums, .a = p, .b = l->r, .u = q};
    float_matrix_run(&l->s, threads, product_work, &j);
    const double curvature = summed(&j, 0), slope = summed(&j, 1);
    if (!(curvature > 0.0)) break;
    last = slope/curvature;
    j = (job){.s = &l->s, .sums = g->sums, .a = p, .b = q, .v = l->r, .total = g->total, .t = last};
    float_matrix_run(&l->s, threads, step_work, &j);
    steps++;
    if (summed(&j, 0) <= wanted*wanted*first || deadline_passed(deadline)) break;
  }
  return steps;
}

void aggregation_begin(aggregation *g, int32_t from, team *threads, const double *r) {
  level *l = &g->at[from];
  g->loaded = load(g, l, threads, r, l->r);
  memset(g->total, 0, (size_t)l->s.length*sizeof *g->total);
}

void aggregation_end(aggregation *g, int32_t from, team *threads, double *x) {
  level *l = &g->at[from];
  job j = {.s = &l->s, .into = x, .total = g->total, .t = g->unit/g->loaded};
  float_matrix_run(&l->s, threads, unload_work, &j);
}

double aggregation_at(const aggregation *g, int32_t from, int32_t i) {
  return g->unit/g->loaded*g->total[g->at[from].s.place[i]];
}

void aggregation_bind(aggregation *g, int32_t from, int32_t i) {
  level *l = &g->at[from];
  l->r[l->s.place[i]] = 0.0f;
  g->total[l->s.place[i]] = 0.0;
}

void aggregation_rest_add(aggregation *g, int32_t from, int32_t i, double r) {
  level *l = &g->at[from];
  l->r[l->s.place[i]] += (float)(g->loaded*r);
}

void aggregation_rest_set(aggregation *g, int32_t from, int32_t i, double r) {
  level *l = &g->at[from];
  l->r[l->s.place[i]] = (float)(g->loaded*r);
}

int32_t aggregation_solve(aggregation *g, int32_t from, team *threads, const double *r,
                          double wanted, int32_t most, const perp_deadline *deadline, double *x) {
  aggregation_begin(g, from, threads, r);
  const int32_t steps = aggregation_go_on(g, from, threads, wanted, most, deadline);
  aggregation_end(g, from, threads, x);
  return steps;
}
