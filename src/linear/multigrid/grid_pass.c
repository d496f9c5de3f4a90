// grid_pass.c: passes over a level in single precision: sweeps, transfers, sums.
//
// The stages (half sweeps, transfers) of one side of the cycle are one pass over memory. A slab is
// a line in two dimensions, a plane in three. A stage works on slab t right after the stage before
// it has done slab t + 1, so slabs are still in the cache. In three dimensions this is done for
// strips of lines, because whole planes would not fit. For threads the slabs are split into parts.
// Each thread first does everything in its part that needs no other part, a trapezoid of slabs and
// stages. Then the triangles between the parts are done. A slab of a stage has the same input
// either way, and sums are made line by line, so the bits are the same for any number of threads.
// Where all stages of a side can run on a line, they run at once (grid_wave.c).
// Cost: one read and one write of each array per side.
#include <math.h>
#include <string.h>

#include "eight_floats.h"
#include "grid_line.h"
#include "grid_parts.h"

// The transpose of interpolation: adds to sum what line (j, k) of the finer level f gives to its
// parents (which = 0), or to the parents beside (1) or behind (2) them. sum: 2*pitch numbers of the
// coarse line.
EXACT_INLINE void add_shares(const grid_level *f, int32_t j, int32_t k, int32_t which,
                             int32_t length, float *sum) {
  const int32_t index = grid_row(f, j, k), shift = grid_shift(j, k, 0);
  if (!f->busy[index]) return;
  const family y = family_of(f, j, k);
  const float *res = f->across + (size_t)index*(size_t)f->pitch;
  if (y.tie[0] == NULL) {
    for (int32_t i = shift; i < f->side[0]; i += 2) {
      const float v = res[i >> 1], t1 = y.tie[1] != NULL ? y.tie[1][i] : 0.0F,
                  t2 = y.tie[2] != NULL ? y.tie[2][i] : 0.0F;
      sum[i] += (which == 0 ? (1.0F - t1) - t2 : which == 1 ? t1 : t2)*v;
    }
    return;
  }
  if (which > 0) {
    for (int32_t m = 0; m < length; m += GRID_LANES)
      eight_store(sum + m, eight_add(eight_load(sum + m),
                                     eight_multiply(eight_load(y.tie[which] + m),
                                                    eight_load(res + m))));
    return;
  }
  // Cell m gives a share to parent m + lean. So parent m gets what m keeps, and from cell m - lean.
  const eight one = eight_all(1.0F);
  for (int32_t m = 0; m < length; m += GRID_LANES) {
    const eight v = eight_load(res + m);
    eight kept = eight_subtract(one, eight_load(y.tie[0] + m));
    if (y.tie[1] != NULL) kept = eight_subtract(kept, eight_load(y.tie[1] + m));
    if (y.tie[2] != NULL) kept = eight_subtract(kept, eight_load(y.tie[2] + m));
    const eight got = eight_multiply(eight_load(y.tie[0] + m - y.lean),
                                     eight_load(res + m - y.lean));
    eight_store(sum + m, eight_add(eight_load(sum + m), eight_add(eight_multiply(kept, v), got)));
  }
}

// Computes r of line a of a level from the residuals of the finer level.
EXACT_INLINE void gather(const row *a, float *sum) {
  const grid_level *l = a->l, *f = l - 1;
  if (!l->near[a->index]) return;
  const int32_t y = f->halved[1], z = f->halved[2], j = a->j << y, k = a->k << z;
  const int32_t length = f->halved[0] ? f->pitch : 2*l->pitch;
  memset(sum, 0, (size_t)(2*l->pitch > f->pitch ? 2*l->pitch : f->pitch)*sizeof *sum);
  for (int32_t t = k; t <= k + z && t < f->side[2]; t++)
    for (int32_t s = j; s <= j + y && s < f->side[1]; s++) add_shares(f, s, t, 0, length, sum);
  for (int32_t t = k; y && t <= k + z && t < f->side[2]; t++) {
    if (j > 0) add_shares(f, j - 1, t, 1, length, sum);
    if (j + 2 < f->side[1]) add_shares(f, j + 2, t, 1, length, sum);
  }
  for (int32_t s = j; z && s <= j + y && s < f->side[1]; s++) {
    if (k > 0) add_shares(f, s, k - 1, 2, length, sum);
    if (k + 2 < f->side[2]) add_shares(f, s, k + 2, 2, length, sum);
  }
  const size_t even = (size_t)((a->j + a->k) & 1)*l->area + a->at,
               odd = (size_t)((a->j + a->k + 1) & 1)*l->area + a->at;
  for (int32_t m = 0; m < l->pitch; m += GRID_LANES) {
    eight first_half, second_half;
    eight_split(sum + 2*m, &first_half, &second_half);
    eight_store(l->r + even + m, first_half);
    eight_store(l->r + odd + m, second_half);
  }
}

