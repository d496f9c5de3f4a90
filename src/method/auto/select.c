// select.c: lists the methods to try, in order, with reasons, by the facts of A and of the bounds.
//
// Pivoting methods are exact and accept any A, but need about one pivot per row. active_set needs a
// symmetric A and a few factorisations. interior_point needs a monotone A and about twenty
// factorisations. Sweeps are cheap but may never converge. So the first method is a pivoting method
// for a small problem, multigrid for a large M-matrix, and active_set for a large symmetric A whose
// factor is affordable. The other methods follow in an order found by experiment.
#include "select.h"

#include <math.h>

#include "allocator.h"
#include "enumerate.h"
#include "grid.h"
#include "dense_kernels.h"
#include "methods.h"
#include "multigrid.h"
#include "operator.h"
#include "pivoting.h"
#include "symmetry.h"
#include "vector.h"

enum {
  FACTOR_ROWS_MAX = 200000,       // rows up to which any A may be factored; 1: a wall takes 19 times
                                  // the work
  SPARSE_ROW_ENTRIES_MAX = 6,     // mean entries per row up to which A may have more rows: factors
                                  // of plane grids fill little
  FACTOR_CHEAP_ROWS_MAX = 20000,  // rows up to which the cost of a factor is not estimated; the
                                  // estimate takes up to 16 % of the work. With more rows J W J' is
                                  // a heap, whose factor costs about n^2
  FACTOR_COST_RATIO_MAX = 20000,  // operations of a factor per entry of A, above which sweeps come
                                  // first
  STEPS_MAX = 200,                // iteration limit of a method that takes few if it converges
};

// Compliance over diagonal above which A is well conditioned, so that apgd comes first. If apgd never
// comes first, walls that fall apart take 1.15 times the work.
#define COMPLIANCE_RATIO_MIN 1e-3

static int factored(const outlook *f) {   // A is small enough for a factor
  return f->entries && (f->n <= FACTOR_ROWS_MAX ||
                        (!f->product && f->A.nnz <= SPARSE_ROW_ENTRIES_MAX*(int64_t)f->n));
}

// A contact operator that is not scaled or shifted is known without reading it.
static void look_at_contacts(const perp_contacts *P, outlook *f) {
  f->A.contacts = P->count;
  f->bodies = f->A.hollow = 1;
  f->A.nnz = P->B.rowptr[P->B.n];
  f->symmetric = 0;
  for (int32_t c = 0; c < P->count; c++) f->A.monotone &= P->mu[c] == 0.0;
}

// Sets f->eased: 1 if every row of J W J' has a compliance of at least COMPLIANCE_RATIO_MIN times
// its diagonal entry. Returns 0, or -2: no memory.
static int look_at_compliance(const perp_operator *A, const perp_allocator *from, outlook *f) {
  const perp_view view = A->ops->view(A->self);
  if (view.data != A->self || A->n == 0) return 0;   // scaled or shifted by a wrapper
  const perp_product *P = view.data;
  if (P->compliance == NULL) return 0;
  double *d = from->allocate(from->context, (size_t)A->n*sizeof *d);
  if (d == NULL) return -2;
  A->ops->diagonal(A->self, d);
  f->eased = 1;
  for (int32_t i = 0; i < A->n; i++) f->eased &= P->compliance[i] >= COMPLIANCE_RATIO_MIN*d[i];
  from->release(from->context, d);
  return 0;
}

// What the entries say, and the cost of a factor where that decides.
static int look_at_entries(const perp_operator *A, facts *known, int plain,
                           const perp_allocator *from, const perp_deadline *deadline, outlook *f) {
  int code = facts_learn(known, A, FACTS_ENTRIES | (plain ? FACTS_CONTACTS : 0), from, deadline);
  if (code != 0) return code;
  f->A = *known;
  f->A.contacts = plain ? known->contacts : 0;
  f->symmetric = known->asymmetry.most <= SYMMETRY_SELECTED;
  f->m_matrix = f->symmetric && known->positive && !known->hollow && known->z &&
                known->nearly_dominant;
  if (!f->symmetric || f->m_matrix || f->n <= FACTOR_CHEAP_ROWS_MAX || !factored(f)) return 0;
  code = facts_learn(known, A, FACTS_FACTOR, from, deadline);
  f->A.factor = code == 0 ? known->factor : (double)INFINITY;
  return code == -2 && f->n > FACTOR_ROWS_MAX ? 0 : code;   // then sweeps are used
}

