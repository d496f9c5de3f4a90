// select.c: examines A in O(nnz) and lists the methods to try, in order, with reasons.
//
// Pivoting methods are exact and accept any A, but need about one pivot per row. active_set needs a
// symmetric A and a few factorisations. interior_point needs a monotone A and about twenty
// factorisations. Sweeps are cheap but may never converge. So the first method is a pivoting method
// for a small problem, multigrid for a large M-matrix, and active_set for a large symmetric A whose
// factor is affordable. The other methods follow in an order found by experiment.
#include "select.h"

#include <math.h>

#include "allocator.h"
#include "assemble.h"
#include "contacts.h"
#include "diagonals.h"
#include "enumerate.h"
#include "grid.h"
#include "dense_kernels.h"
#include "methods.h"
#include "multigrid.h"
#include "operator.h"
#include "problem.h"
#include "sparse_ldl.h"
#include "symmetry.h"
#include "vector.h"

enum {
  SMALL_ROWS_MAX = 400,              // rows: up to this size pivoting methods come first
  PIVOT_ROWS_MAX = 2000,             // rows up to which pivoting methods are tried early
  PIVOTS_PER_ROW_MAX = 4,            // pivots per row of a symmetric A: 1 or 2 are the rule
  TRIDIAGONAL_PASSES_MAX = 100,      // iterations of tridiagonal: it needs few, or it cycles
  FACTOR_ROWS_MAX = 200000,          // rows up to which any A may be factored
  SPARSE_FACTOR_ROWS_MAX = 2000000,  // rows up to which a very sparse A may be factored
  SPARSE_ROW_ENTRIES_MAX = 6,        // entries per row of a very sparse A, as on plane grids
  FACTOR_COST_ROWS_MIN = 50000,      // rows above which the cost of a factor is estimated
  FACTOR_COST_RATIO_MAX = 20000,     // operations of a factor per entry of A: above it, sweep first
  PRODUCT_FACTOR_ROWS_MAX = 20000,   // rows of J W J': the factor of a heap of spheres costs about n^2
  APGD_ITERATIONS_MIN = 2000,        // iterations of apgd: fewer rarely suffice if nncg failed
  FIRST_SWEEPS = 32,                 // sweeps of a general A: gen mixed --n 1000 takes 15
};

#define SKEW_ENTRY_MIN 1e-12       // relative to the largest entry: less may be rounding
#define COMPLIANCE_RATIO_MIN 1e-3  // compliance over diagonal: above it A is well conditioned

// What is known about A after some of its columns; each column is read together with its row.
typedef struct glance {
  double largest, asymmetry;   // max |A_ij|, max |A_ij - A_ji|
  double skew;                 // max |A_ij| with A_ij = -A_ji: B and -B' of a quadratic program
  int mixed;                   // some off-diagonal A_ij > 0
  int weak;                    // some A_jj is below the sum of |A_ij| by more than rounding
  int rows, columns;           // 1: all rows, or columns, so far are diagonally dominant
  double diagonal, column, row, unpaired;   // of this column j: A_jj, sum |A_ij|, sum |A_ji|,
                                            // max |A_ij + A_ji|
} glance;

static inline void see(glance *g, double below, double right) {   // A_ij and A_ji
  g->largest = max2(g->largest, fabs(below));
  g->mixed |= below > 0.0;
  g->asymmetry = max2(g->asymmetry, fabs(below - right));
  if (below == -right) g->skew = max2(g->skew, fabs(below));
  g->unpaired = max2(g->unpaired, fabs(below + right));
  g->column += fabs(below);
  g->row += fabs(right);
}

static void end_column(glance *g, facts *f) {
  const double d = g->diagonal;
  g->largest = max2(g->largest, fabs(d));
  f->positive &= d >= 0.0;
  f->hollow |= d == 0.0;
  f->monotone &= d > 0.0 || (d == 0.0 && g->unpaired <= 1e-10*max2(g->column, g->row));
  g->columns &= d >= g->column && d > 0.0;
  g->weak |= !(d >= (1.0 - 1e-12)*g->column);
  g->rows &= d >= g->row && d > 0.0;
  g->diagonal = g->column = g->row = g->unpaired = 0.0;
}

