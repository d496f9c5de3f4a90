// test_kit.c: what the libraries of sim/ share: messages, checks, memory and saved states.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "buffer.h"
#include "counting.h"
#include "refuse.h"
#include "saved.h"

static void says(perp_error error, const char *message) {
  assert_int_equal(error, PERP_ERROR_ARGUMENT);
  assert_string_equal(perp_last_message(), message);
}

static void messages_name_thing_value_and_limit(void **unused) {
  (void)unused;
  says(refuse_value("flip", 1.5, "[0, 1]"), "flip = 1.5 is outside [0, 1]");
  says(refuse(PERP_ERROR_ARGUMENT, "options: %s", perp_last_message()),
       "options: flip = 1.5 is outside [0, 1]");   // a message may quote the one before
  assert_int_equal(refuse(PERP_ERROR_MEMORY, "no memory for %d cells", 3), PERP_ERROR_MEMORY);
  char longer[2000];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  refuse(PERP_ERROR_ARGUMENT, "%s", longer);
  assert_true(strlen(perp_last_message()) > 100 && strlen(perp_last_message()) < 600);
}

static void ranges_hold_their_ends_and_refuse_what_is_no_number(void **unused) {
  (void)unused;
  range r[] = {{"a", 0.0, 0.0, 1.0, "[0, 1]"}, {"b", 1.0, 0.0, 1.0, "[0, 1]"}};
  assert_int_equal(check_ranges(r, 2), PERP_OK);
  r[1].value = nextafter(1.0, 2.0);
  assert_int_equal(check_ranges(r, 1), PERP_OK);
  says(check_ranges(r, 2), "b = 1 is outside [0, 1]");
  r[0].value = (double)NAN;
  assert_int_equal(check_ranges(r, 2), PERP_ERROR_ARGUMENT);
  assert_non_null(strstr(perp_last_message(), "a = "));
}

static void vectors_lengths_and_turns(void **unused) {
  (void)unused;
  const double edge[3] = {1e12, -1e12, 0.0}, beyond[3] = {0.0, 0.0, -1.1e12},
               none[3] = {0.0, (double)NAN, 0.0}, zero[3] = {0.0, 0.0, 0.0};
  assert_int_equal(check_vector("force", edge), PERP_OK);
  says(check_vector("force", beyond), "force[2] = -1.1e+12 is outside [-1e12, 1e12]");
  assert_int_equal(check_vector("force", none), PERP_ERROR_ARGUMENT);

  const double sides[3] = {1e-9, 1e9, 0.0}, up[3] = {0.0, 0.0, 2.0};
  assert_int_equal(check_lengths("radius", sides, 2), PERP_OK);
  says(check_lengths("radius", sides, 3), "radius = 0 is outside [1e-9, 1e9]");
  assert_int_equal(check_normal(3, up), PERP_OK);
  says(check_normal(2, up), "normal[2] = 2 is outside {0} in two dimensions");
  says(check_normal(3, zero), "the length of the normal = 0 is outside [1e-9, 1e9]");

  const double still[4] = {1.0, 0.0, 0.0, 0.0}, half[4] = {0.5, 0.0, 0.0, 0.0},
               tilted[4] = {0.6, 0.8, 0.0, 0.0}, about_x[3] = {1.0, 0.0, 0.0};
  assert_int_equal(check_turn(2, zero, zero, still), PERP_OK);
  assert_int_equal(check_turn(3, up, about_x, tilted), PERP_OK);
  says(check_turn(3, zero, zero, half),
       "the length of orientation = 0.5 is outside [1 - 1e-6, 1 + 1e-6]");
  says(check_turn(2, up, zero, still), "velocity[2] = 2 is outside {0} in two dimensions");
  says(check_turn(2, zero, about_x, still), "spin[0] = 1 is outside {0} in two dimensions");
  says(check_turn(2, zero, zero, tilted),
       "orientation[1] or [2] = 0.8 is outside {0} in two dimensions");
}

static void settings_of_all_simulations(void **unused) {
  (void)unused;
  const double down[3] = {0.0, -9.81, 0.0}, deep[3] = {0.0, 0.0, -9.81};
  const common good = {2, 1, 0.01, (double)INFINITY, down, NULL};
  assert_int_equal(check_common(&good), PERP_OK);
  common bad = good;
  bad.dimension = 4;
  says(check_common(&bad), "dimension = 4 is outside {2, 3}");
  bad = good, bad.threads = 0;
  says(check_common(&bad), "threads = 0 is outside [1, 1024]");
  bad = good, bad.step = 0.0;
  says(check_common(&bad), "step = 0 is outside [1e-9, 1000]");
  bad = good, bad.time_limit = 0.0;
  says(check_common(&bad), "time_limit = 0 is outside (0, inf]");
  bad = good, bad.gravity = deep;
  says(check_common(&bad), "gravity[2] = -9.81 is outside {0} in two dimensions");
  perp_options options = perp_default_options(NULL);
  options.size = 3;
  bad = good, bad.options = &options;
  assert_int_equal(check_common(&bad), PERP_ERROR_ARGUMENT);
  assert_non_null(strstr(perp_last_message(), "begin with perp_default_options()"));
  assert_int_equal(check_size("body", 8, 8, "perp_sphere()"), PERP_OK);
  says(check_size("body", 8, 16, "perp_sphere()"),
       "body.size = 8 is not 16: begin with perp_sphere()");
}

