// nearby.c: see nearby.h.
#include "nearby.h"

#include <math.h>
#include <string.h>

#include "certify_impossible.h"
#include "componentwise.h"
#include "entries.h"
#include "vector.h"

enum { N = NEARBY_ROWS };

// x is near an assignment if it misses the conditions by at most this part of the base. Residuals
// are 1e-8 of the base, and the error of x may be 10^4 times as large. If larger, 36 problems take
// up to 7 times the work.
#define NEAR_PART_MAX 1e-4
#define INVERSE_ERROR_MAX 0x1p-10    // max |I - G A_II| up to which G counts as an inverse
// Pivots, relative to the largest one. Below ZERO_PIVOT_MAX the remaining matrix is rounding.
// Between both limits it is unclear whether A_II is singular.
#define SINGULAR_PIVOT_MIN 0x1p-40
#define ZERO_PIVOT_MAX 0x1p-48

typedef enum label { FREE, LOWER, UPPER, LABELS } label;

typedef struct assignment { uint8_t of[N]; } assignment;

typedef struct part {             // a component
  int32_t n;
  int32_t row[N];                 // in A
  double A[N][N], b[N], lo[N], hi[N], base;   // in the units of R and C
  double reach[N];                // |z_j| of the solutions that count as near x, at most
  int32_t seen, next;
  assignment list[NEARBY_ASSIGNMENTS];
} part;

typedef enum finding { REFUTED, POSSIBLE } finding;

// Gauss-Jordan with complete pivoting, which destroys M. Returns the rank. If it is m, G = M^-1. If
// it is less, rows rank .. m-1 of G are combinations of rows of M that vanish up to rounding. -1:
// unclear
static int32_t invert(int32_t m, double M[N][N], double G[N][N]) {
  int32_t column[N];
  double first = 0.0, solution[N][N];
  for (int32_t i = 0; i < m; i++) {
    column[i] = i;
    for (int32_t j = 0; j < m; j++) G[i][j] = i == j;
  }
  for (int32_t k = 0; k < m; k++) {
    int32_t r = k, c = k;
    for (int32_t i = k; i < m; i++)
      for (int32_t j = k; j < m; j++)
        if (fabs(M[i][j]) > fabs(M[r][c])) {
          r = i;
          c = j;
        }
    const double pivot = M[r][c];
    first = max2(first, fabs(pivot));
    if (!(fabs(pivot) > SINGULAR_PIVOT_MIN*first))
      return fabs(pivot) <= ZERO_PIVOT_MAX*first ? k : -1;
    for (int32_t j = 0; j < m; j++) {
      const double a = M[k][j], g = G[k][j];
      M[k][j] = M[r][j];
      G[k][j] = G[r][j];
      M[r][j] = a;
      G[r][j] = g;
    }
    for (int32_t i = 0; i < m; i++) {
      const double a = M[i][k];
      M[i][k] = M[i][c];
      M[i][c] = a;
    }
    const int32_t number = column[k];
    column[k] = column[c];
    column[c] = number;
    for (int32_t j = 0; j < m; j++) {
      M[k][j] /= pivot;
      G[k][j] /= pivot;
    }
    for (int32_t i = 0; i < m; i++) {
      const double factor = i == k ? 0.0 : M[i][k];
      for (int32_t j = 0; j < m && factor != 0.0; j++) {
        M[i][j] -= factor*M[k][j];
        G[i][j] -= factor*G[k][j];
      }
    }
  }
  memcpy(solution, G, sizeof solution);
  for (int32_t k = 0; k < m; k++) memcpy(G[column[k]], solution[k], sizeof G[k]);
  return m;
}

static double row_distance(int32_t m, double G[N][N], double M[N][N], int32_t i) {   // of I - G M
  double sum = 0.0;
  for (int32_t j = 0; j < m; j++) {
    double e = i == j;
    for (int32_t k = 0; k < m; k++) e -= G[i][k]*M[k][j];
    sum += fabs(e);
  }
  return sum;
}

