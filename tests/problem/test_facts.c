// test_facts.c: facts of A against the same facts by brute force, on every kind of operator, when they
// are learned and forgotten, missing memory, and no time.
#include "counting.h"
#include "driver.h"
#include "facts.h"
#include "subjects.h"
#include "support.h"

enum {
  ALL = FACTS_MIRRORED | FACTS_ASYMMETRY | FACTS_ENTRIES | FACTS_SIGNS | FACTS_CONTACTS
};

typedef struct matrix {
  int32_t n;
  double M[N][N];
  int rounded;               // 1: an operator computes these entries, in another order
} matrix;

// ---- facts by their definitions

static facts by_brute_force(const matrix *A) {
  int close = 0;
  facts f = {.positive = 1, .z = 1, .nearly_dominant = 1, .monotone = 1, .tridiagonal = 1};
  int rows = 1, columns = 1;
  for (int i = 0; i < A->n; i++) {
    double row = 0.0, column = 0.0, unpaired = 0.0;
    const double d = A->M[i][i];
    f.nnz += d != 0.0;
    for (int j = 0; j < A->n; j++) {
      const double a = A->M[i][j], b = A->M[j][i];
      if (i == j) continue;
      const double size = fmax(fmax(fabs(a), fabs(b)), sqrt(fabs(d))*sqrt(fabs(A->M[j][j])));
      if (a != b) f.asymmetry.most = fmax(f.asymmetry.most, fabs(a - b)/size);
      f.nnz += a != 0.0;
      f.z &= a <= 0.0;
      f.tridiagonal &= a == 0.0 || abs(i - j) <= 1;
      row += fabs(a);
      column += fabs(b);
      unpaired = fmax(unpaired, fabs(a + b));
    }
    f.positive &= d >= 0.0;
    f.hollow |= d == 0.0;
    close |= fabs(d - row) <= 1e-13*d || fabs(d - column) <= 1e-13*d;
    rows &= d > 0.0 && d >= row;
    columns &= d > 0.0 && d >= column;
    f.nearly_dominant &= d >= (1.0 - 1e-12)*column;
    f.monotone &= d > 0.0 || (d == 0.0 && unpaired <= 1e-9*fmax(row, column));
  }
  f.dominant = A->rounded && close ? -1 : rows || columns;   // -1: rounding decides
  return f;
}

static void expect(const char *name, const facts *f, const facts *brute) {
  const double most = brute->asymmetry.most, found = f->asymmetry.most;
  const int same = f->positive == brute->positive && f->hollow == brute->hollow &&
                   f->z == brute->z &&
                   (brute->dominant < 0 || f->dominant == brute->dominant) &&
                   f->nearly_dominant == brute->nearly_dominant && f->monotone == brute->monotone &&
                   f->tridiagonal == brute->tridiagonal && f->nnz == brute->nnz;
  // beyond SYMMETRY_REFINED any pair will do
  const int near = most <= SYMMETRY_REFINED ? fabs(found - most) <= 1e-14
                                            : found > SYMMETRY_REFINED && found <= most + 1e-14;
  if (!same || !near)
    fail_msg("%s: asymmetry %g, not %g; nnz %d, positive %d, hollow %d, z %d, dominant %d, "
             "nearly %d, monotone %d, tridiagonal %d; not %d, %d %d %d %d %d %d %d", name, found,
             most, (int)f->nnz, f->positive, f->hollow, f->z, f->dominant, f->nearly_dominant,
             f->monotone, f->tridiagonal, (int)brute->nnz, brute->positive, brute->hollow,
             brute->z, brute->dominant, brute->nearly_dominant, brute->monotone,
             brute->tridiagonal);
}

// A pair that is named has that asymmetry.
static void expect_pair(const facts *f, const matrix *A) {
  const int32_t i = f->asymmetry.i, j = f->asymmetry.j;
  if (i < 0) return;
  assert_true(i < j);
  const double size = fmax(fmax(fabs(A->M[i][j]), fabs(A->M[j][i])),
                           sqrt(fabs(A->M[i][i]))*sqrt(fabs(A->M[j][j])));
  assert_true(fabs(fabs(A->M[i][j] - A->M[j][i])/size - f->asymmetry.most) <= 1e-14);
}

// ---- all kinds of operators

