// surface_mesh.c: the surface of a liquid in space as triangles, by marching tetrahedra.
//
// Nodes are the centres of cells, which may be parts of recorded ones (liquid_surface.h). A cube of
// eight nodes is six tetrahedra around its diagonal (Kuhn), which fit those of the cubes beside it;
// in each the distance is linear, and its zero is a triangle or a quad. That is a closed surface
// whatever the distances are. The player makes the same triangles (viewer/src/surface3d.js).
//
// At the sides of the grid there are two more layers of nodes, both on the side itself. The first
// layer repeats the nodes beside it. The second layer is air. The surface between them closes the
// liquid with a flat cap, whose vertices are at the nodes of the first layer. The cap has no folds,
// because the distance grows across the layers in all tetrahedra.
#include "surface_mesh.h"

#include <math.h>
#include <record.h>
#include <stdlib.h>
#include <string.h>

enum {
  NODE_EDGES = 7,              // edges from a node upwards, by the bits of their axes
  RIM_LAYERS = 2               // of nodes at a side of the grid
};
// The distance in the second layer, in cells: more than the largest recorded, 127/RECORD_SURFACE_UNIT.
static const float air = 2.5f;
// Vertices stay this far from nodes, relative to the edge, so that no triangle has the area 0.
static const double nearest = 0.01;

typedef struct marcher {
  const int32_t *cells;
  double spacing;
  int64_t n[3];                // nodes
  const int8_t *distance;
  float *layer[2];             // n[0] x n[1]: the distances of this layer of nodes, and of the next
  int32_t *edge[2];            // n[0] x n[1] x NODE_EDGES: the vertex on it, or -1; likewise
  uint8_t *rim;                // vertex_room: 1 if it is on an edge to the second layer of a side
  surface *out;
  int failed;
} marcher;

void surface_free(surface *what) {
  free(what->position);
  free(what->corner);
  *what = (surface){0};
}

// ------------------------------------------------------------------------------------------- nodes

static double place(const marcher *m, int axis, int64_t i) {
  const double cell = (double)(i - RIM_LAYERS) + 0.5;
  return m->spacing*fmin(fmax(cell, 0.0), (double)m->cells[axis]);
}

static int is_outer(const marcher *m, int axis, int64_t i) { return i == 0 || i == m->n[axis] - 1; }

static int64_t cell_of(const marcher *m, int axis, int64_t i) {
  const int64_t cell = i - RIM_LAYERS;
  return cell < 0 ? 0 : cell < m->cells[axis] ? cell : m->cells[axis] - 1;
}

static void load(const marcher *m, int64_t k, float *layer) {
  for (int64_t j = 0; j < m->n[1]; j++) {
    const int8_t *row = m->distance + (cell_of(m, 2, k)*m->cells[1] + cell_of(m, 1, j))*m->cells[0];
    const int outer = is_outer(m, 2, k) || is_outer(m, 1, j);
    for (int64_t i = 0; i < m->n[0]; i++)
      layer[j*m->n[0] + i] = outer || is_outer(m, 0, i)
                                 ? air : (float)row[cell_of(m, 0, i)]/RECORD_SURFACE_UNIT;
  }
}

// ---------------------------------------------------------------------------------------- vertices

static int32_t add_vertex(marcher *m, const double at[3], int rim) {
  surface *out = m->out;
  if (out->vertices == out->vertex_room) {
    const int32_t room = out->vertex_room < INT32_MAX/6 ? 2*out->vertex_room + 1024 : 0;
    float *position = room ? realloc(out->position, 3*(size_t)room*sizeof *position) : NULL;
    if (position) out->position = position;
    uint8_t *flags = room ? realloc(m->rim, (size_t)room) : NULL;
    if (flags) m->rim = flags;
    if (!position || !flags) {
      m->failed = 1;
      return 0;
    }
    out->vertex_room = room;
  }
  for (int c = 0; c < 3; c++) out->position[3*(size_t)out->vertices + (size_t)c] = (float)at[c];
  m->rim[out->vertices] = (uint8_t)rim;
  return out->vertices++;
}

