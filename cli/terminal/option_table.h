// option_table.h: the option table of a command. Parsing, --help, manual pages, documentation and
// shell completion all read it; parameters of methods and families join it from the library's own
// tables.
#pragma once

#include <perp/gallery.h>
#include <perp/method.h>

typedef enum option_kind {   // what completion may offer, and what the parser may check
  OPTION_FLAG, OPTION_TEXT, OPTION_FILE, OPTION_FOLDER, OPTION_METHOD, OPTION_LINEAR, OPTION_CHOICE,
  OPTION_HEADING             // no option: `name` is the title of the rows that follow in --help
} option_kind;

typedef struct option_row {  // as a command writes it down
  const char *name;          // "method"; NULL ends a table
  char letter;               // 'm', or 0
  const char *argument;      // "NAME"; NULL: a flag. For a choice, the words: "bash|zsh|fish"
  option_kind kind;
  const char *help;          // one sentence, without a full stop
} option_row;

typedef struct option_scope {  // an option in families of one kind
  const char *option;        // NULL ends a table
  const char *kind;          // "liquids"
  const char *help;          // what it does there; NULL: no other kind has it
} option_scope;

#define OPTION_JSON    {"json", 0, NULL, OPTION_FLAG, "print the result as one JSON object"}
#define OPTION_QUIET   {"quiet", 'q', NULL, OPTION_FLAG, "no warnings and no progress on stderr"}
#define OPTION_PROGRESS                                                                            \
  {"progress", 0, NULL, OPTION_FLAG, "print progress lines on stderr even if it is not a terminal"}
#define OPTION_PRESET                                                                              \
  {"preset", 0, "NAME", OPTION_TEXT,                                                               \
   "a named set of parameters, such as 'paper' of minmap_newton, which has the values of ANE17; "  \
   "parameters given one by one override it"}
#define OPTION_PROBLEM                                                                             \
  {"matrix", 'A', "FILE", OPTION_FILE, "the matrix A, instead of DIR/A.mtx"},                      \
      {"vector", 'b', "FILE", OPTION_FILE, "the vector b, instead of DIR/b.mtx"},                  \
      {"lo", 0, "FILE", OPTION_FILE, "lower bounds, instead of DIR/lo.mtx (default 0)"}, {         \
    "hi", 0, "FILE", OPTION_FILE, "upper bounds, instead of DIR/hi.mtx (default inf)"              \
  }

// Which options of the library's tables a command takes besides its own rows.
enum {
  DYNAMIC_METHODS = 1,       // every parameter of every method
  DYNAMIC_CERTIFICATE = 2,   // the parameters that perp_certify_with has
  DYNAMIC_FAMILY = 4,        // the parameters of a family, and its seed
  DYNAMIC_LARGE = 8          // with DYNAMIC_METHODS: not of methods for contacts, or for small n
};

typedef enum option_group {   // in the order of --help
  GROUP_FAMILY,
  GROUP_OWN,
  GROUP_COMMON,
  GROUP_METHOD,
  GROUP_COUNT
} option_group;

typedef struct option_entry {   // a row of the complete table
  char name[56];
  char letter;
  char argument[64];            // "" for a flag
  const char *choices;          // OPTION_CHOICE: "on|off"
  option_kind kind;
  option_group group;
  const char *heading;          // GROUP_OWN: of the rows around it; NULL: "Options"
  const char *only;             // the kind of families that has it; NULL: all
  int apart;                    // it is not for this family: not listed, and refused
  char help[768];               // a line for each meaning
  const perp_parameter *parameter;   // GROUP_COMMON, GROUP_METHOD: the first method's that has it
  const perp_gallery_parameter *quantity;     // GROUP_FAMILY
  int32_t quantity_index;
} option_entry;

enum { OPTION_MAX = 160, OPERAND_MAX = 4 };

typedef struct option_table {
  int count;
  option_entry entry[OPTION_MAX];
} option_table;

struct command;

typedef struct arguments {      // a command line, understood
  const struct command *command;
  const perp_family *family;    // DYNAMIC_FAMILY, where one was named
  option_table table;
  const char *value[OPTION_MAX];   // as given; "" for a flag, NULL if absent
  const char *operand[OPERAND_MAX];
  int operands;
} arguments;

void options_build(const struct command *command, const perp_family *family, option_table *table);

// One parameter as an option, with its own default and range.
void options_describe(const perp_parameter *parameter, option_entry *entry);

// The letter or name of each entry as in help: "-o, --output FILE".
const char *option_spelling(const option_entry *entry, char *buffer, size_t size);
// The title above the entry and its neighbours: "Parameters of every method".
const char *option_title(const struct command *command, const option_entry *entry);

// Understands argv[1..]; returns 0, or an exit code after having said what is wrong. --help ends
// with *helped = 1.
int options_parse(const struct command *command, int argc, char **argv, arguments *out,
                  int *helped);

// The value of an option of the command's own rows, NULL if it was not given.
const char *argument(const arguments *args, const char *name);

// "5ms", "2s", "1.5 min", "3" (seconds), "none"; returns 0 if it is no duration.
int duration_parse(const char *text, double *seconds);
