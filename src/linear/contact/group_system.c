// group_system.c: solves (A + diag(q)) z = r through the groups of A, for many q.
//
// A = T S0 T' + A_gg on the diagonal blocks (groups.h). With A_gg + D_g = L L' and L^-1 T_g = Q R,
// Q'Q = I, both small and dense,
//     L^-1 (A + D) L^-T = I + Q R S0 R' Q'
// so that with w = L^-1 r and h = Q'w
//     (I + R S0 R') u = h,   z = L^-T (w - Q (h - u)).
// I + R S0 R' has a row per skeleton row and a diagonal of 1, and is positive definite exactly if
// A + D is. So no scaling is needed. Neither is the inverse of C = T'(A_gg + D_g)^-1 T, which does
// not exist if fewer rows than dimensions are kept. Rows that are not kept are zero in T.
// Refinement with A itself removes the rounding errors in T.
// Cost of a factorisation: m^3/3 + m^2 r + 4 m r^2 per group of m rows and rank r, 2 r per entry of
// S0, and the sparse factor. With half of the rows that takes an eighth of the operations of A.
#include "group_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "arena.h"
#include "error_free.h"
#include "groups.h"
#include "dense_kernels.h"
#include "sparse_ldl.h"
#include "vector.h"

#define PIVOT_MIN 0x1p-50           // of A_gg + D_g, relative to its diagonal; less is rounding
#define INDEPENDENT_NORM_MIN 1e-14  // of a column of L^-1 T, relative to it before Gram and Schmidt
#define ROW_OVERHEAD_FLOPS 100.0    // operations per row beside the arithmetic
#define POLL_FLOPS 1e6              // operations between two checks of the deadline: < 1 ms

struct group_system {
  perp_allocator allocator;
  const perp_csc *A;
  groups g;
  int32_t n, slots;
  int32_t *group_of;         // n
  perp_csc S;                // slots: I + R S0 R' with full diagonal blocks
  double *S0;                // its entries without R and I, 0 within a group
  double *value;             // those of S
  int32_t *filled;           // count: scratch
  int32_t *block;            // count + 1: start of a group's blocks in S
  int32_t *partner;          //   the partner group of each block, on either side, ascending
  sparse_ldl *ldl;
  int64_t *square;           // count + 1: start of L_g, m_g x m_g by rows
  double *own;               // like L: A_gg up to the diagonal
  double *L;                 // with an inverted diagonal
  double *Q;                 // like T, but m_g x r_g by columns
  int64_t *corner;           // count + 1: start of R_g
  double *R;                 // r_g x r_g by rows, upper triangular
  double *w, *z, *rest, *before;   // n
  double *d;                 // n: (A + D)_ii^-1/2 of kept rows, else 0
  double *h, *u;             // slots
  const uint8_t *kept;       // n or NULL: as given, stored in `mask`
  uint8_t *mask;             // n
  double *q;                 // n
  void *memory, *pattern;
};

static int32_t rows_of(const group_system *s, int32_t c) {
  return s->g.start[c + 1] - s->g.start[c];
}
static int32_t rank_of(const group_system *s, int32_t c) {
  return s->g.slot[c + 1] - s->g.slot[c];
}
static int keeps(const group_system *s, int32_t i) { return s->kept == NULL || s->kept[i]; }

// ---- the pattern ----

static void *take(const perp_allocator *memory, arena *counted) {
  const size_t bytes = arena_block_bytes(counted);
  void *block = bytes != SIZE_MAX ? memory->allocate(memory->context, bytes) : NULL;
  if (block != NULL) *counted = arena_on_block(block, bytes);
  return block;
}

