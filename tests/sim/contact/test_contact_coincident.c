// test_contact_coincident.c: bodies at exactly one place have no direction in which they are apart.
// They are separated all the same, the same way each time; or counted as not projected.
#include "contact_support.h"

typedef struct pile {
  const char *name;
  int dimension, count;
  perp_body (*body)(int k);
} pile;

static perp_body ball(int k) { return (void)k, perp_sphere(0.5, 1.0); }
static perp_body mixed_balls(int k) { return perp_sphere(0.2 + 0.1*k, 1.0 + k); }
static perp_body cube(int k) { return (void)k, perp_box(0.5, 0.5, 0.5, 1.0); }
static perp_body ball_in_cube(int k) { return k%2 ? cube(k) : ball(k); }

static const pile piles[] = {
  {"two balls", 3, 2, ball},       {"three balls", 3, 3, ball},   {"eight balls", 3, 8, ball},
  {"nested balls", 3, 4, mixed_balls}, {"two discs", 2, 2, ball}, {"four discs", 2, 4, ball},
  {"two cubes", 3, 2, cube},       {"two squares", 2, 2, cube},   {"a ball in a cube", 3, 2, ball_in_cube},
};

// floor: 0 is space without gravity, 1 + k is a floor below which gravity pulls along axis k.
static perp_world_report run(const pile *p, int floor, perp_motion *end) {
  perp_world_settings s = perp_world_defaults();
  s.dimension = p->dimension;
  for (int k = 0; k < 3; k++) s.gravity[k] = k == floor - 1 ? -9.81 : 0.0;
  perp_world *w = world_with(&s);
  if (floor) put(w, perp_plane(floor == 1, floor == 2, floor == 3, -2));
  for (int k = 0; k < p->count; k++) put(w, p->body(k));
  perp_world_report r = {0};
  int32_t unprojected = 0;
  for (int k = 0; k < 240; k++) {
    r = step(w);
    assert_true(r.kinetic - r.kinetic == 0.0 && r.penetration - r.penetration == 0.0);
    unprojected += r.unprojected;
  }
  const perp_motion *m = perp_world_motions(w) + (floor > 0);
  for (int k = 0; k < p->count; k++) {
    for (int i = 0; i < 3; i++) assert_true(m[k].position[i] - m[k].position[i] == 0.0);
    end[k] = m[k];
  }
  if (!(r.penetration <= 2*s.margin) && unprojected == 0)
    fail_msg("%s, floor %d: still %g deep, and nothing says so", p->name, floor, r.penetration);
  perp_world_destroy(w);
  return r;
}

static void bodies_at_one_place_come_apart(void **unused) {
  (void)unused;
  for (size_t k = 0; k < sizeof piles/sizeof piles[0]; k++)
    for (int floor = 0; floor <= piles[k].dimension; floor++) {
#ifndef PERP_BOXES
      if (piles[k].body == cube || piles[k].body == ball_in_cube) continue;
#endif
      perp_motion first[8], again[8];
      const perp_world_report a = run(&piles[k], floor, first), b = run(&piles[k], floor, again);
      assert_memory_equal(first, again, (size_t)piles[k].count*sizeof *first);
      assert_true(a.penetration == b.penetration);
    }
}

// A ball in the middle of a hollow sphere, with hardly any room: whatever way it goes, it stays in.
static void a_ball_in_the_middle_of_a_hollow_sphere_stays_in(void **unused) {
  (void)unused;
  for (int axis = 0; axis < 3; axis++) {
    perp_world_settings s = perp_world_defaults();
    perp_world *w = world_with(&s);
    put(w, perp_hollow(0.501));
    perp_body b = perp_sphere(0.5, 1.0);
    b.motion.velocity[axis] = 3.0;
    put(w, b);
    for (int k = 0; k < 20; k++) {
      const perp_world_report r = step(w);
      if (!(r.penetration < s.margin)) fail_msg("step %d: %g deep", k, r.penetration);
    }
    perp_world_destroy(w);
  }
}

// A ball in the middle of a hollow sphere, or next to it, that is fast enough to leave in one step:
// it meets the wall in that step, as a contact that slows it down, and is not only put back.
static void a_ball_in_the_middle_meets_the_wall(void **unused) {
  (void)unused;
  static const double aside[] = {0.0, 1e-12, 0.01};
  for (int dimension = 2; dimension <= 3; dimension++)
    for (size_t k = 0; k < sizeof aside/sizeof *aside; k++)
      for (int axis = 0; axis < dimension; axis++) {
        perp_world_settings s = perp_world_defaults();
        s.dimension = dimension;
        for (int c = 0; c < 3; c++) s.gravity[c] = 0.0;
        perp_world *w = world_with(&s);
        put(w, perp_hollow(1.0));
        perp_body ball = perp_sphere(0.1, 1.0);
        ball.motion.position[axis] = aside[k];
        ball.motion.velocity[axis] = 3.0/s.step;
        put(w, ball);
        for (int n = 0; n < 3; n++) {
          const perp_world_report r = step(w);
          const double *x = perp_world_motions(w)[1].position;
          if (!(r.kinetic <= 0.5*0.95*0.95/(s.step*s.step)))   // at most the way that is left
            fail_msg("%g aside, axis %d: kinetic energy %g", aside[k], axis, r.kinetic);
          const double distance = sqrt(x[0]*x[0] + x[1]*x[1] + x[2]*x[2]);
          if (!(distance <= 0.9 + 2*s.margin))
            fail_msg("%g aside, axis %d: %g from the middle", aside[k], axis, distance);
        }
        perp_world_destroy(w);
      }
}

// One that is larger than the hollow: it cannot come apart, and that is told.
static void a_ball_too_large_is_told(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  perp_world *w = world_with(&s);
  put(w, perp_hollow(1.0));
  put(w, perp_sphere(1.5, 1.0));
  const perp_world_report r = step(w);
  if (!(r.penetration >= 0.4 || r.unprojected > 0))
    fail_msg("%g deep, and nothing says so", r.penetration);
  perp_world_destroy(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_at_one_place_come_apart),
    cmocka_unit_test(a_ball_in_the_middle_of_a_hollow_sphere_stays_in),
    cmocka_unit_test(a_ball_in_the_middle_meets_the_wall),
    cmocka_unit_test(a_ball_too_large_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
