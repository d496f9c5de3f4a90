// scaled_system.c: (diag(p) A + diag(q)) z = r for many p and q.
//
// M = PA + Q is equilibrated by powers of two, S = R M C with largest entries near 1 (Ruiz 2001:
// both sides by square roots, so that a symmetric M stays symmetric), and factored: small or full
// matrices densely, the others by the first of these that works, each with one analysis:
//   LDL'   where A is symmetric but for rounding, its diagonal nonnegative, P a mask of 0 and 1:
//          of the symmetric part, without exchanges; refinement corrects for the rest. KKT systems
//          and circuits, [Q -G'; G 0], become symmetric when the signs of some rows are changed;
//          then S is quasidefinite and has an LDL' in every order if q > 0 (Vanderbei: Symmetric
//          quasidefinite matrices, 1995);
//   bold   LU that keeps to the diagonal unless it is tiny, which saves fill;
//   safe   LU with exchanges as usual.
// Before all these, product operators J W J' + compliance with more contacts than bodies go through
// the bodies (body_system.c); the entries of A are taken only if that fails. A symmetric A whose
// rows come in groups, as contacts do, goes through these (group_system.c); the LDL' of all rows is
// analysed only if that fails.
// Refinement with compensated residuals shows when one was too bold.
// Cost: dense 2/3 n^3 a factorisation and 2 n^2 a solve; sparse as the fill tells.
//
// This file is longer than 600 lines because the dense and sparse factors share one equilibrated
// matrix and its refinement. Systems through bodies and groups have files of their own.
#include "scaled_system.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "arena.h"
#include "assemble.h"
#include "body_system.h"
#include "error_free.h"
#include "group_system.h"
#include "dense_kernels.h"
#include "operator.h"
#include "sparse_ldl.h"
#include "sparse_lu.h"
#include "vector.h"

#define DENSE_UP_TO 150          // below it a sparse factor gains nothing
#define DENSE_FROM_DENSITY 0.2   // of stored entries, above which fill makes a full matrix anyway
#define BOLD_THRESHOLD 1e-6      // the diagonal is pivot if it has this much of its column ...
#define SAFE_THRESHOLD 0.1       // ... and this much, once refinement has failed
#define LEAST_PIVOT 1e-17        // of a quasidefinite matrix with entries near 1: what is smaller ...
#define LIFTED_PIVOT 1e-7        //   has been lost to rounding, and becomes this
#define BAD 1e-8                 // backward error after refinement at which it has
#define ROUNDED 1e-3             // |A - A'| over |A| up to which the symmetric part will do
#define MORE 4                   // corrections for what is not symmetric, or for small pivots
#define ALIKE 1e-12              // A_ij and +-A_ji, relative to both
#define PASSES 10                // of the equilibration: each halves the exponents

typedef enum stage { BODIES, GROUPS, SYMMETRIC, BOLD, SAFE } stage;

struct system_solver {
  perp_allocator allocator;
  int32_t n;
  int32_t factorizations;
  perp_operator given;
  body_system *bodies;     // NULL: by entries
  int entries;             // they have been taken
  int full;                // dense: A, S, LU are n x n, row-major
  double *A;               // n x n
  double *S;               // n x n, or as many as A has entries: R (PA + Q) C
  double *LU;              // n x n
  int32_t *pivot;          // n
  perp_csc csc;            // sparse: A with all its diagonal entries
  int32_t *diagonal;       // n: where they are
  int symmetric;           // after changes of signs where it is quasidefinite
  group_system *groups;    // NULL: none that pay
  sparse_ldl *ldl;         // NULL: not needed yet
  int rounded;             // nearly symmetric only
  double *sign;            // n: of the rows that makes A symmetric
  int quasi;               // some are -1
  sparse_lu *lu;           // NULL: not needed yet
  uint8_t *kept;           // n: p_i != 0; where it is 0, z_i = r_i/q_i
  int masked;              // some are 0
  int usable;              // the last factorisation succeeded
  stage stage;             //   this is how ...
  perp_deadline deadline;  //   ... and until when
  double *r, *c;           // n: scales of rows and columns
  double *v, *z;           // n: scaled right-hand side and solution
  double *high, *low;      // n: residual in two parts
  double *size;            // n: |S||z| + |v|
  double *before;          // n: z before a correction
  void *block;             // what all but csc and lu live in
};

