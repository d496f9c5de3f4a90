// test_newton_contacts.c: Newton's method on the faces of contacts solves what has known answers,
// and what contact_scene.h draws, certified by entries that the library did not form.
#include "contact_scene.h"

#include "block_lu.h"
#include "friction_cone.h"

static contact_scene s;

static perp_error attempt(const char *method, const perp_problem *p, double *x, perp_result *r) {
  const perp_options o = perp_default_options(perp_find_method(method));
  return perp_solve_once(p, x, &o, r);
}

static perp_result solve(const char *method, const perp_problem *p, double *x) {
  perp_result r;
  if (attempt(method, p, x, &r) != PERP_OK) fail_msg("%s: %s", method, perp_last_message());
  return r;
}

// ---- one body on the floor: W = 1/m on x, y, z; the normal is z ----

typedef struct block_on_floor {
  int32_t rowptr[4], column[3];
  double value[3], W[3], mu, direction[2*MOST_K], b[2 + MOST_K];
  perp_contacts contacts;
  perp_problem problem;
} block_on_floor;

static void put_block(block_on_floor *f, int32_t K, double mass, double mu, const double *v) {
  *f = (block_on_floor){.rowptr = {0, 1, 2, 3}, .column = {2, 0, 1}, .value = {1, 1, 1},
                        .W = {1/mass, 1/mass, 1/mass}, .mu = mu};
  f->b[0] = v[2];
  for (int32_t k = 0; k < K; k++) {
    f->direction[2*k] = cos(6.283185307179586*k/K);
    f->direction[2*k + 1] = sin(6.283185307179586*k/K);
    f->b[1 + k] = f->direction[2*k]*v[0] + f->direction[2*k + 1]*v[1];
  }
  f->contacts = (perp_contacts){.count = 1, .directions = K, .tangents = 2,
                                .direction = f->direction, .mu = &f->mu,
                                .B = {.n = 3, .dofs = 3, .rowptr = f->rowptr, .column = f->column,
                                      .value = f->value, .block = 1, .W = f->W}};
  f->problem = (perp_problem){.A = perp_from_contacts(&f->contacts, PERP_CLAIM_NONE), .b = f->b};
}

// A block that is pressed with the speed p and slides with u along direction 0: it stops if
// u <= mu p, else friction is mu m p and u - mu p is left.
static void a_block_on_the_floor_opens_sticks_or_slides(void **state) {
  (void)state;
  static const int32_t Ks[] = {3, 4, 5, 8};
  static const double mus[] = {0.0, 0.3, 2.0};
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 3; b++)
      for (int c = 0; c < 40; c++) {
        const double mass = between(0.1, 10), p = between(-0.2, 1), u = between(0, 1), mu = mus[b];
        block_on_floor f;
        double x[2 + MOST_K] = {0.0};
        put_block(&f, Ks[a], mass, mu, (double[3]){u, 0.0, -p});
        assert_int_equal(solve("contact_newton", &f.problem, x).status, PERP_STATUS_SOLVED);
        const double press = p > 0.0 ? p : 0.0, most = mu*press, stop = u < most ? u : most;
        assert_true(fabs((x[0]) - (mass*press)) <= 1e-8*mass);
        double along = 0.0, across = 0.0;
        for (int32_t k = 0; k < Ks[a]; k++) {
          along += x[1 + k]*f.direction[2*k];
          across += x[1 + k]*f.direction[2*k + 1];
        }
        // the corner opposite to direction 0 is there for even K only
        if (Ks[a] % 2 == 0) {
          assert_true(fabs((along) - (-mass*stop)) <= 1e-8*mass);
          assert_true(fabs((across) - (0.0)) <= 1e-8*mass);
          assert_true(fabs((x[1 + Ks[a]]) - (u - stop)) <= 1e-8);
        }
      }
}

// ---- a tower: boxes of mass 1 on each other, four contacts between two: redundant ----

enum { BOXES = 12, POINTS = 4*BOXES };

