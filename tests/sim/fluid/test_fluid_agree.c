// test_fluid_agree.c: pressure problems of simulations, by methods that share nothing: active_set
// on the grid, active_set on the same matrix by columns, Gauss-Seidel written here and, where there
// is one, Siconos on the complementary cells after the others are eliminated here.
#include "fluid_support.h"

#ifdef CAMPAIGN_SICONOS
#include "campaign_siconos.h"
#endif

typedef struct matrix_of {     // A as the header of perp_grid defines it, by columns
  int32_t n;
  int32_t *colptr, *row;
  double *value;
  perp_csc csc;
} matrix_of;

static matrix_of assemble(const perp_grid *g) {
  const int32_t *m = g->cells, n = m[0]*m[1]*m[2];
  matrix_of s = {.n = n};
  s.colptr = calloc((size_t)n + 1, sizeof(int32_t));
  s.row = calloc(7*(size_t)n, sizeof(int32_t));
  s.value = calloc(7*(size_t)n, sizeof(double));
  assert_true(s.colptr != NULL && s.row != NULL && s.value != NULL);
  int32_t entries = 0;
  for (int32_t c = 0; c < n; c++) {
    const int32_t place[3] = {c%m[0], c/m[0]%m[1], c/m[0]/m[1]};
    if (g->type[c] != PERP_CELL_LIQUID) {
      s.row[entries] = c, s.value[entries++] = 1.0;
      s.colptr[c + 1] = entries;
      continue;
    }
    double diagonal = 0.0;
    int32_t middle = -1;
    static const int order[7][2] = {{2, -1}, {1, -1}, {0, -1}, {-1, 0}, {0, 1}, {1, 1}, {2, 1}};
    for (int k = 0; k < 7; k++) {   // neighbours by rising number
      const int a = order[k][0], way = order[k][1];
      if (a < 0) {
        middle = entries;
        s.row[entries++] = c;
        continue;
      }
      if (place[a] + way < 0 || place[a] + way >= m[a]) continue;
      int32_t p[3] = {place[0], place[1], place[2]}, f[3] = {place[0], place[1], place[2]};
      p[a] += way;
      f[a] += way > 0;
      const int32_t d = (p[2]*m[1] + p[1])*m[0] + p[0];
      if (g->type[d] == PERP_CELL_SOLID) continue;
      const int32_t face = (f[2]*(m[1] + (a == 1)) + f[1])*(m[0] + (a == 0)) + f[0];
      const double w = (g->face[a] != NULL ? g->face[a][face] : 1.0)/(g->spacing[a]*g->spacing[a]);
      diagonal += w;
      if (g->type[d] != PERP_CELL_LIQUID || w == 0.0) continue;
      s.row[entries] = d, s.value[entries++] = -w;
    }
    s.value[middle] = diagonal;
    s.colptr[c + 1] = entries;
  }
  s.csc = (perp_csc){.rows = n, .columns = n, .colptr = s.colptr, .row = s.row, .value = s.value};
  return s;
}

static void release(matrix_of *s) {
  free(s->colptr);
  free(s->row);
  free(s->value);
}

static double row_at(const matrix_of *s, const double *b, const double *x, int32_t i) {   // y_i
  double y = b[i];
  for (int32_t k = s->colptr[i]; k < s->colptr[i + 1]; k++) y += s->value[k]*x[s->row[k]];
  return y;
}

static double diagonal_at(const matrix_of *s, int32_t i) {
  for (int32_t k = s->colptr[i]; k < s->colptr[i + 1]; k++)
    if (s->row[k] == i) return s->value[k];
  return 0.0;
}

// projected successive over-relaxation until x hardly changes
static void relax(const matrix_of *s, const perp_problem *p, double *x) {
  for (int sweep = 0; sweep < 20000; sweep++) {
    double change = 0.0, most = 0.0;
    for (int32_t i = 0; i < s->n; i++) {
      const double now = fmin(fmax(x[i] - 1.8*row_at(s, p->b, x, i)/diagonal_at(s, i), p->lo[i]),
                              p->hi[i]);
      change = fmax(change, fabs(now - x[i]));
      x[i] = now;
      most = fmax(most, fabs(now));
    }
    if (change <= 1e-14*most) return;
  }
}

