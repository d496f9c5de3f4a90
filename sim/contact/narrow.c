// narrow.c: finds where two bodies touch, or may touch within the step, by exact tests for spheres
// (discs), corners of boxes in planes and hollow spheres, and spheres on boxes. narrow_box.c tests
// two boxes.
//
// A pair is in contact if its gap is below the margin, or below the length of their relative motion
// within the step. The direction of that motion does not matter, because an impact with a third
// body may turn it. As the gap is part of its row, a contact that is not needed does no harm. The
// point of a contact is half way between the two surfaces, and the same for both bodies: equal and
// opposite impulses at one point keep the angular momentum.
#include "narrow.h"

static void put(contact *c, int32_t first, int32_t second, int32_t feature, const double *normal,
                double gap, const double *arm_first, const double *arm_second) {
  const int swapped = first > second;
  c->a = swapped ? second : first;
  c->b = swapped ? first : second;
  c->feature = feature;
  c->gap = gap;
  c->central = 0;
  for (int k = 0; k < 3; k++) c->normal[k] = swapped ? -normal[k] : normal[k];
  copy3(c->arm[swapped], arm_first);
  copy3(c->arm[!swapped], arm_second);
}

void narrow_velocity(const perp_world *w, int32_t i, const double *arm, double *v) {
  const body *b = bodies_of(w) + i;
  const perp_motion *m = motions_of(w) + i;
  cross3(m->spin, arm, v);
  for (int k = 0; k < 3; k++)
    v[k] += m->velocity[k] + (moves(b) && !b->asleep ? w->settings.step*w->settings.gravity[k] : 0);
}

int narrow_near(const perp_world *w, const contact *c) {
  if (c->gap < w->settings.margin) return 1;
  double va[3], vb[3];
  narrow_velocity(w, c->a, c->arm[0], va);
  narrow_velocity(w, c->b, c->arm[1], vb);
  sub3(va, vb, va);
  return c->gap < w->settings.step*norm3(va);
}

// The motion of a's centre relative to b's within the step.
static void relative_way(const perp_world *w, int32_t a, int32_t b, double *s) {
  static const double none[3] = {0.0, 0.0, 0.0};
  double vb[3];
  narrow_velocity(w, a, none, s);
  narrow_velocity(w, b, none, vb);
  for (int k = 0; k < 3; k++) s[k] = w->settings.step*(s[k] - vb[k]);
}

// If the centres coincide, no direction is right. Choose one across gravity: moving the bodies
// apart along it costs no energy. Along gravity it might cost too much, and they might overlap for
// ever.
static void across_gravity(const perp_world *w, double *n) {
  const double *g = w->settings.gravity;
  int least = 0;
  for (int k = 1; k < w->settings.dimension; k++)
    if (fabs(g[k]) < fabs(g[least])) least = k;
  const double size = norm3(g);
  for (int k = 0; k < 3; k++) n[k] = (k == least) - (size > 0.0 ? g[least]/size*(g[k]/size) : 0.0);
  const double length = norm3(n);
  for (int k = 0; k < 3; k++) n[k] /= length;   // at least sqrt(1/2): the axis that is pulled least
}

static int32_t sphere_sphere(const perp_world *w, int32_t a, int32_t b, contact *found) {
  const double ra = bodies_of(w)[a].extent[0], rb = bodies_of(w)[b].extent[0], reach = ra + rb;
  double p[3];
  sub3(motions_of(w)[a].position, motions_of(w)[b].position, p);
  const double distance = norm3(p), gap = distance - reach;
  if (gap >= w->settings.margin) {
    double s[3];
    relative_way(w, a, b, s);
    if (!(gap < norm3(s))) return 0;
  }
  double n[3], arm_a[3], arm_b[3];
  if (distance > 0.0)
    for (int k = 0; k < 3; k++) n[k] = p[k]/distance;
  else
    across_gravity(w, n);
  for (int k = 0; k < 3; k++) {
    arm_a[k] = -(ra + 0.5*gap)*n[k];
    arm_b[k] = (rb + 0.5*gap)*n[k];
  }
  put(found, a, b, 0, n, gap, arm_a, arm_b);
  found->central = 3;
  return 1;
}

static void plane_of(const perp_world *w, int32_t b, double *n) {
  double R[9];
  rotation(motions_of(w)[b].orientation, R);
  apply3(R, bodies_of(w)[b].extent, n);
}

// n from the other surface to the centre of the sphere, its gap, and whether it is near.
static int32_t sphere_on(const perp_world *w, int32_t sphere, int32_t other, const double *n,
                         double gap, contact *found) {
  const double r = bodies_of(w)[sphere].extent[0];
  const double *x = motions_of(w)[sphere].position, *y = motions_of(w)[other].position;
  double arm[3], arm_other[3];
  for (int k = 0; k < 3; k++) {
    arm[k] = -(r + 0.5*gap)*n[k];
    arm_other[k] = x[k] + arm[k] - y[k];
  }
  put(found, sphere, other, 0, n, gap, arm, arm_other);
  found->central = found->a == sphere ? 1 : 2;
  return narrow_near(w, found);
}

static int32_t sphere_plane(const perp_world *w, int32_t sphere, int32_t plane, contact *found) {
  double n[3], p[3];
  plane_of(w, plane, n);
  sub3(motions_of(w)[sphere].position, motions_of(w)[plane].position, p);
  const double gap = dot3(n, p) - bodies_of(w)[plane].offset - bodies_of(w)[sphere].extent[0];
  return sphere_on(w, sphere, plane, n, gap, found);
}

