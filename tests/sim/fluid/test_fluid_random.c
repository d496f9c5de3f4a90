// test_fluid_random.c: scenes by chance, with solids that move, turn and squeeze: every step is made,
// every pressure problem is solved unless it is proven that none can be, nothing leaves the box.
// labels: long
#include "fluid_support.h"

static perp_fluid_shape some_solid(const double *size, int dimension) {
  const double least = fmin(size[0], size[1]), reach = between(0.05, 0.4)*least;
  const double x = between(0.0, size[0]), y = between(0.0, size[1]), z = between(0.0, size[2]);
  perp_fluid_shape s;
  switch (whole(0, 3)) {
    case 0: s = perp_fluid_sphere(x, y, z, reach); break;
    case 1:
      s = perp_fluid_box(x, y, z, reach*between(0.05, 1.0), reach, reach*between(0.0, 1.0));
      s.orientation[0] = cos(reach), s.orientation[3] = sin(reach);
      break;
    case 2: s = perp_fluid_plane(x, 0.5*y, z, between(-1.0, 1.0), between(0.2, 1.0), 0.0); break;
    default:
      s = perp_fluid_sphere(0.5*size[0], 0.5*size[1], 0.5*size[2],
                            between(0.4, 0.7)*fmax(size[0], size[1]));
      s.outside = 1;
  }
  const double speed = sqrt(10.0*size[1]);
  if (whole(0, 1))
    for (int a = 0; a < dimension; a++) s.velocity[a] = between(-0.5, 0.5)*speed;
  if (whole(0, 1)) s.spin[2] = between(-0.3, 0.3)*speed/reach;
  return s;
}

static perp_fluid *some_fluid(double *size) {
  const int dimension = whole(0, 3) == 0 ? 3 : 2, most = dimension == 3 ? 10 : 30;
  perp_fluid_settings s = perp_fluid_defaults(dimension, whole(1, most), whole(1, most),
                                              whole(1, most));
  s.walls = whole(0, 2);
  s.every_cell = whole(0, 3) == 0;
  s.transfer = whole(0, 1);
  s.compensate = whole(0, 1);
  s.seed = (uint64_t)whole(0, 3);
  s.spacing = whole(0, 1) ? 1.0/s.cells[0] : pow(10.0, between(-3.0, 3.0));
  s.density = pow(10.0, between(-1.0, 4.0));
  s.substeps = whole(0, 3) ? 64 : whole(1, 3);
  s.cfl = between(0.5, 6.0);
  if (whole(0, 2) == 0) s.gravity[0] = between(-20.0, 20.0);
  for (int a = 0; a < 3; a++) size[a] = dimension == 2 && a == 2 ? 0.0 : s.cells[a]*s.spacing;
  s.step = between(0.02, 0.2)*sqrt(size[1]/10.0);
  perp_fluid *f = fluid_with(&s);
  for (int k = whole(0, 3); k > 0; k--) add(f, some_solid(size, dimension));
  for (int k = whole(1, 3); k > 0; k--) {
    perp_fluid_shape where =
        whole(0, 1) ? perp_fluid_box(between(0.0, size[0]), between(0.0, size[1]), 0.5*size[2],
                                     between(0.1, 0.7)*size[0], between(0.1, 0.7)*size[1], 0.0)
                    : perp_fluid_sphere(between(0.0, size[0]), between(0.0, size[1]),
                                        between(0.0, size[2]), between(0.1, 0.5)*size[1]);
    for (int a = 0; a < dimension; a++)
      if (whole(0, 1)) where.velocity[a] = between(-1.0, 1.0)*sqrt(10.0*size[1]);
    put(f, where);
  }
  return f;
}

static void scenes_by_chance_go_on(void **unused) {
  (void)unused;
  int solved = 0, infeasible = 0, parting = 0;
  const int trials = fewer(often(60));
  for (int trial = 0; trial < trials; trial++) {
    double size[3];
    perp_fluid *f = some_fluid(size);
    for (int k = 0; k < 10; k++) {
      const perp_fluid_report r = step(f);
      if (r.unsolved > 0 && r.worst_status != PERP_STATUS_INFEASIBLE)
        fail_msg("trial %d, step %d: %s, residual %g", trial, k,
                 perp_status_name((perp_status)r.worst_status), r.residual);
      solved += r.solved, infeasible += r.unsolved, parting += r.separating > 0;
      assert_true(isfinite(r.volume) && isfinite(r.kinetic) && isfinite(r.divergence));
      const perp_fluid_state s = look(f);
      for (int a = 0; a < f->dimension; a++)
        for (int64_t p = 0; p < s.particles; p++)
          assert_true(s.x[a][p] >= 0.0 && s.x[a][p] <= size[a] && isfinite(s.v[a][p]));
    }
    perp_fluid_destroy(f);
  }
  assert_true(solved > 5*trials && parting > trials/4);
  if (trials >= 60) assert_true(infeasible > 0);   // squeezed ones are among them
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(scenes_by_chance_go_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
