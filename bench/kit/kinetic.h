// kinetic.h: quasidefinite systems of bodies and contacts, as they arise in body space.
#ifndef PERP_BENCH_KINETIC_H
#define PERP_BENCH_KINETIC_H

#include "bench.h"

// [M J'; J -eps I]: side^2 bodies of 6 rows with diagonal masses, three contacts between
// neighbours.
perp_csc kinetic_make(int32_t side, uint64_t seed);
void kinetic_free(perp_csc *K);

#endif
