// certify_blocks.c: the certificate of a reducible A, one strongly connected block after the other.
//
// Permuted to block triangular form, the rows of a block see their own variables and those of
// blocks before it, and a solution of the whole solves each block with the others' x put in. So a
// block is judged as if it stood alone: its reference is
//     G_k = max over i in k of  r_i(x_ref) + R_i sum over j not in k of |A_ij||x_j - x_ref,j|
// but never more than that of its component. Without this one large b_i would have every row of
// the component accepted, also rows that its x_i cannot reach. The sum is what flows in, without
// cancellation: x_j is right up to its own tolerance, and no more can be asked of the difference.
// In a block with G_k = 0, which x_ref solves, s_i takes its place as it does in a component, but
// not beyond the smallest G of the others; that one where s_i = 0.
//
// Cost: one pass over the entries for each x; nothing where A is irreducible.
#include "certify_blocks.h"

#include "problem.h"
#include "vector.h"

void blocks_keep(const certifier *c, double *R, double *C, double *base) {
  for (int32_t i = 0; i < c->n; i++) {
    R[i] = c->R[i];
    C[i] = c->C[i];
    base[c->component[i]] = c->G[c->component[i]];
  }
}

// G of each block in one scaling; -(what takes its place) where it is 0. inflow, s: n; least: one
// per component
static void find_bases(const certifier *c, const double *R, const double *C, const double *base,
                       const double *inflow, double *G, double *least) {
  const perp_problem *p = c->problem;
  for (int32_t k = 0; k < c->blocks; k++) G[k] = 0.0;
  for (int32_t k = 0; k < c->components; k++) least[k] = base[k];
  for (int32_t i = 0; i < c->n; i++) {
    const double lo = lower(p->lo, i), hi = upper(p->hi, i), x = clamp(0.0, lo, hi);
    const double r = fabs(mid((x - hi)/C[i], R[i]*c->y_ref[i], (x - lo)/C[i])) + R[i]*inflow[i];
    const double most = base[c->component[i]];
    double *own = &G[c->block[i]];
    *own = r < most ? max2(*own, r) : most;   // also where r is no number
  }
  for (int32_t i = 0; i < c->n; i++)
    if (G[c->block[i]] > 0.0)
      least[c->component[i]] = min2(least[c->component[i]], G[c->block[i]]);
  for (int32_t i = 0; i < c->n; i++) {   // -S_k
    double *own = &G[c->block[i]];
    if (!(*own > 0.0) && c->entries[i] > 0) *own = min2(*own, -R[i]*c->a_ref[i]);
  }
  for (int32_t i = 0; i < c->n; i++) {
    const double most = base[c->component[i]], other = least[c->component[i]];
    double *own = &G[c->block[i]];
    // where the component overflows no block gets a tolerance
    if (!(most < (double)INFINITY)) *own = most;
    else if (*own == 0.0) *own = -other;
    else if (*own < 0.0) *own = max2(*own, -other);
  }
}

void certifier_rescale(const certifier *c) {
  if (!c->reducible) return;
  const int32_t n = c->n;
  const perp_problem *p = c->problem;
  const certify_rule *rule = &c->rule;
  double *distance = c->work, *inflow = c->work + n;                  // n each
  double *first = c->work + 2*n, *second = c->work + 3*n, *least = c->work + 4*n;
  for (int32_t i = 0; i < n; i++)
    distance[i] = fabs(c->x[i] - clamp(0.0, lower(p->lo, i), upper(p->hi, i)));
  components_inflow(&p->A, c->block, distance, inflow);
  find_bases(c, c->first_R, c->first_C, c->first_base, inflow, first, least);
  if (c->two) find_bases(c, c->second_R, c->second_C, c->second_base, inflow, second, least);
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = c->block[i], whole = c->component[i];
    rule->S[k] = c->S[whole];
    if (!(c->G[whole] > 0.0 && first[k] != 0.0)) {   // x_ref solves all of the component
      rule->G[k] = c->G[whole];
      rule->T[i] = c->G[whole] > 0.0 ? c->G[whole] : c->s[i];
      if (!c->two) continue;
      rule->R[i] = c->R[i];
      rule->held_R[i] = c->held_R[i];
      rule->inverse_C[i] = c->inverse_C[i];
      rule->s[i] = c->s[i];
      continue;
    }
    rule->G[k] = fabs(first[k]);
    if (c->two) {   // both scalings at a base of 1, as in certifier_prepare
      const double one = unit_of_base(fabs(first[k])), two = unit_of_base(fabs(second[k]));
      const double R = clamp(c->first_R[i]*one, 0x1p-1000, 0x1p1000),
                   other = clamp(c->second_R[i]*two, 0x1p-1000, 0x1p1000);
      rule->R[i] = max2(R, other);
      rule->held_R[i] = min2(R, other);
      rule->inverse_C[i] = inverse_of(min2(clamp(c->first_C[i]/one, 0x1p-1000, 0x1p1000),
                                           clamp(c->second_C[i]/two, 0x1p-1000, 0x1p1000)));
      rule->s[i] = c->entries[i] > 0 ? rule->R[i]*c->a_ref[i] : 0.0;
      rule->G[k] = min2(fabs(first[k])*one, fabs(second[k])*two);
    }
    rule->T[i] = first[k] < 0.0 && rule->s[i] > 0.0 ? min2(rule->s[i], rule->G[k]) : rule->G[k];
  }
}

void blocks_begin(certifier *c) {
  memcpy(c->y_ref, c->y, (size_t)c->n*sizeof *c->y);
  memcpy(c->a_ref, c->a, (size_t)c->n*sizeof *c->a);
  c->rule = (certify_rule){c->block, c->R, c->inverse_C, c->held_R, c->s, c->own.T, c->own.G,
                           c->own.S};
  if (c->two) {
    c->rule.R = c->own.R;
    c->rule.inverse_C = c->own.inverse_C;
    c->rule.held_R = c->own.held_R;
    c->rule.s = c->own.s;
  }
  certifier_rescale(c);
}
