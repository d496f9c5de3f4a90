// record.h: NAME.perp, a stream of packed and checked chunks. docs/recording.md is the
// specification; the JSON of HEAD and LAST is the caller's.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RECORD_MAGIC "PERPREC1"

#define RECORD_TYPE_LIST(X) X(HEAD) X(FRAM) X(STEP) X(TIME) X(SAVE) X(LAST)
typedef enum record_type {
#define RECORD_X(name) RECORD_##name,
  RECORD_TYPE_LIST(RECORD_X)
#undef RECORD_X
  RECORD_TYPES
} record_type;

// The columns of STEP.
#define RECORD_COLUMN_LIST(X)                                                                   \
  X(step) X(time) X(contacts) X(rows) X(islands) X(asleep) X(unsolved) X(status) X(residual)    \
  X(iterations) X(factorizations) X(kinetic) X(potential) X(dissipated) X(penetration)          \
  X(unprojected) X(px) X(py) X(pz) X(lx) X(ly) X(lz)
typedef enum record_column {
#define RECORD_X(name) RECORD_COLUMN_##name,
  RECORD_COLUMN_LIST(RECORD_X)
#undef RECORD_X
  RECORD_COLUMNS
} record_column;
extern const char *const record_column_name[RECORD_COLUMNS];
extern const char *const record_type_name[RECORD_TYPES];

enum {
  RECORD_COMPONENTS = 13,         // x y z, qw qx qy qz, vx vy vz, wx wy wz
  RECORD_HEADER_BYTES = 24,       // of a chunk
  RECORD_PLAIN_MAX = 1 << 28,     // bytes of an unpacked chunk
  RECORD_TRACE_MAX = 32           // points of a step's trace
};
#define RECORD_NO_TOUCHES UINT32_MAX   // this frame's contacts were not recorded
enum { RECORD_UNSOLVED = 1 };          // a flag of a contact

// What the functions return: the program's exit codes.
enum { RECORD_OK = 0, RECORD_CORRUPT = 3, RECORD_IO = 6 };

typedef struct record_bytes {
  unsigned char *data;   // room
  size_t length, room;
} record_bytes;

typedef struct record_touch {   // a contact: the impulse is on a, the normal points from b to a
  uint32_t a, b, flags;
  float point[3], normal[3], gap, impulse[3];
} record_touch;

typedef struct record_frames {
  uint32_t first, frames, bodies, room;   // room: frames that fit
  float *state;                // RECORD_COMPONENTS x room x bodies
  uint32_t *touches;           // room: contacts of each frame, or RECORD_NO_TOUCHES
  record_touch *touch;         // touch_room: those of all frames, one after another
  uint32_t touch_count, touch_room;
} record_frames;

typedef struct record_point { uint32_t iteration; float residual; } record_point;   // its log10

typedef struct record_steps {
  uint32_t first, rows, room;
  double *column;              // RECORD_COLUMNS x room
  double *seconds;             // room; only TIME has them
  uint32_t *points;            // room: points of each row's trace
  record_point *point;         // point_room
  uint32_t point_count, point_room;
} record_steps;

// Frames and rows in memory. 0, or RECORD_IO: no memory. What is in them is the caller's.
int record_frames_create(uint32_t bodies, uint32_t room, record_frames *out);
float *record_frame(const record_frames *frames, int component, uint32_t frame);   // bodies
int record_frames_touch(record_frames *frames, const record_touch *touch);   // to the newest frame
void record_frames_clear(record_frames *frames, uint32_t first);
void record_frames_free(record_frames *frames);
int record_steps_create(uint32_t room, record_steps *out);
int record_steps_add(record_steps *steps, const double *row, double seconds,
                     const record_point *point, uint32_t points);   // grows
void record_steps_clear(record_steps *steps, uint32_t first);
void record_steps_free(record_steps *steps);

// Rounded to a multiple of quantum (a power of two; 0: to the nearest float).
float record_round(double value, double quantum);
// To 13 bits, and to 0 below `least`; least < 0: to the nearest float.
float record_round_bits(double value, double least);
double record_quantum(double smallest);             // the one for positions: below 1e-5 smallest

// Writing. Every chunk goes out whole: if that fails the file is cut back to the chunks before,
// and removed if not even HEAD is in it.
typedef struct record_writer record_writer;
int record_create(const char *path, record_writer **out, char *message, size_t size);
int record_write(record_writer *writer, record_type type, uint32_t first, uint32_t count,
                 const void *plain, size_t bytes, char *message, size_t size);
int record_write_frames(record_writer *writer, const record_frames *frames, char *message,
                        size_t size);
int record_write_steps(record_writer *writer, const record_steps *steps, int times,
                       char *message, size_t size);
int record_close(record_writer *writer, char *message, size_t size);   // and frees; NULL is fine

typedef struct record_chunk {
  record_type type;
  uint32_t stored, plain, first, count;
  size_t byte;                 // of its header in the file
} record_chunk;

typedef struct record_index {
  record_chunk *chunk;
  int32_t count, room;
  size_t whole;                // bytes of the file up to the end of the last whole chunk
  int complete;                // LAST is there
} record_index;

const record_index *record_written(const record_writer *writer);
// Goes on behind the first `chunks` chunks of a file and drops what comes after them.
int record_append(const char *path, const record_index *index, int32_t chunks,
                  record_writer **out, char *message, size_t size);

// Reading, from bytes in memory. The messages say "chunk 17 at byte 123: what is wrong". After
// RECORD_CORRUPT the index has the chunks before the damage; a missing end is no error.
int record_scan(const void *bytes, size_t length, record_index *out, char *message, size_t size);
void record_index_free(record_index *index);
int record_unpack(const void *bytes, const record_index *index, int32_t k, record_bytes *out,
                  char *message, size_t size);
int record_read_frames(const void *bytes, const record_index *index, int32_t k,
                       record_frames *out, char *message, size_t size);
int record_read_steps(const void *bytes, const record_index *index, int32_t k, record_steps *out,
                      char *message, size_t size);   // STEP, or TIME
