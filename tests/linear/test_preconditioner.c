// test_preconditioner.c: incomplete factors and approximate inverses, and their ways out.
#include "support.h"

#include "krylov.h"
#include "preconditioner.h"

static const struct {
  perp_preconditioner kind;
  const char *name;
} kinds[] = {
  {PERP_PRECONDITIONER_IDENTITY, "identity"}, {PERP_PRECONDITIONER_JACOBI, "jacobi"},
  {PERP_PRECONDITIONER_IC, "ic"}, {PERP_PRECONDITIONER_MIC, "mic"},
  {PERP_PRECONDITIONER_AINV_PLAIN, "ainv_plain"}, {PERP_PRECONDITIONER_AINV_SCALED, "ainv_scaled"},
  {PERP_PRECONDITIONER_AINV_STATIC, "ainv_static"}, {PERP_PRECONDITIONER_ILU, "ilu"},
};
enum { KINDS = sizeof kinds/sizeof kinds[0] };

static const perp_csc *stored(sample *s) {   // with every diagonal entry
  int32_t nnz = 0;
  for (int32_t j = 0; j < s->n; j++) {
    s->colptr[j] = nnz;
    for (int32_t i = 0; i < s->n; i++) {
      if (AT(s, i, j) == 0.0 && i != j) continue;
      s->row[nnz] = i;
      s->value[nnz++] = AT(s, i, j);
    }
  }
  s->colptr[s->n] = nnz;
  s->csc = (perp_csc){s->n, s->n, s->colptr, s->row, s->value};
  return &s->csc;
}

// -div a grad on a k x k grid, zero outside; a jumps over `contrast`.
static sample grid(int32_t k, double contrast) {
  sample s = sample_new(k*k);
  for (int32_t i = 0; i < k*k; i++) {
    const double a = i%k < k/2 ? 1.0 : contrast;
    AT(&s, i, i) += 4.0*a;
    if (i%k + 1 < k) AT(&s, i, i + 1) = AT(&s, i + 1, i) = -a;
    if (i + k < k*k) AT(&s, i, i + k) = AT(&s, i + k, i) = -a;
  }
  return s;
}

static preconditioner *build(sample *s, perp_preconditioner kind, int symmetric, double drop) {
  preconditioner *P = preconditioner_create(NULL);
  assert_non_null(P);
  assert_int_equal(preconditioner_build(P, kind, s->n, stored(s), NULL, symmetric, drop, NULL), 0);
  return P;
}

static int multiply(void *context, const double *in, double *out) {
  const sample *s = context;
  for (int32_t i = 0; i < s->n; i++) out[i] = 0.0;
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
      out[s->csc.row[p]] += s->csc.value[p]*in[j];
  return 0;
}

static int32_t iterations(sample *s, perp_krylov solver, preconditioner *P) {
  double *rhs = calloc((size_t)s->n, sizeof *rhs), *z = calloc((size_t)s->n, sizeof *z),
         *work = calloc(krylov_doubles(solver, s->n, 60), sizeof *work);
  assert_true(rhs != NULL && z != NULL && work != NULL);
  for (int32_t i = 0; i < s->n; i++) rhs[i] = 1.0;
  const krylov_result r = krylov_solve(solver, s->n, (krylov_map){multiply, s},
                                       (krylov_map){preconditioner_apply, P}, rhs, z, 1e-8, 2000,
                                       60, work, NULL);
  for (int32_t i = 0; i < s->n; i++) assert_true(isfinite(z[i]));
  free(rhs);
  free(z);
  free(work);
  return r.converged ? r.iterations : -1;
}

static void every_kind_helps_on_a_grid(void **state) {
  (void)state;
  int32_t count[KINDS], jumping[KINDS];
  for (int k = 0; k < KINDS; k++) {
    sample s = grid(24, 1.0), t = grid(24, 1e4);
    preconditioner *P = build(&s, kinds[k].kind, 1, 0.1), *Q = build(&t, kinds[k].kind, 1, 0.1);
    assert_int_equal(P->used, kinds[k].kind);
    count[k] = iterations(&s, PERP_KRYLOV_CG, P);
    jumping[k] = iterations(&t, PERP_KRYLOV_CG, Q);
    preconditioner_destroy(P);
    preconditioner_destroy(Q);
    sample_free(&s);
    sample_free(&t);
    print_message("%-12s %4d iterations, with a jump of 1e4 %4d\n", kinds[k].name, count[k],
                  jumping[k]);
    if (count[k] < 0 || jumping[k] < 0) fail_msg("%s did not converge", kinds[k].name);
  }
  assert_true(3*count[2] < 2*count[0]);                  // IC
  assert_true(count[3] < count[2]);                    // MIC better still on a grid
  assert_true(10*count[5] < 9*count[0]);                // scaled approximate inverse
  assert_true(count[6] < count[0]);                    // static
  assert_true(3*count[7] < 2*count[0]);                  // ILU
  assert_true(3*jumping[1] < 2*jumping[0]);            // Jacobi mends the jump
  assert_true(2*jumping[2] < jumping[1]);
  assert_true(jumping[5] < jumping[1]);
}

