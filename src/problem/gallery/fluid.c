// fluid.c: generates the pressure problem of a partly filled box, in 2D and 3D.
//
// The liquid may separate from the walls. Cells are solid (outside the box), air (p = 0) or liquid.
// u is the velocity on faces before the projection; it is zero on solid faces. The divergence after
// the projection, times the cell width, is
//     y = A p + b,   b = div u,
// where A = -Laplace has the number of non-solid faces on the diagonal and -1 per liquid neighbour.
// complementarity = walls: p is free and y = 0 in the interior, 0 <= p _|_ y >= 0 in cells at a
// wall, which is the meaning of E13 (33)-(35). all: 0 <= p _|_ y >= 0 in every cell, as printed.
// Every column ends in air, so A is an irreducibly dominant M-matrix in each connected part. In two
// dimensions the box is one cell thick and has no faces across.
#include "family.h"

#include <stdlib.h>

#include "plain.h"

enum { SIZE, FILL, TILT, SWIRL, FALL, SPREAD, NOISE, COMPLEMENTARITY, BUILT, DEGENERATE };

#define PARAMETERS(largest, initial)                                                              \
  FAMILY_WHOLE("size", initial, 2, largest, "cells along each side of the box"),                  \
  FAMILY_REAL("fill", 0.55, 0.01, 0.99, "mean height of the liquid over the height of the box"),  \
  FAMILY_REAL("tilt", 0.3, -1, 1, "slope of the surface"),                                        \
  FAMILY_REAL("swirl", 1, -100, 100, "rotation and sideways motion of the liquid as a whole"),    \
  FAMILY_REAL("fall", 0.1, -100, 100, "downward velocity: what gravity adds in one step"),        \
  FAMILY_REAL("spread", 0.5, -100, 100, "how fast the liquid moves apart; negative: together"),   \
  FAMILY_REAL("noise", 0.01, 0, 100, "random divergence per cell"),                               \
  FAMILY_CHOICE("complementarity", 0, 1, "walls|all",                                             \
                "cells with 0 <= p _|_ div u >= 0; the others have p free, div u = 0"),           \
  FAMILY_BUILT, FAMILY_DEGENERATE

static const perp_gallery_parameter parameters2d[] = {PARAMETERS(2048, 64)};
static const perp_gallery_parameter parameters3d[] = {PARAMETERS(192, 16)};

typedef struct box {
  int32_t size[3];       // cells along x, y and upwards
  int32_t *height;       // size[0] x size[1]: liquid cells in each column
  int32_t *index;        // per cell: number of its unknown, or -1
  double middle;         // height of the liquid's centre, relative to the box
  double slosh[3];       // velocity at the centre
  double spin[3];        // per width of the box, as spread is
  double spread;
} box;

static size_t cell(const box *b, int32_t x, int32_t y, int32_t z) {
  return (size_t)x + (size_t)b->size[0]*((size_t)y + (size_t)b->size[1]*(size_t)z);
}

static int solid(const box *b, const int32_t c[3], int32_t axis, int32_t side) {
  const int32_t k = c[axis] + side;
  return k < 0 || k >= b->size[axis];
}

// Component `axis` of slosh + spin x r + spread r on the given side of cell c; 0 on a wall.
static double face_velocity(const box *b, const int32_t c[3], int32_t axis, int32_t side) {
  if (solid(b, c, axis, side)) return 0.0;
  double r[3];
  for (int32_t d = 0; d < 3; d++) {
    const double place = c[d] + (d == axis ? 0.5 + 0.5*side : 0.5);
    r[d] = b->size[d] > 1 ? place/b->size[d] - (d == 2 ? b->middle : 0.5) : 0.0;
  }
  const int32_t p = (axis + 1)%3, q = (axis + 2)%3;
  return b->slosh[axis] + (b->spin[p]*r[q] - b->spin[q]*r[p]) + b->spread*r[axis];
}

static double either_sign(random_stream *random, double low, double high) {
  const double size = random_range(random, low, high);
  return random_uniform(random) < 0.5 ? -size : size;
}

static void fill_box(box *b, const double *values, random_stream *random) {
  const double turn = random_range(random, -1.0, 1.0), ripple = random_range(random, 0.0, 0.05);
  for (int32_t y = 0; y < b->size[1]; y++) {
    for (int32_t x = 0; x < b->size[0]; x++) {
      double cosine, sine;
      elementary_turn(2*(int64_t)x + 1, b->size[0], &cosine, &sine);
      const double side = b->size[1] > 1 ? turn*((y + 0.5)/b->size[1] - 0.5) : 0.0;
      const double slope = values[TILT]*((x + 0.5)/b->size[0] - 0.5 + side);
      const double level = floor((values[FILL] + slope + ripple*cosine)*b->size[2] + 0.5);
      b->height[x + b->size[0]*y] = (int32_t)clamp(level, 1.0, b->size[2] - 1.0);
    }
  }
  for (int32_t d = 0; d < 3; d++) {
    const double slosh = either_sign(random, 0.3, 0.6);
    b->slosh[d] = d == 2 ? -values[FALL] : b->size[d] > 1 ? values[SWIRL]*slosh : 0.0;
    b->spin[d] = values[SWIRL]*either_sign(random, 0.25, 1.0);
  }
  b->middle = 0.5*values[FILL];
  b->spread = values[SPREAD];
}

static int32_t number_cells(const box *b) {
  int32_t n = 0;
  for (int32_t z = 0; z < b->size[2]; z++) {
    for (int32_t y = 0; y < b->size[1]; y++) {
      for (int32_t x = 0; x < b->size[0]; x++) {
        b->index[cell(b, x, y, z)] = z < b->height[x + b->size[0]*y] ? n++ : -1;
      }
    }
  }
  return n;
}

