// save.c: the exact state of a fluid as bytes, and back.
//
// The state is everything that a step depends on and changes: particles, the velocity of the grid,
// the pressure from which the next solve starts, the positions of solids, and the divergence aimed
// at. Settings and the kinds and sizes of solids are not saved, but a hash of them is, so that a
// state cannot be loaded into a different fluid. A checksum over everything guards against damage.
// Numbers have this machine's byte order. The shelf is the same without the checksum; a step that
// fails restores it.
#include <math.h>
#include <string.h>

#include "saved.h"
#include "settings.h"

static const char mark[8] = "PERPFLD1";

typedef struct head {
  saved_head of;              // settings and solids
  uint64_t sum;               // of all that follows
  int64_t step, particles;
  uint64_t draws;
  double time, poured;
  int32_t solids, stale, aims, unused;
} head;

typedef struct motion { double position[3], orientation[4], velocity[3], spin[3]; } motion;

static uint64_t fingerprint(const perp_fluid *f) {
  const perp_fluid_settings *s = &f->settings;
  const int32_t whole[] = {s->dimension, s->cells[0], s->cells[1], s->cells[2], s->walls,
                           s->every_cell, s->transfer, s->substeps, s->particles, s->reseed,
                           s->compensate, s->force != NULL, f->solids};
  const double real[] = {s->spacing, s->flip, s->step, s->cfl, s->gravity[0], s->gravity[1],
                         s->gravity[2], s->density, f->options.tol};
  uint64_t kind = SAVED_HASH_START;
  saved_mix(&kind, whole, sizeof whole);
  saved_mix(&kind, real, sizeof real);
  saved_mix(&kind, &s->seed, sizeof s->seed);
  for (int32_t i = 0; i < f->solids; i++) {
    saved_mix(&kind, &f->solid[i].kind, sizeof f->solid[i].kind);
    saved_mix(&kind, &f->solid[i].outside, sizeof f->solid[i].outside);
    saved_mix(&kind, f->solid[i].extent, sizeof f->solid[i].extent);
  }
  return kind;
}

// Eight bytes at a time, four sums side by side: a step of millions of particles is gigabytes a
// minute.
static uint64_t check_sum(const unsigned char *from, size_t bytes) {
  uint64_t sum[4] = {1, 2, 3, 4};
  size_t at = 0;
  for (; at + 32 <= bytes; at += 32)
    for (int k = 0; k < 4; k++) {
      uint64_t word;
      memcpy(&word, from + at + 8*k, sizeof word);
      sum[k] = (sum[k] ^ word)*0x9E3779B97F4A7C15u;
      sum[k] ^= sum[k] >> 29;
    }
  uint64_t all = SAVED_HASH_START;
  saved_mix(&all, sum, sizeof sum);
  saved_mix(&all, from + at, bytes - at);
  return all;
}

// ---- the parts of a state behind its head ----

typedef struct part {
  void *at;
  size_t bytes;
} part;

enum { PARTS_MAX = 32 };

// Fields and particles; solids are between the head and them.
static int list_parts(const perp_fluid *f, int64_t particles_count, int aims, part *list) {
  struct particles p = f->p;
  double **arrays[15];
  int count = 0;
  const int many = fluid_particle_arrays(&p, f->dimension,
                                         f->settings.transfer == PERP_TRANSFER_APIC, arrays);
  for (int k = 0; k < many; k++)
    list[count++] = (part){*arrays[k], (size_t)particles_count*sizeof(double)};
  for (int a = 0; a < f->dimension; a++)
    list[count++] = (part){f->u[a], (size_t)f->faces[a]*sizeof(double)};
  const size_t cells = (size_t)f->cells;
  list[count++] = (part){f->pressure, cells*sizeof(double)};
  list[count++] = (part){f->surface, cells*sizeof(double)};
  if (aims) list[count++] = (part){f->kappa, cells*sizeof(double)};
  list[count++] = (part){f->type, cells};
  list[count++] = (part){f->separating, cells};
  return count;
}

