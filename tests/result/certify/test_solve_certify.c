// test_solve_certify.c: perp_solve and perp_certify agree on every x, near overflow and underflow
// too: whatever the operator, the method, and the way that the solver takes.
// cost: 5
#include <perp/batch.h>

#include "support.h"

static int64_t solved_near_the_end, runs;   // with numbers beyond 1e300; of all

// Both ways: "solved" is certified, and what is not solved is not certified.
static void agree(const perp_problem *p, const double *x, const perp_result *r, const char *who,
                  int exponent) {
  perp_certificate c;
  if (perp_certify(p, x, 1e-8, 0.0, NULL, &c) != PERP_OK) fail_msg("%s", perp_last_message());
  const int solved = r->status == PERP_STATUS_SOLVED;
  runs++;
  solved_near_the_end += solved && abs(exponent) >= 300;
  for (int32_t i = 0; i < p->A.n; i++)
    if (!isfinite(x[i])) fail_msg("%s, 1e%d: x_%d = %g", who, exponent, (int)i, x[i]);
  if (solved != c.solved)
    fail_msg("%s on %s, 1e%d: solve says %s (residual %g), check says %s (residual %g at row %d)",
             who, p->A.ops->name, exponent, perp_status_name(r->status), r->certificate.residual,
             c.solved ? "solved" : "not solved", c.residual, (int)c.worst);
}

static void by_methods(const perp_problem *p, int exponent) {
  static const char *const names[] = {"auto",    "pgs",        "lemke",  "dantzig",
                                      "nncg",    "active_set", "minmap_newton",
                                      "interior_point", "tridiagonal", "principal_pivoting",
                                      "enumerate"};
  const int32_t n = p->A.n;
  double *x = calloc((size_t)n + 1, sizeof *x);
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++) {
    const perp_method *m = perp_find_method(names[k]);
    if (!takes(m, p) || (m->n_max > 0 && n > m->n_max)) continue;
    for (int way = 0; way < 2; way++) {
      perp_options o = perp_default_options(m);
      o.presolve = !way;
      o.iteration_limit = 300;
      perp_result r;
      for (int32_t i = 0; i < n; i++) x[i] = 0.0;
      if (perp_solve_once(p, x, &o, &r) != PERP_OK)
        fail_msg("%s: %s", m->name, perp_last_message());
      agree(p, x, &r, m->name, exponent);
    }
  }
  free(x);
}

// The case that was found: |A||x| + |b| overflows where A x + b does not.
static void a_chain_near_the_largest_double(void **state) {
  (void)state;
  const double M[] = {2, -1, 0, -1, 2, -1, 0, -1, 2};
  const int32_t colptr[] = {0, 2, 5, 7}, row[] = {0, 1, 0, 1, 2, 1, 2};
  const double value[] = {2, -1, -1, 2, -1, -1, 2};
  const perp_dense d = {.n = 3, .value = M};
  const perp_csc s = {3, 3, colptr, row, value};
  for (int k = 0; k < 2; k++)
    for (double size = 1e306; size < 1.7e308; size *= 1.6) {
      const double b[] = {-size, 0, 0};
      const perp_problem p = {.A = k ? perp_from_csc(&s, 0) : perp_from_dense(&d, 0), .b = b};
      by_methods(&p, 308);
    }
}

static double power(int exponent) { return pow(10.0, exponent); }

// Entries of A and b of random sizes around 10^e each.
static void dense_and_sparse_at_every_exponent(void **state) {
  (void)state;
  for (int trial = 0; trial < often(120); trial++) {
    const int32_t n = whole(1, trial%6 == 0 ? 20 : 5);
    const int ea = trial%3 == 0 ? 0 : whole(-308, 307), eb = whole(-308, 307);
    sample s = sample_new(n);
    const int chain = trial%2;
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++)
        AT(&s, i, j) = power(ea)*(i == j ? 2.0 + uniform()
                                  : chain ? (abs(i - j) == 1 ? -1.0 : 0.0)
                                          : between(-1, 1)/n);
    for (int32_t i = 0; i < n; i++) {
      s.b[i] = power(eb)*between(-1, 0.5);
      if (whole(0, 3) == 0) s.lo[i] = -INF;
    }
    const int exponent = abs(ea) > abs(eb) ? ea : eb;
    by_methods(uniform() < 0.5 ? sample_dense(&s) : sample_csc(&s, 0, 0), exponent);
    sample_free(&s);
  }
}

