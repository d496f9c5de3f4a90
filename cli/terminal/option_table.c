// option_table.c: builds the complete option table of a command and parses a command line with it.
#include "option_table.h"

#include <assert.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "suggest.h"
#include "text.h"

static const option_row every_command[] = {
  {"no-color", 0, NULL, OPTION_FLAG, "no colour, as with the environment variable NO_COLOR"},
  {"help", 'h', NULL, OPTION_FLAG, "show this help"},
  {0}
};

static void name_entry(option_entry *entry, const char *name, option_kind kind,
                       option_group group) {
  *entry = (option_entry){.kind = kind, .group = group};
  text_append(entry->name, sizeof entry->name, "%s", name);
  for (char *c = entry->name; *c; c++) {
    if (*c == '_') *c = '-';
  }
}

static option_entry *add(option_table *table, const char *name, option_kind kind,
                         option_group group) {
  assert(table->count < OPTION_MAX);
  option_entry *entry = &table->entry[table->count++];
  name_entry(entry, name, kind, group);
  return entry;
}

// Like add, but inserts the entry after the last one with the same word before the dot: krylov.drop
// follows krylov.solver, although it belongs to another method.
static option_entry *add_beside(option_table *table, const char *name, option_kind kind,
                                option_group group) {
  const size_t prefix = strcspn(name, ".") + 1;
  int at = table->count;
  while (at > 0 && strncmp(table->entry[at - 1].name, name, prefix) != 0) at--;
  if (at == 0) return add(table, name, kind, group);
  assert(table->count < OPTION_MAX);
  memmove(&table->entry[at + 1], &table->entry[at],
          (size_t)(table->count++ - at)*sizeof *table->entry);
  name_entry(&table->entry[at], name, kind, group);
  return &table->entry[at];
}

static int entry_index(const option_table *table, const char *name) {
  for (int i = 0; i < table->count; i++) {
    if (!strcmp(table->entry[i].name, name)) return i;
  }
  return -1;
}

// Marks options that only families of one kind have, and changes help texts that differ between
// kinds.
static void narrow_rows(option_table *table, const command *what, const perp_family *family) {
  const char *kind = family && what->family_kind ? what->family_kind(family) : NULL;
  for (const option_scope *scope = what->scopes; scope && scope->option; scope++) {
    option_entry *entry = &table->entry[entry_index(table, scope->option)];
    const int same = kind && !strcmp(kind, scope->kind);
    if (!scope->help) {
      char help[sizeof entry->help];
      memcpy(help, entry->help, sizeof help);
      entry->only = scope->kind;
      entry->apart = kind && !same;
      if (kind) continue;
      entry->help[0] = 0;
      text_append(entry->help, sizeof entry->help, "%s: %s", scope->kind, help);
    } else if (same) {
      entry->help[0] = 0;
      text_append(entry->help, sizeof entry->help, "%s", scope->help);
    }
  }
}

static void add_rows(option_table *table, const option_row *rows) {
  const char *heading = table->count ? table->entry[table->count - 1].heading : NULL;
  for (; rows && rows->name; rows++) {
    if (rows->kind == OPTION_HEADING) {
      heading = rows->name;
      continue;
    }
    option_entry *entry = add(table, rows->name, rows->kind, GROUP_OWN);
    entry->heading = heading;
    entry->letter = rows->letter;
    if (rows->argument) text_append(entry->argument, sizeof entry->argument, "%s", rows->argument);
    if (rows->kind == OPTION_CHOICE) entry->choices = rows->argument;
    text_append(entry->help, sizeof entry->help, "%s", rows->help);
  }
}

static int is_duration(const perp_parameter *parameter) {
  return !strcmp(parameter->name, "time_limit");
}

static void list_choices(option_entry *entry, const char *choices) {
  text_append(entry->help, sizeof entry->help, "; one of");
  for (const char *word = choices; *word; word += strcspn(word, "|"), word += *word == '|') {
    text_append(entry->help, sizeof entry->help, "%s %.*s", word == choices ? "" : ",",
                (int)strcspn(word, "|"), word);
  }
}

// Few words are the argument's own description; many go into the help text.
static void describe_choices(option_entry *entry, const char *choices) {
  enum { CHOICES_LENGTH_MAX = 18 };
  entry->choices = choices;
  if (strlen(choices) <= CHOICES_LENGTH_MAX) {
    text_append(entry->argument, sizeof entry->argument, "%s", choices);
    return;
  }
  text_append(entry->argument, sizeof entry->argument, "NAME");
  list_choices(entry, choices);
}

