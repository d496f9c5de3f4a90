// lemke.c: Lemke's complementary pivoting with bounds and free rows.
//
//     y = A x + b + d z0,   y_i >= 0 at lo_i, <= 0 at hi_i, = 0 between
//     z0 enters with the largest violation. Then the complement of the variable that left enters,
//     and the basic variable that blocks first leaves, until z0 leaves.
//
// Lemke 1965, with bounds as in Sargent 1978: a variable that reaches its other bound before
// anything blocks stays out of the basis, and its y enters with the other sign.
// Converges from the plain start (d > 0, every x at a bound) for strictly copositive and for
// P-matrices, and for copositive-plus matrices if the problem is feasible (Cottle, Pang, Stone
// 1992, 4.4). The lexicographic rule excludes cycles. A ray proves nothing by itself; but if the
// symmetric part of A is positive semidefinite, the direction of the ray is a Farkas vector, which
// the driver checks.
// Cost per pivot: a solve with the basis, 2 n^2 operations with the dense inverse, or the touched
// entries of the sparse LU. There are about n pivots in practice and 2^n at worst (Murty 1978).
// Pivots count as iterations after z0 has entered.
#include "lemke.h"

#include <assert.h>
#include <string.h>

#include "assemble.h"
#include "methods.h"
#include "vector.h"

enum {
  // Rows up to which the basis is dense. Above, a sparse basis is faster, even for a dense A. If it
  // is always dense, 6 times the work.
  DENSE_ROWS_MAX = 100,
  // Restarts from a final basis that the certificate refused. With 1, one of the fc_ problems stays
  // unsolved.
  REPAIRS_MAX = 3,
  // Starts from random bases, for n up to DENSE_ROWS_MAX. Without them, 5 problems stay unsolved.
  RANDOM_STARTS = 32
};

// The starts before those: the basis, the cover of the option or another one, and whether every
// column is refined. Without CRASH_REPEATED, heaps of 250 spheres with friction take 3 times the
// pivots. With the first of the random covers only, 4.6 times the work on some problems.
enum cover_from { COVER_ASKED, COVER_SCALED, COVER_RANDOM };
typedef struct start { uint8_t crash, cover, careful; } start;
static const start starts[] = {
  {CRASH_ONCE, COVER_ASKED, 0}, {CRASH_REPEATED, COVER_ASKED, 0}, {CRASH_NONE, COVER_ASKED, 0},
  {CRASH_NONE, COVER_SCALED, 0}, {CRASH_NONE, COVER_RANDOM, 0}, {CRASH_NONE, COVER_RANDOM, 0},
  {CRASH_ONCE, COVER_ASKED, 1}, {CRASH_NONE, COVER_ASKED, 1},
};
#define DRIFT_MAX 1e-8          // error of the values above which the basis is factored again
#define NOISE_RATIO_MAX 1e-11   // an entry below this, relative to its column, is noise

static int sparse_for(int32_t n, const perp_options *options) {
  return options->pivot.basis == PERP_BASIS_SPARSE ||
         (options->pivot.basis == PERP_BASIS_AUTO && n > DENSE_ROWS_MAX);
}

static int layout(lemke *l, int32_t n, int64_t nnz, const perp_options *options, arena *memory,
                  const perp_allocator *allocator) {
  const size_t m = (size_t)n, entries = (size_t)nnz + 2*m;
  double **const doubles[] = {&l->u.value, &l->value, &l->width, &l->d, &l->reference_sign, &l->row,
                              &l->low, &l->other, &l->x, &l->y};
  int32_t **const integers[] = {&l->u.index, &l->head, &l->d_row, &l->reference, &l->start,
                                &l->tied, &l->iota};
  for (size_t k = 0; k < sizeof doubles/sizeof doubles[0]; k++)
    *doubles[k] = ARENA_ARRAY(memory, double, m);
  for (size_t k = 0; k < sizeof integers/sizeof integers[0]; k++)
    *integers[k] = ARENA_ARRAY(memory, int32_t, m);
  l->where = ARENA_ARRAY(memory, int32_t, 2*m + 1);
  l->side = ARENA_ARRAY(memory, uint8_t, m);
  l->wanted = ARENA_ARRAY(memory, uint8_t, m);
  l->colptr = ARENA_ARRAY(memory, int32_t, m + 1);
  l->index = ARENA_ARRAY(memory, int32_t, entries);
  l->entry = ARENA_ARRAY(memory, double, entries);
  const int code = basis_begin(&l->B, n, sparse_for(n, options), 8*options->pivot.refactor, memory,
                               allocator);
  basis_use(&l->B, options->linear, options);
  return code;
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)limits;
  (void)options;
  return 0;   // A decides how much; the run allocates it
}

