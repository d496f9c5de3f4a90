// grid_levels.c: the shapes and the memory of a hierarchy of grids.
//
// The next level halves each direction in which a cell is less than 1.5 times as long as in its
// shortest direction. So long cells become cubes first, because relaxing cell by cell does little
// for differences along weak couplings. The last level has at most 64 cells.
// Cost: in three dimensions about 44 bytes per cell on the finest level, 60 with the others.
#include "grid_levels.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "arena.h"
#include "grid_parts.h"
#include "dense_kernels.h"
#include "vector.h"

static int32_t up_to_lanes(int32_t v) { return (v + GRID_LANES - 1)/GRID_LANES*GRID_LANES; }

// Lays out a level with known sides and sizes. Chooses the directions that the next level halves.
static void shape(grid_level *l) {
  l->n = l->side[0]*l->side[1]*l->side[2];
  l->deep = l->side[2] > 1;
  l->plane = l->side[1] + 2;
  l->rows = l->plane*(l->deep ? l->side[2] + 2 : 1);
  l->pitch = up_to_lanes((l->side[0] + 1)/2 + 1);    // at least one number stays unused
  l->blocks = l->pitch/GRID_LANES;
  // Red and black lines are read and written together. Their addresses must differ modulo 4096;
  // otherwise loads wait for stores to the other colour.
  l->area = (size_t)l->rows*(size_t)l->pitch;
  if (l->n > 4096) l->area = (l->area + 1023)/1024*1024 + 336;
  double finest = INFINITY;
  for (int32_t d = 0; d < 3; d++)
    if (l->side[d] > 1) finest = min2(finest, l->size[d]);
  for (int32_t d = 0; d < 3; d++)
    l->halved[d] = l->n > GRID_DIRECT_CELLS_MAX && l->side[d] > 1 && l->size[d] < 1.5*finest;
}

static int32_t choose_levels(grid_levels *g, const perp_grid *grid) {
  grid_level *l = &g->at[0];
  int32_t used = 0;
  memcpy(l->cells, grid->cells, sizeof l->cells);
  for (int32_t d = 0; d < 3; d++)                    // directions with one cell come last
    if (grid->cells[d] > 1) l->axis[used++] = d;
  for (int32_t d = 0; d < 3; d++)
    if (grid->cells[d] == 1) l->axis[used++] = d;
  for (int32_t d = 0; d < 3; d++) {
    l->side[d] = grid->cells[l->axis[d]];
    l->size[d] = grid->spacing[l->axis[d]];
  }
  shape(l);
  int32_t levels = 1;
  for (; l->n > GRID_DIRECT_CELLS_MAX && levels < GRID_LEVELS_MAX; levels++) {
    grid_level *c = l + 1;
    for (int32_t d = 0; d < 3; d++) {
      c->axis[d] = l->axis[d];
      c->side[d] = l->halved[d] ? (l->side[d] + 1)/2 : l->side[d];
      c->size[d] = l->halved[d] ? 2.0*l->size[d] : l->size[d];
      c->cells[c->axis[d]] = c->side[d];
    }
    shape(c);
    l = c;
  }
  return levels;
}

static float *take_split(arena *a, const grid_level *l) {
  return ARENA_ARRAY(a, float, 2*l->area);
}

static void take_level(arena *a, grid_levels *g, int32_t at) {
  grid_level *l = &g->at[at], *c = at + 1 < g->levels ? l + 1 : NULL;
  const size_t n = (size_t)l->n, rows = (size_t)l->rows;
  l->state = ARENA_ARRAY(a, uint8_t, n);
  for (int32_t d = 0; d < 3; d++)
    l->weight[d] = d < 2 || l->deep ? take_split(a, l) : l->weight[1];
  l->leak = take_split(a, l);
  if (at > 0) {
    l->own_type = ARENA_ARRAY(a, uint8_t, n);
    l->type = l->own_type;
    for (int32_t d = 0; d < 3; d++)
      l->masked[d] = d < 2 || l->deep ? take_split(a, l) : l->masked[1];
    l->spill = take_split(a, l);
    l->dirty = ARENA_ARRAY(a, uint8_t, n);
  }
  float **const vectors[] = {&l->d, &l->inverse, &l->r, &l->z, &l->p, &l->q};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++) *vectors[k] = take_split(a, l);
  if (c != NULL) {
    const int32_t longer = l->pitch > 2*c->pitch ? l->pitch : 2*c->pitch;
    l->whole_pitch = 2*GRID_LANES + longer;
    const size_t size = (size_t)c->rows*(size_t)l->whole_pitch;
    l->across = ARENA_ARRAY(a, float, l->area);
    l->whole = ARENA_ARRAY(a, float, size);
    for (int32_t d = 0; d < 3; d++)
      if (l->halved[d]) l->tie[d] = ARENA_ARRAY(a, float, size);
  }
  l->run = ARENA_ARRAY(a, uint16_t, rows*(size_t)l->blocks);
  l->even = ARENA_ARRAY(a, uint8_t, rows*(size_t)l->blocks);
  l->busy = ARENA_ARRAY(a, uint8_t, rows);
  l->near = ARENA_ARRAY(a, uint8_t, rows);
  l->touched = ARENA_ARRAY(a, uint8_t, rows);
  l->sums = ARENA_ARRAY(a, double, 2*rows);
  l->part = ARENA_ARRAY(a, int32_t, g->threads_count + 1);
}

