// test_interior_point.c: monotone problems of every kind have their known answers found.
// cost: 4
#include "support.h"

static perp_options options(int variant, int crossover) {
  perp_options o = perp_default_options(perp_find_method("interior_point"));
  o.iteration_limit = 200;
  o.barrier.variant = variant;
  o.barrier.crossover = crossover;
  return o;
}

static perp_result solve(const perp_problem *p, const perp_options *o, double *x) {
  perp_result r;
  if (perp_solve_once(p, x, o, &r) != PERP_OK) fail_msg("%s", perp_last_message());
  return r;
}

static double *zeros(int32_t n) {
  double *x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

enum { LOW_RANK = 1, SPARSE = 2, SKEW = 4, MIXED = 8, DEGENERATE = 16, SCALED = 32, MODES = 64 };

// A = B'B (+ skew), bounds of several kinds, and b = y - A x for a chosen complementary pair.
static sample monotone(int32_t n, int mode) {
  sample s = sample_new(n);
  double *y = zeros(n), *B = zeros(n*n);
  const int32_t rank = mode & LOW_RANK ? whole(1, n) : n;
  const double density = mode & SPARSE ? 3.0/n : 1.0;
  for (int32_t k = 0; k < rank*n; k++) B[k] = uniform() < density ? between(-1, 1) : 0.0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      for (int32_t k = 0; k < rank; k++) AT(&s, i, j) += B[k*n + i]*B[k*n + j];
  for (int32_t i = 0; mode & SKEW && i < n; i++)
    for (int32_t j = 0; j < i; j++) {
      const double k = uniform() < density ? between(-1, 1) : 0.0;
      AT(&s, i, j) += k;
      AT(&s, j, i) -= k;
    }
  for (int32_t i = 0; i < n; i++) {
    const double size = between(0.1, 1);
    const int kind = mode & MIXED ? whole(0, 4) : 0, side = whole(-1, 1);
    const int both_zero = mode & DEGENERATE && uniform() < 0.3;
    s.lo[i] = kind == 1 || kind == 3 ? -INF : kind == 2 ? -1.0 : 0.0;
    s.hi[i] = kind == 2 || kind == 3 ? 1.0 : kind == 4 ? 0.0 : INF;   // 4: fixed
    s.x[i] = kind == 4 ? 0.0 : kind == 1 ? size : 0.9*size;
    if (kind == 0 && side > 0) s.x[i] = s.lo[i];
    if (kind == 2 && side != 0) s.x[i] = side;
    if (kind == 3 && side > 0) s.x[i] = s.hi[i];
    if (both_zero && kind != 1) s.x[i] = kind == 3 ? s.hi[i] : s.lo[i];
    if (!both_zero && s.x[i] == s.lo[i]) y[i] = between(0.1, 1);
    else if (!both_zero && s.x[i] == s.hi[i]) y[i] = -between(0.1, 1);
  }
  for (int32_t i = 0; mode & SCALED && i < n; i++) {
    const double d = pow(10.0, between(-4, 4));
    for (int32_t j = 0; j < n; j++) {
      AT(&s, i, j) *= d;
      AT(&s, j, i) *= d;
    }
    s.x[i] /= d;
    s.lo[i] /= d;
    s.hi[i] /= d;
    y[i] *= d;
  }
  sample_right_side(&s, y);
  free(y);
  free(B);
  return s;
}

static void monotone_problems_are_solved(void **state) {
  (void)state;
  for (int mode = 0; mode < MODES; mode++)
    for (int k = 0; k < often(12); k++) {
      support_state = (uint64_t)(1000*mode + k + 1);
      sample s = monotone(whole(1, 30), mode);
      double *x = zeros(s.n), size;
      const perp_options o = options(PERP_BARRIER_MEHROTRA, k%2);
      const perp_result r = solve(k%3 ? sample_csc(&s, 0, 0) : sample_dense(&s), &o, x);
      if (r.status != PERP_STATUS_SOLVED)
        fail_msg("mode %d, trial %d, n = %d: %s", mode, k, s.n, r.message);
      const double own = own_residual(&s, x, &size);
      if (!(mode & SCALED) && !(own <= 1e-6*size)) fail_msg("mode %d: residual %g", mode, own);
      free(x);
      sample_free(&s);
    }
}

static void variant_of_the_paper(void **state) {
  (void)state;
  for (int mode = 0; mode < SCALED; mode++)
    for (int k = 0; k < often(4); k++) {
      support_state = (uint64_t)(7000*mode + k + 1);
      sample s = monotone(whole(1, 25), mode);
      double *x = zeros(s.n);
      const perp_options o = options(PERP_BARRIER_PAPER, 1);
      const perp_result r = solve(sample_csc(&s, 0, 0), &o, x);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("mode %d, trial %d: %s", mode, k, r.message);
      free(x);
      sample_free(&s);
    }
}

// Symmetric definite problems have one solution: x itself is known.
static void the_solution_is_the_known_one(void **state) {
  (void)state;
  support_state = 11;
  for (int k = 0; k < often(40); k++) {
    sample s = sample_new(whole(1, 40));
    double *y = zeros(s.n), *x = zeros(s.n);
    symmetric_definite(&s);
    for (int32_t i = 0; i < s.n; i++) s.x[i] = between(-2, 2);
    for (int32_t i = 0; i < s.n; i++) y[i] = complementary(&s, i);
    sample_right_side(&s, y);
    const perp_options o = options(k%2, 1);
    const perp_result r = solve(sample_csc(&s, 0, 0), &o, x);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s", r.message);
    for (int32_t i = 0; i < s.n; i++) assert_true(fabs(x[i] - s.x[i]) <= 1e-6);
    free(x);
    free(y);
    sample_free(&s);
  }
}

// min 1/2 v'Qv + c'v with E v = e, G v >= g: rows [Q -E' -G'; E 0 0; G 0 0], the multipliers of the
// equations free. Q has rank m/2, and an equation is stated twice.
static void quadratic_programs(void **state) {
  (void)state;
  support_state = 12;
  for (int trial = 0; trial < often(40); trial++) {
    const int32_t m = whole(4, 24), equations = whole(1, m/3) + 1, inequalities = whole(1, m);
    const int32_t n = m + equations + inequalities;
    sample s = sample_new(n);
    double *y = zeros(n), *x = zeros(n), *B = zeros(m*m);
    for (int32_t k = 0; k < m/2*m; k++) B[k] = between(-1, 1);
    for (int32_t i = 0; i < m; i++)
      for (int32_t j = 0; j < m; j++)
        for (int32_t k = 0; k < m/2; k++) AT(&s, i, j) += B[k*m + i]*B[k*m + j];
    for (int32_t r = m; r < n; r++)
      for (int32_t j = 0; j < m; j++) {
        const double a = r == m + 1 ? AT(&s, m, j) : uniform() < 0.6 ? between(-1, 1) : 0.0;
        AT(&s, r, j) = a;
        AT(&s, j, r) = -a;
      }
    for (int32_t i = 0; i < n; i++) {
      const int free_row = i >= m && i < m + equations;
      const int bounded = uniform() < 0.5;
      s.lo[i] = free_row || (i < m && !bounded) ? -INF : 0.0;
      const int at_bound = s.lo[i] == 0.0 && uniform() < 0.5;
      s.x[i] = at_bound ? 0.0 : s.lo[i] == 0.0 ? between(0.1, 1) : between(-1, 1);
      y[i] = at_bound ? between(0.1, 1) : 0.0;
    }
    sample_right_side(&s, y);
    s.b[m + 1] = s.b[m];
    const perp_options o = options(PERP_BARRIER_MEHROTRA, trial%2);
    const perp_result r = solve(sample_csc(&s, 0, 0), &o, x);
    if (r.status != PERP_STATUS_SOLVED)
      fail_msg("trial %d, %d + %d + %d rows: %s", trial, m, equations, inequalities, r.message);
    double value = 0.0, known = 0.0;   // all minimisers have the same objective
    for (int32_t i = 0; i < m; i++)
      for (int32_t j = 0; j < m; j++) {
        value += 0.5*x[i]*AT(&s, i, j)*x[j] + (j == 0 ? s.b[i]*x[i] : 0.0);
        known += 0.5*s.x[i]*AT(&s, i, j)*s.x[j] + (j == 0 ? s.b[i]*s.x[i] : 0.0);
      }
    assert_true(fabs(value - known) <= 1e-5*(1 + fabs(known)));
    free(x);
    free(y);
    free(B);
    sample_free(&s);
  }
}

// Moves u to w by the least change of its support with A_e'w = 0 in the columns e that are `missed`:
// (A_e'A_e) z = -A_e'u, w = u + A_e z, in long double.
static int move_onto(const sample *s, const double *u, const int32_t *missed, int32_t count,
                     long double *w) {
  enum { MOST = 24 };
  long double N[MOST][MOST + 1];
  for (int32_t p = 0; p < count; p++) {
    for (int32_t q = 0; q <= count; q++) N[p][q] = 0.0L;
    for (int32_t i = 0; i < s->n; i++) {
      if (u[i] == 0.0) continue;
      N[p][count] -= (long double)AT(s, i, missed[p])*u[i];
      for (int32_t q = 0; q < count; q++)
        N[p][q] += (long double)AT(s, i, missed[p])*AT(s, i, missed[q]);
    }
  }
  for (int32_t p = 0; p < count; p++) {   // Gauss and Jordan; the matrix is positive definite
    if (!(N[p][p] > 0.0L)) return 0;
    for (int32_t q = 0; q < count; q++) {
      const long double factor = q == p ? 0.0L : N[q][p]/N[p][p];
      for (int32_t k = p; k <= count && q != p; k++) N[q][k] -= factor*N[p][k];
    }
  }
  for (int32_t i = 0; i < s->n; i++) {
    w[i] = u[i];
    for (int32_t p = 0; p < count && u[i] > 0.0; p++)
      w[i] += (long double)AT(s, i, missed[p])*N[p][count]/N[p][p];
  }
  return 1;
}

// Is u some w >= 0 with A'w <= 0 and b'w < 0, rounded to doubles? Without the library: w is zero
// along the columns whose sign u misses, and along those that turn positive by that.
static int exact_vector_is_near(const sample *s, const double *u) {
  enum { MOST = 24 };
  const int32_t n = s->n;
  int32_t missed[MOST], count = 0;
  int chosen[MOST] = {0};
  long double w[MOST], b = 0.0L, most = 0.0L;
  assert_true(n < MOST);
  for (int32_t i = 0; i < n; i++) most = fmaxl(most, fabs(u[i]));
  for (int added = 1; added;) {
    if (!move_onto(s, u, missed, count, w)) return 0;
    added = 0;
    for (int32_t j = 0; j < n; j++) {
      long double along = 0.0L, size = 0.0L;
      for (int32_t i = 0; i < n; i++) {
        along += (long double)AT(s, i, j)*w[i];
        size += fabsl((long double)AT(s, i, j)*w[i]);
      }
      if (chosen[j] ? fabsl(along) > 1e-17L*size : !(along <= 0.0L)) {
        if (chosen[j]) return 0;   // the columns are dependent
        chosen[j] = added = 1;
        missed[count++] = j;
      }
    }
  }
  for (int32_t i = 0; i < n; i++) {
    if (w[i] < 0.0L || fabsl(w[i] - u[i]) > 1e-12L*most) return 0;
    b += w[i]*s->b[i];
  }
  return b < 0.0L;
}

// Built on a Farkas vector u: A u = 0, b'u < 0.
static void infeasible_problems_are_proved(void **state) {
  (void)state;
  int proved = 0, trials = often(fewer(60));
  for (int k = 0; k < trials; k++) {
    support_state = (uint64_t)(500 + k);
    const int32_t n = whole(6, 20);
    sample s = sample_new(n);
    double *u = zeros(n), *x = zeros(n), *B = zeros(n*n), uu = 0.0, ub = 0.0;
    for (int32_t i = 0; i < n; i++) {
      const int kind = k%2 && i >= 2 ? whole(0, 2) : 0;   // two rows at least are in u
      s.lo[i] = kind == 1 ? -INF : 0.0;
      s.hi[i] = kind == 2 ? 1.0 : INF;
      u[i] = kind == 2 ? 0.0 : i < 2 || uniform() < 0.5 ? between(0.1, 1) : 0.0;
      uu += u[i]*u[i];
    }
    for (int32_t r = 0; r < n; r++) {
      double along = 0.0;
      for (int32_t i = 0; i < n; i++) along += (B[r*n + i] = between(-1, 1))*u[i]/uu;
      for (int32_t i = 0; i < n; i++) B[r*n + i] -= along*u[i];
    }
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++)
        for (int32_t r = 0; r < n; r++) AT(&s, i, j) += B[r*n + i]*B[r*n + j];
    for (int32_t i = 0; i < n; i++) ub += (s.b[i] = between(-1, 1))*u[i];
    for (int32_t i = 0; i < n; i++) s.b[i] -= (ub + 0.3*sqrt(uu))/uu*u[i];
    // A u = 0 holds up to rounding only, so a proof needs an exact vector near u, or a radius
    perp_options o = options(PERP_BARRIER_MEHROTRA, 1), whole_way = perp_default_options(NULL);
    o.farkas = whole_way.farkas = B;   // n of its numbers
    const perp_result r = solve(sample_csc(&s, 0, 0), &o, x);
    if (r.status == PERP_STATUS_SOLVED) fail_msg("trial %d is solved", k);
    if (r.status == PERP_STATUS_INFEASIBLE && k%2 == 0) assert_true(exact_vector_is_near(&s, B));
    const perp_result last = solve(&s.problem, &whole_way, x);
    const int small = last.status == PERP_STATUS_NO_SMALL_SOLUTION,
              none = last.status == PERP_STATUS_INFEASIBLE;
    assert_true(!none || last.radius == INF);
    assert_true(!small || last.radius > 1e6);
    if (none && k%2 == 0) assert_true(exact_vector_is_near(&s, B));
    proved += none || small;
    free(u);
    free(x);
    free(B);
    sample_free(&s);
  }
  if (!(proved >= 9*trials/10)) fail_msg("%d of %d proved", proved, trials);
}

