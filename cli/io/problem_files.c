// problem_files.c: a problem read from its files: a directory, or files named one by one.
#include "problem_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file.h"
#include "text.h"

static int exists(const char *path) {
  struct stat status;
  return stat(path, &status) == 0;
}

// The path of one part of the problem; "" if it is optional and absent. Returns 0 or an exit code.
static int locate(const char *directory, const char *part, const char *given, int required,
                  char *path) {
  char packed[FILE_PATH_BYTES];
  *path = 0;
  if (given) {
    text_append(path, FILE_PATH_BYTES, "%s", given);
    return CODE_OK;
  }
  if (directory) {
    if (strlen(directory) + 16 > FILE_PATH_BYTES)
      return fail(CODE_INPUT, "the path of the directory is too long");
    snprintf(path, FILE_PATH_BYTES, "%s/%s.mtx", directory, part);
    snprintf(packed, sizeof packed, "%s/%s.mtx.gz", directory, part);
    const int plain = exists(path), gz = exists(packed);
    if (plain && gz)
      return fail(CODE_INPUT, "%s: both %s.mtx and %s.mtx.gz are there; remove one", directory,
                  part, part);
    if (plain) return CODE_OK;
    if (gz) {
      strcpy(path, packed);
      return CODE_OK;
    }
    *path = 0;
    if (required) {
      return fail(CODE_INPUT,
                  "%s/%s.mtx: there is no such file; a problem is a directory with A.mtx and b.mtx",
                  directory, part);
    }
  }
  if (!required) return CODE_OK;
  return fail(CODE_USAGE, "no problem was named: give a directory, or files with -A and -b");
}

// Who has a file of plain numbers learns what is missing.
static int fail_reading(int code, const char *message) {
  const int banner = strstr(message, "expected '%%MatrixMarket") != NULL;
  return fail(code, "%s%s", message, banner ? "; 'perp explain files' has an example" : "");
}

int problem_files_vector(const char *path, int32_t n, unsigned flags, int threads,
                         mtx_matrix *out) {
  char message[512] = "";
  if (strcmp(path, "-") != 0 && !exists(path))
    return fail(CODE_INPUT, "%s: there is no such file", path);
  const int code = mtx_read(path, flags | MTX_VECTOR, threads, out, message, sizeof message);
  if (code) return fail_reading(code, message);
  if (out->rows == n) return CODE_OK;
  const int rows = out->rows;
  mtx_free(out);
  text_buffer count;
  return fail(CODE_INPUT, "%s: expected %s, one for each row of A, found %d", path,
              text_count(n, "entry", "entries", &count), rows);
}

// A = A' to the last bit: entry by entry, as each column meets its row in increasing order. Without
// memory for a cursor per column, or with zeros stored on one side only: no.
static int is_mirrored(const mtx_matrix *A) {
  const int32_t n = A->columns;
  int same = 1;
  if (A->dense) {
    const size_t size = (size_t)n;
    for (size_t j = 0; j < size && same; j++)
      for (size_t i = 0; i < j && same; i++) same = A->value[j*size + i] == A->value[i*size + j];
    return same;
  }
  int32_t *next = malloc((size_t)(n > 0 ? n : 1)*sizeof *next);
  if (!next) return 0;
  for (int32_t j = 0; j < n; j++) next[j] = A->colptr[j];
  for (int32_t j = 0; j < n && same; j++) {
    for (int32_t k = A->colptr[j]; k < A->colptr[j + 1] && same; k++) {
      const int32_t i = A->row[k], twin = next[i]++;
      same = twin < A->colptr[i + 1] && A->row[twin] == j && A->value[twin] == A->value[k];
    }
  }
  free(next);
  return same;
}

static int read_matrix(const char *path, int threads, problem_files *out) {
  char message[512] = "";
  if (strcmp(path, "-") != 0 && !exists(path))
    return fail(CODE_INPUT, "%s: there is no such file", path);
  const int code = mtx_read(path, 0, threads, &out->A, message, sizeof message);
  if (code) return fail_reading(code, message);
  const mtx_matrix *A = &out->A;
  if (A->rows != A->columns) {
    return fail(CODE_INPUT, "%s: A is %d x %d; it must be square", path, (int)A->rows,
                (int)A->columns);
  }
  const int symmetric = A->symmetric || is_mirrored(A);
  const uint32_t claims = symmetric ? PERP_CLAIM_SYMMETRIC : PERP_CLAIM_NONE;
  if (A->dense) {
    out->dense = (perp_dense){.n = A->rows, .value = A->value, .by_column = 1};
    out->problem.A = perp_from_dense(&out->dense, claims);
  } else {
    out->csc = (perp_csc){A->rows, A->columns, A->colptr, A->row, A->value};
    out->problem.A = perp_from_csc(&out->csc, claims);
  }
  out->nnz = A->nnz;
  return CODE_OK;
}

