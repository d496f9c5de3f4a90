// export_glb.c: glTF 2.0 in one binary file: a node per body, unit meshes that its scale stretches,
// and the motion of the bodies as one animation.
//
// The file is a header, a chunk of JSON and a chunk of numbers, each padded to four bytes. The
// numbers are the meshes, the times, and for each body all its places and then all its rotations:
// glTF has no stride here, so frames are turned into bodies, in blocks that fit into memory.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "body_mesh.h"

enum {
  LIGHTNESS_LEVELS = 8,        // of one colour
  BUCKETS = DRAWING_HUES*LIGHTNESS_LEVELS,
  FLOAT = 5126, SHORT = 5123,  // of glTF
  VERTEX_DATA = 34962, INDEX_DATA = 34963,
  BLOCK_BYTES_MAX = 1 << 28    // of motion that are in memory at a time
};

typedef struct shape {         // a mesh in the file, and its accessors; index 0: not there yet
  const mesh *mesh;
  int position, normal, light, dark;
} shape;

typedef struct writer {
  export_job *job;
  mesh_set set;
  byte_file out;
  json_t *root, *accessors, *views, *meshes, *materials, *nodes, *children;
  shape *shape;                // MESH_KINDS + bodies: of unit shapes, then of planes
  int shapes;
  const mesh **order;          // those in the file, in its order
  int *material;               // HUES x LIGHTNESS_LEVELS x 2, then of special ones: index + 1
  int *look;                   // the same x MESH_KINDS: index of a mesh + 1
  uint64_t bytes;              // of numbers so far
  int64_t motion;              // view of the animation, or -1
} writer;

// -------------------------------------------------------------------------------------- small JSON

static json_t *numbers(const double *value, int count) {   // JSON has none that are not finite
  json_t *list = json_array();
  for (int c = 0; c < count; c++)
    json_array_append_new(list, json_real(isfinite(value[c]) ? (double)(float)value[c] : 0.0));
  return list;
}

static int append(json_t *list, json_t *object) {
  json_array_append_new(list, object);
  return (int)json_array_size(list) - 1;
}

static void set_whole(json_t *object, const char *name, int64_t value) {
  json_object_set_new(object, name, json_integer(value));
}

static int add_view(writer *w, uint64_t bytes, int target) {
  json_t *view = json_object();
  set_whole(view, "buffer", 0);
  set_whole(view, "byteOffset", (int64_t)w->bytes);
  set_whole(view, "byteLength", (int64_t)bytes);
  if (target) set_whole(view, "target", target);
  w->bytes += (bytes + 3)/4*4;
  return append(w->views, view);
}

static json_t *accessor(int view, uint64_t offset, int type, int64_t count, const char *kind) {
  json_t *object = json_object();
  set_whole(object, "bufferView", view);
  if (offset) set_whole(object, "byteOffset", (int64_t)offset);
  set_whole(object, "componentType", type);
  set_whole(object, "count", count);
  json_object_set_new(object, "type", json_string(kind));
  return object;
}

// ---------------------------------------------------------------------------------------- geometry

static json_t *with_bounds(json_t *object, const float *value, int64_t count, int components) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t k = 0; k < count; k++) {
    for (int c = 0; c < components; c++) {
      low[c] = fmin(low[c], (double)value[k*components + c]);
      high[c] = fmax(high[c], (double)value[k*components + c]);
    }
  }
  json_object_set_new(object, "min", numbers(low, components));
  json_object_set_new(object, "max", numbers(high, components));
  return object;
}

static shape *add_shape(writer *w, const mesh *m, int slot) {
  shape *s = &w->shape[slot];
  if (s->mesh) return s;
  s->mesh = m;
  w->order[w->shapes++] = m;
  const uint64_t vectors = 12*(uint64_t)m->vertices;
  const int points = add_view(w, vectors, VERTEX_DATA), normals = add_view(w, vectors, VERTEX_DATA);
  const int corners = add_view(w, 6*(uint64_t)m->triangles, INDEX_DATA);
  s->position = append(w->accessors, with_bounds(accessor(points, 0, FLOAT, m->vertices, "VEC3"),
                                                 m->position, m->vertices, 3));
  s->normal = append(w->accessors, accessor(normals, 0, FLOAT, m->vertices, "VEC3"));
  s->light = append(w->accessors, accessor(corners, 0, SHORT, 3*m->light, "SCALAR"));
  if (m->triangles > m->light)
    s->dark = append(w->accessors, accessor(corners, 6*(uint64_t)m->light, SHORT,
                                            3*(m->triangles - m->light), "SCALAR"));
  return s;
}