// Is w'A_II z_I = -w'(b + A_IF z_F) impossible for |z_I| <= reach? w is nearly a null vector of
// A_II.
static int contradicts(const part *p, const int32_t *set, int32_t m, const double *w,
                       const double *z) {
  double sum = 0.0, allowed = 0.0, left[N] = {0};
  for (int32_t k = 0; k < m; k++) {
    double right = p->b[set[k]], size = fabs(right);
    for (int32_t j = 0; j < p->n; j++) {
      right += p->A[set[k]][j]*z[j];   // z_I = 0
      size += fabs(p->A[set[k]][j])*max2(fabs(z[j]), p->reach[j]);
    }
    sum += w[k]*right;
    allowed += fabs(w[k])*CERTIFY_DATA_ROUNDING*size;
    for (int32_t j = 0; j < m; j++) left[j] += w[k]*p->A[set[k]][set[j]];
  }
  for (int32_t j = 0; j < m; j++) allowed += fabs(left[j])*p->reach[set[j]];
  return fabs(sum) > allowed;
}

typedef enum system { UNIQUE, IMPOSSIBLE, UNCLEAR } system;

// The solution z of the assignment's system, and y = A z + b, each with the error that rounding can
// explain. All in scaled units: z/C, R y.
static system solve(const part *p, const assignment *a, double *z, double *z_error, double *y,
                    double *y_error) {
  double M[N][N], copy[N][N], G[N][N], size[N];
  int32_t set[N], m = 0;
  for (int32_t i = 0; i < p->n; i++) {
    z[i] = a->of[i] == LOWER ? p->lo[i] : a->of[i] == UPPER ? p->hi[i] : 0.0;
    z_error[i] = 0.0;
    if (a->of[i] == FREE) set[m++] = i;
  }
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++) M[i][j] = copy[i][j] = p->A[set[i]][set[j]];
  const int32_t rank = invert(m, copy, G);
  for (int32_t k = rank; rank >= 0 && k < m; k++)
    if (contradicts(p, set, m, G[k], z)) return IMPOSSIBLE;
  if (rank < m) return UNCLEAR;
  double worst = 0.0;
  for (int32_t i = 0; i < m; i++) worst = max2(worst, row_distance(m, G, M, i));
  if (!(worst <= INVERSE_ERROR_MAX)) return UNCLEAR;
  for (int round = 0; round < 3; round++) {   // the first one from z_I = 0
    double wrong[N];
    for (int32_t k = 0; k < m; k++) {
      wrong[k] = p->b[set[k]];
      for (int32_t j = 0; j < p->n; j++) wrong[k] += p->A[set[k]][j]*z[j];
    }
    for (int32_t i = 0; i < m; i++)
      for (int32_t k = 0; k < m; k++) z[set[i]] -= G[i][k]*wrong[k];
  }
  for (int32_t i = 0; i < p->n; i++) {
    y[i] = p->b[i];
    size[i] = fabs(p->b[i]);
    for (int32_t j = 0; j < p->n; j++) {
      y[i] += p->A[i][j]*z[j];
      size[i] += fabs(p->A[i][j]*z[j]);
    }
    y_error[i] = CERTIFY_DATA_ROUNDING*size[i];
  }
  // |z - exact| <= |A_II^-1| (residual + rounding), and |A_II^-1| <= |G|/(1 - 2^-10)
  for (int32_t i = 0; i < m; i++)
    for (int32_t k = 0; k < m; k++)
      z_error[set[i]] += 1.01*fabs(G[i][k])*(fabs(y[set[k]]) + y_error[set[k]]);
  for (int32_t i = 0; i < p->n; i++)
    for (int32_t j = 0; j < m; j++) y_error[i] += fabs(p->A[i][set[j]])*z_error[set[j]];
  return UNIQUE;
}

