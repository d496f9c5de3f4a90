// aggregation.c: builds algebraic multigrid with fixed aggregates, for changing masks of free rows.
//
// Rows are joined in pairs along their strongest couplings, and these pairs are joined in pairs, so
// an aggregate has about four rows. A matrix that looks like a grid, numbered line by line, gets
// blocks of four or eight rows (row_places.h, aggregates.c). The coarse matrix couples the
// aggregates c and d by
//     s_cd * (sum of a_ij over free i in c, free j in d)
// and keeps the row sums, which are the leaks to bound rows and to the outside. With s_cd = 1 this
// is P'AP for piecewise constant P. That is too stiff, because two aggregates are further apart
// than two rows. For pairs s_cd is the share of the rows of c that touch d: 1/2 along the pairs, 1
// across them. So on a grid each level is again the five-point matrix with twice the mesh width. If
// A is not diagonally dominant with non-positive couplings, s_cd stays 1, because P'AP is definite
// whenever A is. The aggregates never change. A new mask changes only the values of the aggregates
// that it touches. The cycle is in aggregation_cycle.c.
// Cost: a mask costs the rows that it changes, at most about a product with A.
#include "aggregation_parts.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "dense_kernels.h"
#include "vector.h"

// Rows of the last level, which is solved directly. If smaller, bricks take 11 times the work.
enum { DIRECT_ROWS_MAX = 150 };

static void level_free(const perp_allocator *m, level *l, int finest) {
  if (!finest) {
    allocator_drop(m, l->colptr);
    allocator_drop(m, l->row);
  }
  const void *const blocks[] = {l->own, l->scale, l->diagonal, l->aggregate, l->into, l->start,
                                l->member, l->active, l->dirty, l->changed, l->parent, l->child,
                                l->place};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++) allocator_drop(m, blocks[k]);
  float *const vectors[] = {l->w, l->r, l->z, l->c, l->v, l->d};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++) float_matrix_release(m, vectors[k]);
  float_matrix_free(&l->s, m);
  *l = (level){0};
}

static int32_t axis_bit(int32_t axis) { return axis != NONE ? 1 << axis : 0; }

// Sets the places of the aggregates on the lattice, halved along axis k if bit k is set.
static int halve_places(const perp_allocator *m, const level *l, const int32_t *pair,
                        int32_t halved, level *next) {
  if (l->place == NULL) return 0;
  next->place = allocator_take(m, next->n, sizeof *next->place);
  if (next->place == NULL) return -2;
  for (int32_t i = l->n - 1; i >= 0; i--)            // the first row of a pair is written last
    if (pair[i] != NONE) {
      next->place[pair[i]] = l->place[i];
      for (int32_t k = 0; k < ROW_PLACE_AXES; k++)
        if ((halved >> k & 1) != 0)
          next->place[pair[i]].at[k] = (int16_t)(l->place[i].at[k] >> 1);
    }
  return 0;
}

// Finds the pattern of P'AP for the given aggregates. into[p] is the entry of `next` to which entry
// p of l adds. Returns 0, or -2: no memory.
static int coarsen(const perp_allocator *m, const level *l, const int32_t *aggregate, int32_t count,
                   level *next, int32_t *into) {
  *next = (level){.n = count};
  const int32_t entries = l->colptr[l->n];
  int32_t *start = next->start = allocator_take(m, (int64_t)count + 1, sizeof *start);
  int32_t *member = next->member = allocator_take(m, l->n, sizeof *member);
  int32_t *seen = allocator_take(m, count, sizeof *seen);
  int32_t *colptr = allocator_take(m, (int64_t)count + 1, sizeof *colptr);
  int32_t *row = allocator_take(m, entries, sizeof *row);
  int32_t *diagonal = allocator_take(m, count, sizeof *diagonal);
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
      // Sort the rows, so that sweeps know which are before the diagonal. Columns are short.
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
    int32_t *exact = allocator_take(m, used, sizeof *exact);
    next->own = allocator_take(m, used, sizeof *next->own);
    next->scale = allocator_take(m, used, sizeof *next->scale);
    next->value = next->own;
    next->row = exact;
    if (exact == NULL || next->own == NULL || next->scale == NULL) failed = -2;
    else memcpy(exact, row, (size_t)used*sizeof *exact);
  }
  allocator_drop(m, row);
  allocator_drop(m, seen);
  return failed;
}

