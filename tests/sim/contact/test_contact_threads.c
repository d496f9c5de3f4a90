// test_contact_threads.c: the same bits on any number of threads, after a pause, and side by side.
// labels: tsan
// needs: boxes
#include <pthread.h>

#include "contact_support.h"

static void heaps(perp_world *w) {   // many islands of spheres and boxes
  put(w, perp_plane(0, 1, 0, 0));
  state = 17;
  for (int heap = 0; heap < 12; heap++)
    for (int k = 0; k < 4; k++) {
      perp_body b = k%2 == 0 ? perp_sphere(uniform(0.2, 0.3), uniform(0.5, 2.0))
                             : perp_box(0.25, 0.2, uniform(0.2, 0.3), 1.0);
      b = at(b, 3*(heap%4) + uniform(-0.1, 0.1), 0.4 + 0.7*k, 3*(heap/4) + uniform(-0.1, 0.1));
      put(w, with(b, uniform(-1, 1), 0, uniform(-1, 1)));
    }
}

static perp_world *after(int model, int threads, int count) {
  perp_world_settings s = perp_world_defaults();
  s.model = model;
  s.threads = threads;
  s.rounds = 2;
  s.sleep = 20;
  perp_world *w = world_with(&s);
  heaps(w);
  for (int k = 0; k < count; k++) step(w);
  return w;
}

static void same_state(const perp_world *a, const perp_world *b) {
  assert_int_equal(perp_world_count(a), perp_world_count(b));
  const size_t bytes = (size_t)perp_world_count(a)*sizeof(perp_motion);
  assert_memory_equal(perp_world_motions(a), perp_world_motions(b), bytes);
  int32_t ca, cb;
  const perp_touch *ta = perp_world_touches(a, &ca), *tb = perp_world_touches(b, &cb);
  assert_int_equal(ca, cb);
  assert_memory_equal(ta, tb, (size_t)ca*sizeof *ta);
}

static void threads_do_not_change_a_bit(void **unused) {
  (void)unused;
  for (int model = 0; model < PERP_CONTACT_MODEL_COUNT; model++) {
    perp_world *one = after(model, 1, 40);
    for (int threads = 2; threads <= 4; threads += 2) {
      perp_world *many = after(model, threads, 40);
      same_state(one, many);
      perp_world_destroy(many);
    }
    perp_world_destroy(one);
  }
}

static void a_saved_world_goes_on_with_the_same_bits(void **unused) {
  (void)unused;
  for (int model = 0; model < 2; model++) {
    perp_world *w = after(model, 1, 30);
    const size_t bytes = perp_world_save(w, NULL, 0);
    unsigned char *saved = malloc(bytes), *again = malloc(bytes);
    assert_non_null(saved);
    assert_non_null(again);
    assert_int_equal(perp_world_save(w, saved, bytes), bytes);
    perp_world *other = after(model, 2, 0);
    assert_int_equal(perp_world_load(other, saved, bytes), PERP_OK);
    assert_int_equal(perp_world_save(other, again, bytes), bytes);
    assert_memory_equal(saved, again, bytes);
    for (int k = 0; k < 30; k++) {
      const perp_world_report a = step(w), b = step(other);
      assert_int_equal(a.step, b.step);
      assert_true(a.kinetic == b.kinetic && a.dissipated == b.dissipated && a.time == b.time);
      same_state(w, other);
    }
    // Other worlds and damaged states are refused.
    perp_world *stranger = after(1 - model, 1, 0);
    assert_int_equal(perp_world_load(stranger, saved, bytes), PERP_ERROR_ARGUMENT);
    assert_non_null(strstr(perp_last_message(), "another world"));
    assert_int_equal(perp_world_load(other, saved, bytes - 1), PERP_ERROR_ARGUMENT);
    assert_int_equal(perp_world_load(other, saved, 4), PERP_ERROR_ARGUMENT);
    saved[0] ^= 1;
    assert_int_equal(perp_world_load(other, saved, bytes), PERP_ERROR_ARGUMENT);
    same_state(w, other);
    // A bit that is wrong is refused, or it is a state of something: steps say what is wrong.
    saved[0] ^= 1;
    int refused = 0;
    for (size_t k = 0; k < bytes; k += 61) {
      saved[k] ^= (unsigned char)(1u << k%8);
      const perp_error error = perp_world_load(other, saved, bytes);
      saved[k] ^= (unsigned char)(1u << k%8);
      assert_true(error == PERP_OK || error == PERP_ERROR_ARGUMENT);
      refused += error != PERP_OK;
      if (error != PERP_OK || k%5 != 0) continue;
      if (perp_world_step(other, NULL) != PERP_OK) assert_true(strlen(perp_last_message()) > 0);
    }
    assert_true(refused > 0);
    perp_world_destroy(stranger);
    perp_world_destroy(other);
    perp_world_destroy(w);
    free(again);
    free(saved);
  }
}

static void *aside(void *argument) {
  *(perp_world **)argument = after(PERP_CONTACT_NORMAL, 2, 20);
  return NULL;
}

static void worlds_run_side_by_side(void **unused) {
  (void)unused;
  pthread_t thread;
  perp_world *other = NULL;
  assert_int_equal(pthread_create(&thread, NULL, aside, &other), 0);
  perp_world *w = after(PERP_CONTACT_NORMAL, 1, 20);
  pthread_join(thread, NULL);
  same_state(w, other);
  perp_world_destroy(w);
  perp_world_destroy(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(threads_do_not_change_a_bit),
    cmocka_unit_test(a_saved_world_goes_on_with_the_same_bits),
    cmocka_unit_test(worlds_run_side_by_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
