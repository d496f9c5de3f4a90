// light.c: shadows with soft edges, and the shade between bodies that are close.
//
// The sun is a disc with the radius s = sun_radius. A body at distance t towards it covers a share of
// it that goes from 0 to 1 while the distance to the edge of its shadow goes from t s to -t s. Shares
// are added, so that no light comes through the joints of a wall.
#include "picture.h"

static const double sun_radius = 0.055;   // radians, as seen from the scene
static const double shade_reach = 0.8;    // distance within which a body shades, in its sizes

static double covered(double distance, double width) {
  return width > 0.0 ? 1.0 - smooth(-width, width, distance) : distance < 0.0;
}

static double behind_sphere(const render *r, const solid *s, vec point) {
  const vec to = minus(s->center, point);
  const double t = dot(to, r->sun), radius = s->half.x;
  if (t <= 0.0) return 0.0;
  const double distance = sqrt(most(dot(to, to) - t*t, 0.0)) - radius;
  return covered(distance, least(sun_radius*t, radius));
}

static double behind_box(const render *r, const solid *s, vec point, double x, double y) {
  double distance = -INFINITY, way = 0.0;
  int side = 0;
  for (int k = 0; k < 3; k++) {
    const double at = s->edge[k][0]*(x - s->foot[0]) + s->edge[k][1]*(y - s->foot[1]);
    if (fabs(at) - s->edge[k][2] <= distance) continue;
    distance = fabs(at) - s->edge[k][2];
    way = at < 0.0 ? -1.0 : 1.0;
    side = k;
  }
  if (distance > s->size) return 0.0;
  // How far away the box is, on the ray or on the nearest one that meets it.
  vec from = point;
  if (distance > -1e-3*s->size) {
    const double move = -way*(distance + 2e-3*s->size);
    from = along(along(point, move*s->edge[side][0], r->sun_east), move*s->edge[side][1],
                 r->sun_north);
  }
  double leave;
  const double enter = box_hit(s, into(s->axis, minus(from, s->center)), into(s->axis, r->sun),
                               &leave, NULL);
  if (!(leave > 1e-9*s->size) || isinf(enter)) return 0.0;
  return covered(distance, least(sun_radius*most(enter, 0.0), s->size));
}

// The list of a cell; its length.
static int32_t cell_items(const bins *what, const double at[2], double cell, double x, double y,
                          const int32_t **items) {
  const double column = (x - at[0])/cell, row = (y - at[1])/cell;
  if (!(column >= 0.0 && row >= 0.0 && column < what->columns && row < what->rows)) return 0;
  const int64_t k = (int64_t)row*what->columns + (int64_t)column;
  *items = what->item + what->start[k];
  return what->start[k + 1] - what->start[k];
}

static double pow6(double x) { return x*x*x*x*x*x; }

double light_sun(const render *r, vec point, int32_t self) {
  const double x = dot(point, r->sun_east), y = dot(point, r->sun_north);
  const int32_t *items;
  const int32_t count = cell_items(&r->shade, r->shade_at, r->shade_cell, x, y, &items);
  double sum = 0.0;
  for (int32_t k = 0; k < count && sum < 1.0; k++) {
    const solid *s = &r->solid[items[k]];
    if (s->index == self) continue;
    sum += s->shape == RENDER_BOX ? behind_box(r, s, point, x, y) : behind_sphere(r, s, point);
  }
  for (int32_t k = 0; k < r->shells; k++) {   // glass takes a little, more at its rim
    const vec to = minus(r->shell[k].center, point);
    const double t = dot(to, r->sun), radius = r->shell[k].radius;
    if (t <= 0.0 || self >= 0) continue;
    const double distance = sqrt(most(dot(to, to) - t*t, 0.0))/radius;
    sum += covered(radius*(distance - 1.0), sun_radius*t)*(0.07 + 0.18*pow6(least(distance, 1.0)));
  }
  return most(1.0 - sum, 0.0)*liquid_light(r, point, r->sun);
}

static double dims(double gap, double reach, double facing) {
  if (gap >= reach) return 0.0;
  const double part = 1.0 - most(gap, 0.0)/reach;
  return 0.75*part*part*clamp(0.35 + 0.65*facing, 0.0, 1.0);
}

double light_open(const render *r, vec point, vec normal, int32_t self) {
  const int32_t *items;
  const int32_t count = cell_items(&r->close, r->close_at, r->close_cell, dot(point, r->east),
                                   dot(point, r->north), &items);
  double open = 1.0;
  for (int32_t k = 0; k < count; k++) {
    const solid *s = &r->solid[items[k]];
    if (s->index == self) continue;
    const vec to = minus(s->center, point);
    const double square = dot(to, to), far = s->reach + shade_reach*s->size;
    if (square > far*far) continue;
    if (s->shape == RENDER_SPHERE) {
      const double distance = sqrt(square);
      open *= 1.0 - dims(distance - s->half.x, shade_reach*s->size,
                         distance > 0.0 ? dot(to, normal)/distance : 1.0);
    } else {
      const vec at = times(-1.0, into(s->axis, to));
      const vec nearest = {clamp(at.x, -s->half.x, s->half.x), clamp(at.y, -s->half.y, s->half.y),
                           clamp(at.z, -s->half.z, s->half.z)};
      const vec way = out_of(s->axis, minus(nearest, at));
      const double gap = norm(way);
      open *= 1.0 - dims(gap, shade_reach*s->size, gap > 1e-9*s->size ? dot(way, normal)/gap : 0.0);
    }
  }
  for (int32_t k = 0; self >= 0 && k < r->floors; k++) {
    const floor_plane *f = &r->floor[k];
    if (f->kind > FLOOR_SLOPE) continue;
    open *= 1.0 - dims(dot(f->normal, point) - f->offset, 0.06*r->scene->radius,
                       -dot(f->normal, normal));
  }
  return open;
}