// "on", "natural", "1.4": a default as the user would type it.
static const char *value_text(const perp_parameter *parameter, text_buffer *buffer) {
  if (parameter->kind == PERP_KIND_SWITCH) return parameter->initial != 0.0 ? "on" : "off";
  if (is_duration(parameter)) return text_seconds(parameter->initial, buffer);
  if (parameter->kind != PERP_KIND_CHOICE) return text_number(parameter->initial, buffer);
  const char *choice = parameter->choices;
  for (int i = (int)parameter->initial; i > 0 && strchr(choice, '|'); i--)
    choice = strchr(choice, '|') + 1;
  snprintf(buffer->text, sizeof buffer->text, "%.*s", (int)strcspn(choice, "|"), choice);
  return buffer->text;
}

static const perp_parameter *own_parameter(const perp_method *method, const char *name) {
  for (int32_t i = 0; i < method->parameter_count; i++) {
    if (!strcmp(method->parameters[i].name, name)) return &method->parameters[i];
  }
  return NULL;
}

// " (in (0, 2), default 1.4)"
static void append_limits(char *help, size_t size, const perp_parameter *parameter) {
  text_buffer buffer;
  text_append(help, size, " (");
  const int plain = parameter->kind == PERP_KIND_REAL || parameter->kind == PERP_KIND_INTEGER ||
                    parameter->kind == PERP_KIND_LONG;
  if (plain && !is_duration(parameter)) {
    text_append(help, size, "%s, ",
                text_limits(parameter->low, parameter->high, parameter->low_open,
                            parameter->high_open, &buffer));
  }
  text_append(help, size, "default %s)", value_text(parameter, &buffer));
}

static int same_choices(const perp_parameter *a, const perp_parameter *b) {
  return !a->choices || !b->choices ? a->choices == b->choices : !strcmp(a->choices, b->choices);
}

static int alike(const perp_parameter *a, const perp_parameter *b) {
  return a->initial == b->initial && a->low == b->low && a->high == b->high &&
         same_choices(a, b) && !strcmp(a->help, b->help);
}

static const char *argument_word(const perp_parameter *parameter) {
  return is_duration(parameter)                  ? "TIME"
         : parameter->kind == PERP_KIND_SWITCH ? "on|off"
         : parameter->kind == PERP_KIND_CHOICE ? "NAME"
         : parameter->kind == PERP_KIND_REAL   ? "NUMBER"
                                               : "N";
}

// dynamic: with DYNAMIC_LARGE not the methods for contacts, or for small n.
static int takes(unsigned dynamic, const perp_method *method) {
  const uint32_t other = PERP_NEEDS_CONTACTS | PERP_NEEDS_BODIES;
  return !(dynamic & DYNAMIC_LARGE) ||
         !(method->needs & other || method->traits & PERP_TRAIT_ALL);
}

static int somebody_takes(unsigned dynamic, const char *parameter) {
  int some = 0;
  for (int32_t i = 0; i < perp_method_count() && !some; i++)
    some = takes(dynamic, perp_method_at(i)) && own_parameter(perp_method_at(i), parameter);
  return some;
}

// Methods may share a parameter and mean different things by it: one line for each meaning, with
// the methods' names.
static void append_meanings(unsigned dynamic, option_entry *entry) {
  const perp_parameter *said[8];
  int count = 0;
  for (int32_t i = 0; i < perp_method_count() && count < 8; i++) {
    const perp_parameter *own = takes(dynamic, perp_method_at(i))
                                    ? own_parameter(perp_method_at(i), entry->parameter->name)
                                    : NULL;
    int k = 0;
    while (own && k < count && !alike(own, said[k])) k++;
    if (!own || k < count) continue;
    said[count++] = own;
    text_append(entry->help, sizeof entry->help, "%s%s", k ? "\n" : "", own->help);
    if (own->choices && k == 0) describe_choices(entry, own->choices);
    else if (own->choices && !same_choices(own, said[0])) {
      list_choices(entry, own->choices);
      if (strlen(own->choices) > strlen(entry->choices)) entry->choices = own->choices;
    }
    if (own->kind != entry->parameter->kind)   // a switch for one method, a number for another
      text_append(entry->argument, sizeof entry->argument, "|%s", argument_word(own));
    append_limits(entry->help, sizeof entry->help, own);
    const char *comma = " [";
    for (int32_t j = i; j < perp_method_count(); j++) {
      const perp_parameter *other = own_parameter(perp_method_at(j), own->name);
      if (!other || !alike(other, own) || !takes(dynamic, perp_method_at(j))) continue;
      text_append(entry->help, sizeof entry->help, "%s%s", comma, perp_method_at(j)->name);
      comma = ", ";
    }
    text_append(entry->help, sizeof entry->help, "]");
  }
}

