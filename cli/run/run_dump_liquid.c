// run_dump_liquid.c: perp run --dump-problems of a liquid: the pressure problem of the last substep
// of each step as a directory step####_n#####, with a row per liquid cell. x.mtx is the pressure that
// was used, x0.mtx the guess of the solve, and cells.csv names the cell of each row.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problem_folder.h"
#include "run_command.h"

typedef struct rows {          // liquid cells and their equations
  int32_t n;
  int32_t *of;                 // cells: row of a liquid cell, else -1
  int32_t *colptr, *row;       // of A
  int32_t *cell;               // n x 3, row by row
  double *value, *b, *lo, *hi, *x, *x0;
} rows;

static void rows_free(rows *r) {
  free(r->of);
  free(r->colptr);
  free(r->row);
  free(r->cell);
  free(r->value);
  free(r->b);
}

static int rows_make(int32_t cells, int32_t n, int32_t dimension, rows *r) {
  const size_t most = (size_t)n*(size_t)(2*dimension + 1) + 1;
  r->n = n;
  r->of = malloc(((size_t)cells + 1)*sizeof *r->of);
  r->colptr = malloc(((size_t)n + 1)*sizeof *r->colptr);
  r->row = malloc(most*sizeof *r->row);
  r->cell = malloc((3*(size_t)n + 1)*sizeof *r->cell);
  r->value = malloc(most*sizeof *r->value);
  r->b = malloc((5*(size_t)n + 1)*sizeof *r->b);
  if (!r->of || !r->colptr || !r->row || !r->cell || !r->value || !r->b) return 0;
  r->lo = r->b + n;
  r->hi = r->lo + n;
  r->x = r->hi + n;
  r->x0 = r->x + n;
  return 1;
}

// The faces of cell (i, j, k) in the order of their neighbours' numbers: z, y and x below it, then
// x, y and z above. Of each the weight, and the neighbour; -1 beyond the rim.
typedef struct face { double weight; int32_t neighbour; } face;
static void faces_of(const perp_grid *g, const int32_t at[3], int32_t cell, face out[6]) {
  const int32_t *n = g->cells, step[3] = {1, n[0], n[0]*n[1]};
  for (int c = 0; c < 3; c++) {
    int32_t size[3] = {n[0], n[1], n[2]};
    size[c]++;
    const int32_t below = (at[2]*size[1] + at[1])*size[0] + at[0];
    const int32_t along = c == 0 ? 1 : c == 1 ? size[0] : size[0]*size[1];
    const double scale = 1.0/(g->spacing[c]*g->spacing[c]);
    const double *weight = g->face[c];
    out[2 - c] = (face){scale*(weight ? weight[below] : 1.0), at[c] > 0 ? cell - step[c] : -1};
    out[3 + c] = (face){scale*(weight ? weight[below + along] : 1.0),
                        at[c] < n[c] - 1 ? cell + step[c] : -1};
    if (n[c] == 1) out[2 - c].neighbour = out[3 + c].neighbour = -1;
  }
}

// A of perp.h by its definition, without the rows of cells that are not liquid.
static void assemble(const perp_grid *g, rows *r) {
  int32_t at[3], cell = 0, count = 0;
  r->colptr[0] = 0;
  for (at[2] = 0; at[2] < g->cells[2]; at[2]++)
    for (at[1] = 0; at[1] < g->cells[1]; at[1]++)
      for (at[0] = 0; at[0] < g->cells[0]; at[0]++, cell++) {
        if (r->of[cell] < 0) continue;
        face f[6];
        double diagonal = 0.0;
        int32_t middle = -1;
        faces_of(g, at, cell, f);
        memcpy(&r->cell[3*(size_t)r->of[cell]], at, sizeof at);
        for (int k = 0; k < 6; k++) {
          const int32_t to = f[k].neighbour;
          if (k == 3) middle = count++;
          if (to < 0 || g->type[to] == PERP_CELL_SOLID) continue;
          diagonal += f[k].weight;
          if (r->of[to] < 0 || f[k].weight == 0.0) continue;
          r->row[count] = r->of[to];
          r->value[count++] = -f[k].weight;
        }
        r->row[middle] = r->of[cell];
        r->value[middle] = diagonal;
        r->colptr[r->of[cell] + 1] = count;
      }
}

int run_dump_liquid(run_session *s, const char *folder) {
  perp_problem problem;
  perp_fluid_report report;
  const double *x = NULL, *guess = perp_fluid_guess(s->fluid);
  char path[4096], comment[2304];
  if (perp_fluid_last(s->fluid, &report) != PERP_OK ||
      perp_fluid_problem(s->fluid, &problem, &x) != PERP_OK)
    return fail(CODE_IO, "%s", perp_last_message());
  const perp_view view = problem.A.ops->view(problem.A.self);
  if (view.kind != PERP_VIEW_GRID) return fail(CODE_IO, "the pressure problem is not of a grid");
  const perp_grid *g = view.data;
  int32_t n = 0;
  for (int32_t i = 0; i < problem.A.n; i++) n += g->type[i] == PERP_CELL_LIQUID;
  rows r = {0};
  int code = run_dump_folder(s, folder);
  snprintf(path, sizeof path, "%s/step%04lld_n%05d", folder, (long long)report.step, (int)n);
  if (!code && !rows_make(problem.A.n, n, 3, &r))
    code = fail(CODE_IO, "out of memory for a problem of %d cells", (int)n);
  if (!code) {
    int32_t next = 0;
    for (int32_t i = 0; i < problem.A.n; i++) {
      r.of[i] = g->type[i] == PERP_CELL_LIQUID ? next : -1;
      if (r.of[i] < 0) continue;
      r.b[next] = problem.b[i];
      r.lo[next] = problem.lo ? problem.lo[i] : 0.0;
      r.hi[next] = problem.hi ? problem.hi[i] : (double)INFINITY;
      r.x0[next] = guess[i];
      r.x[next++] = x[i];
    }
    assemble(g, &r);
    snprintf(comment, sizeof comment, "%s\nstep %lld, the last of %d substeps; %d x %d x %d cells",
             s->command, (long long)report.step, (int)report.substeps, (int)g->cells[0],
             (int)g->cells[1], (int)g->cells[2]);
    code = problem_folder_create(path, &(problem_parts){
        .n = n, .colptr = r.colptr, .row = r.row, .value = r.value, .b = r.b, .lo = r.lo,
        .hi = r.hi, .x = r.x, .x0 = r.x0, .cells = r.cell, .comment = comment});
  }
  rows_free(&r);
  if (code && s->made) rmdir(folder);   // stays if something is in it
  return code;
}
