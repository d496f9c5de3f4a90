// test_render.c: pictures of known scenes, judged by their pixels: where a body is, its colour, its
// shadow, its turning; PNG files read by a reader of their own.
// labels: tsan
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include <render.h>

enum { WIDTH = 320, HEIGHT = 240, BYTES = 3*WIDTH*HEIGHT };
static const double pi = 3.141592653589793;

static render_body sphere(double x, double y, double z, double radius) {
  return (render_body){.shape = RENDER_SPHERE, .extent = {radius}, .position = {x, y, z},
                       .orientation = {1}, .colour = {0.2f, 0.4f, 0.9f}};
}
static render_body ground(double offset) {
  return (render_body){.shape = RENDER_PLANE, .fixed = 1, .extent = {0, 1, 0}, .offset = offset,
                       .orientation = {1}};
}
static render_scene scene_of(const render_body *body, int32_t count, int32_t dimension) {
  return (render_scene){.dimension = dimension, .bodies = count, .body = body, .up = {0, 1, 0},
                        .radius = 2.0};
}

// The pixels of a scene; the caller frees them.
static unsigned char *picture(const render_scene *scene, double azimuth, double elevation,
                              int32_t supersample, int32_t threads, render_camera *used) {
  render *r = render_create(WIDTH, HEIGHT, supersample, threads);
  const render_camera camera = render_fit(scene, WIDTH, HEIGHT, azimuth, elevation, 1.0, NULL, 0);
  assert_non_null(r);
  assert_int_equal(render_draw(r, scene, &camera), 0);
  unsigned char *out = malloc(BYTES);
  assert_non_null(out);
  memcpy(out, render_pixels(r), BYTES);
  render_destroy(r);
  if (used) *used = camera;
  return out;
}

static int brightness(const unsigned char *pixel, int x, int y) {
  const unsigned char *p = pixel + 3*(WIDTH*y + x);
  return p[0] + p[1] + p[2];
}

// A ball seen from distance D is a cone with half angle asin(r/D): a disc of radius f r/sqrt(D^2 -
// r^2) where the axis meets the picture.
static void a_sphere_is_a_disc_of_the_right_size_in_the_right_place(void **state) {
  (void)state;
  const render_body ball = sphere(0, 0, 0, 1.0);
  const render_scene with = scene_of(&ball, 1, 3), without = scene_of(&ball, 0, 3);
  render_camera camera;
  unsigned char *a = picture(&with, 30, 20, 4, 1, &camera);
  unsigned char *b = picture(&without, 30, 20, 4, 1, NULL);
  double pixel[2], square = 0.0, area = 0.0, middle[2] = {0, 0};
  for (int c = 0; c < 3; c++) square += camera.eye[c]*camera.eye[c];
  assert_int_equal(render_project(&camera, ball.position, pixel), 1);
  assert_true(fabs(pixel[0] - WIDTH/2.0) < 1e-9 && fabs(pixel[1] - HEIGHT/2.0) < 1e-9);
  const double radius = camera.focal/sqrt(square - 1.0);
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) {
      const double away = hypot(x + 0.5 - pixel[0], y + 0.5 - pixel[1]);
      const int differs = memcmp(a + 3*(WIDTH*y + x), b + 3*(WIDTH*y + x), 3) != 0;
      if (away < radius - 1.0) assert_true(differs);
      if (away > radius + 1.0) assert_false(differs);
      if (!differs) continue;
      area += 1.0;
      middle[0] += x + 0.5, middle[1] += y + 0.5;
      if (away < radius - 1.0) {   // blue is above green is above red, as in its colour
        const unsigned char *p = a + 3*(WIDTH*y + x);
        assert_true(p[2] > p[1] && p[1] > p[0]);
      }
    }
  }
  assert_true(fabs(middle[0]/area - pixel[0]) < 0.3 && fabs(middle[1]/area - pixel[1]) < 0.3);
  assert_true(fabs(area - pi*radius*radius) < 2.0*pi*radius);
  free(a);
  free(b);
}