static void describe_argument(const perp_parameter *parameter, option_entry *entry) {
  entry->parameter = parameter;
  if (parameter->kind == PERP_KIND_SWITCH) describe_choices(entry, argument_word(parameter));
  else if (parameter->kind != PERP_KIND_CHOICE)
    text_append(entry->argument, sizeof entry->argument, "%s", argument_word(parameter));
}

static void describe_alone(const perp_parameter *parameter, option_entry *entry) {
  describe_argument(parameter, entry);
  text_append(entry->help, sizeof entry->help, "%s", parameter->help);
  if (parameter->choices) describe_choices(entry, parameter->choices);
  if (is_duration(parameter)) text_append(entry->help, sizeof entry->help, "; also written 5ms, 2s or 1min");
  append_limits(entry->help, sizeof entry->help, parameter);
}

static option_kind kind_of(const perp_parameter *parameter) {
  return parameter->kind == PERP_KIND_CHOICE || parameter->kind == PERP_KIND_SWITCH ? OPTION_CHOICE
                                                                                    : OPTION_TEXT;
}

// An option that no method for this family has stays in the table, so that it can be refused.
static void add_parameter(option_table *table, unsigned dynamic, unsigned narrow,
                          const perp_parameter *parameter, option_group group) {
  for (int i = 0; i < table->count; i++) {   // a command's own option of that name comes first
    const option_entry *entry = &table->entry[i];
    if (!strcmp(entry->parameter ? entry->parameter->name : entry->name, parameter->name)) return;
  }
  if (group == GROUP_COMMON) {
    describe_alone(parameter, add(table, parameter->name, kind_of(parameter), group));
    return;
  }
  option_entry *entry = add_beside(table, parameter->name, kind_of(parameter), group);
  describe_argument(parameter, entry);
  entry->apart = !somebody_takes(narrow, parameter->name);
  append_meanings(entry->apart ? dynamic : narrow, entry);
}

void options_describe(const perp_parameter *parameter, option_entry *entry) {
  name_entry(entry, parameter->name, kind_of(parameter), GROUP_METHOD);
  describe_alone(parameter, entry);
}

static void add_family(option_table *table, const perp_family *family) {
  for (int32_t i = 0; i < family->parameter_count; i++) {
    const perp_gallery_parameter *quantity = &family->parameters[i];
    text_buffer range, number;
    const option_kind kind = quantity->choices ? OPTION_CHOICE : OPTION_TEXT;
    const int own = entry_index(table, quantity->name);   // what the command says without a family
    option_entry *entry = own >= 0 ? &table->entry[own]
                                   : add(table, quantity->name, kind, GROUP_FAMILY);
    name_entry(entry, quantity->name, kind, GROUP_FAMILY);
    entry->quantity = quantity;
    entry->quantity_index = i;
    text_append(entry->help, sizeof entry->help, "%s", quantity->help);
    if (quantity->choices) {
      describe_choices(entry, quantity->choices);
      const char *choice = quantity->choices;
      for (int k = (int)quantity->initial; k > 0 && strchr(choice, '|'); k--)
        choice = strchr(choice, '|') + 1;
      text_append(entry->help, sizeof entry->help, " (default %.*s)", (int)strcspn(choice, "|"),
                  choice);
    } else {
      const int binary = quantity->integer && quantity->low == 0.0 && quantity->high == 1.0;
      text_append(entry->argument, sizeof entry->argument, "%s",
                  binary ? "0|1" : quantity->integer ? "N" : "NUMBER");
      text_append(entry->help, sizeof entry->help, " (");
      if (!binary)
        text_append(entry->help, sizeof entry->help, "%s, ",
                    text_limits(quantity->low, quantity->high, 0, 0, &range));
      text_append(entry->help, sizeof entry->help, "default %s)",
                  text_number(quantity->initial, &number));
    }
  }
}