static void products_and_contacts_at_every_exponent(void **state) {
  (void)state;
  for (int trial = 0; trial < often(30); trial++) {
    const int ej = trial%3 == 0 ? 0 : whole(-150, 150), eb = whole(-308, 307);
    // four contacts, each with a normal and a tangent, on two bodies of two degrees of freedom
    const int32_t rowptr[] = {0, 2, 4, 6, 8, 12, 16, 18, 20};
    const int32_t column[] = {0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 0, 1};
    double J[20], W[4], b[12], compliance[8];
    for (int k = 0; k < 20; k++) J[k] = power(ej)*between(-1, 1);
    for (int k = 0; k < 4; k++) W[k] = between(0.5, 2);
    for (int k = 0; k < 12; k++) b[k] = power(eb)*between(-1, 0.5);
    for (int k = 0; k < 8; k++) compliance[k] = power(2*ej)*0.1;
    const perp_product P = {.n = 8, .dofs = 4, .rowptr = rowptr, .column = column, .value = J,
                            .block = 1, .W = W, .compliance = compliance};
    const perp_problem p = {.A = perp_from_product(&P, 0), .b = b};
    by_methods(&p, eb);
    const double direction[] = {1, -1}, mu[] = {0.5, 0.3, 0, 1};
    const perp_contacts C = {.count = 4, .directions = 2, .tangents = 1, .direction = direction,
                             .mu = mu, .B = P};
    double bc[16];
    for (int k = 0; k < 16; k++) bc[k] = k < 12 ? b[k] : 0.0;
    const perp_problem q = {.A = perp_from_contacts(&C, 0), .b = bc};
    by_methods(&q, eb);
  }
}

static void grids_at_every_exponent(void **state) {
  (void)state;
  for (int trial = 0; trial < often(30); trial++) {
    enum { NX = 6, NY = 5 };
    uint8_t type[NX*NY];
    double b[NX*NY], lo[NX*NY], hi[NX*NY];
    const int eh = trial%3 == 0 ? 0 : whole(-150, 150), eb = whole(-308, 307);
    for (int k = 0; k < NX*NY; k++) {
      type[k] = uniform() < 0.7 ? PERP_CELL_LIQUID : uniform() < 0.5 ? PERP_CELL_AIR
                                                                     : PERP_CELL_SOLID;
      b[k] = type[k] == PERP_CELL_LIQUID ? power(eb)*between(-1, 0.6) : 0.0;
    }
    const double h = power(eh);
    const perp_grid g = {.cells = {NX, NY, 1}, .spacing = {h, h, h}, .type = type};
    if (perp_grid_bounds(&g, trial%2, lo, hi) != PERP_OK) fail_msg("%s", perp_last_message());
    const perp_problem p = {.A = perp_from_grid(&g, 0), .b = b, .lo = lo, .hi = hi};
    if (perp_validate(&p) != PERP_OK) continue;   // 1/h^2 may overflow
    by_methods(&p, eb);
  }
}

// The short way of small dense problems, one by one and four at a time.
static void batches_at_every_exponent(void **state) {
  (void)state;
  enum { N = 4, COUNT = 16 };
  for (int trial = 0; trial < often(40); trial++) {
    double M[COUNT][N*N], b[COUNT][N], x[COUNT][N], *at[COUNT];
    perp_dense d[COUNT];
    perp_problem p[COUNT];
    perp_result r[COUNT];
    int exponent[COUNT];
    for (int q = 0; q < COUNT; q++) {
      const int ea = trial%2 ? 0 : whole(-308, 307), eb = whole(-308, 307);
      exponent[q] = abs(ea) > abs(eb) ? ea : eb;
      for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
          M[q][N*i + j] = power(ea)*(i == j ? 2.0 : between(-0.6, 0.6));
        b[q][i] = power(eb)*between(-1, 0.5);
        x[q][i] = 0.0;
      }
      d[q] = (perp_dense){.n = N, .value = M[q]};
      p[q] = (perp_problem){.A = perp_from_dense(&d[q], 0), .b = b[q]};
      at[q] = x[q];
    }
    perp_limits limits = perp_limits_of(&p[0]);
    limits.lanes = 2;
    perp_solver *solver;
    if (perp_solver_create(NULL, &limits, NULL, NULL, &solver) != PERP_OK ||
        perp_solve_batch(solver, p, COUNT, at, r) != PERP_OK)
      fail_msg("%s", perp_last_message());
    for (int q = 0; q < COUNT; q++) agree(&p[q], x[q], &r[q], "batch", exponent[q]);
    perp_solver_destroy(solver);
  }
}

static void problems_near_the_end_are_solved_too(void **state) {
  (void)state;
  if (getenv("PERP_SHOW")) printf("%lld of %lld\n", (long long)solved_near_the_end, (long long)runs);
  assert_true(solved_near_the_end > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_chain_near_the_largest_double),
    cmocka_unit_test(dense_and_sparse_at_every_exponent),
    cmocka_unit_test(products_and_contacts_at_every_exponent),
    cmocka_unit_test(grids_at_every_exponent),
    cmocka_unit_test(batches_at_every_exponent),
    cmocka_unit_test(problems_near_the_end_are_solved_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
