// farkas.c: checks in rigorous arithmetic whether u proves that the problem has no solution.
//
// Every solution has u_i y_i >= 0 for admissible u (see perp_farkas), hence u'(A x + b) >= 0. With
// g = A'u, enclosed as [low, high] with all rounding errors, and x in its box,
//     u'(A x + b) = u'b + sum_j g_j x_j <= value + sum_j delta_j |x_j|,
// where `value` is u'b plus the suprema of the terms that the box bounds. Elsewhere g_j must have a
// sign, g_j <= 0 where hi_j = inf and g_j >= 0 where lo_j = -inf, and misses it by delta_j.
// So value < 0 proves that no solution has |x|_1 < -value / max delta_j, the radius. If all
// delta_j = 0, there is no solution at all.
//
// A finite radius is reported only if it is so large that an x beyond it would hardly pass the
// certificate. It is measured in units that do not change with the scaling of rows and columns: with
// V = |u|'|b| + ... and h_j = (|A|'|u|)_j the natural size of x_j is V/h_j, and the radius is large
// if it is at least 2^44 = 1.8e13 of these:
//     delta_j V <= 2^-44 (-value) h'_j.
// h' is h with a weight of 2^-50 on entries of u that do not fill their 53 bits: these were probably
// not rounded, and the weight covers the rounding of this check.
//
// The margin -value must exceed what the certificate forgives and what rounding of the data causes.
// Otherwise some x may pass as a solution, and the contradiction says nothing about the problem that
// the caller rounded to doubles: 0.1 + 0.2 = 0.3 is false in doubles. An x that passes has
// y_i >= -l_i on rows with u_i > 0 and y_i <= l_i on rows with u_i < 0 (certify_leeway.c), so
//     u'(A x + b) >= -sum_i |u_i| l_i,
//     l_i = tolerance_i + rounding_i + min(32 u (|A||x|)_i, product_i).
// Summed over the rows, 32 u |A||x| is 32 u sum_j h_j |x_j|. Where g_j <= -32 u h_j, the term g_j x_j
// outweighs column j's part beyond the bound; other columns count with the largest |x_j| of the box.
// Together
//     forgiven = sum_i |u_i| rounding_i + min(32 u sum_j h_j |x_j|, sum_i |u_i| product_i)
//     data     = 32 u (|u|'|b| + sum_j h_j |x_j at the supremum|)
//     allowed  = sum_i |u_i| tolerance_i + max(forgiven, data),
// and a proof needs -value > allowed. Then no x passes the certificate, so no problem has both a
// proof and a certified x. For a row whose variables are all fixed, `allowed` is exactly what the
// certificate accepts, so there is one or the other.
//
// Cost: one pass over the entries. The certificate must have scaled A before.
#include "farkas_parts.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "columns.h"
#include "error.h"
#include "grid.h"
#include "operator.h"
#include "plain.h"
#include "vector.h"

#define EXCESS_MAX 0x1p-44             // 1/(radius in natural sizes) that is reported
#define DATA_ROUNDING (32.0*0x1p-53)   // relative rounding of a datum, as in the certificate
#define SUMS_UP (1.0 + 0x1p-26)        // more than the rounding of sums of up to 1e8 positive terms

enum shape { VECTORS = 3 };   // vectors in `work`: g, size, and a column
size_t farkas_doubles(int32_t n) { return (size_t)(VECTORS + 1)*(size_t)n + 1; }

// A row whose u_i has a sign that no inequality of that row justifies; -1: none.
static int32_t wrong_sign(const perp_problem *problem, const double *u) {
  for (int32_t i = 0; i < problem->A.n; i++) {
    if (u[i] == 0.0) continue;
    const int below = lower(problem->lo, i) > -(double)INFINITY,
              above = upper(problem->hi, i) < (double)INFINITY;
    if ((below && above) || (below && u[i] < 0.0) || (above && u[i] > 0.0)) return i;
  }
  return -1;
}

static void add_finite(supremum *s, double term) {
  enclosure_add(&s->value, term);
  s->size += fabs(term);
}

