// grid.c: the pressure matrix of a grid of cells as an operator, -div(w grad) without entries.
//
// With w_f = face_f/spacing^2 (0 towards a solid cell and the edge) and q_l = x_l in liquid cells,
// 0 in air, a row of a liquid cell h is the sum over its faces
//     (A x)_h = sum_f w_f (x_h - q_l),
// by differences, so that A times a constant is exactly 0 in a closed container. The other rows are
// those of the identity. Lines of cells along x are taken in stretches, whose interior the compiler
// turns into vectors: masks in place of branches, the first and the last cell of a line apart. A
// product reads 8 bytes of x, 24 of weights and 1 of types a cell and writes 8.
#include "grid.h"

#include <string.h>

#include "exact.h"
#include "operator.h"
#include "vector.h"

// ---- single entries

static inline double weight(const perp_grid *g, int d, size_t f, double scale) {
  return (g->face[d] != NULL ? g->face[d][f] : 1.0)*scale;
}

// w of the face of liquid cell h below (up: above) it along d; *l: the cell beyond
static double face_entry(const perp_grid *g, grid_place p, int32_t h, int d, int up, int32_t *l) {
  *l = -1;
  if (p.at[d] == (up ? g->cells[d] - 1 : 0)) return 0.0;
  *l = up ? h + grid_stride(g, d) : h - grid_stride(g, d);
  if (g->type[*l] == PERP_CELL_SOLID) return 0.0;
  return weight(g, d, grid_face(g, p, d) + (up ? grid_face_stride(g, d) : 0), grid_scale(g, d));
}

int grid_entry(const perp_grid *g, int32_t h, int32_t slot, int32_t *l, double *a) {
  const int liquid = g->type[h] == PERP_CELL_LIQUID;
  if (slot == GRID_DIAGONAL) {
    *l = h;
    *a = liquid ? 0.0 : 1.0;
    if (!liquid) return 1;
    const grid_place p = grid_place_of(g, h);
    int32_t other;
    for (int d = 0; d < 3; d++)
      for (int up = 0; up < 2; up++) *a += face_entry(g, p, h, d, up, &other);
    return 1;
  }
  if (!liquid) return 0;
  const int up = slot > GRID_DIAGONAL, d = up ? slot - GRID_DIAGONAL - 1 : GRID_DIAGONAL - 1 - slot;
  const double w = face_entry(g, grid_place_of(g, h), h, d, up, l);
  *a = -w;
  return *l >= 0 && g->type[*l] == PERP_CELL_LIQUID;
}

// ---- stretches of a line

enum { STRETCH = 256 };
// the weights of faces that have none
static const double ones[STRETCH] = {
#define FOUR_ONES 1.0, 1.0, 1.0, 1.0
#define SIXTEEN_ONES FOUR_ONES, FOUR_ONES, FOUR_ONES, FOUR_ONES
#define MANY_ONES SIXTEEN_ONES, SIXTEEN_ONES, SIXTEEN_ONES, SIXTEEN_ONES
  MANY_ONES, MANY_ONES, MANY_ONES, MANY_ONES
};

typedef struct side {         // the cells beyond the faces of a stretch on one of its sides
  const double *w;            // weights of the faces
  const uint8_t *type;
  const double *x;
  double scale;               // 1/spacing^2; 0: there are none, and they are those of the stretch
} side;

typedef struct stretch {      // of cells of a line. The first and the last of a line stand alone
  int32_t row, count;         // the first cell's row, and how many
  const uint8_t *type;
  const double *x;            // NULL for those who ask for the matrix alone
  side beyond[6];             // -x, +x, -y, +y, -z, +z
} stretch;

static stretch stretch_at(const perp_grid *g, const double *x, grid_place p, int32_t count) {
  const int32_t h = (p.at[2]*g->cells[1] + p.at[1])*g->cells[0] + p.at[0];
  stretch s = {.row = h, .count = count, .type = g->type + h, .x = x != NULL ? x + h : NULL};
  for (int q = 0; q < 6; q++) {
    const int d = q/2, up = q % 2;
    const int edge = p.at[d] == (up ? g->cells[d] - 1 : 0);
    const int32_t step = edge ? 0 : up ? grid_stride(g, d) : -grid_stride(g, d);
    s.beyond[q] = (side){
      .w = edge || g->face[d] == NULL ? ones
           : g->face[d] + grid_face(g, p, d) + (up ? grid_face_stride(g, d) : 0),
      .type = s.type + step, .x = x != NULL ? s.x + step : NULL,
      .scale = edge ? 0.0 : grid_scale(g, d)};
  }
  return s;
}

