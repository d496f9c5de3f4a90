// certify.c: the certificate of certify.h, and perp_certify for callers. (Somewhat long: a verdict
// is to be read in one place; sizes, blocks, single rows and grids have files of their own.)
#include "certify.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "certify_blocks.h"
#include "certify_grid.h"
#include "certify_kkt.h"
#include "certify_row.h"
#include "certify_sizes.h"
#include "certify_impossible.h"
#include "componentwise.h"
#include "entries.h"
#include "error.h"
#include "grid.h"
#include "dense_kernels.h"
#include "nearby.h"
#include "operator.h"
#include "problem.h"
#include "vector.h"

static const double u = 0x1p-53;

void certifier_layout(certifier *c, arena *memory, int32_t n, size_t scratch, int grid) {
  const size_t m = (size_t)n;
  c->pattern_stamp = c->value_stamp = 0;
  c->exact = 0;
  c->n = -1;
  c->grid = NULL;
  c->lean = grid;
  c->componentwise_tol = 0.0;
  c->near_known = c->impossible = 0;
  c->scratch = arena_take(memory, scratch, 1);
  if (grid) {
    grid_judge_layout(c, memory, n);
    return;
  }
  c->R = ARENA_ARRAY(memory, double, m);
  c->C = ARENA_ARRAY(memory, double, m);
  c->inverse_C = ARENA_ARRAY(memory, double, m);
  double **const scalings[] = {&c->fit_R, &c->fit_C, &c->given_R, &c->given_C, &c->held_R,
                               &c->held_C, &c->first_R, &c->first_C, &c->first_base, &c->second_R,
                               &c->second_C, &c->second_base, &c->y_ref, &c->a_ref, &c->parts,
                               &c->own.R, &c->own.inverse_C, &c->own.held_R, &c->own.s, &c->own.T,
                               &c->own.noise, &c->own.G, &c->own.S, &c->least, &c->near_x,
                               &c->near_y, &c->kept, &c->impossible_by, &c->impossible_data};
  for (size_t k = 0; k < sizeof scalings/sizeof scalings[0]; k++)
    *scalings[k] = ARENA_ARRAY(memory, double, m);
  c->block = ARENA_ARRAY(memory, int32_t, m);
  c->lenient = ARENA_ARRAY(memory, uint8_t, m);
  c->closed = ARENA_ARRAY(memory, uint8_t, m);
  c->block_half = ARENA_ARRAY(memory, int32_t, 2*m);
  c->component = ARENA_ARRAY(memory, int32_t, m);
  c->entries = ARENA_ARRAY(memory, int32_t, m);
  c->kkt_part = ARENA_ARRAY(memory, int32_t, m);
  c->side = ARENA_ARRAY(memory, int8_t, m);
  c->kkt_rows = ARENA_ARRAY(memory, uint8_t, m);
  c->impossible_kind = ARENA_ARRAY(memory, uint8_t, m);
  c->weight = ARENA_ARRAY(memory, double, m);
  c->half = ARENA_ARRAY(memory, int32_t, 2*m);
  c->G = ARENA_ARRAY(memory, double, m);
  c->S = ARENA_ARRAY(memory, double, m);
  c->s = ARENA_ARRAY(memory, double, m);
  c->x = ARENA_ARRAY(memory, double, m);
  c->y = ARENA_ARRAY(memory, double, m);
  c->a = ARENA_ARRAY(memory, double, m);
  c->work = ARENA_ARRAY(memory, double, 12*m);
}

// A shift that cancels most of the diagonal leaves less of |A||x| than its parts, which A x is
// summed from: the first is the size of the matrix, the second that of the rounding.
static void size_under_shift(certifier *c) {
  memcpy(c->parts, c->a, (size_t)c->n*sizeof *c->a);
  certifier_sizes(c);
  for (int32_t i = 0; i < c->n; i++)   // y = b, whatever the parts leave
    if (c->entries[i] == 0) c->y[i] = c->problem->b[i];
}

// y = A x + b and a >= |A||x| + |b| at c->x. An operator that cannot tell gets a = |b|: no
// allowance for rounding.
perp_error certifier_residual(certifier *c) {
  const perp_operator *A = &c->problem->A;
  const double *b = c->problem->b;
  int failed;
  if (c->symmetric && operator_view(A).data == A->self) {
    csc_residual_symmetric(A->self, c->x, b, c->y, c->a);
    return PERP_OK;
  }
  if (A->ops->residual != NULL) {
    failed = A->ops->residual(A->self, c->x, b, c->y, c->a, c->scratch);
    if (c->shifted) size_under_shift(c);
    if (c->product) memcpy(c->parts, c->a, (size_t)c->n*sizeof *c->a);
  } else {
    failed = A->ops->apply(A->self, c->x, c->y, c->scratch);
    for (int32_t i = 0; i < A->n; i++) {
      c->a[i] = fabs(b[i]);
      c->y[i] += b[i];
    }
  }
  return failed ? error_set(PERP_ERROR_OPERATOR, "operator '%s': apply returned %d",
                            A->ops->name, failed)
                : PERP_OK;
}

