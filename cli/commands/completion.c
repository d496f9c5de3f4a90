// completion.c: perp completion: scripts for bash, zsh and fish, from the tables.
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "command.h"
#include "suggest.h"

static option_table table;

static void print_words(suggest_at at) {
  const char *name;
  for (int i = 0; (name = at(NULL, i)) != NULL; i++) printf("%s%s", i ? " " : "", name);
}

static void print_names(const command *what) {
  const char *name;
  for (int i = 0; (name = family_name_at(what, i)) != NULL; i++)
    printf("%s%s", i ? " " : "", name);
}

// What may follow an option: words of a list, or nothing in particular.
static void print_values(const option_entry *entry) {
  if (entry->kind == OPTION_METHOD) print_words(method_name_at);
  if (entry->kind == OPTION_LINEAR) print_words(linear_name_at);
  if (entry->kind != OPTION_CHOICE) return;
  for (const char *c = entry->choices; *c; c++) putchar(*c == '|' ? ' ' : *c);
}

// The words that an operand may be; OPERAND_FILE has none.
static void print_operands(const command *what) {
  switch (what->operand_kind) {
    case OPERAND_FILE: break;
    case OPERAND_COMMAND: print_words(command_name_at); break;
    case OPERAND_PAGE: print_words(page_name_at); break;
    case OPERAND_FAMILY: print_names(what); break;
    case OPERAND_EXPERIMENT: print_words(experiment_name_at); break;
    case OPERAND_CHOICE:   // the first words of the synopses
      for (int i = 0; i < 4 && what->synopsis[i]; i++) {
        for (const char *c = what->synopsis[i]; *c && *c != ' '; c++) putchar(*c == '|' ? ' ' : *c);
        putchar(' ');
      }
      break;
  }
}

static int takes_files(const command *what) {
  return what->operands_max > 0 && what->operand_kind == OPERAND_FILE;
}

static void bash_values(void) {
  for (int i = 0; i < table.count; i++) {
    const option_entry *entry = &table.entry[i];
    if (!*entry->argument) continue;
    printf("        --%s", entry->name);
    if (entry->letter) printf("|-%c", entry->letter);
    if (entry->kind == OPTION_FILE) printf(") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n");
    else if (entry->kind == OPTION_FOLDER)
      printf(") COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n");
    else {
      printf(") COMPREPLY=($(compgen -W '");
      print_values(entry);
      printf("' -- \"$cur\")); return ;;\n");
    }
  }
}

static void bash_families(const command *what) {
  printf("      case \" ${COMP_WORDS[*]} \" in\n");
  const perp_family *family;
  for (int32_t k = 0; (family = what->family_at(k)) != NULL; k++) {
    options_build(what, family, &table);
    printf("        *' %s '*) words+='", family->name);
    for (int i = 0; i < table.count; i++) {
      if (table.entry[i].group == GROUP_FAMILY) printf(" --%s", table.entry[i].name);
    }
    printf("'\n");
    for (int i = 0; i < table.count; i++) {
      if (table.entry[i].apart) printf("          words=${words/--%s /}\n", table.entry[i].name);
    }
    printf("          case $prev in\n");
    for (int i = 0; i < table.count; i++) {
      const option_entry *entry = &table.entry[i];
      if (entry->group != GROUP_FAMILY || entry->kind != OPTION_CHOICE) continue;
      printf("            --%s) words='", entry->name);
      print_values(entry);
      printf("' ;;\n");
    }
    printf("            *) ;;\n          esac ;;\n");
  }
  printf("      esac\n");
}

static void bash(void) {
  printf("# bash completion for perp: made by 'perp completion bash'\n_perp() {\n"
         "  local cur prev words files\n  COMPREPLY=()\n  files=0\n"
         "  cur=${COMP_WORDS[COMP_CWORD]}\n  prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W '");
  print_words(command_name_at);
  printf(" --help --version' -- \"$cur\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n");
  const command *what;
  for (int c = 0; (what = command_at(c)) != NULL; c++) {
    if (what->hidden) continue;
    options_build(what, NULL, &table);
    printf("    %s)\n      case $prev in\n", what->name);
    bash_values();
    printf("        *) ;;\n      esac\n      words='");
    for (int i = 0; i < table.count; i++) printf("--%s ", table.entry[i].name);
    print_operands(what);
    printf("'\n");
    if (what->dynamic & DYNAMIC_FAMILY) bash_families(what);
    if (takes_files(what)) printf("      files=1\n");
    printf("      ;;\n");
  }
  printf("    *) return ;;\n  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  if [ \"$files\" -eq 1 ] && [ \"${cur#-}\" = \"$cur\" ]; then\n"
         "    COMPREPLY+=($(compgen -f -- \"$cur\"))\n  fi\n}\n"
         "complete -o filenames -F _perp perp\n");
}