static int take_vectors(group_system *s) {
  const size_t n = (size_t)s->n, count = (size_t)s->g.count, slots = (size_t)s->slots;
  size_t squares = 0, corners = 0;
  for (int32_t c = 0; c < s->g.count; c++) {
    squares += (size_t)rows_of(s, c)*(size_t)rows_of(s, c);
    corners += (size_t)rank_of(s, c)*(size_t)rank_of(s, c);
  }
  arena a = {0};
  for (int pass = 0; pass < 2; pass++) {
    s->group_of = ARENA_ARRAY(&a, int32_t, n);
    s->block = ARENA_ARRAY(&a, int32_t, count + 1);
    s->square = ARENA_ARRAY(&a, int64_t, count + 1);
    s->corner = ARENA_ARRAY(&a, int64_t, count + 1);
    s->filled = ARENA_ARRAY(&a, int32_t, count);
    s->own = ARENA_ARRAY(&a, double, squares);
    s->L = ARENA_ARRAY(&a, double, squares);
    s->Q = ARENA_ARRAY(&a, double, s->g.weight[count]);
    s->R = ARENA_ARRAY(&a, double, corners);
    double **const vectors[] = {&s->w, &s->z, &s->rest, &s->before, &s->d, &s->q};
    for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
      *vectors[k] = ARENA_ARRAY(&a, double, n);
    s->h = ARENA_ARRAY(&a, double, slots);
    s->u = ARENA_ARRAY(&a, double, slots);
    s->mask = ARENA_ARRAY(&a, uint8_t, n);
    if (pass == 0 && (s->memory = take(&s->allocator, &a)) == NULL) return -2;
  }
  s->square[0] = s->corner[0] = 0;
  for (int32_t c = 0; c < s->g.count; c++) {
    const int64_t m = rows_of(s, c), r = rank_of(s, c);
    s->square[c + 1] = s->square[c] + m*m;
    s->corner[c + 1] = s->corner[c] + r*r;
    const int32_t *row = s->g.row + s->g.start[c];
    for (int32_t i = 0; i < m; i++) {
      int32_t p = s->A->colptr[row[i]];
      s->group_of[row[i]] = c;
      for (int32_t j = 0; j <= i; j++) {
        while (s->A->row[p] != row[j]) p++;
        s->own[s->square[c] + i*m + j] = s->A->value[p];
      }
    }
  }
  return 0;
}

static int compare(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// The list is sorted unless classes of rows without a common space have been split.
static void sort(int32_t count, int32_t *list) {
  for (int32_t k = 1; k < count; k++)
    if (list[k] < list[k - 1]) {
      qsort(list, (size_t)count, sizeof *list, compare);
      return;
    }
}

// Lists the groups that group c is coupled with, itself included, ascending. mark: count.
static int32_t partners(const group_system *s, int32_t c, int32_t *mark, int32_t *list) {
  const perp_csc *A = s->A;
  const int32_t j = s->g.skeleton[s->g.slot[c]];
  int32_t found = 0;
  for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
    const int32_t other = s->group_of[A->row[p]];
    if (mark[other] == c) continue;
    mark[other] = c;
    list[found++] = other;
  }
  sort(found, list);
  return found;
}

