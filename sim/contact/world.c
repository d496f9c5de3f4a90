// world.c: creates and destroys a world, adds bodies and pushes to it, and answers queries.
#include "world.h"

#include <string.h>

#include "narrow.h"
#include "island_problem.h"

// ---- settings ----

perp_world_settings perp_world_defaults(void) {
  return (perp_world_settings){
    .size = sizeof(perp_world_settings), .dimension = 3, .model = PERP_CONTACT_FRICTION,
    .directions = 4, .threads = 1, .sleep = 0, .rounds = 20, .gravity = {0.0, -9.81, 0.0},
    .step = 1.0/60, .margin = 0.01, .restitution_speed = 0.5, .friction = 0.5,
    .time_limit = (double)INFINITY};
}

static range friction_range(double value) {
  return (range){"friction", value, 0.0, 1e6, "[0, 1e6]"};
}

static range restitution_range(double value) {
  return (range){"restitution", value, 0.0, 1.0, "[0, 1]"};
}

static perp_error check_settings(const perp_world_settings *s) {
  perp_error error = check_size("settings", s->size, sizeof *s, "perp_world_defaults()");
  if (error == PERP_OK)
    error = check_common(&(common){s->dimension, s->threads, s->step, s->time_limit, s->gravity,
                                   s->options});
  const range all[] = {
    {"model", s->model, 0, PERP_CONTACT_MODEL_COUNT - 1, "[0, 3]"},
    {"directions", s->directions, 3, DIRECTIONS_MAX, "[3, 64]"},
    {"sleep", s->sleep, 0, INT32_MAX, "[0, inf)"},
    {"rounds", s->rounds, 1, INT32_MAX, "[1, inf)"},
    {"trace", s->trace, 0, 1000000, "[0, 1000000]"},
    {"margin", s->margin, 0.0, 1e6, "[0, 1e6]"},
    {"restitution_speed", s->restitution_speed, 0.0, (double)INFINITY, "[0, inf]"},
    friction_range(s->friction),
    restitution_range(s->restitution)};
  return error == PERP_OK ? check_ranges(all, sizeof all/sizeof *all) : error;
}

// cos and sin of 2 pi k/K, exactly opposite for opposite directions
static void find_directions(perp_world *w) {
  const int K = w->directions;
  for (int k = 0; k < K; k++) {
    const double angle = 2.0*acos(-1.0)*k/K;
    w->cosine[k] = cos(angle);
    w->sine[k] = sin(angle);
    if (4*k == K || 4*k == 3*K) w->cosine[k] = 0.0;
    if (2*k == K || k == 0) w->sine[k] = 0.0;
    if (K%2 == 0 && 2*k >= K) {
      w->cosine[k] = -w->cosine[k - K/2];
      w->sine[k] = -w->sine[k - K/2];
    }
  }
}

// options: of the problem of a step; own: of those that only serve it
static void find_options(perp_world *w) {
  w->options = options_of(w->settings.options);
  // Rows whose b is only rounding noise from the previous step should not be judged by it, so the
  // componentwise test is off unless the caller asks for it.
  if (w->options.componentwise_tol == 0.0) w->options.componentwise_tol = (double)INFINITY;
  w->settings.options = NULL;
  w->own = w->options;
  if (w->own.method != NULL && w->own.method != perp_find_method("auto")) {
    w->own = perp_default_options(NULL);
    w->own.tol = w->options.tol;
    w->own.componentwise_tol = w->options.componentwise_tol;
    w->own.clock = w->options.clock;
    w->own.clock_context = w->options.clock_context;
  } else if (w->settings.model == PERP_CONTACT_STAGGERED) {
    const int32_t rounds = w->settings.rounds;
    w->options.method = perp_find_method("staggering");
    w->options.friction.rounds = rounds;
    if (w->options.iteration_limit > rounds) w->options.iteration_limit = rounds;
  }
}

// If a method gets no memory, another one replaces it, and the caller of perp_solve() cannot see
// that. So the allocator counts requests that failed.
static void *worker_allocate(void *context, size_t bytes) {
  worker *by = context;
  void *memory = by->from.allocate(by->from.context, bytes);
  by->refused += memory == NULL;
  return memory;
}

static void worker_release(void *context, void *memory) {
  const worker *by = context;
  by->from.release(by->from.context, memory);
}

