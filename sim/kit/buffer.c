// buffer.c: memory that grows.
#include "buffer.h"

#include <string.h>

#include "allocator.h"

perp_allocator buffer_allocator(const perp_allocator *given) { return allocator_of(given); }

void buffer_release(const perp_allocator *from, void *memory) {
  if (memory != NULL) from->release(from->context, memory);
}

enum { LARGE_BYTES = 1 << 20 };   // from which a buffer gets an eighth to spare, not a half

int buffer_grow(const perp_allocator *from, buffer *b, size_t bytes, size_t keep) {
  if (b->at != NULL && bytes <= b->bytes) return 1;
  const size_t wanted = bytes + bytes/(bytes < LARGE_BYTES ? 2 : 8) + 64;
  void *at = from->allocate(from->context, wanted);
  if (at == NULL) return 0;
  if (keep > 0) memcpy(at, b->at, keep);
  buffer_free(from, b);
  *b = (buffer){at, wanted};
  return 1;
}

void buffer_free(const perp_allocator *from, buffer *b) {
  buffer_release(from, b->at);
  *b = (buffer){0};
}
