// demands.c: checks whether A has the properties that a method needs.
#include "demands.h"

#include <math.h>

#include "allocator.h"
#include "arena.h"
#include "operator.h"
#include "plain.h"
#include "problem.h"
#include "vector.h"

static unmet symmetry_of(facts *f, const perp_operator *A, const perp_allocator *from,
                         double most) {
  const asymmetry *found = &f->asymmetry;
  if (facts_learn(f, A, FACTS_ASYMMETRY, from, NULL) != 0 || found->most <= most)
    return (unmet){DEMAND_NONE, -1, -1};
  return (unmet){DEMAND_SYMMETRY, found->i, found->j};
}

// Is A symmetric after scaling its rows and columns by separate factors?
static unmet symmetry_after_scaling(facts *f, const perp_operator *A, const perp_allocator *from,
                                    double most) {
  const unmet plain = symmetry_of(f, A, from, most);
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
    scaled = symmetry_of(&(facts){0}, &RAC, from, most);
  }
  from->release(from->context, block);
  return scaled.what == DEMAND_NONE ? scaled : plain;
}

static unmet diagonal_of(const facts *f, const perp_operator *A, const perp_allocator *from) {
  const unmet none = {DEMAND_NONE, -1, -1};
  if ((f->known & FACTS_SIGNS) && f->positive && !f->hollow) return none;
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

unmet demands_unmet(const perp_method *method, uint32_t known, facts *f, const perp_operator *A,
                    const double *lo, const double *hi, const perp_allocator *allocator) {
  const perp_allocator from = allocator_of(allocator);
  const uint32_t needs = method->needs & ~known;
  unmet found = rows_of(method, A->n, lo, hi);
  if (found.what == DEMAND_NONE && (needs & PERP_NEEDS_SYMMETRIC))
    found = symmetry_of(f, A, &from, SYMMETRY_PROVED);
  if (found.what == DEMAND_NONE && (needs & PERP_NEEDS_NEARLY_SYMMETRIC))
    found = symmetry_after_scaling(f, A, &from, SYMMETRY_REFINED);
  if (found.what == DEMAND_NONE && (needs & PERP_NEEDS_POSITIVE_DIAGONAL))
    found = diagonal_of(f, A, &from);
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
  const unmet whole = demands_unmet(method, 0, &(facts){0}, &problem->A, problem->lo,
                                    problem->hi, NULL);
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
      left = demands_unmet(method, 0, &(facts){0}, &A, problem->lo != NULL ? p.lo : NULL,
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
