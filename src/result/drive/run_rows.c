// run_rows.c: the residual of a run, and a quick test whether all its rows pass, on several threads.
#include "run.h"

#include <math.h>

#include "componentwise.h"
#include "driver.h"
#include "operator.h"
#include "vector.h"

static double row_residual(const perp_run *run, const certifier *judge, int32_t i, double x,
                           double y) {
  const run_state *state = run->state;
  const int32_t k = state->index != NULL ? state->index[i] : i;
  const certify_scale scale = judge->ops->scale(judge, k);
  const double c = factor_at(state->C, i)*scale.inverse_C;
  return fabs(mid(c*(x - upper(run->hi, i)), scale.R*y/factor_at(state->R, i),
                  c*(x - lower(run->lo, i))))/scale.base;
}

// max |r_i| over shares of the rows; its order does not matter.
typedef struct measuring {
  const perp_run *run;
  const certifier *judge;
  const double *x, *y;
  double worst[TEAM_SHARES];
} measuring;

static void measure_rows(void *data, int32_t from, int32_t to, int32_t share) {
  measuring *m = data;
  double worst = 0.0;
  for (int32_t i = from; i < to; i++) {
    const double r = row_residual(m->run, m->judge, i, m->x[i], m->y[i]);
    if (!(r <= worst)) worst = r == r ? r : (double)INFINITY;
  }
  m->worst[share] = worst;
}

// For a run on the caller's whole problem without scaling: the same numbers with one division.
static void measure_plain(void *data, int32_t from, int32_t to, int32_t share) {
  measuring *m = data;
  const perp_run *run = m->run;
  const double *x = m->x;
  double worst = 0.0;
  for (int32_t i = from; i < to; i++) {
    const double unit = m->judge->inverse_C[i];
    const double r = fabs(mid((x[i] - upper(run->hi, i))*unit, m->judge->R[i]*m->y[i],
                              (x[i] - lower(run->lo, i))*unit));
    if (!(r <= worst)) worst = r == r ? r : (double)INFINITY;
  }
  m->worst[share] = worst;
}

double run_residual(const perp_run *run, const double *x, const double *y) {
  const run_state *state = run->state;
  const certifier *judge = &state->solver->judge;
  const int whole = state->index == NULL && state->R == NULL && state->C == NULL;
  if (whole && judge->ops->residual != NULL) return judge->ops->residual(judge, x, y);
  const int plain = whole && judge->components == 1 &&
                    judge->ops->scale(judge, 0).base < (double)INFINITY;
  measuring m = {.run = run, .judge = judge, .x = x, .y = y};
  const int32_t shares = team_share(run->threads, run->n, plain ? measure_plain : measure_rows, &m);
  double worst = 0.0;
  for (int32_t k = 0; k < shares; k++) worst = max2(worst, m.worst[k]);
  return plain && run->n > 0 ? worst/judge->ops->scale(judge, 0).base : worst;
}

// The quick case of rows_pass() in run_check.c: every row is clearly within its tolerance by a plain
// product, whose rounding errors are small compared to the tolerance, as in certifier_check().
typedef struct passing {
  const perp_run *run;
  perp_view view;                // A, a symmetric matrix
  double *x;                     // n: x in the units of that matrix
  double slack;
  double largest[TEAM_SHARES];   // the largest of |x_i| and |b_i|, in the units of r
  int fine[TEAM_SHARES];
} passing;

static void unscale_rows(void *data, int32_t from, int32_t to, int32_t share) {
  passing *p = data;
  const perp_run *run = p->run;
  const certifier *judge = &run->state->solver->judge;
  double largest = 0.0;
  for (int32_t i = from; i < to; i++) {
    const int32_t k = run->state->index != NULL ? run->state->index[i] : i;
    const double x = p->x[i] = factor_at(p->view.C, i)*run->x[i];
    largest = max2(largest, max2(fabs(x)*judge->inverse_C[k],
                                 judge->R[k]*fabs(run->b[i]/factor_at(run->state->R, i))));
    if (x != x) largest = (double)INFINITY;
  }
  p->largest[share] = largest;
}

static void pass_rows(void *data, int32_t from, int32_t to, int32_t share) {
  passing *p = data;
  const perp_run *run = p->run;
  const run_state *state = run->state;
  const certifier *judge = &state->solver->judge;
  const perp_csc *A = p->view.data;
  const double tol = state->solver->options.tol,
               limit = componentwise_limit(judge->componentwise.tol, tol);
  int fine = 1;
  for (int32_t i = from; i < to; i++) {
    const int32_t k = state->index != NULL ? state->index[i] : i;
    double sum = 0.0, size = 0.0;
    for (int32_t q = A->colptr[i]; q < A->colptr[i + 1]; q++) {
      const double term = A->value[q]*p->x[A->row[q]];
      sum += term;
      size += fabs(term);
    }
    const double y = (factor_at(p->view.R, i)*sum + run->b[i])/factor_at(state->R, i);
    const double a = (fabs(factor_at(p->view.R, i))*size + fabs(run->b[i]))/factor_at(state->R, i);
    const double G = judge->G[judge->component[k]],
                 unit = factor_at(state->C, i)*judge->inverse_C[k];
    const double r = fabs(mid((run->x[i] - upper(run->hi, i))*unit, judge->R[k]*y,
                              (run->x[i] - lower(run->lo, i))*unit));
    fine &= r + p->slack <= tol*G && G < (double)INFINITY && judge->entries[k] > 0 &&
            judge->S[judge->component[k]] < (double)INFINITY &&
            judge->ops->componentwise(judge, k, r, y, a) <= limit;
  }
  p->fine[share] = fine;
}

int run_rows_pass(const perp_run *run) {
  const run_state *state = run->state;
  const certifier *judge = &state->solver->judge;
  passing p = {.run = run, .view = operator_view(&run->A), .x = state->a};
  if (p.view.kind != PERP_VIEW_CSC || p.view.shift != 0.0 || p.x == NULL ||
      !judge->facts.mirrored || (run->state->index != NULL && run->state->solver->turns) ||
      !judge->look.equilibrated || judge->look.hurried || judge->exact || judge->look.reducible ||
      judge->impossible.count > 0)
    return 0;
  const int32_t shares = team_share(run->threads, run->n, unscale_rows, &p);
  double largest = 0.0;
  for (int32_t k = 0; k < shares; k++) largest = max2(largest, p.largest[k]);
  const double e = judge->range.most_entries;
  p.slack = (e + 2.0)*0x1p-53*(4.0*e*largest + largest + judge->range.most_S);
  if (!(p.slack <= 1e-3*state->solver->options.tol*judge->range.least_G)) return 0;
  team_share(run->threads, run->n, pass_rows, &p);
  int fine = 1;
  for (int32_t k = 0; k < shares; k++) fine &= p.fine[k];
  return fine;
}
