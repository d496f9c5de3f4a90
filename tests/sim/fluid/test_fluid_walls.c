// test_fluid_walls.c: what holds at walls and inside, whatever the scene: rest, divergence,
// complementarity, letting go. Everything is computed again from velocities and distances.
#include "fluid_support.h"

#define GRAVITY 9.81

static perp_fluid *scene(int dimension, int32_t n, int walls, uint64_t seed) {
  perp_fluid_settings s = perp_fluid_defaults(dimension, n, n, n);
  s.walls = walls;
  s.seed = seed;
  perp_options options = perp_default_options(NULL);
  options.tol = 1e-10;
  s.options = &options;
  return fluid_with(&s);
}

// ---- rest ----

// Pressure against density g depth, the depth below the zero of the distance; rest to rounding.
static void check_rest(perp_fluid *f, double top, int steps) {
  const int32_t *n = f->n;
  for (int k = 0; k < steps; k++) {
    const perp_fluid_report r = step(f);
    assert_int_equal(r.unsolved, 0);
    assert_int_equal(r.separating, 0);
  }
  const perp_fluid_state s = look(f);
  below("speed", fastest(f), 1e-9);
  const double bottom = f->settings.density*GRAVITY*top;
  int liquid = 0;
  for (int32_t k = 0; k < n[2]; k++)
    for (int32_t i = 0; i < n[0]; i++) {
      int32_t j = n[1] - 1;
      while (j >= 0 && s.type[(k*n[1] + j)*n[0] + i] != PERP_CELL_LIQUID) j--;
      const int32_t c = (k*n[1] + j)*n[0] + i;
      if (j < 0) continue;   // within the wall
      assert_true(j < n[1] - 1);
      const double a = s.surface[c], b = s.surface[c + n[0]];
      const double surface = (j + 0.5 + a/(a - b))*s.spacing;
      close_to("surface", surface, top, 0.06*s.spacing);
      for (; j >= 0; j--) {
        const int32_t d = (k*n[1] + j)*n[0] + i;
        if (s.type[d] != PERP_CELL_LIQUID) continue;
        const double depth = surface - (j + 0.5)*s.spacing;
        close_to("pressure", s.pressure[d], f->settings.density*GRAVITY*depth, 1e-8*bottom);
        liquid++;
      }
    }
  assert_int_equal(liquid, f->report.liquid);
}

static void a_column_at_rest_stays_at_rest(void **unused) {
  (void)unused;
  for (int walls = 0; walls < PERP_WALLS_COUNT; walls++)
    for (int dimension = 2; dimension <= 3; dimension++)
      for (int solids = 0; solids < 2; solids++) {
        perp_fluid *f = scene(dimension, dimension == 3 ? 10 : 24, walls, 0);
        if (solids) {
          add(f, perp_fluid_sphere(0.47, 0.23, 0.52, 0.13));
          // a wall that cuts cells in halves, so that its mirror continues rows of particles
          const double h = f->h, x = dimension == 3 ? 7.75*h : 19.75*h;
          add(f, perp_fluid_box(x, 0.5, 0.0, 1.75*h, 0.7, 0.0));
        }
        const double top = dimension == 3 ? 0.6 : 14.0/24.0;
        put(f, perp_fluid_box(0.5, 0.5*top, 0.5, 0.5, 0.5*top, 0.5));
        check_rest(f, top, 5);
        perp_fluid_destroy(f);
      }
}

// Particles that lie anywhere in their quarters of cells make a surface that is level but for a
// tenth of a cell, and the waves of such a height.
static void a_column_in_disorder_hardly_moves(void **unused) {
  (void)unused;
  for (int walls = is_brief() ? PERP_WALLS_SEPARATING : 0; walls < PERP_WALLS_COUNT; walls++) {
    perp_fluid *f = scene(2, 24, walls, 7);
    put(f, perp_fluid_box(0.5, 0.25, 0.0, 0.5, 0.25, 0.0));
    perp_fluid_state s = look(f);
    const double before = mean_of(s.x[1], s.particles);
    perp_fluid_report r = {0};
    for (int k = 0; k < 60; k++) r = step(f);
    s = look(f);
    close_to("centre of mass", mean_of(s.x[1], s.particles), before, 0.1*f->h);
    below("kinetic energy", r.kinetic, 0.5*f->settings.density*r.poured*GRAVITY*0.2*f->h);
    close_to("volume", r.volume, r.poured, 0.03*r.poured);
    perp_fluid_destroy(f);
  }
}

