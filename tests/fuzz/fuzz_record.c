// libFuzzer entry: any bytes as a recording, as a chunk with a right check sum, or as a header.
//
// Check sums would keep a fuzzer out, so only the first of the three goes in as it is. Beyond what
// the sanitizers see: what is accepted has the promised shape, and each failure has a message.
#include "recording_head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) abort();
}

static void put32(unsigned char *at, uint32_t value) {
  for (int k = 0; k < 4; k++) at[k] = (unsigned char)(value >> 8*k);
}

static void check_chunk(const unsigned char *file, const record_index *index, int32_t k) {
  char message[256] = "";
  const record_chunk *chunk = &index->chunk[k];
  record_frames frames;
  record_steps steps;
  record_flow flow;
  record_grid grid;
  if (chunk->type == RECORD_FLOW) {
    if (record_read_flow(file, index, k, &flow, message, sizeof message)) {
      require(*message && !flow.pose);
      return;
    }
    uint64_t sum = 0;
    for (uint32_t f = 0; f < flow.frames; f++) sum += flow.count[f];
    require(flow.frames == chunk->count && sum == flow.particles);
    for (int c = 0; c < flow.dimension; c++)
      for (uint32_t i = 0; i < flow.particles; i++)
        require(flow.place[c][i]/flow.fine < flow.cells[c] && flow.velocity[c][i] >= -127);
    record_flow_free(&flow);
  } else if (chunk->type == RECORD_GRID) {
    if (record_read_grid(file, index, k, &grid, message, sizeof message)) {
      require(*message && !grid.type && !grid.surface && !grid.pressure);
      return;
    }
    const size_t cells = record_grid_cells(&grid)*grid.frames;
    for (size_t i = 0; i < cells && grid.type; i++) require(grid.type[i] <= 5);
    for (size_t i = 0; i < cells && grid.surface; i++) require(grid.surface[i] >= -127);
    for (uint32_t f = 0; f < grid.frames && grid.unit; f++) require(isfinite(grid.unit[f]));
    record_grid_free(&grid);
  } else if (chunk->type == RECORD_FRAM) {
    if (record_read_frames(file, index, k, &frames, message, sizeof message)) {
      require(*message && !frames.state);
      return;
    }
    require(frames.frames == chunk->count);
    uint64_t sum = 0;
    for (uint32_t f = 0; f < frames.frames; f++) {
      if (frames.touches[f] != RECORD_NO_TOUCHES) sum += frames.touches[f];
      for (uint32_t i = 0; i < frames.bodies; i++)
        require(isfinite(record_frame(&frames, 12, f)[i]));
    }
    require(sum == frames.touch_count);
    record_frames_free(&frames);
  } else if (chunk->type == RECORD_STEP || chunk->type == RECORD_TIME) {
    if (record_read_steps(file, index, k, &steps, message, sizeof message)) {
      require(*message && !steps.column);
      return;
    }
    require(steps.rows == chunk->count);
    record_steps_free(&steps);
  } else if (chunk->type == RECORD_SAVE && chunk->count == 0) {
    static const size_t most[] = {SIZE_MAX, 64};   // without a limit, and that of a small scene
    for (size_t m = 0; m < sizeof most/sizeof *most; m++) {
      record_bytes whole = {0};
      if (record_read_state(file, index, k, most[m], &whole, message, sizeof message))
        require(*message);
      else
        require(whole.length >= chunk->plain && whole.length < whole.room &&
                whole.length <= most[m]);
      free(whole.data);
    }
  }
}

static void read_all(const unsigned char *file, size_t length) {
  char message[256] = "";
  record_index index;
  const int code = record_scan(file, length, &index, message, sizeof message);
  require((code == RECORD_OK) == (*message == 0));
  require(index.whole <= length);
  for (int32_t k = 0; k < index.count; k++) check_chunk(file, &index, k);
  record_index_free(&index);
}

// HEAD, then the data as one chunk of the type that `kind` names: count, then what is packed. A
// FLOW of one particle stands before GRID, a STEP of one row before SAVE, and behind that its next
// part, with the same data.
static void read_forged(unsigned kind, const uint8_t *data, size_t size) {
  static const char *const types[] = {"FRAM", "STEP", "LAST", "SAVE", "FLOW", "GRID"};
  enum { TYPES = sizeof types/sizeof *types };
  static const uint8_t flow[48] = {1, [8] = 1, [12] = 2, [16] = 16, [20] = 3, [24] = 2,
                                   [28] = 1, [32] = 1};
  static const uint8_t row[16 + 8*RECORD_COLUMNS + 4] = {1, [4] = RECORD_COLUMNS};
  const char *type = types[kind % TYPES];
  const int grid = !strcmp(type, "GRID"), save = !strcmp(type, "SAVE");
  unsigned char file[16384] = RECORD_MAGIC;
  size_t length = sizeof RECORD_MAGIC - 1;
  if (size < 4 || size > 4004) return;
  uint32_t count = 0;
  for (int b = 0; b < 4; b++) count |= (uint32_t)data[b] << 8*b;
  for (int k = 0; k < 3 + save; k++) {
    unsigned char *at = file + length;
    uLongf stored = sizeof file - length - RECORD_HEADER_BYTES;
    const uint8_t *before = grid ? flow : row;
    const uint8_t *what = k == 0 ? (const uint8_t *)"{}" : k == 1 ? before : data + 4;
    const size_t plain = k == 0 ? 2 : k > 1 ? size - 4 : grid ? sizeof flow : sizeof row;
    if (k == 1 && !grid && !save) continue;
    if (compress(at + RECORD_HEADER_BYTES, &stored, what, (uLong)plain) != Z_OK) return;
    memcpy(at, k == 0 ? "HEAD" : k > 1 ? type : grid ? "FLOW" : "STEP", 4);
    put32(at + 4, (uint32_t)stored);
    put32(at + 8, (uint32_t)plain);
    put32(at + 12, 0);
    put32(at + 16, k == 0 ? 0 : k == 1 ? 1 : k == 2 ? count : count - 1);
    const uLong crc = crc32(0, at, 20);
    put32(at + 20, (uint32_t)crc32(crc, at + RECORD_HEADER_BYTES, (uInt)stored));
    length += RECORD_HEADER_BYTES + stored;
  }
  read_all(file, length);
}

static void read_head(const uint8_t *data, size_t size) {
  char message[256] = "";
  recording_head head;
  // the count of what the text may become reads every byte before the parser does
  unsigned char text[4096] = {0};
  if (size >= sizeof text) return;
  memcpy(text, data, size);
  const record_bytes plain = {.data = text, .length = size, .room = sizeof text};
  json_t *object = recording_parse(&plain, 1, NULL);
  if (!object) return;
  if (recording_head_read(object, &head, message, sizeof message)) require(*message);
  else require(head.moving <= head.bodies && head.dt > 0.0);
  recording_head_free(&head);
  json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  if (data[0] == '{') read_head(data, size);
  else if (data[0] % 2) read_forged(data[0]/2, data + 1, size - 1);
  else read_all(data + 1, size - 1);
  return 0;
}
