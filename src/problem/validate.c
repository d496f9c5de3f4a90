// validate.c: checks that a problem is well formed; messages name the index, value and limit.
#include <math.h>
#include <string.h>

#include "error.h"
#include "grid.h"
#include "problem.h"
#include "vector.h"

static int is_finite(double v) { return v - v == 0.0; }

static perp_error validate_dense(const perp_dense *A) {
  if (A->n < 0) return error_set(PERP_ERROR_PROBLEM, "dense matrix: n = %d < 0", A->n);
  if (A->n > 0 && A->value == NULL)
    return error_set(PERP_ERROR_PROBLEM, "dense matrix: value is NULL");
  if (A->ld != 0 && A->ld < A->n)
    return error_set(PERP_ERROR_PROBLEM, "dense matrix: ld = %d < n = %d", A->ld, A->n);
  return PERP_OK;
}

// 1: every line ascends without duplicates and stays within 0 .. inner-1. No branch per entry.
static int ascends(int32_t outer, int32_t inner, const int32_t *ptr, const int32_t *index) {
  int bad = 0;
  for (int32_t j = 0; j < outer; j++) {
    const int32_t from = ptr[j], to = ptr[j + 1];
    if (from == to) continue;
    for (int32_t p = from + 1; p < to; p++) bad |= index[p] <= index[p - 1];
    bad |= index[from] < 0 || index[to - 1] >= inner;
  }
  return !bad;
}

enum { SKIP_NOTHING, SKIP_INDICES = 1, SKIP_START = 2 };   // bits: what is not checked

static perp_error validate_pattern(const char *what, int32_t outer, int32_t inner,
                                   const int32_t *ptr, const char *ptr_name, const int32_t *index,
                                   const char *index_name, const double *value, int skip) {
  if (outer < 0 || inner < 0)
    return error_set(PERP_ERROR_PROBLEM, "%s: sizes %d x %d must not be negative",
                     what, inner, outer);
  if (ptr == NULL) return error_set(PERP_ERROR_PROBLEM, "%s: %s is NULL", what, ptr_name);
  if (ptr[0] < 0 || (ptr[0] > 0 && !(skip & SKIP_START)))
    return error_set(PERP_ERROR_PROBLEM, "%s: %s[0] = %d must be 0", what, ptr_name, ptr[0]);
  for (int32_t j = 0; j < outer; j++)
    if (ptr[j + 1] < ptr[j])
      return error_set(PERP_ERROR_PROBLEM, "%s: %s[%d] = %d < %s[%d] = %d", what, ptr_name, j + 1,
                       ptr[j + 1], ptr_name, j, ptr[j]);
  if (ptr[outer] > 0 && (index == NULL || value == NULL))
    return error_set(PERP_ERROR_PROBLEM, "%s: %s or value is NULL with %d entries", what,
                     index_name, ptr[outer]);
  if ((skip & SKIP_INDICES) || ascends(outer, inner, ptr, index)) return PERP_OK;
  for (int32_t j = 0; j < outer; j++)
    for (int32_t p = ptr[j]; p < ptr[j + 1]; p++) {
      if (index[p] < 0 || index[p] >= inner)
        return error_set(PERP_ERROR_PROBLEM, "%s: %s[%d] = %d is outside 0..%d", what, index_name,
                         p, index[p], inner - 1);
      if (p > ptr[j] && index[p] == index[p - 1])
        return error_set(PERP_ERROR_PROBLEM, "%s: %s[%d] = %s[%d] = %d: %s %d has this entry twice",
                         what, index_name, p - 1, index_name, p, index[p],
                         strcmp(index_name, "row") == 0 ? "column" : "row", j);
      if (p > ptr[j] && index[p] < index[p - 1])
        return error_set(PERP_ERROR_PROBLEM, "%s: %s[%d] = %d follows %s[%d] = %d; they must ascend",
                         what, index_name, p, index[p], index_name, p - 1, index[p - 1]);
    }
  return PERP_OK;
}

