// test_operators.c: one conformance suite for every operator, wrapper and wrapper of wrappers.
//
// Scratch and sweep memory have exactly the size that was asked for, so that sanitizers see every
// step outside.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "subjects.h"

static void check_near(const subject *s, const char *what, int32_t i, double value,
                       long double expected, long double allowed) {
  if (fabsl((long double)value - expected) <= allowed) return;
  fail_msg("%s: %s[%d] = %.17g, expected %.17Lg, off by %.3Lg > %.3Lg", s->name, what, (int)i,
           value, expected, fabsl((long double)value - expected), allowed);
}

static void check_apply(const subject *s) {
  double x[N], y[N], z[N], xz[N], y2[N], y3[N];
  void *scratch = exact_memory(operator_scratch_bytes(&s->A));
  random_vector(s->n, x);
  random_vector(s->n, z);
  for (int transpose = 0; transpose < 2; transpose++) {
    int (*product)(const void *, const double *, double *, void *) =
        transpose ? s->A.ops->apply_transpose : s->A.ops->apply;
    if (product == NULL) continue;
    for (int i = 0; i < s->n; i++) xz[i] = 2.0*x[i] - 0.5*z[i];
    assert_int_equal(product(s->A.self, x, y, scratch), 0);
    assert_int_equal(product(s->A.self, z, y2, scratch), 0);
    assert_int_equal(product(s->A.self, xz, y3, scratch), 0);
    for (int i = 0; i < s->n; i++) {
      long double sum = 0.0L, size = 0.0L;
      for (int j = 0; j < s->n; j++) {
        const long double m = transpose ? s->M[j][i] : s->M[i][j];
        sum += m*x[j];
        size += fabsl(m)*(fabsl((long double)x[j]) + fabsl((long double)z[j]));
      }
      check_near(s, transpose ? "A'x" : "Ax", i, y[i], sum, 1e-13L*size + 1e-12L);
      check_near(s, "linear", i, y3[i], 2.0L*y[i] - 0.5L*y2[i], 1e-13L*size + 1e-12L);
    }
    memset(x, 0, sizeof x);
    assert_int_equal(product(s->A.self, x, y, scratch), 0);
    for (int i = 0; i < s->n; i++) assert_true(y[i] == 0.0);
    random_vector(s->n, x);
  }
  free(scratch);
}

// With b = -A x rounded, everything cancels and a plain residual would have no correct digit.
static void check_residual(const subject *s) {
  if (s->A.ops->residual == NULL) return;
  double x[N], b[N], y[N], a[N];
  void *scratch = exact_memory(operator_scratch_bytes(&s->A));
  for (int cancel = 0; cancel < 2; cancel++) {
    random_vector(s->n, x);
    random_vector(s->n, b);
    if (cancel) {
      assert_int_equal(s->A.ops->apply(s->A.self, x, b, scratch), 0);
      assert_int_equal(perp_apply(&s->A, x, y), PERP_OK);
      assert_memory_equal(y, b, (size_t)s->n*sizeof *y);
      for (int i = 0; i < s->n; i++) b[i] = -b[i];
    }
    assert_int_equal(s->A.ops->residual(s->A.self, x, b, y, a, scratch), 0);
    for (int i = 0; i < s->n; i++) {
      long double sum = b[i], size = fabsl((long double)b[i]);
      for (int j = 0; j < s->n; j++) {
        sum += s->M[i][j]*x[j];
        size += fabsl(s->M[i][j]*x[j]);
      }
      // twice the working precision, n^2 u^2 (Dot2), and what the sum above lost
      const long double doubled = 0.25L*s->n*s->n*DBL_EPSILON*DBL_EPSILON;
      check_near(s, "residual", i, y[i], sum,
                 4.0L*DBL_EPSILON*fabsl(sum) + (doubled + 50.0L*LDBL_EPSILON)*a[i]);
      if (!(a[i] >= size*(1.0L - 1e-14L))) fail_msg("%s: a[%d] = %g < %Lg", s->name, i, a[i], size);
      if (!(a[i] <= 100.0L*size))
        fail_msg("%s: a[%d] = %g is far above %Lg", s->name, i, a[i], size);
    }
  }
  free(scratch);
}

