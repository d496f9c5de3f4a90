// friction.c: checks whether A has the block pattern of the contact LCP E13 (27).
//
// B = [Bnn Bnt; Btn Btt] is symmetric in theory. Programs write it with errors of a few per cent,
// so a moderate asymmetry is accepted and reported.
#include <string.h>

#include "classify.h"
#include "contacts.h"
#include "symmetry.h"
#include "vector.h"

perp_error classify_friction(const matrix *A, const perp_allocator *from, finding *f) {
  const perp_csc columns = {A->n, A->n, A->colptr, A->row, A->value},
                 rows = {A->n, A->n, A->rowptr, A->column, A->by_row};
  contacts c;
  char reason[sizeof f->reason];
  const int code = contacts_search(&c, &columns, &rows, from, reason, sizeof reason);
  if (code < 0) return PERP_ERROR_MEMORY;
  if (code == 0) {
    finding_set(f, PERP_NO, "%s", reason);
  } else {
    double lowest = (double)INFINITY, highest = 0.0;
    for (int32_t k = 0; k < c.count; k++) {
      lowest = min2(lowest, c.mu[k]);
      highest = max2(highest, c.mu[k]);
    }
    finding_set(f, c.asymmetry > SYMMETRY_RECOGNISED ? PERP_NO : PERP_YES,
                "%d contacts, %d directions, mu from %.4g to %.4g, asymmetry of B %.2g",
                c.count, c.directions, lowest, highest, c.asymmetry);
  }
  from->release(from->context, c.block);
  return PERP_OK;
}
