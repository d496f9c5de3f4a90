// solve_settings.c: from the command line to perp_options, through the library's own tables.
#include "solve_settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

int32_t settings_threads(void) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors < 1 ? 1 : processors > 16 ? 16 : (int32_t)processors;
}

int exit_code_of(perp_error error) {
  switch (error) {
    case PERP_ERROR_OK: return CODE_OK;
    case PERP_ERROR_ARGUMENT:
    case PERP_ERROR_OPTION: return CODE_USAGE;
    case PERP_ERROR_PROBLEM: return CODE_INPUT;
    case PERP_ERROR_UNSUPPORTED: return CODE_UNSOLVABLE;
    case PERP_ERROR_CAPACITY:
    case PERP_ERROR_MEMORY: return CODE_IO;
    default: return CODE_UNSOLVED;
  }
}

int exit_code_of_status(perp_status status) {
  switch (status) {
    case PERP_STATUS_SOLVED: return CODE_OK;
    case PERP_STATUS_INFEASIBLE:
    case PERP_STATUS_NO_SOLUTION: return CODE_UNSOLVABLE;
    default: return CODE_UNSOLVED;
  }
}

int fail_library(perp_error error) {
  const char *message = perp_last_message();
  return fail(exit_code_of(error), "%s", message && *message ? message : perp_error_text(error));
}

static void list_holders(const char *parameter, char *names, size_t size) {
  *names = 0;
  for (int32_t i = 0; i < perp_method_count(); i++) {
    const perp_method *method = perp_method_at(i);
    if (perp_find_parameter(method, parameter))
      text_append(names, size, "%s%s", *names ? ", " : "", method->name);
  }
}

static int apply(const option_entry *entry, const char *value, const perp_method *method,
                 perp_options *options) {
  const char *key = entry->parameter->name;
  if (!perp_find_parameter(method, key)) {
    char names[256];
    list_holders(key, names, sizeof names);
    return fail(CODE_USAGE, "method %s has no parameter --%s; methods that have it: %s",
                method->name, entry->name, names);
  }
  char seconds_text[40];
  if (!strcmp(entry->argument, "TIME")) {
    double seconds;
    if (!duration_parse(value, &seconds)) {
      return fail(CODE_USAGE, "--%s = %s is not a time; write 5ms, 2s, 1.5min or none", entry->name,
                  value);
    }
    snprintf(seconds_text, sizeof seconds_text, "%.17g", seconds);
    value = isinf(seconds) ? "inf" : seconds_text;
  }
  const perp_error error = perp_set_option(options, key, value);
  if (error == PERP_OK) return CODE_OK;
  const char *message = perp_last_message();
  const size_t length = strlen(key);
  if (!strncmp(message, key, length))
    return fail(exit_code_of(error), "--%s%s", entry->name, message + length);
  return fail(exit_code_of(error), "--%s: %s", entry->name, message);
}

// --preset NAME, before what is given one by one.
static int apply_preset(const char *name, const perp_method *method, perp_options *options) {
  const perp_error error = perp_set_option(options, "preset", name);
  if (error == PERP_OK) return CODE_OK;
  char all[256] = "", having[256] = "";
  for (int32_t i = 0; i < perp_method_count(); i++) {
    const perp_method *other = perp_method_at(i);
    for (int32_t k = 0; k < other->preset_count; k++) {
      text_append(all, sizeof all, "%s%s of %s", *all ? ", " : "", other->presets[k].name,
                  other->name);
      if (!strcmp(other->presets[k].name, name))
        text_append(having, sizeof having, "%s--method %s", *having ? " or " : "", other->name);
    }
  }
  return fail(CODE_USAGE, "method %s has no preset '%s'; %s%s", method->name, name,
              *having ? "it needs " : "there is ", *having ? having : all);
}

int settings_apply(const arguments *args, const perp_method *method, perp_options *options) {
  for (int i = 0; i < args->table.count; i++) {
    const option_entry *entry = &args->table.entry[i];
    if (!args->value[i] || entry->parameter || strcmp(entry->name, "preset")) continue;
    const int code = apply_preset(args->value[i], method, options);
    if (code) return code;
  }
  for (int i = 0; i < args->table.count; i++) {
    if (!args->value[i] || !args->table.entry[i].parameter) continue;
    const int code = apply(&args->table.entry[i], args->value[i], method, options);
    if (code) return code;
  }
  // Naming a Krylov solver or a preconditioner asks for it to run, even if a factorization is
  // faster.
  if ((settings_given(args, "krylov.solver") || settings_given(args, "krylov.preconditioner")) &&
      !settings_given(args, "newton.inner"))
    perp_set_option(options, "newton.inner", "krylov");
  return CODE_OK;
}