typedef struct setting {
  const char *family, *name;
  double value;
} setting;

static void families(void **state) {   // both variants, from the gallery's own answers
  (void)state;
  static const setting settings[] = {
      {"wall", "bodies", 12},  {"fluid2d", "size", 12},  {"fluid3d", "size", 6},
      {"bearing", "nx", 20},   {"bearing", "ny", 20},    {"obstacle", "size", 15},
      {"torsion", "nx", 15},   {"torsion", "ny", 15},    {"dense-pd", "n", 60},
      {"dense-psd", "n", 60},  {"mixed", "n", 60},       {"m-matrix", "n", 200},
      {"fathi", "n", 12},      {"toolbox-fluid", "size", 6},
  };
  static const char *const names[] = {"wall", "fluid2d", "fluid3d", "bearing", "obstacle",
                                      "torsion", "dense-pd", "dense-psd", "mixed", "m-matrix",
                                      "fathi", "toolbox-fluid"};
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++) {
    const perp_family *family = perp_find_family(names[k]);
    assert_non_null(family);
    for (int variant = 0; variant < 8; variant++) {
      double values[32];
      for (int32_t q = 0; q < family->parameter_count; q++) {
        const perp_gallery_parameter *p = &family->parameters[q];
        values[q] = p->initial;
        for (size_t z = 0; z < sizeof settings/sizeof settings[0]; z++)
          if (strcmp(settings[z].family, family->name) == 0 &&
              strcmp(settings[z].name, p->name) == 0)
            values[q] = settings[z].value;
        if (strcmp(p->name, "built") == 0) values[q] = variant & 1;
        if (strcmp(p->name, "degenerate") == 0) values[q] = variant & 2 ? 0.3 : 0.0;
      }
      perp_sample g;
      if (perp_generate(family, values, 3, &g) != PERP_OK) fail_msg("%s", perp_last_message());
      double *x = zeros(g.n);
      const perp_options o = options(variant & 4 ? PERP_BARRIER_PAPER : PERP_BARRIER_MEHROTRA, 1);
      const perp_result r = solve(&g.problem, &o, x);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", g.note, r.message);
      double size;
      const double own = csc_residual(&g.csc, g.b, g.lo, g.hi, x, &size);
      if (!(own <= 1e-6*size)) fail_msg("%s: residual %g of %g", g.note, own, size);
      free(x);
      perp_sample_free(&g);
    }
  }
}

