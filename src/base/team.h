// team.h: a few threads that run numbered tasks: our own, or the caller's scheduler.
//
// A task may run on any thread, so its result must not depend on the thread. Results are combined
// in the order of the tasks' numbers. So the bits are the same for any number of threads.
#ifndef PERP_TEAM_H
#define PERP_TEAM_H

#include <perp/perp.h>

typedef struct team team;

// threads <= 1 and no scheduler: a team that runs everything in the calling thread. Returns NULL if
// memory or threads are missing. The scheduler's struct is copied. Memory comes from the allocator.
team *team_create(int32_t threads, const perp_scheduler *scheduler,
                  const perp_allocator *allocator);
void team_destroy(team *t);                                   // NULL is fine
int32_t team_size(const team *t);                             // NULL: 1
// Calls task(data, 0 .. count - 1). t NULL: in the calling thread. Allocates nothing.
void team_run(team *t, void (*task)(void *data, int32_t index), void *data, int32_t count);
// Rows of a task, for work that is small in each row. If smaller, up to 1.07 times the work.
enum { TEAM_TASK_ROWS = 4096 };
// Splits 0 .. n - 1 into shares and calls task(data, from, to, share) for each. Returns the number
// of shares, at most TEAM_SHARES. It depends on n, not on the threads.
enum team_shape { TEAM_SHARES = 64 };
// Least length of a share. If smaller, small problems take up to 1.45 times the work.
enum { TEAM_NUMBERS_MIN = 16384 };
typedef void (*team_shared)(void *data, int32_t from, int32_t to, int32_t share);
int32_t team_share(team *t, int32_t n, team_shared task, void *data);
// Calls task(data, from, to) for ranges of a grid's lines. No line may use another line's result.
enum {
  // A smaller grid is one task. With 16384, new weights of 25^3 cells take 1.3 times the time on two
  // threads.
  TEAM_CELLS_MIN = 8192
};
typedef void (*team_ranged)(void *data, int32_t from, int32_t to);
void team_lines(team *t, int32_t lines, int32_t cells, team_ranged task, void *data);
void team_copy(team *t, double *to, const double *from, int32_t n);   // to = from

#endif
