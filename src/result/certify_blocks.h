// certify_blocks.h: the rule of a reducible matrix, for certify.c.
#ifndef PERP_CERTIFY_BLOCKS_H
#define PERP_CERTIFY_BLOCKS_H

#include <math.h>
#include <string.h>

#include "certify.h"
#include "vector.h"

// 1/v of a power of two within 2^-1000 .. 2^1000, by its bits: a division would take longer.
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

// Remembers the scaling that has just been settled, and its G of each component.
void blocks_keep(const certifier *c, double *R, double *C, double *base);
// The rule at x_ref, once R, C, G, S and s are those of the components.
void blocks_begin(certifier *c);

#endif
