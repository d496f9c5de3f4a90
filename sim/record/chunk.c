// chunk.c: chunks from bytes: their headers, check sums and order, and what is packed in them.
#include "chunk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "frames.h"
#include "word_planes.h"

enum {
  CRC_AT = 20,                 // of the header
  MAGIC_BYTES = sizeof RECORD_MAGIC - 1,
  DEFLATE_RATIO_MAX = 1032,                // bytes that deflate makes of one byte, at most
  // HEAD and LAST are JSON, which takes many times its length in memory once it is understood. The
  // headers of our largest scenes unpack to 31 times what is stored up to 0.7 MB (wall, 10000 bricks)
  // and to 3.2 times beyond (hopper, box).
  TEXT_BYTES_FREE = 1 << 21,   // of JSON, however small it is stored,
  TEXT_RATIO_MAX = 8          // and so much more for each stored byte
};

const char *const record_type_name[RECORD_TYPES] = {
#define RECORD_X(name) #name,
  RECORD_TYPE_LIST(RECORD_X)
#undef RECORD_X
};

static uint32_t check_sum(const unsigned char *header, uint32_t stored) {
  const uLong crc = crc32(crc32(0, NULL, 0), header, CRC_AT);
  return (uint32_t)crc32(crc, header + RECORD_HEADER_BYTES, stored);
}

void chunk_header(record_chunk *chunk, unsigned char *at) {
  memcpy(at, record_type_name[chunk->type], 4);
  put32(at + 4, chunk->stored);
  put32(at + 8, chunk->plain);
  put32(at + 12, chunk->first);
  put32(at + 16, chunk->count);
  chunk->crc = check_sum(at, chunk->stored);
  put32(at + CRC_AT, chunk->crc);
}

int index_add(record_index *index, const record_chunk *chunk) {
  if (index->count == index->room) {
    const int32_t room = 2*index->room + 64;
    record_chunk *grown = realloc(index->chunk, (size_t)room*sizeof *grown);
    if (!grown) return RECORD_IO;
    index->chunk = grown;
    index->room = room;
  }
  index->chunk[index->count++] = *chunk;
  index->whole = chunk->byte + RECORD_HEADER_BYTES + chunk->stored;
  return RECORD_OK;
}

void record_index_free(record_index *index) {
  free(index->chunk);
  *index = (record_index){0};
}

__attribute__((format(printf, 5, 6)))
static int corrupt(int32_t k, size_t byte, char *message, size_t size, const char *format, ...) {
  char text[256];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  snprintf(message, size, "chunk %d at byte %zu: %s", (int)k + 1, byte, text);
  return RECORD_CORRUPT;
}

// What has gone before, as far as the order of chunks depends on it.
typedef struct order {
  record_type last;
  int64_t frame, row;          // step of the newest frame and row; -1: none yet
  uint32_t first, count;       // of the newest STEP
  uint32_t frames;             // of the newest FRAM or FLOW
  uint32_t parts;              // of the newest state that are still to come
  record_type kind;            // FRAM or FLOW, once one was there; HEAD: none yet
  int anywhere;                // the first row may be of any step: there was none yet
} order;

