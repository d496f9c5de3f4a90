// test_driver.c: what the driver promises whatever the method: limits, traces, options, reuse.
// Somewhat long: every promise of perp_solve that no method is responsible for has its test here.
#include <perp/batch.h>

#include "support.h"

static perp_options options_for(const char *method) {
  const perp_method *m = perp_find_method(method);
  assert_non_null(m);
  return perp_default_options(m);
}

static sample laplacian(int32_t n) {  // slow for sweeps: many iterations
  sample s = sample_new(n);
  for (int32_t i = 0; i < n; i++) {
    AT(&s, i, i) = 2;
    if (i > 0) AT(&s, i, i - 1) = AT(&s, i - 1, i) = -1;
    s.b[i] = i%7 == 3 ? 0.5 : -0.1;
  }
  return s;
}

// Its ends hold on to each other by a weak spring, so that it has more than three diagonals.
static sample ring(int32_t n) {
  sample s = laplacian(n);
  AT(&s, 0, 0) += 1e-3;
  AT(&s, n - 1, n - 1) += 1e-3;
  AT(&s, 0, n - 1) = AT(&s, n - 1, 0) = -1e-3;
  return s;
}

static const char *const sweepers[] = {"jacobi", "pgs", "psor", "nncg", "apgd"};
enum { SWEEPERS = sizeof sweepers/sizeof sweepers[0] };

static void says(const char *part) {
  if (strstr(perp_last_message(), part) == NULL)
    fail_msg("'%s' does not contain '%s'", perp_last_message(), part);
}

// ---- limits ----

static void iteration_limit(void **state) {
  (void)state;
  sample s = laplacian(200);
  for (int k = 0; k < SWEEPERS; k++)
    for (int limit = 0; limit < 40; limit += limit < 4 ? 1 : 9) {
      perp_options o = options_for(sweepers[k]);
      o.iteration_limit = limit;
      memset(s.x, 0, 200*sizeof *s.x);
      perp_result r;
      assert_int_equal(perp_solve_once(sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC), s.x, &o, &r),
                       PERP_OK);
      assert_int_equal(r.status, PERP_STATUS_ITERATION_LIMIT);
      assert_int_equal(r.iterations, limit);
      assert_true(strlen(r.message) > 10 && !r.certificate.solved);
    }
  sample_free(&s);
}

typedef struct ticker {
  double now, step;
  int calls;
} ticker;
static double tick(void *context) {
  ticker *t = context;
  t->calls++;
  return t->now += t->step;
}

static void time_limit(void **state) {
  (void)state;
  sample s = laplacian(200);
  for (int k = 0; k < SWEEPERS; k++) {
    ticker t = {100.0, 0.001, 0};
    perp_options o = options_for(sweepers[k]);
    o.clock = tick;
    o.clock_context = &t;
    o.time_limit = 0.050;
    memset(s.x, 0, 200*sizeof *s.x);
    perp_result r;
    assert_int_equal(perp_solve_once(sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC), s.x, &o, &r),
                     PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_TIME_LIMIT);
    assert_true(t.now - 100.0 < 0.060);
    assert_true(r.iterations > 10 && r.iterations < 60 && r.seconds > 0.03 && r.seconds < 0.06);
    t = (ticker){0.0, 0.1, 0};  // out of time before anything began
    memset(s.x, 0, 200*sizeof *s.x);
    assert_int_equal(perp_solve_once(sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC), s.x, &o, &r),
                     PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_TIME_LIMIT);
    assert_int_equal(r.iterations, 0);
  }
  sample_free(&s);
  s = ring(600);   // auto begins with sweeps
  perp_options o = options_for("auto");
  ticker t = {0, 0.001, 0};
  o.clock = tick;
  o.clock_context = &t;
  o.time_limit = 0.05;
  memset(s.x, 0, 600*sizeof *s.x);
  perp_result r;
  assert_int_equal(perp_solve_once(sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC), s.x, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_TIME_LIMIT);
  assert_true(t.now < 0.06);
  sample_free(&s);
}

