// farkas_near.c: looks for an exact Farkas vector near a rounded one.
//
// Columns without bounds need an exact 0 in A'u, and a rounded u misses it. Such a u excludes only
// the x within a radius, which is small if the margin is. Let E be the columns whose sign u misses.
// Elimination chooses |E| rows Y of u's support, those with large |u_i| first, and u_Y moves so that
//     A_YE' u_Y = -A_NE' u_N          u_N: the other entries, unchanged
// holds exactly. The moved u_Y is not a vector of doubles, but enclose_linear.c encloses it. If every
// vector in the enclosure has the right signs, and A'u has them in the columns outside of E, and the
// margin is large enough, then one of these vectors proves that there is no solution at all. A column
// outside of E whose sign the enclosure does not decide joins E, and the search starts again.
//
// Cost: O(p e^2) for p rows of the support and e columns, at most COLUMNS_MAX of them.
#include <string.h>

#include "arena.h"
#include "columns.h"
#include "enclose_linear.h"
#include "farkas_parts.h"
#include "plain.h"
#include "vector.h"

enum { COLUMNS_MAX = 500,   // columns of E, which take O(p e^2) operations
       ROUNDS_MAX = 4 };    // searches, each with the columns that joined E in the one before
#define PIVOT_MIN 1e-10   // relative to |A|'|u| of the column; less: columns of E are dependent

typedef struct near_search {
  const perp_problem *problem;
  const perp_allocator *from;
  int32_t n, e, p;
  double *u, *error;            // n each: the exact u_i is within error_i of u_i
  double *value, *own_error;    // n each: the values of a column; the errors of u_Y
  int32_t *row;                 // n: the rows of a column
  int32_t *place;               // n: position of row i in `support`; -1: u_i = 0
  int32_t *support, *chosen;    // n each: the p rows with u_i != 0; first e: Y
  int32_t *column;              // n: the columns in E
  uint8_t *demanded;            // n: 1 for columns of E
} near_search;

