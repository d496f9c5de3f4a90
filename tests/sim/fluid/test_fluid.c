// test_fluid.c: a fluid as its user sees it: what is refused and how, pouring, solids, states that
// are saved and read, steps that fail, memory.
// Somewhat long: each of these needs a fluid with solids and particles, which are made here once.
// labels: tsan
#include "fluid_support.h"
#include "counting.h"

static void refused(perp_error error, const char *words) {
  assert_int_equal(error, PERP_ERROR_ARGUMENT);
  if (strstr(perp_last_message(), words) == NULL)
    fail_msg("\"%s\" does not say \"%s\"", perp_last_message(), words);
}

static perp_fluid *dry(int dimension, int threads, const perp_allocator *allocator) {
  const int32_t n = dimension == 2 ? 24 : 10;
  perp_fluid_settings s = perp_fluid_defaults(dimension, n, n, n);
  s.threads = threads;
  perp_fluid *f = NULL;
  if (perp_fluid_create(&s, allocator, &f) != PERP_OK) fail_msg("%s", perp_last_message());
  perp_fluid_shape wheel = perp_fluid_box(0.7, 0.3, 0.5, 0.12, 0.05, 0.3);
  wheel.spin[2] = 2.0;
  add(f, wheel);
  return f;
}

static perp_fluid *dam(int dimension, int threads, const perp_allocator *allocator) {
  perp_fluid *f = dry(dimension, threads, allocator);
  perp_fluid_shape block = perp_fluid_box(0.2, 0.3, 0.5, 0.2, 0.3, 0.5);
  if (perp_fluid_pour(f, &block, NULL) != PERP_OK) fail_msg("%s", perp_last_message());
  return f;
}

static void go(perp_fluid *f, int times) {
  for (int k = 0; k < times; k++)
    if (perp_fluid_step(f, NULL) != PERP_OK) fail_msg("%s", perp_last_message());
}

// ---- settings and shapes ----

static void settings_are_checked(void **unused) {
  (void)unused;
  typedef struct wrong { const char *words; size_t at; int whole; double value; } wrong;
#define IN(field) offsetof(perp_fluid_settings, field)
  const wrong list[] = {
    {"dimension = 4 is outside {2, 3}", IN(dimension), 1, 4},
    {"cells[0] = 0 is outside [1, 16384]", IN(cells[0]), 1, 0},
    {"cells[1] = -3 is outside", IN(cells[1]), 1, -3},
    {"cells[2] = 2 is outside {1} in two dimensions", IN(cells[2]), 1, 2},
    {"cells are more than", IN(cells[0]), 2, 16384},
    {"spacing = 0 is outside [1e-9, 1e9]", IN(spacing), 0, 0},
    {"spacing = nan", IN(spacing), 0, (double)NAN},
    {"walls = 3 is outside [0, 2]", IN(walls), 1, 3},
    {"every_cell = 2 is outside", IN(every_cell), 1, 2},
    {"transfer = -1 is outside [0, 1]", IN(transfer), 1, -1},
    {"flip = 1.5 is outside [0, 1]", IN(flip), 0, 1.5},
    {"step = 0 is outside", IN(step), 0, 0},
    {"step = inf is outside", IN(step), 0, INF},
    {"cfl = 0 is outside [0.01, 100]", IN(cfl), 0, 0},
    {"cfl = -1 is outside", IN(cfl), 0, -1},
    {"cfl = nan is outside", IN(cfl), 0, (double)NAN},
    {"substeps = 0 is outside", IN(substeps), 1, 0},
    {"particles = 5 is outside [1, 4]", IN(particles), 1, 5},
    {"particles = 12345678 is outside [1, 4]", IN(particles), 1, 12345678},
    {"reseed = 2 is outside", IN(reseed), 1, 2},
    {"compensate = 7 is outside", IN(compensate), 1, 7},
    {"threads = 0 is outside [1, 1024]", IN(threads), 1, 0},
    {"gravity[1] = nan is outside", IN(gravity[1]), 0, (double)NAN},
    {"gravity[2] = 1 is outside {0} in two dimensions", IN(gravity[2]), 0, 1},
    {"density = 0 is outside", IN(density), 0, 0},
    {"time_limit = 0 is outside (0, inf]", IN(time_limit), 0, 0}};
#undef IN
  perp_fluid *f = NULL;
  for (size_t k = 0; k < sizeof list/sizeof *list; k++) {
    perp_fluid_settings s = perp_fluid_defaults(2, 10, 10, 1);
    if (list[k].whole == 2) s = perp_fluid_defaults(3, 16384, 16384, 16384);
    else if (list[k].whole) *(int32_t *)((char *)&s + list[k].at) = (int32_t)list[k].value;
    else *(double *)((char *)&s + list[k].at) = list[k].value;
    refused(perp_fluid_create(&s, NULL, &f), list[k].words);
    assert_null(f);
  }
  perp_fluid_settings s = perp_fluid_defaults(2, 10, 10, 1);
  refused(perp_fluid_create(NULL, NULL, &f), "settings is NULL");
  refused(perp_fluid_create(&s, NULL, NULL), "fluid is NULL");
  s.size = 8;
  refused(perp_fluid_create(&s, NULL, &f), "begin with perp_fluid_defaults()");
  s = perp_fluid_defaults(2, 0, 0, 0);
  refused(perp_fluid_create(&s, NULL, &f), "cells[0] = 0");
  perp_options options = perp_default_options(NULL);
  options.tol = -1.0;
  s = perp_fluid_defaults(2, 10, 10, 1);
  s.options = &options;
  assert_true(perp_fluid_create(&s, NULL, &f) != PERP_OK);
  assert_non_null(strstr(perp_last_message(), "options: "));
  perp_fluid_destroy(NULL);
}

