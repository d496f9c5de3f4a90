// test_gallery.c: what holds for every family: structure, claims, determinism, answers, refusals.
#include "gallery_sample.h"

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes) {   // FNV-1a
  const unsigned char *p = data;
  for (size_t i = 0; p != NULL && i < bytes; i++) hash = (hash ^ p[i])*0x100000001b3u;
  return hash;
}

static uint64_t hash_sample(const perp_sample *s) {
  const size_t n = (size_t)s->n, nnz = (size_t)s->colptr[s->n];
  uint64_t hash = hash_bytes(0xcbf29ce484222325u, s->colptr, (n + 1)*sizeof *s->colptr);
  hash = hash_bytes(hash, s->row, nnz*sizeof *s->row);
  hash = hash_bytes(hash, s->value, nnz*sizeof *s->value);
  hash = hash_bytes(hash, s->b, n*sizeof *s->b);
  hash = hash_bytes(hash, s->lo, n*sizeof *s->lo);
  hash = hash_bytes(hash, s->hi, n*sizeof *s->hi);
  return hash_bytes(hash, s->x, n*sizeof *s->x);
}

// ------------------------------------------------------------------------------------ every family

static void check_structure(const perp_sample *s) {
  assert_true(s->n > 0);
  assert_int_equal(s->colptr[0], 0);
  for (int32_t j = 0; j < s->n; j++) {
    assert_true(s->colptr[j] <= s->colptr[j + 1]);
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
      assert_true(s->row[k] >= 0 && s->row[k] < s->n && isfinite(s->value[k]));
      if (k > s->colptr[j]) assert_true(s->row[k - 1] < s->row[k]);
    }
    assert_true(isfinite(s->b[j]));
    assert_true(lower(s->lo, j) <= upper(s->hi, j));
  }
  assert_ptr_equal(s->problem.b, s->b);
  assert_ptr_equal(s->problem.lo, s->lo);
  assert_ptr_equal(s->problem.hi, s->hi);
  assert_ptr_equal(s->csc.value, s->value);
  assert_int_equal(s->problem.A.n, s->n);
  assert_true(strlen(s->note) > 0 && strlen(s->note) < sizeof s->note - 1);
}

static void check_claims(const perp_sample *s) {
  const uint32_t claims = s->problem.A.claims;
  for (int32_t j = 0; j < s->n; j++) {
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
      if (claims & PERP_CLAIM_Z) assert_true(s->row[k] == j || s->value[k] <= 0.0);
      if (claims & PERP_CLAIM_SYMMETRIC && s->row[k] < j) {
        assert_true(entry(s, j, s->row[k]) == s->value[k]);
      }
    }
    if (claims & (PERP_CLAIM_PD | PERP_CLAIM_H)) assert_true(entry(s, j, j) > 0.0);
  }
  if (claims & PERP_CLAIM_PD) assert_true(claims & PERP_CLAIM_PSD);
  for (uint64_t trial = 0; claims & PERP_CLAIM_PSD && trial < 4; trial++) {
    double form = 0.0, size = 0.0;
    for (int32_t j = 0; j < s->n; j++) {
      const double xj = perp_random_uniform(trial, (uint64_t)j) - 0.5;
      for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
        const double term = s->value[k]*xj*(perp_random_uniform(trial, (uint64_t)s->row[k]) - 0.5);
        form += term;
        size += fabs(term);
      }
    }
    assert_true(form >= -1e-12*size);
  }
}

static void check_sample(const perp_sample *s) {
  check_structure(s);
  check_claims(s);
  if (s->x != NULL) check_answer(s);
}

// A value within the range, small for sizes, on a logarithmic scale for wide positive ranges.
static double pick(const perp_gallery_parameter *p, uint64_t seed, int32_t k) {
  const double u = perp_random_uniform(seed, (uint64_t)k);
  if (p->integer) return p->low + floor(u*(min2(p->high, p->low + 11.0) - p->low + 1.0));
  if (p->low > 0.0 && p->high > 1e3*p->low) return p->low*exp(u*log(p->high/p->low));
  return p->low + u*(p->high - p->low);
}

