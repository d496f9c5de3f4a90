// test_scenes_liquid.c: scenes of liquids: what is poured, parameters and their ends, symmetry, and
// that every one of them goes.
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
static const double pi = 3.141592653589793;

static void defaults(const scene *what, double values[MOST]) {
  for (int32_t i = 0; i < what->parameter_count; i++) values[i] = what->parameters[i].initial;
}

static void set(const scene *what, double values[MOST], const char *name, double value) {
  assert_true(scene_parameter(what, name) >= 0);
  values[scene_parameter(what, name)] = value;
}

static perp_fluid *make(const scene *what, const double *values, scene_pool *pool) {
  perp_fluid *fluid;
  if (scene_fill(what, values, 1, pool) != PERP_OK) fail_msg("%s: %s", what->name, pool->message);
  if (scene_fluid(pool, NULL, &fluid) != PERP_OK)
    fail_msg("%s: %s", what->name, perp_last_message());
  return fluid;
}

// The area or volume of what each scene says that it pours, by geometry.
static double poured_by(const char *name) {
  if (!strcmp(name, "falling-block")) return 0.8*0.5;
  if (!strcmp(name, "dam-break-2d")) return 0.4*0.8;
  if (!strcmp(name, "tilted-box")) return 0.5*0.68*0.68;
  if (!strcmp(name, "ceiling")) return 0.8*0.3;
  if (!strcmp(name, "swirl")) return 0.5*pi*0.45*0.45;
  if (!strcmp(name, "dam-break-3d")) return 0.3*0.6;
  if (!strcmp(name, "falling-ball")) return 0.2 + 4.0/3.0*pi*0.2*0.2*0.2;
  return NAN;
}

static void each_pours_what_it_says(void **state) {
  (void)state;
  const scene *what;
  int liquids = 0;
  for (int32_t k = 0; (what = scene_at(k)) != NULL; k++) {
    if (!what->fill) continue;
    double values[MOST];
    scene_pool pool;
    perp_fluid_report report;
    perp_fluid_state now;
    defaults(what, values);
    const double initial = values[scene_parameter(what, "size")];
    const int deep = strstr(what->name, "3d") || strstr(what->name, "ball");
    assert_true(initial == (deep ? 48.0 : 100.0));
    assert_true(what->parameters[scene_parameter(what, "size")].high == (deep ? 192.0 : 2048.0));
    if (deep) set(what, values, "size", 32);
    perp_fluid *fluid = make(what, values, &pool);
    assert_int_equal(pool.settings.dimension, deep ? 3 : 2);
    assert_int_equal(perp_fluid_solids(fluid), pool.solids);
    assert_int_equal(perp_fluid_last(fluid, &report), PERP_OK);
    assert_int_equal(perp_fluid_read(fluid, &now), PERP_OK);
    if (!(fabs(report.poured - poured_by(what->name)) <= 0.03*poured_by(what->name)))
      fail_msg("%s: %g is poured, not %g", what->name, report.poured, poured_by(what->name));
    for (int64_t i = 0; i < now.particles; i++) {
      double square = 0.0;
      for (int c = 0; c < pool.settings.dimension; c++)
        square += pow(now.x[c][i] - pool.center[c], 2.0);
      assert_true(sqrt(square) <= pool.radius);   // the view holds all of it
    }
    perp_fluid_destroy(fluid);
    liquids++;
  }
  assert_int_equal(liquids, 7);
}

static void each_goes(void **state) {
  (void)state;
  const scene *what;
  for (int32_t k = 0; (what = scene_at(k)) != NULL; k++) {
    if (!what->fill) continue;
    for (int32_t walls = 0; walls < 3; walls++) {
      double values[MOST];
      scene_pool pool;
      defaults(what, values);
      set(what, values, "size", what->parameters[3].initial < 99.0 ? 12 : 24);
      set(what, values, "walls", walls);
      perp_fluid *fluid = make(what, values, &pool);
      perp_fluid_report report = {0};
      for (int step = 0; step < 3; step++)
        if (perp_fluid_step(fluid, &report) != PERP_OK)
          fail_msg("%s: %s", what->name, perp_last_message());
      if (report.unsolved > 0 || report.particles == 0)
        fail_msg("%s, walls %d: %d problems are not solved", what->name, (int)walls,
                 (int)report.unsolved);
      assert_true(isfinite(report.kinetic) && report.kinetic > 0.0);
      perp_fluid_destroy(fluid);
    }
  }
}

