// face_group.c: the face of a matrix whose rows come in groups, by a factor of their skeletons.
//
// S = R (A + D) R as in face_entries.c, but D may have different entries, and R also brings large
// entries of D near 1. Contact points between two bodies give rows of A that span few dimensions
// (groups.h). group_free.c reduces the m_g free rows of group g to a block K_g of at most r_g rows.
// These couple with the rows of other groups by the entries S0 of A:
//     (K + S0) t = s,   z_g from t_g,   K + S0 of sum r_g rows instead of sum m_g
// K + S0 is definite exactly if S_II is. One analysis with all slots serves all free sets; unused
// slots are rows of the identity. A row that comes or goes changes its group: a slot comes or goes,
// and K_g changes by a few terms lambda v v'. The order is: all groups lose slots, get the positive
// terms, get the negative terms, get new slots. So every matrix on the way is at least as definite
// as the first or the last one.
// The groups neglect rounding errors only (groups.h). Solves are refined with S itself. Its columns
// have one pattern per group, so products gather once per group.
// Cost: with m_g/r_g = 2 or 3 a factor takes 1/8 to 1/27 of the operations of face_entries.c.
#include "face_group.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "error_free.h"
#include "dense_kernels.h"
#include "vector.h"

// Prefer row modifications until they cost this many times a new factorisation. Large changes are
// rare. With 1, a wall is not solved within 1.5 times the time that it takes without a limit
// (test_limits).
#define REFACTOR_COST_RATIO 3.5
enum { NONE = -1 };

// ---- the groups ----

// B_g = (S_gg)
static void take_block(group_face *f, int32_t g) {
  const int32_t m = f->part[g].m, *row = f->g.row + f->g.start[g],
                *inside = f->inside + f->g.start[g];
  for (int32_t i = 0; i < m; i++) {
    const double *from = f->value + f->A.colptr[row[i]];
    double *to = f->B + (size_t)i*(size_t)m;
    for (int32_t k = 0; k < m; k++) to[k] = from[inside[k]]*(f->s[row[i]]*f->s[row[k]]);
    to[i] += f->d[row[i]];
  }
}

// Reduces group g with these free rows. Returns 0, -1: deadline, or 1 + the row without a pivot.
static int32_t condense(group_face *f, int32_t g, const uint8_t *is_free,
                        const perp_deadline *deadline) {
  const int32_t *row = f->g.row + f->g.start[g];
  group_free *part = f->part + g;
  f->stale[g] = 1;
  for (int32_t i = 0; i < part->m; i++) {
    f->mask[i] = f->kept[row[i]] = is_free[row[i]] != 0;
    f->y[i] = f->mask[i] ? f->s[row[i]] : 1.0;
  }
  take_block(f, g);
  const int32_t failed = group_condense(part, f->g.T + f->g.weight[g],
                                        f->skeleton + first_slot(f, g), f->B, f->y,
                                        f->mask, FACE_PIVOT_MIN, f->W, f->basis, deadline);
  if (failed != 0) return failed > 0 ? row[failed - 1] + 1 : failed;
  f->stale[g] = 0;
  return 0;
}

// The row for the k-th slot of g.
static int32_t wanted(const group_face *f, int32_t g, int32_t k) {
  const int32_t position = f->part[g].slot[k];
  return position != NONE ? f->g.row[f->g.start[g] + position] : NONE;
}

// Entry (k, l) of the diagonal block of g in S.
static double *block_entry(const group_face *f, int32_t g, int32_t k, int32_t l) {
  const int32_t column = first_slot(f, g) + l;
  const int32_t own = f->base_at[f->base_from[g] + f->inside[f->g.start[g]]];
  return f->S_value + f->colptr[column] + own + k;
}

// Writes K_g into S. Unless `all`, entries whose slots are both in the factor stay unchanged.
static void put_block(group_face *f, int32_t g, int all) {
  const group_free *part = f->part + g;
  const uint8_t *kept = f->slot_kept + first_slot(f, g);
  for (int32_t l = 0; l < part->r; l++)
    for (int32_t k = 0; k < part->r; k++)
      if (all || !kept[k] || !kept[l]) *block_entry(f, g, k, l) = part->K[k*part->r + l];
}

