// test_scenes_wall.c: a wall of bricks that a ball hits, step by step: each certified, within as
// many factorisations as interior points need.
// cost: 2
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <scene.h>

// Bricks touch in four points of a plane: every second row is redundant, and most of those that
// carry nothing are just about to touch.
static void test_an_impact_takes_few_factorisations(void **state) {
  (void)state;
  enum { STEPS = 24, HIT = 13, MOST = 64 };
  const scene *wall = scene_find("wall");
  double values[64];
  scene_layout layout;
  perp_world *world;
  assert_non_null(wall);
  for (int32_t k = 0; k < wall->parameter_count; k++) values[k] = wall->parameters[k].initial;
  values[scene_parameter(wall, "columns")] = 12;
  values[scene_parameter(wall, "rows")] = 8;
  assert_int_equal(scene_build(wall, values, 1, &layout), PERP_OK);
  layout.settings.threads = 1;
  assert_int_equal(scene_world(&layout, NULL, &world), PERP_OK);
  int32_t hard = 0;
  for (int32_t k = 1; k <= STEPS; k++) {
    perp_world_report step;
    assert_int_equal(perp_world_step(world, &step), PERP_OK);
    assert_int_equal(step.unsolved, 0);
    if (step.factorizations > MOST)
      fail_msg("step %d takes %d factorisations", (int)k, (int)step.factorizations);
    hard += k >= HIT && step.factorizations > 10;
  }
  assert_true(hard > 5);   // what is tested is there
  perp_world_destroy(world);
  scene_free(&layout);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_an_impact_takes_few_factorisations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
