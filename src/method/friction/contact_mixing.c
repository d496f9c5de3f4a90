// contact_mixing.c: Anderson's mixing of sweeps over contacts.
//
//   f_k = z_k - l_k          l_k: before sweep k, z_k: after it
//   l_k+1 = z_k - sum g_j (z_j+1 - z_j),   g minimises |f_k - sum g_j (f_j+1 - f_j)|
//
// The norm is that of the energy: a change of l counts with the root of the contact's response. F'F
// gains one row per sweep, and F'f follows from it: F'(f + df) = F'f + F'df.
// Anderson 1965; Walker, Ni 2011. Cost: 2 MIXED_SWEEPS + 6 operations per number of l.
#include "contact_mixing.h"

#include <math.h>
#include <string.h>

#include "vector.h"

#define TRACE_SHIFT 1e-10   // added to F'F, relative to its trace: F may be dependent

size_t contact_mixing_numbers(const contact_bodies *s) {
  return 2*(MIXED_SWEEPS + 1)*3*(size_t)s->count;
}

void contact_mixing_begin(contact_mixing *m, const contact_bodies *s, double *memory) {
  const size_t n = 3*(size_t)s->count;
  *m = (contact_mixing){.n = (int32_t)n};
  m->F = memory;
  m->Z = m->F + MIXED_SWEEPS*n;
  m->f = m->Z + MIXED_SWEEPS*n;
  m->z = m->f + n;
}

void contact_mixing_restart(contact_mixing *m) { m->have = m->slot = m->known = 0; }

// The newest difference F_k changes a row and a column of F'F, and F'f.
static void update_products(contact_mixing *m, int32_t k) {
  const size_t n = (size_t)m->n;
  const double *Fk = m->F + (size_t)k*n;
  for (int32_t j = 0; j < m->have; j++) {
    m->A[k][j] = m->A[j][k] = dot(m->n, Fk, m->F + (size_t)j*n);
    if (j != k) m->b[j] += m->A[k][j];
  }
  m->b[k] = dot(m->n, Fk, m->f);
}

double contact_mixing_record(contact_mixing *m, const contact_bodies *s, const double *from) {
  const int32_t k = m->slot;
  double *F = m->F + (size_t)k*(size_t)m->n, *Z = m->Z + (size_t)k*(size_t)m->n, sum = 0.0;
  for (int32_t c = 0; c < s->count; c++) {
    const double root = s->contact[c].root;
    for (int32_t i = 3*c; i < 3*c + 3; i++) {
      const double d = root*(s->l[i] - from[i]);
      if (m->known) {
        F[i] = d - m->f[i];
        Z[i] = s->l[i] - m->z[i];
      }
      m->f[i] = d;
      m->z[i] = s->l[i];
      sum += d*d;
    }
  }
  const double size = sqrt(sum);
  if (!m->known) {   // nothing to compare with yet
    m->known = 1;
    return size;
  }
  if (m->have < MIXED_SWEEPS) m->have++;
  m->slot = (k + 1)%MIXED_SWEEPS;
  update_products(m, k);
  return size;
}

// Solves (F'F + shift I) g = F'f by elimination: positive definite, so without pivoting.
static int weights(const contact_mixing *m, double *g) {
  const int32_t have = m->have;
  double A[MIXED_SWEEPS][MIXED_SWEEPS + 1], trace = 0.0;
  for (int32_t i = 0; i < have; i++) {
    memcpy(A[i], m->A[i], (size_t)have*sizeof A[i][0]);
    A[i][have] = m->b[i];
    trace += A[i][i];
  }
  if (!(trace > 0.0 && trace < (double)INFINITY)) return 0;
  for (int32_t i = 0; i < have; i++) A[i][i] += TRACE_SHIFT*trace;
  for (int32_t i = 0; i < have; i++)
    for (int32_t r = 0; r < have; r++) {
      const double factor = r == i ? 0.0 : A[r][i]/A[i][i];
      for (int32_t j = i; j <= have && factor != 0.0; j++) A[r][j] -= factor*A[i][j];
    }
  for (int32_t i = 0; i < have; i++) g[i] = A[i][have]/A[i][i];
  return 1;
}

void contact_mixing_apply(contact_mixing *m, contact_bodies *s) {
  double g[MIXED_SWEEPS];
  if (m->have == 0 || !weights(m, g)) return;
  for (int32_t j = 0; j < m->have; j++) {
    const double *Z = m->Z + (size_t)j*(size_t)m->n;
    for (int32_t i = 0; i < m->n; i++) s->l[i] -= g[j]*Z[i];
  }
  contact_bodies_refresh(s);
}