static const char *out_of_order(order *seen, const record_chunk *chunk, int32_t k) {
  const record_type last = seen->last;
  const int64_t first = chunk->first;
  if (k == 0 && chunk->type != RECORD_HEAD) return "the first chunk is not HEAD";
  if (k > 0 && chunk->type == RECORD_HEAD) return "a second HEAD";
  if (last == RECORD_FRAM && chunk->type != RECORD_STEP) return "FRAM without its STEP";
  if (last == RECORD_GRID && chunk->type != RECORD_STEP) return "GRID without its STEP";
  if (last == RECORD_FLOW && chunk->type != RECORD_STEP && chunk->type != RECORD_GRID)
    return "FLOW without its STEP";
  if (seen->parts > 0 && chunk->type != RECORD_SAVE) return "SAVE without its other parts";
  seen->last = chunk->type;
  switch (chunk->type) {
    case RECORD_FRAM:
    case RECORD_FLOW:
      if (seen->kind != RECORD_HEAD && chunk->type != seen->kind)
        return "frames of bodies and of liquid in one file";
      if (first <= seen->frame || chunk->count == 0) return "frames out of order";
      seen->kind = chunk->type;
      seen->frame = first;
      seen->frames = chunk->count;
      return NULL;
    case RECORD_GRID:
      if (last != RECORD_FLOW || first != seen->frame || chunk->count != seen->frames)
        return "GRID without its FLOW";
      return NULL;
    case RECORD_STEP:
      if ((first != seen->row + 1 && !seen->anywhere) || chunk->count == 0)
        return "rows out of order";
      seen->anywhere = 0;
      seen->row = first + chunk->count - 1;
      seen->first = chunk->first;
      seen->count = chunk->count;
      return NULL;
    case RECORD_TIME:
      if (last != RECORD_STEP || chunk->first != seen->first || chunk->count != seen->count)
        return "TIME without its STEP";
      return NULL;
    case RECORD_SAVE:
      if ((first != seen->row && !seen->anywhere) || (last == RECORD_SAVE && seen->parts == 0))
        return "SAVE is not of the step before it";
      seen->row = first;
      seen->anywhere = 0;
      if (last == RECORD_SAVE && chunk->count != seen->parts - 1)
        return "the parts of SAVE are out of order";
      seen->parts = chunk->count;
      return NULL;
    default:
      return chunk->first || chunk->count ? "first and count are not 0" : NULL;
  }
}

// The least number of bytes that `count` frames or rows take. A chunk with fewer bytes is refused.
static uint64_t least_bytes(const record_chunk *chunk) {
  switch (chunk->type) {
    case RECORD_FRAM: return 16 + 4*(uint64_t)chunk->count;
    case RECORD_FLOW: return 32 + 8*(uint64_t)chunk->count;
    case RECORD_GRID: return 32 + (uint64_t)chunk->count;
    case RECORD_STEP: return 16 + (8*RECORD_COLUMNS + 4)*(uint64_t)chunk->count;
    case RECORD_TIME: return 16 + 8*(uint64_t)chunk->count;
    default: return 0;
  }
}

static int read_type(const unsigned char *at, record_type *type) {
  for (int i = 0; i < RECORD_TYPES; i++) {
    if (memcmp(at, record_type_name[i], 4) != 0) continue;
    *type = (record_type)i;
    return 1;
  }
  return 0;
}