EXACT_INLINE void whole(const row *a) {
  const grid_level *l = a->l, *f = l - 1;
  if (!l->near[a->index]) return;
  float *to = f->whole + grid_whole(f, a->j, a->k);
  const float *even = l->z + (size_t)((a->j + a->k) & 1)*l->area + a->at,
              *odd = l->z + (size_t)((a->j + a->k + 1) & 1)*l->area + a->at;
  for (int32_t m = 0; m < l->pitch; m += GRID_LANES)
    eight_join(to + 2*m, eight_load(even + m), eight_load(odd + m));
}

// Loads 16 doubles of a line into both colours; cells beyond its end are 0.
EXACT_INLINE void load_block(const double *from, int32_t cells, double scale, eight *even,
                             eight *odd) {
  float v[GRID_BLOCK] = {0.0F};
  if (cells >= GRID_BLOCK)
    for (int32_t t = 0; t < GRID_BLOCK; t++) v[t] = (float)(scale*from[t]);
  else
    for (int32_t t = 0; t < cells; t++) v[t] = (float)(scale*from[t]);
  eight_split(v, even, odd);
}

typedef struct tally { double sum, most; } tally;
EXACT_INLINE void add_to_tally(tally *t, eight sum, eight most) {
  const double largest = eight_most(most);
  t->sum += eight_sum(sum);
  if (!(largest <= t->most)) t->most = largest;      // a NaN stays
}

EXACT_INLINE tally load(const row *a, const double *from, double scale) {
  const grid_level *l = a->l;
  const int32_t colour = (a->j + a->k) & 1;
  const size_t even = (size_t)colour*l->area + a->at, odd = (size_t)(1 - colour)*l->area + a->at;
  const eight zero = eight_all(0.0F);
  tally t = {0.0, 0.0};
  RUNS(a, b, m, end, kind) {
    eight sum = zero, most = zero;
    for (; m < end; m += GRID_LANES) {
      eight v, w;
      load_block(from + 2*m, l->side[0] - 2*m, scale, &v, &w);
      v = eight_add(eight_where(eight_load(l->inverse + even + m), v), zero);   // turns -0 into 0
      w = eight_add(eight_where(eight_load(l->inverse + odd + m), w), zero);
      eight_store(l->r + even + m, v);
      eight_store(l->r + odd + m, w);
      sum = eight_add(sum, eight_add(eight_multiply(v, v), eight_multiply(w, w)));
      most = eight_max(most, eight_max(eight_size(v), eight_size(w)));
    }
    add_to_tally(&t, sum, most);
  }
  return t;
}

// to <- scale*v, or to += scale*v if add = 1.
EXACT_INLINE void store_block(double *to, int32_t cells, double scale, eight even, eight odd,
                              int add) {
  float v[GRID_BLOCK];
  eight_join(v, even, odd);
  if (cells >= GRID_BLOCK && add)
    for (int32_t t = 0; t < GRID_BLOCK; t++) to[t] += scale*(double)v[t];
  else if (cells >= GRID_BLOCK)
    for (int32_t t = 0; t < GRID_BLOCK; t++) to[t] = scale*(double)v[t];
  else
    for (int32_t t = 0; t < cells; t++) to[t] = (add ? to[t] : 0.0) + scale*(double)v[t];
}

