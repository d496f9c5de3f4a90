// test_fluid_motion.c: symmetry, dimensions, threads, moving walls, aims, and liquid with no way
// out.
#include "counting.h"
#include "fluid_support.h"

// ---- the same scene in other words ----

static void symmetric_scenes_stay_symmetric(void **unused) {
  (void)unused;
  for (int walls = 0; walls < PERP_WALLS_COUNT; walls++) {
    perp_fluid_settings s = perp_fluid_defaults(2, 32, 32, 1);
    s.walls = walls;
    s.seed = 0;
    s.reseed = 0;
    perp_options options = perp_default_options(NULL);
    options.tol = 1e-12;
    s.options = &options;
    perp_fluid *f = fluid_with(&s);
    add(f, perp_fluid_sphere(0.5, 0.3, 0.0, 0.11));
    put(f, perp_fluid_box(0.5, 0.65, 0.0, 0.25, 0.2, 0.0));
    for (int k = 0; k < 25; k++) step(f);
    const perp_fluid_state t = look(f);
    double most = 0.0, speed = 0.0;
    for (int32_t c = 0; c < f->cells; c++) most = fmax(most, fabs(t.pressure[c]));
    for (int32_t c = 0; c < f->faces[1]; c++) speed = fmax(speed, fabs(t.u[1][c]));
    assert_true(f->report.complementary > 10 || walls != PERP_WALLS_SEPARATING);   // it has landed
    for (int32_t j = 0; j < 32; j++)
      for (int32_t i = 0; i < 32; i++) {
        const int32_t c = 32*j + i, d = 32*j + 31 - i;
        assert_int_equal(t.type[c], t.type[d]);
        close_to("pressure", t.pressure[c], t.pressure[d], 1e-7*most);
        close_to("u", t.u[0][33*j + i], -t.u[0][33*j + 32 - i], 1e-7*speed);
        close_to("v", t.u[1][c], t.u[1][d], 1e-7*speed);
      }
    close_to("momentum", f->report.momentum[0], 0.0,
             1e-7*sqrt(2.0*f->report.kinetic*f->settings.density*f->poured));
    perp_fluid_destroy(f);
  }
}

static void one_cell_thick_is_two_dimensions(void **unused) {
  (void)unused;
  for (int walls = 0; walls < PERP_WALLS_COUNT; walls++) {
    perp_fluid *pair[2];
    for (int k = 0; k < 2; k++) {
      perp_fluid_settings s = perp_fluid_defaults(2 + k, 24, 24, 1);
      s.walls = walls;
      s.seed = 0;
      s.reseed = 0;
      perp_options options = perp_default_options(NULL);
      options.tol = 1e-12;
      s.options = &options;
      pair[k] = fluid_with(&s);
      perp_fluid_shape bar = perp_fluid_box(0.6, 0.1, 0.0, 0.11, 0.13, 0.0);
      bar.orientation[0] = cos(0.2), bar.orientation[3] = sin(0.2);
      add(pair[k], bar);
      put(pair[k], perp_fluid_box(0.25, 0.35, 0.0, 0.2, 0.3, 0.0));
      for (int q = 0; q < 15; q++) step(pair[k]);
    }
    const perp_fluid_state t = look(pair[0]), d = look(pair[1]);
    assert_int_equal(d.particles, 2*t.particles);
    double most = 0.0;
    for (int32_t c = 0; c < 576; c++) most = fmax(most, fabs(t.pressure[c]));
    assert_true(most > 0.0);
    for (int32_t c = 0; c < 576; c++) {
      assert_int_equal(t.type[c], d.type[c]);
      close_to("pressure", d.pressure[c], t.pressure[c], 1e-8*most);
    }
    for (int a = 0; a < 2; a++)
      for (int32_t c = 0; c < pair[0]->faces[a]; c++) close_to("u", d.u[a][c], t.u[a][c], 1e-8);
    for (int32_t c = 0; c < pair[1]->faces[2]; c++) assert_true(fabs(d.u[2][c]) < 1e-12);
    const perp_fluid_report *r = &pair[0]->report, *q = &pair[1]->report;
    close_to("volume", q->volume/pair[1]->h, r->volume, 1e-9);
    close_to("kinetic energy", q->kinetic/pair[1]->h, r->kinetic, 1e-7*r->kinetic);
    perp_fluid_destroy(pair[0]);
    perp_fluid_destroy(pair[1]);
  }
}

