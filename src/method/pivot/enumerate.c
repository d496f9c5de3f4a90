// enumerate.c: finds all solutions of a small problem by trying every assignment of labels.
//
//   for every split of the rows into I (free) and F (at lo or hi):
//       A_II x_I = -(b_I + A_IF x_F),                                             E13 5.1
//   x is a solution if lo_I <= x_I <= hi_I and y_F = A_FI x_I + A_FF x_F + b_F has the right sign.
//
// Finite for every A, and the only method that proves in general that there is no solution. A row
// has 2 labels, or 3 if it has two finite bounds, or 1 if it is free or fixed. If A_II is singular,
// the solutions form a polyhedron: see enumerate_face.c.
//
// The first pass goes from the empty free set upwards. It reports isolated, non-degenerate
// solutions at once, because they belong to one assignment only. It marks assignments with a nearly
// singular block or a nearly tight inequality. The second pass goes downwards through the marked
// assignments, largest free sets first, and keeps the polyhedra that no other one contains. They are
// reported at the end, the largest dimension first. So an x that several assignments give is reported
// once, and a face is reported instead of all its vertices and edges. Up to 4096 are kept; further
// ones are reported at once, and may be parts of others. If no solution is found, the assignments
// that rounding left undecided are solved again, refined with exact residuals.
//
// Cost: 2/3 |I|^3 flops per assignment, and 2^n or 3^n assignments; an iteration is 256 of them.
#include "enumerate.h"

#include <math.h>
#include <string.h>

#include "entries.h"
#include "error_free.h"
#include "dense_kernels.h"
#include "methods.h"
#include "plain.h"
#include "problem.h"
#include "small_simplex.h"
#include "vector.h"

// Assignments counted as one iteration. With one, small problems take up to 12 % more work.
enum { ASSIGNMENTS_PER_ITERATION = 256 };
// Pivot of an equilibrated block. A smaller one marks the assignment. With 1, up to 3.7 times the
// work.
#define SAFE_PIVOT_MIN 1e-6

static const perp_parameter parameters[] = {
  {"enumerate.limit", PERP_KIND_LONG, offsetof(perp_options, enumerate.limit), 0, 0,
   9007199254740992.0, 0, 0, NULL,
   "stop after this many solutions; 0: find all"},
};

static int64_t assignments_at_most(int32_t n) {   // for any bounds
  int64_t count = 1;
  for (int32_t i = 0; i < n; i++) count *= n <= ENUMERATE_BOXED_ROWS_MAX ? 3 : 2;
  return count;
}

static enumeration *layout(arena *memory, int32_t n) {
  if (n > ENUMERATE_ROWS_MAX) n = ENUMERATE_ROWS_MAX;
  const size_t m = (size_t)n;
  enumeration f = {.n = n};
  enumeration *e = ARENA_ARRAY(memory, enumeration, 1);
  double **const vectors[] = {&f.b, &f.lo, &f.hi, &f.row, &f.column, &f.size, &f.x, &f.y, &f.w,
      &f.c, &f.t, &f.guess};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, m);
  double **const longer[] = {&f.v, &f.r, &f.h, &f.u};
  for (size_t k = 0; k < sizeof longer/sizeof longer[0]; k++)
    *longer[k] = ARENA_ARRAY(memory, double, 4*m);
  double **const squares[] = {&f.A, &f.N, &f.N2, &f.product};
  for (size_t k = 0; k < sizeof squares/sizeof squares[0]; k++)
    *squares[k] = ARENA_ARRAY(memory, double, m*m);
  f.S = ARENA_ARRAY(memory, double, 3*m*m);
  f.G = ARENA_ARRAY(memory, double, 3*m*m);
  f.simplex = ARENA_ARRAY(memory, double, simplex_doubles(3*n, n));
  f.basis = ARENA_ARRAY(memory, int32_t, 4*m + 2);
  f.set = ARENA_ARRAY(memory, int32_t, m);
  f.order = ARENA_ARRAY(memory, int32_t, m);
  f.pivot = ARENA_ARRAY(memory, int32_t, m);
  f.choices = ARENA_ARRAY(memory, uint8_t, m);
  f.labels = ARENA_ARRAY(memory, uint8_t, m);
  const int64_t count = assignments_at_most(n);
  f.capacity = count < ENUMERATE_PIECES_MAX ? (int32_t)count : ENUMERATE_PIECES_MAX;
  f.marks = ARENA_ARRAY(memory, uint32_t, (count + 31)/32);
  f.pieces = ARENA_ARRAY(memory, piece, f.capacity);
  f.points = ARENA_ARRAY(memory, double, (size_t)f.capacity*m);
  if (e != NULL) *e = f;
  return e;
}

