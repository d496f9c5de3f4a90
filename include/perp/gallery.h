// gallery.h: families of problems whose properties or solutions are known, for tests, benchmarks,
// teaching and `perp gen`.
#ifndef PERP_GALLERY_H
#define PERP_GALLERY_H

#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_gallery_parameter {   // what can be varied in a family
  const char *name;            // "bodies"
  double initial, low, high;   // default and range
  int32_t integer;             // 1: whole numbers only
  const char *choices;         // NULL, or "walls|all": the value is the index
  const char *help;            // one line
} perp_gallery_parameter;

typedef struct perp_layout {   // where the unknowns of a planar problem are, for pictures
  int32_t nx, ny;              // points, x fastest; 0: there is no such grid
  double x, y, dx, dy;         // the first point, and the way to the next
  double edge;                 // steps from the first and the last point to the edge of the domain
  const char *x_label, *y_label, *value;   // "angle", "length", "pressure"
  const char *at_lo, *at_hi;   // what x = lo and x = hi mean: "contact"; NULL: nothing special
  int32_t *filled;             // nx: of column i only the lowest filled[i] points; NULL: all
} perp_layout;

typedef struct perp_sample {   // a generated problem; owns its arrays
  int32_t n;
  int32_t *colptr, *row;       // CSC
  double *value;               // colptr[n]
  double *b, *lo, *hi;         // n; lo and hi NULL where 0 and +inf
  double *x;                   // n: the known solution, or NULL
  perp_csc csc;                // views of the above, filled by perp_generate
  perp_problem problem;
  double condition;            // estimated 2-norm condition number; 0: this family gives none
  double objective;            // known minimum of 1/2 x'Ax + b'x; 0 if has_objective = 0
  int32_t has_objective;       // 1: the objective is known
  char note[240];              // one line: what was generated, with its numbers
  perp_layout grid;
  // The same A = J W J' + diag(compliance) through bodies, where the family is about contacts
  int32_t *product_rowptr, *product_column;         // J by rows; NULL where there is no such form
  double *product_value, *inverse_mass, *compliance;   // what product below points to
  perp_product product;        // views of these; perp_from_product(&sample.product, ...) makes the
                               //   operator. n = 0: there is none
} perp_sample;

typedef struct perp_family {   // a generator of problems
  const char *name;            // "fluid2d"
  const char *title;           // one line
  const char *answer;          // how the answer is known
  const perp_gallery_parameter *parameters;
  int32_t parameter_count;
  // internal: values in the order of parameters
  perp_error (*generate)(const double *values, uint64_t seed, perp_sample *sample);
} perp_family;

int32_t perp_family_count(void);   // how many families there are
const perp_family *perp_family_at(int32_t index);   // NULL outside 0 .. count-1
const perp_family *perp_find_family(const char *name);   // NULL if there is none

// values: parameter_count numbers in the table's order; NULL means the defaults. The same seed
// gives the same bits. The sample must not be moved in memory afterwards (its views point into it).
perp_error perp_generate(const perp_family *family, const double *values, uint64_t seed,
                         perp_sample *sample);
void perp_sample_free(perp_sample *sample);   // releases its arrays

// Counter-based random numbers (Philox4x32-10): the same on every machine,
// compiler and thread count.
void perp_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
double perp_random_uniform(uint64_t seed, uint64_t index);   // in [0, 1)
double perp_random_normal(uint64_t seed, uint64_t index);   // mean 0, variance 1

#ifdef __cplusplus
}
#endif
#endif