// ---- divergence and complementarity ----

static double open_edge(double a, double b) {   // part of an edge with distances a, b that is > 0
  double part = a > 0.0 ? b > 0.0 ? 1.0 : a/(a - b) : b > 0.0 ? b/(b - a) : 0.0;
  return part < 0.01 ? 0.0 : part;
}

typedef struct tally { int inside, equations, pressing, parting; } tally;

// Flows through the sides of each liquid cell of a plane scene; solids at rest.
static tally check_cells(const perp_fluid *f) {
  const perp_fluid_state s = look(f);
  const int32_t nx = s.cells[0], ny = s.cells[1];
  const double h = s.spacing;
  perp_problem problem;
  const double *x;
  assert_int_equal(perp_fluid_problem(f, &problem, &x), PERP_OK);
  double largest = 0.0, highest = 0.0;
  for (int32_t c = 0; c < nx*ny; c++) {
    largest = fmax(largest, fabs(problem.b[c])), highest = fmax(highest, fabs(s.pressure[c]));
    if (s.type[c] != PERP_CELL_LIQUID) assert_true(s.pressure[c] == 0.0);
  }
  // 1e-10 is the tolerance of the solve, relative to the largest b
  const double limit = 1e-9*largest*f->dt/f->settings.density + 1e-12*f->report.courant*h/f->dt;
  tally t = {0};
  for (int32_t j = 0; j < ny; j++)
    for (int32_t i = 0; i < nx; i++) {
      const int32_t c = j*nx + i;
      if (s.type[c] != PERP_CELL_LIQUID) continue;
      const double *d = s.solid + j*(nx + 1) + i;   // corners
      const double left = i == 0 ? 0.0 : open_edge(d[0], d[nx + 1]);
      const double right = i == nx - 1 ? 0.0 : open_edge(d[1], d[nx + 2]);
      const double low = j == 0 ? 0.0 : open_edge(d[0], d[1]);
      const double high = j == ny - 1 ? 0.0 : open_edge(d[nx + 1], d[nx + 2]);
      const double flow = right*s.u[0][j*(nx + 1) + i + 1] - left*s.u[0][j*(nx + 1) + i] +
                          high*s.u[1][(j + 1)*nx + i] - low*s.u[1][j*nx + i];
      const int wall = left < 1.0 || right < 1.0 || low < 1.0 || high < 1.0;
      if (!wall) t.inside++;
      if (!wall || f->settings.walls != PERP_WALLS_SEPARATING) {
        close_to("divergence", flow/h, 0.0, limit);
        t.equations++;
        assert_int_equal(s.separating[c], 0);
        continue;
      }
      assert_true(s.pressure[c] >= 0.0);
      assert_true(flow/h >= -limit);
      if (flow/h > limit) below("pressure where the wall is left", s.pressure[c], 1e-9*highest);
      if (s.pressure[c] > 1e-9*highest) close_to("divergence at a wall", flow/h, 0.0, limit);
      if (s.separating[c]) assert_true(flow > 0.0 && s.pressure[c] == 0.0);
      t.parting += flow/h > limit;
      t.pressing += s.pressure[c] > 1e-9*highest;
    }
  return t;
}

