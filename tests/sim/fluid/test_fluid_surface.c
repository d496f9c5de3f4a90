// test_fluid_surface.c: what solids leave open and where the surface of the liquid is, against
// formulas and against clipping polygons.
// labels: long
#include "fluid_support.h"

static double level, radius, centre[3], normal[3];

static int under(const double *x) { return x[1] < level; }
static int in_half_space(const double *x) {
  return normal[0]*x[0] + normal[1]*x[1] + normal[2]*x[2] < level;
}
static int in_ball(const double *x) {
  double s = 0.0;
  for (int a = 0; a < 3; a++) s += (x[a] - centre[a])*(x[a] - centre[a]);
  return s < radius*radius;
}
static int anywhere(const double *x) {
  (void)x;
  return 1;
}

static void turn(double *n, int dimension) {   // a random direction
  double s = 0.0;
  for (int a = 0; a < 3; a++) n[a] = a < dimension ? between(-1.0, 1.0) : 0.0, s += n[a]*n[a];
  for (int a = 0; a < 3; a++) n[a] /= sqrt(s);
}

static int32_t face_at(const perp_fluid *f, int a, int32_t i, int32_t j, int32_t k) {
  return (k*(f->n[1] + (a == 1)) + j)*(f->n[0] + (a == 0)) + i;
}

// ---- solids ----

// The part of the polygon with corners p where g < 0, g linear: Sutherland and Hodgman; its area.
static double clipped(double p[][2], int count, const double g[3]) {
  double q[16][2];
  int left = 0;
  for (int i = 0; i < count; i++) {
    const double *a = p[i], *b = p[(i + 1)%count];
    const double u = g[0] + g[1]*a[0] + g[2]*a[1], v = g[0] + g[1]*b[0] + g[2]*b[1];
    if (u < 0.0) q[left][0] = a[0], q[left++][1] = a[1];
    if ((u < 0.0) != (v < 0.0)) {
      const double t = u/(u - v);
      q[left][0] = a[0] + t*(b[0] - a[0]), q[left++][1] = a[1] + t*(b[1] - a[1]);
    }
  }
  double area = 0.0;
  for (int i = 0; i < left; i++) {
    const double *a = q[i], *b = q[(i + 1)%left];
    area += 0.5*(a[0]*b[1] - a[1]*b[0]);
  }
  return area;
}

static double open_of_plane(const double *corner, double h, int a, int dimension) {
  // outside of the solid normal.x < level: g = level - normal.x < 0
  const int b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
  double g[3] = {level, -normal[b]*h, dimension == 3 ? -normal[c]*h : 0.0};
  for (int d = 0; d < dimension; d++) g[0] -= normal[d]*corner[d];
  double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  return clipped(square, 4, g);
}

static void planes_cut_faces_exactly(void **unused) {
  (void)unused;
  for (int trial = 0; trial < often(40); trial++) {
    const int dimension = 2 + trial%2;
    perp_fluid_settings s = perp_fluid_defaults(dimension, 6, 5, 4);
    perp_fluid *f = fluid_with(&s);
    turn(normal, dimension);
    level = 0.0;
    for (int a = 0; a < dimension; a++) level += normal[a]*f->n[a]*f->h*between(0.3, 0.7);
    add(f, perp_fluid_plane(level*normal[0], level*normal[1], level*normal[2], 3*normal[0],
                            3*normal[1], 3*normal[2]));
    for (int a = 0; a < dimension; a++)
      for (int32_t k = 0; k < f->n[2] + (a == 2); k++)
        for (int32_t j = 0; j < f->n[1] + (a == 1); j++)
          for (int32_t i = 0; i < f->n[0] + (a == 0); i++) {
            const int32_t place[3] = {i, j, k};
            const double corner[3] = {i*f->h, j*f->h, k*f->h};
            double expected = open_of_plane(corner, f->h, a, dimension);
            if (place[a] == 0 || place[a] == f->n[a]) expected = 0.0;
            if (fabs(expected - 0.01) < 1e-6) continue;
            if (expected < 0.01) expected = 0.0;
            close_to("open", f->open[a][face_at(f, a, i, j, k)], expected, 1e-5);
          }
    perp_fluid_destroy(f);
  }
}

