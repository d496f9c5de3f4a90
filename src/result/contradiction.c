// contradiction.c: proofs that there is no solution, on the caller's data, and contradictions that
// are too small to be one.
//
// Data are rounded to doubles: x_1 = 0.1, x_2 = 0.2 and x_1 + x_2 = 0.3 contradict each other by
// 2.8e-17. Such a problem is solved to the tolerance, and the message names the contradiction. It
// comes from a Farkas vector with too small a margin (farkas.c), or from a row with a demand on y_i
// whose variables are all fixed: y_i is the same for every x.
//
// Cost: for the rows, a look at the diagonal; two passes over A where a row with entries has a zero
// there and some variable is fixed.
#include <math.h>
#include <string.h>

#include "columns.h"
#include "driver.h"
#include "exact.h"
#include "farkas.h"
#include "plain.h"
#include "vector.h"

// Keeps the largest contradiction seen: u scaled to a largest entry of 1.
static void note(perp_solver *s, const double *u, const perp_farkas *farkas) {
  double most = 0.0;
  int32_t row = -1, rows = 0;
  for (int32_t i = 0; i < s->problem->A.n; i++) {
    rows += u[i] != 0.0;
    if (fabs(u[i]) <= most) continue;
    most = fabs(u[i]);
    row = i;
  }
  const double by = -farkas->value/most;
  if (by < (double)INFINITY && by > s->slight.by)
    s->slight = (contradiction){.row = row, .rows = rows, .by = by,
                                .allowed = farkas->allowed/most};
}

int solver_check_farkas(perp_solver *s, const double *u, perp_farkas *farkas) {
  const farkas_judge by = {&s->judge, s->options.tol, s->options.absolute_tol};
  if (s->judge.hurried || farkas_check(&by, u, s->farkas_work, farkas) != PERP_OK) return 0;
  const int allocates = !(s->method->traits & PERP_TRAIT_NO_ALLOC);
  if (farkas->bounded && allocates) farkas_near(&by, u, &s->allocator, farkas);
  if (farkas->proven || farkas->bounded) return 1;
  if (farkas->radius == (double)INFINITY) note(s, u, farkas);
  return 0;
}

// Does y_i have to be >= 0, <= 0 or 0 whatever x_i is, and does it miss that?
static int misses(const perp_problem *p, int32_t i, double y) {
  const int below = lower(p->lo, i) > -(double)INFINITY, above = upper(p->hi, i) < (double)INFINITY;
  return !(below && above) && (below ? y < 0.0 : above ? y > 0.0 : y != 0.0);
}

static int is_fixed(const perp_problem *p, int32_t j) {
  return lower(p->lo, j) == upper(p->hi, j);
}

void solver_find_contradiction(perp_solver *s) {
  const perp_problem *p = s->problem;
  const int32_t n = p->A.n;
  if (s->slight.by > 0.0 || s->judge.lean || p->A.ops->diagonal == NULL ||
      !columns_known(&p->A) || (s->timed && solver_seconds(s) >= s->deadline))
    return;
  double *open = s->farkas;                     // n: free, there is a solution
  double *high = s->farkas_work, *low = high + n, *value = low + n;   // n each
  int32_t *row = (int32_t *)(value + n);        // n
  int fixed = 0, candidates = 0;
  p->A.ops->diagonal(p->A.self, high);
  for (int32_t i = 0; i < n; i++) {
    fixed |= is_fixed(p, i);
    open[i] = !(high[i] == 0.0 && s->judge.entries[i] > 0 && !is_fixed(p, i));
    candidates |= open[i] == 0.0;
  }
  if (!fixed || !candidates) return;
  double slack = 0.0;
  for (int32_t j = 0; j < n; j++) {
    if (is_fixed(p, j)) continue;
    const int32_t count = columns_read(&p->A, j, row, value, &slack);
    for (int32_t k = 0; k < count; k++) open[row[k]] = 1.0;
  }
  for (int32_t i = 0; i < n; i++) {
    high[i] = p->b[i];
    low[i] = 0.0;
  }
  for (int32_t j = 0; j < n; j++) {
    if (!is_fixed(p, j)) continue;
    const int32_t count = columns_read(&p->A, j, row, value, &slack);
    for (int32_t k = 0; k < count; k++) {
      exact_sum sum = {high[row[k]], low[row[k]]};
      exact_add_product(&sum, value[k], lower(p->lo, j));
      high[row[k]] = sum.high;
      low[row[k]] = sum.low;
    }
  }
  for (int32_t i = 0; i < n; i++) {
    const double y = high[i] + low[i];
    if (open[i] != 0.0 || !misses(p, i, y)) continue;
    s->slight.fixed++;
    if (!(fabs(y) > s->slight.by)) continue;
    s->slight.by = fabs(y);
    s->slight.row = i;
  }
}

void solver_tell_contradiction(const perp_solver *s, char *text, size_t size) {
  const contradiction *c = &s->slight;
  char others[64] = "";
  text[0] = '\0';
  if (!(c->by > 0.0)) return;
  if (c->fixed > 1)
    plain_print(others, sizeof others, ", and %d other such rows less", (int)c->fixed - 1);
  if (c->fixed > 0)
    plain_print(text, size, "row %d cannot hold exactly: its variables are all fixed and miss it by "
                "%.3g%s, which is within the tolerance or the rounding of the data", (int)c->row,
                c->by, others);
  else if (c->rows == 1)
    plain_print(text, size, "row %d fails by %.3g whatever x is, which proves nothing: the "
                "tolerance and the rounding of the data explain %.3g", (int)c->row, c->by,
                c->allowed);
  else
    plain_print(text, size, "row %d and %d other rows contradict each other by %.3g, which proves "
                "nothing: the tolerance and the rounding of the data explain %.3g", (int)c->row,
                (int)c->rows - 1, c->by, c->allowed);
}
