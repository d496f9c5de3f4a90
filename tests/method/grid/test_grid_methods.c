// test_grid_methods.c: every method takes a grid of cells as it takes the matrix by columns, and
// what it claims holds for that matrix.
// cost: 4
#include "grid_sample.h"

// The largest |mid(x - hi, y, x - lo)| over what x_ref = clamp(0) leaves, by the test's own matrix.
static double residual_of(const grid_sample *s, const double *x) {
  double *y = grid_room((size_t)s->n, sizeof *y), worst = 0.0, size = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    double most = 0.0;
    memcpy(y, s->b, (size_t)s->n*sizeof *y);
    for (int32_t j = 0; j < s->n; j++) {
      const double at = pass ? x[j] : fmin(s->hi[j], fmax(s->lo[j], 0.0));
      for (int32_t p = s->colptr[j]; p < s->colptr[j + 1]; p++) y[s->row[p]] += s->value[p]*at;
    }
    for (int32_t i = 0; i < s->n; i++) {
      const double at = pass ? x[i] : fmin(s->hi[i], fmax(s->lo[i], 0.0));
      most = fmax(most, fabs(fmin(at - s->lo[i], fmax(at - s->hi[i], y[i]))));
    }
    if (pass) worst = most;
    else size = most;
  }
  free(y);
  return size > 0.0 ? worst/size : worst;
}

// A pool with air above (A is an M-matrix there), random solids, weights and bounds.
static void make_pool(grid_sample *s, int trial) {
  const int32_t nz = trial % 2 ? 3 : 1, ny = trial % 2 ? 4 : 7;
  *s = grid_sample_new(5, ny, nz);
  for (int d = 0; d < 3; d++) s->grid.spacing[d] = trial % 3 ? between(0.5, 2.0) : 1.0;
  for (int32_t h = 0; h < s->n; h++) {
    const int32_t j = h/5 % ny;
    s->type[h] = j == ny - 1 ? PERP_CELL_AIR : PERP_CELL_LIQUID;
    if (j > 0 && j < ny - 2 && whole(0, 9) == 0) s->type[h] = PERP_CELL_SOLID;
  }
  for (int32_t f = 0; f < 5*(ny + 1)*nz; f++)
    s->face[1][f] = trial % 4 == 2 && whole(0, 3) == 0 ? between(0.3, 3.0) : 1.0;
  grid_sample_matrix(s);
  assert_int_equal(perp_grid_bounds(&s->grid, trial % 2, s->lo, s->hi), PERP_OK);
  for (int32_t h = 0; h < s->n; h++) {
    s->b[h] = s->type[h] == PERP_CELL_LIQUID ? between(-1.0, 1.0) : 0.0;
    if (trial % 5 == 4 && s->type[h] == PERP_CELL_LIQUID) {   // boxes
      s->lo[h] = whole(0, 1) ? between(-1.0, 0.5) : 0.0;
      s->hi[h] = s->lo[h] + 0.7;
    }
  }
}

static void methods_take_grids_as_they_take_matrices(void **state) {
  (void)state;
  int both = 0, runs = 0;
  for (int trial = 0; trial < often(fewer(10)); trial++) {
    grid_sample s;
    make_pool(&s, trial);
    double *z = grid_room((size_t)s.n, sizeof *z);
    for (int32_t k = 0; k < perp_method_count(); k++) {
      const perp_method *m = perp_method_at(k);
      const int accepts = takes(m, &s.problem);
      if (accepts != takes(m, &s.matrix))
        fail_msg("%s: takes the %s only: %s", m->name, accepts ? "grid" : "matrix",
                 perp_last_message());
      if (!accepts || (m->traits & PERP_TRAIT_ALL)) continue;
      perp_options o = perp_default_options(m);
      o.iteration_limit = 20000;
      perp_result a, b;
      memset(s.x, 0, (size_t)s.n*sizeof *s.x);
      memset(z, 0, (size_t)s.n*sizeof *z);
      if (perp_solve_once(&s.problem, s.x, &o, &a) != PERP_OK)
        fail_msg("%s: %s", m->name, perp_last_message());
      assert_int_equal(perp_solve_once(&s.matrix, z, &o, &b), PERP_OK);
      runs++;
      if (a.status == PERP_STATUS_SOLVED && !(residual_of(&s, s.x) <= 1e-6))
        fail_msg("%s claims success with residual %g", m->name, residual_of(&s, s.x));
      if (b.status == PERP_STATUS_SOLVED && a.status != PERP_STATUS_SOLVED)
        fail_msg("%s, trial %d: solves the matrix, of the grid: %s", m->name, trial, a.message);
      if (a.status != PERP_STATUS_SOLVED || b.status != PERP_STATUS_SOLVED) continue;
      both++;
      for (int32_t i = 0; i < s.n; i++)
        if (!(fabs(s.x[i] - z[i]) <= 1e-5*(1.0 + fabs(z[i]))))
          fail_msg("%s, trial %d: x[%d] = %.9g on the grid, %.9g by columns", m->name, trial, i,
                   s.x[i], z[i]);
    }
    free(z);
    grid_sample_free(&s);
  }
  print_message("%d of %d solved both ways\n", both, runs);
  assert_true(both*10 > runs*8);
}