// The sum of open faces is an integral over the room left by the trapezoidal rule: of order 3/2 for
// a disc, whose chords end like a square root, and 2 for a ball.
static void round_solids_leave_their_complement(void **unused) {
  (void)unused;
  const double pi = 3.14159265358979323846;
  for (int dimension = 2; dimension <= 3; dimension++) {
    double error[2] = {0.0, 0.0};
    for (int fine = 0; fine < 2; fine++)
      for (int trial = 0; trial < 12; trial++) {
        const int32_t n = fine ? 40 : 20;
        perp_fluid_settings s = perp_fluid_defaults(dimension, n, n, n);
        perp_fluid *f = fluid_with(&s);
        const double shift = 0.05*trial/12.0;
        add(f, perp_fluid_sphere(0.5 + shift, 0.5 - 0.7*shift, 0.5 + 0.3*shift, 0.3));
        double sum = 0.0;
        for (int32_t c = 0; c < f->faces[0]; c++) sum += f->open[0][c];
        const double cell = dimension == 3 ? f->h*f->h*f->h : f->h*f->h;
        const double ball = dimension == 3 ? 4.0/3.0*pi*0.027 : pi*0.09;
        error[fine] += fabs(sum*cell + f->h - (1.0 - ball))/12.0;   // the sides are closed: + h
        perp_fluid_destroy(f);
      }
    below("error of the fine grid", error[1], (dimension == 3 ? 0.3 : 0.45)*error[0]);
    below("error", error[1], 1e-3);
  }
}

static void walls_have_the_velocity_of_the_nearest_solid(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(3, 12, 12, 12);
  perp_fluid *f = fluid_with(&s);
  perp_fluid_shape ball = perp_fluid_sphere(0.5, 0.5, 0.5, 0.2);
  for (int a = 0; a < 3; a++) ball.velocity[a] = a + 1.0, ball.spin[a] = 0.5 - a;
  add(f, ball);
  int seen = 0;
  for (int a = 0; a < 3; a++)
    for (int32_t k = 4; k < 8; k++)
      for (int32_t j = 4; j < 8; j++)
        for (int32_t i = 4; i < 8; i++) {
          const double r[3] = {(i + 0.5*(a != 0))*f->h - 0.5, (j + 0.5*(a != 1))*f->h - 0.5,
                               (k + 0.5*(a != 2))*f->h - 0.5};
          const int b = (a + 1)%3, c = (a + 2)%3;
          close_to("wall", f->wall[a][face_at(f, a, i, j, k)],
                   ball.velocity[a] + ball.spin[b]*r[c] - ball.spin[c]*r[b], 1e-14);
          seen++;
        }
  assert_int_equal(seen, 192);
  assert_true(f->wall[0][face_at(f, 0, 1, 6, 6)] == 0.0);   // the side is nearer
  perp_fluid_destroy(f);
}

static void solids_move_and_turn(void **unused) {
  (void)unused;
  perp_fluid_shape box = perp_fluid_box(0.0, 0.0, 0.0, 2.0, 1.0, 3.0);
  box.velocity[0] = 1.0;
  box.spin[2] = 1.0;
  for (int k = 0; k < 100; k++) shape_move(&box, 0.01*3.14159265358979323846/2.0);
  const double t = 3.14159265358979323846/2.0;   // a quarter of a turn: long side along y
  const double x[3] = {t + 1.5, 0.0, 0.0}, y[3] = {t, 2.5, 0.0}, z[3] = {t, 0.0, -1.0};
  const double edge[3] = {t + 4.0, 6.0, 0.0};
  close_to("beyond x", shape_distance(&box, x, 0.0), 0.5, 1e-12);
  close_to("beyond y", shape_distance(&box, y, 0.0), 0.5, 1e-12);
  close_to("inside", shape_distance(&box, z, 0.0), -1.0, 1e-12);
  close_to("at an edge", shape_distance(&box, edge, 0.0), 5.0, 1e-12);
  box.outside = 1;
  close_to("of the complement", shape_distance(&box, edge, 0.0), -5.0, 1e-12);
  box.outside = 0, box.extent[2] = 0.0;
  const double far[3] = {t, 0.0, 1e6};
  close_to("without end along z", shape_distance(&box, far, 0.0), -1.0, 1e-12);
}

static double not_a_number(void *context, const double x[3], double t) {
  (void)context, (void)x;
  return t - t == 0.0 ? (double)NAN : 0.0;
}

static void a_distance_that_is_no_number_is_refused(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 8, 8, 1);
  perp_fluid *f = fluid_with(&s);
  perp_fluid_shape shape = perp_fluid_sphere(0.5, 0.5, 0.0, 0.1);
  shape.kind = PERP_FLUID_CUSTOM;
  shape.distance = not_a_number;
  assert_int_equal(perp_fluid_add_solid(f, &shape, NULL), PERP_ERROR_ARGUMENT);
  assert_non_null(strstr(perp_last_message(), "not a number"));
  assert_int_equal(perp_fluid_solids(f), 0);
  perp_fluid_destroy(f);
}

