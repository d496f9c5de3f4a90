// run_command.c: perp run: simulates and records a scene of bodies or of a liquid.
#include "run_command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "recording_head.h"
#include "solve_settings.h"
#include "text.h"

static int on_iteration(void *context, const perp_statistics *statistics) {
  (void)context;
  (void)statistics;
  return interrupt_seen();
}

// The scenes as families of parameters, for options, help and completion.
static const perp_family *family_at(int32_t index) {
  static perp_family families[32];
  const scene *what = scene_at(index);
  if (!what || index >= (int32_t)(sizeof families/sizeof *families)) return NULL;
  families[index] = (perp_family){.name = what->name, .title = what->title, .answer = what->look,
                                  .parameters = what->parameters,
                                  .parameter_count = what->parameter_count};
  return &families[index];
}

static const char *kind_of(const perp_family *family) {
  return scene_find(family->name)->fill ? run_liquid.noun : run_bodies.noun;
}

static int is_liquid(const perp_family *family) { return scene_find(family->name)->fill != NULL; }

static int read_scene(run_session *s) {
  const arguments *args = s->args;
  s->scene = scene_find(args->family->name);
  s->kind = s->scene->fill ? &run_liquid : &run_bodies;
  for (int i = 0; i < args->table.count; i++) {
    const option_entry *entry = &args->table.entry[i];
    if (!entry->quantity) continue;
    double *value = &s->values[entry->quantity_index];
    *value = entry->quantity->initial;
    const int code = args->value[i] ? settings_quantity(entry, args->value[i], value) : CODE_OK;
    if (code) return code;
  }
  if (argument(args, "seed")) {
    const int code = settings_seed(argument(args, "seed"), &s->seed);
    if (code) return code;
  }
  return s->kind->build(s);
}

static int check_kind(const run_session *s) {
  const arguments *args = s->args;
  for (int i = 0; i < args->table.count; i++) {
    const option_entry *entry = &args->table.entry[i];
    if (entry->only && entry->apart && args->value[i])
      return fail(CODE_USAGE, "--%s is only for scenes of %s; %s is a scene of "
                              "%s", entry->name, entry->only,
                  s->scene->name, s->kind->noun);
  }
  return CODE_OK;
}

static int read_save_every(const arguments *args, double *seconds) {
  return settings_number(args, "save-every", 0.0, 1e9, seconds);
}

static int read_settings(run_session *s) {
  const arguments *args = s->args;
  const char *name = argument(args, "method");
  const perp_method *method = method_find(name ? name : "auto");
  if (!method) return CODE_USAGE;
  s->options = perp_default_options(method);
  s->every = 1;
  s->recorder.save_every = 10.0;
  int code = check_kind(s);
  if (!code) code = settings_apply(args, method, &s->options);
  if (!code) code = settings_whole(args, "every", 1, 65536, &s->every);
  if (!code) code = read_save_every(args, &s->recorder.save_every);
  s->options.seed = s->seed;
  s->options.on_iteration = on_iteration;
  return code ? code : s->kind->settle(s);
}

// Refuses names such as a.mp4: a recording has to be rendered or exported first.
static int check_ending(const char *path) {
  static const struct { const char *ending, *command; } made[] = {
      {".mp4", "render"}, {".png", "render"}, {".html", "view"},  {".svg", "plot"},
      {".glb", "export"}, {".ply", "export"}, {".obj", "export"}, {".pvd", "export"},
      {".vtp", "export"}, {".vti", "export"}, {".vdb", "export"}, {".csv", "export"},
      {".npy", "export"}, {".npz", "export"}};
  const char *dot = strrchr(path, '.');
  for (size_t k = 0; dot && k < sizeof made/sizeof *made; k++) {
    if (strcmp(dot, made[k].ending) != 0) continue;
    char file[512];
    text_word from, to;
    snprintf(file, sizeof file, "%.*s.perp", (int)(dot - path), path);
    return fail(CODE_USAGE, "--output = %s: perp run writes a recording, such as %s; then "
                "'perp %s %s -o %s'", path, file, made[k].command,
                text_shell(file, &from), text_shell(path, &to));
  }
  return CODE_OK;
}

