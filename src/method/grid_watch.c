// grid_watch.c: Newton steps that look at the cells at walls only.
//
// Where few cells have bounds, only those can be bound or become free. So Newton's method goes on
// without looking at the others: with x + e for x - d, e = -d, and labels by y = A (x + e) + b on
// the watched cells,
//     F: x at the bound, e = 0;   A_II e_I = -y_I, from the e that there is
// where y = A x + b is kept up to date beside the cells that move. Conjugate gradients begin with
// the residual -y - A e of all cells, so that nothing is lost. Cost besides the cycles: one pass
// over y, e and the weights, where labels, products, x and its copies would take six times that.
#include "grid.h"
#include "grid_stage.h"

enum { FEW = 8,                  // an eighth of the cells is few
       SHARE = 1024 };           // cells of a task

typedef struct looking {
  const grid_stage *s;
  int32_t *parts;                // per chunk: how many, then where they begin
  int32_t *cell;
} looking;

static void count_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const looking *l = data;
  int32_t count = 0;
  for (int32_t i = from; i < to; i++) count += grid_may_change(l->s, i);
  l->parts[part] = count;
}
static void note_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const looking *l = data;
  int32_t *cell = l->cell + l->parts[part];
  for (int32_t i = from; i < to; i++)
    if (grid_may_change(l->s, i)) *cell++ = i;
}

int grid_watch_begin(const grid_solver *g, const grid_stage *s, grid_watch *w) {
  *w = (grid_watch){0};
  looking l = {.s = s, .parts = (int32_t *)(void *)s->d};   // which holds nothing now
  int32_t count = 0;
  grid_for(g, s->n, count_slice, &l);
  for (int32_t k = 0; k < grid_chunks(s->n); k++) {
    const int32_t here = l.parts[k];
    l.parts[k] = count;
    count += here;
  }
  if (count == 0 || count > s->n/FEW) return 0;
  w->cell = l.cell = run_allocate(g->run, (size_t)count*(sizeof *w->cell + sizeof *w->label));
  if (w->cell == NULL) return -1;
  w->count = count;
  w->label = (uint8_t *)(w->cell + count);
  grid_for(g, s->n, note_slice, &l);
  return 1;
}

// (A v + b)_i and A_ii; v = x - d, or x where d is NULL
static double row(const grid_solver *g, const grid_stage *s, int32_t i, const double *d,
                  double *diagonal) {
  const double by = d != NULL ? 1.0/grid_scale_of(s, i) : 0.0;
  const double own = s->x[i] - (d != NULL ? by*d[i] : 0.0);
  double y = s->b[i];
  *diagonal = 0.0;
  for (int side = 0; side < 6; side++) {
    int32_t other;
    const double w = grid_face_entry(g->grid, i, side/2, side%2, &other);
    const int liquid = other >= 0 && g->grid->type[other] == PERP_CELL_LIQUID;
    y += w*(liquid ? own - (s->x[other] - (d != NULL ? by*d[other] : 0.0)) : own);
    *diagonal += w;
  }
  return y;
}

typedef struct watching {
  const grid_solver *g;
  const grid_stage *s;
  const grid_watch *w;
} watching;

static void judge_some(void *data, int32_t index) {
  const watching *job = data;
  const grid_stage *s = job->s;
  const int32_t from = index*SHARE,
                to = job->w->count - from < SHARE ? job->w->count : from + SHARE;
  for (int32_t k = from; k < to; k++) {
    const int32_t i = job->w->cell[k];
    double D;
    const double y = row(job->g, s, i, s->d, &D), x = s->x[i] - s->d[i]/grid_scale_of(s, i);
    job->w->label[k] = (uint8_t)grid_judge(s, i, D, x, y);
  }
}

// x_i to its bound, without d; y is that of x alone, in the units of d.
static void bind(const grid_solver *g, grid_stage *s, int32_t i, double bound) {
  const double step = grid_scale_of(s, i)*(bound - s->x[i]);
  s->x[i] = bound;
  s->d[i] = 0.0;
  for (int side = 0; step != 0.0 && side < 6; side++) {
    int32_t other;
    const double w = grid_face_entry(g->grid, i, side/2, side%2, &other);
    if (other >= 0 && s->unknown[other]) s->y[other] -= w*step;
  }
}

grid_labels grid_watch_label(const grid_solver *g, grid_stage *s, const grid_watch *w) {
  watching job = {g, s, w};
  grid_labels sum = {0};
  team_run(g->run->threads, judge_some, &job, (w->count - 1)/SHARE + 1);
  for (int32_t k = 0; k < w->count; k++) {
    const int32_t i = w->cell[k];
    const uint8_t is_free = w->label[k] == GRID_FREE;
    if (!is_free) {
      const double bound = w->label[k] == GRID_AT_LO ? s->lo[i] : s->hi[i];
      if (s->x[i] != bound || s->d[i] != 0.0) bind(g, s, i, bound);
    }
    if (is_free == s->is_free[i]) continue;
    sum.changed++;
    sum.hash ^= grid_hash(i);
  }
  for (int32_t k = 0; k < w->count; k++) {   // once all others are where they belong
    const int32_t i = w->cell[k];
    const uint8_t is_free = w->label[k] == GRID_FREE;
    double unused;
    if (is_free && !s->is_free[i]) s->y[i] = grid_scale_of(s, i)*row(g, s, i, NULL, &unused);
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
