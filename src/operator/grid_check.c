// grid_check.c: checks that a grid is well formed, and finds cells that may separate from a wall.
#include <math.h>
#include <string.h>

#include "error.h"
#include "grid.h"

static const char axis[] = "xyz";

// 1: all types are valid. Compilers turn the maximum into vector instructions.
static int types_fine(const uint8_t *type, int64_t count) {
  uint8_t most = 0;
  for (int64_t k = 0; k < count; k++) most = type[k] > most ? type[k] : most;
  return most <= PERP_CELL_AIR;
}

perp_error grid_check_shape(const perp_grid *g, int seen) {
  int64_t n = 1;
  for (int d = 0; d < 3; d++) {
    if (g->cells[d] < 1)
      return error_set(PERP_ERROR_PROBLEM, "grid: cells[%d] = %d < 1", d, g->cells[d]);
    n *= g->cells[d];
    if (n > INT32_MAX)
      return error_set(PERP_ERROR_PROBLEM, "grid: %d x %d x %d cells are more than %d",
                       g->cells[0], g->cells[1], g->cells[2], INT32_MAX);
    const double h = g->spacing[d], scale = grid_scale(g, d);
    // A direction with a single cell has no faces and needs no spacing.
    if (g->cells[d] > 1 && !(h > 0.0 && scale >= 0x1p-1000 && scale <= 0x1p1000))
      return error_set(PERP_ERROR_PROBLEM,
                       "grid: spacing[%d] = %g: must be positive, and its square a normal number",
                       d, h);
  }
  if (g->type == NULL) return error_set(PERP_ERROR_PROBLEM, "grid: type is NULL");
  if (seen || types_fine(g->type, n)) return PERP_OK;
  for (int64_t k = 0; k < n; k++)
    if (g->type[k] > PERP_CELL_AIR)
      return error_set(PERP_ERROR_PROBLEM,
                       "grid: type[%lld] = %d: must be 0 (solid), 1 (liquid) or 2 (air)",
                       (long long)k, g->type[k]);
  return PERP_OK;
}

// The largest of `count` values, or NaN if a value is negative or NaN.
static double largest(const double *value, int64_t count) {
  double most[4] = {0.0}, bad[4] = {0.0};
  int64_t k = 0;
  for (; k + 4 <= count; k += 4)
    for (int q = 0; q < 4; q++) {
      const double v = value[k + q];
      most[q] = v > most[q] ? v : most[q];
      bad[q] = v >= 0.0 ? bad[q] : 1.0;
    }
  for (; k < count; k++) {
    most[0] = value[k] > most[0] ? value[k] : most[0];
    bad[0] = value[k] >= 0.0 ? bad[0] : 1.0;
  }
  for (int q = 1; q < 4; q++) {
    most[0] = most[q] > most[0] ? most[q] : most[0];
    bad[0] += bad[q];
  }
  return bad[0] == 0.0 ? most[0] : (double)NAN;
}

typedef struct weighing {
  const double *face;
  double most[TEAM_SHARES];
} weighing;

static void weigh_share(void *data, int32_t from, int32_t to, int32_t share) {
  weighing *w = data;
  w->most[share] = largest(w->face + from, to - from);
}

static double largest_weight(const double *face, int64_t count, team *threads) {
  weighing w = {.face = face};
  double most = 0.0;
  if (count > INT32_MAX) return largest(face, count);
  const int32_t shares = team_share(threads, (int32_t)count, weigh_share, &w);
  for (int32_t k = 0; k < shares && most == most; k++)
    if (!(w.most[k] <= most)) most = w.most[k];
  return most;
}

