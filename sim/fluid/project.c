// project.c: subtracts the pressure gradient from the velocity, and finds cells that leave a wall.
//
// On faces with an open part and liquid at one side at least,
//     u -= dt/density (p_high - p_low)/(h theta),   p = 0 in air.
// Closed faces are not known: extrapolate.c continues the liquid's velocity behind a wall and
// adapts it to the wall. Where a cell separates from the wall (p = 0 and D u > 0, `separating`),
// the face keeps the velocity of the liquid. With the wall's velocity the liquid next to it would
// be held back half a cell behind the rest, which is the sticking that separation is meant to
// avoid.
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
        const double slope = f->weight[axis][face]/open*(f->pressure[high] - f->pressure[low]);
        f->u[axis][face] -= scale*slope;
        f->known[axis][face] = 1;
      }
}

static void look(void *data, int32_t part, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice *l = &w->cells;
  double most = 0.0;
  int32_t count = 0;
  for (int32_t line = first_line(l, part), end = first_line(l, part + 1); line < end; line++) {
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

static void forget(void *data, int32_t axis, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice l = faces_of(f, axis), *c = &w->cells;
  for (int32_t k = 0; k < l.n[2]; k++)
    for (int32_t j = 0; j < l.n[1]; j++)
      for (int32_t i = 0; i < l.n[0]; i++) {
        const int32_t face = at(&l, i, j, k), place[3] = {i, j, k};
        if (f->open[axis][face] > 0.0) continue;
        const int32_t high = at(c, i, j, k), low = high - c->stride[axis];
        const int plate = place[axis] > 0 && place[axis] < f->n[axis] &&
                          f->type[low] != PERP_CELL_SOLID && f->type[high] != PERP_CELL_SOLID;
        if (plate) f->u[axis][face] = f->wall[axis][face];   // with room on both sides
        f->known[axis][face] = (uint8_t)plate;
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
  crew_run(f->crew, forget, &w, f->dimension);
  f->report.separating = 0;
  for (int32_t part = 0; part < parts; part++) {
    f->report.separating += w.separating[part];
    if (!(w.divergence[part] <= f->report.divergence)) f->report.divergence = w.divergence[part];
  }
  return PERP_OK;
}
