// grid_line.h: sweeps, residuals and corrections on a line of a level, one stage at a time.
//
// A GRID_UNIFORM block gets the same bits as a GRID_SAME block, but reads less.
#ifndef PERP_GRID_LINE_H
#define PERP_GRID_LINE_H

#include "eight_floats.h"
#include "grid_parts.h"

typedef struct row {         // line (j, k) of a level, for the kernels
  const grid_level *l;
  int32_t j, k, index;       // index: number of the line
  size_t at;                 // start of the line in the array of a colour
  const uint16_t *run;
} row;

EXACT_INLINE row row_of(const grid_level *l, int32_t j, int32_t k) {
  const int32_t index = grid_row(l, j, k);
  return (row){l, j, k, index, (size_t)index*(size_t)l->pitch,
               l->run + (size_t)index*(size_t)l->blocks};
}

// Pointers to the values v of the neighbours of a colour's cells, and to the weights between them.
typedef struct around {
  const float *v[6], *w[6];  // left, right; below, above; before, behind
  eight unit[3], d, inverse; // of uniform cells; set once per line, as compilers do not hoist them
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
  if (kind != GRID_GENERAL) {                        // z is 0 behind all other weights
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

// Visits the runs of nonempty blocks of line a: numbers m .. end - 1 of a colour, and their kind.
#define RUNS(a, b, m, end, kind)                                                                 \
  for (int32_t b = 0, m, end, kind;                                                              \
       b < (a)->l->blocks && (m = GRID_LANES*b, kind = (a)->run[b] & 3,                          \
                              end = m + GRID_LANES*((a)->run[b] >> 2), 1);                       \
       b = end/GRID_LANES)                                                                       \
    if (kind != GRID_EMPTY)

// Calls f(.., kind, deep) with constants for kind and deep, so that its loops have no branches.
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

// d ((1/d) inflow - z): exactly 0 where d = 0 and where relaxing z would not change it.
EXACT_INLINE eight residual_at(eight d, eight inverse, eight sum, eight own) {
  return eight_multiply(d, eight_subtract(eight_multiply(inverse, sum), own));
}

EXACT_INLINE void residual_run(const around *n, const float *r, const float *inverse,
                               const float *d, const float *z, float *into, int32_t m,
                               int32_t end, int kind, int deep) {
  const int uniform = kind == GRID_UNIFORM;
  for (; m < end; m += GRID_LANES)
    eight_store(into + m, residual_at(uniform ? n->d : eight_load(d + m),
                                      uniform ? n->inverse : eight_load(inverse + m),
                                      inflow(n, r, m, kind, deep), eight_load(z + m)));
}

EXACT_INLINE void residual(const row *a) {
  const grid_level *l = a->l;
  const around n = around_of(a, l->z, 0);
  const float *r = l->r + a->at, *inverse = l->inverse + a->at, *d = l->d + a->at,
              *z = l->z + a->at;
  float *to = l->across + a->at;
  RUNS(a, b, m, end, kind) BY_KIND(residual_run, kind, l->deep, &n, r, inverse, d, z, to, m, end);
}

// Links between line (j, k) of level l and the next level. A child of parent m also takes a share
// tie[0] from parent m + lean, tie[1] from the line beside and tie[2] from the line behind.
typedef struct family {
  int32_t j, k;                    // line of the parents
  size_t own, beside, behind;      // starts of the parents' line and of the two other lines
  const float *tie[3];             // NULL: children take no share along this direction
  ptrdiff_t lean;                  // -1 or 1
} family;

EXACT_INLINE family family_of(const grid_level *l, int32_t j, int32_t k) {
  const int32_t J = j >> l->halved[1], K = k >> l->halved[2], y = (j & 1) ? 1 : -1,
                z = (k & 1) ? 1 : -1, shift = grid_shift(j, k, 0);
  family f = {.j = J, .k = K, .own = grid_whole(l, J, K), .lean = shift == 0 ? -1 : 1};
  if (l->halved[0]) f.tie[0] = l->tie[0] + f.own + (shift == 0 ? -1 : 0);
  if (l->halved[1] && J + y >= 0 && J + y < l[1].side[1]) {   // no share from beyond the edge
    f.beside = grid_whole(l, J + y, K);
    f.tie[1] = l->tie[1] + (y < 0 ? f.beside : f.own);
  }
  if (l->halved[2] && K + z >= 0 && K + z < l[1].side[2]) {
    f.behind = grid_whole(l, J, K + z);
    f.tie[2] = l->tie[2] + (z < 0 ? f.behind : f.own);
  }
  return f;
}

// The parents that correct z of the red cells of a line. In a direction without a share, the second
// parent is the cell's own parent, which adds 0.
typedef struct parents {
  const float *own, *beside, *behind, *tie[3], *inverse;
  ptrdiff_t lean;
} parents;

EXACT_INLINE parents parents_of(const row *a) {      // only if the next level halves lines
  const grid_level *l = a->l;
  const family f = family_of(l, a->j, a->k);
  const float *own = l->whole + f.own;
  return (parents){.own = own, .beside = f.tie[1] != NULL ? l->whole + f.beside : own,
                   .behind = f.tie[2] != NULL ? l->whole + f.behind : own,
                   .tie = {f.tie[0], f.tie[1] != NULL ? f.tie[1] : f.tie[0],
                           f.tie[2] != NULL ? f.tie[2] : f.tie[0]},
                   .inverse = l->inverse + a->at, .lean = f.lean};
}

EXACT_INLINE eight corrected(const parents *f, const float *z, int32_t m, int kind, int deep) {
  const int uniform = kind == GRID_UNIFORM;
  const eight quarter = eight_all(0.25F), e = eight_load(f->own + m);
  eight sum = eight_add(e, eight_multiply(uniform ? quarter : eight_load(f->tie[0] + m),
                                          eight_subtract(eight_load(f->own + f->lean + m), e)));
  sum = eight_add(sum, eight_multiply(uniform ? quarter : eight_load(f->tie[1] + m),
                                      eight_subtract(eight_load(f->beside + m), e)));
  if (deep)
    sum = eight_add(sum, eight_multiply(uniform ? quarter : eight_load(f->tie[2] + m),
                                        eight_subtract(eight_load(f->behind + m), e)));
  return eight_add(eight_load(z + m),
                   uniform ? sum : eight_where(eight_load(f->inverse + m), sum));
}

EXACT_INLINE void correct_run(const parents *f, float *z, int32_t m, int32_t end, int kind,
                              int deep) {
  for (; m < end; m += GRID_LANES) eight_store(z + m, corrected(f, z, m, kind, deep));
}

// Corrects z if the next level has as many cells in a line: number m is cell 2m + shift there, too.
EXACT_INLINE void correct_same(const row *a, int32_t m, int32_t end) {
  const grid_level *l = a->l;
  const family f = family_of(l, a->j, a->k);
  const float *own = l->whole + f.own, *beside = l->whole + f.beside,
              *behind = l->whole + f.behind, *inverse = l->inverse + a->at;
  const int32_t shift = grid_shift(a->j, a->k, 0);
  float *z = l->z + a->at;
  for (; m < end && 2*m + shift < l->side[0]; m++) {
    const int32_t i = 2*m + shift;
    float sum = own[i];
    if (f.tie[1] != NULL) sum += f.tie[1][i]*(beside[i] - own[i]);
    if (f.tie[2] != NULL) sum += f.tie[2][i]*(behind[i] - own[i]);
    if (inverse[m] != 0.0F) z[m] += sum;
  }
}

EXACT_INLINE void correct(const row *a) {
  const grid_level *l = a->l;
  if (!l->halved[0]) {
    RUNS(a, b, m, end, kind) correct_same(a, m, end);
    return;
  }
  const parents f = parents_of(a);
  float *z = l->z + a->at;
  RUNS(a, b, m, end, kind) {
    if (kind == GRID_GENERAL) kind = GRID_SAME;
    BY_KIND(correct_run, kind, l->deep, &f, z, m, end);
  }
}

#endif
