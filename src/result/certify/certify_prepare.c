// certify_prepare.c: computes what the certificate of a matrix needs before it sees an x:
// components, scalings, units, and G, S and s at x_ref. certify.h has the formulas.
#include <math.h>
#include <string.h>

#include "certify_blocks.h"
#include "certify_impossible.h"
#include "certify_kkt.h"
#include "certify_matrix.h"
#include "certify_row.h"
#include "certify_sizes.h"
#include "componentwise.h"
#include "dense_kernels.h"
#include "entries.h"
#include "operator.h"
#include "problem.h"
#include "vector.h"

void matrix_judge_layout(certifier *c, arena *memory, int32_t n) {
  const size_t m = (size_t)n;
  certify_rule *own = &c->blocks.rule;
  double **const doubles[] = {
    &c->x, &c->y, &c->a, &c->parts, &c->R, &c->C, &c->inverse_C, &c->G, &c->S, &c->s, &c->fit.R,
    &c->fit.C, &c->given.R, &c->given.C, &c->held.R, &c->held.C, &c->blocks.first.R,
    &c->blocks.first.C, &c->blocks.first.base, &c->blocks.second.R, &c->blocks.second.C,
    &c->blocks.second.base, &c->blocks.y_ref, &c->blocks.a_ref, &own->R, &own->inverse_C,
    &own->held_R, &own->s, &own->T, &own->noise, &own->G, &own->S, &c->componentwise.least,
    &c->near.x, &c->near.y, &c->near.kept, &c->impossible.by, &c->impossible.data, &c->kkt.weight};
  int32_t **const integers[] = {&c->component, &c->entries, &c->blocks.of, &c->kkt.part};
  uint8_t **const bytes[] = {&c->componentwise.lenient, &c->blocks.closed, &c->kkt.rows,
                             &c->impossible.kind};
  for (size_t k = 0; k < sizeof doubles/sizeof *doubles; k++)
    *doubles[k] = ARENA_ARRAY(memory, double, m);
  for (int k = 0; k < 4; k++) *integers[k] = ARENA_ARRAY(memory, int32_t, m);
  for (int k = 0; k < 4; k++) *bytes[k] = ARENA_ARRAY(memory, uint8_t, m);
  c->kkt.side = ARENA_ARRAY(memory, int8_t, m);
  c->half = ARENA_ARRAY(memory, int32_t, 2*m);
  c->blocks.half = ARENA_ARRAY(memory, int32_t, 2*m);
  c->work = ARENA_ARRAY(memory, double, 12*m);
}

static inline double row_residual(const certifier *c, int32_t i) {
  const perp_problem *p = c->problem;
  const double unit = inverse_of(c->C[i]), low = (c->x[i] - upper(p->hi, i))*unit,
               high = (c->x[i] - lower(p->lo, i))*unit;
  return no_nan(fabs(mid(low, c->R[i]*c->y[i], high)));
}

// If b is 0, a bound of x may give the unit. The smallest one counts, so a bound that is only there
// to be large makes nothing lenient.
static void settle_by_bounds(const certifier *c, double *unit) {
  const int32_t n = c->n;
  int open = 0;
  for (int32_t k = 0; k < c->halves; k++) open |= !(unit[k] > 0.0);
  if (!open || (c->problem->lo == NULL && c->problem->hi == NULL)) return;
  double *least = unit + 2*n;   // 2 n: of halves without a unit
  for (int32_t k = 0; k < c->halves; k++) least[k] = unit[k] > 0.0 ? 0.0 : (double)INFINITY;
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = c->half[n + i];
    const double bounds[] = {fabs(lower(c->problem->lo, i)), fabs(upper(c->problem->hi, i))};
    for (int side = 0; side < 2; side++)
      if (bounds[side] > 0.0 && bounds[side] < (double)INFINITY)
        least[k] = min2(least[k], clamp(bounds[side]/c->C[i], 0x1p-900, 0x1p900));
  }
  for (int32_t k = 0; k < c->halves; k++)
    if (least[k] > 0.0 && least[k] < (double)INFINITY) unit[k] = least[k];
}

