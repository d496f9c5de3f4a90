// save.c: the exact state of a world as bytes, and back.
//
// The state is everything that a step depends on and changes: motions, pushes, sleep, the contacts
// with their impulses, and the energy totals. Settings, shapes, masses and materials are not saved,
// but a hash of them is, so that a state cannot be loaded into a different world. Numbers have this
// machine's byte order.
#include <stddef.h>
#include <string.h>

#include "saved.h"
#include "world.h"

static const char mark[8] = "PERPWLD1";

typedef struct head {
  saved_head of;              // settings and bodies
  int64_t step;
  int32_t bodies, contacts, stale, unused;
  double input;
} head;

typedef struct rest {         // of a body
  double force[3], torque[3];
  int32_t steps, asleep;
} rest;

static uint64_t fingerprint(const perp_world *w) {
  const perp_world_settings *s = &w->settings;
  const int32_t whole[] = {s->dimension, s->model, w->directions, s->sleep, s->rounds, w->bodies};
  const double real[] = {s->gravity[0], s->gravity[1], s->gravity[2], s->step, s->margin,
                         s->restitution_speed, s->friction, s->restitution, w->options.tol};
  uint64_t kind = SAVED_HASH_START;
  saved_mix(&kind, whole, sizeof whole);
  saved_mix(&kind, real, sizeof real);
  saved_mix(&kind, w->pair_memory.at, 2*(size_t)w->materials*(size_t)w->materials*sizeof(double));
  for (int32_t i = 0; i < w->bodies; i++) {
    const body *b = bodies_of(w) + i;
    saved_mix(&kind, &b->shape, sizeof b->shape);
    saved_mix(&kind, &b->material, sizeof b->material);
    saved_mix(&kind, b->extent, sizeof b->extent);
    saved_mix(&kind, &b->offset, sizeof b->offset);
    saved_mix(&kind, &b->mass, sizeof b->mass);
    saved_mix(&kind, b->inertia, sizeof b->inertia);
  }
  return kind;
}

static size_t bytes_of(const perp_world *w, int32_t bodies, int32_t contacts) {
  return sizeof(head) + (size_t)bodies*(sizeof(perp_motion) + sizeof(rest)) +
         (size_t)contacts*(sizeof(contact) + (size_t)w->width*sizeof(double));
}

static unsigned char *write(unsigned char *to, const void *data, size_t bytes) {
  memcpy(to, data, bytes);
  return to + bytes;
}

size_t perp_world_save(const perp_world *w, void *memory, size_t size) {
  if (w == NULL) return 0;
  const int32_t contacts = w->now.count;
  const size_t bytes = bytes_of(w, w->bodies, contacts);
  if (memory == NULL || size < bytes) return bytes;
  head h;
  memset(&h, 0, sizeof h);
  memcpy(h.of.mark, mark, sizeof mark);
  h.of.kind = fingerprint(w);
  h.step = w->report.step;
  h.bodies = w->bodies;
  h.contacts = contacts;
  h.stale = w->stale;
  h.input = w->input;
  unsigned char *to = write(memory, &h, sizeof h);
  to = write(to, motions_of(w), (size_t)w->bodies*sizeof(perp_motion));
  for (int32_t i = 0; i < w->bodies; i++) {
    const body *b = bodies_of(w) + i;
    rest r = {.steps = b->rest, .asleep = b->asleep};
    copy3(r.force, b->force);
    copy3(r.torque, b->torque);
    to = write(to, &r, sizeof r);
  }
  to = write(to, w->now.contacts.at, (size_t)contacts*sizeof(contact));
  write(to, w->now.x.at, (size_t)contacts*(size_t)w->width*sizeof(double));
  return bytes;
}

// Checks that contacts name existing bodies, in order, with at most PAIR_CONTACTS_MAX per pair, and
// that their coefficients are in range: a state with a single wrong bit must be refused.
static int sound(const perp_world *w, const unsigned char *contacts, int32_t count) {
  contact before = {.a = -1, .b = -1};
  for (int32_t k = 0, of_pair = 0; k < count; k++) {
    contact c;
    memcpy(&c, contacts + (size_t)k*sizeof c, sizeof c);
    if (c.a < 0 || c.b <= c.a || c.b >= w->bodies) return 0;
    if (!moves(&bodies_of(w)[c.a]) && !moves(&bodies_of(w)[c.b])) return 0;
    const int same = c.a == before.a && c.b == before.b;
    if (!same && (c.a < before.a || (c.a == before.a && c.b < before.b))) return 0;
    of_pair = same ? of_pair + 1 : 1;
    if (of_pair > PAIR_CONTACTS_MAX || c.mu < 0.0 || c.e < 0.0 || c.e > 1.0) return 0;
    before = c;
  }
  return 1;
}

