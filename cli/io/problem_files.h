// problem_files.h: a problem read from its files.
#pragma once

#include <stdint.h>

#include "command.h"
#include "mtx.h"

typedef struct problem_files {
  mtx_matrix A, b, lo, hi, x0;
  perp_csc csc;             // views of the above
  perp_dense dense;
  perp_problem problem;
  double *x;                // n: the guess, zeros without x0
  int64_t nnz;
  char name[256];           // the directory, or the matrix file
} problem_files;

// Reads DIR/A.mtx, b.mtx, lo.mtx, hi.mtx (x0.mtx too if with_guess), each also as .mtx.gz, or the
// files that the options name instead. Returns 0 or an exit code after having said what is wrong.
int problem_files_read(const arguments *args, const char *directory, int with_guess, int threads,
                       problem_files *out);
int problem_files_vector(const char *path, int32_t n, unsigned flags, int threads,
                         mtx_matrix *out);   // n rows exactly
void problem_files_free(problem_files *files);
