// classify.c: perp classify: the classes of a matrix, its kinds of rows, and suitable methods.
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "solve_settings.h"
#include "text.h"

static const char *const verdict_name[] = {"no", "yes",
                                           "unknown"};   // in the order of perp_verdict

// What is known about a method on this problem.
typedef enum suit { SUIT_REFUSED, SUIT_UNPROVEN, SUIT_PROVEN } suit;

static suit suits(const perp_method *method, const perp_problem *problem,
                  const perp_classes *classes) {
  if (perp_method_accepts(method, problem) != PERP_OK) return SUIT_REFUSED;
  return perp_method_converges(method, classes) == PERP_YES ? SUIT_PROVEN : SUIT_UNPROVEN;
}

static void report_people(const problem_files *files, const perp_classes *classes,
                          const char *plan) {
  report_line("problem", "%s: n = %d, nnz = %lld, %d component%s", files->name,
              (int)files->problem.A.n, (long long)files->nnz, (int)classes->components,
              classes->components == 1 ? "" : "s");
  report_line("rows", "%d with 0 <= x, %d free, %d boxed, %d fixed", (int)classes->lcp_rows,
              (int)classes->free_rows, (int)classes->boxed_rows, (int)classes->fixed_rows);
  report_line("asymmetry", "%.3g", classes->asymmetry);
  printf("\n%-24s%-9s%s\n", "class", "verdict", "reason");
  for (int i = 0; i < PERP_CLASS_COUNT; i++) {
    const char *verdict = verdict_name[classes->of[i].verdict];
    printf("%-24s%-9s", perp_class_name((perp_class)i), verdict);
    text_wrap(stdout,
              *classes->of[i].reason ? classes->of[i].reason : perp_class_text((perp_class)i), 33,
              33);
  }
  static const char *const title[] = {"does not accept it", "accepts it, no proof",
                                      "proven to converge"};
  putchar('\n');
  for (int kind = SUIT_PROVEN; kind >= SUIT_REFUSED; kind--) {
    char names[512] = "";
    for (int32_t i = 0; i < perp_method_count(); i++) {
      const perp_method *method = perp_method_at(i);
      if (!strcmp(method->name, "auto")) continue;   // has a row of its own
      if ((int)suits(method, &files->problem, classes) == kind) {
        text_append(names, sizeof names, "%s%s", *names ? ", " : "", method->name);
      }
    }
    if (!*names && kind == SUIT_PROVEN)
      text_append(names, sizeof names, "none of this version's methods");
    if (*names) text_row(stdout, 0, title[kind], 24, names);
  }
  text_row(stdout, 0, "auto would run", 24, plan);
}

static void report_program(json_t *object, const problem_files *files, const perp_classes *classes,
                           const char *plan) {
  report_json_problem(object, files);
  json_object_set_new(object, "components", json_integer(classes->components));
  json_object_set_new(object, "asymmetry", json_number(classes->asymmetry));
  json_t *rows = json_object();
  json_object_set_new(rows, "lcp", json_integer(classes->lcp_rows));
  json_object_set_new(rows, "free", json_integer(classes->free_rows));
  json_object_set_new(rows, "boxed", json_integer(classes->boxed_rows));
  json_object_set_new(rows, "fixed", json_integer(classes->fixed_rows));
  json_object_set_new(object, "rows", rows);
  json_t *list = json_array();
  for (int i = 0; i < PERP_CLASS_COUNT; i++) {
    json_t *item = json_object();
    json_object_set_new(item, "class", json_text(perp_class_name((perp_class)i)));
    json_object_set_new(item, "verdict", json_text(verdict_name[classes->of[i].verdict]));
    json_object_set_new(item, "reason", json_text(classes->of[i].reason));
    json_array_append_new(list, item);
  }
  json_object_set_new(object, "classes", list);
  json_t *methods = json_array();
  static const char *const kind[] = {"refused", "unproven", "proven"};
  for (int32_t i = 0; i < perp_method_count(); i++) {
    const perp_method *method = perp_method_at(i);
    json_t *item = json_object();
    json_object_set_new(item, "method", json_text(method->name));
    const suit found = suits(method, &files->problem, classes);
    json_object_set_new(item, "convergence", json_text(kind[found]));
    if (found == SUIT_REFUSED) json_object_set_new(item, "reason", json_text(perp_last_message()));
    json_array_append_new(methods, item);
  }
  json_object_set_new(object, "methods", methods);
  json_object_set_new(object, "auto_plan", json_text(plan));
}

static int run(const arguments *args) {
  problem_files files;
  const int code = problem_files_read(args, args->operands ? args->operand[0] : NULL, 0, 0, &files);
  if (code) return code;
  perp_classes classes;
  char plan[1024];
  perp_error error = perp_classify(&files.problem, NULL, &classes);
  if (error == PERP_OK) error = perp_auto_plan(&files.problem, plan, sizeof plan);
  if (error == PERP_OK) {
    if (message_object()) report_program(message_object(), &files, &classes, plan);
    else report_people(&files, &classes, plan);
  }
  problem_files_free(&files);
  return error == PERP_OK ? CODE_OK : fail_library(error);
}

static const option_row rows[] = {
  OPTION_PROBLEM,
  OPTION_JSON,
  {0}
};

extern const command command_classify;
const command command_classify = {
  .name = "classify",
  .title = "report the classes of a matrix and the methods that suit it",
  .synopsis = {"DIR [OPTION]...", "-A FILE -b FILE [--lo FILE] [--hi FILE] [OPTION]..."},
  .description =
    "Reports which classes the matrix belongs to (yes, no or unknown, with the reason), how many "
    "rows of each kind and how many connected components the problem has, which methods are proven "
    "to converge on it, and which method auto would run and why.",
  .options = rows,
  .operands_max = 1,
  .operands_help = "the problem",
  .examples = {{"perp classify demo", "what is this matrix?"}},
  .run = run,
};
