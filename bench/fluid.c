// fluid.c: pressure that lets go of walls, in two and three dimensions: perp on the grid and on the
// same matrix given by its entries, against TAO's TRON and SNESVI with hypre on two cores; and
// against the configuration of ANE17, all to the same residual.
#include <math.h>

#include "contest.h"
#include "liquid.h"

static const char *const peers[] = {"TAO tron, hypre, 2 cores", "SNESVI, hypre, 2 cores",
                                    "TAO tron, icc", NULL};
enum { SEED = 1 };
#define GOAL 1e-8

typedef struct place {
  int32_t dimensions, side, every;
  double limit;                // seconds for a peer
} place;

static void run(bench_table *t, const place *where) {
  liquid l;
  char name[64];
  liquid_make(where->dimensions, where->side, SEED, &l);
  snprintf(name, sizeof name, "%d^%d, %s", where->side, where->dimensions,
           where->every ? "every cell" : "walls");
  const perp_problem sparse = {.A = perp_from_csc(&l.A, PERP_CLAIM_SYMMETRIC), .b = l.b,
                               .lo = where->every ? NULL : l.lo};
  const perp_problem grid = {.A = perp_from_grid(&l.grid, PERP_CLAIM_NONE), .b = l.divergence,
                             .lo = where->every ? l.every : l.walls, .hi = l.hi};
  const peer_problem theirs = {.n = l.n, .colptr = l.A.colptr, .row = l.A.row, .value = l.A.value,
                               .b = l.b, .lo = sparse.lo};
  contest c = {.table = t, .problem = name, .ours = &sparse, .theirs = &theirs,
               .limit = where->limit, .good = GOAL};
  contest_peers(&c, peers);
  for (c.threads = 1; c.threads <= 2; c.threads++) {
    c.ours = &grid;
    c.form = "grid";
    contest_method(&c, "active_set");
    c.ours = &sparse;
    c.form = "entries";
    contest_method(&c, "active_set");
  }
  c.threads = 2;
  contest_method(&c, "auto");
  liquid_free(&l);
}

// ANE17 section 4: minimum-map Newton, masks instead of index sets, conjugate gradients without a
// preconditioner.
static void run_paper(bench_table *t, int32_t side, double limit) {
  liquid l;
  char name[64];
  liquid_make(2, side, SEED, &l);
  snprintf(name, sizeof name, "%d^2, walls", side);
  const perp_problem grid = {.A = perp_from_grid(&l.grid, PERP_CLAIM_NONE), .b = l.divergence,
                             .lo = l.walls, .hi = l.hi};
  contest c = {.table = t, .problem = name, .ours = &grid, .limit = limit, .good = GOAL,
               .best = (double)INFINITY, .form = "grid"};
  perp_options options = perp_default_options(perp_find_method("minmap_newton"));
  options.time_limit = limit;
  options.newton.inner = PERP_INNER_MASKS;
  options.newton.alpha = 1e-3;
  options.newton.beta = 0.5;
  options.krylov.solver = PERP_KRYLOV_CG;
  options.krylov.preconditioner = PERP_PRECONDITIONER_IDENTITY;
  options.krylov.iterations = 1000;
  c.best = contest_options(&c, "minmap_newton as in ANE17", &options);
  if (c.best < 0.0) c.best = limit;
  for (c.threads = 1; c.threads <= 2; c.threads++) contest_method(&c, "active_set");
  liquid_free(&l);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  static const place places[] = {{2, 1024, 1, 120.0}, {2, 1024, 0, 120.0},
                                 {3, 100, 1, 120.0}, {3, 100, 0, 120.0}};
  static const place small[] = {{2, 128, 1, 10.0}, {2, 128, 0, 10.0},
                                {3, 24, 1, 10.0}, {3, 24, 0, 10.0}};
  bench_table *t = bench_open(&b, "fluid",
                              "pressure of a liquid that lets go of walls, everybody to a residual "
                              "of 1e-8", CONTEST_COLUMNS_GOOD);
  for (int k = 0; k < 4; k++) run(t, b.quick ? &small[k] : &places[k]);
  bench_note(t, "ms: best of the calls in a second (peers: 0.3 s). perp: solver created, problem "
                "validated, x certified; all of it, on one thread where the row does not say.");
  bench_note(t, "rows: of the matrix, liquid cells; on the grid all cells.");
  bench_note(t, "Peers: their call alone, at the loosest of the tolerances 1e-6, 1e-8, ... 1e-14 "
                "that reaches the residual; two processes where it says 2 cores.");
  bench_close(t);
  t = bench_open(&b, "fluid-paper", "the configuration of ANE17 on the same machine",
                 CONTEST_COLUMNS_GOOD);
  run_paper(t, b.quick ? 64 : 512, b.quick ? 10.0 : 120.0);
  bench_note(t, "as in ANE17: masks, conjugate gradients without preconditioner, at most 1000 of "
                "them a step, Armijo with 0.001 and 0.5; on one thread.");
  bench_close(t);
  return 0;
}
