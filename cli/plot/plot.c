// plot.c: perp plot: a problem and its solution as a picture, or the columns of a table as curves.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "field.h"
#include "file.h"
#include "gnuplot.h"
#include "interrupt.h"
#include "pattern.h"
#include "plot_recording.h"
#include "plot_table.h"
#include "progress.h"
#include "report.h"
#include "solve_settings.h"
#include "text.h"

enum { CONTOUR_LEVELS = 9 };   // of a field

typedef struct session {
  const arguments *args;
  problem_files files;
  perp_options options;
  progress live;
  int given;                 // x came from a file
  mtx_matrix answer;         // that file
  const double *x;           // n
  double *y;                 // n: A x + b
  double *gap;               // n: how far a step x - y/A_ii stays inside; <= 0: on a bound
  uint8_t *region;           // n
  int64_t count[FIELD_REGIONS];
  perp_certificate certificate;
  const perp_method *method; // that found x, NULL if it was given
  int has_grid, of_y;        // of_y: y is drawn
  grid grid;
} session;

// -------------------------------------------------------------------------------------- the answer

static int on_iteration(void *context, const perp_statistics *statistics) {
  session *s = context;
  progress_show(&s->live, statistics);
  return interrupt_seen();
}

static int find_answer(session *s, const char *path) {
  const perp_problem *problem = &s->files.problem;
  if (path) {
    s->given = 1;
    const int code = problem_files_vector(path, problem->A.n, 0, 0, &s->answer);
    if (code) return code;
    s->x = s->answer.value;
  } else {
    perp_result result;
    s->options.on_iteration = on_iteration;
    s->options.context = s;
    s->live = progress_begin(s->args, &s->options);
    interrupt_listen(INTERRUPT_CTRL_C);
    const perp_error error = perp_solve_once(problem, s->files.x, &s->options, &result);
    progress_clear();
    if (error != PERP_OK) return fail_library(error);
    s->method = result.method;
    s->x = s->files.x;
  }
  const perp_error error = perp_certify(problem, s->x, s->options.tol, s->options.absolute_tol,
                                        s->y, &s->certificate);
  return error == PERP_OK ? CODE_OK : fail_library(error);
}

static double diagonal(const mtx_matrix *A, int32_t i) {
  if (A->dense) return A->value[(size_t)i*((size_t)A->rows + 1)];
  for (int32_t k = A->colptr[i]; k < A->colptr[i + 1]; k++) {
    if (A->row[k] == i) return A->value[k];
  }
  return 0.0;
}

// A row is on its bound if a step x - y/A_ii would leave it there: no tolerance, no units.
static void find_regions(session *s) {
  const perp_problem *p = &s->files.problem;
  for (int32_t i = 0; i < p->A.n; i++) {
    const double lo = p->lo ? p->lo[i] : 0.0, hi = p->hi ? p->hi[i] : INFINITY;
    const double size = fabs(diagonal(&s->files.A, i)), d = size > 0.0 ? size : 1.0;
    const double above = isfinite(lo) ? d*(s->x[i] - lo) - s->y[i] : INFINITY;
    const double below = isfinite(hi) ? d*(hi - s->x[i]) + s->y[i] : INFINITY;
    s->gap[i] = fmin(above, below);
    s->region[i] = above <= 0.0 ? FIELD_AT_LO : below <= 0.0 ? FIELD_AT_HI : FIELD_FREE;
    s->count[s->region[i]]++;
  }
}

// Flat where all rows of a region have the same bound; y has its say on bounds above all.
static field_paint paint(const session *s, field_region region) {
  if (s->of_y) return FIELD_CLEAR;
  const double *bound = region == FIELD_AT_LO ? s->files.problem.lo : s->files.problem.hi;
  int32_t first = -1;
  for (int32_t i = 0; bound && i < s->files.problem.A.n; i++) {
    if (s->region[i] != region) continue;
    if (first < 0) first = i;
    if (bound[i] != bound[first]) return FIELD_HATCHED;
  }
  return FIELD_FLAT;
}

// ---------------------------------------------------------------------------------------- the grid