static perp_error plain_residual(certifier *c) {   // y = A x + b at c->x, as rounded as it comes
  const perp_operator *A = &c->problem->A;
  if (c->symmetric && operator_view(A).data == A->self) {
    csc_apply_symmetric(A->self, c->x, c->problem->b, c->y);
    return PERP_OK;
  }
  const int failed = A->ops->apply(A->self, c->x, c->y, c->scratch);
  for (int32_t i = 0; i < A->n; i++) c->y[i] += c->problem->b[i];
  return failed ? error_set(PERP_ERROR_OPERATOR, "operator '%s': apply returned %d",
                            A->ops->name, failed)
                : PERP_OK;
}

static inline double row_residual(const certifier *c, int32_t i) {
  const perp_problem *p = c->problem;
  const double unit = inverse_of(c->C[i]), low = (c->x[i] - upper(p->hi, i))*unit,
               high = (c->x[i] - lower(p->lo, i))*unit;
  return no_nan(fabs(mid(low, c->R[i]*c->y[i], high)));
}

// Where b is 0 a bound of x may tell the unit: the smallest one counts, so that a bound that is
// only there to be large makes nothing lenient.
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

// Settles what A leaves open: the unit of each half. Where b says something about it, so that max
// R_i (|b| + |A||x_ref|)_i is about 1; where b is 0, so large that only exact zeros pass there.
// c->a holds |b| + |A||x_ref|.
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

// What only depends on A. 0: the deadline has passed on the way.
static int look_at_matrix(certifier *c, const perp_operator *A, const perp_deadline *deadline) {
  int known;
  if (deadline_passed(deadline)) return 0;
  c->components = components_find(A, c->component, c->entries, &known, c->scratch);
  // looked at, whatever is claimed: it saves half the time, and the scaling depends on it
  const perp_view view = operator_view(A);
  c->symmetric = view.kind == PERP_VIEW_CSC && view.data == A->self &&
                 csc_is_symmetric(view.data, c->half);
  const int scaled = equilibrate_both(A, c->symmetric, c->fit_R, c->fit_C, c->given_R, c->given_C,
                                      &c->two, c->work, deadline);
  if (scaled < 0 || deadline_passed(deadline)) return 0;
  c->equilibrated = scaled == 1;   // of a product the entries alone say nothing about rounding
  c->balanced = scaled == 1 || scaled == 3;
  c->weaker = !known || !scaled;
  c->halves = components_halves(A, c->component, c->components, c->work, c->half);
  c->blocks = c->symmetric ? c->components
                           : components_strong(A, c->component, c->components, c->entries,
                                               c->block, (int32_t *)c->work, c->scratch);
  c->reducible = c->blocks > c->components;
  if (c->reducible)
    c->block_halves = components_halves(A, c->block, c->blocks, c->work, c->block_half);
  kkt_look(c, A);
  return 1;
}

// The same of an operator that tells its diagonal at most: no time for more. Rows that nothing ties
// together have sizes of their own: to know them is worth half a product, where that fits.
static void look_at_diagonal(certifier *c, const perp_operator *A) {
  const int32_t n = A->n;
  perp_operator_ops told = {.diagonal = A->ops->diagonal};
  const perp_operator bare = {.ops = &told, .self = A->self, .n = n};
  equilibrate_both(&bare, 0, c->fit_R, c->fit_C, NULL, NULL, &c->two, c->work, NULL);
  for (int32_t i = 0; i < n; i++) {
    c->component[i] = c->half[i] = c->half[n + i] = 0;
    c->entries[i] = n;
  }
  c->components = c->halves = c->blocks = n > 0;
  const perp_view view = operator_view(A);
  if (c->ties && (A->claims & PERP_CLAIM_SYMMETRIC) && view.kind == PERP_VIEW_CSC)
    c->components = components_tied(view.data, c->component);
  c->equilibrated = c->balanced = c->symmetric = c->reducible = c->kkt = 0;
  c->weaker = 1;
  c->unitless = 0;
  if ((view.kind != PERP_VIEW_CSC && view.kind != PERP_VIEW_DENSE) || A->ops->diagonal == NULL)
    return;
  A->ops->diagonal(A->self, c->work);
  for (int32_t i = 0; i < n; i++) c->unitless |= !(c->work[i] > 0.0);
}

