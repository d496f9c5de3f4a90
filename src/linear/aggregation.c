// aggregation.c: algebraic multigrid with aggregates that are chosen once and masks that change.
//
// Rows are joined in pairs along their strongest couplings, and these pairs in pairs again, so that
// an aggregate has about four rows. The coarse matrix couples the aggregates c and d by
//     s_cd * (sum of a_ij over free i in c, free j in d)
// and keeps the row sums, which are the leaks to bound rows and to the outside. With s_cd = 1 this
// is P'AP for piecewise constant P, which is too stiff, since two aggregates are further apart than
// two rows. When pairs are made, s_cd is the part of the rows of c that touch d: 1/2 along the
// pairs, 1 across them, so that on a grid each level is again the five-point matrix of the mesh
// width doubled. Where A is not diagonally dominant with non-positive couplings s_cd stays 1: P'AP
// is definite whenever A is. A new mask changes values only: the sums run over a list made once.
// One cycle: a forward Gauss-Seidel sweep, the coarse correction, a backward sweep; on the coarse
// levels two steps of conjugate gradients around the cycle (K-cycle; Notay 2010, whose analysis
// bounds the condition for M-matrices independently of n). Cost: a cycle about 5 products with A,
// a mask about one.
#include "aggregation.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "linear.h"
#include "vector.h"

enum {
  MOST_LEVELS = 24,
  SMALLEST = 150,                  // rows that are solved directly
  SWEEPS_AT_END = 8,               // where coarsening ended early
  NONE = -1,
};

static const double strong = 0.25;      // of the strongest coupling of a row: worth joining
static const double dominant = 5.0;     // a_ii over the sum of |a_ij|: sweeps are enough
static const double coarse_enough = 0.25;   // one coarse step, if it reduces the residual to this

typedef struct level {
  int32_t n;
  const int32_t *colptr, *row;     // n + 1; entries: symmetric, so columns are rows
  const double *value;             // entries
  double *own;                     // entries: `value`, on all levels but the finest
  int32_t *diagonal;               // n: where a_ii stands
  int32_t *aggregate;              // n: row of the next level, NONE: none
  int32_t *into;                   // entries: entry of the next level's matrix, NONE: none
  double *scale;                   // entries: s_cd, on all levels but the finest
  uint8_t *active;                 // n: the mask
  double *w;                       // n: the residual of a cycle
  double *r, *z, *c, *v, *d;       // n: of the K-cycle; not on the finest level
} level;

struct aggregation {
  perp_allocator allocator;
  int32_t levels;
  int weakens;                     // 1: s_cd may be below 1
  level at[MOST_LEVELS];
  double *dense;                   // m x m: the coarsest matrix, factored; NULL: sweeps instead
  int32_t *pivot;                  // m
  int dense_fine;                  // 1: the factor can be used
};

static void *take(const perp_allocator *allocator, int64_t count, size_t size) {
  if (count < 1) count = 1;
  if ((uint64_t)count > SIZE_MAX/size) return NULL;
  return allocator->allocate(allocator->context, (size_t)count*size);
}

static void give(const perp_allocator *allocator, const void *block) {
  if (block != NULL) allocator->release(allocator->context, (void *)(uintptr_t)block);
}

static void level_free(const perp_allocator *m, level *l, int finest) {
  if (!finest) {
    give(m, l->colptr);
    give(m, l->row);
    give(m, l->own);
    give(m, l->scale);
    give(m, l->r);
    give(m, l->z);
  }
  const void *const blocks[] = {l->diagonal, l->aggregate, l->into, l->active,
                                l->c, l->v, l->d, l->w};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++) give(m, blocks[k]);
  *l = (level){0};
}

// 1: weakly coupled rows need no coarse correction.
static int is_dominant(const level *l, int32_t i) {
  double sum = 0.0;
  for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++)
    if (l->row[p] != i) sum += fabs(l->value[p]);
  return l->value[l->diagonal[i]] > dominant*sum;
}