// Existing files are overwritten only with --force.
static int check_output(const run_session *s) {
  const char *folder = argument(s->args, "dump-problems");
  int code = s->path ? check_ending(s->path) : CODE_OK;
  if (!code && folder) code = run_dump_check(folder);
  if (code) return code;
  if (!s->path || !strcmp(s->path, "-")) return CODE_OK;
  if (record_busy(s->path)) return fail(CODE_IO, "%s: another program is writing it", s->path);
  if (argument(s->args, "force")) return CODE_OK;
  text_word word;
  switch (run_existing(s->path)) {
    case RUN_FOREIGN:
      return fail(CODE_USAGE, "%s exists and is not a recording; --force overwrites it", s->path);
    case RUN_UNFINISHED:
      return fail(CODE_USAGE, "%s is an interrupted recording; 'perp run --resume %s' continues "
                  "it, --force overwrites it", s->path, text_shell(s->path, &word));
    case RUN_FINISHED:
      return fail(CODE_USAGE, "%s is a finished recording; --force overwrites it; to keep it, "
                  "choose another name", s->path);
    default: return CODE_OK;
  }
}

static int open_recording(run_session *s, int resume) {
  recording_head head;
  if (!s->path) return CODE_OK;
  int code = run_head(s, &head);
  if (code) return code;
  s->recorder = (recorder){.every = head.every, .span = head.span, .share = s->kind->share,
                           .times = argument(s->args, "times") != NULL,
                           .save_every = s->recorder.save_every};
  code = s->kind->film(s, &head, &s->recorder.film);
  const recorder shape = s->recorder;
  if (!code && resume) code = run_resume(s, &head, &shape);
  else if (!code) {
    char *text = run_head_text(s, &head);
    if (!text) code = fail(CODE_IO, "out of memory for the header");
    else code = recorder_create(s->path, text, &head, &shape, &s->recorder);
    free(text);
  }
  recording_head_free(&head);
  return code;
}

void run_count(run_session *s, const double *row) {
  const run_kind *kind = s->kind;
  run_totals *t = &s->totals;
  const double step = row[0], residual = row[kind->residual];
  t->kinetic = row[kind->kinetic];
  t->energy = t->kinetic + row[kind->potential];
  if (step < 1.0) t->energy_start = t->energy;
  else t->steps++;
  t->last_residual = residual;
  t->residual = fmax(t->residual, residual);
  if (row[kind->unsolved] > 0.0 && t->unsolved++ == 0) t->first_unsolved = (int64_t)step;
  kind->count(t, row);
}

// One step, or at the very beginning the state before the first.
static int advance(run_session *s, int first) {
  recorder_row row = {0};
  s->step_started = progress_now();
  run_watch_step();
  int code = s->kind->step(s, first, &row);
  run_watch_stepped();
  if (interrupt_seen() && !first) return CODE_INTERRUPTED;   // its solve may have been cut short
  if (code) return code;
  const char *folder = argument(s->args, "dump-problems");
  if (folder && !first) code = s->kind->dump(s, folder);
  if (code) return code;
  for (size_t c = 0; c < RECORD_COLUMNS_MAX; c++)   // a residual may be infinite, without an x
    if (!isfinite(row.value[c])) row.value[c] = row.value[c] < 0.0 ? -1e300 : 1e300;
  for (int k = 0; k < PERP_FLUID_STAGES && !first; k++) s->stage_seconds[k] += row.stages[k];
  run_count(s, row.value);
  s->done = row.step;
  return recorder_step(&s->recorder, &row);
}

// What --resume will do with a recording that ends here.
static const char *way_on(const run_session *s, int64_t saved, char *text, size_t size) {
  text_word word;
  const char *name = text_shell(s->path, &word);
  *text = 0;
  if (saved > 0)
    text_append(text, size, "'perp run --resume %s' continues from step %lld", name,
                (long long)saved);
  else
    text_append(text, size, "no step was saved: 'perp run --resume %s' starts over", name);
  return text;
}

