// record_forge.c: forges recordings, for tests of what somebody else may send:
//   record_forge FROM TO words TEXT         every string of the header is TEXT
//   record_forge FROM TO arguments TEXT     the arguments of the header are the words of TEXT
//   record_forge FROM TO set KEY=JSON       that member of the header has this value
//   record_forge FROM TO noise TYPE SEED    chunks of that type keep their sizes and hold nonsense
//   record_forge FROM TO TYPE N [PARTS]     the first chunk of that type unpacks to N megabytes
// HEAD and LAST become JSON with a long array, other types bytes of zero. SAVE is put before LAST, or
// at the end, in PARTS parts of N megabytes. All check sums are right.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "recording.h"

enum { MEGABYTE = 1 << 20 };

static char *with_words(const record_bytes *plain, const char *text) {
  static const char *const keys[] = {"scene", "title", "command", "version", "seed", "model"};
  static const char *const lists[] = {"materials", "groups"};
  json_t *object = json_loadb((const char *)plain->data, plain->length, 0, NULL);
  for (size_t k = 0; k < sizeof keys/sizeof *keys; k++)
    if (json_object_get(object, keys[k])) json_object_set_new(object, keys[k], json_text(text));
  for (size_t k = 0; k < sizeof lists/sizeof *lists; k++) {
    json_t *list = json_object_get(object, lists[k]);
    for (size_t i = 0; i < json_array_size(list); i++)
      json_array_set_new(list, i, json_text(text));
  }
  char *out = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(object);
  return out;
}

static char *with_arguments(const record_bytes *plain, const char *text) {
  json_t *object = json_loadb((const char *)plain->data, plain->length, 0, NULL);
  json_t *list = json_array();
  for (; *text; text += strspn(text, " ")) {
    const size_t length = strcspn(text, " ");
    json_array_append_new(list, json_stringn(text, length));
    text += length;
  }
  json_object_set_new(object, "arguments", list);
  char *out = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(object);
  return out;
}

static char *with_member(const record_bytes *plain, const char *text) {
  json_t *object = json_loadb((const char *)plain->data, plain->length, 0, NULL);
  const char *value = strchr(text, '=');
  char key[64] = "";
  if (value) snprintf(key, sizeof key, "%.*s", (int)(value - text), text);
  if (json_object_get(object, key))
    json_object_set_new(object, key, json_loads(value + 1, JSON_DECODE_ANY, NULL));
  char *out = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(object);
  return out;
}

// {"complete":true,"x":[[],[],...,0]}: a container to every three bytes
static char *long_json(size_t bytes) {
  static const char start[] = "{\"complete\":true,\"x\":[", end[] = "0]}";
  char *text = malloc(bytes + 64);
  if (!text) return NULL;
  size_t at = sizeof start - 1;
  memcpy(text, start, at);
  for (; at + sizeof end + 3 < bytes; at += 3) memcpy(text + at, "[],", 3);
  memcpy(text + at, end, sizeof end);
  return text;
}

static uint64_t noise_state;

static uint64_t noise(void) {   // splitmix64
  uint64_t z = noise_state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30))*0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27))*0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// By the seed: all bytes are random, all are 255 (NaN, -1), all are 0, or a few have another bit.
static void spoil(unsigned char *data, size_t length, long seed) {
  noise_state = (uint64_t)seed;
  for (size_t k = 0; k < length; k++)
    switch (seed%4) {
      case 0: data[k] = (unsigned char)noise(); break;
      case 1: data[k] = 255; break;
      case 2: data[k] = 0; break;
      default: if (noise()%40 == 0) data[k] ^= (unsigned char)(1u << noise()%8);
    }
}

typedef struct forgery {
  const char *edit, *value;
  size_t bytes;
  long parts;
  record_writer *writer;
  char message[512];
} forgery;

static int put(forgery *f, const record_chunk *chunk, const void *data, size_t bytes) {
  return record_write(f->writer, chunk->type, chunk->first, chunk->count, data, bytes, f->message,
                      sizeof f->message);
}

static int put_edited(forgery *f, const record_chunk *chunk, const record_bytes *plain) {
  const int json = chunk->type == RECORD_HEAD || chunk->type == RECORD_LAST;
  char *data = !strcmp(f->edit, "words")       ? with_words(plain, f->value)
               : !strcmp(f->edit, "arguments") ? with_arguments(plain, f->value)
               : !strcmp(f->edit, "set")       ? with_member(plain, f->value)
               : json                          ? long_json(f->bytes)
                                               : calloc(f->bytes, 1);
  if (!data) return RECORD_IO;
  const int code = put(f, chunk, data, json ? strlen(data) : f->bytes);
  free(data);
  return code;
}

static int put_state(forgery *f, uint32_t step) {
  char *zeros = calloc(f->bytes, 1);
  int code = zeros ? RECORD_OK : RECORD_IO;
  for (long k = f->parts; k > 0 && !code; k--) {
    const record_chunk part = {.type = RECORD_SAVE, .first = step, .count = (uint32_t)(k - 1)};
    code = put(f, &part, zeros, f->bytes);
  }
  free(zeros);
  return code;
}

int main(int count, char **argument) {
  forgery f = {.message = ""};
  file_text from;
  record_index index = {0};
  record_bytes plain = {0};
  if (count < 5) return CODE_USAGE;
  f.edit = argument[3], f.value = argument[4];
  f.bytes = (size_t)strtol(f.value, NULL, 10)*MEGABYTE;
  f.parts = count > 5 ? strtol(argument[5], NULL, 10) : 1;
  const int noisy = !strcmp(f.edit, "noise");
  const int words = !strcmp(f.edit, "words") || !strcmp(f.edit, "arguments") ||
                    !strcmp(f.edit, "set");
  int code = file_read(argument[1], &from, f.message, sizeof f.message);
  if (!code) code = record_scan(from.data, from.length, &index, f.message, sizeof f.message);
  if (!code) code = record_create(argument[2], &f.writer, f.message, sizeof f.message);
  int edited = 0;
  uint32_t step = 0;
  for (int32_t k = 0; k < index.count && !code; k++) {
    const record_chunk *chunk = &index.chunk[k];
    const char *name = record_type_name[chunk->type];
    if (chunk->type == RECORD_STEP) step = chunk->first + chunk->count - 1;
    if (!strcmp(f.edit, "SAVE") && chunk->type == RECORD_SAVE) continue;   // ours is the only one
    if (!strcmp(f.edit, "SAVE") && chunk->type == RECORD_LAST) break;      // it is unfinished
    code = record_unpack(from.data, &index, k, &plain, f.message, sizeof f.message);
    if (code) break;
    const int spoilt = noisy && !strcmp(f.value, name);
    if (spoilt) spoil(plain.data, plain.length, f.parts);
    const int now = !noisy && !edited && !strcmp(words ? "HEAD" : f.edit, name);
    code = now ? put_edited(&f, chunk, &plain) : put(&f, chunk, plain.data, plain.length);
    edited |= now || spoilt;
  }
  if (!code && !strcmp(f.edit, "SAVE")) code = put_state(&f, step), edited = 1;
  if (record_close(f.writer, f.message, sizeof f.message) && !code) code = RECORD_IO;
  if (!code && !edited) code = fail(CODE_USAGE, "there is no %s", f.edit);
  else if (code) fail(code, "%s", *f.message ? f.message : "out of memory");
  free(plain.data);
  record_index_free(&index);
  file_text_free(&from);
  return code;
}
