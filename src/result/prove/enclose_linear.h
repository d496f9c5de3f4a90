// enclose_linear.h: a proven distance of the exact solution of a small linear system from an
// approximate one.
#ifndef PERP_ENCLOSE_LINEAR_H
#define PERP_ENCLOSE_LINEAR_H

#include <perp/perp.h>

#include "enclosure.h"

typedef struct linear_system {   // S v = right side; `context` keeps v
  int32_t m;
  double slack;                  // the largest relative error of an entry
  void *context;
  void (*entries)(void *context, double *S);           // m x m, row-major
  enclosure (*residual)(void *context, int32_t k);     // of row k: S v - right side
  void (*move)(void *context, int32_t k, double by);   // v_k += by
} linear_system;

typedef enum linear_end {
  LINEAR_ENCLOSED, LINEAR_SINGULAR, LINEAR_ILL, LINEAR_NO_MEMORY
} linear_end;

// Refines v and proves |exact solution - v|_k <= error_k. Only LINEAR_ENCLOSED proves S regular.
linear_end enclose_linear(const linear_system *system, const perp_allocator *from,
                          double *error);   // m

#endif
