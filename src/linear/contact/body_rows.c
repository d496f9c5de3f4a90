// body_rows.c: finds A = B B' + diag(slack) from J W J' + diag(compliance) under its wrappers.
//
// Scaling, shift and restriction give A_ij = s_i (J W J')_kl s_j + slack_i [i = j], where k and l
// are the inner numbers of i and j. W = G G' block by block, so
//     B_i = s_i J_k G.
// A block splits into groups, the degrees of freedom that its entries connect. A group's part of G
// is a pivoted Cholesky factor, which ends at the rank. Bodies that cannot move have W = 0 and no
// columns in B, and contacts with them do not couple. The neglected part is below rounding.
// Cost: the entries of J times the size of a group, and at most dofs block^2 for G.
#include "body_rows.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "entries.h"
#include "operator.h"

enum { NONE = -1 };

// Operations to compute G: about a second, which no deadline interrupts. If it is a million times
// smaller, a wall takes 1.7 times the work.
#define ROOT_FLOPS_MAX 3e9

typedef struct root {        // G, W = G G'
  int32_t *member;           // dofs: the groups, one after the other, ascending in each
  int32_t *at;               // dofs: start of its group in member
  int32_t *size;             // dofs: size of its group
  double *G;                 // dofs x block: row k has size[k] entries, one per member of its group
  double *left;              // dofs: the remaining diagonal entry, relative to the original one
} root;

typedef struct unwrapped {   // the product inside the wrappers
  const perp_product *P;
  int32_t *inner;            // n: the row of P
  double *left, *right;      // n: scale of row and column
} unwrapped;

void body_rows_free(const perp_allocator *allocator, body_rows *rows) {
  const perp_allocator memory = allocator_of(allocator);
  allocator_drop(&memory, rows->rowptr);
  allocator_drop(&memory, rows->column);
  allocator_drop(&memory, rows->value);
  allocator_drop(&memory, rows->slack);
  *rows = (body_rows){0};
}

// The product inside A, or NULL.
static const perp_product *product_inside(const perp_operator *A) {
  perp_operator at = *A;
  while (operator_is_scaled(&at) || operator_is_shifted(&at) || operator_is_restricted(&at))
    at = ((const perp_wrapper *)at.self)->inner;
  const perp_view view = operator_view(&at);
  const int plain = view.R == NULL && view.C == NULL && view.shift == 0.0;
  return view.kind == PERP_VIEW_PRODUCT && plain ? view.data : NULL;
}

// Follows the wrappers inwards. Returns 0 if they are not symmetric or the slack is negative.
static int unwrap(const perp_operator *A, unwrapped *u, double *slack) {
  for (int32_t i = 0; i < A->n; i++) {
    u->inner[i] = i;
    u->left[i] = u->right[i] = 1.0;
    slack[i] = 0.0;
  }
  for (perp_operator at = *A;;) {
    const perp_wrapper *w = at.self;
    const int scaled = operator_is_scaled(&at), shifted = operator_is_shifted(&at);
    if (!scaled && !shifted && !operator_is_restricted(&at)) break;
    for (int32_t i = 0; i < A->n; i++) {
      if (scaled) {
        u->left[i] *= w->R[u->inner[i]];
        u->right[i] *= w->C[u->inner[i]];
      } else if (shifted) {
        slack[i] += u->left[i]*u->right[i]*w->shift;
      } else {
        u->inner[i] = w->set[u->inner[i]];
      }
    }
    at = w->inner;
  }
  for (int32_t i = 0; i < A->n; i++) {
    if (u->P->compliance != NULL)
      slack[i] += u->left[i]*u->right[i]*u->P->compliance[u->inner[i]];
    if (u->left[i] != u->right[i] || !(slack[i] >= 0.0)) return 0;
  }
  return 1;
}

