// pattern.c: a picture of a problem without a grid: the entries of A, and the pairs (x, y).
//
// Left: the matrix. A cell shows the entries of a block of rows and columns: blue if most are
// positive, orange if most are negative, paler if there are few. Right: one point per row, with the
// distance of x from its bound and the size of the y that pushes it there. In a solution one of the
// two is zero, or nearly so. Rows that fall on the same dot are drawn once, so the size of the
// drawing does not depend on n.
#include "pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "gnuplot.h"
#include "message.h"

enum {
  MATRIX_CELLS_MAX = 400,      // along a side of the matrix
  DOTS_PER_SIDE = 240,         // places of a dot along each axis of the pairs
  DECADES_MAX = 20             // that an axis shows
};

typedef struct counts { uint32_t positive, negative; } counts;

// -------------------------------------------------------------------------------------- the matrix

static void count_entry(counts *cell, int32_t cells, int32_t n, int32_t i, int32_t j,
                        double value) {
  if (value == 0.0) return;
  counts *at = &cell[(int64_t)i*cells/n + (int64_t)cells*((int64_t)j*cells/n)];
  if (value > 0.0) at->positive++;
  else at->negative++;
}

static void count_entries(const mtx_matrix *A, int32_t cells, counts *cell) {
  for (int32_t j = 0; j < A->columns; j++) {
    const int32_t from = A->dense ? 0 : A->colptr[j], to = A->dense ? A->rows : A->colptr[j + 1];
    for (int32_t k = from; k < to; k++) {
      const size_t at = A->dense ? (size_t)k + (size_t)A->rows*(size_t)j : (size_t)k;
      count_entry(cell, cells, A->rows, A->dense ? k : A->row[k], j, A->value[at]);
    }
  }
}

static void put_matrix(FILE *script, int32_t cells, const counts *cell) {
  static const uint8_t blue[3] = {0, 114, 178}, orange[3] = {213, 94, 0};
  double most = 1.0;
  for (int64_t k = 0; k < (int64_t)cells*cells; k++)
    most = fmax(most, (double)cell[k].positive + cell[k].negative);
  for (int32_t i = 0; i < cells; i++) {   // the axis points down: the first row of A is above
    for (int32_t j = 0; j < cells; j++) {
      const counts *at = &cell[i + (int64_t)cells*j];
      const double total = (double)at->positive + at->negative;
      const double ink = total > 0.0 ? 0.35 + 0.65*log1p(total)/log1p(most) : 0.0;
      const uint8_t *colour = at->positive >= at->negative ? blue : orange;
      for (int k = 0; k < 3; k++) fputc((int)lround(255.0 - ink*(255 - colour[k])), script);
    }
  }
}

// --------------------------------------------------------------------------------------- the pairs

typedef struct pairs {
  double low[2], high[2];    // decades that are shown, log10: of the distance and of y
  uint8_t *dot;              // DOTS_PER_SIDE x DOTS_PER_SIDE: 1 free, 2 bound, 4 several
  int64_t shown;
} pairs;

// How far x is from the bound that y pushes it to, and |y|; 0: that bound is infinite.
static int pair_of(const pattern *what, int32_t i, double pair[2]) {
  const perp_problem *p = &what->files->problem;
  const double lo = p->lo ? p->lo[i] : 0.0, hi = p->hi ? p->hi[i] : INFINITY;
  const int up = what->region[i] == FIELD_AT_HI ||
                 (what->region[i] == FIELD_FREE && (what->y[i] < 0.0 || isinf(lo)) && isfinite(hi));
  pair[0] = fmax(up ? hi - what->x[i] : what->x[i] - lo, 0.0);
  pair[1] = fabs(what->y[i]);
  return isfinite(pair[0]) && isfinite(pair[1]) && lo < hi;
}

// An axis ends at the largest number and covers at most DECADES_MAX; zeros are drawn at its start.
static int gather_pairs(const pattern *what, pairs *out) {
  const int32_t n = what->files->problem.A.n;
  double pair[2], largest[2] = {0.0, 0.0}, smallest[2] = {INFINITY, INFINITY};
  *out = (pairs){.dot = calloc(DOTS_PER_SIDE*DOTS_PER_SIDE, 1)};
  if (!out->dot) return 0;
  for (int32_t i = 0; i < n; i++) {
    if (!pair_of(what, i, pair)) continue;
    out->shown++;
    for (int k = 0; k < 2; k++) {
      largest[k] = fmax(largest[k], pair[k]);
      if (pair[k] > 0.0) smallest[k] = fmin(smallest[k], pair[k]);
    }
  }
  for (int k = 0; k < 2; k++) {
    out->high[k] = largest[k] > 0.0 ? ceil(log10(largest[k]) + 0.2) : 0.0;
    const double low = largest[k] > 0.0 ? floor(log10(smallest[k]) - 0.2) : -4.0;
    out->low[k] = fmin(fmax(low, out->high[k] - DECADES_MAX), out->high[k] - 4.0);
  }
  for (int32_t i = 0; i < n; i++) {
    if (!pair_of(what, i, pair)) continue;
    int at[2];
    for (int k = 0; k < 2; k++) {
      const double place = pair[k] > 0.0 ? log10(pair[k]) : out->low[k];
      const double t = (place - out->low[k])/(out->high[k] - out->low[k]);
      at[k] = (int)(fmin(fmax(t, 0.0), 1.0)*(DOTS_PER_SIDE - 1) + 0.5);
    }
    out->dot[at[0] + DOTS_PER_SIDE*at[1]] |= what->region[i] == FIELD_FREE ? 1 : 2;
  }
  return 1;
}

