// gram.c: generates random dense matrices G G'/n, definite or singular, with a known answer.
#include "family.h"

#include <stdlib.h>

#include "plain.h"

static const perp_gallery_parameter pd_parameters[] = {
  FAMILY_WHOLE("n", 100, 1, 2000, "variables"),
  FAMILY_REAL("shift", 0.1, 1e-9, 1e6, "smallest eigenvalue is at least this"),
  FAMILY_DEGENERATE,
};

static const perp_gallery_parameter psd_parameters[] = {
  FAMILY_WHOLE("n", 100, 1, 2000, "variables"),
  FAMILY_REAL("zeros", 0.3, 0, 1, "fraction of eigenvalues that are 0"),
  FAMILY_DEGENERATE,
};

// A = G G'/n + shift I. G is n x rank with uniform entries of variance 1. Computes the lower
// triangle and mirrors it.
static perp_error gram(int32_t n, int32_t rank, double shift, uint64_t seed, perp_sample *s) {
  perp_error error = assemble_reserve(s, n, (int64_t)n*n);
  double *G = assemble_take((int64_t)n*rank, sizeof *G);      // n x rank, row-major
  if (error == PERP_OK && G == NULL) error = assemble_no_memory(n, (int64_t)n*n);
  if (error == PERP_OK) {
    random_stream random = family_stream(seed, 0);
    const double spread = sqrt(3.0);
    for (int32_t k = 0; k < n*rank; k++) G[k] = random_range(&random, -spread, spread);
    for (int32_t j = 0; j < n; j++) {
      for (int32_t i = j; i < n; i++) {
        const double value = dot(rank, G + i*rank, G + j*rank)/n + (i == j ? shift : 0.0);
        s->value[j*n + i] = s->value[i*n + j] = value;
      }
      s->colptr[j + 1] = (j + 1)*n;
      for (int32_t i = 0; i < n; i++) s->row[j*n + i] = i;
    }
  }
  free(G);
  return error;
}

static perp_error dense_pd(const double *values, uint64_t seed, perp_sample *s) {
  const int32_t n = (int32_t)values[0];
  perp_error error = gram(n, n, values[1], seed, s);
  if (error != PERP_OK) return error;
  s->problem.A.claims = FAMILY_CLAIM_SPD;
  random_stream answer = family_stream(seed, 1);
  error = answer_build(s, values[2], &answer);
  plain_print(s->note, sizeof s->note, "dense G G'/n + %.6g I, n = %d", values[1], n);
  return error;
}

const perp_family family_dense_pd = {
  "dense-pd", "random dense symmetric positive definite matrix", "x by construction; unique",
  pd_parameters, FAMILY_COUNT(pd_parameters), dense_pd};

static perp_error dense_psd(const double *values, uint64_t seed, perp_sample *s) {
  const int32_t n = (int32_t)values[0];
  const int32_t rank = n - (int32_t)floor(values[1]*n + 0.5);
  perp_error error = gram(n, rank, 0.0, seed, s);
  if (error != PERP_OK) return error;
  s->problem.A.claims = PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD;
  random_stream answer = family_stream(seed, 1);
  error = answer_build(s, values[2], &answer);
  plain_print(s->note, sizeof s->note, "dense G G'/n of rank %d, n = %d", rank, n);
  return error;
}

const perp_family family_dense_psd = {
  "dense-psd", "random dense symmetric positive semidefinite matrix with zero eigenvalues",
  "x by construction, one of possibly many: y = A x + b is the same for all solutions",
  psd_parameters, FAMILY_COUNT(psd_parameters), dense_psd};
