// byte_planes.h: whole numbers as bytes that pack well, and packed bytes as text (docs/player.md).
//
// A plane of words of k bytes has the lowest bytes of all words first, then the next ones.
// Differences are folded: 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ...
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct planes {
  unsigned char *data;   // room
  size_t length, room;
  int failed;            // memory ran out; what comes later does nothing
} planes;

void planes_bytes(planes *out, const void *bytes, size_t count);
void planes_words(planes *out, const uint32_t *word, size_t count, int width);
void planes_number(planes *out, size_t value);   // seven bits a byte, the lowest first

// Differences to the word before; the words are lost.
void planes_chain(planes *out, uint32_t *word, size_t count);

// Words [frame][body] as differences to the frame before (order 1) or to the straight line through
// the two frames before (order 2), modulo 2^(8 width); the words are lost.
void planes_motion(planes *out, uint32_t *word, size_t frames, size_t bodies, int width, int order);

uint32_t planes_fold(uint32_t difference, int width);

// The planes as base64 of a zlib stream, without a NUL; NULL: no memory. The text does not depend on
// the number of threads.
char *planes_text(const planes *what, size_t *length, int32_t threads);
void planes_free(planes *what);
