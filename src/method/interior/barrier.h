// barrier.h: what interior_point and body_interior share.
#ifndef PERP_BARRIER_H
#define PERP_BARRIER_H

#include "vector.h"

// After each semicolon: what another value does to the problems of bench/kit/ablation.c.
#define DELTA_FIRST 1e-13    // first shift of the scaled diagonal; 1e-7: up to 2.3 times the work
#define DELTA_FACTOR 100.0   // from a shift to the next; 1: two of LISWET1 to 12 stay unsolved
#define DELTA_MAX 1e-5       // largest shift; larger ones change the problem
#define PRODUCT_WINDOW 0.1   // corrections bring s_i z_i over sigma mu into [this, 1/this]; 1:
                             //   LISWET12 takes 1.6 times the work
#define IDLE_STEPS_MAX 12    // steps without progress; 1: four problems stay unsolved

typedef enum bound_bits { HAS_LO = 1, HAS_HI = 2, FIXED = 4 } bound_bits;   // FIXED: does not move

static inline double positive(double v) { return max2(v, 1e-300); }

// The change that brings v into the window around the target. A large decrease is limited.
static inline double towards(double target, double v) {
  return max2(clamp(v, PRODUCT_WINDOW*target, target/PRODUCT_WINDOW) - v, -target/PRODUCT_WINDOW);
}

#endif
