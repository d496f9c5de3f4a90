// replay_surface.c: the surface of a liquid in space, as the player reads it.
//
// Most nodes are far from the surface, on one side or the other. What is stored of a node is the
// difference to what its neighbours before it suggest, and nodes without a difference are counted.
#include "replay_surface.h"

#include <math.h>
#include <stdlib.h>

#include "message.h"

// Nodes of a frame at most. The browser goes through all of them to show it: a splash on 0.9 million
// nodes (dam-break-3d, frame 40) takes 0.15 s.
enum { NODES_MOST = 8000000 };
// Shorter runs of nodes without a difference are stored one by one: two counts take two bytes.
enum { RUN_LEAST = 3 };

static size_t count_of(const replay_surface *s) {
  return (size_t)s->nodes[0]*(size_t)s->nodes[1]*(size_t)s->nodes[2];
}

static int begin(replay_surface *s) {
  if (s->value) return 0;
  do {
    s->join++;
    for (int c = 0; c < 3; c++) s->nodes[c] = (s->fine.cells[c] + s->join - 1)/s->join;
  } while (count_of(s) > NODES_MOST);
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

// What the nodes before node i of a row suggest, the row being the `row`-th of its layer: the plane
// through the three beside it.
static int suggested(const replay_surface *s, size_t node, int32_t i, int32_t row) {
  const int8_t *v = s->value + node;
  const size_t line = (size_t)s->nodes[0], layer = line*(size_t)s->nodes[1];
  if (i == 0 && row == 0) return node >= layer ? v[0 - (ptrdiff_t)layer] : REPLAY_HIGH;
  if (i == 0) return v[0 - (ptrdiff_t)line];
  if (row == 0) return v[-1];
  const int sum = v[-1] + v[0 - (ptrdiff_t)line] - v[-1 - (ptrdiff_t)line];
  return sum < REPLAY_LOW ? REPLAY_LOW : sum > REPLAY_HIGH ? REPLAY_HIGH : sum;
}

static void differences(const replay_surface *s, unsigned char *to) {
  size_t node = 0;
  for (int32_t k = 0; k < s->nodes[2]; k++)
    for (int32_t j = 0; j < s->nodes[1]; j++)
      for (int32_t i = 0; i < s->nodes[0]; i++, node++)
        to[node] = (unsigned char)planes_fold(
            (uint32_t)(s->value[node] - suggested(s, node, i, j)), 1);
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
    while (end < count && zeros(byte, end, count) < RUN_LEAST) end++;
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
  unsigned char *byte = malloc(count_of(s));
  if (!byte) return 1;
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
