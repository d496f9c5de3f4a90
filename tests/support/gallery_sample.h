// gallery_sample.h: what the tests of the gallery share: making a sample, and checking its x.
#ifndef PERP_GALLERY_SAMPLE_H
#define PERP_GALLERY_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "family.h"

#define VALUES_MAX 16

static inline perp_sample *make(const char *name, const double *values, uint64_t seed) {
  perp_sample *s = calloc(1, sizeof *s);
  assert_non_null(s);
  const perp_error error = perp_generate(perp_find_family(name), values, seed, s);
  if (error != PERP_OK) fail_msg("%s", perp_last_message());
  return s;
}

static inline void drop(perp_sample *s) {
  perp_sample_free(s);
  free(s);
}

// A sample of the defaults, changed by "name", value pairs that end with NULL.
static inline perp_sample *make_with(const char *name, uint64_t seed, ...) {
  const perp_family *family = perp_find_family(name);
  double values[VALUES_MAX];
  assert_non_null(family);
  for (int32_t k = 0; k < family->parameter_count; k++) values[k] = family->parameters[k].initial;
  va_list list;
  va_start(list, seed);
  const char *key;
  while ((key = va_arg(list, const char *)) != NULL) {
    const double value = va_arg(list, double);
    int found = 0;
    for (int32_t k = 0; k < family->parameter_count; k++) {
      if (strcmp(family->parameters[k].name, key) != 0) continue;
      values[k] = value;
      found = 1;
    }
    assert_true(found);
  }
  va_end(list);
  return make(name, values, seed);
}

static inline double entry(const perp_sample *s, int32_t i, int32_t j) {
  for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
    if (s->row[k] == i) return s->value[k];
  }
  return 0.0;
}

// y = A x + b and its natural residual, in the widest arithmetic at hand.
static inline void check_answer(const perp_sample *s) {
  long double *y = calloc((size_t)s->n, sizeof *y);
  double *size = calloc((size_t)s->n, sizeof *size);
  assert_true(y != NULL && size != NULL);
  for (int32_t j = 0; j < s->n; j++) {
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
      y[s->row[k]] += (long double)s->value[k]*s->x[j];
      size[s->row[k]] += fabs(s->value[k]*s->x[j]);
    }
  }
  long double objective = 0.0, scale = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    objective += (0.5L*y[i] + s->b[i])*s->x[i];
    scale += fabs(s->x[i])*(size[i] + fabs(s->b[i]));
    const double yi = (double)(y[i] + s->b[i]), lo = lower(s->lo, i), hi = upper(s->hi, i);
    assert_true(s->x[i] >= lo && s->x[i] <= hi);
    const double residual = mid(s->x[i] - hi, yi, s->x[i] - lo);
    if (!(fabs(residual) <= 4e-16*(size[i] + fabs(s->b[i])))) {
      fail_msg("row %d: x = %g, y = %g, residual %g in '%s'", i, s->x[i], yi, residual, s->note);
    }
  }
  if (s->has_objective) assert_true(fabsl(objective - s->objective) <= 1e-13L*scale);
  free(y);
  free(size);
}

#endif
