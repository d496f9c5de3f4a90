// face_body.c: the face in body space: A + sigma I = B B' + D by a factor of the bodies' size.
//
// With the rows of B through bodies (body_rows.h) and D = slack + sigma > 0,
//     H u = B_I' D_I^-1 r,   z = D_I^-1 (r - B_I u),   H = I + B_I' D_I^-1 B_I
// solves (B_I B_I' + D_I) z = r: the constraints of the quasidefinite [-I B_I'; B_I D_I] are
// eliminated first. H has the pattern of the body graph whichever rows are free, so one analysis
// serves all, and a row that comes or goes changes H by +- b_i b_i'/d_i, which costs the path from
// its first column to the root. The other way, factoring the quasidefinite matrix itself, takes the
// same steps with a panel for every constraint: two to six times as long on walls, for the same
// roundings.
// H >= I, but its roundings are those of B'B/d: z has an error of about 2^-53 |A|/d relative to |z|
// after the first solve, and each step of refinement, with B B' + D itself, gains as much again;
// d_i must exceed FACE_BODY_LEAST A_ii for that. Callers who give a diagonal of their own may have
// less in some rows: H then gets LIFT more there, and the steps of refinement are proximal steps,
//     v <- v + (B_I B_I' + h_I)^-1 (r - (B_I B_I' + D_I) v),
// which shrink the bias in the direction of an eigenvalue lambda of A_II by LIFT/(lambda + LIFT);
// in the null space there is none as long as r has no part in it.
// Cost: assembling H takes half the sum of squares of the rows' lengths, a factor what the body
// graph needs.
#include "face_kind.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "body_rows.h"
#include "dense_kernels.h"
#include "sparse_ldl.h"
#include "vector.h"

#define ROW_WEIGHT 0.9       // as in face_entries.c: 0.5 to 1.4 on walls
#define DRIFT 1e-11          // backward error after refinement at which the factor is made anew
#define EXACT 0x1p-49        // ... and at which nothing is left to refine
#define LIFT 1e-10           // with face_body_diagonal: D below it is replaced by so much more in H
#define LARGEST 0x1p800      // of D: such a row has z = 0
#define FLOOR 0.25           // of the pivots of H, which are 1 or more but for rounding
enum {
  POLL = 4096,               // columns of H between two looks at the clock
  PROXIMAL = 2,              // more steps of refinement where D was replaced
  LOOK_BACK = 4              // rows among which one with the same columns is looked for
};

typedef struct body_face {
  face base;
  perp_allocator memory;
  int32_t n, dofs;
  body_rows rows;            // R B and R^2 slack: diagonal near 1
  int32_t *colptr;           // dofs + 1: B by columns
  int32_t *row, *entry;      // entries of B: its row, and where it stands among those of the row
  perp_csc H;                // the analysed pattern
  int32_t *h_colptr, *h_row; // of H
  double *value;             // of H
  int32_t *next;             // dofs: the first place of a column of H that is not filled yet
  double *r;                 // n: R, powers of two
  double *d;                 // n: R^2 (slack + sigma)
  double *h;                 // n: d, or more where that is too little: what H is made of
  double *rhs, *rest;        // n each: work of a solve
  double *u, *y;             // dofs each: work
  int32_t *free_row;         // n + 1: the rows kept, as a solve needs them
  int32_t free_count;
  uint8_t *kept;             // n: rows that the factor holds
  sparse_ldl *ldl;
  double *norm;              // n: row sums of |B||B'| + D
  double sigma;
  const double *more;        // n: added to the diagonal in place of sigma; NULL: sigma is
  int lifted;                // h != d
  double error, left;        // what the last solve left, as a backward error and relative to rhs
  double pairs;              // of entries in a row of B
  int32_t since;             // modifications since the last factorisation
  int factored, ready;       // as in face_entries.c
} body_face;

static void *take(const perp_allocator *memory, int64_t count, size_t size) {
  return memory->allocate(memory->context, (size_t)(count > 0 ? count : 1)*size);
}

static void drop(const perp_allocator *memory, void *block) {
  if (block != NULL) memory->release(memory->context, block);
}