// ---- the entries of A ----

static int take_block(system_solver *s, size_t entries) {
  const size_t n = (size_t)s->n;
  arena memory = {0};
  for (int pass = 0; pass < 2; pass++) {
    s->A = s->full ? ARENA_ARRAY(&memory, double, n*n) : NULL;
    s->LU = s->full ? ARENA_ARRAY(&memory, double, n*n) : NULL;
    s->S = ARENA_ARRAY(&memory, double, entries);
    s->pivot = ARENA_ARRAY(&memory, int32_t, n);
    s->diagonal = ARENA_ARRAY(&memory, int32_t, n);
    s->kept = ARENA_ARRAY(&memory, uint8_t, n);
    double **const vectors[] = {&s->r, &s->c, &s->v, &s->z, &s->high, &s->low, &s->size,
                                &s->before, &s->sign};
    for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
      *vectors[k] = ARENA_ARRAY(&memory, double, n);
    if (pass == 1 || arena_overflowed(&memory)) break;
    const size_t bytes = arena_block_bytes(&memory);
    s->block = bytes != SIZE_MAX ? s->allocator.allocate(s->allocator.context, bytes) : NULL;
    if (s->block == NULL) return -2;
    memory = arena_on_block(s->block, bytes);
  }
  return s->block != NULL ? 0 : -2;
}

static int take_dense(system_solver *s, const perp_operator *A) {
  s->full = 1;
  if (A->ops->submatrix == NULL) return 1;
  if (take_block(s, (size_t)s->n*(size_t)s->n) != 0) return -2;
  for (int32_t i = 0; i < s->n; i++) s->pivot[i] = i;
  if (s->n > 0) A->ops->submatrix(A->self, s->pivot, s->n, s->A);
  return 0;
}

// How many entries of A have a mirror image, and how much of A is not symmetric. next: n, work.
typedef struct likeness { double matched, skew; } likeness;

static likeness compare_transpose(const perp_csc *A, int32_t *next) {
  double matched = 0.0, skew = 0.0, sum = 0.0;
  for (int32_t j = 0; j < A->columns; j++) next[j] = A->colptr[j];
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p];
      while (next[i] < A->colptr[i + 1] && A->row[next[i]] < j) next[i]++;
      const int both = next[i] < A->colptr[i + 1] && A->row[next[i]] == j;
      matched += both;
      sum += fabs(A->value[p]);
      skew += fabs(A->value[p] - (both ? A->value[next[i]] : 0.0));
    }
  const int32_t nnz = A->colptr[A->columns];
  return (likeness){nnz > 0 ? matched/nnz : 1.0, sum > 0.0 ? skew/sum : 0.0};
}

// Signs of the rows with sign_i A_ij = sign_j A_ji, walking from column to column; the pattern of A
// is symmetric. 1: there are, and not all are alike.
static int find_signs(system_solver *s) {
  const perp_csc *A = &s->csc;
  double *relation = s->S;                      // of sign_i and sign_j; 0: none
  int32_t *next = s->pivot, *queue = s->pivot;  // n: one after the other
  for (int32_t j = 0; j < s->n; j++) next[j] = A->colptr[j];
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p];
      const double below = A->value[p], right = A->value[next[i]++];
      const double little = ALIKE*(fabs(below) + fabs(right));
      if (fabs(below - right) <= little) relation[p] = below != 0.0 ? 1.0 : 0.0;
      else if (fabs(below + right) <= little) relation[p] = -1.0;
      else return 0;
    }
  for (int32_t j = 0; j < s->n; j++) s->sign[j] = 0.0;
  int negative = 0;
  for (int32_t first = 0; first < s->n; first++) {
    if (s->sign[first] != 0.0) continue;
    int32_t done = 0, count = 0;
    s->sign[first] = 1.0;
    for (queue[count++] = first; done < count; done++) {
      const int32_t j = queue[done];
      for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
        const int32_t i = A->row[p];
        const double sign = relation[p]*s->sign[j];
        if (sign == 0.0 || s->sign[i] == sign) continue;
        if (s->sign[i] != 0.0) return 0;
        s->sign[i] = sign;
        negative |= sign < 0.0;
        queue[count++] = i;
      }
    }
  }
  return negative;
}

