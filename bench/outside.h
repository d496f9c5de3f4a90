// outside.h: peers that are programs of their own: the problem goes to a file, x comes through a
// pipe.
#ifndef PERP_BENCH_OUTSIDE_H
#define PERP_BENCH_OUTSIDE_H

#include "peers.h"

// command: printf format with %s for the file. It must print "seconds claims\n" and x as n raw
// doubles, or to end with status 77 if the library is absent. On one thread, unless threads = 1.
peer_end outside_run(const peer_problem *problem, const char *command, int threads, double *x);

#endif
