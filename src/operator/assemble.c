// assemble.c: copies the entries of an operator into a compressed-column matrix.
//
// A builder receives the columns in order, applies R, C and shift of the view, drops zeros and
// inserts the diagonal if requested. Dense and CSC views are read in place. A product is formed
// column by column: w = W J_j', then A_ij = J_i w for the rows i <= j that share a body with j. The
// lower triangle mirrors the upper one, so the bits are symmetric. The contact LCP E13 (27) is
// expanded from the blocks of B, one for each pair of contacts that share a body. An operator
// without a view is read by add_column(), or in tiles by submatrix(), for n up to 5000.
// Cost: O(nnz) for CSC, O(n^2) for dense views and operators without a view.
#include "assemble.h"

#include "allocator.h"
#include "contact_parts.h"
#include "entries.h"
#include "grid.h"
#include "operator.h"

typedef struct builder {
  perp_allocator memory;
  perp_view view;           // R, C and shift to apply
  int32_t diagonal;         // 1: every column gets its diagonal entry
  int32_t n;
  int32_t j, stored;        // the current column; 1: its diagonal entry is stored
  int32_t count, capacity;  // entries
  int32_t *colptr;          // n + 1
  int32_t *row;             // capacity
  double *value;            // capacity
  int32_t failed;           // no memory
} builder;

static void discard(builder *b) {
  allocator_drop(&b->memory, b->colptr);
  allocator_drop(&b->memory, b->row);
  allocator_drop(&b->memory, b->value);
}

static builder begin(const perp_allocator *memory, int32_t n, int64_t capacity) {
  const int32_t room = (int32_t)(capacity < 16 ? 16 : capacity > INT32_MAX ? INT32_MAX : capacity);
  builder b = {.memory = *memory, .n = n, .capacity = room};
  b.colptr = allocator_take(memory, (int64_t)n + 1, sizeof *b.colptr);
  b.row = allocator_take(memory, room, sizeof *b.row);
  b.value = allocator_take(memory, room, sizeof *b.value);
  if (b.colptr == NULL || b.row == NULL || b.value == NULL) b.failed = 1;
  return b;
}

static void grow(builder *b, int64_t wanted) {
  const int32_t capacity = (int32_t)(wanted > INT32_MAX ? INT32_MAX : wanted);
  int32_t *row = allocator_take(&b->memory, capacity, sizeof *row);
  double *value = allocator_take(&b->memory, capacity, sizeof *value);
  if (row == NULL || value == NULL || capacity <= b->capacity) {
    allocator_drop(&b->memory, row);
    allocator_drop(&b->memory, value);
    b->failed = 1;
    return;
  }
  for (int32_t p = 0; p < b->count; p++) {
    row[p] = b->row[p];
    value[p] = b->value[p];
  }
  allocator_drop(&b->memory, b->row);
  allocator_drop(&b->memory, b->value);
  b->row = row;
  b->value = value;
  b->capacity = capacity;
}

static void store(builder *b, int32_t i, double a) {
  if (b->count == b->capacity) grow(b, 2*(int64_t)b->capacity);
  if (b->failed) return;
  b->row[b->count] = i;
  b->value[b->count++] = a;
}

static void column_begin(builder *b, int32_t j) {
  b->j = j;
  b->stored = 0;
  b->colptr[j] = b->count;
}

// Adds the entry a in row i of the matrix inside the view. Rows must ascend. R_i a C_j + shift
// [i = j] is computed in this order, so that the bits agree with those of submatrix().
static void put(builder *b, int32_t i, double a) {
  if (!b->stored && i >= b->j && (b->diagonal || b->view.shift != 0.0)) {
    b->stored = 1;
    if (i > b->j) store(b, b->j, b->view.shift);
  }
  if (b->view.R != NULL) a *= b->view.R[i];
  if (b->view.C != NULL) a *= b->view.C[b->j];
  if (i == b->j) a += b->view.shift;
  if (a != 0.0 || (i == b->j && b->diagonal)) store(b, i, a);
}

