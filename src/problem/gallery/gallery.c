// gallery.c: lists the problem families, checks parameters, and creates and frees samples.
#include "family.h"

#include <stdlib.h>
#include <string.h>

#define PERP_FAMILY(name) extern const perp_family family_##name;
#include "families.def"
#undef PERP_FAMILY

#define PERP_FAMILY(name) &family_##name,
static const perp_family *const families[] = {
#include "families.def"
};
#undef PERP_FAMILY

int32_t perp_family_count(void) { return FAMILY_COUNT(families); }

const perp_family *perp_family_at(int32_t index) {
  return index >= 0 && index < perp_family_count() ? families[index] : NULL;
}

const perp_family *perp_find_family(const char *name) {
  for (int32_t i = 0; name != NULL && i < perp_family_count(); i++) {
    if (strcmp(families[i]->name, name) == 0) return families[i];
  }
  return NULL;
}

static perp_error check(const perp_family *family, const perp_gallery_parameter *p, double value) {
  if (!(value >= p->low && value <= p->high)) {
    return error_set(PERP_ERROR_OPTION, "%s: %s = %.10g is outside [%.10g, %.10g]%s%s",
                     family->name, p->name, value, p->low, p->high,
                     p->choices != NULL ? ": " : "", p->choices != NULL ? p->choices : "");
  }
  if (p->integer && value != floor(value)) {
    return error_set(PERP_ERROR_OPTION, "%s: %s = %.10g is not a whole number", family->name,
                     p->name, value);
  }
  return PERP_OK;
}

perp_error perp_generate(const perp_family *family, const double *values, uint64_t seed,
                         perp_sample *sample) {
  if (family == NULL) return error_set(PERP_ERROR_ARGUMENT, "perp_generate: family is NULL");
  if (sample == NULL) return error_set(PERP_ERROR_ARGUMENT, "perp_generate: sample is NULL");

  double *chosen = assemble_take(family->parameter_count, sizeof *chosen);
  if (chosen == NULL) return assemble_no_memory(0, 0);
  perp_error error = PERP_OK;
  for (int32_t k = 0; k < family->parameter_count && error == PERP_OK; k++) {
    chosen[k] = values != NULL ? values[k] : family->parameters[k].initial;
    error = check(family, &family->parameters[k], chosen[k]);
  }

  perp_sample made = {0};
  if (error == PERP_OK) error = family->generate(chosen, seed, &made);
  free(chosen);
  if (error != PERP_OK) {
    perp_sample_free(&made);
    return error;
  }
  const uint32_t claims = made.problem.A.claims;
  *sample = made;
  sample->csc = (perp_csc){made.n, made.n, made.colptr, made.row, made.value};
  sample->problem = (perp_problem){.A = perp_from_csc(&sample->csc, claims), .b = made.b,
                                   .lo = made.lo, .hi = made.hi};
  return PERP_OK;
}

void perp_sample_free(perp_sample *sample) {
  if (sample == NULL) return;
  free(sample->colptr);
  free(sample->row);
  free(sample->value);
  free(sample->b);
  free(sample->lo);
  free(sample->hi);
  free(sample->x);
  free(sample->grid.filled);
  free(sample->product_rowptr);
  free(sample->product_column);
  free(sample->product_value);
  free(sample->inverse_mass);
  free(sample->compliance);
  *sample = (perp_sample){0};
}
