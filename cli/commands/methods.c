// methods.c: perp methods: the table of methods.
#include <stdio.h>

#include "command.h"
#include "describe.h"
#include "text.h"

static json_t *parameters_json(const perp_method *method) {
  static const char *const kinds[] = {"real",   "integer", "integer",
                                      "switch", "choice",  "seed"};   // as perp_kind
  json_t *list = json_array();
  for (int32_t i = 0; i < method->parameter_count; i++) {
    const perp_parameter *parameter = &method->parameters[i];
    json_t *item = json_object();
    json_object_set_new(item, "name", json_text(parameter->name));
    json_object_set_new(item, "kind", json_string(kinds[parameter->kind]));
    json_object_set_new(item, "default", json_number(parameter->initial));
    json_object_set_new(item, "low", json_number(parameter->low));
    json_object_set_new(item, "high", json_number(parameter->high));
    json_object_set_new(item, "choices",
                        parameter->choices ? json_text(parameter->choices) : json_null());
    json_object_set_new(item, "help", json_text(parameter->help));
    json_array_append_new(list, item);
  }
  return list;
}

static json_t *method_json(const perp_method *method) {
  json_t *item = json_object();
  json_object_set_new(item, "name", json_text(method->name));
  json_object_set_new(item, "title", json_text(method->title));
  json_object_set_new(item, "source", json_text(method->source));
  json_object_set_new(item, "formula", json_text(method->formula));
  json_object_set_new(item, "converges", json_text(method->converges));
  json_object_set_new(item, "cost", json_text(method->cost));
  json_object_set_new(item, "advice", json_text(method->advice));
  json_object_set_new(item, "needs", describe_json(method, DESCRIBE_NEEDS));
  json_object_set_new(item, "accepts", describe_json(method, DESCRIBE_ACCEPTS));
  json_object_set_new(item, "assumes", describe_json(method, DESCRIBE_ASSUMES));
  json_object_set_new(item, "traits", describe_json(method, DESCRIBE_TRAITS));
  json_object_set_new(item, "iteration", json_text(describe_iterations(method)));
  json_object_set_new(item, "n_max", method->n_max > 0 ? json_integer(method->n_max) : json_null());
  json_object_set_new(item, "parameters", parameters_json(method));
  return item;
}

static int run(const arguments *args) {
  json_t *object = message_object(), *list = object ? json_array() : NULL;
  const int names = argument(args, "names") != NULL;
  for (int32_t i = 0; i < perp_method_count(); i++) {
    const perp_method *method = perp_method_at(i);
    char text[256];
    if (list) {
      json_array_append_new(list, method_json(method));
    } else if (names) {
      puts(method->name);
    } else {
      const uint32_t any = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED;
      snprintf(text, sizeof text, "%s (%s)%s", method->title, method->source,
               (method->accepts & any) == any ? ""
               : method->accepts == 0         ? ", 0 <= x only"
                                              : ", not all bounds");
      text_row(stdout, 0, method->name, 20, text);
    }
  }
  if (list) json_object_set_new(object, "methods", list);
  else if (!names) printf("\n'perp explain METHOD' has a page on each.\n");
  return CODE_OK;
}

static const option_row rows[] = {
  {"names", 0, NULL, OPTION_FLAG, "names only, one per line"},
  OPTION_JSON,
  {0}
};

extern const command command_methods;
const command command_methods = {
  .name = "methods",
  .title = "list the methods",
  .synopsis = {"[OPTION]..."},
  .description =
    "Lists the methods with their sources, and marks those that do not accept all kinds of bounds.",
  .options = rows,
  .examples = {{"perp methods --names", "for a loop over all methods in a shell"}},
  .run = run,
};
