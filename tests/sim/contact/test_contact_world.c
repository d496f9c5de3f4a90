// test_contact_world.c: what a world promises whatever moves in it: problems, limits, messages.
#include <perp/analysis.h>
#include <perp/matrix.h>

#include "contact_support.h"

// ---- settings ----

// A ball falls along -y, in two and in three dimensions.
static void up_is_y(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    perp_world_settings s = perp_world_defaults();
    for (int k = 0; k < 3; k++) assert_true(s.gravity[k] == (k == 1 ? -9.81 : 0.0));
    s.dimension = dimension;
    perp_world *w = world_with(&s);
    put(w, perp_plane(0, 1, 0, 0));
    put(w, at(perp_sphere(0.5, 1.0), 0, 1, 0));
    for (int k = 0; k < 60; k++) assert_int_equal(step(w).unsolved, 0);
    const double *x = perp_world_motions(w)[1].position;
    near("it lies on the floor", x[1], 0.5, 1e-6);
    assert_true(x[0] == 0.0 && x[2] == 0.0);
    perp_world_destroy(w);
  }
}

// ---- problems ----

// A sphere on a plane, under another: A = [2/m 0; ...] is known, and so are the impulses.
static void the_problem_of_an_island(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.model = PERP_CONTACT_NORMAL;
  s.step = 0.01;
  perp_world *w = world_with(&s);
  put(w, perp_plane(0, 1, 0, 0));
  put(w, at(perp_sphere(0.5, 2.0), 0, 0.5, 0));
  put(w, at(perp_sphere(0.5, 4.0), 0, 1.5, 0));
  step(w);
  perp_problem p;
  const double *x;
  int32_t bodies;
  assert_int_equal(perp_world_problem(w, 0, &p, &x, &bodies), PERP_OK);
  assert_int_equal(bodies, 2);
  assert_int_equal(p.A.n, 2);
  double y[2], e[2] = {1, 0};
  assert_int_equal(perp_apply(&p.A, e, y), PERP_OK);
  near("A11", y[0], 0.5, 1e-15);
  near("A21", y[1], -0.5, 1e-15);
  near("weight of both", x[0], 6*9.81*0.01, 1e-12);
  near("weight of one", x[1], 4*9.81*0.01, 1e-12);
  perp_certificate c;
  assert_int_equal(perp_certify(&p, x, 1e-8, 0.0, NULL, &c), PERP_OK);
  assert_true(c.solved);
  perp_world_destroy(w);
}

// What the step reports is what the certificate of its problems says.
static void reports_agree_with_the_certificate(void **unused) {
  (void)unused;
  for (int model = 0; model < PERP_CONTACT_MODEL_COUNT; model++) {
    perp_world_settings s = perp_world_defaults();
    s.model = model;
    s.rounds = 2;
    s.trace = 8;
    perp_world *w = world_with(&s);
    put(w, perp_plane(0, 1, 0, 0));
    put(w, perp_plane(1, 0.1, 0, -2));
    state = 21;
    for (int k = 0; k < 12; k++)
      put(w, with(at(perp_sphere(0.4, 1.0), 0.85*(k%3) - 1, 0.5 + 0.85*(k/6), 0.85*(k/3%2)),
                  uniform(-1, 1), 0, uniform(-1, 1)));
    int64_t rows = 0;
    for (int k = 0; k < 40; k++) {
      const perp_world_report r = step(w);
      int32_t solved = 0, total = 0, count = -1;
      double worst = 0.0;
      for (int32_t i = 0; i < r.islands; i++) {
        perp_problem p;
        const double *x;
        assert_int_equal(perp_world_problem(w, i, &p, &x, NULL), PERP_OK);
        perp_certificate c;
        perp_tolerances within = perp_default_tolerances();
        within.componentwise_tol = (double)INFINITY;   // as worlds do: docs/contact.md
        assert_int_equal(perp_certify_with(&p, x, &within, NULL, &c), PERP_OK);
        solved += c.solved;
        total += p.A.n;
        worst = fmax(worst, c.residual);
      }
      assert_int_equal(r.solved, solved);
      assert_int_equal(r.unsolved, r.islands - solved);
      assert_int_equal(r.rows, total);
      near("residual", r.residual, worst, 1e-3*worst + 1e-9);
      perp_world_trace(w, &count);
      assert_true(count >= 0 && count <= 8);
      rows += total;
    }
    assert_true(rows > 300);
    perp_world_destroy(w);
  }
}

