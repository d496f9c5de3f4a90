// test_contact_memory.c: the memory of a world: whose it is, and what is left where there is none.
#include "contact_support.h"
#include "counting.h"

// With a time limit, too, all memory is the caller's, solvers are kept from step to step, and a step
// asks for memory as often as one without a limit. Without memory it fails, or says what is missing.
static void solvers_with_a_time_limit_are_kept(void **unused) {
  (void)unused;
  for (int model = 0; model < PERP_CONTACT_MODEL_COUNT; model++) {
    int64_t requests[2];
    for (int timed = 0; timed < 2; timed++) {
      meter m = {1000000, 0};
      const perp_allocator a = {metered, released, &m};
      perp_world_settings s = perp_world_defaults();
      s.model = model;
      if (timed) s.time_limit = 1e6;
      perp_world *w = NULL;
      assert_int_equal(perp_world_create(&s, &a, &w), PERP_OK);
      put(w, perp_plane(0, 1, 0, 0));
      for (int k = 0; k < 24; k++) put(w, at(perp_sphere(0.5, 1.0), 0, 0.5 + k, 0));
      for (int k = 0; k < 5; k++) assert_int_equal(step(w).unsolved, 0);
      const int64_t left = m.left, live = m.live;
      assert_int_equal(step(w).starved, 0);
      requests[timed] = left - m.left;
      assert_int_equal(m.live, live);
      m.left = 0;
      perp_world_report r;
      const perp_error error = perp_world_step(w, &r);
      assert_true(error == PERP_ERROR_MEMORY || (requests[timed] > 0) == (r.starved > 0));
      m.left = 1000;
      const perp_world_report after = step(w);
      assert_true(after.unsolved == 0 && after.starved == 0);
      perp_world_destroy(w);
      assert_int_equal(m.live, 0);
    }
    assert_int_equal(requests[0], requests[1]);
  }
}

// Two towers and a ball, at rest and asleep in the end
static perp_world *towers(const perp_allocator *a) {
  perp_world_settings s = perp_world_defaults();
  s.time_limit = 1e6;
  s.sleep = 10;
  s.trace = 8;
  perp_world *w = NULL;
  assert_int_equal(perp_world_create(&s, a, &w), PERP_OK);
  put(w, perp_plane(0, 1, 0, 0));
  for (int k = 0; k < 7; k++) put(w, at(perp_sphere(0.5, 1.0), 0, 0.5 + k, 0));
  for (int k = 0; k < 5; k++) put(w, at(perp_sphere(0.5, 1.0), 3, 0.5 + k, 0));
  put(w, at(perp_sphere(0.5, 1.0), 6, 0.5, 0));
  put(w, with(at(perp_sphere(0.5, 1.0), 9, 0.5, 0), 1, 0, 0));   // rolls on
  for (int k = 0; k < 30; k++) step(w);
  return w;
}

typedef struct look {         // all that a caller can see
  perp_world_report report;
  perp_motion motion[16];
  perp_touch touch[64];
  perp_statistics trace[8];
  double x[3][200], b[3][200];
  int32_t touches, traces, rows[3];
} look;

static void look_at(perp_world *w, look *l) {
  memset(l, 0, sizeof *l);
  perp_world_last(w, &l->report);
  memcpy(l->motion, perp_world_motions(w), (size_t)perp_world_count(w)*sizeof *l->motion);
  const perp_touch *t = perp_world_touches(w, &l->touches);
  for (int k = 0; k < l->touches; k++) l->touch[k] = t[k];
  const perp_statistics *trace = perp_world_trace(w, &l->traces);
  for (int k = 0; k < l->traces; k++) l->trace[k] = trace[k];
  for (int k = 0; k < l->report.islands; k++) {
    perp_problem p;
    const double *x;
    assert_int_equal(perp_world_problem(w, k, &p, &x, NULL), PERP_OK);
    l->rows[k] = p.A.n;
    memcpy(l->x[k], x, (size_t)p.A.n*sizeof *x);
    memcpy(l->b[k], p.b, (size_t)p.A.n*sizeof *x);
  }
}