static size_t enumerate_bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  layout(&count, limits->n);
  return count.used;
}

static double power_near(double v, int largest) {
  int exponent = 0;
  frexp(v, &exponent);
  return power_of_two_within(exponent, largest);
}

// Sets the unit of each half (components_halves): rows and columns that nonzeros of A connect. A zero
// diagonal can make several halves, and equilibration does not relate their units. The unit makes
// max row*size = 1 in the half, or if its b is 0, the smallest bound of x.
static void settle_halves(enumeration *e, const int32_t *half, int32_t halves,
                          const double *size) {
  const perp_run *run = e->run;
  const int32_t n = e->n;
  double *unit = e->u, *least = e->h;   // 2 n each
  for (int32_t k = 0; k < halves; k++) {
    unit[k] = 0.0;
    least[k] = (double)INFINITY;
  }
  for (int32_t i = 0; i < n; i++) {
    const double bounds[] = {fabs(lower(run->lo, i)), fabs(upper(run->hi, i))};
    unit[half[i]] = max2(unit[half[i]], min2(e->row[i]*size[i], 0x1p900));
    for (int side = 0; side < 2; side++)
      if (bounds[side] > 0.0)
        least[half[n + i]] = min2(least[half[n + i]], bounds[side]/e->column[i]);
  }
  for (int32_t k = 0; k < halves; k++) {
    if (!(unit[k] > 0.0)) unit[k] = least[k] < (double)INFINITY ? least[k] : 1.0;
    unit[k] = power_near(unit[k], 400);
  }
  for (int32_t i = 0; i < n; i++) {
    e->row[i] /= unit[half[i]];
    e->column[i] *= unit[half[n + i]];
  }
}

// Copies the problem, equilibrates it, and scales each connected component so that its natural
// residual at x_ref = clamp(0, lo, hi) is about 1. Then one tolerance fits all rows.
static void scale_problem(enumeration *e) {
  const perp_run *run = e->run;
  const int32_t n = e->n;
  for (int32_t i = 0; i < n; i++) e->set[i] = i;
  run->A.ops->submatrix(run->A.self, e->set, n, e->A);
  const perp_dense copy = {.n = n, .value = e->A};
  const perp_operator A = perp_from_dense(&copy, PERP_CLAIM_NONE);
  int32_t *component = e->set, *entries = e->order, *half = e->basis;
  int known;
  const int32_t components = components_find(&A, component, entries, &known, NULL);
  equilibrate(&A, e->row, e->column, e->v);
  double *size = e->w;           // |b| + |A||x_ref|, and y = A x_ref + b:
  for (int32_t i = 0; i < n; i++) {
    e->y[i] = run->b[i];
    size[i] = fabs(run->b[i]);
    for (int32_t j = 0; j < n; j++) {
      const double term = e->A[i*n + j]*clamp(0.0, lower(run->lo, j), upper(run->hi, j));
      e->y[i] += term;
      size[i] += fabs(term);
    }
  }
  settle_halves(e, half, components_halves(&A, component, components, e->v, half), size);
  double *G = e->t, *S = e->c;   // n: of component k at k
  for (int32_t i = 0; i < n; i++) G[i] = S[i] = 0.0;
  for (int32_t i = 0; i < n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i), at = clamp(0.0, lo, hi);
    const double r = fabs(mid((at - hi)/e->column[i], e->row[i]*e->y[i], (at - lo)/e->column[i]));
    G[component[i]] = max2(G[component[i]], r);
    S[component[i]] = max2(S[component[i]], e->row[i]*size[i]);
  }
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = component[i];
    const double unit = power_near(G[k] > 0.0 ? G[k] : S[k] > 0.0 ? S[k] : 1.0, 100);
    e->size[i] = S[k]/unit;
    e->y[i] = unit;
  }
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)   // A_ij = 0 between halves, whose scales may overflow together
      if (e->A[i*n + j] != 0.0) e->A[i*n + j] *= e->row[i]*e->column[j];
  for (int32_t i = 0; i < n; i++) {
    e->row[i] /= e->y[i];
    e->column[i] *= e->y[i];
    e->b[i] = run->b[i]*e->row[i];
    e->lo[i] = lower(run->lo, i)/e->column[i];
    e->hi[i] = upper(run->hi, i)/e->column[i];
  }
}

