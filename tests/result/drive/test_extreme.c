// test_extreme.c: numbers at both ends of the range of doubles, in every method and kind of matrix.
// The build with the sanitizers looks for undefined behaviour on the way. Here: every call ends, no
// NaN leaves it, and what is called solved is solved.
// labels: long
#include <float.h>

#include "grid_sample.h"

// the smallest denormal, a larger one, numbers whose squares vanish or overflow, the largest one
static const double ends[] = {0x1p-1074, 0x1p-1040, DBL_MIN, 1e-200, 1e-10, 1.0,
                              1e10, 1e200, 1e300, DBL_MAX/16};
enum { ENDS = (int)(sizeof ends/sizeof ends[0]) };
static double extreme(void) { return ends[whole(0, ENDS - 1)]; }
static double signed_extreme(void) { return whole(0, 4) == 0 ? 0.0 : whole(0, 1) ? extreme() : -extreme(); }

static int32_t solves, solved, refused;

static void look(const perp_problem *p, const perp_method *m, const char *kind, int trial) {
  const int32_t n = p->A.n;
  double x[32] = {0};
  assert_true(n <= 32);
  perp_options o = perp_default_options(m);
  o.iteration_limit = 40;
  // A method that runs others gives each of them iterations of its own; the others end by themselves.
  const int meta = (m->traits & PERP_TRAIT_META) != 0;
  o.time_limit = meta ? 0.2 : 20;
  perp_result result;
  const perp_error error = perp_solve_once(p, x, &o, &result);
  if (error != PERP_OK) {
    refused++;
    if (error != PERP_ERROR_UNSUPPORTED && error != PERP_ERROR_PROBLEM)
      fail_msg("%s, %s %d: %s", m->name, kind, trial, perp_last_message());
    return;
  }
  solves++;
  if (result.status == PERP_STATUS_TIME_LIMIT && !meta)
    fail_msg("%s, %s %d does not end: %s", m->name, kind, trial, result.message);
  for (int32_t i = 0; i < n; i++)
    if (x[i] - x[i] != 0.0) fail_msg("%s, %s %d: x[%d] = %g", m->name, kind, trial, i, x[i]);
  const perp_certificate *c = &result.certificate;
  const double numbers[] = {c->residual, c->natural_residual, c->bound_violation, c->gap,
                            result.radius, result.seconds, result.regularization};
  for (size_t k = 0; k < sizeof numbers/sizeof numbers[0]; k++)
    if (numbers[k] != numbers[k])
      fail_msg("%s, %s %d: number %d of the result is NaN", m->name, kind, trial, (int)k);
  if (result.status != PERP_STATUS_SOLVED) return;
  solved++;
  perp_certificate again;
  assert_int_equal(perp_certify(p, x, o.tol, 0, NULL, &again), PERP_OK);
  if (!again.solved) fail_msg("%s, %s %d: solved, but the certificate says no", m->name, kind, trial);
}

static void all_methods(const perp_problem *p, const char *kind, int trial) {
  perp_classes classes;
  if (perp_classify(p, NULL, &classes) == PERP_OK) assert_true(classes.asymmetry == classes.asymmetry);
  for (int32_t k = 0; k < perp_method_count(); k++) look(p, perp_method_at(k), kind, trial);
}

static void bounds(double *lo, double *hi, double *b, int32_t n, int boxed) {
  for (int32_t i = 0; i < n; i++) {
    b[i] = signed_extreme();
    const double u = signed_extreme(), v = signed_extreme();
    const int kind = boxed ? whole(0, 3) : 0;
    lo[i] = kind == 0 ? 0.0 : kind == 1 ? -INF : u < v ? u : v;
    hi[i] = kind <= 1 ? INF : u < v ? v : u;
    if (kind == 1) hi[i] = whole(0, 1) ? INF : u;
  }
}

