// certify_kkt.h: the certificate of a quadratic program that was written as a complementarity
// problem: primal feasibility, dual feasibility and duality gap, each in its own scale.
#ifndef PERP_CERTIFY_KKT_H
#define PERP_CERTIFY_KKT_H

#include "certify.h"

// Which rows are primal and which are dual, from the entries of A alone. Asks for nothing but
// c->component and c->components; c->work is overwritten.
void kkt_look(certifier *c, const perp_operator *A);
// turned: n, 1 where a row without bounds has to change its sign for A to be of the form
// [P -B'; B D]; all 0 in components where another such row has a bound. How many there are.
int32_t kkt_turned(const certifier *c, uint8_t *turned);
// Adds objective and gap at c->x, whose residual c->y and size c->a have just been computed, and
// refuses x where they do not fit. rows (n, may be NULL): only components of marked rows count.
// Returns 1 if x passes.
int kkt_judge(const certifier *c, double tol, double absolute_tol, const uint8_t *rows,
              perp_certificate *certificate);
// 1: x does not pass, and only because rounding excuses no more than a hundred tolerances: each y_i
// that is too large is within the rounding of its own sum, and so is the gap, if that is too large.
// No x in doubles can be expected to do better. c and rows as for kkt_judge().
int kkt_rounded(const certifier *c, double tol, double absolute_tol, const uint8_t *rows);

#endif
