// test_contact_limits.c: laws of a time limit in worlds, on a clock that moves with every look.
//
// 1. A limit above what a step takes without one changes no bit of the motion.
// 2. Without restitution the energy never grows, however short the limit is.
// 3. A step is within its limit, or says by how much it is not.
// 4. A clock that says NaN or infinity, or goes back, stands still: all numbers stay finite.
// cost: 6
#include "contact_support.h"

static double tick(void *context) { return *(double *)context += 1e-6; }

typedef struct scene {
  const char *name;
  void (*fill)(perp_world *w);
  int32_t model, steps;
} scene;

static void fill_stack(perp_world *w) {
  put(w, perp_plane(0.0, 1.0, 0.0, 0.0));
  for (int k = 0; k < 6; k++) put(w, at(perp_box(0.5, 0.5, 0.5, 1.0), 0.0, 0.5 + k, 0.0));
}

static void fill_bowl(perp_world *w) {
  put(w, perp_hollow(1.5));
  for (int k = 0; k < 27; k++)
    put(w, with(at(perp_sphere(0.2, 1.0), -0.43 + 0.41*(k%3), -0.8 + 0.41*(k/9),
                   -0.4 + 0.41*(k/3%3) + 1e-3*k), 0.3*(k%2), -1.0, 0.0));
}

static void fill_throw(perp_world *w) {   // several islands, and what slides
  put(w, perp_plane(0.0, 1.0, 0.0, 0.0));
  for (int k = 0; k < 8; k++)
    put(w, with(at(perp_box(0.3, 0.1, 0.2, 1.0 + k), 1.1*(k%4), 0.1 + 0.01*k, 0.7*(k/4)),
                2.0 - 0.5*k, -2.0, 1.0));
}

static const scene scenes[] = {
  {"stack", fill_stack, PERP_CONTACT_FRICTION, 12},
  {"bowl", fill_bowl, PERP_CONTACT_FRICTION, 25},
  {"throw", fill_throw, PERP_CONTACT_FRICTION, 25},
  {"bowl, boxed", fill_bowl, PERP_CONTACT_BOXED, 25},
  {"bowl, staggered", fill_bowl, PERP_CONTACT_STAGGERED, 25},
  {"bowl, normal", fill_bowl, PERP_CONTACT_NORMAL, 25},
};
enum { SCENES = sizeof scenes/sizeof *scenes };

typedef struct run {
  double now;              // of its clock
  perp_options options;
  perp_world *world;
} run;

static void begin(run *r, const scene *s, double limit) {
  r->now = 0.0;
  r->options = perp_default_options(NULL);
  r->options.clock = tick;
  r->options.clock_context = &r->now;
  perp_world_settings settings = perp_world_defaults();
  settings.model = s->model;
  settings.time_limit = limit;
  settings.options = &r->options;
  r->world = world_with(&settings);
  s->fill(r->world);
}

static void a_limit_above_what_steps_take_changes_nothing(void **unused) {
  (void)unused;
  for (int k = 0; k < SCENES; k++) {
    run without, within;
    begin(&without, &scenes[k], INF);
    begin(&within, &scenes[k], 1e6);
    double longest = 0.0;
    for (int32_t i = 0; i < scenes[k].steps; i++) {
      step(without.world);
      const double before = within.now;
      step(within.world);
      longest = fmax(longest, within.now - before);
    }
    perp_world_destroy(within.world);
    begin(&within, &scenes[k], 1.5*longest);
    for (int32_t i = 0; i < scenes[k].steps; i++) {
      const perp_world_report r = step(within.world);
      assert_true(r.overrun == 0.0 && r.seconds <= 1.5*longest);
    }
    const size_t count = (size_t)perp_world_count(within.world);
    if (memcmp(perp_world_motions(without.world), perp_world_motions(within.world),
               count*sizeof(perp_motion)) != 0)
      fail_msg("%s: a limit of %g ms, where steps take %g, changes the motion", scenes[k].name,
               1.5e3*longest, 1e3*longest);
    perp_world_destroy(without.world);
    perp_world_destroy(within.world);
  }
}

static void energy_never_grows_and_lateness_is_told(void **unused) {
  (void)unused;
  static const double limits[] = {1e-9, 1e-5, 5e-5, 1e-4, 3e-4, 1e-3};   // 10 to 1000 looks
  int unsolved = 0;
  for (int k = 0; k < SCENES; k++)
    for (size_t l = 0; l < sizeof limits/sizeof *limits; l++) {
      run r;
      begin(&r, &scenes[k], limits[l]);
      perp_world_report last;
      assert_int_equal(perp_world_last(r.world, &last), PERP_OK);
      const double size = fabs(last.potential) + last.kinetic + 1.0;
      for (int32_t i = 0; i < scenes[k].steps; i++) {
        const double before = r.now;
        const perp_world_report done = step(r.world);
        const double took = r.now - before, energy = done.kinetic + done.potential;
        if (!(energy <= last.kinetic + last.potential + 1e-9*size))
          fail_msg("%s, %g s, step %d: the energy grew from %.12g to %.12g", scenes[k].name,
                   limits[l], i + 1, last.kinetic + last.potential, energy);
        assert_true(done.overrun >= 0.0);
        assert_true(fabs(done.overrun - fmax(done.seconds - limits[l], 0.0)) <= 1e-12);
        assert_true(took <= done.seconds + 1.5e-6);   // but for the first look
        unsolved += done.unsolved > 0;
        last = done;
      }
      perp_world_destroy(r.world);
    }
  assert_true(unsolved > 100);   // or nothing was tested
}

static int kind;
static double looks;
static double odd_clock(void *unused) {
  (void)unused;
  looks++;
  const double said[] = {NAN, INFINITY, -INFINITY, -looks, (int64_t)looks%2 ? NAN : 1e-6*looks,
                         (int64_t)looks%3 ? 1e-6*looks : INFINITY, looks < 4 ? looks : NAN};
  return said[kind];
}

static void an_odd_clock_leaves_numbers(void **unused) {
  (void)unused;
  perp_options o = perp_default_options(NULL);
  o.clock = odd_clock;
  for (kind = 0; kind < 7; kind++)
    for (int k = 0; k < SCENES; k++) {
      looks = 0.0;
      perp_world_settings s = perp_world_defaults();
      s.model = scenes[k].model;
      s.time_limit = 1e-3;
      s.options = &o;
      perp_world *w = world_with(&s);
      scenes[k].fill(w);
      for (int32_t i = 0; i < 6; i++) {
        const perp_world_report r = step(w);
        const double said[] = {r.seconds, r.solve_seconds, r.overrun, r.kinetic, r.potential,
                               r.residual};
        for (size_t j = 0; j < sizeof said/sizeof *said; j++)
          if (!(said[j] - said[j] == 0.0) || (j < 3 && said[j] < 0.0))
            fail_msg("%s, clock %d, step %d: number %d of the report is %g", scenes[k].name, kind,
                     i + 1, (int)j, said[j]);
        assert_int_equal(r.solved + r.unsolved, r.islands);
        if (kind < 4) assert_int_equal(r.unsolved, 0);   // it stands still: there is no hurry
      }
      perp_world_destroy(w);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_limit_above_what_steps_take_changes_nothing),
      cmocka_unit_test(energy_never_grows_and_lateness_is_told),
      cmocka_unit_test(an_odd_clock_leaves_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
