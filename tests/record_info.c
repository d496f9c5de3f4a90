// record_info.c: reads all of a recording and prints its numbers, for tests: record_info FILE, or
// record_info FILE COLUMN for the values of a column of the statistics.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../cli/message.h"
#include "../cli/recording.h"

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

int main(int count, char **argument) {
  recording what;
  record_steps rows;
  int64_t contacts = 0;
  int times = 0;
  if (count < 2) return CODE_USAGE;
  message_begin("info");
  int code = recording_open(argument[1], &what);
  if (code) return code;
  code = look_at_frames(&what, &contacts);
  if (!code) code = recording_statistics(&what, &rows, &times);
  if (!code && count == 2) {
    printf("scene %s\nframes %lld\nrows %lld\nbodies %d\nmoving %d\ncontacts %lld\npoints %lu\n"
           "complete %d\ntimes %d\ncommand %s\n", what.head.scene, (long long)what.frames,
           (long long)what.rows, (int)what.head.bodies, (int)what.head.moving,
           (long long)contacts, (unsigned long)rows.point_count, what.index.complete, times,
           what.head.command);
  }
  for (int c = 0; c < RECORD_COLUMNS && !code && count > 2; c++) {
    if (strcmp(record_column_name[c], argument[2]) != 0) continue;
    for (uint32_t i = 0; i < rows.rows; i++)
      printf("%.17g\n", rows.column[(size_t)c*rows.room + i]);
  }
  if (!code) record_steps_free(&rows);
  recording_close(&what);
  return code;
}
