// test_gallery_families.c: each family's own truths: answers, spectra, patterns.
#include "gallery_sample.h"

// -------------------------------------------------------------------------------- single families

static void test_classics(void **state) {
  (void)state;
  perp_sample *s = make_with("murty", 1, "n", 6.0, "variant", 1.0, NULL);
  static const double b[6] = {-126, -124, -120, -112, -96, -64};
  for (int32_t i = 0; i < 6; i++) {
    assert_true(s->b[i] == b[i]);
    assert_true(s->x[i] == (i == 5 ? 64.0 : 0.0));
    for (int32_t j = 0; j < 6; j++) {
      assert_true(entry(s, i, j) == (i == j ? 1.0 : i < j ? 2.0 : 0.0));
    }
  }
  drop(s);
  s = make_with("fathi", 1, "n", 4.0, NULL);
  static const double fathi[4][4] = {{1, 2, 2, 2}, {2, 5, 6, 6}, {2, 6, 9, 10}, {2, 6, 10, 13}};
  for (int32_t i = 0; i < 4; i++) {
    assert_true(s->b[i] == -1.0 && s->x[i] == (i == 0 ? 1.0 : 0.0));
    for (int32_t j = 0; j < 4; j++) assert_true(entry(s, i, j) == fathi[i][j]);
  }
  drop(s);
}

static void test_fluid(void **state) {
  (void)state;
  for (int32_t every = 0; every <= 1; every++) {
    perp_sample *s = make_with("fluid3d", 5, "size", 8.0, "complementarity", (double)every,
                               "built", 1.0, "degenerate", 0.25, NULL);
    int32_t free_rows = 0, degenerate = 0;
    for (int32_t j = 0; j < s->n; j++) {
      double sum = 0.0;
      for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) sum += s->value[k];
      assert_true(sum >= 0.0 && entry(s, j, j) <= 6.0);
      const int interior = s->lo != NULL && s->lo[j] < 0.0;
      free_rows += interior;
      if (interior) assert_true(entry(s, j, j) == 6.0);      // no wall: six faces
      degenerate += !interior && s->x[j] == 0.0;
    }
    assert_true(every ? s->lo == NULL : free_rows > 0 && free_rows < s->n);
    assert_true(s->hi == NULL && degenerate > 0);
    drop(s);
  }
  // The liquid only falls: pressed on the floor, and nothing happens elsewhere.
  perp_sample *s = make_with("fluid2d", 5, "swirl", 0.0, "spread", 0.0, "noise", 0.0, NULL);
  for (int32_t j = 0; j < s->n; j++) assert_true(s->b[j] == (j < 64 ? -0.1 : 0.0));
  drop(s);
}

// Cholesky of the dense matrix, in place in the lower triangle; 0 where a pivot is not positive.
static int is_positive_definite(double *A, int32_t n) {
  for (int32_t j = 0; j < n; j++) {
    const double pivot = A[j*n + j] - dot(j, A + j*n, A + j*n);
    if (!(pivot > 0.0)) return 0;
    A[j*n + j] = sqrt(pivot);
    for (int32_t i = j + 1; i < n; i++) {
      A[i*n + j] = (A[i*n + j] - dot(j, A + i*n, A + j*n))/A[j*n + j];
    }
  }
  return 1;
}

static double *densely(const perp_sample *s) {
  double *A = calloc((size_t)s->n*(size_t)s->n, sizeof *A);
  assert_non_null(A);
  for (int32_t j = 0; j < s->n; j++) {
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) A[s->row[k]*s->n + j] = s->value[k];
  }
  return A;
}

// Extreme eigenvalues by cyclic Jacobi rotations.
static void eigenvalues(double *A, int32_t n, double *smallest, double *largest) {
  for (int32_t sweep = 0; sweep < 30; sweep++) {
    for (int32_t p = 0; p < n; p++) {
      for (int32_t q = p + 1; q < n; q++) {
        if (fabs(A[p*n + q]) < 1e-300) continue;
        const double theta = (A[q*n + q] - A[p*n + p])/(2.0*A[p*n + q]);
        const double t = (theta < 0.0 ? -1.0 : 1.0)/(fabs(theta) + sqrt(theta*theta + 1.0));
        const double c = 1.0/sqrt(t*t + 1.0), d = t*c;
        for (int32_t k = 0; k < n; k++) {
          const double x = A[k*n + p], y = A[k*n + q];
          A[k*n + p] = c*x - d*y;
          A[k*n + q] = d*x + c*y;
        }
        for (int32_t k = 0; k < n; k++) {
          const double x = A[p*n + k], y = A[q*n + k];
          A[p*n + k] = c*x - d*y;
          A[q*n + k] = d*x + c*y;
        }
      }
    }
  }
  *smallest = *largest = A[0];
  for (int32_t i = 0; i < n; i++) {
    *smallest = min2(*smallest, A[i*n + i]);
    *largest = max2(*largest, A[i*n + i]);
  }
}

