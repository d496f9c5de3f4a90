// face_body.c: the face in body space: A + sigma I = B B' + D by a factor of the bodies' size.
//
// With the rows of B through bodies (body_rows.h) and D = slack + sigma > 0,
//     H u = B_I' D_I^-1 r,   z = D_I^-1 (r - B_I u),   H = I + B_I' D_I^-1 B_I
// solves (B_I B_I' + D_I) z = r. This eliminates the constraints of the quasidefinite matrix
// [-I B_I'; B_I D_I] first. H has the pattern of the body graph for every I, so one analysis serves
// all. A row that comes or goes changes H by +- b_i b_i'/d_i, which costs the path from its first
// column to the root. Factoring the quasidefinite matrix itself takes the same steps with a panel
// per constraint: two to six times as long on walls, for the same rounding errors.
// H >= I, but its rounding errors are those of B'B/d. The first solve has an error of about
// 2^-53 |A|/d relative to |z|. Each step of refinement with B B' + D gains the same factor again;
// that needs d_i > FACE_BODY_SLACK_MIN A_ii. A caller's own diagonal may be smaller in some rows. H
// then gets DIAGONAL_LIFT more there, and the steps of refinement are proximal steps,
//     v <- v + (B_I B_I' + h_I)^-1 (r - (B_I B_I' + D_I) v).
// Each step shrinks the error along an eigenvector of A_II with eigenvalue lambda by
// DIAGONAL_LIFT/(lambda + DIAGONAL_LIFT). In the null space there is no error as long as r has no
// part in it. Cost: assembling H takes half the sum of squares of the rows' lengths; a factor
// depends on the body graph.
#include "face_kind.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "body_rows.h"
#include "dense_kernels.h"
#include "sparse_ldl.h"
#include "vector.h"

// Added to H in rows where the caller's D is smaller than this. A_ii is near 1. If larger, walls
// take up to 3.2 times the work. 1e-10: interior_point leaves 5 of the 854 steps of bench/impacts
// unsolved, instead of 1. 1e-12: fischer_newton loses steps of a wall of 10 x 6 bricks.
#define DIAGONAL_LIFT 1e-11
// Further steps of refinement if D was lifted. With 1 and a lift of 1e-10, interior_point
// leaves 3 of the 204 steps of the first 5 walls of bench/impacts unsolved, instead of 2.
enum { LIFT_CORRECTIONS = 2 };
// Backward error below which refinement gains nothing. With the larger FACE_REFINED_ERROR_MAX,
// solves on walls of condition 1e9 do not reach an error of 1e-13 (test_face_body).
#define BODY_REFINED_ERROR_MAX 0x1p-49
// Backward error after refinement above which a modified factor is computed again. With 1e-8,
// active_set leaves 2 of the 250 steps of the last 7 walls of bench/impacts unsolved.
#define BODY_DRIFT_ERROR_MAX 1e-11
// Rows before a row among which one with the same columns is looked for. With 1, the analysis of
// walls with friction (wall mode=1, three rows a point) takes 1.13 times the instructions.
enum { TWIN_DISTANCE_MAX = 3 };

typedef struct body_face {
  row_face by;
  perp_allocator memory;
  int32_t dofs;
  body_rows rows;            // R B and R^2 slack: diagonal near 1
  int32_t *colptr;           // dofs + 1: B by columns
  // Entries of B by columns: its row, and its place among the entries of that row.
  int32_t *row, *entry;
  perp_csc H;                // the analysed pattern
  int32_t *h_colptr, *h_row; // of H
  double *value;             // of H
  int32_t *next;             // dofs: the next place to fill in each column of H
  double *r;                 // n: R, powers of two
  double *d;                 // n: R^2 (slack + sigma)
  double *h;                 // n: the diagonal that H is made of: d, or more where d is too small
  double *rhs, *rest;        // n each: work of a solve
  double *u, *y;             // dofs each: work
  int32_t *free_row;         // n + 1: the free rows
  int32_t free_count;
  sparse_ldl *ldl;
  double *norm;              // n: row sums of |B||B'| + D
  double sigma;
  const double *more;        // n: added to the diagonal in place of sigma; NULL: use sigma
  int lifted;                // 1: h differs from d
  double pairs;              // number of pairs of entries in the rows of B
} body_face;

