// export_npy.c: arrays for NumPy: one as .npy, or all of them in an .npz, a ZIP file of .npy files.
//
// A .npy is the magic, the version, the length of a header, the header as a Python dictionary,
// padded to a multiple of 64 bytes, and the numbers, in C order.
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "export.h"

typedef struct array {
  char type[768];              // as NumPy writes it: '<f4', or a list of fields
  char shape[64];              // "3, 4, 13"
} array;

typedef struct member {        // of the ZIP file
  char name[32];
  uint32_t check;
  uint64_t begin, bytes;
} member;

enum { MEMBERS_MAX = 10, HEADER_BYTES_MAX = 1024 };   // arrays of an .npz; bytes before an array

typedef struct packer {
  export_job *job;
  byte_file out;
  member member[MEMBERS_MAX];
  int members;
  uLong check;
  unsigned char *line;         // bytes of one element or of one frame
  size_t used, room;
} packer;

// ----------------------------------------------------------------------------------------- numbers

static void flush(packer *p) {
  if (p->members > 0) p->check = crc32(p->check, p->line, (uInt)p->used);
  byte_file_bytes(&p->out, p->line, p->used);
  p->used = 0;
}

static void put(packer *p, uint64_t word, int bytes) {
  if (p->used + 8 > p->room) flush(p);
  for (int k = 0; k < bytes; k++) p->line[p->used++] = (unsigned char)(word >> 8*k);
}

static void put_float(packer *p, float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  put(p, word, 4);
}

static void put_double(packer *p, double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  put(p, word, 8);
}

// The dictionary ends with a line feed.
static size_t describe(const array *a, char header[HEADER_BYTES_MAX]) {
  const int length = snprintf(header, HEADER_BYTES_MAX, "{'descr': %s, 'fortran_order': False, "
                                              "'shape': (%s), }", a->type, a->shape);
  const size_t padded = ((size_t)length + 1 + 10 + 63)/64*64 - 10;
  memset(header + length, ' ', padded - (size_t)length);
  header[padded - 1] = '\n';
  return padded;
}

static void put_head(packer *p, const array *a) {
  char header[HEADER_BYTES_MAX];
  const size_t length = describe(a, header);
  static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  for (size_t k = 0; k < sizeof magic; k++) put(p, magic[k], 1);
  put(p, length, 2);
  for (size_t k = 0; k < length; k++) put(p, (unsigned char)header[k], 1);
}

// -------------------------------------------------------------------------------------- the arrays

typedef struct source {
  const char *name;
  int (*describe)(packer *p, array *a);
  int (*write)(packer *p);
} source;

static int64_t moving(const packer *p) { return p->job->drawing.recording.head.moving; }

static int describe_frame(packer *p, array *a) {
  *a = (array){.type = "'<i8'"};
  snprintf(a->shape, sizeof a->shape, "%lld,", (long long)p->job->frames);
  return CODE_OK;
}

static int write_frame(packer *p) {
  for (int64_t k = 0; k < p->job->frames; k++)
    put(p, (uint64_t)(p->job->first + k*p->job->stride), 8);
  return CODE_OK;
}

static int describe_time(packer *p, array *a) {
  describe_frame(p, a);
  strcpy(a->type, "'<f8'");
  return CODE_OK;
}

static int write_time(packer *p) {
  const export_job *job = p->job;
  for (int64_t k = 0; k < job->frames; k++)
    put_double(p, (double)(job->first + k*job->stride)*drawing_interval(&job->drawing));
  return CODE_OK;
}

static int describe_state(packer *p, array *a) {
  *a = (array){.type = "'<f4'"};
  snprintf(a->shape, sizeof a->shape, "%lld, %lld, %d", (long long)p->job->frames,
           (long long)moving(p), RECORD_COMPONENTS);
  return CODE_OK;
}

static int write_state(packer *p) {
  export_job *job = p->job;
  for (int64_t f = 0; f < job->frames; f++) {
    const int code = export_frame(job, f);
    if (code) return code;
    for (int64_t i = 0; i < moving(p); i++) {
      for (int c = 0; c < RECORD_COMPONENTS; c++)
        put_float(p, record_frame(job->drawing.now, c, job->drawing.within)[i]);
    }
    export_progress(job);
  }
  return CODE_OK;
}

static int describe_bodies(packer *p, array *a) {
  const recording_head *head = &p->job->drawing.recording.head;
  *a = (array){.type = "[('shape', '<i4'), ('fixed', '<i4'), ('group', '<i4'), "
                       "('material', '<i4'), ('extent', '<f8', (3,)), ('offset', '<f8'), "
                       "('mass', '<f8'), ('position', '<f8', (3,)), ('orientation', '<f8', (4,))]"};
  snprintf(a->shape, sizeof a->shape, "%d,", (int)head->bodies);
  return CODE_OK;
}

