// pressure.c: solves the pressure problem, starting from the pressure of the last substep.
//
// The solver is created in the first substep and kept: the rows are all cells, so its size never
// changes. A problem that is not solved leaves its best iterate; the report counts it and has its
// status.
#include <string.h>

#include "lattice.h"

// Keeps the worst result of a step: the one with the largest residual, among those that are not
// solved if there are any.
static void count(perp_fluid_report *r, perp_status status, double residual) {
  const int fine = status == PERP_STATUS_SOLVED, worse = !(residual <= r->residual);
  const int first = r->solved + r->unsolved == 0;
  if (first || (r->unsolved == 0 && (!fine || worse)) || (r->unsolved > 0 && !fine && worse))
    r->worst_status = (int32_t)status;
  if (fine) r->solved++;
  else r->unsolved++;
  if (first || worse) r->residual = residual;
}

perp_error fluid_pressure(perp_fluid *f) {
  perp_fluid_report *r = &f->report;
  for (int32_t c = 0; c < f->cells; c++) {
    double *p = &f->pressure[c];
    if (f->type[c] != PERP_CELL_LIQUID) *p = 0.0;
    else if (*p < f->lo[c]) *p = f->lo[c];
  }
  memcpy(f->guess, f->pressure, (size_t)f->cells*sizeof *f->guess);
  f->result = (perp_result){.status = PERP_STATUS_SOLVED};
  if (r->liquid == 0) return PERP_OK;
  const perp_problem problem = {.A = perp_from_grid(&f->grid, PERP_CLAIM_NONE), .b = f->b,
                                .lo = f->lo, .hi = f->hi};
  if (f->solver == NULL) {
    const perp_limits limits = perp_limits_of(&problem);
    const perp_error error = perp_solver_create(f->options.method, &limits, &f->options,
                                                &f->allocator, &f->solver);
    if (error != PERP_OK) return refuse(error, "pressure: %s", perp_last_message());
  }
  const perp_error error = perp_solve(f->solver, &problem, f->pressure, &f->result);
  if (error != PERP_OK) return refuse(error, "pressure: %s", perp_last_message());
  r->newton += f->result.iterations;
  r->inner += f->result.inner_iterations;
  // Walls squeeze some liquid: what was solved is the problem with the sums made possible, not that
  // of the liquid as it is.
  if (f->squeezed > 0)
    f->result.status = f->infeasible ? PERP_STATUS_INFEASIBLE : PERP_STATUS_UNSOLVED;
  count(r, f->result.status, f->result.certificate.residual);
  return PERP_OK;
}
