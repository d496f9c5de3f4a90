// farkas.c: does u prove that the problem has no solution? In rigorous arithmetic.
//
// Every solution has u_i y_i >= 0 for admissible u (see perp_farkas), hence u'(A x + b) >= 0. With
// g = A'u, enclosed as [low, high] with all rounding errors, and x in its box,
//     u'(A x + b) = u'b + sum_j g_j x_j <= value + sum_j delta_j |x_j|,
// where `value` collects u'b and the suprema of the terms that the box bounds, and delta_j is by
// how much g_j misses its sign where the box does not: g_j <= 0 where hi_j = inf, >= 0 where
// lo_j = -inf.
// So value < 0 proves that no solution has |x|_1 < -value / max delta_j: the radius. With all
// delta_j = 0 there is no solution at all.
//
// A u that had to be rounded cannot have exact zeros in A'u, so a finite radius must be able to
// prove something, or hardly a problem with free columns could be proven infeasible. In units that
// scaling rows and columns does not change: with V = |u|'|b| + ..., h_j = (|A|'|u|)_j the natural
// size of x_j is V/h_j, and the radius suffices if it is 2^44 = 1.8e13 of them:
//     delta_j V <= 2^-44 (-value) h'_j,
// where only the entries of u that fill their 53 bits count in full in h', the others, which were
// not rounded, by 2^-50: so much for the arithmetic of this check.
// An x that large leaves a residual of 2e-3 |b| when it is rounded itself; one that needs no
// rounding may still be a solution. So a status rests on a finite radius only when all else failed
// (run_infeasible).
//
// Cost: one pass over the entries.
#include "farkas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "enclosure.h"
#include "error.h"
#include "grid.h"
#include "operator.h"
#include "plain.h"
#include "vector.h"

#define ROUNDING 0x1p-44
static const double unit = 0x1p-53;

enum { VECTORS = 3 };   // g, size, values of a column; the rows of a column are int32_t
size_t farkas_doubles(int32_t n) { return (size_t)(VECTORS + 1)*(size_t)n + 1; }

// 1: the number uses its last ten bits, so it is probably a rounded one
static int filled(double a) {
  int exponent;
  const double mantissa = frexp(a, &exponent)*0x1p43;
  return mantissa != rint(mantissa);
}

// The row whose u_i has a sign that no inequality of that row justifies; -1: none.
static int32_t wrong_sign(const perp_problem *problem, const double *u) {
  for (int32_t i = 0; i < problem->A.n; i++) {
    if (u[i] == 0.0) continue;
    const int below = lower(problem->lo, i) > -(double)INFINITY,
              above = upper(problem->hi, i) < (double)INFINITY;
    if ((below && above) || (below && u[i] < 0.0) || (above && u[i] > 0.0)) return i;
  }
  return -1;
}

typedef struct supremum {   // sums over the columns seen so far
  enclosure value;          // an upper bound
  double size;              // V: sum of the magnitudes
  double largest;           // max delta_j
  double excess;            // max delta_j / h'_j; inf where h'_j = 0
  int32_t worst, excess_at; // where
} supremum;

static void add_finite(supremum *s, double term) {
  enclosure_add(&s->value, term);
  s->size += fabs(term);
}

// Column j: g_j in [low, high]; h: h'_j.
static void add_column_to(supremum *s, const perp_problem *problem, int32_t j, double low,
                          double high, double h) {
  const double lo = lower(problem->lo, j), hi = upper(problem->hi, j);
  const int below = lo > -(double)INFINITY, above = hi < (double)INFINITY;
  double delta = 0.0;
  if (below && above) {
    add_finite(s, max2(max2(product_up(low, lo), product_up(high, lo)),
                       max2(product_up(low, hi), product_up(high, hi))));
  } else if (below) {            // g x <= (g - delta) lo + delta |x|
    delta = max2(high, 0.0);
    if (lo != 0.0)
      add_finite(s, max2(product_up(delta > 0.0 ? -sum_up(-low, delta) : low, lo),
                         product_up(min2(high, 0.0), lo)));
  } else if (above) {            // g x <= (g + delta) hi + delta |x|
    delta = max2(-low, 0.0);
    if (hi != 0.0)
      add_finite(s, max2(product_up(delta > 0.0 ? sum_up(high, delta) : high, hi),
                         product_up(max2(low, 0.0), hi)));
  } else {
    delta = max2(fabs(low), fabs(high));
  }
  if (!(delta > 0.0)) return;
  if (delta > s->largest) {
    s->largest = delta;
    s->worst = j;
  }
  const double excess = h > 0.0 ? delta/h : (double)INFINITY;
  if (excess > s->excess || s->excess_at < 0) {
    s->excess = excess;
    s->excess_at = j;
  }
}