static void a_step_keeps_its_time_limit(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.time_limit = 2e-4;
  perp_world *w = world_with(&s);
  put(w, perp_plane(0, 1, 0, 0));
  state = 4;
  fill_randomly(w, 125, 1.0, 0.2, 0.0);
  int64_t unsolved = 0;
  double energy = INF;
  for (int k = 0; k < 60; k++) {
    const perp_world_report r = step(w);
    unsolved += r.unsolved;
    assert_true(isfinite(r.kinetic + r.potential + r.residual));
    if (r.unsolved > 0) assert_int_not_equal(r.worst_status, PERP_STATUS_SOLVED);
    energy = r.kinetic + r.potential;
  }
  assert_true(unsolved > 0);   // 0.2 ms are too few for all of them
  assert_true(energy > -100.0);
  perp_world_destroy(w);
}

// A method of the caller's choice; one that cannot take the problem fails, and changes nothing.
static double ticking(void *context) {
  double *now = context;
  return *now += 2e-3;
}

// What large islands leave of the time is for the small ones, whose turn comes last.
static void small_islands_get_the_time_that_is_left(void **unused) {
  (void)unused;
  double now = 0.0;
  perp_options options = perp_default_options(perp_find_method("auto"));
  options.clock = ticking;
  options.clock_context = &now;
  perp_world_settings s = perp_world_defaults();
  s.options = &options;
  s.time_limit = 1.0;
  perp_world *w = world_with(&s);
  put(w, perp_plane(0, 1, 0, 0));
  for (int k = 0; k < 40; k++) put(w, at(perp_sphere(0.5, 1.0), 0, 0.5 + k, 0));
  for (int k = 0; k < 5; k++) put(w, at(perp_sphere(0.5, 1.0), 3 + 3*k, 0.5, 0));
  const perp_world_report r = step(w);
  assert_int_equal(r.islands, 6);
  assert_int_equal(r.unsolved, 0);
  perp_world_destroy(w);
}

// Without any time the impulses come from sweeps: they carry a block, friction is in its cone.
static void blocks_slide_without_any_time(void **unused) {
  (void)unused;
  double now = 0.0;
  perp_options options = perp_default_options(perp_find_method("auto"));
  options.clock = ticking;
  options.clock_context = &now;
  perp_world_settings s = perp_world_defaults();
  s.options = &options;
  s.time_limit = 1e-6;
  s.friction = 0.3;
  perp_world *w = world_with(&s);
  put(w, perp_plane(0, 1, 0, 0));
  put(w, with(at(perp_box(1, 0.1, 1, 2.0), 0, 0.1, 0), 3, 0, 0));
  for (int k = 1; k <= 10; k++) {
    const perp_world_report r = step(w);
    assert_int_equal(r.worst_status, PERP_STATUS_TIME_LIMIT);
    int32_t count;
    const perp_touch *t = perp_world_touches(w, &count);
    assert_true(count >= 4);
    for (int32_t i = 0; i < count; i++) {
      const double *f = t[i].friction_impulse;
      assert_true(sqrt(f[0]*f[0] + f[1]*f[1] + f[2]*f[2]) <= 0.3*t[i].normal_impulse + 1e-15);
    }
    near("slows down", perp_world_motions(w)[1].velocity[0], 3 - 0.3*9.81*k/60, 0.01*k/60);
    near("lies", perp_world_motions(w)[1].position[1], 0.1, 1e-3);
  }
  perp_world_destroy(w);
}

