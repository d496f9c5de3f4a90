// test_multigrid.c: large membranes in a number of iterations that does not grow with their size.
// cost: 3
#include "support.h"

static perp_result solve(const char *family, const double *values, perp_sample *s, double *x) {
  assert_int_equal(perp_generate(perp_find_family(family), values, 1, s), PERP_OK);
  const perp_method *method = perp_find_method("multigrid");
  perp_options options = perp_default_options(method);
  perp_result result;
  for (int32_t i = 0; i < s->n; i++) x[i] = 0.0;
  assert_int_equal(perp_solve_once(&s->problem, x, &options, &result), PERP_OK);
  return result;
}

static double objective(const perp_sample *s, const double *x) {
  double sum = 0.0, mend = 0.0;
  for (int32_t j = 0; j < s->n; j++) {
    double y = 0.0;
    for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
      y += s->csc.value[p]*x[s->csc.row[p]];
    const double term = x[j]*(0.5*y + s->problem.b[j]) - mend, next = sum + term;
    mend = (next - sum) - term;
    sum = next;
  }
  return sum;
}

// The residual of the natural map, here and without the library.
static double natural(const perp_sample *s, const double *x) {
  double worst = 0.0;
  for (int32_t j = 0; j < s->n; j++) {
    double y = s->problem.b[j];
    for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
      y += s->csc.value[p]*x[s->csc.row[p]];
    const double lo = s->problem.lo != NULL ? s->problem.lo[j] : 0.0;
    const double hi = s->problem.hi != NULL ? s->problem.hi[j] : INF;
    worst = fmax(worst, fabs(x[j] - fmin(fmax(x[j] - y, lo), hi)));
  }
  return worst;
}

// MINPACK-2's minima of the journal bearing, from 50 x 50 to 200 x 200 points.
static void bearings(void **state) {
  (void)state;
  static const struct { double n, e, minimum, digits; } known[] = {
    {50, 0.1, -0.180487995, 1e-9}, {50, 0.99, -60.15092732, 1e-8},
    {100, 0.1, -0.1805743697, 1e-10}, {200, 0.1, -0.1805975448, 1e-10}};
  for (size_t k = 0; k < sizeof known/sizeof known[0]; k++) {
    const double values[] = {known[k].n, known[k].n, known[k].e, 10.0};
    double *x = calloc((size_t)(known[k].n*known[k].n), sizeof *x);
    perp_sample s;
    const perp_result result = solve("bearing", values, &s, x);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_in_range(result.iterations, 1, 14);
    assert_true(fabs(objective(&s, x) - known[k].minimum) <= known[k].digits);
    assert_true(natural(&s, x) <= 1e-9);
    perp_sample_free(&s);
    free(x);
  }
}

// Two-sided bounds, and an obstacle that is no plane: four times the points, not more iterations.
static void membranes(void **state) {
  (void)state;
  for (int32_t m = 63; m <= 255; m = 2*m + 1) {
    double *x = calloc((size_t)m*(size_t)m, sizeof *x);
    perp_sample s;
    const double size[] = {m}, twist[] = {m, m, 5.0};
    perp_result result = solve("obstacle", size, &s, x);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_in_range(result.iterations, 1, 14);
    assert_true(natural(&s, x) <= 1e-8);
    perp_sample_free(&s);
    result = solve("torsion", twist, &s, x);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_in_range(result.iterations, 1, 14);
    assert_true(natural(&s, x) <= 1e-8);
    int32_t plastic = 0, elastic = 0;
    for (int32_t i = 0; i < s.n; i++) {
      plastic += x[i] >= s.problem.hi[i];
      elastic += x[i] < s.problem.hi[i] && x[i] > s.problem.lo[i];
    }
    assert_true(plastic > s.n/4 && elastic > s.n/100);
    perp_sample_free(&s);
    free(x);
  }
}