static void every_box_of_a_tower_carries_those_above(void **state) {
  (void)state;
  static int32_t rowptr[3*POINTS + 1], column[3*POINTS*12];
  static double value[3*POINTS*12], W[6*BOXES], mu[POINTS], b[6*POINTS], x[6*POINTS];
  static const double direction[8] = {1, 0, 0, 1, -1, 0, 0, -1};
  int32_t used = 0;
  const double speed = 0.1;   // of free fall in a step
  for (int32_t i = 0; i < 6*BOXES; i++) W[i] = i % 6 < 3 ? 1.0 : 6.0;
  for (int32_t c = 0; c < POINTS; c++) {
    const int32_t box = c/4;
    const double px = c & 1 ? 0.5 : -0.5, py = c & 2 ? 0.5 : -0.5;
    static const int axis[3] = {2, 0, 1};
    mu[c] = 0.5;
    for (int t = 0; t < 3; t++) {
      rowptr[3*c + t] = used;
      for (int side = 1; side >= 0; side--) {   // the box below first
        if (box - side < 0) continue;
        const double sign = side ? -1.0 : 1.0, r[3] = {px, py, side ? 0.5 : -0.5};
        double e[3] = {0.0};
        e[axis[t]] = sign;
        const double row[6] = {e[0], e[1], e[2], r[1]*e[2] - r[2]*e[1], r[2]*e[0] - r[0]*e[2],
                               r[0]*e[1] - r[1]*e[0]};
        for (int k = 0; k < 6; k++) {
          if (row[k] == 0.0) continue;
          column[used] = 6*(box - side) + k;
          value[used++] = row[k];
        }
      }
    }
    b[c] = box == 0 ? -speed : 0.0;
  }
  rowptr[3*POINTS] = used;
  const perp_contacts contacts = {.count = POINTS, .directions = 4, .tangents = 2,
                                  .direction = direction, .mu = mu,
                                  .B = {.n = 3*POINTS, .dofs = 6*BOXES, .rowptr = rowptr,
                                        .column = column, .value = value, .block = 1, .W = W}};
  const perp_problem p = {.A = perp_from_contacts(&contacts, PERP_CLAIM_NONE), .b = b};
  const perp_result r = solve("contact_newton", &p, x);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  for (int32_t box = 0; box < BOXES; box++) {
    double sum = 0.0;
    for (int k = 0; k < 4; k++) sum += x[4*box + k];
    assert_true(fabs((sum) - (speed*(BOXES - box))) <= 1e-5);
  }
}

// ---- random ones ----

static scene_kind kind_of(int trial) {
  static const int32_t Ks[] = {3, 4, 5, 8};
  const int plane = trial % 5 == 0;
  return (scene_kind){.count = 1 + trial % CONTACTS, .K = plane ? 2 : Ks[trial % 4],
                      .tangents = plane ? 1 : 2, .boxes = trial/2 % 2, .soft = trial % 7 == 0,
                      .mass = pow(10.0, trial % 4 == 1 ? between(-3, 3) : 0.0),
                      .size = pow(10.0, trial % 3 == 1 ? between(-6, 6) : 0.0)};
}

static void random_contacts_are_certified_by_their_entries(void **state) {
  (void)state;
  int solved = 0, solvable = 0;
  for (int trial = 0; trial < 400; trial++) {
    const scene_kind kind = kind_of(trial);
    draw_contacts(&s, &kind);
    const perp_problem p = {.A = perp_from_contacts(&s.contacts, PERP_CLAIM_NONE), .b = s.b},
                       csc = {.A = perp_from_csc(&s.csc, PERP_CLAIM_NONE), .b = s.b};
    double x[SCENE_ROWS] = {0.0}, y[SCENE_ROWS] = {0.0};
    const perp_result r = solve("contact_newton", &p, x);
    for (int32_t i = 0; i < s.n; i++) assert_true(isfinite(x[i]) && x[i] >= 0.0);
    perp_certificate c;
    assert_int_equal(perp_certify(&csc, x, 1e-6, 0.0, NULL, &c), PERP_OK);
    if (r.status == PERP_STATUS_SOLVED) assert_true(c.solved);   // up to the other's scaling
    const int known = solve("lemke", &csc, y).status == PERP_STATUS_SOLVED;
    solvable += known;
    solved += known && r.status == PERP_STATUS_SOLVED;
  }
  print_message("%d of %d\n", solved, solvable);
  assert_true(solvable >= 350 && solved >= solvable*97/100);
}

