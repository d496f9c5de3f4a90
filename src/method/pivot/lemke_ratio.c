// lemke_ratio.c: finds the basic variable that blocks the entering one.
//
// As the entering variable moves by t, basic k moves by -t s_k and meets a bound after
// t_k = distance_k/|s_k|. The smallest t_k blocks. The lexicographic rule chooses among equal
// steps as if the right-hand side were perturbed. Let the values of a reference basis B0 be
// v0 + S (e, e^2, .., e^n)', where S = diag(+-1) points away from the nearest bound. In the basis B
// the values are then v + B^-1 B0 S (e, .., e^n)', and t_k changes by
//     (B^-1 B0 S)_k. (e, .., e^n)' / s_k
// with the signed s_k, whether k falls to its lower bound or rises to its upper one. For small e >
// 0 the smallest t_k is the lexicographically smallest of (t_k, (B^-1 B0 S)_k./s_k), which
// smaller() compares. It is unique, because no two rows of B^-1 B0 S are proportional: two
// perturbed values never reach a bound at once. A bound of the entering variable is not perturbed;
// shortened() tells on which side of it the perturbed step ends.
//
// The first pivot obeys the rule too. Let B0 be the basis before z0 enters: from the plain start
// the slacks, with S = sign d. Row k needs z0 >= (w_k - e^k)/|d_k|. Among equal rows the last one
// needs most; entrance() takes it, and then all perturbed values are within their bounds. So every
// perturbed basis on the path is nondegenerate and has at most two neighbours on the path. None can
// come twice, and there are finitely many (Cottle, Pang, Stone 1992, 4.9). Two choices end the path
// or begin another. z0 leaves before its equals, at a solution. The slack of a free row also leaves
// first and never comes back; the values after that are a new reference. So there are at most n + 1
// pieces, each finite.
//
// Steps that differ by 1e-11 count as equal, because rounding may separate equal steps. Taking the
// larger of two such steps violates a bound by at most 1e-11 |s_k|, which later steps count as a
// distance of zero. So the tolerance never decides; it only lets the lexicographic rule decide.
//
// Harris' test (pivot.harris) relaxes every bound by 1e-9 and takes the largest pivot among those
// that block before the first relaxed bound, because small pivots ruin a basis. If it makes no
// progress for long, the lexicographic rule takes over with the current basis as B0, until a step
// has a positive length.
#include "lemke.h"
#include "vector.h"

#define BOUND_RELAXATION 1e-9       // by which Harris' test relaxes each bound
#define STEP_DIFFERENCE_MAX 1e-11   // relative difference of steps that count as equal
#define DEGENERATE_STEPS_MAX 32     // steps of length 0 before the lexicographic rule

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

// Of two positions, returns the one whose perturbed step is smaller. l->row belongs to `a`; if b is
// smaller, the two rows are exchanged.
static int32_t smaller(lemke *l, int32_t a, int32_t b, double direction) {
  basis_row(&l->B, b, l->other);
  const double s = direction*l->u.value[a], t = direction*l->u.value[b];
  for (int32_t k = 0; k < l->n; k++) {
    const int32_t variable = l->reference[k];
    const int32_t at = l->where[variable];
    if (at >= 0 && at != a && at != b) continue;   // a unit column: 0 in both rows
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
  // There may be thousands. With no time left any of them will do, because this pivot is the last.
  for (int32_t k = 1; k < count && !run_out_of_time(l->run); k++)
    best = smaller(l, best, l->tied[k], direction);
  return best;
}

// 1: the perturbation shortens the step of position a.
static int shortened(lemke *l, int32_t a, double direction) {
  basis_row(&l->B, a, l->row);
  for (int32_t k = 0; k < l->n; k++) {
    const int32_t at = l->where[l->reference[k]];
    const double p = at >= 0 ? at == a : product(l, l->row, l->reference[k]);
    if (fabs(p) > 1e-10) return l->reference_sign[k]*p*direction*l->u.value[a] < 0.0;
  }
  return 0;
}

// z0 ends the path, and the slack of a free row must be 0: they leave first.
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
    relaxed_first = min2(relaxed_first, (distance + BOUND_RELAXATION)/fabs(s));
  }
  double reach = (double)INFINITY;   // distance of the entering variable to its other bound
  if (entering < l->n)
    reach = upper(l->run->hi, entering) - lower(l->run->lo, entering);
  const int plain = !l->harris || l->lexicographic;
  const int tied_with_reach = plain && fabs(reach - first) <= STEP_DIFFERENCE_MAX*max2(1.0, first);
  if (first == (double)INFINITY || (reach <= first && !tied_with_reach)) {
    *step = reach;
    return reach < (double)INFINITY ? -1 : -2;
  }
  const double last = plain ? first + STEP_DIFFERENCE_MAX*max2(1.0, first) : relaxed_first;
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
  l->degenerate = *step <= STEP_DIFFERENCE_MAX ? l->degenerate + 1 : 0;
  if (l->degenerate == 0) l->lexicographic = 0;
  else if (l->degenerate == DEGENERATE_STEPS_MAX && l->harris) {
    l->lexicographic = 1;
    l->rebase = 1;   // the basis after this exchange
  }
  return best;
}
