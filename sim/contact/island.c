// island.c: finds islands, groups of bodies that touch each other, by union-find. Bodies of
// infinite mass join no islands. Islands are numbered in the order of their first contact. An
// island falls asleep and wakes as a whole.
#include <string.h>

#include "step.h"

static int32_t root(body *o, int32_t i) {
  while (o[i].set != i) {
    o[i].set = o[o[i].set].set;   // halves the way
    i = o[i].set;
  }
  return i;
}

static void join(body *o, int32_t a, int32_t b) {
  a = root(o, a);
  b = root(o, b);
  if (a < b) o[b].set = a;
  else o[a].set = b;
}

static int driven(const body *o, const perp_motion *m) {   // infinitely heavy, and on its way
  return !moves(o) && (m->velocity[0] != 0.0 || m->velocity[1] != 0.0 || m->velocity[2] != 0.0 ||
                       m->spin[0] != 0.0 || m->spin[1] != 0.0 || m->spin[2] != 0.0);
}

// Wakes every body that is connected to one that is awake.
static void wake(perp_world *w, const contact_list *l, int32_t *awake) {   // awake: by root
  body *o = bodies_of(w);
  const perp_motion *m = motions_of(w);
  const contact *c = l->contacts.at;
  memset(awake, 0, (size_t)w->bodies*sizeof *awake);
  for (int32_t i = 0; i < w->bodies; i++)
    if (moves(&o[i]) && !o[i].asleep) awake[root(o, i)] = 1;
  for (int32_t k = 0; k < l->count; k++) {
    const int32_t a = c[k].a, b = c[k].b;
    if (driven(&o[a], &m[a])) awake[root(o, b)] = 1;
    if (driven(&o[b], &m[b])) awake[root(o, a)] = 1;
  }
  for (int32_t i = 0; i < w->bodies; i++)
    if (o[i].asleep && awake[root(o, i)]) {
      o[i].asleep = o[i].rest = 0;
      w->asleep--;
    }
}

void island_number(const perp_world *w, const island *s) {
  for (int32_t i = 0; i < s->bodies; i++) bodies_of(w)[s->member[i]].local = i;
}

// Adds the properties of a contact to those of its island. 1: its normal turns a body
static int turns(const body *o, const contact *c) {
  return (moves(&o[c->a]) && !(c->central & 1)) || (moves(&o[c->b]) && !(c->central & 2));
}

