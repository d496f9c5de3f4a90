// feasibility.c: searches for a Farkas vector by guesses, the simplex method, and least squares.
//
// x is feasible if it lies within its bounds and y = A x + b has the sign that each row demands:
// y_i >= 0 (lower bound only), y_i <= 0 (upper bound only), y_i = 0 (free row), any (both bounds).
// If no x is feasible, then by Farkas' lemma a vector u exists that perp_check_farkas accepts,
// unless rounding hides it. The search has three stages:
//
//   1. Guesses: a single row that no x within the bounds satisfies, and +1 or -1 in every row of a
//      connected component, such as a closed container whose contents grow. Cost: O(nnz).
//   2. Components of up to SELECT_SMALL_ROWS_MAX rows: the general simplex method of Dutertre and
//      de Moura (2006) on the dictionary y = A x. A basic variable outside its bounds moves to its
//      bound, and a nonbasic one that can help takes its place. If none can help, the row of the
//      dictionary is the proof. Bland's rule makes it finite. A'u needs exact zeros, so u is
//      computed again from the original data and rounded to small rationals. Cost: O(m^2) per
//      pivot.
//   3. Larger components: least squares (feasibility_large.c).
//
// A wrong u does no harm, because every u is checked.
#include "feasibility.h"

#include <float.h>
#include <string.h>

#include "columns.h"
#include "error_free.h"
#include "dense_kernels.h"
#include "problem.h"
#include "select.h"
#include "vector.h"

enum { PIVOTS_PER_ROW_MAX = 40 };   // the first half by largest violation, then by Bland's rule

// Limits below which a number counts as zero, for the first and the second attempt: entries of the
// dictionary (A is equilibrated), violations relative to the terms of their row, and entries of u
// relative to the largest. The second attempt is for components whose entries differ by up to 24
// decades.
static const struct { double entry, violation, support; } zero[] = {
  {1e-9, 1e-10, 1e-12}, {1e-15, 1e-14, 0.0}};
enum { ATTEMPTS = sizeof zero/sizeof *zero };

typedef struct search {
  perp_run *run;
  int32_t components;
  int32_t *component;             // n
  int32_t *row;                   // n: row numbers of one column
  double *u, *value, *column;     // n each
  double *R, *C;                  // n each: R A C is equilibrated
} search;

// The supremum of a x_j over the bounds of x_j.
static double largest_term(const perp_run *run, int32_t j, double a) {
  const double bound = a > 0.0 ? upper(run->hi, j) : lower(run->lo, j);
  return bound == 0.0 || a == 0.0 ? 0.0 : a*bound;
}

// ---- guesses ----

// Tries u = e_i and u = -e_i for a row that no x within the bounds satisfies.
static int guess_rows(search *s) {
  perp_run *run = s->run;
  double *most = s->u, *least = s->value;   // n each: sup and inf of y_i over the box
  double *column = s->column, slack = 0.0;
  for (int32_t i = 0; i < run->n; i++) most[i] = least[i] = run->b[i];
  for (int32_t j = 0; j < run->n; j++) {
    const int32_t count = columns_read(&run->A, j, s->row, column, &slack);
    for (int32_t k = 0; k < count; k++) {
      most[s->row[k]] += largest_term(run, j, column[k]);
      least[s->row[k]] -= largest_term(run, j, -column[k]);
    }
  }
  int32_t at = -1;
  double sign = 0.0;
  for (int32_t i = 0; i < run->n && at < 0; i++) {
    const int wants = feasibility_demand(run, i);
    if (wants == 2) continue;
    if (wants >= 0 && most[i] < 0.0) at = i, sign = 1.0;
    else if (wants <= 0 && least[i] > 0.0) at = i, sign = -1.0;
  }
  if (at < 0) return 0;
  for (int32_t i = 0; i < run->n; i++) s->u[i] = i == at ? sign : 0.0;
  return run_infeasible(run, s->u);
}

