// test_shared.c: every problem of a folder of Matrix Market files: no false claims.
//
// PERP_SHARED_PROBLEMS names the folder: INDEX.csv with the columns name and status, and
// name/A.mtx, b.mtx, maybe lo.mtx and hi.mtx. Without the folder the test is skipped.
// cost: 25
#include "support.h"

static int read_line(FILE *file, char *line, int size) {  // 1: a line without '%' at its beginning
  while (fgets(line, size, file) != NULL)
    if (line[0] != '%' && line[strspn(line, " \t\r\n")] != '\0') return 1;
  return 0;
}

static double *read_vector(const char *path, int32_t *n) {  // NULL: no such file
  FILE *file = fopen(path, "r");
  if (file == NULL) return NULL;
  char line[512];
  long rows = 0;
  assert_true(read_line(file, line, sizeof line));
  rows = strtol(line, NULL, 10);
  double *v = calloc((size_t)rows + 1, sizeof *v);
  assert_non_null(v);
  for (long i = 0; i < rows; i++) {
    assert_true(read_line(file, line, sizeof line));
    v[i] = strtod(line, NULL);
  }
  fclose(file);
  *n = (int32_t)rows;
  return v;
}

typedef struct entry {
  int32_t row, column;
  double value;
} entry;

static int by_column(const void *a, const void *b) {
  const entry *p = a, *q = b;
  return p->column != q->column ? (p->column > q->column) - (p->column < q->column)
                                : (p->row > q->row) - (p->row < q->row);
}

typedef struct loaded {
  perp_csc csc;
  double *b, *lo, *hi;
  perp_problem problem;
} loaded;

static void read_matrix(const char *path, perp_csc *A) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char line[512];
  assert_non_null(fgets(line, sizeof line, file));
  const int symmetric = strstr(line, "symmetric") != NULL, array = strstr(line, " array") != NULL;
  assert_true(read_line(file, line, sizeof line));
  char *end;
  const long rows = strtol(line, &end, 10), columns = strtol(end, &end, 10);
  const long count = array ? rows*columns : strtol(end, &end, 10);
  assert_int_equal(rows, columns);
  entry *e = calloc((size_t)(2*count) + 1, sizeof *e);
  int32_t *colptr = calloc((size_t)columns + 1, sizeof *colptr),
          *row = calloc((size_t)(2*count) + 1, sizeof *row);
  double *value = calloc((size_t)(2*count) + 1, sizeof *value);
  assert_true(e != NULL && colptr != NULL && row != NULL && value != NULL);
  size_t m = 0;
  for (long k = 0; k < count; k++) {
    assert_true(read_line(file, line, sizeof line));
    const int32_t i = array ? (int32_t)(k%rows) : (int32_t)strtol(line, &end, 10) - 1;
    const int32_t j = array ? (int32_t)(k/rows) : (int32_t)strtol(end, &end, 10) - 1;
    const double v = strtod(array ? line : end, NULL);
    e[m++] = (entry){i, j, v};
    if (symmetric && i != j) e[m++] = (entry){j, i, v};
  }
  fclose(file);
  qsort(e, m, sizeof *e, by_column);
  int32_t nnz = 0;
  for (size_t k = 0; k < m; k++) {
    if (k > 0 && e[k].row == e[k - 1].row && e[k].column == e[k - 1].column) {
      value[nnz - 1] += e[k].value;
      continue;
    }
    row[nnz] = e[k].row;
    value[nnz++] = e[k].value;
    colptr[e[k].column + 1]++;
  }
  for (long j = 0; j < columns; j++) colptr[j + 1] += colptr[j];
  free(e);
  *A = (perp_csc){(int32_t)rows, (int32_t)columns, colptr, row, value};
}

static loaded load(const char *folder, const char *name) {
  char path[1024];
  int32_t n;
  loaded p = {0};
  snprintf(path, sizeof path, "%s/%s/A.mtx", folder, name);
  read_matrix(path, &p.csc);
  snprintf(path, sizeof path, "%s/%s/b.mtx", folder, name);
  p.b = read_vector(path, &n);
  assert_non_null(p.b);
  assert_int_equal(n, p.csc.rows);
  snprintf(path, sizeof path, "%s/%s/lo.mtx", folder, name);
  p.lo = read_vector(path, &n);
  snprintf(path, sizeof path, "%s/%s/hi.mtx", folder, name);
  p.hi = read_vector(path, &n);
  return p;
}

