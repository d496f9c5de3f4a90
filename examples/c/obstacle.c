// obstacle.c: a membrane pressed onto a paraboloid: -Laplace u + f >= 0, u >= psi, complementary.
// With x = u - psi the problem is A x + (A psi + f) >= 0, x >= 0; its contact set is where x = 0.
#include <perp/perp.h>
#include <stdio.h>

enum { SIDE = 21, N = SIDE*SIDE };   // interior points of the unit square; u = 0 on its boundary

int main(void) {
  const double h = 1.0/(SIDE + 1), load = 1.0;
  static int32_t colptr[N + 1], row[5*N];
  static double value[5*N], psi[N], b[N], x[N];
  for (int i = 0; i < N; i++) {
    const double u = h*(i%SIDE + 1) - 0.5, v = h*(i/SIDE + 1) - 0.5;
    psi[i] = 0.1 - 2.0*(u*u + v*v);
    b[i] = load*h*h;
  }
  for (int j = 0, k = 0; j < N; j++) {   // the five-point Laplacian, column by column, times h^2
    const int neighbour[5] = {j >= SIDE ? j - SIDE : -1, j%SIDE ? j - 1 : -1, j,
                              j%SIDE < SIDE - 1 ? j + 1 : -1, j + SIDE < N ? j + SIDE : -1};
    for (int side = 0; side < 5; side++) {
      const int i = neighbour[side];
      if (i < 0) continue;
      row[k] = i;
      value[k] = i == j ? 4.0 : -1.0;
      b[i] += value[k++]*psi[j];
    }
    colptr[j + 1] = k;
  }
  const perp_csc matrix = {N, N, colptr, row, value};
  const perp_problem problem = {
      .A = perp_from_csc(&matrix, PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PD), .b = b};
  perp_result result;
  if (perp_solve_once(&problem, x, NULL, &result) != PERP_OK) return puts(perp_last_message()), 1;
  int contacts = 0;
  for (int i = 0; i < N; i++) {
    contacts += x[i] == 0.0;
    printf("%s%s", x[i] == 0.0 ? "##" : " .", i%SIDE == SIDE - 1 ? "\n" : "");
  }
  printf("%s: %d of %d points touch\n", perp_status_name(result.status), contacts, N);
  return result.status != PERP_STATUS_SOLVED;
}

// expect: solved: 37 of 441 points touch
