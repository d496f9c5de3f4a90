// certify_kkt.h: the certificate of a quadratic program that was written as a complementarity
// problem: primal feasibility, dual feasibility and duality gap, each in its own scale.
#ifndef PERP_CERTIFY_KKT_H
#define PERP_CERTIFY_KKT_H

#include "certify.h"

// Finds out from the entries of A which rows are primal and which are dual. Needs c->component and
// c->components; overwrites c->work.
void kkt_look(certifier *c, const perp_operator *A);
// turned: n; 1: the row has no bounds and must change its sign to give A the form [P -B'; B D]. All
// 0 in components in which a row with a bound would have to change. Returns the number of ones.
int32_t kkt_turned(const certifier *c, uint8_t *turned);
// Adds objective and gap at c->x to the certificate, and refuses x if its measures are too large.
// c->y and c->a must belong to c->x. rows (n, may be NULL): only components of marked rows count.
// Returns 1 if x passes.
int kkt_judge(const certifier *c, double tol, double absolute_tol, const uint8_t *rows,
              perp_certificate *certificate);
// 1: x fails only because rounding excuses at most a hundred tolerances: each y_i that is too large
// is within the rounding of its own sum, and so is the gap if it is too large. Hardly any x in
// doubles could do better. c and rows as for kkt_judge().
int kkt_rounded(const certifier *c, double tol, double absolute_tol, const uint8_t *rows);

#endif
