// preconditioner.h: P ~ A^-1 for the Krylov methods, built from the entries of a square matrix.
//
// For a problem with bounds, build it on A_II, the rows that are free now: a preconditioner of all
// of A between masks, ANE17 (42)-(45), approximates (A^-1)_II instead of (A_II)^-1.
#ifndef PERP_PRECONDITIONER_H
#define PERP_PRECONDITIONER_H

#include <perp/method.h>

typedef struct preconditioner {
  perp_allocator memory;
  perp_preconditioner used;   // what was built: another one than asked for where that broke down
  int32_t n, room;            // rows; rows that fit
  int32_t mended;             // pivots that were replaced
  double shift;               // A + shift diag(A) was factored, because A itself broke down
  double *d;                  // n: Jacobi and approximate inverse: 1/D
  double *s;                  // n: approximate inverse: the scales of A
  double *work;               // n
  int32_t *index;             // 2 n: work of the builders
  int32_t *diagonal;          // n: ILU: where U_jj stands
  int32_t *colptr;            // n + 1: the factor by columns
  int32_t *row;               // capacity
  double *value;              // capacity
  int64_t capacity;
} preconditioner;

preconditioner *preconditioner_create(const perp_allocator *allocator);   // NULL: no memory
void preconditioner_destroy(preconditioner *P);                           // NULL is fine

// A: n x n with its diagonal stored in every column, NULL where the entries are not known;
// diagonal: n, NULL where it is not known either. symmetric: 1 where A is. AUTO: IC for symmetric A
// with a positive diagonal, else ILU, Jacobi, identity, as far as is known. drop: entries of an
// approximate inverse below it are left out. 0: fine, -1: deadline, -2: no memory: P is then the
// identity.
int preconditioner_build(preconditioner *P, perp_preconditioner kind, int32_t n, const perp_csc *A,
                         const double *diagonal, int symmetric, double drop,
                         const perp_deadline *deadline);
int preconditioner_apply(void *P, const double *in, double *out);         // for a krylov_map; 0

enum { PRECONDITIONER_POLL = 1000000 };   // entries between two looks at the deadline: milliseconds

// The builders: 0: fine, 1: broken down, -1: deadline, -2: no memory. Their solves: out = P in.
int incomplete_cholesky(preconditioner *P, const perp_csc *A, int modified, double shift,
                        const perp_deadline *deadline);
void incomplete_cholesky_solve(const preconditioner *P, const double *in, double *out);
int approximate_inverse(preconditioner *P, const perp_csc *A, double drop,
                        const perp_deadline *deadline);
void approximate_inverse_apply(const preconditioner *P, const double *in, double *out);
int incomplete_lu(preconditioner *P, const perp_csc *A, const perp_deadline *deadline);
void incomplete_lu_solve(const preconditioner *P, const double *in, double *out);

int preconditioner_reserve(preconditioner *P, int64_t entries);   // keeps what is there; 0, or -2

#endif
