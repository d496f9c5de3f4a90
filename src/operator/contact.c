// contact.c: the contact LCP E13 (27) as an operator, from J, D, W and mu, without forming it.
//
//         [ N'BN  N'BD  0 ]
//     A = [ D'BN  D'BD  E ],   B = J W J' + diag(compliance)
//         [ mu    -E'   0 ]
// The impulses of a contact act only along its normal and tangents. So z = (ln, D lt) has only
// 1 + tangents numbers per contact, for every number K of directions. With the slacks s, the rows
// of A x are (B z)_n, D'(B z)_t + s and mu ln - E'lt. The Gauss-Seidel sweep keeps the body
// velocities v = W J' z.
// Cost: a product with B and O(n).
#include <string.h>

#include "contact_parts.h"
#include "operator.h"
#include "product_parts.h"
#include "vector.h"

static const perp_operator_ops *product_ops(void) {
  static const perp_product none = {0};
  return perp_from_product(&none, PERP_CLAIM_NONE).ops;
}

static size_t rows_of(const perp_contacts *P) { return (size_t)P->B.n; }

static size_t scratch_bytes(const void *self) {
  const perp_contacts *P = self;
  return (3*rows_of(P) + 6*(size_t)P->B.dofs)*sizeof(double);
}
static size_t sweep_bytes(const void *self) {
  const perp_contacts *P = self;
  return (rows_of(P) + (size_t)P->B.dofs)*sizeof(double);
}

// z = (ln, D lt)
static void impulses(const perp_contacts *P, const double *x, double *z) {
  const int32_t K = P->directions, T = P->tangents;
  const double *lt = x + P->count;
  for (int32_t c = 0; c < P->count; c++, z += 1 + T, lt += K) {
    z[0] = x[c];
    for (int32_t t = 0; t < T; t++) z[1 + t] = 0.0;
    for (int32_t k = 0; k < K; k++) {
      if (lt[k] == 0.0) continue;
      for (int32_t t = 0; t < T; t++) z[1 + t] += P->direction[k*T + t]*lt[k];
    }
  }
}

// y = A x, or A'x: A' has the last column (mu, -E, 0) and the last row (0, E', 0).
static int product(const perp_contacts *P, const double *x, double *y, double *scratch,
                   int transposed) {
  const int32_t nc = P->count, K = P->directions, T = P->tangents;
  double *z = scratch, *u = z + rows_of(P);
  const double *s = x + (size_t)(1 + K)*(size_t)nc;
  impulses(P, x, z);
  product_ops()->apply(&P->B, z, u, u + rows_of(P));
  for (int32_t c = 0; c < nc; c++, u += 1 + T) {
    const double *lt = x + nc + (size_t)K*(size_t)c, slack = transposed ? -s[c] : s[c];
    double *yt = y + nc + (size_t)K*(size_t)c, sum = 0.0;
    for (int32_t k = 0; k < K; k++) {
      double v = slack;
      for (int32_t t = 0; t < T; t++) v += P->direction[k*T + t]*u[1 + t];
      sum += lt[k];
      yt[k] = v;
    }
    y[c] = transposed ? u[0] + P->mu[c]*s[c] : u[0];
    y[(size_t)(1 + K)*(size_t)nc + (size_t)c] = transposed ? sum : P->mu[c]*x[c] - sum;
  }
  return 0;
}

static int apply(const void *self, const double *x, double *y, void *scratch) {
  return product(self, x, y, scratch, 0);
}

static int apply_transpose(const void *self, const double *x, double *y, void *scratch) {
  return product(self, x, y, scratch, 1);
}

// ---- compensated: z, v = J'z, w = W v and B z are high + low, with the sums of |terms| as sizes