perp_error island_find(perp_world *w, contact_list *l, grouping *g) {
  const int32_t n = w->bodies, count = l->count;
  const perp_allocator *from = &w->allocator;
  g->islands = 0;   // those that were have lost their lists
  const size_t longest = (size_t)(n > count ? n : count);
  if (!buffer_grow(from, &g->order_memory, longest*sizeof(int32_t), 0) ||
      !buffer_grow(from, &g->member_memory, (size_t)n*sizeof(int32_t), 0) ||
      !buffer_grow(from, &g->island_memory, (size_t)(n + 1)*sizeof(island), 0))
    return refuse(PERP_ERROR_MEMORY, "no memory for islands of %d contacts", count);
  body *o = bodies_of(w);
  const perp_motion *m = motions_of(w);
  contact *c = l->contacts.at;
  island *s = g->island_memory.at;
  int32_t *order = g->order_memory.at, *member = g->member_memory.at;
  for (int32_t i = 0; i < n; i++) o[i].set = i;
  for (int32_t k = 0; k < count; k++)
    if (moves(&o[c[k].a]) && moves(&o[c[k].b])) join(o, c[k].a, c[k].b);
  if (w->asleep > 0) wake(w, l, order);

  g->islands = 0;
  for (int32_t i = 0; i < n; i++) o[i].local = -1;   // of a root: the number of its island
  for (int32_t k = 0; k < count; k++) {
    const int32_t mover = moves(&o[c[k].a]) ? c[k].a : c[k].b, r = root(o, mover);
    c[k].island = -1;
    if (o[r].asleep) continue;
    if (o[r].local < 0) {
      s[g->islands] = (island){.round = 1};
      o[r].local = g->islands++;
    }
    island *of = &s[o[r].local];
    c[k].island = o[r].local;
    of->count++;
    of->turning |= w->settings.model != PERP_CONTACT_NORMAL || turns(o, &c[k]);
    of->anchored |= !moves(&o[c[k].a]) || !moves(&o[c[k].b]);
    of->driven |= driven(&o[c[k].a], &m[c[k].a]) || driven(&o[c[k].b], &m[c[k].b]);
  }
  for (int32_t i = 0; i < n; i++) o[i].local = moves(&o[i]) ? o[root(o, i)].local : -1;
  for (int32_t i = 0; i < n; i++) {
    o[i].set = o[i].local;   // now the number of its island
    if (o[i].set < 0) continue;
    s[o[i].set].bodies++;
    s[o[i].set].round &= o[i].round || o[i].flat;
  }
  int32_t contacts = 0, bodies = 0;
  for (int32_t k = 0; k < g->islands; k++) {
    s[k].order = order + contacts;
    s[k].member = member + bodies;
    contacts += s[k].count;
    bodies += s[k].bodies;
    s[k].count = s[k].bodies = 0;
  }
  for (int32_t k = 0; k < count; k++) {
    if (c[k].island < 0) continue;
    island *of = &s[c[k].island];
    order[of->order - order + of->count++] = k;
  }
  for (int32_t i = 0; i < n; i++) {
    o[i].local = -1;
    if (o[i].set < 0) continue;
    island *of = &s[o[i].set];
    o[i].local = of->bodies;
    member[of->member - member + of->bodies++] = i;
  }
  return PERP_OK;
}

// ---- sleep ----

// A body is at rest if its speed stays below 1e-4 of the speed that free fall gives in a step. An
// island stops once all its bodies have been at rest for long enough.
perp_error island_sleep(perp_world *w) {
  const int32_t patience = w->settings.sleep;
  if (patience == 0) return PERP_OK;
  body *o = bodies_of(w);
  perp_motion *m = motions_of(w);
  const double quiet = 1e-4*norm3(w->settings.gravity)*w->settings.step;
  for (int32_t i = 0; i < w->bodies; i++) {
    if (!moves(&o[i]) || o[i].asleep) continue;
    // at both ends of the step: what was thrown stands still where it turns, too
    const double speed = larger(norm3(m[i].velocity) + norm3(m[i].spin)*o[i].reach,
                                norm3(o[i].before) + norm3(o[i].before + 3)*o[i].reach);
    o[i].rest = speed > quiet ? 0 : o[i].rest < patience ? o[i].rest + 1 : patience;
  }
  const island *s = w->groups.island_memory.at;
  for (int32_t k = 0; k < w->groups.islands; k++) {
    int32_t least = patience;
    for (int32_t i = 0; i < s[k].bodies; i++)
      least = o[s[k].member[i]].rest < least ? o[s[k].member[i]].rest : least;
    if (least < patience || s[k].status != PERP_STATUS_SOLVED) continue;
    for (int32_t i = 0; i < s[k].bodies; i++) {
      const int32_t who = s[k].member[i];
      memset(m[who].velocity, 0, sizeof m[who].velocity);
      memset(m[who].spin, 0, sizeof m[who].spin);
      o[who].asleep = 1;
      w->asleep++;
    }
  }
  return PERP_OK;
}

void island_wake_pushed(perp_world *w) {
  for (int32_t i = 0; i < w->bodies && w->asleep > 0; i++) {
    body *b = bodies_of(w) + i;
    if (!b->asleep || (norm3(b->force) == 0.0 && norm3(b->torque) == 0.0)) continue;
    b->asleep = b->rest = 0;
    w->asleep--;
  }
}