static void nothing_and_one(void **state) {
  (void)state;
  const struct {
    double a, b, lo, hi, x;
  } cases[] = {{1, -9.8, 0, INF, 9.8}, {1, 9.8, 0, INF, 0}, {2, -9.8, 0, 1, 1},
               {2, 9.8, -3, 1, -3},    {2, 9.8, -INF, INF, -4.9}, {0, 0, 0, INF, 0},
               {2, 9.8, 4, 4, 4},      {1, 1, -INF, -2, -2}, {0, -1, 0, 5, 5}};
  for (size_t k = 0; k < sizeof cases/sizeof cases[0]; k++)
    for (int presolve = 0; presolve < 2; presolve++)
      for (int variant = 0; variant < 2; variant++) {
        const perp_dense M = {.n = 1, .value = &cases[k].a};
        const perp_problem p = {.A = perp_from_dense(&M, 0), .b = &cases[k].b,
                                .lo = &cases[k].lo, .hi = &cases[k].hi};
        perp_options o = options(variant, 1);
        o.presolve = presolve;
        double x = 0.0;
        const perp_result r = solve(&p, &o, &x);
        if (r.status != PERP_STATUS_SOLVED) fail_msg("case %d: %s", (int)k, r.message);
        if (cases[k].a != 0.0 || cases[k].b != 0.0) assert_true(fabs(x - cases[k].x) <= 1e-7);
      }
  sample s = sample_new(0);
  double x = 5.0;
  const perp_options o = options(0, 1);
  assert_int_equal(solve(sample_dense(&s), &o, &x).status, PERP_STATUS_SOLVED);
  sample_free(&s);
}