// Adds column j to s->given and s->product, which DATA_ROUNDING multiplies. size: h_j.
static void add_rounding(supremum *s, double lo, double hi, double low, double high, double size) {
  const int below = lo > -(double)INFINITY, above = hi < (double)INFINITY;
  const double own = DATA_ROUNDING*size;
  if (size == 0.0) return;
  if (below && above) {   // if g_j is exactly 0, rounding did not make it so, unless x_j is fixed
    const double most = max2(fabs(lo), fabs(hi));
    s->product += size*most;
    s->given += lo == hi || (low <= 0.0 && high >= 0.0 && low < high) ? size*most
                : high < 0.0                                          ? size*fabs(lo)
                : low > 0.0                                           ? size*fabs(hi)
                                                                      : 0.0;
  } else if (below) {
    s->given += lo != 0.0 ? size*fabs(lo) : 0.0;
    s->product += lo != 0.0 ? size*fabs(lo) : 0.0;
    if (!(high <= -own)) s->product = (double)INFINITY;
  } else if (above) {
    s->given += hi != 0.0 ? size*fabs(hi) : 0.0;
    s->product += hi != 0.0 ? size*fabs(hi) : 0.0;
    if (!(low >= own)) s->product = (double)INFINITY;
  } else {
    s->product = (double)INFINITY;
  }
}

// Column j: g_j in [low, high]; size: h_j, h: h'_j.
void supremum_add(supremum *s, const perp_problem *problem, int32_t j, double low,
                          double high, double size, double h) {
  const double lo = lower(problem->lo, j), hi = upper(problem->hi, j);
  const int below = lo > -(double)INFINITY, above = hi < (double)INFINITY;
  double delta = 0.0;
  if (!(low <= high)) {   // NaN: g_j is not known
    low = -(double)INFINITY;
    high = (double)INFINITY;
  }
  add_rounding(s, lo, hi, low, high, size);
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
  s->all_excess = max2(s->all_excess, size > 0.0 ? delta/size : (double)INFINITY);
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
    double slack = 0.0, size = 0.0, h = 0.0;
    const int32_t count = columns_read(&problem->A, j, row, value, &slack);
    enclosure g = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < count; k++) {
      const double t = u[row[k]];
      if (t == 0.0) continue;
      enclosure_add_product(&g, value[k], t, slack);
      size += fabs(value[k]*t);
      h += (slack > 0.0 || filled(t) ? 1.0 : 0x1p-50)*fabs(value[k]*t);
    }
    supremum_add(s, problem, j, enclosure_lower(g), enclosure_upper(g), size, h);
  }
  return PERP_OK;
}

// A grid of cells: g_j is the sum of w (u_j - u_l) over the faces of j, with u_l = 0 in air. Where u
// is constant all terms are exactly 0, so that a closed container has a proof for any weights w.
static void by_grid(const perp_problem *problem, const perp_grid *grid, const double *u,
                    supremum *s) {
  for (int32_t j = 0; j < problem->A.n; j++) {
    enclosure g = {0.0, 0.0, 0.0};
    double size = 0.0, h = 0.0, a;
    int32_t l;
    const int liquid = grid->type[j] == PERP_CELL_LIQUID;
    if (!liquid && u[j] != 0.0) {
      enclosure_add(&g, u[j]);
      size = fabs(u[j]);
      h = (filled(u[j]) ? 1.0 : 0x1p-50)*size;
    }
    for (int d = 0; liquid && d < 3; d++)
      for (int up = 0; up < 2; up++) {
        a = grid_face_entry(grid, j, d, up, &l);
        const double other = l >= 0 && grid->type[l] == PERP_CELL_LIQUID ? u[l] : 0.0;
        if (a == 0.0) continue;
        size += fabs(a*u[j]) + fabs(a*other);
        if (u[j] == other) continue;
        enclosure_add_product(&g, a, u[j], 0.0);
        enclosure_add_product(&g, -a, other, 0.0);
        h += (filled(u[j]) ? 1.0 : 0x1p-50)*fabs(a*u[j]) +
             (filled(other) ? 1.0 : 0x1p-50)*fabs(a*other);
      }
    supremum_add(s, problem, j, enclosure_lower(g), enclosure_upper(g), size, h);
  }
}

// The part of the margin that the tolerance and the rounding of the data explain, rounded up.
double farkas_allowed(const farkas_judge *by, const double *u, const supremum *s) {
  double tolerance = 0.0, rounding = 0.0, product = 0.0;
  for (int32_t i = 0; i < by->certificate->problem->A.n; i++) {
    if (u[i] == 0.0) continue;
    const certify_leeway l = by->certificate->ops->leeway(by->certificate, i, by->tol, by->absolute_tol);
    tolerance += fabs(u[i])*l.tolerance;
    rounding += fabs(u[i])*l.rounding;
    product += fabs(u[i])*l.product;
  }
  const double forgiven = rounding + min2(DATA_ROUNDING*s->product, product);
  return SUMS_UP*(tolerance + max2(forgiven, DATA_ROUNDING*s->given));
}

