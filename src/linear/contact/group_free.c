// group_free.c: reduces the free rows F of a group to at most r rows.
//
// Outside of the group the rows of A in F are T times those of a skeleton s. With F = (s, e) and
// z_s = t - T_e' z_e the equations become, without approximation,
//     (B_ss + S0) t + F' z_e = r_s          E = B_ee - T_e B_se - B_es T_e' + T_e B_ss T_e'
//      F t          + E  z_e = r_e - T_e r_s     F = B_es - T_e B_ss
// where S0 couples t alone with the other groups. This is a congruence, so E is definite if B is.
// Eliminating z_e leaves
//     K = B_ss - F' E^-1 F  as the block,   r_s - F' E^-1 (r_e - T_e r_s)  as the right-hand side.
// For contacts with a small compliance, F and E are as small as the compliance, and K is nearly
// B_ss. Rounding errors in them are relative to B, as in a factor of B itself.
// Exchanges in the basis of T choose the skeleton, starting from that of groups.h. A member that is
// not free leaves for the free row with the largest coefficient. If there is none, the rows of F
// span less, and the slot stays empty. Coefficients are compared for scaled rows, so rows with a
// small diagonal stand for those with a large one.
// Cost: about m r^2 + m^2 r + m^3/3 operations.
#include "group_free.h"

#include <math.h>
#include <string.h>

#include "dense_kernels.h"
#include "error_free.h"
#include "groups.h"
#include "vector.h"

// A row keeps its slot if its coefficient there is this large, relative to the largest one. If no row
// keeps its slot in this way, walls of 820 and 4000 bricks take 1.05 and 1.12 times the time, because
// more slots change.
#define KEEP_SLOT_WEIGHT_MIN 0.1

enum { NONE = -1,
       JACOBI_SWEEPS_MAX = 12 };   // usually 5 are enough; without a limit, one wall never ends

// The coefficient of row j in basis position k, for scaled rows. 0: it is rounding before scaling.
static double coefficient(int32_t r, const double *W, const double *scale, const int32_t *basis,
                          int32_t j, int32_t k) {
  const double w = W[(size_t)j*(size_t)r + (size_t)k];
  return fabs(w) > GROUPS_ROUNDING ? w*(scale[j]/scale[basis[k]]) : 0.0;
}

// Exchanges the row in basis position k for free row i.
static void exchange(int32_t m, int32_t r, double *W, int32_t *basis, int32_t i, int32_t k) {
  double *pivot_row = W + (size_t)i*(size_t)r;
  const double by = 1.0/pivot_row[k];
  for (int32_t j = 0; j < m; j++) {
    double *w = W + (size_t)j*(size_t)r;
    if (j == i || w[k] == 0.0) continue;
    const double c = w[k]*by;
    for (int32_t l = 0; l < r; l++) w[l] -= c*pivot_row[l];
    w[k] = c;
  }
  for (int32_t l = 0; l < r; l++) pivot_row[l] = l == k ? 1.0 : 0.0;
  basis[k] = i;
}

static int32_t find(int32_t r, const int32_t *basis, int32_t i) {
  for (int32_t k = 0; k < r; k++)
    if (basis[k] == i) return k;
  return NONE;
}

static double largest_in_column(int32_t m, int32_t r, const double *W, const double *scale,
                                const int32_t *basis, const uint8_t *is_free, int32_t k) {
  double largest = 0.0;
  for (int32_t j = 0; j < m; j++)
    if (is_free[j]) largest = max2(largest, fabs(coefficient(r, W, scale, basis, j, k)));
  return largest;
}

// Puts rows that had a slot back into it, by renaming or by exchange.
static void keep_slots(const group_free *f, const double *scale, const uint8_t *is_free, double *W,
                       int32_t *basis) {
  const int32_t m = f->m, r = f->r;
  for (int32_t k = 0; k < r; k++) {
    const int32_t i = f->slot[k];
    if (i == NONE || !is_free[i] || basis[k] == i) continue;
    const int32_t at = find(r, basis, i);
    if (at == NONE) {
      const double w = fabs(coefficient(r, W, scale, basis, i, k));
      if (w > 0.0 &&
          w >= KEEP_SLOT_WEIGHT_MIN*largest_in_column(m, r, W, scale, basis, is_free, k))
        exchange(m, r, W, basis, i, k);
      continue;
    }
    for (int32_t j = 0; j < m; j++) {
      double *w = W + (size_t)j*(size_t)r;
      const double t = w[k];
      w[k] = w[at];
      w[at] = t;
    }
    basis[at] = basis[k];
    basis[k] = i;
  }
}