static void the_nearer_of_two_bodies_hides_the_other(void **state) {
  (void)state;
  render_body two[2] = {sphere(0, 0, 0, 0.5), sphere(0, 0, 0, 0.5)};
  render_scene scene = scene_of(two, 2, 3);
  const render_camera camera = render_fit(&scene, WIDTH, HEIGHT, 10, 5, 1.0, NULL, 0);
  two[1].colour[0] = 0.9f, two[1].colour[2] = 0.1f;   // red
  for (int turn = 0; turn < 2; turn++) {              // once the red one is in front, once behind
    for (int c = 0; c < 3; c++) two[1].position[c] = (turn ? -1.2 : 1.2)*camera.back[c];
    unsigned char *a = picture(&scene, 10, 5, 3, 1, NULL);
    const unsigned char *p = a + 3*(WIDTH*(HEIGHT/2 + 4) + WIDTH/2 + 4);
    assert_int_equal(p[0] > p[2], turn == 0);
    free(a);
  }
}

// A body over the ground takes light from it: pixels get darker outside of it, none gets brighter.
static void bodies_throw_shadows_on_the_ground_and_on_each_other(void **state) {
  (void)state;
  render_body body[3] = {ground(-1.0), sphere(0, 0.3, 0, 0.4), sphere(0, 0, 0, 0.6)};
  for (int box = 0; box < 2; box++) {
    if (box) {
      body[1].shape = RENDER_BOX;
      for (int c = 0; c < 3; c++) body[1].extent[c] = 0.3;
    }
    const render_scene with = scene_of(body, 2, 3), without = scene_of(body, 1, 3);
    render_camera camera;
    unsigned char *a = picture(&with, 30, 25, 3, 1, &camera);
    unsigned char *b = picture(&without, 30, 25, 3, 1, NULL);
    double middle[2], square = 0.0;
    render_project(&camera, body[1].position, middle);
    for (int c = 0; c < 3; c++) square += pow(camera.eye[c] - body[1].position[c], 2.0);
    const double around = box ? 0.3*sqrt(3.0) : 0.4;
    const double reach = 1.05*camera.focal*around/(sqrt(square) - around);   // the body is within
    int darker = 0, right = 0, brighter = 0;
    for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
        if (hypot(x - middle[0], y - middle[1]) < reach) continue;
        const int change = brightness(a, x, y) - brightness(b, x, y);
        brighter += change > 3;
        if (change < -90) darker++, right += x > middle[0];
      }
    }
    assert_true(darker > 100);
    assert_true(brighter < 5);                       // corners of tiles, sampled once or not
    assert_true(right > 0.9*darker);                 // the light comes from the left
    free(a);
    free(b);
  }
  // A sphere between another one and the light, over the viewer's left shoulder, darkens that one.
  body[1] = sphere(0, -0.4, 0, 0.6);
  render_scene scene = scene_of(body, 2, 3);
  const render_camera camera = render_fit(&scene, WIDTH, HEIGHT, 30, 25, 1.0, NULL, 0);
  body[2].extent[0] = 0.3;
  for (int c = 0; c < 3; c++)
    body[2].position[c] = body[1].position[c] - 0.78*camera.right[c] + 0.42*camera.back[c];
  body[2].position[1] += 1.1;
  unsigned char *b = picture(&scene, 30, 25, 3, 1, NULL);
  scene.bodies = 3;
  unsigned char *a = picture(&scene, 30, 25, 3, 1, NULL);
  double at[2];
  render_project(&camera, body[1].position, at);
  int darker = 0;
  for (int y = (int)at[1] - 20; y < (int)at[1] + 20; y++)
    for (int x = (int)at[0] - 20; x < (int)at[0] + 20; x++)
      darker += brightness(a, x, y) < brightness(b, x, y) - 60;
  assert_true(darker > 30);
  free(a);
  free(b);
}

// The pattern of a sphere is the same after half a turn about its third axis, not after a quarter.
static void one_sees_a_sphere_turn(void **state) {
  (void)state;
  render_body ball = sphere(0, 0, 0, 1.0);
  const render_scene scene = scene_of(&ball, 1, 3);
  unsigned char *a = picture(&scene, 40, 20, 1, 1, NULL);
  ball.orientation[0] = 0.0, ball.orientation[3] = 1.0;
  unsigned char *b = picture(&scene, 40, 20, 1, 1, NULL);
  ball.orientation[0] = ball.orientation[3] = sqrt(0.5);
  unsigned char *c = picture(&scene, 40, 20, 1, 1, NULL);
  int half = 0, quarter = 0;
  for (int k = 0; k < BYTES; k++) half += abs(a[k] - b[k]) > 8, quarter += abs(a[k] - c[k]) > 8;
  assert_true(half < 300);
  assert_true(quarter > 3000);
  free(a);
  free(b);
  free(c);
}

