// facts.c: learns facts about A from its entries: in place where they can be read by columns and by
// rows, else from a copy and its transpose.
//
// Cost: FACTS_MIRRORED and FACTS_ASYMMETRY are passes that end where the answer is clear,
// FACTS_ENTRIES is a pass over A and A', FACTS_CONTACTS another one, and FACTS_FACTOR the analysis
// of a factor.
#include "facts.h"

#include <math.h>

#include "allocator.h"
#include "assemble.h"
#include "clock.h"
#include "contacts.h"
#include "dense_kernels.h"
#include "diagonals.h"
#include "operator.h"
#include "random.h"
#include "sparse_ldl.h"

// Rounding of sums, relative to a row and a column. |A_ij + A_ji| below it counts as 0.
#define ROUNDING_MAX 1e-12

static int knows(const facts *f, uint32_t group) { return (f->known & group) != 0; }

// ---- symmetry ----

static const perp_csc *plain_csc(const perp_operator *A) {
  const perp_view view = operator_view(A);
  return view.kind == PERP_VIEW_CSC && view.data == A->self ? view.data : NULL;
}

static void set_asymmetry(facts *f, asymmetry of_A) {
  f->asymmetry = of_A;
  f->known |= FACTS_ASYMMETRY;
}

static void set_contacts(facts *f, int32_t count) {
  f->contacts = count;
  f->known |= FACTS_CONTACTS;
}

static void set_mirrored(facts *f, int mirrored) {
  f->mirrored = mirrored;
  f->known |= FACTS_MIRRORED;
  if (!mirrored) return;
  set_asymmetry(f, (asymmetry){0.0, -1, -1});
  set_contacts(f, 0);   // they have E and -E'
}

void facts_mirror(facts *f, const perp_operator *A, int32_t *next) {
  const perp_csc *csc = plain_csc(A);
  if (!knows(f, FACTS_MIRRORED)) set_mirrored(f, csc != NULL && csc_is_symmetric(csc, next));
}

facts facts_of_part(const facts *whole) {
  facts part = {0};
  if (whole->mirrored) set_mirrored(&part, 1);
  return part;
}

facts facts_of_scaled(const facts *before) {
  facts after = *before;
  after.mirrored = 0;
  after.known &= FACTS_SIGNS | (before->asymmetry.most == 0.0 ? FACTS_ASYMMETRY : 0u);
  return after;
}

// For a random u, A u = A'u almost surely only if A = A'.
static int compare_products(facts *f, const perp_operator *A, const perp_allocator *from) {
  const size_t n = (size_t)A->n;
  arena count = {0};
  for (int k = 0; k < 3; k++) ARENA_ARRAY(&count, double, n);
  arena_take(&count, operator_scratch_bytes(A), sizeof(double));
  const size_t bytes = arena_block_bytes(&count);
  void *block = from->allocate(from->context, bytes);
  if (block == NULL) return -2;
  arena memory = arena_on_block(block, bytes);
  double *u = ARENA_ARRAY(&memory, double, n), *v = ARENA_ARRAY(&memory, double, n),
         *w = ARENA_ARRAY(&memory, double, n);
  void *scratch = arena_take(&memory, operator_scratch_bytes(A), sizeof(double));
  random_stream stream = {1, 0};
  for (size_t i = 0; i < n; i++) u[i] = random_range(&stream, 0.5, 1.5);
  double size = 0.0, skew = 0.0;
  const int done = A->ops->apply(A->self, u, v, scratch) == 0 &&
                   A->ops->apply_transpose(A->self, u, w, scratch) == 0;
  for (size_t i = 0; done && i < n; i++) {
    size = max2(size, max2(fabs(v[i]), fabs(w[i])));
    skew = max_or_nan(skew, fabs(v[i] - w[i]));
  }
  from->release(from->context, block);
  if (done) set_asymmetry(f, (asymmetry){skew != 0.0 ? skew/size : 0.0, -1, -1});
  return 0;
}

// plain: the operator that has A without wrappers; NULL: A is a copy of the entries.
static int compare_csc(facts *f, const perp_csc *A, const perp_operator *plain,
                       const perp_allocator *from) {
  int32_t *next = from->allocate(from->context, ((size_t)A->columns + 1)*sizeof *next);
  if (next == NULL) return -2;
  if (plain != NULL) facts_mirror(f, plain, next);
  if (!knows(f, FACTS_ASYMMETRY)) set_asymmetry(f, csc_asymmetry(A, SYMMETRY_REFINED, next));
  from->release(from->context, next);
  return 0;
}

