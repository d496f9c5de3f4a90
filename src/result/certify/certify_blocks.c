// certify_blocks.c: the certificate of a reducible A, one strongly connected block after the other.
//
// In block triangular form, the rows of a block depend on their own variables and on those of
// earlier blocks. So each block is judged as if it stood alone, with the x of earlier blocks
// inserted. Its reference is
//     G_k = max over i in k of  r_i(x_ref) + R_i sum over j not in k of |A_ij||x_j - x_ref,j|
// but at most the G of its component. Without this rule, one large b_i would have every row of the
// component accepted, even rows that its x_i does not reach.
//
// The sum is what flows in. Its terms do not cancel, because each x_j is right only up to its own
// tolerance. An x_j may be small only because terms of its block cancel. It then has a rounding
// error of that block's size, C_j U, and passes it on to y_i. The rule allows for this error like
// for the rounding of b_i. U of a block is G_k or what flows into it in this way, followed through
// at most 8 blocks.
//
// In a block with G_k = 0, which x_ref solves, s_i takes the place of G_k, as in a component. It is
// limited to the smallest r(x_ref) > 0 of the other blocks, and if s_i = 0, that value is used.
//
// If the rows and columns of a block fall into halves that no entry of the block ties together,
// each half has a unit of its own. It is scaled up until its largest r_i(x_ref) + inflow is G_k, or
// if that is 0, its largest s_i.
//
// Cost: two passes over the entries for each x, up to nine in a long chain of blocks; nothing if A
// is irreducible.
#include "certify_blocks.h"

#include "problem.h"
#include "vector.h"

void blocks_keep(const certifier *c, struct block_scaling *to) {
  for (int32_t i = 0; i < c->n; i++) {
    to->R[i] = c->R[i];
    to->C[i] = c->C[i];
    to->base[c->component[i]] = c->G[c->component[i]];
  }
}

// r_i(x_ref)
static double still(const certifier *c, const double *R, const double *C, int32_t i) {
  const double lo = lower(c->problem->lo, i), hi = upper(c->problem->hi, i),
               x = clamp(0.0, lo, hi);
  return fabs(mid((x - hi)/C[i], R[i]*c->blocks.y_ref[i], (x - lo)/C[i]));
}

// r_i(x_ref) and what flows in
static double reference(const certifier *c, const double *R, const double *C, const double *inflow,
                        int32_t i) {
  return still(c, R, C, i) + R[i]*inflow[i];
}

// The factor of each half, a power of two >= 1; G < 0 as below.
static void find_units(const certifier *c, const double *R, const double *C, const double *inflow,
                       const double *G, double *unit) {
  for (int32_t h = 0; h < c->blocks.halves; h++) unit[h] = 0.0;   // its share of G_k, or -share
  for (int32_t i = 0; i < c->n; i++) {
    const double share = reference(c, R, C, inflow, i)/fabs(G[c->blocks.of[i]]);
    double *own = &unit[c->blocks.half[i]];
    if (share > *own) *own = share;
  }
  for (int32_t i = 0; i < c->n; i++) {
    const double share = R[i]*c->blocks.a_ref[i]/fabs(G[c->blocks.of[i]]);
    double *own = &unit[c->blocks.half[i]];
    if (!(*own > 0.0) && share > -*own) *own = -share;
  }
  for (int32_t h = 0; h < c->blocks.halves; h++) {
    const double share = fabs(unit[h]);
    unit[h] = share > 0.0 && share < 1.0 ? ldexp(1.0, -binary_exponent(share) - 1) : 1.0;
  }
}

