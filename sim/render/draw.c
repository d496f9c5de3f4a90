// draw.c: draws the canvas in three passes. The first casts a ray through every second pixel of
// every second row. The second fills the pixels between them: with the mean of their neighbours if
// these show the same object in about the same colour, otherwise by a ray. The third casts
// supersample^2 rays where neighbouring pixels differ, and averages them. Threads share the rows of
// tiles; no pixel depends on which thread draws it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

enum { SRGB_TABLE_STEPS = 16384 };   // a step is at most a fifth of a level of sRGB
// Neighbouring pixels that differ by more than this in a channel get more rays. Floors have a
// higher limit, because their pattern is already smooth.
enum { CONTRAST_MIN = 12, FLOOR_CONTRAST_MIN = 30 };

typedef struct pass {
  render *r;
  atomic_int next;
  int number;
} pass;

float render_linear(float channel) {
  return channel <= 0.04045f ? channel/12.92f
                             : (float)pow(((double)channel + 0.055)/1.055, 2.4);
}

render *render_create(int32_t width, int32_t height, int32_t supersample, int32_t threads) {
  render *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  const size_t count = (size_t)width*(size_t)height;
  *r = (render){.width = width, .height = height, .supersample = supersample, .threads = threads,
                .canvas = malloc(3*count*sizeof *r->canvas), .mark = malloc(count*sizeof *r->mark),
                .pixel = malloc(3*count)};
  if (r->canvas && r->mark && r->pixel) return r;
  render_destroy(r);
  return NULL;
}

void render_destroy(render *r) {
  if (!r) return;
  free(r->canvas);
  free(r->mark);
  free(r->pixel);
  free(r->solid);
  free(r->range);
  free(r->fine);
  bins_free(&r->tiles);
  bins_free(&r->shade);
  bins_free(&r->close);
  field_free(&r->field);
  free(r->order);
  free(r->row);
  free(r);
}

void canvas_blend(render *r, int32_t x, int32_t y, const float linear[3], double alpha) {
  if (x < 0 || y < 0 || x >= r->width || y >= r->height) return;
  float *at = r->canvas + 3*((size_t)y*(size_t)r->width + (size_t)x);
  for (int c = 0; c < 3; c++) at[c] += (float)alpha*(linear[c] - at[c]);
}

static int alike(const render *r, size_t a, size_t b) {
  if (r->mark[a] != r->mark[b]) return 0;
  const float *one = r->canvas + 3*a, *two = r->canvas + 3*b;
  for (int c = 0; c < 3; c++)
    if (fabsf(one[c] - two[c]) > 0.02f*(one[c] + two[c]) + 0.003f) return 0;
  return 1;
}

// The mean of the neighbours that have rays of their own, if they agree.
static int interpolate(render *r, int32_t x, int32_t y) {
  const size_t width = (size_t)r->width, k = (size_t)y*width + (size_t)x;
  const size_t left = x % 2 ? 1 : 0, up = y % 2 ? width : 0;
  if ((left && x + 1 >= r->width) || (up && y + 1 >= r->height)) return 0;
  const size_t corner[4] = {k - left - up, k + left - up, k - left + up, k + left + up};
  for (int j = 1; j < 4; j++)
    if (!alike(r, corner[0], corner[j])) return 0;
  for (size_t c = 0; c < 3; c++) {
    float sum = 0.0f;
    for (int j = 0; j < 4; j++) sum += r->canvas[3*corner[j] + c];
    r->canvas[3*k + c] = 0.25f*sum;
  }
  r->mark[k] = r->mark[corner[0]];
  return 1;
}

static void draw_pixel(render *r, int32_t x, int32_t y, int number) {
  const size_t k = (size_t)y*(size_t)r->width + (size_t)x;
  const int n = r->supersample;
  if (number < 2) {
    const int between = x % 2 || y % 2;
    const int small = r->fine[(y/TILE_SIDE)*r->tiles.columns + x/TILE_SIDE];
    if (between != number || (between && !small && interpolate(r, x, y))) return;
    r->mark[k] = trace(r, x + 0.5, y + 0.5, r->canvas + 3*k);
    return;
  }
  if (!r->mark[k]) return;
  float sum[3] = {0.0f, 0.0f, 0.0f}, colour[3];
  for (int j = 0; j < n*n; j++) {
    if (2*j + 1 == n*n) memcpy(colour, r->canvas + 3*k, sizeof colour);   // the middle is there
    else trace(r, x + (j % n + 0.5)/n, y + (j/n + 0.5)/n, colour);
    for (int c = 0; c < 3; c++)   // cut, or the edges of glints are jagged
      sum[c] += colour[c] < 1.0f ? colour[c] : 1.0f;
  }
  for (int c = 0; c < 3; c++) r->canvas[3*k + (size_t)c] = sum[c]/(float)(n*n);
}

