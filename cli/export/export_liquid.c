// export_liquid.c: particles of a liquid as PLY, its particles, cells and steps as tables.
#include <math.h>
#include <string.h>

#include "export.h"

// ----------------------------------------------------------------------------------------- numbers

int export_fields(const export_job *job, uint32_t fields) {
  const recording *file = &job->drawing.recording;
  if ((file->head.liquid.fields & fields) == fields) return CODE_OK;
  return fail(CODE_INPUT, "%s has no %s: 'perp run --fields all' records them", file->path,
              file->head.liquid.fields ? "types and pressures of cells" : "grid");
}

size_t export_cells(const export_job *job) {
  const int32_t *n = job->drawing.recording.head.liquid.cells;
  return (size_t)n[0]*(size_t)n[1]*(size_t)n[2];
}

double export_place(const export_job *job, int axis, uint32_t p) {
  const recording_head *head = &job->drawing.recording.head;
  return axis < head->dimension ? liquid_place(head, job->drawing.wet.place[axis][p]) : 0.0;
}

double export_velocity(const export_job *job, int axis, uint32_t p) {
  const liquid_frame *frame = &job->drawing.wet;
  return axis < job->drawing.recording.head.dimension
             ? record_velocity(frame->top, frame->velocity[axis][p]) : 0.0;
}

double export_pressure(const export_job *job, uint32_t p) {
  const liquid_frame *frame = &job->drawing.wet;
  return frame->unit*frame->pressure[liquid_cell(&job->drawing.recording.head, frame, p)];
}

// --------------------------------------------------------------------------------------------- PLY

static void put_float(byte_file *out, int ascii, double value, const char *end) {
  text_buffer text;
  if (ascii) byte_file_text(out, "%s%s", byte_file_float_text((float)value, &text), end);
  else byte_file_f32(out, value);
}

int export_liquid_ply(export_job *job) {
  const drawing *from = &job->drawing;
  const recording_head *head = &from->recording.head;
  const int ascii = job->ascii, wet = from->wet.pressure != NULL;
  byte_file file, *out = &file;
  text_buffer text;
  const int code = byte_file_open(out, job->path);
  if (code) return code;
  byte_file_text(out, "ply\nformat %s 1.0\n", ascii ? "ascii" : "binary_little_endian");
  byte_file_text(out, "comment perp %s: scene %.200s, frame %lld, time %s s\n", perp_version(),
                 head->scene, (long long)from->frame, byte_file_number_text(export_time(job),
                                                                            &text));
  byte_file_text(out, "element vertex %lu\n", (unsigned long)from->wet.count);
  byte_file_text(out, "property float x\nproperty float y\nproperty float z\nproperty float vx\n"
                 "property float vy\nproperty float vz\n%sproperty uchar red\n"
                 "property uchar green\nproperty uchar blue\nend_header\n",
                 wet ? "property float pressure\n" : "");
  for (uint32_t p = 0; p < from->wet.count; p++) {
    for (int c = 0; c < 3; c++) put_float(out, ascii, export_place(job, c, p), " ");
    for (int c = 0; c < 3; c++) put_float(out, ascii, export_velocity(job, c, p), " ");
    if (wet) put_float(out, ascii, export_pressure(job, p), " ");
    const float *colour = from->palette[lrint(255.0*(double)from->value[p])];
    for (int c = 0; c < 3; c++) {
      const uint32_t level = (uint32_t)lrint(255.0*fmin((double)colour[c], 1.0));
      if (ascii) byte_file_text(out, "%lu%s", (unsigned long)level, c < 2 ? " " : "\n");
      else byte_file_u8(out, level);
    }
  }
  return byte_file_close(out, job);
}

// ------------------------------------------------------------------------------------------ tables