int select_look(const perp_operator *A, facts *known, const double *lo, const double *hi,
                const perp_allocator *allocator, const perp_deadline *deadline, outlook *f) {
  const perp_allocator from = allocator_of(allocator);
  const int32_t n = A->n;
  *f = (outlook){.n = n, .entries = A->ops->submatrix != NULL,
                 .sweeps = A->ops->diagonal != NULL &&
                           (A->ops->sweep != NULL || A->ops->add_column != NULL),
                 .symmetric = (A->claims & PERP_CLAIM_SYMMETRIC) != 0,
                 .A = {.positive = 1, .monotone = 1}};
  int plain = 1;
  for (int32_t i = 0; i < n; i++) {
    const double low = lower(lo, i), high = upper(hi, i);
    f->free += low == -(double)INFINITY && high == (double)INFINITY;
    f->boxed += low > -(double)INFINITY && high < (double)INFINITY;
    plain &= low == 0.0 && high == (double)INFINITY;
  }
  f->grid = grid_of(A) != NULL;
  if (f->grid || !f->entries || A->ops->view == NULL) return 0;
  const perp_view view = operator_view(A);
  f->product = view.kind == PERP_VIEW_PRODUCT;
  if (f->product) return look_at_compliance(A, &from, f);   // J W J': symmetric, semidefinite
  const int wrapped = view.R != NULL || view.C != NULL || view.shift != 0.0;
  if (view.kind == PERP_VIEW_CONTACT && plain && n > 0 && !wrapped) {
    look_at_contacts(view.data, f);
    return 0;
  }
  const int code = look_at_entries(A, known, plain, &from, deadline, f);
  f->entries = code == 0;
  return code > 0 ? 0 : code;
}

typedef struct ladder {
  rung *rungs;
  int32_t count;
} ladder;

