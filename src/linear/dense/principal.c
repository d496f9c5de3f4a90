// principal.c: keeps a factor or inverse of A_II up to date while rows enter and leave I.
//
// Deleting row s of L D L' leaves L33 D33 L33' + d_s l l' for the rows after s. Method C1 of Gill,
// Golub, Murray, Saunders: Methods for modifying matrix factorizations (1974) makes this rank-one
// update, row by row.
// Cost: O(m^2) per row.
#include "principal.h"

#include <math.h>
#include <string.h>

#include "error_free.h"
#include "dense_kernels.h"
#include "vector.h"

// The *_body functions are compiled twice, once for wide registers. Element k always goes into sum
// k mod 8, so both have the same bits.
EXACT_INLINE double dot_body(int32_t n, const double *a, const double *b) {
  double s[8] = {0.0};
  int32_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int32_t k = 0; k < 8; k++) s[k] += a[i + k]*b[i + k];
  for (int32_t k = 0; i < n; i++, k++) s[k] += a[i]*b[i];
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

EXACT_INLINE void add_body(int32_t n, double s, const double *a, double *y) {
  for (int32_t i = 0; i < n; i++) y[i] += s*a[i];
}

// dot_four() computes four rows times v at once to hide the latency of additions. Element i goes
// into sum i mod 4 of its row.
#if defined(__GNUC__)
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
#define QUAD(pointer) (*(const quad *)(pointer))
#else
typedef double quad[4];
#endif

EXACT_INLINE void dot_four(int32_t n, double *const *row, int32_t from, const double *v,
                           double *out) {
  quad sum[4] = {{0.0}};
  int32_t i = 0;
#if defined(__GNUC__)
  const double *a = row[0] + from, *b = row[1] + from, *c = row[2] + from, *d = row[3] + from;
  for (; i + 4 <= n; i += 4) {
    const quad x = QUAD(v + i);
    sum[0] += QUAD(a + i)*x;
    sum[1] += QUAD(b + i)*x;
    sum[2] += QUAD(c + i)*x;
    sum[3] += QUAD(d + i)*x;
  }
#endif
  for (; i < n; i++)
    for (int32_t r = 0; r < 4; r++) sum[r][i%4] += row[r][from + i]*v[i];
  for (int32_t r = 0; r < 4; r++) out[r] = (sum[r][0] + sum[r][2]) + (sum[r][1] + sum[r][3]);
}

// The smallest first[] of rows k .. k+3.
static inline int32_t least_first(const principal *p, int32_t k) {
  const int32_t *f = p->first + k;
  const int32_t a = f[0] < f[1] ? f[0] : f[1], b = f[2] < f[3] ? f[2] : f[3];
  return a < b ? a : b;
}

// v <- L^-1 v, where v is zero before `start`. Row k of L holds zeros before first[k].
EXACT_INLINE void forward_body(const principal *p, int32_t start, double *v) {
  int32_t k = start;
  for (; k + 4 <= p->m; k += 4) {
    const int32_t least = least_first(p, k), from = least > start ? least : start;
    double *const *row = p->row + k;
    if (from < k) {
      double sum[4];
      dot_four(k - from, row, from, v + from, sum);
      for (int32_t i = 0; i < 4; i++) v[k + i] -= sum[i];
    }
    v[k + 1] -= row[1][k]*v[k];
    v[k + 2] -= row[2][k]*v[k] + row[2][k + 1]*v[k + 1];
    v[k + 3] -= row[3][k]*v[k] + row[3][k + 1]*v[k + 1] + row[3][k + 2]*v[k + 2];
  }
  for (; k < p->m; k++) {
    const int32_t from = p->first[k] > start ? p->first[k] : start;
    if (from < k) v[k] -= dot_body(k - from, p->row[k] + from, v + from);
  }
}

EXACT_INLINE void backward_body(const principal *p, double *v) {   // v <- L'^-1 v
  int32_t k = p->m - 1;
  for (; k >= 3; k -= 4) {
    double *const *row = p->row + k - 3;
    const double d = v[k];
    const double c = v[k - 1] - row[3][k - 1]*d;
    const double b = v[k - 2] - row[3][k - 2]*d - row[2][k - 2]*c;
    const double a = v[k - 3] - row[3][k - 3]*d - row[2][k - 3]*c - row[1][k - 3]*b;
    v[k - 1] = c;
    v[k - 2] = b;
    v[k - 3] = a;
    for (int32_t i = least_first(p, k - 3); i < k - 3; i++)
      v[i] -= (a*row[0][i] + b*row[1][i]) + (c*row[2][i] + d*row[3][i]);
  }
  for (; k > 0; k--) {
    const int32_t from = p->first[k];
    add_body(k - from, -v[k], p->row[k] + from, v + from);
  }
}