static void destroy(face *base) {
  body_face *f = (body_face *)base;
  const perp_allocator memory = f->memory;
  void *const blocks[] = {f->colptr, f->row, f->entry, f->h_colptr, f->h_row, f->value, f->next,
                          f->r, f->d, f->h, f->norm, f->rhs, f->rest, f->u, f->y, f->free_row,
                          f->by.kept};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++) allocator_drop(&memory, blocks[k]);
  body_rows_free(&memory, &f->rows);
  sparse_ldl_destroy(f->ldl);
  allocator_drop(&memory, f);
}

// |B_i|^2, the diagonal of A without the slack.
static double square(const body_rows *B, int32_t i) {
  double sum = 0.0;
  for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++) sum += B->value[p]*B->value[p];
  return sum;
}

// Finds powers of two that bring the diagonal of A near 1.
static void scale(body_face *f) {
  body_rows *B = &f->rows;
  for (int32_t i = 0; i < f->by.n; i++) {
    f->r[i] = power_near_root(square(B, i) + B->slack[i], SCALE_EXPONENT_MAX);
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++) B->value[p] *= f->r[i];
    B->slack[i] *= f->r[i]*f->r[i];
  }
}

static void put_shift(body_face *f, double sigma, const double *more) {
  const body_rows *B = &f->rows;
  f->sigma = sigma;
  f->more = more;
  f->by.factored = f->by.ready = f->lifted = 0;
  memset(f->u, 0, (size_t)f->dofs*sizeof *f->u);
  for (int32_t i = 0; i < f->by.n; i++) {
    const double most = f->r[i]*f->r[i]*(more != NULL ? more[i] : sigma);
    f->h[i] = f->d[i] = B->slack[i] + min2(most, FACE_DIAGONAL_MAX);
    if (more != NULL && f->d[i] < DIAGONAL_LIFT && B->rowptr[i + 1] > B->rowptr[i]) {
      f->h[i] += DIAGONAL_LIFT;
      f->lifted = 1;
    }
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++)
      f->u[B->column[p]] += fabs(B->value[p]);
  }
  for (int32_t i = 0; i < f->by.n; i++) {
    f->norm[i] = f->d[i];
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++)
      f->norm[i] += fabs(B->value[p])*f->u[B->column[p]];
  }
}

static void shift(face *base, double sigma) {
  body_face *f = (body_face *)base;
  if (sigma != f->sigma || f->more != NULL) put_shift(f, sigma, NULL);
}

static void diagonal(face *base, const double *p, const double *q) {
  (void)p;
  put_shift((body_face *)base, 0.0, q);
}

// H = I + the sum of b_i b_i'/d_i over the free rows, column by column. Entries below the diagonal
// come from the later entries of the rows, those above by symmetry. Returns 0, or -1: deadline.
static int assemble(body_face *f, const perp_deadline *deadline) {
  const body_rows *B = &f->rows;
  double *w = f->u;
  memset(w, 0, (size_t)f->dofs*sizeof *w);
  for (int32_t j = 0; j < f->dofs; j++) f->next[j] = f->h_colptr[j];
  double since = DEADLINE_POLL_FLOPS;
  for (int32_t j = 0; j < f->dofs; j++) {
    if (since >= DEADLINE_POLL_FLOPS) {
      if (deadline_passed(deadline)) return -1;
      since = 0.0;
    }
    for (int32_t q = f->colptr[j]; q < f->colptr[j + 1]; q++) {
      const int32_t i = f->row[q], end = B->rowptr[i + 1];
      if (!f->by.kept[i]) continue;
      const double t = B->value[f->entry[q]]/f->h[i];
      for (int32_t p = f->entry[q]; p < end; p++) w[B->column[p]] += t*B->value[p];
      since += end - f->entry[q];
    }
    w[j] += 1.0;
    for (int32_t p = f->next[j]; p < f->h_colptr[j + 1]; p++) {
      const int32_t k = f->h_row[p];
      f->value[p] = w[k];
      if (k > j) f->value[f->next[k]++] = w[k];
      w[k] = 0.0;
    }
  }
  return 0;
}

