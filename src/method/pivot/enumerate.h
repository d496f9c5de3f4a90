// enumerate.h: the scaled copy of a small problem, and the pieces of its solution set.
#ifndef PERP_ENUMERATE_H
#define PERP_ENUMERATE_H

#include "run.h"

enum { ENUMERATE_ROWS = 20, ENUMERATE_BOXED_ROWS = 12, ENUMERATE_PIECES = 4096 };

typedef enum label { LABEL_LOW, LABEL_HIGH, LABEL_FREE } label;

// a polyhedron of solutions with given labels, and a point in its relative interior
typedef struct piece {
  uint32_t low, high, free;      // labels, a bit per row
  uint32_t at_low, at_high, zero;   // at the point: x_i = lo_i, x_i = hi_i, y_i = 0, a bit per row
  int32_t dimension;
} piece;

typedef struct enumeration {     // everything below is in equilibrated units: x/column, y*row
  perp_run *run;
  int32_t n;
  double *A;                     // n x n, row-major
  double *b, *lo, *hi;           // n
  double *row, *column;          // n: powers of two
  // n: largest |b| + |A||x_ref| of the row's component; its natural residual at x_ref is about 1
  double *size;
  uint8_t *choices;              // n: labels to try: 1 (free or fixed), 2 or 3
  uint8_t *labels;               // n: the assignment at hand
  int32_t *set, *order, *pivot;  // n: the free rows, and orders of elimination
  double *x, *y, *w;             // n: the point; A x + b; A_F x_F + b
  double *v;                     // 4 n: right-hand sides
  double *r, *c;                 // 3 n, n: scales of a block
  double *S, *N, *N2, *product;  // 3 n x n, n x n, n x n, n x n
  double *G, *h, *u, *t;         // 3 n x n, 3 n, 3 n, n: inequalities of a face
  int32_t *basis;                // 4 n + 2
  double *simplex;               // simplex_doubles(3 n, n)
  double *guess;                 // n, in the caller's units
  uint32_t *marks;               // a bit per assignment: to be looked at with care
  piece *pieces;                 // up to ENUMERATE_PIECES, none contained in another
  double *points;                // n each, in the caller's units
  int32_t count, capacity;
  int64_t ambiguous;             // assignments that rounding does not let us decide
  // more than `capacity` degenerate pieces: some may be reported twice
  int32_t overflowed;
} enumeration;

typedef enum verdict { VERDICT_NONE, VERDICT_POINT, VERDICT_DOUBT, VERDICT_KNOWN } verdict;

// The rows labelled free in e->set; w = b + A_F x_F; x_F at the bounds. Returns how many rows are
// free.
int32_t enumeration_begin(enumeration *e);
// Solutions with the labels at hand, for any A_II: NONE, POINT with e->x in the relative interior
// of the piece *p, DOUBT, or KNOWN: contained in a piece that is already remembered.
verdict enumeration_face(enumeration *e, piece *p);
// a remembered piece contains the point of p
int enumeration_known(const enumeration *e, const piece *p);

#endif
