// enumerate_face.c: finds all solutions that share one assignment of labels, also if A_II is
// singular.
//
// With x_F at its bounds, A_II x_I = -(b_I + A_IF x_F) has the solutions x_I = p + N t. Bounds of
// x_I and signs of y_F are inequalities G t <= h. The largest common slack s decides. s > 0: there
// is an interior point, and the dimension is the number of columns of N. s < 0: no solution. s = 0:
// the inequalities with positive multipliers are equalities throughout; substitute them, which
// lowers the dimension, and repeat. So the point is in the relative interior and the dimension is
// exact.
//
// A piece contains another one exactly if it contains a point of that one's relative interior. All
// inequalities have the form x_i >= lo_i, x_i <= hi_i, y_i >= 0, y_i <= 0, so one that is tight at
// the point is tight on the whole piece. So it is enough to compare labels with the tight
// inequalities of the point.
#include "enumerate.h"

#include <math.h>
#include <string.h>

#include "error_free.h"
#include "feasibility.h"
#include "dense_kernels.h"
#include "small_simplex.h"
#include "vector.h"

#define DOUBT_TOLERANCES_MAX 100.0        // times the tolerance: a smaller violation leaves doubt
#define ZERO_GRADIENT_MAX 1e-12           // gradients that count as zero
#define ZERO_PIVOT_PER_ROW (8.0*0x1p-52)  // times m: equilibrated pivots that count as zero
// Twice the bound of the rounding of a row and of b in it, relative to |A||x| + |b|.
#define ROUNDING_RATIO (2.0*(ENUMERATE_ROWS_MAX + 3)*0x1p-52)

int32_t enumeration_begin(enumeration *e) {
  const int32_t n = e->n;
  int32_t m = 0;
  memcpy(e->w, e->b, (size_t)n*sizeof(double));
  for (int32_t j = 0; j < n; j++) {
    if (e->labels[j] == LABEL_FREE) {
      e->set[m++] = j;
      continue;
    }
    const double at = e->labels[j] == LABEL_LOW ? e->lo[j] : e->hi[j];
    e->x[j] = at;
    if (at == 0.0) continue;
    for (int32_t i = 0; i < n; i++) e->w[i] += e->A[i*n + j]*at;
  }
  return m;
}

int enumeration_known(const enumeration *e, const piece *p) {
  for (int32_t k = 0; k < e->count; k++) {
    const piece *q = &e->pieces[k];
    if ((q->low & ~p->at_low) == 0 && (q->high & ~p->at_high) == 0 && (q->free & ~p->zero) == 0)
      return 1;
  }
  return 0;
}

// The solutions x_I + N t of the equations. Returns the number of columns of N.
static int32_t solve_block(enumeration *e, int32_t m, double *smallest) {
  const int32_t n = e->n;
  for (int32_t a = 0; a < m; a++)
    for (int32_t c = 0; c < m; c++) e->S[a*m + c] = e->A[e->set[a]*n + e->set[c]];
  dense_equilibrate(m, m, e->S, e->r, e->c);
  for (int32_t a = 0; a < m; a++) e->v[a] = -e->r[a]*e->w[e->set[a]];
  const int32_t rank = lu_affine(m, m, e->S, e->v, m*ZERO_PIVOT_PER_ROW, e->order, e->t, e->N,
                                 smallest);
  const int32_t k = m - rank;
  for (int32_t a = 0; a < m; a++) {
    e->x[e->set[a]] = e->c[a]*e->t[a];
    for (int32_t q = 0; q < k; q++) e->N[a*k + q] *= e->c[a];
  }
  for (int32_t q = 0; q < k; q++) {
    double largest = 0.0;
    for (int32_t a = 0; a < m; a++) largest = max2(largest, fabs(e->N[a*k + q]));
    for (int32_t a = 0; a < m; a++) e->N[a*k + q] /= largest;
  }
  return k;
}

