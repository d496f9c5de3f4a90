// fluid.c: pressure that lets go of walls, in two and three dimensions: perp on the grid and on the
// same matrix given by its entries, against TAO's TRON and SNESVI with hypre on two cores; and
// against the configuration of ANE17, all to the same residual. Then what a simulation asks for:
// 100^3 cells to 1e-6.
#include <math.h>

#include "contest.h"
#include "liquid.h"

static const char *const peers[] = {"TAO tron, hypre, 2 cores", "SNESVI, hypre, 2 cores",
                                    "TAO tron, icc", NULL};
enum { SEED = 1 };
#define GOAL 1e-8
#define COARSE_GOAL 1e-6

typedef struct place {
  int32_t dimensions, side, every;
  double limit;                // seconds for a peer
} place;

// The liquid, its name in the tables and its problem on the grid.
static perp_problem begin(int32_t dimensions, int32_t side, int32_t every, liquid *l,
                          char name[64]) {
  liquid_make(dimensions, side, SEED, l);
  snprintf(name, 64, "%d^%d, %s", side, dimensions, every ? "every cell" : "walls");
  return (perp_problem){.A = perp_from_grid(&l->grid, PERP_CLAIM_NONE), .b = l->divergence,
                        .lo = every ? l->every : l->walls, .hi = l->hi};
}

static void run(bench_table *t, const place *where) {
  liquid l;
  char name[64];
  const perp_problem grid = begin(where->dimensions, where->side, where->every, &l, name);
  const perp_problem sparse = {.A = perp_from_csc(&l.A, PERP_CLAIM_SYMMETRIC), .b = l.b,
                               .lo = where->every ? NULL : l.lo};
  const peer_problem theirs = {.n = l.n, .colptr = l.A.colptr, .row = l.A.row, .value = l.A.value,
                               .b = l.b, .lo = sparse.lo};
  contest c = {.table = t, .problem = name, .ours = &sparse, .theirs = &theirs,
               .limit = where->limit, .good = GOAL};
  contest_peers(&c, peers);
  for (c.threads = 1; c.threads <= 2; c.threads++) {
    for (c.kept = 0; c.kept < 2; c.kept++) {
      c.ours = &grid;
      c.form = "grid";
      contest_method(&c, "active_set");
      c.ours = &sparse;
      c.form = "entries";
      contest_method(&c, "active_set");
    }
  }
  c.kept = 0;
  c.threads = 2;
  contest_method(&c, "auto");
  liquid_free(&l);
}

// ANE17's own configuration, its preset: minimum-map Newton, masks instead of index sets, conjugate
// gradients without a preconditioner; as it is, and without its limits, to the same residual.
static void run_paper(bench_table *t, int32_t side, int32_t every, double limit) {
  liquid l;
  char name[64];
  const perp_problem grid = begin(2, side, every, &l, name);
  contest c = {.table = t, .problem = name, .ours = &grid, .limit = limit, .good = GOAL,
               .best = (double)INFINITY, .form = "grid"};
  const perp_options plain = perp_default_options(perp_find_method("minmap_newton"));
  perp_options paper = plain;
  if (perp_set_option(&paper, "preset", "paper") != PERP_OK) {
    fprintf(stderr, "bench_fluid: %s\n", perp_last_message());
    liquid_free(&l);
    return;
  }
  paper.time_limit = limit;
  contest_options(&c, "minmap_newton, ANE17", &paper);
  paper.tol = plain.tol;
  paper.iteration_limit = plain.iteration_limit;
  paper.stop.measure = plain.stop.measure;
  paper.stop.tol = plain.stop.tol;
  paper.stop.relative = plain.stop.relative;
  paper.stop.stagnation = plain.stop.stagnation;
  c.best = fabs(contest_options(&c, "minmap_newton, ANE17 to the end", &paper));
  for (c.threads = 1; c.threads <= 2; c.threads++) contest_method(&c, "active_set");
  liquid_free(&l);
}

// What a simulation asks for: a residual of 1e-6.
static void run_goal(bench_table *t, int32_t side, int32_t every) {
  liquid l;
  char name[64];
  const perp_problem grid = begin(3, side, every, &l, name);
  contest c = {.table = t, .problem = name, .ours = &grid, .good = COARSE_GOAL,
               .best = (double)INFINITY, .form = "grid"};
  perp_options options = perp_default_options(perp_find_method("active_set"));
  options.tol = COARSE_GOAL;
  for (c.kept = 0; c.kept < 2; c.kept++)
    for (c.threads = 1; c.threads <= 2; c.threads++) {
      options.threads = c.threads;
      contest_options(&c, NULL, &options);
    }
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
  bench_note(t, "kept: by a solver that has solved it before, as in a simulation; x begins at 0 "
                "nevertheless.");
  bench_note(t, "rows: of the matrix, liquid cells; on the grid all cells.");
  bench_note(t, "Peers: their call alone, at the loosest of the tolerances 1e-6, 1e-8, ... 1e-14 "
                "that reaches the residual; two processes where it says 2 cores.");
  bench_close(t);
  t = bench_open(&b, "fluid-paper", "the configuration of ANE17 on the same machine",
                 CONTEST_COLUMNS_GOOD);
  for (int every = 0; every < 2; every++)
    run_paper(t, b.quick ? 64 : 512, every, b.quick ? 10.0 : 120.0);
  bench_note(t, "ANE17: masks, conjugate gradients without preconditioner, at most 1000 of them a "
                "step, its line search; first with its limits, 10 steps and 1e-5, then to the "
                "residual of all others or until it no longer gains. Times by it: of the latter, "
                "or of what it took in vain.");
  bench_close(t);
  t = bench_open(&b, "fluid-coarse", "the same liquid to a residual of 1e-6",
                 CONTEST_COLUMNS_GOOD);
  for (int every = 0; every < 2; every++) run_goal(t, b.quick ? 24 : 100, every);
  bench_note(t, "x begins at 0; kept: by a solver that has solved it before, as in a simulation.");
  bench_close(t);
  return 0;
}
