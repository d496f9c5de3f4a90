// test_contact.c: spheres and discs against closed forms and conservation laws.
// labels: long
#include "contact_support.h"

// ---- one ball ----

static void free_fall_loses_what_the_scheme_says(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.step = 0.01;
  perp_world *w = world_with(&s);
  put(w, with(at(perp_sphere(0.1, 3.0), 0, 100, 0), 1, 5, 0));
  perp_world_report before;
  assert_int_equal(perp_world_last(w, &before), PERP_OK);
  for (int k = 1; k <= 100; k++) {
    const perp_world_report r = step(w);
    const double loss = 3.0*9.81*9.81*0.01*0.01/2;   // m g^2 h^2/2
    near("energy", r.kinetic + r.potential, before.kinetic + before.potential - k*loss, 1e-10);
    near("dissipated", r.dissipated, k*loss, 1e-10);
    near("height", perp_world_motions(w)[0].position[1],
         100 + 5*k*0.01 - 9.81*0.01*0.01*k*(k + 1)/2, 1e-12);
    assert_int_equal(r.contacts, 0);
  }
  perp_world_destroy(w);
}

// The apex after each bounce is e^2 of the one before, up to the height passed in a step.
static void heights_of_bounces(void **unused) {
  (void)unused;
  const double restitution[] = {1.0, 0.9, 0.5};
  for (int i = 0; i < 3; i++) {
    perp_world_settings s = perp_world_defaults();
    s.step = 1e-4;
    s.restitution = restitution[i];
    s.restitution_speed = 0.01;
    perp_world *w = world_with(&s);
    put(w, perp_plane(0, 1, 0, 0));
    put(w, at(perp_sphere(0.25, 2.0), 0, 1.25, 0));
    double apex = 1.0, rising = 0.0, height = 0.0;
    for (int bounces = 0; bounces < 3;) {
      const perp_world_report r = step(w);
      assert_int_equal(r.unsolved, 0);
      const perp_motion *m = perp_world_motions(w) + 1;
      if (rising > 0.0 && m->velocity[1] <= 0.0) {
        near("apex", height, apex*restitution[i]*restitution[i], 1e-3);
        apex = height;
        bounces++;
      }
      rising = m->velocity[1];
      height = m->position[1] - 0.25;
      assert_true(height > -1e-9);
    }
    perp_world_destroy(w);
  }
}

// With e = 1 the energy that the step itself keeps in flight, v^2/2 + g y - g h v/2, outlives any
// number of bounces at a coarse step; so does the height.
static void a_ball_keeps_its_height(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.restitution = 1.0;
  perp_world *w = world_with(&s);
  put(w, perp_plane(0, 1, 0, 0));
  put(w, at(perp_sphere(0.25, 2.0), 0, 1.25, 0));
  int32_t bounces = 0;
  for (int k = 0; k < 3000; k++) {
    step(w);
    int32_t count;
    const perp_touch *t = perp_world_touches(w, &count);
    for (int32_t i = 0; i < count; i++) bounces += t[i].bounced;
    const double v = perp_world_motions(w)[1].velocity[1],
                 y = perp_world_motions(w)[1].position[1];
    near("energy of the step", 0.5*v*v + 9.81*(y - 0.25) - 0.5*9.81*s.step*v, 9.81, 1e-9);
  }
  assert_in_range(bounces, 50, 60);   // a flight takes 2 sqrt(2/g) = 0.9 s
  perp_world_destroy(w);
}

// A ball thrown without spin slides, then rolls at 5/7 of its speed.
static void a_sliding_ball_begins_to_roll(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.step = 1e-3;
  s.friction = 0.3;
  perp_world *w = world_with(&s);
  put(w, perp_plane(0, 1, 0, 0));
  put(w, with(at(perp_sphere(0.5, 2.0), 0, 0.5, 0), 7, 0, 0));
  for (int k = 0; k < 2000; k++) assert_int_equal(step(w).unsolved, 0);
  const perp_motion *m = perp_world_motions(w) + 1;
  near("speed", m->velocity[0], 5.0, 1e-2);
  near("rolling", m->velocity[0] + 0.5*m->spin[2], 0.0, 1e-6);
  near("height", m->position[1], 0.5, 1e-9);
  perp_world_destroy(w);
}