static void auto_takes_it_first(void **state) {
  (void)state;
  const scene_kind kind = {.count = CONTACTS, .K = 4, .tangents = 2, .mass = 1, .size = 1};
  draw_contacts(&s, &kind);
  const perp_problem p = {.A = perp_from_contacts(&s.contacts, PERP_CLAIM_NONE), .b = s.b};
  char plan[512];
  assert_int_equal(perp_auto_plan(&p, plan, sizeof plan), PERP_OK);
  assert_int_equal(strncmp(plan, "contact_newton (", 16), 0);
}

static void entries_alone_are_refused(void **state) {
  (void)state;
  const scene_kind kind = {.count = 3, .K = 4, .tangents = 2, .mass = 1, .size = 1};
  draw_contacts(&s, &kind);
  const perp_problem csc = {.A = perp_from_csc(&s.csc, PERP_CLAIM_NONE), .b = s.b};
  double x[SCENE_ROWS] = {0.0};
  perp_result r;
  assert_int_equal(attempt("contact_newton", &csc, x, &r), PERP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(perp_last_message(), "perp_from_contacts"));
}

// Pressed against a floor by a body that cannot move: no solution, and none may be claimed.
static void what_cannot_give_way_is_not_solved(void **state) {
  (void)state;
  block_on_floor f;
  double x[6] = {0.0};
  put_block(&f, 4, 1.0, 0.3, (double[3]){0.1, 0.0, -1.0});
  f.W[2] = 0.0;
  perp_result r = solve("contact_newton", &f.problem, x);
  assert_int_not_equal(r.status, PERP_STATUS_SOLVED);
  for (int i = 0; i < 6; i++) assert_true(isfinite(x[i]));
  f.W[0] = f.W[1] = 0.0;
  r = solve("contact_newton", &f.problem, x);
  assert_int_not_equal(r.status, PERP_STATUS_SOLVED);
}

static void limits_are_kept(void **state) {
  (void)state;
  const scene_kind kind = {.count = CONTACTS, .K = 4, .tangents = 2, .mass = 1, .size = 1};
  perp_options o = perp_default_options(perp_find_method("contact_newton"));
  o.iteration_limit = 3;
  for (int trial = 0; trial < 20; trial++) {
    double x[SCENE_ROWS] = {0.0};
    perp_result r;
    draw_contacts(&s, &kind);
    const perp_problem p = {.A = perp_from_contacts(&s.contacts, PERP_CLAIM_NONE), .b = s.b};
    assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
    assert_true(r.iterations <= 3);
  }
}

// ---- parts ----

static void blocks_solve_what_they_were_given(void **state) {
  (void)state;
  enum { N = 30, EDGES = 60 };
  for (int trial = 0; trial < 10; trial++) {
    static double A[6*N][6*N];
    memset(A, 0, sizeof A);
    int32_t colptr[N + 1] = {0}, row[EDGES], from[EDGES];
    for (int32_t e = 0; e < EDGES; e++) {
      from[e] = e/2;
      row[e] = whole(0, N - 1);
      colptr[from[e] + 1] = e + 1;
    }
    const perp_csc graph = {N, N, colptr, row, NULL};
    block_lu *f = block_lu_create(&graph, NULL);
    assert_non_null(f);
    block_lu_identity(f);
    for (int i = 0; i < 6*N; i++) A[i][i] = 1.0;
    for (int32_t e = 0; e < EDGES; e++)
      for (int side = 0; side < 4; side++) {
        const int32_t i = side & 1 ? row[e] : from[e], j = side & 2 ? row[e] : from[e];
        double X[36];
        for (int t = 0; t < 36; t++) X[t] = between(-0.02, 0.02);
        block_lu_add(f, i, j, X);
        for (int t = 0; t < 36; t++) A[6*i + t/6][6*j + t % 6] += X[t];
      }
    assert_int_equal(block_lu_factor(f, NULL), 0);
    double z[6*N], v[6*N];
    for (int i = 0; i < 6*N; i++) z[i] = between(-1, 1);
    for (int i = 0; i < 6*N; i++) {
      v[i] = 0.0;
      for (int j = 0; j < 6*N; j++) v[i] += A[i][j]*z[j];
    }
    block_lu_solve(f, v);
    for (int i = 0; i < 6*N; i++) assert_true(fabs((v[i]) - (z[i])) <= 1e-11);
    block_lu_destroy(f);
  }
}

