// test_limits.c: laws of a time limit, on a clock that a millisecond passes on with every look.
//
// 1. A limit above what the solve takes without one changes no bit of the answer.
// 2. No answer is worse than x = 0 or the guess, however short the limit is.
// 3. More time gives no larger residual, in the median over ten seeds.
// cost: 6
#include "contact_scene.h"
#include "driver.h"
#include "gallery_sample.h"
#include "grid_sample.h"

static double tick(void *context) { return *(double *)context += 1e-3; }

typedef struct answer {
  perp_result result;
  double seconds;        // on that clock
  double residual;       // by perp_certify
  double *x;
} answer;

static void drop_answer(answer *a) { free(a->x); }

static answer solve_within(const char *method, const perp_problem *p, const double *guess,
                           double limit) {
  const size_t bytes = (size_t)p->A.n*sizeof(double);
  double now = 0.0;
  perp_options o = perp_default_options(perp_find_method(method));
  o.clock = tick;
  o.clock_context = &now;
  o.time_limit = limit;
  answer a = {.x = malloc(bytes + 1)};
  assert_non_null(a.x);
  memcpy(a.x, guess, bytes);
  if (perp_solve_once(p, a.x, &o, &a.result) != PERP_OK) fail_msg("%s", perp_last_message());
  a.seconds = now;
  for (int32_t i = 0; i < p->A.n; i++) assert_true(a.x[i] - a.x[i] == 0.0);
  a.residual = certify(p, a.x).residual;
  if (a.result.status == PERP_STATUS_SOLVED) assert_true(certify(p, a.x).solved);
  return a;
}

// ---- what is solved ----

typedef struct subject {
  const char *family, *parameter;
  double value;
  int dense;
} subject;

static const subject subjects[] = {
  {"wall", "bodies", 24, 0},      {"bricks", "bodies", 20, 0},   {"obstacle", "size", 12, 0},
  {"friction", "bodies", 12, 0},  {"fluid2d", "size", 12, 0},    {"m-matrix", "n", 60, 0},
  {"p-matrix", "n", 120, 0},       {"mixed", "n", 60, 0},         {"dense-pd", "n", 40, 1},
  {"dense-psd", "n", 40, 1},      {"murty", "n", 12, 1},         {"wall", "bodies", 6, 1},
  {"friction", "bodies", 4, 1},
};
enum { SUBJECTS = sizeof subjects/sizeof *subjects };

typedef struct made {
  perp_sample sample;
  double *entries;       // n x n, of dense ones
  perp_dense dense;
  perp_problem problem;
} made;

static void make_subject(const subject *s, uint64_t seed, made *m) {
  const perp_family *family = perp_find_family(s->family);
  double values[VALUES_MAX];
  int known = 0;
  for (int32_t k = 0; k < family->parameter_count; k++) {
    const int is = strcmp(family->parameters[k].name, s->parameter) == 0;
    values[k] = is ? s->value : family->parameters[k].initial;
    known |= is;
  }
  if (!known) fail_msg("%s has no parameter %s", s->family, s->parameter);
  if (perp_generate(family, values, seed, &m->sample) != PERP_OK)
    fail_msg("%s", perp_last_message());
  m->problem = m->sample.problem;
  m->entries = NULL;
  if (!s->dense) return;
  const int32_t n = m->sample.n;
  m->entries = calloc((size_t)n*(size_t)n, sizeof *m->entries);
  assert_non_null(m->entries);
  const perp_csc *A = &m->sample.csc;
  for (int32_t j = 0; j < n; j++)
    for (int32_t q = A->colptr[j]; q < A->colptr[j + 1]; q++)
      m->entries[(size_t)A->row[q]*(size_t)n + (size_t)j] = A->value[q];
  m->dense = (perp_dense){.n = n, .value = m->entries};
  m->problem.A = perp_from_dense(&m->dense, m->problem.A.claims);
}

static void drop_subject(made *m) {
  free(m->entries);
  perp_sample_free(&m->sample);
}

// ---- the laws ----

enum { LIMITS = 8 };
static const double parts[LIMITS] = {1e-9, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 1.5};   // of T

#define LATE 0.02   // seconds, of a millisecond a look: those at the end of a solve, 12 to 14

static double least(double a, double b) { return a < b ? a : b; }