static void put_pairs(FILE *script, const pairs *p, int kind) {
  fprintf(script, "$%s << EOD\n", kind == 1 ? "free" : "bound");
  for (int j = 0; j < DOTS_PER_SIDE; j++) {
    for (int i = 0; i < DOTS_PER_SIDE; i++) {
      if (!(p->dot[i + DOTS_PER_SIDE*j] & kind)) continue;
      fprintf(script, "%.5g %.5g\n",
              pow(10.0, p->low[0] + (p->high[0] - p->low[0])*i/(DOTS_PER_SIDE - 1)),
              pow(10.0, p->low[1] + (p->high[1] - p->low[1])*j/(DOTS_PER_SIDE - 1)));
    }
  }
  fprintf(script, "NaN NaN\nEOD\n");
}

static void put_pair_axis(FILE *script, char axis, const char *label, double low, double high) {
  const int step = (int)((high - low)/6.0) + 1;
  fprintf(script, "set logscale %c\nset %crange [1e%g:1e%g]\n"
          "set %clabel '%s' textcolor rgb '#333333'\nset %ctics ('0' 1e%g",
          axis, axis, low, high, axis, label, axis, low);
  for (int k = (int)high; k > low + 0.5*step; k -= step) fprintf(script, ", '10^{%d}' 1e%d", k, k);
  fprintf(script, ")\nset m%ctics 1\n", axis);
}

// ------------------------------------------------------------------------------------ both of them

static void put_script(FILE *script, const pattern *what, int32_t cells, const counts *cell,
                       const pairs *p) {
  const int32_t n = what->files->problem.A.n;
  gnuplot_begin(script, what->path, 900, 500);
  put_pairs(script, p, 1);
  put_pairs(script, p, 2);
  fprintf(script, "set label ");
  gnuplot_text(script, what->title);
  fprintf(script, " noenhanced at screen 0.5, 0.96 center textcolor rgb '#222222'\n");
  if (what->caption) {
    fprintf(script, "set label ");
    gnuplot_text(script, what->caption);
    fprintf(script, " noenhanced at screen 0.5, 0.915 center font ',%s' textcolor rgb '#666666'\n",
            gnuplot_is_svg(what->path) ? "12" : "9");
  }
  const double width = (double)n/cells, fifth = fmax(n/5.0, 1.0);   // there is room for five tics
  const double decade = pow(10.0, floor(log10(fifth))), part = fifth/decade;
  const double tic = decade*(part <= 1.0 ? 1.0 : part <= 2.0 ? 2.0 : part <= 5.0 ? 5.0 : 10.0);
  fprintf(script,
          "set multiplot\nset key outside below center horizontal Left reverse noautotitle "
          "samplen 1 width 2 textcolor rgb '#333333'\n"
          "set tmargin at screen 0.86\nset bmargin at screen 0.25\n"
          "set lmargin at screen 0.09\nset rmargin at screen 0.43\n"
          "unset grid\nset border 15\nset size ratio -1\n"
          "set xrange [-0.5:%d-0.5]\nset yrange [%d-0.5:-0.5]\nset format '%%h'\n"
          "set xtics 0,%.15g\nset ytics 0,%.15g\n"
          "set xlabel 'column of A' textcolor rgb '#333333'\n"
          "set ylabel 'row' textcolor rgb '#333333'\n", (int)n, (int)n, tic, tic);
  fprintf(script, "plot '-' binary array=(%d,%d) format='%%uchar' dx=%.17g dy=%.17g "
          "origin=(%.17g,%.17g) using 1:2:3 with rgbimage, "
          "NaN with points pointtype 5 linecolor rgb '#0072b2' title 'positive', "
          "NaN with points pointtype 5 linecolor rgb '#d55e00' title 'negative'\n",
          (int)cells, (int)cells, width, width, 0.5*width - 0.5, 0.5*width - 0.5);
  put_matrix(script, cells, cell);
  fprintf(script, "unset label\nset lmargin at screen 0.57\nset rmargin at screen 0.96\n"
          "set size noratio\nset border 3\n"
          "set grid xtics ytics linetype 1 linecolor rgb '#e4e4e4' linewidth 1\n");
  put_pair_axis(script, 'x', "distance of x from its bound", p->low[0], p->high[0]);
  put_pair_axis(script, 'y', "|y|", p->low[1], p->high[1]);
  fprintf(script,
          "plot $free with points pointtype 7 pointsize 0.4 linecolor rgb '#0072b2' "
          "title 'free: y = 0', $bound with points pointtype 7 pointsize 0.4 "
          "linecolor rgb '#d55e00' title 'on a bound'\nunset multiplot\n");
}

int pattern_write(const pattern *what) {
  const int32_t n = what->files->problem.A.n, cells = n < MATRIX_CELLS_MAX ? n : MATRIX_CELLS_MAX;
  counts *cell = calloc((size_t)cells*(size_t)cells, sizeof *cell);
  pairs p = {0};
  FILE *script = NULL;
  int code = CODE_OK;
  if (!cell || !gather_pairs(what, &p)) code = fail(CODE_IO, "out of memory for a picture");
  else if (!(script = gnuplot_script())) code = CODE_IO;
  if (!code) {
    count_entries(&what->files->A, cells, cell);
    put_script(script, what, cells, cell, &p);
  }
  free(cell);
  free(p.dot);
  return code ? code : gnuplot_draw(script, what->path);
}
