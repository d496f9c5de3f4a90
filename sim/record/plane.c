// plane.c: words whose bytes stand in rows, and differences between frames (docs/recording.md).
#include "plane.h"

#include <string.h>

void put32(unsigned char *at, uint32_t value) {
  for (int k = 0; k < 4; k++) at[k] = (unsigned char)(value >> 8*k);
}

uint32_t get32(const unsigned char *at) {
  uint32_t value = 0;
  for (int k = 3; k >= 0; k--) value = value << 8 | at[k];
  return value;
}

void plane_pack(const void *words, size_t count, int width, unsigned char *out) {
  const unsigned char *word = words;
  for (size_t i = 0; i < count; i++, word += width) {
    uint64_t value = 0;
    if (width == 4) {
      uint32_t half;
      memcpy(&half, word, sizeof half);
      value = half;
    } else {
      memcpy(&value, word, sizeof value);
    }
    for (int k = 0; k < width; k++) out[(size_t)k*count + i] = (unsigned char)(value >> 8*k);
  }
}

void plane_unpack(const unsigned char *plane, size_t count, int width, void *words) {
  unsigned char *word = words;
  for (size_t i = 0; i < count; i++, word += width) {
    uint64_t value = 0;
    for (int k = width - 1; k >= 0; k--) value = value << 8 | plane[(size_t)k*count + i];
    const uint32_t half = (uint32_t)value;
    memcpy(word, width == 4 ? (const void *)&half : (const void *)&value, (size_t)width);
  }
}

void plane_difference(uint32_t *words, size_t frames, size_t bodies) {
  for (size_t f = frames; f-- > 0;) {
    for (size_t i = 0; i < bodies; i++) {
      uint32_t *word = &words[f*bodies + i];
      const uint32_t d = f > 0 ? *word - word[-(ptrdiff_t)bodies] : *word;
      *word = d << 1 ^ (d >> 31 ? UINT32_MAX : 0);
    }
  }
}

void plane_sum(uint32_t *words, size_t frames, size_t bodies) {
  for (size_t f = 0; f < frames; f++) {
    for (size_t i = 0; i < bodies; i++) {
      uint32_t *word = &words[f*bodies + i];
      const uint32_t d = *word >> 1 ^ (*word & 1 ? UINT32_MAX : 0);
      *word = f > 0 ? word[-(ptrdiff_t)bodies] + d : d;
    }
  }
}
