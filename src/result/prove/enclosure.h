// enclosure.h: sums of products with a rigorous bound of their rounding error.
//
// The sum is kept as high + low by error-free transformations (error_free.h); what even `low` loses is
// added up in `lost`. Integers and other short numbers lose nothing, so that their sums are exact:
// a zero is then known to be one.
#ifndef PERP_ENCLOSURE_H
#define PERP_ENCLOSURE_H

#include <math.h>

typedef struct enclosure {
  double high, low;   // the value is high + low,
  double lost;        //   up to 2 lost
} enclosure;

static inline double round_up(double a) { return nextafter(a, (double)INFINITY); }
static inline double round_down(double a) { return nextafter(a, -(double)INFINITY); }

// a op b rounded upwards; exact where the operation is
static inline double sum_up(double a, double b) {
  const double s = a + b, z = s - a, rest = (a - (s - z)) + (b - z);
  return rest <= 0.0 ? s : round_up(s);   // NaN after an overflow: upwards too
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

// An overflow leaves nothing known.
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
