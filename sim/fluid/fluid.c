// fluid.c: creates and destroys a fluid, adds solids to it, and answers queries.
//
// All fields of the grid are allocated at once when the fluid is created; particles grow with what
// is poured. pour.c pours, step.c steps, save.c saves.
#include <math.h>
#include <string.h>

#include "settings.h"

// ---- fields ----

typedef struct field {        // an array of the grid
  void *at;                   // where its address goes
  int32_t count;
  size_t each;
} field;

enum { FIELDS_MAX = 48 };

static int list_fields(perp_fluid *f, field *list) {
  int count = 0;
  for (int a = 0; a < f->dimension; a++) {
    double **const real[] = {&f->u[a], &f->before[a], &f->open[a], &f->wall[a], &f->weight[a]};
    for (size_t k = 0; k < sizeof real/sizeof *real; k++)
      list[count++] = (field){real[k], f->faces[a], sizeof(double)};
    list[count++] = (field){&f->known[a], f->faces[a], 1};
    list[count++] = (field){&f->mark[a], f->faces[a], 1};
  }
  double **const real[] = {&f->surface, &f->b, &f->lo, &f->hi, &f->guess, &f->pressure};
  for (size_t k = 0; k < sizeof real/sizeof *real; k++)
    list[count++] = (field){real[k], f->cells, sizeof(double)};
  list[count++] = (field){&f->solid_distance, f->corners, sizeof(double)};
  list[count++] = (field){&f->type, f->cells, 1};
  list[count++] = (field){&f->separating, f->cells, 1};
  list[count++] = (field){&f->vented, f->cells, 1};
  list[count++] = (field){&f->first, f->cells + 1, sizeof(int32_t)};
  return count;
}

static int take_fields(perp_fluid *f) {
  field list[FIELDS_MAX];
  const int count = list_fields(f, list);
  for (int k = 0; k < count; k++) {
    const size_t bytes = (size_t)list[k].count*list[k].each;
    void *memory = f->allocator.allocate(f->allocator.context, bytes);
    if (memory == NULL) return 0;
    memset(memory, 0, bytes);
    memcpy(list[k].at, &memory, sizeof memory);
  }
  return 1;
}

void *fluid_scratch(perp_fluid *f, size_t bytes) {
  if (buffer_grow(&f->allocator, &f->scratch, bytes, 0)) return f->scratch.at;
  refuse(PERP_ERROR_MEMORY, "no memory for %zu bytes", bytes);
  return NULL;
}

// ---- particles ----

// The arrays of a particle in the order in which they are listed everywhere; how many there are.
int fluid_particle_arrays(particles *p, int32_t dimension, int affine, double **list[15]) {
  int count = 0;
  for (int a = 0; a < dimension; a++) list[count++] = &p->x[a];
  for (int a = 0; a < dimension; a++) list[count++] = &p->v[a];
  for (int a = 0; a < dimension && affine; a++)
    for (int b = 0; b < dimension; b++) list[count++] = &p->affine[3*a + b];
  return count;
}

static void drop_particles(const perp_fluid *f, particles *p) {
  double **list[15];
  const int count = fluid_particle_arrays(p, 3, 1, list);
  for (int k = 0; k < count; k++) buffer_release(&f->allocator, *list[k]);
  buffer_release(&f->allocator, p->spare);
  buffer_release(&f->allocator, p->order);
  buffer_release(&f->allocator, p->cell);
}

perp_error fluid_room(perp_fluid *f, int64_t count) {
  if (count <= f->p.room) return PERP_OK;
  if (count > INT32_MAX/2)
    return refuse(PERP_ERROR_ARGUMENT, "%lld particles are more than %d",
                  (long long)count, INT32_MAX/2);
  const int64_t room = count + count/4 + 64;
  particles p = {.count = f->p.count, .room = room};
  const int affine = f->settings.transfer == PERP_TRANSFER_APIC;
  double **to[15], **from[15];
  const int arrays = fluid_particle_arrays(&p, f->dimension, affine, to);
  fluid_particle_arrays(&f->p, f->dimension, affine, from);
  const perp_allocator *by = &f->allocator;
  int fine = 1;
  for (int k = 0; k < arrays && fine; k++) {
    *to[k] = by->allocate(by->context, (size_t)room*sizeof(double));
    fine = *to[k] != NULL;
  }
  if (fine) fine = (p.spare = by->allocate(by->context, (size_t)room*sizeof(double))) != NULL;
  if (fine) fine = (p.order = by->allocate(by->context, (size_t)room*sizeof(int32_t))) != NULL;
  if (fine) fine = (p.cell = by->allocate(by->context, (size_t)room*sizeof(int32_t))) != NULL;
  if (!fine) {
    drop_particles(f, &p);
    return refuse(PERP_ERROR_MEMORY, "no memory for %lld particles", (long long)count);
  }
  for (int k = 0; k < arrays && p.count > 0; k++)
    memcpy(*to[k], *from[k], (size_t)p.count*sizeof(double));
  drop_particles(f, &f->p);
  f->p = p;
  return PERP_OK;
}

