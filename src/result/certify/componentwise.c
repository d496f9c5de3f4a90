// componentwise.c: see componentwise.h.
#include "componentwise.h"

#include "certify_impossible.h"
#include "entries.h"
#include "operator.h"

// Of two scalings the one that counts row i less: the other may exaggerate it.
static double unit_of(const certifier *c, int32_t i) { return c->two ? c->held.R[i] : c->R[i]; }

static double base_of(const certifier *c, int32_t k) { return c->G[k] > 0.0 ? c->G[k] : c->S[k]; }

// Rows of a component up to which pivots and factors find x to rounding. With 1 or 64000, Newton's
// methods and contacts take 1.1 to 2 times the work.
enum { SMALL_ROWS_MAX = 64 };
enum known { NOT_Z = 1, NOT_PAIRED = 2 };   // of a component
#define PAIR_ROUNDING_MAX 0x1p-40           // to which sums of doubles are products of pairs

static int paired(double a, double b, double product) {   // A_ij, A_ji, A_ii A_jj
  return a*b >= 0.0 && (a == 0.0) == (b == 0.0) && a*b <= (1.0 + PAIR_ROUNDING_MAX)*product;
}

// Only components that may still become lenient by their pairs are looked at.
static int asks_for_pairs(const certifier *c, const int32_t *rows, int32_t i) {
  const int32_t k = c->component[i];
  return c->componentwise.lenient[k] == NOT_Z && rows[k] > SMALL_ROWS_MAX;
}

static void look_at_dense_pairs(const certifier *c, const perp_dense *D, const int32_t *rows) {
  enum { TILE_ROWS = 32 };   // rows and columns at a time: A_ij and A_ji in the caches
  const size_t ld = (size_t)(D->ld != 0 ? D->ld : D->n);
  const double *A = D->value;
  for (int32_t top = 0; top < c->n; top += TILE_ROWS)
    for (int32_t left = 0; left <= top; left += TILE_ROWS)
      for (int32_t i = top; i < top + TILE_ROWS && i < c->n; i++) {
        if (!asks_for_pairs(c, rows, i)) continue;
        const size_t p = (size_t)i;
        int fine = 1;
        for (int32_t j = left; j < left + TILE_ROWS && j < i; j++) {
          const size_t q = (size_t)j;
          fine &= paired(A[p*ld + q], A[q*ld + p], A[p*ld + p]*A[q*ld + q]);
        }
        if (!fine) c->componentwise.lenient[c->component[i]] |= NOT_PAIRED;
      }
}

// From the entries of A under its scalings, which change no sign and no A_ij A_ji/(A_ii A_jj).
static void look_at_pairs(const certifier *c, const perp_view *view, const int32_t *rows,
                          double *diagonal, int32_t *next) {
  if (view->kind == PERP_VIEW_DENSE) {
    look_at_dense_pairs(c, view->data, rows);
    return;
  }
  const perp_csc *A = view->data;
  int any = 0;
  for (int32_t k = 0; k < c->components && !any; k++)
    any = c->componentwise.lenient[k] == NOT_Z && rows[k] > SMALL_ROWS_MAX;
  if (!any) return;
  for (int32_t j = 0; j < c->n; j++) {
    next[j] = A->colptr[j];
    diagonal[j] = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      if (A->row[p] == j) diagonal[j] = A->value[p];
  }
  for (int32_t j = 0; j < c->n; j++) {
    if (!asks_for_pairs(c, rows, j)) continue;   // its rows are of the same component
    const int32_t end = A->colptr[j + 1];
    int fine = 1;
    for (int32_t p = A->colptr[j]; c->facts.mirrored && p < end; p++)   // A_ij = A_ji
      fine &= paired(A->value[p], A->value[p], diagonal[A->row[p]]*diagonal[j]);
    if (!fine) c->componentwise.lenient[c->component[j]] |= NOT_PAIRED;
    for (int32_t p = A->colptr[j]; !c->facts.mirrored && p < end; p++) {
      const int32_t i = A->row[p], q = next[i]++;   // in the order of columns (i, j) meets this one
      if (q >= A->colptr[i + 1] || A->row[q] != j ||
          !paired(A->value[p], A->value[q], diagonal[i]*diagonal[j]))
        c->componentwise.lenient[c->component[i]] |= NOT_PAIRED;
    }
  }
}

