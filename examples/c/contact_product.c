// contact_product.c: a stack of boxes at rest, as A = J W J' that is never formed.
//
// Box i moves up and down with velocity v_i. Contact i is between box i and what is below it, the
// floor for i = 0; its row of J gives the speed at which they part. With inverse masses W and
// impulses x,
//     v = v_free + W J' x,     y = J v = (J W J') x + J v_free,     0 <= x  _|_  y >= 0:
// contacts push and do not pull, bodies do not sink into each other, and only what touches pushes.
#include <perp/matrix.h>
#include <perp/perp.h>
#include <stdio.h>

enum { BOXES = 4 };

int main(void) {
  const double mass[BOXES] = {8, 4, 2, 1}, gravity = 9.81, step = 1.0/60;   // kg, m/s^2, s
  int32_t rowptr[BOXES + 1] = {0}, column[2*BOXES];
  double J[2*BOXES], W[BOXES], v_free[BOXES], b[BOXES];
  int32_t entries = 0;
  for (int32_t i = 0; i < BOXES; i++) {
    W[i] = 1/mass[i];
    v_free[i] = -step*gravity;                          // at rest before, then a step of free fall
    if (i > 0) column[entries] = i - 1, J[entries++] = -1;
    column[entries] = i, J[entries++] = 1;
    rowptr[i + 1] = entries;
    b[i] = v_free[i] - (i > 0 ? v_free[i - 1] : 0);     // J v_free
  }

  const perp_product matrix = {.n = BOXES, .dofs = BOXES, .rowptr = rowptr, .column = column,
                               .value = J, .block = 1, .W = W};
  const perp_problem problem = {.A = perp_from_product(&matrix, PERP_CLAIM_NONE), .b = b};
  double x[BOXES] = {0};
  perp_result result;
  if (perp_solve_once(&problem, x, NULL, &result) != PERP_OK) {
    fprintf(stderr, "%s\n", perp_last_message());
    return 1;
  }
  printf("%s\n", perp_status_name(result.status));

  double above = 0;
  for (int32_t i = BOXES - 1; i >= 0; i--) {  // a contact carries the weight of all boxes above it
    above += mass[i];
    printf("contact %d carries %.4f kg\n", i, x[i]/(step*gravity));
  }
  printf("the floor should carry %.4f kg\n", above);
  return result.status != PERP_STATUS_SOLVED;
}

// expect: solved
// expect: contact 3 carries 1.0000 kg
// expect: contact 2 carries 3.0000 kg
// expect: contact 1 carries 7.0000 kg
// expect: contact 0 carries 15.0000 kg