static int need_ldl(system_solver *s) {
  if (s->ldl != NULL) return 0;
  s->ldl = sparse_ldl_create(&s->allocator);
  return s->ldl != NULL ? sparse_ldl_analyse(s->ldl, &s->csc) : -2;
}

static int take_sparse(system_solver *s) {
  const perp_csc *A = &s->csc;
  if (take_block(s, (size_t)A->colptr[s->n]) != 0) return -2;
  int nonnegative = 1;
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      if (A->row[p] == j) {
        s->diagonal[j] = p;
        nonnegative &= A->value[p] >= 0.0;
      }
  const likeness like = compare_transpose(A, s->pivot);
  if (like.matched < 1.0 || !nonnegative) return 0;
  // Signs are looked for first: beside a large P the multiplier blocks of a quadratic program may be
  // as small as rounding.
  s->quasi = like.skew > 0.0 && find_signs(s);
  if (!s->quasi && like.skew > ROUNDED) return 0;
  s->rounded = like.skew > 0.0;
  s->symmetric = 1;
  int failed = 1;
  if (!s->quasi && like.skew <= ALIKE) s->groups = group_system_create(A, &s->allocator, &failed);
  return failed > 0 ? need_ldl(s) : failed;
}

// Pivots can stay on the diagonal where most entries have a mirror image: A + A' is ordered.
static int need_lu(system_solver *s) {
  if (s->lu != NULL) return 0;
  s->lu = sparse_lu_create(&s->allocator);
  if (s->lu == NULL) return -2;
  const int diagonal = compare_transpose(&s->csc, s->pivot).matched >= 0.5;
  const int failed = sparse_lu_analyse(s->lu, &s->csc, diagonal);
  if (failed == 0) return 0;
  sparse_lu_destroy(s->lu);
  s->lu = NULL;
  return failed;
}

// A dense view with so many entries that there is no need to list them.
static int is_full(const perp_operator *A) {
  const perp_view view = operator_view(A);
  if (view.kind != PERP_VIEW_DENSE) return 0;
  const perp_dense *dense = view.data;
  const size_t n = (size_t)A->n, ld = dense->ld != 0 ? (size_t)dense->ld : n;
  double count = 0.0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) count += dense->value[i*ld + j] != 0.0;
  return count > DENSE_FROM_DENSITY*(double)A->n*(double)A->n;
}

static int take_entries(system_solver *s) {
  const perp_operator *A = &s->given;
  int failed = A->n > DENSE_UP_TO && !is_full(A) ? assemble_csc(A, 1, &s->allocator, &s->csc) : 1;
  const int sparse = failed == 0 && (double)s->csc.colptr[A->n] <=
                                        DENSE_FROM_DENSITY*(double)A->n*(double)A->n;
  if (failed == 0 && !sparse) {
    assembled_free(&s->allocator, &s->csc);
    s->csc = (perp_csc){0};
  }
  if (failed >= 0) failed = sparse ? take_sparse(s) : take_dense(s, A);
  s->entries = failed == 0;
  return failed;
}

