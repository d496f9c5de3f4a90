// demands.c: checks whether A has the properties that a method needs.
#include "demands.h"

#include <math.h>

#include "allocator.h"
#include "arena.h"
#include "assemble.h"
#include "operator.h"
#include "plain.h"
#include "problem.h"
#include "random.h"
#include "symmetry.h"
#include "vector.h"

// For a random u, A u = A'u almost surely only if A = A'.
static asymmetry asymmetry_of_products(const perp_operator *A, const perp_allocator *from) {
  const asymmetry none = {0.0, -1, -1};
  const size_t n = (size_t)A->n;
  arena count = {0};
  for (int k = 0; k < 3; k++) ARENA_ARRAY(&count, double, n);
  arena_take(&count, operator_scratch_bytes(A), sizeof(double));
  const size_t bytes = arena_block_bytes(&count);
  void *block = from->allocate(from->context, bytes);
  if (block == NULL) return none;
  arena memory = arena_on_block(block, bytes);
  double *u = ARENA_ARRAY(&memory, double, n), *v = ARENA_ARRAY(&memory, double, n),
         *w = ARENA_ARRAY(&memory, double, n);
  void *scratch = arena_take(&memory, operator_scratch_bytes(A), sizeof(double));
  random_stream stream = {1, 0};
  for (size_t i = 0; i < n; i++) u[i] = random_range(&stream, 0.5, 1.5);
  double size = 0.0, skew = 0.0;
  const int known = A->ops->apply(A->self, u, v, scratch) == 0 &&
                    A->ops->apply_transpose(A->self, u, w, scratch) == 0;
  for (size_t i = 0; known && i < n; i++) {
    size = max2(size, max2(fabs(v[i]), fabs(w[i])));
    skew = max_or_nan(skew, fabs(v[i] - w[i]));
  }
  from->release(from->context, block);
  return (asymmetry){skew > 0.0 ? skew/size : 0.0, -1, -1};
}

static asymmetry asymmetry_of_csc(const perp_csc *A, const perp_allocator *from, double enough) {
  const asymmetry none = {0.0, -1, -1};
  int32_t *next = from->allocate(from->context, ((size_t)A->columns + 1)*sizeof *next);
  if (next == NULL) return none;
  const asymmetry found = csc_asymmetry(A, enough, next);
  from->release(from->context, next);
  return found;
}

static asymmetry asymmetry_of_operator(const perp_operator *A, const perp_allocator *from,
                                       double enough) {
  const asymmetry none = {0.0, -1, -1};
  const perp_view view = operator_view(A);
  // Equal scaling of rows and columns, and a shift, keep symmetry.
  const int alike = view.R == view.C;
  if (alike && (view.kind == PERP_VIEW_PRODUCT || view.kind == PERP_VIEW_GRID)) return none;
  if (view.kind == PERP_VIEW_CONTACT)   // E and -E' make a perp_contacts non-symmetric
    return ((const perp_contacts *)view.data)->count > 0 ? (asymmetry){2.0, -1, -1} : none;
  if (alike && view.kind == PERP_VIEW_CSC && view.shift == 0.0)
    return asymmetry_of_csc(view.data, from, enough);
  if (alike && view.kind == PERP_VIEW_DENSE && view.shift == 0.0)
    return dense_asymmetry(view.data, enough);
  // Two products cost less than all entries. If a caller's own operator has neither entries nor a
  // transposed product, its claim is believed.
  if (view.kind == PERP_VIEW_NONE || view.kind == PERP_VIEW_CALLBACK) {
    if (A->ops->apply_transpose != NULL) return asymmetry_of_products(A, from);
    if (A->claims & PERP_CLAIM_SYMMETRIC) return none;
  }
  perp_csc own;
  if (assemble_csc(A, 0, from, &own) != 0) return none;
  const asymmetry found = asymmetry_of_csc(&own, from, enough);
  assembled_free(from, &own);
  return found;
}

static unmet symmetry_of(const perp_operator *A, const perp_allocator *from, double most) {
  const asymmetry found = asymmetry_of_operator(A, from, most);
  return found.most <= most ? (unmet){DEMAND_NONE, -1, -1}
                            : (unmet){DEMAND_SYMMETRY, found.i, found.j};
}

// Is A symmetric after scaling its rows and columns by separate factors?
static unmet symmetry_after_scaling(const perp_operator *A, const perp_allocator *from,
                                    double most) {
  const unmet plain = symmetry_of(A, from, most);
  if (plain.what == DEMAND_NONE) return plain;
  const size_t n = (size_t)A->n;
  arena count = {0};
  ARENA_ARRAY(&count, double, 6*n);
  const size_t bytes = arena_block_bytes(&count);
  void *block = from->allocate(from->context, bytes);
  if (block == NULL) return plain;
  arena memory = arena_on_block(block, bytes);
  double *R = ARENA_ARRAY(&memory, double, 6*n), *C = R + n;
  perp_wrapper wrapper;
  unmet scaled = plain;
  if (equilibrate(A, R, C, R + 2*n) != 0) {
    const perp_operator RAC = perp_scaled(&wrapper, *A, R, C);
    scaled = symmetry_of(&RAC, from, most);
  }
  from->release(from->context, block);
  return scaled.what == DEMAND_NONE ? scaled : plain;
}

