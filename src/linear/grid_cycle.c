// grid_cycle.c: a multigrid cycle in single precision on split colours, and the passes around it.
//
// V(2,2): red, black, red, black; the residual, restricted by the transpose of linear interpolation;
// the next level; its answer interpolated; black, red, black, red: the adjoint order, so that the
// cycle is symmetric. A colour that has just been relaxed has residual 0, and one that is relaxed
// next forgets its values: transfers go from and to red cells only.
// All half sweeps of one side of the cycle are one pass over memory: slab t (a line in two
// dimensions, a plane in three) of a stage follows slab t + 1 of the stage before, while it is in
// the cache. With threads each part of the slabs first does all that does not need its neighbours,
// a trapezoid of slabs and stages; then the triangles between the parts are filled in. A slab of a
// stage has the same input either way, and sums are made by line: same bits for any number of
// threads. Cost of the finest level in bytes a cell: where weights are uniform 8 + 2 going down
// (r; z), 12 + 2 going up, elsewhere 8 + 4*dimensions more each.
#include <math.h>
#include <string.h>

#include "eight.h"
#include "grid_parts.h"

typedef struct row {         // line (j, k) of a level, as the kernels need it
  const grid_level *l;
  int32_t j, k, index;       // index: among the lines
  size_t at;                 // where a colour of it begins
  const uint16_t *run;
} row;

EXACT_INLINE row row_of(const grid_level *l, int32_t j, int32_t k) {
  const int32_t index = grid_row(l, j, k);
  return (row){l, j, k, index, (size_t)index*(size_t)l->pitch,
               l->run + (size_t)index*(size_t)l->blocks};
}

// The neighbours' values of a colour in v, and their weights: up to six streams each.
typedef struct around {
  const float *v[6], *w[6];  // left, right; below, above; before, behind
  float unit[3], d, inverse;
} around;

EXACT_INLINE around around_of(const row *a, const float *v, int32_t colour) {
  const grid_level *l = a->l;
  const size_t mine = (size_t)colour*l->area + a->at, other = (size_t)(1 - colour)*l->area + a->at;
  const ptrdiff_t shift = grid_shift(a->j, a->k, colour), line = l->pitch,
                  plane = l->deep ? (ptrdiff_t)l->plane*line : 0;
  const float *o = v + other;
  around n = {.v = {o - 1 + shift, o + shift, o - line, o + line, o - plane, o + plane},
              .w = {l->w[0] + other - 1 + shift, l->w[0] + mine, l->w[1] + other - line,
                    l->w[1] + mine, l->w[2] + other - plane, l->w[2] + mine},
              .unit = {l->unit[0], l->unit[1], l->unit[2]}};
  n.d = 2.0F*((l->unit[0] + l->unit[1]) + l->unit[2]);
  n.inverse = 1.0F/n.d;
  return n;
}

EXACT_INLINE eight pair(const around *n, int32_t d, int32_t m) {   // both neighbours along d
  return eight_add(eight_load(n->v[2*d] + m), eight_load(n->v[2*d + 1] + m));
}
EXACT_INLINE eight weighted_pair(const around *n, int32_t d, int32_t m) {
  return eight_add(eight_multiply(eight_load(n->w[2*d] + m), eight_load(n->v[2*d] + m)),
                   eight_multiply(eight_load(n->w[2*d + 1] + m), eight_load(n->v[2*d + 1] + m)));
}

// r + sum of w_ij z_j
EXACT_INLINE eight inflow(const around *n, const float *r, int32_t m, int kind, int deep) {
  eight sum = eight_load(r + m);
  if (kind == GRID_UNIFORM) {
    sum = eight_add(sum, eight_multiply(eight_all(n->unit[0]), pair(n, 0, m)));
    sum = eight_add(sum, eight_multiply(eight_all(n->unit[1]), pair(n, 1, m)));
    if (deep) sum = eight_add(sum, eight_multiply(eight_all(n->unit[2]), pair(n, 2, m)));
  } else {
    sum = eight_add(sum, weighted_pair(n, 0, m));
    sum = eight_add(sum, weighted_pair(n, 1, m));
    if (deep) sum = eight_add(sum, weighted_pair(n, 2, m));
  }
  return sum;
}