static void check_subject(const subject *s) {
  matrix A = {.n = s->n, .rounded = 1};
  facts f = {0};
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < s->n; j++) A.M[i][j] = (double)s->M[i][j];
  const facts brute = by_brute_force(&A);
  const int code = facts_learn(&f, &s->A, ALL & ~FACTS_MIRRORED, NULL, NULL);
  if (s->A.ops->submatrix != NULL) {
    assert_int_equal(code, 0);
    assert_int_equal(f.known | FACTS_MIRRORED, ALL);
    expect(s->name, &f, &brute);
    expect_pair(&f, &A);
    return;
  }
  assert_int_equal(code, 1);   // it does not show its entries,
  assert_false(f.known & FACTS_ENTRIES);
  f = (facts){0};              // but two products tell whether it is symmetric
  assert_int_equal(facts_learn(&f, &s->A, FACTS_ASYMMETRY, NULL, NULL),
                   s->A.ops->apply_transpose != NULL ? 0 : 1);
  if (f.known & FACTS_ASYMMETRY)
    assert_int_equal(f.asymmetry.most > SYMMETRY_REFINED, brute.asymmetry.most > SYMMETRY_REFINED);
}

static void all_kinds_of_operators(void **state) {
  (void)state;
  for (int trial = 0; trial < fewer(10); trial++)
    for (int which = 0; which < BASES; which++) {
      subject base, outer, outermost;
      make_base(which, &base);
      check_subject(&base);
      for (int how = 0; how < WRAPS; how++) {
        wrap(how, &base, &outer);
        check_subject(&outer);
        for (int again = 0; again < WRAPS; again++) {
          wrap(again, &outer, &outermost);
          check_subject(&outermost);
        }
      }
    }
}

// ---- random matrices, some of them barely symmetric, dominant or Z

static void fill(sample *s, matrix *A, double noise) {
  const int z = whole(0, 1), dominant = whole(0, 1), band = whole(0, 3) == 0;
  *A = (matrix){.n = s->n};
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t j = 0; j < i; j++) {
      const int none = whole(0, 2) > 0 || (band && j < i - 1);
      const double a = none ? 0.0 : z ? -whole(1, 4) : between(-1, 1);
      AT(s, i, j) = a;
      AT(s, j, i) = a*(1.0 + noise*between(-1.0, 1.0));
    }
  for (int32_t i = 0; i < s->n; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < s->n; j++) sum += i != j ? fabs(AT(s, j, i)) : 0.0;
    const int kind = whole(0, 9);
    AT(s, i, i) = dominant ? sum : kind == 0 ? -1.0 : kind == 1 ? 0.0 : between(0.0, 8.0);
  }
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t j = 0; j < s->n; j++) A->M[i][j] = AT(s, i, j);
}

static void random_matrices(void **state) {
  (void)state;
  static const double noise[] = {0.0, 0.0, 1e-15, 1e-11, 1e-7, 3e-4, 0.1, 2.0};
  for (int trial = 0; trial < fewer(often(2000)); trial++) {
    sample s = sample_new(whole(1, N));
    matrix A;
    fill(&s, &A, noise[trial%8]);
    const facts brute = by_brute_force(&A);
    facts sparse = {0}, dense = {0}, only = {0};
    const perp_operator csc = sample_csc(&s, 0, PERP_CLAIM_NONE)->A;
    assert_int_equal(facts_learn(&sparse, &csc, ALL, NULL, NULL), 0);
    expect("csc", &sparse, &brute);
    expect_pair(&sparse, &A);
    assert_int_equal(sparse.mirrored, brute.asymmetry.most == 0.0);
    assert_int_equal(sparse.contacts, 0);
    assert_int_equal(facts_learn(&only, &csc, FACTS_ASYMMETRY, NULL, NULL), 0);
    assert_true(only.asymmetry.most == sparse.asymmetry.most && !(only.known & FACTS_ENTRIES));
    const perp_operator full = sample_dense(&s)->A;
    assert_int_equal(facts_learn(&dense, &full, ALL & ~FACTS_MIRRORED, NULL, NULL), 0);
    expect("dense", &dense, &brute);
    expect_pair(&dense, &A);
    // Scaling rows and columns alike, by powers of two, changes no symmetry and no sign.
    double R[N];
    perp_wrapper wrapper;
    facts scaled = {0};
    for (int32_t i = 0; i < s.n; i++) R[i] = ldexp(1.0, whole(-30, 30));
    const perp_operator RAR = perp_scaled(&wrapper, csc, R, R);
    assert_int_equal(facts_learn(&scaled, &RAR, ALL & ~FACTS_MIRRORED, NULL, NULL), 0);
    assert_true(scaled.asymmetry.most == sparse.asymmetry.most);
    assert_true(scaled.positive == brute.positive && scaled.hollow == brute.hollow &&
                scaled.z == brute.z);
    // So the scaled matrix inherits them.
    const facts heir = facts_of_scaled(&sparse);
    const uint32_t exact = brute.asymmetry.most == 0.0 ? FACTS_ASYMMETRY : 0;
    assert_int_equal(heir.known, FACTS_SIGNS | exact);
    assert_true(heir.nnz == scaled.nnz && heir.positive == scaled.positive && heir.z == scaled.z &&
                heir.hollow == scaled.hollow && heir.tridiagonal == scaled.tridiagonal);
    if (exact) assert_true(heir.asymmetry.most == 0.0);
    const facts nothing = {0};
    assert_int_equal(facts_of_scaled(&nothing).known, 0);
    sample_free(&s);
  }
}

