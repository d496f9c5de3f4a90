// test_grid_certify.c: a grid is judged as the matrix that it is. Its certificate takes the
// scaling, the components and the units from its structure; that of the matrix, built by
// grid_sample.h, finds them in its entries. Both see the same right, nearly right and wrong x.
#include "grid_sample.h"

static const double tol = 1e-8;
// Both certificates scale by the same powers of two. What is left are roundings of the entries,
// 1e-14 of the products in a row: residuals are compared where that is little, or entries exact.
#define FACTOR 1.001

typedef struct tally { int solved, wrong, compared, attainable, exact; } tally;

static perp_certificate judged(const perp_problem *p, const double *x) {
  perp_certificate c;
  if (perp_certify(p, x, tol, 0.0, NULL, &c) != PERP_OK) fail_msg("%s", perp_last_message());
  return c;
}

// It gets no tolerance: in which unit it is wrong does not matter.
static int is_empty(const grid_sample *s, int32_t row) {
  return s->colptr[row + 1] == s->colptr[row] + 1 && s->value[s->colptr[row]] == 0.0;
}

static void compare(const grid_sample *s, const double *x, tally *t) {
  const perp_certificate a = judged(&s->problem, x), b = judged(&s->matrix, x);
  assert_false(a.weaker);
  assert_int_equal(a.components, b.components);
  double size = 0.0;   // entries are rounded sums and quotients: both matrices differ by that
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t p = s->colptr[j]; p < s->colptr[j + 1]; p++)
      size = fmax(size, fabs(s->value[p]*fmin(s->hi[j], fmax(s->lo[j], x[j]))));
  if (!(fabs(a.natural_residual - b.natural_residual) <= 1e-14*size))
    fail_msg("natural residual %.17g, %.17g, size %g", a.natural_residual, b.natural_residual,
             size);
  assert_true(a.bound_violation == b.bound_violation);
  t->solved += b.solved;
  t->wrong += !b.solved;
  t->attainable += b.attainable;
  const int clear = t->exact || b.natural_residual > 1e-11*size;
  if (b.residual < INF && b.residual > 1e-10 && a.residual > 1e-10 && clear &&
      !is_empty(s, a.worst) && !is_empty(s, b.worst)) {
    t->compared++;
    if (a.residual > FACTOR*b.residual || b.residual > FACTOR*a.residual)
      fail_msg("residual %.3g as grid, %.3g as matrix, rows %d and %d", a.residual, b.residual,
               a.worst, b.worst);
  }
  const int near = b.residual > tol/FACTOR && b.residual < FACTOR*tol;
  if (!near && !a.attainable && !b.attainable && a.solved != b.solved)
    fail_msg("solved %d as grid, %d as matrix: residuals %.3g (row %d), %.3g (row %d)", a.solved,
             b.solved, a.residual, a.worst, b.residual, b.worst);
  if (a.attainable != b.attainable && a.solved != b.solved && !near)
    fail_msg("attainable %d as grid, %d as matrix: residuals %.3g, %.3g", a.attainable,
             b.attainable, a.residual, b.residual);
}