static unmet diagonal_of(const perp_operator *A, const perp_allocator *from) {
  const unmet none = {DEMAND_NONE, -1, -1};
  if (A->ops->diagonal == NULL || operator_view(A).kind == PERP_VIEW_GRID) return none;
  double *d = from->allocate(from->context, ((size_t)A->n + 1)*sizeof *d);
  if (d == NULL) return none;
  A->ops->diagonal(A->self, d);
  int32_t i = 0;
  while (i < A->n && d[i] > 0.0) i++;
  from->release(from->context, d);
  return i < A->n ? (unmet){DEMAND_POSITIVE_DIAGONAL, i, i} : none;
}

static unmet rows_of(const perp_method *method, int32_t n, const double *lo, const double *hi) {
  for (int32_t i = 0; method->boxed_n_max > 0 && n > method->boxed_n_max && i < n; i++)
    if (lower(lo, i) > -(double)INFINITY && upper(hi, i) < (double)INFINITY &&
        lower(lo, i) < upper(hi, i))
      return (unmet){DEMAND_FEW_ROWS, i, n};
  return (unmet){DEMAND_NONE, -1, -1};
}

unmet demands_unmet(const perp_method *method, uint32_t known, const perp_operator *A,
                    const double *lo, const double *hi, const perp_allocator *allocator) {
  const perp_allocator from = allocator_of(allocator);
  const uint32_t needs = method->needs & ~known;
  unmet found = rows_of(method, A->n, lo, hi);
  if (found.what == DEMAND_NONE && (needs & PERP_NEEDS_SYMMETRIC))
    found = symmetry_of(A, &from, SYMMETRY_PROVED);
  if (found.what == DEMAND_NONE && (needs & PERP_NEEDS_NEARLY_SYMMETRIC))
    found = symmetry_after_scaling(A, &from, SYMMETRY_REFINED);
  if (found.what == DEMAND_NONE && (needs & PERP_NEEDS_POSITIVE_DIAGONAL))
    found = diagonal_of(A, &from);
  return found;
}

static void take(arena *memory, presolve *p, const perp_problem *problem, double **x,
                 int32_t **component, int32_t **entries, void **scratch) {
  const int32_t n = problem->A.n;
  presolve_layout(p, memory, n, problem_nnz(problem));
  *x = ARENA_ARRAY(memory, double, n);
  *component = ARENA_ARRAY(memory, int32_t, n);
  *entries = ARENA_ARRAY(memory, int32_t, n);
  *scratch = arena_take(memory, operator_scratch_bytes(&problem->A), sizeof(double));
}

unmet demands_unmet_after_presolve(const perp_method *method, const perp_problem *problem) {
  const unmet whole = demands_unmet(method, 0, &problem->A, problem->lo, problem->hi, NULL);
  const perp_view_kind kind = operator_view(&problem->A).kind;
  if (whole.what == DEMAND_NONE || (kind != PERP_VIEW_CSC && kind != PERP_VIEW_DENSE)) return whole;
  const perp_allocator from = allocator_of(NULL);
  presolve p = {0};
  double *x;
  int32_t *component, *entries;
  void *scratch;
  arena count = {0};
  take(&count, &p, problem, &x, &component, &entries, &scratch);
  const size_t bytes = arena_block_bytes(&count);
  void *block = from.allocate(from.context, bytes);
  if (block == NULL) return whole;
  arena memory = arena_on_block(block, bytes);
  take(&memory, &p, problem, &x, &component, &entries, &scratch);
  int known;
  const int32_t components = components_find(&problem->A, component, entries, &known, scratch);
  unmet left = whole;
  if (presolve_run(&p, problem, entries, component, components, 1, 0, 0, x)) {
    left = (unmet){DEMAND_NONE, -1, -1};
    if (p.n > 0 && p.infeasible < 0) {
      const perp_operator A = perp_from_csc(&p.csc[0], problem->A.claims);
      left = demands_unmet(method, 0, &A, problem->lo != NULL ? p.lo : NULL,
                           problem->hi != NULL ? p.hi : NULL, NULL);
      if (left.what != DEMAND_FEW_ROWS && left.j >= 0) left.j = p.index[left.j];
      if (left.i >= 0) left.i = p.index[left.i];
    }
  }
  from.release(from.context, block);
  return left;
}

void demands_text(const perp_method *method, unmet of, char text[DEMANDS_TEXT]) {
  switch (of.what) {
    case DEMAND_NONE:
      text[0] = '\0';
      break;
    case DEMAND_SYMMETRY:
      if (of.i < 0)
        plain_print(text, DEMANDS_TEXT, "%s needs a symmetric A, and this A is not symmetric",
                 method->name);
      else
        plain_print(text, DEMANDS_TEXT, "%s needs a symmetric A, and this A is not symmetric: "
                 "entries (%d, %d) and (%d, %d) differ", method->name, of.i, of.j, of.j, of.i);
      break;
    case DEMAND_POSITIVE_DIAGONAL:
      plain_print(text, DEMANDS_TEXT, "%s needs a positive diagonal, and entry (%d, %d) of this A is "
               "not positive", method->name, of.i, of.i);
      break;
    case DEMAND_FEW_ROWS:
      plain_print(text, DEMANDS_TEXT, "%s takes at most %d rows where some have two bounds, as row %d "
               "has, and here are %d", method->name, method->boxed_n_max, of.i, of.j);
      break;
  }
}
