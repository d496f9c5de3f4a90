// man.c: perp man: manual pages in roff, from the tables; for the build.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "document.h"

static option_table table;

// Text for roff: no line starts a request, a backslash is one, two newlines are a paragraph.
static void put(FILE *out, const char *text) {
  int start = 1;
  for (; *text; text++) {
    if (start && (*text == '.' || *text == '\'')) fputs("\\&", out);
    if (text[0] == '\n' && text[1] == '\n') {
      fputs("\n.PP", out);
      start = 1;
      continue;
    }
    if (start && *text == ' ') continue;   // leading blanks break lines
    start = *text == '\n';
    if (*text == '\\') fputs("\\e", out);
    else if (*text == '-') fputs("\\-", out);
    else if (*text == '\'') fputs("\\(aq", out);
    else if (*text == '^') fputs("\\(ha", out);
    else if (*text == '~') fputs("\\(ti", out);
    else fputc(*text, out);
  }
}

static void put_line(FILE *out, const char *text) {
  put(out, text);
  fputc('\n', out);
}

// The lines of a help text, each on a line of its own.
static void put_help(FILE *out, const char *text) {
  char line[sizeof table.entry[0].help];
  while (*text) {
    const size_t length = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    put_line(out, line);
    text += length;
    if (*text == '\n') fprintf(out, ".br\n"), text++;
  }
}

static void header(FILE *out, const char *page) {
  fprintf(out, ".TH ");
  for (const char *c = page; *c; c++) {
    if (*c == '-') fputs("\\-", out);
    else fputc(toupper((unsigned char)*c), out);
  }
  fprintf(out, " 1 \"\" \"perp %s\" \"perp manual\"\n.SH NAME\n", perp_version());
}

static void exit_status(FILE *out) {
  fprintf(out, ".SH EXIT STATUS\n");
  for (int i = 0; exit_code_at(i); i++) {
    fprintf(out, ".TP\n.B %d\n", exit_code_at(i)->code);
    put_line(out, exit_code_at(i)->text);
  }
}

static void see_also(FILE *out, const command *except) {
  fprintf(out, ".SH SEE ALSO\n");
  const char *comma = "";
  if (except) fprintf(out, ".BR perp (1)"), comma = ",\n";
  const command *what;
  for (int i = 0; (what = command_at(i)) != NULL; i++) {
    if (what->hidden || what == except) continue;
    fprintf(out, "%s.BR perp\\-%s (1)", *comma ? " ,\n" : "", what->name);
    comma = ",";
  }
  fputc('\n', out);
}

static void options(FILE *out, const command *what) {
  const char *last = "Options";   // the title of the section
  fprintf(out, ".SH OPTIONS\n");
  for (int group = 0; group < GROUP_COUNT; group++) {
    for (int i = 0; i < table.count; i++) {
      const option_entry *entry = &table.entry[i];
      if ((int)entry->group != group) continue;
      const char *title = option_title(what, entry);
      if (strcmp(title, last) != 0) fprintf(out, ".SS %s\n", title);
      last = title;
      fprintf(out, ".TP\n");
      fprintf(out, ".B ");
      if (entry->letter) fprintf(out, "\\-%c, ", entry->letter);
      put(out, "--");
      put(out, entry->name);
      if (*entry->argument) {
        fprintf(out, " \\fI");
        put(out, entry->argument);
        fprintf(out, "\\fR");
      }
      fputc('\n', out);
      put_help(out, entry->help);
    }
  }
}

static void families(FILE *out, const command *what) {
  fprintf(out, ".SH %s\n", !strcmp(what->family_word, "scene") ? "SCENES" : "FAMILIES");
  const perp_family *family;
  for (int32_t k = 0; (family = what->family_at(k)) != NULL; k++) {
    fprintf(out, ".SS %s\n", family->name);
    put_line(out, family->title);
    options_build(what, family, &table);
    for (int i = 0; i < table.count; i++) {
      if (table.entry[i].group != GROUP_FAMILY) continue;
      fprintf(out, ".TP\n.B ");
      put(out, "--");
      put(out, table.entry[i].name);
      fprintf(out, " \\fI");
      put(out, table.entry[i].argument);
      fprintf(out, "\\fR\n");
      put_help(out, table.entry[i].help);
    }
  }
}

static void write_command(FILE *out, const void *context) {
  const command *what = context;
  char page[64];
  snprintf(page, sizeof page, "perp-%s", what->name);
  header(out, page);
  fprintf(out, "perp\\-%s \\- ", what->name);
  put_line(out, what->title);
  fprintf(out, ".SH SYNOPSIS\n");
  for (int i = 0; i < 4 && what->synopsis[i]; i++) {
    fprintf(out, "%s.B perp %s\n", i ? ".br\n" : "", what->name);
    put_line(out, what->synopsis[i]);
  }
  fprintf(out, ".SH DESCRIPTION\n");
  put_line(out, what->description);
  options_build(what, NULL, &table);
  options(out, what);
  if (what->dynamic & DYNAMIC_FAMILY) families(out, what);
  if (what->examples[0].line) fprintf(out, ".SH EXAMPLES\n");
  for (int i = 0; i < COMMAND_EXAMPLES && what->examples[i].line; i++) {
    fprintf(out, ".TP\n.B ");
    put_line(out, what->examples[i].line);
    put_line(out, what->examples[i].text);
  }
  exit_status(out);
  see_also(out, what);
}

static void write_program(FILE *out, const void *context) {
  (void)context;
  header(out, "perp");
  fprintf(
      out,
      "perp \\- solve and certify complementarity problems\n.SH SYNOPSIS\n.B perp\n.I "
      "COMMAND\n[OPTION]...\n");
  fprintf(out, ".SH DESCRIPTION\n");
  put_line(
      out,
      "perp solves complementarity problems: find x with lo <= x <= hi such that y = A x + b "
      "has y >= 0 where x < hi and y <= 0 where x > lo, hence y = 0 in between. Every answer "
      "is certified.");
  fprintf(out, ".SH COMMANDS\n");
  const command *what;
  for (int i = 0; (what = command_at(i)) != NULL; i++) {
    if (what->hidden) continue;
    fprintf(out, ".TP\n.BR perp\\-%s (1)\n", what->name);
    put_line(out, what->title);
  }
  fprintf(out, ".SH METHODS\n");
  for (int32_t i = 0; i < perp_method_count(); i++) {
    fprintf(out, ".TP\n.B ");
    put_line(out, perp_method_at(i)->name);
    put_line(out, perp_method_at(i)->title);
  }
  exit_status(out);
  fprintf(out, ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n");
  put_line(out, "no colour, if set to anything");
  see_also(out, NULL);
}

int man_write(const command *what, const char *path) {
  return document_save(path, what ? write_command : write_program, what);
}

static int run(const arguments *args) {
  if (args->operands == 0) return man_write(NULL, "-");
  const command *what = command_find(args->operand[0]);
  if (!what) return fail(CODE_USAGE, "there is no command '%s'", args->operand[0]);
  return man_write(what, "-");
}

extern const command command_man;
const command command_man = {
  .name = "man",
  .title = "print a manual page in roff",
  .synopsis = {"[COMMAND]"},
  .description =
    "Prints the manual page of a command, or of the program: perp man solve | man -l -.",
  .operands_max = 1,
  .operand_kind = OPERAND_COMMAND,
  .hidden = 1,
  .run = run,
};
