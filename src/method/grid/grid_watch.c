// grid_watch.c: makes Newton steps that examine few cells only.
//
// If few cells have bounds, only those can change their label. If all have, the set of free cells
// changes mostly at its edge. So Newton's method continues for a while with these cells alone: with
// v = x - d instead of x, and labels by y = A v + b on the watched cells,
//     F: x at the bound, d = 0;   A_II d_I = (A x + b)_I, from the present d.
// Where cells move, A x + b and A v + b of their neighbours are updated. A v + b is the residual of
// the conjugate gradients, which therefore continue without a restart. Apart from the cycles this
// costs a few operations per watched cell, instead of passes over all cells for labels, products and
// copies of x. The caller labels all cells at the end.
#include "grid.h"
#include "grid_stage.h"
#include "multigrid.h"

// ---- which cells ----

typedef struct watch_search {
  const grid_stage *s;
  int32_t *parts;                // per chunk: first the count, then the first index
  int32_t *cell;                 // NULL: count only
  int32_t edge, stride[3];       // edge 1: only cells near the edge; stride 0: no neighbours there
} watch_search;

// Marks cells near cells with another label, and a few more, as it ignores the ends of lines.
static void mark_edge(const watch_search *l, int32_t from, int32_t to, uint8_t *mark) {
  const uint8_t *is_free = l->s->is_free;
  const int64_t n = l->s->n;
  memset(mark, 0, (size_t)(to - from));
  for (int d = 0; d < 3; d++)
    for (int64_t step = -1; step <= 1 && l->stride[d] > 0; step += 2) {
      const int64_t by = step*l->stride[d], first = from + by < 0 ? -by : from,
                    last = to > n - by ? n - by : to;
      for (int64_t i = first; i < last; i++) mark[i - from] |= is_free[i] ^ is_free[i + by];
    }
}

// 1: one of these cells has a bound. The loop has no branch per cell.
static int some_bounded(const grid_stage *s, int32_t from, int32_t to) {
  int any = 0;
  for (int32_t i = from; i < to; i++)
    any |= (s->lo[i] > -(double)INFINITY) | (s->hi[i] < (double)INFINITY);
  return any;
}

static void look(void *data, int32_t from, int32_t to, int32_t part) {
  const watch_search *l = data;
  int32_t count = l->cell != NULL ? l->parts[part] : 0;
  uint8_t mark[TEAM_TASK_ROWS];
  for (int32_t low = from; low < to; low += TEAM_TASK_ROWS) {
    const int32_t end = to - low < TEAM_TASK_ROWS ? to : low + TEAM_TASK_ROWS;
    if (l->edge) mark_edge(l, low, end, mark);
    if (!l->edge && !some_bounded(l->s, low, end)) continue;   // the usual case
    for (int32_t i = low; i < end; i++) {
      if ((l->edge && !mark[i - low]) || !grid_may_change(l->s, i)) continue;
      if (l->cell != NULL) l->cell[count] = i;
      count++;
    }
  }
  if (l->cell == NULL) l->parts[part] = count;
}

// Counts the cells to watch, and stores them in `cell` if there are at most `most`.
static int32_t find(const grid_solver *g, watch_search *l, int32_t most, int32_t *cell) {
  int32_t count = 0;
  l->cell = NULL;
  grid_for(g, l->s->n, look, l);
  for (int32_t k = 0; k < grid_chunks(l->s->n); k++) {
    const int32_t here = l->parts[k];
    l->parts[k] = count;
    count += here;
  }
  l->cell = cell;
  if (cell != NULL && count <= most) grid_for(g, l->s->n, look, l);
  return count;
}

int grid_watch_begin(const grid_solver *g, const grid_stage *s, grid_watch *w) {
  *w = (grid_watch){.most = s->n/MULTIGRID_WATCHED_DIVISOR};
  const int32_t chunks = grid_chunks(s->n);
  watch_search l = {.s = s, .parts = (int32_t *)(void *)s->d};   // d holds nothing at this time
  const int32_t count = find(g, &l, 0, NULL);
  if (count == 0 || w->most == 0) return 0;
  w->edge = count > w->most;
  if (!w->edge) w->most = count;
  const size_t room = (size_t)w->most;
  w->parts = run_allocate(g->run, ((size_t)chunks + room)*sizeof *w->cell + room);
  if (w->parts == NULL) return -1;
  w->cell = w->parts + chunks;
  w->label = (uint8_t *)(w->cell + room);
  if (!w->edge) w->count = find(g, &l, w->most, w->cell);
  return 1;
}