// Computes row c of the next level's matrix, and its mask, from l.
static void sum_row(const level *l, level *next, int32_t c) {
  const int32_t begin = next->colptr[c], end = next->colptr[c + 1];
  next->active[c] = 0;
  for (int32_t p = begin; p < end; p++) next->own[p] = 0.0;
  for (int32_t k = next->start[c]; k < next->start[c + 1]; k++) {
    const int32_t i = next->member[k];
    if (!l->active[i]) continue;
    next->active[c] = 1;
    for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++)
      if (l->into[p] != NONE && l->active[l->row[p]]) next->own[l->into[p]] += l->value[p];
  }
  double lost = 0.0;                               // moved to the diagonal, which keeps row sums
  for (int32_t p = begin; p < end; p++) {
    const double weak = next->scale[p]*next->own[p];
    lost += next->own[p] - weak;
    next->own[p] = weak;
  }
  next->own[next->diagonal[c]] += lost;
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

typedef struct row_job {             // task: computes rows of the next level from l
  const level *l;
  level *next;
} row_job;

static void each_row(const aggregation *g, const level *l, level *next, team_shared work) {
  team_share(g->threads, next->n, work, &(row_job){l, next});
}

// scale of entry (c, d) = the share of the rows of c that touch d.
static void touch_shares(void *data, int32_t from, int32_t to, int32_t share) {
  const row_job *a = data;
  const level *l = a->l;
  double *scale = a->next->scale;
  (void)share;
  for (int32_t c = from; c < to; c++) {
    const int32_t begin = a->next->start[c], end = a->next->start[c + 1];
    const double of_a_row = 1.0/(end - begin);
    for (int32_t p = a->next->colptr[c]; p < a->next->colptr[c + 1]; p++) scale[p] = 0.0;
    for (int32_t k = begin; k < end; k++) {
      const int32_t i = a->next->member[k];
      for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++) {
        if (l->into[p] == NONE) continue;
        int again = 0;                             // 1: row i has already been counted for it
        for (int32_t q = l->colptr[i]; q < p; q++) again |= l->into[q] == l->into[p];
        if (!again) scale[l->into[p]] += of_a_row;
      }
    }
  }
}

static void mean_shares(void *data, int32_t from, int32_t to, int32_t share) {
  const row_job *a = data;
  const level *next = a->next;
  (void)share;
  for (int32_t c = from; c < to; c++)
    for (int32_t p = next->colptr[c]; p < next->colptr[c + 1]; p++) {
      const int32_t d = next->row[p];
      if (d < c) continue;                         // done with row d
      const int32_t mirror = find_entry(next, d, c);
      const double mean = d == c ? 1.0 : 0.5*(next->scale[p] + next->scale[mirror]);
      next->scale[p] = next->scale[mirror] = mean;
    }
}

// s_cd is the mean of the share of c that touches d and the share of d that touches c.
static void pair_scales(const aggregation *g, const level *l, level *next) {
  each_row(g, l, next, touch_shares);
  each_row(g, l, next, mean_shares);
}

static void sum_rows(void *data, int32_t from, int32_t to, int32_t share) {
  const row_job *a = data;
  (void)share;
  for (int32_t c = from; c < to; c++) sum_row(a->l, a->next, c);
}

static void sum_up(const aggregation *g, const level *l, level *next) {
  each_row(g, l, next, sum_rows);
}

// Sets the scales of two rounds of pairing together: scaled values over plain sums.
static void join_scales(const level *l, level *next, double *plain) {
  for (int32_t p = 0; p < next->colptr[next->n]; p++) plain[p] = 0.0;
  for (int32_t p = 0; p < l->colptr[l->n]; p++)
    if (l->into[p] != NONE) plain[l->into[p]] += l->value[p];
  for (int32_t c = 0; c < next->n; c++)
    for (int32_t p = next->colptr[c]; p < next->colptr[c + 1]; p++)
      next->scale[p] = next->row[p] == c || plain[p] == 0.0 ? 1.0 : next->own[p]/plain[p];
}

// Allocates the arrays that a mask needs.
static int add_mask(const perp_allocator *m, level *l) {
  l->active = allocator_take(m, l->n, 1);
  l->dirty = allocator_take(m, l->n, 1);
  l->changed = allocator_take(m, l->n, sizeof *l->changed);
  if (l->active == NULL || l->dirty == NULL || l->changed == NULL) return -2;
  memset(l->active, 1, (size_t)l->n);
  memset(l->dirty, 0, (size_t)l->n);
  return 0;
}

typedef struct link_job {
  const aggregation *g;
  level *l, *next;
} link_job;

