// test_farkas_product.c: proofs about operators that are never formed, at exponents where products
// of their parts leave the range of doubles although A itself does not.
#include "support.h"

static double power(int e) { return ldexp(1.0, e); }

static perp_farkas check(const perp_problem *p, const double *u) {
  perp_farkas f;
  if (perp_check_farkas(p, u, &f) != PERP_OK) fail_msg("%s", perp_last_message());
  return f;
}

// A vector that proves nothing: no solution with |x|_1 < 2^most may be excluded.
static void proves_nothing(const perp_problem *p, const double *u, int most, const char *name) {
  const perp_farkas f = check(p, u);
  if (f.proven || !(f.radius <= power(most)))
    fail_msg("%s: proven %d, radius %g above 2^%d: %s", name, f.proven, f.radius, most, f.reason);
}

// A = [2^(2j + w)], b = -1 and u = 2^s: x = 2^-(2j + w) is the solution.
static void one_row_has_its_solution(void **state) {
  (void)state;
  int seen = 0;
  const int32_t rowptr[] = {0, 1}, column[] = {0};
  for (int j = -1000; j <= 1000; j += 50)
    for (int w = -1000; w <= 1000; w += 50)
      for (int s = -1050; s <= 1000; s += 50) {
        const int entry = 2*j + w;
        if (abs(entry) > 1000) continue;
        const double J = power(j), W = power(w), b = -1.0, u = power(s);
        const perp_product P = {.n = 1, .dofs = 1, .rowptr = rowptr, .column = column, .value = &J,
                                .block = 1, .W = &W};
        const perp_problem p = {.A = perp_from_product(&P, 0), .b = &b};
        proves_nothing(&p, &u, -entry, "product");
        seen++;
      }
  assert_true(seen > 20000);
}

// The same as a contact without friction. u = 0 but for the normal, so only its column counts.
static void one_contact_has_its_solution(void **state) {
  (void)state;
  int seen = 0;
  const int32_t rowptr[] = {0, 1, 1}, column[] = {0};
  const double direction[] = {1.0, -1.0}, mu = 0.5, b[] = {-1, 0, 0, 0};
  for (int j = -1000; j <= 1000; j += 100)
    for (int w = -1000; w <= 1000; w += 100)
      for (int s = -1050; s <= 1000; s += 50) {
        const int entry = 2*j + w;
        if (abs(entry) > 1000) continue;
        const double J = power(j), W = power(w), u[] = {power(s), 0, 0, 0};
        const perp_contacts P = {.count = 1, .directions = 2, .tangents = 1, .direction = direction,
                                 .mu = &mu,
                                 .B = {.n = 2, .dofs = 1, .rowptr = rowptr, .column = column,
                                       .value = &J, .block = 1, .W = &W}};
        const perp_problem p = {.A = perp_from_contacts(&P, 0), .b = b};
        proves_nothing(&p, u, -entry, "contact");
        seen++;
      }
  assert_true(seen > 5000);
}

// Two opposing rows that cancel but for the last bit: (J'u) is 2^(j + s - 52), so that the free x_0
// is limited by g_0 = 2^(2j + w + s - 52). Intermediate numbers overflow in part of the cases.
static void almost_opposing_rows_prove_nothing(void **state) {
  (void)state;
  int seen = 0, overflows = 0;
  const int32_t rowptr[] = {0, 1, 2}, column[] = {0, 0};
  for (int j = -400; j <= 400; j += 40)
    for (int w = -1000; w <= 1000; w += 50)
      for (int s = -1000; s <= 1000; s += 50) {
        if (abs(2*j + w) > 1000) continue;
        const double J[] = {power(j), -power(j)*(1.0 + 0x1p-52)}, W = power(w), b[] = {-1, -1};
        const double lo[] = {-INF, 0.0}, u[] = {power(s), power(s)};
        const perp_product P = {.n = 2, .dofs = 1, .rowptr = rowptr, .column = column, .value = J,
                                .block = 1, .W = &W};
        const perp_problem p = {.A = perp_from_product(&P, 0), .b = b, .lo = lo};
        proves_nothing(&p, u, 1 + 52 - (2*j + w), "opposing");
        overflows += 2*j + w + s > 1023;
        seen++;
      }
  assert_true(seen > 20000 && overflows > 1000);
}

// What does cancel exactly is proven, at any exponent that leaves A in the range of doubles.
static void opposing_rows_are_proven(void **state) {
  (void)state;
  const int32_t rowptr[] = {0, 1, 2}, column[] = {0, 0};
  for (int j = -400; j <= 400; j += 40)
    for (int w = -400; w <= 400; w += 40) {
      if (abs(2*j + w) > 900) continue;
      const double J[] = {3.0*power(j), -3.0*power(j)}, W = 7.0*power(w), b[] = {-1, -1};
      const double u[] = {1, 1};
      const perp_product P = {.n = 2, .dofs = 1, .rowptr = rowptr, .column = column, .value = J,
                              .block = 1, .W = &W};
      const perp_problem p = {.A = perp_from_product(&P, 0), .b = b};
      const perp_farkas f = check(&p, u);
      if (!f.proven || f.radius != INF) fail_msg("2^%d, W 2^%d: %s", j, w, f.reason);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_row_has_its_solution),
    cmocka_unit_test(one_contact_has_its_solution),
    cmocka_unit_test(almost_opposing_rows_prove_nothing),
    cmocka_unit_test(opposing_rows_are_proven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