static double base_of_component(const certifier *c, int32_t k) {
  return c->G[k] > 0.0 ? c->G[k] : c->S[k] > 0.0 ? c->S[k] : 1.0;
}
static double base_of(const certifier *c, int32_t i) {
  return base_of_component(c, c->component[i]);
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

perp_error certifier_prepare(certifier *c, const perp_problem *problem,
                             const perp_deadline *deadline) {
  const perp_operator *A = &problem->A;
  const int32_t n = A->n;
  if (c->lean) {
    grid_judge_prepare(c, problem);
    return PERP_OK;
  }
  const int same = n == c->n && problem->value_stamp != 0 &&
                   problem->value_stamp == c->value_stamp &&
                   problem->pattern_stamp == c->pattern_stamp;
  c->problem = problem;
  c->snaps = 1;
  c->rough = c->near_known = 0;
  if (!same) {
    entry_chain chain;
    c->n = -1;
    c->shifted = A->ops->residual != NULL && entries_chain(A, &chain) && chain.shifted;
    c->product = A->ops->residual != NULL &&
                 (entries_product_chain(A, &chain) || entries_contact_chain(A, &chain));
    c->hurried = !look_at_matrix(c, A, deadline);
    if (c->hurried) look_at_diagonal(c, A);
    c->n = n;
    componentwise_look(c);
    c->value_stamp = c->hurried ? 0 : problem->value_stamp;
    c->pattern_stamp = problem->pattern_stamp;
  }
  int zero = 1;   // x_ref = 0: its product with A is known
  for (int32_t i = 0; i < n; i++) {
    c->x[i] = clamp(0.0, lower(problem->lo, i), upper(problem->hi, i));
    zero &= c->x[i] == 0.0;
  }
  if (zero) {
    for (int32_t i = 0; i < n; i++) {
      c->y[i] = problem->b[i];
      c->a[i] = c->parts[i] = fabs(problem->b[i]);
    }
  } else {
    const perp_error error = c->hurried ? plain_residual(c) : certifier_residual(c);
    if (error != PERP_OK) return error;
    for (int32_t i = 0; c->hurried && i < n; i++) c->a[i] = c->parts[i] = fabs(problem->b[i]);
    c->rough = !c->hurried && c->product && !certifier_product_sizes(c);
  }
  c->rule = (certify_rule){c->component, c->R, c->inverse_C, c->held_R, c->s, NULL, NULL, c->G,
                           c->S};
  settle_scales(c, c->fit_R, c->fit_C);
  if (c->reducible) blocks_keep(c, c->first_R, c->first_C, c->first_base);
  if (c->two) {
    // one each per component, in parts of c->work that settle_units leaves alone
    double *unit = c->work + 4*n, *other = c->work + 5*n, *base = c->work + 6*n;
    memcpy(c->held_R, c->R, (size_t)n*sizeof *c->R);
    memcpy(c->held_C, c->C, (size_t)n*sizeof *c->C);
    base_units(c, unit);
    for (int32_t k = 0; k < c->components; k++) base[k] = base_of_component(c, k);
    settle_scales(c, c->given_R, c->given_C);
    if (c->reducible) blocks_keep(c, c->second_R, c->second_C, c->second_base);
    base_units(c, other);
    for (int32_t k = 0; k < c->components; k++)
      units_agree(base[k], &unit[k], base_of_component(c, k), &other[k]);
    for (int32_t i = 0; i < n; i++) {
      const double by = unit[c->component[i]], by_other = other[c->component[i]];
      const double fit = clamp(c->held_R[i]*by, 0x1p-1000, 0x1p1000),
                   given = clamp(c->R[i]*by_other, 0x1p-1000, 0x1p1000);
      c->R[i] = max2(fit, given);
      c->held_R[i] = min2(fit, given);
      c->C[i] = min2(clamp(c->held_C[i]/by, 0x1p-1000, 0x1p1000),
                     clamp(c->C[i]/by_other, 0x1p-1000, 0x1p1000));
      c->s[i] = c->entries[i] > 0 ? c->R[i]*c->a[i] : 0.0;
    }
    for (int32_t k = 0; k < c->components; k++) {   // the smaller base, both now about 1
      double *own = c->G[k] > 0.0 ? &c->G[k] : &c->S[k];
      if (*own > 0.0 && *own < (double)INFINITY) *own = min2(base[k]*unit[k], *own*other[k]);
    }
  }
  double most_S = 0.0, least_G = (double)INFINITY, most_b = 0.0;
  double least_R = (double)INFINITY, least_C = (double)INFINITY;
  int32_t most = 0, least = INT32_MAX;   // entries of a row
  for (int32_t i = 0; i < n; i++) {
    c->inverse_C[i] = inverse_of(c->C[i]);
    most = c->entries[i] > most ? c->entries[i] : most;
    least = c->entries[i] < least ? c->entries[i] : least;
    most_S = max2(most_S, c->s[i]);
    most_b = max2(most_b, fabs(problem->b[i]));
    least_R = min2(least_R, c->fit_R[i]);
    least_C = min2(least_C, c->fit_C[i]);
    least_G = min2(least_G, c->G[c->component[i]]);
  }
  // In the scaling of A alone |A_ij| <= 2/(R_i C_j), or little more.
  const double entry = 4.0/max2(least_R*least_C, 0x1p-1000);
  const int scaled = min2(least_R, least_C) > 0x1p-499;   // not held back by equilibrate.c
  c->safe_x = scaled && most_b < 0x1p1000 ? 0x1p1000/max2(entry*max2(most, 1), 1.0) : 0.0;
  c->most_entries = most;
  c->least_entries = n > 0 ? least : (double)INFINITY;
  c->most_S = most_S;
  c->least_G = least_G;
  c->sized = !c->hurried && A->ops->residual != NULL;
  impossible_find(c, zero);
  componentwise_begin(c);
  if (c->reducible) blocks_begin(c);
  return PERP_OK;
}

certify_scale certify_scale_of(const certifier *c, int32_t i) {
  if (c->lean) return grid_judge_scale(c, i);
  return (certify_scale){c->R[i], c->inverse_C[i], base_of(c, i)};
}

certify_scale certify_rule_of(const certifier *c, int32_t i) {
  if (c->lean) return grid_judge_scale(c, i);
  return (certify_scale){c->rule.R[i], c->rule.inverse_C[i], base_of(c, i)};
}

int certify_settled(const certifier *c, int32_t i) {
  return c->lean ? grid_judge_settled(c, i) : c->G[c->component[i]] == 0.0;
}

void certify_fit(const certifier *c, int32_t i, double *R, double *C) {
  *R = c->lean ? ldexp(1.0, c->exponent[i]) : c->fit_R[i];
  *C = c->lean ? *R : c->fit_C[i];
}

// What y_i may have lost in compensated sums, in the units of r. It matters where |x| is beyond
// 1e16 times what b accounts for.
static inline double lost(const certifier *c, int32_t i, double a) {
  const double parts = c->shifted || c->product ? c->parts[i] : a;
  return lost_part(c->entries[i])*c->rule.R[i]*parts;
}

static inline certify_row evaluate(const certifier *c, int32_t i, double r, double y, double moved,
                                   double a, double tol) {
  const certify_rule *rule = &c->rule;
  const int32_t k = rule->part[i];
  row_rule own = {
    .R = rule->R[i], .G = rule->G[k], .S = rule->S[k], .s = rule->s[i],
    .T = rule->T != NULL ? rule->T[i] : rule->G[k] > 0.0 ? rule->G[k] : rule->s[i],
    .noise = rule->noise != NULL ? rule->noise[i] : 0.0,
    .less = c->two ? rule->R[i]/rule->held_R[i] : 1.0, .lost = lost(c, i, a),
    .empty = c->entries[i] == 0};
  if (impossible_of(c, i) != IMPOSSIBLE_NOT) impossible_rule(c, i, &own);
  return judge_row(&own, r, y, moved, a, tol);
}
certify_row certify_evaluate(const certifier *c, int32_t i, double r, double y, double a,
                             double tol) {
  return c->lean ? grid_judge_row(c, i, r, y, a, tol) : evaluate(c, i, r, y, 0.0, a, tol);
}

static perp_certificate begin(const certifier *c) {
  return (perp_certificate){.solved = 1, .weaker = c->weaker || c->rough,
                            .worst = c->problem->A.n > 0 ? 0 : -1, .components = c->components,
                            .componentwise = -1.0, .componentwise_row = -1};
}

// The verdict on x from c->x (x clamped), c->y and c->a. With slack > 0, y is known only that well
// in the units of r and c->a not at all: returns 0 where no row is clearly outside its tolerance
// and one is not clearly within.
static int judge(const certifier *c, const double *x, double tol, double absolute_tol, double slack,
                 perp_certificate *certificate) {
  const perp_problem *p = c->problem;
  const certify_rule *rule = &c->rule;
  const int32_t n = p->A.n;
  // not through the pointer: that would be stored again for every row
  perp_certificate found = *certificate;
  row_sizes sizes = {.begun = 0};
  int open = 0;
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = rule->part[i];
    const double y = c->y[i], below = c->x[i] - lower(p->lo, i), above = c->x[i] - upper(p->hi, i);
    const double scale = rule->inverse_C[i], away = fabs(x[i] - c->x[i]);
    const double untold = overflow_of(y);
    const double natural = no_nan(fabs(mid(above, y, below))) + untold;
    found.natural_residual = max2(found.natural_residual, natural);
    const double distance = y > 0.0 ? below : -above;
    found.gap += fabs(y)*gap_distance(c->x[i], distance);

    // An x that had to be moved far to its bounds is not the answer:
    // how far counts like a residual.
    const double moved = away*scale,
                 r = max2(no_nan(fabs(mid(above*scale, rule->R[i]*y, below*scale))), moved) + untold;
    const double base = impossible_base(c, i, rule->R[i],
                                        rule->G[k] > 0.0 ? rule->G[k] : rule->S[k]);
    const double most = tol*(rule->T != NULL ? rule->T[i] : rule->G[k]);
    const double unknown = slack > 0.0 ? slack : lost(c, i, c->a[i]);
    if (r + unknown <= most && c->entries[i] > 0 && base < (double)INFINITY &&
        rule->S[k] < (double)INFINITY && impossible_of(c, i) == IMPOSSIBLE_NOT) {   // most rows
      if (r > found.residual*base) {
        found.residual = r/base;
        found.worst = i;
      }
      continue;
    }
    if (slack > 0.0) {
      // Clearly wrong: the allowances for rounding are at most 32 slack each.
      if (absolute_tol > 0.0 || !(r < (double)INFINITY && base < (double)INFINITY)) return 0;
      if (r > 2.0*tol*rule->G[k] + 100.0*slack) found.solved = 0;
      else open = 1;
      if (r > found.residual*base) {
        found.residual = r/base;
        found.worst = i;
      }
      continue;
    }
    certify_row row = evaluate(c, i, r, y, moved, c->a[i] - fabs(p->b[i]), tol);
    if (row.solved && !row.strict && c->product) {   // by a bound of |A||x| that may be too large
      const double size = row_size(&sizes, c, i);
      row = evaluate(c, i, r, y, moved, max2(size, 0.0), tol);
    }
    const double relative = row.r == 0.0 || (row.solved && base == 0.0) ? 0.0 : row.relative;
    if (relative > found.residual) {
      found.residual = relative;
      found.worst = i;
    }
    if (absolute_tol > 0.0 && max2(natural, away) <= absolute_tol && c->entries[i] > 0) continue;
    if (!row.solved) found.solved = 0;
    else if (!row.strict) found.attainable = 1;
  }
  if (open && found.solved) return 0;
  // A wide slack is only for the clearly wrong, whose residual it leaves alone to a thousandth.
  if (slack > 1e-3*tol*c->least_G &&
      (found.solved || !(slack <= 1e-3*found.residual*c->least_G)))
    return 0;
  if (found.gap != found.gap) found.gap = (double)INFINITY;
  if (!found.solved) found.attainable = 0;
  *certificate = found;
  return 1;
}

