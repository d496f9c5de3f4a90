// project.c: the velocity that the pressure leaves, and what it says at walls.
//
// On faces with an open part and liquid at one side at least,
//     u -= dt/density (p_high - p_low)/(h theta),   p = 0 in air.
// Closed faces at liquid have the velocity of the wall; but where the cell lets go of it (p = 0 and
// D u > 0), that of the liquid: of the opposite face of the cell, if it leads away from the wall.
// With the wall's velocity there the liquid next to it would be held back half a cell behind the
// rest, which is the sticking that separation is there to end.
// Closed faces at air are left as particles have them, but never lead into a wall that separates.
#include "lattice.h"

typedef struct work {
  perp_fluid *f;
  lattice cells;
  double threshold;            // of D u in a cell that separates
  double *divergence;          // parts: largest in equations
  int32_t *separating;         // parts
} work;

static void push(void *data, int32_t axis, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice l = faces_of(f, axis), *c = &w->cells;
  const double scale = f->dt/(f->settings.density*f->h);
  for (int32_t k = 0; k < l.n[2]; k++)
    for (int32_t j = 0; j < l.n[1]; j++)
      for (int32_t i = 0; i < l.n[0]; i++) {
        const int32_t face = at(&l, i, j, k);
        const double open = f->open[axis][face];
        if (!(open > 0.0)) continue;
        const int32_t high = at(c, i, j, k), low = high - c->stride[axis];
        if (f->type[low] != PERP_CELL_LIQUID && f->type[high] != PERP_CELL_LIQUID) continue;
        f->u[axis][face] -= scale*(f->weight[axis][face]/open)*(f->pressure[high] - f->pressure[low]);
        f->known[axis][face] = 1;
      }
}

static void look(void *data, int32_t part, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice *l = &w->cells;
  const int32_t once = lines_at_once(l), last = lines_of(l);
  double most = 0.0;
  int32_t count = 0;
  for (int32_t line = part*once; line < (part + 1)*once && line < last; line++) {
    const int32_t j = line % l->n[1], k = line/l->n[1];
    for (int32_t i = 0; i < l->n[0]; i++) {
      const int32_t c = line*l->n[0] + i;
      f->separating[c] = 0;
      if (f->type[c] != PERP_CELL_LIQUID) continue;
      int touches;
      const double d = fluid_divergence(f, i, j, k, &touches);
      if (f->lo[c] == 0.0) {
        if (touches && !(f->pressure[c] > 0.0) && d > w->threshold) f->separating[c] = 1, count++;
      } else {
        const double wrong = fabs(d - fluid_aim_at(f, i, j, k));
        if (!(wrong <= most)) most = wrong;
      }
    }
  }
  w->divergence[part] = most;
  w->separating[part] = count;
}

static void follow(void *data, int32_t axis, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice l = faces_of(f, axis), *c = &w->cells;
  const int lets_go = f->settings.walls == PERP_WALLS_SEPARATING;
  double *u = f->u[axis];
  const double *wall = f->wall[axis];
  for (int32_t k = 0; k < l.n[2]; k++)
    for (int32_t j = 0; j < l.n[1]; j++)
      for (int32_t i = 0; i < l.n[0]; i++) {
        const int32_t face = at(&l, i, j, k), place[3] = {i, j, k};
        if (f->open[axis][face] > 0.0) continue;
        const int32_t high = at(c, i, j, k), low = high - c->stride[axis];
        const int below = place[axis] > 0 && f->type[low] != PERP_CELL_SOLID;
        const int above = place[axis] < f->n[axis] && f->type[high] != PERP_CELL_SOLID;
        if (!below && !above) {   // within a solid: what particles next to it left there is no flow
          f->known[axis][face] = 0;
          continue;
        }
        const int liquid = (below && f->type[low] == PERP_CELL_LIQUID) ||
                           (above && f->type[high] == PERP_CELL_LIQUID);
        if (!lets_go || below == above) {   // a plate with room on both sides holds both
          u[face] = wall[face], f->known[axis][face] = 1;
          continue;
        }
        // away from the wall is up where the room is above
        const double away = above ? 1.0 : -1.0;
        if (liquid) {
          const int free = f->separating[above ? high : low];
          const double next = u[face + (above ? l.stride[axis] : -l.stride[axis])];
          u[face] = free && away*(next - wall[face]) > 0.0 ? next : wall[face];
          f->known[axis][face] = 1;
        } else if (f->known[axis][face] && away*(u[face] - wall[face]) < 0.0) {
          u[face] = wall[face];
        }
      }
}

perp_error fluid_project(perp_fluid *f) {
  work w = {.f = f, .cells = cells_of(f)};
  const int32_t parts = parts_of(&w.cells);
  w.divergence = fluid_scratch(f, (size_t)parts*(sizeof *w.divergence + sizeof *w.separating));
  if (w.divergence == NULL) return PERP_ERROR_MEMORY;
  w.separating = (int32_t *)(w.divergence + parts);
  double largest = 0.0;
  for (int32_t c = 0; c < f->cells; c++)
    if (fabs(f->b[c]) > largest) largest = fabs(f->b[c]);
  w.threshold = f->options.tol*largest*f->dt/f->settings.density;
  crew_run(f->crew, push, &w, f->dimension);
  crew_run(f->crew, look, &w, parts);
  crew_run(f->crew, follow, &w, f->dimension);
  f->report.separating = 0;
  for (int32_t part = 0; part < parts; part++) {
    f->report.separating += w.separating[part];
    if (!(w.divergence[part] <= f->report.divergence)) f->report.divergence = w.divergence[part];
  }
  return PERP_OK;
}
