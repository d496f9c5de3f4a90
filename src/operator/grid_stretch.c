// grid_stretch.c: products, compensated residuals and the diagonal of a grid, four cells at once.
//
// A line of cells along x is cut into stretches. Inside a stretch, masks replace branches. The
// first and the last cell of a line are computed alone.
// Cost: a product reads 8 bytes of x, 24 of weights and 1 of types per cell, and writes 8.
#include "grid.h"

#include "four_doubles.h"

// Weights of faces where the caller gives none.
static const double ones[GRID_STRETCH_MAX] = {
#define FOUR_ONES 1.0, 1.0, 1.0, 1.0
#define SIXTEEN_ONES FOUR_ONES, FOUR_ONES, FOUR_ONES, FOUR_ONES
#define MANY_ONES SIXTEEN_ONES, SIXTEEN_ONES, SIXTEEN_ONES, SIXTEEN_ONES
  MANY_ONES, MANY_ONES, MANY_ONES, MANY_ONES
};

typedef struct side {         // the cells beyond one side of a stretch
  const double *w;            // weights of the faces
  const uint8_t *type;
  const double *x;
  double scale;               // 1/spacing^2; 0 at an edge: the pointers are then the stretch's own
} side;

typedef struct stretch {      // successive cells of a line
  int32_t row, count;         // row of the first cell, and number of cells
  int low, high;              // 1: it contains the first cell of the line; the last cell
  int flat;                   // 1: two dimensions
  const uint8_t *type;
  const double *x;            // NULL: only the matrix is needed
  side beyond[6];             // -x, +x, -y, +y, -z, +z
} stretch;

// The number of cells from p to the end of its line, at most GRID_STRETCH_MAX.
static int32_t stretch_length(const perp_grid *g, grid_place p) {
  const int32_t left = g->cells[0] - p.at[0];
  return left < GRID_STRETCH_MAX ? left : GRID_STRETCH_MAX;
}

static stretch stretch_at(const perp_grid *g, const double *x, grid_place p) {
  const int32_t h = (p.at[2]*g->cells[1] + p.at[1])*g->cells[0] + p.at[0],
                count = stretch_length(g, p);
  stretch s = {.row = h, .count = count, .low = p.at[0] == 0, .flat = g->cells[2] == 1,
               .high = p.at[0] + count == g->cells[0], .type = g->type + h,
               .x = x != NULL ? x + h : NULL};
  for (int d = 0; d < (s.flat ? 2 : 3); d++) {
    const double scale = grid_scale(g, d);
    for (int up = 0; up < 2; up++) {
      const int edge = d > 0 && p.at[d] == (up ? g->cells[d] - 1 : 0);
      const int32_t step = edge ? 0 : up ? grid_stride(g, d) : -grid_stride(g, d);
      s.beyond[2*d + up] = (side){
        .w = edge || g->face[d] == NULL ? ones
             : g->face[d] + grid_face(g, p, d) + (up ? grid_face_stride(g, d) : 0),
        .type = s.type + step, .x = x != NULL ? s.x + step : NULL, .scale = edge ? 0.0 : scale};
    }
  }
  return s;
}

// ---- kernels: _one works on cell i of a stretch, _four on cells i .. i+3 with the same bits. A
// cell has 4 sides in two dimensions, else 6.

// 1: there is no cell beyond side q.
EXACT_INLINE int at_edge(const stretch *s, int q, int32_t i) {
  return (q == 0 && s->low && i == 0) || (q == 1 && s->high && i == s->count - 1);
}
EXACT_INLINE double open_weight(const side *s, int32_t i) {
  return s->type[i] != PERP_CELL_SOLID ? s->w[i]*s->scale : 0.0;
}
EXACT_INLINE double pressure(const side *s, int32_t i) {
  return s->type[i] == PERP_CELL_LIQUID ? s->x[i] : 0.0;
}

EXACT_INLINE four_mask is_type(four_mask types, perp_cell type) {
  return four_equal(types, four_bits((int64_t)type));
}
EXACT_INLINE four open_weights(const side *s, four_mask types, int32_t i) {
  const four w = four_multiply(four_load(s->w + i), four_all(s->scale));
  return four_keep(four_not(is_type(types, PERP_CELL_SOLID)), w);
}
EXACT_INLINE four pressures(const side *s, four_mask types, int32_t i) {
  return four_keep(is_type(types, PERP_CELL_LIQUID), four_load(s->x + i));
}