// judge() for the usual end: one component, no empty row, x within its bounds, every row clearly
// within its tolerance. Returns 0 where anything is not so; reads half as much as judge().
static int judge_quickly(certifier *c, double tol, double slack,
                         perp_certificate *certificate) {
  const perp_problem *p = c->problem;
  if (c->components != 1 || c->least_entries == 0.0 || certificate->bound_violation != 0.0 ||
      !(c->G[0] < (double)INFINITY && c->S[0] < (double)INFINITY))
    return 0;
  const double most = tol*c->G[0] - slack;
  double natural = 0.0, gap = 0.0, worst_r = 0.0;
  int32_t worst = 0;
  int snaps = 0;
  for (int32_t i = 0; i < p->A.n; i++) {
    const double y = c->y[i], scale = c->inverse_C[i];
    const double below = c->x[i] - lower(p->lo, i), above = c->x[i] - upper(p->hi, i);
    const double r = fabs(mid(above*scale, c->R[i]*y, below*scale));
    if (!(r <= most)) return 0;
    snaps |= (r > 0.0) & (r < c->R[i]*fabs(y));
    natural = max2(natural, fabs(mid(above, y, below)));
    // the sign of a y_i near 0 is anybody's guess: no branch on it
    const double low = gap_distance(c->x[i], below), high = gap_distance(c->x[i], -above);
    gap += max2(y, 0.0)*low + max2(-y, 0.0)*high;
    if (r > worst_r) {
      worst_r = r;
      worst = i;
    }
  }
  c->snaps = snaps;
  certificate->natural_residual = natural;
  certificate->gap = gap == gap ? gap : (double)INFINITY;
  certificate->residual = worst_r/c->G[0];
  certificate->worst = worst;
  return 1;
}

