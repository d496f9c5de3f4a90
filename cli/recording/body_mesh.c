// body_mesh.c: bodies as triangles: scaled unit shapes, and finite parts of planes.
#include "body_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS_MAX = 64 };         // of a plane's part
static const double band = 0.012;      // half width of a bar of a cage, in radii
static const double rim = 0.03;        // width of a ring, in radii
static const double thickness = 0.06;  // of solids in two dimensions, in radii of the scene
static const double pi = 3.141592653589793;

// ----------------------------------------------------------------------------------- the triangles

static int reserve(mesh *m, int32_t vertices, int32_t triangles) {
  m->vertex_room = vertices;
  m->triangle_room = triangles;
  m->position = calloc((size_t)vertices + 1, 3*sizeof *m->position);
  m->normal = calloc((size_t)vertices + 1, 3*sizeof *m->normal);
  m->corner = calloc((size_t)triangles + 1, 3*sizeof *m->corner);
  return !m->position || !m->normal || !m->corner;
}

static void release(mesh *m) {
  free(m->position);
  free(m->normal);
  free(m->corner);
  *m = (mesh){0};
}

static int32_t add_vertex(mesh *m, const double p[3], const double n[3]) {
  const double length = sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2]);
  for (int c = 0; c < 3; c++) {
    m->position[3*m->vertices + c] = (float)p[c];
    m->normal[3*m->vertices + c] = (float)(n[c]/length);
  }
  return m->vertices++;
}

static void add_triangle(mesh *m, int32_t a, int32_t b, int32_t c) {
  const int32_t corner[3] = {a, b, c};
  memcpy(m->corner + 3*(size_t)m->triangles++, corner, sizeof corner);
}

// All that was added so far is light; what comes is dark.
static void end_light(mesh *m) { m->light = m->triangles, m->light_vertices = m->vertices; }

// ------------------------------------------------------------------------------------- unit shapes

// An eighth of a sphere: a triangle with corners on the axes, cut into parts^2 and blown up. The
// angles along an edge are equal.
static void add_octant(mesh *m, const double sign[3], int32_t parts) {
  const int32_t first = m->vertices;
  const int outward = sign[0]*sign[1]*sign[2] > 0.0;
  for (int32_t i = 0; i <= parts; i++) {         // rows towards z
    const double up = 0.5*pi*i/parts;
    for (int32_t j = 0; j <= parts - i; j++) {
      const double turn = i < parts ? 0.5*pi*j/(parts - i) : 0.0;
      const double p[3] = {sign[0]*cos(up)*cos(turn), sign[1]*cos(up)*sin(turn), sign[2]*sin(up)};
      const double exact[3] = {j == parts - i ? 0.0 : p[0], j == 0 ? 0.0 : p[1],
                               i == 0 ? 0.0 : p[2]};
      add_vertex(m, i == parts ? (double[3]){0.0, 0.0, sign[2]} : exact,
                 i == parts ? (double[3]){0.0, 0.0, sign[2]} : exact);
    }
  }
  int32_t row = first;
  for (int32_t i = 0; i < parts; i++) {
    const int32_t next = row + parts - i + 1;
    for (int32_t j = 0; j < parts - i; j++) {
      const int32_t a = row + j, b = a + 1, c = next + j;
      add_triangle(m, a, outward ? b : c, outward ? c : b);
      if (j < parts - i - 1) add_triangle(m, b, outward ? c + 1 : c, outward ? c : c + 1);
    }
    row = next;
  }
}

// Two sectors of four are dark, as in pictures.
static int make_sphere(mesh *m, int32_t parts) {
  if (reserve(m, 4*(parts + 1)*(parts + 2), 8*parts*parts)) return 1;
  for (int dark = 0; dark < 2; dark++) {
    for (int k = 0; k < 8; k++) {
      const double sign[3] = {k & 1 ? -1.0 : 1.0, k & 2 ? -1.0 : 1.0, k & 4 ? -1.0 : 1.0};
      if ((sign[0]*sign[1] > 0.0) == dark) add_octant(m, sign, parts);
    }
    if (!dark) end_light(m);
  }
  return 0;
}

// A quadrangle by its corners, against the clock.
static void add_quad(mesh *m, double p[4][3], const double normal[3]) {
  const int32_t first = m->vertices;
  for (int k = 0; k < 4; k++) add_vertex(m, p[k], normal);
  add_triangle(m, first, first + 1, first + 2);
  add_triangle(m, first, first + 2, first + 3);
}

static int make_box(mesh *m) {
  if (reserve(m, 24, 12)) return 1;
  for (int axis = 0; axis < 3; axis++) {
    for (int side = -1; side <= 1; side += 2) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      double p[4][3], normal[3] = {0};
      normal[axis] = side;
      for (int k = 0; k < 4; k++) {
        const int turned = side > 0 ? k : 3 - k;
        p[k][axis] = side;
        p[k][u] = turned == 0 || turned == 3 ? -1.0 : 1.0;
        p[k][v] = turned < 2 ? -1.0 : 1.0;
      }
      add_quad(m, p, normal);
    }
  }
  end_light(m);
  return 0;
}

