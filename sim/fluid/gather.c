// gather.c: velocities of particles to the grid. A face gets the mean of the particles around it,
//     u_f = sum w_f(x_p) (v_p + affine_p (x_f - x_p)) / sum w_f(x_p)
// with w the weights of linear interpolation; affine_p is 0 for FLIP. What no particle reaches is
// extrapolated by two layers, as far as cells can be liquid. (Jiang et al. 2015, 5.3)
//
// The same bits on any number of threads: particles lie sorted by cell, slabs of THICK layers of
// cells add their own in that order, first all even slabs and then all odd ones. A slab reaches one
// layer beyond itself, so that two of a kind never meet.
#include <string.h>

#include "sample.h"

enum { THICK = 2, PIECE = 65536, LAYERS = 2 };
#define LEAST 1e-6             // sum of weights below which a face is not known

typedef struct collection {
  perp_fluid *f;
  sampler s;
  int32_t parity, slabs, layer_cells, layers;
  double *sum, *weight;        // of one component, when they are divided
  double *before;
  uint8_t *known;
  int32_t count;
} collection;

static inline void add_particle(const collection *c, int64_t i, const int dimension,
                                const int affine) {
  const perp_fluid *f = c->f;
  const sampler *s = &c->s;
  const particles *p = &f->p;
  double x[3];
  for (int d = 0; d < dimension; d++) x[d] = p->x[d][i];
  const spot at = sample_spot(s, x, dimension);
  for (int a = 0; a < dimension; a++) {
    const int32_t base = sample_base(s, &at, a, dimension);
    double v = p->v[a][i], slope[3];
    if (affine)   // v at the first face; slope per cell
      for (int d = 0; d < dimension; d++) {
        slope[d] = p->affine[3*a + d][i]*f->h;
        v += slope[d]*(at.i[a == d][d] + (a == d ? 0.0 : 0.5) - x[d]*s->inverse);
      }
    const double tx = at.t[a == 0][0], ty = at.t[a == 1][1];
    const double tz = dimension == 3 ? at.t[a == 2][2] : 0.0;
    for (int k = 0; k < (dimension == 3 ? 2 : 1); k++)
      for (int j = 0; j < 2; j++) {
        const double wyz = (j ? ty : 1.0 - ty)*(dimension == 2 ? 1.0 : k ? tz : 1.0 - tz);
        const int32_t to = base + j*s->step[a][1] + (dimension == 3 ? k*s->step[a][2] : 0);
        const double w0 = wyz*(1.0 - tx), w1 = wyz*tx;
        double v0 = v, v1 = v;
        if (affine) {
          v0 += j*slope[1] + (dimension == 3 ? k*slope[2] : 0.0);
          v1 = v0 + slope[0];
        }
        double *sum = f->u[a] + to, *weight = f->weight[a] + to;
        const int32_t right = s->step[a][0];
        sum[0] += w0*v0;
        weight[0] += w0;
        sum[right] += w1*v1;
        weight[right] += w1;
      }
  }
}

static void slab(void *data, int32_t index, int32_t who) {
  (void)who;
  const collection *c = data;
  const perp_fluid *f = c->f;
  const int32_t from = (2*index + c->parity)*THICK;
  const int32_t to = from + THICK < c->layers ? from + THICK : c->layers;
  const int64_t begin = f->first[from*c->layer_cells], end = f->first[to*c->layer_cells];
  const int affine = f->settings.transfer == PERP_TRANSFER_APIC;
  if (f->dimension == 2) {
    if (affine) for (int64_t i = begin; i < end; i++) add_particle(c, i, 2, 1);
    else for (int64_t i = begin; i < end; i++) add_particle(c, i, 2, 0);
  } else {
    if (affine) for (int64_t i = begin; i < end; i++) add_particle(c, i, 3, 1);
    else for (int64_t i = begin; i < end; i++) add_particle(c, i, 3, 0);
  }
}

static int32_t piece(const collection *c, int32_t index, int32_t *end) {
  const int32_t begin = index*PIECE;
  *end = c->count - begin < PIECE ? c->count : begin + PIECE;
  return begin;
}

static void clear(void *data, int32_t index, int32_t who) {
  (void)who;
  const collection *c = data;
  int32_t end;
  const int32_t begin = piece(c, index, &end);
  memset(c->sum + begin, 0, (size_t)(end - begin)*sizeof(double));
  memset(c->weight + begin, 0, (size_t)(end - begin)*sizeof(double));
}

static void divide(void *data, int32_t index, int32_t who) {
  (void)who;
  const collection *c = data;
  int32_t end;
  for (int32_t i = piece(c, index, &end); i < end; i++) {
    const int known = c->weight[i] > LEAST;
    c->known[i] = (uint8_t)known;
    c->sum[i] = known ? c->sum[i]/c->weight[i] : 0.0;
  }
}

static void keep(void *data, int32_t index, int32_t who) {
  (void)who;
  const collection *c = data;
  int32_t end;
  const int32_t begin = piece(c, index, &end);
  memcpy(c->before + begin, c->sum + begin, (size_t)(end - begin)*sizeof(double));
}

static void for_faces(collection *c, void (*task)(void *data, int32_t index, int32_t who)) {
  perp_fluid *f = c->f;
  for (int a = 0; a < f->dimension; a++) {
    c->sum = f->u[a];
    c->weight = f->weight[a];      // of the pressure problem, which is assembled later
    c->before = f->before[a];
    c->known = f->known[a];
    c->count = f->faces[a];
    crew_run(f->crew, task, c, (c->count + PIECE - 1)/PIECE);
  }
}

perp_error fluid_gather(perp_fluid *f) {
  collection c = {.f = f, .s = sampler_of(f, f->u)};
  const int deep = f->n[2] > 1;
  c.layers = f->n[deep ? 2 : 1];
  c.layer_cells = f->cells/c.layers;
  c.slabs = (c.layers + THICK - 1)/THICK;
  for_faces(&c, clear);
  for (c.parity = 0; c.parity < 2; c.parity++)
    crew_run(f->crew, slab, &c, (c.slabs + 1 - c.parity)/2);
  for_faces(&c, divide);
  fluid_spread(f, LAYERS);
  for_faces(&c, keep);
  return PERP_OK;
}