EXACT_INLINE void clear_empty(const row *a, double *to) {
  for (int32_t b = 0; b < a->l->blocks; b += a->run[b] >> 2) {
    if ((a->run[b] & 3) != GRID_EMPTY) continue;
    const int32_t from = GRID_BLOCK*b, end = from + GRID_BLOCK*(a->run[b] >> 2);
    for (int32_t i = from; i < end && i < a->l->side[0]; i++) to[i] = 0.0;
  }
}

EXACT_INLINE void store(const row *a, double *to, double scale) {
  const grid_level *l = a->l;
  const int32_t colour = (a->j + a->k) & 1;
  const float *even = l->z + (size_t)colour*l->area + a->at,
              *odd = l->z + (size_t)(1 - colour)*l->area + a->at;
  RUNS(a, b, m, end, kind)
    for (; m < end; m += GRID_LANES)
      store_block(to + 2*m, l->side[0] - 2*m, scale, eight_load(even + m), eight_load(odd + m), 0);
  clear_empty(a, to);
}

// z += scale*p, r -= step*q
EXACT_INLINE tally step(const row *a, const grid_pass *pass, double *to) {
  const grid_level *l = a->l;
  const int32_t colour = (a->j + a->k) & 1;
  const size_t even = (size_t)colour*l->area + a->at, odd = (size_t)(1 - colour)*l->area + a->at;
  const eight by = eight_all(pass->step);
  tally t = {0.0, 0.0};
  RUNS(a, b, m, end, kind) {
    eight sum = eight_all(0.0F), most = sum;
    for (; m < end; m += GRID_LANES) {
      store_block(to + 2*m, l->side[0] - 2*m, pass->scale, eight_load(l->p + even + m),
                  eight_load(l->p + odd + m), !pass->fresh);
      const eight v = eight_subtract(eight_load(l->r + even + m),
                                     eight_multiply(by, eight_load(l->q + even + m))),
                  w = eight_subtract(eight_load(l->r + odd + m),
                                     eight_multiply(by, eight_load(l->q + odd + m)));
      eight_store(l->r + even + m, v);
      eight_store(l->r + odd + m, w);
      sum = eight_add(sum, eight_add(eight_multiply(v, v), eight_multiply(w, w)));
      most = eight_max(most, eight_max(eight_size(v), eight_size(w)));
    }
    add_to_tally(&t, sum, most);
  }
  if (pass->fresh) clear_empty(a, to);
  return t;
}

// 1: prefetching saves time. In three dimensions there are too many streams for the processor.
EXACT_INLINE int is_far(const grid_level *l) { return l->n > GRID_CACHE_CELLS_MAX && !l->deep; }

EXACT_INLINE void dots(const row *a, double *zr, double *zq) {
  const grid_level *l = a->l;
  const float *z[2] = {l->z + a->at, l->z + l->area + a->at},
              *r[2] = {l->r + a->at, l->r + l->area + a->at},
              *q[2] = {l->q + a->at, l->q + l->area + a->at};
  const int far = is_far(l);
  *zr = *zq = 0.0;
  RUNS(a, b, m, end, kind) {
    eight s[2] = {eight_all(0.0F), eight_all(0.0F)}, t[2] = {s[0], s[0]};
    for (; m < end; m += GRID_LANES)
      for (int32_t c = 0; c < 2; c++) {
        const eight v = eight_load(z[c] + m);
        if (far) EIGHT_FETCH(q[c] + m + GRID_PREFETCH_NUMBERS);
        s[c] = eight_add(s[c], eight_multiply(v, eight_load(r[c] + m)));
        t[c] = eight_add(t[c], eight_multiply(v, eight_load(q[c] + m)));
      }
    *zr += eight_sum(s[0]) + eight_sum(s[1]);
    *zq += eight_sum(t[0]) + eight_sum(t[1]);
  }
}

