// grid_mask.c: weights of all levels, without a mask and below one.
//
// A coarse cell is free if a child is, else held at 0 if a child is (air or bound), else solid. The
// weight between two coarse cells is the sum of those across their common face, halved where the
// distance has doubled. The leak of a coarse cell is the sum of its children's to air and to bound
// cells,
//     2/3 of it where the surface is outside of the coarse cell (from distance 1 to 3/2), all of it
//     where it runs through the cell,
// and no child counts with more than 8 whole faces, since a surface very close to a fine cell
// centre is not as close to the coarse one. (With 1/2 of all leaks, as a volume mean has it, CG
// takes 12 cycles instead of 8 to 1e-8 on a box with a free surface, 256^2.)
// A new mask is compared with the last one; only parents of cells that changed are computed again.
#include <math.h>
#include <string.h>

#include "grid_parts.h"
#include "vector.h"

static const float outside = 2.0F/3.0F, most_faces = 8.0F;

typedef struct job {         // one pass over lines of a level by several threads
  grid_levels *g;
  grid_level *l;
  const uint8_t *is_free;
  int32_t all, lines, tasks; // all: every cell is computed again
} job;

static void lines_run(job *w, void (*task)(void *data, int32_t index)) {
  w->lines = w->l->side[1]*w->l->side[2];
  w->tasks = w->l->n < 8192 ? 1 : w->lines < 64 ? w->lines : 64;
  team_run(w->g->threads, task, w, w->tasks);
}

static int32_t first_line(const job *w, int32_t index) {
  return (int32_t)((int64_t)w->lines*index/w->tasks);
}

double grid_face(const grid_levels *g, int32_t d, int32_t i, int32_t j, int32_t k) {
  const grid_level *l = &g->at[0];
  const double *face = g->grid.face[l->axis[d]], h = l->size[d];
  if (face == NULL) return 1.0/(h*h);
  const size_t x = (size_t)l->side[0] + (d == 0), y = (size_t)l->side[1] + (d == 1);
  const size_t at = (((size_t)k + (d == 2))*y + (size_t)j + (d == 1))*x + (size_t)i + (d == 0);
  return face[at]*(1.0/(h*h));
}

static int all_are(const uint8_t *v, uint8_t what) {   // GRID_BLOCK of them
  unsigned differs = 0;
  for (int32_t t = 0; t < GRID_BLOCK; t++) differs |= (unsigned)(v[t] ^ what);
  return differs == 0;
}
static int any_is(const uint8_t *v, int32_t count, uint8_t what) {
  int found = 0;
  for (int32_t t = 0; t < count; t++) found |= v[t] == what;
  return found;
}

// 1: cells i .. i + 15 of line (j, k) and all beside them are `what`, and none lies at the edge.
static int surrounded(const grid_level *l, const uint8_t *v, uint8_t what, int32_t i, int32_t j,
                      int32_t k) {
  if (i == 0 || i + GRID_BLOCK >= l->side[0] || (l->side[1] > 1 && (j == 0 || j + 1 >= l->side[1])) ||
      (l->deep && (k == 0 || k + 1 >= l->side[2])))
    return 0;
  const ptrdiff_t line = l->side[0], plane = line*l->side[1];
  v += grid_cell(l, i, j, k);
  if (v[-1] != what || v[GRID_BLOCK] != what || !all_are(v, what)) return 0;
  if (l->side[1] > 1 && (!all_are(v - line, what) || !all_are(v + line, what))) return 0;
  return !l->deep || (all_are(v - plane, what) && all_are(v + plane, what));
}

// 1: all faces of these cells have weight 1
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

