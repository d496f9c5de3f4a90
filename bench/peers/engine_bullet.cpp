// engine_bullet.cpp: scenes in Bullet, with btSequentialImpulseConstraintSolver at its defaults (10
// iterations, warm starts, one direction of friction), in double precision.
//
// Contacts are Bullet's: points of persistent manifolds, gaps below its breaking threshold too. A
// gap d > 0 may close in the step, an overlap is taken back by the share erp2; deeper than 0.04 it
// is left to a position pass that does not touch velocities. Bullet has no hollow sphere: it gets
// one as a shape of its own, with one contact for each ball.
#include "engines.h"

#include <cmath>
#include <vector>

#include "bench.h"
#include "btBulletDynamicsCommon.h"
#include "BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h"
#include "BulletCollision/CollisionShapes/btEmptyShape.h"

namespace {

btVector3 vector_of(const double *v) { return btVector3(v[0], v[1], v[2]); }

// ---- the hollow sphere ----

class hollow_shape : public btEmptyShape {
 public:
  explicit hollow_shape(double radius) : radius(radius) {}
  void getAabb(const btTransform &t, btVector3 &low, btVector3 &high) const override {
    const btVector3 half(radius, radius, radius);
    low = t.getOrigin() - half;
    high = t.getOrigin() + half;
  }
  const double radius;
};

class hollow_test : public btCollisionAlgorithm {
 public:
  hollow_test(const btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *one,
              const btCollisionObjectWrapper *two)
      : btCollisionAlgorithm(info),
        manifold(info.m_dispatcher1->getNewManifold(one->getCollisionObject(),
                                                    two->getCollisionObject())) {}
  ~hollow_test() override { m_dispatcher->releaseManifold(manifold); }

  void processCollision(const btCollisionObjectWrapper *one, const btCollisionObjectWrapper *two,
                        const btDispatcherInfo &, btManifoldResult *out) override {
    const bool first = one->getCollisionShape()->getShapeType() == EMPTY_SHAPE_PROXYTYPE;
    const btCollisionObjectWrapper *shell = first ? one : two, *ball = first ? two : one;
    const double R = static_cast<const hollow_shape *>(shell->getCollisionShape())->radius;
    const double r = static_cast<const btSphereShape *>(ball->getCollisionShape())->getRadius();
    const btVector3 middle = shell->getWorldTransform().getOrigin();
    const btVector3 d = ball->getWorldTransform().getOrigin() - middle;
    const double far = d.length(), gap = R - r - far;
    out->setPersistentManifold(manifold);
    if (far > 0.0 && gap < manifold->getContactBreakingThreshold()) {
      const btVector3 outward = d/far;
      if (first) out->addContactPoint(outward, middle + (far + r)*outward, gap);
      else out->addContactPoint(-outward, middle + R*outward, gap);
    }
    out->refreshContactPoints();
  }
  btScalar calculateTimeOfImpact(btCollisionObject *, btCollisionObject *, const btDispatcherInfo &,
                                 btManifoldResult *) override {
    return 1;
  }
  void getAllContactManifolds(btManifoldArray &all) override { all.push_back(manifold); }

 private:
  btPersistentManifold *manifold;
};

struct hollow_maker : btCollisionAlgorithmCreateFunc {
  btCollisionAlgorithm *CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo &info,
                                                 const btCollisionObjectWrapper *one,
                                                 const btCollisionObjectWrapper *two) override {
    void *memory = info.m_dispatcher1->allocateCollisionAlgorithm(sizeof(hollow_test));
    return new (memory) hollow_test(info, one, two);
  }
};

// ---- the world ----

class timed_world : public btDiscreteDynamicsWorld {
 public:
  using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;
  double solving = 0.0;

 protected:
  void solveConstraints(btContactSolverInfo &info) override {
    const double start = engine_clock();
    btDiscreteDynamicsWorld::solveConstraints(info);
    solving = engine_clock() - start;
  }
};

struct bullet_world {
  const scene_layout *layout;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  timed_world world{&dispatcher, &broad, &solver, &configuration};
  hollow_maker maker;
  std::vector<btCollisionShape *> shape;
  std::vector<btRigidBody *> body;
  std::vector<engine_contact> out;
};

btCollisionShape *shape_of(const perp_body *b) {
  const double *e = b->extent;
  switch (b->shape) {
    case PERP_SHAPE_SPHERE: return new btSphereShape(e[0]);
    case PERP_SHAPE_BOX: return new btBoxShape(vector_of(e));
    case PERP_SHAPE_PLANE: return new btStaticPlaneShape(vector_of(e), b->offset);
    default: return new hollow_shape(e[0]);
  }
}

