// lcp.c: the smallest program: find x >= 0 with y = A x + b >= 0 and x_i y_i = 0.
#include <perp/perp.h>
#include <stdio.h>

int main(void) {
  const double A[] = {2, 1, 1, 2}, b[] = {-5, 1};
  const perp_dense matrix = {.n = 2, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&matrix, PERP_CLAIM_NONE), .b = b};
  double x[2] = {0};
  perp_result result;
  if (perp_solve_once(&problem, x, NULL, &result) != PERP_OK) return puts(perp_last_message()), 1;
  printf("%s: x = (%g, %g)\n", perp_status_name(result.status), x[0], x[1]);
  return result.status != PERP_STATUS_SOLVED;
}

// expect: solved: x = (2.5, 0)
