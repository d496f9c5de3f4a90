// test_operator_contacts.c: the contact LCP E13 (27) as an operator is judged, solved and
// classified as the matrix that it is. Its entries are summed by contact_scene.h, not by the
// library.
#include "contact_scene.h"

#include "operator.h"
#include "problem.h"

static contact_scene s;
static const double tol = 1e-8;
// Between residuals in two scalings that both have their maxima at 1: mostly 1, but the fit for the
// matrix moves a contact far that only small entries tie to others.
#define FACTOR 512.0

static scene_kind kind_of(int trial) {
  static const int32_t Ks[] = {3, 4, 5, 8};
  const int plane = trial % 5 == 0;
  return (scene_kind){.count = trial % (CONTACTS + 1), .K = plane ? 2 : Ks[trial % 4],
                      .tangents = plane ? 1 : 2, .boxes = trial/2 % 2, .soft = trial % 7 == 0,
                      .mass = 1.0, .size = pow(10.0, trial % 3 == 1 ? between(-6, 6) : 0.0)};
}

static perp_result solve(const char *method, const perp_problem *p, double *x) {
  const perp_options o = perp_default_options(perp_find_method(method));
  perp_result r;
  if (perp_solve_once(p, x, &o, &r) != PERP_OK) fail_msg("%s: %s", method, perp_last_message());
  return r;
}

static perp_certificate judged(const perp_problem *p, const double *x) {
  perp_certificate c;
  if (perp_certify(p, x, tol, 0.0, NULL, &c) != PERP_OK) fail_msg("%s", perp_last_message());
  return c;
}

// from clearly right to clearly wrong
static void disturb(int32_t n, const double *x, int k, double *z) {
  for (int32_t i = 0; i < n; i++)
    z[i] = x[i]*(1.0 + (whole(0, 3) == 0 ? between(-1, 1)*pow(10.0, -2.0*k) : 0.0));
}

static int32_t blocks_of(const perp_operator *A) {
  static int32_t part[SCENE_ROWS + 1], entries[SCENE_ROWS + 1], block[SCENE_ROWS + 1],
      work[6*SCENE_ROWS + 6];
  int known;
  void *scratch = malloc(operator_scratch_bytes(A) + 1);
  assert_non_null(scratch);
  const int32_t parts = components_find(A, part, entries, &known, scratch),
                blocks = components_strong(A, part, parts, entries, block, work, scratch);
  assert_true(known && blocks >= parts);
  for (int32_t i = 0; i < A->n; i++) assert_true(block[i] >= 0 && block[i] < blocks);
  free(scratch);
  return blocks;
}

typedef struct tally { int solved, not_solved, finer, compared, close; } tally;

// Both verdicts on x. The scalings of both leave all maxima of R A C near 1, in powers of two, so
// the residuals are within a factor. Entries that cancel exactly tie in the operator, not in
// the matrix, which may fall into more blocks then, each judged by its own size.
static void compare(const perp_problem *operator, const perp_problem *csc, const double *x,
                    tally *t) {
  const perp_certificate a = judged(operator, x), b = judged(csc, x);
  assert_false(a.weaker);
  assert_true(a.components <= b.components);
  t->solved += b.solved;
  t->not_solved += !b.solved;
  if (blocks_of(&operator->A) != blocks_of(&csc->A)) {
    assert_true(blocks_of(&operator->A) < blocks_of(&csc->A));
    t->finer++;
    return;
  }
  if (a.residual > 1e-9 && b.residual > 1e-9) {
    if (a.residual > FACTOR*b.residual || b.residual > FACTOR*a.residual)
      fail_msg("residual %.3g as operator, %.3g as matrix", a.residual, b.residual);
    t->compared++;
    t->close += a.residual <= 2.0*b.residual && b.residual <= 2.0*a.residual;
  }
  const int close = b.residual > tol/FACTOR && b.residual < FACTOR*tol;
  if (!close && !a.attainable && !b.attainable) assert_int_equal(a.solved, b.solved);
}

static void as_assembled(void **state) {
  (void)state;
  support_state = 11;
  tally t = {0};
  for (int trial = 0; trial < fewer(often(300)); trial++) {
    const scene_kind kind = kind_of(trial);
    draw_contacts(&s, &kind);
    double x[SCENE_ROWS] = {0}, y[SCENE_ROWS] = {0}, z[SCENE_ROWS];
    perp_operator O = perp_from_contacts(&s.contacts, 0), C = perp_from_csc(&s.csc, 0);
    perp_wrapper wo, wc;
    const double shift = trial % 6 == 1 ? 1e-3 : 0.0;
    if (trial % 6 < 2) {
      O = perp_shifted(&wo, O, shift);
      C = perp_shifted(&wc, C, shift);
    }
    const perp_problem operator = {.A = O, .b = s.b}, csc = {.A = C, .b = s.b};
    const perp_result r = solve(shift > 0.0 ? "lemke" : "auto", &operator, x),
                      q = solve(shift > 0.0 ? "lemke" : "auto", &csc, y);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("trial %d, operator: %s", trial, r.message);
    if (q.status != PERP_STATUS_SOLVED) fail_msg("trial %d, matrix: %s", trial, q.message);
    compare(&operator, &csc, x, &t);
    compare(&operator, &csc, y, &t);
    for (int k = 0; k < 6; k++) {
      disturb(s.n, x, k, z);
      compare(&operator, &csc, z, &t);
    }
  }
  if (is_brief()) return;
  assert_true(t.solved > 1000 && t.not_solved > 500 && t.finer < t.solved);
  assert_true(10*t.close >= 8*t.compared);
}

