// mns08_sweeps.c: projected Gauss-Seidel as in MNS08 2, watched after every sweep.
//
// The method pgs makes the same sweeps, but returns the best iterate; Table 2 asks for the last.
#include <math.h>
#include <stdlib.h>

#include "interrupt.h"
#include "mns08.h"
#include "solve_settings.h"

static const int32_t sweeps_at_mark[MNS08_MARKS] = {2, 20, 100, 1000, 10000};

// (2.7) in the largest norm, with rho_b = max |min(v, w)|, which covers rho_c.
static double measure(const perp_problem *p, const double *x, const double *y) {
  double rho_a = 0.0, rho_b = 0.0, a = 0.0, b = 0.0;
  for (int32_t i = 0; i < p->A.n; i++) {
    if (p->lo && p->lo[i] < 0.0) {
      rho_a = fmax(rho_a, fabs(y[i]));
      a = fmax(a, fabs(p->b[i]));
    } else {
      rho_b = fmax(rho_b, fabs(fmin(x[i], y[i])));
      b = fmax(b, fabs(p->b[i]));
    }
  }
  return fmax(rho_a/(1.0 + a), rho_b/(1.0 + b));
}

static int32_t identify(const perp_problem *p, const uint8_t *at_zero, const double *x) {
  int32_t count = 0;
  for (int32_t i = 0; i < p->A.n; i++) count += at_zero[i] && x[i] == 0.0;
  return count;
}

static void watch(const perp_problem *p, const uint8_t *at_zero, perp_sweep *state, double *y,
                  void *scratch, mns08_sweeps *out) {
  int mark = 0;
  for (int32_t k = 1; k <= out->limit && !interrupt_seen(); k++) {
    p->A.ops->sweep(p->A.self, state, 0, p->A.n);
    if (!out->needed[1]) {
      p->A.ops->apply(p->A.self, state->x, y, scratch);
      for (int32_t i = 0; i < p->A.n; i++) y[i] += p->b[i];
      const double error = measure(p, state->x, y);
      if (!out->needed[0] && error <= 1e-1) out->needed[0] = k;
      if (error <= 1e-2) out->needed[1] = k;
    }
    if (mark < MNS08_MARKS && k == sweeps_at_mark[mark]) {
      if (at_zero) out->identified[mark] = identify(p, at_zero, state->x);
      mark++;
    }
    const int complete = mark > 0 && out->identified[mark - 1] == out->zeros;
    if (out->needed[1] && (complete || mark == MNS08_MARKS)) return;
  }
}

int mns08_sweep(const perp_problem *p, const uint8_t *at_zero, int32_t limit, mns08_sweeps *out) {
  const perp_operator_ops *ops = p->A.ops;
  const size_t n = (size_t)p->A.n;
  const size_t memory = ops->sweep_bytes ? ops->sweep_bytes(p->A.self) : 0;
  const size_t scratch = ops->scratch_bytes ? ops->scratch_bytes(p->A.self) : 0;
  double *vector = calloc(4*n + 1, sizeof *vector);   // x, y, diagonal, weight
  void *room = malloc(memory + scratch + 1);
  int code = CODE_OK;
  *out = (mns08_sweeps){.limit = limit, .zeros = at_zero ? 0 : -1};
  for (int k = 0; k < MNS08_MARKS; k++) out->identified[k] = -1;
  for (size_t i = 0; at_zero && i < n; i++) out->zeros += at_zero[i];
  if (vector && room) {
    double *x = vector, *y = x + n, *diagonal = y + n, *weight = diagonal + n;
    ops->diagonal(p->A.self, diagonal);
    for (size_t i = 0; i < n; i++) weight[i] = 1.0;
    perp_sweep state = {.x = x, .b = p->b, .lo = p->lo, .hi = p->hi, .diagonal = diagonal,
                        .weight = weight, .omega = 1.0, .fresh = 1, .memory = room};
    watch(p, at_zero, &state, y, (char *)room + memory, out);
  } else {
    code = fail(CODE_IO, "out of memory");
  }
  free(vector);
  free(room);
  return code;
}