static int grid_mismatch(const session *s, const char *source) {
  const grid *g = &s->grid;
  return fail(CODE_INPUT, "%s: %d x %d points with %lld unknowns, but A has %d rows", source,
              (int)g->nx, (int)g->ny, (long long)grid_unknowns(g), (int)s->files.problem.A.n);
}

// --grid, else DIR/grid.json, else DIR/cells.csv of a liquid in the plane, else none.
static int find_grid(session *s, const char *directory) {
  const char *text = argument(s->args, "grid"), *kind = argument(s->args, "kind");
  char path[FILE_PATH_BYTES], message[512] = "", source[FILE_PATH_BYTES];
  if (kind && !strcmp(kind, "matrix")) return CODE_OK;
  if (text) {
    int32_t sides[2] = {0, 0};
    const int code = settings_size(s->args, "grid", "50x40: 50 points along x, 40 along y", 1,
                                   GRID_SIDE_MAX, sides);
    if (code) return code;
    s->grid = grid_plain(sides[0], sides[1]);
    s->has_grid = 1;
    snprintf(source, sizeof source, "--grid = %.64s", text);
  }
  for (int packed = 0; packed < 2 && !s->has_grid && directory; packed++) {
    struct stat status;
    snprintf(path, sizeof path, "%.*s/" GRID_FILE "%s", FILE_PATH_BYTES - 32, directory,
             packed ? ".gz" : "");
    if (stat(path, &status) != 0) continue;
    const int code = grid_read(path, &s->grid, message, sizeof message);
    if (code) return fail(code, "%s", message);
    s->has_grid = 1;
    snprintf(source, sizeof source, "%s", path);
  }
  snprintf(path, sizeof path, "%.*s/" GRID_CELLS, FILE_PATH_BYTES - 32, directory ? directory : "");
  struct stat status;
  if (!s->has_grid && directory && stat(path, &status) == 0) {
    const int code = grid_read_cells(path, &s->grid, message, sizeof message);
    if (code) return fail(code, "%s", message);
    s->has_grid = s->grid.nx > 0;
    snprintf(source, sizeof source, "%s", path);
  }
  if (!s->has_grid && kind && !strcmp(kind, "field")) {
    return fail(CODE_USAGE, "--kind field needs a grid: --grid NXxNY, or " GRID_FILE
                            " in the directory");
  }
  if (s->has_grid && grid_unknowns(&s->grid) != s->files.problem.A.n)
    return grid_mismatch(s, source);
  return CODE_OK;
}

// ------------------------------------------------------------------------------------- the picture

static void describe(const session *s, char *caption, size_t size) {
  const perp_certificate *c = &s->certificate;
  *caption = 0;
  if (s->given) text_append(caption, size, c->solved ? "x holds" : "x is no solution");
  else if (c->solved) text_append(caption, size, "solved by %s", s->method->name);
  else text_append(caption, size, "not solved by %s", s->method->name);
  text_append(caption, size, ", residual %.2g", c->residual);
  const int32_t block = s->has_grid ? field_block(&s->grid) : 1;
  if (block > 1)
    text_append(caption, size, "; a pixel is the mean of %d x %d points", (int)block, (int)block);
}

static int draw(const session *s, const char *path) {
  char title[320], caption[200];
  const char *given = argument(s->args, "title"), *slash = strrchr(s->files.name, '/');
  const char *name = slash && slash[1] ? slash + 1 : s->files.name;
  const int32_t n = s->files.problem.A.n;
  describe(s, caption, sizeof caption);
  if (s->has_grid) {
    const char *value = s->of_y ? "y = A x + b" : s->grid.value;
    snprintf(title, sizeof title, "%.160s: %s, %d x %d points", name, value, (int)s->grid.nx,
             (int)s->grid.ny);
    const field picture = {.path = path, .title = given ? given : title, .caption = caption,
                           .grid = &s->grid, .x = s->of_y ? s->y : s->x, .value = value,
                           .gap = s->gap, .region = s->region,
                           .paint = {FIELD_CLEAR, paint(s, FIELD_AT_LO), paint(s, FIELD_AT_HI)},
                           .levels = s->of_y ? 0 : CONTOUR_LEVELS};   // y jumps at the boundary
    return field_write(&picture);
  }
  snprintf(title, sizeof title, "%.200s: n = %d, nnz = %lld", name, (int)n,
           (long long)s->files.nnz);
  const pattern picture = {.path = path, .title = given ? given : title, .caption = caption,
                           .files = &s->files, .x = s->x, .y = s->y, .region = s->region};
  return pattern_write(&picture);
}