// A tridiagonal matrix has no fill: its incomplete factors are complete.
static void factors_without_fill_are_exact(void **state) {
  (void)state;
  enum { N = 40 };
  for (int symmetric = 0; symmetric < 2; symmetric++) {
    sample s = sample_new(N);
    for (int32_t i = 0; i < N; i++) {
      AT(&s, i, i) = between(2, 3);
      if (i > 0) AT(&s, i, i - 1) = between(-1, 1);
      if (i > 0) AT(&s, i - 1, i) = symmetric ? AT(&s, i, i - 1) : between(-1, 1);
    }
    double x[N], b[N], z[N];
    stored(&s);
    for (int32_t i = 0; i < N; i++) x[i] = between(-1, 1);
    multiply(&s, x, b);
    const perp_preconditioner exact[] = {PERP_PRECONDITIONER_ILU, PERP_PRECONDITIONER_IC,
                                         PERP_PRECONDITIONER_MIC};
    for (int k = 0; k < (symmetric ? 3 : 1); k++) {
      preconditioner *P = build(&s, exact[k], symmetric, 0.0);
      preconditioner_apply(P, b, z);
      for (int32_t i = 0; i < N; i++) assert_true(fabs(z[i] - x[i]) < 1e-12);
      preconditioner_destroy(P);
    }
    sample_free(&s);
  }
}

// What defines factors without fill: their product is A wherever A has an entry. (Modified: but for
// the diagonal, where row sums nearly agree.)
static void the_product_of_the_factors_is_a_on_its_pattern(void **state) {
  (void)state;
  enum { N = 24 };
  support_state = 51;
  for (int trial = 0; trial < often(100); trial++) {
    const int symmetric = trial%3 > 0, modified = trial%3 == 2;
    sample s = sample_new(N);
    for (int32_t i = 0; i < N; i++)
      for (int32_t j = 0; j < i; j++) {
        if (uniform() < 0.2) AT(&s, i, j) = between(-1, modified ? 0 : 1);
        if (symmetric) AT(&s, j, i) = AT(&s, i, j);
        else if (uniform() < 0.2) AT(&s, j, i) = between(-1, 1);
      }
    for (int32_t i = 0; i < N; i++) {   // dominant: the factors exist
      double sum = 0.1;
      for (int32_t j = 0; j < N; j++)
        sum += fabs(AT(&s, i, j)) + (symmetric ? 0.0 : fabs(AT(&s, j, i)));
      AT(&s, i, i) = sum;
    }
    preconditioner *P = build(&s, !symmetric ? PERP_PRECONDITIONER_ILU
                                  : modified ? PERP_PRECONDITIONER_MIC
                                             : PERP_PRECONDITIONER_IC, symmetric, 0.1);
    assert_true(P->shift == 0.0 && P->mended == 0);
    double L[N][N] = {{0}}, U[N][N] = {{0}};
    for (int32_t j = 0; j < N; j++)
      for (int32_t p = P->colptr[j]; p < P->colptr[j + 1]; p++) {
        const int32_t i = P->row[p];
        assert_true(AT(&s, i, j) != 0.0);   // no fill
        if (symmetric) L[i][j] = U[j][i] = P->value[p];
        else if (i > j) L[i][j] = P->value[p];
        else U[i][j] = P->value[p];
        if (!symmetric) L[j][j] = 1.0;
      }
    for (int32_t i = 0; i < N; i++) {
      double difference = 0.0, fill = 0.0;   // sums of row i of LU - A, and of |LU| outside
      for (int32_t j = 0; j < N; j++) {
        double sum = 0.0;
        for (int32_t k = 0; k < N; k++) sum += L[i][k]*U[k][j];
        difference += sum - AT(&s, i, j);
        if (AT(&s, i, j) == 0.0) fill += fabs(sum);
        else if (!modified || i != j) assert_true(fabs(sum - AT(&s, i, j)) < 1e-12*AT(&s, i, i));
      }
      if (modified) assert_true(fabs(difference) <= 0.03*fill + 1e-12*AT(&s, i, i));
    }
    preconditioner_destroy(P);
    sample_free(&s);
  }
}

