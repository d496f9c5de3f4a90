// sort.c: particles in the order of their cells, by counting; those of a cell stay as they were.
//
// A stable order does not depend on how the work is divided. Each thread counts a range of
// particles, and places it behind the particles that earlier ranges have in the same cells. The
// permutation is computed once and then applied to one array after the other: 16 bytes per particle
// and array.
#include <string.h>

#include "sample.h"

enum {
  RANGES_MAX = 16,             // ranges of particles that are counted side by side
  SORT_TASK_PARTICLES = 8192   // particles that a task moves
};

typedef struct deal {
  perp_fluid *f;
  int32_t ranges;
  int32_t *counts;             // ranges x cells; then where the next one goes
  const double *from;
  int64_t count;
} deal;

static void range_of(const deal *d, int32_t index, int64_t *begin, int64_t *end) {
  *begin = d->f->p.count*index/d->ranges;
  *end = d->f->p.count*(index + 1)/d->ranges;
}

static void count_cells(void *data, int32_t index, int32_t who) {
  (void)who;
  const deal *d = data;
  perp_fluid *f = d->f;
  const double inverse = 1.0/f->h;
  int64_t begin, end;
  range_of(d, index, &begin, &end);
  int32_t *counts = d->counts + (size_t)index*(size_t)f->cells;
  memset(counts, 0, (size_t)f->cells*sizeof *counts);
  for (int64_t i = begin; i < end; i++) {
    int32_t cell = 0;
    for (int a = f->dimension - 1; a >= 0; a--) {
      const int32_t place = (int32_t)sample_within(f->p.x[a][i]*inverse, f->n[a]);
      cell = cell*f->n[a] + (place < f->n[a] ? place : f->n[a] - 1);
    }
    f->p.cell[i] = cell;
    counts[cell]++;
  }
}

static void place(void *data, int32_t index, int32_t who) {
  (void)who;
  const deal *d = data;
  perp_fluid *f = d->f;
  int64_t begin, end;
  range_of(d, index, &begin, &end);
  int32_t *next = d->counts + (size_t)index*(size_t)f->cells;
  for (int64_t i = begin; i < end; i++) f->p.order[next[f->p.cell[i]]++] = (int32_t)i;
}

perp_error fluid_find_order(perp_fluid *f) {
  deal d = {.f = f};
  d.ranges = f->settings.threads < RANGES_MAX ? f->settings.threads : RANGES_MAX;
  d.counts = fluid_scratch(f, (size_t)d.ranges*(size_t)f->cells*sizeof *d.counts);
  if (d.counts == NULL) return PERP_ERROR_MEMORY;
  crew_run(f->crew, count_cells, &d, d.ranges);
  int32_t sum = 0;
  for (int32_t c = 0; c < f->cells; c++) {
    f->first[c] = sum;
    for (int32_t r = 0; r < d.ranges; r++) {
      int32_t *count = &d.counts[(size_t)r*(size_t)f->cells + (size_t)c];
      const int32_t here = *count;
      *count = sum;
      sum += here;
    }
  }
  f->first[f->cells] = sum;
  crew_run(f->crew, place, &d, d.ranges);
  return PERP_OK;
}

static void follow(void *data, int32_t index, int32_t who) {
  (void)who;
  const deal *d = data;
  const int64_t begin = (int64_t)index*SORT_TASK_PARTICLES;
  const int64_t end = begin + SORT_TASK_PARTICLES < d->count ? begin + SORT_TASK_PARTICLES : d->count;
  const int32_t *order = d->f->p.order;
  double *to = d->f->p.spare;
  for (int64_t i = begin; i < end; i++) to[i] = d->from[order[i]];
}

void fluid_put_in_order(perp_fluid *f, int64_t count) {
  double **list[15];
  const int arrays = fluid_particle_arrays(&f->p, f->dimension,
                                           f->settings.transfer == PERP_TRANSFER_APIC, list);
  for (int k = 0; k < arrays; k++) {
    crew_run(f->crew, follow, &(deal){.f = f, .from = *list[k], .count = count},
             (int32_t)((count + SORT_TASK_PARTICLES - 1)/SORT_TASK_PARTICLES));
    double *sorted = f->p.spare;
    f->p.spare = *list[k];
    *list[k] = sorted;
  }
  f->p.count = count;
}

perp_error fluid_sort(perp_fluid *f) {
  const perp_error error = fluid_find_order(f);
  if (error == PERP_OK) fluid_put_in_order(f, f->p.count);
  return error;
}
