// methods.c: perp methods: the table of methods.
#include <ctype.h>
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
  json_object_set_new(item, "tier", json_text(describe_tier(method->tier)));
  json_object_set_new(item, "use", method->use ? json_text(method->use) : json_null());
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

// A heading, and a row for each method of the tier: when to choose it, or what it is.
static void list_tier(perp_tier tier, int use) {
  char text[256];
  fputs(text_paint(stdout, TEXT_BOLD), stdout);
  snprintf(text, sizeof text, "%s: %s", describe_tier(tier), describe_tier_text(tier));
  *text = (char)toupper((unsigned char)*text);
  text_wrap(stdout, text, 0, 2);
  fputs(text_paint(stdout, TEXT_PLAIN), stdout);
  for (int32_t i = 0; i < perp_method_count(); i++) {
    const perp_method *method = perp_method_at(i);
    if (method->tier != tier) continue;
    snprintf(text, sizeof text, "%s (%s)", method->title, method->source);
    text_row(stdout, 2, method->name, use ? 18 : 23, use ? method->use : text);
  }
}

static int run(const arguments *args) {
  const int names = argument(args, "names") != NULL, all = argument(args, "all") != NULL;
  json_t *object = message_object(), *list = object ? json_array() : NULL;
  for (int32_t i = 0; i < perp_method_count(); i++) {
    const perp_method *method = perp_method_at(i);
    if (list) json_array_append_new(list, method_json(method));
    else if (names && (all || method->tier == PERP_TIER_CHOOSE)) puts(method->name);
  }
  if (list) json_object_set_new(object, "methods", list);
  if (list || names) return CODE_OK;
  list_tier(PERP_TIER_CHOOSE, !all);
  for (int tier = PERP_TIER_CHOOSE + 1; all && tier < PERP_TIER_COUNT; tier++) {
    putchar('\n');
    list_tier((perp_tier)tier, 0);
  }
  puts("\n'perp explain METHOD' has a page on each.");
  if (!all) puts("'perp methods --all' lists all of them, with titles and sources.");
  return CODE_OK;
}

static const option_row rows[] = {
  {"all", 'a', NULL, OPTION_FLAG, "every method, with title and source"},
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
    "Lists the methods to choose from, and when to choose which. With --all it lists every method, "
    "in three tiers: choose; reference, the methods of papers, to compare with; and internal, the "
    "steps that auto and other methods take. All commands take methods of every tier. --json "
    "prints every method with its tier.",
  .options = rows,
  .examples = {{"perp methods --all --names", "for a loop over all methods in a shell"}},
  .run = run,
};
