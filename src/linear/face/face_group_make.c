// face_group_make.c: makes the pattern of the slots' matrix and maps the entries of A into it.
//
// The rows of a group have one pattern, so two groups couple wholly or not at all. The columns of
// the slots of g have the slots of the same groups. All columns of A in g have their entries in the
// same places, so one table per group maps them.
// Cost: a few passes over A and over the pattern of the slots, and the analysis of that pattern.
#include "face_group.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "arena.h"
#include "assemble.h"
#include "vector.h"

enum { NONE = -1 };

typedef struct neighbours {  // groups that couple, each with itself
  int32_t *start, *group;    // count + 1; ascending in each
} neighbours;

void group_face_clear(group_face *f) {
  const perp_allocator memory = f->memory;
  sparse_ldl_destroy(f->ldl);
  groups_free(&memory, &f->g);
  assembled_free(&memory, &f->A);
  for (int k = 0; k < 2; k++)
    if (f->block[k] != NULL) memory.release(memory.context, f->block[k]);
}

static int take(const perp_allocator *memory, arena *counted, void **block) {
  const size_t bytes = arena_block_bytes(counted);
  *block = bytes != SIZE_MAX ? memory->allocate(memory->context, bytes) : NULL;
  if (*block == NULL) return -2;
  *counted = arena_on_block(*block, bytes);
  return 0;
}

// A <- (A + A')/2, and R, powers of two: the diagonal near 1, or the largest entry if it is 0. next:
// n, work. Returns 0 if the pattern is not symmetric.
static int symmetrise(group_face *f, int32_t *next) {
  const perp_csc *A = &f->A;
  for (int32_t j = 0; j < f->n; j++) next[j] = A->colptr[j];
  for (int32_t j = 0; j < f->n; j++) {
    double largest = 0.0, diagonal = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p], q = next[i]++;
      if (q >= A->colptr[i + 1] || A->row[q] != j) return 0;
      if (i > j && f->value[p] != f->value[q])
        f->value[p] = f->value[q] = 0.5*(f->value[p] + f->value[q]);
      if (i == j) diagonal = fabs(f->value[p]);
      largest = max2(largest, fabs(f->value[p]));
    }
    f->r[j] = power_near_root(diagonal > 0x1p-60*largest ? diagonal : largest, SCALE_EXPONENT_MAX);
  }
  return 1;
}

// Scales rows and columns by R, and the weights with them.
static void scale(group_face *f) {
  const perp_csc *A = &f->A;
  f->norm = 0.0;
  for (int32_t j = 0; j < f->n; j++) {
    double sum = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      sum += fabs(f->value[p] *= f->r[j]*f->r[A->row[p]]);
    f->norm = max2(f->norm, sum);
  }
  for (int32_t g = 0; g < f->count; g++) {
    const int32_t r = f->part[g].r, *row = f->g.row + f->g.start[g];
    double *T = f->g.T + f->g.weight[g];
    for (int32_t i = 0; i < f->part[g].m; i++)
      for (int32_t k = 0; k < r; k++)
        T[i*r + k] *= f->r[row[i]]/f->r[f->g.skeleton[first_slot(f, g) + k]];
  }
}

void group_face_diagonal(group_face *f, double sigma, const double *more) {
  f->sigma = sigma;
  f->more = more;
  f->factored = f->ready = 0;
  memset(f->stale, 1, (size_t)f->count);
  for (int32_t i = 0; i < f->n; i++) {   // the diagonal of R A R is near 1
    const double d = min2(f->r[i]*f->r[i]*(more != NULL ? more[i] : sigma), FACE_DIAGONAL_MAX);
    f->s[i] = d < 2.0 ? 1.0 : power_near_root(d, SCALE_EXPONENT_MAX);
    f->d[i] = d*f->s[i]*f->s[i];
  }
}

