// classic.c: generates the matrices of Murty and Fathi, on which pivoting can take 2^n steps.
#include "family.h"
#include "plain.h"


enum { N, VARIANT };

#define EXPONENTIAL_N_MAX 50   // rows; with more, b is not exact in double precision

static const perp_gallery_parameter murty_parameters[] = {
  FAMILY_WHOLE("n", 16, 1, 2000, "variables; at most 50 for the exponential variant"),
  FAMILY_CHOICE("variant", 0, 1, "unit|exponential",
                "b = -1, or b_i = -(2^i + ... + 2^n): Lemke takes 2^n - 1 pivots"),
};

static const perp_gallery_parameter fathi_parameters[] = {
  FAMILY_WHOLE("n", 16, 1, 2000, "variables"),
};

static perp_error known(perp_sample *s, int32_t index, double value) {
  s->x = assemble_take(s->n, sizeof *s->x);
  if (s->x == NULL) return assemble_no_memory(s->n, 0);
  s->x[index] = value;
  return PERP_OK;
}

// Upper triangular, 1 on the diagonal, 2 above; A + A' is all 2, so x'Ax = (sum x)^2. Murty 1988.
static perp_error murty(const double *values, uint64_t seed, perp_sample *s) {
  (void)seed;
  const int32_t n = (int32_t)values[N];
  const int exponential = values[VARIANT] == 1.0;
  if (exponential && n > EXPONENTIAL_N_MAX) {
    return error_set(PERP_ERROR_OPTION,
                     "murty: n = %d is outside [1, %d] for variant = exponential",
                     n, EXPONENTIAL_N_MAX);
  }
  const perp_error error = assemble_reserve(s, n, (int64_t)n*(n + 1)/2);
  if (error != PERP_OK) return error;
  int32_t k = 0;
  for (int32_t j = 0; j < n; j++) {
    s->colptr[j] = k;
    for (int32_t i = 0; i <= j; i++, k++) {
      s->row[k] = i;
      s->value[k] = i == j ? 1.0 : 2.0;
    }
    s->b[j] = exponential ? ldexp(1.0, j + 1) - ldexp(1.0, n + 1) : -1.0;
  }
  s->colptr[n] = k;
  s->problem.A.claims = PERP_CLAIM_PSD | PERP_CLAIM_H;
  plain_print(s->note, sizeof s->note, "Murty's matrix, n = %d, %s", n,
              exponential ? "b_i = -(2^i + ... + 2^n)" : "b = -1");
  return known(s, n - 1, exponential ? ldexp(1.0, n) : 1.0);
}

const perp_family family_murty = {
  "murty", "upper triangular P-matrix with 1 on the diagonal and 2 above",
  "x = (0, .., 0, 1), or (0, .., 0, 2^n) for the exponential variant; unique",
  murty_parameters, FAMILY_COUNT(murty_parameters), murty};

// A = L L' with L Murty's lower triangular matrix: a_ii = 4(i-1) + 1, else
// a_ij = 4(min(i,j) - 1) + 2. Fathi 1979.
static perp_error fathi(const double *values, uint64_t seed, perp_sample *s) {
  (void)seed;
  const int32_t n = (int32_t)values[N];
  const perp_error error = assemble_reserve(s, n, (int64_t)n*n);
  if (error != PERP_OK) return error;
  for (int32_t j = 0; j < n; j++) {
    s->colptr[j + 1] = (j + 1)*n;
    for (int32_t i = 0; i < n; i++) {
      s->row[j*n + i] = i;
      s->value[j*n + i] = i == j ? 4.0*i + 1.0 : 4.0*(i < j ? i : j) + 2.0;
    }
    s->b[j] = -1.0;
  }
  s->problem.A.claims = FAMILY_CLAIM_SPD;
  s->objective = -0.5;
  s->has_objective = 1;
  plain_print(s->note, sizeof s->note, "Fathi's matrix, n = %d, b = -1", n);
  return known(s, 0, 1.0);
}

const perp_family family_fathi = {
  "fathi", "symmetric positive definite matrix, the square of Murty's", "x = (1, 0, .., 0); unique",
  fathi_parameters, FAMILY_COUNT(fathi_parameters), fathi};
