// render_caption.c: what a picture shows besides the scene: caption, legend, arrows.
#include "render_caption.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

static const float ink[3] = {0.11f, 0.14f, 0.17f}, faint[3] = {0.36f, 0.40f, 0.46f},
                   bad[3] = {0.82f, 0.12f, 0.18f}, force[3] = {0.06f, 0.09f, 0.13f},
                   white[3] = {1.0f, 1.0f, 1.0f}, apart[3] = {0.9f, 0.0f, 0.49f};
enum { ARROWS_MAX = 20000 };   // impulses drawn in a picture

static double scale_of(int32_t width, int32_t height) {
  return fmax(fmin(height/720.0, width/560.0), 0.45);   // as wide as a caption is
}

// What the step was: "0.50 s   12 contacts   residual 1.0e-09"
static void state_of(const drawing *from, char *text, size_t size) {
  const recording_head *head = &from->recording.head;
  text_append(text, size, "%.2f s", (double)drawing_row(from)*head->dt);
  if (head->fluid) {
    const double residual = drawing_value(from, RECORD_FLUID_residual);
    const long long all = (long long)drawing_particles(from), recorded = from->wet.count;
    text_append(text, size, "   %lld particles", all);
    if (recorded < all) text_append(text, size, ", %lld recorded", recorded);
    if (drawing_value(from, RECORD_FLUID_solved) > 0.0 ||
        drawing_value(from, RECORD_FLUID_unsolved) > 0.0)
      text_append(text, size, "   residual %.1e", residual);
    return;
  }
  const double contacts = drawing_value(from, RECORD_COLUMN_contacts);
  const double residual = drawing_value(from, RECORD_COLUMN_residual);
  const double asleep = drawing_value(from, RECORD_COLUMN_asleep);
  if (contacts >= 0.0)
    text_append(text, size, "   %.0f contact%s", contacts, contacts == 1.0 ? "" : "s");
  if (contacts > 0.0 && asleep >= head->moving) text_append(text, size, "   at rest");
  else if (contacts > 0.0) text_append(text, size, "   residual %.1e", residual);
}

// The ends of the colours, as numbers and as texts.
typedef struct legend {
  double low, high;
  char start[32], end[64];
  double begin, label, wide, left;   // widths of the texts and of the ramp; where it begins
} legend;

static void ends_of(const drawing *from, drawing_colour colour, double *low, double *high) {
  *low = 0.0;
  if (!from->recording.head.fluid)
    *high = colour == DRAWING_SPEED ? from->top_speed : 2.0*from->typical_impulse;
  else if (colour == DRAWING_SPEED) *high = from->scale.speed;
  else *high = from->scale.pressure, *low = -from->scale.suction;
}

static legend legend_of(const drawing *from, const render_page *page) {
  static const char *const names[] = {"", "speed", "impulse", "pressure"};
  static const char *const units[] = {"", " m/s", " N s", " Pa"};
  const double s = scale_of(page->width, page->height), size = 10.0*s;
  const drawing_colour colour = page->colour;
  const int fluid = from->recording.head.fluid;
  legend l = {.start = "0", .wide = 150.0*s};
  ends_of(from, colour, &l.low, &l.high);
  const int digits = fabs(l.high) >= 1000.0 ? 5 : 3;
  if (fluid) snprintf(l.start, sizeof l.start, "%s %.3g", names[colour], l.low);
  if (fluid) snprintf(l.end, sizeof l.end, "%.*g%s", digits, digits > 3 ? rint(l.high) : l.high,
                      units[colour]);
  else snprintf(l.end, sizeof l.end, "%s %.3g", names[colour], l.high);
  l.label = render_text_width(size, l.end);
  l.begin = render_text_width(size, l.start);
  l.left = page->width - 22.0*s - l.label - l.wide - l.begin - 21.0*s;
  return l;
}

// How large the command is written: smaller where it then fits beside the legend. 0: not at all.
static double command_size(const drawing *from, const render_page *page) {
  const double s = scale_of(page->width, page->height), least = 7.0*s, size = 9.0*s;
  const double wide = render_text_width(size, from->recording.head.command);
  const double all = page->width - 44.0*s;
  if (page->colour == DRAWING_GROUP || page->lifted) return wide < all ? size : 0.0;
  const double room = legend_of(from, page).left - 60.0*s;
  if (wide <= room) return size;
  return least*wide <= size*room ? size*room/wide : 0.0;
}

int render_lifts(const drawing *from, const render_page *page) {
  const render_page beside = {page->width, page->height, page->colour, page->separating, 0};
  const render_page above = {page->width, page->height, page->colour, page->separating, 1};
  return !(command_size(from, &beside) > 0.0) && command_size(from, &above) > 0.0;
}

void render_caption(render *what, const drawing *from, int64_t since, const render_page *page) {
  const recording_head *head = &from->recording.head;
  const int32_t width = page->width, height = page->height;
  const double s = scale_of(width, height), left = 22.0*s;
  int64_t first = drawing_row(from);
  const int64_t unsolved = drawing_unsolved(from, since, &first);
  char text[256] = "", name[128] = "";
  text_append(name, sizeof name, "%.80s", head->scene);
  if (head->fluid) text_append(name, sizeof name, ", %s walls", head->liquid.walls);
  state_of(from, text, sizeof text);
  const double named = render_text_width(15.0*s, name);
  const double titled = named + 12.0*s + render_text_width(11.5*s, head->title);
  const int fits = left + titled + 12.0*s < width;
  const double wide = fmax(fits ? titled : named, render_text_width(11.5*s, text));
  const int red = unsolved > 0;
  render_panel(what, left - 10.0*s, 12.0*s, wide + 22.0*s, (red ? 72.0 : 52.0)*s, white, 0.62);
  const double end = render_text(what, left, 35.0*s, 15.0*s, ink, name);
  if (fits) render_text(what, end + 8.0*s, 35.0*s, 11.5*s, faint, head->title);
  render_text(what, left, 56.0*s, 11.5*s, red ? bad : ink, text);
  if (red) {
    if (unsolved == 1) snprintf(text, sizeof text, "step %lld is not solved", (long long)first);
    else
      snprintf(text, sizeof text, "%lld steps are not solved, from step %lld on",
               (long long)unsolved, (long long)first);
    render_text(what, left, 76.0*s, 11.5*s, bad, text);
  }
  const double size = command_size(from, page);
  if (size > 0.0) {
    render_panel(what, left - 6.0*s, height - 30.0*s, render_text_width(size, head->command) +
                 12.0*s, 20.0*s, white, 0.55);
    render_text(what, left, height - 16.0*s, size, faint, head->command);
  }
}