static perp_error validate_product(const perp_product *A, int skip) {
  if (A->n < 0 || A->dofs < 0)
    return error_set(PERP_ERROR_PROBLEM, "product: n = %d and dofs = %d must not be negative",
                     A->n, A->dofs);
  if (A->block < 1 || A->dofs%A->block != 0)
    return error_set(PERP_ERROR_PROBLEM,
                     "product: block = %d must be positive and divide dofs = %d",
                     A->block, A->dofs);
  if (A->dofs > 0 && A->W == NULL) return error_set(PERP_ERROR_PROBLEM, "product: W is NULL");
  return validate_pattern("product", A->n, A->dofs, A->rowptr, "rowptr", A->column, "column",
                          A->value, skip & SKIP_INDICES);
}

static perp_error validate_contacts(const perp_contacts *A, int skip) {
  const int64_t n = (2 + (int64_t)A->directions)*A->count;
  const int64_t rows = (1 + (int64_t)A->tangents)*A->count;
  if (A->count < 0) return error_set(PERP_ERROR_PROBLEM, "contacts: count = %d < 0", A->count);
  if (A->directions < 1)
    return error_set(PERP_ERROR_PROBLEM, "contacts: directions = %d < 1", A->directions);
  if (A->tangents < 1 || A->tangents > 2)
    return error_set(PERP_ERROR_PROBLEM, "contacts: tangents = %d must be 1 or 2", A->tangents);
  if (n > INT32_MAX)
    return error_set(PERP_ERROR_PROBLEM, "contacts: (2 + %d)*%d rows exceed the limit %d",
                     A->directions, A->count, INT32_MAX);
  if (A->direction == NULL || (A->count > 0 && A->mu == NULL))
    return error_set(PERP_ERROR_PROBLEM, "contacts: %s is NULL",
                     A->direction == NULL ? "direction" : "mu");
  if (A->B.n != rows)
    return error_set(PERP_ERROR_PROBLEM, "contacts: B.n = %d must be (1 + %d)*%d = %lld", A->B.n,
                     A->tangents, A->count, (long long)rows);
  return validate_product(&A->B, skip);
}

// A wrapper is recognised by its ops, which are the first field of its own storage.
static const perp_wrapper *wrapper_of(const perp_operator *A) {
  return (const void *)A->ops == A->self ? A->self : NULL;
}

static perp_error validate_wrapper(const perp_operator *A, const perp_wrapper *w) {
  const int32_t n = w->inner.n;
  if (strcmp(A->ops->name, "restricted") == 0) {
    if (w->m != A->n || w->m < 0 || (w->m > 0 && w->set == NULL))
      return error_set(PERP_ERROR_PROBLEM, "restricted: m = %d, n = %d, set is %s", w->m, A->n,
                       w->set == NULL ? "NULL" : "given");
    for (int32_t k = 0; k < w->m; k++)
      if (w->set[k] < 0 || w->set[k] >= n || (k > 0 && w->set[k] <= w->set[k - 1]))
        return error_set(PERP_ERROR_PROBLEM, "restricted: set[%d] = %d must ascend within 0..%d",
                         k, w->set[k], n - 1);
  } else if (strcmp(A->ops->name, "scaled") == 0) {
    if (n > 0 && (w->R == NULL || w->C == NULL))
      return error_set(PERP_ERROR_PROBLEM, "scaled: R or C is NULL");
    for (int32_t i = 0; i < n; i++)
      if (!(w->R[i] > 0.0 && is_finite(w->R[i]) && w->C[i] > 0.0 && is_finite(w->C[i])))
        return error_set(PERP_ERROR_PROBLEM, "scaled: R[%d] = %g, C[%d] = %g must be in (0, inf)",
                         i, w->R[i], i, w->C[i]);
  } else if (!is_finite(w->shift)) {
    return error_set(PERP_ERROR_PROBLEM, "shifted: shift = %g is not finite", w->shift);
  }
  return PERP_OK;
}

static perp_error validate_operator(const perp_operator *A, int skip);

