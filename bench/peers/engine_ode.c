// engine_ode.c: scenes in ODE, with dWorldStep and dWorldQuickStep at their defaults.
//
// Contacts are ODE's: dSpaceCollide on a hash space, then dCollide with up to 8 points a pair. Only
// the hollow sphere, which ODE does not have, is tested here: normal towards the middle,
// depth = |p| + r - R. Overlaps are taken back by the share erp of a step; a gap is no contact.
#include <math.h>
#include <ode/ode.h>
#include <stdarg.h>
#include <stdlib.h>

#include "bench.h"
#include "engines.h"

enum { POINTS = 8 };

typedef struct ode_world {
  dWorldID world;
  dSpaceID space;
  dJointGroupID joints;
  dBodyID *body;              // NULL: does not move
  const scene_layout *layout;
  int quick;
  dContact *contact;          // of this step
  dJointFeedback *feedback;
  engine_contact *out;
  int32_t count, room;
} ode_world;

static int32_t complaints;    // "LCP internal error", of dWorldStep

static void complain(int number, const char *format, va_list arguments) {
  (void)number, (void)format, (void)arguments;
  complaints++;
}

static void place(dGeomID geom, dBodyID body, int32_t i, const perp_motion *m) {
  dGeomSetData(geom, (void *)(intptr_t)i);
  if (body != NULL) {
    dGeomSetBody(geom, body);
    return;
  }
  dGeomSetPosition(geom, m->position[0], m->position[1], m->position[2]);
  dGeomSetQuaternion(geom, m->orientation);
}

static void add(ode_world *w, int32_t i) {
  const perp_body *b = &w->layout->body[i];
  const perp_motion *m = &b->motion;
  if (engine_moves(b)) {
    dMass mass;
    dMassSetParameters(&mass, b->mass, 0.0, 0.0, 0.0, b->inertia[0], b->inertia[1], b->inertia[2],
                       0.0, 0.0, 0.0);
    w->body[i] = dBodyCreate(w->world);
    dBodySetMass(w->body[i], &mass);
    dBodySetPosition(w->body[i], m->position[0], m->position[1], m->position[2]);
    dBodySetQuaternion(w->body[i], m->orientation);
    dBodySetLinearVel(w->body[i], m->velocity[0], m->velocity[1], m->velocity[2]);
    dBodySetAngularVel(w->body[i], m->spin[0], m->spin[1], m->spin[2]);
  }
  const double *e = b->extent;
  if (b->shape == PERP_SHAPE_SPHERE) place(dCreateSphere(w->space, e[0]), w->body[i], i, m);
  if (b->shape == PERP_SHAPE_BOX)
    place(dCreateBox(w->space, 2.0*e[0], 2.0*e[1], 2.0*e[2]), w->body[i], i, m);
  if (b->shape == PERP_SHAPE_PLANE) {
    const double d = b->offset + e[0]*m->position[0] + e[1]*m->position[1] + e[2]*m->position[2];
    dGeomSetData(dCreatePlane(w->space, e[0], e[1], e[2], d), (void *)(intptr_t)i);
  }
}

static void *begin(const scene_layout *layout, int quick) {
  dInitODE2(0);
  ode_world *w = bench_take(1, sizeof *w);
  *w = (ode_world){.layout = layout, .quick = quick, .world = dWorldCreate(),
                   .space = dHashSpaceCreate(NULL), .joints = dJointGroupCreate(0)};
  const double *g = layout->settings.gravity;
  dWorldSetGravity(w->world, g[0], g[1], g[2]);
  w->body = bench_take((size_t)layout->bodies, sizeof *w->body);
  for (int32_t i = 0; i < layout->bodies; i++) add(w, i);
  if (engine_iterations > 0) dWorldSetQuickStepNumIterations(w->world, engine_iterations);
  dRandSetSeed(1);
  dSetMessageHandler(complain);
  return w;
}

static void *begin_step(const scene_layout *layout) { return begin(layout, 0); }
static void *begin_quick(const scene_layout *layout) { return begin(layout, 1); }

// ---- contacts ----

static void grow(ode_world *w, int32_t more) {
  if (w->count + more <= w->room) return;
  w->room = 2*(w->count + more);
  const size_t room = (size_t)w->room;
  w->contact = realloc(w->contact, room*sizeof *w->contact);
  w->feedback = realloc(w->feedback, room*sizeof *w->feedback);
  w->out = realloc(w->out, room*sizeof *w->out);
  if (w->contact == NULL || w->feedback == NULL || w->out == NULL) abort();
}

static void keep(ode_world *w, const dContactGeom *found, int32_t a, int32_t b) {
  grow(w, 1);
  engine_contact *out = &w->out[w->count];
  dContact *c = &w->contact[w->count++];
  c->geom = *found;
  c->surface = (dSurfaceParameters){.mode = dContactApprox1,
                                    .mu = engine_friction(w->layout)};
  const int swap = w->body[a] == NULL;   // a must move
  if (swap)
    for (int k = 0; k < 3; k++) c->geom.normal[k] = -c->geom.normal[k];
  out->a = swap ? b : a;
  out->b = swap ? a : b;
}

