// crew.c: tasks that are told which lane runs them, on the threads of src/base/team.c.
//
// A team runs one task for each lane. A lane claims indices until none is left. So two tasks that
// run at the same time have different lanes, and a thread that wakes late claims nothing.
#include "crew.h"

#include <stdatomic.h>

#include "team.h"

typedef struct lanes {
  void (*task)(void *data, int32_t index, int32_t lane);
  void *data;
  int32_t count;
  _Atomic int32_t next;       // the first index that nobody has claimed; it may grow beyond count
} lanes;

static void run_lane(void *data, int32_t lane) {
  lanes *l = data;
  for (int32_t k; (k = atomic_fetch_add(&l->next, 1)) < l->count;) l->task(l->data, k, lane);
}

crew *crew_create(int32_t threads, const perp_allocator *allocator) {
  return team_create(threads, NULL, allocator);
}

void crew_destroy(crew *c) { team_destroy(c); }

void crew_run(crew *c, void (*task)(void *data, int32_t index, int32_t lane), void *data,
              int32_t count) {
  const int32_t size = team_size(c);
  lanes all = {.task = task, .data = data, .count = count};
  team_run(c, run_lane, &all, size < count ? size : count);
}
