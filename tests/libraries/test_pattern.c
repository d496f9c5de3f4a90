// test_pattern.c: what all libraries have in common (docs/decisions/036, 039).
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <perp/american.h>
#include <perp/analysis.h>
#include <perp/contact.h>
#include <perp/fluid.h>

// ---- a struct that may grow begins with its size ----

static const double entries[4] = {2, 1, 1, 2}, b[2] = {-1, 1};
static const perp_dense matrix = {.n = 2, .value = entries};
static perp_problem problem;
static perp_world *world;
static perp_fluid *fluid;
static double x[2];

// Calls a function with that `size` in a struct that is right otherwise.
typedef perp_error call(size_t size);

static perp_error options_once(size_t size) {
  perp_options o = perp_default_options(NULL);
  perp_result r;
  o.size = size;
  return perp_solve_once(&problem, x, &o, &r);
}
static perp_error options_create(size_t size) {
  perp_options o = perp_default_options(NULL);
  const perp_limits limits = perp_limits_of(&problem);
  perp_solver *s = NULL;
  o.size = size;
  const perp_error error = perp_solver_create(NULL, &limits, &o, NULL, &s);
  perp_solver_destroy(s);
  return error;
}
static perp_error options_set(size_t size) {
  perp_options o = perp_default_options(NULL);
  o.size = size;
  return perp_set_option(&o, "tol", "1e-6");
}
static perp_error tolerances(size_t size) {
  perp_tolerances t = perp_default_tolerances();
  perp_certificate c;
  t.size = size;
  return perp_certify_with(&problem, x, &t, NULL, &c);
}
static perp_error world_create(const perp_world_settings *s) {
  perp_world *w = NULL;
  const perp_error error = perp_world_create(s, NULL, &w);
  perp_world_destroy(w);
  return error;
}
static perp_error world_settings(size_t size) {
  perp_world_settings s = perp_world_defaults();
  s.size = size;
  return world_create(&s);
}
static perp_error world_options(size_t size) {
  perp_world_settings s = perp_world_defaults();
  perp_options o = perp_default_options(NULL);
  o.size = size;
  s.options = &o;
  return world_create(&s);
}
static perp_error body(size_t size) {
  perp_body ball = perp_sphere(1, 1);
  ball.size = size;
  return perp_world_add(world, &ball, NULL);
}
static perp_error fluid_create(const perp_fluid_settings *s) {
  perp_fluid *f = NULL;
  const perp_error error = perp_fluid_create(s, NULL, &f);
  perp_fluid_destroy(f);
  return error;
}
static perp_error fluid_settings(size_t size) {
  perp_fluid_settings s = perp_fluid_defaults(2, 4, 4, 1);
  s.size = size;
  return fluid_create(&s);
}
static perp_error fluid_options(size_t size) {
  perp_fluid_settings s = perp_fluid_defaults(2, 4, 4, 1);
  perp_options o = perp_default_options(NULL);
  o.size = size;
  s.options = &o;
  return fluid_create(&s);
}
static perp_fluid_shape ball_of(size_t size) {
  perp_fluid_shape ball = perp_fluid_sphere(0.5, 0.5, 0, 0.2);
  ball.size = size;
  return ball;
}
static perp_error poured(size_t size) {
  const perp_fluid_shape ball = ball_of(size);
  return perp_fluid_pour(fluid, &ball, NULL);
}
static perp_error solid(size_t size) {
  const perp_fluid_shape ball = ball_of(size);
  return perp_fluid_add_solid(fluid, &ball, NULL);
}
static perp_error moved_solid(size_t size) {
  const perp_fluid_shape ball = ball_of(size);
  return perp_fluid_move_solid(fluid, 0, &ball);
}
static const perp_american put = {.spot = 1, .strike = 1, .rate = 0.05, .volatility = 0.2,
                                  .maturity = 1};
static perp_error priced(const perp_american_settings *s) {
  perp_american_result r;
  const perp_error error = perp_american_price(&put, s, &r);
  if (error == PERP_OK) perp_american_free(&r);
  return error;
}
static perp_error american_settings(size_t size) {
  perp_american_settings s = perp_american_defaults();
  s.nodes = s.steps = 32;
  s.size = size;
  return priced(&s);
}
static perp_error american_options(size_t size) {
  perp_american_settings s = perp_american_defaults();
  perp_options o = perp_default_options(perp_find_method("tridiagonal"));
  s.nodes = s.steps = 32;
  o.size = size;
  s.options = &o;
  return priced(&s);
}

