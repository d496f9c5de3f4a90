// export_vtk.c: VTK for ParaView: .vtp, the bodies or contacts of a frame as PolyData, and .pvd, a
// collection of such files with their times.
#include "export_vtk.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct { const char *name; int bytes; } types[] = {
    [FLOAT32] = {"Float32", 4}, [FLOAT64] = {"Float64", 8}, [INT32] = {"Int32", 4},
    [UINT8] = {"UInt8", 1}};

// Goes over what is in the piece, a number at a time.
static void put_one(byte_file *out, vtk_type type, double value) {
  switch (type) {
    case FLOAT32: byte_file_f32(out, value); break;
    case FLOAT64: byte_file_f64(out, value); break;
    case INT32: byte_file_u32(out, (uint32_t)(int32_t)value); break;
    case UINT8: byte_file_u8(out, (uint32_t)value); break;
  }
}

static void put_many(byte_file *out, vtk_type type, const double *value, int count) {
  for (int c = 0; c < count; c++) put_one(out, type, value[c]);
}

// ------------------------------------------------------------------------------------------ meshes

// For each vertex of each body: its place, its normal, and where it belongs.
typedef struct vertex {
  int32_t body, light;
  double point[3], normal[3];
} vertex;

static void over_vertices(const piece *p, byte_file *out, void (*put)(const piece *, byte_file *,
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

static void put_point(const piece *p, byte_file *out, const vertex *v) {
  (void)p;
  put_many(out, FLOAT32, v->point, 3);
}

static void put_normal(const piece *p, byte_file *out, const vertex *v) {
  (void)p;
  put_many(out, FLOAT32, v->normal, 3);
}

static void put_velocity(const piece *p, byte_file *out, const vertex *v) {   // v + w x r, there
  double s[RECORD_COMPONENTS], r[3];
  export_state(p->job, v->body, s);
  for (int c = 0; c < 3; c++) r[c] = v->point[c] - s[c];
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    byte_file_f32(out, p->job->drawing.slot[v->body] < 0 ? 0.0 : s[7 + c] + s[10 + d]*r[e] -
                                                                s[10 + e]*r[d]);
  }
}

static void put_colour(const piece *p, byte_file *out, const vertex *v) {
  const float *colour = p->job->drawing.body[v->body].colour;
  for (int c = 0; c < 3; c++)
    byte_file_u8(out, (uint32_t)lrint(255.0*(v->light ? 1.0 : MESH_DARK)*(double)colour[c]));
}

static void put_body(const piece *p, byte_file *out, const vertex *v) {
  (void)p;
  byte_file_u32(out, (uint32_t)v->body);
}

static void mesh_points(const piece *p, byte_file *out) { over_vertices(p, out, put_point); }
static void mesh_normals(const piece *p, byte_file *out) { over_vertices(p, out, put_normal); }
static void mesh_velocities(const piece *p, byte_file *out) { over_vertices(p, out, put_velocity); }
static void mesh_colours(const piece *p, byte_file *out) { over_vertices(p, out, put_colour); }
static void mesh_bodies(const piece *p, byte_file *out) { over_vertices(p, out, put_body); }

static void mesh_corners(const piece *p, byte_file *out) {
  int32_t base = 0;
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++) {
    mesh_kind kind;
    const mesh *m = mesh_shown(p->set, &p->job->drawing.scene, i, &kind);
    for (int32_t k = 0; m && k < 3*m->triangles; k++)
      byte_file_u32(out, (uint32_t)(base + m->corner[k]));
    if (m) base += m->vertices;
  }
}

static void cell_ends(const piece *p, byte_file *out) {
  const int64_t each = p->set ? 3 : 1;
  for (int64_t k = 1; k <= p->cells; k++) byte_file_u32(out, (uint32_t)(each*k));
}

static void own_corners(const piece *p, byte_file *out) {   // each point is a cell
  for (int64_t k = 0; k < p->points; k++) byte_file_u32(out, (uint32_t)k);
}

// ------------------------------------------------------------------------------------------ points

static int has_centre(const piece *p, int32_t i) {
  return p->job->drawing.scene.body[i].shape != RENDER_PLANE;
}

