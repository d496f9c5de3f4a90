// prepare.c: a scene made ready for rays: bodies in three planes of cells (the picture, the plane
// across the sunlight, the plane across up), floors, shells, glass.
#include <stdlib.h>

#include "picture.h"

static solid solid_of(const render *r, const render_body *body, int32_t index) {
  solid s = {.shape = body->shape, .index = index, .center = vec_of(body->position)};
  const double *e = body->extent;
  const int box = body->shape == RENDER_BOX || body->shape == RENDER_TANK;
  axes_of(body->orientation, s.axis);
  s.half = box ? vec_of(e) : (vec){e[0], e[0], e[0]};
  s.reach = box ? norm(s.half) : e[0];
  s.size = box ? fmin(fmin(e[0], e[1]), e[2]) : e[0];
  s.eye = into(s.axis, minus(r->eye, s.center));
  s.from = minus(s.center, r->eye);
  s.tangent = dot(s.from, s.from) - s.reach*s.reach;
  s.near = norm(s.from) - s.reach;
  s.foot[0] = dot(s.center, r->sun_east);
  s.foot[1] = dot(s.center, r->sun_north);
  for (int c = 0; c < 3; c++) s.albedo[c] = render_linear(body->colour[c]);
  // The shadow of a box is a sum of three segments g_k = half_k axis_k: a hexagon whose sides are
  // parallel to them, |n_k . x| <= sum_j |n_k . g_j| with n_k across g_k.
  double g[3][2];
  for (int k = 0; k < 3; k++) {
    const double half = k == 0 ? s.half.x : k == 1 ? s.half.y : s.half.z;
    g[k][0] = half*dot(s.axis[k], r->sun_east);
    g[k][1] = half*dot(s.axis[k], r->sun_north);
  }
  for (int k = 0; k < 3; k++) {
    const double length = hypot(g[k][0], g[k][1]);
    if (!(length > 1e-9*s.reach)) {
      s.edge[k][2] = s.reach;   // along the light: no side
      continue;
    }
    s.edge[k][0] = -g[k][1]/length;
    s.edge[k][1] = g[k][0]/length;
    for (int j = 0; j < 3; j++)
      s.edge[k][2] += fabs(s.edge[k][0]*g[j][0] + s.edge[k][1]*g[j][1]);
  }
  return s;
}

static double nice(double x) {   // 1, 2 or 5 times a power of ten, at most x
  const double ten = pow(10.0, floor(log10(x)));
  return x >= 5.0*ten ? 5.0*ten : x >= 2.0*ten ? 2.0*ten : ten;
}

static void add_floor(render *r, vec normal, double offset, floor_kind kind) {
  if (r->floors == FLOORS_MAX) return;
  const vec center = vec_of(r->scene->center);
  const vec level = fabs(normal.z) < 0.9 ? (vec){0.0, 0.0, 1.0} : (vec){1.0, 0.0, 0.0};
  const vec east = unit(cross(kind == FLOOR_WALL ? r->up : level, normal));
  r->floor[r->floors++] = (floor_plane){
      .normal = normal, .offset = offset, .east = east, .north = cross(normal, east),
      .middle = along(center, offset - dot(center, normal), normal),
      .tile = nice(r->scene->radius*0.25), .kind = kind};
}

