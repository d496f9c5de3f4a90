// contact_parts.h: the rows of the contact LCP E13 (27), and the entries of its slacks.
#ifndef PERP_CONTACT_PARTS_H
#define PERP_CONTACT_PARTS_H

#include <perp/matrix.h>
#include <perp/perp.h>

typedef enum contact_kind { CONTACT_NORMAL, CONTACT_TANGENT, CONTACT_SLACK } contact_kind;
typedef struct contact_place {
  contact_kind kind;
  int32_t contact, direction;
} contact_place;

static inline contact_place contact_place_of(const perp_contacts *P, int32_t i) {
  const int32_t nc = P->count, K = P->directions;
  if (i < nc) return (contact_place){CONTACT_NORMAL, i, 0};
  if (i - nc < K*nc) return (contact_place){CONTACT_TANGENT, (i - nc)/K, (i - nc) % K};
  return (contact_place){CONTACT_SLACK, i - nc - K*nc, 0};
}

static inline int32_t contact_tangent_row(const perp_contacts *P, int32_t c, int32_t k) {
  return P->count + P->directions*c + k;
}
static inline int32_t contact_slack_row(const perp_contacts *P, int32_t c) {
  return (1 + P->directions)*P->count + c;
}

// The coefficient of row t of B at this contact in row `at` of A. Row 0 is the normal.
static inline double contact_share(const perp_contacts *P, contact_place at, int32_t t) {
  if (at.kind == CONTACT_NORMAL) return t == 0 ? 1.0 : 0.0;
  return t == 0 ? 0.0 : P->direction[at.direction*P->tangents + t - 1];
}

// Entry number q (from 0 on) of the slack of contact c: A(slack, *other) = *row and
// A(*other, slack) = *column. Returns 0 after the last entry.
static inline int contact_slack_entry(const perp_contacts *P, int32_t c, int32_t q, int32_t *other,
                                      double *row, double *column) {
  if (q > P->directions) return 0;
  *other = q == 0 ? c : contact_tangent_row(P, c, q - 1);
  *row = q == 0 ? P->mu[c] : -1.0;
  *column = q == 0 ? 0.0 : 1.0;
  return 1;
}

#endif