// The end of a verdict: every row beside its own data. leave: see componentwise.h
static void judge_own_data(certifier *c, double tol, double absolute_tol, int leave,
                           perp_certificate *certificate) {
  const double limit = componentwise_limit(c->componentwise_tol, tol);
  c->left = componentwise_measure(c, absolute_tol, 0, certificate) > limit && leave;
  if (c->left) componentwise_measure(c, absolute_tol, 1, certificate);
  if (certificate->componentwise > limit) certificate->solved = certificate->attainable = 0;
}

void certifier_take_reference(certifier *c) {
  if (c->lean) grid_judge_take_reference(c);
}

void certifier_check_reference(certifier *c, double tol, double absolute_tol,
                               perp_certificate *certificate) {
  if (c->lean) {
    grid_judge_reference(c, tol, absolute_tol, certificate);
    return;
  }
  *certificate = begin(c);
  certifier_rescale(c);
  judge(c, c->x, tol, absolute_tol, 0.0, certificate);
  kkt_judge(c, tol, absolute_tol, NULL, certificate);
  judge_own_data(c, tol, absolute_tol, 1, certificate);
}

// r_i at x, which clamped may pass if it is at most: tolerance, the allowances for rounding, and
// what this sum itself may have lost.
static int row_fails(const certifier *c, const perp_csc *A, int32_t i, const double *x,
                     double tol) {
  const perp_problem *p = c->problem;
  double y = p->b[i], size = fabs(y);
  for (int32_t q = A->colptr[i]; q < A->colptr[i + 1]; q++) {
    const int32_t j = A->row[q];
    const double term = A->value[q]*clamp(x[j], lower(p->lo, j), upper(p->hi, j));
    y += term;
    size += fabs(term);
  }
  const double at = clamp(x[i], lower(p->lo, i), upper(p->hi, i)), scale = c->inverse_C[i];
  const double r = fabs(mid((at - upper(p->hi, i))*scale, c->R[i]*y,
                            (at - lower(p->lo, i))*scale));
  const double base = c->G[c->component[i]];
  return c->entries[i] > 0 && base > 0.0 &&
         r > 2.0*tol*base + (100.0 + c->entries[i])*u*(c->s[i] + c->R[i]*size);
}

