// run_record.h: what perp run writes down while it runs: frames, statistics, states to resume from.
//
// The recorder decides which chunks are written and when. A film knows what a frame holds: there is
// one for bodies (run_bodies_film.c) and one for liquids (run_liquid_film.c).
//
// States are saved in two places. At the end of a span, a state goes into the recording if the
// recording has grown enough to carry it. These states depend on the scene alone, so the recording
// has the same bytes however often the run was interrupted. In between, the newest state goes into
// NAME.perp.state (run_state.c), every few seconds and when a signal asks the run to end.
#pragma once

#include "recording.h"

typedef struct film {          // frames that are not written yet, of the world they were made for
  void *self;
  int (*add)(void *self, int64_t step);        // what is now the state; an exit code, said
  uint32_t (*frames)(const void *self);        // that wait
  int (*write)(const void *self, record_writer *writer, char *message, size_t size);
  // Takes the frames of chunk k, which was written before, among those that wait. Chunks that hold
  // no frames are passed over.
  int (*restore)(void *self, const void *bytes, const record_index *index, int32_t k,
                 char *message, size_t size);
  void (*clear)(void *self, uint32_t first);
  size_t (*save)(const void *self, void *memory, size_t size);   // the exact state
  void (*destroy)(void *self);
} film;

typedef struct recorder {      // all zero: nothing is recorded
  record_writer *writer;
  film film;
  record_steps steps;
  int32_t settled;             // chunks of the recording: its whole spans, and their states
  int64_t every, span;
  size_t share;                // the recording has a state when it grew by this many times its size
  int64_t frame_count;
  int times;
  record_bytes state;          // after `step`: what --resume can go on from
  int64_t step;
  char *side;                  // NAME.perp.state; NULL: the recording is no file
  int64_t side_step;           // of the state in it; -1: there is none
  double save_every;           // seconds of work that a crash may cost
  double saved_at;             // progress_now() when the newest saved state was made
  double stepped_at;           // and when the newest step ended
  double save_seconds;         // that the last writing of a state took
  int side_failed;             // it was said that states cannot be written
  int64_t saved;               // once the recording has ended: recorder_saved()
} recorder;

typedef struct recorder_row {  // of STEP
  int64_t step;
  double value[RECORD_COLUMNS_MAX], seconds;
  record_point trace[RECORD_TRACE_MAX];
  uint32_t points;
  double stages[32];           // not recorded: how long the stages of a liquid's step took
} recorder_row;

extern size_t recorder_part;   // bytes of a state that go into a chunk; tests take fewer

// Frames per chunk: about 16 MB of them, at most 64.
int64_t recorder_span(double bytes, int64_t every);

// A new file with this header, or an old one behind all of its chunks. `shape` has film, every,
// span, share, times and save_every; the film goes to the recorder in any case. They say what is wrong.
int recorder_create(const char *path, const char *head, const recording_head *about,
                    const recorder *shape, recorder *out);
int recorder_append(const char *path, const record_index *index, const recording_head *about,
                    const recorder *shape, recorder *out);
void recorder_free(recorder *what);

// To go on from a state: the first `chunks` chunks of the recording stay, and the frames and rows
// of chunks [from, to) of a file wait to be written once more, with others, as a whole span.
// recorder_keep() sees to it that the state is in a place that stays, and recorder_cut() then drops
// the other chunks of the recording.
typedef enum state_at { STATE_IN_TAIL, STATE_IN_RECORDING, STATE_BESIDE } state_at;
int recorder_restore(recorder *what, int32_t chunks, const void *bytes, const record_index *index,
                     int32_t from, int32_t to, int64_t step);   // step: of the state
int recorder_keep(recorder *what, int64_t step, state_at where);
int recorder_cut(recorder *what, int32_t chunks);

// After a step (or before the first): its row, its frame where one is due, and chunks when they are
// full.
int recorder_step(recorder *what, const recorder_row *row);
// The step of the newest saved state, which is what --resume goes on from; 0: there is none.
int64_t recorder_saved(const recorder *what);
// Whether the state that ends with chunk k, a SAVE with count 0, is one that an uninterrupted run
// saves, too; if not, whether the span before it is whole or still short.
typedef enum record_fit { RECORD_FIT_REGULAR, RECORD_FIT_WHOLE, RECORD_FIT_SHORT } record_fit;
record_fit recorder_fit(const recorder *shape, const record_index *index, int32_t k);
// Writes the remaining frames and rows, and the end of the file. An incomplete run also leaves its
// newest state in the file.
int recorder_end(recorder *what, int complete, const char *reason, int64_t steps,
                 int64_t unsolved, double residual);
// After the recording could not be written: the newest state into NAME.perp.state, if that can be.
void recorder_rescue(recorder *what);

// run_state.c: NAME.perp.state, a file with the newest state and the frames and rows that wait.
char *state_path(const char *path);   // free it; NULL: no memory
int state_write(const recorder *what, char *message, size_t size);
void state_remove(const char *side);
// Whether the state file belongs to the recording, and behind which of its chunks: their number.
// 0: it does not.
int32_t state_place(const void *bytes, const record_index *state, const record_index *recording);
