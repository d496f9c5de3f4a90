// test_scenes_hold.c: the physics of the scenes: what stands stands, what must fall falls, energy
// does not grow, nothing gets out. PERP_LONG_TESTS takes the times of the specification.
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

typedef struct play {
  scene_layout layout;
  perp_world *world;
  perp_world_report step;
  int64_t solved, unsolved;
  double growth;               // of the energy in a step, at most, relative to what there is
} play;

static int is_long(void) { return getenv("PERP_LONG_TESTS") != NULL; }

// "friction", 0.2, "boxes", 3.0, NULL
static int begin(play *p, const char *name, ...) {
  const scene *what = scene_find(name);
  double values[MOST];
  va_list list;
  *p = (play){0};
  for (int32_t i = 0; i < what->parameter_count; i++) values[i] = what->parameters[i].initial;
  va_start(list, name);
  for (const char *word; (word = va_arg(list, const char *)) != NULL;) {
    assert_in_range(scene_parameter(what, word), 0, what->parameter_count - 1);
    values[scene_parameter(what, word)] = va_arg(list, double);
  }
  va_end(list);
  if (scene_build(what, values, 0, &p->layout) != PERP_OK) fail_msg("%s", p->layout.message);
  const perp_error error = scene_world(&p->layout, NULL, &p->world);
  if (error == PERP_ERROR_UNSUPPORTED) {
    print_message("%s: skipped, it needs ODE\n", name);
    scene_free(&p->layout);
    return 0;
  }
  if (error != PERP_OK) fail_msg("%s", perp_last_message());
  perp_world_last(p->world, &p->step);
  return 1;
}

static void run(play *p, int64_t steps) {
  for (int64_t k = 0; k < steps; k++) {
    const double before = p->step.kinetic + p->step.potential, scale = fabs(before) +
                          p->step.kinetic + 1.0;
    if (perp_world_step(p->world, &p->step) != PERP_OK) fail_msg("%s", perp_last_message());
    p->growth = fmax(p->growth, (p->step.kinetic + p->step.potential - before)/scale);
    if (p->step.unsolved > 0) p->unsolved++;
    else p->solved++;
    assert_true(isfinite(p->step.kinetic) && isfinite(p->step.potential));
  }
}

static void end(play *p) {
  perp_world_destroy(p->world);
  scene_free(&p->layout);
}

// The largest way that a body of finite mass has gone.
static double drift(const play *p) {
  const perp_motion *motion = perp_world_motions(p->world);
  double most = 0.0;
  for (int32_t i = 0; i < p->layout.bodies; i++) {
    double square = 0.0;
    if (isinf(p->layout.body[i].mass)) continue;
    for (int c = 0; c < 3; c++)
      square += pow(motion[i].position[c] - p->layout.body[i].motion.position[c], 2.0);
    most = fmax(most, sqrt(square));
  }
  return most;
}

static void stands(const char *name, double limit, int64_t quick, int64_t steps) {
  play p;
  if (!begin(&p, name, NULL)) return;
  run(&p, is_long() ? steps : quick);
  if (!(drift(&p) < limit)) fail_msg("%s moved by %g", name, drift(&p));
  assert_int_equal(p.unsolved, 0);
  assert_true(p.growth < 1e-9);
  end(&p);
}

// 20 boxes, 1 % of one, 10 seconds; islands at rest may sleep as in the program.
static void a_stack_stands_for_ten_seconds(void **state) {
  (void)state;
  play p;
  if (!begin(&p, "stack", NULL)) return;
  assert_int_equal(p.layout.bodies, 21);
  assert_int_equal(p.layout.settings.sleep, 0);
  p.layout.settings.sleep = 60;
  perp_world_destroy(p.world);
  assert_int_equal(scene_world(&p.layout, NULL, &p.world), PERP_OK);
  run(&p, 600);
  assert_true(p.step.time > 10.0 - 1e-9);
  assert_int_equal(p.step.asleep, 20);
  if (!(drift(&p) < 0.01)) fail_msg("moved by %g", drift(&p));
  assert_int_equal(p.unsolved, 0);
  end(&p);
}

static void what_stands_stays(void **state) {
  (void)state;
  stands("stack", 0.01, 40, 600);           // awake
  stands("pyramid", 0.01, 5, 200);
  stands("card-house", 0.01, 10, 300);
  stands("arch", 0.01, 20, 600);
  stands("wedge", 0.01, 20, 300);
  stands("heavy-on-light", 0.01, 300, 300);
}

static void without_friction_it_falls(void **state) {
  (void)state;
  static const char *const names[] = {"arch", "card-house"};
  for (int k = 0; k < 4; k++) {
    play p;
    if (!begin(&p, names[k/2], "friction", k%2 ? 0.05 : 0.0, NULL)) return;
    run(&p, 60);
    if (!(drift(&p) > 0.05)) fail_msg("%s moved by %g only", names[k/2], drift(&p));
    end(&p);
  }
}

// The thrust H of a leg of weight w under half a keystone p must be within the angle of friction of
// 45 degrees both at its top, (H, p), and at its foot, (H, p + w): it stands from mu =
// tan(atan(sqrt((p + w)/p)) - 45 degrees) on, if it is not too slim.
static void the_arch_stands_from_a_coefficient_on(void **state) {
  (void)state;
  static const double keystones[] = {1.25, 1.5, 2.0};   // at 1 the legs would touch
  for (int k = 0; k < 3; k++) {
    const double p = 0.5*keystones[k]*keystones[k], w = 3.0;   // of stones 1 thick and deep
    const double mu = tan(atan(sqrt((p + w)/p)) - 0.25*acos(-1.0));
    for (int below = 0; below < 2; below++) {
      play a;
      if (!begin(&a, "arch", "length", 3.0, "stones", is_long() ? 6.0 : 2.0, "keystone",
                 keystones[k], "friction", below ? 0.95*mu : 1.1*mu, NULL)) return;
      run(&a, is_long() ? 600 : 80);
      if (below ? !(drift(&a) > 5e-4) : !(drift(&a) < 1e-5))
        fail_msg("keystone %g, mu %s %g: moved by %g", keystones[k], below ? "below" : "above",
                 mu, drift(&a));
      assert_int_equal(a.unsolved, 0);
      end(&a);
    }
  }
}

