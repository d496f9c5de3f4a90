// terminal.c: runs a command on a terminal of its own and copies what it shows. PERP_COLUMNS says how
// wide it is.
#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (argc < 2 || master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return 77;
  const char *name = ptsname(master);
  const int slave = name ? open(name, O_RDWR) : -1;
  if (slave < 0) return 77;
  const char *columns = getenv("PERP_COLUMNS");
  const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)(columns ? atoi(columns) : 0)};
  if (columns && ioctl(slave, TIOCSWINSZ, &size) != 0) return 77;
  const pid_t child = fork();
  if (child < 0) return 77;
  if (child == 0) {
    close(master);
    dup2(slave, STDOUT_FILENO);
    dup2(slave, STDERR_FILENO);
    close(slave);
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  close(slave);
  char buffer[4096];
  for (ssize_t got; (got = read(master, buffer, sizeof buffer)) > 0;)
    fwrite(buffer, 1, (size_t)got, stdout);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