static int is_deterministic(const char *name) {   // families without random numbers
  static const char *const names[] = {"bearing", "obstacle", "torsion", "murty", "fathi"};
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++) {
    if (strcmp(name, names[k]) == 0) return 1;
  }
  return 0;
}

static void test_table(void **state) {
  (void)state;
  assert_int_equal(perp_family_count(), 17);
  assert_null(perp_family_at(-1));
  assert_null(perp_family_at(perp_family_count()));
  assert_null(perp_find_family("no-such-family"));
  assert_null(perp_find_family(NULL));
  for (int32_t f = 0; f < perp_family_count(); f++) {
    const perp_family *family = perp_family_at(f);
    assert_ptr_equal(perp_find_family(family->name), family);
    assert_true(strlen(family->title) > 0 && strlen(family->answer) > 0);
    assert_true(family->parameter_count <= VALUES_MAX);
    for (int32_t k = 0; k < family->parameter_count; k++) {
      const perp_gallery_parameter *p = &family->parameters[k];
      assert_true(p->low <= p->initial && p->initial <= p->high && strlen(p->help) > 0);
      if (p->choices == NULL) continue;
      double bars = 0.0;
      for (const char *c = p->choices; *c != '\0'; c++) bars += *c == '|';
      assert_true(p->integer && p->low == 0.0 && p->high == bars);
    }
  }
}

static void test_every_family(void **state) {
  (void)state;
  for (int32_t f = 0; f < perp_family_count(); f++) {
    const perp_family *family = perp_family_at(f);
    perp_sample *s = make(family->name, NULL, 1), *again = make(family->name, NULL, 1);
    perp_sample *other = make(family->name, NULL, 2);
    check_sample(s);
    assert_true(hash_sample(s) == hash_sample(again));
    if (!is_deterministic(family->name)) assert_true(hash_sample(s) != hash_sample(other));
    drop(s);
    drop(again);
    drop(other);
    for (uint64_t seed = 1; seed <= 25; seed++) {
      double values[VALUES_MAX];
      for (int32_t k = 0; k < family->parameter_count; k++) {
        values[k] = pick(&family->parameters[k], seed, k);
      }
      s = make(family->name, values, seed);
      check_sample(s);
      drop(s);
    }
  }
}

static void test_lowest_values(void **state) {
  (void)state;
  for (int32_t f = 0; f < perp_family_count(); f++) {
    const perp_family *family = perp_family_at(f);
    double values[VALUES_MAX];
    for (int32_t k = 0; k < family->parameter_count; k++) values[k] = family->parameters[k].low;
    perp_sample *s = make(family->name, values, 3);
    check_sample(s);
    drop(s);
  }
}

// Bits that do not depend on the machine, the compiler or its flags. They change only with a note
// under Numerics.
static void test_bits(void **state) {
  (void)state;
  static const struct { const char *name; uint64_t hash; } known[] = {
    {"fluid2d", 0x60d6787d8336049a},
    {"fluid3d", 0x4c55939bdf9b6212},
    {"wall", 0x54ffb122625b0b6f},
    {"bricks", 0x36a6dfed0fb9db72},
    {"friction", 0x52a0a13d1e2eae64},
    {"bearing", 0x94a7a0ebd4ba1e3b},
    {"obstacle", 0x0df518ca6b960e2d},
    {"dense-pd", 0x17e2177f77ce298a},
    {"mixed", 0x26e7033bc5db8b3e},
    {"toolbox-contact", 0x12030bf8ee8ee393},
  };
  for (size_t k = 0; k < sizeof known/sizeof known[0]; k++) {
    perp_sample *s = make(known[k].name, NULL, 1);
    if (hash_sample(s) != known[k].hash) {
      fail_msg("%s: 0x%016llx", known[k].name, (unsigned long long)hash_sample(s));
    }
    drop(s);
  }
}

static void expect_refused(const char *name, double first, const char *message) {
  const perp_family *family = perp_find_family(name);
  double values[VALUES_MAX];
  for (int32_t k = 0; k < family->parameter_count; k++) values[k] = family->parameters[k].initial;
  values[0] = first;
  perp_sample s = {.n = 77};
  assert_int_equal(perp_generate(family, values, 1, &s), PERP_ERROR_OPTION);
  assert_string_equal(perp_last_message(), message);
  assert_int_equal(s.n, 77);                       // outputs are written on success only
}

