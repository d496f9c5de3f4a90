// commands.c: the table of commands, and looking up names with "did you mean".
#include "command.h"

#include <string.h>

#include "suggest.h"

extern const command command_solve, command_check, command_classify, command_gen, command_run,
    command_view, command_render, command_export, command_plot, command_reproduce, command_option,
    command_methods, command_explain,
    command_doctor, command_completion, command_help, command_man, command_docs;

static const command *const table[] = {
    &command_solve,   &command_check,   &command_classify, &command_gen,
    &command_run,     &command_view,    &command_render,   &command_export,
    &command_plot,    &command_option,  &command_reproduce,
    &command_methods, &command_explain, &command_doctor,   &command_completion,
    &command_help,    &command_man,     &command_docs,
};
enum { COUNT = sizeof table / sizeof *table };

const command *command_at(int index) { return index >= 0 && index < COUNT ? table[index] : NULL; }

const command *command_find(const char *name) {
  for (int i = 0; i < COUNT; i++) {
    if (!strcmp(table[i]->name, name)) return table[i];
  }
  return NULL;
}

const char *command_name_at(const void *unused, int index) {
  (void)unused;
  for (int i = 0; i < COUNT; i++) {
    if (!table[i]->hidden && index-- == 0) return table[i]->name;
  }
  return NULL;
}

const char *method_name_at(const void *unused, int index) {
  (void)unused;
  const perp_method *method = perp_method_at(index);
  return method ? method->name : NULL;
}

const char *family_name_at(const void *what, int index) {
  const perp_family *family = ((const command *)what)->family_at(index);
  return family ? family->name : NULL;
}

const perp_method *method_find(const char *name) {
  const perp_method *method = perp_find_method(name);
  if (method) return method;
  const char *near = suggest(name, method_name_at, NULL);
  if (near) fail(CODE_USAGE, "there is no method '%s'; did you mean '%s'?", name, near);
  else fail(CODE_USAGE, "there is no method '%s'; 'perp methods' lists them", name);
  return NULL;
}

const perp_family *family_find(const command *what, const char *name) {
  const perp_family *family;
  for (int32_t i = 0; (family = what->family_at(i)) != NULL; i++) {
    if (!strcmp(family->name, name)) return family;
  }
  const char *near = suggest(name, family_name_at, what), *word = what->family_word;
  if (near) fail(CODE_USAGE, "there is no %s '%s'; did you mean '%s'?", word, name, near);
  else
    fail(CODE_USAGE, "there is no %s '%s'; 'perp %s --list' lists them", word, name, what->name);
  return NULL;
}
