// field.c: a picture of a field on a grid: colours, contours, and where it lies on its bounds.
//
// Points are first merged into cells, blocks of s x s points. s is 1 up to CELLS_PER_SIDE_MAX points
// per side, so the cost of the drawing does not grow with the grid. A cell has the mean of the field
// and the mean of the gap, which is positive where a row is free and negative on a bound. Contours
// of the field, the zero of the gap (the free boundary) and the colours are linear between cells.
#include "field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "message.h"

enum {
  CELLS_PER_SIDE_MAX = 500,    // points of larger grids are merged
  COLOUR_STOPS = 9             // of the palette
};

// The palette viridis: even steps for the eye, also in grey and for the colour-blind.
static const uint8_t viridis[COLOUR_STOPS][3] = {
  {68, 1, 84},    {71, 44, 122}, {59, 81, 139},  {44, 113, 142}, {33, 144, 141},
  {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37}};

static const uint8_t flat[FIELD_REGIONS][3] = {{0, 0, 0}, {222, 222, 222}, {240, 214, 190}};
static const uint8_t hatch[FIELD_REGIONS][3] = {{0, 0, 0}, {150, 205, 240}, {255, 255, 255}};

enum { VALUE, GAP, LO, HI, PARTS };

typedef struct cells {
  int32_t columns, rows, block;
  double *part[PARTS];   // columns x rows: means of x and gap, shares at lo and hi; NAN: no unknown
  double low, high;      // of the values
  int64_t points[FIELD_REGIONS];
  double *memory;
} cells;

int32_t field_block(const grid *g) {
  const int32_t longer = g->nx > g->ny ? g->nx : g->ny;
  return (longer + CELLS_PER_SIDE_MAX - 1)/CELLS_PER_SIDE_MAX;
}

// The gap in units of its mean size on bounds, at most 1: in a block of both kinds neither wins by
// its size alone.
static double gap_unit(const field *what, int64_t n) {
  double sum = 0.0;
  int64_t count = 0;
  for (int64_t k = 0; k < n; k++) {
    if (what->region[k] == FIELD_FREE || !isfinite(what->gap[k])) continue;
    sum += fabs(what->gap[k]);
    count++;
  }
  return sum > 0.0 && isfinite(sum) ? sum/(double)count : 1.0;
}

// Unknown k is point (i, j).
static void add(const field *what, cells *c, double *points, int64_t k, int32_t i, int32_t j,
                double unit) {
  const size_t at = (size_t)(i/c->block) + (size_t)c->columns*(size_t)(j/c->block);
  points[at] += 1.0;
  c->part[VALUE][at] += what->x[k];
  c->part[GAP][at] += fmin(fmax(what->gap[k]/unit, -1.0), 1.0);
  c->part[LO][at] += what->region[k] == FIELD_AT_LO;
  c->part[HI][at] += what->region[k] == FIELD_AT_HI;
  c->points[what->region[k]]++;
}

// x holds the unknowns row after row, x fastest, unless cells say where they are.
static int gather(const field *what, cells *c) {
  const grid *g = what->grid;
  *c = (cells){.block = field_block(g), .low = INFINITY, .high = -INFINITY};
  c->columns = (g->nx + c->block - 1)/c->block;
  c->rows = (g->ny + c->block - 1)/c->block;
  const size_t count = (size_t)c->columns*(size_t)c->rows;
  c->memory = calloc((1 + PARTS)*count, sizeof *c->memory);
  if (!c->memory) return 0;
  double *points = c->memory;
  for (int p = 0; p < PARTS; p++) c->part[p] = c->memory + (size_t)(1 + p)*count;
  const double unit = gap_unit(what, grid_unknowns(g));
  int64_t k = 0;
  for (; g->cell && k < g->unknowns; k++)
    add(what, c, points, k, g->cell[k] % g->nx, g->cell[k]/g->nx, unit);
  for (int32_t j = 0; j < g->ny && !g->cell; j++)
    for (int32_t i = 0; i < g->nx; i++)
      if (!g->filled || j < g->filled[i]) add(what, c, points, k++, i, j, unit);
  for (size_t at = 0; at < count; at++) {
    for (int p = 0; p < PARTS; p++)
      c->part[p][at] = points[at] > 0.0 ? c->part[p][at]/points[at] : NAN;
    c->low = fmin(c->low, c->part[VALUE][at]);   // fmin and fmax leave NAN out
    c->high = fmax(c->high, c->part[VALUE][at]);
  }
  return 1;
}