// ---- the path ----

typedef struct move {    // the next variable to enter
  int32_t variable;
  double direction;
} move;

static move complement_of(lemke *l, int32_t leaving, int at_upper) {
  const int32_t i = lemke_row(l, leaving);
  if (leaving < l->n) {
    l->side[i] = at_upper ? AT_UPPER : AT_LOWER;
    return (move){Y_OF(l, i), at_upper ? -1.0 : 1.0};
  }
  int32_t j = i;
  if (l->side[i] == AT_ZERO)   // the slack of a free row: take any free x that is not basic
    for (j = 0; j < l->n && (l->side[j] != AT_ZERO || l->where[X_OF(j)] >= 0);) j++;
  assert(j < l->n);            // each basic slack of a free row has a free x that is not basic
  return (move){X_OF(j), l->side[i] == AT_UPPER ? -1.0 : 1.0};
}

static int refactor(lemke *l) {
  const int code = lemke_renew(l);
  l->renew = 0;
  if (code == 0) lemke_values(l);
  return code;
}

// 1: the basis needs a new factorisation, because the exchanges make it slow or inaccurate.
static int factor_is_due(lemke *l) {
  const int32_t often = l->run->options->pivot.refactor;
  if (l->renew) return 1;
  if (basis_due(&l->B, often)) return 1;
  return l->B.exchanges > 0 && l->B.exchanges%often == 0 && !(lemke_drift(l) <= DRIFT_MAX);
}

static lemke_end over(lemke *l, int code) {
  if (code == -1) run_stop(l->run, PERP_STATUS_TIME_LIMIT, "the time limit was reached");
  if (code == -2) run_no_memory(l->run, "the basis");
  return code > 0 ? LEMKE_LOST : LEMKE_OVER;
}

// Solves for the entering column and finds what blocks it. A small pivot is accepted only if the
// column is right to rounding. A ray is accepted only if every entry of the column is, with fresh
// factors. Otherwise the basis is factored again.
static int32_t try_move(lemke *l, move *next, double *step, int *at_upper, int *code) {
  const basis_column c = lemke_column(l, next->variable);
  for (int refined = 0;;) {
    if (!refined) basis_solve(&l->B, &c, &l->u);
    l->negligible = NOISE_RATIO_MAX;
    if (refined || l->careful) l->negligible = lemke_refine(l, next->variable);
    refined |= l->careful;
    // A free x that replaces its slack may move in either direction: take the one that lowers z0.
    if (next->variable < l->n && l->side[next->variable] == AT_ZERO)
      next->direction = l->u.value[l->where[Z0(l)]] < 0.0 ? -1.0 : 1.0;
    double largest = 0.0;
    for (int32_t q = 0; q < l->u.count; q++)
      largest = max_or_nan(largest, fabs(l->u.value[l->u.index[q]]));
    const int32_t k = largest < (double)INFINITY
                          ? lemke_block(l, next->variable, next->direction, step, at_upper) : -3;
    l->renew = k >= 0 && fabs(l->u.value[k]) < LEMKE_PIVOT_RATIO_MIN*largest;
    if (k == -1 || (k >= 0 && !l->renew)) return k;
    if (l->B.exchanges == 0 && (refined || k == -3)) return k;
    if (k >= 0 && lemke_mismatch(l, next->variable) <= 1e-13*largest) return k;
    if (l->B.exchanges == 0) {
      refined = 1;
      continue;
    }
    refined = 0;
    *code = refactor(l);
    if (*code != 0) return -3;
  }
}