// ---- surface ----

// the height of the surface in a column of cells, in cells; -1: none, or more than one
static double height(const perp_fluid *f, int32_t i, int32_t k) {
  double found = -1.0;
  for (int32_t j = 0; j + 1 < f->n[1]; j++) {
    const double a = f->surface[(k*f->n[1] + j)*f->n[0] + i];
    const double b = f->surface[(k*f->n[1] + j + 1)*f->n[0] + i];
    if ((a < 0.0) == (b < 0.0)) continue;
    if (found >= 0.0 || b < 0.0) return -1.0;
    found = j + 0.5 + a/(a - b);
  }
  return found;
}

static void a_level_surface_is_level_up_to_the_walls(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int step = 0; step < 4; step++) {
      perp_fluid_settings s = perp_fluid_defaults(dimension, 16, 16, 8);
      perp_fluid *f = fluid_with(&s);
      level = (6.0 + 0.5*step)*f->h;   // between rows of particles
      fill(f, 0.0, under);
      assert_int_equal(fluid_surface(f), PERP_OK);
      const double first = height(f, 0, 0);
      close_to("height", first, level/f->h, 0.06);
      for (int32_t k = 0; k < f->n[2]; k++)
        for (int32_t i = 0; i < f->n[0]; i++)
          close_to("height elsewhere", height(f, i, k), first, 1e-12);
      fill(f, 1.0, under);   // particles anywhere in their quarter or eighth of a cell
      assert_int_equal(fluid_surface(f), PERP_OK);
      double mean = 0.0;
      for (int32_t k = 0; k < f->n[2]; k++)
        for (int32_t i = 0; i < f->n[0]; i++) {
          close_to("height, in disorder", height(f, i, k), level/f->h, 0.35);
          mean += height(f, i, k)/(f->n[2]*f->n[0]);
        }
      close_to("mean height, in disorder", mean, level/f->h, 0.08);
      perp_fluid_destroy(f);
    }
}

// Particles are drawn at random: in the plane the mean along 14 cells scatters by 0.04 about 0.035,
// which is no matter of the surface, and one trial in fifty would be beyond the limit. Along 60
// cells it scatters by 0.02; in space there are as many cells as one could want.
static void a_slanted_surface_is_where_the_particles_end(void **unused) {
  (void)unused;
  for (int trial = 0; trial < often(12); trial++) {
    const int dimension = 2 + trial%2;
    const int32_t n = dimension == 2 ? 64 : 16;
    perp_fluid_settings s = perp_fluid_defaults(dimension, n, n, n);
    perp_fluid *f = fluid_with(&s);
    turn(normal, dimension);
    level = 0.0;
    for (int a = 0; a < dimension; a++) level += normal[a]*between(0.4, 0.6);
    fill(f, 1.0, in_half_space);
    assert_int_equal(fluid_surface(f), PERP_OK);
    double square = 0.0, mean = 0.0;
    int count = 0;
    for (int32_t c = 0; c < f->cells; c++) {
      const int32_t place[3] = {c%n, c/n%n, c/n/n};
      double d = -level;
      int inner = 1;   // mirrors bend surfaces that meet walls at an angle
      for (int a = 0; a < dimension; a++) {
        d += normal[a]*(place[a] + 0.5)*f->h;
        inner &= place[a] > 1 && place[a] < n - 2;
      }
      if (!inner || fabs(d) > 0.7*f->h) continue;
      const double wrong = (f->surface[c] - d)/f->h;
      square += wrong*wrong, mean += wrong, count++;
    }
    assert_true(count > 8);
    close_to("mean distance", mean/count, 0.0, 0.12);
    below("deviation", sqrt(square/count), 0.2);
    perp_fluid_destroy(f);
  }
}

static int gapped(const double *x) { return x[0] > level; }   // from the left wall, and above

