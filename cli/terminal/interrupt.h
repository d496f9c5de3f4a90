// interrupt.h: signals to end: the first asks politely where somebody listens, the second ends the
// program.
#pragma once

typedef enum interrupt_kind {
  INTERRUPT_NONE,              // any signal ends the program
  INTERRUPT_CTRL_C,            // the first SIGINT only sets a flag
  INTERRUPT_ALL                // and so do the first SIGTERM and SIGHUP
} interrupt_kind;

void interrupt_install(void);        // any signal to end removes temporary files first
void interrupt_listen(interrupt_kind kind);
int interrupt_seen(void);
// Waits for a signal, for so long at most. 1: it was seen; 0: the time has passed. For one thread.
int interrupt_wait(double seconds);