// How many cells the stretch that begins at p has.
static int32_t stretch_length(const perp_grid *g, grid_place p) {
  const int32_t left = g->cells[0] - 1 - p.at[0];
  return p.at[0] == 0 || left == 0 ? 1 : left < STRETCH ? left : STRETCH;
}

// ---- what is computed at cell i of a stretch, over its `sides` sides (4 in two dimensions, else 6)

EXACT_INLINE double open_weight(const side *s, int32_t i) {
  const double w = s->w[i]*s->scale;
  return s->type[i] != PERP_CELL_SOLID ? w : 0.0;
}
EXACT_INLINE double pressure(const side *s, int32_t i) {
  const double q = s->x[i];
  return s->type[i] == PERP_CELL_LIQUID ? q : 0.0;
}

EXACT_INLINE double product_at(const stretch *s, int sides, int32_t i) {
  const double x = s->x[i];
  double y = 0.0;
  for (int q = 0; q < sides; q++)
    y += open_weight(&s->beyond[q], i)*(x - pressure(&s->beyond[q], i));
  return s->type[i] == PERP_CELL_LIQUID ? y : x;
}

EXACT_INLINE double diagonal_at(const stretch *s, int sides, int32_t i) {
  double d = 0.0;
  for (int q = 0; q < sides; q++) d += open_weight(&s->beyond[q], i);
  return s->type[i] == PERP_CELL_LIQUID ? d : 1.0;
}

// y = A x + b as in twice the precision: x - q = d + e exactly, w d by TwoProduct; what is left out
// is of the order u^2 |A||x|. *size = |A||x| + |b|, up to its own rounding.
EXACT_INLINE double residual_at(const stretch *s, int sides, int32_t i, double b, double *size) {
  const double x = s->x[i];
  exact_sum y = {b, 0.0}, other = {b, 0.0};
  double a = 0.0;
  for (int q = 0; q < sides; q++) {
    const double w = open_weight(&s->beyond[q], i), p = pressure(&s->beyond[q], i);
    const double d = x - p, z = d - x, e = (x - (d - z)) - (p + z);   // TwoSum of x and -p
    exact_add_product(&y, w, d);
    y.low += w*e;
    a += w*(fabs(x) + fabs(p));
  }
  exact_add(&other, x);                                               // a row of the identity
  const int liquid = s->type[i] == PERP_CELL_LIQUID;
  *size = (liquid ? a : fabs(x)) + fabs(b);
  const double high = liquid ? y.high : other.high, v = high + (liquid ? y.low : other.low);
  return v - v == 0.0 ? v : high;                                     // as exact_value()
}

// ---- loops over all cells, compiled with and without wide vectors and fma: the same bits

typedef struct wanted { const double *x, *b; double *y, *a; } wanted;   // n each

typedef void stretch_kernel(const stretch *s, int sides, const wanted *w);

EXACT_INLINE void product_stretch(const stretch *given, int sides, const wanted *w) {
  const stretch s = *given;   // nobody else sees it, so what is stored below cannot change it
  double *restrict y = w->y + s.row;
  for (int32_t i = 0; i < s.count; i++) y[i] = product_at(&s, sides, i);
}
EXACT_INLINE void diagonal_stretch(const stretch *given, int sides, const wanted *w) {
  const stretch s = *given;
  double *restrict d = w->y + s.row;
  for (int32_t i = 0; i < s.count; i++) d[i] = diagonal_at(&s, sides, i);
}
EXACT_INLINE void residual_stretch(const stretch *given, int sides, const wanted *w) {
  const stretch s = *given;
  const double *b = w->b + s.row;
  double *restrict y = w->y + s.row, *restrict a = w->a + s.row;
  for (int32_t i = 0; i < s.count; i++) y[i] = residual_at(&s, sides, i, b[i], &a[i]);
}

EXACT_INLINE void each_stretch(const perp_grid *g, const wanted *w, stretch_kernel *kernel) {
  for (int32_t k = 0; k < g->cells[2]; k++)
    for (int32_t j = 0; j < g->cells[1]; j++)
      for (int32_t i = 0; i < g->cells[0];) {
        const grid_place p = {{i, j, k}};
        const int32_t count = stretch_length(g, p);
        const stretch s = stretch_at(g, w->x, p, count);
        if (g->cells[2] == 1) kernel(&s, 4, w);
        else kernel(&s, 6, w);
        i += count;
      }
}

#define BOTH_WAYS(name)                                                                     \
  EXACT_WIDE_FMA static void name##_wide(const perp_grid *g, const wanted *w) {                \
    each_stretch(g, w, name##_stretch);                                                     \
  }                                                                                         \
  static void name##_plain(const perp_grid *g, const wanted *w) {                           \
    each_stretch(g, w, name##_stretch);                                                     \
  }                                                                                         \
  static void name##_all(const perp_grid *g, const wanted *w) {                             \
    (EXACT_HAS_WIDE_FMA() ? name##_wide : name##_plain)(g, w);                                 \
  }
