// bench.c: the clock, the machine, the tables and the problems of bench.h.
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef BENCH_FLAGS
#define BENCH_FLAGS "unknown"
#endif

enum { ROWS_MAX = 800, COLUMNS_MAX = 16, CELL = 64, NOTES_MAX = 32, NOTE = 320 };

struct bench_table {
  const bench *bench;
  const char *name, *title;
  int32_t columns, rows, notes;
  char cell[ROWS_MAX + 1][COLUMNS_MAX][CELL];   // row 0: the names of the columns
  char note[NOTES_MAX][NOTE];
};

static void give_up(const char *what) {
  fprintf(stderr, "bench: %s\n", what);
  exit(1);
}

bench bench_begin(int count, char **words) {
  bench b = {0};
  const char *slash = strrchr(words[0], '/'), *given = getenv("BENCH_COMMAND");
  snprintf(b.command, sizeof b.command, "%s",
           given != NULL ? given : slash != NULL ? slash + 1 : words[0]);
  for (int k = 1; k < count; k++) {
    const int quick = strcmp(words[k], "--quick") == 0, ours = strcmp(words[k], "--ours") == 0;
    const int cpu_clock = strcmp(words[k], "--cpu-clock") == 0;
    if (quick || ours || cpu_clock) {
      b.quick |= quick;
      b.ours |= ours;
      b.cpu_clock |= cpu_clock;
      if (given == NULL) {
        const size_t used = strlen(b.command);
        snprintf(b.command + used, sizeof b.command - used, " %s", words[k]);
      }
    } else if (strcmp(words[k], "--results") == 0 && k + 1 < count) {
      b.results = words[++k];
    } else {
      fprintf(stderr, "usage: %s [--quick] [--ours] [--cpu-clock] [--results DIRECTORY]\n", words[0]);
      exit(2);
    }
  }
  return b;
}

double bench_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

bench_time bench_measure(void (*work)(void *data), void *data, int32_t calls, int32_t repeats) {
  enum { MOST = 64 };
  double sample[MOST];
  if (repeats > MOST) repeats = MOST;
  work(data);
  for (int32_t k = 0; k < repeats; k++) {
    const double start = bench_seconds();
    for (int32_t call = 0; call < calls; call++) work(data);
    sample[k] = (bench_seconds() - start)/calls;
  }
  qsort(sample, (size_t)repeats, sizeof *sample, by_size);
  return (bench_time){.best = sample[0], .median = sample[repeats/2]};
}

// ---- the machine ----

static void cpu_name(char *text, size_t size) {
  snprintf(text, size, "unknown processor");
  FILE *info = fopen("/proc/cpuinfo", "r");
  char line[256];
  while (info != NULL && fgets(line, sizeof line, info) != NULL) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
    line[strcspn(line, "\n")] = '\0';
    snprintf(text, size, "%s", colon + 2);
    break;
  }
  if (info != NULL) fclose(info);
}

// Size of a cache as the kernel knows it ("32768K"); the C library's own count can be wrong.
static void cache_size(int index, char *text, size_t size) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
  FILE *file = fopen(path, "r");
  snprintf(text, size, "?");
  if (file != NULL && fgets(text, (int)size, file) != NULL) text[strcspn(text, "\n")] = '\0';
  if (file != NULL) fclose(file);
}

static void describe_machine(char *text, size_t size) {
  char cpu[128], cache[3][16];
  cpu_name(cpu, sizeof cpu);
  cache_size(0, cache[0], sizeof cache[0]);   // index 1 holds instructions
  cache_size(2, cache[1], sizeof cache[1]);
  cache_size(3, cache[2], sizeof cache[2]);
  snprintf(text, size, "%s; %ld cores; caches %s, %s, %s; gcc-compatible %s; %s", cpu,
           sysconf(_SC_NPROCESSORS_ONLN), cache[0], cache[1], cache[2], __VERSION__, BENCH_FLAGS);
}

// ---- tables ----

static void split(bench_table *t, int32_t row, char *text) {
  int32_t column = 0;
  for (char *at = text; at != NULL && column < COLUMNS_MAX; column++) {
    char *bar = strchr(at, '|');
    if (bar != NULL) *bar = '\0';
    snprintf(t->cell[row][column], CELL, "%.*s", CELL - 1, at);
    at = bar != NULL ? bar + 1 : NULL;
  }
  if (row == 0) t->columns = column;
}

bench_table *bench_open(const bench *b, const char *name, const char *title, const char *columns) {
  bench_table *t = bench_take(1, sizeof *t);
  memset(t, 0, sizeof *t);
  t->bench = b;
  t->name = name;
  t->title = title;
  char text[512];
  snprintf(text, sizeof text, "%s", columns);
  split(t, 0, text);
  return t;
}

void bench_row(bench_table *t, const char *format, ...) {
  if (t->rows == ROWS_MAX) give_up("a table is full");
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  split(t, ++t->rows, text);
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r  %s: %d rows ", t->name, t->rows);
}

void bench_note(bench_table *t, const char *format, ...) {
  if (t->notes == NOTES_MAX) give_up("a table has too many notes");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(t->note[t->notes++], NOTE, format, arguments);
  va_end(arguments);
}

static int is_number(const char *text) {
  return strchr("0123456789-+.<>", text[0]) != NULL || strcmp(text, "inf") == 0;
}

