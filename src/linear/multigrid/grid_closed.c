// grid_closed.c: finds components of the liquid that touch no air, where A is singular.
//
// By union-find: liquid cells of a line that are connected form a run, represented by its first
// cell. Runs of neighbouring lines are joined where a weight connects them.
// Cost: a few operations per cell.
#include <string.h>

#include "grid_parts.h"

// Returns the root of c's component and halves the path to it. label[c] is an earlier cell of the
// component, or c itself if c is the root.
static int32_t root_of(int32_t *label, int32_t c) {
  while (label[c] != c) {
    label[c] = label[label[c]];
    c = label[c];
  }
  return c;
}

static void join(int32_t *label, int32_t a, int32_t b) {
  if (label[a] == label[b]) return;
  a = root_of(label, a);
  b = root_of(label, b);
  if (a < b) label[b] = a;
  else label[a] = b;
}

// Joins the block at c, which is a single run, with the block at `other`, which may have several.
static void join_all(int32_t *label, int32_t c, int32_t other) {
  join(label, c, other);
  for (int32_t t = 1; t < GRID_BLOCK; t++)
    if (label[other + t] != label[other + t - 1]) join(label, c, other + t);
}

// Joins the runs of a line with those of the line before it in y (if y = 1) and in z (if z = 1).
// fresh = 1: first makes the runs of this line.
static void join_line(grid_levels *g, int32_t number, int fresh, int y, int z) {
  const grid_level *l = &g->at[0];
  const int32_t line = l->side[0], plane = line*l->side[1], j = number%l->side[1],
                k = number/l->side[1], row = number*line;
  const uint8_t *even = l->even + (size_t)grid_row(l, j, k)*(size_t)l->blocks;
  int32_t *label = g->label, start = -1;
  for (int32_t i = 0; i < line; i++) {
    const int32_t c = row + i;
    if (i%GRID_BLOCK == 0 && even[i/GRID_BLOCK] == 1) {   // all cells have weights on all sides
      for (int32_t t = 0; fresh && t < GRID_BLOCK; t++) label[c + t] = start;
      if (y) join_all(label, c, c - line);
      if (z) join_all(label, c, c - plane);
      i += GRID_BLOCK - 1;
      continue;
    }
    if (l->type[c] != PERP_CELL_LIQUID) {
      if (fresh) label[c] = -1;
      start = -1;
      continue;
    }
    if (start < 0 || !(l->weight[0][grid_split(l, i - 1, j, k)] > 0.0F)) start = c;
    if (fresh) label[c] = start;
    if (y && l->weight[1][grid_split(l, i, j - 1, k)] > 0.0F) join(label, c, c - line);
    if (z && l->weight[2][grid_split(l, i, j, k - 1)] > 0.0F) join(label, c, c - plane);
  }
}

typedef struct joining { grid_levels *g; int32_t lines, tasks; } joining;

static int32_t first_line(const joining *w, int32_t index) {
  return (int32_t)((int64_t)w->lines*index/w->tasks);
}

// Joins the lines of a task. A root is the first cell of its component in any order of joining.
static void join_lines(void *data, int32_t index) {
  const joining *w = data;
  const int32_t from = first_line(w, index), deep = w->g->at[0].side[1];
  for (int32_t line = from; line < first_line(w, index + 1); line++)
    join_line(w->g, line, 1, line%deep > 0 && line > from, line - deep >= from);
}

typedef struct counting {
  const int32_t *label;
  const uint8_t *open;
  int32_t closed[TEAM_SHARES];
} counting;

static void count_closed(void *data, int32_t from, int32_t to, int32_t share) {
  counting *c = data;
  int32_t closed = 0;
  for (int32_t k = from; k < to; k++) closed += (c->label[k] == k) & !c->open[k];
  c->closed[share] = closed;
}