// Down a slope it rolls with 5/7 g sin a; a disc in the plane with 2/3.
static void rolling_down_a_slope(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    const double angle = 0.3, g = 10.0, h = 1e-3;
    perp_world_settings s = perp_world_defaults();
    s.dimension = dimension;
    s.step = h;
    s.friction = 1.0;
    s.gravity[0] = g*sin(angle);
    s.gravity[1] = -g*cos(angle);
    perp_world *w = world_with(&s);
    put(w, perp_plane(0, 1, 0, 0));
    put(w, at(perp_sphere(0.5, 2.0), 0, 0.5, 0));
    for (int k = 0; k < 1000; k++) assert_int_equal(step(w).unsolved, 0);
    const double part = dimension == 2 ? 2.0/3 : 5.0/7;
    near("speed", perp_world_motions(w)[1].velocity[0], part*g*sin(angle), 1e-6);
    perp_world_destroy(w);
  }
}

// ---- many balls ----

static void momentum_is_kept(void **unused) {
  (void)unused;
  for (int model = 0; model < PERP_CONTACT_MODEL_COUNT; model++) {
    perp_world_settings s = perp_world_defaults();
    s.model = model;
    s.rounds = 1;
    s.gravity[1] = 0.0;
    s.step = 0.01;
    s.restitution = model == PERP_CONTACT_NORMAL ? 0.7 : 0.0;
    perp_world *w = world_with(&s);
    state = 7;
    fill_randomly(w, 64, 4.0, 1.0, 3.0);
    perp_world_report before, r = {0};
    perp_world_last(w, &before);
    int64_t contacts = 0;
    double size = 0.0, turn = 0.0;   // sum of |m v|, of |m x v|
    for (int32_t i = 0; i < 64; i++) {
      perp_body b;
      perp_world_read(w, i, &b);
      size += b.mass*10;
      turn += b.mass*10*8;
    }
    for (int k = 0; k < steps(30, 60); k++) {
      r = step(w);
      contacts += r.contacts;
      for (int d = 0; d < 3; d++) {
        near("momentum", r.momentum[d], before.momentum[d], 1e-14*size);
        near("angular momentum", r.angular[d], before.angular[d], 1e-14*turn);
      }
    }
    assert_true(contacts > 150);
    perp_world_destroy(w);
  }
}

static void energy_never_grows_without_restitution(void **unused) {
  (void)unused;
  for (int model = 0; model < PERP_CONTACT_MODEL_COUNT; model++) {
    perp_world_settings s = perp_world_defaults();
    s.model = model;
    s.rounds = model == PERP_CONTACT_STAGGERED ? 1 : 20;
    s.step = 0.01;
    perp_world *w = world_with(&s);
    state = 3;
    put(w, perp_plane(0, 1, 0, 0));
    put(w, perp_plane(1, 0, 0, 0));
    put(w, perp_plane(-1, 0, 0, -2));
    put(w, perp_plane(0, 0, 1, 0));
    put(w, perp_plane(0, 0, -1, -2));
    fill_randomly(w, 27, 2.0, 1.0, 0.0);
    perp_world_report r;
    perp_world_last(w, &r);
    double energy = r.kinetic + r.potential;
    const double start = energy;
    for (int k = 0; k < steps(model == 0 ? 200 : 50, 300); k++) {
      r = step(w);
      const double now = r.kinetic + r.potential;
      if (!(now <= energy + 1e-9*start))   // certified or not
        fail_msg("model %d, step %d: from %.12g to %.12g", model, k, energy, now);
      energy = now;
    }
    assert_true(r.contacts > 27);
    perp_world_destroy(w);
  }
}

// Fifteen balls at rest in a triangle, hit straight by another: what happens left happens right, to
// rounding. With friction impulses are as exact as the tolerance, so that is a second one.
static void a_break_is_symmetric(void **unused) {
  (void)unused;
  for (int trial = 0; trial < 12; trial++) {
    perp_world_settings s = perp_world_defaults();
    const double restitution[] = {0.0, 0.5, 0.9, 1.0};
    s.dimension = 2;
    s.model = trial < 4 ? PERP_CONTACT_NORMAL : PERP_CONTACT_FRICTION;
    s.gravity[1] = 0.0;
    s.step = 0.005;
    s.friction = 0.1;
    s.restitution = restitution[trial%4];
    perp_options options = perp_default_options(NULL);
    options.tol = trial < 8 ? 1e-12 : 1e-8;
    s.options = &options;
    const double tol = trial < 8 ? 1e-12 : 1e-9;
    perp_world *w = world_with(&s);
    const double r = 0.5;
    int32_t mirror[16];
    put(w, with(at(perp_sphere(r, 1.0), 0, -3, 0), 0, 10, 0));
    mirror[0] = 0;
    for (int row = 0, id = 1; row < 5; row++)
      for (int k = 0; k <= row; k++, id++) {
        put(w, at(perp_sphere(r, 1.0), (2*k - row)*r, row*sqrt(3.0)*r, 0));
        mirror[id] = id + row - 2*k;
      }
    for (int k = 0; k < 300; k++) {
      assert_int_equal(step(w).unsolved, 0);
      const perp_motion *m = perp_world_motions(w);
      for (int i = 0; i < 16; i++) {
        near("x", m[i].position[0], -m[mirror[i]].position[0], tol);
        near("y", m[i].position[1], m[mirror[i]].position[1], tol);
        near("spin", m[i].spin[2], -m[mirror[i]].spin[2], tol);
      }
    }
    assert_true(fabs(perp_world_motions(w)[15].position[0]) > 2.6);   // it did break: it was at 2
    perp_world_destroy(w);
  }
}