// Settles what A leaves open: the unit of each half. It makes max R_i (|b| + |A||x_ref|)_i about 1.
// If b is 0 there, it is so large that only exact zeros pass. c->a holds |b| + |A||x_ref|.
static void settle_units(certifier *c) {
  const int32_t n = c->n;
  double *unit = c->work;   // 2 n
  for (int32_t k = 0; k < c->halves; k++) unit[k] = 0.0;
  for (int32_t i = 0; i < n;) {   // most often there is one half, or long stretches of one
    const int32_t k = c->half[i];
    double most = unit[k];
    for (; i < n && c->half[i] == k; i++) most = max2(most, min2(c->R[i]*c->a[i], 0x1p1000));
    unit[k] = most;
  }
  settle_by_bounds(c, unit);
  int open = 0;
  for (int32_t k = 0; k < c->halves; k++) open |= !(unit[k] > 0.0);
  for (int32_t i = 0; open && i < n; i++) {   // -(largest scale) where b and the bounds are 0
    double *row = &unit[c->half[i]], *column = &unit[c->half[n + i]];
    if (*row <= 0.0) *row = min2(*row, -c->R[i]);
    if (*column <= 0.0) *column = min2(*column, -inverse_of(c->C[i]));
  }
  for (int32_t k = 0; k < c->halves; k++) {
    int e = 0;
    if (unit[k] > 0.0) e = -binary_exponent(unit[k]);
    else if (unit[k] < 0.0) e = 300 - binary_exponent(-unit[k]);
    unit[k] = power_of_two_within(e, 1000);
  }
  for (int32_t i = 0; i < n; i++) {
    c->R[i] = clamp(c->R[i]*unit[c->half[i]], 0x1p-1000, 0x1p1000);
    c->C[i] = clamp(c->C[i]*inverse_of(unit[c->half[n + i]]), 0x1p-1000, 0x1p1000);
  }
}

// R, C, G, S and s from a scaling of A; c->x, c->y, c->a are those of x_ref.
static void settle_scales(certifier *c, const double *R, const double *C) {
  const int32_t n = c->n;
  for (int32_t i = 0; i < n; i++) {
    c->R[i] = R[i];
    c->C[i] = C[i];
  }
  settle_units(c);
  for (int32_t k = 0; k < c->components; k++) c->G[k] = c->S[k] = 0.0;
  for (int32_t i = 0; i < n;) {   // by stretches of one component
    const int32_t k = c->component[i];
    double G = c->G[k], S = c->S[k];
    for (; i < n && c->component[i] == k; i++) {
      G = max2(G, row_residual(c, i));
      const double s = c->entries[i] > 0 ? c->R[i]*c->a[i] : 0.0;
      c->s[i] = s;
      if (!(s <= S)) S = s;
    }
    c->G[k] = G;
    c->S[k] = S;
  }
}

// Computes what depends on A alone. 0: the deadline has passed meanwhile.
static int look_at_matrix(certifier *c, const perp_operator *A, const perp_deadline *deadline) {
  int known;
  if (deadline_passed(deadline)) return 0;
  c->components = components_find(A, c->component, c->entries, &known, c->scratch);
  facts_mirror(&c->facts, A, c->half);   // it saves half the time, and the scaling depends on it
  const int scaled = equilibrate_both(A, c->facts.mirrored, c->fit.R, c->fit.C, c->given.R,
                                      c->given.C, &c->two, c->work, deadline);
  if (scaled < 0 || deadline_passed(deadline)) return 0;
  c->look.equilibrated = scaled == 1;   // of a product the entries alone say nothing about rounding
  c->look.balanced = scaled == 1 || scaled == 3;
  c->look.weaker = !known || !scaled;
  c->halves = components_halves(A, c->component, c->components, c->work, c->half);
  c->blocks.count = c->facts.mirrored ? c->components
                           : components_strong(A, c->component, c->components, c->entries,
                                               c->blocks.of, (int32_t *)c->work, c->scratch);
  c->look.reducible = c->blocks.count > c->components;
  if (c->look.reducible)
    c->blocks.halves = components_halves(A, c->blocks.of, c->blocks.count, c->work, c->blocks.half);
  kkt_look(c, A);
  return 1;
}

