// measure.c: volume, momentum and energy, into the report.
//
// Particles carry equal parts of the mass that was poured: reseeding changes how many there are,
// not how much liquid there is. Sums are by blocks of particles and then over blocks: the same bits
// for any number of threads.
#include "lattice.h"

enum {
  SUM_PARTICLES = 4096,        // particles that a task adds up
  SUMS = 7                     // momentum, kinetic energy, positions
};

typedef struct work {
  perp_fluid *f;
  double (*sum)[SUMS];
} work;

static void add_up(void *data, int32_t block, int32_t who) {
  (void)who;
  const work *w = data;
  const particles *p = &w->f->p;
  const int64_t from = (int64_t)block*SUM_PARTICLES;
  const int64_t end = from + SUM_PARTICLES < p->count ? from + SUM_PARTICLES : p->count;
  double *sum = w->sum[block], energy = 0.0;
  for (int k = 0; k < SUMS; k++) sum[k] = 0.0;
  for (int a = 0; a < w->f->dimension; a++) {
    double momentum = 0.0, position = 0.0;
    for (int64_t i = from; i < end; i++) {
      momentum += p->v[a][i];
      energy += p->v[a][i]*p->v[a][i];
      position += p->x[a][i];
    }
    sum[a] = momentum;
    sum[4 + a] = position;
  }
  sum[3] = energy;
}

perp_error fluid_measure(perp_fluid *f) {
  perp_fluid_report *r = &f->report;
  r->particles = f->p.count;
  r->poured = f->poured;
  r->volume = fluid_volume(f);
  r->kinetic = r->potential = 0.0;
  for (int a = 0; a < 3; a++) r->momentum[a] = 0.0;
  if (f->p.count == 0) return PERP_OK;
  const int32_t blocks = (int32_t)((f->p.count + SUM_PARTICLES - 1)/SUM_PARTICLES);
  work w = {.f = f};
  w.sum = fluid_scratch(f, (size_t)blocks*sizeof *w.sum);
  if (w.sum == NULL) return PERP_ERROR_MEMORY;
  crew_run(f->crew, add_up, &w, blocks);
  double sum[SUMS] = {0.0};
  for (int32_t b = 0; b < blocks; b++)
    for (int k = 0; k < SUMS; k++) sum[k] += w.sum[b][k];
  const double mass = f->settings.density*f->poured/(double)f->p.count;
  r->kinetic = 0.5*mass*sum[3];
  for (int a = 0; a < 3; a++) {
    r->momentum[a] = mass*sum[a];
    r->potential -= mass*f->settings.gravity[a]*sum[4 + a];
  }
  return PERP_OK;
}
