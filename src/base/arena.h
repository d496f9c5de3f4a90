// arena.h: hands out one block of memory in order; the same code first counts and then takes.
//
// With base = NULL an arena only counts: arena_take returns NULL and `used` grows. The code that
// lays out arrays runs on a counting arena to find the block's size, then again on the block.
#ifndef PERP_ARENA_H
#define PERP_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define ARENA_ALIGNMENT ((size_t)64)   // a cache line: no false sharing, aligned vectors

typedef struct arena {
  unsigned char *base;   // NULL: count only
  size_t capacity;       // bytes at base
  size_t used;           // SIZE_MAX: the count has overflowed
} arena;

// Returns NULL when counting, or if the array does not fit.
void *arena_take(arena *a, size_t count, size_t size);
static inline int arena_overflowed(const arena *a) { return a->used == SIZE_MAX; }

// The bytes to allocate for a counted layout, with room to align it. SIZE_MAX: overflow.
static inline size_t arena_block_bytes(const arena *counted) {
  return counted->used <= SIZE_MAX - ARENA_ALIGNMENT ? counted->used + ARENA_ALIGNMENT : SIZE_MAX;
}
static inline arena arena_on_block(void *block, size_t bytes) {   // aligns the start
  const size_t skip = ARENA_ALIGNMENT - (uintptr_t)block%ARENA_ALIGNMENT;
  return (arena){(unsigned char *)block + skip, bytes - skip, 0};
}

#define ARENA_ARRAY(a, type, count) ((type *)arena_take((a), (size_t)(count), sizeof(type)))

#endif