// Bounds of all kinds, b of all sizes, also where there is no liquid; weights of all sizes.
static void vary(grid_sample *s, int trial) {
  if (trial % 6 == 5) {   // from 1e-6 to 1e7, and sums of six are exact: A is the same real matrix
    for (int d = 0; d < 3; d++) {
      const int32_t *cells = s->grid.cells;
      const int32_t count = (cells[0] + (d == 0))*(cells[1] + (d == 1))*(cells[2] + (d == 2));
      s->grid.spacing[d] = 1.0;
      for (int32_t f = 0; f < count; f++)
        s->face[d][f] = s->face[d][f] != 0.0 ? ldexp(whole(1, 15), whole(-20, 20)) : 0.0;
    }
    grid_sample_matrix(s);
  }
  perp_grid_bounds(&s->grid, trial % 2, s->lo, s->hi);
  const double size = pow(10.0, trial % 3 == 0 ? whole(-9, 9) : 0);
  for (int32_t i = 0; i < s->n; i++) {
    s->b[i] *= size;
    if (trial % 4 == 1 && s->type[i] == PERP_CELL_LIQUID && whole(0, 3) == 0) {
      s->lo[i] = between(-1.0, 1.0)*size;
      s->hi[i] = whole(0, 1) ? INF : s->lo[i] + uniform()*size;
    }
    if (trial % 4 == 3 && s->type[i] != PERP_CELL_LIQUID && whole(0, 1)) {
      s->b[i] = between(-1.0, 1.0)*pow(10.0, whole(-6, 6));
      if (whole(0, 1)) s->hi[i] = INF;
    }
  }
}

static void solve_matrix(const grid_sample *s, double *x) {
  perp_options o = perp_default_options(NULL);
  perp_result r;
  o.tol = 1e-12;
  for (int32_t i = 0; i < s->n; i++) x[i] = 0.0;
  if (perp_solve_once(&s->matrix, x, &o, &r) != PERP_OK) fail_msg("%s", perp_last_message());
}

static void verdicts_agree_with_the_matrix(void **state) {
  (void)state;
  static const int32_t shapes[][3] = {{9, 8, 1}, {14, 11, 1}, {6, 5, 4}, {1, 9, 1}, {3, 3, 7}};
  tally t = {0};
  for (int trial = 0; trial < often(fewer(120)); trial++) {
    const int32_t *shape = shapes[trial % 5];
    grid_sample s;
    grid_sample_random(&s, shape[0], shape[1], shape[2], trial % 3 == 1 ? 0.9 : 0.6);
    vary(&s, trial);
    t.exact = trial % 6 == 5;
    double *x = s.x, *z = grid_room((size_t)s.n, sizeof *z);
    solve_matrix(&s, x);
    compare(&s, x, &t);
    for (int k = 0; k < 12; k++) {
      const size_t bytes = (size_t)s.n*sizeof *z;
      memcpy(z, x, bytes);
      const int32_t wrong = whole(0, s.n - 1);
      if (k == 0) z[wrong] += between(-1.0, 1.0);                       // a cell
      else if (k == 1) z[wrong] *= 1.0 + 1e-6;
      else if (k == 2) memset(z, 0, bytes);                             // x_ref, perhaps
      else if (k == 3) for (int32_t i = 0; i < s.n; i++) z[i] = 1e12;   // a ray
      else if (k == 4) for (int32_t i = 0; i < s.n; i++) z[i] += 1e7*fabs(x[i]);
      else
        for (int32_t i = 0; i < s.n; i++)
          z[i] *= 1.0 + (whole(0, 3) == 0 ? between(-1.0, 1.0)*pow(10.0, -2.0*(k - 4)) : 0.0);
      compare(&s, z, &t);
    }
    free(z);
    grid_sample_free(&s);
  }
  print_message("%d solved, %d not, %d residuals compared, %d attainable\n", t.solved,
                t.wrong, t.compared, t.attainable);
  assert_true(t.solved > fewer(100) && t.wrong > fewer(100) && t.compared > fewer(100));
}