// 1: the path is back at the basis where z0 entered. From a crash it may lie on a loop.
static int path_repeats(const lemke *l, int32_t first, int32_t leaving) {
  if (leaving != first) return 0;
  for (int32_t k = 0; k < l->n; k++)
    if (l->start[k] != first && l->where[l->start[k]] < 0) return 0;
  return 1;
}

static lemke_end follow(lemke *l, int32_t first, move next, int32_t pivots) {
  for (int32_t count = 0; count < pivots; count++) {
    if (count > 0 && !run_continue(l->run)) return LEMKE_OVER;
    double step = 0.0;
    int at_upper = 0, code = 0;
    if (factor_is_due(l)) code = refactor(l);
    const int32_t k = code == 0 ? try_move(l, &next, &step, &at_upper, &code) : -3;
    if (code != 0) return over(l, code);
    if (k == -2) {
      l->direction = next.direction;
      l->entering = next.variable;
      return LEMKE_RAY;
    }
    if (k == -3) return LEMKE_LOST;
    for (int32_t q = 0; q < l->u.count; q++)
      l->value[l->u.index[q]] -= next.direction*step*l->u.value[l->u.index[q]];
    if (k == -1) {   // moves to its other bound
      next = complement_of(l, next.variable, next.direction > 0.0);
      continue;
    }
    const int32_t leaving = l->head[k];
    const double from = next.variable < l->n ? lemke_rest(l, next.variable) : 0.0;
    code = lemke_exchange(l, k, next.variable);
    if (code != 0) return over(l, code);
    l->value[k] = from + next.direction*step;
    if (leaving == Z0(l)) return LEMKE_COMPLEMENTARY;
    if (path_repeats(l, first, leaving)) return LEMKE_LOST;
    next = complement_of(l, leaving, at_upper);
  }
  return LEMKE_LOST;
}

// ---- attempts ----

// Submits x of a complementary basis. 1: the run has ended. Counts the pivot that led to it.
static int offer(lemke *l, int pivoted) {
  perp_run *run = l->run;
  lemke_point(l, l->x);
  if (run_apply(run, l->x, l->y) != 0) return 1;
  const double residual = run_residual(run, l->x, l->y);
  if (residual < (double)INFINITY) {   // a basis with an infinite residual shall not end the run
    memcpy(run->x, l->x, (size_t)l->n*sizeof *l->x);
    run->residual = residual;
  }
  return (pivoted && !run_continue(run)) || run_check(run);
}

// Submits the direction of the ray in x. It is a Farkas vector if A is copositive-plus. 1:
// accepted.
static int offer_ray(lemke *l) {
  for (int32_t i = 0; i < l->n; i++) {
    const int32_t k = l->where[X_OF(i)];
    const double dx = k >= 0 ? -l->direction*l->u.value[k]
                      : l->entering == X_OF(i) ? l->direction : 0.0;
    const int lower_only = lower(l->run->lo, i) > -(double)INFINITY;
    const int upper_only = upper(l->run->hi, i) < (double)INFINITY;
    l->x[i] = lower_only && upper_only ? 0.0
              : lower_only ? max2(dx, 0.0) : upper_only ? min2(dx, 0.0) : dx;
  }
  return run_infeasible(l->run, l->x);
}

// Submits combinations of dependent free rows whose slack is not 0: they may prove infeasibility.
static int contradiction(lemke *l) {
  for (int32_t k = 0; k < l->n; k++) {
    const int32_t variable = l->head[k];
    if (variable < l->n || variable == Z0(l) || l->side[variable - l->n] != AT_ZERO) continue;
    if (fabs(l->value[k]) <= LEMKE_OUTSIDE_MIN) continue;
    basis_row(&l->B, k, l->x);
    if (run_infeasible(l->run, l->x)) return 1;
    for (int32_t i = 0; i < l->n; i++) l->x[i] = -l->x[i];
    if (run_infeasible(l->run, l->x)) return 1;
  }
  return 0;
}

