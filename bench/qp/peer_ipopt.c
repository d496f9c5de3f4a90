// peer_ipopt.c: Ipopt on the quadratic program of a file: peer_ipopt FILE TOL SECONDS; qp_peers.c.
#include <IpStdCInterface.h>
#include <math.h>
#include <string.h>

#include "qp_file.h"

#define IPOPT_INFINITY 2e19            // what Ipopt takes for no bound, in its own convention

static Bool objective(Index n, Number *x, Bool fresh, Number *value, UserDataPtr data) {
  (void)fresh;
  const qp_file *f = data;
  double sum = 0.0;
  for (Index j = 0; j < n; j++) {
    sum += f->q[j]*x[j];
    for (int32_t p = f->Pcolumn[j]; p < f->Pcolumn[j + 1]; p++)
      sum += 0.5*f->P[p]*x[f->Prow[p]]*x[j];
  }
  *value = sum;
  return TRUE;
}

static Bool gradient(Index n, Number *x, Bool fresh, Number *g, UserDataPtr data) {
  (void)fresh;
  const qp_file *f = data;
  for (Index j = 0; j < n; j++) {
    g[j] = f->q[j];
    for (int32_t p = f->Pcolumn[j]; p < f->Pcolumn[j + 1]; p++) g[j] += f->P[p]*x[f->Prow[p]];
  }
  return TRUE;
}

static Bool rows(Index n, Number *x, Bool fresh, Index m, Number *r, UserDataPtr data) {
  (void)fresh;
  const qp_file *f = data;
  for (Index i = 0; i < m; i++) r[i] = 0.0;
  for (Index j = 0; j < n; j++)
    for (int32_t p = f->Bcolumn[j]; p < f->Bcolumn[j + 1]; p++) r[f->Brow[p]] += f->B[p]*x[j];
  return TRUE;
}

static Bool jacobian(Index n, Number *x, Bool fresh, Index m, Index count, Index *row,
                     Index *column, Number *values, UserDataPtr data) {
  (void)x;
  (void)fresh;
  (void)m;
  const qp_file *f = data;
  if (values != NULL) memcpy(values, f->B, (size_t)count*sizeof *values);
  else
    for (Index j = 0; j < n; j++)
      for (int32_t p = f->Bcolumn[j]; p < f->Bcolumn[j + 1]; p++) {
        row[p] = f->Brow[p];
        column[p] = j;
      }
  return TRUE;
}

static Bool hessian(Index n, Number *x, Bool fresh, Number factor, Index m, Number *lambda,
                    Bool fresh_lambda, Index count, Index *row, Index *column, Number *values,
                    UserDataPtr data) {
  (void)x;
  (void)fresh;
  (void)m;
  (void)lambda;
  (void)fresh_lambda;
  (void)count;
  const qp_file *f = data;
  Index k = 0;
  for (Index j = 0; j < n; j++)
    for (int32_t p = f->Pcolumn[j]; p < f->Pcolumn[j + 1]; p++) {
      if (f->Prow[p] < j) continue;
      if (values != NULL) values[k] = factor*f->P[p];
      else {
        row[k] = f->Prow[p];
        column[k] = j;
      }
      k++;
    }
  return TRUE;
}

static double *finite(const double *bound, int32_t count) {
  double *copy = malloc(((size_t)count + 1)*sizeof *copy);
  if (copy == NULL) exit(1);
  for (int32_t i = 0; i < count; i++)
    copy[i] = fmin(fmax(bound[i], -IPOPT_INFINITY), IPOPT_INFINITY);
  return copy;
}

int main(int count, char **words) {
  qp_file f = qp_file_read(count, words);
  Index lower = 0;
  for (int32_t j = 0; j < f.n; j++)
    for (int32_t p = f.Pcolumn[j]; p < f.Pcolumn[j + 1]; p++) lower += f.Prow[p] >= j;
  double *lo = finite(f.lo, f.n), *hi = finite(f.hi, f.n), *low = finite(f.low, f.m),
         *high = finite(f.high, f.m);
  double *x = calloc((size_t)f.n + 1, sizeof *x), *l = calloc((size_t)f.m + 1, sizeof *l), value;
  if (x == NULL || l == NULL) return 1;
  const double start = qp_file_clock();
  IpoptProblem problem = CreateIpoptProblem(f.n, lo, hi, f.m, low, high, f.Bcolumn[f.n], lower, 0,
                                            objective, rows, gradient, jacobian, hessian);
  if (problem == NULL) return 1;
  AddIpoptIntOption(problem, "print_level", 0);
  AddIpoptStrOption(problem, "sb", "yes");
  AddIpoptStrOption(problem, "linear_solver", "mumps");
  AddIpoptStrOption(problem, "mehrotra_algorithm", "yes");   // what its manual advises for QPs
  AddIpoptStrOption(problem, "hessian_constant", "yes");
  AddIpoptStrOption(problem, "jac_c_constant", "yes");
  AddIpoptStrOption(problem, "jac_d_constant", "yes");
  AddIpoptNumOption(problem, "bound_relax_factor", 0.0);     // else bounds are moved by 1e-8
  AddIpoptNumOption(problem, "max_cpu_time", f.seconds);
  static char *const tolerances[] = {"tol", "dual_inf_tol", "constr_viol_tol", "compl_inf_tol"};
  for (int k = 0; k < 4; k++) AddIpoptNumOption(problem, tolerances[k], f.tol);
  const enum ApplicationReturnStatus end = IpoptSolve(problem, x, NULL, &value, l, NULL, NULL, &f);
  const double seconds = qp_file_clock() - start;
  for (int32_t i = 0; i < f.m; i++) l[i] = -l[i];            // it adds l'B v where we subtract it
  return qp_file_answer(&f, seconds, end == Solve_Succeeded, x, l);
}