// What the diagonal blocks inherit holds of them.
static void parts_inherit(void **state) {
  (void)state;
  sample s = sample_new(8);
  matrix A;
  fill(&s, &A, 0.0);
  facts whole_A = {0}, part;
  const perp_operator csc = sample_csc(&s, 0, PERP_CLAIM_NONE)->A;
  assert_int_equal(facts_learn(&whole_A, &csc, FACTS_ENTRIES, NULL, NULL), 0);
  part = facts_of_part(&whole_A);
  assert_true(part.mirrored && part.asymmetry.most == 0.0);
  assert_int_equal(part.known, FACTS_MIRRORED | FACTS_ASYMMETRY | FACTS_CONTACTS);
  AT(&s, 0, 1) = AT(&s, 1, 0) + 1.0;
  const perp_operator other = sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC)->A;   // the claim is wrong
  whole_A = (facts){0};
  assert_int_equal(facts_learn(&whole_A, &other, FACTS_ENTRIES, NULL, NULL), 0);
  assert_int_equal(facts_of_part(&whole_A).known, 0);
  sample_free(&s);
}

// The contact LCP by its operator, and by its entries.
static void contacts_are_counted(void **state) {
  (void)state;
  for (int which = 9; which <= 10; which++) {
    subject base;
    make_base(which, &base);
    const int32_t count = base_of[which].contacts.count;
    facts f = {0};
    assert_int_equal(facts_learn(&f, &base.A, FACTS_CONTACTS, NULL, NULL), 0);
    assert_int_equal(f.contacts, count);
    assert_int_equal(f.known, FACTS_CONTACTS);
    sample s = sample_new(base.n);
    for (int32_t i = 0; i < s.n; i++)
      for (int32_t j = 0; j < s.n; j++) AT(&s, i, j) = (double)base.M[i][j];
    for (int dense = 0; dense < 2; dense++) {
      const perp_operator A = dense ? sample_dense(&s)->A : sample_csc(&s, 0, PERP_CLAIM_NONE)->A;
      f = (facts){0};
      assert_int_equal(facts_learn(&f, &A, FACTS_ENTRIES | FACTS_CONTACTS, NULL, NULL), 0);
      assert_int_equal(f.contacts, count);
    }
    AT(&s, s.n - 1, s.n - 1) = 1e-3;   // a slack has no diagonal entry
    f = (facts){0};
    const perp_operator A = sample_csc(&s, 0, PERP_CLAIM_NONE)->A;
    assert_int_equal(facts_learn(&f, &A, FACTS_CONTACTS, NULL, NULL), 0);
    assert_int_equal(f.contacts, 0);
    sample_free(&s);
  }
}

// ---- when they are learned and forgotten

static int now(void *context) { return *(const int *)context; }

static void missing_memory_and_time(void **state) {
  (void)state;
  enum { SIDE = 200 };   // columns enough for a look at the clock
  sample s = sample_new(SIDE);
  for (int32_t i = 0; i < SIDE; i++)
    for (int32_t j = 0; j < SIDE; j++)
      AT(&s, i, j) = i == j ? 4.0 : abs(i - j) == 1 ? -1.0 - 1e-7*(i > j) : 0.0;
  for (int dense = 0; dense < 2; dense++) {
    const perp_operator A = dense ? sample_dense(&s)->A : sample_csc(&s, 0, PERP_CLAIM_NONE)->A;
    const uint32_t wanted = FACTS_ASYMMETRY | FACTS_ENTRIES | FACTS_CONTACTS | FACTS_FACTOR;
    facts f = {0};
    int64_t requests = 0;
    for (int64_t at = 1;; at++) {
      counter c = {.fail_at = at};
      const perp_allocator allocator = {counted_allocate, counted_release, &c};
      facts g = {0};
      const int code = facts_learn(&g, &A, wanted, &allocator, NULL);
      assert_int_equal(c.live, 0);
      requests = at;
      if (code == 0) {
        f = g;
        break;
      }
      assert_int_equal(code, -2);
      assert_int_equal(facts_learn(&g, &A, wanted, NULL, NULL), 0);   // another try
      assert_true(g.factor > 0.0 && g.z && fabs(g.asymmetry.most - 1e-7/4.0) < 1e-14);
    }
    assert_true(requests > 3);
    int passed = 1;
    const perp_deadline over = {now, &passed};
    facts late = {0};
    assert_int_equal(facts_learn(&late, &A, wanted, NULL, &over), -1);
    assert_false(late.known & FACTS_ENTRIES);
    counter c = {.fail_at = 1};   // what is known costs nothing
    const perp_allocator none = {counted_allocate, counted_release, &c};
    assert_int_equal(facts_learn(&f, &A, wanted, &none, &over), 0);
    assert_int_equal(c.requests, 0);
  }
  sample_free(&s);
}