EXACT_INLINE void residual_rows(const perp_contacts *P, const double *x, const double *b, double *y,
                                double *a, double *scratch) {
  const perp_product *B = &P->B;
  const int32_t nc = P->count, K = P->directions, T = P->tangents;
  const size_t dofs = (size_t)B->dofs;
  const exact_vector z = exact_vector_at(scratch, rows_of(P));
  const exact_vector v = exact_vector_at(scratch + 3*rows_of(P), dofs);
  const exact_vector w = exact_vector_at(v.high + 3*dofs, dofs);
  const double *s = x + (size_t)(1 + K)*(size_t)nc;
  memset(scratch, 0, 3*(rows_of(P) + dofs)*sizeof(double));
  for (int32_t c = 0; c < nc; c++) {                                       // z = (ln, D lt)
    const double *lt = x + nc + (size_t)K*(size_t)c;
    const int32_t first = (1 + T)*c;
    z.high[first] = x[c];
    z.size[first] = fabs(x[c]);
    for (int32_t t = 0; t < T; t++) {
      exact_sum sum = {0.0, 0.0};
      double size = 0.0;
      for (int32_t k = 0; k < K; k++) {
        exact_add_product(&sum, P->direction[k*T + t], lt[k]);
        size += fabs(P->direction[k*T + t]*lt[k]);
      }
      z.high[first + 1 + t] = sum.high;
      z.low[first + 1 + t] = sum.low;
      z.size[first + 1 + t] = size;
    }
  }
  for (int32_t i = 0; i < B->n; i++)                                       // v = J' z
    if (z.size[i] != 0.0)
      product_scatter(B, i, (exact_sum){z.high[i], z.low[i]}, z.size[i], v);
  product_weigh(B, v, w);
  for (int32_t c = 0; c < nc; c++) {
    const double *lt = x + nc + (size_t)K*(size_t)c;
    const size_t tangent = (size_t)nc + (size_t)K*(size_t)c;
    const size_t last = (size_t)(1 + K)*(size_t)nc + (size_t)c;
    for (int32_t t = 0; t <= T; t++) {                                     // u = B z, into z
      const int32_t i = (1 + T)*c + t;
      const double soft = product_compliance(B, i);
      exact_sum u = {t == 0 ? b[c] : 0.0, soft*z.low[i]};
      double size = soft*z.size[i] + fabs(u.high);
      exact_add_product(&u, soft, z.high[i]);
      product_gather(B, i, w, &u, &size);
      z.high[i] = u.high;
      z.low[i] = u.low;
      z.size[i] = size;
    }
    const size_t u = (size_t)(1 + T)*(size_t)c;
    y[c] = exact_value((exact_sum){z.high[u], z.low[u]});
    a[c] = z.size[u];
    exact_sum slip = {b[last], 0.0};
    double slip_size = fabs(b[last]) + fabs(P->mu[c]*x[c]);
    exact_add_product(&slip, P->mu[c], x[c]);
    for (int32_t k = 0; k < K; k++) {
      const double *d = P->direction + (size_t)k*(size_t)T;
      exact_sum sum = {b[tangent + (size_t)k], 0.0};
      double size = fabs(b[tangent + (size_t)k]) + fabs(s[c]);
      exact_add(&sum, s[c]);
      for (int32_t t = 0; t < T; t++) {
        exact_add_product(&sum, d[t], z.high[u + 1 + (size_t)t]);
        sum.low += d[t]*z.low[u + 1 + (size_t)t];
        size += fabs(d[t])*z.size[u + 1 + (size_t)t];
      }
      y[tangent + (size_t)k] = exact_value(sum);
      a[tangent + (size_t)k] = size;
      exact_add(&slip, -lt[k]);
      slip_size += fabs(lt[k]);
    }
    y[last] = exact_value(slip);
    a[last] = slip_size;
  }
}
EXACT_FMA static void residual_fma(const perp_contacts *P, const double *x, const double *b,
                                   double *y, double *a, double *scratch) {
  residual_rows(P, x, b, y, a, scratch);
}
static void residual_plain(const perp_contacts *P, const double *x, const double *b, double *y,
                           double *a, double *scratch) {
  residual_rows(P, x, b, y, a, scratch);
}
static int residual(const void *self, const double *x, const double *b, double *y, double *a,
                    void *scratch) {
  (EXACT_HAS_FMA() ? residual_fma : residual_plain)(self, x, b, y, a, scratch);
  return 0;
}

// ---- entries ----

static double entry(const perp_contacts *P, int32_t i, int32_t j) {
  contact_place at = contact_place_of(P, i), to = contact_place_of(P, j);
  if (at.kind == CONTACT_SLACK || to.kind == CONTACT_SLACK) {
    if (at.contact != to.contact || at.kind == to.kind) return 0.0;
    if (at.kind == CONTACT_SLACK) return to.kind == CONTACT_TANGENT ? -1.0 : P->mu[at.contact];
    return at.kind == CONTACT_TANGENT ? 1.0 : 0.0;
  }
  if (i > j) {   // the same bits above and below the diagonal
    const contact_place swap = at;
    at = to;
    to = swap;
  }
  const int32_t T = P->tangents;
  double sum = 0.0;
  for (int32_t t = 0; t <= T; t++) {
    const double left = contact_share(P, at, t);
    if (left == 0.0) continue;
    double part = 0.0;
    for (int32_t q = 0; q <= T; q++) {
      const double right = contact_share(P, to, q);
      if (right != 0.0)
        part += right*product_entry(&P->B, (1 + T)*at.contact + t, (1 + T)*to.contact + q);
    }
    sum += left*part;
  }
  return sum;
}

