// ablation_item.c: which items are wanted, what they cost and what they are worth.
#include "ablation_item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "work.h"

#define REPEAT_WORK_MAX 20000000   // a shorter solve is repeated, for a time that can be compared

// scripts/ablate defines it where it asks which constants an item reads: called after each item
__attribute__((weak)) void ablated_tell(const char *item);

int item_repeats = 1;
static char *wanted = NULL;      // "\nname\nname\n"; NULL: all items

void item_read_wanted(const char *path) {
  FILE *file = fopen(path, "r");
  size_t length = 1;
  if (file == NULL) {
    perror(path);
    exit(2);
  }
  wanted = bench_take(1 << 20, 1);
  wanted[0] = '\n';
  length += fread(wanted + 1, 1, (1 << 20) - 2, file);
  wanted[length] = '\0';
  fclose(file);
}

int item_is_wanted(const char *what, const char *how) {
  char line[300];
  snprintf(line, sizeof line, "\n%s %s\n", what, how);
  return wanted == NULL || strstr(wanted, line) != NULL;
}

int items_wanted_of(const char *what) {
  char begin[300];
  snprintf(begin, sizeof begin, "\n%s ", what);
  return wanted == NULL || strstr(wanted, begin) != NULL;
}

static uint64_t work_left = UINT64_MAX;   // of --limit

uint64_t item_begin(void) {
  const uint64_t now = work_done();
  work_stop_at(work_left < UINT64_MAX - now ? now + work_left : UINT64_MAX);
  return now;
}

uint64_t item_end(uint64_t start) {
  const uint64_t work = work_done() - start;
  work_stop_at(UINT64_MAX);
  if (work_left < UINT64_MAX) work_left -= work < work_left ? work : work_left;
  return work;
}

void item_report(const char *what, const char *how, int solved, uint64_t work, uint64_t hash) {
  char item[300];
  snprintf(item, sizeof item, "%s %s", what, how);
  printf("%s\t%d\t%llu\t%016llx\n", item, solved, (unsigned long long)work,
         (unsigned long long)hash);
  fflush(stdout);   // --limit and crashes keep the lines before them
  if (ablated_tell != NULL) ablated_tell(item);
}

static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

// What a certificate holds for: a solution, or that there is none.
static int is_answer(perp_status status) {
  return status == PERP_STATUS_SOLVED || status == PERP_STATUS_INFEASIBLE ||
         status == PERP_STATUS_NO_SMALL_SOLUTION;
}

uint64_t item_hash(uint64_t hash, const void *data, size_t bytes) {   // FNV-1a
  const unsigned char *byte = data;
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ byte[i])*UINT64_C(0x100000001b3);
  return hash;
}

void item_solve_with(const char *what, const char *how, const perp_problem *p, perp_options o) {
  if (!item_is_wanted(what, how)) return;
  double *x = bench_take((size_t)p->A.n, sizeof *x);
  uint64_t hash = 0, least = UINT64_MAX;
  int solved = 1;
  o.time_limit = ITEM_SECONDS_MAX;
  o.clock = work_seconds;
  for (int k = 0; k < item_repeats && (k == 0 || least < REPEAT_WORK_MAX); k++) {
    perp_result r = {.status = PERP_STATUS_UNSOLVED};
    memset(x, 0, (size_t)p->A.n*sizeof *x);
    const uint64_t start = item_begin();
    if (perp_solve_once(p, x, &o, &r) != PERP_OK) r.status = PERP_STATUS_UNSOLVED;
    least = least_of(least, item_end(start));
    solved &= is_answer(r.status);
    hash = item_hash((uint64_t)r.iterations + ((uint64_t)r.status << 32), x,
                   (size_t)p->A.n*sizeof *x);
  }
  free(x);
  item_report(what, how, solved, least, hash);
}

void item_solve(const char *what, const perp_problem *p, const perp_method *m) {
  item_solve_with(what, m->name, p, perp_default_options(m));
}

void item_solve_by_all(const char *what, const perp_problem *p) {
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    if (perp_method_accepts(m, p) == PERP_OK) item_solve(what, p, m);
  }
}

void item_limit(uint64_t work) { work_left = work; }
