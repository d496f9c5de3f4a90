// grid_stage.c: labels of cells, and Newton's step on the free ones: one level of a grid.
#include "grid_stage.h"

#include <math.h>
#include <string.h>

#include "grid.h"
#include "vector.h"

enum { CHUNK = 1 << 14 };        // cells a task: some hundred kilobytes

// ---- memory ----

size_t grid_bytes(int32_t n) {
  arena count = {0};
  arena_take(&count, (size_t)grid_chunks(n), sizeof(grid_labels));
  arena_take(&count, (size_t)n, 4*sizeof(double));
  arena_take(&count, (size_t)n, 2);
  return count.used;
}

void *grid_take(perp_run *run, size_t bytes) {
  void *memory = arena_take(run->memory, bytes, 1);
  return memory != NULL ? memory : run_allocate(run, bytes);
}

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

int32_t grid_chunks(int32_t n) { return (n - 1)/CHUNK + 1; }   // n > 0

void grid_for(const grid_solver *g, int32_t n, grid_task task, void *data) {
  slices s = {task, data, n};
  team_run(g->run->threads, run_slice, &s, grid_chunks(n));
}

// ---- products ----

// The next cell among the unknowns in [at, to), or `to`: there are long stretches without liquid.
static int32_t next_cell(const uint8_t *unknown, int32_t at, int32_t to) {
  const uint8_t *found = at < to ? memchr(unknown + at, 1, (size_t)(to - at)) : NULL;
  return found != NULL ? (int32_t)(found - unknown) : to;
}

typedef struct multiplication {
  const perp_grid *grid;
  const uint8_t *unknown;
  const double *x, *b;
  double *y;
} multiplication;

static void multiply_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const multiplication *m = data;
  double y[GRID_STRETCH];
  (void)part;
  for (int32_t i = from; (i = next_cell(m->unknown, i, to)) < to;) {
    int32_t count = grid_product_from(m->grid, grid_place_of(m->grid, i), m->x, y);
    count = count < to - i ? count : to - i;
    for (int32_t k = 0; k < count; k++)
      if (m->unknown[i + k]) m->y[i + k] = m->b != NULL ? y[k] + m->b[i + k] : y[k];
    i += count;
  }
}

void grid_multiply(const grid_solver *g, const grid_stage *s, const double *x, const double *b,
                   double *y) {
  multiplication m = {g->grid, s->unknown, x, b, y};
  if (s->level == 0) grid_for(g, s->n, multiply_slice, &m);
  else grid_levels_apply(g->levels, s->level, x, b, y);
}

// ---- labels ----

typedef struct labelling {
  const perp_grid *grid;
  const grid_stage *s;
  grid_labels *parts;
  int32_t *moved;                // n: those of a chunk begin where it begins
} labelling;

// Cells i, i + 1, ... whose diagonal is given, y known.
static void label_cells(const labelling *l, int32_t i, int32_t count, const double *diagonal,
                        int32_t *moved, grid_labels *sum) {
  const grid_stage *s = l->s;
  for (int32_t k = 0; k < count; k++, i++) {
    if (!s->unknown[i]) continue;
    const uint8_t before = s->is_free[i];
    const double D = diagonal[k], x = s->x[i], y = s->y[i], lo = s->lo[i], hi = s->hi[i];
    const double weight = s->weight != NULL ? s->weight[i] : D,
                 unit = s->unit != NULL ? s->unit[i] : 1.0;
    const double rest = fabs(mid(weight*(x - hi), unit*y, weight*(x - lo)));
    if (!(rest <= sum->residual)) sum->residual = rest == rest ? rest : (double)INFINITY;
    const grid_label_of now = grid_judge(s, i, D, x, y);
    const uint8_t is_free = now == GRID_FREE;
    if (is_free != before) {
      sum->changed++;
      sum->hash ^= grid_hash(i);
      s->is_free[i] = is_free;
    }
    if (!is_free && x != (now == GRID_AT_LO ? lo : hi))
      moved[sum->moved++] = now == GRID_AT_LO ? i : ~i;
  }
}

