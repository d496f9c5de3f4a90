// liquid.c: a liquid in two dimensions: its surface, its particles as discs, or its cells; then the
// solids around it. Also prepares a liquid in three dimensions for the rays.
#include <stdlib.h>
#include <string.h>

#include "picture.h"

static const float inside[3] = {0.965f, 0.972f, 0.98f}, solid_colour[3] = {0.72f, 0.76f, 0.82f},
                   line_colour[3] = {0.26f, 0.32f, 0.42f};
static const double dot_radius = 0.6;   // in distances between particles

void liquid_colour(const render *r, double value, float linear[3]) {
  const double x = 255.0*clamp(value, 0.0, 1.0);
  const int k = x < 254.0 ? (int)x : 254;
  for (int c = 0; c < 3; c++)
    linear[c] = r->palette[k][c] + (float)(x - k)*(r->palette[k + 1][c] - r->palette[k][c]);
}

// Some light comes through thin liquid.
double liquid_light(const render *r, vec point, vec way) {
  const field *f = &r->field;
  if (f->n[0] == 0) return 1.0;
  const double thick = field_thickness(f, along(point, 2.0*f->step, way), way);
  return thick > 0.0 ? 0.25 + 0.75*exp(-thick/(4.0*r->scene->liquid->gap)) : 1.0;
}

static double dot_size(const render *r) {   // in pixels
  return most(dot_radius*r->scene->liquid->gap*r->camera.focal, 0.7);
}

static double row_of(const render *r, int64_t p) {
  const double y = (double)r->scene->liquid->position[3*p + 1];
  return 0.5*r->height - r->camera.focal*(y - r->camera.eye[1]);
}

static int32_t bin_of(const render *r, int64_t p) {
  return (int32_t)clamp(row_of(r, p), 0.0, r->height - 1.0);
}

static int sort_particles(render *r) {
  const int64_t count = r->scene->liquid->count;
  if (!r->row) r->row = malloc(((size_t)r->height + 2)*sizeof *r->row);
  if (count > r->order_room) {
    free(r->order);
    r->order = malloc((size_t)count*sizeof *r->order);
    r->order_room = r->order ? count : 0;
  }
  if (!r->row || (count && !r->order) || count > INT32_MAX) return 1;
  memset(r->row, 0, ((size_t)r->height + 2)*sizeof *r->row);
  for (int64_t p = 0; p < count; p++) r->row[bin_of(r, p) + 2]++;
  for (int32_t y = 2; y <= r->height + 1; y++) r->row[y] += r->row[y - 1];
  for (int64_t p = 0; p < count; p++) r->order[r->row[bin_of(r, p) + 1]++] = (int32_t)p;
  return 0;
}

int liquid_prepare(render *r) {
  const render_liquid *liquid = r->scene->liquid;
  r->field.n[0] = 0;
  if (!liquid) return 0;
  for (int k = 0; k < 256; k++)
    for (int c = 0; c < 3; c++) r->palette[k][c] = render_linear(liquid->palette[k][c]);
  if (liquid->cell) return 0;
  if (liquid->surface) return field_make(&r->field, liquid, r->scene->dimension, r->threads);
  return r->camera.flat ? sort_particles(r) : 0;
}

// ------------------------------------------------------------------------------ in two dimensions

static double cover(double distance) { return clamp(0.5 - distance, 0.0, 1.0); }

static void blend(float *at, const float colour[3], double alpha) {
  for (int c = 0; c < 3; c++) at[c] += (float)alpha*(colour[c] - at[c]);
}

static vec point_at(const render *r, int32_t x, int32_t y, float **at) {
  *at = r->canvas + 3*((size_t)y*(size_t)r->width + (size_t)x);
  return (vec){r->camera.eye[0] + (x + 0.5 - 0.5*r->width)/r->camera.focal,
               r->camera.eye[1] - (y + 0.5 - 0.5*r->height)/r->camera.focal, 0.0};
}

// Distance from a solid, negative in it.
static double distance_from(const render_body *body, const vec axis[3], vec p) {
  const double *e = body->extent;
  if (body->shape == RENDER_PLANE) return dot(vec_of(e), p) - body->offset;
  const vec d = minus(p, vec_of(body->position));
  if (body->shape == RENDER_SPHERE) return hypot(d.x, d.y) - e[0];
  if (body->shape == RENDER_HOLLOW) return e[0] - hypot(d.x, d.y);
  const double u = fabs(axis[0].x*d.x + axis[0].y*d.y) - e[0];
  const double v = fabs(axis[1].x*d.x + axis[1].y*d.y) - e[1];
  const double away = hypot(most(u, 0.0), most(v, 0.0)) + least(most(u, v), 0.0);
  return body->shape == RENDER_TANK ? -away : away;
}

