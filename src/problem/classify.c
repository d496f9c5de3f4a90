// classify.c: finds the classes a matrix belongs to, and the numbers that prove it.
//
// A verdict YES or NO is a proof up to rounding.
// Cost: O(nnz) for all tests but two. If 20 scaling sweeps leave H+ open and n <= 500, elimination
// decides it. If dominance leaves definiteness open and n <= 1500, Cholesky decides it.
#include "classify.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "arena.h"
#include "error.h"
#include "operator.h"
#include "plain.h"
#include "problem.h"
#include "symmetry.h"
#include "vector.h"

#define PERP_X(id, name, text) {name, text},
static const char *const classes_text[][2] = {PERP_CLASS_LIST(PERP_X)};
#undef PERP_X

const char *perp_class_name(perp_class which) {
  return (unsigned)which < PERP_CLASS_COUNT ? classes_text[which][0] : "unknown class";
}
const char *perp_class_text(perp_class which) {
  return (unsigned)which < PERP_CLASS_COUNT ? classes_text[which][1]
      : "a number that is no perp_class";
}

void finding_set(finding *f, perp_verdict verdict, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  f->verdict = verdict;
  plain_vprint(f->reason, sizeof f->reason, format, arguments);
  va_end(arguments);
}

// ---- the entries, by columns and by rows ----

// Entry (i, j) of the view, computed from the stored value.
static double seen_through(const perp_view *view, int32_t i, int32_t j, double value) {
  if (view->R != NULL) value *= view->R[i];
  if (view->C != NULL) value *= view->C[j];
  return i == j ? value + view->shift : value;
}

typedef struct filler { matrix *A; int32_t count; } filler;   // A->value NULL: count only

static void put(filler *f, int32_t i, double value) {
  if (value == 0.0) return;
  if (f->A->value != NULL) {
    f->A->row[f->count] = i;
    f->A->value[f->count] = value;
  }
  f->count++;
}

// Copies the columns of the view without zeros. Returns the number of entries, or INT32_MAX if
// there are more.
static int32_t fill(matrix *A, const perp_view *view) {
  filler f = {A, 0};
  for (int32_t j = 0; j < A->n; j++) {
    if (A->value != NULL) A->colptr[j] = f.count;
    if (f.count > INT32_MAX - A->n) return INT32_MAX;
    if (view->kind == PERP_VIEW_DENSE) {
      const perp_dense *D = view->data;
      const size_t ld = (size_t)(D->ld != 0 ? D->ld : D->n);
      for (int32_t i = 0; i < A->n; i++)
        put(&f, i, seen_through(view, i, j,
            D->value[D->by_column ? (size_t)j*ld + (size_t)i : (size_t)i*ld + (size_t)j]));
      continue;
    }
    const perp_csc *C = view->data;
    int diagonal = 0;
    for (int32_t p = C->colptr[j]; p < C->colptr[j + 1]; p++) {
      const int32_t i = C->row[p];
      // Not stored, but the shift makes it nonzero.
      if (i > j && !diagonal) put(&f, j, view->shift);
      diagonal |= i >= j;
      put(&f, i, seen_through(view, i, j, C->value[p]));
    }
    if (!diagonal) put(&f, j, view->shift);
  }
  if (A->value != NULL) A->colptr[A->n] = f.count;
  return f.count;
}

static void transpose(matrix *A) {
  const int32_t n = A->n;
  memset(A->rowptr, 0, ((size_t)n + 1)*sizeof *A->rowptr);
  for (int32_t p = 0; p < A->colptr[n]; p++) A->rowptr[A->row[p] + 1]++;
  for (int32_t i = 0; i < n; i++) A->rowptr[i + 1] += A->rowptr[i];
  memcpy(A->queue, A->rowptr, (size_t)n*sizeof *A->queue);
  for (int32_t j = 0; j < n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t q = A->queue[A->row[p]]++;
      A->column[q] = j;
      A->by_row[q] = A->value[p];
    }
}

