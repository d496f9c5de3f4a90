// outside.c: peers that are programs of their own; PETSc and cvxopt.
//
// The file: n, colptr (n + 1), row, value, b, lo, hi as raw int32 and double. It has no name but
// that of its descriptor in this process: mpirun hands descriptors down to nobody. Debian's CHOLMOD
// starts four threads whatever OMP_NUM_THREADS says; OMP_THREAD_LIMIT it obeys.
#include "outside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#ifndef BENCH_SOURCE
#define BENCH_SOURCE "bench/peers"
#endif

static void write_vector(FILE *file, int32_t n, const double *v, double otherwise) {
  for (int32_t i = 0; i < n; i++)
    if (v != NULL) fwrite(&v[i], sizeof *v, 1, file);
    else fwrite(&otherwise, sizeof otherwise, 1, file);
}

static void write_problem(FILE *file, const peer_problem *p) {
  const size_t nnz = (size_t)p->colptr[p->n];
  fwrite(&p->n, sizeof p->n, 1, file);
  fwrite(p->colptr, sizeof *p->colptr, (size_t)p->n + 1, file);
  fwrite(p->row, sizeof *p->row, nnz, file);
  fwrite(p->value, sizeof *p->value, nnz, file);
  write_vector(file, p->n, p->b, 0.0);
  write_vector(file, p->n, p->lo, 0.0);
  write_vector(file, p->n, p->hi, (double)INFINITY);
}

peer_end outside_command(FILE *file, const char *command, int threads, double *answer,
                         size_t count) {
  peer_end end = {-1.0, 0};
  char path[64], program[512], line[900];
  memset(answer, 0, count*sizeof *answer);
  fflush(file);
  snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), fileno(file));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(program, sizeof program, command, path);
#pragma GCC diagnostic pop
  snprintf(line, sizeof line, "%s %s 2>/dev/null",
           threads ? "" : "OMP_THREAD_LIMIT=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1", program);
  FILE *stream = popen(line, "r");
  const int complete = stream != NULL &&
                       fscanf(stream, "%lf %d", &end.seconds, &end.claims) == 2 &&
                       fgetc(stream) == '\n' &&
                       fread(answer, sizeof *answer, count, stream) == count;
  const int status = stream != NULL ? pclose(stream) : 0;
  if (!complete) end = (peer_end){WIFEXITED(status) && WEXITSTATUS(status) == 77 ? -1.0 : -2.0, 0};
  return end;
}

peer_end outside_run(const peer_problem *p, const char *command, int threads, double *x) {
  FILE *file = tmpfile();            // has no name, so that it is gone when both programs end
  if (file == NULL) return (peer_end){-1.0, 0};
  write_problem(file, p);
  const peer_end end = outside_command(file, command, threads, x, (size_t)p->n);
  fclose(file);
  return end;
}

// The system's packages are those of the system's python, which may not be the first one in PATH.
const char *outside_python(void) {
  return access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
}

static peer_end cvxopt(const peer_problem *p, int threads, double *x) {
  char command[400];
  snprintf(command, sizeof command, "%s %s/peer_cvxopt.py %%s %g %d", outside_python(),
           BENCH_SOURCE, p->tol > 0.0 ? p->tol : 1e-10, p->dense != NULL);
  return outside_run(p, command, threads, x);
}
peer_end cvxopt_qp(const peer_problem *p, double *x) { return cvxopt(p, 0, x); }
peer_end cvxopt_threads(const peer_problem *p, double *x) { return cvxopt(p, 1, x); }

#ifdef BENCH_PETSC
static peer_end petsc_on(const peer_problem *p, const char *start, const char *name, double *x) {
  char command[600];
  snprintf(command, sizeof command, "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
           "%s %s %%s %s %g", start, BENCH_PETSC, name, p->tol > 0.0 ? p->tol : 1e-10);
  return outside_run(p, command, 0, x);
}
static peer_end petsc(const peer_problem *p, const char *name, double *x) {
  return petsc_on(p, "", name, x);
}
static peer_end petsc_twice(const peer_problem *p, const char *name, double *x) {   // two processes
  return petsc_on(p, "mpirun --oversubscribe -n 2", name, x);
}
peer_end petsc_gpcg(const peer_problem *p, double *x) { return petsc(p, "gpcg", x); }
peer_end petsc_gpcg_jacobi(const peer_problem *p, double *x) { return petsc(p, "gpcg-jacobi", x); }
peer_end petsc_tron(const peer_problem *p, double *x) { return petsc(p, "tron", x); }
peer_end petsc_tron_direct(const peer_problem *p, double *x) { return petsc(p, "tron-direct", x); }
peer_end petsc_bqpip(const peer_problem *p, double *x) { return petsc(p, "bqpip", x); }
peer_end petsc_ssils(const peer_problem *p, double *x) { return petsc(p, "ssils", x); }
peer_end petsc_vi_lu(const peer_problem *p, double *x) { return petsc(p, "snesvi-lu", x); }
peer_end petsc_vi_cholmod(const peer_problem *p, double *x) {
  return petsc(p, "snesvi-cholmod", x);
}
peer_end petsc_vi_hypre(const peer_problem *p, double *x) { return petsc(p, "snesvi-hypre", x); }
peer_end petsc_vi_hypre2(const peer_problem *p, double *x) {
  return petsc_twice(p, "snesvi-hypre", x);
}
peer_end petsc_tron_hypre2(const peer_problem *p, double *x) {
  return petsc_twice(p, "tron-hypre", x);
}
#endif