typedef struct outputs { const double *b; double *y, *a; } outputs;

EXACT_INLINE void product_one(const stretch *s, int sides, int32_t i, const outputs *out) {
  const double x = s->x[i];
  double y = 0.0;
  for (int q = 0; q < sides; q++)
    if (!at_edge(s, q, i))
      y += open_weight(&s->beyond[q], i)*(x - pressure(&s->beyond[q], i));
  out->y[i] = s->type[i] == PERP_CELL_LIQUID ? y : x;
}
EXACT_INLINE void product_four(const stretch *s, int sides, int32_t i, const outputs *out) {
  const four x = four_load(s->x + i);
  four y = four_all(0.0);
  for (int q = 0; q < sides; q++) {
    const side *beyond = &s->beyond[q];
    const four_mask types = four_of_bytes(beyond->type + i);
    const four difference = four_subtract(x, pressures(beyond, types, i));
    y = four_add(y, four_multiply(open_weights(beyond, types, i), difference));
  }
  const four_mask liquid = is_type(four_of_bytes(s->type + i), PERP_CELL_LIQUID);
  four_store(out->y + i, four_choose(liquid, y, x));
}

EXACT_INLINE void diagonal_one(const stretch *s, int sides, int32_t i, const outputs *out) {
  double d = 0.0;
  for (int q = 0; q < sides; q++)
    if (!at_edge(s, q, i)) d += open_weight(&s->beyond[q], i);
  out->y[i] = s->type[i] == PERP_CELL_LIQUID ? d : 1.0;
}
EXACT_INLINE void diagonal_four(const stretch *s, int sides, int32_t i, const outputs *out) {
  four d = four_all(0.0);
  for (int q = 0; q < sides; q++)
    d = four_add(d, open_weights(&s->beyond[q], four_of_bytes(s->beyond[q].type + i), i));
  const four_mask liquid = is_type(four_of_bytes(s->type + i), PERP_CELL_LIQUID);
  four_store(out->y + i, four_choose(liquid, d, four_all(1.0)));
}

// y = A x, and the diagonal into out->a.
EXACT_INLINE void row_one(const stretch *s, int sides, int32_t i, const outputs *out) {
  product_one(s, sides, i, out);
  diagonal_one(s, sides, i, &(outputs){.y = out->a});
}
EXACT_INLINE void row_four(const stretch *s, int sides, int32_t i, const outputs *out) {
  product_four(s, sides, i, out);
  diagonal_four(s, sides, i, &(outputs){.y = out->a});
}

// y = A x + b as in twice the precision. For a neighbour's pressure p, x - p = d + e exactly
// (TwoSum of x and -p); the product w d is exact, too (TwoProduct). The errors are summed
// separately, and terms of the order u^2 |A||x| are neglected. a = |A||x| + |b| up to rounding.
// Rows of the identity: y = x + b.
EXACT_INLINE void residual_one(const stretch *s, int sides, int32_t i, const outputs *out) {
  const double x = s->x[i], b = out->b[i];
  if (s->type[i] != PERP_CELL_LIQUID) {
    exact_sum sum = {b, 0.0};
    exact_add(&sum, x);
    out->y[i] = exact_value(sum);
    out->a[i] = fabs(x) + fabs(b);
    return;
  }
  exact_sum y = {b, 0.0};
  double a = 0.0;
  for (int q = 0; q < sides; q++) {
    if (at_edge(s, q, i)) continue;
    const double w = open_weight(&s->beyond[q], i), p = pressure(&s->beyond[q], i);
    const double d = x - p, z = d - x, e = (x - (d - z)) - (p + z);
    exact_add_product(&y, w, d);
    y.low += w*e;
    a += w*(fabs(x) + fabs(p));
  }
  out->y[i] = exact_value(y);
  out->a[i] = a + fabs(b);
}
EXACT_INLINE void residual_four(const stretch *s, int sides, int32_t i, const outputs *out) {
  const four x = four_load(s->x + i), b = four_load(out->b + i);
  const four_mask liquid = is_type(four_of_bytes(s->type + i), PERP_CELL_LIQUID);
  four high = b, low = four_all(0.0), a = four_all(0.0);
  for (int q = 0; q < sides; q++) {
    const side *beyond = &s->beyond[q];
    const four_mask types = four_of_bytes(beyond->type + i);
    const four w = open_weights(beyond, types, i), p = pressures(beyond, types, i);
    const four d = four_subtract(x, p), z = four_subtract(d, x),
               e = four_subtract(four_subtract(x, four_subtract(d, z)), four_add(p, z));
    const four product = four_multiply(w, d),
               rest = four_fma(w, d, four_subtract(four_all(-0.0), product)),
               t = four_add(high, product), c = four_subtract(t, high);
    const four lost = four_add(four_subtract(high, four_subtract(t, c)),
                               four_subtract(product, c));
    low = four_add(low, four_add(lost, rest));
    low = four_add(low, four_multiply(w, e));
    high = t;
    a = four_add(a, four_multiply(w, four_add(four_size(x), four_size(p))));
  }
  const four t = four_add(b, x), c = four_subtract(t, b);   // x + b
  const four other = four_add(four_subtract(b, four_subtract(t, c)), four_subtract(x, c));
  high = four_choose(liquid, high, t);
  const four v = four_add(high, four_choose(liquid, low, other)), zero = four_subtract(v, v);
  const four_mask finite = four_at_most(zero, four_all(0.0));   // as exact_value()
  four_store(out->y + i, four_choose(finite, v, high));
  four_store(out->a + i, four_add(four_choose(liquid, a, four_size(x)), four_size(b)));
}