// The paper's configuration: it ends by its own rules, near a solution, and says no more.
static void the_papers_parameters_are_a_preset(void **state) {
  (void)state;
  perp_options o = perp_default_options(perp_find_method("minmap_newton"));
  assert_int_equal(perp_set_option(&o, "preset", "paper"), PERP_OK);
  assert_int_equal(o.iteration_limit, 10);
  assert_int_equal(o.newton.inner, PERP_INNER_MASKS);
  assert_int_equal(o.krylov.solver, PERP_KRYLOV_CG);
  assert_int_equal(o.krylov.preconditioner, PERP_PRECONDITIONER_IDENTITY);
  assert_int_equal(o.krylov.iterations, 1000);
  assert_true(o.newton.alpha == 1e-3 && o.newton.beta == 0.5 && o.newton.gamma == 0.01);
  assert_true(o.newton.delta <= ldexp(1.0, -100) && o.newton.delta > ldexp(1.0, -101));
  assert_true(o.stop.tol == 1e-5 && o.stop.relative == 1e-5 && o.stop.stagnation == 1e-5);
  for (int trial = 0; trial < 6; trial++) {
    grid_sample s;
    make_pool(&s, trial);
    perp_result r;
    assert_int_equal(perp_solve_once(&s.problem, s.x, &o, &r), PERP_OK);
    assert_true(r.iterations <= 10 && r.inner_iterations > 0);
    assert_true(residual_of(&s, s.x) < 0.05);
    grid_sample_free(&s);
  }
  assert_int_equal(perp_set_option(&o, "preset", "other"), PERP_ERROR_OPTION);
  o = perp_default_options(perp_find_method("pgs"));
  assert_int_equal(perp_set_option(&o, "preset", "paper"), PERP_ERROR_OPTION);
  assert_non_null(strstr(perp_last_message(), "pgs has no preset 'paper'"));
}

// Each solver with each preconditioner, between masks and on index sets, finds the same pressure.
static void krylov_solvers_agree_on_grids(void **state) {
  (void)state;
  static const char *const solvers[] = {"cg", "cr", "gmres", "bicgstab"},
      *const preconditioners[] = {"identity", "jacobi", "ic", "ainv_plain", "ainv_scaled",
                                  "ainv_static"},
      *const inner[] = {"masks", "krylov"};
  grid_sample s;
  make_pool(&s, 3);
  double *z = grid_room((size_t)s.n, sizeof *z);
  perp_options o = perp_default_options(perp_find_method("minmap_newton"));
  perp_result r;
  assert_int_equal(perp_solve_once(&s.matrix, z, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  for (int k = 0; k < 4*6*2; k++) {
    o = perp_default_options(perp_find_method("minmap_newton"));
    assert_int_equal(perp_set_option(&o, "newton.inner", inner[k % 2]), PERP_OK);
    assert_int_equal(perp_set_option(&o, "krylov.solver", solvers[k/2 % 4]), PERP_OK);
    assert_int_equal(perp_set_option(&o, "krylov.preconditioner", preconditioners[k/8]), PERP_OK);
    memset(s.x, 0, (size_t)s.n*sizeof *s.x);
    assert_int_equal(perp_solve_once(&s.problem, s.x, &o, &r), PERP_OK);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%d: %s", k, r.message);
    for (int32_t i = 0; i < s.n; i++) assert_true(fabs(s.x[i] - z[i]) <= 1e-5*(1.0 + fabs(z[i])));
  }
  free(z);
  grid_sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(methods_take_grids_as_they_take_matrices),
    cmocka_unit_test(the_papers_parameters_are_a_preset),
    cmocka_unit_test(krylov_solvers_agree_on_grids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
