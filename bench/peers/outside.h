// outside.h: peers that are programs of their own: the problem goes to a file, x comes through a
// pipe.
#ifndef PERP_BENCH_OUTSIDE_H
#define PERP_BENCH_OUTSIDE_H

#include <stdio.h>

#include "peers.h"

// command: printf format with %s for the file. It must print "seconds claims\n" and x as n raw
// doubles, or to end with status 77 if the library is absent. On one thread, unless threads = 1.
peer_end outside_run(const peer_problem *problem, const char *command, int threads, double *x);
// The same with a file of another form, which the caller has written, and an answer of `count`
// doubles.
peer_end outside_command(FILE *file, const char *command, int threads, double *answer,
                         size_t count);
// The python that has the system's packages.
const char *outside_python(void);

#endif