static void nothing_flows_together_and_walls_only_press(void **unused) {
  (void)unused;
  for (int walls = is_brief() ? PERP_WALLS_SEPARATING : 0; walls < PERP_WALLS_COUNT; walls++)
    for (int which = 0; which < 3; which++) {
      perp_fluid *f = scene(2, 32, walls, 3);
      if (which == 0) {   // a block falls on discs
        add(f, perp_fluid_sphere(0.41, 0.33, 0.0, 0.12));
        add(f, perp_fluid_sphere(0.7, 0.28, 0.0, 0.09));
        put(f, perp_fluid_box(0.5, 0.66, 0.0, 0.2, 0.2, 0.0));
      } else if (which == 1) {   // a dam breaks onto a slope
        add(f, perp_fluid_plane(0.8, 0.0, 0.0, -1.0, 1.0, 0.0));
        put(f, perp_fluid_box(0.2, 0.3, 0.0, 0.2, 0.3, 0.0));
      } else {   // a round tank
        perp_fluid_shape tank = perp_fluid_sphere(0.5, 0.5, 0.0, 0.46);
        tank.outside = 1;
        add(f, tank);
        put(f, perp_fluid_box(0.3, 0.6, 0.0, 0.3, 0.35, 0.0));
      }
      tally all = {0};
      for (int k = 0; k < 40; k++) {
        const perp_fluid_report r = step(f);
        assert_int_equal(r.unsolved, 0);
        const tally t = check_cells(f);
        all.inside += t.inside, all.equations += t.equations;
        all.pressing += t.pressing, all.parting += t.parting;
      }
      assert_true(all.inside > 2000);   // there was something to see
      if (walls == PERP_WALLS_SEPARATING) assert_true(all.pressing > 200 && all.parting > 20);
      else assert_true(all.equations > all.inside);
      perp_fluid_destroy(f);
    }
}

// The part of a face with these distances at its corners that is > 0, by cutting the four triangles
// about its middle.
static double open_face(const double corner[4]) {
  static const double at[4][2] = {{0.0, 0.0}, {1.0, 0.0}, {1.0, 1.0}, {0.0, 1.0}};
  const double middle = 0.25*(corner[0] + corner[1] + corner[2] + corner[3]);
  double area = 0.0;
  for (int t = 0; t < 4; t++) {
    const int u = (t + 1)%4;
    const double p[3][3] = {{0.5, 0.5, middle}, {at[t][0], at[t][1], corner[t]},
                            {at[u][0], at[u][1], corner[u]}};
    double kept[4][2];
    int count = 0;
    for (int k = 0; k < 3; k++) {
      const double *a = p[k], *b = p[(k + 1)%3];
      if (a[2] > 0.0) kept[count][0] = a[0], kept[count++][1] = a[1];
      if ((a[2] > 0.0) == (b[2] > 0.0)) continue;
      const double way = a[2]/(a[2] - b[2]);
      for (int d = 0; d < 2; d++) kept[count][d] = a[d] + way*(b[d] - a[d]);
      count++;
    }
    for (int k = 0; k < count; k++) {
      const double *a = kept[k], *b = kept[(k + 1)%count];
      area += 0.5*(a[0]*b[1] - a[1]*b[0]);
    }
  }
  return area < 0.01 ? 0.0 : area > 1.0 - 1e-12 ? 1.0 : area;
}

// What leaves cell `at` through its face across a: liquid through the open part, the solid's own
// velocity where that is.
static double leaves(const perp_fluid *f, const int32_t at[3], int a, int up, double *open) {
  const perp_fluid_state s = look(f);
  perp_fluid_shape solid;
  assert_int_equal(perp_fluid_read_solid(f, 0, &solid), PERP_OK);
  const int deep = f->dimension == 3, b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
  const int32_t nx = s.cells[0], ny = s.cells[1];
  int32_t place[3] = {at[0], at[1], at[2]};
  place[a] += up;
  double corner[4], x[3], v[3], side = INF, far = 0.0;
  for (int k = 0; k < 4; k++) {
    int32_t p[3] = {place[0], place[1], place[2]};
    p[b] += k == 1 || k == 2;
    p[c] += deep && k > 1;
    corner[k] = s.solid[((size_t)p[2]*(size_t)(ny + 1) + (size_t)p[1])*(size_t)(nx + 1) +
                        (size_t)p[0]];
  }
  *open = deep ? open_face(corner) : open_edge(corner[0], corner[1]);
  if (place[a] == 0 || place[a] == s.cells[a]) *open = 0.0;
  for (int d = 0; d < 3; d++) {
    x[d] = d == 2 && !deep ? 0.0 : (place[d] + (d == a ? 0.0 : 0.5))*s.spacing;
    if (d < f->dimension) side = fmin(side, fmin(x[d], s.cells[d]*s.spacing - x[d]));
    far += (x[d] - solid.position[d])*(x[d] - solid.position[d]);
  }
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1)%3, g = (d + 2)%3;
    v[d] = solid.velocity[d] + solid.spin[e]*(x[g] - solid.position[g]) -
           solid.spin[g]*(x[e] - solid.position[e]);
  }
  const double wall = sqrt(far) - solid.extent[0] < side ? v[a] : 0.0;
  const double u = s.u[a][(place[2]*(ny + (a == 1)) + place[1])*(nx + (a == 0)) + place[0]];
  return (up ? 1.0 : -1.0)*(*open*u + (1.0 - *open)*wall);
}