// What a column says, from its largest entry off the diagonal.
static void note_signs(const certifier *c, int32_t j, double own, double largest) {
  uint8_t *known = &c->componentwise.lenient[c->component[j]];
  if (largest > 0.0 || own < 0.0) *known |= NOT_Z;
  if (!(own > 0.0) && c->entries[j] > 0) *known |= NOT_PAIRED;
}

// Signs of the entries of a matrix that is not wrapped. Rows serve as well as columns.
static void look_at_own_signs(const certifier *c, const perp_view *view) {
  if (view->kind == PERP_VIEW_DENSE) {
    const perp_dense *D = view->data;
    const size_t ld = (size_t)(D->ld != 0 ? D->ld : D->n);
    for (int32_t i = 0; i < c->n; i++) {
      const double *row = D->value + (size_t)i*ld;
      double largest = 0.0;
      for (int32_t j = 0; j < i; j++) largest = max2(largest, row[j]);
      for (int32_t j = i + 1; j < c->n; j++) largest = max2(largest, row[j]);
      note_signs(c, i, row[i], largest);
    }
    return;
  }
  const perp_csc *A = view->data;
  for (int32_t j = 0; j < c->n; j++) {
    double own = 0.0, largest = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      if (A->row[p] == j) own = A->value[p];
      else largest = max2(largest, A->value[p]);
    }
    note_signs(c, j, own, largest);
  }
}

// The same under any number of wrappers.
static void look_at_signs(const certifier *c, const entry_chain *chain) {
  for (int32_t j = 0; j < c->n; j++) {
    int32_t i;
    double a, error, own = 0.0, largest = 0.0;
    for (entry_cursor at = entries_begin(chain, j); entries_next(&at, &i, &a, &error);) {
      if (i == j) own = a;
      else largest = max2(largest, a);
    }
    note_signs(c, j, own, largest);
  }
}

void componentwise_look(certifier *c) {
  const perp_operator *A = &c->problem->A;
  const int32_t n = c->n;
  int32_t *rows = (int32_t *)c->work;   // n, of each component
  if (c->look.hurried) {   // no time for a pass over A, and no sizes to compare rows with
    for (int32_t k = 0; k < c->components; k++) c->componentwise.lenient[k] = 0;
    return;
  }
  entry_chain chain;
  const perp_view view = operator_view(A);
  const int shown = !c->look.product && entries_chain(A, &chain);
  const int seen = view.data != NULL && view.shift == 0.0 &&
                   (view.kind == PERP_VIEW_CSC || view.kind == PERP_VIEW_DENSE);
  for (int32_t k = 0; k < c->components; k++) {
    rows[k] = 0;
    c->componentwise.lenient[k] = c->look.product ? NOT_Z : shown ? 0 : NOT_Z | NOT_PAIRED;
  }
  for (int32_t i = 0; i < n; i++) rows[c->component[i]]++;
  if (shown && seen && view.data == A->self) look_at_own_signs(c, &view);
  else if (shown) look_at_signs(c, &chain);
  if (shown && seen) look_at_pairs(c, &view, rows, c->work + n, (int32_t *)(c->work + 2*n));
  for (int32_t k = 0; k < c->components; k++) {
    const int pairs = !(c->componentwise.lenient[k] & NOT_PAIRED) && (c->look.product || seen);
    c->componentwise.lenient[k] =
        !(c->componentwise.lenient[k] & NOT_Z) || (rows[k] > SMALL_ROWS_MAX && pairs);
  }
}

void componentwise_begin(certifier *c) {
  for (int32_t k = 0; k < c->components; k++) c->componentwise.least[k] = (double)INFINITY;
  for (int32_t i = 0; i < c->n; i++) {
    const int32_t k = c->component[i];
    const double datum = unit_of(c, i)*fabs(c->problem->b[i]);
    if (!c->componentwise.lenient[k] && datum > 0.0 &&
        datum >= COMPONENTWISE_ROUNDING*base_of(c, k))
      c->componentwise.least[k] = min2(c->componentwise.least[k], datum);
  }
}