static void test_wall(void **state) {
  (void)state;
  for (int32_t mode = 0; mode <= 1; mode++) {
    for (double target = 1e4; target <= 1e8; target *= 100.0) {
      perp_sample *s = make_with("wall", 1, "bodies", 5.0, "points", mode ? 2.0 : 4.0, "mode",
                                 (double)mode, "condition", target, NULL);
      if (mode) assert_int_equal(s->n%3, 0);
      for (int32_t i = 0; i < s->n; i++) assert_true((lower(s->lo, i) < 0.0) == (mode && i%3 != 0));
      double *A = densely(s), smallest, largest;
      eigenvalues(A, s->n, &smallest, &largest);
      free(A);
      assert_true(fabs(largest/smallest/target - 1.0) < 0.01
                  && fabs(s->condition/target - 1.0) < 1e-6);
      A = densely(s);
      assert_true(is_positive_definite(A, s->n));
      free(A);
      drop(s);
    }
  }
  // nothing redundant
  perp_sample *s = make_with("wall", 1, "bodies", 9.0, "points", 1.0, "mode", 0.0, NULL);
  double *A = densely(s), smallest, largest;
  eigenvalues(A, s->n, &smallest, &largest);
  free(A);
  assert_true(fabs(largest/smallest/s->condition - 1.0) < 0.01);
  drop(s);
}

// J W J' + eps I through bodies is the matrix of the sample, and bounds, b and x belong to both.
static void test_wall_through_bodies(void **state) {
  (void)state;
  for (int32_t mode = 0; mode <= 1; mode++) {
    perp_sample *s = make_with("wall", 3, "bodies", 12.0, "mode", (double)mode, NULL);
    const perp_product *P = &s->product;
    assert_true(P->n == s->n && P->dofs == 6*13 && P->rowptr[P->n] > 0);
    double *x = calloc((size_t)s->n, sizeof *x), *w = calloc((size_t)P->dofs, sizeof *w);
    assert_true(x != NULL && w != NULL);
    for (int32_t i = 0; i < s->n; i++) x[i] = sin(1.0 + i);
    for (int32_t i = 0; i < s->n; i++)
      for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) {
        assert_true(p == P->rowptr[i] || P->column[p] > P->column[p - 1]);
        w[P->column[p]] += P->W[P->column[p]]*P->value[p]*x[i];
      }
    for (int32_t i = 0; i < s->n; i++) {
      double through = P->compliance[i]*x[i], entries = 0.0, size = 0.0;
      for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++)
        through += P->value[p]*w[P->column[p]];
      for (int32_t p = s->colptr[i]; p < s->colptr[i + 1]; p++) {
        entries += s->value[p]*x[s->row[p]];
        size += fabs(s->value[p]*x[s->row[p]]);
      }
      assert_true(fabs(through - entries) <= 1e-12*size);
    }
    free(x);
    free(w);
    drop(s);
  }
  perp_sample *other = make_with("bearing", 1, NULL);
  assert_int_equal(other->product.n, 0);
  drop(other);
}

static void test_friction(void **state) {
  (void)state;
  for (int32_t K = 3; K <= 8; K++) {
    perp_sample *s = make_with("friction", 7, "K", (double)K, "mu", 0.3, "bodies", 12.0, NULL);
    const int32_t nc = s->n/(K + 2), rows = nc*(K + 1);
    assert_int_equal(nc*(K + 2), s->n);
    for (int32_t j = 0; j < s->n; j++) {
      for (int32_t i = 0; i < s->n; i++) {
        const double value = entry(s, i, j);
        if (i < rows && j < rows) assert_true(value == entry(s, j, i));   // B is symmetric
        else if (i < nc) assert_true(value == 0.0);
        else if (i < rows) assert_true(value == ((i - nc)/K == j - rows ? 1.0 : 0.0));       // E
        else if (j < nc) assert_true(value == (i - rows == j ? 0.3 : 0.0));                  // mu
        else if (j < rows) assert_true(value == ((j - nc)/K == i - rows ? -1.0 : 0.0));      // -E'
        else assert_true(value == 0.0);
      }
    }
    for (int32_t c = 0; c < nc; c++) {   // the directions add up to nothing
      double sum = 0.0;
      for (int32_t k = 0; k < K; k++) sum += s->b[nc + K*c + k];
      assert_true(fabs(sum) < 1e-13);
      assert_true(s->b[rows + c] == 0.0);
      for (int32_t k = 0; k < K && K%2 == 0; k++) {
        assert_true(s->b[nc + K*c + k] == -s->b[nc + K*c + (k + K/2)%K]);
      }
    }
    for (uint64_t trial = 0; trial < 20; trial++) {   // copositive: z'Mz >= 0 for z >= 0
      double form = 0.0, size = 0.0;
      for (int32_t j = 0; j < s->n; j++) {
        const double u = perp_random_uniform(trial, (uint64_t)j), zj = u < 0.5 ? 0.0 : u;
        for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
          const double v = perp_random_uniform(trial, (uint64_t)s->row[k]);
          const double term = s->value[k]*zj*(v < 0.5 ? 0.0 : v);
          form += term;
          size += fabs(term);
        }
      }
      assert_true(form >= -1e-13*size);
    }
    drop(s);
  }
  perp_sample *s = make_with("friction", 7, "built", 1.0, NULL);
  check_answer(s);
  for (int32_t i = s->n - s->n/6; i < s->n; i++) assert_true(s->b[i] == 0.0);
  drop(s);
}