static void report(const session *s, const char *path) {
  const perp_certificate *c = &s->certificate;
  json_t *object = message_object();
  if (object) {
    json_object_set_new(object, "plot", json_text(path));
    json_object_set_new(object, "kind", json_string(s->has_grid ? "field" : "matrix"));
    json_object_set_new(object, "status", json_string(c->solved ? "solved" : "unsolved"));
    json_object_set_new(object, "method", s->method ? json_text(s->method->name) : json_null());
    report_json_problem(object, &s->files);
    json_object_set_new(object, "residual", json_number(c->residual));
    json_object_set_new(object, "at_lo", json_integer(s->count[FIELD_AT_LO]));
    json_object_set_new(object, "free", json_integer(s->count[FIELD_FREE]));
    json_object_set_new(object, "at_hi", json_integer(s->count[FIELD_AT_HI]));
    return;
  }
  report_headline(c->solved, c->solved ? "solved" : "unsolved",
                  c->solved ? "the certificate holds" : "what is drawn is not a solution");
  report_problem(&s->files, c);
  report_line("residual", "%.3g", c->residual);
  report_line("rows", "%lld at lo, %lld free, %lld at hi", (long long)s->count[FIELD_AT_LO],
              (long long)s->count[FIELD_FREE], (long long)s->count[FIELD_AT_HI]);
  report_line("plot", "%s", path);
}

static int plot_problem(session *s, const char *directory, const char *answer, const char *path) {
  int code = problem_files_read(s->args, directory, 1, 0, &s->files);
  if (code) return code;
  const size_t n = (size_t)s->files.problem.A.n;
  if (n == 0)
    return fail(CODE_INPUT, "%s: a problem without unknowns has no picture", s->files.name);
  s->y = malloc(n*sizeof *s->y);
  s->gap = malloc(n*sizeof *s->gap);
  s->region = malloc(n);
  if (!s->y || !s->gap || !s->region) return fail(CODE_IO, "out of memory for %zu unknowns", n);
  code = find_grid(s, directory);
  if (!code) code = find_answer(s, answer);
  if (code) return code;
  find_regions(s);
  code = draw(s, path);
  if (code) return code;
  report(s, path);
  if (s->certificate.solved) return CODE_OK;
  return interrupt_seen() ? CODE_INTERRUPTED : CODE_UNSOLVED;
}

// ------------------------------------------------------------------------------------- the command

typedef enum subject { PROBLEM, TABLE, RECORDING } subject;

// Options that make no sense for what was named are slips.
static int check_options(const arguments *args, subject what) {
  static const char *const one[] = {"problem", "table", "recording"};
  static const struct { const char *name; subject of; } only[] = {
      {"x", TABLE}, {"y", TABLE}, {"by", TABLE}, {"log", TABLE}, {"points", TABLE},
      {"grid", PROBLEM}, {"kind", PROBLEM}, {"value", PROBLEM}, {"method", PROBLEM},
      {"time-limit", PROBLEM}, {"x0", PROBLEM}, {"matrix", PROBLEM}, {"vector", PROBLEM},
      {"lo", PROBLEM}, {"hi", PROBLEM}, {"what", RECORDING}, {"step", RECORDING}};
  for (size_t i = 0; i < sizeof only/sizeof *only; i++) {
    if (!argument(args, only[i].name) || only[i].of == what) continue;
    return fail(CODE_USAGE, "--%s is for %ss, and %s is a %s", only[i].name, one[only[i].of],
                args->operands ? args->operand[0] : "-A FILE", one[what]);
  }
  return CODE_OK;
}

static int ends_with(const char *path, const char *ending) {
  const size_t length = strlen(path), tail = strlen(ending);
  return length > tail && !strcmp(path + length - tail, ending);
}

