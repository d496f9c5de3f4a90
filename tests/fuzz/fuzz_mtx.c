// libFuzzer entry: any bytes as a Matrix Market file, with one thread and with several.
//
// The first byte chooses the flags. Beyond what the sanitizers see: the outcome, the message and
// the matrix do not depend on the number of threads, and what is accepted has the promised shape.
#include "mtx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition) abort();
}

static void check_shape(const mtx_matrix *m, bool infinite) {
  for (int64_t k = 0; k < m->nnz; k++)
    require(infinite ? !isnan(m->value[k]) && (isinf(m->value[k]) || fabs(m->value[k]) < 1e20)
                     : isfinite(m->value[k]));
  if (m->dense) {
    require(!m->colptr && !m->row && m->nnz == (int64_t)m->rows*m->columns);
    return;
  }
  require(m->colptr[0] == 0 && m->colptr[m->columns] == m->nnz);
  for (int32_t j = 0; j < m->columns; j++)
    for (int32_t k = m->colptr[j]; k < m->colptr[j + 1]; k++) {
      require(m->row[k] >= 0 && m->row[k] < m->rows);
      require(k == m->colptr[j] || m->row[k - 1] < m->row[k]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const unsigned flags = data[0] & (MTX_ALLOW_INFINITE | MTX_VECTOR);
  const int threads = 2 + (data[0] >> 4) % 3;
  const char *text = (const char *)data + 1;
  char first[512] = "", other[512] = "";
  mtx_matrix one, many;
  const int code = mtx_parse("fuzz", text, size - 1, flags, 1, &one, first, sizeof first);
  require(code == mtx_parse("fuzz", text, size - 1, flags | MTX_SMALL_CHUNKS, threads, &many, other,
                            sizeof other));
  require(strcmp(first, other) == 0 && (code == MTX_OK) == (first[0] == 0));
  require(code != MTX_OK ? !one.value && !many.value : one.nnz == many.nnz);
  if (code == MTX_OK) {
    check_shape(&one, flags & MTX_ALLOW_INFINITE);
    const size_t nnz = (size_t)one.nnz;
    require(nnz == 0 || memcmp(one.value, many.value, nnz*sizeof *one.value) == 0);
    require(one.dense || nnz == 0 || memcmp(one.row, many.row, nnz*sizeof *one.row) == 0);
  }
  mtx_free(&one);
  mtx_free(&many);
  return 0;
}
