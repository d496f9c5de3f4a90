// guarded.h: work that may crash, hang or print, in a process of its own.
#ifndef PERP_BENCH_GUARDED_H
#define PERP_BENCH_GUARDED_H

#include <stddef.h>

#include "peers.h"

typedef enum guarded_end { GUARDED_DONE, GUARDED_LATE, GUARDED_CRASHED } guarded_end;

// Calls work(data, answer) in a child, whose `size` bytes of answer come back. The child, with the
// programs it started, is ended after `seconds` and prints nothing.
guarded_end guarded_run(void (*work)(void *data, void *answer), void *data, void *answer,
                        size_t size, double seconds);

// A peer on a problem: the best time of as many calls as fit into a third of a second, at least
// one.
guarded_end guarded_peer(peer_solve *run, const peer_problem *problem, double limit, double *x,
                         peer_end *end);

#endif