static size_t bytes_of(const perp_fluid *f, int64_t particles_count, int aims) {
  part list[PARTS_MAX];
  size_t bytes = sizeof(head) + (size_t)f->solids*sizeof(motion);
  const int count = list_parts(f, particles_count, aims, list);
  for (int k = 0; k < count; k++) bytes += list[k].bytes;
  return bytes;
}

static head head_of(const perp_fluid *f) {
  head h;
  memset(&h, 0, sizeof h);
  memcpy(h.of.mark, mark, sizeof mark);
  h.of.kind = fingerprint(f);
  h.step = f->report.step;
  h.particles = f->p.count;
  h.draws = f->draws;
  h.time = f->time;
  h.poured = f->poured;
  h.solids = f->solids;
  h.stale = f->stale;
  h.aims = f->kappa != NULL;
  return h;
}

static void store(const perp_fluid *f, unsigned char *to) {
  const head h = head_of(f);
  memcpy(to, &h, sizeof h);
  to += sizeof h;
  for (int32_t i = 0; i < f->solids; i++) {
    const perp_fluid_shape *s = &f->solid[i];
    motion m;
    memcpy(m.position, s->position, sizeof m.position);
    memcpy(m.orientation, s->orientation, sizeof m.orientation);
    memcpy(m.velocity, s->velocity, sizeof m.velocity);
    memcpy(m.spin, s->spin, sizeof m.spin);
    memcpy(to, &m, sizeof m);
    to += sizeof m;
  }
  part list[PARTS_MAX];
  const int count = list_parts(f, f->p.count, f->kappa != NULL, list);
  for (int k = 0; k < count; k++) {
    if (list[k].bytes > 0) memcpy(to, list[k].at, list[k].bytes);
    to += list[k].bytes;
  }
}

size_t perp_fluid_save(const perp_fluid *f, void *memory, size_t size) {
  if (f == NULL) return 0;
  const size_t bytes = bytes_of(f, f->p.count, f->kappa != NULL);
  if (memory == NULL || size < bytes) return bytes;
  store(f, memory);
  head h;
  memcpy(&h, memory, sizeof h);
  h.sum = check_sum((unsigned char *)memory + sizeof h, bytes - sizeof h);
  memcpy(memory, &h, sizeof h);
  return bytes;
}

// ---- back ----

static void put_motion(perp_fluid_shape *s, const unsigned char *from) {
  motion m;
  memcpy(&m, from, sizeof m);
  memcpy(s->position, m.position, sizeof m.position);
  memcpy(s->orientation, m.orientation, sizeof m.orientation);
  memcpy(s->velocity, m.velocity, sizeof m.velocity);
  memcpy(s->spin, m.spin, sizeof m.spin);
}

static void put_fields(perp_fluid *f, const unsigned char *from) {
  part list[PARTS_MAX];
  const int count = list_parts(f, f->p.count, f->kappa != NULL, list);
  for (int k = 0; k < count; k++) {
    if (list[k].bytes > 0) memcpy(list[k].at, from, list[k].bytes);
    from += list[k].bytes;
  }
}

// There is room for the particles, and kappa is there if and only if the state has one.
void fluid_restore(perp_fluid *f, const void *memory) {
  head h;
  memcpy(&h, memory, sizeof h);
  const unsigned char *from = (const unsigned char *)memory + sizeof h;
  for (int32_t i = 0; i < f->solids; i++, from += sizeof(motion)) put_motion(&f->solid[i], from);
  f->p.count = h.particles;
  f->time = h.time;
  f->poured = h.poured;
  f->draws = h.draws;
  f->stale = h.stale;
  put_fields(f, from);
  f->dt = 0.0;
  f->solid_stamp = 0;
  fluid_solids(f);             // was possible before: it fails for what a caller's function says
}

perp_error fluid_shelve(perp_fluid *f) {
  const size_t bytes = bytes_of(f, f->p.count, f->kappa != NULL);
  if (!buffer_grow(&f->allocator, &f->shelf, bytes, 0))
    return refuse(PERP_ERROR_MEMORY, "no memory for %zu bytes of the state before a step", bytes);
  store(f, f->shelf.at);
  return PERP_OK;
}