// A good guess is used: from the solution it takes no more than a look.
static void guess(void **state) {
  (void)state;
  const double values[] = {120, 120, 0.1, 10.0};
  double *x = calloc(120*120, sizeof *x);
  perp_sample s;
  solve("bearing", values, &s, x);
  perp_options options = perp_default_options(perp_find_method("multigrid"));
  perp_result result;
  for (int32_t i = 0; i < s.n; i++) x[i] *= 1.0 + 1e-6*sin(i);
  assert_int_equal(perp_solve_once(&s.problem, x, &options, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_SOLVED);
  assert_in_range(result.iterations, 0, 4);
  perp_sample_free(&s);
  free(x);
}

// Whatever is not symmetric is refused at once, by all that need symmetry in the same words.
static void not_symmetric(void **state) {
  (void)state;
  static const char *const names[] = {"multigrid", "active_set", "pgs_sm", "gradient_projection",
                                      "keller"};
  const double values[] = {30, 30, 0.1, 10.0};
  double *x = calloc(900, sizeof *x);
  perp_sample s;
  assert_int_equal(perp_generate(perp_find_family("bearing"), values, 1, &s), PERP_OK);
  s.value[1] *= 1.5;
  s.problem.A.claims = 0;
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++) {
    perp_options options = perp_default_options(perp_find_method(names[k]));
    perp_result result;
    char words[200];
    memset(x, 0, 900*sizeof *x);
    assert_int_equal(perp_solve_once(&s.problem, x, &options, &result), PERP_OK);
    assert_int_equal(result.status, PERP_STATUS_UNSOLVED);
    snprintf(words, sizeof words, "%s needs a symmetric A, and this A is not symmetric", names[k]);
    assert_non_null(strstr(result.message, words));
    assert_in_range(result.iterations, 0, 1);
  }
  perp_sample_free(&s);
  free(x);
}

// Levels that do not fit (contacts of bricks, most entries of either sign): the end comes soon,
// says so, and x is no worse than at the start.
static void stalls(void **state) {
  (void)state;
  const perp_family *wall = perp_find_family("wall");
  double values[32], *x = calloc(2000, sizeof *x);
  for (int32_t k = 0; k < wall->parameter_count; k++) {
    values[k] = wall->parameters[k].initial;
    if (strcmp(wall->parameters[k].name, "bodies") == 0) values[k] = 15;
  }
  perp_sample s;
  const perp_result result = solve("wall", values, &s, x);
  assert_in_range(s.n, 200, 2000);
  assert_int_equal(result.status, PERP_STATUS_STALLED);
  assert_non_null(strstr(result.message, "has not halved"));
  assert_in_range(result.iterations + result.inner_iterations, 1000, 10000);
  assert_true(result.certificate.residual > 1e-8 && result.certificate.residual < 1.0);
  assert_true(natural(&s, x) > 0.0);
  perp_sample_free(&s);
  free(x);
}

static perp_result solve_by(const char *name, const char *linear, int32_t threads,
                            const perp_problem *problem, double *x) {
  perp_options options = perp_default_options(perp_find_method(name));
  perp_result result;
  options.threads = threads;
  if (linear != NULL) options.linear = perp_find_linear(linear);
  for (int32_t i = 0; i < problem->A.n; i++) x[i] = 0.0;
  assert_int_equal(perp_solve_once(problem, x, &options, &result), PERP_OK);
  return result;
}

static void set_value(const perp_family *family, double *values, const char *name, double value) {
  for (int32_t k = 0; k < family->parameter_count; k++)
    if (strcmp(family->parameters[k].name, name) == 0) values[k] = value;
}

