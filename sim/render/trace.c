// trace.c: what is seen along a ray: the nearest sphere, box or liquid; floors, shells and glass in
// front of it; the sky behind everything. Spheres are two-tone, so that one sees them turn; boxes
// have soft edges.
#include "picture.h"

typedef struct layer { double t, alpha; float colour[3]; } layer;
enum { LAYERS_MAX = FLOORS_MAX + 2*SHELLS_MAX + 2*GLASSES_MAX };

static const double sky_light = 0.62, ground_light = 0.34, sun_light = 0.86, lamp_light = 0.10;

static void sky_at(double part, float colour[3]) {   // 0 at the top of the picture, 1 at its foot
  static const float high[3] = {0.78f, 0.84f, 0.92f}, low[3] = {0.96f, 0.965f, 0.97f};
  const float s = (float)smooth(0.0, 0.75, part);
  for (int c = 0; c < 3; c++) colour[c] = high[c] + s*(low[c] - high[c]);
}

double box_hit(const solid *box, vec from, vec way, double *leave, int *face) {
  const double p[3] = {from.x, from.y, from.z}, d[3] = {way.x, way.y, way.z};
  const double half[3] = {box->half.x, box->half.y, box->half.z};
  double enter = -INFINITY, out = INFINITY;
  int at = 0;
  for (int k = 0; k < 3; k++) {
    if (fabs(d[k]) < 1e-300) {
      if (fabs(p[k]) > half[k]) return INFINITY;
      continue;
    }
    const double one = (-half[k] - p[k])/d[k], two = (half[k] - p[k])/d[k];
    const double low = least(one, two), high = most(one, two);
    if (low > enter) enter = low, at = k;
    if (high < out) out = high;
  }
  *leave = out;
  if (face) *face = at;
  return enter <= out ? enter : INFINITY;
}

static double sphere_hit(const solid *s, vec way) {
  const double b = dot(s->from, way), square = b*b - s->tangent;
  return square > 0.0 && b > 0.0 ? b - sqrt(square) : INFINITY;
}

// Two sectors of four are darker, and one of the caps at the poles.
static double sphere_tone(vec p) {
  if (fabs(p.z) > 0.9) return p.z > 0.0 ? 1.0 : 0.68;
  return p.x*p.y > 0.0 ? 0.68 : 1.0;
}

// The normal of a box leans outwards near its edges, as if they were rounded.
static vec box_normal(const solid *s, vec at, int face) {
  const double p[3] = {at.x, at.y, at.z}, half[3] = {s->half.x, s->half.y, s->half.z};
  double n[3];
  const double bevel = least(0.14*s->size, 0.5*s->size);
  for (int k = 0; k < 3; k++) {
    const double edge = half[k] - fabs(p[k]), lean = clamp(1.0 - edge/bevel, 0.0, 1.0);
    n[k] = k == face ? 1.0 : 0.7*lean*lean;
    if (p[k] < 0.0) n[k] = -n[k];
  }
  return unit(out_of(s->axis, vec_of(n)));
}

static void shade(const render *r, const solid *s, vec point, vec flat, vec normal, vec way,
                  double tone, float colour[3]) {
  const double facing = dot(normal, r->sun);
  const double open = light_open(r, point, flat, s->index);
  const double sun = facing > 0.0 ? facing*light_sun(r, point, s->index) : 0.0;
  const double sky = 0.5 + 0.5*dot(normal, r->up);
  const double ambient = open*(ground_light + sky*(sky_light - ground_light));
  const double lamp = lamp_light*open*most(-dot(normal, way), 0.0);
  const vec half = unit(minus(r->sun, way));
  double gloss = most(dot(half, normal), 0.0);
  for (int k = 0; k < 5; k++) gloss *= gloss;      // to the 32nd power
  const double rim = 1.0 + least(dot(normal, way), 0.0);   // 0 in the middle, 1 at the outline
  const double spark = (facing > 0.0 ? 0.22*gloss*(sun > 0.0 ? sun/facing : 0.0) : 0.0) +
                       0.06*open*rim*rim*rim;
  for (int c = 0; c < 3; c++) {
    const double warm = c == 0 ? 1.02 : c == 1 ? 1.0 : 0.95, cool = c == 2 ? 1.06 : 1.0;
    colour[c] = (float)(tone*s->albedo[c]*(cool*ambient + lamp + warm*sun_light*sun) + spark);
  }
}

static void shade_liquid(const render *r, vec point, vec way, float colour[3]) {
  solid s = {.index = -1};
  const vec normal = field_normal(&r->field, point);
  liquid_colour(r, field_value(&r->field, point), s.albedo);
  shade(r, &s, point, normal, normal, way, 1.0, colour);
}