EXACT_INLINE void apply_body(const principal *p, const double *v, double *z) {   // z = A_II^-1 v
  for (int32_t k = 0; k < p->m; k++) z[k] = dot_body(p->m, p->row[k], v);
}

EXACT_WIDE static double dot_wide(int32_t n, const double *a, const double *b) {
  return dot_body(n, a, b);
}
EXACT_WIDE static void add_wide(int32_t n, double s, const double *a, double *y) {
  add_body(n, s, a, y);
}
EXACT_WIDE static void forward_wide(const principal *p, int32_t start, double *v) {
  forward_body(p, start, v);
}
EXACT_WIDE static void backward_wide(const principal *p, double *v) { backward_body(p, v); }
EXACT_WIDE static void apply_wide(const principal *p, const double *v, double *z) {
  apply_body(p, v, z);
}

double principal_dot(int32_t n, const double *a, const double *b) {
  return EXACT_HAS_WIDE() ? dot_wide(n, a, b) : dot_body(n, a, b);
}
void principal_add(int32_t n, double s, const double *a, double *y) {
  if (EXACT_HAS_WIDE()) add_wide(n, s, a, y);
  else add_body(n, s, a, y);
}
static void forward(const principal *p, int32_t start, double *v) {
  if (EXACT_HAS_WIDE()) forward_wide(p, start, v);
  else forward_body(p, start, v);
}
static void backward(const principal *p, double *v) {
  if (EXACT_HAS_WIDE()) backward_wide(p, v);
  else backward_body(p, v);
}
static void apply(const principal *p, const double *v, double *z) {
  if (EXACT_HAS_WIDE()) apply_wide(p, v, z);
  else apply_body(p, v, z);
}

principal principal_take(arena *memory, int32_t n) {
  const size_t m = (size_t)n;
  principal p = {.n = n};
  p.set = ARENA_ARRAY(memory, int32_t, m);
  p.place = ARENA_ARRAY(memory, int32_t, m);
  p.first = ARENA_ARRAY(memory, int32_t, m);
  p.row = ARENA_ARRAY(memory, double *, m);
  p.d = ARENA_ARRAY(memory, double, m);
  p.l = ARENA_ARRAY(memory, double, m);
  p.u = ARENA_ARRAY(memory, double, m);
  p.z = ARENA_ARRAY(memory, double, m);
  p.store = ARENA_ARRAY(memory, double, m*m);
  return p;
}

void principal_clear(principal *p) {
  p->m = 0;
  for (int32_t i = 0; i < p->n; i++) {
    p->place[i] = -1;
    p->row[i] = p->store + (size_t)i*(size_t)p->n;
  }
}

// Bounds the rounding error of schur = [dx; 1]' A [dx; 1], for errors of a few eps in entries of A.
static double rounding(const principal *p, int32_t j, const double *dx) {
  double reach = p->root[j];
  for (int32_t k = 0; k < p->m; k++) reach += fabs(dx[k])*p->root[p->set[k]];
  return 8.0*0x1p-52*reach*reach;
}

// Computes l = D^-1 L^-1 A_Ij and schur. Returns 1 if schur is far from zero.
static int eliminate(principal *p, int32_t j) {
  const double *a = p->A + (size_t)j*(size_t)p->n;
  double *l = p->l;
  const int32_t m = p->m;
  for (int32_t k = 0; k < m; k++) l[k] = a[p->set[k]];
  int32_t start = 0;
  while (start < m && l[start] == 0.0) start++;
  p->start = start;
  p->set[m] = j;
  forward(p, start, l);
  double schur = a[j];
  for (int32_t k = start; k < m; k++) {
    const double v = l[k];
    l[k] = v/p->d[k];
    schur -= v*l[k];
  }
  p->schur = schur;
  return schur > 1e-6*p->root[j]*p->root[j];
}

void principal_direction(principal *p, int32_t j, double *dx) {
  const int32_t m = p->m;
  if (p->symmetric) {
    eliminate(p, j);
    for (int32_t k = 0; k < m; k++) dx[k] = -p->l[k];
    backward(p, dx);
  } else {
    const size_t ld = (size_t)p->n;
    const double *a = p->A + (size_t)j*ld;
    p->set[m] = j;
    for (int32_t k = 0; k < m; k++) p->u[k] = -p->A[(size_t)p->set[k]*ld + (size_t)j];
    apply(p, p->u, dx);
    p->schur = a[j];
    for (int32_t k = 0; k < m; k++) {
      p->schur += a[p->set[k]]*dx[k];
      p->l[k] = dx[k];
    }
  }
  p->floor = rounding(p, j, dx);
}

