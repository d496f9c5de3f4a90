// test_sparse_ldl_drift.c: after many row modifications the sparse LDL' still is what a
// factorisation from scratch would be, or its residual says that it is not.
//
// Rows come and go at random. Now and then the factor is compared with a fresh one, by solves with
// the same right side: their difference, and the backward error
//     |b - S v| / (|S| |v| + |b|)   in the largest entries, in long double,
// which is what iterative refinement sees. A fresh factor has some roundings of it whatever the
// condition (Higham, Accuracy and stability, 10.1); the difference also has the condition in it.
// labels: long
#include "gallery_sample.h"
#include "support.h"

#include "sparse_ldl.h"

#define NOTICED 1e-11   // a backward error at which refinement makes the factor again

typedef struct walk {
  const perp_csc *S;
  int32_t n;
  uint8_t *kept;          // n
  double *b, *v, *w;      // n each: right side, solutions of the modified and of the fresh factor
  long double *r;         // n
  sparse_ldl *f, *fresh, *again;
} walk;

static walk walk_begin(const perp_csc *S, const double *sign) {
  const size_t n = (size_t)S->columns;
  walk k = {.S = S, .n = S->columns, .kept = malloc(n), .b = malloc(n*sizeof(double)),
            .v = malloc(n*sizeof(double)), .w = malloc(n*sizeof(double)),
            .r = malloc(n*sizeof(long double)), .f = sparse_ldl_create(NULL),
            .fresh = sparse_ldl_create(NULL), .again = sparse_ldl_create(NULL)};
  assert_true(k.kept && k.b && k.v && k.w && k.r && k.f && k.fresh && k.again);
  sparse_ldl *const all[] = {k.f, k.fresh, k.again};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(sparse_ldl_analyse(all[i], S), 0);
    sparse_ldl_regularise(all[i], sign, 0.0);
  }
  memset(k.kept, 1, n);
  assert_int_equal(sparse_ldl_factor(k.f, S, k.kept, 0.0, NULL), 0);
  return k;
}

static void walk_end(walk *k) {
  void *const blocks[] = {k->kept, k->b, k->v, k->w, k->r};
  for (size_t i = 0; i < sizeof blocks/sizeof blocks[0]; i++) free(blocks[i]);
  sparse_ldl_destroy(k->f);
  sparse_ldl_destroy(k->fresh);
  sparse_ldl_destroy(k->again);
}

// r = b - S v on the rows that are kept (others are rows of the identity); the backward error.
static double backward_error(walk *k, const double *v) {
  long double size = 0.0L, most = 0.0L, worst = 0.0L;
  for (int32_t i = 0; i < k->n; i++) k->r[i] = (long double)k->b[i] - (k->kept[i] ? 0.0 : v[i]);
  for (int32_t j = 0; j < k->n; j++) {
    long double sum = 0.0L;
    for (int32_t p = k->S->colptr[j]; p < k->S->colptr[j + 1]; p++) {
      const int32_t i = k->S->row[p];
      if (!k->kept[j] || !k->kept[i]) continue;
      k->r[i] -= (long double)k->S->value[p]*v[j];
      sum += fabsl((long double)k->S->value[p]);
    }
    if (sum > size) size = sum;
  }
  long double largest = 0.0L;
  for (int32_t i = 0; i < k->n; i++) {
    largest = fmaxl(largest, fabsl((long double)v[i]));
    most = fmaxl(most, fabsl((long double)k->b[i]));
    worst = fmaxl(worst, fabsl(k->r[i]));
  }
  return (double)(worst/(size*largest + most));
}

static double difference(const walk *k) {
  double most = 0.0, apart = 0.0;
  for (int32_t i = 0; i < k->n; i++) {
    most = fmax(most, fabs(k->w[i]));
    apart = fmax(apart, fabs(k->v[i] - k->w[i]));
  }
  return apart/most;
}

static void refine(walk *k, sparse_ldl *f, double *v) {   // one step, with the residual in r
  backward_error(k, v);
  double *d = malloc((size_t)k->n*sizeof *d);
  assert_non_null(d);
  for (int32_t i = 0; i < k->n; i++) d[i] = (double)k->r[i];
  sparse_ldl_solve(f, d);
  for (int32_t i = 0; i < k->n; i++) v[i] += d[i];
  free(d);
}

typedef struct drift {
  double apart, refined;     // largest difference to a fresh factor, before and after refinement
  double error, fresh;       // largest backward errors of both
  int noticed;               // times that the residual asked for a new factor
  int lost;                  // times that a modification did
} drift;