// Joins each row with the unjoined one to which it is coupled most strongly, in the order of rows.
// Returns the number of pairs and single rows; pair: n.
static int32_t join_pairs(const level *l, int first, int32_t *pair) {
  int32_t count = 0;
  for (int32_t i = 0; i < l->n; i++) pair[i] = -2;
  for (int32_t i = 0; i < l->n; i++) {
    if (pair[i] != -2) continue;
    if (first && is_dominant(l, i)) {
      pair[i] = NONE;
      continue;
    }
    int32_t best = NONE;
    double largest = 0.0, reach = 0.0;
    for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++) {
      const int32_t j = l->row[p];
      const double coupling = -l->value[p];
      if (j == i || !(coupling > 0.0)) continue;
      reach = max2(reach, coupling);
      if (pair[j] == -2 && coupling > largest) {
        largest = coupling;
        best = j;
      }
    }
    pair[i] = count;
    if (best != NONE && largest >= strong*reach) pair[best] = count;
    count++;
  }
  return count;
}

// The pattern of P'AP for the given aggregates, and which of its entries each entry of l adds to.
// 0, or -2: no memory.
static int coarsen(const perp_allocator *m, const level *l, const int32_t *aggregate, int32_t count,
                   level *next, int32_t *into) {
  *next = (level){.n = count};
  const int32_t entries = l->colptr[l->n];
  int32_t *start = take(m, (int64_t)count + 1, sizeof *start);       // rows by aggregate
  int32_t *member = take(m, l->n, sizeof *member);
  int32_t *seen = take(m, count, sizeof *seen);
  int32_t *colptr = take(m, (int64_t)count + 1, sizeof *colptr);
  int32_t *row = take(m, entries, sizeof *row);
  int32_t *diagonal = take(m, count, sizeof *diagonal);
  next->colptr = colptr;
  next->diagonal = diagonal;
  int failed = start == NULL || member == NULL || seen == NULL || colptr == NULL || row == NULL ||
               diagonal == NULL ? -2 : 0;
  if (failed == 0) {
    for (int32_t c = 0; c <= count; c++) start[c] = 0;
    for (int32_t c = 0; c < count; c++) seen[c] = NONE;
    for (int32_t i = 0; i < l->n; i++)
      if (aggregate[i] != NONE) start[aggregate[i] + 1]++;
    for (int32_t c = 0; c < count; c++) start[c + 1] += start[c];
    for (int32_t i = 0; i < l->n; i++)
      if (aggregate[i] != NONE) member[start[aggregate[i]]++] = i;
    for (int32_t c = count; c > 0; c--) start[c] = start[c - 1];
    start[0] = 0;
    int32_t used = 0;
    for (int32_t c = 0; c < count; c++) {
      colptr[c] = used;
      for (int32_t k = start[c]; k < start[c + 1]; k++)
        for (int32_t p = l->colptr[member[k]]; p < l->colptr[member[k] + 1]; p++) {
          const int32_t e = aggregate[l->row[p]];
          if (e == NONE || (seen[e] != NONE && seen[e] >= colptr[c])) continue;
          seen[e] = used;
          row[used++] = e;
        }
      // ascending, so that sweeps know what is before the diagonal; columns are short
      for (int32_t k = colptr[c] + 1; k < used; k++) {
        const int32_t e = row[k];
        int32_t q = k;
        for (; q > colptr[c] && row[q - 1] > e; q--) row[q] = row[q - 1];
        row[q] = e;
      }
      for (int32_t k = colptr[c]; k < used; k++) {
        seen[row[k]] = k;
        if (row[k] == c) diagonal[c] = k;
      }
      for (int32_t k = start[c]; k < start[c + 1]; k++)
        for (int32_t p = l->colptr[member[k]]; p < l->colptr[member[k] + 1]; p++) {
          const int32_t e = aggregate[l->row[p]];
          into[p] = e == NONE ? NONE : seen[e];
        }
    }
    colptr[count] = used;
    for (int32_t i = 0; i < l->n; i++)
      if (aggregate[i] == NONE)
        for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++) into[p] = NONE;
    int32_t *exact = take(m, used, sizeof *exact);
    next->own = take(m, used, sizeof *next->own);
    next->scale = take(m, used, sizeof *next->scale);
    next->value = next->own;
    next->row = exact;
    if (exact == NULL || next->own == NULL || next->scale == NULL) failed = -2;
    else memcpy(exact, row, (size_t)used*sizeof *exact);
  }
  give(m, row);
  give(m, start);
  give(m, member);
  give(m, seen);
  return failed;
}

