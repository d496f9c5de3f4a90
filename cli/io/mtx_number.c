// mtx_number.c: exact conversion between decimal text and double.
//
// Reading: w 10^q with w the first 19 significant digits.
//   w <= 2^53, |q| <= 22   one exact division or product                          Clinger 1990
//   otherwise              64 x 128 bit product with a table of 5^q; never ambiguous for a 64-bit w
//                          (Lemire 2021; Mushtak & Lemire 2023, "without fallback")
//   more than 19 digits    the results for w and w + 1 agree, or the digits are compared with the
//                          midpoint of the two in whole-number arithmetic.
// Writing: the same table gives 17 digits and a remainder; printf decides the near-ties.
#include "mtx_number.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
  SMALLEST_POWER = -342,  // 19 digits times a smaller power of ten round to zero
  LARGEST_POWER = 308,
  WORD_DIGITS = 19,       // always fit 64 bits
  EXACT_DIGITS = 768,     // a midpoint of two doubles has at most 767 significant digits
  BIG_LIMBS = 128         // 4096 bits; the longest comparison needs about 2700
};

typedef struct wide {
  uint64_t high, low;
} wide;

static wide multiply(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 uint128;
  const uint128 product = (uint128)a*b;
  return (wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
  const uint64_t mask = 0xffffffffu;
  const uint64_t low = (a & mask)*(b & mask), left = (a >> 32)*(b & mask);
  const uint64_t right = (a & mask)*(b >> 32), high = (a >> 32)*(b >> 32);
  const uint64_t middle = (low >> 32) + (left & mask) + (right & mask);
  return (wide){high + (left >> 32) + (right >> 32) + (middle >> 32),
                (middle << 32) | (low & mask)};
#endif
}

static int leading_zeros(uint64_t word) {
#ifdef __GNUC__
  return __builtin_clzll(word);
#else
  int zeros = 0;
  while (!(word >> 63)) word <<= 1, zeros++;
  return zeros;
#endif
}

// Natural numbers of bounded length.

typedef struct big {
  int limbs;                  // without leading zeros; 0 is the number zero
  uint32_t limb[BIG_LIMBS];   // least significant first
} big;

static void big_set(big *a, uint64_t value) {
  a->limbs = value >> 32 ? 2 : value != 0;
  a->limb[0] = (uint32_t)value;
  a->limb[1] = (uint32_t)(value >> 32);
}

// a <- factor a + addend
static void big_scale(big *a, uint32_t factor, uint32_t addend) {
  uint64_t carry = addend;
  for (int k = 0; k < a->limbs; k++) {
    carry += (uint64_t)a->limb[k]*factor;
    a->limb[k] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry) a->limb[a->limbs++] = (uint32_t)carry;
}

static void big_scale_power5(big *a, int power) {
  for (; power >= 13; power -= 13) big_scale(a, 1220703125u, 0);
  for (; power > 0; power--) big_scale(a, 5, 0);
}

static void big_shift(big *a, int bits) {
  const int words = bits/32;
  if (a->limbs == 0) return;
  memmove(a->limb + words, a->limb, (size_t)a->limbs*sizeof a->limb[0]);
  memset(a->limb, 0, (size_t)words*sizeof a->limb[0]);
  a->limbs += words;
  if (bits % 32) big_scale(a, UINT32_C(1) << bits % 32, 0);
}

static int big_compare(const big *a, const big *b) {
  if (a->limbs != b->limbs) return a->limbs < b->limbs ? -1 : 1;
  for (int k = a->limbs - 1; k >= 0; k--)
    if (a->limb[k] != b->limb[k]) return a->limb[k] < b->limb[k] ? -1 : 1;
  return 0;
}

// a <- a - b, for a >= b
static void big_subtract(big *a, const big *b) {
  int64_t borrow = 0;
  for (int k = 0; k < a->limbs; k++) {
    borrow += (int64_t)a->limb[k] - (k < b->limbs ? b->limb[k] : 0);
    a->limb[k] = (uint32_t)borrow;
    borrow = borrow < 0 ? -1 : 0;
  }
  while (a->limbs > 0 && a->limb[a->limbs - 1] == 0) a->limbs--;
}

static int big_bits(const big *a) {
  return a->limbs ? 32*a->limbs - (leading_zeros(a->limb[a->limbs - 1]) - 32) : 0;
}

// The table: 5^q scaled by a power of two into [2^127, 2^128), cut to 128 bits, and rounded up
// where -27 <= q < 0 (there the product with w can be an exact tie).

static wide power5[LARGEST_POWER - SMALLEST_POWER + 1];
static atomic_bool power5_ready;
static pthread_once_t power5_once = PTHREAD_ONCE_INIT;

static wide top_bits(const big *a) {
  big b = *a;
  big_shift(&b, (128 - big_bits(a) % 128) % 128);
  const uint32_t *top = b.limb + b.limbs - 4;
  return (wide){(uint64_t)top[3] << 32 | top[2], (uint64_t)top[1] << 32 | top[0]};
}

static wide reciprocal(const big *a) {
  big rest;                   // 2^bits(a) >= a, so the first quotient bit is 1
  big_set(&rest, 1);
  big_shift(&rest, big_bits(a));
  wide quotient = {0, 0};
  for (int bit = 0; bit < 128; bit++) {
    quotient.high = quotient.high << 1 | quotient.low >> 63;
    quotient.low <<= 1;
    if (big_compare(&rest, a) >= 0) {
      big_subtract(&rest, a);
      quotient.low |= 1;
    }
    big_scale(&rest, 2, 0);
  }
  return quotient;
}

static void fill_power5(void) {
  big a;
  big_set(&a, 1);
  for (int q = 0; q <= -SMALLEST_POWER; q++, big_scale(&a, 5, 0)) {
    if (q <= LARGEST_POWER) power5[q - SMALLEST_POWER] = top_bits(&a);
    if (q == 0) continue;
    wide inverse = reciprocal(&a);
    if (q <= 27 && ++inverse.low == 0) inverse.high++;
    power5[-q - SMALLEST_POWER] = inverse;
  }
  atomic_store_explicit(&power5_ready, true, memory_order_release);
}

static wide power_of_five(int q) {
  if (!atomic_load_explicit(&power5_ready, memory_order_acquire))
    pthread_once(&power5_once, fill_power5);
  return power5[q - SMALLEST_POWER];
}

// floor(log2(10^q)), for |q| <= 342; the shift is done on a positive number
static int binary_exponent(int q) {
  return (int)((INT64_C(217706)*(q + 32768) >> 16) - 108853);
}

static double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t to_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The bits of the double nearest to w 10^q.
static uint64_t nearest_bits(uint64_t w, int64_t power) {
  if (w == 0 || power < SMALLEST_POWER) return 0;
  const uint64_t infinite = UINT64_C(0x7ff) << 52;
  if (power > LARGEST_POWER) return infinite;
  const int q = (int)power, zeros = leading_zeros(w);
  w <<= zeros;
  const wide five = power_of_five(q);
  wide product = multiply(w, five.high);
  if ((product.high & 0x1ff) == 0x1ff) {          // a carry from below could reach the kept bits
    const wide second = multiply(w, five.low);
    product.low += second.high;
    product.high += second.high > product.low;
  }
  const int upper = (int)(product.high >> 63), shift = upper + 9;
  uint64_t mantissa = product.high >> shift;      // 54 bits: the significand and one to round by
  int exponent = binary_exponent(q) + 63 + upper - zeros + 1023;
  if (exponent <= 0) {                            // subnormal; 19 digits are never a tie here
    if (1 - exponent >= 64) return 0;
    mantissa >>= 1 - exponent;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    return mantissa;                              // 2^52 is the bit pattern of the least normal
  }
  if (product.low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 &&
      mantissa << shift == product.high)
    mantissa &= ~UINT64_C(1);                     // a tie: to even, which is down
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >> 53) {
    mantissa >>= 1;
    exponent++;
  }
  if (exponent >= 0x7ff) return infinite;
  return (mantissa & ~(UINT64_C(1) << 52)) | (uint64_t)exponent << 52;
}