static perp_error by_columns(const perp_problem *problem, const double *u, double *work,
                             supremum *s) {
  const int32_t n = problem->A.n;
  double *value = work;                   // n
  int32_t *row = (int32_t *)(work + n);   // n
  for (int32_t j = 0; j < n; j++) {
    double slack = 0.0, h = 0.0;
    const int32_t count = columns_read(&problem->A, j, row, value, &slack);
    enclosure g = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < count; k++) {
      const double t = u[row[k]];
      if (t == 0.0) continue;
      enclosure_add_product(&g, value[k], t, slack);
      h += (slack > 0.0 || filled(t) ? 1.0 : 0x1p-50)*fabs(value[k]*t);
    }
    add_column_to(s, problem, j, enclosure_lower(g), enclosure_upper(g), h);
  }
  return PERP_OK;
}

// J W J' + compliance is symmetric, so g = A u, compensated. Three nested sums of at most K terms
// each, all intermediate vectors kept as high + low: the error is at most u |g| + (6 K u)^2 |A||u|.
static perp_error by_product(const perp_problem *problem, const perp_product *P, const double *u,
                             double *work, void *scratch, supremum *s) {
  const int32_t n = problem->A.n;
  double *zero = work, *g = work + n, *size = work + 2*(size_t)n;   // n each
  int32_t longest = 0, most = 0;
  for (int32_t i = 0; i < n; i++) {
    zero[i] = 0.0;
    const int32_t entries = P->rowptr[i + 1] - P->rowptr[i];
    longest = entries > longest ? entries : longest;
    most += u[i] != 0.0;
  }
  if (problem->A.ops->residual(problem->A.self, u, zero, g, size, scratch))
    return error_set(PERP_ERROR_OPERATOR, "operator '%s': residual aborted", problem->A.ops->name);
  const double K = 6.0*unit*((double)longest + (double)most + (double)P->block + 4.0);
  for (int32_t j = 0; j < n; j++) {
    const double error = 2.0*unit*fabs(g[j]) + K*K*size[j] + (size[j] > 0.0 ? 0x1p-1000 : 0.0);
    add_column_to(s, problem, j, round_down(g[j] - error), round_up(g[j] + error), size[j]);
  }
  return PERP_OK;
}

// The contact LCP: g = A'u is A (un, ut, -us), but for mu us in the rows of normals, and E'ut in
// those of slacks. Five nested sums where a product has three.
static perp_error by_contacts(const perp_problem *problem, const perp_contacts *P, const double *u,
                              double *work, void *scratch, supremum *s) {
  const int32_t n = problem->A.n, nc = P->count, K = P->directions, slacks = (1 + K)*nc;
  double *zero = work, *g = work + n, *size = work + 2*(size_t)n, *x = work + 3*(size_t)n;
  int32_t longest = 0, most = 0;
  for (int32_t i = 0; i < P->B.n; i++) {
    const int32_t entries = P->B.rowptr[i + 1] - P->B.rowptr[i];
    longest = entries > longest ? entries : longest;
  }
  for (int32_t i = 0; i < n; i++) {
    zero[i] = 0.0;
    x[i] = i < slacks ? u[i] : -u[i];
    most += u[i] != 0.0;
  }
  if (problem->A.ops->residual(problem->A.self, x, zero, g, size, scratch))
    return error_set(PERP_ERROR_OPERATOR, "operator '%s': residual aborted", problem->A.ops->name);
  const double terms = (double)longest + (double)most + (double)P->B.block + (double)K + 4.0;
  for (int32_t j = 0; j < n; j++) {
    enclosure e = {0.0, 0.0, 0.0};
    double h = 0.0;
    if (j >= slacks) {
      for (int32_t k = 0; k < K; k++) {
        const double t = u[nc + K*(j - slacks) + k];
        enclosure_add(&e, t);
        h += (filled(t) ? 1.0 : 0x1p-50)*fabs(t);
      }
    } else {
      const double lost = 10.0*unit*terms;
      enclosure_add(&e, g[j]);
      enclosure_lose(&e, 2.0*unit*fabs(g[j]) + lost*lost*size[j]);
      if (size[j] > 0.0) enclosure_lose(&e, 0x1p-1000);
      h = size[j];
      if (j < nc) {
        enclosure_add_product(&e, P->mu[j], u[slacks + j], 0.0);
        h += fabs(P->mu[j]*u[slacks + j]);
      }
    }
    add_column_to(s, problem, j, enclosure_lower(e), enclosure_upper(e), h);
  }
  return PERP_OK;
}

// A grid of cells: g_j is the sum over the faces of j of w (u_j - u_l), u_l = 0 in air. Where u is
// constant all terms are 0: a closed container is proven to be one, whatever its weights are.
static void by_grid(const perp_problem *problem, const perp_grid *grid, const double *u,
                    supremum *s) {
  for (int32_t j = 0; j < problem->A.n; j++) {
    enclosure g = {0.0, 0.0, 0.0};
    double h = 0.0, a;
    int32_t l;
    const int liquid = grid->type[j] == PERP_CELL_LIQUID;
    if (!liquid && u[j] != 0.0) {
      enclosure_add(&g, u[j]);
      h = (filled(u[j]) ? 1.0 : 0x1p-50)*fabs(u[j]);
    }
    for (int d = 0; liquid && d < 3; d++)
      for (int up = 0; up < 2; up++) {
        a = grid_face_entry(grid, j, d, up, &l);
        const double other = l >= 0 && grid->type[l] == PERP_CELL_LIQUID ? u[l] : 0.0;
        if (a == 0.0 || u[j] == other) continue;
        enclosure_add_product(&g, a, u[j], 0.0);
        enclosure_add_product(&g, -a, other, 0.0);
        h += (filled(u[j]) ? 1.0 : 0x1p-50)*fabs(a*u[j]) +
             (filled(other) ? 1.0 : 0x1p-50)*fabs(a*other);
      }
    add_column_to(s, problem, j, enclosure_lower(g), enclosure_upper(g), h);
  }
}