// ------------------------------------------------------------------------------------- the colours

static void mix(const uint8_t from[3], const uint8_t to[3], double t, uint8_t out[3]) {
  for (int k = 0; k < 3; k++) out[k] = (uint8_t)lround(from[k] + t*((double)to[k] - from[k]));
}

// 128 steps: the eye cannot distinguish them, and the file is a quarter smaller than with all
// colours.
static void colour(double t, uint8_t rgb[3]) {
  const double place = round(128.0*fmin(fmax(t, 0.0), 1.0))/128.0*(COLOUR_STOPS - 1);
  const int stop = place < COLOUR_STOPS - 2 ? (int)place : COLOUR_STOPS - 2;
  mix(viridis[stop], viridis[stop + 1], place - stop, rgb);
}

// All parts at a place in cells, bilinear between centres; 0: there is no unknown.
static int sample(const cells *c, double x, double y, double part[PARTS]) {
  const double place[2] = {x - 0.5, y - 0.5};
  const int32_t size[2] = {c->columns, c->rows};
  int32_t from[2];
  double t[2];
  for (int k = 0; k < 2; k++) {
    from[k] = (int32_t)floor(place[k]);
    t[k] = place[k] - from[k];
    if (from[k] < 0) from[k] = 0, t[k] = 0.0;
    if (from[k] > size[k] - 2) from[k] = size[k] - 1, t[k] = 0.0;
  }
  const size_t home = (size_t)x + (size_t)c->columns*(size_t)y;
  if (isnan(c->part[VALUE][home])) return 0;
  double total = 0.0;
  for (int p = 0; p < PARTS; p++) part[p] = 0.0;
  for (int corner = 0; corner < 4; corner++) {
    const int right = corner & 1, up = corner >> 1;
    const double weight = (right ? t[0] : 1.0 - t[0])*(up ? t[1] : 1.0 - t[1]);
    if (weight == 0.0) continue;
    const size_t at = (size_t)(from[0] + right) + (size_t)c->columns*(size_t)(from[1] + up);
    if (isnan(c->part[VALUE][at])) continue;
    for (int p = 0; p < PARTS; p++) part[p] += weight*c->part[p][at];
    total += weight;
  }
  for (int p = 0; p < PARTS; p++) part[p] /= total;   // the home cell has a share of 1/4 at least
  return 1;
}

// stripe: how far along the hatching a pixel is, upwards and downwards, in stripes.
static void pixel(const field *what, const cells *c, double x, double y, const double stripe[2],
                  uint8_t rgb[3]) {
  double part[PARTS];
  if (!sample(c, x, y, part)) {
    memset(rgb, 255, 3);
    return;
  }
  colour(c->high > c->low ? (part[VALUE] - c->low)/(c->high - c->low) : 0.0, rgb);
  if (part[GAP] > 0.0 || part[LO] + part[HI] == 0.0) return;
  const field_region r = part[LO] >= part[HI] ? FIELD_AT_LO : FIELD_AT_HI;
  if (what->paint[r] == FIELD_CLEAR) return;
  if (what->paint[r] == FIELD_FLAT) {
    memcpy(rgb, flat[r], 3);
    return;
  }
  const double along = stripe[r == FIELD_AT_LO], off = fabs(along - floor(along) - 0.5);
  mix(rgb, hatch[r], fmin(fmax((off - 0.36)*12.0, 0.0), 1.0), rgb);
}

// The picture as gnuplot's inline binary data.
static void put_image(FILE *script, const field *what, const cells *c, int32_t width,
                      int32_t height) {
  const double stripes = 45.0/width;
  for (int32_t py = 0; py < height; py++) {
    for (int32_t px = 0; px < width; px++) {
      uint8_t rgb[3];
      const double stripe[2] = {stripes*(px - py), stripes*(px + py)};
      pixel(what, c, (px + 0.5)*c->columns/width, (py + 0.5)*c->rows/height, stripe, rgb);
      fwrite(rgb, 1, 3, script);
    }
  }
}

