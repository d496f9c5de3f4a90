// allocator.c: malloc and free in the shape of a perp_allocator.
//
// Large blocks ask for large pages where the system has them: to fill the small ones, a fault each,
// takes longer than a method takes to fill them with numbers.
#if defined(__linux__)
#define _DEFAULT_SOURCE            // madvise
#endif
#include "allocator.h"

#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#if defined(__linux__) && defined(MADV_HUGEPAGE)
enum { PAGE = 1 << 21, LARGE = 2*PAGE };   // bytes; below LARGE most of a block would be outside

static void *allocate(void *context, size_t bytes) {
  (void)context;
  void *memory = NULL;
  if (bytes < LARGE) return malloc(bytes);
  if (posix_memalign(&memory, PAGE, bytes) != 0) return NULL;
  madvise(memory, bytes & ~(size_t)(PAGE - 1), MADV_HUGEPAGE);   // a wish: small pages do as well
  return memory;
}
#else
static void *allocate(void *context, size_t bytes) {
  (void)context;
  return malloc(bytes);
}
#endif

static void release(void *context, void *memory) {
  (void)context;
  free(memory);
}

perp_allocator allocator_of(const perp_allocator *given) {
  const int complete = given != NULL && given->allocate != NULL && given->release != NULL;
  return complete ? *given : (perp_allocator){allocate, release, NULL};
}
