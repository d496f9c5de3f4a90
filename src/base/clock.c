// clock.c: the system's monotonic clock.
#include "clock.h"

#include <time.h>

double clock_now(void *unused) {
  (void)unused;
  struct timespec t;
#ifdef CLOCK_MONOTONIC
  clock_gettime(CLOCK_MONOTONIC, &t);
#else
  timespec_get(&t, TIME_UTC);
#endif
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}
