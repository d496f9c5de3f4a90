// flat.c: scenes in two dimensions, from above. Every shape is known by its distance from a point,
// in pixels; a pixel is covered by 1/2 - distance, between 0 and 1. So edges are sharp and smooth.
#include "picture.h"

static const float inside[3] = {0.965f, 0.972f, 0.98f}, solid_colour[3] = {0.72f, 0.76f, 0.82f},
                   line_colour[3] = {0.26f, 0.32f, 0.42f};

static double cover(double distance) { return clamp(0.5 - distance, 0.0, 1.0); }

static void blend(float *at, const float colour[3], double alpha) {
  for (int c = 0; c < 3; c++) at[c] += (float)alpha*(colour[c] - at[c]);
}

// A point in units for the middle of a pixel, and the canvas there.
static vec point_at(const render *r, int32_t x, int32_t y, float **at) {
  *at = r->canvas + 3*((size_t)y*(size_t)r->width + (size_t)x);
  const render_camera *camera = &r->camera;
  return (vec){camera->eye[0] + (x + 0.5 - 0.5*r->width)/camera->focal,
               camera->eye[1] - (y + 0.5 - 0.5*r->height)/camera->focal, 0.0};
}

static void draw_planes(const render *r, int32_t y) {
  const double focal = r->camera.focal, wide = fmax(2.0, 0.004*r->height);
  for (int32_t x = 0; x < r->width; x++) {
    float *at;
    const vec p = point_at(r, x, y, &at);
    double depth = -INFINITY;              // of the solid, in pixels; below 0: outside
    for (int32_t i = 0; i < r->scene->bodies; i++) {
      const render_body *body = &r->scene->body[i];
      if (body->shape == RENDER_PLANE)
        depth = fmax(depth, focal*(body->offset - dot(vec_of(body->extent), p)));
    }
    for (int c = 0; c < 3; c++) at[c] = inside[c];
    blend(at, line_colour, cover(-depth));
    blend(at, solid_colour, cover(wide - depth));
  }
}

static void draw_disc(const render *r, const render_body *body, const vec axis[3], double x,
                      double y, float *at) {
  const double focal = r->camera.focal, radius = focal*body->extent[0];
  const double u = focal*(axis[0].x*x + axis[0].y*y), v = focal*(axis[1].x*x + axis[1].y*y);
  const double away = sqrt(u*u + v*v), rim = fmax(1.0, 0.09*radius);
  float base[3], dark[3], edge[3];
  for (int c = 0; c < 3; c++) {
    base[c] = render_linear(body->colour[c]);
    dark[c] = 0.66f*base[c];
    edge[c] = 0.36f*base[c];
  }
  blend(at, edge, cover(away - radius));
  blend(at, base, cover(away - radius + rim));
  if (radius < 3.0) return;
  const double quarter = u*v > 0.0 ? -fmin(fabs(u), fabs(v)) : fmin(fabs(u), fabs(v));
  blend(at, dark, cover(quarter)*cover(away - radius + rim));
}

static void draw_rectangle(const render *r, const render_body *body, const vec axis[3], double x,
                           double y, float *at) {
  const double focal = r->camera.focal;
  const double u = focal*fabs(axis[0].x*x + axis[0].y*y) - focal*body->extent[0];
  const double v = focal*fabs(axis[1].x*x + axis[1].y*y) - focal*body->extent[1];
  const double away = fmax(u, v);
  const double rim = fmax(1.0, 0.08*focal*fmin(body->extent[0], body->extent[1]));
  float base[3], edge[3];
  for (int c = 0; c < 3; c++) {
    base[c] = render_linear(body->colour[c]);
    edge[c] = 0.36f*base[c];
  }
  blend(at, edge, cover(away));
  blend(at, base, cover(away + rim));
}

static void draw_body(const render *r, const render_body *body, int32_t first, int32_t last) {
  const double focal = r->camera.focal, *e = body->extent;
  const int hollow = body->shape == RENDER_HOLLOW;
  const double reach = focal*(body->shape == RENDER_BOX ? hypot(e[0], e[1]) : e[0]) + 4.0;
  double middle[2];
  render_project(&r->camera, body->position, middle);
  if (!(fabs(middle[0]) < 1e6 && fabs(middle[1]) < 1e6 && reach < 1e6)) return;
  vec axis[3];
  axes_of(body->orientation, axis);
  const int32_t left = (int32_t)fmax(middle[0] - reach, 0.0);
  const int32_t right = (int32_t)fmin(middle[0] + reach, r->width - 1.0);
  const int32_t top = (int32_t)fmax(middle[1] - reach, first);
  const int32_t low = (int32_t)fmin(middle[1] + reach, last - 1.0);
  for (int32_t y = top; y <= low; y++) {
    for (int32_t x = left; x <= right; x++) {
      float *at;
      const vec p = point_at(r, x, y, &at);
      const double dx = p.x - body->position[0], dy = p.y - body->position[1];
      if (hollow) blend(at, line_colour, cover(fabs(focal*(hypot(dx, dy) - e[0]) - 1.5) - 1.5));
      else if (body->shape == RENDER_BOX) draw_rectangle(r, body, axis, dx, dy, at);
      else draw_disc(r, body, axis, dx, dy, at);
    }
  }
}

void flat_rows(const render *r, int32_t first, int32_t last) {
  for (int32_t y = first; y < last; y++) draw_planes(r, y);
  for (int32_t i = 0; i < r->scene->bodies; i++)
    if (r->scene->body[i].shape != RENDER_PLANE) draw_body(r, &r->scene->body[i], first, last);
}