static double fraction(double x) {   // no call, unlike floor(); a floor ends long before 1e9 tiles
  const double whole = (double)(int64_t)clamp(x, -1e9, 1e9);
  return x < whole ? x - whole + 1.0 : x - whole;
}

// A chequered pattern, averaged over a square of side w.
static double chequered(double u, double v, double w) {
  const double a = fabs(fraction(0.5*(u - 0.5*w)) - 0.5) - fabs(fraction(0.5*(u + 0.5*w)) - 0.5);
  const double b = fabs(fraction(0.5*(v - 0.5*w)) - 0.5) - fabs(fraction(0.5*(v + 0.5*w)) - 0.5);
  return 0.5 - 0.5*(2.0*a/w)*(2.0*b/w);
}

// How much of a square of side w, in tiles, is on a line of the grid, two pixels wide.
static double on_line(double u, double w) {
  const double away = 0.5 - fabs(fraction(u) - 0.5);
  return clamp(0.5 + (1.1*w - away)/w, 0.0, 1.0);
}

// A wall, or a floor from below: thin glass with a grid, so that one sees where it is.
static void pane_layer(const floor_plane *f, vec from, double wide, int front, layer *out) {
  static const float milk[3] = {0.40f, 0.47f, 0.58f};
  const double grid = most(on_line(dot(from, f->east)/f->tile, wide),
                           on_line(dot(from, f->north)/f->tile, wide))*
                      (1.0 - smooth(0.08, 0.3, wide));
  const double veil = front ? 0.10 : 0.06;
  out->alpha *= veil + (front ? 0.26 : 0.16)*grid;
  for (int c = 0; c < 3; c++) out->colour[c] = milk[c];
}

static int floor_layer(const render *r, const floor_plane *f, vec way, double limit, layer *out) {
  const double slope = -dot(f->normal, way);
  if (fabs(slope) < 1e-6) return 0;
  const double t = (dot(f->normal, r->eye) - f->offset)/slope, R = r->scene->radius;
  if (!(t > 0.0 && t < limit)) return 0;
  const vec point = along(r->eye, t, way);
  for (int32_t k = 0; k < r->planes; k++)          // it ends where another one is solid
    if (dot(r->plane[k].normal, point) < r->plane[k].offset - 1e-6*R) return 0;
  const vec from = minus(point, f->middle);
  const double away = norm(from)/R;
  out->t = t;
  static const double fade[][2] = {{1.2, 4.0}, {0.8, 1.3}, {0.9, 2.6}, {0.6, 1.25}};   // of a kind
  out->alpha = 1.0 - smooth(fade[f->kind][0], fade[f->kind][1], away);
  if (out->alpha <= 0.0) return 0;
  const double wide = most(t*r->pixel_angle/sqrt(fabs(slope))/f->tile, 1e-9);
  if (slope < 0.0 || f->kind == FLOOR_WALL) {
    pane_layer(f, from, least(wide, 1e3), slope > 0.0, out);
    return 1;
  }
  const double pattern = chequered(dot(from, f->east)/f->tile, dot(from, f->north)/f->tile,
                                   least(wide, 1e3));
  const double sun = most(dot(f->normal, r->sun), 0.0)*light_sun(r, point, -1);
  const double open = light_open(r, point, f->normal, -1);
  static const double light[3] = {0.80, 0.81, 0.83}, dark[3] = {0.64, 0.66, 0.70};
  for (int c = 0; c < 3; c++)
    out->colour[c] = (float)((light[c] + pattern*(dark[c] - light[c]))*(0.44*open + 0.76*sun));
  return 1;
}

// Glass is clear in the middle and milky at its rim, with a spot of light.
static int shell_layers(const render *r, const shell *s, vec way, double limit, layer *out) {
  static const double milk[3] = {0.42, 0.50, 0.62};
  const vec to = minus(s->center, r->eye);
  const double b = dot(to, way), square = b*b - dot(to, to) + s->radius*s->radius;
  int count = 0;
  if (square <= 0.0) return 0;
  const vec half = unit(minus(r->sun, way));
  for (int side = -1; side <= 1; side += 2) {
    const double t = b + side*sqrt(square);
    if (!(t > 0.0 && t < limit)) continue;
    const vec normal = times(1.0/s->radius, minus(along(r->eye, t, way), s->center));
    const double rim = 1.0 - fabs(dot(normal, way)), sharp = rim*rim*rim;
    double gloss = most(-side*dot(half, normal), 0.0);
    for (int k = 0; k < 6; k++) gloss *= gloss;
    layer *l = &out[count++];
    l->t = t;
    const double clear = side < 0 ? 0.03 + 0.50*sharp : 0.05 + 0.26*sharp;
    const double glint = 0.5*gloss*(side < 0 ? 1.0 : 0.35);
    l->alpha = clear + glint*(1.0 - clear);
    for (int c = 0; c < 3; c++)
      l->colour[c] = (float)((milk[c]*clear + glint*(1.0 - clear))/l->alpha);
  }
  return count;
}

