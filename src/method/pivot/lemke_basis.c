// lemke_basis.c: the basis of Lemke's method: columns, values, exchanges.
//
// If a pivot or a ray is in doubt, or the certificate refuses a basis, solves are refined with
// residuals in twice the precision (error_free.h). The factors only have to give the direction: v
// converges to the rounded solution while cond(B) 2^-53 < 1 (N. Higham: Accuracy and stability of
// numerical algorithms, 2002, theorem 12.1), by that factor per step.
#include "error_free.h"
#include "lemke.h"
#include "vector.h"

// A column whose pivots are all smaller depends on the others; the entries of A are near 1.
#define SAFE_PIVOT_MIN 1e-11
enum { REFINEMENTS_MAX = 8 };  // steps of refinement; with 1, up to 2.2 times the work

basis_column lemke_column(const lemke *l, int32_t variable) {
  static const double minus_one = -1.0;
  if (variable < l->n) {
    const int32_t from = l->A.colptr[variable];
    return (basis_column){l->A.colptr[variable + 1] - from, l->A.row + from, l->A.value + from};
  }
  if (variable == Z0(l)) return (basis_column){l->d_count, l->d_row, l->d};
  return (basis_column){1, l->iota + (variable - l->n), &minus_one};
}

double lemke_rest(const lemke *l, int32_t i) {
  return l->side[i] == AT_LOWER ? lower(l->run->lo, i)
         : l->side[i] == AT_UPPER ? upper(l->run->hi, i) : 0.0;
}

void lemke_bounds(const lemke *l, int32_t variable, double *low, double *high) {
  *low = 0.0;
  *high = (double)INFINITY;
  if (variable == Z0(l)) return;
  const int32_t i = lemke_row(l, variable);
  const double lo = lower(l->run->lo, i), hi = upper(l->run->hi, i);
  if (variable < l->n) {
    *low = lo;
    *high = hi;
  } else if (lo == hi) {                // fixed: any y
    *low = -(double)INFINITY;
  } else if (l->side[i] == AT_UPPER) {
    *low = -(double)INFINITY;
    *high = 0.0;
  } else if (l->side[i] == AT_ZERO) {   // a free row that depends on others
    *high = 0.0;
  }
}

void lemke_place(lemke *l, int32_t position, int32_t variable) {
  l->where[l->head[position]] = -1;
  l->head[position] = variable;
  l->where[variable] = position;
}

void lemke_clear(lemke *l) {
  for (int32_t k = 0; k <= 2*l->n; k++) l->where[k] = -1;
  for (int32_t i = 0; i < l->n; i++) {
    l->head[i] = Y_OF(l, i);
    l->where[Y_OF(l, i)] = i;
  }
}

static perp_csc columns_of(lemke *l) {
  int32_t used = 0;
  for (int32_t k = 0; k < l->n; k++) {
    const basis_column c = lemke_column(l, l->head[k]);
    l->colptr[k] = used;
    for (int32_t q = 0; q < c.count; q++) {
      l->index[used] = c.row[q];
      l->entry[used++] = c.value[q];
    }
  }
  l->colptr[l->n] = used;
  return (perp_csc){l->n, l->n, l->colptr, l->index, l->entry};
}

// Moves every basic x_i and y_i back to position i if that is free; the others, above all z0, fill
// the gaps. Exchanges leave each variable at the position of another. Afterwards the diagonal of A
// is in place, and the sparse LU finds a good order.
static void tidy(lemke *l) {
  const int32_t n = l->n;
  int32_t *head = l->tied;   // n
  double *value = l->other;  // n
  for (int32_t k = 0; k < n; k++) head[k] = -1;
  for (int32_t k = 0; k < n; k++) {
    const int32_t variable = l->head[k];
    if (variable == Z0(l) || head[lemke_row(l, variable)] >= 0) continue;
    head[lemke_row(l, variable)] = variable;
    value[lemke_row(l, variable)] = l->value[k];
    l->where[variable] = -1;
  }
  for (int32_t k = 0, gap = 0; k < n; k++) {
    const int32_t variable = l->head[k];
    if (l->where[variable] < 0) continue;
    while (head[gap] >= 0) gap++;
    head[gap] = variable;
    value[gap] = l->value[k];
  }
  for (int32_t k = 0; k < n; k++) {
    l->head[k] = head[k];
    l->where[head[k]] = k;
    l->value[k] = value[k];
  }
}

