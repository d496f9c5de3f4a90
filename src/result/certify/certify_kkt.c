// certify_kkt.c: the certificate of a quadratic program that is written as a complementarity
// problem.
//
// The optimality conditions of  min 1/2 v'P v + q'v  where B v >= c  are the problem with
//     A = [P -B'; B D],  x = (v, l),  b = (q, -c),  D = 0
// A row of v says that the gradient of the Lagrangian vanishes, in the units of the objective over
// v. A row of l says that v is feasible, in the units of c. One tolerance for both would mix these
// units, and a small residual beside a large multiplier is a large error of the objective. So
// components of this form are judged by three measures, each in its own scale:
//
//     gap     sum over i of |y_i| w_i  <=  tol max(F, S) + rounding
//     dual    r_i of the rows of v     <=  tol max R_i (|P||v| + |q|)_i + rounding
//     primal  r_i of the rows of l     <=  tol max(R_i (|D||l| + |c|)_i, |v_j|/C_j) + rounding
//
// w_i is the distance of x_i to the bound that y_i points to, but at most max(|x_i|, C_i max
// |x_j|/C_j); if that bound is infinite, w_i = |x_i|. F is the largest of |primal objective|, |dual
// objective|, |1/2 v'P v| and |q'v|:
//     primal = 1/2 v'P v + q'v + 1/2 l'D l - sum of y_i bound_i over rows of l
//     dual   = primal - sum of y_i (x_i - bound_i)             bound_i = 0 where it is infinite
// All of these may vanish. S = OBJECTIVE_PART_MIN max (|P||v| + |q|)_i C_i max |v_j|/C_j is a small
// part of the largest term that the objective can have for a v of this size. A smaller objective is
// not resolved. No measure is relative to |B'l|, so large multipliers do not make the rule lenient.
// x must also pass the rule of certify.h: this one can only refuse.
//
// Rows of one side are tied by d_i A_ij = d_j A_ji, rows of different sides by d_i A_ij = -d_j
// A_ji, with weights d > 0. All weights are 1 unless rows or columns have been scaled. Then sums
// over rows are weighted by d, so scaling does not change the verdict. A component is of the form
// above if all its entries agree on sides and weights, and both sides have rows.
//
// Saddle points [P B'; B -D] are of this form once the rows of l change their signs. If l is free,
// the problem stays the same, because y_i = 0 and -y_i = 0 say the same. A row with A_ii < 0 has to
// change its sign. A row with A_ii = 0 has no entries on its own side, because P and D are
// semidefinite, so each of its entries tells whether its sign changes. Rows that change their sign
// have a weight d_i < 0. If one of them has a bound, the component is judged row by row instead.
// Cost: a look at A when it is new; a pass over its entries for each verdict.
#include "certify_kkt.h"

#include <math.h>
#include <string.h>

#include "certify_row.h"
#include "certify_impossible.h"
#include "componentwise.h"
#include "error_free.h"
#include "operator.h"
#include "problem.h"
#include "vector.h"

#define WEIGHT_MISMATCH_MAX 1e-10  // relative; weights multiply ratios of rounded entries
#define WEIGHT_MAX 1e100           // beyond it, sums over rows could overflow
#define GAP_ROUNDING_MAX 2.0       // units of rounding; doubles near the solution have one
#define OBJECTIVE_PART_MIN 1e-3    // terms of an objective may cancel to this part of them
#define EXCUSED_TOLERANCES_MAX 100.0   // largest error that rounding excuses, in tolerances

static const double u = 0x1p-53;

// ---- sides ----

typedef struct entries_of {   // a matrix that shows single entries
  const perp_csc *csc;
  const perp_dense *dense;
  const double *diagonal;     // n; NULL: not read yet
} entries_of;

static double entry(const entries_of *A, int32_t i, int32_t j) {
  if (A->csc != NULL) return csc_entry(A->csc, i, j);
  const int32_t ld = A->dense->ld > 0 ? A->dense->ld : A->dense->n;
  return A->dense->value[A->dense->by_column ? (size_t)j*(size_t)ld + (size_t)i
                                             : (size_t)i*(size_t)ld + (size_t)j];
}

// The k-th entry of column j. Returns 0 if there are no more.
static int next_entry(const entries_of *A, int32_t j, int32_t *k, int32_t *i, double *a) {
  if (A->csc != NULL) {
    const int32_t p = A->csc->colptr[j] + *k;
    if (p >= A->csc->colptr[j + 1]) return 0;
    *i = A->csc->row[p];
    *a = A->csc->value[p];
  } else {
    if (*k >= A->dense->n) return 0;
    *i = *k;
    *a = entry(A, *i, j);
  }
  ++*k;
  return 1;
}

