// counting.h: allocators for tests: one fails at the k-th request, one fails after `left` requests,
// and one counts the bytes in use.
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

typedef struct meter { int64_t left, live; } meter;

static inline void *metered(void *context, size_t bytes) {
  meter *m = context;
  if (m->left == 0) return NULL;
  m->left--;
  m->live++;
  return malloc(bytes);
}
static inline void released(void *context, void *memory) {
  ((meter *)context)->live--;
  free(memory);
}

typedef struct balance { size_t now, most; } balance;   // bytes
enum { BALANCE_HEAD = 64 };   // in front of the memory, which stays aligned

static inline void *weighed_allocate(void *context, size_t bytes) {
  balance *b = context;
  unsigned char *block = malloc(BALANCE_HEAD + bytes);
  if (block == NULL) return NULL;
  *(size_t *)(void *)block = bytes;
  b->now += bytes;
  if (b->now > b->most) b->most = b->now;
  return block + BALANCE_HEAD;
}
static inline void weighed_release(void *context, void *memory) {
  unsigned char *block = (unsigned char *)memory - BALANCE_HEAD;
  ((balance *)context)->now -= *(size_t *)(void *)block;
  free(block);
}

#endif
