// gen.c: perp gen: writes a problem of a family, with its known answer where there is one.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "file.h"
#include "grid_file.h"
#include "interrupt.h"
#include "problem_folder.h"
#include "report.h"
#include "solve_settings.h"
#include "text.h"

static int list_families(void) {
  json_t *object = message_object(), *list = object ? json_array() : NULL;
  for (int32_t i = 0; i < perp_family_count(); i++) {
    const perp_family *family = perp_family_at(i);
    if (!list) {
      text_row(stdout, 0, family->name, 18, family->title);
      continue;
    }
    json_t *item = json_object();
    json_object_set_new(item, "family", json_text(family->name));
    json_object_set_new(item, "title", json_text(family->title));
    json_object_set_new(item, "answer", json_text(family->answer));
    json_array_append_new(list, item);
  }
  if (list) json_object_set_new(object, "families", list);
  else printf("\n'perp gen FAMILY --help' lists the parameters of a family.\n");
  return CODE_OK;
}

// 0: does not exist, 1: an empty directory, 2: a directory with something in it, -1: something else
static int look_at(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0) return 0;
  if (!S_ISDIR(status.st_mode)) return -1;
  DIR *folder = opendir(path);
  if (!folder) return 2;
  int found = 1;
  for (struct dirent *item; (item = readdir(folder)) != NULL;) {
    if (strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0) found = 2;
  }
  closedir(folder);
  return found;
}

static void report(const char *target, const problem_parts *parts, const perp_sample *sample) {
  char files[128];
  json_t *object = message_object();
  if (object) {
    json_object_set_new(object, "directory", json_text(target));
    json_object_set_new(object, "n", json_integer(sample->n));
    json_object_set_new(object, "nnz", json_integer(sample->colptr[sample->n]));
    json_object_set_new(object, "answer", json_boolean(sample->x != NULL));
    json_object_set_new(object, "condition",
                        sample->condition > 0.0 ? json_number(sample->condition) : json_null());
    json_object_set_new(object, "objective",
                        sample->has_objective ? json_number(sample->objective) : json_null());
    json_object_set_new(object, "note", json_text(sample->note));
    return;
  }
  report_line("problem", "%s", sample->note);
  report_line("size", "n = %d, nnz = %d", (int)sample->n, (int)sample->colptr[sample->n]);
  if (sample->condition > 0.0) report_line("condition", "%.4g", sample->condition);
  if (sample->has_objective) report_line("minimum", "%.12g", sample->objective);
  report_line("wrote", "%s: %s", target, problem_folder_files(parts, files, sizeof files));
  text_word word;
  const char *name = text_shell(target, &word);
  report_line("next", "perp solve %s%s%s%s", name, sample->grid.nx > 0 ? ", perp plot " : "",
              sample->grid.nx > 0 ? name : "", sample->grid.nx > 0 ? " -o picture.svg" : "");
}

static int generate(const arguments *args, const char *target, perp_sample *sample) {
  double values[OPTION_MAX] = {0};
  uint64_t seed = 0;
  char comment[1024] = "";
  text_append(comment, sizeof comment, "perp gen %s", args->family->name);
  for (int i = 0; i < args->table.count; i++) {
    const option_entry *entry = &args->table.entry[i];
    if (!entry->quantity) continue;
    values[entry->quantity_index] = entry->quantity->initial;
    if (!args->value[i]) continue;
    const int code = settings_quantity(entry, args->value[i], &values[entry->quantity_index]);
    if (code) return code;
    text_append(comment, sizeof comment, " --%s %s", entry->name, args->value[i]);
  }
  if (argument(args, "seed")) {
    const int code = settings_seed(argument(args, "seed"), &seed);
    if (code) return code;
  }
  const int there = look_at(target), force = argument(args, "force") != NULL;
  if (there < 0) return fail(CODE_USAGE, "%s exists and is not a directory", target);
  if (there == 2 && !force)
    return fail(CODE_USAGE, "%s exists and is not empty; --force writes into it", target);

  const perp_error error = perp_generate(args->family, values, seed, sample);
  if (error != PERP_OK) return fail_library(error);
  text_append(comment, sizeof comment, " --seed %llu\n%s", (unsigned long long)seed, sample->note);
  const problem_parts parts = {
      .n = sample->n, .colptr = sample->colptr, .row = sample->row, .value = sample->value,
      .b = sample->b, .lo = sample->lo, .hi = sample->hi, .x = sample->x, .comment = comment,
      .grid = sample->grid.nx > 0 ? &sample->grid : NULL, .packed = argument(args, "gz") != NULL};
  interrupt_listen(INTERRUPT_CTRL_C);
  const int code = there == 0 ? problem_folder_create(target, &parts)
                              : problem_folder_fill(target, &parts);
  if (!code) report(target, &parts, sample);
  return code;
}

static int run(const arguments *args) {
  if (argument(args, "list") || !args->family) return list_families();
  char target[FILE_PATH_BYTES] = "";
  if (!argument(args, "output")) {
    return fail(CODE_USAGE, "the directory is missing; use 'perp gen %s -o DIR'",
                args->family->name);
  }
  text_append(target, sizeof target, "%s", argument(args, "output"));
  for (size_t length = strlen(target); length > 1 && target[length - 1] == '/'; length--)
    target[length - 1] = 0;
  if (!*target) return fail(CODE_USAGE, "-o needs the name of a directory");
  perp_sample sample = {0};
  const int code = generate(args, target, &sample);
  perp_sample_free(&sample);
  return code;
}

static const perp_family *family_at(int32_t index) {
  return index < perp_family_count() ? perp_family_at(index) : NULL;
}

static const option_row rows[] = {
    {"output", 'o', "DIR", OPTION_FOLDER, "the directory to write; it must be new or empty"},
    {"force", 'f', NULL, OPTION_FLAG, "write into a directory that is not empty"},
    {"gz", 0, NULL, OPTION_FLAG, "write compressed files: A.mtx.gz and so on"},
    {"seed", 's', "N", OPTION_TEXT,
     "seed of the random numbers (default 0); the same seed gives the same bits"},
    {"list", 'l', NULL, OPTION_FLAG, "list the families"},
    OPTION_JSON,
    {0}};

extern const command command_gen;
const command command_gen = {
  .name = "gen",
  .title = "generate a test problem",
  .synopsis = {"FAMILY -o DIR [OPTION]...", "FAMILY --help", "--list"},
  .description =
    "Writes a problem of a family into a directory. It always writes A.mtx and b.mtx; lo.mtx and "
    "hi.mtx unless they are 0 and infinite; x.mtx if the answer is known; and for problems in the "
    "plane " GRID_FILE
    ", which tells 'perp plot' where the unknowns lie. A new directory appears complete or not at "
    "all. Without a family, the command lists the families; FAMILY --help lists the parameters of "
    "one.",
  .options = rows,
  .dynamic = DYNAMIC_FAMILY,
  .family_at = family_at,
  .family_word = "family",
  .family_note = "The answer",
  .operands_max = 1,
  .operand_kind = OPERAND_FAMILY,
  .operands_help = "the family",
  .examples = {
    {"perp gen --list", "which families there are"},
    {"perp gen obstacle -o demo", "a membrane over an obstacle, with its defaults"},
    {"perp gen obstacle --help", "the parameters of a family, with ranges and defaults"},
  },
  .run = run,
};