// The determinant of small blocks by elimination without blocks; its sign is that of the factor.
static void blocks_know_the_sign_of_the_determinant(void **state) {
  (void)state;
  enum { N = 4, ROWS = 6*N };
  int negative = 0;
  for (int trial = 0; trial < 60; trial++) {
    static double A[ROWS][ROWS];
    const int32_t colptr[N + 1] = {0, 1, 2, 3, 3}, row[3] = {1, 2, 3};   // a chain
    const perp_csc graph = {N, N, colptr, row, NULL};
    block_lu *f = block_lu_create(&graph, NULL);
    assert_non_null(f);
    block_lu_identity(f);
    memset(A, 0, sizeof A);
    for (int i = 0; i < ROWS; i++) A[i][i] = 1.0;
    for (int32_t i = 0; i < N; i++)
      for (int32_t j = 0; j < N; j++) {
        double X[36];
        if (j > i + 1 || i > j + 1) continue;
        for (int t = 0; t < 36; t++) X[t] = between(-1, 1);
        block_lu_add(f, i, j, X);
        for (int t = 0; t < 36; t++) A[6*i + t/6][6*j + t % 6] += X[t];
      }
    assert_int_equal(block_lu_factor(f, NULL), 0);
    int sign = 1;
    for (int k = 0; k < ROWS; k++) {
      int p = k;
      for (int i = k + 1; i < ROWS; i++)
        if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
      for (int j = 0; j < ROWS && p != k; j++) {
        const double t = A[k][j];
        A[k][j] = A[p][j];
        A[p][j] = t;
      }
      if ((p != k) != (A[k][k] < 0.0)) sign = -sign;
      for (int i = k + 1; i < ROWS; i++) {
        const double t = A[i][k]/A[k][k];
        for (int j = k; j < ROWS; j++) A[i][j] -= t*A[k][j];
      }
    }
    assert_int_equal(block_lu_sign(f), sign);
    negative += sign < 0;
    block_lu_destroy(f);
  }
  assert_true(negative > 10 && negative < 50);
}

static void directions_must_go_around(void **state) {
  (void)state;
  polygon C;
  const double good[8] = {1, 0, 0, 1, -1, 0, 0, -1}, clockwise[8] = {1, 0, 0, -1, -1, 0, 0, 1},
               half[6] = {1, 0, 0.5, 0.5, 0, 1}, dent[8] = {1, 0, 0.1, 0.1, 0, 1, -1, -1};
  assert_true(polygon_set(&C, 4, 2, good));
  assert_false(polygon_set(&C, 4, 2, clockwise));
  assert_false(polygon_set(&C, 3, 2, half));
  assert_false(polygon_set(&C, 4, 2, dent));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_on_the_floor_opens_sticks_or_slides),
    cmocka_unit_test(every_box_of_a_tower_carries_those_above),
    cmocka_unit_test(random_contacts_are_certified_by_their_entries),
    cmocka_unit_test(auto_takes_it_first),
    cmocka_unit_test(entries_alone_are_refused),
    cmocka_unit_test(what_cannot_give_way_is_not_solved),
    cmocka_unit_test(limits_are_kept),
    cmocka_unit_test(blocks_solve_what_they_were_given),
    cmocka_unit_test(blocks_know_the_sign_of_the_determinant),
    cmocka_unit_test(directions_must_go_around),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
