// test_fluid_particles.c: particles and grid: transfers that are exact for linear velocities, the
// order of the advection, who is added and removed, pushes out of solids, extrapolation. (Somewhat
// long: all of them need particles placed by hand, and share how that is done.)
// labels: tsan
#include "fluid_support.h"

static const double pi = 3.14159265358979323846;

static perp_fluid *pool(int dimension, int32_t n, int transfer, int threads) {
  perp_fluid_settings s = perp_fluid_defaults(dimension, n, n + 2, n + 3);
  s.transfer = transfer;
  s.threads = threads;
  s.walls = PERP_WALLS_SLIP;
  s.seed = 7;
  return fluid_with(&s);
}

static int64_t pour(perp_fluid *f, perp_fluid_shape shape) {
  int64_t count = 0;
  if (perp_fluid_pour(f, &shape, &count) != PERP_OK) fail_msg("%s", perp_last_message());
  return count;
}

// ---- linear velocities: v_a(x) = c_a + sum_b G_ab x_b ----

static double rate[9], shift[3];

static void draw_linear(void) {
  for (int k = 0; k < 9; k++) rate[k] = between(-1.0, 1.0);
  for (int k = 0; k < 3; k++) shift[k] = between(-1.0, 1.0);
}

static double linear(int a, const double *x, int dimension) {
  double v = shift[a];
  for (int b = 0; b < dimension; b++) v += rate[3*a + b]*x[b];
  return v;
}

static void face_centre(const perp_fluid *f, int a, int32_t at, double *x) {
  const int32_t m[2] = {f->n[0] + (a == 0), f->n[1] + (a == 1)};
  const int32_t place[3] = {at%m[0], at/m[0]%m[1], at/m[0]/m[1]};
  for (int d = 0; d < 3; d++) x[d] = (place[d] + (d == a ? 0.0 : 0.5))*f->h;
}

static void give_particles(perp_fluid *f, int affine) {
  for (int64_t i = 0; i < f->p.count; i++) {
    double x[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < f->dimension; a++) x[a] = f->p.x[a][i];
    for (int a = 0; a < f->dimension; a++) {
      f->p.v[a][i] = linear(a, x, f->dimension);
      for (int b = 0; b < f->dimension && affine; b++) f->p.affine[3*a + b][i] = rate[3*a + b];
    }
  }
}

static void give_grid(perp_fluid *f) {
  for (int a = 0; a < f->dimension; a++)
    for (int32_t i = 0; i < f->faces[a]; i++) {
      double x[3];
      face_centre(f, a, i, x);
      f->u[a][i] = linear(a, x, f->dimension);
    }
}

static void affine_particles_give_linear_velocities_to_the_grid(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int round = 0; round < 5; round++) {
      perp_fluid *f = pool(dimension, 8, PERP_TRANSFER_APIC, 1);
      pour(f, perp_fluid_sphere(0.5, 0.5, 0.5, 0.6));
      draw_linear();
      give_particles(f, 1);
      assert_int_equal(fluid_sort(f), PERP_OK);
      assert_int_equal(fluid_gather(f), PERP_OK);
      int64_t known = 0;
      for (int a = 0; a < dimension; a++)
        for (int32_t i = 0; i < f->faces[a]; i++) {
          double x[3];
          if (!f->known[a][i]) continue;
          known++;
          face_centre(f, a, i, x);
          close_to("u", f->u[a][i], linear(a, x, dimension), 1e-13);
          assert_true(f->u[a][i] == f->before[a][i]);
        }
      assert_true(known > f->cells);
      perp_fluid_destroy(f);
    }
}

