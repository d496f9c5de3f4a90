// campaign_siconos.c: the LCP solvers of Siconos, for the cross-check of the campaign.
#include "campaign_siconos.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#pragma GCC diagnostic pop

const char *const siconos_name[SICONOS_SOLVERS] = {"Siconos lemke", "Siconos newton_min",
                                                   "Siconos enum"};

// newton_min prints whatever the level of verbosity is.
static int silence(void) {
  fflush(stdout);
  const int terminal = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  return terminal;
}

static void restore(int terminal) {
  fflush(stdout);
  dup2(terminal, STDOUT_FILENO);
  close(terminal);
}

int siconos_solve(int solver, int32_t n, const double *A, const double *b, double *x) {
  static const int id[SICONOS_SOLVERS] = {SICONOS_LCP_LEMKE, SICONOS_LCP_NEWTONMIN,
                                          SICONOS_LCP_ENUM};
  double q[64], w[64];
  if (n > 64) return 0;
  NumericsMatrix *M = NM_create(NM_DENSE, n, n);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) M->matrix0[i + j*n] = A[i*n + j];   // by columns
  memcpy(q, b, (size_t)n*sizeof *q);
  memset(w, 0, sizeof w);
  memset(x, 0, (size_t)n*sizeof *x);
  LinearComplementarityProblem problem = {.size = n, .M = M, .q = q};
  SolverOptions *options = solver_options_create(id[solver]);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  const int terminal = silence();
  int info = 1;
  switch (solver) {
    case 0: lcp_lexicolemke(&problem, x, w, &info, options); break;
    case 1: lcp_newton_min(&problem, x, w, &info, options); break;
    default:
      lcp_enum_init(&problem, options, 1);
      lcp_enum(&problem, x, w, &info, options);
      lcp_enum_reset(&problem, options, 1);
  }
  restore(terminal);
  solver_options_delete(options);
  free(options);
  NM_clear(M);
  free(M);
  return info == 0;
}
