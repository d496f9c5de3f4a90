// volume.c: the volume of the liquid by its level set, and the divergence that keeps it.
//
// Liquid outside of solids is where v = max(surface, -solid) < 0. In each cell v is interpolated
// linearly on triangles (tetrahedra) between the centre of the cell, its corners and, in three
// dimensions, the middles of its sides. At a corner the surface is the mean of the cells around it.
// The error of the volume is O(h^2) for smooth surfaces.
#include "lattice.h"

typedef struct work {
  perp_fluid *f;
  lattice cells, corners;
  int flat;                    // 2: squares, 3: cubes
  double *sum;                 // parts
} work;

static double liquid_at(const work *w, int32_t i, int32_t j, int32_t k) {   // v at a corner
  const perp_fluid *f = w->f;
  double sum = 0.0;
  int count = 0;
  for (int32_t z = k - (w->flat == 3); z <= k; z++)
    for (int32_t y = j - 1; y <= j; y++)
      for (int32_t x = i - 1; x <= i; x++) {
        if (x < 0 || y < 0 || z < 0 || x >= f->n[0] || y >= f->n[1] || z >= f->n[2]) continue;
        sum += f->surface[at(&w->cells, x, y, z)];
        count++;
      }
  const double surface = sum/count, solid = -f->solid_distance[at(&w->corners, i, j, k)];
  return surface > solid ? surface : solid;
}

static double fraction(const work *w, int32_t i, int32_t j, int32_t k) {
  const perp_fluid *f = w->f;
  const double surface = f->surface[at(&w->cells, i, j, k)];
  const int corners = 1 << w->flat;
  double v[8], solid = 0.0;
  for (int c = 0; c < corners; c++) {
    const int32_t x = i + (c & 1), y = j + (c >> 1 & 1), z = k + (c >> 2);
    v[c] = liquid_at(w, x, y, z);
    solid -= f->solid_distance[at(&w->corners, x, y, z)]/corners;
  }
  const double centre = surface > solid ? surface : solid;
  return w->flat == 2 ? square_below(v, centre) : cube_below(v, centre);
}

// Are all corners of a cell out of solids (1), in them (-1), or neither (0)?
static int side_of(const work *w, int32_t i, int32_t j, int32_t k) {
  const double *d = w->f->solid_distance + at(&w->corners, i, j, k);
  const int corners = 1 << w->flat;
  int out = 0;
  for (int c = 0; c < corners; c++)
    out += d[(c & 1) + (c >> 1 & 1)*w->corners.stride[1] + (c >> 2)*w->corners.stride[2]] > 0.0;
  return out == corners ? 1 : out == 0 ? -1 : 0;
}

static void add_up(void *data, int32_t part, int32_t who) {
  (void)who;
  const work *w = data;
  const perp_fluid *f = w->f;
  const lattice *l = &w->cells;
  const double far = 1.25*f->h;   // no corner can be on the other side of the surface
  double sum = 0.0;
  for (int32_t line = first_line(l, part), end = first_line(l, part + 1); line < end; line++) {
    const int32_t j = line % l->n[1], k = line/l->n[1];
    for (int32_t i = 0; i < l->n[0]; i++) {
      const double surface = f->surface[line*l->n[0] + i];
      if (surface > far) continue;
      const int side = f->solids > 0 ? side_of(w, i, j, k) : 1;
      if (side < 0) continue;
      if (surface < -far && side > 0) sum += 1.0;
      else sum += fraction(w, i, j, k);
    }
  }
  w->sum[part] = sum;
}

double fluid_volume(perp_fluid *f) {
  work w = {.f = f, .cells = cells_of(f), .corners = corners_of(f)};
  w.flat = f->n[2] == 1 ? 2 : 3;
  const int32_t parts = parts_of(&w.cells);
  w.sum = fluid_scratch(f, (size_t)parts*sizeof *w.sum);
  if (w.sum == NULL) return 0.0;
  crew_run(f->crew, add_up, &w, parts);
  double sum = 0.0;
  for (int32_t part = 0; part < parts; part++) sum += w.sum[part];
  return sum*(f->dimension == 3 ? f->h*f->h*f->h : f->h*f->h);
}

// The level set does not contain single particles in flight, which are further than half a cell
// from it. Each counts with its share of the volume poured in, as it will fall back.
static double spray(const perp_fluid *f) {
  int64_t count = 0;
  for (int32_t c = 0; c < f->cells; c++)
    if (f->surface[c] > 0.5*f->h) count += f->first[c + 1] - f->first[c];
  return f->p.count > 0 ? f->poured*(double)count/(double)f->p.count : 0.0;
}

// The divergence, in 1/s, required of all liquid with a free surface. It brings the volume back to
// the amount poured in: V' = -(V - V0)/tau, where tau is RETURN_STEPS steps. This proportional
// controller cannot overshoot; a steady inflow of volume at the rate r leaves a drift of r tau.
#define RETURN_STEPS 12
#define CORRECTION_MAX 0.2     // largest change within tau, relative to the volume

double fluid_correction(perp_fluid *f) {
  if (!f->settings.compensate || !(f->poured > 0.0)) return 0.0;
  const double volume = fluid_volume(f), tau = RETURN_STEPS*f->settings.step;
  if (!(volume > 0.0)) return 0.0;
  const double wrong = (f->poured - spray(f) - volume)/volume;
  const double most = CORRECTION_MAX;
  return (wrong > most ? most : wrong < -most ? -most : wrong)/tau;
}