static void threads_do_not_change_a_bit(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    perp_fluid *f[3];
    for (int k = 0; k < 3; k++) {
      perp_fluid_settings s = perp_fluid_defaults(dimension, dimension == 3 ? 14 : 40,
                                                  dimension == 3 ? 14 : 40, 14);
      s.threads = 1 << k;
      s.compensate = 1;
      f[k] = fluid_with(&s);
      add(f[k], perp_fluid_sphere(0.6, 0.2, 0.5, 0.15));
      put(f[k], perp_fluid_box(0.3, 0.4, 0.5, 0.25, 0.3, 0.4));
      for (int q = 0; q < 10; q++) step(f[k]);
    }
    const perp_fluid_state t = look(f[0]);
    for (int k = 1; k < 3; k++) {
      const perp_fluid_state s = look(f[k]);
      assert_int_equal(s.particles, t.particles);
      for (int a = 0; a < dimension; a++) {
        assert_memory_equal(s.x[a], t.x[a], (size_t)t.particles*sizeof(double));
        assert_memory_equal(s.v[a], t.v[a], (size_t)t.particles*sizeof(double));
        assert_memory_equal(s.u[a], t.u[a], (size_t)f[0]->faces[a]*sizeof(double));
      }
      const size_t cells = (size_t)f[0]->cells;
      assert_memory_equal(s.pressure, t.pressure, cells*sizeof(double));
      assert_memory_equal(s.surface, t.surface, cells*sizeof(double));
      assert_memory_equal(s.type, t.type, cells);
      assert_memory_equal(s.separating, t.separating, cells);
      assert_true(f[k]->report.volume == f[0]->report.volume);
      assert_true(f[k]->report.kinetic == f[0]->report.kinetic);
    }
    for (int k = 0; k < 3; k++) perp_fluid_destroy(f[k]);
  }
}

// Liquid at rest falls by gravity within a substep: sqrt(cfl h g) stands for its speed.
static void liquid_at_rest_is_not_taken_for_slow(void **unused) {
  (void)unused;
  static const struct { double cfl; int32_t substeps; } wanted[] = {{2.0, 1}, {0.1, 2}, {0.01, 5}};
  for (int k = 0; k < 3; k++) {
    perp_fluid_settings s = perp_fluid_defaults(2, 64, 8, 1);
    s.cfl = wanted[k].cfl;
    s.seed = 0;
    perp_fluid *f = fluid_with(&s);
    put(f, perp_fluid_box(0.5, 0.03125, 0.0, 0.5, 0.03125, 0.0));
    assert_int_equal(step(f).substeps, wanted[k].substeps);
    perp_fluid_destroy(f);
  }
}

// ---- aims ----

// A disc in free fall whose cells aim at kappa = 2/s: its volume grows like exp(2 t).
static void liquid_swells_as_it_is_told(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 40, 40, 1);
  s.gravity[1] = 0.0;
  perp_fluid *f = fluid_with(&s);
  put(f, perp_fluid_sphere(0.5, 0.5, 0.0, 0.2));
  double kappa[1600];
  for (int c = 0; c < 1600; c++) kappa[c] = 2.0;
  assert_int_equal(perp_fluid_set_divergence(f, kappa), PERP_OK);
  double before = 0.0, after = 0.0;
  for (int k = 0; k < 13; k++) {
    const perp_fluid_report r = step(f);
    below("missed aim", r.divergence, 1e-6);
    if (k == 0) before = r.volume;
    after = r.volume;
    const perp_fluid_state t = look(f);
    for (int32_t j = 1; j < 39; j++)
      for (int32_t i = 1; i < 39; i++)
        if (t.type[40*j + i] == PERP_CELL_LIQUID)
          close_to("divergence", (t.u[0][41*j + i + 1] - t.u[0][41*j + i] +
                                  t.u[1][40*(j + 1) + i] - t.u[1][40*j + i])/f->h, 2.0, 1e-6);
  }
  close_to("growth in a fifth of a second", after/before, exp(2.0*12/60.0), 0.05);
  perp_fluid_destroy(f);
}

