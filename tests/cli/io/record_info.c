// record_info.c: reads all of a recording and prints its numbers, for tests: record_info FILE, or
// record_info FILE COLUMN for the values of a column of the statistics.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "message.h"
#include "recording.h"

static int look_at_frames(const recording *what, int64_t *contacts) {
  for (int64_t f = 0; f < what->frames;) {
    uint32_t within;
    record_frames frames;
    const int32_t chunk = recording_chunk(what, f, &within);
    if (chunk < 0 || within != 0) return fail(CODE_INPUT, "frame %lld is nowhere", (long long)f);
    const int code = recording_frames(what, chunk, &frames);
    if (code) return code;
    for (uint32_t k = 0; k < frames.frames; k++) {
      for (uint32_t i = 0; i < frames.bodies; i++) {
        double square = 0.0;
        for (int c = 3; c < 7; c++) square += pow((double)record_frame(&frames, c, k)[i], 2.0);
        if (fabs(square - 1.0) > 1e-3)
          return fail(CODE_INPUT, "frame %lld: body %u is not turned, it is stretched",
                      (long long)(f + k), (unsigned)i);
      }
    }
    *contacts += frames.touch_count;
    f += frames.frames;
    record_frames_free(&frames);
  }
  return CODE_OK;
}

static int look_at_flow(const recording *what, int64_t *particles) {
  for (int64_t f = 0; f < what->frames;) {
    uint32_t within;
    record_flow flow;
    record_grid grid;
    const int32_t chunk = recording_chunk(what, f, &within);
    if (chunk < 0 || within != 0) return fail(CODE_INPUT, "frame %lld is nowhere", (long long)f);
    int code = recording_flow(what, chunk, &flow);
    if (code) return code;
    *particles += flow.particles;
    f += flow.frames;
    record_flow_free(&flow);
    if (!what->head.liquid.fields) continue;
    code = recording_grid(what, chunk + 1, &grid);
    if (code) return code;
    record_grid_free(&grid);
  }
  return CODE_OK;
}

int main(int count, char **argument) {
  recording what;
  record_steps rows;
  int64_t contacts = 0, particles = 0;
  int times = 0;
  if (count < 2) return CODE_USAGE;
  message_begin("info");
  int code = recording_open(argument[1], &what);
  if (code) return code;
  code = what.head.fluid ? look_at_flow(&what, &particles) : look_at_frames(&what, &contacts);
  if (!code) code = recording_statistics(&what, &rows, &times);
  if (!code && count == 2) {
    printf("scene %s\nframes %lld\nrows %lld\nbodies %d\nmoving %d\ncontacts %lld\npoints %lu\n"
           "complete %d\ntimes %d\ncommand %s\n", what.head.scene, (long long)what.frames,
           (long long)what.rows, (int)what.head.bodies, (int)what.head.moving,
           (long long)contacts, (unsigned long)rows.point_count, what.index.complete, times,
           what.head.command);
  }
  if (!code && count == 2 && what.head.fluid)
    printf("particles %lld\ncells %d %d %d\nfields %u\n", (long long)particles,
           (int)what.head.liquid.cells[0], (int)what.head.liquid.cells[1],
           (int)what.head.liquid.cells[2], (unsigned)what.head.liquid.fields);
  const char *const *names;
  const uint32_t columns = recording_columns(&what.head, &names);
  for (uint32_t c = 0; c < columns && !code && count > 2; c++) {
    if (strcmp(names[c], argument[2]) != 0) continue;
    for (uint32_t i = 0; i < rows.rows; i++)
      printf("%.17g\n", rows.column[(size_t)c*rows.room + i]);
  }
  if (!code) record_steps_free(&rows);
  recording_close(&what);
  return code;
}
