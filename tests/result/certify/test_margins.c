// test_margins.c: a contradiction below the tolerance is solved and told, one above it is infeasible,
// whatever its size is beside the data, the other rows, the units and the order.
// cost: 6
#include "support.h"

enum { MOST = 14 };
static const double u = 0x1p-53;

typedef enum verdict { SOLVED, INFEASIBLE, EITHER } verdict;

typedef struct judged {      // y_row at the values that no x can change
  double y, data, product;   // data = |b| + |A||x|, product: without |b|
} judged;

static judged judged_at(const sample *s, int32_t row, const double *x) {
  long double y = s->b[row], product = 0.0L;
  for (int32_t j = 0; j < s->n; j++) {
    y += (long double)AT(s, row, j)*x[j];
    product += fabsl((long double)AT(s, row, j)*x[j]);
  }
  return (judged){(double)y, (double)(product + fabsl((long double)s->b[row])), (double)product};
}

// What has to be said of a row that fails by y: 1e-6 around the threshold is left open.
static verdict due(judged at, double tol) {
  const double limit = tol*at.data + 32.0*u*(at.data + at.product);
  return fabs(at.y) <= (1.0 - 1e-6)*limit ? SOLVED : fabs(at.y) >= (1.0 + 1e-6)*limit ? INFEASIBLE
                                                                                      : EITHER;
}

static perp_result solve(const perp_problem *p, const char *name, double tol, double *x, double *v) {
  perp_options o = perp_default_options(perp_find_method(name));
  o.tol = tol;
  o.farkas = v;
  perp_result r;
  for (int32_t i = 0; i < p->A.n; i++) x[i] = v[i] = 0.0;
  if (perp_solve_once(p, x, &o, &r) != PERP_OK) fail_msg("%s", perp_last_message());
  return r;
}

// By the row itself, or by a vector that was too little for a proof.
static int names_it(const perp_result *r) {
  return strstr(r->message, "cannot hold exactly") != NULL ||
         strstr(r->message, "which proves nothing") != NULL;
}

static void say(const sample *s, int32_t row) {
  for (int32_t i = 0; i < s->n; i++) {
    printf("%c%d:", i == row ? '>' : ' ', (int)i);
    for (int32_t j = 0; j < s->n; j++) printf(" %.17g", AT(s, i, j));
    printf(" | %.17g | %g %g | %g\n", s->b[i], s->lo[i], s->hi[i], s->x[i]);
  }
}

// x, v = +-e_row and perp_solve are asked. Returns what was due.
static verdict agrees(sample *s, int32_t row, double tol, int trial, const char *what) {
  const perp_problem *p = trial%2 ? sample_dense(s) : sample_csc(s, 0, 0);
  const judged at = judged_at(s, row, s->x);
  const verdict is = due(at, tol);
  double v[MOST] = {0}, x[MOST], w[MOST];
  v[row] = at.y < 0.0 ? 1.0 : -1.0;
  perp_farkas f;
  perp_certificate c;
  if (perp_check_farkas_within(p, v, tol, 0.0, NULL, &f) != PERP_OK ||
      perp_certify(p, s->x, tol, 0.0, NULL, &c) != PERP_OK)
    fail_msg("%s", perp_last_message());
  const perp_result r = solve(p, "auto", tol, x, w);
  const int solved = r.status == PERP_STATUS_SOLVED, none = r.status == PERP_STATUS_INFEASIBLE;
  const int right = is == SOLVED     ? c.solved && !f.proven && solved
                    : is == INFEASIBLE ? !c.solved && f.proven && none
                                       : !(c.solved && f.proven);
  if (!right) {
    say(s, row);
    fail_msg("%s, trial %d, tol %g: row %d fails by %g of %g (%s is due), x %s, u %s (%g of %g), "
             "solve: %s: %s", what, trial, tol, (int)row, at.y, at.data,
             is == SOLVED ? "solved" : "infeasible", c.solved ? "passes" : "does not", f.proven ?
             "proves" : "does not", -f.value, f.allowed, perp_status_name(r.status), r.message);
  }
  if (solved && fabs(at.y) > 1e-13*at.data && !names_it(&r))
    fail_msg("%s, trial %d: the message does not name the row: %s", what, trial, r.message);
  return is;
}

