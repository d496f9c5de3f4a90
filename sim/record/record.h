// record.h: NAME.perp, a stream of packed and checked chunks. docs/recording.md is the
// specification; the JSON of HEAD and LAST is the caller's.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RECORD_MAGIC "PERPREC1"
#define RECORD_STATE_MAGIC "PERPSAV1"   // of NAME.perp.state, the newest state of a run

#define RECORD_TYPE_LIST(X)                                                                     \
  X(HEAD) X(FRAM) X(FLOW) X(GRID) X(STEP) X(TIME) X(SAVE) X(LAST)
typedef enum record_type {
#define RECORD_X(name) RECORD_##name,
  RECORD_TYPE_LIST(RECORD_X)
#undef RECORD_X
  RECORD_TYPES
} record_type;

// The columns of STEP for rigid bodies.
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

// The columns of STEP for a liquid: perp_fluid_report.
#define RECORD_FLUID_LIST(X)                                                                    \
  X(step) X(time) X(substeps) X(liquid) X(complementary) X(separating) X(components)            \
  X(particles) X(added) X(removed) X(solved) X(unsolved) X(status) X(residual) X(newton)        \
  X(inner) X(divergence) X(courant) X(volume) X(poured) X(kinetic) X(potential) X(px) X(py)     \
  X(pz)
typedef enum record_fluid {
#define RECORD_X(name) RECORD_FLUID_##name,
  RECORD_FLUID_LIST(RECORD_X)
#undef RECORD_X
  RECORD_FLUID_COLUMNS
} record_fluid;
extern const char *const record_fluid_name[RECORD_FLUID_COLUMNS];
extern const char *const record_type_name[RECORD_TYPES];