static void destroy(face *base) {
  body_face *f = (body_face *)base;
  const perp_allocator memory = f->memory;
  void *const blocks[] = {f->colptr, f->row, f->entry, f->h_colptr, f->h_row, f->value, f->next,
                          f->r, f->d, f->h, f->norm, f->rhs, f->rest, f->u, f->y, f->free_row,
                          f->kept};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++) drop(&memory, blocks[k]);
  body_rows_free(&memory, &f->rows);
  sparse_ldl_destroy(f->ldl);
  drop(&memory, f);
}

// |B_i|^2: the diagonal of A without the slack.
static double square(const body_rows *B, int32_t i) {
  double sum = 0.0;
  for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++) sum += B->value[p]*B->value[p];
  return sum;
}

// Powers of two that bring the diagonal of A near 1.
static void scale(body_face *f) {
  body_rows *B = &f->rows;
  for (int32_t i = 0; i < f->n; i++) {
    const double size = square(B, i) + B->slack[i];
    int e = 0;
    frexp(size > 0.0 ? size : 1.0, &e);
    f->r[i] = power_of_two_within(-e/2, 500);
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++) B->value[p] *= f->r[i];
    B->slack[i] *= f->r[i]*f->r[i];
  }
}

static void put_shift(body_face *f, double sigma, const double *more) {
  const body_rows *B = &f->rows;
  f->sigma = sigma;
  f->more = more;
  f->factored = f->ready = f->lifted = 0;
  memset(f->u, 0, (size_t)f->dofs*sizeof *f->u);
  for (int32_t i = 0; i < f->n; i++) {
    const double most = f->r[i]*f->r[i]*(more != NULL ? more[i] : sigma);
    f->h[i] = f->d[i] = B->slack[i] + min2(most, LARGEST);
    if (more != NULL && f->d[i] < LIFT && B->rowptr[i + 1] > B->rowptr[i]) {
      f->h[i] += LIFT;
      f->lifted = 1;
    }
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++)
      f->u[B->column[p]] += fabs(B->value[p]);
  }
  for (int32_t i = 0; i < f->n; i++) {
    f->norm[i] = f->d[i];
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++)
      f->norm[i] += fabs(B->value[p])*f->u[B->column[p]];
  }
}

static void shift(face *base, double sigma) {
  body_face *f = (body_face *)base;
  if (sigma != f->sigma || f->more != NULL) put_shift(f, sigma, NULL);
}

void face_body_diagonal(face *base, const double *d) { put_shift((body_face *)base, 0.0, d); }
double face_body_error(const face *base) { return ((const body_face *)base)->error; }
double face_body_left(const face *base) { return ((const body_face *)base)->left; }

static int values(face *base, const perp_operator *A) {
  body_face *f = (body_face *)base;
  body_rows B;
  const int code = A->n != f->n ? 1 : body_rows_take(A, &f->memory, &B);
  if (code != 0) return code;
  const size_t pointers = ((size_t)f->n + 1)*sizeof *B.rowptr,
               columns = (size_t)B.rowptr[f->n]*sizeof *B.column;
  if (B.dofs != f->dofs || memcmp(B.rowptr, f->rows.rowptr, pointers) != 0 ||
      memcmp(B.column, f->rows.column, columns) != 0) {
    body_rows_free(&f->memory, &B);
    return 1;
  }
  body_rows_free(&f->memory, &f->rows);
  f->rows = B;
  scale(f);
  put_shift(f, f->sigma, f->more);
  return 0;
}

