// classes.c: generates random sparse problems with a known answer: P, M, and mixed bounds.
#include "family.h"

#include <stdlib.h>

#include "plain.h"

// ---------------------------------------------------------------------------------------- P-matrix

enum { P_N, P_TWIST, P_DEGREE, P_COUPLING, P_DEGENERATE };

static const perp_gallery_parameter p_parameters[] = {
  FAMILY_WHOLE("n", 99, 1, 1000000, "variables"),
  FAMILY_REAL("twist", 3, 0, 1000,
              "a in the blocks [1 0 a; a 1 0; 0 a 1]; not positive semidefinite where a > 2"),
  FAMILY_WHOLE("degree", 4, 0, 50, "random entries per row outside the blocks"),
  FAMILY_REAL("coupling", 0.5, 0, 100, "largest possible sum of their absolute values"),
  FAMILY_DEGENERATE,
};

// The blocks [1 0 a; a 1 0; 0 a 1] have principal minors 1, 1 and 1 + a^3, so they are P-matrices
// for a >= 0. For a > 2 they are not definite: x'Ax = 6 - 3a at x = (1, 1, -2). The principal
// minors of a block upper triangular matrix are products of the minors of its diagonal blocks.
// Symmetric permutations and positive factors per block keep the signs of the minors.
static perp_error p_matrix(const double *values, uint64_t seed, perp_sample *s) {
  const int32_t n = (int32_t)values[P_N], degree = (int32_t)values[P_DEGREE], blocks = n/3;
  const double a = values[P_TWIST], entry = degree > 0 ? values[P_COUPLING]/degree : 0.0;
  random_stream random = family_stream(seed, 0);
  int32_t *place = assemble_take(n, sizeof *place);
  if (place == NULL) return assemble_no_memory(n, 0);
  for (int32_t i = 0; i < n; i++) place[i] = i;
  for (int32_t i = n - 1; i > 0; i--) {
    const int32_t k = random_integer(&random, i + 1), swap = place[i];
    place[i] = place[k];
    place[k] = swap;
  }
  assembly entries = {0};
  double factor = 1.0;
  for (int32_t i = 0; i < n; i++) {
    const int32_t block = i/3, first = 3*block, end = block < blocks ? first + 3 : i + 1;
    if (i == first) factor = ldexp(1.0, random_integer(&random, 5) - 2);
    assemble_add(&entries, place[i], place[i], factor);
    if (block < blocks && a > 0.0) {
      assemble_add(&entries, place[i], place[first + (i - first + 2)%3], factor*a);
    }
    for (int32_t k = 0; k < degree && end < n; k++) {
      const int32_t j = end + random_integer(&random, n - end);
      assemble_add(&entries, place[i], place[j], factor*random_range(&random, -entry, entry));
    }
  }
  free(place);
  perp_error error = assemble_finish(&entries, n, s);
  if (error != PERP_OK) return error;
  random_stream answer = family_stream(seed, 1);
  error = answer_build(s, values[P_DEGENERATE], &answer);
  plain_print(s->note, sizeof s->note,
              "P-matrix of %d twisted 3 x 3 blocks, a = %.6g, %d entries per row above, shuffled",
              blocks, a, degree);
  return error;
}

const perp_family family_p_matrix = {
  "p-matrix", "non-symmetric P-matrix that is not positive semidefinite",
  "x by construction; unique",
  p_parameters, FAMILY_COUNT(p_parameters), p_matrix};

// ---------------------------------------------------------------------------------------- M-matrix

enum { M_N, M_DEGREE, M_SHIFT, M_SYMMETRIC, M_DEGENERATE };

static const perp_gallery_parameter m_parameters[] = {
  FAMILY_WHOLE("n", 200, 1, 2000000, "variables"),
  FAMILY_WHOLE("degree", 4, 0, 50, "random off-diagonal entries added per row"),
  FAMILY_REAL("shift", 0.01, 1e-9, 1e6, "how much the diagonal exceeds the sum of its row"),
  FAMILY_WHOLE("symmetric", 0, 0, 1, "1: A = A'"),
  FAMILY_DEGENERATE,
};

// Off-diagonal entries in (-1, 0) at random places; diagonal = their absolute sum + shift.
static perp_error m_matrix(const double *values, uint64_t seed, perp_sample *s) {
  const int32_t n = (int32_t)values[M_N], degree = (int32_t)values[M_DEGREE];
  const int symmetric = values[M_SYMMETRIC] == 1.0;
  random_stream random = family_stream(seed, 0);
  double *diagonal = assemble_take(n, sizeof *diagonal);
  if (diagonal == NULL) return assemble_no_memory(n, 0);
  assembly entries = {0};
  for (int32_t i = 0; i < n; i++) {
    for (int32_t k = 0; k < degree; k++) {
      const int32_t j = random_integer(&random, n);
      const double size = random_uniform(&random);
      if (i == j || size == 0.0) continue;
      assemble_add(&entries, i, j, -size);
      diagonal[i] += size;
      if (!symmetric) continue;
      assemble_add(&entries, j, i, -size);
      diagonal[j] += size;
    }
  }
  for (int32_t i = 0; i < n; i++) assemble_add(&entries, i, i, diagonal[i] + values[M_SHIFT]);
  free(diagonal);
  perp_error error = assemble_finish(&entries, n, s);
  if (error != PERP_OK) return error;
  s->problem.A.claims = PERP_CLAIM_Z | PERP_CLAIM_H | (symmetric ? FAMILY_CLAIM_SPD : 0u);
  random_stream answer = family_stream(seed, 1);
  error = answer_build(s, values[M_DEGENERATE], &answer);
  plain_print(s->note, sizeof s->note, "random sparse %sM-matrix, n = %d, %d entries",
              symmetric ? "symmetric " : "", n, s->colptr[n]);
  return error;
}