// The means of FLIP are those of an independent sum over all particles and faces.
static void flip_gathers_weighted_means(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    perp_fluid *f = pool(dimension, 5, PERP_TRANSFER_FLIP, 1);
    pour(f, perp_fluid_sphere(0.4, 0.6, 0.5, 0.45));
    for (int64_t i = 0; i < f->p.count; i++)
      for (int a = 0; a < dimension; a++) f->p.v[a][i] = between(-1.0, 1.0);
    assert_int_equal(fluid_sort(f), PERP_OK);
    assert_int_equal(fluid_gather(f), PERP_OK);
    for (int a = 0; a < dimension; a++)
      for (int32_t i = 0; i < f->faces[a]; i++) {
        double x[3], sum = 0.0, weight = 0.0;
        face_centre(f, a, i, x);
        for (int64_t p = 0; p < f->p.count; p++) {
          double w = 1.0;
          for (int d = 0; d < dimension; d++) {
            // beyond the outermost centres all goes to them
            const double low = d == a ? 0.0 : 0.5*f->h, high = f->n[d]*f->h - low;
            const double y = fmin(fmax(f->p.x[d][p], low), high);
            w *= fmax(0.0, 1.0 - fabs(y - x[d])/f->h);
          }
          sum += w*f->p.v[a][p];
          weight += w;
        }
        assert_int_equal(f->known[a][i], weight > 1e-6);
        if (weight > 1e-6) close_to("u", f->u[a][i], sum/weight, 1e-12);
      }
    perp_fluid_destroy(f);
  }
}

static void grids_give_linear_velocities_to_particles(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int transfer = 0; transfer < PERP_TRANSFER_COUNT; transfer++) {
      perp_fluid *f = pool(dimension, 9, transfer, 1);
      f->settings.flip = 0.0;
      pour(f, perp_fluid_sphere(0.5, 0.6, 0.6, 0.4));   // half a cell from the sides and more
      draw_linear();
      give_grid(f);
      assert_int_equal(fluid_scatter(f), PERP_OK);
      for (int64_t i = 0; i < f->p.count; i++) {
        double x[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < dimension; a++) x[a] = f->p.x[a][i];
        for (int a = 0; a < dimension; a++) {
          close_to("v", f->p.v[a][i], linear(a, x, dimension), 1e-13);
          for (int b = 0; b < dimension && transfer == PERP_TRANSFER_APIC; b++)
            close_to("affine", f->p.affine[3*a + b][i], rate[3*a + b], 1e-12);
        }
      }
      perp_fluid_destroy(f);
    }
}

static void flip_adds_the_change_of_the_grid(void **unused) {
  (void)unused;
  perp_fluid *f = pool(2, 9, PERP_TRANSFER_FLIP, 1);
  f->settings.flip = 1.0;
  pour(f, perp_fluid_sphere(0.5, 0.6, 0.0, 0.4));
  double was[2][4096];
  assert_true(f->p.count <= 4096);
  for (int64_t i = 0; i < f->p.count; i++)
    for (int a = 0; a < 2; a++) was[a][i] = f->p.v[a][i] = between(-1.0, 1.0);
  draw_linear();
  for (int a = 0; a < 2; a++)
    for (int32_t i = 0; i < f->faces[a]; i++) f->before[a][i] = between(-1.0, 1.0);
  give_grid(f);
  for (int a = 0; a < 2; a++)
    for (int32_t i = 0; i < f->faces[a]; i++) f->u[a][i] += f->before[a][i];
  assert_int_equal(fluid_scatter(f), PERP_OK);
  for (int64_t i = 0; i < f->p.count; i++) {
    const double x[2] = {f->p.x[0][i], f->p.x[1][i]};
    for (int a = 0; a < 2; a++) close_to("v", f->p.v[a][i], was[a][i] + linear(a, x, 2), 1e-13);
  }
  perp_fluid_destroy(f);
}

// ---- advection ----

// A turn about (1/2, 1/2): linear, so that only time makes errors.
static double turn_error(int dimension, int steps) {
  perp_fluid *f = pool(dimension, 10, PERP_TRANSFER_FLIP, 1);
  pour(f, perp_fluid_sphere(0.5, 0.5, 0.5, 0.3));
  memset(rate, 0, sizeof rate);
  rate[1] = -1.0, rate[3] = 1.0;
  shift[0] = 0.5, shift[1] = -0.5, shift[2] = 0.0;
  give_grid(f);
  double begin[2][20000], worst = 0.0;
  assert_true(f->p.count <= 20000);
  for (int a = 0; a < 2; a++) memcpy(begin[a], f->p.x[a], (size_t)f->p.count*sizeof(double));
  f->dt = pi/2/steps;
  for (int k = 0; k < steps; k++) assert_int_equal(fluid_advect(f), PERP_OK);
  for (int64_t i = 0; i < f->p.count; i++) {   // a quarter: (x, y) -> (1 - y, x)
    worst = fmax(worst, fabs(f->p.x[0][i] - (1.0 - begin[1][i])));
    worst = fmax(worst, fabs(f->p.x[1][i] - begin[0][i]));
  }
  perp_fluid_destroy(f);
  return worst;
}