int certifier_refutes(const certifier *c, const double *x, double tol) {
  enum { ROWS = 16 };
  const int32_t n = c->n, looks = n < ROWS ? n : ROWS;
  const perp_operator *A = &c->problem->A;
  if (!c->symmetric || c->lean || c->hurried || operator_view(A).data != A->self ||
      c->components != 1 ||
      !(c->G[0] < (double)INFINITY && c->S[0] < (double)INFINITY))
    return 0;
  if (!((1.0 - tol)*c->G[0] > 100.0*u*c->most_S)) return 0;   // G is the largest r_i at x_ref
  for (int32_t k = 0; k < looks; k++)
    if (row_fails(c, A->self, (int32_t)((int64_t)k*n/looks), x, tol)) return 1;
  return 0;
}

// The verdict on x as it is. leave: see componentwise.h
static perp_error check_as_given(certifier *c, const double *x, double tol, double absolute_tol,
                                 int far, int leave, perp_certificate *certificate) {
  const perp_problem *p = c->problem;
  const int32_t n = p->A.n;
  const double limit = componentwise_limit(c->componentwise_tol, tol);
  double violation = 0.0, largest = 0.0, size = 0.0;   // largest: max |x_i|/C_i; size: max |x_i|
  int finite = 1, coarse = 0;   // coarse: some x_i has few digits, next to the smallest double
  for (int32_t i = 0; i < n; i++) {
    finite &= x[i] - x[i] == 0.0;
    c->x[i] = clamp(x[i], lower(p->lo, i), upper(p->hi, i));
    coarse |= (fabs(c->x[i]) < 0x1p-1000) & (c->x[i] != 0.0);
    violation = max2(violation, fabs(x[i] - c->x[i]));
    largest = max2(largest, fabs(c->x[i])*c->inverse_C[i]);
    size = max2(size, fabs(c->x[i]));
  }
  c->snaps = 1;
  c->left = 0;
  if (!finite) {
    *certificate = (perp_certificate){.weaker = c->weaker, .worst = -1, .components = c->components,
                                      .residual = (double)INFINITY,
                                      .natural_residual = (double)INFINITY,
                                      .bound_violation = (double)INFINITY, .gap = (double)INFINITY,
                                      .componentwise = (double)INFINITY, .componentwise_row = -1};
    return PERP_OK;
  }
  *certificate = begin(c);
  certificate->bound_violation = violation;
  // A plain product is half the price. Equilibrated entries are at most 2 in size, so its rounding
  // errors are at most (e + 2) u (2 e max |x|/C + S) for e entries a row; where that is nothing
  // beside the tolerance, or x is far from a solution, it will do. Where a compensated product may
  // overflow and a plain one not, the verdict must be that of perp_certify: x is no solution then.
  // Likewise where x is coarse: which rows count may depend on the last bit of y.
  const double e = c->most_entries, slack = (e + 2.0)*u*(4.0*e*largest + c->most_S);
  const int plain = !c->exact && !c->reducible && c->kkt == 0 && c->impossible == 0 &&
                    c->equilibrated && slack > 0.0 && size <= c->safe_x && !coarse;
  const int narrow = slack <= 1e-3*tol*c->least_G, wide = far && slack <= 1e-3*c->least_G;
  if (c->hurried || (plain && (narrow || wide))) {
    const perp_error error = plain_residual(c);
    if (error != PERP_OK) return error;
    const int quickly = !c->hurried && narrow && judge_quickly(c, tol, slack, certificate);
    for (int32_t i = 0; c->hurried && i < n; i++) c->a[i] = c->parts[i] = fabs(p->b[i]);
    if (quickly || judge(c, x, tol, absolute_tol, c->hurried ? 0.0 : slack, certificate)) {
      // Not known: no verdict of a hurry is the last one, and what is far need not be looked at.
      if (c->hurried || (!certificate->solved && leave)) return PERP_OK;
      if (quickly &&
          componentwise_at_once(c, certificate->residual*c->G[0], slack, limit, certificate))
        return PERP_OK;
      if (certificate->solved && componentwise_bound(c, slack, 0, limit, certificate))
        return PERP_OK;
      c->left = leave;
      if (leave && componentwise_bound(c, slack, 1, limit, certificate)) return PERP_OK;
      c->left = 0;
    }
    *certificate = begin(c);
    certificate->bound_violation = violation;
    c->twice = 1;
  }
  const perp_error error = certifier_residual(c);
  if (error != PERP_OK) return error;
  certifier_rescale(c);
  judge(c, x, tol, absolute_tol, 0.0, certificate);
  kkt_judge(c, tol, absolute_tol, NULL, certificate);
  judge_own_data(c, tol, absolute_tol, leave, certificate);
  return PERP_OK;
}