// Ends the recording in any case. Returns the worse of the two exit codes.
static int conclude(run_session *s, int code) {
  const int complete = code == CODE_OK, broken = code == CODE_IO && s->recorder.writer;
  const char *reason = complete ? "finished" : code == CODE_INTERRUPTED ? "interrupted" : "failed";
  char way[4200];
  int end = CODE_OK;
  if (broken) recorder_rescue(&s->recorder);
  else end = recorder_end(&s->recorder, complete, reason, s->totals.steps,
                               s->totals.unsolved, s->totals.residual);
  const int64_t saved = recorder_saved(&s->recorder);
  if (broken || end) {
    if (s->path && strcmp(s->path, "-") != 0 && s->totals.steps > 0)
      warn("%s", way_on(s, saved, way, sizeof way));
    return code ? code : end;
  }
  if (code && code != CODE_INTERRUPTED) return code;
  const int silent = (s->path && !strcmp(s->path, "-")) || argument(s->args, "quiet");
  if (!silent || message_object()) run_report(s, complete);
  if (code == CODE_INTERRUPTED) {
    if (s->path && strcmp(s->path, "-") != 0)
      return fail(code, "interrupted after %lld of %lld steps; %s", (long long)s->done,
                  (long long)s->planned, way_on(s, saved, way, sizeof way));
    return fail(code, "interrupted after %lld of %lld steps", (long long)s->done,
                (long long)s->planned);
  }
  if (s->totals.unsolved > 0)
    return fail(CODE_UNSOLVED, "%lld of %lld steps were not solved; the first is step %lld%s%s",
                (long long)s->totals.unsolved, (long long)s->totals.steps,
                (long long)s->totals.first_unsolved, s->kind->advice ? "; " : "",
                s->kind->advice ? s->kind->advice : "");
  return CODE_OK;
}

static int end_in_step(void *session) {   // in another thread, while the step goes on
  run_session *s = session;
  s->seconds = progress_now() - s->started;
  progress_clear();
  return conclude(s, CODE_INTERRUPTED);
}

static void show_step(void *session) {   // likewise
  run_session *s = session;
  const double now = progress_now();
  progress_step(&s->live, &(progress_state){.done = s->done, .total = s->planned,
                                            .seconds = now - s->started,
                                            .step_seconds = now - s->step_started});
}

static int simulate(run_session *s) {
  s->started = progress_now();
  run_watch(&(run_watcher){.end = end_in_step, .during = show_step, .context = s});
  int code = CODE_OK;
  if (s->done == 0) code = advance(s, 1);
  while (!code && s->done < s->planned) {
    if (interrupt_seen()) code = CODE_INTERRUPTED;
    else code = advance(s, 0);
    s->seconds = progress_now() - s->started;
    if (code) break;
    progress_state at = {.done = s->done, .total = s->planned,
                         .residual = s->totals.last_residual, .seconds = s->seconds};
    s->kind->progress(s, &at);
    progress_steps(&s->live, &at);
  }
  progress_clear();
  return code;
}

// --resume --steps: the recording gets the header of a longer run, and goes on as if it was one.
static int lengthen(run_session *s, const char *steps) {
  const option_table *table = &s->args->table;
  recording_head head;
  int code = run_head(s, &head);
  char *was = code ? NULL : run_head_text(s, &head), *text = NULL;
  if (!code) recording_head_free(&head);
  for (int i = 0; i < table->count && !code; i++) {
    if (!strcmp(table->entry[i].name, "steps"))
      code = settings_quantity(&table->entry[i], steps, &s->values[0]);
  }
  s->steps = steps;
  s->planned = (int64_t)s->values[0];
  if (!code) code = run_arguments(s);
  if (!code) code = run_head(s, &head);
  if (!code) {
    const recorder shape = {.every = head.every, .span = head.span, .share = s->kind->share};
    text = run_head_text(s, &head);
    recording_head_free(&head);
    code = was && text ? run_extend(s, was, text, &shape) : fail(CODE_IO, "out of memory for the header");
  }
  free(was);
  free(text);
  return code;
}

// steps: of --resume; NULL: those of the recording.
static int run_scene(run_session *s, int resume, const char *steps) {
  if (resume) message_header_of(s->path);
  int code = read_scene(s);
  if (!code) code = read_settings(s);
  if (!code) code = run_arguments(s);
  if (!code && !resume) code = check_output(s);
  if (!code && resume) code = run_resume_check(s);
  if (!code) code = s->kind->create(s);
  code = message_header_code(code);
  message_header_of(NULL);
  interrupt_listen(INTERRUPT_ALL);
  if (!code && steps) code = lengthen(s, steps);
  if (!code) code = open_recording(s, resume);
  if (!code) {
    s->live = progress_begin(s->args, &s->options);
    s->live.counted = s->begun;
    code = conclude(s, simulate(s));
  }
  recorder_free(&s->recorder);
  if (s->kind) s->kind->destroy(s);
  json_decref(s->arguments);
  return code;
}