static void advection_is_of_third_order(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    const double e1 = turn_error(dimension, 10), e2 = turn_error(dimension, 20),
                 e3 = turn_error(dimension, 40);
    below("the first error", e1, 1e-3);
    close_to("order", log2(e1/e2), 3.0, 0.15);
    close_to("order", log2(e2/e3), 3.0, 0.1);
  }
}

static void particles_are_pushed_out_of_solids_and_into_the_box(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    perp_fluid *f = pool(dimension, 20, PERP_TRANSFER_FLIP, 1);
    pour(f, perp_fluid_box(0.5, 0.5, 0.5, 2.0, 2.0, 2.0));
    add(f, perp_fluid_sphere(0.5, 0.4, 0.5, 0.25));
    for (int a = 0; a < dimension; a++)
      for (int32_t i = 0; i < f->faces[a]; i++) f->u[a][i] = between(-1.0, 1.0);
    f->dt = 0.1;
    assert_int_equal(fluid_advect(f), PERP_OK);
    int64_t close = 0;
    for (int64_t i = 0; i < f->p.count; i++) {
      double square = 0.0;
      const double centre[3] = {0.5, 0.4, 0.5};
      for (int a = 0; a < dimension; a++) {
        const double x = f->p.x[a][i];
        assert_true(x > 0.0 && x < f->n[a]*f->h);
        square += (x - centre[a])*(x - centre[a]);
      }
      // between corners the distance is interpolated: off by h^2/radius/8 per direction and more
      // in the middle, where there is no direction
      if (square > 0.05*0.05) assert_true(sqrt(square) > 0.25 - 0.25*f->h);
      close += sqrt(square) < 0.25 + 0.1*f->h;
    }
    assert_true(close > 20);
    perp_fluid_destroy(f);
  }
}

// ---- sorting and reseeding ----

static void check_sorted(const perp_fluid *f) {
  assert_int_equal(f->first[0], 0);
  assert_int_equal(f->first[f->cells], f->p.count);
  for (int32_t c = 0; c < f->cells; c++) {
    const int32_t place[3] = {c%f->n[0], c/f->n[0]%f->n[1], c/f->n[0]/f->n[1]};
    for (int32_t i = f->first[c]; i < f->first[c + 1]; i++)
      for (int a = 0; a < f->dimension; a++)
        assert_int_equal((int32_t)(f->p.x[a][i]/f->h), place[a]);
  }
}

// v carries the number of a particle: nothing is lost, and those of a cell stay in their order.
static void sorting_is_stable_and_complete(void **unused) {
  (void)unused;
  for (int threads = 1; threads <= 3; threads++) {
    perp_fluid *f = pool(3, 6, PERP_TRANSFER_FLIP, threads);
    pour(f, perp_fluid_box(0.5, 0.5, 0.5, 2.0, 2.0, 2.0));
    for (int64_t i = 0; i < f->p.count; i++) {
      for (int a = 0; a < 3; a++) f->p.x[a][i] = between(0.0, f->n[a]*f->h);
      f->p.v[0][i] = (double)i;
      f->p.v[1][i] = f->p.x[0][i];
    }
    assert_int_equal(fluid_sort(f), PERP_OK);
    check_sorted(f);
    double sum = 0.0;
    for (int64_t i = 0; i < f->p.count; i++) {
      sum += f->p.v[0][i];
      assert_true(f->p.v[1][i] == f->p.x[0][i]);
    }
    assert_true(sum == 0.5*(double)f->p.count*(double)(f->p.count - 1));
    for (int32_t c = 0; c < f->cells; c++)
      for (int32_t i = f->first[c] + 1; i < f->first[c + 1]; i++)
        assert_true(f->p.v[0][i] > f->p.v[0][i - 1]);
    perp_fluid_destroy(f);
  }
}

