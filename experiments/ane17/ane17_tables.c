// ane17_tables.c: writes what ane17.c has measured as tables, figures and a report.
#include <math.h>
#include <stdlib.h>

#include "ane17.h"
#include "text_table.h"

// A run that a limit has ended took "> 1000".
static void put_run(text_table *t, const ane17_run *run) {
  const char *mark = ane17_cut(run) ? "> " : "";
  if (!run->slip) text_table_put(t, "%s%d", mark, (int)run->newton);
  text_table_put(t, "%s%d", mark, (int)run->inner);
  text_table_put(t, "%.1e", run->residual);
  text_table_put(t, "%.3g", run->seconds);
  if (run->slip) text_table_put(t, "%s", ane17_cut(run) ? "inner limit" : "1e-5 reached");
  else text_table_put(t, "%s", perp_status_name(run->status));
}

static text_table combinations(const ane17_results *all, int separating) {
  static const char *const linear[] = {"solver", "preconditioner", "iterations", "residual",
                                       "seconds", "ended", NULL};
  static const char *const newton[] = {"solver", "preconditioner", "Newton", "inner", "residual",
                                       "seconds", "ended", NULL};
  text_table t = text_table_begin(separating ? newton : linear);
  for (int k = 0; k < ANE17_SOLVERS; k++)
    for (int p = 0; p < ANE17_PRECONDITIONERS; p++) {
      const ane17_run *run = separating ? &all->separating[k][p] : &all->slip[k][p];
      text_table_put(&t, "%s", ane17_solver[k]);
      text_table_put(&t, "%s", ane17_preconditioner[p]);
      put_run(&t, run);
    }
  return t;
}
static text_table slip(const ane17_results *all) { return combinations(all, 0); }
static text_table walls(const ane17_results *all) { return combinations(all, 1); }

static text_table resolution(const ane17_results *all) {
  static const char *const names[] = {
    "cells a side", "slip_CG", "slip_residual", "slip_seconds", "slip_ended",
    "separating_Newton", "separating_inner", "separating_residual", "separating_seconds",
    "separating_ended", "auto_Newton", "auto_inner", "auto_residual", "auto_seconds", "auto_ended",
    NULL};
  text_table t = text_table_begin(names);
  for (int k = 0; k < all->count; k++) {
    text_table_put(&t, "%d", (int)all->sizes[k]);
    for (int c = 0; c < 3; c++) put_run(&t, &all->grown[k][c]);
  }
  return t;
}

static text_table xi(const ane17_results *all) {
  static const char *const names[] = {"cells a side", "xi", "Newton", "inner", "residual",
                                      "seconds", "ended", NULL};
  text_table t = text_table_begin(names);
  for (int k = 0; k < all->count; k++)
    for (int q = 0; q < ANE17_XIS; q++) {
      text_table_put(&t, "%d", (int)all->sizes[k]);
      text_table_put(&t, "%s", ane17_xi[q]);
      put_run(&t, &all->xi[k][q]);
    }
  return t;
}

static const struct {
  const char *file, *title, *paper;
  text_table (*make)(const ane17_results *all);
} tables[] = {
  {"slip.tsv", "Figure 12: slip walls, one linear system",
   "The paper, 200 x 200: CG takes about 125 iterations alone and 40 with the static approximate "
   "inverse, and is the best of the solvers.", slip},
  {"separating.tsv", "Figure 13: separating walls, minimum map Newton",
   "The paper: CG and GMRES without a preconditioner are the best choices; its preconditioners, "
   "built once on all of A (42)-(45), sometimes made the method fail. Ours are built on the rows "
   "that are free at the moment.", walls},
  {"resolution.tsv", "Figure 14: grids that grow",
   "The paper: CG takes twice as many iterations on twice as many cells a side; Newton takes 3 to "
   "6, but ends at 1e-6 on small and 1e-3 on large grids. auto, at the end of a row, is certified "
   "to 1e-8.", resolution},
  {"xi.tsv", "Figure 16: xi of theorem 3.2",
   "The paper: no noticeable influence.", xi},
};
enum { TABLES = sizeof tables/sizeof *tables };

typedef struct report { const reproduction *r; const ane17_results *all; } report;