static void print_table(const bench_table *t) {
  printf("\n%s\n", t->title);
  for (int32_t row = 0; row <= t->rows; row++) {
    for (int32_t column = 0; column < t->columns; column++) {
      int width = 0, right = 1;
      for (int32_t k = 0; k <= t->rows; k++) {
        const int length = (int)strlen(t->cell[k][column]);
        if (length > width) width = length;
        if (k > 0 && !is_number(t->cell[k][column])) right = 0;
      }
      printf("  %*s", right ? width : -width, t->cell[row][column]);
    }
    printf("\n");
  }
  for (int32_t k = 0; k < t->notes; k++) printf("  %s\n", t->note[k]);
}

// Cells with commas are in quotes.
static void write_cell(FILE *file, const char *cell, char end) {
  fprintf(file, strchr(cell, ',') != NULL ? "\"%s\"%c" : "%s%c", cell, end);
}

static void write_table(const bench_table *t) {
  char path[512], machine[512];
  snprintf(path, sizeof path, "%s/%s.csv", t->bench->results, t->name);
  FILE *file = fopen(path, "w");
  if (file == NULL) give_up("cannot write into the directory of results");
  describe_machine(machine, sizeof machine);
  fprintf(file, "# %s\n# machine: %s\n# command: %s\n", t->title, machine, t->bench->command);
  for (int32_t k = 0; k < t->notes; k++) fprintf(file, "# %s\n", t->note[k]);
  for (int32_t row = 0; row <= t->rows; row++)
    for (int32_t column = 0; column < t->columns; column++)
      write_cell(file, t->cell[row][column], column + 1 < t->columns ? ',' : '\n');
  fclose(file);
}

void bench_close(bench_table *t) {
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r                              \r");
  print_table(t);
  if (t->bench->results != NULL) write_table(t);
  fflush(stdout);
  free(t);
}

const bench *bench_of(const bench_table *t) { return t->bench; }

// ---- problems ----

void *bench_take(size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL) give_up("out of memory");
  return memory;
}

void bench_generate(const char *family, const char *settings, perp_sample *sample) {
  bench_generate_seed(family, settings, 1, sample);
}

void bench_generate_seed(const char *family, const char *settings, uint64_t seed,
                         perp_sample *sample) {
  const perp_family *f = perp_find_family(family);
  if (f == NULL) give_up("no such family");
  double *values = bench_take((size_t)f->parameter_count, sizeof *values);
  for (int32_t k = 0; k < f->parameter_count; k++) values[k] = f->parameters[k].initial;
  char text[256];
  snprintf(text, sizeof text, "%s", settings);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
    char *equals = strchr(word, '=');
    int32_t k = 0;
    if (equals != NULL) *equals = '\0';
    while (k < f->parameter_count && strcmp(f->parameters[k].name, word) != 0) k++;
    if (equals == NULL || k == f->parameter_count) give_up("no such parameter of the family");
    values[k] = atof(equals + 1);
  }
  if (perp_generate(f, values, seed, sample) != PERP_OK) give_up(perp_last_message());
  free(values);
}

void bench_laplace(int32_t side, perp_sample *s) {
  const int32_t n = side*side;
  memset(s, 0, sizeof *s);
  s->n = n;
  s->colptr = bench_take((size_t)n + 1, sizeof *s->colptr);
  s->row = bench_take(5*(size_t)n, sizeof *s->row);
  s->value = bench_take(5*(size_t)n, sizeof *s->value);
  s->b = bench_take((size_t)n, sizeof *s->b);
  int32_t filled = 0;
  for (int32_t j = 0; j < n; j++) {
    const int32_t column = j%side, to[5] = {j - side, j - 1, j, j + 1, j + side};
    const int inside[5] = {j >= side, column > 0, 1, column + 1 < side, j + side < n};
    for (int k = 0; k < 5; k++) {
      if (!inside[k]) continue;
      s->row[filled] = to[k];
      s->value[filled++] = k == 2 ? 4.0 : -1.0;
    }
    s->colptr[j + 1] = filled;
    s->b[j] = perp_random_uniform(1, (uint64_t)j) - 0.5 + 0.1*((double)column/side - 0.5);
  }
  s->csc = (perp_csc){n, n, s->colptr, s->row, s->value};
  const uint32_t claims = PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PD | PERP_CLAIM_Z | PERP_CLAIM_H;
  s->problem = (perp_problem){.A = perp_from_csc(&s->csc, claims), .b = s->b};
}

double *bench_dense(const perp_sample *s) {
  double *dense = bench_take((size_t)s->n*(size_t)s->n, sizeof *dense);
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t p = s->colptr[j]; p < s->colptr[j + 1]; p++)
      dense[(size_t)s->row[p]*(size_t)s->n + (size_t)j] = s->value[p];
  return dense;
}

double bench_residual(const perp_problem *problem, const double *x) {
  perp_certificate certificate;
  if (perp_certify(problem, x, 1e-8, 0.0, NULL, &certificate) != PERP_OK) return (double)INFINITY;
  return certificate.residual;
}

double bench_growth(int32_t count, const double *n, const double *seconds) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  for (int32_t k = 0; k < count; k++) {
    const double u = log(n[k]), v = log(seconds[k]);
    x += u;
    y += v;
    xx += u*u;
    xy += u*v;
  }
  return (count*xy - x*y)/(count*xx - x*x);
}
