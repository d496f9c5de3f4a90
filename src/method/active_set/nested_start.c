// nested_start.c: finds a first x by nested iteration on pairs of rows.
//
// On a grid the active set moves by one layer of points per round. To find its place sooner, the
// problem is halved repeatedly: every row joins the neighbour with the strongest coupling, and
//     b_a = sum b_i,  bounds and x are means,  A_ab = - sum |A_ij| sqrt(f_a f_b),
// where f_a is the fraction of the rows of a that have a neighbour in b. A chain of two links
// conducts half as well as one link, and two links side by side twice as well. Row sums are kept.
// From the coarsest problem up, x is copied to the next level and smoothed by projected
// Gauss-Seidel sweeps; coarser levels get more sweeps because they are cheaper (cascadic iteration:
// Bornemann, Deuflhard, Numer. Math. 75, 1996; pairwise aggregation: Notay, ETNA 37, 2010). The
// result is a guess and nothing is claimed for it. Cost: about forty sweeps.
#include "nested_start.h"

#include <math.h>
#include <string.h>

#include "operator.h"
#include "vector.h"

enum { ROWS_MIN = 4000,          // rows: smaller problems need few rounds anyway
       COARSEST_ROWS_MAX = 200,  // rows of the coarsest level
       LEVELS_MAX = 40,          // levels
       ROW_ENTRIES_MAX = 16 };   // mean entries per row: with more, A is no grid

#define FINEST_SWEEPS 6.0  // sweeps on the finest level
#define SWEEP_GROWTH 1.5   // ratio of the sweeps on a level to those on the next finer one

typedef struct level {
  int32_t n;
  perp_csc A;                // n x n, symmetric
  double *diagonal;          // n
  double *b, *lo, *hi, *x;   // n each
  int32_t *map;              // n: the row of the next coarser level
} level;

static int take_vectors(perp_run *run, level *l) {
  const size_t n = (size_t)l->n;
  double *memory = run_allocate(run, 5*n*sizeof *memory);
  l->map = memory != NULL ? run_allocate(run, n*sizeof *l->map) : NULL;
  if (l->map == NULL) return 0;
  l->diagonal = memory;
  l->b = memory + n;
  l->lo = memory + 2*n;
  l->hi = memory + 3*n;
  l->x = memory + 4*n;
  return 1;
}

// 1: the diagonal is positive and all other entries are <= 0. Stores the diagonal.
static int grid_like(level *l) {
  for (int32_t j = 0; j < l->n; j++) {
    l->diagonal[j] = 0.0;
    for (int32_t p = l->A.colptr[j]; p < l->A.colptr[j + 1]; p++) {
      if (l->A.row[p] == j) l->diagonal[j] = l->A.value[p];
      else if (l->A.value[p] > 0.0) return 0;
    }
    if (!(l->diagonal[j] > 0.0)) return 0;
  }
  return 1;
}

// Pairs each row with its strongest neighbour. Returns the number of pairs and single rows.
static int32_t aggregate(level *l) {
  int32_t count = 0;
  for (int32_t i = 0; i < l->n; i++) l->map[i] = -1;
  for (int32_t i = 0; i < l->n; i++) {
    if (l->map[i] >= 0) continue;
    int32_t mate = -1;
    double strongest = 0.0;
    for (int32_t p = l->A.colptr[i]; p < l->A.colptr[i + 1]; p++) {
      const int32_t j = l->A.row[p];
      if (j == i || l->map[j] >= 0 || !(-l->A.value[p] > strongest)) continue;
      strongest = -l->A.value[p];
      mate = j;
    }
    l->map[i] = count;
    if (mate >= 0) l->map[mate] = count;
    count++;
  }
  return count;
}

// sqrt(f_a f_c) from the rows of a (bits 0, 1) and of c (bits 2, 3) that are neighbours.
static double conductance(uint8_t mask, int32_t own, int32_t other) {
  const double a = (mask & 1) + (mask >> 1 & 1), c = (mask >> 2 & 1) + (mask >> 3 & 1);
  return sqrt(a/own*(c/other));
}