static void write_report(FILE *out, const void *what) {
  const report *w = what;
  fprintf(out,
          "# ANE17 again\n\n"
          "M. Andersen, S. Niebe, K. Erleben: A fast linear complementarity problem solver for "
          "fluid animation using high level algebra interfaces for GPU libraries. Computers and "
          "Graphics 69, 2017.\n\n"
          "Made by `perp reproduce ane17%s --seed %llu` with perp %s. Liquid behind a dam and a "
          "disc in its way; pressure on the grid of cells, never formed. All runs but those of "
          "auto are `perp solve -m minmap_newton --preset paper`, which is section 6 of the paper: "
          "at most 10 Newton steps, thresholds of 1e-5, xi = 0.01, at most 1000 inner iterations, "
          "alpha = 1e-3, beta = 0.5, at most 100 halvings; what (39), (42)-(47) and Algorithm 2 "
          "print wrongly is corrected (docs/theory.md). Residuals are those of the certificate, "
          "seconds those of the processor. `> 1000`: a limit ended the run before it was done; the "
          "pictures leave these out. The paper has graphs and no tables: what they show is said in "
          "a sentence above each of ours.\n",
          w->r->quick ? " --quick" : "", (unsigned long long)w->r->seed, perp_version());
  for (int k = 0; k < TABLES; k++) {
    text_table table = tables[k].make(w->all);
    fprintf(out, "\n## %s\n\n", tables[k].title);
    if (k < 2) fprintf(out, "%d x %d cells. ", (int)w->all->size, (int)w->all->size);
    fprintf(out, "%s\n\n", tables[k].paper);
    text_table_markdown(out, &table);
    text_table_free(&table);
    if (k == 2 && w->r->pictures) fprintf(out, "\n![iterations](resolution-iterations.svg)\n");
    if (k == 3 && w->r->pictures) fprintf(out, "\n![inner iterations](xi-iterations.svg)\n");
  }
}

static int draw_resolution(reproduction *r, const ane17_results *all) {
  static const char *const names[] = {"CG, slip", "CG inside of Newton, separating",
                                      "auto, separating: multigrid cycles"};
  double x[3][ANE17_SIZES], y[3][ANE17_SIZES];
  chart_curve curve[3];
  for (int c = 0; c < 3; c++) {
    int count = 0;
    for (int k = 0; k < all->count; k++) {
      if (ane17_cut(&all->grown[k][c])) continue;
      x[c][count] = all->sizes[k];
      y[c][count++] = all->grown[k][c].inner;
    }
    curve[c] = (chart_curve){.name = names[c], .x = x[c], .y = y[c], .count = count};
  }
  chart picture = {.title = "Inner iterations", .x = {.label = "cells a side", .log = 1},
                   .y = {.label = "iterations", .log = 1}, .curve = curve, .curves = 3};
  return reproduction_draw(r, "resolution-iterations", &picture);
}

static int draw_xi(reproduction *r, const ane17_results *all) {
  double x[ANE17_SIZES][ANE17_XIS], y[ANE17_SIZES][ANE17_XIS];
  char name[ANE17_SIZES][32];
  chart_curve curve[ANE17_SIZES];
  for (int k = 0; k < all->count; k++) {
    int count = 0;
    for (int q = 0; q < ANE17_XIS; q++) {
      if (ane17_cut(&all->xi[k][q])) continue;
      x[k][count] = atof(ane17_xi[q]);
      y[k][count++] = all->xi[k][q].inner;
    }
    snprintf(name[k], sizeof name[k], "%d x %d", (int)all->sizes[k], (int)all->sizes[k]);
    curve[k] = (chart_curve){.name = name[k], .x = x[k], .y = y[k], .count = count};
  }
  chart picture = {.title = "Inner iterations of minimum map Newton",
                   .x = {.label = "xi", .log = 1}, .y = {.label = "iterations", .log = 1},
                   .curve = curve, .curves = all->count};
  return reproduction_draw(r, "xi-iterations", &picture);
}

int ane17_write(reproduction *r, const ane17_results *all) {
  int code = 0;
  for (int k = 0; k < TABLES && !code; k++) {
    text_table table = tables[k].make(all);
    code = table.failed ? fail(CODE_IO, "out of memory")
                        : reproduction_save(r, tables[k].file, text_table_tsv, &table);
    text_table_free(&table);
  }
  if (!code) code = draw_resolution(r, all);
  if (!code) code = draw_xi(r, all);
  const report what = {r, all};
  if (!code) code = reproduction_save(r, "report.md", write_report, &what);
  return code;
}
