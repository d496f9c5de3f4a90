// buffer.h: memory that grows, from a caller's allocator.
#ifndef PERP_BUFFER_H
#define PERP_BUFFER_H

#include <perp/perp.h>

typedef struct buffer {
  void *at;
  size_t bytes;
} buffer;

perp_allocator buffer_allocator(const perp_allocator *given);   // or malloc and free
// Makes b hold at least `bytes` bytes and keeps its first `keep`. 0: no memory; b is unchanged.
int buffer_grow(const perp_allocator *from, buffer *b, size_t bytes, size_t keep);
void buffer_free(const perp_allocator *from, buffer *b);
void buffer_release(const perp_allocator *from, void *memory);   // NULL is fine

#endif
