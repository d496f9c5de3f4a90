// basis_sparse.h: the sparse half of basis.h; for basis.c only.
#ifndef PERP_BASIS_SPARSE_H
#define PERP_BASIS_SPARSE_H

#include "basis.h"


void sparse_basis_layout(basis *self, arena *memory);
int sparse_basis_begin(basis *self);
void sparse_basis_end(basis *self);
int sparse_basis_factor(basis *self, const perp_csc *B, double floor,
                        const perp_deadline *deadline);
int sparse_basis_dependent(basis *self, const perp_csc *B, double small, uint8_t *dependent,
                           const perp_deadline *deadline);
void sparse_basis_solve(basis *self, const basis_column *a, basis_vector *u);
void sparse_basis_row(basis *self, int32_t position, double *r);
void sparse_basis_solve_dense(basis *self, double *v);
int sparse_basis_exchange(basis *self, int32_t position, const basis_vector *u);

// ---- basis_kernel.c: the factors of the kernel ----

void kernel_end(basis *self);
int kernel_factor(basis *self, const perp_csc *K, double floor,
                  const perp_deadline *deadline);            // as sparse_lu_factor
void kernel_solve(basis *self, double *v);                   // m
void kernel_solve_transpose(basis *self, double *v);         // m
int32_t kernel_solve_few(basis *self, double *v, int32_t *pattern, int32_t count);

#endif
