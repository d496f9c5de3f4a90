// record_json.h: HEAD and LAST of the recordings that record_sample and record_swirl write.
#ifndef PERP_TEST_RECORD_JSON_H
#define PERP_TEST_RECORD_JSON_H

#include <stdlib.h>
#include <string.h>

#include "recording.h"

// Writes the object as a chunk, and gives it back. message: 512 bytes.
static inline int write_json(record_writer *writer, record_type type, json_t *object, char *message) {
  char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
  const int code = record_write(writer, type, 0, 0, text, strlen(text), message, 512);
  free(text);
  json_decref(object);
  return code;
}

#endif