static void layout(near_search *s, arena *memory, int32_t n) {
  double **const vectors[] = {&s->u, &s->error, &s->value, &s->own_error};
  int32_t **const lists[] = {&s->row, &s->place, &s->support, &s->chosen, &s->column};
  for (size_t k = 0; k < sizeof vectors/sizeof *vectors; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  for (size_t k = 0; k < sizeof lists/sizeof *lists; k++)
    *lists[k] = ARENA_ARRAY(memory, int32_t, n);
  s->demanded = ARENA_ARRAY(memory, uint8_t, n);
}

// Encloses g_j for all u in the enclosure; *size: h_j
static enclosure column_at(near_search *s, int32_t j, double *size) {
  double slack = 0.0;
  const int32_t count = columns_read(&s->problem->A, j, s->row, s->value, &slack);
  enclosure g = {0.0, 0.0, 0.0};
  *size = 0.0;
  for (int32_t k = 0; k < count; k++) {
    const int32_t i = s->row[k];
    const double a = (1.0 + 0x1p-50 + slack)*fabs(s->value[k]);
    enclosure_add_product(&g, s->value[k], s->u[i], slack);
    if (s->error[i] > 0.0) enclosure_lose(&g, product_up(a, s->error[i]));
    *size += fabs(s->value[k]*s->u[i]);
  }
  return g;
}

// Adds columns whose sign is not certain to E. Returns their number; -1: too many.
static int32_t extend(near_search *s) {
  int32_t added = 0;
  for (int32_t j = 0; j < s->n; j++) {
    const int below = lower(s->problem->lo, j) > -(double)INFINITY,
              above = upper(s->problem->hi, j) < (double)INFINITY;
    double size;
    if (s->demanded[j] || (below && above)) continue;
    const enclosure g = column_at(s, j, &size);
    const int wrong = (!above && enclosure_upper(g) > 0.0) || (!below && enclosure_lower(g) < 0.0);
    if (size == 0.0 || !wrong) continue;
    if (s->e >= COLUMNS_MAX) return -1;
    s->demanded[j] = 1;
    s->column[s->e++] = j;
    added++;
  }
  return added;
}

// Chooses e rows of the support on which the columns of E are independent. 0: there are none; -1: no
// memory.
static int choose_rows(near_search *s) {
  const size_t p = (size_t)s->p, e = (size_t)s->e;
  if (p < e) return 0;
  double *M = s->from->allocate(s->from->context, (p*e + 1)*sizeof *M);   // p x e
  if (M == NULL) return -1;
  memset(M, 0, p*e*sizeof *M);
  for (size_t c = 0; c < e; c++) {
    double slack = 0.0, size = 0.0;
    const int32_t count = columns_read(&s->problem->A, s->column[c], s->row, s->value, &slack);
    for (int32_t k = 0; k < count; k++) {
      const int32_t at = s->place[s->row[k]];
      if (at < 0) continue;
      M[(size_t)at*e + c] = s->value[k]*fabs(s->u[s->row[k]]);
      size += fabs(M[(size_t)at*e + c]);
    }
    for (size_t i = 0; i < p && size > 0.0; i++) M[i*e + c] /= size;
  }
  for (size_t i = 0; i < p; i++) s->chosen[i] = s->support[i];
  int regular = 1;
  for (size_t c = 0; c < e && regular; c++) {
    size_t at = c;
    for (size_t i = c + 1; i < p; i++)
      if (fabs(M[i*e + c]) > fabs(M[at*e + c])) at = i;
    regular = fabs(M[at*e + c]) > PIVOT_MIN;
    for (size_t k = 0; k < e && at != c; k++) {
      const double t = M[at*e + k];
      M[at*e + k] = M[c*e + k];
      M[c*e + k] = t;
    }
    const int32_t row = s->chosen[at];
    s->chosen[at] = s->chosen[c];
    s->chosen[c] = row;
    for (size_t i = c + 1; i < p && regular; i++) {
      const double factor = M[i*e + c]/M[c*e + c];
      if (factor == 0.0) continue;
      for (size_t k = c + 1; k < e; k++) M[i*e + k] -= factor*M[c*e + k];
    }
  }
  s->from->release(s->from->context, M);
  return regular;
}

static void take_entries(void *context, double *S) {   // A_YE'
  near_search *s = context;
  const size_t e = (size_t)s->e;
  memset(S, 0, e*e*sizeof *S);
  for (size_t k = 0; k < e; k++) s->place[s->chosen[k]] = (int32_t)k;
  for (size_t c = 0; c < e; c++) {
    double slack = 0.0;
    const int32_t count = columns_read(&s->problem->A, s->column[c], s->row, s->value, &slack);
    for (int32_t k = 0; k < count; k++) {
      const int32_t i = s->row[k], at = s->place[i];
      if (at >= 0 && at < s->e && s->chosen[at] == i) S[c*e + (size_t)at] = s->value[k];
    }
  }
}

static enclosure take_residual(void *context, int32_t k) {
  near_search *s = context;
  double size;
  return column_at(s, s->column[k], &size);
}

static void take_step(void *context, int32_t k, double by) {
  near_search *s = context;
  s->u[s->chosen[k]] += by;
}

static void number_support(near_search *s) {
  s->p = 0;
  for (int32_t i = 0; i < s->n; i++) {
    s->place[i] = s->u[i] != 0.0 ? s->p : -1;
    if (s->u[i] != 0.0) s->support[s->p++] = i;
    s->error[i] = 0.0;
  }
}

// 1: every vector in the enclosure has the signs that its rows allow.
static int signs_hold(const near_search *s) {
  for (int32_t i = 0; i < s->n; i++) {
    const int below = lower(s->problem->lo, i) > -(double)INFINITY,
              above = upper(s->problem->hi, i) < (double)INFINITY;
    if (s->u[i] == 0.0 && s->error[i] == 0.0) continue;
    if ((below && above) || (below && s->u[i] < s->error[i]) || (above && -s->u[i] < s->error[i]))
      return 0;
  }
  return 1;
}

// Checks the margin over the enclosure and fills in the proof. A'u is exactly 0 in the columns of E.
static int conclude(near_search *s, const farkas_judge *by, perp_farkas *farkas) {
  supremum all = {.worst = -1, .excess_at = -1};
  for (int32_t i = 0; i < s->n; i++) {
    const double b = s->problem->b[i];
    enclosure_add_product(&all.value, b, s->u[i], 0.0);
    if (s->error[i] > 0.0) enclosure_lose(&all.value, product_up(fabs(b), s->error[i]));
    all.given += fabs(b*s->u[i]);
  }
  for (int32_t j = 0; j < s->n; j++) {
    double size;
    const enclosure g = column_at(s, j, &size);
    const int exact = s->demanded[j];
    supremum_add(&all, s->problem, j, exact ? 0.0 : enclosure_lower(g),
                 exact ? 0.0 : enclosure_upper(g), size, size);
  }
  const double value = enclosure_upper(all.value), allowed = farkas_allowed(by, s->u, &all);
  if (!(all.largest == 0.0 && -value > allowed)) return 0;
  double moved = 0.0;
  for (int32_t i = 0; i < s->n; i++) moved = max2(moved, s->error[i]);
  farkas->proven = 1;
  farkas->bounded = 0;
  farkas->worst = -1;
  farkas->radius = (double)INFINITY;
  farkas->value = value;
  farkas->allowed = allowed;
  plain_print(farkas->reason, sizeof farkas->reason, "u'(A x + b) <= %.6g for every x in the box, for "
              "an exact u enclosed to %.2g near this one", value, moved);
  return 1;
}

static int search(near_search *s, const farkas_judge *by, const double *u, perp_farkas *farkas) {
  memset(s->demanded, 0, (size_t)s->n);
  memcpy(s->u, u, (size_t)s->n*sizeof *u);
  for (int round = 0; round < ROUNDS_MAX; round++) {
    number_support(s);
    if (round == 0 && extend(s) <= 0) return 0;
    const int chosen = choose_rows(s);
    if (chosen != 1) return chosen;
    const linear_system system = {.m = s->e, .slack = 0.0, .context = s, .entries = take_entries,
                                  .residual = take_residual, .move = take_step};
    const linear_end end = enclose_linear(&system, s->from, s->own_error);
    if (end != LINEAR_ENCLOSED) return end == LINEAR_NO_MEMORY ? -1 : 0;
    for (int32_t k = 0; k < s->e; k++) s->error[s->chosen[k]] = s->own_error[k];
    if (!signs_hold(s)) return 0;
    const int32_t added = extend(s);
    if (added < 0) return 0;
    if (added == 0) return conclude(s, by, farkas);
  }
  return 0;
}

int farkas_near(const farkas_judge *by, const double *u, const perp_allocator *from,
                perp_farkas *farkas) {
  const perp_problem *problem = by->certificate->problem;
  near_search s = {.problem = problem, .from = from, .n = problem->A.n};
  double slack = 0.0;
  if (!columns_known(&problem->A) || s.n == 0) return 0;
  arena count = {0};
  layout(&s, &count, s.n);
  const size_t bytes = arena_block_bytes(&count);
  void *block = arena_overflowed(&count) ? NULL : from->allocate(from->context, bytes);
  if (block == NULL) return -1;
  arena memory = arena_on_block(block, bytes);
  layout(&s, &memory, s.n);
  int exact = 1;   // 0: a wrapper rounds entries, so that there is no exact system to solve
  for (int32_t j = 0; j < s.n && exact; j++) {
    columns_read(&problem->A, j, s.row, s.value, &slack);
    exact = slack == 0.0;
  }
  const int found = exact ? search(&s, by, u, farkas) : 0;
  from->release(from->context, block);
  return found;
}