// Pressure on grids with liquid, given by entries: active_set has no factor from 4000 rows on,
// and finds what it finds with one, in any units of the rows; the bits do not depend on the threads.
static void large(void **state) {
  (void)state;
  static const struct { const char *family; double size; } kinds[] = {{"fluid2d", 160},
                                                                     {"fluid3d", 28}};
  for (int k = 0; k < 4; k++) {
    const perp_family *family = perp_find_family(kinds[k/2].family);
    double values[32];
    for (int32_t j = 0; j < family->parameter_count; j++)
      values[j] = family->parameters[j].initial;
    set_value(family, values, "size", kinds[k/2].size);
    set_value(family, values, "complementarity", k%2);
    perp_sample s;
    assert_int_equal(perp_generate(family, values, 3, &s), PERP_OK);
    assert_true(s.n >= 10000);
    const size_t bytes = (size_t)s.n*sizeof(double);
    double *x = malloc(bytes), *other = malloc(bytes), largest = 0.0, apart = 0.0;
    const perp_result quick = solve_by("active_set", NULL, 1, &s.problem, x);
    assert_int_equal(quick.status, PERP_STATUS_SOLVED);
    assert_int_equal(quick.factorizations, 0);
    assert_true(quick.inner_iterations > 0 && quick.inner_iterations < 60);
    const perp_result factored = solve_by("active_set", "sparse_ldl", 1, &s.problem, other);
    assert_int_equal(factored.status, PERP_STATUS_SOLVED);
    assert_true(factored.factorizations > 0);
    for (int32_t i = 0; i < s.n; i++) {
      largest = fmax(largest, fabs(other[i]));
      apart = fmax(apart, fabs(x[i] - other[i]));
    }
    assert_true(apart <= 1e-6*largest);
    for (int32_t threads = 2; threads <= 4; threads *= 2) {
      solve_by("active_set", NULL, threads, &s.problem, other);
      assert_memory_equal(x, other, bytes);
    }
    // x = S v: the same problem with the rows and columns of A times S, from 2^-6 to 2^6
    for (int32_t j = 0; j < s.n; j++) {
      const double unit = ldexp(1.0, j*7%13 - 6);
      s.b[j] *= unit;
      if (s.lo != NULL) s.lo[j] /= unit;
      for (int32_t p = s.colptr[j]; p < s.colptr[j + 1]; p++)
        s.value[p] *= unit*ldexp(1.0, s.row[p]*7%13 - 6);
    }
    const perp_result scaled = solve_by("active_set", NULL, 2, &s.problem, other);
    assert_int_equal(scaled.status, PERP_STATUS_SOLVED);
    apart = 0.0;
    for (int32_t i = 0; i < s.n; i++)
      apart = fmax(apart, fabs(x[i] - other[i]*ldexp(1.0, i*7%13 - 6)));
    assert_true(apart <= 1e-6*largest);
    perp_sample_free(&s);
    free(x);
    free(other);
  }
}

// A box without an outlet, rows that add up to 0: b may add up to more or to nothing, and where it
// adds up to less u = 1 is the proof that there is no solution.
static void closed(void **state) {
  (void)state;
  enum { K = 106, N = K*K };
  int32_t *colptr = calloc(N + 1, sizeof *colptr), *row = calloc(5*N, sizeof *row), used = 0;
  double *value = calloc(5*N, sizeof *value), *b = calloc(N, sizeof *b), *x = calloc(N, sizeof *x);
  double *u = calloc(N, sizeof *u);
  support_state = 11;
  for (int32_t i = 0; i < N; i++) {
    const int32_t to[5] = {i >= K ? i - K : -1, i%K > 0 ? i - 1 : -1, i, i%K < K - 1 ? i + 1 : -1,
                           i + K < N ? i + K : -1};
    colptr[i] = used;
    for (int k = 0; k < 5; k++) {
      if (to[k] < 0) continue;
      row[used] = to[k];
      value[used++] = k == 2 ? (to[0] >= 0) + (to[1] >= 0) + (to[3] >= 0) + (to[4] >= 0) : -1.0;
    }
  }
  colptr[N] = used;
  const perp_csc A = {N, N, colptr, row, value};
  const perp_problem problem = {.A = perp_from_csc(&A, PERP_CLAIM_SYMMETRIC), .b = b};
  for (int sign = -1; sign <= 1; sign++) {
    for (int32_t i = 0; i + 1 < N; i += 2) {       // whole numbers add up exactly
      b[i] = ldexp((double)(draw()%2048), -10) - 1.0;
      b[i + 1] = -b[i];
    }
    for (int32_t i = 0; i < N; i += 16) b[i] += 0.0625*sign;
    perp_options options = perp_default_options(perp_find_method("active_set"));
    perp_result result;
    options.farkas = u;
    memset(x, 0, N*sizeof *x);
    assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
    assert_int_equal(result.status, sign < 0 ? PERP_STATUS_INFEASIBLE : PERP_STATUS_SOLVED);
    assert_int_equal(result.factorizations, 0);
    for (int32_t i = 1; sign < 0 && i < N; i++) assert_true(u[i] == u[0] && u[0] > 0.0);
  }
  free(colptr);
  free(row);
  free(value);
  free(b);
  free(x);
  free(u);
}

