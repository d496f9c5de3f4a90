// test_contact_stages.c: what the report says of a step's stages and of the attempts at islands.
//
// 1. The times of the stages are parts of the step's time and add up to it, on any clock.
// 2. Each island has the impulses of one attempt, and each attempt is somebody's.
// 3. A step that fails at any allocation leaves the report of the step before, with both.
#include "contact_support.h"
#include "counting.h"

static double tick(void *context) { return *(double *)context += 1e-3; }

static perp_world *balls_on_the_ground(const perp_options *options, const perp_allocator *a) {
  perp_world_settings s = perp_world_defaults();
  s.gravity[0] = s.gravity[1] = 0.0;
  s.gravity[2] = -9.81;
  s.options = options;
  perp_world *w = NULL;
  assert_int_equal(perp_world_create(&s, a, &w), PERP_OK);
  put(w, perp_plane(0, 0, 1, 0));
  for (int k = 0; k < 5; k++)
    put(w, with(at(perp_sphere(0.5, 1.0), 0.98*k, 0.01*k, 0.49 + 0.1*k), 0, 0, -k));
  return w;
}

static void stages_add_up(void **unused) {
  (void)unused;
  double now = 0.0;
  perp_options options = perp_default_options(NULL);
  options.clock = tick;
  options.clock_context = &now;
  perp_world *w = balls_on_the_ground(&options, NULL);
  for (int i = 0; i < 20; i++) {
    const double before = now;
    const perp_world_report r = step(w);
    double sum = 0.0;
    for (int k = 0; k < PERP_WORLD_STAGES; k++) {   // each ends with a look at the clock
      assert_true(r.stage_seconds[k] >= 0.9e-3);
      sum += r.stage_seconds[k];
    }
    near("the stages' sum", sum, r.seconds, 1e-12);
    near("the step", r.seconds, now - before - 1e-3, 1e-12);   // but for the first look
    assert_true(r.stage_seconds[PERP_WORLD_SOLVE] == r.solve_seconds);
    assert_true(r.stage_seconds[PERP_WORLD_SOLVE] > r.stage_seconds[PERP_WORLD_SLEEP]);
  }
  perp_world_destroy(w);
}

static void names(void **unused) {
  (void)unused;
  assert_string_equal(perp_world_stage_name(PERP_WORLD_CONTACTS), "contacts");
  assert_string_equal(perp_world_stage_name(PERP_WORLD_MEASURE), "measure");
  assert_string_equal(perp_attempt_name(PERP_ATTEMPT_JAM), "jam");
  assert_string_equal(perp_attempt_name(PERP_ATTEMPT_SWEEP), "sweep");
  for (int k = 0; k < PERP_WORLD_STAGES; k++)
    assert_true(strlen(perp_world_stage_text((perp_world_stage)k)) > 5);
  for (int k = 0; k < PERP_ATTEMPT_COUNT; k++)
    assert_true(strlen(perp_attempt_text((perp_attempt)k)) > 5);
  assert_string_equal(perp_world_stage_name(PERP_WORLD_STAGES), "");
  assert_string_equal(perp_world_stage_text((perp_world_stage)-1), "");
  assert_string_equal(perp_attempt_name(PERP_ATTEMPT_COUNT), "");
  assert_string_equal(perp_attempt_text((perp_attempt)-1), "");
}

// Steps of w, with the answers of all islands counted; w is destroyed.
static void count(perp_world *w, int many, int32_t answers[PERP_ATTEMPT_COUNT]) {
  for (int i = 0; i < many; i++) {
    const perp_world_report r = step(w);
    int32_t sum = 0;
    for (int k = 0; k < PERP_ATTEMPT_COUNT; k++) {
      assert_true(r.answers[k] >= 0);
      sum += r.answers[k];
      answers[k] += r.answers[k];
    }
    assert_int_equal(sum, r.islands);
    if (r.answers[PERP_ATTEMPT_JAM] + r.answers[PERP_ATTEMPT_SWEEP] > 0)
      assert_int_not_equal(r.worst_status, PERP_STATUS_SOLVED);
  }
  perp_world_destroy(w);
}