// 1: d_i is large enough. If B_i has no entries, d_i does not enter H.
static int regular(const body_face *f, int32_t i) {
  return f->h[i] > (f->rows.rowptr[i + 1] > f->rows.rowptr[i] ? FACE_BODY_SLACK_MIN : 0.0);
}

static int refactor(row_face *by, const perp_deadline *deadline) {
  body_face *f = (body_face *)by;
  f->by.factored = f->by.ready = 0;
  f->by.since = 0;
  for (int32_t i = 0; i < f->by.n; i++)
    if (f->by.kept[i] && !regular(f, i)) return i + 1;
  f->by.base.factorizations++;
  int code = assemble(f, deadline);
  if (code == 0) code = sparse_ldl_factor(f->ldl, &f->H, NULL, FACE_PIVOT_MIN, deadline);
  if (code > 0) {   // rounding: report the row with the smallest d
    int32_t least = 0;
    for (int32_t i = 0; i < f->by.n; i++)
      if (f->by.kept[i] && (!f->by.kept[least] || f->h[i] < f->h[least])) least = i;
    return least + 1;
  }
  f->by.factored = f->by.ready = code == 0;
  return code;
}

static double flops_factor(const face *base) {
  const body_face *f = (const body_face *)base;
  return sparse_ldl_flops(f->ldl) + 2.0*f->pairs;   // half the pairs, at twice the time each
}

// A factorisation always takes all of H, for every set of free rows.
static double flops_kept(const row_face *by, const uint8_t *is_free) {
  (void)is_free;
  return flops_factor(&by->base);
}

static double flops_row(const row_face *by, int32_t i) {
  const body_face *f = (const body_face *)by;
  const int32_t from = f->rows.rowptr[i], length = f->rows.rowptr[i + 1] - from;
  return sparse_ldl_change_flops(f->ldl, length, f->rows.column + from);
}

static int modify(row_face *by, int32_t i, uint8_t comes) {
  body_face *f = (body_face *)by;
  const body_rows *B = &f->rows;
  const int32_t from = B->rowptr[i];
  if (comes && !regular(f, i)) return i + 1;
  const int code = sparse_ldl_change(f->ldl, (comes ? 1.0 : -1.0)/f->h[i], B->rowptr[i + 1] - from,
                                     B->column + from, B->value + from, FACE_PIVOT_MIN);
  by->kept[i] = comes;
  by->since++;
  return code == 0 ? 0 : FACE_REFACTOR;
}

static const row_kind by_rows = {flops_kept, flops_row, modify, refactor};

// rest <- h^-1 (rhs - (B B' + D) v) on the free rows, where u = B_I' v, and y <- B_I' rest in the
// same pass. Returns the largest residual, that of row i relative to norm_i |v| + |rhs|.
static double residual(body_face *f, const double *v, double size, double right) {
  const body_rows *B = &f->rows;
  double most = 0.0, largest = 0.0;
  memset(f->y, 0, (size_t)f->dofs*sizeof *f->y);
  for (int32_t k = 0; k < f->free_count; k++) {
    const int32_t i = f->free_row[k], from = B->rowptr[i], end = B->rowptr[i + 1];
    double left = f->rhs[i] - f->d[i]*v[i];
    for (int32_t p = from; p < end; p++) left -= B->value[p]*f->u[B->column[p]];
    const double rest = f->rest[i] = left/f->h[i];
    for (int32_t p = from; p < end; p++) f->y[B->column[p]] += B->value[p]*rest;
    const double unit = f->norm[i]*size + right;
    // Avoids most divisions.
    if (!(fabs(left) <= most*unit)) most = max_or_nan(most, fabs(left)/unit);
    largest = max_or_nan(largest, fabs(left));
  }
  f->by.base.left = right > 0.0 ? largest/right : 0.0;
  return most;
}

