// steps.c: STEP and TIME: a row of statistics per step, with the trace of its residual.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "word_planes.h"

enum { STEPS_HEADER = 16 };   // bytes before the rows

const char *const record_column_name[RECORD_COLUMNS] = {
#define RECORD_X(name) #name,
  RECORD_COLUMN_LIST(RECORD_X)
#undef RECORD_X
};

const char *const record_fluid_name[RECORD_FLUID_COLUMNS] = {
#define RECORD_X(name) #name,
  RECORD_FLUID_LIST(RECORD_X)
#undef RECORD_X
};

int record_steps_create(uint32_t columns, uint32_t room, record_steps *out) {
  *out = (record_steps){.columns = columns, .room = room};
  out->column = calloc((size_t)columns*room + 1, sizeof *out->column);
  out->seconds = calloc((size_t)room + 1, sizeof *out->seconds);
  out->points = calloc((size_t)room + 1, sizeof *out->points);
  if (out->column && out->seconds && out->points) return RECORD_OK;
  record_steps_free(out);
  return RECORD_IO;
}

static int grow(record_steps *steps) {
  record_steps larger;
  if (record_steps_create(steps->columns, 2*steps->room + 64, &larger) != RECORD_OK)
    return RECORD_IO;
  for (size_t c = 0; c < steps->columns; c++)
    memcpy(larger.column + c*larger.room, steps->column + c*steps->room,
           steps->rows*sizeof *larger.column);
  memcpy(larger.seconds, steps->seconds, steps->rows*sizeof *larger.seconds);
  memcpy(larger.points, steps->points, steps->rows*sizeof *larger.points);
  larger.first = steps->first;
  larger.rows = steps->rows;
  larger.point = steps->point;
  larger.point_count = steps->point_count;
  larger.point_room = steps->point_room;
  steps->point = NULL;
  record_steps_free(steps);
  *steps = larger;
  return RECORD_OK;
}

int record_steps_add(record_steps *steps, const double *row, double seconds,
                     const record_point *point, uint32_t points) {
  if (points > RECORD_TRACE_MAX) points = RECORD_TRACE_MAX;
  if (steps->rows == steps->room && grow(steps) != RECORD_OK) return RECORD_IO;
  if (steps->point_count + points > steps->point_room) {
    const uint32_t room = 2*steps->point_room + RECORD_TRACE_MAX;
    record_point *grown = realloc(steps->point, (size_t)room*sizeof *grown);
    if (!grown) return RECORD_IO;
    steps->point = grown;
    steps->point_room = room;
  }
  for (size_t c = 0; c < steps->columns; c++) steps->column[c*steps->room + steps->rows] = row[c];
  steps->seconds[steps->rows] = seconds;
  steps->points[steps->rows++] = points;
  for (uint32_t k = 0; k < points; k++) steps->point[steps->point_count++] = point[k];
  return RECORD_OK;
}

int record_steps_append(record_steps *to, const record_steps *from, const record_steps *times) {
  if (from->columns != to->columns || (times && times->rows != from->rows)) return RECORD_CORRUPT;
  const record_point *point = from->point;
  for (uint32_t i = 0; i < from->rows; i++) {
    double row[RECORD_COLUMNS_MAX];
    for (size_t c = 0; c < from->columns; c++) row[c] = from->column[c*from->room + i];
    if (record_steps_add(to, row, times ? times->seconds[i] : 0.0, point, from->points[i]))
      return RECORD_IO;
    point += from->points[i];
  }
  return RECORD_OK;
}

void record_steps_clear(record_steps *steps, uint32_t first) {
  steps->first = first;
  steps->rows = steps->point_count = 0;
}

void record_steps_free(record_steps *steps) {
  free(steps->column);
  free(steps->seconds);
  free(steps->points);
  free(steps->point);
  *steps = (record_steps){0};
}