// Spheres and boxes; large fixed boxes are of glass, or they would hide what they hold.
static void collect(render *r) {
  const render_scene *scene = r->scene;
  r->solids = r->planes = r->floors = r->shells = r->glasses = 0;
  for (int32_t i = 0; i < scene->bodies; i++) {
    const render_body *body = &scene->body[i];
    const vec at = vec_of(body->position);
    if (body->shape == RENDER_PLANE) {
      const half_space plane = {vec_of(body->extent), body->offset};
      if (r->planes < PLANES_MAX) r->plane[r->planes++] = plane;
      const double rise = dot(plane.normal, r->up);   // a ceiling would only be in the way
      if (rise > -0.5)
        add_floor(r, plane.normal, plane.offset, rise > 0.95  ? FLOOR_GROUND
                                                 : rise > 0.5 ? FLOOR_SLOPE
                                                              : FLOOR_WALL);
    } else if (body->shape == RENDER_HOLLOW) {
      if (r->shells < SHELLS_MAX) r->shell[r->shells++] = (shell){at, body->extent[0]};
    } else {
      const solid s = solid_of(r, body, i);
      if (!isfinite(s.near)) continue;
      const int large = body->fixed && s.shape == RENDER_BOX && s.reach > 0.45*scene->radius;
      const int tank = s.shape == RENDER_TANK;
      if ((large || tank) && r->glasses < GLASSES_MAX) r->glass[r->glasses++] = s;
      else if (!tank) r->solid[r->solids++] = s;
    }
  }
  for (int32_t k = 0; k < r->floors; k++)
    if (r->floor[k].kind <= FLOOR_SLOPE) return;
  if (r->shells == 0) return;
  double lowest = INFINITY;
  for (int32_t k = 0; k < r->shells; k++)
    lowest = fmin(lowest, dot(r->shell[k].center, r->up) - r->shell[k].radius);
  add_floor(r, r->up, lowest, FLOOR_STAGE);   // for shadows
}

static int nearer(const void *a, const void *b) {
  const solid *s = a, *t = b;
  return s->near != t->near ? (s->near < t->near ? -1 : 1)
                            : (s->index > t->index) - (s->index < t->index);
}

static int32_t cell_of(double x) { return (int32_t)clamp(floor(x), -1e6, 1e6); }

// Pixels that a body can be in. With z the depth of the centre and x its distance from the axis, a
// point of the ball is at most f r sqrt(z^2 + x^2)/(z (z - r)) from where the centre is seen.
static void range_of_pixels(const render *r, const solid *s, int32_t range[4]) {
  const vec from = s->from;
  const double z = -dot(from, r->back), f = r->camera.focal, b = s->reach;
  const double place[2] = {dot(from, r->right), -dot(from, r->top)};
  const double middle[2] = {0.5*r->width, 0.5*r->height};
  const double low = 1e-9*b;
  for (int c = 0; c < 2; c++) {
    range[2*c] = -1, range[2*c + 1] = 1 << 20;
    if (z + b <= low) range[2*c] = 0, range[2*c + 1] = -1;   // behind the camera
    if (z - b <= 1e-3*b) continue;
    const double at = middle[c] + f*place[c]/z;
    const double reach = 1.0 + f*b*sqrt(z*z + place[c]*place[c])/(z*(z - b));
    range[2*c] = cell_of((at - reach)/TILE_SIDE), range[2*c + 1] = cell_of((at + reach)/TILE_SIDE);
  }
}

// Cells of a plane with axes u and v: as wide as a middling body, at most 400 a side.
static int fill_plane(render *r, bins *what, vec u, vec v, double grow, double origin[2],
                      double *cell) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, mean = 0.0;
  for (int32_t i = 0; i < r->solids; i++) {
    const solid *s = &r->solid[i];
    const double place[2] = {dot(s->center, u), dot(s->center, v)}, reach = s->reach + grow*s->size;
    for (int c = 0; c < 2; c++) {
      low[c] = fmin(low[c], place[c] - reach);
      high[c] = fmax(high[c], place[c] + reach);
    }
    mean += s->reach/r->solids;
  }
  if (r->solids == 0) low[0] = low[1] = 0.0, high[0] = high[1] = mean = 1.0;
  *cell = fmax(mean, fmax(high[0] - low[0], high[1] - low[1])/400.0);
  origin[0] = low[0], origin[1] = low[1];
  for (int32_t i = 0; i < r->solids; i++) {
    const solid *s = &r->solid[i];
    const double place[2] = {dot(s->center, u), dot(s->center, v)}, reach = s->reach + grow*s->size;
    for (int c = 0; c < 2; c++) {
      r->range[i][2*c] = cell_of((place[c] - reach - low[c]) / *cell);
      r->range[i][2*c + 1] = cell_of((place[c] + reach - low[c]) / *cell);
    }
  }
  return bins_fill(what, (int32_t)((high[0] - low[0]) / *cell) + 1,
                   (int32_t)((high[1] - low[1]) / *cell) + 1, r->range, r->solids);
}

