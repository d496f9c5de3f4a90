// contact_sweep.c: block Gauss-Seidel over the contacts of E13 (27).
//
//   for every contact c:  0 <= z  _|_  [B_cc E_c; mu -E_c' 0] z + q >= 0,
//                         q = velocities without c's own impulses
//
// Each contact's own LCP in its normal, tangential and slack variables is solved exactly, with the
// others held. Jourdan, Alart, Jean 1998 (for cones); here for the polyhedral cone, with Lemke's
// method on K + 2 variables. There is no proof of convergence with friction. In practice it comes
// near a solution of piles and walls in tens of sweeps, and finds in some thousand sweeps which of
// 2000 contacts are open, stick or slide. Once these states have settled, crossover.c solves for
// them: a few factorisations replace ten times as many sweeps. Cost of a sweep: a product with A
// and a few pivots per contact.
#include <math.h>
#include <string.h>

#include "contact_problem.h"
#include "crossover.h"
#include "vector.h"

enum {
  FIRST_CHECK_SWEEPS = 15,  // sweeps before the first check of the states; 1: a wedge is not solved
  // Sweeps so far, divided by this, are the sweeps until the next check. With 1, 1.75 times the
  // work.
  CHECK_GROWTH_DIVISOR = 4,
  IDLE_SWEEPS_MAX = 1000,   // sweeps without a better residual, beyond the number to the best
};

// ---- Lemke's method on a dense tableau [I -M -e | q] of a few rows ----

typedef struct contact_lcp {
  int32_t m, width;     // rows; 2 m + 2 columns: w, z, z0, q
  double *tableau;      // m x width
  int32_t *basic;       // m: column that is basic in row i
  double *z;            // m
} contact_lcp;

static void pivot(contact_lcp *s, int32_t row, int32_t column) {
  double *top = s->tableau + row*s->width;
  const double inverse = 1.0/top[column];
  for (int32_t j = 0; j < s->width; j++) top[j] *= inverse;
  top[column] = 1.0;
  for (int32_t i = 0; i < s->m; i++) {
    double *other = s->tableau + i*s->width;
    const double f = other[column];
    if (i == row || f == 0.0) continue;
    for (int32_t j = 0; j < s->width; j++) other[j] -= f*top[j];
    other[column] = 0.0;
  }
  s->basic[row] = column;
}

// The row that blocks the entering column; z0 first on a tie, then the larger pivot. -1: a ray.
static int32_t blocking(const contact_lcp *s, int32_t column, double floor) {
  const int32_t m = s->m, z0 = 2*m, q = 2*m + 1;
  double least = (double)INFINITY;
  int32_t row = -1;
  for (int32_t i = 0; i < m; i++) {
    const double *r = s->tableau + i*s->width;
    if (!(r[column] > floor)) continue;
    const double ratio = max2(r[q], 0.0)/r[column], gap = 1e-12*(fabs(ratio) + fabs(least));
    const int tie = row >= 0 && fabs(ratio - least) <= gap;
    const int better = row < 0 || (!tie && ratio < least) ||
                       (tie && s->basic[row] != z0 &&
                        (s->basic[i] == z0 || r[column] > s->tableau[row*s->width + column]));
    if (!better) continue;
    least = ratio;
    row = i;
  }
  return row;
}

// Finds z of the LCP whose -M and q are in the tableau. 0: not found.
static int solve_small(contact_lcp *s, double floor) {
  const int32_t m = s->m, z0 = 2*m, q = 2*m + 1;
  int32_t row = 0;
  for (int32_t i = 0; i < m; i++) {
    double *r = s->tableau + i*s->width;
    for (int32_t j = 0; j < m; j++) r[j] = i == j ? 1.0 : 0.0;
    r[z0] = -1.0;
    s->basic[i] = i;
    s->z[i] = 0.0;
    if (r[q] < s->tableau[row*s->width + q]) row = i;
  }
  if (s->tableau[row*s->width + q] >= 0.0) return 1;
  int32_t leaving = s->basic[row], done = 0;
  pivot(s, row, z0);
  for (int32_t k = 0; k < 20*m && !done; k++) {
    const int32_t entering = leaving < m ? leaving + m : leaving - m;   // the complement
    row = blocking(s, entering, floor);
    if (row < 0) return 0;
    leaving = s->basic[row];
    done = leaving == z0;
    pivot(s, row, entering);
  }
  for (int32_t i = 0; i < m && done; i++)
    if (s->basic[i] >= m && s->basic[i] < 2*m)
      s->z[s->basic[i] - m] = max2(s->tableau[i*s->width + q], 0.0);
  return done;
}