// ---- loops, compiled with and without wide vectors and fma, with the same bits

typedef void cell_kernel(const stretch *s, int sides, int32_t i, const outputs *out);

// Computes the first and the last cell of a line alone and those between in fours. The last four
// may overlap the four before and then compute the same values again.
EXACT_INLINE void each_cell(const stretch *given, int sides, const outputs *out, cell_kernel *one,
                            cell_kernel *fours) {
  const stretch s = *given;   // a copy, so that compilers know that stores do not change it
  const int32_t from = s.low ? 1 : 0, to = s.count - (s.high ? 1 : 0);
  if (to - from < 4) {
    for (int32_t i = 0; i < s.count; i++) one(&s, sides, i, out);
    return;
  }
  if (s.low) one(&s, sides, 0, out);
  for (int32_t i = from; i < to; i += 4) fours(&s, sides, i + 4 <= to ? i : to - 4, out);
  if (s.high) one(&s, sides, s.count - 1, out);
}

#define BOTH_WAYS(name)                                                           \
  FOUR_TARGET static void name##_wide(const stretch *s, const outputs *out) {     \
    if (s->flat) each_cell(s, 4, out, name##_one, name##_four);                   \
    else each_cell(s, 6, out, name##_one, name##_four);                           \
  }                                                                               \
  static void name##_plain(const stretch *s, const outputs *out) {                \
    if (s->flat) each_cell(s, 4, out, name##_one, name##_four);                   \
    else each_cell(s, 6, out, name##_one, name##_four);                           \
  }                                                                               \
  static void name(const stretch *s, const outputs *out) {                        \
    (FOUR_HAS_TARGET() ? name##_wide : name##_plain)(s, out);                     \
  }
BOTH_WAYS(product)
BOTH_WAYS(diagonal)
BOTH_WAYS(row)
BOTH_WAYS(residual)
#undef BOTH_WAYS

int32_t grid_residual_from(const perp_grid *g, grid_place p, const double *x, const double *b,
                           double *y, double *a) {
  const stretch s = stretch_at(g, x, p);
  if (memchr(s.type, PERP_CELL_LIQUID, (size_t)s.count) == NULL) {   // rows of the identity
    for (int32_t i = 0; i < s.count; i++) {
      exact_sum sum = {b[i], 0.0};
      exact_add(&sum, s.x[i]);
      y[i] = exact_value(sum);
      a[i] = fabs(s.x[i]) + fabs(b[i]);
    }
    return s.count;
  }
  residual(&s, &(outputs){b, y, a});
  return s.count;
}

int32_t grid_product_from(const perp_grid *g, grid_place p, const double *x, double *y) {
  const stretch s = stretch_at(g, x, p);
  product(&s, &(outputs){.y = y});
  return s.count;
}

int32_t grid_diagonal_from(const perp_grid *g, grid_place p, double *d) {
  const stretch s = stretch_at(g, NULL, p);
  diagonal(&s, &(outputs){.y = d});
  return s.count;
}

int32_t grid_row_from(const perp_grid *g, grid_place p, const double *x, double *y, double *d) {
  const stretch s = stretch_at(g, x, p);
  row(&s, &(outputs){.y = y, .a = d});
  return s.count;
}
