// counting.h: an allocator that counts, and fails at the k-th request.
#ifndef PERP_TEST_COUNTING_H
#define PERP_TEST_COUNTING_H

#include <stdint.h>
#include <stdlib.h>

typedef struct counter { int64_t requests, live, fail_at; } counter;

static inline void *counted_allocate(void *context, size_t bytes) {
  counter *c = context;
  if (++c->requests == c->fail_at) return NULL;
  c->live++;
  return malloc(bytes);
}
static inline void counted_release(void *context, void *memory) {
  ((counter *)context)->live--;
  free(memory);
}

#endif