static void nothing_dropped_is_the_inverse(void **state) {
  (void)state;
  for (int trial = 0; trial < often(20); trial++) {
    sample s = sample_new(whole(1, 20));
    symmetric_definite(&s);
    double x[20], b[20], z[20];
    stored(&s);
    for (int32_t i = 0; i < s.n; i++) x[i] = between(-1, 1);
    multiply(&s, x, b);
    for (int k = 4; k < 6; k++) {   // plain and scaled
      preconditioner *P = build(&s, kinds[k].kind, 1, 0.0);
      preconditioner_apply(P, b, z);
      for (int32_t i = 0; i < s.n; i++) assert_true(fabs(z[i] - x[i]) < 1e-10);
      preconditioner_destroy(P);
    }
    sample_free(&s);
  }
}

// In other units the scaled inverse drops the same entries; the plain one does not.
static void the_scaled_inverse_does_not_depend_on_units(void **state) {
  (void)state;
  sample s = grid(8, 1.0), t = grid(8, 1.0);
  for (int32_t i = 0; i < t.n; i++)
    for (int32_t j = 0; j < t.n; j++) AT(&t, i, j) *= ldexp(1.0, 2*(i%7) + 2*(j%7));
  preconditioner *P = build(&s, PERP_PRECONDITIONER_AINV_SCALED, 1, 0.1),
                 *Q = build(&t, PERP_PRECONDITIONER_AINV_SCALED, 1, 0.1);
  assert_int_equal(P->colptr[s.n], Q->colptr[t.n]);
  assert_true(P->colptr[s.n] > s.n && P->colptr[s.n] < s.n*s.n/4);
  double v[64], w[64], a[64], b[64];
  for (int32_t i = 0; i < 64; i++) v[i] = between(-1, 1);
  for (int32_t i = 0; i < 64; i++) w[i] = ldexp(v[i], 2*(i%7));
  preconditioner_apply(P, v, a);
  preconditioner_apply(Q, w, b);
  for (int32_t i = 0; i < 64; i++) assert_true(fabs(ldexp(b[i], 2*(i%7)) - a[i]) < 1e-12);
  preconditioner_destroy(P);
  preconditioner_destroy(Q);
  sample_free(&s);
  sample_free(&t);
}

static void breakdowns_are_shifted_away_and_told(void **state) {
  (void)state;
  sample s = sample_new(2);   // positive diagonal, not definite
  AT(&s, 0, 0) = AT(&s, 1, 1) = 1.0;
  AT(&s, 0, 1) = AT(&s, 1, 0) = 3.0;
  for (int k = 2; k < 7; k++) {
    preconditioner *P = build(&s, kinds[k].kind, 1, 0.0);
    assert_true(P->shift > 0.0 || P->mended > 0 || P->used == PERP_PRECONDITIONER_JACOBI);
    const double v[] = {1, -2};
    double z[2];
    preconditioner_apply(P, v, z);
    assert_true(isfinite(z[0]) && isfinite(z[1]) && v[0]*z[0] + v[1]*z[1] > 0.0);
    preconditioner_destroy(P);
  }
  AT(&s, 0, 0) = AT(&s, 1, 1) = 0.0;   // no pivot at all on the diagonal
  preconditioner *P = build(&s, PERP_PRECONDITIONER_AUTO, 1, 0.1);
  assert_true(P->used == PERP_PRECONDITIONER_ILU || P->used == PERP_PRECONDITIONER_JACOBI);
  assert_true(P->mended > 0 || P->used == PERP_PRECONDITIONER_JACOBI);
  const double v[] = {1, -2};
  double z[2];
  preconditioner_apply(P, v, z);
  assert_true(isfinite(z[0]) && isfinite(z[1]));
  preconditioner_destroy(P);
  sample_free(&s);
  sample neumann = grid(6, 1.0);   // singular: row sums zero
  for (int32_t i = 0; i < neumann.n; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < neumann.n; j++) sum += j != i ? AT(&neumann, i, j) : 0.0;
    AT(&neumann, i, i) = -sum;
  }
  for (int k = 0; k < KINDS; k++) {
    preconditioner *Q = build(&neumann, kinds[k].kind, 1, 0.1);
    double in[36], out[36];
    for (int32_t i = 0; i < 36; i++) in[i] = i - 17.5;
    preconditioner_apply(Q, in, out);
    for (int32_t i = 0; i < 36; i++) assert_true(fabs(out[i]) < 1e6);
    preconditioner_destroy(Q);
  }
  sample_free(&neumann);
}

