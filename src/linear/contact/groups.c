// groups.c: finds the rows of a symmetric A that share a pattern and span few dimensions.
//
// Rows i and j belong together if their patterns are equal. Each pattern then contains the other
// row, because the diagonal is stored. Patterns are compared if their hashes agree. Elimination
// with complete pivoting splits G = A(g, outside of g), with rows scaled to a largest entry of 1:
//     G = L U,   T = L L_s^-1   with L_s the pivot rows of L, the skeleton
// It ends when no remaining entry exceeds GROUPS_ROUNDING, which proves that T represents all of G.
// Complete pivoting keeps the entries of T small in practice (below 2^r in theory). A class is given
// up if its rank is above GROUPS_RANK_MAX or close to its size.
// Cost: O(nnz) to hash and to compare, 2 r operations per entry of the groups to eliminate.
#include "groups.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "arena.h"
#include "vector.h"

typedef struct finder {
  const perp_csc *A;
  groups *g;
  uint64_t *hash;            // n: hash of a column's pattern
  int32_t *table;            // mask + 1: first columns of the classes, by hash; -1: none
  uint32_t mask;
  int32_t *leader;           // n: first column with the same pattern
  int32_t *next, *last;      // n: links of the columns of a class; last of a leader's class
  int32_t *size;             // n: size of a leader's class
  int32_t *position;         // n: scratch
  double *G;                 // largest class: rows x columns outside
  double *L;                 // largest class x GROUPS_RANK_MAX
  double *scale;             // largest class: largest entry of each row
  // Largest class: largest remaining entry of a row; -1: the row was a pivot.
  double *left;
  void *block;
} finder;

// ---- classes of equal patterns ----

// The finaliser of splitmix64: every input bit changes all output bits.
static uint64_t mix(uint64_t h) {
  h = (h ^ h >> 30)*0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 27)*0x94d049bb133111ebu;
  return h ^ h >> 31;
}

static uint64_t pattern_hash(const perp_csc *A, int32_t j) {
  uint64_t h = 0;
  for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
    h = (h ^ (uint32_t)A->row[p])*0x9e3779b97f4a7c15u + (h >> 29);
  return mix(h);
}

static int same_pattern(const perp_csc *A, int32_t i, int32_t j) {
  const int32_t length = A->colptr[i + 1] - A->colptr[i];
  if (A->colptr[j + 1] - A->colptr[j] != length) return 0;
  return memcmp(A->row + A->colptr[i], A->row + A->colptr[j], (size_t)length*sizeof *A->row) == 0;
}

// Returns the number of classes, or stops once it exceeds `most`.
static int32_t classify(finder *f, double most) {
  const perp_csc *A = f->A;
  int32_t classes = 0;
  for (uint32_t k = 0; k <= f->mask; k++) f->table[k] = -1;
  for (int32_t j = 0; j < A->columns; j++) {
    f->hash[j] = pattern_hash(A, j);
    f->next[j] = -1;
    uint32_t k = (uint32_t)f->hash[j] & f->mask;
    for (; f->table[k] >= 0; k = (k + 1) & f->mask)
      if (f->hash[f->table[k]] == f->hash[j] && same_pattern(A, f->table[k], j)) break;
    const int32_t first = f->table[k] >= 0 ? f->table[k] : j;
    f->leader[j] = first;
    if (first == j) {
      f->table[k] = j;
      f->size[j] = 0;
      if (++classes > most) return classes;
    } else {
      f->next[f->last[first]] = j;
    }
    f->last[first] = j;
    f->size[first]++;
  }
  return classes;
}

// ---- rank and weights of one class ----

// Row i of G: the values of its column except those in the class. Returns 1 if they are finite.
static int gather(finder *f, int32_t m, const int32_t *row, int32_t columns) {
  const perp_csc *A = f->A;
  const int32_t begin = A->colptr[row[0]], length = A->colptr[row[0] + 1] - begin;
  int32_t *own = f->position;
  double bad = 0.0;
  for (int32_t p = 0, k = 0; k < m; p++)
    if (A->row[begin + p] == row[k]) own[k++] = p;
  for (int32_t i = 0; i < m; i++) {
    const double *from = A->value + A->colptr[row[i]];
    double *to = f->G + (size_t)i*(size_t)columns;
    for (int32_t k = 0, p = 0; k <= m; k++) {   // entries between two rows of the class
      const int32_t end = k < m ? own[k] : length;
      for (; p < end; p++) to[p - k] = from[p];
      p++;
    }
    double largest = 0.0;
    for (int32_t p = 0; p < columns; p++) {
      bad += to[p] - to[p];
      largest = max2(largest, fabs(to[p]));
    }
    f->scale[i] = largest;
    f->left[i] = largest > 0.0 ? 1.0 : 0.0;
    const double by = largest > 0.0 ? 1.0/largest : 0.0;
    for (int32_t p = 0; p < columns; p++) to[p] *= by;
  }
  return bad == 0.0;
}

