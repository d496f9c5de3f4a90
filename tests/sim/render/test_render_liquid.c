// test_render_liquid.c: pictures of liquids that fill a known region, judged by their pixels.
// labels: tsan
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <render.h>

enum { SIDE = 240, BYTES = 3*SIDE*SIDE, MOST = 60000 };
static const double pi = 3.141592653589793;

typedef struct pool {          // particles in a ball, or a disc, of radius 0.3 around the middle
  float position[3*MOST], value[MOST], palette[256][3];
  render_liquid liquid;
} pool;

static pool *make_pool(int32_t dimension, double gap) {
  pool *p = calloc(1, sizeof *p);
  assert_non_null(p);
  const int n = (int)(1.0/gap);
  int64_t count = 0;
  for (int k = 0; k < (dimension == 3 ? n : 1); k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const double x = (i + 0.5)*gap, y = (j + 0.5)*gap, z = dimension == 3 ? (k + 0.5)*gap : 0.5;
        const double r = sqrt((x - 0.5)*(x - 0.5) + (y - 0.5)*(y - 0.5) + (z - 0.5)*(z - 0.5));
        if (r > 0.3) continue;
        assert_true(count < MOST);
        p->position[3*count] = (float)x;
        p->position[3*count + 1] = (float)y;
        p->position[3*count + 2] = dimension == 3 ? (float)z : 0.0f;
        p->value[count++] = x < 0.5 ? 0.0f : 1.0f;
      }
  for (int c = 0; c < 256; c++) p->palette[c][c < 128 ? 2 : 0] = 1.0f;   // blue, then red
  p->liquid = (render_liquid){.count = count, .position = p->position, .value = p->value,
                              .palette = (const float (*)[3])p->palette, .gap = gap, .surface = 1,
                              .size = {1, 1, 1}};
  return p;
}

static unsigned char *draw(const pool *p, int32_t dimension, const render_body *body,
                           int32_t bodies, int32_t threads, render_camera *used) {
  const render_scene scene = {.dimension = dimension, .up = {0, 1, 0}, .center = {0.5, 0.5, 0.5},
                              .radius = 0.6, .liquid = &p->liquid, .body = body, .bodies = bodies};
  const render_camera camera = render_fit(&scene, SIDE, SIDE, 0, 0, 1, NULL, 0);
  render *r = render_create(SIDE, SIDE, 2, threads);
  assert_non_null(r);
  assert_int_equal(render_draw(r, &scene, &camera), 0);
  unsigned char *out = malloc(BYTES);
  assert_non_null(out);
  memcpy(out, render_pixels(r), BYTES);
  render_destroy(r);
  if (used) *used = camera;
  return out;
}

static int is_blue(const unsigned char *p) { return p[2] > p[0] + 60; }
static int is_red(const unsigned char *p) { return p[0] > p[2] + 60; }

// Pixels of the liquid, and where their mean is.
static int count_wet(const unsigned char *pixel, double mean[2]) {
  int count = 0;
  mean[0] = mean[1] = 0.0;
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      const unsigned char *p = pixel + 3*(SIDE*y + x);
      if (!is_blue(p) && !is_red(p)) continue;
      count++;
      mean[0] += x + 0.5, mean[1] += y + 0.5;
    }
  for (int c = 0; c < 2 && count; c++) mean[c] /= count;
  return count;
}

static void a_disc_of_particles_is_a_disc(void **state) {
  (void)state;
  for (int surface = 0; surface < 2; surface++) {
    pool *p = make_pool(2, 0.01);
    p->liquid.surface = surface;
    render_camera camera;
    unsigned char *pixel = draw(p, 2, NULL, 0, 1, &camera);
    double mean[2];
    const double radius = 0.3*camera.focal, area = pi*radius*radius;
    const int wet = count_wet(pixel, mean);
    assert_true(wet > (surface ? 0.98 : 0.8)*area && wet < 1.12*area);
    for (int c = 0; c < 2; c++) assert_true(fabs(mean[c] - 0.5*SIDE) < 1.0);
    assert_true(is_blue(pixel + 3*(SIDE*(SIDE/2) + SIDE/2 - 30)));
    assert_true(is_red(pixel + 3*(SIDE*(SIDE/2) + SIDE/2 + 30)));
    free(pixel);
    free(p);
  }
}

static void a_ball_of_particles_is_a_ball(void **state) {
  (void)state;
  pool *p = make_pool(3, 0.02);
  render_camera camera;
  unsigned char *pixel = draw(p, 3, NULL, 0, 1, &camera);
  const double away = sqrt(pow(camera.eye[0] - 0.5, 2) + pow(camera.eye[1] - 0.5, 2) +
                           pow(camera.eye[2] - 0.5, 2));
  const double radius = camera.focal*0.31/sqrt(away*away - 0.31*0.31), area = pi*radius*radius;
  double mean[2];
  const int wet = count_wet(pixel, mean);
  assert_true(wet > 0.9*area && wet < 1.12*area);
  for (int c = 0; c < 2; c++) assert_true(fabs(mean[c] - 0.5*SIDE) < 3.0);
  free(pixel);
  free(p);
}