// Some rows of the operator: contacts without a slack, slacks without a normal.
static void parts_of_it(void **state) {
  (void)state;
  support_state = 15;
  tally t = {0};
  for (int trial = 0; trial < fewer(often(200)); trial++) {
    scene_kind kind = kind_of(trial);
    kind.count = 1 + trial % CONTACTS;
    kind.size = 1.0;
    draw_contacts(&s, &kind);
    int32_t set[SCENE_ROWS], m = 0;
    double b[SCENE_ROWS], x[SCENE_ROWS] = {0}, z[SCENE_ROWS];
    for (int32_t i = 0; i < s.n; i++)
      if (whole(0, 5)) {
        set[m] = i;
        b[m++] = s.b[i];
      }
    perp_wrapper wo, wc;
    const perp_problem operator = {
        .A = perp_restricted(&wo, perp_from_contacts(&s.contacts, 0), set, m), .b = b};
    const perp_problem csc = {
        .A = perp_restricted(&wc, perp_from_csc(&s.csc, 0), set, m), .b = b};
    if (solve("lemke", &csc, x).status != PERP_STATUS_SOLVED) continue;
    compare(&operator, &csc, x, &t);
    for (int k = 0; k < 6; k++) {
      disturb(m, x, k, z);
      compare(&operator, &csc, z, &t);
    }
  }
  assert_true(is_brief() || (t.solved > 200 && t.not_solved > 100 && t.finer < t.solved &&
                              10*t.close >= 8*t.compared));
}

// Masses times 2^k, velocities times 2^m, rows and columns times D: the verdict has no unit. So
// have the bits of the residual, because scalings are powers of two.
static void units_do_not_matter(void **state) {
  (void)state;
  support_state = 12;
  int solved = 0, not_solved = 0;
  for (int trial = 0; trial < fewer(often(200)); trial++) {
    scene_kind kind = kind_of(trial);
    kind.soft = 0;
    kind.size = 1.0;
    draw_contacts(&s, &kind);
    const int32_t slacks = (1 + kind.K)*kind.count;
    double x[SCENE_ROWS] = {0}, z[7][SCENE_ROWS], b[SCENE_ROWS], D[SCENE_ROWS];
    perp_problem p = {.A = perp_from_contacts(&s.contacts, 0), .b = s.b};
    solve("auto", &p, x);
    perp_certificate given[7];
    for (int k = 0; k < 7; k++) {
      if (k < 6) disturb(s.n, x, k, z[k]);
      else memcpy(z[k], x, sizeof x);
      given[k] = judged(&p, z[k]);
      solved += given[k].solved;
      not_solved += !given[k].solved;
    }
    const int mass = 2*whole(-166, 166), size = whole(-300, 300), scaled = trial % 2;
    for (int32_t k = 0; k < s.dofs*s.contacts.B.block; k++) s.W[k] = ldexp(s.W[k], -mass);
    for (int32_t i = 0; i < s.n; i++) {
      D[i] = ldexp(1.0, scaled ? whole(-20, 20) : 0);
      b[i] = D[i]*ldexp(s.b[i], size);
    }
    perp_wrapper w;
    if (scaled) p.A = perp_scaled(&w, p.A, D, D);
    p.b = b;
    for (int k = 0; k < 7; k++) {
      for (int32_t i = 0; i < s.n; i++)
        z[k][i] = ldexp(z[k][i], size + (i < slacks ? mass : 0))/D[i];
      const perp_certificate c = judged(&p, z[k]);
      assert_int_equal(c.solved, given[k].solved);
      assert_int_equal(c.components, given[k].components);
      if (!c.attainable && c.residual != given[k].residual)
        fail_msg("trial %d: %.17g in other units, not %.17g", trial, c.residual, given[k].residual);
    }
    if (trial % 4 == 0) {   // and auto sees through them
      double y[SCENE_ROWS] = {0};
      const perp_result r = solve("auto", &p, y);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("trial %d, 2^%d: %s", trial, mass, r.message);
    }
  }
  assert_true(is_brief() || (solved > 300 && not_solved > 200));
}