// H = I + the sum of b_i b_i'/d_i over the rows kept, column by column: below the diagonal from the
// later entries of the rows, above it by symmetry. 0, or -1: deadline.
static int assemble(body_face *f, const perp_deadline *deadline) {
  const body_rows *B = &f->rows;
  double *w = f->u;
  memset(w, 0, (size_t)f->dofs*sizeof *w);
  for (int32_t j = 0; j < f->dofs; j++) f->next[j] = f->h_colptr[j];
  for (int32_t j = 0; j < f->dofs; j++) {
    if (j%POLL == 0 && deadline_passed(deadline)) return -1;
    for (int32_t q = f->colptr[j]; q < f->colptr[j + 1]; q++) {
      const int32_t i = f->row[q], end = B->rowptr[i + 1];
      if (!f->kept[i]) continue;
      const double t = B->value[f->entry[q]]/f->h[i];
      for (int32_t p = f->entry[q]; p < end; p++) w[B->column[p]] += t*B->value[p];
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

// d_i is large enough; where B_i has no entries it does not enter H.
static int regular(const body_face *f, int32_t i) {
  return f->h[i] > (f->rows.rowptr[i + 1] > f->rows.rowptr[i] ? FACE_BODY_LEAST : 0.0);
}

static int anew(body_face *f, const perp_deadline *deadline) {
  f->factored = f->ready = 0;
  f->since = 0;
  for (int32_t i = 0; i < f->n; i++)
    if (f->kept[i] && !regular(f, i)) return i + 1;
  f->base.factorizations++;
  int code = assemble(f, deadline);
  if (code == 0) code = sparse_ldl_factor(f->ldl, &f->H, NULL, FLOOR, deadline);
  if (code > 0) {   // by rounding: the row with the least d is to blame
    int32_t least = 0;
    for (int32_t i = 0; i < f->n; i++)
      if (f->kept[i] && (!f->kept[least] || f->h[i] < f->h[least])) least = i;
    return least + 1;
  }
  f->factored = f->ready = code == 0;
  return code;
}

static double flops_anew(const face *base) {
  const body_face *f = (const body_face *)base;
  return sparse_ldl_flops(f->ldl) + 2.0*f->pairs;   // half the pairs, but one by one
}

// Of the modifications, up to where they are `enough`.
static double rows_up_to(const body_face *f, const uint8_t *is_free, double enough) {
  const body_rows *B = &f->rows;
  double flops = 0.0;
  if (!f->factored) return (double)INFINITY;
  for (int32_t i = 0; i < f->n && flops <= enough; i++)
    if ((is_free[i] != 0) != f->kept[i])
      flops += ROW_WEIGHT*sparse_ldl_change_flops(f->ldl, B->rowptr[i + 1] - B->rowptr[i],
                                                  B->column + B->rowptr[i]);
  return flops;
}

static double flops_rows(const face *base, const uint8_t *is_free) {
  return rows_up_to((const body_face *)base, is_free, (double)INFINITY);
}

// H is factored whole, whichever rows are free.
static double flops_update(const face *base, const uint8_t *is_free) {
  const double made_anew = flops_anew(base);
  return min2(made_anew, rows_up_to((const body_face *)base, is_free, made_anew));
}

// Row i goes (0) or comes (1): as in face_entries.c.
static int modify(face *base, int32_t i, uint8_t comes) {
  body_face *f = (body_face *)base;
  const body_rows *B = &f->rows;
  const int32_t from = B->rowptr[i];
  if (comes && !regular(f, i)) return i + 1;
  const int code = sparse_ldl_change(f->ldl, (comes ? 1.0 : -1.0)/f->h[i], B->rowptr[i + 1] - from,
                                     B->column + from, B->value + from, FLOOR);
  f->kept[i] = comes;
  f->base.modifications++;
  f->since++;
  return code == 0 ? 0 : FACE_ANEW;
}

static int update(face *base, const uint8_t *is_free, const perp_deadline *deadline) {
  body_face *f = (body_face *)base;
  const double made_anew = flops_anew(base);
  f->ready = 0;
  const int code = rows_up_to(f, is_free, made_anew) <= made_anew
                       ? face_follow(base, f->n, f->kept, is_free, modify, deadline) : FACE_ANEW;
  if (code == FACE_ANEW) {
    for (int32_t i = 0; i < f->n; i++) f->kept[i] = is_free[i] != 0;
    return anew(f, deadline);
  }
  f->ready = code == 0;
  return code;
}

// rest <- h^-1 (rhs - (B B' + D) v) on the free rows, where u = B_I' v, and y <- B_I' rest in the
// same pass; returns the largest residual, that of row i relative to norm_i |v| + |rhs|.
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
    if (!(fabs(left) <= most*unit)) most = max_or_nan(most, fabs(left)/unit);   // few divisions
    largest = max_or_nan(largest, fabs(left));
  }
  f->left = right > 0.0 ? largest/right : 0.0;
  return most;
}

// v += rest - h^-1 B H^-1 y, and u <- B_I' v in the same pass; returns the largest |v_i|.
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

// One solve and `steps` of refinement from v = 0; returns the error that is left.
static double refined(body_face *f, double *v, int steps) {
  double right = 0.0;
  f->free_count = 0;
  for (int32_t i = 0; i < f->n; i++) {   // without a branch: no processor foresees which are free
    f->free_row[f->free_count] = i;
    f->free_count += f->kept[i];
    right = max2(right, fabs(f->rhs[i]));
  }
  memset(v, 0, (size_t)f->n*sizeof *v);
  memset(f->u, 0, (size_t)f->dofs*sizeof *f->u);
  residual(f, v, 0.0, right);
  double error = residual(f, v, add_solution(f, v), right);
  for (int k = 0; k < steps && error > EXACT; k++) {
    const double before = error;
    error = residual(f, v, add_solution(f, v), right);
    if (!(error < 0.5*before)) break;   // rounding is reached, or it does not converge
  }
  return error;
}

static int solve(face *base, double *v, int refine) {
  body_face *f = (body_face *)base;
  for (int32_t i = 0; i < f->n; i++) f->rhs[i] = f->kept[i] && f->ready ? f->r[i]*v[i] : 0.0;
  memset(v, 0, (size_t)f->n*sizeof *v);
  if (!f->ready) return 1;
  // one step more than asked for makes up for |A|/d
  const int steps = refine + 1 + (f->lifted ? PROXIMAL : 0);
  f->error = refined(f, v, steps);
  if (refine > 0 && !(f->error <= DRIFT) && f->since > 0) {
    if (anew(f, base->deadline) == 0) f->error = refined(f, v, steps);
    else memset(v, 0, (size_t)f->n*sizeof *v);
  }
  for (int32_t i = 0; i < f->n; i++) v[i] *= f->r[i];
  return face_checked(f->n, v, f->ready);
}

// y = (B B' + D) x for this D
static void multiply(const body_face *f, const double *D, const double *x, double *y) {
  const body_rows *B = &f->rows;
  memset(f->u, 0, (size_t)f->dofs*sizeof *f->u);
  for (int32_t i = 0; i < f->n; i++) {
    y[i] = x[i]/f->r[i];
    if (y[i] == 0.0) continue;
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++)
      f->u[B->column[p]] += B->value[p]*y[i];
  }
  for (int32_t i = 0; i < f->n; i++) {
    double sum = D[i]*y[i];
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++)
      sum += B->value[p]*f->u[B->column[p]];
    y[i] = sum/f->r[i];
  }
}