// Reads the options on how to run from the command line, so that messages do not blame the file.
static int check_how(const arguments *args) {
  const perp_method *method = method_find("auto");
  perp_options options = perp_default_options(method);
  double seconds;
  const int code = settings_apply(args, method, &options);
  return code ? code : read_save_every(args, &seconds);
}

// All settings come from the file, except for options on how to run and for how long.
static int resume(const arguments *args, const char *path) {
  static const char *const allowed[] = {"resume", "steps", "save-every", "threads", "quiet",
                                        "progress", "json", "no-color"};
  static arguments again;
  for (int i = 0; i < args->table.count; i++) {
    int fine = !args->value[i];
    for (size_t k = 0; k < sizeof allowed/sizeof *allowed; k++)
      fine = fine || !strcmp(args->table.entry[i].name, allowed[k]);
    if (!fine)
      return fail(CODE_USAGE, "--%s cannot be changed with --resume, which takes all settings from "
                              "%s",
                  args->table.entry[i].name, path);
  }
  if (args->operands > 0)
    return fail(CODE_USAGE, "'%s': --resume takes the scene from %s", args->operand[0], path);
  int count = 0, helped;
  char **words = NULL;
  int code = check_how(args);
  if (!code) code = run_resume_arguments(path, &count, &words);
  if (!code) {
    message_header_of(path);
    code = message_header_code(options_parse(args->command, count, words, &again, &helped));
    message_header_of(NULL);
  }
  if (!code && !again.family)
    code = fail(CODE_INPUT, "%s: the header does not name a scene", path);
  if (!code) {
    for (int i = 0; i < args->table.count; i++) {   // how to run
      for (int k = 0; k < again.table.count && args->value[i]; k++)
        if (!strcmp(args->table.entry[i].name, again.table.entry[k].name) &&
            strcmp(args->table.entry[i].name, "steps") != 0)
          again.value[k] = args->value[i];
    }
    run_session s = {.args = &again, .path = path};
    code = run_scene(&s, 1, argument(args, "steps"));
  }
  for (int k = 0; k < count; k++) free(words[k]);
  free(words);
  return code;
}

static int run(const arguments *args) {
  if (argument(args, "list")) {
    run_list();
    return CODE_OK;
  }
  if (argument(args, "resume")) return resume(args, argument(args, "resume"));
  if (!args->family)
    return fail(CODE_USAGE, "the scene is missing; 'perp run --list' lists the scenes; try "
                "perp run %s", scene_at(1)->name);
  run_session s = {.args = args, .path = argument(args, "output")};
  return run_scene(&s, 0, NULL);
}

static const option_row rows[] = {
    {"Common options", 0, NULL, OPTION_HEADING, NULL},
    {"output", 'o', "FILE", OPTION_FILE, "the recording to write, such as a.perp"},
    {"force", 'f', NULL, OPTION_FLAG, "overwrite the file if it exists, even a recording"},
    {"resume", 0, "FILE", OPTION_FILE, "continue an interrupted recording; it ends with the same "
                                       "bytes as an uninterrupted one"},
    {"steps", 0, "N", OPTION_TEXT,
     "with --resume: continue to step N, as if the run had been started with --steps N"},
    {"seed", 's', "N", OPTION_TEXT,
     "seed of the random numbers (default 0); the same seed gives the same bits"},
    {"method", 'm', "NAME", OPTION_METHOD, "the method that solves each step (default auto)"},
    {"list", 'l', NULL, OPTION_FLAG, "list the scenes with their parameters"},
    {"How to simulate", 0, NULL, OPTION_HEADING, NULL},
    OPTION_PRESET,
    {"model", 0, "normal|friction|staggered|boxed", OPTION_CHOICE,
     "the contact model solved in each step: without friction; with Coulomb friction, E13 (27); "
     "with normal and friction impulses solved in turn; or with separate bounds on each friction "
     "impulse (default: the scene's)"},
    {"directions", 0, "K", OPTION_TEXT,
     "number of friction directions at a contact in three dimensions (in [3, 64], default 4)"},
    {"sleep", 0, "N", OPTION_TEXT,
     "a body at rest for N steps sleeps until something touches it; 0: bodies never sleep (in [0, "
     "1000000], default 60)"},
    {"What is recorded", 0, NULL, OPTION_HEADING, NULL},
    {"every", 0, "N", OPTION_TEXT, "record every N-th step (in [1, 65536], default 1)"},
    {"contacts", 0, "auto|all|none", OPTION_CHOICE,
     "which contacts are recorded; auto: all contacts of frames that have at most 5000"},
    {"keep", 0, "auto|all|surface", OPTION_CHOICE,
     "which particles are recorded: all, or those near the surface; auto: all in two dimensions, "
     "surface in three"},
    {"fields", 0, "all|surface|none", OPTION_CHOICE,
     "what is recorded of the grid; all: cell types, surface and pressure"},
    {"exact", 0, NULL, OPTION_FLAG, "record float32 numbers exactly; by default they are rounded, "
                                    "which makes the file smaller"},
    {"save-every", 0, "SECONDS", OPTION_TEXT,
     "save the state this often, so that a crash or kill -9 loses at most this much work (in [0, "
     "1e9], default 10); Ctrl-C, SIGTERM and SIGHUP lose none"},
    {"times", 0, NULL, OPTION_FLAG,
     "record how long each step took; then two recordings of one run differ"},
    {"dump-problems", 0, "DIR", OPTION_FOLDER,
     "write the problems of each step as directories. Bodies: nb###_nc####, with the numbers of "
     "bodies and rows. Liquids: step####_n##### for the last substep, with its guess x0.mtx and "
     "cells.csv"},
    {"What is printed", 0, NULL, OPTION_HEADING, NULL},
    OPTION_JSON,
    {"quiet", 'q', NULL, OPTION_FLAG, "print only errors: no report, warnings or progress"},
    OPTION_PROGRESS,
    {0}};