static void shapes_are_checked(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 10, 10, 1);
  perp_fluid *f = fluid_with(&s);
  const perp_fluid_shape good = perp_fluid_sphere(0.5, 0.5, 0.0, 0.1);
  perp_fluid_shape bad = good;
  refused(perp_fluid_add_solid(f, NULL, NULL), "the shape is NULL");
  bad.size = 3;
  refused(perp_fluid_add_solid(f, &bad, NULL), "shape.size = 3");
  bad = good, bad.kind = 9;
  refused(perp_fluid_add_solid(f, &bad, NULL), "kind = 9");
  bad = good, bad.extent[0] = -1.0;
  refused(perp_fluid_pour(f, &bad, NULL), "radius = -1 is outside [1e-9, 1e9]");
  bad = good, bad.velocity[1] = (double)NAN;
  refused(perp_fluid_pour(f, &bad, NULL), "velocity[1] = nan");
  bad = good, bad.velocity[2] = 1.0;
  refused(perp_fluid_pour(f, &bad, NULL), "velocity[2] = 1 is outside {0} in two dimensions");
  bad = good, bad.spin[0] = 1.0;
  refused(perp_fluid_pour(f, &bad, NULL), "spin[0] = 1");
  bad = good, bad.orientation[0] = 0.5;
  refused(perp_fluid_pour(f, &bad, NULL), "the length of orientation = 0.5");
  bad = good, bad.position[0] = INF;
  refused(perp_fluid_add_solid(f, &bad, NULL), "position[0] = inf");
  bad = good, bad.kind = PERP_FLUID_CUSTOM;
  refused(perp_fluid_add_solid(f, &bad, NULL), "distance is NULL");
  bad = perp_fluid_plane(0, 0, 0, 0, 0, 0);
  refused(perp_fluid_add_solid(f, &bad, NULL), "the length of the normal = 0");
  bad = perp_fluid_box(0.5, 0.5, 0, 0, 1, 0);
  refused(perp_fluid_add_solid(f, &bad, NULL), "half a side = 0");
  refused(perp_fluid_move_solid(f, 0, &good), "id = 0 is outside [0, 0)");
  refused(perp_fluid_read_solid(f, -1, &bad), "id = -1");
  assert_int_equal(perp_fluid_solids(f), 0);
  perp_fluid_state state;
  assert_int_equal(perp_fluid_read(f, &state), PERP_OK);
  assert_int_equal(state.particles, 0);
  double kappa[100] = {0.0};
  kappa[7] = (double)NAN;
  refused(perp_fluid_set_divergence(f, kappa), "kappa[7] = nan");
  refused(perp_fluid_problem(f, &(perp_problem){0}, NULL), "there was no step yet");
  perp_fluid_destroy(f);
}