static void a_box_covers_its_corners_and_no_more(void **state) {
  (void)state;
  render_body box = sphere(0.2, 0.1, -0.3, 0.0);
  box.shape = RENDER_BOX;
  box.extent[0] = 0.9, box.extent[1] = 0.4, box.extent[2] = 0.6;
  box.orientation[0] = cos(0.3), box.orientation[2] = sin(0.3);   // 0.6 about y
  const render_scene with = scene_of(&box, 1, 3), without = scene_of(&box, 0, 3);
  render_camera camera;
  unsigned char *a = picture(&with, 30, 20, 2, 1, &camera);
  unsigned char *b = picture(&without, 30, 20, 2, 1, NULL);
  double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
  for (int k = 0; k < 8; k++) {
    const double x = k & 1 ? 0.9 : -0.9, y = k & 2 ? 0.4 : -0.4, z = k & 4 ? 0.6 : -0.6;
    const double point[3] = {0.2 + cos(0.6)*x + sin(0.6)*z, 0.1 + y,
                             -0.3 - sin(0.6)*x + cos(0.6)*z};
    double pixel[2];
    assert_int_equal(render_project(&camera, point, pixel), 1);
    for (int c = 0; c < 2; c++) low[c] = fmin(low[c], pixel[c]), high[c] = fmax(high[c], pixel[c]);
  }
  int first[2] = {WIDTH, HEIGHT}, last[2] = {0, 0};
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) {
      if (!memcmp(a + 3*(WIDTH*y + x), b + 3*(WIDTH*y + x), 3)) continue;
      if (x < first[0]) first[0] = x;
      if (y < first[1]) first[1] = y;
      if (x > last[0]) last[0] = x;
      if (y > last[1]) last[1] = y;
    }
  }
  for (int c = 0; c < 2; c++) {
    assert_true(fabs(first[c] - low[c]) < 2.0);
    assert_true(fabs(last[c] + 1 - high[c]) < 2.0);
  }
  free(a);
  free(b);
}

// Every item is inside of the picture and one touches its margin.
static void the_camera_sees_everything_and_wastes_nothing(void **state) {
  (void)state;
  const render_item item[3] = {{{3, 0.5, 0}, 0.5}, {{-3, 0.5, 0.4}, 0.5}, {{0, 2, 0}, 0.2}};
  render_scene scene = scene_of(NULL, 0, 3);
  scene.radius = 10.0;
  for (int angle = 0; angle < 360; angle += 30) {
    const render_camera camera = render_fit(&scene, WIDTH, HEIGHT, angle, 15, 1.0, item, 3);
    double tightest = 1e9;
    for (int k = 0; k < 3; k++) {
      double at[2], square = 0.0;
      assert_int_equal(render_project(&camera, item[k].center, at), 1);
      for (int c = 0; c < 3; c++) square += pow(camera.eye[c] - item[k].center[c], 2.0);
      const double reach = camera.focal*item[k].radius/sqrt(square);
      tightest = fmin(tightest, fmin(fmin(at[0], WIDTH - at[0])/WIDTH,
                                     fmin(at[1], HEIGHT - at[1])/HEIGHT) - reach/HEIGHT);
    }
    assert_true(tightest > 0.0);
    assert_true(tightest < 0.15);
  }
}

static void flat_scenes_are_crisp_and_have_the_right_area(void **state) {
  (void)state;
  render_body body[2] = {ground(-1.0), sphere(0.3, 0.2, 0, 0.5)};
  const render_scene scene = scene_of(body, 2, 2);
  render_camera camera;
  unsigned char *a = picture(&scene, 0, 0, 1, 1, &camera);
  double at[2], area = 0.0;
  assert_int_equal(render_project(&camera, body[1].position, at), 1);
  assert_true(fabs(at[0] - (WIDTH/2.0 + 0.3*camera.focal)) < 1e-9);
  assert_true(fabs(at[1] - (HEIGHT/2.0 - 0.2*camera.focal)) < 1e-9);
  const double radius = 0.5*camera.focal;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) area += a[3*(WIDTH*y + x)] < 180 && y < 150;   // it has no red
  assert_true(fabs(area - pi*radius*radius) < pi*radius);
  // the colour as it was given, in the quarter that is not dark
  const unsigned char *p = a + 3*(WIDTH*((int)(at[1] - 0.4*radius)) + (int)(at[0] - 0.4*radius));
  assert_true(abs(p[0] - 51) <= 1 && abs(p[1] - 102) <= 1 && abs(p[2] - 230) <= 1);
  // what is solid lies below y = -1
  const int line = (int)(HEIGHT/2.0 + camera.focal);
  assert_true(brightness(a, 5, line - 3) > 730);
  assert_true(brightness(a, 5, line + 10) < 700);
  free(a);
}

