// small_parts.c: the program perp, which saves states in parts of a few kilobytes: so a test sees what
// others see beyond 256 MB.
static int perp_main(int argc, char **argv);
#define main perp_main
#include "../../../cli/main.c"
#undef main

#include "run_record.h"

int main(int argc, char **argv) {
  recorder_part = 5000;
  return perp_main(argc, argv);
}
