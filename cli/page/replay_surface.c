// replay_surface.c: the surface of a liquid in space, as the player reads it.
//
// The page stores the difference of each node from the value that the nodes before it predict. Runs
// of zero differences are stored as counts. The more zeros, the smaller the page. For most nodes the
// player does not need the exact value:
//   at the ends of edges that cross the surface   the value itself: vertices lie on these edges;
//   beside such nodes                             about the value: it only turns normals;
//   everywhere else                               the sign.
// Where the predicted value satisfies this, the node takes it.
#include "replay_surface.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"

// Nodes of a frame at most. The browser goes through all of them to show it: a splash on 0.9 million
// nodes (dam-break-3d, frame 40) takes 0.15 s.
enum { NODES_MAX = 8000000 };
// Shorter runs of nodes without a difference are stored one by one: two counts take two bytes.
enum { RUN_NODES_MIN = 3 };
// The error of a value beside an edge that crosses the surface, in 1/REPLAY_UNIT of a node's width.
// On dam-break-3d (61 frames, size 48) the surface packs to 70 % of its size with 0, to 57 % with 8.
enum { OUTER_ERROR_MAX = 8 };
enum need { NEED_SIGN, NEED_SLOPE, NEED_VALUE };

static size_t count_of(const replay_surface *s) {
  return (size_t)s->nodes[0]*(size_t)s->nodes[1]*(size_t)s->nodes[2];
}

static int begin(replay_surface *s) {
  if (s->value) return 0;
  do {
    s->join++;
    for (int c = 0; c < 3; c++) s->nodes[c] = (s->fine.cells[c] + s->join - 1)/s->join;
  } while (count_of(s) > NODES_MAX);
  s->spacing = s->fine.spacing*s->join;
  s->value = malloc(count_of(s));
  return !s->value;
}

// The mean of the nodes that are joined. It is inside if one of them is: sheets get thicker where
// nodes are joined, and are not torn.
static int8_t value_at(const replay_surface *s, const int32_t at[3]) {
  const int32_t *n = s->fine.cells;
  int32_t from[3], to[3], inside = 0, all = 0;
  double sum = 0.0;
  for (int c = 0; c < 3; c++) {
    from[c] = at[c]*s->join;
    to[c] = from[c] + s->join < n[c] ? from[c] + s->join : n[c];
  }
  for (int32_t k = from[2]; k < to[2]; k++)
    for (int32_t j = from[1]; j < to[1]; j++)
      for (int32_t i = from[0]; i < to[0]; i++, all++) {
        const int d = s->fine.distance[((size_t)k*(size_t)n[1] + (size_t)j)*(size_t)n[0] + (size_t)i];
        inside += d < 0;
        sum += d;
      }
  const double d = floor(REPLAY_UNIT*sum/(FIELD_UNIT*(double)all*s->join));
  return (int8_t)fmin(fmax(inside ? fmin(d, -1.0) : d, REPLAY_LOW), REPLAY_HIGH);
}

static int within(int value) {
  return value < REPLAY_LOW ? REPLAY_LOW : value > REPLAY_HIGH ? REPLAY_HIGH : value;
}

// The value at node (i, j, k) predicted from the nodes before it, by planes through three of them.
// Inside the grid it is the rounded mean of three such planes.
static int suggested(const int8_t *v, const int32_t nodes[3], int32_t i, int32_t j, int32_t k) {
  const ptrdiff_t step[3] = {1, nodes[0], (ptrdiff_t)nodes[0]*nodes[1]};
  const int32_t at[3] = {i, j, k};
  int sum = 0, axes = 0;
  for (int c = 0; c < 3; c++)
    if (at[c] > 0) sum += v[-step[c]], axes++;
  if (axes == 0) return REPLAY_HIGH;
  if (axes == 1) return sum;
  for (int c = 0; c < 3; c++) {
    const int d = (c + 1) % 3;
    if (axes == 3) sum += v[-step[c]] - v[-step[c] - step[d]];
    else if (at[c] > 0 && at[d] > 0) sum -= v[-step[c] - step[d]];
  }
  enum { UP = 4096 };          // whole numbers are divided downwards from above 0
  return within(axes == 3 ? (sum + 1 + 3*UP)/3 - UP : sum);
}