// 1: the equations certainly contradict each other. Rounding cannot tell a pivot of 2^-50 from 0,
// and with such a pivot there would be a solution far away. It is certain if a combination u of the
// equations has u'A_II = 0 exactly and u'w is not 0. Reads the block again; the result of
// solve_block is lost.
static int contradictory(enumeration *e, int32_t m) {
  const int32_t n = e->n;
  for (int32_t a = 0; a < m; a++) {
    for (int32_t c = 0; c < m; c++) e->S[c*m + a] = e->A[e->set[a]*n + e->set[c]];
    e->v[a] = 0.0;
  }
  dense_equilibrate(m, m, e->S, e->r, e->c);
  double smallest;
  const int32_t k = m - lu_affine(m, m, e->S, e->v, m*ZERO_PIVOT_PER_ROW, e->order, e->t, e->N,
                                  &smallest);
  for (int32_t q = 0; q < k; q++) {
    for (int32_t a = 0; a < m; a++) e->u[a] = e->c[a]*e->N[a*k + q];
    if (!rational_round(m, e->u, 1e-10)) continue;
    int zero = 1;
    for (int32_t c = 0; c < m && zero; c++) {
      exact_sum sum = {0.0, 0.0};
      for (int32_t a = 0; a < m; a++)
        exact_add_product(&sum, e->u[a], e->A[e->set[a]*n + e->set[c]]);
      zero = sum.high == 0.0 && sum.low == 0.0;
    }
    double value = 0.0, size = 0.0;
    for (int32_t a = 0; a < m; a++) {
      value += e->u[a]*e->w[e->set[a]];
      size += fabs(e->u[a]*e->w[e->set[a]]);
    }
    if (zero && fabs(value) > 1e-10*size) return 1;
  }
  return 0;
}

// y = w + A_I x_I, and its gradient A_I N in the rows at a bound.
static void evaluate(enumeration *e, int32_t m, int32_t k) {
  const int32_t n = e->n;
  for (int32_t i = 0; i < n; i++) {
    double sum = e->w[i];
    for (int32_t a = 0; a < m; a++) sum += e->A[i*n + e->set[a]]*e->x[e->set[a]];
    e->y[i] = sum;
    for (int32_t q = 0; q < k; q++) {
      double slope = 0.0;
      if (e->labels[i] != LABEL_FREE)
        for (int32_t a = 0; a < m; a++) slope += e->A[i*n + e->set[a]]*e->N[a*k + q];
      e->product[i*k + q] = slope;
    }
  }
}

typedef struct margins {   // limits below which a number counts as zero at the current point
  double tight;            // besides ROUNDING_RATIO times the row's size
  double loose;            // the same plus the error of x_I if A_II is badly conditioned
} margins;

static margins margins_at(const enumeration *e, double smallest) {
  double largest = 0.0;
  for (int32_t i = 0; i < e->n; i++) largest = max2(largest, fabs(e->x[i]));
  const double tight = ENUMERATE_SLACK_MIN + ROUNDING_RATIO*largest;
  return (margins){tight, tight + 64.0*0x1p-52/smallest*largest};
}

// Adds sign*(gradient t) <= room, or checks it at once if the gradient is 0. 0: it holds or was
// added; 1: violated; 2: in doubt.
static int inequality(enumeration *e, int32_t *rows, int32_t k, const double *gradient, double sign,
                      double room, double tolerance) {
  if (!(room < (double)INFINITY)) return 0;
  double largest = 0.0;
  for (int32_t q = 0; q < k; q++) largest = max2(largest, fabs(gradient[q]));
  if (largest <= ZERO_GRADIENT_MAX)
    return room >= -tolerance ? 0 : room >= -DOUBT_TOLERANCES_MAX*tolerance ? 2 : 1;
  for (int32_t q = 0; q < k; q++) e->G[*rows*k + q] = sign*gradient[q]/largest;
  e->h[(*rows)++] = room/largest;
  return 0;
}