// Tries one u per component: `sign` in free rows, +1 or -1 as demanded in rows with one bound.
static int guess_components(search *s, double sign) {
  perp_run *run = s->run;
  const int32_t n = run->n;
  double *sum = s->value, *column = s->column, slack = 0.0;   // sum of component c: u'b + suprema
  for (int32_t c = 0; c < s->components; c++) sum[c] = 0.0;
  for (int32_t i = 0; i < n; i++) {
    const int wants = feasibility_demand(run, i);
    s->u[i] = wants == 2 ? 0.0 : wants == 0 ? sign : wants;
    sum[s->component[i]] += s->u[i]*run->b[i];
  }
  for (int32_t j = 0; j < n; j++) {
    const int32_t count = columns_read(&run->A, j, s->row, column, &slack), c = s->component[j];
    double g = 0.0, size = 0.0;
    for (int32_t k = 0; k < count; k++) {
      g += column[k]*s->u[s->row[k]];
      size += fabs(column[k]*s->u[s->row[k]]);
    }
    if (fabs(g) <= 1e-14*size) continue;
    sum[c] += largest_term(run, j, g);
  }
  int32_t at = -1;
  for (int32_t c = 0; c < s->components && at < 0; c++)
    if (sum[c] < 0.0) at = c;
  if (at < 0) return 0;
  for (int32_t i = 0; i < n; i++)
    if (s->component[i] != at) s->u[i] = 0.0;
  return run_infeasible(run, s->u);
}

// ---- the simplex method on one component ----

typedef struct dictionary {
  int32_t m;
  int attempt;                // index into zero[]
  const int32_t *set;         // m: rows of the problem
  double *S;                  // m x m: the equilibrated entries, row-major
  double *D;                  // m x m: basic_i = sum_j D_ij nonbasic_j
  double *r, *c;              // m: S = r A c
  double *lo, *hi;            // 2 m: bounds of x_j (0 .. m-1) and of (S x)_i (m .. 2m-1)
  double *at;                 // m: values of the nonbasic variables
  double *beta;               // m: values of the basic variables
  int32_t *basic, *nonbasic;  // m: numbers of the variables, 0 .. 2m-1
  double *F;                  // m x m: LU factors
  double *e, *w, *raw, *rest, *solution;   // m each
  int32_t *X, *Y, *pivot;     // m each
} dictionary;

static void exchange(dictionary *d, int32_t i, int32_t j, double target) {
  const size_t m = (size_t)d->m;
  double *top = d->D + (size_t)i*m;
  const double inverse = 1.0/top[j];
  d->at[j] = target;
  for (size_t k = 0; k < m; k++) top[k] *= -inverse;
  top[j] = inverse;
  for (int32_t k = 0; k < d->m; k++) {
    double *line = d->D + (size_t)k*m;
    const double factor = line[j];
    if (k == i || factor == 0.0) continue;
    line[j] = 0.0;
    for (size_t l = 0; l < m; l++) line[l] += factor*top[l];
  }
  const int32_t left = d->basic[i];
  d->basic[i] = d->nonbasic[j];
  d->nonbasic[j] = left;
}