static void column_end(builder *b) {
  if (!b->stored && (b->diagonal || b->view.shift != 0.0)) store(b, b->j, b->view.shift);
}

static int finish(builder *b, perp_csc *out) {
  if (b->failed) {
    discard(b);
    return -2;
  }
  b->colptr[b->n] = b->count;
  *out = (perp_csc){b->n, b->n, b->colptr, b->row, b->value};
  return 0;
}

static void from_dense(builder *b, const perp_dense *A) {
  const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
  const size_t row = A->by_column ? 1 : ld, column = A->by_column ? ld : 1;
  for (int32_t j = 0; j < b->n && !b->failed; j++) {
    column_begin(b, j);
    for (int32_t i = 0; i < b->n; i++)
      if (i == j || A->value[(size_t)i*row + (size_t)j*column] != 0.0)
        put(b, i, A->value[(size_t)i*row + (size_t)j*column]);
    column_end(b);
  }
}

// Copies the current column as a whole. Returns 0 if put() must grow it or insert its diagonal.
static int copy_column(builder *b, const perp_csc *A) {
  const int32_t j = b->j, from = A->colptr[j], end = A->colptr[j + 1];
  const double *R = b->view.R, c = b->view.C != NULL ? b->view.C[j] : 1.0;
  int32_t at = b->count, found = 0;
  if (end - from > b->capacity - at) return 0;
  for (int32_t p = from; p < end; p++) {
    const int32_t i = A->row[p];
    double a = A->value[p];
    if (R != NULL) a *= R[i];
    a *= c;
    if (i == j) {
      a += b->view.shift;
      found = 1;
    }
    b->row[at] = i;
    b->value[at] = a;
    at += a != 0.0 || (i == j && b->diagonal);
  }
  if (!found && (b->diagonal || b->view.shift != 0.0)) return 0;
  b->count = at;
  return 1;
}

static void from_csc(builder *b, const perp_csc *A) {
  for (int32_t j = 0; j < b->n && !b->failed; j++) {
    column_begin(b, j);
    if (copy_column(b, A)) continue;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) put(b, A->row[p], A->value[p]);
    column_end(b);
  }
}

static void from_grid(builder *b, const perp_grid *g) {
  for (int32_t j = 0; j < b->n && !b->failed; j++) {
    column_begin(b, j);
    double a;
    int32_t i;
    for (int32_t slot = 0; slot < GRID_SLOTS; slot++)
      if (grid_entry(g, j, slot, &i, &a) && (i == j || a != 0.0)) put(b, i, a);
    column_end(b);
  }
}

// Lists the rows that touch each body k: touching[first[k]] .. touching[first[k + 1] - 1].
static void bodies_of(const perp_product *P, int32_t bodies, int32_t *first, int32_t *touching) {
  for (int32_t k = 0; k <= bodies; k++) first[k] = 0;
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < P->n; i++) {
      for (int32_t p = P->rowptr[i], last = -1; p < P->rowptr[i + 1]; p++) {
        const int32_t k = P->column[p]/P->block;
        if (k == last) continue;      // columns are sorted, so those of a body are adjacent
        last = k;
        if (pass == 0) first[k + 1]++;
        else touching[first[k]++] = i;
      }
    }
    if (pass == 0) {
      for (int32_t k = 0; k < bodies; k++) first[k + 1] += first[k];
    } else {                          // the second pass has moved every start to its end
      for (int32_t k = bodies; k > 0; k--) first[k] = first[k - 1];
      first[0] = 0;
    }
  }
}

