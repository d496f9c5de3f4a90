// classify.h: a matrix stored by columns and by rows, and the class tests of definite.c.
#ifndef PERP_CLASSIFY_H
#define PERP_CLASSIFY_H

#include <perp/analysis.h>
#include <perp/matrix.h>
#include <perp/perp.h>

typedef struct matrix {         // A by columns and its transpose; no stored zeros
  int32_t n;
  int32_t *colptr, *row;        // n + 1, nnz
  double *value;                // nnz
  int32_t *rowptr, *column;     // n + 1, nnz
  double *by_row;               // nnz
  double *diagonal;             // n
  double largest;               // max |A_ij|
  const int32_t *component;     // n: label of the connected component
  int32_t components;
  double *v, *w, *low;          // n each: work
  int32_t *queue;               // n
} matrix;

typedef struct finding {        // as in perp_classes.of[]
  perp_verdict verdict;
  char reason[96];
} finding;

enum { CLASSIFY_ROWS_MAX = 1500 };   // rows up to which dense factorisations decide: a few seconds
size_t classify_dense_doubles(int32_t n);   // length of `dense` below; 0: n is too large

// Tests H+ by diagonal dominance, then by scaling sweeps, then for small n by elimination in the
// comparison matrix.
void classify_h(const matrix *A, double *dense, finding *h);
// Tests definiteness of (A + A')/2 by two shifted Cholesky factorisations. dense is NULL if n
// exceeds CLASSIFY_ROWS_MAX.
void classify_definite(const matrix *A, double *dense, finding *psd, finding *pd);
perp_error classify_friction(const matrix *A, const perp_allocator *from, finding *friction);
// Finds all classes of the matrix of a grid of cells, and its number of components.
perp_error classify_grid(const perp_operator *A, const perp_grid *g, const perp_allocator *from,
                         int32_t *components, finding *of);
void finding_set(finding *f, perp_verdict verdict, const char *format, ...);

#endif
