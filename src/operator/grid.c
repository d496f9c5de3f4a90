// grid.c: the pressure matrix of a grid of cells as an operator, -div(w grad) without entries.
//
// With w_f = face_f/spacing^2 (0 towards a solid cell and the edge) and q_l = x_l in liquid cells,
// 0 in air, the row of a liquid cell h is a sum over its faces,
//     (A x)_h = sum_f w_f (x_h - q_l).
// Because it sums differences, A times a constant is exactly 0 in a closed container. Rows of other
// cells are those of the identity. grid_stretch.c has the loops, this file the entries.
// Cost: see grid_stretch.c.
#include "grid.h"

#include <string.h>

#include "operator.h"
#include "vector.h"

// ---- single entries

static double face_entry(const perp_grid *g, grid_place p, int32_t h, int d, int up, int32_t *l) {
  return grid_face_at(g, p, h, d, up, grid_scale(g, d), l);
}

double grid_face_entry(const perp_grid *g, int32_t h, int d, int up, int32_t *l) {
  return face_entry(g, grid_place_of(g, h), h, d, up, l);
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

// ---- the operator

typedef struct product { const perp_grid *g; const double *x; double *y; } product;

static void product_lines(void *data, int32_t from, int32_t to) {
  const product *p = data;
  const perp_grid *g = p->g;
  grid_place at = {{0, from % g->cells[1], from/g->cells[1]}};
  double *y = p->y + (size_t)from*(size_t)g->cells[0],
         *end = p->y + (size_t)to*(size_t)g->cells[0];
  while (y < end) {
    const int32_t count = grid_product_from(g, at, p->x, y);
    grid_advance(g, &at, count);
    y += count;
  }
}

void grid_product(const perp_grid *g, const double *x, double *y, team *threads) {
  const int32_t lines = g->cells[1]*g->cells[2];
  team_lines(threads, lines, g->cells[0]*lines, product_lines, &(product){g, x, y});
}

static int apply(const void *self, const double *x, double *y, void *scratch) {
  (void)scratch;
  grid_product(self, x, y, NULL);
  return 0;
}

static int residual(const void *self, const double *x, const double *b, double *y, double *a,
                          void *scratch) {
  (void)scratch;
  const perp_grid *g = self;
  int32_t h = 0;
  for (grid_place p = {{0, 0, 0}}; p.at[2] < g->cells[2];) {
    const int32_t count = grid_residual_from(g, p, x, b + h, y + h, a + h);
    grid_advance(g, &p, count);
    h += count;
  }
  return 0;
}

static void diagonal(const void *self, double *d) {
  const perp_grid *g = self;
  for (grid_place p = {{0, 0, 0}}; p.at[2] < g->cells[2];) {
    const int32_t count = grid_diagonal_from(g, p, d);
    grid_advance(g, &p, count);
    d += count;
  }
}

static int32_t size_of(const perp_grid *g) { return g->cells[0]*g->cells[1]*g->cells[2]; }

// A is symmetric, so both maxima come from row h: r_h |A_hl| c_l over l, and r_l |A_lh| c_h over l.
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

// ---- sweeps, row by row, because a row needs the new values of the rows before it

typedef struct line {         // a line of cells along x
  const perp_grid *g;
  int32_t row;                // row of its first cell
  int32_t step[6];            // to the cells beyond -x, +x, -y, +y, -z, +z; 0: there are none
  const double *w[6];         // weights of these faces; NULL: 1
  double scale[3];
} line;

static line line_at(const perp_grid *g, int32_t number) {
  const grid_place p = {{0, number % g->cells[1], number/g->cells[1]}};
  line s = {.g = g, .row = number*g->cells[0]};
  for (int q = 0; q < 6; q++) {
    const int d = q/2, up = q % 2;
    s.scale[d] = grid_scale(g, d);
    if (g->cells[d] == 1 || (d > 0 && p.at[d] == (up ? g->cells[d] - 1 : 0))) continue;
    s.step[q] = up ? grid_stride(g, d) : -grid_stride(g, d);
    if (g->face[d] != NULL)
      s.w[q] = g->face[d] + grid_face(g, p, d) + (up ? grid_face_stride(g, d) : 0);
  }
  return s;
}

static inline double line_product(const line *s, const double *x, int32_t i) {   // (A x)_h
  const uint8_t *type = s->g->type;
  const int32_t h = s->row + i;
  if (type[h] != PERP_CELL_LIQUID) return x[h];
  double y = 0.0;
  for (int q = 0; q < 6; q++) {
    const int32_t l = h + s->step[q];
    if (l == h || (q == 0 && i == 0) || (q == 1 && i == s->g->cells[0] - 1)) continue;
    if (type[l] == PERP_CELL_SOLID) continue;
    const double w = (s->w[q] != NULL ? s->w[q][i] : 1.0)*s->scale[q/2];
    y += w*(x[h] - (type[l] == PERP_CELL_LIQUID ? x[l] : 0.0));
  }
  return y;
}

static int sweep(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_grid *g = self;
  const int32_t nx = g->cells[0];
  double *x = state->x, change = state->change;
  line s = {.row = -1};
  for (int32_t k = from; k < to; k++) {
    const int32_t h = state->backward ? to - 1 - (k - from) : k;
    if (s.row < 0 || h < s.row || h >= s.row + nx) s = line_at(g, h/nx);
    const double y = state->b[h] + line_product(&s, x, h - s.row);
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
  int64_t n = 1;   // becomes -1 if the shape is invalid; validation reports the error
  for (int d = 0; matrix != NULL && d < 3 && n > 0; d++)
    n = matrix->cells[d] < 1 || n*matrix->cells[d] > INT32_MAX ? -1 : n*matrix->cells[d];
  return (perp_operator){&ops, matrix, matrix != NULL ? (int32_t)n : 0,
                         claims | PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD | PERP_CLAIM_Z};
}