static void cells_inside_keep_their_share_of_particles(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int transfer = 0; transfer < PERP_TRANSFER_COUNT; transfer++) {
      perp_fluid *f = pool(dimension, 12, transfer, 1);
      const int share = dimension == 2 ? 4 : 8;
      pour(f, perp_fluid_box(0.5, 0.3, 0.5, 2.0, 0.3, 2.0));
      draw_linear();
      give_grid(f);
      give_particles(f, transfer == PERP_TRANSFER_APIC);
      // Of every third cell all but one go to the next one along x. In the upper layers all go but
      // one, and to the floor in the middle: sparse and crowded.
      const int64_t kept = f->p.count;
      assert_int_equal(fluid_sort(f), PERP_OK);
      for (int32_t c = 0; c < f->cells; c++) {
        const int32_t i = c%f->n[0], j = c/f->n[0]%f->n[1], k = c/f->n[0]/f->n[1];
        for (int32_t p = f->first[c] + 1; p < f->first[c + 1]; p++) {
          if (j >= 4) {
            f->p.x[0][p] = (f->n[0]/2 + between(0.0, 1.0))*f->h;
            f->p.x[1][p] = between(0.0, 1.0)*f->h;
          } else if ((i + j + k)%3 == 0 && i < f->n[0] - 1) {
            f->p.x[0][p] += f->h;
          }
        }
      }
      give_particles(f, transfer == PERP_TRANSFER_APIC);
      f->report.particles = 100000;   // so that no limit is met
      assert_int_equal(fluid_room(f, 20000), PERP_OK);
      assert_int_equal(fluid_sort(f), PERP_OK);
      int32_t *before = calloc((size_t)f->cells + 1, sizeof *before);
      memcpy(before, f->first, ((size_t)f->cells + 1)*sizeof *before);
      memset(f->type, PERP_CELL_AIR, (size_t)f->cells);
      assert_int_equal(fluid_reseed(f), PERP_OK);
      check_sorted(f);
      assert_true(f->report.added > 0 && f->report.removed > 0);
      assert_int_equal(f->p.count, kept + f->report.added - f->report.removed);
      int64_t sparse = 0, filled = 0;
      for (int32_t c = 0; c < f->cells; c++) {
        const int32_t place[3] = {c%f->n[0], c/f->n[0]%f->n[1], c/f->n[0]/f->n[1]};
        const int32_t was = before[c + 1] - before[c], is = f->first[c + 1] - f->first[c];
        int inside = 1, around = 0, wanted = 0;
        for (int dz = -1; dz <= 1; dz++)
          for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
              const int32_t x = place[0] + dx, y = place[1] + dy, z = place[2] + dz;
              if (x < 0 || y < 0 || z < 0 || x >= f->n[0] || y >= f->n[1] || z >= f->n[2]) continue;
              const int32_t d = (z*f->n[1] + y)*f->n[0] + x;
              if (before[d + 1] == before[d]) inside = 0;
              around += before[d + 1] - before[d];
              wanted += share;
            }
        sparse += inside && around < wanted && 2*was < share;
        filled += is > was;
        inside = inside && around >= wanted;
        assert_true(is <= 2*share);
        if (inside) assert_true(2*is >= share);
        else assert_true(is <= was);
        if (was == 0) assert_int_equal(is, 0);
        if (2*was >= share && was <= 2*share) assert_int_equal(is, was);
      }
      assert_true(sparse > 5 && filled > 5);
      // New ones move with the grid; those within half a cell of the sides see a constant there.
      for (int64_t i = 0; i < f->p.count; i++) {
        double x[3] = {0.0, 0.0, 0.0};
        int away = 1;
        for (int a = 0; a < dimension; a++) {
          x[a] = f->p.x[a][i];
          away = away && x[a] > 0.5*f->h && x[a] < (f->n[a] - 0.5)*f->h;
        }
        if (!away) continue;
        for (int a = 0; a < dimension; a++) {
          close_to("v", f->p.v[a][i], linear(a, x, dimension), 1e-12);
          for (int b = 0; b < dimension && transfer == PERP_TRANSFER_APIC; b++)
            close_to("affine", f->p.affine[3*a + b][i], rate[3*a + b], 1e-12);
        }
      }
      free(before);
      perp_fluid_destroy(f);
    }
}