// Blocks between groups are full, because the rows of a group share one symmetric pattern.
static int take_pattern(group_system *s) {
  const perp_csc *A = s->A;
  const groups *g = &s->g;
  const size_t count = (size_t)g->count, n = (size_t)s->n;
  arena a = {0};
  int32_t *mark = NULL, *list = NULL, *where = NULL;
  for (int pass = 0; pass < 2; pass++) {
    mark = ARENA_ARRAY(&a, int32_t, count);
    list = ARENA_ARRAY(&a, int32_t, count);
    where = ARENA_ARRAY(&a, int32_t, n);
    if (pass == 0 && (s->pattern = take(&s->allocator, &a)) == NULL) return -2;
  }
  void *scratch = s->pattern;
  int64_t entries = 0, blocks = 0;
  for (int32_t c = 0; c < g->count; c++) mark[c] = -1;
  for (int32_t c = 0; c < g->count; c++) {
    const int32_t found = partners(s, c, mark, list);
    int64_t height = 0;
    s->block[c] = (int32_t)blocks;
    for (int32_t k = 0; k < found; k++) height += rank_of(s, list[k]);
    entries += height*rank_of(s, c);
    blocks += found;
  }
  s->block[g->count] = (int32_t)blocks;
  s->pattern = NULL;
  arena b = {0};
  int32_t *colptr = NULL, *row = NULL;
  for (int pass = 0; pass < 2; pass++) {
    colptr = ARENA_ARRAY(&b, int32_t, s->slots + 1);
    row = ARENA_ARRAY(&b, int32_t, entries);
    s->value = ARENA_ARRAY(&b, double, entries);
    s->S0 = ARENA_ARRAY(&b, double, entries);
    s->partner = ARENA_ARRAY(&b, int32_t, blocks);
    if (pass == 0 && (s->pattern = take(&s->allocator, &b)) == NULL) break;
  }
  if (s->pattern != NULL) {
    int32_t filled = 0;
    for (int32_t c = 0; c < g->count; c++) mark[c] = -1;
    for (int32_t c = 0; c < g->count; c++) {
      const int32_t found = partners(s, c, mark, s->partner + s->block[c]);
      for (int32_t l = g->slot[c]; l < g->slot[c + 1]; l++) {
        const int32_t j = g->skeleton[l];
        colptr[l] = filled;
        for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) where[A->row[p]] = p;
        for (int32_t k = 0; k < found; k++) {
          const int32_t other = s->partner[s->block[c] + k];
          for (int32_t i = g->slot[other]; i < g->slot[other + 1]; i++) {
            row[filled] = i;
            s->value[filled] = i == l ? 1.0 : 0.0;
            s->S0[filled++] = other == c ? 0.0 : A->value[where[g->skeleton[i]]];
          }
        }
      }
    }
    colptr[s->slots] = filled;
    s->S = (perp_csc){s->slots, s->slots, colptr, row, s->value};
  }
  s->allocator.release(s->allocator.context, scratch);
  return s->pattern != NULL ? 0 : -2;
}

group_system *group_system_create(const perp_csc *A, const perp_allocator *given, int *failed) {
  const perp_allocator allocator = allocator_of(given);
  groups g;
  *failed = groups_find(A, GROUPS_SKELETON_MAX, &allocator, &g);
  if (*failed != 0) return NULL;
  *failed = -2;
  group_system *s = allocator.allocate(allocator.context, sizeof *s);
  if (s == NULL) {
    groups_free(&allocator, &g);
    return NULL;
  }
  *s = (group_system){.allocator = allocator, .A = A, .g = g, .n = A->columns,
                      .slots = g.slot[g.count]};
  s->ldl = sparse_ldl_create(&allocator);
  if (s->ldl != NULL && take_vectors(s) == 0 && take_pattern(s) == 0)
    *failed = sparse_ldl_analyse(s->ldl, &s->S);
  if (*failed == 0) return s;
  group_system_destroy(s);
  return NULL;
}

void group_system_destroy(group_system *s) {
  if (s == NULL) return;
  const perp_allocator allocator = s->allocator;
  sparse_ldl_destroy(s->ldl);
  groups_free(&allocator, &s->g);
  if (s->memory != NULL) allocator.release(allocator.context, s->memory);
  if (s->pattern != NULL) allocator.release(allocator.context, s->pattern);
  allocator.release(allocator.context, s);
}

// ---- factors ----

// done: operations since the last check.
static int is_late(double *done, const perp_deadline *deadline) {
  if (*done < POLL_FLOPS) return 0;
  *done = 0.0;
  return deadline_passed(deadline);
}