static drift wander(walk *k, int steps, int between_looks) {
  drift d = {0};
  for (int step = 1; step <= steps; step++) {
    const int32_t row = whole(0, k->n - 1);
    const int code = k->kept[row] ? sparse_ldl_delete(k->f, k->S, row, 0.0)
                                  : sparse_ldl_add(k->f, k->S, k->kept, row, 0.0);
    k->kept[row] = !k->kept[row];
    if (code != 0) {
      d.lost++;
      assert_int_equal(sparse_ldl_factor(k->f, k->S, k->kept, 0.0, NULL), 0);
    }
    if (step%between_looks != 0) continue;
    for (int32_t i = 0; i < k->n; i++) k->v[i] = k->w[i] = k->b[i] = between(-1.0, 1.0);
    assert_int_equal(sparse_ldl_factor(k->fresh, k->S, k->kept, 0.0, NULL), 0);
    sparse_ldl_solve(k->f, k->v);
    sparse_ldl_solve(k->fresh, k->w);
    // The same factorisation in other memory, with another past: the same bits.
    assert_int_equal(sparse_ldl_factor(k->again, k->S, k->kept, 0.0, NULL), 0);
    double *same = malloc((size_t)k->n*sizeof *same);
    assert_non_null(same);
    memcpy(same, k->b, (size_t)k->n*sizeof *same);
    sparse_ldl_solve(k->again, same);
    assert_memory_equal(same, k->w, (size_t)k->n*sizeof *same);
    free(same);
    const double error = backward_error(k, k->v);
    d.error = fmax(d.error, error);
    d.fresh = fmax(d.fresh, backward_error(k, k->w));
    const int noticed = !(error <= NOTICED);
    if (!noticed) {
      d.apart = fmax(d.apart, difference(k));
      refine(k, k->f, k->v);
      refine(k, k->fresh, k->w);
      d.refined = fmax(d.refined, difference(k));
    }
    d.noticed += noticed;
    if (noticed) assert_int_equal(sparse_ldl_factor(k->f, k->S, k->kept, 0.0, NULL), 0);
  }
  print_message("n = %d, %d steps: apart %.1e, refined %.1e, backward error %.1e, fresh %.1e\n",
                k->n, steps, d.apart, d.refined, d.error, d.fresh);
  return d;
}

static drift run(const perp_csc *S, const double *sign, int steps) {
  walk k = walk_begin(S, sign);
  const drift d = wander(&k, steps, steps/20);
  walk_end(&k);
  return d;
}

enum { STEPS = 5000 };   // 10^5 in the long tests

static void bearings_do_not_drift(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 3; seed++) {
    perp_sample *p = make_with("bearing", seed, "nx", 30.0, "ny", 30.0, NULL);
    const drift d = run(&p->csc, NULL, often(STEPS));
    assert_true(d.lost == 0 && d.noticed == 0 && d.error <= 1e-14 && d.apart <= 1e-10);
    drop(p);
  }
}

// The condition multiplies what rounding leaves in any factor: up to 1e4 the solutions themselves
// agree to 1e-10, up to 1e8 after one step of refinement, and beyond the backward error does, which
// is all that a factor can promise.
static void walls_do_not_drift(void **state) {
  (void)state;
  static const double conditions[] = {1e2, 1e4, 1e8, 1e12};
  for (uint64_t seed = 1; seed < 3; seed++)
    for (int c = 0; c < 4; c++)
      for (int mode = 0; mode < 2; mode++) {   // normal rows, and with free tangents
        perp_sample *p = make_with("wall", seed, "bodies", 20.0, "condition", conditions[c], "mode",
                                   (double)mode, NULL);
        const drift d = run(&p->csc, NULL, often(STEPS));
        assert_true(d.lost == 0 && d.noticed == 0 && d.error <= NOTICED);
        if (conditions[c] <= 1e4) assert_true(d.apart <= 1e-10);
        if (conditions[c] <= 1e8) assert_true(d.refined <= 1e-10);
        drop(p);
      }
}

// [H B'; B -E] with the bearing's H: quasidefinite, and so are its free rows.
static void saddle_points_do_not_drift(void **state) {
  (void)state;
  enum { EXTRA = 80 };
  perp_sample *p = make_with("bearing", 1, "nx", 15.0, "ny", 14.0, NULL);
  const int32_t m = p->csc.columns, n = m + EXTRA;
  sample s = sample_new(n);
  for (int32_t j = 0; j < m; j++)
    for (int32_t q = p->colptr[j]; q < p->colptr[j + 1]; q++) AT(&s, p->row[q], j) = p->value[q];
  double *sign = malloc((size_t)n*sizeof *sign);
  assert_non_null(sign);
  for (int32_t i = 0; i < n; i++) sign[i] = i < m ? 1.0 : -1.0;
  for (int32_t k = m; k < n; k++) {
    AT(&s, k, k) = -1e-3;
    for (int entries = 0; entries < 3; entries++) {
      const int32_t j = whole(0, m - 1);
      AT(&s, k, j) = AT(&s, j, k) = between(-1.0, 1.0);
    }
  }
  sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC);
  const drift d = run(&s.csc, sign, often(STEPS));
  assert_true(d.lost == 0 && d.noticed == 0 && d.error <= NOTICED && d.apart <= 1e-10);
  free(sign);
  sample_free(&s);
  drop(p);
}

// A factor that is off by 1e-6 of an entry is noticed, and mended by factoring again.
static void a_spoilt_factor_is_noticed(void **state) {
  (void)state;
  perp_sample *p = make_with("wall", 1, "bodies", 10.0, "condition", 1e6, NULL);
  walk k = walk_begin(&p->csc, NULL);
  int32_t at = 0;   // the largest diagonal entry
  for (int32_t j = 0; j < k.n; j++)
    for (int32_t q = p->colptr[j]; q < p->colptr[j + 1]; q++)
      if (p->row[q] == j && p->value[q] > p->value[at]) at = q;
  p->value[at] *= 1.0 + 1e-6;
  const drift spoilt = wander(&k, 1, 1), mended = wander(&k, 20, 1);
  assert_int_equal(spoilt.noticed, 1);
  assert_true(mended.noticed == 0 && mended.error <= NOTICED);
  walk_end(&k);
  drop(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bearings_do_not_drift),
      cmocka_unit_test(walls_do_not_drift),
      cmocka_unit_test(saddle_points_do_not_drift),
      cmocka_unit_test(a_spoilt_factor_is_noticed),
  };
  return cmocka_run_group_tests_name("sparse_ldl_drift", tests, NULL, NULL);
}