perp_error validate_block(const perp_operator *A) { return validate_operator(A, SKIP_START); }

perp_error validate_structure(const perp_problem *problem, int seen) {
  if (problem == NULL) return error_set(PERP_ERROR_ARGUMENT, "problem is NULL");
  const perp_error error = validate_operator(&problem->A, seen ? SKIP_INDICES : SKIP_NOTHING);
  if (error == PERP_OK && problem->A.n > 0 && problem->b == NULL)
    return error_set(PERP_ERROR_PROBLEM, "b is NULL");
  return error;
}

static perp_error validate_operator(const perp_operator *A, int skip) {
  if (A->ops == NULL || A->ops->apply == NULL)
    return error_set(PERP_ERROR_PROBLEM, "the operator has no apply()");
  if (A->ops->name == NULL) return error_set(PERP_ERROR_PROBLEM, "the operator has no name");
  if (A->self == NULL)
    return error_set(PERP_ERROR_PROBLEM, "operator '%s' has no data: self is NULL", A->ops->name);
  const perp_wrapper *wrapper = wrapper_of(A);
  const perp_view view = wrapper == NULL ? operator_view(A) : (perp_view){0};
  if (view.kind == PERP_VIEW_CONTACT) {   // checked first because n may have overflowed
    const perp_error error = validate_contacts(view.data, skip);
    if (error != PERP_OK) return error;
  }
  if (view.kind == PERP_VIEW_GRID) {
    const perp_error error = grid_check_shape(view.data, skip & SKIP_INDICES);
    if (error != PERP_OK) return error;
  }
  if (A->n < 0) return error_set(PERP_ERROR_PROBLEM, "n = %d < 0", A->n);
  if (wrapper != NULL) {
    perp_error inner = validate_operator(&wrapper->inner, skip);
    return inner == PERP_OK ? validate_wrapper(A, wrapper) : inner;
  }
  perp_error error = PERP_OK;
  int32_t n = A->n;
  if (view.kind == PERP_VIEW_DENSE) {
    error = validate_dense(view.data);
    n = ((const perp_dense *)view.data)->n;
  } else if (view.kind == PERP_VIEW_CSC) {
    const perp_csc *csc = view.data;
    if (csc->rows != csc->columns)
      return error_set(PERP_ERROR_PROBLEM,
                       "A is %d x %d: a complementarity problem needs a square matrix",
                       csc->rows, csc->columns);
    error = validate_pattern("csc", csc->columns, csc->rows, csc->colptr, "colptr", csc->row, "row",
                             csc->value, skip);
    n = csc->columns;
  } else if (view.kind == PERP_VIEW_PRODUCT) {
    error = validate_product(view.data, skip);
    n = ((const perp_product *)view.data)->n;
  } else if (view.kind == PERP_VIEW_CONTACT) {
    const perp_contacts *contacts = view.data;
    n = (2 + contacts->directions)*contacts->count;
  } else if (view.kind == PERP_VIEW_GRID) {
    const perp_grid *grid = view.data;
    n = grid->cells[0]*grid->cells[1]*grid->cells[2];
  } else if (view.kind == PERP_VIEW_CALLBACK) {
    const perp_callback *callback = view.data;
    if (callback->apply == NULL) return error_set(PERP_ERROR_PROBLEM, "callback: apply is NULL");
    n = callback->n;
  }
  if (error == PERP_OK && n != A->n)
    return error_set(PERP_ERROR_PROBLEM, "the operator has n = %d, but its matrix has n = %d", A->n, n);
  return error;
}

static perp_error validate_array(const char *what, const double *value, int64_t count) {
  for (int64_t k = 0; k < count; k++)
    if (!is_finite(value[k]))
      return error_set(PERP_ERROR_PROBLEM, "%s[%lld] = %g is not finite",
                       what, (long long)k, value[k]);
  return PERP_OK;
}