const perp_family family_m_matrix = {
  "m-matrix", "random sparse M-matrix, strictly diagonally dominant by rows",
  "x by construction; unique",
  m_parameters, FAMILY_COUNT(m_parameters), m_matrix};

// ------------------------------------------------------------------------------------------- mixed

enum {
  MIXED_N, MIXED_FREE, MIXED_BOXED, MIXED_UPPER, MIXED_FIXED, MIXED_DEGREE, MIXED_SKEW,
  MIXED_DEGENERATE
};

static const perp_gallery_parameter mixed_parameters[] = {
  FAMILY_WHOLE("n", 100, 1, 1000000, "variables"),
  FAMILY_REAL("free", 0.2, 0, 1, "fraction of rows without bounds: y = 0"),
  FAMILY_REAL("boxed", 0.2, 0, 1, "fraction of rows with two finite bounds"),
  FAMILY_REAL("upper", 0.1, 0, 1, "fraction of rows with an upper bound only"),
  FAMILY_REAL("fixed", 0.1, 0, 1,
              "fraction of rows with lo = hi; what the four leave over are LCP rows"),
  FAMILY_WHOLE("degree", 3, 0, 50, "random pairs of entries per row"),
  FAMILY_REAL("skew", 0.5, 0, 100, "size of the skew part; 0: symmetric"),
  FAMILY_DEGENERATE,
};

// A symmetric, strictly dominant part plus a skew part, so x'Ax > 0.
static perp_error mixed(const double *values, uint64_t seed, perp_sample *s) {
  const int32_t n = (int32_t)values[MIXED_N], degree = (int32_t)values[MIXED_DEGREE];
  const double skew = values[MIXED_SKEW];
  random_stream random = family_stream(seed, 0);
  double *diagonal = assemble_take(n, sizeof *diagonal);
  if (diagonal == NULL) return assemble_no_memory(n, 0);
  assembly entries = {0};
  for (int32_t i = 0; i < n; i++) {
    for (int32_t k = 0; k < degree; k++) {
      const int32_t j = random_integer(&random, n);
      const double symmetric = random_range(&random, -1.0, 1.0);
      const double antisymmetric = skew*random_range(&random, -1.0, 1.0);
      if (i == j) continue;
      assemble_add(&entries, i, j, symmetric + antisymmetric);
      assemble_add(&entries, j, i, symmetric - antisymmetric);
      diagonal[i] += fabs(symmetric);
      diagonal[j] += fabs(symmetric);
    }
  }
  for (int32_t i = 0; i < n; i++) {
    assemble_add(&entries, i, i, diagonal[i] + random_range(&random, 0.1, 1.0));
  }
  free(diagonal);
  perp_error error = assemble_finish(&entries, n, s);
  if (error != PERP_OK) return error;
  s->lo = assemble_take(n, sizeof *s->lo);
  s->hi = assemble_take(n, sizeof *s->hi);
  if (s->lo == NULL || s->hi == NULL) return assemble_no_memory(n, 0);

  const double open = (double)INFINITY;
  int32_t counts[5] = {0};                   // free, boxed, upper, fixed, lcp
  for (int32_t i = 0; i < n; i++) {
    const double base = random_range(&random, -1.0, 1.0), width = random_range(&random, 0.1, 2.0);
    double pick = random_uniform(&random);
    int32_t kind = 0;
    while (kind < 4 && pick >= values[MIXED_FREE + kind]) pick -= values[MIXED_FREE + kind++];
    s->lo[i] = kind == 0 || kind == 2 ? -open : kind == 4 ? 0.0 : base;
    s->hi[i] = kind == 0 || kind == 4 ? open : kind == 1 ? base + width : base;
    counts[kind]++;
  }
  s->problem.A.claims = skew == 0.0 ? FAMILY_CLAIM_SPD : PERP_CLAIM_PSD | PERP_CLAIM_PD;
  random_stream answer = family_stream(seed, 1);
  error = answer_build(s, values[MIXED_DEGENERATE], &answer);
  plain_print(s->note, sizeof s->note, "n = %d: %d free, %d boxed, %d upper, %d fixed, %d LCP rows",
              n, counts[0], counts[1], counts[2], counts[3], counts[4]);
  return error;
}

const perp_family family_mixed = {
  "mixed", "sparse positive definite problem with free, boxed, upper, fixed and LCP rows",
  "x by construction; unique",
  mixed_parameters, FAMILY_COUNT(mixed_parameters), mixed};
