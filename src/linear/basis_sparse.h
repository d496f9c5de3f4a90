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

#endif