BOTH_WAYS(product)
BOTH_WAYS(diagonal)
BOTH_WAYS(residual)
#undef BOTH_WAYS

// ---- the operator

static int apply(const void *self, const double *x, double *y, void *scratch) {
  (void)scratch;
  product_all(self, &(wanted){.x = x, .y = y});
  return 0;
}

static int residual(const void *self, const double *x, const double *b, double *y, double *a,
                    void *scratch) {
  (void)scratch;
  residual_all(self, &(wanted){.x = x, .b = b, .y = y, .a = a});
  return 0;
}

static void diagonal(const void *self, double *d) { diagonal_all(self, &(wanted){.y = d}); }

static int32_t size_of(const perp_grid *g) { return g->cells[0]*g->cells[1]*g->cells[2]; }

// Columns are rows: the largest of r_i |A_ij| c_j over j, and of c_i |A_ij| r_j.
static void row_col_max(const void *self, const double *r, const double *c, double *row,
                        double *col) {
  const perp_grid *g = self;
  for (int32_t h = 0; h < size_of(g); h++) {
    double most = 0.0, most_c = 0.0, a;
    int32_t l;
    for (int32_t slot = 0; slot < GRID_SLOTS; slot++)
      if (grid_entry(g, h, slot, &l, &a)) {
        most = max2(most, r[h]*fabs(a)*c[l]);
        most_c = max2(most_c, r[l]*fabs(a)*c[h]);
      }
    row[h] = most;
    col[h] = most_c;
  }
}

static void add_column(const void *self, int32_t j, double s, double *y) {
  double a;
  int32_t i;
  for (int32_t slot = 0; slot < GRID_SLOTS; slot++)
    if (grid_entry(self, j, slot, &i, &a)) y[i] += s*a;
}

static void submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  const perp_grid *g = self;
  memset(S, 0, (size_t)m*(size_t)m*sizeof *S);
  for (int32_t i = 0; i < m; i++) {
    double a, value[GRID_SLOTS];
    int32_t l, column[GRID_SLOTS], count = 0;
    for (int32_t slot = 0; slot < GRID_SLOTS; slot++)
      if (grid_entry(g, set[i], slot, &l, &a)) {
        column[count] = l;
        value[count++] = a;
      }
    double *row = S + (size_t)i*(size_t)m;
    for (int32_t j = 0; j < m; j++)
      for (int32_t q = 0; q < count; q++)
        if (column[q] == set[j]) row[j] = value[q];
  }
}

// Row by row: what comes before has been updated. A stretch of one cell at a time would cost more
// than the arithmetic, so the entries are read where they are.
static int sweep(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_grid *g = self;
  double *x = state->x, change = state->change;
  for (int32_t k = from; k < to; k++) {
    const int32_t h = state->backward ? to - 1 - (k - from) : k;
    double y = state->b[h];
    if (g->type[h] == PERP_CELL_LIQUID) {
      const grid_place p = grid_place_of(g, h);
      for (int q = 0; q < 6; q++) {
        int32_t l;
        const double w = face_entry(g, p, h, q/2, q % 2, &l);
        if (w != 0.0) y += w*(x[h] - (g->type[l] == PERP_CELL_LIQUID ? x[l] : 0.0));
      }
    } else {
      y += x[h];
    }
    const double z = relaxed(x[h], y, state->diagonal[h], state->omega, lower(state->lo, h),
                             upper(state->hi, h));
    change = max_or_nan(change, state->weight[h]*fabs(z - x[h])/state->omega);
    x[h] = z;
  }
  state->change = change;
  state->fresh = 0;
  return 0;
}

static perp_view view(const void *self) {
  return (perp_view){.kind = PERP_VIEW_GRID, .data = self};
}

static const perp_operator_ops ops = {
  .name = "grid", .apply = apply, .apply_transpose = apply, .residual = residual,
  .row_col_max = row_col_max, .diagonal = diagonal, .add_column = add_column, .sweep = sweep,
  .submatrix = submatrix, .view = view,
};

const perp_grid *grid_of(const perp_operator *A) { return A->ops == &ops ? A->self : NULL; }

perp_operator perp_from_grid(const perp_grid *matrix, uint32_t claims) {
  int64_t n = 1;   // -1: validation says what is wrong
  for (int d = 0; matrix != NULL && d < 3 && n > 0; d++)
    n = matrix->cells[d] < 1 || n*matrix->cells[d] > INT32_MAX ? -1 : n*matrix->cells[d];
  return (perp_operator){&ops, matrix, matrix != NULL ? (int32_t)n : 0,
                         claims | PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD | PERP_CLAIM_Z};
}
