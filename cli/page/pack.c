// pack.c: bytes as a zlib stream, packed by several threads.
//
// The bytes are cut into pieces of PIECE_BYTES. Each piece is packed by itself, with the 32 kB before
// it as its dictionary, and ends at a whole byte (Z_SYNC_FLUSH). So the packed pieces, one after the
// other, are one stream. Each thread takes the next free piece. The pieces do not depend on the
// number of threads, so neither does the stream.
#include "pack.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
  ZLIB_LEVEL = 6,              // 9: a page of a liquid is 1 % smaller and takes three times as long
  PIECE_BYTES = 1 << 20,       // packed by one thread
  WINDOW_BYTES = 1 << 15,      // before a piece, as its dictionary
  THREADS_MAX = 64,
  HEADER_BYTES = 2, TRAILER_BYTES = 4      // bytes around the pieces: RFC 1950
};

typedef struct piece {
  unsigned char *bytes;
  size_t length;
  uLong check;                 // Adler-32 of what is in it
} piece;

typedef struct packer {
  const unsigned char *data;
  size_t length, count;        // bytes, pieces
  piece *piece;                // count
  atomic_size_t next;
  atomic_int failed;
} packer;

static int pack_piece(packer *p, size_t k) {
  piece *out = &p->piece[k];
  const size_t from = k*PIECE_BYTES, left = p->length - from;
  const size_t size = left < PIECE_BYTES ? left : PIECE_BYTES;
  const uInt before = from < WINDOW_BYTES ? (uInt)from : WINDOW_BYTES;
  z_stream z = {0};
  if (deflateInit2(&z, ZLIB_LEVEL, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 1;
  const size_t room = deflateBound(&z, (uLong)size) + 16;   // 16: the end of a piece
  int code = before ? deflateSetDictionary(&z, p->data + from - before, before) : Z_OK;
  out->bytes = malloc(room);
  if (code == Z_OK && out->bytes) {
    z.next_in = (z_const Bytef *)(p->data + from);
    z.avail_in = (uInt)size;
    z.next_out = out->bytes;
    z.avail_out = (uInt)room;
    const int last = k + 1 == p->count;
    code = deflate(&z, last ? Z_FINISH : Z_SYNC_FLUSH);
    if (code == (last ? Z_STREAM_END : Z_OK) && z.avail_in == 0) {
      out->length = room - z.avail_out;
      out->check = adler32(adler32(0, NULL, 0), p->data + from, (uInt)size);
    } else {
      code = Z_BUF_ERROR;
    }
  }
  deflateEnd(&z);
  return !out->bytes || code == Z_BUF_ERROR || code == Z_STREAM_ERROR;
}

static void *work(void *argument) {
  packer *p = argument;
  for (;;) {
    const size_t k = atomic_fetch_add(&p->next, 1);
    if (k >= p->count || atomic_load(&p->failed)) return NULL;
    if (pack_piece(p, k)) atomic_store(&p->failed, 1);
  }
}

static unsigned char *join(const packer *p, size_t *packed) {
  size_t length = HEADER_BYTES + TRAILER_BYTES;
  for (size_t k = 0; k < p->count; k++) length += p->piece[k].length;
  unsigned char *out = malloc(length), *to = out;
  if (!out) return NULL;
  *to++ = 0x78;                // a window of 32 kB
  *to++ = 0x9c;                // no dictionary; the level as zlib itself says it
  uLong check = adler32(0, NULL, 0);
  for (size_t k = 0; k < p->count; k++) {
    const size_t left = p->length - k*PIECE_BYTES;
    memcpy(to, p->piece[k].bytes, p->piece[k].length);
    to += p->piece[k].length;
    const size_t size = left < PIECE_BYTES ? left : PIECE_BYTES;
    check = adler32_combine(check, p->piece[k].check, (z_off_t)size);
  }
  for (int shift = 24; shift >= 0; shift -= 8) *to++ = (unsigned char)(check >> shift);
  *packed = length;
  return out;
}

unsigned char *pack_zlib(const unsigned char *data, size_t length, int32_t threads, size_t *packed) {
  const size_t pieces = length ? (length + PIECE_BYTES - 1)/PIECE_BYTES : 1;
  packer p = {.data = data, .length = length, .count = pieces};
  pthread_t thread[THREADS_MAX];
  int32_t started = 0;
  unsigned char *out = NULL;
  p.piece = calloc(p.count, sizeof *p.piece);
  if (!p.piece) return NULL;
  for (; started < threads - 1 && started < THREADS_MAX; started++)
    if ((size_t)started + 1 >= p.count || pthread_create(&thread[started], NULL, work, &p) != 0)
      break;
  work(&p);
  for (int32_t k = 0; k < started; k++) pthread_join(thread[k], NULL);
  if (!atomic_load(&p.failed)) out = join(&p, packed);
  for (size_t k = 0; k < p.count; k++) free(p.piece[k].bytes);
  free(p.piece);
  return out;
}