static void a_gap_at_a_wall_is_air_and_contact_is_not(void **unused) {
  (void)unused;
  for (int walls = 0; walls < 2; walls++)   // the side of the grid, or a solid that cuts cells
    for (int gap = 0; gap < 2; gap++) {
      perp_fluid_settings s = perp_fluid_defaults(2, 16, 16, 1);
      perp_fluid *f = fluid_with(&s);
      const double wall = walls ? 3.25*f->h : 0.0;
      if (walls) add(f, perp_fluid_plane(wall, 0.0, 0.0, 1.0, 0.0, 0.0));
      level = wall + (gap ? 1.25*f->h : 0.0);
      fill(f, 0.0, gapped);
      assert_int_equal(fluid_surface(f), PERP_OK);
      const int32_t first = walls ? 3 : 0;   // the cell at the wall
      for (int32_t j = 0; j < 16; j++) {
        assert_int_equal(f->type[16*j + first], gap ? PERP_CELL_AIR : PERP_CELL_LIQUID);
        assert_int_equal(f->type[16*j + first + 2], PERP_CELL_LIQUID);
        if (walls) assert_int_equal(f->type[16*j + 2], PERP_CELL_SOLID);
      }
      perp_fluid_destroy(f);
    }
}

static double hole[2];
static int but_a_cell(const double *x) {
  return fabs(x[0] - hole[0]) > 0.5/16 || fabs(x[1] - hole[1]) > 0.5/16;
}
static int but_a_slit(const double *x) { return fabs(x[0] - 0.5) > 1.5/16; }

static void empty_cells_inside_are_liquid_and_slits_are_not(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 16, 16, 1);
  perp_fluid *f = fluid_with(&s);
  for (int32_t c = 0; c < f->cells; c++) {   // at a wall its image doubles it
    if (c%16 == 0 || c%16 == 15 || c/16 == 0 || c/16 == 15) continue;
    hole[0] = (c%16 + 0.5)/16, hole[1] = ((double)(c/16) + 0.5)/16;
    fill(f, 1.0, but_a_cell);
    assert_int_equal(fluid_surface(f), PERP_OK);
    assert_int_equal(f->first[c + 1] - f->first[c], 0);
    for (int32_t d = 0; d < f->cells; d++) assert_int_equal(f->type[d], PERP_CELL_LIQUID);
  }
  fill(f, 1.0, but_a_slit);   // three cells wide: cells 6.5 to 9.5
  assert_int_equal(fluid_surface(f), PERP_OK);
  for (int32_t j = 0; j < 16; j++) {
    assert_int_equal(f->type[16*j + 7], PERP_CELL_AIR);
    assert_int_equal(f->type[16*j + 8], PERP_CELL_AIR);
    assert_int_equal(f->type[16*j + 5], PERP_CELL_LIQUID);
  }
  perp_fluid_destroy(f);
}

static double void_half[2];
static int but_a_void(const double *x) {
  return fabs(x[0] - 0.5) > void_half[0]/16 || fabs(x[1] - 0.5) > void_half[1]/16;
}

// A hole of four cells in liquid is liquid, in air that was closed in it is air; a larger one is
// air.
static void small_holes_close_where_liquid_was(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 16, 16, 1);
  perp_fluid *f = fluid_with(&s);
  for (int large = 0; large < 2; large++)
    for (int dry = 0; dry < 2; dry++) {
      void_half[0] = large ? 3.0 : 1.0, void_half[1] = 1.0;
      fill(f, 0.0, but_a_void);
      memset(f->type, dry ? PERP_CELL_AIR : PERP_CELL_LIQUID, (size_t)f->cells);
      assert_int_equal(fluid_surface(f), PERP_OK);
      int air = 0;
      for (int32_t c = 0; c < f->cells; c++) {
        air += f->type[c] == PERP_CELL_AIR;
        assert_true((f->surface[c] < 0.0) == (f->type[c] == PERP_CELL_LIQUID));
      }
      if (large) assert_true(air > 4);
      else assert_int_equal(air, dry ? 4 : 0);
    }
  perp_fluid_destroy(f);
}

// ---- volume ----

static void the_volume_of_a_given_distance_is_second_order(void **unused) {
  (void)unused;
  const double pi = 3.14159265358979323846;
  for (int dimension = 2; dimension <= 3; dimension++) {
    double error[2] = {0.0, 0.0};
    for (int fine = 0; fine < 2; fine++)
      for (int trial = 0; trial < 8; trial++) {
        const int32_t n = fine ? 40 : 20;
        perp_fluid_settings s = perp_fluid_defaults(dimension, n, n, n);
        perp_fluid *f = fluid_with(&s);
        for (int a = 0; a < dimension; a++) centre[a] = 0.5 + 0.05*trial/8.0*(a + 1);
        for (int32_t c = 0; c < f->cells; c++) {
          const int32_t place[3] = {c%n, c/n%n, c/n/n};
          double q = 0.0;
          for (int a = 0; a < dimension; a++)
            q += pow((place[a] + 0.5)*f->h - centre[a], 2.0);
          f->surface[c] = fmax(-1.5*f->h, fmin(1.5*f->h, sqrt(q) - 0.3));
        }
        const double ball = dimension == 3 ? 4.0/3.0*pi*0.027 : pi*0.09;
        error[fine] += fabs(fluid_volume(f) - ball)/ball/8.0;
        perp_fluid_destroy(f);
      }
    below("error of the fine grid", error[1], 0.3*error[0]);
    below("error", error[0], dimension == 3 ? 0.05 : 0.02);
  }
}