// Not monotone: whatever happens, nothing false is claimed and it ends.
static void other_problems_end_honestly(void **state) {
  (void)state;
  support_state = 13;
  for (int k = 0; k < often(300); k++) {
    sample s = random_known(whole(1, 12));
    double *x = zeros(s.n), size;
    const perp_options o = options(k%2, k%3 != 0);
    const perp_result r = solve(sample_csc(&s, 0, 0), &o, x);
    assert_int_not_equal(r.status, PERP_STATUS_INFEASIBLE);   // s.x is a solution
    for (int32_t i = 0; i < s.n; i++) assert_true(isfinite(x[i]));
    if (r.status == PERP_STATUS_SOLVED) assert_true(own_residual(&s, x, &size) <= 1e-5*size);
    free(x);
    sample_free(&s);
  }
}

// MNS08 4 on a wall of its kind and on the bearing: one factorisation an iteration, and about as
// many as in its Table 3 (16 to 19) until (4.2) is below 1e-8.
static void counts_of_the_paper(void **state) {
  (void)state;
  static const char *const names[] = {"wall", "bearing"};
  for (int k = 0; k < 2; k++) {
    const perp_family *family = perp_find_family(names[k]);
    double values[32];
    for (int32_t i = 0; i < family->parameter_count; i++)
      values[i] = strcmp(family->parameters[i].name, "bodies") == 0 ? 20
                                                                    : family->parameters[i].initial;
    perp_sample g;
    assert_int_equal(perp_generate(family, values, 0, &g), PERP_OK);
    double *x = zeros(g.n);
    perp_options o = options(1, 0);
    o.stop.measure = PERP_MEASURE_MNS08_R2;
    o.stop.tol = 1e-8;
    const perp_result r = solve(&g.problem, &o, x);
    assert_int_equal(r.status, PERP_STATUS_MEASURE);
    assert_int_equal(r.factorizations, r.iterations);
    assert_true(r.factorizations >= 12 && r.factorizations <= 23);
    free(x);
    perp_sample_free(&g);
  }
}