// From the nearest solid, or side of the box.
static double free_at(const render *r, vec p) {
  const double *size = r->scene->liquid->size;
  double away = least(least(p.x, size[0] - p.x), least(p.y, size[1] - p.y));
  for (int32_t i = 0; i < r->scene->bodies; i++) {
    const render_body *body = &r->scene->body[i];
    vec axis[3];
    axes_of(body->orientation, axis);
    away = least(away, distance_from(body, axis, p));
  }
  return away;
}

// Particles stay a little away from walls; the liquid does not.
static void draw_surface(const render *r, int32_t first, int32_t last) {
  for (int32_t y = first; y < last; y++) {
    for (int32_t x = 0; x < r->width; x++) {
      float *at, colour[3];
      const vec p = point_at(r, x, y, &at);
      const double depth = field_depth(&r->field, p), gap = r->scene->liquid->gap;
      if (depth < -0.8*gap) continue;
      const double wet = depth + clamp(0.8*gap - free_at(r, p), 0.0, 0.8*gap);
      const double share = cover(-r->camera.focal*(depth > 0.0 ? depth : wet));
      if (share <= 0.0) continue;
      liquid_colour(r, field_value(&r->field, p), colour);
      blend(at, colour, share);
    }
  }
}

static void draw_dots(const render *r, int32_t first, int32_t last) {
  const render_liquid *liquid = r->scene->liquid;
  const double size = dot_size(r);
  const int32_t low = (int32_t)most(first - size - 1.0, 0.0);
  const int32_t high = (int32_t)least(last + size + 1.0, r->height - 1.0);
  for (int32_t k = r->row[low]; k < r->row[high + 1]; k++) {
    const int32_t p = r->order[k];
    const double v = row_of(r, p), u = 0.5*r->width + r->camera.focal*
                                       ((double)liquid->position[3*(size_t)p] - r->camera.eye[0]);
    float colour[3];
    liquid_colour(r, (double)liquid->value[p], colour);
    const int32_t left = (int32_t)most(u - size - 1.0, 0.0);
    const int32_t right = (int32_t)least(u + size + 1.0, r->width - 1.0);
    const int32_t top = (int32_t)most(v - size - 1.0, first);
    const int32_t bottom = (int32_t)least(v + size + 1.0, last - 1.0);
    for (int32_t y = top; y <= bottom; y++) {
      for (int32_t x = left; x <= right; x++) {
        const double dx = x + 0.5 - u, dy = y + 0.5 - v;
        const double share = cover(sqrt(dx*dx + dy*dy) - size);
        if (share > 0.0)
          blend(r->canvas + 3*((size_t)y*(size_t)r->width + (size_t)x), colour, share);
      }
    }
  }
}

// What a cell shows; edges of cells are sharp, four samples a pixel.
static void draw_cells(const render *r, int32_t first, int32_t last) {
  const render_liquid *liquid = r->scene->liquid;
  const double across_x = liquid->cells[0]/liquid->size[0];
  const double across_y = liquid->cells[1]/liquid->size[1], quarter = 0.25/r->camera.focal;
  for (int32_t y = first; y < last; y++) {
    for (int32_t x = 0; x < r->width; x++) {
      float *at, colour[3], sum[3] = {0.0f, 0.0f, 0.0f};
      const vec p = point_at(r, x, y, &at);
      int wet = 0;
      for (int s = 0; s < 4; s++) {
        const double i = floor((p.x + (s % 2 ? quarter : -quarter))*across_x);
        const double j = floor((p.y + (s/2 ? quarter : -quarter))*across_y);
        if (!(i >= 0.0 && j >= 0.0 && i < liquid->cells[0] && j < liquid->cells[1])) continue;
        const float value = liquid->cell[(size_t)j*(size_t)liquid->cells[0] + (size_t)i];
        if (value < 0.0f) continue;
        wet++;
        liquid_colour(r, (double)value, colour);
        for (int c = 0; c < 3; c++) sum[c] += colour[c];
      }
      for (int c = 0; c < 3 && wet; c++) sum[c] /= (float)wet;
      blend(at, sum, 0.25*wet);
    }
  }
}

static void draw_solids(const render *r, int32_t first, int32_t last) {
  const double focal = r->camera.focal;
  const double wide = most(1.0, 0.0022*r->height);   // half of the line
  for (int32_t y = first; y < last; y++) {
    for (int32_t x = 0; x < r->width; x++) {
      float *at;
      const vec p = point_at(r, x, y, &at);
      const double away = free_at(r, p);
      blend(at, solid_colour, cover(focal*away));
      blend(at, line_colour, 0.8*cover(fabs(focal*away + wide) - wide));
    }
  }
}

void liquid_rows(const render *r, int32_t first, int32_t last) {
  const render_liquid *liquid = r->scene->liquid;
  for (int32_t y = first; y < last; y++)
    for (int32_t x = 0; x < r->width; x++)
      memcpy(r->canvas + 3*((size_t)y*(size_t)r->width + (size_t)x), inside, sizeof inside);
  if (liquid->cell) draw_cells(r, first, last);
  else if (liquid->surface) draw_surface(r, first, last);
  else draw_dots(r, first, last);
  draw_solids(r, first, last);
}