// ---- create, destroy ----

static void find_options(perp_fluid *f) {
  f->options = options_of(f->settings.options);
  f->options.threads = f->settings.threads;
  if (f->settings.time_limit < f->options.time_limit)
    f->options.time_limit = f->settings.time_limit;
  f->settings.options = NULL;
}

static void find_sizes(perp_fluid *f) {
  const int32_t *n = f->n;
  const int deep = f->dimension == 3;
  f->cells = n[0]*n[1]*n[2];
  f->corners = (n[0] + 1)*(n[1] + 1)*(n[2] + deep);
  for (int a = 0; a < f->dimension; a++)
    f->faces[a] = (n[0] + (a == 0))*(n[1] + (a == 1))*(n[2] + (a == 2));
}

perp_error perp_fluid_create(const perp_fluid_settings *settings, const perp_allocator *allocator,
                             perp_fluid **fluid) {
  if (settings == NULL || fluid == NULL)
    return refuse(PERP_ERROR_ARGUMENT, "%s is NULL", fluid == NULL ? "fluid" : "settings");
  perp_error error = settings_check(settings);
  if (error != PERP_OK) return error;
  const perp_allocator from = buffer_allocator(allocator);
  perp_fluid *f = from.allocate(from.context, sizeof *f);
  if (f == NULL) return refuse(PERP_ERROR_MEMORY, "no memory for a fluid");
  memset(f, 0, sizeof *f);
  f->allocator = from;
  f->settings = *settings;
  f->dimension = settings->dimension;
  memcpy(f->n, settings->cells, sizeof f->n);
  f->h = settings->spacing;
  find_options(f);
  find_sizes(f);
  error = check_options(&f->options, &from);
  if (error == PERP_OK && !take_fields(f))
    error = refuse(PERP_ERROR_MEMORY, "no memory for %d x %d x %d cells", f->n[0], f->n[1],
                   f->n[2]);
  if (error == PERP_OK) error = fluid_room(f, 1);
  if (error == PERP_OK && settings->threads > 1) {
    f->crew = crew_create(settings->threads, &from);
    if (f->crew == NULL)
      error = refuse(PERP_ERROR_MEMORY, "no memory or threads for %d threads", settings->threads);
  }
  f->grid = (perp_grid){.cells = {f->n[0], f->n[1], f->n[2]}, .spacing = {f->h, f->h, f->h},
                        .type = f->type, .face = {f->weight[0], f->weight[1], f->weight[2]}};
  if (error == PERP_OK) error = fluid_solids(f);   // dt = 0: nothing moves
  if (error != PERP_OK) {
    perp_fluid_destroy(f);
    return error;
  }
  *fluid = f;
  return PERP_OK;
}

void perp_fluid_destroy(perp_fluid *f) {
  if (f == NULL) return;
  crew_destroy(f->crew);
  perp_solver_destroy(f->solver);
  field list[FIELDS_MAX];
  const int count = list_fields(f, list);
  for (int k = 0; k < count; k++) {
    void *memory;
    memcpy(&memory, list[k].at, sizeof memory);
    buffer_release(&f->allocator, memory);
  }
  drop_particles(f, &f->p);
  buffer_release(&f->allocator, f->kappa);
  buffer_free(&f->allocator, &f->solid_memory);
  buffer_free(&f->allocator, &f->shelf);
  buffer_free(&f->allocator, &f->scratch);
  const perp_allocator from = f->allocator;
  from.release(from.context, f);
}

// ---- solids ----

