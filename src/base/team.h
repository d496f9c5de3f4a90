// team.h: a few threads that run numbered tasks: our own, or the caller's scheduler.
//
// A task may run on any thread, so tasks must not depend on which; results that are combined are
// combined in the order of their numbers. Hence the same bits at any thread count.
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
// NULL: serial; allocates nothing
void team_run(team *t, void (*task)(void *data, int32_t index), void *data, int32_t count);
// task(data, from, to, share) over 0 .. n - 1, in shares whose number does not depend on the
// threads: returns how many there were, at most TEAM_SHARES.
enum { TEAM_SHARES = 64 };
typedef void (*team_shared)(void *data, int32_t from, int32_t to, int32_t share);
int32_t team_share(team *t, int32_t n, team_shared task, void *data);
// task(data, from, to) over the lines of a grid. The result of a line must not depend on the others.
typedef void (*team_ranged)(void *data, int32_t from, int32_t to);
void team_lines(team *t, int32_t lines, int32_t cells, team_ranged task, void *data);
void team_copy(team *t, double *to, const double *from, int32_t n);   // to = from

#endif