static double endless_clock(void *context) {   // a second passes with every look
  double *now = context;
  return *now += 1.0;
}

static void limits_are_kept(void **state) {
  (void)state;
  support_state = 14;
  sample s = monotone(40, SPARSE | MIXED);
  double *x = zeros(s.n), now = 0.0;
  perp_options o = options(0, 1);
  o.iteration_limit = 1;
  assert_int_equal(solve(sample_csc(&s, 0, 0), &o, x).status, PERP_STATUS_ITERATION_LIMIT);
  o.iteration_limit = 100;
  o.time_limit = 3.0;
  o.clock = endless_clock;
  o.clock_context = &now;
  memset(x, 0, (size_t)s.n*sizeof *x);
  assert_int_equal(solve(sample_csc(&s, 0, 0), &o, x).status, PERP_STATUS_TIME_LIMIT);
  free(x);
  sample_free(&s);
}

// The matrix of a strip of grid points is tridiagonal: a factor without fill has n - 1 entries
// below the diagonal; up to a dozen a column are stored where columns are taken together. A dense
// one has no count.
static void the_factor_is_counted(void **state) {
  (void)state;
  for (int small = 0; small < 2; small++) {
    const perp_family *bearing = perp_find_family("bearing");
    double values[8];
    for (int32_t k = 0; k < bearing->parameter_count; k++) {
      const perp_gallery_parameter *p = &bearing->parameters[k];
      values[k] = !strcmp(p->name, "nx") ? (small ? 20 : 400) : !strcmp(p->name, "ny") ? 1
                                                                                      : p->initial;
    }
    perp_sample g;
    assert_int_equal(perp_generate(bearing, values, 1, &g), PERP_OK);
    double *x = zeros(g.n);
    const perp_options o = options(0, 1);
    const perp_result r = solve(&g.problem, &o, x);
    assert_true(r.status == PERP_STATUS_SOLVED && r.factorizations > 0);
    if (small) assert_int_equal(r.factor_nonzeros, 0);
    else assert_in_range((uintmax_t)r.factor_nonzeros, g.n - 1, 16*g.n);
    free(x);
    perp_sample_free(&g);
  }
}

