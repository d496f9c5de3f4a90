// broad.c: pairs of bodies whose boxes overlap, by a uniform grid: O(bodies + pairs).
//
// A bounding box covers every place that its body can reach within the step, plus half the margin.
// As an impact may turn the body, the box grows in all directions by the body's motion relative to
// the others. Each box is entered into all cells that it meets, and the entries are sorted by cell.
// A pair of overlapping boxes is kept only in the cell that holds the lower corner of the overlap,
// so that no pair is found twice. Cell numbers are taken modulo 1024 along each axis, so bodies may
// be anywhere; two cells with the same number only cost extra comparisons. A body that meets many
// cells is compared with all others. Sorting by digits is stable and deterministic: the same bodies
// give the same pairs in the same order, and there is no hash table that could degrade.
#include "world.h"

#include <string.h>

enum {
  CELL_BITS = 10,
  CELLS_PER_AXIS = 1 << CELL_BITS,
  BODY_CELLS_MAX = 64         // a body that meets more cells is compared with all others
};

typedef struct bound {
  double low[3], high[3];
  int32_t large;
} bound;

typedef struct entry { uint32_t cell; int32_t body; } entry;

// The velocity after gravity has acted for the step.
static void going(const perp_world *w, int32_t i, double *v) {
  const body *o = bodies_of(w) + i;
  for (int k = 0; k < 3; k++)
    v[k] = o->asleep ? 0.0
                     : motions_of(w)[i].velocity[k] +
                           (moves(o) ? w->settings.step*w->settings.gravity[k] : 0.0);
}

// The mean velocity of the moving bodies. The relative motion of two bodies is at most the sum of
// their motions relative to this mean, which is zero for most bodies that fall together.
static void mean_velocity(const perp_world *w, double *mean) {
  double sum[3] = {0.0, 0.0, 0.0}, count = 0.0;
  for (int32_t i = 0; i < w->bodies; i++) {
    if (!moves(bodies_of(w) + i) || bodies_of(w)[i].asleep) continue;
    double v[3];
    going(w, i, v);
    add_scaled3(sum, 1.0, v);
    count += 1.0;
  }
  for (int k = 0; k < 3; k++) mean[k] = count > 0.0 ? sum[k]/count : 0.0;
}

static double stray(const perp_world *w, int32_t i, const double *mean) {
  double v[3];
  going(w, i, v);
  sub3(v, mean, v);
  return w->settings.step*norm3(v);
}

static void bound_of(const perp_world *w, int32_t i, const double *mean, bound *b) {
  const body *o = bodies_of(w) + i;
  const perp_motion *m = motions_of(w) + i;
  const double h = w->settings.step, half = 0.5*w->settings.margin + stray(w, i, mean);
  double v[3];
  going(w, i, v);
  b->large = o->shape == PERP_SHAPE_PLANE || o->shape == PERP_SHAPE_HOLLOW;
  double R[9], size[3];
  if (o->shape == PERP_SHAPE_BOX) rotation(m->orientation, R);
  const double swing = o->shape == PERP_SHAPE_BOX ? smaller(h*norm3(m->spin), 2.0)*o->reach : 0.0;
  for (int k = 0; k < 3; k++) {
    size[k] = o->shape == PERP_SHAPE_BOX
                  ? fabs(R[3*k])*o->extent[0] + fabs(R[3*k + 1])*o->extent[1] +
                        fabs(R[3*k + 2])*o->extent[2] + swing
                  : o->extent[0];
    const double way = h*v[k];
    b->low[k] = m->position[k] - size[k] - half + smaller(way, 0.0);
    b->high[k] = m->position[k] + size[k] + half + larger(way, 0.0);
  }
}

static int overlap(const bound *a, const bound *b) {
  return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
         b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

static int wanted(const body *a, const body *b) {
  return moves(a) || moves(b);
}

static int add_pair(perp_world *w, int32_t a, int32_t b) {
  const size_t bytes = (size_t)(w->candidates + 1)*sizeof(pair);
  if (bytes > w->candidate_memory.bytes &&
      !buffer_grow(&w->allocator, &w->candidate_memory, bytes, bytes - sizeof(pair)))
    return 0;
  pair *p = w->candidate_memory.at;
  p[w->candidates++] = a < b ? (pair){a, b} : (pair){b, a};
  return 1;
}

static double cell_at(double x, double cell) { return floor(x/cell); }

static uint32_t wrapped(double cell) {   // exact for any finite number
  return (uint32_t)(cell - CELLS_PER_AXIS*floor(cell/CELLS_PER_AXIS)) & (CELLS_PER_AXIS - 1);
}

// The side of a cell: twice the mean side of the boxes, so that a box meets few cells and a cell
// meets few boxes. A few huge boxes must not make all cells huge, so boxes above eight times the
// mean are left out of a second mean.
static double cell_size(const bound *b, int32_t n) {
  double most = (double)INFINITY, mean = 0.0;
  for (int round = 0; round < 2; round++) {
    double sum = 0.0;
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
      if (b[i].large) continue;
      double side = 0.0;
      for (int k = 0; k < 3; k++) side = larger(side, b[i].high[k] - b[i].low[k]);
      if (side > most) continue;
      sum += side;
      count++;
    }
    if (count == 0) break;
    mean = sum/count;
    most = 8.0*mean;
  }
  return mean > 0.0 ? 2.0*mean : 1.0;
}

