// chart.h: curves and sets of points over two axes, as SVG or PNG; their numbers as TSV.
//
// A chart is plain data that the caller fills and keeps; members that are left 0 get sensible
// values. Text is plain UTF-8: nothing in it is markup.
//
//     const chart_curve curve[] = {{.name = "pgs", .x = time, .y = error, .count = steps}};
//     const chart picture = {.path = "error.svg", .title = "wall", .curve = curve, .curves = 1,
//                            .x = {.label = "seconds"}, .y = {.label = "error", .log = 1}};
//     int code = chart_check("--plot", picture.path, NULL);   // before the long computation
//     if (!code) code = chart_write(&picture);
#pragma once

#include <stdint.h>

typedef enum chart_style {
  CHART_AUTO,      // a line, with its points marked if there are few
  CHART_LINE,
  CHART_DASHED,    // a line, for fits and references
  CHART_POINTS,
  CHART_STEPS      // y holds until the next x
} chart_style;

// Distinct for the colour-blind and in print. CHART_NEXT takes the first colour that no curve has
// yet.
typedef enum chart_colour {
  CHART_NEXT, CHART_BLUE, CHART_ORANGE, CHART_GREEN, CHART_PURPLE, CHART_SKY, CHART_YELLOW,
  CHART_BLACK, CHART_GREY, CHART_RED, CHART_COLOURS
} chart_colour;

typedef struct chart_curve {
  const char *name;        // in the legend; NULL: not there
  const double *x, *y;     // count; where one is not finite there is a gap; x NULL: 0, 1, 2, ...
  int64_t count;
  chart_style style;
  chart_colour colour;
  int cross;               // a point is a cross and not a dot
} chart_curve;

typedef enum chart_mark_kind {
  CHART_HORIZONTAL,        // a dashed line at y, the text at its left end
  CHART_VERTICAL,          // a dashed line at x, the text at its upper end
  CHART_TEXT               // the text right of (x, y)
} chart_mark_kind;

typedef struct chart_mark {
  chart_mark_kind kind;
  double x, y;
  const char *text;        // NULL: none
  chart_colour colour;     // CHART_NEXT: red for lines, grey for text
} chart_mark;

typedef struct chart_axis {
  const char *label;
  int log;                 // values that are not positive are gaps ...
  double floor;            // ... unless it is positive: smaller ones are then drawn there
  double low, high;        // the range; low = high: from the data and the marks
  int whole;               // the numbers are whole: no tics in between
} chart_axis;

typedef struct chart {
  const char *path;        // *.svg or *.png
  const char *title;
  chart_axis x, y;
  const chart_curve *curve;    // curves
  int curves;
  const chart_mark *mark;      // marks
  int marks;
  const char *empty;       // what to say in a chart without points; NULL: "no data"
  const char *table;       // write the numbers there, too; NULL: do not
  int width, height;       // 0: 800 x 500
} chart;

// Before a long computation: 0, or an exit code after having said what is missing; see gnuplot.h.
int chart_check(const char *option, const char *path, const char *instead);

int chart_write(const chart *what);   // 0, or an exit code after having said what went wrong

// Charts one below another with one x axis, that of the first; its path, title and width are those
// of the picture, and its height is that of each chart. A caption stands below; NULL: none.
int chart_write_stack(const chart *what, int charts, const char *caption);

int chart_write_table(const chart *what);   // the table alone, likewise