// Values of the next level's matrix and its mask, from those of l.
static void sum_up(const level *l, level *next) {
  for (int32_t c = 0; c < next->n; c++) next->active[c] = 0;
  memset(next->own, 0, (size_t)next->colptr[next->n]*sizeof *next->own);
  for (int32_t i = 0; i < l->n; i++) {
    if (!l->active[i]) continue;
    if (l->aggregate[i] != NONE) next->active[l->aggregate[i]] = 1;
    for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++)
      if (l->into[p] != NONE && l->active[l->row[p]]) next->own[l->into[p]] += l->value[p];
  }
  for (int32_t c = 0; c < next->n; c++) {          // what a coupling loses the diagonal loses too
    double lost = 0.0;
    for (int32_t p = next->colptr[c]; p < next->colptr[c + 1]; p++) {
      const double weak = next->scale[p]*next->own[p];
      lost += next->own[p] - weak;
      next->own[p] = weak;
    }
    next->own[next->diagonal[c]] += lost;
  }
}

static int32_t find_entry(const level *l, int32_t c, int32_t row) {
  int32_t first = l->colptr[c], end = l->colptr[c + 1];
  while (first + 1 < end) {
    const int32_t middle = first + (end - first)/2;
    if (l->row[middle] <= row) first = middle;
    else end = middle;
  }
  return first;
}

// s_cd for pairs: the mean of the part of c that touches d and the part of d that touches c.
static void pair_scales(const level *l, level *next, double *size) {
  for (int32_t c = 0; c < next->n; c++) size[c] = 0.0;
  for (int32_t i = 0; i < l->n; i++)
    if (l->aggregate[i] != NONE) size[l->aggregate[i]] += 1.0;
  for (int32_t p = 0; p < next->colptr[next->n]; p++) next->scale[p] = 0.0;
  for (int32_t i = 0; i < l->n; i++)
    for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++) {
      if (l->into[p] == NONE) continue;
      int again = 0;                               // a row touches an aggregate once
      for (int32_t q = l->colptr[i]; q < p; q++) again |= l->into[q] == l->into[p];
      if (!again) next->scale[l->into[p]] += 1.0/size[l->aggregate[i]];
    }
  for (int32_t c = 0; c < next->n; c++)
    for (int32_t p = next->colptr[c]; p < next->colptr[c + 1]; p++) {
      const int32_t d = next->row[p];
      if (d < c) continue;
      const int32_t mirror = find_entry(next, d, c);
      const double mean = d == c ? 1.0 : 0.5*(next->scale[p] + next->scale[mirror]);
      next->scale[p] = next->scale[mirror] = mean;
    }
}

// The scales of two rounds of pairing together: own values over plain sums.
static void join_scales(const level *l, level *next, double *plain) {
  for (int32_t p = 0; p < next->colptr[next->n]; p++) plain[p] = 0.0;
  for (int32_t p = 0; p < l->colptr[l->n]; p++)
    if (l->into[p] != NONE) plain[l->into[p]] += l->value[p];
  for (int32_t c = 0; c < next->n; c++)
    for (int32_t p = next->colptr[c]; p < next->colptr[c + 1]; p++)
      next->scale[p] = next->row[p] == c || plain[p] == 0.0 ? 1.0 : next->own[p]/plain[p];
}

static int add_vectors(const perp_allocator *m, level *l, int finest) {
  double **const vectors[] = {&l->w, &l->c, &l->v, &l->d, &l->r, &l->z};
  for (int k = 0; k < (finest ? 1 : 6); k++) {
    *vectors[k] = take(m, l->n, sizeof **vectors[k]);
    if (*vectors[k] == NULL) return -2;
  }
  l->active = take(m, l->n, 1);
  if (l->active == NULL) return -2;
  memset(l->active, 1, (size_t)l->n);
  return 0;
}

