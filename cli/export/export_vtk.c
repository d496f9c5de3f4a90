// export_vtk.c: bodies and contacts for ParaView: a frame as .vtp, all frames as .pvd.
#include <math.h>
#include <string.h>

#include "vtk_file.h"

static void put_floats(byte_file *out, const double *value, int count) {
  for (int c = 0; c < count; c++) byte_file_f32(out, value[c]);
}

// ------------------------------------------------------------------------------------------ meshes

// For each vertex of each body: its place, its normal, and where it belongs.
typedef struct vertex {
  int32_t body, light;
  double point[3], normal[3];
} vertex;

static void over_vertices(const vtk_piece *p, byte_file *out, void (*put)(const vtk_piece *, byte_file *,
                                                                          const vertex *)) {
  const render_scene *scene = &p->job->drawing.scene;
  for (int32_t i = 0; i < scene->bodies; i++) {
    mesh_kind kind;
    const mesh *m = mesh_shown(p->set, &p->job->drawing.scene, i, &kind);
    for (int32_t k = 0; m && k < m->vertices; k++) {
      vertex v = {.body = i, .light = k < m->light_vertices};
      mesh_place(&scene->body[i], kind, m->position + 3*k, m->normal + 3*k, v.point, v.normal);
      put(p, out, &v);
    }
  }
}

static void put_point(const vtk_piece *p, byte_file *out, const vertex *v) {
  (void)p;
  put_floats(out, v->point, 3);
}

static void put_normal(const vtk_piece *p, byte_file *out, const vertex *v) {
  (void)p;
  put_floats(out, v->normal, 3);
}

static void put_velocity(const vtk_piece *p, byte_file *out, const vertex *v) {   // v + w x r, there
  double s[RECORD_COMPONENTS], r[3];
  export_state(p->job, v->body, s);
  for (int c = 0; c < 3; c++) r[c] = v->point[c] - s[c];
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    byte_file_f32(out, p->job->drawing.slot[v->body] < 0 ? 0.0 : s[7 + c] + s[10 + d]*r[e] -
                                                                s[10 + e]*r[d]);
  }
}

static void put_colour(const vtk_piece *p, byte_file *out, const vertex *v) {
  const float *colour = p->job->drawing.body[v->body].colour;
  for (int c = 0; c < 3; c++)
    byte_file_u8(out, (uint32_t)lrint(255.0*(v->light ? 1.0 : MESH_DARK_SHARE)*(double)colour[c]));
}

static void put_body(const vtk_piece *p, byte_file *out, const vertex *v) {
  (void)p;
  byte_file_u32(out, (uint32_t)v->body);
}

static void mesh_points(const vtk_piece *p, byte_file *out) { over_vertices(p, out, put_point); }
static void mesh_normals(const vtk_piece *p, byte_file *out) { over_vertices(p, out, put_normal); }
static void mesh_velocities(const vtk_piece *p, byte_file *out) { over_vertices(p, out, put_velocity); }
static void mesh_colours(const vtk_piece *p, byte_file *out) { over_vertices(p, out, put_colour); }
static void mesh_bodies(const vtk_piece *p, byte_file *out) { over_vertices(p, out, put_body); }

static void mesh_corners(const vtk_piece *p, byte_file *out) {
  int32_t base = 0;
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++) {
    mesh_kind kind;
    const mesh *m = mesh_shown(p->set, &p->job->drawing.scene, i, &kind);
    for (int32_t k = 0; m && k < 3*m->triangles; k++)
      byte_file_u32(out, (uint32_t)(base + m->corner[k]));
    if (m) base += m->vertices;
  }
}

// ------------------------------------------------------------------------------------------ points

static int has_centre(const vtk_piece *p, int32_t i) {
  return p->job->drawing.scene.body[i].shape != RENDER_PLANE;
}

static void put_states(const vtk_piece *p, byte_file *out, int first, int count) {
  double s[RECORD_COMPONENTS];
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++) {
    if (!has_centre(p, i)) continue;
    export_state(p->job, i, s);
    put_floats(out, s + first, count);
  }
}

static void point_places(const vtk_piece *p, byte_file *out) { put_states(p, out, 0, 3); }
static void point_turns(const vtk_piece *p, byte_file *out) { put_states(p, out, 3, 4); }
static void point_velocities(const vtk_piece *p, byte_file *out) { put_states(p, out, 7, 3); }
static void point_spins(const vtk_piece *p, byte_file *out) { put_states(p, out, 10, 3); }

static void point_sizes(const vtk_piece *p, byte_file *out) {
  const render_scene *scene = &p->job->drawing.scene;
  for (int32_t i = 0; i < scene->bodies; i++)
    if (has_centre(p, i)) byte_file_f32(out, export_radius(&scene->body[i]));
}

static void point_halves(const vtk_piece *p, byte_file *out) {
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++) {
    double half[3];
    mesh_scale(&p->job->drawing.scene.body[i], half);
    if (has_centre(p, i)) put_floats(out, half, 3);
  }
}

static void point_masses(const vtk_piece *p, byte_file *out) {
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++)
    if (has_centre(p, i)) byte_file_f64(out, p->job->drawing.recording.head.body[i].mass);
}

static void point_bodies(const vtk_piece *p, byte_file *out) {
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++)
    if (has_centre(p, i)) byte_file_u32(out, (uint32_t)i);
}

static void point_groups(const vtk_piece *p, byte_file *out) {
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++)
    if (has_centre(p, i)) byte_file_u32(out,
                                        (uint32_t)p->job->drawing.recording.head.body[i].group);
}