// Of a cell that a wall cuts only the room in it swells: b = -density/dt kappa phi at rest.
static void cut_cells_swell_by_their_room(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    perp_fluid_settings s = perp_fluid_defaults(dimension, 10, 10, 10);
    s.gravity[1] = 0.0;
    s.seed = 0;
    perp_fluid *f = fluid_with(&s);
    add(f, perp_fluid_plane(0.34, 0.0, 0.0, 1.0, 0.0, 0.0));   // solid up to there
    put(f, perp_fluid_box(0.5, 0.2, 0.5, 0.6, 0.2, 0.6));
    double kappa[1000];
    for (int c = 0; c < 1000; c++) kappa[c] = 0.7;
    assert_int_equal(perp_fluid_set_divergence(f, kappa), PERP_OK);
    assert_int_equal(step(f).substeps, 1);
    int cut = 0;
    for (int32_t c = 0; c < f->cells; c++) {
      if (f->type[c] != PERP_CELL_LIQUID) continue;
      const double phi = c%10 == 3 ? 0.6 : 1.0;
      cut += c%10 == 3;
      close_to("b", f->b[c]*f->dt/s.density, -0.7*phi, 1e-9);
    }
    assert_true(cut > 2 && f->report.liquid > 3*cut);
    perp_fluid_destroy(f);
  }
}

// ---- moving walls ----

static void a_piston_lifts_what_it_sweeps(void **unused) {
  (void)unused;
  for (int walls = is_brief() ? PERP_WALLS_SEPARATING : 0; walls < PERP_WALLS_COUNT; walls++) {
    perp_fluid_settings s = perp_fluid_defaults(2, 40, 40, 1);
    s.walls = walls;
    perp_fluid *f = fluid_with(&s);
    perp_fluid_shape piston = perp_fluid_box(-0.5, 0.5, 0.0, 0.6, 1.0, 0.0);   // to x = 0.1
    piston.velocity[0] = 0.15;
    add(f, piston);
    put(f, perp_fluid_box(0.5, 0.2, 0.0, 0.5, 0.2, 0.0));
    close_to("poured", f->poured, 0.36, 1e-12);
    perp_fluid_report r = {0};
    for (int k = 0; k < 120; k++) {
      r = step(f);
      assert_int_equal(r.unsolved, 0);
    }
    const double edge = 0.1 + 0.15*2.0;   // of the piston now: 0.6 of the width is left
    const perp_fluid_state t = look(f);
    for (int64_t p = 0; p < t.particles; p++) assert_true(t.x[0][p] > edge - 0.01*f->h);
    close_to("height of the centre", mean_of(t.x[1], t.particles), 0.5*0.36/0.6, 0.03);
    close_to("volume", r.volume, 0.36, 0.06*0.36);
    perp_fluid_shape now;
    assert_int_equal(perp_fluid_read_solid(f, 0, &now), PERP_OK);
    close_to("piston", now.position[0], -0.2, 1e-12);
    perp_fluid_destroy(f);
  }
}

// The flow into a cell that a moving wall cuts is what the wall sweeps: with the wall's velocity
// the liquid ahead of it moves as one.
static void liquid_ahead_of_a_wall_moves_with_it(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 32, 8, 1);
  s.gravity[1] = 0.0;
  s.seed = 0;
  s.walls = PERP_WALLS_SLIP;
  perp_fluid *f = fluid_with(&s);
  perp_fluid_shape piston = perp_fluid_box(-0.5, 0.125, 0.0, 0.5 + 3.3/32, 1.0, 0.0);
  piston.velocity[0] = 0.25;
  add(f, piston);
  put(f, perp_fluid_box(0.25, 0.125, 0.0, 0.25, 0.125, 0.0));   // fills the channel to x = 0.5
  step(f);
  const perp_fluid_state t = look(f);
  int seen = 0;
  for (int32_t j = 0; j < 8; j++)
    for (int32_t i = 5; i < 16; i++, seen++)
      close_to("u", t.u[0][33*j + i], 0.25, 1e-7);
  assert_int_equal(seen, 88);
  perp_fluid_destroy(f);
}