// G of each block in one scaling; if it is 0, minus the number that takes its place. inflow: n;
// least: one per component; unit: the factor >= 1 of each half
static void find_bases(const certifier *c, const double *R, const double *C, const double *base,
                       const double *inflow, double *G, double *least, double *unit) {
  for (int32_t k = 0; k < c->blocks.count; k++) G[k] = 0.0;
  for (int32_t k = 0; k < c->components; k++) least[k] = base[k];
  for (int32_t i = 0; i < c->n; i++) {
    const double r = reference(c, R, C, inflow, i);
    const double most = base[c->component[i]];
    double *own = &G[c->blocks.of[i]];
    *own = r < most ? max2(*own, r) : most;   // also where r is no number
  }
  // the smallest G of all blocks, without inflow: an x_j of 1e-17 is no scale for anything
  double *own_G = unit;   // one per block
  for (int32_t k = 0; k < c->blocks.count; k++) own_G[k] = 0.0;
  for (int32_t i = 0; i < c->n; i++) {
    double *own = &own_G[c->blocks.of[i]];
    *own = max2(*own, still(c, R, C, i));
  }
  for (int32_t i = 0; i < c->n; i++)
    if (own_G[c->blocks.of[i]] > 0.0)
      least[c->component[i]] = min2(least[c->component[i]], own_G[c->blocks.of[i]]);
  for (int32_t i = 0; i < c->n; i++) {   // -S_k
    double *own = &G[c->blocks.of[i]];
    if (!(*own > 0.0) && c->entries[i] > 0) *own = min2(*own, -R[i]*c->blocks.a_ref[i]);
  }
  for (int32_t i = 0; i < c->n; i++) {
    const double most = base[c->component[i]], other = least[c->component[i]];
    double *own = &G[c->blocks.of[i]];
    // where the component overflows no block gets a tolerance
    if (!(most < (double)INFINITY)) *own = most;
    else if (*own == 0.0) *own = -other;
    else if (*own < 0.0) *own = max2(*own, -other);
  }
  find_units(c, R, C, inflow, G, unit);
}

// noise_i = R_i sum over j not in the block of |A_ij| C_j U_j, in the first scaling; size: one U
// per block; d: n, work. Rows into which nothing flows have none.
static void find_noise(const certifier *c, const double *G, const double *inflow, double *size,
                       double *d, double *noise) {
  const int32_t n = c->n;
  for (int32_t k = 0; k < c->blocks.count; k++) size[k] = fabs(G[k]);
  for (int pass = 0, changed = 1; pass < 8 && changed; pass++) {
    changed = 0;
    for (int32_t j = 0; j < n; j++) {
      const double natural = c->blocks.first.C[j]*size[c->blocks.of[j]];
      d[j] = natural < (double)INFINITY ? natural : 0.0;
    }
    components_inflow(&c->problem->A, c->blocks.of, d, noise);
    for (int32_t i = 0; i < n; i++) {
      const double most = c->blocks.first.base[c->component[i]];
      noise[i] = inflow[i] > 0.0 ? min2(c->blocks.first.R[i]*noise[i], most) : 0.0;
      double *own = &size[c->blocks.of[i]];
      if (noise[i] > *own) {
        *own = noise[i];
        changed = 1;
      }
    }
  }
}

// one_k: the factor that brings G of block k near 1; range: one per block
static void find_ones(const certifier *c, const double *R, const double *C, const double *unit,
                      const double *G, scale_range *range, double *one) {
  for (int32_t k = 0; k < c->blocks.count; k++) range[k] = (scale_range){(double)INFINITY, 0.0};
  for (int32_t i = 0; i < c->n; i++)
    if (c->entries[i] > 0)
      scale_range_add(&range[c->blocks.of[i]], R[i]*unit[c->blocks.half[i]],
                      unit[c->blocks.half[c->n + i]]/C[i]);
  for (int32_t k = 0; k < c->blocks.count; k++) one[k] = unit_within(fabs(G[k]), range[k]);
}

// The scaling of row i with the unit of its halves and the factor of its block.
typedef struct scales {
  double R, C;
} scales;

static scales scaled_row(const certifier *c, int32_t i, double R, double C, const double *unit,
                         double one) {
  return (scales){clamp(R*one*unit[c->blocks.half[i]], 0x1p-1000, 0x1p1000),
                  clamp(C/one/unit[c->blocks.half[c->n + i]], 0x1p-1000, 0x1p1000)};
}