static void span(const bound *b, double cell, double *from, int32_t *count) {
  for (int k = 0; k < 3; k++) {
    from[k] = cell_at(b->low[k], cell);
    const double number = cell_at(b->high[k], cell) - from[k] + 1.0;
    count[k] = number < BODY_CELLS_MAX + 1 ? (int32_t)number : BODY_CELLS_MAX + 1;
  }
}

static void sort_digit(const entry *from, entry *to, int64_t n, int shift) {
  int64_t start[CELLS_PER_AXIS + 1] = {0};
  for (int64_t i = 0; i < n; i++) start[((from[i].cell >> shift) & (CELLS_PER_AXIS - 1)) + 1]++;
  for (int k = 0; k < CELLS_PER_AXIS; k++) start[k + 1] += start[k];
  for (int64_t i = 0; i < n; i++)
    to[start[(from[i].cell >> shift) & (CELLS_PER_AXIS - 1)]++] = from[i];
}

// The cell of the lower corner of the overlap.
static uint32_t corner(const bound *a, const bound *b, double cell) {
  uint32_t key = 0;
  for (int k = 0; k < 3; k++)
    key = key << CELL_BITS | wrapped(cell_at(larger(a->low[k], b->low[k]), cell));
  return key;
}

static int pairs_of_cell(perp_world *w, const bound *bounds, const entry *e, int64_t n,
                         double cell) {
  const body *o = bodies_of(w);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = i + 1; j < n; j++) {
      const int32_t a = e[i].body, b = e[j].body;
      if (a == b || !overlap(&bounds[a], &bounds[b]) || !wanted(&o[a], &o[b]) ||
          corner(&bounds[a], &bounds[b], cell) != e[i].cell)
        continue;
      if (!add_pair(w, a, b)) return 0;
    }
  return 1;
}

// Sorts by a with counting, then by b within each a, where there are few pairs.
static int sort_pairs(perp_world *w) {
  const int32_t n = w->bodies;
  const size_t count = (size_t)w->candidates;
  if (!buffer_grow(&w->allocator, &w->start_memory, ((size_t)n + 1)*sizeof(int64_t), 0) ||
      !buffer_grow(&w->allocator, &w->other_memory, count*sizeof(pair), 0))
    return 0;
  int64_t *start = w->start_memory.at;
  const pair *from = w->candidate_memory.at;
  pair *to = w->other_memory.at;
  memset(start, 0, ((size_t)n + 1)*sizeof *start);
  for (size_t i = 0; i < count; i++) start[from[i].a + 1]++;
  for (int32_t k = 0; k < n; k++) start[k + 1] += start[k];
  for (size_t i = 0; i < count; i++) to[start[from[i].a]++] = from[i];
  // start[a] is now where a's pairs end. Insertion for few; a large body has many, but those were
  // found in the order of b.
  for (int32_t a = 0; a < n; a++) {
    const int64_t first = a > 0 ? start[a - 1] : 0, end = start[a];
    for (int64_t i = first + 1; i < end; i++) {
      const pair p = to[i];
      int64_t j = i;
      for (; j > first && to[j - 1].b > p.b; j--) to[j] = to[j - 1];
      to[j] = p;
    }
  }
  const buffer swap = w->candidate_memory;
  w->candidate_memory = w->other_memory;
  w->other_memory = swap;
  return 1;
}

// Planes and hollow spheres have no bounding box. They may move: `ahead` is how far, within the
// step.
typedef struct endless { double n[3], at[3], radius, offset, ahead; int hollow; } endless;

