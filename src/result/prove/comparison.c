// comparison.c: finds a proven vector t > 0 with <A> t >= r, where <A> is the comparison matrix.
//
// An approximate solution of <A> t = r + epsilon D unit is enough. With s = <A> t > 0 in rigorous
// arithmetic and kappa = max r_i/s_i, <A>(kappa t) >= r. A t > 0 with <A> t > 0 exists exactly if
// <A> is a nonsingular M-matrix.
#include "comparison.h"

#include <math.h>

#include "enclosure.h"
#include "dense_kernels.h"
#include "vector.h"

enum { STEPS_MAX = 3000,        // steps of the search for t
       VERIFY_STEPS = 100 };    // steps between verifications, and sweeps before them
#define ENTRIES_MAX 4e9         // entries of A that all steps together may read
#define EPSILON_PART_MIN 1e-9   // epsilon, relative to the largest r_i/(A_ii unit_i)
#define KAPPA_GOOD_MAX 1.01     // largest kappa at which the search for t ends
#define KAPPA_MAX 1e3           // largest kappa of a useful t

static int within(const uint8_t *in, int32_t i) { return in == NULL || in[i] != 0; }

// (<A> t)_i in ordinary arithmetic
static double compare(const row_table *A, const uint8_t *in, const double *t, int32_t i) {
  double sum = A->diagonal[i]*t[i];
  for (int32_t p = A->ptr[i]; p < A->ptr[i + 1]; p++)
    if (A->column[p] != i && within(in, A->column[p])) sum -= fabs(A->value[p])*t[A->column[p]];
  return sum;
}

// The smallest kappa with proven <A>(kappa t) >= right; infinite: there is none.
static double verified(const row_table *A, const uint8_t *in, const double *right,
                       const double *t) {
  double kappa = 0.0;
  for (int32_t i = 0; i < A->n; i++) {
    if (!within(in, i)) continue;
    if (!(t[i] > 0.0 && t[i] < (double)INFINITY)) return (double)INFINITY;
    enclosure s = {0.0, 0.0, 0.0};
    for (int32_t p = A->ptr[i]; p < A->ptr[i + 1]; p++) {
      const int32_t j = A->column[p];
      if (!within(in, j)) continue;
      enclosure_add_product(&s, j == i ? A->value[p] : -fabs(A->value[p]), t[j], A->slack);
    }
    const double low = enclosure_lower(s);
    if (!(low > 0.0)) return (double)INFINITY;
    kappa = max2(kappa, quotient_up(right[i], low));
  }
  return kappa;
}

static void sweep(const row_table *A, const uint8_t *in, const double *right, double *t) {
  for (int32_t i = 0; i < A->n; i++)
    if (within(in, i)) t[i] += (right[i] - compare(A, in, t, i))/A->diagonal[i];
}

// Conjugate gradients, meant for symmetric A. The verification also covers its result for other A.
static double gradients(const row_table *A, const uint8_t *in, const double *right,
                        const comparison_work *w, double *t) {
  const int32_t n = A->n;
  const double steps = clamp(ENTRIES_MAX/(1.0 + A->ptr[n]), VERIFY_STEPS, STEPS_MAX);
  double rz = 0.0, best = (double)INFINITY;
  for (int32_t i = 0; i < n; i++) {
    if (!within(in, i)) continue;
    w->q[i] = right[i] - compare(A, in, t, i);   // the residual
    w->p[i] = w->q[i]/A->diagonal[i];
    rz += w->q[i]*w->p[i];
  }
  for (int32_t step = 1; step <= steps && rz > 0.0; step++) {
    double pz = 0.0;
    for (int32_t i = 0; i < n; i++) {
      if (!within(in, i)) continue;
      w->z[i] = compare(A, in, w->p, i);
      pz += w->p[i]*w->z[i];
    }
    if (!(pz > 0.0)) break;
    const double alpha = rz/pz, before = rz;
    rz = 0.0;
    for (int32_t i = 0; i < n; i++) {
      if (!within(in, i)) continue;
      t[i] += alpha*w->p[i];
      w->q[i] -= alpha*w->z[i];
      rz += w->q[i]*w->q[i]/A->diagonal[i];
    }
    if (step%VERIFY_STEPS == 0) {
      best = verified(A, in, right, t);
      if (best <= KAPPA_GOOD_MAX) return best;
    }
    for (int32_t i = 0; i < n; i++)
      if (within(in, i)) w->p[i] = w->q[i]/A->diagonal[i] + rz/before*w->p[i];
  }
  return verified(A, in, right, t);
}