// Sleepers are pushed, a ball falls on a tower, and memory ends anywhere in the step: it fails, and
// nothing has happened. Then it goes on as a twin does that nothing ever failed. Or the step says that
// memory was missing: another method may have solved a problem, and w goes on from the twin's state.
static void a_step_that_fails_changes_nothing(void **unused) {
  (void)unused;
  meter m = {1000000, 0};
  const perp_allocator a = {metered, released, &m};
  perp_world *w = towers(&a), *twin = towers(NULL);
  static look before, after;
  const double force[3] = {0.1, 0, 0.2};
  perp_world *const both[] = {w, twin};
  static unsigned char saved[1 << 17];
  int starved = 0;
  for (int round = 0; round < 3; round++) {
    for (int k = 0; k < 2; k++) {
      put(both[k], at(perp_sphere(0.2, 0.1), 3.0*(round%2), (round%2 ? 5.2 : 7.2) + 0.4*round, 0));
      assert_int_equal(perp_world_push(both[k], round%2 ? 3 : 10, force, NULL), PERP_OK);
    }
    look_at(w, &before);
    assert_int_equal(before.report.asleep, round == 0 ? 13 : before.report.asleep);
    int64_t failures = 0;
    perp_world_report done;
    for (m.left = 0; perp_world_step(w, &done) != PERP_OK; m.left = ++failures) {
      m.left = 1000000;
      look_at(w, &after);
      before.report.seconds = after.report.seconds;
      if (memcmp(&before, &after, sizeof before) != 0)
        fail_msg("round %d: allocation %d failed, and something changed", round, (int)failures);
    }
    assert_true(failures > 3);
    m.left = 1000000;
    step(twin);
    if (done.starved > 0) {
      starved++;
      const size_t bytes = perp_world_save(twin, saved, sizeof saved);
      assert_true(bytes <= sizeof saved);
      assert_int_equal(perp_world_load(w, saved, bytes), PERP_OK);
    }
    for (int k = 0; k < 4; k++) step(w), step(twin);
    assert_memory_equal(perp_world_motions(w), perp_world_motions(twin),
                        (size_t)perp_world_count(w)*sizeof(perp_motion));
  }
  assert_true(starved < 3);   // or no step was ever compared with the twin's
  perp_world_destroy(w);
  perp_world_destroy(twin);
  assert_int_equal(m.live, 0);
}

// Memory ends at the k-th request of a step, for all k, with bodies that overlap, bounce, sleep and
// were moved: the step fails, the saved state has not changed by a bit and the report is that of the
// last step; or it succeeds, and says if something was left out.
static void a_step_fails_whole_or_tells_what_is_missing(void **unused) {
  (void)unused;
  int whole = 0, starved = 0, failed = 0;
  for (int model = 0; model < PERP_CONTACT_MODEL_COUNT; model++) {
    for (int moved = 0; moved < 2; moved++) {   // contacts are stale, or known
      for (int64_t allowed = 0, enough = 0; !enough; allowed++) {
        meter m = {1000000, 0};
        const perp_allocator a = {metered, released, &m};
        perp_world_settings s = perp_world_defaults();
        s.model = model;
        s.restitution = 0.5;
        s.sleep = 5;
        perp_world *w = NULL;
        assert_int_equal(perp_world_create(&s, &a, &w), PERP_OK);
        put(w, perp_plane(0, 1, 0, 0));
        put(w, at(perp_sphere(0.5, 1.0), 9, 0.5, 0));   // falls asleep
        for (int k = 0; k < 8; k++) step(w);
        for (int k = 0; k < 4; k++) put(w, at(perp_sphere(0.5, 1.0), 0, 0.4 + 0.8*k, 0.1*k));
        put(w, with(at(perp_sphere(0.5, 1.0), 4, 0.52, 0), 0, -5, 0));
        const double force[3] = {0, 0, 0.1};
        assert_int_equal(perp_world_push(w, 1, force, NULL), PERP_OK);
        if (!moved) step(w);
        perp_world_report before, after;
        assert_int_equal(perp_world_last(w, &before), PERP_OK);
        const size_t bytes = perp_world_save(w, NULL, 0);
        unsigned char *saved = malloc(bytes), *now = malloc(bytes);
        assert_true(saved != NULL && now != NULL);
        perp_world_save(w, saved, bytes);
        memset(&after, 0xA5, sizeof after);
        m.left = allowed;
        const perp_error error = perp_world_step(w, &after);
        enough = m.left > 0;
        m.left = 1000000;
        if (error != PERP_OK) {
          failed++;
          assert_int_equal(error, PERP_ERROR_MEMORY);
          assert_int_equal(perp_world_save(w, NULL, 0), bytes);
          perp_world_save(w, now, bytes);
          assert_memory_equal(saved, now, bytes);
          assert_memory_equal(&before, &after, offsetof(perp_world_report, starved) + sizeof after.starved);
        } else {
          assert_int_equal(after.step, before.step + 1);
          whole += after.starved == 0;
          starved += after.starved > 0;
          assert_true(!enough || after.starved == 0);
        }
        free(saved);
        free(now);
        assert_int_equal(step(w).starved, 0);
        perp_world_destroy(w);
        assert_int_equal(m.live, 0);
      }
    }
  }
  print_message("%d failed, %d starved, %d whole\n", failed, starved, whole);
  assert_true(failed > 50 && starved > 5 && whole >= 2*PERP_CONTACT_MODEL_COUNT);
}

