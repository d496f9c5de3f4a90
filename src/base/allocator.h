// allocator.h: the caller's allocator, or malloc and free.
#ifndef PERP_ALLOCATOR_H
#define PERP_ALLOCATOR_H

#include <perp/perp.h>

// malloc and free if `given` is NULL or has NULL functions.
perp_allocator allocator_of(const perp_allocator *given);
// Memory for `count` items, or for one if there are none. NULL: there is no memory.
void *allocator_take(const perp_allocator *memory, int64_t count, size_t size);
void allocator_drop(const perp_allocator *memory, const void *block);   // NULL is fine

#endif