static void remember(part *p, const assignment *a) {
  for (int32_t k = 0; k < p->seen; k++)
    if (memcmp(&p->list[k], a, sizeof *a) == 0) return;
  if (p->seen < NEARBY_ASSIGNMENTS) p->list[p->seen] = *a;
  p->seen++;   // beyond the room: there are too many
}

// If it is REFUTED, the assignment that it leads to is remembered, if there is one.
static finding examine(part *p, const assignment *a) {
  double z[N], z_error[N], y[N], y_error[N];
  assignment following = *a;
  int refuted = 0;
  const system is = solve(p, a, z, z_error, y, y_error);
  if (is != UNIQUE) return is == IMPOSSIBLE ? REFUTED : POSSIBLE;
  for (int32_t i = 0; i < p->n; i++) {
    if (!(z[i] - z[i] == 0.0 && y[i] - y[i] == 0.0 && y_error[i] - y_error[i] == 0.0))
      return POSSIBLE;
    if (a->of[i] == FREE) {
      if (z[i] < p->lo[i] - z_error[i]) following.of[i] = LOWER;
      else if (z[i] > p->hi[i] + z_error[i]) following.of[i] = UPPER;
    } else if (p->lo[i] < p->hi[i]) {   // a fixed x_i leaves y_i alone
      if (a->of[i] == LOWER ? y[i] < -y_error[i] : y[i] > y_error[i]) following.of[i] = FREE;
    }
    refuted |= following.of[i] != a->of[i];
  }
  if (!refuted) return POSSIBLE;
  remember(p, &following);
  return REFUTED;
}

// Lists all assignments near x: in each row, every label that x is near to.
static void take_near(part *p, const double *x, const double *y) {
  const double near_by = NEAR_PART_MAX*p->base;
  assignment a = {{0}};
  uint8_t allowed[N][LABELS];
  for (int32_t i = 0; i < p->n; i++) {
    const double below = fabs(x[i] - p->lo[i]), above = fabs(p->hi[i] - x[i]);
    const int fixed = !(p->lo[i] < p->hi[i]);
    allowed[i][FREE] = !fixed && fabs(y[i]) <= near_by;
    allowed[i][LOWER] = fixed || (below <= near_by && y[i] >= -near_by);
    allowed[i][UPPER] = !fixed && above <= near_by && y[i] <= near_by;
    if (!(allowed[i][FREE] || allowed[i][LOWER] || allowed[i][UPPER])) return;   // far from all
    while (!allowed[i][a.of[i]]) a.of[i]++;
  }
  while (p->seen <= NEARBY_ASSIGNMENTS) {
    remember(p, &a);
    int32_t i = 0;
    for (; i < p->n; i++) {   // the next one, as one counts
      do a.of[i]++;
      while (a.of[i] < LABELS && !allowed[i][a.of[i]]);
      if (a.of[i] < LABELS) break;
      a.of[i] = 0;
      while (!allowed[i][a.of[i]]) a.of[i]++;
    }
    if (i == p->n) return;
  }
}

static double of(const double *v, int32_t i) { return v != NULL ? v[i] : 1.0; }