// On the edge from a corner of cube (i, j, k) to one above it: corners are bits of axes.
static int32_t vertex_on(marcher *m, const int64_t at[3], int low, int high) {
  const int up = low >> 2 & 1, bits = high ^ low;
  const int64_t node = (at[1] + (low >> 1 & 1))*m->n[0] + at[0] + (low & 1);
  int32_t *known = &m->edge[up][node*NODE_EDGES + bits - 1];
  if (*known >= 0) return *known;
  const int64_t step = (bits & 1) + (bits >> 1 & 1)*m->n[0];
  const float from = m->layer[up][node], to = m->layer[high >> 2 & 1][node + step];
  double part = (double)from/((double)from - (double)to), x[3];
  part = fmin(fmax(part, nearest), 1.0 - nearest);
  const int rim = from >= air || to >= air;
  if (rim) part = from >= air;   // at the other end: what has no thickness has no need of more
  for (int c = 0; c < 3; c++) {
    const double a = place(m, c, at[c] + (low >> c & 1)), b = place(m, c, at[c] + (high >> c & 1));
    x[c] = a + part*(b - a);
  }
  *known = add_vertex(m, x, rim);
  return *known;
}

// --------------------------------------------------------------------------------------- triangles

static void add_triangle(marcher *m, int32_t a, int32_t b, int32_t c) {
  surface *out = m->out;
  if (m->failed) return;
  if (out->triangles == out->triangle_room) {
    const int32_t room = out->triangle_room < INT32_MAX/6 ? 2*out->triangle_room + 2048 : 0;
    int32_t *corner = room ? realloc(out->corner, 3*(size_t)room*sizeof *corner) : NULL;
    if (!corner) {
      m->failed = 1;
      return;
    }
    out->corner = corner;
    out->triangle_room = room;
  }
  int32_t *to = &out->corner[3*(size_t)out->triangles++];
  to[0] = a, to[1] = b, to[2] = c;
}

static double square(const surface *s, int32_t a, int32_t b) {
  double sum = 0.0;
  for (size_t c = 0; c < 3; c++) {
    const double d = (double)s->position[3*(size_t)a + c] - (double)s->position[3*(size_t)b + c];
    sum += d*d;
  }
  return sum;
}

static void add_quad(marcher *m, int32_t a, int32_t b, int32_t c, int32_t d) {
  if (m->failed) return;
  const int cut = square(m->out, a, c) <= square(m->out, b, d);   // along the shorter diagonal
  add_triangle(m, a, b, cut ? c : d);
  add_triangle(m, cut ? a : b, c, d);
}

static int32_t between(marcher *m, const int64_t at[3], const int corner[4], int p, int q) {
  return p < q ? vertex_on(m, at, corner[p], corner[q]) : vertex_on(m, at, corner[q], corner[p]);
}

// Corners in the order of the path from the lowest to the highest; odd: it turns to the left.
static void march(marcher *m, const int64_t at[3], const int corner[4], int inside, int odd) {
  static const int inverted[16] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
  const int count = (inside & 1) + (inside >> 1 & 1) + (inside >> 2 & 1) + (inside >> 3);
  int list[4], in = 0, outs = count;   // those inside, then the others
  for (int p = 0; p < 4; p++) list[inside >> p & 1 ? in++ : outs++] = p;
  if (count == 2) {            // (a, b, c, d) is even but for 0 2 | 1 3 and 1 3 | 0 2
    const int swap = odd ^ inverted[inside];
    const int a = list[swap], b = list[!swap], c = list[2], d = list[3];
    add_quad(m, between(m, at, corner, a, c), between(m, at, corner, a, d),
             between(m, at, corner, b, d), between(m, at, corner, b, c));
    return;
  }
  const int one = count == 1 ? list[0] : list[3], *others = count == 1 ? list + 1 : list;
  const int swap = (odd + one + (count == 3)) & 1;   // swaps that bring `one` to the front
  add_triangle(m, between(m, at, corner, one, others[0]),
               between(m, at, corner, one, others[1 + swap]),
               between(m, at, corner, one, others[2 - swap]));
}

static void march_cube(marcher *m, const int64_t at[3]) {
  static const int first[6] = {1, 1, 2, 2, 4, 4}, second[6] = {3, 5, 6, 3, 5, 6};
  static const int odd[6] = {0, 1, 0, 1, 0, 1};   // of the order of its axes: xyz, xzy, yzx, ...
  int below = 0;
  for (int c = 0; c < 8; c++) {
    const int64_t node = (at[1] + (c >> 1 & 1))*m->n[0] + at[0] + (c & 1);
    below |= (m->layer[c >> 2][node] < 0.0f) << c;
  }
  if (below == 0 || below == 255) return;
  for (int t = 0; t < 6; t++) {
    const int corner[4] = {0, first[t], second[t], 7};
    int inside = 0;
    for (int p = 0; p < 4; p++) inside |= (below >> corner[p] & 1) << p;
    if (inside != 0 && inside != 15) march(m, at, corner, inside, odd[t]);
  }
}

