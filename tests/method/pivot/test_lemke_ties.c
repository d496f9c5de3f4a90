// test_lemke_ties.c: Lemke's method where steps tie: the lexicographic rule is what it says.
//
// Two small codes of the textbook's tableau stand beside it: one with a naive rule for ties, which
// goes round in circles, and one with the lexicographic rule, which must take as many pivots.
#include "support.h"

#include "gallery_sample.h"

enum { MOST = 10, WIDE = 2*MOST + 2 };

typedef enum rule { FIRST, LAST, LEXICOGRAPHIC } rule;
typedef enum outcome { SOLVED, RAY, CYCLE, LONG } outcome;

typedef struct tableau {   // w - M z - e z0 = q: columns w, z, z0, q
  int32_t n;
  double T[MOST][WIDE];
  int32_t basic[MOST];
} tableau;

static int32_t exchange(tableau *t, int32_t row, int32_t column) {
  const int32_t wide = 2*t->n + 2, left = t->basic[row];
  const double pivot = t->T[row][column];
  for (int32_t j = 0; j < wide; j++) t->T[row][j] /= pivot;
  for (int32_t i = 0; i < t->n; i++) {
    const double factor = t->T[i][column];
    if (i == row || factor == 0.0) continue;
    for (int32_t j = 0; j < wide; j++) {
      t->T[i][j] -= factor*t->T[row][j];
      if (fabs(t->T[i][j]) < 1e-11) t->T[i][j] = 0.0;   // small whole numbers: this was 0
    }
  }
  t->basic[row] = column;
  return left;
}

// Row i before row k: (q, B^-1) of i over its pivot is lexicographically smaller.
static int before(const tableau *t, int32_t i, int32_t k, int32_t column, rule how) {
  const double p = t->T[i][column], r = t->T[k][column];
  const double difference = t->T[i][2*t->n + 1]/p - t->T[k][2*t->n + 1]/r;
  if (fabs(difference) > 1e-9) return difference < 0.0;
  if (t->basic[i] == 2*t->n || t->basic[k] == 2*t->n) return t->basic[i] == 2*t->n;
  for (int32_t j = 0; how == LEXICOGRAPHIC && j < t->n; j++) {
    const double d = t->T[i][j]/p - t->T[k][j]/r;
    if (fabs(d) > 1e-9) return d < 0.0;
  }
  return how == LAST ? i > k : i < k;
}

static outcome textbook(const sample *s, rule how, int32_t *pivots) {
  tableau t = {.n = s->n};
  const int32_t n = s->n, z0 = 2*n;
  int32_t row = -1;
  uint32_t seen[512];
  for (int32_t i = 0; i < n; i++) {
    t.basic[i] = i;
    t.T[i][i] = 1.0;
    for (int32_t j = 0; j < n; j++) t.T[i][n + j] = -AT(s, i, j);
    t.T[i][z0] = -1.0;
    t.T[i][z0 + 1] = s->b[i];
    if (s->b[i] >= 0.0) continue;
    const int later = how != FIRST;   // q_i + e^i: of equals the last is the smallest
    if (row < 0 || s->b[i] < s->b[row] || (s->b[i] == s->b[row] && later)) row = i;
  }
  *pivots = 0;
  if (row < 0) return SOLVED;
  int32_t enters = exchange(&t, row, z0) + n;
  for (; *pivots < 512;) {
    uint32_t now = (uint32_t)enters << 24;   // n <= 10: 2n + 1 bits and what enters
    for (int32_t i = 0; i < n; i++) now |= 1u << t.basic[i];
    for (int32_t k = 0; k < *pivots; k++)
      if (seen[k] == now) return CYCLE;
    seen[*pivots] = now;
    row = -1;
    for (int32_t i = 0; i < n; i++)
      if (t.T[i][enters] > 1e-11 && (row < 0 || before(&t, i, row, enters, how))) row = i;
    if (row < 0) return RAY;
    ++*pivots;
    const int32_t left = exchange(&t, row, enters);
    if (left == z0) return SOLVED;
    enters = left < n ? left + n : left - n;
  }
  return LONG;
}

// The conditions of the textbook: no scaling, no crash, no Harris, d = e.
static perp_options plain(int basis) {
  perp_options o = perp_default_options(perp_find_method("lemke"));
  o.presolve = o.scale = 0;
  o.split = PERP_SPLIT_NO;
  o.pivot.crash = o.pivot.harris = 0;
  o.pivot.basis = basis;
  return o;
}

static perp_result solve(const perp_problem *p, const perp_options *o, double *x) {
  perp_result r;
  memset(&r, 0, sizeof r);
  memset(x, 0, (size_t)p->A.n*sizeof *x);
  assert_int_equal(perp_solve_once(p, x, o, &r), PERP_OK);
  return r;
}