typedef struct watcher {
  int stop_at, calls;
  double smallest, last;
  int32_t iteration;
} watcher;
static int watch(void *context, const perp_statistics *statistics) {
  watcher *w = context;
  w->calls++;
  if (statistics->iteration <= w->iteration) return 77;
  w->iteration = statistics->iteration;
  w->last = statistics->residual;
  if (statistics->residual < w->smallest) w->smallest = statistics->residual;
  return w->calls == w->stop_at;
}

static void stop_from_callback(void **state) {
  (void)state;
  sample s = ring(600);
  const char *const names[] = {"jacobi", "pgs", "psor", "nncg", "apgd", "auto"};
  for (int k = 0; k < 6; k++) {
    watcher w = {.stop_at = 5, .smallest = INF};
    perp_options o = options_for(names[k]);
    o.on_iteration = watch;
    o.context = &w;
    memset(s.x, 0, 600*sizeof *s.x);
    perp_result r;
    assert_int_equal(perp_solve_once(sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC), s.x, &o, &r),
                     PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_STOPPED);
    assert_int_equal(r.iterations, 5);
    assert_int_equal(w.calls, 5);
  }
  sample_free(&s);
}

// ---- best iterate, trace ----

static void best_iterate(void **state) {  // random matrices: methods diverge, wander and overflow
  (void)state;
  support_state = 3;
  for (int trial = 0; trial < 400; trial++) {
    const int32_t n = whole(2, 12);
    sample s = sample_new(n);
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++) AT(&s, i, j) = between(-1, 1);
      AT(&s, i, i) = between(0.1, 1);
      s.b[i] = between(-1, 1);
      if (whole(0, 3) == 0) s.lo[i] = -INF;
      s.x[i] = s.lo[i] < 0 ? between(-1, 1) : between(0, 1);
    }
    for (int k = 0; k < SWEEPERS; k++) {
      perp_statistics trace[512];
      double x[12];
      memcpy(x, s.x, (size_t)n*sizeof *x);
      perp_options o = options_for(sweepers[k]);
      o.iteration_limit = 400;
      o.presolve = trial & 1;
      o.trace = trace;
      o.trace_capacity = 512;
      perp_result r;
      perp_certificate before, after;
      assert_int_equal(perp_certify(sample_dense(&s), x, 1e-8, 0, NULL, &before), PERP_OK);
      assert_int_equal(perp_solve_once(&s.problem, x, &o, &r), PERP_OK);
      assert_int_equal(perp_certify(&s.problem, x, 1e-8, 0, NULL, &after), PERP_OK);
      for (int32_t i = 0; i < n; i++)
        assert_true(isfinite(x[i]) && x[i] >= s.lo[i] && x[i] <= s.hi[i]);
      assert_int_equal(r.status == PERP_STATUS_SOLVED, after.solved);
      assert_true(fabs(r.certificate.residual - after.residual) <= 1e-3*1e-8);
      if (!after.solved && after.residual > before.residual*(1 + 1e-9))
        fail_msg("trial %d, %s: residual %g after, %g of the guess", trial, sweepers[k],
                 after.residual, before.residual);
      // jacobi and apgd tell the residual itself: nothing in the trace beats what is returned
      for (int32_t t = 0; t < r.trace_count && (k == 0 || k == 4) && !after.solved; t++)
        if (trace[t].residual < after.residual*(1 - 1e-6))
          fail_msg("trial %d, %s: returned %g, iteration %d had %g", trial, sweepers[k],
                   after.residual, trace[t].iteration, trace[t].residual);
    }
    sample_free(&s);
  }
}

static void trace_decimation(void **state) {
  (void)state;
  sample s = laplacian(300);
  for (int capacity = 1; capacity < 50; capacity++) {
    perp_statistics trace[50];
    memset(trace, 0x55, sizeof trace);
    perp_options o = options_for("pgs");
    o.trace = trace;
    o.trace_capacity = capacity;
    o.iteration_limit = 777;
    memset(s.x, 0, 300*sizeof *s.x);
    perp_result r;
    assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), s.x, &o, &r), PERP_OK);
    assert_int_equal(r.iterations, 777);
    assert_true(r.trace_count >= 1 && r.trace_count <= capacity);
    for (int k = 0; k < r.trace_count - 1; k++)
      assert_int_equal(trace[k].iteration, k*r.trace_stride);
    const perp_statistics *last = &trace[r.trace_count - 1];   // the certified end
    assert_int_equal(last->iteration, 777);
    assert_true(last->residual == r.certificate.residual);
    assert_true(capacity == 1 ||
                (r.trace_count - 1)*r.trace_stride + r.trace_stride > 777 - r.trace_stride);
    unsigned char untouched[sizeof trace[0]];
    memset(untouched, 0x55, sizeof untouched);
    assert_memory_equal(&trace[capacity], untouched, sizeof untouched);
  }
  sample_free(&s);
}

