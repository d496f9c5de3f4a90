// grid_wave.c: does the five stages of one side of the cycle at once, on five successive slabs.
//
// In round t stage s works at slab t - s, on red cells for even s and black cells for odd s. From
// this round it needs a single value: the one that stage s - 1 has just computed at the same place
// of slab t - s + 1, which stays in a register. All other values are from earlier rounds: the
// neighbours in its own slab, which no other stage changes in this round, and the neighbour in slab
// t - s - 1, which stage s + 1 changes later. So the blocks of a round may go in any order, and
// arrays can be prefetched.
//
// The seams between threads are computed without waves, so the values must have the bits of
// grid_line.h. Only zeros in empty blocks may differ in sign. That has no effect: r is never -0, so
// no sum with such a zero is -0.
// Cost: one read of each array for all five stages.
#include "eight_floats.h"
#include "grid_line.h"
#include "grid_parts.h"

enum { STAGES = GRID_WAVE };

// Pointers for stage 1 or stage 2. Stages 3 and 4 have the same colours, two slabs before.
typedef struct side {
  float *z;
  const float *r, *inverse, *d;
  const float *left, *below, *above;                 // z of the other colour in its own slab
} side;

typedef struct wave {
  side odd, even;
  ptrdiff_t two;             // distance of two slabs, in numbers
  int far;                   // 1: the level is too large for the cache
  float *z, *across;         // z of stage 0; destination of residuals
  const float *r, *inverse;
  parents from;              // used on the way up
  eight unit[3], d, centre_inverse;
} wave;

EXACT_INLINE side side_of(const grid_level *l, size_t at, int32_t colour, int32_t shift) {
  const size_t mine = (size_t)colour*l->area + at, other = (size_t)(1 - colour)*l->area + at;
  const float *o = l->z + other;
  return (side){.z = l->z + mine, .r = l->r + mine, .inverse = l->inverse + mine, .d = l->d + mine,
                .left = o - 1 + shift, .below = o - l->pitch, .above = o + l->pitch};
}

// r + sum of w_ij z_j, as in grid_line.h
EXACT_INLINE eight wave_inflow(const wave *w, const side *s, ptrdiff_t m, eight before, eight after,
                               int deep) {
  eight sum = eight_load(s->r + m);
  sum = eight_add(sum, eight_multiply(w->unit[0], eight_add(eight_load(s->left + m),
                                                            eight_load(s->left + m + 1))));
  if (deep)
    sum = eight_add(sum, eight_multiply(w->unit[1], eight_add(eight_load(s->below + m),
                                                              eight_load(s->above + m))));
  return eight_add(sum, eight_multiply(w->unit[1 + deep], eight_add(before, after)));
}

EXACT_INLINE eight wave_relax(const wave *w, const side *s, ptrdiff_t m, eight before, eight after,
                              int kind, int deep) {
  const eight v = eight_multiply(kind == GRID_UNIFORM ? w->centre_inverse
                                                      : eight_load(s->inverse + m),
                                 wave_inflow(w, s, m, before, after, deep));
  eight_store(s->z + m, v);
  return v;
}

EXACT_INLINE void wave_prefetch(const wave *w, int32_t m, int up) {   // prefetches
  EIGHT_FETCH(w->r + m + GRID_PREFETCH_NUMBERS);
  EIGHT_FETCH(w->z + m + GRID_PREFETCH_NUMBERS);
  EIGHT_FETCH(w->odd.r + m + GRID_PREFETCH_NUMBERS);
  EIGHT_FETCH(w->odd.z + m + GRID_PREFETCH_NUMBERS);
  if (!up) EIGHT_FETCH(w->across + m + GRID_PREFETCH_NUMBERS);
}

EXACT_INLINE void wave_run(const wave *given, int32_t m, int32_t end, int up, int kind, int deep) {
  const wave w = *given;
  const side *odd = &w.odd, *even = &w.even;
  for (; m < end; m += GRID_LANES) {
    const ptrdiff_t n = m - w.two;
    if (w.far) wave_prefetch(&w, m, up);
    eight v = up ? corrected(&w.from, w.z, m, kind, deep)
                 : eight_multiply(kind == GRID_UNIFORM ? w.centre_inverse
                                                       : eight_load(w.inverse + m),
                                  eight_load(w.r + m));
    eight_store(w.z + m, v);
    v = wave_relax(&w, odd, m, eight_load(even->z + m), v, kind, deep);
    v = wave_relax(&w, even, m, eight_load(odd->z + n), v, kind, deep);
    const eight own = eight_load(even->z + n);
    v = wave_relax(&w, odd, n, own, v, kind, deep);
    const eight before = eight_load(odd->z + n - w.two);
    if (up) {
      wave_relax(&w, even, n, before, v, kind, deep);
      continue;
    }
    const int uniform = kind == GRID_UNIFORM;
    eight_store(w.across + m, residual_at(uniform ? w.d : eight_load(even->d + n),
                                          uniform ? w.centre_inverse
                                                  : eight_load(even->inverse + n),
                                          wave_inflow(&w, even, n, before, v, deep), own));
  }
}

