// grid_stage.c: labels the cells of one level of a grid, and makes Newton's step on the free ones.
#include "grid_stage.h"

#include <math.h>
#include <string.h>

#include "four_doubles.h"
#include "grid.h"
#include "vector.h"

enum { CHUNK_CELLS = 1 << 14 };  // cells per task: a few hundred kilobytes

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

typedef struct float_matrix {
  grid_task task;
  void *data;
  int32_t n;
} float_matrix;

static void run_slice(void *data, int32_t index) {
  const float_matrix *s = data;
  const int32_t from = index*CHUNK_CELLS, to = s->n - from < CHUNK_CELLS ? s->n : from + CHUNK_CELLS;
  s->task(s->data, from, to, index);
}

int32_t grid_chunks(int32_t n) { return (n - 1)/CHUNK_CELLS + 1; }   // n > 0

void grid_for(const grid_solver *g, int32_t n, grid_task task, void *data) {
  float_matrix s = {task, data, n};
  team_run(g->run->threads, run_slice, &s, grid_chunks(n));
}

// ---- products ----

// The next unknown in [at, to), or `to`. There are long stretches without liquid.
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
  double y[GRID_STRETCH_MAX];
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
  int32_t *moved;                // n: the moved cells of a chunk, stored where the chunk begins
} labelling;

static void label_one(const grid_stage *s, int32_t i, double D, int32_t *moved, grid_labels *sum) {
  if (!s->unknown[i]) return;
  const uint8_t before = s->is_free[i];
  const double x = s->x[i], y = s->y[i], lo = s->lo[i], hi = s->hi[i];
  const double weight = s->weight != NULL ? s->weight[i] : D,
               unit = s->unit != NULL ? s->unit[i] : 1.0;
  const double rest = fabs(mid(weight*(x - hi), unit*y, weight*(x - lo)));
  if (!(rest <= sum->residual)) sum->residual = rest == rest ? rest : (double)INFINITY;
  const grid_label_of now = grid_judge(s, i, D, x, y);
  const uint8_t is_free = now == GRID_FREE;
  if (is_free != before) {
    sum->changed++;
    s->is_free[i] = is_free;
  }
  if (!is_free && x != (now == GRID_AT_LO ? lo : hi))
    moved[sum->moved++] = now == GRID_AT_LO ? i : ~i;
}

// Cells i .. i + 3, if they keep their labels or become free for the first time, and none moves.
// That is the usual case. 0: they must be labelled one by one.
EXACT_INLINE int label_four(const grid_stage *s, int32_t i, const double *diagonal, four *most,
                            grid_labels *sum) {
  const four_mask known = four_equal(four_of_bytes(s->unknown + i), four_bits(0)),
                  label = four_of_bytes(s->is_free + i);
  const four D = four_load(diagonal), x = four_load(s->x + i), y = four_load(s->y + i),
             b = four_load(s->b + i), zero = four_all(0.0);
  const four from_lo = four_subtract(x, four_load(s->lo + i)),
             from_hi = four_subtract(x, four_load(s->hi + i));
  const four below = four_subtract(four_multiply(D, from_lo), y),
             above = four_subtract(four_multiply(D, from_hi), y);
  const four other = four_subtract(four_multiply(D, x), four_subtract(y, b));   // of grid_judge
  const four tie = four_multiply(four_all(0x1p-50),
                                 four_add(four_add(four_multiply(D, four_size(x)),
                                                   four_size(other)), four_size(b)));
  const four_mask over = four_less(tie, below), under = four_less(below, four_subtract(zero, tie)),
                  inside = four_and(over, four_less(above, four_subtract(zero, tie)));
  const four_mask at_lo = four_and(four_same(from_lo, zero), under),
                  at_hi = four_and(four_same(from_hi, zero), four_and(over, four_less(tie, above)));
  const four_mask bound = four_equal(label, four_bits(0)), is_new =
      four_equal(label, four_bits(GRID_UNLABELLED));
  const four_mask stays = four_or(four_and(four_not(bound), inside),
                                  four_and(bound, four_or(at_lo, at_hi)));
  const four weight = s->weight != NULL ? four_load(s->weight + i) : D;
  const four scaled = s->unit != NULL ? four_multiply(four_load(s->unit + i), y) : y;
  const four rest = four_size(four_min(four_multiply(weight, from_lo),
                                       four_max(four_multiply(weight, from_hi), scaled)));
  const four_mask fine = four_and(stays, four_at_most(rest, four_all((double)INFINITY)));
  if (four_any(four_not(four_or(known, fine)))) return 0;
  *most = four_max(four_keep(four_not(known), rest), *most);
  if (!four_any(is_new)) return 1;
  for (int32_t k = i; k < i + 4; k++) {   // known cells have a label already
    const uint8_t first = s->is_free[k] == GRID_UNLABELLED;
    sum->changed += first;
    s->is_free[k] = (uint8_t)(s->is_free[k] - first);
  }
  return 1;
}

// Labels `count` cells from i on; their diagonal is given and y is known.
EXACT_INLINE void label_cells(const grid_stage *s, int32_t i, int32_t count, const double *diagonal,
                              int32_t *moved, grid_labels *sum) {
  four most = four_all(0.0);
  int32_t k = 0;
  for (; k + 4 <= count; k += 4) {
    if (label_four(s, i + k, diagonal + k, &most, sum)) continue;
    for (int32_t q = k; q < k + 4; q++) label_one(s, i + q, diagonal[q], moved, sum);
  }
  for (; k < count; k++) label_one(s, i + k, diagonal[k], moved, sum);
  sum->residual = max2(sum->residual, four_most(most));
}
FOUR_TARGET static void label_wide(const grid_stage *s, int32_t i, int32_t count,
                                   const double *diagonal, int32_t *moved, grid_labels *sum) {
  label_cells(s, i, count, diagonal, moved, sum);
}
static void label_plain(const grid_stage *s, int32_t i, int32_t count, const double *diagonal,
                        int32_t *moved, grid_labels *sum) {
  label_cells(s, i, count, diagonal, moved, sum);
}

static void label_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const labelling *l = data;
  const grid_stage *s = l->s;
  void (*const label)(const grid_stage *, int32_t, int32_t, const double *, int32_t *,
                      grid_labels *) = FOUR_HAS_TARGET() ? label_wide : label_plain;
  grid_labels sum = {0};
  if (s->D != NULL) {
    label(s, from, to - from, s->D + from, l->moved + from, &sum);
  } else {
    double y[GRID_STRETCH_MAX], D[GRID_STRETCH_MAX];
    for (int32_t i = from; (i = next_cell(s->unknown, i, to)) < to;) {
      const grid_place at = grid_place_of(l->grid, i);
      int32_t count = grid_row_from(l->grid, at, s->x, y, D);
      count = count < to - i ? count : to - i;
      for (int32_t k = 0; k < count; k++)
        s->y[i + k] = s->unknown[i + k] ? y[k] + s->b[i + k] : s->y[i + k];
      label(s, i, count, D, l->moved + from, &sum);
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
    for (int64_t m = 0; m < part->moved; m++) move(g, s, l.moved[(int64_t)k*CHUNK_CELLS + m]);
    sum.changed += part->changed;
    sum.moved += part->moved;
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
