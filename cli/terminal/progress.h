// progress.h: a live line on a terminal, or plain lines in a pipe, while a solve runs.
#pragma once

#include "option_table.h"

typedef enum progress_mode { PROGRESS_OFF, PROGRESS_LINES, PROGRESS_LIVE } progress_mode;

typedef struct progress {
  progress_mode mode;
  double tol, time_limit;      // to estimate the end
  double shown;                // seconds of the solve when a line was last shown
  double start_seconds, start_residual;   // where the current rate of convergence is measured from
  double pace_seconds[2], pace_count[2];   // of work that is counted: what was done lately, and
                                           // what before that
  double counted_seconds;      // and when it was last counted
  int64_t counted;
} progress;

double progress_now(void);     // seconds, of a clock that nobody sets
// --quiet and --progress say whether it is shown; options NULL: for work that is counted.
progress progress_begin(const arguments *args, const perp_options *options);
void progress_show(progress *state, const perp_statistics *statistics);
// The same for work that is counted: done of total `what`, such as "steps".
void progress_count(progress *state, const char *what, int64_t done, int64_t total,
                    double seconds);

// Seconds per item, measured over the last 10 to 20 seconds of work; < 0: none is done yet. Call it
// whenever items are done. Older work does not count: the first steps of a simulation say little
// about the last.
double progress_pace(progress *state, int64_t done, double seconds);

// And for steps of a simulation.
enum { PROGRESS_WIDTH = 79, PROGRESS_NUMBERS = 29 };   // columns; of `numbers`, if they are small
typedef struct progress_state {
  int64_t done, total;         // steps
  char numbers[64];            // of the last one: "12 contacts, 3 iterations"
  double residual;             // likewise
  double seconds;              // since this run began
  double pace;                 // seconds a step, lately; < 0: nobody knows
  double step_seconds;         // since the step at hand began; only progress_step() asks
} progress_state;
void progress_steps(progress *state, const progress_state *at);
// Shows a bar and the numbers in fixed columns, so that only changed characters move.
void progress_line(char line[PROGRESS_WIDTH + 1], const progress_state *at);
// During a step that has taken more than two seconds: shows for how long.
void progress_step(progress *state, const progress_state *at);
void progress_step_line(char line[PROGRESS_WIDTH + 1], const progress_state *at);

void progress_clear(void);     // removes the live line; before anything else is printed on stderr