static void threads_and_repetition_give_the_same_bytes(void **state) {
  (void)state;
  render_body body[40];
  body[0] = ground(-1.0);
  body[1] = (render_body){.shape = RENDER_HOLLOW, .fixed = 1, .extent = {1.8}, .orientation = {1}};
  for (int k = 2; k < 40; k++) {
    body[k] = sphere(sin(3.0*k), cos(5.0*k)*0.8, sin(7.0*k + 1.0), 0.25);
    body[k].shape = k % 2;
    body[k].extent[1] = 0.1, body[k].extent[2] = 0.2;
    body[k].orientation[k % 4] += 0.7;
  }
  for (int32_t dimension = 2; dimension <= 3; dimension++) {
    const render_scene scene = scene_of(body, 40, dimension);
    unsigned char *a = picture(&scene, 30, 20, 3, 1, NULL);
    for (int32_t threads = 1; threads <= 5; threads += 2) {
      unsigned char *b = picture(&scene, 30, 20, 3, threads, NULL);
      assert_memory_equal(a, b, BYTES);
      free(b);
    }
    free(a);
  }
}

// A wall of glass between the eye and a ball, or behind it, changes the picture a bit wherever it
// is and hides nothing; a ceiling is not there at all.
static void walls_are_glass_and_ceilings_are_not_there(void **state) {
  (void)state;
  render_body body[2] = {sphere(0, 0, 0, 0.5), ground(0.0)};
  const render_scene with = scene_of(body, 2, 3), without = scene_of(body, 1, 3);
  render_camera camera;
  unsigned char *clear = picture(&without, 30, 0, 3, 1, &camera);
  static const double side[] = {-0.8, 0.8, 0.0};   // behind the ball, before it; 0: a ceiling
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++)
      body[1].extent[c] = k == 2 ? -(c == 1) : side[k] < 0.0 ? camera.back[c] : -camera.back[c];
    body[1].offset = -0.8;
    unsigned char *a = picture(&with, 30, 0, 3, 1, NULL);
    int most = 0, changed = 0, ball = 0;
    for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
        const int change = abs(brightness(a, x, y) - brightness(clear, x, y));
        if (change > most) most = change;
        changed += change > 0;
        ball += change > 0 && hypot(x - WIDTH/2.0, y - HEIGHT/2.0) < 20.0;
      }
    }
    assert_true(most < 300);
    if (k == 0) assert_true(changed > WIDTH*HEIGHT/4 && ball == 0 && most > 20);
    if (k == 1) assert_true(changed > WIDTH*HEIGHT/4 && ball > 1000 && most > 10);
    if (k == 2) assert_int_equal(changed, 0);
    free(a);
  }
  free(clear);
}

static void nothing_at_all_and_nonsense_can_be_drawn(void **state) {
  (void)state;
  render_body body[3] = {sphere(NAN, 0, 0, 1.0), sphere(1e300, 0, 0, 1.0), sphere(0, 0, 0, 1.0)};
  body[2].shape = RENDER_BOX;          // of no width, not turned anyhow
  memset(body[2].orientation, 0, sizeof body[2].orientation);
  for (int32_t dimension = 2; dimension <= 3; dimension++) {
    for (int32_t count = 0; count <= 3; count++) {
      const render_scene scene = scene_of(body, count, dimension);
      free(picture(&scene, 30, 20, 2, 2, NULL));
    }
  }
}

static void text_stays_in_its_box_and_is_as_wide_as_it_says(void **state) {
  (void)state;
  const render_scene scene = scene_of(NULL, 0, 2);
  const render_camera camera = render_fit(&scene, WIDTH, HEIGHT, 0, 0, 1.0, NULL, 0);
  static const float black[3] = {0, 0, 0};
  unsigned char *plain = picture(&scene, 0, 0, 1, 1, NULL);
  char every[96];
  for (int k = 0; k < 95; k++) every[k] = (char)(' ' + k);
  every[95] = 0;
  for (int from = 0; from < 95; from += 19) {
    char part[20] = "";
    memcpy(part, every + from, 19);
    render *r = render_create(WIDTH, HEIGHT, 1, 1);
    assert_int_equal(render_draw(r, &scene, &camera), 0);
    const double end = render_text(r, 20.0, 100.0, 12.0, black, part);
    assert_true(fabs(end - 20.0 - render_text_width(12.0, part)) < 1e-9);
    const unsigned char *pixel = render_pixels(r);
    int ink = 0;
    for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
        const int dark = brightness(plain, x, y) - brightness(pixel, x, y);
        if (x < 19 || x > end || y < 85 || y > 106) assert_int_equal(dark, 0);
        else ink += dark > 300;
      }
    }
    assert_true(ink > 150);
    render_destroy(r);
  }
  free(plain);
}