// Whatever a method does with the operator, what it calls solved solves the matrix.
static void every_method(void **state) {
  (void)state;
  support_state = 13;
  int by_operator = 0, by_matrix = 0;
  for (int trial = 0; trial < fewer(often(12)); trial++) {
    scene_kind kind = kind_of(trial);
    kind.count = 1 + trial % 5;
    draw_contacts(&s, &kind);
    const perp_problem operator = {.A = perp_from_contacts(&s.contacts, 0), .b = s.b},
                       csc = {.A = perp_from_csc(&s.csc, 0), .b = s.b};
    for (int32_t m = 0; m < perp_method_count(); m++) {
      const perp_method *method = perp_method_at(m);
      perp_options o = perp_default_options(method);
      o.iteration_limit = 500;
      o.time_limit = 0.5;
      double x[SCENE_ROWS] = {0}, y[SCENE_ROWS] = {0};
      perp_result r, q;
      if (!takes(method, &csc)) continue;
      assert_int_equal(perp_solve_once(&csc, y, &o, &q), PERP_OK);
      by_matrix += q.status == PERP_STATUS_SOLVED;
      if (!takes(method, &operator)) continue;
      if (perp_solve_once(&operator, x, &o, &r) != PERP_OK)
        fail_msg("%s: %s", perp_method_name(method), perp_last_message());
      if (r.status == PERP_STATUS_INFEASIBLE || r.status == PERP_STATUS_NO_SOLUTION)
        fail_msg("%s: %s", perp_method_name(method), r.message);
      if (r.status != PERP_STATUS_SOLVED) continue;
      by_operator++;
      for (int32_t i = 0; i < s.n; i++) assert_true(x[i] - x[i] == 0.0);
      const perp_certificate c = judged(&csc, x);
      if (!(c.residual <= FACTOR*tol)) fail_msg("%s: %g", perp_method_name(method), c.residual);
    }
  }
  assert_true(by_operator > 0 && 10*by_operator >= 8*by_matrix);
}

static void same_verdict(const perp_classes *a, const perp_classes *b, perp_class which) {
  if (a->of[which].verdict != PERP_UNKNOWN && a->of[which].verdict != b->of[which].verdict)
    fail_msg("%s: %s, but as matrix: %s", perp_class_name(which), a->of[which].reason,
             b->of[which].reason);
}

static void classes(void **state) {
  (void)state;
  support_state = 14;
  for (int trial = 0; trial < 60; trial++) {
    scene_kind kind = kind_of(trial);
    kind.count = 1 + trial % 6;
    kind.size = 1.0;
    draw_contacts(&s, &kind);
    for (int32_t c = 0; trial % 4 == 0 && c < kind.count; c++) s.mu[c] = 0.0;
    scene_assemble(&s);
    const perp_problem operator = {.A = perp_from_contacts(&s.contacts, 0), .b = s.b},
                       csc = {.A = perp_from_csc(&s.csc, 0), .b = s.b};
    perp_classes a, b;
    assert_int_equal(perp_classify(&operator, NULL, &a), PERP_OK);
    assert_int_equal(perp_classify(&csc, NULL, &b), PERP_OK);
    for (int c = 0; c < PERP_CLASS_COUNT; c++)
      if (c != PERP_CLASS_PSD) same_verdict(&a, &b, (perp_class)c);
    assert_int_equal(a.of[PERP_CLASS_FRICTION].verdict, PERP_YES);
    assert_int_equal(a.of[PERP_CLASS_SYMMETRIC].verdict, PERP_NO);
    int rough = 0;   // mu > 0 stands across from a zero, beside a diagonal of zero
    for (int32_t c = 0; c < s.contacts.count; c++) rough |= s.contacts.mu[c] > 0.0;
    assert_int_equal(a.of[PERP_CLASS_PSD].verdict, rough ? PERP_NO : PERP_YES);
    assert_true(a.components <= b.components);
    assert_true(fabs(a.asymmetry - b.asymmetry) <= 1e-12*b.asymmetry);
  }
}

