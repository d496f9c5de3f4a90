// convergence.h: a chart of the residual against the iterations of a solve.
#pragma once

#include <perp/perp.h>

typedef struct convergence {
  const char *path;                   // *.svg or *.png
  const char *title;
  const perp_statistics *trace;       // count
  int32_t count;
  double tol;
  int solved;                         // how the last point is marked
  const char *measure;   // the name of stop.measure, drawn beside the residual; NULL: none
} convergence;

int convergence_check(const char *path);   // before a long solve, as chart_check
int convergence_write(const convergence *what);
