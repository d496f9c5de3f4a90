// quantiles.h: quantiles of a stream of unknown length, from a sample of its numbers.
#pragma once

#include <stdint.h>

enum { SAMPLE_MAX = 1 << 14 };   // numbers that are kept

typedef struct sample {        // every `stride`-th number, `room` of them at most
  float value[SAMPLE_MAX];
  int64_t seen, stride;
  int room, count;
} sample;

void quantiles_begin(sample *s, int room);   // room: even, at most SAMPLE_MAX
void quantiles_add(sample *s, double value);
double quantiles_quantile(sample *s, double part);   // 0 where there is none; sorts the numbers
