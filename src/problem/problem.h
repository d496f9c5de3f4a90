// problem.h: looking at a problem before it is solved: validation, components,
// equilibration, presolve.
#ifndef PERP_PROBLEM_H
#define PERP_PROBLEM_H

#include <perp/gallery.h>
#include <perp/method.h>

#include "arena.h"
#include "operator.h"
#include "team.h"

int64_t problem_nnz(const perp_problem *problem);           // stored entries, as in perp_limits.nnz

// sizes, pointers, CSC pattern; seen: the indices have been looked at before
perp_error validate_structure(const perp_problem *problem, int seen);
perp_error validate_values(const perp_problem *problem, team *threads);    // NaN and inf in A
perp_error validate_vectors(const perp_problem *problem, team *threads);   // b, lo, hi
perp_error validate_point(const char *what, int32_t n, const double *x, team *threads);   // finite

// Connected components of the pattern of nonzero values (i ~ j where A_ij or A_ji is not 0),
// labelled 0, 1, ... in the order of their first row. entries_i counts the nonzeros of row i.
// Returns how many components; an operator without a pattern is one component, *known = 0,
// entries_i = n. Those of products and contacts come from J and W; their entries_i are 0 or, not
// counted, n. scratch: the operator's; without it (NULL) they have no pattern.
int32_t components_find(const perp_operator *A, int32_t *component, int32_t *entries,
                        int *known, void *scratch);   // n, n

// The same in a hurry, of a matrix whose pattern is symmetric: stored zeros tie, too, and half of
// the entries are read.
int32_t components_tied(const perp_csc *A, int32_t *component);
// Finer: blocks of variables that all depend on each other. Row i depends on x_j where A_ij is not
// 0, and A can be permuted to block triangular form with these blocks on the diagonal. Returns how
// many; where they are no finer, block is component. work: 4 n, for contacts 6 n; scratch as above.
int32_t components_strong(const perp_operator *A, const int32_t *component, int32_t components,
                          int32_t *entries, int32_t *block, int32_t *work,   // n, n, 4 n
                          void *scratch);
// inflow_i: sum of |A_ij| d_j over the j of other blocks; d >= 0
void components_inflow(const perp_operator *A, const int32_t *block, const double *d,
                       double *inflow);   // n, n, n

// Finer than components or blocks: rows (0 .. n-1) and columns (n .. 2n-1) of A that nonzeros
// within a part tie together.
// Scaling A by rows and columns can change the unit of each such half against the others, so only b
// can tell it. Returns how many.
int32_t components_halves(const perp_operator *A, const int32_t *part, int32_t parts,
                          double *diagonal, int32_t *half);   // n, n (work), 2 n

// Two-sided Ruiz scaling in the max norm, rounded to powers of two. Returns 1 where the operator
// told its row and column maxima, 2 where its diagonal tells them because it is a semidefinite
// product, 3 where it is the contact LCP made of one, 0 where only the diagonal (or nothing) was
// known. work: 4 n.
int equilibrate(const perp_operator *A, double *R, double *C, double *work);   // n, n, 4 n
// The same, and where the entries differ so widely that the caller's units were left behind
// (*two = 1) also the scaling that begins with them, at R = C = 1. Otherwise it is the same one,
// and given_R and given_C are untouched. -1: the deadline (NULL: none), asked between passes over
// a large A, has passed, and nothing is known. symmetric: A is, bit by bit, or 0; it saves time, and
// where no |A_ij| is larger than sqrt(A_ii A_jj) the scaling is that by the diagonal.
int equilibrate_both(const perp_operator *A, int symmetric, double *R, double *C, double *given_R,
                     double *given_C, int *two, double *work,   // n each, 4 n
                     const perp_deadline *deadline);


// Presolve: variables whose value every solution must have are taken out. x holds them;
// the rest is a smaller problem.
typedef struct presolve {
  int32_t n;                   // variables left
  int32_t blocks;              // independent problems, one after the other (1 unless split)
  int32_t *block;              // blocks + 1: block k has the variables block[k] .. block[k+1]-1
  int32_t *index;              // n: where a variable stood in the given problem
  double *b, *lo, *hi;         // n; lo, hi NULL where the given ones are
  perp_csc *csc;               // a matrix per block; its colptr need not begin with 0
  int32_t infeasible;          // a row that no x can satisfy (Farkas vector +-e_i), or -1
  uint8_t *turned;             // n, by the given problem's numbers: 1 where the row is multiplied by
                               //   -1. Set before presolve_run(), for rows without bounds
  // memory
  int32_t *colptr, *row, *place, *queue, *count;   // n+1, nnz, n, n, n
  double *value, *diagonal;                        // nnz, n
  perp_csc *matrices;                              // n
} presolve;

void presolve_layout(presolve *p, arena *memory, int32_t n, int64_t nnz);

// Returns 1 if the problem became smaller, fell into several blocks or has rows that change their
// sign (turns: p->turned is set), 0 if it is best taken as it is. entries and component are those of components_find. x (n) receives the values of the
// variables taken out.
int presolve_run(presolve *p, const perp_problem *problem, const int32_t *entries,
                 const int32_t *component, int32_t components, int reduce, int split, int turns,
                 double *x);

#endif
