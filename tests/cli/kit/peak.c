// peak.c: peak FILE COMMAND...: runs a command, writes the most memory that it had, in kB, to FILE,
// and ends with its exit status.
#define _DEFAULT_SOURCE   // wait4
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **argument) {
  if (count < 3) return 99;
  const pid_t child = fork();
  if (child < 0) return 99;
  if (child == 0) {
    execvp(argument[2], argument + 2);
    _exit(99);
  }
  int status = 0;
  struct rusage used;
  if (wait4(child, &status, 0, &used) != child) return 99;
  FILE *out = fopen(argument[1], "w");
  if (!out || fprintf(out, "%ld\n", used.ru_maxrss) < 0 || fclose(out) != 0) return 99;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}
