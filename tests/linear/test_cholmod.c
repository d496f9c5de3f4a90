// test_cholmod.c: the sparse LDL' agrees with CHOLMOD: factor, rows added and deleted, and fill.
#include "sparse_samples.h"

#include "gallery_sample.h"
#include "sparse_ldl.h"
#include "sparse_lu.h"

#ifdef PERP_CHOLMOD
#include <cholmod.h>

enum { LARGEST = 80 };

static cholmod_common common;

static int start(void **state) {
  (void)state;
  return cholmod_start(&common) ? 0 : 1;
}

static int finish(void **state) {
  (void)state;
  return cholmod_finish(&common) ? 0 : 1;
}

// The lower triangle of A as CHOLMOD sees it; nothing is copied.
static cholmod_sparse view(const perp_csc *A) {
  return (cholmod_sparse){.nrow = (size_t)A->rows, .ncol = (size_t)A->columns,
                          .nzmax = (size_t)A->colptr[A->columns], .p = (void *)A->colptr,
                          .i = (void *)A->row, .x = (void *)A->value, .stype = -1,
                          .itype = CHOLMOD_INT, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1, .packed = 1};
}

static void peer_solve(cholmod_factor *L, int32_t n, const double *b, double *v) {
  cholmod_dense *B = cholmod_allocate_dense((size_t)n, 1, (size_t)n, CHOLMOD_REAL, &common);
  memcpy(B->x, b, (size_t)n*sizeof *b);
  cholmod_dense *X = cholmod_solve(CHOLMOD_A, L, B, &common);
  memcpy(v, X->x, (size_t)n*sizeof *v);
  cholmod_free_dense(&B, &common);
  cholmod_free_dense(&X, &common);
}

// Row k of S among the rows kept, in the order of L.
static cholmod_sparse *peer_row(const perp_csc *A, const uint8_t *kept, const int32_t *place,
                                int32_t k) {
  const int32_t length = A->colptr[k + 1] - A->colptr[k];
  cholmod_sparse *R = cholmod_allocate_sparse((size_t)A->rows, 1, (size_t)length, 0, 1, 0,
                                              CHOLMOD_REAL, &common);
  int32_t count = 0;
  for (int32_t p = A->colptr[k]; p < A->colptr[k + 1]; p++) {
    if (A->row[p] != k && !kept[A->row[p]]) continue;
    ((int *)R->i)[count] = place[A->row[p]];
    ((double *)R->x)[count++] = A->value[p];
  }
  ((int *)R->p)[0] = 0;
  ((int *)R->p)[1] = count;
  assert_true(cholmod_sort(R, &common));
  return R;
}

static void test_rows_as_cholmod(void **state) {
  (void)state;
  for (int trial = 0; trial < often(200); trial++) {
    const int32_t n = whole(2, LARGEST);
    sparse_sample s = sparse_dominant(n, between(0.0, 6.0), NULL);
    uint8_t kept[LARGEST];
    memset(kept, 1, sizeof kept);
    sparse_ldl *f = sparse_ldl_create(NULL);
    assert_int_equal(sparse_ldl_analyse(f, &s.csc), 0);
    assert_int_equal(sparse_ldl_factor(f, &s.csc, kept, 0.0, NULL), 0);
    cholmod_sparse S = view(&s.csc);
    common.supernodal = CHOLMOD_SIMPLICIAL;
    common.final_ll = 0;
    cholmod_factor *L = cholmod_analyze(&S, &common);
    assert_true(cholmod_factorize(&S, L, &common));
    int32_t place[LARGEST];
    for (int32_t k = 0; k < n; k++) place[((int *)L->Perm)[k]] = k;
    for (int step = 0; step < 30; step++) {
      const int32_t k = whole(0, n - 1);
      if (kept[k]) {
        assert_int_equal(sparse_ldl_delete(f, &s.csc, k, 0.0), 0);
        assert_true(cholmod_rowdel((size_t)place[k], NULL, L, &common));
      } else {
        assert_int_equal(sparse_ldl_add(f, &s.csc, kept, k, 0.0), 0);
        cholmod_sparse *R = peer_row(&s.csc, kept, place, k);
        assert_true(cholmod_rowadd((size_t)place[k], R, L, &common));
        cholmod_free_sparse(&R, &common);
      }
      kept[k] = !kept[k];
      double b[LARGEST], v[LARGEST], peer[LARGEST];
      for (int32_t i = 0; i < n; i++) v[i] = b[i] = kept[i] ? between(-1.0, 1.0) : 0.0;
      sparse_ldl_solve(f, v);
      peer_solve(L, n, b, peer);
      for (int32_t i = 0; i < n; i++)
        assert_true(fabs(v[i] - peer[i]) <= 1e-10*(1.0 + fabs(peer[i])));
    }
    cholmod_free_factor(&L, &common);
    sparse_ldl_destroy(f);
    sparse_drop(&s);
  }
}

