// test_reducible.c: no claim is false on reducible problems in whole numbers, badly scaled and
// under piles of wrappers, against the exact answer.
//
// Block 0 sees no other variables and has small numbers; the others have b up to 1e10 times larger.
// If block 0 alone has no solution the whole has none, whatever tolerance the others might lend it.
// labels: long
#include "exact.h"
#include "support.h"

enum { MOST = 9 };

typedef struct wrapped {        // A(set,set) + shift I between two scalings
  double value[MOST*MOST], b[MOST], lo[MOST], hi[MOST], R[2][MOST], C[2][MOST];
  int32_t set[MOST];
  perp_dense dense;
  perp_wrapper w[4];
  perp_problem problem;
} wrapped;

static int64_t times(double size, int a) { return (int64_t)size*a; }

static void make_row(exact_problem *e, int32_t i, double size) {
  const double unit = uniform() < 0.7 ? size : 1.0;
  e->b[i] = times(size, uniform() < 0.15 ? 0 : whole(-9, 5));
  e->lo[i] = 0;
  e->hi[i] = EXACT_INF;
  switch (whole(0, 9)) {
    case 0: e->lo[i] = -EXACT_INF; break;
    case 1:
      e->lo[i] = times(unit, -whole(0, 3));
      e->hi[i] = e->lo[i] + times(unit, whole(1, 4));
      break;
    case 2:
      e->lo[i] = -EXACT_INF;
      e->hi[i] = times(unit, whole(-2, 2));
      break;
    case 3: e->lo[i] = times(unit, whole(-2, 2)); break;
    case 4: e->lo[i] = e->hi[i] = times(unit, whole(-2, 2)); break;
    default: break;
  }
}

// Returns the rows of block 0, which come first.
static int32_t make(exact_problem *e) {
  int32_t block[MOST], blocks = 0, first = 0;
  double size[MOST];
  *e = (exact_problem){.n = whole(2, 7)};
  for (int32_t i = 0; i < e->n; blocks++) {
    size[blocks] = blocks == 0 ? 1.0 : pow(10.0, whole(4, 10));
    for (int32_t end = i + whole(1, 3); i < end && i < e->n; i++) block[i] = blocks;
  }
  const int symmetric = whole(0, 2) == 0, definite = whole(0, 2) == 0;
  for (int32_t i = 0; i < e->n; i++) {
    for (int32_t j = 0; j < e->n; j++) {
      const double density = block[i] == block[j] ? 0.75 : block[i] > block[j] ? 0.5 : 0.0;
      e->A[i][j] = uniform() < density ? whole(-3, 3) : 0;
    }
    for (int32_t j = 0; symmetric && j < i; j++)
      if (block[i] == block[j]) e->A[j][i] = e->A[i][j];
    if (definite) e->A[i][i] = whole(0, 3);
    make_row(e, i, size[block[i]]);
    first += block[i] == 0;
  }
  return first;
}

static void wrap(const exact_problem *e, wrapped *s) {
  const int32_t n = e->n, extra = whole(0, 1), N = n + extra, out = whole(0, N - 1);
  const int wide = 10*whole(0, 3), piles = whole(0, 2);   // 0: the matrix itself
  const double shift = piles == 2 ? whole(-3, 3) : 0.0;
  double row[MOST], column[MOST];
  int32_t place[MOST];
  for (int32_t i = 0; i < n; i++) place[i] = i;
  for (int32_t i = n - 1; i > 0; i--) {
    const int32_t k = whole(0, i), t = place[i];
    place[i] = place[k], place[k] = t;
  }
  for (int32_t k = 0, m = 0; k < N; k++)
    if (!extra || k != out) s->set[m++] = k;
  for (int32_t k = 0; k < N*N; k++) s->value[k] = whole(-5, 5);
  for (int32_t k = 0; k < n; k++) {
    row[k] = ldexp(1.0, whole(-wide, wide)), column[k] = ldexp(1.0, whole(-wide, wide));
    s->R[0][k] = ldexp(1.0, whole(-12, 12)), s->C[0][k] = ldexp(1.0, whole(-12, 12));
    s->R[1][k] = row[k]/s->R[0][k], s->C[1][k] = column[k]/s->C[0][k];
  }
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = place[i];
    s->b[k] = row[k]*(double)e->b[i];
    s->lo[k] = e->lo[i] == -EXACT_INF ? -INF : (double)e->lo[i]/column[k];
    s->hi[k] = e->hi[i] == EXACT_INF ? INF : (double)e->hi[i]/column[k];
    for (int32_t j = 0; j < n; j++) {
      const int32_t l = place[j];
      s->value[s->set[k]*N + s->set[l]] =
          piles == 0 ? row[k]*(double)e->A[i][j]*column[l]
                     : (double)e->A[i][j] - (i == j ? shift : 0.0);
    }
  }
  s->dense = (perp_dense){.n = N, .value = s->value};
  perp_operator A = perp_from_dense(&s->dense, 0);
  if (extra) A = perp_restricted(&s->w[0], A, s->set, n);
  if (piles == 2) A = perp_shifted(&s->w[1], A, shift);
  for (int k = 0; k < 2 && piles > 0; k++) A = perp_scaled(&s->w[2 + k], A, s->R[k], s->C[k]);
  s->problem = (perp_problem){.A = A, .b = s->b, .lo = s->lo, .hi = s->hi};
}

static void no_claim_is_false(void **state) {
  (void)state;
  static const char *const names[] = {"auto", "pgs", "apgd", "fischer_newton", "minmap_newton",
                                      "principal_pivoting", "lemke", "interior_point", "enumerate"};
  support_state = 4711;
  const int trials = often(250);
  int refused = 0, solvable = 0, missed = 0;
  for (int trial = 0; trial < trials; trial++) {
    exact_problem e;
    const int32_t first = make(&e);
    exact_problem alone = e;
    alone.n = first;
    const exact_verdict truth = exact_solvable(&e, NULL), closed = exact_solvable(&alone, NULL);
    static wrapped s;
    wrap(&e, &s);
    if (truth == EXACT_OVERFLOW || closed == EXACT_OVERFLOW) continue;
    for (size_t k = 0; k < sizeof names/sizeof *names; k++) {
      perp_options options = perp_default_options(perp_find_method(names[k]));
      if (!takes(options.method, &s.problem)) continue;
      if (k > 0 && options.iteration_limit > 300) options.iteration_limit = 300;
      double x[MOST] = {0};
      perp_result r;
      assert_int_equal(perp_solve_once(&s.problem, x, &options, &r), PERP_OK);
      assert_int_equal(r.certificate.weaker, 0);
      const int none = r.status == PERP_STATUS_INFEASIBLE || r.status == PERP_STATUS_NO_SOLUTION;
      if (r.status == PERP_STATUS_SOLVED && closed == EXACT_NO)
        fail_msg("trial %d: %s calls it solved, residual %g", trial, names[k],
                 r.certificate.residual);
      if (none && truth == EXACT_YES) fail_msg("trial %d: %s finds none", trial, names[k]);
      if (k > 0) continue;
      refused += closed == EXACT_NO;
      solvable += truth == EXACT_YES;
      missed += truth == EXACT_YES && r.status != PERP_STATUS_SOLVED;
    }
  }
  assert_true(refused > trials/20 && solvable > trials/5);
  if (missed > solvable/50) fail_msg("auto missed %d of %d", missed, solvable);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_claim_is_false)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