// A flow that draws rows of particles apart leaves columns of cells empty, 2 P, 0, 2 P, 0, ..., up
// to the sides. They are filled if they were liquid, not if they were air, and not if what is left
// is sparse: P/2, 0, P/2, 0, ...
static void empty_cells_inside_are_filled(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int which = 0; which < 3; which++) {   // liquid, air, sparse
      perp_fluid *f = pool(dimension, 12, PERP_TRANSFER_FLIP, 1);
      const int share = dimension == 2 ? 4 : 8;
      pour(f, perp_fluid_box(0.5, 0.5, 0.5, 2.0, 2.0, 2.0));
      for (int64_t i = 0; i < f->p.count; i++)
        if ((int)(f->p.x[0][i]/f->h)%2 == 0) f->p.x[0][i] += f->h;
      if (which == 2) {
        assert_int_equal(fluid_sort(f), PERP_OK);
        for (int64_t i = 0; i < f->p.count/4; i++)
          for (int a = 0; a < dimension; a++) f->p.x[a][i] = f->p.x[a][4*i];
        f->p.count /= 4;
      }
      if (which == 1) memset(f->type, PERP_CELL_AIR, (size_t)f->cells);
      f->report.particles = 100000;   // so that no limit is met
      assert_int_equal(fluid_room(f, 40000), PERP_OK);
      assert_int_equal(fluid_reseed(f), PERP_OK);
      check_sorted(f);
      for (int32_t c = 0; c < f->cells; c++) {
        const int32_t i = c%f->n[0], is = f->first[c + 1] - f->first[c];
        assert_int_equal(is, i%2 ? (which == 2 ? share/2 : 2*share) : which == 0 ? share : 0);
      }
      perp_fluid_destroy(f);
    }
}

static void a_step_adds_an_eighth_at_most(void **unused) {
  (void)unused;
  perp_fluid *f = pool(2, 40, PERP_TRANSFER_FLIP, 1);
  const int64_t all = pour(f, perp_fluid_box(0.5, 0.5, 0.5, 2.0, 2.0, 2.0));
  for (int32_t c = 0; c < f->cells; c += 2)   // one stays, three move on
    for (int32_t i = f->first[c] + 1; i < f->first[c + 1]; i++) f->p.x[0][i] += f->h;
  f->report.particles = all;
  memset(f->type, PERP_CELL_AIR, (size_t)f->cells);
  assert_int_equal(fluid_room(f, 2*all), PERP_OK);
  assert_int_equal(fluid_reseed(f), PERP_OK);
  assert_int_equal(f->report.added, all/8 + 64);
  assert_int_equal(fluid_reseed(f), PERP_OK);
  assert_int_equal(f->report.added, all/8 + 64);
  check_sorted(f);
  perp_fluid_destroy(f);
}

// Particles that gather in a corner of a cell, of the box too, leave its centre dry. It must be
// liquid all the same: as air it would have no pressure against what comes next, a drain.
static void crowded_cells_are_liquid(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int corner = 0; corner < 2; corner++) {
      perp_fluid *f = pool(dimension, 6, PERP_TRANSFER_FLIP, 1);
      const int32_t share = dimension == 2 ? 4 : 8, cell = corner ? 0 : 2*(1 + f->n[0]);
      assert_int_equal(fluid_room(f, 100), PERP_OK);
      for (f->p.count = 1; f->p.count <= 3*share; f->p.count++) {
        for (int a = 0; a < dimension; a++)
          for (int64_t i = 0; i < f->p.count; i++)
            f->p.x[a][i] = ((corner || a == 2 ? 0 : 2) + 0.02*(double)(i%3) + 0.01)*f->h;
        assert_int_equal(fluid_sort(f), PERP_OK);
        assert_int_equal(f->first[cell + 1] - f->first[cell], f->p.count);
        assert_int_equal(fluid_surface(f), PERP_OK);
        if (f->p.count <= share) assert_int_equal(f->type[cell], PERP_CELL_AIR);
        else assert_int_equal(f->type[cell], PERP_CELL_LIQUID);
      }
      perp_fluid_destroy(f);
    }
}

// ---- extrapolation ----

static void velocities_go_on_beyond_the_surface(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    perp_fluid *f = pool(dimension, 12, PERP_TRANSFER_FLIP, 1);
    pour(f, perp_fluid_sphere(0.5, 0.5, 0.5, 0.2));
    for (int64_t i = 0; i < f->p.count; i++)
      for (int a = 0; a < dimension; a++) f->p.v[a][i] = a + 0.5;
    assert_int_equal(fluid_gather(f), PERP_OK);
    assert_int_equal(fluid_spread(f, 3), PERP_OK);
    for (int a = 0; a < dimension; a++) {
      int64_t beyond = 0, nothing = 0;
      for (int32_t i = 0; i < f->faces[a]; i++) {
        if (f->known[a][i]) continue;
        if (f->u[a][i] != 0.0) close_to("u", f->u[a][i], a + 0.5, 1e-14);
        beyond += f->u[a][i] != 0.0;
        nothing += f->u[a][i] == 0.0;
      }
      assert_true(beyond > 30 && nothing > 30);
    }
    perp_fluid_destroy(f);
  }
}