int settings_start(const char *text, perp_options *options) {
  const perp_parameter *method = perp_find_parameter(options->method, "start.method");
  char name[32] = "", choices[128] = "";
  text_append(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
  for (const char *c = method ? method->choices : ""; *c; c++)
    text_append(choices, sizeof choices, *c == '|' ? ", " : "%c", *c);
  if (perp_set_option(options, "start.method", name) != PERP_OK)
    return fail(CODE_USAGE, "--start = %s: '%s' is not one of %s; write pgs:10", text, name,
                choices);
  const char *count = strchr(text, ':');
  if (count && perp_set_option(options, "start.iterations", count + 1) != PERP_OK)
    return fail(CODE_USAGE, "--start = %s: '%s' is no number of iterations; write %s:10", text,
                count + 1, name);
  return CODE_OK;
}

int settings_given(const arguments *args, const char *parameter) {
  for (int i = 0; i < args->table.count; i++) {
    const perp_parameter *entry = args->table.entry[i].parameter;
    if (entry && args->value[i] && !strcmp(entry->name, parameter)) return 1;
  }
  return 0;
}

int settings_seed(const char *text, uint64_t *seed) {
  char *end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end || errno) {
    return fail(CODE_USAGE, "--seed = %s is not a whole number from 0 to 2^64-1", text);
  }
  *seed = value;
  return CODE_OK;
}

// Which of the words "on|off" it is, or -1.
static int32_t find_word(const char *words, const char *text) {
  int32_t index = 0;
  for (const char *word = words; *word; index++) {
    const size_t length = strcspn(word, "|");
    if (strlen(text) == length && !strncmp(word, text, length)) return index;
    word += length + (word[length] == '|');
  }
  return -1;
}

static int take_word(const char *name, const char *words, const char *text, int32_t *index) {
  const int32_t found = find_word(words, text);
  if (found < 0) return fail(CODE_USAGE, "--%s = %s is not one of %s", name, text, words);
  *index = found;
  return CODE_OK;
}

static int take_number(const char *name, const char *text, double low, double high, int whole,
                       double *value) {
  char *end;
  text_buffer range;
  const double number = strtod(text, &end);
  if (end == text || *end || !isfinite(number) || (whole && number != floor(number)))
    return fail(CODE_USAGE, "--%s = %s is not a %snumber", name, text, whole ? "whole " : "");
  if (number < low || number > high)
    return fail(CODE_USAGE, "--%s = %s is outside %s", name, text,
                text_range(low, high, 0, 0, &range));
  *value = number;
  return CODE_OK;
}

int settings_quantity(const option_entry *entry, const char *text, double *value) {
  const perp_gallery_parameter *quantity = entry->quantity;
  if (!quantity->choices)
    return take_number(entry->name, text, quantity->low, quantity->high, quantity->integer, value);
  int32_t index = 0;
  const int code = take_word(entry->name, quantity->choices, text, &index);
  if (!code) *value = index;
  return code;
}

int settings_number(const arguments *args, const char *name, double low, double high,
                    double *value) {
  const char *text = argument(args, name);
  return text ? take_number(name, text, low, high, 0, value) : CODE_OK;
}

int settings_whole(const arguments *args, const char *name, int64_t low, int64_t high,
                   int64_t *value) {
  const char *text = argument(args, name);
  double number = 0.0;
  if (!text) return CODE_OK;
  const int code = take_number(name, text, (double)low, (double)high, 1, &number);
  if (!code) *value = (int64_t)number;
  return code;
}

int settings_choice(const arguments *args, const char *name, int32_t *index) {
  const char *text = argument(args, name);
  for (int i = 0; i < args->table.count && text; i++) {
    const option_entry *entry = &args->table.entry[i];
    if (!strcmp(entry->name, name)) return take_word(name, entry->choices, text, index);
  }
  return CODE_OK;
}

int settings_size(const arguments *args, const char *name, const char *form, int32_t low,
                  int32_t high, int32_t size[2]) {
  const char *text = argument(args, name);
  int length = 0, found[2];
  if (!text) return CODE_OK;
  if (sscanf(text, "%9d%*1[xX]%9d%n", &found[0], &found[1], &length) != 2 || text[length])
    return fail(CODE_USAGE, "--%s = %s is not of the form %s", name, text, form);
  for (int k = 0; k < 2; k++)
    if (found[k] < low || found[k] > high)
      return fail(CODE_USAGE, "--%s = %s: %d is outside [%d, %d]", name, text, found[k], (int)low,
                  (int)high);
  for (int k = 0; k < 2; k++) size[k] = found[k];
  return CODE_OK;
}