static void test_refusals(void **state) {
  (void)state;
  expect_refused("wall", -3, "wall: bodies = -3 is outside [1, 100000]");
  expect_refused("wall", 2.5, "wall: bodies = 2.5 is not a whole number");
  expect_refused("fluid2d", 4096, "fluid2d: size = 4096 is outside [2, 2048]");
  expect_refused("fluid2d", (double)INFINITY, "fluid2d: size = inf is outside [2, 2048]");
  perp_sample s = {0};
  double murty[2] = {51, 1}, choice[2] = {5, 2}, nan_value[1] = {(double)NAN};
  assert_int_equal(perp_generate(perp_find_family("murty"), murty, 1, &s), PERP_ERROR_OPTION);
  assert_string_equal(perp_last_message(),
                      "murty: n = 51 is outside [1, 50] for variant = exponential");
  assert_int_equal(perp_generate(perp_find_family("murty"), choice, 1, &s), PERP_ERROR_OPTION);
  assert_string_equal(perp_last_message(),
                      "murty: variant = 2 is outside [0, 1]: unit|exponential");
  assert_int_equal(perp_generate(perp_find_family("fathi"), nan_value, 1, &s), PERP_ERROR_OPTION);
  assert_int_equal(perp_generate(NULL, NULL, 1, &s), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_generate(perp_find_family("fathi"), NULL, 1, NULL), PERP_ERROR_ARGUMENT);
  perp_sample_free(NULL);
  perp_sample_free(&s);
}

// --------------------------------------------------------------------------------- what they share

static void test_elementary(void **state) {
  (void)state;
  for (int64_t k = -50; k <= 250; k++) {
    double c, s;
    elementary_turn(k, 97, &c, &s);
    const double angle = 6.283185307179586*(double)k/97.0;
    assert_true(fabs(c - cos(angle)) < 2e-15 + 1e-15*fabs(angle)
                && fabs(s - sin(angle)) < 2e-15 + 1e-15*fabs(angle));
    elementary_turn(k, 8, &c, &s);
    if (k%4 == 0) assert_true(s == 0.0 && fabs(c) == 1.0);
    const double x = exp(0.37*(double)k);
    assert_true(fabs(elementary_log(x) - log(x)) <= 3e-16*(1.0 + fabs(log(x))));
  }
}

static void test_assembly_adds_duplicates(void **state) {
  (void)state;
  assembly a = {0};
  perp_sample s = {0};
  assemble_add(&a, 1, 0, 2.0);
  assemble_add(&a, 0, 0, 1.0);
  assemble_add(&a, 1, 0, 3.0);
  assemble_add(&a, 0, 2, 7.0);
  assert_int_equal(assemble_finish(&a, 3, &s), PERP_OK);
  assert_int_equal(s.colptr[1], 2);
  assert_int_equal(s.colptr[2], 2);
  assert_int_equal(s.colptr[3], 3);
  assert_true(entry(&s, 0, 0) == 1.0 && entry(&s, 1, 0) == 5.0 && entry(&s, 0, 2) == 7.0);
  perp_sample_free(&s);
}

static void test_spectrum(void **state) {
  (void)state;
  const double north[50] = {0.0};
  double ones[51], smallest, largest, cosine, sine;
  for (int32_t i = 0; i < 51; i++) ones[i] = 1.0;
  perp_sample s = {0};
  assert_int_equal(assemble_grid(&s, 50, 1, ones, north), PERP_OK);
  assert_int_equal(spectrum_extremes(&s, 50, &smallest, &largest), PERP_OK);
  elementary_turn(1, 102, &cosine, &sine);
  assert_true(fabs(smallest - (2.0 - 2.0*cosine)) < 1e-10
              && fabs(largest - (2.0 + 2.0*cosine)) < 1e-10);
  perp_sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_table),
    cmocka_unit_test(test_every_family),
    cmocka_unit_test(test_lowest_values),
    cmocka_unit_test(test_bits),
    cmocka_unit_test(test_refusals),
    cmocka_unit_test(test_elementary),
    cmocka_unit_test(test_assembly_adds_duplicates),
    cmocka_unit_test(test_spectrum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