static void add(ladder *l, const perp_method *method, int32_t iterations, const char *why) {
  if (l->count < SELECT_RUNGS_MAX) l->rungs[l->count++] = (rung){method, iterations, 0.0, 0.0, why};
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static void contact_ladder(ladder *l, const outlook *f, int32_t limit, int32_t pivots) {
  static const char why[] = "A describes contacts with friction";
  const int many = f->n > PIVOTING_ROWS_MAX;   // a pivot costs as much as several sweeps
  // With 1000, one of 250 steps of 120 spheres in a hollow sphere stays unsolved.
  if (f->bodies) add(l, &method_contact_newton, least(limit, 20000), "bodies are known");
  const int32_t sweeps = f->n <= SELECT_SMALL_ROWS_MAX ? 20 : many ? 20000 : 100;
  add(l, &method_contact_sweep, least(limit, sweeps), why);
  if (many) {
    add(l, &method_convex_friction, least(limit, 60), "there are many contacts");
    add(l, &method_contact_sweep, least(limit, 20000), "the sweeps continue");
  }
  add(l, &method_lemke, pivots, "from the contacts' states");
  add(l, &method_proximal, least(limit, 20), "A + sigma I is strictly copositive");
  l->rungs[l->count - 1].shift = 1e-8;
  add(l, &method_fischer_newton, least(limit, STEPS_MAX), why);
  add(l, &method_proximal, least(limit, 50), "a larger sigma");
  l->rungs[l->count - 1].shift = 1e-4;
  add(l, &method_contact_sweep, least(limit, 5000), "for the remaining time");
}

// The number of apgd iterations that cost half as much as the twenty factorisations of
// interior_point.
static int32_t affordable(const outlook *f, int32_t limit) {
  const double iteration = 4.0*(double)f->A.nnz + 20.0*f->n, count = 10.0*f->A.factor/iteration;
  return count < limit ? (int32_t)count : limit;
}

static void symmetric_ladder(ladder *l, const outlook *f, int32_t limit, int32_t pivots) {
  static const char why[] = "A is symmetric";
  const int heap = f->product && f->n > FACTOR_CHEAP_ROWS_MAX;
  const int expensive = heap || !factored(f) || f->A.factor > FACTOR_COST_RATIO_MAX*(double)f->A.nnz;
  const int full = (double)f->A.nnz > f->n*(double)f->n/FACTS_SPARSE_RATIO;
  const int pivot_first = f->entries &&   // pivoting methods keep a dense factor
                          f->n <= (full ? PIVOTING_ROWS_MAX : SELECT_SMALL_ROWS_MAX);
  const int grid = f->m_matrix && f->entries && f->n >= MULTIGRID_ROWS_MIN;
  if (f->eased && !pivot_first)
    add(l, &method_apgd, least(limit, STEPS_MAX), "compliance makes A well conditioned");
  if (pivot_first) add(l, &method_dantzig, pivots, why);
  else if (grid) add(l, &method_multigrid, least(limit, STEPS_MAX), "A is a large M-matrix");
  else if (f->sweeps && f->A.positive && expensive)
    add(l, &method_nncg, least(limit, f->n > FACTOR_ROWS_MAX ? 2000 : heap ? 600 : 300), why);
  const int32_t cheap = f->A.positive && expensive ? affordable(f, limit) : 0;
  if (cheap > 0) add(l, &method_apgd, cheap, "a factorisation is expensive");
  if (f->entries && f->sweeps && f->A.positive && f->n > SELECT_SMALL_ROWS_MAX && factored(f))
    add(l, &method_active_set, least(limit, 10000), why);
  if (f->entries && f->n <= FACTOR_ROWS_MAX)
    add(l, &method_interior_point, least(limit, STEPS_MAX), why);
  if (f->entries && f->n <= PIVOTING_ROWS_MAX && !pivot_first) add(l, &method_dantzig, pivots, why);
  if (f->sweeps && f->A.positive) add(l, &method_nncg, least(limit, 2000), "sweeps are cheap");
  if (f->entries && f->n <= PIVOTING_ROWS_MAX) add(l, &method_lemke, pivots, "pivoting always ends");
  add(l, NULL, 0, "no method has solved it");
  add(l, &method_apgd, limit, "for the remaining time");
}

static void general_ladder(ladder *l, const outlook *f, int32_t limit, int32_t pivots) {
  static const char why[] = "A is not symmetric", perhaps[] = "A may be monotone";
  if (f->A.dominant && f->sweeps && f->n > SELECT_SMALL_ROWS_MAX)
    add(l, &method_pgs, least(limit, 2000), "A is diagonally dominant");
  else if (f->A.positive && !f->A.hollow && f->sweeps && f->n > SELECT_SMALL_ROWS_MAX)
    add(l, &method_pgs, least(limit, SELECT_FIRST_SWEEPS), "a few sweeps are cheap");
  if (f->A.monotone && f->n > SELECT_SMALL_ROWS_MAX)
    add(l, &method_interior_point, least(limit, STEPS_MAX), perhaps);
  if (f->n <= PIVOTING_ROWS_MAX) add(l, &method_lemke, pivots, why);
  add(l, NULL, 0, "no method has solved it");
  add(l, &method_fischer_newton, least(limit, STEPS_MAX), why);
  if (f->A.monotone && f->n <= SELECT_SMALL_ROWS_MAX)
    add(l, &method_interior_point, least(limit, STEPS_MAX), perhaps);
  if (f->n <= PIVOTING_ROWS_MAX) {
    add(l, &method_proximal, least(limit, 20), "A + sigma I is less singular");
  } else {
    add(l, &method_lemke, pivots, "pivoting always ends");
  }
  if (f->sweeps) add(l, &method_pgs, least(limit, 2000), "sweeps are cheap");
  if (f->sweeps) {
    add(l, &method_psor, limit, "for the remaining time");
    l->rungs[l->count - 1].omega = 0.6;
  }
}

int32_t select_rungs(const outlook *f, int32_t iteration_limit, rung *rungs) {
  ladder l = {.rungs = rungs};
  // A pivot is an iteration. The default iteration limit must not end a pivoting method early.
  const int64_t enough = (int64_t)20*f->n + 1000;
  const int32_t pivots = iteration_limit >= 20000 && enough > iteration_limit
                             ? (int32_t)(enough < INT32_MAX ? enough : INT32_MAX) : iteration_limit;
  const int32_t most = f->boxed > 0 ? ENUMERATE_BOXED_ROWS_MAX : ENUMERATE_ROWS_MAX;
  if (f->grid) {   // active_set always finishes on grids
    add(&l, &method_active_set, iteration_limit, "A is a grid of cells");
    return l.count;
  }
  if (f->entries && f->n <= SELECT_TINY_ROWS_MAX) add(&l, &method_enumerate, INT32_MAX, "n is tiny");
  if (f->A.tridiagonal)
    add(&l, &method_tridiagonal, least(iteration_limit, STEPS_MAX),
        "A has three diagonals");
  if (f->A.contacts > 0 && !f->A.monotone) contact_ladder(&l, f, iteration_limit, pivots);
  else if (f->symmetric) symmetric_ladder(&l, f, iteration_limit, pivots);
  else if (f->entries) general_ladder(&l, f, iteration_limit, pivots);
  else {
    static const char why[] = "A is known by products only";
    add(&l, &method_fischer_newton, least(iteration_limit, STEPS_MAX), why);
    add(&l, &method_apgd, iteration_limit, why);
  }
  if (f->entries && f->n > SELECT_TINY_ROWS_MAX && f->n <= most)
    add(&l, &method_enumerate, INT32_MAX, "no method has solved it");
  return l.count;
}

int32_t select_sweeps(const perp_operator *A, const double *lo, const double *hi,
                      const perp_method *method, int32_t iteration_limit, rung *rungs) {
  static const char why[] = "the time is short";
  ladder l = {.rungs = rungs};
  const perp_view_kind kind = operator_view(A).kind;
  const int symmetric = (A->claims & PERP_CLAIM_SYMMETRIC) != 0;
  int plain = 1;
  for (int32_t i = 0; i < A->n && plain; i++)
    plain = lower(lo, i) == 0.0 && upper(hi, i) == (double)INFINITY;
  if (plain && kind == PERP_VIEW_CONTACT) add(&l, &method_contact_newton, iteration_limit, why);
  if (plain && !symmetric && (kind == PERP_VIEW_CONTACT || kind == PERP_VIEW_CSC))
    add(&l, &method_contact_sweep, iteration_limit, why);
  if (A->ops->diagonal != NULL && (A->ops->sweep != NULL || A->ops->add_column != NULL))
    add(&l, method, iteration_limit, why);
  return l.count;
}