system_solver *system_create(const perp_operator *A, const perp_allocator *given) {
  const perp_allocator allocator = allocator_of(given);
  system_solver *s = allocator.allocate(allocator.context, sizeof *s);
  if (s == NULL) return NULL;
  *s = (system_solver){.allocator = allocator, .n = A->n, .given = *A};
  int failed = 0;
  if (A->n > DENSE_UP_TO) s->bodies = body_system_create(A, &s->allocator, &failed);
  if (s->bodies != NULL || (failed != -2 && take_entries(s) == 0)) return s;
  system_destroy(s);
  return NULL;
}

void system_destroy(system_solver *s) {
  if (s == NULL) return;
  const perp_allocator allocator = s->allocator;
  body_system_destroy(s->bodies);
  group_system_destroy(s->groups);
  sparse_ldl_destroy(s->ldl);
  sparse_lu_destroy(s->lu);
  if (s->csc.colptr != NULL) assembled_free(&allocator, &s->csc);
  if (s->block != NULL) allocator.release(allocator.context, s->block);
  allocator.release(allocator.context, s);
}

// ---- S = R (PA + Q) C and its factors ----

static double root_scale(double largest) {   // a power of two near 1/sqrt(largest)
  if (!(largest > 0.0) || !(largest < (double)INFINITY)) return 1.0;
  int e;
  frexp(largest, &e);
  return power_of_two_within(-(e/2), 500);
}

static void equilibrate(system_solver *s) {
  const int32_t n = s->n;
  double *row = s->high, *column = s->low;
  for (int32_t i = 0; i < n; i++) s->r[i] = s->c[i] = 1.0;
  // past the deadline it ends where it is: the factorisation will not begin
  for (int pass = 0; pass < PASSES && !deadline_passed(&s->deadline); pass++) {
    for (int32_t i = 0; i < n; i++) row[i] = column[i] = 0.0;
    if (s->full) {
      for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
          const double size = fabs(s->S[(size_t)i*(size_t)n + (size_t)j]);
          row[i] = max2(row[i], size);
          column[j] = max2(column[j], size);
        }
    } else {
      for (int32_t j = 0; j < n; j++)
        for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++) {
          const int32_t i = s->csc.row[p];
          if (s->stage == SYMMETRIC && i != j && !(s->kept[i] && s->kept[j])) continue;
          const double size = fabs(s->S[p]);
          row[i] = max2(row[i], size);
          column[j] = max2(column[j], size);
        }
    }
    if (s->stage == SYMMETRIC)   // the same for rows and columns, although A may be rounded
      for (int32_t i = 0; i < n; i++) row[i] = column[i] = max2(row[i], column[i]);
    int done = 1;
    for (int32_t i = 0; i < n; i++) {
      s->r[i] *= row[i] = root_scale(row[i]);
      s->c[i] *= column[i] = root_scale(column[i]);
      done &= row[i] == 1.0 && column[i] == 1.0;
    }
    if (done) break;
    if (s->full) {
      for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
          s->S[(size_t)i*(size_t)n + (size_t)j] *= row[i]*column[j];
    } else {
      for (int32_t j = 0; j < n; j++)
        for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
          s->S[p] *= row[s->csc.row[p]]*column[j];
    }
  }
}

// By s->stage, or a later one.
static int factor(system_solver *s) {
  const int32_t n = s->n;
  const double floor = min2(n*0x1p-52, 0x1p-46);   // entries are near 1
  const perp_csc S = {n, n, s->csc.colptr, s->csc.row, s->S};
  int failed;
  s->usable = 0;
  s->factorizations++;
  if (s->full) {
    memcpy(s->LU, s->S, (size_t)n*(size_t)n*sizeof *s->S);
    failed = lu_factor(n, s->LU, s->pivot, floor, &s->deadline);
  } else {
    failed = 1;
    if (s->stage == SYMMETRIC) {
      if (need_ldl(s) != 0) return -2;
      // rounding may eat a pivot of a quasidefinite matrix: a small one takes its place
      sparse_ldl_regularise(s->ldl, s->quasi ? s->sign : NULL, s->quasi ? LIFTED_PIVOT : 0.0);
      failed = sparse_ldl_factor(s->ldl, &S, s->masked ? s->kept : NULL,
                                 s->quasi ? LEAST_PIVOT : floor, &s->deadline);
      if (failed > 0) s->stage = BOLD;
    }
    if (failed > 0) {
      const double threshold = s->stage == SAFE ? SAFE_THRESHOLD : BOLD_THRESHOLD;
      failed = need_lu(s);
      if (failed == 0) failed = sparse_lu_factor(s->lu, &S, threshold, floor, &s->deadline);
    }
  }
  s->usable = failed == 0;
  return failed;
}