static void liquid_swirls_about_the_middle(void **state) {
  (void)state;
  const scene *what = scene_find("swirl");
  double values[MOST];
  scene_pool pool;
  perp_fluid_state now;
  defaults(what, values);
  set(what, values, "level", 0.7);
  set(what, values, "spin", -3.0);
  set(what, values, "size", 32);
  perp_fluid *fluid = make(what, values, &pool);
  assert_int_equal(perp_fluid_read(fluid, &now), PERP_OK);
  for (int64_t i = 0; i < now.particles; i++) {
    assert_true(fabs(now.v[0][i] - 3.0*(now.x[1][i] - 0.5)) < 1e-12);
    assert_true(fabs(now.v[1][i] + 3.0*(now.x[0][i] - 0.5)) < 1e-12);
    assert_true(now.x[1][i] < 0.5 + 0.4*0.45 && hypot(now.x[0][i] - 0.5, now.x[1][i] - 0.5) < 0.45);
  }
  perp_fluid_destroy(fluid);
}

static void parameters_reach_the_settings(void **state) {
  (void)state;
  const scene *what = scene_find("ceiling");
  static const char *const names[] = {"size", "walls", "every-cell", "transfer", "flip", "cfl",
                                      "substeps", "particles", "reseed", "compensate", "dt",
                                      "gravity", "steps"};
  static const double given[] = {17, 1, 1, 1, 0.5, 3, 7, 3, 0, 1, 0.01, 2, 9};
  double values[MOST];
  scene_pool pool;
  defaults(what, values);
  for (size_t k = 0; k < sizeof names/sizeof *names; k++) set(what, values, names[k], given[k]);
  assert_int_equal(scene_fill(what, values, 77, &pool), PERP_OK);
  const perp_fluid_settings *s = &pool.settings;
  const double taken[] = {s->cells[0], s->walls, s->every_cell, s->transfer, s->flip, s->cfl,
                          s->substeps, s->particles, s->reseed, s->compensate, s->step,
                          -s->gravity[1], (double)pool.steps};
  for (size_t k = 0; k < sizeof names/sizeof *names; k++)
    if (taken[k] != given[k]) fail_msg("%s is %g, not %g", names[k], taken[k], given[k]);
  assert_true(s->cells[1] == 17 && s->cells[2] == 1 && s->seed == 77 && s->spacing == 1.0/17.0);
}

// Each parameter at the ends of its range: a fluid, or a message that names it.
static void ends_of_ranges_are_scenes_or_refused(void **state) {
  (void)state;
  const scene *what;
  for (int32_t k = 0; (what = scene_at(k)) != NULL; k++) {
    if (!what->fill) continue;
    for (int32_t i = 0; i < 2*what->parameter_count; i++) {
      const perp_gallery_parameter *p = &what->parameters[i/2];
      double values[MOST];
      scene_pool pool;
      perp_fluid *fluid = NULL;
      defaults(what, values);
      set(what, values, "size", 12);
      values[i/2] = i % 2 ? p->high : p->low;
      const perp_error error = scene_fill(what, values, 0, &pool);
      if (error != PERP_OK) assert_true(error == PERP_ERROR_ARGUMENT && pool.message[0]);
      else if (pool.settings.cells[0] < 100 && scene_fluid(&pool, NULL, &fluid) != PERP_OK)
        fail_msg("%s, %s = %g: %s", what->name, p->name, values[i/2], perp_last_message());
      perp_fluid_destroy(fluid);
      values[i/2] = i % 2 ? nextafter(p->high, (double)INFINITY) : (double)NAN;
      assert_int_equal(scene_fill(what, values, 0, &pool), PERP_ERROR_ARGUMENT);
      assert_memory_equal(pool.message, p->name, strlen(p->name));
    }
  }
}

static void kinds_are_not_mixed_up(void **state) {
  (void)state;
  scene_pool pool;
  scene_layout layout;
  assert_int_equal(scene_fill(scene_find("box"), NULL, 0, &pool), PERP_ERROR_UNSUPPORTED);
  assert_string_equal(pool.message, "box is a scene of bodies");
  assert_int_equal(scene_build(scene_find("swirl"), NULL, 0, &layout), PERP_ERROR_UNSUPPORTED);
  assert_string_equal(layout.message, "swirl is a scene of liquid");
  assert_int_equal(scene_fill(scene_find("swirl"), NULL, 0, &pool), PERP_OK);   // its defaults
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_pours_what_it_says),
    cmocka_unit_test(each_goes),
    cmocka_unit_test(liquid_swirls_about_the_middle),
    cmocka_unit_test(parameters_reach_the_settings),
    cmocka_unit_test(ends_of_ranges_are_scenes_or_refused),
    cmocka_unit_test(kinds_are_not_mixed_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
