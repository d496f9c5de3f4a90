// pivot.c: walls of bricks as dense LCPs: pivoting and Newton methods against peers.
#include <math.h>
#include <stdlib.h>

#include "contest.h"

static const char *const peers[] = {"Bullet Dantzig", "DART Dantzig", "DART Lemke", "Siconos lemke",
                                    "Siconos newton_min", "cvxopt qp", NULL};
static const char *const methods[] = {"dantzig", "lemke", "principal_pivoting", "keller",
                                      "minmap_newton", "interior_point", "auto", NULL};

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "pivot", "walls of bricks, normal contacts, dense",
                              CONTEST_COLUMNS);
  const int32_t bricks[] = {13, 147};
  for (int k = 0; k < (b.quick ? 1 : 2); k++) {
    perp_sample sample;
    char settings[64], name[64];
    snprintf(settings, sizeof settings, "mode=0 bodies=%d", bricks[k]);
    snprintf(name, sizeof name, "wall, %d bricks", bricks[k]);
    bench_generate("wall", settings, &sample);
    double *value = bench_dense(&sample);
    const perp_dense matrix = {.n = sample.n, .value = value};
    const perp_problem ours = {.A = perp_from_dense(&matrix, sample.problem.A.claims),
                               .b = sample.b};
    const peer_problem theirs = contest_theirs(&sample, value);
    contest c = {.table = t, .problem = name, .ours = &ours, .theirs = &theirs, .limit = 30.0};
    contest_peers(&c, peers);
    for (const char *const *m = methods; *m != NULL; m++) contest_method(&c, *m);
    free(value);
    perp_sample_free(&sample);
  }
  bench_note(t, "ms: best of the calls in 0.3 s. perp: perp_solve by a reused solver, validation "
                "and certificate included.");
  bench_note(t, "best peer/this: time of the fastest peer with a residual below %g over this one.",
             GOOD);
  bench_close(t);
  return 0;
}
