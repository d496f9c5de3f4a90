// test_scenes_laws.c: laws of every scene: momentum without external forces, and energy
// that does not grow, whether steps are certified or not.
// labels: long
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

static int is_long(void) { return getenv("PERP_LONG_TESTS") != NULL; }

typedef struct sample { const char *scene, *count; double few, many; } sample;
static const sample samples[] = {   // every scene, with how many bodies
  {"box", "balls", 20, 80},        {"hollow-sphere", "spheres", 8, 20},
  {"stack", "boxes", 4, 10},        {"pyramid", "base", 3, 5},
  {"wall", "bricks", 8, 20},        {"card-house", "levels", 2, 3},
  {"wedge", "boxes", 2, 5},         {"arch", "stones", 2, 4},
  {"heavy-on-light", "boxes", 2, 3}, {"hopper", "spheres", 40, 200},
};
enum { SAMPLES = sizeof samples/sizeof *samples };

static void all_scenes_are_here(void **state) {
  (void)state;
  int bodies = 0;
  for (int32_t k = 0; k < scene_count(); k++) bodies += scene_at(k)->build != NULL;
  assert_int_equal(SAMPLES, bodies);
  for (int k = 0; k < SAMPLES; k++) assert_non_null(scene_find(samples[k].scene));
}

// A scene of the sample's size; `word` may set one more parameter.
static scene_layout layout_of(const sample *s, const char *word, double value) {
  const scene *what = scene_find(s->scene);
  double values[MOST];
  scene_layout layout;
  for (int32_t i = 0; i < what->parameter_count; i++) values[i] = what->parameters[i].initial;
  values[scene_parameter(what, s->count)] = is_long() ? s->many : s->few;
  if (word && scene_parameter(what, word) >= 0) values[scene_parameter(what, word)] = value;
  if (scene_build(what, values, 5, &layout) != PERP_OK)
    fail_msg("%s: %s", s->scene, layout.message);
  return layout;
}

static perp_world *world_of(const scene_layout *layout) {
  perp_world *world;
  const perp_error error = scene_world(layout, NULL, &world);
  if (error == PERP_ERROR_UNSUPPORTED) return NULL;   // boxes need ODE
  if (error != PERP_OK) fail_msg("%s", perp_last_message());
  return world;
}

// What is not fixed, floating, thrown at its middle and spinning: no force from outside.
static void set_free(scene_layout *layout, double speed) {
  int32_t kept = 0;
  for (int32_t i = 0; i < layout->bodies; i++) {
    if (isinf(layout->body[i].mass)) continue;
    layout->body[kept] = layout->body[i];
    layout->group[kept++] = layout->group[i];
  }
  layout->bodies = kept;
  layout->settings.gravity[1] = 0.0;
  const int plane = layout->settings.dimension == 2;
  for (int32_t i = 0; i < kept; i++) {
    perp_motion *m = &layout->body[i].motion;
    for (int c = 0; c < (plane ? 2 : 3); c++)
      m->velocity[c] += speed*((layout->center[c] - m->position[c])/layout->radius +
                               0.3*(perp_random_uniform(8, (uint64_t)(6*i + c)) - 0.5));
    for (int c = plane ? 2 : 0; c < 3; c++)
      m->spin[c] = perp_random_uniform(8, (uint64_t)(6*i + 3 + c)) - 0.5;
  }
}

static void near(const char *where, const char *what, double found, double expected, double tol) {
  if (!(fabs(found - expected) <= tol))
    fail_msg("%s: %s is %.17g, was %.17g: off by %.2g > %.2g", where, what, found, expected,
             found - expected, tol);
}