static void put_shapes(writer *w) {
  for (int k = 0; k < w->shapes; k++) {
    const mesh *m = w->order[k];
    for (int32_t i = 0; i < 3*m->vertices; i++) byte_file_f32(&w->out, (double)m->position[i]);
    for (int32_t i = 0; i < 3*m->vertices; i++) byte_file_f32(&w->out, (double)m->normal[i]);
    for (int32_t i = 0; i < 3*m->triangles; i++) byte_file_u16(&w->out, (uint32_t)m->corner[i]);
    if (m->triangles % 2) byte_file_u16(&w->out, 0);
  }
}

// --------------------------------------------------------------------------------------- materials

typedef enum special { FIXED, FLOOR, GLASS, WALL, SPECIALS } special;
static const struct { const char *name; double colour[4]; } specials[SPECIALS] = {
    [FIXED] = {"fixed", {0.55, 0.60, 0.66, 1.0}}, [FLOOR] = {"floor", {0.78, 0.81, 0.85, 1.0}},
    [GLASS] = {"glass", {0.62, 0.76, 0.90, 0.14}}, [WALL] = {"wall", {0.62, 0.70, 0.80, 0.10}}};

static int add_material(writer *w, const char *name, const double colour[4]) {
  json_t *material = json_object(), *surface = json_object();
  json_object_set_new(material, "name", json_text(name));
  json_object_set_new(surface, "baseColorFactor", numbers(colour, 4));
  json_object_set_new(surface, "metallicFactor", json_real(0.0));
  json_object_set_new(surface, "roughnessFactor", json_real(0.55));
  json_object_set_new(material, "pbrMetallicRoughness", surface);
  if (colour[3] < 1.0) json_object_set_new(material, "alphaMode", json_string("BLEND"));
  json_object_set_new(material, "doubleSided", json_true());
  return append(w->materials, material);
}

static int special_material(writer *w, special which) {
  int *known = &w->material[2*BUCKETS + (int)which];
  if (!*known) *known = 1 + add_material(w, specials[which].name, specials[which].colour);
  return *known - 1;
}

// Neighbours of a group differ a little in lightness, in few levels: they share materials.
static int bucket_of(const writer *w, int32_t i) {
  const drawing *from = &w->job->drawing;
  const double golden = 0.618034*from->slot[i];
  const int level = (int)((golden - floor(golden))*LIGHTNESS_LEVELS);
  return drawing_hue(from, from->slot[i])*LIGHTNESS_LEVELS + level;
}

static int body_material(writer *w, int32_t i, int dark) {
  const drawing *from = &w->job->drawing;
  const int bucket = bucket_of(w, i);
  int *known = &w->material[2*bucket + dark];
  double colour[4] = {0, 0, 0, 1};
  char name[128];
  if (*known) return *known - 1;
  for (int c = 0; c < 3; c++)
    colour[c] = (dark ? MESH_DARK_SHARE : 1.0)*(double)render_linear(from->body[i].colour[c]);
  snprintf(name, sizeof name, "%.100s %d%s",
           from->recording.head.groups[from->recording.head.body[i].group], bucket,
           dark ? " dark" : "");
  *known = 1 + add_material(w, name, colour);
  return *known - 1;
}

// ------------------------------------------------------------------------------------------ meshes

static void add_primitive(json_t *list, const shape *s, int corners, int material) {
  json_t *primitive = json_object(), *attributes = json_object();
  set_whole(attributes, "POSITION", s->position);
  set_whole(attributes, "NORMAL", s->normal);
  json_object_set_new(primitive, "attributes", attributes);
  set_whole(primitive, "indices", corners);
  set_whole(primitive, "material", material);
  json_array_append_new(list, primitive);
}

// Some viewers tell things apart by names: no mesh has that of a node.
static int add_mesh(writer *w, const char *kind, json_t *primitives) {
  json_t *object = json_object();
  char name[64];
  snprintf(name, sizeof name, "mesh %d: %s", (int)json_array_size(w->meshes), kind);
  json_object_set_new(object, "name", json_string(name));
  json_object_set_new(object, "primitives", primitives);
  return append(w->meshes, object);
}

