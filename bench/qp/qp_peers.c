// qp_peers.c: see qp_peers.h. Each peer is a program: PROGRAM FILE TOL SECONDS.
//
// The file: variables, rows, entries of P, entries of B as int32; P and B by columns (colptr, row,
// value), both triangles of P; q, lo, hi of the variables, low and high of the rows as double. A
// peer prints "seconds claims\n" (outside.h), v and l.
#include "qp_peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "outside.h"

#ifndef BENCH_SOURCE
#define BENCH_SOURCE "bench/qp"
#endif

static void write_numbers(FILE *file, const double *v, int32_t count) {
  fwrite(v, sizeof *v, (size_t)count, file);
}

static void write_matrix(FILE *file, const qp_matrix *A, int32_t columns) {
  const size_t entries = (size_t)A->colptr[columns];
  fwrite(A->colptr, sizeof *A->colptr, (size_t)columns + 1, file);
  fwrite(A->row, sizeof *A->row, entries, file);
  fwrite(A->value, sizeof *A->value, entries, file);
}

static void write_problem(FILE *file, const qp_problem *qp) {
  const int32_t n = qp->variables, m = qp->rows;
  qp_matrix P = qp_compress(&qp->P, n), B = qp_compress(&qp->B, n);
  const int32_t sizes[] = {n, m, P.colptr[n], B.colptr[n]};
  fwrite(sizes, sizeof sizes, 1, file);
  write_matrix(file, &P, n);
  write_matrix(file, &B, n);
  write_numbers(file, qp->q, n);
  write_numbers(file, qp->lo, n);
  write_numbers(file, qp->hi, n);
  write_numbers(file, qp->low, m);
  write_numbers(file, qp->high, m);
  qp_matrix_free(&P);
  qp_matrix_free(&B);
}

static peer_end outside(const qp_problem *qp, const char *program, double tol, double seconds,
                        double *v, double *l) {
  FILE *file = tmpfile();
  if (file == NULL) return (peer_end){-1.0, 0};
  write_problem(file, qp);
  char command[480];
  snprintf(command, sizeof command, "%s %%s %g %g", program, tol, seconds);
  const size_t count = (size_t)qp->variables + (size_t)qp->rows;
  double *answer = bench_take(count, sizeof *answer);
  const peer_end end = outside_command(file, command, 0, answer, count);
  memcpy(v, answer, (size_t)qp->variables*sizeof *v);
  memcpy(l, answer + qp->variables, (size_t)qp->rows*sizeof *l);
  free(answer);
  fclose(file);
  return end;
}

static peer_end cvxopt(const qp_problem *qp, double tol, double seconds, double *v, double *l) {
  char program[400];
  snprintf(program, sizeof program, "%s %s/peer_qp_cvxopt.py", outside_python(), BENCH_SOURCE);
  return outside(qp, program, tol, seconds, v, l);
}

#ifdef BENCH_IPOPT
static peer_end ipopt(const qp_problem *qp, double tol, double seconds, double *v, double *l) {
  return outside(qp, BENCH_IPOPT, tol, seconds, v, l);
}
#else
#define ipopt NULL
#define BENCH_IPOPT_VERSION ""
#endif

#ifdef BENCH_CLP
static peer_end clp(const qp_problem *qp, double tol, double seconds, double *v, double *l) {
  return outside(qp, BENCH_CLP, tol, seconds, v, l);
}
#else
#define clp NULL
#define BENCH_CLP_VERSION ""
#endif

// Of 1e-8, 1e-10, 1e-11, 1e-12 and 1e-13, tried on a dozen of the small problems: the loosest with
// which a peer is within 1e-6 on all of them, and the one with which it is within 1e-9 on most. Clp
// gives some wholly wrong answers with 1e-11 and less.
const qp_peer qp_peers[] = {
  {"cvxopt", cvxopt, BENCH_CVXOPT_VERSION, {1e-10, 1e-13}},
  {"Ipopt", ipopt, BENCH_IPOPT_VERSION, {1e-8, 1e-13}},
  {"Clp barrier", clp, BENCH_CLP_VERSION, {1e-8, 1e-10}},
};
const int32_t qp_peer_count = (int32_t)(sizeof qp_peers/sizeof qp_peers[0]);
