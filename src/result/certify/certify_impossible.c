// certify_impossible.c: see certify_impossible.h.
#include "certify_impossible.h"

#include <math.h>
#include <string.h>

#include "certify_sizes.h"
#include "columns.h"
#include "error_free.h"
#include "vector.h"

#define DISTANCE_MAX 0x1p500   // a bound that is farther away counts as none

typedef struct search {        // n each
  double *high, *low;          // y_i
  double *data;                // d_i
  double *lost;                // what rounding may have done to y_i
  double *up, *down;           // by how much x may raise and lower y_i; of an equation that determines
                               //   an x_j, up is by how much others contradict it
  double *x, *size;            // what equations demand of x_j, and the data that it comes from
  double *value;               // of a column
  int32_t *row;                // of a column
  int32_t *left, *which;       // entries of variables that are not known; the exclusive or of these
  int32_t *queue, *fresh;      // equations with one of them; variables of a round
  uint8_t *known, *defines, *derived;   // x_j; row i determines one; row i has a determined one
} search;

static search search_in(const certifier *c) {   // 11.9 n of the 12 n doubles
  const size_t n = (size_t)c->n;
  double *at = c->work;
  int32_t *whole = (int32_t *)(at + 9*n);
  uint8_t *flags = (uint8_t *)(whole + 5*n);
  return (search){.high = at, .low = at + n, .data = at + 2*n, .lost = at + 3*n, .up = at + 4*n,
                  .down = at + 5*n, .x = at + 6*n, .size = at + 7*n, .value = at + 8*n,
                  .row = whole, .left = whole + n, .which = whole + 2*n, .queue = whole + 3*n,
                  .fresh = whole + 4*n, .known = flags, .defines = flags + n,
                  .derived = flags + 2*n};
}

static int is_fixed(const perp_problem *p, int32_t i) {
  return lower(p->lo, i) == upper(p->hi, i);
}

// If y_i must be >= 0, <= 0 or 0 for every x_i: the least by which it misses that.
static double missed_by(const perp_problem *p, int32_t i, double y, double up, double down) {
  const int below = lower(p->lo, i) > -(double)INFINITY, above = upper(p->hi, i) < (double)INFINITY;
  if (below && above) return 0.0;
  return y < 0.0 && !above ? -y - up : y > 0.0 && !below ? y - down : 0.0;
}

static void note(certifier *c, int32_t i, impossible_kind kind, double by, double data) {
  c->impossible.kind[i] = IMPOSSIBLE_NOT;
  if (!(by > 0.0 && data < (double)INFINITY) || c->entries[i] == 0) return;
  c->impossible.kind[i] = (uint8_t)kind;
  c->impossible.by[i] = by;
  c->impossible.data[i] = data;
  c->impossible.count++;
}

// y_i += a x, where x comes from data of size `size`
static void add_term(search *s, int32_t i, double a, double error, double x, double size) {
  exact_sum sum = {s->high[i], s->low[i]};
  exact_add_product(&sum, a, x);
  s->high[i] = sum.high;
  s->low[i] = sum.low;
  s->data[i] += fabs(a)*size;
  s->lost[i] += error*fabs(x);
}

// Adds the columns of fixed variables to y and counts the others.
static void take_fixed(const perp_problem *p, search *s) {
  const int32_t n = p->A.n;
  for (int32_t j = 0; j < n; j++) {
    double slack = 0.0;
    s->known[j] = (uint8_t)is_fixed(p, j);
    const int32_t count = columns_read(&p->A, j, s->row, s->value, &slack);
    for (int32_t k = 0; k < count; k++) {
      const int32_t i = s->row[k];
      const double a = s->value[k], x = lower(p->lo, j);
      if (s->known[j]) add_term(s, i, a, slack*fabs(a), x, fabs(x));
      else {
        s->left[i]++;
        s->which[i] ^= j;
      }
    }
  }
}

