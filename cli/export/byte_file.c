// byte_file.c: writes files of little-endian numbers on machines of any byte order.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"

int byte_file_open(byte_file *out, const char *path) {
  char message[512] = "";
  *out = (byte_file){0};
  const int code = file_create(path, &out->file, message, sizeof message);
  return code ? fail(code, "%s", message) : CODE_OK;
}

void byte_file_bytes(byte_file *out, const void *data, size_t length) {
  file_write(out->file, data, length);
  out->bytes += (int64_t)length;
}

void byte_file_text(byte_file *out, const char *format, ...) {
  char text[2048];
  va_list values;
  va_start(values, format);
  const int length = vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (length > 0) byte_file_bytes(out, text, strlen(text));
}

static void put(byte_file *out, uint64_t value, int bytes) {
  unsigned char data[8];
  for (int k = 0; k < bytes; k++) data[k] = (unsigned char)(value >> 8*k);
  byte_file_bytes(out, data, (size_t)bytes);
}

void byte_file_u8(byte_file *out, uint32_t value) { put(out, value, 1); }
void byte_file_u16(byte_file *out, uint32_t value) { put(out, value, 2); }
void byte_file_u32(byte_file *out, uint32_t value) { put(out, value, 4); }
void byte_file_u64(byte_file *out, uint64_t value) { put(out, value, 8); }

void byte_file_f32(byte_file *out, double value) {
  const float number = (float)value;
  uint32_t word;
  memcpy(&word, &number, sizeof word);
  put(out, word, 4);
}

void byte_file_f64(byte_file *out, double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  put(out, word, 8);
}

int byte_file_close(byte_file *out, export_job *job) {
  char message[512] = "";
  const int code = file_commit(out->file, message, sizeof message);
  out->file = NULL;
  if (code) return fail(code, "%s", message);
  job->files++;
  job->bytes += out->bytes;
  return CODE_OK;
}

void byte_file_abandon(byte_file *out) {
  file_abandon(out->file);
  out->file = NULL;
}

const char *byte_file_float_text(float value, text_buffer *out) {
  text_buffer made;
  for (int digits = 6; digits <= 9; digits++) {
    snprintf(made.text, sizeof made.text, "%.*g", digits, (double)value);
    if (!isfinite(value) || strtof(made.text, NULL) == value) break;
  }
  *out = made;
  return out->text;
}

const char *byte_file_number_text(double value, text_buffer *out) {
  text_buffer made;
  for (int digits = 12; digits <= 17; digits++) {
    snprintf(made.text, sizeof made.text, "%.*g", digits, value);
    if (!isfinite(value) || strtod(made.text, NULL) == value) break;
  }
  *out = made;
  return out->text;
}
