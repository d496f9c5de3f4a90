// allocator.c: malloc and free as a perp_allocator.
//
// Large blocks request large pages if the system has them (platform.c). With small pages, the page
// faults take longer than a method takes to fill the block.
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