static void nothing_moves_without_liquid(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    perp_fluid_settings s = perp_fluid_defaults(dimension, 1, 1, 1);
    perp_fluid *f = fluid_with(&s);
    go(f, 2);
    perp_fluid_report r;
    assert_int_equal(perp_fluid_last(f, &r), PERP_OK);
    assert_int_equal(r.step, 2);
    assert_true(r.particles == 0 && r.liquid == 0 && r.volume == 0.0 && r.kinetic == 0.0);
    perp_fluid_destroy(f);
  }
}

static void what_has_gone_leaves_no_pressure(void **unused) {
  (void)unused;
  perp_fluid *f = dam(2, 1, NULL);
  go(f, 3);
  assert_true(largest_of(look(f).pressure, f->cells) > 1.0);
  f->p.count = 0;
  go(f, 1);
  assert_int_equal(f->report.liquid, 0);
  for (int32_t c = 0; c < f->cells; c++) assert_true(look(f).pressure[c] == 0.0);
  perp_fluid_destroy(f);
}

// ---- pouring ----

static void what_is_poured_is_counted(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++)
    for (int per = 1; per <= 4; per++)
      for (uint64_t seed = 0; seed < 2; seed++) {
        perp_fluid_settings s = perp_fluid_defaults(dimension, 8, 8, 8);
        s.particles = per;
        s.seed = seed;
        perp_fluid *f = fluid_with(&s);
        const int64_t share = dimension == 2 ? per*per : per*per*per;
        const int64_t half = share*(dimension == 2 ? 32 : 256);
        perp_fluid_shape lower = perp_fluid_box(0.5, 0.25, 0.5, 0.5, 0.25, 0.5);
        int64_t count = -1;
        assert_int_equal(perp_fluid_pour(f, &lower, &count), PERP_OK);
        assert_int_equal(count, half);
        assert_int_equal(perp_fluid_pour(f, &lower, &count), PERP_OK);   // twice is once
        assert_int_equal(count, 0);
        perp_fluid_shape beyond = perp_fluid_box(2.5, 0.25, 0.5, 0.5, 0.25, 0.5);
        count = -1;
        assert_int_equal(perp_fluid_pour(f, &beyond, &count), PERP_OK);   // outside is nothing
        assert_int_equal(count, 0);
        perp_fluid_shape all = perp_fluid_box(0.5, 0.5, 0.5, 0.5, 0.5, 0.5);
        assert_int_equal(perp_fluid_pour(f, &all, &count), PERP_OK);
        assert_int_equal(count, half);
        perp_fluid_report r;
        assert_int_equal(perp_fluid_last(f, &r), PERP_OK);
        close_to("poured", r.poured, 1.0, 1e-14);
        assert_int_equal(r.particles, 2*half);
        perp_fluid_state state;
        assert_int_equal(perp_fluid_read(f, &state), PERP_OK);
        int64_t moved = 0;
        for (int64_t i = 0; i < state.particles; i++) {
          const double g = state.x[0][i]/s.spacing*per - 0.5;
          moved += fabs(g - nearbyint(g)) > 1e-9;
        }
        if (seed == 0) assert_int_equal(moved, 0);
        else assert_true(moved > state.particles/2);
        perp_fluid_destroy(f);
      }
}

static void solids_stay_dry_and_liquid_begins_with_its_velocity(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    perp_fluid_settings s = perp_fluid_defaults(dimension, 12, 12, 12);
    perp_fluid *f = fluid_with(&s);
    add(f, perp_fluid_sphere(0.5, 0.5, 0.5, 0.3));
    perp_fluid_shape all = perp_fluid_box(0.5, 0.5, 0.5, 2.0, 2.0, 2.0);
    all.velocity[0] = 1.0;
    all.spin[2] = 2.0;
    assert_int_equal(perp_fluid_pour(f, &all, NULL), PERP_OK);
    perp_fluid_state state;
    assert_int_equal(perp_fluid_read(f, &state), PERP_OK);
    assert_true(state.particles > 100);
    for (int64_t i = 0; i < state.particles; i++) {
      double square = 0.0;
      for (int a = 0; a < dimension; a++)
        square += (state.x[a][i] - 0.5)*(state.x[a][i] - 0.5);
      assert_true(square > 0.09);
      close_to("v", state.v[0][i], 1.0 - 2.0*(state.x[1][i] - 0.5), 1e-14);
      close_to("v", state.v[1][i], 2.0*(state.x[0][i] - 0.5), 1e-14);
    }
    if (dimension == 2) assert_true(state.x[2] == NULL && state.v[2] == NULL && state.u[2] == NULL);
    perp_fluid_destroy(f);
  }
}