// A normal that moves no body and approaches: no impulse stops it, and e_0 proves it.
static void infeasible(void **state) {
  (void)state;
  const int32_t rowptr[] = {0, 0, 1}, column[] = {0};
  const double value[] = {1}, W[] = {2}, direction[] = {1, -1}, mu[] = {0.5}, b[] = {-1, 1, -1, 0};
  const perp_contacts contacts = {
      .count = 1, .directions = 2, .tangents = 1, .direction = direction, .mu = mu,
      .B = {.n = 2, .dofs = 1, .rowptr = rowptr, .column = column, .value = value, .block = 1,
            .W = W}};
  const perp_problem p = {.A = perp_from_contacts(&contacts, 0), .b = b};
  perp_farkas f;
  assert_int_equal(perp_check_farkas(&p, (double[]){1, 0, 0, 0}, &f), PERP_OK);
  if (!f.proven) fail_msg("%s", f.reason);
  assert_int_equal(perp_check_farkas(&p, (double[]){1, 0, 0, 1}, &f), PERP_OK);   // mu x_0 grows
  assert_false(f.proven);
  assert_int_equal(perp_check_farkas(&p, (double[]){0, 1, 0, 0}, &f), PERP_OK);
  assert_false(f.proven);
  double x[4] = {0};
  const perp_result r = solve("auto", &p, x);
  assert_int_not_equal(r.status, PERP_STATUS_SOLVED);
  assert_false(judged(&p, (double[]){0, 0, 0, 1}).solved);
}

// A point mass of 2 in the plane with mu = 0.3 that hits the ground with 3 and slides with `speed`.
typedef struct point_mass { perp_contacts contacts; double b[4]; } point_mass;
static perp_problem point_mass_problem(point_mass *m, double speed) {
  static const int32_t rowptr[] = {0, 1, 2}, column[] = {1, 0};
  static const double value[] = {1, 1}, W[] = {0.5, 0.5}, direction[] = {1, -1}, mu[] = {0.3};
  *m = (point_mass){
      .contacts = {.count = 1, .directions = 2, .tangents = 1, .direction = direction, .mu = mu,
                   .B = {.n = 2, .dofs = 2, .rowptr = rowptr, .column = column, .value = value,
                         .block = 1, .W = W}},
      .b = {-3, speed, -speed, 0}};
  return (perp_problem){.A = perp_from_contacts(&m->contacts, 0), .b = m->b};
}

// ln = 2*3 stops the fall; friction takes 0.3 ln of 2*5 and leaves 5 - 0.3*6/2 of the speed. Proofs
// and bounds want entries: of the operator, which has none, they claim nothing and say why; of its
// matrix, written down here, the solution is proven. No bound is known where the diagonal is 0.
static void proofs_want_the_matrix(void **state) {
  (void)state;
  point_mass m;
  const perp_problem operator = point_mass_problem(&m, 5.0);
  static const double exact[] = {6, 0, 1.8, 4.1}, sticks[] = {6, 0, 10, 0},
                      matrix[] = {0.5, 0, 0, 0, 0, 0.5, -0.5, 1, 0, -0.5, 0.5, 1, 0.3, -1, -1, 0};
  const perp_dense dense = {.n = 4, .value = matrix};
  const perp_problem entries = {.A = perp_from_dense(&dense, 0), .b = m.b};
  double lower[4], upper[4], bound[4];
  perp_proof proof;
  perp_bound found;
  assert_int_equal(perp_prove(&operator, exact, NULL, lower, upper, &proof), PERP_OK);
  assert_false(proof.proven);
  assert_non_null(strstr(proof.reason, "'contact' does not show its entries"));
  assert_int_equal(perp_error_bound(&operator, exact, NULL, bound, &found), PERP_OK);
  assert_false(found.known);
  assert_non_null(strstr(found.reason, "'contact' does not show its entries"));
  assert_true(proof.width == (double)INFINITY && found.largest == (double)INFINITY);
  for (int i = 0; i < 4; i++)
    assert_true(lower[i] == -(double)INFINITY && upper[i] == (double)INFINITY &&
                bound[i] == (double)INFINITY);

  assert_true(judged(&operator, exact).solved && judged(&entries, exact).solved);
  for (int k = 0; k < 5; k++) {   // the last x is far away, and still tells which rows are free
    double x[4];
    for (int i = 0; i < 4; i++)
      x[i] = k == 4 ? sticks[i] : exact[i]*(1.0 + (k > 0 ? between(-1, 1)*1e-4 : 0.0));
    assert_int_equal(perp_prove(&entries, x, NULL, lower, upper, &proof), PERP_OK);
    if (!proof.proven) fail_msg("%s", proof.reason);
    assert_int_equal(proof.free_count, 3);
    assert_true(proof.width >= 0.0 && proof.width < 1e-12);
    for (int i = 0; i < 4; i++)   // 1.8, 4.1 and mu are rounded
      assert_true(lower[i] <= upper[i] && lower[i] <= exact[i] + 1e-14 &&
                  upper[i] >= exact[i] - 1e-14);
  }
  assert_int_equal(perp_error_bound(&entries, exact, NULL, bound, &found), PERP_OK);
  assert_false(found.known);
  assert_true(found.reason[0] != 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_assembled), cmocka_unit_test(parts_of_it),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(every_method), cmocka_unit_test(classes), cmocka_unit_test(infeasible),
      cmocka_unit_test(proofs_want_the_matrix),
  };
  return cmocka_run_group_tests_name("contact operator", tests, NULL, NULL);
}