static size_t steps_bytes(uint64_t columns, uint64_t rows, uint64_t points) {
  return (size_t)(STEPS_HEADER + 8*columns*rows + 4*rows + 8*points);
}

int steps_encode(const record_steps *steps, record_bytes *out) {
  const size_t points = steps->point_count;
  uint32_t *words = malloc(points*sizeof *words + 4);
  if (!words || bytes_reserve(out, steps_bytes(steps->columns, steps->rows, points)) != RECORD_OK) {
    free(words);
    return RECORD_IO;
  }
  unsigned char *at = out->data;
  put32(at, steps->rows);
  put32(at + 4, steps->columns);
  put32(at + 8, steps->point_count);
  put32(at + 12, 0);
  at += STEPS_HEADER;
  for (size_t c = 0; c < steps->columns; c++, at += 8*(size_t)steps->rows)
    plane_pack(steps->column + c*steps->room, steps->rows, 8, at);
  for (uint32_t i = 0; i < steps->rows; i++, at += 4) put32(at, steps->points[i]);
  for (size_t k = 0; k < points; k++) words[k] = steps->point[k].iteration;
  plane_pack(words, points, 4, at);
  for (size_t k = 0; k < points; k++) memcpy(&words[k], &steps->point[k].residual, 4);
  plane_pack(words, points, 4, at + 4*points);
  free(words);
  return RECORD_OK;
}

int times_encode(const record_steps *steps, record_bytes *out) {
  if (bytes_reserve(out, STEPS_HEADER + 8*(size_t)steps->rows) != RECORD_OK) return RECORD_IO;
  memset(out->data, 0, STEPS_HEADER);
  put32(out->data, steps->rows);
  plane_pack(steps->seconds, steps->rows, 8, out->data + STEPS_HEADER);
  return RECORD_OK;
}

// The header's numbers against the size of the data; *rows and *points are then safe to allocate.
static int check_sizes(const record_bytes *plain, const record_chunk *chunk, uint32_t *rows,
                       uint32_t *points, char *message, size_t size) {
  const char *type = record_type_name[chunk->type];
  const int times = chunk->type == RECORD_TIME;
  if (plain->length < STEPS_HEADER) {
    snprintf(message, size, "%s has only %zu bytes", type, plain->length);
    return RECORD_CORRUPT;
  }
  *rows = get32(plain->data);
  *points = get32(plain->data + 8);
  const uint32_t columns = get32(plain->data + 4);
  const int known = times ? columns == 0
                          : columns == RECORD_COLUMNS || columns == RECORD_FLUID_COLUMNS;
  const uint64_t bytes = times ? STEPS_HEADER + 8*(uint64_t)*rows
                               : steps_bytes(known ? columns : 0, *rows, *points);
  if (*rows != chunk->count) {
    snprintf(message, size, "%s has %lu rows, its header says %lu", type, (unsigned long)*rows,
             (unsigned long)chunk->count);
  } else if (get32(plain->data + 12) != 0) {
    snprintf(message, size, "%s has %lu in place of a 0", type,
             (unsigned long)get32(plain->data + 12));
  } else if (times && *points != 0) {
    snprintf(message, size, "%s has %lu points, not 0", type, (unsigned long)*points);
  } else if (!known) {
    char expected[32] = "0";
    if (!times)
      snprintf(expected, sizeof expected, "%d or %d", RECORD_COLUMNS, RECORD_FLUID_COLUMNS);
    snprintf(message, size, "%s has %lu columns, not %s", type, (unsigned long)columns, expected);
  } else if (*points > RECORD_TRACE_MAX*(uint64_t)*rows) {
    snprintf(message, size, "%s has %lu points in %lu rows, more than %d in each", type,
             (unsigned long)*points, (unsigned long)*rows, RECORD_TRACE_MAX);
  } else if (bytes != plain->length) {
    snprintf(message, size, "%s of %lu rows and %lu points does not have %zu bytes", type,
             (unsigned long)*rows, (unsigned long)*points, plain->length);
  } else {
    return RECORD_OK;
  }
  return RECORD_CORRUPT;
}

