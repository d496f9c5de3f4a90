// test_groups.c: rows that share a pattern and a space are found, and A = T S0 T' + B holds for
// them; matrices built here from bodies and contact points, and walls of the gallery.
#include "support.h"

#include "counting.h"
#include "gallery_sample.h"
#include "groups.h"
#include "groups_chain.h"

static double csc_entry(const perp_csc *A, int32_t i, int32_t j) {
  for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
    if (A->row[p] == i) return A->value[p];
  return 0.0;
}

// Every row once, skeletons within their groups, and the identity for all pairs of rows.
static void holds(const perp_csc *A, const groups *g) {
  const int32_t n = A->columns;
  int32_t *of = calloc((size_t)n + 1, sizeof *of), *place = calloc((size_t)n + 1, sizeof *place);
  assert_true(of != NULL && place != NULL);
  for (int32_t i = 0; i < n; i++) of[i] = -1;
  assert_int_equal(g->n, n);
  assert_int_equal(g->start[0], 0);
  assert_int_equal(g->start[g->count], n);
  for (int32_t c = 0; c < g->count; c++) {
    const int32_t m = g->start[c + 1] - g->start[c], r = g->slot[c + 1] - g->slot[c];
    assert_true(r >= 1 && (m == 1 ? r == 1 : r < m));
    assert_true(g->weight[c + 1] - g->weight[c] == (int64_t)m*r);
    for (int32_t i = 0; i < m; i++) {
      const int32_t row = g->row[g->start[c] + i];
      assert_true(row >= 0 && row < n && of[row] == -1);
      assert_true(i == 0 || row > g->row[g->start[c] + i - 1]);
      of[row] = c;
      place[row] = i;
    }
    for (int32_t k = 0; k < r; k++) assert_int_equal(of[g->skeleton[g->slot[c] + k]], c);
    for (int32_t k = 0; k < r; k++)
      for (int32_t l = 0; l < r; l++)
        assert_true(g->T[g->weight[c] + place[g->skeleton[g->slot[c] + k]]*r + l] == (k == l));
  }
  for (int32_t j = 0; j < n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p], a = of[i], b = of[j];
      if (a == b) continue;
      const int32_t ra = g->slot[a + 1] - g->slot[a], rb = g->slot[b + 1] - g->slot[b];
      double sum = 0.0;
      for (int32_t k = 0; k < ra; k++)
        for (int32_t l = 0; l < rb; l++)
          sum += g->T[g->weight[a] + place[i]*ra + k]*g->T[g->weight[b] + place[j]*rb + l]*
                 csc_entry(A, g->skeleton[g->slot[a] + k], g->skeleton[g->slot[b] + l]);
      const double size = sqrt(csc_entry(A, i, i)*csc_entry(A, j, j));
      if (!(fabs(sum - A->value[p]) <= 1e-10*size))
        fail_msg("A(%d,%d) = %.17g, but T S0 T' is %.17g, of %g", i, j, A->value[p], sum, size);
    }
  free(of);
  free(place);
}

// The rows between two bodies span min(points, what their neighbours see of them): 3 dimensions at
// the ends of the chain, 6 within.
static void contacts_of_a_chain(void **state) {
  (void)state;
  const int points[][BODIES - 1] = {
    {12, 12, 12, 12, 12, 12, 12, 12}, {8, 20, 8, 20, 8, 20, 8, 20}, {4, 9, 30, 9, 8, 40, 9, 7}};
  for (int k = 0; k < 3; k++)
    for (int trial = 0; trial < 6; trial++) {
      sample s = chain(points[k], trial < 3 ? 1.0 : 1e3, 0.1);
      groups g;
      assert_int_equal(groups_find(&s.csc, GROUPS_SKELETON_MAX, NULL, &g), 0);
      holds(&s.csc, &g);
      assert_int_equal(g.count, BODIES - 1);
      for (int32_t c = 0; c < g.count; c++) {
        const int32_t m = g.start[c + 1] - g.start[c], r = g.slot[c + 1] - g.slot[c];
        assert_true(r == 3 || r == 6);
        if (r == 3) assert_true(m == points[k][0] || m == points[k][BODIES - 2]);
      }
      groups_free(NULL, &g);
      sample_free(&s);
    }
}

// Two points a pair gain nothing; a pair with many among them is found all the same.
static void some_have_groups(void **state) {
  (void)state;
  sample s = chain((const int[]){2, 2, 2, 2, 2, 2, 2, 2}, 1.0, 0.1);
  groups g;
  assert_int_equal(groups_find(&s.csc, GROUPS_SKELETON_MAX, NULL, &g), 1);
  assert_true(g.count == 0 && g.block == NULL);
  groups_free(NULL, &g);
  assert_int_equal(groups_find(&s.csc, 1.0, NULL, &g), 0);
  holds(&s.csc, &g);
  assert_int_equal(g.count, s.n);
  groups_free(NULL, &g);
  sample_free(&s);

  s = chain((const int[]){2, 4, 2, 30, 2, 2, 4, 2}, 10.0, 0.1);
  assert_int_equal(groups_find(&s.csc, GROUPS_SKELETON_MAX, NULL, &g), 0);
  holds(&s.csc, &g);
  assert_int_equal(g.count, s.n - 30 + 1);
  assert_int_equal(g.slot[g.count], s.n - 30 + 4);   // its neighbours show 2 + 2 dimensions
  groups_free(NULL, &g);
  sample_free(&s);
}

