// test_conformance.c: every method on every family: solved where its theory says so, else honest.
// cost: 7
#include "small_family.h"
#include "support.h"

static int within(const perp_method *m,
                  const perp_classes *c) {  // does the theory of the method cover A?
  if (m->assumes == 0) return m->traits & PERP_TRAIT_ALL ? 1 : 0;
  for (int k = 0; k < PERP_CLASS_COUNT; k++) {
    if (!(m->assumes & (1u << k)) || c->of[k].verdict != PERP_YES) continue;
    if (k == PERP_CLASS_NONNEGATIVE && c->free_rows + c->boxed_rows > 0) continue;
    if (k == PERP_CLASS_PD && c->of[PERP_CLASS_SYMMETRIC].verdict != PERP_YES)
      continue;  // the texts say symmetric
    return 1;
  }
  return 0;
}

// Relative to what has to be cancelled at the point of the box nearest to 0.
static double relative_residual(const perp_sample *g, const double *x) {
  double size;
  const double r = csc_residual(&g->csc, g->b, g->lo, g->hi, x, &size);
  return r/(size > 0 ? size : 1);
}

typedef struct tally {
  int inside, solved, runs;
} tally;

static void every_method_on_every_family(void **state) {
  (void)state;
  tally total = {0};
  for (int32_t f = 0; f < perp_family_count(); f++) {
    const perp_family *family = perp_family_at(f);
    tally of_family = {0};
    const int step = is_brief() ? 5 : 1;   // every bit once set and once not, all the same
    for (uint64_t seed = 1; seed <= (step > 1 ? 1 : 2); seed++)
      for (int variant = 0; variant < 16; variant += step) {
        perp_sample g;
        make_small(family, variant, seed, &g);
        perp_classes classes;
        assert_int_equal(perp_classify(&g.problem, NULL, &classes), PERP_OK);
        double *x = calloc((size_t)g.n + 1, sizeof *x),
               *again = calloc((size_t)g.n + 1, sizeof *again);
        assert_true(x != NULL && again != NULL);
        for (int32_t k = 0; k < perp_method_count(); k++) {
          const perp_method *m = perp_method_at(k);
          perp_options o = perp_default_options(m);
          if (perp_method_accepts(m, &g.problem) != PERP_OK) continue;
          if ((m->traits & PERP_TRAIT_ALL) && g.n > 10) continue;  // in its own test, and slow
          const int inside = within(m, &classes);
          o.iteration_limit = inside ? 20000 : 2000;
          if (strcmp(m->name, "jacobi") == 0 && classes.of[PERP_CLASS_H].verdict != PERP_YES)
            o.iteration_limit = 500;
          memset(x, 0, (size_t)g.n*sizeof *x);
          perp_result r;
          if (perp_solve_once(&g.problem, x, &o, &r) != PERP_OK)
            fail_msg("%s on %s: %s", m->name, g.note, perp_last_message());
          for (int32_t i = 0; i < g.n; i++)
            if (!isfinite(x[i])) fail_msg("%s on %s: x[%d] = %g", m->name, g.note, i, x[i]);
          const double own = relative_residual(&g, x);
          const int solved = r.status == PERP_STATUS_SOLVED;
          if (solved && !(own < 1e-6))
            fail_msg("%s on %s: claims success with residual %g", m->name, g.note, own);
          if (inside && !solved)
            fail_msg("%s on %s (variant %d, seed %d): not solved: %s", m->name, g.note, variant,
                     (int)seed, r.message);
          assert_true(r.iterations <= (m->traits & PERP_TRAIT_SPLITS ? classes.components : 1) *
                                          (int64_t)o.iteration_limit ||
                      (m->traits & PERP_TRAIT_ALL));
          if (solved && g.x != NULL &&
              classes.of[PERP_CLASS_PD].verdict == PERP_YES) {  // then x is unique
            double far = 0, large = 1;
            for (int32_t i = 0; i < g.n; i++) {
              far = fmax(far, fabs(x[i] - g.x[i]));
              large = fmax(large, fabs(g.x[i]));
            }
            if (far > 1e-3*large)
              fail_msg("%s on %s: %g away from the known x (size %g)", m->name, g.note, far, large);
          }
          memset(again, 0, (size_t)g.n*sizeof *again);
          assert_int_equal(perp_solve_once(&g.problem, again, &o, &r), PERP_OK);
          assert_memory_equal(x, again, (size_t)g.n*sizeof *x);
          of_family.runs++;
          of_family.inside += inside;
          of_family.solved += solved;
        }
        free(x);
        free(again);
        perp_sample_free(&g);
      }
    print_message("%-16s %4d runs, %4d inside the theory, %4d solved\n", family->name,
                  of_family.runs, of_family.inside, of_family.solved);
    total.inside += of_family.inside;
  }
  assert_true(total.inside > (is_brief() ? 60 : 300));
}

