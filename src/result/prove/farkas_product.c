// farkas_product.c: A'u of operators that are never formed: J W J' + diag(compliance), contacts.
//
// A is symmetric except for the sliding speeds, so A'u goes from rows to bodies and back, as products
// with A do: v = J'u, w = W v, g = J w + compliance u. Each number is enclosed with all rounding
// errors, underflow and overflow included. If the forces u on a body cancel exactly, as those of
// opposing contacts do, v is exactly 0 there, and g is 0 in rows with only such bodies. A proof needs
// these zeros where x_j has no bound.
#include <string.h>

#include "contact_parts.h"
#include "error.h"
#include "farkas_parts.h"
#include "operator.h"
#include "product_parts.h"

// e += a by
static void add_scaled(enclosure *e, double a, enclosure by) {
  if (a == 0.0) return;
  enclosure_add_product(e, a, by.high, 0.0);
  enclosure_add_product(e, a, by.low, 0.0);
  if (by.lost != 0.0) enclosure_lose(e, product_up(fabs(a), by.lost));
}

// Joins high and low to one number if that is exact, so that forces that cancel give exactly 0.
static enclosure joined(enclosure e) {
  enclosure sum = {e.high, 0.0, e.lost};
  enclosure_add(&sum, e.low);
  return sum;
}

typedef struct bodies {   // in the operator's scratch, which residual() no longer needs
  enclosure *v, *w;       // dofs each: J'z and W J'z
} bodies;

static bodies bodies_at(const perp_product *P, void *scratch) {
  enclosure *v = scratch;
  memset(v, 0, 2*(size_t)P->dofs*sizeof *v);
  return (bodies){v, v + P->dofs};
}

static void push(const perp_product *P, int32_t i, enclosure z, const bodies *to) {   // v += J_i' z
  for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++)
    add_scaled(&to->v[P->column[p]], P->value[p], z);
}

static void weigh(const perp_product *P, const bodies *at) {   // w = W v
  for (int32_t k = 0; k < P->dofs; k++) at->v[k] = joined(at->v[k]);
  for (int32_t k = 0; k < P->dofs; k++) {
    const double *row = P->W + (size_t)k*(size_t)P->block;
    for (int32_t l = 0; l < P->block; l++)
      add_scaled(&at->w[k], row[l], at->v[product_body(P, k) + l]);
  }
}

// J_i w + compliance_i z
static enclosure pull(const perp_product *P, int32_t i, const bodies *at, enclosure z) {
  enclosure g = {0.0, 0.0, 0.0};
  for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++)
    add_scaled(&g, P->value[p], at->w[P->column[p]]);
  add_scaled(&g, product_compliance(P, i), z);
  return g;
}

// size = |A||u|
static perp_error find_sizes(const perp_problem *problem, const double *u, double *zero, double *g,
                             double *size, void *scratch) {
  for (int32_t i = 0; i < problem->A.n; i++) zero[i] = 0.0;
  if (problem->A.ops->residual(problem->A.self, u, zero, g, size, scratch))
    return error_set(PERP_ERROR_OPERATOR, "operator '%s': residual aborted", problem->A.ops->name);
  return PERP_OK;
}

perp_error farkas_by_product(const perp_problem *problem, const perp_product *P, const double *u,
                             double *work, void *scratch, supremum *s) {
  const int32_t n = problem->A.n;
  double *size = work + 2*(size_t)n;   // n
  const perp_error error = find_sizes(problem, u, work, work + n, size, scratch);
  if (error != PERP_OK) return error;
  const bodies at = bodies_at(P, scratch);
  for (int32_t i = 0; i < n; i++)
    if (u[i] != 0.0) push(P, i, (enclosure){u[i], 0.0, 0.0}, &at);
  weigh(P, &at);
  for (int32_t j = 0; j < n; j++) {
    const enclosure g = pull(P, j, &at, (enclosure){u[j], 0.0, 0.0});
    supremum_add(s, problem, j, enclosure_lower(g), enclosure_upper(g), size[j], size[j]);
  }
  return PERP_OK;
}