static void what_is_known_decides(void **state) {
  (void)state;
  sample s = grid(3, 1.0);
  preconditioner *P = build(&s, PERP_PRECONDITIONER_AUTO, 1, 0.1);
  assert_int_equal(P->used, PERP_PRECONDITIONER_IC);
  assert_int_equal(preconditioner_build(P, PERP_PRECONDITIONER_AUTO, 9, stored(&s), NULL, 0, 0.1,
                                        NULL), 0);
  assert_int_equal(P->used, PERP_PRECONDITIONER_ILU);
  const double d[] = {1, 2, -4, 0, 1, 1, 1, 1, 1};
  assert_int_equal(preconditioner_build(P, PERP_PRECONDITIONER_IC, 9, NULL, d, 1, 0.1, NULL), 0);
  assert_int_equal(P->used, PERP_PRECONDITIONER_JACOBI);
  double out[9];
  preconditioner_apply(P, (const double[]){1, 1, 1, 1, 1, 1, 1, 1, 1}, out);
  assert_true(out[1] == 0.5 && out[2] == 0.25 && out[3] == 1.0);   // stays positive
  assert_int_equal(preconditioner_build(P, PERP_PRECONDITIONER_MIC, 9, NULL, NULL, 1, 0.1, NULL),
                   0);
  assert_int_equal(P->used, PERP_PRECONDITIONER_IDENTITY);
  assert_int_equal(preconditioner_build(P, PERP_PRECONDITIONER_AUTO, 0, NULL, NULL, 1, 0.1, NULL),
                   0);
  preconditioner_destroy(P);
  preconditioner_destroy(NULL);
  sample_free(&s);
}

static int passed(void *context) {
  (void)context;
  return 1;
}
static void *limited(void *context, size_t bytes) {
  return (*(int *)context)-- > 0 ? malloc(bytes) : NULL;
}
static void release(void *context, void *memory) {
  (void)context;
  free(memory);
}

static void deadline_and_lack_of_memory_are_told(void **state) {
  (void)state;
  sample s = grid(6, 1.0);
  const perp_deadline deadline = {passed, NULL};
  for (int k = 2; k < KINDS; k++) {
    preconditioner *P = preconditioner_create(NULL);
    assert_int_equal(preconditioner_build(P, kinds[k].kind, s.n, stored(&s), NULL, 1, 0.1,
                                          &deadline), -1);
    preconditioner_destroy(P);
    int failures = 0, left = 0, last = -2;
    for (int allowed = 0; allowed < 20; allowed++) {
      left = allowed;
      const perp_allocator few = {limited, release, &left};
      preconditioner *Q = preconditioner_create(&few);
      if (Q == NULL) continue;
      const int code = preconditioner_build(Q, kinds[k].kind, s.n, stored(&s), NULL, 1, 0.1, NULL);
      assert_true(code == 0 || code == -2);
      if (code == -2) {   // it can be used all the same
        double in[36], out[36] = {0};
        for (int i = 0; i < 36; i++) in[i] = i + 1.0;
        preconditioner_apply(Q, in, out);
        assert_memory_equal(in, out, sizeof in);
      }
      failures += code == -2;
      last = code;
      preconditioner_destroy(Q);
    }
    assert_true(failures > 0 && last == 0);
  }
  sample_free(&s);
}

static int count_polls(void *context) {
  ++*(int *)context;
  return 0;
}

// By work, not by columns, because the columns of a full matrix are expensive.
static void full_matrices_are_polled_more_often(void **state) {
  (void)state;
  enum { SIZE = 250 };
  sample s = sample_new(SIZE);
  for (int32_t i = 0; i < SIZE; i++)
    for (int32_t j = 0; j < SIZE; j++) AT(&s, i, j) = i == j ? SIZE : -0.9;
  for (int k = 2; k < KINDS; k++) {
    int polls = 0;
    const perp_deadline deadline = {count_polls, &polls};
    preconditioner *P = preconditioner_create(NULL);
    assert_int_equal(preconditioner_build(P, kinds[k].kind, s.n, stored(&s), NULL, 1, 0.001,
                                          &deadline), 0);
    assert_in_range(polls, 5, SIZE);   // 4 if every 64 columns; SIZE^3/6 entries or more
    preconditioner_destroy(P);
  }
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_kind_helps_on_a_grid),
    cmocka_unit_test(factors_without_fill_are_exact),
    cmocka_unit_test(the_product_of_the_factors_is_a_on_its_pattern),
    cmocka_unit_test(nothing_dropped_is_the_inverse),
    cmocka_unit_test(the_scaled_inverse_does_not_depend_on_units),
    cmocka_unit_test(breakdowns_are_shifted_away_and_told),
    cmocka_unit_test(what_is_known_decides),
    cmocka_unit_test(deadline_and_lack_of_memory_are_told),
    cmocka_unit_test(full_matrices_are_polled_more_often),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