// Overwrites A_gg + D_g with L, the diagonal inverted. Returns 0, -1: deadline, or the row of the
// group without a pivot, counted from 1.
static int32_t cholesky(group_system *s, int32_t c, double *done, const perp_deadline *deadline) {
  const int32_t m = rows_of(s, c), *row = s->g.row + s->g.start[c];
  double *L = s->L + s->square[c];
  for (int32_t i = 0; i < m; i++) {
    const int32_t own = row[i], here = keeps(s, own);
    double *to = L + (size_t)i*(size_t)m;
    const double *from = s->own + s->square[c] + (size_t)i*(size_t)m;
    for (int32_t j = 0; j <= i; j++)
      to[j] = here && keeps(s, row[j]) ? from[j] : 0.0;
    to[i] = here ? to[i] + s->q[own] : 1.0;
    if (!(to[i] > 0.0)) return i + 1;
    s->d[own] = here ? 1.0/sqrt(to[i]) : 0.0;
  }
  for (int32_t i = 0; i < m; i++) {
    double *a = L + (size_t)i*(size_t)m;
    const double least = PIVOT_MIN*a[i];
    for (int32_t j = 0; j < i; j++) {
      const double *b = L + (size_t)j*(size_t)m;
      double sum = a[j];
      for (int32_t k = 0; k < j; k++) sum -= a[k]*b[k];
      a[j] = sum*b[j];
    }
    double pivot = a[i];
    for (int32_t k = 0; k < i; k++) pivot -= a[k]*a[k];
    if (!(pivot > least)) return i + 1;
    a[i] = 1.0/sqrt(pivot);
    *done += (double)i*i + ROW_OVERHEAD_FLOPS;
    if (is_late(done, deadline)) return -1;
  }
  return 0;
}

// Q R = L^-1 T by Gram and Schmidt, twice per column, so that Q'Q = I up to rounding. Columns that
// depend on earlier ones are zero in Q, and their rows are zero in R.
static void orthogonalise(group_system *s, int32_t c) {
  const int32_t m = rows_of(s, c), r = rank_of(s, c), *row = s->g.row + s->g.start[c];
  const double *L = s->L + s->square[c], *T = s->g.T + s->g.weight[c];
  double *Q = s->Q + s->g.weight[c], *R = s->R + s->corner[c];
  for (int32_t k = 0; k < r; k++) {
    double *q = Q + (size_t)k*(size_t)m, size = 0.0, left = 0.0;
    for (int32_t i = 0; i < m; i++) {
      const double *a = L + (size_t)i*(size_t)m;
      double sum = keeps(s, row[i]) ? T[(size_t)i*(size_t)r + (size_t)k] : 0.0;
      for (int32_t j = 0; j < i; j++) sum -= a[j]*q[j];
      q[i] = sum*a[i];
      size += q[i]*q[i];
    }
    for (int32_t l = 0; l < r; l++) R[(size_t)l*(size_t)r + (size_t)k] = 0.0;
    for (int pass = 0; pass < 2 && k > 0; pass++)
      for (int32_t l = 0; l < k; l++) {
        const double *other = Q + (size_t)l*(size_t)m, along = dot(m, other, q);
        for (int32_t i = 0; i < m; i++) q[i] -= along*other[i];
        R[(size_t)l*(size_t)r + (size_t)k] += along;
      }
    for (int32_t i = 0; i < m; i++) left += q[i]*q[i];
    const double norm = left > INDEPENDENT_NORM_MIN*INDEPENDENT_NORM_MIN*size ? sqrt(left) : 0.0;
    R[(size_t)k*(size_t)r + (size_t)k] = norm;
    const double by = norm > 0.0 ? 1.0/norm : 0.0;
    for (int32_t i = 0; i < m; i++) q[i] *= by;
  }
}

