// recording.h: a recording NAME.perp: its header and end as JSON, its chunks through sim/record.
#pragma once

#include <jansson.h>
#include <record.h>

#include "file.h"

typedef struct recording_body {
  int32_t shape;               // as perp_shape: 0 sphere, 1 box, 2 plane, 3 hollow sphere; in
                               //   liquids also 4, a box of which all but the inside is solid
  int32_t fixed;               // 1: it is static
  int32_t material, group;
  double extent[3], offset, mass;   // mass 0: static
  double position[3], orientation[4];   // at the start
} recording_body;

// What the cells of a liquid's grid are, how it was simulated, and what of it is recorded.
typedef struct recording_fluid {
  int32_t cells[3];            // two dimensions: cells[2] = 1
  double spacing, density, flip;
  const char *walls;           // "no-slip", "slip" or "separating"
  const char *transfer;        // "flip" or "apic"
  const char *keep;            // "all" particles, or those in cells at a "surface"
  uint32_t fields;             // in GRID: RECORD_SURFACE, ...; 0: there is no GRID
  int32_t fine;                // places to a cell
} recording_fluid;

typedef struct recording_head {
  int fluid;                   // 1: a liquid, whose solids are the bodies; 0: bodies in contact
  recording_fluid liquid;
  const char *scene, *title, *command, *version, *method;
  const char *model;           // of a liquid: its walls
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
int recording_flow(const recording *what, int32_t chunk, record_flow *out);
// That of the same frames: recording_chunk() of theirs + 1, if head.liquid.fields has any.
int recording_grid(const recording *what, int32_t chunk, record_grid *out);

// How many columns the statistics have, and their names.
uint32_t recording_columns(const recording_head *head, const char *const **names);
// All rows in one: columns x room. `times` is 1 if TIME was there for all of them.
int recording_statistics(const recording *what, record_steps *out, int *times);

// The JSON of HEAD or LAST, unpacked from `stored` bytes; NULL if it is not JSON, or if it would
// take far more memory than one of ours. error may be NULL.
json_t *recording_parse(const record_bytes *plain, uint32_t stored, json_error_t *error);
json_t *recording_head_json(const recording_head *head);
// The footer of what a writer has written so far.
json_t *recording_last_json(const record_index *index, int complete, const char *reason,
                            int64_t frames, int64_t steps, int64_t unsolved, double residual);