static void *work(void *argument) {
  pass *p = argument;
  render *r = p->r;
  for (;;) {
    const int32_t first = TILE_SIDE*atomic_fetch_add(&p->next, 1);
    const int32_t last = first + TILE_SIDE < r->height ? first + TILE_SIDE : r->height;
    if (first >= r->height) return NULL;
    if (r->camera.flat && r->scene->liquid) liquid_rows(r, first, last);
    else if (r->camera.flat) flat_rows(r, first, last);
    for (int32_t y = first; y < last && !r->camera.flat; y++)
      for (int32_t x = 0; x < r->width; x++) draw_pixel(r, x, y, p->number);
  }
}

static void run_pass(render *r, int number) {
  pass p = {.r = r, .number = number};
  pthread_t thread[64];
  int32_t started = 0;
  for (; started < r->threads - 1 && started < 64; started++)
    if (pthread_create(&thread[started], NULL, work, &p) != 0) break;
  work(&p);
  for (int32_t k = 0; k < started; k++) pthread_join(thread[k], NULL);
}

// In a picture of marks: 1 where a neighbour to the right or below differs, and for that one, too.
static int differ(const render *r, size_t a, size_t b) {
  if (r->mark[a] != r->mark[b]) return 1;
  const unsigned char *one = r->pixel + 3*a, *two = r->pixel + 3*b;
  const int limit = r->mark[a] < MARK_LAYERS ? FLOOR_CONTRAST_MIN : CONTRAST_MIN;
  return abs(one[0] - two[0]) > limit || abs(one[1] - two[1]) > limit ||
         abs(one[2] - two[2]) > limit;
}

static int mark_edges(render *r) {
  const size_t width = (size_t)r->width, height = (size_t)r->height;
  unsigned char *edge = calloc(width*height + 1, 1);
  if (!edge) return 1;
  render_pixels(r);
  for (size_t y = 0; y < height; y++) {
    for (size_t x = 0; x < width; x++) {
      const size_t k = y*width + x;
      if (x + 1 < width && differ(r, k, k + 1)) edge[k] = edge[k + 1] = 1;
      if (y + 1 < height && differ(r, k, k + width)) edge[k] = edge[k + width] = 1;
    }
  }
  for (size_t k = 0; k < width*height; k++) r->mark[k] = edge[k];
  free(edge);
  return 0;
}

int render_draw(render *r, const render_scene *scene, const render_camera *camera) {
  r->scene = scene;
  r->camera = *camera;
  if (liquid_prepare(r)) return 1;
  if (camera->flat) {
    run_pass(r, 0);
    return 0;
  }
  if (scene_prepare(r)) return 1;
  run_pass(r, 0);
  run_pass(r, 1);
  if (r->supersample < 2) return 0;
  if (mark_edges(r)) return 1;
  run_pass(r, 2);
  return 0;
}

const unsigned char *render_pixels(render *r) {
  static unsigned char table[SRGB_TABLE_STEPS + 1];
  static int ready;
  for (int k = 0; k <= SRGB_TABLE_STEPS && !ready; k++) {
    const double x = (double)k/SRGB_TABLE_STEPS;
    const double s = x <= 0.0031308 ? 12.92*x : 1.055*pow(x, 1.0/2.4) - 0.055;
    table[k] = (unsigned char)floor(255.0*s + 0.5);
  }
  ready = 1;
  const size_t count = 3*(size_t)r->width*(size_t)r->height;
  for (size_t k = 0; k < count; k++) {
    const float x = r->canvas[k];
    const int last = SRGB_TABLE_STEPS;
    r->pixel[k] = table[x > 0.0f ? x < 1.0f ? (int)(x*SRGB_TABLE_STEPS + 0.5f) : last : 0];
  }
  return r->pixel;
}