enum {
  RECORD_COMPONENTS = 13,         // x y z, qw qx qy qz, vx vy vz, wx wy wz
  RECORD_HEADER_BYTES = 24,       // of a chunk
  RECORD_PLAIN_MAX = 1 << 28,     // bytes of an unpacked chunk
  RECORD_PEEK = 32,               // bytes that begin frames and rows: how many of what follows
  RECORD_TRACE_MAX = 32,          // points of a step's trace
  RECORD_COLUMNS_MAX = 32,       // of a row of STEP, of bodies or a liquid
  RECORD_POSE = 7,                // of a solid that moves in a liquid: x y z, qw qx qy qz
  RECORD_PLACES = 1 << 16,        // of a particle along an axis
  RECORD_SPEEDS = 127             // of a component of a velocity, in each direction
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

// Particles: their order has no meaning, a frame has its own. A place counts from 0 at the lower
// end of the grid, with `fine` of them to a cell.
typedef struct record_flow {
  uint32_t first, frames, bodies, room;   // room: frames that fit; bodies: solids that move
  int32_t dimension, cells[3], fine;      // two dimensions: cells[2] = 1
  float *pose;                 // RECORD_POSE x room x bodies
  uint32_t *count;             // room: particles of each frame
  float *top;                  // room: the largest component of a velocity
  uint16_t *place[3];          // particle_room: of all frames; place[2] NULL in two dimensions
  int8_t *velocity[3];         // particle_room
  uint32_t particles, particle_room;
} record_flow;

// Which fields of the grid are there.
enum { RECORD_TYPES_OF_CELLS = 1, RECORD_SURFACE = 2, RECORD_PRESSURE = 4 };
enum { RECORD_CELL_TYPE = 3, RECORD_CELL_SEPARATING = 4, RECORD_SURFACE_UNIT = 64 };
typedef struct record_grid {   // cell (i, j, k) is at (k ny + j) nx + i
  uint32_t first, frames, room;
  int32_t cells[3];
  uint32_t fields;             // those of the arrays below that are not NULL
  uint8_t *type;               // room x cells: perp_cell, + RECORD_CELL_SEPARATING
  int8_t *surface;             // room x cells: distance of the liquid in cells/RECORD_SURFACE_UNIT
  int16_t *pressure;           // room x cells: in units of
  float *unit;                 // room
} record_grid;

typedef struct record_point { uint32_t iteration; float residual; } record_point;   // its log10

typedef struct record_steps {
  uint32_t first, rows, room;
  uint32_t columns;            // RECORD_COLUMNS or RECORD_FLUID_COLUMNS; of TIME 0
  double *column;              // columns x room
  double *seconds;             // room; only TIME has them
  uint32_t *points;            // room: points of each row's trace
  record_point *point;         // point_room
  uint32_t point_count, point_room;
} record_steps;

// Frames and rows in memory. 0, or RECORD_IO: no memory. The caller fills them.
int record_frames_create(uint32_t bodies, uint32_t room, record_frames *out);
float *record_frame(const record_frames *frames, int component, uint32_t frame);   // bodies
int record_frames_touch(record_frames *frames, const record_touch *touch);   // to the newest frame
// Appends all of `from`, read back from a file, to `to`. RECORD_CORRUPT: its shape differs, or
// there is no room.
int record_frames_append(record_frames *to, const record_frames *from);
void record_frames_clear(record_frames *frames, uint32_t first);
void record_frames_free(record_frames *frames);
int record_steps_create(uint32_t columns, uint32_t room, record_steps *out);
int record_steps_add(record_steps *steps, const double *row, double seconds,
                     const record_point *point, uint32_t points);   // grows
// The same for rows; `times` (NULL: none) has their seconds.
int record_steps_append(record_steps *to, const record_steps *from, const record_steps *times);
void record_steps_clear(record_steps *steps, uint32_t first);
void record_steps_free(record_steps *steps);

// Places per cell: the largest power of two up to `wanted` that fits into 16 bits; 0: there is
// none.
int32_t record_fine(const int32_t cells[3], int32_t wanted);
// `like` has bodies, dimension, cells and fine.
int record_flow_create(const record_flow *like, uint32_t room, record_flow *out);
float *record_pose(const record_flow *flow, int component, uint32_t frame);   // bodies
// Adds a frame of particles, rounded and sorted. keep: 1 for those to record; NULL: all.
int record_flow_add(record_flow *flow, int64_t particles, const double *const x[3],
                    const double *const v[3], double spacing, const uint8_t *keep);
uint32_t record_flow_start(const record_flow *flow, uint32_t frame);   // its first particle
double record_velocity(double top, int8_t velocity);
int record_flow_append(record_flow *to, const record_flow *from);   // as record_frames_append()
void record_flow_clear(record_flow *flow, uint32_t first);
void record_flow_free(record_flow *flow);
int record_grid_create(const int32_t cells[3], uint32_t fields, uint32_t room, record_grid *out);
// Adds a frame of fields; those that are not recorded may be NULL.
void record_grid_add(record_grid *grid, const uint8_t *type, const uint8_t *separating,
                     const double *surface, double spacing, const double *pressure);
size_t record_grid_cells(const record_grid *grid);
int record_grid_append(record_grid *to, const record_grid *from);   // as record_frames_append()
void record_grid_clear(record_grid *grid, uint32_t first);
void record_grid_free(record_grid *grid);

// Rounded to a multiple of quantum (a power of two; 0: to the nearest float).
float record_round(double value, double quantum);
// To 13 bits, and to 0 below `least`; least < 0: to the nearest float.
float record_round_bits(double value, double least);
double record_quantum(double smallest);             // the quantum for positions: below 1e-5 smallest

// Writing. Every chunk is written whole. If that fails, the file is cut back to the chunks before,
// and removed if it does not even have HEAD.
typedef struct record_writer record_writer;
int record_busy(const char *path);   // 1: another program is writing it
int record_create(const char *path, record_writer **out, char *message, size_t size);
// A file of a state: HEAD, the chunks of a span that is not whole yet, and SAVE. Packing takes less
// time and yields more bytes.
int record_create_state(const char *path, record_writer **out, char *message, size_t size);
int record_write(record_writer *writer, record_type type, uint32_t first, uint32_t count,
                 const void *plain, size_t bytes, char *message, size_t size);
int record_write_frames(record_writer *writer, const record_frames *frames, char *message,
                        size_t size);
int record_write_flow(record_writer *writer, const record_flow *flow, char *message, size_t size);
int record_write_grid(record_writer *writer, const record_grid *grid, char *message, size_t size);
int record_write_steps(record_writer *writer, const record_steps *steps, int times,
                       char *message, size_t size);
// Writes a state of any size in chunks of at most `part` bytes, which is at most RECORD_PLAIN_MAX.
int record_write_state(record_writer *writer, uint32_t step, const void *state, size_t bytes,
                       size_t part, char *message, size_t size);
int record_close(record_writer *writer, char *message, size_t size);   // and frees; NULL is fine

typedef struct record_chunk {
  record_type type;
  uint32_t stored, plain, first, count;
  size_t byte;                 // of its header in the file
  uint32_t crc;                // its check sum
} record_chunk;

typedef struct record_index {
  record_chunk *chunk;
  int32_t count, room;
  size_t whole;                // bytes of the file up to the end of the last whole chunk
  int complete;                // 1: the file has LAST
} record_index;

const record_index *record_written(const record_writer *writer);
// Continues a file after its first `chunks` chunks and drops the others.
int record_append(const char *path, const record_index *index, int32_t chunks,
                  record_writer **out, char *message, size_t size);
// Drops all but the first `chunks` chunks.
int record_cut(record_writer *writer, int32_t chunks, char *message, size_t size);
int record_is_regular(const record_writer *writer);   // 1: a file, not a pipe or a device

// Reading, from bytes in memory. The messages say "chunk 17 at byte 123: what is wrong". After
// RECORD_CORRUPT the index has the chunks before the damage; a missing end is no error.
int record_scan(const void *bytes, size_t length, record_index *out, char *message, size_t size);
// The same for a file that record_create_state() began: its rows begin at any step.
int record_scan_state(const void *bytes, size_t length, record_index *out, char *message,
                      size_t size);
void record_index_free(record_index *index);
int record_unpack(const void *bytes, const record_index *index, int32_t k, record_bytes *out,
                  char *message, size_t size);
// Unpacks only the first bytes of a chunk. record_word(): the k-th word of them.
int record_peek(const void *bytes, const record_index *index, int32_t k,
                unsigned char out[RECORD_PEEK]);
uint32_t record_word(const unsigned char *peeked, int k);
// Checks before unpacking that the first bytes of frames or rows agree with the size of the chunk.
// Other chunks pass.
int record_check(const void *bytes, const record_index *index, int32_t k, char *message,
                 size_t size);
// Reads the state that ends with chunk k, a SAVE with count = 0. A state of more than `most` bytes
// is not unpacked.
int record_read_state(const void *bytes, const record_index *index, int32_t k, size_t most,
                      record_bytes *out, char *message, size_t size);
int record_read_frames(const void *bytes, const record_index *index, int32_t k,
                       record_frames *out, char *message, size_t size);
int record_read_flow(const void *bytes, const record_index *index, int32_t k, record_flow *out,
                     char *message, size_t size);
int record_read_grid(const void *bytes, const record_index *index, int32_t k, record_grid *out,
                     char *message, size_t size);
int record_read_steps(const void *bytes, const record_index *index, int32_t k, record_steps *out,
                      char *message, size_t size);   // STEP, or TIME
