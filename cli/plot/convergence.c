// convergence.c: a chart of the residual against the iterations of a solve.
#include "convergence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chart.h"
#include "message.h"

int convergence_check(const char *path) {
  return chart_check("--plot", path, "use --trace for the numbers");
}

int convergence_write(const convergence *what) {
  const size_t room = (size_t)what->count + 1;
  double *iteration = malloc(3*room*sizeof *iteration);
  if (!iteration) return fail(CODE_IO, "out of memory for a plot of %d rows", (int)what->count);
  double *residual = iteration + room, *measure = residual + room;
  int32_t end = -1, last = 1;   // where it ended
  for (int32_t i = 0; i < what->count; i++) {
    const perp_statistics *at = &what->trace[i];
    iteration[i] = at->iteration;
    residual[i] = at->residual;
    measure[i] = at->measure;
    if (isfinite(at->residual)) end = i;
    if (at->iteration > last) last = at->iteration;
  }
  chart_curve curve[3];
  int curves = 0;
  curve[curves++] = (chart_curve){.name = "residual", .x = iteration, .y = residual,
                                  .count = what->count, .colour = CHART_BLUE};
  if (what->measure)
    curve[curves++] = (chart_curve){.name = what->measure, .x = iteration, .y = measure,
                                    .count = what->count, .colour = CHART_YELLOW};
  if (end >= 0)
    curve[curves++] = (chart_curve){.name = what->solved ? "solved" : "ended unsolved",
                                    .x = iteration + end, .y = residual + end, .count = 1,
                                    .style = CHART_POINTS, .cross = !what->solved,
                                    .colour = what->solved ? CHART_GREEN : CHART_RED};
  char text[48];
  snprintf(text, sizeof text, "tol = %g", what->tol);
  const chart_mark line = {.kind = CHART_HORIZONTAL, .y = what->tol, .text = text};
  const chart picture = {
      .path = what->path, .title = what->title,
      .x = {.label = "iteration", .low = 0.0, .high = last, .whole = 1},
      .y = {.label = "residual", .log = 1, .floor = 1e-17},   // an exact zero is drawn there
      .curve = curve, .curves = curves, .mark = &line, .marks = 1,
      .empty = "solved without iterating"};
  const int code = chart_write(&picture);
  free(iteration);
  return code;
}
