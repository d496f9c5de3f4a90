// Tests the conversion of decimal numbers to doubles and back, against strtod and printf.
#include "mtx_number.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mtx_random.h"

static void check_number(const char *text) {
  char *copy = strdup(text);                      // exact length, so that an overrun is seen
  const size_t length = strlen(text);
  char *bytes = malloc(length);
  memcpy(bytes, text, length);
  const char *cursor = bytes;
  double value = -1;
  const number_status status = number_parse(&cursor, bytes + length, &value);
  char *end;
  const double truth = strtod(copy, &end);
  if (cursor != bytes + (end - copy)) fail_msg("%s: stopped after %d", text, (int)(cursor - bytes));
  assert_same_double(value, truth, text);
  assert_int_equal(status, isinf(truth) ? NUMBER_OVERFLOW : NUMBER_OK);
  free(copy);
  free(bytes);
}

static void test_number_cases(void **state) {
  (void)state;
  static const char *const cases[] = {
      "0", "-0", "+0", "0.0e999999999999999999999", "1", "-1", "+1", ".5", "5.", "1e0", "1E+05",
      "9007199254740993", "9007199254740992.99999999999999999999", "9007199254740993.0000000000001",
      "1e22", "1e23", "8.5e22", "1e-22", "1e308", "1.7976931348623157e308",
      "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "-1e400",
      "1e99999999999999999999",
      "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490"
      "1797758720709633028641669288791094655554785194040263065748867150582068190890200070838367"
      "6273854845817711531764475730270069855571366959622842914819860834936475292719074168444365"
      "510704342711559699508093042880177904174497791",  // one below the rounding to infinity
      "2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308",
      "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
      "2.47032822920623272088284396434110686182e-324", "1e-400", "1e-99999999999999999999",
      "7.2057594037927933e16", "6.631236846766476e-316", "1.00000000000000011102230246251565404",
      "1.00000000000000011102230246251565404236316680908203125",
      "1.00000000000000011102230246251565404236316680908203124",
      "1.000000000000000111022302462515654042363166809082031250000000000000000000000000000000001",
      "0.000000000000000000000000000000000000000000000000000000000000123456789012345678901234567",
      "1000000000000000000000000000000000000000000000000000000000000000000000000000000000e-80",
      "12345678901234567890123456789012345678901234567890e-100", "18446744073709551615",
      "18446744073709551616", "9999999999999999999", "99999999999999999999"};
  for (size_t k = 0; k < sizeof cases/sizeof *cases; k++) check_number(cases[k]);

  const char *words[] = {"inf", "-inf", "+inf", "Infinity", "-INFINITY", "iNf"};
  for (size_t k = 0; k < sizeof words/sizeof *words; k++) {
    const char *cursor = words[k], *end = cursor + strlen(cursor);
    double value = 0;
    assert_int_equal(number_parse(&cursor, end, &value), NUMBER_INFINITE);
    assert_true(cursor == end);
    assert_true(isinf(value) && (value < 0) == (words[k][0] == '-'));
  }
  const char *bad[] = {"", "+", "-", ".", "e5", "1e", "1e+", "-.e1", "in", "x", "--1", "+-1"};
  for (size_t k = 0; k < sizeof bad/sizeof *bad; k++) {
    const char *cursor = bad[k];
    double value = 17;
    assert_int_equal(number_parse(&cursor, bad[k] + strlen(bad[k]), &value), NUMBER_BAD);
    assert_true(cursor == bad[k] && value == 17);
  }
  const char *fortran = "-1.5D+03", *cursor = fortran;
  double value = 0;
  assert_int_equal(number_parse(&cursor, fortran + 8, &value), NUMBER_OK);
  assert_true(value == -1500 && cursor == fortran + 8);
  const char *nan = "-NaN";
  assert_int_equal(number_parse(&nan, nan + 4, &value), NUMBER_NAN);
}

static void test_number_random(void **state) {
  (void)state;
  char text[1400];
  for (int k = 0; k < 150000; k++) {
    double x = from_bits(random_bits());
    if (!isfinite(x)) x = 1;
    snprintf(text, sizeof text, "%.*e", random_below(k % 64 ? 24 : 780), x);
    check_number(text);
    char *p = text;                               // digits, a point somewhere, an exponent at times
    if (random_below(2)) *p++ = '-';
    const int digits = 1 + random_below(26), point = random_below(30);
    for (int d = 0; d < digits; d++) {
      if (d == point) *p++ = '.';
      *p++ = (char)('0' + random_below(10));
    }
    *p = 0;
    if (random_below(3)) snprintf(p, 16, "e%d", random_below(700) - 350);
    check_number(text);
  }
}

// Decimal expansions of midpoints between two doubles, and numbers just beside them. Where long
// double is no wider than double the midpoint is itself rounded and the test is a plain one.
static void test_number_ties(void **state) {
  (void)state;
  char digits[1200], text[1240];
  for (int k = 0; k < 4000; k++) {
    uint64_t bits = random_bits() >> 1;
    if (k % 3 == 0) bits &= (UINT64_C(1) << 53) - 1;          // subnormal and around
    if (bits >> 52 >= 0x7fe) bits = (bits & ~(UINT64_C(0x7ff) << 52)) | UINT64_C(0x7fd) << 52;
    const long double middle = ((long double)from_bits(bits) + (long double)from_bits(bits + 1))/2;
    snprintf(digits, sizeof digits, "%.1100Le", middle);
    char *e = strchr(digits, 'e'), *last = e - 1;
    while (*last == '0' && last > digits + 3) last--;
    snprintf(text, sizeof text, "%s", digits);
    check_number(text);
    snprintf(text, sizeof text, "%.*s0001%s", (int)(last + 1 - digits), digits, e);
    check_number(text);
    if (*last > '0') {
      --*last;
      snprintf(text, sizeof text, "%.*s9999%s", (int)(last + 1 - digits), digits, e);
      check_number(text);
    }
  }
}

static void check_format(double x) {
  char ours[NUMBER_LENGTH], truth[64];
  const size_t length = number_format(x, ours);
  snprintf(truth, sizeof truth, "%.17g", x);
  assert_string_equal(ours, truth);
  assert_int_equal(length, strlen(truth));
}

static void test_format(void **state) {
  (void)state;
  const double cases[] = {0.0, -0.0, 1, -1, 0.1, 0.5, 1e16, 1e17, 99999999999999984.0, 123456789.5,
                          1e-4, 9.9999999999999991e-05, 1e-5, 5e-324, 2.2250738585072014e-308,
                          1.7976931348623157e308, 1e22, 1e23, 9007199254740993.0, 0.3, 1e100,
                          1.0/3, 4503599627370495.5, 2251799813685247.75, INFINITY, -INFINITY};
  for (size_t k = 0; k < sizeof cases/sizeof *cases; k++) check_format(cases[k]);
  for (int k = 0; k < 200000; k++) {
    const double x = from_bits(random_bits());
    if (isfinite(x)) check_format(x);
    check_format((double)(int64_t)random_bits()*0x1p-63);
    check_format((double)(random_bits() >> random_below(64))*0.125);
    check_format((double)random_below(100000)/(1 + random_below(1000)));
  }
  char text[NUMBER_LENGTH];
  number_format_int(INT64_MIN, text);
  assert_string_equal(text, "-9223372036854775808");
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) {     // where installed: a comma must not get through
    number_format(5e-324, text);
    assert_string_equal(text, "4.9406564584124654e-324");
    setlocale(LC_NUMERIC, "C");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_number_cases), cmocka_unit_test(test_number_random),
    cmocka_unit_test(test_number_ties), cmocka_unit_test(test_format)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