static void put_states(const piece *p, byte_file *out, int first, int count) {
  double s[RECORD_COMPONENTS];
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++) {
    if (!has_centre(p, i)) continue;
    export_state(p->job, i, s);
    put_many(out, FLOAT32, s + first, count);
  }
}

static void point_places(const piece *p, byte_file *out) { put_states(p, out, 0, 3); }
static void point_turns(const piece *p, byte_file *out) { put_states(p, out, 3, 4); }
static void point_velocities(const piece *p, byte_file *out) { put_states(p, out, 7, 3); }
static void point_spins(const piece *p, byte_file *out) { put_states(p, out, 10, 3); }

static void point_sizes(const piece *p, byte_file *out) {
  const render_scene *scene = &p->job->drawing.scene;
  for (int32_t i = 0; i < scene->bodies; i++)
    if (has_centre(p, i)) byte_file_f32(out, export_radius(&scene->body[i]));
}

static void point_halves(const piece *p, byte_file *out) {
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++) {
    double half[3];
    mesh_scale(&p->job->drawing.scene.body[i], half);
    if (has_centre(p, i)) put_many(out, FLOAT32, half, 3);
  }
}

static void point_masses(const piece *p, byte_file *out) {
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++)
    if (has_centre(p, i)) byte_file_f64(out, p->job->drawing.recording.head.body[i].mass);
}

static void point_bodies(const piece *p, byte_file *out) {
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++)
    if (has_centre(p, i)) byte_file_u32(out, (uint32_t)i);
}

static void point_groups(const piece *p, byte_file *out) {
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++)
    if (has_centre(p, i)) byte_file_u32(out,
                                        (uint32_t)p->job->drawing.recording.head.body[i].group);
}

static void point_colours(const piece *p, byte_file *out) {
  for (int32_t i = 0; i < p->job->drawing.scene.bodies; i++) {
    const vertex v = {.body = i, .light = 1};
    if (has_centre(p, i)) put_colour(p, out, &v);
  }
}

// ---------------------------------------------------------------------------------------- contacts

static void put_touch(const piece *p, byte_file *out, size_t place) {   // three floats there
  for (int64_t k = 0; k < p->points; k++) {
    float value[3];
    memcpy(value, (const char *)&p->touch[k] + place, sizeof value);
    for (int c = 0; c < 3; c++) byte_file_f32(out, (double)value[c]);
  }
}

static void touch_points(const piece *p, byte_file *out) {
  put_touch(p, out, offsetof(record_touch, point));
}

static void touch_normals(const piece *p, byte_file *out) {
  put_touch(p, out, offsetof(record_touch, normal));
}

static void touch_impulses(const piece *p, byte_file *out) {
  put_touch(p, out, offsetof(record_touch, impulse));
}

static void touch_gaps(const piece *p, byte_file *out) {
  for (int64_t k = 0; k < p->points; k++) byte_file_f32(out, (double)p->touch[k].gap);
}

static void touch_a(const piece *p, byte_file *out) {
  for (int64_t k = 0; k < p->points; k++) byte_file_u32(out, p->touch[k].a);
}

static void touch_b(const piece *p, byte_file *out) {
  for (int64_t k = 0; k < p->points; k++) byte_file_u32(out, p->touch[k].b);
}

static void touch_flags(const piece *p, byte_file *out) {
  for (int64_t k = 0; k < p->points; k++) byte_file_u8(out, p->touch[k].flags & RECORD_UNSOLVED);
}

// ------------------------------------------------------------------------------------------ a file

static void field_time(const piece *p, byte_file *out) { byte_file_f64(out, export_time(p->job)); }

static const vtk_array mesh_data[] = {{"Normals", FLOAT32, 3, mesh_normals},
                                  {"velocity", FLOAT32, 3, mesh_velocities},
                                  {"colour", UINT8, 3, mesh_colours},
                                  {"body", INT32, 1, mesh_bodies}, {0}};