// The unknowns in another order and other units: powers of two, so that nothing is rounded.
static int32_t shuffled(sample *s, int32_t row, int scales) {
  const int32_t n = s->n;
  for (int32_t k = n - 1; k > 0; k--) {
    const int32_t l = whole(0, k);
    for (int32_t i = 0; i < n; i++) {
      const double t = AT(s, i, k);
      AT(s, i, k) = AT(s, i, l);
      AT(s, i, l) = t;
    }
    for (int32_t j = 0; j < n; j++) {
      const double t = AT(s, k, j);
      AT(s, k, j) = AT(s, l, j);
      AT(s, l, j) = t;
    }
    double *const all[] = {s->b, s->lo, s->hi, s->x};
    for (size_t q = 0; q < sizeof all/sizeof *all; q++) {
      const double t = all[q][k];
      all[q][k] = all[q][l];
      all[q][l] = t;
    }
    row = row == k ? l : row == l ? k : row;
  }
  double r[MOST], c[MOST];
  for (int32_t i = 0; i < n; i++) {
    r[i] = scales ? scaling(1, 6) : 1.0;
    c[i] = scales ? scaling(1, 6) : 1.0;
  }
  rescale(s, r, c, s->x);
  return row;
}

// The right side of a row that sees values which cannot change: it misses its sign by `part` of its
// data, or by rounding alone.
static void contradict(sample *s, int32_t i, double part) {
  const int side = whole(0, 2);   // an equation, y >= 0, y <= 0
  s->lo[i] = side == 1 ? 0.0 : -INF;
  s->hi[i] = side == 2 ? 0.0 : INF;
  s->x[i] = 0.0;
  s->b[i] = 0.0;
  const judged at = judged_at(s, i, s->x);
  const double sign = side == 1 ? -1.0 : side == 2 ? 1.0 : whole(0, 1) ? 1.0 : -1.0;
  s->b[i] = (double)(-(long double)at.y + (long double)sign*part*(at.product + fabs(at.y)));
}

// Rows that see fixed variables alone, beside rows of a solvable problem that see them, too.
static void fixed_variables_are_judged_by_their_own_data(void **state) {
  (void)state;
  int solved = 0, infeasible = 0;
  for (int trial = 0; trial < often(fewer(3000)); trial++) {
    const int32_t fixed = whole(1, 4), checks = whole(1, 3), others = whole(0, 5);
    const int32_t n = fixed + checks + others, first = fixed + checks;
    sample s = sample_new(n);
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) {
        const int check = i >= fixed && i < first;
        const int seen = check ? j < fixed : i < fixed || j < fixed || j >= first;
        AT(&s, i, j) = seen && (check || whole(0, 2) > 0) ? between(-2, 2) : 0.0;
        if (check && whole(0, 9) == 0) AT(&s, i, j) *= 1e6;   // large terms
      }
    for (int32_t j = 0; j < fixed; j++) s.lo[j] = s.hi[j] = s.x[j] = between(-3, 3);
    for (int32_t i = fixed; i < first; i++) contradict(&s, i, 0.0);
    double y[MOST] = {0}, size = pow(10.0, between(-2, 4));
    for (int32_t i = first; i < n; i++) {
      AT(&s, i, i) = 12.0;
      s.x[i] = whole(0, 1) ? size*between(0.1, 1.0) : 0.0;
      y[i] = s.x[i] > 0.0 ? 0.0 : size*between(0.1, 1.0);
    }
    for (int32_t i = first; i < n; i++) s.b[i] = y[i] - judged_at(&s, i, s.x).y;
    const int32_t off = whole(fixed, first - 1);
    contradict(&s, off, pow(10.0, between(-16, 0)));
    const int32_t row = shuffled(&s, off, whole(0, 1));
    const verdict is = agrees(&s, row, pow(10.0, -between(3, 11)), trial, "fixed");
    solved += is == SOLVED;
    infeasible += is == INFEASIBLE;
    sample_free(&s);
  }
  if (getenv("PERP_SHOW")) printf("fixed: %d solved, %d infeasible\n", solved, infeasible);
  assert_true(solved > fewer(600) && infeasible > fewer(600));
}

