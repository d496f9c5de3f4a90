// test_grid_overflow.c: an x at which a grid overflows is not called solved, and its certificate
// has no NaN.
// cost: 4
#include "grid_sample.h"

static double huge(void) { return pow(10.0, between(290, 308.2)); }
static double either(double v) { return whole(0, 1) ? v : -v; }

// Weights, b and bounds, each of them huge here and there.
static void exaggerate(grid_sample *s, int trial) {
  for (int d = 0; d < 3; d++) {
    const int32_t along = s->grid.cells[d], faces = s->n/along*(along + 1);
    if (trial & 1)
      for (int32_t f = 0; f < faces; f++)
        if (s->face[d][f] != 0.0 && whole(0, 2) == 0) s->face[d][f] = huge();
    if (trial % 5 == 4) s->grid.spacing[d] = pow(10.0, between(-160, -140));
  }
  perp_grid_bounds(&s->grid, trial % 3 == 2, s->lo, s->hi);
  for (int32_t i = 0; i < s->n; i++) {
    const int liquid = s->type[i] == PERP_CELL_LIQUID;
    if (trial & 2 && whole(0, 3) == 0) s->b[i] = either(huge());
    if (trial & 4 && whole(0, 3) == 0) s->b[i] = 0.0;
    if (trial & 8 && liquid && whole(0, 3) == 0) {
      s->lo[i] = whole(0, 3) ? -huge() : whole(0, 1) ? -INF : huge();
      s->hi[i] = whole(0, 1) ? INF : s->lo[i] > 0.0 ? 1.7e308 : whole(0, 1) ? 0.0 : huge();
    }
  }
}

typedef struct tally { int solved, unsaid; } tally;

// The certificate of x has numbers, and is no success where some y_i is none.
static void check(const grid_sample *s, const perp_certificate *c, const double *x, tally *t) {
  const double numbers[] = {c->residual, c->natural_residual, c->bound_violation, c->gap,
                            c->componentwise};
  for (size_t k = 0; k < sizeof numbers/sizeof *numbers; k++)
    if (numbers[k] != numbers[k]) fail_msg("number %d of the certificate is NaN", (int)k);
  perp_certificate again;
  int unsaid = 0;
  double y[64];
  assert_true(s->n <= 64);
  assert_int_equal(perp_certify(&s->problem, x, 1e-8, 0.0, y, &again), PERP_OK);
  for (int32_t i = 0; i < s->n; i++) unsaid |= !(y[i] - y[i] == 0.0);
  t->solved += c->solved;
  t->unsaid += unsaid;
  if (c->solved && unsaid) fail_msg("solved, but y overflows: residual %g", c->residual);
  if (unsaid && !(c->natural_residual == INF && c->residual == INF))
    fail_msg("y overflows: residuals %g, %g", c->residual, c->natural_residual);
}

static void overflow_is_not_solved(void **state) {
  (void)state;
  support_state = 71;
  tally t = {0};
  for (int trial = 0; trial < often(20000); trial++) {
    grid_sample s;
    grid_sample_random(&s, whole(1, 5), whole(1, 2), whole(1, 2), between(0.4, 1.0));
    exaggerate(&s, trial);
    const int valid = perp_validate(&s.problem) == PERP_OK;   // w/h^2 may be no number
    for (int k = 0; valid && k < 5; k++) {   // at the bounds, between them, and x_ref
      for (int32_t i = 0; i < s.n; i++) {
        const double lo = s.lo[i], hi = s.hi[i],
                     guess = k == 2 ? either(huge()) : k == 3 ? uniform() : 0.0;
        const int low = k < 2 && lo > -INF && (k == 0 || whole(0, 1)), high = k == 1 && hi < INF;
        s.x[i] = low ? lo : high ? hi : fmin(hi, fmax(lo, guess));
      }
      perp_certificate c;
      assert_int_equal(perp_certify(&s.problem, s.x, 1e-8, 0.0, NULL, &c), PERP_OK);
      check(&s, &c, s.x, &t);
    }
    grid_sample_free(&s);
  }
  if (!(t.solved > 100 && t.unsaid > 100))
    fail_msg("%d solved, %d with overflow", t.solved, t.unsaid);
}

static void methods_leave_no_nan(void **state) {
  (void)state;
  support_state = 72;
  tally t = {0};
  for (int trial = 0; trial < often(150); trial++) {
    grid_sample s;
    grid_sample_random(&s, whole(1, 6), whole(1, 4), 1, between(0.4, 1.0));
    exaggerate(&s, trial);
    for (int32_t k = 0; k < perp_method_count() && perp_validate(&s.problem) == PERP_OK; k++) {
      if (!takes(perp_method_at(k), &s.problem)) continue;
      perp_options o = perp_default_options(perp_method_at(k));
      o.iteration_limit = o.iteration_limit < 50 ? o.iteration_limit : 50;
      memset(s.x, 0, (size_t)s.n*sizeof *s.x);
      perp_result r;
      if (perp_solve_once(&s.problem, s.x, &o, &r) != PERP_OK) continue;
      for (int32_t i = 0; i < s.n; i++)
        if (!(s.x[i] - s.x[i] == 0.0)) fail_msg("%s: x[%d] = %g", o.method->name, i, s.x[i]);
      check(&s, &r.certificate, s.x, &t);
    }
    grid_sample_free(&s);
  }
  assert_true(t.solved > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(overflow_is_not_solved),
    cmocka_unit_test(methods_leave_no_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