// <A> t = right by elimination; m rows. 0: singular, -2: no memory.
static int eliminate(const row_table *A, const uint8_t *in, const double *right, int32_t m,
                     const perp_allocator *from, const comparison_work *w, double *t) {
  const size_t room = (size_t)m;
  double *S = from->allocate(from->context, room*room*sizeof *S + room*sizeof(int32_t));
  if (S == NULL) return -2;
  int32_t *pivot = (int32_t *)(S + room*room), k = 0;
  double *place = w->p, *v = w->q;   // place_i: index of row i among the m rows
  for (int32_t i = 0; i < A->n; i++)
    if (within(in, i)) place[i] = k++;
  for (size_t e = 0; e < room*room; e++) S[e] = 0.0;
  for (int32_t i = 0; i < A->n; i++) {
    if (!within(in, i)) continue;
    v[(int32_t)place[i]] = right[i]/A->diagonal[i];
    for (int32_t p = A->ptr[i]; p < A->ptr[i + 1]; p++) {
      const int32_t j = A->column[p];
      if (within(in, j))
        S[(size_t)place[i]*room + (size_t)place[j]] =
            j == i ? 1.0 : -fabs(A->value[p])/A->diagonal[i];
    }
  }
  const int regular = lu_factor(m, S, pivot, 0.0, NULL) == 0;
  if (regular) lu_solve(m, S, pivot, v);
  for (int32_t i = 0; i < A->n; i++)
    if (within(in, i) && regular) t[i] = v[(int32_t)place[i]];
  from->release(from->context, S);
  return regular;
}

int comparison_bound(const row_table *A, const uint8_t *in, const double *r, const double *unit,
                     int32_t dense_rows, const perp_allocator *from, const comparison_work *work,
                     double *t) {
  const int32_t n = A->n;
  double largest = 0.0;
  int32_t m = 0;
  for (int32_t i = 0; i < n; i++) {
    t[i] = 0.0;
    if (!within(in, i)) continue;
    m++;
    if (!(A->diagonal[i] > 0.0) || !(r[i] < (double)INFINITY)) return 0;
    largest = max2(largest, r[i]/(A->diagonal[i]*unit[i]));
  }
  const double share = largest > 0.0 && largest < (double)INFINITY ? EPSILON_PART_MIN*largest : 1.0;
  for (int32_t i = 0; i < n; i++) {
    if (!within(in, i)) continue;
    work->right[i] = r[i] + share*A->diagonal[i]*unit[i];
    t[i] = work->right[i]/A->diagonal[i];
  }
  double kappa = (double)INFINITY;
  for (int32_t k = 1; k <= VERIFY_STEPS && !(kappa <= KAPPA_GOOD_MAX); k++) {
    sweep(A, in, work->right, t);
    if (k == 10 || k == 30 || k == VERIFY_STEPS) kappa = verified(A, in, work->right, t);
  }
  if (!(kappa <= KAPPA_GOOD_MAX) && m <= dense_rows) {
    const int done = eliminate(A, in, work->right, m, from, work, t);
    if (done < 0) return -2;
    kappa = done ? verified(A, in, work->right, t) : (double)INFINITY;
  } else if (!(kappa <= KAPPA_GOOD_MAX)) {
    kappa = gradients(A, in, work->right, work, t);
  }
  if (!(kappa <= KAPPA_MAX)) return 0;
  for (int32_t i = 0; i < n; i++)
    if (within(in, i)) t[i] = largest > 0.0 ? product_up(max2(kappa, 0x1p-1000), t[i]) : 0.0;
  return 1;
}
