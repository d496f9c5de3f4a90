// export_ply.c: PLY: the meshes of one frame with colours, or a point with numbers per body.
#include <math.h>
#include <string.h>

#include "export.h"
#include "body_mesh.h"

typedef struct writer {
  byte_file out;
  int ascii, begun;            // begun: the line has a number already
} writer;

static void put_float(writer *w, double value) {
  text_buffer text;
  if (!w->ascii) {
    byte_file_f32(&w->out, value);
    return;
  }
  byte_file_text(&w->out, "%s%s", w->begun ? " " : "", byte_file_float_text((float)value, &text));
  w->begun = 1;
}

static void put_whole(writer *w, int32_t value, int bytes) {
  if (w->ascii) byte_file_text(&w->out, "%s%d", w->begun ? " " : "", (int)value);
  else if (bytes == 1) byte_file_u8(&w->out, (uint32_t)value);
  else byte_file_u32(&w->out, (uint32_t)value);
  w->begun = 1;
}

static void end_row(writer *w) {
  if (w->ascii) byte_file_text(&w->out, "\n");
  w->begun = 0;
}

static void put_colour(writer *w, const float colour[3], double tone) {
  for (int c = 0; c < 3; c++)
    put_whole(w, (int32_t)lrint(255.0*fmin(fmax(tone*(double)colour[c], 0.0), 1.0)), 1);
}

static void put_properties(writer *w, const char *type, const char *names) {
  while (*names) {
    const size_t length = strcspn(names, " ");
    byte_file_text(&w->out, "property %s %.*s\n", type, (int)length, names);
    names += length + (names[length] == ' ');
  }
}

static void put_head(writer *w, const export_job *job) {
  const recording_head *head = &job->drawing.recording.head;
  text_buffer text;
  byte_file_text(&w->out, "ply\nformat %s 1.0\n", w->ascii ? "ascii" : "binary_little_endian");
  byte_file_text(&w->out, "comment perp %s: scene %.200s, frame %lld, time %s s\n", perp_version(),
                 head->scene, (long long)job->drawing.frame,
                 byte_file_number_text(export_time(job), &text));
}

static void put_meshes(writer *w, const export_job *job, const mesh_set *set) {
  const render_scene *scene = &job->drawing.scene;
  mesh_kind kind;
  int64_t vertices = 0, triangles = 0;
  for (int32_t i = 0; i < scene->bodies; i++) {
    const mesh *m = mesh_shown(set, scene, i, &kind);
    if (m) vertices += m->vertices, triangles += m->triangles;
  }
  put_head(w, job);
  byte_file_text(&w->out, "element vertex %lld\n", (long long)vertices);
  put_properties(w, "float", "x y z nx ny nz");
  put_properties(w, "uchar", "red green blue");
  put_properties(w, "int", "body");
  byte_file_text(&w->out, "element face %lld\nproperty list uchar int vertex_indices\nend_header\n",
                 (long long)triangles);
  for (int32_t i = 0; i < scene->bodies; i++) {
    const render_body *body = &scene->body[i];
    const mesh *m = mesh_shown(set, scene, i, &kind);
    for (int32_t v = 0; m && v < m->vertices; v++) {
      double p[3], n[3];
      mesh_place(body, kind, m->position + 3*v, m->normal + 3*v, p, n);
      for (int c = 0; c < 3; c++) put_float(w, p[c]);
      for (int c = 0; c < 3; c++) put_float(w, n[c]);
      put_colour(w, body->colour, v < m->light_vertices ? 1.0 : MESH_DARK_SHARE);
      put_whole(w, i, 4);
      end_row(w);
    }
  }
  int32_t base = 0;
  for (int32_t i = 0; i < scene->bodies; i++) {
    const mesh *m = mesh_shown(set, scene, i, &kind);
    for (int32_t t = 0; m && t < m->triangles; t++) {
      put_whole(w, 3, 1);
      for (int c = 0; c < 3; c++) put_whole(w, base + m->corner[3*t + c], 4);
      end_row(w);
    }
    if (m) base += m->vertices;
  }
}

static void put_points(writer *w, const export_job *job) {
  const drawing *from = &job->drawing;
  int32_t points = 0;
  for (int32_t i = 0; i < from->scene.bodies; i++)
    points += from->scene.body[i].shape != RENDER_PLANE;
  put_head(w, job);
  byte_file_text(&w->out, "element vertex %d\n", (int)points);
  put_properties(w, "float", "x y z qw qx qy qz vx vy vz wx wy wz radius hx hy hz mass");
  put_properties(w, "uchar", "red green blue");
  put_properties(w, "int", "body group");
  byte_file_text(&w->out, "end_header\n");
  for (int32_t i = 0; i < from->scene.bodies; i++) {
    const render_body *body = &from->scene.body[i];
    double state[RECORD_COMPONENTS], half[3];
    if (body->shape == RENDER_PLANE) continue;
    export_state(job, i, state);
    for (int c = 0; c < RECORD_COMPONENTS; c++) put_float(w, state[c]);
    mesh_scale(body, half);
    put_float(w, export_radius(body));
    for (int c = 0; c < 3; c++) put_float(w, half[c]);
    put_float(w, from->recording.head.body[i].mass);
    put_colour(w, body->colour, 1.0);
    put_whole(w, i, 4);
    put_whole(w, from->recording.head.body[i].group, 4);
    end_row(w);
  }
}

int export_ply(export_job *job) {
  mesh_set set = {0};
  writer w = {.ascii = job->ascii};
  if (!job->points && mesh_set_create(&job->drawing.scene, job->detail, &set))
    return fail(CODE_IO, "out of memory");
  int code = byte_file_open(&w.out, job->path);
  if (!code) {
    if (job->points) put_points(&w, job);
    else put_meshes(&w, job, &set);
    code = byte_file_close(&w.out, job);
  }
  mesh_set_free(&set);
  return code;
}