// A round tank, half full: half a disc, wherever the wall cuts its cells.
static void the_volume_ends_at_solids(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 32, 32, 1);
  perp_fluid *f = fluid_with(&s);
  perp_fluid_shape tank = perp_fluid_sphere(0.5, 0.5, 0.0, 0.41);
  tank.outside = 1;
  add(f, tank);
  for (int32_t c = 0; c < f->cells; c++) {
    const double d = ((double)(c/32) + 0.5)/32 - 0.5;
    f->surface[c] = fmax(-1.5*f->h, fmin(1.5*f->h, d));
  }
  const double half = 0.5*3.14159265358979323846*0.41*0.41;
  close_to("half of a tank", fluid_volume(f), half, 0.003*half);
  perp_fluid_destroy(f);
}

static void the_volume_of_particles_is_theirs(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 40, 40, 1);
  perp_fluid *f = fluid_with(&s);
  for (int a = 0; a < 2; a++) centre[a] = 0.51;
  centre[2] = 0.0, radius = 0.3;
  fill(f, 1.0, in_ball);
  assert_int_equal(fluid_surface(f), PERP_OK);
  close_to("of a disc", fluid_volume(f), 3.14159265358979323846*0.09, 0.03*0.2827);
  fill(f, 1.0, anywhere);
  assert_int_equal(fluid_surface(f), PERP_OK);
  close_to("of all there is", fluid_volume(f), 1.0, 1e-12);
  perp_fluid_destroy(f);
}

static int blob(const double *x) {
  return (x[0] - 0.5)*(x[0] - 0.5) + (x[1] - 0.4)*(x[1] - 0.4) < 0.09;
}

static void one_cell_thick_is_two_dimensions(void **unused) {
  (void)unused;
  const perp_fluid_settings flat = perp_fluid_defaults(2, 16, 20, 1);
  const perp_fluid_settings thick = perp_fluid_defaults(3, 16, 20, 1);
  perp_fluid *f = fluid_with(&flat), *g = fluid_with(&thick);
  const perp_fluid_shape rod = perp_fluid_box(0.2, 0.3, 0.0, 0.1, 0.23, 0.0);   // without end
  add(f, rod), add(g, rod);
  fill(f, 0.0, blob), fill(g, 0.0, blob);
  assert_int_equal(fluid_surface(f), PERP_OK);
  assert_int_equal(fluid_surface(g), PERP_OK);
  for (int a = 0; a < 2; a++)
    for (int32_t c = 0; c < f->faces[a]; c++) close_to("open", g->open[a][c], f->open[a][c], 1e-14);
  for (int32_t c = 0; c < f->cells; c++) {
    close_to("surface", g->surface[c], f->surface[c], 1e-13);
    assert_int_equal(g->type[c], f->type[c]);
  }
  close_to("volume", fluid_volume(g)/g->h, fluid_volume(f), 1e-13);
  perp_fluid_destroy(f);
  perp_fluid_destroy(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(planes_cut_faces_exactly),
    cmocka_unit_test(round_solids_leave_their_complement),
    cmocka_unit_test(walls_have_the_velocity_of_the_nearest_solid),
    cmocka_unit_test(solids_move_and_turn),
    cmocka_unit_test(a_distance_that_is_no_number_is_refused),
    cmocka_unit_test(a_level_surface_is_level_up_to_the_walls),
    cmocka_unit_test(a_slanted_surface_is_where_the_particles_end),
    cmocka_unit_test(a_gap_at_a_wall_is_air_and_contact_is_not),
    cmocka_unit_test(empty_cells_inside_are_liquid_and_slits_are_not),
    cmocka_unit_test(small_holes_close_where_liquid_was),
    cmocka_unit_test(the_volume_of_a_given_distance_is_second_order),
    cmocka_unit_test(the_volume_ends_at_solids),
    cmocka_unit_test(the_volume_of_particles_is_theirs),
    cmocka_unit_test(one_cell_thick_is_two_dimensions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
