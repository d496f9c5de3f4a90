// interrupt.h: handles SIGINT, SIGTERM and SIGHUP. The first signal sets a flag if the command
// listens for it; the second one ends the program.
#pragma once

typedef enum interrupt_kind {
  INTERRUPT_NONE,              // any signal ends the program
  INTERRUPT_CTRL_C,            // the first SIGINT only sets a flag
  INTERRUPT_ALL                // and so do the first SIGTERM and SIGHUP
} interrupt_kind;

void interrupt_install(void);        // any signal to end removes temporary files first
void interrupt_listen(interrupt_kind kind);
int interrupt_seen(void);
// Waits for a signal until the time has passed. 1: a signal was seen; 0: none. Only one thread may
// wait.
int interrupt_wait(double seconds);
