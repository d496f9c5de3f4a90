// lemke_ratio.c: which basic variable blocks the entering one.
//
// As the entering variable moves by t, basic k moves by -t s_k and meets a bound after
// t_k = distance_k/|s_k|. Plainly the smallest t_k blocks, and the lexicographic rule chooses among
// ties, as if the right-hand side were perturbed: let the values of a reference basis B0 be
// v0 + S (e, e^2, .., e^n)', where S = diag(+-1) points away from the bound that a value is at, or
// nearest to. In the basis B the values are then v + B^-1 B0 S (e, .., e^n)', and t_k changes by
//     (B^-1 B0 S)_k. (e, .., e^n)' / s_k
// with the signed s_k, whether k falls to its lower bound or rises to its upper one. For small
// e > 0 the smallest t_k is the lexicographically smallest of (t_k, (B^-1 B0 S)_k./s_k): smaller()
// compares just that. It is unique, because two rows of B^-1 B0 S are not proportional: two
// perturbed values never reach a bound at once. A bound of the entering variable is not perturbed:
// shortened() says on which side of it the perturbed step ends.
//
// The first pivot obeys the rule, too. With B0 the basis before z0 enters (the slacks, from the
// plain start, and S = sign d) row k needs z0 >= (w_k - e^k)/|d_k|, most of all, among equals, for
// the last k: entrance() takes that one, and then all perturbed values are within their bounds. So
// every perturbed basis on the path is nondegenerate; each has at most two neighbours on the path,
// none can come twice, and there are finitely many (Cottle, Pang, Stone 1992, 4.9). Two choices
// end the path or begin another: z0 leaves before its equals, at a solution, and so does the slack
// of a free row, which never comes back; the values after that are a new reference. Hence at most
// n + 1 pieces, each finite.
//
// Steps are equal that differ by 1e-11: rounding, where an exact tie was meant. Taking the larger
// of two such steps violates a bound by 1e-11 |s_k| at most, which later steps count as a distance
// of zero. So the tolerance never decides: it only lets the lexicographic rule decide.
//
// Harris' test (pivot.harris) instead lets every bound give by 1e-9 and takes the largest pivot
// among those that block before the first of the relaxed bounds; small pivots are what ruins a
// basis. When it makes no progress for long, so that ties are all that is left, the lexicographic
// rule takes over, with the basis of that moment as B0, until a step has a length again.
#include "lemke.h"
#include "vector.h"

static const double give = 1e-9;            // of a bound, in Harris' test
static const double tie = 1e-11;            // relative difference of steps that are one
static const int32_t patience = 32;         // steps of no length before the lexicographic rule

void lemke_reference(lemke *l) {
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
    if (at >= 0 && at != a && at != b) continue;   // a unit column: zero in both rows
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
  // thousands may be tied; with no time left any of them will do, as this pivot is the last
  for (int32_t k = 1; k < count && !run_out_of_time(l->run); k++)
    best = smaller(l, best, l->tied[k], direction);
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
  return variable >= l->n && l->side[variable - l->n] == AT_ZERO;
}

int32_t lemke_block(lemke *l, int32_t entering, double direction, double *step,
                    int *at_upper) {
  const basis_vector *u = &l->u;
  if (l->rebase) lemke_reference(l);
  l->rebase = 0;
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
  const int tied_with_reach = plain && fabs(reach - first) <= tie*max2(1.0, first);
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
  if (plain && goes_first(l, best) == 1) l->rebase = 1;
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
    l->rebase = 1;   // the basis after this exchange
  }
  return best;
}
