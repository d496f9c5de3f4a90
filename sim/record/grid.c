// grid.c: GRID: what the cells of a liquid's grid hold, in some frames.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "word_planes.h"

enum {
  GRID_HEADER = 32,            // bytes before the fields
  ALL_FIELDS = RECORD_TYPES_OF_CELLS | RECORD_SURFACE | RECORD_PRESSURE,
  PRESSURE_STEPS = 2047,            // steps up to the largest pressure: 12 bits with the sign
  CELL_TYPES = 3                    // solid, liquid, air
};

size_t record_grid_cells(const record_grid *grid) {
  return (size_t)grid->cells[0]*(size_t)grid->cells[1]*(size_t)grid->cells[2];
}

int record_grid_create(const int32_t cells[3], uint32_t fields, uint32_t room, record_grid *out) {
  *out = (record_grid){.room = room, .fields = fields, .cells = {cells[0], cells[1], cells[2]}};
  const size_t count = record_grid_cells(out)*room;
  if (fields & RECORD_TYPES_OF_CELLS) out->type = calloc(count + 1, sizeof *out->type);
  if (fields & RECORD_SURFACE) out->surface = calloc(count + 1, sizeof *out->surface);
  if (fields & RECORD_PRESSURE) out->pressure = calloc(count + 1, sizeof *out->pressure);
  if (fields & RECORD_PRESSURE) out->unit = calloc((size_t)room + 1, sizeof *out->unit);
  if ((out->type || !(fields & RECORD_TYPES_OF_CELLS)) &&
      (out->surface || !(fields & RECORD_SURFACE)) &&
      ((out->pressure && out->unit) || !(fields & RECORD_PRESSURE)))
    return RECORD_OK;
  record_grid_free(out);
  return RECORD_IO;
}

int record_grid_append(record_grid *to, const record_grid *from) {
  if (from->fields != to->fields || memcmp(from->cells, to->cells, sizeof to->cells) != 0 ||
      from->frames > to->room - to->frames)
    return RECORD_CORRUPT;
  const size_t cells = record_grid_cells(to), at = cells*to->frames, count = cells*from->frames;
  if (to->type) memcpy(to->type + at, from->type, count);
  if (to->surface) memcpy(to->surface + at, from->surface, count);
  if (to->pressure) memcpy(to->pressure + at, from->pressure, count*sizeof *to->pressure);
  if (to->unit) memcpy(to->unit + to->frames, from->unit, from->frames*sizeof *to->unit);
  to->frames += from->frames;
  return RECORD_OK;
}

void record_grid_clear(record_grid *grid, uint32_t first) {
  grid->first = first;
  grid->frames = 0;
}

void record_grid_free(record_grid *grid) {
  free(grid->type);
  free(grid->surface);
  free(grid->pressure);
  free(grid->unit);
  *grid = (record_grid){0};
}

static void add_pressure(record_grid *grid, const double *pressure, size_t cells, int16_t *out) {
  double top = 0.0;
  for (size_t i = 0; i < cells; i++)
    if (isfinite(pressure[i])) top = fmax(top, fabs(pressure[i]));
  const float unit = (float)(fmin(top, 1e30)/PRESSURE_STEPS);
  grid->unit[grid->frames] = unit;
  for (size_t i = 0; i < cells; i++) {
    const double words = unit > 0.0f && isfinite(pressure[i]) ? pressure[i]/(double)unit : 0.0;
    out[i] = (int16_t)rint(fmin(fmax(words, -PRESSURE_STEPS), PRESSURE_STEPS));
  }
}

void record_grid_add(record_grid *grid, const uint8_t *type, const uint8_t *separating,
                     const double *surface, double spacing, const double *pressure) {
  const size_t cells = record_grid_cells(grid), at = cells*grid->frames;
  for (size_t i = 0; i < cells && grid->type; i++)
    grid->type[at + i] = (uint8_t)(type[i] | (type[i] == 1 && separating[i]
                                                  ? RECORD_CELL_SEPARATING : 0));
  for (size_t i = 0; i < cells && grid->surface; i++) {
    const double words = rint(surface[i]/spacing*RECORD_SURFACE_UNIT);
    grid->surface[at + i] = (int8_t)fmin(fmax(words, -127.0), 127.0);
  }
  if (grid->pressure) add_pressure(grid, pressure, cells, grid->pressure + at);
  grid->frames++;
}

static uint64_t grid_bytes(uint64_t cells, uint32_t fields, uint64_t frames) {
  uint64_t bytes = GRID_HEADER;
  if (fields & RECORD_TYPES_OF_CELLS) bytes += frames*cells;
  if (fields & RECORD_SURFACE) bytes += frames*cells;
  if (fields & RECORD_PRESSURE) bytes += frames*(4 + 2*cells);
  return bytes;
}

int grid_encode(const record_grid *grid, record_bytes *out) {
  const size_t cells = record_grid_cells(grid), count = cells*grid->frames;
  if (bytes_reserve(out, grid_bytes(cells, grid->fields, grid->frames)) != RECORD_OK)
    return RECORD_IO;
  unsigned char *at = out->data;
  memset(at, 0, GRID_HEADER);
  put32(at, grid->frames);
  for (int c = 0; c < 3; c++) put32(at + 4 + 4*c, (uint32_t)grid->cells[c]);
  put32(at + 16, grid->fields);
  at += GRID_HEADER;
  if (grid->type) memcpy(at, grid->type, count), at += count;
  if (grid->surface) memcpy(at, grid->surface, count), at += count;
  if (!grid->pressure) return RECORD_OK;
  for (uint32_t f = 0; f < grid->frames; f++, at += 4) {
    uint32_t word;
    memcpy(&word, &grid->unit[f], 4);
    put32(at, word);
  }
  for (size_t i = 0; i < count; i++) {
    const uint32_t now = (uint32_t)grid->pressure[i];
    const uint32_t before = i % cells > 0 ? (uint32_t)grid->pressure[i - 1] : 0;
    const uint32_t word = fold(now - before, 2);
    at[i] = (unsigned char)word;
    at[count + i] = (unsigned char)(word >> 8);
  }
  return RECORD_OK;
}