int steps_check(const record_bytes *plain, const record_chunk *chunk, char *message, size_t size) {
  uint32_t rows, points;
  return check_sizes(plain, chunk, &rows, &points, message, size);
}

int times_decode(const record_bytes *plain, const record_chunk *chunk, record_steps *out,
                 char *message, size_t size) {
  uint32_t rows, points;
  *out = (record_steps){0};
  const int code = check_sizes(plain, chunk, &rows, &points, message, size);
  if (code) return code;
  if (record_steps_create(0, rows, out) != RECORD_OK) return RECORD_IO;
  out->first = chunk->first;
  out->rows = rows;
  plane_unpack(plain->data + STEPS_HEADER, rows, 8, out->seconds);
  return RECORD_OK;
}

static int traces_decode(const unsigned char *at, uint32_t points, record_steps *out,
                         char *message, size_t size) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < out->rows; i++, at += 4) {
    sum += out->points[i] = get32(at);
    if (out->points[i] <= RECORD_TRACE_MAX) continue;
    snprintf(message, size, "row %lu has %lu points, more than %d", (unsigned long)i,
             (unsigned long)out->points[i], RECORD_TRACE_MAX);
    return RECORD_CORRUPT;
  }
  if (sum != points) {
    snprintf(message, size, "the points of the rows add up to %llu, not %lu",
             (unsigned long long)sum, (unsigned long)points);
    return RECORD_CORRUPT;
  }
  out->point = malloc((size_t)points*sizeof *out->point + 1);
  uint32_t *words = malloc((size_t)points*sizeof *words + 4);
  if (!out->point || !words) {
    free(words);
    return RECORD_IO;
  }
  out->point_count = out->point_room = points;
  plane_unpack(at, points, 4, words);
  for (size_t k = 0; k < points; k++) out->point[k].iteration = words[k];
  plane_unpack(at + 4*(size_t)points, points, 4, words);
  for (size_t k = 0; k < points; k++) memcpy(&out->point[k].residual, &words[k], 4);
  free(words);
  for (size_t k = 0; k < points; k++) {
    if (isfinite(out->point[k].residual)) continue;
    snprintf(message, size, "point %zu of the traces is not finite", k);
    return RECORD_CORRUPT;
  }
  return RECORD_OK;
}

int steps_decode(const record_bytes *plain, const record_chunk *chunk, record_steps *out,
                 char *message, size_t size) {
  uint32_t rows, points;
  *out = (record_steps){0};
  int code = check_sizes(plain, chunk, &rows, &points, message, size);
  if (code) return code;
  const uint32_t columns = get32(plain->data + 4);
  if (record_steps_create(columns, rows, out) != RECORD_OK) return RECORD_IO;
  out->first = chunk->first;
  out->rows = rows;
  const unsigned char *at = plain->data + STEPS_HEADER;
  for (size_t c = 0; c < columns; c++, at += 8*(size_t)rows)
    plane_unpack(at, rows, 8, out->column + c*rows);
  for (size_t i = 0; i < (size_t)columns*rows && !code; i++) {
    if (isfinite(out->column[i])) continue;
    const char *const *name = columns == RECORD_COLUMNS ? record_column_name : record_fluid_name;
    snprintf(message, size, "column %s of row %zu is not finite", name[i/rows], i % rows);
    code = RECORD_CORRUPT;
  }
  for (uint32_t i = 0; i < rows && !code; i++) {
    if (out->column[i] == (double)chunk->first + i) continue;
    snprintf(message, size, "row %lu is of step %g, not %.0f", (unsigned long)i, out->column[i],
             (double)chunk->first + i);
    code = RECORD_CORRUPT;
  }
  if (!code) code = traces_decode(at, points, out, message, size);
  if (code) record_steps_free(out);
  return code;
}