// W must be symmetric positive semidefinite per body. Check symmetry and the sign of the diagonal;
// the full test would cost a factorisation.
static perp_error validate_weights(const perp_product *A) {
  for (int32_t k = 0; k < A->dofs; k += A->block)
    for (int32_t i = 0; i < A->block; i++) {
      const double *row = A->W + ((int64_t)k + i)*A->block;
      if (row[i] < 0.0)
        return error_set(PERP_ERROR_PROBLEM, "product: W[%d][%d] = %g < 0", k + i, i, row[i]);
      for (int32_t j = 0; j < i; j++)
        if (row[j] != A->W[((int64_t)k + j)*A->block + i])
          return error_set(PERP_ERROR_PROBLEM, "product: W[%d][%d] = %g differs from W[%d][%d] = %g",
                           k + i, j, row[j], k + j, i, A->W[((int64_t)k + j)*A->block + i]);
    }
  return PERP_OK;
}

static perp_error validate_not_negative(const char *what, const double *value, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    if (!(value[i] >= 0.0) || !is_finite(value[i]))
      return error_set(PERP_ERROR_PROBLEM, "%s[%d] = %g is outside [0, inf)", what, i, value[i]);
  return PERP_OK;
}

static perp_error validate_product_values(const perp_product *A) {
  perp_error error = validate_array("product: value", A->value, A->rowptr[A->n]);
  if (error == PERP_OK) error = validate_array("product: W", A->W, (int64_t)A->dofs*A->block);
  if (error == PERP_OK) error = validate_weights(A);
  if (error == PERP_OK && A->compliance != NULL)
    error = validate_not_negative("product: compliance", A->compliance, A->n);
  return error;
}

perp_error validate_values(const perp_problem *problem, team *threads) {
  const perp_wrapper *wrapper = wrapper_of(&problem->A);
  if (wrapper != NULL) return validate_values(&(perp_problem){.A = wrapper->inner}, threads);
  const perp_view view = operator_view(&problem->A);
  if (view.kind == PERP_VIEW_DENSE) {
    const perp_dense *A = view.data;
    const int32_t ld = A->ld != 0 ? A->ld : A->n;
    for (int32_t i = 0; i < A->n; i++)
      for (int32_t j = 0; !all_finite(A->value + (int64_t)i*ld, A->n) && j < A->n; j++) {
        const double v = A->value[(int64_t)i*ld + j];
        if (!is_finite(v))
          return error_set(PERP_ERROR_PROBLEM, "A[%d][%d] = %g is not finite",
                           A->by_column ? j : i, A->by_column ? i : j, v);
      }
  } else if (view.kind == PERP_VIEW_CSC) {
    const perp_csc *A = view.data;
    const int32_t from = A->colptr[0], end = A->colptr[A->columns];
    const int fine = from == end || all_finite(A->value + from, end - from);
    for (int32_t j = 0; !fine && j < A->columns; j++)
      for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
        if (!is_finite(A->value[p]))
          return error_set(PERP_ERROR_PROBLEM, "A[%d][%d] = %g is not finite (value[%d])",
                           A->row[p], j, A->value[p], p);
  } else if (view.kind == PERP_VIEW_PRODUCT) {
    return validate_product_values(view.data);
  } else if (view.kind == PERP_VIEW_CONTACT) {
    const perp_contacts *A = view.data;
    perp_error error = validate_array("contacts: direction", A->direction,
                                      (int64_t)A->directions*A->tangents);
    if (error == PERP_OK) error = validate_not_negative("contacts: mu", A->mu, A->count);
    return error == PERP_OK ? validate_product_values(&A->B) : error;
  } else if (view.kind == PERP_VIEW_GRID) {
    return grid_check_weights(view.data, threads);
  }
  return PERP_OK;
}

