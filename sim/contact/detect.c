// detect.c: finds the contacts at the current positions, and gives known ones their old impulses.
//
// Pairs and contacts are sorted by (a, b), so that old and new ones are matched in one pass.
// Contacts of spheres and of corners have a fixed feature number. Points of two boxes are matched
// by position: the nearest old point, if it is nearer than a tenth of the smaller box.
#include <string.h>

#include "world.h"

static int known_features(const body *a, const body *b) {
  return a->shape != PERP_SHAPE_BOX || b->shape != PERP_SHAPE_BOX;
}

static int fixed(const perp_world *w, int32_t i) {
  const body *b = bodies_of(w) + i;
  const perp_motion *m = motions_of(w) + i;
  return b->asleep || (!moves(b) && norm3(m->velocity) == 0.0 && norm3(m->spin) == 0.0);
}

static double least_extent(const body *b) {
  return fmin(b->extent[0], fmin(b->extent[1], b->extent[2]));
}

// Numbers the points of two boxes: a point near an old one takes its number, others get new ones.
static void number(const perp_world *w, contact *c, int32_t count, const contact *old,
                   int32_t olds) {
  const body *o = bodies_of(w);
  const double near = 0.1*fmin(least_extent(&o[c->a]), least_extent(&o[c->b]));
  uint32_t taken = 0;
  for (int32_t i = 0; i < count; i++) c[i].feature = -1;
  for (int32_t j = 0; j < olds; j++) {
    double least = near*near;
    int32_t best = -1;
    for (int32_t i = 0; i < count; i++) {
      double d[3];
      sub3(c[i].arm[0], old[j].arm[0], d);
      const double dd = dot3(d, d);
      if (c[i].feature < 0 && dd < least) {
        least = dd;
        best = i;
      }
    }
    if (best < 0) continue;
    c[best].feature = old[j].feature;
    taken |= 1u << (old[j].feature & 31);
  }
  int32_t next = 0;
  for (int32_t i = 0; i < count; i++) {
    if (c[i].feature >= 0) continue;
    while (taken >> next & 1u) next++;
    c[i].feature = next++;
  }
}

static void finish(const perp_world *w, contact *c) {
  world_coefficients(w, c->a, c->b, &c->mu, &c->e);
  c->island = -1;
  c->bounced = c->solved = c->unused = 0;
  memset(c->free, 0, sizeof c->free);
  memset(c->parting, 0, sizeof c->parting);
  if (w->settings.dimension == 2) {
    const double *n = c->normal;
    c->t[0][0] = -n[1], c->t[0][1] = n[0], c->t[0][2] = 0.0;
    c->t[1][0] = c->t[1][1] = 0.0, c->t[1][2] = 1.0;
  } else {
    tangents(c->normal, c->t[0], c->t[1]);
  }
}

static int room_for(const perp_world *w, contact_list *l, int64_t count) {
  const size_t contacts = (size_t)count*sizeof(contact),
               x = (size_t)count*(size_t)w->width*sizeof(double);
  return buffer_grow(&w->allocator, &l->contacts, contacts, (size_t)l->count*sizeof(contact)) &&
         buffer_grow(&w->allocator, &l->x, x,
                     (size_t)l->count*(size_t)w->width*sizeof(double));
}

perp_error world_detect(perp_world *w, const contact_list *before, int again) {
  const perp_error error = again ? PERP_OK : broad_pairs(w);
  if (error != PERP_OK) return error;
  contact_list *l = &w->spare;
  const pair *p = w->candidate_memory.at;
  const contact *old = before->contacts.at;
  const double *old_x = before->x.at;
  const body *o = bodies_of(w);
  const size_t width = (size_t)w->width;
  int32_t at = 0;   // in `before`
  l->count = 0;
  for (int64_t i = 0; i < w->candidates; i++) {
    const int32_t a = p[i].a, b = p[i].b;
    while (at < before->count && (old[at].a < a || (old[at].a == a && old[at].b < b))) at++;
    int32_t olds = 0;
    while (at + olds < before->count && old[at + olds].a == a && old[at + olds].b == b) olds++;
    if (!room_for(w, l, (int64_t)l->count + PAIR_CONTACTS_MAX))
      return refuse(PERP_ERROR_MEMORY, "no memory for %d contacts", l->count);
    contact *c = (contact *)l->contacts.at + l->count;
    double *x = (double *)l->x.at + (size_t)l->count*width;
    // Neither body moved: keep the contacts.
    if (fixed(w, a) && fixed(w, b)) {
      memcpy(c, old + at, (size_t)olds*sizeof *c);
      memcpy(x, old_x + (size_t)at*width, (size_t)olds*width*sizeof *x);
      l->count += olds;
      continue;
    }
    const int32_t count = narrow_contacts(w, w->workers, a, b, c);
    if (count > 0 && !known_features(&o[a], &o[b])) number(w, c, count, old + at, olds);
    for (int32_t k = 0; k < count; k++) {
      finish(w, &c[k]);
      memset(x + (size_t)k*width, 0, width*sizeof *x);
      for (int32_t j = 0; j < olds; j++)
        if (old[at + j].feature == c[k].feature) {
          memcpy(x + (size_t)k*width, old_x + (size_t)(at + j)*width, width*sizeof *x);
          c[k].solved = old[at + j].solved;   // of these impulses
        }
    }
    l->count += count;
  }
  return PERP_OK;
}