static int32_t sphere_hollow(const perp_world *w, int32_t sphere, int32_t hollow, contact *found) {
  double p[3];
  sub3(motions_of(w)[sphere].position, motions_of(w)[hollow].position, p);
  const double distance = norm3(p),
               room = bodies_of(w)[hollow].extent[0] - bodies_of(w)[sphere].extent[0];
  double n[3], s[3];
  relative_way(w, sphere, hollow, s);
  if (distance > 0.0) {
    for (int k = 0; k < 3; k++) n[k] = -p[k]/distance;
  } else {   // In the middle all directions are alike: take that of the motion, or the first axis.
    const double way = norm3(s);
    for (int k = 0; k < 3; k++) n[k] = way > 0.0 ? -s[k]/way : k == 0 ? -1.0 : 0.0;
  }
  const double gap = room - distance;
  if (gap >= w->settings.margin) {
    for (int k = 0; k < 3; k++) s[k] += p[k];
    if (norm3(s) <= room) return 0;   // a sphere is convex: inside at both ends is inside
  }
  sphere_on(w, sphere, hollow, n, gap, found);
  return 1;
}

// Corner k of a box relative to its position; in the plane there are four.
static void corner_of(const perp_world *w, int32_t box, const double *R, int32_t k, double *arm) {
  const double *e = bodies_of(w)[box].extent;
  const double at[3] = {k & 1 ? e[0] : -e[0], k & 2 ? e[1] : -e[1],
                        w->settings.dimension == 2 ? 0.0 : k & 4 ? e[2] : -e[2]};
  apply3(R, at, arm);
}

static int32_t box_corners(const perp_world *w, int32_t box, int32_t other, contact *found) {
  const body *o = bodies_of(w) + other;
  const double *x = motions_of(w)[box].position, *y = motions_of(w)[other].position;
  const int32_t corners = w->settings.dimension == 2 ? 4 : 8;
  double R[9], n[3], arm[3], p[3];
  int32_t count = 0;
  rotation(motions_of(w)[box].orientation, R);
  if (o->shape == PERP_SHAPE_PLANE) plane_of(w, other, n);
  for (int32_t k = 0; k < corners; k++) {
    corner_of(w, box, R, k, arm);
    for (int i = 0; i < 3; i++) p[i] = x[i] + arm[i] - y[i];
    double gap;
    if (o->shape == PERP_SHAPE_PLANE) {
      gap = dot3(n, p) - o->offset;
    } else {
      const double distance = norm3(p);
      if (!(distance > 0.0)) continue;
      gap = o->extent[0] - distance;
      for (int i = 0; i < 3; i++) n[i] = -p[i]/distance;
    }
    add_scaled3(arm, -0.5*gap, n);   // half way to the surface
    add_scaled3(p, -0.5*gap, n);
    put(&found[count], box, other, k, n, gap, arm, p);
    count += narrow_near(w, &found[count]);
  }
  return count;
}

static int32_t sphere_box(const perp_world *w, int32_t sphere, int32_t box, contact *found) {
  const double r = bodies_of(w)[sphere].extent[0], *e = bodies_of(w)[box].extent;
  const int32_t axes = w->settings.dimension;
  double R[9], p[3], local[3], inside[3], n[3] = {0.0, 0.0, 0.0}, normal[3], gap;
  rotation(motions_of(w)[box].orientation, R);
  sub3(motions_of(w)[sphere].position, motions_of(w)[box].position, p);
  apply_transposed3(R, p, local);
  int within = 1, face = 0;
  for (int k = 0; k < axes; k++) {
    inside[k] = fmin(fmax(local[k], -e[k]), e[k]);
    n[k] = local[k] - inside[k];
    within &= n[k] == 0.0;
    if (e[k] - fabs(local[k]) < e[face] - fabs(local[face])) face = k;
  }
  if (within) {   // the centre is in the box: out by the nearest face
    n[face] = local[face] < 0.0 ? -1.0 : 1.0;
    gap = fabs(local[face]) - e[face] - r;
  } else {
    const double distance = norm3(n);
    for (int k = 0; k < 3; k++) n[k] /= distance;
    gap = distance - r;
  }
  apply3(R, n, normal);
  return sphere_on(w, sphere, box, normal, gap, found);
}

int32_t narrow_contacts(const perp_world *w, worker *by, int32_t a, int32_t b, contact *found) {
  const body *o = bodies_of(w);
  if (o[a].shape > o[b].shape) {   // the simpler shape first
    const int32_t swap = a;
    a = b;
    b = swap;
  }
  const int32_t first = o[a].shape, second = o[b].shape;
  if (first == PERP_SHAPE_SPHERE) {
    if (second == PERP_SHAPE_SPHERE) return sphere_sphere(w, a, b, found);
    if (second == PERP_SHAPE_BOX) return sphere_box(w, a, b, found);
    if (second == PERP_SHAPE_PLANE) return sphere_plane(w, a, b, found);
    return sphere_hollow(w, a, b, found);
  }
  if (first != PERP_SHAPE_BOX) return 0;
  return second == PERP_SHAPE_BOX ? narrow_boxes(w, by, a, b, found) : box_corners(w, a, b, found);
}