// --------------------------------------------------------------------------------------- the lines

static double place(const cells *c, const grid *g, int axis, int32_t cell) {
  return g->first[axis] + (cell*(double)c->block + 0.5*(c->block - 1))*g->step[axis];
}

// A block of data for contours; points outside are as low as the lowest, and free.
static void put_block(FILE *script, const char *name, const field *what, const cells *c, int part) {
  fprintf(script, "$%s << EOD\n", name);
  for (int32_t j = 0; j < c->rows; j++) {
    for (int32_t i = 0; i < c->columns; i++) {
      const double value = c->part[part][(size_t)i + (size_t)c->columns*(size_t)j];
      fprintf(script, "%.7g %.7g %.7g\n", place(c, what->grid, 0, i), place(c, what->grid, 1, j),
              !isnan(value) ? value : part == GAP ? 1.0 : c->low);
    }
    fprintf(script, "\n");
  }
  fprintf(script, "EOD\n");
}

static void put_contours(FILE *script, const field *what, const cells *c, int contours,
                         int boundary) {
  fprintf(script, "set contour base\nunset surface\n");
  if (contours) {
    put_block(script, "field", what, c, VALUE);
    fprintf(script, "set cntrparam levels discrete ");
    for (int k = 1; k <= what->levels; k++)
      fprintf(script, "%s%.9g", k > 1 ? ", " : "",
              c->low + (c->high - c->low)*k/(what->levels + 1));
    fprintf(script, "\nset table $contours\nsplot $field using 1:2:3\nunset table\n");
  }
  if (boundary) {
    put_block(script, "gap", what, c, GAP);
    fprintf(script, "set cntrparam levels discrete 0\nset table $boundary\n"
            "splot $gap using 1:2:3\nunset table\n");
  }
  fprintf(script, "unset contour\nset surface\n");
}

// --------------------------------------------------------------------------------------- the frame

static void put_label(FILE *script, const char *command, const char *text, const char *more) {
  fprintf(script, "set %s ", command);
  gnuplot_text(script, text);
  fprintf(script, " noenhanced textcolor rgb '#333333'%s\n", more);
}

// Where the region is: a flat or a hatched box in the legend.
static void put_key(FILE *script, const field *what, const cells *c, field_region r) {
  const char *name = r == FIELD_AT_LO ? what->grid->at_lo : what->grid->at_hi;
  static const char *const style[FIELD_REGIONS] = {"", "pattern 4", "pattern 5"};
  char text[160], colour[8] = "#888888";
  if (what->paint[r] == FIELD_FLAT)
    snprintf(colour, sizeof colour, "#%02x%02x%02x", flat[r][0], flat[r][1], flat[r][2]);
  snprintf(text, sizeof text, "%s (%lld)", *name ? name : r == FIELD_AT_LO ? "x = lo" : "x = hi",
           (long long)c->points[r]);
  fprintf(script, ", NaN with boxes fillstyle %s border rgb '#888888' fillcolor rgb '%s' title ",
          what->paint[r] == FIELD_FLAT ? "solid" : style[r], colour);
  gnuplot_text(script, text);
  fprintf(script, " noenhanced");
}

// Height over width of the frame: true to scale where that leaves enough of both.
static double shape(const grid *g) {
  const double width = (g->nx - 1 + 2.0*g->edge)*g->step[0];
  const double height = (g->ny - 1 + 2.0*g->edge)*g->step[1];
  return fmin(fmax(height/width, 0.4), 1.0);
}

static void put_axes(FILE *script, const grid *g) {
  const int32_t size[2] = {g->nx, g->ny};
  for (int k = 0; k < 2; k++) {
    const double low = g->first[k] - g->edge*g->step[k];
    const double high = g->first[k] + (size[k] - 1 + g->edge)*g->step[k];
    fprintf(script, "set %crange [%.15g:%.15g]\nset format %c '%%h'\n", 'x' + k, low, high,
            'x' + k);
    if (fabs(low) < 1e-9 && fabs(high - 8.0*atan(1.0)) < 1e-9)   // once around
      fprintf(script, "set %ctics ('0' 0, 'π/2' pi/2, 'π' pi, '3π/2' 3*pi/2, '2π' 2*pi)\n",
              'x' + k);
  }
}