static void warm_start(void **state) {
  (void)state;
  support_state = 4;
  for (int trial = 0; trial < 30; trial++) {
    sample s = sample_new(whole(1, 20));
    symmetric_definite(&s);
    for (int32_t i = 0; i < s.n; i++) s.b[i] = between(-1, 1);
    for (int32_t k = 0; k < perp_method_count(); k++) {
      const perp_method *m = perp_method_at(k);
      if ((m->traits & PERP_TRAIT_ALL) || !takes(m, sample_dense(&s))) continue;
      perp_options o = perp_default_options(m);
      perp_result r;
      double x[20] = {0}, again[20];
      if (strcmp(m->name, "jacobi") == 0) o.sweep.omega = 0.1;
      assert_int_equal(perp_solve_once(sample_dense(&s), x, &o, &r), PERP_OK);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", m->name, r.message);
      memcpy(again, x, sizeof x);
      assert_int_equal(perp_solve_once(&s.problem, again, &o, &r), PERP_OK);
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
      assert_int_equal(r.iterations, 0);
      assert_memory_equal(x, again, (size_t)s.n*sizeof *x);
    }
    sample_free(&s);
  }
}

// ---- options ----

static void default_guard(void **state) {
  (void)state;
  sample s = laplacian(3);
  perp_options zero = {0};
  perp_result r;
  memset(&r, 0x33, sizeof r);
  double x[3] = {7, 8, 9};
  assert_int_equal(perp_solve_once(sample_dense(&s), x, &zero, &r), PERP_ERROR_OPTION);
  says("perp_default_options()");
  for (size_t k = 0; k < sizeof r; k++) assert_int_equal(((unsigned char *)&r)[k], 0x33);
  assert_true(x[0] == 7 && x[1] == 8 && x[2] == 9);
  assert_int_equal(perp_set_option(&zero, "tol", "1e-3"), PERP_ERROR_OPTION);
  perp_options o = perp_default_options(NULL);
  assert_string_equal(o.method->name, "auto");
  o.method = NULL;
  assert_int_equal(perp_solve_once(&s.problem, x, &o, &r), PERP_ERROR_OPTION);
  o = perp_default_options(perp_find_method("pgs"));
  const perp_limits limits = perp_limits_of(&s.problem);
  perp_solver *solver = (perp_solver *)&s;
  assert_int_equal(perp_solver_create(perp_find_method("apgd"), &limits, &o, NULL, &solver),
                   PERP_ERROR_OPTION);
  says("pgs");
  assert_ptr_equal(solver, &s);
  o.trace_capacity = 3;
  assert_int_equal(perp_solve_once(&s.problem, x, &o, &r), PERP_ERROR_OPTION);
  o.trace_capacity = -1;
  assert_int_equal(perp_solve_once(&s.problem, x, &o, &r), PERP_ERROR_OPTION);
  says("trace_capacity = -1");
  sample_free(&s);
}

static const perp_parameter *parameter_of(const perp_method *m, int32_t k) {
  return k < m->parameter_count ? &m->parameters[k]
                                : perp_common_parameter_at(k - m->parameter_count);
}

static void poke(perp_options *o, const perp_parameter *p, double v) {
  unsigned char *field = (unsigned char *)o + p->offset;
  const int32_t small = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
  if (p->kind == PERP_KIND_REAL)
    memcpy(field, &v, sizeof v);
  else if (p->kind == PERP_KIND_LONG)
    memcpy(field, &(int64_t){(int64_t)v}, sizeof(int64_t));
  else
    memcpy(field, &small, sizeof small);
}