// As many pivots as the lexicographic textbook, with either basis, however often it is factored.
static void compare(sample *s, const char *what) {
  int32_t expected;
  double x[MOST], size;
  const outcome ended = textbook(s, LEXICOGRAPHIC, &expected);
  assert_true(ended == SOLVED || ended == RAY);
  sample_csc(s, 0, 0);
  for (int basis = PERP_BASIS_DENSE; basis <= PERP_BASIS_SPARSE; basis++)
    for (int often = 1; often < 100; often += 63) {
      perp_options o = plain(basis);
      o.pivot.refactor = often;
      const perp_result r = solve(&s->problem, &o, x);
      if (ended == RAY) continue;   // other starts go on from here
      if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", what, r.message);
      if (r.iterations != expected)
        fail_msg("%s, n = %d: %d pivots, not %d", what, s->n, r.iterations, expected);
      assert_true(own_residual(s, x, &size) <= 1e-9*(1.0 + size));
    }
}

static void fill(sample *s, const int *M, const int *b) {
  for (int32_t i = 0; i < s->n; i++) {
    for (int32_t j = 0; j < s->n; j++) AT(s, i, j) = M[i*s->n + j];
    s->b[i] = b[i];
  }
}

// Kostreva 1979, example 1 (a P-matrix: x = 1/3), and semidefinite ones that were found by search.
// Naive rules meet a basis twice; ours ends at the solution, Harris or not, crash or not.
static void naive_rules_cycle_and_ours_does_not(void **state) {
  (void)state;
  const struct { int n; rule how; int M[36], b[6]; } cases[] = {
      {3, FIRST, {1, 2, 0, 0, 1, 2, 2, 0, 1}, {-1, -1, -1}},
      {4, LAST, {0, -1, 1, -1, 1, 0, -1, -1, -1, 1, 0, -1, 1, 1, 1, 1}, {0, 0, 0, -3}},
      {5, LAST, {0, 1, -1, -1, 1, -1, 0, -1, -1, -1, 1, 1, 1, 1, 1, 1, 1, -1, 0, -1,
                 -1, 1, -1, 1, 0},
       {0, 4, -5, 0, 0}},
      {6, FIRST, {0, 1, -1, 0, -1, -1, -1, 0, -1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, -1, -1, 0, 1, 1,
                  1, -1, -1, -1, 0, 1, 1, 0, 0, -1, -1, 1}, {0, 0, -3, 1, 0, 0}},
  };
  for (size_t k = 0; k < sizeof cases/sizeof cases[0]; k++) {
    sample s = sample_new(cases[k].n);
    int32_t pivots;
    double x[MOST], size;
    fill(&s, cases[k].M, cases[k].b);
    assert_int_equal(textbook(&s, cases[k].how, &pivots), CYCLE);
    assert_int_equal(textbook(&s, LEXICOGRAPHIC, &pivots), SOLVED);
    compare(&s, "cycle");
    for (int mode = 0; mode < 8; mode++) {
      perp_options o = plain(mode%2 ? PERP_BASIS_DENSE : PERP_BASIS_SPARSE);
      o.pivot.harris = mode/2%2;
      o.pivot.crash = mode/4*10;
      assert_int_equal(solve(&s.problem, &o, x).status, PERP_STATUS_SOLVED);
      assert_true(own_residual(&s, x, &size) <= 1e-9*(1.0 + size));
    }
    sample_free(&s);
  }
}

// Kostreva 1979, example 2, has no solution: naively it never learns so.
static void an_unsolvable_cycle_ends_on_a_ray(void **state) {
  (void)state;
  const int M[] = {1, -1, 3, 2, -1, 3, -1, -2, 0}, b[] = {-1, -1, -1};
  sample s = sample_new(3);
  int32_t pivots;
  double x[3];
  fill(&s, M, b);
  assert_int_equal(textbook(&s, FIRST, &pivots), CYCLE);
  assert_int_equal(textbook(&s, LEXICOGRAPHIC, &pivots), RAY);
  const perp_options o = plain(PERP_BASIS_DENSE);
  const perp_result r = solve(sample_csc(&s, 0, 0), &o, x);
  assert_true(r.status == PERP_STATUS_RAY || r.status == PERP_STATUS_INFEASIBLE);
  sample_free(&s);
}

// b = y - M x for x, y of zeros and ones, complementary or both zero.
static void right_side(sample *s, double zeros) {
  double y[MOST];
  for (int32_t i = 0; i < s->n; i++) {
    s->x[i] = uniform() < 0.5 ? 1.0 : 0.0;
    y[i] = s->x[i] > 0.0 || uniform() < zeros ? 0.0 : 1.0;
  }
  sample_right_side(s, y);
}