// One start. finite: the lexicographic rule makes the path from a plain start finite; other paths
// may cycle, so their pivots are limited.
static lemke_end attempt(lemke *l, int cover, int finite, random_stream *random) {
  const int32_t pivots = !finite && l->n < 100000000 ? 10*l->n + 200 : INT32_MAX;
  double tolerance = 1e-12;
  for (int repair = 0; repair <= REPAIRS_MAX; repair++) {
    l->degenerate = l->lexicographic = l->rebase = 0;
    const int32_t k = lemke_cover(l, cover, tolerance, random);
    if (k >= 0) {
      const int32_t leaving = l->head[k];
      const int at_upper = l->u.value[k] > 0.0;
      const int code = lemke_exchange(l, k, Z0(l));
      if (code != 0) return over(l, code);
      const lemke_end end = follow(l, leaving, complement_of(l, leaving, at_upper),
                                   pivots);
      if (end != LEMKE_COMPLEMENTARY) return end;
    }
    const int code = refactor(l);
    if (code != 0) return over(l, code);
    if (offer(l, k >= 0)) return LEMKE_OVER;
    if (k < 0 && tolerance == 0.0) return LEMKE_LOST;
    tolerance = 0.0;
  }
  return LEMKE_LOST;
}

// Tries the crash, the plain start with the requested cover, then other covers and random bases.
static void solve(lemke *l) {
  const perp_options *options = l->run->options;
  random_stream random = {options->seed, 0};
  int rays = 0, tried = 0, other_ends = 0;   // other_ends: of plain starts
  const int32_t listed = (int32_t)(sizeof starts/sizeof *starts),
                last = listed + (l->n <= DENSE_ROWS_MAX ? RANDOM_STARTS : 0);
  for (int32_t k = 0; k < last; k++) {
    const start own = k < listed ? starts[k] : (start){CRASH_NONE, COVER_RANDOM, 0};
    if (own.crash != CRASH_NONE && options->pivot.crash == 0) continue;
    const int cover = own.cover == COVER_ASKED    ? options->pivot.cover
                      : own.cover == COVER_SCALED ? PERP_COVER_SCALED : PERP_COVER_RANDOM;
    l->careful = own.careful;
    lemke_guess(l, own.crash != CRASH_NONE ? options->pivot.crash : 0);
    if (k >= listed) lemke_random_guess(l, &random);
    const int code = lemke_crash(l, own.crash);
    if (code < 0) {
      over(l, code);
      return;
    }
    if (code > 0) continue;
    if (contradiction(l)) return;
    const int plain = own.crash == CRASH_NONE && k < listed;
    const lemke_end end = attempt(l, cover, !l->harris && plain, &random);
    tried++;
    if (end == LEMKE_OVER) return;
    if (end == LEMKE_RAY) {
      rays++;
      if (offer_ray(l)) return;
    } else if (plain) {
      other_ends++;
    }
    if (!run_continue(l->run)) return;
  }
  if (rays > 0 && other_ends == 0)
    run_stop(l->run, PERP_STATUS_RAY,
             "lemke ended on a ray from %d of %d starts, which proves nothing about the problem",
             rays, tried);
  else
    run_stop(l->run, PERP_STATUS_BREAKDOWN,
             "lemke ended on a ray from %d of %d starts, and no start reached a certified solution",
             rays, tried);
}