static int write_bodies(packer *p) {
  const recording_head *head = &p->job->drawing.recording.head;
  for (int32_t i = 0; i < head->bodies; i++) {
    const recording_body *body = &head->body[i];
    put(p, (uint32_t)body->shape, 4);
    put(p, (uint32_t)body->fixed, 4);
    put(p, (uint32_t)body->group, 4);
    put(p, (uint32_t)body->material, 4);
    for (int c = 0; c < 3; c++) put_double(p, body->extent[c]);
    put_double(p, body->offset);
    put_double(p, body->mass);
    for (int c = 0; c < 3; c++) put_double(p, body->position[c]);
    for (int c = 0; c < 4; c++) put_double(p, body->orientation[c]);
  }
  return CODE_OK;
}

static int describe_moving(packer *p, array *a) {
  *a = (array){.type = "'<i4'"};
  snprintf(a->shape, sizeof a->shape, "%lld,", (long long)moving(p));
  return CODE_OK;
}

static int write_moving(packer *p) {
  for (int64_t k = 0; k < moving(p); k++)
    put(p, (uint32_t)p->job->drawing.recording.head.mover[k], 4);
  return CODE_OK;
}

static int describe_contacts(packer *p, array *a) {
  int64_t count;
  *a = (array){.type = "[('frame', '<i8'), ('a', '<i4'), ('b', '<i4'), ('point', '<f4', (3,)), "
                       "('normal', '<f4', (3,)), ('gap', '<f4'), ('impulse', '<f4', (3,)), "
                       "('unsolved', '<i4')]"};
  const int code = export_count_touches(p->job, &count);
  snprintf(a->shape, sizeof a->shape, "%lld,", (long long)count);
  return code;
}

static int write_contacts(packer *p) {
  for (int64_t f = 0; f < p->job->frames; f++) {
    uint32_t count;
    const int code = export_frame(p->job, f);
    if (code) return code;
    const record_touch *touch = export_touches(p->job, &count);
    for (uint32_t k = 0; k < count; k++, touch++) {
      put(p, (uint64_t)p->job->drawing.frame, 8);
      put(p, touch->a, 4);
      put(p, touch->b, 4);
      for (int c = 0; c < 3; c++) put_float(p, touch->point[c]);
      for (int c = 0; c < 3; c++) put_float(p, touch->normal[c]);
      put_float(p, touch->gap);
      for (int c = 0; c < 3; c++) put_float(p, touch->impulse[c]);
      put(p, touch->flags & RECORD_UNSOLVED, 4);
    }
  }
  return CODE_OK;
}

static int describe_steps(packer *p, array *a) {
  int64_t first;
  const char *const *names;
  const uint32_t columns = recording_columns(&p->job->drawing.recording.head, &names);
  *a = (array){.type = "["};
  for (uint32_t c = 0; c < columns; c++) {
    const size_t used = strlen(a->type);
    snprintf(a->type + used, sizeof a->type - used, "%s('%s', '<f8')", c ? ", " : "", names[c]);
  }
  strcat(a->type, p->job->drawing.times ? ", ('seconds', '<f8')]" : "]");
  snprintf(a->shape, sizeof a->shape, "%lld,", (long long)export_rows(p->job, &first));
  return CODE_OK;
}

static int write_steps(packer *p) {
  const record_steps *steps = &p->job->drawing.statistics;
  int64_t first;
  const int64_t rows = export_rows(p->job, &first);
  for (int64_t r = first; r < first + rows; r++) {
    for (size_t c = 0; c < steps->columns; c++)
      put_double(p, steps->column[c*steps->room + (size_t)r]);
    if (p->job->drawing.times) put_double(p, steps->seconds[r]);
  }
  return CODE_OK;
}

static const source sources[] = {
    {"state", describe_state, write_state},       {"contacts", describe_contacts, write_contacts},
    {"steps", describe_steps, write_steps},       {"frame", describe_frame, write_frame},
    {"time", describe_time, write_time},          {"moving", describe_moving, write_moving},
    {"bodies", describe_bodies, write_bodies},    {0}};

// ------------------------------------------------------------------------------------- of a liquid

static int over_frames(packer *p, void (*put_frame)(packer *p)) {
  for (int64_t f = 0; f < p->job->frames; f++) {
    const int code = export_frame(p->job, f);
    if (code) return code;
    put_frame(p);
  }
  return CODE_OK;
}

static int count_particles(packer *p, int64_t *count) {
  *count = 0;
  for (int64_t f = 0; f < p->job->frames; f++) {
    const int code = export_frame(p->job, f);
    if (code) return code;
    *count += p->job->drawing.wet.count;
  }
  return CODE_OK;
}