// Two rounds of pairing: from l to `half`, from there to `next`. 0; 1: hardly fewer rows; -2: no
// memory.
static int pair_twice(const aggregation *g, level *l, level *half, level *next) {
  const perp_allocator *m = &g->allocator;
  l->aggregate = take(m, l->n, sizeof *l->aggregate);
  l->into = take(m, l->colptr[l->n], sizeof *l->into);
  if (l->aggregate == NULL || l->into == NULL) return -2;
  const int32_t pairs = join_pairs(l, 1, l->aggregate);
  if (coarsen(m, l, l->aggregate, pairs, half, l->into) != 0) return -2;
  const int32_t entries = half->colptr[half->n];
  half->active = take(m, half->n, 1);
  half->aggregate = take(m, half->n, sizeof *half->aggregate);
  half->into = take(m, entries, sizeof *half->into);
  half->w = take(m, entries, sizeof *half->w);     // next has no more entries
  if (half->active == NULL || half->aggregate == NULL || half->into == NULL || half->w == NULL)
    return -2;
  if (g->weakens) pair_scales(l, half, half->w);
  else for (int32_t p = 0; p < entries; p++) half->scale[p] = 1.0;
  sum_up(l, half);
  const int32_t count = join_pairs(half, 0, half->aggregate);
  if (count == 0 || count > l->n - l->n/5) return 1;
  if (coarsen(m, half, half->aggregate, count, next, half->into) != 0) return -2;
  if (add_vectors(m, next, 0) != 0) return -2;
  if (g->weakens) pair_scales(half, next, half->w);
  else for (int32_t p = 0; p < next->colptr[count]; p++) next->scale[p] = 1.0;
  sum_up(half, next);
  for (int32_t i = 0; i < l->n; i++)
    if (l->aggregate[i] != NONE) l->aggregate[i] = half->aggregate[l->aggregate[i]];
  for (int32_t p = 0; p < l->colptr[l->n]; p++)
    if (l->into[p] != NONE) l->into[p] = half->into[l->into[p]];
  join_scales(l, next, half->w);
  return 0;
}

static int add_level(aggregation *g) {
  level half = {0}, *next = &g->at[g->levels];
  const int failed = pair_twice(g, &g->at[g->levels - 1], &half, next);
  level_free(&g->allocator, &half, 0);
  if (failed == 0) g->levels++;
  else level_free(&g->allocator, next, 0);
  return failed;
}

// 1: no positive coupling, and no row sum below 0 but for rounding.
static int is_laplacian(const perp_csc *A) {
  for (int32_t j = 0; j < A->columns; j++) {
    double sum = 0.0, size = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      if (A->row[p] != j && A->value[p] > 0.0) return 0;
      sum += A->value[p];
      size += fabs(A->value[p]);
    }
    if (sum < -1e-12*size) return 0;
  }
  return 1;
}

aggregation *aggregation_create(const perp_csc *A, const perp_allocator *allocator,
                                const perp_deadline *deadline, int *failed) {
  const perp_allocator m = allocator_of(allocator);
  aggregation *g = take(&m, 1, sizeof *g);
  *failed = -2;
  if (g == NULL) return NULL;
  memset(g, 0, sizeof *g);
  g->allocator = m;
  g->levels = 1;
  level *finest = &g->at[0];
  *finest = (level){.n = A->columns, .colptr = A->colptr, .row = A->row, .value = A->value};
  finest->diagonal = take(&m, A->columns, sizeof *finest->diagonal);
  int state = finest->diagonal != NULL ? add_vectors(&m, finest, 1) : -2;
  for (int32_t j = 0; state == 0 && j < A->columns; j++) {
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      if (A->row[p] == j) finest->diagonal[j] = p;
  }
  g->weakens = state == 0 && is_laplacian(A);
  while (state == 0 && g->levels < MOST_LEVELS && g->at[g->levels - 1].n > SMALLEST) {
    if (deadline_passed(deadline)) {
      state = -1;
      break;
    }
    state = add_level(g);
  }
  if (state == 1) state = 0;   // as coarse as it gets
  const int32_t last = g->at[g->levels - 1].n;
  if (state == 0 && last <= SMALLEST) {
    g->dense = take(&m, (int64_t)last*last, sizeof *g->dense);
    g->pivot = take(&m, last, sizeof *g->pivot);
    if (g->dense == NULL || g->pivot == NULL) state = -2;
  }
  *failed = state;
  if (state != 0) {
    aggregation_destroy(g);
    return NULL;
  }
  aggregation_mask(g, 0, NULL);
  return g;
}