// Exchanges members of the basis that are not free for the free rows with the largest coefficients.
static void exchange_all(const group_free *f, const double *scale, const uint8_t *is_free, double *W,
                         int32_t *basis) {
  const int32_t m = f->m, r = f->r;
  double by[GROUPS_RANK_MAX];
  for (int32_t step = 0; step < r; step++) {
    double largest = 0.0;
    int32_t row = NONE, column = NONE;
    int some = 0;
    for (int32_t k = 0; k < r; k++) {
      by[k] = is_free[basis[k]] ? 0.0 : 1.0/scale[basis[k]];
      some |= by[k] > 0.0;
    }
    for (int32_t j = 0; j < m && some; j++) {
      const double *w = W + (size_t)j*(size_t)r;
      for (int32_t k = 0; k < r && is_free[j]; k++) {   // rows in the basis have 0 elsewhere
        const double size = fabs(w[k])*(scale[j]*by[k]);   // as coefficient()
        if (!(size > largest) || fabs(w[k]) <= GROUPS_ROUNDING) continue;
        largest = size;
        row = j;
        column = k;
      }
    }
    if (row == NONE) return;
    exchange(m, r, W, basis, row, column);
  }
}

// Computes E, F and K from T, the slots and B. F goes to X, E to L. W: m x r, work: B_es.
static void form(group_free *f, const double *B, double *W) {
  const size_t m = (size_t)f->m, r = (size_t)f->r;
  for (size_t k = 0; k < r; k++) {
    const double *b = f->slot[k] != NONE ? B + (size_t)f->slot[k]*m : NULL;
    for (size_t l = 0; l < r; l++)
      f->K[k*r + l] = b != NULL && f->slot[l] != NONE ? b[f->slot[l]] : 0.0;
    for (int32_t q = 0; q < f->count; q++) W[(size_t)q*r + k] = b != NULL ? b[f->rest[q]] : 0.0;
  }
  for (int32_t q = 0; q < f->count; q++) {
    const double *T = f->T + (size_t)q*r, *b = B + (size_t)f->rest[q]*m;
    double *X = f->X + (size_t)q*r, *L = f->L + (size_t)q*m;
    for (size_t k = 0; k < r; k++) {
      double sum = W[(size_t)q*r + k];
      for (size_t l = 0; l < r; l++) sum -= T[l]*f->K[k*r + l];
      X[k] = f->slot[k] != NONE ? sum : 0.0;
    }
    for (int32_t p = 0; p <= q; p++) {   // (B_es - T_e B_ss) T_e' and T_e B_se
      const double *Tp = f->T + (size_t)p*r, *Wp = W + (size_t)p*r;
      double sum = b[f->rest[p]];
      for (size_t k = 0; k < r; k++) sum -= X[k]*Tp[k] + T[k]*Wp[k];
      L[p] = sum;
    }
  }
}

// E = L L'. Returns 0, -1: deadline, or 1 + the row of the rest whose pivot is too small. Rounding
// in E grows with the square of the row's coefficients, and is an eighth of `floor` where they are
// 0.
static int32_t factor(group_free *f, double floor, const perp_deadline *deadline) {
  const size_t m = (size_t)f->m, r = (size_t)f->r;
  double done = 0.0;
  for (int32_t q = 0; q < f->count; q++) {
    double *L = f->L + (size_t)q*m, size = 1.0;
    done += (double)q*q;
    if (done > DEADLINE_POLL_FLOPS && deadline_passed(deadline)) return -1;
    if (done > DEADLINE_POLL_FLOPS) done = 0.0;
    for (size_t k = 0; k < r; k++) size += fabs(f->T[(size_t)q*r + k]);
    for (int32_t p = 0; p <= q; p++) {
      const double *Lp = f->L + (size_t)p*m;
      double sum = L[p];
      for (int32_t k = 0; k < p; k++) sum -= L[k]*Lp[k];
      if (p < q) {
        L[p] = sum/Lp[p];
        continue;
      }
      if (!(sum > floor*max2(1.0, size*size/8.0))) return q + 1;
      L[q] = sqrt(sum);
    }
  }
  return 0;
}

// K -= F' E^-1 F and X <- E^-1 F: forward, the product, backward.
static void eliminate(group_free *f) {
  const size_t m = (size_t)f->m, r = (size_t)f->r;
  for (int32_t q = 0; q < f->count; q++) {
    const double *L = f->L + (size_t)q*m;
    double *X = f->X + (size_t)q*r;
    for (int32_t p = 0; p < q; p++)
      for (size_t k = 0; k < r; k++) X[k] -= L[p]*f->X[(size_t)p*r + k];
    for (size_t k = 0; k < r; k++) X[k] /= L[q];
    for (size_t k = 0; k < r; k++)
      for (size_t l = 0; l < r; l++) f->K[k*r + l] -= X[k]*X[l];
  }
  for (int32_t q = f->count - 1; q >= 0; q--) {
    double *X = f->X + (size_t)q*r;
    for (size_t k = 0; k < r; k++) X[k] /= f->L[(size_t)q*m + (size_t)q];
    for (int32_t p = 0; p < q; p++)
      for (size_t k = 0; k < r; k++) f->X[(size_t)p*r + k] -= f->L[(size_t)q*m + (size_t)p]*X[k];
  }
}