// Sets the row, group and position of everything, and the values of A and T.
static int load(group_face *f) {
  const groups *g = &f->g;
  if (!symmetrise(f, f->group)) return 1;
  for (int32_t h = 0; h < f->count; h++) {
    const int32_t *row = g->row + g->start[h], m = f->part[h].m;
    for (int32_t k = 0; k < m; k++) f->group[row[k]] = h;
    for (int32_t k = 0; k < f->part[h].r; k++) {
      const int32_t slot = first_slot(f, h) + k;
      for (int32_t i = 0; i < m; i++)
        if (row[i] == g->skeleton[slot]) f->skeleton[slot] = i;
    }
  }
  scale(f);
  group_face_diagonal(f, f->sigma, f->more);
  return 0;
}

// Visiting the groups in order fills the lists of their neighbours in order. next, mark: count,
// work.
static void find_neighbours(const group_face *f, neighbours *N, int32_t *next, int32_t *mark) {
  for (int32_t g = 0; g < f->count; g++) mark[g] = NONE;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t g = 0; g <= f->count && pass == 0; g++) N->start[g] = 0;
    for (int32_t g = 0; g < f->count && pass == 1; g++) {
      next[g] = N->start[g];
      N->start[g + 1] += N->start[g];
      mark[g] = NONE;
    }
    for (int32_t g = 0; g < f->count; g++) {
      const int32_t first = f->g.row[f->g.start[g]];
      for (int32_t p = f->A.colptr[first]; p < f->A.colptr[first + 1]; p++) {
        const int32_t h = f->group[f->A.row[p]];
        if (mark[h] == g) continue;
        mark[h] = g;
        if (pass == 0) N->start[h + 1]++;
        else N->group[next[h]++] = g;
      }
    }
  }
}

// Tables for g: where a column of S has the slots of each neighbour, and where a column of A has
// the rows of g. at: count, work. Returns the length of a column of S.
static int32_t tables(group_face *f, const neighbours *N, int32_t g, int32_t *at) {
  const int32_t *row = f->g.row + f->g.start[g], m = f->part[g].m;
  const int32_t from = f->A.colptr[row[0]], length = f->A.colptr[row[0] + 1] - from;
  int32_t filled = 0, own = 0;
  for (int32_t p = N->start[g]; p < N->start[g + 1]; p++) {
    at[N->group[p]] = filled;
    filled += f->part[N->group[p]].r;
  }
  for (int32_t p = 0; p < length; p++) {
    const int32_t i = f->A.row[from + p];
    f->base_at[f->base_from[g] + p] = at[f->group[i]];
    if (own < m && row[own] == i) f->inside[f->g.start[g] + own++] = p;
  }
  return filled;
}

// Makes the pattern of S. next: slots, work.
static void pattern(group_face *f, const neighbours *N, int32_t *next) {
  for (int32_t g = 0; g < f->count; g++)
    for (int32_t k = first_slot(f, g); k < first_slot(f, g + 1); k++) {
      int32_t *to = f->row + f->colptr[k];
      for (int32_t p = N->start[g]; p < N->start[g + 1]; p++)
        for (int32_t l = first_slot(f, N->group[p]); l < first_slot(f, N->group[p] + 1); l++)
          *to++ = l;
    }
  for (int32_t k = 0; k < f->slots; k++) next[k] = f->colptr[k];
  for (int32_t k = 0; k < f->slots; k++)
    for (int32_t p = f->colptr[k]; p < f->colptr[k + 1]; p++) f->mirror[p] = next[f->row[p]]++;
  f->S = (perp_csc){f->slots, f->slots, f->colptr, f->row, f->S_value};
}

typedef struct sizes { int32_t m, r; size_t weights, squares, blocks, bases, longest; } sizes;

