// infeasible.c: a problem without a solution, and the proof of it.
//
// A box of mass m between two hands that approach each other with the speed c. With impulses x of
// the left and the right hand, the speeds at which box and hand part are
//     y_left = (x_left - x_right)/m - c,  y_right = (x_right - x_left)/m - c,  0 <= x  _|_  y >= 0
// Both cannot be >= 0: their sum is -2 c. So u = (1, 1) proves that there is no solution, for
// u >= 0, A'u <= 0 and b'u < 0 contradict u'y >= 0: a Farkas vector. Anybody can check u without
// trusting the solver.
#include <perp/analysis.h>
#include <perp/perp.h>
#include <stdio.h>

static int check(const perp_problem *problem, const double u[2]) {
  perp_farkas farkas;
  if (perp_check_farkas(problem, u, &farkas) != PERP_OK) {
    fprintf(stderr, "%s\n", perp_last_message());
    return 0;
  }
  printf("u = (%g, %g): %s: %s\n", u[0], u[1], farkas.proven ? "a proof" : "no proof",
         farkas.reason);
  return farkas.proven;
}

int main(void) {
  const double m = 2, c = 0.1;
  const double A[] = {1/m, -1/m, -1/m, 1/m}, b[] = {-c, -c};
  const perp_dense matrix = {.n = 2, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&matrix, PERP_CLAIM_NONE), .b = b};
  double x[2] = {0}, u[2] = {0};
  perp_options options = perp_default_options(NULL);
  options.farkas = u;                          // where the proof goes, if there is one
  perp_result result;
  if (perp_solve_once(&problem, x, &options, &result) != PERP_OK) {
    fprintf(stderr, "%s\n", perp_last_message());
    return 1;
  }
  printf("%s, radius %g\n", perp_status_name(result.status), result.radius);
  const double wrong[] = {1, 0};
  return !check(&problem, u) || check(&problem, wrong);
}

// expect: infeasible, radius inf
// expect: u = (1, 1): a proof
// expect: u = (1, 0): no proof