// The inverse of [B c; r a] is [B^-1 - dx u/s, dx/s; -u/s, 1/s] with dx = -B^-1 c, u = r B^-1.
static void border(principal *p, int32_t j) {
  const int32_t m = p->m;
  const double *a = p->A + (size_t)j*(size_t)p->n, s = p->schur;
  double *last = p->row[m];
  for (int32_t k = 0; k < m; k++) last[k] = 0.0;
  for (int32_t k = 0; k < m; k++) principal_add(m, a[p->set[k]], p->row[k], last);
  for (int32_t k = 0; k < m; k++) {
    const double t = p->l[k]/s;
    principal_add(m, -t, last, p->row[k]);
    p->row[k][m] = t;
  }
  for (int32_t k = 0; k < m; k++) last[k] /= -s;
  last[m] = 1.0/s;
}

void principal_append(principal *p) {
  const int32_t m = p->m, j = p->set[m];
  if (p->symmetric) {
    memcpy(p->row[m], p->l, (size_t)m*sizeof(double));
    p->first[m] = p->start;
    p->d[m] = p->schur;
  } else {
    border(p, j);
  }
  p->place[j] = m;
  p->m++;
}

// Removes position s from set and row. Keeps the storage of its row behind the others.
static void close_gap(principal *p, int32_t s) {
  double *storage = p->row[s];
  p->place[p->set[s]] = -1;
  p->m--;
  for (int32_t k = s; k < p->m; k++) {
    p->row[k] = p->row[k + 1];
    p->first[k] = p->first[k + 1];
    p->d[k] = p->d[k + 1];
    p->set[k] = p->set[k + 1];
    p->place[p->set[k]] = k;
  }
  p->row[p->m] = storage;
}

// L D L' += alpha w w' from row s on. w is column s of L, which the rows still hold; each row drops
// it. Row i needs pivot_k = w_k and beta_k of the rows before it.
static int update(principal *p, int32_t s, double alpha, double *pivot, double *beta) {
  for (int32_t i = s; i < p->m; i++) {
    double *row = p->row[i];
    double w = p->first[i] <= s ? row[s] : 0.0;
    if (p->first[i] > s) p->first[i]--;
    for (int32_t k = p->first[i] > s ? p->first[i] : s; k < i; k++) {
      const double entry = row[k + 1];
      w -= pivot[k]*entry;
      row[k] = entry + beta[k]*w;
    }
    const double d = p->d[i] + alpha*w*w;
    if (!(fabs(d) > 0.0)) return 0;
    pivot[i] = w;
    beta[i] = alpha*w/d;
    alpha *= p->d[i]/d;
    p->d[i] = d;
  }
  return 1;
}

static int cut(principal *p, int32_t s) {   // removes row and column s from the inverse
  const int32_t m = p->m, last = m - 1;
  if (s != last) {
    double *const t = p->row[s];
    p->row[s] = p->row[last];
    p->row[last] = t;
    for (int32_t k = 0; k < m; k++) {
      const double e = p->row[k][s];
      p->row[k][s] = p->row[k][last];
      p->row[k][last] = e;
    }
    const int32_t i = p->set[s];
    p->set[s] = p->set[last];
    p->set[last] = i;
    p->place[p->set[s]] = s;
  }
  p->place[p->set[last]] = -1;
  p->m = last;
  const double corner = p->row[last][last];
  if (!(fabs(corner) > 0.0)) return 0;
  for (int32_t k = 0; k < last; k++)
    principal_add(last, -p->row[k][last]/corner, p->row[last], p->row[k]);
  return 1;
}

int principal_delete(principal *p, int32_t i) {
  const int32_t s = p->place[i];
  if (!p->symmetric) return cut(p, s);
  const double alpha = p->d[s];
  close_gap(p, s);
  return update(p, s, alpha, p->l, p->u);
}

void principal_solve(const principal *p, double *v) {
  if (!p->symmetric) {
    apply(p, v, p->u);
    memcpy(v, p->u, (size_t)p->m*sizeof(double));
    return;
  }
  forward(p, 0, v);
  for (int32_t k = 0; k < p->m; k++) v[k] /= p->d[k];
  backward(p, v);
}

int principal_factor(principal *p, const int32_t *rows, int32_t count,
                     const perp_deadline *deadline) {
  principal_clear(p);
  double *dx = p->z;
  for (int32_t k = 0; k < count; k++) {
    if (k%16 == 15 && deadline_passed(deadline)) return -1;
    if (p->symmetric && eliminate(p, rows[k])) {
      principal_append(p);
      continue;
    }
    principal_direction(p, rows[k], dx);
    if (p->schur > p->floor) principal_append(p);
  }
  return 0;
}
