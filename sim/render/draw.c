// draw.c: the canvas. A ray through the middle of every pixel first; where neighbours show something
// else, or differ much, supersample^2 rays, averaged. Rows of tiles are shared by the threads; no
// pixel depends on who draws it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "picture.h"

enum { STEPS = 16384 };              // of the table from linear to sRGB: a fifth of a level at most
static const float contrast = 0.05f; // a step in a channel that is worth more rays

typedef struct pass {
  render *r;
  atomic_int next;
  int second;
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
  bins_free(&r->tiles);
  bins_free(&r->shade);
  bins_free(&r->close);
  free(r);
}

void canvas_blend(render *r, int32_t x, int32_t y, const float linear[3], double alpha) {
  if (x < 0 || y < 0 || x >= r->width || y >= r->height) return;
  float *at = r->canvas + 3*((size_t)y*(size_t)r->width + (size_t)x);
  for (int c = 0; c < 3; c++) at[c] += (float)alpha*(linear[c] - at[c]);
}

static void draw_pixel(render *r, int32_t x, int32_t y, int second) {
  const size_t k = (size_t)y*(size_t)r->width + (size_t)x;
  const int n = r->supersample;
  if (!second) {
    r->mark[k] = trace(r, x + 0.5, y + 0.5, r->canvas + 3*k);
    return;
  }
  if (!r->mark[k]) return;
  float sum[3] = {0.0f, 0.0f, 0.0f}, colour[3];
  for (int j = 0; j < n*n; j++) {
    trace(r, x + (j % n + 0.5)/n, y + (j/n + 0.5)/n, colour);
    for (int c = 0; c < 3; c++) sum[c] += fminf(colour[c], 1.0f);   // or edges of light stay jagged
  }
  for (int c = 0; c < 3; c++) r->canvas[3*k + (size_t)c] = sum[c]/(float)(n*n);
}

static void *work(void *argument) {
  pass *p = argument;
  render *r = p->r;
  for (;;) {
    const int32_t first = TILE*atomic_fetch_add(&p->next, 1);
    const int32_t last = first + TILE < r->height ? first + TILE : r->height;
    if (first >= r->height) return NULL;
    if (r->camera.flat) flat_rows(r, first, last);
    for (int32_t y = first; y < last && !r->camera.flat; y++)
      for (int32_t x = 0; x < r->width; x++) draw_pixel(r, x, y, p->second);
  }
}

static void run_pass(render *r, int second) {
  pass p = {.r = r, .second = second};
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
  for (size_t c = 0; c < 3; c++) {
    const float one = sqrtf(fminf(r->canvas[3*a + c], 1.0f)), two = sqrtf(fminf(r->canvas[3*b + c], 1.0f));
    if (fabsf(one - two) > contrast) return 1;
  }
  return 0;
}

static int mark_edges(render *r) {
  const size_t width = (size_t)r->width, height = (size_t)r->height;
  unsigned char *edge = calloc(width*height + 1, 1);
  if (!edge) return 1;
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
  if (camera->flat) {
    run_pass(r, 0);
    return 0;
  }
  if (scene_prepare(r)) return 1;
  run_pass(r, 0);
  if (r->supersample < 2) return 0;
  if (mark_edges(r)) return 1;
  run_pass(r, 1);
  return 0;
}

const unsigned char *render_pixels(render *r) {
  static unsigned char table[STEPS + 1];
  static int ready;
  for (int k = 0; k <= STEPS && !ready; k++) {
    const double x = (double)k/STEPS;
    const double s = x <= 0.0031308 ? 12.92*x : 1.055*pow(x, 1.0/2.4) - 0.055;
    table[k] = (unsigned char)floor(255.0*s + 0.5);
  }
  ready = 1;
  const size_t count = 3*(size_t)r->width*(size_t)r->height;
  for (size_t k = 0; k < count; k++) {
    const float x = r->canvas[k];
    r->pixel[k] = table[x > 0.0f ? x < 1.0f ? (int)(x*STEPS + 0.5f) : STEPS : 0];
  }
  return r->pixel;
}