// The ends of edges that cross the surface in the cube above node (i, j, k). Edges are those of six
// tetrahedra around its diagonal (viewer/src/surface3d.js): from a corner to one above it.
static void mark_cube(const replay_surface *s, int32_t i, int32_t j, int32_t k, size_t node,
                      unsigned char *need) {
  const size_t line = (size_t)s->nodes[0], layer = line*(size_t)s->nodes[1];
  const size_t x = i + 1 < s->nodes[0], y = j + 1 < s->nodes[1] ? line : 0,
               z = k + 1 < s->nodes[2] ? layer : 0;
  const size_t corner[8] = {node,     node + x,     node + y,     node + x + y,
                            node + z, node + x + z, node + y + z, node + x + y + z};
  int inside = 0;
  for (int c = 0; c < 8; c++) inside |= (s->value[corner[c]] < 0) << c;
  if (inside == 0 || inside == 255) return;
  for (int low = 0; low < 8; low++)
    for (int high = low + 1; high < 8; high++)
      if ((low & high) == low && (inside >> low & 1) != (inside >> high & 1))
        need[corner[low]] = need[corner[high]] = NEED_VALUE;
}

static void mark_slope(unsigned char *need) {
  if (*need == NEED_SIGN) *need = NEED_SLOPE;
}

// What the player needs of each node.
static void find_needs(const replay_surface *s, unsigned char *need) {
  const int32_t *n = s->nodes;
  const ptrdiff_t line = n[0], layer = line*n[1];
  size_t node = 0;
  for (int32_t k = 0; k < n[2]; k++)
    for (int32_t j = 0; j < n[1]; j++)
      for (int32_t i = 0; i < n[0]; i++) mark_cube(s, i, j, k, node++, need);
  unsigned char *at = need;
  for (int32_t k = 0; k < n[2]; k++)
    for (int32_t j = 0; j < n[1]; j++)
      for (int32_t i = 0; i < n[0]; i++, at++) {
        if (*at != NEED_VALUE) continue;
        if (i > 0) mark_slope(at - 1);
        if (i + 1 < n[0]) mark_slope(at + 1);
        if (j > 0) mark_slope(at - line);
        if (j + 1 < n[1]) mark_slope(at + line);
        if (k > 0) mark_slope(at - layer);
        if (k + 1 < n[2]) mark_slope(at + layer);
      }
}

static int will_do(int suggestion, int value, enum need need) {
  if (need == NEED_VALUE || (suggestion < 0) != (value < 0)) return suggestion == value;
  return need == NEED_SIGN || abs(suggestion - value) <= OUTER_ERROR_MAX;
}

// Takes the place of what find_needs() has left in `byte`. Values become those that the player
// will have.
static void differences(replay_surface *s, unsigned char *byte) {
  size_t node = 0;
  for (int32_t k = 0; k < s->nodes[2]; k++)
    for (int32_t j = 0; j < s->nodes[1]; j++)
      for (int32_t i = 0; i < s->nodes[0]; i++, node++) {
        int8_t *value = s->value + node;
        const int suggestion = suggested(value, s->nodes, i, j, k);
        if (will_do(suggestion, *value, (enum need)byte[node])) *value = (int8_t)suggestion;
        byte[node] = (unsigned char)planes_fold((uint32_t)(*value - suggestion), 1);
      }
}

static size_t zeros(const unsigned char *byte, size_t from, size_t count) {
  size_t end = from;
  while (end < count && byte[end] == 0) end++;
  return end - from;
}

static void put_runs(planes *out, const unsigned char *byte, size_t count) {
  for (size_t at = 0; at < count;) {
    const size_t same = zeros(byte, at, count), first = at + same;
    size_t end = first;
    while (end < count && zeros(byte, end, count) < RUN_NODES_MIN) end++;
    planes_number(out, same);
    planes_number(out, end - first);
    planes_bytes(out, byte + first, end - first);
    at = end;
  }
}

int replay_surface_put(replay_surface *s, const recording_head *head, const liquid_frame *frame,
                       double gap, planes *out) {
  if (liquid_surface_make(head, frame, gap, &s->fine) || begin(s)) return 1;
  int8_t *next = s->value;
  int32_t at[3];
  for (at[2] = 0; at[2] < s->nodes[2]; at[2]++)
    for (at[1] = 0; at[1] < s->nodes[1]; at[1]++)
      for (at[0] = 0; at[0] < s->nodes[0]; at[0]++) *next++ = value_at(s, at);
  unsigned char *byte = calloc(count_of(s), 1);
  if (!byte) return 1;
  find_needs(s, byte);
  differences(s, byte);
  put_runs(out, byte, count_of(s));
  free(byte);
  return 0;
}

void replay_surface_describe(const replay_surface *s, json_t *meta) {
  json_t *nodes = json_array();
  for (int c = 0; c < 3; c++) json_array_append_new(nodes, json_integer(s->nodes[c]));
  json_object_set_new(meta, "nodes", nodes);
  json_object_set_new(meta, "width", json_number(s->spacing));
}

void replay_surface_free(replay_surface *s) {
  liquid_surface_free(&s->fine);
  free(s->value);
  *s = (replay_surface){0};
}
