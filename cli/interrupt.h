// interrupt.h: Ctrl-C: the first asks politely where somebody listens, the second ends the program.
#pragma once

void interrupt_install(void);        // any signal to end removes temporary files first
void interrupt_listen(int listen);   // 1: the first SIGINT only sets a flag
int interrupt_seen(void);