void options_build(const command *what, const perp_family *family, option_table *table) {
  const int large = family && what->family_large && what->family_large(family);
  const unsigned dynamic = what->dynamic, narrow = dynamic | (large ? DYNAMIC_LARGE : 0u);
  table->count = 0;
  add_rows(table, what->options);
  narrow_rows(table, what, family);
  add_rows(table, every_command);
  for (int32_t i = 0; i < perp_common_parameter_count(); i++) {
    const perp_parameter *parameter = perp_common_parameter_at(i);
    const int certificate =
        !strcmp(parameter->name, "tol") || !strcmp(parameter->name, "absolute_tol") ||
        !strcmp(parameter->name, "componentwise_tol");
    if ((dynamic & DYNAMIC_METHODS) || ((dynamic & DYNAMIC_CERTIFICATE) && certificate))
      add_parameter(table, dynamic, narrow, parameter, GROUP_COMMON);
  }
  if (dynamic & DYNAMIC_METHODS) {
    for (int32_t i = 0; i < perp_method_count(); i++) {
      const perp_method *method = perp_method_at(i);
      for (int32_t k = 0; takes(dynamic, method) && k < method->parameter_count; k++)
        add_parameter(table, dynamic, narrow, &method->parameters[k], GROUP_METHOD);
    }
  }
  if ((dynamic & DYNAMIC_FAMILY) && family) add_family(table, family);
}

const char *option_spelling(const option_entry *entry, char *buffer, size_t size) {
  *buffer = 0;
  if (entry->letter) text_append(buffer, size, "-%c, ", entry->letter);
  else text_append(buffer, size, "    ");
  text_append(buffer, size, "--%s", entry->name);
  if (*entry->argument) text_append(buffer, size, " %s", entry->argument);
  return buffer;
}

const char *option_title(const command *what, const option_entry *entry) {
  const int scene = what->family_word && !strcmp(what->family_word, "scene");
  switch (entry->group) {
    case GROUP_FAMILY: return scene ? "Parameters of the scene" : "Parameters of the family";
    case GROUP_COMMON: return what->dynamic & DYNAMIC_METHODS ? "Parameters of every method"
                                                              : "Parameters of the certificate";
    case GROUP_METHOD: return "Parameters of some methods, named in brackets";
    default:           return entry->heading ? entry->heading : "Options";
  }
}

static const char *entry_name_at(const void *context, int index) {
  const option_table *table = context;
  return index < table->count ? table->entry[index].name : NULL;
}

static int unknown_option(const arguments *args, const char *text) {
  const char *dashes = text[1] == '-' ? "--" : "-";
  const char *name = text + strlen(dashes);
  char word[64] = "";
  text_append(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
  const char *near = suggest(word, entry_name_at, &args->table);
  if (near)
    return fail(CODE_USAGE, "unknown option '%s%s'; did you mean '--%s'?", dashes, word, near);
  return fail(CODE_USAGE, "unknown option '%s%s'; 'perp %s%s%s --help' lists the options", dashes,
              word, args->command->name, args->family ? " " : "",
              args->family ? args->family->name : "");
}

// The family is the first operand; it must be known before its parameters can be understood.
static const char *first_operand(const option_table *table, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *text = argv[i];
    if (!strcmp(text, "--")) return i + 1 < argc ? argv[i + 1] : NULL;
    if (text[0] != '-' || !text[1]) return text;
    int known = 0;
    for (int k = 0; k < table->count; k++) {
      const option_entry *entry = &table->entry[k];
      const int named = text[1] == '-' && !strcmp(text + 2, entry->name);
      if (!named && (text[1] == '-' || text[1] != entry->letter || text[2])) continue;
      known = 1;
      if (*entry->argument) i++;
    }
    if (!known && text[1] == '-' && !strchr(text, '=')) i++;   // a parameter that is not known yet
  }
  return NULL;
}

// --iteration_limit is --iteration-limit: the library and its messages write it so.
static void dashes_for_underscores(const option_table *table, char *text) {
  char name[sizeof table->entry[0].name] = "";
  const size_t length = strcspn(text, "=");
  if (strncmp(text, "--", 2) != 0 || length < 3 || length - 2 >= sizeof name) return;
  for (size_t i = 2; i < length; i++) name[i - 2] = (char)(text[i] == '_' ? '-' : text[i]);
  if (entry_index(table, name) >= 0) memcpy(text + 2, name, length - 2);
}

// An empty file name is a mistake, such as a shell variable that is not set.
static int check_names(const arguments *args) {
  for (int i = 0; i < args->table.count; i++) {
    const option_entry *entry = &args->table.entry[i];
    const int named = entry->kind == OPTION_FILE || entry->kind == OPTION_FOLDER;
    if (!named || !args->value[i] || *args->value[i]) continue;
    return fail(CODE_USAGE, "--%s: the name of the %s is empty", entry->name,
                entry->kind == OPTION_FILE ? "file" : "directory");
  }
  const int output = entry_index(&args->table, "output");
  if (output >= 0 && args->value[output] && !strcmp(args->value[output], "-") && message_object())
    return fail(CODE_USAGE, "-o - and --json cannot share the standard output");
  for (int i = 0; i < args->operands; i++) {
    if (!*args->operand[i]) {
      return fail(CODE_USAGE, "an argument is empty; usage: perp %s %s", args->command->name,
                  args->command->synopsis[0]);
    }
  }
  return CODE_OK;
}

