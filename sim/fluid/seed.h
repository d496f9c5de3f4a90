// seed.h: places for new particles. A cell is divided into particles^dimension equal parts. A part
// takes one particle, in its middle or at a random place within a quarter of its edge from there.
#pragma once

#include "state.h"

// a number in [0, 1) from four others; the same ones give the same number
static inline double seed_chance(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  uint64_t z = a;
  const uint64_t others[3] = {b, c, d};
  for (int k = 0; k < 3; k++) {      // the finisher of SplitMix64 after each
    z = (z ^ others[k]) + 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30)*0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27)*0x94D049BB133111EBu;
    z ^= z >> 31;
  }
  return (double)(z >> 11)*0x1p-53;
}

static inline int seed_parts(const perp_fluid *f) {   // of a cell
  const int p = f->settings.particles;
  return f->dimension == 2 ? p*p : p*p*p;
}

// the place of a particle in that part of cell (i, j, k), which is number `cell`
static inline void seed_place(const perp_fluid *f, const int32_t at[3], int32_t cell, int part,
                              double x[3]) {
  const int p = f->settings.particles;
  const uint64_t seed = f->settings.seed;
  x[2] = 0.0;
  for (int a = 0; a < f->dimension; a++, part /= p) {
    const uint64_t which = (uint64_t)part*4 + (uint64_t)a;
    const double shift = seed == 0 ? 0.0
                                   : 0.5*(seed_chance(seed, f->draws, (uint64_t)cell, which) - 0.5);
    x[a] = (at[a] + (part%p + 0.5 + shift)/p)*f->h;
  }
}

// the part of its cell in which x is, and its squared distance from the middle of that
static inline int seed_part(const perp_fluid *f, const int32_t at[3], const double x[3],
                            double *square) {
  const int p = f->settings.particles;
  int part = 0;
  *square = 0.0;
  for (int a = f->dimension - 1; a >= 0; a--) {
    const double g = (x[a]/f->h - at[a])*p;
    int k = g > 0.0 ? (int)g : 0;
    k = k < p ? k : p - 1;
    part = part*p + k;
    *square += (g - k - 0.5)*(g - k - 0.5);
  }
  return part;
}
