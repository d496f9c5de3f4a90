// sparse_samples.h: random sparse symmetric matrices for the tests of the sparse LDL'.
#ifndef PERP_TEST_SPARSE_SAMPLES_H
#define PERP_TEST_SPARSE_SAMPLES_H

#include "support.h"

typedef struct sparse_sample {
  int32_t n;
  double *dense;            // n x n, row-major, symmetric
  int32_t *colptr, *row;
  double *value;
  perp_csc csc;
} sparse_sample;

// By columns, every entry that is not 0 in `dense`, and the whole diagonal.
static inline void compress(sparse_sample *s) {
  const int32_t n = s->n;
  s->colptr = calloc((size_t)n + 1, sizeof *s->colptr);
  s->row = calloc((size_t)n*(size_t)n + 1, sizeof *s->row);
  s->value = calloc((size_t)n*(size_t)n + 1, sizeof *s->value);
  int32_t count = 0;
  for (int32_t j = 0; j < n; j++) {
    for (int32_t i = 0; i < n; i++) {
      const double a = s->dense[(size_t)i*(size_t)n + (size_t)j];
      if (a == 0.0 && i != j) continue;
      s->row[count] = i;
      s->value[count++] = a;
    }
    s->colptr[j + 1] = count;
  }
  s->csc = (perp_csc){.rows = n, .columns = n, .colptr = s->colptr, .row = s->row,
                      .value = s->value};
}

// Strictly diagonally dominant with the given signs on the diagonal (NULL: positive): definite, or
// quasidefinite up to a permutation. About `degree` entries a row off the diagonal.
static inline sparse_sample sparse_dominant(int32_t n, double degree, const double *sign) {
  sparse_sample s = {.n = n, .dense = calloc((size_t)n*(size_t)n + 1, sizeof(double))};
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < i; j++)
      if (uniform()*n < degree)
        s.dense[(size_t)i*(size_t)n + (size_t)j] = s.dense[(size_t)j*(size_t)n + (size_t)i] =
            between(-1.0, 1.0);
  for (int32_t i = 0; i < n; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) sum += fabs(s.dense[(size_t)i*(size_t)n + (size_t)j]);
    s.dense[(size_t)i*(size_t)n + (size_t)i] =
        (sign != NULL ? sign[i] : 1.0)*(sum + between(0.01, 1.0));
  }
  compress(&s);
  return s;
}

static inline void sparse_drop(sparse_sample *s) {
  free(s->dense);
  free(s->colptr);
  free(s->row);
  free(s->value);
}

// |S v - b| of the rows that are kept, S restricted to them; v of the others must be b.
static inline double kept_residual(const sparse_sample *s, const uint8_t *kept, const double *v,
                                   const double *b) {
  double worst = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    double sum = kept[i] ? 0.0 : v[i];
    for (int32_t j = 0; kept[i] && j < s->n; j++)
      if (kept[j]) sum += s->dense[(size_t)i*(size_t)s->n + (size_t)j]*v[j];
    worst = fmax(worst, fabs(sum - b[i]));
  }
  return worst;
}

#endif