// Writes column `slot` of S from the column of A of the row in that slot. `both`: also its mirror
// image.
static void put_column(group_face *f, int32_t g, int32_t slot, int both) {
  const int32_t from = f->A.colptr[f->slot_row[slot]], to = f->colptr[slot];
  const int32_t length = f->A.colptr[f->slot_row[slot] + 1] - from;
  const int32_t *row = f->A.row + from, *base = f->base_at + f->base_from[g];
  const double s = f->s[f->slot_row[slot]];
  for (int32_t p = 0; p < length; p++) {
    const int32_t other = f->slot_of[row[p]];
    if (other == NONE) continue;
    const int32_t at = to + base[p] + (other - first_slot(f, f->group[row[p]]));
    f->S_value[at] = f->value[from + p]*(s*f->s[row[p]]);
    if (both) f->S_value[f->mirror[at]] = f->S_value[at];
  }
}

static void put_slot(group_face *f, int32_t slot, int32_t row) {
  if (f->slot_row[slot] != NONE) f->slot_of[f->slot_row[slot]] = NONE;
  f->slot_row[slot] = row;
  f->slot_kept[slot] = row != NONE;
  if (row != NONE) f->slot_of[row] = slot;
}

// ---- the factor ----

static int refactor(group_face *f, const perp_deadline *deadline) {
  f->factored = f->ready = 0;
  f->since = 0;
  f->base.factorizations++;
  if (deadline_passed(deadline)) return -1;
  for (int32_t k = 0; k < f->slots; k++) put_slot(f, k, NONE);
  for (int32_t g = 0; g < f->count; g++)
    for (int32_t k = 0; k < f->part[g].r; k++) put_slot(f, first_slot(f, g) + k, wanted(f, g, k));
  for (int32_t g = 0; g < f->count; g++) {
    for (int32_t k = first_slot(f, g); k < first_slot(f, g + 1); k++)
      if (f->slot_kept[k]) put_column(f, g, k, 0);
    put_block(f, g, 1);
  }
  const int code = sparse_ldl_factor(f->ldl, &f->S, f->slot_kept, FACE_PIVOT_MIN, deadline);
  f->factored = f->ready = code == 0;
  return code > 0 ? f->slot_row[code - 1] + 1 : code;
}

// Applies those terms of the change of K_g whose sign is `sign`, in the slots that stay. S changes
// by the same terms, so neglected terms do not add up. A term is neglected if it would be too small
// for a pivot. Returns 0 or FACE_REFACTOR.
static int change_block(group_face *f, int32_t g, double sign) {
  const group_free *part = f->part + g;
  int32_t count = 0;
  double most = 0.0, size = 0.0;
  for (int32_t k = 0; k < part->r; k++)
    if (f->slot_row[first_slot(f, g) + k] != NONE) f->index[count++] = first_slot(f, g) + k;
  for (int32_t i = 0; i < count; i++)
    for (int32_t j = 0; j < count; j++) {
      const int32_t k = f->index[i] - first_slot(f, g), l = f->index[j] - first_slot(f, g);
      const double now = part->K[k*part->r + l];
      f->D[i*count + j] = now - *block_entry(f, g, k, l);
      most = max_or_nan(most, fabs(f->D[i*count + j]));
      size = max2(size, fabs(now));
    }
  if (most <= FACE_PIVOT_MIN*size) return 0;
  group_split(count, f->D, f->V, f->lambda);
  for (int32_t i = 0; i < count; i++) {
    const double *v = f->V + i*count;
    if (!(sign*f->lambda[i] > FACE_PIVOT_MIN*size)) continue;
    for (int32_t k = 0; k < count; k++)
      for (int32_t l = 0; l < count; l++)
        *block_entry(f, g, f->index[k] - first_slot(f, g), f->index[l] - first_slot(f, g)) +=
            f->lambda[i]*v[k]*v[l];
    if (sparse_ldl_change(f->ldl, f->lambda[i], count, f->index, v, FACE_PIVOT_MIN) != 0)
      return FACE_REFACTOR;
    f->since++;
  }
  return 0;
}

static int drop_slots(group_face *f, int32_t g) {
  for (int32_t k = 0; k < f->part[g].r; k++) {
    const int32_t slot = first_slot(f, g) + k;
    if (f->slot_row[slot] == NONE || f->slot_row[slot] == wanted(f, g, k)) continue;
    put_slot(f, slot, NONE);
    if (sparse_ldl_delete(f->ldl, &f->S, slot, FACE_PIVOT_MIN) != 0) return FACE_REFACTOR;
    f->since++;
  }
  return 0;
}

