// grid_levels.h: solves A_II z = r on the free cells I of a perp_grid by multigrid, for changing I.
//
// Conjugate gradients run around a multigrid cycle over a hierarchy of grids. Level 0 is the
// caller's grid. Level k + 1 halves level k in the directions in which it is finest. Every level
// has a matrix of the same kind, "the matrix of the level"; on level 0 it is A. Vectors are doubles
// in the layout of perp_grid with the shape of their level, without padding. Results have the same
// bits for any number of threads.
#ifndef PERP_GRID_LEVELS_H
#define PERP_GRID_LEVELS_H

#include <perp/method.h>

#include "team.h"

typedef struct grid_levels grid_levels;

// Keeps references to grid, its arrays and threads (NULL: none), which must outlive the levels. The
// grid must be valid. All cells with liquid are free. Returns NULL on failure: *failed is -1
// (deadline) or -2 (no memory).
grid_levels *grid_levels_create(const perp_grid *grid, team *threads,
                                const perp_allocator *allocator, const perp_deadline *deadline,
                                int *failed);
void grid_levels_destroy(grid_levels *g);                            // NULL is fine

// Takes new types or weights of a grid with the same cells and spacings, and the same number of
// threads. Does not allocate. The levels are then as after create. Returns 1 if cells, spacings or
// the number of threads differ: then nothing has changed, and the caller must create new levels.
int grid_levels_renew(grid_levels *g, const perp_grid *grid, team *threads);

int32_t grid_levels_count(const grid_levels *g);                     // >= 1
// Returns the number of cells.
int32_t grid_levels_shape(const grid_levels *g, int32_t level, int32_t cells[3]);
// The directions that the next level halves (1) or keeps (0). Cell (i, j, k) has the parent
// (i >> halved[0], j >> halved[1], k >> halved[2]). All 0 on the last level.
void grid_levels_halved(const grid_levels *g, int32_t level, int32_t halved[3]);
const uint8_t *grid_levels_type(const grid_levels *g, int32_t level);  // a perp_cell each, n
void grid_levels_diagonal(const grid_levels *g, int32_t level, double *d);   // n; 1 without liquid

// y = A x + b with the matrix of the level, without the mask. b may be NULL. y may be b, but not x.
// Rows of cells without liquid: y = x + b.
void grid_levels_apply(const grid_levels *g, int32_t level, const double *x, const double *b,
                       double *y);

// Makes a projected Gauss-Seidel sweep without the mask, over all red cells, then all black ones:
//     x_i <- mid(lo_i, x_i - y_i/A_ii, hi_i),   y = A x + b
// lo, hi: n, or NULL for no bounds. Cells without liquid or with A_ii = 0 keep x_i.
void grid_levels_sweep(const grid_levels *g, int32_t level, const double *b, const double *lo,
                       const double *hi, double *x);

// Coarsens v from a level to the next: a cell gets the sum (mean = 0, for right-hand sides) or the
// mean (mean = 1, for bounds and starts) of its liquid children; 0 if the cell has no liquid.
void grid_levels_coarsen(const grid_levels *g, int32_t level, int32_t mean, const double *v,
                         double *coarse);
// Interpolates from the next level to this one, linearly in each direction. Values are 0 in air and
// reflected at solid cells. v is 0 in cells without liquid.
void grid_levels_refine(const grid_levels *g, int32_t level, const double *coarse, double *v);

// Sets the free cells of level `from` (is_free: n of this level, copied; NULL: all are free) and of
// the coarser levels. Cells without liquid or with A_ii = 0 are never free. Does not allocate.
// Levels before `from` must be masked again before they are used.
void grid_levels_mask(grid_levels *g, int32_t from, const uint8_t *is_free);

// z ~ A_II^-1 r by a V-cycle, for the last mask and on its level. The map is symmetric positive
// definite up to rounding in single precision. z_F = 0; r_F is not read; r and z: n, distinct.
void grid_levels_cycle(grid_levels *g, int32_t from, const double *r, double *z);

typedef struct grid_levels_report {
  int32_t iterations;          // cycles
  double norm, most;           // of the residual r - A_II z: Euclidean norm and largest entry
  double norm_before;          // the norm at the start
} grid_levels_report;

// Solves A_II z = r_I from z = 0. Stops when |r - A_II z| <= relative |r_I|, when its largest entry
// is at most absolute, after `limit` cycles, or when nothing improves. If a whole component of the
// liquid is free and touches no air, the system is singular. Then the mean of r over the component
// is subtracted from r (norms are of the difference), and z has mean 0 there.
// 0: reached; 1: not reached; -1: deadline. z is the last iterate in each case. z_F = 0.
int grid_levels_solve(grid_levels *g, int32_t from, const double *r, double *z, double relative,
                      double absolute, int32_t limit, const perp_deadline *deadline,
                      grid_levels_report *report);

// grid_levels_go_on continues from the z of the last solve after the mask has changed in some
// cells. First the caller updates the residual r - A_II z, in the units of r. _set: the residual of
// a cell that became free, or 0 for a cell that became bound. _add: the change of the residual of a
// cell whose own r, or whose neighbour's z, changed. z_F = 0.
void grid_levels_rest_set(grid_levels *g, int32_t from, int32_t cell, double value);
void grid_levels_rest_add(grid_levels *g, int32_t from, int32_t cell, double by);
int grid_levels_go_on(grid_levels *g, int32_t from, const double *r, double *z, double relative,
                      double absolute, int32_t limit, const perp_deadline *deadline,
                      grid_levels_report *report);

// Finds closed components, parts of the liquid that touch no air. (*label)[i] is in 0 .. count - 1
// if cell i of level 0 is in one, else -1. Returns count; *label: n, NULL if count is 0. The sum of
// b over such a component decides whether a problem has a solution.
int32_t grid_levels_closed(const grid_levels *g, const int32_t **label);

#endif