// A fourth column cannot mend the row: it may not move far, its entry is tiny, or it points away.
static void variables_that_hardly_move_change_nothing(void **state) {
  (void)state;
  for (int trial = 0; trial < often(fewer(600)); trial++) {
    sample s = sample_new(4);
    const int kind = trial%3;
    const double part = pow(10.0, between(-11, 0));
    for (int32_t j = 0; j < 2; j++) {
      s.lo[j] = s.hi[j] = s.x[j] = between(0.5, 3);
      AT(&s, 2, j) = between(0.5, 2);
      AT(&s, j, 2) = -1.0;
    }
    contradict(&s, 2, part);
    const double sign = judged_at(&s, 2, s.x).y < 0.0 ? -1.0 : 1.0;   // away
    AT(&s, 3, 3) = 1.0;
    if (kind == 0) s.hi[1] = s.x[1]*(1.0 + 1e-14);
    if (kind == 1) {
      AT(&s, 2, 3) = between(-1, 1)*1e-13;
      s.hi[3] = 1.0;
    }
    if (kind == 2) AT(&s, 2, 3) = sign*between(0.1, 2.0);
    agrees(&s, shuffled(&s, 2, whole(0, 1)), pow(10.0, -between(3, 9)), trial, "hardly");
    sample_free(&s);
  }
}

// x_1 .. x_k are demanded by equations of their own, one after the other, or are 0. The tolerances of
// these equations flow in, so between the two verdicts there is a gap.
static void variables_that_equations_demand_are_like_fixed_ones(void **state) {
  (void)state;
  int solved = 0, infeasible = 0, proven = 0;
  for (int trial = 0; trial < often(fewer(1500)); trial++) {
    const int32_t k = whole(1, 5), n = k + 1;
    sample s = sample_new(n);
    const int zero = trial%3 == 0;
    for (int32_t i = 0; i < k; i++) {
      const int fixed = i == 0 && whole(0, 1);
      for (int32_t j = 0; j < i; j++) AT(&s, i, j) = whole(0, 1) ? between(-1, 1) : 0.0;
      AT(&s, i, i) = between(1, 3);
      s.x[i] = zero && i > 0 ? 0.0 : between(0.5, 3);
      if (zero && i > 0) AT(&s, i, 0) = 0.0;
      s.lo[i] = fixed ? s.x[i] : -INF;
      s.hi[i] = fixed ? s.x[i] : INF;
      AT(&s, k, i) = between(0.5, 2);
    }
    for (int32_t i = 0; i < k; i++) s.b[i] = (double)(-(long double)judged_at(&s, i, s.x).y);
    const double part = pow(10.0, between(-15, 0)), tol = pow(10.0, -between(4, 9));
    contradict(&s, k, part);
    const int32_t row = shuffled(&s, k, whole(0, 1));
    const perp_problem *p = trial%2 ? sample_dense(&s) : sample_csc(&s, 0, 0);
    double x[MOST], v[MOST];
    const perp_result r = solve(p, "auto", tol, x, v);
    const judged at = judged_at(&s, row, s.x);
    perp_certificate c;
    if (perp_certify(p, s.x, tol, 0.0, NULL, &c) != PERP_OK) fail_msg("%s", perp_last_message());
    const double relative = fabs(at.y)/at.data;
    const int low = relative < 0.9*tol, high = relative > 100.0*tol && relative > 1e-12;
    if ((low && !(r.status == PERP_STATUS_SOLVED && c.solved)) ||
        (high && (r.status == PERP_STATUS_SOLVED || c.solved)) ||
        (r.status == PERP_STATUS_INFEASIBLE && c.solved)) {
      say(&s, row);
      fail_msg("trial %d, tol %g: row %d fails by %g of %g, x %s: %s: %s", trial, tol, (int)row, at.y,
               at.data, c.solved ? "passes" : "does not", perp_status_name(r.status), r.message);
    }
    if (low && relative > 1e-12 && !names_it(&r))
      fail_msg("trial %d: the message does not name the row: %s", trial, r.message);
    solved += low;
    infeasible += high;
    proven += high && r.status == PERP_STATUS_INFEASIBLE;
    sample_free(&s);
  }
  if (getenv("PERP_SHOW"))
    printf("demanded: %d solved, %d infeasible, %d of them proven\n", solved, infeasible, proven);
  assert_true(solved > fewer(300) && infeasible > fewer(300) && proven > infeasible*4/5);
}