EXACT_INLINE void relax_run(const around *n, const float *r, const float *inverse, float *z,
                            int32_t m, int32_t end, int kind, int deep) {
  for (; m < end; m += GRID_LANES)
    eight_store(z + m, eight_multiply(kind == GRID_UNIFORM ? eight_all(n->inverse)
                                                           : eight_load(inverse + m),
                                      inflow(n, r, m, kind, deep)));
}

// for each run of blocks of line a that are not empty: [m, end) of a colour and its kind
#define RUNS(a, b, m, end, kind)                                                                 \
  for (int32_t b = 0, m, end, kind;                                                              \
       b < (a)->l->blocks && (m = GRID_LANES*b, kind = (a)->run[b] & 3,                          \
                              end = m + GRID_LANES*((a)->run[b] >> 2), 1);                       \
       b = end/GRID_LANES)                                                                       \
    if (kind != GRID_EMPTY)

EXACT_INLINE void relax(const row *a, int32_t colour) {
  const grid_level *l = a->l;
  const around n = around_of(a, l->z, colour);
  const size_t mine = (size_t)colour*l->area + a->at;
  const float *r = l->r + mine, *inverse = l->inverse + mine;
  float *z = l->z + mine;
  RUNS(a, b, m, end, kind) {
    if (kind == GRID_UNIFORM && l->deep) relax_run(&n, r, inverse, z, m, end, GRID_UNIFORM, 1);
    else if (kind == GRID_UNIFORM) relax_run(&n, r, inverse, z, m, end, GRID_UNIFORM, 0);
    else if (l->deep) relax_run(&n, r, inverse, z, m, end, GRID_GENERAL, 1);
    else relax_run(&n, r, inverse, z, m, end, GRID_GENERAL, 0);
  }
}

EXACT_INLINE void first(const row *a) {
  const float *r = a->l->r + a->at, *inverse = a->l->inverse + a->at;
  float *z = a->l->z + a->at;
  const around n = around_of(a, a->l->z, 0);
  RUNS(a, b, m, end, kind)
    for (; m < end; m += GRID_LANES)
      eight_store(z + m, eight_multiply(kind == GRID_UNIFORM ? eight_all(n.inverse)
                                                             : eight_load(inverse + m),
                                        eight_load(r + m)));
}

EXACT_INLINE void residual_run(const around *n, const float *r, const float *inverse,
                               const float *d, const float *z, float *into, int32_t m,
                               int32_t end, int kind, int deep) {
  for (; m < end; m += GRID_LANES) {
    const eight own = eight_load(z + m), sum = inflow(n, r, m, kind, deep);
    eight_store(into + m, kind == GRID_UNIFORM
      ? eight_subtract(sum, eight_multiply(eight_all(n->d), own))
      : eight_multiply(eight_load(d + m),
                       eight_subtract(eight_multiply(eight_load(inverse + m), sum), own)));
  }
}