static void diagonal(const void *self, double *d) {
  const perp_contacts *P = self;
  const int32_t K = P->directions, T = P->tangents;
  for (int32_t c = 0; c < P->count; c++) {
    double G[2][2];   // B between the tangents; gives the diagonal of all K directions
    const int32_t first = (1 + T)*c;
    for (int32_t t = 0; t < T; t++)
      for (int32_t q = t; q < T; q++)
        G[t][q] = G[q][t] = product_entry(&P->B, first + 1 + t, first + 1 + q);
    d[c] = product_entry(&P->B, first, first);
    for (int32_t k = 0; k < K; k++) {
      const double *e = P->direction + (size_t)k*(size_t)T;
      double sum = 0.0;
      for (int32_t t = 0; t < T; t++) {
        double part = 0.0;
        for (int32_t q = 0; q < T; q++) part += e[q]*G[t][q];
        sum += e[t]*part;
      }
      d[contact_tangent_row(P, c, k)] = sum;
    }
    d[contact_slack_row(P, c)] = 0.0;
  }
}

static void submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++)
      S[(size_t)i*(size_t)m + (size_t)j] = entry(self, set[i], set[j]);
}

// ---- sweep ----

static int sweep(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_contacts *P = self;
  const perp_product *B = &P->B;
  const int32_t nc = P->count, K = P->directions, T = P->tangents;
  double *z = state->memory, *v = z + rows_of(P);
  double *x = state->x, change = state->change;
  const double *s = x + (size_t)(1 + K)*(size_t)nc;
  if (state->fresh) {                                                      // v = W J' z
    impulses(P, x, z);
    memset(v, 0, (size_t)B->dofs*sizeof *v);
    for (int32_t i = 0; i < B->n; i++)
      if (z[i] != 0.0) product_push(B, i, z[i], v);
    state->fresh = 0;
  }
  for (int32_t k = from; k < to; k++) {
    const int32_t i = state->backward ? to - 1 - (k - from) : k;
    const contact_place at = contact_place_of(P, i);
    const int32_t first = (1 + T)*at.contact;
    const double *d = P->direction + (size_t)at.direction*(size_t)T;
    double y = state->b[i];
    if (at.kind == CONTACT_NORMAL) {
      y += product_pull(B, first, v) + product_compliance(B, first)*x[i];
    } else if (at.kind == CONTACT_TANGENT) {
      y += s[at.contact];
      for (int32_t t = 0; t < T; t++) {
        const int32_t row = first + 1 + t;
        if (d[t] != 0.0) y += d[t]*(product_pull(B, row, v) + product_compliance(B, row)*z[row]);
      }
    } else {
      const double *lt = x + nc + (size_t)K*(size_t)at.contact;
      y += P->mu[at.contact]*x[at.contact];
      for (int32_t m = 0; m < K; m++) y -= lt[m];
    }
    const double new = relaxed(x[i], y, state->diagonal[i], state->omega, lower(state->lo, i),
                               upper(state->hi, i));
    const double dx = new - x[i];
    if (dx == 0.0) continue;
    x[i] = new;
    if (at.kind == CONTACT_NORMAL) {
      z[first] = new;
      product_push(B, first, dx, v);
    } else if (at.kind == CONTACT_TANGENT) {
      for (int32_t t = 0; t < T; t++) {
        if (d[t] == 0.0) continue;
        z[first + 1 + t] += d[t]*dx;
        product_push(B, first + 1 + t, d[t]*dx, v);
      }
    }
    const double size = state->weight[i]*fabs(dx)/state->omega;
    if (size > change || size != size) change = size;                      // a NaN stays
  }
  state->change = change;
  return 0;
}

static perp_view view(const void *self) {
  return (perp_view){.kind = PERP_VIEW_CONTACT, .data = self};
}

// No row_col_max and no add_column, because both would form A.
static const perp_operator_ops ops = {
  .name = "contact", .scratch_bytes = scratch_bytes, .apply = apply,
  .apply_transpose = apply_transpose, .residual = residual, .diagonal = diagonal,
  .sweep_bytes = sweep_bytes, .sweep = sweep, .submatrix = submatrix, .view = view,
};

perp_operator perp_from_contacts(const perp_contacts *matrix, uint32_t claims) {
  int64_t n = 0;
  if (matrix != NULL) n = (2 + (int64_t)matrix->directions)*matrix->count;
  return (perp_operator){&ops, matrix, n >= 0 && n <= INT32_MAX ? (int32_t)n : -1, claims};
}