// Decides between the double `bits` and the next larger one for the digits in [first, last), which
// may hold one point; `power` is the power of ten of the 19th digit.
static uint64_t nearest_by_digits(const char *first, const char *last, int64_t power,
                                  uint64_t bits) {
  big left, right;
  big_set(&left, 0);
  int digits = 0;
  bool rest = false;
  for (const char *p = first; p < last; p++) {
    if (*p == '.') continue;
    if (digits < EXACT_DIGITS) {
      if (left.limbs || *p != '0') big_scale(&left, 10, (uint32_t)(*p - '0'));
      digits++;
    } else if (*p != '0') {
      rest = true;
      break;
    }
  }
  int q = (int)power - (digits - WORD_DIGITS);    // the value is left 10^q and a rest below
  if (rest) {
    big_scale(&left, 10, 1);
    q--;
  }
  const int field = (int)(bits >> 52);
  const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  const uint64_t mantissa = field ? fraction | UINT64_C(1) << 52 : fraction;
  const int exponent = (field ? field : 1) - 1075;
  big_set(&right, 2*mantissa + 1);                // the midpoint is right 2^(exponent - 1)
  big_scale_power5(q < 0 ? &right : &left, q < 0 ? -q : q);
  const int shift = q - (exponent - 1);
  big_shift(shift < 0 ? &right : &left, shift < 0 ? -shift : shift);
  const int order = big_compare(&left, &right);
  return bits + (order > 0 || (order == 0 && (bits & 1)));
}