// Two pools of 3 x 3 cells with a wall between them, free surfaces above. What is large in one says
// nothing of the other.
static void a_pool_does_not_hide_another(void **state) {
  (void)state;
  grid_sample s = grid_sample_new(7, 4, 1);
  for (int32_t j = 0; j < 4; j++) s.type[7*j + 3] = PERP_CELL_SOLID;
  for (int32_t i = 0; i < 7; i++) s.type[21 + i] = PERP_CELL_AIR;
  grid_sample_matrix(&s);
  assert_int_equal(perp_grid_bounds(&s.grid, 1, s.lo, s.hi), PERP_OK);
  for (int32_t j = 0; j < 3; j++)
    for (int32_t i = 0; i < 3; i++) {
      s.b[7*j + i] = -1e12;
      s.b[7*j + 4 + i] = -1.0;
    }
  solve_matrix(&s, s.x);
  assert_true(judged(&s.problem, s.x).solved);
  assert_int_equal(judged(&s.problem, s.x).components, 2 + 7 + 3);
  s.x[7 + 5] *= 1.0 + 1e-6;
  const perp_certificate c = judged(&s.problem, s.x);
  assert_false(c.solved);
  assert_true(c.worst % 7 >= 4 && c.residual > 1e-7);
  grid_sample_free(&s);
}

// A liquid cell between solid ones has y = b whatever x is: b < 0 has no solution, b > 0 only lo.
static void empty_rows_get_no_tolerance(void **state) {
  (void)state;
  grid_sample s = grid_sample_new(5, 3, 1);
  for (int32_t h = 0; h < s.n; h++)
    if (h % 5 == 2 || h/5 != 1) s.type[h] = h % 5 > 2 ? PERP_CELL_AIR : PERP_CELL_SOLID;
  s.type[5] = PERP_CELL_SOLID;                          // (1, 1) is alone between solid cells
  grid_sample_matrix(&s);
  assert_int_equal(perp_grid_bounds(&s.grid, 1, s.lo, s.hi), PERP_OK);
  s.b[5 + 3] = -1e9;
  s.b[5 + 4] = -1e9;
  solve_matrix(&s, s.x);
  assert_true(judged(&s.problem, s.x).solved);
  for (int sign = -1; sign <= 1; sign += 2) {
    s.b[5 + 1] = 1e-12*sign;
    s.x[5 + 1] = 0.0;
    assert_int_equal(judged(&s.problem, s.x).solved, sign > 0);
    s.x[5 + 1] = 1e-30;
    assert_false(judged(&s.problem, s.x).solved);
    assert_int_equal(judged(&s.problem, s.x).worst, 5 + 1);
  }
  grid_sample_free(&s);
}

// Towards air, over theta = 1e-3, the diagonal is a thousand times that of other cells: an error of
// a tenth of a percent there counts like one elsewhere.
static void ghost_cells_are_judged_in_their_own_units(void **state) {
  (void)state;
  grid_sample s = grid_sample_new(8, 8, 1);
  for (int32_t i = 0; i < 8; i++) {
    s.type[56 + i] = PERP_CELL_AIR;
    s.face[1][56 + i] = i % 2 ? 1.0 : 1000.0;
  }
  s.grid.spacing[0] = 0.25;
  grid_sample_matrix(&s);
  assert_int_equal(perp_grid_bounds(&s.grid, 1, s.lo, s.hi), PERP_OK);
  for (int32_t h = 0; h < 56; h++) s.b[h] = -1.0;
  solve_matrix(&s, s.x);
  assert_true(judged(&s.problem, s.x).solved);
  for (int32_t i = 0; i < 8; i++) {
    const double x = s.x[48 + i];
    for (int up = 0; up < 2; up++) {
      s.x[48 + i] = x*(1.0 + (up ? 1e-3 : 1e-13));
      assert_int_equal(judged(&s.problem, s.x).solved, !up);
    }
    s.x[48 + i] = x;
  }
  grid_sample_free(&s);
}