void face_body_product(const face *base, const double *x, double *y) {
  const body_face *f = (const body_face *)base;
  multiply(f, f->rows.slack, x, y);
}

static int64_t nnz(const face *base) { return sparse_ldl_nnz(((const body_face *)base)->ldl); }

// Half as fast as a factorisation, with one step of refinement and the products with B.
static double flops_solve(const face *base) {
  const body_face *f = (const body_face *)base;
  return 16.0*(double)nnz(base) + 32.0*f->rows.rowptr[f->n];
}

static const face_kind kind = {destroy, values, shift, update, solve, flops_anew, flops_rows,
                               flops_solve, nnz, flops_update};

// B by columns. 0: fine; -2: no memory.
static int take_columns(body_face *f) {
  const body_rows *B = &f->rows;
  const int32_t entries = B->rowptr[f->n];
  f->colptr = take(&f->memory, (int64_t)f->dofs + 1, sizeof *f->colptr);
  f->row = take(&f->memory, entries, sizeof *f->row);
  f->entry = take(&f->memory, entries, sizeof *f->entry);
  if (f->colptr == NULL || f->row == NULL || f->entry == NULL) return -2;
  memset(f->colptr, 0, ((size_t)f->dofs + 1)*sizeof *f->colptr);
  for (int32_t p = 0; p < entries; p++) f->colptr[B->column[p] + 1]++;
  for (int32_t j = 0; j < f->dofs; j++) f->next[j] = f->colptr[j + 1] += f->colptr[j];
  for (int32_t i = f->n - 1; i >= 0; i--)
    for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1]; p++) {
      const int32_t q = --f->next[B->column[p]];
      f->row[q] = i;
      f->entry[q] = p;
    }
  return 0;
}

// kept[i] = 1 where one of the rows shortly before i has the same columns: the points of a contact
// stand together, each with some tangents. (kept is not in use yet.)
static void mark_twins(body_face *f) {
  const body_rows *B = &f->rows;
  for (int32_t i = 0; i < f->n; i++) {
    const int32_t length = B->rowptr[i + 1] - B->rowptr[i];
    f->kept[i] = 0;
    for (int32_t k = i - 1; k >= 0 && k >= i - LOOK_BACK && !f->kept[i]; k--)
      f->kept[i] = B->rowptr[k + 1] - B->rowptr[k] == length &&
                   memcmp(B->column + B->rowptr[k], B->column + B->rowptr[i],
                          (size_t)length*sizeof *B->column) == 0;
  }
}

