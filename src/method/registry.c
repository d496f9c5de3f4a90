// registry.c: the table of methods, and whether a method accepts a problem.
#include <string.h>

#include "contact_bodies.h"
#include "demands.h"
#include "diagonals.h"
#include "driver.h"
#include "error.h"
#include "methods.h"
#include "operator.h"
#include "plain.h"
#include "vector.h"

static const perp_method *const table[] = {
#define PERP_METHOD(name) &method_##name,
#include "methods.def"
#undef PERP_METHOD
};
enum { COUNT = sizeof table/sizeof table[0] };

int32_t perp_method_count(void) { return COUNT; }

const perp_method *perp_method_at(int32_t index) {
  return index >= 0 && index < COUNT ? table[index] : NULL;
}

const perp_method *perp_find_method(const char *name) {
  for (int32_t k = 0; name != NULL && k < COUNT; k++)
    if (strcmp(table[k]->name, name) == 0) return table[k];
  return NULL;
}

const char *perp_method_name(const perp_method *method) {
  return method != NULL ? method->name : "none";
}

enum text_bytes { PHRASE_BYTES = 96, NAMES_BYTES = 128 };   // for a phrase, and for names of methods

// Why the method cannot take the problem, as a phrase for a message; `text` is room for it. NULL: it
// can.
static const char *missing(const perp_method *method, const perp_problem *problem, facts *of_A,
                           uint32_t rows, char text[PHRASE_BYTES]) {
  const perp_operator_ops *ops = problem->A.ops;
  if (method->n_max > 0 && problem->A.n > method->n_max) return "is for small problems only";
  if ((method->needs & PERP_NEEDS_DIAGONAL) && ops->diagonal == NULL) return "needs diagonal()";
  if ((method->needs & PERP_NEEDS_SWEEP) &&
      (ops->diagonal == NULL || (ops->sweep == NULL && ops->add_column == NULL)))
    return "needs sweep() or add_column(), and diagonal()";
  if ((method->needs & PERP_NEEDS_SUBMATRIX) && ops->submatrix == NULL) return "needs submatrix()";
  if ((method->needs & PERP_NEEDS_TRANSPOSE) && ops->apply_transpose == NULL)
    return "needs apply_transpose()";
  if (rows & ~method->accepts & PERP_ACCEPTS_FREE) return "does not accept free rows";
  if (rows & ~method->accepts & PERP_ACCEPTS_BOXED)
    return "does not accept bounds other than 0 <= x";
  if ((method->needs & PERP_NEEDS_BODIES) && problem->A.n > 0 &&
      operator_view(&problem->A).kind != PERP_VIEW_CONTACT)
    return "needs contacts as an operator (perp_from_contacts)";
  if ((method->needs & PERP_NEEDS_BODIES) && problem->A.n > 0) {
    const char *why = contact_bodies_unfit(&problem->A);
    if (why != NULL) {
      plain_print(text, PHRASE_BYTES, "cannot take these contacts, as %s", why);
      return text;
    }
  }
  if ((method->needs & PERP_NEEDS_CONTACTS) && problem->A.n > 0 &&
      facts_learn(of_A, &problem->A, FACTS_CONTACTS, NULL, NULL) >= 0 && of_A->contacts == 0)
    return "needs the contact LCP E13 (27)";
  if (method->needs & PERP_NEEDS_TRIDIAGONAL) {
    int32_t i, j;
    const int other = diagonals_other(&problem->A, NULL, &i, &j);
    if (other < 0) return other == -1 ? "needs the entries of A" : "has no memory to examine A";
    if (other > 0) {
      plain_print(text, PHRASE_BYTES, "needs three diagonals, and row %d has an entry in column %d",
                  i, j);
      return text;
    }
  }
  return NULL;
}

static uint32_t kinds_of_rows(const perp_problem *problem) {
  uint32_t kinds = 0;
  for (int32_t i = 0; i < problem->A.n; i++) {
    const double lo = lower(problem->lo, i), hi = upper(problem->hi, i);
    if (lo == -(double)INFINITY && hi == (double)INFINITY) kinds |= PERP_ACCEPTS_FREE;
    else if (lo != 0.0 || hi != (double)INFINITY) kinds |= PERP_ACCEPTS_BOXED;
  }
  return kinds;
}

// Lists methods to choose from that accept the problem: "auto, pgs, nncg".
static void name_others(const perp_problem *problem, facts *of_A, char *names, size_t size) {
  const uint32_t rows = kinds_of_rows(problem);
  char unused[PHRASE_BYTES];
  names[0] = '\0';
  for (int32_t k = 0; k < COUNT; k++) {
    if (table[k]->tier != PERP_TIER_CHOOSE ||
        missing(table[k], problem, of_A, rows, unused) != NULL ||
        demands_unmet_after_presolve(table[k], problem).what != DEMAND_NONE)
      continue;
    if (strlen(names) + strlen(table[k]->name) + 3 > size) break;
    if (names[0] != '\0') strcat(names, ", ");
    strcat(names, table[k]->name);
  }
}

perp_error method_fits(const perp_method *method, const perp_problem *problem, facts *of_A) {
  const uint32_t rows = method->accepts == (PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED)
                            ? 0 : kinds_of_rows(problem);
  char text[PHRASE_BYTES], names[NAMES_BYTES];
  const char *lack = missing(method, problem, of_A, rows, text);
  if (lack == NULL) return PERP_OK;
  name_others(problem, of_A, names, sizeof names);
  return error_set(PERP_ERROR_UNSUPPORTED, "%s %s (operator '%s', n = %d): use %s", method->name,
                   lack, problem->A.ops->name, problem->A.n, names);
}

perp_error perp_method_accepts(const perp_method *method, const perp_problem *problem) {
  if (method == NULL || problem == NULL)
    return error_set(PERP_ERROR_ARGUMENT, "perp_method_accepts: NULL argument");
  perp_error error = perp_validate(problem);
  facts of_A = {0};
  if (error == PERP_OK) error = method_fits(method, problem, &of_A);
  if (error != PERP_OK) return error;
  const unmet of = demands_unmet_after_presolve(method, problem);
  if (of.what == DEMAND_NONE) return PERP_OK;
  char text[DEMANDS_TEXT], names[NAMES_BYTES];
  demands_text(method, of, text);
  name_others(problem, &of_A, names, sizeof names);
  return error_set(PERP_ERROR_UNSUPPORTED, "%s: use %s", text, names);
}

perp_verdict perp_method_converges(const perp_method *method, const perp_classes *classes) {
  if (method == NULL || classes == NULL) return PERP_UNKNOWN;
  if (method->assumes == 0) return PERP_YES;
  const int plain = classes->free_rows + classes->boxed_rows == 0;
  for (int k = 0; k < PERP_CLASS_COUNT; k++) {
    if (k == PERP_CLASS_NONNEGATIVE && !plain) continue;   // copositive matrices help only with x >= 0
    if ((method->assumes >> k & 1u) && classes->of[k].verdict == PERP_YES) return PERP_YES;
  }
  return PERP_UNKNOWN;
}
