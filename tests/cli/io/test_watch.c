// A signal in the middle of a step ends the program at once, though the step never looks.
// cost: 6
#include "interrupt.h"
#include "run_command.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ENDED = 33, NEVER = 44 };

static int end(void *context) {
  *(int *)context += 1;
  return *(int *)context == 1 ? ENDED : NEVER;
}

static void pause_for(double seconds) {
  struct timespec left = {(time_t)seconds, (long)(1e9*(seconds - (double)(time_t)seconds))};
  while (nanosleep(&left, &left) != 0) continue;   // a step does not stop for a signal
}

// What the child does: steps, and waits between them; in `stuck` it never comes out of a step.
static void child(int stuck) {
  int calls = 0;
  interrupt_install();
  interrupt_listen(INTERRUPT_ALL);
  run_watch(&(run_watcher){.end = end, .context = &calls});
  run_watch_step();
  if (stuck) pause_for(300.0);
  run_watch_stepped();
  pause_for(0.5);              // outside of a step nothing is ended for it
  _exit(interrupt_seen() ? calls : NEVER);
}

static int status_after(int number, int stuck) {
  int status = 0;
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) child(stuck);
  pause_for(0.2);
  assert_int_equal(kill(pid, number), 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void a_step_that_never_ends_is_left(void **state) {
  (void)state;
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (int k = 0; k < 3; k++) assert_int_equal(status_after(numbers[k], 1), ENDED);
}

static void between_steps_the_caller_decides(void **state) {
  (void)state;
  assert_int_equal(status_after(SIGINT, 0), 0);
}

// While a step goes on `during` is called about every second; between steps it is not.
static void count_call(void *context) { *(int *)context += 1; }

static void long_steps_are_told_of(void **state) {
  (void)state;
  int status = 0;
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    int calls = 0;
    interrupt_install();
    run_watch(&(run_watcher){.end = end, .during = count_call, .context = &calls});
    pause_for(2.2);
    const int before = calls;
    run_watch_step();
    pause_for(2.5);
    run_watch_stepped();
    _exit(before == 0 && calls >= 1 && calls <= 3 ? ENDED : NEVER);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), ENDED);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_that_never_ends_is_left),
                                     cmocka_unit_test(between_steps_the_caller_decides),
                                     cmocka_unit_test(long_steps_are_told_of)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
