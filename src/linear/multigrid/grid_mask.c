// grid_mask.c: sets the free cells on all levels: diagonals, kinds of blocks, parts for threads.
//
// A new mask is compared with the last one. The parents of changed cells and of their neighbours
// are computed again (grid_weights.c). The same is done for parents that changed, up to the last
// level.
// Cost: a comparison of the masks, and the cells that change.
#include <string.h>

#include "grid_parts.h"

// Sets the diagonal of a cell from the weights in use; 0 if the cell is not free. Sets r, z and p
// to 0 if the diagonal is 0.
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
  if (!(d > 0.0F)) l->r[mine] = l->z[mine] = l->p[mine] = 0.0F;
}

// 1: all 16 cells from i on have unit weights on all sides.
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

// Merges runs of fewer than `shortest` blocks of `kind` into neighbouring runs of kind `into`,
// whose loops give the same result. The end of a run costs more than some unneeded loads.
static void merge_runs(uint16_t *run, int32_t blocks, uint16_t kind, uint16_t into,
                       int32_t shortest) {
  for (int32_t b = 0, end; b < blocks; b = end) {
    for (end = b + 1; end < blocks && run[end] == run[b];) end++;
    if (run[b] != (4 | kind) || end - b >= shortest) continue;
    if ((b == 0 || run[b - 1] != (4 | into)) && (end == blocks || run[end] != (4 | into))) continue;
    for (int32_t t = b; t < end; t++) run[t] = 4 | into;
  }
}

// Sets the kinds of the blocks of a line after some of its cells have changed.
static void set_runs(const grid_levels *g, grid_level *l, int32_t j, int32_t k) {
  const int32_t index = grid_row(l, j, k);
  uint16_t *run = l->run + (size_t)index*(size_t)l->blocks;
  uint8_t *even = l->even + (size_t)index*(size_t)l->blocks, busy = 0;
  const uint8_t *state = l->state + grid_cell(l, 0, j, k);
  for (int32_t b = 0; b < l->blocks; b++) {
    const int32_t i = GRID_BLOCK*b, left = grid_block_end(l, i) - i;
    const int any_free = left > 0 && grid_any_is(state + i, left, PERP_CELL_LIQUID);
    int kind = any_free ? GRID_GENERAL : GRID_EMPTY;
    if (kind == GRID_GENERAL && left == GRID_BLOCK && grid_all_are(state + i, PERP_CELL_LIQUID)) {
      const int inner = i > 0 && i + GRID_BLOCK < l->side[0] && grid_is_inner(l, j, k);
      if (l == &g->at[0]) kind = even[b] == 1 ? GRID_UNIFORM : GRID_GENERAL;
      else if (inner && (even[b] == GRID_SURELY_EVEN || is_uniform(l, i, j, k)))
        kind = GRID_UNIFORM;
    }
    if (l != &g->at[0]) even[b] = kind == GRID_UNIFORM;
    if (kind == GRID_GENERAL &&
        (l == &g->at[0] ? even[b] != 0 : grid_is_same(l, l->w, l->state, i, j, k)))
      kind = GRID_SAME;
    busy |= kind == GRID_EMPTY ? 0 : kind == GRID_GENERAL ? 3 : 1;
    run[b] = (uint16_t)(4 | kind);
  }
  merge_runs(run, l->blocks, GRID_UNIFORM, GRID_SAME, 12);
  merge_runs(run, l->blocks, GRID_SAME, GRID_GENERAL, 2);
  for (int32_t b = l->blocks - 2; b >= 0; b--)
    if ((run[b] & 3) == (run[b + 1] & 3) && run[b + 1] >> 2 < GRID_RUN_BLOCKS_MAX)
      run[b] = (uint16_t)(run[b + 1] + 4);
  l->busy[index] = busy;
  if (l->across != NULL)
    memset(l->across + (size_t)index*(size_t)l->pitch, 0, (size_t)l->pitch*sizeof *l->across);
}

static uint8_t masked_state(const grid_level *l, const uint8_t *is_free, int32_t cell) {
  if (l->type[cell] != PERP_CELL_LIQUID) return l->type[cell];
  return is_free == NULL || is_free[cell] ? PERP_CELL_LIQUID : PERP_CELL_AIR;
}