static void methods_can_be_chosen(void **unused) {
  (void)unused;
  static const char *const names[] = {"pgs", "lemke", "fischer_newton", "dantzig"};
  for (int i = 0; i < 4; i++) {
    perp_options options = perp_default_options(perp_find_method(names[i]));
    perp_world_settings s = perp_world_defaults();
    s.model = PERP_CONTACT_NORMAL;
    s.options = &options;
    perp_world *w = world_with(&s);
    put(w, perp_plane(0, 1, 0, 0));
    put(w, at(perp_sphere(0.5, 2.0), 0, 0.5, 0));
    put(w, at(perp_sphere(0.5, 4.0), 0, 1.5, 0));
    for (int k = 0; k < 10; k++) assert_int_equal(step(w).unsolved, 0);
    near(names[i], perp_world_motions(w)[2].position[1], 1.5, 1e-7);
    perp_world_destroy(w);
  }
  perp_options options = perp_default_options(perp_find_method("tridiagonal"));
  perp_world_settings s = perp_world_defaults();
  s.options = &options;
  perp_world *w = world_with(&s);
  put(w, perp_plane(0, 1, 0, 0));
  put(w, at(perp_sphere(0.5, 2.0), 0, 0.5, 0));
  const perp_motion before = perp_world_motions(w)[1];
  assert_int_equal(perp_world_step(w, NULL), PERP_ERROR_UNSUPPORTED);
  if (strstr(perp_last_message(), "tridiagonal") == NULL) fail_msg("%s", perp_last_message());
  assert_memory_equal(&before, &perp_world_motions(w)[1], sizeof before);
  perp_world_destroy(w);
}

// Overlaps and bounces are normal problems, which methods for friction refuse: auto takes those.
static void problems_of_its_own_go_to_auto(void **unused) {
  (void)unused;
  static const char *const names[] = {"contact_newton", "contact_sweep", "staggering",
                                      "convex_friction", "tridiagonal"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) {
    assert_non_null(perp_find_method(names[i]));
    perp_options options = perp_default_options(perp_find_method(names[i]));
    perp_world_settings s = perp_world_defaults();
    s.options = &options;
    s.restitution = 0.8;
    s.gravity[1] = 0.0;
    if (i == 4) s.model = PERP_CONTACT_NORMAL;   // each touches the plane alone: three diagonals
    perp_world *w = world_with(&s);
    put(w, perp_plane(0, 1, 0, 0));
    put(w, perp_plane(0, -1, 0, -1));
    put(w, at(perp_sphere(0.3, 1.0), 0, 0.28, 0));            // 0.02 deep
    put(w, with(at(perp_sphere(0.5, 1.0), 3, 0.5, 0), 0, -2, 0));   // no room to bounce
    const perp_world_report r = step(w);
    assert_int_equal(r.projections, 1);
    assert_int_equal(r.unprojected, 0);
    near(names[i], perp_world_motions(w)[2].position[1], 0.3, 0.02*0.011 + 1e-5);
    near("stops", perp_world_motions(w)[3].velocity[1], 0.0, 1e-8);
    perp_world_destroy(w);
  }
}

// ---- nothing, and nonsense ----

static void worlds_without_bodies_or_contacts(void **unused) {
  (void)unused;
  perp_world *w = world_with(NULL);
  perp_world_report r = step(w);
  assert_int_equal(r.contacts, 0);
  assert_int_equal(r.islands, 0);
  assert_int_equal(r.worst_status, PERP_STATUS_SOLVED);
  assert_true(r.residual == 0.0);
  int32_t count = -1;
  perp_world_touches(w, &count);
  assert_int_equal(count, 0);
  put(w, perp_plane(0, 1, 0, 0));
  step(w);
  put(w, at(perp_sphere(1, 1), 0, 50, 0));
  r = step(w);
  assert_int_equal(r.contacts, 0);
  assert_int_equal(r.step, 3);
  perp_world_destroy(w);
  perp_world_destroy(NULL);
}

