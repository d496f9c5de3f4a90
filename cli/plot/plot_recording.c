// plot_recording.c: what recordings say about their steps, as curves over time: energies, contacts,
// residuals with the tolerance, iterations, overlaps; of liquids volume, momentum and divergence; and
// how the residual fell in one step.
#include "plot_recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "describe.h"
#include "report.h"
#include "solve_settings.h"
#include "text.h"

enum { FILES_MAX = OPERAND_MAX, CURVES_MAX = 16, NAME_BYTES = 64 };   // of a curve's name
static const double least = 1e-17;     // residuals below this, and 0, are drawn here

typedef struct film {          // a recording, and the numbers of its curves
  recording file;
  record_steps steps;
  char name[NAME_BYTES];
  double *total;               // rows: kinetic and potential energy
  double *residual, *unsolved, *solved;   // rows: NAN where there was none, or another verdict
  double *drift, *divergence;  // rows: of a liquid's volume, per cent; NAN where nothing was solved
  double *outer, *inner;       // rows: its iterations; NAN where there were none
  int has_outer, has_inner;
  int64_t failures;
} film;

typedef struct plan {
  const arguments *args;
  film film[FILES_MAX];
  int films;
  chart panel[8];
  chart_curve curve[8][CURVES_MAX];
  char name[8][CURVES_MAX][NAME_BYTES];
  chart_mark mark[2];          // of the residuals
  char tolerance[64];
  int panels;
} plan;

static const double *column(const film *f, record_column which) {
  return f->steps.column + (size_t)which*f->steps.room;
}

static const double *wet(const film *f, record_fluid which) {   // of a liquid
  return f->steps.column + (size_t)which*f->steps.room;
}

// Columns that both have.
static const double *kinetic_of(const film *f) {
  return f->file.head.fluid ? wet(f, RECORD_FLUID_kinetic) : column(f, RECORD_COLUMN_kinetic);
}
static const double *potential_of(const film *f) {
  return f->file.head.fluid ? wet(f, RECORD_FLUID_potential) : column(f, RECORD_COLUMN_potential);
}
static const double *unsolved_of(const film *f) {
  return f->file.head.fluid ? wet(f, RECORD_FLUID_unsolved) : column(f, RECORD_COLUMN_unsolved);
}
static const double *residual_of(const film *f) {
  return f->file.head.fluid ? wet(f, RECORD_FLUID_residual) : column(f, RECORD_COLUMN_residual);
}
static const double *solved_of(const film *f) {   // > 0: there was something to solve
  return f->file.head.fluid ? wet(f, RECORD_FLUID_solved) : column(f, RECORD_COLUMN_rows);
}

// ----------------------------------------------------------------------------------------- reading

static int same_scene(const plan *p) {
  int same = 1;
  for (int k = 1; k < p->films; k++)
    same = same && !strcmp(p->film[k].file.head.scene, p->film[0].file.head.scene);
  return same;
}

static int derive(film *f) {
  const size_t rows = f->steps.rows;
  double *memory = calloc(8*rows + 1, sizeof *memory);
  if (!memory) return fail(CODE_IO, "%s: out of memory for %zu rows", f->file.path, rows);
  f->total = memory, f->residual = memory + rows, f->unsolved = memory + 2*rows;
  f->solved = memory + 3*rows, f->drift = memory + 4*rows, f->divergence = memory + 5*rows;
  f->outer = memory + 6*rows, f->inner = memory + 7*rows;
  const double *kinetic = kinetic_of(f), *potential = potential_of(f);
  for (size_t r = 0; r < rows; r++) {
    const int had = solved_of(f)[r] > 0.0, bad = unsolved_of(f)[r] > 0.0;
    const double residual = residual_of(f)[r];
    if (f->file.head.fluid) {
      const double poured = wet(f, RECORD_FLUID_poured)[r];
      f->drift[r] = poured > 0.0 ? 100.0*(wet(f, RECORD_FLUID_volume)[r]/poured - 1.0)
                                 : (double)NAN;
      f->divergence[r] = had || bad ? wet(f, RECORD_FLUID_divergence)[r] : (double)NAN;
      const double outer = wet(f, RECORD_FLUID_newton)[r], inner = wet(f, RECORD_FLUID_inner)[r];
      f->outer[r] = outer > 0.0 ? outer : (double)NAN;
      f->inner[r] = inner > 0.0 ? inner : (double)NAN;
      f->has_outer = f->has_outer || outer > 0.0;
      f->has_inner = f->has_inner || inner > 0.0;
    }
    f->total[r] = kinetic[r] + potential[r];   // as the player, the report and tables have it
    f->residual[r] = had || bad ? residual : (double)NAN;
    f->unsolved[r] = bad ? residual : (double)NAN;
    f->solved[r] = bad ? (double)NAN : f->residual[r];
    f->failures += bad;
  }
  return CODE_OK;
}

