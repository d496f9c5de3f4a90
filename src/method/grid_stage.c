// grid_stage.c: labels of cells, and Newton's step on the free ones: one level of a grid.
#include "grid_stage.h"

#include <math.h>

#include "vector.h"

enum { CHUNK = 1 << 14 };        // cells a task: some hundred kilobytes

#define TIE 0x1p-50              // 8 units of rounding

// ---- threads ----

typedef struct slices {
  grid_task task;
  void *data;
  int32_t n;
} slices;

static void run_slice(void *data, int32_t index) {
  const slices *s = data;
  const int32_t from = index*CHUNK, to = s->n - from < CHUNK ? s->n : from + CHUNK;
  s->task(s->data, from, to, index);
}

int32_t grid_chunks(int32_t n) { return n/CHUNK + 1; }

void grid_for(const grid_solver *g, int32_t n, grid_task task, void *data) {
  slices s = {task, data, n};
  team_run(g->run->threads, run_slice, &s, (n + CHUNK - 1)/CHUNK);
}

// ---- labels ----

typedef struct labelling {
  const grid_stage *s;
  grid_labels *parts;
} labelling;

static uint64_t scatter(uint64_t z) {   // the finaliser of splitmix64
  z = (z ^ (z >> 30))*0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27))*0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static void label_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const labelling *l = data;
  const grid_stage *s = l->s;
  grid_labels sum = {0};
  for (int32_t i = from; i < to; i++) {
    const double D = s->D[i];
    if (s->type[i] != PERP_CELL_LIQUID || !(D > 0.0)) continue;
    const double x = s->x[i], y = s->y[i], lo = s->lo[i], hi = s->hi[i];
    const double weight = s->weight != NULL ? s->weight[i] : D,
                 unit = s->unit != NULL ? s->unit[i] : 1.0;
    const double rest = fabs(mid(weight*(x - hi), unit*y, weight*(x - lo)));
    if (!(rest <= sum.residual)) sum.residual = rest == rest ? rest : (double)INFINITY;
    const double below = D*(x - lo) - y, above = D*(x - hi) - y;
    const double tie = TIE*(D*fabs(x) + fabs(D*x - (y - s->b[i])) + fabs(s->b[i]));
    const uint8_t before = s->is_free[i];
    int at_lo = below <= 0.0, at_hi = above >= 0.0;
    if (before != GRID_UNKNOWN && lo < hi) {
      if (fabs(below) <= tie) at_lo = !before;
      else if (fabs(above) <= tie) at_hi = !before;
    }
    const uint8_t is_free = !(at_lo || at_hi);
    if (is_free != before) {
      sum.changed++;
      sum.hash ^= scatter((uint64_t)i + 1);
      s->is_free[i] = is_free;
    }
    const double bound = at_lo ? lo : hi;
    if (!is_free && x != bound) {
      s->x[i] = bound;
      sum.moved++;
    }
  }
  l->parts[part] = sum;
}

grid_labels grid_label(const grid_solver *g, grid_stage *s) {
  labelling l = {s, g->parts};
  grid_for(g, s->n, label_slice, &l);
  grid_labels sum = {0};
  for (int32_t k = 0; k < (s->n + CHUNK - 1)/CHUNK; k++) {
    const grid_labels *part = &g->parts[k];
    sum.changed += part->changed;
    sum.moved += part->moved;
    sum.hash ^= part->hash;
    sum.residual = max2(sum.residual, part->residual);
  }
  return sum;
}

// ---- Newton's step ----

static void step_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const grid_stage *s = data;
  (void)part;
  for (int32_t i = from; i < to; i++) s->x[i] -= s->d[i];
}

int grid_newton(grid_solver *g, grid_stage *s, const grid_labels *labels, double relative,
                double absolute, int32_t limit, grid_levels_report *report) {
  if (labels->changed > 0) grid_levels_mask(g->levels, s->level, s->is_free);
  if (labels->moved > 0) grid_levels_apply(g->levels, s->level, s->x, s->b, s->y);
  const perp_deadline deadline = run_deadline(g->run);
  const int code = grid_levels_solve(g->levels, s->level, s->y, s->d, relative, absolute, limit,
                                     &deadline, report);
  if (s->level == 0) g->iterations += report->iterations;
  grid_for(g, s->n, step_slice, s);
  grid_levels_apply(g->levels, s->level, s->x, s->b, s->y);
  return code < 0 ? -1 : 0;
}