static int entries_open(const perp_operator *operator, entries_of *A) {
  const perp_view view = operator_view(operator);
  *A = (entries_of){0};
  if (view.data != operator->self || view.R != NULL || view.C != NULL || view.shift != 0.0)
    return 0;
  if (view.kind == PERP_VIEW_CSC) A->csc = view.data;
  else if (view.kind == PERP_VIEW_DENSE) A->dense = view.data;
  return A->csc != NULL || A->dense != NULL;
}

// The sign of row i from its diagonal: 1; -1: it has to change; 0: the diagonal does not tell.
static double own_sign(const entries_of *A, int32_t i) {
  return A->diagonal[i] > 0.0 ? 1.0 : A->diagonal[i] < 0.0 ? -1.0 : 0.0;
}

// Follows the entries from row `first` on. 1: its component agrees on sides, signs and weights, and
// has two sides.
static int follow(certifier *c, const entries_of *A, int32_t first, int32_t *queue) {
  int32_t count = 0, two = 0;
  const double start = own_sign(A, first);
  c->kkt.side[first] = 1;
  c->kkt.weight[first] = start != 0.0 ? start : 1.0;
  queue[count++] = first;
  for (int32_t at = 0; at < count; at++) {
    const int32_t j = queue[at];
    const double sign_j = c->kkt.weight[j] > 0.0 ? 1.0 : -1.0, own_j = own_sign(A, j);
    int32_t i;
    double a;
    for (int32_t k = 0; next_entry(A, j, &k, &i, &a);) {
      if (i == j || a == 0.0) continue;
      const double back = entry(A, j, i), size = fabs(c->kkt.weight[j]*back/a);
      if (!(size > 1.0/WEIGHT_MAX && size < WEIGHT_MAX)) return 0;
      const double alike = (a > 0.0) == (back > 0.0) ? 1.0 : -1.0, own_i = own_sign(A, i);
      // on different sides unless both have a diagonal: then alike*sign_i*sign_j = -1
      const double sign_i = own_i != 0.0 && own_j != 0.0 ? own_i
                            : c->kkt.side[i] != 0            ? (c->kkt.weight[i] > 0.0 ? 1.0 : -1.0)
                                                         : -alike*sign_j;
      const double weight = sign_i*size;
      const int8_t side = (int8_t)(alike*sign_i*sign_j > 0.0 ? c->kkt.side[j] : -c->kkt.side[j]);
      if (own_i != 0.0 && sign_i != own_i) return 0;
      if ((own_i == 0.0 || own_j == 0.0) && side == c->kkt.side[j]) return 0;
      two |= side != c->kkt.side[j];
      if (c->kkt.side[i] == 0) {
        c->kkt.side[i] = side;
        c->kkt.weight[i] = weight;
        queue[count++] = i;
      } else if (c->kkt.side[i] != side ||
                 !(fabs(weight - c->kkt.weight[i]) <= WEIGHT_MISMATCH_MAX*size)) {
        return 0;
      }
    }
  }
  return two;
}

// A symmetric matrix without rows that may have to change their signs has one side.
static int one_sided(const certifier *c, const entries_of *A, int32_t n) {
  for (int32_t i = 0; i < n && c->facts.mirrored; i++)
    if (c->entries[i] > 0 && !(A->diagonal[i] > 0.0)) return 0;
  return c->facts.mirrored;
}