// The last label of a row is "free", so larger codes have larger free sets.
static void decode(enumeration *e, uint32_t code) {
  for (int32_t i = 0; i < e->n; i++) {
    const uint32_t choices = e->choices[i];
    uint32_t digit = 0;
    if (choices == 2) {
      digit = code & 1;
      code >>= 1;
    } else if (choices == 3) {
      digit = code%3;
      code /= 3;
    }
    const int has_low = e->lo[i] > -(double)INFINITY;
    if (choices == 1) e->labels[i] = e->lo[i] == e->hi[i] ? LABEL_LOW : LABEL_FREE;
    else if (digit == choices - 1) e->labels[i] = LABEL_FREE;
    else e->labels[i] = digit == 0 && has_low ? LABEL_LOW : LABEL_HIGH;
  }
}

// The current point in the caller's units. A value that is next to a bound by rounding goes there.
static void unscale(const enumeration *e, double *x) {
  double largest = 0.0;
  for (int32_t i = 0; i < e->n; i++) largest = max2(largest, fabs(e->x[i]));
  for (int32_t i = 0; i < e->n; i++) {
    const double lo = lower(e->run->lo, i), hi = upper(e->run->hi, i),
        near = 1e-14*(largest + e->size[i]);
    if (e->labels[i] != LABEL_FREE) x[i] = e->labels[i] == LABEL_LOW ? lo : hi;
    else if (e->x[i] - e->lo[i] <= near) x[i] = lo;
    else if (e->hi[i] - e->x[i] <= near) x[i] = hi;
    else x[i] = clamp(e->column[i]*e->x[i], lo, hi);
  }
}

static int offer(enumeration *e, const double *x, int32_t dimension) {   // 1: stop
  perp_run *run = e->run;
  if (x != run->x) memcpy(run->x, x, (size_t)e->n*sizeof *x);
  const int answer = run_solution(run, dimension);
  if (answer < 0) {
    e->ambiguous++;
    memcpy(run->x, e->guess, (size_t)e->n*sizeof *x);
  }
  return answer > 0;
}

