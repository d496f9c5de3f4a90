// friction_contacts.c: a box is pulled over a table and a second one lies on it: friction from J, W
// and mu, without forming a matrix.
//
// Boxes move in x, y and z, without turning. A contact has three rows of J: the speeds of parting
// (n) and along two tangents (t1, t2); perp_contacts makes E13 (27) of them, with K directions in
// the plane of each contact:
//     ln of contact c at c,   lt of direction k at count + K c + k,   the sliding speed at
//     (1 + K) count + c.
// friction.c builds such a matrix by hand.
//
//     cc friction_contacts.c $(pkg-config --cflags --libs perp) -lm -o friction_contacts
#include <math.h>
#include <perp/matrix.h>
#include <perp/perp.h>
#include <stdio.h>

enum { BOXES = 2, CONTACTS = BOXES, K = 8, ROWS = 3*CONTACTS, N = (2 + K)*CONTACTS };

int main(void) {
  const double mass[BOXES] = {3, 1}, mu[CONTACTS] = {0.5, 0.25};   // kg; from the table up
  const double pull[3] = {30, 0, 0}, gravity = 9.81, step = 0.01;  // N on the lower box

  // Contact c is between box c and what is below it: rows n = z, t1 = x, t2 = y.
  const int axis[3] = {2, 0, 1};
  int32_t rowptr[ROWS + 1] = {0}, column[2*ROWS], entries = 0;
  double J[2*ROWS], W[3*BOXES], v[3*BOXES], direction[2*K], b[N] = {0}, x[N] = {0};
  for (int i = 0; i < BOXES; i++)
    for (int d = 0; d < 3; d++) {
      W[3*i + d] = 1/mass[i];
      v[3*i + d] = step*((i == 0 ? pull[d]/mass[0] : 0) - (d == 2 ? gravity : 0));
    }
  for (int c = 0; c < CONTACTS; c++)
    for (int t = 0; t < 3; t++) {
      if (c > 0) column[entries] = 3*(c - 1) + axis[t], J[entries++] = -1;
      column[entries] = 3*c + axis[t], J[entries++] = 1;
      rowptr[3*c + t + 1] = entries;
    }
  for (int k = 0; k < K; k++) {
    direction[2*k] = cos(2*acos(-1)*k/K);
    direction[2*k + 1] = sin(2*acos(-1)*k/K);
  }
  for (int c = 0; c < CONTACTS; c++) {   // b: the speeds without contacts
    double u[3] = {0};
    for (int t = 0; t < 3; t++)
      for (int32_t p = rowptr[3*c + t]; p < rowptr[3*c + t + 1]; p++) u[t] += J[p]*v[column[p]];
    b[c] = u[0];
    for (int k = 0; k < K; k++)
      b[CONTACTS + K*c + k] = direction[2*k]*u[1] + direction[2*k + 1]*u[2];
  }

  const perp_contacts contacts = {
    .count = CONTACTS, .directions = K, .tangents = 2, .direction = direction, .mu = mu,
    .B = {.n = ROWS, .dofs = 3*BOXES, .rowptr = rowptr, .column = column, .value = J, .block = 1,
          .W = W}};
  const perp_problem problem = {.A = perp_from_contacts(&contacts, PERP_CLAIM_NONE), .b = b};
  perp_result result;
  if (perp_solve_once(&problem, x, NULL, &result) != PERP_OK) {
    fprintf(stderr, "%s\n", perp_last_message());
    return 1;
  }
  printf("%s\n", perp_status_name(result.status));
  for (int c = CONTACTS - 1; c >= 0; c--) {
    double friction[2] = {0};
    for (int k = 0; k < K; k++)
      for (int t = 0; t < 2; t++) friction[t] += direction[2*k + t]*x[CONTACTS + K*c + k];
    printf("contact %d: %.2f N normal, %.2f N friction, slides at %.4f m/s\n", c, x[c]/step,
           hypot(friction[0], friction[1])/step, x[(1 + K)*CONTACTS + c]);
  }
  return result.status != PERP_STATUS_SOLVED;
}

// By hand: the table can hold 0.5*4*9.81 = 19.62 N of the 30 N. If both boxes slid together, at
// (30 - 19.62)/4 = 2.595 m/s^2, the upper one would need 2.60 N: more than 0.25*9.81 = 2.45 N. So
// it slides, too: the lower box at (30 - 19.62 - 2.4525)/3 = 2.6425 m/s^2, the upper one at 2.4525.
// expect: solved
// expect: contact 1: 9.81 N normal, 2.45 N friction, slides at 0.0019 m/s
// expect: contact 0: 39.24 N normal, 19.62 N friction, slides at 0.0264 m/s
