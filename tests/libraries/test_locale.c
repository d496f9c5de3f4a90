// test_locale.c: numbers are read and written with a point, whatever the locale of the process is.
//
// The same calls are made in the locale "C" and in one whose decimal point is a comma. What the
// library says must be the same, byte by byte. The locale is compiled for the test (localedef with
// Debian's package locales); where that cannot be done, the test is skipped.
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <perp/contact.h>
#include <perp/fluid.h>
#include <perp/gallery.h>
#include <perp/method.h>
#include <perp/american.h>

// setlocale() of glibc keeps the list that it makes of LOCPATH; that leak is not ours.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:argz_add_sep\n"; }

static char *words;           // what was said, a line each
static size_t words_length;

static void note(const char *text) {
  const size_t length = strlen(text);
  words = realloc(words, words_length + length + 2);
  assert_non_null(words);
  memcpy(words + words_length, text, length);
  words[words_length + length] = '\n';
  words[words_length += length + 1] = '\0';
}

static void note_options(void) {
  static const char *const set[][3] = {   // method, option, value
    {"pgs", "tol", "1.25e-3"}, {"pgs", "tol", "1,25"}, {"pgs", "tol", "1.5"},
    {"psor", "sweep.omega", "1.75"}, {"psor", "sweep.omega", "2.5"}, {"psor", "sweep.omega", "1,75"},
    {"pgs", "time_limit", "0.125"}, {"pgs", "time_limit", "1.000,5"}, {"pgs", "time_limit", "inf"},
    {"pgs", "iteration_limit", "1.000"}, {"pgs", "iteration_limit", "2.5"},
  };
  for (size_t k = 0; k < sizeof set/sizeof set[0]; k++) {
    perp_options o = perp_default_options(perp_find_method(set[k][0]));
    const perp_error error = perp_set_option(&o, set[k][1], set[k][2]);
    const perp_parameter *p = perp_find_parameter(o.method, set[k][1]);
    char line[96];
    snprintf(line, sizeof line, "%s %a", perp_error_name(error), perp_parameter_value(&o, p));
    for (char *c = line; *c != '\0'; c++)
      if (*c == ',') *c = '.';   // of this printf, not of perp's
    note(line);
    if (error != PERP_OK) note(perp_last_message());
  }
}

static void note_gallery(void) {
  for (int32_t k = 0; k < perp_family_count(); k++) {
    perp_sample sample;
    assert_int_equal(perp_generate(perp_family_at(k), NULL, 1, &sample), PERP_OK);
    note(sample.note);
    char plan[4096];
    if (perp_auto_plan(&sample.problem, plan, sizeof plan) == PERP_OK) note(plan);
    perp_classes classes;
    if (perp_classify(&sample.problem, NULL, &classes) == PERP_OK)
      for (int c = 0; c < PERP_CLASS_COUNT; c++) note(classes.of[c].reason);

    // a solve that does not end well, with its advice; then proofs about its x
    perp_options o = perp_default_options(perp_find_method("pgs"));
    o.iteration_limit = 3;
    double *x = calloc((size_t)sample.n + 1, sizeof *x);
    double *lower = calloc((size_t)sample.n + 1, sizeof *x), *upper = calloc((size_t)sample.n + 1, 8);
    perp_result result;
    if (perp_solve_once(&sample.problem, x, &o, &result) == PERP_OK) note(result.message);
    else note(perp_last_message());
    perp_bound bound;
    if (perp_error_bound(&sample.problem, x, NULL, lower, &bound) == PERP_OK) note(bound.reason);
    perp_proof proof;
    if (perp_prove(&sample.problem, x, NULL, lower, upper, &proof) == PERP_OK) note(proof.reason);
    perp_farkas farkas;
    for (int32_t i = 0; i < sample.n; i++) upper[i] = -0.5;
    if (perp_check_farkas(&sample.problem, upper, &farkas) == PERP_OK) note(farkas.reason);
    free(x);
    free(lower);
    free(upper);
    perp_sample_free(&sample);
  }
}

