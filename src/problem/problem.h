// problem.h: the steps before a solve: validate, find components, equilibrate, presolve.
#ifndef PERP_PROBLEM_H
#define PERP_PROBLEM_H

#include <perp/gallery.h>
#include <perp/method.h>

#include "arena.h"
#include "operator.h"
#include "team.h"

int64_t problem_nnz(const perp_problem *problem);           // stored entries, as in perp_limits.nnz

// Sizes, pointers and the CSC pattern. seen = 1: the indices have been checked before.
perp_error validate_structure(const perp_problem *problem, int seen);
// The same for a matrix alone. colptr[0] may be > 0: presolve splits a matrix into blocks that share
// its arrays, and a caller's linear solver gets such a block.
perp_error validate_block(const perp_operator *A);
perp_error validate_values(const perp_problem *problem, team *threads);    // NaN and inf in A
perp_error validate_vectors(const perp_problem *problem, team *threads);   // b, lo, hi
perp_error validate_point(const char *what, int32_t n, const double *x, team *threads);   // finite

// Connected components of the pattern of nonzero values (i ~ j where A_ij or A_ji is not 0),
// labelled 0, 1, 2 in the order of their first row. Returns the number of components.
// entries_i is the number of nonzeros of row i.
// An operator without a pattern is one component, with *known = 0 and entries_i = n.
// Products and contacts take their components from J and W. They count no entries: entries_i is 0
// for an empty row and n otherwise. They need the operator's scratch; with scratch = NULL they
// count as operators without a pattern.
int32_t components_find(const perp_operator *A, int32_t *component, int32_t *entries,
                        int *known, void *scratch);   // n, n

// A faster version for a matrix with a symmetric pattern. It reads half of the entries. Stored
// zeros connect rows, too.
int32_t components_tied(const perp_csc *A, int32_t *component);
// Blocks of variables that all depend on each other; they refine the components. Row i depends on
// x_j where A_ij is not 0. A can be permuted to block triangular form with these blocks on the
// diagonal. Returns the number of blocks; if no component splits, block is a copy of component.
// work: 4 n, for contacts 6 n. scratch: as above.
int32_t components_strong(const perp_operator *A, const int32_t *component, int32_t components,
                          int32_t *entries, int32_t *block, int32_t *work,   // n, n, 4 n
                          void *scratch);
// inflow_i = sum of |A_ij| d_j over the j of other blocks, with d >= 0
void components_inflow(const perp_operator *A, const int32_t *block, const double *d,
                       double *inflow);   // n, n, n

// Halves: rows (0 .. n-1) and columns (n .. 2n-1) of A, joined where a nonzero inside a part
// connects them. Scaling rows and columns of A can change the unit of one half against the
// others; only b can show that. Returns the number of halves.
int32_t components_halves(const perp_operator *A, const int32_t *part, int32_t parts,
                          double *diagonal, int32_t *half);   // n, n (work), 2 n

// Two-sided Ruiz scaling in the max norm, rounded to powers of two. Returns how it was found:
// 1: from the operator's row and column maxima; 2: from the diagonal of a semidefinite product;
// 3: the same for the contact LCP made of such a product; 0: from the diagonal alone, or not at
// all.
int equilibrate(const perp_operator *A, double *R, double *C, double *work);   // n, n, 4 n
// The same. If the entries differ so widely that the scaling did not start from the caller's units
// (*two = 1), given_R and given_C receive the scaling that starts from them, at R = C = 1.
// Otherwise (*two = 0) given_R and given_C are untouched. Returns -1 if the deadline has passed
// (NULL: none); it is checked between passes over a large A, and R and C are then unusable.
// symmetric = 1: A is symmetric bit by bit. That saves time, and where no |A_ij| exceeds
// sqrt(A_ii A_jj) the scaling is that of the diagonal.
int equilibrate_both(const perp_operator *A, int symmetric, double *R, double *C, double *given_R,
                     double *given_C, int *two, double *work,   // n each, 4 n
                     const perp_deadline *deadline);


// Presolve takes out the variables whose value is the same in every solution. x receives their
// values; the remaining variables make a smaller problem.
typedef struct presolve {
  int32_t n;                   // remaining variables
  int32_t blocks;              // independent problems, one after the other (1 unless split)
  int32_t *block;              // blocks + 1: block k has the variables block[k] .. block[k+1]-1
  int32_t *index;              // n: where a variable stood in the given problem
  double *b, *lo, *hi;         // n; lo, hi NULL where the given ones are
  perp_csc *csc;               // a matrix per block; its colptr need not begin with 0
  int32_t infeasible;          // a row that no x can satisfy (Farkas vector +-e_i), or -1
  uint8_t *turned;             // n, in the given numbering: 1 where the row is multiplied by -1.
                               //   Set before presolve_run(), for rows without bounds
  // memory
  int32_t *colptr, *row, *place, *queue, *count;   // n+1, nnz, n, n, n
  double *value, *diagonal;                        // nnz, n
  perp_csc *matrices;                              // n
} presolve;

void presolve_layout(presolve *p, arena *memory, int32_t n, int64_t nnz);

// Returns 1 if the problem became smaller, split into blocks or has rows that change their sign
// (turns: p->turned is set), 0 if it should be solved as given. entries and component come from
// components_find. x (n) receives the values of the variables taken out.
int presolve_run(presolve *p, const perp_problem *problem, const int32_t *entries,
                 const int32_t *component, int32_t components, int reduce, int split, int turns,
                 double *x);

#endif