// 1: no weight between cells of v that are liquid, these 16 and others, is other than the unit
static int is_same(const grid_level *l, float *const w[3], const uint8_t *v, int32_t i, int32_t j,
                   int32_t k) {
  const int32_t stride[3] = {1, l->side[0], l->side[0]*l->side[1]};
  const int32_t end = i + GRID_BLOCK < l->side[0] ? i + GRID_BLOCK : l->side[0];
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

// Weights of one cell of level 0.
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
      if (other == PERP_CELL_LIQUID) w = (float)(g->scale*grid_face(g, d, i, j, k));
      else if (other == PERP_CELL_AIR) leak += g->scale*grid_face(g, d, i, j, k);
    }
    if (l->type[cell] == PERP_CELL_LIQUID && at[d] > 0 &&
        l->type[cell - stride[d]] == PERP_CELL_AIR)
      leak += g->scale*grid_face(g, d, i - (d == 0), j - (d == 1), k - (d == 2));
    if (l->side[d] > 1) l->weight[d][mine] = w;
  }
  l->leak[mine] = (float)leak;
}

// Sixteen cells from i on; beyond the end of a line there is room.
static void fill_block(const grid_level *l, float *v, float value, int32_t i, int32_t j,
                       int32_t k) {
  float *red = v + grid_split(l, i, j, k), *black = v + grid_split(l, i + 1, j, k);
  for (int32_t t = 0; t < GRID_LANES; t++) red[t] = black[t] = value;
}

static void fine_lines(void *data, int32_t index) {
  const job *w = data;
  const grid_level *l = w->l;
  for (int32_t line = first_line(w, index); line < first_line(w, index + 1); line++) {
    const int32_t j = line%l->side[1], k = line/l->side[1];
    for (int32_t b = 0; b < l->blocks; b++) {
      const int32_t i = GRID_BLOCK*b, end = i + GRID_BLOCK < l->side[0] ? i + GRID_BLOCK : l->side[0];
      const int even = surrounded(l, l->type, PERP_CELL_LIQUID, i, j, k) &&
                       whole_faces(w->g, i, j, k);
      l->even[(size_t)grid_row(l, j, k)*(size_t)l->blocks + (size_t)b] = (uint8_t)even;
      if (even) {
        for (int32_t d = 0; d < 3; d++)
          if (l->side[d] > 1) fill_block(l, l->weight[d], l->unit[d], i, j, k);
        fill_block(l, l->leak, 0.0F, i, j, k);
      } else if (end <= i || !any_is(l->type + grid_cell(l, i, j, k), end - i, PERP_CELL_LIQUID)) {
        for (int32_t d = 0; d < 3; d++)
          if (l->side[d] > 1) fill_block(l, l->weight[d], 0.0F, i, j, k);
        fill_block(l, l->leak, 0.0F, i, j, k);
      } else {
        for (int32_t x = i; x < end; x++) fine_cell(w->g, x, j, k);
      }
    }
  }
}

static void same_lines(void *data, int32_t index) {
  const job *w = data;
  const grid_level *l = w->l;
  for (int32_t line = first_line(w, index); line < first_line(w, index + 1); line++) {
    const int32_t j = line%l->side[1], k = line/l->side[1];
    uint8_t *even = l->even + (size_t)grid_row(l, j, k)*(size_t)l->blocks;
    for (int32_t b = 0; b < l->blocks; b++)
      if (!even[b] && is_same(l, l->weight, l->type, GRID_BLOCK*b, j, k)) even[b] = 2;
  }
}

// Diagonal of a cell from the weights in use; 0 where it is not free, and there z and p are 0.
static void set_cell(const grid_level *l, int32_t i, int32_t j, int32_t k) {
  const size_t mine = grid_split(l, i, j, k);
  float d = 0.0F;
  if (l->state[grid_cell(l, i, j, k)] == PERP_CELL_LIQUID) {
    d = l->out[mine];
    const int32_t at[3] = {i, j, k};
    for (int32_t e = 0; e < 3; e++) {
      if (l->side[e] < 2) continue;
      d += l->w[e][mine];
      if (at[e] > 0)
        d += l->w[e][grid_split(l, i - (e == 0), j - (e == 1), k - (e == 2))];
    }
  }
  l->d[mine] = d;
  l->inverse[mine] = d > 0.0F ? 1.0F/d : 0.0F;
  if (!(d > 0.0F)) l->z[mine] = l->p[mine] = 0.0F;
}

