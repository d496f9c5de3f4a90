// plot.c: a convergence plot through gnuplot, as SVG or PNG.
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "message.h"
#include "text.h"

extern char **environ;

int plot_find_program(const char *name, char *path, size_t size) {
  const char *from = getenv("PATH");
  for (; from && *from; from += strcspn(from, ":"), from += *from == ':') {
    const int length = (int)strcspn(from, ":");
    snprintf(path, size, "%.*s/%s", length, from, name);
    if (length > 0 && access(path, X_OK) == 0) return 1;
  }
  return 0;
}

static int has_suffix(const char *path, const char *suffix) {
  const size_t length = strlen(path), end = strlen(suffix);
  return length > end && !strcmp(path + length - end, suffix);
}

int plot_check(const char *path) {
  char where[1024];
  if (!has_suffix(path, ".svg") && !has_suffix(path, ".png")) {
    return fail(CODE_USAGE, "--plot = %s: the name must end in .svg or .png", path);
  }
  if (!plot_find_program("gnuplot", where, sizeof where)) {
    return fail(
        CODE_COMPONENT,
        "--plot needs gnuplot, which is not on PATH; install it (Debian: apt install gnuplot-nox), "
        "or use --trace for the numbers");
  }
  return CODE_OK;
}

// Text for gnuplot's double quotes; control characters and its enhanced-text marks become plain.
static void put_quoted(FILE *script, const char *text) {
  fputc('"', script);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', script);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, script);
  }
  fputc('"', script);
}

enum { POINTS = 4000 };   // more do not show
static const double lowest = 1e-17;   // where an exact zero is drawn

static double drawn(double value) { return value > lowest ? value : lowest; }

// At most POINTS of the trace; the last one always.
static void put_data(FILE *script, const plot *what, int measure) {
  const int32_t stride = what->count/POINTS + 1;
  for (int32_t i = 0; i < what->count; i++) {
    if (i % stride != 0 && i != what->count - 1) continue;
    const perp_statistics *at = &what->trace[i];
    const double value = measure ? at->measure : at->residual;
    if (isfinite(value)) fprintf(script, "%d %.9g\n", (int)at->iteration, drawn(value));
  }
  fprintf(script, "e\n");
}

static void put_end(FILE *script, const plot *what) {
  for (int32_t i = what->count - 1; i >= 0; i--) {
    if (!isfinite(what->trace[i].residual)) continue;
    fprintf(script, "%d %.9g\n", (int)what->trace[i].iteration, drawn(what->trace[i].residual));
    break;
  }
  fprintf(script, "e\n");
}