static void refused(const perp_error error, const char *expected) {
  assert_int_equal(error, PERP_ERROR_ARGUMENT);
  if (strstr(perp_last_message(), expected) == NULL)
    fail_msg("'%s' does not say '%s'", perp_last_message(), expected);
}

static void bad_arguments_get_the_range(void **unused) {
  (void)unused;
  perp_world *w = NULL;
  perp_world_settings s = perp_world_defaults();
  refused(perp_world_create(&s, NULL, NULL), "world is NULL");
  s.step = 0.0;
  refused(perp_world_create(&s, NULL, &w), "step = 0 is outside [1e-9, 1000]");
  s = perp_world_defaults();
  s.step = (double)NAN;
  refused(perp_world_create(&s, NULL, &w), "step = ");
  s = perp_world_defaults();
  s.directions = 2;
  refused(perp_world_create(&s, NULL, &w), "directions = 2 is outside [3, 64]");
  s.directions = 12345678;
  refused(perp_world_create(&s, NULL, &w), "directions = 12345678 is outside [3, 64]");
  s = perp_world_defaults();
  s.dimension = 4;
  refused(perp_world_create(&s, NULL, &w), "dimension = 4 is outside {2, 3}");
  s = perp_world_defaults();
  s.size = 3;
  refused(perp_world_create(&s, NULL, &w), "perp_world_defaults()");
  s = perp_world_defaults();
  s.gravity[1] = INF;
  refused(perp_world_create(&s, NULL, &w), "gravity[1] = inf is outside");
  assert_null(w);

  w = world_with(NULL);
  perp_body b = perp_sphere(-1, 1);
  refused(perp_world_add(w, &b, NULL), "radius = -1 is outside [1e-9, 1e9]");
  b = perp_sphere(1, 0);
  refused(perp_world_add(w, &b, NULL), "mass = 0 is outside");
  b = perp_plane(0, 0, 0, 1);
  refused(perp_world_add(w, &b, NULL), "the length of the normal = 0 is outside");
  b = perp_plane(0, 0, 1, 1);
  b.mass = 2;
  refused(perp_world_add(w, &b, NULL), "mass = 2 is outside {inf}");
  b = perp_sphere(1, 1);
  b.motion.orientation[0] = 0.5;
  refused(perp_world_add(w, &b, NULL), "the length of orientation = 0.5");
  b = perp_sphere(1, 1);
  b.motion.velocity[2] = (double)NAN;
  refused(perp_world_add(w, &b, NULL), "velocity[2] = ");
  b = perp_sphere(1, 1);
  b.material = -1;
  refused(perp_world_add(w, &b, NULL), "material = -1 is outside [0, 999]");
  refused(perp_world_pair(w, 0, 1, -0.1, 0), "friction = -0.1 is outside");
  refused(perp_world_pair(w, 0, 1, 0.1, 1.5), "restitution = 1.5 is outside [0, 1]");
  refused(perp_world_read(w, 0, &b), "body = 0 is outside [0, -1]");
  refused(perp_world_push(w, 3, NULL, NULL), "body = 3 is outside");
  refused(perp_world_step(NULL, NULL), "world is NULL");
  assert_int_equal(perp_world_count(w), 0);
  perp_problem p;
  const double *x;
  refused(perp_world_problem(w, 0, &p, &x, NULL), "island = 0 is outside [0, -1]");
  perp_world_destroy(w);
}

// Materials meet with their own coefficients: a ball bounces off rubber and not off clay.
static void pairs_of_materials(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.step = 1e-3;
  perp_world *w = world_with(&s);
  assert_int_equal(perp_world_pair(w, 2, 1, 0.0, 1.0), PERP_OK);
  perp_body floor = perp_plane(0, 1, 0, 0), ball = at(perp_sphere(0.1, 1), 0, 0.6, 0);
  floor.material = 1;
  put(w, floor);
  ball.material = 2;
  const int32_t rubber = put(w, ball);
  ball = at(ball, 1, 0.6, 0);
  ball.material = 0;
  const int32_t clay = put(w, ball);
  double highest[2] = {0.0, 0.0};
  for (int k = 0; k < 700; k++) {
    step(w);
    if (k < 350) continue;
    highest[0] = fmax(highest[0], perp_world_motions(w)[rubber].position[1]);
    highest[1] = fmax(highest[1], perp_world_motions(w)[clay].position[1]);
  }
  near("rubber", highest[0], 0.6, 0.01);
  near("clay", highest[1], 0.1, 1e-6);
  perp_world_destroy(w);
}

