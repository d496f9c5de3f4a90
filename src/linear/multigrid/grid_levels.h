// grid_levels.h: a hierarchy of grids under the pressure matrix of perp_grid: A_II z = r on the
// free cells I by conjugate gradients around a multigrid cycle, for masks that change.
//
// Level 0 is the caller's grid, level k + 1 halves level k in the directions in which it is finest.
// Every level has a matrix of the same kind, "the matrix of the level": A on level 0. Vectors are
// doubles in the layout of perp_grid with the shape of their level, without padding. Results have
// the same bits for any number of threads.
#ifndef PERP_GRID_LEVELS_H
#define PERP_GRID_LEVELS_H

#include <perp/method.h>

#include "team.h"

typedef struct grid_levels grid_levels;

// The grid (valid, kept by reference with its arrays) and threads (NULL: none, kept) must outlive
// the levels. All cells with liquid are free. NULL: *failed is -1 (deadline) or -2 (no memory).
grid_levels *grid_levels_create(const perp_grid *grid, team *threads,
                                const perp_allocator *allocator, const perp_deadline *deadline,
                                int *failed);
void grid_levels_destroy(grid_levels *g);                            // NULL is fine

// Other types or weights of a grid with the same cells and spacings, other threads as many as
// before, without allocating: as after create. 1: the cells, spacings or the number of threads are
// not those (create anew; the levels are as before), else 0.
int grid_levels_renew(grid_levels *g, const perp_grid *grid, team *threads);

int32_t grid_levels_count(const grid_levels *g);                     // >= 1
size_t grid_levels_bytes(const grid_levels *g);                      // what they have allocated
// returns the number of cells
int32_t grid_levels_shape(const grid_levels *g, int32_t level, int32_t cells[3]);
// Which directions the next level halves (1) or keeps (0): cell (i, j, k) has the parent
// (i >> halved[0], ...); all 0 on the last level.
void grid_levels_halved(const grid_levels *g, int32_t level, int32_t halved[3]);
const uint8_t *grid_levels_type(const grid_levels *g, int32_t level);  // a perp_cell each, n
void grid_levels_diagonal(const grid_levels *g, int32_t level, double *d);   // n; 1 without liquid

// y = A x + b with the matrix of the level, whatever the mask; b may be NULL, y may be b, not x.
// Rows of cells without liquid: y = x + b.
void grid_levels_apply(const grid_levels *g, int32_t level, const double *x, const double *b,
                       double *y);

// Projected Gauss-Seidel, all red cells and then all black ones, `sweeps` times, whatever the mask:
// x_i <- mid(lo_i, x_i - y_i/A_ii, hi_i), y = A x + b. Bounds: n or NULL (none). Cells without
// liquid, and those with A_ii = 0, keep x_i.
void grid_levels_sweep(const grid_levels *g, int32_t level, int32_t sweeps, const double *b,
                       const double *lo, const double *hi, double *x);

// From a level to the next. Sums (mean = 0: right sides), or means (mean = 1: bounds, a start) over
// the liquid children of a cell; 0 in cells without liquid.
void grid_levels_coarsen(const grid_levels *g, int32_t level, int32_t mean, const double *v,
                         double *coarse);
// From the next level to this one: linear in each direction, 0 in air, reflected at solid cells;
// 0 in cells without liquid.
void grid_levels_refine(const grid_levels *g, int32_t level, const double *coarse, double *v);

// The free cells of level `from` (its n, copied; NULL: all), and what follows on the coarser
// levels. Cells without liquid and those with A_ii = 0 are never free. Allocates nothing. Levels
// before `from` are to be masked again before they are used.
void grid_levels_mask(grid_levels *g, int32_t from, const uint8_t *is_free);

// z <- about A_II^-1 r for the last mask, on its level: one symmetric positive definite V-cycle,
// but for rounding in single precision. z_F = 0; r_F is not read; r and z: n, distinct.
void grid_levels_cycle(grid_levels *g, int32_t from, const double *r, double *z);

// Bytes that one cycle reads and writes for the last mask, each array once in each of its two
// passes over a level.
double grid_levels_traffic(const grid_levels *g, int32_t from);

typedef struct grid_levels_report {
  int32_t iterations;          // cycles
  double norm, most;           // of the residual r - A_II z: Euclidean and largest entry
  double norm_before;          // the norm of r_I
} grid_levels_report;

// A_II z = r_I from z = 0, until |r - A_II z| <= relative |r_I| or its largest entry is at most
// absolute, or after `limit` cycles, or when nothing improves any more. Where a whole component of
// the liquid is free and touches no air the system is singular: r is then made consistent by
// subtracting its mean over the component (norms are of that), and z has mean 0 there.
// 0: reached, 1: not reached (z is the best so far), -1: deadline (z likewise). z_F = 0.
int grid_levels_solve(grid_levels *g, int32_t from, const double *r, double *z, double relative,
                      double absolute, int32_t limit, const perp_deadline *deadline,
                      grid_levels_report *report);

// Further from the z of the last solve, for a mask that has changed in some cells. What it had left,
// r - A_II z, is known but for these: to be told before, in the units of r. _set: of a cell that is
// free now and was not, or 0 of one that was and is not; _add: of one whose neighbour's z, or whose
// r, is another one. r and z are read where they are needed again: z_F = 0.
void grid_levels_rest_set(grid_levels *g, int32_t from, int32_t cell, double value);
void grid_levels_rest_add(grid_levels *g, int32_t from, int32_t cell, double by);
int grid_levels_go_on(grid_levels *g, int32_t from, const double *r, double *z, double relative,
                      double absolute, int32_t limit, const perp_deadline *deadline,
                      grid_levels_report *report);

// Components of the liquid without air: label[i] in 0 .. count - 1 where cell i of level 0 is in
// one, else -1. Returns count; *label: n, NULL if count is 0. The sum of b over such a component
// decides whether a problem has a solution.
int32_t grid_levels_closed(const grid_levels *g, const int32_t **label);

#endif
