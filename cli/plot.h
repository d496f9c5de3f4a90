// plot.h: a convergence plot through gnuplot, as SVG or PNG.
#pragma once

#include <perp/perp.h>

typedef struct plot {
  const char *path;                   // *.svg or *.png
  const char *title;
  const perp_statistics *trace;       // count
  int32_t count;
  double tol;
  int solved;                         // how the last point is marked
  const char *measure;   // the name of stop.measure, drawn beside the residual; NULL: none
} plot;

// Before a long solve: 0, or an exit code after having said what is missing.
int plot_check(const char *path);
int plot_write(const plot *what);     // 0, or an exit code after having said what went wrong
int plot_find_program(const char *name, char *path, size_t size);   // on PATH: 1 and where, or 0