void aggregation_destroy(aggregation *g) {
  if (g == NULL) return;
  const perp_allocator m = g->allocator;
  for (int32_t k = 0; k < g->levels; k++) level_free(&m, &g->at[k], k == 0);
  give(&m, g->dense);
  give(&m, g->pivot);
  give(&m, g);
}

static void factor_last(aggregation *g) {
  const level *l = &g->at[g->levels - 1];
  const int32_t m = l->n;
  memset(g->dense, 0, (size_t)m*(size_t)m*sizeof *g->dense);
  for (int32_t i = 0; i < m; i++) {
    double *S = g->dense + (size_t)i*(size_t)m;
    S[i] = 1.0;
    if (!l->active[i]) continue;
    for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++)
      if (l->active[l->row[p]]) S[l->row[p]] = l->value[p];
    S[i] *= 1.0 + 1e-12;   // a part without any leak is singular: CG needs no more than this of it
  }
  g->dense_fine = lu_factor(m, g->dense, g->pivot, 0.0, NULL) == 0;
}

void aggregation_mask(aggregation *g, int32_t from, const uint8_t *is_free) {
  level *first = &g->at[from];
  if (is_free != NULL) memcpy(first->active, is_free, (size_t)first->n);
  else memset(first->active, 1, (size_t)first->n);
  for (int32_t k = from; k + 1 < g->levels; k++) sum_up(&g->at[k], &g->at[k + 1]);
  if (g->dense != NULL) factor_last(g);
}

static void product(const level *l, const double *x, double *y) {
  for (int32_t i = 0; i < l->n; i++) {
    double sum = 0.0;
    if (l->active[i])
      for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++) sum += l->value[p]*x[l->row[p]];
    y[i] = sum;
  }
}

// (D + L) z = r on the active rows, and the residual r - A z = -U z.
static void forward(const level *l, const double *r, double *z, double *residual) {
  for (int32_t i = 0; i < l->n; i++) {
    z[i] = 0.0;
    if (!l->active[i]) continue;
    double sum = r[i];
    const int32_t d = l->diagonal[i];
    for (int32_t p = l->colptr[i]; p < d; p++) sum -= l->value[p]*z[l->row[p]];
    z[i] = sum/l->value[d];
  }
  for (int32_t i = 0; i < l->n; i++) {
    double sum = 0.0;
    if (l->active[i])
      for (int32_t p = l->diagonal[i] + 1; p < l->colptr[i + 1]; p++)
        sum -= l->value[p]*z[l->row[p]];
    residual[i] = sum;
  }
}

static void backward(const level *l, const double *r, double *z) {
  for (int32_t i = l->n - 1; i >= 0; i--) {
    if (!l->active[i]) continue;
    double sum = r[i];
    const int32_t d = l->diagonal[i];
    for (int32_t p = l->colptr[i]; p < d; p++) sum -= l->value[p]*z[l->row[p]];
    for (int32_t p = d + 1; p < l->colptr[i + 1]; p++) sum -= l->value[p]*z[l->row[p]];
    z[i] = sum/l->value[d];
  }
}