// Eight characters at a time: all digits?, and their value.
static bool eight_digits(const char *p, uint64_t *sum) {
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t word;
  memcpy(&word, p, sizeof word);
  if (((word & (word + UINT64_C(0x0606060606060606))) & UINT64_C(0xf0f0f0f0f0f0f0f0)) !=
      UINT64_C(0x3030303030303030))
    return false;
  word -= UINT64_C(0x3030303030303030);
  word = 10*word + (word >> 8);                   // pairs in every other byte
  word = ((word & UINT64_C(0x000000ff000000ff))*UINT64_C(0x000f424000000064) +
          (word >> 16 & UINT64_C(0x000000ff000000ff))*UINT64_C(0x0000271000000001)) >> 32;
  *sum = *sum*100000000 + (uint32_t)word;
  return true;
#else
  uint64_t word = 0;
  for (int k = 0; k < 8; k++) {
    if ((unsigned char)(p[k] - '0') >= 10) return false;
    word = 10*word + (uint64_t)(p[k] - '0');
  }
  *sum = *sum*100000000 + word;
  return true;
#endif
}

static const char *scan_digits(const char *p, const char *end, uint64_t *sum) {
  while (end - p >= 8 && eight_digits(p, sum)) p += 8;
  for (; p < end && (unsigned char)(*p - '0') < 10; p++) *sum = 10**sum + (uint64_t)(*p - '0');
  return p;
}

static bool take_word(const char **cursor, const char *end, const char *word) {
  const char *p = *cursor;
  for (; *word; word++, p++)
    if (p == end || (*p | 0x20) != *word) return false;
  *cursor = p;
  return true;
}

number_status number_parse(const char **cursor, const char *end, double *value) {
  const char *p = *cursor;
  bool negative = false;
  if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';

  uint64_t w = 0;
  const char *first = p;
  p = scan_digits(p, end, &w);
  int64_t digits = p - first, fraction = 0;
  if (p < end && *p == '.') {
    const char *point = ++p;
    p = scan_digits(p, end, &w);
    fraction = p - point;
    digits += fraction;
  }
  const char *last = p;
  if (digits == 0) {
    p = first;
    if (take_word(&p, end, "nan")) {
      *cursor = p;
      return NUMBER_NAN;
    }
    if (!take_word(&p, end, "infinity") && !take_word(&p, end, "inf")) return NUMBER_BAD;
    *cursor = p;
    *value = negative ? -INFINITY : INFINITY;
    return NUMBER_INFINITE;
  }

  int64_t power = -fraction;
  if (p < end && ((*p | 0x20) == 'e' || (*p | 0x20) == 'd')) {
    p++;
    bool down = false;
    if (p < end && (*p == '-' || *p == '+')) down = *p++ == '-';
    int64_t exponent;
    if (!number_parse_int(&p, end, &exponent)) return NUMBER_BAD;
    if (exponent > INT64_MAX/2) exponent = INT64_MAX/2;
    power += down ? -exponent : exponent;
  }
  *cursor = p;

  bool cut = false;
  if (digits > WORD_DIGITS) {                     // w may have wrapped: count without leading zeros
    while (first < last && (*first == '0' || *first == '.')) digits -= *first++ != '.';
    if (digits > WORD_DIGITS) {
      cut = true;
      w = 0;
      int taken = 0;
      for (const char *d = first; taken < WORD_DIGITS; d++)
        if (*d != '.') w = 10*w + (uint64_t)(*d - '0'), taken++;
      power += digits - WORD_DIGITS;
    }
  }

#if FLT_EVAL_METHOD == 0
  static const double exact_power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (!cut && w <= UINT64_C(1) << 53 && power >= -22 && power <= 22) {
    const double x = (double)w;
    const double y = power < 0 ? x/exact_power[-power] : x*exact_power[power];
    *value = negative ? -y : y;
    return NUMBER_OK;
  }
#endif
  uint64_t bits = nearest_bits(w, power);
  if (cut && bits != nearest_bits(w + 1, power)) bits = nearest_by_digits(first, last, power, bits);
  *value = from_bits(bits | (uint64_t)negative << 63);
  return bits >> 52 == 0x7ff ? NUMBER_OVERFLOW : NUMBER_OK;
}

size_t number_format_int(int64_t value, char buffer[NUMBER_LENGTH]) {
  char reversed[NUMBER_LENGTH];
  size_t length = 0, digits = 0;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do reversed[digits++] = (char)('0' + rest % 10);
  while (rest /= 10);
  if (value < 0) buffer[length++] = '-';
  while (digits > 0) buffer[length++] = reversed[--digits];
  buffer[length] = 0;
  return length;
}

