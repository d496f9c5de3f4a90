// pen.c: arrows, panels and text on the canvas: strokes with round ends, covered by their distance.
#include <stdlib.h>
#include <string.h>

#include "font.h"
#include "picture.h"

enum {
  GLYPH_POINTS_MAX = 128,
  CURVE_SEGMENTS = 6           // straight lines that draw a curved piece of a glyph
};

typedef struct place { double x, y; } place;
typedef struct piece { place a, b; } piece;

static double distance_to(place a, place b, double x, double y) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx*dx + dy*dy;
  const double s = square > 0.0 ? clamp(((x - a.x)*dx + (y - a.y)*dy)/square, 0.0, 1.0) : 0.0;
  const double u = x - a.x - s*dx, v = y - a.y - s*dy;
  return sqrt(u*u + v*v);
}

static void linear_of(const float colour[3], float out[3]) {
  for (int c = 0; c < 3; c++) out[c] = render_linear(colour[c]);
}

// Covers what is within `half` of any piece; pieces that overlap are not drawn twice.
static void stroke(render *r, const piece *list, int count, double half, const float linear[3],
                   double alpha) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int k = 0; k < count; k++) {
    low[0] = least(low[0], least(list[k].a.x, list[k].b.x));
    low[1] = least(low[1], least(list[k].a.y, list[k].b.y));
    high[0] = most(high[0], most(list[k].a.x, list[k].b.x));
    high[1] = most(high[1], most(list[k].a.y, list[k].b.y));
  }
  const double grow = half + 1.0;
  const int32_t left = (int32_t)most(low[0] - grow, 0.0), top = (int32_t)most(low[1] - grow, 0.0);
  const int32_t right = (int32_t)least(high[0] + grow, r->width - 1.0);
  const int32_t bottom = (int32_t)least(high[1] + grow, r->height - 1.0);
  for (int32_t y = top; y <= bottom; y++) {
    for (int32_t x = left; x <= right; x++) {
      double nearest = INFINITY;
      for (int k = 0; k < count; k++)
        nearest = least(nearest, distance_to(list[k].a, list[k].b, x + 0.5, y + 0.5));
      const double share = clamp(half + 0.5 - nearest, 0.0, 1.0);
      if (share > 0.0) canvas_blend(r, x, y, linear, alpha*share);
    }
  }
}

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static int add(piece *out, int count, place a, place b) {
  if (count < GLYPH_POINTS_MAX) out[count++] = (piece){a, b};
  return count;
}

// A quadratic piece from a to b with control point c.
static int add_curve(piece *out, int count, place a, place c, place b) {
  place last = a;
  for (int k = 1; k <= CURVE_SEGMENTS; k++) {
    const double t = (double)k/CURVE_SEGMENTS, s = 1.0 - t;
    const place next = {s*s*a.x + 2.0*s*t*c.x + t*t*b.x, s*s*a.y + 2.0*s*t*c.y + t*t*b.y};
    count = add(out, count, last, next);
    last = next;
  }
  return count;
}

static place between(place a, place b) { return (place){0.5*(a.x + b.x), 0.5*(a.y + b.y)}; }

static int add_stroke(piece *out, int count, char kind, const place *p, int n) {
  if (kind == '-') {
    for (int k = 0; k + 1 < n; k++) count = add(out, count, p[k], p[k + 1]);
  } else if (kind == 'o') {
    for (int k = 0; k < n; k++) {
      const place before = p[(k + n - 1) % n], after = p[(k + 1) % n];
      count = add_curve(out, count, between(before, p[k]), p[k], between(p[k], after));
    }
  } else {
    for (int k = 1; k + 1 < n; k++)
      count = add_curve(out, count, k == 1 ? p[0] : between(p[k - 1], p[k]), p[k],
                        k == n - 2 ? p[n - 1] : between(p[k], p[k + 1]));
  }
  return count;
}

