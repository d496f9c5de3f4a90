// walls.c: walls of bricks as sparse problems, ill conditioned, normal rows or mixed: ours against
// interior points, Newton and projection methods of others, everybody to the same residual.
//
// A ball of 50 m/s opens some hundred contacts of an all-normal wall, one of 20 m/s a few. At 5
// m/s, "at rest", none of them opens, and the problem is a linear system: the easy case for those
// who begin with CG.
#include <math.h>
#include <stdlib.h>

#include "contest.h"

static const char *const peers[] = {
    "cvxopt qp", "cvxopt qp, threads", "Siconos newton_min", "Siconos pgs", "TAO gpcg, icc",
    "TAO gpcg, jacobi", "TAO tron, icc", "TAO tron, cholmod", "TAO bqpip", "TAO ssils, lu",
    "SNESVI, lu", "SNESVI, cholmod", NULL};
static const char *const methods[] = {"active_set", "pgs_sm", "interior_point",
                                      "gradient_projection", "minmap_newton", "auto", NULL};
static const struct {
  const char *name, *family, *settings;
  double limit;                // seconds; cvxopt gets four times as much
} walls[] = {
  {"normal, 147 bricks", "wall", "mode=0 bodies=147 speed=50", 2.0},
  {"the same, at rest", "wall", "mode=0 bodies=147", 2.0},
  {"normal, 820 bricks", "wall", "mode=0 bodies=820 points=6 condition=1e8 speed=50", 4.0},
  {"the same, 20 m/s", "wall", "mode=0 bodies=820 points=6 condition=1e8 speed=20", 4.0},
  {"the same, at rest", "wall", "mode=0 bodies=820 points=6 condition=1e8", 4.0},
  {"mixed, 388 bricks", "wall", "mode=1 bodies=388", 4.0},
  {"MNS08 nb977_nc9534", "bricks", "preset=10", 4.0},
};
enum { WALLS = sizeof walls/sizeof *walls, DENSE = 1500 };   // above that many rows, none is dense

static void race(bench_table *t, const char *name, const char *family, const char *settings,
                 double limit) {
  perp_sample sample;
  bench_generate(family, settings, &sample);
  double *value = sample.n <= DENSE && sample.lo == NULL ? bench_dense(&sample) : NULL;
  const peer_problem theirs = contest_theirs(&sample, value);
  contest c = {.table = t, .problem = name, .ours = &sample.problem, .theirs = &theirs,
               .limit = limit, .good = 1e-8};
  contest_peers(&c, peers);
  for (const char *const *m = methods; *m != NULL; m++) contest_method(&c, *m);
  bench_note(t, "%s: %s, limit %g s", name, sample.note, c.limit);
  free(value);
  perp_sample_free(&sample);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "walls",
                              "walls of bricks, sparse, everybody to a residual of 1e-8",
                              CONTEST_COLUMNS_GOOD);
  for (int k = 0; k < (b.quick ? 1 : WALLS); k++)
    if (perp_find_family(walls[k].family) != NULL)
      race(t, walls[k].name, walls[k].family, walls[k].settings, b.quick ? 1.0 : walls[k].limit);
  bench_note(t, "ms: best of the calls in a second (peers: 0.3 s). perp: solver created, problem "
                "validated, x certified; all of it, on one thread.");
  bench_note(t, "best peer: the fastest one with a residual below 1e-8; where there is none, below "
                "%g.", GOOD);
  bench_note(t, "Peers: their call alone, at the loosest of the tolerances 1e-6, 1e-8, ... 1e-14 "
                "that reaches the residual; one thread, except `threads`.");
  bench_note(t, "late: not ended within the limit (cvxopt: four times that). inexact: called "
                "solved, residual up to 1e-6. -: does not take such problems, or not that size.");
  bench_close(t);
  return 0;
}
