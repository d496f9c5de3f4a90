// enclose_linear.c: the exact solution of a small linear system, by an approximate inverse (Rump).
//
// Let B ~ S^-1, z the residual at v and G = I - B S. If |G| < 1 in the maximum norm, S is regular,
// and e = solution - v satisfies |e| <= |B z| + |G||e|. Both terms are bounded with all rounding
// errors. Rows and columns are equilibrated by powers of two before. O(m^3).
#include "enclose_linear.h"

#include <string.h>

#include "dense_kernels.h"
#include "vector.h"

enum { REFINEMENTS_MAX = 4 };   // steps that move v closer to the solution
static const double unit_roundoff = 0x1p-53;

// Computes B ~ S^-1 row by row. S: m x m, equilibrated; its factors overwrite it.
static int invert(int32_t m, double *S, double *B, int32_t *pivot, double *v) {
  if (lu_factor(m, S, pivot, 0.0, NULL) != 0) return 0;
  for (int32_t j = 0; j < m; j++) {
    for (int32_t i = 0; i < m; i++) v[i] = i == j ? 1.0 : 0.0;
    lu_solve(m, S, pivot, v);
    for (int32_t i = 0; i < m; i++) B[(size_t)i*(size_t)m + (size_t)j] = v[i];
  }
  return 1;
}

typedef struct arrays {
  double *S, *B;                                     // m x m
  double *r, *c, *z, *radius, *G, *size, *line;      // m each
  int32_t *pivot;                                    // m
} arrays;

// z = r times the residual, with an error of at most `radius`
static void measure(const linear_system *s, const arrays *a) {
  for (int32_t k = 0; k < s->m; k++) {
    const enclosure y = s->residual(s->context, k);
    const double low = enclosure_lower(y), high = enclosure_upper(y), middle = 0.5*low + 0.5*high;
    a->z[k] = a->r[k]*middle;
    a->radius[k] = a->r[k]*max2(sum_up(high, -middle), sum_up(middle, -low));
    // r is a power of two, so only underflow rounds z and the radius.
    if (low != high || fabs(a->z[k]) < 0x1p-1000)
      a->radius[k] = round_up(round_up(a->radius[k]));
  }
}

static linear_end enclose(const linear_system *s, const arrays *a, double *error) {
  const int32_t m = s->m;
  s->entries(s->context, a->S);
  dense_equilibrate(m, m, a->S, a->r, a->c);
  if (!invert(m, a->S, a->B, a->pivot, a->line)) return LINEAR_SINGULAR;
  s->entries(s->context, a->S);
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++) a->S[(size_t)i*(size_t)m + (size_t)j] *= a->r[i]*a->c[j];
  for (int32_t step = 0; step <= REFINEMENTS_MAX; step++) {   // v -= c B r z
    measure(s, a);
    for (int32_t k = 0; k < m && step < REFINEMENTS_MAX; k++)
      s->move(s->context, k, -a->c[k]*dot(m, a->B + (size_t)k*(size_t)m, a->z));
  }
  // Row sums of |G| and |B z|. The rounding of the computed G = I - B S is at most gamma |B||S|.
  const double gamma = (m + 4)*unit_roundoff + s->slack;
  double alpha = 0.0, largest = 0.0, *moved = a->r;   // m: r is not needed below
  for (int32_t k = 0; k < m; k++) {
    a->size[k] = 0.0;
    for (int32_t j = 0; j < m; j++) a->size[k] += fabs(a->S[(size_t)k*(size_t)m + (size_t)j]);
  }
  for (int32_t k = 0; k < m; k++) {
    const double *row = a->B + (size_t)k*(size_t)m;
    double bz = 0.0, rest = 0.0, norm = 0.0, sum = 0.0;
    for (int32_t j = 0; j < m; j++) a->line[j] = j == k ? -1.0 : 0.0;
    for (int32_t l = 0; l < m; l++) {
      if (row[l] == 0.0) continue;
      const double *other = a->S + (size_t)l*(size_t)m;
      for (int32_t j = 0; j < m; j++) a->line[j] += row[l]*other[j];
      bz += row[l]*a->z[l];
      rest += fabs(row[l])*(a->radius[l] + gamma*fabs(a->z[l]));
      norm += fabs(row[l])*a->size[l];
    }
    for (int32_t j = 0; j < m; j++) sum += fabs(a->line[j]);
    a->G[k] = (sum + gamma*(norm + 1.0))*(1.0 + 4.0*gamma);
    moved[k] = (fabs(bz) + rest)*(1.0 + 4.0*gamma) + 0x1p-1000;   // |B z|_k
    alpha = max_or_nan(alpha, a->G[k]);
    largest = max_or_nan(largest, moved[k]);
  }
  if (!(alpha < 1.0)) return LINEAR_ILL;
  const double all = quotient_up(largest, round_down(1.0 - alpha));
  for (int32_t k = 0; k < m; k++)   // error_k > 0
    error[k] = product_up(a->c[k], sum_up(moved[k], product_up(a->G[k], all)));
  return LINEAR_ENCLOSED;
}

linear_end enclose_linear(const linear_system *s, const perp_allocator *from, double *error) {
  const size_t square = (size_t)s->m*(size_t)s->m, room = (size_t)s->m + 1;
  double *memory = from->allocate(from->context,
                                  (2*square + 7*room)*sizeof *memory + room*sizeof(int32_t));
  if (memory == NULL) return LINEAR_NO_MEMORY;
  arrays a = {.S = memory, .B = memory + square};
  double *next = a.B + square;
  double **const vectors[] = {&a.r, &a.c, &a.z, &a.radius, &a.G, &a.size, &a.line};
  for (size_t k = 0; k < sizeof vectors/sizeof *vectors; k++, next += room) *vectors[k] = next;
  a.pivot = (int32_t *)next;
  const linear_end end = enclose(s, &a, error);
  from->release(from->context, memory);
  return end;
}