// Equal patterns alone make no group: one entry changed takes a row out of the space.
static void a_row_that_is_off(void **state) {
  (void)state;
  sample s = chain((const int[]){12, 12, 12, 12, 12, 12, 12, 12}, 1.0, 0.1);
  const int32_t before = 8*6 - 2*3;   // the first and the last pair have one neighbour
  groups g;
  assert_int_equal(groups_find(&s.csc, 1.0, NULL, &g), 0);
  assert_true(g.slot[g.count] == before);
  groups_free(NULL, &g);
  for (int32_t i = 1; i < s.n; i++) {
    if (AT(&s, i, 0) == 0.0) continue;
    AT(&s, i, 0) += 1e-7;
    AT(&s, 0, i) += 1e-7;
  }
  sample_csc(&s, 0, 0);
  assert_int_equal(groups_find(&s.csc, 1.0, NULL, &g), 0);
  holds(&s.csc, &g);
  assert_true(g.slot[g.count] > before);
  groups_free(NULL, &g);
  sample_free(&s);
}

static void none_at_all(void **state) {
  (void)state;
  groups g;
  for (int32_t n = 0; n <= 1; n++) {
    sample s = sample_new(n);
    for (int32_t i = 0; i < n; i++) AT(&s, i, i) = 2.0;
    sample_csc(&s, 0, 0);
    assert_int_equal(groups_find(&s.csc, 1.0, NULL, &g), 0);
    holds(&s.csc, &g);
    assert_int_equal(g.count, n);
    groups_free(NULL, &g);
    sample_free(&s);
  }
  sample s = sample_new(40);   // blocks of full rows with nothing outside
  for (int32_t i = 0; i < 40; i++)
    for (int32_t j = 0; j < 40; j++) AT(&s, i, j) = i/20 != j/20 ? 0.0 : i == j ? 30.0 : 1.0;
  sample_csc(&s, 0, 0);
  assert_int_equal(groups_find(&s.csc, GROUPS_SKELETON_MAX, NULL, &g), 1);
  assert_int_equal(groups_find(&s.csc, 1.0, NULL, &g), 0);
  assert_int_equal(g.count, 40);
  groups_free(NULL, &g);
  for (int32_t i = 0; i < 40; i++)
    for (int32_t j = 0; j < 40; j++) AT(&s, i, j) = i == j ? 2.0 : abs(i - j) == 1 ? -1.0 : 0.0;
  sample_csc(&s, 0, 0);
  assert_int_equal(groups_find(&s.csc, GROUPS_SKELETON_MAX, NULL, &g), 1);
  sample_free(&s);
}

// Four points a face of a brick, their normals alone: 3 dimensions; with two tangents: 6.
static void walls(void **state) {
  (void)state;
  for (int mode = 0; mode < 2; mode++) {
    perp_sample *s = make_with("wall", 5, "bodies", 30.0, "mode", (double)mode, NULL);
    groups g;
    assert_int_equal(groups_find(&s->csc, GROUPS_SKELETON_MAX, NULL, &g), 0);
    holds(&s->csc, &g);
    for (int32_t c = 0; c < g.count; c++) {
      const int32_t m = g.start[c + 1] - g.start[c], r = g.slot[c + 1] - g.slot[c];
      if (m > 1) assert_true(mode == 0 ? m == 4 && r == 3 : m == 12 && r == 6);
    }
    groups_free(NULL, &g);
    drop(s);
  }
}

static void no_memory(void **state) {
  (void)state;
  sample s = chain((const int[]){12, 12, 12, 12, 12, 12, 12, 12}, 1.0, 0.1);
  for (int64_t k = 1;; k++) {
    counter c = {.fail_at = k};
    const perp_allocator memory = {counted_allocate, counted_release, &c};
    groups g;
    const int failed = groups_find(&s.csc, GROUPS_SKELETON_MAX, &memory, &g);
    if (failed == 0) groups_free(&memory, &g);
    assert_int_equal(c.live, 0);
    if (failed == 0) break;
    assert_int_equal(failed, -2);
  }
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(contacts_of_a_chain), cmocka_unit_test(some_have_groups),
    cmocka_unit_test(a_row_that_is_off), cmocka_unit_test(none_at_all),
    cmocka_unit_test(walls), cmocka_unit_test(no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