static void layout(matrix *A, arena *memory, int32_t nnz, int32_t **component, int32_t **counts) {
  const size_t n = (size_t)A->n;
  A->colptr = ARENA_ARRAY(memory, int32_t, n + 1);
  A->rowptr = ARENA_ARRAY(memory, int32_t, n + 1);
  A->row = ARENA_ARRAY(memory, int32_t, nnz);
  A->column = ARENA_ARRAY(memory, int32_t, nnz);
  A->value = ARENA_ARRAY(memory, double, nnz);
  A->by_row = ARENA_ARRAY(memory, double, nnz);
  A->diagonal = ARENA_ARRAY(memory, double, n);
  A->v = ARENA_ARRAY(memory, double, n);
  A->w = ARENA_ARRAY(memory, double, n);
  A->low = ARENA_ARRAY(memory, double, n);
  A->queue = ARENA_ARRAY(memory, int32_t, n);
  *component = ARENA_ARRAY(memory, int32_t, n);
  *counts = ARENA_ARRAY(memory, int32_t, n);
}

// ---- tests at a glance ----

static double test_symmetric(const matrix *A, finding *f) {   // returns max |A - A'| / max |A|
  // clear: the largest difference beyond rounding.
  double worst = 0.0, clear = 0.0, left = 0.0, right = 0.0;
  int32_t row = 0, column = 0;
  for (int32_t j = 0; j < A->n; j++) {
    int32_t p = A->colptr[j], q = A->rowptr[j];
    // Merge column j with row j, both sorted.
    while (p < A->colptr[j + 1] || q < A->rowptr[j + 1]) {
      const int32_t a = p < A->colptr[j + 1] ? A->row[p] : A->n,
          b = q < A->rowptr[j + 1] ? A->column[q] : A->n;
      const int32_t i = a < b ? a : b;
      const double below = a == i ? A->value[p++] : 0.0, beside = b == i ? A->by_row[q++] : 0.0;
      const double difference = fabs(below - beside);
      if (difference == 0.0) continue;
      worst = max2(worst, difference);
      if (difference > clear &&
          asymmetry_of(below, beside, A->diagonal[i], A->diagonal[j]) > SYMMETRY_STATED) {
        clear = difference;
        left = below;
        right = beside;
        row = i;
        column = j;
      }
    }
  }
  if (worst == 0.0) finding_set(f, PERP_YES, "A equals A' exactly");
  else if (clear == 0.0)
    finding_set(f, PERP_YES, "to rounding: max |A - A'| = %.2g max |A|", worst/A->largest);
  else
    finding_set(f, PERP_NO, "A[%d][%d] = %.6g, A[%d][%d] = %.6g", row, column, left, column, row,
                right);
  return worst > 0.0 ? worst/A->largest : 0.0;
}

static void test_signs(const matrix *A, finding *z, finding *nonnegative, finding *tridiagonal) {
  finding_set(z, PERP_YES, "no positive entry off the diagonal");
  finding_set(nonnegative, PERP_YES, "no negative entry, positive diagonal");
  finding_set(tridiagonal, PERP_YES, "no entry with |i - j| > 1");
  for (int32_t j = 0; j < A->n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p];
      const double a = A->value[p];
      if (i != j && a > 0.0 && z->verdict == PERP_YES)
        finding_set(z, PERP_NO, "A[%d][%d] = %.4g > 0", i, j, a);
      if (a < 0.0 && nonnegative->verdict == PERP_YES)
        finding_set(nonnegative, PERP_NO, "A[%d][%d] = %.4g < 0", i, j, a);
      if ((i > j + 1 || j > i + 1) && tridiagonal->verdict == PERP_YES)
        finding_set(tridiagonal, PERP_NO, "A[%d][%d] = %.4g", i, j, a);
    }
  for (int32_t i = 0; i < A->n && nonnegative->verdict == PERP_YES; i++)
    if (A->diagonal[i] == 0.0) finding_set(nonnegative, PERP_NO, "A[%d][%d] = 0", i, i);
}

// The first row (or column) in which |A_ii| is smaller than the sum of the other |A_ij|, beyond
// rounding. -1: none.
static int32_t not_dominant(const matrix *A, const int32_t *ptr, const int32_t *index,
                            const double *value, double *sum) {
  for (int32_t i = 0; i < A->n; i++) {
    *sum = 0.0;
    for (int32_t p = ptr[i]; p < ptr[i + 1]; p++)
      if (index[p] != i) *sum += fabs(value[p]);
    if (fabs(A->diagonal[i]) < *sum*(1.0 - (ptr[i + 1] - ptr[i] + 2)*0x1p-53)) return i;
  }
  return -1;
}

