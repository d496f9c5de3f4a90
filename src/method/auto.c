// auto.c: chooses a method, watches it, falls back, and says why.
//
//   n small                     enumerate: all label assignments, so the answer does not depend
//                               on luck
//   A symmetric, A_ii >= 0      nncg, then apgd
//   A not symmetric             pgs, then psor with under-relaxation
//   only products               apgd
//   nothing helped, n <= 20     enumerate after all
//
// Every rung starts from the best iterate so far; the certificate decides, not the rung.
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "methods.h"
#include "run.h"
#include "vector.h"

enum { SMALL = 6 };   // enumerate at once up to here: at most 3^6 systems of 6 equations

// like perp_method_accepts, without a message
static int takes(const perp_method *method, const perp_run *run) {
  const perp_operator_ops *ops = run->A.ops;
  const int sweeps = ops->diagonal != NULL && (ops->sweep != NULL || ops->add_column != NULL);
  return (method->n_max == 0 || run->n <= method->n_max) &&
         (!(method->needs & PERP_NEEDS_DIAGONAL) || ops->diagonal != NULL) &&
         (!(method->needs & PERP_NEEDS_SWEEP) || sweeps) &&
         (!(method->needs & PERP_NEEDS_SUBMATRIX) || ops->submatrix != NULL);
}

static int boxed(const perp_run *run) {   // is any row two-sided?
  for (int32_t i = 0; i < run->n; i++)
    if (lower(run->lo, i) > -(double)INFINITY && upper(run->hi, i) < (double)INFINITY) return 1;
  return 0;
}

// Symmetric up to 1e-4 of the largest entry: printed contact problems are rarely better than that.
static int nearly_symmetric(const perp_run *run) {
  if (run->A.claims & PERP_CLAIM_SYMMETRIC) return 1;
  const perp_view view = operator_view(&run->A);
  double largest = 0.0, asymmetry = 0.0;
  if (view.kind == PERP_VIEW_CSC) {
    const perp_csc *A = view.data;
    for (int32_t j = 0; j < run->n; j++)
      for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
        largest = max2(largest, fabs(A->value[p]));
        asymmetry = max2(asymmetry, fabs(A->value[p] - csc_entry(A, j, A->row[p])));
      }
  } else if (view.kind == PERP_VIEW_DENSE) {
    const perp_dense *A = view.data;
    const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
    for (int32_t i = 0; i < run->n; i++)
      for (int32_t j = 0; j < run->n; j++) {
        const double v = A->value[(size_t)i*ld + (size_t)j];
        largest = max2(largest, fabs(v));
        asymmetry = max2(asymmetry, fabs(v - A->value[(size_t)j*ld + (size_t)i]));
      }
  } else return 0;
  return asymmetry <= 1e-4*largest;
}

typedef struct rung {
  const perp_method *method;
  int32_t iterations;
  double omega;
  const char *why;
} rung;

enum { RUNGS = 5 };

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

// A first rung must not use up what the later ones need, however large the limit is.
static int ladder(const perp_run *run, rung *rungs) {
  const int enumerable = takes(&method_enumerate, run) &&
                         run->n <= (boxed(run) ? 12 : method_enumerate.n_max);
  const int32_t limit = run->options->iteration_limit;
  int count = 0;
  if (enumerable && run->n <= SMALL)
    rungs[count++] = (rung){&method_enumerate, INT32_MAX, 0, "n is small"};
  if (nearly_symmetric(run)) {
    if (takes(&method_nncg, run))
      rungs[count++] = (rung){&method_nncg, least(limit/10, 2000), 0, "A is symmetric"};
    rungs[count++] = (rung){&method_apgd, run->options->iteration_limit, 0, "A is symmetric"};
  } else if (takes(&method_pgs, run)) {
    rungs[count++] = (rung){&method_pgs, least(limit/2, 20000), 0, "A is not symmetric"};
    rungs[count++] = (rung){&method_psor, run->options->iteration_limit, 0.6, "pgs did not end"};
  } else {
    rungs[count++] = (rung){&method_apgd, run->options->iteration_limit, 0,
                            "A is known by products only"};
  }
  if (enumerable && run->n > SMALL)
    rungs[count++] = (rung){&method_enumerate, INT32_MAX, 0, "nothing else ended"};
  return count;
}

static void run_auto(perp_run *run) {
  rung rungs[RUNGS];
  const int count = ladder(run, rungs);
  char tried[160] = "";
  if (!run_continue(run)) return;
  for (int k = 0; k < count; k++) {
    perp_options options = *run->options;
    options.method = rungs[k].method;
    options.sweep.omega = rungs[k].omega > 0.0 ? rungs[k].omega : 1.0;
    options.gradient.restart = 50;
    options.enumerate.limit = 1;
    options.on_solution = NULL;
    const perp_status status = run_child(run, rungs[k].method, &options, rungs[k].iterations,
                                         (double)INFINITY);
    const size_t used = strlen(tried);
    snprintf(tried + used, sizeof tried - used, "%s%s (%s): %s", used > 0 ? ", " : "",
             rungs[k].method->name, rungs[k].why, perp_status_name(status));
    if (status == PERP_STATUS_SOLVED || status == PERP_STATUS_NO_SOLUTION) {
      snprintf(run->message, sizeof run->message, "auto ran %s", tried);
      if (status == PERP_STATUS_NO_SOLUTION) run_stop(run, status, "auto ran %s", tried);
      return;
    }
  }
  run_stop(run, PERP_STATUS_UNSOLVED, "auto ran %s", tried);
  if (run->message[0] != '\0' && strncmp(run->message, "auto", 4) != 0)
    snprintf(run->message, sizeof run->message, "auto ran %s", tried);
}

perp_error perp_auto_plan(const perp_problem *problem, char *text, size_t size) {
  if (text == NULL || size == 0)
    return error_set(PERP_ERROR_ARGUMENT, "perp_auto_plan: text is NULL");
  const perp_error error = perp_validate(problem);
  if (error != PERP_OK) return error;
  const perp_options options = perp_default_options(&method_auto);
  const perp_run run = {.A = problem->A, .n = problem->A.n, .lo = problem->lo, .hi = problem->hi,
                        .options = &options};
  rung rungs[RUNGS];
  const int count = ladder(&run, rungs);
  text[0] = '\0';
  for (int k = 0; k < count; k++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s (%s)", used > 0 ? ", then " : "",
             rungs[k].method->name, rungs[k].why);
  }
  return PERP_OK;
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  const perp_method *const all[] = {&method_enumerate, &method_nncg, &method_apgd, &method_pgs,
                                    &method_psor};
  size_t most = 0;
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) {
    const size_t need = child_bytes(all[k], limits, options);
    most = need > most ? need : most;
  }
  return most;
}

const perp_method method_auto = {
  .name = "auto",
  .title = "chooses, watches, falls back, certifies",
  .source = "this library",
  .formula = "n <= 6: enumerate; symmetric A: nncg, apgd; other A: pgs, psor; "
             "each from the best iterate so far",
  .converges = "where one of the methods it tries does",
  .cost = "that of the methods it tries",
  .advice = "run `perp classify`, and choose a method by hand",
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD | 1u << PERP_CLASS_H,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_NO_ALLOC | PERP_TRAIT_SPLITS |
            PERP_TRAIT_META,
  .bytes = bytes,
  .run = run_auto,
};