static int read_films(plan *p) {
  for (int k = 0; k < p->args->operands; k++) {
    film *f = &p->film[k];
    int times, code = recording_open(p->args->operand[k], &f->file);
    if (code) return code;
    p->films++;
    const char *slash = strrchr(f->file.path, '/');
    snprintf(f->name, sizeof f->name, "%.60s", slash ? slash + 1 : f->file.path);
    char *dot = strrchr(f->name, '.');
    if (dot && !strcmp(dot, ".perp")) *dot = 0;
    code = recording_statistics(&f->file, &f->steps, &times);
    if (code) return code;
    if (f->steps.rows == 0)
      return fail(CODE_INPUT, "%s: there is no whole step in it", f->file.path);
    if (f->file.head.fluid != p->film[0].file.head.fluid)
      return fail(CODE_INPUT, "%s and %s: bodies and a liquid have no curves in common",
                  p->film[0].file.path, f->file.path);
  }
  int code = CODE_OK;
  for (int k = 0; k < p->films && !code; k++) code = derive(&p->film[k]);
  return code;
}

// ------------------------------------------------------------------------------------------ panels

// With several recordings a curve has the name of its own in front, and its colour.
static void add(plan *p, int k, const char *name, const double *y, chart_style style,
                chart_colour colour) {
  const film *f = &p->film[k];
  chart *panel = &p->panel[p->panels];
  const int at = panel->curves++;
  static const chart_colour own[FILES_MAX] = {CHART_BLUE, CHART_ORANGE, CHART_GREEN, CHART_PURPLE};
  char *text = p->name[p->panels][at];
  *text = 0;
  if (p->films > 1) text_append(text, NAME_BYTES, "%.24s%s", f->name, *name ? " " : "");
  text_append(text, NAME_BYTES, "%s", name);
  p->curve[p->panels][at] = (chart_curve){
      .name = *text ? text : NULL, .x = column(f, RECORD_COLUMN_time), .y = y,
      .count = f->steps.rows, .style = style,
      .colour = p->films > 1 && colour != CHART_RED ? own[k] : colour};
}

static void make_energies(plan *p) {
  p->panel[p->panels].y.label = "energy, J";
  for (int k = 0; k < p->films; k++) {
    const film *f = &p->film[k];
    if (p->films == 1) {
      add(p, k, "total", f->total, CHART_LINE, CHART_BLUE);   // colours as in the player
      add(p, k, "kinetic", kinetic_of(f), CHART_LINE, CHART_ORANGE);
      add(p, k, "potential", potential_of(f), CHART_LINE, CHART_GREEN);
      if (!f->file.head.fluid)
        add(p, k, "dissipated", column(f, RECORD_COLUMN_dissipated), CHART_LINE, CHART_GREY);
      continue;
    }
    add(p, k, p->films > 2 ? "" : "total", f->total, CHART_LINE, CHART_NEXT);
    if (p->films > 2) p->panel[p->panels].y.label = "total energy, J";   // the legend has few lines
    else add(p, k, "kinetic", kinetic_of(f), CHART_DASHED, CHART_NEXT);
  }
}

static void make_contacts(plan *p) {
  p->panel[p->panels].y.label = "contacts";
  for (int k = 0; k < p->films; k++) {
    const film *f = &p->film[k];
    double asleep = 0.0;
    for (uint32_t r = 0; r < f->steps.rows && p->films == 1; r++)
      asleep = fmax(asleep, column(f, RECORD_COLUMN_asleep)[r]);
    add(p, k, asleep > 0.0 ? "contacts" : "", column(f, RECORD_COLUMN_contacts), CHART_LINE,
        CHART_BLUE);
    if (asleep > 0.0)
      add(p, k, "bodies asleep", column(f, RECORD_COLUMN_asleep), CHART_LINE, CHART_GREY);
  }
}