// Returns the row of the dictionary that proves infeasibility; -1: x is feasible, or the pivots or
// the time ran out. *sign: 1 if the basic variable of that row is below its bound, -1 if above.
static int32_t conflict(search *s, dictionary *d, double *sign) {
  const int32_t m = d->m;
  const double nothing = zero[d->attempt].entry;
  const int64_t most_pivots = (int64_t)PIVOTS_PER_ROW_MAX*(m + 5);
  for (int64_t pivots = 0; pivots < most_pivots; pivots++) {
    if (pivots%8 == 0 && run_out_of_time(s->run)) return -1;
    const int bold = 2*pivots < most_pivots;
    int32_t leaving = -1;
    double most = 0.0;
    for (int32_t i = 0; i < m; i++) {
      const int32_t v = d->basic[i];
      const double *line = d->D + (size_t)i*(size_t)m;
      double sum = 0.0, size = 0.0;
      for (int32_t j = 0; j < m; j++) {
        sum += line[j]*d->at[j];
        size += fabs(line[j]*d->at[j]);
      }
      d->beta[i] = sum;
      const int low = sum < d->lo[v], high = sum > d->hi[v];
      if (!low && !high) continue;
      const double bound = low ? d->lo[v] : d->hi[v], miss = fabs(sum - bound)/(size + fabs(bound));
      if (!(miss > zero[d->attempt].violation)) continue;
      if (leaving < 0 || (bold ? miss > most : v < d->basic[leaving])) {
        leaving = i;
        most = miss;
      }
    }
    if (leaving < 0) return -1;
    const int32_t v = d->basic[leaving];
    *sign = d->beta[leaving] < d->lo[v] ? 1.0 : -1.0;
    const double *line = d->D + (size_t)leaving*(size_t)m;
    int32_t entering = -1;
    for (int32_t j = 0; j < m; j++) {
      const double rate = *sign*line[j];
      const int32_t w = d->nonbasic[j];
      const int can = rate > nothing ? d->at[j] < d->hi[w] : rate < -nothing && d->at[j] > d->lo[w];
      if (!can) continue;
      if (entering < 0 || (bold ? fabs(line[j]) > fabs(line[entering])
                                : w < d->nonbasic[entering])) entering = j;
    }
    if (entering < 0) return leaving;
    exchange(d, leaving, entering, *sign > 0.0 ? d->lo[v] : d->hi[v]);
  }
  return -1;
}

// Solves A'solution = e on the columns X and the rows Y, q x q, with compensated refinement.
static int solve_support(dictionary *d, int32_t q) {
  const size_t m = (size_t)d->m;
  for (int32_t j = 0; j < q; j++)
    for (int32_t i = 0; i < q; i++)
      d->F[(size_t)j*(size_t)q + (size_t)i] = d->S[(size_t)d->Y[i]*m + (size_t)d->X[j]];
  if (lu_factor(q, d->F, d->pivot, DBL_MIN, NULL) != 0) return 0;
  for (int32_t i = 0; i < q; i++) d->solution[i] = 0.0;
  double last = (double)INFINITY, size = 0.0;
  for (;; last = size) {   // until a step is not half as long as the one before
    for (int32_t j = 0; j < q; j++) {
      exact_sum sum = {d->e[j], 0.0};
      for (int32_t i = 0; i < q; i++)
        exact_add_product(&sum, -d->S[(size_t)d->Y[i]*m + (size_t)d->X[j]], d->solution[i]);
      d->rest[j] = exact_value(sum);
    }
    lu_solve(q, d->F, d->pivot, d->rest);
    size = 0.0;
    for (int32_t i = 0; i < q; i++) size = max_or_nan(size, fabs(d->rest[i]));
    if (!(size > 0.0 && size < 0.5*last)) return 1;
    for (int32_t i = 0; i < q; i++) d->solution[i] += d->rest[i];
  }
}

// 1: w'S has the right sign, to the last bit, in all columns with exactly one bound.
static int right_signs(const dictionary *d, const double *w) {
  for (int32_t j = 0; j < d->m; j++) {
    const int below = d->lo[j] > -(double)INFINITY, above = d->hi[j] < (double)INFINITY;
    exact_sum g = {0.0, 0.0};
    double size = 0.0;
    for (int32_t i = 0; i < d->m && below != above; i++) {
      const double a = d->S[(size_t)i*(size_t)d->m + (size_t)j];
      exact_add_product(&g, a, w[i]);
      size += fabs(a*w[i]);
    }
    if ((below ? 1.0 : -1.0)*exact_value(g) > DBL_EPSILON*DBL_EPSILON*size) return 0;
  }
  return 1;
}

typedef enum offering { RATIONAL, SIGNED, AS_IT_IS } offering;