// row -= l U. Returns the largest entry. Four independent chains run in parallel.
static double subtract(int32_t columns, double *restrict row, double l, const double *restrict U) {
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  int32_t p = 0;
  for (; p + 4 <= columns; p += 4) {
    a = max2(fabs(row[p] -= l*U[p]), a);
    b = max2(fabs(row[p + 1] -= l*U[p + 1]), b);
    c = max2(fabs(row[p + 2] -= l*U[p + 2]), c);
    d = max2(fabs(row[p + 3] -= l*U[p + 3]), d);
  }
  for (; p < columns; p++) a = max2(fabs(row[p] -= l*U[p]), a);
  return max2(max2(a, b), max2(c, d));
}

// Eliminates. Returns the rank, with the pivot rows in f->position. 0: the rank is above `most`.
static int32_t eliminate(finder *f, int32_t m, int32_t columns, int32_t most) {
  for (int32_t rank = 0;; rank++) {
    int32_t best = 0, at = 0;
    for (int32_t i = 1; i < m; i++)
      if (f->left[i] > f->left[best]) best = i;
    if (!(f->left[best] > GROUPS_ROUNDING)) return rank;
    if (rank == most) return 0;
    const double *U = f->G + (size_t)best*(size_t)columns;
    for (int32_t p = 1; p < columns; p++)
      if (fabs(U[p]) > fabs(U[at])) at = p;
    f->position[rank] = best;
    f->left[best] = -1.0;
    for (int32_t i = 0; i < m; i++) {
      double *L = f->L + (size_t)i*GROUPS_RANK_MAX + rank;
      *L = i == best ? 1.0 : 0.0;
      if (f->left[i] < 0.0) continue;   // an earlier pivot, as U is upper triangular
      double *row = f->G + (size_t)i*(size_t)columns;
      *L = row[at]/U[at];
      f->left[i] = subtract(columns, row, *L, U);
    }
  }
}

// T = scale L L_s^-1 scale_s^-1. L_s is unit lower triangular in the order of the pivots.
static void weigh(finder *f, int32_t m, int32_t rank, double *T) {
  for (int32_t i = 0; i < m; i++) {
    double *t = T + (size_t)i*(size_t)rank;
    for (int32_t k = rank - 1; k >= 0; k--) {
      double sum = f->L[(size_t)i*GROUPS_RANK_MAX + (size_t)k];
      for (int32_t l = k + 1; l < rank; l++)
        sum -= t[l]*f->L[(size_t)f->position[l]*GROUPS_RANK_MAX + (size_t)k];
      t[k] = sum;
    }
    for (int32_t k = 0; k < rank; k++) t[k] *= f->scale[i]/f->scale[f->position[k]];
  }
  for (int32_t k = 0; k < rank; k++)
    for (int32_t l = 0; l < rank; l++)
      T[(size_t)f->position[k]*(size_t)rank + (size_t)l] = k == l ? 1.0 : 0.0;
}

// Appends the class of `first` as one group, or as groups of one.
static void append(finder *f, int32_t first) {
  groups *g = f->g;
  int32_t m = 0, *row = g->row + g->start[g->count];
  for (int32_t j = first; j >= 0; j = f->next[j]) row[m++] = j;
  const int32_t columns = f->A->colptr[first + 1] - f->A->colptr[first] - m;
  const int32_t limit = (int32_t)min2(GROUPS_SKELETON_MAX*m, GROUPS_RANK_MAX);
  double *T = g->T + g->weight[g->count];
  int32_t rank = 0;
  if (m > 1 && columns > 0 && limit > 0) {
    if (gather(f, m, row, columns)) rank = eliminate(f, m, columns, limit);
    if (rank > 0) weigh(f, m, rank, T);
  }
  const int32_t added = rank > 0 ? 1 : m, each = rank > 0 ? m : 1;
  for (int32_t k = 0; k < added; k++) {
    const int32_t c = g->count++;
    g->start[c + 1] = g->start[c] + each;
    g->slot[c + 1] = g->slot[c] + (rank > 0 ? rank : 1);
    g->weight[c + 1] = g->weight[c] + (rank > 0 ? (int64_t)m*rank : 1);
    if (rank > 0) {
      for (int32_t l = 0; l < rank; l++) g->skeleton[g->slot[c] + l] = row[f->position[l]];
    } else {
      g->skeleton[g->slot[c]] = row[k];
      g->T[g->weight[c]] = 1.0;
    }
  }
}

