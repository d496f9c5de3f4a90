// recording.h: a recording NAME.perp: its header and end as JSON, its chunks through sim/record.
#pragma once

#include <jansson.h>
#include <record.h>

#include "file.h"

typedef struct recording_body {
  int32_t shape;               // as perp_shape: 0 sphere, 1 box, 2 plane, 3 hollow sphere
  int32_t fixed;               // 1: it is static
  int32_t material, group;
  double extent[3], offset, mass;   // mass 0: static
  double position[3], orientation[4];   // at the start
} recording_body;

typedef struct recording_head {
  const char *scene, *title, *command, *version, *method, *model;
  const char *seed;            // digits
  double dt, tol;
  int32_t dimension;
  int64_t steps, every, span;  // planned steps, steps per frame, frames per chunk
  double gravity[3], center[3], radius;   // the ball that holds what is worth seeing
  int32_t bodies, moving;
  recording_body *body;        // bodies
  int32_t *mover;              // moving: which bodies those are
  const char **materials, **groups;   // NULL-terminated
  json_t *arguments;           // array of strings
  json_t *parameters;          // object
} recording_head;

typedef struct recording {
  char path[4096];
  file_text file;
  record_index index;
  recording_head head;
  json_t *json;                // what head's strings and arrays belong to
  int64_t frames, rows;        // rows: steps 0 ... rows - 1
} recording;

// Reads the header, and checks all chunks; says what is wrong, and warns if the end is missing.
// 0 or an exit code. "-" is the standard input.
int recording_open(const char *path, recording *out);
void recording_close(recording *what);

// The file to write: `given`, or a.perp with another ending. 0: it does not fit.
int recording_output(const char *given, const char *from, const char *ending, char *out,
                     size_t size);

// The chunk that has a frame, and the frame's number in it; -1: there is none.
int32_t recording_chunk(const recording *what, int64_t frame, uint32_t *within);

// Frames or rows of a chunk, checked against the header; say what is wrong.
int recording_frames(const recording *what, int32_t chunk, record_frames *out);
int recording_steps(const recording *what, int32_t chunk, record_steps *out);   // STEP or TIME

// All rows in one: RECORD_COLUMNS x room. `times` is 1 if TIME was there for all of them.
int recording_statistics(const recording *what, record_steps *out, int *times);

json_t *recording_head_json(const recording_head *head);
// The footer of what a writer has written so far.
json_t *recording_last_json(const record_index *index, int complete, const char *reason,
                            int64_t frames, int64_t steps, int64_t unsolved, double residual);