static void set_float_rows(void *data, int32_t from, int32_t to, int32_t share) {
  const link_job *a = data;
  level *l = a->l;
  (void)share;
  for (int32_t i = from; i < to; i++)
    float_matrix_row(&l->s, i, l->colptr, l->row, l->value, a->g->unit, 1);
}

static void link_parents(void *data, int32_t from, int32_t to, int32_t share) {
  const link_job *a = data;
  level *l = a->l;
  const float_matrix *s = &a->next->s;
  (void)share;
  for (int32_t p = from; p < to; p++) {
    const int32_t i = l->s.row[p], c = i >= 0 ? l->aggregate[i] : NONE;
    l->parent[p] = c != NONE ? s->place[c] : s->length;
  }
}

static void link_children(void *data, int32_t from, int32_t to, int32_t share) {
  const link_job *a = data;
  const level *l = a->l;
  level *next = a->next;
  (void)share;
  for (int32_t p = from; p < to; p++) {
    const int32_t c = next->s.row[p];
    int32_t *child = next->child + (size_t)p*(size_t)next->children, count = 0;
    for (int32_t q = c >= 0 ? next->start[c] : 0; c >= 0 && q < next->start[c + 1]; q++) {
      const int32_t place = l->s.place[next->member[q]];
      if (place < float_matrix_exact(&l->s)) child[count++] = place;
    }
    while (count < next->children) child[count++] = l->s.length;
  }
}

// Makes the float matrices and vectors of all levels, and the links between their places.
static int add_slices(aggregation *g) {
  const perp_allocator *m = &g->allocator;
  for (int32_t k = 0; k < g->levels; k++) {
    level *l = &g->at[k];
    if (float_matrix_create(&l->s, l->n, l->colptr, l->row, l->place, k == 0 ? l->value : NULL,
                            g->unit,
                            m) != 0)
      return -2;
    float **const vectors[] = {&l->w, &l->r, &l->z, &l->c, &l->v, &l->d};
    for (int v = 0; v < (k == 0 ? 5 : 6); v++) {
      *vectors[v] = float_matrix_vector(&l->s, m);
      if (*vectors[v] == NULL) return -2;
    }
    team_share(g->threads, l->n, set_float_rows, &(link_job){g, l, NULL});
  }
  for (int32_t k = 0; k + 1 < g->levels; k++) {
    level *l = &g->at[k], *next = &g->at[k + 1];
    l->parent = allocator_take(m, l->s.length, sizeof *l->parent);
    for (int32_t c = 0; c < next->n; c++) {
      int32_t count = 0;
      for (int32_t q = next->start[c]; q < next->start[c + 1]; q++)
        count += l->s.place[next->member[q]] < float_matrix_exact(&l->s);
      next->children = count > next->children ? count : next->children;
    }
    next->child = allocator_take(m, (int64_t)next->s.length*next->children, sizeof *next->child);
    if (l->parent == NULL || next->child == NULL) return -2;
    team_share(g->threads, l->s.length, link_parents, &(link_job){g, l, next});
    team_share(g->threads, next->s.length, link_children, &(link_job){g, l, next});
  }
  g->sums = allocator_take(m, 3*(int64_t)float_matrix_parts(&g->at[0].s), sizeof *g->sums);
  g->total = allocator_take(m, g->at[0].s.length, sizeof *g->total);
  return g->sums != NULL && g->total != NULL ? 0 : -2;
}

// Replaces the members of `next`, rows of the level in between, by rows of l.
static int join_members(const perp_allocator *m, const level *l, level *next) {
  int32_t *member = allocator_take(m, l->n, sizeof *member);
  if (member == NULL) return -2;
  for (int32_t c = 0; c <= next->n; c++) next->start[c] = 0;
  for (int32_t i = 0; i < l->n; i++)
    if (l->aggregate[i] != NONE) next->start[l->aggregate[i] + 1]++;
  for (int32_t c = 0; c < next->n; c++) next->start[c + 1] += next->start[c];
  for (int32_t i = 0; i < l->n; i++)
    if (l->aggregate[i] != NONE) member[next->start[l->aggregate[i]]++] = i;
  for (int32_t c = next->n; c > 0; c--) next->start[c] = next->start[c - 1];
  next->start[0] = 0;
  allocator_drop(m, next->member);
  next->member = member;
  return 0;
}

