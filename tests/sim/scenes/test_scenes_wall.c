// test_scenes_wall.c: walls of bricks that a ball hits, step by step: each certified, by auto within
// as many factorisations as interior points need.
// cost: 2
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <scene.h>

// Bricks touch in four points of a plane: every second row is redundant, and most of those that
// carry nothing are just about to touch.
static perp_world *make_wall(double columns, double rows, double speed, const perp_options *options,
                             scene_layout *layout) {
  const scene *wall = scene_find("wall");
  double values[64];
  perp_world *world;
  assert_non_null(wall);
  for (int32_t k = 0; k < wall->parameter_count; k++) values[k] = wall->parameters[k].initial;
  values[scene_parameter(wall, "columns")] = columns;
  values[scene_parameter(wall, "rows")] = rows;
  values[scene_parameter(wall, "ball-speed")] = speed;
  assert_int_equal(scene_build(wall, values, 1, layout), PERP_OK);
  layout->settings.threads = 1;
  layout->settings.options = options;
  assert_int_equal(scene_world(layout, NULL, &world), PERP_OK);
  return world;
}

static void test_an_impact_takes_few_factorisations(void **state) {
  (void)state;
  enum { STEPS = 24, HIT = 13, MOST = 64 };
  scene_layout layout;
  perp_world *world = make_wall(12, 8, 15, NULL, &layout);
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

// Proximal points alone reach the tolerance in every step.
static void test_active_set_solves_every_step(void **state) {
  (void)state;
  const perp_options options = perp_default_options(perp_find_method("active_set"));
  scene_layout layout;
  perp_world *world = make_wall(11, 11, 12, &options, &layout);
  for (int32_t k = 1; k <= 30; k++) {
    perp_world_report step;
    assert_int_equal(perp_world_step(world, &step), PERP_OK);
    if (step.unsolved != 0) fail_msg("step %d is not solved", (int)k);
  }
  perp_world_destroy(world);
  scene_free(&layout);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_an_impact_takes_few_factorisations),
                                     cmocka_unit_test(test_active_set_solves_every_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