void add(bullet_world *w, int32_t i) {
  const perp_body *b = &w->layout->body[i];
  const perp_motion *m = &b->motion;
  const double *q = m->orientation;
  const bool moves = engine_moves(b);
  btCollisionShape *shape = shape_of(b);
  btRigidBody::btRigidBodyConstructionInfo info(moves ? b->mass : 0.0, nullptr, shape,
                                                moves ? vector_of(b->inertia) : btVector3(0, 0, 0));
  info.m_startWorldTransform = btTransform(btQuaternion(q[1], q[2], q[3], q[0]),
                                           vector_of(m->position));
  info.m_friction = std::sqrt(engine_friction(w->layout));   // those of two bodies are multiplied
  btRigidBody *body = new btRigidBody(info);
  body->setUserIndex(i);
  if (moves) {
    body->setLinearVelocity(vector_of(m->velocity));
    body->setAngularVelocity(vector_of(m->spin));
    body->setActivationState(DISABLE_DEACTIVATION);
  }
  w->shape.push_back(shape);
  w->body.push_back(body);
  w->world.addRigidBody(body);
}

void *begin(const scene_layout *layout) {
  bullet_world *w = new bullet_world;
  w->layout = layout;
  w->dispatcher.registerCollisionCreateFunc(EMPTY_SHAPE_PROXYTYPE, SPHERE_SHAPE_PROXYTYPE,
                                            &w->maker);
  w->dispatcher.registerCollisionCreateFunc(SPHERE_SHAPE_PROXYTYPE, EMPTY_SHAPE_PROXYTYPE,
                                            &w->maker);
  if (engine_iterations > 0) w->world.getSolverInfo().m_numIterations = engine_iterations;
  w->world.setGravity(vector_of(layout->settings.gravity));
  for (int32_t i = 0; i < layout->bodies; i++) add(w, i);
  return w;
}

void step(void *data, engine_step *report) {
  bullet_world *w = static_cast<bullet_world *>(data);
  const double start = engine_clock();
  w->world.stepSimulation(w->layout->settings.step, 0);   // 0: exactly one step
  *report = engine_step{engine_clock() - start, w->world.solving, 0, 0, 0};
  for (int k = 0; k < w->dispatcher.getNumManifolds(); k++)
    report->contacts += w->dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
}

const engine_contact *contacts(void *data, int32_t *count) {
  bullet_world *w = static_cast<bullet_world *>(data);
  const btContactSolverInfo &info = w->world.getSolverInfo();
  const double h = w->layout->settings.step;
  w->out.clear();
  for (int k = 0; k < w->dispatcher.getNumManifolds(); k++) {
    const btPersistentManifold *m = w->dispatcher.getManifoldByIndexInternal(k);
    for (int p = 0; p < m->getNumContacts(); p++) {
      const btManifoldPoint &point = m->getContactPoint(p);
      const double gap = point.getDistance();
      engine_contact c = {};
      c.a = m->getBody0()->getUserIndex();
      c.b = m->getBody1()->getUserIndex();
      c.friction = point.m_combinedFriction;
      c.tangents = c.friction > 0.0 ? 1 : 0;
      c.target = gap > 0.0 ? -gap/h
                 : gap > info.m_splitImpulsePenetrationThreshold ? -gap*info.m_erp2/h : 0.0;
      for (int i = 0; i < 3; i++) {
        c.point[0][i] = point.getPositionWorldOnA()[i];
        c.point[1][i] = point.getPositionWorldOnB()[i];
        c.normal[i] = point.m_normalWorldOnB[i];
        c.tangent[0][i] = point.m_lateralFrictionDir1[i];
      }
      c.impulse[0] = point.m_appliedImpulse;
      c.impulse[1] = point.m_appliedImpulseLateral1;
      w->out.push_back(c);
    }
  }
  *count = (int32_t)w->out.size();
  return w->out.data();
}

void look(const void *data, perp_motion *motion) {
  const bullet_world *w = static_cast<const bullet_world *>(data);
  for (size_t i = 0; i < w->body.size(); i++) {
    const btTransform &t = w->body[i]->getWorldTransform();
    const btQuaternion q = t.getRotation();
    motion[i].orientation[0] = q.w();
    for (int k = 0; k < 3; k++) {
      motion[i].orientation[1 + k] = k == 0 ? q.x() : k == 1 ? q.y() : q.z();
      motion[i].position[k] = t.getOrigin()[k];
      motion[i].velocity[k] = w->body[i]->getLinearVelocity()[k];
      motion[i].spin[k] = w->body[i]->getAngularVelocity()[k];
    }
  }
}

void end(void *data) {
  bullet_world *w = static_cast<bullet_world *>(data);
  for (btRigidBody *body : w->body) {
    w->world.removeRigidBody(body);
    delete body;
  }
  for (btCollisionShape *shape : w->shape) delete shape;
  delete w;
}

}   // namespace

extern "C" const engine engine_bullet = {"Bullet", begin, step, look, contacts, end};