static void take_all(arena *a, grid_levels *g) {
  const size_t n = (size_t)g->at[0].n;
  g->line_length = (size_t)up_to_lanes(g->at[0].side[0]) + GRID_LANES;
  g->lines = ARENA_ARRAY(a, double, g->line_length*(size_t)g->threads_count);
  g->label = ARENA_ARRAY(a, int32_t, n);
  g->held = ARENA_ARRAY(a, int32_t, n/2 + 1);
  g->size = ARENA_ARRAY(a, int32_t, n/2 + 1);
  g->mean = ARENA_ARRAY(a, double, n/2 + 1);
  g->dense_at = ARENA_ARRAY(a, int32_t, GRID_DIRECT_CELLS_MAX);
  g->factor = ARENA_ARRAY(a, double, GRID_DIRECT_CELLS_MAX*GRID_DIRECT_CELLS_MAX);
  g->right = ARENA_ARRAY(a, double, GRID_DIRECT_CELLS_MAX);
  for (int32_t k = 0; k < g->levels; k++) take_level(a, g, k);
}

// All threads clear the new memory together, because each new page costs a page fault.
enum page { PAGE = 4096 };   // bytes
static void clear_pages(void *data, int32_t from, int32_t to, int32_t share) {
  (void)share;
  memset((unsigned char *)data + (size_t)from*PAGE, 0, (size_t)(to - from)*PAGE);
}
static void clear_block(const grid_levels *g) {
  const size_t pages = g->bytes/PAGE;                // < 2^31: a cell has less than PAGE bytes
  team_share(g->threads, (int32_t)pages, clear_pages, g->block);
  memset((unsigned char *)g->block + pages*PAGE, 0, g->bytes - pages*PAGE);
}

grid_levels *grid_levels_create(const perp_grid *grid, team *threads,
                                const perp_allocator *allocator, const perp_deadline *deadline,
                                int *failed) {
  const perp_allocator m = allocator_of(allocator);
  grid_levels *g = m.allocate(m.context, sizeof *g);
  *failed = -2;
  if (g == NULL) return NULL;
  *g = (grid_levels){.allocator = m, .threads = threads, .threads_count = team_size(threads),
                     .grid = *grid};
  g->levels = choose_levels(g, grid);
  arena counted = {0};
  take_all(&counted, g);
  g->bytes = arena_block_bytes(&counted);
  g->block = g->bytes < SIZE_MAX ? m.allocate(m.context, g->bytes) : NULL;
  if (g->block == NULL || deadline_passed(deadline)) {
    if (g->block != NULL) *failed = -1;
    grid_levels_destroy(g);
    return NULL;
  }
  clear_block(g);                                    // lines around the grid stay 0
  arena memory = arena_on_block(g->block, g->bytes);
  take_all(&memory, g);
  grid_fill_levels(g);
  *failed = 0;
  return g;
}

void grid_levels_destroy(grid_levels *g) {
  if (g == NULL) return;
  const perp_allocator m = g->allocator;
  if (g->block != NULL) m.release(m.context, g->block);
  m.release(m.context, g);
}

int grid_levels_renew(grid_levels *g, const perp_grid *grid, team *threads) {
  if (team_size(threads) != g->threads_count) return 1;
  for (int32_t d = 0; d < 3; d++)
    if (grid->cells[d] != g->grid.cells[d] || grid->spacing[d] != g->grid.spacing[d]) return 1;
  g->grid = *grid;
  g->threads = threads;
  grid_fill_levels(g);
  return 0;
}

int32_t grid_levels_count(const grid_levels *g) { return g->levels; }
int32_t grid_levels_shape(const grid_levels *g, int32_t level, int32_t cells[3]) {
  memcpy(cells, g->at[level].cells, sizeof g->at[level].cells);
  return g->at[level].n;
}
void grid_levels_halved(const grid_levels *g, int32_t level, int32_t halved[3]) {
  for (int32_t d = 0; d < 3; d++) halved[g->at[level].axis[d]] = g->at[level].halved[d];
}
const uint8_t *grid_levels_type(const grid_levels *g, int32_t level) { return g->at[level].type; }
