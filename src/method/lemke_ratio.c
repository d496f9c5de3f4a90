// lemke_ratio.c: which basic variable blocks the entering one.
//
// As the entering variable moves by t, basic k moves by -t s_k and meets a bound after
// t_k = distance_k/|s_k|. Plainly the smallest t_k blocks, and the lexicographic rule chooses among
// ties: with the reference basis B0 perturbed by powers of a small number, the smallest of
// (t_k, (B^-1 B0)_k./s_k). Harris' test instead lets every bound give by 1e-9 and takes the largest
// pivot among those that block before the first of the relaxed bounds; small pivots are what ruins
// a basis. When it makes no progress for long, the lexicographic rule takes over, perturbing the
// basis of that moment, until a step has a length again.
#include "lemke.h"
#include "vector.h"

static const double give = 1e-9;            // of a bound, in Harris' test
static const double tie = 1e-11;            // relative difference of steps that are one
static const int32_t patience = 32;         // steps of no length before the lexicographic rule

static void make_reference(lemke *l) {
  for (int32_t k = 0; k < l->n; k++) {
    double low, high;
    lemke_bounds(l, l->head[k], &low, &high);
    l->reference[k] = l->head[k];
    l->reference_sign[k] = l->value[k] - low <= high - l->value[k] ? 1.0 : -1.0;
  }
}

static double product(const lemke *l, const double *row, int32_t variable) {
  const basis_column c = lemke_column(l, variable);
  double sum = 0.0;
  for (int32_t q = 0; q < c.count; q++) sum += row[c.row[q]]*c.value[q];
  return sum;
}

// Of two positions, the one whose perturbed step is smaller; l->row belongs to `a`. Where b wins,
// the two rows change places.
static int32_t smaller(lemke *l, int32_t a, int32_t b, double direction) {
  basis_row(&l->B, b, l->other);
  const double s = direction*l->u.value[a], t = direction*l->u.value[b];
  for (int32_t k = 0; k < l->n; k++) {
    const int32_t variable = l->reference[k];
    const int32_t at = l->where[variable];
    if (at >= 0 && at != a && at != b) continue;   // a unit vector: zero in both rows
    const double p = at >= 0 ? at == a : product(l, l->row, variable);
    const double q = at >= 0 ? at == b : product(l, l->other, variable);
    const double difference = l->reference_sign[k]*(p/s - q/t);
    if (fabs(difference) <= 1e-10*(fabs(p/s) + fabs(q/t))) continue;
    if (difference < 0.0) return a;
    double *row = l->row;
    l->row = l->other;
    l->other = row;
    return b;
  }
  return a;
}

static int32_t lexicographic(lemke *l, int32_t count, double direction) {
  int32_t best = l->tied[0];
  if (count > 1) basis_row(&l->B, best, l->row);
  for (int32_t k = 1; k < count; k++) best = smaller(l, best, l->tied[k], direction);
  return best;
}

// Whether the perturbed step of position a is shorter than it is without the perturbation.
static int shortened(lemke *l, int32_t a, double direction) {
  basis_row(&l->B, a, l->row);
  for (int32_t k = 0; k < l->n; k++) {
    const int32_t at = l->where[l->reference[k]];
    const double p = at >= 0 ? at == a : product(l, l->row, l->reference[k]);
    if (fabs(p) > 1e-10) return l->reference_sign[k]*p*direction*l->u.value[a] < 0.0;
  }
  return 0;
}

// z0 ends the path, and a slack that must be 0 has no business in the basis: they go first.
static int goes_first(const lemke *l, int32_t position) {
  const int32_t variable = l->head[position];
  if (variable == Z0(l)) return 2;
  return variable > l->n && l->side[variable - l->n] == AT_ZERO;
}

int32_t lemke_block(lemke *l, int32_t entering, double direction, double *step,
                    int *at_upper) {
  const basis_vector *u = &l->u;
  double largest = 0.0, first = (double)INFINITY, relaxed_first = (double)INFINITY;
  for (int32_t q = 0; q < u->count; q++) largest = max2(largest, fabs(u->value[u->index[q]]));
  for (int32_t q = 0; q < u->count; q++) {
    const int32_t k = u->index[q];
    const double s = direction*u->value[k];
    l->width[k] = (double)INFINITY;
    if (fabs(s) <= l->negligible*largest) continue;
    double low, high;
    lemke_bounds(l, l->head[k], &low, &high);
    const double distance = max2(s > 0.0 ? l->value[k] - low : high - l->value[k], 0.0);
    if (distance == (double)INFINITY) continue;
    l->width[k] = distance/fabs(s);
    first = min2(first, l->width[k]);
    relaxed_first = min2(relaxed_first, (distance + give)/fabs(s));
  }
  double reach = (double)INFINITY;   // of the entering variable itself
  if (entering < l->n)
    reach = upper(l->run->hi, entering) - lower(l->run->lo, entering);
  const int plain = !l->harris || l->lexicographic;
  const int tied_with_reach = plain && reach <= first + tie*max2(1.0, first) && reach >= first;
  if (first == (double)INFINITY || (reach <= first && !tied_with_reach)) {
    *step = reach;
    return reach < (double)INFINITY ? -1 : -2;
  }
  const double last = plain ? first + tie*max2(1.0, first) : relaxed_first;
  int32_t count = 0, best = -1;
  for (int32_t q = 0; q < u->count; q++) {
    const int32_t k = u->index[q];
    if (!(l->width[k] <= last)) continue;
    l->tied[count++] = k;
    const int rank = goes_first(l, k), other = best >= 0 ? goes_first(l, best) : -1;
    if (rank > other || (rank == other && fabs(u->value[k]) > fabs(u->value[best]))) best = k;
  }
  if (plain && goes_first(l, best) == 0) {
    best = lexicographic(l, count, direction);
    if (tied_with_reach && !shortened(l, best, direction)) {
      *step = reach;
      return -1;
    }
  }
  *step = min2(l->width[best], reach);
  *at_upper = direction*u->value[best] < 0.0;
  l->degenerate = *step <= tie ? l->degenerate + 1 : 0;
  if (l->degenerate == 0) l->lexicographic = 0;
  else if (l->degenerate == patience && l->harris) {
    l->lexicographic = 1;
    make_reference(l);
  }
  return best;
}