static void check_entries(const subject *s) {
  const perp_operator_ops *ops = s->A.ops;
  double d[N], y[N], r[N], c[N], row[N], col[N], *S = malloc(sizeof(double)*N*N);
  assert_non_null(S);
  if (ops->diagonal != NULL) {
    ops->diagonal(s->A.self, d);
    for (int i = 0; i < s->n; i++)
      check_near(s, "diagonal", i, d[i], s->M[i][i], 1e-14L*fabsl(s->M[i][i]));
  }
  for (int32_t j = 0; j < s->n && ops->add_column != NULL; j++) {
    double before[N];
    random_vector(s->n, before);
    memcpy(y, before, sizeof y);
    ops->add_column(s->A.self, j, -1.7, y);
    for (int i = 0; i < s->n; i++) {
      const long double expected = before[i] - 1.7L*s->M[i][j];
      check_near(s, "add_column", i, y[i], expected,
                 1e-14L*(fabsl((long double)before[i]) + fabsl(expected)));
    }
  }
  if (ops->row_col_max != NULL) {
    for (int i = 0; i < s->n; i++) {
      r[i] = random_range(&stream, 0.1, 4.0);
      c[i] = random_range(&stream, 0.1, 4.0);
    }
    ops->row_col_max(s->A.self, r, c, row, col);
    for (int i = 0; i < s->n; i++) {
      long double in_row = 0.0L, in_col = 0.0L;
      for (int j = 0; j < s->n; j++) {
        in_row = fmaxl(in_row, r[i]*fabsl(s->M[i][j])*c[j]);
        in_col = fmaxl(in_col, r[j]*fabsl(s->M[j][i])*c[i]);
      }
      check_near(s, "row max", i, row[i], in_row, 1e-14L*in_row);
      check_near(s, "column max", i, col[i], in_col, 1e-14L*in_col);
    }
  }
  for (int skip = 1; skip <= 3 && ops->submatrix != NULL; skip++) {
    int32_t set[N], m = 0;
    for (int32_t i = 0; i < s->n; i += skip) set[m++] = i;
    ops->submatrix(s->A.self, set, m, S);
    for (int32_t i = 0; i < m; i++)
      for (int32_t j = 0; j < m; j++) {
        const long double expected = s->M[set[i]][set[j]];
        check_near(s, "submatrix", i*m + j, S[i*m + j], expected, 1e-12L*fabsl(expected) + 1e-13L);
      }
  }
  free(S);
}

static void plain_sweep(const subject *s, perp_sweep *state, int32_t from, int32_t to) {
  for (int32_t k = from; k < to; k++) {
    const int32_t i = state->backward ? to - 1 - (k - from) : k;
    long double y = state->b[i];
    for (int32_t j = 0; j < s->n; j++) y += s->M[i][j]*state->x[j];
    const double z = relaxed(state->x[i], (double)y, state->diagonal[i], state->omega,
                             lower(state->lo, i), upper(state->hi, i));
    state->change = max2(state->change, state->weight[i]*fabs(z - state->x[i])/state->omega);
    state->x[i] = z;
  }
}

