// farkas_near.c: is there an exact Farkas vector near u?
//
// A u that had to be rounded misses the zeros that columns without bounds demand of A'u, so that it
// only excludes x up to a radius, a small one where the margin is small. Let E be the columns whose sign it misses. As many rows Y of u's
// support are chosen by elimination, those with large |u_i| first, and u_Y is moved so that
//     A_YE' u_Y = -A_NE' u_N          u_N: the other entries, as they are
// holds exactly. The moved u_Y is no vector of doubles, but it is enclosed (enclose_linear.c). If
// every vector in the enclosure has the right signs, and A'u too in the columns outside of E, and
// the margin is large enough, one of them proves that there is no solution at all. A column outside
// of E whose sign the enclosure leaves open joins E, and it is tried again.
//
// Cost: O(p e^2) for p rows of the support and e columns, at most MOST_COLUMNS of them.
#include <string.h>

#include "arena.h"
#include "columns.h"
#include "enclose_linear.h"
#include "farkas_parts.h"
#include "plain.h"
#include "vector.h"

enum { MOST_COLUMNS = 500, ROUNDS = 4 };
#define PIVOT_MIN 1e-10   // relative to |A|'|u| of the column: below, columns of E are dependent

typedef struct near_search {
  const perp_problem *problem;
  const perp_allocator *from;
  int32_t n, e, p;
  double *u, *error;            // n: the middle of the enclosure, and how far the exact u may be
  double *value, *own_error;    // n each: of a column; of u_Y
  int32_t *row;                 // n: of a column
  int32_t *place;               // n: of row i within the support; -1: u_i = 0
  int32_t *support, *chosen;    // n each: p rows, e of them
  int32_t *column;              // n: those of E
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

// g_j of all u in the enclosure; *size: h_j
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

// Columns whose sign is not certain, besides those of E already; -1: too many.
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
    if (s->e >= MOST_COLUMNS) return -1;
    s->demanded[j] = 1;
    s->column[s->e++] = j;
    added++;
  }
  return added;
}

// Chooses e rows of the support on which the columns of E are independent; 0: there are none, -1:
// no memory.
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

// Does every vector in the enclosure have the signs that its rows allow?
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

// The proof from the enclosure; E has exact zeros.
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
  for (int round = 0; round < ROUNDS; round++) {
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
  int exact = 1;   // entries that a wrapper rounds leave no exact system to solve
  for (int32_t j = 0; j < s.n && exact; j++) {
    columns_read(&problem->A, j, s.row, s.value, &slack);
    exact = slack == 0.0;
  }
  const int found = exact ? search(&s, by, u, farkas) : 0;
  from->release(from->context, block);
  return found;
}