// Residuals of the red cells of a line, restricted along it. line: zeros where nothing is free.
EXACT_INLINE void residual(const row *a, float *line) {
  const grid_level *l = a->l;
  const around n = around_of(a, l->z, 0);
  const float *r = l->r + a->at, *inverse = l->inverse + a->at, *d = l->d + a->at,
              *z = l->z + a->at;
  float *res = line + GRID_LANES, *to = l->across + (size_t)a->index*(size_t)l->across_pitch + 8;
  int32_t from = l->blocks, until = 0;
  memset(line, 0, (size_t)(l->pitch + 2*GRID_LANES)*sizeof *line);
  RUNS(a, b, m, end, kind) {
    if (kind == GRID_UNIFORM && l->deep) residual_run(&n, r, inverse, d, z, res, m, end, 2, 1);
    else if (kind == GRID_UNIFORM) residual_run(&n, r, inverse, d, z, res, m, end, 2, 0);
    else if (l->deep) residual_run(&n, r, inverse, d, z, res, m, end, 1, 1);
    else residual_run(&n, r, inverse, d, z, res, m, end, 1, 0);
    if (b < from) from = b;
    until = end/GRID_LANES;
  }
  const int32_t shift = grid_shift(a->j, a->k, 0);
  if (!l->halved[0]) {
    for (int32_t m = GRID_LANES*from; m < GRID_LANES*until && 2*m + shift < l->side[0]; m++)
      to[2*m + shift] = res[m];
    return;
  }
  // red cell 2m + shift lies in parent m and leans to m - 1 (shift 0) or m + 1 (shift 1)
  const int32_t last = (l->side[0] - 1)/2;
  const ptrdiff_t lean = shift == 0 ? 1 : -1;
  from = from > 0 ? from - 1 : 0;
  until = until < l->blocks ? until + 1 : l->blocks;
  for (int32_t m = GRID_LANES*from; m < GRID_LANES*until; m += GRID_LANES)
    eight_store(to + m, eight_add(eight_multiply(eight_all(0.75F), eight_load(res + m)),
                                  eight_multiply(eight_all(0.25F), eight_load(res + m + lean))));
  if (shift == 0) to[0] += 0.25F*res[0];
  else if (2*last + 1 < l->side[0]) to[last] += 0.25F*res[last];
}

// Lines of the next level that line `at` of direction d takes part in, and how much.
EXACT_INLINE int32_t parents(const grid_level *l, int32_t d, int32_t at, int32_t line[2],
                             float weight[2]) {
  line[0] = at;
  weight[0] = 1.0F;
  if (!l->halved[d]) return 1;
  line[0] = at >> 1;
  line[1] = (at >> 1) + ((at & 1) ? 1 : -1);
  if (line[1] < 0 || line[1] > (l->side[d] - 1)/2) return 1;   // reflected
  weight[0] = 0.75F;
  weight[1] = 0.25F;
  return 2;
}

EXACT_INLINE eight blend(const float *const from[4], const float weight[4], int32_t count,
                         ptrdiff_t m) {
  eight sum = eight_multiply(eight_all(weight[0]), eight_load(from[0] + m));
  for (int32_t q = 1; q < count; q++)
    sum = eight_add(sum, eight_multiply(eight_all(weight[q]), eight_load(from[q] + m)));
  return sum;
}

EXACT_INLINE void correct(const row *a) {
  const grid_level *l = a->l, *c = l + 1;
  int32_t y[2], z_line[2], count = 0;
  float wy[2], wz[2], weight[4];
  const float *from[4];
  const int32_t ys = parents(l, 1, a->j, y, wy), zs = parents(l, 2, a->k, z_line, wz);
  for (int32_t kz = 0; kz < zs; kz++)
    for (int32_t ky = 0; ky < ys; ky++) {
      from[count] = l->whole + (size_t)grid_row(c, y[ky], z_line[kz])*(size_t)l->across_pitch + 8;
      weight[count++] = wy[ky]*wz[kz];
    }
  float *z = l->z + a->at;
  const float *inverse = l->inverse + a->at;
  const int32_t shift = grid_shift(a->j, a->k, 0);
  const ptrdiff_t lean = shift == 0 ? -1 : 1;
  RUNS(a, b, m, end, kind) {
    if (!l->halved[0]) {
      for (; m < end && 2*m + shift < l->side[0]; m++) {
        float sum = 0.0F;
        for (int32_t q = 0; q < count; q++) sum += weight[q]*from[q][2*m + shift];
        if (inverse[m] != 0.0F) z[m] += sum;
      }
      continue;
    }
    for (; m < end; m += GRID_LANES) {
      const eight near = count == 1 ? blend(from, weight, 1, m)
                       : count == 2 ? blend(from, weight, 2, m) : blend(from, weight, 4, m);
      const eight far = count == 1 ? blend(from, weight, 1, m + lean)
                      : count == 2 ? blend(from, weight, 2, m + lean)
                      : blend(from, weight, 4, m + lean);
      const eight sum = eight_add(eight_multiply(eight_all(0.75F), near),
                                  eight_multiply(eight_all(0.25F), far));
      eight_store(z + m, eight_add(eight_load(z + m), kind == GRID_UNIFORM ? sum
                                   : eight_where(eight_load(inverse + m), sum)));
    }
  }
}

