// allocator.c: malloc and free in the shape of a perp_allocator.
//
// Large blocks ask for large pages where the system has them: to fill the small ones, a fault each,
// takes longer than a method takes to fill them with numbers.
#include "allocator.h"

#include <stdlib.h>

#include "platform.h"

static void *allocate(void *context, size_t bytes) {
  (void)context;
  return platform_allocate(bytes);
}

static void release(void *context, void *memory) {
  (void)context;
  free(memory);
}

perp_allocator allocator_of(const perp_allocator *given) {
  const int complete = given != NULL && given->allocate != NULL && given->release != NULL;
  return complete ? *given : (perp_allocator){allocate, release, NULL};
}
