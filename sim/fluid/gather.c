// gather.c: velocities of particles to the grid. A face gets the mean of the particles around it,
//     u_f = sum w_f(x_p) (v_p + affine_p (x_f - x_p)) / sum w_f(x_p)
// with w the weights of linear interpolation; affine_p is 0 for FLIP. Velocities are extrapolated
// to two layers of faces that no particle reaches, because cells there can be liquid. (Jiang et al.
// 2015, 5.3)
//
// The result has the same bits on any number of threads. Particles are sorted by cell. Slabs of
// SLAB_LAYERS layers of cells add their particles in that order, first all even slabs, then all odd
// ones. A slab writes one layer beyond itself, so two slabs of the same parity never write the same
// face.
#include <string.h>

#include "sample.h"

enum {
  SLAB_LAYERS = 2,             // layers of cells whose particles one task adds
  EXTRAPOLATED_LAYERS = 2      // layers of faces that get velocities though no particle is near
};
#define WEIGHT_SUM_MIN 1e-6    // a face with a smaller sum of weights is not known

typedef struct collection {
  perp_fluid *f;
  sampler s;
  int32_t parity, slabs, layer_cells, layers;
  double *sums[3];             // faces x 2: of w v, of w
  int a;                       // the component that a task is about
  int32_t count;               // its faces
} collection;

// Adds w v and w to the pair of a face.
SAMPLE_INLINE void add_to(double *pair, double w, double v) {
  pair[0] += w*v;
  pair[1] += w;
}

// A pair of faces along x and what a particle gives to them; v: at the first, slope: to the second.
SAMPLE_INLINE void add_pair(double *sums, int32_t at, int32_t right, double w, double t, double v,
                            double slope) {
  add_to(sums + 2*at, w*(1.0 - t), v);
  add_to(sums + 2*(at + right), w*t, v + slope);
}

SAMPLE_INLINE void add_particles(const collection *c, int64_t begin, int64_t end,
                                 const int dimension, const int affine) {
  const perp_fluid *f = c->f;
  const sampler *s = &c->s;
  const particles *p = &f->p;
  for (int64_t i = begin; i < end; i += SAMPLE_POINTS) {
    double x[3][SAMPLE_POINTS], v[SAMPLE_POINTS], slope[3][SAMPLE_POINTS];
    const int count = end - i < SAMPLE_POINTS ? (int)(end - i) : SAMPLE_POINTS;
    spots at;
    for (int d = 0; d < dimension; d++) sample_take(p->x[d], i, end, x[d]);
    sample_spots(s, x, &at, dimension);
    for (int a = 0; a < dimension; a++) {
      double *sums = c->sums[a];
      const int32_t *ix = at.i[a == 0][0], *iy = at.i[a == 1][1], *iz = at.i[a == 2][2];
      const double *tx = at.t[a == 0][0], *ty = at.t[a == 1][1], *tz = at.t[a == 2][2];
      const int32_t right = s->step[a][0], up = s->step[a][1],
                    deep = dimension == 3 ? s->step[a][2] : 0;
      sample_take(p->v[a], i, end, v);
      for (int d = 0; d < dimension; d++)   // v at the first face, slopes per cell
        for (int k = 0; k < SAMPLE_POINTS && affine; k++) {
          slope[d][k] = p->affine[3*a + d][i + k < end ? i + k : end - 1]*f->h;
          v[k] += slope[d][k]*(at.i[a == d][d][k] + (a == d ? 0.0 : 0.5) - x[d][k]*s->inverse);
        }
      for (int k = 0; k < count; k++) {
        const int32_t to = ix[k]*right + iy[k]*up + (dimension == 3 ? iz[k]*deep : 0);
        const double along = affine ? slope[0][k] : 0.0, over = affine ? slope[1][k] : 0.0;
        const double low = dimension == 3 ? 1.0 - tz[k] : 1.0;
        add_pair(sums, to, right, low*(1.0 - ty[k]), tx[k], v[k], along);
        add_pair(sums, to + up, right, low*ty[k], tx[k], v[k] + over, along);
        if (dimension == 2) continue;
        const double higher = affine ? v[k] + slope[2][k] : v[k];
        add_pair(sums, to + deep, right, tz[k]*(1.0 - ty[k]), tx[k], higher, along);
        add_pair(sums, to + deep + up, right, tz[k]*ty[k], tx[k], higher + over, along);
      }
    }
  }
}

