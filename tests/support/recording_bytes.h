// recording_bytes.h: recordings as bytes, read and written here after docs/recording.md and not by
// the library.
#ifndef PERP_TEST_RECORDING_BYTES_H
#define PERP_TEST_RECORDING_BYTES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

typedef struct bytes { unsigned char *data; size_t length; } bytes;

static inline bytes read_file(const char *name) {
  FILE *file = fopen(name, "rb");
  assert_non_null(file);
  bytes out = {malloc(1 << 20), 0};
  out.length = fread(out.data, 1, 1 << 20, file);
  fclose(file);
  return out;
}

static inline uint32_t u32(const unsigned char *at) {
  return (uint32_t)(at[0] + 256.0*at[1] + 65536.0*at[2] + 16777216.0*at[3]);
}

// Word i of a plane of m words of `width` bytes.
static inline uint32_t plane_word(const unsigned char *plane, size_t m, size_t i, int width) {
  uint32_t word = 0;
  for (int k = 0; k < width; k++) word += (uint32_t)plane[(size_t)k*m + i] << 8*k;
  return word;
}

static inline float as_float(uint32_t word) {
  float value;
  memcpy(&value, &word, 4);
  return value;
}

static inline int64_t signed_of(uint32_t z) {
  return z % 2 ? -((int64_t)z + 1)/2 : (int64_t)z/2;
}

typedef struct forged {   // a chunk with a right check sum and whatever is inside
  const char *type;
  uint32_t first, count;
  const unsigned char *plain;
  uint32_t length;
} forged;

// Begins a file of at most 65536 bytes; the caller frees its data.
static inline bytes forge_begin(void) {
  bytes out = {calloc(1, 65536), 8};
  assert_non_null(out.data);
  memcpy(out.data, "PERPREC1", 8);
  return out;
}

// Appends a chunk whose header says that it has `claimed` bytes unpacked.
static inline void forge_chunk(bytes *file, const forged *chunk, uint32_t claimed) {
  unsigned char *at = file->data + file->length;
  uLongf stored = 8000;
  compress(at + 24, &stored, chunk->plain, chunk->length);
  const uint32_t words[] = {(uint32_t)stored, claimed, chunk->first, chunk->count};
  memcpy(at, chunk->type, 4);
  for (int w = 0; w < 4; w++)
    for (int i = 0; i < 4; i++) at[4 + 4*w + i] = (unsigned char)(words[w] >> 8*i);
  const uLong crc = crc32(crc32(0, at, 20), at + 24, (uInt)stored);
  for (int i = 0; i < 4; i++) at[20 + i] = (unsigned char)(crc >> 8*i);
  file->length += 24 + stored;
}

#endif