// FACTS_ASYMMETRY, unless it takes a copy of A. Returns 0, or -2: no memory.
static int compare_in_place(facts *f, const perp_operator *A, int entries_follow,
                            const perp_allocator *from) {
  const perp_view view = operator_view(A);
  // Equal scaling of rows and columns, and a shift, keep symmetry.
  const int alike = view.R == view.C, stored = alike && view.shift == 0.0,
            hidden = view.kind == PERP_VIEW_NONE || view.kind == PERP_VIEW_CALLBACK;
  if (stored && view.kind == PERP_VIEW_CSC)
    return compare_csc(f, view.data, view.data == A->self ? A : NULL, from);
  if (stored && view.kind == PERP_VIEW_DENSE)
    set_asymmetry(f, dense_asymmetry(view.data, SYMMETRY_REFINED));
  else if (stored && view.kind == PERP_VIEW_CONTACT)   // 1 in E and -1 in -E', and no diagonal
    set_asymmetry(f, (asymmetry){A->n > 0 ? 2.0 : 0.0, -1, -1});
  else if (alike && (view.kind == PERP_VIEW_PRODUCT || view.kind == PERP_VIEW_GRID))
    set_asymmetry(f, (asymmetry){0.0, -1, -1});
  else if (hidden && !entries_follow && A->ops->apply_transpose != NULL)
    return compare_products(f, A, from);   // which cost less than all entries
  else if (hidden && !entries_follow && (A->claims & PERP_CLAIM_SYMMETRIC))
    set_asymmetry(f, (asymmetry){0.0, -1, -1});
  return 0;
}

// ---- entries ----

// What is known after some columns; each column is read together with its row.
typedef struct glance {
  int rows, columns;           // 1: all rows, or columns, so far are diagonally dominant
  int mixed;                   // 1: some A_ij off the diagonal is positive
  int positive, hollow, nearly_dominant, monotone;   // as in facts
  double diagonal, column, row, unpaired;   // of this column j: A_jj, sum |A_ij|, sum |A_ji|,
                                            // max |A_ij + A_ji|
} glance;

static inline void see(glance *g, double below, double right) {   // A_ij and A_ji
  g->mixed |= below > 0.0;
  g->unpaired = max2(g->unpaired, fabs(below + right));
  g->column += fabs(below);
  g->row += fabs(right);
}

static inline void end_column(glance *g) {
  const double d = g->diagonal;
  g->positive &= d >= 0.0;
  g->hollow |= d == 0.0;
  g->monotone &= d > 0.0 || (d == 0.0 && g->unpaired <= ROUNDING_MAX*max2(g->column, g->row));
  g->columns &= d >= g->column && d > 0.0;
  g->nearly_dominant &= d >= (1.0 - ROUNDING_MAX)*g->column;
  g->rows &= d >= g->row && d > 0.0;
  g->diagonal = g->column = g->row = g->unpaired = 0.0;
}

static const glance no_columns = {.rows = 1, .columns = 1, .positive = 1, .nearly_dominant = 1,
                                  .monotone = 1};

static void end_columns(const glance *g, int64_t nnz, facts *f) {
  f->nnz = nnz;
  f->positive = g->positive;
  f->hollow = g->hollow;
  f->z = !g->mixed;
  f->dominant = g->rows || g->columns;
  f->nearly_dominant = g->nearly_dominant;
  f->monotone = g->monotone;
}

static int read_dense(facts *f, const perp_dense *A, const perp_deadline *deadline) {
  const int32_t n = A->n;
  const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n), down = A->by_column ? 1 : ld,
               along = A->by_column ? ld : 1;
  glance g = no_columns;
  int64_t nnz = 0;
  for (int32_t j = 0; j < n; j++) {
    if (j%CLOCK_LINES == CLOCK_LINES - 1 && deadline_passed(deadline)) return -1;
    const double *column = A->value + (size_t)j*along, *row = A->value + (size_t)j*down;
    for (int32_t i = 0; i < n; i++) {
      const double below = column[(size_t)i*down];
      nnz += below != 0.0;
      if (i != j) see(&g, below, row[(size_t)i*along]);
    }
    g.diagonal = column[(size_t)j*down];
    end_column(&g);
  }
  end_columns(&g, nnz, f);
  return 0;
}

// Column j of A and of its transpose T.
static inline void read_both(glance *g, const perp_csc *A, const perp_csc *T, int32_t j) {
  int32_t p = A->colptr[j], q = T->colptr[j];
  while (p < A->colptr[j + 1] || q < T->colptr[j + 1]) {
    const int32_t a = p < A->colptr[j + 1] ? A->row[p] : A->columns,
                  b = q < T->colptr[j + 1] ? T->row[q] : A->columns, i = a < b ? a : b;
    const double below = a == i ? A->value[p++] : 0.0, right = b == i ? T->value[q++] : 0.0;
    if (i == j) g->diagonal = below;
    else see(g, below, right);
  }
}

// Column j of A = A'
static inline void read_one(glance *g, const perp_csc *A, int32_t j) {
  for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
    if (A->row[p] == j) g->diagonal = A->value[p];
    else see(g, A->value[p], A->value[p]);
  }
}