// A state that cannot be loaded for lack of memory leaves the world as it is, and a body that
// cannot be added leaves the materials: states that were saved before can be loaded.
static void other_failures_change_nothing(void **unused) {
  (void)unused;
  meter m = {1000000, 0};
  const perp_allocator a = {metered, released, &m};
  perp_world *large = NULL, *small = NULL;
  static unsigned char full[1 << 17], early[1 << 17], late[1 << 17];
  assert_int_equal(perp_world_create(NULL, &a, &large), PERP_OK);
  assert_int_equal(perp_world_create(NULL, &a, &small), PERP_OK);
  put(large, perp_plane(0, 1, 0, 0));
  put(small, perp_plane(0, 1, 0, 0));
  for (int k = 0; k < 40; k++) {
    put(large, at(perp_sphere(0.5, 1.0), k, 0.5, 0));           // a row of balls
    put(small, at(perp_sphere(0.5, 1.0), 10*k, k ? 9 : 0.5, 0));   // far from each other
  }
  step(large);
  step(small);
  const size_t bytes = perp_world_save(large, full, sizeof full);
  assert_true(bytes <= sizeof full);
  const size_t least = perp_world_save(small, early, sizeof early);
  assert_true(least < bytes);
  int failures = 0;
  for (m.left = 0; perp_world_load(small, full, bytes) != PERP_OK; m.left = ++failures) {
    assert_int_equal(perp_world_save(small, late, sizeof late), least);
    assert_memory_equal(early, late, least);
  }
  assert_int_equal(failures, 2);

  m.left = 1000000;
  int refusals = 0;
  for (int count = 1; count <= 40; count++) {
    perp_world *w = NULL;
    assert_int_equal(perp_world_create(NULL, &a, &w), PERP_OK);
    for (int k = 0; k < count; k++) put(w, at(perp_sphere(0.5, 1.0), 2*k, 0, 0));
    const size_t size = perp_world_save(w, early, sizeof early);
    perp_body b = perp_sphere(0.5, 1.0);
    b.material = 7;
    m.left = 1;   // not enough where lists of bodies are to grow
    if (perp_world_add(w, &b, NULL) == PERP_ERROR_MEMORY) {
      refusals++;
      m.left = 1000000;
      assert_int_equal(perp_world_load(w, early, size), PERP_OK);
    }
    m.left = 1000000;
    perp_world_destroy(w);
  }
  assert_true(refusals > 2);
  perp_world_destroy(large);
  perp_world_destroy(small);
  assert_int_equal(m.live, 0);
}

// Whichever allocation fails, nothing is lost and the world goes on as if it had not.
static void every_allocation_may_fail(void **unused) {
  (void)unused;
  perp_motion expected = {0};
  for (int64_t allowed = 100000, next = 0; next < 400; allowed = next++) {
    meter m = {allowed, 0};
    const perp_allocator a = {metered, released, &m};
    perp_world *w = NULL;
    perp_error error = perp_world_create(NULL, &a, &w);
    if (error == PERP_OK) {
      const perp_body floor = perp_plane(0, 1, 0, 0),
                      ball[2] = {at(perp_sphere(0.5, 1.0), 0, 0.5, 0),
                                 at(perp_sphere(0.5, 1.0), 0.1, 1.6, 0)};
      if (perp_world_add(w, &floor, NULL) == PERP_OK &&
          perp_world_add(w, &ball[0], NULL) == PERP_OK &&
          perp_world_add(w, &ball[1], NULL) == PERP_OK) {
        int64_t failures = 0;
        for (int k = 0; k < 8;) {
          error = perp_world_step(w, NULL);
          if (error == PERP_OK) {
            k++;
          } else {
            assert_int_equal(error, PERP_ERROR_MEMORY);
            assert_int_equal(++failures, 1);
            m.left = 100000;
          }
        }
        const perp_motion *end = perp_world_motions(w) + 2;
        if (allowed == 100000) expected = *end;
        else assert_memory_equal(&expected, end, sizeof expected);
      }
      perp_world_destroy(w);
    } else {
      assert_int_equal(error, PERP_ERROR_MEMORY);
    }
    assert_int_equal(m.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(solvers_with_a_time_limit_are_kept),
    cmocka_unit_test(a_step_that_fails_changes_nothing),
    cmocka_unit_test(a_step_fails_whole_or_tells_what_is_missing),
    cmocka_unit_test(other_failures_change_nothing),
    cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