// ---- one contact ----

typedef struct sweeps {
  contact_problem p;
  double **block;        // contacts: -A on the rows of a contact, (K + 2) x (K + 2)
  double *largest;       // contacts: the largest |entry| of the block
  double *y;             // n
  int32_t *rows;         // K + 2
  contact_lcp local;
  crossover cross;
  face *system;          // of A, for the crossover; NULL until needed
} sweeps;

static int32_t rows_of(const contacts *c, int32_t k, int32_t *rows) {   // normal, tangents, slack
  const int32_t K = c->first[k + 1] - c->first[k];
  rows[0] = c->normal[k];
  for (int32_t t = 0; t < K; t++) rows[t + 1] = c->tangent[c->first[k] + t];
  rows[K + 1] = c->slack[k];
  return K + 2;
}

// Copies each contact's own entries once: finding them costs more than solving with them.
static int take_blocks(sweeps *s, perp_run *run) {
  const contacts *c = &s->p.c;
  const size_t count = (size_t)c->count, m = (size_t)c->directions + 2;
  size_t entries = 0;
  for (int32_t k = 0; k < c->count; k++) {
    const size_t size = (size_t)(c->first[k + 1] - c->first[k] + 2);
    entries += size*size;
  }
  s->block = run_allocate(run, count*sizeof *s->block);
  s->rows = run_allocate(run, 2*m*sizeof *s->rows);
  s->y = run_allocate(run, ((size_t)run->n + m*(2*m + 2) + m + count + entries)*sizeof *s->y);
  if (s->block == NULL || s->rows == NULL || s->y == NULL) return 0;
  s->local = (contact_lcp){.tableau = s->y + run->n, .z = s->y + (size_t)run->n + m*(2*m + 2),
                     .basic = s->rows + m};
  s->largest = s->local.z + m;
  double *next = s->largest + count;
  for (int32_t k = 0; k < c->count; k++) {
    const int32_t size = rows_of(c, k, s->rows);
    s->block[k] = next;
    s->largest[k] = 0.0;
    for (int32_t i = 0; i < size; i++)
      for (int32_t j = 0; j < size; j++) {
        *next = -csc_entry(&s->p.A, s->rows[i], s->rows[j]);
        s->largest[k] = max2(s->largest[k], fabs(*next));
        next++;
      }
  }
  return 1;
}

static void relax_contact(sweeps *s, perp_run *run, int32_t k) {
  contact_lcp *l = &s->local;
  const int32_t *rows = s->rows, m = rows_of(&s->p.c, k, s->rows), size = m - 1;
  const double *block = s->block[k];
  l->m = m;
  l->width = 2*m + 2;
  double slack = 0.0, normal = 0.0;
  for (int32_t i = 0; i < m; i++) {
    double q = s->p.v[rows[i]];   // v holds no slacks
    for (int32_t j = 0; j < size; j++) q += block[i*m + j]*run->x[rows[j]];
    l->tableau[i*l->width + l->width - 1] = q;
    if (i == 0) normal = q;
    else if (i < size) slack = max2(slack, -q);
  }
  if (normal >= 0.0) {            // it opens: no impulses, and the smallest slack
    for (int32_t i = 0; i < size; i++) l->z[i] = 0.0;
    l->z[size] = slack;
  } else {
    for (int32_t i = 0; i < m; i++)
      for (int32_t j = 0; j < m; j++) l->tableau[i*l->width + m + j] = block[i*m + j];
    if (!solve_small(l, 1e-13*s->largest[k])) return;
  }
  for (int32_t i = 0; i < size; i++) {
    const double d = l->z[i] - run->x[rows[i]];
    if (d != 0.0) contact_push(&s->p, rows[i], d);
    run->x[rows[i]] = l->z[i];
  }
  run->x[rows[size]] = l->z[size];
}

