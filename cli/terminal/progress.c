// progress.c: a live line on a terminal, or plain lines in a pipe, while a solve runs.
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

static int live_line;   // one is on the screen

double progress_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9*(double)time.tv_nsec;
}

static int is_given(const arguments *args, const char *name) {
  for (int i = 0; i < args->table.count; i++)
    if (!strcmp(args->table.entry[i].name, name)) return args->value[i] != NULL;
  return 0;
}

progress progress_begin(const arguments *args, const perp_options *options) {
  progress state = {.time_limit = INFINITY};
  if (options) state.tol = options->tol, state.time_limit = options->time_limit;
  if (is_given(args, "quiet")) state.mode = PROGRESS_OFF;
  else if (isatty(STDERR_FILENO)) state.mode = PROGRESS_LIVE;
  else state.mode = is_given(args, "progress") ? PROGRESS_LINES : PROGRESS_OFF;
  return state;
}

// Seconds until the residual reaches tol at its present rate, or the time limit; < 0: no idea.
static double remaining(progress *state, const perp_statistics *now) {
  double left = -1.0;
  const double seconds = now->seconds - state->start_seconds;
  if (state->start_residual > now->residual && now->residual > state->tol && state->tol > 0.0 &&
      seconds > 0.5) {
    left = seconds*log(now->residual/state->tol)/log(state->start_residual/now->residual);
  }
  if (!(state->start_residual > 0.0) || seconds > 10.0 ||
      !(now->residual < state->start_residual)) {
    state->start_seconds = now->seconds, state->start_residual = now->residual;
  }
  if (isfinite(state->time_limit)) {
    const double limit = fmax(state->time_limit - now->seconds, 0.0);
    left = left < 0.0 ? limit : fmin(left, limit);
  }
  return left;
}

// A line that fills the terminal would wrap, and stay.
static int live_width(void) {
  const int columns = text_columns(stderr);
  return columns > 0 && columns <= PROGRESS_WIDTH ? columns - 1 : PROGRESS_WIDTH;
}

static void print(const progress *state, const char *line) {
  if (state->mode == PROGRESS_LIVE) {
    fprintf(stderr, "\r\033[K%.*s", live_width(), line);
    live_line = 1;
  } else {
    fprintf(stderr, "%s\n", line);
  }
  fflush(stderr);
}

void progress_show(progress *state, const perp_statistics *statistics) {
  const double interval = state->mode == PROGRESS_LIVE ? 0.1 : 1.0;
  if (state->mode == PROGRESS_OFF || statistics->seconds - state->shown < interval) return;
  state->shown = statistics->seconds;
  const double left = remaining(state, statistics);
  text_buffer time, end;
  char line[128] = "";
  text_append(line, sizeof line, "iteration %d  residual %.2e  %s", (int)statistics->iteration,
              statistics->residual, text_seconds(statistics->seconds, &time));
  if (left >= 0.0 && left < 360000.0)
    text_append(line, sizeof line, "  about %s left", text_seconds(left, &end));
  print(state, line);
}

#define PACE_SECONDS_MAX 10.0       // older work does not count for the pace

double progress_pace(progress *state, int64_t done, double seconds) {
  double *time = state->pace_seconds, *count = state->pace_count;
  if (done > state->counted) {
    if (time[0] >= PACE_SECONDS_MAX) {
      time[1] = time[0], count[1] = count[0];
      time[0] = count[0] = 0.0;
    }
    time[0] += seconds - state->counted_seconds;
    count[0] += (double)(done - state->counted);
    state->counted = done;
    state->counted_seconds = seconds;
  }
  return count[0] > 0.0 ? (time[0] + time[1])/(count[0] + count[1]) : -1.0;
}

void progress_count(progress *state, const char *what, int64_t done, int64_t total,
                    double seconds) {
  const double interval = state->mode == PROGRESS_LIVE ? 0.1 : 1.0;
  const double pace = progress_pace(state, done, seconds);
  if (state->mode == PROGRESS_OFF || seconds < 1.0 || seconds - state->shown < interval) return;
  state->shown = seconds;
  text_buffer end;
  char line[128] = "";
  text_append(line, sizeof line, "%lld of %lld %s", (long long)done, (long long)total, what);
  if (pace >= 0.0)
    text_append(line, sizeof line, "  about %s left",
                text_seconds(pace*(double)(total - done), &end));
  print(state, line);
}

