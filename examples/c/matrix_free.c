// matrix_free.c: A known only through products: a soap film spanned over a ball,
// on a grid of 40 x 40 points.
//
// The film is 0 along the rim and lies on the obstacle psi or above it.
// Where it floats its Laplacian is 0:
//     x >= psi,   y = -laplace(x) >= 0,   y_i = 0 where x_i > psi_i.
//
//     cc matrix_free.c $(pkg-config --cflags --libs perp) -lm -o matrix_free
#include <math.h>
#include <perp/method.h>
#include <stdio.h>

enum { SIDE = 40, N = SIDE*SIDE };

static int apply(void *context, const double *x, double *y) {   // y = -h^2 laplace(x), five points
  (void)context;
  for (int r = 0; r < SIDE; r++)
    for (int c = 0; c < SIDE; c++) {
      const int i = r*SIDE + c;
      y[i] = 4*x[i] - (r > 0 ? x[i - SIDE] : 0) - (r < SIDE - 1 ? x[i + SIDE] : 0)
                    - (c > 0 ? x[i - 1] : 0) - (c < SIDE - 1 ? x[i + 1] : 0);
    }
  return 0;   // anything else would end the solve with PERP_ERROR_OPERATOR
}

int main(void) {
  static double b[N], psi[N], x[N], diagonal[N], y[N];
  for (int i = 0; i < N; i++) {
    const double u = (i/SIDE + 1.0)/(SIDE + 1) - 0.5, v = (i%SIDE + 1.0)/(SIDE + 1) - 0.5;
    psi[i] = sqrt(fmax(0.25 - u*u - v*v, 0)) - 0.25;    // the top of a ball
    diagonal[i] = 4;
  }
  const perp_callback matrix = {.n = N, .apply = apply, .diagonal = diagonal};
  const perp_problem problem = {.A = perp_from_callback(&matrix,
                                                        PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PD),
                                .b = b, .lo = psi};
  perp_result result;
  if (perp_solve_once(&problem, x, NULL, &result) != PERP_OK)
    return fprintf(stderr, "%s\n", perp_last_message()), 1;
  printf("%s by %s\n", perp_status_name(result.status), result.method->name);

  perp_certificate certificate;   // the same verdict again, from the data alone, and y with it
  if (perp_certify(&problem, x, 1e-8, 0, y, &certificate) != PERP_OK) return 1;
  int touching = 0;
  for (int i = 0; i < N; i++) touching += x[i] == psi[i];
  printf("certificate: %s%s\n", certificate.solved ? "holds" : "fails",
         certificate.weaker ? ", scaled by the diagonal only" : "");
  printf("%d of %d points touch the ball\n", touching, N);
  return !certificate.solved;
}

// expect: solved by apgd
// expect: certificate: holds, scaled by the diagonal only
// expect: points touch the ball