// 1: all 16 cells have the unit weights on all sides
static int is_uniform(const grid_level *l, int32_t i, int32_t j, int32_t k) {
  for (int32_t d = 0; d < 3; d++) {
    if (l->side[d] < 2) continue;
    for (int32_t t = d == 0 ? -1 : 0; t < GRID_BLOCK; t++) {
      if (l->w[d][grid_split(l, i + t, j, k)] != l->unit[d]) return 0;
      if (d > 0 && l->w[d][grid_split(l, i + t, j - (d == 1), k - (d == 2))] != l->unit[d])
        return 0;
    }
  }
  for (int32_t t = 0; t < GRID_BLOCK; t++)
    if (l->out[grid_split(l, i + t, j, k)] != 0.0F) return 0;
  return 1;
}

// Runs of fewer than `shortest` blocks of a kind beside one of another that can do the same: the end
// of a run costs more than what is read in vain.
static void merge(uint16_t *run, int32_t blocks, uint16_t kind, uint16_t into, int32_t shortest) {
  for (int32_t b = 0, end; b < blocks; b = end) {
    for (end = b + 1; end < blocks && run[end] == run[b];) end++;
    if (run[b] != (4 | kind) || end - b >= shortest) continue;
    if ((b == 0 || run[b - 1] != (4 | into)) && (end == blocks || run[end] != (4 | into))) continue;
    for (int32_t t = b; t < end; t++) run[t] = 4 | into;
  }
}

// The kinds of the blocks of a line, after cells of it have changed.
static void set_runs(const grid_levels *g, grid_level *l, int32_t j, int32_t k) {
  const int32_t index = grid_row(l, j, k);
  uint16_t *run = l->run + (size_t)index*(size_t)l->blocks;
  uint8_t *even = l->even + (size_t)index*(size_t)l->blocks, busy = 0;
  const uint8_t *state = l->state + grid_cell(l, 0, j, k);
  for (int32_t b = 0; b < l->blocks; b++) {
    const int32_t i = GRID_BLOCK*b, left = l->side[0] - i < GRID_BLOCK ? l->side[0] - i : GRID_BLOCK;
    int kind = left > 0 && any_is(state + i, left, PERP_CELL_LIQUID) ? GRID_GENERAL : GRID_EMPTY;
    if (kind == GRID_GENERAL && left == GRID_BLOCK && all_are(state + i, PERP_CELL_LIQUID)) {
      const int inner = i > 0 && i + GRID_BLOCK < l->side[0] && (l->side[1] == 1 || (j > 0 && j + 1 < l->side[1])) &&
                        (!l->deep || (k > 0 && k + 1 < l->side[2]));
      if (l == &g->at[0]) kind = even[b] == 1 ? GRID_UNIFORM : GRID_GENERAL;
      else if (inner && is_uniform(l, i, j, k)) kind = GRID_UNIFORM;
    }
    if (l != &g->at[0]) even[b] = kind == GRID_UNIFORM;
    if (kind == GRID_GENERAL &&
        (l == &g->at[0] ? even[b] != 0 : is_same(l, l->w, l->state, i, j, k))) kind = GRID_SAME;
    busy |= kind != GRID_EMPTY;
    run[b] = (uint16_t)(4 | kind);
  }
  merge(run, l->blocks, GRID_UNIFORM, GRID_SAME, 12);
  merge(run, l->blocks, GRID_SAME, GRID_GENERAL, 2);
  for (int32_t b = l->blocks - 2; b >= 0; b--)
    if ((run[b] & 3) == (run[b + 1] & 3) && run[b + 1] >> 2 < GRID_LONGEST_RUN)
      run[b] = (uint16_t)(run[b + 1] + 4);
  l->busy[index] = busy;
  if (l->across != NULL)
    memset(l->across + (size_t)index*(size_t)l->pitch, 0, (size_t)l->pitch*sizeof *l->across);
}