static void put_script(FILE *script, const plot *what) {
  double low = drawn(what->tol), high = what->tol;
  int32_t last = 1;
  int points = 0;
  for (int32_t i = 0; i < what->count; i++) {
    const perp_statistics *at = &what->trace[i];
    const double values[2] = {at->residual, what->measure ? at->measure : at->residual};
    for (int k = 0; k < 2; k++) {
      if (!isfinite(values[k])) continue;
      low = fmin(low, drawn(values[k])), high = fmax(high, values[k]);
      points++;
    }
    if (at->iteration > last) last = at->iteration;
  }
  low = pow(10.0, floor(log10(low) - 0.3)), high = pow(10.0, ceil(log10(high) + 0.3));

  const int svg = has_suffix(what->path, ".svg");
  if (svg) {
    fprintf(
        script,
        "set terminal svg size 900,560 dynamic background rgb '#ffffff' "
        "font 'DejaVu Sans,Helvetica,Arial,16'\n");
  } else {
    fprintf(
        script,
        "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) "
        "{ set terminal pngcairo size 1350,840 font 'Sans,18' } "
        "else { set terminal png size 1350,840 large }\n");
  }
  fprintf(script, "set output\n");
  fprintf(script, "set title ");
  put_quoted(script, what->title);
  fprintf(script,
          " noenhanced\nset xlabel 'iteration'\nset ylabel 'residual'\nset logscale y\n"
          "set format y '10^{%%L}'\nset xrange [0:%d]\nset yrange [%.9g:%.9g]\n",
          (int)last, low, high);
  if (last < 12) fprintf(script, "set xtics 0,1\n");   // no half iterations
  fprintf(
      script,
      "set border 3 linecolor rgb '#666666'\n"
      "set tics nomirror out scale 0.75 textcolor rgb '#333333'\n"
      "set grid xtics ytics linetype 1 linecolor rgb '#e4e4e4' linewidth 1\n"
      "set key top right noautotitle spacing 1.3 textcolor rgb '#333333'\n"
      "set lmargin 11\nset rmargin 4\n");
  fprintf(script, "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead dashtype 2 "
          "linecolor rgb '#c0392b' linewidth 1.5\n", what->tol, what->tol);
  fprintf(
      script,
      "set label 'tol = %g' at graph 0.015, first %.9g left offset 0,0.6 textcolor rgb '#c0392b'\n",
      what->tol, what->tol);
  if (points == 0) {
    fprintf(script, "set label 'solved without iterating' at graph 0.5,0.5 center\nplot NaN\n");
    return;
  }
  const char *style = what->count > 60 ? "lines" : "linespoints pointtype 7 pointsize 0.5";
  fprintf(script,
          "plot '-' using 1:2 with %s linewidth 2.5 linecolor rgb '#1f5fa8' title 'residual'",
          style);
  if (what->measure) {
    fprintf(script, ", '-' using 1:2 with %s linewidth 2.5 linecolor rgb '#d98a00' title ", style);
    put_quoted(script, what->measure);
    fprintf(script, " noenhanced");
  }
  // where it ended
  fprintf(script,
          ", '-' using 1:2 with points pointtype %d pointsize %s linewidth 3 linecolor rgb '%s' "
          "title '%s'\n",
          what->solved ? 7 : 2, what->solved ? "1.2" : "1.6", what->solved ? "#2e8b57" : "#c0392b",
          what->solved ? "solved" : "ended unsolved");
  put_data(script, what, 0);
  if (what->measure) put_data(script, what, 1);
  put_end(script, what);
}

// gnuplot with the script as its input and our pipe as its output.
static int start_gnuplot(int script, pid_t *child, int *output) {
  int ends[2];
  char *const argv[] = {(char[]){"gnuplot"}, NULL};
  if (pipe(ends) != 0) return errno;
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (!error) {
    error = posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (!error)
      error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawnp(child, "gnuplot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  close(ends[1]);
  if (error) close(ends[0]);
  else *output = ends[0];
  return error;
}

int plot_write(const plot *what) {
  char message[512] = "";
  FILE *script = tmpfile();
  if (!script) return fail(CODE_IO, "cannot make a temporary file: %s", strerror(errno));
  put_script(script, what);
  if (fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0) {
    fclose(script);
    return fail(CODE_IO, "cannot write a temporary file: %s", strerror(errno));
  }
  pid_t child = 0;
  int output = -1;
  const int error = start_gnuplot(fileno(script), &child, &output);
  fclose(script);
  if (error) return fail(CODE_COMPONENT, "cannot start gnuplot: %s", strerror(error));

  file_output *file = NULL;
  int code = file_create(what->path, &file, message, sizeof message);
  char buffer[65536];
  size_t total = 0;
  for (ssize_t got; (got = read(output, buffer, sizeof buffer)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    if (!code) file_write(file, buffer, (size_t)got);
    total += (size_t)got;
  }
  close(output);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (code) return fail(code, "%s", message);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || total == 0) {
    file_abandon(file);
    return fail(CODE_COMPONENT, "gnuplot could not draw %s", what->path);
  }
  code = file_commit(file, message, sizeof message);
  return code ? fail(code, "%s", message) : CODE_OK;
}
