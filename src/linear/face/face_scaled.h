// face_scaled.h: the parts of the face with a diagonal, shared by its three files.
#ifndef PERP_FACE_SCALED_H
#define PERP_FACE_SCALED_H

#include "face_kind.h"
#include "sparse_ldl.h"
#include "sparse_lu.h"

// The attempts, in their order.
typedef enum stage {
  SMALLER,   // a face through bodies or groups, for D >= 0 in place of PA + Q
  LDL,       // sparse LDL' of the symmetric part of S, without exchanges
  BOLD_LU,   // sparse LU that exchanges rows only if the diagonal is tiny, which saves fill
  SAFE_LU    // sparse LU with the usual exchanges
} stage;

typedef struct scaled_face {
  face base;
  perp_allocator allocator;
  int32_t n;
  perp_operator given;
  const double *p_given, *q_given;   // n, or NULL: 1, 0
  double *p, *q;           // n: the same, with 0 and 1 in rows that are not free
  uint8_t *held;           // n: 1: the row is not free
  face *smaller;           // through bodies or groups; NULL: there is none, or it does not pay
  double *D, *rhs;         // n each: q/p where p > 0; right-hand side for `smaller`
  int entries;             // 1: the entries of A are here
  int full;                // 1: dense; A, S, LU are n x n, row-major
  double *A;               // n x n
  double *S;               // n x n, or one per entry of A: R (PA + Q) C
  double *LU;              // n x n
  int32_t *pivot;          // n
  perp_csc csc;            // sparse: A with all its diagonal entries
  int32_t *diagonal;       // n: places of the diagonal entries
  int symmetric;           // 1: A is symmetric, after changes of signs if quasi
  sparse_ldl *ldl;         // NULL: not needed yet
  int rounded;             // 1: A is not exactly symmetric
  double *sign;            // n: signs of the rows that make A symmetric
  sparse_lu *lu;           // NULL: not needed yet
  uint8_t *kept;           // n: p_i != 0; where p_i = 0, z_i = r_i/q_i
  int masked;              // 1: some p_i are 0
  int usable;              // 1: the last factorisation succeeded
  stage stage;             // attempt that made the factor
  perp_deadline deadline;  // of the last factorisation
  double *r, *c;           // n: scales of rows and columns
  double *v, *z;           // n: scaled right-hand side and solution
  double *high, *low;      // n: residual in two parts
  double *size;            // n: |S||z| + |v|
  double *before;          // n: z before a correction
  void *block;             // memory of the arrays that the entries need, but csc
} scaled_face;

// matched: share of the entries that have a mirror image. skew: sum of |A - A'| over sum of |A|.
typedef struct likeness { double matched, skew; } likeness;

// face_scaled_entries.c
// 0: fine; 1: A does not show them; -2: no memory. Groups of rows may take them over.
int scaled_take_entries(scaled_face *s);
likeness scaled_compare_transpose(const perp_csc *A, int32_t *next);   // next: n, work
void scaled_form(scaled_face *s);   // S = R (PA + Q) C, with the signs of rows changed if quasi

// face_scaled.c. These functions return what face_update returns.
int scaled_need_ldl(scaled_face *s);          // creates and analyses ldl if there is none
int scaled_factor_formed(scaled_face *s);     // factors S by s->stage, or by a later stage
int scaled_factor(scaled_face *s);            // forms S and factors it

// face_scaled_solve.c: functions of the kind.
int scaled_solve(face *base, double *v, int refine);
void scaled_multiply(const face *base, int transposed, const double *x, double *y);

#endif
