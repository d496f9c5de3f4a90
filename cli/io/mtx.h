// mtx.h: Matrix Market files: a strict reader that says where a file is wrong, and a writer.
//
// Accepted: %%MatrixMarket matrix coordinate|array real|integer general|symmetric|skew-symmetric,
// one entry per line, comment lines (%) and blank lines anywhere after the banner, LF or CRLF.
// Numbers are read to the nearest double and written with 17 digits, so a round trip is bit exact.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the functions return: the program's exit codes.
enum {
  MTX_OK = 0,
  MTX_BAD_INPUT = 3,  // the message is file:line:column: what was expected, found 'what is there'
  MTX_IO = 6          // the file could not be read or written, or memory ran out
};

// Flags for reading.
enum {
  MTX_ALLOW_INFINITE = 1,  // inf is a value, and |v| >= 1e20 means it; otherwise both inf and
                           // numbers beyond the range of double are errors. nan always is one.
  MTX_VECTOR = 2,          // the file must be n x 1 or 1 x n; returned dense as n x 1, with 0 for
                           // the entries that a coordinate file leaves out
  MTX_SMALL_CHUNKS = 4     // gives even a tiny file to several threads; for tests
};

// A matrix as it was read. Indices start at 0.
typedef struct mtx_matrix {
  int32_t rows, columns;
  bool dense;        // array format (or MTX_VECTOR): all values, column-major
  bool symmetric;    // the header said symmetric; both triangles are present all the same
  int32_t *colptr;   // columns + 1; NULL if dense
  int32_t *row;      // nnz, increasing within each column; NULL if dense
  double *value;     // nnz
  int64_t nnz;       // stored entries after expansion; rows*columns if dense
} mtx_matrix;

// Reads the file at path; "-" is the standard input. Gzip is recognised by content.
// flags: a sum of the flags above. threads: how many may be used, 0 for one per processor; the
// result, the error included, is the same for every number. message may be NULL.
// On failure *out is empty. Nothing is allocated on the word of the header alone: memory is at most
// a small multiple of the file's size (plus 10^7 indices for empty rows and columns).
int mtx_read(const char *path, unsigned flags, int threads, mtx_matrix *out, char *message,
             size_t message_size);

// The same from memory; name is used in messages.
int mtx_parse(const char *name, const char *text, size_t length, unsigned flags, int threads,
              mtx_matrix *out, char *message, size_t message_size);

// Frees the arrays and empties the structure; an empty one is fine.
void mtx_free(mtx_matrix *matrix);

// Writes a matrix in coordinate format, real general, values with %.17g. "-" is the standard
// output; a name that ends in .gz is packed. The file appears complete or not at all.
// comment (may be NULL) goes below the banner, each of its lines behind a %.
int mtx_write_csc(const char *path, int32_t rows, int32_t columns,
                  const int32_t *colptr,   // columns + 1
                  const int32_t *row,      // colptr[columns]
                  const double *value,     // colptr[columns]
                  const char *comment, char *message, size_t message_size);

// Writes a dense matrix in array format. Infinite values are written inf and -inf.
int mtx_write_dense(const char *path, int32_t rows, int32_t columns,
                    const double *value,   // rows x columns, column-major
                    const char *comment, char *message, size_t message_size);

// Writes a vector of length n in array format, as an n x 1 matrix.
int mtx_write_vector(const char *path, int32_t n, const double *x, const char *comment,
                     char *message, size_t message_size);
