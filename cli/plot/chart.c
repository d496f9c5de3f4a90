// chart.c: curves and sets of points over two axes, as SVG or PNG; their numbers as TSV.
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "gnuplot.h"
#include "message.h"
#include "text.h"

#define DASHES "(8,5)"

enum {
  CURVE_BUCKETS_MAX = 1000,   // curves with more than four times as many points are reduced to this
  MARKED_POINTS_MAX = 60,     // points are marked on curves with at most this many
  LOG_TICS = 8                // on a logarithmic axis, about
};

// After Okabe and Ito: distinct for the colour-blind, dark enough for white paper.
static const char *const colours[CHART_COLOURS] = {
  [CHART_NEXT] = "#0072b2",  [CHART_BLUE] = "#0072b2",  [CHART_ORANGE] = "#d55e00",
  [CHART_GREEN] = "#009e73", [CHART_PURPLE] = "#b5588d", [CHART_SKY] = "#56b4e9",
  [CHART_YELLOW] = "#e69f00", [CHART_BLACK] = "#222222", [CHART_GREY] = "#888888",
  [CHART_RED] = "#c0392b"};

// Circles, squares, triangles, diamonds, ...: colour is not the only difference.
static const int symbols[] = {7, 5, 9, 13, 11, 15, 6, 4};
enum { SYMBOLS = sizeof symbols/sizeof *symbols, NEXT_COLOURS = CHART_BLACK };

int chart_check(const char *option, const char *path, const char *instead) {
  return gnuplot_check(option, path, instead);
}

// ------------------------------------------------------------------------------------ where it is

// A number as it is drawn; NAN: a gap.
static double drawn(const chart_axis *axis, double value) {
  if (!isfinite(value)) return NAN;
  if (!axis->log) return value;
  if (axis->floor > 0.0 && value < axis->floor) return axis->floor;
  return value > 0.0 ? value : NAN;
}

static int point(const chart *what, const chart_curve *curve, int64_t i, double *x, double *y) {
  *x = drawn(&what->x, curve->x ? curve->x[i] : (double)i);
  *y = drawn(&what->y, curve->y[i]);
  return !isnan(*x) && !isnan(*y);
}

typedef struct range { double low, high; } range;

