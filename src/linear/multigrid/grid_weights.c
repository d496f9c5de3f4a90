// grid_weights.c: computes the weights of all levels, without a mask and with one.
//
// A coarse cell is free if a child is free; else held at 0 if a child is held at 0 (air or bound);
// else solid. The weight between two coarse cells is the sum of the weights across their common
// face, halved where the distance has doubled. The leak of a coarse cell is the sum of its
// children's leaks to air and bound cells, times
//     2/3 if the surface is outside of the coarse cell (its distance grows from 1 to 3/2),
//     1 if the surface runs through the coarse cell.
// A child's leak counts as at most 8 whole faces, because a surface very close to the centre of a
// fine cell is not as close to that of the coarse cell. (With 1/2 of all leaks, a volume mean, CG
// takes 12 cycles instead of 8 to 1e-8 on a box with a free surface, 256^2.) Every level is again a
// symmetric M-matrix with 5 or 7 points. A coarse level does not see a wall that is thinner than
// its cells, so a field of parallel channels takes a cycle for every few cells of their length.
// Cost: a few operations per cell.
#include <math.h>
#include <string.h>

#include "grid_parts.h"
#include "vector.h"

static const float outside_share = 2.0F/3.0F, leak_faces_max = 8.0F;   // see above

void grid_lines_run(grid_job *w, team_ranged task) {
  team_lines(w->g->threads, w->l->side[1]*w->l->side[2], w->l->n, task, w);
}

// The weight in A of the upper face of cell (i, j, k) of level 0 along d; not for the last cell.
static double weight_above(const grid_levels *g, int32_t d, int32_t i, int32_t j, int32_t k) {
  const grid_level *l = &g->at[0];
  const double *face = g->grid.face[l->axis[d]], h = l->size[d];
  if (face == NULL) return 1.0/(h*h);
  const size_t x = (size_t)l->side[0] + (d == 0), y = (size_t)l->side[1] + (d == 1);
  const size_t at = (((size_t)k + (d == 2))*y + (size_t)j + (d == 1))*x + (size_t)i + (d == 0);
  return face[at]*(1.0/(h*h));
}

// 1: cells i .. i + 15 of line (j, k) and all their neighbours have this type; none is at the edge.
static int surrounded(const grid_level *l, const uint8_t *v, uint8_t type, int32_t i, int32_t j,
                      int32_t k) {
  if (i == 0 || i + GRID_BLOCK >= l->side[0] || !grid_is_inner(l, j, k)) return 0;
  const ptrdiff_t line = l->side[0], plane = line*l->side[1];
  v += grid_cell(l, i, j, k);
  if (v[-1] != type || v[GRID_BLOCK] != type || !grid_all_are(v, type)) return 0;
  if (l->side[1] > 1 && (!grid_all_are(v - line, type) || !grid_all_are(v + line, type))) return 0;
  return !l->deep || (grid_all_are(v - plane, type) && grid_all_are(v + plane, type));
}

// 1: all faces of cells i .. i + 15 have weight 1.
static int whole_faces(const grid_levels *g, int32_t i, int32_t j, int32_t k) {
  const grid_level *l = &g->at[0];
  int whole = 1;
  for (int32_t d = 0; d < 3 && whole; d++) {
    const double *face = l->side[d] > 1 ? g->grid.face[l->axis[d]] : NULL;
    if (face == NULL) continue;
    const size_t x = (size_t)l->side[0] + (d == 0), y = (size_t)l->side[1] + (d == 1);
    for (int32_t side = 0; side < 2; side++) {
      const double *v = face + (((size_t)k + (d == 2 && side))*y + (size_t)j + (d == 1 && side))*x +
                        (size_t)i + (d == 0 && side);
      for (int32_t t = 0; t < GRID_BLOCK; t++) whole &= v[t] == 1.0;
    }
  }
  return whole;
}

int grid_is_same(const grid_level *l, float *const w[3], const uint8_t *v, int32_t i, int32_t j,
                   int32_t k) {
  const int32_t stride[3] = {1, l->side[0], l->side[0]*l->side[1]};
  const int32_t end = grid_block_end(l, i);
  for (int32_t d = 0; d < 3; d++) {
    if (l->side[d] < 2) continue;
    const int32_t at = d == 1 ? j : k;
    for (int32_t x = d == 0 && i > 0 ? i - 1 : i; x < end; x++) {
      const int32_t cell = grid_cell(l, x, j, k);
      if (v[cell] != PERP_CELL_LIQUID) continue;
      if ((d == 0 ? x : at) + 1 < l->side[d] && v[cell + stride[d]] == PERP_CELL_LIQUID &&
          w[d][grid_split(l, x, j, k)] != l->unit[d]) return 0;
      if (d > 0 && at > 0 && v[cell - stride[d]] == PERP_CELL_LIQUID &&
          w[d][grid_split(l, x, j - (d == 1), k - (d == 2))] != l->unit[d]) return 0;
    }
  }
  return 1;
}

