// export.h: what the formats of perp export share: the job, and files that are written by numbers.
#pragma once

#include "command.h"
#include "drawing.h"
#include "progress.h"
#include "text.h"

typedef enum export_what {
  EXPORT_BODIES, EXPORT_CONTACTS, EXPORT_STEPS, EXPORT_PARTICLES, EXPORT_CELLS, EXPORT_SURFACE
} export_what;

struct export_job;
typedef struct export_format {
  const char *name, *ending;
  const char *options;         // which of points, ascii, what, colour, detail it takes
  int one;                     // a file has one frame; otherwise all of them
  int bare;                    // numbers alone, no colours
  int (*write)(struct export_job *job);   // of one frame: job->path is its file; NULL: not of bodies
  int (*liquid)(struct export_job *job);  // the same of a liquid; NULL: not of liquids
  const char *wet;             // which of the options it takes then
} export_format;

typedef struct export_job {
  const arguments *args;
  const export_format *format;
  drawing drawing;
  char path[4096];
  int64_t first, last, stride, frames;   // frames first, first + stride, ..., last; `frames` of them
  int points, ascii;
  export_what what;
  drawing_colour colour;
  int32_t detail;              // parts of an edge of an eighth of a sphere
  progress live;
  double start;
  int64_t done, files, bytes, rows;      // frames that are done, and what was written
  int64_t triangles;           // of the surface in the last file
  int64_t untold;              // frames whose contacts were wanted and not recorded
  int64_t particles, scene;    // of a liquid: most that a frame has recorded, and its scene has
} export_job;

int export_ply(export_job *job);
int export_vtp(export_job *job);
int export_pvd(export_job *job);
int export_glb(export_job *job);
int export_csv(export_job *job);
int export_npy(export_job *job);
int export_npz(export_job *job);
int export_liquid_ply(export_job *job);
int export_liquid_csv(export_job *job);
int export_liquid_vtp(export_job *job);
int export_vti(export_job *job);
int export_liquid_pvd(export_job *job);
int export_vdb(export_job *job);
int export_surface_ply(export_job *job);
int export_surface_obj(export_job *job);

// Liquids: numbers of the frame. 0 or an exit code: the recording has what `fields` names.
int export_fields(const export_job *job, uint32_t fields);
size_t export_cells(const export_job *job);
double export_place(const export_job *job, int axis, uint32_t particle);      // 0 where it is flat
double export_velocity(const export_job *job, int axis, uint32_t particle);
double export_pressure(const export_job *job, uint32_t particle);             // of its cell

// The frames one after another: 0, or an exit code, also after Ctrl-C. The drawing is then there.
int export_frame(export_job *job, int64_t index);   // the index-th of those that are exported
double export_time(const export_job *job);          // of the frame, seconds
const record_touch *export_touches(export_job *job, uint32_t *count);   // its contacts
// Contacts of all frames that are exported; looks through them.
int export_count_touches(export_job *job, int64_t *count);
// The rows of the statistics from the first frame to the last, independent of the stride.
int64_t export_rows(const export_job *job, int64_t *first);
void export_progress(export_job *job);              // one frame more is done
// Of a body in this frame: place, orientation, velocity, spin. Static bodies rest.
void export_state(const export_job *job, int32_t body, double state[RECORD_COMPONENTS]);
double export_radius(const render_body *body);      // of the ball around it

// A file in little-endian numbers. Failures are remembered until it is closed.
typedef struct byte_file {
  file_output *file;
  int64_t bytes;
} byte_file;

int byte_file_open(byte_file *out, const char *path);
void byte_file_bytes(byte_file *out, const void *data, size_t length);
void byte_file_text(byte_file *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void byte_file_u8(byte_file *out, uint32_t value);
void byte_file_u16(byte_file *out, uint32_t value);
void byte_file_u32(byte_file *out, uint32_t value);
void byte_file_u64(byte_file *out, uint64_t value);
void byte_file_f32(byte_file *out, double value);
void byte_file_f64(byte_file *out, double value);
int byte_file_close(byte_file *out, export_job *job);   // counts the file
void byte_file_abandon(byte_file *out);

// The shortest text that is the same float, or double.
const char *byte_file_float_text(float value, text_buffer *out);
const char *byte_file_number_text(double value, text_buffer *out);
