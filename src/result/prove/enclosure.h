// enclosure.h: sums of products with a rigorous bound of their rounding error.
//
// Error-free transformations (error_free.h) keep the sum as high + low; `lost` adds up the rounding
// errors of `low`. Sums of integers and other short numbers have none, so a zero sum is known to be
// exactly 0.
#ifndef PERP_ENCLOSURE_H
#define PERP_ENCLOSURE_H

#include <math.h>

typedef struct enclosure {
  double high, low;   // high + low approximates the value
  double lost;        // with an error of at most 2 lost
} enclosure;

static inline double round_up(double a) { return nextafter(a, (double)INFINITY); }
static inline double round_down(double a) { return nextafter(a, -(double)INFINITY); }

// a op b rounded upwards. The result is exact if the operation is.
static inline double sum_up(double a, double b) {
  const double s = a + b, z = s - a, rest = (a - (s - z)) + (b - z);
  return rest <= 0.0 ? s : round_up(s);   // rest is NaN after an overflow
}
static inline double product_up(double a, double b) {
  const double p = a*b;
  if (a == 0.0 || b == 0.0) return 0.0;
  return fabs(p) > 0x1p-900 && fma(a, b, -p) <= 0.0 ? p : round_up(p);
}
static inline double quotient_up(double a, double b) { return a == 0.0 ? 0.0 : round_up(a/b); }

static inline void enclosure_lose(enclosure *e, double a) { e->lost += fabs(a); }

static inline void enclosure_add(enclosure *e, double a) {
  double t = e->high + a, z = t - e->high;
  const double rest = (e->high - (t - z)) + (a - z);
  e->high = t;
  t = e->low + rest;
  z = t - e->low;
  e->lost += fabs((e->low - (t - z)) + (rest - z));
  e->low = t;
}

// e += a b; `slack`: the relative error of a
static inline void enclosure_add_product(enclosure *e, double a, double b, double slack) {
  if (a == 0.0 || b == 0.0) return;
  const double p = a*b, rest = fma(a, b, -p);
  enclosure_add(e, p);
  if (rest != 0.0) {
    const double t = e->low + rest, z = t - e->low;
    e->lost += fabs((e->low - (t - z)) + (rest - z));
    e->low = t;
  }
  if (fabs(p) < 0x1p-900) e->lost += 0x1p-1060;   // the error of the product may underflow
  if (slack > 0.0) e->lost += slack*fabs(p);
}

// After an overflow the bounds are infinite.
static inline double enclosure_upper(enclosure e) {
  const double s = e.high + e.low, z = s - e.high, rest = (e.high - (s - z)) + (e.low - z);
  if (!(s - s == 0.0) || !(e.lost < (double)INFINITY)) return (double)INFINITY;
  if (e.lost == 0.0) return rest <= 0.0 ? s : round_up(s);
  return round_up(round_up(s + fabs(rest)) + 2.0*e.lost);
}
static inline double enclosure_lower(enclosure e) {
  return -enclosure_upper((enclosure){-e.high, -e.low, e.lost});
}

#endif