EXACT_INLINE void turn(const row *a, float factor) {
  const grid_level *l = a->l;
  const eight by = eight_all(factor);
  const int far = is_far(l);
  for (int32_t colour = 0; colour < 2; colour++) {
    const float *z = l->z + (size_t)colour*l->area + a->at;
    float *p = l->p + (size_t)colour*l->area + a->at;
    RUNS(a, b, m, end, kind)
      for (; m < end; m += GRID_LANES) {
        if (far) EIGHT_FETCH(z + m + GRID_PREFETCH_NUMBERS);
        if (far) EIGHT_FETCH(p + m + GRID_PREFETCH_NUMBERS);
        eight_store(p + m, factor == 0.0F ? eight_load(z + m)
                           : eight_add(eight_load(z + m),
                                       eight_multiply(by, eight_load(p + m))));
      }
  }
}

EXACT_INLINE eight fall(const around *n, eight own, int32_t d, int32_t m, int kind) {
  const eight a = eight_subtract(own, eight_load(n->v[2*d] + m)),
              b = eight_subtract(own, eight_load(n->v[2*d + 1] + m));
  if (kind == GRID_UNIFORM) return eight_multiply(n->unit[d], eight_add(a, b));
  return eight_add(eight_multiply(eight_load(n->w[2*d] + m), a),
                   eight_multiply(eight_load(n->w[2*d + 1] + m), b));
}

EXACT_INLINE double apply_run(const around *n, const float *p, const float *out,
                              const float *inverse, float *q, int32_t m, int32_t end, int far,
                              int kind, int deep) {
  eight sum = eight_all(0.0F);
  for (; m < end; m += GRID_LANES) {
    if (far) EIGHT_FETCH(q + m + GRID_PREFETCH_NUMBERS);
    const eight own = eight_load(p + m);
    eight v = eight_add(fall(n, own, 0, m, kind), fall(n, own, 1, m, kind));
    if (deep) v = eight_add(v, fall(n, own, 2, m, kind));
    if (kind != GRID_UNIFORM)
      v = eight_where(eight_load(inverse + m),
                      eight_add(v, eight_multiply(eight_load(out + m), own)));
    eight_store(q + m, v);
    sum = eight_add(sum, eight_multiply(own, v));
  }
  return eight_sum(sum);
}

// q <- A p by differences, whose rounding errors are small where p is smooth.
EXACT_INLINE double apply(const row *a) {
  const grid_level *l = a->l;
  const int far = is_far(l);
  double pq = 0.0;
  for (int32_t colour = 0; colour < 2; colour++) {
    const around n = around_of(a, l->p, colour);
    const size_t mine = (size_t)colour*l->area + a->at;
    const float *p = l->p + mine, *out = l->out + mine, *inverse = l->inverse + mine;
    float *q = l->q + mine;
    RUNS(a, b, m, end, kind) {
      if (kind == GRID_UNIFORM && l->deep)
        pq += apply_run(&n, p, out, inverse, q, m, end, far, 2, 1);
      else if (kind == GRID_UNIFORM) pq += apply_run(&n, p, out, inverse, q, m, end, far, 2, 0);
      else if (l->deep) pq += apply_run(&n, p, out, inverse, q, m, end, far, 1, 1);
      else pq += apply_run(&n, p, out, inverse, q, m, end, far, 1, 0);
    }
  }
  return pq;
}

// Returns from_r - A from_z in line (j, k), minus the means if requested.
static const double *residual_line(const grid_pass *pass, int32_t j, int32_t k, double *rest) {
  const grid_level *l = pass->l;
  const int32_t cell = grid_cell(l, 0, j, k);
  if (!pass->l->busy[grid_row(l, j, k)]) return rest;   // the caller reads no cell of this line
  if (pass->from_z == NULL)
    for (int32_t i = 0; i < l->side[0]; i++) rest[i] = 0.0;
  else grid_multiply_line(pass->g, l, j, k, pass->from_z, rest);
  for (int32_t i = 0; i < l->side[0]; i++) rest[i] = pass->from_r[cell + i] - rest[i];
  if (pass->centred)
    for (int32_t i = 0; i < l->side[0]; i++) rest[i] -= grid_mean_at(pass->g, l, cell + i);
  return rest;
}