// v += rest - h^-1 B H^-1 y, and u <- B_I' v in the same pass. Returns max|v|.
static double add_solution(body_face *f, double *v) {
  const body_rows *B = &f->rows;
  double size = 0.0;
  sparse_ldl_solve(f->ldl, f->y);
  memset(f->u, 0, (size_t)f->dofs*sizeof *f->u);
  for (int32_t k = 0; k < f->free_count; k++) {
    const int32_t i = f->free_row[k], from = B->rowptr[i], end = B->rowptr[i + 1];
    double sum = 0.0;
    for (int32_t p = from; p < end; p++) sum += B->value[p]*f->y[B->column[p]];
    const double z = v[i] += f->rest[i] - sum/f->h[i];
    for (int32_t p = from; p < end; p++) f->u[B->column[p]] += B->value[p]*z;
    size = max2(size, fabs(z));
  }
  return size;
}

// Solves from v = 0 with `steps` of refinement. Returns the error.
static double refined(body_face *f, double *v, int steps) {
  double right = 0.0;
  f->free_count = 0;
  for (int32_t i = 0; i < f->by.n; i++) {   // no branch, because free rows are hard to predict
    f->free_row[f->free_count] = i;
    f->free_count += f->by.kept[i];
    right = max2(right, fabs(f->rhs[i]));
  }
  memset(v, 0, (size_t)f->by.n*sizeof *v);
  memset(f->u, 0, (size_t)f->dofs*sizeof *f->u);
  residual(f, v, 0.0, right);
  double error = residual(f, v, add_solution(f, v), right);
  for (int k = 0; k < steps && error > BODY_REFINED_ERROR_MAX; k++) {
    const double before = error;
    error = residual(f, v, add_solution(f, v), right);
    if (!(error < 0.5*before)) break;   // rounding is reached, or refinement does not converge
  }
  return error;
}

static int solve(face *base, double *v, int refine) {
  body_face *f = (body_face *)base;
  for (int32_t i = 0; i < f->by.n; i++) f->rhs[i] = f->by.kept[i] && f->by.ready ? f->r[i]*v[i] : 0.0;
  memset(v, 0, (size_t)f->by.n*sizeof *v);
  if (!f->by.ready) return 1;
  // One extra step makes up for the error 2^-53 |A|/d of the first solve. A caller with a diagonal of
  // its own sees the error and decides.
  const int steps = refine + (f->more == NULL) + (f->lifted ? LIFT_CORRECTIONS : 0);
  base->error = refined(f, v, steps);
  if (refine > 0 && !(base->error <= BODY_DRIFT_ERROR_MAX) && f->by.since > 0) {
    if (refactor(&f->by, base->deadline) == 0) base->error = refined(f, v, steps);
    else memset(v, 0, (size_t)f->by.n*sizeof *v);
  }
  for (int32_t i = 0; i < f->by.n; i++) v[i] *= f->r[i];
  return face_checked(f->by.n, v, f->by.ready);
}

static void multiply(const face *base, int transposed, const double *x, double *y) {
  (void)transposed;   // A is symmetric
  const body_face *f = (const body_face *)base;
  const body_rows *B = &f->rows;
  memset(f->u, 0, (size_t)f->dofs*sizeof *f->u);
  for (int32_t i = 0; i < f->by.n; i++) {
    y[i] = x[i]/f->r[i];
    if (y[i] == 0.0) continue;
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++)
      f->u[B->column[p]] += B->value[p]*y[i];
  }
  for (int32_t i = 0; i < f->by.n; i++) {
    double sum = B->slack[i]*y[i];
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++)
      sum += B->value[p]*f->u[B->column[p]];
    y[i] = sum/f->r[i];
  }
}