// A band along the circle around an axis, on the unit sphere.
static void add_band(mesh *m, int axis, int32_t parts) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int32_t k = 0; k < parts; k++) {
    double p[4][3];
    const int32_t first = m->vertices;
    for (int c = 0; c < 4; c++) {
      const double t = 2.0*pi*(k + (c == 1 || c == 2))/parts, w = c < 2 ? -band : band;
      const double length = sqrt(1.0 + w*w);
      p[c][axis] = w/length, p[c][u] = cos(t)/length, p[c][v] = sin(t)/length;
      add_vertex(m, p[c], p[c]);
    }
    add_triangle(m, first, first + 1, first + 2);
    add_triangle(m, first, first + 2, first + 3);
  }
}

static int make_cage(mesh *m, int32_t parts) {
  const int32_t round = 8*parts;
  if (reserve(m, 12*round, 6*round)) return 1;
  for (int axis = 0; axis < 3; axis++) add_band(m, axis, round);
  end_light(m);
  return 0;
}

static const double towards[3] = {0.0, 0.0, 1.0};   // who looks at the plane

static int make_disc(mesh *m, int32_t parts) {
  static const int quarters[4] = {1, 3, 0, 2};   // the dark ones last
  const int32_t arc = 2*parts;
  if (reserve(m, 4*(arc + 2), 4*arc)) return 1;
  for (int pass = 0; pass < 4; pass++) {
    const int quarter = quarters[pass];
    const int32_t middle = add_vertex(m, (double[3]){0}, towards);
    for (int32_t k = 0; k <= arc; k++) {
      const double t = 0.5*pi*(quarter + (double)k/arc);
      const int32_t at = add_vertex(m, (double[3]){cos(t), sin(t), 0.0}, towards);
      if (k > 0) add_triangle(m, middle, at - 1, at);
    }
    if (pass == 1) end_light(m);
  }
  return 0;
}