static int is_recording(const char *path) {
  char start[8] = "";
  if (ends_with(path, ".perp")) return 1;
  FILE *file = fopen(path, "rb");
  const size_t got = file ? fread(start, 1, sizeof start, file) : 0;
  if (file) fclose(file);
  return got == sizeof start && !memcmp(start, RECORD_MAGIC, sizeof start);
}

// What was named, and whether it is there.
static int find_subject(const arguments *args, subject *what) {
  struct stat status;
  *what = PROBLEM;
  if (argument(args, "matrix")) return CODE_OK;
  if (!args->operands)
    return fail(CODE_USAGE, "what? usage: perp plot %s", args->command->synopsis[0]);
  const char *path = args->operand[0];
  const int missing = strcmp(path, "-") != 0 && stat(path, &status) != 0;
  if (missing)
    return fail(CODE_INPUT, "%s: there is no such directory, table or recording", path);
  if (!strcmp(path, "-")) *what = TABLE;
  else if (!S_ISDIR(status.st_mode) && ends_with(path, ".mtx"))
    return fail(CODE_USAGE, "%s is a matrix or a vector; name the problem's directory first: perp plot "
                "DIR X.mtx -o FILE", path);
  else if (!S_ISDIR(status.st_mode)) *what = is_recording(path) ? RECORDING : TABLE;
  return CODE_OK;
}

static int run_problem(const arguments *args, const char *path) {
  const int files = argument(args, "matrix") != NULL;   // -A and -b: no directory
  const char *directory = files ? NULL : args->operand[0];
  const char *answer = args->operands > !files ? args->operand[!files] : NULL;
  if (args->operands > 1 + !files)
    return fail(CODE_USAGE, "one x at a time: '%s'", args->operand[1 + !files]);
  const char *name = argument(args, "method");
  const perp_method *method = method_find(name ? name : "auto");
  if (!method) return CODE_USAGE;
  const char *value = argument(args, "value");
  session s = {.args = args, .options = perp_default_options(method),
               .of_y = value && !strcmp(value, "y")};
  int code = settings_apply(args, method, &s.options);
  const char *limit = argument(args, "time-limit");
  if (!code && limit && !duration_parse(limit, &s.options.time_limit))
    code = fail(CODE_USAGE, "--time-limit = %s is not a time; write 5ms, 2s, 1.5min or none",
                limit);
  if (!code) code = plot_problem(&s, directory, answer, path);
  problem_files_free(&s.files);
  mtx_free(&s.answer);
  grid_free(&s.grid);
  free(s.y);
  free(s.gap);
  free(s.region);
  return code;
}

static int run(const arguments *args) {
  const char *path = argument(args, "output");
  char message[512] = "", name[FILE_PATH_BYTES];
  subject what;
  if (!path && (!args->operands || !is_recording(args->operand[0])))
    return fail(CODE_USAGE, "the name of the picture is missing; give -o picture.svg or "
                            "-o picture.png");
  int code = find_subject(args, &what);
  if (code) return code;
  if (!recording_output(path, args->operand[0], ".svg", name, sizeof name))
    return fail(CODE_USAGE, "the name of the file is too long");
  path = name;
  int32_t word;
  code = settings_choice(args, "kind", &word);
  if (!code) code = settings_choice(args, "value", &word);
  if (!code) code = check_options(args, what);
  if (!code) code = gnuplot_check("-o", path, NULL);
  if (!code && (code = file_check(path, message, sizeof message)) != 0) fail(code, "%s", message);
  if (code) return code;
  switch (what) {
    case TABLE: return plot_table(args, path);
    case RECORDING: return plot_recordings(args, path);
    default: return run_problem(args, path);
  }
}

