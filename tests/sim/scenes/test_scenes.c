// test_scenes.c: every scene builds, from its defaults to the ends of its ranges, without overlaps.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <scene.h>

enum { MOST = 64 };

static void defaults(const scene *what, double *values) {
  for (int32_t i = 0; i < what->parameter_count; i++) values[i] = what->parameters[i].initial;
}

static scene_layout built(const char *name, uint64_t seed) {
  scene_layout layout;
  const scene *what = scene_find(name);
  assert_non_null(what);
  if (scene_build(what, NULL, seed, &layout) != PERP_OK) fail_msg("%s: %s", name, layout.message);
  return layout;
}

static void each_scene_has_what_tables_need(void **state) {
  (void)state;
  const scene *what;
  assert_true(scene_count() >= 10);
  for (int32_t k = 0; (what = scene_at(k)) != NULL; k++) {
    assert_ptr_equal(scene_find(what->name), what);
    assert_true(strlen(what->title) < 64 && strlen(what->look) > 10);
    assert_int_equal(scene_parameter(what, "steps"), 0);
    assert_int_equal(scene_parameter(what, "dt"), 1);
    assert_int_equal(scene_parameter(what, "gravity"), 2);
    assert_true(what->parameter_count < MOST);
    assert_true((what->build != NULL) != (what->fill != NULL));
    for (int32_t i = 0; i < what->parameter_count; i++) {
      const perp_gallery_parameter *p = &what->parameters[i];
      assert_true(p->low <= p->initial && p->initial <= p->high && *p->help);
      assert_int_equal(scene_parameter(what, p->name), i);   // no name twice
    }
  }
  assert_null(scene_find("nosuch"));
  assert_int_equal(scene_parameter(scene_at(0), "nosuch"), -1);
}

// Groups and materials have names, bodies are where the view is, the world takes them all.
static void defaults_make_a_world(void **state) {
  (void)state;
  const scene *what;
  for (int32_t k = 0; (what = scene_at(k)) != NULL; k++) {
    if (!what->build) continue;
    scene_layout layout = built(what->name, 1);
    perp_world *world;
    int32_t groups = 0, materials = 0;
    while (layout.groups[groups]) groups++;
    while (layout.materials[materials]) materials++;
    for (int32_t i = 0; i < layout.bodies; i++) {
      const perp_body *body = &layout.body[i];
      assert_in_range(layout.group[i], 0, groups - 1);
      assert_in_range(body->material, 0, materials - 1);
      if (isinf(body->mass)) continue;
      double square = 0.0;
      for (int c = 0; c < 3; c++) square += pow(body->motion.position[c] - layout.center[c], 2.0);
      if (!(sqrt(square) <= 2.0*layout.radius)) fail_msg("%s: body %d is far", what->name, (int)i);
    }
    const perp_error error = scene_world(&layout, NULL, &world);
    if (error == PERP_ERROR_UNSUPPORTED) print_message("%s: needs ODE\n", what->name);
    else if (error != PERP_OK) fail_msg("%s: %s", what->name, perp_last_message());
    else assert_int_equal(perp_world_count(world), layout.bodies);
    perp_world_destroy(world);
    scene_free(&layout);
  }
}

static double distance(const perp_body *a, const perp_body *b) {   // of two spheres
  double square = 0.0;
  for (int c = 0; c < 3; c++) square += pow(a->motion.position[c] - b->motion.position[c], 2.0);
  return sqrt(square) - a->extent[0] - b->extent[0];
}

static void spheres_do_not_overlap(void **state) {
  (void)state;
  static const char *const names[] = {"box", "hollow-sphere", "hopper"};
  for (int s = 0; s < 3; s++) {
    scene_layout layout;
    const scene *what = scene_find(names[s]);
    double values[MOST];
    defaults(what, values);
    if (s == 1) values[scene_parameter(what, "spheres")] = 300;
    if (s == 2) values[scene_parameter(what, "spheres")] = 2000;
    assert_int_equal(scene_build(what, values, 3, &layout), PERP_OK);
    for (int32_t i = 0; i < layout.bodies; i++) {
      const perp_body *a = &layout.body[i];
      if (a->shape != PERP_SHAPE_SPHERE) continue;
      for (int32_t j = 0; j < layout.bodies; j++) {
        const perp_body *b = &layout.body[j];
        double gap = 1.0;
        if (b->shape == PERP_SHAPE_SPHERE && j < i) gap = distance(a, b);
        if (b->shape == PERP_SHAPE_PLANE)
          gap = a->motion.position[0]*b->extent[0] + a->motion.position[1]*b->extent[1] +
                a->motion.position[2]*b->extent[2] - b->offset - a->extent[0];
        if (b->shape == PERP_SHAPE_HOLLOW)
          gap = b->extent[0] - a->extent[0] - sqrt(pow(a->motion.position[0], 2.0) +
                pow(a->motion.position[1], 2.0) + pow(a->motion.position[2], 2.0));
        if (!(gap >= -1e-12))
          fail_msg("%s: %d and %d overlap by %g", names[s], (int)i, (int)j, -gap);
      }
    }
    scene_free(&layout);
  }
}