static void label_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const labelling *l = data;
  const grid_stage *s = l->s;
  grid_labels sum = {0};
  if (s->D != NULL) {
    label_cells(l, from, to - from, s->D + from, l->moved + from, &sum);
  } else {
    double y[GRID_STRETCH], D[GRID_STRETCH];
    for (int32_t i = from; (i = next_cell(s->unknown, i, to)) < to;) {
      const grid_place at = grid_place_of(l->grid, i);
      int32_t count = grid_product_from(l->grid, at, s->x, y);
      grid_diagonal_from(l->grid, at, D);
      count = count < to - i ? count : to - i;
      for (int32_t k = 0; k < count; k++)
        if (s->unknown[i + k]) s->y[i + k] = y[k] + s->b[i + k];
      label_cells(l, i, count, D, l->moved + from, &sum);
      i += count;
    }
  }
  l->parts[part] = sum;
}

// x_i goes to its bound, and y of its neighbours follows.
static void move(const grid_solver *g, grid_stage *s, int32_t cell) {
  const int32_t i = cell >= 0 ? cell : ~cell;
  const double bound = cell >= 0 ? s->lo[i] : s->hi[i], step = bound - s->x[i];
  s->x[i] = bound;
  for (int side = 0; s->level == 0 && side < 6; side++) {
    int32_t other;
    const double w = grid_face_entry(g->grid, i, side/2, side%2, &other);
    if (other >= 0 && s->unknown[other]) s->y[other] -= w*step;
  }
}

grid_labels grid_label(const grid_solver *g, grid_stage *s) {
  labelling l = {g->grid, s, g->parts, (int32_t *)(void *)s->d};
  if (s->level > 0) grid_levels_apply(g->levels, s->level, s->x, s->b, s->y);
  grid_for(g, s->n, label_slice, &l);
  grid_labels sum = {0};
  for (int32_t k = 0; k < grid_chunks(s->n); k++) {
    const grid_labels *part = &g->parts[k];
    for (int64_t m = 0; m < part->moved; m++) move(g, s, l.moved[(int64_t)k*CHUNK + m]);
    sum.changed += part->changed;
    sum.moved += part->moved;
    sum.hash ^= part->hash;
    sum.residual = max2(sum.residual, part->residual);
  }
  if (s->level > 0 && sum.moved > 0) grid_levels_apply(g->levels, s->level, s->x, s->b, s->y);
  return sum;
}

// ---- Newton's step ----

static void scale_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const grid_stage *s = data;
  (void)part;
  for (int32_t i = from; i < to; i++) s->y[i] *= grid_scale_of(s, i);
}

static void step_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const grid_stage *s = data;
  (void)part;
  if (s->exponent == NULL)
    for (int32_t i = from; i < to; i++) s->x[i] -= s->d[i];   // d = 0 where cells are not free
  else
    for (int32_t i = from; i < to; i++) s->x[i] -= s->d[i]/grid_scale_of(s, i);
}

int grid_newton_begin(grid_solver *g, grid_stage *s, const grid_labels *labels, double relative,
                      double absolute, int32_t limit, grid_levels_report *report) {
  if (labels->changed > 0) grid_levels_mask(g->levels, s->level, s->is_free);
  if (s->exponent != NULL) grid_for(g, s->n, scale_slice, s);
  const perp_deadline deadline = run_deadline(g->run);
  const int code = grid_levels_solve(g->levels, s->level, s->y, s->d, relative, absolute, limit,
                                     &deadline, report);
  if (s->level == 0) g->iterations += report->iterations;
  return code < 0 ? -1 : 0;
}

void grid_newton_end(const grid_solver *g, grid_stage *s) { grid_for(g, s->n, step_slice, s); }

int grid_newton(grid_solver *g, grid_stage *s, const grid_labels *labels, double relative,
                double absolute, int32_t limit, grid_levels_report *report) {
  const int code = grid_newton_begin(g, s, labels, relative, absolute, limit, report);
  grid_newton_end(g, s);
  return code;
}