static void run_lemke(perp_run *run) {
  const int32_t n = run->n;
  const perp_allocator *allocator = run_allocator(run);
  lemke l = {.run = run, .n = n, .harris = run->options->pivot.harris};
  if (!run_continue(run) || (n > DENSE_ROWS_MAX && !run_may_fit_analysis(run))) return;
  int code = assemble_csc(&run->A, 0, allocator, &l.A);
  if (code > 0) {
    run_stop(run, PERP_STATUS_BREAKDOWN, "lemke needs the entries of A, which are not known");
    return;
  }
  if (code == 0) {
    arena count = {0};
    layout(&l, n, l.A.colptr[n], run->options, &count, allocator);
    void *block = run_allocate(run, arena_block_bytes(&count));
    if (block == NULL) {
      assembled_free(allocator, &l.A);
      return;
    }
    arena memory = arena_on_block(block, arena_block_bytes(&count));
    code = layout(&l, n, l.A.colptr[n], run->options, &memory, allocator);
  }
  int positive = 1;   // with a positive diagonal the sweeps of a crash need no rows of A
  for (int32_t i = 0; code == 0 && i < n; i++) positive &= csc_entry(&l.A, i, i) > 0.0;
  if (code == 0 && run->options->pivot.crash > 0 && !positive)
    code = transpose_csc(&l.A, allocator, &l.T);
  if (code == 0) {
    for (int32_t i = 0; i < n; i++) l.iota[i] = i;
    memset(l.u.value, 0, (size_t)n*sizeof *l.u.value);
    solve(&l);
  } else {
    over(&l, -2);
  }
  basis_end(&l.B);
  if (l.T.colptr != NULL) assembled_free(allocator, &l.T);
  assembled_free(allocator, &l.A);
}

static const perp_parameter parameters[] = {
  {"pivot.basis", PERP_KIND_CHOICE, offsetof(perp_options, pivot.basis), 0, 0, 2, 0, 0,
   "auto|dense|sparse", "how the basis is kept: its inverse, or a sparse LU with updates"},
  {"pivot.cover", PERP_KIND_CHOICE, offsetof(perp_options, pivot.cover), 0, 0, 2, 0, 0,
   "ones|scaled|random", "the covering vector d; random: from the seed"},
  {"pivot.crash", PERP_KIND_INTEGER, offsetof(perp_options, pivot.crash), 30, 0, 1000, 0, 0, NULL,
   "Gauss-Seidel sweeps from the guess that choose the first basis; 0: every x at a bound"},
  {"pivot.harris", PERP_KIND_SWITCH, offsetof(perp_options, pivot.harris), 1, 0, 1, 0, 0, NULL,
   "Harris' ratio test: larger pivots at the price of bounds violated by 1e-9"},
  {"pivot.refactor", PERP_KIND_INTEGER, offsetof(perp_options, pivot.refactor), 64, 1, 1000, 0, 0,
   NULL, "pivots between checks of the basis, which is factored again if that is faster"},
};

const perp_method method_lemke = {
  .name = "lemke", .tier = PERP_TIER_CHOOSE,
  .use = "any A of up to a few thousand rows",
  .title = "Lemke's complementary pivoting",
  .source = "Lemke 1965; Cottle, Pang, Stone 4.4",
  .formula = "y = A x + b + d z0: when x_i or y_i leaves, the other enters, until z0 leaves",
  .converges = "positive definite, P- and strictly copositive A; copositive-plus A (semidefinite "
               "ones too) if the problem is feasible",
  .cost = "a solve with the basis: n^2 if dense, a few columns of the LU if sparse",
  .advice = "Try pivot.crash = 0 or another pivot.cover. A ray is no proof of infeasibility.",
  .hint = "pivot.crash = 0 or another pivot.cover may help.",
  .needs = PERP_NEEDS_SUBMATRIX,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD | 1u << PERP_CLASS_PD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_FINITE | PERP_TRAIT_SPLITS | PERP_TRAIT_EQUILIBRATE |
            PERP_TRAIT_LINEAR,
  .parameters = parameters,
  .parameter_count = (int32_t)(sizeof parameters/sizeof parameters[0]),
  .bytes = bytes,
  .run = run_lemke,
  .iteration = "pivots",
};