// Rounding errors of a sum: some times the sum of its absolute values. Solved or not.
static void momentum_is_kept(void **state) {
  (void)state;
  for (int k = 0; k < SAMPLES; k++)
    for (int trial = 0; trial < 3; trial++) {   // restitution 0, 0.6, steps that are not solved
      scene_layout layout = layout_of(&samples[k], NULL, 0);
      set_free(&layout, 4*layout.radius);
      perp_options options = perp_default_options(perp_find_method("pgs"));
      options.iteration_limit = 3;
      if (trial == 2) layout.settings.options = &options;
      layout.settings.model = PERP_CONTACT_FRICTION;
      layout.settings.friction = 0.5;
      layout.settings.restitution = trial == 1 ? 0.6 : 0.0;
      double size = 0.0, turn = 0.0;
      for (int32_t i = 0; i < layout.bodies; i++) {
        const perp_body *b = &layout.body[i];
        double speed = 0.0, far = 0.0;
        for (int c = 0; c < 3; c++) {
          speed += fabs(b->motion.velocity[c]) + fabs(b->motion.spin[c])*b->extent[0];
          far += fabs(b->motion.position[c]);
        }
        size += b->mass*(speed + layout.radius);
        turn += b->mass*(speed + layout.radius)*(far + layout.radius);
      }
      perp_world *world = world_of(&layout);
      perp_world_report before, r;
      int64_t contacts = 0, unsolved = 0;
      if (world) perp_world_last(world, &before);
      for (int step = 0; world && step < (is_long() ? 60 : 20); step++) {
        assert_int_equal(perp_world_step(world, &r), PERP_OK);
        contacts += r.contacts;
        unsolved += r.unsolved;
        for (int c = 0; c < 3; c++) {
          near(samples[k].scene, "momentum", r.momentum[c], before.momentum[c], 5e-15*size);
          near(samples[k].scene, "angular momentum", r.angular[c], before.angular[c], 5e-15*turn);
        }
      }
      if (world && contacts < 4)
        fail_msg("%s: %d contacts only", samples[k].scene, (int)contacts);
      if (world && trial == 2 && contacts > 50 && unsolved == 0)
        fail_msg("%s: all is solved by 3 iterations", samples[k].scene);
      perp_world_destroy(world);
      scene_free(&layout);
    }
}

// Of the whole: kinetic and potential energy, minus what pushes and driven bodies put in. The scale
// is what falls in the scene, not where its origin is.
static void never_grows(const sample *s, scene_layout *layout, int steps, const char *how) {
  perp_world *world = world_of(layout);
  if (!world) return;
  double weight = 0.0;
  for (int32_t i = 0; i < layout->bodies; i++)
    if (!isinf(layout->body[i].mass)) weight += layout->body[i].mass;
  const double fall = weight*fabs(layout->settings.gravity[1])*layout->radius;
  perp_world_report r;
  perp_world_last(world, &r);
  double scale = r.kinetic + fall, dissipated = r.dissipated;
  int64_t contacts = 0;
  for (int step = 1; step <= steps; step++) {
    assert_int_equal(perp_world_step(world, &r), PERP_OK);
    scale = fmax(scale, r.kinetic + fall);
    contacts += r.contacts;
    if (!isfinite(r.kinetic + r.potential) || !(r.dissipated >= dissipated - 1e-9*scale))
      fail_msg("%s, %s, step %d: %g of %g came from nowhere", s->scene, how, step,
               dissipated - r.dissipated, scale);
    dissipated = r.dissipated;
  }
  if (contacts == 0) fail_msg("%s: no contacts", s->scene);
  perp_world_destroy(world);
}

static void energy_never_grows(void **state) {
  (void)state;
  for (int k = 0; k < SAMPLES; k++) {
    static const char *const names[] = {"its own model", "with friction", "little friction",
                                        "unsolved", "unsolved and rammed", "thrown"};
    for (int trial = 0; trial < 6; trial++) {
      const int quick = trial == 3 || trial == 4 ? 60 : 25;
      if (trial == 4 && strcmp(samples[k].scene, "wedge") != 0) continue;
      scene_layout layout = layout_of(&samples[k], trial == 4   ? "ram"
                                                   : trial == 2 ? "friction"
                                                                : NULL, trial == 4 ? 2.0 : 0.05);
      perp_options options = perp_default_options(perp_find_method("pgs"));
      options.iteration_limit = 2;
      if (trial == 3 || trial == 4) layout.settings.options = &options;
      if (trial > 0) layout.settings.model = PERP_CONTACT_FRICTION;
      for (int32_t i = 0; i < layout.bodies; i++) {   // what falls is to arrive in time
        perp_body *b = &layout.body[i];
        if (isinf(b->mass)) continue;
        if (b->shape == PERP_SHAPE_SPHERE) b->motion.velocity[1] -= 4*layout.radius;
        if (trial == 5) b->motion.velocity[0] += layout.radius;
      }
      never_grows(&samples[k], &layout, is_long() ? 4*quick : quick, names[trial]);
      scene_free(&layout);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_scenes_are_here),
    cmocka_unit_test(momentum_is_kept),
    cmocka_unit_test(energy_never_grows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
