// pivoting_load.c: reads A for dantzig and keller: its entries, its symmetry, its scale.
//
// root_i is chosen such that |A_ij| <= root_i root_j, and measures rounding. Cost: O(n^2). The
// deadline is checked on the way.
#include "pivoting.h"

#include <string.h>

#include "facts.h"
#include "symmetry.h"
#include "vector.h"

static void take(pivoting *s, arena *memory, int32_t n) {
  const size_t m = (size_t)n;
  s->n = n;
  s->P = principal_take(memory, n);
  s->A = ARENA_ARRAY(memory, double, m*m);
  double **const vectors[] = {&s->root, &s->y, &s->dx, &s->full, &s->dy};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, m);
  s->settled = ARENA_ARRAY(memory, uint8_t, m);
  s->rows = ARENA_ARRAY(memory, int32_t, m);
  s->begin = ARENA_ARRAY(memory, int32_t, m + 1);
  s->column = ARENA_ARRAY(memory, int32_t, m*m/FACTS_SPARSE_RATIO);
  s->value = ARENA_ARRAY(memory, double, m*m/FACTS_SPARSE_RATIO);
}

size_t pivoting_bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  pivoting s;
  take(&s, &count, limits->n);
  return count.used;
}

int pivoting_out_of_time(const pivoting *s, int32_t row) {
  return row%16 == 15 && run_out_of_time(s->run);
}

// Reads R (dense matrix) C + shift I line by line.
static void load_lines(pivoting *s, const perp_view *view) {
  const perp_dense *D = view->data;
  const size_t ld = (size_t)(D->ld != 0 ? D->ld : D->n);
  const double *own = D->by_column ? view->C : view->R, *other = D->by_column ? view->R : view->C;
  for (int32_t k = 0; k < s->n && !pivoting_out_of_time(s, k); k++) {
    double *line = s->A + (size_t)k*(size_t)s->n;
    memcpy(line, D->value + (size_t)k*ld, (size_t)s->n*sizeof(double));
    for (int32_t l = 0; (own != NULL || other != NULL) && l < s->n; l++)
      line[l] *= (own != NULL ? own[k] : 1.0)*(other != NULL ? other[l] : 1.0);
    line[k] += view->shift;
  }
}

// Reads all entries. Returns 1 if A is read by columns: s->A is then A'.
static int load_entries(pivoting *s) {
  const perp_operator *A = &s->run->A;
  const perp_view view = operator_view(A);
  const int32_t n = s->n;
  if (view.kind == PERP_VIEW_DENSE) {
    load_lines(s, &view);
    return ((const perp_dense *)view.data)->by_column != 0;
  }
  if (A->ops->add_column == NULL) {
    for (int32_t i = 0; i < n; i++) s->rows[i] = i;
    A->ops->submatrix(A->self, s->rows, n, s->A);
    return 0;
  }
  for (int32_t j = 0; j < n && !pivoting_out_of_time(s, j); j++) {
    double *column = s->A + (size_t)j*(size_t)n;
    memset(column, 0, (size_t)n*sizeof(double));
    A->ops->add_column(A->self, j, 1.0, column);
  }
  return 1;
}

static void exchange(double *a, double *b) {
  const double t = *a;
  *a = *b;
  *b = t;
}

// The asymmetry of A, with root_i = sqrt|A_ii|; *bounded: 1 if |A_ij| <= root_i root_j. Tiles keep
// both halves in the cache.
static double find_asymmetry(const pivoting *s, int *bounded) {
  const int32_t n = s->n, tile = 16;
  const size_t ld = (size_t)n;
  double worst = 0.0;
  *bounded = 1;
  for (int32_t p = 0; p < n && (p == 0 || !run_out_of_time(s->run)); p += tile)
    for (int32_t q = 0; q <= p; q += tile)
      for (int32_t i = p; i < p + tile && i < n; i++) {
        const double root = s->root[i];
        for (int32_t j = q; j < q + tile && j < i; j++) {
          const double a = s->A[(size_t)i*ld + (size_t)j], b = s->A[(size_t)j*ld + (size_t)i],
                       roots = root*s->root[j], size = max2(fabs(a), fabs(b));
          if (size > 1.001*roots) *bounded = 0;
          if (a != b && fabs(a - b) > worst*max2(roots, size))
            worst = asymmetry_by_roots(a, b, roots);
        }
      }
  return worst;
}