// r of line a of level l, from the restricted lines of the level before.
EXACT_INLINE void gather(const row *a) {
  const grid_level *l = a->l, *f = l - 1;
  if (!l->near[a->index]) return;
  const float *from[16];
  float weight[16];
  int32_t count = 0, at[2][4], some[2] = {0, 0};
  float share[2][4];
  for (int32_t d = 1; d < 3; d++) {
    const int32_t mine = d == 1 ? a->j : a->k, first_line = f->halved[d] ? 2*mine - 1 : mine,
                  last = f->halved[d] ? 2*mine + 2 : mine;
    for (int32_t t = first_line; t <= last; t++) {
      if (t < 0 || t >= f->side[d]) continue;
      int32_t parent[2];
      float part[2];
      const int32_t parents_count = parents(f, d, t, parent, part);
      for (int32_t q = 0; q < parents_count; q++)
        if (parent[q] == mine) {
          at[d - 1][some[d - 1]] = t;
          share[d - 1][some[d - 1]++] = part[q];
        }
    }
  }
  for (int32_t kz = 0; kz < some[1]; kz++)
    for (int32_t ky = 0; ky < some[0]; ky++) {
      const int32_t index = grid_row(f, at[0][ky], at[1][kz]);
      if (!f->busy[index]) continue;
      from[count] = f->across + (size_t)index*(size_t)f->across_pitch + 8;
      weight[count++] = share[0][ky]*share[1][kz];
    }
  const size_t even = (size_t)((a->j + a->k) & 1)*l->area + a->at,
               odd = (size_t)((a->j + a->k + 1) & 1)*l->area + a->at;
  for (int32_t m = 0; m < l->pitch; m += GRID_LANES) {
    float sum[GRID_BLOCK];
    eight low = eight_all(0.0F), high = low;
    for (int32_t q = 0; q < count; q++) {
      const eight w = eight_all(weight[q]);
      low = eight_add(low, eight_multiply(w, eight_load(from[q] + 2*m)));
      high = eight_add(high, eight_multiply(w, eight_load(from[q] + 2*m + GRID_LANES)));
    }
    eight_store(sum, low);
    eight_store(sum + GRID_LANES, high);
    eight first_half, second_half;
    eight_split(sum, &first_half, &second_half);
    eight_store(l->r + even + m, first_half);
    eight_store(l->r + odd + m, second_half);
  }
}

EXACT_INLINE void whole(const row *a) {
  const grid_level *l = a->l, *f = l - 1;
  if (!l->near[a->index]) return;
  float *to = f->whole + (size_t)a->index*(size_t)f->across_pitch + 8;
  const float *even = l->z + (size_t)((a->j + a->k) & 1)*l->area + a->at,
              *odd = l->z + (size_t)((a->j + a->k + 1) & 1)*l->area + a->at;
  for (int32_t m = 0; m < l->pitch; m += GRID_LANES)
    eight_join(to + 2*m, eight_load(even + m), eight_load(odd + m));
  to[-1] = to[0];                                    // reflected
  to[l->side[0]] = to[l->side[0] - 1];
}

// 16 doubles of a line to both colours; cells beyond its end are 0.
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
EXACT_INLINE void count_in(tally *t, eight sum, eight most) {
  const double largest = eight_most(most);
  t->sum += eight_sum(sum);
  if (!(largest <= t->most)) t->most = largest;      // a NaN stays
}