// Builds the next level, whose n and vectors exist already.
static int coarsen(perp_run *run, const level *fine, level *coarse) {
  const int32_t n = coarse->n;
  const size_t room = (size_t)fine->A.colptr[fine->n] + (size_t)n;
  int32_t *colptr = run_allocate(run, ((size_t)n + 1)*sizeof *colptr);
  int32_t *row = colptr != NULL ? run_allocate(run, room*sizeof *row) : NULL;
  int32_t *members = row != NULL ? run_allocate(run, 3*(size_t)n*sizeof *members) : NULL;
  double *value = members != NULL ? run_allocate(run, room*sizeof *value) : NULL;
  uint8_t *mask = value != NULL ? run_allocate(run, room) : NULL;
  if (mask == NULL) return 0;
  int32_t *at = members + 2*(size_t)n, count = 0;   // position of a row's entry in this column
  for (int32_t a = 0; a < n; a++) members[2*a] = members[2*a + 1] = at[a] = -1;
  for (int32_t i = 0; i < fine->n; i++) {
    int32_t *pair = members + 2*fine->map[i];
    pair[pair[0] >= 0] = i;
  }
  for (int32_t a = 0; a < n; a++) {
    const int32_t size = members[2*a + 1] >= 0 ? 2 : 1, begin = colptr[a] = count++;
    double sum = 0.0;
    coarse->b[a] = coarse->lo[a] = coarse->hi[a] = coarse->x[a] = 0.0;
    for (int32_t k = 0; k < size; k++) {
      const int32_t j = members[2*a + k];
      coarse->b[a] += fine->b[j];
      coarse->lo[a] += fine->lo[j]/size;
      coarse->hi[a] += fine->hi[j]/size;
      coarse->x[a] += fine->x[j]/size;
      for (int32_t p = fine->A.colptr[j]; p < fine->A.colptr[j + 1]; p++) {
        const int32_t i = fine->A.row[p], c = fine->map[i];
        sum += fine->A.value[p];
        if (c == a) continue;
        if (at[c] < begin) {
          at[c] = count;
          row[count] = c;
          mask[count] = 0;
          value[count++] = 0.0;
        }
        value[at[c]] += fine->A.value[p];
        mask[at[c]] |= (uint8_t)(1 << k | 4 << (members[2*c + 1] == i));
      }
    }
    row[begin] = a;
    value[begin] = max2(sum, 0.0);
    for (int32_t p = begin + 1; p < count; p++) {
      value[p] *= conductance(mask[p], size, members[2*row[p] + 1] >= 0 ? 2 : 1);
      value[begin] -= value[p];
    }
    coarse->diagonal[a] = value[begin];
  }
  colptr[n] = count;
  coarse->A = (perp_csc){n, n, colptr, row, value};
  return 1;
}

static void smooth(level *l, int32_t passes) {
  for (int32_t pass = 0; pass < passes; pass++)
    for (int32_t k = 0; k < l->n; k++) {
      const int32_t i = pass & 1 ? l->n - 1 - k : k;
      double y = l->b[i];
      for (int32_t p = l->A.colptr[i]; p < l->A.colptr[i + 1]; p++)
        y += l->A.value[p]*l->x[l->A.row[p]];
      l->x[i] = relaxed(l->x[i], y, l->diagonal[i], 1.0, l->lo[i], l->hi[i]);
    }
}

int nested_start(perp_run *run) {
  level levels[LEVELS_MAX] = {{.n = run->n}};
  const perp_view view = operator_view(&run->A);
  if (run->n < ROWS_MIN || view.kind != PERP_VIEW_CSC || view.shift != 0.0) return 0;
  const perp_csc *A = view.data;
  if (A->columns != run->n || A->colptr[run->n] > ROW_ENTRIES_MAX*(int64_t)run->n) return 0;
  level *fine = levels;
  fine->A = *A;
  if (!take_vectors(run, fine) || !grid_like(fine)) return 0;
  for (int32_t i = 0; i < run->n; i++) {   // in the units of A, not those of the run
    const double r = view.R != NULL ? view.R[i] : 1.0, c = view.C != NULL ? view.C[i] : 1.0;
    fine->b[i] = run->b[i]/r;
    fine->lo[i] = c*lower(run->lo, i);
    fine->hi[i] = c*upper(run->hi, i);
    fine->x[i] = c*run->x[i];
  }
  int32_t depth = 0;
  for (; depth + 1 < LEVELS_MAX && levels[depth].n > COARSEST_ROWS_MAX; depth++) {
    level *next = levels + depth + 1;
    next->n = aggregate(levels + depth);
    if (next->n > 0.8*levels[depth].n) break;
    if (run_out_of_time(run)) return 0;
    if (!take_vectors(run, next) || !coarsen(run, levels + depth, next)) return 0;
  }
  double passes = 0.0;
  for (int32_t k = depth; k >= 0; k--) {
    passes = min2(FINEST_SWEEPS*pow(SWEEP_GROWTH, k), 1000.0);
    smooth(levels + k, (int32_t)passes);
    for (int32_t i = 0; k > 0 && i < levels[k - 1].n; i++) {
      level *l = levels + k - 1;
      l->x[i] = clamp(levels[k].x[l->map[i]], l->lo[i], l->hi[i]);
    }
    if (run_out_of_time(run)) return 0;
  }
  for (int32_t i = 0; i < run->n; i++)
    run->x[i] = clamp(fine->x[i]/(view.C != NULL ? view.C[i] : 1.0), lower(run->lo, i),
                      upper(run->hi, i));
  return 1;
}