// Fifteen spheres as in SPH: none gets out, with and without friction.
static void spheres_stay_in_a_hollow_sphere(void **unused) {
  (void)unused;
  for (int model = 0; model < 2; model++) {
    perp_world_settings s = perp_world_defaults();
    s.model = model;
    perp_world *w = world_with(&s);
    const double R = 5.0;
    put(w, perp_hollow(R));
    state = 9;
    for (int32_t count = 1; count <= 15;) {
      const double r = uniform(0.7, 1.2), x[3] = {uniform(-4, 4), uniform(-4, 4), uniform(-4, 4)};
      int fits = sqrt(x[0]*x[0] + x[1]*x[1] + x[2]*x[2]) < R - r;
      for (int32_t k = 1; k < count; k++) {
        perp_body o;
        perp_world_read(w, k, &o);
        const double *y = o.motion.position;
        const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        fits &= sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]) > r + o.extent[0];
      }
      if (!fits) continue;
      perp_body b = at(perp_sphere(r, r*r*r), x[0], x[1], x[2]);
      put(w, with(b, uniform(-9, 9), uniform(-9, 9), uniform(-9, 9)));
      count++;
    }
    perp_world_report r = {0};
    perp_world_last(w, &r);
    double energy = r.kinetic + r.potential;
    for (int k = 0; k < fewer(steps(model == 0 ? 1200 : 100, 3600)); k++) {   // full: 60 s
      r = step(w);
      assert_int_equal(r.unsolved, 0);
      assert_true(r.kinetic + r.potential <= energy + 1e-8*fabs(energy));
      energy = r.kinetic + r.potential;
      for (int32_t i = 1; i <= 15; i++) {
        perp_body o;
        perp_world_read(w, i, &o);
        const double *y = o.motion.position;
        assert_true(sqrt(y[0]*y[0] + y[1]*y[1] + y[2]*y[2]) + o.extent[0] < 1.001*R);
      }
    }
    perp_world_destroy(w);
  }
}

// Newton's law asks a ball in a slot as wide as itself to leave both walls. It cannot; the step is
// solved all the same. In a slot that is wider it goes to and fro with e of its speed.
static void bounces_where_there_is_no_room(void **unused) {
  (void)unused;
  for (int model = 0; model < 2; model++)
    for (int wide = 0; wide < 2; wide++) {
      perp_world_settings s = perp_world_defaults();
      s.model = model;
      s.restitution = 0.8;
      s.friction = 0.0;
      s.gravity[1] = 0.0;
      s.step = 0.01;
      perp_world *w = world_with(&s);
      const double room = wide ? 0.05 : 0.0;
      put(w, perp_plane(1, 0, 0, -0.5));
      put(w, perp_plane(-1, 0, 0, -0.5 - room));
      put(w, with(at(perp_sphere(0.5, 1.0), 0, 0, 0), 2, 0.25, 0));
      double x = 0.0, vx = 2.0;   // by hand: it bounces where it would meet the wall in the step
      int bounces = 0;
      for (int k = 0; k < 20; k++) {
        const perp_world_report r = step(w);
        const double gap = vx > 0.0 ? room - x : x;
        const int meets = gap < s.step*fabs(vx);
        if (meets) vx = wide ? -0.8*vx : 0.0;
        x += s.step*vx;
        bounces += meets;
        assert_int_equal(r.unsolved, 0);
        assert_true(r.penetration <= 1e-9);
        int32_t count, bounced = 0;
        const perp_touch *t = perp_world_touches(w, &count);
        for (int32_t i = 0; i < count; i++) bounced += t[i].bounced;
        assert_int_equal(bounced, meets);
        const perp_motion *m = perp_world_motions(w) + 2;
        near("vx", m->velocity[0], vx, 1e-8);
        near("vy", m->velocity[1], 0.25, 1e-12);
        near("x", m->position[0], x, 1e-9);
      }
      assert_true(wide ? bounces > 3 && fabs(vx) > s.restitution_speed : bounces == 1);
      perp_world_destroy(w);
    }
}

