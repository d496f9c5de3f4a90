// grid_pass.c: passes over a level in single precision: sweeps, transfers, sums.
//
// All half sweeps of one side of the cycle are one pass over memory: slab t (a line in two
// dimensions, a plane in three) of a stage follows slab t + 1 of the stage before, while it is in
// the cache; in three dimensions strip by strip of its lines, as whole planes would not fit. With
// threads each part of the slabs first does all that does not need its neighbours, a trapezoid of
// slabs and stages; then the triangles between the parts are filled in. A slab of a stage has the
// same input either way, and sums are made by line: same bits for any number of threads.
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
  eight unit[3], d, inverse; // of uniform cells; made once a line, as loops do not move them out
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
              .unit = {eight_all(l->unit[0]), eight_all(l->unit[1]), eight_all(l->unit[2])},
              .d = eight_all(l->centre), .inverse = eight_all(l->centre_inverse)};
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
  if (kind != GRID_GENERAL) {                        // z is 0 where there is no weight
    sum = eight_add(sum, eight_multiply(n->unit[0], pair(n, 0, m)));
    sum = eight_add(sum, eight_multiply(n->unit[1], pair(n, 1, m)));
    if (deep) sum = eight_add(sum, eight_multiply(n->unit[2], pair(n, 2, m)));
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
    eight_store(z + m, eight_multiply(kind == GRID_UNIFORM ? n->inverse
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

// f(..., kind, deep) with constants for both, so that loops have no branches
#define BY_KIND(f, kind, deep, ...)                                      \
  do {                                                                   \
    if ((kind) == GRID_UNIFORM && (deep)) f(__VA_ARGS__, GRID_UNIFORM, 1); \
    else if ((kind) == GRID_UNIFORM) f(__VA_ARGS__, GRID_UNIFORM, 0);    \
    else if ((kind) == GRID_SAME && (deep)) f(__VA_ARGS__, GRID_SAME, 1); \
    else if ((kind) == GRID_SAME) f(__VA_ARGS__, GRID_SAME, 0);          \
    else if (deep) f(__VA_ARGS__, GRID_GENERAL, 1);                      \
    else f(__VA_ARGS__, GRID_GENERAL, 0);                                \
  } while (0)

EXACT_INLINE void relax(const row *a, int32_t colour) {
  const grid_level *l = a->l;
  const around n = around_of(a, l->z, colour);
  const size_t mine = (size_t)colour*l->area + a->at;
  const float *r = l->r + mine, *inverse = l->inverse + mine;
  float *z = l->z + mine;
  RUNS(a, b, m, end, kind) BY_KIND(relax_run, kind, l->deep, &n, r, inverse, z, m, end);
}

EXACT_INLINE void first(const row *a) {
  const float *r = a->l->r + a->at, *inverse = a->l->inverse + a->at;
  float *z = a->l->z + a->at;
  const around n = around_of(a, a->l->z, 0);
  RUNS(a, b, m, end, kind)
    for (; m < end; m += GRID_LANES)
      eight_store(z + m, eight_multiply(kind == GRID_UNIFORM ? n.inverse
                                                             : eight_load(inverse + m),
                                        eight_load(r + m)));
}

EXACT_INLINE void residual_run(const around *n, const float *r, const float *inverse,
                               const float *d, const float *z, float *into, int32_t m,
                               int32_t end, int kind, int deep) {
  for (; m < end; m += GRID_LANES) {
    const eight own = eight_load(z + m), sum = inflow(n, r, m, kind, deep);
    eight_store(into + m, kind == GRID_UNIFORM
      ? eight_subtract(sum, eight_multiply(n->d, own))
      : eight_multiply(eight_load(d + m),
                       eight_subtract(eight_multiply(eight_load(inverse + m), sum), own)));
  }
}

EXACT_INLINE void residual(const row *a) {
  const grid_level *l = a->l;
  const around n = around_of(a, l->z, 0);
  const float *r = l->r + a->at, *inverse = l->inverse + a->at, *d = l->d + a->at,
              *z = l->z + a->at;
  float *to = l->across + a->at;
  RUNS(a, b, m, end, kind) BY_KIND(residual_run, kind, l->deep, &n, r, inverse, d, z, to, m, end);
}

// What line (j, k) of level l has to do with the next one: parents lie in line (parent_j,
// parent_k), and the children lean from number m there to m + lean (tie[0], at m + tie_at), and to
// two other lines.
typedef struct family {
  int32_t j, k;                    // of the parents
  size_t own, beside, behind;      // their line, those they lean to
  const float *tie[3];             // NULL: they do not lean along this direction
  ptrdiff_t lean;
} family;

EXACT_INLINE family family_of(const grid_level *l, int32_t j, int32_t k) {
  const int32_t J = j >> l->halved[1], K = k >> l->halved[2], y = (j & 1) ? 1 : -1,
                z = (k & 1) ? 1 : -1, shift = grid_shift(j, k, 0);
  family f = {.j = J, .k = K, .own = grid_whole(l, J, K), .lean = shift == 0 ? -1 : 1};
  if (l->halved[0]) f.tie[0] = l->tie[0] + f.own + (shift == 0 ? -1 : 0);
  if (l->halved[1] && J + y >= 0 && J + y < l[1].side[1]) {   // walls around the grid reflect
    f.beside = grid_whole(l, J + y, K);
    f.tie[1] = l->tie[1] + (y < 0 ? f.beside : f.own);
  }
  if (l->halved[2] && K + z >= 0 && K + z < l[1].side[2]) {
    f.behind = grid_whole(l, J, K + z);
    f.tie[2] = l->tie[2] + (z < 0 ? f.behind : f.own);
  }
  return f;
}

EXACT_INLINE void correct(const row *a) {
  const grid_level *l = a->l;
  const family f = family_of(l, a->j, a->k);
  const float *own = l->whole + f.own, *beside = l->whole + f.beside,
              *behind = l->whole + f.behind, *inverse = l->inverse + a->at;
  const int32_t shift = grid_shift(a->j, a->k, 0);
  float *z = l->z + a->at;
  const eight quarter = eight_all(0.25F);
  RUNS(a, b, m, end, kind) {
    if (f.tie[0] == NULL) {                          // number m is cell 2m + shift there too
      for (; m < end && 2*m + shift < l->side[0]; m++) {
        const int32_t i = 2*m + shift;
        float sum = own[i];
        if (f.tie[1] != NULL) sum += f.tie[1][i]*(beside[i] - own[i]);
        if (f.tie[2] != NULL) sum += f.tie[2][i]*(behind[i] - own[i]);
        if (inverse[m] != 0.0F) z[m] += sum;
      }
      continue;
    }
    for (; m < end; m += GRID_LANES) {
      const eight e = eight_load(own + m);
      const int uniform = kind == GRID_UNIFORM;
      eight sum = eight_add(e, eight_multiply(uniform ? quarter : eight_load(f.tie[0] + m),
                                              eight_subtract(eight_load(own + m + f.lean), e)));
      if (f.tie[1] != NULL)
        sum = eight_add(sum, eight_multiply(uniform ? quarter : eight_load(f.tie[1] + m),
                                            eight_subtract(eight_load(beside + m), e)));
      if (f.tie[2] != NULL)
        sum = eight_add(sum, eight_multiply(uniform ? quarter : eight_load(f.tie[2] + m),
                                            eight_subtract(eight_load(behind + m), e)));
      eight_store(z + m, eight_add(eight_load(z + m),
                                   uniform ? sum : eight_where(eight_load(inverse + m), sum)));
    }
  }
}

// The transpose: what line (j, k) of the finer level f gives to its parents (which = 0) or to those
// beside (1) or behind (2) them: added to sum, 2*pitch numbers of the coarse line.
EXACT_INLINE void give(const grid_level *f, int32_t j, int32_t k, int32_t which, int32_t length,
                       float *sum) {
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
  // cell m leans to m + lean: parent m gets from cell m - lean what that one does not keep
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

// r of line a of level l, from the residuals of the level before.
EXACT_INLINE void gather(const row *a, float *sum) {
  const grid_level *l = a->l, *f = l - 1;
  if (!l->near[a->index]) return;
  const int32_t y = f->halved[1], z = f->halved[2], j = a->j << y, k = a->k << z;
  const int32_t length = f->halved[0] ? f->pitch : 2*l->pitch;
  memset(sum, 0, (size_t)(2*l->pitch > f->pitch ? 2*l->pitch : f->pitch)*sizeof *sum);
  for (int32_t t = k; t <= k + z && t < f->side[2]; t++)
    for (int32_t s = j; s <= j + y && s < f->side[1]; s++) give(f, s, t, 0, length, sum);
  for (int32_t t = k; y && t <= k + z && t < f->side[2]; t++) {
    if (j > 0) give(f, j - 1, t, 1, length, sum);
    if (j + 2 < f->side[1]) give(f, j + 2, t, 1, length, sum);
  }
  for (int32_t s = j; z && s <= j + y && s < f->side[1]; s++) {
    if (k > 0) give(f, s, k - 1, 2, length, sum);
    if (k + 2 < f->side[2]) give(f, s, k + 2, 2, length, sum);
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

EXACT_INLINE void turn(const row *a, float factor) {
  const grid_level *l = a->l;
  const eight by = eight_all(factor);
  for (int32_t colour = 0; colour < 2; colour++) {
    const float *z = l->z + (size_t)colour*l->area + a->at;
    float *p = l->p + (size_t)colour*l->area + a->at;
    RUNS(a, b, m, end, kind)
      for (; m < end; m += GRID_LANES)
        eight_store(p + m, factor == 0.0F ? eight_load(z + m)
                           : eight_add(eight_load(z + m),
                                       eight_multiply(by, eight_load(p + m))));
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
  if (!pass->l->busy[grid_row(l, j, k)]) return rest;   // nothing of it is looked at
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

// Lines [from, to) of a slab; those without free cells only where something has to be written for
// them.
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
                               ? pass->from_r + CELL : rest_of(pass, a.j, a.k, line);
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
static void slab_run(const grid_pass *pass, int32_t s, int32_t slab, int32_t part, int32_t from,
                     int32_t to) {
  double *line = pass->g->lines + (size_t)part*pass->g->line_length;
  if (FOUR_HAS_TARGET()) slab_wide(pass, pass->stage[s], slab, from, to, line);
  else slab_narrow(pass, pass->stage[s], slab, from, to, line);
}

static int32_t lines_of(const grid_level *l) { return l->deep ? l->side[1] : 1; }   // in a slab

// Lines of a strip: what its stages hold at a time is to stay in the second cache.
static int32_t strip_of(const grid_pass *pass) {
  enum { CACHE = 640 << 10, CELL = 24, LEAST = 8 };   // bytes; of a cell: z, r, weights
  const int64_t bytes = (int64_t)CELL*pass->stages*pass->l->side[0];
  const int64_t strip = CACHE/bytes;
  const int32_t lines = lines_of(pass->l);
  return strip >= lines ? lines : strip < LEAST ? LEAST : (int32_t)strip;
}

// What part `index` of the slabs can do alone: of stage s all but s slabs at inner ends; strip by
// strip of lines, which leans by a line a stage: those before it have done what a stage needs there,
// and nothing of what would be too early for it.
static void trapezoid(void *data, int32_t index) {
  const grid_pass *pass = data;
  const grid_level *l = pass->l;
  const int32_t first_slab = l->part[index], end = l->part[index + 1], last = l->parts - 1,
                lines = lines_of(l), strip = strip_of(pass);
  for (int32_t low = 0; low < lines; low += strip)
    for (int32_t t = first_slab; t < end + pass->stages - 1; t++)
      for (int32_t s = 0; s < pass->stages; s++) {
        const int32_t slab = t - s, from = low == 0 ? 0 : low - s,
                      to = low + strip < lines ? low + strip - s : lines;
        if (slab < first_slab + (index > 0 ? s : 0)) break;
        if (slab < end - (index < last ? s : 0)) slab_run(pass, s, slab, index, from, to);
      }
}

// What is left between parts index and index + 1.
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

