// docs.c: perp docs: Markdown pages and manual pages from the tables; for the build.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "describe.h"
#include "document.h"
#include "solve_settings.h"

static option_table table;

// Text outside code: signs that Markdown would take for its own are escaped.
static void put(FILE *out, const char *text) {
  for (; *text; text++) {
    if (strchr("*_<>|`\\[]", *text)) fputc('\\', out);
    fputc(*text, out);
  }
}

static void put_cell(FILE *out,
                     const char *code) {   // inside a table a | must be escaped even in code
  fputc('`', out);
  for (; *code; code++) {
    if (*code == '|') fputc('\\', out);
    fputc(*code, out);
  }
  fputc('`', out);
}

static void generated(FILE *out, const char *title) {
  fprintf(out, "# %s\n\n<!-- Made by `perp docs`; the program's own tables are the source. -->\n\n",
          title);
}

// The lines of a help text in a cell.
static void put_lines(FILE *out, const char *text) {
  char line[sizeof table.entry[0].help];
  while (*text) {
    const size_t length = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    put(out, line);
    text += length;
    if (*text == '\n') fprintf(out, "<br>"), text++;
  }
}

// A table for each title. what: NULL: the page is about a method or a family, and one title serves.
static void option_rows(FILE *out, const command *what, option_group group) {
  const char *last = "";
  for (int i = 0; i < table.count; i++) {
    const option_entry *entry = &table.entry[i];
    if (entry->group != group) continue;
    const char *title = what ? option_title(what, entry) : "Parameters";
    if (strcmp(title, last) != 0)
      fprintf(out, "%s| %s | |\n|---|---|\n", *last ? "\n" : "", title);
    last = title;
    char spelling[160];
    const char *text = option_spelling(entry, spelling, sizeof spelling);
    fprintf(out, "| ");
    put_cell(out, text + strspn(text, " "));
    fprintf(out, " | ");
    put_lines(out, entry->help);
    fprintf(out, " |\n");
  }
  if (*last) fputc('\n', out);
}

static void write_commands(FILE *out, const void *context) {
  (void)context;
  generated(out, "Commands");
  const command *what;
  for (int i = 0; (what = command_at(i)) != NULL; i++) {
    if (what->hidden) continue;
    fprintf(out, "## perp %s\n\n", what->name);
    put(out, what->title);
    fprintf(out, "\n\n```\n");
    for (int k = 0; k < 4 && what->synopsis[k]; k++)
      fprintf(out, "perp %s %s\n", what->name, what->synopsis[k]);
    fprintf(out, "```\n\n");
    put(out, what->description);
    fprintf(out, "\n\n");
    options_build(what, NULL, &table);
    for (int group = 0; group < GROUP_COUNT; group++)
      option_rows(out, what, (option_group)group);
    for (int k = 0; k < COMMAND_EXAMPLES && what->examples[k].line; k++) {
      fprintf(out, "- `%s`: ", what->examples[k].line);
      put(out, what->examples[k].text);
      fputc('\n', out);
    }
    if (what->examples[0].line) fputc('\n', out);
  }
  fprintf(out, "## Exit status\n\n| status | meaning |\n|---|---|\n");
  for (int i = 0; exit_code_at(i); i++) {
    fprintf(out, "| %d | ", exit_code_at(i)->code);
    put(out, exit_code_at(i)->text);
    fprintf(out, " |\n");
  }
  fprintf(out, "\n## How a solve ends\n\n| status | exit status of `perp solve` | meaning |\n"
               "|---|---|---|\n");
  for (int i = 0; i < PERP_STATUS_COUNT; i++) {
    fprintf(out, "| `%s` | %d | ", perp_status_name((perp_status)i),
            exit_code_of_status((perp_status)i));
    put(out, perp_status_text((perp_status)i));
    fprintf(out, " |\n");
  }
  fprintf(out, "\nThe exit status of `unsolved` is 4 if the method does not take this A; the message "
               "says why.\n");
}

static void bullet(FILE *out, const char *label, const char *text) {
  fprintf(out, "- **%s**: ", label);
  put(out, text);
  fputc('\n', out);
}

static void write_method(FILE *out, const perp_method *method) {
  char list[400];
  fprintf(out, "### %s\n\n", method->name);
  put(out, method->title);
  if (*method->source) fprintf(out, " ("), put(out, method->source), fputc(')', out);
  fprintf(out, "\n\n```\n%s\n```\n\n", method->formula);
  if (method->use) bullet(out, "choose it for", method->use);
  bullet(out, "converges", method->converges);
  bullet(out, "cost", method->cost);
  describe_list(method, DESCRIBE_NEEDS, list, sizeof list);
  bullet(out, "needs", *list ? list : "products with A only");
  describe_list(method, DESCRIBE_ACCEPTS, list, sizeof list);
  bullet(out, "accepts besides 0 <= x", *list ? list : "nothing");
  describe_list(method, DESCRIBE_ASSUMES, list, sizeof list);
  bullet(out, "proved for", *list ? list : "every A");
  bullet(out, "traits", describe_list(method, DESCRIBE_TRAITS, list, sizeof list));
  if (method->n_max > 0) fprintf(out, "- **largest n**: %d\n", (int)method->n_max);
  bullet(out, "advice", method->advice);
  fputc('\n', out);
  table.count = method->parameter_count;
  for (int32_t k = 0; k < method->parameter_count; k++)
    options_describe(&method->parameters[k], &table.entry[k]);
  option_rows(out, NULL, GROUP_METHOD);
  for (int32_t k = 0; k < method->preset_count; k++) {
    fprintf(out, "`--preset %s`: ", method->presets[k].name);
    put(out, method->presets[k].help);
    fprintf(out, "\n\n");
  }
}