static int is_glass(const writer *w, int32_t i) {   // large boxes that hold something
  const drawing *from = &w->job->drawing;
  const render_body *body = &from->body[i];
  return body->fixed && body->shape == RENDER_BOX && from->scene.dimension == 3 &&
         export_radius(body) > 0.45*from->scene.radius;
}

static int plane_mesh(writer *w, int32_t i) {
  const render_scene *scene = &w->job->drawing.scene;
  const mesh *m = &w->set.plane[i];
  if (m->triangles == 0) return -1;
  const int floor = mesh_is_floor(scene, &scene->body[i]);
  const shape *s = add_shape(w, m, MESH_KINDS + i);
  json_t *list = json_array();
  add_primitive(list, s, s->light,
                special_material(w, scene->dimension == 2 ? FIXED : floor ? FLOOR : WALL));
  return add_mesh(w, "plane", list);
}

// -1: the body is not shown. Bodies of a kind, group and lightness share a mesh.
static int body_mesh(writer *w, int32_t i) {
  static const char *const names[MESH_KINDS] = {"sphere", "box", "hollow sphere", "disc",
                                                "rectangle", "ring", "shell"};
  const drawing *from = &w->job->drawing;
  const mesh_kind kind = mesh_kind_of(&from->scene, &from->body[i]);
  if (kind == MESH_NONE) return -1;
  if (kind == MESH_PLANE) return plane_mesh(w, i);
  const int moves = from->slot[i] >= 0, glass = is_glass(w, i);
  const int bucket = moves ? bucket_of(w, i) : BUCKETS + glass;
  int *known = &w->look[bucket*MESH_KINDS + (int)kind];
  if (*known) return *known - 1;
  const shape *s = add_shape(w, &w->set.unit[kind], (int)kind);
  json_t *list = json_array();
  const int hollow = kind == MESH_CAGE, shell = moves ? body_material(w, i, 0)
                                                      : special_material(w, glass ? GLASS : FIXED);
  add_primitive(list, s, s->light, shell);
  if (s->dark) add_primitive(list, s, s->dark, moves ? body_material(w, i, 1) : shell);
  if (hollow) {
    const shape *ball = add_shape(w, &w->set.unit[MESH_SHELL], MESH_SHELL);
    add_primitive(list, ball, ball->light, special_material(w, GLASS));
    add_primitive(list, ball, ball->dark, special_material(w, GLASS));
  }
  *known = 1 + add_mesh(w, names[kind], list);
  return *known - 1;
}

// ------------------------------------------------------------------------------------------- nodes

// glTF has w last; unit length, or no rotation at all.
static void rotation_of(const double q[4], double out[4]) {
  const double length = sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]);
  const int good = length > 0.0 && isfinite(length);
  for (int c = 0; c < 3; c++) out[c] = good ? q[c + 1]/length : 0.0;
  out[3] = good ? q[0]/length : 1.0;
}

// Of a rotation matrix by its columns.
static void rotation_from(const double x[3], const double y[3], const double z[3], double out[4]) {
  const double q[4][4] = {   // four multiples of the same: the longest is the most exact
      {1.0 + x[0] + y[1] + z[2], y[2] - z[1], z[0] - x[2], x[1] - y[0]},
      {y[2] - z[1], 1.0 + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2]},
      {z[0] - x[2], y[0] + x[1], 1.0 - x[0] + y[1] - z[2], z[1] + y[2]},
      {x[1] - y[0], z[0] + x[2], z[1] + y[2], 1.0 - x[0] - y[1] + z[2]}};
  int best = 0;
  for (int k = 1; k < 4; k++)
    if (q[k][k] > q[best][best]) best = k;
  rotation_of(q[best], out);
}

static json_t *node(const char *name, const double *place, const double *rotation) {
  json_t *object = json_object();
  json_object_set_new(object, "name", json_text(name));
  if (place) json_object_set_new(object, "translation", numbers(place, 3));
  if (rotation) json_object_set_new(object, "rotation", numbers(rotation, 4));
  return object;
}

