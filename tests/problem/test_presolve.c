// test_presolve.c: presolve and splitting change no answer: nothing is lost, nothing is invented.
// labels: long
#include "support.h"

// A random problem of islands, fixed variables, empty rows and singletons; small whole numbers.
static sample patchwork(int32_t n, int definite) {
  sample s = sample_new(n);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < i; j++) {
      if (whole(0, 2) != 0) continue;
      AT(&s, i, j) = whole(-2, 2);
      AT(&s, j, i) = definite ? AT(&s, i, j) : whole(-2, 2);
    }
  for (int32_t i = 0; i < n; i++) {
    AT(&s, i, i) = definite ? 0 : whole(-1, 3);
    for (int32_t j = 0; j < n && definite; j++)
      if (j != i) AT(&s, i, i) += fabs(AT(&s, i, j));
    if (definite) AT(&s, i, i) += 1;
    s.b[i] = whole(-3, 3);
    switch (whole(0, 7)) {
      case 0: s.lo[i] = s.hi[i] = whole(-1, 2); break;
      case 1: s.lo[i] = -INF; break;
      case 2:
        s.lo[i] = whole(-2, 0);
        s.hi[i] = whole(1, 2);
        break;
      case 3:
        s.lo[i] = -INF;
        s.hi[i] = whole(-1, 1);
        break;
      default: break;
    }
    if (!definite && whole(0, 5) == 0)
      for (int32_t j = 0; j < n; j++) AT(&s, i, j) = j == i && whole(0, 1) ? whole(-1, 2) : 0;
  }
  return s;
}

// The problem as CSC, CSC with stored zeros, dense by rows, by columns, with padding.
typedef struct forms {
  sample *s;
  double wide[40*45];
  perp_dense dense;
} forms;

static perp_problem form(forms *f, int which) {
  sample *s = f->s;
  if (which == 0) return *sample_dense(s);
  if (which == 1) return *sample_csc(s, 0, 0);
  if (which == 2) return *sample_csc(s, 1, 0);
  const int32_t ld = which == 3 ? s->n : s->n + 3;
  for (int32_t k = 0; k < s->n*ld; k++) f->wide[k] = NAN;
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t j = 0; j < s->n; j++) f->wide[which == 4 ? i*ld + j : j*ld + i] = AT(s, i, j);
  f->dense = (perp_dense){.n = s->n, .value = f->wide, .ld = ld, .by_column = which != 4};
  return (perp_problem){.A = perp_from_dense(&f->dense, 0), .b = s->b, .lo = s->lo, .hi = s->hi};
}

static void unique_solutions_agree(void **state) {
  (void)state;
  support_state = 31;
  const char *const names[] = {"pgs", "psor", "nncg", "apgd", "auto"};
  for (int trial = 0; trial < often(400); trial++) {
    sample s = patchwork(whole(1, 24), 1);
    forms f = {.s = &s};
    double reference[24] = {0};
    for (int k = 0; k < 5; k++)
      for (int mode = 0; mode < 4; mode++) {
        const perp_problem p = form(&f, (trial + k + mode)%6);
        perp_options o = perp_default_options(perp_find_method(names[k]));
        o.presolve = mode & 1;
        o.split = mode >> 1;
        double x[24];
        for (int32_t i = 0; i < s.n; i++) x[i] = between(-1, 1);
        perp_result r;
        assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
        double size;
        if (r.status != PERP_STATUS_SOLVED || own_residual(&s, x, &size) > 1e-6*(1 + size))
          fail_msg("trial %d, %s, mode %d: %s, own residual %g", trial, names[k], mode, r.message,
                   own_residual(&s, x, NULL));
        for (int32_t i = 0; i < s.n; i++) {
          if (k == 0 && mode == 0)
            reference[i] = x[i];
          else if (fabs(x[i] - reference[i]) > 1e-5)
            fail_msg("trial %d, %s, mode %d: x[%d] = %.10g, was %.10g", trial, names[k], mode, i,
                     x[i], reference[i]);
        }
      }
    sample_free(&s);
  }
}