static void conclude(const glance *g, facts *f) {
  f->symmetric = g->asymmetry <= SYMMETRY_SELECTED*g->largest && g->skew <= SKEW_ENTRY_MIN*g->largest;
  f->dominant = g->rows || g->columns;
  f->m_matrix = f->symmetric && f->positive && !f->hollow && !g->mixed && !g->weak;
}

enum { CLOCK_COLUMNS = 64 };  // columns between two checks of the clock

// Examines a dense matrix in place. 0: the deadline has passed.
static int look_dense(const perp_dense *A, const perp_deadline *deadline, facts *f) {
  const int32_t n = A->n;
  const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n), down = A->by_column ? 1 : ld,
               along = A->by_column ? ld : 1;
  glance g = {.rows = 1, .columns = 1};
  int64_t nnz = 0;
  f->monotone = f->positive = 1;
  for (int32_t j = 0; j < n; j++) {
    if (j%CLOCK_COLUMNS == CLOCK_COLUMNS - 1 && deadline_passed(deadline)) return 0;
    const double *column = A->value + (size_t)j*along, *row = A->value + (size_t)j*down;
    for (int32_t i = 0; i < n; i++) {
      const double below = column[(size_t)i*down];
      nnz += below != 0.0;
      if (i != j) see(&g, below, row[(size_t)i*along]);
    }
    g.diagonal = column[(size_t)j*down];
    end_column(&g, f);
  }
  f->nnz = nnz;
  conclude(&g, f);
  return 1;
}

// One pass over the entries of A and of its transpose T. 0: the deadline has passed.
static int look(const perp_csc *A, const perp_csc *T, const perp_deadline *deadline, facts *f) {
  const int32_t n = A->columns;
  glance g = {.rows = 1, .columns = 1};
  f->monotone = f->positive = 1;
  for (int32_t j = 0; j < n; j++) {
    if (j%(8*CLOCK_COLUMNS) == 8*CLOCK_COLUMNS - 1 && deadline_passed(deadline)) return 0;
    int32_t p = A->colptr[j], q = T->colptr[j];
    while (p < A->colptr[j + 1] || q < T->colptr[j + 1]) {
      const int32_t a = p < A->colptr[j + 1] ? A->row[p] : n,
                    b = q < T->colptr[j + 1] ? T->row[q] : n, i = a < b ? a : b;
      const double below = a == i ? A->value[p++] : 0.0, right = b == i ? T->value[q++] : 0.0;
      if (i == j) g.diagonal = below;
      else see(&g, below, right);
    }
    end_column(&g, f);
  }
  conclude(&g, f);
  return 1;
}

static int count_contacts(const perp_csc *A, const perp_csc *T, const perp_allocator *from,
                          facts *f) {
  contacts c;
  arena count = {0};
  contacts_layout(&c, &count, f->n);
  ARENA_ARRAY(&count, int32_t, f->n);
  const size_t bytes = arena_block_bytes(&count);
  void *block = from->allocate(from->context, bytes);
  if (block == NULL) return -2;
  arena memory = arena_on_block(block, bytes);
  contacts_layout(&c, &memory, f->n);
  int32_t *seen = ARENA_ARRAY(&memory, int32_t, f->n);
  char reason[96];
  if (contacts_find(&c, A, T, seen, reason, sizeof reason)) f->contacts = c.count;
  from->release(from->context, block);
  return 0;
}

// Estimates the operations of a factorisation from the size of L: the sum of its squared column
// lengths is at least nnz(L)^2/n. A matrix that is more than a fifth full is counted as dense,
// because finding an order for it would take longer than the estimate is worth.
static int weigh(const perp_csc *A, const perp_allocator *from, facts *f) {
  const double n = f->n;
  if ((double)f->nnz > 0.2*n*n) {
    f->factor = n*n*n/3.0;
    return 0;
  }
  sparse_ldl *factor = sparse_ldl_create(from);
  const int code = factor != NULL ? sparse_ldl_analyse(factor, A) : -2;
  if (code == 0) {
    const double nnz = (double)sparse_ldl_nnz(factor);
    f->factor = nnz*nnz/f->n;
  }
  sparse_ldl_destroy(factor);
  if (code == -2 && f->n > FACTOR_ROWS_MAX) f->factor = (double)INFINITY;   // then sweeps are used
  return code == -2 && f->n <= FACTOR_ROWS_MAX ? -2 : 0;
}