static void make_residuals(plan *p) {
  chart *panel = &p->panel[p->panels];
  double tol = p->film[0].file.head.tol;
  panel->y = (chart_axis){.label = "residual", .log = 1, .floor = least};
  panel->empty = "there was nothing to solve";
  for (int k = 0; k < p->films; k++)
    add(p, k, p->film[k].failures > 0 ? "solved" : "", p->film[k].solved, CHART_POINTS, CHART_BLUE);
  for (int k = 0; k < p->films; k++) tol = fmax(tol, p->film[k].file.head.tol);
  for (int k = 0; k < p->films; k++) {
    const film *f = &p->film[k];
    char name[48];
    if (f->failures == 0) continue;
    snprintf(name, sizeof name, "not solved: %lld", (long long)f->failures);
    add(p, k, name, f->unsolved, CHART_POINTS, CHART_RED);
    p->curve[p->panels][panel->curves - 1].cross = 1;
  }
  text_buffer text;
  snprintf(p->tolerance, sizeof p->tolerance, "tolerance %s", text_number(tol, &text));
  p->mark[0] = (chart_mark){.kind = CHART_HORIZONTAL, .y = tol, .text = p->tolerance};
  p->mark[1] = (chart_mark){.kind = CHART_TEXT, .x = column(&p->film[0], RECORD_COLUMN_time)[0],
                            .y = 100.0*tol};   // room for the text
  panel->mark = p->mark;
  panel->marks = tol > 0.0 ? 2 : 0;
}

// Where single steps take far more than most, the axis is logarithmic.
static void make_iterations(plan *p) {
  double sum = 0.0, most = 0.0, steps = 0.0;
  for (int k = 0; k < p->films; k++) {
    const double *iterations = column(&p->film[k], RECORD_COLUMN_iterations);
    add(p, k, "", iterations, CHART_LINE, CHART_BLUE);
    for (uint32_t r = 1; r < p->film[k].steps.rows; r++) {
      sum += iterations[r], steps++;
      most = fmax(most, iterations[r]);
    }
  }
  p->panel[p->panels].y = (chart_axis){.label = "iterations", .log = most*steps > 30.0*sum,
                                       .floor = 1.0};
}

static void make_penetration(plan *p) {
  p->panel[p->panels].y = (chart_axis){.label = "overlap, m", .log = 1};
  p->panel[p->panels].empty = "no bodies overlapped";
  for (int k = 0; k < p->films; k++)
    add(p, k, "", column(&p->film[k], RECORD_COLUMN_penetration), CHART_LINE, CHART_BLUE);
}

// ------------------------------------------------------------------------------- panels of liquids

static void make_volume(plan *p) {
  p->panel[p->panels].y.label = "volume drift, %";
  for (int k = 0; k < p->films; k++)
    add(p, k, "", p->film[k].drift, CHART_LINE, CHART_BLUE);
}

static void make_momentum(plan *p) {
  static const char *const names[] = {"x", "y", "z"};
  static const chart_colour colours[] = {CHART_BLUE, CHART_ORANGE, CHART_GREEN};
  p->panel[p->panels].y.label = "momentum, N s";
  for (int k = 0; k < p->films; k++) {
    const int axes = p->films > 1 ? 2 : p->film[k].file.head.dimension;
    for (int c = 0; c < axes; c++)
      add(p, k, names[c], wet(&p->film[k], RECORD_FLUID_px + (record_fluid)c),
          p->films > 1 && c ? CHART_DASHED : CHART_LINE, colours[c]);
  }
}