// The solver's own certificate is that of perp_certify, with stamps and with other data in between.
static void stamps_keep_what_depends_on_the_grid_only(void **state) {
  (void)state;
  grid_sample s;
  grid_sample_random(&s, 13, 12, 3, 0.7);
  perp_solver *solver;
  perp_options o = perp_default_options(perp_find_method("pgs"));
  o.iteration_limit = 40;
  s.problem.pattern_stamp = s.problem.value_stamp = 7;
  const perp_limits limits = perp_limits_of(&s.problem);
  assert_int_equal(limits.grid, 1);
  assert_int_equal(perp_solver_create(o.method, &limits, &o, NULL, &solver), PERP_OK);
  for (int trial = 0; trial < 6; trial++) {
    assert_int_equal(perp_grid_bounds(&s.grid, trial % 2, s.lo, s.hi), PERP_OK);
    for (int32_t i = 0; i < s.n; i++) {
      s.b[i] = s.type[i] == PERP_CELL_LIQUID ? between(-1.0, 1.0) : 0.0;
      s.x[i] = 0.0;
    }
    if (trial == 4) {   // another grid
      for (int d = 0; d < 3; d++) s.grid.spacing[d] *= 3.0;
      for (int32_t i = 0; i < s.n; i += 5) s.type[i] = PERP_CELL_SOLID;
      s.problem.pattern_stamp = s.problem.value_stamp = 8;
    }
    perp_result r;
    assert_int_equal(perp_solve(solver, &s.problem, s.x, &r), PERP_OK);
    perp_certificate c;
    assert_int_equal(perp_certify(&s.problem, s.x, o.tol, 0.0, NULL, &c), PERP_OK);
    assert_int_equal(c.components, r.certificate.components);
    assert_true(fabs(c.residual - r.certificate.residual) <= 1e-3*c.residual);
    assert_int_equal(c.solved, r.certificate.solved);
  }
  perp_solver_destroy(solver);
  grid_sample_free(&s);
}

// The certificate is shared among threads: the same bits at any number of them.
static void threads_change_no_bit(void **state) {
  (void)state;
  grid_sample s;
  grid_sample_random(&s, 41, 33, 3, 0.8);
  assert_int_equal(perp_grid_bounds(&s.grid, 0, s.lo, s.hi), PERP_OK);
  double *guess = grid_room((size_t)s.n, sizeof *guess);
  for (int32_t i = 0; i < s.n; i++) guess[i] = between(-1.0, 2.0);   // some outside the bounds
  perp_certificate first;
  for (int threads = 1; threads <= 4; threads *= 2) {
    perp_options o = perp_default_options(perp_find_method("pgs"));
    o.threads = threads;
    o.iteration_limit = 0;
    perp_result r;
    memcpy(s.x, guess, (size_t)s.n*sizeof *guess);
    assert_int_equal(perp_solve_once(&s.problem, s.x, &o, &r), PERP_OK);
    if (threads == 1) first = r.certificate;
    assert_true(r.certificate.residual == first.residual && r.certificate.worst == first.worst);
    assert_true(r.certificate.gap == first.gap);
    assert_true(r.certificate.natural_residual == first.natural_residual);
  }
  free(guess);
  grid_sample_free(&s);
}

// Liquid without air, with any weights: b that presses it together has no solution, and u = 1
// proves it for all x, not only for those of some size.
static void a_full_container_cannot_be_pressed_together(void **state) {
  (void)state;
  for (int trial = 0; trial < 8; trial++) {
    grid_sample s;
    grid_sample_random(&s, 7, 6, trial % 2 ? 4 : 1, 1.0);
    for (int d = 0; d < 3; d++) {
      const int32_t along = s.grid.cells[d], faces = s.n/along*(along + 1);
      for (int32_t f = 0; f < faces; f++) s.face[d][f] += 0.01;   // one component
    }
    grid_sample_matrix(&s);
    double sum = 0.0, *u = grid_room((size_t)s.n, sizeof *u);
    assert_int_equal(perp_grid_bounds(&s.grid, 0, s.lo, s.hi), PERP_OK);
    for (int32_t i = 0; i < s.n; i++) sum += s.b[i];
    for (int32_t i = 0; i < s.n; i++) {
      s.b[i] += ((trial < 4 ? -1e-2 : 1e-9) - sum)/s.n;   // beyond the tolerance
      u[i] = 1.0;
    }
    perp_farkas f;
    assert_int_equal(perp_check_farkas(&s.problem, u, &f), PERP_OK);
    assert_int_equal(f.proven, trial < 4);
    if (trial < 4) assert_true(f.radius == INF && f.value < 0.0);
    u[3] = 2.0;   // no longer constant: A u is not 0
    assert_int_equal(perp_check_farkas(&s.problem, u, &f), PERP_OK);
    assert_false(f.proven);
    free(u);
    grid_sample_free(&s);
  }
}