// residual[LIMITS]: what the limits leave
static void check_laws(const char *what, const perp_problem *p, const double *guess,
                       double *residual) {
  const size_t bytes = (size_t)p->A.n*sizeof(double);
  double *zero = calloc((size_t)p->A.n + 1, sizeof *zero);
  assert_non_null(zero);
  answer free_of = solve_within("auto", p, guess, INF);
  answer long_one = solve_within("auto", p, guess, 1e9);
  if (memcmp(free_of.x, long_one.x, bytes) != 0)
    fail_msg("%s: a limit of 1e9 s changes the answer: %s; without: %s", what,
             long_one.result.message, free_of.result.message);
  const double before = least(certify(p, zero).residual, certify(p, guess).residual);
  for (int k = 0; k < LIMITS; k++) {
    const double limit = parts[k]*long_one.seconds;
    answer a = solve_within("auto", p, guess, limit);
    if (parts[k] > 1.0 && memcmp(free_of.x, a.x, bytes) != 0)
      fail_msg("%s takes %g; a limit of %g changes the answer: %s", what, long_one.seconds, limit,
               a.result.message);
    if (!(a.residual <= before*(1.0 + 1e-9)))
      fail_msg("%s: %g of the time leave %g, but x = 0 or the guess has %g: %s", what, parts[k],
               a.residual, before, a.result.message);
    if (parts[k] >= 0.5 && a.seconds > limit + LATE)
      fail_msg("%s: a limit of %g takes %g: %s", what, limit, a.seconds, a.result.message);
    residual[k] = a.result.status == PERP_STATUS_SOLVED ? 0.0 : a.residual;
    drop_answer(&a);
  }
  drop_answer(&free_of);
  drop_answer(&long_one);
  free(zero);
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { SEEDS = 10 };
typedef struct ladder { double residual[LIMITS][SEEDS]; } ladder;

static void put_rungs(ladder *l, int seed, const double *residual) {
  for (int k = 0; k < LIMITS; k++) l->residual[k][seed] = residual[k];
}

static void check_ladder(const char *what, ladder *l) {
  double last = INF;
  for (int k = 0; k < LIMITS; k++) {
    qsort(l->residual[k], SEEDS, sizeof(double), by_size);
    const double median = 0.5*(l->residual[k][SEEDS/2 - 1] + l->residual[k][SEEDS/2]);
    if (median > last*(1.0 + 1e-6))
      fail_msg("%s: %g of the time leave %g in the median, less left %g", what, parts[k], median,
               last);
    last = median;
  }
}

static void of_matrices(void **state) {
  (void)state;
  static ladder l;
  for (int k = 0; k < SUBJECTS; k++) {
    const subject *s = &subjects[k];
    char what[64];
    snprintf(what, sizeof what, "%s %s=%g%s", s->family, s->parameter, s->value,
             s->dense ? " (dense)" : "");
    for (int seed = 0; seed < SEEDS; seed++) {
      made m;
      double residual[LIMITS];
      make_subject(s, (uint64_t)seed + 1, &m);
      double *guess = calloc((size_t)m.sample.n + 1, sizeof *guess);
      assert_non_null(guess);
      check_laws(what, &m.problem, guess, residual);
      put_rungs(&l, seed, residual);
      for (int32_t i = 0; seed < 3 && i < m.sample.n; i++)   // far off
        guess[i] = 1e3*perp_random_uniform((uint64_t)seed, (uint64_t)i);
      if (seed < 3) check_laws(what, &m.problem, guess, residual);
      free(guess);
      drop_subject(&m);
    }
    check_ladder(what, &l);
  }
}

// A machine that slows down by a third leaves 1.5/1.33 of what a solve takes. That is enough where it
// is known what is left to do: pivots on a full A, blocks of which most are done.
static void of_a_machine_that_slows_down(void **state) {
  (void)state;
  static const subject foreseen[] = {
    {"dense-pd", "n", 150, 1}, {"dense-pd", "n", 150, 0}, {"bricks", "preset", 4, 0},
  };
  for (size_t k = 0; k < sizeof foreseen/sizeof *foreseen; k++)
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
      made m;
      make_subject(&foreseen[k], seed, &m);
      double *guess = calloc((size_t)m.sample.n, sizeof *guess);
      assert_non_null(guess);
      answer long_one = solve_within("auto", &m.problem, guess, 1e9);
      answer a = solve_within("auto", &m.problem, guess, 1.5/1.33*long_one.seconds);
      assert_int_equal(long_one.result.status, PERP_STATUS_SOLVED);
      if (memcmp(a.x, long_one.x, (size_t)m.sample.n*sizeof *a.x) != 0)
        fail_msg("%s %s=%g, seed %d: %s", foreseen[k].family, foreseen[k].parameter,
                 foreseen[k].value, (int)seed, a.result.message);
      drop_answer(&a);
      drop_answer(&long_one);
      free(guess);
      drop_subject(&m);
    }
}