// Fills *p except A, n and row, and returns the verdict.
static int part_is_refuted(const certifier *c, const nearby_rows *rows, part *p,
                           double absolute_tol) {
  double x[N], y[N], natural = 0.0, most = 0.0;
  for (int32_t k = 0; k < p->n; k++) {
    const int32_t i = p->row[k], own = rows->index != NULL ? rows->index[i] : i;
    const double R = c->R[own]/of(rows->R, i), inverse_C = of(rows->C, i)*c->inverse_C[own];
    p->b[k] = R*rows->b[i];
    p->lo[k] = lower(rows->lo, i)*inverse_C;
    p->hi[k] = upper(rows->hi, i)*inverse_C;
    x[k] = clamp(rows->x[i]*inverse_C, p->lo[k], p->hi[k]);
    p->reach[k] = 2.0*fabs(x[k]) + NEAR_PART_MAX*p->base;
  }
  for (int32_t k = 0; k < p->n; k++) {
    const int32_t i = p->row[k], own = rows->index != NULL ? rows->index[i] : i;
    y[k] = p->b[k];
    for (int32_t j = 0; j < p->n; j++) y[k] += p->A[k][j]*x[j];
    if (impossible_of(c, own) != IMPOSSIBLE_NOT) {   // no solution is exact in this row: b_i that x satisfies
      p->b[k] -= y[k];
      y[k] = 0.0;
    }
    const double above = x[k] - p->hi[k], below = x[k] - p->lo[k];
    most = max2(most, fabs(mid(above, y[k], below)));
    natural = max2(natural, fabs(mid(above/c->inverse_C[own], y[k]/c->R[own],
                                     below/c->inverse_C[own])));
  }
  if (!(most > COMPONENTWISE_ROUNDING*p->base) || natural <= absolute_tol) return 0;
  p->seen = 0;
  take_near(p, x, y);
  if (p->seen == 0) return 0;
  for (p->next = 0; p->next < p->seen; p->next++)
    if (p->seen > NEARBY_ASSIGNMENTS || examine(p, &p->list[p->next]) == POSSIBLE) return 0;
  return 1;
}

// rows->A of the part, in the units of R and C.
static void take_entries(const certifier *c, const nearby_rows *rows, const entry_chain *chain,
                         const int32_t *place, part *p) {
  memset(p->A, 0, sizeof p->A);
  for (int32_t k = 0; k < p->n; k++) {
    const int32_t j = p->row[k], column = rows->index != NULL ? rows->index[j] : j;
    const double C = c->C[column]/of(rows->C, j);
    int32_t i;
    double a, error;
    for (entry_cursor e = entries_begin(chain, j); entries_next(&e, &i, &a, &error);) {
      const int32_t row = rows->index != NULL ? rows->index[i] : i;
      if (c->component[row] != c->component[column]) continue;   // a zero, and no row of this part
      p->A[place[i]][k] += c->R[row]/of(rows->R, i)*a*C;
    }
  }
}

int nearby_refutes(const certifier *c, const nearby_rows *rows, double tol, double absolute_tol) {
  entry_chain chain;
  const int32_t n = rows->n;
  if (!(componentwise_limit(c->componentwise.tol, tol) < (double)INFINITY) || c->look.hurried ||
      !c->ops->by_entries || c->look.product || (c->components == 1 && n > N) ||
      !entries_chain(&rows->A, &chain))
    return 0;
  int32_t *first = (int32_t *)c->work, *at = first + c->n + 1;   // where the rows of a component are
  int32_t *listed = at + c->n, *place = listed + n;              // n, n: in the list, in their part
  for (int32_t k = 0; k <= c->components; k++) first[k] = 0;
  for (int32_t i = 0; i < n; i++) first[c->component[rows->index ? rows->index[i] : i] + 1]++;
  for (int32_t k = 0; k < c->components; k++) {
    first[k + 1] += first[k];
    at[k] = first[k];
  }
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = c->component[rows->index ? rows->index[i] : i];
    place[i] = at[k] - first[k];
    listed[at[k]++] = i;
  }
  for (int32_t k = 0; k < c->components; k++) {
    part p;
    p.n = first[k + 1] - first[k];
    p.base = c->G[k] > 0.0 ? c->G[k] : c->S[k];
    if (p.n == 0 || p.n > N || !(p.base > 0.0 && p.base < (double)INFINITY)) continue;
    memcpy(p.row, listed + first[k], (size_t)p.n*sizeof *p.row);
    take_entries(c, rows, &chain, place, &p);
    if (part_is_refuted(c, rows, &p, absolute_tol)) return 1;
  }
  return 0;
}
