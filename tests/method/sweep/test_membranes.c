// test_membranes.c: bearing, obstacle and torsion: minima to nine digits, orders, free boundaries.
//
// The reference is a projected over-relaxation of a few lines, and closed forms; the library's own
// answers must agree with both. The large sizes run in the long tests.
#include "support.h"

#include "gallery_sample.h"

static int long_tests(void) { return often(1) > 1; }

static perp_result solve(const char *method, const perp_problem *p, double *x) {
  perp_options options = perp_default_options(perp_find_method(method));
  perp_result r;
  assert_int_equal(perp_solve_once(p, x, &options, &r), PERP_OK);
  return r;
}

// Projected over-relaxation for symmetric matrices, until x moves by less than 1e-14 of its size.
static void relax(const perp_sample *s, double omega, double *x) {
  double change = 1.0, size = 1.0;
  for (int32_t sweep = 0; sweep < 20000 && change > 1e-14*size; sweep++) {
    change = size = 0.0;
    for (int32_t i = 0; i < s->n; i++) {
      double y = s->b[i], diagonal = 1.0;
      for (int32_t k = s->colptr[i]; k < s->colptr[i + 1]; k++) {
        y += s->value[k]*x[s->row[k]];
        if (s->row[k] == i) diagonal = s->value[k];
      }
      const double next = clamp(x[i] - omega*y/diagonal, lower(s->lo, i), upper(s->hi, i));
      change = max2(change, fabs(next - x[i]));
      size = max2(size, fabs(next));
      x[i] = next;
    }
  }
  assert_true(change <= 1e-14*size);
}

static double objective(const perp_sample *s, const double *x) {
  long double f = 0;
  for (int32_t j = 0; j < s->n; j++) {
    long double column = s->b[j];
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++)
      column += 0.5L*s->value[k]*x[s->row[k]];
    f += column*x[j];
  }
  return (double)f;
}

