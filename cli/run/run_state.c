// run_state.c: NAME.perp.state, the newest state of a run, and the frames that are not recorded yet.
//
// It lies beside the recording. Each new state replaces the file atomically, so a complete state
// exists whenever the run dies. Its HEAD identifies the recording by check sums and its length.
// Frames, rows and the state follow, in chunks like those of a recording. A run that ends normally
// removes the file.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_record.h"

char *state_path(const char *path) {
  static const char ending[] = ".state";
  char *out = malloc(strlen(path) + sizeof ending);
  if (out) sprintf(out, "%s%s", path, ending);
  return out;
}

static char *head_text(const record_index *recorded, int32_t settled) {
  const record_chunk *last = &recorded->chunk[settled - 1];
  json_t *object = json_pack(
      "{s:i,s:I,s:I,s:I}", "perp", 1, "head", (json_int_t)recorded->chunk[0].crc, "bytes",
      (json_int_t)(last->byte + RECORD_HEADER_BYTES + last->stored), "last",
      (json_int_t)last->crc);
  char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
  json_decref(object);
  return text;
}

static int write_chunks(const recorder *what, record_writer *writer, char *message, size_t size) {
  const film *f = &what->film;
  char *head = head_text(record_written(what->writer), what->settled);
  if (!head) {
    snprintf(message, size, "out of memory for the state");
    return RECORD_IO;
  }
  int code = record_write(writer, RECORD_HEAD, 0, 0, head, strlen(head), message, size);
  free(head);
  if (!code && f->frames(f->self) > 0) code = f->write(f->self, writer, message, size);
  if (!code && what->steps.rows > 0)
    code = record_write_steps(writer, &what->steps, what->times, message, size);
  if (!code)
    code = record_write_state(writer, (uint32_t)what->step, what->state.data, what->state.length,
                              recorder_part, message, size);
  return code;
}

// A name that is always the same, so that a file that kill -9 left half written does not stay.
static char *fresh_path(const char *side) {
  static const char ending[] = ".new";
  char *out = malloc(strlen(side) + sizeof ending);
  if (out) sprintf(out, "%s%s", side, ending);
  return out;
}

int state_write(const recorder *what, char *message, size_t size) {
  record_writer *writer = NULL;
  char *fresh = fresh_path(what->side), other[512];
  if (!fresh) {
    snprintf(message, size, "out of memory for the state");
    return RECORD_IO;
  }
  int code = record_create_state(fresh, &writer, message, size);
  if (!code) code = write_chunks(what, writer, message, size);
  const int closed = record_close(writer, code ? other : message, code ? sizeof other : size);
  if (!code) code = closed;
  if (!code && rename(fresh, what->side) != 0) {
    snprintf(message, size, "%s: %s", what->side, strerror(errno));
    code = RECORD_IO;
  }
  if (code) unlink(fresh);
  free(fresh);
  return code;
}

void state_remove(const char *side) {
  char *fresh = fresh_path(side);
  if (fresh) unlink(fresh);
  free(fresh);
  unlink(side);
}

int32_t state_place(const void *bytes, const record_index *state, const record_index *recorded) {
  record_bytes head = {0};
  char message[256];
  int32_t chunks = 0;
  if (record_unpack(bytes, state, 0, &head, message, sizeof message) == RECORD_OK) {
    json_t *object = recording_parse(&head, state->chunk[0].stored, NULL);
    const json_int_t first = json_integer_value(json_object_get(object, "head")),
                     whole = json_integer_value(json_object_get(object, "bytes")),
                     last = json_integer_value(json_object_get(object, "last"));
    for (int32_t k = 0; k < recorded->count; k++) {
      const record_chunk *chunk = &recorded->chunk[k];
      if ((json_int_t)(chunk->byte + RECORD_HEADER_BYTES + chunk->stored) == whole &&
          (json_int_t)chunk->crc == last && (json_int_t)recorded->chunk[0].crc == first)
        chunks = k + 1;
    }
    json_decref(object);
  }
  free(head.data);
  return chunks;
}