static void near(void *data, dGeomID one, dGeomID two) {
  ode_world *w = data;
  const int32_t a = (int32_t)(intptr_t)dGeomGetData(one), b = (int32_t)(intptr_t)dGeomGetData(two);
  if (w->body[a] == NULL && w->body[b] == NULL) return;
  dContactGeom found[POINTS];
  const int count = dCollide(one, two, POINTS, found, sizeof *found);
  for (int k = 0; k < count; k++) keep(w, &found[k], a, b);
}

static void inside(ode_world *w, int32_t hollow) {
  const perp_body *shell = &w->layout->body[hollow];
  for (int32_t i = 0; i < w->layout->bodies; i++) {
    const perp_body *ball = &w->layout->body[i];
    if (w->body[i] == NULL || ball->shape != PERP_SHAPE_SPHERE) continue;
    const dReal *p = dBodyGetPosition(w->body[i]);
    double d[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
      d[k] = p[k] - shell->motion.position[k];
      square += d[k]*d[k];
    }
    const double far = sqrt(square), depth = far + ball->extent[0] - shell->extent[0];
    if (depth < 0.0 || far == 0.0) continue;
    dContactGeom found = {.depth = depth};
    for (int k = 0; k < 3; k++) {
      found.normal[k] = -d[k]/far;
      found.pos[k] = p[k] + ball->extent[0]*d[k]/far;
    }
    keep(w, &found, i, hollow);
  }
}

static void collide(ode_world *w) {
  dJointGroupEmpty(w->joints);
  w->count = 0;
  dSpaceCollide(w->space, w, near);
  for (int32_t i = 0; i < w->layout->bodies; i++)
    if (w->layout->body[i].shape == PERP_SHAPE_HOLLOW) inside(w, i);
  for (int32_t k = 0; k < w->count; k++) {
    const dJointID joint = dJointCreateContact(w->world, w->joints, &w->contact[k]);
    dJointAttach(joint, w->body[w->out[k].a], w->body[w->out[k].b]);
    dJointSetFeedback(joint, &w->feedback[k]);
  }
}

static void step(void *data, engine_step *report) {
  ode_world *w = data;
  const double h = w->layout->settings.step, start = engine_clock();
  complaints = 0;
  collide(w);
  const double found = engine_clock();
  if (w->quick) dWorldQuickStep(w->world, h);
  else dWorldStep(w->world, h);
  const double end = engine_clock();
  *report = (engine_step){.seconds = end - start, .solving = end - found, .contacts = w->count,
                          .complaint = complaints > 0};
}

static const engine_contact *contacts(void *data, int32_t *count) {
  ode_world *w = data;
  const double h = w->layout->settings.step, erp = dWorldGetERP(w->world);
  for (int32_t k = 0; k < w->count; k++) {
    const dContact *c = &w->contact[k];
    engine_contact *out = &w->out[k];
    dVector3 t[2];
    dPlaneSpace(c->geom.normal, t[0], t[1]);
    out->target = erp/h*fmax(c->geom.depth, 0.0);
    out->softness = dWorldGetCFM(w->world)/h;
    out->friction = c->surface.mu;
    out->tangents = c->surface.mu > 0.0 ? 2 : 0;
    for (int i = 0; i < 3; i++) {
      out->impulse[i] = 0.0;
      out->point[0][i] = out->point[1][i] = c->geom.pos[i];
      out->normal[i] = c->geom.normal[i];
      out->tangent[0][i] = t[0][i];
      out->tangent[1][i] = t[1][i];
    }
    for (int i = 0; i < 3; i++) {
      out->impulse[0] += h*w->feedback[k].f1[i]*c->geom.normal[i];
      for (int d = 0; d < out->tangents; d++)
        out->impulse[1 + d] += h*w->feedback[k].f1[i]*t[d][i];
    }
  }
  *count = w->count;
  return w->out;
}

static void look(const void *data, perp_motion *motion) {
  const ode_world *w = data;
  for (int32_t i = 0; i < w->layout->bodies; i++) {
    motion[i] = w->layout->body[i].motion;
    if (w->body[i] == NULL) continue;
    const dReal *p = dBodyGetPosition(w->body[i]), *q = dBodyGetQuaternion(w->body[i]),
                *v = dBodyGetLinearVel(w->body[i]), *s = dBodyGetAngularVel(w->body[i]);
    for (int k = 0; k < 4; k++) motion[i].orientation[k] = q[k];
    for (int k = 0; k < 3; k++) {
      motion[i].position[k] = p[k];
      motion[i].velocity[k] = v[k];
      motion[i].spin[k] = s[k];
    }
  }
}

static void end(void *data) {
  ode_world *w = data;
  dJointGroupDestroy(w->joints);
  dSpaceDestroy(w->space);
  dWorldDestroy(w->world);
  free(w->contact);
  free(w->feedback);
  free(w->out);
  free(w->body);
  free(w);
  dCloseODE();
}

const engine engine_ode_step = {"ODE dWorldStep", begin_step, step, look, contacts, end};
const engine engine_ode_quick = {"ODE dWorldQuickStep", begin_quick, step, look, contacts, end};