// Text inside single quotes; zsh's own marks are taken out too.
static void put_single(const char *text, const char *drop) {
  for (; *text; text++) {
    if (*text == '\'') printf("'\\''");
    else putchar(*text == '\n' || strchr(drop, *text) ? ' ' : *text);
  }
}

static void zsh(void) {
  printf("#compdef perp\n# zsh completion for perp: made by 'perp completion zsh'\n_perp() {\n"
         "  local -a commands\n  commands=(\n");
  const command *what;
  for (int c = 0; (what = command_at(c)) != NULL; c++) {
    if (what->hidden) continue;
    printf("    '%s:", what->name);
    put_single(what->title, ":");
    printf("'\n");
  }
  printf("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n");
  for (int c = 0; (what = command_at(c)) != NULL; c++) {
    if (what->hidden) continue;
    options_build(what, NULL, &table);
    printf("    %s)\n      _arguments", what->name);
    for (int i = 0; i < table.count; i++) {
      const option_entry *entry = &table.entry[i];
      printf(" \\\n        '--%s%s[", entry->name, *entry->argument ? "=" : "");
      put_single(entry->help, "[]:\\");
      printf("]");
      if (*entry->argument) {
        printf(":value:");
        if (entry->kind == OPTION_FILE) printf("_files");
        else if (entry->kind == OPTION_FOLDER) printf("_files -/");
        else {
          printf("(");
          print_values(entry);
          printf(")");
        }
      }
      printf("'");
    }
    if (what->operands_max > 0) {
      printf(" \\\n        '*:argument:%s", takes_files(what) ? "_files" : "(");
      print_operands(what);
      printf(takes_files(what) ? "'" : ")'");
    }
    printf("\n      ;;\n");
  }
  printf("  esac\n}\ncompdef _perp perp\n");
}

static void fish(void) {
  printf("# fish completion for perp: made by 'perp completion fish'\n");
  const command *what;
  for (int c = 0; (what = command_at(c)) != NULL; c++) {
    if (what->hidden) continue;
    printf("complete -c perp -n __fish_use_subcommand -f -a %s -d '", what->name);
    put_single(what->title, "");
    printf("'\n");
  }
  for (int c = 0; (what = command_at(c)) != NULL; c++) {
    if (what->hidden) continue;
    options_build(what, NULL, &table);
    for (int i = 0; i < table.count; i++) {
      const option_entry *entry = &table.entry[i];
      printf("complete -c perp -n '__fish_seen_subcommand_from %s' -l %s", what->name, entry->name);
      if (entry->letter) printf(" -s %c", entry->letter);
      if (*entry->argument) {
        const int files = entry->kind == OPTION_FILE || entry->kind == OPTION_FOLDER;
        printf(files ? " -r -F" : " -x -a '");
        if (!files) {
          print_values(entry);
          printf("'");
        }
      }
      printf(" -d '");
      put_single(entry->help, "\\");
      printf("'\n");
    }
    if (what->operands_max > 0 && !takes_files(what)) {
      printf("complete -c perp -n '__fish_seen_subcommand_from %s' -f -a '", what->name);
      print_operands(what);
      printf("'\n");
    }
  }
}

static const struct {
  const char *name;
  void (*print)(void);
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
enum { SHELLS = sizeof shells / sizeof *shells };

static const char *shell_name_at(const void *unused, int index) {
  (void)unused;
  return index < SHELLS ? shells[index].name : NULL;
}

static int run(const arguments *args) {
  const char *name = args->operand[0];
  for (int i = 0; i < SHELLS; i++) {
    if (strcmp(shells[i].name, name) != 0) continue;
    shells[i].print();
    return CODE_OK;
  }
  const char *near = suggest(name, shell_name_at, NULL);
  if (near) return fail(CODE_USAGE, "no completion for '%s'; did you mean '%s'?", name, near);
  return fail(CODE_USAGE, "no completion for '%s'; there is one for bash, zsh and fish", name);
}

extern const command command_completion;
const command command_completion = {
  .name = "completion",
  .title = "print a completion script for a shell",
  .synopsis = {"bash|zsh|fish"},
  .description =
    "Prints a script with which the shell completes the commands, options, methods and families of "
    "this program. Save it as ~/.local/share/bash-completion/completions/perp for bash, as _perp "
    "in a folder of $fpath for zsh, or as ~/.config/fish/completions/perp.fish for fish.",
  .operands_min = 1,
  .operands_max = 1,
  .operand_kind = OPERAND_CHOICE,
  .operands_help = "the name of a shell",
  .examples = {{"eval \"$(perp completion bash)\"", "in this shell only"},
    {"perp completion fish >~/.config/fish/completions/perp.fish", "in all new shells"}},
  .run = run,
};