// Checks b, lo and hi in rows from .. to-1 without branches.
static int vectors_fine(const perp_problem *p, int32_t from, int32_t to) {
  int bad = 0;
  for (int32_t i = from; i < to; i++) bad |= !(p->b[i] - p->b[i] == 0.0);
  if (p->lo != NULL)
    for (int32_t i = from; i < to; i++) bad |= !(p->lo[i] < (double)INFINITY);
  if (p->hi != NULL)
    for (int32_t i = from; i < to; i++) bad |= !(p->hi[i] > -(double)INFINITY);
  if (p->lo != NULL && p->hi != NULL)
    for (int32_t i = from; i < to; i++) bad |= p->lo[i] > p->hi[i];
  else if (p->hi != NULL)
    for (int32_t i = from; i < to; i++) bad |= p->hi[i] < 0.0;
  return !bad;
}

typedef struct looking {
  const perp_problem *problem;
  const double *x;               // NULL: check the problem's vectors; otherwise check this one
  int32_t doubt[TEAM_SHARES];    // a row at or before the first bad one, or INT32_MAX
} looking;

static void look_at_some(void *data, int32_t from, int32_t to, int32_t share) {
  looking *l = data;
  const int fine = l->x != NULL ? all_finite(l->x + from, to - from)
                                : vectors_fine(l->problem, from, to);
  l->doubt[share] = fine ? INT32_MAX : from;
}

// A row at or before the first bad row, or n if all rows are fine.
static int32_t first_doubt(looking *l, int32_t n, team *threads) {
  const int32_t shares = n > 0 ? team_share(threads, n, look_at_some, l) : 0;
  for (int32_t k = 0; k < shares; k++)
    if (l->doubt[k] < n) return l->doubt[k];
  return n;
}

perp_error validate_vectors(const perp_problem *problem, team *threads) {
  const int32_t n = problem->A.n;
  for (int32_t i = first_doubt(&(looking){.problem = problem}, n, threads); i < n; i++) {
    const double b = problem->b[i], lo = lower(problem->lo, i), hi = upper(problem->hi, i);
    if (!is_finite(b)) return error_set(PERP_ERROR_PROBLEM, "b[%d] = %g is not finite", i, b);
    if (lo != lo || lo == (double)INFINITY)
      return error_set(PERP_ERROR_PROBLEM, "row %d: lo = %g must be a number or -inf", i, lo);
    if (hi != hi || hi == -(double)INFINITY)
      return error_set(PERP_ERROR_PROBLEM, "row %d: hi = %g must be a number or inf", i, hi);
    if (lo > hi) return error_set(PERP_ERROR_PROBLEM, "row %d: lo = %.17g > hi = %.17g", i, lo, hi);
  }
  return PERP_OK;
}

perp_error perp_validate(const perp_problem *problem) {
  perp_error error = validate_structure(problem, 0);
  if (error == PERP_OK) error = validate_values(problem, NULL);
  if (error == PERP_OK) error = validate_vectors(problem, NULL);
  return error;
}

// perp_limits_of() calls this before validation.
int64_t problem_nnz(const perp_problem *problem) {
  const perp_view view = operator_view(&problem->A);
  switch (view.kind) {
    case PERP_VIEW_DENSE: return (int64_t)problem->A.n*problem->A.n;
    case PERP_VIEW_CSC: {
      const perp_csc *A = view.data;
      return A->columns > 0 && A->colptr != NULL ? (int64_t)A->colptr[A->columns] - A->colptr[0] : 0;
    }
    case PERP_VIEW_PRODUCT: {
      const perp_product *A = view.data;
      return A->n > 0 && A->rowptr != NULL ? A->rowptr[A->n] : 0;
    }
    case PERP_VIEW_CONTACT: {
      const perp_product *B = &((const perp_contacts *)view.data)->B;
      return B->n > 0 && B->rowptr != NULL ? B->rowptr[B->n] : 0;
    }
    default: return 0;
  }
}

perp_error validate_point(const char *what, int32_t n, const double *x, team *threads) {
  for (int32_t i = first_doubt(&(looking){.x = x}, n, threads); i < n; i++)
    if (!is_finite(x[i]))
      return error_set(PERP_ERROR_ARGUMENT, "%s x[%d] = %g is not finite", what, i, x[i]);
  return PERP_OK;
}