// A ball that flies and turns through liquid: what its surface sweeps is pushed away ahead of it,
// and let go behind.
static void walls_that_move_only_press(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int walls = PERP_WALLS_SLIP; walls < PERP_WALLS_COUNT; walls++) {
      perp_fluid *f = scene(dimension, dimension == 3 ? 12 : 32, walls, 3);
      perp_fluid_shape ball = perp_fluid_sphere(0.31, 0.27, dimension == 3 ? 0.53 : 0.0, 0.17);
      ball.velocity[0] = 1.3, ball.velocity[1] = 0.4, ball.spin[2] = 3.0;
      if (dimension == 3) ball.velocity[2] = -0.3, ball.spin[0] = 2.0;
      add(f, ball);
      put(f, perp_fluid_box(0.5, 0.25, 0.5, 0.5, 0.25, 0.5));
      int pressing = 0, parting = 0, moving = 0;
      for (int k = 0; k < 8; k++) {
        assert_int_equal(step(f).unsolved, 0);
        const perp_fluid_state s = look(f);
        perp_problem problem;
        assert_int_equal(perp_fluid_problem(f, &problem, NULL), PERP_OK);
        double largest = 0.0, highest = 0.0;
        for (int32_t c = 0; c < f->cells; c++) {
          largest = fmax(largest, fabs(problem.b[c]));
          highest = fmax(highest, fabs(s.pressure[c]));
        }
        const double limit = 1e-9*largest*f->dt/f->settings.density;
        for (int32_t c = 0; c < f->cells; c++) {
          if (s.type[c] != PERP_CELL_LIQUID) continue;
          const int32_t at[3] = {c%f->n[0], c/f->n[0]%f->n[1], c/f->n[0]/f->n[1]};
          double flow = 0.0, open;
          int wall = 0, cut = 0;
          for (int a = 0; a < 2*dimension; a++) {
            flow += leaves(f, at, a/2, a%2, &open);
            wall |= open < 1.0, cut |= open > 0.0 && open < 1.0;
          }
          flow /= f->h;
          moving += cut;
          if (!wall || walls == PERP_WALLS_SLIP) {
            close_to("divergence", flow, 0.0, limit);
            continue;
          }
          assert_true(s.pressure[c] >= 0.0 && flow >= -limit);
          if (flow > limit) below("pressure where the wall is left", s.pressure[c], 1e-9*highest);
          pressing += s.pressure[c] > 1e-9*highest;
          parting += flow > limit;
        }
      }
      assert_true(moving > 100);
      if (walls == PERP_WALLS_SEPARATING) assert_true(pressing > 100 && parting > 10);
      perp_fluid_destroy(f);
    }
}

// With all cells complementary nowhere is suction, inside neither.
static void every_cell_presses_if_asked(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 32, 32, 1);
  s.every_cell = 1;
  perp_fluid *f = fluid_with(&s);
  perp_fluid_shape stretched = perp_fluid_box(0.5, 0.5, 0.0, 0.25, 0.25, 0.0);
  stretched.spin[2] = 6.0;   // turns: p < 0 in the middle of what is held together
  put(f, stretched);
  const perp_fluid_report r = step(f);
  assert_int_equal(r.complementary, r.liquid);
  const perp_fluid_state state = look(f);
  for (int32_t c = 0; c < f->cells; c++) assert_true(state.pressure[c] >= 0.0);
  assert_int_equal(r.separating, 0);   // what opens does so far from any wall
  perp_fluid_destroy(f);
  s.every_cell = 0;
  f = fluid_with(&s);
  put(f, stretched);
  step(f);
  double least = 0.0;
  for (int32_t c = 0; c < f->cells; c++) least = fmin(least, look(f).pressure[c]);
  assert_true(least < 0.0);   // away from walls liquid holds together
  perp_fluid_destroy(f);
}

