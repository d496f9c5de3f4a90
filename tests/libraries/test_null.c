// test_null.c: NULL is refused or allowed by every public function, and crashes none.
//
// null_calls.def has the calls. Each runs in a process of its own, so that all that crash are named.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <perp/batch.h>
#include <perp/contact.h>
#include <perp/fluid.h>
#include <perp/gallery.h>
#include <perp/method.h>
#include <perp/american.h>

// good arguments for the other places
static const double entries[4] = {2, 1, 1, 2}, b[2] = {-1, 1};
static const perp_dense matrix = {.n = 2, .value = entries};
static const int32_t set[2] = {0, 1};
static const uint8_t cell[1] = {PERP_CELL_LIQUID};
static const perp_grid grid = {.cells = {1, 1, 1}, .spacing = {1, 1, 1}, .type = cell};
static const perp_problem empty;
static const perp_operator nothing;
static const perp_american put = {.spot = 1, .strike = 1, .volatility = 0.2, .maturity = 1};
static perp_options zeros, options;
static perp_problem problem, island;
static perp_wrapper wrapper;
static perp_limits limits;
static perp_solver *solver, *other;
static perp_result result;
static perp_brief brief;
static perp_certificate certificate;
static perp_tolerances tolerances;
static perp_farkas farkas;
static perp_bound bound;
static perp_proof proof;
static perp_classes classes;
static perp_sample sample;
static perp_csc copy;
static perp_american_result price;
static perp_world *world, *other_world;
static perp_body body;
static perp_world_report step;
static perp_fluid *fluid, *other_fluid;
static perp_fluid_settings liquid;
static perp_fluid_shape shape;
static perp_fluid_report report;
static perp_fluid_state state;
static double x[4] = {1, 1, 1, 1}, y[4], *xs[1] = {x};
static const double *view;
static int32_t number;
static uint32_t words[4];
static char text[65536];

static void prepare(void) {
  tolerances = perp_default_tolerances();
  problem = (perp_problem){.A = perp_from_dense(&matrix, 0), .b = b, .pattern_stamp = 1, .value_stamp = 1};
  options = perp_default_options(NULL);
  limits = perp_limits_of(&problem);
  assert_int_equal(perp_solver_create(NULL, &limits, NULL, NULL, &solver), PERP_OK);
  body = perp_sphere(1, 1);
  assert_int_equal(perp_world_create(NULL, NULL, &world), PERP_OK);
  assert_int_equal(perp_world_add(world, &body, NULL), PERP_OK);
  liquid = perp_fluid_defaults(2, 4, 4, 1);
  shape = perp_fluid_sphere(0.5, 0.5, 0, 0.3);
  assert_int_equal(perp_fluid_create(&liquid, NULL, &fluid), PERP_OK);
  assert_int_equal(perp_fluid_pour(fluid, &shape, NULL), PERP_OK);
  assert_int_equal(perp_fluid_step(fluid, NULL), PERP_OK);
}

static perp_error validated(perp_operator A) {
  const perp_problem p = {.A = A, .b = b};
  perp_certificate c;
  perp_limits_of(&p);
  const perp_error error = perp_validate(&p);
  const perp_error same[] = {perp_certify(&p, x, 1e-8, 0, NULL, &c), perp_solve_once(&p, x, NULL, NULL),
                             perp_classify(&p, NULL, &classes), perp_method_accepts(options.method, &p),
                             perp_auto_plan(&p, text, sizeof text)};
  for (size_t k = 0; k < sizeof same/sizeof same[0]; k++)
    if ((same[k] == PERP_OK) != (error == PERP_OK)) return PERP_OK;
  return error;
}

enum { FINE, NOT_REFUSED = 10, NO_MESSAGE };   // 1 is how sanitizers exit

static int refused(perp_error error) {
  if (error == PERP_OK) return NOT_REFUSED;
  return perp_last_message()[0] != '\0' ? FINE : NO_MESSAGE;
}

typedef struct call {
  const char *name, *words;
  int (*run)(void);
} call;

// a function for each call, named by its line
#define JOIN(a, b) a##b
#define NAMED(line) JOIN(call_, line)
#define REFUSES(function, ...) \
  static int NAMED(__LINE__)(void) { return refused(__VA_ARGS__); }
#define TAKES(function, ...) \
  static int NAMED(__LINE__)(void) { return (void)(__VA_ARGS__), FINE; }
#define PLAIN(function) \
  static int NAMED(__LINE__)(void) { return FINE; }
#include "null_calls.def"
#undef REFUSES
#undef TAKES
#undef PLAIN
static const call calls[] = {
#define REFUSES(function, ...) {#function, #__VA_ARGS__, NAMED(__LINE__)},
#define TAKES(function, ...) {#function, #__VA_ARGS__, NAMED(__LINE__)},
#define PLAIN(function) {#function, #function "()", NAMED(__LINE__)},
#include "null_calls.def"
};

static void null_crashes_nothing(void **unused) {
  (void)unused;
  int bad = 0;
  for (size_t k = 0; k < sizeof calls/sizeof calls[0]; k++) {
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      alarm(60);
      signal(SIGSEGV, SIG_DFL);   // not that of the test library
      _exit(calls[k].run());
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status == 0) continue;
    bad++;
    print_error("%s: %s\n", calls[k].words,
                !WIFEXITED(status) ? "crashes"
                : WEXITSTATUS(status) == NOT_REFUSED ? "is not refused"
                : WEXITSTATUS(status) == NO_MESSAGE ? "has no message" : "aborts");
  }
  assert_int_equal(bad, 0);
}

int main(void) {
  prepare();
  const struct CMUnitTest tests[] = {cmocka_unit_test(null_crashes_nothing)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  perp_solver_destroy(solver);
  perp_world_destroy(world);
  perp_fluid_destroy(fluid);
  return failed;
}