// ---- memory ----

static int take(const perp_allocator *memory, arena *counted, void **block) {
  const size_t bytes = arena_block_bytes(counted);
  *block = bytes != SIZE_MAX ? memory->allocate(memory->context, bytes) : NULL;
  if (*block == NULL) return -2;
  *counted = arena_on_block(*block, bytes);
  return 0;
}

static int prepare_classes(finder *f, const perp_allocator *memory) {
  const int32_t n = f->A->columns;
  uint32_t length = 16;
  while (length < 2*(uint32_t)n) length *= 2;
  f->mask = length - 1;
  arena a = {0};
  for (int pass = 0; pass < 2; pass++) {
    f->hash = ARENA_ARRAY(&a, uint64_t, n);
    f->table = ARENA_ARRAY(&a, int32_t, length);
    int32_t **const lists[] = {&f->leader, &f->next, &f->last, &f->size, &f->position};
    for (size_t k = 0; k < sizeof lists/sizeof lists[0]; k++)
      *lists[k] = ARENA_ARRAY(&a, int32_t, n);
    if (pass == 0 && take(memory, &a, &f->block) != 0) return -2;
  }
  return 0;
}

static int prepare_groups(finder *f, const perp_allocator *memory, void **scratch) {
  const int32_t n = f->A->columns;
  groups *g = f->g;
  size_t entries = 0, rows = 0, weights = 0;
  for (int32_t j = 0; j < n; j++) {
    if (f->leader[j] != j) continue;
    const size_t m = (size_t)f->size[j], rank = m < GROUPS_RANK_MAX ? m : GROUPS_RANK_MAX;
    const size_t columns = (size_t)(f->A->colptr[j + 1] - f->A->colptr[j]) - m;
    if (m*columns > entries) entries = m*columns;
    if (m > rows) rows = m;
    weights += m*rank;
  }
  arena a = {0};
  for (int pass = 0; pass < 2; pass++) {
    g->start = ARENA_ARRAY(&a, int32_t, n + 1);
    g->row = ARENA_ARRAY(&a, int32_t, n);
    g->slot = ARENA_ARRAY(&a, int32_t, n + 1);
    g->skeleton = ARENA_ARRAY(&a, int32_t, n);
    g->weight = ARENA_ARRAY(&a, int64_t, n + 1);
    g->T = ARENA_ARRAY(&a, double, weights);
    if (pass == 0 && take(memory, &a, &g->block) != 0) return -2;
  }
  a = (arena){0};
  for (int pass = 0; pass < 2; pass++) {
    f->G = ARENA_ARRAY(&a, double, entries);
    f->L = ARENA_ARRAY(&a, double, rows*GROUPS_RANK_MAX);
    f->scale = ARENA_ARRAY(&a, double, rows);
    f->left = ARENA_ARRAY(&a, double, rows);
    if (pass == 0 && take(memory, &a, scratch) != 0) return -2;
  }
  return 0;
}

int groups_find(const perp_csc *A, double most, const perp_allocator *allocator, groups *out) {
  const perp_allocator memory = allocator_of(allocator);
  const int32_t n = A->columns;
  finder f = {.A = A, .g = out};
  void *scratch = NULL;
  *out = (groups){.n = n};
  int failed = prepare_classes(&f, &memory);
  if (failed == 0 && classify(&f, most*n) > most*n) failed = 1;
  if (failed == 0) failed = prepare_groups(&f, &memory, &scratch);
  if (failed == 0) {
    out->start[0] = out->slot[0] = 0;
    out->weight[0] = 0;
    for (int32_t j = 0; j < n && out->slot[out->count] <= most*n; j++)
      if (f.leader[j] == j) append(&f, j);
    failed = out->slot[out->count] > most*n;
  }
  if (scratch != NULL) memory.release(memory.context, scratch);
  if (f.block != NULL) memory.release(memory.context, f.block);
  if (failed != 0) groups_free(&memory, out);
  return failed;
}

void groups_free(const perp_allocator *allocator, groups *g) {
  const perp_allocator memory = allocator_of(allocator);
  if (g->block != NULL) memory.release(memory.context, g->block);
  *g = (groups){0};
}