// Fills the slots of all groups before the first one is added; slot_kept marks those in the factor.
static void fill_slots(group_face *f, int32_t count) {
  for (int32_t t = 0; t < count; t++)
    for (int32_t g = f->touched[t], k = 0; k < f->part[g].r; k++) {
      const int32_t slot = first_slot(f, g) + k;
      if (f->slot_row[slot] != NONE || wanted(f, g, k) == NONE) continue;
      put_slot(f, slot, wanted(f, g, k));
      f->slot_kept[slot] = 0;
    }
  for (int32_t t = 0; t < count; t++) {
    const int32_t g = f->touched[t];
    for (int32_t k = first_slot(f, g); k < first_slot(f, g + 1); k++)
      if (f->slot_row[k] != NONE && !f->slot_kept[k]) put_column(f, g, k, 1);
    put_block(f, g, 0);
  }
}

static int add_slots(group_face *f, int32_t g) {
  for (int32_t slot = first_slot(f, g); slot < first_slot(f, g + 1); slot++) {
    if (f->slot_row[slot] == NONE || f->slot_kept[slot]) continue;
    const int code = sparse_ldl_add(f->ldl, &f->S, f->slot_kept, slot, FACE_PIVOT_MIN);
    if (code == 1) return f->slot_row[slot] + 1;
    f->slot_kept[slot] = 1;
    f->since++;
    if (code != 0) return FACE_REFACTOR;
  }
  return 0;
}

// Modifies the factor until it matches the groups, of which `count` have changed. As face_follow.
static int follow(group_face *f, int32_t count, const perp_deadline *deadline) {
  for (int step = 0; step < 4; step++) {
    if (step == 3) fill_slots(f, count);
    for (int32_t t = 0; t < count; t++) {
      const int32_t g = f->touched[t];
      const int code = deadline_passed(deadline) ? -1 : step == 0 ? drop_slots(f, g)
                       : step == 1 ? change_block(f, g, 1.0)
                       : step == 2 ? change_block(f, g, -1.0) : add_slots(f, g);
      if (code != 0) return code;
    }
  }
  return 0;
}

// ---- costs ----

double group_flops(int32_t m, int32_t r) {
  const double rows = m, dimensions = r;
  return 2.0*rows*(dimensions*dimensions + rows*dimensions + rows*rows/6.0);
}

// Operations of one row that comes or goes: a slot, or a term of K.
static double row_flops(const group_face *f, int32_t g) {
  return sparse_ldl_row_flops(f->ldl, &f->S, first_slot(f, g));
}

// Operations of a factorisation. *rows: operations of the modifications, infinite above `enough`.
static double flops_of(const group_face *f, const uint8_t *is_free, double *rows, double enough) {
  double flops = 0.0;
  *rows = f->factored ? 0.0 : (double)INFINITY;
  for (int32_t g = 0; g < f->count; g++) {
    const int32_t *row = f->g.row + f->g.start[g], m = f->part[g].m, r = f->part[g].r;
    int32_t changes = 0, free_here = 0;
    for (int32_t i = 0; i < m; i++) {
      changes += (is_free[row[i]] != 0) != f->kept[row[i]];
      free_here += is_free[row[i]] != 0;
    }
    for (int32_t k = 0; k < r; k++) f->maybe[first_slot(f, g) + k] = k < free_here;
    if (changes == 0 && !f->stale[g]) continue;
    const double made = group_flops(free_here, r);
    flops += made;
    if (*rows <= enough) *rows += made + (changes < 2*r ? changes : 2*r)*row_flops(f, g);
  }
  if (*rows > enough) *rows = (double)INFINITY;
  return flops + sparse_ldl_flops_kept(f->ldl, f->maybe);
}

static double flops_factor(const face *base) {   // with all slots in use
  const group_face *f = (const group_face *)base;
  return sparse_ldl_flops(f->ldl) + f->blocks;
}

static double flops_rows(const face *base, const uint8_t *is_free) {
  double rows;
  flops_of((const group_face *)base, is_free, &rows, (double)INFINITY);
  return rows;
}

static double flops_update(const face *base, const uint8_t *is_free) {
  double rows;
  const group_face *f = (const group_face *)base;
  const double made = flops_of(f, is_free, &rows, REFACTOR_COST_RATIO*flops_factor(base));
  return rows <= REFACTOR_COST_RATIO*made ? rows : made;
}

