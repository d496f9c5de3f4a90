// bearing.c: the oil film of a journal bearing on finer and finer grids: ours against TAO's
// gradient projection and SNESVI with multigrid, everybody to the same residual.
#include <stdlib.h>

#include "contest.h"

static const char *const peers[] = {"TAO gpcg, icc", "TAO gpcg, jacobi", "SNESVI, hypre", NULL};
static const char *const methods[] = {"active_set", "gradient_projection", "auto", NULL};
enum { SIZES = 4, METHODS = 3 };

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "bearing",
                              "journal bearing, e = 0.1, b = 10, everybody to a residual of 1e-8",
                              CONTEST_COLUMNS_GOOD);
  const int32_t side[SIZES] = {100, 200, 400, 1000};
  const double limit[SIZES] = {5.0, 5.0, 10.0, 25.0};
  for (int k = 0; k < (b.quick ? 1 : SIZES); k++) {
    perp_sample sample;
    char settings[64], name[32];
    snprintf(settings, sizeof settings, "nx=%d ny=%d", side[k], side[k]);
    snprintf(name, sizeof name, "%d x %d", side[k], side[k]);
    bench_generate("bearing", settings, &sample);
    const peer_problem theirs = contest_theirs(&sample, NULL);
    contest c = {.table = t, .problem = name, .ours = &sample.problem, .theirs = &theirs,
                 .limit = limit[k], .good = 1e-8};
    contest_peers(&c, peers);
    for (int m = 0; m < METHODS; m++) contest_method(&c, methods[m]);
    perp_sample_free(&sample);
  }
  bench_note(t, "ms: best of the calls in a second (peers: 0.3 s). perp: solver created, problem "
                "validated, x certified; all of it, on one thread.");
  bench_note(t, "best peer: the fastest one with a residual below 1e-8; where there is none, below "
                "%g.", GOOD);
  bench_note(t, "Peers: their call alone, at the loosest of the tolerances 1e-6, 1e-8, ... 1e-14 "
                "that reaches the residual. late: not within %g, %g, %g, %g s.", limit[0], limit[1],
             limit[2], limit[3]);
  bench_close(t);
  return 0;
}