// Sets column j of A and b_j. Returns 1 if the cell touches a wall.
static int set_cell(const box *b, const int32_t c[3], perp_sample *s, int32_t j, int32_t *filled) {
  static const int32_t order[7] = {-3, -2, -1, 0, 1, 2, 3};   // down .. itself .. up: rows ascend
  int wall = 0;
  int32_t faces = 0, diagonal = 0;
  double divergence = 0.0;
  for (int32_t k = 0; k < 7; k++) {
    if (order[k] == 0) {
      diagonal = *filled;
      s->row[(*filled)++] = j;
      continue;
    }
    const int32_t axis = abs(order[k]) - 1, side = order[k] < 0 ? -1 : 1;
    if (b->size[axis] == 1) continue;
    divergence += side*face_velocity(b, c, axis, side);
    if (solid(b, c, axis, side)) {
      wall = 1;
      continue;
    }
    faces++;
    int32_t to[3] = {c[0], c[1], c[2]};
    to[axis] += side;
    const int32_t i = b->index[cell(b, to[0], to[1], to[2])];
    if (i < 0) continue;
    s->row[*filled] = i;
    s->value[(*filled)++] = -1.0;
  }
  s->value[diagonal] = faces;
  s->b[j] = divergence;
  return wall;
}

static perp_error set_matrix(const box *b, const double *values, uint64_t seed, perp_sample *s,
                             int32_t *walls) {
  random_stream noise = family_stream(seed, 1);
  const int every = values[COMPLEMENTARITY] == 1.0;
  if (!every) {
    s->lo = assemble_take(s->n, sizeof *s->lo);
    if (s->lo == NULL) return assemble_no_memory(s->n, 0);
  }
  int32_t j = 0, filled = 0;
  *walls = 0;
  for (int32_t z = 0; z < b->size[2]; z++) {
    for (int32_t y = 0; y < b->size[1]; y++) {
      for (int32_t x = 0; x < b->size[0]; x++) {
        if (b->index[cell(b, x, y, z)] < 0) continue;
        s->colptr[j] = filled;
        const int wall = set_cell(b, (const int32_t[3]){x, y, z}, s, j, &filled);
        *walls += wall;
        if (!every) s->lo[j] = wall ? 0.0 : -(double)INFINITY;
        s->b[j] += values[NOISE]*random_range(&noise, -1.0, 1.0);
        j++;
      }
    }
  }
  s->colptr[s->n] = filled;
  s->problem.A.claims = FAMILY_CLAIM_SPD | PERP_CLAIM_Z | PERP_CLAIM_H;
  return PERP_OK;
}

static perp_error fluid(const double *values, uint64_t seed, int32_t dimensions, perp_sample *s) {
  const int32_t size = (int32_t)values[SIZE], depth = dimensions == 3 ? size : 1;
  const int64_t cells = (int64_t)size*depth*size;
  random_stream random = family_stream(seed, 0);
  box b = {.size = {size, depth, size}};
  b.height = assemble_take((int64_t)size*depth, sizeof *b.height);
  b.index = assemble_take(cells, sizeof *b.index);
  perp_error error = b.height != NULL && b.index != NULL ? PERP_OK : assemble_no_memory(cells, 0);
  if (error == PERP_OK) {
    fill_box(&b, values, &random);
    const int64_t n = number_cells(&b);
    error = assemble_reserve(s, n, (2*dimensions + 1)*n);
  }
  int32_t walls = 0;
  if (error == PERP_OK) error = set_matrix(&b, values, seed, s, &walls);
  if (dimensions == 2 && b.height != NULL) {
    s->grid = (perp_layout){.nx = size, .ny = size, .x = 0.5/size, .y = 0.5/size, .dx = 1.0/size,
                          .dy = 1.0/size, .edge = 0.5, .x_label = "x", .y_label = "height",
                          .value = "pressure",
                          .at_lo = "no pressure: off the wall", .filled = b.height};
    if (values[COMPLEMENTARITY] == 1.0) s->grid.at_lo = "no pressure";
    b.height = NULL;
  }
  free(b.height);
  free(b.index);
  if (error == PERP_OK && values[BUILT] == 1.0) {
    random_stream answer = family_stream(seed, 2);
    error = answer_build(s, values[DEGENERATE], &answer);
  }
  if (error == PERP_OK) {
    plain_print(s->note, sizeof s->note,
                "%dD box of side %d: %d liquid cells, %d at walls, complementarity in %s cells",
                dimensions, size, s->n, walls, values[COMPLEMENTARITY] == 1.0 ? "all" : "wall");
  }
  return error;
}

static perp_error fluid2d(const double *values, uint64_t seed, perp_sample *s) {
  return fluid(values, seed, 2, s);
}

static perp_error fluid3d(const double *values, uint64_t seed, perp_sample *s) {
  return fluid(values, seed, 3, s);
}

#define ANSWER "with built = 1, by construction; unique in any case"

const perp_family family_fluid2d = {
  "fluid2d", "pressure of a swirling, falling liquid in a square box that may come off the walls",
  ANSWER,
  parameters2d, FAMILY_COUNT(parameters2d), fluid2d};

const perp_family family_fluid3d = {
  "fluid3d", "pressure of a swirling, falling liquid in a cubic box that may come off the walls",
  ANSWER,
  parameters3d, FAMILY_COUNT(parameters3d), fluid3d};
