// allocator.c: malloc and free in the shape of a perp_allocator.
#include "allocator.h"

#include <stdlib.h>

static void *allocate(void *context, size_t bytes) {
  (void)context;
  return malloc(bytes);
}
static void release(void *context, void *memory) {
  (void)context;
  free(memory);
}

perp_allocator allocator_of(const perp_allocator *given) {
  const int complete = given != NULL && given->allocate != NULL && given->release != NULL;
  return complete ? *given : (perp_allocator){allocate, release, NULL};
}
