// test_together.c: the x, the certificate and the message that perp_solve returns belong together:
// perp_certify finds the same residual at that x, and the message names it.
// cost: 5
// labels: long
#include "small_family.h"

static int64_t solves, unsolved;

// As perp.h has it: to 1e-3 of the tolerance, or to 1e-3 of themselves.
static int is_near(double a, double b, double tol) {
  return a == b || fabs(a - b) <= 1e-3*fmax(fmax(fabs(a), fabs(b)), tol);
}

static void belongs(const perp_problem *p, const double *x, const perp_result *r, const char *what,
                    double tol) {
  perp_certificate c;
  const perp_certificate *own = &r->certificate;
  if (perp_certify(p, x, tol, 0.0, NULL, &c) != PERP_OK) fail_msg("%s", perp_last_message());
  double size = 0.0;   // of y
  for (int32_t i = 0; i < p->A.n; i++) size = fmax(size, fabs(p->b[i]));
  solves++;
  unsolved += r->status != PERP_STATUS_SOLVED;
  if (own->weaker > c.weaker) return;   // in other units, for lack of time
  if (own->solved != c.solved || !is_near(own->residual, c.residual, tol) ||
      !is_near(own->natural_residual, c.natural_residual, tol*size))
    fail_msg("%s: %s, residual %g and natural %g at row %d, but x has %g and %g at row %d: %s", what,
             perp_status_name(r->status), own->residual, own->natural_residual, (int)own->worst,
             c.residual, c.natural_residual, (int)c.worst, r->message);
  if (own->componentwise >= 0.0 && c.componentwise >= 0.0 &&   // otherwise nobody has asked
      !is_near(own->componentwise, c.componentwise, 1e6*tol))   // its tolerance
    fail_msg("%s: componentwise %g, but x has %g: %s", what, own->componentwise, c.componentwise,
             r->message);
  const char *told = strstr(r->message, "The residual is ");
  if (told != NULL && fabs(strtod(told + 16, NULL) - c.residual) > 1e-2*c.residual + 1e-3*tol)
    fail_msg("%s: %s, but x has %g", what, r->message, c.residual);
}

static double ticking(void *context) {
  double *now = context;
  return *now += 1e-6;
}

// Without limits, with few iterations, and with little time; from 0, from a guess, and from one that
// is far too large; with presolve and without.
static void by_all_methods(const perp_problem *p, const char *what) {
  enum { LIMITS = 6, GUESSES = 3 };
  static const int32_t limit[LIMITS] = {0, 1, 2, 5, 1000, 1000};
  static const double size[GUESSES] = {0.0, 1.0, 1e3};
  const int32_t n = p->A.n;
  double *x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    if (!takes(m, p) || (m->n_max > 0 && n > m->n_max)) continue;
    for (int way = 0; way < 4*LIMITS; way++) {
      perp_options o = perp_default_options(m);
      double now = 0.0;
      o.presolve = way < 3*LIMITS;
      o.split = way%2;
      o.iteration_limit = limit[way%LIMITS];
      if (way%LIMITS == LIMITS - 1) {
        o.clock = ticking;
        o.clock_context = &now;
        o.time_limit = pow(10.0, between(-5, -3));
      }
      for (int32_t i = 0; i < n; i++) x[i] = size[way/LIMITS%GUESSES]*between(-1, 1);
      perp_result r;
      if (perp_solve_once(p, x, &o, &r) != PERP_OK) fail_msg("%s: %s", m->name, perp_last_message());
      char who[160];
      snprintf(who, sizeof who, "%s, %s, way %d", what, m->name, way);
      belongs(p, x, &r, who, o.tol);
    }
  }
  free(x);
}

static void on_the_gallery(void **state) {
  (void)state;
  for (int32_t k = 0; k < perp_family_count(); k++)
    for (int variant = 0; variant < (is_brief() ? 1 : 2); variant++) {
      perp_sample g;
      make_small(perp_family_at(k), variant, 7, &g);
      char what[80];
      snprintf(what, sizeof what, "%s %d", perp_family_at(k)->name, variant);
      by_all_methods(&g.problem, what);
      perp_sample_free(&g);
    }
}

// Fixed variables, rows of one entry and several parts, so that presolve has something to do, and
// entries over some orders of magnitude, so that the reduced problem is solved and the whole one is not.
static void on_patchwork(void **state) {
  (void)state;
  for (int trial = 0; trial < often(fewer(100)); trial++) {
    const int32_t n = whole(3, 12);
    sample s = sample_new(n);
    const double spread = trial%3 == 0 ? 0.0 : trial%3 == 1 ? 5.0 : 10.0;
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++)
        if (i == j || whole(0, 3) == 0)
          AT(&s, i, j) = whole(-2, 3)*pow(10.0, between(-spread, spread));
      s.b[i] = whole(-3, 3)*pow(10.0, between(-spread, spread));
      switch (whole(0, 5)) {
        case 0: s.lo[i] = s.hi[i] = between(-1, 1)*pow(10.0, between(-spread, spread)); break;
        case 1: s.lo[i] = -INF; break;
        case 2: s.hi[i] = whole(1, 3); break;
        default: break;
      }
    }
    char what[80];
    snprintf(what, sizeof what, "trial %d", trial);
    by_all_methods(trial%2 ? sample_csc(&s, 0, 0) : sample_dense(&s), what);
    sample_free(&s);
  }
}

static void many_were_not_solved(void **state) {
  (void)state;
  if (getenv("PERP_SHOW")) printf("%lld of %lld not solved\n", (long long)unsolved, (long long)solves);
  assert_true(unsolved > solves/20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_the_gallery),
      cmocka_unit_test(on_patchwork),
      cmocka_unit_test(many_were_not_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