static void test_dominant(const matrix *A, finding *f) {
  double sum, sum_down;
  const int32_t row = not_dominant(A, A->rowptr, A->column, A->by_row, &sum);
  const int32_t column = row < 0 ? -1 : not_dominant(A, A->colptr, A->row, A->value, &sum_down);
  if (row < 0) finding_set(f, PERP_YES, "in every row");
  else if (column < 0) finding_set(f, PERP_YES, "in every column");
  else
    finding_set(f, PERP_NO,
                "row %d: |diagonal| = %.4g < %.4g = sum of others; column %d: %.4g < %.4g", row,
                   fabs(A->diagonal[row]), sum, column, fabs(A->diagonal[column]), sum_down);
}

static void test_m(const finding *z, const finding *h, finding *m) {
  if (z->verdict == PERP_NO) finding_set(m, PERP_NO, "not Z: %.88s", z->reason);
  else if (h->verdict == PERP_NO) finding_set(m, PERP_NO, "not H+: %.84s", h->reason);
  else if (h->verdict == PERP_YES) finding_set(m, PERP_YES, "Z and H+");
  else finding_set(m, PERP_UNKNOWN, "Z, but H+ is unknown");
}

// A symmetric, dominant A with diagonal >= 0 is PSD: its Gershgorin circles lie right of 0.
// A symmetric H+ matrix is PD.
static void definite_by_dominance(const matrix *A, finding *of) {
  if (of[PERP_CLASS_SYMMETRIC].verdict != PERP_YES) return;
  int nonnegative = of[PERP_CLASS_DOMINANT].verdict == PERP_YES;
  for (int32_t i = 0; i < A->n; i++) nonnegative &= A->diagonal[i] >= 0.0;
  if (of[PERP_CLASS_H].verdict == PERP_YES) {
    finding_set(&of[PERP_CLASS_PD], PERP_YES, "symmetric and H+");
    finding_set(&of[PERP_CLASS_PSD], PERP_YES, "symmetric and H+");
  } else if (nonnegative)
    finding_set(&of[PERP_CLASS_PSD], PERP_YES, "symmetric, dominant, diagonal >= 0");
}

static void count_rows(const perp_problem *problem, perp_classes *classes) {
  for (int32_t i = 0; i < problem->A.n; i++) {
    const double lo = lower(problem->lo, i), hi = upper(problem->hi, i);
    if (lo == hi) classes->fixed_rows++;
    else if (lo == -(double)INFINITY && hi == (double)INFINITY) classes->free_rows++;
    else if (lo == 0.0 && hi == (double)INFINITY) classes->lcp_rows++;
    else classes->boxed_rows++;
  }
}

static void classify_product(const perp_product *J, finding *of) {
  for (int32_t c = 0; c < PERP_CLASS_COUNT; c++)
    finding_set(&of[c], PERP_UNKNOWN, "the entries of J W J' are not computed");
  finding_set(&of[PERP_CLASS_SYMMETRIC], PERP_YES, "by construction: J W J' + compliance");
  finding_set(&of[PERP_CLASS_PSD], PERP_YES, "by construction: J W J' + compliance");
  double smallest = J->compliance != NULL ? (double)INFINITY : 0.0;
  for (int32_t i = 0; J->compliance != NULL && i < J->n; i++)
    smallest = min2(smallest, J->compliance[i]);
  if (smallest > 0.0) finding_set(&of[PERP_CLASS_PD], PERP_YES, "compliance >= %.4g > 0", smallest);
}

