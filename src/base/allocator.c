// allocator.c: malloc and free in the shape of a perp_allocator.
//
// Linux gives large blocks pages of 2 MB where it is asked to: a new solver of a million cells would
// otherwise take a page fault for each 4 KB of its memory, as much time as half of its first solve.
#if defined(__linux__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE   // madvise
#endif
#include "allocator.h"

#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

static void *allocate(void *context, size_t bytes) {
  (void)context;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const size_t page = (size_t)2 << 20;
  if (bytes >= 8*page && bytes <= SIZE_MAX - page) {
    const size_t whole = bytes/page*page;
    void *memory = aligned_alloc(page, (bytes + page - 1)/page*page);
    if (memory != NULL) madvise(memory, whole, MADV_HUGEPAGE);   // if not, nothing is lost
    return memory;
  }
#endif
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