// How many are asleep; -1: a body's state makes no sense.
static int32_t count_asleep(const perp_world *w, const unsigned char *rests) {
  int32_t asleep = 0;
  for (int32_t i = 0; i < w->bodies; i++) {
    rest r;
    memcpy(&r, rests + (size_t)i*sizeof r, sizeof r);
    if (r.steps < 0 || r.asleep < 0 || r.asleep > moves(&bodies_of(w)[i])) return -1;
    asleep += r.asleep;
  }
  return asleep;
}

perp_error perp_world_load(perp_world *w, const void *memory, size_t size) {
  if (w == NULL || memory == NULL)
    return refuse(PERP_ERROR_ARGUMENT, "%s is NULL", w == NULL ? "world" : "memory");
  head h;
  perp_error error = saved_read(memory, size, mark, "perp_world_save", &h, sizeof h);
  if (error == PERP_OK)
    error = saved_check(&h.of, fingerprint(w), "world", "bodies", h.bodies, w->bodies,
                        "settings, shapes or masses");
  if (error != PERP_OK) return error;
  if (h.contacts < 0 || size != bytes_of(w, h.bodies, h.contacts))
    return refuse(PERP_ERROR_ARGUMENT, "size = %zu is not %zu", size,
                  bytes_of(w, h.bodies, h.contacts < 0 ? 0 : h.contacts));
  const size_t n = (size_t)h.bodies, count = (size_t)h.contacts, width = (size_t)w->width;
  const unsigned char *motions = (const unsigned char *)memory + sizeof h,
                      *rests = motions + n*sizeof(perp_motion),
                      *contacts = rests + n*sizeof(rest), *x = contacts + count*sizeof(contact);
  int finite = saved_is_finite(x, count*width*sizeof(double)) && isfinite(h.input);
  for (size_t i = 0; i < n && finite; i++)
    finite = saved_is_finite(rests + i*sizeof(rest), offsetof(rest, steps));
  for (size_t k = 0; k < count && finite; k++)
    finite = saved_is_finite(contacts + k*sizeof(contact) + offsetof(contact, normal),
                            sizeof(contact) - offsetof(contact, normal));
  if (!finite)
    return refuse(PERP_ERROR_ARGUMENT, "the state holds numbers that are not finite");
  for (size_t i = 0; i < n; i++) {
    perp_motion m;
    memcpy(&m, motions + i*sizeof m, sizeof m);
    error = world_check_motion(w, &m);
    if (error != PERP_OK) return error;
  }
  const int32_t asleep = count_asleep(w, rests);
  if (asleep < 0) return refuse(PERP_ERROR_ARGUMENT, "a body of the state sleeps and moves");
  if (!sound(w, contacts, h.contacts))
    return refuse(PERP_ERROR_ARGUMENT, "a contact of the state is none of this world's bodies");
  const size_t old = (size_t)w->now.count;
  if (!buffer_grow(&w->allocator, &w->now.contacts, count*sizeof(contact), old*sizeof(contact)) ||
      !buffer_grow(&w->allocator, &w->now.x, count*width*sizeof(double),
                   old*width*sizeof(double)))
    return refuse(PERP_ERROR_MEMORY, "no memory for %d contacts", h.contacts);
  memcpy(motions_of(w), motions, n*sizeof(perp_motion));
  for (size_t i = 0; i < n; i++) {
    body *b = bodies_of(w) + i;
    rest r;
    memcpy(&r, rests + i*sizeof r, sizeof r);
    copy3(b->force, r.force);
    copy3(b->torque, r.torque);
    b->rest = r.steps;
    b->asleep = r.asleep;
  }
  memcpy(w->now.contacts.at, contacts, count*sizeof(contact));
  memcpy(w->now.x.at, x, count*width*sizeof(double));
  w->now.count = h.contacts;
  w->asleep = asleep;
  w->stale = h.stale;
  w->input = h.input;
  w->report = (perp_world_report){.step = h.step, .time = (double)h.step*w->settings.step};
  w->touches = w->last.count = w->groups.islands = w->trace_count = 0;
  return PERP_OK;
}