EXACT_INLINE void put_sums(const row *a, double first_sum, double second) {
  a->l->sums[2*(size_t)a->index] = first_sum;
  a->l->sums[2*(size_t)a->index + 1] = second;
}

// Runs a stage on lines [from, to) of a slab. A line without free cells is visited only if the
// stage writes to it.
EXACT_INLINE void slab_lines(const grid_pass *pass, grid_stage stage, int32_t slab, int32_t from,
                             int32_t to, double *line) {
  const grid_level *l = pass->l;
#define LINES(what)                                                          \
  for (int32_t t = from; t < to; t++) {                                      \
    const row a = l->deep ? row_of(l, t, slab) : row_of(l, slab, 0);         \
    what                                                                     \
  }                                                                          \
  break
#define BUSY if (!l->busy[a.index]) continue;
#define CELL ((size_t)grid_cell(l, 0, a.j, a.k))
  switch (stage) {
    case GRID_FIRST: LINES(BUSY first(&a););
    case GRID_RED: LINES(BUSY relax(&a, 0););
    case GRID_BLACK: LINES(BUSY relax(&a, 1););
    case GRID_RESIDUAL: LINES(BUSY residual(&a););
    case GRID_CORRECT: LINES(BUSY correct(&a););
    case GRID_TURN: LINES(BUSY turn(&a, pass->turn););
    case GRID_GATHER: LINES(gather(&a, (float *)(void *)line););
    case GRID_WHOLE: LINES(whole(&a););
    case GRID_STORE: LINES(store(&a, pass->to_z + CELL, pass->scale););
    case GRID_APPLY: LINES(put_sums(&a, l->busy[a.index] ? apply(&a) : 0.0, 0.0););
    case GRID_DOTS: LINES(double zr; double zq; dots(&a, &zr, &zq); put_sums(&a, zr, zq););
    case GRID_STEP: LINES(const tally s = step(&a, pass, pass->to_z + CELL);
                          put_sums(&a, s.sum, s.most););
    case GRID_LOAD:
      LINES(const double *right = pass->from_z == NULL && !pass->centred
                               ? pass->from_r + CELL : residual_line(pass, a.j, a.k, line);
            const tally s = load(&a, right, pass->scale);
            put_sums(&a, s.sum, s.most););
    case GRID_MULTIPLY:
      LINES(double *y = pass->to_z + CELL;
            if (pass->from_r == NULL) {
              grid_multiply_line(pass->g, l, a.j, a.k, pass->from_z, y);
              continue;
            }
            grid_multiply_line(pass->g, l, a.j, a.k, pass->from_z, line);
            for (int32_t i = 0; i < l->side[0]; i++) y[i] = line[i] + (pass->from_r + CELL)[i];);
  }
#undef LINES
#undef BUSY
#undef CELL
}
static FOUR_TARGET void slab_wide(const grid_pass *pass, grid_stage stage, int32_t slab,
                                  int32_t from, int32_t to, double *line) {
  slab_lines(pass, stage, slab, from, to, line);
}
static void slab_narrow(const grid_pass *pass, grid_stage stage, int32_t slab, int32_t from,
                        int32_t to, double *line) {
  slab_lines(pass, stage, slab, from, to, line);
}
// Inline, because in two dimensions a slab is one line: a call would take up to a tenth of a cycle.
EXACT_INLINE void slab_run(const grid_pass *pass, int32_t s, int32_t slab, int32_t part,
                           int32_t from, int32_t to) {
  double *line = pass->g->lines + (size_t)part*pass->g->line_length;
  if (from >= to) return;
  if (FOUR_HAS_TARGET()) slab_wide(pass, pass->stage[s], slab, from, to, line);
  else slab_narrow(pass, pass->stage[s], slab, from, to, line);
}