// The same from the diagonal, if there is no time for more. Rows that nothing ties together have
// sizes of their own. To know them is worth the time of half a product, if there is time for it.
static void look_at_diagonal(certifier *c, const perp_operator *A) {
  const int32_t n = A->n;
  perp_operator_ops told = {.diagonal = A->ops->diagonal};
  const perp_operator bare = {.ops = &told, .self = A->self, .n = n};
  equilibrate_both(&bare, 0, c->fit.R, c->fit.C, NULL, NULL, &c->two, c->work, NULL);
  for (int32_t i = 0; i < n; i++) {
    c->component[i] = c->half[i] = c->half[n + i] = 0;
    c->entries[i] = n;
  }
  c->components = c->halves = c->blocks.count = n > 0;
  const perp_view view = operator_view(A);
  if (c->look.ties && (A->claims & PERP_CLAIM_SYMMETRIC) && view.kind == PERP_VIEW_CSC)
    c->components = components_tied(view.data, c->component);
  c->look.equilibrated = c->look.balanced = c->look.reducible = 0;
  c->look.unitless = c->kkt.count = 0;
  c->look.weaker = 1;
  if ((view.kind != PERP_VIEW_CSC && view.kind != PERP_VIEW_DENSE) || A->ops->diagonal == NULL)
    return;
  A->ops->diagonal(A->self, c->work);
  for (int32_t i = 0; i < n; i++) c->look.unitless |= !(c->work[i] > 0.0);
}

// The unit that brings the base of each component to 1, or near it.
static void base_units(const certifier *c, double *unit /* components */) {
  scale_range *range = (scale_range *)(c->work + 7*c->n);   // 2 n doubles
  for (int32_t k = 0; k < c->components; k++) range[k] = (scale_range){(double)INFINITY, 0.0};
  for (int32_t i = 0; i < c->n; i++)
    if (c->entries[i] > 0) scale_range_add(&range[c->component[i]], c->R[i], inverse_of(c->C[i]));
  for (int32_t k = 0; k < c->components; k++)
    unit[k] = unit_within(base_of_component(c, k), range[k]);
}

// ---- the stages of prepare

// What depends on A alone, or on its diagonal if the deadline passes first.
static void look_at_new(certifier *c, const perp_problem *problem, const perp_deadline *deadline) {
  const perp_operator *A = &problem->A;
  entry_chain chain;
  c->n = -1;
  c->look.shifted = A->ops->residual != NULL && entries_chain(A, &chain) && chain.shifted;
  c->look.product = A->ops->residual != NULL &&
                    (entries_product_chain(A, &chain) || entries_contact_chain(A, &chain));
  c->look.hurried = !look_at_matrix(c, A, deadline);
  if (c->look.hurried) look_at_diagonal(c, A);
  c->n = A->n;
  componentwise_look(c);
  c->look.value_stamp = c->look.hurried ? 0 : problem->value_stamp;
  c->look.pattern_stamp = problem->pattern_stamp;
}

// x, y and a of x_ref. If it is 0, its product with A is known.
static perp_error measure_reference(certifier *c) {
  const perp_problem *problem = c->problem;
  int zero = 1;
  for (int32_t i = 0; i < c->n; i++) {
    c->x[i] = clamp(0.0, lower(problem->lo, i), upper(problem->hi, i));
    zero &= c->x[i] == 0.0;
  }
  c->reference_is_zero = zero;
  c->look.rough = 0;
  if (zero) {
    for (int32_t i = 0; i < c->n; i++) {
      c->y[i] = problem->b[i];
      c->a[i] = c->parts[i] = fabs(problem->b[i]);
    }
    return PERP_OK;
  }
  const perp_error error = c->look.hurried ? certifier_plain_residual(c) : certifier_residual(c);
  if (error != PERP_OK) return error;
  if (c->look.hurried) certifier_no_sizes(c);
  else c->look.rough = c->look.product && !certifier_product_sizes(c);
  return PERP_OK;
}