// Determinant by elimination with partial pivoting.
static double determinant(double *A, int32_t n) {
  double product = 1.0;
  for (int32_t j = 0; j < n; j++) {
    int32_t best = j;
    for (int32_t i = j + 1; i < n; i++) best = fabs(A[i*n + j]) > fabs(A[best*n + j]) ? i : best;
    for (int32_t k = 0; best != j && k < n; k++) {
      const double swap = A[j*n + k];
      A[j*n + k] = A[best*n + k];
      A[best*n + k] = swap;
    }
    if (best != j) product = -product;
    product *= A[j*n + j];
    for (int32_t i = j + 1; i < n && A[j*n + j] != 0.0; i++) {
      const double factor = A[i*n + j]/A[j*n + j];
      for (int32_t k = j; k < n; k++) A[i*n + k] -= factor*A[j*n + k];
    }
  }
  return product;
}

static void test_p_matrix(void **state) {
  (void)state;
  perp_sample *s = make_with("p-matrix", 9, "n", 10.0, "coupling", 3.0, NULL);
  double minor[100], smallest, largest;
  for (uint32_t set = 1; set < 1u << 10; set++) {   // every principal minor is positive
    int32_t member[10], m = 0;
    for (int32_t i = 0; i < 10; i++) {
      if (set >> i & 1u) member[m++] = i;
    }
    for (int32_t k = 0; k < m*m; k++) minor[k] = entry(s, member[k/m], member[k%m]);
    assert_true(determinant(minor, m) > 0.0);
  }
  for (int32_t k = 0; k < 100; k++) minor[k] = 0.5*(entry(s, k/10, k%10) + entry(s, k%10, k/10));
  eigenvalues(minor, 10, &smallest, &largest);
  assert_true(smallest < 0.0);                                        // but x'Ax < 0 for some x
  drop(s);
}

static void test_dense_rank(void **state) {
  (void)state;
  perp_sample *s = make_with("dense-psd", 3, "n", 20.0, "zeros", 0.25, NULL);
  double *A = densely(s);
  eigenvalues(A, 20, &(double){0}, &(double){0});
  int32_t zeros = 0;
  for (int32_t i = 0; i < 20; i++) zeros += fabs(A[i*20 + i]) < 1e-13;
  assert_int_equal(zeros, 5);
  free(A);
  drop(s);
}

static void test_toolbox(void **state) {
  (void)state;
  perp_sample *s = make_with("toolbox-contact", 4, "contacts", 5.0, "rhs", 0.0, NULL);
  assert_true(s->n == 30 && s->x == NULL && !s->has_objective);
  for (int32_t b = 0; b < 25; b++) {
    const int32_t i = 6*(b/5), j = 6*(b%5);
    const int kept = entry(s, i, j) != 0.0;
    if (b/5 == b%5) assert_true(kept);   // the shift reaches empty diagonal blocks too
    assert_true(entry(s, i + 5, j) == (kept ? 0.5 : 0.0) && entry(s, i + 5, j + 5) == 0.0);
    for (int32_t k = 1; k < 5; k++) {
      assert_true(entry(s, i + k, j + 5) == (kept ? 1.0 : 0.0)
                  && entry(s, i + 5, j + k) == (kept ? -1.0 : 0.0));
    }
  }
  drop(s);
  s = make_with("toolbox-fluid", 4, "size", 4.0, NULL);
  double *A = densely(s), smallest, largest;
  eigenvalues(A, s->n, &smallest, &largest);
  assert_true(smallest > 0.0 && entry(s, 0, 3) < 0.0 && entry(s, 0, 4) == 0.0);
  free(A);
  drop(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_classics),
    cmocka_unit_test(test_fluid),
    cmocka_unit_test(test_wall),
    cmocka_unit_test(test_wall_through_bodies),
    cmocka_unit_test(test_friction),
    cmocka_unit_test(test_p_matrix),
    cmocka_unit_test(test_dense_rank),
    cmocka_unit_test(test_toolbox),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
