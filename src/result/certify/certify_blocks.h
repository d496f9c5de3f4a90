// certify_blocks.h: the certificate of a reducible matrix, for certify.c and certify_prepare.c.
#ifndef PERP_CERTIFY_BLOCKS_H
#define PERP_CERTIFY_BLOCKS_H

#include <math.h>
#include <string.h>

#include "certify.h"
#include "vector.h"

// 1/v for a power of two within 2^-1000 .. 2^1000, by its bits: a division would take longer.
static inline double inverse_of(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  bits = 0x7fe0000000000000u - bits;
  memcpy(&v, &bits, sizeof v);
  return v;
}

// the power of two that makes a base > 0 between 1 and 2
static inline double unit_of_base(double base) {
  if (base >= 0x1p-1022 && base < 0x1p1022) {   // by its bits: the functions would take longer
    uint64_t bits;
    memcpy(&bits, &base, sizeof bits);
    bits &= 0x7ff0000000000000u;
    double power;
    memcpy(&power, &bits, sizeof power);
    return inverse_of(power);
  }
  return base < (double)INFINITY ? ldexp(1.0, -binary_exponent(base)) : 1.0;
}

// How far a component or a block can be scaled: R_i and 1/C_i have to stay within 2^-1000 ..
// 2^1000. If a scale were cut off there and the base were not, r_i would look small.
typedef struct scale_range { double least, most; } scale_range;

static inline void scale_range_add(scale_range *range, double R, double inverse_C) {
  range->least = min2(range->least, min2(R, inverse_C));
  range->most = max2(range->most, max2(R, inverse_C));
}

// unit_of_base, or the nearest unit that the scales can follow.
static inline double unit_within(double base, scale_range range) {
  if (!(range.most > 0.0)) return unit_of_base(base);   // only empty rows, which have no tolerance
  return min2(max2(unit_of_base(base), 0x1p-1000/range.least), 0x1p1000/range.most);
}

// Makes two bases that could not be brought to 1 equal again, up to a factor below 2.
static inline void units_agree(double base, double *unit, double other_base, double *other_unit) {
  const double first = base**unit, second = other_base**other_unit;
  if (!(first > 0.0 && second > 0.0 && max2(first, second) < (double)INFINITY)) return;
  const int gap = binary_exponent(first) - binary_exponent(second);
  if (gap > 0) *unit = ldexp(*unit, -gap);
  else *other_unit = ldexp(*other_unit, gap);
}

// Remembers the scaling that has just been settled, and its G of each component.
void blocks_keep(const certifier *c, struct block_scaling *to);
// Sets the rule at x_ref, once R, C, G, S and s are those of the components.
void blocks_begin(certifier *c);

#endif