static int demands(const perp_problem *p, const search *s, int32_t i, int32_t j) {
  // j is all that is open in equation i
  return s->left[i] == 1 && s->which[i] == j && unbounded(p->lo, p->hi, i);
}

// The value of x_j that equations without another open variable determine. If several do, the one
// with the smallest data counts, so the order of rows does not matter. 0: no value within the
// bounds.
static int choose_value(const perp_problem *p, search *s, int32_t j) {
  double slack = 0.0;
  int32_t by = -1;
  const int32_t count = columns_read(&p->A, j, s->row, s->value, &slack);
  double own = 0.0;
  for (int32_t k = 0; k < count && slack == 0.0; k++) {
    const int32_t i = s->row[k];
    if (!demands(p, s, i, j)) continue;
    const double x = -(s->high[i] + s->low[i])/s->value[k], size = s->data[i]/fabs(s->value[k]);
    if (!(size < (double)INFINITY && x >= lower(p->lo, j) && x <= upper(p->hi, j))) continue;
    const int better = size < s->size[j] || (size == s->size[j] && fabs(x) < fabs(s->x[j]));
    if (by >= 0 && !better) continue;
    by = i;
    own = fabs(s->value[k]);
    s->x[j] = x;
    s->size[j] = size;
  }
  if (by < 0) return 0;
  s->defines[by] = 1;
  for (int32_t k = 0; k < count; k++) {   // equations of one round stand beside each other
    const int32_t i = s->row[k];
    if (i == by || !demands(p, s, i, j)) continue;
    const double a = fabs(s->value[k]);
    const double apart = fabs((s->high[i] + s->low[i])/s->value[k] + s->x[j]) -
                         CERTIFY_DATA_ROUNDING*(s->data[i]/a + s->size[j]);
    s->up[by] = max2(s->up[by], own*apart);
  }
  return 1;
}

// Adds x_j to y. Queues equations that now have one open variable. Returns the end of the queue.
static int32_t take_value(const perp_problem *p, search *s, int32_t j, int32_t queued) {
  double slack = 0.0;
  const int32_t count = columns_read(&p->A, j, s->row, s->value, &slack);
  for (int32_t k = 0; k < count; k++) {
    const int32_t i = s->row[k];
    add_term(s, i, s->value[k], 0.0, s->x[j], s->size[j]);
    s->lost[i] += CERTIFY_DATA_ROUNDING*fabs(s->value[k])*s->size[j];
    s->derived[i] = 1;
    s->which[i] ^= j;
    if (--s->left[i] == 1 && unbounded(p->lo, p->hi, i)) s->queue[queued++] = i;
  }
  return queued;
}

// Works in rounds: all equations of a round are read before their values are inserted.
static void propagate(const perp_problem *p, search *s) {
  int32_t queued = 0;
  for (int32_t i = 0; i < p->A.n; i++)
    if (s->left[i] == 1 && unbounded(p->lo, p->hi, i)) s->queue[queued++] = i;
  for (int32_t from = 0; from < queued;) {
    const int32_t to = queued;
    int32_t fresh = 0;
    for (int32_t k = from; k < to; k++) {
      const int32_t i = s->queue[k], j = s->which[i];
      if (s->left[i] != 1 || s->known[j] || !choose_value(p, s, j)) continue;
      s->known[j] = 1;
      s->fresh[fresh++] = j;
    }
    for (int32_t k = 0; k < fresh; k++) queued = take_value(p, s, s->fresh[k], queued);
    from = to;
  }
}

