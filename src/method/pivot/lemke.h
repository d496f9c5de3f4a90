// lemke.h: what the files of Lemke's method share.
//
// The variables are x_0 .. x_{n-1}, y_0 .. y_{n-1} and z0, numbered 0 .. 2n, in
//     A x + d z0 - y = -b.
// Row i is complementary: x_i is at a bound and y_i basic with the sign that belongs to that bound,
// or x_i is basic between its bounds and y_i = 0. On the path z0 is basic and one row, the missing
// one, has neither.
#ifndef PERP_LEMKE_H
#define PERP_LEMKE_H

#include "basis.h"
#include "random.h"
#include "run.h"

typedef enum lemke_side { AT_LOWER, AT_UPPER, AT_ZERO } lemke_side;   // AT_ZERO: free, not basic

typedef enum lemke_end {
  LEMKE_COMPLEMENTARY,   // z0 has left
  LEMKE_RAY,             // nothing blocks
  LEMKE_LOST,            // more pivots than were granted, or a basis that cannot be factored
  LEMKE_OVER             // the run has ended: limits, memory
} lemke_end;

typedef struct lemke {
  perp_run *run;
  int32_t n;
  perp_csc A;
  perp_csc T;              // A', for the crash; NULL arrays: the diagonal is positive
  basis B;
  basis_vector u;          // n: the entering column in terms of the basis
  int32_t *head;           // n: the variable at each position
  int32_t *where;          // 2n + 1: position of a variable, -1: not basic
  uint8_t *side;           // n: a lemke_side: where x_i is while it is not basic
  uint8_t *wanted;         // n: x_i shall be basic in the first basis
  double *value;           // n: of the basic variables, by position
  double *width;           // n: steps to the bounds by position, or, in a crash, the diagonal
  double *d;               // n: covering column, packed
  int32_t *d_row;          // n
  int32_t d_count;
  int32_t *reference;      // n: the basis that the lexicographic rule perturbs
  int32_t *start;          // n: the basis in which z0 came in
  double *reference_sign;  // n: into which direction: away from the bound
  double *row, *other;     // n: rows of the inverse
  double *low;             // n: the lower halves of residuals
  double *x, *y;           // n
  int32_t *iota;           // n: 0 .. n-1, the rows of the slacks
  int32_t *colptr, *index; // n + 1, nnz + 2n: the basis by columns
  double *entry;           // nnz + 2n
  int32_t *tied;           // n
  int32_t degenerate;      // steps of length 0 in a row
  int32_t lexicographic;   // the rule is in force until the next step of positive length
  int32_t rebase;          // its reference is the next basis
  int32_t harris;
  int32_t careful;         // pivots down to rounding count, and all solves are refined
  int32_t renew;           // the last pivot was small: factor before the next one
  double negligible;       // entries of u relative to its largest that are noise
  int32_t entering;        // of the ray
  double direction;
} lemke;


#define X_OF(i) (i)
#define Y_OF(l, i) ((l)->n + (i))
#define Z0(l) (2*(l)->n)

static inline int32_t lemke_row(const lemke *l, int32_t variable) {
  return variable < l->n ? variable : variable - l->n;
}

// ---- lemke_basis.c ----

basis_column lemke_column(const lemke *l, int32_t variable);
// [low, high] of a basic variable
void lemke_bounds(const lemke *l, int32_t variable, double *low, double *high);
double lemke_rest(const lemke *l, int32_t i);       // x_i while it is not basic
void lemke_clear(lemke *l);                         // every y is basic, every x at a bound
int lemke_factor(lemke *l, double floor);           // as basis_factor
// A floor for pivots: what rounding leaves of entries near 1. Careful: 0, because A need not be
// scaled, and whether the factors are worth anything shows in the steps of refinement.
double lemke_rounding(const lemke *l);
// Factors, at first with a floor that is safe, then with one that only rounding explains.
int lemke_renew(lemke *l);
// Bounded x in the basis whose columns depend on others give way to their slacks; x_i stands at
// position i. Uses `wanted` as work. As basis_dependent.
int lemke_drop_dependent(lemke *l);
void lemke_values(lemke *l);                        // the basic values anew, refined
double lemke_drift(lemke *l);                       // how wrong they are
double lemke_mismatch(lemke *l, int32_t variable);  // max |B u - a| for the variable's column a
// u = B^-1 a by steps of refinement with residuals as if in twice the precision: every entry is
// then right to rounding, as long as the condition of B is below 2^52. Returns the part of the
// largest entry that is noise: 2^-51 where the steps have converged, or, if careful, 0: entries are
// then judged one by one, in their own units, and noise is set to 0.
double lemke_refine(lemke *l, int32_t variable);
void lemke_place(lemke *l, int32_t position, int32_t variable);   // in head and where
// The variable with solution u enters at `position`. 0: fine, else as basis_factor: the exchange
// was not recorded and the basis had to be factored.
int lemke_exchange(lemke *l, int32_t position, int32_t variable);
void lemke_point(const lemke *l, double *x);        // x of the basis, within the bounds

// ---- lemke_ratio.c ----

void lemke_reference(lemke *l);                     // this basis is perturbed from now on
// The position that blocks when the entering variable moves by direction*t, t >= 0; -1: it reaches
// its other bound first; -2: nothing blocks. *step: t; *at_upper: the leaving one reaches its upper
// bound.
int32_t lemke_block(lemke *l, int32_t entering, double direction, double *step,
                    int *at_upper);

// ---- lemke_start.c ----

void lemke_guess(lemke *l, int32_t sweeps);         // `wanted` and `side` from run->x
void lemke_random_guess(lemke *l, random_stream *random);   // likewise, whatever x is
// A complementary basis with the wanted x and every free x in it as far as they are independent;
// feasible: without bounded x that are outside of their bounds there. 0: fine, -1: deadline, -2: no
// memory, 2: no such basis can be trusted.
int lemke_crash(lemke *l, int feasible);
// The covering column d and, in u, its solution; the values with z0 in the basis. Returns the
// position at which z0 is to enter, -1: nothing is outside by more than the tolerance.
int32_t lemke_cover(lemke *l, int cover, double tolerance, random_stream *random);

#endif