static uint8_t wanted(const grid_level *l, const uint8_t *is_free, int32_t cell) {
  if (l->type[cell] != PERP_CELL_LIQUID) return l->type[cell];
  return is_free == NULL || is_free[cell] ? PERP_CELL_LIQUID : PERP_CELL_AIR;
}

// A whole level from the caller's mask.
static void mask_lines(void *data, int32_t index) {
  const job *w = data;
  grid_level *l = w->l;
  for (int32_t line = first_line(w, index); line < first_line(w, index + 1); line++) {
    const int32_t j = line%l->side[1], k = line/l->side[1], row = grid_cell(l, 0, j, k);
    for (int32_t i = 0; i < l->side[0]; i++) l->state[row + i] = wanted(l, w->is_free, row + i);
    for (int32_t b = 0; b < l->blocks; b++) {
      const int32_t i = GRID_BLOCK*b, end = i + GRID_BLOCK < l->side[0] ? i + GRID_BLOCK : l->side[0];
      if (l == &w->g->at[0] && l->even[(size_t)grid_row(l, j, k)*(size_t)l->blocks + (size_t)b] == 1 &&
          all_are(l->state + row + i, PERP_CELL_LIQUID)) {
        fill_block(l, l->d, l->centre, i, j, k);
        fill_block(l, l->inverse, l->centre_inverse, i, j, k);
        continue;
      }
      if (end <= i || !any_is(l->state + row + i, end - i, PERP_CELL_LIQUID)) {
        float *const all[] = {l->d, l->inverse, l->z, l->p};
        for (int32_t q = 0; q < 4; q++) fill_block(l, all[q], 0.0F, i, j, k);
        continue;
      }
      for (int32_t x = i; x < end; x++) {
        set_cell(l, x, j, k);
        if (l->state[row + x] == PERP_CELL_LIQUID && !(l->inverse[grid_split(l, x, j, k)] > 0.0F))
          l->state[row + x] = PERP_CELL_SOLID;       // A_ii = 0
      }
    }
    set_runs(w->g, l, j, k);
  }
}

static int32_t parent_of(const grid_level *l, int32_t i, int32_t j, int32_t k) {
  return grid_cell(l + 1, i >> l->halved[0], j >> l->halved[1], k >> l->halved[2]);
}

// Parents of a cell and of those beside it are to be computed again.
static void mark(const grid_level *l, int32_t i, int32_t j, int32_t k) {
  uint8_t *dirty = (l + 1)->dirty;
  dirty[parent_of(l, i, j, k)] = 1;
  if (i > 0) dirty[parent_of(l, i - 1, j, k)] = 1;
  if (i + 1 < l->side[0]) dirty[parent_of(l, i + 1, j, k)] = 1;
  if (j > 0) dirty[parent_of(l, i, j - 1, k)] = 1;
  if (j + 1 < l->side[1]) dirty[parent_of(l, i, j + 1, k)] = 1;
  if (k > 0) dirty[parent_of(l, i, j, k - 1)] = 1;
  if (k + 1 < l->side[2]) dirty[parent_of(l, i, j, k + 1)] = 1;
}

// Which lines differ from the last mask, into `touched`.
static void compare_lines(void *data, int32_t index) {
  const job *w = data;
  const grid_level *l = w->l;
  for (int32_t line = first_line(w, index); line < first_line(w, index + 1); line++) {
    const size_t row = (size_t)line*(size_t)l->side[0];
    const uint8_t *state = l->state + row, *type = l->type + row;
    uint8_t differs = 0;
    if (w->is_free == NULL)
      for (int32_t i = 0; i < l->side[0]; i++)
        differs |= (uint8_t)((type[i] == PERP_CELL_LIQUID) & (state[i] == PERP_CELL_AIR));
    else
      for (int32_t i = 0; i < l->side[0]; i++)   // a cell with A_ii = 0 is SOLID and stays so
        differs |= (uint8_t)((type[i] == PERP_CELL_LIQUID) & (state[i] != PERP_CELL_SOLID) &
                             ((state[i] == PERP_CELL_LIQUID) != (w->is_free[row + (size_t)i] != 0)));
    l->touched[line] = differs;
  }
}

