// classify_grid.c: finds the classes of the matrix of a grid of cells from its structure.
//
// A = -div(w grad) with w >= 0 is symmetric, has no positive entry off the diagonal, and is
// diagonally dominant: A_ii minus the sum of the other |A_ij| is the leak to air. So A is positive
// semidefinite. A component of liquid cells with a leak is irreducibly dominant, hence a
// nonsingular M-matrix and positive definite (Varga 1962). A component without a leak is a closed
// container: A 1 = 0 there.
// Cost: two passes over the cells.
#include "allocator.h"
#include "classify.h"
#include "error.h"
#include "grid.h"
#include "problem.h"

typedef struct structure {
  int32_t closed;             // a cell of a component without a leak; -1: there is none
  int32_t far_row, far_column;   // an entry with |i - j| > 1; -1: none
  int32_t tied_row, tied_column; // any entry off the diagonal; -1: none
} structure;

static void look(const perp_grid *g, int32_t n, const int32_t *component, uint8_t *leaks,
                 structure *s) {
  *s = (structure){-1, -1, -1, -1, -1};
  for (int32_t h = 0; h < n; h++) leaks[h] = 0;   // leaks[k]: component k has a leak
  for (int32_t h = 0; h < n; h++) {
    if (g->type[h] != PERP_CELL_LIQUID) {
      leaks[component[h]] = 1;
      continue;
    }
    for (int d = 0; d < 3; d++)
      for (int up = 0; up < 2; up++) {
        int32_t l;
        const double w = grid_face_entry(g, h, d, up, &l);
        if (!(w > 0.0)) continue;
        if (g->type[l] == PERP_CELL_AIR) {
          leaks[component[h]] = 1;
          continue;
        }
        s->tied_row = h;
        s->tied_column = l;
        if (l - h > 1 || h - l > 1) {
          s->far_row = h;
          s->far_column = l;
        }
      }
  }
  for (int32_t h = 0; h < n && s->closed < 0; h++)
    if (!leaks[component[h]]) s->closed = h;
}

perp_error classify_grid(const perp_operator *A, const perp_grid *g, const perp_allocator *from,
                         int32_t *components, finding *of) {
  const size_t n = (size_t)A->n, bytes = n*(2*sizeof(int32_t) + 1) + 1;
  int32_t *component = from->allocate(from->context, bytes);
  if (component == NULL)
    return error_set(PERP_ERROR_MEMORY, "perp_classify: no memory for n = %d", A->n);
  int known;
  structure s;
  *components = components_find(A, component, component + n, &known, NULL);
  look(g, A->n, component, (uint8_t *)(component + 2*n), &s);
  from->release(from->context, component);
  static const char grid[] = "the matrix of a grid of cells";
  const perp_class always[] = {PERP_CLASS_SYMMETRIC, PERP_CLASS_Z, PERP_CLASS_DOMINANT,
                               PERP_CLASS_PSD};
  for (size_t k = 0; k < sizeof always/sizeof *always; k++)
    finding_set(&of[always[k]], PERP_YES, "%s", grid);
  const perp_class open[] = {PERP_CLASS_PD, PERP_CLASS_H, PERP_CLASS_M};
  for (size_t k = 0; k < sizeof open/sizeof *open; k++) {
    if (s.closed < 0)
      finding_set(&of[open[k]], PERP_YES, "every component of the grid leaks to air");
    else
      finding_set(&of[open[k]], PERP_NO, "cell %d is in a closed container, where A 1 = 0",
                  s.closed);
  }
  if (s.far_row < 0) finding_set(&of[PERP_CLASS_TRIDIAGONAL], PERP_YES, "one line of cells");
  else finding_set(&of[PERP_CLASS_TRIDIAGONAL], PERP_NO, "A[%d][%d] < 0", s.far_row, s.far_column);
  if (s.tied_row >= 0)
    finding_set(&of[PERP_CLASS_NONNEGATIVE], PERP_NO, "A[%d][%d] < 0", s.tied_row, s.tied_column);
  else if (s.closed >= 0)
    finding_set(&of[PERP_CLASS_NONNEGATIVE], PERP_NO, "A[%d][%d] = 0", s.closed, s.closed);
  else finding_set(&of[PERP_CLASS_NONNEGATIVE], PERP_YES, "diagonal");
  finding_set(&of[PERP_CLASS_FRICTION], PERP_NO, "%s", grid);
  return PERP_OK;
}