static int scan(const void *bytes, size_t length, const char *magic, order seen, record_index *out,
                char *message, size_t size) {
  const unsigned char *data = bytes;
  *out = (record_index){0};
  if (size > 0) *message = 0;
  if (length < MAGIC_BYTES || memcmp(data, magic, MAGIC_BYTES) != 0) {
    snprintf(message, size, "this is not a recording: it does not begin with %s", magic);
    return RECORD_CORRUPT;
  }
  out->whole = MAGIC_BYTES;
  while (length - out->whole >= RECORD_HEADER_BYTES) {
    const unsigned char *at = data + out->whole;
    const int32_t k = out->count;
    record_chunk chunk = {.stored = get32(at + 4), .plain = get32(at + 8),
                          .first = get32(at + 12), .count = get32(at + 16), .byte = out->whole};
    if (out->complete) return corrupt(k, chunk.byte, message, size, "LAST is not the last chunk");
    if (!read_type(at, &chunk.type))
      return corrupt(k, chunk.byte, message, size, "%02x%02x%02x%02x is no type of a chunk", at[0],
                     at[1], at[2], at[3]);
    if (chunk.plain > RECORD_PLAIN_MAX || chunk.plain > (uint64_t)DEFLATE_RATIO_MAX*chunk.stored)
      return corrupt(k, chunk.byte, message, size, "%lu stored bytes cannot be %lu unpacked",
                     (unsigned long)chunk.stored, (unsigned long)chunk.plain);
    if ((chunk.type == RECORD_HEAD || chunk.type == RECORD_LAST) &&
        chunk.plain > TEXT_BYTES_FREE + (uint64_t)TEXT_RATIO_MAX*chunk.stored)
      return corrupt(k, chunk.byte, message, size, "%s of %lu bytes, stored in %lu, is no header of "
                     "ours", record_type_name[chunk.type], (unsigned long)chunk.plain,
                     (unsigned long)chunk.stored);
    if (chunk.stored > length - out->whole - RECORD_HEADER_BYTES) break;   // the end is missing
    const uint32_t crc = chunk.crc = check_sum(at, chunk.stored);
    if (crc != get32(at + CRC_AT))
      return corrupt(k, chunk.byte, message, size, "the check sum is %08lx, not %08lx",
                     (unsigned long)crc, (unsigned long)get32(at + CRC_AT));
    if (chunk.plain < least_bytes(&chunk))
      return corrupt(k, chunk.byte, message, size, "%lu entries do not fit into %lu bytes",
                     (unsigned long)chunk.count, (unsigned long)chunk.plain);
    const char *trouble = out_of_order(&seen, &chunk, k);
    if (trouble) return corrupt(k, chunk.byte, message, size, "%s", trouble);
    if (index_add(out, &chunk) != RECORD_OK) {
      snprintf(message, size, "out of memory");
      return RECORD_IO;
    }
    out->complete = chunk.type == RECORD_LAST;
  }
  if (out->complete && out->whole < length)
    return corrupt(out->count, out->whole, message, size, "LAST is not the last chunk");
  if (out->count > 0) return RECORD_OK;
  snprintf(message, size, "the recording has no whole header");
  return RECORD_CORRUPT;
}

int record_scan(const void *bytes, size_t length, record_index *out, char *message, size_t size) {
  return scan(bytes, length, RECORD_MAGIC, (order){.frame = -1, .row = -1}, out, message, size);
}

int record_scan_state(const void *bytes, size_t length, record_index *out, char *message,
                      size_t size) {
  return scan(bytes, length, RECORD_STATE_MAGIC, (order){.frame = -1, .row = -1, .anywhere = 1},
              out, message, size);
}

// `out` has room for the chunk's plain bytes.
static int unpack(const void *bytes, const record_index *index, int32_t k, unsigned char *out,
                  char *message, size_t size) {
  const record_chunk *chunk = &index->chunk[k];
  uLongf plain = chunk->plain;
  uLong stored = chunk->stored;
  const unsigned char *at = (const unsigned char *)bytes + chunk->byte + RECORD_HEADER_BYTES;
  const int code = uncompress2(out, &plain, at, &stored);
  if (code == Z_MEM_ERROR) {
    snprintf(message, size, "out of memory while unpacking");
    return RECORD_IO;
  }
  if (code != Z_OK || plain != chunk->plain || stored != chunk->stored)
    return corrupt(k, chunk->byte, message, size, "%s does not unpack to %lu bytes",
                   record_type_name[chunk->type], (unsigned long)chunk->plain);
  return RECORD_OK;
}

int record_unpack(const void *bytes, const record_index *index, int32_t k, record_bytes *out,
                  char *message, size_t size) {
  const record_chunk *chunk = &index->chunk[k];
  if (bytes_reserve(out, (size_t)chunk->plain + 1) != RECORD_OK) {
    snprintf(message, size, "out of memory for a chunk of %lu bytes", (unsigned long)chunk->plain);
    return RECORD_IO;
  }
  out->length = chunk->plain;
  return unpack(bytes, index, k, out->data, message, size);
}