// A strip of grid points: x is thousands of times as large as b, from which the start is made.
static void solutions_far_from_the_start(void **state) {
  (void)state;
  const perp_family *bearing = perp_find_family("bearing");
  for (int nx = 600; nx <= 1200; nx += 200) {
    double values[8];
    for (int32_t k = 0; k < bearing->parameter_count; k++) {
      const perp_gallery_parameter *p = &bearing->parameters[k];
      values[k] = !strcmp(p->name, "nx") ? nx : !strcmp(p->name, "ny") ? 1 : p->initial;
    }
    perp_sample g;
    assert_int_equal(perp_generate(bearing, values, 1, &g), PERP_OK);
    double *x = zeros(g.n);
    const perp_options o = options(0, 1);
    const perp_result r = solve(&g.problem, &o, x);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%d points: %s", nx, r.message);
    free(x);
    perp_sample_free(&g);
  }
}

// Blocks that 0 solves exactly, with no b to judge an x by: only zeros pass there. A scaled
// operator is not taken apart beforehand, so the method meets them.
static void blocks_with_nothing_to_do(void **state) {
  (void)state;
  const double A[] = {1, 0, 0, 0, 0,
                      0, 9, 3, 0, 0,
                      0, 3, 4, 0, 0,
                      0, 0, 0, 2, 1,
                      0, 0, 0, 1, 2};
  const double b[] = {0, 9, -5, 0, 0}, one[] = {1, 1, 1, 1, 1}, inf = (double)INFINITY;
  const double lo[] = {0, -inf, 0, -inf, 0}, hi[] = {inf, inf, inf, inf, 1};
  const double exact[] = {0, -51.0/27.0, 72.0/27.0, 0, 0};   // 9 x1 + 3 x2 = -9, 3 x1 + 4 x2 = 5
  const perp_dense D = {.n = 5, .value = A};
  for (int paper = 0; paper < 2; paper++) {
    perp_wrapper wrapper;
    const perp_problem p = {.A = perp_scaled(&wrapper, perp_from_dense(&D, PERP_CLAIM_NONE), one,
                                             one), .b = b, .lo = lo, .hi = hi};
    const perp_options o = options(paper, 1);
    double x[] = {0.3, 0.3, 0.3, 0.3, 0.3};
    const perp_result r = solve(&p, &o, x);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_true(r.iterations < 50);
    for (int i = 0; i < 5; i++) assert_true(fabs(x[i] - exact[i]) <= 1e-7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(monotone_problems_are_solved),
      cmocka_unit_test(variant_of_the_paper),
      cmocka_unit_test(the_solution_is_the_known_one),
      cmocka_unit_test(quadratic_programs),
      cmocka_unit_test(infeasible_problems_are_proved),
      cmocka_unit_test(families),
      cmocka_unit_test(nothing_and_one),
      cmocka_unit_test(other_problems_end_honestly),
      cmocka_unit_test(counts_of_the_paper),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(the_factor_is_counted),
    cmocka_unit_test(solutions_far_from_the_start),
      cmocka_unit_test(blocks_with_nothing_to_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