static sizes measure(const group_face *f) {
  sizes s = {1, 1, 0, 0, 0, 0, 1};
  for (int32_t g = 0; g < f->count; g++) {
    const int32_t m = f->g.start[g + 1] - f->g.start[g], first = f->g.row[f->g.start[g]];
    const int32_t r = first_slot(f, g + 1) - first_slot(f, g);
    const size_t length = (size_t)(f->A.colptr[first + 1] - f->A.colptr[first]);
    if (m > s.m) s.m = m;
    if (r > s.r) s.r = r;
    if (length > s.longest) s.longest = length;
    s.weights += (size_t)m*(size_t)r;
    s.squares += (size_t)m*(size_t)m;
    s.blocks += (size_t)r*(size_t)r;
    s.bases += length;
  }
  return s;
}

// Allocates the arrays by the sizes of the groups.
static int take_arrays(group_face *f, const sizes *s) {
  const size_t n = (size_t)f->n, slots = (size_t)f->slots, count = (size_t)f->count;
  const size_t m = (size_t)s->m, r = (size_t)s->r;
  double *T = NULL, *X = NULL, *L = NULL, *K = NULL;
  int32_t *slot = NULL, *rest = NULL;
  arena a = {0};
  for (int pass = 0; pass < 2; pass++) {
    f->part = ARENA_ARRAY(&a, group_free, count);
    T = ARENA_ARRAY(&a, double, s->weights);
    X = ARENA_ARRAY(&a, double, s->weights);
    L = ARENA_ARRAY(&a, double, s->squares);
    K = ARENA_ARRAY(&a, double, s->blocks);
    double **const by_row[] = {&f->r, &f->s, &f->d, &f->rhs, &f->rest, &f->left};
    for (size_t k = 0; k < sizeof by_row/sizeof by_row[0]; k++)
      *by_row[k] = ARENA_ARRAY(&a, double, n);
    f->t = ARENA_ARRAY(&a, double, slots);
    f->plus = ARENA_ARRAY(&a, double, slots);
    f->B = ARENA_ARRAY(&a, double, m*m);
    f->W = ARENA_ARRAY(&a, double, m*r);
    f->x = ARENA_ARRAY(&a, double, s->longest);
    f->y = ARENA_ARRAY(&a, double, m);
    f->D = ARENA_ARRAY(&a, double, r*r);
    f->V = ARENA_ARRAY(&a, double, r*r);
    f->lambda = ARENA_ARRAY(&a, double, r);
    slot = ARENA_ARRAY(&a, int32_t, slots);
    rest = ARENA_ARRAY(&a, int32_t, n);
    int32_t **const rows[] = {&f->group, &f->inside, &f->slot_of};
    for (size_t k = 0; k < 3; k++) *rows[k] = ARENA_ARRAY(&a, int32_t, n);
    f->skeleton = ARENA_ARRAY(&a, int32_t, slots);
    f->slot_row = ARENA_ARRAY(&a, int32_t, slots);
    f->colptr = ARENA_ARRAY(&a, int32_t, slots + 1);
    f->touched = ARENA_ARRAY(&a, int32_t, count);
    f->base_from = ARENA_ARRAY(&a, int64_t, count + 1);
    f->base_at = ARENA_ARRAY(&a, int32_t, s->bases);
    f->basis = ARENA_ARRAY(&a, int32_t, r);
    f->index = ARENA_ARRAY(&a, int32_t, r);
    f->slot_kept = ARENA_ARRAY(&a, uint8_t, slots);
    f->maybe = ARENA_ARRAY(&a, uint8_t, slots);
    f->kept = ARENA_ARRAY(&a, uint8_t, n);
    f->stale = ARENA_ARRAY(&a, uint8_t, count);
    f->mask = ARENA_ARRAY(&a, uint8_t, m);
    if (pass == 0 && take(&f->memory, &a, &f->block[0]) != 0) return -2;
  }
  f->base_from[0] = 0;
  for (int32_t g = 0; g < f->count; g++) {
    const int32_t rows = f->g.start[g + 1] - f->g.start[g], first = f->g.row[f->g.start[g]];
    const int32_t dimensions = first_slot(f, g + 1) - first_slot(f, g);
    f->part[g] = (group_free){.m = rows, .r = dimensions, .slot = slot, .rest = rest, .T = T,
                              .X = X, .L = L, .K = K};
    slot += dimensions;
    rest += rows;
    T += (size_t)rows*(size_t)dimensions;
    X += (size_t)rows*(size_t)dimensions;
    L += (size_t)rows*(size_t)rows;
    K += (size_t)dimensions*(size_t)dimensions;
    f->base_from[g + 1] = f->base_from[g] + (f->A.colptr[first + 1] - f->A.colptr[first]);
    f->blocks += group_flops(rows, dimensions);
  }
  for (int32_t k = 0; k < f->slots; k++) {
    f->slot_row[k] = NONE;
    f->slot_kept[k] = 0;
    f->plus[k] = 1.0;
  }
  for (int32_t g = 0; g < f->count; g++)
    for (int32_t k = 0; k < f->part[g].r; k++) f->part[g].slot[k] = NONE;
  for (int32_t i = 0; i < f->n; i++) {
    f->slot_of[i] = NONE;
    f->kept[i] = 0;
  }
  return 0;
}

