// run_dump.c: perp run --dump-problems: each island of a step as a problem directory.
//
// Directories are named as in MNS08: nb and the number of bodies that move, nc and the number of
// rows. If an earlier problem has the same numbers, _2, _3, ... is appended.
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "problem_folder.h"
#include "run_command.h"

static int is_taken(const char *folder, int32_t bodies, int32_t n, long k, char *path,
                    size_t size) {
  struct stat status;
  char number[24] = "";
  if (k > 1) snprintf(number, sizeof number, "_%ld", k);
  snprintf(path, size, "%s/nb%03d_nc%04d%s", folder, (int)bodies, (int)n, number);
  return stat(path, &status) == 0;
}

// The first number that is free: names are taken one after another, so bisection finds it.
static void find_name(const char *folder, int32_t bodies, int32_t n, char *path, size_t size) {
  long last = 0, next = 1;   // taken, and perhaps free
  while (is_taken(folder, bodies, n, next, path, size) && next < LONG_MAX/2) last = next, next *= 2;
  while (next - last > 1) {
    const long middle = last + (next - last)/2;
    if (is_taken(folder, bodies, n, middle, path, size)) last = middle;
    else next = middle;
  }
  is_taken(folder, bodies, n, next, path, size);
}

static int write_problem(const perp_problem *problem, const double *x, const char *path,
                         const char *comment) {
  perp_csc A;
  if (perp_copy_entries(&problem->A, 0, NULL, &A) != PERP_OK)
    return fail(CODE_IO, "the problem cannot be written: %s", perp_last_message());
  const int code = problem_folder_create(path, &(problem_parts){
      .n = problem->A.n, .colptr = A.colptr, .row = A.row, .value = A.value, .b = problem->b,
      .lo = problem->lo, .hi = problem->hi, .x = x, .comment = comment});
  perp_entries_free(NULL, &A);
  return code;
}

// Names such as nb012_nc0034_2 and step0012_n00345.
static int is_dump(const char *name) {
  int end = 0;
  if (sscanf(name, "nb%*[0-9]_nc%*[0-9]%n", &end) == 0 && end > 0) return 1;
  return sscanf(name, "step%*[0-9]_n%*[0-9]%n", &end) == 0 && end > 0;
}

int run_dump_check(const char *folder) {
  char found[256] = "";
  DIR *list = opendir(folder);
  if (!list) return CODE_OK;   // there is none yet, or making it will say why not
  for (const struct dirent *item; (item = readdir(list)) != NULL;) {
    if (is_dump(item->d_name) && (!*found || strcmp(item->d_name, found) < 0))
      snprintf(found, sizeof found, "%s", item->d_name);
  }
  closedir(list);
  if (!*found) return CODE_OK;
  return fail(CODE_USAGE, "--dump-problems = %s: it has problems of another run, such as %s; name "
              "another directory, or remove that one", folder, found);
}

int run_dump_folder(run_session *s, const char *folder) {
  if (mkdir(folder, 0777) == 0) s->made = 1;
  else if (errno != EEXIST)
    return fail(CODE_IO, "%s: cannot make the directory: %s", folder, strerror(errno));
  return CODE_OK;
}

int run_dump_bodies(run_session *s, const char *folder) {
  perp_world_report report;
  perp_world_last(s->world, &report);
  int code = run_dump_folder(s, folder);
  if (code) return code;
  for (int32_t k = 0; k < report.islands && !code; k++) {
    perp_problem problem;
    const double *x = NULL;
    int32_t bodies = 0;
    char path[4096], comment[2304];
    const perp_error error = perp_world_problem(s->world, k, &problem, &x, &bodies);
    if (error != PERP_OK) return fail(CODE_IO, "%s", perp_last_message());
    find_name(folder, bodies, problem.A.n, path, sizeof path);
    snprintf(comment, sizeof comment, "%s\nstep %lld, island %d", s->command,
             (long long)report.step, (int)k);
    code = write_problem(&problem, x, path, comment);
  }
  if (code && s->made) rmdir(folder);   // stays if something is in it
  return code;
}