static const struct { call *call; size_t size; const char *field, *way_out; } guards[] = {
  {options_once, sizeof(perp_options), "options.size", "perp_default_options()"},
  {options_create, sizeof(perp_options), "options.size", "perp_default_options()"},
  {options_set, sizeof(perp_options), "options.size", "perp_default_options()"},
  {tolerances, sizeof(perp_tolerances), "tolerances.size", "perp_default_tolerances()"},
  {world_settings, sizeof(perp_world_settings), "settings.size", "perp_world_defaults()"},
  {world_options, sizeof(perp_options), "options.size", "perp_default_options()"},
  {body, sizeof(perp_body), "body.size", "perp_sphere()"},
  {fluid_settings, sizeof(perp_fluid_settings), "settings.size", "perp_fluid_defaults()"},
  {fluid_options, sizeof(perp_options), "options.size", "perp_default_options()"},
  {solid, sizeof(perp_fluid_shape), "shape.size", "perp_fluid_"},
  {moved_solid, sizeof(perp_fluid_shape), "shape.size", "perp_fluid_"},
  {poured, sizeof(perp_fluid_shape), "shape.size", "perp_fluid_"},
  {american_settings, sizeof(perp_american_settings), "settings.size", "perp_american_defaults()"},
  {american_options, sizeof(perp_options), "options.size", "perp_default_options()"},
};
enum { GUARDS = sizeof guards/sizeof *guards };

// A size of another version, or of zeros, is refused. The message has the field, its value, the
// right value and the function to begin with. With the right size each call is good.
static void wrong_sizes_are_refused(void **state) {
  (void)state;
  for (int i = 0; i < GUARDS; i++) {
    const size_t right = guards[i].size, wrong[] = {0, 1, right - 8, right + 8, SIZE_MAX};
    if (guards[i].call(right) != PERP_OK)
      fail_msg("%d, %s: %s", i, guards[i].field, perp_last_message());
    for (size_t k = 0; k < sizeof wrong/sizeof *wrong; k++) {
      const perp_error error = guards[i].call(wrong[k]);
      if (error != PERP_ERROR_ARGUMENT && error != PERP_ERROR_OPTION)
        fail_msg("%d, %s = %zu: %s", i, guards[i].field, wrong[k], perp_error_name(error));
      char text[120];
      snprintf(text, sizeof text, "%s = %zu is not %zu: begin with ", guards[i].field, wrong[k], right);
      if (strstr(perp_last_message(), text) == NULL ||
          strstr(perp_last_message(), guards[i].way_out) == NULL)
        fail_msg("%d: \"%s\" instead of \"%s%s\"", i, perp_last_message(), text, guards[i].way_out);
    }
  }
}

// The size is the first member, so that it is found whatever version the rest is of.
static void the_size_comes_first(void **state) {
  (void)state;
  assert_int_equal(offsetof(perp_options, size), 0);
  assert_int_equal(offsetof(perp_tolerances, size), 0);
  assert_int_equal(offsetof(perp_world_settings, size), 0);
  assert_int_equal(offsetof(perp_body, size), 0);
  assert_int_equal(offsetof(perp_fluid_settings, size), 0);
  assert_int_equal(offsetof(perp_fluid_shape, size), 0);
  assert_int_equal(offsetof(perp_american_settings, size), 0);
}

// ---- one up axis ----

static void bodies_and_liquids_fall_the_same_way(void **state) {
  (void)state;
  const perp_world_settings bodies = perp_world_defaults();
  for (int dimension = 2; dimension <= 3; dimension++) {
    const perp_fluid_settings liquid = perp_fluid_defaults(dimension, 8, 8, dimension == 3 ? 8 : 1);
    for (int k = 0; k < 3; k++) {
      assert_true(bodies.gravity[k] == liquid.gravity[k]);
      assert_true((bodies.gravity[k] < 0.0) == (k == 1));
    }
  }
}

static int prepare(void **state) {
  (void)state;
  const perp_fluid_settings s = perp_fluid_defaults(2, 8, 8, 1);
  problem = (perp_problem){.A = perp_from_dense(&matrix, 0), .b = b};
  return perp_world_create(NULL, NULL, &world) != PERP_OK ||
         perp_fluid_create(&s, NULL, &fluid) != PERP_OK;
}

static int release(void **state) {
  (void)state;
  perp_world_destroy(world);
  perp_fluid_destroy(fluid);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_sizes_are_refused),
    cmocka_unit_test(the_size_comes_first),
    cmocka_unit_test(bodies_and_liquids_fall_the_same_way),
  };
  return cmocka_run_group_tests(tests, prepare, release);
}