typedef struct restless { double now; uint64_t seed, looks; } restless;
static double hold_up(void *context) {   // on a busy machine: mostly little, sometimes much
  restless *c = context;
  const double u = perp_random_uniform(c->seed, ++c->looks);
  return c->now += 1e-3/(1e-3 + u*u);
}

// Where the time ends within the look at a large A, rows without a diagonal have no units: an answer
// that seems better by the diagonal alone may be worse than x = 0.
static void of_a_look_that_does_not_end(void **state) {
  (void)state;
  const subject large = {"friction", "bodies", 60, 0};
  int hurried = 0, better = 0;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    made m;
    make_subject(&large, seed, &m);
    double *x = calloc((size_t)m.sample.n + 1, sizeof *x);
    assert_non_null(x);
    const double before = certify(&m.problem, x).residual;
    for (uint64_t k = 0; k < 200; k++) {
      restless clock = {0.0, k, 0};
      perp_options o = perp_default_options(NULL);
      o.clock = hold_up;
      o.clock_context = &clock;
      o.time_limit = 0.2 + 0.02*(double)k;
      perp_result r;
      memset(x, 0, (size_t)m.sample.n*sizeof *x);
      assert_int_equal(perp_solve_once(&m.problem, x, &o, &r), PERP_OK);
      const double after = certify(&m.problem, x).residual;
      if (!(after <= before*(1.0 + 1e-9)))
        fail_msg("seed %d, clock %d: %g is left, x = 0 has %g: %s", (int)seed, (int)k, after, before,
                 r.message);
      hurried += strstr(r.message, "hurry") != NULL;
      better += strstr(r.message, "hurry") != NULL && after < before;
    }
    free(x);
    drop_subject(&m);
  }
  assert_true(hurried > 100 && better > 4);
}

typedef struct stepwise { double now, validation; int looks; } stepwise;
static double after_validation(void *context) {   // which lies between the first two looks
  stepwise *c = context;
  return c->now += ++c->looks == 2 ? c->validation : 1e-6;
}

// A row without a diagonal does not throw away what sweeps have found for all the others. Here it is
// y_last = 1 + x_0 - x_1, next to an obstacle problem; x_last does nothing to the others.
static void of_a_row_without_a_diagonal(void **state) {
  (void)state;
  const subject large = {"obstacle", "size", 64, 0};
  for (int bad = 0; bad < 2; bad++) {
    made m;
    make_subject(&large, 1, &m);
    const int32_t n = m.sample.n, nnz = m.sample.colptr[n];
    int32_t *colptr = calloc((size_t)n + 2, sizeof *colptr), *row = calloc((size_t)nnz + 2, sizeof *row);
    double *value = calloc((size_t)nnz + 2, sizeof *value), *b = calloc((size_t)n + 1, sizeof *b),
           *x = calloc((size_t)n + 1, sizeof *x), *zero = calloc((size_t)n + 1, sizeof *zero);
    assert_true(colptr != NULL && row != NULL && value != NULL && b != NULL && x != NULL &&
                zero != NULL);
    int32_t q = 0;
    for (int32_t j = 0; j < n; j++) {
      for (int32_t p = m.sample.colptr[j]; p < m.sample.colptr[j + 1]; p++, q++) {
        row[q] = m.sample.row[p];
        value[q] = m.sample.value[p];
      }
      if (j == n/2 || j == n/2 + 1) {
        row[q] = n;
        value[q++] = j == n/2 ? 1e-3 : bad ? -1e6 : -1e-3;   // bad: x_1 > 0 makes y_last very negative
      }
      colptr[j + 1] = q;
    }
    colptr[n + 1] = q;
    memcpy(b, m.problem.b, (size_t)n*sizeof *b);
    b[n] = bad ? 1e-6 : 1.0;
    const perp_csc A = {.columns = n + 1, .rows = n + 1, .colptr = colptr, .row = row, .value = value};
    const perp_problem p = {.A = perp_from_csc(&A, PERP_CLAIM_NONE), .b = b};
    const double before = certify(&p, zero).residual;
    int hurried = 0, better = 0;
    for (int looks = 10; looks <= 400; looks += 10) {
      stepwise clock = {.validation = 1e-3};
      perp_options o = perp_default_options(NULL);
      o.clock = after_validation;
      o.clock_context = &clock;
      o.time_limit = 1e-3 + 1e-6*looks;
      perp_result r;
      memset(x, 0, ((size_t)n + 1)*sizeof *x);
      assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
      const double after = certify(&p, x).residual;
      if (!(after <= before*(1.0 + 1e-9)))
        fail_msg("%d looks: %g is left, x = 0 has %g: %s", looks, after, before, r.message);
      hurried += strstr(r.message, "hurry") != NULL;
      better += strstr(r.message, "hurry") != NULL && after < 0.99*before;
    }
    assert_true(hurried > 4);
    if (!bad && better == 0) fail_msg("nothing was kept in %d solves in a hurry", hurried);
    void *const all[] = {colptr, row, value, b, x, zero};
    for (size_t k = 0; k < sizeof all/sizeof *all; k++) free(all[k]);
    drop_subject(&m);
  }
}