// Sets the weights of a cell of level 0.
static void fine_cell(const grid_levels *g, int32_t i, int32_t j, int32_t k) {
  const grid_level *l = &g->at[0];
  const int32_t at[3] = {i, j, k}, stride[3] = {1, l->side[0], l->side[0]*l->side[1]};
  const int32_t cell = grid_cell(l, i, j, k);
  const size_t mine = grid_split(l, i, j, k);
  double leak = 0.0;
  for (int32_t d = 0; d < 3; d++) {
    float w = 0.0F;
    if (l->type[cell] == PERP_CELL_LIQUID && at[d] + 1 < l->side[d]) {
      const uint8_t other = l->type[cell + stride[d]];
      if (other == PERP_CELL_LIQUID) w = (float)(g->scale*weight_above(g, d, i, j, k));
      else if (other == PERP_CELL_AIR) leak += g->scale*weight_above(g, d, i, j, k);
    }
    if (l->type[cell] == PERP_CELL_LIQUID && at[d] > 0 &&
        l->type[cell - stride[d]] == PERP_CELL_AIR)
      leak += g->scale*weight_above(g, d, i - (d == 0), j - (d == 1), k - (d == 2));
    if (l->side[d] > 1) l->weight[d][mine] = w;
  }
  l->leak[mine] = (float)leak;
}

static void fine_lines(void *data, int32_t from, int32_t to) {
  const grid_job *w = data;
  const grid_level *l = w->l;
  for (int32_t line = from; line < to; line++) {
    const int32_t j = line%l->side[1], k = line/l->side[1];
    for (int32_t b = 0; b < l->blocks; b++) {
      const int32_t i = GRID_BLOCK*b, end = grid_block_end(l, i);
      const int even = surrounded(l, l->type, PERP_CELL_LIQUID, i, j, k) &&
                       whole_faces(w->g, i, j, k);
      l->even[(size_t)grid_row(l, j, k)*(size_t)l->blocks + (size_t)b] = (uint8_t)even;
      if (even) {
        for (int32_t d = 0; d < 3; d++)
          if (l->side[d] > 1) grid_fill_block(l, l->weight[d], l->unit[d], i, j, k);
        grid_fill_block(l, l->leak, 0.0F, i, j, k);
      } else if (end <= i ||
                 !grid_any_is(l->type + grid_cell(l, i, j, k), end - i, PERP_CELL_LIQUID)) {
        for (int32_t d = 0; d < 3; d++)
          if (l->side[d] > 1) grid_fill_block(l, l->weight[d], 0.0F, i, j, k);
        grid_fill_block(l, l->leak, 0.0F, i, j, k);
      } else {
        for (int32_t x = i; x < end; x++) fine_cell(w->g, x, j, k);
      }
    }
  }
}

static void same_lines(void *data, int32_t from, int32_t to) {
  const grid_job *w = data;
  const grid_level *l = w->l;
  for (int32_t line = from; line < to; line++) {
    const int32_t j = line%l->side[1], k = line/l->side[1];
    uint8_t *even = l->even + (size_t)grid_row(l, j, k)*(size_t)l->blocks;
    for (int32_t b = 0; b < l->blocks; b++)
      if (!even[b] && grid_is_same(l, l->weight, l->type, GRID_BLOCK*b, j, k)) even[b] = 2;
  }
}

typedef struct coarse { uint8_t state; float w[3], leak; } coarse;