static int inequalities(enumeration *e, int32_t m, int32_t k, margins near, int32_t *rows) {
  int worst = 0;
  *rows = 0;
  for (int32_t a = 0; a < m && worst != 1; a++) {
    const int32_t i = e->set[a];
    const double tolerance = near.loose + ROUNDING_RATIO*e->size[i];
    const int low = inequality(e, rows, k, e->N + a*k, -1.0, e->x[i] - e->lo[i], tolerance);
    const int high = inequality(e, rows, k, e->N + a*k, 1.0, e->hi[i] - e->x[i], tolerance);
    worst = low == 1 || high == 1 ? 1 : worst | low | high;
  }
  for (int32_t i = 0; i < e->n && worst != 1; i++) {
    if (e->labels[i] == LABEL_FREE || e->lo[i] == e->hi[i]) continue;
    // -y_i <= 0 or y_i <= 0
    const double sign = e->labels[i] == LABEL_LOW ? -1.0 : 1.0;
    const double tolerance = near.loose + ROUNDING_RATIO*e->size[i];
    const int broken = inequality(e, rows, k, e->product + i*k, sign, -sign*e->y[i], tolerance);
    worst = broken == 1 ? 1 : worst | broken;
  }
  return worst;
}

// Describes the tight inequalities of the current point; with gradients (k > 0) those that are
// tight on all of x + N t.
static void describe(const enumeration *e, int32_t k, margins near, piece *p) {
  p->low = p->high = p->free = p->at_low = p->at_high = p->zero = 0;
  p->dimension = k;
  int32_t a = 0;
  for (int32_t i = 0; i < e->n; i++) {
    const uint32_t bit = (uint32_t)1 << i;
    const double rounding = ROUNDING_RATIO*e->size[i];
    const int is_free = e->labels[i] == LABEL_FREE;
    const double *gradient = is_free ? e->N + a*k : e->product + i*k;
    int constant = 1;
    for (int32_t q = 0; q < k; q++) constant &= fabs(gradient[q]) <= ZERO_GRADIENT_MAX;
    if (is_free) {
      p->free |= bit;
      p->zero |= bit;
      if (constant && e->x[i] - e->lo[i] <= near.tight + rounding) p->at_low |= bit;
      if (constant && e->hi[i] - e->x[i] <= near.tight + rounding) p->at_high |= bit;
      a++;
    } else {
      if (e->labels[i] == LABEL_LOW) p->low |= bit;
      else p->high |= bit;
      if (e->x[i] <= e->lo[i]) p->at_low |= bit;
      if (e->x[i] >= e->hi[i]) p->at_high |= bit;
      if (constant && fabs(e->y[i]) <= near.tight + rounding) p->zero |= bit;
    }
  }
}

// Substitutes the inequalities that hold with equality: x_I and N shrink to that subset. Returns
// the number of columns of N.
static int32_t substitute(enumeration *e, int32_t m, int32_t k, int32_t rows) {
  int32_t equalities = 0;
  for (int32_t i = 0; i < rows; i++) {
    if (e->u[i] <= ENUMERATE_SLACK_MIN) continue;   // the largest is at least 1/(3 n + 1)
    memcpy(e->S + equalities*k, e->G + i*k, (size_t)k*sizeof(double));
    e->v[equalities++] = e->h[i];
  }
  double smallest;
  const int32_t rank = lu_affine(equalities, k, e->S, e->v, 1e-10, e->order, e->t, e->N2,
                                 &smallest);
  const int32_t rest = k - rank;
  for (int32_t a = 0; a < m; a++) {
    e->x[e->set[a]] += dot(k, e->N + a*k, e->t);
    for (int32_t q = 0; q < rest; q++) {
      double sum = 0.0;
      for (int32_t s = 0; s < k; s++) sum += e->N[a*k + s]*e->N2[s*rest + q];
      e->product[a*rest + q] = sum;
    }
  }
  memcpy(e->N, e->product, (size_t)(m*rest)*sizeof(double));
  return rest;
}