perp_error perp_world_create(const perp_world_settings *settings, const perp_allocator *allocator,
                             perp_world **world) {
  if (world == NULL) return refuse(PERP_ERROR_ARGUMENT, "world is NULL");
  const perp_world_settings defaults = perp_world_defaults();
  if (settings == NULL) settings = &defaults;
  const perp_error error = check_settings(settings);
  if (error != PERP_OK) return error;
  const perp_allocator from = buffer_allocator(allocator);
  perp_world *w = from.allocate(from.context, sizeof *w);
  if (w == NULL) return refuse(PERP_ERROR_MEMORY, "no memory for a world");
  memset(w, 0, sizeof *w);
  w->allocator = from;
  w->settings = *settings;
  find_options(w);
  const perp_error refused = check_options(&w->options, &from);
  if (refused != PERP_OK) {
    buffer_release(&from, w);
    return refused;
  }
  const int model = settings->model;
  w->directions = model == PERP_CONTACT_NORMAL || model == PERP_CONTACT_BOXED ? 0
                  : settings->dimension == 2 ? 2 : settings->directions;
  w->width = model == PERP_CONTACT_NORMAL ? 1 : model == PERP_CONTACT_BOXED ? 3 : w->directions + 2;
  find_directions(w);
  const size_t threads = (size_t)settings->threads;
  w->workers = from.allocate(from.context, threads*sizeof *w->workers);
  if (w->workers != NULL) {
    memset(w->workers, 0, threads*sizeof *w->workers);
    for (size_t k = 0; k < threads; k++) {
      w->workers[k].from = from;
      w->workers[k].allocator = (perp_allocator){worker_allocate, worker_release, &w->workers[k]};
    }
  }
  int fine = w->workers != NULL;
  if (fine && threads > 1) {
    w->threads = crew_create(settings->threads, &from);
    fine = w->threads != NULL;
  }
  if (fine && settings->trace > 0) {
    w->trace = from.allocate(from.context, 2*(size_t)settings->trace*sizeof *w->trace);
    fine = w->trace != NULL;
  }
  buffer *const first[] = {&w->now.contacts, &w->now.x, &w->last.contacts, &w->last.x,
                           &w->spare.contacts, &w->spare.x, &w->body_memory, &w->motion_memory,
                           &w->candidate_memory, &w->touch_memory, &w->pair_memory};
  for (size_t k = 0; k < sizeof first/sizeof *first; k++)
    fine = fine && buffer_grow(&from, first[k], 0, 0);
  if (!fine) {
    perp_world_destroy(w);
    return refuse(PERP_ERROR_MEMORY, "no memory or threads for a world with %d threads",
                  settings->threads);
  }
  *world = w;
  return PERP_OK;
}

static void worker_end(worker *by) {
  narrow_end(by);
  for (int kind = 0; kind < SOLVE_KINDS; kind++)
    for (int k = 0; k < SIZE_CLASSES; k++) perp_solver_destroy(by->solver[kind][k]);
  buffer *const all[] = {&by->arms, &by->rowptr, &by->column, &by->value, &by->W, &by->direction,
                         &by->mu, &by->b, &by->x, &by->lo, &by->hi, &by->compliance, &by->rest,
                         &by->set, &by->scratch, &by->blocks};
  for (size_t k = 0; k < sizeof all/sizeof *all; k++) buffer_free(&by->allocator, all[k]);
}

void perp_world_destroy(perp_world *w) {
  if (w == NULL) return;
  const perp_allocator from = w->allocator;
  crew_destroy(w->threads);
  for (int32_t k = 0; k < w->settings.threads && w->workers != NULL; k++)
    worker_end(&w->workers[k]);
  buffer *const all[] = {&w->body_memory, &w->motion_memory, &w->pair_memory, &w->now.contacts,
                         &w->now.x, &w->last.contacts, &w->last.x, &w->spare.contacts, &w->spare.x,
                         &w->found, &w->kept, &w->touch_memory, &w->groups.island_memory,
                         &w->groups.order_memory, &w->groups.member_memory,
                         &w->former.island_memory, &w->former.order_memory,
                         &w->former.member_memory, &w->overlaps.island_memory,
                         &w->overlaps.order_memory, &w->overlaps.member_memory, &w->bound_memory,
                         &w->entry_memory, &w->other_memory, &w->start_memory,
                         &w->candidate_memory};
  for (size_t k = 0; k < sizeof all/sizeof *all; k++) buffer_free(&from, all[k]);
  buffer_release(&from, w->trace);
  buffer_release(&from, w->workers);
  buffer_release(&from, w);
}

// ---- bodies ----

static perp_body body_of(int32_t shape, double mass) {
  perp_body b = {.size = sizeof b, .shape = shape, .mass = mass};
  b.motion.orientation[0] = 1.0;
  return b;
}

