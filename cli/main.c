// main.c: the program perp: finds the command and runs it.
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "interrupt.h"
#include "suggest.h"

static int unknown_command(const char *name) {
  const char *kind = name[0] == '-' ? "option" : "command";
  const char *near = name[0] == '-' ? NULL : suggest(name, command_name_at, NULL);
  if (near) return fail(CODE_USAGE, "there is no command '%s'; did you mean '%s'?", name, near);
  return fail(CODE_USAGE, "there is no %s '%s'; 'perp --help' lists them", kind, name);
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    help_program();
    return CODE_USAGE;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    help_program();
    return CODE_OK;
  }
  static const char *const version[] = {"--version", "-V", "-v", "version"};
  for (size_t i = 0; i < sizeof version/sizeof *version; i++) {
    if (strcmp(argv[1], version[i]) != 0) continue;
    printf("perp %s\n", perp_version());
    return CODE_OK;
  }
  const command *what = command_find(argv[1]);
  if (!what) return unknown_command(argv[1]);
  message_begin(what->name);
  static arguments args;
  int helped;
  const int code = options_parse(what, argc - 1, argv + 1, &args, &helped);
  return code || helped ? code : what->run(&args);
}

int main(int argc, char **argv) {
  interrupt_install();
  return message_end(run(argc, argv));
}
