// active_set_grid.h: pressure on a grid of cells, by the active set or anytime.
#ifndef PERP_ACTIVE_SET_GRID_H
#define PERP_ACTIVE_SET_GRID_H

#include "grid_units.h"

void active_set_grid(perp_run *run, const perp_grid *grid);   // the primal-dual active set
void multigrid_grid(perp_run *run, const perp_grid *grid);    // truncated nonsmooth Newton

// The steps of the latter from the x of the finest stage on, until the run ends.
void grid_truncated(grid_solver *g, grid_units *u);

#endif
