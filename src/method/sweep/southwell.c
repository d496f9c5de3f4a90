// southwell.c: projected Gauss-Southwell: relaxes only the rows that are most wrong.
//
//   I = {i: r_i > theta max_k r_k},  r_i = min(R_i |y_i|, distance to the bound that y points to)
//   x_i <- clamp(x_i - y_i/A_ii, lo_i, hi_i),  y <- y + dx_i A e_i,   i in I, in place
//
// R. V. Southwell: Relaxation methods in engineering science (1940), by thresholds. The residual of
// the certificate is the largest r_i, so a few rows decide; PGS spends a sweep on all rows. Columns
// update y = A x + b, so r is exact. Converges for symmetric positive definite A, and for every A for
// which coordinate descent with the Gauss-Southwell rule does (Luo, Tseng 1992): every step lowers
// 1/2 x'Ax + b'x, and a row waits only while others are worse.
// Cost per iteration: one pass over vectors, and the columns of I. theta adapts so that both take
// about the same time; examining a row costs about two entries of a column. On walls of 9500 rows
// the residual after the time of 3 to 9 sweeps is 5 to 15 times smaller than that of PGS. An operator
// without columns gets plain sweeps.
#include "clock.h"
#include "problem.h"
#include "sweep.h"
#include "vector.h"

#define THETA_FIRST 0.1  // first theta; 0.03 to 0.3 makes little difference on walls
#define THETA_MAX 0.7    // largest theta; if it does not help, all rows are relaxed once. Without
                         // this limit, 6 of 12 problems stay unsolved

typedef struct southwell {
  sweeper sweeps;            // the diagonal; passes where A has no columns
  double *y;                 // n: A x + b
  double *unit;              // n: unit_i |y_i| is in the certificate's units
  double *r;                 // n
  int32_t *row;              // n: I
  int32_t count;
  double most, threshold;    // max r, theta max r
  double theta;
  int any_flat;              // 1: some A_ii <= 0
  double examine_cost;       // cost of examining all rows, in relaxed rows
  double touched;            // rows relaxed since y was computed from x
} southwell;

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  arena count = {0};
  for (int k = 0; k < 3; k++) ARENA_ARRAY(&count, double, limits->n);
  ARENA_ARRAY(&count, int32_t, limits->n);
  arena_take(&count, sweeper_bytes(limits, options), 1);
  return count.used;
}

static inline double relaxed_row(const southwell *s, const perp_run *run, int32_t i) {
  return relaxed(run->x[i], s->y[i], s->sweeps.diagonal[i], 1.0, lower(run->lo, i),
                 upper(run->hi, i));
}

// How wrong row i is, as the certificate measures it. It does not branch on the sign of y, which is
// hard to predict. If a weight of 0 meets an infinite bound, y counts.
static inline double wrong(const southwell *s, const perp_run *run, int32_t i, double lo,
                           double hi) {
  const double size = s->unit[i]*s->y[i], weight = run->weight[i], x = run->x[i];
  return max2(min2((x - lo)*weight, size), min2((hi - x)*weight, -size));
}

static inline void measure(southwell *s, const perp_run *run, int plain) {
  for (int32_t i = 0; i < run->n; i++)
    s->r[i] = wrong(s, run, i, plain ? 0.0 : lower(run->lo, i),
                    plain ? (double)INFINITY : upper(run->hi, i));
}

// max r, or infinity if the iterates have overflowed. Four maxima run faster than one.
static double largest(int32_t n, const double *r) {
  double most[4] = {0.0}, sum[4] = {0.0};
  int32_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) {
      most[k] = max2(r[i + k], most[k]);
      sum[k] += r[i + k];
    }
  for (; i < n; i++) {
    most[0] = max2(r[i], most[0]);
    sum[0] += r[i];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]) < (double)INFINITY
             ? max2(max2(most[0], most[1]), max2(most[2], most[3])) : (double)INFINITY;
}

// Sets r and I. Returns the residual. A row with A_ii <= 0 that cannot move is wrong, but not in I.
static double choose_rows(southwell *s, const perp_run *run) {
  if (run->lo == NULL && run->hi == NULL) measure(s, run, 1);
  else measure(s, run, 0);
  const double residual = largest(run->n, s->r);
  for (int32_t i = 0; s->any_flat && i < run->n; i++)
    if (relaxed_row(s, run, i) == run->x[i]) s->r[i] = 0.0;
  s->most = s->any_flat ? largest(run->n, s->r) : residual;
  s->threshold = s->theta*s->most;
  s->count = 0;
  for (int32_t i = 0; i < run->n; i++) {
    s->row[s->count] = i;
    s->count += s->r[i] > s->threshold;
  }
  return residual;
}