// In such a slot the ball falls onto a floor: the walls stop it along x, the floor throws it back.
static void a_bounce_beside_a_jam(void **unused) {
  (void)unused;
  for (int model = 0; model < 2; model++) {
    perp_world_settings s = perp_world_defaults();
    s.model = model;
    s.restitution = 0.8;
    s.friction = 0.0;
    s.gravity[1] = 0.0;
    perp_world *w = world_with(&s);
    put(w, perp_plane(1, 0, 0, -0.5));
    put(w, perp_plane(-1, 0, 0, -0.5));
    put(w, perp_plane(0, 1, 0, -0.5));
    put(w, with(at(perp_sphere(0.5, 1.0), 0, 0, 0), 2, -3, 0));
    assert_int_equal(step(w).unsolved, 0);
    near("vx", perp_world_motions(w)[3].velocity[0], 0.0, 1e-5);
    near("vy", perp_world_motions(w)[3].velocity[1], 2.4, 1e-5);
    perp_world_destroy(w);
  }
}

// A wall that is farther than the margin is there in time: a step ends at it, and not behind.
static void fast_balls_meet_the_hollow_sphere(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.gravity[1] = 0.0;
  perp_world *w = world_with(&s);
  put(w, perp_hollow(3.0));
  put(w, with(at(perp_sphere(0.5, 1.0), 0.1, 0, 0), 1000, 0, 0));
  const perp_world_report r = step(w);
  near("x", perp_world_motions(w)[1].position[0], 2.5, 1e-6);
  near("vx", perp_world_motions(w)[1].velocity[0], 2.4*60, 1e-4);
  assert_int_equal(r.contacts, 1);
  assert_int_equal(r.projections, 0);
  near("at rest", (step(w), perp_world_motions(w)[1].velocity[0]), 0.0, 1e-4);
  perp_world_destroy(w);
}

// A plate of infinite mass that moves up carries a ball and pushes another; its work is input.
static void driven_bodies_carry_others(void **unused) {
  (void)unused;
  perp_world_settings s = perp_world_defaults();
  s.step = 0.01;
  perp_world *w = world_with(&s);
  put(w, with(perp_plane(0, 1, 0, 0), 1, 0.5, 0));   // up, and to the side
  put(w, with(at(perp_sphere(0.5, 2.0), 0, 0.5, 0), 1, 0.5, 0));
  perp_world_report r = {0};
  for (int k = 0; k < 100; k++) r = step(w);
  const perp_motion *m = perp_world_motions(w);
  near("plate", m[0].position[1], 0.5, 1e-12);
  near("height", m[1].position[1], 1.0, 1e-9);
  near("carried along", m[1].position[0], 1.0, 1e-9);
  near("work", r.dissipated, 0.0, 1e-7);
  perp_world_destroy(w);
}