// Joins rows in two rounds of pairing: from l to `half`, then to `next`. Returns 0; 1: `next` would
// have nearly as many rows as l; -2: no memory.
static int pair_twice(const aggregation *g, level *l, level *half, level *next, double **work) {
  const perp_allocator *m = &g->allocator;
  int32_t axis;
  // l->into serves as work until coarsen() fills it.
  const int32_t pairs = aggregates_pairs(l, 1, l->aggregate, l->into, &axis);
  if (coarsen(m, l, l->aggregate, pairs, half, l->into) != 0) return -2;
  if (halve_places(m, l, l->aggregate, axis_bit(axis), half) != 0) return -2;
  const int32_t entries = half->colptr[half->n];
  half->active = allocator_take(m, half->n, 1);
  half->aggregate = allocator_take(m, half->n, sizeof *half->aggregate);
  half->into = allocator_take(m, entries, sizeof *half->into);
  *work = allocator_take(m, entries, sizeof **work);         // next has no more entries than this
  if (half->active == NULL || half->aggregate == NULL || half->into == NULL || *work == NULL)
    return -2;
  if (g->weakens) pair_scales(g, l, half);
  else for (int32_t p = 0; p < entries; p++) half->scale[p] = 1.0;
  sum_up(g, l, half);
  const int32_t count = aggregates_pairs(half, 0, half->aggregate, half->into, &axis);
  if (count == 0 || count > l->n - l->n/5) return 1;
  if (coarsen(m, half, half->aggregate, count, next, half->into) != 0) return -2;
  if (add_mask(m, next) != 0 ||
      halve_places(m, half, half->aggregate, axis_bit(axis), next) != 0) return -2;
  if (g->weakens) pair_scales(g, half, next);
  else for (int32_t p = 0; p < next->colptr[count]; p++) next->scale[p] = 1.0;
  sum_up(g, half, next);
  for (int32_t i = 0; i < l->n; i++)
    if (l->aggregate[i] != NONE) l->aggregate[i] = half->aggregate[l->aggregate[i]];
  for (int32_t p = 0; p < l->colptr[l->n]; p++)
    if (l->into[p] != NONE) l->into[p] = half->into[l->into[p]];
  join_scales(l, next, *work);
  return join_members(m, l, next);
}

// Joins rows in blocks. Returns 0; 1: the lattice does not allow blocks; -2: no memory.
static int block_once(const aggregation *g, level *l, level *next) {
  const perp_allocator *m = &g->allocator;
  int32_t halved;
  const int32_t count = aggregates_blocks(l, l->aggregate, &halved);
  if (count == 0 || count > l->n/2) return 1;
  if (coarsen(m, l, l->aggregate, count, next, l->into) != 0 || add_mask(m, next) != 0 ||
      halve_places(m, l, l->aggregate, halved, next) != 0) return -2;
  pair_scales(g, l, next);
  sum_up(g, l, next);
  return 0;
}

static int add_level(aggregation *g) {
  const perp_allocator *m = &g->allocator;
  level half = {0}, *l = &g->at[g->levels - 1], *next = &g->at[g->levels];
  double *work = NULL;
  l->aggregate = allocator_take(m, l->n, sizeof *l->aggregate);
  l->into = allocator_take(m, l->colptr[l->n], sizeof *l->into);
  if (l->aggregate == NULL || l->into == NULL) return -2;
  int failed = l->place != NULL && g->weakens ? block_once(g, l, next) : 1;
  if (failed == 1) failed = pair_twice(g, l, &half, next, &work);
  allocator_drop(&g->allocator, work);
  level_free(&g->allocator, &half, 0);
  if (failed == 0) g->levels++;
  else level_free(&g->allocator, next, 0);
  return failed;
}

static int find_lattice(const perp_allocator *m, level *l) {
  l->place = allocator_take(m, l->n, sizeof *l->place);
  int32_t *queue = allocator_take(m, l->n, sizeof *queue);
  const int failed = l->place == NULL || queue == NULL ? -2 : 0;
  if (failed == 0 && !row_places_find(l->n, l->colptr, l->row, l->place, queue)) {
    allocator_drop(m, l->place);
    l->place = NULL;
  }
  allocator_drop(m, queue);
  return failed;
}

// 1: no coupling is positive, and no row sum is negative beyond rounding.
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
    S[i] *= 1.0 + 1e-12;   // makes parts without a leak regular; exact enough for CG
  }
  g->dense_fine = lu_factor(m, g->dense, g->pivot, 0.0, NULL) == 0;
}