static void entries(void **state) {
  (void)state;
  for (int trial = 0; trial < fewer(often(60)); trial++) {
    sample s = sample_new(whole(1, 6));
    const int shape = whole(0, 2);   // one size, a size for each row, any
    const double size = extreme();
    for (int32_t i = 0; i < s.n; i++) {
      const double row = extreme();
      for (int32_t j = 0; j < s.n; j++) {
        const double e = shape == 0 ? size : shape == 1 ? row : extreme();
        AT(&s, i, j) = i == j ? e : j > i && whole(0, 1) ? (whole(0, 1) ? 0.25 : -0.25)*e : 0.0;
        if (i > j) AT(&s, i, j) = AT(&s, j, i);
      }
    }
    bounds(s.lo, s.hi, s.b, s.n, whole(0, 1));
    all_methods(sample_dense(&s), "dense", trial);
    all_methods(sample_csc(&s, 0, 0), "csc", trial);
    sample_free(&s);
  }
}

static void grids(void **state) {
  (void)state;
  for (int trial = 0; trial < fewer(often(150)); trial++) {
    grid_sample s = grid_sample_new(whole(1, 4), whole(1, 3), whole(1, 2));
    for (int d = 0; d < 3; d++) {
      const double root[] = {1e-140, 1e-100, 1e-5, 1, 1e5, 1e100, 1e140};
      s.grid.spacing[d] = root[whole(0, 6)];
      size_t count = 1;
      for (int e = 0; e < 3; e++) count *= (size_t)(s.grid.cells[e] + (e == d));
      for (size_t f = 0; f < count; f++) s.face[d][f] = whole(0, 5) == 0 ? 0.0 : extreme();
    }
    for (int32_t h = 0; h < s.n; h++) s.type[h] = (uint8_t)(whole(0, 3) == 0 ? whole(0, 2) : PERP_CELL_LIQUID);
    bounds(s.lo, s.hi, s.b, s.n, whole(0, 1));
    if (trial%3 == 0)
      for (int32_t h = 0; h < s.n; h++) s.lo[h] = -INF;   // closed tanks
    s.problem = (perp_problem){.A = perp_from_grid(&s.grid, 0), .b = s.b, .lo = s.lo, .hi = s.hi};
    all_methods(&s.problem, "grid", trial);
    grid_sample_free(&s);
  }
}

// J W J' and the friction LCP of it
static void contacts(void **state) {
  (void)state;
  for (int trial = 0; trial < fewer(often(60)); trial++) {
    enum { CONTACTS = 2, ROWS = 3*CONTACTS, DOFS = 6 };
    int32_t rowptr[ROWS + 1], column[ROWS*2];
    double value[ROWS*2], W[DOFS], compliance[ROWS], mu[CONTACTS], b[6*CONTACTS], lo[ROWS], hi[ROWS];
    const double direction[8] = {1, 0, 0, 1, -1, 0, 0, -1};
    for (int32_t i = 0; i <= ROWS; i++) rowptr[i] = 2*i;
    for (int32_t i = 0; i < ROWS; i++) {
      column[2*i] = i%3;
      column[2*i + 1] = 3 + i%3;
      value[2*i] = signed_extreme();
      value[2*i + 1] = signed_extreme();
      compliance[i] = whole(0, 1) ? 0.0 : extreme();
    }
    for (int32_t d = 0; d < DOFS; d++) W[d] = extreme();
    for (int32_t c = 0; c < CONTACTS; c++) mu[c] = whole(0, 1) ? 0.5 : extreme();
    bounds(lo, hi, b, ROWS, 1);
    const perp_product J = {.n = ROWS, .dofs = DOFS, .rowptr = rowptr, .column = column,
                            .value = value, .block = 1, .W = W,
                            .compliance = whole(0, 1) ? compliance : NULL};
    const perp_problem product = {.A = perp_from_product(&J, 0), .b = b, .lo = lo, .hi = hi};
    all_methods(&product, "product", trial);
    const perp_contacts friction = {.count = CONTACTS, .directions = 4, .tangents = 2,
                                    .direction = direction, .mu = mu, .B = J};
    for (int32_t i = 0; i < 6*CONTACTS; i++) b[i] = i < CONTACTS ? signed_extreme() : 0.0;
    const perp_problem coulomb = {.A = perp_from_contacts(&friction, 0), .b = b};
    all_methods(&coulomb, "contact", trial);
  }
}

static void something_was_solved(void **state) {
  (void)state;
  print_message("%d solves, %d solved, %d refused\n", solves, solved, refused);
  assert_true(solves > 1000 && solved > solves/10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(entries),
    cmocka_unit_test(grids),
    cmocka_unit_test(contacts),
    cmocka_unit_test(something_was_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