static int glass_layers(const render *r, const solid *s, vec way, double limit, layer *out) {
  double leave;
  int face, count = 0;
  const vec d = into(s->axis, way);
  const double enter = box_hit(s, s->eye, d, &leave, &face);
  if (isinf(enter)) return 0;
  for (int side = 0; side < 2; side++) {
    const double t = side ? leave : enter;
    if (!(t > 0.0 && t < limit)) continue;
    const vec at = along(s->eye, t, d);
    const double gap[3] = {s->half.x - fabs(at.x), s->half.y - fabs(at.y), s->half.z - fabs(at.z)};
    const double low = least(gap[0], least(gap[1], gap[2]));
    const double high = most(gap[0], most(gap[1], gap[2]));
    const double edge = gap[0] + gap[1] + gap[2] - low - high;   // the second: 0 on an edge
    const int line = edge < 1.2*t*r->pixel_angle;
    layer *l = &out[count++];
    l->t = t;
    l->alpha = line ? 0.55 : 0.10;
    for (int c = 0; c < 3; c++)
      l->colour[c] = line ? 0.25f + 0.04f*(float)c : 0.5f + 0.05f*(float)c;
  }
  return count;
}

static const solid *nearest(const render *r, double x, double y, vec way, double *t, int *face) {
  const solid *best = NULL;
  const int32_t column = (int32_t)clamp(x/TILE_SIDE, 0.0, r->tiles.columns - 1);
  const int32_t row = (int32_t)clamp(y/TILE_SIDE, 0.0, r->tiles.rows - 1);
  const int32_t *start = r->tiles.start + (int64_t)row*r->tiles.columns + column;
  *t = INFINITY;
  for (int32_t k = start[0]; k < start[1]; k++) {
    const solid *s = &r->solid[r->tiles.item[k]];
    if (s->near >= *t) break;                   // so are all behind it
    int side = 0;
    double leave, hit;
    if (s->shape == RENDER_BOX) hit = box_hit(s, s->eye, into(s->axis, way), &leave, &side);
    else hit = sphere_hit(s, way);
    if (hit > 0.0 && hit < *t) *t = hit, best = s, *face = side;
  }
  return best;
}

int32_t trace(const render *r, double x, double y, float colour[3]) {
  const double f = r->pixel_angle;
  const vec way = unit(along(along(times(f*(x - 0.5*r->width), r->right),
                                   -f*(y - 0.5*r->height), r->top), -1.0, r->back));
  double t;
  int face = 0;
  const solid *s = nearest(r, x, y, way, &t, &face);
  int32_t mark = 0;
  const double wet = field_hit(&r->field, r->eye, way, t);
  if (wet < t) {
    t = wet;
    mark = 8*(r->scene->bodies + 1);
    shade_liquid(r, along(r->eye, t, way), way, colour);
  } else if (s) {
    const vec point = along(r->eye, t, way), at = into(s->axis, minus(point, s->center));
    mark = 8*(s->index + 1) + face;
    if (s->shape == RENDER_BOX) {
      const double p[3] = {at.x, at.y, at.z};
      const vec flat = times(p[face] < 0.0 ? -1.0 : 1.0, s->axis[face]);
      shade(r, s, point, flat, box_normal(s, at, face), way, 1.0, colour);
    } else {
      const vec normal = times(1.0/s->half.x, minus(point, s->center));
      const int plain = r->scene->body[s->index].plain;
      shade(r, s, point, normal, normal, way,
            plain ? 1.0 : sphere_tone(times(1.0/s->half.x, at)), colour);
    }
  } else {
    sky_at(y/r->height, colour);
  }
  layer list[LAYERS_MAX];
  int count = 0;
  for (int32_t k = 0; k < r->floors; k++)
    count += floor_layer(r, &r->floor[k], way, t, list + count);
  for (int32_t k = 0; k < r->shells; k++)
    count += shell_layers(r, &r->shell[k], way, t, list + count);
  for (int32_t k = 0; k < r->glasses; k++)
    count += glass_layers(r, &r->glass[k], way, t, list + count);
  for (int i = 1; i < count; i++) {             // the farthest first
    const layer l = list[i];
    int k = i;
    for (; k > 0 && list[k - 1].t < l.t; k--) list[k] = list[k - 1];
    list[k] = l;
  }
  for (int k = 0; k < count; k++) {
    const float alpha = (float)list[k].alpha;
    for (int c = 0; c < 3; c++) colour[c] += alpha*(list[k].colour[c] - colour[c]);
  }
  return (int32_t)((uint32_t)mark*MARK_LAYERS + (uint32_t)count);
}