int lemke_factor(lemke *l, double floor) {
  if (!run_may_fit_analysis(l->run)) return -1;
  tidy(l);
  const perp_csc B = columns_of(l);
  const perp_deadline deadline = run_deadline(l->run);
  l->run->factorizations++;
  return basis_factor(&l->B, &B, floor, &deadline);
}

double lemke_rounding(const lemke *l) {
  return l->careful ? 0.0 : (l->n < 64 ? l->n : 64)*0x1p-52;
}

int lemke_renew(lemke *l) {
  const int once = l->careful || l->B.foreign.linear != NULL;   // a foreign solver has one limit only
  const int code = once ? 1 : lemke_factor(l, SAFE_PIVOT_MIN);
  return code > 0 ? lemke_factor(l, lemke_rounding(l)) : code;
}

int lemke_drop_dependent(lemke *l) {
  const perp_csc B = columns_of(l);
  const perp_deadline deadline = run_deadline(l->run);
  l->run->factorizations++;
  const int code = basis_dependent(&l->B, &B, 1e-6, l->wanted, &deadline);
  for (int32_t k = 0; code == 0 && k < l->n; k++)
    if (l->wanted[k] && l->head[k] < l->n && l->side[k] != AT_ZERO)
      lemke_place(l, k, Y_OF(l, k));
  return code;
}

static void subtract(lemke *l, int32_t variable, double v) {   // from row + low
  const basis_column c = lemke_column(l, variable);
  for (int32_t q = 0; v != 0.0 && q < c.count; q++) {
    exact_sum s = {l->row[c.row[q]], l->low[c.row[q]]};
    exact_add_product(&s, -v, c.value[q]);
    l->row[c.row[q]] = s.high;
    l->low[c.row[q]] = s.low;
  }
}

// row = row + low - B v, rounded once
static void exact_rest(lemke *l, const double *v) {
  for (int32_t k = 0; k < l->n; k++) subtract(l, l->head[k], v[k]);
  for (int32_t i = 0; i < l->n; i++)
    l->row[i] = exact_value((exact_sum){l->row[i], l->low[i]});
}

// v += B^-1 row if the size of that correction is below `most`. Returns the size.
static double correct(lemke *l, double *v, double most) {
  double size = 0.0;
  basis_solve_dense(&l->B, l->row);
  for (int32_t k = 0; k < l->n; k++) size = max_or_nan(size, fabs(l->row[k]));
  for (int32_t k = 0; k < l->n && size < most; k++) v[k] += l->row[k];
  return size;
}

static double largest_of(const lemke *l, const double *v) {
  double largest = 0.0;
  for (int32_t k = 0; k < l->n; k++) largest = max_or_nan(largest, fabs(v[k]));
  return largest;
}

double lemke_refine(lemke *l, int32_t variable) {
  const basis_column a = lemke_column(l, variable);
  double last = (double)INFINITY, size = last;
  for (int32_t step = 0, more = 1; step < REFINEMENTS_MAX && more >= 0; step++) {
    for (int32_t i = 0; i < l->n; i++) l->row[i] = l->low[i] = 0.0;
    for (int32_t q = 0; q < a.count; q++) l->row[a.row[q]] = a.value[q];
    exact_rest(l, l->u.value);
    size = correct(l, l->u.value, last);
    if (!(size < 0.5*last)) break;
    last = size;
    if (size <= 0x1p-52*largest_of(l, l->u.value)) more--;   // one more step, for the small entries
  }
  for (int32_t k = 0; k < l->n; k++) l->u.index[k] = k;
  l->u.count = l->n;
  const double largest = largest_of(l, l->u.value);
  size = min2(size, last);
  if (l->careful && size <= 0x1p-51*largest) {   // entries that the last step still changes are noise
    for (int32_t k = 0; k < l->n; k++)
      if (!(8.0*fabs(l->row[k]) <= fabs(l->u.value[k]))) l->u.value[k] = 0.0;
    return 0.0;
  }
  return size <= 0x1p-51*largest ? 0x1p-51 : 8.0*size/largest;
}