perp_body perp_sphere(double radius, double mass) {
  perp_body b = body_of(PERP_SHAPE_SPHERE, mass);
  b.extent[0] = radius;
  return b;
}

perp_body perp_box(double half_x, double half_y, double half_z, double mass) {
  perp_body b = body_of(PERP_SHAPE_BOX, mass);
  b.extent[0] = half_x;
  b.extent[1] = half_y;
  b.extent[2] = half_z;
  return b;
}

perp_body perp_plane(double normal_x, double normal_y, double normal_z, double offset) {
  perp_body b = body_of(PERP_SHAPE_PLANE, (double)INFINITY);
  b.extent[0] = normal_x;
  b.extent[1] = normal_y;
  b.extent[2] = normal_z;
  b.offset = offset;
  return b;
}

perp_body perp_hollow(double radius) {
  perp_body b = body_of(PERP_SHAPE_HOLLOW, (double)INFINITY);
  b.extent[0] = radius;
  return b;
}

perp_error world_check_motion(const perp_world *w, const perp_motion *m) {
  const int32_t dimension = w->settings.dimension;
  perp_error error = check_vector("position", m->position);
  if (error == PERP_OK) error = check_turn(dimension, m->velocity, m->spin, m->orientation);
  if (error == PERP_OK && dimension == 2 && m->position[2] != 0.0)
    error = refuse_value("position[2]", m->position[2], "{0} in two dimensions");
  return error;
}

static perp_error check_shape(const perp_world *w, const perp_body *b) {
  const int32_t dimension = w->settings.dimension;
  if (b->shape < 0 || b->shape >= PERP_SHAPE_COUNT)
    return refuse_value("shape", b->shape, "[0, 3]");
  perp_error error;
  if (b->shape == PERP_SHAPE_PLANE) {
    error = check_normal(dimension, b->extent);
    if (error == PERP_OK && !(fabs(b->offset) <= MAGNITUDE_MAX))
      error = refuse_value("offset", b->offset, "[-1e12, 1e12]");
  } else {
    const int box = b->shape == PERP_SHAPE_BOX;
    error = check_lengths(box ? "half a side" : "radius", b->extent, box ? dimension : 1);
  }
  if (error != PERP_OK) return error;
#ifndef PERP_ODE
  if (b->shape == PERP_SHAPE_BOX)
    return refuse(PERP_ERROR_UNSUPPORTED, "boxes need ODE, without which this was built");
#endif
  return PERP_OK;
}

static perp_error check_body(const perp_world *w, const perp_body *b) {
  perp_error error = check_size("body", b->size, sizeof *b,
                                "perp_sphere(), perp_box(), perp_plane() or perp_hollow()");
  if (error == PERP_OK) error = check_shape(w, b);
  if (error != PERP_OK) return error;
  if (b->material < 0 || b->material > 999)
    return refuse_value("material", b->material, "[0, 999]");
  const int endless = b->mass == (double)INFINITY;
  if (!endless && !(b->mass >= 1e-12 && b->mass <= 1e12))
    return refuse_value("mass", b->mass, "[1e-12, 1e12] and {inf}");
  if (!endless && b->shape >= PERP_SHAPE_PLANE)
    return refuse_value("mass", b->mass, "{inf} for planes and hollow spheres");
  int given = 0;
  for (int k = 0; k < 3; k++) given += b->inertia[k] != 0.0;
  for (int k = 0; k < 3 && given > 0; k++)
    if (!(b->inertia[k] >= 1e-30 && b->inertia[k] <= 1e30))
      return refuse_value("inertia", b->inertia[k], "[1e-30, 1e30] and {0, 0, 0}");
  return world_check_motion(w, &b->motion);
}

static void find_inertia(const perp_world *w, body *b) {
  const double m = b->mass, *e = b->extent;
  const int given = b->inertia[0] != 0.0;
  if (moves(b) && !given) {
    if (b->shape == PERP_SHAPE_BOX) {
      for (int k = 0; k < 3; k++) {
        const double p = e[(k + 1)%3], q = e[(k + 2)%3];
        b->inertia[k] = m*(p*p + q*q)/3.0;
      }
    } else {
      const double share = w->settings.dimension == 2 ? 0.5 : 0.4;   // disc, ball
      for (int k = 0; k < 3; k++) b->inertia[k] = share*m*e[0]*e[0];
    }
  }
  b->round = b->inertia[0] == b->inertia[1] && b->inertia[1] == b->inertia[2];
  b->flat = w->settings.dimension == 2;
  for (int k = 0; k < 3; k++)
    b->ease[k] = moves(b) && (!b->flat || k == 2) ? 1.0/b->inertia[k] : 0.0;
}