// Tiles with bodies of a few pixels, between whose rays something could be missed.
static int mark_fine(render *r) {
  const size_t count = (size_t)r->tiles.columns*(size_t)r->tiles.rows;
  if (!r->fine) r->fine = malloc(count);
  if (!r->fine) return 1;
  for (size_t k = 0; k < count; k++) {
    r->fine[k] = 0;
    for (int32_t i = r->tiles.start[k]; i < r->tiles.start[k + 1]; i++) {
      const solid *s = &r->solid[r->tiles.item[i]];
      if (r->camera.focal*s->size < 5.0*(s->near + s->reach)) r->fine[k] = 1;
    }
  }
  return 0;
}

// And those that an edge of a tank crosses: its lines are a pixel wide.
static void mark_edges_of(render *r, const solid *tank) {
  enum { EDGE_SAMPLES = 400 };
  const double half[3] = {tank->half.x, tank->half.y, tank->half.z};
  for (int edge = 0; edge < 12; edge++) {
    const int c = edge/4, d = (c + 1) % 3, e = (c + 2) % 3;
    for (int k = 0; k <= EDGE_SAMPLES; k++) {
      double at[3], pixel[2];
      at[c] = half[c]*(2.0*k/EDGE_SAMPLES - 1.0);
      at[d] = edge & 1 ? half[d] : -half[d];
      at[e] = edge & 2 ? half[e] : -half[e];
      const vec point = plus(tank->center, out_of(tank->axis, vec_of(at)));
      const double place[3] = {point.x, point.y, point.z};
      if (!render_project(&r->camera, place, pixel)) continue;
      for (int side = 0; side < 4; side++) {
        const double x = (pixel[0] + (side & 1 ? 2.0 : -2.0))/TILE_SIDE;
        const double y = (pixel[1] + (side & 2 ? 2.0 : -2.0))/TILE_SIDE;
        if (x >= 0.0 && y >= 0.0 && x < r->tiles.columns && y < r->tiles.rows)
          r->fine[(int64_t)y*r->tiles.columns + (int64_t)x] = 1;
      }
    }
  }
}

int scene_prepare(render *r) {
  const render_scene *scene = r->scene;
  if (scene->bodies >= r->room) {
    free(r->solid);
    free(r->range);
    r->room = scene->bodies + 1;
    r->solid = malloc((size_t)r->room*sizeof *r->solid);
    r->range = malloc((size_t)r->room*sizeof *r->range);
    if (!r->solid || !r->range) {
      r->room = 0;
      return 1;
    }
  }
  r->eye = vec_of(r->camera.eye);
  r->right = vec_of(r->camera.right);
  r->top = vec_of(r->camera.top);
  r->back = vec_of(r->camera.back);
  r->up = unit(vec_of(scene->up));
  r->east = across(r->up);
  r->north = cross(r->up, r->east);
  // The sun stands over the viewer's left shoulder and moves with the camera.
  const vec level = unit(cross(r->right, r->up));   // to the viewer
  r->sun = unit(along(along(r->up, -0.6, r->right), 0.3, level));
  r->sun_east = across(r->sun);
  r->sun_north = cross(r->sun, r->sun_east);
  r->pixel_angle = 1.0/r->camera.focal;
  collect(r);
  qsort(r->solid, (size_t)r->solids, sizeof *r->solid, nearer);
  for (int32_t i = 0; i < r->solids; i++) range_of_pixels(r, &r->solid[i], r->range[i]);
  if (bins_fill(&r->tiles, (r->width + TILE_SIDE - 1)/TILE_SIDE,
                (r->height + TILE_SIDE - 1)/TILE_SIDE, r->range, r->solids))
    return 1;
  if (mark_fine(r)) return 1;
  for (int32_t k = 0; k < r->glasses; k++)
    if (r->glass[k].shape == RENDER_TANK) mark_edges_of(r, &r->glass[k]);
  if (fill_plane(r, &r->shade, r->sun_east, r->sun_north, 1.0, r->shade_at, &r->shade_cell))
    return 1;
  return fill_plane(r, &r->close, r->east, r->north, 0.8, r->close_at, &r->close_cell);
}