// Sets w = W J_j' on the bodies of row j. clear = 1: sets w = 0 there.
static void scatter_row(const perp_product *P, int32_t j, int clear, double *w) {
  const int32_t block = P->block, end = P->rowptr[j + 1];
  for (int32_t p = P->rowptr[j]; p < end;) {
    const int32_t start = P->column[p]/block*block;
    int32_t next = p;
    while (next < end && P->column[next] - start < block) next++;
    for (int32_t k = start; k < start + block; k++) {
      const double *W = P->W + (size_t)k*(size_t)block;
      double t = 0.0;
      for (int32_t q = p; q < next && !clear; q++) t += W[P->column[q] - start]*P->value[q];
      w[k] = t;
    }
    p = next;
  }
}

// Builds the upper triangle of J W J' + diag(compliance) by columns, with unsorted rows.
static int upper_triangle(const perp_product *P, const perp_allocator *memory, perp_csc *upper) {
  const int32_t bodies = P->block > 0 ? P->dofs/P->block : 0;
  const int64_t nnz = P->n > 0 ? P->rowptr[P->n] : 0;
  builder b = begin(memory, P->n, 4*(nnz + P->n));
  int32_t *first = allocator_take(memory, (int64_t)bodies + 1, sizeof *first);
  int32_t *touching = allocator_take(memory, nnz, sizeof *touching);
  int32_t *seen = allocator_take(memory, P->n, sizeof *seen);
  double *w = allocator_take(memory, P->dofs, sizeof *w);
  if (first == NULL || touching == NULL || seen == NULL || w == NULL) b.failed = 1;
  if (!b.failed) {
    bodies_of(P, bodies, first, touching);
    for (int32_t k = 0; k < P->dofs; k++) w[k] = 0.0;
    for (int32_t i = 0; i < P->n; i++) seen[i] = -1;
  }
  for (int32_t j = 0; j < P->n && !b.failed; j++) {
    b.colptr[j] = b.count;
    scatter_row(P, j, 0, w);
    seen[j] = j;
    double own = 0.0;
    for (int32_t p = P->rowptr[j], last = -1; p < P->rowptr[j + 1]; p++) {
      own += P->value[p]*w[P->column[p]];
      const int32_t k = P->column[p]/P->block;
      if (k == last) continue;
      last = k;
      for (int32_t q = first[k]; q < first[k + 1] && touching[q] < j; q++) {
        const int32_t i = touching[q];
        if (seen[i] == j) continue;
        seen[i] = j;
        double s = 0.0;
        for (int32_t r = P->rowptr[i]; r < P->rowptr[i + 1]; r++)
          s += P->value[r]*w[P->column[r]];
        store(&b, i, s);
      }
    }
    store(&b, j, own + (P->compliance != NULL ? P->compliance[j] : 0.0));
    scatter_row(P, j, 1, w);
  }
  allocator_drop(memory, first);
  allocator_drop(memory, touching);
  allocator_drop(memory, seen);
  allocator_drop(memory, w);
  return finish(&b, upper);
}

// One transposition of the upper triangle gives the lower triangle with sorted columns. A second
// one gives the upper triangle with sorted columns.
static void from_product(builder *b, const perp_product *P) {
  perp_csc raw = {0}, below = {0}, above = {0};
  if (upper_triangle(P, &b->memory, &raw) != 0 || transpose_csc(&raw, &b->memory, &below) != 0 ||
      transpose_csc(&below, &b->memory, &above) != 0)
    b->failed = 1;
  for (int32_t j = 0; j < b->n && !b->failed; j++) {
    column_begin(b, j);
    for (int32_t p = above.colptr[j]; p < above.colptr[j + 1]; p++)
      put(b, above.row[p], above.value[p]);
    for (int32_t p = below.colptr[j]; p < below.colptr[j + 1]; p++)
      if (below.row[p] > j) put(b, below.row[p], below.value[p]);
    column_end(b);
  }
  assembled_free(&b->memory, &raw);
  assembled_free(&b->memory, &below);
  assembled_free(&b->memory, &above);
}

// ---- the contact LCP: blocks of B into entries of A ----