// A push of F for a second gives m v = F; a torque turns a ball with 2/5 m r^2.
static void pushes_act_for_one_step(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.gravity[1] = 0.0;
  s.step = 0.01;
  perp_world *w = world_with(&s);
  const int32_t id = put(w, perp_sphere(0.5, 2.0));
  const double force[3] = {3, 0, -1}, torque[3] = {0, 1, 0};
  for (int k = 0; k < 100; k++) {
    assert_int_equal(perp_world_push(w, id, force, torque), PERP_OK);
    step(w);
  }
  const perp_world_report r = step(w);   // and none any more
  near("px", r.momentum[0], 3.0, 1e-12);
  near("pz", r.momentum[2], -1.0, 1e-12);
  near("spin", perp_world_motions(w)[id].spin[1], 1.0/(0.4*2.0*0.25), 1e-11);
  near("dissipated", r.dissipated, (9.0 + 1.0)/2/2*0.01 + 1.0/(0.4*2.0*0.25)/2*0.01, 1e-11);
  perp_world_destroy(w);
}

// A push that no step has used yet is saved, and loaded.
static void pushes_are_part_of_the_state(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.gravity[1] = 0.0;
  s.step = 0.01;
  unsigned char memory[1024];
  size_t bytes = 0;
  for (int loaded = 0; loaded < 2; loaded++) {
    perp_world *w = world_with(&s);
    put(w, perp_sphere(0.5, 2.0));
    const double force[3] = {3, 0, 0}, torque[3] = {0, 1, 0};
    if (loaded) {
      assert_int_equal(perp_world_load(w, memory, bytes), PERP_OK);
    } else {
      assert_int_equal(perp_world_push(w, 0, force, torque), PERP_OK);
      bytes = perp_world_save(w, memory, sizeof memory);
      assert_true(bytes <= sizeof memory);
    }
    step(w);
    near("v", perp_world_motions(w)[0].velocity[0], 3*0.01/2.0, 1e-15);
    near("w", perp_world_motions(w)[0].spin[1], 0.01/(0.4*2.0*0.25), 1e-15);
    perp_world_destroy(w);
  }
}

// ---- ends ----

// Turned by hundreds of radians in a step a box cannot be followed; it must not gain energy then.
static void no_spin_is_too_fast(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.gravity[1] = 0.0;
  for (double spin = 100.0; spin < 1e12; spin *= 7.3) {
    perp_world *w = world_with(&s);
    perp_body box = perp_box(0.02, 0.5, 0.3, 1.0);
    box.motion.spin[0] = 0.3*spin;
    box.motion.spin[1] = spin;
    box.motion.spin[2] = -0.5*spin;
    put(w, box);
    perp_world_report first, r;
    assert_int_equal(perp_world_last(w, &first), PERP_OK);
    for (int k = 0; k < 30; k++) {
      r = step(w);
      near("energy", r.kinetic/first.kinetic, 1.0, 1e-12);
      for (int i = 0; i < 3; i++)
        near("momentum", r.angular[i]/first.angular[1], first.angular[i]/first.angular[1], 1e-12);
    }
    perp_world_destroy(w);
  }
}