static void every_parameter(void **state) {
  (void)state;
  sample s = laplacian(3);
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    for (int32_t q = 0; q < m->parameter_count + perp_common_parameter_count(); q++) {
      const perp_parameter *p = parameter_of(m, q);
      perp_options o = perp_default_options(m);
      char text[64], before[sizeof o];
      double x[3] = {0};
      perp_result r;
      assert_ptr_equal(perp_find_parameter(m, p->name), p);
      assert_true(perp_parameter_value(&o, p) == p->initial);
      assert_true(p->help != NULL && p->help[0] != '\0');
      // every legal value by name: the default, and the closed ends
      const double legal[] = {p->initial, p->low, p->high};
      for (int v = 0; v < 3; v++) {
        if ((v == 1 && p->low_open) || (v == 2 && p->high_open) ||
            (p->kind == PERP_KIND_SEED && v == 2))
          continue;
        if (p->kind == PERP_KIND_CHOICE) {
          const char *c = p->choices;
          for (int skip = (int)legal[v]; skip > 0; skip--) c = strchr(c, '|') + 1;
          snprintf(text, sizeof text, "%.*s", (int)strcspn(c, "|"), c);
        } else
          snprintf(text, sizeof text, "%.17g", legal[v]);
        if (perp_set_option(&o, p->name, text) != PERP_OK)
          fail_msg("%s %s: %s", m->name, text, perp_last_message());
        assert_true(perp_parameter_value(&o, p) == legal[v]);
      }
      // illegal ones change nothing, by name and by field
      const char *const junk[] = {
          "",    "x",    "1x", "nan", "1e999x", "a|b", p->choices != NULL ? p->choices : "0|1",
          "- 1", "0.5.5"};
      memcpy(before, &o, sizeof o);
      for (size_t v = 0; v < sizeof junk/sizeof junk[0]; v++) {
        assert_int_equal(perp_set_option(&o, p->name, junk[v]), PERP_ERROR_OPTION);
        says(p->name);
      }
      assert_memory_equal(before, &o, sizeof o);
      if (p->kind == PERP_KIND_SEED) {
        assert_int_equal(perp_set_option(&o, p->name, " -1"), PERP_ERROR_OPTION);
        assert_int_equal(perp_set_option(&o, p->name, "18446744073709551616"), PERP_ERROR_OPTION);
        assert_int_equal(perp_set_option(&o, p->name, "18446744073709551615"), PERP_OK);
        assert_true(o.seed == UINT64_MAX);
        if (takes(m, sample_dense(&s)) && perp_solve_once(&s.problem, x, &o, &r) != PERP_OK)
          fail_msg("%s", perp_last_message());
        continue;
      }
      const double step = p->kind == PERP_KIND_REAL ? 1e-9 : 1.0;
      const double wrong[] = {p->low_open ? p->low : p->low - step,
                              p->high_open ? p->high
                                           : p->high + (p->high > 1e15 ? 1e-9*p->high : step)};
      for (int v = 0; v < 2; v++) {
        if (fabs(wrong[v]) == INF && p->kind != PERP_KIND_REAL) continue;
        if (p->high == INF && v == 1 && !p->high_open) continue;
        if (p->kind != PERP_KIND_CHOICE) {
          snprintf(text, sizeof text, "%.17g", wrong[v]);
          assert_int_equal(perp_set_option(&o, p->name, text), PERP_ERROR_OPTION);
          says(p->name);
        }
        if (p->kind != PERP_KIND_REAL && p->kind != PERP_KIND_LONG &&
            (wrong[v] > INT32_MAX || wrong[v] < INT32_MIN))
          continue;
        perp_options direct = perp_default_options(m);
        poke(&direct, p, wrong[v]);
        assert_int_equal(perp_solve_once(sample_dense(&s), x, &direct, &r), PERP_ERROR_OPTION);
        says(p->name);
      }
      if (p->kind == PERP_KIND_REAL) {
        perp_options direct = perp_default_options(m);
        poke(&direct, p, NAN);
        assert_int_equal(perp_solve_once(sample_dense(&s), x, &direct, &r), PERP_ERROR_OPTION);
      } else if (p->kind != PERP_KIND_CHOICE) {
        assert_int_equal(perp_set_option(&o, p->name, "0.5"), PERP_ERROR_OPTION);
      }
    }
    perp_options o = perp_default_options(m);
    assert_int_equal(perp_set_option(&o, "no.such", "1"), PERP_ERROR_OPTION);
    says("no option 'no.such'");
    assert_int_equal(perp_set_option(&o, NULL, "1"), PERP_ERROR_ARGUMENT);
    assert_int_equal(perp_set_option(NULL, "tol", "1"), PERP_ERROR_ARGUMENT);
    for (const char *const *w = (const char *const[]){"yes", "on", "true", "1", NULL}; *w != NULL;
         w++) {
      o.presolve = 0;
      assert_int_equal(perp_set_option(&o, "presolve", *w), PERP_OK);
      assert_int_equal(o.presolve, 1);
    }
  }
  sample_free(&s);
}

