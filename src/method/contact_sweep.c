// contact_sweep.c: block Gauss-Seidel over the contacts of E13 (27): each contact's own LCP in its
// normal, tangential and slack variables is solved exactly, with the others held.
//
//   for every contact c:  0 <= z  _|_  [B_cc E_c; mu -E_c' 0] z + q >= 0,
//                         q = velocities without c's own impulses
//
// Jourdan, Alart, Jean 1998 (for cones); here for the polyhedral cone, with Lemke's method on
// problems of K + 2 variables. No proof of convergence for friction; in practice it comes near a
// solution of piles and walls in tens of sweeps, and finds out which contacts are open, stick or
// slide. Cost of a sweep: a product with A and a few pivots per contact.
#include <math.h>
#include <string.h>

#include "contact_problem.h"
#include "vector.h"

enum { REFRESH = 32 };   // sweeps after which the velocities are computed afresh

// ---- Lemke's method on a dense tableau [I -M -e | q] of a few rows ----

typedef struct small {
  int32_t m, width;     // rows; 2 m + 2 columns: w, z, z0, q
  double *tableau;      // m x width
  int32_t *basic;       // m: column that is basic in row i
  double *z;            // m
} small;

static void pivot(small *s, int32_t row, int32_t column) {
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

// The row that blocks the entering column, z0 first on a tie, then the larger pivot; -1: a ray.
static int32_t blocking(const small *s, int32_t column, double floor) {
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

// z of the LCP whose -M and q stand in the tableau; 0: not found.
static int solve_small(small *s, double floor) {
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

static void relax_contact(contact_problem *p, perp_run *run, int32_t k, small *s, int32_t *rows) {
  const contacts *c = &p->c;
  const int32_t K = c->first[k + 1] - c->first[k], size = K + 1;
  s->m = K + 2;
  s->width = 2*s->m + 2;
  rows[0] = c->normal[k];
  for (int32_t t = 0; t < K; t++) rows[t + 1] = c->tangent[c->first[k] + t];
  rows[size] = c->slack[k];
  double largest = 0.0;
  for (int32_t i = 0; i < s->m; i++) {
    double *r = s->tableau + i*s->width, own = 0.0;
    for (int32_t j = 0; j < s->m; j++) {
      const double a = csc_entry(&p->A, rows[i], rows[j]);
      r[s->m + j] = -a;
      if (j < size) own += a*run->x[rows[j]];
      largest = max2(largest, fabs(a));
    }
    r[s->width - 1] = p->v[rows[i]] - own;   // v holds no slacks
  }
  if (!solve_small(s, 1e-13*largest)) return;
  for (int32_t i = 0; i < size; i++) {
    const double d = s->z[i] - run->x[rows[i]];
    if (d != 0.0) contact_push(p, rows[i], d);
    run->x[rows[i]] = s->z[i];
  }
  run->x[rows[size]] = s->z[size];
}

static void run_contact_sweep(perp_run *run) {
  contact_problem p;
  if (!contact_problem_begin(&p, run)) {
    contact_problem_end(&p);
    return;
  }
  const size_t m = (size_t)p.c.directions + 2;
  double *y = run_allocate(run, ((size_t)run->n + m*(2*m + 2) + m)*sizeof *y);
  int32_t *rows = run_allocate(run, 2*m*sizeof *rows);
  if (y != NULL && rows != NULL) {
    small s = {.tableau = y + run->n, .z = y + (size_t)run->n + m*(2*m + 2), .basic = rows + m};
    contact_velocities(&p, run);
    while (run_continue(run)) {
      if (run->iterations%REFRESH == REFRESH - 1) contact_velocities(&p, run);
      for (int32_t k = 0; k < p.c.count; k++) relax_contact(&p, run, k, &s, rows);
      for (int32_t k = 0; k < p.c.count; k++)   // later contacts have moved the earlier ones
        if (!(run->x[p.c.normal[k]] > 0.0)) run->x[p.c.slack[k]] = contact_slack(&p, k);
      run->residual = contact_residual(&p, run, y);
    }
  }
  contact_problem_end(&p);
}

const perp_method method_contact_sweep = {
  .name = "contact_sweep",
  .title = "block Gauss-Seidel over contacts",
  .source = "Jourdan, Alart, Jean 1998",
  .formula = "contact by contact: solve its own LCP, E13 (27), with the others held",
  .converges = "no proof with friction; in practice near a solution in tens of sweeps",
  .cost = "a product with A, and a few pivots on K + 2 variables per contact",
  .advice = "try auto, which goes on with lemke from here",
  .needs = PERP_NEEDS_SUBMATRIX | PERP_NEEDS_CONTACTS,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME,
  .run = run_contact_sweep,
};