static void point_colours(const vtk_piece *p, byte_file *out) {
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++) {
    const vertex v = {.body = i, .light = 1};
    if (has_centre(p, i)) put_colour(p, out, &v);
  }
}

// ---------------------------------------------------------------------------------------- contacts

static void put_touch(const vtk_piece *p, byte_file *out, size_t place) {   // three floats there
  for (int64_t k = 0; k < p->points; k++) {
    float value[3];
    memcpy(value, (const char *)&p->touch[k] + place, sizeof value);
    for (int c = 0; c < 3; c++) byte_file_f32(out, (double)value[c]);
  }
}

static void touch_points(const vtk_piece *p, byte_file *out) {
  put_touch(p, out, offsetof(record_touch, point));
}

static void touch_normals(const vtk_piece *p, byte_file *out) {
  put_touch(p, out, offsetof(record_touch, normal));
}

static void touch_impulses(const vtk_piece *p, byte_file *out) {
  put_touch(p, out, offsetof(record_touch, impulse));
}

static void touch_gaps(const vtk_piece *p, byte_file *out) {
  for (int64_t k = 0; k < p->points; k++) byte_file_f32(out, (double)p->touch[k].gap);
}

static void touch_a(const vtk_piece *p, byte_file *out) {
  for (int64_t k = 0; k < p->points; k++) byte_file_u32(out, p->touch[k].a);
}

static void touch_b(const vtk_piece *p, byte_file *out) {
  for (int64_t k = 0; k < p->points; k++) byte_file_u32(out, p->touch[k].b);
}

static void touch_flags(const vtk_piece *p, byte_file *out) {
  for (int64_t k = 0; k < p->points; k++) byte_file_u8(out, p->touch[k].flags & RECORD_UNSOLVED);
}

// ------------------------------------------------------------------------------------------ a file

static const vtk_array mesh_data[] = {{"Points", FLOAT32, 3, mesh_points},
                                      {"Normals", FLOAT32, 3, mesh_normals},
                                      {"velocity", FLOAT32, 3, mesh_velocities},
                                      {"colour", UINT8, 3, mesh_colours},
                                      {"body", INT32, 1, mesh_bodies}, {0}};
static const vtk_array point_data[] = {{"Points", FLOAT32, 3, point_places},
                                       {"velocity", FLOAT32, 3, point_velocities},
                                       {"spin", FLOAT32, 3, point_spins},
                                       {"orientation", FLOAT32, 4, point_turns},
                                       {"radius", FLOAT32, 1, point_sizes},
                                       {"half", FLOAT32, 3, point_halves},
                                       {"mass", FLOAT64, 1, point_masses},
                                       {"body", INT32, 1, point_bodies},
                                       {"group", INT32, 1, point_groups},
                                       {"colour", UINT8, 3, point_colours}, {0}};
static const vtk_array touch_data[] = {{"Points", FLOAT32, 3, touch_points},
                                       {"normal", FLOAT32, 3, touch_normals},
                                       {"impulse", FLOAT32, 3, touch_impulses},
                                       {"gap", FLOAT32, 1, touch_gaps},
                                       {"a", INT32, 1, touch_a},
                                       {"b", INT32, 1, touch_b},
                                       {"unsolved", UINT8, 1, touch_flags}, {0}};

static int write_bodies(export_job *job, const mesh_set *set, const char *path) {
  vtk_piece p = {.job = job, .set = set, .corners = set ? mesh_corners : NULL};
  for (int32_t i = 0; i < job->drawing.scene.bodies; i++) {
    mesh_kind kind;
    const mesh *m = set ? mesh_shown(set, &job->drawing.scene, i, &kind) : NULL;
    if (m) p.points += m->vertices, p.triangles += m->triangles;
    else if (!set) p.points += has_centre(&p, i);
  }
  if (p.points > INT32_MAX || 3*p.triangles > INT32_MAX)
    return fail(CODE_USAGE, "%lld points are too many; --points or --detail 3 make fewer",
                (long long)p.points);
  return vtk_write_points(&p, path, set ? mesh_data : point_data);
}

static int write_contacts(export_job *job, const char *path) {
  uint32_t count;
  static const record_touch none;
  vtk_piece p = {.job = job, .touch = export_touches(job, &count)};
  if (count == 0) p.touch = &none;
  p.points = count;
  return vtk_write_points(&p, path, touch_data);
}

static int create_meshes(const export_job *job, mesh_set *set) {
  *set = (mesh_set){0};
  if (job->points || job->what == EXPORT_CONTACTS) return CODE_OK;
  return mesh_set_create(&job->drawing.scene, job->detail, set) ? fail(CODE_IO, "out of memory")
                                                               : CODE_OK;
}

int export_vtp(export_job *job) {
  mesh_set set;
  if (job->what == EXPORT_STEPS)
    return fail(CODE_USAGE, "--what = steps is not for .vtp: bodies or contacts");
  if (job->what == EXPORT_CONTACTS) return write_contacts(job, job->path);
  int code = create_meshes(job, &set);
  if (!code) code = write_bodies(job, job->points ? NULL : &set, job->path);
  mesh_set_free(&set);
  return code;
}

static int write_series_bodies(export_job *job, const void *set, const char *path) {
  return write_bodies(job, set, path);
}

static int write_series_contacts(export_job *job, const void *set, const char *path) {
  (void)set;
  return write_contacts(job, path);
}

int export_pvd(export_job *job) {
  static const vtk_series series[] = {{"bodies", "vtp", write_series_bodies},
                                      {"contacts", "vtp", write_series_contacts}};
  mesh_set set;
  int code = create_meshes(job, &set);
  if (!code) code = vtk_write_series(job, series, 2, job->points ? NULL : &set);
  mesh_set_free(&set);
  return code;
}
