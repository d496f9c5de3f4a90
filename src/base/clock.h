// clock.h: seconds from a monotonic clock.
#ifndef PERP_CLOCK_H
#define PERP_CLOCK_H

double clock_now(void *unused);   // seconds; the signature of perp_options.clock

#endif