static void check_sweep(const subject *s) {
  if (s->A.ops->sweep == NULL) return;
  double x[N], x_plain[N], b[N], lo[N], hi[N], d[N], weight[N];
  for (int bounded = 0; bounded < 4; bounded++) {   // plain, lo only, hi only, both
    random_vector(s->n, b);
    for (int i = 0; i < s->n; i++) {
      d[i] = (double)s->M[i][i];
      weight[i] = random_range(&stream, 0.5, 2.0);
      lo[i] = i % 3 == 0 ? -(double)INFINITY : -random_uniform(&stream);
      hi[i] = i % 4 == 0 ? (double)INFINITY : random_uniform(&stream);
      x[i] = clamp(perp_random_normal(stream.seed, stream.next++), bounded & 1 ? lo[i] : 0.0,
                   bounded & 2 ? hi[i] : (double)INFINITY);
    }
    memcpy(x_plain, x, sizeof x);
    perp_sweep state = {.x = x, .b = b, .lo = bounded & 1 ? lo : NULL,
                        .hi = bounded & 2 ? hi : NULL, .diagonal = d,
                        .weight = weight, .omega = bounded == 3 ? 1.3 : 1.0, .fresh = 1};
    perp_sweep plain = state;
    plain.x = x_plain;
    state.memory = exact_memory(operator_sweep_bytes(&s->A));
    for (int pass = 0; pass < 8; pass++) {
      state.backward = plain.backward = pass % 3 == 2;
      state.change = plain.change = 0.0;
      if (pass == 4) {   // somebody else moves x
        state.fresh = 1;
        x[1] = x_plain[1] = hi[1];
      }
      const int32_t half = s->n/2, cut = pass % 2 ? half : s->n;   // in one go or in two
      const int32_t from[2] = {state.backward ? cut : 0, state.backward ? 0 : cut};
      const int32_t to[2] = {state.backward ? s->n : cut, state.backward ? cut : s->n};
      for (int part = 0; part < 2; part++) {
        if (from[part] == to[part]) continue;
        assert_int_equal(s->A.ops->sweep(s->A.self, &state, from[part], to[part]), 0);
        assert_int_equal(state.fresh, 0);
        plain_sweep(s, &plain, from[part], to[part]);
      }
      double size = 1.0;
      for (int i = 0; i < s->n; i++) size = max2(size, fabs(x_plain[i]));
      for (int i = 0; i < s->n; i++) {
        check_near(s, "x after a sweep", i, x[i], x_plain[i], 1e-10L*size);
        assert_true(x[i] >= lower(state.lo, i) && x[i] <= upper(state.hi, i));
      }
      check_near(s, "change", pass, state.change, plain.change, 1e-10L*size);
    }
    free(state.memory);
  }
}

// What the view says must be the matrix.
static void check_view(const subject *s) {
  const perp_view v = operator_view(&s->A);
  if (v.kind != PERP_VIEW_DENSE && v.kind != PERP_VIEW_CSC) return;
  double bare[N][N] = {{0.0}};
  if (v.kind == PERP_VIEW_DENSE) {
    const perp_dense *A = v.data;
    const int ld = A->ld != 0 ? A->ld : A->n;
    for (int i = 0; i < s->n; i++)
      for (int j = 0; j < s->n; j++) bare[i][j] = A->value[A->by_column ? j*ld + i : i*ld + j];
  } else {
    const perp_csc *A = v.data;
    for (int j = 0; j < s->n; j++)
      for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) bare[A->row[p]][j] = A->value[p];
  }
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < s->n; j++) {
      const double R = v.R != NULL ? v.R[i] : 1.0, C = v.C != NULL ? v.C[j] : 1.0;
      const double m = R*bare[i][j]*C + (i == j ? v.shift : 0.0);
      check_near(s, "view", i*s->n + j, m, s->M[i][j], 1e-14L*fabsl(s->M[i][j]));
    }
}

static void check(const subject *s) {
  assert_non_null(s->A.ops->name);
  assert_non_null(s->A.ops->apply);
  check_apply(s);
  check_residual(s);
  check_entries(s);
  check_sweep(s);
  check_view(s);
}

static void operators_conform(void **state) {
  (void)state;
  static subject s;
  for (int which = 0; which < BASES; which++) {
    make_base(which, &s);
    check(&s);
  }
}

static void wrappers_conform(void **state) {
  (void)state;
  static subject base, s;
  for (int which = 0; which < BASES; which++)
    for (int how = 0; how < WRAPS; how++) {
      make_base(which, &base);
      wrap(how, &base, &s);
      check(&s);
    }
}

static void wrappers_of_wrappers_conform(void **state) {
  (void)state;
  static subject base, one, two, three;
  for (int which = 0; which < BASES; which++)
    for (int how = 0; how < WRAPS*WRAPS*WRAPS; how++) {
      make_base(which, &base);
      wrap(how % WRAPS, &base, &one);
      wrap(how/WRAPS % WRAPS, &one, &two);
      check(&two);
      wrap(how/WRAPS/WRAPS, &two, &three);
      check(&three);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(operators_conform),
    cmocka_unit_test(wrappers_conform),
    cmocka_unit_test(wrappers_of_wrappers_conform),
  };
  return cmocka_run_group_tests_name("operators", tests, NULL, NULL);
}