static const option_row rows[] = {
  {"output", 'o', "FILE", OPTION_FILE,
   "the picture to write: .svg or .png (needs gnuplot; default for a recording a.perp: a.svg)"},
  {"title", 0, "TEXT", OPTION_TEXT, "the title of the picture"},
  OPTION_PROBLEM,
  {"x0", 0, "FILE", OPTION_FILE, "the guess to start from, instead of DIR/x0.mtx (default 0)"},
  {"method", 'm', "NAME", OPTION_METHOD, "the method that solves the problem if no x is given "
                                         "(default auto)"},
  {"time-limit", 0, "TIME", OPTION_TEXT, "the time limit of that method, such as 5ms, 2s or 1min"},
  {"grid", 0, "NXxNY", OPTION_TEXT,
   "the unknowns form a grid of this size, numbered along x first; instead of DIR/" GRID_FILE},
  {"value", 0, "x|y", OPTION_CHOICE, "the quantity shown on a grid (default x); y is the contact "
                                     "force"},
  {"kind", 0, "field|matrix", OPTION_CHOICE,
   "field: colours on the grid; matrix: the entries of A and the pairs of x and y (default: field "
   "if there is a grid)"},
  {"x", 0, "NAME", OPTION_TEXT,
   "tables: the column on the x axis (default: the first with numbers, or the row number if only "
   "one column has numbers)"},
  {"y", 0, "NAMES", OPTION_TEXT,
   "tables: the columns to draw as curves, separated by commas (default all others with numbers)"},
  {"by", 0, "NAME", OPTION_TEXT, "tables: draw one curve for each value of this column"},
  {"log", 0, "AXES", OPTION_TEXT, "tables: logarithmic axes: x, y or x,y"},
  {"points", 0, NULL, OPTION_FLAG, "tables: draw points without lines"},
  {"what", 0, "NAMES", OPTION_TEXT,
   "recordings: the curves to draw, separated by commas. Bodies: energies, contacts, residuals, "
   "iterations, penetration. Liquids: volume, energies, momentum, iterations, residuals, "
   "divergence (default all)"},
  {"step", 0, "N", OPTION_TEXT, "recordings: draw how the residual fell in step N"},
  OPTION_JSON,
  OPTION_QUIET,
  {0}};

extern const command command_plot;
const command command_plot = {
  .name = "plot",
  .title = "draw a problem with its solution, a table, or the statistics of a recording",
  .synopsis = {"DIR [X.mtx] -o FILE [OPTION]...", "-A FILE -b FILE [X.mtx] -o FILE [OPTION]...",
               "TABLE.csv -o FILE [--x NAME] [--y NAMES] [OPTION]...",
               "A.perp [B.perp]... [-o FILE] [--what NAMES] [OPTION]..."},
  .description =
    "Draws a problem with its solution, a table, or a recording, as SVG or PNG.\n\n"
    "A problem on a grid: colours and contours show x, rows on their bounds are grey or hatched, "
    "and the line around them is the free boundary. The grid comes from " GRID_FILE ", which 'perp "
    "gen' writes for bearing, obstacle, torsion and fluid2d, or from --grid. Large grids are "
    "averaged over blocks of points, and the caption says so. Without a grid, the picture has two "
    "parts: the entries of A, and for each row the distance of x from its bound against |y|. In a "
    "solution one of the two is zero.\n\n"
    "Without X.mtx the problem is solved first. In both cases the certificate is computed, and its "
    "verdict is in the caption. The exit status is 0 only if x is a solution. A row counts as "
    "being on a bound if a step x - y/A_ii ends there.\n\n"
    "A table is a CSV or TSV file with a header, such as 'perp solve --trace' writes. Columns "
    "become curves. Fields that are not numbers leave gaps; on a logarithmic axis, so do numbers "
    "that are not positive.\n\n"
    "A recording of 'perp run' is drawn over time. For bodies the curves are the energies, "
    "contacts, iterations, the residual of each step with the tolerance, and the deepest overlap. "
    "For a liquid they are the change of volume, energies, momentum, iterations, residuals and "
    "divergence. Red crosses mark steps that were not solved. One picture can have up to four "
    "recordings.",
  .options = rows,
  .dynamic = DYNAMIC_CERTIFICATE,
  .operands_max = OPERAND_MAX,
  .operands_help = "the problem, the table, or up to four recordings",
  .examples = {
    {"perp gen bearing -o bearing && perp plot bearing -o pressure.svg",
     "the oil film in a bearing, and where it cavitates"},
    {"perp plot trace.csv -o convergence.svg --x iteration --y residual --log y",
     "how a method converged"},
    {"perp plot times.tsv -o growth.svg --x n --y seconds --by method --log x,y",
     "a curve for each method"},
    {"perp plot a.perp b.perp -o both.svg --what energies,residuals", "two recordings, compared"},
  },
  .run = run,
};
