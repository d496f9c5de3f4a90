// active_set_grid.h: pressure on a grid of cells, by the active set or by anytime steps.
#ifndef PERP_ACTIVE_SET_GRID_H
#define PERP_ACTIVE_SET_GRID_H

#include "grid_units.h"

void active_set_grid(perp_run *run, const perp_grid *grid);   // the primal-dual active set
void multigrid_grid(perp_run *run, const perp_grid *grid);    // truncated nonsmooth Newton

// Continues with the steps of multigrid_grid.c from the x of the finest stage, until the run ends.
void grid_truncated(grid_solver *g, grid_units *u);

#endif