// ---- errors leave outputs alone; reuse ----

static void errors_leave_outputs(void **state) {
  (void)state;
  sample s = laplacian(4);
  perp_limits limits = perp_limits_of(sample_csc(&s, 0, 0));
  perp_solver *solver;
  assert_int_equal(perp_solver_create(perp_find_method("pgs"), &limits, NULL, NULL, &solver),
                   PERP_OK);
  perp_result r;
  memset(&r, 0x44, sizeof r);
  double x[5] = {1, 2, 3, 4, 5};
  sample big = laplacian(5), full = sample_new(4);
  for (int i = 0; i < 16; i++) full.M[i] = 1;
  assert_int_equal(perp_solve(solver, sample_csc(&big, 0, 0), x, &r), PERP_ERROR_CAPACITY);
  says("limits.n = 4");
  assert_int_equal(perp_solve(solver, sample_csc(&full, 0, 0), x, &r), PERP_ERROR_CAPACITY);
  says("limits.nnz = 10");
  s.b[2] = NAN;
  assert_int_equal(perp_solve(solver, sample_csc(&s, 0, 0), x, &r), PERP_ERROR_PROBLEM);
  s.b[2] = 1;
  const double bad[] = {1, NAN, 3, 4};
  assert_int_equal(perp_solve(solver, sample_csc(&s, 0, 0), (double *)(uintptr_t)bad, &r),
                   PERP_ERROR_ARGUMENT);
  says("x[1]");
  assert_int_equal(perp_solve(solver, NULL, x, &r), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_solve(solver, &s.problem, NULL, &r), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_solve(NULL, &s.problem, x, &r), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_solve(solver, &s.problem, x, NULL), PERP_ERROR_ARGUMENT);
  for (int i = 0; i < 5; i++) assert_true(x[i] == i + 1);
  for (size_t k = 0; k < sizeof r; k++) assert_int_equal(((unsigned char *)&r)[k], 0x44);
  assert_int_equal(perp_solve(solver, &s.problem, x, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  perp_solver_destroy(solver);
  perp_solver_destroy(NULL);
  limits.n = -1;
  assert_int_equal(perp_solver_create(NULL, &limits, NULL, NULL, &solver), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_solver_create(NULL, NULL, NULL, NULL, &solver), PERP_ERROR_ARGUMENT);
  limits.n = 50;
  assert_int_equal(perp_solver_create(perp_find_method("enumerate"), &limits, NULL, NULL, &solver),
                   PERP_ERROR_UNSUPPORTED);
  sample_free(&s);
  sample_free(&big);
  sample_free(&full);
}

typedef struct fuse {
  const sample *s;
  int left;
} fuse;
static int fused(void *context, const double *x, double *y) {
  fuse *f = context;
  if (f->left-- == 0) return -9;
  for (int32_t i = 0; i < f->s->n; i++) {
    y[i] = 0;
    for (int32_t j = 0; j < f->s->n; j++) y[i] += AT(f->s, i, j)*x[j];
  }
  return 0;
}

static void operator_abort(void **state) {  // at the k-th product, for all k
  (void)state;
  sample s = laplacian(12);
  double diagonal[12];
  for (int i = 0; i < 12; i++) diagonal[i] = 2;
  const char *const names[] = {"apgd", "jacobi", "auto"};
  for (int m = 0; m < 3; m++) {
    for (int k = 0;; k++) {
      fuse f = {&s, k};
      const perp_callback c = {.n = 12, .apply = fused, .diagonal = diagonal, .context = &f};
      perp_problem p = *sample_dense(&s);
      p.A = perp_from_callback(&c, PERP_CLAIM_SYMMETRIC);
      perp_options o = options_for(names[m]);
      o.iteration_limit = 60;
      double x[12];
      for (int i = 0; i < 12; i++) x[i] = 3;
      perp_result r;
      const perp_error error = perp_solve_once(&p, x, &o, &r);
      if (error == PERP_OK) {
        assert_true(k > 10 && f.left >= 0);
        break;
      }
      assert_int_equal(error, PERP_ERROR_OPERATOR);
      says("-9");
      for (int i = 0; i < 12; i++) assert_true(x[i] == 3);
      assert_true(k < 1000);
    }
  }
  sample_free(&s);
}

static void reuse_gives_the_same_bits(void **state) {
  (void)state;
  support_state = 5;
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    perp_limits limits = {.n = 12, .nnz = 144, .scratch = 12*8*8};
    perp_solver *solver;
    assert_int_equal(perp_solver_create(m, &limits, NULL, NULL, &solver), PERP_OK);
    for (int trial = 0; trial < 40; trial++) {
      sample s = sample_new(whole(0, 8));
      symmetric_definite(&s);
      for (int32_t i = 0; i < s.n; i++) {
        s.b[i] = between(-1, 1);
        if (whole(0, 2) == 0) s.hi[i] = 0.1;
      }
      double once[8] = {0}, first[8] = {0}, second[8] = {0};
      perp_result a, b, c;
      perp_problem p = trial & 1 ? *sample_dense(&s) : *sample_csc(&s, 0, 0);
      if (!takes(m, &p)) {
        sample_free(&s);
        continue;
      }
      assert_int_equal(perp_solve_once(&p, once, NULL, &a), PERP_OK);
      perp_options o = perp_default_options(m);
      memset(once, 0, sizeof once);
      assert_int_equal(perp_solve_once(&p, once, &o, &a), PERP_OK);
      p.value_stamp = (uint64_t)trial + 1;
      assert_int_equal(perp_solve(solver, &p, first, &b), PERP_OK);
      assert_int_equal(perp_solve(solver, &p, second, &c), PERP_OK);
      assert_memory_equal(once, first, sizeof once);
      assert_memory_equal(once, second, sizeof once);
      assert_int_equal(a.iterations, b.iterations);
      assert_int_equal(a.iterations, c.iterations);
      assert_int_equal(a.status, c.status);
      assert_true(a.certificate.residual == c.certificate.residual);
      sample_free(&s);
    }
    perp_solver_destroy(solver);
  }
}

static void batch(void **state) {
  (void)state;
  enum { COUNT = 7 };
  sample s[COUNT];
  perp_problem p[COUNT];
  double *x[COUNT];
  perp_result r[COUNT];
  memset(r, 0x11, sizeof r);
  for (int k = 0; k < COUNT; k++) {
    s[k] = laplacian(3 + k);
    if (k == 2) s[k].b[1] = NAN;
    if (k == 4) s[k].lo[0] = INF;
    p[k] = *sample_csc(&s[k], 0, 0);
    x[k] = s[k].x;
  }
  for (int lanes = 0; lanes < 4; lanes++) {
    perp_limits limits = perp_limits_of(&p[COUNT - 1]);
    limits.lanes = lanes;
    perp_options o = options_for("pgs");
    o.threads = lanes > 1 ? 2 : 1;
    perp_solver *solver;
    assert_int_equal(perp_solver_create(NULL, &limits, &o, NULL, &solver), PERP_OK);
    for (int k = 0; k < COUNT; k++) memset(x[k], 0, (size_t)s[k].n*sizeof(double));
    assert_int_equal(perp_solve_batch(solver, p, COUNT, x, r), PERP_ERROR_PROBLEM);
    says("problem 2: b[1]");
    for (int k = 0; k < COUNT; k++) {
      assert_int_equal(r[k].status, k == 2 || k == 4 ? PERP_STATUS_UNSOLVED : PERP_STATUS_SOLVED);
      if (k != 2 && k != 4)
        assert_true(own_residual(&s[k], x[k], NULL) < 1e-7);
      else
        assert_true(r[k].certificate.solved == 0 && r[k].message[0] != '\0');
    }
    assert_int_equal(perp_solve_batch(solver, NULL, 0, NULL, NULL), PERP_OK);
    assert_int_equal(perp_solve_batch(solver, NULL, 1, x, r), PERP_ERROR_ARGUMENT);
    perp_solver_destroy(solver);
  }
  for (int k = 0; k < COUNT; k++) sample_free(&s[k]);
}

static void measures_stop_and_never_certify(void **state) {
  (void)state;
  sample s = laplacian(100);
  const char *const names[] = {"natural",  "e13",      "minmap", "fischer",
                               "mns08_r1", "mns08_r2", "box"};
  for (int k = 0; k < 7; k++) {
    perp_options o = options_for("pgs");
    perp_result r;
    assert_int_equal(perp_set_option(&o, "stop.measure", names[k]), PERP_OK);
    assert_int_equal(perp_set_option(&o, "stop.tol", "1e-2"), PERP_OK);
    memset(s.x, 0, 100*sizeof *s.x);
    assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), s.x, &o, &r), PERP_OK);
    assert_true(r.status == PERP_STATUS_MEASURE || r.status == PERP_STATUS_SOLVED);
    assert_int_equal(r.status == PERP_STATUS_SOLVED, r.certificate.solved);
  }
  perp_options o = options_for("pgs");
  perp_result r;
  o.stop.stagnation = 1e-3;
  memset(s.x, 0, 100*sizeof *s.x);
  assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), s.x, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_STAGNATED);
  o = options_for("pgs");
  o.stop.relative = 0.05;
  memset(s.x, 0, 100*sizeof *s.x);
  assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), s.x, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_STALLED);
  sample_free(&s);
}