static int update(face *base, const uint8_t *is_free, const perp_deadline *deadline) {
  group_face *f = (group_face *)base;
  int32_t count = 0;
  double rows = (double)INFINITY, made = 0.0, done = 0.0;
  f->ready = 0;
  if (f->factored) made = flops_of(f, is_free, &rows, REFACTOR_COST_RATIO*flops_factor(base));
  for (int32_t g = 0; g < f->count; g++) {
    const int32_t *row = f->g.row + f->g.start[g], m = f->part[g].m;
    int same = !f->stale[g];
    for (int32_t i = 0; i < m && same; i++) same = (is_free[row[i]] != 0) == f->kept[row[i]];
    if (same) continue;
    f->touched[count++] = g;
    const int32_t failed = condense(f, g, is_free, deadline);
    done += group_flops(m, f->part[g].r);
    const int late = done > DEADLINE_POLL_FLOPS && failed == 0 && deadline_passed(deadline);
    if (done > DEADLINE_POLL_FLOPS) done = 0.0;
    if (failed == 0 && !late) continue;
    f->factored = 0;   // the factor no longer matches the groups already reduced
    return late ? -1 : failed;
  }
  const int modify = f->factored && rows <= REFACTOR_COST_RATIO*made;
  const int code = modify ? follow(f, count, deadline) : FACE_REFACTOR;
  if (code == FACE_REFACTOR) return refactor(f, deadline);
  f->factored = f->ready = code == 0;
  return code;
}

// ---- solves ----

// a'x in four sums, for the same bits with every register width.
EXACT_INLINE double dot_body(int32_t length, const double *a, const double *x) {
  double s[4] = {0.0};
  int32_t i = 0;
  for (; i + 4 <= length; i += 4)
    for (int32_t k = 0; k < 4; k++) s[k] += a[i + k]*x[i + k];
  for (int32_t k = 0; i < length; i++, k++) s[k] += a[i]*x[i];
  return (s[0] + s[2]) + (s[1] + s[3]);
}

// y_i = (A x)_i for the rows i of group g that are in `which` (NULL: all).
EXACT_INLINE void product_body(const group_face *f, int32_t g, const uint8_t *which,
                               const double *x, double *y) {
  const int32_t *row = f->g.row + f->g.start[g], m = f->part[g].m;
  const int32_t from = f->A.colptr[row[0]], length = f->A.colptr[row[0] + 1] - from;
  for (int32_t p = 0; p < length; p++) f->x[p] = x[f->A.row[from + p]];
  for (int32_t i = 0; i < m; i++)
    if (which == NULL || which[row[i]])
      y[row[i]] = dot_body(length, f->value + f->A.colptr[row[i]], f->x);
}

static void product_plain(const group_face *f, const uint8_t *which, const double *x, double *y) {
  for (int32_t g = 0; g < f->count; g++) product_body(f, g, which, x, y);
}

EXACT_WIDE static void product_wide(const group_face *f, const uint8_t *which, const double *x,
                              double *y) {
  for (int32_t g = 0; g < f->count; g++) product_body(f, g, which, x, y);
}

static void product(const group_face *f, const uint8_t *which, const double *x, double *y) {
  (EXACT_HAS_WIDE() ? product_wide : product_plain)(f, which, x, y);
}

// rest <- rhs - S_II v. Returns max|rest| / (|S| max|v| + max|rhs|).
static double residual(group_face *f, const double *v) {
  double most = 0.0, size = 0.0, right = 0.0, shift = 0.0;
  for (int32_t i = 0; i < f->n; i++) f->left[i] = f->s[i]*v[i];
  product(f, f->kept, f->left, f->rest);
  for (int32_t i = 0; i < f->n; i++) {
    const double d = f->d[i];
    f->rest[i] = f->kept[i] ? f->rhs[i] - (f->s[i]*f->rest[i] + d*v[i]) : 0.0;
    most = max_or_nan(most, fabs(f->rest[i]));
    size = max2(size, fabs(v[i]));
    right = max2(right, fabs(f->rhs[i]));
    shift = max2(shift, d);
  }
  const double all = (f->norm + shift)*size + right;
  return all > 0.0 ? most/all : most;
}

