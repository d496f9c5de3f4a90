// certify.c: judges an x by the rule of certify.h, for any matrix but a grid. certify_prepare.c has
// computed everything that does not depend on x.
#include "certify.h"

#include <math.h>
#include <string.h>

#include "certify_impossible.h"
#include "certify_kkt.h"
#include "certify_matrix.h"
#include "certify_row.h"
#include "certify_sizes.h"
#include "componentwise.h"
#include "error.h"
#include "nearby.h"
#include "operator.h"
#include "vector.h"

static const double u = 0x1p-53;

// A shift may cancel most of the diagonal. |A||x| is then smaller than the parts that A x is summed
// from. |A||x| is the size of the matrix, the parts are the size of the rounding.
static void size_under_shift(certifier *c) {
  memcpy(c->parts, c->a, (size_t)c->n*sizeof *c->a);
  certifier_sizes(c);
  for (int32_t i = 0; i < c->n; i++)   // y = b, whatever the parts leave
    if (c->entries[i] == 0) c->y[i] = c->problem->b[i];
}

// y = A x + b and a >= |A||x| + |b| at c->x. If the operator cannot tell |A||x|, a = |b|: there is
// no allowance for rounding.
perp_error certifier_residual(certifier *c) {
  const perp_operator *A = &c->problem->A;
  const double *b = c->problem->b;
  int failed;
  if (c->facts.mirrored && operator_view(A).data == A->self) {
    csc_residual_symmetric(A->self, c->x, b, c->y, c->a);
    return PERP_OK;
  }
  if (A->ops->residual != NULL) {
    failed = A->ops->residual(A->self, c->x, b, c->y, c->a, c->scratch);
    if (c->look.shifted) size_under_shift(c);
    if (c->look.product) memcpy(c->parts, c->a, (size_t)c->n*sizeof *c->a);
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

perp_error certifier_plain_residual(certifier *c) {
  const perp_operator *A = &c->problem->A;
  if (c->facts.mirrored && operator_view(A).data == A->self) {
    csc_apply_symmetric(A->self, c->x, c->problem->b, c->y);
    return PERP_OK;
  }
  const int failed = A->ops->apply(A->self, c->x, c->y, c->scratch);
  for (int32_t i = 0; i < A->n; i++) c->y[i] += c->problem->b[i];
  return failed ? error_set(PERP_ERROR_OPERATOR, "operator '%s': apply returned %d",
                            A->ops->name, failed)
                : PERP_OK;
}

static certify_scale matrix_scale(const certifier *c, int32_t i) {
  return (certify_scale){c->R[i], c->inverse_C[i], base_of_component(c, c->component[i])};
}

static certify_scale matrix_rule(const certifier *c, int32_t i) {
  return (certify_scale){c->rule.R[i], c->rule.inverse_C[i],
                         base_of_component(c, c->component[i])};
}

static int matrix_settled(const certifier *c, int32_t i) { return c->G[c->component[i]] == 0.0; }

static void matrix_fit(const certifier *c, int32_t i, double *R, double *C) {
  *R = c->fit.R[i];
  *C = c->fit.C[i];
}

// What y_i may have lost in compensated sums, in the units of r. It matters only if |x| exceeds
// 1e16 times what b accounts for.
static inline double lost(const certifier *c, int32_t i, double a) {
  const double parts = c->look.shifted || c->look.product ? c->parts[i] : a;
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
static certify_row matrix_evaluate(const certifier *c, int32_t i, double r, double y, double a,
                                   double tol) {
  return evaluate(c, i, r, y, 0.0, a, tol);
}

static perp_certificate begin(const certifier *c) {
  return (perp_certificate){.solved = 1, .weaker = c->look.weaker || c->look.rough,
                            .worst = c->problem->A.n > 0 ? 0 : -1, .components = c->components,
                            .componentwise = -1.0, .componentwise_row = -1};
}

// The verdict on x from c->x (x clamped), c->y and c->a. If slack > 0, y has an error of up to
// slack in the units of r, and c->a is not known. Returns 0 if that leaves the verdict open: no row
// is clearly outside its tolerance, and some row is not clearly within.
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

    // An x that had to be moved far to its bounds is not the answer: the distance counts like a
    // residual.
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
    if (row.solved && !row.strict && c->look.product) {   // by a bound of |A||x|, maybe too large
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
  // A wide slack serves only to find x that are clearly wrong: their residual is right to a
  // thousandth.
  if (slack > 1e-3*tol*c->range.least_G &&
      (found.solved || !(slack <= 1e-3*found.residual*c->range.least_G)))
    return 0;
  if (found.gap != found.gap) found.gap = (double)INFINITY;
  if (!found.solved) found.attainable = 0;
  *certificate = found;
  return 1;
}

// judge() for the usual end of a solve: one component, no empty row, x within its bounds, every row
// clearly within its tolerance. Returns 0 if any of this does not hold. Reads half as much as
// judge().
static int judge_quickly(certifier *c, double tol, double slack,
                         perp_certificate *certificate) {
  const perp_problem *p = c->problem;
  if (c->components != 1 || c->range.least_entries == 0.0 || certificate->bound_violation != 0.0 ||
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
    // no branch on the sign of y_i, which cannot be predicted near 0
    const double low = gap_distance(c->x[i], below), high = gap_distance(c->x[i], -above);
    gap += max2(y, 0.0)*low + max2(-y, 0.0)*high;
    if (r > worst_r) {
      worst_r = r;
      worst = i;
    }
  }
  c->last.snaps = snaps;
  certificate->natural_residual = natural;
  certificate->gap = gap == gap ? gap : (double)INFINITY;
  certificate->residual = worst_r/c->G[0];
  certificate->worst = worst;
  return 1;
}

// The last part of a verdict: each row by its own data. leave: see componentwise.h
static void judge_own_data(certifier *c, double tol, double absolute_tol, int leave,
                           perp_certificate *certificate) {
  const double limit = componentwise_limit(c->componentwise.tol, tol);
  c->last.left = componentwise_measure(c, absolute_tol, 0, certificate) > limit && leave;
  if (c->last.left) componentwise_measure(c, absolute_tol, 1, certificate);
  if (certificate->componentwise > limit) certificate->solved = certificate->attainable = 0;
}

static void take_reference(certifier *c) { (void)c; }   // prepare has done it

static void check_reference(certifier *c, double tol, double absolute_tol,
                            perp_certificate *certificate) {
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
  enum { ROWS_LOOKED_AT_MAX = 16 };   // few, because this is to cost less than a product with A
  const int32_t n = c->n, looks = n < ROWS_LOOKED_AT_MAX ? n : ROWS_LOOKED_AT_MAX;
  const perp_operator *A = &c->problem->A;
  if (!c->facts.mirrored || c->look.hurried || operator_view(A).data != A->self ||
      c->components != 1 ||
      !(c->G[0] < (double)INFINITY && c->S[0] < (double)INFINITY))
    return 0;
  if (!((1.0 - tol)*c->G[0] > 100.0*u*c->range.most_S)) return 0;   // G is the largest r_i at x_ref
  for (int32_t k = 0; k < looks; k++)
    if (row_fails(c, A->self, (int32_t)((int64_t)k*n/looks), x, tol)) return 1;
  return 0;
}

// The verdict on x as given. leave: see componentwise.h
static perp_error check_as_given(certifier *c, const double *x, double tol, double absolute_tol,
                                 int far, int leave, perp_certificate *certificate) {
  const perp_problem *p = c->problem;
  const int32_t n = p->A.n;
  const double limit = componentwise_limit(c->componentwise.tol, tol);
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
  c->last.snaps = 1;
  c->last.left = 0;
  *certificate = finite ? begin(c) : certificate_of_none(c);
  if (!finite) return PERP_OK;
  certificate->bound_violation = violation;
  // A plain product takes half the time. Equilibrated entries are at most 2 in size, so its
  // rounding errors are at most (e + 2) u (2 e max |x|/C + S) for e entries per row. It suffices if
  // that is small beside the tolerance, or if x is far from a solution. There are two exceptions,
  // because the verdict must be that of perp_certify. If only a compensated product overflows, x is
  // no solution. If x is coarse, the last bit of y may decide which rows count.
  const double e = c->range.most_entries, slack = (e + 2.0)*u*(4.0*e*largest + c->range.most_S);
  const int plain = !c->exact && !c->look.reducible && c->kkt.count == 0 &&
                    c->impossible.count == 0 && c->look.equilibrated && slack > 0.0 &&
                    size <= c->range.safe_x && !coarse;
  const int narrow = slack <= 1e-3*tol*c->range.least_G,
            wide = far && slack <= 1e-3*c->range.least_G;
  if (c->look.hurried || (plain && (narrow || wide))) {
    const perp_error error = certifier_plain_residual(c);
    if (error != PERP_OK) return error;
    const int quickly = !c->look.hurried && narrow && judge_quickly(c, tol, slack, certificate);
    if (c->look.hurried) certifier_no_sizes(c);
    if (quickly || judge(c, x, tol, absolute_tol, c->look.hurried ? 0.0 : slack, certificate)) {
      // Left unknown: a hurried verdict is never the last one, and an x that is far needs no
      // measure.
      if (c->look.hurried || (!certificate->solved && leave)) return PERP_OK;
      if (quickly &&
          componentwise_at_once(c, certificate->residual*c->G[0], slack, limit, certificate))
        return PERP_OK;
      if (certificate->solved && componentwise_bound(c, slack, 0, limit, certificate))
        return PERP_OK;
      c->last.left = leave;
      if (leave && componentwise_bound(c, slack, 1, limit, certificate)) return PERP_OK;
      c->last.left = 0;
    }
    *certificate = begin(c);
    certificate->bound_violation = violation;
    c->last.twice = 1;
  }
  const perp_error error = certifier_residual(c);
  if (error != PERP_OK) return error;
  certifier_rescale(c);
  judge(c, x, tol, absolute_tol, 0.0, certificate);
  kkt_judge(c, tol, absolute_tol, NULL, certificate);
  judge_own_data(c, tol, absolute_tol, leave, certificate);
  return PERP_OK;
}

// The same, with rows next to a bound judged as if x_i were on it.
static perp_error check_moved(certifier *c, const double *x, double tol, double absolute_tol,
                              int far, perp_certificate *certificate) {
  const int32_t n = c->problem->A.n;
  c->last.twice = c->near.known = 0;
  perp_error error = check_as_given(c, x, tol, absolute_tol, far, 1, certificate);
  if (error != PERP_OK || !certificate->solved || c->look.hurried || !c->componentwise.sized ||
      !c->last.left || !certifier_snap(c, c->near.x))
    return error;
  // Rows next to a bound have not counted so far. They count once x_i is on it.
  c->near.known = c->last.twice = 1;
  memcpy(c->near.kept, c->x, (size_t)n*sizeof *c->x);
  memcpy(c->near.y, c->y, (size_t)n*sizeof *c->y);
  error = check_as_given(c, c->near.x, tol, absolute_tol, 0, 0, &c->near.certificate);
  c->near.snaps = c->last.snaps;
  c->last.snaps = 1;
  for (int32_t i = 0; i < n; i++) {
    const double y = c->y[i];
    c->y[i] = c->near.y[i];
    c->near.y[i] = y;
    c->x[i] = c->near.kept[i];
  }
  certificate->componentwise = c->near.certificate.componentwise;
  certificate->componentwise_row = c->near.certificate.componentwise_row;
  if (c->near.certificate.componentwise > componentwise_limit(c->componentwise.tol, tol))
    certificate->solved = certificate->attainable = 0;
  return error;
}

static perp_error check(certifier *c, const double *x, double tol, double absolute_tol, int far,
                        perp_certificate *certificate) {
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

const judge_ops matrix_judge = {
  .by_entries = 1, .layout = matrix_judge_layout, .prepare = matrix_judge_prepare, .check = check,
  .check_reference = check_reference, .take_reference = take_reference, .scale = matrix_scale,
  .rule = matrix_rule, .fit = matrix_fit, .settled = matrix_settled, .evaluate = matrix_evaluate,
  .leeway = matrix_judge_leeway, .componentwise = componentwise_of_row};