// A mask of 0 and 1, and q > 0 where it is 0: then LDL' can be used.
static int mask(system_solver *s, const double *p, const double *q) {
  s->masked = 0;
  for (int32_t i = 0; i < s->n; i++) {
    s->kept[i] = p == NULL || p[i] != 0.0;
    if (p != NULL && p[i] != 0.0 && p[i] != 1.0) return 0;
    if (q != NULL && !(q[i] >= 0.0)) return 0;
    if (s->kept[i]) continue;
    if (q == NULL || q[i] == 0.0) return 0;
    s->masked = 1;
  }
  return 1;
}

static void change_signs(system_solver *s) {
  for (int32_t j = 0; j < s->n; j++) {
    s->r[j] *= s->sign[j];
    for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
      s->S[p] *= s->sign[s->csc.row[p]];
  }
}

static int factor_entries(system_solver *s, const double *p, const double *q) {
  const int32_t n = s->n;
  if (s->full) {
    for (int32_t i = 0; i < n; i++) {
      const double *from = s->A + (size_t)i*(size_t)n, scale = p != NULL ? p[i] : 1.0;
      double *to = s->S + (size_t)i*(size_t)n;
      for (int32_t j = 0; j < n; j++) to[j] = scale*from[j];
      if (q != NULL) to[i] += q[i];
    }
  } else {
    const perp_csc *A = &s->csc;
    for (int32_t j = 0; j < n; j++) {
      for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++)
        s->S[k] = p != NULL ? p[A->row[k]]*A->value[k] : A->value[k];
      if (q != NULL) s->S[s->diagonal[j]] += q[j];
    }
  }
  equilibrate(s);
  if (s->quasi) change_signs(s);
  return factor(s);
}

static int factor_groups(system_solver *s, const double *q) {
  s->stage = GROUPS;
  s->factorizations++;
  const int failed = group_system_factor(s->groups, s->masked ? s->kept : NULL, q, &s->deadline);
  s->usable = failed == 0;
  return failed;
}

// By groups if there are any, else all rows of A.
static int factor_any(system_solver *s, const double *p, const double *q) {
  s->stage = !s->full && s->symmetric && mask(s, p, q) ? SYMMETRIC : BOLD;
  if (s->groups != NULL && s->stage == SYMMETRIC) {
    const int failed = factor_groups(s, q);
    if (failed <= 0) return failed;
    s->stage = SYMMETRIC;
  }
  return factor_entries(s, p, q);
}

// What the bodies could not do.
static int without_bodies(system_solver *s, const double *p, const double *q) {
  if (!s->entries && take_entries(s) != 0) return -2;
  return factor_any(s, p, q);
}

int system_factor(system_solver *s, const double *p, const double *q,
                  const perp_deadline *deadline) {
  s->deadline = deadline != NULL ? *deadline : (perp_deadline){0};
  s->usable = s->n == 0;
  if (s->n == 0) return 0;
  if (s->bodies == NULL) return factor_any(s, p, q);
  s->factorizations++;
  s->stage = BODIES;
  const int failed = body_system_factor(s->bodies, p, q, deadline);
  s->usable = failed == 0;
  return failed > 0 ? without_bodies(s, p, q) : failed;
}

// ---- solving ----