// A membrane over few supports: steps between look at those alone, on any number of threads with
// the same bits, and no row is forgotten.
static void supports(void **state) {
  (void)state;
  enum { M = 400 };              // large enough for threads to share the rows
  const double size[] = {M};
  double *x = calloc(M*M, sizeof *x), *other = calloc(M*M, sizeof *other);
  double *lo = calloc(M*M, sizeof *lo);
  perp_sample s;
  assert_int_equal(perp_generate(perp_find_family("obstacle"), size, 1, &s), PERP_OK);
  for (int32_t i = 0; i < s.n; i++)
    lo[i] = i%M%11 == 5 && i/M%7 == 3 ? 0.0 : -INF;
  s.problem.lo = lo;
  perp_options options = perp_default_options(perp_find_method("multigrid"));
  perp_result result, again;
  assert_int_equal(perp_solve_once(&s.problem, x, &options, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_SOLVED);
  assert_in_range(result.iterations, 2, 14);
  assert_in_range(result.inner_iterations, 1, 30);
  assert_true(natural(&s, x) <= 1e-8);
  int32_t held = 0, open = 0;
  for (int32_t i = 0; i < s.n; i++) {
    held += x[i] == lo[i];
    open += lo[i] > -INF && x[i] > lo[i];
  }
  assert_true(held > 0 && open > 0);
  options.threads = 3;
  assert_int_equal(perp_solve_once(&s.problem, other, &options, &again), PERP_OK);
  assert_int_equal(again.inner_iterations, result.inner_iterations);
  assert_memory_equal(x, other, M*M*sizeof *x);
  perp_sample_free(&s);
  free(x);
  free(other);
  free(lo);
}

// Diffusion in which all rows are dominant but one: the next level has a single row, at a place of
// the lattice that is even or odd.
static void one_weak_row(void **state) {
  (void)state;
  enum { SIDE = 64, N = SIDE*SIDE };
  static int32_t colptr[N + 1], row[5*N];
  static double value[5*N], b[N], x[N];
  for (int32_t weak = 0; weak < 8; weak++) {
    int32_t count = 0;
    for (int32_t i = 0; i < N; i++) {
      const int32_t beside[] = {i/SIDE > 0 ? i - SIDE : -1, i%SIDE > 0 ? i - 1 : -1, i,
                                i%SIDE < SIDE - 1 ? i + 1 : -1, i/SIDE < SIDE - 1 ? i + SIDE : -1};
      colptr[i] = count;
      for (int32_t q = 0; q < 5; q++) {
        if (beside[q] < 0) continue;
        row[count] = beside[q];
        value[count++] = q != 2 ? -1.0 : i == weak%4 + weak/4*2*SIDE ? 4.0 : 104.0;
      }
      b[i] = i*7919%13 - 8;
      x[i] = 0.0;
    }
    colptr[N] = count;
    const perp_csc A = {N, N, colptr, row, value};
    const perp_problem problem = {.A = perp_from_csc(&A, PERP_CLAIM_SYMMETRIC), .b = b};
    const perp_options options = perp_default_options(perp_find_method("multigrid"));
    perp_result result;
    assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_in_range(result.inner_iterations, 1, 12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bearings), cmocka_unit_test(membranes),
                                     cmocka_unit_test(supports), cmocka_unit_test(one_weak_row),
                                     cmocka_unit_test(guess), cmocka_unit_test(not_symmetric),
                                     cmocka_unit_test(stalls), cmocka_unit_test(large),
                                     cmocka_unit_test(closed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
