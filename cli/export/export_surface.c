// export_surface.c: the surface of a liquid in space, in one frame, as PLY or OBJ.
#include "export.h"
#include "liquid_surface.h"
#include "surface_mesh.h"

static const char *comment(const export_job *job, char *out, size_t size) {
  text_buffer time;
  *out = 0;
  text_append(out, size, "perp %s: scene %.200s, the surface of frame %lld, time %s s",
              perp_version(), job->drawing.recording.head.scene, (long long)job->drawing.frame,
              byte_file_number_text(export_time(job), &time));
  return out;
}

static void put_place(byte_file *out, const float *x, const char *start) {
  text_buffer text[3];
  byte_file_text(out, "%s%s %s %s\n", start, byte_file_float_text(x[0], &text[0]),
                 byte_file_float_text(x[1], &text[1]), byte_file_float_text(x[2], &text[2]));
}

static void put_ply(const export_job *job, const surface *s, byte_file *out) {
  char about[320];
  byte_file_text(out, "ply\nformat %s 1.0\ncomment %s\n",
                 job->ascii ? "ascii" : "binary_little_endian", comment(job, about, sizeof about));
  byte_file_text(out, "element vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
                 "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
                 (int)s->vertices, (int)s->triangles);
  for (size_t v = 0; v < (size_t)s->vertices; v++) {
    if (job->ascii) put_place(out, &s->position[3*v], "");
    for (size_t c = 0; c < 3 && !job->ascii; c++) byte_file_f32(out, (double)s->position[3*v + c]);
  }
  for (size_t t = 0; t < (size_t)s->triangles; t++) {
    const int32_t *corner = &s->corner[3*t];
    if (job->ascii) {
      byte_file_text(out, "3 %d %d %d\n", (int)corner[0], (int)corner[1], (int)corner[2]);
      continue;
    }
    byte_file_u8(out, 3);
    for (int c = 0; c < 3; c++) byte_file_u32(out, (uint32_t)corner[c]);
  }
}

static void put_obj(const export_job *job, const surface *s, byte_file *out) {
  char about[320];
  byte_file_text(out, "# %s\no surface\n", comment(job, about, sizeof about));
  for (size_t v = 0; v < (size_t)s->vertices; v++) put_place(out, &s->position[3*v], "v ");
  for (size_t t = 0; t < (size_t)s->triangles; t++)   // vertices count from 1
    byte_file_text(out, "f %d %d %d\n", (int)s->corner[3*t] + 1, (int)s->corner[3*t + 1] + 1,
                   (int)s->corner[3*t + 2] + 1);
}

static int write_surface(export_job *job, void (*put)(const export_job *, const surface *,
                                                      byte_file *)) {
  const recording_head *head = &job->drawing.recording.head;
  liquid_surface what = {0};
  surface mesh = {0};
  byte_file out;
  const int failed =
      liquid_surface_make(head, &job->drawing.wet, job->drawing.scale.gap, &what) ||
      surface_make(what.cells, what.spacing, what.distance, &mesh);
  liquid_surface_free(&what);
  if (failed) return fail(CODE_IO, "out of memory for the surface");
  int code = byte_file_open(&out, job->path);
  if (!code) {
    put(job, &mesh, &out);
    code = byte_file_close(&out, job);
  }
  job->triangles = mesh.triangles;
  surface_free(&mesh);
  return code;
}

int export_surface_ply(export_job *job) { return write_surface(job, put_ply); }
int export_surface_obj(export_job *job) { return write_surface(job, put_obj); }