// Nodes 0 ... bodies - 1 are the bodies; 16:9 is the shape of the camera's picture.
static void add_bodies(writer *w) {
  const drawing *from = &w->job->drawing;
  const recording_head *head = &from->recording.head;
  for (int32_t i = 0; i < head->bodies; i++) {
    const render_body *body = &from->body[i];
    const int plane = body->shape == RENDER_PLANE, look = body_mesh(w, i);
    double rotation[4], scale[3];
    char name[160];
    rotation_of(body->orientation, rotation);
    mesh_scale(body, scale);
    snprintf(name, sizeof name, "%.120s %d", head->groups[head->body[i].group], (int)i);
    json_t *object = node(name, plane ? NULL : body->position, plane ? NULL : rotation);
    if (!plane) json_object_set_new(object, "scale", numbers(scale, 3));
    if (look >= 0) set_whole(object, "mesh", look);
    json_array_append_new(w->children, json_integer(append(w->nodes, object)));
  }
}

static void add_camera(writer *w) {
  const drawing *from = &w->job->drawing;
  const render_camera view = render_fit(&from->scene, 1280, 720, 52, 18, 1, from->item,
                                        from->items);
  const double radius = from->scene.radius;
  json_t *camera = json_object(), *lens = json_object(), *list = json_array();
  double eye[3], rotation[4];
  memcpy(eye, view.eye, sizeof eye);
  rotation_from(view.right, view.top, view.back, rotation);
  json_object_set_new(camera, "type", json_string(view.flat ? "orthographic" : "perspective"));
  if (view.flat) {
    eye[2] += 2.0*radius;
    json_object_set_new(lens, "xmag", json_real(0.5*view.width/view.focal));
    json_object_set_new(lens, "ymag", json_real(0.5*view.height/view.focal));
    json_object_set_new(lens, "znear", json_real(0.1*radius));
    json_object_set_new(lens, "zfar", json_real(4.0*radius));
  } else {
    json_object_set_new(lens, "aspectRatio", json_real((double)view.width/view.height));
    json_object_set_new(lens, "yfov", json_real(2.0*atan(0.5*view.height/view.focal)));
    json_object_set_new(lens, "znear", json_real(0.01*radius));
    json_object_set_new(lens, "zfar", json_real(100.0*radius));
  }
  json_object_set_new(camera, view.flat ? "orthographic" : "perspective", lens);
  json_array_append_new(list, camera);
  json_object_set_new(w->root, "cameras", list);
  json_t *object = node("camera", eye, rotation);
  set_whole(object, "camera", 0);
  json_array_append_new(w->children, json_integer(append(w->nodes, object)));
}

// The node around all others turns what is up into +y, which is up in glTF.
static int add_stage(writer *w) {
  const drawing *from = &w->job->drawing;
  const double *up = from->scene.up;
  double q[4] = {1.0 + up[1], -up[2], 0.0, up[0]}, rotation[4];   // from up to y, the short way
  if (q[0] < 1e-9) q[0] = 0.0, q[1] = 0.0, q[3] = 1.0;
  rotation_of(q, rotation);
  const int turned = from->scene.dimension == 3 && fabs(up[1] - 1.0) > 1e-12;
  json_t *object = node(from->recording.head.scene, NULL, turned ? rotation : NULL);
  json_object_set(object, "children", w->children);
  return append(w->nodes, object);
}

// --------------------------------------------------------------------------------------- animation

static double time_at(const export_job *job, int64_t k) {
  return (double)(k*job->stride)*drawing_interval(&job->drawing);
}

static void add_channel(json_t *samplers, json_t *channels, int times, int values, int body,
                        const char *path) {
  json_t *sampler = json_object(), *channel = json_object(), *target = json_object();
  set_whole(sampler, "input", times);
  json_object_set_new(sampler, "interpolation", json_string("LINEAR"));
  set_whole(sampler, "output", values);
  set_whole(channel, "sampler", append(samplers, sampler));
  set_whole(target, "node", body);
  json_object_set_new(target, "path", json_string(path));
  json_object_set_new(channel, "target", target);
  json_array_append_new(channels, channel);
}