// The 17 significant digits of |value|, rounded to nearest, as a whole number in [10^16, 10^17),
// and the decimal exponent of the first; false when the remainder is too near to one half to tell.
static bool seventeen_digits(double value, uint64_t *digits, int *exponent) {
  const uint64_t ten17 = UINT64_C(100000000000000000);
  const uint64_t bits = to_bits(value) & ~(UINT64_C(1) << 63);
  const int field = (int)(bits >> 52);
  if (field == 0) return false;
  const uint64_t m = (bits | UINT64_C(1) << 52) << 11;       // value = m 2^e2, 2^63 <= m < 2^64
  const int e2 = field - 1075 - 11;
  int e10 = (int)((INT64_C(78913)*(e2 + 63 + 262144) >> 18) - 78913);  // floor(log10(2^(e2 + 63)))
  const int q = 16 - e10;
  if (q > LARGEST_POWER) return false;

  const wide five = power_of_five(q);             // m five = high 2^128 + middle 2^64 + ...
  const wide upper = multiply(m, five.high), lower = multiply(m, five.low);
  const uint64_t middle = upper.low + lower.high;
  const uint64_t high = upper.high + (middle < lower.high);
  const int shift = 127 - e2 - binary_exponent(q) - 128;     // value 10^q = m five 2^-(128 + shift)
  if (shift < 1 || shift > 63) return false;
  uint64_t whole = high >> shift;
  const uint64_t part = high << (64 - shift) | middle >> shift;  // in units of 2^-64
  const uint64_t slack = 8;                       // the table's error is below one unit
  if (whole >= ten17) {                           // 18 digits: the last one decides
    const uint64_t last = whole % 10;
    if ((last == 4 && part > UINT64_MAX - slack) || (last == 5 && part < slack)) return false;
    whole = whole/10 + (last >= 5);
    e10++;
  } else {
    const uint64_t half = UINT64_C(1) << 63;
    if (part > half - slack && part < half + slack) return false;
    whole += part >= half;
  }
  if (whole == ten17) {
    whole /= 10;
    e10++;
  }
  if (whole < ten17/10 || whole > ten17) return false;
  *digits = whole;
  *exponent = e10;
  return true;
}

// %.17g by the C library; the locale's decimal separator is replaced by a point.
static size_t format_by_library(double value, char buffer[NUMBER_LENGTH]) {
  char text[64];
  snprintf(text, sizeof text, "%.17g", value);
  size_t length = 0;
  bool point = false;
  for (const char *p = text; *p && length < NUMBER_LENGTH - 1; p++) {
    const bool plain = strchr("0123456789+-e", *p) != NULL;
    if (plain) buffer[length++] = *p;
    else if (!point) buffer[length++] = '.', point = true;
  }
  buffer[length] = 0;
  return length;
}

size_t number_format(double value, char buffer[NUMBER_LENGTH]) {
  if (isnan(value)) return strlen(strcpy(buffer, "nan"));
  if (isinf(value)) return strlen(strcpy(buffer, value < 0 ? "-inf" : "inf"));
  if (value == 0) return strlen(strcpy(buffer, signbit(value) ? "-0" : "0"));
  if (fabs(value) < 1e17 && value == (double)(int64_t)value)
    return number_format_int((int64_t)value, buffer);

  uint64_t whole;
  int exponent;
  if (!seventeen_digits(value, &whole, &exponent)) return format_by_library(value, buffer);
  char text[17];
  for (int k = 16; k >= 0; k--, whole /= 10) text[k] = (char)('0' + whole % 10);
  int count = 17;
  while (count > 1 && text[count - 1] == '0') count--;

  char *out = buffer;
  if (value < 0) *out++ = '-';
  if (exponent < -4 || exponent >= 17) {          // d.ddde+XX
    *out++ = text[0];
    if (count > 1) *out++ = '.';
    for (int k = 1; k < count; k++) *out++ = text[k];
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    const int size = exponent < 0 ? -exponent : exponent;
    if (size >= 100) *out++ = (char)('0' + size/100);
    *out++ = (char)('0' + size/10 % 10);
    *out++ = (char)('0' + size % 10);
  } else if (exponent < 0) {                      // 0.000ddd
    *out++ = '0';
    *out++ = '.';
    for (int k = -1; k > exponent; k--) *out++ = '0';
    for (int k = 0; k < count; k++) *out++ = text[k];
  } else {                                        // ddd.ddd; whole numbers do not come here, but
    for (int k = 0; k < count || k <= exponent; k++) {  // rounding may leave one
      if (k == exponent + 1) *out++ = '.';
      *out++ = k < count ? text[k] : '0';
    }
  }
  *out = 0;
  return (size_t)(out - buffer);
}