enum contact_rows { CONTACT_ROWS_MAX = 3 };   // rows of B at a contact: normal and two tangents
typedef struct near_block {
  int32_t contact;
  // G[t][q] = B(row t of this contact, row q of the contact whose column is built)
  double G[CONTACT_ROWS_MAX][CONTACT_ROWS_MAX];
} near_block;

// Lists the contacts that share a body with c, ascending, with their blocks of B. Returns how many.
static int32_t near_blocks(const perp_csc *B, int32_t rows, int32_t c, near_block *out) {
  int32_t at[CONTACT_ROWS_MAX], end[CONTACT_ROWS_MAX];
  int32_t next[CONTACT_ROWS_MAX], count = 0;   // next: the contact of entry at[q]
  for (int32_t q = 0; q < rows; q++) {
    at[q] = B->colptr[rows*c + q];
    end[q] = B->colptr[rows*c + q + 1];
    next[q] = at[q] < end[q] ? B->row[at[q]]/rows : INT32_MAX;
  }
  for (;; count++) {
    int32_t a = INT32_MAX;
    for (int32_t q = 0; q < rows; q++) a = next[q] < a ? next[q] : a;
    if (a == INT32_MAX) return count;
    near_block *o = &out[count];
    *o = (near_block){.contact = a};
    for (int32_t q = 0; q < rows; q++) {
      if (next[q] != a) continue;
      const int32_t first = rows*a;
      for (; at[q] < end[q] && B->row[at[q]] < first + rows; at[q]++)
        o->G[B->row[at[q]] - first][q] = B->value[at[q]];
      next[q] = at[q] < end[q] ? B->row[at[q]]/rows : INT32_MAX;
    }
  }
}

// e'(first, second); only the first term if there is one tangent.
static double along(int32_t tangents, const double *e, double first, double second) {
  return tangents == 1 ? e[0]*first : e[0]*first + e[1]*second;
}

// Adds the column of contact c's normal (m < 0) or of its direction m. As in contact.c, the inner
// sum is over the index of the later row or column, so that the bits are symmetric.
static void put_contact_column(builder *b, const perp_contacts *P, const near_block *near,
                               int32_t count, int32_t c, int32_t m) {
  const int32_t T = P->tangents, K = P->directions;
  const int32_t j = m < 0 ? c : contact_tangent_row(P, c, m);
  const double *f = P->direction + (m < 0 ? 0 : (size_t)m*(size_t)T);
  column_begin(b, j);
  for (int32_t q = 0; q < count; q++) {
    const double *n = near[q].G[0];
    put(b, near[q].contact, m < 0 ? n[0] : along(T, f, n[1], n[2]));
  }
  for (int32_t q = 0; q < count; q++) {
    const double (*G)[CONTACT_ROWS_MAX] = near[q].G;
    const int32_t row = contact_tangent_row(P, near[q].contact, 0);
    const double g[2] = {along(T, f, G[1][1], G[1][2]), along(T, f, G[2][1], G[2][2])};
    for (int32_t k = 0; k < K; k++) {
      const double *e = P->direction + (size_t)k*(size_t)T;
      if (m < 0) put(b, row + k, along(T, e, G[1][0], G[2][0]));
      else if (row + k <= j) put(b, row + k, along(T, e, g[0], g[1]));
      else
        put(b, row + k,
            along(T, f, along(T, e, G[1][1], G[2][1]), along(T, e, G[1][2], G[2][2])));
    }
  }
  put(b, contact_slack_row(P, c), m < 0 ? P->mu[c] : -1.0);
  column_end(b);
}