// A logarithm has no place for steps without iterations; where there are none at all, it is not one.
static void make_work(plan *p) {
  int any = 0;
  for (int k = 0; k < p->films; k++)
    any = any || p->film[k].has_outer || p->film[k].has_inner;
  p->panel[p->panels].y = (chart_axis){.label = "iterations", .log = any};
  for (int k = 0; k < p->films; k++) {
    const perp_method *method = perp_find_method(p->film[k].file.head.method);
    add(p, k, describe_iterations(method),
        any ? p->film[k].outer : wet(&p->film[k], RECORD_FLUID_newton), CHART_LINE, CHART_BLUE);
    if (p->film[k].has_inner)
      add(p, k, "inner", p->film[k].inner, p->films > 1 ? CHART_DASHED : CHART_LINE, CHART_ORANGE);
  }
}

static void make_divergence(plan *p) {
  p->panel[p->panels].y = (chart_axis){.label = "divergence, 1/s", .log = 1, .floor = least};
  for (int k = 0; k < p->films; k++)
    add(p, k, "", p->film[k].divergence, CHART_LINE, CHART_BLUE);
}

typedef struct kind { const char *name; void (*make)(plan *p); } kind;
static const kind kinds_of_bodies[] = {
    {"energies", make_energies},     {"contacts", make_contacts},
    {"residuals", make_residuals},   {"iterations", make_iterations},
    {"penetration", make_penetration}, {0}};
static const kind kinds_of_liquids[] = {
    {"volume", make_volume},         {"energies", make_energies},
    {"momentum", make_momentum},     {"iterations", make_work},
    {"residuals", make_residuals},   {"divergence", make_divergence}, {0}};

static const kind *kinds_of(const plan *p) {
  return p->film[0].file.head.fluid ? kinds_of_liquids : kinds_of_bodies;
}

static void add_panel(plan *p, const kind *which) {
  p->panel[p->panels] = (chart){.x = {.label = "time, s"}, .curve = p->curve[p->panels]};
  which->make(p);
  p->panels++;
}

// --what energies,residuals in that order; nothing, or "all": all of them.
static int choose_panels(plan *p) {
  const char *names = argument(p->args, "what"), *at = names;
  const kind *kinds = kinds_of(p);
  int count = 0;
  while (kinds[count].name) count++;
  if (!names || !strcmp(names, "all")) {
    for (int k = 0; k < count; k++) add_panel(p, &kinds[k]);
    return CODE_OK;
  }
  while (p->panels < count) {
    const size_t length = strcspn(at, ",");
    int which = 0;
    while (which < count && (strlen(kinds[which].name) != length ||
                             strncmp(kinds[which].name, at, length) != 0)) which++;
    if (which == count) break;
    add_panel(p, &kinds[which]);
    if (!at[length]) return CODE_OK;
    at += length + 1;
  }
  char list[128] = "";
  for (int k = 0; k < count; k++)
    text_append(list, sizeof list, "%s%s", k ? ", " : "", kinds[k].name);
  return fail(CODE_USAGE, "--what = %s: choose from %s and all", names, list);
}

// ------------------------------------------------------------------------------------- the picture

static const char *title_of(const plan *p, char *out, size_t size) {
  const char *given = argument(p->args, "title");
  const recording_head *head = &p->film[0].file.head;
  *out = 0;
  if (given) return given;
  if (p->films == 1) {
    text_append(out, size, "%s: %s", head->scene, head->title ? head->title : "");
    return out;
  }
  const int same = same_scene(p);
  if (same) text_append(out, size, "%s: ", head->scene);
  for (int k = 0; k < p->films; k++) {
    text_append(out, size, "%s%s", k ? ", " : "", p->film[k].name);
    if (!same) text_append(out, size, " (%s)", p->film[k].file.head.scene);
  }
  return out;
}