static void extend(range *r, double value) {
  if (isnan(value)) return;
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

static range pad(const chart_axis *axis, range r) {
  if (axis->low < axis->high && (!axis->log || axis->low > 0.0))
    return (range){axis->low, axis->high};
  if (r.low > r.high) r = (range){axis->log ? 0.1 : 0.0, axis->log ? 10.0 : 1.0};
  if (axis->log) {
    const double low = log10(r.low), high = log10(r.high), width = high - low;
    const double edge = fmax(0.04*width, 0.1);
    return (range){pow(10.0, low - edge), pow(10.0, high + edge)};
  }
  const double width = r.high - r.low, size = fmax(fabs(r.low), fabs(r.high));
  if (!(width > 1e-9*size)) {   // a constant: some room around it
    const double edge = size > 0.0 ? 0.1*size : 1.0;
    return (range){r.low - edge, r.high + edge};
  }
  // An axis that nearly begins at zero begins there; otherwise a margin.
  const double low = r.low >= 0.0 && r.low < 0.25*width ? 0.0 : r.low - 0.04*width;
  const double high = r.high <= 0.0 && r.high > -0.25*width ? 0.0 : r.high + 0.04*width;
  return (range){low, high};
}

// Points, and how many of them lie in each corner: top right, top left, bottom right, bottom left.
typedef struct layout {
  range x, y;
  int64_t points, corner[4];
} layout;

static double place(const chart_axis *axis, range r, double value) {   // 0 .. 1
  if (axis->log) return log(value/r.low)/log(r.high/r.low);
  return (value - r.low)/(r.high - r.low);
}

static int legend_lines(const chart *what) {
  int named = 0;
  for (int k = 0; k < what->curves; k++) named += what->curve[k].name != NULL;
  return named;
}

static int longest_name(const chart *what, int charts) {
  size_t longest = 0;
  for (int k = 0; k < charts; k++) {
    for (int c = 0; c < what[k].curves; c++) {
      const size_t length = what[k].curve[c].name ? strlen(what[k].curve[c].name) : 0;
      if (length > longest) longest = length;
    }
  }
  return (int)(longest < 40 ? longest : 40);
}

// Share of the width of a chart that a legend takes, as gnuplot estimates letters; 0.4 at least.
static double legend_width(const chart *what) {
  return fmin(1.0, fmax(0.4, 0.07 + 0.0153*longest_name(what, 1)));
}

static layout lay_out(const chart *what) {
  layout out = {.x = {INFINITY, -INFINITY}, .y = {INFINITY, -INFINITY}};
  double x, y;
  for (int k = 0; k < what->curves; k++) {
    for (int64_t i = 0; i < what->curve[k].count; i++) {
      if (!point(what, &what->curve[k], i, &x, &y)) continue;
      extend(&out.x, x), extend(&out.y, y);
      out.points++;
    }
  }
  for (int k = 0; k < what->marks; k++) {
    const chart_mark *mark = &what->mark[k];
    if (mark->kind != CHART_HORIZONTAL) extend(&out.x, drawn(&what->x, mark->x));
    if (mark->kind != CHART_VERTICAL) extend(&out.y, drawn(&what->y, mark->y));
  }
  out.x = pad(&what->x, out.x);
  out.y = pad(&what->y, out.y);
  const double tall = fmax(0.3, 0.05 + 0.075*legend_lines(what)), wide = legend_width(what);
  for (int k = 0; k < what->curves; k++) {
    double last_x = NAN, last_y = NAN;
    for (int64_t i = 0; i < what->curve[k].count; i++) {
      if (!point(what, &what->curve[k], i, &x, &y)) { last_x = NAN; continue; }
      const double to_x = place(&what->x, out.x, x), to_y = place(&what->y, out.y, y);
      // along the line, too: two points can cross a corner without lying in it
      const int steps = isnan(last_x) || what->curve[k].style == CHART_POINTS ? 0 : 8;
      for (int s = 0; s <= steps; s++) {
        const double t = steps ? (double)s/steps : 1.0;
        const double at_x = steps ? last_x + t*(to_x - last_x) : to_x;
        const double at_y = steps ? last_y + t*(to_y - last_y) : to_y;
        if (at_y > tall && at_y < 1.0 - tall) continue;
        const int below = 2*(at_y < 0.5);
        out.corner[below] += at_x > 1.0 - wide;
        out.corner[1 + below] += at_x < wide;
      }
      last_x = to_x, last_y = to_y;
    }
  }
  for (int k = 0; k < what->marks; k++) {   // a line with text is in nobody's way but a legend's
    const chart_mark *mark = &what->mark[k];
    const double at_x = place(&what->x, out.x, mark->x), at_y = place(&what->y, out.y, mark->y);
    const int right = mark->kind == CHART_HORIZONTAL || at_x > 1.0 - wide;
    const int left = mark->kind == CHART_HORIZONTAL || at_x < wide;
    const int top = mark->kind == CHART_VERTICAL || at_y > 1.0 - tall;
    const int bottom = mark->kind == CHART_VERTICAL || at_y < tall;
    out.corner[0] += right && top, out.corner[1] += left && top;
    out.corner[2] += right && bottom, out.corner[3] += left && bottom;
  }
  return out;
}

// --------------------------------------------------------------------------------------- the axes

// Decades where there are some, with 2 and 5 in between where there are few; about `most` in all.
static void put_log_tics(FILE *script, char axis, range r, int most) {
  const int low = (int)ceil(log10(r.low) - 1e-9), high = (int)floor(log10(r.high) + 1e-9);
  const double decades = log10(r.high/r.low);
  fprintf(script, "set m%ctics 10\nset %ctics (", axis, axis);
  const char *comma = "";
  if (decades > 0.3*most) {
    const int step = (high - low)/most + 1;
    // a multiple of the step is a tic, so that 1 is one whatever the range
    for (int k = (int)floor((double)low/step)*step; k <= high; k += step) {
      if (k < low) continue;
      fprintf(script, "%s'10^{%d}' 1e%d", comma, k, k);
      comma = ", ";
    }
    fprintf(script, ")\n");
    if (step > 1) fprintf(script, "set m%ctics 1\n", axis);
    return;
  }
  static const double steps[] = {1, 2, 5, 1.5, 3, 4, 7};
  const int used = decades > 0.7 ? 3 : 7;   // 1 2 5, or all of them: there is always one
  for (int k = low - 1; k <= high; k++) {
    for (int s = 0; s < used; s++) {
      const double value = steps[s]*pow(10.0, k);
      if (value < r.low || value > r.high) continue;
      fprintf(script, "%s'%g' %.9g", comma, value, value);
      comma = ", ";
    }
  }
  fprintf(script, ")\n");
}

static void put_axis(FILE *script, char name, const chart_axis *axis, range r, int most) {
  if (axis->label) {
    fprintf(script, "set %clabel ", name);
    gnuplot_text(script, axis->label);
    fprintf(script, " noenhanced textcolor rgb '#333333'\n");
  }
  if (axis->log) fprintf(script, "set logscale %c\n", name);
  fprintf(script, "set %crange [%.17g:%.17g]\n", name, r.low, r.high);
  fprintf(script, "set format %c '%%h'\n", name);   // the default has a blank in front
  if (axis->log) put_log_tics(script, name, r, most);
  else if (axis->whole && r.high - r.low < 12.0) fprintf(script, "set %ctics 1\n", name);
}

// -------------------------------------------------------------------------------------- the curves

static chart_colour colour_of(const chart *what, int k) {
  if (what->curve[k].colour != CHART_NEXT) return what->curve[k].colour;
  int before = 0, taken[CHART_COLOURS] = {0};
  for (int j = 0; j < what->curves; j++) {
    if (what->curve[j].colour != CHART_NEXT) taken[what->curve[j].colour] = 1;
    else if (j < k) before++;
  }
  int available = 0;
  for (int c = CHART_BLUE; c <= NEXT_COLOURS; c++) available += !taken[c];
  if (available == 0) return CHART_BLACK;
  before %= available;
  for (int c = CHART_BLUE; c <= NEXT_COLOURS; c++) {
    if (!taken[c] && before-- == 0) return (chart_colour)c;
  }
  return CHART_BLACK;
}

static void put_style(FILE *script, const chart *what, int k) {
  const chart_curve *curve = &what->curve[k];
  const int few = curve->count <= MARKED_POINTS_MAX;
  const int again = k >= NEXT_COLOURS;   // the colours repeat: dashes
  const int symbol = curve->cross ? 2 : symbols[k%SYMBOLS];
  const char *colour = colours[colour_of(what, k)];
  if (curve->style == CHART_POINTS || curve->count == 1) {
    const int single = curve->count == 1 && !curve->cross;
    fprintf(script, "points pointtype %d pointsize %s linewidth 2 linecolor rgb '%s'",
            single ? 7 : symbol,
            curve->count == 1 ? "1.2" : few || curve->cross ? "0.9" : curve->count > 2000 ? "0.3"
                                                                                        : "0.5",
            colour);
    return;
  }
  if (curve->style == CHART_STEPS) fprintf(script, "steps");
  else if (curve->style == CHART_AUTO && few)
    fprintf(script, "linespoints pointtype %d pointsize 0.6", symbol);
  else fprintf(script, "lines");
  fprintf(script, " linewidth 2 dashtype %s linecolor rgb '%s'",
          curve->style == CHART_DASHED ? DASHES : again ? "(12,3,2,3)" : "1", colour);
}

static void put_number(FILE *script, double x, double y) {
  fprintf(script, "%.9g %.9g\n", x, y);
}

// Of many points the first, last, lowest and highest of each bucket of neighbours: what a screen
// could show of them.
static void put_data(FILE *script, const chart *what, const chart_curve *curve) {
  const int64_t most = CURVE_BUCKETS_MAX;
  const int64_t size = curve->count > 4*most ? (curve->count + most - 1)/most : 1;
  for (int64_t from = 0; from < curve->count; from += size) {
    const int64_t end = from + size < curve->count ? from + size : curve->count;
    int64_t low = -1, high = -1, first = -1, last = -1;
    double x, y, lowest = INFINITY, highest = -INFINITY;
    for (int64_t i = from; i < end; i++) {
      if (!point(what, curve, i, &x, &y)) continue;
      if (first < 0) first = i;
      last = i;
      if (y < lowest) lowest = y, low = i;
      if (y > highest) highest = y, high = i;
    }
    if (first < 0) {
      fprintf(script, "\n");   // a gap
      continue;
    }
    const int64_t kept[4] = {first, low < high ? low : high, low < high ? high : low, last};
    for (int k = 0; k < 4; k++) {
      if (k > 0 && kept[k] == kept[k - 1]) continue;
      point(what, curve, kept[k], &x, &y);
      put_number(script, x, y);
    }
  }
  fprintf(script, "e\n");
}

static int has_points(const chart *what, const chart_curve *curve) {
  double x, y;
  for (int64_t i = 0; i < curve->count; i++) {
    if (point(what, curve, i, &x, &y)) return 1;
  }
  return 0;
}

static void put_mark(FILE *script, const chart_mark *mark) {
  const int text = mark->kind == CHART_TEXT;
  const char *colour = colours[mark->colour != CHART_NEXT ? mark->colour
                               : text                     ? CHART_BLACK
                                                          : CHART_RED];
  if (mark->kind == CHART_HORIZONTAL)
    fprintf(script, "set arrow from graph 0, first %.9g to graph 1, first %.9g", mark->y, mark->y);
  if (mark->kind == CHART_VERTICAL)
    fprintf(script, "set arrow from first %.9g, graph 0 to first %.9g, graph 1", mark->x, mark->x);
  if (!text)
    fprintf(script, " nohead dashtype %s linecolor rgb '%s' linewidth 1.5\n", DASHES, colour);
  if (!mark->text) return;
  fprintf(script, "set label ");
  gnuplot_text(script, mark->text);
  fprintf(script, " noenhanced at ");
  if (mark->kind == CHART_HORIZONTAL)
    fprintf(script, "graph 0.015, first %.9g left offset 0,0.6", mark->y);
  else if (mark->kind == CHART_VERTICAL)
    fprintf(script, "first %.9g, graph 0.96 left offset 0.6,0", mark->x);
  else fprintf(script, "first %.9g, first %.9g left offset 0.8,0", mark->x, mark->y);
  fprintf(script, " textcolor rgb '%s' front\n", colour);
}

// The legend goes where the fewest points are; a long one beside the chart, as does one of several
// lines that would cover something everywhere; one of long lines that would, below.
static void put_key(FILE *script, const chart *what, const layout *at) {
  static const char *const corners[4] = {"top right", "top left", "bottom right", "bottom left"};
  int best = 0;
  for (int c = 1; c < 4; c++) {
    if (at->corner[c] < at->corner[best]) best = c;
  }
  const int lines = legend_lines(what);
  if (lines > 6 || (lines > 3 && at->corner[best] > 0))
    fprintf(script, "set key outside right top");
  else if (at->corner[best] > 0 && legend_width(what) > 0.4)
    fprintf(script, "set key outside below center horizontal");
  else fprintf(script, "set rmargin 4\nset key %s opaque fillcolor rgb '#ffffff'", corners[best]);
  fprintf(script, " Left reverse noautotitle spacing 1.25 samplen 2.5 textcolor rgb '#333333'\n");
}

static void put_title(FILE *script, const chart *what) {
  if (!what->title) return;
  fprintf(script, "set title ");
  gnuplot_text(script, what->title);
  fprintf(script, " noenhanced textcolor rgb '#222222'\n");
}

static void put_curves(FILE *script, const chart *what, int64_t points) {
  for (int k = 0; k < what->marks; k++) put_mark(script, &what->mark[k]);
  if (points == 0) {
    fprintf(script, "set label ");
    gnuplot_text(script, what->empty ? what->empty : "no data");
    fprintf(script, " noenhanced at graph 0.5,0.5 center\nplot NaN notitle\n");
    return;
  }
  const char *comma = "plot ";
  for (int k = 0; k < what->curves; k++) {
    if (!has_points(what, &what->curve[k])) continue;
    fprintf(script, "%s'-' using 1:2 with ", comma);
    put_style(script, what, k);
    if (what->curve[k].name) {
      fprintf(script, " title ");
      gnuplot_text(script, what->curve[k].name);
      fprintf(script, " noenhanced");
    }
    comma = ", ";
  }
  fprintf(script, "\n");
  for (int k = 0; k < what->curves; k++) {
    if (has_points(what, &what->curve[k])) put_data(script, what, &what->curve[k]);
  }
}

static void put_script(FILE *script, const chart *what) {
  const layout at = lay_out(what);
  gnuplot_begin(script, what->path, what->width > 0 ? what->width : 800,
                what->height > 0 ? what->height : 500);
  put_title(script, what);
  put_axis(script, 'x', &what->x, at.x, LOG_TICS);
  put_axis(script, 'y', &what->y, at.y, LOG_TICS);
  put_key(script, what, &at);
  put_curves(script, what, at.points);
}

// 1, 2 or 5 times a power of ten. The range has two to five of them: the next larger one is at most
// 2.5 times as large.
static double tic_step(range r) {
  const double least = (r.high - r.low)/5.0, ten = pow(10.0, floor(log10(least)));
  return ten*(least <= ten ? 1.0 : least <= 2.0*ten ? 2.0 : least <= 5.0*ten ? 5.0 : 10.0);
}

typedef struct stack { int high, width, right; double all; range x; } stack;   // pixels

// The room above, below, between and to the left of the charts of a stack.
enum { TOP_PIXELS = 46, BELOW_PIXELS = 62, GAP_PIXELS = 24, LEFT_PIXELS = 92 };

// One chart of a stack: margins are the same for all, so their axes are in line; the legend stands
// to the right.
static void put_panel(FILE *script, const chart *what, const stack *s, int k, int last) {
  const layout at = lay_out(what);
  const double top = TOP_PIXELS + k*(s->high + GAP_PIXELS);
  fprintf(script, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
                  "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
          (double)LEFT_PIXELS/s->width, 1.0 - (double)s->right/s->width, 1.0 - top/s->all,
          1.0 - (top + s->high)/s->all);
  const chart_axis x = {.label = last ? what->x.label : NULL, .log = what->x.log};
  chart_axis y = what->y;
  y.label = NULL;
  put_axis(script, 'x', &x, s->x, LOG_TICS);
  // BELOW_PIXELS has no room for a blank line
  if (x.label) fprintf(script, "set xlabel offset 0,0.4\n");
  if (!last) fprintf(script, "set format x ''\n");
  put_axis(script, 'y', &y, at.y, LOG_TICS/2);
  if (!y.log) fprintf(script, "set ytics %.9g\n", tic_step(at.y));
  if (what->y.label) {
    fprintf(script, "set label ");
    gnuplot_text(script, what->y.label);
    fprintf(script, " noenhanced at screen %.6f, graph 0.5 center rotate by 90 "
                    "textcolor rgb '#333333'\n", 18.0/s->width);
  }
  fprintf(script, "set key at screen %.6f, screen %.6f left top Left reverse noautotitle "
                  "spacing 1.2 samplen 1.6 textcolor rgb '#333333'\n",
          1.0 - (s->right - 12.0)/s->width, 1.0 - (top - 6.0)/s->all);
  put_curves(script, what, at.points);
}

static void put_stack(FILE *script, const chart *what, int charts, const char *caption) {
  const int letters = longest_name(what, charts), below = BELOW_PIXELS + (caption ? 26 : 0);
  stack s = {.high = what->height > 0 ? what->height : 150,
             .width = what->width > 0 ? what->width : 900,
             .right = letters ? 60 + 9*letters : 30, .x = {INFINITY, -INFINITY}};
  s.all = TOP_PIXELS + charts*s.high + (charts - 1)*GAP_PIXELS + below;
  for (int k = 0; k < charts; k++) {
    const layout at = lay_out(&what[k]);
    if (at.points > 0) extend(&s.x, at.x.low), extend(&s.x, at.x.high);
  }
  if (s.x.low > s.x.high) s.x = (range){0.0, 1.0};
  gnuplot_begin(script, what->path, s.width, (int)s.all);
  fprintf(script, "set multiplot\n");
  put_title(script, what);
  for (int k = 0; k < charts; k++) {
    if (k > 0) {
      fprintf(script, "reset\n");
      gnuplot_style(script);
    }
    if (caption && k == charts - 1) {
      fprintf(script, "set label ");
      gnuplot_text(script, caption);
      fprintf(script, " noenhanced at screen 0.5, screen %.6f center textcolor rgb '#777777'\n",
              14.0/s.all);
    }
    put_panel(script, &what[k], &s, k, k == charts - 1);
  }
  fprintf(script, "unset multiplot\n");
}

// --------------------------------------------------------------------------------------- the table

// A name in a field: tabs and line ends would be others' marks, and are written as \t and \n.
static void write_field(file_output *file, const char *text, char end) {
  char unit[TEXT_UNIT];
  while (*text) {
    text_next(&text, unit);
    file_write(file, unit, strlen(unit));
  }
  file_write(file, &end, 1);
}

// One row per point, with the name of its curve; a number that is not finite is an empty field.
int chart_write_table(const chart *what) {
  char message[512] = "";
  file_output *file;
  int code = file_create(what->table, &file, message, sizeof message);
  if (code) return fail(code, "%s", message);
  write_field(file, "curve", '\t');
  write_field(file, what->x.label ? what->x.label : "x", '\t');
  write_field(file, what->y.label ? what->y.label : "y", '\n');
  for (int k = 0; k < what->curves; k++) {
    const chart_curve *curve = &what->curve[k];
    for (int64_t i = 0; i < curve->count; i++) {
      const double numbers[2] = {curve->x ? curve->x[i] : (double)i, curve->y[i]};
      write_field(file, curve->name ? curve->name : "", '\t');
      for (int c = 0; c < 2; c++) {
        char field[40] = "";   // 0.1 is 0.1 if that is the same number
        if (isfinite(numbers[c])) snprintf(field, sizeof field, "%.15g", numbers[c]);
        if (isfinite(numbers[c]) && strtod(field, NULL) != numbers[c])
          snprintf(field, sizeof field, "%.17g", numbers[c]);
        write_field(file, field, c ? '\n' : '\t');
      }
    }
  }
  code = file_commit(file, message, sizeof message);
  return code ? fail(code, "%s", message) : CODE_OK;
}

int chart_write_stack(const chart *what, int charts, const char *caption) {
  FILE *script = gnuplot_script();
  if (!script) return CODE_IO;
  put_stack(script, what, charts, caption);
  return gnuplot_draw(script, what->path);
}

int chart_write(const chart *what) {
  if (what->table) {
    const int code = chart_write_table(what);
    if (code) return code;
  }
  FILE *script = gnuplot_script();
  if (!script) return CODE_IO;
  put_script(script, what);
  return gnuplot_draw(script, what->path);
}
