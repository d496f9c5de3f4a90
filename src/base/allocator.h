// allocator.h: the caller's allocator, or malloc and free.
#ifndef PERP_ALLOCATOR_H
#define PERP_ALLOCATOR_H

#include <perp/perp.h>

// malloc and free if `given` is NULL or has NULL functions.
perp_allocator allocator_of(const perp_allocator *given);

#endif