static void solids_are_read_back_and_move(void **unused) {
  (void)unused;
  perp_fluid *f = dam(2, 1, NULL);
  perp_fluid_shape ball = perp_fluid_sphere(0.9, 0.9, 0.0, 0.05), seen;
  ball.velocity[1] = -1.0;
  const int32_t id = add(f, ball);
  assert_int_equal(id, 1);
  assert_int_equal(perp_fluid_solids(f), 2);
  go(f, 6);
  assert_int_equal(perp_fluid_read_solid(f, id, &seen), PERP_OK);
  close_to("y", seen.position[1], 0.8, 1e-12);
  ball.position[0] = 0.1;
  assert_int_equal(perp_fluid_move_solid(f, id, &ball), PERP_OK);
  assert_int_equal(perp_fluid_read_solid(f, id, &seen), PERP_OK);
  close_to("x", seen.position[0], 0.1, 0.0);
  perp_fluid_destroy(f);
}

static double advancing(void *context, const double x[3], double t) {
  (void)context;
  return x[0] - (0.1 + 0.5*t);
}

// A distance that knows the time is that of the end of a substep, as is the place of what moves by
// its velocity.
static void all_solids_are_where_they_are_when_a_step_ends(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 8, 8, 1);
  for (int own = 0; own < 2; own++) {
    perp_fluid *f = fluid_with(&s);
    perp_fluid_shape wall = perp_fluid_plane(0.1, 0.0, 0.0, 1.0, 0.0, 0.0);
    wall.velocity[0] = 0.5;
    if (own) {
      wall.kind = PERP_FLUID_CUSTOM;
      wall.distance = advancing;
      wall.position[0] = wall.velocity[0] = 0.0;
    }
    add(f, wall);
    for (int k = 0; k < 7; k++) {
      close_to("distance of the corner", look(f).solid[0], -(0.1 + 0.5*f->time), 1e-12);
      step(f);
    }
    assert_true(f->time > 0.1);
    perp_fluid_destroy(f);
  }
}

// ---- states ----

static unsigned char *saved(const perp_fluid *f, size_t *size) {
  *size = perp_fluid_save(f, NULL, 0);
  unsigned char *memory = malloc(*size);
  assert_non_null(memory);
  memset(memory, 0xAB, *size);
  assert_int_equal(perp_fluid_save(f, memory, *size), *size);
  return memory;
}

static void same(const perp_fluid *f, const perp_fluid *g) {
  size_t n, m;
  unsigned char *a = saved(f, &n), *b = saved(g, &m);
  assert_int_equal(n, m);
  assert_memory_equal(a, b, n);
  free(a);
  free(b);
}

static void a_state_goes_on_with_the_same_bits(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    perp_fluid *f = dam(dimension, 1, NULL), *g = dam(dimension, 1, NULL);
    go(f, 5);
    size_t size;
    unsigned char *memory = saved(f, &size);
    assert_int_equal(perp_fluid_save(f, memory, size - 1), size);   // too small: untouched
    if (perp_fluid_load(g, memory, size) != PERP_OK) fail_msg("%s", perp_last_message());
    same(f, g);
    go(f, 5);
    go(g, 5);
    same(f, g);
    perp_fluid_report r;
    assert_int_equal(perp_fluid_last(g, &r), PERP_OK);
    assert_int_equal(r.step, 10);
    free(memory);
    perp_fluid_destroy(f);
    perp_fluid_destroy(g);
  }
}

// Whatever moment it is of: what has turned by an angle is turned by just that.
static void a_state_is_read_as_it_was_saved(void **unused) {
  (void)unused;
  perp_fluid *f = dry(2, 1, NULL), *g = dry(2, 1, NULL);
  for (int k = 0; k < 100; k++) {
    go(f, 1);
    size_t size;
    unsigned char *memory = saved(f, &size);
    if (perp_fluid_load(g, memory, size) != PERP_OK) fail_msg("%s", perp_last_message());
    same(f, g);
    free(memory);
  }
  perp_fluid_destroy(f);
  perp_fluid_destroy(g);
}

