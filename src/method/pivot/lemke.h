// lemke.h: the state and the parts of Lemke's method.
//
// The variables are x_0 .. x_{n-1}, y_0 .. y_{n-1} and z0, numbered 0 .. 2n, in
//     A x + d z0 - y = -b.
// Row i is complementary if x_i is at a bound and y_i is basic with the sign of that bound, or if
// x_i is basic between its bounds and y_i = 0. On the path z0 is basic, and exactly one row has
// neither x_i nor y_i in the basis.
#ifndef PERP_LEMKE_H
#define PERP_LEMKE_H

#include "basis.h"
#include "random.h"
#include "run.h"

#define LEMKE_OUTSIDE_MIN 1e-9       // how far outside its bounds a basic x counts as outside
#define LEMKE_PIVOT_RATIO_MIN 1e-7   // a pivot below this, relative to its column, is checked

typedef enum lemke_side { AT_LOWER, AT_UPPER, AT_ZERO } lemke_side;   // AT_ZERO: free, not basic

typedef enum lemke_end {
  LEMKE_COMPLEMENTARY,   // z0 has left the basis
  LEMKE_RAY,             // nothing blocks the entering variable
  LEMKE_LOST,            // the pivots ran out, or the basis cannot be factored
  LEMKE_OVER             // the run has ended: a limit, or no memory
} lemke_end;

typedef struct lemke {
  perp_run *run;
  int32_t n;
  perp_csc A;
  perp_csc T;              // A', for the crash; NULL arrays if the diagonal is positive
  basis B;
  basis_vector u;          // n: the entering column in terms of the basis
  int32_t *head;           // n: the variable at each position
  int32_t *where;          // 2n + 1: position of a variable; -1: not basic
  uint8_t *side;           // n: a lemke_side: the bound of x_i while x_i is not basic
  uint8_t *wanted;         // n: 1: x_i shall be in the first basis
  double *value;           // n: values of the basic variables, by position
  double *width;           // n: steps to the bounds, by position; in a crash, the diagonal of A
  double *d;               // n: covering column, packed
  int32_t *d_row;          // n
  int32_t d_count;
  int32_t *reference;      // n: the basis that the lexicographic rule perturbs
  int32_t *start;          // n: the basis before z0 entered
  double *reference_sign;  // n: direction of the perturbation, away from the bound
  double *row, *other;     // n: rows of the inverse
  double *low;             // n: lower halves of residuals
  double *x, *y;           // n
  int32_t *iota;           // n: 0 .. n-1, the rows of the slacks
  int32_t *colptr, *index; // n + 1, nnz + 2n: the basis by columns
  double *entry;           // nnz + 2n
  int32_t *tied;           // n
  int32_t degenerate;      // steps of length 0 in a row
  int32_t lexicographic;   // 1: the rule applies until the next step of positive length
  int32_t rebase;          // 1: the next basis becomes its reference
  int32_t harris;
  int32_t careful;         // 1: pivots down to rounding count, and all solves are refined
  int32_t renew;           // 1: the last pivot was small; factor before the next one
  double negligible;       // entries of u below this, relative to its largest, are noise
  int32_t entering;        // the entering variable of a ray
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
// Bounds [low, high] of a basic variable.
void lemke_bounds(const lemke *l, int32_t variable, double *low, double *high);
double lemke_rest(const lemke *l, int32_t i);       // x_i while it is not basic
void lemke_clear(lemke *l);                         // makes every y basic, and every x nonbasic
int lemke_factor(lemke *l, double floor);           // returns as basis_factor
// The smallest pivot that is more than rounding, for entries near 1. Careful: 0, because A need not
// be scaled; the steps of refinement then show whether the factors are good.
double lemke_rounding(const lemke *l);
// Factors, first with a safe limit for pivots, then with lemke_rounding().
int lemke_renew(lemke *l);
// Replaces bounded x whose columns depend on others by their slacks; x_i is at position i. Uses
// `wanted` as work space. Returns as basis_dependent.
int lemke_drop_dependent(lemke *l);
void lemke_values(lemke *l);                        // computes the basic values again, refined
double lemke_drift(lemke *l);                       // the error of the basic values
double lemke_mismatch(lemke *l, int32_t variable);  // max |B u - a| for the variable's column a
// Refines u = B^-1 a with residuals in twice the precision. Every entry is then right to rounding
// if the condition of B is below 2^52. Returns the part of the largest entry that is noise: 2^-51
// if the steps have converged. Careful: returns 0, and each entry that is noise in its own unit
// becomes 0.
double lemke_refine(lemke *l, int32_t variable);
void lemke_place(lemke *l, int32_t position, int32_t variable);   // updates head and where
// Puts the variable with solution u at `position`. 0: success; otherwise as basis_factor, because
// the basis had to be factored.
int lemke_exchange(lemke *l, int32_t position, int32_t variable);
void lemke_point(const lemke *l, double *x);        // x of the basis, clamped to the bounds

// ---- lemke_ratio.c ----

void lemke_reference(lemke *l);                     // perturbs this basis from now on
// The position that blocks when the entering variable moves by direction*t, t >= 0; -1: it reaches
// its other bound first; -2: nothing blocks. *step: t; *at_upper: the leaving variable reaches its
// upper bound.
int32_t lemke_block(lemke *l, int32_t entering, double direction, double *step,
                    int *at_upper);

// ---- lemke_start.c ----

void lemke_guess(lemke *l, int32_t sweeps);         // sets `wanted` and `side` from run->x
void lemke_random_guess(lemke *l, random_stream *random);   // sets them at random
// Makes a complementary basis with the wanted x and every free x, as far as they are independent.
// Then drops bounded x that are outside their bounds, once or until none is left. 0: success; -1:
// deadline; -2: no memory; 2: no such basis is reliable.
typedef enum crash_rounds { CRASH_NONE, CRASH_ONCE, CRASH_REPEATED } crash_rounds;
int lemke_crash(lemke *l, crash_rounds rounds);
// Computes the covering column d, its solution in u, and the values with z0 in the basis. Returns
// the position at which z0 enters; -1: nothing is outside its bounds by more than the tolerance.
int32_t lemke_cover(lemke *l, int cover, double tolerance, random_stream *random);

#endif