// Computes the block P S0 R' of r columns and t rows, with columns `height` apart, and its
// transpose. P and R are upper triangular, by rows.
EXACT_INLINE void couple_by(int32_t r, int32_t t, const double *R, const double *P,
                            const double *S0, int32_t height, double *value, double *mirror,
                            int32_t across) {
  double Y[GROUPS_RANK_MAX*GROUPS_RANK_MAX], X[GROUPS_RANK_MAX];   // P S0: column l at Y + l t
  for (int32_t l = 0; l < r; l++)
    for (int32_t i = 0; i < t; i++) {
      double sum = 0.0;
      for (int32_t k = i; k < t; k++) sum += P[i*t + k]*S0[l*height + k];
      Y[l*t + i] = sum;
    }
  for (int32_t k = 0; k < r; k++) {
    for (int32_t i = 0; i < t; i++) X[i] = 0.0;
    for (int32_t l = k; l < r; l++)
      for (int32_t i = 0; i < t; i++) X[i] += R[k*r + l]*Y[l*t + i];
    for (int32_t i = 0; i < t; i++) value[k*height + i] = mirror[i*across + k] = X[i];
  }
}

// Computes the block of the groups c and `other` > c at `at` in the first column of c, and its
// mirror image.
static void couple(group_system *s, int32_t c, int32_t other, int32_t at, int32_t mirror) {
  const int32_t r = rank_of(s, c), t = rank_of(s, other), *colptr = s->S.colptr;
  const int32_t height = colptr[s->g.slot[c] + 1] - colptr[s->g.slot[c]];
  const int32_t across = colptr[s->g.slot[other] + 1] - colptr[s->g.slot[other]];
  const double *R = s->R + s->corner[c], *P = s->R + s->corner[other], *S0 = s->S0 + at;
  double *to = s->value + at, *image = s->value + mirror;
  // Loops of known length for contacts: normals alone, or with tangents.
  if (r == 3 && t == 3) couple_by(3, 3, R, P, S0, height, to, image, across);
  else if (r == 6 && t == 6) couple_by(6, 6, R, P, S0, height, to, image, across);
  else couple_by(r, t, R, P, S0, height, to, image, across);
}

// S = I + R S0 R'. Visiting the groups in order fills the columns of later groups above the
// diagonal in order.
static void assemble(group_system *s) {
  const groups *g = &s->g;
  int32_t *filled = s->filled;
  for (int32_t c = 0; c < g->count; c++) filled[c] = s->S.colptr[g->slot[c]];
  for (int32_t c = 0; c < g->count; c++) {
    int32_t at = s->S.colptr[g->slot[c]];
    for (int32_t k = s->block[c]; k < s->block[c + 1]; k++) {
      const int32_t other = s->partner[k];
      if (other > c) {
        couple(s, c, other, at, filled[other]);
        filled[other] += rank_of(s, c);
      }
      at += rank_of(s, other);
    }
  }
}

int group_system_factor(group_system *s, const uint8_t *kept, const double *q,
                        const perp_deadline *deadline) {
  const size_t n = (size_t)s->n;
  s->kept = NULL;
  if (kept != NULL) s->kept = memcpy(s->mask, kept, n);
  for (size_t i = 0; i < n; i++) s->q[i] = q != NULL ? q[i] : 0.0;
  double done = POLL_FLOPS;
  for (int32_t c = 0; c < s->g.count; c++) {
    if (is_late(&done, deadline)) return -1;
    const int32_t failed = cholesky(s, c, &done, deadline);
    if (failed < 0) return -1;
    if (failed > 0) return s->g.row[s->g.start[c] + failed - 1] + 1;
    orthogonalise(s, c);
    done += (double)rows_of(s, c)*rank_of(s, c)*(rows_of(s, c) + 4.0*rank_of(s, c));
  }
  assemble(s);
  const double floor = min2(s->slots*0x1p-52, 0x1p-46);   // the diagonal is 1
  const int failed = sparse_ldl_factor(s->ldl, &s->S, NULL, floor, deadline);
  return failed > 0 ? s->g.skeleton[failed - 1] + 1 : failed;
}

// ---- solving ----