void kkt_look(certifier *c, const perp_operator *A) {
  const int32_t n = A->n;
  entries_of entries;
  c->kkt.count = 0;
  c->kkt.all = 1;
  if (n == 0 || !entries_open(A, &entries) || A->ops->diagonal == NULL) return;
  double *diagonal = c->work + 4*n;   // n
  A->ops->diagonal(A->self, diagonal);
  entries.diagonal = diagonal;
  if (one_sided(c, &entries, n)) return;
  int32_t *queue = (int32_t *)c->work, *verdict = queue + n;   // n: of a component, 1 yes, 2 no
  double *own = c->work + 2*n;   // 2 for each component: the entries within its sides
  memset(c->kkt.side, 0, (size_t)n*sizeof *c->kkt.side);
  memset(verdict, 0, (size_t)c->components*sizeof *verdict);
  // from a row whose sign is known, if there is one
  for (int pass = 0; pass < 2; pass++)
    for (int32_t i = 0; i < n; i++) {
      const int32_t k = c->component[i];
      if (verdict[k] == 0 && (pass == 1 || own_sign(&entries, i) != 0.0))
        verdict[k] = follow(c, &entries, i, queue) ? 1 : 2;
    }
  for (int32_t i = 0; i < n; i++)   // an entry without its opposite leads there
    if (c->kkt.side[i] == 0) verdict[c->component[i]] = 2;
  int32_t *number = verdict + n;
  for (int32_t k = 0; k < c->components; k++) number[k] = verdict[k] == 1 ? c->kkt.count++ : -1;
  for (int32_t k = 0; k < 2*c->components; k++) own[k] = 0.0;
  for (int32_t j = 0; j < n; j++) {
    int32_t i;
    double a;
    const int32_t part = c->component[j];
    c->kkt.part[j] = number[part];
    if (number[part] < 0) {
      c->kkt.side[j] = 0;
      if (c->entries[j] > 0) c->kkt.all = 0;
      continue;
    }
    for (int32_t k = 0; next_entry(&entries, j, &k, &i, &a);)
      if (c->kkt.side[i] == c->kkt.side[j]) own[2*part + (c->kkt.side[j] < 0)] += fabs(a);
  }
  // The side that has a quadratic part is the primal one. If both have one, or neither, it is the
  // side of the first row.
  for (int32_t i = 0; i < n; i++) {
    const double *of = own + 2*c->component[i];
    if (c->kkt.side[i] != 0 && of[0] == 0.0 && of[1] > 0.0)
      c->kkt.side[i] = (int8_t)-c->kkt.side[i];
  }
}

int32_t kkt_turned(const certifier *c, uint8_t *turned) {
  uint8_t *bounded = c->kkt.rows;   // of a component
  int32_t count = 0;
  if (c->kkt.count == 0) return 0;
  memset(bounded, 0, (size_t)c->kkt.count*sizeof *bounded);
  for (int32_t i = 0; i < c->n; i++)
    if (c->kkt.part[i] >= 0 && c->kkt.weight[i] < 0.0 &&
        !unbounded(c->problem->lo, c->problem->hi, i))
      bounded[c->kkt.part[i]] = 1;
  for (int32_t i = 0; i < c->n; i++) {
    turned[i] = c->kkt.part[i] >= 0 && c->kkt.weight[i] < 0.0 && !bounded[c->kkt.part[i]];
    count += turned[i];
  }
  return count;
}

// ---- the verdict ----

typedef struct part {        // of a component
  exact_sum objective, gap;  // signed
  double quadratic, linear;  // 1/2 v'P v and q'v
  double term;               // what a term of the objective can be
  double bounded;            // 1: a row that has to change its sign has bounds
  double absolute, rounding, most_rounding;
  double loose;              // what rows within the absolute tolerance may add
  double size[2];            // primal, dual, in the units of r
  double reach[2];           // the largest |x_i|/C_i of rows of v, and of l
} part;

typedef struct row_at {      // row i at x
  int dual;                  // it belongs to a multiplier
  double y, weight;          // weight: d_i, with its sign
  double bound;              // the one that y points to, 0 where it is infinite
  double distance;           // of x_i to it; INFINITY
} row_at;

static row_at look_at(const certifier *c, int32_t i) {
  const perp_problem *p = c->problem;
  const double y = c->y[i], x = c->x[i];
  const double bound = y > 0.0 ? lower(p->lo, i) : y < 0.0 ? upper(p->hi, i) : x;
  const int finite = fabs(bound) < (double)INFINITY;
  return (row_at){c->kkt.side[i] < 0, y, c->kkt.weight[i], finite ? bound : 0.0,
                  finite ? fabs(x - bound) : (double)INFINITY};
}

// own = P v of the rows of v and D l of those of l; own_size: the same of sizes
static void own_products(const certifier *c, double *own, double *own_size) {
  entries_of A;
  for (int32_t i = 0; i < c->n; i++) own[i] = own_size[i] = 0.0;
  if (!entries_open(&c->problem->A, &A)) return;
  for (int32_t j = 0; j < c->n; j++) {
    int32_t i;
    double a;
    if (c->kkt.side[j] == 0 || c->x[j] == 0.0) continue;
    for (int32_t k = 0; next_entry(&A, j, &k, &i, &a);) {
      if (c->kkt.side[i] != c->kkt.side[j]) continue;
      own[i] += a*c->x[j];
      own_size[i] += fabs(a*c->x[j]);
    }
  }
}