static void tell(const supremum *s, perp_farkas *farkas) {
  const size_t room = sizeof farkas->reason;
  if (!(-farkas->value > farkas->allowed))
    plain_print(farkas->reason, room, "u'(A x + b) <= %.3g, but the tolerance and the rounding of the "
                "data allow %.3g: no proof", farkas->value, -farkas->allowed);
  else if (s->largest == 0.0)
    plain_print(farkas->reason, room, "u'(A x + b) <= %.6g for every x in the box", farkas->value);
  else
    plain_print(farkas->reason, room,
                "column %d of u'A misses its sign by %.3g: no solution has |x|_1 < %.4g%s", s->worst,
                s->largest, farkas->radius,
                farkas->bounded ? "; a larger one may exist" : ", which is not enough");
}

perp_error farkas_check(const farkas_judge *by, const double *u, double *work, perp_farkas *farkas,
                        int *rounded) {
  const perp_problem *problem = by->certificate->problem;
  void *scratch = by->certificate->scratch;
  const int32_t n = problem->A.n;
  *farkas = (perp_farkas){.worst = -1};
  *rounded = 0;
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
    s.given += fabs(problem->b[i]*u[i]);
  }
  const perp_view view = operator_view(&problem->A);
  const int plain = scratch != NULL && view.R == NULL && view.C == NULL && view.shift == 0.0 &&
                    view.data == problem->A.self;
  perp_error error = PERP_OK;
  if (grid_of(&problem->A) != NULL) by_grid(problem, grid_of(&problem->A), u, &s);
  else if (columns_known(&problem->A)) error = by_columns(problem, u, work, &s);
  else if (view.kind == PERP_VIEW_PRODUCT && plain)
    error = farkas_by_product(problem, view.data, u, work, scratch, &s);
  else if (view.kind == PERP_VIEW_CONTACT && plain)
    error = farkas_by_contacts(problem, view.data, u, work, scratch, &s);
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
  farkas->allowed = farkas_allowed(by, u, &s);
  const int clear = -farkas->value > farkas->allowed;
  farkas->proven = clear && s.largest == 0.0;
  farkas->bounded = clear && s.largest > 0.0 && s.excess*s.size <= -EXCESS_MAX*farkas->value;
  *rounded = farkas->bounded || (clear && s.largest > 0.0 && s.all_excess <= EXCESS_MAX);
  tell(&s, farkas);
  return PERP_OK;
}

perp_error perp_check_farkas_within(const perp_problem *problem, const double *u, double tol,
                                    double absolute_tol, const perp_allocator *allocator,
                                    perp_farkas *farkas) {
  if (problem == NULL || farkas == NULL || (u == NULL && problem->A.n > 0))
    return error_set(PERP_ERROR_ARGUMENT, "perp_check_farkas: problem, u or farkas is NULL");
  perp_error error = certify_check_tolerances("perp_check_farkas", tol, absolute_tol);
  if (error == PERP_OK) error = perp_validate(problem);
  if (error != PERP_OK) return error;
  const int32_t n = problem->A.n;
  const perp_allocator from = allocator_of(allocator);
  const size_t doubles = grid_of(&problem->A) != NULL ? 1 : farkas_doubles(n);
  double *work = from.allocate(from.context, doubles*sizeof *work);
  if (work == NULL) return error_set(PERP_ERROR_MEMORY, "perp_check_farkas: no memory, n = %d", n);
  certifier_alone alone;
  error = certifier_begin("perp_check_farkas", problem, allocator, &alone);
  perp_farkas found;
  int rounded = 0;
  const farkas_judge by = {&alone.c, tol, absolute_tol};
  if (error == PERP_OK) error = farkas_check(&by, u, work, &found, &rounded);
  if (error == PERP_OK && rounded && farkas_near(&by, u, &from, &found) < 0)
    error = error_set(PERP_ERROR_MEMORY, "perp_check_farkas: no memory, n = %d", n);
  certifier_end(&alone);
  from.release(from.context, work);
  if (error == PERP_OK) *farkas = found;
  return error;
}

perp_error perp_check_farkas(const perp_problem *problem, const double *u, perp_farkas *farkas) {
  return perp_check_farkas_within(problem, u, perp_default_options(NULL).tol, 0.0, NULL,
                                  farkas);
}