// T: the transpose of A, or A itself where it is mirrored
static int read_csc(facts *f, const perp_csc *A, const perp_csc *T, const perp_deadline *deadline) {
  const int32_t n = A->columns;
  glance g = no_columns;
  for (int32_t j = 0; j < n; j++) {
    if (j%CLOCK_LINES == CLOCK_LINES - 1 && deadline_passed(deadline)) return -1;
    if (A == T) read_one(&g, A, j);
    else read_both(&g, A, T, j);
    end_column(&g);
  }
  // A block begins within a larger matrix.
  end_columns(&g, n > 0 ? A->colptr[n] - A->colptr[0] : 0, f);
  return 0;
}

// ---- contacts, and what a factor takes ----

static int count_contacts(facts *f, const perp_csc *A, const perp_csc *T,
                          const perp_allocator *from) {
  contacts c;
  char reason[96];
  const int code = contacts_search(&c, A, T, from, reason, sizeof reason);
  if (code < 0) return code;
  set_contacts(f, code == 1 ? c.count : 0);
  from->release(from->context, c.block);
  return 0;
}

// The sum of the squared column lengths of L is at least nnz(L)^2/n. To order a full matrix would take
// longer than the estimate is worth.
static int weigh(facts *f, const perp_csc *A, const perp_allocator *from) {
  const double n = A->columns;
  if ((double)A->colptr[A->columns] > n*(double)n/FACTS_SPARSE_RATIO) {
    f->factor = n*n*n/3.0;
    return 0;
  }
  sparse_ldl *factor = sparse_ldl_create(from);
  const int code = factor != NULL ? sparse_ldl_analyse(factor, A) : -2;
  const double nnz = code == 0 ? (double)sparse_ldl_nnz(factor) : 0.0;
  f->factor = nnz*nnz/n;
  sparse_ldl_destroy(factor);
  return code == -2 ? -2 : 0;
}

// ---- all groups ----

static int learn_from_copy(facts *f, const perp_operator *A, uint32_t wanted,
                           const perp_allocator *from, const perp_deadline *deadline) {
  perp_csc own = {0}, mirror = {0};
  int code = assemble_csc(A, 0, from, &own);
  if (code == 0 && (wanted & (FACTS_ENTRIES | FACTS_CONTACTS)))
    code = transpose_csc(&own, from, &mirror);
  if (code == 0 && deadline_passed(deadline)) code = -1;
  if (code == 0 && (wanted & FACTS_ASYMMETRY)) code = compare_csc(f, &own, NULL, from);
  if (code == 0 && (wanted & FACTS_ENTRIES)) code = read_csc(f, &own, &mirror, deadline);
  if (code == 0 && (wanted & FACTS_CONTACTS)) code = count_contacts(f, &own, &mirror, from);
  if (code == 0 && (wanted & FACTS_FACTOR)) code = weigh(f, &own, from);
  if (code == 0) f->known |= wanted;
  assembled_free(from, &mirror);
  assembled_free(from, &own);
  return code;
}

// All that needs no copy of A.
static int learn_in_place(facts *f, const perp_operator *A, uint32_t wanted,
                          const perp_allocator *from, const perp_deadline *deadline) {
  const perp_view view = operator_view(A);
  const int entries = (wanted & FACTS_ENTRIES) != 0, plain = view.data == A->self;
  int32_t i, j;
  if (entries) f->tridiagonal = diagonals_other(A, from, &i, &j) == 0;
  int code = wanted & FACTS_ASYMMETRY ? compare_in_place(f, A, entries, from) : 0;
  if (view.kind == PERP_VIEW_CONTACT && view.R == NULL && view.C == NULL && view.shift == 0.0)
    set_contacts(f, ((const perp_contacts *)view.data)->count);
  if (code != 0 || !entries) return code;
  if (f->mirrored) code = read_csc(f, view.data, view.data, deadline);
  else if (plain && view.kind == PERP_VIEW_DENSE) code = read_dense(f, view.data, deadline);
  else return 0;
  if (code == 0) f->known |= FACTS_ENTRIES | FACTS_SIGNS;
  if (code == 0 && !f->hollow) set_contacts(f, 0);   // a slack has no diagonal entry
  return code;
}

int facts_learn(facts *f, const perp_operator *A, uint32_t wanted, const perp_allocator *allocator,
                const perp_deadline *deadline) {
  const perp_allocator from = allocator_of(allocator);
  if (wanted & ~f->known & FACTS_SIGNS) wanted |= FACTS_ENTRIES;
  if (wanted & FACTS_ENTRIES) wanted |= FACTS_ASYMMETRY | FACTS_SIGNS;
  wanted &= ~f->known;
  if (wanted == 0) return 0;
  const int code = learn_in_place(f, A, wanted, &from, deadline);
  wanted &= ~f->known;
  return code != 0 || wanted == 0 ? code : learn_from_copy(f, A, wanted, &from, deadline);
}
