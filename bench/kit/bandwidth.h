// bandwidth.h: what the memory of this machine delivers, to compare with what a sweep gets of it.
#ifndef PERP_BANDWIDTH_H
#define PERP_BANDWIDTH_H

#include "bench.h"
#include "team.h"

// bytes per second: s += a_i, and a_i = b_i + s c_i (24 bytes each)
typedef struct bandwidth { double sum, triad; } bandwidth;
bandwidth bandwidth_measure(const bench *b, team *threads);

#endif
