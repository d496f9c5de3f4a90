// save.c: the exact state of a world as bytes, and back.
#include "world.h"

size_t perp_world_save(const perp_world *w, void *memory, size_t size) {
  (void)w, (void)memory, (void)size;
  return 0;
}

perp_error perp_world_load(perp_world *w, const void *memory, size_t size) {
  (void)w, (void)memory, (void)size;
  return world_fail(PERP_ERROR_UNSUPPORTED, "not yet");
}