static void solve_last(aggregation *g, const double *r, double *z) {
  level *l = &g->at[g->levels - 1];
  if (g->dense != NULL && g->dense_fine) {
    for (int32_t i = 0; i < l->n; i++) z[i] = l->active[i] ? r[i] : 0.0;
    lu_solve(l->n, g->dense, g->pivot, z);
    for (int32_t i = 0; i < l->n; i++)
      if (!l->active[i]) z[i] = 0.0;
    return;
  }
  forward(l, r, z, l->w);
  for (int k = 0; k < SWEEPS_AT_END; k++) {
    backward(l, r, z);
    if (k + 1 == SWEEPS_AT_END) break;
    for (int32_t i = 0; i < l->n; i++) {            // a forward sweep on z as it is
      if (!l->active[i]) continue;
      double sum = r[i];
      const int32_t d = l->diagonal[i];
      for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++)
        if (p != d) sum -= l->value[p]*z[l->row[p]];
      z[i] = sum/l->value[d];
    }
  }
}

static void cycle(aggregation *g, int32_t k, const double *r, double *z);

// z ~ A_k^-1 r by one or two steps of conjugate gradients around the cycle.
static void accelerated(aggregation *g, int32_t k, double *r, double *z) {
  level *l = &g->at[k];
  if (k + 1 == g->levels) {
    solve_last(g, r, z);
    return;
  }
  cycle(g, k, r, l->c);
  product(l, l->c, l->v);
  double rho = 0.0, alpha = 0.0, before = 0.0, after = 0.0;
  for (int32_t i = 0; i < l->n; i++) {
    rho += l->c[i]*l->v[i];
    alpha += l->c[i]*r[i];
    before += r[i]*r[i];
  }
  const double step = rho > 0.0 ? alpha/rho : 0.0;
  for (int32_t i = 0; i < l->n; i++) {
    z[i] = step*l->c[i];
    r[i] -= step*l->v[i];
    after += r[i]*r[i];
  }
  if (!(rho > 0.0) || after <= coarse_enough*coarse_enough*before) return;
  // The second direction; c and v stay, for the cycle below works on other levels.
  cycle(g, k, r, l->d);
  product(l, l->d, l->w);
  double gamma = 0.0, beta = 0.0, second = 0.0;
  for (int32_t i = 0; i < l->n; i++) {
    gamma += l->d[i]*l->v[i];
    beta += l->d[i]*l->w[i];
    second += l->d[i]*r[i];
  }
  const double rho2 = beta - gamma*gamma/rho;
  if (!(rho2 > 0.0)) return;
  const double along = second/rho2, back = gamma*second/(rho*rho2);
  for (int32_t i = 0; i < l->n; i++) z[i] += along*l->d[i] - back*l->c[i];
}

static void cycle(aggregation *g, int32_t k, const double *r, double *z) {
  level *l = &g->at[k];
  if (k + 1 == g->levels) {
    solve_last(g, r, z);
    return;
  }
  level *next = &g->at[k + 1];
  double *residual = l->w;
  forward(l, r, z, residual);
  for (int32_t c = 0; c < next->n; c++) next->r[c] = 0.0;
  for (int32_t i = 0; i < l->n; i++)
    if (l->active[i] && l->aggregate[i] != NONE) next->r[l->aggregate[i]] += residual[i];
  accelerated(g, k + 1, next->r, next->z);
  for (int32_t i = 0; i < l->n; i++)
    if (l->active[i] && l->aggregate[i] != NONE) z[i] += next->z[l->aggregate[i]];
  backward(l, r, z);
}

void aggregation_cycle(aggregation *g, int32_t from, const double *r, double *z) {
  cycle(g, from, r, z);
}

perp_csc aggregation_matrix(const aggregation *g, int32_t from, const int32_t **aggregate) {
  const level *l = &g->at[from];
  *aggregate = from + 1 < g->levels ? l->aggregate : NULL;
  return (perp_csc){.rows = l->n, .columns = l->n, .colptr = l->colptr, .row = l->row,
                    .value = l->value};
}

const int32_t *aggregation_diagonal(const aggregation *g, int32_t from) {
  return g->at[from].diagonal;
}

int32_t aggregation_levels(const aggregation *g) { return g->levels; }

double aggregation_complexity(const aggregation *g) {
  double sum = 0.0;
  for (int32_t k = 0; k < g->levels; k++) sum += g->at[k].colptr[g->at[k].n];
  const int32_t entries = g->at[0].colptr[g->at[0].n];
  return entries > 0 ? sum/entries : 1.0;
}