// ---- weights and right sides ----

// The surface is theta of the way from a liquid cell to one of air: 1/theta, and 100 at most.
static void the_surface_makes_steep_slopes_but_not_too_steep(void **unused) {
  (void)unused;
  perp_fluid *f = scene(2, 8, PERP_WALLS_SEPARATING, 0);
  put(f, perp_fluid_box(0.5, 0.25, 0.0, 0.5, 0.25, 0.0));
  step(f);
  static const double below_centre[] = {0.5, 0.25, 0.02, 1e-3, 1e-9};
  for (int k = 0; k < 5; k++) {
    f->surface[3*8 + k + 1] = -below_centre[k]*f->h;
    f->surface[4*8 + k + 1] = (1.0 - below_centre[k])*f->h;
  }
  assert_int_equal(fluid_assemble(f), PERP_OK);
  for (int k = 0; k < 5; k++) {
    assert_int_equal(f->type[3*8 + k + 1], PERP_CELL_LIQUID);
    assert_int_equal(f->type[4*8 + k + 1], PERP_CELL_AIR);
    close_to("weight towards air", f->weight[1][4*8 + k + 1], 1.0/fmax(below_centre[k], 0.01),
             1e-10);
    close_to("weight in the liquid", f->weight[1][3*8 + k + 1], 1.0, 0.0);
  }
  perp_fluid_destroy(f);
}

// Liquid that flies all at one speed has no divergence but rounding: that asks for no pressure.
static void free_flight_asks_for_nothing(void **unused) {
  (void)unused;
  perp_fluid *f = scene(2, 24, PERP_WALLS_SEPARATING, 5);
  perp_fluid_shape drop = perp_fluid_sphere(0.4, 0.6, 0.0, 0.15);
  drop.velocity[0] = 0.37, drop.velocity[1] = -0.11;
  put(f, drop);
  for (int k = 0; k < 5; k++) {
    step(f);
    perp_problem problem;
    assert_int_equal(perp_fluid_problem(f, &problem, NULL), PERP_OK);
    for (int32_t c = 0; c < f->cells; c++) assert_true(problem.b[c] == 0.0);
  }
  assert_true(f->report.liquid > 20);
  perp_fluid_destroy(f);
}

// ---- letting go ----

static void liquid_under_a_ceiling_falls_or_hangs(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int solid = 0; solid < 2; solid++)   // the side of the grid, or a solid across the cells
      for (int walls = PERP_WALLS_SLIP; walls <= PERP_WALLS_SEPARATING; walls++) {
        const int32_t n = dimension == 3 ? 12 : 24;
        perp_fluid *f = scene(dimension, n, walls, 0);
        const double ceiling = solid ? 10.6/12.0 : 1.0;
        if (solid) add(f, perp_fluid_box(0.5, ceiling + 0.5, 0.5, 2.0, 0.5, 0.0));
        put(f, perp_fluid_box(0.5, ceiling - 0.125, 0.5, 0.6, 0.125, 0.6));
        perp_fluid_state s = look(f);
        const double before = mean_of(s.x[1], s.particles), top = largest_of(s.x[1], s.particles);
        const int steps = 15;
        perp_fluid_report r = {0};
        for (int k = 0; k < steps; k++) {
          r = step(f);
          if (k == 0) {
            // the first pressure: none at all, or suction of the whole weight
            double least = 0.0, most = 0.0;
            s = look(f);
            for (int32_t c = 0; c < f->cells; c++)
              least = fmin(least, s.pressure[c]), most = fmax(most, s.pressure[c]);
            const double weight = f->settings.density*GRAVITY*0.25;
            if (walls == PERP_WALLS_SLIP) close_to("suction", -least, weight, 0.25*weight);
            else close_to("pressure", fmax(most, -least), 0.0, 1e-6*weight);
            assert_true(walls == PERP_WALLS_SLIP ? r.separating == 0 : r.separating >= n);
          }
        }
        s = look(f);
        const double t = steps/60.0, fall = 0.5*GRAVITY*t*t;   // 0.31 in a quarter of a second
        const double fallen = before - mean_of(s.x[1], s.particles);
        const double top_fallen = top - largest_of(s.x[1], s.particles);
        if (walls == PERP_WALLS_SEPARATING) {
          // places lag by g t dt/2, dt the length of substeps: at most 1/15 of the fall
          close_to("fall of the centre", fallen, fall, 0.1*fall);
          close_to("fall of the top", top_fallen, fall, 0.1*fall);
        } else {
          below("fall of the centre that hangs", fabs(fallen), 0.01*fall);
          below("fall of the top that hangs", fabs(top_fallen), 0.01*fall);
        }
        perp_fluid_destroy(f);
      }
}

