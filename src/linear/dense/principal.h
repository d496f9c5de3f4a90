// principal.h: keeps a factor of A_II for pivoting methods, while I changes by one row at a time.
//
// Symmetric A: A_II = L D L'. Rows of L are stored from their first nonzero on; the zeros before it
// stay zero, so a banded A stays cheap. A row enters by a forward substitution and leaves by a
// rank-one update of the rows after it. L has no pivoting: it is stable if A_II is positive
// definite. The pivoting methods ensure that for semidefinite A by leaving dependent rows out.
// Other A: the inverse of A_II, bordered and cut by rank-one updates.
// Cost: O(m^2) per row, for both.
#ifndef PERP_PRINCIPAL_H
#define PERP_PRINCIPAL_H

#include <perp/method.h>

#include "arena.h"

typedef struct principal {
  int32_t n, m;
  int symmetric;
  const double *A;           // n x n, row-major
  const double *root;        // n: |A_ij| <= root_i root_j
  int32_t *set;              // n, the first m used: I in the order of the factor
  int32_t *place;            // n: place in set, or -1
  double **row;              // n: rows of L, or of the inverse
  int32_t *first;            // n: row k of L is zero before this column
  double *d;                 // n: D
  double *store;             // n x n: storage of the rows
  double *l, *u;             // n each: the row (and column) of the last principal_direction
  double *z;                 // n: work
  int32_t start;             // first nonzero of l
  double schur, floor;       // of the last principal_direction
} principal;

// Takes the arrays from an arena (counting or real).
principal principal_take(arena *memory, int32_t n);
void principal_clear(principal *p);                  // I is empty

// Computes the change of x_I when x_j grows by 1 and y_I stays: dx = -A_II^-1 A_Ij (m, in the order
// of set). p->schur = A_jj + A_jI dx is the change of y_j, zero up to rounding below p->floor.
void principal_direction(principal *p, int32_t j, double *dx);
void principal_append(principal *p);                 // adds j of the last direction to I
int principal_delete(principal *p, int32_t i);       // 0: the remaining rows cannot be factored
void principal_solve(const principal *p, double *v); // m: v <- A_II^-1 v

// Makes I from rows[0 .. count-1]: each row enters if its schur is positive for the rows already in
// I. Returns 0, or -1: deadline.
int principal_factor(principal *p, const int32_t *rows, int32_t count,
                     const perp_deadline *deadline);

// Kernels with a fixed order of summation.
double principal_dot(int32_t n, const double *a, const double *b);
void principal_add(int32_t n, double s, const double *a, double *y);   // y += s a

#endif
