// test_body_interior.c: interior points through bodies, as a method of their own, on piles of
// bodies with redundant contacts: any bounds but none, problems that begin at their answer, and
// those that have none.
#include "support.h"

#include "body_interior.h"
#include "face_kind.h"

enum { SIDE = 7, POINTS = 4, LOCKED = 6, BODIES = SIDE*SIDE,
       PAIRS = 2*SIDE*(SIDE - 1) + SIDE, ROWS = POINTS*PAIRS, DOFS = LOCKED*BODIES };

typedef struct pile {        // a grid of bodies on a floor, four points of a plane in each contact
  int32_t n, rowptr[ROWS + 1], column[2*LOCKED*ROWS];
  double value[2*LOCKED*ROWS], W[LOCKED*DOFS], b[ROWS], lo[ROWS], hi[ROWS], x[ROWS];
  perp_product P;
  perp_problem problem;
} pile;

static int ended;            // by the last run

static void run_points(perp_run *run) {
  int failed;
  body_rows rows;
  assert_int_equal(body_rows_take(&run->A, run_allocator(run), &rows), 0);
  face *f = face_body_create(&rows, run_allocator(run), &failed);
  assert_non_null(f);
  assert_true(body_interior_apply(run, f));
  ended = body_interior(run, f);
  if (!ended) run_stop(run, PERP_STATUS_STALLED, "no progress");
  face_destroy(f);
}

static size_t no_bytes(const perp_limits *limits, const perp_options *options) {
  (void)limits, (void)options;
  return 0;
}

static const perp_method method_points = {
  .name = "points", .title = "body_interior alone", .source = "test", .formula = "-",
  .converges = "-", .cost = "-", .advice = "-", .needs = PERP_NEEDS_SUBMATRIX,
  .accepts = PERP_ACCEPTS_BOXED, .assumes = 1u << PERP_CLASS_SPD, .traits = PERP_TRAIT_GUESS,
  .bytes = no_bytes, .run = run_points};

// A row that pushes body a (-1: the floor) up against body c along axis k, at (s, t) of the face.
static void put(pile *p, int a, int c, int k, double s, double t, double b) {
  const int who[2] = {a, c};
  int32_t at = p->rowptr[p->n];
  for (int turn = 0; turn < 2; turn++) {
    if (who[turn] < 0) continue;
    const double sign = turn == 0 ? -1.0 : 1.0, entry[LOCKED] =
      {k == 0 ? sign : 0.0, k == 1 ? sign : 0.0, 0.0, sign*s, sign*t, 0.0};
    for (int l = 0; l < LOCKED; l++) {
      p->column[at] = LOCKED*who[turn] + l;
      p->value[at++] = entry[l];
    }
  }
  p->b[p->n] = b;
  p->lo[p->n] = 0.0;
  p->hi[p->n] = INF;
  p->x[p->n] = 0.0;
  p->rowptr[++p->n] = at;
}

