// interrupt.c: handles SIGINT, SIGTERM and SIGHUP. The first signal sets a flag if the command
// listens for it; the second one ends the program.
#include "interrupt.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "file.h"

static volatile sig_atomic_t listening, seen;
static sem_t arrived;

static void on_signal(int number) {
  const int heard = number == SIGINT ? listening != INTERRUPT_NONE : listening == INTERRUPT_ALL;
  if (heard && !seen) {
    const int before = errno;
    seen = 1;
    sem_post(&arrived);
    errno = before;
    return;
  }
  file_unlink_pending();
  if (number == SIGINT) _exit(130);
  signal(number, SIG_DFL);
  raise(number);
}

void interrupt_install(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  sem_init(&arrived, 0, 0);
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

void interrupt_listen(interrupt_kind kind) { listening = (sig_atomic_t)kind; }

int interrupt_seen(void) { return seen; }

int interrupt_wait(double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  const double whole = (double)(time_t)seconds;
  until.tv_sec += (time_t)seconds;
  until.tv_nsec += (long)(1e9*(seconds - whole));
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  for (;;) {
    if (sem_timedwait(&arrived, &until) == 0) return 1;
    if (errno != EINTR) return 0;
  }
}