// In a solid the velocity has no part along its normal: slip; or is the wall's: no slip.
static void velocities_in_solids_follow_the_walls(void **unused) {
  (void)unused;
  for (int walls = 0; walls < PERP_WALLS_COUNT; walls++) {
    perp_fluid_settings s = perp_fluid_defaults(2, 40, 40, 1);
    s.walls = walls;
    perp_fluid *f = fluid_with(&s);
    perp_fluid_shape plane = perp_fluid_plane(0.5, 0.5, 0.0, 1.0, 2.0, 0.0);
    plane.velocity[0] = 0.25;
    add(f, plane);
    perp_fluid_shape liquid = perp_fluid_box(0.5, 0.5, 0.0, 2.0, 2.0, 1.0);
    liquid.velocity[0] = 1.0;
    liquid.velocity[1] = -1.0;
    pour(f, liquid);
    assert_int_equal(fluid_sort(f), PERP_OK);
    assert_int_equal(fluid_gather(f), PERP_OK);
    assert_int_equal(fluid_extrapolate(f), PERP_OK);
    // v - wall = (0.75, -1), n = (1, 2)/sqrt 5: v.n = -1.25/sqrt 5, into the wall
    const double slip[2] = {1.0 + 1.25/5.0, -1.0 + 2.5/5.0}, stick[2] = {0.25, 0.0};
    int64_t seen = 0;
    for (int a = 0; a < 2; a++)
      for (int32_t i = 0; i < f->faces[a]; i++) {
        double x[3];
        face_centre(f, a, i, x);
        const double depth = (0.5 - x[0] + 2.0*(0.5 - x[1]))/sqrt(5.0)/f->h;
        if (f->known[a][i] || f->open[a][i] > 0.0 || depth > 2.0 || depth < 1.5 || x[0] < 0.2 ||
            x[0] > 0.8)
          continue;
        seen++;
        close_to("u", f->u[a][i], walls == PERP_WALLS_NO_SLIP ? stick[a] : slip[a], 1e-9);
      }
    assert_true(seen > 10);
    perp_fluid_destroy(f);
  }
}

// Liquid that moves away from a wall: held where it presses on it, followed where cells let go.
static void walls_let_go_where_cells_separate(void **unused) {
  (void)unused;
  for (int walls = PERP_WALLS_SLIP; walls < PERP_WALLS_COUNT; walls++)
    for (uint8_t separating = 0; separating < 2; separating++) {
      perp_fluid_settings s = perp_fluid_defaults(2, 40, 40, 1);
      s.walls = walls;
      perp_fluid *f = fluid_with(&s);
      add(f, perp_fluid_plane(0.5, 0.5, 0.0, 1.0, 2.0, 0.0));
      perp_fluid_shape liquid = perp_fluid_box(0.5, 0.5, 0.0, 2.0, 2.0, 1.0);
      liquid.velocity[0] = liquid.velocity[1] = 1.0;
      pour(f, liquid);
      assert_int_equal(fluid_sort(f), PERP_OK);
      assert_int_equal(fluid_surface(f), PERP_OK);
      memset(f->separating, separating, (size_t)f->cells);
      assert_int_equal(fluid_gather(f), PERP_OK);
      for (int a = 0; a < 2; a++)   // as project.c has it: what is in the wall is not known
        for (int32_t i = 0; i < f->faces[a]; i++)
          f->known[a][i] = f->known[a][i] && f->open[a][i] > 0.0;
      assert_int_equal(fluid_extrapolate(f), PERP_OK);
      // n = (1, 2)/sqrt 5: v.n = 3/sqrt 5
      const double held[2] = {1.0 - 3.0/5.0, 1.0 - 6.0/5.0};
      const int lets_go = walls == PERP_WALLS_SEPARATING && separating;
      int seen = 0;
      for (int a = 0; a < 2; a++)
        for (int32_t i = 0; i < f->faces[a]; i++) {
          double x[3];
          face_centre(f, a, i, x);
          const double depth = (0.5 - x[0] + 2.0*(0.5 - x[1]))/sqrt(5.0)/f->h;
          if (f->open[a][i] > 0.0 || depth < 0.0 || depth > 0.7 || x[0] < 0.2 || x[0] > 0.8)
            continue;
          seen++;
          close_to("u", f->u[a][i], lets_go ? 1.0 : held[a], 1e-9);
        }
      assert_true(seen > 10);
      perp_fluid_destroy(f);
    }
}