static uint32_t big(const unsigned char *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// A reader of the few PNG files that are needed here: RGB, 8 bits, all filters.
static void read_png(const unsigned char *png, size_t length, uint32_t *width, uint32_t *height,
                     unsigned char *out) {
  static unsigned char plain[BYTES + HEIGHT];
  uLongf plain_length = sizeof plain;
  assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
  size_t at = 8;
  int ended = 0;
  while (at < length && !ended) {
    const uint32_t bytes = big(png + at);
    assert_int_equal(big(png + at + 8 + bytes), crc32(0, png + at + 4, bytes + 4));
    if (!memcmp(png + at + 4, "IHDR", 4)) {
      *width = big(png + at + 8), *height = big(png + at + 12);
      assert_memory_equal(png + at + 16, "\x08\x02\0\0\0", 5);
    }
    if (!memcmp(png + at + 4, "IDAT", 4))
      assert_int_equal(uncompress(plain, &plain_length, png + at + 8, bytes), Z_OK);
    ended = !memcmp(png + at + 4, "IEND", 4);
    at += 12 + bytes;
  }
  assert_true(ended && at == length);
  const size_t stride = 3*(size_t)*width;
  assert_int_equal(plain_length, (stride + 1)**height);
  for (size_t y = 0; y < *height; y++) {
    const unsigned char *row = plain + (stride + 1)*y;
    for (size_t k = 0; k < stride; k++) {
      const int a = k >= 3 ? out[stride*y + k - 3] : 0, b = y ? out[stride*(y - 1) + k] : 0;
      const int c = k >= 3 && y ? out[stride*(y - 1) + k - 3] : 0, p = a + b - c;
      const int da = abs(p - a), db = abs(p - b), dc = abs(p - c);
      const int guess[5] = {0, a, b, (a + b)/2, da <= db && da <= dc ? a : db <= dc ? b : c};
      assert_true(row[0] < 5);
      out[stride*y + k] = (unsigned char)(row[k + 1] + guess[row[0]]);
    }
  }
}

static void a_png_is_what_was_drawn(void **state) {
  (void)state;
  const render_body body[2] = {ground(-1.0), sphere(0, 0, 0, 0.9)};
  const render_scene scene = scene_of(body, 2, 3);
  unsigned char *a = picture(&scene, 30, 20, 2, 1, NULL), *b = malloc(BYTES);
  size_t length = 0;
  uint32_t width = 0, height = 0;
  uint32_t noise = 1;
  for (int k = 0; k < 2; k++) {
    unsigned char *png = render_png(a, WIDTH, HEIGHT, &length);
    assert_non_null(png);
    read_png(png, length, &width, &height, b);
    assert_true(width == WIDTH && height == HEIGHT);
    assert_memory_equal(a, b, BYTES);
    free(png);
    for (int i = 0; i < BYTES; i++) {        // then something that does not pack
      noise = 1664525u*noise + 1013904223u;
      a[i] = (unsigned char)(noise >> 24);
    }
  }
  free(a);
  free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_sphere_is_a_disc_of_the_right_size_in_the_right_place),
    cmocka_unit_test(the_nearer_of_two_bodies_hides_the_other),
    cmocka_unit_test(bodies_throw_shadows_on_the_ground_and_on_each_other),
    cmocka_unit_test(one_sees_a_sphere_turn),
    cmocka_unit_test(a_box_covers_its_corners_and_no_more),
    cmocka_unit_test(the_camera_sees_everything_and_wastes_nothing),
    cmocka_unit_test(flat_scenes_are_crisp_and_have_the_right_area),
    cmocka_unit_test(threads_and_repetition_give_the_same_bytes),
    cmocka_unit_test(walls_are_glass_and_ceilings_are_not_there),
    cmocka_unit_test(nothing_at_all_and_nonsense_can_be_drawn),
    cmocka_unit_test(text_stays_in_its_box_and_is_as_wide_as_it_says),
    cmocka_unit_test(a_png_is_what_was_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