static void back_solve(system_solver *s, double *v) {
  if (s->full) {
    lu_solve(s->n, s->LU, s->pivot, v);
    return;
  }
  if (s->stage != SYMMETRIC) {
    sparse_lu_solve(s->lu, v);
    return;
  }
  // The masked rows say z_j = v_j/q_j, which moves to the right-hand side of the others.
  for (int32_t j = 0; s->masked && j < s->n; j++) {
    if (s->kept[j]) continue;
    v[j] /= s->S[s->diagonal[j]];
    for (int32_t p = s->csc.colptr[j]; v[j] != 0.0 && p < s->csc.colptr[j + 1]; p++)
      if (s->kept[s->csc.row[p]]) v[s->csc.row[p]] -= s->S[p]*v[j];
  }
  sparse_ldl_solve(s->ldl, v);
}

// high + low = v - S z, compensated; returns the largest |.|/(|S||z| + |v|).
EXACT_INLINE double residual_by(system_solver *s) {
  const int32_t n = s->n;
  double worst = 0.0;
  if (s->full) {
    for (int32_t i = 0; i < n; i++) {
      const double *row = s->S + (size_t)i*(size_t)n;
      exact_sum sum = {s->v[i], 0.0};
      double size = fabs(s->v[i]);
      for (int32_t j = 0; j < n; j++) {
        exact_add_product(&sum, -row[j], s->z[j]);
        size += fabs(row[j]*s->z[j]);
      }
      s->high[i] = exact_value(sum);
      s->size[i] = size;
    }
  } else {
    for (int32_t i = 0; i < n; i++) {
      s->high[i] = s->v[i];
      s->low[i] = 0.0;
      s->size[i] = fabs(s->v[i]);
    }
    for (int32_t j = 0; j < n; j++) {
      const double z = s->z[j];
      for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++) {
        const int32_t i = s->csc.row[p];
        exact_sum sum = {s->high[i], s->low[i]};
        exact_add_product(&sum, -s->S[p], z);
        s->high[i] = sum.high;
        s->low[i] = sum.low;
        s->size[i] += fabs(s->S[p]*z);
      }
    }
    for (int32_t i = 0; i < n; i++) s->high[i] = exact_value((exact_sum){s->high[i], s->low[i]});
  }
  // A row whose terms all but vanish is compared with what they could have been: Arioli, Demmel,
  // Duff: Solving sparse linear systems with sparse backward error (1989).
  double largest = 0.0;
  for (int32_t i = 0; i < n; i++) largest = max_or_nan(largest, fabs(s->z[i]));
  for (int32_t i = 0; i < n; i++) {
    const double tiny = 1000.0*0x1p-52*n*largest, size = s->size[i];
    if (s->high[i] != 0.0)
      worst = max_or_nan(worst, fabs(s->high[i])/(size > tiny ? size : size + largest));
  }
  return worst;
}

EXACT_FMA static double residual_fma(system_solver *s) { return residual_by(s); }
static double residual_plain(system_solver *s) { return residual_by(s); }

static double residual(system_solver *s) {
  return EXACT_HAS_FMA() ? residual_fma(s) : residual_plain(s);
}

// z = S^-1 v with at most `refine` corrections; one that does not help is taken back.
static double solve_scaled(system_solver *s, int refine) {
  const size_t bytes = (size_t)s->n*sizeof(double);
  memcpy(s->z, s->v, bytes);
  back_solve(s, s->z);
  if (refine < 0) return 0.0;
  double error = residual(s);
  for (int k = 0; k < refine && !(error <= 0x1p-52); k++) {
    memcpy(s->before, s->z, bytes);
    back_solve(s, s->high);
    for (int32_t i = 0; i < s->n; i++) s->z[i] += s->high[i];
    const double corrected = residual(s);
    if (!(corrected < error)) {
      memcpy(s->z, s->before, bytes);
      break;
    }
    const int slow = corrected > 0.5*error;
    error = corrected;
    if (slow) break;
  }
  return error;
}