static void note_errors(void) {
  static const double value[4] = {2, 0.5, 0.5, 2}, b[2] = {-1, 1}, lo[2] = {0.5, 0.5},
                      hi[2] = {0.25, 1};
  const perp_dense matrix = {.n = 2, .value = value};
  const perp_problem crossed = {.A = perp_from_dense(&matrix, 0), .b = b, .lo = lo, .hi = hi};
  assert_int_equal(perp_validate(&crossed), PERP_ERROR_PROBLEM);
  note(perp_last_message());

  static const double flat[4] = {-1, -0.5, -0.5, -1}, below[2] = {-0.75, -0.25};
  const perp_dense negative = {.n = 2, .value = flat};
  const perp_problem hopeless = {.A = perp_from_dense(&negative, 0), .b = below};
  double x[2] = {0};
  perp_result result;
  assert_int_equal(perp_solve_once(&hopeless, x, NULL, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_INFEASIBLE);
  note(result.message);

  perp_world_settings world = perp_world_defaults();
  world.step = -0.5;
  perp_world *w = NULL;
  assert_int_equal(perp_world_create(&world, NULL, &w), PERP_ERROR_ARGUMENT);
  note(perp_last_message());
  perp_fluid_settings fluid = perp_fluid_defaults(2, 8, 8, 1);
  fluid.spacing = -1.5;
  perp_fluid *f = NULL;
  assert_int_equal(perp_fluid_create(&fluid, NULL, &f), PERP_ERROR_ARGUMENT);
  note(perp_last_message());
  perp_american_result price;
  const perp_american put = {.kind = PERP_AMERICAN_PUT, .spot = 1, .strike = 1, .rate = 0.05,
                             .volatility = -0.25, .maturity = 1};
  assert_int_equal(perp_american_price(&put, NULL, &price), PERP_ERROR_ARGUMENT);
  note(price.message);
}

static char *transcript(void) {
  words = NULL;
  words_length = 0;
  note_options();
  note_errors();
  note_gallery();
  return words;
}

static void a_comma_changes_nothing(void **state) {
  (void)state;
  assert_non_null(setlocale(LC_ALL, "C"));
  char *plain = transcript();
  assert_non_null(strstr(plain, "lo = 0.5 > hi = 0.25"));
  assert_non_null(strstr(plain, "sweep.omega = 2.5 is outside (0, 2)"));

  assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
  char *comma = transcript();
  char number[16];
  snprintf(number, sizeof number, "%g", 1.5);
  assert_string_equal(number, "1,5");   // the locale is in force, and still is
  setlocale(LC_ALL, "C");

  char *rest[2];
  for (char *a = strtok_r(plain, "\n", &rest[0]), *b = strtok_r(comma, "\n", &rest[1]);
       a != NULL || b != NULL;
       a = strtok_r(NULL, "\n", &rest[0]), b = strtok_r(NULL, "\n", &rest[1])) {
    assert_non_null(a);
    assert_non_null(b);
    assert_string_equal(a, b);
  }
  free(plain);
  free(comma);
}

// A locale of the thread alone (uselocale) is the same afterwards.
static void the_locale_of_the_thread_is_kept(void **state) {
  (void)state;
  const locale_t mine = newlocale(LC_ALL_MASK, "de_DE.UTF-8", (locale_t)0);
  assert_true(mine != (locale_t)0);
  const locale_t before = uselocale(mine);
  perp_options o = perp_default_options(NULL);
  assert_int_equal(perp_set_option(&o, "tol", "0.5"), PERP_OK);
  assert_true(o.tol == 0.5);
  assert_true(uselocale((locale_t)0) == mine);
  uselocale(before);
  freelocale(mine);
}

int main(void) {
  char folder[] = "/tmp/perp_locale_XXXXXX", command[256];
  if (mkdtemp(folder) == NULL) return 77;
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1",
           folder);
  const int made = system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
                   setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
  int failed = 77;
  if (made) {
    const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_comma_changes_nothing),
      cmocka_unit_test(the_locale_of_the_thread_is_kept),
    };
    failed = cmocka_run_group_tests(tests, NULL, NULL);
  } else {
    puts("skipped: localedef cannot make de_DE.UTF-8 (package locales)");
  }
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) puts("the locale is left behind");
  return failed;
}
