// enumerate.h: the scaled copy of a small problem, and the pieces of its solution set.
#ifndef PERP_ENUMERATE_H
#define PERP_ENUMERATE_H

#include "run.h"

enum { ENUMERATE_ROWS_MAX = 20,        // rows of a problem: at most 2^20 assignments
       // The same if a row has two finite bounds: 3^n <= 2^20.
       ENUMERATE_BOXED_ROWS_MAX = ENUMERATE_ROWS_MAX*5/8,
       ENUMERATE_PIECES_MAX = 4096 };  // pieces kept at once: 0.8 MB

// Slacks and multipliers below this may be zero; A is equilibrated and the natural residual near 1.
#define ENUMERATE_SLACK_MIN 1e-7

typedef enum label { LABEL_LOW, LABEL_HIGH, LABEL_FREE } label;

// A polyhedron of solutions with the same labels, and a point in its relative interior.
typedef struct piece {
  uint32_t low, high, free;      // labels, a bit per row
  uint32_t at_low, at_high, zero;   // at the point: x_i = lo_i, x_i = hi_i, y_i = 0, a bit per row
  int32_t dimension;
} piece;

typedef struct enumeration {     // everything in equilibrated units: x/column, y*row
  perp_run *run;
  int32_t n;
  double *A;                     // n x n, row-major
  double *b, *lo, *hi;           // n
  double *row, *column;          // n: powers of two
  // n: largest |b| + |A||x_ref| of the row's component, whose natural residual at x_ref is about 1
  double *size;
  uint8_t *choices;              // n: number of labels to try: 1 (free or fixed), 2 or 3
  uint8_t *labels;               // n: the current assignment
  int32_t *set, *order, *pivot;  // n: the free rows, and orders of elimination
  double *x, *y, *w;             // n: the point; A x + b; A_F x_F + b
  double *v;                     // 4 n: right-hand sides
  double *r, *c;                 // 3 n, n: scales of a block
  double *S, *N, *N2, *product;  // 3 n x n, n x n, n x n, n x n
  double *G, *h, *u, *t;         // 3 n x n, 3 n, 3 n, n: inequalities of a face
  int32_t *basis;                // 4 n + 2
  double *simplex;               // simplex_doubles(3 n, n)
  double *guess;                 // n, in the caller's units
  uint32_t *marks;               // a bit per assignment: examine it in the second pass
  piece *pieces;                 // none contains another
  double *points;                // n each, in the caller's units
  int32_t count, capacity;
  int64_t ambiguous;             // assignments that are undecided because of rounding
  int32_t overflowed;            // 1: more pieces than `capacity`; some may be reported twice
} enumeration;

typedef enum verdict { VERDICT_NONE, VERDICT_POINT, VERDICT_DOUBT, VERDICT_KNOWN } verdict;

// Stores the rows labelled free in e->set; w = b + A_F x_F; x_F at the bounds. Returns the number
// of free rows.
int32_t enumeration_begin(enumeration *e);
// Finds the solutions with the current labels, for any A_II: NONE, POINT with e->x in the relative
// interior of the piece *p, DOUBT, or KNOWN: contained in a piece that is already stored.
verdict enumeration_face(enumeration *e, piece *p);
// 1: a stored piece contains the point of p.
int enumeration_known(const enumeration *e, const piece *p);

#endif