static int factored(const facts *f) {   // A is small enough for a factor
  return f->entries && (f->n <= FACTOR_ROWS_MAX ||
                        (f->n <= SPARSE_FACTOR_ROWS_MAX &&
                         f->nnz <= SPARSE_ROW_ENTRIES_MAX*(int64_t)f->n));
}

// Examines a sparse matrix that is symmetric bit by bit. It is its own transpose, so no copy is
// needed. 1: done; 0: A is another kind of matrix; -1: the deadline has passed; -2: no memory.
static int look_symmetric(const perp_operator *A, const perp_allocator *from,
                          const perp_deadline *deadline, facts *f) {
  const perp_view view = A->ops->view(A->self);
  if (view.kind != PERP_VIEW_CSC || view.data != A->self || A->n == 0) return 0;
  const perp_csc *own = A->self;
  int32_t *next = from->allocate(from->context, (size_t)A->n*sizeof *next);
  if (next == NULL) return -2;
  const int symmetric = csc_is_symmetric(own, next);
  from->release(from->context, next);
  if (!symmetric) return 0;
  f->nnz = (int64_t)own->colptr[A->n] - own->colptr[0];
  return look(own, own, deadline, f) ? 1 : -1;
}

// Facts of a contact operator that is not scaled or shifted: they are known without reading A.
static int look_contacts(const perp_operator *A, facts *f) {
  const perp_view view = A->ops->view(A->self);
  const perp_contacts *P = view.data;
  if (view.R != NULL || view.C != NULL || view.shift != 0.0) return 0;
  f->contacts = P->count;
  f->bodies = 1;
  f->nnz = P->B.rowptr[P->B.n];
  f->hollow = 1;
  f->symmetric = 0;
  for (int32_t c = 0; c < P->count; c++) f->monotone &= P->mu[c] == 0.0;
  return 1;
}