// Scatters w to u and submits u. Entries of w with a wrong sign become 0. 1: accepted.
static int offer(search *s, const dictionary *d, const double *w, offering how) {
  perp_run *run = s->run;
  double largest = 0.0;
  for (int32_t i = 0; i < d->m; i++) largest = max2(largest, fabs(w[i]));
  if (!(largest > 0.0 && largest < (double)INFINITY)) return 0;
  double *v = s->value;   // m
  for (int32_t i = 0; i < d->m; i++) {
    const int wants = feasibility_demand(run, d->set[i]);
    const int wrong = wants == 2 || (wants == 1 && w[i] < 0.0) || (wants == -1 && w[i] > 0.0);
    v[i] = wrong || fabs(w[i]) <= zero[d->attempt].support*largest ? 0.0 : w[i]/largest;
  }
  if (how == RATIONAL && !rational_round(d->m, v, 1e-11)) return 0;
  if (how == SIGNED && !right_signs(d, v)) return 0;
  for (int32_t i = 0; i < run->n; i++) s->u[i] = 0.0;
  for (int32_t i = 0; i < d->m; i++) s->u[d->set[i]] = v[i]*d->r[i];
  return run_infeasible(run, s->u);
}

// Turns row `at` of the dictionary into a Farkas vector. If its basic variable is a row of A,
// u = sign (e_k - D) gives A'u = 0 on the basic columns. If it is x_k, A'u = -sign in column k.
static int explain(search *s, dictionary *d, int32_t at, double sign) {
  const int32_t m = d->m;
  int32_t q = 0, p = 0;
  for (int32_t i = 0; i < m; i++)
    if (d->basic[i] < m) d->X[q++] = d->basic[i];
  for (int32_t j = 0; j < m; j++)
    if (d->nonbasic[j] >= m) d->Y[p++] = d->nonbasic[j] - m;
  if (p != q) return 0;
  const int32_t v = d->basic[at], k = v >= m ? v - m : -1;       // k: the violated row of A
  for (int32_t i = 0; i < m; i++) d->raw[i] = d->w[i] = 0.0;
  for (int attempt = 0; attempt < 2; attempt++) {
    for (int32_t j = 0; j < q; j++) {
      const int32_t x = d->X[j];
      d->e[j] = k >= 0 ? -sign*d->S[(size_t)k*(size_t)m + (size_t)x] : x == v ? -sign : 0.0;
      if (attempt == 0) continue;
      // Shift A'u by a few units of rounding to the side that the bound allows.
      const int below = d->lo[x] > -(double)INFINITY, above = d->hi[x] < (double)INFINITY;
      if (below == above) continue;
      double size = 0.0;
      for (int32_t i = 0; i < m; i++) size += fabs(d->S[(size_t)i*(size_t)m + (size_t)x]*d->raw[i]);
      d->e[j] += (below ? -0x1p-46 : 0x1p-46)*size;
    }
    if (!solve_support(d, q)) return 0;
    double *w = attempt == 0 ? d->raw : d->w;
    for (int32_t i = 0; i < q; i++) w[d->Y[i]] = d->solution[i];
    if (k >= 0) w[k] = sign;
    if (offer(s, d, w, attempt == 0 ? RATIONAL : SIGNED)) return 1;
  }
  return offer(s, d, d->raw, AS_IT_IS);
}

static int dictionary_allocate(perp_run *run, int32_t m, dictionary *d) {
  const size_t room = (size_t)m + 1;
  double *memory = run_allocate(run, (3*room*room + 13*room)*sizeof *memory);
  int32_t *numbers = run_allocate(run, 5*room*sizeof *numbers);
  if (memory == NULL || numbers == NULL) return 0;
  double **const squares[] = {&d->S, &d->D, &d->F};
  for (size_t k = 0; k < sizeof squares/sizeof *squares; k++, memory += room*room)
    *squares[k] = memory;
  double **const vectors[] = {&d->r, &d->c, &d->at, &d->beta, &d->e, &d->w, &d->raw, &d->rest,
                              &d->solution};
  for (size_t k = 0; k < sizeof vectors/sizeof *vectors; k++, memory += room) *vectors[k] = memory;
  d->lo = memory;
  d->hi = memory + 2*room;
  int32_t **const lists[] = {&d->basic, &d->nonbasic, &d->X, &d->Y, &d->pivot};
  for (size_t k = 0; k < sizeof lists/sizeof *lists; k++, numbers += room) *lists[k] = numbers;
  return 1;
}

