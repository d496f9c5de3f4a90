// grid_levels.h: solves A_II z = r on the free cells I of a perp_grid by multigrid, for changing I.
//
// Conjugate gradients run around a multigrid cycle over a hierarchy of grids. Level 0 is the
// caller's grid. Level k + 1 halves level k in the directions in which it is finest. Every level
// has a matrix of the same kind, "the matrix of the level": A on level 0. Vectors are doubles in
// the layout of perp_grid with the shape of their level, without padding. Results have the same
// bits for any number of threads.
#ifndef PERP_GRID_LEVELS_H
#define PERP_GRID_LEVELS_H

#include <perp/method.h>

#include "team.h"

typedef struct grid_levels grid_levels;

// Keeps references to the valid grid, its arrays and threads (NULL: none); they must outlive the
// levels. All cells with liquid are free. NULL: *failed is -1 (deadline) or -2 (no memory).
grid_levels *grid_levels_create(const perp_grid *grid, team *threads,
                                const perp_allocator *allocator, const perp_deadline *deadline,
                                int *failed);
void grid_levels_destroy(grid_levels *g);                            // NULL is fine

// Takes other types or weights of a grid with the same cells and spacings, and as many threads as
// before, without allocating. The levels are then as after create. Returns 1 if the cells, spacings
// or the number of threads differ; the levels are then unchanged, and the caller must create new
// ones.
int grid_levels_renew(grid_levels *g, const perp_grid *grid, team *threads);

int32_t grid_levels_count(const grid_levels *g);                     // >= 1
size_t grid_levels_bytes(const grid_levels *g);                      // bytes allocated
// Returns the number of cells.
int32_t grid_levels_shape(const grid_levels *g, int32_t level, int32_t cells[3]);
// The directions that the next level halves (1) or keeps (0). Cell (i, j, k) has the parent
// (i >> halved[0], j >> halved[1], k >> halved[2]). All 0 on the last level.
void grid_levels_halved(const grid_levels *g, int32_t level, int32_t halved[3]);
const uint8_t *grid_levels_type(const grid_levels *g, int32_t level);  // a perp_cell each, n
void grid_levels_diagonal(const grid_levels *g, int32_t level, double *d);   // n; 1 without liquid

// y = A x + b with the matrix of the level, without the mask. b may be NULL, y may be b, not x.
// Rows of cells without liquid: y = x + b.
void grid_levels_apply(const grid_levels *g, int32_t level, const double *x, const double *b,
                       double *y);

// Projected Gauss-Seidel without the mask, `sweeps` times, all red cells and then all black ones:
// x_i <- mid(lo_i, x_i - y_i/A_ii, hi_i), y = A x + b. Bounds: n or NULL (none). Cells without
// liquid or with A_ii = 0 keep x_i.
void grid_levels_sweep(const grid_levels *g, int32_t level, int32_t sweeps, const double *b,
                       const double *lo, const double *hi, double *x);

// From a level to the next: sums (mean = 0: right-hand sides) or means (mean = 1: bounds, a start)
// over the liquid children of a cell; 0 in cells without liquid.
void grid_levels_coarsen(const grid_levels *g, int32_t level, int32_t mean, const double *v,
                         double *coarse);
// From the next level to this one: linear in each direction, 0 in air, reflected at solid cells;
// 0 in cells without liquid.
void grid_levels_refine(const grid_levels *g, int32_t level, const double *coarse, double *v);

// Sets the free cells of level `from` (its n, copied; NULL: all), and with them those of the
// coarser levels. Cells without liquid or with A_ii = 0 are never free. Does not allocate. Levels
// before `from` must be masked again before they are used.
void grid_levels_mask(grid_levels *g, int32_t from, const uint8_t *is_free);

// z ~ A_II^-1 r for the last mask, on its level: a V-cycle, symmetric positive definite up to
// rounding in single precision. z_F = 0; r_F is not read; r and z: n, distinct.
void grid_levels_cycle(grid_levels *g, int32_t from, const double *r, double *z);

// Bytes that a cycle reads and writes for the last mask. Each array counts once per pass; a level
// has two passes.
double grid_levels_traffic(const grid_levels *g, int32_t from);

typedef struct grid_levels_report {
  int32_t iterations;          // cycles
  double norm, most;           // of the residual r - A_II z: Euclidean and largest entry
  double norm_before;          // the norm of r_I
} grid_levels_report;

// Solves A_II z = r_I from z = 0, until |r - A_II z| <= relative |r_I|, or its largest entry is at
// most absolute, or after `limit` cycles, or when nothing improves. If a whole component of the
// liquid is free and touches no air, the system is singular. r is then made consistent by
// subtracting its mean over the component (norms are of that), and z has mean 0 there.
// 0: reached; 1: not reached (z is the best so far); -1: deadline (z likewise). z_F = 0.
int grid_levels_solve(grid_levels *g, int32_t from, const double *r, double *z, double relative,
                      double absolute, int32_t limit, const perp_deadline *deadline,
                      grid_levels_report *report);

// Continues from the z of the last solve, for a mask that has changed in some cells. The residual
// r - A_II z is known except in these cells, so the caller gives it first, in the units of r. _set:
// for a cell that became free, or 0 for one that became bound. _add: for a cell whose own r, or
// whose neighbour's z, changed. r and z are read where they are needed again; z_F = 0.
void grid_levels_rest_set(grid_levels *g, int32_t from, int32_t cell, double value);
void grid_levels_rest_add(grid_levels *g, int32_t from, int32_t cell, double by);
int grid_levels_go_on(grid_levels *g, int32_t from, const double *r, double *z, double relative,
                      double absolute, int32_t limit, const perp_deadline *deadline,
                      grid_levels_report *report);

// Components of the liquid without air: label[i] in 0 .. count - 1 if cell i of level 0 is in one,
// else -1. Returns count; *label: n, NULL if count is 0. The sum of b over such a component decides
// whether a problem has a solution.
int32_t grid_levels_closed(const grid_levels *g, const int32_t **label);

#endif