// What is left after presolve ends at an x that the certificate of the whole accepts, too. Rows with
// b = 0 next to others whose x goes to 0 are the hard ones: the certificate moves x_i onto its bound,
// where y_i has the sign of the others' errors.
static void what_is_left_ends_solved(void **state) {
  (void)state;
  support_state = 31;
  for (int trial = 0; trial < often(fewer(4000)); trial++) {
    sample s = patchwork(whole(4, 12), 1);
    forms f = {.s = &s};
    for (int32_t i = 0; i < s.n; i++)
      if (whole(0, 1)) s.b[i] = 0;
    for (int split = 0; split < 2; split++) {
      const perp_problem p = form(&f, trial%6);
      perp_options o = perp_default_options(perp_find_method("apgd"));
      o.presolve = 1;
      o.split = split;
      double x[24];
      for (int32_t i = 0; i < s.n; i++) x[i] = between(-1, 1);
      perp_result r;
      assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("trial %d, split %d: %s", trial, split, r.message);
    }
    sample_free(&s);
  }
}

enum { MOST = 600 };
typedef struct collection {
  int32_t n, count, dimension[MOST];
  double x[MOST][8];
} collection;

static int collect(void *context, const double *x, int32_t n, int32_t dimension) {
  collection *c = context;
  assert_int_equal(n, c->n);
  assert_true(c->count < MOST);
  c->dimension[c->count] = dimension;
  memcpy(c->x[c->count++], x, (size_t)n*sizeof *x);
  return 0;
}

static int contains(const collection *c, const double *x, int32_t dimension) {
  for (int32_t k = 0; k < c->count; k++) {
    double far = 0;
    for (int32_t i = 0; i < c->n; i++) far = fmax(far, fabs(c->x[k][i] - x[i]));
    if (far < 1e-7 && c->dimension[k] == dimension) return 1;
  }
  return 0;
}

static void no_solution_is_lost(void **state) {
  (void)state;
  support_state = 32;
  static collection on, off;
  int several = 0, none = 0, infeasible = 0;
  for (int trial = 0; trial < often(1500); trial++) {
    sample s = patchwork(whole(1, 6), 0);
    forms f = {.s = &s};
    perp_result r[2];
    collection *const both[] = {&off, &on};
    for (int k = 0; k < 2; k++) {
      const perp_problem p = form(&f, (trial + 5*k)%6);
      perp_options o = perp_default_options(perp_find_method("enumerate"));
      o.presolve = k;
      o.on_solution = collect;
      o.context = both[k];
      *both[k] = (collection){.n = s.n};
      double x[8] = {0};
      assert_int_equal(perp_solve_once(&p, x, &o, &r[k]), PERP_OK);
      assert_int_equal(r[k].solutions, both[k]->count);
      if (r[k].status == PERP_STATUS_SOLVED && own_residual(&s, x, NULL) > 1e-7)
        fail_msg("trial %d: false success", trial);
      for (int32_t j = 0; j < both[k]->count; j++)
        if (own_residual(&s, both[k]->x[j], NULL) > 1e-7)
          fail_msg("trial %d: reported point is no solution", trial);
    }
    if ((r[0].status == PERP_STATUS_SOLVED) != (r[1].status == PERP_STATUS_SOLVED))
      fail_msg("trial %d: '%s' without, '%s' with presolve", trial, r[0].message, r[1].message);
    // isolated solutions one by one; faces have several representatives
    for (int32_t j = 0; j < off.count; j++)
      if (off.dimension[j] == 0 && !contains(&on, off.x[j], 0))
        fail_msg("trial %d: solution %d lost by presolve", trial, j);
    for (int32_t j = 0; j < on.count; j++)
      if (on.dimension[j] == 0 && !contains(&off, on.x[j], 0))
        fail_msg("trial %d: solution %d invented by presolve", trial, j);
    if (on.count != off.count)
      fail_msg("trial %d: %d pieces with, %d without presolve", trial, on.count, off.count);
    several += on.count > 1;
    none += on.count == 0;
    infeasible += r[1].status == PERP_STATUS_INFEASIBLE;
    assert_int_not_equal(r[0].status, PERP_STATUS_INFEASIBLE);
    sample_free(&s);
  }
  assert_true(several > 50 && none > 50 && infeasible > 20);
}