static void options_lose_what_belongs_to_one_solve(void **unused) {
  (void)unused;
  perp_statistics trace[4];
  perp_options given = perp_default_options(perp_find_method("pgs"));
  given.trace = trace;
  given.trace_capacity = 4;
  given.tol = 1e-5;
  const perp_options own = options_of(&given), plain = options_of(NULL);
  assert_true(own.trace == NULL && own.trace_capacity == 0 && own.farkas == NULL);
  assert_true(own.tol == 1e-5 && own.method == given.method);
  assert_true(plain.size == sizeof plain);

  counter c = {0};
  const perp_allocator a = {counted_allocate, counted_release, &c};
  assert_int_equal(check_options(&own, &a), PERP_OK);
  given.tol = -1.0;
  assert_int_equal(check_options(&given, &a), PERP_ERROR_OPTION);
  assert_int_equal(strncmp(perp_last_message(), "options: ", 9), 0);
  const int64_t requests = c.requests;
  for (int64_t k = 1; k <= requests; k++) {
    c = (counter){.fail_at = k};
    const perp_error error = check_options(&own, &a);
    assert_true(error == PERP_ERROR_MEMORY || error == PERP_OK);
    assert_true(k > 1 || error == PERP_ERROR_MEMORY);
    assert_int_equal(c.live, 0);
  }
}

static void buffers_grow_and_keep(void **unused) {
  (void)unused;
  counter c = {0};
  const perp_allocator a = {counted_allocate, counted_release, &c};
  buffer b = {0};
  assert_int_equal(buffer_grow(&a, &b, 0, 0), 1);   // even of nothing there is an address
  assert_non_null(b.at);
  for (size_t n = 1; n <= 10000; n++) {
    assert_int_equal(buffer_grow(&a, &b, n, n - 1), 1);
    assert_true(b.bytes >= n);
    ((unsigned char *)b.at)[n - 1] = (unsigned char)(n*7);
  }
  for (size_t n = 1; n <= 10000; n++)
    assert_int_equal(((unsigned char *)b.at)[n - 1], (unsigned char)(n*7));
  assert_true(c.requests < 20);
  const buffer before = b;
  c.fail_at = c.requests + 1;
  assert_int_equal(buffer_grow(&a, &b, 1000000, 10000), 0);   // as it was
  assert_true(b.at == before.at && b.bytes == before.bytes);
  assert_int_equal(c.live, 1);
  buffer_free(&a, &b);
  buffer_free(&a, &b);
  buffer_release(&a, NULL);
  assert_int_equal(c.live, 0);

  const perp_allocator half = {counted_allocate, NULL, &c}, plain = buffer_allocator(&half);
  assert_true(plain.allocate != counted_allocate);   // malloc and free, both
  void *memory = plain.allocate(plain.context, 100);
  assert_non_null(memory);
  buffer_release(&plain, memory);
}

static void states_are_of_one_kind(void **unused) {
  (void)unused;
  static const char mark[8] = "PERPTST1";
  struct { saved_head of; double time; } made = {.time = 2.0}, found = {.time = 0.0};
  memcpy(made.of.mark, mark, sizeof mark);
  made.of.kind = SAVED_HASH_START;
  saved_mix(&made.of.kind, "a", 1);
  assert_true(made.of.kind == 0xAF63DC4C8601EC8Cu);   // FNV-1a of "a", as published
  assert_int_equal(saved_read(&made, sizeof made, mark, "save", &found, sizeof found), PERP_OK);
  assert_true(found.time == 2.0);
  says(saved_read(&made, 3, mark, "save", &found, sizeof found), "size = 3 is outside [24, inf)");
  made.of.mark[7] = '2';
  says(saved_read(&made, sizeof made, mark, "save", &found, sizeof found),
       "these bytes are not a state of save()");
  const uint64_t kind = made.of.kind;
  assert_int_equal(saved_check(&made.of, kind, "world", "bodies", 3, 3, "settings"), PERP_OK);
  says(saved_check(&made.of, kind, "world", "bodies", 2, 3, "settings"),
       "the state is of another world, with 2 bodies; this one has 3");
  says(saved_check(&made.of, kind + 1, "world", "bodies", 3, 3, "settings"),
       "the state is of another world, with other settings");

  unsigned char bytes[1 + 3*sizeof(double)];   // at an odd address
  double numbers[3] = {1.0, -1e300, 0.0};
  memcpy(bytes + 1, numbers, sizeof numbers);
  assert_int_equal(saved_is_finite(bytes + 1, sizeof numbers), 1);
  numbers[2] = (double)INFINITY;
  memcpy(bytes + 1, numbers, sizeof numbers);
  assert_int_equal(saved_is_finite(bytes + 1, sizeof numbers), 0);
  assert_int_equal(saved_is_finite(bytes + 1, 2*sizeof(double)), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(messages_name_thing_value_and_limit),
    cmocka_unit_test(ranges_hold_their_ends_and_refuse_what_is_no_number),
    cmocka_unit_test(vectors_lengths_and_turns),
    cmocka_unit_test(settings_of_all_simulations),
    cmocka_unit_test(options_lose_what_belongs_to_one_solve),
    cmocka_unit_test(buffers_grow_and_keep),
    cmocka_unit_test(states_are_of_one_kind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