static void each_attempt_answers(void **unused) {
  (void)unused;
  // with plenty of iterations, the first one
  int32_t easy[PERP_ATTEMPT_COUNT] = {0}, hard[PERP_ATTEMPT_COUNT] = {0},
          late[PERP_ATTEMPT_COUNT] = {0}, crushed[PERP_ATTEMPT_COUNT] = {0};
  count(balls_on_the_ground(NULL, NULL), 20, easy);
  assert_true(easy[PERP_ATTEMPT_WARM] > 0);
  for (int k = 0; k < PERP_ATTEMPT_COUNT; k++)
    if (k != PERP_ATTEMPT_WARM) assert_int_equal(easy[k], 0);
  // with few, also from zero and without restitution
  perp_options options = perp_default_options(perp_find_method("pgs"));
  options.iteration_limit = 20;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    perp_world_settings s = perp_world_defaults();
    s.gravity[0] = s.gravity[1] = 0.0;
    s.gravity[2] = -9.81;
    s.restitution = 0.7;
    s.options = &options;
    perp_world *w = world_with(&s);
    state = seed;
    put(w, perp_hollow(1.0));
    fill_randomly(w, 12, 1.0, 2.0, 0.0);
    count(w, 100, hard);
  }
  for (int k = PERP_ATTEMPT_WARM; k <= PERP_ATTEMPT_INELASTIC_COLD; k++)
    if (hard[k] == 0) fail_msg("no island has the impulses of '%s'", perp_attempt_name((perp_attempt)k));
  // without time
  double now = 0.0;
  options = perp_default_options(NULL);
  options.clock = tick;
  options.clock_context = &now;
  perp_world_settings s = perp_world_defaults();
  s.gravity[0] = s.gravity[1] = 0.0;
  s.gravity[2] = -9.81;
  s.options = &options;
  s.time_limit = 1e-6;
  perp_world *w = world_with(&s);
  put(w, perp_plane(0, 0, 1, 0));
  for (int k = 0; k < 8; k++) put(w, at(perp_sphere(0.5, 1.0), 0.01*k, 0, 0.5 + k));
  count(w, 10, late);
  assert_true(late[PERP_ATTEMPT_SWEEP] > 0);
  // between something that does not yield and the ground
  s.options = NULL;
  s.time_limit = INF;
  w = world_with(&s);
  put(w, perp_plane(0, 0, 1, 0));
  put(w, at(perp_sphere(0.5, 1.0), 0, 0, 0.5));
  put(w, with(at(perp_sphere(0.5, INF), 0, 0, 1.5), 0, 0, -1));
  count(w, 3, crushed);
  assert_true(crushed[PERP_ATTEMPT_JAM] > 0);
}

static void a_failed_step_keeps_the_report(void **unused) {
  (void)unused;
  int failed = 0, done = 0;
  for (int64_t k = 0; !done; k++) {
    meter m = {1000000, 0};
    const perp_allocator a = {metered, released, &m};
    perp_world *w = balls_on_the_ground(NULL, &a);
    step(w);
    const perp_body late = at(perp_sphere(0.5, 1.0), 9, 9, 0.5);   // its contacts need memory
    assert_int_equal(perp_world_add(w, &late, NULL), PERP_OK);
    perp_world_report before, after;
    perp_world_last(w, &before);
    m.left = k;
    const perp_error error = perp_world_step(w, NULL);
    done = error == PERP_OK && m.left > 0;
    m.left = 1000000;
    perp_world_last(w, &after);
    if (error != PERP_OK) {
      failed++;
      assert_int_equal(error, PERP_ERROR_MEMORY);
      assert_non_null(strstr(perp_last_message(), "no memory"));
      assert_int_equal(after.step, before.step);
      assert_memory_equal(after.stage_seconds, before.stage_seconds, sizeof after.stage_seconds);
      assert_memory_equal(after.answers, before.answers, sizeof after.answers);
      assert_int_equal(step(w).step, before.step + 1);
    }
    perp_world_destroy(w);
    assert_int_equal(m.live, 0);
  }
  assert_true(failed > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(stages_add_up),
    cmocka_unit_test(names),
    cmocka_unit_test(each_attempt_answers),
    cmocka_unit_test(a_failed_step_keeps_the_report),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