static void empty_rows(void **state) {
  (void)state;
  const int32_t methods = perp_method_count();
  for (int32_t k = 0; k < methods; k++)
    for (int side = 0; side < 2; side++) {
      const double value[] = {2, 0, 0, 0}, b[] = {-1, side ? 1e-30 : -1e-30},
                   lo[] = {0, side ? -INF : 0}, hi[] = {INF, side ? 5 : INF};
      const int32_t colptr[] = {0, 2, 4}, row[] = {0, 1, 0, 1};  // zeros stored
      const perp_csc c = {2, 2, colptr, row, value};
      const perp_problem p = {.A = perp_from_csc(&c, 0), .b = b, .lo = lo, .hi = hi};
      const perp_options o = perp_default_options(perp_method_at(k));
      double x[] = {0, 0};
      perp_result r;
      if (!takes(o.method, &p)) continue;
      assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
      assert_int_equal(r.status, PERP_STATUS_INFEASIBLE);
      assert_non_null(strstr(r.message, "Row 1 is empty"));
      assert_true(!r.certificate.solved && isfinite(x[0]) && isfinite(x[1]));
    }
  // an empty row with the bound it asks for: x goes there exactly
  for (int32_t k = 0; k < methods; k++) {
    const double M[] = {0, 0, 1, 1}, b[] = {-1e-30, -7}, hi[] = {3, INF};
    const perp_dense d = {.n = 2, .value = M};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .hi = hi};
    const perp_options o = perp_default_options(perp_method_at(k));
    double x[] = {1, 1};
    perp_result r;
    if (!takes(o.method, &p)) continue;
    assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", perp_method_at(k)->name, r.message);
    assert_true(x[0] == 3 && fabs(x[1] - 4) < 1e-6);
  }
}

static void everything_is_dictated(void **state) {  // a triangular chain: presolve finds all values
  (void)state;
  sample s = sample_new(12);
  for (int32_t i = 0; i < 12; i++) {
    AT(&s, i, i) = 2;
    for (int32_t j = 0; j < i; j++) AT(&s, i, j) = (i + j)%3 - 1;
    s.b[i] = i%4 - 2;
    if (i%5 == 0) s.lo[i] = -INF;
  }
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_options o = perp_default_options(perp_method_at(k));
    perp_result r;
    memset(s.x, 0, 12*sizeof *s.x);
    if (!takes(o.method, sample_csc(&s, 0, 0))) continue;
    assert_int_equal(perp_solve_once(&s.problem, s.x, &o, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_int_equal(r.iterations, 0);
    assert_true(own_residual(&s, s.x, NULL) < 1e-13);
  }
  sample_free(&s);
}

static void components(void **state) {  // labels, counted against a search of our own
  (void)state;
  support_state = 33;
  for (int trial = 0; trial < 500; trial++) {
    sample s = patchwork(whole(1, 20), 0);
    int label[20], count = 0, changed;
    for (int32_t i = 0; i < s.n; i++) label[i] = i;
    do {
      changed = 0;
      for (int32_t i = 0; i < s.n; i++)
        for (int32_t j = 0; j < s.n; j++)
          if (AT(&s, i, j) != 0 && label[i] != label[j]) {
            label[i] = label[j] = label[i] < label[j] ? label[i] : label[j];
            changed = 1;
          }
    } while (changed);
    for (int32_t i = 0; i < s.n; i++) count += label[i] == i;
    forms f = {.s = &s};
    for (int which = 0; which < 6; which++) {
      const perp_problem p = form(&f, which);
      perp_certificate c;
      assert_int_equal(perp_certify(&p, s.x, 1e-8, 0, NULL, &c), PERP_OK);
      assert_int_equal(c.components, count);
    }
    sample_free(&s);
  }
}

static void huge_fixed_values(void **state) {  // what moves into b overflows: no NaN, no claim
  (void)state;
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const double M[] = {1, 0, 1e200, 1}, b[] = {0, -1}, lo[] = {1e200, 0}, hi[] = {1e200, INF};
    const perp_dense d = {.n = 2, .value = M};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo, .hi = hi};
    const perp_options o = perp_default_options(perp_method_at(k));
    double x[] = {1e200, 0};
    perp_result r;
    if (!takes(o.method, &p)) continue;
    assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
    assert_true(isfinite(x[0]) && isfinite(x[1]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unique_solutions_agree),
      cmocka_unit_test(what_is_left_ends_solved),
      cmocka_unit_test(no_solution_is_lost),
      cmocka_unit_test(empty_rows),
      cmocka_unit_test(everything_is_dictated),
      cmocka_unit_test(components),
      cmocka_unit_test(huge_fixed_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