// masked_state() for the cells of a line; compilers turn the loop into vector instructions.
static void set_states(const uint8_t *type, const uint8_t *is_free, int32_t count,
                       uint8_t *state) {
  _Static_assert(PERP_CELL_AIR == PERP_CELL_LIQUID + 1, "air follows liquid");
  memcpy(state, type, (size_t)count);
  if (is_free == NULL) return;
  for (int32_t i = 0; i < count; i++)
    state[i] = (uint8_t)(state[i] + ((state[i] == PERP_CELL_LIQUID) & (is_free[i] == 0)));
}

// Sets a whole level from the caller's mask.
static void mask_lines(void *data, int32_t from, int32_t to) {
  const grid_job *w = data;
  grid_level *l = w->l;
  for (int32_t line = from; line < to; line++) {
    const int32_t j = line%l->side[1], k = line/l->side[1], row = grid_cell(l, 0, j, k);
    set_states(l->type + row, w->is_free != NULL ? w->is_free + row : NULL, l->side[0],
               l->state + row);
    for (int32_t b = 0; b < l->blocks; b++) {
      const int32_t i = GRID_BLOCK*b, end = grid_block_end(l, i);
      const size_t block = (size_t)grid_row(l, j, k)*(size_t)l->blocks + (size_t)b;
      if (l == &w->g->at[0] && l->even[block] == 1 &&
          grid_all_are(l->state + row + i, PERP_CELL_LIQUID)) {
        grid_fill_block(l, l->d, l->centre, i, j, k);
        grid_fill_block(l, l->inverse, l->centre_inverse, i, j, k);
        continue;
      }
      if (end <= i || !grid_any_is(l->state + row + i, end - i, PERP_CELL_LIQUID)) {
        float *const all[] = {l->d, l->inverse, l->r, l->z, l->p};
        for (int32_t q = 0; q < 5; q++) grid_fill_block(l, all[q], 0.0F, i, j, k);
        continue;
      }
      for (int32_t x = i; x < end; x++) {
        set_cell(l, x, j, k);
        if (l->state[row + x] == PERP_CELL_LIQUID && !(l->inverse[grid_split(l, x, j, k)] > 0.0F))
          l->state[row + x] = PERP_CELL_SOLID;       // A_ii = 0
      }
    }
  }
}

// Sets the kinds of blocks. They depend on the neighbouring lines, so all lines must be masked.
static void run_lines(void *data, int32_t from, int32_t to) {
  const grid_job *w = data;
  for (int32_t line = from; line < to; line++)
    set_runs(w->g, w->l, line%w->l->side[1], line/w->l->side[1]);
}

static void mark_parent(const grid_level *l, int32_t i, int32_t j, int32_t k) {
  const grid_level *c = l + 1;
  const int32_t line = (k >> l->halved[2])*c->side[1] + (j >> l->halved[1]);
  c->touched[line] = 1;
  c->dirty[(size_t)line*(size_t)c->side[0] + (size_t)(i >> l->halved[0])] = 1;
}

// Marks the parents of a cell and of its neighbours to be computed again.
static void mark_parents(const grid_level *l, int32_t i, int32_t j, int32_t k) {
  mark_parent(l, i, j, k);
  if (i > 0) mark_parent(l, i - 1, j, k);
  if (i + 1 < l->side[0]) mark_parent(l, i + 1, j, k);
  if (j > 0) mark_parent(l, i, j - 1, k);
  if (j + 1 < l->side[1]) mark_parent(l, i, j + 1, k);
  if (k > 0) mark_parent(l, i, j, k - 1);
  if (k + 1 < l->side[2]) mark_parent(l, i, j, k + 1);
}

// Marks the lines that differ from the last mask in `touched`.
static void compare_lines(void *data, int32_t from, int32_t to) {
  const grid_job *w = data;
  const grid_level *l = w->l;
  for (int32_t line = from; line < to; line++) {
    const size_t row = (size_t)line*(size_t)l->side[0];
    const uint8_t *state = l->state + row, *type = l->type + row,
                  *is_free = w->is_free != NULL ? w->is_free + row : NULL;
    uint8_t differs = 0;
    if (is_free == NULL)
      for (int32_t i = 0; i < l->side[0]; i++)
        differs |= (uint8_t)((type[i] == PERP_CELL_LIQUID) & (state[i] == PERP_CELL_AIR));
    else
      for (int32_t i = 0; i < l->side[0]; i++)   // a cell with A_ii = 0 is SOLID and stays so
        differs |= (uint8_t)((type[i] == PERP_CELL_LIQUID) & (state[i] != PERP_CELL_SOLID) &
                             ((state[i] == PERP_CELL_LIQUID) != (is_free[i] != 0)));
    l->touched[line] = differs;
  }
}