static int describe_particles(packer *p, array *a) {
  int64_t count;
  *a = (array){.type = "[('frame', '<i8'), ('x', '<f4', (3,)), ('v', '<f4', (3,)), "
                       "('pressure', '<f4')]"};
  const int code = count_particles(p, &count);
  snprintf(a->shape, sizeof a->shape, "%lld,", (long long)count);
  return code;
}

static void put_particles(packer *p) {
  const export_job *job = p->job;
  for (uint32_t i = 0; i < job->drawing.wet.count; i++) {
    put(p, (uint64_t)job->drawing.frame, 8);
    for (int c = 0; c < 3; c++) put_float(p, (float)export_place(job, c, i));
    for (int c = 0; c < 3; c++) put_float(p, (float)export_velocity(job, c, i));
    put_float(p, job->drawing.wet.pressure ? (float)export_pressure(job, i) : 0.0f);
  }
  export_progress(p->job);
}

static int write_particles(packer *p) { return over_frames(p, put_particles); }

static int describe_start(packer *p, array *a) {   // particles of frame f: start[f] to start[f + 1]
  *a = (array){.type = "'<i8'"};
  snprintf(a->shape, sizeof a->shape, "%lld,", (long long)p->job->frames + 1);
  return CODE_OK;
}

static int write_start(packer *p) {
  uint64_t sum = 0;
  put(p, 0, 8);
  for (int64_t f = 0; f < p->job->frames; f++) {
    const int code = export_frame(p->job, f);
    if (code) return code;
    sum += p->job->drawing.wet.count;
    put(p, sum, 8);
  }
  return CODE_OK;
}

static int describe_cells(packer *p, array *a) {
  const int32_t *n = p->job->drawing.recording.head.liquid.cells;
  *a = (array){.type = "[('pressure', '<f4'), ('surface', '<f4'), ('type', '|u1'), "
                       "('separating', '|u1')]"};
  snprintf(a->shape, sizeof a->shape, "%lld, %d, %d, %d",
           (long long)(p->job->drawing.recording.head.liquid.fields ? p->job->frames : 0),
           (int)n[2], (int)n[1], (int)n[0]);
  return CODE_OK;
}

static void put_cells(packer *p) {
  const liquid_frame *frame = &p->job->drawing.wet;
  const double unit = p->job->drawing.recording.head.liquid.spacing/RECORD_SURFACE_UNIT;
  for (size_t i = 0; i < export_cells(p->job); i++) {
    const uint8_t type = frame->type ? frame->type[i] : 0;
    put_float(p, frame->pressure ? (float)(frame->unit*frame->pressure[i]) : 0.0f);
    put_float(p, frame->surface ? (float)(unit*frame->surface[i]) : 0.0f);
    put(p, type & RECORD_CELL_TYPE, 1);
    put(p, (type & RECORD_CELL_SEPARATING) != 0, 1);
  }
}

static int write_cells(packer *p) {
  return p->job->drawing.recording.head.liquid.fields ? over_frames(p, put_cells) : CODE_OK;
}

static int describe_pose(packer *p, array *a) {
  *a = (array){.type = "'<f4'"};
  snprintf(a->shape, sizeof a->shape, "%lld, %lld, %d", (long long)p->job->frames,
           (long long)moving(p), RECORD_POSE);
  return CODE_OK;
}

static void put_poses(packer *p) {
  const drawing *from = &p->job->drawing;
  for (int32_t s = 0; s < from->recording.head.moving; s++) {
    double pose[RECORD_POSE];
    liquid_pose(&from->liquid, from->frame, s, pose);
    for (int c = 0; c < RECORD_POSE; c++) put_float(p, (float)pose[c]);
  }
}

static int write_pose(packer *p) { return over_frames(p, put_poses); }

static const source wet_sources[] = {
    {"particles", describe_particles, write_particles}, {"cells", describe_cells, write_cells},
    {"steps", describe_steps, write_steps},             {"start", describe_start, write_start},
    {"frame", describe_frame, write_frame},             {"time", describe_time, write_time},
    {"pose", describe_pose, write_pose},                {"moving", describe_moving, write_moving},
    {"bodies", describe_bodies, write_bodies},          {0}};

static const source *sources_of(const export_job *job) {
  return job->drawing.recording.head.fluid ? wet_sources : sources;
}

static const source *chosen(const export_job *job) {
  if (!job->drawing.recording.head.fluid) return &sources[job->what];
  return &wet_sources[job->what == EXPORT_CELLS ? 1 : job->what == EXPORT_STEPS ? 2 : 0];
}

