// narrow_box.c: two boxes, by ODE's dCollide.
//
// dCollide only answers for boxes that overlap. So both boxes are enlarged by half the distance at
// which contacts are wanted. dCollide then returns the normal along which they are closest, and the
// points: corners of one face clipped by the sides of the other, or one point of two edges. Gaps
// are measured on the true boxes. A point is moved back onto the incident face, within the sides of
// that face and of the reference face (whose normal it is). For two edges the gap is that of their
// supports.
#include "narrow.h"
#include "island_problem.h"

#ifdef PERP_ODE

#include <ode/ode.h>
#include <pthread.h>

enum { ODE_POINTS_MAX = 8 };

// ODE is initialised once per program and never closed: other parts of the program may use it too.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void initialise(void) { dInitODE2(0); }

static int begin(worker *by) {
  pthread_once(&once, initialise);
  if (!dAllocateODEDataForThread(dAllocateFlagCollisionData)) return 0;
  for (int k = 0; k < 2; k++)
    if (by->geometry[k] == NULL) by->geometry[k] = dCreateBox(NULL, 1.0, 1.0, 1.0);
  return by->geometry[0] != NULL && by->geometry[1] != NULL;
}

void narrow_end(worker *by) {
  for (int k = 0; k < 2; k++)
    if (by->geometry[k] != NULL) dGeomDestroy(by->geometry[k]);
}

typedef struct box {
  const double *e;            // half sides
  double at[3], R[9];
  double own[3];              // the normal in its axes
  double size;                // |own| in the 1-norm: 1 if the normal is that of a face
  double support;             // how far it reaches along +-normal from its centre
} box;

static void place(const perp_world *w, dGeomID g, const box *b, double grow) {
  const dMatrix3 R = {b->R[0], b->R[1], b->R[2], 0, b->R[3], b->R[4], b->R[5], 0,
                      b->R[6], b->R[7], b->R[8], 0};
  // A rectangle is made so thick that nothing gets out along z.
  const double thick = w->settings.dimension == 2 ? 16.0 : 1.0;
  dGeomBoxSetLengths(g, 2.0*(b->e[0] + grow), 2.0*(b->e[1] + grow),
                     2.0*(b->e[2]*thick + grow));
  dGeomSetPosition(g, b->at[0], b->at[1], b->at[2]);
  dGeomSetRotation(g, R);
}

static void look_along(box *b, const double *n) {
  apply_transposed3(b->R, n, b->own);
  b->size = b->support = 0.0;
  for (int k = 0; k < 3; k++) {
    b->size += fabs(b->own[k]);
    b->support += fabs(b->own[k])*b->e[k];
  }
}

// The gap up to which the two may touch within the step.
static double distance_wanted(const perp_world *w, int32_t a, int32_t b) {
  static const double none[3] = {0.0, 0.0, 0.0};
  const body *o = bodies_of(w);
  double va[3], vb[3], least = (double)INFINITY;
  narrow_velocity(w, a, none, va);
  narrow_velocity(w, b, none, vb);
  sub3(va, vb, va);
  const double turn = norm3(motions_of(w)[a].spin)*o[a].reach +
                      norm3(motions_of(w)[b].spin)*o[b].reach;
  for (int k = 0; k < w->settings.dimension; k++)
    least = fmin(least, fmin(o[a].extent[k], o[b].extent[k]));
  // Boxes that grow to more than twice their size are not themselves any more.
  return w->settings.margin + fmin(w->settings.step*(norm3(va) + turn), least);
}

static double limit(double x, double most) { return fmin(fmax(x, -most), most); }

// Moves p into the sides of box b, leaving its axis `along` as it is unless face is not 0: then it
// is put on that face.
static void into(const box *b, int along, double face, double *p) {
  double d[3], own[3], back[3];
  sub3(p, b->at, d);
  apply_transposed3(b->R, d, own);
  for (int k = 0; k < 3; k++)
    if (k != along) own[k] = limit(own[k], b->e[k]);
    else if (face != 0.0) own[k] = face*b->e[k];
  apply3(b->R, own, back);
  for (int k = 0; k < 3; k++) p[k] = b->at[k] + back[k];
}

static int largest(const double *v) {
  int k = fabs(v[1]) > fabs(v[0]);
  return fabs(v[2]) > fabs(v[k]) ? 2 : k;
}

