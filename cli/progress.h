// progress.h: a live line on a terminal, or plain lines in a pipe, while a solve runs.
#pragma once

#include <perp/perp.h>

typedef enum progress_mode { PROGRESS_OFF, PROGRESS_LINES, PROGRESS_LIVE } progress_mode;

typedef struct progress {
  progress_mode mode;
  double tol, time_limit;      // to estimate the end
  double shown;                // seconds of the solve when a line was last shown
  double start_seconds, start_residual;   // where the current rate of convergence is measured from
} progress;

double progress_now(void);     // seconds, of a clock that nobody sets
progress progress_begin(int asked, int quiet, const perp_options *options);
void progress_show(progress *state, const perp_statistics *statistics);
// The same for work that is counted: done of total `what`, such as "steps".
void progress_count(progress *state, const char *what, int64_t done, int64_t total,
                    double seconds);
// And for steps of a simulation, of which the first `begun` were done before.
void progress_steps(progress *state, int64_t done, int64_t total, int64_t begun, double contacts,
                    double iterations, double residual, double seconds);
void progress_clear(void);     // removes the live line; before anything else is printed on stderr