static int make_rectangle(mesh *m) {
  double p[4][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  if (reserve(m, 4, 2)) return 1;
  add_quad(m, p, towards);
  end_light(m);
  return 0;
}

static int make_ring(mesh *m, int32_t parts) {
  const int32_t round = 8*parts;
  if (reserve(m, 4*round, 2*round)) return 1;
  for (int32_t k = 0; k < round; k++) {
    double p[4][3] = {{0}};
    for (int c = 0; c < 4; c++) {
      const double t = 2.0*pi*(k + (c > 1))/round, r = c == 1 || c == 2 ? 1.0 + rim : 1.0;
      p[c][0] = r*cos(t), p[c][1] = r*sin(t);
    }
    add_quad(m, p, towards);
  }
  end_light(m);
  return 0;
}

// ------------------------------------------------------------------------------------------ planes

static double dot(const double a[3], const double b[3]) {
  return a[0]*b[0] + a[1]*b[1] + a[2]*b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = a[(c + 1) % 3]*b[(c + 2) % 3] - a[(c + 2) % 3]*b[(c + 1) % 3];
}

int mesh_is_floor(const render_scene *scene, const render_body *body) {
  return body->shape == RENDER_PLANE && dot(body->extent, scene->up) > 0.5;
}

// What of a convex polygon has n.x >= offset; the number of its corners.
static int clip(double p[CORNERS_MAX][3], int count, const double n[3], double offset) {
  double out[CORNERS_MAX][3];
  int kept = 0;
  for (int k = 0; k < count; k++) {
    const double *a = p[k], *b = p[(k + 1) % count];
    const double here = dot(n, a) - offset, there = dot(n, b) - offset;
    if (here >= 0.0 && kept < CORNERS_MAX) memcpy(out[kept++], a, sizeof out[0]);
    if ((here < 0.0) == (there < 0.0) || kept == CORNERS_MAX) continue;
    for (int c = 0; c < 3; c++) out[kept][c] = a[c] + here/(here - there)*(b[c] - a[c]);
    kept++;
  }
  memcpy(p, out, (size_t)kept*sizeof out[0]);
  return kept < 3 ? 0 : kept;
}

// A square of the plane below the middle of the scene, or a strip of what is solid in two
// dimensions, as far as the other planes let it.
static int make_plane(const render_scene *scene, int32_t i, mesh *m) {
  const render_body *body = &scene->body[i];
  const double *n = body->extent, reach = 2.0*scene->radius;
  const int flat = scene->dimension == 2;
  const double deep = flat ? thickness*scene->radius : 0.0;
  double u[3], v[3], p[CORNERS_MAX][3], foot[3];
  cross(flat ? towards : fabs(n[0]) < 0.9 ? (double[3]){1, 0, 0} : (double[3]){0, 1, 0}, n, u);
  const double length = sqrt(dot(u, u));
  if (!(length > 0.0)) return reserve(m, 0, 0);   // across the picture: nothing to be seen
  for (int c = 0; c < 3; c++) u[c] /= length;
  cross(n, u, v);
  const double above = dot(n, scene->center) - body->offset;
  for (int c = 0; c < 3; c++) foot[c] = scene->center[c] - above*n[c];
  for (int k = 0; k < 4; k++) {
    const double along_u = k == 0 || k == 3 ? -reach : reach, along_v = k < 2 ? -reach : reach;
    for (int c = 0; c < 3; c++)
      p[k][c] = foot[c] + along_u*u[c] + (flat ? k < 2 ? 0.0 : -deep*n[c] : along_v*v[c]);
  }
  int count = 4;
  if (flat && (p[1][0] - p[0][0])*(p[2][1] - p[0][1]) < (p[1][1] - p[0][1])*(p[2][0] - p[0][0])) {
    for (int c = 0; c < 3; c++) {   // against the clock
      const double kept = p[1][c];
      p[1][c] = p[3][c];
      p[3][c] = kept;
    }
  }
  for (int32_t k = 0; k < scene->bodies && count > 0; k++) {
    const render_body *other = &scene->body[k];
    if (k == i || other->shape != RENDER_PLANE || fabs(dot(other->extent, n)) > 0.999) continue;
    count = clip(p, count, other->extent, other->offset - deep);
  }
  if (reserve(m, count, count > 2 ? count - 2 : 0)) return 1;
  for (int k = 0; k < count; k++) add_vertex(m, p[k], flat ? towards : n);
  for (int k = 2; k < count; k++) add_triangle(m, 0, k - 1, k);
  end_light(m);
  return 0;
}

// --------------------------------------------------------------------------------------- the scene

int mesh_set_create(const render_scene *scene, int32_t detail, mesh_set *out) {
  *out = (mesh_set){.bodies = scene->bodies};
  out->plane = calloc((size_t)scene->bodies + 1, sizeof *out->plane);
  int bad = !out->plane || make_sphere(&out->unit[MESH_SPHERE], detail) ||
            make_box(&out->unit[MESH_BOX]) || make_cage(&out->unit[MESH_CAGE], detail) ||
            make_disc(&out->unit[MESH_DISC], detail) ||
            make_rectangle(&out->unit[MESH_RECTANGLE]) ||
            make_ring(&out->unit[MESH_RING], detail) ||
            make_sphere(&out->unit[MESH_SHELL], detail < 16 ? 3*detail : 48);
  for (int32_t i = 0; i < scene->bodies && !bad; i++)
    bad = scene->body[i].shape == RENDER_PLANE && make_plane(scene, i, &out->plane[i]);
  if (bad) mesh_set_free(out);
  return bad;
}

void mesh_set_free(mesh_set *what) {
  for (int k = 0; k < MESH_KINDS; k++) release(&what->unit[k]);
  for (int32_t i = 0; what->plane && i < what->bodies; i++) release(&what->plane[i]);
  free(what->plane);
  *what = (mesh_set){0};
}

mesh_kind mesh_kind_of(const render_scene *scene, const render_body *body) {
  const int flat = scene->dimension == 2;
  switch (body->shape) {
    case RENDER_SPHERE: return flat ? MESH_DISC : MESH_SPHERE;
    case RENDER_BOX: return flat ? MESH_RECTANGLE : MESH_BOX;
    case RENDER_HOLLOW: return flat ? MESH_RING : MESH_CAGE;
    case RENDER_PLANE: return MESH_PLANE;
    default: return MESH_NONE;
  }
}

const mesh *mesh_shown(const mesh_set *set, const render_scene *scene, int32_t i,
                       mesh_kind *kind) {
  const render_body *body = &scene->body[i];
  *kind = mesh_kind_of(scene, body);
  if (*kind == MESH_NONE) return NULL;
  if (*kind != MESH_PLANE) return &set->unit[*kind];
  return scene->dimension == 2 || mesh_is_floor(scene, body) ? &set->plane[i] : NULL;
}

void mesh_scale(const render_body *body, double scale[3]) {
  for (int c = 0; c < 3; c++)
    scale[c] = body->shape == RENDER_BOX     ? body->extent[c]
               : body->shape == RENDER_PLANE ? 1.0
                                             : body->extent[0];
}

static void turn(const double q[4], const double from[3], double to[3]) {
  const double square = q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3];
  const double s = square > 0.0 ? 2.0/square : 0.0;
  double once[3], twice[3];
  cross(q + 1, from, once);
  cross(q + 1, once, twice);
  for (int c = 0; c < 3; c++) to[c] = from[c] + s*(q[0]*once[c] + twice[c]);
}

void mesh_place(const render_body *body, mesh_kind kind, const float position[3],
                const float normal[3], double point[3], double direction[3]) {
  double scale[3], at[3], n[3], sum = 0.0;
  mesh_scale(body, scale);
  for (int c = 0; c < 3; c++) {
    at[c] = scale[c]*(double)position[c];
    n[c] = scale[c] > 0.0 ? (double)normal[c]/scale[c] : (double)normal[c];
    sum += n[c]*n[c];
  }
  for (int c = 0; c < 3; c++) n[c] /= sqrt(sum);
  if (kind == MESH_PLANE) {
    memcpy(point, at, sizeof at);
    memcpy(direction, n, sizeof n);
    return;
  }
  turn(body->orientation, at, point);
  turn(body->orientation, n, direction);
  for (int c = 0; c < 3; c++) point[c] += body->position[c];
}
