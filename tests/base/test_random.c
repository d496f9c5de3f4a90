// test_random.c: Philox against published answers, and the numbers made from it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random.h"

static void philox_gives_the_published_answers(void **state) {
  (void)state;
  static const struct { uint32_t counter[4], key[2], out[4]; } known[] = {   // of Random123
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t k = 0; k < sizeof known/sizeof known[0]; k++) {
    uint32_t out[4];
    perp_philox(known[k].counter, known[k].key, out);
    for (int w = 0; w < 4; w++) assert_int_equal(out[w], known[k].out[w]);
  }
  const uint32_t zero[4] = {0, 0, 0, 0}, key[2] = {42, 0};
  uint32_t out[4];
  perp_philox(zero, key, out);
  assert_int_equal(out[0], 0x9ceaf053u);
  assert_int_equal(out[1], 0x77f5493bu);
  assert_true(perp_random_uniform(42, 0) == (double)(0x77f5493b9ceaf053u >> 11)*0x1p-53);
}

static void counter_and_key_use_all_their_bits(void **state) {
  (void)state;
  const double u = perp_random_uniform(1, 2);
  assert_true(u != perp_random_uniform(1, 2 + (UINT64_C(1) << 32)));
  assert_true(u != perp_random_uniform(1 + (UINT64_C(1) << 32), 2));
  assert_true(u == perp_random_uniform(1, 2));
}

static void uniform_numbers_are_uniform(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  int32_t bin[10] = {0};
  double sum = 0.0;
  for (uint64_t i = 0; i < COUNT; i++) {
    const double u = perp_random_uniform(7, i);
    assert_true(u >= 0.0 && u < 1.0);
    bin[(int)(10.0*u)]++;
    sum += u;
  }
  assert_true(fabs(sum/COUNT - 0.5) < 0.005);
  for (int k = 0; k < 10; k++) assert_in_range(bin[k], COUNT/10 - 500, COUNT/10 + 500);
}

static void normal_numbers_are_normal(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  double m1 = 0.0, m2 = 0.0, m4 = 0.0;
  int32_t beyond = 0;   // 1.96 sigma: 5 %
  for (uint64_t i = 0; i < COUNT; i++) {
    const double z = perp_random_normal(7, i), z2 = z*z;
    assert_true(fabs(z) < 9.0);
    m1 += z/COUNT;
    m2 += z2/COUNT;
    m4 += z2*z2/COUNT;
    beyond += fabs(z) > 1.959964;
  }
  assert_true(fabs(m1) < 0.015);
  assert_true(fabs(m2 - 1.0) < 0.02);
  assert_true(fabs(m4 - 3.0) < 0.15);
  assert_in_range(beyond, 4700, 5300);
}

// Box-Muller with libm's functions, which may differ in the last bits.
static void normal_numbers_agree_with_libm(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 20000; i++) {
    const uint32_t counter[4] = {(uint32_t)i, 0, 0, 0}, key[2] = {3, 0};
    uint32_t w[4];
    perp_philox(counter, key, w);
    const double u = ((double)(((uint64_t)w[1] << 32 | w[0]) >> 11) + 1.0)*0x1p-53;
    const double v = (double)(((uint64_t)w[3] << 32 | w[2]) >> 11)*0x1p-53;
    const double expected = sqrt(-2.0*log(u))*cos(6.283185307179586*v);
    assert_true(fabs(perp_random_normal(3, i) - expected) < 4e-15);
  }
}

static void streams_count_and_can_be_copied(void **state) {
  (void)state;
  random_stream s = {5, 0};
  assert_true(random_uniform(&s) == perp_random_uniform(5, 0));
  assert_true(random_range(&s, 0.0, 2.0) == 2.0*perp_random_uniform(5, 1));
  random_stream copy = s;
  int32_t seen[6] = {0};
  for (int k = 0; k < 1000; k++) {
    const int32_t i = random_integer(&s, 6);
    assert_in_range(i, 0, 5);
    assert_int_equal(i, random_integer(&copy, 6));
    seen[i]++;
    const double r = random_range(&s, -2.0, 3.0);
    assert_true(r >= -2.0 && r < 3.0);
    copy = s;
  }
  for (int i = 0; i < 6; i++) assert_in_range(seen[i], 100, 240);
  for (int k = 0; k < 100; k++) {
    assert_in_range(random_integer(&s, INT32_MAX), 0, INT32_MAX - 1);
    assert_int_equal(random_integer(&s, 1), 0);
    assert_true(random_range(&s, 1.0, 1.0 + 0x1p-52) == 1.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(philox_gives_the_published_answers),
    cmocka_unit_test(counter_and_key_use_all_their_bits),
    cmocka_unit_test(uniform_numbers_are_uniform),
    cmocka_unit_test(normal_numbers_are_normal),
    cmocka_unit_test(normal_numbers_agree_with_libm),
    cmocka_unit_test(streams_count_and_can_be_copied),
  };
  return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