// Rows are counted from 0, as in all reports and in the library.
static int check_bounds(const problem_files *files) {
  const double *lo = files->problem.lo, *hi = files->problem.hi;
  text_buffer a, b;
  for (int32_t i = 0; i < files->problem.A.n; i++) {
    const double low = lo ? lo[i] : 0.0, high = hi ? hi[i] : INFINITY;
    if (low > high) {
      return fail(CODE_INPUT, "%s: row %d, counting from 0: lo = %s > hi = %s", files->name, (int)i,
                  text_number(low, &a), text_number(high, &b));
    }
    if (low == INFINITY || high == -INFINITY) {
      return fail(CODE_INPUT, "%s: row %d, counting from 0: no number lies in [%s, %s]",
                  files->name, (int)i, text_number(low, &a), text_number(high, &b));
    }
  }
  return CODE_OK;
}

static int read_all(const arguments *args, const char *directory, int with_guess, int threads,
                    problem_files *out) {
  char path[FILE_PATH_BYTES];
  struct stat status;
  if (directory && stat(directory, &status) != 0)
    return fail(CODE_INPUT, "%s: there is no such directory", directory);
  if (directory && !S_ISDIR(status.st_mode)) {
    return fail(CODE_INPUT, "%s is not a directory; name single files with -A and -b", directory);
  }
  const char *matrix = argument(args, "matrix"), *vector = argument(args, "vector");
  if (!directory && matrix && !vector)
    return fail(CODE_USAGE, "b is missing: -b FILE names the vector that goes with -A %s", matrix);
  if (!directory && vector && !matrix)
    return fail(CODE_USAGE, "A is missing: -A FILE names the matrix that goes with -b %s", vector);
  text_append(out->name, sizeof out->name, "%s", directory ? directory : matrix ? matrix : "");
  int code = locate(directory, "A", matrix, 1, path);
  if (!code) code = read_matrix(path, threads, out);
  if (code) return code;

  const int32_t n = out->problem.A.n;
  const struct {
    const char *part, *given;
    int required;
    unsigned flags;
    mtx_matrix *into;
  } vectors[] = {
      {"b", vector, 1, 0, &out->b},
      {"lo", argument(args, "lo"), 0, MTX_ALLOW_INFINITE, &out->lo},
      {"hi", argument(args, "hi"), 0, MTX_ALLOW_INFINITE, &out->hi},
      {"x0", with_guess ? argument(args, "x0") : NULL, 0, 0, &out->x0},
  };
  for (size_t i = 0; i < (with_guess ? 4u : 3u); i++) {
    code = locate(directory, vectors[i].part, vectors[i].given, vectors[i].required, path);
    if (!code && *path)
      code = problem_files_vector(path, n, vectors[i].flags, threads, vectors[i].into);
    if (code) return code;
  }
  out->problem.b = out->b.value;
  out->problem.lo = out->lo.value;
  out->problem.hi = out->hi.value;
  code = check_bounds(out);
  if (code) return code;

  out->x = calloc((size_t)n + 1, sizeof *out->x);
  if (!out->x) return fail(CODE_IO, "out of memory for %d unknowns", (int)n);
  if (out->x0.value) memcpy(out->x, out->x0.value, (size_t)n*sizeof *out->x);
  return CODE_OK;
}

int problem_files_read(const arguments *args, const char *directory, int with_guess, int threads,
                       problem_files *out) {
  *out = (problem_files){0};
  const int code = read_all(args, directory, with_guess, threads, out);
  if (code) problem_files_free(out);
  return code;
}

void problem_files_free(problem_files *files) {
  mtx_free(&files->A);
  mtx_free(&files->b);
  mtx_free(&files->lo);
  mtx_free(&files->hi);
  mtx_free(&files->x0);
  free(files->x);
  files->x = NULL;
}