// R_i w_i; 0 if row i does not count.
static double wrong_of(const certifier *c, int32_t i, int leave) {
  const perp_problem *p = c->problem;
  const double y = c->y[i], below = c->x[i] - lower(p->lo, i), above = c->x[i] - upper(p->hi, i);
  const double wrong = wrong_part(y, below, above);
  if (c->entries[i] == 0) return 0.0;   // judged without any tolerance already
  const double distance = (y > 0.0 ? below : -above)*c->rule.inverse_C[i];
  return leave && distance < c->rule.R[i]*wrong ? 0.0 : unit_of(c, i)*wrong;
}

// A row that no x satisfies is judged by its own data alone.
static double least_of(const certifier *c, int32_t i) {
  return impossible_of(c, i) != IMPOSSIBLE_NOT ? (double)INFINITY
                                               : c->componentwise.least[c->component[i]];
}

static void raise(perp_certificate *certificate, int32_t i, double value) {
  if (!(value > certificate->componentwise)) return;
  certificate->componentwise = value;
  certificate->componentwise_row = i;
}

double componentwise_measure(const certifier *c, double absolute_tol, int leave,
                             perp_certificate *certificate) {
  const perp_problem *p = c->problem;
  certificate->componentwise = c->componentwise.sized ? 0.0 : -1.0;
  certificate->componentwise_row = -1;
  for (int32_t i = 0; c->componentwise.sized && i < c->n; i++) {
    const double wrong = wrong_of(c, i, leave);
    if (!(wrong > 0.0)) continue;
    const double below = c->x[i] - lower(p->lo, i), above = c->x[i] - upper(p->hi, i);
    if (fabs(mid(above, c->y[i], below)) <= absolute_tol) continue;
    const int32_t k = c->component[i];
    const double unit = unit_of(c, i);
    raise(certificate, i, componentwise_row(wrong, unit*c->a[i],
                                            impossible_base(c, i, unit, base_of(c, k)),
                                            least_of(c, i)));
  }
  return certificate->componentwise;
}

// (|A||x| + |b|)_i of a symmetric matrix by columns
static double size_of(const certifier *c, const perp_csc *A, int32_t i) {
  double size = fabs(c->problem->b[i]);
  for (int32_t q = A->colptr[i]; q < A->colptr[i + 1]; q++)
    size += fabs(A->value[q]*c->x[A->row[q]]);
  return size;
}

int componentwise_bound(const certifier *c, double slack, int leave, double limit,
                        perp_certificate *certificate) {
  const perp_operator *A = &c->problem->A;
  const int shown = c->facts.mirrored && operator_view(A).data == A->self;
  int skipped = 0;
  certificate->componentwise = 0.0;
  certificate->componentwise_row = -1;
  for (int32_t i = 0; i < c->n; i++) {
    const double wrong = wrong_of(c, i, leave);
    const int32_t k = c->component[i];
    const double base = base_of(c, k), least = c->componentwise.least[k];
    if (!(wrong > 0.0) || wrong + slack <= COMPONENTWISE_ROUNDING*base) continue;
    // a_i >= |b_i|, which may be enough
    const double unit = unit_of(c, i), own = unit*fabs(c->problem->b[i]);
    double value = own > 0.0 ? componentwise_row(wrong + slack, own, base, least)
                             : (double)INFINITY;
    if (value > 1e-3*limit && shown)
      value = componentwise_row(wrong + slack, unit*size_of(c, A->self, i), base, least);
    if (!(value <= 1e-3*limit)) return 0;
    if (value < (double)INFINITY) raise(certificate, i, value);
    else skipped = 1;   // there is no limit
  }
  if (skipped) {
    certificate->componentwise = -1.0;
    certificate->componentwise_row = -1;
  }
  return 1;
}

int componentwise_at_once(const certifier *c, double most, double slack, double limit,
                          perp_certificate *certificate) {
  if (c->components != 1 || c->last.snaps) return 0;
  const int rounding = most + slack <= COMPONENTWISE_ROUNDING*base_of(c, 0);
  if (!rounding && (limit < (double)INFINITY || c->two)) return 0;
  certificate->componentwise = rounding ? 0.0 : -1.0;
  certificate->componentwise_row = -1;
  return 1;
}

double componentwise_of_row(const certifier *c, int32_t i, double r, double y, double a) {
  if (!c->componentwise.sized || r == 0.0 || r < c->rule.R[i]*fabs(y)) return 0.0;
  const double unit = unit_of(c, i);
  return componentwise_row(unit*fabs(y), unit*a,
                           impossible_base(c, i, unit, c->ops->scale(c, i).base), least_of(c, i));
}