// A plate thinner than a cell, with room on both sides: faces in it have its velocity.
static void thin_plates_have_their_own_velocity(void **unused) {
  (void)unused;
  for (int wet = 0; wet < 2; wet++) {
    perp_fluid_settings s = perp_fluid_defaults(2, 16, 16, 1);
    s.substeps = 1;
    perp_fluid *f = fluid_with(&s);
    perp_fluid_shape plate = perp_fluid_box(0.5 - 0.3*s.step, 0.5, 0.0, 0.2/16, 0.7, 0.0);
    plate.velocity[0] = 0.3;
    add(f, plate);
    if (wet) put(f, perp_fluid_box(0.5, 0.2, 0.0, 0.5, 0.2, 0.0));
    step(f);
    for (int32_t j = 0; j < 16; j++) {
      assert_true(f->open[0][17*j + 8] == 0.0 && f->open[1][16*j + 8] == (j > 0 ? 0.8 : 0.0));
      assert_true(f->u[0][17*j + 8] == 0.3);
    }
    perp_fluid_destroy(f);
  }
}

// ---- no air ----

static void full_containers_rest(void **unused) {
  (void)unused;
  for (int walls = 0; walls < PERP_WALLS_COUNT; walls++)
    for (int dimension = 2; dimension <= 3; dimension++) {
      const int32_t n = dimension == 3 ? 6 : 12;
      perp_fluid_settings s = perp_fluid_defaults(dimension, n, n, n);
      s.walls = walls;
      perp_fluid *f = fluid_with(&s);
      put(f, perp_fluid_box(0.5, 0.5, 0.5, 1.0, 1.0, 1.0));
      for (int k = 0; k < 3; k++) {
        const perp_fluid_report r = step(f);
        assert_int_equal(r.unsolved, 0);
        assert_int_equal(r.liquid, f->cells);
        assert_int_equal(r.components, 1);
      }
      const perp_fluid_state t = look(f);
      below("speed", fastest(f), 1e-6);
      const double step_up = 1000.0*9.81*f->h;
      for (int32_t k = 0; k < t.cells[2]; k++)
        for (int32_t j = 0; j + 1 < n; j++)
          for (int32_t i = 0; i < n; i++) {
            const int32_t c = (k*n + j)*n + i;
            close_to("slope", t.pressure[c] - t.pressure[c + n], step_up, 1e-5*step_up);
          }
      close_to("volume", f->report.volume, f->poured, 1e-9);
      perp_fluid_destroy(f);
    }
}

static void a_squeezed_container_is_infeasible_and_goes_on(void **unused) {
  (void)unused;
  for (int walls = PERP_WALLS_SLIP; walls < PERP_WALLS_COUNT; walls++)
    for (int way = -1; way <= 1; way += 2) {   // the wall leaves, or presses
      perp_fluid_settings s = perp_fluid_defaults(2, 16, 16, 1);
      s.walls = walls;
      perp_fluid *f = fluid_with(&s);
      perp_fluid_shape piston = perp_fluid_box(-0.5, 0.5, 0.0, 0.65, 1.0, 0.0);
      piston.velocity[0] = 0.1*way;
      add(f, piston);
      put(f, perp_fluid_box(0.5, 0.5, 0.0, 0.5, 0.5, 0.0));
      const perp_fluid_report r = step(f);
      assert_int_equal(r.components, 1);
      const int opens = walls == PERP_WALLS_SEPARATING && way < 0;
      assert_int_equal(r.unsolved, opens ? 0 : 1);
      assert_int_equal(r.worst_status, opens ? PERP_STATUS_SOLVED : PERP_STATUS_INFEASIBLE);
      if (opens) assert_true(r.separating > 0);
      // what the wall sweeps is taken from all cells alike: 0.1 x 1 of an area of 0.85 in a second
      else if (walls == PERP_WALLS_SLIP)
        close_to("compression", r.divergence, 0.1/0.85, 0.1*0.1/0.85);
      for (int k = 0; k < 5; k++) step(f);
      const perp_fluid_state t = look(f);
      below("speed", fastest(f), 2.0);
      for (int32_t c = 0; c < f->cells; c++) assert_true(isfinite(t.pressure[c]));
      perp_fluid_destroy(f);
    }
}