static void add_row(const certifier *c, int32_t i, double own, double own_size, part *p) {
  const row_at row = look_at(c, i);
  const double x = c->x[i], b = c->problem->b[i], weight = fabs(row.weight);
  if (row.dual) {
    exact_add_product(&p->objective, row.weight*x, 0.5*own);
    exact_add_product(&p->objective, -row.weight*row.y, row.bound);
  } else {
    exact_add_product(&p->objective, row.weight*x, 0.5*own);
    exact_add_product(&p->objective, row.weight*x, b);
    p->quadratic += 0.5*row.weight*x*own;
    p->linear += row.weight*x*b;
    p->term = max2(p->term, weight*(own_size + fabs(b))*p->reach[0]/c->inverse_C[i]);
  }
  exact_add_product(&p->gap, row.weight*row.y, x - row.bound);
  const double reach = max2(fabs(x), p->reach[row.dual]/c->inverse_C[i]);
  const double w = weight*(row.distance < (double)INFINITY ? min2(row.distance, reach) : fabs(x));
  const double data = c->ops->scale(c, i).base/c->R[i];
  if (impossible_of(c, i) == IMPOSSIBLE_NOT) p->absolute += fabs(row.y)*w;   // others have no y_i = 0
  p->rounding += GAP_ROUNDING_MAX*u*w*c->a[i];
  p->most_rounding = max2(p->most_rounding, COMPONENTWISE_PRODUCT*w*data);
  p->loose += max2(w, weight*fabs(row.y));
}

// 1: row i is within its allowances.
static int row_fits(const certifier *c, int32_t i, const part *p, double tol) {
  if (impossible_of(c, i) != IMPOSSIBLE_NOT) return 1;   // judged by its own data
  const row_at row = look_at(c, i);
  const double least = COMPONENTWISE_PRODUCT*c->ops->scale(c, i).base;
  const double of_y = tol*p->size[!row.dual] + least, of_x = tol*p->size[row.dual] + least;
  if (row.distance*c->inverse_C[i] <= of_x) return 1;
  const double rounding = COMPONENTWISE_PRODUCT*c->R[i]*c->a[i];
  return c->R[i]*fabs(row.y) <= of_y + COMPONENTWISE_PRODUCT*c->s[i] +
                                    min2(rounding, EXCUSED_TOLERANCES_MAX*of_y);
}

static double finite_or_infinity(double v) { return v - v == 0.0 ? v : (double)INFINITY; }

// The bits of the measures that fail in one component. `excused`: some pass only because of
// rounding.
static int32_t judge_part(const part *p, double tol, double absolute_tol, int *excused) {
  const double primal = exact_value(p->objective), gap = exact_value(p->gap);
  const double terms = max2(max2(fabs(p->quadratic), fabs(p->linear)), OBJECTIVE_PART_MIN*p->term);
  const double F = max2(max2(fabs(primal), fabs(primal - gap)), terms);
  const double allowed = tol*F + min2(p->rounding, EXCUSED_TOLERANCES_MAX*tol*F) + p->most_rounding +
                         absolute_tol*p->loose;
  *excused |= p->absolute > tol*F + p->most_rounding + absolute_tol*p->loose;
  return p->absolute <= allowed && allowed < (double)INFINITY ? 0 : PERP_KKT_GAP;
}

// Puts the sums of each component at c->x into parts (c->kkt.count), and 1 into asked
// (c->kkt.count) for each component that is judged: one with marked rows, unless a row that has to
// change its sign has a bound.
static void add_up(const certifier *c, const uint8_t *rows, double *own, double *own_size,
                   part *parts, uint8_t *asked) {
  const int32_t n = c->n;
  memset(parts, 0, (size_t)c->kkt.count*sizeof *parts);
  own_products(c, own, own_size);
  for (int32_t i = 0; i < n; i++) {
    if (c->kkt.part[i] < 0) continue;
    part *p = &parts[c->kkt.part[i]];
    const int dual = c->kkt.side[i] < 0;   // its y is primal
    const double reach = fabs(c->x[i])*c->inverse_C[i];
    p->reach[dual] = max2(p->reach[dual], reach);
    p->size[!dual] = max2(p->size[!dual], c->R[i]*(own_size[i] + fabs(c->problem->b[i])));
    if (!dual) p->size[0] = max2(p->size[0], reach);
    if (c->kkt.weight[i] < 0.0 && !unbounded(c->problem->lo, c->problem->hi, i)) p->bounded = 1.0;
  }
  for (int32_t i = 0; i < n; i++)
    if (c->kkt.part[i] >= 0) add_row(c, i, own[i], own_size[i], &parts[c->kkt.part[i]]);
  for (int32_t k = 0; k < c->kkt.count; k++) asked[k] = rows == NULL && parts[k].bounded == 0.0;
  for (int32_t i = 0; rows != NULL && i < n; i++)
    if (rows[i] && c->kkt.part[i] >= 0)
      asked[c->kkt.part[i]] = parts[c->kkt.part[i]].bounded == 0.0;
}