// The slack of a contact whose impulses are fixed: y = mu x_n - x_t - x_s >= 0.
static void contacts_are_judged_like_their_entries(void **state) {
  (void)state;
  const int32_t rowptr[] = {0, 1, 2}, column[] = {0, 1};
  const double direction[] = {1.0, -1.0}, J[] = {1.0, 1.0}, W[] = {2.0, 0.0, 0.0, 1.0};
  const double b[] = {-1, 0.5, -0.5, 0};
  for (int trial = 0; trial < 300; trial++) {
    const double part = pow(10.0, between(-15, -1)), tol = pow(10.0, -between(3, 9));
    const double mu = between(0.2, 1), normal = between(0.5, 2), share = between(0.1, 0.9);
    const double t = share*mu*normal, other = (1.0 - share)*mu*normal*(1.0 + part);
    const double lo[] = {normal, t, other, 0.0}, hi[] = {normal, t, other, INF};
    const perp_contacts P = {.count = 1, .directions = 2, .tangents = 1, .direction = direction,
                             .mu = &mu,
                             .B = {.n = 2, .dofs = 2, .rowptr = rowptr, .column = column, .value = J,
                                   .block = 2, .W = W}};
    const perp_problem p = {.A = perp_from_contacts(&P, 0), .b = b, .lo = lo, .hi = hi};
    const double x[] = {normal, t, other, 0.0}, v[] = {0, 0, 0, 1};
    const long double y = (long double)mu*normal - t - other;
    const judged at = {(double)y, mu*normal + t + other, mu*normal + t + other};
    if (!(y < 0.0L)) continue;
    perp_farkas f;
    perp_certificate c;
    if (perp_check_farkas_within(&p, v, tol, 0.0, NULL, &f) != PERP_OK ||
        perp_certify(&p, x, tol, 0.0, NULL, &c) != PERP_OK)
      fail_msg("%s", perp_last_message());
    const verdict is = due(at, tol);
    if ((is == SOLVED && !(c.solved && !f.proven)) || (is == INFEASIBLE && !(f.proven && !c.solved)))
      fail_msg("trial %d, tol %g: fails by %g of %g, x %s, u %s (%g of %g)", trial, tol, at.y, at.data,
               c.solved ? "passes" : "does not", f.proven ? "proves" : "does not", -f.value,
               f.allowed);
    double found[4], w[4];
    const perp_result r = solve(&p, "auto", tol, found, w);
    if ((is == SOLVED && r.status != PERP_STATUS_SOLVED) ||
        (is == INFEASIBLE && r.status != PERP_STATUS_INFEASIBLE))
      fail_msg("trial %d, tol %g: fails by %g of %g: %s: %s", trial, tol, at.y, at.data,
               perp_status_name(r.status), r.message);
  }
}

// A row that fails by half of its data is not hidden by a large b elsewhere, and does not weaken the
// tolerance of the rows beside it.
static void other_rows_keep_their_tolerance(void **state) {
  (void)state;
  const double M[] = {0, 1, 0, 1, 0, 0, 0.001, 0, 1};
  const double x[] = {1e6, 0, -1000};
  for (int off = 0; off < 2; off++) {
    const double lo[] = {1e6, -INF, -INF}, hi[] = {1e6, INF, INF};
    const double b[] = {0, off ? -2e6 : -1e6*(1.0 + 1e-12), 0};
    const perp_dense d = {.n = 3, .value = M};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo, .hi = hi};
    perp_certificate c;
    assert_int_equal(perp_certify(&p, x, 1e-8, 0.0, NULL, &c), PERP_OK);
    assert_int_equal(c.solved, !off);
    // 1e-3 in the third row is 1e-9 of the data of the second, and 1e-6 of its own
    const double wrong[] = {1e6, 0, -1000.001};
    assert_int_equal(perp_certify(&p, wrong, 1e-8, 0.0, NULL, &c), PERP_OK);
    assert_false(c.solved);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fixed_variables_are_judged_by_their_own_data),
    cmocka_unit_test(variables_that_hardly_move_change_nothing),
    cmocka_unit_test(variables_that_equations_demand_are_like_fixed_ones),
    cmocka_unit_test(contacts_are_judged_like_their_entries),
    cmocka_unit_test(other_rows_keep_their_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
