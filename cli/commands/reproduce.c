// reproduce.c: perp reproduce: repeats the experiments of a paper.
#include "reproduce.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "gnuplot.h"
#include "interrupt.h"
#include "report.h"
#include "solve_settings.h"
#include "suggest.h"
#include "text.h"

extern const experiment experiment_ane17, experiment_mns08;
static const experiment *const experiments[] = {&experiment_ane17, &experiment_mns08};
enum { COUNT = sizeof experiments / sizeof *experiments };

const char *experiment_name_at(const void *unused, int index) {
  (void)unused;
  return index < COUNT ? experiments[index]->name : NULL;
}

static const experiment *find(const char *name) {
  for (int i = 0; i < COUNT; i++) {
    if (!strcmp(experiments[i]->name, name)) return experiments[i];
  }
  const char *near = suggest(name, experiment_name_at, NULL);
  if (near) fail(CODE_USAGE, "there is no experiment '%s'; did you mean '%s'?", name, near);
  else fail(CODE_USAGE, "there is no experiment '%s'; 'perp reproduce' lists them", name);
  return NULL;
}

static int list(void) {
  json_t *object = message_object(), *array = object ? json_array() : NULL;
  for (int i = 0; i < COUNT; i++) {
    if (!array) {
      text_row(stdout, 0, experiments[i]->name, 10, experiments[i]->title);
      continue;
    }
    json_t *item = json_object();
    json_object_set_new(item, "experiment", json_text(experiments[i]->name));
    json_object_set_new(item, "title", json_text(experiments[i]->title));
    json_object_set_new(item, "source", json_text(experiments[i]->source));
    json_array_append_new(array, item);
  }
  if (array) json_object_set_new(object, "experiments", array);
  else printf("\n'perp reproduce NAME -o DIR' runs one of them.\n");
  return CODE_OK;
}

void reproduction_say(const reproduction *r, const char *format, ...) {
  if (r->quiet) return;
  char text[1024], visible[4*sizeof text];
  va_list given;
  va_start(given, format);
  vsnprintf(text, sizeof text, format, given);
  va_end(given);
  fprintf(stderr, "%s\n", text_visible(text, visible, sizeof visible));
}

static void path_of(const reproduction *r, const char *file, char path[FILE_PATH_BYTES]) {
  snprintf(path, FILE_PATH_BYTES, "%.*s/%.200s", FILE_PATH_BYTES - 256, r->folder, file);
}

int reproduction_save(reproduction *r, const char *file, document_writer writer,
                      const void *what) {
  char path[FILE_PATH_BYTES];
  path_of(r, file, path);
  const int code = document_save(path, writer, what);
  if (!code) json_array_append_new(r->files, json_text(file));
  return code;
}

int reproduction_draw(reproduction *r, const char *name, chart *picture) {
  char file[2][256], path[2][FILE_PATH_BYTES];
  snprintf(file[0], sizeof file[0], "%s.tsv", name);
  snprintf(file[1], sizeof file[1], "%s.svg", name);
  for (int k = 0; k < 2; k++) path_of(r, file[k], path[k]);
  picture->table = path[0];
  picture->path = path[1];
  const int code = r->pictures ? chart_write(picture) : chart_write_table(picture);
  for (int k = 0; !code && k <= r->pictures; k++)
    json_array_append_new(r->files, json_text(file[k]));
  return code;
}

// The folder exists afterwards and can be written to.
static int prepare(const char *folder) {
  struct stat status;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return fail(CODE_IO, "%s: cannot make the directory: %s", folder, strerror(errno));
  if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
    return fail(CODE_USAGE, "%s exists and is not a directory", folder);
  if (access(folder, W_OK | X_OK) != 0)
    return fail(CODE_IO, "%s: cannot write into the directory: %s", folder, strerror(errno));
  return CODE_OK;
}

static void report(const reproduction *r, const experiment *what) {
  json_t *object = message_object();
  if (object) {
    json_object_set_new(object, "experiment", json_text(what->name));
    json_object_set_new(object, "directory", json_text(r->folder));
    json_object_set_new(object, "quick", json_boolean(r->quick));
    json_object_set_new(object, "seed", json_integer((json_int_t)r->seed));
    json_object_set(object, "files", r->files);
    return;
  }
  char names[2048] = "";
  size_t index;
  json_t *name;
  json_array_foreach(r->files, index, name)
    text_append(names, sizeof names, "%s%s", index ? " " : "", json_string_value(name));
  report_line("experiment", "%s", what->source);
  report_line("wrote", "%s: %s", r->folder, names);
}

static int run(const arguments *args) {
  if (args->operands == 0) return list();
  const experiment *what = find(args->operand[0]);
  if (!what) return CODE_USAGE;
  reproduction r = {.folder = argument(args, "output") ? argument(args, "output") : what->name,
                    .quick = argument(args, "quick") != NULL,
                    .quiet = argument(args, "quiet") != NULL};
  char where[1024];
  r.pictures = gnuplot_find_program("gnuplot", where, sizeof where);
  int code = argument(args, "seed") ? settings_seed(argument(args, "seed"), &r.seed) : CODE_OK;
  if (!code) code = prepare(r.folder);
  if (code) return code;
  if (!r.pictures)
    warn("gnuplot is not on PATH: the figures are written as numbers only (Debian: apt install "
         "gnuplot-nox)");
  r.files = json_array();
  interrupt_listen(INTERRUPT_CTRL_C);
  code = what->run(&r);
  interrupt_listen(INTERRUPT_NONE);
  if (!code) report(&r, what);
  json_decref(r.files);
  return code;
}

static const option_row rows[] = {
    {"output", 'o', "DIR", OPTION_FOLDER,
     "the directory to write into, created if it is missing (default: the name of the experiment)"},
    {"quick", 0, NULL, OPTION_FLAG, "only the small problems: seconds instead of minutes"},
    {"seed", 's', "N", OPTION_TEXT,
     "seed of the random numbers (default 0); the same seed gives the same bytes, except for "
     "times"},
    OPTION_QUIET,
    OPTION_JSON,
    {0}};

extern const command command_reproduce;
const command command_reproduce = {
  .name = "reproduce",
  .title = "repeat the experiments of a paper",
  .synopsis = {"NAME [-o DIR] [--quick] [OPTION]...", "[--json]"},
  .description =
    "Repeats the numerical experiments of a paper. It writes the paper's tables and figures with "
    "the paper's numbers beside ours: tables as TSV, figures as SVG with their numbers as TSV, and "
    "report.md, which shows all of them and explains the differences. Files of the same names in "
    "the directory are overwritten. Without a name, the command lists the experiments.",
  .options = rows,
  .operands_max = 1,
  .operand_kind = OPERAND_EXPERIMENT,
  .operands_help = "the experiment",
  .examples = {
    {"perp reproduce", "which experiments there are"},
    {"perp reproduce mns08 -o out", "all tables and figures: some minutes"},
    {"perp reproduce ane17 -o out", "pressure solvers of a liquid, as in 2017: some minutes"},
    {"perp reproduce mns08 --quick", "the five small problems, into the directory mns08"},
  },
  .run = run,
};
