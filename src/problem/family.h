// family.h: functions that the problem families share: memory, assembly, answers, mathematics.
//
// A family is a file's `const perp_family family_NAME` and a line in gallery/families.def. Its
// generate() fills n, the CSC arrays, b, lo, hi, perhaps x, condition and note, and
// problem.A.claims; it returns as soon as something fails, and perp_generate frees the sample.
// Every number comes from a counter-based stream and from + - * / sqrt fma, which are the same on
// every machine: no sin, log or pow of the C library.
#ifndef PERP_FAMILY_H
#define PERP_FAMILY_H

#include <perp/gallery.h>

#include <math.h>

#include "error.h"
#include "random.h"
#include "vector.h"

#define FAMILY_WHOLE(name, initial, low, high, help)   {name, initial, low, high, 1, NULL, help}
#define FAMILY_REAL(name, initial, low, high, help)    {name, initial, low, high, 0, NULL, help}
#define FAMILY_CHOICE(name, initial, last, choices, help) {name, initial, 0, last, 1, choices, help}
#define FAMILY_BUILT \
  FAMILY_WHOLE("built", 0, 0, 1, "1: choose x and y first and set b = y - A x, so that x is known")
#define FAMILY_DEGENERATE            \
  FAMILY_REAL("degenerate", 0, 0, 1, \
              "built: fraction of bounded rows with x at the bound and y = 0")
#define FAMILY_COUNT(array) ((int32_t)(sizeof(array)/sizeof((array)[0])))

#define FAMILY_CLAIM_SPD (PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD | PERP_CLAIM_PD)

// Streams of one seed that do not overlap: 2^40 numbers each.
static inline random_stream family_stream(uint64_t seed, uint64_t purpose) {
  return (random_stream){seed, purpose << 40};
}

// assemble.c
void *assemble_take(int64_t count, size_t size);                       // zeroed; NULL: no memory
perp_error assemble_no_memory(int64_t n, int64_t nnz);                 // the error with its message
perp_error assemble_reserve(perp_sample *s, int64_t n, int64_t nnz);   // n, colptr, row, value, b

typedef struct assembly {   // entries in any order; assemble_finish sorts them, adds duplicates
  int64_t count, capacity;
  int32_t *row, *column;         // capacity
  double *value;                 // capacity
  int32_t failed;                // an allocation failed; assemble_finish reports it
} assembly;
void assemble_add(assembly *a, int32_t row, int32_t column, double value);
perp_error assemble_finish(assembly *a, int32_t n, perp_sample *s);    // fills s, always frees a

// A five-point matrix on nx x ny points, x fastest: link strengths to the right and upwards,
// including those to the boundary, where u = 0: east has (nx + 1) strengths, constant along y;
// north has nx, constant along y.
perp_error assemble_grid(perp_sample *s, int32_t nx, int32_t ny, const double *east,
                         const double *north);

// delassus.c
typedef struct delassus {        // rows of J between two bodies, and the inverse mass matrix
  int32_t rows, bodies;
  int32_t *a, *b;                // rows: the two bodies; a = -1 is the fixed world
  double *J;                     // rows x 12: six numbers of a (velocity, spin), six of b
  double *W;                     // bodies x 6: diagonal
} delassus;
perp_error delassus_take(delassus *c, int64_t rows, int32_t bodies);
void delassus_free(delassus *c);
// Row `row`: velocity of b minus velocity of a along d, at arms ra and rb from their centres.
void delassus_set(delassus *c, int32_t row, int32_t a, int32_t b, const double d[3],
                  const double ra[3], const double rb[3]);
double delassus_speed(const delassus *c, int32_t row, const double *u);   // (J u)_row
perp_error delassus_product(const delassus *c, perp_sample *s);   // s = J W J', exactly symmetric
// J, W and eps as the sample's product; c->W becomes the sample's. After delassus_product.
perp_error delassus_factors(delassus *c, double eps, perp_sample *s);

// masonry.c: bricks in running bond, and a ball that comes from the front, along y
typedef struct masonry_data {
  double length, depth, height;   // m, of a brick along x, y, z
  double inset;                   // position of the outermost contact points; 1 is the edge
  double radius, mass;            // m, kg, of the ball
  double step;                    // s
} masonry_data;
extern const masonry_data masonry;
typedef struct brick { double from, to; int32_t course; } brick;   // along x, in brick lengths
void masonry_stack(int32_t bricks, brick *list);
// What brick k lies on: one or two bricks from left to right, or -1, the ground. *first: 0 for
// k = 0, then for k = 1, 2, .. as it was left.
int32_t masonry_supports(const brick *list, int32_t k, int32_t *first, int32_t below[2]);
void masonry_centre(const brick *b, double c[3]);
// Point p of the rectangle [-1,1]^2: one in the middle, two along the wall, more in two rows.
void masonry_spread(int32_t p, int32_t points, double *x, double *y);
void masonry_mass(const brick *b, double factor, double W[6]);   // inverse mass and inertia
void masonry_ball(const brick *hit, double r[3], double centre[3], double W[6]);
// s += eps I: eps is `relative` times the largest diagonal entry, or with relative = 0 what makes
// the condition number of a singular matrix `condition`. Sets s->condition and the claims.
// singular: it is known to be; otherwise rows are counted and the spectrum is asked.
perp_error masonry_compliance(const delassus *c, int singular, double condition, double relative,
                              perp_sample *s, double *eps);

// answer.c
// Chooses x and y complementary; then, as answer_right_side does, b = y - A x and the objective.
perp_error answer_build(perp_sample *s, double degenerate, random_stream *random);
perp_error answer_right_side(perp_sample *s, const double *y);         // n

// The data of the bodies of all families.
static const struct { double density, gravity; } family_bodies = {2000.0, 9.81};   // kg/m^3, m/s^2

#define FAMILY_PI 3.14159265358979323846
// elementary.c: of the angle 2 pi k/n with 0 < n < 2^60, and of x > 0
void elementary_turn(int64_t k, int64_t n, double *cosine, double *sine);
double elementary_log(double x);

// spectrum.c: extreme eigenvalues of the symmetric matrix of s, by Lanczos without
// reorthogonalisation: *smallest is an upper and *largest a lower estimate.
perp_error spectrum_extremes(const perp_sample *s, int32_t steps, double *smallest,
                             double *largest);

#endif