static int take_pattern(group_face *f, size_t entries) {
  arena a = {0};
  for (int pass = 0; pass < 2; pass++) {
    f->row = ARENA_ARRAY(&a, int32_t, entries);
    f->mirror = ARENA_ARRAY(&a, int32_t, entries);
    f->S_value = ARENA_ARRAY(&a, double, entries);
    if (pass == 0 && take(&f->memory, &a, &f->block[1]) != 0) return -2;
  }
  return 0;
}

// Makes tables, pattern and analysis.
static int analyse(group_face *f, size_t bases) {
  const size_t count = (size_t)f->count;
  neighbours N = {0};
  int32_t *next = NULL, *mark = NULL;
  void *scratch = NULL;
  arena a = {0};
  for (int pass = 0; pass < 2; pass++) {
    N.start = ARENA_ARRAY(&a, int32_t, count + 1);
    N.group = ARENA_ARRAY(&a, int32_t, bases);
    next = ARENA_ARRAY(&a, int32_t, f->slots);   // at least as many as groups
    mark = ARENA_ARRAY(&a, int32_t, count);
    if (pass == 0 && take(&f->memory, &a, &scratch) != 0) return -2;
  }
  find_neighbours(f, &N, next, mark);
  f->colptr[0] = 0;
  for (int32_t g = 0; g < f->count; g++) {
    const int32_t length = tables(f, &N, g, mark);
    for (int32_t k = first_slot(f, g); k < first_slot(f, g + 1); k++)
      f->colptr[k + 1] = f->colptr[k] + length;
  }
  int code = take_pattern(f, (size_t)f->colptr[f->slots]);
  if (code == 0) {
    pattern(f, &N, next);
    code = sparse_ldl_analyse(f->ldl, &f->S);
  }
  f->memory.release(f->memory.context, scratch);
  return code;
}

int group_face_make(group_face *f, perp_csc *A, groups *g) {
  f->n = A->columns;
  f->count = g->count;
  f->slots = g->slot != NULL ? g->slot[g->count] : 0;
  f->A = *A;
  f->value = (double *)A->value;   // assemble_csc made it, so it may be changed
  f->g = *g;
  const sizes s = measure(f);
  if (s.m > f->rows_max) {
    f->A = (perp_csc){0};
    f->g = (groups){0};
    return 1;
  }
  *A = (perp_csc){0};
  *g = (groups){0};
  f->ldl = sparse_ldl_create(&f->memory);
  int code = f->ldl != NULL ? take_arrays(f, &s) : -2;
  if (code == 0) code = load(f);
  if (code == 0) code = analyse(f, s.bases);
  if (code == 0) sparse_ldl_regularise(f->ldl, f->plus, 0.0);
  return code;
}