double system_solve(system_solver *s, double *v, int refine) {
  const int32_t n = s->n;
  if (!s->usable) return (double)INFINITY;
  if (n > 0 && s->stage == BODIES) {
    const double most = refine > 0 ? BAD : (double)INFINITY;
    const double error = body_system_solve(s->bodies, v, refine, most);
    if (error <= most) return error;
    if (without_bodies(s, body_system_p(s->bodies), body_system_q(s->bodies)) != 0)
      return (double)INFINITY;
  }
  if (n > 0 && s->stage == GROUPS) {
    memcpy(s->v, v, (size_t)n*sizeof *v);
    const double error = group_system_solve(s->groups, v, refine);
    if (error <= (refine > 0 ? BAD : (double)INFINITY)) return error;
    memcpy(v, s->v, (size_t)n*sizeof *v);
    for (int32_t i = 0; i < n; i++) s->high[i] = s->kept[i];
    s->stage = SYMMETRIC;
    if (factor_entries(s, s->high, group_system_q(s->groups)) != 0) return (double)INFINITY;
  }
  for (int32_t i = 0; i < n; i++) s->v[i] = s->r[i]*v[i];
  const int more = s->stage == SYMMETRIC && s->rounded && refine > 0 ? MORE : 0;
  double error = n > 0 ? solve_scaled(s, refine + more) : 0.0;
  // What was too bold is done again with more care, once for this factor.
  while (!(error <= BAD) && !s->full && refine > 0 && s->stage != SAFE) {
    s->stage = s->stage == SYMMETRIC ? BOLD : SAFE;
    if (factor(s) == 0) error = solve_scaled(s, refine);
    else if (s->stage == SAFE) return (double)INFINITY;
  }
  for (int32_t i = 0; i < n; i++) v[i] = s->c[i]*s->z[i];
  return error == error ? error : (double)INFINITY;
}

double system_left(const system_solver *s) {
  return s->usable && s->n > 0 && s->stage == BODIES ? body_system_left(s->bodies)
                                                     : (double)INFINITY;
}

int system_lifts(const system_solver *s) { return s->bodies != NULL; }

// ---- products ----

void system_apply(const system_solver *s, const double *x, double *y) {
  const int32_t n = s->n;
  if (!s->entries) {
    body_system_apply(s->bodies, x, y);
    return;
  }
  if (s->full) {
    for (int32_t i = 0; i < n; i++) y[i] = dot(n, s->A + (size_t)i*(size_t)n, x);
    return;
  }
  for (int32_t i = 0; i < n; i++) y[i] = 0.0;
  for (int32_t j = 0; j < n; j++)
    for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
      y[s->csc.row[p]] += s->csc.value[p]*x[j];
}

void system_apply_transpose(const system_solver *s, const double *x, double *y) {
  const int32_t n = s->n;
  if (!s->entries) {   // A is symmetric
    body_system_apply(s->bodies, x, y);
    return;
  }
  if (s->full) {
    for (int32_t j = 0; j < n; j++) y[j] = 0.0;
    for (int32_t i = 0; i < n; i++) {
      const double *row = s->A + (size_t)i*(size_t)n;
      for (int32_t j = 0; j < n; j++) y[j] += row[j]*x[i];
    }
    return;
  }
  for (int32_t j = 0; j < n; j++) {
    double sum = 0.0;
    for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
      sum += s->csc.value[p]*x[s->csc.row[p]];
    y[j] = sum;
  }
}

int system_quasidefinite(const system_solver *s) { return s->quasi; }
int32_t system_factorizations(const system_solver *s) { return s->factorizations; }

int64_t system_nonzeros(const system_solver *s) {
  if (s->usable && s->n > 0 && s->stage == BODIES) return body_system_nonzeros(s->bodies);
  if (s->full || !s->usable) return 0;
  if (s->stage == GROUPS) return group_system_nonzeros(s->groups);
  return s->stage == SYMMETRIC ? sparse_ldl_nnz(s->ldl) : sparse_lu_nnz(s->lu);
}