// An x at which a row overflows is not the better one, whichever row it is.
static void of_a_row_that_is_not_a_number(void **state) {
  (void)state;
  for (int32_t bad = 0; bad < 2; bad++) {
    double A[4] = {1e-200, 0, 0, 1e-200}, work[6], units[2] = {1, 1};
    A[3*bad] = 1e200;
    A[1 + bad] = -1e200;
    const double b[2] = {-1, -1}, x[2] = {1e200, 1e200}, z[2] = {0, 0};   // (A x)_bad = inf - inf
    const perp_dense D = {.n = 2, .value = A};
    const perp_problem p = {.A = perp_from_dense(&D, 0), .b = b, .lo = z};
    perp_solver s = {.problem = &p};
    s.judge.work = work;
    s.judge.R = s.judge.inverse_C = units;
    assert_true(solver_no_worse(&s, z, z));
    assert_false(solver_no_worse(&s, x, z));
  }
  // The last row has no diagonal entry, and x stands at its bound there. The other rows hold.
  double work[9], units[3] = {1, 1, 1};
  const double A[9] = {1e-200, 0, 0, 0, 1e-200, 0, 1e200, -1e200, 0}, b[3] = {-1, -1, 1};
  const double x[3] = {1e200, 1e200, 0}, z[3] = {0};
  const perp_dense D = {.n = 3, .value = A};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = b, .lo = z};
  perp_solver s = {.problem = &p};
  s.judge.work = work;
  s.judge.R = s.judge.inverse_C = units;
  assert_true(solver_no_worse(&s, z, z));
  assert_false(solver_no_worse(&s, x, z));
}

static void of_contact_operators(void **state) {
  (void)state;
  static ladder l;
  static contact_scene scene;
  static const scene_kind kinds[] = {
    {CONTACTS, 4, 2, 1, 0, 1.0, 1.0}, {CONTACTS, 8, 2, 0, 0, 1e3, 10.0},
    {CONTACTS, 2, 1, 1, 0, 1.0, 1.0}, {CONTACTS, 4, 2, 1, 1, 1.0, 1.0},
  };
  for (size_t k = 0; k < sizeof kinds/sizeof *kinds; k++) {
    for (int seed = 0; seed < SEEDS; seed++) {
      support_state = 100*k + (uint64_t)seed + 1;
      draw_contacts(&scene, &kinds[k]);
      const perp_problem p = {.A = perp_from_contacts(&scene.contacts, PERP_CLAIM_NONE),
                              .b = scene.b};
      double guess[SCENE_ROWS] = {0.0}, residual[LIMITS];
      check_laws("contacts", &p, guess, residual);
      put_rungs(&l, seed, residual);
      for (int32_t i = 0; i < p.A.n; i++) guess[i] = between(0, 50);
      check_laws("contacts, a bad guess", &p, guess, residual);
    }
    check_ladder("contacts", &l);
  }
}

static void of_grids(void **state) {
  (void)state;
  static ladder l;
  for (int seed = 0; seed < SEEDS; seed++) {
    grid_sample s;
    double residual[LIMITS];
    support_state = (uint64_t)seed + 7;
    grid_sample_random(&s, 12, 9, 5, 0);
    double *guess = calloc((size_t)s.n, sizeof *guess);
    assert_non_null(guess);
    check_laws("grid", &s.problem, guess, residual);
    put_rungs(&l, seed, residual);
    for (int32_t i = 0; i < s.n; i++) guess[i] = between(0, 50);
    check_laws("grid, a bad guess", &s.problem, guess, residual);
    free(guess);
    grid_sample_free(&s);
  }
  check_ladder("grid", &l);
}