static void put_particles(export_job *job, byte_file *out, const char *start) {
  const liquid_frame *frame = &job->drawing.wet;
  const int axes = job->drawing.recording.head.dimension;
  for (uint32_t p = 0; p < frame->count; p++) {
    text_buffer text;
    byte_file_text(out, "%s", start);
    for (int c = 0; c < axes; c++)
      byte_file_text(out, ",%s", byte_file_float_text((float)export_place(job, c, p), &text));
    for (int c = 0; c < axes; c++)
      byte_file_text(out, ",%s", byte_file_float_text((float)export_velocity(job, c, p), &text));
    if (frame->pressure)
      byte_file_text(out, ",%s", byte_file_float_text((float)export_pressure(job, p), &text));
    byte_file_text(out, "\n");
    job->rows++;
  }
}

// Cells of the liquid.
static void put_cells(export_job *job, byte_file *out, const char *start) {
  const liquid_frame *frame = &job->drawing.wet;
  const recording_head *head = &job->drawing.recording.head;
  const size_t nx = (size_t)head->liquid.cells[0], ny = (size_t)head->liquid.cells[1];
  for (size_t i = 0; i < export_cells(job); i++) {
    text_buffer text;
    if ((frame->type[i] & RECORD_CELL_TYPE) != 1) continue;
    byte_file_text(out, "%s,%zu,%zu,%zu,%s,%d\n", start, i % nx, i/nx % ny, i/nx/ny,
                   byte_file_float_text((float)(frame->unit*frame->pressure[i]), &text),
                   (frame->type[i] & RECORD_CELL_SEPARATING) != 0);
    job->rows++;
  }
}

static int put_steps(export_job *job, byte_file *out) {
  const record_steps *steps = &job->drawing.statistics;
  const char *const *names;
  const uint32_t columns = recording_columns(&job->drawing.recording.head, &names);
  int64_t first;
  job->rows = export_rows(job, &first);
  for (uint32_t c = 0; c < columns; c++) byte_file_text(out, "%s%s", c ? "," : "", names[c]);
  byte_file_text(out, "%s\n", job->drawing.times ? ",seconds" : "");
  for (int64_t r = first; r < first + job->rows; r++) {
    text_buffer text;
    for (size_t c = 0; c < columns; c++)
      byte_file_text(out, "%s%s", c ? "," : "",
                     byte_file_number_text(steps->column[c*steps->room + (size_t)r], &text));
    if (job->drawing.times) byte_file_text(out, ",%s", byte_file_number_text(steps->seconds[r],
                                                                             &text));
    byte_file_text(out, "\n");
  }
  return CODE_OK;
}

static void put_head(export_job *job, byte_file *out) {
  const recording_head *head = &job->drawing.recording.head;
  const int flat = head->dimension == 2, wet = (head->liquid.fields & RECORD_PRESSURE) != 0;
  if (job->what == EXPORT_CELLS) byte_file_text(out, "frame,time,i,j,k,pressure,separating\n");
  else
    byte_file_text(out, "frame,time,x,y%s,vx,vy%s%s\n", flat ? "" : ",z", flat ? "" : ",vz",
                   wet ? ",pressure" : "");
}

int export_liquid_csv(export_job *job) {
  const int cells = job->what == EXPORT_CELLS;
  byte_file out;
  int code = cells ? export_fields(job, RECORD_TYPES_OF_CELLS | RECORD_PRESSURE) : CODE_OK;
  if (!code) code = byte_file_open(&out, job->path);
  if (code) return code;
  if (job->what == EXPORT_STEPS) put_steps(job, &out);
  else put_head(job, &out);
  for (int64_t k = 0; k < job->frames && !code && job->what != EXPORT_STEPS; k++) {
    char start[64];
    text_buffer time;
    code = export_frame(job, k);
    if (code) break;
    snprintf(start, sizeof start, "%lld,%s", (long long)job->drawing.frame,
             byte_file_number_text(export_time(job), &time));
    if (cells) put_cells(job, &out, start);
    else put_particles(job, &out, start);
    export_progress(job);
  }
  if (!code) return byte_file_close(&out, job);
  byte_file_abandon(&out);
  return code;
}