// Shapes of any size on and in each other, at any speed: finite, and no energy from nowhere.
static void nonsense_stays_finite(void **unused) {
  (void)unused;
  int64_t unsolved = 0, problems = 0;
  for (int trial = 0; trial < fewer(steps(60, 600)); trial++) {
    state = (uint64_t)trial*1000;
    perp_world_settings s = perp_world_defaults();
    s.dimension = uniform(0, 1) < 0.7 ? 3 : 2;
    s.model = PERP_CONTACT_NORMAL;
    s.step = pow(10, uniform(-4, -0.5));
    s.margin = uniform(0, 1) < 0.2 ? 0.0 : pow(10, uniform(-4, -0.5));
    s.restitution = uniform(0, 1) < 0.5 ? 0.0 : uniform(0, 1);
    s.sleep = uniform(0, 1) < 0.5 ? 0 : 5;
    s.gravity[1] = -uniform(0, 50);
    perp_world *w = world_with(&s);
    for (int k = (int)uniform(1, 14); k > 0; k--) {
      const double kind = uniform(0, 1),
                   mass = uniform(0, 1) < 0.1 ? INF : pow(10, uniform(-4, 4)),
                   e[3] = {pow(10, uniform(-2, 1)), pow(10, uniform(-2, 1)),
                           pow(10, uniform(-2, 1))};
      perp_body b = kind < 0.4    ? perp_sphere(e[0], mass)
                    : kind < 0.75 ? perp_box(e[0], e[1], e[2], mass)
                    : kind < 0.9  ? perp_plane(uniform(-1, 1), uniform(-1, 1),
                                               s.dimension == 3 ? uniform(-1, 1) : 0,
                                               uniform(-3, 3))
                                  : perp_hollow(uniform(1, 20));
      for (int d = 0; d < s.dimension; d++) {
        b.motion.position[d] = uniform(0, 1) < 0.3 ? 0.0 : uniform(-3, 3);
        b.motion.velocity[d] = b.mass < INF ? uniform(-1, 1)*pow(10, uniform(-2, 2)) : 0.0;
        if (d == 2 && b.mass < INF) b.motion.spin[d] = uniform(-1, 1)*pow(10, uniform(-2, 2));
      }
      const perp_error error = perp_world_add(w, &b, NULL);
      if (error != PERP_ERROR_UNSUPPORTED) assert_int_equal(error, PERP_OK);   // boxes need ODE
    }
    perp_world_report r;
    perp_world_last(w, &r);
    double scale = fabs(r.kinetic) + fabs(r.potential), dissipated = 0.0;
    for (int k = 0; k < 20; k++) {
      r = step(w);
      unsolved += r.unsolved;
      problems += r.islands;
      const perp_motion *m = perp_world_motions(w);
      for (int32_t i = 0; i < perp_world_count(w); i++)
        for (int d = 0; d < 3; d++)
          assert_true(isfinite(m[i].position[d]) && isfinite(m[i].velocity[d]) &&
                      isfinite(m[i].spin[d]) && isfinite(m[i].orientation[d]));
      scale = fmax(scale, fabs(r.kinetic) + fabs(r.potential));
      if (s.restitution == 0.0 && !(r.dissipated >= dissipated - 1e-7*scale))
        fail_msg("trial %d, step %d: %g of %g came from nowhere", trial, k,
                 dissipated - r.dissipated, scale);
      dissipated = r.dissipated;
    }
    perp_world_destroy(w);
  }
  assert_true(problems > fewer(500));
  assert_true(unsolved <= problems/200);
}

// A ball that one neighbour turns aside does not end up in another one beside its way, which it
// would have passed: both are contacts of the step, and where nobody turns it the latter does
// nothing.
static void a_deflected_ball_meets_its_neighbour(void **unused) {
  (void)unused;
  for (int turned = 0; turned < 2; turned++) {
    perp_world_settings s = perp_world_defaults();
    s.gravity[1] = 0.0;
    s.step = 1.0/60.0;
    s.margin = 0.01;
    s.model = PERP_CONTACT_NORMAL;
    s.restitution = 0.0;
    perp_world *w = world_with(&s);
    const int32_t ball = put(w, with(perp_sphere(1.0, 1.0), 0, -30, 0));
    put(w, at(perp_sphere(1.0, INF), 2.05, 0, 0));
    if (turned) put(w, at(perp_sphere(1.0, INF), -1.3, -1.6, 0));
    perp_world_report r = step(w);
    assert_int_equal(r.contacts, 1 + turned);
    // what is left is of second order: its way of at most 0.5 along the neighbour's curve of 2
    const double *x = perp_world_motions(w)[ball].position;
    const double apart = hypot(x[0] - 2.05, x[1]);
    if (apart < 2.0 - 1e-9) fail_msg("%d: overlap of %.3g", turned, 2.0 - apart);
    if (!turned) near("speed", perp_world_motions(w)[ball].velocity[1], -30.0, 1e-12);
    perp_world_destroy(w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(free_fall_loses_what_the_scheme_says),
    cmocka_unit_test(heights_of_bounces),
    cmocka_unit_test(a_ball_keeps_its_height),
    cmocka_unit_test(a_sliding_ball_begins_to_roll),
    cmocka_unit_test(rolling_down_a_slope),
    cmocka_unit_test(momentum_is_kept),
    cmocka_unit_test(energy_never_grows_without_restitution),
    cmocka_unit_test(a_break_is_symmetric),
    cmocka_unit_test(spheres_stay_in_a_hollow_sphere),
    cmocka_unit_test(bounces_where_there_is_no_room),
    cmocka_unit_test(a_bounce_beside_a_jam),
    cmocka_unit_test(fast_balls_meet_the_hollow_sphere),
    cmocka_unit_test(driven_bodies_carry_others),
    cmocka_unit_test(nonsense_stays_finite),
    cmocka_unit_test(a_deflected_ball_meets_its_neighbour),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
