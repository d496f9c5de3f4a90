// peak.h: multiplications and additions of doubles that a core can do in a second.
#ifndef PERP_BENCH_PEAK_H
#define PERP_BENCH_PEAK_H

typedef struct peak { double two, four; } peak;   // flops: two at a time; four at a time and fused
peak peak_measure(void);                          // four = 0 where the processor cannot

#endif