static void unload(loaded *p) {
  free((void *)(uintptr_t)p->csc.colptr);
  free((void *)(uintptr_t)p->csc.row);
  free((void *)(uintptr_t)p->csc.value);
  free(p->b);
  free(p->lo);
  free(p->hi);
}

// Largest natural residual in long double, over that at the point of the box nearest to 0.
static double judged(const loaded *p, const double *x) {
  const size_t n = (size_t)p->csc.columns;
  double *z = calloc(n + 1, sizeof *z);
  assert_non_null(z);
  for (size_t i = 0; i < n; i++) {
    const double lo = p->lo != NULL ? p->lo[i] : 0.0, hi = p->hi != NULL ? p->hi[i] : INF;
    z[i] = lo > 0 ? lo : hi < 0 ? hi : 0.0;
  }
  double size;
  const double at_x = csc_residual(&p->csc, p->b, p->lo, p->hi, x, NULL),
               at_zero = csc_residual(&p->csc, p->b, p->lo, p->hi, z, &size);
  free(z);
  return at_x/(at_zero > 0 ? at_zero : size > 0 ? size : 1.0);
}

static void no_false_claims(void **state) {
  (void)state;
  const char *folder = getenv("PERP_SHARED_PROBLEMS");
  char path[1024], line[2048];
  snprintf(path, sizeof path, "%s/INDEX.csv", folder != NULL ? folder : "");
  FILE *index = folder != NULL ? fopen(path, "r") : NULL;
  if (index == NULL) {
    print_message("no folder of problems: set PERP_SHARED_PROBLEMS\n");
    skip();
  }
  assert_non_null(fgets(line, sizeof line, index));  // name,n,nnz,symmetric,status,...
  int solvable = 0, by_auto = 0, problems = 0, wrong = 0;
  while (fgets(line, sizeof line, index) != NULL) {
    char name[256] = "", status[64] = "";
    if (sscanf(line, "%255[^,],%*[^,],%*[^,],%*[^,],%63[^,]", name, status) != 2) continue;
    loaded p = load(folder, name);
    p.problem = (perp_problem){.A = perp_from_csc(&p.csc, 0), .b = p.b, .lo = p.lo, .hi = p.hi};
    const int32_t n = p.csc.rows;
    if (n > (is_brief() ? 300 : 3000)) {
      unload(&p);
      continue;
    }
    problems++;
    const int can = strcmp(status, "solvable") == 0;
    solvable += can;
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    for (int32_t k = 0; k < perp_method_count(); k++) {
      const perp_method *m = perp_method_at(k);
      if (perp_method_accepts(m, &p.problem) != PERP_OK) continue;
      if ((m->traits & PERP_TRAIT_ALL) && n > 12) continue;
      const int is_auto = strcmp(m->name, "auto") == 0;
      perp_options o = perp_default_options(m);
      o.iteration_limit = is_auto ? 2000 : 300;
      memset(x, 0, (size_t)n*sizeof *x);
      perp_result r;
      if (perp_solve_once(&p.problem, x, &o, &r) != PERP_OK)
        fail_msg("%s on %s: %s", m->name, name, perp_last_message());
      for (int32_t i = 0; i < n; i++) assert_true(isfinite(x[i]));
      const int solved = r.status == PERP_STATUS_SOLVED;
      if (solved && !can)
        fail_msg("%s claims to have solved %s, which is %s", m->name, name, status);
      const double own = judged(&p, x);
      if (solved && !(own < 1e-5)) {
        print_error("%s on %s: solved, but the residual is %g of that at 0 (%s)\n", m->name, name,
                    own, r.message);
        wrong++;
      }
      if (can && (r.status == PERP_STATUS_INFEASIBLE || r.status == PERP_STATUS_NO_SOLUTION))
        fail_msg("%s says that %s has no solution: %s", m->name, name, r.message);
      if (is_auto && can) by_auto += solved;
      if (is_auto && can && !solved) print_message("auto: %-55s %.60s\n", name, r.message);
    }
    free(x);
    unload(&p);
  }
  fclose(index);
  print_message("%d problems, %d solvable, %d of them solved by auto\n", problems, solvable,
                by_auto);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_false_claims)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