EXACT_INLINE tally load(const row *a, const double *from, double scale) {
  const grid_level *l = a->l;
  const int32_t colour = (a->j + a->k) & 1;
  const size_t even = (size_t)colour*l->area + a->at, odd = (size_t)(1 - colour)*l->area + a->at;
  tally t = {0.0, 0.0};
  RUNS(a, b, m, end, kind) {
    eight sum = eight_all(0.0F), most = sum;
    for (; m < end; m += GRID_LANES) {
      eight v, w;
      load_block(from + 2*m, l->side[0] - 2*m, scale, &v, &w);
      v = eight_where(eight_load(l->inverse + even + m), v);
      w = eight_where(eight_load(l->inverse + odd + m), w);
      eight_store(l->r + even + m, v);
      eight_store(l->r + odd + m, w);
      sum = eight_add(sum, eight_add(eight_multiply(v, v), eight_multiply(w, w)));
      most = eight_max(most, eight_max(eight_size(v), eight_size(w)));
    }
    count_in(&t, sum, most);
  }
  return t;
}

// to <- scale*v, or += it; 0 or nothing where no cell is free
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
    count_in(&t, sum, most);
  }
  if (pass->fresh) clear_empty(a, to);
  return t;
}

EXACT_INLINE void dots(const row *a, double *zr, double *zq) {
  const grid_level *l = a->l;
  *zr = *zq = 0.0;
  for (int32_t colour = 0; colour < 2; colour++) {
    const size_t mine = (size_t)colour*l->area + a->at;
    RUNS(a, b, m, end, kind) {
      eight s = eight_all(0.0F), t = s;
      for (; m < end; m += GRID_LANES) {
        const eight z = eight_load(l->z + mine + m);
        s = eight_add(s, eight_multiply(z, eight_load(l->r + mine + m)));
        t = eight_add(t, eight_multiply(z, eight_load(l->q + mine + m)));
      }
      *zr += eight_sum(s);
      *zq += eight_sum(t);
    }
  }
}

EXACT_INLINE void turn(const row *a, float by) {
  const grid_level *l = a->l;
  for (int32_t colour = 0; colour < 2; colour++) {
    const float *z = l->z + (size_t)colour*l->area + a->at;
    float *p = l->p + (size_t)colour*l->area + a->at;
    RUNS(a, b, m, end, kind)
      for (; m < end; m += GRID_LANES)
        eight_store(p + m, by == 0.0F ? eight_load(z + m)
                           : eight_add(eight_load(z + m),
                                       eight_multiply(eight_all(by), eight_load(p + m))));
  }
}

EXACT_INLINE eight fall(const around *n, eight own, int32_t d, int32_t m, int kind) {
  const eight a = eight_subtract(own, eight_load(n->v[2*d] + m)),
              b = eight_subtract(own, eight_load(n->v[2*d + 1] + m));
  if (kind == GRID_UNIFORM) return eight_multiply(eight_all(n->unit[d]), eight_add(a, b));
  return eight_add(eight_multiply(eight_load(n->w[2*d] + m), a),
                   eight_multiply(eight_load(n->w[2*d + 1] + m), b));
}