static void a_closed_cell_is_proven_to_be_one(void **state) {
  (void)state;
  static const char *const methods[] = {"auto", "pgs", "minmap_newton", "active_set"};
  grid_sample s = grid_sample_new(5, 3, 1);
  for (int32_t h = 0; h < s.n; h++)
    if (h % 5 == 2 || h/5 != 1) s.type[h] = h % 5 > 2 ? PERP_CELL_AIR : PERP_CELL_SOLID;
  s.type[5] = PERP_CELL_SOLID;
  grid_sample_matrix(&s);
  assert_int_equal(perp_grid_bounds(&s.grid, 0, s.lo, s.hi), PERP_OK);
  s.b[5 + 1] = -1.0;
  s.b[5 + 3] = s.b[5 + 4] = -2.0;
  for (size_t k = 0; k < sizeof methods/sizeof *methods; k++) {
    perp_options o = perp_default_options(perp_find_method(methods[k]));
    double u[15];
    o.farkas = u;
    perp_result r;
    memset(s.x, 0, (size_t)s.n*sizeof *s.x);
    assert_int_equal(perp_solve_once(&s.problem, s.x, &o, &r), PERP_OK);
    if (r.status != PERP_STATUS_INFEASIBLE) fail_msg("%s: %s", methods[k], r.message);
    assert_true(u[5 + 1] > 0.0 && r.radius == INF);
  }
  grid_sample_free(&s);
}

// The memory set aside for grids is refused to others.
static void limits_of_grids_are_for_grids(void **state) {
  (void)state;
  grid_sample s;
  grid_sample_random(&s, 6, 5, 1, 0.7);
  perp_limits limits = perp_limits_of(&s.problem);
  limits.nnz = s.colptr[s.n];
  limits.scratch = 1000000;
  perp_options o = perp_default_options(perp_find_method("pgs"));
  perp_solver *solver;
  perp_result r;
  assert_int_equal(perp_solver_create(o.method, &limits, &o, NULL, &solver), PERP_OK);
  assert_int_equal(perp_solve(solver, &s.problem, s.x, &r), PERP_OK);
  assert_int_equal(perp_solve(solver, &s.matrix, s.x, &r), PERP_ERROR_CAPACITY);
  assert_non_null(strstr(perp_last_message(), "limits.grid"));
  perp_solver_destroy(solver);
  limits.grid = 0;   // and a solver for all kinds takes a grid by its entries
  assert_int_equal(perp_solver_create(o.method, &limits, &o, NULL, &solver), PERP_OK);
  assert_int_equal(perp_solve(solver, &s.problem, s.x, &r), PERP_OK);
  assert_int_equal(perp_solve(solver, &s.matrix, s.x, &r), PERP_OK);
  perp_solver_destroy(solver);
  grid_sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(verdicts_agree_with_the_matrix),
    cmocka_unit_test(a_pool_does_not_hide_another),
    cmocka_unit_test(empty_rows_get_no_tolerance),
    cmocka_unit_test(ghost_cells_are_judged_in_their_own_units),
    cmocka_unit_test(stamps_keep_what_depends_on_the_grid_only),
    cmocka_unit_test(threads_change_no_bit),
    cmocka_unit_test(a_full_container_cannot_be_pressed_together),
    cmocka_unit_test(a_closed_cell_is_proven_to_be_one),
    cmocka_unit_test(limits_of_grids_are_for_grids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
