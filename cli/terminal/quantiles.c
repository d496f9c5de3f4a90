// quantiles.c: keeps every number at first. When the room is full, it drops every other one and
// from then on keeps every second number, then every fourth, and so on.
#include "quantiles.h"

#include <stdlib.h>

void quantiles_begin(sample *s, int room) {
  s->seen = 0, s->stride = 1;
  s->room = room, s->count = 0;
}

void quantiles_add(sample *s, double value) {
  if (s->seen++ % s->stride) return;
  if (s->count == s->room) {
    for (int k = 0; k < s->room/2; k++) s->value[k] = s->value[2*k];
    s->count = s->room/2;
    s->stride *= 2;
  }
  s->value[s->count++] = (float)value;
}

static int ascending(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

double quantiles_quantile(sample *s, double part) {
  if (s->count == 0) return 0.0;
  qsort(s->value, (size_t)s->count, sizeof *s->value, ascending);
  return (double)s->value[(int)(part*(s->count - 1))];
}