static void wrong_states_are_refused(void **unused) {
  (void)unused;
  perp_fluid *f = dam(2, 1, NULL), *g = dam(2, 1, NULL), *h = dam(3, 1, NULL);
  go(f, 2);
  size_t size;
  unsigned char *memory = saved(f, &size);
  refused(perp_fluid_load(g, NULL, 0), "memory is NULL");
  refused(perp_fluid_load(g, memory, 10), "size = 10 is outside");
  refused(perp_fluid_load(g, memory, size - 1), "is not");
  refused(perp_fluid_load(h, memory, size), "the state is of another fluid");
  perp_fluid *before = dam(2, 1, NULL);
  for (int k = 0; k < 400; k++) {   // any bit that is wrong
    const size_t at = (size_t)whole(0, (int)size - 1);
    memory[at] ^= (unsigned char)(1 << whole(0, 7));
    if (perp_fluid_load(g, memory, size) == PERP_OK)
      assert_true(at < 80);          // head: the number of the step, say
    free(memory);
    memory = saved(f, &size);
  }
  perp_fluid_destroy(g);
  g = dam(2, 1, NULL);
  memory[size/2] ^= 1;
  refused(perp_fluid_load(g, memory, size), "check sum");
  same(g, before);
  memory[0] = 'X';
  refused(perp_fluid_load(g, memory, size), "not a state of perp_fluid_save()");
  free(memory);
  perp_fluid_destroy(f);
  perp_fluid_destroy(g);
  perp_fluid_destroy(h);
  perp_fluid_destroy(before);
}

static void threads_do_not_change_bits(void **unused) {
  (void)unused;
  for (int dimension = 2; dimension <= 3; dimension++) {
    perp_fluid *f = dam(dimension, 1, NULL);
    go(f, 8);
    for (int threads = 2; threads <= 4; threads += 2) {
      perp_fluid *g = dam(dimension, threads, NULL);
      go(g, 8);
      same(f, g);
      perp_fluid_destroy(g);
    }
    perp_fluid_destroy(f);
  }
}

// ---- failures ----

static double late;   // when the force goes wrong
static void gust(void *context, const double x[3], double t, double acceleration[3]) {
  (void)context;
  acceleration[0] = x[1];
  if (t > late) acceleration[1] = (double)NAN;
}

static void a_step_that_fails_leaves_no_trace(void **unused) {
  (void)unused;
  perp_fluid_settings s = perp_fluid_defaults(2, 16, 16, 1);
  s.force = gust;
  late = INF;
  perp_fluid *f = fluid_with(&s), *g = fluid_with(&s);
  perp_fluid_shape block = perp_fluid_box(0.3, 0.5, 0.0, 0.2, 0.3, 0.0);
  assert_int_equal(perp_fluid_pour(f, &block, NULL), PERP_OK);
  assert_int_equal(perp_fluid_pour(g, &block, NULL), PERP_OK);
  go(f, 3);
  go(g, 3);
  late = 3.0/60 - 1e-9;
  refused(perp_fluid_step(f, NULL), "acceleration[1] = nan is outside");
  same(f, g);
  late = INF;
  go(f, 3);
  go(g, 3);
  same(f, g);
  perp_fluid_destroy(f);
  perp_fluid_destroy(g);
}

static double odd(void *context, const double x[3], double t) {
  (void)t;
  return *(const int *)context ? (double)NAN : fabs(x[0]) - 0.1;
}

static void distances_that_are_not_numbers_are_refused(void **unused) {
  (void)unused;
  int wrong = 1;
  perp_fluid_settings s = perp_fluid_defaults(2, 8, 8, 1);
  perp_fluid *f = fluid_with(&s), *g = fluid_with(&s);
  perp_fluid_shape shape = perp_fluid_sphere(0.5, 0.5, 0.0, 0.1);
  shape.kind = PERP_FLUID_CUSTOM;
  shape.distance = odd;
  shape.context = &wrong;
  refused(perp_fluid_pour(f, &shape, NULL), "is not a number");
  assert_true(perp_fluid_add_solid(f, &shape, NULL) != PERP_OK);
  assert_non_null(strstr(perp_last_message(), "not a number"));
  assert_int_equal(perp_fluid_solids(f), 0);
  same(f, g);
  wrong = 0;
  int64_t count = 0;
  assert_int_equal(perp_fluid_pour(f, &shape, &count), PERP_OK);
  assert_true(count > 0);
  perp_fluid_destroy(f);
  perp_fluid_destroy(g);
}

