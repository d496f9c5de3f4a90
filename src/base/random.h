// random.h: Philox4x32-10 (public in gallery.h) and a convenient stream on top of it.
#ifndef PERP_RANDOM_H
#define PERP_RANDOM_H

#include <perp/gallery.h>

// The numbers 0, 1, 2, ... of stream `seed`; `next` is the next index. A copy continues on its own.
typedef struct random_stream {
  uint64_t seed, next;
} random_stream;

double random_uniform(random_stream *s);                          // in [0, 1)
double random_range(random_stream *s, double low, double high);   // in [low, high)
int32_t random_integer(random_stream *s, int32_t count);          // 0 .. count-1

#endif
