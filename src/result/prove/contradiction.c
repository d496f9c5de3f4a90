// contradiction.c: checks on the caller's data whether a Farkas vector proves that there is no
// solution, and reports contradictions that are too small for a proof.
//
// Data are rounded to doubles: x_1 = 0.1, x_2 = 0.2 and x_1 + x_2 = 0.3 contradict each other by
// 2.8e-17. Such a problem is solved to the tolerance, and the message names the contradiction. That
// is a Farkas vector with too small a margin (farkas.c), or a row that no x satisfies
// (certify_impossible.h).
#include <math.h>
#include <string.h>

#include "certify_impossible.h"
#include "driver.h"
#include "farkas.h"
#include "plain.h"

// Keeps the largest contradiction so far, for u scaled to a largest entry of 1.
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
  int rounded;
  if (s->judge.look.hurried || farkas_check(&by, u, s->farkas_work, farkas, &rounded) != PERP_OK)
    return 0;
  const int allocates = !(s->method->traits & PERP_TRAIT_NO_ALLOC);
  if (rounded && allocates) farkas_near(&by, u, &s->allocator, farkas);
  if (farkas->proven || farkas->bounded) return 1;
  if (farkas->radius == (double)INFINITY) note(s, u, farkas);
  return 0;
}

void solver_find_contradiction(perp_solver *s) {
  const certifier *judge = &s->judge;
  if (s->slight.by > 0.0) return;
  for (int32_t i = 0; judge->impossible.count > 0 && i < judge->n; i++) {
    if (impossible_of(judge, i) == IMPOSSIBLE_NOT) continue;
    s->slight.impossible++;
    if (!(judge->impossible.by[i] > s->slight.by)) continue;
    s->slight.by = judge->impossible.by[i];
    s->slight.row = i;
  }
}

// 1: row i fails for every x, but by no more than the certificate accepts.
static int fails_slightly(const perp_solver *s, int32_t i) {
  const certifier *judge = &s->judge;
  if (impossible_of(judge, i) == IMPOSSIBLE_NOT) return 0;
  const certify_leeway l = judge->ops->leeway(judge, i, s->options.tol, s->options.absolute_tol);
  return judge->impossible.by[i] <= l.tolerance + l.rounding;
}

int run_contradicts_slightly(const perp_run *run) {
  const perp_solver *s = run->state->solver;
  for (int32_t i = 0; s->judge.impossible.count > 0 && i < s->judge.n; i++)
    if (fails_slightly(s, i)) return 1;
  return 0;
}

void solver_forgive_contradictions(perp_solver *s) {
  const presolve *p = &s->reduced;
  for (int32_t k = 0; s->judge.impossible.count > 0 && k < p->n; k++) {
    const int32_t i = p->index[k];
    if (impossible_of(&s->judge, i) == IMPOSSIBLE_FIXED && fails_slightly(s, i)) p->b[k] = 0.0;
  }
}

void solver_tell_contradiction(const perp_solver *s, char *text, size_t size) {
  const contradiction *c = &s->slight;
  char others[64] = "";
  text[0] = '\0';
  if (!(c->by > 0.0)) return;
  static const char *const misses[] = {
    [IMPOSSIBLE_NOT] = "", [IMPOSSIBLE_FIXED] = "its variables are all fixed and miss it by",
    [IMPOSSIBLE_BOUNDS] = "within the bounds it fails by at least",
    [IMPOSSIBLE_EQUATIONS] = "where other equations hold, it fails by at least"};
  if (c->impossible > 1)
    plain_print(others, sizeof others, ", and %d other such rows less", (int)c->impossible - 1);
  if (c->impossible > 0)
    plain_print(text, size, "row %d cannot hold exactly: %s %.3g%s, which is within the tolerance or "
                "the rounding of the data", (int)c->row, misses[impossible_of(&s->judge, c->row)],
                c->by, others);
  else if (c->rows == 1)
    plain_print(text, size, "row %d fails by %.3g for every x, which proves nothing: the "
                "tolerance and the rounding of the data explain %.3g", (int)c->row, c->by,
                c->allowed);
  else
    plain_print(text, size, "row %d and %d other rows contradict each other by %.3g, which proves "
                "nothing: the tolerance and the rounding of the data explain %.3g", (int)c->row,
                (int)c->rows - 1, c->by, c->allowed);
}