void grid_find_closed(grid_levels *g) {
  enum { TASKS = 4 };   // parts of the lines, the same at any number of threads
  grid_level *l = &g->at[0];
  const int32_t line = l->side[0];
  int32_t *label = g->label;
  joining w = {.g = g, .lines = l->side[1]*l->side[2]};
  w.tasks = l->n < TEAM_CELLS_MIN || w.lines < TASKS ? 1 : TASKS;
  team_run(g->threads, join_lines, &w, w.tasks);
  for (int32_t t = 1; t < w.tasks; t++) {            // join the tasks where they meet
    const int32_t from = first_line(&w, t);
    if (from%l->side[1] > 0) join_line(g, from, 0, 1, 0);
    for (int32_t at = from; at < from + l->side[1] && at < w.lines; at++)
      if (at >= l->side[1]) join_line(g, at, 0, 0, 1);
  }
  uint8_t *open = (uint8_t *)(void *)l->q;           // n: 1 at the root of a component with a leak
  memset(open, 0, (size_t)l->n);
  for (int32_t k = 0; k < l->side[2]; k++)
    for (int32_t j = 0; j < l->side[1]; j++)
      for (int32_t b = 0; b < l->blocks; b++) {
        if (l->even[(size_t)grid_row(l, j, k)*(size_t)l->blocks + (size_t)b] == 1) continue;
        for (int32_t i = GRID_BLOCK*b; i < GRID_BLOCK*(b + 1) && i < line; i++)
          if (l->leak[grid_split(l, i, j, k)] > 0.0F)
            open[root_of(label, grid_cell(l, i, j, k))] = 1;
      }
  g->closed = g->many = 0;
  counting count = {.label = label, .open = open};
  const int32_t shares = team_share(g->threads, l->n, count_closed, &count);
  for (int32_t k = 0; k < shares; k++) g->closed += count.closed[k];
  if (g->closed == 0) return;

  // A root comes before its cells, so one pass makes all labels final. number: first the number of
  // cells, then -1 for an open component, else its number, coded as -2 - k if it has a single cell.
  int32_t *number = (int32_t *)(void *)l->p;         // n: at roots
  for (int32_t c = 0; c < l->n; c++) {
    if (label[c] < 0) continue;
    label[c] = root_of(label, c);
    number[c] = 0;
    number[label[c]]++;
  }
  int32_t single = 0;
  for (int32_t c = 0; c < l->n; c++) {
    if (label[c] != c) continue;
    if (open[c]) {
      number[c] = -1;
    } else if (number[c] > 1) {
      g->size[g->many] = number[c];
      number[c] = g->many++;
    } else {
      number[c] = -2 - single++;
    }
  }
  for (int32_t c = l->n - 1; c >= 0; c--) {
    if (label[c] < 0) continue;
    const int32_t which = number[label[c]];
    label[c] = which >= -1 ? which : g->many - 2 - which;
  }
  memset(l->p, 0, 2*l->area*sizeof *l->p);           // p must be 0 in cells that are not free
}

void grid_count_held(grid_levels *g) {
  const grid_level *l = &g->at[0];
  for (int32_t k = 0; k < g->many; k++) g->held[k] = 0;
  for (int32_t c = 0; g->closed > 0 && c < l->n; c++)
    if (g->label[c] >= 0 && g->label[c] < g->many && l->state[c] != PERP_CELL_LIQUID)
      g->held[g->label[c]]++;
}

int32_t grid_levels_closed(const grid_levels *g, const int32_t **label) {
  *label = g->closed > 0 ? g->label : NULL;
  return g->closed;
}

// 1: on level 0, a closed component is completely free; on a coarser level, no cell has a leak.
static int is_singular(const grid_levels *g, int32_t level) {
  const grid_level *l = &g->at[level];
  if (level == 0) {
    int32_t k = 0;
    while (k < g->many && g->held[k] > 0) k++;
    return k < g->many;
  }
  if (g->closed == 0) return 0;
  for (int32_t c = 0; c < l->n; c++) {
    const int32_t i = c%l->side[0], j = c/l->side[0]%l->side[1], k = c/l->side[0]/l->side[1];
    if (l->type[c] == PERP_CELL_LIQUID &&
        (l->state[c] == PERP_CELL_AIR || l->out[grid_split(l, i, j, k)] > 0.0F))
      return 0;
  }
  return 1;
}

int grid_means(grid_levels *g, int32_t level, const double *v) {
  const grid_level *l = &g->at[level];
  const int32_t count = level == 0 ? g->many : 1;
  if (!is_singular(g, level)) return 0;
  for (int32_t k = 0; k < count; k++) g->mean[k] = 0.0;
  int32_t total = 0;
  for (int32_t c = 0; c < l->n; c++) {
    if (l->state[c] != PERP_CELL_LIQUID) continue;
    const int32_t k = level == 0 ? g->label[c] : 0;
    if (k < 0) continue;                             // k < many: a single closed cell is never free
    g->mean[k] += v[c];
    total++;
  }
  for (int32_t k = 0; k < count; k++) {
    if (level == 0 && g->held[k] > 0) g->mean[k] = 0.0;
    else g->mean[k] /= level == 0 ? g->size[k] : total;
  }
  return 1;
}