static double fill(const perp_csc *A, int32_t *order) {
  cholmod_sparse S = view(A);
  common.nmethods = 1;
  common.method[0].ordering = order != NULL ? CHOLMOD_GIVEN : CHOLMOD_AMD;
  cholmod_factor *L = cholmod_analyze_p(&S, order, NULL, 0, &common);
  assert_non_null(L);
  cholmod_free_factor(&L, &common);
  common.nmethods = 0;
  return common.lnz;
}

static void test_fill_near_that_of_amd(void **state) {
  (void)state;
  perp_sample *const samples[] = {
    make_with("bearing", 1, "nx", 60.0, "ny", 60.0, NULL),
    make_with("wall", 1, "bodies", 150.0, "mode", 0.0, NULL),
    make_with("wall", 2, "bodies", 80.0, "mode", 1.0, NULL),
    make_with("fluid2d", 1, NULL), make_with("fluid3d", 1, NULL), make_with("obstacle", 1, NULL),
    make_with("mixed", 1, NULL)};
  for (size_t k = 0; k < sizeof samples/sizeof samples[0]; k++) {
    const perp_csc *A = &samples[k]->csc;
    int32_t *order = malloc((size_t)A->columns*sizeof *order);
    assert_int_equal(order_minimum_degree(A, NULL, order), 0);
    const double ours = fill(A, order), amd = fill(A, NULL);
    if (!(ours <= 1.3*amd)) fail_msg("%s: %.0f entries, AMD %.0f", samples[k]->note, ours, amd);
    free(order);
    drop(samples[k]);
  }
}

// [I J'; J -I] as a pattern: bodies first, then the rows of J.
static perp_csc quasidefinite(const perp_product *P) {
  const int32_t size = P->dofs + P->n, entries = P->rowptr[P->n];
  int32_t *colptr = calloc((size_t)size + 1, sizeof *colptr), *next = calloc((size_t)size, 4);
  int32_t *row = calloc(2*(size_t)entries + (size_t)size, sizeof *row);
  double *value = calloc(2*(size_t)entries + (size_t)size, sizeof *value);
  assert_true(colptr != NULL && next != NULL && row != NULL && value != NULL);
  for (int32_t p = 0; p < entries; p++) next[P->column[p]]++;
  for (int32_t i = 0; i < P->n; i++) next[P->dofs + i] = P->rowptr[i + 1] - P->rowptr[i];
  for (int32_t j = 0; j < size; j++) {
    colptr[j + 1] = colptr[j] + next[j] + 1;
    next[j] = colptr[j];
    if (j < P->dofs) row[next[j]++] = j;
  }
  for (int32_t i = 0; i < P->n; i++) {
    const int32_t j = P->dofs + i;
    for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) {
      row[next[P->column[p]]++] = j;
      row[next[j]++] = P->column[p];
    }
    row[next[j]] = j;
  }
  free(next);
  return (perp_csc){size, size, colptr, row, value};
}

static void test_fill_of_large_walls(void **state) {
  (void)state;
  perp_sample *s = make_with("wall", 1, "bodies", 6400.0, "points", 8.0, "mode", 0.0, NULL);
  assert_true(s->n > 100000);
  const perp_csc K = quasidefinite(&s->product);
  const perp_csc *const patterns[] = {&s->csc, &K};
  for (int k = 0; k < 2; k++) {
    int32_t *order = malloc((size_t)patterns[k]->columns*sizeof *order);
    assert_int_equal(order_minimum_degree(patterns[k], NULL, order), 0);
    const double ours = fill(patterns[k], order), amd = fill(patterns[k], NULL);
    if (!(ours <= 1.3*amd)) fail_msg("pattern %d: %.0f entries, AMD %.0f", k, ours, amd);
    free(order);
  }
  free((void *)K.colptr);
  free((void *)K.row);
  free((void *)K.value);
  drop(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_fill_of_large_walls),
    cmocka_unit_test(test_rows_as_cholmod),
    cmocka_unit_test(test_fill_near_that_of_amd),
  };
  return cmocka_run_group_tests_name("cholmod", tests, start, finish);
}

#else
int main(void) {
  puts("CHOLMOD is not installed");
  return 77;
}
#endif