// The point of a contact, from ODE's, and its gap; n from b to a.
static double settle(const box *a, const box *b, const double *n, double *p) {
  const double below = dot3(n, a->at) - a->support, above = dot3(n, b->at) + b->support;
  if (fmin(a->size, b->size) > 1.0 + 1e-9) {   // two edges
    const double gap = below - above;
    into(a, largest(a->own), 0.0, p);
    into(b, largest(b->own), 0.0, p);
    add_scaled3(p, 0.5*(below + above) - dot3(n, p), n);
    return gap;
  }
  const int on_a = a->size <= b->size;   // the reference face is a's
  const box *face = on_a ? a : b, *other = on_a ? b : a;
  const int along = largest(other->own);
  // b's face looks along n, a's against it
  const double which = (on_a ? 1.0 : -1.0)*(other->own[along] > 0.0 ? 1.0 : -1.0);
  into(face, largest(face->own), 0.0, p);
  into(other, along, which, p);
  const double gap = on_a ? below - dot3(n, p) : dot3(n, p) - above;
  add_scaled3(p, on_a ? 0.5*gap : -0.5*gap, n);
  return gap;
}

// After clipping at the true sides, points may coincide. In two dimensions all points come in
// pairs.
static int repeated(const contact *found, int32_t count, const contact *c, double size) {
  for (int32_t k = 0; k < count; k++) {
    double d[3];
    sub3(found[k].arm[0], c->arm[0], d);
    if (dot3(d, d) <= 1e-12*size*size) return 1;
  }
  return 0;
}

// Is point k between two others? Both faces are flat, so that its constraint then follows from
// theirs. Sides that are almost parallel cross in the middle of each other.
static int between(const contact *c, int32_t count, int32_t k, double size) {
  for (int32_t i = 0; i < count; i++)
    for (int32_t j = 0; j < i; j++) {
      if (i == k || j == k) continue;
      double side[3], d[3];
      sub3(c[i].arm[0], c[j].arm[0], side);
      sub3(c[k].arm[0], c[j].arm[0], d);
      const double length = dot3(side, side), t = length > 0.0 ? dot3(d, side)/length : -1.0;
      if (!(t >= 0.0 && t <= 1.0)) continue;
      add_scaled3(d, -t, side);
      if (dot3(d, d) <= 1e-10*size*size) return 1;
    }
  return 0;
}

static int32_t prune(contact *c, int32_t count, double size) {
  for (int32_t k = count - 1; k >= 0 && count > 2; k--) {
    if (!between(c, count, k, size)) continue;
    for (int32_t i = k; i + 1 < count; i++) c[i] = c[i + 1];
    count--;
  }
  return count;
}

int32_t narrow_boxes(const perp_world *w, worker *by, int32_t a, int32_t b, contact *found) {
  if (a > b) return narrow_boxes(w, by, b, a, found);
  const body *o = bodies_of(w);
  const perp_motion *m = motions_of(w);
  double apart[3];
  sub3(m[b].position, m[a].position, apart);
  const double wanted = distance_wanted(w, a, b), size = fmin(o[a].reach, o[b].reach);
  if (norm3(apart) > o[a].reach + o[b].reach + 2.0*wanted || !begin(by)) return 0;
  box A = {.e = o[a].extent}, B = {.e = o[b].extent};   // seen from a's centre
  rotation(m[a].orientation, A.R);
  rotation(m[b].orientation, B.R);
  copy3(B.at, apart);
  place(w, by->geometry[0], &A, 0.5*wanted);
  place(w, by->geometry[1], &B, 0.5*wanted);
  dContactGeom geom[ODE_POINTS_MAX];
  const int points = dCollide(by->geometry[0], by->geometry[1], ODE_POINTS_MAX, geom, sizeof *geom);
  int32_t count = 0;
  for (int k = 0; k < points; k++) {
    double n[3], p[3];
    for (int i = 0; i < 3; i++) {
      n[i] = geom[k].normal[i];
      p[i] = geom[k].pos[i];
    }
    if (w->settings.dimension == 2) n[2] = p[2] = 0.0;
    const double length = norm3(n);
    if (!(length > 0.5)) continue;
    for (int i = 0; i < 3; i++) n[i] /= length;
    look_along(&A, n);
    look_along(&B, n);
    contact *c = &found[count];
    *c = (contact){.a = a, .b = b, .feature = k};
    c->gap = settle(&A, &B, n, p);
    copy3(c->normal, n);
    copy3(c->arm[0], p);
    sub3(p, B.at, c->arm[1]);
    if (narrow_near(w, c) && !repeated(found, count, c, size)) count++;
  }
  return prune(found, count, size);
}

#else

void narrow_end(worker *by) { (void)by; }

int32_t narrow_boxes(const perp_world *w, worker *by, int32_t a, int32_t b, contact *found) {
  (void)w, (void)by, (void)a, (void)b, (void)found;
  return 0;   // perp_world_add refuses boxes
}

#endif