// 1: sweeps began at once, without a look at A. Few iterations leave it unsolved, so that the message
// tells.
static int is_hurried(const perp_problem *p, double validation, double limit, int32_t iterations,
                      perp_result *r) {
  stepwise clock = {.validation = validation};
  perp_options o = perp_default_options(NULL);
  double *x = calloc((size_t)p->A.n, sizeof *x);
  assert_non_null(x);
  o.clock = after_validation;
  o.clock_context = &clock;
  o.time_limit = limit;
  o.iteration_limit = iterations;
  assert_int_equal(perp_solve_once(p, x, &o, r), PERP_OK);
  free(x);
  return strstr(r->message, "hurry") != NULL;
}

// A look at a sparse A takes ten passes. What it leaves has to be worth having: below 20 passes sweeps
// begin at once, and from 24 on they do not.
static void of_a_look_at_a_sparse_matrix(void **state) {
  (void)state;
  const subject sparse = {"obstacle", "size", 64, 0};
  made m;
  make_subject(&sparse, 1, &m);
  const double pass = 1e-9*(double)m.sample.colptr[m.sample.n];
  for (int passes = 12; passes <= 40; passes += 4) {
    perp_result r;
    if (is_hurried(&m.problem, pass, passes*pass, 1, &r) != (passes <= 20))
      fail_msg("%d passes: %s", passes, r.message);
  }
  drop_subject(&m);
}

// Of a full A the look takes about half of a solve. It is left out where all of that, 20 passes over
// A, does not fit, and never at 1.5 times as much; not on a machine that is ten times as fast either.
static void of_a_look_at_a_full_matrix(void **state) {
  (void)state;
  enum { N = 300 };
  const double pass = 1e-9*N*N;
  for (int dense = 0; dense < 2; dense++) {
    const subject full = {"dense-pd", "n", N, dense};
    made m;
    make_subject(&full, 1, &m);
    for (int passes = 15; passes <= 30; passes += 3)
      for (int fast = 0; fast < 2; fast++) {
        perp_result r;
        const int hurried = is_hurried(&m.problem, fast ? 0.1*pass : pass, passes*pass, 3, &r);
        if (hurried != (passes < 20 && !fast))
          fail_msg("%d passes, %s, %s: %s", passes, dense ? "dense" : "CSC", fast ? "fast" : "slow",
                   r.message);
      }
    drop_subject(&m);
  }
}

static void the_limit_of_a_solver_can_be_changed(void **state) {
  (void)state;
  made m;
  perp_solver *solver = NULL, *endless = NULL;
  make_subject(&subjects[0], 1, &m);
  double now = 0.0, *x = calloc((size_t)m.sample.n, sizeof *x);
  assert_non_null(x);
  perp_options o = perp_default_options(NULL);
  const perp_limits limits = perp_limits_of(&m.problem);
  assert_int_equal(perp_solver_create(NULL, &limits, &o, NULL, &endless), PERP_OK);
  o.clock = tick;
  o.clock_context = &now;
  o.time_limit = 1e-9;
  assert_int_equal(perp_solver_create(NULL, &limits, &o, NULL, &solver), PERP_OK);
  perp_result r;
  assert_int_equal(perp_solve(solver, &m.problem, x, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_TIME_LIMIT);
  assert_int_equal(perp_solver_set_time_limit(solver, 1e9), PERP_OK);
  assert_int_equal(perp_solve(solver, &m.problem, x, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_int_equal(perp_solver_set_time_limit(NULL, 1.0), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_solver_set_time_limit(solver, 0.0), PERP_ERROR_OPTION);
  assert_int_equal(perp_solver_set_time_limit(solver, INF), PERP_ERROR_OPTION);
  assert_int_equal(perp_solver_set_time_limit(endless, 1.0), PERP_ERROR_OPTION);
  perp_solver_destroy(solver);
  perp_solver_destroy(endless);
  free(x);
  drop_subject(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_matrices),
      cmocka_unit_test(of_a_machine_that_slows_down),
      cmocka_unit_test(of_a_look_that_does_not_end),
      cmocka_unit_test(of_a_look_at_a_sparse_matrix),
      cmocka_unit_test(of_a_look_at_a_full_matrix),
      cmocka_unit_test(of_a_row_that_is_not_a_number),
      cmocka_unit_test(of_a_row_without_a_diagonal),
      cmocka_unit_test(of_contact_operators),
      cmocka_unit_test(of_grids),
      cmocka_unit_test(the_limit_of_a_solver_can_be_changed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
