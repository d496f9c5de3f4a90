// enumerate_all.c: all solutions of a small problem, and the proof that another one has none.
#include <perp/method.h>
#include <stdio.h>

static int print(void *context, const double *x, int32_t n, int32_t dimension) {
  (void)context;
  printf("x = (");
  for (int32_t i = 0; i < n; i++) printf("%s%.4f", i > 0 ? ", " : "", x[i]);
  printf(")%s\n", dimension > 0 ? " and others on its face" : "");
  return 0;   // go on
}

static int enumerate(const char *title, const double *A, const double *b) {
  const perp_dense matrix = {.n = 2, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&matrix, PERP_CLAIM_NONE), .b = b};
  perp_options options = perp_default_options(perp_find_method("enumerate"));
  options.on_solution = print;
  double x[2] = {0};
  perp_result result;
  printf("%s\n", title);
  if (perp_solve_once(&problem, x, &options, &result) != PERP_OK)
    return fprintf(stderr, "%s\n", perp_last_message()), 1;
  printf("%s: %lld found\n", perp_status_name(result.status), (long long)result.solutions);
  return 0;
}

int main(void) {
  // symmetric, but x'Ax is negative along (1, -1)
  const double A[] = {1, 2, 2, 1}, b[] = {-1, -1};
  const double R[] = {1, 1, 1, 1}, s[] = {-1, -1};   // singular: a whole edge of solutions
  const double N[] = {0, 1, 0, 0}, q[] = {-1, 1};    // feasible, but unsolvable
  return enumerate("several:", A, b) | enumerate("an edge:", R, s) | enumerate("none:", N, q);
}

// expect: x = (1.0000, 0.0000)
// expect: x = (0.0000, 1.0000)
// expect: x = (0.3333, 0.3333)
// expect: solved: 3 found
// expect: x = (0.5000, 0.5000) and others on its face
// expect: solved: 1 found
// expect: no solution: 0 found
