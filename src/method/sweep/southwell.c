// southwell.c: projected Gauss-Southwell: the rows that are wrong most, and no others.
//
//   I = {i: r_i > theta max_k r_k},  r_i = min(R_i |y_i|, distance to the bound that y points to)
//   x_i <- clamp(x_i - y_i/A_ii, lo_i, hi_i),  y <- y + dx_i A e_i,   i in I, in place
//
// R. V. Southwell: Relaxation methods in engineering science (1940), by thresholds. The residual of
// the certificate is the largest r_i: PGS spends a sweep on all rows where a few decide.
// y = A x + b is kept up to date by columns, so r is known, not estimated. Converges for symmetric
// positive definite A, and wherever coordinate descent with the Gauss-Southwell rule does (Luo,
// Tseng 1992): every step lowers 1/2 x'Ax + b'x, and a row is left out only while a worse one is
// not.
// Cost of an iteration: one pass over vectors, and the columns of I. theta follows so that both
// take about as long. On walls of 9500 rows the residual after the time of 3 to 9 sweeps is 5 to 15
// times smaller than that of PGS. Operators without columns are swept.
#include "problem.h"
#include "sweep.h"
#include "vector.h"

enum { PASS = 2,             // a row looked at takes as long as so many entries of a column
       ROUNDS = 3,           // over I from one look to the next: its rows pull at each other
       OFTEN = 256,          // rows from one look at the clock to the next
       REFRESH = 64 };       // sweeps' worth of columns after which y is computed anew

#define BEGIN 0.1            // theta; from 0.03 to 0.3 little changes on walls
#define LEAST 0.01
#define MOST 0.7

typedef struct southwell {
  sweeper sweeps;            // the diagonal; passes where A has no columns
  double *y;                 // n: A x + b
  double *unit;              // n: unit_i |y_i| is in the certificate's units
  double *r;                 // n
  int32_t *row;              // n: I
  int32_t count;
  double most, cut;          // max r, theta max r
  double theta;
  int flat;                  // some A_ii <= 0
  double turn, touched;      // rows that take as long as a look at all; relaxed since y was new
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

// How wrong row i is, as the certificate measures it. No branch on the sign of y, which is hard to
// predict; where a weight of 0 meets an infinite bound, y counts.
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

// max r, or infinity where the iterates have overflowed. Four at a time: each waits for the last.
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

// The residual, and I. A row with A_ii <= 0 and no bound to go to is wrong, but not in I.
static double look(southwell *s, const perp_run *run) {
  if (run->lo == NULL && run->hi == NULL) measure(s, run, 1);
  else measure(s, run, 0);
  const double residual = largest(run->n, s->r);
  for (int32_t i = 0; s->flat && i < run->n; i++)
    if (relaxed_row(s, run, i) == run->x[i]) s->r[i] = 0.0;
  s->most = s->flat ? largest(run->n, s->r) : residual;
  s->cut = s->theta*s->most;
  s->count = 0;
  for (int32_t i = 0; i < run->n; i++) {
    s->row[s->count] = i;
    s->count += s->r[i] > s->cut;
  }
  return residual;
}

// Returns how many rows have moved.
static int32_t relax_once(southwell *s, perp_run *run) {
  int32_t moved = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t i = s->row[k];
    if (k%OFTEN == OFTEN - 1 && run_out_of_time(run)) break;
    if (!(wrong(s, run, i, lower(run->lo, i), upper(run->hi, i)) > s->cut))
      continue;   // a neighbour has set it right
    const double z = relaxed_row(s, run, i), dx = z - run->x[i];
    if (dx == 0.0) continue;
    run->x[i] = z;
    run->A.ops->add_column(run->A.self, i, dx, s->y);
    moved++;
  }
  return moved;
}

// I again and again, until all of it is right or a few rounds are over.
static int32_t relax(southwell *s, perp_run *run) {
  int32_t moved = 0;
  for (int k = 0; k < ROUNDS; k++) {
    const int32_t more = relax_once(s, run);
    moved += more;
    if (more == 0 || s->cut == 0.0) break;
  }
  s->touched += moved;
  return moved;
}

// theta, by what the last rows have gained: where they are few, more of them; where the residual
// stays, a few rows hold it, and only these count; where that does not help either, all rows once.
static void adapt(southwell *s, int32_t moved, double before, double after) {
  if (s->theta == 0.0) s->theta = BEGIN;
  else if (after > 0.95*before) s->theta = s->theta < MOST ? min2(MOST, 1.5*s->theta) : 0.0;
  else if (moved > 2.0*s->turn) s->theta = min2(MOST, 1.25*s->theta);
  else if (moved < 0.5*s->turn) s->theta = max2(LEAST, 0.8*s->theta);
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
                 .row = ARENA_ARRAY(run->memory, int32_t, n), .theta = BEGIN};
  if (!sweeper_begin(&s.sweeps, run, 1.0)) return;
  if (run->A.ops->add_column == NULL) {
    sweeps_only(&s, run);
    return;
  }
  const perp_problem own = {.A = run->A};
  const double entries = (double)problem_nnz(&own);
  s.turn = max2(1.0, entries > 0.0 ? PASS*(double)n*n/entries : PASS);
  for (int32_t i = 0; i < n; i++) s.flat |= !(s.sweeps.diagonal[i] > 0.0);
  run->measured = run->paced = 1;   // whatever is begun ends with the time
  run_units(run, s.unit);
  if (run_first(run, s.y) != 0) return;
  look(&s, run);
  while (run_continue(run)) {
    const int32_t moved = relax(&s, run);
    const int still = moved == 0 && s.touched == 0.0;
    if (moved == 0 || s.touched > (double)REFRESH*n) {
      if (run_apply(run, run->x, s.y) != 0) return;
      s.touched = 0.0;
    }
    const double before = s.most;
    run->residual = look(&s, run);
    adapt(&s, moved, before, s.most);
    if (still && !run_check(run))
      run_stop(run, PERP_STATUS_STAGNATED,
               "southwell no longer changes x, which is no solution");
  }
}

static const perp_parameter parameters[] = {SWEEP_ORDER_PARAMETER};

const perp_method method_southwell = {
  .name = "southwell",
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