// The impulse in row i of B: un for a normal row, D ut for a tangent.
static enclosure impulse(const perp_contacts *P, int32_t i, const double *u) {
  const int32_t rows = 1 + P->tangents, c = i/rows, t = i % rows - 1;
  if (t < 0) return (enclosure){u[c], 0.0, 0.0};
  enclosure z = {0.0, 0.0, 0.0};
  for (int32_t k = 0; k < P->directions; k++)
    enclosure_add_product(&z, P->direction[k*P->tangents + t], u[contact_tangent_row(P, c, k)],
                          0.0);
  return joined(z);
}

// Entry j of A'u, of contact c. row: (B impulse) in the contact's rows, the normal first
static enclosure contact_column(const perp_contacts *P, contact_place at, const enclosure *row,
                                const double *u) {
  const int32_t c = at.contact;
  const double slack = u[contact_slack_row(P, c)];
  enclosure g = {0.0, 0.0, 0.0};
  if (at.kind == CONTACT_SLACK) {
    for (int32_t k = 0; k < P->directions; k++) enclosure_add(&g, u[contact_tangent_row(P, c, k)]);
    return g;
  }
  for (int32_t t = 0; t <= P->tangents; t++) add_scaled(&g, contact_share(P, at, t), row[t]);
  if (at.kind == CONTACT_NORMAL) enclosure_add_product(&g, P->mu[c], slack, 0.0);
  else enclosure_add(&g, -slack);
  return g;
}

// h' of a slack column, whose entries are 1 (farkas.c)
static double slack_rounding(const perp_contacts *P, int32_t c, const double *u) {
  double h = 0.0;
  for (int32_t k = 0; k < P->directions; k++) {
    const double t = u[contact_tangent_row(P, c, k)];
    h += (filled(t) ? 1.0 : 0x1p-50)*fabs(t);
  }
  return h;
}

// (|A|'|u|)_j from size = (|A||u|)_j. These differ, because A has mu in the rows of slacks and A' has
// it in the rows of normals.
static double contact_size(const perp_contacts *P, contact_place at, double size,
                           const double *u) {
  const int32_t c = at.contact;
  if (at.kind == CONTACT_NORMAL) return size + fabs(P->mu[c]*u[contact_slack_row(P, c)]);
  if (at.kind == CONTACT_TANGENT) return size;
  double own = 0.0;
  for (int32_t k = 0; k < P->directions; k++) own += fabs(u[contact_tangent_row(P, c, k)]);
  return own;
}

perp_error farkas_by_contacts(const perp_problem *problem, const perp_contacts *P, const double *u,
                              double *work, void *scratch, supremum *s) {
  enum contact_shape { CONTACT_ROWS_MAX = 3 };   // rows of B per contact, at most
  const int32_t n = problem->A.n, rows = 1 + P->tangents;
  double *size = work + 2*(size_t)n;   // n
  const perp_error error = find_sizes(problem, u, work, work + n, size, scratch);
  if (error != PERP_OK) return error;
  const bodies at = bodies_at(&P->B, scratch);
  for (int32_t i = 0; i < P->B.n; i++) push(&P->B, i, impulse(P, i, u), &at);
  weigh(&P->B, &at);
  for (int32_t c = 0; c < P->count; c++) {
    enclosure row[CONTACT_ROWS_MAX];
    for (int32_t t = 0; t < rows; t++)
      row[t] = joined(pull(&P->B, rows*c + t, &at, impulse(P, rows*c + t, u)));
    for (int32_t k = -1; k <= P->directions; k++) {   // the normal, the directions, the slack
      const int32_t j = k < 0                ? c
                        : k < P->directions ? contact_tangent_row(P, c, k)
                                            : contact_slack_row(P, c);
      const contact_place place = contact_place_of(P, j);
      const enclosure g = contact_column(P, place, row, u);
      const double own = contact_size(P, place, size[j], u);
      supremum_add(s, problem, j, enclosure_lower(g), enclosure_upper(g), own,
                   place.kind == CONTACT_SLACK ? slack_rounding(P, c, u) : own);
    }
  }
  return PERP_OK;
}
