// contact_support.h: what the tests of contact.h share.
#ifndef PERP_CONTACT_SUPPORT_H
#define PERP_CONTACT_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <perp/contact.h>

#define INF ((double)INFINITY)

static inline perp_world *world_with(const perp_world_settings *s) {
  perp_world *w = NULL;
  if (perp_world_create(s, NULL, &w) != PERP_OK) fail_msg("%s", perp_last_message());
  return w;
}

static inline int32_t put(perp_world *w, perp_body b) {
  int32_t id = -1;
  if (perp_world_add(w, &b, &id) != PERP_OK) fail_msg("%s", perp_last_message());
  return id;
}

static inline perp_body at(perp_body b, double x, double y, double z) {
  b.motion.position[0] = x;
  b.motion.position[1] = y;
  b.motion.position[2] = z;
  return b;
}

static inline perp_body with(perp_body b, double vx, double vy, double vz) {
  b.motion.velocity[0] = vx;
  b.motion.velocity[1] = vy;
  b.motion.velocity[2] = vz;
  return b;
}

static inline perp_world_report step(perp_world *w) {
  perp_world_report r;
  if (perp_world_step(w, &r) != PERP_OK) fail_msg("%s", perp_last_message());
  return r;
}

static inline void near(const char *what, double found, double expected, double tol) {
  if (!(fabs(found - expected) <= tol))
    fail_msg("%s: %.17g instead of %.17g: off by %.2g", what, found, expected, found - expected);
}

// `quick` steps, or as many as the full suite has time for
static inline int steps(int quick, int full) {
  return getenv("PERP_LONG_TESTS") != NULL ? full : quick;
}

// A fifth of them in builds that watch the steps and not the numbers, as in support.h.
static inline int fewer(int trials) {
  return getenv("PERP_BRIEF_TESTS") != NULL ? (trials + 4)/5 : trials;
}

static _Thread_local uint64_t state = 1;
static inline double uniform(double low, double high) {   // splitmix64
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30))*0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27))*0x94D049BB133111EBu;
  return low + (high - low)*(double)((z ^ (z >> 31)) >> 11)*0x1p-53;
}

// spheres in a cube that do not overlap
static inline void fill_randomly(perp_world *w, int count, double side, double speed,
                                 double inwards) {
  for (int k = 0; k < count; k++) {
    const int n = (int)ceil(cbrt(count)), i = k%n, j = k/n%n, l = k/n/n;
    const double cell = side/n, r = uniform(0.2, 0.45)*cell;
    perp_body b = at(perp_sphere(r, 1000*r*r*r), (i + 0.5)*cell, (j + 0.5)*cell, (l + 0.5)*cell);
    for (int d = 0; d < 3; d++) {
      b.motion.velocity[d] = uniform(-speed, speed) + inwards*(side/2 - b.motion.position[d]);
      b.motion.spin[d] = uniform(-speed, speed);
    }
    put(w, b);
  }
}

#endif
