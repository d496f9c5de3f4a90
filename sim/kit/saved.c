// saved.c: checks of saved states.
#include "saved.h"

#include <math.h>
#include <string.h>

#include "refuse.h"

void saved_mix(uint64_t *hash, const void *data, size_t bytes) {
  const unsigned char *p = data;
  for (size_t i = 0; i < bytes; i++) *hash = (*hash ^ p[i])*0x100000001B3u;
}

int saved_is_finite(const void *numbers, size_t bytes) {
  for (size_t at = 0; at < bytes; at += sizeof(double)) {
    double x;
    memcpy(&x, (const unsigned char *)numbers + at, sizeof x);
    if (!isfinite(x)) return 0;
  }
  return 1;
}

perp_error saved_read(const void *memory, size_t size, const char mark[8], const char *from,
                      void *head, size_t head_bytes) {
  if (size < head_bytes)
    return refuse(PERP_ERROR_ARGUMENT, "size = %zu is outside [%zu, inf)", size, head_bytes);
  if (memcmp(memory, mark, 8) != 0)
    return refuse(PERP_ERROR_ARGUMENT, "these bytes are not a state of %s()", from);
  memcpy(head, memory, head_bytes);
  return PERP_OK;
}

perp_error saved_check(const saved_head *h, uint64_t kind, const char *what, const char *bodies,
                       int32_t saved, int32_t count, const char *differs) {
  if (saved != count)
    return refuse(PERP_ERROR_ARGUMENT, "the state is of another %s, with %d %s; this one has %d",
                  what, saved, bodies, count);
  if (h->kind != kind)
    return refuse(PERP_ERROR_ARGUMENT, "the state is of another %s, with other %s", what, differs);
  return PERP_OK;
}