// Where the sums live in c->work: each component has two rows or more, so parts take at most 8 n
// doubles; own_size has been used when `asked` takes its place.
typedef struct places { double *own, *own_size; part *parts; uint8_t *asked; } places;

static places places_of(const certifier *c) {
  double *own = c->work, *own_size = own + c->n;
  return (places){own, own_size, (part *)(own_size + c->n), (uint8_t *)own_size};
}

int kkt_judge(const certifier *c, double tol, double absolute_tol, const uint8_t *rows,
              perp_certificate *certificate) {
  const int32_t n = c->n;
  if (c->kkt.count == 0) return 1;
  const places at = places_of(c);
  part *parts = at.parts;
  const uint8_t *asked = at.asked;
  add_up(c, rows, at.own, at.own_size, parts, at.asked);
  exact_sum objective = {0}, gap = {0};
  int all = c->kkt.all;
  for (int32_t k = 0; k < c->kkt.count; k++) {
    exact_add(&objective, exact_value(parts[k].objective));
    exact_add(&gap, exact_value(parts[k].gap));
    all &= parts[k].bounded == 0.0;
  }
  int32_t failed = 0;
  int excused = 0;
  for (int32_t k = 0; k < c->kkt.count; k++)
    if (asked[k]) failed |= judge_part(&parts[k], tol, absolute_tol, &excused);
  double residual[2] = {0.0, 0.0};   // primal, dual
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = c->kkt.part[i];
    if (k < 0) continue;
    const int is_dual = c->kkt.side[i] > 0;
    const row_at row = look_at(c, i);
    const double natural = no_nan(min2(fabs(row.y), row.distance));
    residual[is_dual] = max2(residual[is_dual], natural);
    if (!asked[k] || (absolute_tol > 0.0 && natural <= absolute_tol)) continue;
    if (!row_fits(c, i, &parts[k], tol)) failed |= is_dual ? PERP_KKT_DUAL : PERP_KKT_PRIMAL;
  }
  if (certificate == NULL) return failed == 0;
  certificate->kkt_failed = failed;
  if (all) {
    certificate->kkt = 1;
    certificate->objective = finite_or_infinity(exact_value(objective));
    certificate->dual_objective =
        finite_or_infinity(exact_value(objective) - exact_value(gap));
    certificate->primal_residual = residual[0];
    certificate->dual_residual = residual[1];
  }
  if (failed) certificate->solved = certificate->attainable = 0;
  else if (excused && certificate->solved) certificate->attainable = 1;
  return failed == 0;
}

int kkt_rounded(const certifier *c, double tol, double absolute_tol, const uint8_t *rows) {
  if (c->kkt.count == 0) return 0;
  const places at = places_of(c);
  int refused = 0, excused = 0;
  add_up(c, rows, at.own, at.own_size, at.parts, at.asked);
  for (int32_t k = 0; k < c->kkt.count; k++) {
    const part *p = &at.parts[k];
    if (!at.asked[k] || judge_part(p, tol, absolute_tol, &excused) == 0) continue;
    if (!(p->absolute <= p->rounding)) return 0;
    refused = 1;
  }
  for (int32_t i = 0; i < c->n; i++) {
    const int32_t k = c->kkt.part[i];
    if (k < 0 || !at.asked[k]) continue;
    const row_at row = look_at(c, i);
    const certify_scale scale = c->ops->rule(c, i);
    const double r = min2(scale.R*fabs(row.y), row.distance*scale.inverse_C);
    const certify_row own = c->ops->evaluate(c, i, r, row.y, c->a[i] - fabs(c->problem->b[i]), tol);
    if (own.solved && row_fits(c, i, &at.parts[k], tol)) continue;
    if (absolute_tol > 0.0 && min2(fabs(row.y), row.distance) <= absolute_tol) continue;
    if (!(fabs(row.y) <= COMPONENTWISE_PRODUCT*c->a[i])) return 0;
    refused = 1;
  }
  return refused;
}
