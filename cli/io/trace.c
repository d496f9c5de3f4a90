// trace.c: the iterations of a solve as a CSV file.
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "message.h"
#include "text.h"

static void append_real(char *line, size_t size, double value) {   // not finite: an empty field
  if (isfinite(value)) text_append(line, size, ",%.17g", value);
  else text_append(line, size, ",");
}

int trace_write(const char *path, const perp_statistics *trace, int32_t count) {
  char message[512] = "";
  file_output *file;
  int code = file_create(path, &file, message, sizeof message);
  if (code) return fail(code, "%s", message);
  static const char header[] = "iteration,seconds,residual,measure,inner_iterations\n";
  file_write(file, header, sizeof header - 1);
  for (int32_t i = 0; i < count; i++) {
    char line[160] = "";
    text_append(line, sizeof line, "%d", (int)trace[i].iteration);
    append_real(line, sizeof line, trace[i].seconds);
    append_real(line, sizeof line, trace[i].residual);
    append_real(line, sizeof line, trace[i].measure);
    text_append(line, sizeof line, ",%d\n", (int)trace[i].inner_iterations);
    file_write(file, line, strlen(line));
  }
  code = file_commit(file, message, sizeof message);
  return code ? fail(code, "%s", message) : CODE_OK;
}