static void put_palette(FILE *script, const cells *c) {
  fprintf(script, "set palette defined (");
  for (int k = 0; k < COLOUR_STOPS; k++)
    fprintf(script, "%s%d '#%02x%02x%02x'", k ? ", " : "", k, viridis[k][0], viridis[k][1],
            viridis[k][2]);
  fprintf(script, ")\nset colorbox noborder\nset cbtics scale 0.4\nset format cb '%%h'\n");
  if (c->high > c->low) fprintf(script, "set cbrange [%.17g:%.17g]\n", c->low, c->high);
  else fprintf(script, "unset colorbox\n");
}

static void put_script(FILE *script, const field *what, const cells *c) {
  const grid *g = what->grid;
  const int varies = c->high > c->low, both = c->columns > 1 && c->rows > 1;
  const int contours = varies && both && what->levels > 0;
  const int boundary = both && c->points[FIELD_FREE] > 0 &&
                       c->points[FIELD_AT_LO] + c->points[FIELD_AT_HI] > 0;
  const int frame = (int)(540.0*shape(g)), high = 70 + frame + 130;   // in pixels: above, below
  gnuplot_begin(script, what->path, 800, high);
  fprintf(script, "set lmargin at screen 0.12\nset rmargin at screen %.4f\n"
          "set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
          0.12 + 540.0/800.0, 1.0 - 70.0/high, 130.0/high);
  if (contours || boundary) put_contours(script, what, c, contours, boundary);
  put_label(script, "title", what->title, what->caption ? " offset 0,0.8" : "");
  put_label(script, "xlabel", g->label[0], "");
  put_label(script, "ylabel", g->label[1], "");
  put_label(script, "cblabel", what->value, " offset 1.2,0");
  if (what->caption) {
    fprintf(script, "set label ");
    gnuplot_text(script, what->caption);
    fprintf(script, " noenhanced at graph 0.5, screen %.4f center font ',%s' "
            "textcolor rgb '#666666'\n", 1.0 - 54.0/high,
            gnuplot_is_svg(what->path) ? "12" : "9");
  }
  put_axes(script, g);
  put_palette(script, c);
  fprintf(script, "unset grid\nset border 15 linecolor rgb '#666666'\n"
          "set key at screen 0.46, screen 0.02 center bottom horizontal maxrows 1 Left reverse "
          "noautotitle samplen 2 width 2 textcolor rgb '#333333'\n");

  const int32_t width = gnuplot_is_svg(what->path) ? 500 : 1000;
  const int32_t height = (int32_t)(width*shape(g));
  const double dx = c->columns*c->block*g->step[0]/width, dy = c->rows*c->block*g->step[1]/height;
  fprintf(script, "plot '-' binary array=(%d,%d) format='%%uchar' dx=%.17g dy=%.17g "
          "origin=(%.17g,%.17g) using 1:2:3 with rgbimage", (int)width, (int)height, dx, dy,
          g->first[0] - 0.5*g->step[0] + 0.5*dx, g->first[1] - 0.5*g->step[1] + 0.5*dy);
  if (varies)   // only for the scale of colours
    fprintf(script, ", NaN with points linecolor palette");
  if (contours) fprintf(script, ", $contours with lines linewidth 0.7 linecolor rgb '#60ffffff'");
  if (boundary)
    fprintf(script,
            ", $boundary with lines linewidth 2 linecolor rgb '#222222' title 'free boundary'");
  for (int r = FIELD_AT_LO; r < FIELD_REGIONS; r++) {
    if (c->points[r] > 0 && what->paint[r] != FIELD_CLEAR)
      put_key(script, what, c, (field_region)r);
  }
  fprintf(script, "\n");
  put_image(script, what, c, width, height);
}

int field_write(const field *what) {
  cells c;
  if (!gather(what, &c)) return fail(CODE_IO, "out of memory for a picture");
  FILE *script = gnuplot_script();
  if (!script) {
    free(c.memory);
    return CODE_IO;
  }
  put_script(script, what, &c);
  free(c.memory);
  return gnuplot_draw(script, what->path);
}