static const option_scope scopes[] = {
    {"model", "bodies", NULL}, {"directions", "bodies", NULL}, {"sleep", "bodies", NULL},
    {"contacts", "bodies", NULL}, {"keep", "liquids", NULL}, {"fields", "liquids", NULL},
    {"dump-problems", "bodies",
     "write the problems of each step as directories nb###_nc####, named by the numbers of bodies and "
     "rows"},
    {"dump-problems", "liquids",
     "write the problem of each step's last substep as a directory step####_n#####, with its guess "
     "as x0.mtx and the cell of each row in cells.csv"},
    {0}};

extern const command command_run;
const command command_run = {
  .name = "run",
  .title = "simulate rigid bodies in contact, or a liquid",
  .synopsis = {"SCENE [-o FILE] [OPTION]...", "--resume FILE [--steps N]", "SCENE --help",
               "--list"},
  .description =
    "Simulates a scene of rigid bodies or of a liquid. For rigid bodies, every time step solves a "
    "complementarity problem for the impulses at the contacts. For a liquid, which can separate "
    "from walls, every substep solves one for the pressure. Each answer is certified. If a step is "
    "not solved, the simulation continues with the best impulses or pressures found, the step is "
    "counted and recorded as unsolved, and the exit status is 1.\n\n"
    "-o records the motion, the contacts or particles, and the statistics of every step. The file "
    "is valid at any time, and its bytes do not depend on the number of threads. An existing file "
    "is overwritten only with --force.\n\n"
    "Ctrl-C, SIGTERM and SIGHUP save the exact state at once, even in the middle of a step. 'perp "
    "run --resume FILE' continues from there and ends with the same bytes as an uninterrupted run. "
    "In case the program is killed, the newest state is also saved every few seconds, in "
    "FILE.state. --resume with --steps extends a finished recording.\n\n"
    "--time-limit limits each step of rigid bodies, and each solve of a liquid's substeps. The "
    "result then depends on the machine's speed. The report says how many steps were late, and by "
    "how much.",
  .options = rows,
  .dynamic = DYNAMIC_FAMILY | DYNAMIC_METHODS,
  .family_at = family_at,
  .family_word = "scene",
  .family_note = "What to look for",
  .family_kind = kind_of,
  .family_large = is_liquid,
  .scopes = scopes,
  .operands_max = 1,
  .operand_kind = OPERAND_FAMILY,
  .operands_help = "the scene",
  .examples = {
    {"perp run --list", "which scenes there are, and their parameters"},
    {"perp run hollow-sphere -o a.perp", "spheres in a hollow sphere, recorded"},
    {"perp run stack --boxes 20 --time-limit 5ms", "with a time limit for every step"},
    {"perp run dam-break-2d --walls separating -o b.perp", "a liquid that separates from walls"},
    {"perp run --resume a.perp --steps 5000", "continue to step 5000; without --steps, finish an "
                                              "interrupted run"},
  },
  .run = run,
};