// Particles in the box, all numbers finite and types that exist: a state made by other means, with
// a sum that is right, must not lead astray either.
static perp_error check_values(const perp_fluid *f, const head *h, const unsigned char *from) {
  part list[PARTS_MAX];
  for (int32_t i = 0; i < f->solids; i++, from += sizeof(motion)) {
    perp_fluid_shape s = f->solid[i], taken;
    put_motion(&s, from);
    const perp_error error = settings_check_shape(&s, f->dimension, &taken);
    if (error != PERP_OK) return error;
  }
  const int count = list_parts(f, h->particles, h->aims, list);
  for (int k = 0; k < count - 2; k++) {
    double largest = MAGNITUDE_MAX, least = -MAGNITUDE_MAX;
    if (k < f->dimension) least = 0.0, largest = f->n[k]*f->h;
    if (list[k].at == f->pressure) least = -INFINITY, largest = INFINITY;
    for (size_t at = 0; at < list[k].bytes; at += sizeof(double), from += sizeof(double)) {
      double x;
      memcpy(&x, from, sizeof x);
      if (!(x >= least && x <= largest) || !isfinite(x))
        return refuse(PERP_ERROR_ARGUMENT, "the state holds %s that is not finite or out of "
                      "range: %g", k < f->dimension ? "a position" : "a number", x);
    }
  }
  for (int32_t c = 0; c < 2*f->cells; c++)
    if (from[c] > (c < f->cells ? PERP_CELL_AIR : 1))
      return refuse(PERP_ERROR_ARGUMENT, "the state holds a cell of type %d", from[c]);
  return PERP_OK;
}

perp_error perp_fluid_load(perp_fluid *f, const void *memory, size_t size) {
  if (f == NULL || memory == NULL)
    return refuse(PERP_ERROR_ARGUMENT, "%s is NULL", f == NULL ? "fluid" : "memory");
  head h;
  perp_error error = saved_read(memory, size, mark, "perp_fluid_save", &h, sizeof h);
  if (error == PERP_OK)
    error = saved_check(&h.of, fingerprint(f), "fluid", "solids", h.solids, f->solids,
                        "settings or shapes");
  if (error != PERP_OK) return error;
  if (h.particles < 0 || h.particles > INT32_MAX/2 || h.aims < 0 || h.aims > 1 || h.stale < 0 ||
      h.stale > 1 || h.step < 0 || !isfinite(h.time) || !(h.poured >= 0.0) || !isfinite(h.poured))
    return refuse(PERP_ERROR_ARGUMENT, "the state holds numbers that make no sense");
  const size_t bytes = bytes_of(f, h.particles, h.aims);
  if (size != bytes) return refuse(PERP_ERROR_ARGUMENT, "size = %zu is not %zu", size, bytes);
  const unsigned char *from = (const unsigned char *)memory + sizeof h;
  if (h.sum != check_sum(from, bytes - sizeof h))
    return refuse(PERP_ERROR_ARGUMENT, "the state is damaged: its check sum is wrong");
  error = check_values(f, &h, from);
  if (error == PERP_OK) error = fluid_room(f, h.particles);
  if (error != PERP_OK) return error;
  const perp_allocator *by = &f->allocator;
  if (h.aims && f->kappa == NULL) {
    f->kappa = by->allocate(by->context, (size_t)f->cells*sizeof(double));
    if (f->kappa == NULL)
      return refuse(PERP_ERROR_MEMORY, "no memory for %d cells", f->cells);
  } else if (!h.aims && f->kappa != NULL) {
    by->release(by->context, f->kappa);
    f->kappa = NULL;
  }
  fluid_restore(f, memory);
  f->report = (perp_fluid_report){.step = h.step, .time = h.time, .particles = h.particles,
                                  .poured = h.poured};
  return PERP_OK;
}
