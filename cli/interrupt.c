// interrupt.c: Ctrl-C: the first asks politely where somebody listens, the second ends the program.
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "file.h"

static volatile sig_atomic_t listening, seen;

static void on_signal(int number) {
  if (number == SIGINT && listening && !seen) {
    seen = 1;
    return;
  }
  file_unlink_pending();
  if (number == SIGINT) _exit(130);
  signal(number, SIG_DFL);
  raise(number);
}

void interrupt_install(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  signal(SIGXFSZ, SIG_IGN);   // a file that may not grow is a failed write, not the end
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old;
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
      continue;   // nohup, or a job in the background
    sigaction(numbers[i], &action, NULL);
  }
}

void interrupt_listen(int listen) { listening = listen; }

int interrupt_seen(void) { return seen; }