// The k-th allocation fails, for all k: the step is not made and says so, or it is infeasible as ever.
// The check whether there is a pressure asks the allocator of the fluid, too.
static void a_squeezed_container_is_infeasible_or_lacks_memory(void **unused) {
  (void)unused;
  int checks = 0, others = 0;
  for (int64_t k = 1;; k++) {
    counter c = {0};
    const perp_allocator from = {counted_allocate, counted_release, &c};
    const perp_fluid_settings s = perp_fluid_defaults(2, 16, 16, 1);
    perp_fluid *f = NULL;
    if (perp_fluid_create(&s, &from, &f) != PERP_OK) fail_msg("%s", perp_last_message());
    perp_fluid_shape piston = perp_fluid_box(-0.5, 0.5, 0.0, 0.65, 1.0, 0.0);
    piston.velocity[0] = 0.1;
    add(f, piston);
    put(f, perp_fluid_box(0.5, 0.5, 0.0, 0.5, 0.5, 0.0));
    c.fail_at = c.requests + k;
    perp_fluid_report r;
    const perp_error error = perp_fluid_step(f, &r);
    const int over = c.requests < c.fail_at;
    if (error == PERP_OK) {
      assert_int_equal(r.worst_status, PERP_STATUS_INFEASIBLE);
    } else {
      assert_int_equal(error, PERP_ERROR_MEMORY);
      if (strstr(perp_last_message(), "perp_check_farkas: no memory") != NULL) checks++;
      else others++;
      assert_int_equal(step(f).worst_status, PERP_STATUS_INFEASIBLE);   // with memory
    }
    perp_fluid_destroy(f);
    assert_int_equal(c.live, 0);
    if (over) break;
  }
  assert_true(checks >= 2 && others > 0);
}

// A wall that presses by less than the tolerance proves nothing, and nothing is certified of the
// liquid as it is.
static void a_press_within_the_tolerance_is_not_called_infeasible(void **unused) {
  (void)unused;
  for (int walls = PERP_WALLS_SLIP; walls < PERP_WALLS_COUNT; walls++) {
    perp_fluid_settings s = perp_fluid_defaults(2, 16, 16, 1);
    s.walls = walls;
    perp_fluid *f = fluid_with(&s);
    perp_fluid_shape piston = perp_fluid_box(-0.5, 0.5, 0.0, 0.65, 1.0, 0.0);
    piston.velocity[0] = 1e-10;
    add(f, piston);
    put(f, perp_fluid_box(0.5, 0.5, 0.0, 0.5, 0.5, 0.0));
    const perp_fluid_report r = step(f);
    assert_int_equal(r.unsolved, 1);
    assert_int_equal(r.worst_status, PERP_STATUS_UNSOLVED);
    perp_fluid_destroy(f);
  }
}