// Whatever pushes a body, its numbers stay finite, and its state is one that can be loaded.
static void worlds_end_somewhere(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.step = 1e3;
  perp_world *w = world_with(&s);
  put(w, perp_plane(0, 1, 0, 0));
  const int32_t ball = put(w, at(perp_sphere(1e-9, 1e-12), 0, 1, 0)),
                box = put(w, at(perp_box(1e-9, 3e-9, 2e-9, 1e-12), 1, 1, 0));
  const double force[3] = {1e12, -1e12, 1e12};
  unsigned char memory[4096];
  for (int k = 0; k < 40; k++) {
    assert_int_equal(perp_world_push(w, ball, force, force), PERP_OK);
    assert_int_equal(perp_world_push(w, box, force, force), PERP_OK);
    const perp_world_report r = step(w);
    assert_true(isfinite(r.kinetic + r.potential + r.dissipated + r.residual + r.penetration));
    const size_t bytes = perp_world_save(w, memory, sizeof memory);
    assert_true(bytes <= sizeof memory);
    assert_int_equal(perp_world_load(w, memory, bytes), PERP_OK);
  }
  perp_world_destroy(w);
}

// Two balls side by side, thrown up so that they stand still at the end of the fifth step.
static void nobody_sleeps_in_the_air(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.sleep = 1;
  s.step = 1.0/64;
  s.gravity[1] = -8.0;
  perp_world *w = world_with(&s);
  for (int k = 0; k < 2; k++) {
    perp_body ball = at(perp_sphere(0.5, 1.0), k, 0, 0);
    ball.motion.velocity[1] = 5*8.0/64;
    put(w, ball);
  }
  for (int k = 0; k < 20; k++) assert_int_equal(step(w).asleep, 0);
  near("speed", perp_world_motions(w)[0].velocity[1], -15*8.0/64, 1e-12);
  perp_world_destroy(w);
}

// A block is put into a ball that sleeps: they are contacts, and the ball gets out.
static void what_is_added_wakes(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.sleep = 3;
  perp_world *w = world_with(&s);
  put(w, perp_plane(0, 1, 0, 0));
  put(w, at(perp_sphere(0.5, 1.0), 0, 0.5, 0));
  for (int k = 0; k < 10; k++) step(w);
  assert_int_equal(step(w).asleep, 1);
  put(w, at(perp_box(0.5, 0.5, 0.5, INF), 0.9, 0.5, 0));
  assert_int_equal(step(w).contacts, 2);
  for (int k = 0; k < 10; k++) step(w);
  near("out", perp_world_motions(w)[1].position[0], -0.1, 1e-3);
  perp_world_destroy(w);
}

static void options_are_checked_at_once(void **unused) {
  (void)unused;
  perp_options options = perp_default_options(NULL);
  perp_world_settings s = perp_world_defaults();
  s.options = &options;
  perp_world *w = NULL;
  options.tol = NAN;
  assert_int_equal(perp_world_create(&s, NULL, &w), PERP_ERROR_OPTION);
  assert_non_null(strstr(perp_last_message(), "tol = nan"));
  options.tol = 1e-8;
  options.iteration_limit = -5;
  assert_int_equal(perp_world_create(&s, NULL, &w), PERP_ERROR_OPTION);
  assert_non_null(strstr(perp_last_message(), "iteration_limit = -5"));
  assert_null(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(up_is_y),
    cmocka_unit_test(the_problem_of_an_island),
    cmocka_unit_test(reports_agree_with_the_certificate),
    cmocka_unit_test(a_step_keeps_its_time_limit),
    cmocka_unit_test(small_islands_get_the_time_that_is_left),
    cmocka_unit_test(blocks_slide_without_any_time),
    cmocka_unit_test(methods_can_be_chosen),
    cmocka_unit_test(problems_of_its_own_go_to_auto),
    cmocka_unit_test(worlds_without_bodies_or_contacts),
    cmocka_unit_test(bad_arguments_get_the_range),
    cmocka_unit_test(pairs_of_materials),
    cmocka_unit_test(pushes_act_for_one_step),
    cmocka_unit_test(pushes_are_part_of_the_state),
    cmocka_unit_test(no_spin_is_too_fast),
    cmocka_unit_test(worlds_end_somewhere),
    cmocka_unit_test(nobody_sleeps_in_the_air),
    cmocka_unit_test(what_is_added_wakes),
    cmocka_unit_test(options_are_checked_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