// The same, with rows next to a bound judged where they would be on it.
static perp_error check_moved(certifier *c, const double *x, double tol, double absolute_tol,
                              int far, perp_certificate *certificate) {
  const int32_t n = c->problem->A.n;
  c->twice = c->near_known = 0;
  perp_error error = check_as_given(c, x, tol, absolute_tol, far, 1, certificate);
  if (error != PERP_OK || !certificate->solved || c->hurried || !c->sized || !c->left ||
      !certifier_snap(c, c->near_x))
    return error;
  // Rows next to a bound have not counted so far: they do once they are there.
  c->near_known = c->twice = 1;
  memcpy(c->kept, c->x, (size_t)n*sizeof *c->x);
  memcpy(c->near_y, c->y, (size_t)n*sizeof *c->y);
  error = check_as_given(c, c->near_x, tol, absolute_tol, 0, 0, &c->near);
  c->near_snaps = c->snaps;
  c->snaps = 1;
  for (int32_t i = 0; i < n; i++) {
    const double y = c->y[i];
    c->y[i] = c->near_y[i];
    c->near_y[i] = y;
    c->x[i] = c->kept[i];
  }
  certificate->componentwise = c->near.componentwise;
  certificate->componentwise_row = c->near.componentwise_row;
  if (c->near.componentwise > componentwise_limit(c->componentwise_tol, tol))
    certificate->solved = certificate->attainable = 0;
  return error;
}

perp_error certifier_check(certifier *c, const double *x, double tol, double absolute_tol,
                           int far, perp_certificate *certificate) {
  if (c->lean) {
    grid_judge_check(c, x, tol, absolute_tol, certificate);
    return PERP_OK;
  }
  const perp_error error = check_moved(c, x, tol, absolute_tol, far, certificate);
  if (error != PERP_OK || !certificate->solved || !(certificate->residual > COMPONENTWISE_ROUNDING))
    return error;
  const perp_problem *p = c->problem;
  const nearby_rows all = {.A = p->A, .b = p->b, .lo = p->lo, .hi = p->hi, .x = c->x, .n = c->n};
  if (!nearby_refutes(c, &all, tol, absolute_tol)) return PERP_OK;
  certificate->solved = certificate->attainable = 0;
  certificate->refuted = 1;
  return PERP_OK;
}

