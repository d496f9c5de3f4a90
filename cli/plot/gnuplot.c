// gnuplot.c: pictures drawn by gnuplot as a child process: a script in, a whole file out or none.
#include "gnuplot.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "message.h"
#include "text.h"

extern char **environ;

int gnuplot_find_program(const char *name, char *path, size_t size) {
  const char *from = getenv("PATH");
  for (; from && *from; from += strcspn(from, ":"), from += *from == ':') {
    char place[4096];
    const int length = (int)strcspn(from, ":");
    snprintf(place, sizeof place, "%.*s/%s", length, from, name);
    if (length == 0 || access(place, X_OK) != 0) continue;
    if (path) snprintf(path, size, "%s", place);
    return 1;
  }
  return 0;
}

static int has_suffix(const char *path, const char *suffix) {
  const size_t length = strlen(path), end = strlen(suffix);
  return length > end && !strcmp(path + length - end, suffix);
}

int gnuplot_is_svg(const char *path) { return has_suffix(path, ".svg"); }

int gnuplot_check(const char *option, const char *path, const char *instead) {
  if (!gnuplot_is_svg(path) && !has_suffix(path, ".png")) {
    return fail(CODE_USAGE, "%s = %s: the name must end in .svg or .png", option, path);
  }
  if (!gnuplot_find_program("gnuplot", NULL, 0)) {
    return fail(
        CODE_COMPONENT,
        "%s needs gnuplot, which is not on PATH; install it (Debian: apt install gnuplot-nox)%s%s",
        option, instead ? ", or " : "", instead ? instead : "");
  }
  return CODE_OK;
}

// In double quotes gnuplot runs what stands in backquotes and expands @macros, and in single quotes
// it loses its way when two quotes follow each other (5.4). So only letters, blanks and bytes of
// UTF-8 stand as they are; everything else is its number, \140 for a backquote, which becomes a
// character only after commands and macros have been looked for. Digits are too: gnuplot would read
// one that follows a number as a part of it.
void gnuplot_text(FILE *script, const char *text) {
  char unit[TEXT_UNIT];
  fputc('"', script);
  while (*text) {
    for (const char *c = text_next(&text, unit); *c; c++) {
      const unsigned char byte = (unsigned char)*c;
      if (byte >= 0x80 || byte == ' ' || isalpha(byte)) fputc(byte, script);
      else fprintf(script, "\\%03o", byte);
    }
  }
  fputc('"', script);
}

// Numbers of pixels in the script are those of the SVG; the PNG terminal scales them.
void gnuplot_begin(FILE *script, const char *path, int width, int height) {
  fprintf(script, "set encoding utf8\n");
  if (gnuplot_is_svg(path)) {
    fprintf(script,
            "set terminal svg size %d,%d dynamic standalone background rgb '#ffffff' "
            "font 'DejaVu Sans,Helvetica,Arial,14'\n",
            width, height);
  } else {
    fprintf(script,
            "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) "
            "{ set terminal pngcairo size %d,%d font 'DejaVu Sans,10.5' fontscale 2 linewidth 2 "
            "pointscale 2 } else { set terminal png size %d,%d large }\n",
            2*width, 2*height, 2*width, 2*height);
  }
  fprintf(script, "set output\n");
  gnuplot_style(script);
}

void gnuplot_style(FILE *script) {
  fprintf(script,
          "set border 3 linecolor rgb '#666666'\n"
          "set tics nomirror out scale 0.75 textcolor rgb '#333333'\n"
          "set grid xtics ytics linetype 1 linecolor rgb '#e4e4e4' linewidth 1\n");
}

FILE *gnuplot_script(void) {
  FILE *script = tmpfile();
  if (!script) fail(CODE_IO, "cannot make a temporary file: %s", strerror(errno));
  return script;
}

// gnuplot with the script as its input and our pipe as its output. With -d it reads no start-up
// file: neither the user's nor the system's settings are in the picture.
static int start(int script, pid_t *child, int *output) {
  int ends[2];
  char *const argv[] = {(char[]){"gnuplot"}, (char[]){"-d"}, NULL};
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

int gnuplot_draw(FILE *script, const char *path) {
  char message[512] = "";
  if (fflush(script) != 0 || ferror(script) || lseek(fileno(script), 0, SEEK_SET) != 0) {
    const int trouble = errno;
    fclose(script);
    return fail(CODE_IO, "cannot write a temporary file: %s", strerror(trouble));
  }
  pid_t child = 0;
  int output = -1;
  const int error = start(fileno(script), &child, &output);
  fclose(script);
  if (error) return fail(CODE_COMPONENT, "cannot start gnuplot: %s", strerror(error));

  file_output *file = NULL;
  int code = file_create(path, &file, message, sizeof message);
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
    return fail(CODE_COMPONENT, "gnuplot could not draw %s", path);
  }
  code = file_commit(file, message, sizeof message);
  return code ? fail(code, "%s", message) : CODE_OK;
}
