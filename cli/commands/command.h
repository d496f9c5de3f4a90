// command.h: a row of the table of commands; each command is a file of its own.
#pragma once

#include "message.h"
#include "option_table.h"

enum { COMMAND_EXAMPLES = 5 };   // at most
typedef struct command_example { const char *line, *text; } command_example;

typedef enum operand_kind {   // what completion may offer
  OPERAND_FILE,
  OPERAND_COMMAND,
  OPERAND_PAGE,
  OPERAND_FAMILY,
  OPERAND_EXPERIMENT,
  OPERAND_CHOICE   // the words of the synopsis
} operand_kind;

typedef struct command {
  const char *name;
  const char *title;   // one line, as a sentence without full stop: "solve a problem ..."
  const char *synopsis[4];         // what follows "perp NAME "
  const char *description;         // paragraphs, for help, manual and documentation
  const option_row *options;       // ends with a NULL name
  unsigned dynamic;
  int operands_min, operands_max;
  operand_kind operand_kind;
  const char *operands_help;       // "a problem directory"
  int hidden;                      // not in lists: for the build
  // DYNAMIC_FAMILY: what the first operand may be, each with parameters of its own
  const perp_family *(*family_at)(int32_t index);   // NULL after the last
  const char *family_word, *family_note;            // "family", "The answer"
  const char *(*family_kind)(const perp_family *family);   // "liquids"; NULL: all are of one kind
  int (*family_large)(const perp_family *family);   // 1: with DYNAMIC_LARGE; NULL: none
  const option_scope *scopes;                       // what differs between kinds; NULL: nothing
  command_example examples[COMMAND_EXAMPLES];
  int (*run)(const arguments *args);
} command;

const command *command_at(int index);            // NULL after the last
const command *command_find(const char *name);   // NULL if there is none
const char *command_name_at(const void *unused, int index);   // for suggest(), visible ones only

void help_command(const command *what, const perp_family *family);
void help_program(void);

// Names of methods, for suggest(), and of what a command has parameters of.
const char *method_name_at(const void *unused, int index);
const char *family_name_at(const void *command, int index);

// The method or family of that name; NULL after having said what was probably meant.
const perp_method *method_find(const char *name);
const perp_family *family_find(const struct command *what, const char *name);

const char *experiment_name_at(const void *unused, int index);   // of perp reproduce
const char *page_name_at(const void *unused, int index);   // what perp explain has a page on

// Documents from the tables.
int man_write(const command *what, const char *path);   // NULL: perp(1) itself; path "-": stdout
