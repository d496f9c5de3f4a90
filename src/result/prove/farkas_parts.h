// farkas_parts.h: shared by the files that check Farkas vectors: farkas.c (the rule),
// farkas_product.c (columns of J W J' and of contacts), farkas_near.c (exact vectors near u).
#ifndef PERP_FARKAS_PARTS_H
#define PERP_FARKAS_PARTS_H

#include <math.h>

#include "enclosure.h"
#include "farkas.h"

typedef struct supremum {   // sums over the columns seen so far
  enclosure value;          // an upper bound
  double size;              // V: sum of the magnitudes
  double given;             // |u|'|b| + sum of h_j |x_j| at the x of the supremum
  double product;           // sum of h_j max |x_j|: rounding of A x; inf where nothing bounds x_j
  double largest;           // max delta_j
  double excess;            // max delta_j / h'_j; inf where h'_j = 0
  double all_excess;        // max delta_j / h_j
  int32_t worst, excess_at; // the columns of `largest` and of `excess`
} supremum;

// Column j: g_j in [low, high]; size: h_j, h: h'_j.
void supremum_add(supremum *s, const perp_problem *problem, int32_t j, double low, double high,
                  double size, double h);
// The part of the margin that the tolerance and the rounding of the data explain, rounded up.
double farkas_allowed(const farkas_judge *by, const double *u, const supremum *s);

// All columns of J W J' + diag(compliance), and of the contact LCP made of one.
perp_error farkas_by_product(const perp_problem *problem, const perp_product *P, const double *u,
                             double *work, void *scratch, supremum *s);
perp_error farkas_by_contacts(const perp_problem *problem, const perp_contacts *P, const double *u,
                              double *work, void *scratch, supremum *s);

// 1: the number uses its last ten bits, so it was probably rounded
static inline int filled(double a) {
  int exponent;
  const double mantissa = frexp(a, &exponent)*0x1p43;
  return mantissa != rint(mantissa);
}

#endif