// The k-th allocation fails, for all k: creating, solids, pouring, steps, loading.
static void missing_memory_is_told_and_changes_nothing(void **unused) {
  (void)unused;
  perp_fluid *twin = dam(2, 1, NULL);
  perp_fluid_shape more = perp_fluid_sphere(0.8, 0.8, 0.0, 0.15);
  perp_fluid *poured = dam(2, 1, NULL);
  assert_int_equal(perp_fluid_pour(poured, &more, NULL), PERP_OK);
  perp_fluid *stepped = dam(2, 1, NULL);
  assert_int_equal(perp_fluid_pour(stepped, &more, NULL), PERP_OK);
  go(stepped, 1);
  size_t size;
  unsigned char *memory = saved(stepped, &size);
  int64_t failures[4] = {0};
  meter m = {0, 0};
  const perp_allocator from = {metered, released, &m};
  perp_fluid_settings s = perp_fluid_defaults(2, 24, 24, 1);
  perp_fluid *f = NULL;
  for (int64_t k = 0; f == NULL; k++) {
    m.left = k;
    const perp_error error = perp_fluid_create(&s, &from, &f);
    assert_int_equal(error, f != NULL ? PERP_OK : PERP_ERROR_MEMORY);
    failures[0]++;
    if (f == NULL) assert_int_equal(m.live, 0);
  }
  perp_fluid_destroy(f);
  assert_int_equal(m.live, 0);
  m.left = INT64_MAX;
  f = dam(2, 1, &from);
  same(f, twin);
  for (int64_t k = 0;; k++) {
    m.left = k;
    const perp_error error = perp_fluid_pour(f, &more, NULL);
    m.left = INT64_MAX;
    if (error == PERP_OK) break;
    assert_int_equal(error, PERP_ERROR_MEMORY);
    same(f, twin);
    failures[1]++;
  }
  same(f, poured);
  size_t before_size;
  unsigned char *before = saved(f, &before_size);
  for (int64_t k = 0;; k++) {
    m.left = k;
    const perp_error error = perp_fluid_step(f, NULL);
    const int64_t left = m.left;
    m.left = INT64_MAX;
    if (error == PERP_OK && left > 0) break;
    if (error == PERP_OK) {   // a method that found no memory, and another one that needed less
      assert_int_equal(perp_fluid_load(f, before, before_size), PERP_OK);
      continue;
    }
    assert_int_equal(error, PERP_ERROR_MEMORY);
    same(f, poured);
    failures[2]++;
  }
  free(before);
  same(f, stepped);
  perp_fluid_destroy(f);
  f = dry(2, 1, &from);
  perp_fluid_destroy(twin);
  twin = dry(2, 1, NULL);
  for (int64_t k = 0;; k++) {
    m.left = k;
    const perp_error error = perp_fluid_load(f, memory, size);
    m.left = INT64_MAX;
    if (error == PERP_OK) break;
    assert_int_equal(error, PERP_ERROR_MEMORY);
    same(f, twin);
    failures[3]++;
  }
  same(f, stepped);
  perp_fluid_destroy(f);
  assert_int_equal(m.live, 0);
  for (int k = 0; k < 4; k++) assert_true(failures[k] > (k == 0 ? 20 : 0));
  free(memory);
  perp_fluid_destroy(twin);
  perp_fluid_destroy(poured);
  perp_fluid_destroy(stepped);
}