// The world finds nothing that overlaps by more than rounding before the first step.
static void nothing_overlaps_at_the_start(void **state) {
  (void)state;
  const scene *what;
  for (int32_t k = 0; (what = scene_at(k)) != NULL; k++) {
    if (!what->build) continue;
    double values[MOST];
    scene_layout layout;
    perp_world *world;
    perp_world_report step;
    defaults(what, values);
    values[1] = 1e-6;   // a step in which nothing happens
    values[2] = 0.0;
    if (!strcmp(what->name, "hopper")) values[scene_parameter(what, "spheres")] = 500;
    assert_int_equal(scene_build(what, values, 0, &layout), PERP_OK);
    layout.settings.model = PERP_CONTACT_NORMAL;
    if (scene_world(&layout, NULL, &world) == PERP_OK) {
      assert_int_equal(perp_world_step(world, &step), PERP_OK);
      int32_t count;
      const perp_touch *touch = perp_world_touches(world, &count);
      for (int32_t i = 0; i < count; i++)
        if (touch[i].island >= 0 && !(touch[i].gap > -1e-9))
          fail_msg("%s: %d and %d overlap by %g", what->name, (int)touch[i].a, (int)touch[i].b,
                   -touch[i].gap);
    }
    perp_world_destroy(world);
    scene_free(&layout);
  }
}

static void the_same_seed_gives_the_same_bodies(void **state) {
  (void)state;
  static const char *const names[] = {"box", "hollow-sphere", "hopper", "stack"};
  for (int s = 0; s < 4; s++) {
    scene_layout a = built(names[s], 5), b = built(names[s], 5), c = built(names[s], 6);
    assert_int_equal(a.bodies, b.bodies);
    int same = a.bodies == c.bodies;
    for (int32_t i = 0; i < a.bodies; i++) {
      assert_memory_equal(&a.body[i].motion, &b.body[i].motion, sizeof a.body[i].motion);
      assert_true(a.body[i].extent[0] == b.body[i].extent[0]);
      same = same && !memcmp(&a.body[i].motion, &c.body[i].motion, sizeof a.body[i].motion);
    }
    assert_int_equal(same, s == 3);   // a stack has nothing random
    scene_free(&a);
    scene_free(&b);
    scene_free(&c);
  }
}

// Each parameter at the lower end of its range, and those that are small at the upper one: a scene
// or a message that names a parameter, nothing else.
static void ends_of_ranges_are_scenes_or_refused(void **state) {
  (void)state;
  const scene *what;
  for (int32_t k = 0; (what = scene_at(k)) != NULL; k++) {
    if (!what->build) continue;
    for (int32_t i = 0; i < 2*what->parameter_count; i++) {
      const perp_gallery_parameter *p = &what->parameters[i/2];
      double values[MOST];
      scene_layout layout;
      defaults(what, values);
      values[i/2] = i % 2 ? p->high : p->low;
      if (i % 2 && p->integer && p->high > 1000.0) continue;   // many bodies take long
      const perp_error error = scene_build(what, values, 0, &layout);
      if (error != PERP_OK) assert_true(error == PERP_ERROR_ARGUMENT && layout.message[0]);
      else if (layout.bodies < 20000) {   // and a world takes it
        perp_world *world;
        const perp_error taken = scene_world(&layout, NULL, &world);
        if (taken != PERP_OK && taken != PERP_ERROR_UNSUPPORTED)
          fail_msg("%s, %s = %g: %s", what->name, p->name, values[i/2], perp_last_message());
        perp_world_destroy(world);
      }
      scene_free(&layout);
      values[i/2] = i % 2 ? nextafter(p->high, (double)INFINITY) : (double)NAN;
      assert_int_equal(scene_build(what, values, 0, &layout), PERP_ERROR_ARGUMENT);
      assert_memory_equal(layout.message, p->name, strlen(p->name));
      assert_null(layout.body);
    }
  }
}

static void the_numbers_of_the_papers_are_the_defaults(void **state) {
  (void)state;
  scene_layout box = built("box", 0), hollow = built("hollow-sphere", 0);
  int32_t balls = 0;
  for (int32_t i = 0; i < box.bodies; i++) balls += box.body[i].shape == PERP_SHAPE_SPHERE;
  assert_int_equal(balls, 150);
  assert_int_equal(box.steps, 1000);
  assert_int_equal(box.settings.dimension, 2);
  assert_true(box.settings.step == 0.015 && box.settings.margin == 0.01);
  assert_int_equal(hollow.bodies, 16);
  for (int32_t i = 1; i < hollow.bodies; i++) {
    const double r = hollow.body[i].extent[0];
    assert_true(r >= 0.7 && r <= 1.2 && fabs(hollow.body[i].mass - r*r*r) < 1e-15);
  }
  scene_free(&box);
  scene_free(&hollow);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_scene_has_what_tables_need),
    cmocka_unit_test(defaults_make_a_world),
    cmocka_unit_test(spheres_do_not_overlap),
    cmocka_unit_test(nothing_overlaps_at_the_start),
    cmocka_unit_test(the_same_seed_gives_the_same_bodies),
    cmocka_unit_test(ends_of_ranges_are_scenes_or_refused),
    cmocka_unit_test(the_numbers_of_the_papers_are_the_defaults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