// Adds the second scaling to the settled one: takes the larger R_i and the smaller C_i of both.
static void settle_second(certifier *c) {
  const int32_t n = c->n;
  // one each per component, in parts of c->work that settle_units leaves alone
  double *unit = c->work + 4*n, *other = c->work + 5*n, *base = c->work + 6*n;
  memcpy(c->held.R, c->R, (size_t)n*sizeof *c->R);
  memcpy(c->held.C, c->C, (size_t)n*sizeof *c->C);
  base_units(c, unit);
  for (int32_t k = 0; k < c->components; k++) base[k] = base_of_component(c, k);
  settle_scales(c, c->given.R, c->given.C);
  if (c->look.reducible) blocks_keep(c, &c->blocks.second);
  base_units(c, other);
  for (int32_t k = 0; k < c->components; k++)
    units_agree(base[k], &unit[k], base_of_component(c, k), &other[k]);
  for (int32_t i = 0; i < n; i++) {
    const double by = unit[c->component[i]], by_other = other[c->component[i]];
    const double fit = clamp(c->held.R[i]*by, 0x1p-1000, 0x1p1000),
                 given = clamp(c->R[i]*by_other, 0x1p-1000, 0x1p1000);
    c->R[i] = max2(fit, given);
    c->held.R[i] = min2(fit, given);
    c->C[i] = min2(clamp(c->held.C[i]/by, 0x1p-1000, 0x1p1000),
                   clamp(c->C[i]/by_other, 0x1p-1000, 0x1p1000));
    c->s[i] = c->entries[i] > 0 ? c->R[i]*c->a[i] : 0.0;
  }
  for (int32_t k = 0; k < c->components; k++) {   // the smaller base, both now about 1
    double *own = c->G[k] > 0.0 ? &c->G[k] : &c->S[k];
    if (*own > 0.0 && *own < (double)INFINITY) *own = min2(base[k]*unit[k], *own*other[k]);
  }
}

// R, C, G, S and s of the components. They are the rule unless A is reducible.
static void settle(certifier *c) {
  c->rule = (certify_rule){c->component, c->R, c->inverse_C, c->held.R, c->s, NULL, NULL, c->G,
                           c->S};
  settle_scales(c, c->fit.R, c->fit.C);
  if (c->look.reducible) blocks_keep(c, &c->blocks.first);
  if (c->two) settle_second(c);
}

// 1/C, and the numbers that tell whether a plain product is accurate enough.
static void find_range(certifier *c) {
  double most_S = 0.0, least_G = (double)INFINITY, most_b = 0.0;
  double least_R = (double)INFINITY, least_C = (double)INFINITY;
  int32_t most = 0, least = INT32_MAX;   // entries of a row
  for (int32_t i = 0; i < c->n; i++) {
    c->inverse_C[i] = inverse_of(c->C[i]);
    most = c->entries[i] > most ? c->entries[i] : most;
    least = c->entries[i] < least ? c->entries[i] : least;
    most_S = max2(most_S, c->s[i]);
    most_b = max2(most_b, fabs(c->problem->b[i]));
    least_R = min2(least_R, c->fit.R[i]);
    least_C = min2(least_C, c->fit.C[i]);
    least_G = min2(least_G, c->G[c->component[i]]);
  }
  // In the scaling of A alone |A_ij| <= 2/(R_i C_j), or little more.
  const double entry = 4.0/max2(least_R*least_C, 0x1p-1000);
  const int scaled = min2(least_R, least_C) > 0x1p-499;   // not held back by equilibrate.c
  c->range.safe_x = scaled && most_b < 0x1p1000 ? 0x1p1000/max2(entry*max2(most, 1), 1.0) : 0.0;
  c->range.most_entries = most;
  c->range.least_entries = c->n > 0 ? least : (double)INFINITY;
  c->range.most_S = most_S;
  c->range.least_G = least_G;
}

perp_error matrix_judge_prepare(certifier *c, const perp_problem *problem,
                                const perp_deadline *deadline) {
  c->problem = problem;
  c->last.snaps = c->settles = 1;
  c->infeasible = -1;
  c->near.known = 0;
  if (!certifier_knows(c, problem)) look_at_new(c, problem, deadline);
  const perp_error error = measure_reference(c);
  if (error != PERP_OK) return error;
  settle(c);
  find_range(c);
  c->componentwise.sized = !c->look.hurried && problem->A.ops->residual != NULL;
  impossible_find(c);
  componentwise_begin(c);
  if (c->look.reducible) blocks_begin(c);
  return PERP_OK;
}