void world_inverse_inertia(const body *b, const perp_motion *m, double *W) {
  memset(W, 0, 9*sizeof *W);
  if (b->round || b->flat || !moves(b)) {
    for (int k = 0; k < 3; k++) W[4*k] = b->ease[k];
    return;
  }
  double R[9];
  rotation(m->orientation, R);
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double sum = 0.0;
      for (int k = 0; k < 3; k++) sum += R[3*i + k]*b->ease[k]*R[3*j + k];
      W[3*i + j] = W[3*j + i] = sum;
    }
}

void body_spin_momentum(const body *b, const perp_motion *m, double *L) {
  if (b->round || b->flat) {
    for (int k = 0; k < 3; k++) L[k] = b->inertia[k]*m->spin[k];
    return;
  }
  double R[9], own[3];
  rotation(m->orientation, R);
  apply_transposed3(R, m->spin, own);
  for (int k = 0; k < 3; k++) own[k] *= b->inertia[k];
  apply3(R, own, L);
}

double body_kinetic(const perp_world *w, int32_t i) {
  const body *b = bodies_of(w) + i;
  const perp_motion *m = motions_of(w) + i;
  if (!moves(b)) return 0.0;
  double L[3];
  body_spin_momentum(b, m, L);
  return 0.5*(b->mass*dot3(m->velocity, m->velocity) + dot3(L, m->spin));
}

double body_potential(const perp_world *w, int32_t i) {
  const body *b = bodies_of(w) + i;
  return moves(b) ? -b->mass*dot3(w->settings.gravity, motions_of(w)[i].position) : 0.0;
}

static int room_for_materials(perp_world *w, int32_t count) {
  if (count <= w->materials) return 1;
  buffer fresh = {0};
  const size_t n = (size_t)count;
  if (!buffer_grow(&w->allocator, &fresh, 2*n*n*sizeof(double), 0)) return 0;
  double *to = fresh.at;
  const double *from = w->pair_memory.at;
  for (int32_t i = 0; i < count; i++)
    for (int32_t j = 0; j < count; j++) {
      const int known = i < w->materials && j < w->materials;
      const double *old = from + 2*(size_t)(known ? i*w->materials + j : 0);
      double *at = to + 2*((size_t)i*n + (size_t)j);
      at[0] = known ? old[0] : w->settings.friction;
      at[1] = known ? old[1] : w->settings.restitution;
    }
  buffer_free(&w->allocator, &w->pair_memory);
  w->pair_memory = fresh;
  w->materials = count;
  return 1;
}

void world_coefficients(const perp_world *w, int32_t a, int32_t b, double *mu, double *e) {
  const body *o = bodies_of(w);
  const double *all = w->pair_memory.at;
  const double *at = all + 2*((size_t)o[a].material*(size_t)w->materials + (size_t)o[b].material);
  *mu = at[0];
  *e = at[1];
}

static void wake_all(perp_world *w) {
  for (int32_t i = 0; i < w->bodies; i++) bodies_of(w)[i].asleep = bodies_of(w)[i].rest = 0;
  w->asleep = 0;
}

perp_error perp_world_add(perp_world *w, const perp_body *given, int32_t *id) {
  if (w == NULL || given == NULL)
    return refuse(PERP_ERROR_ARGUMENT, "%s is NULL", w == NULL ? "world" : "body");
  const perp_error error = check_body(w, given);
  if (error != PERP_OK) return error;
  const size_t n = (size_t)w->bodies;
  if (w->bodies == INT32_MAX - 1 ||
      !buffer_grow(&w->allocator, &w->body_memory, (n + 1)*sizeof(body), n*sizeof(body)) ||
      !buffer_grow(&w->allocator, &w->motion_memory, (n + 1)*sizeof(perp_motion),
                   n*sizeof(perp_motion)) || !room_for_materials(w, given->material + 1))
    return refuse(PERP_ERROR_MEMORY, "no memory for body %d", w->bodies);
  body *b = bodies_of(w) + n;
  memset(b, 0, sizeof *b);
  b->shape = given->shape;
  b->material = given->material;
  b->mass = given->mass;
  b->offset = given->offset;
  b->weight = given->mass < (double)INFINITY ? 1.0/given->mass : 0.0;
  copy3(b->extent, given->extent);
  copy3(b->inertia, given->inertia);
  if (b->shape == PERP_SHAPE_PLANE) {
    const double length = norm3(b->extent);
    for (int k = 0; k < 3; k++) b->extent[k] /= length;
  }
  // A rectangle gets a thickness, for tests that know three dimensions only.
  if (b->shape == PERP_SHAPE_BOX && w->settings.dimension == 2)
    b->extent[2] = fmax(b->extent[0], b->extent[1]);
  b->reach = b->shape == PERP_SHAPE_BOX ? norm3(b->extent) : b->extent[0];
  motions_of(w)[n] = given->motion;
  normalise4(motions_of(w)[n].orientation);
  find_inertia(w, b);
  world_inverse_inertia(b, &motions_of(w)[n], b->W);
  w->bodies++;
  w->stale = 1;
  if (!moves(b) && w->asleep > 0) wake_all(w);   // nobody asleep looks for what stands still
  w->input += body_kinetic(w, (int32_t)n) + body_potential(w, (int32_t)n);
  if (id != NULL) *id = (int32_t)n;
  return PERP_OK;
}