static double *zeros(const perp_sample *s) {
  double *x = calloc((size_t)s->n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

// ----------------------------------------------------------------------------------------- bearing

// Minima printed for MINPACK-2 and COPS, and the number of points without pressure.
static const struct {
  double nx, ny, e, f, digit;   // the last digit printed
  double omega;                 // for relax
  int32_t at_bound;             // -1: not printed
} bearings[] = {
  {8, 12, 0.1, -0.1834372196, 1e-10, 1.5, -1},
  {50, 50, 0.99, -60.15092732, 1e-8, 1.7, -1},
  {50, 50, 0.1, -0.180487995, 1e-9, 1.9, 824},
  {100, 100, 0.1, -0.1805743697, 1e-10, 1.95, 3232},
  {200, 200, 0.1, -0.1805975448, 1e-10, 1.975, -1},
  {400, 400, 0.1, -0.1806034087, 1e-10, 1.9875, -1},
};
enum { SMALL = 4, ALL = sizeof bearings/sizeof *bearings };

static void check_bearing(int c, const char *who, const perp_sample *s, const double *x) {
  const double f = objective(s, x);
  if (fabs(f - bearings[c].f) > 0.6*bearings[c].digit)
    fail_msg("%s on %s: f = %.12g, printed %.12g", who, s->note, f, bearings[c].f);
  int32_t at_bound = 0;
  for (int32_t i = 0; i < s->n; i++) at_bound += x[i] <= 1e-9;
  if (bearings[c].at_bound >= 0 && at_bound != bearings[c].at_bound)
    fail_msg("%s on %s: %d without pressure, printed %d", who, s->note, at_bound,
             bearings[c].at_bound);
}

static void minima_of_the_bearing(void **state) {
  (void)state;
  const char *const names[] = {"auto", "nncg", "apgd", "psor"};   // the last three: small ones only
  for (int c = 0; c < (long_tests() ? ALL : SMALL); c++) {
    perp_sample *s = make_with("bearing", 1, "nx", bearings[c].nx, "ny", bearings[c].ny, "e",
                               bearings[c].e, NULL);
    assert_true(s->has_objective && s->objective == bearings[c].f);
    double *x = zeros(s);
    relax(s, bearings[c].omega, x);
    check_bearing(c, "relaxation", s, x);
    for (int k = 0; k < (s->n < 5000 ? 4 : 1); k++) {
      memset(x, 0, (size_t)s->n*sizeof *x);
      const perp_result r = solve(names[k], &s->problem, x);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("%s on %s: %s", names[k], s->note, r.message);
      check_bearing(c, names[k], s, x);
    }
    free(x);
    drop(s);
  }
}

// ---------------------------------------------------------------------------------------- obstacle

#define RADIUS 0.697965148223374

typedef struct obstacle { double error, radius, inside, outside; } obstacle;

// u = psi + x against the exact u = psi for r < RADIUS, -A ln r + B outside: the largest error; the
// radius of a disk with the area of the contact set; the smallest r of a point off the obstacle and
// the largest of one on it.
static obstacle measure(int32_t m) {
  perp_sample *s = make_with("obstacle", 1, "size", (double)m, NULL);
  double *x = zeros(s);
  const double h = 4.0/(m + 1), rim = sqrt(1.0 - 0.81);
  obstacle out = {.inside = 4.0};
  int32_t contacts = 0;
  relax(s, 2.0/(1.0 + h), x);
  for (int32_t j = 0; j < s->n; j++) {
    const double px = -2.0 + h*(j%m + 1), py = -2.0 + h*(j/m + 1), r = sqrt(px*px + py*py);
    const double psi = r <= 0.9 ? sqrt(1.0 - r*r) : rim - 0.9/rim*(r - 0.9);
    const double u = r <= RADIUS ? psi : -0.680259411891719*log(r) + 0.471519893402112;
    out.error = max2(out.error, fabs(psi + x[j] - u));
    contacts += x[j] == 0.0;
    if (x[j] > 0.0) out.inside = min2(out.inside, r);
    else out.outside = max2(out.outside, r);
  }
  out.radius = sqrt(contacts*h*h/3.14159265358979323846);
  free(x);
  drop(s);
  return out;
}

static void obstacle_is_second_order(void **state) {
  (void)state;
  const int32_t fine = long_tests() ? 511 : 127;
  obstacle before = measure(15);
  const double first = before.error;
  int halvings = 0;
  for (int32_t m = 31; m <= fine; m = 2*m + 1) {
    const obstacle now = measure(m);
    const double h = 4.0/(m + 1);
    assert_true(now.error < before.error);
    // The exact boundary lies within two mesh widths of the contact set's, and so does its mean.
    assert_true(now.inside > RADIUS - 2.0*h && now.outside < RADIUS + 2.0*h);
    assert_true(fabs(now.radius - RADIUS) < h);
    before = now;
    halvings++;
  }
  const double factor = pow(first/before.error, 1.0/halvings);   // about 4 per halving of h
  assert_true(factor > 3.0 && factor < 6.0);
  assert_true(before.error < 4e-4);
}

// ----------------------------------------------------------------------------------------- torsion

static double torsion_minimum(int32_t m, double c, int32_t *plastic) {
  perp_sample *s = make_with("torsion", 1, "nx", (double)m, "ny", (double)m, "c", c, NULL);
  double *x = zeros(s);
  relax(s, 2.0/(1.0 + 3.0/(m + 1)), x);
  const double f = objective(s, x);
  *plastic = 0;
  for (int32_t i = 0; i < s->n; i++) *plastic += fabs(x[i]) == s->hi[i];
  memset(x, 0, (size_t)s->n*sizeof *x);
  const perp_result r = solve("auto", &s->problem, x);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", s->note, r.message);
  assert_true(fabs(objective(s, x) - f) <= 1e-9*fabs(f));
  free(x);
  drop(s);
  return f;
}

static void torsion_is_second_order(void **state) {
  (void)state;
  int32_t plastic;
  const double f1 = torsion_minimum(15, 5, &plastic), f2 = torsion_minimum(31, 5, &plastic);
  const double f3 = torsion_minimum(63, 5, &plastic);
  assert_true(plastic > 0);
  assert_true((f1 - f2)/(f2 - f3) > 3.4 && (f1 - f2)/(f2 - f3) < 4.6);
  assert_true(torsion_minimum(31, -5, &plastic) == f2);   // twisted the other way
  // Elastic (c small): minimum -c^2/2 * 0.0351443 of the torsion function of the unit square.
  assert_true(fabs(torsion_minimum(63, 0.5, &plastic)/(-0.125*0.0351442545) - 1.0) < 1e-3);
  assert_int_equal(plastic, 0);
  // Plastic (c large): u is the distance d but for strips of width 2/c along the diagonals, and
  // 1/2 int |grad d|^2 - c int d = 1/2 - c/6.
  assert_true(fabs(torsion_minimum(63, 500, &plastic)/(0.5 - 500.0/6.0) - 1.0) < 1e-3);
}

// Bilinear finite elements for the same problem, by their nine-point stencil: another discrete
// problem with the same limit. Returns its minimum.
static double torsion_bilinear(int32_t m, double c) {
  const int32_t side = m + 2;
  const double h = 1.0/(m + 1), omega = 2.0/(1.0 + 3.0/(m + 1));
  double *u = calloc((size_t)side*(size_t)side, sizeof *u), change = 1.0;
  assert_non_null(u);
  for (int32_t sweep = 0; sweep < 20000 && change > 1e-14; sweep++) {
    change = 0.0;
    for (int32_t y = 1; y <= m; y++) {
      for (int32_t x = 1; x <= m; x++) {
        double *at = &u[x + side*y], around = 0.0;
        for (int32_t dy = -1; dy <= 1; dy++)
          for (int32_t dx = -1; dx <= 1; dx++) around += at[dx + side*dy];
        const double gradient = (9.0*at[0] - around)/3.0 - c*h*h;
        const double bound = h*min2(min2(x, m + 1 - x), min2(y, m + 1 - y));
        const double next = clamp(at[0] - omega*gradient*3.0/8.0, -bound, bound);
        change = max2(change, fabs(next - at[0]));
        at[0] = next;
      }
    }
  }
  double f = 0.0;
  for (int32_t y = 1; y <= m; y++) {
    for (int32_t x = 1; x <= m; x++) {
      const double *at = &u[x + side*y];
      double around = 0.0;
      for (int32_t dy = -1; dy <= 1; dy++)
        for (int32_t dx = -1; dx <= 1; dx++) around += at[dx + side*dy];
      f += at[0]*((9.0*at[0] - around)/6.0 - c*h*h);
    }
  }
  free(u);
  return f;
}

// The limit of f for h -> 0, extrapolated from two meshes as for an error of h^2.
static void torsion_agrees_with_other_elements(void **state) {
  (void)state;
  int32_t plastic;
  for (int c = 5; c <= 10; c += 5) {   // the values of MINPACK-2
    const double ours =
        (4.0*torsion_minimum(63, c, &plastic) - torsion_minimum(31, c, &plastic))/3.0;
    const double theirs = (4.0*torsion_bilinear(63, c) - torsion_bilinear(31, c))/3.0;
    print_message("torsion c = %d: %.8f by five points, %.8f by nine\n", c, ours, theirs);
    assert_true(fabs(ours - theirs) < 3e-5*fabs(ours));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(minima_of_the_bearing),
    cmocka_unit_test(obstacle_is_second_order),
    cmocka_unit_test(torsion_is_second_order),
    cmocka_unit_test(torsion_agrees_with_other_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
