// test_error_free.c: fma() rounds once and hypotenuse() is right to the last bit but one, on every
// system: C libraries have been wrong in the first and differ in the second.
#include "error_free.h"
#include "support.h"

static double (*volatile library_fma)(double, double, double) = fma;   // a call, not an instruction

// a b = p + e exactly: Dekker's product, by halves of 26 bits.
static double lost_by_product(double a, double b, double p) {
  const double s = 0x1p27 + 1.0, a1 = s*a - (s*a - a), b1 = s*b - (s*b - b), a2 = a - a1,
               b2 = b - b1;
  return a2*b2 - (((p - a1*b1) - a2*b1) - a1*b2);
}

static void fma_is_exact_where_the_result_is_a_double(void **state) {
  (void)state;
  support_state = 5;
  for (int k = 0; k < often(100000); k++) {
    const double a = ldexp(between(-1, 1), whole(-40, 40)), b = ldexp(between(-1, 1), whole(-40, 40)),
                 p = a*b;
    assert_true(library_fma(a, b, -p) == lost_by_product(a, b, p));
    assert_true(library_fma(-a, b, p) == -lost_by_product(a, b, p));
  }
}

// i j has 54 bits, the last of them 1: in the middle of two doubles. Any c, however small, decides.
static void fma_sees_a_small_term(void **state) {
  (void)state;
  support_state = 8;
  for (int k = 0; k < often(100000); k++) {
    const int64_t i = 2*whole(50000000, 67000000) + 1, j = 2*whole(50000000, 67000000) + 1;
    assert_true(i*j > (int64_t)1 << 53 && i*j < (int64_t)1 << 54);
    const double c = ldexp(between(0.5, 1), -whole(1, 900));
    assert_true(library_fma((double)i, (double)j, c) == (double)(i*j + 1));
    assert_true(library_fma((double)i, (double)j, -c) == (double)(i*j - 1));
  }
}

// (i 2^-540)(j 2^-540) + k 2^-1074 = (i j/64 + k) 2^-1074, rounded to a whole number, ties to even:
// numbers so small have no other digits.
static void fma_rounds_subnormal_numbers_once(void **state) {
  (void)state;
  support_state = 6;
  for (int trial = 0; trial < often(100000); trial++) {
    const int i = whole(-2000, 2000), j = whole(-2000, 2000), k = whole(-50000, 50000);
    const int64_t sixtyfourths = (int64_t)i*j + 64*(int64_t)k, up = sixtyfourths + 64*(int64_t)1000000;
    int64_t rounded = up/64;
    const int64_t rest = up%64;
    if (rest > 32 || (rest == 32 && rounded%2 != 0)) rounded++;
    const double is = library_fma(ldexp(i, -540), ldexp(j, -540), ldexp(k, -1074));
    assert_true(is == ldexp((double)(rounded - 1000000), -1074));
  }
}

static void fma_keeps_what_has_no_digits(void **state) {
  (void)state;
  assert_true(library_fma(0x1p1000, 0x1p1000, -INF) == -INF);
  assert_true(library_fma(0x1p1000, 0x1p100, -0x1p1023) == INF);
  assert_true(library_fma(0x1p1000, 0x1p24, -0x1p1023) == 0x1p1023);   // 2^1024 is not a double
  assert_true(isnan(library_fma(INF, 0.0, 1.0)));
  assert_true(isnan(library_fma(INF, 1.0, -INF)));
  // The sign of this zero is not asked for: musl 1.2.3 has +0, and nothing here depends on it.
  assert_true(library_fma(-0x1p-600, 0x1p-600, 0.0) == 0.0);
  assert_true(!signbit(library_fma(2.0, 3.0, -6.0)));
}

static void hypotenuse_of_whole_triangles_is_exact(void **state) {
  (void)state;
  const int sides[][3] = {{3, 4, 5}, {5, 12, 13}, {8, 15, 17}, {20, 21, 29}, {9999, 200, 10001}};
  for (int e = -1074; e <= 1000; e++)
    for (size_t k = 0; k < sizeof sides/sizeof sides[0]; k++) {
      const double a = ldexp(sides[k][0], e), b = ldexp(sides[k][1], e), c = ldexp(sides[k][2], e);
      assert_true(hypotenuse(a, b) == c && hypotenuse(-b, a) == c);
    }
}

static void hypotenuse_is_near_and_safe(void **state) {
  (void)state;
  support_state = 7;
  for (int k = 0; k < often(100000); k++) {
    const double a = ldexp(between(-1, 1), whole(-40, 40)), b = ldexp(between(-1, 1), whole(-40, 40));
    const long double right = sqrtl((long double)a*a + (long double)b*b);
    assert_true(fabsl((long double)hypotenuse(a, b) - right) <= 0x1.2p-53L*right);
    assert_true(hypotenuse(a, b) == hypotenuse(-b, a));
  }
  assert_true(hypotenuse(0.0, 0.0) == 0.0 && hypotenuse(-2.0, 0.0) == 2.0);
  assert_true(hypotenuse(INF, NAN) == INF && hypotenuse(NAN, -INF) == INF);
  assert_true(isnan(hypotenuse(NAN, 1.0)) && isnan(hypotenuse(0.0, NAN)));
  assert_true(hypotenuse(0x1p1023, 0x1p1023) == 0x1.6a09e667f3bcdp1023);
  assert_true(hypotenuse(0x1.fp1023, 0x1.fp1023) == INF);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fma_is_exact_where_the_result_is_a_double),
    cmocka_unit_test(fma_sees_a_small_term),
    cmocka_unit_test(fma_rounds_subnormal_numbers_once),
    cmocka_unit_test(fma_keeps_what_has_no_digits),
    cmocka_unit_test(hypotenuse_of_whole_triangles_is_exact),
    cmocka_unit_test(hypotenuse_is_near_and_safe),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
