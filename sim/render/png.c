// png.c: a picture as PNG: 8 bits a channel, the filter of each row chosen by the usual rule, the
// smallest sum of absolute differences; one IDAT. The same picture gives the same bytes.
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "render.h"

static void put32(unsigned char *at, uint32_t value) {
  for (int k = 0; k < 4; k++) at[k] = (unsigned char)(value >> (24 - 8*k));
}

static unsigned char *chunk(unsigned char *at, const char *type, size_t bytes) {   // data are there
  put32(at, (uint32_t)bytes);
  memcpy(at + 4, type, 4);
  put32(at + 8 + bytes, (uint32_t)crc32(0, at + 4, (uInt)(bytes + 4)));
  return at + 12 + bytes;
}

static int paeth(int a, int b, int c) {   // the neighbour that is nearest to a + b - c
  const int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2*c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// Row y with filter 1 (left), 2 (above) or 4 (Paeth); returns the sum of absolute differences.
static long filter(const unsigned char *pixel, size_t stride, int32_t y, int kind,
                   unsigned char *out) {
  const unsigned char *row = pixel + stride*(size_t)y, *above = y > 0 ? row - stride : NULL;
  long sum = 0;
  out[0] = (unsigned char)kind;
  for (size_t k = 0; k < stride; k++) {
    const int a = k >= 3 ? row[k - 3] : 0, b = above ? above[k] : 0;
    const int c = above && k >= 3 ? above[k - 3] : 0;
    const int guess = kind == 1 ? a : kind == 2 ? b : paeth(a, b, c);
    const unsigned char left = (unsigned char)(row[k] - guess);
    out[k + 1] = left;
    sum += left < 128 ? left : 256 - left;
  }
  return sum;
}

unsigned char *render_png(const unsigned char *pixel, int32_t width, int32_t height,
                          size_t *length) {
  static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  static const int kinds[] = {1, 2, 4};
  const size_t stride = 3*(size_t)width, line = stride + 1;
  unsigned char *plain = malloc(line*((size_t)height + 1));
  const uLong bound = compressBound((uLong)(line*(size_t)height));
  unsigned char *png = malloc(bound + 100), *at = png;
  if (!plain || !png) {
    free(plain);
    free(png);
    return NULL;
  }
  unsigned char *spare = plain + line*(size_t)height;
  for (int32_t y = 0; y < height; y++) {
    unsigned char *row = plain + line*(size_t)y;
    long best = filter(pixel, stride, y, kinds[0], row);
    for (int k = 1; k < 3; k++) {
      const long sum = filter(pixel, stride, y, kinds[k], spare);
      if (sum < best) best = sum, memcpy(row, spare, line);
    }
  }
  memcpy(at, magic, sizeof magic);
  at += sizeof magic;
  put32(at + 8, (uint32_t)width);
  put32(at + 12, (uint32_t)height);
  memcpy(at + 16, (const unsigned char[]){8, 2, 0, 0, 0}, 5);   // 8 bits, RGB
  at = chunk(at, "IHDR", 13);
  at[8] = 0;                       // perceptual sRGB
  at = chunk(at, "sRGB", 1);
  uLongf packed = bound;
  const int bad = compress2(at + 8, &packed, plain, (uLong)(line*(size_t)height), 6) != Z_OK;
  at = chunk(at, "IDAT", bad ? 0 : packed);
  at = chunk(at, "IEND", 0);
  *length = (size_t)(at - png);
  free(plain);
  if (bad) free(png);
  return bad ? NULL : png;
}
