// options.c: options by name. Defaults, ranges and texts come from one table for all methods and one
// table for each method.
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "plain.h"

#define FIELD(name) offsetof(perp_options, name)
#define NO_LIMIT ((double)INFINITY)

static const perp_parameter common[] = {
  {"tol", PERP_KIND_REAL, FIELD(tol), 1e-8, 0, 1, 1, 1, NULL,
   "relative tolerance of the certificate"},
  {"absolute_tol", PERP_KIND_REAL, FIELD(absolute_tol), 0, 0, NO_LIMIT, 0, 1, NULL,
   "accept rows with a natural residual below this; 0: off"},
  {"componentwise_tol", PERP_KIND_REAL, FIELD(componentwise_tol), 0, 0, NO_LIMIT, 0, 0, NULL,
   "largest error of a row relative to its own data; 0: 1e6 tol, inf: no limit"},
  {"time_limit", PERP_KIND_REAL, FIELD(time_limit), NO_LIMIT, 0, NO_LIMIT, 1, 0, NULL,
   "seconds after which the best iterate is returned"},
  {"iteration_limit", PERP_KIND_INTEGER, FIELD(iteration_limit), 20000, 0, INT32_MAX, 0, 0, NULL,
   "iterations (of each component, if split) after which the best iterate is returned"},
  {"threads", PERP_KIND_INTEGER, FIELD(threads), 1, 1, 256, 0, 0, NULL,
   "threads to use; the answer's bits do not depend on it"},
  {"presolve", PERP_KIND_SWITCH, FIELD(presolve), 1, 0, 1, 0, 0, NULL,
   "remove variables whose values follow from the bounds and the matrix"},
  {"scale", PERP_KIND_SWITCH, FIELD(scale), 1, 0, 1, 0, 0, NULL,
   "scale the problem by its diagonal, in methods that gain from it"},
  {"split", PERP_KIND_CHOICE, FIELD(split), PERP_SPLIT_METHOD, 0, 2, 0, 0, "no|yes|method",
   "solve connected components one by one; method: as the method prefers"},
  {"start.method", PERP_KIND_CHOICE, FIELD(start.method), 0, 0, 3, 0, 0, "none|pgs|psor|gradient",
   "a method that runs first and gives its x to the main one, E13 6, ANE17 7"},
  {"start.iterations", PERP_KIND_INTEGER, FIELD(start.iterations), 10, 0, INT32_MAX, 0, 0, NULL,
   "iterations of start.method"},
  {"seed", PERP_KIND_SEED, FIELD(seed), 0, 0, 18446744073709549568.0, 0, 0, NULL,
   "seed of the random numbers, if the method uses any"},
  {"stop.measure", PERP_KIND_CHOICE, FIELD(stop.measure), 0, 0, 7, 0, 0,
   "none|natural|e13|minmap|fischer|mns08_r1|mns08_r2|box",
   "a paper's own measure, which may stop the method but never certifies x"},
  {"stop.tol", PERP_KIND_REAL, FIELD(stop.tol), 0, 0, NO_LIMIT, 0, 1, NULL,
   "stop when stop.measure falls below this, E13 (107); 0: off"},
  {"stop.relative", PERP_KIND_REAL, FIELD(stop.relative), 0, 0, 1, 0, 1, NULL,
   "stop when stop.measure changes by less than this factor, E13 (108); 0: off"},
  {"stop.stagnation", PERP_KIND_REAL, FIELD(stop.stagnation), 0, 0, NO_LIMIT, 0, 1, NULL,
   "stop when max |dx| falls below this, E13 (109); 0: off"},
};

int32_t perp_common_parameter_count(void) { return OPTIONS_COUNT(common); }
const perp_parameter *perp_common_parameter_at(int32_t index) {
  return index >= 0 && index < OPTIONS_COUNT(common) ? &common[index] : NULL;
}

const perp_parameter *perp_find_parameter(const perp_method *method, const char *name) {
  if (method == NULL || name == NULL) return NULL;
  for (int32_t k = 0; k < method->parameter_count; k++)
    if (strcmp(method->parameters[k].name, name) == 0) return &method->parameters[k];
  for (int32_t k = 0; k < OPTIONS_COUNT(common); k++)
    if (strcmp(common[k].name, name) == 0) return &common[k];
  return NULL;
}

static void store(perp_options *options, const perp_parameter *p, double value) {
  unsigned char *field = (unsigned char *)options + p->offset;
  switch (p->kind) {
    case PERP_KIND_REAL: memcpy(field, &value, sizeof value); break;
    case PERP_KIND_LONG: memcpy(field, &(int64_t){(int64_t)value}, sizeof(int64_t)); break;
    case PERP_KIND_SEED: memcpy(field, &(uint64_t){(uint64_t)value}, sizeof(uint64_t)); break;
    default: memcpy(field, &(int32_t){(int32_t)value}, sizeof(int32_t)); break;
  }
}

double perp_parameter_value(const perp_options *options, const perp_parameter *p) {
  if (options == NULL || p == NULL) return 0.0;
  const unsigned char *field = (const unsigned char *)options + p->offset;
  double real;
  int64_t whole;
  uint64_t seed;
  int32_t small;
  switch (p->kind) {
    case PERP_KIND_REAL: memcpy(&real, field, sizeof real); return real;
    case PERP_KIND_LONG: memcpy(&whole, field, sizeof whole); return (double)whole;
    case PERP_KIND_SEED: memcpy(&seed, field, sizeof seed); return (double)seed;
    default: memcpy(&small, field, sizeof small); return (double)small;
  }
}