// Semidefinite, so that a solution is found: D + skew, entries of {-1, 0, 1}.
static void pivots_are_those_of_the_textbook_on_skew_matrices(void **state) {
  (void)state;
  support_state = 11;
  for (int trial = 0; trial < often(300); trial++) {
    sample s = sample_new(whole(1, MOST));
    for (int32_t i = 0; i < s.n; i++) {
      for (int32_t j = 0; j < i; j++) AT(&s, j, i) = -(AT(&s, i, j) = whole(-1, 1));
      AT(&s, i, i) = whole(0, 1);
    }
    right_side(&s, trial%2 ? 0.8 : 0.2);
    compare(&s, "skew");
    sample_free(&s);
  }
}

// G G' with rows of G that come twice, or are zero: dependent rows, columns that tie throughout.
static void pivots_are_those_of_the_textbook_on_duplicated_rows(void **state) {
  (void)state;
  support_state = 12;
  for (int trial = 0; trial < often(300); trial++) {
    sample s = sample_new(whole(2, 8));
    int G[8][4];
    for (int32_t i = 0; i < s.n; i++)
      for (int k = 0; k < 4; k++)
        G[i][k] = i > 0 && uniform() < 0.4 && k > 0 ? G[i - 1][k] : whole(-1, 1);
    for (int32_t i = 1; i < s.n; i += 2) memcpy(G[i], G[i - 1], sizeof G[i]);
    for (int32_t i = 0; i < s.n; i++)
      for (int32_t j = 0; j < s.n; j++)
        for (int k = 0; k < 4; k++) AT(&s, i, j) += G[i][k]*G[j][k];
    right_side(&s, 0.7);
    compare(&s, "twins");
    sample_free(&s);
  }
}

// All rows alike, b of one value: every step is a tie of all. P = 2 I + ones, x = 1/(n + 2).
static void total_ties(void **state) {
  (void)state;
  for (int32_t n = 1; n <= MOST; n++) {
    sample s = sample_new(n);
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++) AT(&s, i, j) = i == j ? 3 : 1;
      s.b[i] = -1;
    }
    compare(&s, "total ties");
    sample_free(&s);
  }
}

// 2^n - 1 pivots after z0 has entered, whichever the basis.
static void murtys_family_on_both_bases(void **state) {
  (void)state;
  for (int32_t n = 1; n <= 12; n++)
    for (int basis = PERP_BASIS_DENSE; basis <= PERP_BASIS_SPARSE; basis++) {
      perp_sample *s = make_with("murty", 1, "n", (double)n, "variant", 1.0, NULL);
      const perp_options o = plain(basis);
      double x[12];
      const perp_result r = solve(&s->problem, &o, x);
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
      assert_int_equal(r.iterations, (1 << n) - 1);
      for (int32_t i = 0; i < n; i++)
        assert_true(fabs(x[i] - (i == n - 1 ? ldexp(1.0, n) : 0.0)) <= 1e-9*ldexp(1.0, n));
      drop(s);
    }
}

// Boxes of width 1 and whole numbers: steps tie with the entering variable's own bound as well.
static void boxes_tie_too(void **state) {
  (void)state;
  support_state = 13;
  for (int trial = 0; trial < often(300); trial++) {
    sample s = sample_new(whole(1, 9));
    double y[MOST], x[MOST], size;
    for (int32_t i = 0; i < s.n; i++) {
      for (int32_t j = 0; j < i; j++) AT(&s, j, i) = -(AT(&s, i, j) = whole(-1, 1));
      AT(&s, i, i) = whole(0, 1);
      const int kind = whole(0, 3);
      s.lo[i] = kind == 3 ? -INF : 0.0;
      s.hi[i] = kind == 0 ? INF : kind == 3 ? 0.0 : 1.0;
      s.x[i] = kind == 3 ? -whole(0, 1) : whole(0, 1);
      y[i] = kind == 3 ? (s.x[i] == 0.0 ? -whole(0, 1) : 0)
             : s.x[i] == 0.0 ? whole(0, 1) : kind == 0 ? 0 : -whole(0, 1);
    }
    sample_right_side(&s, y);
    sample_csc(&s, 0, 0);
    for (int mode = 0; mode < 4; mode++) {
      perp_options o = plain(mode%2 ? PERP_BASIS_DENSE : PERP_BASIS_SPARSE);
      o.pivot.harris = mode/2;
      const perp_result r = solve(&s.problem, &o, x);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("boxes, n = %d: %s", s.n, r.message);
      assert_true(own_residual(&s, x, &size) <= 1e-9*(1.0 + size));
    }
    sample_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(naive_rules_cycle_and_ours_does_not),
      cmocka_unit_test(an_unsolvable_cycle_ends_on_a_ray),
      cmocka_unit_test(pivots_are_those_of_the_textbook_on_skew_matrices),
      cmocka_unit_test(pivots_are_those_of_the_textbook_on_duplicated_rows),
      cmocka_unit_test(total_ties),
      cmocka_unit_test(murtys_family_on_both_bases),
      cmocka_unit_test(boxes_tie_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