// root_i = sqrt(A_ii) bounds every entry of a semidefinite A. For other A the roots grow by the
// square root of the largest |A_ij|/(root_i root_j) in their row and column, so that both ends of
// an entry together bound it.
static double find_roots(pivoting *s) {
  const int32_t n = s->n;
  const size_t ld = (size_t)n;
  double *most = s->full;
  int bounded;
  for (int32_t i = 0; i < n; i++) s->root[i] = sqrt(fabs(s->A[(size_t)i*(ld + 1)]));
  const double gap = find_asymmetry(s, &bounded);
  if (bounded) return gap;
  for (int32_t i = 0; i < n; i++) {
    most[i] = 1.0;
    if (s->root[i] > 0.0) continue;   // without a diagonal entry: start from the largest other one
    for (int32_t j = 0; j < n; j++)
      s->root[i] = max2(s->root[i], max2(fabs(s->A[(size_t)i*ld + (size_t)j]),
                                         fabs(s->A[(size_t)j*ld + (size_t)i])));
    s->root[i] = sqrt(s->root[i]);
  }
  for (int32_t i = 0; i < n && !pivoting_out_of_time(s, i); i++)
    for (int32_t j = 0; j < i; j++) {
      const double size = max2(fabs(s->A[(size_t)i*ld + (size_t)j]),
                               fabs(s->A[(size_t)j*ld + (size_t)i]));
      if (!(size > s->root[i]*s->root[j])) continue;
      const double ratio = size/s->root[i]/s->root[j];
      most[i] = max2(most[i], ratio);
      most[j] = max2(most[j], ratio);
    }
  for (int32_t i = 0; i < n; i++) s->root[i] *= sqrt(most[i]);
  return gap;
}

static int64_t count_nonzeros(const pivoting *s) {
  int64_t nonzeros = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double *a = s->A + (size_t)i*(size_t)s->n;
    int32_t count = 0;
    for (int32_t j = 0; j < s->n; j++) count += a[j] != 0.0;
    nonzeros += count;
  }
  return nonzeros;
}

static int load(pivoting *s) {   // 0: out of time
  const int32_t n = s->n;
  const size_t ld = (size_t)n;
  const int transposed = load_entries(s);
  if (n >= 16 && run_out_of_time(s->run)) return 0;   // lines may be missing
  const double gap = find_roots(s);
  s->P.symmetric = gap <= SYMMETRY_REFINED && !s->as_given;
  s->exact = gap == 0.0;
  for (int32_t i = 0; gap > 0.0 && i < n && !pivoting_out_of_time(s, i); i++)
    for (int32_t j = 0; j < i; j++) {
      double *a = s->A + (size_t)i*ld + (size_t)j, *b = s->A + (size_t)j*ld + (size_t)i;
      if (s->P.symmetric) *a = *b = 0.5*(*a + *b);
      else if (transposed) exchange(a, b);
    }
  s->P.A = s->A;
  s->P.root = s->root;
  if (n >= 16 && run_out_of_time(s->run)) return 0;   // pairs may be missing
  s->sparse = n >= PIVOTING_SMALL_ROWS && count_nonzeros(s) <= (int64_t)n*n/FACTS_SPARSE_RATIO;
  if (!s->sparse) return 1;
  int32_t count = 0;
  for (int32_t i = 0; i < n; i++) {
    const double *a = s->A + (size_t)i*ld;
    s->begin[i] = count;
    for (int32_t j = 0; j < n; j++)
      if (a[j] != 0.0) {
        s->column[count] = j;
        s->value[count++] = a[j];
      }
  }
  s->begin[n] = count;
  return 1;
}

int pivoting_begin(pivoting *s, perp_run *run, arena *memory, int watch) {
  *s = (pivoting){.run = run, .watch = watch, .current = -1, .residual = run->residual};
  take(s, memory, run->n);
  int loaded = load(s);
  // If rows and columns are scaled differently, one root per row cannot bound the entries.
  if (loaded && !s->P.symmetric && run_equilibrate(run)) loaded = load(s);
  principal_clear(&s->P);
  return loaded;
}

// Entries far below the roots of their row and column count as symmetric, which is right for the
// rounding of A. But if rows and columns are scaled differently, all entries may be so small. And a
// singular A that is nearly symmetric may have a solution that its symmetric part does not have.
int pivoting_again(pivoting *s) {
  if (s->exact || s->as_given) return 0;
  if (!run_equilibrate(s->run)) s->as_given = 1;
  if (!load(s) || (!s->P.symmetric && !s->watch)) return 0;
  s->current = -1;
  s->pivots = s->idle = s->rays = s->rounds = 0;
  for (int32_t i = 0; i < s->n; i++)   // the last x may be far away
    s->run->x[i] = clamp(0.0, lower(s->run->lo, i), upper(s->run->hi, i));
  pivoting_start(s, s->run->options->pivot.crash);
  return 1;
}