// The first contact and its first direction show which classes (27) does not belong to. diagonal: n
static void classify_contacts(const perp_contacts *P, const double *diagonal, double *relative,
                              finding *of) {
  const int32_t n = (2 + P->directions)*P->count, t = P->count, s = (1 + P->directions)*P->count;
  for (int32_t c = 0; c < PERP_CLASS_COUNT; c++)
    finding_set(&of[c], PERP_UNKNOWN, "the entries of the contact LCP are not computed");
  finding_set(&of[PERP_CLASS_FRICTION], PERP_YES, "by construction: %d contacts, K = %d", P->count,
              P->directions);
  if (P->count == 0) return;
  double largest = 1.0, most = 2.0;   // |A|, |A - A'|
  int32_t rough = -1;
  for (int32_t i = 0; i < n; i++) largest = max2(largest, fabs(diagonal[i]));
  for (int32_t c = 0; c < P->count; c++) {
    largest = max2(largest, P->mu[c]);
    most = max2(most, P->mu[c]);
    if (rough < 0 && P->mu[c] > 0.0) rough = c;
  }
  *relative = most/largest;
  finding_set(&of[PERP_CLASS_SYMMETRIC], PERP_NO, "A[%d][%d] = 1, A[%d][%d] = -1", t, s, s, t);
  finding_set(&of[PERP_CLASS_Z], PERP_NO, "A[%d][%d] = 1 > 0", t, s);
  finding_set(&of[PERP_CLASS_NONNEGATIVE], PERP_NO, "A[%d][%d] = -1 < 0", s, t);
  const perp_class hollow[] = {PERP_CLASS_DOMINANT, PERP_CLASS_H, PERP_CLASS_M, PERP_CLASS_PD};
  for (size_t k = 0; k < sizeof hollow/sizeof hollow[0]; k++)
    finding_set(&of[hollow[k]], PERP_NO, "A[%d][%d] = 0, A[%d][%d] = -1", s, s, s, t);
  if (rough >= 0)
    finding_set(&of[PERP_CLASS_PSD], PERP_NO, "A[%d][%d] = 0, but A[%d][%d] = mu = %.4g",
                s + rough, s + rough, s + rough, rough, P->mu[rough]);
  else finding_set(&of[PERP_CLASS_PSD], PERP_YES, "by construction: mu = 0, x'Ax = l'Bl");
}

// All tests on the entries. Returns PERP_OK or PERP_ERROR_MEMORY.
static perp_error classify_entries(const perp_problem *problem, const perp_view *view,
                                   const perp_allocator *from, perp_classes *classes,
                                   finding *of) {
  matrix A = {.n = problem->A.n};
  const int32_t nnz = fill(&A, view);
  if (nnz == INT32_MAX) {
    for (int32_t c = 0; c < PERP_CLASS_COUNT; c++)
      finding_set(&of[c], PERP_UNKNOWN, "more than 2^31 entries");
    return PERP_OK;
  }
  arena count = {0};
  int32_t *component, *counts;
  layout(&A, &count, nnz, &component, &counts);
  void *block = arena_overflowed(&count) ? NULL : from->allocate(from->context, count.used);
  if (block == NULL && count.used > 0)
    return error_set(PERP_ERROR_MEMORY, "perp_classify: no memory for n = %d, nnz = %d", A.n, nnz);
  arena memory = {block, count.used, 0};
  layout(&A, &memory, nnz, &component, &counts);
  fill(&A, view);
  transpose(&A);
  for (int32_t i = 0; i < A.n; i++) A.diagonal[i] = 0.0;
  for (int32_t j = 0; j < A.n; j++)
    for (int32_t p = A.colptr[j]; p < A.colptr[j + 1]; p++) {
      if (A.row[p] == j) A.diagonal[j] = A.value[p];
      A.largest = max2(A.largest, fabs(A.value[p]));
    }
  int known;
  A.components = components_find(&problem->A, component, counts, &known, NULL);
  classes->components = A.components;
  A.component = component;

  classes->asymmetry = test_symmetric(&A, &of[PERP_CLASS_SYMMETRIC]);
  test_signs(&A, &of[PERP_CLASS_Z], &of[PERP_CLASS_NONNEGATIVE], &of[PERP_CLASS_TRIDIAGONAL]);
  test_dominant(&A, &of[PERP_CLASS_DOMINANT]);
  perp_error error = classify_friction(&A, from, &of[PERP_CLASS_FRICTION]);
  if (error != PERP_OK) error_set(error, "perp_classify: no memory for contacts, n = %d", A.n);
  double *dense = NULL;
  // First without a dense matrix; allocate one only if a verdict is still open.
  for (int attempt = 0; error == PERP_OK && attempt < 2; attempt++) {
    classify_h(&A, dense, &of[PERP_CLASS_H]);
    test_m(&of[PERP_CLASS_Z], &of[PERP_CLASS_H], &of[PERP_CLASS_M]);
    definite_by_dominance(&A, of);
    const int open = of[PERP_CLASS_PD].verdict == PERP_UNKNOWN ||
                     of[PERP_CLASS_H].verdict == PERP_UNKNOWN;
    if (attempt == 1 || !open || classify_dense_doubles(A.n) == 0) break;
    dense = from->allocate(from->context, classify_dense_doubles(A.n)*sizeof *dense);
    if (dense == NULL) {
      error = error_set(PERP_ERROR_MEMORY, "perp_classify: no memory for a dense factor, n = %d",
                        A.n);
      break;
    }
  }
  if (error == PERP_OK) classify_definite(&A, dense, &of[PERP_CLASS_PSD], &of[PERP_CLASS_PD]);
  if (dense != NULL) from->release(from->context, dense);
  if (block != NULL) from->release(from->context, block);
  return error;
}