// Sets f->eased: 1 if every row of J W J' has a compliance of at least COMPLIANCE_RATIO_MIN times
// its diagonal entry. Returns 0, or -2: no memory.
static int eased(const perp_operator *A, const perp_allocator *from, facts *f) {
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

int select_facts(const perp_operator *A, const double *lo, const double *hi,
                 const perp_allocator *allocator, const perp_deadline *deadline, facts *f) {
  const perp_allocator from = allocator_of(allocator);
  const int32_t n = A->n;
  *f = (facts){.n = n, .entries = A->ops->submatrix != NULL,
               .sweeps = A->ops->diagonal != NULL &&
                         (A->ops->sweep != NULL || A->ops->add_column != NULL),
               .symmetric = (A->claims & PERP_CLAIM_SYMMETRIC) != 0, .positive = 1, .monotone = 1};
  int plain = 1;
  for (int32_t i = 0; i < n; i++) {
    const double low = lower(lo, i), high = upper(hi, i);
    f->free += low == -(double)INFINITY && high == (double)INFINITY;
    f->boxed += low > -(double)INFINITY && high < (double)INFINITY;
    plain &= low == 0.0 && high == (double)INFINITY;
  }
  f->grid = grid_of(A) != NULL;
  if (f->grid || !f->entries || A->ops->view == NULL) return 0;
  const perp_view_kind kind = A->ops->view(A->self).kind;
  f->product = kind == PERP_VIEW_PRODUCT;
  if (f->product) return eased(A, &from, f);   // J W J': symmetric, semidefinite
  if (kind == PERP_VIEW_CONTACT && plain && n > 0 && look_contacts(A, f)) return 0;
  int32_t i, j;
  f->tridiagonal = diagonals_other(A, &from, &i, &j) == 0;
  if (n <= SMALL_ROWS_MAX && A->ops->view(A->self).data == A->self && kind == PERP_VIEW_DENSE) {
    if (!look_dense(A->self, deadline, f)) return -1;
    if (!plain || !f->hollow) return 0;
  }
  perp_csc own = {0}, mirror = {0};
  const int seen = look_symmetric(A, &from, deadline, f);
  const int expensive = seen == 1 && !f->m_matrix && n > FACTOR_COST_ROWS_MIN && factored(f);
  if (seen == 1 && !expensive && !(plain && f->hollow)) return 0;
  if (seen < 0) return seen;
  int code = assemble_csc(A, 0, &from, &own);
  if (code == 0) code = transpose_csc(&own, &from, &mirror);
  int late = code == 0 && deadline_passed(deadline);
  if (code == 0 && !late) {
    f->nnz = own.colptr[n];
    late = seen == 0 && !look(&own, &mirror, deadline, f);
    if (!late && plain && f->hollow) code = count_contacts(&own, &mirror, &from, f);
    const int weighed = f->symmetric && !f->m_matrix && n > FACTOR_COST_ROWS_MIN && factored(f);
    if (code == 0 && weighed && !late) code = weigh(&own, &from, f);
  }
  assembled_free(&from, &mirror);
  assembled_free(&from, &own);
  f->entries = code == 0;
  return code == -2 ? -2 : late ? -1 : 0;
}

typedef struct ladder {
  rung *rungs;
  int32_t count;
} ladder;

static void add(ladder *l, const perp_method *method, int32_t iterations, const char *why) {
  if (l->count < SELECT_RUNGS_MAX) l->rungs[l->count++] = (rung){method, iterations, 0.0, 0.0, why};
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static void contact_ladder(ladder *l, const facts *f, int32_t limit, int32_t pivots) {
  static const char why[] = "A is the contact LCP (27)";
  const int many = f->n > PIVOT_ROWS_MAX;   // a pivot costs as much as several sweeps
  if (f->bodies) add(l, &method_contact_newton, least(limit, 1000), "bodies are known");
  add(l, &method_contact_sweep, least(limit, f->n <= SMALL_ROWS_MAX ? 20 : many ? 20000 : 100), why);
  if (many) {
    add(l, &method_convex_friction, least(limit, 60), "there are many contacts");
    add(l, &method_contact_sweep, least(limit, 20000), "the sweeps continue");
  }
  add(l, &method_lemke, pivots, "from the contacts' states");
  add(l, &method_proximal, least(limit, 20), "A + sigma I is strictly copositive");
  l->rungs[l->count - 1].shift = 1e-8;
  add(l, &method_fischer_newton, least(limit, 200), why);
  add(l, &method_proximal, least(limit, 50), "a larger sigma");
  l->rungs[l->count - 1].shift = 1e-4;
  add(l, &method_contact_sweep, least(limit, 5000), "the remaining time");
}

// The number of apgd iterations that cost half as much as the twenty factorisations of
// interior_point; 0: fewer than APGD_ITERATIONS_MIN.
static int32_t affordable(const facts *f, int32_t limit) {
  const double iteration = 4.0*(double)f->nnz + 20.0*f->n, count = 10.0*f->factor/iteration;
  return count < APGD_ITERATIONS_MIN ? 0 : count < limit ? (int32_t)count : limit;
}

static void symmetric_ladder(ladder *l, const facts *f, int32_t limit, int32_t pivots) {
  static const char why[] = "A is symmetric";
  const int heap = f->product && f->n > PRODUCT_FACTOR_ROWS_MAX;
  const int expensive = heap || !factored(f) || f->factor > FACTOR_COST_RATIO_MAX*(double)f->nnz;
  const int full = (double)f->nnz > 0.2*f->n*(double)f->n;   // pivoting methods keep a dense factor
  const int pivot_first = f->entries && (f->n <= SMALL_ROWS_MAX || (f->n <= PIVOT_ROWS_MAX && full));
  const int grid = f->m_matrix && f->entries && f->n >= MULTIGRID_ROWS_MIN;
  if (f->eased) add(l, &method_apgd, least(limit, 400), "compliance makes A well conditioned");
  if (pivot_first) add(l, &method_dantzig, least(pivots, PIVOTS_PER_ROW_MAX*f->n + 100), why);
  else if (grid) add(l, &method_multigrid, least(limit, 100), "A is a large M-matrix");
  else if (f->sweeps && f->positive && expensive)
    add(l, &method_nncg, least(limit, f->n > FACTOR_ROWS_MAX ? 2000 : heap ? 600 : 300), why);
  const int32_t cheap = f->positive && expensive ? affordable(f, limit) : 0;
  if (cheap > 0) add(l, &method_apgd, cheap, "a factorisation is expensive");
  if (f->entries && f->sweeps && f->positive && f->n > SMALL_ROWS_MAX && factored(f))
    add(l, &method_active_set, least(limit, 10000), why);
  if (f->entries && f->n <= FACTOR_ROWS_MAX) add(l, &method_interior_point, least(limit, 200), why);
  if (f->entries && f->n <= PIVOT_ROWS_MAX && !pivot_first) add(l, &method_dantzig, pivots, why);
  if (f->sweeps && f->positive) add(l, &method_nncg, least(limit, 2000), "sweeps are cheap");
  if (f->entries && f->n <= PIVOT_ROWS_MAX) add(l, &method_lemke, pivots, "a pivoting method ends");
  add(l, NULL, 0, "nothing has ended yet");
  add(l, &method_apgd, limit, "the remaining time");
}

static void general_ladder(ladder *l, const facts *f, int32_t limit, int32_t pivots) {
  static const char why[] = "A is not symmetric", perhaps[] = "A may be monotone";
  if (f->dominant && f->sweeps && f->n > SMALL_ROWS_MAX)
    add(l, &method_pgs, least(limit, 2000), "A is diagonally dominant");
  else if (f->positive && !f->hollow && f->sweeps && f->n > SMALL_ROWS_MAX)
    add(l, &method_pgs, least(limit, FIRST_SWEEPS), "a few sweeps are cheap");
  if (f->monotone && f->n > SMALL_ROWS_MAX)
    add(l, &method_interior_point, least(limit, 200), perhaps);
  if (f->n <= PIVOT_ROWS_MAX) add(l, &method_lemke, pivots, why);
  add(l, NULL, 0, "nothing has ended yet");
  add(l, &method_fischer_newton, least(limit, 300), why);
  if (f->monotone && f->n <= SMALL_ROWS_MAX)
    add(l, &method_interior_point, least(limit, 200), perhaps);
  if (f->n <= PIVOT_ROWS_MAX) {
    add(l, &method_proximal, least(limit, 20), "A + sigma I is less singular");
  } else {
    add(l, &method_lemke, pivots, "a pivoting method ends");
  }
  if (f->sweeps) add(l, &method_pgs, least(limit, 2000), "sweeps are cheap");
  if (f->sweeps) {
    add(l, &method_psor, limit, "the remaining time");
    l->rungs[l->count - 1].omega = 0.6;
  }
}

int32_t select_rungs(const facts *f, int32_t iteration_limit, rung *rungs) {
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
  if (f->tridiagonal)
    add(&l, &method_tridiagonal, least(iteration_limit, TRIDIAGONAL_PASSES_MAX),
        "A has three diagonals");
  if (f->contacts > 0 && !f->monotone) contact_ladder(&l, f, iteration_limit, pivots);
  else if (f->symmetric) symmetric_ladder(&l, f, iteration_limit, pivots);
  else if (f->entries) general_ladder(&l, f, iteration_limit, pivots);
  else {
    add(&l, &method_fischer_newton, least(iteration_limit, 200), "A is known by products only");
    add(&l, &method_apgd, iteration_limit, "A is known by products only");
  }
  if (f->entries && f->n > SELECT_TINY_ROWS_MAX && f->n <= most)
    add(&l, &method_enumerate, INT32_MAX, "nothing else ended");
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