// The first bytes of a chunk, without unpacking the rest; those that are missing are 0.
int record_peek(const void *bytes, const record_index *index, int32_t k, unsigned char out[RECORD_PEEK]) {
  const record_chunk *chunk = &index->chunk[k];
  z_stream stream = {.next_in = NULL};
  memset(out, 0, RECORD_PEEK);
  if (inflateInit(&stream) != Z_OK) return RECORD_IO;
  stream.next_in = (Bytef *)((const unsigned char *)bytes + chunk->byte + RECORD_HEADER_BYTES);
  stream.avail_in = chunk->stored;
  stream.next_out = out;
  stream.avail_out = RECORD_PEEK;
  const int status = inflate(&stream, Z_SYNC_FLUSH);
  inflateEnd(&stream);
  return status == Z_MEM_ERROR ? RECORD_IO : RECORD_OK;
}

uint32_t record_word(const unsigned char *peeked, int k) { return get32(peeked + 4*k); }

int record_read_state(const void *bytes, const record_index *index, int32_t k, size_t most,
                      record_bytes *out, char *message, size_t size) {
  const record_chunk *chunk = index->chunk;
  int32_t first = k;
  uint64_t total = chunk[k].plain;
  for (; first > 0 && chunk[first - 1].type == RECORD_SAVE; first--)
    total += chunk[first - 1].plain;
  if (total > most)
    return corrupt(k, chunk[k].byte, message, size, "a state of %llu bytes; this scene has one of "
                   "at most %zu", (unsigned long long)total, most);
  if (total >= SIZE_MAX || bytes_reserve(out, (size_t)total + 1) != RECORD_OK) {
    snprintf(message, size, "out of memory for a state of %llu bytes", (unsigned long long)total);
    return RECORD_IO;
  }
  unsigned char *at = out->data;
  out->length = (size_t)total;
  for (; first <= k; first++) {
    const int code = unpack(bytes, index, first, at, message, size);
    if (code) return code;
    at += chunk[first].plain;
  }
  return RECORD_OK;
}

static int rows_decode(const record_bytes *plain, const record_chunk *chunk, record_steps *out,
                       char *message, size_t size) {
  return (chunk->type == RECORD_TIME ? times_decode : steps_decode)(plain, chunk, out, message,
                                                                    size);
}

int record_check(const void *bytes, const record_index *index, int32_t k, char *message,
                 size_t size) {
  static int (*const checks[RECORD_TYPES])(const record_bytes *, const record_chunk *, char *,
                                           size_t) = {
      [RECORD_FRAM] = frames_check, [RECORD_FLOW] = flow_check, [RECORD_GRID] = grid_check,
      [RECORD_STEP] = steps_check, [RECORD_TIME] = steps_check};
  const record_chunk *chunk = &index->chunk[k];
  unsigned char peeked[RECORD_PEEK];
  char text[256] = "out of memory";
  const record_bytes start = {.data = peeked, .length = chunk->plain};
  if (!checks[chunk->type]) return RECORD_OK;
  int code = record_peek(bytes, index, k, peeked);
  if (!code) code = checks[chunk->type](&start, chunk, text, sizeof text);
  if (code) (void)corrupt(k, chunk->byte, message, size, "%s", text);
  return code;
}

#define READER(name, type, decode)                                                              \
  int record_read_##name(const void *bytes, const record_index *index, int32_t k, type *out,     \
                         char *message, size_t size) {                                           \
    record_bytes plain = {0};                                                                    \
    char text[256] = "out of memory";                                                            \
    *out = (type){0};                                                                            \
    int code = record_check(bytes, index, k, message, size);                                     \
    if (!code) code = record_unpack(bytes, index, k, &plain, message, size);                     \
    if (!code) {                                                                                 \
      code = decode(&plain, &index->chunk[k], out, text, sizeof text);                           \
      if (code) (void)corrupt(k, index->chunk[k].byte, message, size, "%s", text);               \
    }                                                                                            \
    free(plain.data);                                                                            \
    return code;                                                                                 \
  }
READER(frames, record_frames, frames_decode)
READER(flow, record_flow, flow_decode)
READER(grid, record_grid, grid_decode)
READER(steps, record_steps, rows_decode)