// Only what differs from the last mask.
static void mask_changes(grid_levels *g, grid_level *l, const uint8_t *is_free) {
  const int last = l == &g->at[g->levels - 1];
  lines_run(&(job){.g = g, .l = l, .is_free = is_free}, compare_lines);
  for (int32_t line = 0; line < l->side[1]*l->side[2]; line++) {
    if (!l->touched[line]) continue;
    const int32_t j = line%l->side[1], k = line/l->side[1];
    for (int32_t i = 0; i < l->side[0]; i++) {
      const int32_t cell = line*l->side[0] + i;
      const uint8_t was = l->state[cell], now = wanted(l, is_free, cell);
      if (now == was || (was == PERP_CELL_SOLID && now != PERP_CELL_SOLID)) continue;
      l->state[cell] = now;
      set_cell(l, i, j, k);
      if (l == &g->at[0] && g->closed > 0 && g->label[cell] >= 0 && g->label[cell] < g->many)
        g->held[g->label[cell]] += now == PERP_CELL_LIQUID ? -1 : 1;
      if (!last) mark(l, i, j, k);
    }
    set_runs(g, l, j, k);
  }
}

typedef struct coarse { uint8_t state; float w[3], leak; } coarse;

// A coarse cell from its children.
static coarse coarse_cell(const grid_level *f, int32_t x, int32_t y, int32_t z) {
  const int32_t at[3] = {x, y, z}, stride[3] = {1, f->side[0], f->side[0]*f->side[1]};
  int32_t from[3], end[3];
  for (int32_t d = 0; d < 3; d++) {
    from[d] = at[d] << f->halved[d];
    end[d] = from[d] + 1 + f->halved[d] < f->side[d] ? from[d] + 1 + f->halved[d] : f->side[d];
  }
  coarse c = {PERP_CELL_SOLID, {0.0F, 0.0F, 0.0F}, 0.0F};
  const float limit = most_faces*(float)max2((double)f->unit[0],
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
  if (!held) c.leak *= outside;
  return c;
}

// Whether all children of eight coarse cells from x on are air, or solid: which, else LIQUID.
static uint8_t empty_eight(const grid_level *f, int32_t x, int32_t y, int32_t z) {
  if (!f->halved[0] || x%GRID_LANES != 0 || 2*x + GRID_BLOCK > f->side[0]) return PERP_CELL_LIQUID;
  const uint8_t what = f->state[grid_cell(f, 2*x, y << f->halved[1], z << f->halved[2])];
  if (what == PERP_CELL_LIQUID) return what;
  for (int32_t k = z << f->halved[2]; k <= (z << f->halved[2]) + f->halved[2]; k++)
    for (int32_t j = y << f->halved[1]; j <= (y << f->halved[1]) + f->halved[1]; j++)
      if (j < f->side[1] && k < f->side[2] && !all_are(f->state + grid_cell(f, 2*x, j, k), what))
        return PERP_CELL_LIQUID;
  return what;
}

// 1: eight coarse cells from x on whose children and those beside them are free and uniform
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

// Weights and states of the cells of a level that are to be computed again (2: and have changed).
static void coarse_lines(void *data, int32_t index) {
  const job *w = data;
  grid_level *c = w->l;
  const grid_level *f = c - 1;
  for (int32_t line = first_line(w, index); line < first_line(w, index + 1); line++) {
    const int32_t j = line%c->side[1], k = line/c->side[1], row = grid_cell(c, 0, j, k);
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

static void coarse_diagonal_lines(void *data, int32_t index) {
  const job *w = data;
  grid_level *c = w->l;
  const int last = c == &w->g->at[w->g->levels - 1];
  for (int32_t line = first_line(w, index); line < first_line(w, index + 1); line++) {
    const int32_t j = line%c->side[1], k = line/c->side[1], row = grid_cell(c, 0, j, k);
    int touched = 0;
    for (int32_t i = 0; i < c->side[0]; i++) {
      if (!w->all && !c->dirty[row + i]) continue;
      set_cell(c, i, j, k);
      if (!last && !w->all && c->dirty[row + i] == 2) mark(c, i, j, k);   // then there is one task
      c->dirty[row + i] = 0;
      touched = 1;
    }
    if (touched) set_runs(w->g, c, j, k);
  }
}

static void set_near(grid_level *l) {
  memset(l->near, 0, (size_t)l->rows);
  for (int32_t k = 0; k < l->side[2]; k++)
    for (int32_t j = 0; j < l->side[1]; j++) {
      if (!l->busy[grid_row(l, j, k)]) continue;
      for (int32_t e = -l->deep; e <= l->deep; e++)
        for (int32_t t = -1; t <= 1; t++) l->near[grid_row(l, j, k) + e*l->plane + t] = 1;
    }
}

// Parts of about equal work, wide enough for the longest pass.
static void balance(const grid_levels *g, grid_level *l) {
  enum { NARROWEST = 14, LEAST = 1024 };             // slabs; half blocks
  const int32_t slabs = l->deep ? l->side[2] : l->side[1], lines = l->deep ? l->side[1] : 1;
  int64_t work = 0;
  for (int pass = 0; pass < 2; pass++) {
    int64_t sum = 0;
    int32_t used = 1;
    for (int32_t s = 0; s < slabs; s++) {
      if (pass == 1 && used < l->parts && s >= l->part[used - 1] + NARROWEST &&
          (sum*l->parts >= work*used || s >= slabs - NARROWEST*(l->parts - used))) l->part[used++] = s;
      for (int32_t t = 0; t < lines; t++) {
        const int32_t index = l->deep ? grid_row(l, t, s) : grid_row(l, s, 0);
        const uint16_t *run = l->run + (size_t)index*(size_t)l->blocks;
        for (int32_t b = 0; b < l->blocks; b += run[b] >> 2)
          sum += (run[b] >> 2)*((run[b] & 3) == GRID_EMPTY ? 0 : (run[b] & 3) == GRID_GENERAL ? 3 : 2);
      }
    }
    if (pass == 1) {
      l->parts = used;
      l->part[used] = slabs;
      return;
    }
    work = sum;
    l->parts = g->threads_count;
    while (l->parts > 1 && (slabs < NARROWEST*l->parts || work < LEAST*l->parts)) l->parts--;
    l->part[0] = 0;
  }
}

void grid_levels_mask(grid_levels *g, int32_t from, const uint8_t *is_free) {
  grid_level *l = &g->at[from];
  const int all = l->mode != 1;
  for (int32_t d = 0; d < 3; d++) l->w[d] = l->weight[d];
  l->out = l->leak;
  if (all) {
    l->mode = 1;
    lines_run(&(job){.g = g, .l = l, .is_free = is_free}, mask_lines);
    if (from == 0) grid_count_held(g);
  } else {
    mask_changes(g, l, is_free);
  }
  for (int32_t k = from; k < g->levels; k++) {
    grid_level *c = &g->at[k];
    if (k > from) {
      job w = {.g = g, .l = c, .all = all || c->mode != 2};
      for (int32_t d = 0; d < 3; d++) c->w[d] = c->masked[d];
      c->out = c->spill;
      c->mode = 2;
      lines_run(&w, coarse_lines);
      if (w.all) {
        lines_run(&w, coarse_diagonal_lines);
      } else {
        w.tasks = 1;
        coarse_diagonal_lines(&w, 0);
      }
    }
    set_near(c);
    balance(g, c);
  }
  for (int32_t k = 0; k < from; k++) g->at[k].mode = 0;
  grid_factor(g);
}

// L D L' of the last level in double precision, the diagonal summed there: a pivot that is nothing
// but rounding belongs to a component without any leak, which is grounded at that cell.
void grid_factor(grid_levels *g) {
  const grid_level *l = &g->at[g->levels - 1];
  int32_t m = 0;
  double *A = g->factor;
  int32_t place[GRID_DENSE];
  for (int32_t cell = 0; cell < l->n; cell++) {
    place[cell] = -1;
    if (l->state[cell] != PERP_CELL_LIQUID) continue;
    const size_t at = grid_split(l, cell%l->side[0], cell/l->side[0]%l->side[1],
                                 cell/l->side[0]/l->side[1]);
    if (!(l->inverse[at] > 0.0F)) continue;
    place[cell] = m;
    g->dense_at[m++] = (int32_t)at;
  }
  g->dense = m;
  memset(A, 0, (size_t)(m*m)*sizeof *A);
  for (int32_t cell = 0; cell < l->n; cell++) {
    const int32_t at[3] = {cell%l->side[0], cell/l->side[0]%l->side[1], cell/l->side[0]/l->side[1]},
                  stride[3] = {1, l->side[0], l->side[0]*l->side[1]};
    const size_t mine = grid_split(l, at[0], at[1], at[2]);
    const int32_t a = place[cell];
    if (a >= 0) A[a*m + a] += (double)l->out[mine];
    for (int32_t d = 0; d < 3; d++) {
      if (at[d] + 1 >= l->side[d]) continue;
      const int32_t b = place[cell + stride[d]];
      const double w = (double)l->w[d][mine];
      if (a >= 0) A[a*m + a] += w;
      if (b >= 0) A[b*m + b] += w;
      if (a >= 0 && b >= 0) A[b*m + a] -= w;         // lower triangle: b > a
    }
  }
  for (int32_t i = 0; i < m; i++) {                  // by rows; the diagonal holds 1/D
    double pivot = A[i*m + i];
    const double floor = 1e-12*pivot;
    for (int32_t j = 0; j < i; j++) {
      double v = A[i*m + j];
      for (int32_t t = 0; t < j; t++) v -= A[i*m + t]*A[j*m + t];
      A[i*m + j] = v;
    }
    for (int32_t j = 0; j < i; j++) {
      const double v = A[i*m + j];
      A[i*m + j] = v*A[j*m + j];
      pivot -= v*v*A[j*m + j];
    }
    A[i*m + i] = pivot > floor ? 1.0/pivot : 0.0;
  }
}

// Interpolation takes a quarter from the neighbour towards which a child lies, if there is liquid
// with a weight in between, or air; else that quarter is the parent's own: walls reflect.
static void tie_lines(void *data, int32_t index) {
  const job *w = data;
  const grid_level *c = w->l, *f = c - 1;
  const int32_t stride[3] = {1, c->side[0], c->side[0]*c->side[1]};
  for (int32_t line = first_line(w, index); line < first_line(w, index + 1); line++) {
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
    c->centre = 2.0F*((c->unit[0] + c->unit[1]) + c->unit[2]);
    c->centre_inverse = 1.0F/c->centre;
  }
  lines_run(&(job){.g = g, .l = l}, fine_lines);
  lines_run(&(job){.g = g, .l = l}, same_lines);
  g->closed = 0;
  grid_levels_mask(g, 0, NULL);
  for (int32_t k = 1; k < g->levels; k++) {          // so far nothing is masked
    grid_level *c = &g->at[k];
    memcpy(c->own_type, c->state, (size_t)c->n);
    memcpy(c->leak, c->spill, 2*c->area*sizeof *c->leak);
    for (int32_t d = 0; d < 3; d++)
      if (c->side[d] > 1) memcpy(c->weight[d], c->masked[d], 2*c->area*sizeof(float));
    lines_run(&(job){.g = g, .l = c}, tie_lines);
  }
  grid_find_closed(g);
  grid_count_held(g);
}