// 1: the line, or a neighbouring line if beside = 1, has changed.
static int is_near(const grid_level *l, int32_t j, int32_t k, int beside) {
  const uint8_t *at = l->touched + (size_t)k*(size_t)l->side[1] + (size_t)j;
  if (at[0]) return 1;
  return beside && ((j > 0 && at[-1]) || (j + 1 < l->side[1] && at[1]) ||
                    (k > 0 && at[-l->side[1]]) || (k + 1 < l->side[2] && at[l->side[1]]));
}

// Sets the kinds of blocks in changed lines and, on coarser levels, in their neighbours. Returns
// the number of these lines. *busy = 1 if the set of lines with free cells changed.
static int32_t run_changes(const grid_levels *g, grid_level *l, int *busy) {
  int32_t lines = 0;
  *busy = 0;
  for (int32_t k = 0; k < l->side[2]; k++)
    for (int32_t j = 0; j < l->side[1]; j++) {
      if (!is_near(l, j, k, l != &g->at[0])) continue;
      const int32_t index = grid_row(l, j, k);
      const uint8_t before = l->busy[index];
      set_runs(g, l, j, k);
      *busy |= (l->busy[index] != 0) != (before != 0);
      lines++;
    }
  memset(l->touched, 0, (size_t)l->side[1]*(size_t)l->side[2]);
  return lines;
}

// Changes only the cells that differ from the last mask.
static int32_t mask_changes(grid_levels *g, grid_level *l, const uint8_t *is_free, int *busy) {
  const int last = l == &g->at[g->levels - 1];
  grid_lines_run(&(grid_job){.g = g, .l = l, .is_free = is_free}, compare_lines);
  for (int32_t line = 0; line < l->side[1]*l->side[2]; line++) {
    if (!l->touched[line]) continue;
    const int32_t j = line%l->side[1], k = line/l->side[1];
    for (int32_t i = 0; i < l->side[0]; i++) {
      const int32_t cell = line*l->side[0] + i;
      const uint8_t was = l->state[cell], now = masked_state(l, is_free, cell);
      if (now == was || (was == PERP_CELL_SOLID && now != PERP_CELL_SOLID)) continue;
      l->state[cell] = now;
      set_cell(l, i, j, k);
      if (l == &g->at[0] && g->closed > 0 && g->label[cell] >= 0 && g->label[cell] < g->many)
        g->held[g->label[cell]] += now == PERP_CELL_LIQUID ? -1 : 1;
      if (!last) mark_parents(l, i, j, k);
    }
  }
  return run_changes(g, l, busy);
}

// Sets the diagonals of eight cells from i on that are all inner (inner = 1), or all not free.
static void set_eight(const grid_level *l, int inner, int32_t i, int32_t j, int32_t k) {
  float *const zero[] = {l->r, l->z, l->p};
  for (int32_t colour = 0; colour < 2; colour++) {
    const size_t at = grid_split(l, i + colour, j, k);
    for (int32_t t = 0; t < GRID_LANES/2; t++) {
      l->d[at + (size_t)t] = inner ? l->centre : 0.0F;
      l->inverse[at + (size_t)t] = inner ? l->centre_inverse : 0.0F;
    }
    for (int32_t v = 0; v < 3 && !inner; v++)
      memset(zero[v] + at, 0, GRID_LANES/2*sizeof(float));
  }
}

