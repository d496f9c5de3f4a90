// scaled_system_parts.h: the parts of a scaled system, shared by its three files.
#ifndef PERP_SCALED_SYSTEM_PARTS_H
#define PERP_SCALED_SYSTEM_PARTS_H

#include "face_kind.h"
#include "scaled_system.h"
#include "sparse_ldl.h"
#include "sparse_lu.h"

#define DENSE_ROWS_MAX 150   // up to here a sparse factor saves no time

// The attempts, in their order.
typedef enum stage {
  SMALLER,   // a face through bodies or groups, for D >= 0 in place of PA + Q
  LDL,       // sparse LDL' of the symmetric part of S, without exchanges
  BOLD_LU,   // sparse LU that exchanges rows only if the diagonal is tiny, which saves fill
  SAFE_LU    // sparse LU with the usual exchanges
} stage;

struct system_solver {
  perp_allocator allocator;
  int32_t n;
  int32_t factorizations;
  perp_operator given;
  face *smaller;           // NULL: there is none, or it does not pay
  int lifts;               // 1: it goes through bodies
  double *p, *q, *D, *rhs; // n each, if there is one: p and q as given; q/p where p > 0; work
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
  int quasi;               // 1: some signs are -1; S is quasidefinite
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
  void *block;             // memory of all arrays but csc
};

// matched: share of the entries that have a mirror image. skew: sum of |A - A'| over sum of |A|.
typedef struct likeness { double matched, skew; } likeness;

// scaled_system_entries.c
// 0: fine; 1: A does not show them; -2: no memory. Groups of rows may take them over.
int system_take_entries(system_solver *s);
int system_take_smaller(system_solver *s, face *smaller);   // takes it. 0: fine; -2: no memory
likeness system_compare_transpose(const perp_csc *A, int32_t *next);   // next: n, work
// S = R (PA + Q) C for these p and q, equilibrated, with the signs of rows changed if quasi.
void system_form(system_solver *s, const double *p, const double *q);

// scaled_system.c. These functions return what system_factor returns.
int system_need_ldl(system_solver *s);          // creates and analyses ldl if there is none
int system_factor_formed(system_solver *s);     // factors S by s->stage, or by a later stage
int system_factor_entries(system_solver *s, const double *p, const double *q);

#endif