SAMPLE_INLINE void add_any(const collection *c, int64_t begin, int64_t end) {
  const int affine = c->f->settings.transfer == PERP_TRANSFER_APIC;
  if (c->f->dimension == 2) {
    if (affine) add_particles(c, begin, end, 2, 1);
    else add_particles(c, begin, end, 2, 0);
  } else {
    if (affine) add_particles(c, begin, end, 3, 1);
    else add_particles(c, begin, end, 3, 0);
  }
}

static void add_plain(const collection *c, int64_t begin, int64_t end) { add_any(c, begin, end); }
SAMPLE_WIDE static void add_wide(const collection *c, int64_t begin, int64_t end) {
  add_any(c, begin, end);
}

static void slab(void *data, int32_t index, int32_t who) {
  (void)who;
  const collection *c = data;
  const perp_fluid *f = c->f;
  const int32_t from = (2*index + c->parity)*SLAB_LAYERS;
  const int32_t to = from + SLAB_LAYERS < c->layers ? from + SLAB_LAYERS : c->layers;
  const int64_t begin = f->first[from*c->layer_cells], end = f->first[to*c->layer_cells];
  if (SAMPLE_HAS_WIDE()) add_wide(c, begin, end);
  else add_plain(c, begin, end);
}

static int32_t piece(const collection *c, int32_t index, int32_t *end) {
  const int32_t begin = index*TASK_ENTRIES;
  *end = c->count - begin < TASK_ENTRIES ? c->count : begin + TASK_ENTRIES;
  return begin;
}

static void clear(void *data, int32_t index, int32_t who) {
  (void)who;
  const collection *c = data;
  int32_t end;
  const int32_t begin = piece(c, index, &end);
  memset(c->sums[c->a] + 2*(size_t)begin, 0, 2*(size_t)(end - begin)*sizeof(double));
}

static void divide(void *data, int32_t index, int32_t who) {
  (void)who;
  const collection *c = data;
  const double *sums = c->sums[c->a];
  double *u = c->f->u[c->a];
  uint8_t *known = c->f->known[c->a];
  int32_t end;
  for (int32_t i = piece(c, index, &end); i < end; i++) {
    const double weight = sums[2*(size_t)i + 1];
    known[i] = weight > WEIGHT_SUM_MIN;
    u[i] = weight > WEIGHT_SUM_MIN ? sums[2*(size_t)i]/weight : 0.0;
  }
}

static void keep(void *data, int32_t index, int32_t who) {
  (void)who;
  const collection *c = data;
  int32_t end;
  const int32_t begin = piece(c, index, &end);
  memcpy(c->f->before[c->a] + begin, c->f->u[c->a] + begin, (size_t)(end - begin)*sizeof(double));
}

static void for_faces(collection *c, void (*task)(void *data, int32_t index, int32_t who)) {
  for (c->a = 0; c->a < c->f->dimension; c->a++) {
    c->count = c->f->faces[c->a];
    crew_run(c->f->crew, task, c, (c->count + TASK_ENTRIES - 1)/TASK_ENTRIES);
  }
}

perp_error fluid_gather(perp_fluid *f) {
  collection c = {.f = f, .s = sampler_of(f, f->u)};
  const int deep = f->n[2] > 1;
  c.layers = f->n[deep ? 2 : 1];
  c.layer_cells = f->cells/c.layers;
  c.slabs = (c.layers + SLAB_LAYERS - 1)/SLAB_LAYERS;
  size_t faces = 0;
  for (int a = 0; a < f->dimension; a++) faces += (size_t)f->faces[a];
  c.sums[0] = fluid_scratch(f, 2*faces*sizeof(double));
  if (c.sums[0] == NULL) return PERP_ERROR_MEMORY;
  for (int a = 1; a < f->dimension; a++)
    c.sums[a] = c.sums[a - 1] + 2*(size_t)f->faces[a - 1];
  for_faces(&c, clear);
  for (c.parity = 0; c.parity < 2; c.parity++)
    crew_run(f->crew, slab, &c, (c.slabs + 1 - c.parity)/2);
  for_faces(&c, divide);
  const perp_error error = fluid_spread(f, EXTRAPOLATED_LAYERS);
  if (error == PERP_OK) for_faces(&c, keep);
  return error;
}