// The columns of H: all that share a row of B with j. Pass 0 counts. Returns the entries.
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
      for (int32_t p = B->rowptr[i]; p < B->rowptr[i + 1] && !f->kept[i]; p++) {
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

// Sorts the rows of all columns at once: the pattern is symmetric, so going through the columns in
// order and putting each into those of its rows fills these in order. copy: entries of H.
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
  f->h_colptr = take(&f->memory, (int64_t)f->dofs + 1, sizeof *f->h_colptr);
  f->h_row = take(&f->memory, entries, sizeof *f->h_row);
  f->value = take(&f->memory, entries, sizeof *f->value);
  int32_t *copy = take(&f->memory, entries, sizeof *copy);
  const int fine = f->h_colptr != NULL && f->h_row != NULL && f->value != NULL && copy != NULL;
  if (fine) {
    f->h_colptr[f->dofs] = (int32_t)entries;
    pattern(f, 1);
    sort_pattern(f, copy);
    f->H = (perp_csc){f->dofs, f->dofs, f->h_colptr, f->h_row, f->value};
  }
  drop(&f->memory, copy);
  return fine ? 0 : -2;
}

face *face_body_create(body_rows *rows, const perp_allocator *allocator, int *failed) {
  const perp_allocator memory = allocator_of(allocator);
  const int32_t n = rows->n, dofs = rows->dofs;
  body_face *f = take(&memory, 1, sizeof *f);
  *failed = -2;
  if (f == NULL) {
    body_rows_free(&memory, rows);
    return NULL;
  }
  *f = (body_face){.base.kind = &kind, .memory = memory, .n = n, .dofs = dofs, .rows = *rows};
  *rows = (body_rows){0};
  f->next = take(&memory, dofs, sizeof *f->next);
  f->r = take(&memory, n, sizeof *f->r);
  f->d = take(&memory, n, sizeof *f->d);
  f->h = take(&memory, n, sizeof *f->h);
  f->norm = take(&memory, n, sizeof *f->norm);
  f->rhs = take(&memory, n, sizeof *f->rhs);
  f->rest = take(&memory, n, sizeof *f->rest);
  f->u = take(&memory, dofs, sizeof *f->u);
  f->y = take(&memory, dofs, sizeof *f->y);
  f->free_row = take(&memory, (int64_t)n + 1, sizeof *f->free_row);
  f->kept = take(&memory, n, sizeof *f->kept);
  f->ldl = sparse_ldl_create(&memory);
  if (f->next != NULL && f->r != NULL && f->d != NULL && f->h != NULL && f->norm != NULL &&
      f->rhs != NULL && f->rest != NULL && f->u != NULL && f->y != NULL && f->free_row != NULL &&
      f->kept != NULL && f->ldl != NULL) {
    *failed = take_columns(f);
    if (*failed == 0) *failed = take_pattern(f);
    if (*failed == 0) *failed = sparse_ldl_analyse(f->ldl, &f->H);
  }
  if (*failed != 0) {
    destroy(&f->base);
    return NULL;
  }
  memset(f->kept, 0, (size_t)n);
  for (int32_t i = 0; i < n; i++) {
    const double length = f->rows.rowptr[i + 1] - f->rows.rowptr[i];
    f->pairs += length*length;
  }
  scale(f);
  put_shift(f, 0.0, NULL);
  return &f->base;
}

const body_rows *face_body_rows(const face *base, const double **r) {
  const body_face *f = (const body_face *)base;
  if (base->kind != &kind) return NULL;
  *r = f->r;
  return &f->rows;
}

int face_body_factor(face *base, const double *E, const perp_deadline *deadline) {
  body_face *f = (body_face *)base;
  f->sigma = -1.0;   // whatever comes next is another one
  memset(f->kept, 1, (size_t)f->n);
  memcpy(f->h, E, (size_t)f->n*sizeof *E);
  return anew(f, deadline);
}

void face_body_velocities(face *base, double *u) {
  sparse_ldl_solve(((body_face *)base)->ldl, u);
}