// Where walls can let go the sum of b is not below 0, rounding included: below is no solution.
static void full_tanks_that_churn_have_solutions(void **unused) {
  (void)unused;
  for (int k = 0; k < 12; k++) {
    perp_fluid_settings s = perp_fluid_defaults(2, 16 + k, 16 + k, 1);
    perp_fluid *f = fluid_with(&s);
    perp_fluid_shape all = perp_fluid_box(0.5, 0.5, 0.0, 1.0, 1.0, 0.0);
    all.position[0] = 0.3 + 0.05*k;   // about which it turns
    all.spin[2] = 1.0 + 0.1*k;
    put(f, all);
    assert_int_equal(step(f).unsolved, 0);
    perp_problem problem;
    assert_int_equal(perp_fluid_problem(f, &problem, NULL), PERP_OK);
    assert_int_equal(f->report.liquid, f->cells);
    long double sum = 0.0L, size = 0.0L;
    for (int32_t c = 0; c < f->cells; c++) sum += problem.b[c], size += fabs(problem.b[c]);
    assert_true(sum > 0.0L && sum < 1e-11L*size);
    perp_fluid_destroy(f);
  }
}

// What keeps the volume of a pool is not asked of a full chamber beside it, which cannot give it.
static void compensation_leaves_full_chambers_alone(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 24, 24, 1);
  s.walls = PERP_WALLS_SLIP;
  s.compensate = 1;
  perp_fluid *f = fluid_with(&s);
  add(f, perp_fluid_box(0.5, 0.5, 0.0, 2.0/24, 0.6, 0.0));
  put(f, perp_fluid_box(0.2, 0.5, 0.0, 0.3, 0.5, 0.0));
  put(f, perp_fluid_sphere(0.8, 0.2, 0.0, 0.17));
  for (int k = 0; k < 5; k++) {
    const perp_fluid_report r = step(f);
    assert_int_equal(r.unsolved, 0);
    assert_int_equal(r.components, 2);
    assert_true(f->correction != 0.0);
  }
  perp_fluid_destroy(f);
}

// A full tank that begins to move takes its liquid along: what its walls sweep sums to 0 but for
// rounding, and nothing in it moves yet that rounding could be measured by.
static void a_full_tank_takes_its_liquid_along(void **unused) {
  (void)unused;
  for (int walls = PERP_WALLS_SLIP; walls < PERP_WALLS_COUNT; walls++)
    for (int round = 0; round < 2; round++)
      for (int turns = 0; turns < 2; turns++) {
        perp_fluid_settings s = perp_fluid_defaults(2, 20, 20, 1);
        s.walls = walls;
        s.gravity[1] = 0.0;
        perp_fluid *f = fluid_with(&s);
        perp_fluid_shape tank = round ? perp_fluid_sphere(0.5, 0.5, 0.0, 0.313)
                                      : perp_fluid_box(0.5, 0.5, 0.0, 0.313, 0.287, 0.0);
        tank.outside = 1;
        tank.velocity[0] = turns ? 0.0 : 0.3;
        tank.velocity[1] = turns ? 0.0 : 0.17;
        tank.spin[2] = turns;
        add(f, tank);
        put(f, perp_fluid_box(0.5, 0.5, 0.0, 0.5, 0.5, 0.0));
        const perp_fluid_report r = step(f);
        assert_int_equal(r.components, 1);
        assert_int_equal(r.worst_status, PERP_STATUS_SOLVED);
        assert_int_equal(r.unsolved, 0);
        for (int a = 0; a < 2 && !turns; a++)
          close_to("momentum", r.momentum[a], s.density*r.poured*tank.velocity[a],
                   1e-6*s.density*r.poured);
        perp_fluid_destroy(f);
      }
}

// ---- bad input ----

static void pull_hard(void *context, const double x[3], double t, double acceleration[3]) {
  (void)t;
  const double *value = context;
  acceleration[1] = x[0] > 0.4 ? *value : 0.0;
}

