// contact_problem.c: finds the contacts of a run's matrix and updates their velocities.
#include "contact_problem.h"

#include "assemble.h"
#include "operator.h"
#include "vector.h"

int contact_problem_begin(contact_problem *p, perp_run *run) {
  const int32_t n = run->n;
  *p = (contact_problem){.allocator = run_allocator(run)};
  for (int32_t i = 0; i < n; i++)
    if (lower(run->lo, i) != 0.0 || upper(run->hi, i) != (double)INFINITY) {
      run_stop(run, PERP_STATUS_BREAKDOWN,
               "%s needs the bounds 0 <= x in every row, and row %d has others",
               run->method->name, i);
      return 0;
    }
  const perp_view view = operator_view(&run->A);
  if (!run_may_fit(run, RUN_ANALYSIS)) {
    run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit left %s no time to read A",
             run->method->name);
    return 0;
  }
  int code = assemble_csc(&run->A, 0, p->allocator, &p->A);
  if (code == 0) code = transpose_csc(&p->A, p->allocator, &p->T);
  arena count = {0};
  contacts_layout(&p->c, &count, n);
  ARENA_ARRAY(&count, int32_t, n);
  ARENA_ARRAY(&count, double, n);
  void *block = code == -2 ? NULL : run_allocate(run, count.used);
  if (code == -2) run_no_memory(run, "the entries of A");
  if (code != 0 || block == NULL) {
    run_stop(run, PERP_STATUS_BREAKDOWN, "%s needs the entries of A, which are not known",
             run->method->name);
    return 0;
  }
  arena memory = {block, count.used, 0};
  contacts_layout(&p->c, &memory, n);
  int32_t *seen = ARENA_ARRAY(&memory, int32_t, n);
  p->v = ARENA_ARRAY(&memory, double, n);
  if (view.kind == PERP_VIEW_CONTACT && view.R == NULL && view.C == NULL && view.shift == 0.0) {
    contacts_of(&p->c, view.data);
    return 1;
  }
  char reason[128];
  if (contacts_find(&p->c, &p->A, &p->T, seen, reason, sizeof reason)) return 1;
  run_stop(run, PERP_STATUS_BREAKDOWN, "%s needs the contact LCP E13 (27), and A is none: %s",
           run->method->name, reason);
  return 0;
}

void contact_problem_end(contact_problem *p) {
  assembled_free(p->allocator, &p->A);
  assembled_free(p->allocator, &p->T);
}

void contact_push(contact_problem *p, int32_t j, double d) {
  for (int32_t q = p->A.colptr[j]; q < p->A.colptr[j + 1]; q++)
    p->v[p->A.row[q]] += d*p->A.value[q];
}

void contact_velocities(contact_problem *p, const perp_run *run) {
  for (int32_t i = 0; i < run->n; i++) p->v[i] = run->b[i];
  for (int32_t k = 0; k < p->c.count; k++) {
    contact_push(p, p->c.normal[k], run->x[p->c.normal[k]]);
    for (int32_t t = p->c.first[k]; t < p->c.first[k + 1]; t++)
      contact_push(p, p->c.tangent[t], run->x[p->c.tangent[t]]);
  }
}

double contact_residual(const contact_problem *p, const perp_run *run, double *y) {
  // mu ln - E'lt + b_s is in v already, because slack rows of A have no other entries.
  for (int32_t i = 0; i < run->n; i++) y[i] = p->v[i];
  for (int32_t k = 0; k < p->c.count; k++)
    for (int32_t t = p->c.first[k]; t < p->c.first[k + 1]; t++)
      y[p->c.tangent[t]] += run->x[p->c.slack[k]];
  return run_residual(run, run->x, y);
}

double contact_slack(const contact_problem *p, int32_t k) {
  double slack = 0.0;
  for (int32_t t = p->c.first[k]; t < p->c.first[k + 1]; t++)
    slack = max2(slack, -p->v[p->c.tangent[t]]);
  return slack;
}