static void test_spd(const finding *symmetric, const finding *definite, finding *f) {
  if (symmetric->verdict == PERP_NO) finding_set(f, PERP_NO, "not symmetric");
  else if (definite->verdict == PERP_NO) finding_set(f, PERP_NO, "not positive definite");
  else if (symmetric->verdict == PERP_YES && definite->verdict == PERP_YES)
    finding_set(f, PERP_YES, "symmetric and positive definite");
  else finding_set(f, PERP_UNKNOWN, "symmetry or definiteness is unknown");
}

// Components of a product: rows that no body connects, as the certificate counts them. For the
// contact LCP, also its classes.
static perp_error count_components(const perp_operator *A, const perp_contacts *contacts,
                                   const perp_allocator *from, perp_classes *classes,
                                   finding *of) {
  // The indices come first: 8 n bytes.
  const size_t n = (size_t)A->n, indices = 2*n*sizeof(int32_t);
  const size_t scratch = operator_scratch_bytes(A), diagonal = n*sizeof(double);
  const size_t bytes = indices + (scratch > diagonal ? scratch : diagonal);
  int32_t *block = from->allocate(from->context, bytes > 0 ? bytes : 1);
  if (block == NULL)
    return error_set(PERP_ERROR_MEMORY, "perp_classify: no memory for n = %d", A->n);
  int known;
  classes->components = components_find(A, block, block + n, &known, block + 2*n);
  if (contacts != NULL) {
    double *d = (double *)(void *)(block + 2*n);
    A->ops->diagonal(A->self, d);
    classify_contacts(contacts, d, &classes->asymmetry, of);
  }
  from->release(from->context, block);
  return PERP_OK;
}

perp_error perp_classify(const perp_problem *problem, const perp_allocator *allocator,
                         perp_classes *classes) {
  if (problem == NULL || classes == NULL)
    return error_set(PERP_ERROR_ARGUMENT, "perp_classify: problem or classes is NULL");
  perp_error error = perp_validate(problem);
  if (error != PERP_OK) return error;
  const perp_allocator from = allocator_of(allocator);

  perp_classes found = {0};
  finding of[PERP_CLASS_COUNT];
  for (int32_t c = 0; c < PERP_CLASS_COUNT; c++) finding_set(&of[c], PERP_UNKNOWN, "not examined");
  count_rows(problem, &found);
  found.components = problem->A.n > 0;
  const perp_view view = operator_view(&problem->A);
  const int plain = view.R == NULL && view.C == NULL && view.shift == 0.0;
  if (view.kind == PERP_VIEW_DENSE || view.kind == PERP_VIEW_CSC)
    error = classify_entries(problem, &view, &from, &found, of);
  else if (view.kind == PERP_VIEW_PRODUCT && plain) {
    classify_product(view.data, of);
    error = count_components(&problem->A, NULL, &from, &found, of);
  } else if (view.kind == PERP_VIEW_CONTACT && plain)
    error = count_components(&problem->A, view.data, &from, &found, of);
  else if (view.kind == PERP_VIEW_GRID && plain)
    error = classify_grid(&problem->A, view.data, &from, &found.components, of);
  else
    for (int32_t c = 0; c < PERP_CLASS_COUNT; c++)
      finding_set(&of[c], PERP_UNKNOWN, "operator '%s' does not show its entries",
                  problem->A.ops->name);
  if (error != PERP_OK) return error;
  test_spd(&of[PERP_CLASS_SYMMETRIC], &of[PERP_CLASS_PD], &of[PERP_CLASS_SPD]);
  for (int32_t c = 0; c < PERP_CLASS_COUNT; c++) {
    found.of[c].verdict = of[c].verdict;
    memcpy(found.of[c].reason, of[c].reason, sizeof found.of[c].reason);
  }
  *classes = found;
  return PERP_OK;
}
