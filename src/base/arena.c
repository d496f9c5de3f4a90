// arena.c: takes memory from a block and catches every overflow.
#include "arena.h"

void *arena_take(arena *a, size_t count, size_t size) {
  const size_t limit = SIZE_MAX - ARENA_ALIGNMENT;
  if (a->used == SIZE_MAX || (size > 0 && count > limit / size)) {
    a->used = SIZE_MAX;
    return NULL;
  }
  const size_t bytes = (count*size + ARENA_ALIGNMENT - 1) & ~(ARENA_ALIGNMENT - 1);
  if (bytes > limit - a->used) {
    a->used = SIZE_MAX;
    return NULL;
  }
  const size_t at = a->used;
  if (a->base != NULL && at + bytes > a->capacity) return NULL;
  a->used = at + bytes;
  return a->base != NULL ? a->base + at : NULL;
}