// ---- the states, once they have settled ----

// Solves for the states that x shows. 1: the run has ended.
static int try_states(sweeps *s, perp_run *run) {
  const int32_t n = run->n;
  // Each contact's solution is a vertex: rows with x_i > 0 are free, and their y_i is only rounding.
  for (int32_t i = 0; i < n; i++) s->y[i] = run->x[i] > 0.0 ? 0.0 : 1.0;
  if (run->residual > STATES_RESIDUAL_MAX) return 0;
  crossover_guess(&s->cross, run, run->x, s->y);
  if (s->system == NULL && !run_may_fit(run, RUN_ANALYSIS)) return 0;
  int failed = 0;
  if (s->system == NULL)
    s->system = face_create(&run->A, FACE_DIAGONALS, s->p.allocator, &failed);
  if (s->system == NULL) {
    run_no_memory(run, "the crossover");
    return 1;
  }
  memcpy(s->y, run->x, (size_t)n*sizeof *s->y);
  if (crossover_run(&s->cross, run, s->system, s->y)) return 1;
  memcpy(run->x, s->y, (size_t)n*sizeof *s->y);   // the sweeps continue from their own x
  return 0;
}

static void sweep_contacts(sweeps *s, perp_run *run) {
  const contacts *c = &s->p.c;
  int32_t next = FIRST_CHECK_SWEEPS, best_at = 0;
  double best = (double)INFINITY;
  crossover_begin(&s->cross, run);
  contact_velocities(&s->p, run);
  while (run_continue(run)) {
    for (int32_t k = 0; k < c->count; k++) relax_contact(s, run, k);
    for (int32_t k = 0; k < c->count; k++)   // later contacts have changed the earlier ones
      if (!(run->x[c->normal[k]] > 0.0)) run->x[c->slack[k]] = contact_slack(&s->p, k);
    run->residual = contact_residual(&s->p, run, s->y);
    if (run->residual < RUN_GAIN_RATIO*best) {
      best = run->residual;
      best_at = run->iterations;
    }
    if (run->iterations > 2*best_at + IDLE_SWEEPS_MAX)
      run_stop(run, PERP_STATUS_STALLED, "contact_sweep has not improved x since sweep %d",
               best_at);
    if (run->iterations < next) continue;
    next += next/CHECK_GROWTH_DIVISOR;
    if (try_states(s, run)) continue;
    contact_velocities(&s->p, run);   // without the rounding of all changes
    run->residual = contact_residual(&s->p, run, s->y);
  }
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  crossover cross;
  crossover_layout(&cross, &count, limits->n);
  return count.used;
}

static void run_contact_sweep(perp_run *run) {
  sweeps s = {0};
  crossover_layout(&s.cross, run->memory, run->n);
  if (contact_problem_begin(&s.p, run) && take_blocks(&s, run)) sweep_contacts(&s, run);
  face_destroy(s.system);
  contact_problem_end(&s.p);
}

const perp_method method_contact_sweep = {
  .name = "contact_sweep", .tier = PERP_TIER_INTERNAL,
  .title = "block Gauss-Seidel over contacts",
  .source = "Jourdan, Alart, Jean 1998",
  .formula = "contact by contact: solve its own LCP, E13 (27), with the others held",
  .converges = "no proof with friction; in practice tens of sweeps come near a solution, and "
               "thousands settle the states of 2000 contacts",
  .cost = "a product with A, and a few pivots on K + 2 variables per contact",
  .advice = "It is for the contact LCP E13 (27) only. Use auto, which then tries other methods.",
  .needs = PERP_NEEDS_SUBMATRIX | PERP_NEEDS_CONTACTS,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME,
  .bytes = bytes,
  .run = run_contact_sweep,
  .iteration = "sweeps",
};
