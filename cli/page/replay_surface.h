// replay_surface.h: the surface of a liquid in space, as the player reads it.
#pragma once

#include <jansson.h>

#include "liquid_surface.h"
#include "byte_planes.h"

// The page has the nodes that exported meshes are made of. A value v stands for the distance
// (v + 1/2)/REPLAY_UNIT of a node's width: each node stays on its side of the surface, so that the
// player's triangles are those of the mesh, with vertices a little moved.
enum { REPLAY_UNIT = 32,
       REPLAY_LOW = -2*REPLAY_UNIT, REPLAY_HIGH = 2*REPLAY_UNIT - 1 };   // smallest and largest value

typedef struct replay_surface {
  liquid_surface fine;         // of the frame
  int32_t join;                // nodes of `fine` along an edge that are one of the page
  int32_t nodes[3];            // of the page
  double spacing;              // of the page's nodes
  int8_t *value;               // nodes, x fastest: negative inside
} replay_surface;

// Appends the surface of a frame; the first call takes zeros. 0, or 1: no memory.
int replay_surface_put(replay_surface *s, const recording_head *head, const liquid_frame *frame,
                       double gap, planes *out);
// What the page must know to read it, once a frame has been put.
void replay_surface_describe(const replay_surface *s, json_t *meta);
void replay_surface_free(replay_surface *s);