static void add_animation(writer *w) {
  const export_job *job = w->job;
  const recording_head *head = &job->drawing.recording.head;
  const int64_t frames = job->frames;
  w->motion = -1;
  if (frames < 2 || head->moving == 0) return;
  const double ends[2] = {0.0, time_at(job, frames - 1)};
  json_t *samplers = json_array(), *channels = json_array(), *animation = json_object();
  json_t *times = accessor(add_view(w, 4*(uint64_t)frames, 0), 0, FLOAT, frames, "SCALAR");
  json_object_set_new(times, "min", numbers(ends, 1));
  json_object_set_new(times, "max", numbers(ends + 1, 1));
  const int input = append(w->accessors, times);
  w->motion = add_view(w, 28*(uint64_t)frames*(uint64_t)head->moving, 0);
  for (int32_t k = 0; k < head->moving; k++) {
    const uint64_t place = 28*(uint64_t)frames*(uint64_t)k, turn = place + 12*(uint64_t)frames;
    const int body = head->mover[k];
    add_channel(samplers, channels, input,
                append(w->accessors, accessor((int)w->motion, place, FLOAT, frames, "VEC3")), body,
                "translation");
    add_channel(samplers, channels, input,
                append(w->accessors, accessor((int)w->motion, turn, FLOAT, frames, "VEC4")), body,
                "rotation");
  }
  json_object_set_new(animation, "name", json_string("motion"));
  json_object_set_new(animation, "samplers", samplers);
  json_object_set_new(animation, "channels", channels);
  json_t *list = json_array();
  json_array_append_new(list, animation);
  json_object_set_new(w->root, "animations", list);
}

// q and -q are one rotation: the one nearer to the frame before, or bodies would spin in between.
static void take_turn(float *out, const float *before, const double q[4]) {
  double r[4], match = 0.0;
  rotation_of(q, r);
  for (int c = 0; c < 4 && before; c++) match += r[c]*(double)before[c];
  for (int c = 0; c < 4; c++) out[c] = (float)(match < 0.0 ? -r[c] : r[c]);
}

static int put_block(writer *w, int32_t first, int32_t count, float *memory) {
  export_job *job = w->job;
  const size_t frames = (size_t)job->frames;
  for (size_t f = 0; f < frames; f++) {
    const int code = export_frame(job, (int64_t)f);
    if (code) return code;
    for (int32_t k = 0; k < count; k++) {
      float *place = memory + 7*frames*(size_t)k, *turn = place + 3*frames + 4*f;
      double q[4];
      for (int c = 0; c < 3; c++)
        place[3*f + (size_t)c] = record_frame(job->drawing.now, c, job->drawing.within)[first + k];
      for (int c = 0; c < 4; c++)
        q[c] = (double)record_frame(job->drawing.now, 3 + c, job->drawing.within)[first + k];
      take_turn(turn, f ? turn - 4 : NULL, q);
    }
    if (first == 0) export_progress(job);
  }
  for (size_t k = 0; k < 7*frames*(size_t)count; k++) byte_file_f32(&w->out, (double)memory[k]);
  return CODE_OK;
}

static int put_motion(writer *w) {
  const export_job *job = w->job;
  const int32_t moving = job->drawing.recording.head.moving;
  const uint64_t bytes = 28*(uint64_t)job->frames, fit = BLOCK_BYTES_MAX/bytes + 1;
  const int32_t block = fit < (uint64_t)moving ? (int32_t)fit : moving;
  if (w->motion < 0) return CODE_OK;
  for (int64_t k = 0; k < job->frames; k++) byte_file_f32(&w->out, time_at(job, k));
  float *memory = malloc((size_t)bytes*(size_t)block);
  int code = memory ? CODE_OK : fail(CODE_IO, "out of memory for %lld frames",
                                     (long long)job->frames);
  for (int32_t first = 0; first < moving && !code; first += block)
    code = put_block(w, first, moving - first < block ? moving - first : block, memory);
  free(memory);
  return code;
}

// ---------------------------------------------------------------------------------------- the file

static void set_list(writer *w, const char *name, json_t *list) {   // glTF has no empty ones
  if (json_array_size(list) > 0) json_object_set(w->root, name, list);
}