static int64_t nnz(const face *base) { return sparse_ldl_nnz(((const body_face *)base)->ldl); }

// One step of refinement and the products with B; an operation takes twice as long as in a factor.
static double flops_solve(const face *base) {
  const body_face *f = (const body_face *)base;
  return 16.0*(double)nnz(base) + 32.0*f->rows.rowptr[f->by.n];
}

static const face_kind kind = {
  .destroy = destroy, .shift = shift, .update = row_face_update, .solve = solve,
  .flops_factor = flops_factor, .flops_rows = row_face_flops_rows, .flops_solve = flops_solve,
  .nnz = nnz, .flops_update = row_face_flops_update, .diagonal = diagonal, .multiply = multiply,
};

// Stores B by columns. 0: fine; -2: no memory.
static int take_columns(body_face *f) {
  const body_rows *B = &f->rows;
  const int32_t entries = B->rowptr[f->by.n];
  f->colptr = allocator_take(&f->memory, (int64_t)f->dofs + 1, sizeof *f->colptr);
  f->row = allocator_take(&f->memory, entries, sizeof *f->row);
  f->entry = allocator_take(&f->memory, entries, sizeof *f->entry);
  if (f->colptr == NULL || f->row == NULL || f->entry == NULL) return -2;
  memset(f->colptr, 0, ((size_t)f->dofs + 1)*sizeof *f->colptr);
  for (int32_t p = 0; p < entries; p++) f->colptr[B->column[p] + 1]++;
  for (int32_t j = 0; j < f->dofs; j++) f->next[j] = f->colptr[j + 1] += f->colptr[j];
  for (int32_t i = f->by.n - 1; i >= 0; i--)
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++) {
      const int32_t q = --f->next[B->column[p]];
      f->row[q] = i;
      f->entry[q] = p;
    }
  return 0;
}

// kept[i] = 1 if a row shortly before i has the same columns. The points of a contact are adjacent,
// each with some tangents. (kept is still unused.)
static void mark_twins(body_face *f) {
  const body_rows *B = &f->rows;
  for (int32_t i = 0; i < f->by.n; i++) {
    const int32_t length = B->rowptr[i + 1] - B->rowptr[i];
    f->by.kept[i] = 0;
    for (int32_t k = i - 1; k >= 0 && k >= i - TWIN_DISTANCE_MAX && !f->by.kept[i]; k--)
      f->by.kept[i] = B->rowptr[k + 1] - B->rowptr[k] == length &&
                      memcmp(B->column + B->rowptr[k], B->column + B->rowptr[i],
                             (size_t)length*sizeof *B->column) == 0;
  }
}

// The pattern of H: column j has all columns that share a row of B with j. Pass 0 counts. Returns
// the number of entries.
static int64_t pattern(body_face *f, int pass) {
  const body_rows *B = &f->rows;
  int64_t filled = 0;
  for (int32_t j = 0; j < f->dofs; j++) f->next[j] = -1;
  for (int32_t j = 0; j < f->dofs; j++) {
    const int64_t first = filled;
    f->next[j] = j;
    if (pass == 1) f->h_row[filled] = j;
    filled++;
    for (int32_t q = f->colptr[j]; q < f->colptr[j + 1]; q++) {
      const int32_t i = f->row[q];
      for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1] && !f->by.kept[i]; p++) {
        const int32_t k = B->column[p];
        if (f->next[k] == j) continue;
        f->next[k] = j;
        if (pass == 1) f->h_row[filled] = k;
        filled++;
      }
    }
    if (pass == 1) f->h_colptr[j] = (int32_t)first;
  }
  return filled;
}

// Sorts the rows of all columns at once. The pattern is symmetric: visiting the columns in order
// and appending each to its rows fills these in order. copy: entries of H.
static void sort_pattern(body_face *f, int32_t *copy) {
  for (int32_t j = 0; j < f->dofs; j++) f->next[j] = f->h_colptr[j];
  for (int32_t j = 0; j < f->dofs; j++)
    for (int32_t p = f->h_colptr[j]; p < f->h_colptr[j + 1]; p++) copy[f->next[f->h_row[p]]++] = j;
  memcpy(f->h_row, copy, (size_t)f->h_colptr[f->dofs]*sizeof *copy);
}