static void coarse_diagonal_lines(void *data, int32_t from, int32_t to) {
  const grid_job *w = data;
  grid_level *c = w->l;
  const int last = c == &w->g->at[w->g->levels - 1];
  for (int32_t line = from; line < to; line++) {
    const int32_t j = line%c->side[1], k = line/c->side[1], row = grid_cell(c, 0, j, k);
    if (!w->all && !c->touched[line]) continue;
    for (int32_t i = 0; i < c->side[0]; i++) {
      if (!w->all && !c->dirty[row + i]) continue;
      if (c->dirty[row + i] >= GRID_INNER_EIGHT) {
        set_eight(c, c->dirty[row + i] == GRID_INNER_EIGHT, i, j, k);
        memset(c->dirty + row + i, 0, GRID_LANES);
        i += GRID_LANES - 1;
        continue;
      }
      set_cell(c, i, j, k);
      if (!last && !w->all && c->dirty[row + i] == 2) mark_parents(c, i, j, k);   // one thread only
      c->dirty[row + i] = 0;
    }
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

// Splits the level into parts of about equal work for threads, wide enough for the longest pass.
static void balance(const grid_levels *g, grid_level *l) {
  static const int32_t cost[] = {[GRID_EMPTY] = 0, [GRID_GENERAL] = 3, [GRID_UNIFORM] = 2,
                                 [GRID_SAME] = 2};
  enum { PART_SLABS_MIN = 2*(GRID_WAVE + 2),         // a pass has at most GRID_WAVE + 1 stages
         PART_WORK_MIN = 1024 };                     // half blocks of a part, to repay its thread
  const int32_t slabs = l->deep ? l->side[2] : l->side[1], lines = l->deep ? l->side[1] : 1;
  int64_t work = 0;
  for (int pass = 0; pass < 2; pass++) {
    int64_t sum = 0;
    int32_t used = 1;
    for (int32_t s = 0; s < slabs; s++) {
      if (pass == 1 && used < l->parts && s >= l->part[used - 1] + PART_SLABS_MIN &&
          (sum*l->parts >= work*used || s >= slabs - PART_SLABS_MIN*(l->parts - used)))
        l->part[used++] = s;
      for (int32_t t = 0; t < lines; t++) {
        const int32_t index = l->deep ? grid_row(l, t, s) : grid_row(l, s, 0);
        const uint16_t *run = l->run + (size_t)index*(size_t)l->blocks;
        for (int32_t b = 0; b < l->blocks; b += run[b] >> 2)
          sum += (run[b] >> 2)*cost[run[b] & 3];
      }
    }
    if (pass == 1) {
      l->parts = used;
      l->part[used] = slabs;
      return;
    }
    work = sum;
    l->parts = g->threads_count;
    while (l->parts > 1 &&
           (slabs < PART_SLABS_MIN*l->parts || work < PART_WORK_MIN*l->parts))
      l->parts--;
    l->part[0] = 0;
  }
}

void grid_levels_mask(grid_levels *g, int32_t from, const uint8_t *is_free) {
  grid_level *l = &g->at[from];
  const int all = l->mode != 1;
  int busy = 1;
  int32_t lines = INT32_MAX;                         // changed lines of the current level
  g->last.aligned = 0;
  if (all || g->last.level != from) g->last.level = -1;
  for (int32_t d = 0; d < 3; d++) l->w[d] = l->weight[d];
  l->out = l->leak;
  if (all) {
    l->mode = 1;
    grid_lines_run(&(grid_job){.g = g, .l = l, .is_free = is_free}, mask_lines);
    grid_lines_run(&(grid_job){.g = g, .l = l}, run_lines);
    if (from == 0) grid_count_held(g);
  } else {
    lines = mask_changes(g, l, is_free, &busy);
  }
  const int rebuild = all || !l->below;                 // 1: compute all cells of coarser levels
  for (int32_t k = from; k < g->levels; k++) {
    grid_level *c = &g->at[k];
    if (k > from) {
      grid_job w = {.g = g, .l = c, .all = rebuild || c->mode != 2};
      for (int32_t d = 0; d < 3; d++) c->w[d] = c->masked[d];
      c->out = c->spill;
      c->mode = 2;
      grid_lines_run(&w, grid_coarse_lines);
      if (w.all) {
        grid_lines_run(&w, coarse_diagonal_lines);
        grid_lines_run(&w, run_lines);
        memset(c->touched, 0, (size_t)c->rows);
        busy = 1;
        lines = INT32_MAX;
      } else {
        coarse_diagonal_lines(&w, 0, c->side[1]*c->side[2]);
        lines = run_changes(g, c, &busy);
      }
    }
    if (busy) set_near(c);
    c->stale = lines < INT32_MAX - c->stale ? c->stale + lines : INT32_MAX;
    if (c->stale < c->side[1]*c->side[2]/8) continue;
    balance(g, c);
    c->stale = 0;
  }
  l->below = 1;
  for (int32_t k = 0; k < from; k++) g->at[k].below = 0;
  grid_factor(g);
}
