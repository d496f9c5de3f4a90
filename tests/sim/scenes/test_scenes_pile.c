// test_scenes_pile.c: spheres with friction that settle in a hollow sphere, and a heap that lands in
// a hopper: every step certified.
// cost: 3
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <scene.h>

#include "support.h"

// Jammed spheres are where paths turn: with those that are not followed around their turns, or none
// at all, some steps are not solved.
static void paths_end_where_spheres_jam(void **state) {
  (void)state;
  enum { STEPS = 170, MOST = 80 };   // factorisations a step, on the mean: twice what it takes
  const uint64_t seeds = is_brief() ? 1 : 2;
  const scene *hollow = scene_find("hollow-sphere");
  double values[64];
  int64_t factorizations = 0;
  int32_t contacts = 0;
  assert_non_null(hollow);
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    scene_layout layout;
    perp_world *world;
    for (int32_t k = 0; k < hollow->parameter_count; k++)
      values[k] = hollow->parameters[k].initial;
    values[scene_parameter(hollow, "spheres")] = 40;
    values[scene_parameter(hollow, "friction")] = 0.7;
    assert_int_equal(scene_build(hollow, values, seed, &layout), PERP_OK);
    const perp_options options = perp_default_options(perp_find_method("contact_newton"));
    layout.settings.options = &options;
    layout.settings.threads = 1;
    layout.settings.sleep = 0;
    assert_int_equal(scene_world(&layout, NULL, &world), PERP_OK);
    for (int32_t k = 1; k <= STEPS; k++) {
      perp_world_report step;
      assert_int_equal(perp_world_step(world, &step), PERP_OK);
      if (step.unsolved > 0)
        fail_msg("seed %d, step %d: %d contacts unsolved", (int)seed, (int)k, (int)step.contacts);
      factorizations += step.factorizations;
      contacts = step.contacts;
    }
    assert_true(contacts > 80);   // they have settled
    perp_world_destroy(world);
    scene_free(&layout);
  }
  print_message("%d factorisations a step\n", (int)(factorizations/(int64_t)(seeds*STEPS)));
  assert_true(factorizations <= (int64_t)(seeds*STEPS*MOST));
}

// Hundreds of spheres land at once. Sweeps and steps along their drift find nearly all answers; a
// factor of all contacts would take most of the time.
static void a_heap_lands_with_few_factors(void **state) {
  (void)state;
  enum { STEPS = 80, MOST = 700 };   // factorisations of steps with many contacts: twice what it
                                    // takes, half of what it took without sweeps
  const scene *hopper = scene_find("hopper");
  scene_layout layout;
  perp_world *world;
  double values[64];
  int64_t factorizations = 0;
  int32_t contacts = 0;
  assert_non_null(hopper);
  for (int32_t k = 0; k < hopper->parameter_count; k++) values[k] = hopper->parameters[k].initial;
  values[scene_parameter(hopper, "spheres")] = 1000;
  assert_int_equal(scene_build(hopper, values, 2, &layout), PERP_OK);
  layout.settings.threads = 1;
  assert_int_equal(scene_world(&layout, NULL, &world), PERP_OK);
  for (int32_t k = 1; k <= STEPS; k++) {
    perp_world_report step;
    assert_int_equal(perp_world_step(world, &step), PERP_OK);
    if (step.unsolved > 0) fail_msg("step %d: %d contacts unsolved", (int)k, (int)step.contacts);
    if (step.contacts > 1000) factorizations += step.factorizations;
    contacts = step.contacts > contacts ? step.contacts : contacts;
  }
  print_message("%d contacts, %d factorisations\n", (int)contacts, (int)factorizations);
  assert_true(contacts > 1000);
  assert_true(factorizations <= MOST);
  perp_world_destroy(world);
  scene_free(&layout);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(paths_end_where_spheres_jam),
                                     cmocka_unit_test(a_heap_lands_with_few_factors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