static int take_pattern(body_face *f) {
  mark_twins(f);
  const int64_t entries = pattern(f, 0);
  if (entries > INT32_MAX) return 1;
  f->h_colptr = allocator_take(&f->memory, (int64_t)f->dofs + 1, sizeof *f->h_colptr);
  f->h_row = allocator_take(&f->memory, entries, sizeof *f->h_row);
  f->value = allocator_take(&f->memory, entries, sizeof *f->value);
  int32_t *copy = allocator_take(&f->memory, entries, sizeof *copy);
  const int fine = f->h_colptr != NULL && f->h_row != NULL && f->value != NULL && copy != NULL;
  if (fine) {
    f->h_colptr[f->dofs] = (int32_t)entries;
    pattern(f, 1);
    sort_pattern(f, copy);
    f->H = (perp_csc){f->dofs, f->dofs, f->h_colptr, f->h_row, f->value};
  }
  allocator_drop(&f->memory, copy);
  return fine ? 0 : -2;
}

face *face_body_create(body_rows *rows, const perp_allocator *allocator, int *failed) {
  const perp_allocator memory = allocator_of(allocator);
  const int32_t n = rows->n, dofs = rows->dofs;
  body_face *f = allocator_take(&memory, 1, sizeof *f);
  *failed = -2;
  if (f == NULL) {
    body_rows_free(&memory, rows);
    return NULL;
  }
  *f = (body_face){.by = {.base = face_new(&kind), .rows = &by_rows, .n = n}, .memory = memory,
                   .dofs = dofs, .rows = *rows};
  *rows = (body_rows){0};
  f->next = allocator_take(&memory, dofs, sizeof *f->next);
  f->u = allocator_take(&memory, dofs, sizeof *f->u);
  f->y = allocator_take(&memory, dofs, sizeof *f->y);
  f->free_row = allocator_take(&memory, (int64_t)n + 1, sizeof *f->free_row);
  f->by.kept = allocator_take(&memory, n, sizeof *f->by.kept);
  f->ldl = sparse_ldl_create(&memory);
  int taken = f->next != NULL && f->u != NULL && f->y != NULL && f->free_row != NULL &&
              f->by.kept != NULL && f->ldl != NULL;
  double **const vectors[] = {&f->r, &f->d, &f->h, &f->norm, &f->rhs, &f->rest};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    taken &= (*vectors[k] = allocator_take(&memory, n, sizeof(double))) != NULL;
  if (taken) {
    *failed = take_columns(f);
    if (*failed == 0) *failed = take_pattern(f);
    if (*failed == 0) *failed = sparse_ldl_analyse(f->ldl, &f->H);
  }
  if (*failed != 0) {
    destroy(&f->by.base);
    return NULL;
  }
  memset(f->by.kept, 0, (size_t)n);
  for (int32_t i = 0; i < n; i++) {
    const double length = f->rows.rowptr[i + 1] - f->rows.rowptr[i];
    f->pairs += length*length;
  }
  scale(f);
  put_shift(f, 0.0, NULL);
  return &f->by.base;
}

const body_rows *face_body_rows(const face *base, const double **r) {
  const body_face *f = (const body_face *)base;
  if (base->kind != &kind) return NULL;
  *r = f->r;
  return &f->rows;
}

int face_body_factor(face *base, const double *E, const perp_deadline *deadline) {
  body_face *f = (body_face *)base;
  f->sigma = -1.0;   // differs from every sigma to come
  memset(f->by.kept, 1, (size_t)f->by.n);
  memcpy(f->h, E, (size_t)f->by.n*sizeof *E);
  return refactor(&f->by, deadline);
}

void face_body_velocities(face *base, double *u) {
  sparse_ldl_solve(((body_face *)base)->ldl, u);
}