static endless endless_of(const perp_world *w, int32_t i, const double *mean) {
  const body *o = bodies_of(w) + i;
  const perp_motion *m = motions_of(w) + i;
  const double h = w->settings.step, turn = h*norm3(m->spin);
  endless e = {.radius = o->extent[0], .hollow = o->shape == PERP_SHAPE_HOLLOW,
               .ahead = 0.5*w->settings.margin + larger(h*norm3(m->velocity), stray(w, i, mean))};
  copy3(e.at, m->position);
  double R[9];
  rotation(m->orientation, R);
  apply3(R, o->extent, e.n);
  e.offset = o->offset;
  if (!e.hollow && turn > 0.0) e.ahead = (double)INFINITY;   // far away it sweeps far
  return e;
}

static int close_to(const endless *e, const bound *b) {
  double middle[3], half[3];
  for (int k = 0; k < 3; k++) {
    half[k] = 0.5*(b->high[k] - b->low[k]);
    middle[k] = 0.5*(b->high[k] + b->low[k]) - e->at[k];
  }
  if (e->hollow) return norm3(middle) + norm3(half) + e->ahead >= e->radius;
  const double reach = fabs(e->n[0])*half[0] + fabs(e->n[1])*half[1] + fabs(e->n[2])*half[2];
  return dot3(e->n, middle) - reach - e->ahead <= e->offset;
}

static int large_pairs(perp_world *w, const bound *bounds, const double *mean) {
  const body *o = bodies_of(w);
  for (int32_t i = 0; i < w->bodies; i++) {
    if (!bounds[i].large) continue;
    const int endless_i = o[i].shape >= PERP_SHAPE_PLANE;
    const endless e = endless_i ? endless_of(w, i, mean) : (endless){0};
    for (int32_t j = 0; j < w->bodies; j++) {
      if (bounds[j].large && (j == i || j < i || (endless_i && o[j].shape >= PERP_SHAPE_PLANE)))
        continue;
      const int near = endless_i ? close_to(&e, &bounds[j])
                       : o[j].shape >= PERP_SHAPE_PLANE ? 1 : overlap(&bounds[i], &bounds[j]);
      if (near && wanted(&o[i], &o[j]) && !add_pair(w, i, j)) return 0;
    }
  }
  return 1;
}

perp_error broad_pairs(perp_world *w) {
  const int32_t n = w->bodies;
  const perp_allocator *from = &w->allocator;
  w->candidates = 0;
  if (!buffer_grow(from, &w->bound_memory, (size_t)n*sizeof(bound), 0))
    return refuse(PERP_ERROR_MEMORY, "no memory for %d bodies", n);
  bound *bounds = w->bound_memory.at;
  double mean[3];
  mean_velocity(w, mean);
  for (int32_t i = 0; i < n; i++) bound_of(w, i, mean, &bounds[i]);
  const double cell = cell_size(bounds, n);
  int64_t entries = 0;
  for (int32_t i = 0; i < n; i++) {
    if (bounds[i].large) continue;
    double low[3];
    int32_t count[3];
    span(&bounds[i], cell, low, count);
    const int64_t cells = (int64_t)count[0]*count[1]*count[2];
    if (cells > BODY_CELLS_MAX) bounds[i].large = 1;
    else entries += cells;
  }
  const size_t bytes = (size_t)entries*sizeof(entry);
  if (!buffer_grow(from, &w->entry_memory, bytes, 0) ||
      !buffer_grow(from, &w->other_memory, bytes, 0))
    return refuse(PERP_ERROR_MEMORY, "no memory for the grid of %d bodies", n);
  entry *e = w->entry_memory.at, *other = w->other_memory.at;
  int64_t at = 0;
  for (int32_t i = 0; i < n; i++) {
    if (bounds[i].large) continue;
    double low[3];
    int32_t count[3];
    span(&bounds[i], cell, low, count);
    for (int32_t x = 0; x < count[0]; x++)
      for (int32_t y = 0; y < count[1]; y++)
        for (int32_t z = 0; z < count[2]; z++)
          e[at++] = (entry){wrapped(low[0] + x) << 2*CELL_BITS | wrapped(low[1] + y) << CELL_BITS |
                                wrapped(low[2] + z), i};
  }
  sort_digit(e, other, entries, 0);
  sort_digit(other, e, entries, CELL_BITS);
  sort_digit(e, other, entries, 2*CELL_BITS);
  int fine = 1;
  for (int64_t i = 0, end; i < entries && fine; i = end) {
    for (end = i + 1; end < entries && other[end].cell == other[i].cell;) end++;
    fine = pairs_of_cell(w, bounds, other + i, end - i, cell);
  }
  fine = fine && large_pairs(w, bounds, mean) && sort_pairs(w);
  return fine ? PERP_OK : refuse(PERP_ERROR_MEMORY, "no memory for pairs of %d bodies", n);
}