perp_error farkas_check_with(const perp_problem *problem, const double *u, double *work,
                             void *scratch, perp_farkas *farkas) {
  const int32_t n = problem->A.n;
  *farkas = (perp_farkas){.worst = -1};
  for (int32_t i = 0; i < n; i++)
    if (!(u[i] - u[i] == 0.0))
      return error_set(PERP_ERROR_ARGUMENT, "u[%d] = %g is not finite", i, u[i]);
  farkas->worst = wrong_sign(problem, u);
  if (farkas->worst >= 0) {
    const int32_t i = farkas->worst;
    const int both = lower(problem->lo, i) > -(double)INFINITY &&
                     upper(problem->hi, i) < (double)INFINITY;
    plain_print(farkas->reason, sizeof farkas->reason, "u[%d] = %g has no right sign: %s", i, u[i],
                both ? "the row has two bounds, so y may have any sign"
                     : u[i] < 0.0 ? "y >= 0 in that row" : "y <= 0 in that row");
    return PERP_OK;
  }
  supremum s = {.worst = -1, .excess_at = -1};
  for (int32_t i = 0; i < n; i++) {
    enclosure_add_product(&s.value, problem->b[i], u[i], 0.0);
    s.size += fabs(problem->b[i]*u[i]);
  }
  const perp_view view = operator_view(&problem->A);
  const int plain = scratch != NULL && view.R == NULL && view.C == NULL && view.shift == 0.0 &&
                    view.data == problem->A.self;
  perp_error error = PERP_OK;
  if (grid_of(&problem->A) != NULL) by_grid(problem, grid_of(&problem->A), u, &s);
  else if (columns_known(&problem->A)) error = by_columns(problem, u, work, &s);
  else if (view.kind == PERP_VIEW_PRODUCT && plain)
    error = by_product(problem, view.data, u, work, scratch, &s);
  else if (view.kind == PERP_VIEW_CONTACT && plain)
    error = by_contacts(problem, view.data, u, work, scratch, &s);
  else {
    plain_print(farkas->reason, sizeof farkas->reason,
                "operator '%s' does not show its entries: A'u cannot be enclosed",
                problem->A.ops->name);
    return PERP_OK;
  }
  if (error != PERP_OK) return error;
  farkas->value = enclosure_upper(s.value);
  farkas->worst = s.worst;
  if (!(farkas->value < 0.0)) {
    plain_print(farkas->reason, sizeof farkas->reason,
                "u'(A x + b) is not negative: at most %.6g in the box", farkas->value);
    return PERP_OK;
  }
  farkas->radius = s.largest > 0.0 ? round_down(-farkas->value/s.largest) : (double)INFINITY;
  farkas->proven = s.largest == 0.0 || s.excess*s.size <= -ROUNDING*farkas->value;
  if (s.largest == 0.0)
    plain_print(farkas->reason, sizeof farkas->reason, "u'(A x + b) <= %.6g for every x in the box",
                farkas->value);
  else
    plain_print(farkas->reason, sizeof farkas->reason,
                "column %d of u'A misses its sign by %.3g: no solution has |x|_1 < %.4g%s", s.worst,
                s.largest, farkas->radius,
                farkas->proven ? ", beyond what doubles could certify" : ", which is not enough");
  return PERP_OK;
}

perp_error farkas_check(const perp_problem *problem, const double *u, double *work,
                        perp_farkas *farkas) {
  return farkas_check_with(problem, u, work, NULL, farkas);
}

perp_error perp_check_farkas(const perp_problem *problem, const double *u, perp_farkas *farkas) {
  if (problem == NULL || farkas == NULL || (u == NULL && problem->A.n > 0))
    return error_set(PERP_ERROR_ARGUMENT, "perp_check_farkas: problem, u or farkas is NULL");
  perp_error error = perp_validate(problem);
  if (error != PERP_OK) return error;
  const size_t scratch = operator_scratch_bytes(&problem->A);
  const size_t doubles = farkas_doubles(problem->A.n), aligned = (doubles + 7)/8*8;
  double *work = malloc(aligned*sizeof *work + scratch + 64);
  if (work == NULL)
    return error_set(PERP_ERROR_MEMORY, "perp_check_farkas: no memory, n = %d", problem->A.n);
  perp_farkas found;
  error = farkas_check_with(problem, u, work, work + aligned, &found);
  free(work);
  if (error == PERP_OK) *farkas = found;
  return error;
}
