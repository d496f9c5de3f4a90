// friction.c: Coulomb friction as an LCP: one box is pulled away under two others.
//
// Boxes lie on each other and move in x and z, without turning. Each contact has a normal impulse
// ln, impulses l+ and l- to either side, and a slack s, which is the sliding speed:
//     0 <= ln    _|_  y_n  = speed of parting                  >= 0
//     0 <= l+/-  _|_  y_+/- = s + speed in this direction      >= 0
//     0 <= s     _|_  y_s  = mu ln - l+ - l-                   >= 0
// This is E13 (27) in the plane. A = [B E; mu -E' 0] is not symmetric, has zeros on its diagonal
// and is copositive, so that Lemke's method can solve it; `auto` recognises the pattern.
#include <perp/perp.h>
#include <stdio.h>

enum { BOXES = 3, CONTACTS = BOXES, N = 4*CONTACTS };

int main(void) {
  const double mass[BOXES] = {3, 2, 1}, mu[CONTACTS] = {0.2, 0.3, 0.6};   // kg; from the floor up
  const double pull[BOXES] = {60, 0, 0};                                  // N: on the lowest box
  const double gravity = 9.81, step = 1.0/60;

  // Rows: CONTACTS normals, then l+ and l- of each contact, then the slacks. J: a row's velocity.
  double J[3*CONTACTS][2*BOXES] = {{0}}, v_free[2*BOXES], A[N][N] = {{0}}, b[N] = {0};
  for (int i = 0; i < BOXES; i++) {
    v_free[2*i] = step*pull[i]/mass[i];
    v_free[2*i + 1] = -step*gravity;
    for (int side = 0; side < 2; side++) {             // this box, and what it lies on
      const int box = i - side, sign = side == 0 ? 1 : -1;
      if (box < 0) continue;
      J[i][2*box + 1] = sign;
      J[CONTACTS + 2*i][2*box] = sign;
      J[CONTACTS + 2*i + 1][2*box] = -sign;
    }
  }
  for (int r = 0; r < 3*CONTACTS; r++) {
    for (int k = 0; k < 2*BOXES; k++) b[r] += J[r][k]*v_free[k];
    for (int c = 0; c < 3*CONTACTS; c++)
      for (int k = 0; k < 2*BOXES; k++) A[r][c] += J[r][k]*J[c][k]/mass[k/2];
  }
  for (int i = 0; i < CONTACTS; i++) {
    const int slack = 3*CONTACTS + i;
    A[slack][i] = mu[i];
    for (int t = CONTACTS + 2*i; t < CONTACTS + 2*i + 2; t++) A[t][slack] = 1, A[slack][t] = -1;
  }

  const perp_dense matrix = {.n = N, .value = A[0]};
  const perp_problem problem = {.A = perp_from_dense(&matrix, PERP_CLAIM_NONE), .b = b};
  double x[N] = {0};
  perp_result result;
  if (perp_solve_once(&problem, x, NULL, &result) != PERP_OK) {
    fprintf(stderr, "%s\n", perp_last_message());
    return 1;
  }
  printf("%s; %s\n", perp_status_name(result.status), result.message);
  for (int i = CONTACTS - 1; i >= 0; i--) {
    const double *l = x + CONTACTS + 2*i, speed = x[3*CONTACTS + i];
    printf("contact %d: %.2f N of at most %.2f N, ", i, (l[0] + l[1])/step, mu[i]*x[i]/step);
    if (speed > 0) printf("slides at %.4f m/s\n", speed);
    else puts("sticks");
  }
  return result.status != PERP_STATUS_SOLVED;
}

// By hand: the floor's friction is 0.2*6*9.81 = 11.77 N, that of contact 1 is 0.3*3*9.81 = 8.83 N,
// which gives the upper two boxes 2.943 m/s^2; contact 2 can hold that. The lowest box gets
// (60 - 11.77 - 8.83)/3 = 13.13 m/s^2.
// expect: solved
// expect: contact 2: 2.94 N of at most 5.89 N, sticks
// expect: contact 1: 8.83 N of at most 8.83 N, slides at 0.1698 m/s
// expect: contact 0: 11.77 N of at most 11.77 N, slides at 0.2189 m/s