// v += S_II^-1 r by the factor.
static void add_solution(group_face *f, const double *r, double *v) {
  for (int32_t g = 0; g < f->count; g++) {
    const int32_t *row = f->g.row + f->g.start[g];
    for (int32_t i = 0; i < f->part[g].m; i++) f->y[i] = r[row[i]];
    group_forward(f->part + g, f->y, f->t + first_slot(f, g), f->left + f->g.start[g]);
  }
  sparse_ldl_solve(f->ldl, f->t);
  for (int32_t g = 0; g < f->count; g++) {
    const int32_t *row = f->g.row + f->g.start[g], m = f->part[g].m;
    memset(f->y, 0, (size_t)m*sizeof *f->y);
    group_backward(f->part + g, f->t + first_slot(f, g), f->left + f->g.start[g], f->y);
    for (int32_t i = 0; i < m; i++) v[row[i]] += f->y[i];
  }
}

// Solves, and refines if refine > 0. Returns the error, or 0 if it was not computed.
static double refined(group_face *f, double *v, int refine) {
  memset(v, 0, (size_t)f->n*sizeof *v);
  add_solution(f, f->rhs, v);
  if (refine <= 0) return 0.0;
  double error = residual(f, v);
  const int steps = refine + (f->more == NULL);   // a caller with its own diagonal decides
  for (int k = 0; k < steps && error > FACE_REFINED_ERROR_MAX; k++) {
    add_solution(f, f->rest, v);
    const double before = error;
    error = residual(f, v);
    if (!(error < 0.5*before)) break;   // rounding is reached, or refinement does not converge
  }
  return error;
}

static int solve(face *base, double *v, int refine) {
  group_face *f = (group_face *)base;
  const int32_t n = f->n;
  for (int32_t i = 0; i < n; i++)
    f->rhs[i] = f->kept[i] && f->ready ? f->s[i]*(f->r[i]*v[i]) : 0.0;
  memset(v, 0, (size_t)n*sizeof *v);
  if (!f->ready) return 1;
  double error = refined(f, v, refine);
  if (!(error <= FACE_ERROR_MAX) && f->since > 0)
    error = refactor(f, base->deadline) == 0 ? refined(f, v, refine) : (double)INFINITY;
  for (int32_t i = 0; i < n; i++) v[i] = f->kept[i] ? f->r[i]*(f->s[i]*v[i]) : 0.0;
  base->error = error;
  return face_checked(n, v, error <= FACE_ERROR_MAX);
}

static void multiply(const face *base, int transposed, const double *x, double *y) {
  (void)transposed;   // A is symmetric
  const group_face *f = (const group_face *)base;
  for (int32_t i = 0; i < f->n; i++) f->left[i] = x[i]/f->r[i];
  product(f, NULL, f->left, y);
  for (int32_t i = 0; i < f->n; i++) y[i] /= f->r[i];
}

static int64_t nnz(const face *base) { return sparse_ldl_nnz(((const group_face *)base)->ldl); }

// The slots, the groups and a residual; an operation takes twice as long as in a factorisation.
static double flops_solve(const face *base) {
  const group_face *f = (const group_face *)base;
  return 8.0*(double)nnz(base) + 2.0*f->A.colptr[f->n] + 64.0*f->n;
}

static void shift(face *base, double sigma) {
  group_face *f = (group_face *)base;
  if (sigma != f->sigma || f->more != NULL) group_face_diagonal(f, sigma, NULL);
}

static void diagonal(face *base, const double *p, const double *q) {
  (void)p;
  group_face_diagonal((group_face *)base, 0.0, q);
}

static void destroy(face *base) {
  group_face *f = (group_face *)base;
  const perp_allocator memory = f->memory;
  group_face_clear(f);
  memory.release(memory.context, f);
}

static const face_kind kind = {destroy, shift, update, solve, flops_factor, flops_rows,
                               flops_solve, nnz, flops_update, diagonal, multiply};

face *face_group_create(perp_csc *A, groups *g, int32_t rows_max, const perp_allocator *allocator,
                        int *failed) {
  const perp_allocator memory = allocator_of(allocator);
  group_face *f = memory.allocate(memory.context, sizeof *f);
  *failed = -2;
  if (f != NULL) {
    *f = (group_face){.base = face_new(&kind), .memory = memory, .rows_max = rows_max};
    *failed = group_face_make(f, A, g);
    if (*failed == 0) return &f->base;
    destroy(&f->base);
  }
  return NULL;
}
