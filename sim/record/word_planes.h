// word_planes.h: words stored as byte planes (all lowest bytes first, then the next ones), and
// differences between frames (docs/recording.md).
#pragma once

#include <stddef.h>
#include <stdint.h>

// count words of `width` (1, 2, 4 or 8) bytes, as the machine holds them; the result has the lowest
// bytes first.
void plane_pack(const void *words, size_t count, int width, unsigned char *out);
void plane_unpack(const unsigned char *plane, size_t count, int width, void *words);

// Words [frame][body] of 4 bytes to differences between frames, and back; in place.
void plane_difference(uint32_t *words, size_t frames, size_t bodies);
void plane_sum(uint32_t *words, size_t frames, size_t bodies);

// A difference of `width` bytes folded to a small number: 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
uint32_t fold(uint32_t difference, int width);
uint32_t unfold(uint32_t folded, int width);

void put32(unsigned char *at, uint32_t value);
uint32_t get32(const unsigned char *at);