// ---------------------------------------------------------------------------------------- reading

static int types_decode(const unsigned char *at, record_grid *out, char *message, size_t size) {
  const size_t cells = record_grid_cells(out), count = cells*out->frames;
  memcpy(out->type, at, count);
  for (size_t i = 0; i < count; i++) {
    const int type = at[i] & RECORD_CELL_TYPE, flags = at[i] - type;
    if (type < CELL_TYPES && (flags == 0 || (flags == RECORD_CELL_SEPARATING && type == 1))) continue;
    snprintf(message, size, "cell %zu of frame %zu has type %d", i % cells, i/cells, at[i]);
    return RECORD_CORRUPT;
  }
  return RECORD_OK;
}

static int surface_decode(const unsigned char *at, record_grid *out, char *message, size_t size) {
  const size_t count = record_grid_cells(out)*out->frames;
  memcpy(out->surface, at, count);
  if (!memchr(at, 128, count)) return RECORD_OK;
  snprintf(message, size, "a distance of the surface is -128");
  return RECORD_CORRUPT;
}

static int pressure_decode(const unsigned char *at, record_grid *out, char *message, size_t size) {
  const size_t cells = record_grid_cells(out), count = cells*out->frames;
  for (uint32_t f = 0; f < out->frames; f++, at += 4) {
    const uint32_t word = get32(at);
    memcpy(&out->unit[f], &word, 4);
    if (isfinite(out->unit[f]) && out->unit[f] >= 0.0f) continue;
    snprintf(message, size, "the unit of pressure of frame %lu is %g", (unsigned long)f,
             (double)out->unit[f]);
    return RECORD_CORRUPT;
  }
  uint32_t value = 0;
  for (size_t i = 0; i < count; i++) {
    if (i % cells == 0) value = 0;
    value = (value + unfold(at[i] | (uint32_t)at[count + i] << 8, 2)) & 65535;
    out->pressure[i] = (int16_t)(value < 32768 ? (int)value : (int)value - 65536);
  }
  return RECORD_OK;
}

int grid_check(const record_bytes *plain, const record_chunk *chunk, char *message, size_t size) {
  if (plain->length < GRID_HEADER) {
    snprintf(message, size, "GRID has only %zu bytes", plain->length);
    return RECORD_CORRUPT;
  }
  uint32_t word[GRID_HEADER/4];
  for (int k = 0; k < GRID_HEADER/4; k++) word[k] = get32(plain->data + 4*k);
  const uint32_t frames = word[0], fields = word[4];
  if (frames != chunk->count) {
    snprintf(message, size, "GRID has %lu frames, its header says %lu", (unsigned long)frames,
             (unsigned long)chunk->count);
    return RECORD_CORRUPT;
  }
  if (word[5] || word[6] || word[7]) {
    snprintf(message, size, "GRID has %lu, %lu, %lu in place of zeros", (unsigned long)word[5],
             (unsigned long)word[6], (unsigned long)word[7]);
    return RECORD_CORRUPT;
  }
  int good = fields > 0 && fields <= ALL_FIELDS;
  for (int c = 0; c < 3; c++) good = good && word[1 + c] > 0 && word[1 + c] <= RECORD_PLACES;
  const uint64_t cells = good ? (uint64_t)word[1]*word[2]*word[3] : 0;
  // frames < 2^28 and cells < 2^28: the sizes are exact in 64 bits
  if (!good || cells > RECORD_PLAIN_MAX || frames > RECORD_PLAIN_MAX ||
      grid_bytes(cells, fields, frames) != plain->length) {
    snprintf(message, size, "GRID of %lu frames, %lu x %lu x %lu cells and fields %lu does not "
             "have %zu bytes", (unsigned long)frames, (unsigned long)word[1],
             (unsigned long)word[2], (unsigned long)word[3], (unsigned long)fields, plain->length);
    return RECORD_CORRUPT;
  }
  return RECORD_OK;
}

int grid_decode(const record_bytes *plain, const record_chunk *chunk, record_grid *out,
                char *message, size_t size) {
  *out = (record_grid){0};
  int code = grid_check(plain, chunk, message, size);
  if (code) return code;
  uint32_t word[GRID_HEADER/4];
  for (int k = 0; k < GRID_HEADER/4; k++) word[k] = get32(plain->data + 4*k);
  const uint32_t frames = word[0], fields = word[4];
  const uint64_t cells = (uint64_t)word[1]*word[2]*word[3];
  const int32_t size_of[3] = {(int32_t)word[1], (int32_t)word[2], (int32_t)word[3]};
  if (record_grid_create(size_of, fields, frames, out) != RECORD_OK) return RECORD_IO;
  out->first = chunk->first;
  out->frames = frames;
  const unsigned char *at = plain->data + GRID_HEADER;
  if (out->type) {
    code = types_decode(at, out, message, size);
    at += (size_t)cells*frames;
  }
  if (!code && out->surface) {
    code = surface_decode(at, out, message, size);
    at += (size_t)cells*frames;
  }
  if (!code && out->pressure) code = pressure_decode(at, out, message, size);
  if (code) record_grid_free(out);
  return code;
}