// First pass. 0: no solution; 1: examine again in the second pass; 2: e->x is an isolated solution.
static int examine(enumeration *e) {
  const int32_t n = e->n, m = enumeration_begin(e);
  for (int32_t a = 0; a < m; a++) {
    const double *row = e->A + e->set[a]*n;
    for (int32_t c = 0; c < m; c++) e->S[a*m + c] = row[e->set[c]];
    e->v[a] = -e->w[e->set[a]];
  }
  if (lu_factor(m, e->S, e->pivot, SAFE_PIVOT_MIN, NULL) != 0) return 1;
  lu_solve(m, e->S, e->pivot, e->v);                                    // A_II x_I = -w_I
  double largest = 0.0;
  for (int32_t a = 0; a < m; a++) {
    e->x[e->set[a]] = e->v[a];
    largest = max2(largest, fabs(e->v[a]));
  }
  for (int32_t i = 0; i < n; i++)
    if (e->labels[i] != LABEL_FREE) largest = max2(largest, fabs(e->x[i]));
  const double near = ENUMERATE_SLACK_MIN + 1e-9*largest;
  int close = 0;
  for (int32_t a = 0; a < m; a++) {
    const int32_t i = e->set[a];
    const double room = min2(e->x[i] - e->lo[i], e->hi[i] - e->x[i]),
        band = near + 1e-13*e->size[i];
    if (room < -band) return 0;
    close |= room < band;
  }
  for (int32_t i = 0; i < n; i++) {
    if (e->labels[i] == LABEL_FREE || e->lo[i] == e->hi[i]) continue;
    double y = e->w[i];
    for (int32_t a = 0; a < m; a++) y += e->A[i*n + e->set[a]]*e->v[a];
    const double room = e->labels[i] == LABEL_LOW ? y : -y, band = near + 1e-13*e->size[i];
    if (room < -band) return 0;
    close |= room < band;
  }
  return close ? 1 : 2;
}

// Minus the residual of row i at e->x, exact before rounding.
static double missing(const enumeration *e, int32_t i) {
  exact_sum y = {e->b[i], 0.0};
  for (int32_t j = 0; j < e->n; j++) exact_add_product(&y, e->A[i*e->n + j], e->x[j]);
  return -exact_value(y);
}

// If rounding leaves open whether A_II is singular: e->x from its factors, refined with exact
// residuals. 1: x is within its bounds, so the certificate may be asked.
static int refine_block(enumeration *e) {
  const int32_t n = e->n, m = enumeration_begin(e);
  for (int32_t a = 0; a < m; a++) {
    for (int32_t c = 0; c < m; c++) e->S[a*m + c] = e->A[e->set[a]*n + e->set[c]];
    e->x[e->set[a]] = 0.0;
  }
  if (m == 0 || lu_factor(m, e->S, e->pivot, 0.0, NULL) != 0) return 0;
  double last = (double)INFINITY, size = 0.0;
  for (;; last = size) {   // until a step is not half as long as the one before
    for (int32_t a = 0; a < m; a++) e->v[a] = missing(e, e->set[a]);
    lu_solve(m, e->S, e->pivot, e->v);
    size = 0.0;
    for (int32_t a = 0; a < m; a++) size = max_or_nan(size, fabs(e->v[a]));
    if (!(size > 0.0 && size < 0.5*last)) break;
    for (int32_t a = 0; a < m; a++) e->x[e->set[a]] += e->v[a];
  }
  for (int32_t a = 0; a < m; a++) {
    const int32_t i = e->set[a];
    if (!(e->x[i] >= e->lo[i] && e->x[i] <= e->hi[i])) return 0;
  }
  return 1;
}

// Second pass: stores the piece, or reports it if no other can contain it. 1: stop.
static int keep(enumeration *e, const piece *p) {
  double *x = e->run->x;
  unscale(e, x);
  uint32_t fixed = 0;
  for (int32_t i = 0; i < e->n; i++)
    if (e->lo[i] == e->hi[i]) fixed |= (uint32_t)1 << i;
  const int degenerate = ((p->at_low | p->at_high) & p->zero & ~fixed) != 0;
  if (p->dimension == 0 && !degenerate) return offer(e, x, 0);

  int32_t kept = 0;   // drops the pieces that the new one contains
  for (int32_t k = 0; k < e->count; k++) {
    const piece *q = &e->pieces[k];
    if ((p->low & ~q->at_low) == 0 && (p->high & ~q->at_high) == 0 && (p->free & ~q->zero) == 0)
      continue;
    if (kept != k) {
      e->pieces[kept] = *q;
      memcpy(e->points + (size_t)kept*(size_t)e->n, e->points + (size_t)k*(size_t)e->n,
             (size_t)e->n*sizeof *x);
    }
    kept++;
  }
  e->count = kept;
  if (e->count == e->capacity) {
    e->overflowed = 1;
    return offer(e, x, p->dimension);
  }
  e->pieces[e->count] = *p;
  memcpy(e->points + (size_t)e->count*(size_t)e->n, x, (size_t)e->n*sizeof *x);
  e->count++;
  memcpy(x, e->guess, (size_t)e->n*sizeof *x);
  return 0;
}

