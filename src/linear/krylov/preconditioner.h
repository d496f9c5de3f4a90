// preconditioner.h: builds P ~ A^-1 for the Krylov methods from the entries of a square matrix.
//
// For a problem with bounds, build it from A_II, the current free rows. Building it from all of A
// and masking it, ANE17 (42)-(45), would approximate (A^-1)_II instead of (A_II)^-1.
#ifndef PERP_PRECONDITIONER_H
#define PERP_PRECONDITIONER_H

#include <perp/method.h>

typedef struct preconditioner {
  perp_allocator memory;
  // The kind that was built; it differs from the request after a breakdown.
  perp_preconditioner used;
  int32_t n, room;            // rows; rows that the arrays have room for
  int32_t mended;             // number of pivots replaced
  double shift;               // A + shift diag(A) was factored, because factoring A failed
  double *d;                  // n: Jacobi and approximate inverse: 1/D
  double *s;                  // n: approximate inverse: the scales of A
  double *work;               // n
  int32_t *index;             // 2 n: work of the builders
  int32_t *diagonal;          // n: ILU: place of U_jj
  int32_t *colptr;            // n + 1: the factor by columns
  int32_t *row;               // capacity
  double *value;              // capacity
  int64_t capacity;
} preconditioner;

preconditioner *preconditioner_create(const perp_allocator *allocator);   // NULL: no memory
void preconditioner_destroy(preconditioner *P);                           // NULL is fine

// A: n x n with its diagonal stored in every column, or NULL if the entries are unknown. diagonal:
// n, or NULL if unknown. symmetric = 1: A is symmetric. AUTO: IC for a symmetric A with a positive
// diagonal, else ILU; without entries Jacobi, without a diagonal the identity. drop: an approximate
// inverse leaves out smaller entries. Returns 0; -1: deadline; -2: no memory. After an error P is
// the identity.
int preconditioner_build(preconditioner *P, perp_preconditioner kind, int32_t n, const perp_csc *A,
                         const double *diagonal, int symmetric, double drop,
                         const perp_deadline *deadline);
int preconditioner_apply(void *P, const double *in, double *out);         // for a krylov_map; 0

// The builders return 0: fine, 1: breakdown, -1: deadline, -2: no memory. The solves: out = P in.
int incomplete_cholesky(preconditioner *P, const perp_csc *A, int modified, double shift,
                        const perp_deadline *deadline);
void incomplete_cholesky_solve(const preconditioner *P, const double *in, double *out);
int approximate_inverse(preconditioner *P, const perp_csc *A, double drop,
                        const perp_deadline *deadline);
void approximate_inverse_apply(const preconditioner *P, const double *in, double *out);
int incomplete_lu(preconditioner *P, const perp_csc *A, const perp_deadline *deadline);
void incomplete_lu_solve(const preconditioner *P, const double *in, double *out);

int preconditioner_reserve(preconditioner *P, int64_t entries);   // keeps the entries; 0, or -2

#endif