perp_error grid_check_weights(const perp_grid *g, team *threads) {
  double sum = 0.0, most[3] = {0.0};
  for (int d = 0; d < 3; d++) {
    if (g->cells[d] == 1) continue;
    int64_t count = 1;
    for (int e = 0; e < 3; e++) count *= (int64_t)g->cells[e] + (e == d);
    most[d] = g->face[d] != NULL ? largest_weight(g->face[d], count, threads) : 1.0;
    for (int64_t k = 0; !(most[d] < (double)INFINITY) && k < count; k++)
      if (!(g->face[d][k] >= 0.0 && g->face[d][k] < (double)INFINITY))
        return error_set(PERP_ERROR_PROBLEM, "grid: face[%d][%lld] = %g is outside [0, inf)", d,
                         (long long)k, g->face[d][k]);
    sum += 2.0*most[d]*grid_scale(g, d);
  }
  if (sum < 0x1p1020) return PERP_OK;   // all sums of entries stay finite
  int worst = 0;
  for (int d = 1; d < 3; d++)
    if (most[d]*grid_scale(g, d) > most[worst]*grid_scale(g, worst)) worst = d;
  return error_set(PERP_ERROR_PROBLEM, "grid: weights up to face[%d] = %g over spacing[%d]^2 = %g "
                   "along %c overflow", worst, most[worst], worst,
                   g->spacing[worst]*g->spacing[worst], axis[worst]);
}

// Sets wall_i = 1 if the cell beyond is solid, or if it is liquid and a solid cuts the face to it
// (weight < 1). w NULL: no face is cut.
static void look_beyond(const uint8_t *beyond, const double *w, int32_t count, uint8_t *wall) {
  for (int32_t i = 0; i < count; i++) wall[i] |= beyond[i] == PERP_CELL_SOLID;
  for (int32_t i = 0; w != NULL && i < count; i++)
    wall[i] |= (uint8_t)((beyond[i] == PERP_CELL_LIQUID) & (w[i] < 1.0));
}

// Sets wall_i = 1 for cells of a line next to a wall: a solid cell, the grid's edge, or a cut face.
static void find_walls(const perp_grid *g, int32_t j, int32_t k, int32_t from, int32_t count,
                       uint8_t *wall) {
  const grid_place p = {{from, j, k}};
  const uint8_t *type = g->type + (k*g->cells[1] + j)*g->cells[0] + from;
  memset(wall, 0, (size_t)count);
  for (int d = 0; d < (g->cells[2] > 1 ? 3 : 2); d++)
    for (int up = 0; up < 2; up++) {
      // Along x only one end of the line can be at an edge; along y and z the whole line is.
      const int first = d == 0 && !up && from == 0,
                last = d == 0 && up && from + count == g->cells[0];
      if (d > 0 && p.at[d] == (up ? g->cells[d] - 1 : 0)) {
        memset(wall, 1, (size_t)count);
        return;
      }
      if (first) wall[0] = 1;
      if (last) wall[count - 1] = 1;
      const int32_t step = up ? grid_stride(g, d) : -grid_stride(g, d);
      const double *w = g->face[d];
      if (w != NULL) w += grid_face(g, p, d) + (up ? grid_face_stride(g, d) : 0);
      look_beyond(type + first + step, w != NULL ? w + first : NULL, count - first - last,
                  wall + first);
    }
}

perp_error perp_grid_bounds(const perp_grid *grid, int32_t every, double *lo, double *hi) {
  if (grid == NULL || lo == NULL || hi == NULL)
    return error_set(PERP_ERROR_ARGUMENT, "%s is NULL",
                     grid == NULL ? "grid" : lo == NULL ? "lo" : "hi");
  perp_error error = grid_check_shape(grid, 0);
  if (error == PERP_OK) error = grid_check_weights(grid, NULL);
  if (error != PERP_OK) return error;
  uint8_t wall[GRID_STRETCH_MAX];
  for (int32_t k = 0; k < grid->cells[2]; k++)
    for (int32_t j = 0; j < grid->cells[1]; j++)
      for (int32_t i = 0; i < grid->cells[0]; i += GRID_STRETCH_MAX) {
        const int32_t left = grid->cells[0] - i, h = (k*grid->cells[1] + j)*grid->cells[0] + i,
                      count = left < GRID_STRETCH_MAX ? left : GRID_STRETCH_MAX;
        if (every) memset(wall, 1, (size_t)count);
        else find_walls(grid, j, k, i, count, wall);
        for (int32_t q = 0; q < count; q++) {
          const int liquid = grid->type[h + q] == PERP_CELL_LIQUID;
          lo[h + q] = liquid && !wall[q] ? -(double)INFINITY : 0.0;
          hi[h + q] = liquid ? (double)INFINITY : 0.0;
        }
      }
  return PERP_OK;
}