// Returns the number of blocks from here on in which none of the five lines changes its kind, and
// sets *kind for all five: EMPTY, UNIFORM or SAME. A loop for UNIFORM pays only if it is long,
// because its ends cost more than loading known weights. SAME also works on empty blocks, where
// diagonals are 0. run: of stage 0; that of stage s is s*stride before it.
EXACT_INLINE int32_t common_blocks(const uint16_t *run, ptrdiff_t stride, int *kind) {
  enum { UNIFORM_BLOCKS_MIN = 20 };   // blocks of a uniform loop
  int32_t length = run[0] >> 2;
  unsigned seen = 1U << (run[0] & 3);
  for (int32_t s = 1; s < STAGES; s++) {
    const int32_t own = run[-s*stride];
    length = own >> 2 < length ? own >> 2 : length;
    seen |= 1U << (own & 3);
  }
  *kind = seen == 1U << GRID_EMPTY ? GRID_EMPTY
        : seen == 1U << GRID_UNIFORM && length >= UNIFORM_BLOCKS_MIN ? GRID_UNIFORM : GRID_SAME;
  return length;
}

EXACT_INLINE void wave_line(const grid_level *l, int32_t slab, int32_t line, int up, int deep) {
  const row a = deep ? row_of(l, line, slab) : row_of(l, slab, 0);
  const int32_t step = deep ? l->plane : 1, blocks = l->blocks;   // step: lines to the next slab
  const uint8_t *busy = l->busy + a.index;
  if (!(busy[0] | busy[-step] | busy[-2*step] | busy[-3*step] | busy[-4*step])) return;
  const size_t slabs = (size_t)step*(size_t)l->pitch;
  const int32_t shift = grid_shift(a.j, a.k, 0);     // the same for all stages
  const wave w = {.odd = side_of(l, a.at - slabs, 1, shift),
                  .even = side_of(l, a.at - 2*slabs, 0, shift),
                  .two = (ptrdiff_t)(2*slabs), .far = l->n > GRID_CACHE_CELLS_MAX, .z = l->z + a.at,
                  .across = up ? NULL : l->across + (a.at - 4*slabs), .r = l->r + a.at,
                  .inverse = l->inverse + a.at, .from = up ? parents_of(&a) : (parents){0},
                  .unit = {eight_all(l->unit[0]), eight_all(l->unit[1]), eight_all(l->unit[2])},
                  .d = eight_all(l->centre), .centre_inverse = eight_all(l->centre_inverse)};
  const ptrdiff_t stride = (ptrdiff_t)step*blocks;
  int kind, next;
  int32_t more = common_blocks(a.run, stride, &next);
  for (int32_t b = 0, end; b < blocks; b = end) {
    kind = next;
    end = b + more;
    while (end < blocks) {
      more = common_blocks(a.run + end, stride, &next);
      if (next != kind) break;
      end += more;
    }
    const int32_t m = GRID_LANES*b, to = GRID_LANES*end;
    if (kind == GRID_SAME) wave_run(&w, m, to, up, GRID_SAME, deep);
    else if (kind == GRID_UNIFORM) wave_run(&w, m, to, up, GRID_UNIFORM, deep);
  }
}

EXACT_INLINE int32_t wave_lines(const grid_level *l, int32_t slab, int32_t line, int32_t to,
                                int up) {
  for (; line < to && !grid_is_apart(l, slab, line); line++) {
    if (up && l->deep) wave_line(l, slab, line, 1, 1);
    else if (up) wave_line(l, slab, line, 1, 0);
    else if (l->deep) wave_line(l, slab, line, 0, 1);
    else wave_line(l, slab, line, 0, 0);
  }
  return line;
}
static FOUR_TARGET int32_t wave_wide(const grid_level *l, int32_t slab, int32_t from, int32_t to,
                                     int up) {
  return wave_lines(l, slab, from, to, up);
}
static int32_t wave_narrow(const grid_level *l, int32_t slab, int32_t from, int32_t to, int up) {
  return wave_lines(l, slab, from, to, up);
}
int32_t grid_wave(const grid_level *l, int32_t slab, int32_t from, int32_t to, int up) {
  return FOUR_HAS_TARGET() ? wave_wide(l, slab, from, to, up) : wave_narrow(l, slab, from, to, up);
}
