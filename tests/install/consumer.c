/* consumer.c: a program that knows perp only from its prefix; valid C and valid C++. */
#include <perp/gallery.h>
#include <perp/method.h>
#include <perp/perp.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const double entries[] = {2, 1, 1, 2}, b[] = {-5, 1};
  perp_dense matrix;
  perp_problem problem;
  perp_result result;
  double x[2] = {0, 0};
  memset(&matrix, 0, sizeof matrix);
  memset(&problem, 0, sizeof problem);
  matrix.n = 2;
  matrix.value = entries;
  problem.A = perp_from_dense(&matrix, PERP_CLAIM_SYMMETRIC);
  problem.b = b;
  for (int32_t k = 0; k < perp_method_count(); k++) {   /* every method of the table finds it */
    const perp_options options = perp_default_options(perp_method_at(k));
    if (perp_method_accepts(perp_method_at(k), &problem) != PERP_OK) continue;
    x[0] = x[1] = 0;
    if (perp_solve_once(&problem, x, &options, &result) != PERP_OK ||
        result.status != PERP_STATUS_SOLVED) {
      fprintf(stderr, "%s: %s\n", perp_method_at(k)->name, perp_last_message());
      return 1;
    }
  }
  printf("%s: x = (%.6g, %.6g), perp %s\n", perp_status_name(result.status), x[0], x[1],
         perp_version());
  return strcmp(perp_version(), PERP_VERSION_STRING) != 0 || perp_family_count() < 1;
}
