// work.c: the compiler calls a function where a basic block begins. It adds what the block costs.
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef WORK_COUNTED

#define WORK_PER_SECOND 4e9   // instructions: of a processor of today

extern const char __executable_start[];   // from the linker
void __sanitizer_cov_trace_pc(void);

static uint64_t done, stop = UINT64_MAX;
static unsigned char *weight;
static size_t weights;

__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void) {
  const size_t at = (size_t)((const char *)__builtin_return_address(0) - __executable_start);
  done += at < weights ? weight[at] : 1;
  if (done > stop) _exit(3);
}

__attribute__((constructor)) static void read_weights(void) {
  const char *path = getenv("PERP_WEIGHTS");
  FILE *file = path == NULL ? NULL : fopen(path, "rb");
  if (file == NULL) return;
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  rewind(file);
  weight = bytes > 0 ? malloc((size_t)bytes) : NULL;
  weights = weight == NULL ? 0 : fread(weight, 1, (size_t)bytes, file);
  fclose(file);
  done = 0;
}

uint64_t work_done(void) { return done; }
void work_stop_at(uint64_t work) { stop = work; }

#else

#define WORK_PER_SECOND 1e9

uint64_t work_done(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec*1000000000u + (uint64_t)now.tv_nsec;
}

void work_stop_at(uint64_t work) { (void)work; }

#endif

double work_seconds(void *unused) {
  (void)unused;
  return (double)work_done()/WORK_PER_SECOND;
}