// Facts live as long as the stamps say that A has not changed.
static void stamps(void **state) {
  (void)state;
  sample s = sample_new(6);
  for (int32_t i = 0; i < s.n; i++)
    for (int32_t j = 0; j < s.n; j++) AT(&s, i, j) = i == j ? 4.0 : -0.5;
  for (int32_t i = 0; i < s.n; i++) s.b[i] = i%2 ? -1.0 : 2.0;
  perp_problem p = *sample_csc(&s, 0, PERP_CLAIM_NONE);
  perp_options options = perp_default_options(perp_find_method("active_set"));
  options.presolve = options.split = 0;
  const perp_limits limits = perp_limits_of(&p);
  perp_solver *solver;
  perp_result r;
  assert_int_equal(perp_solver_create(options.method, &limits, &options, NULL, &solver), PERP_OK);
  const facts *f = &solver->judge.facts;
  for (int stamped = 0; stamped < 2; stamped++) {
    p.pattern_stamp = p.value_stamp = stamped ? 1 : 0;
    s.value[1] = -0.5;
    memset(s.x, 0, (size_t)s.n*sizeof *s.x);
    assert_int_equal(perp_solve(solver, &p, s.x, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_true((f->known & FACTS_MIRRORED) && f->mirrored && f->asymmetry.most == 0.0);
    s.value[1] = -0.75;   // (1, 0)
    if (stamped) p.value_stamp++;
    memset(s.x, 0, (size_t)s.n*sizeof *s.x);
    assert_int_equal(perp_solve(solver, &p, s.x, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_UNSOLVED);
    assert_non_null(strstr(r.message, "entries (0, 1) and (1, 0) differ"));
    assert_true(!f->mirrored && fabs(f->asymmetry.most - 0.25/4.0) < 1e-15);
  }
  perp_solver_destroy(solver);
  sample_free(&s);
}

// With stamps, auto reads A once for many b; a value that changes unannounced is not seen.
static void auto_reads_once(void **state) {
  (void)state;
  sample s = sample_new(30);
  for (int32_t i = 0; i < s.n; i++)
    for (int32_t j = 0; j < s.n; j++) AT(&s, i, j) = i == j ? 40.0 : i < j ? -0.5 : 0.25;
  perp_problem p = *sample_csc(&s, 0, PERP_CLAIM_NONE);
  p.pattern_stamp = p.value_stamp = 1;
  perp_options options = perp_default_options(NULL);
  const perp_limits limits = perp_limits_of(&p);
  perp_solver *solver;
  perp_result r;
  assert_int_equal(perp_solver_create(NULL, &limits, &options, NULL, &solver), PERP_OK);
  for (int round = 0; round < 3; round++) {
    for (int32_t i = 0; i < s.n; i++) s.b[i] = between(-1.0, 1.0);
    memset(s.x, 0, (size_t)s.n*sizeof *s.x);
    if (round > 0) solver->judge.facts.nnz = 12345;   // a mark, which a second look would wipe out
    if (round == 2) p.value_stamp = 2;
    assert_int_equal(perp_solve(solver, &p, s.x, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_true(solver->judge.facts.known & FACTS_ENTRIES);
    assert_int_equal(solver->judge.facts.nnz, round == 1 ? 12345 : 30*30);
  }
  perp_solver_destroy(solver);
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_kinds_of_operators), cmocka_unit_test(random_matrices),
    cmocka_unit_test(parts_inherit),          cmocka_unit_test(contacts_are_counted),
    cmocka_unit_test(missing_memory_and_time), cmocka_unit_test(stamps),
    cmocka_unit_test(auto_reads_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
