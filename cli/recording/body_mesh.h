// body_mesh.h: bodies as triangles: scaled unit shapes, and finite parts of planes.
#pragma once

#include <render.h>
#include <stdint.h>

// Outward normals, corners against the clock seen from outside. Two tones show how a body turns:
// the first `light` triangles, which use the first `light_vertices` vertices, and the dark ones.
typedef struct mesh {
  int32_t vertices, triangles, light_vertices, light;
  float *position, *normal;    // 3 x vertices
  int32_t *corner;             // 3 x triangles
  int32_t vertex_room, triangle_room;
} mesh;

typedef enum mesh_kind {
  MESH_SPHERE, MESH_BOX,       // of radius 1, of half sides 1
  MESH_CAGE,                   // three thin bands that stand for a hollow sphere
  MESH_DISC, MESH_RECTANGLE, MESH_RING,   // the same in the plane z = 0
  MESH_SHELL,                  // a sphere that is round enough to be around others
  MESH_KINDS, MESH_PLANE = MESH_KINDS,    // as it is in the scene
  MESH_NONE
} mesh_kind;

typedef struct mesh_set {
  mesh unit[MESH_KINDS];
  mesh *plane;                 // bodies: those that are planes
  int32_t bodies;
} mesh_set;

#define MESH_DARK_SHARE 0.68   // the dark tone of a body relative to its light one, as in pictures

// detail: the number of parts along an edge of an eighth of a sphere. 0, or 1: no memory.
int mesh_set_create(const render_scene *scene, int32_t detail, mesh_set *out);
void mesh_set_free(mesh_set *what);

mesh_kind mesh_kind_of(const render_scene *scene, const render_body *body);
int mesh_is_floor(const render_scene *scene, const render_body *body);   // not a wall
// The mesh of a body as it is shown, or NULL: walls would hide what is behind them.
const mesh *mesh_shown(const mesh_set *set, const render_scene *scene, int32_t i, mesh_kind *kind);
void mesh_scale(const render_body *body, double scale[3]);
// A body in its place: a point of its mesh and the normal there; q is its orientation.
void mesh_place(const render_body *body, mesh_kind kind, const float position[3],
                const float normal[3], double point[3], double direction[3]);
