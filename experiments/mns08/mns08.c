// mns08.c: repeats the experiments of MNS08, Tables 1 to 4 and Figures 1 to 3. The paper's scenes
// were never published, so these are brick scenes with its numbers of bodies and constraints. The
// same is done for walls with normal rows only, which are harder.
#include "mns08.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "solve_settings.h"
#include "text.h"

#define SWEEPS_MAX 50000       // the paper's ">50 000"

// Limits: sweeps times entries of Q in Tables 1 and 2, processor seconds of a run in the others.
// Work, not time, limits the sweeps, so Tables 1 and 2 are the same in every run.
typedef struct budget { double work, seconds, sweep_seconds; } budget;
static const budget budgets[2][2] = {   // quick, mixed
  {{1.0e9, 1.0, 0.3}, {4.7e9, 3.0, 1.0}},
  {{2.0e7, 0.5, 0.1}, {1.0e8, 1.0, 0.2}},
};

static int generate(const char *family, const char *const *names, const double *given, int count,
                    uint64_t seed, perp_sample *sample) {
  const perp_family *f = perp_find_family(family);
  double values[32];
  for (int32_t k = 0; k < f->parameter_count && k < 32; k++) {
    values[k] = f->parameters[k].initial;
    for (int i = 0; i < count; i++) {
      if (!strcmp(f->parameters[k].name, names[i])) values[k] = given[i];
    }
  }
  const perp_error error = perp_generate(f, values, seed, sample);
  return error ? fail_library(error) : CODE_OK;
}

static int compete(reproduction *r, int k, const perp_problem *problem, const budget *b,
                   mns08_row *row) {
  int code = CODE_OK;
  text_buffer count;
  row->run = calloc(CONTENDERS, sizeof *row->run);
  if (!row->run) return fail(CODE_IO, "out of memory");
  for (int which = 0; which < CONTENDERS && !code && !interrupt_seen(); which++) {
    if (which == SUBSPACE_5_1 && k != MNS08_SINGLE) continue;
    const double limit = which == SWEEPS ? b->sweep_seconds : b->seconds;
    code = mns08_compete(problem, which, limit, &row->run[which]);
    const mns08_run *run = &row->run[which];
    if (!code && run->known)
      reproduction_say(r, "  %-20s %s%8.3f s  %s", mns08_contender(which),
                       run->reached ? "  " : "> ", run->seconds,
                       text_count(run->factorizations, "factorization", "factorizations", &count));
  }
  return code;
}

static int sweep(const perp_problem *problem, int32_t limit, mns08_sweeps *out) {
  uint8_t *at_zero = calloc((size_t)problem->A.n + 1, 1);
  int known = 0;
  int code = at_zero ? mns08_solution(problem, at_zero, &known) : fail(CODE_IO, "out of memory");
  if (!code) code = mns08_sweep(problem, known ? at_zero : NULL, limit, out);
  free(at_zero);
  return code;
}

// Scene k of the paper, or its bearing where there is no such scene.
static int fill(reproduction *r, int k, int mixed, mns08_row *row) {
  static const char *const scene[] = {"preset", "mode"}, *const grid[] = {"nx", "ny", "e"};
  const budget *b = &budgets[r->quick][mixed];
  perp_sample sample;
  int code = k < MNS08_SCENES
                 ? generate("bricks", scene, (double[]){k + 1, mixed}, 2, r->seed, &sample)
                 : generate("bearing", grid, (double[]){100, 100, 0.1}, 3, r->seed, &sample);
  if (code) return code;
  snprintf(row->name, sizeof row->name, "%s", mns08_paper_row[k].name);
  row->n = sample.n;
  row->entries = sample.colptr[sample.n];
  row->condition = sample.condition;
  reproduction_say(r, "%s%s: n = %d, %d entries, condition %.3g", row->name,
                   mixed ? "" : ", normal rows only", (int)row->n, (int)row->entries,
                   row->condition);
  const double affordable = floor(fmin(SWEEPS_MAX, b->work/row->entries));
  if (k < MNS08_SCENES) code = sweep(&sample.problem, (int32_t)affordable, &row->sweeps);
  if (!code) code = compete(r, k, &sample.problem, b, row);
  row->filled = !code;
  perp_sample_free(&sample);
  return code;
}

static void describe(const mns08_series *s) {
  json_t *object = message_object(), *list = object ? json_object_get(object, "problems") : NULL;
  if (!object) return;
  if (!list) {
    json_object_set_new(object, "problems", json_array());
    list = json_object_get(object, "problems");
  }
  for (int k = 0; k < MNS08_SCENES; k++) {
    const mns08_row *row = &s->row[k];
    if (!row->filled) continue;
    json_t *item = json_object();
    json_object_set_new(item, "name", json_text(row->name));
    json_object_set_new(item, "mode", json_text(s->mixed ? "mixed" : "normal"));
    json_object_set_new(item, "n", json_integer(row->n));
    json_object_set_new(item, "nnz", json_integer(row->entries));
    json_object_set_new(item, "condition", json_number(row->condition));
    json_object_set_new(item, "zeros", json_integer(row->sweeps.zeros));
    json_array_append_new(list, item);
  }
}

static int run_series(reproduction *r, mns08_series *s) {
  const int last = r->quick ? MNS08_SMALL : s->mixed ? MNS08_ROWS : MNS08_SCENES;
  for (int k = 0; k < last; k++) {
    const int code = fill(r, k, s->mixed, &s->row[k]);
    if (code) return code;
    if (interrupt_seen()) return fail(CODE_INTERRUPTED, "interrupted");
  }
  describe(s);
  int code = mns08_tables(r, s);
  if (!code) code = mns08_figures(r, s);
  return code;
}

static int run(reproduction *r) {
  mns08_series *series = calloc(2, sizeof *series);
  if (!series) return fail(CODE_IO, "out of memory");
  int code = CODE_OK;
  for (int k = 0; k < 2 && !code; k++) {
    series[k].mixed = k == 0;
    code = run_series(r, &series[k]);
  }
  if (!code) code = mns08_report(r, series);
  for (int k = 0; k < 2*MNS08_ROWS; k++) free(series[k/MNS08_ROWS].row[k%MNS08_ROWS].run);
  free(series);
  return code;
}

extern const experiment experiment_mns08;
const experiment experiment_mns08 = {
  "mns08",
  "projected Gauss-Seidel, subspace minimisation, interior points and gradient projection on "
  "a brick wall that falls apart",
  "MNS08 (Morales, Nocedal, Smelyanskiy 2008), Tables 1 to 4, Figures 1 to 3", run};