perp_error certify_check_tolerances(const char *name, double tol, double absolute_tol) {
  if (!(tol > 0.0 && tol < 1.0))
    return error_set(PERP_ERROR_ARGUMENT, "%s: tol = %g is outside (0, 1)", name, tol);
  if (!(absolute_tol >= 0.0 && absolute_tol < (double)INFINITY))
    return error_set(PERP_ERROR_ARGUMENT, "%s: absolute_tol = %g is outside [0, inf)", name,
                     absolute_tol);
  return PERP_OK;
}

perp_error certifier_begin(const char *name, const perp_problem *problem,
                           const perp_allocator *allocator, certifier_alone *alone) {
  const int32_t n = problem->A.n;
  const int grid = grid_of(&problem->A) != NULL;
  const size_t scratch = operator_scratch_bytes(&problem->A);
  arena memory = {0};
  *alone = (certifier_alone){.from = allocator_of(allocator)};
  certifier_layout(&alone->c, &memory, n, scratch, grid);
  if (arena_overflowed(&memory))
    return error_set(PERP_ERROR_MEMORY, "%s: n = %d is too large", name, n);
  const size_t bytes = arena_block_bytes(&memory);
  alone->block = alone->from.allocate(alone->from.context, bytes);
  if (alone->block == NULL)
    return error_set(PERP_ERROR_MEMORY, "%s: no memory for %zu bytes", name, bytes);
  memory = arena_on_block(alone->block, bytes);
  certifier_layout(&alone->c, &memory, n, scratch, grid);
  alone->c.exact = 1;
  return certifier_prepare(&alone->c, problem, NULL);
}

void certifier_end(certifier_alone *alone) {
  if (alone->block != NULL) alone->from.release(alone->from.context, alone->block);
}

perp_tolerances perp_default_tolerances(void) {
  return (perp_tolerances){.size = sizeof(perp_tolerances), .tol = 1e-8};
}

perp_error perp_certify(const perp_problem *problem, const double *x, double tol,
                        double absolute_tol, double *y, perp_certificate *certificate) {
  perp_tolerances tolerances = perp_default_tolerances();
  tolerances.tol = tol;
  tolerances.absolute_tol = absolute_tol;
  return perp_certify_with(problem, x, &tolerances, y, certificate);
}

perp_error perp_certify_with(const perp_problem *problem, const double *x,
                             const perp_tolerances *tolerances, double *y,
                             perp_certificate *certificate) {
  if (problem == NULL || certificate == NULL || tolerances == NULL ||
      (x == NULL && problem->A.n > 0))
    return error_set(PERP_ERROR_ARGUMENT,
                     "perp_certify: problem, x, tolerances or certificate is NULL");
  if (tolerances->size != sizeof *tolerances)
    return error_set(PERP_ERROR_ARGUMENT,
                     "tolerances.size = %zu, expected %zu: begin with perp_default_tolerances()",
                     tolerances->size, sizeof *tolerances);
  const double tol = tolerances->tol, absolute_tol = tolerances->absolute_tol,
               componentwise_tol = tolerances->componentwise_tol;
  perp_error error = certify_check_tolerances("perp_certify", tol, absolute_tol);
  if (error != PERP_OK) return error;
  if (!(componentwise_tol >= 0.0))
    return error_set(PERP_ERROR_ARGUMENT,
                     "perp_certify: componentwise_tol = %g is outside [0, inf]",
                     componentwise_tol);
  error = perp_validate(problem);
  if (error != PERP_OK) return error;
  const int32_t n = problem->A.n;
  certifier_alone alone;
  certifier *c = &alone.c;
  error = certifier_begin("perp_certify", problem, NULL, &alone);
  c->componentwise_tol = componentwise_tol;
  perp_certificate found;
  if (error == PERP_OK) error = certifier_check(c, x, tol, absolute_tol, 0, &found);
  if (error == PERP_OK) {
    *certificate = found;
    const int told = n == 0 || found.worst >= 0;   // otherwise x is not finite and has no residual
    for (int32_t i = 0; y != NULL && i < n; i++)
      y[i] = told && c->y[i] == c->y[i] ? c->y[i] : (double)INFINITY;
  }
  certifier_end(&alone);
  return error;
}
