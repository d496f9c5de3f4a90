// work.h: how much work this program has done: instructions, or processor time.
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <stdint.h>

// Built by gcc with -DWORK_COUNTED -fsanitize-coverage=trace-pc: the instructions of all basic blocks
// that have been run. Instructions inside the C library are not seen. PERP_WEIGHTS names the file
// with a byte for each address of the program: the instructions of the block that begins there.
// Otherwise: nanoseconds of processor time.
uint64_t work_done(void);
double work_seconds(void *unused);   // the same, as a clock for perp_options.clock
// Ends the program with code 3 once this much is done. Processor time: no limit.
void work_stop_at(uint64_t work);

#endif