static const vtk_array point_data[] = {{"velocity", FLOAT32, 3, point_velocities},
                                   {"spin", FLOAT32, 3, point_spins},
                                   {"orientation", FLOAT32, 4, point_turns},
                                   {"radius", FLOAT32, 1, point_sizes},
                                   {"half", FLOAT32, 3, point_halves},
                                   {"mass", FLOAT64, 1, point_masses},
                                   {"body", INT32, 1, point_bodies},
                                   {"group", INT32, 1, point_groups},
                                   {"colour", UINT8, 3, point_colours}, {0}};
static const vtk_array touch_data[] = {{"normal", FLOAT32, 3, touch_normals},
                                   {"impulse", FLOAT32, 3, touch_impulses},
                                   {"gap", FLOAT32, 1, touch_gaps},
                                   {"a", INT32, 1, touch_a},
                                   {"b", INT32, 1, touch_b},
                                   {"unsolved", UINT8, 1, touch_flags}, {0}};

// ------------------------------------------------------------------------------------------ a file

static int64_t bytes_of(const vtk_array *a, int64_t count) {
  return count*a->components*types[a->type].bytes;
}

static void declare(vtk_file *f, const vtk_array *a, int64_t count, const char *more) {
  byte_file *out = &f->out;
  f->array[f->arrays] = a;
  f->count[f->arrays++] = count;
  byte_file_text(out, "        <DataArray type=\"%s\" Name=\"%s\"", types[a->type].name, a->name);
  if (a->components > 1) byte_file_text(out, " NumberOfComponents=\"%d\"", a->components);
  byte_file_text(out, "%s format=\"appended\" offset=\"%lld\"/>\n", more, (long long)f->offset);
  f->offset += 8 + bytes_of(a, count);
}

int vtk_begin(vtk_file *f, const char *path, const char *type, const char *about) {
  static const vtk_array time = {"TimeValue", FLOAT64, 1, field_time};
  f->arrays = 0, f->offset = 0;
  const int code = byte_file_open(&f->out, path);
  if (code) return code;
  byte_file_text(&f->out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                     "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <%s%s>\n"
                     "    <FieldData>\n", type, type, about);
  declare(f, &time, 1, " NumberOfTuples=\"1\"");
  byte_file_text(&f->out, "    </FieldData>\n");
  return CODE_OK;
}

void vtk_declare(vtk_file *f, const vtk_array *a, int64_t count) { declare(f, a, count, ""); }

int vtk_end(vtk_file *f, const piece *p, const char *type) {
  byte_file *out = &f->out;
  byte_file_text(out, "    </Piece>\n  </%s>\n  <AppendedData encoding=\"raw\">\n   _", type);
  for (int k = 0; k < f->arrays; k++) {
    byte_file_u64(out, (uint64_t)bytes_of(f->array[k], f->count[k]));
    f->array[k]->write(p, out);
  }
  byte_file_text(out, "\n  </AppendedData>\n</VTKFile>\n");
  return byte_file_close(out, p->job);
}

static int write_piece(const piece *p, const char *path) {
  static const vtk_array ends = {"offsets", INT32, 1, cell_ends};
  const vtk_array places = {"Points", FLOAT32, 3, p->touch ? touch_points
                                                  : p->set ? mesh_points : point_places};
  const vtk_array corners = {"connectivity", INT32, 1, p->set ? mesh_corners : own_corners};
  const char *kind = p->set ? "Polys" : "Verts";
  vtk_file file;
  byte_file *out = &file.out;
  const int code = vtk_begin(&file, path, "PolyData", "");
  if (code) return code;
  byte_file_text(out, "    <Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%lld\" "
                 "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%lld\">\n",
                 (long long)p->points, (long long)(p->set ? 0 : p->cells),
                 (long long)(p->set ? p->cells : 0));
  byte_file_text(out, "      <PointData%s>\n",
                 p->set ? " Normals=\"Normals\" Vectors=\"velocity\"" : "");
  for (const vtk_array *a = p->touch ? touch_data : p->set ? mesh_data : point_data; a->name; a++)
    vtk_declare(&file, a, p->points);
  byte_file_text(out, "      </PointData>\n      <Points>\n");
  vtk_declare(&file, &places, p->points);
  byte_file_text(out, "      </Points>\n      <%s>\n", kind);
  vtk_declare(&file, &corners, p->corners);
  vtk_declare(&file, &ends, p->cells);
  byte_file_text(out, "      </%s>\n", kind);
  return vtk_end(&file, p, "PolyData");
}