// Computes a coarse cell from its children.
static coarse coarse_cell(const grid_level *f, int32_t x, int32_t y, int32_t z) {
  const int32_t at[3] = {x, y, z}, stride[3] = {1, f->side[0], f->side[0]*f->side[1]};
  int32_t from[3], end[3];
  for (int32_t d = 0; d < 3; d++) {
    from[d] = at[d] << f->halved[d];
    end[d] = from[d] + 1 + f->halved[d] < f->side[d] ? from[d] + 1 + f->halved[d] : f->side[d];
  }
  coarse c = {PERP_CELL_SOLID, {0.0F, 0.0F, 0.0F}, 0.0F};
  const float limit = leak_faces_max*(float)max2((double)f->unit[0],
                                            max2((double)f->unit[1], (double)f->unit[2]));
  int held = 0;
  for (int32_t k = from[2]; k < end[2]; k++)
    for (int32_t j = from[1]; j < end[1]; j++)
      for (int32_t i = from[0]; i < end[0]; i++) {
        const int32_t cell = grid_cell(f, i, j, k), own[3] = {i, j, k};
        if (f->state[cell] == PERP_CELL_AIR) held = 1;
        if (f->state[cell] != PERP_CELL_LIQUID) continue;
        c.state = PERP_CELL_LIQUID;
        const size_t mine = grid_split(f, i, j, k);
        float leak = f->out[mine];
        for (int32_t d = 0; d < 3; d++) {
          if (own[d] > 0 && f->state[cell - stride[d]] == PERP_CELL_AIR)
            leak += f->w[d][grid_split(f, i - (d == 0), j - (d == 1), k - (d == 2))];
          if (own[d] + 1 >= f->side[d]) continue;
          const uint8_t other = f->state[cell + stride[d]];
          if (other == PERP_CELL_AIR) leak += f->w[d][mine];
          if (other == PERP_CELL_LIQUID && own[d] + 1 == end[d])
            c.w[d] += f->halved[d] ? 0.5F*f->w[d][mine] : f->w[d][mine];
        }
        c.leak += leak < limit ? leak : limit;
      }
  if (c.state != PERP_CELL_LIQUID && held) c.state = PERP_CELL_AIR;
  if (!held) c.leak *= outside_share;
  return c;
}

// The type of all children of eight coarse cells from x on if it is AIR or SOLID, else LIQUID.
static uint8_t empty_eight(const grid_level *f, int32_t x, int32_t y, int32_t z) {
  if (!f->halved[0] || x%GRID_LANES != 0 || 2*x + GRID_BLOCK > f->side[0]) return PERP_CELL_LIQUID;
  const uint8_t type = f->state[grid_cell(f, 2*x, y << f->halved[1], z << f->halved[2])];
  if (type == PERP_CELL_LIQUID) return type;
  for (int32_t k = z << f->halved[2]; k <= (z << f->halved[2]) + f->halved[2]; k++)
    for (int32_t j = y << f->halved[1]; j <= (y << f->halved[1]) + f->halved[1]; j++)
      if (j < f->side[1] && k < f->side[2] &&
          !grid_all_are(f->state + grid_cell(f, 2*x, j, k), type))
        return PERP_CELL_LIQUID;
  return type;
}

// 1: the children of eight coarse cells from x on, and their neighbours, are free and uniform.
static int inner_eight(const grid_level *f, int32_t x, int32_t y, int32_t z) {
  const grid_level *c = f + 1;
  if (!f->halved[0] || x%GRID_LANES != 0 || x + GRID_LANES > c->side[0]) return 0;
  for (int32_t k = z << f->halved[2]; k <= (z << f->halved[2]) + f->halved[2]; k++)
    for (int32_t j = y << f->halved[1]; j <= (y << f->halved[1]) + f->halved[1]; j++) {
      if (j >= f->side[1] || k >= f->side[2]) return 0;
      const size_t b = (size_t)grid_row(f, j, k)*(size_t)f->blocks + (size_t)(x/GRID_LANES);
      if (f->even[b] != 1 || !surrounded(f, f->state, PERP_CELL_LIQUID, 2*x, j, k)) return 0;
    }
  return 1;
}

void grid_coarse_lines(void *data, int32_t from, int32_t to) {
  const grid_job *w = data;
  grid_level *c = w->l;
  const grid_level *f = c - 1;
  for (int32_t line = from; line < to; line++) {
    const int32_t j = line%c->side[1], k = line/c->side[1], row = grid_cell(c, 0, j, k);
    if (!w->all && !c->touched[line]) continue;
    uint8_t *even = c->even + (size_t)grid_row(c, j, k)*(size_t)c->blocks;
    if (w->all) memset(even, 0, (size_t)c->blocks);
    for (int32_t i = 0; i < c->side[0]; i++) {
      if (!w->all && !c->dirty[row + i]) continue;
      const int inner = w->all && inner_eight(f, i, j, k);
      const uint8_t empty = w->all && !inner ? empty_eight(f, i, j, k) : PERP_CELL_LIQUID;
      if (inner || empty != PERP_CELL_LIQUID) {
        for (int32_t t = i; t < i + GRID_LANES; t++) {
          const size_t mine = grid_split(c, t, j, k);
          for (int32_t d = 0; d < 3; d++)
            if (c->side[d] > 1) c->w[d][mine] = inner ? c->unit[d] : 0.0F;
          c->out[mine] = 0.0F;
          c->state[row + t] = empty;
        }
        c->dirty[row + i] = inner ? GRID_INNER_EIGHT : GRID_EMPTY_EIGHT;
        if (inner && i%GRID_BLOCK != 0 && c->dirty[row + i - GRID_LANES] == GRID_INNER_EIGHT)
          even[i/GRID_BLOCK] = GRID_SURELY_EVEN;
        i += GRID_LANES - 1;
        continue;
      }
      const coarse now = coarse_cell(f, i, j, k);
      const size_t mine = grid_split(c, i, j, k);
      int same = c->state[row + i] == now.state && c->out[mine] == now.leak;
      c->state[row + i] = now.state;
      c->out[mine] = now.leak;
      for (int32_t d = 0; d < 3; d++) {
        if (c->side[d] < 2) continue;
        same &= c->w[d][mine] == now.w[d];
        c->w[d][mine] = now.w[d];
      }
      c->dirty[row + i] = same ? 1 : 2;
    }
  }
}