static void thread_counts(void **state) {  // coloured sweeps: the same bits at 1, 2 and 4 threads
  (void)state;
  const char *const names[] = {"pgs", "psor", "nncg"};
  for (int32_t f = 0; f < perp_family_count(); f++) {
    const perp_family *family = perp_family_at(f);
    perp_sample g;
    make_small(family, 1, 5, &g);
    double *x = calloc((size_t)g.n + 1, sizeof *x), *first = calloc((size_t)g.n + 1, sizeof *first);
    assert_true(x != NULL && first != NULL);
    for (int k = 0; k < 3; k++)
      for (int threads = 1; threads <= 4; threads *= 2) {
        perp_options o = perp_default_options(perp_find_method(names[k]));
        o.sweep.order = PERP_ORDER_COLOURED;
        o.threads = threads;
        o.iteration_limit = 100;
        perp_result r;
        memset(x, 0, (size_t)g.n*sizeof *x);
        assert_int_equal(perp_solve_once(&g.problem, x, &o, &r), PERP_OK);
        if (threads == 1) memcpy(first, x, (size_t)g.n*sizeof *x);
        assert_memory_equal(first, x, (size_t)g.n*sizeof *x);
      }
    free(x);
    free(first);
    perp_sample_free(&g);
  }
}

// Random small whole numbers of any kind: unsolvable, degenerate, singular. Honesty only, judged
// by the exact residual.
static void never_false(void **state) {
  (void)state;
  support_state = 51;
  int solved = 0;
  for (int trial = 0; trial < fewer(3000); trial++) {
    const int32_t n = whole(1, 7);
    sample s = sample_new(n);
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++) AT(&s, i, j) = whole(0, 1) ? whole(-3, 3) : 0;
      s.b[i] = whole(-4, 4);
      const int kind = whole(0, 5);
      if (kind == 0) s.lo[i] = -INF;
      if (kind == 1) s.hi[i] = whole(0, 3);
      if (kind == 2) {
        s.lo[i] = -INF;
        s.hi[i] = whole(-2, 2);
      }
    }
    double start[7];   // one for all methods: a new one does not change what the others see
    for (int32_t i = 0; i < n; i++)
      start[i] = trial & 2 ? 6*perp_random_uniform(51, (uint64_t)(7*trial + i)) - 3 : 0;
    for (int32_t k = 0; k < perp_method_count(); k++) {
      const perp_method *m = perp_method_at(k);
      perp_options o = perp_default_options(m);
      o.iteration_limit = 200;
      o.presolve = trial & 1;
      double x[7];
      memcpy(x, start, sizeof x);
      perp_result r;
      if (!takes(m, sample_dense(&s))) continue;
      assert_int_equal(
          perp_solve_once(trial & 4
                              ? sample_dense(&s)
                              : sample_csc(&s, trial & 8, trial & 16 ? PERP_CLAIM_SYMMETRIC : 0),
                          x, &o, &r),
          PERP_OK);
      for (int32_t i = 0; i < n; i++)
        assert_true(isfinite(x[i]) && x[i] >= s.lo[i] && x[i] <= s.hi[i]);
      double size;
      const double own = own_residual(&s, x, &size);
      if (r.status == PERP_STATUS_SOLVED && !(own < 1e-6))
        fail_msg("trial %d: %s claims success with residual %g", trial, m->name, own);
      if (r.status != PERP_STATUS_SOLVED && own == 0.0)
        fail_msg("trial %d: %s refuses an exact solution: %s", trial, m->name, r.message);
      if (r.status == PERP_STATUS_INFEASIBLE || r.status == PERP_STATUS_NO_SOLUTION)
        assert_true(own > 1e-9);
      solved += r.status == PERP_STATUS_SOLVED;
    }
    sample_free(&s);
  }
  assert_true(solved > fewer(1000));
}

// Every method says who it is for, and those to choose say when: briefly, for a list.
static void every_method_has_a_tier(void **state) {
  (void)state;
  int of[PERP_TIER_COUNT] = {0};
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    if (m->tier <= PERP_TIER_NONE || m->tier >= PERP_TIER_COUNT) fail_msg("%s: no tier", m->name);
    of[m->tier]++;
    if ((m->use != NULL) != (m->tier == PERP_TIER_CHOOSE))
      fail_msg("%s: only methods to choose say when to choose them", m->name);
    if (m->use != NULL && (strlen(m->use) == 0 || strlen(m->use) > 60))
      fail_msg("%s: \"%s\" does not fit on a line", m->name, m->use);
  }
  assert_int_equal(perp_find_method("auto")->tier, PERP_TIER_CHOOSE);
  assert_in_range(of[PERP_TIER_CHOOSE], 10, 14);   // about a dozen: a list to choose from
  assert_true(of[PERP_TIER_REFERENCE] > 0 && of[PERP_TIER_INTERNAL] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_on_every_family),
      cmocka_unit_test(thread_counts),
      cmocka_unit_test(never_false),
      cmocka_unit_test(every_method_has_a_tier),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