#ifdef CAMPAIGN_SICONOS
// x by Siconos: equations are eliminated by Gauss, what is left is an LCP. 0: it is too large.
static int by_siconos(const matrix_of *s, const perp_problem *p, double *x) {
  const int32_t n = s->n;
  int32_t *place = calloc((size_t)n, sizeof(int32_t)), complementary = 0, total = 0;
  for (int pass = 0; pass < 2; pass++)   // complementary rows first
    for (int32_t i = 0; i < n; i++)
      if (p->lo[i] < p->hi[i] && (p->lo[i] == 0.0) == (pass == 0)) {
        place[i] = total++;
        complementary += pass == 0;
      }
  const int fits = complementary <= 64 && complementary > 0;
  double *M = calloc((size_t)total*(size_t)total + 1, sizeof(double));
  double *q = calloc((size_t)total + 1, sizeof(double)), small[64*64], z[64];
  for (int32_t i = 0; i < n; i++) {
    if (p->lo[i] == p->hi[i]) continue;
    q[place[i]] = p->b[i];
    for (int32_t k = s->colptr[i]; k < s->colptr[i + 1]; k++)
      M[place[i]*total + place[s->row[k]]] = s->value[k];
  }
  for (int32_t e = total - 1; fits && e >= complementary; e--)   // rows and columns from the end
    for (int32_t i = 0; i < e; i++) {
      const double t = M[i*total + e]/M[e*total + e];
      if (t == 0.0) continue;
      for (int32_t j = 0; j < e; j++) M[i*total + j] -= t*M[e*total + j];
      q[i] -= t*q[e];
    }
  int solved = 0;
  if (fits) {
    for (int32_t i = 0; i < complementary; i++)
      for (int32_t j = 0; j < complementary; j++)
        small[i*complementary + j] = M[i*total + j];
    solved = siconos_solve(0, complementary, small, q, z);
    double *all = calloc((size_t)total, sizeof(double));
    for (int32_t i = 0; i < total; i++) {
      if (i < complementary) { all[i] = z[i]; continue; }
      double y = q[i];
      for (int32_t j = 0; j < i; j++) y += M[i*total + j]*all[j];
      all[i] = -y/M[i*total + i];
    }
    for (int32_t i = 0; i < n; i++) x[i] = p->lo[i] < p->hi[i] ? all[place[i]] : 0.0;
    free(all);
  }
  free(place);
  free(M);
  free(q);
  return solved;
}
#endif

static void same(const char *what, const double *x, const double *y, int32_t n, double tol) {
  double most = 0.0, wrong = 0.0;
  for (int32_t i = 0; i < n; i++) {
    most = fmax(most, fabs(y[i]));
    wrong = fmax(wrong, fabs(x[i] - y[i]));
  }
  if (!(wrong <= tol*most)) fail_msg("%s differs by %g of %g", what, wrong, most);
}

// how many problems Siconos has solved as well
static int check_methods(const perp_fluid *f, int siconos) {
  int asked = 0;
  perp_problem p;
  const double *used;
  assert_int_equal(perp_fluid_problem(f, &p, &used), PERP_OK);
  const perp_view view = p.A.ops->view(p.A.self);
  assert_int_equal(view.kind, PERP_VIEW_GRID);
  matrix_of s = assemble(view.data);
  const int32_t n = s.n;
  assert_int_equal(p.A.n, n);
  double *x = calloc((size_t)n, sizeof(double)), *y = calloc((size_t)n, sizeof(double));
  relax(&s, &p, x);
  same("what the fluid used", used, x, n, 1e-6);
  perp_problem q = p;
  q.A = perp_from_csc(&s.csc, PERP_CLAIM_NONE);
  perp_options options = perp_default_options(perp_find_method("active_set"));
  options.tol = 1e-11;
  perp_result r;
  for (int by_columns = 0; by_columns < 2; by_columns++) {
    memset(y, 0, (size_t)n*sizeof(double));
    assert_int_equal(perp_solve_once(by_columns ? &q : &p, y, &options, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    same(by_columns ? "active_set by columns" : "active_set on the grid", y, x, n, 1e-8);
  }
#ifdef CAMPAIGN_SICONOS
  if (siconos && by_siconos(&s, &p, y)) {
    same("Siconos", y, x, n, 1e-7);
    asked = 1;
  }
#else
  (void)siconos;
#endif
  free(x);
  free(y);
  release(&s);
  return asked;
}

static void methods_agree_on_problems_of_simulations(void **unused) {
  (void)unused;
  int asked = 0;
  for (int scene = 0; scene < 4; scene++) {
    const int dimension = scene == 3 ? 3 : 2;
    const int32_t n = scene == 0 ? 14 : scene == 3 ? 10 : 28;
    perp_fluid_settings s = perp_fluid_defaults(dimension, n, n, n);
    s.every_cell = scene == 2;
    perp_options options = perp_default_options(NULL);
    options.tol = 1e-11;
    s.options = &options;
    perp_fluid *f = fluid_with(&s);
    if (scene != 1) add(f, perp_fluid_sphere(0.45, 0.3, 0.5, 0.15));
    put(f, scene == 1 ? perp_fluid_box(0.5, 0.85, 0.0, 0.5, 0.15, 0.0)
                      : perp_fluid_box(0.5, 0.66, 0.5, 0.24, 0.2, 0.3));
    int parted = 0;
    for (int k = 0; k < 24; k++) {
      const perp_fluid_report r = step(f);
      assert_int_equal(r.unsolved, 0);
      parted += r.separating > 0;
      if (k%4 == 3 && r.liquid > 0) asked += check_methods(f, scene == 0);
    }
    if (scene < 2) assert_true(parted > 0);
    perp_fluid_destroy(f);
  }
#ifdef CAMPAIGN_SICONOS
  assert_true(asked > 1);
#else
  assert_int_equal(asked, 0);
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(methods_agree_on_problems_of_simulations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