static int in_range(const perp_parameter *p, double v) {
  // Any 64 bits are a valid seed; converted to a double they may round past the limit.
  if (p->kind == PERP_KIND_SEED) return 1;
  return (p->low_open ? v > p->low : v >= p->low) && (p->high_open ? v < p->high : v <= p->high);
}

static perp_error out_of_range(const perp_parameter *p, double v) {
  const int digits = p->kind == PERP_KIND_REAL ? 10 : 17;   // whole numbers are printed whole
  return error_set(PERP_ERROR_OPTION, "%s = %.*g is outside %c%.*g, %.*g%c", p->name, digits, v,
                   p->low_open ? '(' : '[', digits, p->low, digits, p->high,
                   p->high_open ? ')' : ']');
}

void options_default(perp_options *options, const perp_method *method) {
  for (int32_t k = 0; k < method->parameter_count; k++)
    store(options, &method->parameters[k], method->parameters[k].initial);
}

perp_options perp_default_options(const perp_method *method) {
  perp_options options = {.size = sizeof options,
                          .method = method != NULL ? method : perp_find_method("auto")};
  for (int32_t k = 0; k < OPTIONS_COUNT(common); k++)
    store(&options, &common[k], common[k].initial);
  options_default(&options, options.method);
  return options;
}

perp_error options_check(const perp_options *options) {
  if (options->size != sizeof *options)
    return error_set(PERP_ERROR_OPTION,
                     "options.size = %zu is not %zu: begin with perp_default_options()",
                     options->size, sizeof *options);
  if (options->method == NULL) return error_set(PERP_ERROR_OPTION, "options.method is NULL");
  for (int32_t k = 0; k < OPTIONS_COUNT(common); k++) {
    const double v = perp_parameter_value(options, &common[k]);
    if (!in_range(&common[k], v)) return out_of_range(&common[k], v);
  }
  for (int32_t k = 0; k < options->method->parameter_count; k++) {
    const double v = perp_parameter_value(options, &options->method->parameters[k]);
    if (!in_range(&options->method->parameters[k], v))
      return out_of_range(&options->method->parameters[k], v);
  }
  if (options->trace_capacity < 0 || (options->trace_capacity > 0 && options->trace == NULL))
    return error_set(PERP_ERROR_OPTION, "trace_capacity = %d with trace = %s",
                     options->trace_capacity, options->trace == NULL ? "NULL" : "memory");
  return PERP_OK;
}

static int parse_choice(const char *choices, const char *value) {   // position in "a|b|c", or -1
  const size_t length = strlen(value);
  int k = 0;
  if (strchr(value, '|') != NULL) return -1;
  for (const char *c = choices; c != NULL; c = strchr(c, '|'), c = c != NULL ? c + 1 : NULL, k++)
    if (strncmp(c, value, length) == 0 && (c[length] == '|' || c[length] == '\0')) return k;
  return -1;
}

static perp_error set_preset(perp_options *options, const char *name) {
  const perp_method *method = options->method;
  for (int32_t k = 0; k < method->preset_count; k++) {
    const perp_preset *preset = &method->presets[k];
    if (strcmp(preset->name, name) != 0) continue;
    perp_error error = PERP_OK;
    for (int32_t q = 0; error == PERP_OK && q < preset->count; q++)
      error = perp_set_option(options, preset->settings[q][0], preset->settings[q][1]);
    return error;
  }
  return error_set(PERP_ERROR_OPTION, "%s has no preset '%s'", method->name, name);
}

perp_error perp_set_option(perp_options *options, const char *key, const char *value) {
  if (options == NULL || key == NULL || value == NULL)
    return error_set(PERP_ERROR_ARGUMENT, "perp_set_option: NULL argument");
  if (options->size != sizeof *options || options->method == NULL) return options_check(options);
  if (strcmp(key, "preset") == 0) return set_preset(options, value);
  const perp_parameter *p = perp_find_parameter(options->method, key);
  if (p == NULL)
    return error_set(PERP_ERROR_OPTION, "%s has no option '%s'", options->method->name, key);
  double v;
  if (p->kind == PERP_KIND_CHOICE || p->kind == PERP_KIND_SWITCH) {
    const int k = parse_choice(p->kind == PERP_KIND_CHOICE ? p->choices : "0|1", value);
    const int word = p->kind == PERP_KIND_SWITCH ? parse_choice("no|yes|off|on|false|true", value)
                                                 : -1;
    if (k < 0 && word < 0)
      return error_set(PERP_ERROR_OPTION, "%s = '%s' is not one of %s", key, value,
                       p->kind == PERP_KIND_CHOICE ? p->choices : "on|off");
    v = k >= 0 ? k : word%2;
  } else {
    char *end;
    errno = 0;
    if (p->kind == PERP_KIND_SEED) {   // all 64 bits, more than a double holds
      const unsigned long long seed = strtoull(value, &end, 10);
      if (end == value || *end != '\0' || errno != 0 || strchr(value, '-') != NULL)
        return error_set(PERP_ERROR_OPTION, "%s = '%s' is not a whole number from 0 to 2^64-1",
                         key, value);
      memcpy((unsigned char *)options + p->offset, &(uint64_t){seed}, sizeof(uint64_t));
      return PERP_OK;
    }
    v = plain_number(value, &end);
    if (end == value || *end != '\0' || v != v)
      return error_set(PERP_ERROR_OPTION, "%s = '%s' is not a number", key, value);
    if (p->kind != PERP_KIND_REAL && v != floor(v))
      return error_set(PERP_ERROR_OPTION, "%s = %s is not a whole number", key, value);
    if (!in_range(p, v)) return out_of_range(p, v);
  }
  store(options, p, v);
  return PERP_OK;
}