static void shade_of(const drawing *from, drawing_colour colour, double part, float shade[3]) {
  if (from->recording.head.fluid)
    drawing_liquid_ramp(from, colour == DRAWING_SPEED ? sqrt(part) : part, colour, shade);
  else drawing_ramp(sqrt(part), shade);
}

// The ramp in the lower right corner, beside or above the command; separating cells above it.
void render_legend(render *what, const drawing *from, const render_page *page) {
  if (page->colour == DRAWING_GROUP) return;
  const int32_t width = page->width, height = page->height;
  const double s = scale_of(width, height), high = 9.0*s, size = 10.0*s;
  const legend l = legend_of(from, page);
  const double wide = l.wide, begin = l.begin, label = l.label, x = l.left;
  const double y = height - (page->lifted ? 56.0 : 26.0)*s;
  render_panel(what, x - 8.0*s, y - 8.0*s, wide + label + begin + 35.0*s, 26.0*s, white, 0.62);
  render_text(what, x, y + size, size, ink, l.start);
  const int steps = (int)wide;
  for (int k = 0; k < steps; k++) {
    float shade[3];
    shade_of(from, page->colour, (k + 0.5)/steps, shade);
    render_panel(what, floor(x + begin + 7.0*s) + k, y, 1.0, high, shade, 1.0);
  }
  render_text(what, x + begin + 15.0*s + wide, y + size, size, ink, l.end);
  if (!page->separating) return;
  const char *words = "separating from a wall";
  const double long_words = render_text_width(size, words), at = width - 22.0*s - long_words;
  render_panel(what, at - 24.0*s, y - 38.0*s, long_words + 30.0*s, 26.0*s, white, 0.62);
  render_panel(what, at - 16.0*s, y - 30.0*s, 9.0*s, 9.0*s, apart, 1.0);
  render_text(what, at, y - 30.0*s + size, size, ink, words);
}

// Squares on the cells where the liquid leaves a wall.
void render_separating(render *what, const drawing *from, const render_camera *camera) {
  const recording_fluid *grid = &from->recording.head.liquid;
  const double h = grid->spacing;
  const int flat = from->recording.head.dimension == 2;
  const size_t nx = (size_t)grid->cells[0], ny = (size_t)grid->cells[1];
  const size_t cells = nx*ny*(size_t)grid->cells[2];
  for (size_t i = 0; from->wet.type && i < cells; i++) {
    if (!(from->wet.type[i] & RECORD_CELL_SEPARATING)) continue;
    const double at[3] = {h*((double)(i % nx) + 0.5), h*((double)(i/nx % ny) + 0.5),
                          flat ? 0.0 : h*((double)(i/nx/ny) + 0.5)};
    double pixel[2], side[2], edge[3] = {at[0], at[1], at[2]};
    for (int c = 0; c < 3; c++) edge[c] += 0.4*h*camera->right[c];
    if (!render_project(camera, at, pixel) || !render_project(camera, edge, side)) continue;
    const double half = fmax(side[0] - pixel[0], 1.0);
    render_panel(what, pixel[0] - half, pixel[1] - half, 2.0*half, 2.0*half, apart,
                 flat ? 0.75 : 0.5);
  }
}

// As long as the impulse is large: a typical one is a quarter of the radius of the view.
void render_forces(render *what, const drawing *from, const render_camera *camera) {
  const double unit = 0.24*from->scene.radius/(from->typical_impulse > 0.0 ? from->typical_impulse
                                                                           : 1.0);
  if (from->touches == RECORD_NO_TOUCHES) return;
  const double width = fmax(2.0*camera->height/720.0, 1.2);
  for (uint32_t k = 0; k < from->touches && k < ARROWS_MAX; k++) {
    const record_touch *touch = &from->touch[k];
    double size = 0.0, start[3], end[3], a[2], b[2];
    for (int c = 0; c < 3; c++) size += (double)touch->impulse[c]*touch->impulse[c];
    size = sqrt(size);
    if (!(unit*size > 0.015*from->scene.radius) || !isfinite(size)) continue;
    const double most = 2.0*0.24*from->scene.radius;       // longer ones are cut
    double lift = 0.0;                                     // of two that move, on the one it lifts
    for (int c = 0; c < 3; c++) lift += from->scene.up[c]*(double)touch->impulse[c];
    const int on_b = from->slot[touch->b] >= 0 && (from->slot[touch->a] < 0 || lift < 0.0);
    const double factor = fmin(unit, most/size)*(on_b ? -1.0 : 1.0);
    for (int c = 0; c < 3; c++) {
      start[c] = touch->point[c];
      end[c] = start[c] + factor*touch->impulse[c];
    }
    if (render_project(camera, start, a) && render_project(camera, end, b))
      render_arrow(what, a, b, width, touch->flags & RECORD_UNSOLVED ? bad : force);
  }
}