perp_error perp_fluid_add_solid(perp_fluid *f, const perp_fluid_shape *solid, int32_t *id) {
  if (f == NULL) return refuse(PERP_ERROR_ARGUMENT, "fluid is NULL");
  perp_fluid_shape taken;
  perp_error error = settings_check_shape(solid, f->dimension, &taken);
  if (error != PERP_OK) return error;
  const size_t bytes = (size_t)f->solids*sizeof taken;
  if (!buffer_grow(&f->allocator, &f->solid_memory, bytes + sizeof taken, bytes))
    return refuse(PERP_ERROR_MEMORY, "no memory for solid %d", f->solids);
  f->solid = f->solid_memory.at;
  f->solid[f->solids++] = taken;
  f->dt = 0.0;
  error = fluid_solids(f);
  if (error != PERP_OK) {
    f->solids--;
    fluid_solids(f);
    return error;
  }
  if (id != NULL) *id = f->solids - 1;
  return PERP_OK;
}

static perp_error check_id(const perp_fluid *f, int32_t id) {
  if (f == NULL) return refuse(PERP_ERROR_ARGUMENT, "fluid is NULL");
  if (id >= 0 && id < f->solids) return PERP_OK;
  return refuse(PERP_ERROR_ARGUMENT, "id = %d is outside [0, %d)", id, f->solids);
}

perp_error perp_fluid_move_solid(perp_fluid *f, int32_t id, const perp_fluid_shape *solid) {
  perp_error error = check_id(f, id);
  perp_fluid_shape taken;
  if (error == PERP_OK) error = settings_check_shape(solid, f->dimension, &taken);
  if (error != PERP_OK) return error;
  const perp_fluid_shape before = f->solid[id];
  f->solid[id] = taken;
  f->dt = 0.0;
  error = fluid_solids(f);
  if (error != PERP_OK) {
    f->solid[id] = before;
    fluid_solids(f);
  }
  return error;
}

int32_t perp_fluid_solids(const perp_fluid *f) { return f != NULL ? f->solids : 0; }

perp_error perp_fluid_read_solid(const perp_fluid *f, int32_t id, perp_fluid_shape *solid) {
  const perp_error error = check_id(f, id);
  if (error != PERP_OK) return error;
  if (solid == NULL) return refuse(PERP_ERROR_ARGUMENT, "solid is NULL");
  *solid = f->solid[id];
  return PERP_OK;
}

// ---- the rest that a caller sets and sees ----

perp_error perp_fluid_set_divergence(perp_fluid *f, const double *kappa) {
  if (f == NULL) return refuse(PERP_ERROR_ARGUMENT, "fluid is NULL");
  if (kappa == NULL) {
    buffer_release(&f->allocator, f->kappa);
    f->kappa = NULL;
    return PERP_OK;
  }
  for (int32_t i = 0; i < f->cells; i++)
    if (!(fabs(kappa[i]) <= MAGNITUDE_MAX))
      return refuse(PERP_ERROR_ARGUMENT, "kappa[%d] = %g is outside [-1e12, 1e12]", i, kappa[i]);
  const size_t bytes = (size_t)f->cells*sizeof(double);
  if (f->kappa == NULL) f->kappa = f->allocator.allocate(f->allocator.context, bytes);
  if (f->kappa == NULL) return refuse(PERP_ERROR_MEMORY, "no memory for %d cells", f->cells);
  memcpy(f->kappa, kappa, bytes);
  return PERP_OK;
}

perp_error perp_fluid_last(const perp_fluid *f, perp_fluid_report *report) {
  if (f == NULL || report == NULL)
    return refuse(PERP_ERROR_ARGUMENT, "%s is NULL", f == NULL ? "fluid" : "report");
  *report = f->report;
  return PERP_OK;
}

perp_error perp_fluid_read(const perp_fluid *f, perp_fluid_state *state) {
  if (f == NULL || state == NULL)
    return refuse(PERP_ERROR_ARGUMENT, "%s is NULL", f == NULL ? "fluid" : "state");
  perp_fluid_state s = {.particles = f->p.count, .spacing = f->h, .pressure = f->pressure,
                        .surface = f->surface, .solid = f->solid_distance, .type = f->type,
                        .separating = f->separating};
  for (int a = 0; a < 3; a++) {
    s.cells[a] = f->n[a];
    s.x[a] = f->p.x[a];
    s.v[a] = f->p.v[a];
    s.u[a] = f->u[a];
  }
  *state = s;
  return PERP_OK;
}