// Finds the groups of the block that starts at `from`.
static void find_groups(const perp_product *P, int32_t from, root *g) {
  const int32_t block = P->block;
  int32_t put = from;
  for (int32_t k = from; k < from + block; k++) g->at[k] = NONE;
  for (int32_t k = from; k < from + block; k++) {
    if (g->at[k] != NONE) continue;
    const int32_t first = put;
    g->at[k] = first;
    g->member[put++] = k;
    for (int32_t t = first; t < put; t++) {             // members are added during the visit
      const double *W = P->W + (size_t)g->member[t]*(size_t)block;
      for (int32_t l = from; l < from + block; l++) {
        if (g->at[l] != NONE || W[l - from] == 0.0) continue;
        g->at[l] = first;
        g->member[put++] = l;
      }
    }
    put = first;                                        // sort them
    for (int32_t l = from; l < from + block; l++)
      if (g->at[l] == first) g->member[put++] = l;
    for (int32_t t = first; t < put; t++) g->size[g->member[t]] = put - first;
  }
}

// G of the group that starts at `first` in member.
static void factor_group(const perp_product *P, int32_t first, root *g) {
  const size_t block = (size_t)P->block;
  const int32_t *member = g->member + first, size = g->size[member[0]];
  const int32_t from = member[0] - member[0]%P->block;
  for (int32_t t = 0; t < size; t++) {
    const int32_t k = member[t];
    g->left[k] = 1.0;
    memset(g->G + (size_t)k*block, 0, block*sizeof *g->G);
  }
  for (int32_t c = 0; c < size; c++) {
    int32_t p = member[0];
    for (int32_t t = 1; t < size; t++)
      if (g->left[member[t]] > g->left[p]) p = member[t];
    const double W = P->W[(size_t)p*block + (size_t)(p - from)];
    if (!(g->left[p] > size*0x1p-52 && W > 0.0)) return;   // the rank is reached
    const double *Gp = g->G + (size_t)p*block, pivot = sqrt(g->left[p]*W);
    for (int32_t t = 0; t < size; t++) {
      const int32_t k = member[t];
      double *Gk = g->G + (size_t)k*block;
      if (k == p || g->left[k] == -(double)INFINITY) continue;   // they were pivots before
      double sum = P->W[(size_t)k*block + (size_t)(p - from)];
      for (int32_t q = 0; q < c; q++) sum -= Gk[q]*Gp[q];
      Gk[c] = sum/pivot;
      const double own = P->W[(size_t)k*block + (size_t)(k - from)];
      g->left[k] = own > 0.0 ? g->left[k] - Gk[c]*Gk[c]/own : 0.0;
    }
    g->G[(size_t)p*block + (size_t)c] = pivot;
    g->left[p] = -(double)INFINITY;
  }
}

// Writes B_i into w and lists its columns, ascending. Returns their number.
static int32_t row_of(const unwrapped *u, const root *g, int32_t i, double *w, uint8_t *seen,
                      int32_t *list) {
  const perp_product *P = u->P;
  const int32_t k = u->inner[i];
  int32_t count = 0;
  for (int32_t p = P->rowptr[k]; p < P->rowptr[k + 1]; p++) {
    const int32_t l = P->column[p];
    const double *G = g->G + (size_t)l*(size_t)P->block;
    for (int32_t t = 0; t < g->size[l]; t++) {
      const double a = u->left[i]*P->value[p]*G[t];
      if (a == 0.0) continue;
      const int32_t c = g->member[g->at[l] + t];
      w[c] += a;
      if (seen[c]) continue;
      seen[c] = 1;
      // An insertion moves few places, within a block.
      int32_t at = count++;
      for (; at > 0 && list[at - 1] > c; at--) list[at] = list[at - 1];
      list[at] = c;
    }
  }
  return count;
}