// Names must be spelled out: an abbreviation that works today is ambiguous tomorrow.
static int spelled_out(const char *text, const char *name) {
  const size_t length = strlen(name);
  return !strncmp(text, "--", 2) && !strncmp(text + 2, name, length) &&
         (!text[2 + length] || text[2 + length] == '=');
}

int options_parse(const command *what, int argc, char **argv, arguments *out, int *helped) {
  enum { LONG_BASE = 256 };
  *out = (arguments){.command = what};
  *helped = 0;
  options_build(what, NULL, &out->table);
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {   // usage errors are JSON too
    if (!strcmp(argv[i], "--json") && entry_index(&out->table, "json") >= 0) message_json();
  }
  if (what->dynamic & DYNAMIC_FAMILY) {
    const char *name = first_operand(&out->table, argc, argv);
    if (name && *name) {
      out->family = family_find(what, name);
      if (!out->family) return CODE_USAGE;
      options_build(what, out->family, &out->table);
    }
  }

  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    dashes_for_underscores(&out->table, argv[i]);
  struct option longs[OPTION_MAX + 1] = {0};
  char shorts[2*OPTION_MAX + 2] = ":";
  for (int i = 0; i < out->table.count; i++) {
    const option_entry *entry = &out->table.entry[i];
    const int has = *entry->argument != 0;
    longs[i] =
        (struct option){entry->name, has ? required_argument : no_argument, NULL, LONG_BASE + i};
    if (entry->letter) text_append(shorts, sizeof shorts, "%c%s", entry->letter, has ? ":" : "");
  }

  optind = 1, opterr = 0;
  for (int c; (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
    int index = c - LONG_BASE;
    const char *text = argv[optind - 1];
    if (c == '?' && optopt >= LONG_BASE) {
      return fail(CODE_USAGE, "option '--%s' takes no value",
                  out->table.entry[optopt - LONG_BASE].name);
    }
    if (c == '?') {
      char letter[3] = {'-', (char)optopt, 0};
      return unknown_option(out, optopt ? letter : text);
    }
    if (c == ':') {
      const option_entry *entry = NULL;
      for (int i = 0; i < out->table.count; i++) {
        if (optopt == LONG_BASE + i || optopt == out->table.entry[i].letter)
          entry = &out->table.entry[i];
      }
      if (!entry || (optopt >= LONG_BASE && !spelled_out(text, entry->name)))
        return unknown_option(out, text);
      return fail(CODE_USAGE, "option '--%s' needs a value: %s", entry->name, entry->argument);
    }
    if (index < 0) {
      for (index = 0; out->table.entry[index].letter != c; index++) continue;
    } else {
      if (optarg == text) text = argv[optind - 2];
      if (!spelled_out(text, out->table.entry[index].name)) return unknown_option(out, text);
    }
    out->value[index] = optarg ? optarg : "";
  }

  if (argument(out, "no-color")) text_no_colour();
  if (argument(out, "help")) {
    help_command(what, out->family);
    *helped = 1;
    return CODE_OK;
  }
  const int quiet = entry_index(&out->table, "quiet");
  if (quiet >= 0 && out->value[quiet]) message_quiet();
  for (int i = optind; i < argc; i++) {
    if (out->operands == what->operands_max) {
      return fail(CODE_USAGE, "unexpected argument '%s'; usage: perp %s %s", argv[i], what->name,
                  what->synopsis[0]);
    }
    out->operand[out->operands++] = argv[i];
  }
  if (out->operands < what->operands_min) {
    return fail(CODE_USAGE, "%s is missing; usage: perp %s %s", what->operands_help, what->name,
                what->synopsis[0]);
  }
  return check_names(out);
}

const char *argument(const arguments *args, const char *name) {
  const int index = entry_index(&args->table, name);
  assert(index >= 0);
  return args->value[index];
}

int duration_parse(const char *text, double *seconds) {
  static const struct { const char *name; double seconds; } units[] = {
    {"", 1.0}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}};
  if (!strcmp(text, "none") || !strcmp(text, "inf")) {
    *seconds = INFINITY;
    return 1;
  }
  char *end;
  const double value = strtod(text, &end);
  if (end == text || !isfinite(value)) return 0;
  while (*end == ' ') end++;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strcmp(end, units[i].name) != 0) continue;
    *seconds = value*units[i].seconds;
    return 1;
  }
  return 0;
}