// Runs the simplex method on the m rows d->set of a component. 1: proved infeasible.
static int search_small(search *s, dictionary *d) {
  perp_run *run = s->run;
  const int32_t m = d->m;
  run->A.ops->submatrix(run->A.self, d->set, m, d->S);
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++)
      d->S[(size_t)i*(size_t)m + (size_t)j] *= s->R[d->set[i]]*s->C[d->set[j]];
  dense_equilibrate(m, m, d->S, d->r, d->c);
  for (int32_t i = 0; i < m; i++) {
    d->r[i] *= s->R[d->set[i]];
    d->c[i] *= s->C[d->set[i]];
  }
  memcpy(d->D, d->S, (size_t)m*(size_t)m*sizeof *d->D);
  for (int32_t i = 0; i < m; i++) {
    const int32_t row = d->set[i];
    const int wants = feasibility_demand(run, row);
    const double rest = -d->r[i]*run->b[row];
    d->lo[i] = lower(run->lo, row)/d->c[i];
    d->hi[i] = upper(run->hi, row)/d->c[i];
    d->lo[m + i] = wants == 1 || wants == 0 ? rest : -(double)INFINITY;
    d->hi[m + i] = wants == -1 || wants == 0 ? rest : (double)INFINITY;
    d->at[i] = clamp(0.0, d->lo[i], d->hi[i]);
    d->nonbasic[i] = i;
    d->basic[i] = m + i;
  }
  double sign;
  const int32_t at = conflict(s, d, &sign);
  return at >= 0 && explain(s, d, at, sign);
}

// Runs the simplex method on every component with up to SELECT_SMALL_ROWS_MAX rows.
static int search_components(search *s, const int32_t *start, const int32_t *member) {
  dictionary d;
  int32_t largest = 0;
  for (int32_t c = 0; c < s->components; c++) {
    const int32_t m = start[c + 1] - start[c];
    if (m > largest && m <= SELECT_SMALL_ROWS_MAX) largest = m;
  }
  if (largest == 0 || !dictionary_allocate(s->run, largest, &d)) return 0;
  for (int32_t c = 0; c < s->components; c++) {
    d.m = start[c + 1] - start[c];
    d.set = member + start[c];
    if (d.m > SELECT_SMALL_ROWS_MAX) continue;
    if (run_out_of_time(s->run)) return 0;
    for (d.attempt = 0; d.attempt < ATTEMPTS; d.attempt++)
      if (search_small(s, &d)) return 1;
  }
  return 0;
}

int feasibility_search(perp_run *run) {
  const int32_t n = run->n;
  if (n == 0 || !columns_known(&run->A)) return 0;
  const size_t room = (size_t)n + 1;
  search s = {.run = run};
  s.u = run_allocate(run, 9*room*sizeof *s.u);
  s.component = run_allocate(run, 4*room*sizeof *s.component);
  if (s.u == NULL || s.component == NULL) return 0;
  s.value = s.u + room;
  s.column = s.value + room;
  s.R = s.column + room;
  s.C = s.R + room;
  int two;
  const perp_deadline deadline = run_deadline(run);
  if (equilibrate_both(&run->A, 0, s.R, s.C, NULL, NULL, &two, s.C + room, &deadline) < 0) return 0;
  s.row = s.component + room;
  int known;
  s.components = components_find(&run->A, s.component, s.row, &known, run->scratch);
  if (guess_rows(&s) || guess_components(&s, 1.0) || guess_components(&s, -1.0)) return 1;
  if (run->A.ops->submatrix == NULL) return feasibility_large(run, s.R, s.C);

  int32_t *start = s.row + room, *member = start + room;   // rows sorted by component
  for (int32_t c = 0; c <= s.components; c++) start[c] = 0;
  for (int32_t i = 0; i < n; i++) start[s.component[i] + 1]++;
  int large = 0;
  for (int32_t c = 0; c < s.components; c++) {
    large |= start[c + 1] > SELECT_SMALL_ROWS_MAX;
    start[c + 1] += start[c];
    s.row[c] = start[c];
  }
  for (int32_t i = 0; i < n; i++) member[s.row[s.component[i]]++] = i;
  return search_components(&s, start, member) || (large && feasibility_large(run, s.R, s.C));
}