// The residuals of one step by iteration, of each recording.
static int draw_step(plan *p, const char *path) {
  char title[256], label[64];
  const film *shortest = &p->film[0];
  for (int k = 1; k < p->films; k++)
    if (p->film[k].steps.rows < shortest->steps.rows) shortest = &p->film[k];
  if (shortest->file.head.fluid)
    return fail(CODE_USAGE, "--step is for bodies: a liquid has no residuals of single iterations");
  int64_t step = 1, last = (int64_t)shortest->steps.rows - 1;
  if (last < 1)
    return fail(CODE_INPUT, "%s: there is no step in it, only the start", shortest->file.path);
  int code = settings_whole(p->args, "step", 1, last, &step);
  if (code) return code;
  double *memory = calloc((size_t)p->films*2*RECORD_TRACE_MAX + 1, sizeof *memory);
  chart_curve curve[FILES_MAX] = {{0}};
  if (!memory) return fail(CODE_IO, "out of memory");
  for (int k = 0; k < p->films; k++) {
    const film *f = &p->film[k];
    const record_point *point = f->steps.point;
    for (int64_t r = 0; r < step; r++) point += f->steps.points[r];
    double *x = memory + (size_t)k*2*RECORD_TRACE_MAX, *y = x + RECORD_TRACE_MAX;
    const uint32_t count = f->steps.points[step];
    for (uint32_t i = 0; i < count && i < RECORD_TRACE_MAX; i++) {
      x[i] = point[i].iteration;
      y[i] = point[i].residual > -99.0f ? pow(10.0, (double)point[i].residual) : 0.0;
    }
    curve[k] = (chart_curve){.name = p->films > 1 ? f->name : NULL, .x = x, .y = y,
                             .count = count};
  }
  const double tol = p->film[0].file.head.tol;
  text_buffer number;
  snprintf(p->tolerance, sizeof p->tolerance, "tolerance %s", text_number(tol, &number));
  const chart_mark mark = {.kind = CHART_HORIZONTAL, .y = tol, .text = p->tolerance};
  snprintf(label, sizeof label, ": the largest island of step %lld", (long long)step);
  const char *head = title_of(p, title, sizeof title);
  if (head == title) text_append(title, sizeof title, "%s", label);
  const chart picture = {.path = path, .title = head,
                         .x = {.label = "iteration", .whole = 1},
                         .y = {.label = "residual", .log = 1, .floor = least}, .curve = curve,
                         .curves = p->films, .mark = &mark, .marks = tol > 0.0,
                         .empty = "no iterations"};
  code = chart_write(&picture);
  free(memory);
  return code;
}

static int draw(plan *p, const char *path) {
  char title[256], caption[200] = "";
  int code = choose_panels(p);
  if (code) return code;
  const recording_head *head = &p->film[0].file.head;
  p->panel[0].path = path;
  p->panel[0].title = title_of(p, title, sizeof title);
  if (p->panels == 1) return chart_write(&p->panel[0]);
  if (p->films == 1 && head->command) text_append(caption, sizeof caption, "%s", head->command);
  return chart_write_stack(p->panel, p->panels, *caption ? caption : NULL);
}

static void report(const plan *p, const char *path) {
  json_t *object = message_object(), *list = json_array();
  for (int k = 0; k < p->films; k++) {
    const film *f = &p->film[k];
    const int64_t steps = (int64_t)f->steps.rows - 1;
    if (object) {
      json_array_append_new(list, json_pack("{s:o,s:I,s:I}", "recording", json_text(f->file.path),
                                            "steps", (json_int_t)steps, "unsolved",
                                            (json_int_t)f->failures));
      continue;
    }
    text_buffer count;
    report_line("recording", "%s: %s, %lld not solved", f->file.path,
                text_count(steps, "step", "steps", &count), (long long)f->failures);
  }
  if (!object) {
    json_decref(list);
    report_line("plot", "%s", path);
    return;
  }
  json_object_set_new(object, "plot", json_text(path));
  json_object_set_new(object, "kind", json_string("recording"));
  json_object_set_new(object, "panels", json_integer(p->panels));
  json_object_set_new(object, "recordings", list);
}

int plot_recordings(const arguments *args, const char *path) {
  plan *p = calloc(1, sizeof *p);
  if (!p) return fail(CODE_IO, "out of memory");
  p->args = args;
  int code = argument(args, "what") && argument(args, "step")
                 ? fail(CODE_USAGE, "--what and --step contradict each other") : CODE_OK;
  if (!code) code = read_films(p);
  if (!code) code = argument(args, "step") ? draw_step(p, path) : draw(p, path);
  if (!code) report(p, path);
  for (int k = 0; k < p->films; k++) {
    free(p->film[k].total);
    record_steps_free(&p->film[k].steps);
    recording_close(&p->film[k].file);
  }
  free(p);
  return code;
}