static void describe(writer *w) {
  const recording_head *head = &w->job->drawing.recording.head;
  char generator[64];
  json_t *asset = json_object(), *extras = json_object(), *scene = json_object();
  json_t *scenes = json_array(), *top = json_array();
  snprintf(generator, sizeof generator, "perp %s", perp_version());
  json_object_set_new(asset, "version", json_string("2.0"));
  json_object_set_new(asset, "generator", json_string(generator));
  json_object_set_new(extras, "title", json_text(head->title ? head->title : head->scene));
  json_object_set_new(extras, "command", json_text(head->command ? head->command : ""));
  json_object_set_new(asset, "extras", extras);
  json_object_set_new(w->root, "asset", asset);
  add_bodies(w);
  add_camera(w);
  json_array_append_new(top, json_integer(add_stage(w)));
  json_object_set_new(scene, "name", json_text(head->scene));
  json_object_set_new(scene, "nodes", top);
  json_array_append_new(scenes, scene);
  set_whole(w->root, "scene", 0);
  json_object_set_new(w->root, "scenes", scenes);
  add_animation(w);
  set_list(w, "nodes", w->nodes);
  set_list(w, "meshes", w->meshes);
  set_list(w, "materials", w->materials);
  set_list(w, "accessors", w->accessors);
  set_list(w, "bufferViews", w->views);
  if (w->bytes == 0) return;
  json_t *buffer = json_object(), *buffers = json_array();
  set_whole(buffer, "byteLength", (int64_t)w->bytes);
  json_array_append_new(buffers, buffer);
  json_object_set_new(w->root, "buffers", buffers);
}

static int write_file(writer *w) {
  char *text = json_dumps(w->root, JSON_COMPACT | JSON_REAL_PRECISION(9));
  if (!text) return fail(CODE_IO, "out of memory");
  const uint64_t length = strlen(text), padded = (length + 3)/4*4;
  const uint64_t total = 12 + 8 + padded + (w->bytes ? 8 + w->bytes : 0);
  int code = total <= UINT32_MAX ? byte_file_open(&w->out, w->job->path)
                                 : fail(CODE_USAGE, "%.1f GB are more than a .glb can have; "
                                                    "--frames ::10 takes every tenth frame",
                                        1e-9*(double)total);
  if (!code) {
    byte_file_u32(&w->out, 0x46546c67);   // glTF
    byte_file_u32(&w->out, 2);
    byte_file_u32(&w->out, (uint32_t)total);
    byte_file_u32(&w->out, (uint32_t)padded);
    byte_file_u32(&w->out, 0x4e4f534a);   // JSON
    byte_file_bytes(&w->out, text, length);
    byte_file_bytes(&w->out, "   ", padded - length);
    if (w->bytes) {
      byte_file_u32(&w->out, (uint32_t)w->bytes);
      byte_file_u32(&w->out, 0x004e4942); // BIN
      put_shapes(w);
      code = put_motion(w);
    }
    if (!code) code = byte_file_close(&w->out, w->job);
    else byte_file_abandon(&w->out);
  }
  free(text);
  return code;
}

static int prepare(writer *w) {
  const recording_head *head = &w->job->drawing.recording.head;
  const size_t slots = MESH_KINDS + (size_t)head->bodies;
  w->shape = calloc(slots, sizeof *w->shape);
  w->order = calloc(slots, sizeof *w->order);
  w->material = calloc(2*BUCKETS + SPECIALS, sizeof *w->material);
  w->look = calloc((BUCKETS + 2)*MESH_KINDS, sizeof *w->look);
  w->root = json_object();
  w->accessors = json_array(), w->views = json_array(), w->meshes = json_array();
  w->materials = json_array(), w->nodes = json_array(), w->children = json_array();
  const int bad = !w->shape || !w->order || !w->material || !w->look || !w->root ||
                  !w->accessors || !w->views || !w->meshes || !w->materials || !w->nodes ||
                  !w->children ||
                  mesh_set_create(&w->job->drawing.scene, w->job->detail, &w->set);
  return bad ? fail(CODE_IO, "out of memory") : CODE_OK;
}

int export_glb(export_job *job) {
  writer w = {.job = job};
  int code = export_frame(job, 0);
  if (!code) code = prepare(&w);
  if (!code) {
    describe(&w);
    code = write_file(&w);
  }
  json_t *const lists[] = {w.root, w.accessors, w.views, w.meshes, w.materials, w.nodes,
                           w.children};
  for (size_t k = 0; k < sizeof lists/sizeof *lists; k++) json_decref(lists[k]);
  mesh_set_free(&w.set);
  free(w.shape);
  free(w.order);
  free(w.material);
  free(w.look);
  return code;
}