// Relaxes the rows of I once. Returns how many have moved.
static int32_t relax(southwell *s, perp_run *run) {
  int32_t moved = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t i = s->row[k];
    if (k%CLOCK_LINES == CLOCK_LINES - 1 && run_out_of_time(run)) break;
    if (!(wrong(s, run, i, lower(run->lo, i), upper(run->hi, i)) > s->threshold))
      continue;   // a neighbour has corrected it
    const double z = relaxed_row(s, run, i), dx = z - run->x[i];
    if (dx == 0.0) continue;
    run->x[i] = z;
    run->A.ops->add_column(run->A.self, i, dx, s->y);
    moved++;
  }
  s->touched += moved;
  return moved;
}

// Adapts theta. If few rows moved, a smaller theta selects more; if many did, a larger one fewer. If
// the residual stays, a few rows cause it, and a larger theta selects only these. If that does not
// help either, theta = 0 relaxes all rows once.
static void adapt(southwell *s, int32_t moved, double before, double after) {
  if (s->theta == 0.0) s->theta = THETA_FIRST;
  else if (after > 0.95*before) s->theta = s->theta < THETA_MAX ? min2(THETA_MAX, 1.5*s->theta) : 0.0;
  else if (moved > 4.0*s->examine_cost) s->theta = min2(THETA_MAX, 1.25*s->theta);
  else if (moved < s->examine_cost) s->theta *= 0.8;
}

static void sweeps_only(southwell *s, perp_run *run) {
  while (run_continue(run)) {
    run->residual = sweeper_pass(&s->sweeps, run, 0);
    if (run->residual == 0.0) sweeper_fixed_point(&s->sweeps, run);
  }
}

static void run_southwell(perp_run *run) {
  const int32_t n = run->n;
  southwell s = {.y = ARENA_ARRAY(run->memory, double, n),
                 .unit = ARENA_ARRAY(run->memory, double, n),
                 .r = ARENA_ARRAY(run->memory, double, n),
                 .row = ARENA_ARRAY(run->memory, int32_t, n), .theta = THETA_FIRST};
  if (!sweeper_begin(&s.sweeps, run, 1.0)) return;
  if (run->A.ops->add_column == NULL) {
    sweeps_only(&s, run);
    return;
  }
  const perp_problem own = {.A = run->A};
  const double entries = (double)problem_nnz(&own);
  s.examine_cost = max2(1.0, entries > 0.0 ? (double)n*n/entries : 1.0);
  for (int32_t i = 0; i < n; i++) s.any_flat |= !(s.sweeps.diagonal[i] > 0.0);
  run->measured = run->paced = 1;   // every part checks the clock
  run_units(run, s.unit);
  if (run_first(run, s.y) != 0) return;
  choose_rows(&s, run);
  while (run_continue(run)) {
    const int32_t moved = relax(&s, run);
    const int still = moved == 0 && s.touched == 0.0;
    if (moved == 0 || s.touched > (double)SWEEP_REFRESH_PASSES*n) {
      if (run_apply(run, run->x, s.y) != 0) return;
      s.touched = 0.0;
    }
    const double before = s.most;
    run->residual = choose_rows(&s, run);
    adapt(&s, moved, before, s.most);
    if (still && !run_check(run))
      run_stop(run, PERP_STATUS_STAGNATED,
               "southwell no longer changes x, which is not a solution");
  }
}

static const perp_parameter parameters[] = {SWEEP_ORDER_PARAMETER};

const perp_method method_southwell = {
  .name = "southwell", .tier = PERP_TIER_INTERNAL,
  .title = "projected Gauss-Southwell",
  .source = "Southwell 1940; Luo, Tseng 1992",
  .formula = "x_i <- clamp(x_i - y_i/A_ii, lo_i, hi_i) for the i with r_i > theta max r, in place",
  .converges = "A symmetric positive definite",
  .cost = "one pass over vectors, and the columns of the rows that are wrong most",
  .advice = "It is for limited time. Raise time_limit, or use nncg or auto.",
  .needs = PERP_NEEDS_DIAGONAL | PERP_NEEDS_SWEEP,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_NO_ALLOC,
  .parameters = parameters,
  .parameter_count = 1,
  .bytes = bytes,
  .run = run_southwell,
};
