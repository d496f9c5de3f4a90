// run_watch.c: a signal in the middle of a step ends the run at once, however long the step takes.
//
// A step changes the world and nothing else. The recorder keeps the frames, the rows and the state
// from before the step in memory. So a second thread can write them to the file while the step is
// computed, and end the program. A mutex guards these data: the main thread holds it, except while it
// computes a step. About once a second, the second thread also updates the progress line during a
// long step.
#include <pthread.h>
#include <unistd.h>

#include "interrupt.h"
#include "run_command.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static run_watcher watcher;

static void *wait_for_signal(void *unused) {
  (void)unused;
  while (!interrupt_wait(RUN_WATCH_SECONDS)) {
    if (!watcher.during || pthread_mutex_trylock(&turn) != 0) continue;
    watcher.during(watcher.context);
    pthread_mutex_unlock(&turn);
  }
  pthread_mutex_lock(&turn);   // forever
  _exit(message_end(watcher.end(watcher.context)));
}

void run_watch(const run_watcher *what) {
  pthread_t thread;
  watcher = *what;
  pthread_mutex_lock(&turn);
  // Without a thread, a signal waits until the solve looks (on_iteration) or the step ends.
  if (pthread_create(&thread, NULL, wait_for_signal, NULL) == 0) pthread_detach(thread);
}

void run_watch_step(void) { pthread_mutex_unlock(&turn); }

void run_watch_stepped(void) { pthread_mutex_lock(&turn); }
