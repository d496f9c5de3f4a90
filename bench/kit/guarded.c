// guarded.c: see guarded.h.
#include "guarded.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

guarded_end guarded_run(void (*work)(void *data, void *answer), void *data, void *answer,
                        size_t size, double seconds) {
  int ends[2];
  if (pipe(ends) != 0) return GUARDED_CRASHED;
  fflush(stdout);
  fflush(stderr);
  const pid_t child = fork();
  if (child < 0) return GUARDED_CRASHED;
  if (child == 0) {
    close(ends[0]);
    setpgid(0, 0);
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
    }
    signal(SIGALRM, SIG_DFL);
    alarm((unsigned)seconds + 2u);   // should the parent be gone
    work(data, answer);
    const char *at = answer;
    while (size > 0) {
      const ssize_t sent = write(ends[1], at, size);
      if (sent <= 0) _exit(1);
      at += sent;
      size -= (size_t)sent;
    }
    _exit(0);
  }
  setpgid(child, child);             // parent and child both call it: either may run first
  close(ends[1]);
  const double latest = bench_seconds() + seconds;
  int late = 0;
  char *at = answer;
  while (size > 0) {
    const double left = latest - bench_seconds();
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    late = left <= 0.0 || poll(&one, 1, (int)(1e3*left) + 1) == 0;
    if (late) break;
    const ssize_t got = read(ends[0], at, size);
    if (got <= 0) break;
    at += got;
    size -= (size_t)got;
  }
  close(ends[0]);
  if (size > 0) kill(-child, SIGKILL);   // with the programs that it started
  waitpid(child, NULL, 0);
  return size == 0 ? GUARDED_DONE : late ? GUARDED_LATE : GUARDED_CRASHED;
}

typedef struct call {
  peer_solve *run;
  const peer_problem *problem;
} call;

typedef struct reply {
  peer_end end;
  double x[];                 // n
} reply;

static void repeat(void *data, void *answer) {
  const call *c = data;
  reply *r = answer;
  const double start = bench_seconds();
  r->end.seconds = 1e300;
  do {
    const peer_end end = c->run(c->problem, r->x);
    r->end.claims = end.claims;
    if (end.seconds < r->end.seconds) r->end.seconds = end.seconds;
  } while (bench_seconds() - start < 0.3);
}

guarded_end guarded_peer(peer_solve *run, const peer_problem *problem, double limit, double *x,
                         peer_end *end) {
  const size_t bytes = sizeof(reply) + (size_t)problem->n*sizeof(double);
  call c = {run, problem};
  reply *r = bench_take(1, bytes);
  const guarded_end how = guarded_run(repeat, &c, r, bytes, limit);
  if (how == GUARDED_DONE) {
    *end = r->end;
    memcpy(x, r->x, (size_t)problem->n*sizeof *x);
  }
  free(r);
  return how;
}