aggregation *aggregation_create(const perp_csc *A, team *threads, const perp_allocator *allocator,
                                const perp_deadline *deadline, int *failed) {
  const perp_allocator m = allocator_of(allocator);
  aggregation *g = allocator_take(&m, 1, sizeof *g);
  *failed = -2;
  if (g == NULL) return NULL;
  memset(g, 0, sizeof *g);
  g->allocator = m;
  g->threads = threads;
  g->levels = 1;
  level *finest = &g->at[0];
  *finest = (level){.n = A->columns, .colptr = A->colptr, .row = A->row, .value = A->value};
  finest->diagonal = allocator_take(&m, A->columns, sizeof *finest->diagonal);
  int state = finest->diagonal != NULL ? add_mask(&m, finest) : -2;
  double largest = 0.0;
  for (int32_t j = 0; state == 0 && j < A->columns; j++) {
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      if (A->row[p] == j) finest->diagonal[j] = p;
    largest = max2(largest, A->value[finest->diagonal[j]]);
  }
  int exponent = 0;
  frexp(largest, &exponent);
  g->unit = power_of_two_within(-exponent, 1000);
  g->weakens = state == 0 && is_laplacian(A);
  if (state == 0) state = find_lattice(&m, finest);
  while (state == 0 && g->levels < AGGREGATION_LEVELS_MAX &&
         g->at[g->levels - 1].n > DIRECT_ROWS_MAX) {
    if (deadline_passed(deadline)) {
      state = -1;
      break;
    }
    state = add_level(g);
  }
  if (state == 1) state = 0;   // this level is the last
  const int32_t last = g->at[g->levels - 1].n;
  if (state == 0 && last <= DIRECT_ROWS_MAX) {
    g->dense = allocator_take(&m, (int64_t)last*last, sizeof *g->dense);
    g->pivot = allocator_take(&m, last, sizeof *g->pivot);
    g->last = allocator_take(&m, last, sizeof *g->last);
    if (g->dense == NULL || g->pivot == NULL || g->last == NULL) state = -2;
  }
  if (state == 0 && deadline_passed(deadline)) state = -1;
  if (state == 0) state = add_slices(g);
  *failed = state;
  if (state != 0) {
    aggregation_destroy(g);
    return NULL;
  }
  if (g->dense != NULL) factor_last(g);
  g->threads = NULL;
  return g;
}

void aggregation_destroy(aggregation *g) {
  if (g == NULL) return;
  const perp_allocator m = g->allocator;
  for (int32_t k = 0; k < g->levels; k++) level_free(&m, &g->at[k], k == 0);
  allocator_drop(&m, g->dense);
  allocator_drop(&m, g->pivot);
  allocator_drop(&m, g->last);
  allocator_drop(&m, g->sums);
  allocator_drop(&m, g->total);
  allocator_drop(&m, g);
}

// Adds row c of level l to the rows to be computed again.
static void mark_changed(level *l, int32_t c, int32_t *count) {
  if (c == NONE || l->dirty[c]) return;
  l->dirty[c] = 1;
  l->changed[(*count)++] = c;
}

static void recompute_row(const aggregation *g, const level *l, level *next, int32_t c) {
  sum_row(l, next, c);
  float_matrix_row(&next->s, c, next->colptr, next->row, next->value, g->unit, next->active[c]);
  next->dirty[c] = 0;
}

void aggregation_mask(aggregation *g, int32_t from, const uint8_t *is_free) {
  level *first = &g->at[from];
  int32_t flipped = 0;
  for (int32_t i = 0; i < first->n; i++) {
    const uint8_t active = is_free == NULL || is_free[i];
    if (active == first->active[i]) continue;
    first->active[i] = active;
    first->changed[flipped++] = i;
    float_matrix_row_mask(&first->s, i, first->colptr, first->row, first->value, g->unit, active);
  }
  int known = 1;   // 1: the coarser levels belong to the previous mask of level `from`
  for (int32_t k = 0; k < g->levels; k++) known &= !g->at[k].masked;
  known |= g->masked == from;
  g->masked = from;
  first->masked = is_free != NULL;
  if (flipped == 0 && known) return;
  int all = !known;
  int32_t count = flipped;
  for (int32_t k = from; k + 1 < g->levels; k++) {
    level *l = &g->at[k], *next = &g->at[k + 1];
    int32_t found = 0;
    for (int32_t j = 0; !all && j < count; j++) {
      const int32_t i = l->changed[j];
      mark_changed(next, l->aggregate[i], &found);
      for (int32_t p = l->colptr[i]; k == from && p < l->colptr[i + 1]; p++)
        mark_changed(next, l->aggregate[l->row[p]], &found);
    }
    if (all)
      for (int32_t c = 0; c < next->n; c++) recompute_row(g, l, next, c);
    else
      for (int32_t j = 0; j < found; j++) recompute_row(g, l, next, next->changed[j]);
    count = found;
  }
  if (g->dense != NULL) factor_last(g);
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