// Chooses a solution x + N t with few bits: each column of N in small whole numbers, and t on a
// grid as coarse as the slack allows. If b is 0, no unit is known and only y = 0 passes, which
// needs sums without rounding.
static void shorten(enumeration *e, int32_t m, int32_t k, int32_t rows, double slack) {
  for (int32_t q = 0; q < k; q++) {
    double steepest = 0.0, longest = 0.0;
    int32_t at = 0;
    for (int32_t i = 0; i < rows; i++) steepest = max2(steepest, fabs(e->G[i*k + q]));
    for (int32_t a = 0; a < m; a++)
      if (fabs(e->N[a*k + q]) > longest) {
        longest = fabs(e->N[a*k + q]);
        at = a;
      }
    for (int32_t a = 0; a < m; a++)
      e->v[a] = fabs(e->N[a*k + q]) > ZERO_GRADIENT_MAX*longest ? e->N[a*k + q] : 0.0;
    if (!(steepest > 0.0)) e->t[q] = 0.0;   // no inequality asks for another value
    if (!(steepest > 0.0 && longest > 0.0) || !rational_round(m, e->v, 1e-12)) continue;
    const double factor = e->v[at]/e->N[at*k + q], t = e->t[q]/factor;
    // All columns together use half of the slack.
    const double grid = power_of_two_within(binary_exponent(0.5*slack/(k*steepest*fabs(factor))),
                                            1000);
    const double rounded = grid*rint(t/grid);
    if (rounded - rounded != 0.0) continue;
    e->t[q] = rounded;
    for (int32_t a = 0; a < m; a++) e->N[a*k + q] = e->v[a];
  }
}

verdict enumeration_face(enumeration *e, piece *p) {
  const int32_t m = enumeration_begin(e);
  double smallest;
  int32_t k = solve_block(e, m, &smallest);
  int doubt = 0;
  for (int first = 1;; first = 0) {
    evaluate(e, m, k);
    const margins near = margins_at(e, smallest);
    if (first && k > 0) {   // a singular block: are its equations consistent?
      for (int32_t a = 0; a < m; a++) {
        const double tolerance = near.tight + ROUNDING_RATIO*e->size[e->set[a]],
            miss = fabs(e->y[e->set[a]]);
        if (!(miss <= DOUBT_TOLERANCES_MAX*tolerance))
          return contradictory(e, m) ? VERDICT_NONE : VERDICT_DOUBT;
        doubt |= miss > tolerance;
      }
    }
    describe(e, k, near, p);
    if (enumeration_known(e, p)) return VERDICT_KNOWN;
    int32_t rows;
    const int broken = inequalities(e, m, k, near, &rows);
    if (broken == 1) return VERDICT_NONE;
    doubt |= broken;
    if (rows == 0) return doubt ? VERDICT_DOUBT : VERDICT_POINT;

    const simplex_result best = simplex_maximise(rows, k, e->G, e->h, e->t, e->u, e->simplex,
                                                 e->basis);
    if (!best.finished) return VERDICT_DOUBT;
    double tolerance = near.loose;
    for (int32_t i = 0; i < e->n; i++)
      tolerance = max2(tolerance, near.loose + ROUNDING_RATIO*e->size[i]);
    if (best.slack < -DOUBT_TOLERANCES_MAX*tolerance) return VERDICT_NONE;
    if (best.slack < -tolerance) return VERDICT_DOUBT;
    if (best.slack > tolerance) {
      shorten(e, m, k, rows, best.slack);
      for (int32_t a = 0; a < m; a++) e->x[e->set[a]] += dot(k, e->N + a*k, e->t);
      evaluate(e, m, k);
      describe(e, k, margins_at(e, smallest), p);
      return doubt ? VERDICT_DOUBT : VERDICT_POINT;
    }
    const int32_t rest = substitute(e, m, k, rows);
    if (rest >= k) return VERDICT_DOUBT;
    k = rest;
  }
}