// Sets the shares of interpolation. A child takes a quarter from the parent's neighbour on its side
// if that is liquid, with a weight in between, or at the surface to air. Otherwise it takes this
// quarter from the parent, too: walls reflect.
static void tie_lines(void *data, int32_t from, int32_t to) {
  const grid_job *w = data;
  const grid_level *c = w->l, *f = c - 1;
  const int32_t stride[3] = {1, c->side[0], c->side[0]*c->side[1]};
  for (int32_t line = from; line < to; line++) {
    const int32_t at[3] = {0, line%c->side[1], line/c->side[1]}, row = line*c->side[0];
    for (int32_t d = 0; d < 3; d++) {
      if (!f->halved[d]) continue;
      float *tie = f->tie[d] + grid_whole(f, at[1], at[2]);
      const int32_t end = d == 0 ? c->side[0] - 1 : at[d] + 1 < c->side[d] ? c->side[0] : 0;
      for (int32_t i = 0; i < end; i++) {
        const uint8_t type = c->type[row + i], other = c->type[row + i + stride[d]];
        const int liquid = type == PERP_CELL_LIQUID && other == PERP_CELL_LIQUID,
                  surface = type != PERP_CELL_SOLID && other != PERP_CELL_SOLID && type != other;
        tie[i] = surface || (liquid && c->weight[d][grid_split(c, i, at[1], at[2])] > 0.0F)
               ? 0.25F : 0.0F;
      }
      for (int32_t i = end; i < c->side[0]; i++) tie[i] = 0.0F;
    }
  }
}

void grid_fill_levels(grid_levels *g) {
  grid_level *l = &g->at[0];
  l->type = g->grid.type;
  double largest = 0.0;
  for (int32_t d = 0; d < 3; d++)
    if (l->side[d] > 1) largest = max2(largest, 1.0/(l->size[d]*l->size[d]));
  int exponent = 0;
  frexp(largest > 0.0 ? largest : 1.0, &exponent);
  g->scale = ldexp(1.0, -exponent);
  for (int32_t d = 0; d < 3; d++)
    l->unit[d] = l->side[d] > 1 ? (float)(g->scale/(l->size[d]*l->size[d])) : 0.0F;
  for (int32_t k = 0; k + 1 < g->levels; k++) {
    const grid_level *f = &g->at[k];
    grid_level *c = &g->at[k + 1];
    for (int32_t d = 0; d < 3; d++) {
      c->unit[d] = c->side[d] > 1 ? (f->halved[d] ? 0.5F : 1.0F)*f->unit[d] : 0.0F;
      for (int32_t e = 0; e < 3; e++)
        if (e != d && f->halved[e]) c->unit[d] *= 2.0F;
    }
  }
  for (int32_t k = 0; k < g->levels; k++) {
    grid_level *c = &g->at[k];
    c->mode = 0;
    // Sum in the order of grid_mask.c, so that the bits are the same.
    c->centre = 0.0F;
    for (int32_t d = 0; d < 3; d++) c->centre = (c->centre + c->unit[d]) + c->unit[d];
    c->centre_inverse = 1.0F/c->centre;
  }
  grid_lines_run(&(grid_job){.g = g, .l = l}, fine_lines);
  grid_lines_run(&(grid_job){.g = g, .l = l}, same_lines);
  g->closed = 0;
  grid_levels_mask(g, 0, NULL);
  for (int32_t k = 1; k < g->levels; k++) {          // nothing is masked yet
    grid_level *c = &g->at[k];
    memcpy(c->own_type, c->state, (size_t)c->n);
    memcpy(c->leak, c->spill, 2*c->area*sizeof *c->leak);
    for (int32_t d = 0; d < 3; d++)
      if (c->side[d] > 1) memcpy(c->weight[d], c->masked[d], 2*c->area*sizeof(float));
    grid_lines_run(&(grid_job){.g = g, .l = c}, tie_lines);
  }
  grid_find_closed(g);
  grid_count_held(g);
}