// Five characters: "12:05", "3h07m" or "120 h"; nothing is known yet if `seconds` < 0.
static const char *time_left(double seconds, char out[16]) {
  const int minutes = seconds < 3e6 ? (int)(seconds/60.0) : 0;
  if (seconds < 0.0) snprintf(out, 16, "--:--");
  else if (seconds < 5999.5) snprintf(out, 16, "%2d:%02d", (int)(seconds + 0.5)/60,
                                      (int)(seconds + 0.5) % 60);
  else if (seconds < 36000.0) snprintf(out, 16, "%dh%02dm", minutes/60, minutes % 60);
  else snprintf(out, 16, "%3.0f h", fmin(seconds/3600.0, 999.0));
  return out;
}

// A bar in front of the text, if there is room for one beside `columns` of text.
static void put_bar(char line[PROGRESS_WIDTH + 1], const progress_state *at, const char *text,
                    int columns) {
  enum { BAR_COLUMNS_MAX = 20, BAR_COLUMNS_MIN = 4 };
  const int room = PROGRESS_WIDTH - columns - 3;
  const int bar = room < BAR_COLUMNS_MAX ? room : BAR_COLUMNS_MAX;
  const int full = (int)((double)bar*(double)at->done/(double)at->total);
  *line = 0;
  if (bar >= BAR_COLUMNS_MIN)
    text_append(line, PROGRESS_WIDTH + 1, "[%.*s%*s] ", full, "####################", bar - full,
                "");
  text_append(line, PROGRESS_WIDTH + 1, "%s", text);
}

void progress_line(char line[PROGRESS_WIDTH + 1], const progress_state *at) {
  const int digits = snprintf(NULL, 0, "%lld", (long long)at->total);
  char text[160] = "", left[16];
  const double rest = at->pace < 0.0 ? -1.0 : at->pace*(double)(at->total - at->done);
  for (int named = 1; named >= 0 && (named || strlen(text) > PROGRESS_WIDTH); named--) {
    *text = 0;
    text_append(text, sizeof text, "%*lld/%lld, %s, %s%5.0e, %s left", digits,
                (long long)at->done, (long long)at->total, at->numbers,
                named ? "residual " : "", at->residual, time_left(rest, left));
  }
  put_bar(line, at, text, (int)strlen(text));
}

void progress_step_line(char line[PROGRESS_WIDTH + 1], const progress_state *at) {
  const int usual = snprintf(NULL, 0, "%lld/%lld, %*s, residual 1e-09, 00:00 left",
                             (long long)at->total, (long long)at->total, PROGRESS_NUMBERS, "");
  const int digits = snprintf(NULL, 0, "%lld", (long long)at->total);
  char text[160] = "";
  text_buffer time;
  text_append(text, sizeof text, "%*lld/%lld, step %lld has taken %s so far", digits,
              (long long)at->done, (long long)at->total, (long long)at->done + 1,
              text_seconds(floor(at->step_seconds), &time));
  const int columns = (int)strlen(text);
  put_bar(line, at, text, columns > usual ? columns : usual);   // the bar stays as wide as it was
}

#define SHOWN_STEP_SECONDS_MIN 2.0        // the duration of a longer step is shown while it runs
#define STEP_LINE_SECONDS_MIN 10.0  // from one line about a step to the next, where lines stay

void progress_step(progress *state, const progress_state *at) {
  const int told = state->shown >= at->seconds - at->step_seconds;   // of this step already
  char line[PROGRESS_WIDTH + 1];
  if (state->mode == PROGRESS_OFF || at->total < 1) return;
  if (at->step_seconds < SHOWN_STEP_SECONDS_MIN) return;
  if (state->mode == PROGRESS_LINES && told && at->seconds - state->shown < STEP_LINE_SECONDS_MIN)
    return;
  state->shown = at->seconds;
  progress_step_line(line, at);
  print(state, line);
}

void progress_steps(progress *state, const progress_state *at) {
  const double interval = state->mode == PROGRESS_LIVE ? 0.1 : 1.0;
  char line[PROGRESS_WIDTH + 1];
  progress_state now = *at;
  now.pace = progress_pace(state, at->done, at->seconds);
  if (state->mode == PROGRESS_OFF || at->seconds < 0.3 || at->seconds - state->shown < interval)
    return;
  state->shown = at->seconds;
  progress_line(line, &now);
  print(state, line);
}

void progress_clear(void) {
  if (!live_line) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  live_line = 0;
}