// The other columns at x_ref: what they add to y, and by how much other x may change it.
static void take_others(const perp_problem *p, search *s) {
  const int32_t n = p->A.n;
  for (int32_t j = 0; j < n; j++) {
    if (s->known[j]) continue;
    const double lo = lower(p->lo, j), hi = upper(p->hi, j), x = clamp(0.0, lo, hi);
    double slack = 0.0;
    const int32_t count = columns_read(&p->A, j, s->row, s->value, &slack);
    for (int32_t k = 0; k < count; k++) {
      const int32_t i = s->row[k];
      const double a = s->value[k], size = (1.0 + slack)*fabs(a);
      const double with = hi > x ? size*(hi - x) : 0.0, against = x > lo ? size*(x - lo) : 0.0;
      const int known = slack < 1.0;   // the sign of a
      s->up[i] += !known ? with + against : a > 0.0 ? with : against;
      s->down[i] += !known ? with + against : a > 0.0 ? against : with;
      add_term(s, i, a, slack*fabs(a), x, fabs(x));
    }
  }
}

static void find_by_columns(certifier *c) {
  const perp_problem *p = c->problem;
  const int32_t n = c->n;
  search s = search_in(c);
  for (int32_t i = 0; i < n; i++) {
    s.high[i] = p->b[i];
    s.data[i] = fabs(p->b[i]);
    s.low[i] = s.lost[i] = s.up[i] = s.down[i] = 0.0;
    s.left[i] = s.which[i] = 0;
    s.defines[i] = s.derived[i] = 0;
  }
  take_fixed(p, &s);
  propagate(p, &s);
  take_others(p, &s);
  for (int32_t i = 0; i < n; i++) {
    const impossible_kind kind = s.derived[i]     ? IMPOSSIBLE_EQUATIONS
                                 : s.left[i] == 0 ? IMPOSSIBLE_FIXED
                                                  : IMPOSSIBLE_BOUNDS;
    const double y = s.high[i] + s.low[i];
    const int counts = !s.defines[i] && (kind != IMPOSSIBLE_BOUNDS || s.data[i] > fabs(p->b[i]));
    const double missed = counts ? missed_by(p, i, y, s.up[i], s.down[i]) - s.lost[i] : 0.0;
    note(c, i, kind, s.defines[i] ? s.up[i] : missed, s.data[i]);
  }
}

// Products and contacts, whose rows are computed one by one.
static void find_by_rows(certifier *c, double *diagonal) {
  const perp_problem *p = c->problem;
  const int32_t n = c->n;
  p->A.ops->diagonal(p->A.self, diagonal);
  for (int32_t i = 0; i < n; i++) {
    c->impossible.kind[i] = IMPOSSIBLE_NOT;
    c->impossible.by[i] = diagonal[i] == 0.0 ? missed_by(p, i, c->y[i], 0.0, 0.0) : 0.0;
    c->near.kept[i] = c->x[i];
    c->x[i] = min2(upper(p->hi, i) - lower(p->lo, i), DISTANCE_MAX);
  }
  row_sizes sizes = {.begun = 0};
  for (int32_t i = 0; i < n; i++) {
    if (!(c->impossible.by[i] > 0.0)) continue;
    const double reach = row_size(&sizes, c, i);
    if (reach < 0.0) break;   // it would take too long
    const int counts = reach == 0.0 || c->a[i] > fabs(p->b[i]);
    note(c, i, reach == 0.0 ? IMPOSSIBLE_FIXED : IMPOSSIBLE_BOUNDS,
         counts ? c->impossible.by[i] - reach : 0.0, c->a[i]);
  }
  memcpy(c->x, c->near.kept, (size_t)n*sizeof *c->x);
}

void impossible_find(certifier *c) {
  const perp_problem *p = c->problem;
  c->impossible.count = 0;
  if (c->look.hurried) return;
  int fixed = 0, single = 0;
  for (int32_t i = 0; i < c->n; i++) {
    fixed |= is_fixed(p, i);
    single |= c->entries[i] == 1 && unbounded(p->lo, p->hi, i);
  }
  if (c->look.product && (fixed || !c->reference_is_zero) && p->A.ops->diagonal != NULL)
    find_by_rows(c, c->work);
  else if (!c->look.product && (fixed || !c->reference_is_zero || single) &&
           columns_known(&p->A))
    find_by_columns(c);
}