void grid_watch_edge(const grid_solver *g, const grid_stage *s, grid_watch *w) {
  if (!w->edge) return;
  const perp_grid *grid = g->grid;
  watch_search l = {.s = s, .parts = w->parts, .edge = 1};
  for (int d = 0; d < 3; d++) l.stride[d] = grid->cells[d] > 1 ? grid_stride(grid, d) : 0;
  const int32_t count = find(g, &l, w->most, w->cell);
  w->count = count <= w->most ? count : 0;
}

// ---- labels ----

// (A v + b)_i and A_ii; v = x - d, or x where d is NULL
static double row(const grid_faces *f, const grid_stage *s, int32_t i, const double *d,
                  double *diagonal) {
  const grid_place at = grid_place_of(f->grid, i);
  const double by = d != NULL && s->exponent != NULL ? 1.0/grid_scale_of(s, i) : 1.0;
  const double own = d != NULL ? s->x[i] - by*d[i] : s->x[i];
  double y = s->b[i];
  *diagonal = 0.0;
  for (int side = 0; side < 6; side++) {
    int32_t other;
    const double w = grid_faces_entry(f, at, i, side/2, side%2, &other);
    const int liquid = other >= 0 && f->grid->type[other] == PERP_CELL_LIQUID;
    const double there = !liquid ? 0.0 : d != NULL ? s->x[other] - by*d[other] : s->x[other];
    y += w*(own - there);
    *diagonal += w;
  }
  return y;
}

typedef struct watching {
  const grid_stage *s;
  const grid_watch *w;
  grid_faces faces;
} watching;

static void judge_some(void *data, int32_t index) {
  const watching *job = data;
  const grid_stage *s = job->s;
  const int32_t from = index*TEAM_TASK_ROWS,
                to = job->w->count - from < TEAM_TASK_ROWS ? job->w->count : from + TEAM_TASK_ROWS;
  for (int32_t k = from; k < to; k++) {
    const int32_t i = job->w->cell[k];
    double D;
    const double y = row(&job->faces, s, i, s->d, &D), x = s->x[i] - s->d[i]/grid_scale_of(s, i);
    job->w->label[k] = (uint8_t)grid_judge(s, i, D, x, y);
  }
}

// Moves x_i to its bound with d_i = 0; y = A x + b and A v + b of the neighbours follow.
static void bind(grid_levels *levels, const grid_faces *f, grid_stage *s, int32_t i,
                 double bound) {
  const grid_place at = grid_place_of(f->grid, i);
  const double scale = grid_scale_of(s, i), step = scale*(bound - s->x[i]), whole = step + s->d[i];
  s->x[i] = bound;
  s->d[i] = 0.0;
  for (int side = 0; side < 6; side++) {
    int32_t other;
    const double w = grid_faces_entry(f, at, i, side/2, side%2, &other);
    if (other < 0 || !s->unknown[other]) continue;
    s->y[other] -= w*step;
    if (s->is_free[other]) grid_levels_rest_add(levels, s->level, other, -w*whole);
  }
}

grid_labels grid_watch_label(const grid_solver *g, grid_stage *s, const grid_watch *w) {
  watching job = {s, w, grid_faces_of(g->grid)};
  grid_labels sum = {0};
  team_run(g->run->threads, judge_some, &job, (w->count - 1)/TEAM_TASK_ROWS + 1);
  for (int32_t k = 0; k < w->count; k++) {
    const int32_t i = w->cell[k];
    const uint8_t is_free = w->label[k] == GRID_FREE;
    if (!is_free) {
      const double bound = w->label[k] == GRID_AT_LO ? s->lo[i] : s->hi[i];
      if (s->x[i] != bound || s->d[i] != 0.0) bind(g->levels, &job.faces, s, i, bound);
    }
    if (is_free == s->is_free[i]) continue;
    sum.changed++;
  }
  for (int32_t k = 0; k < w->count; k++) {   // after all bound cells have moved
    const int32_t i = w->cell[k];
    const uint8_t is_free = w->label[k] == GRID_FREE;
    double unused;
    if (is_free == s->is_free[i]) continue;
    if (is_free) s->y[i] = grid_scale_of(s, i)*row(&job.faces, s, i, NULL, &unused);
    grid_levels_rest_set(g->levels, s->level, i,
                         is_free ? grid_scale_of(s, i)*row(&job.faces, s, i, s->d, &unused) : 0.0);
    s->is_free[i] = is_free;
  }
  return sum;
}

int grid_watch_newton(grid_solver *g, grid_stage *s, double relative, double absolute,
                      int32_t limit, grid_levels_report *report) {
  const perp_deadline deadline = run_deadline(g->run);
  const int code = grid_levels_go_on(g->levels, s->level, s->y, s->d, relative, absolute, limit,
                                     &deadline, report);
  g->iterations += report->iterations;
  return code < 0 ? -1 : 0;
}
