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

void *allocator_take(const perp_allocator *memory, int64_t count, size_t size) {
  const uint64_t items = count > 0 ? (uint64_t)count : 1;
  return items <= SIZE_MAX/size ? memory->allocate(memory->context, (size_t)items*size) : NULL;
}

void allocator_drop(const perp_allocator *memory, const void *block) {
  if (block != NULL) memory->release(memory->context, (void *)(uintptr_t)block);
}