static void write_methods(FILE *out, const void *context) {
  (void)context;
  generated(out, "Methods");
  fprintf(out, "`perp methods` lists the first tier, `perp methods --all` every method; all "
               "commands take them all.\n");
  for (int tier = PERP_TIER_CHOOSE; tier < PERP_TIER_COUNT; tier++) {
    fprintf(out, "\n## Tier: %s\n\n", describe_tier((perp_tier)tier));
    put(out, describe_tier_text((perp_tier)tier));
    fprintf(out, "\n\n");
    for (int32_t i = 0; i < perp_method_count(); i++) {
      if (perp_method_at(i)->tier == (perp_tier)tier) write_method(out, perp_method_at(i));
    }
  }
}

static void write_gallery(FILE *out, const void *context) {
  const command *gen = context;
  generated(out, "Gallery");
  fprintf(out, "Families of problems for `perp gen FAMILY -o DIR`.\n\n");
  for (int32_t i = 0; i < perp_family_count(); i++) {
    const perp_family *family = perp_family_at(i);
    fprintf(out, "## %s\n\n", family->name);
    put(out, family->title);
    fprintf(out, "\n\nThe answer: ");
    put(out, family->answer);
    fprintf(out, "\n\n");
    options_build(gen, family, &table);
    option_rows(out, NULL, GROUP_FAMILY);
  }
}

static void write_scenes(FILE *out, const void *context) {
  const command *run = context;
  generated(out, "Scenes");
  fprintf(out,
          "Scenes of rigid bodies and of liquids for `perp run SCENE -o a.perp`. Each is a function "
          "in [sim/scenes](../sim/scenes/scene.h) of its parameters and a seed, the same for the "
          "program, the tests, the benchmarks and the player; [recording.md](recording.md) is "
          "about what is written. Up is +y. All numbers are in one system of units; with the "
          "default gravity, meters and seconds.\n\n"
          "Every scene has `--steps`, `--dt` and `--gravity`; the model of contact, the method and "
          "what is recorded are options of [perp run](commands.md#perp-run). Scenes of liquids "
          "([falling-block](#falling-block) and what follows it) are in the unit square or cube, and "
          "have their grid, walls and particles as parameters; "
          "[fluid.md](fluid.md) tells what these do.\n\n");
  const perp_family *scene;
  for (int32_t i = 0; (scene = run->family_at(i)) != NULL; i++) {
    fprintf(out, "## %s\n\n", scene->name);
    put(out, scene->title);
    fprintf(out, ".\n\n%s: ", run->family_note);
    put(out, scene->answer);
    fprintf(out, ".\n\n");
    options_build(run, scene, &table);
    option_rows(out, NULL, GROUP_FAMILY);
  }
}

static int make_folder(const char *path) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return CODE_OK;
  return fail(CODE_IO, "%s: cannot make the directory: %s", path, strerror(errno));
}

static int run(const arguments *args) {
  const char *folder = args->operand[0];
  const struct { const char *name; document_writer writer; const void *context; } pages[] = {
    {"commands.md", write_commands, NULL},
    {"methods.md", write_methods, NULL},
    {"gallery.md", write_gallery, command_find("gen")},
    {"scenes.md", write_scenes, command_find("run")},
  };
  char path[4096];
  int code = make_folder(folder);
  for (size_t i = 0; i < sizeof pages / sizeof *pages && !code; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, pages[i].name);
    code = document_save(path, pages[i].writer, pages[i].context);
  }
  snprintf(path, sizeof path, "%s/man", folder);
  if (!code) code = make_folder(path);
  snprintf(path, sizeof path, "%s/man/perp.1", folder);
  if (!code) code = man_write(NULL, path);
  const command *what;
  for (int i = 0; (what = command_at(i)) != NULL && !code; i++) {
    if (what->hidden) continue;
    snprintf(path, sizeof path, "%s/man/perp-%s.1", folder, what->name);
    code = man_write(what, path);
  }
  return code;
}

extern const command command_docs;
const command command_docs = {
  .name = "docs",
  .title = "write the documentation made from the tables",
  .synopsis = {"DIR"},
  .description = "Writes commands.md, methods.md, gallery.md, scenes.md and man/*.1 into a "
                 "directory.",
  .operands_min = 1,
  .operands_max = 1,
  .operands_help = "the directory",
  .hidden = 1,
  .run = run,
};