// The pieces of a character in units of its grid, and where it ends; the left side is at 0.
static int pieces_of(char what, piece *out, double *wide) {
  const char *text = font_strokes(what);
  int count = 0, n = 0, first = 8, last = 0;
  place points[16];
  char kind = '-';
  for (; *text; text++) {
    if (*text == '-' || *text == '~' || *text == 'o') {
      count = add_stroke(out, count, kind, points, n);
      kind = *text;
      n = 0;
    } else if (*text != ' ' && n < 16) {
      points[n++] = (place){digit(text[0]), digit(text[1])};
      if (digit(text[0]) < first) first = digit(text[0]);
      if (digit(text[0]) > last) last = digit(text[0]);
      text++;
    }
  }
  count = add_stroke(out, count, kind, points, n);
  if (what >= '0' && what <= '9') first = 0, last = 8;   // numbers that change do not wobble
  if (what == ' ' || last < first) first = 0, last = 3;
  for (int k = 0; k < count; k++) out[k].a.x -= first, out[k].b.x -= first;
  *wide = last - first + 3.4;
  return count;
}

double render_text_width(double size, const char *text) {
  piece list[GLYPH_POINTS_MAX];
  double end = 0.0, wide;
  for (; *text; text++) {
    if (((unsigned char)*text & 0xc0) == 0x80) continue;   // of UTF-8 one sign a character
    pieces_of(*text, list, &wide);
    end += wide*size/12.0;
  }
  return end;
}

double render_text(render *r, double x, double y, double size, const float colour[3],
                   const char *text) {
  const double scale = size/12.0, half = most(0.55, 0.066*size);
  float linear[3];
  linear_of(colour, linear);
  for (; *text; text++) {
    if (((unsigned char)*text & 0xc0) == 0x80) continue;
    piece list[GLYPH_POINTS_MAX];
    double wide;
    const int count = pieces_of(*text, list, &wide);
    for (int k = 0; k < count; k++) {
      place *ends[2] = {&list[k].a, &list[k].b};
      for (int e = 0; e < 2; e++) {
        ends[e]->x = x + half + scale*ends[e]->x;
        ends[e]->y = y + scale*(ends[e]->y - 12.0);
      }
    }
    if (count > 0) stroke(r, list, count, half, linear, 1.0);
    x += wide*scale;
  }
  return x;
}

void render_panel(render *r, double x, double y, double wide, double high, const float colour[3],
                  double alpha) {
  float linear[3];
  linear_of(colour, linear);
  const int32_t top = (int32_t)most(floor(y), 0.0), left = (int32_t)most(floor(x), 0.0);
  const int32_t bottom = (int32_t)least(ceil(y + high), r->height);
  const int32_t right = (int32_t)least(ceil(x + wide), r->width);
  for (int32_t j = top; j < bottom; j++) {
    for (int32_t i = left; i < right; i++) {
      const double across_x = clamp(i + 1 - x, 0.0, 1.0)*clamp(x + wide - i, 0.0, 1.0);
      const double across_y = clamp(j + 1 - y, 0.0, 1.0)*clamp(y + high - j, 0.0, 1.0);
      canvas_blend(r, i, j, linear, alpha*across_x*across_y);
    }
  }
}

void render_arrow(render *r, const double from[2], const double to[2], double width,
                  const float colour[3]) {
  const double dx = to[0] - from[0], dy = to[1] - from[1], length = hypot(dx, dy);
  if (!(length > 0.5 && length < 1e5 && fabs(from[0]) < 1e5 && fabs(from[1]) < 1e5)) return;
  const double head = least(4.0*width, 0.6*length), ux = dx/length, uy = dy/length;
  const place tip = {to[0], to[1]};
  const piece list[3] = {
      {{from[0], from[1]}, tip},
      {tip, {tip.x - head*(ux + 0.55*uy), tip.y - head*(uy - 0.55*ux)}},
      {tip, {tip.x - head*(ux - 0.55*uy), tip.y - head*(uy + 0.55*ux)}}};
  const float white[3] = {1.0f, 1.0f, 1.0f};
  float linear[3];
  linear_of(colour, linear);
  stroke(r, list, 3, 0.5*width + 1.0, white, 0.6);
  stroke(r, list, 3, 0.5*width, linear, 1.0);
}