static int write_bodies(export_job *job, const mesh_set *set, const char *path) {
  piece p = {.job = job, .set = set};
  for (int32_t i = 0; i < job->drawing.scene.bodies; i++) {
    mesh_kind kind;
    const mesh *m = set ? mesh_shown(set, &job->drawing.scene, i, &kind) : NULL;
    if (m) p.points += m->vertices, p.cells += m->triangles;
    else if (!set) p.points += has_centre(&p, i);
  }
  if (!set) p.cells = p.points;
  p.corners = set ? 3*p.cells : p.points;
  if (p.points > INT32_MAX || p.corners > INT32_MAX)
    return fail(CODE_USAGE, "%lld points are too many; --points or --detail 3 make fewer",
                (long long)p.points);
  return write_piece(&p, path);
}

static int write_contacts(export_job *job, const char *path) {
  uint32_t count;
  static const record_touch none;
  piece p = {.job = job, .touch = export_touches(job, &count)};
  if (count == 0) p.touch = &none;
  p.points = p.cells = p.corners = count;
  return write_piece(&p, path);
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

// ------------------------------------------------------------------------------------- collections

int export_collection(export_job *job, const char *path, const char *folder, const char *what,
                      const char *ending) {
  byte_file file;
  const int code = byte_file_open(&file, path);
  text_buffer time;
  if (code) return code;
  byte_file_text(&file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                   "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n  <Collection>\n");
  for (int64_t k = 0; k < job->frames; k++) {
    const int64_t frame = job->first + k*job->stride;
    byte_file_number_text((double)frame*drawing_interval(&job->drawing), &time);
    byte_file_text(&file, "    <DataSet timestep=\"%s\" group=\"\" part=\"0\" file=\"", time.text);
    for (const char *c = folder; *c; c++) {
      const char *safe = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '"' ? "&quot;" : NULL;
      if (safe) byte_file_text(&file, "%s", safe);
      else byte_file_bytes(&file, c, 1);
    }
    byte_file_text(&file, "/%s_%04lld.%s\"/>\n", what, (long long)frame, ending);
  }
  byte_file_text(&file, "  </Collection>\n</VTKFile>\n");
  return byte_file_close(&file, job);
}

int export_pvd(export_job *job) {
  char folder[4096], path[4200];
  if (!strcmp(job->path, "-"))
    return fail(CODE_USAGE, "a collection has many files; -o a.pvd names them");
  const char *ending = strrchr(job->path, '.'), *slash = strrchr(job->path, '/');
  const size_t stem = ending && (!slash || ending > slash + 1) && ending > job->path
                          ? (size_t)(ending - job->path) : strlen(job->path);
  snprintf(folder, sizeof folder, "%.*s", (int)stem, job->path);
  if (!strcmp(folder, job->path)) strcat(folder, "_files");
  mesh_set set;
  int code = create_meshes(job, &set);
  if (!code && mkdir(folder, 0777) != 0 && errno != EEXIST)
    code = fail(CODE_IO, "%s: %s", folder, strerror(errno));
  for (int64_t k = 0; k < job->frames && !code; k++) {
    const long long frame = (long long)(job->first + k*job->stride);
    code = export_frame(job, k);
    snprintf(path, sizeof path, "%s/bodies_%04lld.vtp", folder, frame);
    if (!code) code = write_bodies(job, job->points ? NULL : &set, path);
    snprintf(path, sizeof path, "%s/contacts_%04lld.vtp", folder, frame);
    if (!code) code = write_contacts(job, path);
    if (!code) export_progress(job);
  }
  mesh_set_free(&set);
  const char *name = slash ? folder + (slash + 1 - job->path) : folder;
  snprintf(path, sizeof path, "%.*s_contacts.pvd", (int)stem, job->path);
  if (!code) code = export_collection(job, path, name, "contacts", "vtp");
  if (!code) code = export_collection(job, job->path, name, "bodies", "vtp");
  return code;
}