static void energy_never_grows(void **state) {
  (void)state;
  play p;
  begin(&p, "hollow-sphere", NULL);
  run(&p, is_long() ? 1200 : 120);
  assert_true(p.growth < 1e-9);
  assert_int_equal(p.unsolved, 0);
  end(&p);
  begin(&p, "box", NULL);
  run(&p, is_long() ? 1000 : 150);
  assert_true(p.growth < 1e-9);
  assert_int_equal(p.unsolved, 0);
  end(&p);
}

// 60 seconds at h = 1/60, seeds and restitutions; those at rest may sleep.
static void nothing_leaves_the_hollow_sphere(void **state) {
  (void)state;
  static const double spheres[] = {15, 20, 6, 40, 15, 30}, restitution[] = {0, 0.5, 1, 0, 0.9, 0.3},
                      friction[] = {0.3, 0.3, 0, 0.3, 0, 0.8};
  double most = -1.0;
  for (int k = 0; k < (is_long() ? 6 : 3); k++) {
    const scene *what = scene_find("hollow-sphere");
    double values[MOST];
    play p = {0};
    for (int32_t i = 0; i < what->parameter_count; i++) values[i] = what->parameters[i].initial;
    values[scene_parameter(what, "spheres")] = spheres[k];
    values[scene_parameter(what, "restitution")] = restitution[k];
    values[scene_parameter(what, "friction")] = friction[k];
    assert_int_equal(scene_build(what, values, (uint64_t)k, &p.layout), PERP_OK);
    p.layout.settings.sleep = 60;
    if (friction[k] == 0.0) p.layout.settings.model = PERP_CONTACT_NORMAL;
    assert_int_equal(scene_world(&p.layout, NULL, &p.world), PERP_OK);
    perp_world_last(p.world, &p.step);
    const double R = p.layout.body[0].extent[0];
    const int64_t steps = is_long() || k != 1 ? 3600 : 200;   // this one takes long to settle
    for (int64_t step = 0; step < steps; step++) {
      run(&p, 1);
      const perp_motion *motion = perp_world_motions(p.world);
      for (int32_t i = 1; i < p.layout.bodies; i++) {
        const double *x = motion[i].position;
        const double out = (sqrt(x[0]*x[0] + x[1]*x[1] + x[2]*x[2]) + p.layout.body[i].extent[0])/R;
        if (!(out < 1.001))
          fail_msg("seed %d, step %d: sphere %d is out by %g R", k, (int)step, (int)i, out - 1);
        most = fmax(most, out - 1);
      }
    }
    assert_int_equal(p.unsolved, 0);
    end(&p);
  }
  assert_true(most > -1e-3);   // they do touch it
}

// A plate of infinite mass presses boxes into a groove: from then on there are no impulses that
// do, and what is left is to say so and to stay finite.
static void a_jammed_wedge_stays_finite(void **state) {
  (void)state;
  play p;
  if (!begin(&p, "wedge", "boxes", 2.0, "ram", 1.0, NULL)) return;
  p.layout.settings.time_limit = 0.02;
  perp_world_destroy(p.world);
  assert_int_equal(scene_world(&p.layout, NULL, &p.world), PERP_OK);
  run(&p, is_long() ? 120 : 15);
  const perp_motion *motion = perp_world_motions(p.world);
  for (int32_t i = 0; i < p.layout.bodies; i++)
    for (int c = 0; c < 3; c++)
      assert_true(isfinite(motion[i].position[c]) && isfinite(motion[i].velocity[c]));
  end(&p);
}

static uint64_t hash(const play *p) {   // FNV-1a of all motions
  const unsigned char *byte = (const unsigned char *)perp_world_motions(p->world);
  uint64_t value = 0xcbf29ce484222325u;
  for (size_t k = 0; k < (size_t)p->layout.bodies*sizeof(perp_motion); k++)
    value = (value ^ byte[k])*0x100000001b3u;
  return value;
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  static const char *const names[] = {"box", "hollow-sphere", "stack"};
  for (int s = 0; s < 3; s++) {
    uint64_t first = 0;
    for (int32_t threads = 1; threads <= 4; threads *= 2) {
      play p;
      if (!begin(&p, names[s], NULL)) break;
      p.layout.settings.threads = threads;
      perp_world_destroy(p.world);
      assert_int_equal(scene_world(&p.layout, NULL, &p.world), PERP_OK);
      run(&p, is_long() ? 300 : s == 2 ? 10 : 60);
      if (threads == 1) first = hash(&p);
      assert_true(hash(&p) == first);
      end(&p);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_stack_stands_for_ten_seconds),
    cmocka_unit_test(what_stands_stays),
    cmocka_unit_test(without_friction_it_falls),
    cmocka_unit_test(the_arch_stands_from_a_coefficient_on),
    cmocka_unit_test(energy_never_grows),
    cmocka_unit_test(nothing_leaves_the_hollow_sphere),
    cmocka_unit_test(a_jammed_wedge_stays_finite),
    cmocka_unit_test(threads_do_not_change_a_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