// Liquid that flies past a wall it touches: no slip holds it, slip lets it pass, and neither does
// it enter the wall.
static void no_slip_holds_what_slip_lets_pass(void **unused) {
  (void)unused;
  double speed[PERP_WALLS_COUNT];
  for (int walls = 0; walls < PERP_WALLS_COUNT; walls++) {
    perp_fluid_settings s = perp_fluid_defaults(2, 24, 24, 1);
    s.walls = walls;
    s.gravity[1] = 0.0;
    perp_fluid *f = fluid_with(&s);
    perp_fluid_shape block = perp_fluid_box(0.2, 0.125, 0.0, 0.1, 0.125, 0.0);
    block.velocity[0] = 1.0;
    put(f, block);
    for (int k = 0; k < 6; k++) step(f);
    const perp_fluid_state t = look(f);
    double sum = 0.0;
    int count = 0;
    for (int64_t p = 0; p < t.particles; p++) {
      if (t.x[1][p] > f->h) continue;
      sum += t.v[0][p], count++;
    }
    assert_true(count > 5);
    speed[walls] = sum/count;
    perp_fluid_destroy(f);
  }
  close_to("slip", speed[PERP_WALLS_SLIP], 1.0, 1e-6);
  close_to("separating", speed[PERP_WALLS_SEPARATING], 1.0, 1e-6);
  below("no slip", speed[PERP_WALLS_NO_SLIP], 0.5);
}

// A full round tank that turns without weight goes on turning unless its wall holds it. Faces
// behind a slanted wall with the wall's velocity in all components would be a brake: 0.70.
static void a_round_wall_that_slips_is_no_brake(void **unused) {
  (void)unused;
  double kept[PERP_WALLS_COUNT];
  for (int walls = 0; walls < PERP_WALLS_COUNT; walls++) {
    perp_fluid_settings s = perp_fluid_defaults(2, 32, 32, 1);
    s.walls = walls;
    s.gravity[1] = 0.0;
    perp_fluid *f = fluid_with(&s);
    perp_fluid_shape tank = perp_fluid_sphere(0.5, 0.5, 0.0, 0.45), all = tank;
    tank.outside = 1;
    add(f, tank);
    all.spin[2] = 3.0;
    put(f, all);
    const double first = step(f).kinetic;
    for (int k = 0; k < 58; k++) step(f);
    const perp_fluid_report r = step(f);
    kept[walls] = r.kinetic/first;
    assert_int_equal(r.unsolved, 0);
    assert_int_equal(r.separating, 0);
    perp_fluid_destroy(f);
  }
  assert_true(kept[PERP_WALLS_SLIP] > 0.82 && kept[PERP_WALLS_SEPARATING] > 0.82);
  assert_true(kept[PERP_WALLS_NO_SLIP] < 0.7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_column_at_rest_stays_at_rest),
    cmocka_unit_test(a_column_in_disorder_hardly_moves),
    cmocka_unit_test(nothing_flows_together_and_walls_only_press),
    cmocka_unit_test(walls_that_move_only_press),
    cmocka_unit_test(every_cell_presses_if_asked),
    cmocka_unit_test(the_surface_makes_steep_slopes_but_not_too_steep),
    cmocka_unit_test(free_flight_asks_for_nothing),
    cmocka_unit_test(liquid_under_a_ceiling_falls_or_hangs),
    cmocka_unit_test(no_slip_holds_what_slip_lets_pass),
    cmocka_unit_test(a_round_wall_that_slips_is_no_brake)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
