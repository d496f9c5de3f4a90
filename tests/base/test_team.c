// test_team.c: every task runs exactly once, on whatever thread.
// labels: tsan
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "platform.h"
#include "team.h"

enum { TASKS = 1000 };

// Plain increments: a race would show.
static void count_visit(void *data, int32_t index) { ((int32_t *)data)[index]++; }

static void check_team(team *t) {
  static const int32_t counts[] = {0, 1, 2, 3, 7, TASKS};
  for (size_t k = 0; k < sizeof counts/sizeof counts[0]; k++) {
    int32_t visits[TASKS] = {0};
    team_run(t, count_visit, visits, counts[k]);
    for (int32_t i = 0; i < TASKS; i++) assert_int_equal(visits[i], i < counts[k] ? 1 : 0);
  }
}

static void visit_share(void *data, int32_t from, int32_t to, int32_t share) {
  int32_t *visits = data;
  for (int32_t i = from; i < to; i++) visits[i] += share + 1;
}

// Shares are the same for any number of threads, in order, and have everything once.
static void shares_do_not_depend_on_threads(void **state) {
  (void)state;
  static const int32_t sizes[] = {0, 1, 4095, 10000, 300001};
  for (size_t k = 0; k < sizeof sizes/sizeof sizes[0]; k++) {
    const int32_t n = sizes[k];
    int32_t *first = calloc((size_t)n + 1, sizeof *first), *visits = calloc((size_t)n + 1, 4);
    const int32_t shares = team_share(NULL, n, visit_share, first);
    assert_in_range(shares, 1, TEAM_SHARES);
    for (int32_t i = 0; i < n; i++) {
      assert_in_range(first[i], 1, shares);
      if (i > 0) assert_in_range(first[i] - first[i - 1], 0, 1);
    }
    for (int32_t threads = 2; threads <= 4; threads += 2) {
      team *t = team_create(threads, NULL, NULL);
      memset(visits, 0, (size_t)n*sizeof *visits);
      assert_int_equal(team_share(t, n, visit_share, visits), shares);
      if (n > 0) assert_memory_equal(visits, first, (size_t)n*sizeof *visits);
      team_destroy(t);
    }
    free(first);
    free(visits);
  }
}

static void every_task_runs_once(void **state) {
  (void)state;
  for (int32_t threads = -1; threads <= 5; threads++) {
    team *t = team_create(threads, NULL, NULL);
    assert_non_null(t);
    assert_int_equal(team_size(t), threads > 1 ? threads : 1);
    check_team(t);
    team_destroy(t);
  }
}

static void no_team_is_one_thread(void **state) {
  (void)state;
  assert_int_equal(team_size(NULL), 1);
  check_team(NULL);
  team_destroy(NULL);
}

// What one run writes, the next one reads: passes must not overlap.
static void runs_follow_each_other(void **state) {
  (void)state;
  team *t = team_create(4, NULL, NULL);
  assert_non_null(t);
  int32_t visits[16] = {0}, expected[16] = {0};
  for (int32_t r = 0; r < 20000; r++) {
    const int32_t count = 2 + r*7 % 15;   // growing and shrinking
    for (int32_t i = 0; i < count; i++) expected[i]++;
    team_run(t, count_visit, visits, count);
    assert_memory_equal(visits, expected, sizeof visits);
  }
  team_destroy(t);
}

static void pass(double seconds) {   // without sleep, for which C has no function
  for (const double end = clock_now(NULL) + seconds; clock_now(NULL) < end;) continue;
}

static void sleepers_wake_up(void **state) {
  (void)state;
  team *t = team_create(3, NULL, NULL);
  assert_non_null(t);
  for (int k = 0; k < 5; k++) {
    pass(0.02);
    check_team(t);
  }
  team_destroy(t);
}

static void slow_task(void *data, int32_t index) {
  pass(index == 0 ? 0.001 : 0.03);
  count_visit(data, index);
}

static void the_caller_sleeps_until_the_last_task(void **state) {
  (void)state;
  team *t = team_create(2, NULL, NULL);
  assert_non_null(t);
  for (int k = 0; k < 4; k++) {
    int32_t visits[2] = {0};
    team_run(t, slow_task, visits, 2);
    assert_int_equal(visits[0] + visits[1], 2);
  }
  team_destroy(t);
}

// A scheduler that starts a thread per batch and joins it in finish().
typedef struct batch {
  platform_thread thread;
  void (*task)(void *, int32_t);
  void *data;
  int32_t count;
} batch;
typedef struct scheduler_context { batch only; int32_t enqueued, finished; } scheduler_context;

static platform_result PLATFORM_CALL run_batch(void *argument) {
  const batch *b = argument;
  for (int32_t i = b->count - 1; i >= 0; i--) b->task(b->data, i);
  return 0;
}

static void *enqueue(void *context, void (*task)(void *, int32_t), void *data, int32_t count) {
  scheduler_context *c = context;
  c->enqueued++;
  c->only = (batch){.task = task, .data = data, .count = count};
  assert_true(platform_start(&c->only.thread, run_batch, &c->only));
  return &c->only;
}

static void finish(void *context, void *handle) {
  scheduler_context *c = context;
  assert_ptr_equal(handle, &c->only);
  platform_join(c->only.thread);
  c->finished++;
}

static void the_callers_scheduler_is_used(void **state) {
  (void)state;
  scheduler_context context = {.enqueued = 0};
  perp_scheduler scheduler = {.workers = 3, .enqueue = enqueue, .finish = finish};
  scheduler.context = &context;
  team *t = team_create(8, &scheduler, NULL);
  assert_non_null(t);
  scheduler = (perp_scheduler){0};   // it was copied
  assert_int_equal(team_size(t), 3);
  check_team(t);
  assert_int_equal(context.enqueued, 4);   // counts of 0 and 1 need nobody
  assert_int_equal(context.finished, 4);
  team_destroy(t);
}

typedef struct counter { int32_t live, calls, fail_at; } counter;

static void *counting_allocate(void *context, size_t bytes) {
  counter *c = context;
  if (c->calls++ == c->fail_at) return NULL;
  c->live++;
  return malloc(bytes);
}

static void counting_release(void *context, void *memory) {
  counter *c = context;
  c->live--;
  free(memory);
}

static void memory_is_the_callers_and_none_is_taken_in_run(void **state) {
  (void)state;
  counter c = {.fail_at = -1};
  const perp_allocator allocator = {counting_allocate, counting_release, &c};
  team *t = team_create(3, NULL, &allocator);
  assert_non_null(t);
  const int32_t calls = c.calls;
  assert_true(calls > 0);
  check_team(t);
  assert_int_equal(c.calls, calls);
  team_destroy(t);
  assert_int_equal(c.live, 0);
  for (int32_t k = 0; k < calls; k++) {   // the k-th allocation fails
    c = (counter){.fail_at = k};
    assert_null(team_create(3, NULL, &allocator));
    assert_int_equal(c.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_task_runs_once),
    cmocka_unit_test(shares_do_not_depend_on_threads),
    cmocka_unit_test(no_team_is_one_thread),
    cmocka_unit_test(runs_follow_each_other),
    cmocka_unit_test(sleepers_wake_up),
    cmocka_unit_test(the_caller_sleeps_until_the_last_task),
    cmocka_unit_test(the_callers_scheduler_is_used),
    cmocka_unit_test(memory_is_the_callers_and_none_is_taken_in_run),
  };
  return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