static int report_pieces(enumeration *e) {   // 1: stop
  for (int32_t dimension = e->n; dimension >= 0; dimension--)
    for (int32_t k = 0; k < e->count; k++)
      if (e->pieces[k].dimension == dimension &&
          offer(e, e->points + (size_t)k*(size_t)e->n, dimension))
        return 1;
  return 0;
}

// 1: ended before all assignments were examined.
static int search(enumeration *e, uint32_t count) {
  perp_run *run = e->run;
  int32_t pending = 0;
  for (uint32_t code = 0; code < count; code++) {
    if (pending++ == ASSIGNMENTS_PER_ITERATION) {
      if (!run_continue(run)) return 1;
      pending = 1;
    }
    decode(e, code);
    run->factorizations++;
    const int found = examine(e);
    if (found == 1) e->marks[code/32] |= (uint32_t)1 << code%32;
    if (found != 2) continue;
    unscale(e, run->x);
    if (offer(e, run->x, 0)) return 1;
  }
  for (uint32_t left = count; left > 0; left--) {
    const uint32_t code = left - 1;
    if ((e->marks[code/32] >> code%32 & 1) == 0) continue;
    if (pending++ == ASSIGNMENTS_PER_ITERATION) {
      if (!run_continue(run)) return 1;
      pending = 1;
    }
    decode(e, code);
    run->factorizations++;
    piece p;
    const verdict found = enumeration_face(e, &p);
    if (found == VERDICT_DOUBT) e->ambiguous++;
    else e->marks[code/32] &= ~((uint32_t)1 << code%32);
    if (found == VERDICT_POINT && !enumeration_known(e, &p) && keep(e, &p)) return 1;
  }
  return report_pieces(e);
}

// Solves the assignments that are still marked if no solution was found. The first one that the
// certificate accepts is a solution. 1: ended before all were examined.
static int search_undecided(enumeration *e, uint32_t count) {
  perp_run *run = e->run;
  const int64_t undecided = e->ambiguous;
  int32_t pending = 0;
  // A face without a certain point may still contain the point nearest to 0.
  for (int32_t i = 0; i < e->n; i++) e->x[i] = clamp(0.0, lower(run->lo, i), upper(run->hi, i));
  offer(e, e->x, 0);
  for (uint32_t code = 0; code < count && run->solutions == 0; code++) {
    if ((e->marks[code/32] >> code%32 & 1) == 0) continue;
    if (pending++ == ASSIGNMENTS_PER_ITERATION) {
      if (!run_continue(run)) return 1;
      pending = 1;
    }
    decode(e, code);
    if (!refine_block(e)) continue;
    unscale(e, run->x);
    offer(e, run->x, 0);
  }
  e->ambiguous = undecided;
  return 0;
}

// 1: the entries that were read are exact, and no rounded sums such as those of J J'.
static int exact_entries(const perp_operator *A) {
  entry_chain chain;
  if (!entries_chain(A, &chain)) return 0;
  for (int32_t j = 0; j < chain.n; j++) {
    entry_cursor cursor = entries_begin(&chain, j);
    int32_t i;
    double a, error;
    while (entries_next(&cursor, &i, &a, &error))
      if (error != 0.0) return 0;
  }
  return 1;
}