static int put_array(packer *p, const source *from) {
  array a;
  int code = from->describe(p, &a);
  if (code) return code;
  put_head(p, &a);
  code = from->write(p);
  flush(p);
  return code;
}

// --------------------------------------------------------------------------------------------- ZIP

// Sizes and check sum stand behind the data, where they are known; all sizes have 64 bits.
enum { ZIP_VERSION = 45, ZIP_BEHIND = 8, ZIP_DATE = 0x21, ZIP_LARGE = 1 };   // 1980-01-01

static void zip_common(byte_file *out, const member *m, uint32_t size) {
  byte_file_u16(out, ZIP_VERSION);
  byte_file_u16(out, ZIP_BEHIND);
  byte_file_u16(out, 0);            // stored
  byte_file_u16(out, 0);            // midnight
  byte_file_u16(out, ZIP_DATE);
  byte_file_u32(out, m->check);
  byte_file_u32(out, size);
  byte_file_u32(out, size);
  byte_file_u16(out, (uint32_t)strlen(m->name));
}

static int zip_member(packer *p, const source *from) {
  byte_file *out = &p->out;
  member *m = &p->member[p->members++];
  *m = (member){.begin = (uint64_t)out->bytes};
  snprintf(m->name, sizeof m->name, "%s.npy", from->name);
  byte_file_u32(out, 0x04034b50);
  zip_common(out, m, 0xffffffff);
  byte_file_u16(out, 20);
  byte_file_bytes(out, m->name, strlen(m->name));
  byte_file_u16(out, ZIP_LARGE);
  byte_file_u16(out, 16);
  byte_file_u64(out, 0);
  byte_file_u64(out, 0);
  const int64_t begin = out->bytes;
  p->check = crc32(0, NULL, 0);
  const int code = put_array(p, from);
  m->check = (uint32_t)p->check;
  m->bytes = (uint64_t)(out->bytes - begin);
  byte_file_u32(out, 0x08074b50);
  byte_file_u32(out, m->check);
  byte_file_u64(out, m->bytes);
  byte_file_u64(out, m->bytes);
  return code;
}

static void zip_end(packer *p) {
  byte_file *out = &p->out;
  const uint64_t begin = (uint64_t)out->bytes, members = (uint64_t)p->members;
  for (int k = 0; k < p->members; k++) {
    const member *m = &p->member[k];
    byte_file_u32(out, 0x02014b50);
    byte_file_u16(out, ZIP_VERSION);
    zip_common(out, m, 0xffffffff);
    byte_file_u16(out, 28);
    byte_file_u16(out, 0);          // no comment
    byte_file_u16(out, 0);          // the first disk
    byte_file_u16(out, 0);
    byte_file_u32(out, 0);
    byte_file_u32(out, 0xffffffff);
    byte_file_bytes(out, m->name, strlen(m->name));
    byte_file_u16(out, ZIP_LARGE);
    byte_file_u16(out, 24);
    byte_file_u64(out, m->bytes);
    byte_file_u64(out, m->bytes);
    byte_file_u64(out, m->begin);
  }
  const uint64_t end = (uint64_t)out->bytes;
  byte_file_u32(out, 0x06064b50);
  byte_file_u64(out, 44);
  byte_file_u16(out, ZIP_VERSION);
  byte_file_u16(out, ZIP_VERSION);
  byte_file_u64(out, 0);            // disks
  byte_file_u64(out, members);
  byte_file_u64(out, members);
  byte_file_u64(out, end - begin);
  byte_file_u64(out, begin);
  byte_file_u32(out, 0x07064b50);
  byte_file_u32(out, 0);
  byte_file_u64(out, end);
  byte_file_u32(out, 1);
  byte_file_u32(out, 0x06054b50);
  byte_file_u32(out, 0);
  byte_file_u16(out, (uint32_t)members);
  byte_file_u16(out, (uint32_t)members);
  byte_file_u32(out, 0xffffffff);
  byte_file_u32(out, 0xffffffff);
  byte_file_u16(out, 0);
}

static int pack(export_job *job, int all) {
  packer p = {.job = job, .room = 1 << 16};
  p.line = malloc(p.room);
  if (!p.line) return fail(CODE_IO, "out of memory");
  int code = byte_file_open(&p.out, job->path);
  if (code) {
    free(p.line);
    return code;
  }
  if (all) {
    for (const source *from = sources_of(job); from->name && !code; from++)
      code = zip_member(&p, from);
    if (!code) zip_end(&p);
  } else {
    code = put_array(&p, chosen(job));
  }
  free(p.line);
  if (!code) return byte_file_close(&p.out, job);
  byte_file_abandon(&p.out);
  return code;
}

int export_npy(export_job *job) { return pack(job, 0); }
int export_npz(export_job *job) { return pack(job, 1); }
