// crew.h: threads for the libraries of sim/.
#ifndef PERP_CREW_H
#define PERP_CREW_H

#include <perp/perp.h>

typedef struct team crew;   // src/base/team.h

crew *crew_create(int32_t threads, const perp_allocator *allocator);   // NULL: no memory, no threads
void crew_destroy(crew *c);                                            // NULL is fine
// Calls task(data, index, lane) for every index below count. Lanes are 0 .. threads - 1; two tasks
// that run at the same time have different lanes, so what belongs to a lane needs no lock. Without a
// crew (NULL) all tasks run in the calling thread, in lane 0.
void crew_run(crew *c, void (*task)(void *data, int32_t index, int32_t lane), void *data,
              int32_t count);

#endif