static void from_contacts(builder *b, const perp_contacts *P) {
  const int32_t rows = 1 + P->tangents, nc = P->count;
  const perp_operator product = perp_from_product(&P->B, PERP_CLAIM_NONE);
  perp_csc B = {0};
  if (assemble_csc(&product, 0, &b->memory, &B) != 0) b->failed = 1;
  const int64_t nnz = nc > 0 && !b->failed ? B.colptr[B.columns] : 0, more = 1 + P->directions;
  const int64_t room = nnz*more/rows*more/rows + 2*(int64_t)b->n;
  if (room > b->capacity && !b->failed) grow(b, room);
  int32_t most = 0;
  for (int32_t c = 0; c < nc && !b->failed; c++) {
    const int32_t length = B.colptr[rows*(c + 1)] - B.colptr[rows*c];
    most = length > most ? length : most;
  }
  near_block *near = b->failed ? NULL : allocator_take(&b->memory, most, sizeof *near);
  if (near == NULL) b->failed = 1;
  for (int pass = 0; pass < 2; pass++)   // normals, then tangents
    for (int32_t c = 0; c < nc && !b->failed; c++) {
      const int32_t count = near_blocks(&B, rows, c, near);
      for (int32_t m = pass - 1; m < (pass == 0 ? 0 : P->directions); m++)
        put_contact_column(b, P, near, count, c, m);
    }
  for (int32_t c = 0; c < nc && !b->failed; c++) {
    column_begin(b, contact_slack_row(P, c));
    for (int32_t k = 0; k < P->directions; k++) put(b, contact_tangent_row(P, c, k), 1.0);
    column_end(b);
  }
  allocator_drop(&b->memory, near);
  assembled_free(&b->memory, &B);
}

static void from_columns(builder *b, const perp_operator *A) {
  double *y = allocator_take(&b->memory, b->n, sizeof *y);
  if (y == NULL) b->failed = 1;
  for (int32_t j = 0; j < b->n && !b->failed; j++) {
    for (int32_t i = 0; i < b->n; i++) y[i] = 0.0;
    A->ops->add_column(A->self, j, 1.0, y);
    column_begin(b, j);
    for (int32_t i = 0; i < b->n; i++)
      if (i == j || y[i] != 0.0) put(b, i, y[i]);
    column_end(b);
  }
  allocator_drop(&b->memory, y);
}

// Reads A by tiles. A principal submatrix on the indices of two tiles has the block between them.
static void from_submatrices(builder *b, const perp_operator *A) {
  const int32_t n = b->n;
  double *S = allocator_take(&b->memory, 4*ENTRIES_TILE*ENTRIES_TILE, sizeof *S);   // both x both
  // n x ENTRIES_TILE, row-major
  double *columns = allocator_take(&b->memory, (int64_t)n*ENTRIES_TILE, sizeof *columns);
  if (S == NULL || columns == NULL) b->failed = 1;
  for (int32_t from = 0; from < n && !b->failed; from += ENTRIES_TILE) {
    const int32_t width = n - from < ENTRIES_TILE ? n - from : ENTRIES_TILE;
    for (int32_t top = 0; top < n; top += ENTRIES_TILE) {
      const int32_t height = n - top < ENTRIES_TILE ? n - top : ENTRIES_TILE;
      const int32_t both = top == from ? width : height + width;
      const int32_t rows = top < from || top == from ? 0 : width;      // start of the rows in S
      const int32_t shift = top < from ? height : 0;                   // start of the columns in S
      int32_t set[2*ENTRIES_TILE];
      for (int32_t k = 0; k < height; k++) set[rows + k] = top + k;
      for (int32_t k = 0; k < width; k++) set[shift + k] = from + k;
      A->ops->submatrix(A->self, set, both, S);
      for (int32_t k = 0; k < height; k++)
        for (int32_t l = 0; l < width; l++)
          columns[(top + k)*ENTRIES_TILE + l] = S[(rows + k)*both + shift + l];
    }
    for (int32_t l = 0; l < width && !b->failed; l++) {
      column_begin(b, from + l);
      for (int32_t i = 0; i < n; i++) {
        const double a = columns[i*ENTRIES_TILE + l];
        if (i == from + l || a != 0.0) put(b, i, a);
      }
      column_end(b);
    }
  }
  allocator_drop(&b->memory, S);
  allocator_drop(&b->memory, columns);
}