EXACT_INLINE double apply_run(const around *n, const float *p, const float *out,
                              const float *inverse, float *q, int32_t m, int32_t end, int kind,
                              int deep) {
  eight sum = eight_all(0.0F);
  for (; m < end; m += GRID_LANES) {
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

// q <- A p by differences, whose rounding errors are small where p is smooth
EXACT_INLINE double apply(const row *a) {
  const grid_level *l = a->l;
  double pq = 0.0;
  for (int32_t colour = 0; colour < 2; colour++) {
    const around n = around_of(a, l->p, colour);
    const size_t mine = (size_t)colour*l->area + a->at;
    const float *p = l->p + mine, *out = l->out + mine, *inverse = l->inverse + mine;
    float *q = l->q + mine;
    RUNS(a, b, m, end, kind) {
      if (kind == GRID_UNIFORM && l->deep) pq += apply_run(&n, p, out, inverse, q, m, end, 2, 1);
      else if (kind == GRID_UNIFORM) pq += apply_run(&n, p, out, inverse, q, m, end, 2, 0);
      else if (l->deep) pq += apply_run(&n, p, out, inverse, q, m, end, 1, 1);
      else pq += apply_run(&n, p, out, inverse, q, m, end, 1, 0);
    }
  }
  return pq;
}

// from_r - A from_z in line (j, k)
static const double *rest_of(const grid_pass *pass, int32_t j, int32_t k, double *rest) {
  const grid_level *l = pass->l;
  const int32_t cell = grid_cell(l, 0, j, k);
  if (pass->from_z == NULL)
    for (int32_t i = 0; i < l->side[0]; i++) rest[i] = 0.0;
  else grid_multiply_line(pass->g, l, j, k, pass->from_z, rest);
  for (int32_t i = 0; i < l->side[0]; i++) rest[i] = pass->from_r[cell + i] - rest[i];
  if (pass->centred)
    for (int32_t i = 0; i < l->side[0]; i++) rest[i] -= grid_mean_at(pass->g, l, cell + i);
  return rest;
}

EXACT_INLINE void line_run(const grid_pass *pass, grid_stage stage, int32_t j, int32_t k,
                           float *line) {
  const row a = row_of(pass->l, j, k);
  const size_t cell = (size_t)grid_cell(pass->l, 0, j, k);
  double *sums = pass->l->sums + 2*(size_t)a.index;
  tally t;
  switch (stage) {
    case GRID_LOAD:
      if (pass->from_z != NULL || pass->centred)
        t = load(&a, rest_of(pass, j, k, (double *)(void *)line), pass->scale);
      else
        t = load(&a, pass->from_r + cell, pass->scale);
      sums[0] = t.sum;
      sums[1] = t.most;
      return;
    case GRID_FIRST: first(&a); return;
    case GRID_RED: relax(&a, 0); return;
    case GRID_BLACK: relax(&a, 1); return;
    case GRID_RESIDUAL:
      if (pass->l->busy[a.index]) residual(&a, line);
      return;
    case GRID_CORRECT: correct(&a); return;
    case GRID_STORE: store(&a, pass->to_z + cell, pass->scale); return;
    case GRID_DOTS: dots(&a, &sums[0], &sums[1]); return;
    case GRID_TURN: turn(&a, pass->turn); return;
    case GRID_APPLY:
      sums[0] = apply(&a);
      sums[1] = 0.0;
      return;
    case GRID_STEP:
      t = step(&a, pass, pass->to_z + cell);
      sums[0] = t.sum;
      sums[1] = t.most;
      return;
    case GRID_GATHER: gather(&a); return;
    case GRID_WHOLE: whole(&a); return;
    case GRID_MULTIPLY:
      grid_multiply_line(pass->g, pass->l, j, k, pass->from_z, pass->to_z + cell);
      if (pass->from_r != NULL)
        for (int32_t i = 0; i < pass->l->side[0]; i++)
          pass->to_z[cell + (size_t)i] += pass->from_r[cell + (size_t)i];
      return;
  }
}

EXACT_INLINE void slab_lines(const grid_pass *pass, grid_stage stage, int32_t slab, float *line) {
  if (!pass->l->deep) line_run(pass, stage, slab, 0, line);
  else for (int32_t j = 0; j < pass->l->side[1]; j++) line_run(pass, stage, j, slab, line);
}
static FOUR_TARGET void slab_wide(const grid_pass *pass, grid_stage stage, int32_t slab,
                                  float *line) {
  slab_lines(pass, stage, slab, line);
}
static void slab_narrow(const grid_pass *pass, grid_stage stage, int32_t slab, float *line) {
  slab_lines(pass, stage, slab, line);
}
static void slab_run(const grid_pass *pass, int32_t s, int32_t slab, int32_t part) {
  float *line = pass->g->lines + (size_t)part*pass->g->line_length;
  if (FOUR_HAS_TARGET()) slab_wide(pass, pass->stage[s], slab, line);
  else slab_narrow(pass, pass->stage[s], slab, line);
}

// What part `index` of the slabs can do alone: of stage s all but s slabs at inner ends.
static void trapezoid(void *data, int32_t index) {
  const grid_pass *pass = data;
  const grid_level *l = pass->l;
  const int32_t first_slab = l->part[index], end = l->part[index + 1], last = l->parts - 1;
  for (int32_t t = first_slab; t < end + pass->stages - 1; t++)
    for (int32_t s = 0; s < pass->stages; s++) {
      const int32_t slab = t - s;
      if (slab < first_slab + (index > 0 ? s : 0)) break;
      if (slab < end - (index < last ? s : 0)) slab_run(pass, s, slab, index);
    }
}

// What is left between parts index and index + 1.
static void triangle(void *data, int32_t index) {
  const grid_pass *pass = data;
  const int32_t seam = pass->l->part[index + 1];
  for (int32_t s = 1; s < pass->stages; s++)
    for (int32_t slab = seam - s; slab < seam + s; slab++) slab_run(pass, s, slab, index);
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

// Solid cells of level l stand for the liquid beside them: they take its mean, or hand on what they
// were given.
static void fill_solid(grid_level *l, int restriction) {
  const grid_level *f = l - 1;
  for (int32_t s = 0; s < l->fills; s++) {
    const int32_t cell = l->fill[s], i = cell%l->side[0], j = cell/l->side[0]%l->side[1],
                  k = cell/l->side[0]/l->side[1];
    const size_t mine = grid_split(l, i, j, k);
    if (!l->near[grid_row(l, j, k)]) continue;
    float sum = 0.0F;
    const float share = restriction ? l->r[mine]/(float)__builtin_popcount(l->fill_from[s]) : 0.0F;
    for (int32_t q = 0; q < 27; q++) {
      if (!(l->fill_from[s] >> q & 1)) continue;
      const size_t other = grid_split(l, i + q%3 - 1, j + q/3%3 - 1, k + q/9 - 1);
      if (restriction) l->r[other] += share;
      else sum += l->z[other];
    }
    if (restriction) continue;
    float *to = f->whole + (size_t)grid_row(l, j, k)*(size_t)f->across_pitch + 8;
    to[i] = sum/(float)__builtin_popcount(l->fill_from[s]);
    if (i == 0) to[-1] = to[0];
    if (i == l->side[0] - 1) to[i + 1] = to[i];
  }
}

static void solve_dense(grid_levels *g) {
  const grid_level *l = &g->at[g->levels - 1];
  const int32_t m = g->dense;
  double *v = g->right;
  for (int32_t i = 0; i < m; i++) {
    v[i] = (double)l->r[g->dense_at[i]];
    for (int32_t j = 0; j < i; j++) v[i] -= g->factor[i*m + j]*v[j];
  }
  for (int32_t i = m - 1; i >= 0; i--) {
    v[i] *= g->factor[i*m + i];
    for (int32_t j = i + 1; j < m; j++) v[i] -= g->factor[j*m + i]*v[j];
    l->z[g->dense_at[i]] = (float)v[i];
  }
}

void grid_cycle(grid_levels *g, int32_t from, int with_dots) {
  static const grid_stage down[] = {GRID_FIRST, GRID_BLACK, GRID_RED, GRID_BLACK, GRID_RESIDUAL},
                          up[] = {GRID_CORRECT, GRID_BLACK, GRID_RED, GRID_BLACK, GRID_RED,
                                  GRID_DOTS},
                          gather_stage[] = {GRID_GATHER}, whole_stage[] = {GRID_WHOLE};
  for (int32_t k = from; k + 1 < g->levels; k++) {
    grid_pass_run(&(grid_pass){.g = g, .l = &g->at[k], .stage = down, .stages = 5});
    grid_pass_run(&(grid_pass){.g = g, .l = &g->at[k + 1], .stage = gather_stage, .stages = 1});
    fill_solid(&g->at[k + 1], 1);
  }
  solve_dense(g);
  for (int32_t k = g->levels - 2; k >= from; k--) {
    grid_pass_run(&(grid_pass){.g = g, .l = &g->at[k + 1], .stage = whole_stage, .stages = 1});
    fill_solid(&g->at[k + 1], 0);
    grid_pass_run(&(grid_pass){.g = g, .l = &g->at[k], .stage = up,
                               .stages = with_dots && k == from ? 6 : 5});
  }
  if (with_dots && from + 1 == g->levels)
    grid_pass_run(&(grid_pass){.g = g, .l = &g->at[from], .stage = up + 5, .stages = 1});
}
