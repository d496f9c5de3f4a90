// run_record.h: what perp run writes down while it runs: frames, statistics, states to resume from.
//
// The recorder has the chunks and their order; what a frame is, film knows: that of bodies
// (run_bodies_film.c) or that of a liquid (run_liquid_film.c).
#pragma once

#include "recording.h"

typedef struct film {          // frames that are not written yet, of the world they were made for
  void *self;
  int (*add)(void *self, int64_t step);        // what is now the state; an exit code, said
  uint32_t (*frames)(const void *self);        // that wait
  int (*write)(const void *self, record_writer *writer, char *message, size_t size);
  void (*clear)(void *self, uint32_t first);
  size_t (*save)(const void *self, void *memory, size_t size);   // the exact state
  void (*destroy)(void *self);
  size_t share;                // a state is saved when the file grew by so many times its size
} film;

typedef struct recorder {      // all zero: nothing is recorded
  record_writer *writer;
  film film;
  record_steps steps;
  int64_t every, span;
  int64_t frame_count;
  int times;
  record_bytes state;          // of SAVE
} recorder;

typedef struct recorder_row {  // of STEP
  int64_t step;
  double value[RECORD_COLUMNS_MOST], seconds;
  record_point trace[RECORD_TRACE_MAX];
  uint32_t points;
} recorder_row;

extern size_t recorder_part;   // bytes of a state that go into a chunk; tests take fewer

// Frames per chunk: about 16 MB of them, at most 64.
int64_t recorder_span(double bytes, int64_t every);

// A new file with this header, or an old one from its first `chunks` chunks on. `shape` has
// film, every, span and times; the film goes to the recorder in any case. They say what is wrong.
int recorder_create(const char *path, const char *head, const recording_head *about,
                    const recorder *shape, recorder *out);
int recorder_append(const char *path, const record_index *index, int32_t chunks,
                    const recording_head *about, const recorder *shape, recorder *out);
void recorder_free(recorder *what);

// After a step (or before the first): its row, its frame where one is due, and chunks when they are
// full.
int recorder_step(recorder *what, const recorder_row *row);
// The step of the last saved state, which is what --resume goes on from; 0: there is none.
int64_t recorder_saved(const recorder *what);
// What is left, and the end of the file.
int recorder_end(recorder *what, int complete, const char *reason, int64_t steps,
                 int64_t unsolved, double residual);
