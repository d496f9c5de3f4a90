// byte_planes.c: whole numbers as bytes that pack well, and packed bytes as text.
#include "byte_planes.h"

#include <stdlib.h>
#include <string.h>

#include "pack.h"

static unsigned char *append(planes *out, size_t bytes) {
  if (out->failed) return NULL;
  if (out->room - out->length < bytes) {
    const size_t room = out->room + out->room/2 + bytes + 4096;
    unsigned char *data = realloc(out->data, room);
    if (!data) {
      out->failed = 1;
      return NULL;
    }
    out->data = data;
    out->room = room;
  }
  out->length += bytes;
  return out->data + out->length - bytes;
}

void planes_bytes(planes *out, const void *bytes, size_t count) {
  unsigned char *to = append(out, count);
  if (to && count) memcpy(to, bytes, count);
}

void planes_words(planes *out, const uint32_t *word, size_t count, int width) {
  unsigned char *to = append(out, count*(size_t)width);
  for (int k = 0; k < width && to; k++)
    for (size_t i = 0; i < count; i++) *to++ = (unsigned char)(word[i] >> 8*k);
}

void planes_number(planes *out, size_t value) {
  unsigned char byte[10];
  size_t count = 0;
  do {
    byte[count++] = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
    value >>= 7;
  } while (value);
  planes_bytes(out, byte, count);
}

uint32_t planes_fold(uint32_t difference, int width) {
  const uint32_t sign = (uint32_t)1 << (8*width - 1), mask = sign | (sign - 1);
  const uint32_t d = difference & mask;
  return (d & sign ? ~(d << 1) : d << 1) & mask;
}

void planes_chain(planes *out, uint32_t *word, size_t count) {
  for (size_t i = count; i-- > 0;) word[i] = planes_fold(word[i] - (i ? word[i - 1] : 0), 4);
  planes_words(out, word, count, 4);
}

// From the last frame to the first, so that those before are still there.
void planes_motion(planes *out, uint32_t *word, size_t frames, size_t bodies, int width,
                   int order) {
  for (size_t i = frames*bodies; i-- > 0;) {
    const uint32_t last = i >= bodies ? word[i - bodies] : 0;
    const uint32_t before = order == 2 && i >= 2*bodies ? word[i - 2*bodies] : last;
    word[i] = planes_fold(word[i] - (2*last - before), width);
  }
  planes_words(out, word, frames*bodies, width);
}

static size_t base64(const unsigned char *in, size_t bytes, char *out) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *to = out;
  for (size_t i = 0; i < bytes; i += 3) {
    const size_t left = bytes - i;
    const uint32_t word = (uint32_t)in[i] << 16 | (uint32_t)(left > 1 ? in[i + 1] : 0) << 8 |
                          (uint32_t)(left > 2 ? in[i + 2] : 0);
    *to++ = letters[word >> 18];
    *to++ = letters[word >> 12 & 63];
    *to++ = left > 1 ? letters[word >> 6 & 63] : '=';
    *to++ = left > 2 ? letters[word & 63] : '=';
  }
  return (size_t)(to - out);
}

char *planes_text(const planes *what, size_t *length, int32_t threads) {
  if (what->failed) return NULL;
  size_t bytes = 0;
  unsigned char *packed = pack_zlib(what->data, what->length, threads, &bytes);
  char *text = packed ? malloc(bytes/3*4 + 8) : NULL;
  if (text) *length = base64(packed, bytes, text);
  free(packed);
  return text;
}

void planes_free(planes *what) {
  free(what->data);
  *what = (planes){0};
}
