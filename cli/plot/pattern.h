// pattern.h: a picture of a problem without a grid: the entries of A, and the pairs (x, y).
#pragma once

#include "problem_files.h"

typedef struct pattern {
  const char *path;          // *.svg or *.png
  const char *title;
  const char *caption;       // a line below; NULL: none
  const problem_files *files;
  const double *x, *y;       // n
  const uint8_t *region;     // n: field_region
} pattern;

int pattern_write(const pattern *what);   // 0, or an exit code after having said what went wrong