// Runs stages 0 .. GRID_WAVE - 1 of round t, stage s at slab t - s, on lines [from, to). In a
// round, the lines do not depend on each other.
static void wave_run(const grid_pass *pass, int32_t t, int32_t part, int32_t from, int32_t to) {
  const grid_level *l = pass->l;
  for (int32_t line = from, end; line < to; line = end) {
    line = grid_wave(l, t, line, to, pass->wave == GRID_WAVE_UP);
    for (end = line; end < to && grid_is_apart(l, t, end);) end++;
    for (int32_t s = 0; s < GRID_WAVE; s++) slab_run(pass, s, t - s, part, line, end);
  }
}

static int32_t lines_of(const grid_level *l) { return l->deep ? l->side[1] : 1; }   // in a slab

// The lines of a strip. What all stages use at a time should fit into the second-level cache.
static int32_t strip_of(const grid_pass *pass) {
  enum { CACHE_BYTES = 640 << 10,                     // part of the second-level cache that is used
         CELL_BYTES = 6*sizeof(float) };              // z, r, three weights and the diagonal
  const int64_t bytes = (int64_t)CELL_BYTES*pass->stages*pass->l->side[0];
  const int64_t strip = CACHE_BYTES/bytes;
  const int32_t lines = lines_of(pass->l);
  return strip >= lines ? lines : strip < GRID_WAVE ? GRID_WAVE : (int32_t)strip;
}

// Does the work of part `index` that needs no other part: stage s leaves out s slabs at ends that
// touch another part. It goes strip by strip of lines. For stage s a strip is shifted back by s
// lines, so that earlier strips have done all that the stage needs and nothing too early.
static void trapezoid(void *data, int32_t index) {
  const grid_pass *pass = data;
  const grid_level *l = pass->l;
  const int32_t first_slab = l->part[index], end = l->part[index + 1], last = l->parts - 1,
                lines = lines_of(l), strip = strip_of(pass);
  for (int32_t low = 0; low < lines; low += strip)
    for (int32_t t = first_slab; t < end + pass->stages - 1; t++) {
      const int32_t oldest = index > 0 ? (t - first_slab)/2 : t - first_slab,
                    s_end = oldest + 1 < pass->stages ? oldest + 1 : pass->stages;
      int32_t s_from = 0;
      if (index < last) s_from = t < end ? 0 : s_end;
      else if (t >= end) s_from = t - end + 1;
      const int together = pass->wave && s_from == 0 && s_end >= GRID_WAVE;
      const int32_t high = low + strip < lines ? low + strip : lines,
                    middle = high < lines ? high - GRID_WAVE + 1 : lines;
      if (together) wave_run(pass, t, index, low, middle);
      for (int32_t s = s_from; s < s_end; s++) {
        const int32_t from = low == 0 ? 0 : low - s, to = high < lines ? high - s : lines;
        if (!together || s >= GRID_WAVE) {
          slab_run(pass, s, t - s, index, from, to);
        } else {
          slab_run(pass, s, t - s, index, from, low);
          slab_run(pass, s, t - s, index, middle, to);
        }
      }
    }
}

// Does the work that is left between parts index and index + 1.
static void triangle(void *data, int32_t index) {
  const grid_pass *pass = data;
  const int32_t seam = pass->l->part[index + 1], lines = lines_of(pass->l);
  for (int32_t s = 1; s < pass->stages; s++)
    for (int32_t slab = seam - s; slab < seam + s; slab++)
      slab_run(pass, s, slab, index, 0, lines);
}

void grid_pass_run(grid_pass *pass) {
  team_run(pass->g->threads, trapezoid, pass, pass->l->parts);
  if (pass->stages > 1 && pass->l->parts > 1)
    team_run(pass->g->threads, triangle, pass, pass->l->parts - 1);
}

void grid_pass_sums(const grid_level *l, double *sum, double *other, int is_most) {
  *sum = *other = 0.0;
  for (int32_t k = 0; k < l->side[2]; k++)
    for (int32_t j = 0; j < l->side[1]; j++) {
      const double *s = l->sums + 2*(size_t)grid_row(l, j, k);
      *sum += s[0];
      if (!is_most) *other += s[1];
      else if (!(s[1] <= *other)) *other = s[1];
    }
}