// What was liquid a step ago keeps its pressure as the guess, as far as the bounds let it; all else
// begins at 0. From there a solver that is new finds what the fluid has used.
static void a_solve_begins_from_the_pressure_before(void **unused) {
  (void)unused;
  enum { SIDE = 12, CELLS = SIDE*SIDE };
  perp_fluid_settings s = perp_fluid_defaults(2, SIDE, SIDE, 1);
  perp_fluid *f = fluid_with(&s);
  assert_null(perp_fluid_guess(f));
  assert_null(perp_fluid_guess(NULL));
  put(f, perp_fluid_box(0.3, 0.4, 0, 0.25, 0.35, 0));
  int compared = 0, warm = 0;
  for (int k = 0; k < 12; k++) {
    double before[CELLS], x[CELLS];
    memcpy(before, look(f).pressure, sizeof before);
    const int substeps = step(f).substeps;
    const perp_fluid_state now = look(f);
    const double *guess = perp_fluid_guess(f), *used;
    perp_problem p;
    perp_result r;
    assert_int_equal(perp_fluid_problem(f, &p, &used), PERP_OK);
    for (int c = 0; c < CELLS && substeps == 1; c++) {
      const int wet = now.type[c] == PERP_CELL_LIQUID;
      assert_true(guess[c] == (wet ? fmax(before[c], p.lo[c]) : 0.0));
      compared++;
      warm += guess[c] > 0.0;
    }
    memcpy(x, guess, sizeof x);
    assert_int_equal(perp_solve_once(&p, x, NULL, &r), PERP_OK);
    assert_memory_equal(x, used, sizeof x);
  }
  assert_true(compared > 2*CELLS && warm > 20);
  perp_fluid_destroy(f);
}

// The clock of the options is that of pressure solves; a step's own seconds are the system's.
static int clock_kind;
static double looks;
static double odd_clock(void *unused) {
  (void)unused;
  looks++;
  const double said[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -looks,
                         (int64_t)looks%2 ? (double)NAN : 1e-6*looks};
  return said[clock_kind];
}

static void an_odd_clock_leaves_numbers(void **unused) {
  (void)unused;
  for (clock_kind = 0; clock_kind < 5; clock_kind++) {
    perp_options o = perp_default_options(NULL);
    o.clock = odd_clock;
    perp_fluid_settings s = perp_fluid_defaults(2, 10, 10, 1);
    s.options = &o;
    s.time_limit = 1e-3;
    looks = 0.0;
    perp_fluid *f = fluid_with(&s);
    put(f, perp_fluid_box(0.3, 0.4, 0, 0.25, 0.35, 0));
    for (int k = 0; k < 5; k++) {
      perp_fluid_report r;
      assert_int_equal(perp_fluid_step(f, &r), PERP_OK);
      assert_true(r.seconds >= 0.0 && r.seconds < (double)INFINITY);
      for (int i = 0; i < PERP_FLUID_STAGES; i++)
        assert_true(r.stage_seconds[i] >= 0.0 && r.stage_seconds[i] < (double)INFINITY);
      if (clock_kind < 4) assert_int_equal(r.unsolved, 0);   // it stands still: there is no hurry
    }
    perp_fluid_destroy(f);
  }
}

static void stages_have_names(void **unused) {
  (void)unused;
  assert_string_equal(perp_fluid_stage_name(PERP_FLUID_ADVECT), "advect");
  assert_string_equal(perp_fluid_stage_name(PERP_FLUID_MEASURE), "measure");
  for (int k = 0; k < PERP_FLUID_STAGES; k++)
    assert_true(strlen(perp_fluid_stage_text((perp_fluid_stage)k)) > 5);
  assert_string_equal(perp_fluid_stage_name(PERP_FLUID_STAGES), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(settings_are_checked),
    cmocka_unit_test(shapes_are_checked),
    cmocka_unit_test(nothing_moves_without_liquid),
    cmocka_unit_test(what_has_gone_leaves_no_pressure),
    cmocka_unit_test(what_is_poured_is_counted),
    cmocka_unit_test(solids_stay_dry_and_liquid_begins_with_its_velocity),
    cmocka_unit_test(solids_are_read_back_and_move),
    cmocka_unit_test(all_solids_are_where_they_are_when_a_step_ends),
    cmocka_unit_test(a_state_goes_on_with_the_same_bits),
    cmocka_unit_test(a_state_is_read_as_it_was_saved),
    cmocka_unit_test(wrong_states_are_refused),
    cmocka_unit_test(threads_do_not_change_bits),
    cmocka_unit_test(a_step_that_fails_leaves_no_trace),
    cmocka_unit_test(distances_that_are_not_numbers_are_refused),
    cmocka_unit_test(missing_memory_is_told_and_changes_nothing),
    cmocka_unit_test(a_solve_begins_from_the_pressure_before),
    cmocka_unit_test(an_odd_clock_leaves_numbers),
    cmocka_unit_test(stages_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