static perp_error check_id(const perp_world *w, int32_t id) {
  if (w == NULL) return refuse(PERP_ERROR_ARGUMENT, "world is NULL");
  if (id >= 0 && id < w->bodies) return PERP_OK;
  return refuse(PERP_ERROR_ARGUMENT, "body = %d is outside [0, %d]", id, w->bodies - 1);
}

perp_error perp_world_pair(perp_world *w, int32_t a, int32_t b, double friction,
                           double restitution) {
  if (w == NULL) return refuse(PERP_ERROR_ARGUMENT, "world is NULL");
  if (a < 0 || a > 999 || b < 0 || b > 999)
    return refuse_value("material", a < 0 || a > 999 ? a : b, "[0, 999]");
  const range both[] = {friction_range(friction), restitution_range(restitution)};
  const perp_error error = check_ranges(both, 2);
  if (error != PERP_OK) return error;
  if (!room_for_materials(w, (a > b ? a : b) + 1))
    return refuse(PERP_ERROR_MEMORY, "no memory for material %d", a > b ? a : b);
  double *all = w->pair_memory.at;
  const size_t n = (size_t)w->materials, i = (size_t)a, j = (size_t)b;
  all[2*(i*n + j)] = all[2*(j*n + i)] = friction;
  all[2*(i*n + j) + 1] = all[2*(j*n + i) + 1] = restitution;
  w->stale = 1;
  wake_all(w);
  return PERP_OK;
}

perp_error perp_world_push(perp_world *w, int32_t id, const double *force, const double *torque) {
  perp_error error = check_id(w, id);
  if (error == PERP_OK && force != NULL) error = check_vector("force", force);
  if (error == PERP_OK && torque != NULL) error = check_vector("torque", torque);
  if (error != PERP_OK) return error;
  body *b = bodies_of(w) + id;
  for (int k = 0; k < 3; k++) {   // what is locked in two dimensions takes no push
    const int flat = w->settings.dimension == 2;
    if (force != NULL && !(flat && k == 2)) b->force[k] += force[k];
    if (torque != NULL && !(flat && k < 2)) b->torque[k] += torque[k];
  }
  return PERP_OK;
}

int32_t perp_world_count(const perp_world *w) { return w != NULL ? w->bodies : 0; }

perp_error perp_world_read(const perp_world *w, int32_t id, perp_body *out) {
  const perp_error error = check_id(w, id);
  if (error != PERP_OK) return error;
  if (out == NULL) return refuse(PERP_ERROR_ARGUMENT, "body is NULL");
  const body *b = bodies_of(w) + id;
  *out = (perp_body){.size = sizeof *out, .shape = b->shape, .material = b->material,
                     .offset = b->offset, .mass = b->mass, .motion = motions_of(w)[id]};
  copy3(out->extent, b->extent);
  copy3(out->inertia, b->inertia);
  return PERP_OK;
}

const perp_motion *perp_world_motions(const perp_world *w) {
  return w != NULL ? motions_of(w) : NULL;
}

perp_error perp_world_move(perp_world *w, int32_t id, const perp_motion *motion) {
  perp_error error = check_id(w, id);
  if (error == PERP_OK && motion == NULL)
    error = refuse(PERP_ERROR_ARGUMENT, "motion is NULL");
  if (error == PERP_OK) error = world_check_motion(w, motion);
  if (error != PERP_OK) return error;
  w->input -= body_kinetic(w, id) + body_potential(w, id);
  motions_of(w)[id] = *motion;
  normalise4(motions_of(w)[id].orientation);
  w->input += body_kinetic(w, id) + body_potential(w, id);
  w->stale = 1;
  wake_all(w);
  return PERP_OK;
}
