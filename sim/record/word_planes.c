// word_planes.c: words stored as byte planes (all lowest bytes first, then the next ones), and
// differences between frames (docs/recording.md).
#include "word_planes.h"

#include <string.h>

void put32(unsigned char *at, uint32_t value) {
  for (int k = 0; k < 4; k++) at[k] = (unsigned char)(value >> 8*k);
}

uint32_t get32(const unsigned char *at) {
  uint32_t value = 0;
  for (int k = 3; k >= 0; k--) value = value << 8 | at[k];
  return value;
}

static uint64_t load(const unsigned char *word, int width) {
  uint8_t one;
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  switch (width) {
    case 1: return memcpy(&one, word, 1), one;
    case 2: return memcpy(&two, word, 2), two;
    case 4: return memcpy(&four, word, 4), four;
    default: return memcpy(&eight, word, 8), eight;
  }
}

static void store(uint64_t value, int width, unsigned char *word) {
  const uint8_t one = (uint8_t)value;
  const uint16_t two = (uint16_t)value;
  const uint32_t four = (uint32_t)value;
  switch (width) {
    case 1: memcpy(word, &one, 1); break;
    case 2: memcpy(word, &two, 2); break;
    case 4: memcpy(word, &four, 4); break;
    default: memcpy(word, &value, 8);
  }
}

void plane_pack(const void *words, size_t count, int width, unsigned char *out) {
  const unsigned char *word = words;
  for (size_t i = 0; i < count; i++, word += width) {
    const uint64_t value = load(word, width);
    for (int k = 0; k < width; k++) out[(size_t)k*count + i] = (unsigned char)(value >> 8*k);
  }
}

void plane_unpack(const unsigned char *plane, size_t count, int width, void *words) {
  unsigned char *word = words;
  for (size_t i = 0; i < count; i++, word += width) {
    uint64_t value = 0;
    for (int k = width - 1; k >= 0; k--) value = value << 8 | plane[(size_t)k*count + i];
    store(value, width, word);
  }
}

uint32_t fold(uint32_t difference, int width) {
  const uint32_t sign = (uint32_t)1 << (8*width - 1), mask = sign | (sign - 1);
  const uint32_t d = difference & mask;
  return (d & sign ? ~(d << 1) : d << 1) & mask;
}

uint32_t unfold(uint32_t folded, int width) {
  const uint32_t sign = (uint32_t)1 << (8*width - 1), mask = sign | (sign - 1);
  return (folded >> 1 ^ (folded & 1 ? UINT32_MAX : 0)) & mask;
}

void plane_difference(uint32_t *words, size_t frames, size_t bodies) {
  for (size_t f = frames; f-- > 0;) {
    for (size_t i = 0; i < bodies; i++) {
      uint32_t *word = &words[f*bodies + i];
      const uint32_t d = f > 0 ? *word - word[-(ptrdiff_t)bodies] : *word;
      *word = fold(d, 4);
    }
  }
}

void plane_sum(uint32_t *words, size_t frames, size_t bodies) {
  for (size_t f = 0; f < frames; f++) {
    for (size_t i = 0; i < bodies; i++) {
      uint32_t *word = &words[f*bodies + i];
      const uint32_t d = unfold(*word, 4);
      *word = f > 0 ? word[-(ptrdiff_t)bodies] + d : d;
    }
  }
}