// z <- the solution for the right-hand side z in kept rows; 0 in the others.
static void back_solve(group_system *s, double *z) {
  const groups *g = &s->g;
  for (int32_t c = 0; c < g->count; c++) {
    const int32_t m = rows_of(s, c), r = rank_of(s, c), *row = g->row + g->start[c];
    const double *L = s->L + s->square[c], *Q = s->Q + g->weight[c];
    double *w = s->w + g->start[c];
    for (int32_t i = 0; i < m; i++) {
      const double *a = L + (size_t)i*(size_t)m;
      double sum = keeps(s, row[i]) ? z[row[i]] : 0.0;
      for (int32_t j = 0; j < i; j++) sum -= a[j]*w[j];
      w[i] = sum*a[i];
    }
    for (int32_t k = 0; k < r; k++)
      s->h[g->slot[c] + k] = s->u[g->slot[c] + k] = dot(m, Q + (size_t)k*(size_t)m, w);
  }
  sparse_ldl_solve(s->ldl, s->u);
  for (int32_t c = 0; c < g->count; c++) {
    const int32_t m = rows_of(s, c), r = rank_of(s, c), *row = g->row + g->start[c];
    const double *L = s->L + s->square[c], *Q = s->Q + g->weight[c];
    double *w = s->w + g->start[c];
    for (int32_t k = 0; k < r; k++) {
      const double f = s->h[g->slot[c] + k] - s->u[g->slot[c] + k];
      for (int32_t i = 0; i < m; i++) w[i] -= f*Q[(size_t)k*(size_t)m + (size_t)i];
    }
    for (int32_t i = m - 1; i >= 0; i--) {
      const double *a = L + (size_t)i*(size_t)m;
      const double v = w[i] *= a[i];
      for (int32_t j = 0; j < i; j++) w[j] -= a[j]*v;
      z[row[i]] = v;
    }
  }
}

// rest = v - (A + D) z in kept rows, else 0. Returns its largest entry, scaled.
static double residual(group_system *s, const double *v, const double *z) {
  const perp_csc *A = s->A;
  double worst = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    s->rest[i] = 0.0;
    if (!keeps(s, i)) continue;
    const int32_t end = A->colptr[i + 1];
    int32_t p = A->colptr[i];
    double a = 0.0, b = 0.0;
    for (; p + 2 <= end; p += 2) {
      a += A->value[p]*z[A->row[p]];
      b += A->value[p + 1]*z[A->row[p + 1]];
    }
    if (p < end) a += A->value[p]*z[A->row[p]];
    s->rest[i] = v[i] - s->q[i]*z[i] - (a + b);
    worst = max_or_nan(worst, s->d[i]*fabs(s->rest[i]));
  }
  return worst;
}

double group_system_solve(group_system *s, double *v, int refine) {
  const int32_t n = s->n;
  const size_t bytes = (size_t)n*sizeof(double);
  double *z = s->z, size = 0.0, error = 0.0;
  int moves = 0;
  for (int32_t i = 0; i < n; i++) {
    z[i] = keeps(s, i) ? 0.0 : v[i]/s->q[i];
    moves |= z[i] != 0.0;
    size = max_or_nan(size, s->d[i]*fabs(v[i]));
  }
  if (moves) residual(s, v, z);
  else memcpy(s->rest, v, bytes);
  for (int k = 0;; k++) {
    memcpy(s->before, z, bytes);
    back_solve(s, s->rest);
    for (int32_t i = 0; i < n; i++) z[i] += s->rest[i];
    if (refine < 0) break;
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++)
      if (keeps(s, i)) largest = max_or_nan(largest, fabs(z[i])/s->d[i]);
    if (size + largest == 0.0) break;
    const double corrected = residual(s, v, z)/(size + largest);
    if (k > 0 && !(corrected < error)) {   // undo a correction that does not help
      memcpy(z, s->before, bytes);
      break;
    }
    const int slow = k > 0 && corrected > 0.5*error;
    error = corrected;
    if (slow || k >= refine || error <= 0x1p-52) break;
  }
  memcpy(v, z, bytes);
  return error == error ? error : (double)INFINITY;
}

const double *group_system_q(const group_system *s) { return s->q; }
int64_t group_system_nonzeros(const group_system *s) { return sparse_ldl_nnz(s->ldl); }
