// farkas_product.c: A'u of operators that are never formed: J W J' + diag(compliance), contacts.
//
// Compensated sums leave an error of g_j that is tiny but not 0, while a proof needs exact zeros
// where nothing bounds x_j. They come from J'u: where forces u on a body cancel exactly, as those of
// opposing contacts do, W J'u is 0 there, whatever W is. So is J W J'u in rows that see only such
// bodies.
#include <string.h>

#include "error.h"
#include "farkas_parts.h"
#include "operator.h"

static const double unit = 0x1p-53;

// v = J'u, enclosed: u[i/stride] on the rows i that are multiples of stride, 0 on the others.
// scratch: the operator's, at least 3 dofs doubles; residual() has done with it
static const enclosure *push_all(const perp_product *P, const double *u, int32_t stride,
                                 void *scratch) {
  enclosure *v = scratch;   // dofs
  memset(v, 0, (size_t)P->dofs*sizeof *v);
  for (int32_t i = 0; i < P->n; i += stride)
    for (int32_t p = P->rowptr[i]; u[i/stride] != 0.0 && p < P->rowptr[i + 1]; p++)
      enclosure_add_product(&v[P->column[p]], P->value[p], u[i/stride], 0.0);
  return v;
}

// Is v exactly 0 on all bodies that row i of J sees?
static int pulls_nothing(const perp_product *P, int32_t i, const enclosure *v) {
  for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) {
    const int32_t body = P->column[p]/P->block*P->block;
    for (int32_t k = body; k < body + P->block && k < P->dofs; k++)
      if (enclosure_upper(v[k]) != 0.0 || enclosure_lower(v[k]) != 0.0) return 0;
  }
  return 1;
}

// The same for row j of the contact LCP, a normal or a direction, with forces u along normals.
static int contact_pulls_nothing(const perp_contacts *P, int32_t j, const double *u,
                                 const enclosure *v) {
  const int32_t c = j < P->count ? j : (j - P->count)/P->directions, first = c*(1 + P->tangents);
  for (int32_t i = first; i <= first + P->tangents; i++)
    if (!pulls_nothing(&P->B, i, v)) return 0;
  return P->B.compliance == NULL || P->B.compliance[first] == 0.0 || u[c] == 0.0;
}

// J W J' + compliance is symmetric, so g = A u, compensated. Three nested sums of at most K terms
// each, all intermediate vectors kept as high + low: the error is at most u |g| + (6 K u)^2 |A||u|.
perp_error farkas_by_product(const perp_problem *problem, const perp_product *P, const double *u,
                             double *work, void *scratch, supremum *s) {
  const int32_t n = problem->A.n;
  double *zero = work, *g = work + n, *size = work + 2*(size_t)n;   // n each
  int32_t longest = 0, most = 0;
  for (int32_t i = 0; i < n; i++) {
    zero[i] = 0.0;
    const int32_t entries = P->rowptr[i + 1] - P->rowptr[i];
    longest = entries > longest ? entries : longest;
    most += u[i] != 0.0;
  }
  if (problem->A.ops->residual(problem->A.self, u, zero, g, size, scratch))
    return error_set(PERP_ERROR_OPERATOR, "operator '%s': residual aborted", problem->A.ops->name);
  const double K = 6.0*unit*((double)longest + (double)most + (double)P->block + 4.0);
  const enclosure *v = push_all(P, u, 1, scratch);
  for (int32_t j = 0; j < n; j++) {
    const double compliance = P->compliance != NULL ? P->compliance[j] : 0.0;
    if (pulls_nothing(P, j, v) && (compliance == 0.0 || u[j] == 0.0)) {
      supremum_add(s, problem, j, 0.0, 0.0, size[j], size[j]);
      continue;
    }
    const double error = 2.0*unit*fabs(g[j]) + K*K*size[j] + (size[j] > 0.0 ? 0x1p-1000 : 0.0);
    supremum_add(s, problem, j, round_down(g[j] - error), round_up(g[j] + error), size[j],
                  size[j]);
  }
  return PERP_OK;
}

// The contact LCP: g = A'u is A (un, ut, -us), but for mu us in the rows of normals, and E'ut in
// those of slacks. Five nested sums where a product has three.
perp_error farkas_by_contacts(const perp_problem *problem, const perp_contacts *P, const double *u,
                              double *work, void *scratch, supremum *s) {
  const int32_t n = problem->A.n, nc = P->count, K = P->directions, slacks = (1 + K)*nc;
  double *zero = work, *g = work + n, *size = work + 2*(size_t)n, *x = work + 3*(size_t)n;
  int32_t longest = 0, most = 0;
  for (int32_t i = 0; i < P->B.n; i++) {
    const int32_t entries = P->B.rowptr[i + 1] - P->B.rowptr[i];
    longest = entries > longest ? entries : longest;
  }
  for (int32_t i = 0; i < n; i++) {
    zero[i] = 0.0;
    x[i] = i < slacks ? u[i] : -u[i];
    most += u[i] != 0.0;
  }
  if (problem->A.ops->residual(problem->A.self, x, zero, g, size, scratch))
    return error_set(PERP_ERROR_OPERATOR, "operator '%s': residual aborted", problem->A.ops->name);
  int frictionless = 1;   // then u is a force along normals alone
  for (int32_t i = nc; i < n; i++) frictionless &= u[i] == 0.0;
  const int32_t stride = 1 + P->tangents;
  const enclosure *v = frictionless ? push_all(&P->B, u, stride, scratch) : NULL;
  const double terms = (double)longest + (double)most + (double)P->B.block + (double)K + 4.0;
  for (int32_t j = 0; j < n; j++) {
    enclosure e = {0.0, 0.0, 0.0};
    double own = 0.0, h = 0.0;
    if (j >= slacks) {
      for (int32_t k = 0; k < K; k++) {
        const double t = u[nc + K*(j - slacks) + k];
        enclosure_add(&e, t);
        own += fabs(t);
        h += (filled(t) ? 1.0 : 0x1p-50)*fabs(t);
      }
    } else {
      const double lost = 10.0*unit*terms;
      if (v == NULL || !contact_pulls_nothing(P, j, u, v)) {
        enclosure_add(&e, g[j]);
        enclosure_lose(&e, 2.0*unit*fabs(g[j]) + lost*lost*size[j]);
        if (size[j] > 0.0) enclosure_lose(&e, 0x1p-1000);
      }
      own = size[j];
      if (j < nc) {
        enclosure_add_product(&e, P->mu[j], u[slacks + j], 0.0);
        own += fabs(P->mu[j]*u[slacks + j]);
      }
      h = own;
    }
    supremum_add(s, problem, j, enclosure_lower(e), enclosure_upper(e), own, h);
  }
  return PERP_OK;
}
