// Reads a Matrix Market file and writes it again: what the cross-check with scipy drives.
//
//   mtx_echo [-i] [-v] [-t THREADS] IN OUT       -i infinite values allowed, -v must be a vector
//
// Prints the shape on standard error; exits with the reader's or the writer's code.
#include "mtx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words) {
  unsigned flags = 0;
  int threads = 1, k = 1;
  for (; k < count && words[k][0] == '-' && words[k][1]; k++) {
    if (strcmp(words[k], "-i") == 0) flags |= MTX_ALLOW_INFINITE;
    else if (strcmp(words[k], "-v") == 0) flags |= MTX_VECTOR;
    else if (strcmp(words[k], "-t") == 0 && k + 1 < count) threads = atoi(words[++k]);
    else break;
  }
  if (count - k != 2) {
    fprintf(stderr, "usage: mtx_echo [-i] [-v] [-t THREADS] IN OUT\n");
    return 2;
  }
  char message[512] = "";
  mtx_matrix m;
  int code = mtx_read(words[k], flags, threads, &m, message, sizeof message);
  if (code == MTX_OK) {
    fprintf(stderr, "%" PRId32 " x %" PRId32 ", %" PRId64 " entries, %s%s\n", m.rows, m.columns,
            m.nnz, m.dense ? "dense" : "sparse", m.symmetric ? ", symmetric" : "");
    code = m.dense ? mtx_write_dense(words[k + 1], m.rows, m.columns, m.value, "echo", message,
                                     sizeof message)
                   : mtx_write_csc(words[k + 1], m.rows, m.columns, m.colptr, m.row, m.value,
                                   "echo", message, sizeof message);
    mtx_free(&m);
  }
  if (code != MTX_OK) fprintf(stderr, "%s\n", message);
  return code;
}
