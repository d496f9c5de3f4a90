// run_liquid_film.c: frames of a liquid: particles, solids that move, and fields of the grid.
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "run_films.h"

typedef struct liquid_film {
  const perp_fluid *fluid;
  record_flow flow;
  record_grid grid;
  int32_t *mover;              // flow.bodies: which solids move
  uint8_t *shown;              // cells: their particles are recorded; NULL: all are
  uint8_t *keep;               // keep_room: the same of particles
  int64_t keep_room;
} liquid_film;

double film_bytes_of_liquid(const recording_head *about, int64_t particles) {
  const recording_fluid *l = &about->liquid;
  const double cells = (double)l->cells[0]*l->cells[1]*l->cells[2];
  const double each = 4.0 + about->dimension*(l->fine > 256 ? 3.0 : 2.0);
  return 4.0*RECORD_POSE*about->moving + each*(double)particles +
         cells*(double)((l->fields & 1) + (l->fields >> 1 & 1) + 2*(l->fields >> 2 & 1));
}

static int add_poses(liquid_film *what) {
  for (uint32_t i = 0; i < what->flow.bodies; i++) {
    perp_fluid_shape solid;
    if (perp_fluid_read_solid(what->fluid, what->mover[i], &solid) != PERP_OK)
      return fail(CODE_IO, "%s", perp_last_message());
    for (int c = 0; c < RECORD_POSE; c++)
      record_pose(&what->flow, c, what->flow.frames)[i] =
          (float)(c < 3 ? solid.position[c] : solid.orientation[c - 3]);
  }
  return CODE_OK;
}

// Liquid cells beside one that is not, or at the rim of the grid, and all that are not liquid.
static void find_surface(liquid_film *what, const perp_fluid_state *now) {
  const int32_t *n = now->cells;
  const int32_t step[3] = {1, n[0], n[0]*n[1]};
  int32_t i = 0, at[3];
  for (at[2] = 0; at[2] < n[2]; at[2]++)
    for (at[1] = 0; at[1] < n[1]; at[1]++)
      for (at[0] = 0; at[0] < n[0]; at[0]++, i++) {
        int shown = now->type[i] != PERP_CELL_LIQUID;
        for (int c = 0; c < what->flow.dimension && !shown; c++)
          shown = at[c] == 0 || at[c] == n[c] - 1 ||
                  now->type[i - step[c]] != PERP_CELL_LIQUID ||
                  now->type[i + step[c]] != PERP_CELL_LIQUID;
        what->shown[i] = (uint8_t)shown;
      }
}

static int choose(liquid_film *what, const perp_fluid_state *now) {
  if (what->keep_room < now->particles) {
    free(what->keep);
    what->keep_room = now->particles + now->particles/4;
    what->keep = malloc((size_t)what->keep_room + 1);
    if (!what->keep) return fail(CODE_IO, "out of memory for %lld particles",
                                 (long long)now->particles);
  }
  find_surface(what, now);
  for (int64_t i = 0; i < now->particles; i++) {
    int32_t cell = 0;
    for (int c = what->flow.dimension - 1; c >= 0; c--) {
      int32_t at = (int32_t)(now->x[c][i]/now->spacing);
      at = at < 0 ? 0 : at < now->cells[c] ? at : now->cells[c] - 1;
      cell = cell*now->cells[c] + at;
    }
    what->keep[i] = what->shown[cell];
  }
  return CODE_OK;
}

static int add(void *self, int64_t step) {
  liquid_film *what = self;
  perp_fluid_state now;
  (void)step;
  if (perp_fluid_read(what->fluid, &now) != PERP_OK)
    return fail(CODE_IO, "%s", perp_last_message());
  int code = add_poses(what);
  if (!code && what->shown) code = choose(what, &now);
  if (code) return code;
  if (record_flow_add(&what->flow, now.particles, now.x, now.v, now.spacing,
                      what->shown ? what->keep : NULL))
    return fail(CODE_IO, "out of memory for %lld particles", (long long)now.particles);
  if (what->grid.fields)
    record_grid_add(&what->grid, now.type, now.separating, now.surface, now.spacing,
                    now.pressure);
  return CODE_OK;
}

static uint32_t waiting(const void *self) { return ((const liquid_film *)self)->flow.frames; }

static int write_frames(const void *self, record_writer *writer, char *message, size_t size) {
  const liquid_film *what = self;
  const int code = record_write_flow(writer, &what->flow, message, size);
  if (code || !what->grid.fields) return code;
  return record_write_grid(writer, &what->grid, message, size);
}

static int restore(void *self, const void *bytes, const record_index *index, int32_t k,
                   char *message, size_t size) {
  liquid_film *what = self;
  record_flow flow = {0};
  record_grid grid = {0};
  int code = RECORD_OK;
  if (index->chunk[k].type == RECORD_FLOW) {
    code = record_read_flow(bytes, index, k, &flow, message, size);
    if (!code) code = record_flow_append(&what->flow, &flow);
  } else if (index->chunk[k].type == RECORD_GRID) {
    code = record_read_grid(bytes, index, k, &grid, message, size);
    if (!code) code = record_grid_append(&what->grid, &grid);
  }
  record_flow_free(&flow);
  record_grid_free(&grid);
  return code;
}

static void clear(void *self, uint32_t first) {
  liquid_film *what = self;
  record_flow_clear(&what->flow, first);
  record_grid_clear(&what->grid, first);
}

static size_t save(const void *self, void *memory, size_t size) {
  return perp_fluid_save(((const liquid_film *)self)->fluid, memory, size);
}

static void destroy(void *self) {
  liquid_film *what = self;
  record_flow_free(&what->flow);
  record_grid_free(&what->grid);
  free(what->mover);
  free(what->shown);
  free(what->keep);
  free(what);
}

int film_of_liquid(const perp_fluid *fluid, const recording_head *about, film *out) {
  const recording_fluid *l = &about->liquid;
  const size_t moving = (size_t)about->moving;
  const size_t cells = (size_t)l->cells[0]*(size_t)l->cells[1]*(size_t)l->cells[2];
  const uint32_t span = (uint32_t)about->span;
  const record_flow like = {.bodies = (uint32_t)moving, .dimension = about->dimension,
                            .fine = l->fine, .cells = {l->cells[0], l->cells[1], l->cells[2]}};
  liquid_film *what = calloc(1, sizeof *what);
  *out = (film){what, add, waiting, write_frames, restore, clear, save, destroy};
  if (what) what->mover = malloc((moving + 1)*sizeof *what->mover);
  if (what && !strcmp(l->keep, "surface")) what->shown = malloc(cells);
  if (!what || !what->mover || (!what->shown && !strcmp(l->keep, "surface")) ||
      record_flow_create(&like, span, &what->flow) ||
      record_grid_create(l->cells, l->fields, l->fields ? span : 0, &what->grid))
    return fail(CODE_IO, "out of memory for the frames");
  memcpy(what->mover, about->mover, moving*sizeof *what->mover);
  what->fluid = fluid;
  return CODE_OK;
}
