// help.c: --help of the program and of each command, from the tables.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "suggest.h"
#include "text.h"

enum { LABEL_COLUMN = 2, TEXT_COLUMN = 28 };   // where the name and the text of an option begin

static void heading(const char *text) {
  printf("\n%s%s:%s\n", text_paint(stdout, TEXT_BOLD), text, text_paint(stdout, TEXT_PLAIN));
}

static void print_options(const command *what, const option_table *table) {
  const char *last = "";
  for (int group = 0; group < GROUP_COUNT; group++) {
    for (int i = 0; i < table->count; i++) {
      const option_entry *entry = &table->entry[i];
      if ((int)entry->group != group || entry->apart) continue;
      const char *title = option_title(what, entry);
      if (strcmp(title, last) != 0) heading(title);
      last = title;
      char spelling[160];
      text_row(stdout, LABEL_COLUMN, option_spelling(entry, spelling, sizeof spelling), TEXT_COLUMN,
               entry->help);
    }
  }
}

void help_command(const command *what, const perp_family *family) {
  static option_table table;
  options_build(what, family, &table);
  for (int i = 0; i < 4 && what->synopsis[i]; i++) {
    char line[256];
    snprintf(line, sizeof line, "%s perp %s %s", i ? "      " : "Usage:", what->name,
             what->synopsis[i]);
    puts(line);
  }
  putchar('\n');
  if (family) {
    char text[512];
    snprintf(text, sizeof text, "%s: %s.\n%s: %s.", family->name, family->title,
             what->family_note, family->answer);
    text_wrap(stdout, text, 0, 0);
  } else {
    text_wrap(stdout, what->description, 0, 0);
  }
  print_options(what, &table);
  if (family) return;
  for (int i = 0; i < COMMAND_EXAMPLES && what->examples[i].line; i++) {
    if (i == 0) heading("Examples");
    printf("  %s\n", what->examples[i].line);
    printf("      ");
    text_wrap(stdout, what->examples[i].text, 6, 6);
  }
}

void help_program(void) {
  printf("Usage: perp COMMAND ...\n\n");
  text_wrap(
      stdout,
      "perp solves complementarity problems: find x within its bounds, lo <= x <= hi, such that y "
      "= A x + b has y >= 0 at a lower bound, y <= 0 at an upper bound, and y = 0 in between. An "
      "independent check, the certificate, decides whether an answer is a solution.",
      0, 0);
  heading("Commands");
  const command *what;
  for (int i = 0; (what = command_at(i)) != NULL; i++) {
    if (!what->hidden) text_row(stdout, 2, what->name, 15, what->title);
  }
  heading("Options");
  text_row(stdout, 2, "-h, --help", 15, "show this help");
  text_row(stdout, 2, "-V, --version", 15, "show the version");
  heading("Exit status");
  for (int i = 0; exit_code_at(i); i++) {
    char code[16];
    snprintf(code, sizeof code, "%d", exit_code_at(i)->code);
    text_row(stdout, 2, code, 15, exit_code_at(i)->text);
  }
  heading("A first problem");
  printf("  perp gen %s -o demo && perp solve demo\n", perp_family_at(0)->name);
  printf("\n"
         "'perp help COMMAND' describes a command, 'perp explain' a method or a topic.\n");
}

static int run(const arguments *args) {
  if (args->operands == 0) {
    help_program();
    return CODE_OK;
  }
  const char *name = args->operand[0];
  const command *what = command_find(name);
  if (what) {
    help_command(what, NULL);
    return CODE_OK;
  }
  if (perp_find_method(name))
    return fail(CODE_USAGE, "'%s' is a method: 'perp explain %s' has a page on it", name, name);
  if (perp_find_family(name))
    return fail(CODE_USAGE, "'%s' is a family: 'perp gen %s --help' describes it", name, name);
  const char *near = suggest(name, command_name_at, NULL);
  if (near) return fail(CODE_USAGE, "there is no command '%s'; did you mean '%s'?", name, near);
  char names[256] = "";
  for (int i = 0; command_name_at(NULL, i); i++)
    text_append(names, sizeof names, "%s%s", i ? ", " : "", command_name_at(NULL, i));
  return fail(CODE_USAGE, "there is no command '%s'; the commands are %s", name, names);
}

extern const command command_help;
const command command_help = {
  .name = "help",
  .title = "show help on a command",
  .synopsis = {"[COMMAND]"},
  .description = "Shows what a command does and which options it has, as COMMAND --help does.",
  .operands_max = 1,
  .operand_kind = OPERAND_COMMAND,
  .examples = {{"perp help solve", "everything that solve can do"}},
  .run = run,
};