// Velocities u make b = J u, so that redundant rows agree, and u + W J'x must separate all.
static void build(pile *p, double still) {
  static const double corner[POINTS][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  double u[DOFS];
  memset(p, 0, sizeof *p);
  for (int i = 0; i < BODIES; i++)
    for (int l = 0; l < LOCKED; l++) {
      u[LOCKED*i + l] = uniform() < still ? 0.0 : between(-1.0, 1.0);
      p->W[LOCKED*(LOCKED*i + l) + l] = between(0.5, 2.0);
    }
  for (int r = 0; r < SIDE; r++)
    for (int c = 0; c < SIDE; c++)
      for (int q = 0; q < 2*POINTS; q++) {
        const int beside = q >= POINTS, body = SIDE*r + c;
        const double *at = corner[q%POINTS];
        if (beside && c == 0) continue;
        put(p, beside ? body - 1 : body - SIDE, body, beside ? 0 : 1, at[0], at[1], 0.0);
      }
  assert_int_equal(p->n, ROWS);
  for (int32_t i = 0; i < p->n; i++)
    for (int32_t k = p->rowptr[i]; k < p->rowptr[i + 1]; k++)
      p->b[i] += p->value[k]*u[p->column[k]];
}

static perp_result solve(pile *p) {
  p->P = (perp_product){.n = p->n, .dofs = DOFS, .rowptr = p->rowptr, .column = p->column,
                        .value = p->value, .block = LOCKED, .W = p->W};
  p->problem = (perp_problem){.A = perp_from_product(&p->P, PERP_CLAIM_SYMMETRIC), .b = p->b,
                              .lo = p->lo, .hi = p->hi};
  perp_options options = perp_default_options(&method_points);
  perp_result result;
  ended = 1;
  options.method = &method_points;
  // A stage and no method: at tol others go on where a row is still wrong beside its own data.
  options.componentwise_tol = INF;
  if (perp_solve_once(&p->problem, p->x, &options, &result) != PERP_OK)
    fail_msg("%s", perp_last_message());
  return result;
}

// max |x - mid(lo, x - y, hi)|, with y formed here
static double natural(const pile *p) {
  double u[DOFS] = {0}, worst = 0.0;
  for (int32_t i = 0; i < p->n; i++)
    for (int32_t k = p->rowptr[i]; k < p->rowptr[i + 1]; k++)
      u[p->column[k]] += p->value[k]*p->x[i];
  for (int32_t j = 0; j < DOFS; j++) u[j] *= p->W[LOCKED*j + j%LOCKED];
  for (int32_t i = 0; i < p->n; i++) {
    double y = p->b[i];
    for (int32_t k = p->rowptr[i]; k < p->rowptr[i + 1]; k++) y += p->value[k]*u[p->column[k]];
    worst = fmax(worst, fabs(p->x[i] - fmin(fmax(p->x[i] - y, p->lo[i]), p->hi[i])));
  }
  return worst;
}

static void solves(pile *p, int32_t most) {
  const perp_result r = solve(p);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s", r.message);
  assert_true(natural(p) < 1e-6);
  if (r.factorizations > most) fail_msg("%d factorisations", (int)r.factorizations);
}

// Methods that use this stage go on until each row is right beside its own data.
static void solves_by_methods(const pile *p) {
  static const char *const names[] = {"active_set", "auto"};
  double x[ROWS];
  for (int k = 0; k < 2; k++) {
    const perp_options options = perp_default_options(perp_find_method(names[k]));
    perp_result r;
    memset(x, 0, sizeof x);
    if (perp_solve_once(&p->problem, x, &options, &r) != PERP_OK) fail_msg("%s",
                                                                           perp_last_message());
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", names[k], r.message);
    assert_true(r.certificate.componentwise <= 1e-2);
  }
}

static void test_redundant_contacts(void **state) {
  (void)state;
  static pile p;
  for (int trial = 0; trial < fewer(10); trial++) {
    build(&p, trial%3 == 0 ? 0.0 : trial%3 == 1 ? 0.5 : 0.9);
    solves(&p, 40);
    solves_by_methods(&p);
    // from near the answer, and from far away
    for (int32_t i = 0; i < p.n; i++) p.x[i] *= between(0.9, 1.1);
    solves(&p, 60);
    for (int32_t i = 0; i < p.n; i++) p.x[i] = between(0.0, 1000.0);
    solves(&p, 60);
  }
}

static void test_all_kinds_of_bounds(void **state) {
  (void)state;
  static pile p;
  for (int trial = 0; trial < fewer(10); trial++) {
    build(&p, 0.3);
    for (int32_t i = 0; i < p.n; i++) {
      const int kind = whole(0, 4);
      if (kind == 1) p.hi[i] = between(0.0, 1.0);
      else if (kind == 2) p.lo[i] = p.hi[i] = between(0.0, 0.5);
      else if (kind == 3) {
        p.lo[i] = between(-2.0, -1.0);
        p.hi[i] = between(-1.0, 1.0);
      }
    }
    for (int32_t i = 0; i < p.n; i += 9) {   // from above only
      p.lo[i] = -INF;
      p.hi[i] = 0.0;
    }
    solves(&p, 40);
  }
}

// A body between two others that close in on it from both sides, neither of which can yield.
static void test_no_solution(void **state) {
  (void)state;
  static pile p;
  build(&p, 0.5);
  p.n = 0;
  put(&p, -1, 0, 0, 0.0, 0.0, -1.0);   // u >= 1
  put(&p, 0, -1, 0, 0.0, 0.0, -1.0);   // -u >= 1
  const perp_result r = solve(&p);
  assert_true(r.status != PERP_STATUS_SOLVED && !ended);
  for (int32_t i = 0; i < p.n; i++) assert_true(isfinite(p.x[i]));
}

static void test_one_row(void **state) {
  (void)state;
  static pile p;
  build(&p, 0.5);
  p.n = 0;
  put(&p, -1, 3, 1, 0.5, 0.25, -2.0);
  const perp_result r = solve(&p);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_true(p.x[0] > 0.0 && natural(&p) < 1e-7);
}

// A row without bounds, or a face by entries, is somebody else's.
typedef struct asked { int applies; } asked;
static asked answer;

static void run_ask(perp_run *run) {
  int failed;
  face *f = face_entries_create(&run->A, run_allocator(run), &failed);
  assert_non_null(f);
  answer.applies = body_interior_apply(run, f);
  face_destroy(f);
  run_stop(run, PERP_STATUS_STALLED, "asked");
}

static void test_not_by_entries(void **state) {
  (void)state;
  static pile p;
  perp_method ask = method_points;
  ask.run = run_ask;
  build(&p, 0.0);
  p.P = (perp_product){.n = p.n, .dofs = DOFS, .rowptr = p.rowptr, .column = p.column,
                       .value = p.value, .block = LOCKED, .W = p.W};
  p.problem = (perp_problem){.A = perp_from_product(&p.P, PERP_CLAIM_SYMMETRIC), .b = p.b};
  perp_options options = perp_default_options(&ask);
  perp_result result;
  options.method = &ask;
  answer.applies = 1;
  assert_int_equal(perp_solve_once(&p.problem, p.x, &options, &result), PERP_OK);
  assert_int_equal(answer.applies, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_redundant_contacts), cmocka_unit_test(test_all_kinds_of_bounds),
    cmocka_unit_test(test_no_solution), cmocka_unit_test(test_one_row),
    cmocka_unit_test(test_not_by_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