// A particle alone is a drop, not nothing.
static void a_particle_alone_is_a_drop(void **state) {
  (void)state;
  for (int32_t dimension = 2; dimension <= 3; dimension++) {
    pool *p = make_pool(dimension, 0.05);
    p->liquid.count = 1;
    for (int c = 0; c < 3; c++) p->position[c] = c < dimension ? 0.5f : 0.0f;
    unsigned char *pixel = draw(p, dimension, NULL, 0, 1, NULL);
    double mean[2];
    const int wet = count_wet(pixel, mean);
    assert_true(wet > 20 && wet < 900);
    free(pixel);
    free(p);
  }
}

static void solids_cover_the_liquid(void **state) {
  (void)state;
  pool *p = make_pool(2, 0.01);
  const render_body disc = {.shape = RENDER_SPHERE, .fixed = 1, .extent = {0.1},
                            .position = {0.4, 0.5, 0}, .orientation = {1}};
  const render_body hollow = {.shape = RENDER_HOLLOW, .fixed = 1, .extent = {0.2},
                              .position = {0.5, 0.5, 0}, .orientation = {1}};
  const render_body tank = {.shape = RENDER_TANK, .fixed = 1, .extent = {0.1, 0.2, 1},
                            .position = {0.5, 0.5, 0}, .orientation = {1}};
  const render_body plane = {.shape = RENDER_PLANE, .fixed = 1, .extent = {0, 1, 0}, .offset = 0.5,
                             .orientation = {1}};
  const struct { const render_body *body; double area; } cases[] = {
      {&disc, pi*0.09 - pi*0.01}, {&hollow, pi*0.04}, {&tank, 0.08}, {&plane, 0.5*pi*0.09}};
  for (size_t k = 0; k < sizeof cases/sizeof *cases; k++) {
    render_camera camera;
    unsigned char *pixel = draw(p, 2, cases[k].body, 1, 1, &camera);
    double mean[2];
    const double area = cases[k].area*camera.focal*camera.focal;
    const int wet = count_wet(pixel, mean);
    assert_true(wet > 0.9*area && wet < 1.12*area);
    free(pixel);
  }
  free(p);
}

static void cells_have_their_places(void **state) {
  (void)state;
  pool *p = make_pool(2, 0.05);
  float cell[16];
  for (int k = 0; k < 16; k++) cell[k] = k == 1 ? 0.0f : k == 14 ? 1.0f : -1.0f;
  p->liquid.cell = cell;
  p->liquid.cells[0] = p->liquid.cells[1] = 4;
  render_camera camera;
  unsigned char *pixel = draw(p, 2, NULL, 0, 1, &camera);
  double mean[2];
  assert_true(fabs(count_wet(pixel, mean)/(camera.focal*camera.focal/8.0) - 1.0) < 0.1);
  for (int k = 1; k < 15; k += 13) {   // (1, 0) and (2, 3), y upwards
    const double at[3] = {(k % 4 + 0.5)/4, (k/4 + 0.5)/4, 0};
    double place[2];
    render_project(&camera, at, place);
    const unsigned char *there = pixel + 3*(SIDE*(int)place[1] + (int)place[0]);
    assert_true(k == 1 ? is_blue(there) : is_red(there));
  }
  free(pixel);
  free(p);
}

static void threads_draw_the_same(void **state) {
  (void)state;
  for (int32_t dimension = 2; dimension <= 3; dimension++) {
    for (int surface = dimension - 2; surface < 2; surface++) {
      pool *p = make_pool(dimension, dimension == 3 ? 0.03 : 0.01);
      p->liquid.surface = surface;
      unsigned char *one = draw(p, dimension, NULL, 0, 1, NULL);
      unsigned char *four = draw(p, dimension, NULL, 0, 4, NULL);
      assert_memory_equal(one, four, BYTES);
      free(one);
      free(four);
      free(p);
    }
  }
}

static void no_liquid_is_fine(void **state) {
  (void)state;
  for (int32_t dimension = 2; dimension <= 3; dimension++) {
    pool *p = make_pool(dimension, 0.05);
    p->liquid.count = 0;
    unsigned char *pixel = draw(p, dimension, NULL, 0, 2, NULL);
    double mean[2];
    assert_int_equal(count_wet(pixel, mean), 0);
    free(pixel);
    free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_disc_of_particles_is_a_disc),
      cmocka_unit_test(a_ball_of_particles_is_a_ball),
      cmocka_unit_test(a_particle_alone_is_a_drop),
      cmocka_unit_test(solids_cover_the_liquid),
      cmocka_unit_test(cells_have_their_places),
      cmocka_unit_test(threads_draw_the_same),
      cmocka_unit_test(no_liquid_is_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