int group_condense(group_free *f, const double *T, const int32_t *skeleton, const double *B,
                   const double *scale, const uint8_t *is_free, double floor, double *W,
                   int32_t *basis, const perp_deadline *deadline) {
  const int32_t m = f->m, r = f->r;
  memcpy(W, T, (size_t)m*(size_t)r*sizeof *W);
  memcpy(basis, skeleton, (size_t)r*sizeof *basis);
  keep_slots(f, scale, is_free, W, basis);
  exchange_all(f, scale, is_free, W, basis);
  for (int32_t k = 0; k < r; k++) f->slot[k] = is_free[basis[k]] ? basis[k] : NONE;
  f->count = 0;
  for (int32_t j = 0; j < m; j++) {
    if (!is_free[j] || find(r, f->slot, j) != NONE) continue;
    double *to = f->T + (size_t)f->count*(size_t)r;
    for (int32_t k = 0; k < r; k++) {   // scaling down makes nothing of rounding
      const int harmless = scale[j] <= scale[basis[k]];
      to[k] = f->slot[k] == NONE ? 0.0
              : harmless         ? W[(size_t)j*(size_t)r + (size_t)k]*(scale[j]/scale[basis[k]])
                                 : coefficient(r, W, scale, basis, j, k);
    }
    f->rest[f->count++] = j;
  }
  form(f, B, W);
  const int32_t failed = factor(f, floor, deadline);
  if (failed != 0) return failed > 0 ? f->rest[failed - 1] + 1 : failed;
  eliminate(f);
  return 0;
}

void group_forward(const group_free *f, const double *r, double *s, double *rest) {
  const size_t m = (size_t)f->m, slots = (size_t)f->r;
  for (size_t k = 0; k < slots; k++) s[k] = f->slot[k] != NONE ? r[f->slot[k]] : 0.0;
  for (int32_t q = 0; q < f->count; q++) {
    const double *T = f->T + (size_t)q*slots;
    double sum = r[f->rest[q]];
    for (size_t k = 0; k < slots; k++)
      if (f->slot[k] != NONE) sum -= T[k]*r[f->slot[k]];
    rest[q] = sum;
  }
  for (int32_t q = 0; q < f->count; q++)
    for (size_t k = 0; k < slots; k++) s[k] -= f->X[(size_t)q*slots + k]*rest[q];
  for (int32_t q = 0; q < f->count; q++) {
    const double *L = f->L + (size_t)q*m;
    for (int32_t p = 0; p < q; p++) rest[q] -= L[p]*rest[p];
    rest[q] /= L[q];
  }
  for (int32_t q = f->count - 1; q >= 0; q--) {
    const double *L = f->L + (size_t)q*m, z = rest[q] /= L[q];
    for (int32_t p = 0; p < q; p++) rest[p] -= L[p]*z;
  }
}

void group_backward(const group_free *f, const double *t, double *rest, double *z) {
  const size_t r = (size_t)f->r;
  for (size_t k = 0; k < r; k++)
    if (f->slot[k] != NONE) z[f->slot[k]] = t[k];
  for (int32_t q = 0; q < f->count; q++) {
    const double *T = f->T + (size_t)q*r, *X = f->X + (size_t)q*r;
    double sum = rest[q];
    for (size_t k = 0; k < r; k++) sum -= X[k]*t[k];
    z[f->rest[q]] = sum;
    for (size_t k = 0; k < r; k++)
      if (f->slot[k] != NONE) z[f->slot[k]] -= T[k]*sum;
  }
}

// (a, b) <- (c a - s b, s a + c b) for n entries, `apart` numbers from one to the next
static void rotate(size_t n, double c, double s, double *a, double *b, size_t apart) {
  for (size_t k = 0; k < n*apart; k += apart) {
    const double u = a[k], v = b[k];
    a[k] = c*u - s*v;
    b[k] = s*u + c*v;
  }
}

void group_split(int32_t r, double *D, double *V, double *lambda) {
  const size_t n = (size_t)r;
  for (size_t i = 0; i < n*n; i++) V[i] = 0.0;
  for (size_t i = 0; i < n; i++) V[i*n + i] = 1.0;
  for (int turn = 0; turn < JACOBI_SWEEPS_MAX; turn++) {   // Golub, Van Loan 8.5
    double off = 0.0, on = 0.0;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) *(i == j ? &on : &off) += D[i*n + j]*D[i*n + j];
    if (!(off > 0x1p-110*on)) break;
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++) {
        if (D[p*n + q] == 0.0) continue;
        const double tau = (D[q*n + q] - D[p*n + p])/(2.0*D[p*n + q]);
        const double t = (tau < 0.0 ? -1.0 : 1.0)/(fabs(tau) + hypotenuse(1.0, tau));
        const double c = 1.0/sqrt(1.0 + t*t), s = t*c;
        rotate(n, c, s, D + p, D + q, n);
        rotate(n, c, s, D + p*n, D + q*n, 1);
        rotate(n, c, s, V + p*n, V + q*n, 1);
      }
  }
  for (size_t i = 0; i < n; i++) lambda[i] = D[i*n + i];
}
