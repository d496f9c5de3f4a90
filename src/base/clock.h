// clock.h: seconds from a monotonic clock.
#ifndef PERP_CLOCK_H
#define PERP_CLOCK_H

double clock_now(void *unused);   // seconds; the signature of perp_options.clock

enum { CLOCK_LINES = 64 };   // rows or columns between two looks at the clock: with 1, sweeps take
                              // up to 14 % more work

#endif