// out = -b - A x_N - B v; v NULL: 0
static void rest_of(const lemke *l, const double *v, double *out) {
  for (int32_t i = 0; i < l->n; i++) out[i] = -l->run->b[i];
  for (int32_t i = 0; i < l->n; i++) {
    if (l->where[X_OF(i)] >= 0) continue;
    const double x = lemke_rest(l, i);
    const basis_column c = lemke_column(l, X_OF(i));
    for (int32_t q = 0; x != 0.0 && q < c.count; q++) out[c.row[q]] -= x*c.value[q];
  }
  for (int32_t k = 0; v != NULL && k < l->n; k++) {
    const basis_column c = lemke_column(l, l->head[k]);
    for (int32_t q = 0; v[k] != 0.0 && q < c.count; q++) out[c.row[q]] -= v[k]*c.value[q];
  }
}

double lemke_drift(lemke *l) {
  double worst = 0.0, size = 1.0;
  rest_of(l, l->value, l->row);
  for (int32_t i = 0; i < l->n; i++) {
    worst = max_or_nan(worst, fabs(l->row[i]));
    size = max2(size, fabs(l->value[i]));
  }
  return worst/size;
}

double lemke_mismatch(lemke *l, int32_t variable) {
  const basis_column a = lemke_column(l, variable);
  double worst = 0.0;
  for (int32_t i = 0; i < l->n; i++) l->row[i] = 0.0;
  for (int32_t q = 0; q < a.count; q++) l->row[a.row[q]] = -a.value[q];
  for (int32_t s = 0; s < l->u.count; s++) {
    const int32_t k = l->u.index[s];
    const basis_column c = lemke_column(l, l->head[k]);
    for (int32_t q = 0; q < c.count; q++) l->row[c.row[q]] += l->u.value[k]*c.value[q];
  }
  for (int32_t i = 0; i < l->n; i++) worst = max_or_nan(worst, fabs(l->row[i]));
  return worst;
}

static void refine_values(lemke *l) {
  double last = (double)INFINITY;
  for (int32_t step = 0; step < REFINEMENTS_MAX; step++) {
    for (int32_t i = 0; i < l->n; i++) {
      l->row[i] = -l->run->b[i];
      l->low[i] = 0.0;
    }
    for (int32_t i = 0; i < l->n; i++)
      if (l->where[X_OF(i)] < 0) subtract(l, X_OF(i), lemke_rest(l, i));
    exact_rest(l, l->value);
    const double size = correct(l, l->value, last);
    if (!(size < 0.5*last)) return;
    last = size;
  }
}

void lemke_values(lemke *l) {
  rest_of(l, NULL, l->value);
  basis_solve_dense(&l->B, l->value);
  if (l->careful) {
    refine_values(l);
    return;
  }
  rest_of(l, l->value, l->row);
  basis_solve_dense(&l->B, l->row);
  for (int32_t k = 0; k < l->n; k++) l->value[k] += l->row[k];
}

int lemke_exchange(lemke *l, int32_t position, int32_t variable) {
  const int code = basis_exchange(&l->B, position, &l->u);
  lemke_place(l, position, variable);
  return code == 1 ? lemke_renew(l) : code;
}

void lemke_point(const lemke *l, double *x) {
  for (int32_t i = 0; i < l->n; i++) {
    const int32_t k = l->where[X_OF(i)];
    x[i] = clamp(k >= 0 ? l->value[k] : lemke_rest(l, i), lower(l->run->lo, i),
                 upper(l->run->hi, i));
  }
}