// All rows; the first pass counts, the second stores. Returns 0 if there are too many entries.
static int fill_rows(const unwrapped *u, const root *g, int pass, double *w, uint8_t *seen,
                     int32_t *list, body_rows *rows) {
  int64_t filled = 0;
  for (int32_t i = 0; i < rows->n; i++) {
    const int32_t count = row_of(u, g, i, w, seen, list);
    rows->rowptr[i] = (int32_t)filled;
    for (int32_t t = 0; t < count; t++) {
      const int32_t c = list[t];
      if (w[c] != 0.0) {
        if (pass == 1) {
          rows->column[filled] = c;
          rows->value[filled] = w[c];
        }
        filled++;
      }
      w[c] = 0.0;
      seen[c] = 0;
    }
    if (filled > INT32_MAX) return 0;
  }
  rows->rowptr[rows->n] = (int32_t)filled;
  return 1;
}

static void find_root(const perp_product *P, root *g) {
  for (int32_t from = 0; from + P->block <= P->dofs; from += P->block) {
    find_groups(P, from, g);
    for (int32_t t = from; t < from + P->block; t += g->size[g->member[t]]) factor_group(P, t, g);
  }
}

int body_rows_take(const perp_operator *A, const perp_allocator *allocator, body_rows *rows) {
  const perp_allocator memory = allocator_of(allocator);
  const perp_product *P = product_inside(A);
  *rows = (body_rows){0};
  if (P == NULL || P->block < 1 || (double)P->dofs*P->block*P->block > ROOT_FLOPS_MAX) return 1;
  const int32_t n = A->n, dofs = P->dofs;
  unwrapped u = {P, allocator_take(&memory, n, sizeof *u.inner),
                 allocator_take(&memory, n, sizeof *u.left),
                 allocator_take(&memory, n, sizeof *u.right)};
  root g = {allocator_take(&memory, dofs, sizeof *g.member),
            allocator_take(&memory, dofs, sizeof *g.at),
            allocator_take(&memory, dofs, sizeof *g.size),
            allocator_take(&memory, (int64_t)dofs*P->block, sizeof *g.G),
            allocator_take(&memory, dofs, sizeof *g.left)};
  double *w = allocator_take(&memory, dofs, sizeof *w);
  uint8_t *seen = allocator_take(&memory, dofs, sizeof *seen);
  int32_t *list = allocator_take(&memory, dofs, sizeof *list);
  rows->n = n;
  rows->dofs = dofs;
  rows->rowptr = allocator_take(&memory, (int64_t)n + 1, sizeof *rows->rowptr);
  rows->slack = allocator_take(&memory, n, sizeof *rows->slack);
  int code = u.inner == NULL || u.left == NULL || u.right == NULL || g.member == NULL ||
             g.at == NULL || g.size == NULL || g.G == NULL || g.left == NULL || w == NULL ||
             seen == NULL || list == NULL || rows->rowptr == NULL || rows->slack == NULL ? -2 : 0;
  if (code == 0 && !unwrap(A, &u, rows->slack)) code = 1;
  int64_t entries = 0;
  if (code == 0) {
    find_root(P, &g);
    memset(w, 0, (size_t)dofs*sizeof *w);
    memset(seen, 0, (size_t)dofs);
    if (P->block == 1) {                                // at most as many entries as J
      for (int32_t i = 0; i < n; i++) entries += P->rowptr[u.inner[i] + 1] - P->rowptr[u.inner[i]];
    } else if (fill_rows(&u, &g, 0, w, seen, list, rows)) {
      entries = rows->rowptr[n];
    } else {
      code = 1;
    }
  }
  if (code == 0) {
    rows->column = allocator_take(&memory, entries, sizeof *rows->column);
    rows->value = allocator_take(&memory, entries, sizeof *rows->value);
    if (rows->column == NULL || rows->value == NULL) code = -2;
    else fill_rows(&u, &g, 1, w, seen, list, rows);
  }
  void *const blocks[] = {u.inner, u.left, u.right, g.member, g.at, g.size, g.G, g.left, w, seen,
                          list};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++) allocator_drop(&memory, blocks[k]);
  if (code != 0) body_rows_free(&memory, rows);
  return code;
}