static void enumerate_run(perp_run *run) {
  const int32_t n = run->n;
  if (!run_continue(run)) return;
  enumeration *e = layout(run->memory, n);
  e->run = run;
  memcpy(e->guess, run->x, (size_t)n*sizeof(double));
  scale_problem(e);
  uint32_t count = 1;
  for (int32_t i = 0; i < n; i++) {
    const int has_low = e->lo[i] > -(double)INFINITY, has_high = e->hi[i] < (double)INFINITY;
    e->choices[i] = e->lo[i] == e->hi[i] ? 1 : (uint8_t)(1 + has_low + has_high);
    count *= e->choices[i];
  }
  memset(e->marks, 0, ((size_t)count + 31)/32*sizeof *e->marks);
  if (search(e, count) ||
      (run->solutions == 0 && e->ambiguous > 0 && search_undecided(e, count))) {
    // A limit ended the run: report what was found so far, unless the caller asked to stop.
    if (run->reason == PERP_STATUS_TIME_LIMIT || run->reason == PERP_STATUS_ITERATION_LIMIT)
      report_pieces(e);
    if (run->message[0] == '\0')
      plain_print(run->message, sizeof run->message,
                  "enumerate stopped after %lld solutions, and there may be more",
                  (long long)run->solutions);
    return;
  }
  const long long all = count, solutions = run->solutions, undecided = e->ambiguous;
  run->complete = undecided == 0;
  const int exact = solutions > 0 || undecided > 0 || exact_entries(&run->A);
  const int slight = solutions == 0 && run_contradicts_slightly(run);
  if (!exact || slight) run->complete = 0;
  const char *parts = e->overflowed ? ", some of them parts of others" : "";
  const char *pieces = solutions == 1 ? "solution or face of solutions was found"
                                      : "solutions and faces of solutions were found";
  char examined[64] = "the only label assignment was examined";
  if (all > 1)
    plain_print(examined, sizeof examined, "all %lld label assignments were examined", all);
  const char *none = all > 1 ? "none is a solution" : "is no solution";
  if (!exact)
    run_stop(run, PERP_STATUS_UNSOLVED,
             "%s and %s, but the entries of A were rounded, so this is no proof", examined,
             none);
  else if (slight)
    run_stop(run, PERP_STATUS_UNSOLVED,
             "%s and %s, but the tolerance explains why, so this is no proof", examined, none);
  else if (solutions == 0 && undecided == 0)
    run_stop(run, PERP_STATUS_NO_SOLUTION, "%s and %s", examined, none);
  else if (undecided == 0)
    run_stop(run, PERP_STATUS_UNSOLVED, "%s, and %lld %s%s", examined, solutions, pieces, parts);
  else
    run_stop(run, PERP_STATUS_UNSOLVED,
             "%s: %lld %s%s, and rounding leaves %lld undecided", examined, solutions, pieces,
             parts, undecided);
}

const perp_method method_enumerate = {
  .name = "enumerate", .tier = PERP_TIER_CHOOSE,
  .use = "all solutions, or a proof that there is none; n <= 20",
  .title = "enumeration of all solutions",
  .source = "E13 5.1",
  .formula = "for every split into I (free) and F (at a bound): A_II x_I = -(b_I + A_IF x_F); "
             "keep x if bounds and signs hold",
  .converges = "always: it finds every solution, or proves that there is none",
  .cost = "2/3 |I|^3 flops for each of 256 assignments; in all 2^n of them (two-sided rows: 3^n)",
  .advice = "Beyond n = 20 use auto.",
  .needs = PERP_NEEDS_SUBMATRIX,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 0,
  .traits = PERP_TRAIT_FINITE | PERP_TRAIT_ALL | PERP_TRAIT_NO_ALLOC,
  .n_max = ENUMERATE_ROWS_MAX,
  .boxed_n_max = ENUMERATE_BOXED_ROWS_MAX,
  .parameters = parameters,
  .parameter_count = sizeof parameters/sizeof parameters[0],
  .bytes = enumerate_bytes,
  .run = enumerate_run,
};