static void bad_input_is_answered(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 16, 16, 1);
  perp_fluid *f = fluid_with(&s);
  // solid everywhere
  add(f, perp_fluid_box(0.5, 0.5, 0.0, 2.0, 2.0, 0.0));
  assert_int_equal(put(f, perp_fluid_box(0.5, 0.5, 0.0, 0.2, 0.2, 0.0)), 0);
  perp_fluid_report r = step(f);
  assert_int_equal(r.liquid, 0);
  assert_int_equal(r.unsolved, 0);
  perp_fluid_destroy(f);
  // nothing at all; one cell; one row
  for (int32_t n = 1; n < 4; n++)
    for (int full = 0; full < 2; full++) {
      perp_fluid_settings small = perp_fluid_defaults(2, n, 1, 1);
      f = fluid_with(&small);
      if (full) put(f, perp_fluid_box(0.5, 0.5, 0.0, 2.0, 2.0, 0.0));
      r = step(f);
      assert_int_equal(r.unsolved, 0);
      perp_fluid_destroy(f);
    }
  // velocities and forces that are no numbers
  f = fluid_with(&s);
  perp_fluid_shape block = perp_fluid_box(0.5, 0.3, 0.0, 0.3, 0.3, 0.0);
  block.velocity[0] = (double)NAN;
  assert_int_equal(perp_fluid_pour(f, &block, NULL), PERP_ERROR_ARGUMENT);
  assert_non_null(strstr(perp_last_message(), "velocity"));
  perp_fluid_destroy(f);
  double value = (double)NAN;
  s.force = pull_hard, s.context = &value;
  f = fluid_with(&s);
  block.velocity[0] = 0.0;
  put(f, block);
  assert_int_not_equal(perp_fluid_step(f, &r), PERP_OK);
  assert_non_null(strstr(perp_last_message(), "force"));
  value = 0.0;
  step(f);   // it is as if nothing had happened
  perp_fluid_destroy(f);
  // huge but finite: more substeps than there are
  value = 1e9;
  f = fluid_with(&s);
  put(f, block);
  for (int k = 0; k < 3; k++)
    if (perp_fluid_step(f, &r) != PERP_OK) assert_true(strlen(perp_last_message()) > 10);
  const perp_fluid_state t = look(f);
  for (int64_t p = 0; p < t.particles; p++)
    assert_true(t.x[0][p] >= 0.0 && t.x[0][p] <= 1.0 && t.x[1][p] >= 0.0 && t.x[1][p] <= 1.0);
  perp_fluid_destroy(f);
  // grids and steps that cannot be
  s.force = NULL;
  perp_fluid *none = NULL;
  for (int k = 0; k < 7; k++) {
    perp_fluid_settings bad = s;
    if (k == 0) bad.cells[0] = 0;
    if (k == 1) bad.cells[1] = -3;
    if (k == 2) bad.cells[2] = 2;
    if (k == 3) bad.cfl = 0.0;
    if (k == 4) bad.cfl = (double)NAN;
    if (k == 5) bad.spacing = -1.0;
    if (k == 6) bad.gravity[1] = (double)INFINITY;
    assert_int_equal(perp_fluid_create(&bad, NULL, &none), PERP_ERROR_ARGUMENT);
    assert_null(none);
    assert_true(strlen(perp_last_message()) > 10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(symmetric_scenes_stay_symmetric),
    cmocka_unit_test(one_cell_thick_is_two_dimensions),
    cmocka_unit_test(threads_do_not_change_a_bit),
    cmocka_unit_test(liquid_at_rest_is_not_taken_for_slow),
    cmocka_unit_test(liquid_swells_as_it_is_told),
    cmocka_unit_test(cut_cells_swell_by_their_room),
    cmocka_unit_test(a_piston_lifts_what_it_sweeps),
    cmocka_unit_test(liquid_ahead_of_a_wall_moves_with_it),
    cmocka_unit_test(thin_plates_have_their_own_velocity),
    cmocka_unit_test(full_containers_rest),
    cmocka_unit_test(a_squeezed_container_is_infeasible_and_goes_on),
    cmocka_unit_test(a_squeezed_container_is_infeasible_or_lacks_memory),
    cmocka_unit_test(a_press_within_the_tolerance_is_not_called_infeasible),
    cmocka_unit_test(full_tanks_that_churn_have_solutions),
    cmocka_unit_test(compensation_leaves_full_chambers_alone),
    cmocka_unit_test(a_full_tank_takes_its_liquid_along),
    cmocka_unit_test(bad_input_is_answered)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
