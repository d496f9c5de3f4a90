// mtx_write.c: writes Matrix Market files, complete or not at all.
#include "file.h"
#include "mtx.h"
#include "mtx_number.h"

#include <string.h>

enum { LINE_BYTES = 3*NUMBER_LENGTH };

static void put_text(file_output *output, const char *text) {
  file_write(output, text, strlen(text));
}

// The banner, the comment and the sizes. entries < 0: array format, no number of entries.
static void put_header(file_output *output, const char *banner, const char *comment, int32_t rows,
                       int32_t columns, int64_t entries) {
  put_text(output, banner);
  while (comment && *comment) {
    const size_t length = strcspn(comment, "\r\n");
    put_text(output, "% ");
    file_write(output, comment, length);
    put_text(output, "\n");
    comment += length;
    comment += strspn(comment, "\r\n");
  }
  char line[LINE_BYTES];
  size_t length = number_format_int(rows, line);
  line[length++] = ' ';
  length += number_format_int(columns, line + length);
  if (entries >= 0) {
    line[length++] = ' ';
    length += number_format_int(entries, line + length);
  }
  line[length++] = '\n';
  file_write(output, line, length);
}

int mtx_write_csc(const char *path, int32_t rows, int32_t columns, const int32_t *colptr,
                  const int32_t *row, const double *value, const char *comment, char *message,
                  size_t message_size) {
  file_output *output;
  const int code = file_create(path, &output, message, message_size);
  if (code != FILE_OK) return code;
  put_header(output, "%%MatrixMarket matrix coordinate real general\n", comment, rows, columns,
             colptr[columns]);
  for (int32_t j = 0; j < columns; j++) {
    char tail[NUMBER_LENGTH];                     // the column index is the same down the column
    const size_t tail_length = number_format_int((int64_t)j + 1, tail);
    for (int32_t k = colptr[j]; k < colptr[j + 1]; k++) {
      char line[LINE_BYTES];
      size_t length = number_format_int((int64_t)row[k] + 1, line);
      line[length++] = ' ';
      memcpy(line + length, tail, tail_length);
      length += tail_length;
      line[length++] = ' ';
      length += number_format(value[k], line + length);
      line[length++] = '\n';
      file_write(output, line, length);
    }
  }
  return file_commit(output, message, message_size);
}

int mtx_write_dense(const char *path, int32_t rows, int32_t columns, const double *value,
                    const char *comment, char *message, size_t message_size) {
  file_output *output;
  const int code = file_create(path, &output, message, message_size);
  if (code != FILE_OK) return code;
  put_header(output, "%%MatrixMarket matrix array real general\n", comment, rows, columns, -1);
  const int64_t entries = (int64_t)rows*columns;
  for (int64_t k = 0; k < entries; k++) {
    char line[LINE_BYTES];
    size_t length = number_format(value[k], line);
    line[length++] = '\n';
    file_write(output, line, length);
  }
  return file_commit(output, message, message_size);
}

int mtx_write_vector(const char *path, int32_t n, const double *x, const char *comment,
                     char *message, size_t message_size) {
  return mtx_write_dense(path, n, 1, x, comment, message, message_size);
}
