// crew.h: threads for the libraries of sim/, each of which has a copy of its own.
#ifndef PERP_CREW_H
#define PERP_CREW_H

#include <perp/perp.h>

typedef struct crew crew;

crew *crew_create(int32_t threads, const perp_allocator *allocator);   // NULL: none to be had
void crew_destroy(crew *c);                                            // NULL is fine
// task(data, index, who) for every index below count; who is the thread, 0 is the caller. A crew
// that is NULL is the caller alone.
void crew_run(crew *c, void (*task)(void *data, int32_t index, int32_t who), void *data,
              int32_t count);

#endif