// Row 2 hardly counts beside row 1, so that any x_2 in its box passes; y_2 = 1 says which.
static void x_is_at_the_bound_that_y_points_to(void **state) {
  (void)state;
  const double M[] = {1, 0x1p-50, 0x1p-50, 0x1p-99}, lo[] = {0, -1}, hi[] = {INF, 1};
  const perp_dense d = {.n = 2, .value = M};
  for (int sign = -1; sign <= 1; sign += 2)
    for (int32_t k = 0; k < perp_method_count(); k++) {
      const double b[] = {-1, sign};
      const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo, .hi = hi};
      if (!takes(perp_method_at(k), &p) || perp_method_at(k)->traits & PERP_TRAIT_ALL) continue;
      for (int guess = -1; guess <= 1; guess++) {
        const perp_options options = perp_default_options(perp_method_at(k));
        double x[] = {1, guess};
        perp_result result;
        assert_true(certify(&p, x).solved);
        assert_int_equal(perp_solve_once(&p, x, &options, &result), PERP_OK);
        assert_int_equal(result.status, PERP_STATUS_SOLVED);
        assert_true(x[1] == -sign);
        assert_true(certify(&p, x).solved && certify(&p, x).natural_residual < 1e-14);
        assert_true(result.certificate.natural_residual < 1e-14);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(iteration_limit),
      cmocka_unit_test(time_limit),
      cmocka_unit_test(stop_from_callback),
      cmocka_unit_test(best_iterate),
      cmocka_unit_test(trace_decimation),
      cmocka_unit_test(warm_start),
      cmocka_unit_test(default_guard),
      cmocka_unit_test(every_parameter),
      cmocka_unit_test(errors_leave_outputs),
      cmocka_unit_test(operator_abort),
      cmocka_unit_test(reuse_gives_the_same_bits),
      cmocka_unit_test(batch),
      cmocka_unit_test(measures_stop_and_never_certify),
      cmocka_unit_test(x_is_at_the_bound_that_y_points_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