static int viewed(const perp_view *view) {
  return view->kind == PERP_VIEW_DENSE || view->kind == PERP_VIEW_CSC ||
         view->kind == PERP_VIEW_PRODUCT || view->kind == PERP_VIEW_CONTACT ||
         view->kind == PERP_VIEW_GRID;
}

int assemble_accepts(const perp_operator *A) {
  const perp_view view = operator_view(A);
  return viewed(&view) || ((A->ops->add_column != NULL || A->ops->submatrix != NULL) &&
                           A->n <= ASSEMBLE_HIDDEN_ROWS_MAX);
}

int assemble_accepts_symmetric(const perp_operator *A) {
  return (A->claims & PERP_CLAIM_SYMMETRIC) != 0 && assemble_accepts(A);
}

int assemble_csc(const perp_operator *A, int diagonal, const perp_allocator *allocator,
                 perp_csc *out) {
  *out = (perp_csc){0};
  const perp_allocator memory = allocator_of(allocator);
  if (!assemble_accepts(A)) return 1;
  const perp_view view = operator_view(A);
  int64_t room = (view.kind == PERP_VIEW_GRID ? GRID_SLOTS : 4)*(int64_t)A->n;
  if (view.kind == PERP_VIEW_CSC && A->n > 0) {
    const perp_csc *inner = view.data;
    room = (int64_t)inner->colptr[A->n] - inner->colptr[0] + A->n;
  }
  builder b = begin(&memory, A->n, room);
  if (viewed(&view)) b.view = view;
  b.diagonal = diagonal;
  if (!b.failed) {
    switch (view.kind) {
      case PERP_VIEW_DENSE: from_dense(&b, view.data); break;
      case PERP_VIEW_CSC: from_csc(&b, view.data); break;
      case PERP_VIEW_PRODUCT: from_product(&b, view.data); break;
      case PERP_VIEW_CONTACT: from_contacts(&b, view.data); break;
      case PERP_VIEW_GRID: from_grid(&b, view.data); break;
      default: (A->ops->add_column != NULL ? from_columns : from_submatrices)(&b, A); break;
    }
  }
  return finish(&b, out);
}

void assembled_free(const perp_allocator *allocator, perp_csc *matrix) {
  const perp_allocator memory = allocator_of(allocator);
  allocator_drop(&memory, (void *)matrix->colptr);
  allocator_drop(&memory, (void *)matrix->row);
  allocator_drop(&memory, (void *)matrix->value);
  *matrix = (perp_csc){0};
}

int transpose_csc(const perp_csc *A, const perp_allocator *allocator, perp_csc *out) {
  *out = (perp_csc){0};
  const perp_allocator memory = allocator_of(allocator);
  const int32_t first = A->columns > 0 ? A->colptr[0] : 0;
  const int32_t nnz = A->columns > 0 ? A->colptr[A->columns] - first : 0;
  int32_t *colptr = allocator_take(&memory, (int64_t)A->rows + 1, sizeof *colptr);
  int32_t *row = allocator_take(&memory, nnz, sizeof *row);
  double *value = allocator_take(&memory, nnz, sizeof *value);
  if (colptr == NULL || row == NULL || value == NULL) {
    allocator_drop(&memory, colptr);
    allocator_drop(&memory, row);
    allocator_drop(&memory, value);
    return -2;
  }
  for (int32_t i = 0; i <= A->rows; i++) colptr[i] = 0;
  for (int32_t p = first; p < first + nnz; p++) colptr[A->row[p] + 1]++;
  for (int32_t i = 0; i < A->rows; i++) colptr[i + 1] += colptr[i];
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t q = colptr[A->row[p]]++;
      row[q] = j;
      value[q] = A->value[p];
    }
  // Filling has moved the start of each column to its end.
  for (int32_t i = A->rows; i > 0; i--) colptr[i] = colptr[i - 1];
  colptr[0] = 0;
  *out = (perp_csc){A->columns, A->rows, colptr, row, value};
  return 0;
}