void certifier_rescale(const certifier *c) {
  if (!c->look.reducible) return;
  const int32_t n = c->n;
  const perp_problem *p = c->problem;
  const certify_rule *rule = &c->rule;
  double *distance = c->work, *inflow = c->work + n;                  // n each
  double *first = c->work + 2*n, *second = c->work + 3*n, *least = c->work + 4*n;
  double *unit = c->work + 5*n, *other_unit = c->work + 7*n;          // 2 n each
  double *noise = c->work + 9*n;                                      // n
  scale_range *range = (scale_range *)(c->work + 10*n);               // one per block
  for (int32_t i = 0; i < n; i++)
    distance[i] = fabs(c->x[i] - clamp(0.0, lower(p->lo, i), upper(p->hi, i)));
  components_inflow(&p->A, c->blocks.of, distance, inflow);
  find_bases(c, c->blocks.first.R, c->blocks.first.C, c->blocks.first.base, inflow, first, least,
             unit);
  if (c->two)
    find_bases(c, c->blocks.second.R, c->blocks.second.C, c->blocks.second.base, inflow, second,
               least, other_unit);
  find_noise(c, first, inflow, least, distance, noise);
  double *one = least, *other_one = distance;                         // one per block
  find_ones(c, c->blocks.first.R, c->blocks.first.C, unit, first, range, one);
  if (c->two) {
    find_ones(c, c->blocks.second.R, c->blocks.second.C, other_unit, second, range, other_one);
    for (int32_t k = 0; k < c->blocks.count; k++)
      units_agree(fabs(first[k]), &one[k], fabs(second[k]), &other_one[k]);
  }
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = c->blocks.of[i], whole = c->component[i];
    rule->S[k] = c->S[whole];
    rule->G[k] = c->G[whole];
    rule->T[i] = c->G[whole] > 0.0 ? c->G[whole] : c->s[i];
    rule->R[i] = c->R[i];
    rule->held_R[i] = c->held.R[i];
    rule->inverse_C[i] = c->inverse_C[i];
    rule->s[i] = c->s[i];
    rule->noise[i] = 0.0;
    // x_ref solves all of the component, or it overflows
    const int measured = first[k] != 0.0 && (!c->two || second[k] != 0.0);
    if (!(c->G[whole] > 0.0 && c->G[whole] < (double)INFINITY && measured)) continue;
    scales used = scaled_row(c, i, c->blocks.first.R[i], c->blocks.first.C[i], unit, one[k]);
    rule->G[k] = fabs(first[k])*one[k];
    if (c->two) {   // both at a base of 1, as in certifier_prepare
      const scales other = scaled_row(c, i, c->blocks.second.R[i], c->blocks.second.C[i],
                                      other_unit, other_one[k]);
      rule->held_R[i] = min2(used.R, other.R);
      used = (scales){max2(used.R, other.R), min2(used.C, other.C)};
      rule->G[k] = min2(rule->G[k], fabs(second[k])*other_one[k]);
    }
    rule->R[i] = used.R;
    rule->inverse_C[i] = inverse_of(used.C);
    rule->s[i] = c->entries[i] > 0 ? used.R*c->blocks.a_ref[i] : 0.0;
    rule->noise[i] = noise[i] > 0.0 ? noise[i]*(used.R/c->blocks.first.R[i]) : 0.0;
    rule->T[i] = first[k] < 0.0 && rule->s[i] > 0.0 ? min2(rule->s[i], rule->G[k]) : rule->G[k];
  }
}

// A block is closed if nothing flows into it for any x, and if x_ref does not solve it. Its G_k
// then comes from r_i(x_ref) of its own rows alone, so the same rule holds for every x.
static void find_closed(const certifier *c) {
  // r_i(x_ref) > 0 in that scaling; something flows in
  enum block_mark { FIRST = 1, SECOND = 2, OPEN = 4 };
  const int32_t n = c->n;
  double *far = c->work, *inflow = c->work + n;   // n each
  for (int32_t i = 0; i < n; i++) far[i] = 0x1p600;   // tiny entries count, too
  components_inflow(&c->problem->A, c->blocks.of, far, inflow);
  memset(c->blocks.closed, 0, (size_t)c->blocks.count);
  for (int32_t i = 0; i < n; i++) {
    const int first = still(c, c->blocks.first.R, c->blocks.first.C, i) > 0.0,
              second = c->two ? still(c, c->blocks.second.R, c->blocks.second.C, i) > 0.0 : first;
    c->blocks.closed[c->blocks.of[i]] |= (uint8_t)((first ? FIRST : 0) | (second ? SECOND : 0) |
                                        (inflow[i] != 0.0 ? OPEN : 0));
  }
  for (int32_t k = 0; k < c->blocks.count; k++)
    c->blocks.closed[k] = c->blocks.closed[k] == (FIRST | SECOND);
}

void blocks_begin(certifier *c) {
  memcpy(c->blocks.y_ref, c->y, (size_t)c->n*sizeof *c->y);
  memcpy(c->blocks.a_ref, c->a, (size_t)c->n*sizeof *c->a);
  c->rule = c->blocks.rule;
  c->rule.part = c->blocks.of;
  find_closed(c);
  certifier_rescale(c);
}