static double nearly_level(void *context, const double x[3], double t) {
  (void)context;
  (void)t;
  return -0.2 + 1e-5*x[0];
}

// In the middle of a solid, where the distance has no slope to follow, particles stay.
static void no_slope_pushes_nothing(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 8, 8, 1);
  perp_fluid *f = fluid_with(&s);
  pour(f, perp_fluid_sphere(0.5, 0.5, 0.0, 0.2));
  perp_fluid_shape solid = perp_fluid_sphere(0.0, 0.0, 0.0, 1.0);
  solid.kind = PERP_FLUID_CUSTOM;
  solid.distance = nearly_level;
  add(f, solid);
  f->dt = 0.0;
  const double before = f->p.x[0][3];
  assert_int_equal(fluid_advect(f), PERP_OK);
  assert_true(f->p.x[0][3] == before);
  perp_fluid_destroy(f);
}

// ---- threads ----

static uint64_t run_without_pressure(int dimension, int transfer, int threads) {
  perp_fluid *f = pool(dimension, dimension == 2 ? 40 : 14, transfer, threads);
  add(f, perp_fluid_sphere(0.7, 0.3, 0.5, 0.15));
  perp_fluid_shape ball = perp_fluid_sphere(0.5, 0.5, 0.5, 0.4);
  ball.velocity[0] = 2.0;
  ball.spin[2] = 3.0;
  pour(f, ball);
  f->dt = 0.01;
  f->report.particles = f->p.count;
  for (int k = 0; k < 12; k++) {
    assert_int_equal(fluid_gather(f), PERP_OK);
    assert_int_equal(fluid_forces(f), PERP_OK);
    assert_int_equal(fluid_extrapolate(f), PERP_OK);
    assert_int_equal(fluid_scatter(f), PERP_OK);
    assert_true(fluid_cfl(f, 0.01) > 0.0);
    assert_int_equal(fluid_advect(f), PERP_OK);
    assert_int_equal(fluid_reseed(f), PERP_OK);
    assert_int_equal(fluid_surface(f), PERP_OK);
  }
  uint64_t hash = (uint64_t)f->p.count;
  for (int a = 0; a < dimension; a++)
    for (int64_t i = 0; i < f->p.count; i++)
      for (int k = 0; k < 2; k++) {
        uint64_t bits;
        memcpy(&bits, k ? &f->p.v[a][i] : &f->p.x[a][i], sizeof bits);
        hash = (hash ^ bits)*0x100000001B3u;
      }
  perp_fluid_destroy(f);
  return hash;
}

static void threads_do_not_change_bits(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int transfer = 0; transfer < PERP_TRANSFER_COUNT; transfer++) {
      const uint64_t one = run_without_pressure(dimension, transfer, 1);
      assert_true(one == run_without_pressure(dimension, transfer, 2));
      assert_true(one == run_without_pressure(dimension, transfer, 4));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(affine_particles_give_linear_velocities_to_the_grid),
    cmocka_unit_test(flip_gathers_weighted_means),
    cmocka_unit_test(grids_give_linear_velocities_to_particles),
    cmocka_unit_test(flip_adds_the_change_of_the_grid),
    cmocka_unit_test(advection_is_of_third_order),
    cmocka_unit_test(particles_are_pushed_out_of_solids_and_into_the_box),
    cmocka_unit_test(sorting_is_stable_and_complete),
    cmocka_unit_test(cells_inside_keep_their_share_of_particles),
    cmocka_unit_test(empty_cells_inside_are_filled),
    cmocka_unit_test(a_step_adds_an_eighth_at_most),
    cmocka_unit_test(crowded_cells_are_liquid),
    cmocka_unit_test(velocities_go_on_beyond_the_surface),
    cmocka_unit_test(velocities_in_solids_follow_the_walls),
    cmocka_unit_test(walls_let_go_where_cells_separate),
    cmocka_unit_test(no_slope_pushes_nothing),
    cmocka_unit_test(threads_do_not_change_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
