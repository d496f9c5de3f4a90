// mtx_number.h: decimal numbers of Matrix Market files: exact and fast in both directions, in any
// locale.
//
// number_parse gives the double nearest to the decimal text, ties to even, bit for bit what strtod
// gives in the C locale. number_format gives the characters of printf's %.17g in the C locale.
// All functions are thread-safe and allocate nothing.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum number_status {
  NUMBER_OK = 0,    // a finite value was read
  NUMBER_OVERFLOW,  // well-formed, but rounds to infinity; the value is +-INFINITY
  NUMBER_INFINITE,  // the word inf or infinity; the value is +-INFINITY
  NUMBER_NAN,       // the word nan; the value is not written
  NUMBER_BAD        // not a number; neither the cursor nor the value is written
} number_status;

// Bytes that number_format may need, with the terminating NUL.
enum { NUMBER_LENGTH = 32 };

// Reads one number at *at and moves *at behind it.
//   number    [+-] (digits [. [digits]] | . digits) [(e|E|d|D) [+-] digits]
//   words     [+-] (inf | infinity | nan), in any case
// What follows the number is the caller's to check: "0x1p3" reads as 0 and stops at the x.
number_status number_parse(const char **at, const char *end, double *value);

// Writes value as %.17g would (inf, -inf and nan as words) and returns the length without the NUL.
size_t number_format(double value, char buffer[NUMBER_LENGTH]);

// Writes a whole number in decimal and returns the length without the NUL.
size_t number_format_int(int64_t value, char buffer[NUMBER_LENGTH]);

// Reads an unsigned whole number, saturating at INT64_MAX; without a digit it is false.
static inline bool number_parse_int(const char **at, const char *end, int64_t *value) {
  const char *p = *at;
  uint64_t sum = 0;
  bool saturated = false;
  for (; p < end && (unsigned char)(*p - '0') < 10; p++) {
    if (sum > (uint64_t)(INT64_MAX - 9) / 10) saturated = true;
    sum = 10*sum + (uint64_t)(*p - '0');
  }
  if (p == *at) return false;
  *at = p;
  *value = saturated ? INT64_MAX : (int64_t)sum;
  return true;
}
