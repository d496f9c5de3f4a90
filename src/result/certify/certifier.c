// certifier.c: makes and ends a certifier, chooses its judge, and serves callers by perp_certify.
#include "certify.h"

#include <math.h>

#include "allocator.h"
#include "error.h"
#include "grid.h"
#include "operator.h"
#include "problem.h"

const judge_ops *judge_for(const perp_limits *limits) {
  return limits->grid ? &grid_judge : &matrix_judge;
}

void certifier_forget(certifier *c) {
  c->look.pattern_stamp = c->look.value_stamp = 0;
  c->facts = (facts){0};
}

void certifier_layout(certifier *c, arena *memory, int32_t n, size_t scratch,
                      const judge_ops *ops) {
  c->ops = ops;
  certifier_forget(c);
  c->exact = 0;
  c->n = -1;
  c->componentwise.tol = 0.0;
  c->near.known = c->impossible.count = 0;
  c->scratch = arena_take(memory, scratch, 1);
  ops->layout(c, memory, n);
}

perp_error certify_check_tolerances(const char *name, double tol, double absolute_tol) {
  if (!(tol > 0.0 && tol < 1.0))
    return error_set(PERP_ERROR_ARGUMENT, "%s: tol = %g is outside (0, 1)", name, tol);
  if (!(absolute_tol >= 0.0 && absolute_tol < (double)INFINITY))
    return error_set(PERP_ERROR_ARGUMENT, "%s: absolute_tol = %g is outside [0, inf)", name,
                     absolute_tol);
  return PERP_OK;
}

perp_error certifier_begin(const char *name, const perp_problem *problem,
                           const perp_allocator *allocator, certifier_alone *alone) {
  const int32_t n = problem->A.n;
  const judge_ops *ops = grid_of(&problem->A) != NULL ? &grid_judge : &matrix_judge;
  const size_t scratch = operator_scratch_bytes(&problem->A);
  arena memory = {0};
  *alone = (certifier_alone){.from = allocator_of(allocator)};
  certifier_layout(&alone->c, &memory, n, scratch, ops);
  if (arena_overflowed(&memory))
    return error_set(PERP_ERROR_MEMORY, "%s: n = %d is too large", name, n);
  const size_t bytes = arena_block_bytes(&memory);
  alone->block = alone->from.allocate(alone->from.context, bytes);
  if (alone->block == NULL)
    return error_set(PERP_ERROR_MEMORY, "%s: no memory for %zu bytes", name, bytes);
  memory = arena_on_block(alone->block, bytes);
  certifier_layout(&alone->c, &memory, n, scratch, ops);
  alone->c.exact = 1;
  return ops->prepare(&alone->c, problem, NULL);
}

void certifier_end(certifier_alone *alone) {
  if (alone->block != NULL) alone->from.release(alone->from.context, alone->block);
}

perp_tolerances perp_default_tolerances(void) {
  return (perp_tolerances){.size = sizeof(perp_tolerances), .tol = 1e-8};
}

perp_error perp_certify(const perp_problem *problem, const double *x, double tol,
                        double absolute_tol, double *y, perp_certificate *certificate) {
  perp_tolerances tolerances = perp_default_tolerances();
  tolerances.tol = tol;
  tolerances.absolute_tol = absolute_tol;
  return perp_certify_with(problem, x, &tolerances, y, certificate);
}

perp_error perp_certify_with(const perp_problem *problem, const double *x,
                             const perp_tolerances *tolerances, double *y,
                             perp_certificate *certificate) {
  if (problem == NULL || certificate == NULL || tolerances == NULL ||
      (x == NULL && problem->A.n > 0))
    return error_set(PERP_ERROR_ARGUMENT,
                     "perp_certify: problem, x, tolerances or certificate is NULL");
  if (tolerances->size != sizeof *tolerances)
    return error_set(PERP_ERROR_ARGUMENT,
                     "tolerances.size = %zu is not %zu: begin with perp_default_tolerances()",
                     tolerances->size, sizeof *tolerances);
  const double tol = tolerances->tol, absolute_tol = tolerances->absolute_tol,
               componentwise_tol = tolerances->componentwise_tol;
  perp_error error = certify_check_tolerances("perp_certify", tol, absolute_tol);
  if (error != PERP_OK) return error;
  if (!(componentwise_tol >= 0.0))
    return error_set(PERP_ERROR_ARGUMENT,
                     "perp_certify: componentwise_tol = %g is outside [0, inf]",
                     componentwise_tol);
  error = perp_validate(problem);
  if (error != PERP_OK) return error;
  const int32_t n = problem->A.n;
  certifier_alone alone;
  certifier *c = &alone.c;
  error = certifier_begin("perp_certify", problem, NULL, &alone);
  c->componentwise.tol = componentwise_tol;
  perp_certificate found;
  if (error == PERP_OK) error = c->ops->check(c, x, tol, absolute_tol, 0, &found);
  if (error == PERP_OK) {
    *certificate = found;
    const int told = n == 0 || found.worst >= 0;   // otherwise x is not finite and has no residual
    for (int32_t i = 0; y != NULL && i < n; i++)
      y[i] = told && c->y[i] == c->y[i] ? c->y[i] : (double)INFINITY;
  }
  certifier_end(&alone);
  return error;
}