// ------------------------------------------------------------------------------------------- joints

// Edges between the two layers of a side have no length: many vertices are in one place.
typedef struct point { float x[3]; int32_t vertex; } point;

static int by_place(const void *a, const void *b) {
  const point *p = a, *q = b;
  for (int c = 0; c < 3; c++)
    if (p->x[c] != q->x[c]) return p->x[c] < q->x[c] ? -1 : 1;
  return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

// All vertices of a place become the first of them; triangles that were between them go.
static int join(marcher *m) {
  surface *s = m->out;
  int32_t count = 0, kept = 0, left = 0;
  for (int32_t v = 0; v < s->vertices; v++) count += m->rim[v];
  point *list = malloc(((size_t)count + 1)*sizeof *list);
  int32_t *now = malloc(((size_t)s->vertices + 1)*sizeof *now);
  if (list && now) {
    count = 0;
    for (int32_t v = 0; v < s->vertices; v++) {
      now[v] = v;
      if (!m->rim[v]) continue;
      memcpy(list[count].x, &s->position[3*(size_t)v], sizeof list[count].x);
      list[count++].vertex = v;
    }
    qsort(list, (size_t)count, sizeof *list, by_place);
    for (int32_t k = 1; k < count; k++)
      if (!memcmp(list[k].x, list[k - 1].x, sizeof list[k].x))
        now[list[k].vertex] = now[list[k - 1].vertex];
    for (int32_t v = 0; v < s->vertices; v++) {   // the first of a place comes before the others
      if (now[v] != v) {
        now[v] = now[now[v]];
        continue;
      }
      memmove(&s->position[3*(size_t)kept], &s->position[3*(size_t)v], 3*sizeof *s->position);
      now[v] = kept++;
    }
    s->vertices = kept;
    for (int32_t t = 0; t < s->triangles; t++) {
      const int32_t *from = &s->corner[3*(size_t)t];
      const int32_t a = now[from[0]], b = now[from[1]], c = now[from[2]];
      if (a == b || b == c || c == a) continue;
      int32_t *to = &s->corner[3*(size_t)left++];
      to[0] = a, to[1] = b, to[2] = c;
    }
    s->triangles = left;
  }
  const int failed = !list || !now;
  free(list);
  free(now);
  return failed;
}

int surface_make(const int32_t cells[3], double spacing, const int8_t *distance, surface *out) {
  *out = (surface){0};
  marcher m = {.cells = cells, .spacing = spacing, .distance = distance, .out = out};
  for (int c = 0; c < 3; c++) m.n[c] = (int64_t)cells[c] + 2*RIM_LAYERS;
  const size_t nodes = (size_t)m.n[0]*(size_t)m.n[1];
  for (int k = 0; k < 2; k++) {
    m.layer[k] = malloc(nodes*sizeof *m.layer[k]);
    m.edge[k] = malloc(nodes*NODE_EDGES*sizeof *m.edge[k]);
    if (!m.layer[k] || !m.edge[k]) m.failed = 1;
  }
  for (int64_t k = 0; k < m.n[2] && !m.failed; k++) {
    float *layer = m.layer[0];
    int32_t *edge = m.edge[0];
    m.layer[0] = m.layer[1], m.edge[0] = m.edge[1];
    m.layer[1] = layer, m.edge[1] = edge;
    load(&m, k, m.layer[1]);
    memset(m.edge[1], 0xff, nodes*NODE_EDGES*sizeof *m.edge[1]);   // -1
    for (int64_t j = 0; j + 1 < m.n[1] && k > 0; j++)
      for (int64_t i = 0; i + 1 < m.n[0]; i++) march_cube(&m, (const int64_t[3]){i, j, k - 1});
  }
  if (!m.failed) m.failed = join(&m);
  for (int k = 0; k < 2; k++) {
    free(m.layer[k]);
    free(m.edge[k]);
  }
  free(m.rim);
  if (m.failed) surface_free(out);
  return m.failed;
}
