// mns08_tables.c: Tables 1 to 4 and Figures 1 to 3 of MNS08 with our numbers beside the paper's.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mns08.h"
#include "text_table.h"

#define NONE3 {"-", "-", "-"}
#define NONE4 NONE3, {{"-", "-"}, {"-", "-"}, {"-", "-"}}, "-"

const mns08_paper mns08_paper_row[MNS08_ROWS] = {
  {"nb7_nc18", "18", "162", "5.83e+01", {"4", "6"}, {"3/4", "4/4", "", "", ""}, NONE3, NONE3,
   NONE4},
  {"nb8_nc45", "45", "779", "2.92e+03", {"17", "120"}, {"7/8", "7/8", "8/8", "", ""}, NONE3, NONE3,
   NONE4},
  {"nb8_nc48", "48", "868", "2.38e+03", {"17", "111"}, {"8/10", "8/10", "10/10", "", ""}, NONE3,
   NONE3, NONE4},
  {"nb235_nc1044", "1044", "14211", "4.58e+04", {"61", "312"},
   {"12/58", "40/58", "52/58", "58/58", ""}, NONE3, NONE3,
   {"9", "0.50", "0.03"}, {{"6", "0.03"}, {"6", "0.03"}, {"5", "0.02"}}, "1.41"},
  {"nb449_nc1821", "1821", "28010", "4.22e+04", {"132", "414"},
   {"156/254", "233/254", "248/254", "254/254", ""}, NONE3, NONE3,
   {"8", "0.11", "0.06"}, {{"6", "0.04"}, {"5", "0.03"}, {"5", "0.03"}}, "0.72"},
  {"nb907_nc5832", "5832", "176735", "5.11e+07", {"21", "16785"},
   {"1253/1512", "1301/1512", "1333/1512", "1399/1512", "1471/1512"},
   {"0.50", "216080", "17"}, {"0.22", "114864", "7"},
   {"100", "35.0", "22.3"}, {{"9", "0.30"}, {"7", "0.22"}, {"7", "0.24"}}, "> 300"},
  {"nb948_nc7344", "7344", "269765", "9.02e+07", {"3123", "> 50000"},
   {"1504/1828", "1523/1828", "1542/1828", "1614/1828", "1707/1828"},
   {"1.02", "406152", "18"}, {"0.46", "218522", "9"},
   {"182", "133", "91.0"}, {{"9", "0.48"}, {"9", "0.46"}, {"7", "0.39"}}, "> 300"},
  {"nb966_nc8220", "8220", "368604", "9.19e+07", {"1601", "39103"},
   {"2112/2321", "2106/2321", "2109/2321", "2178/2321", "2253/2321"},
   {"2.40", "797989", "16"}, {"0.63", "398821", "7"},
   {"191", "143", "67.8"}, {{"7", "0.64"}, {"7", "0.63"}, {"6", "0.59"}}, "> 300"},
  {"nb976_nc8745", "8745", "373848", "6.45e+07", {"7184", "> 50000"},
   {"1728/2158", "1743/2158", "1758/2158", "1870/2158", "1976/2158"},
   {"1.79", "646929", "19"}, {"0.66", "341911", "9"},
   {"491", "440", "260"}, {{"10", "0.73"}, {"9", "0.66"}, {"7", "0.55"}}, "> 300"},
  {"nb977_nc9534", "9534", "494118", "1.03e+08", {"1246", "> 50000"},
   {"2513/2728", "2495/2728", "2505/2728", "2578/2728", "2670/2728"},
   {"4.67", "1222209", "17"}, {"0.87", "604892", "6"},
   {"229", "326", "186"}, {{"6", "0.88"}, {"6", "0.87"}, {"6", "0.89"}}, "> 300"},
  {"DPJB_1_10000", "10000", "-", "-", {"-", "-"}, {"-", "-", "-", "-", "-"}, NONE3, NONE3,
   {"19", "1.36", "1.12"}, {{"7", "0.33"}, {"6", "0.30"}, {"6", "0.30"}}, "6.49"},
};

// ---------------------------------------------------------------------------------------- columns

typedef struct column { const char *head; int paper; } column;   // paper: its number beside ours

enum { COLUMNS = 40 };
static char head_text[COLUMNS][64];
static const char *head[COLUMNS + 1];

// Two columns for each that the paper has, one where it is silent.
static text_table begin(const column *columns, int mixed) {
  int count = 0;
  for (; columns->head; columns++) {
    const int both = columns->paper && mixed;
    for (int ours = !both; ours < 2; ours++) {
      snprintf(head_text[count], sizeof head_text[count], "%s%s", columns->head,
               !both ? "" : ours ? ", ours" : ", paper");
      head[count] = head_text[count];
      count++;
    }
  }
  head[count] = NULL;
  return text_table_begin(head);
}

typedef struct cell { char text[40]; } cell;

static void pair(text_table *s, int mixed, const char *paper, cell ours) {
  if (mixed) text_table_put(s, "%s", paper);
  text_table_put(s, "%s", ours.text);
}

static cell count_cell(int64_t count) {
  cell c;
  snprintf(c.text, sizeof c.text, count > 0 ? "%lld" : "-", (long long)count);
  return c;
}

static cell bounded(int64_t count, int64_t limit) {
  cell c = count_cell(count);
  if (count == 0) snprintf(c.text, sizeof c.text, "> %lld", (long long)limit);
  return c;
}

static cell seconds_cell(const mns08_run *run) {
  cell c = {"-"};
  if (!run->known) return c;
  snprintf(c.text, sizeof c.text, "%s%.*f", run->reached ? "" : "> ", run->seconds < 0.1 ? 4 : 2,
           run->seconds);
  return c;
}

static cell factor_cell(const mns08_run *run) {
  cell c = {"-"};
  if (!run->known) return c;
  snprintf(c.text, sizeof c.text, "%s%d", run->reached ? "" : "> ", (int)run->factorizations);
  return c;
}

static cell iterations_cell(const mns08_run *run) {
  cell c = {"-"};
  if (!run->known) return c;
  snprintf(c.text, sizeof c.text, "%s%d", run->reached ? "" : "> ", (int)run->iterations);
  return c;
}

static cell nonzeros_cell(const mns08_run *run) {
  return run->known ? count_cell(run->nonzeros) : (cell){"-"};
}

// ----------------------------------------------------------------------------------------- tables

static text_table table1(const mns08_series *s) {
  static const column columns[] = {
      {"name", 0}, {"n", 0}, {"nz(Q)", 1}, {"cond(Q)", 1}, {"1e-1", 1}, {"1e-2", 1}, {0}};
  text_table t = begin(columns, s->mixed);
  for (int k = 0; k < MNS08_SCENES; k++) {
    const mns08_row *row = &s->row[k];
    const mns08_paper *paper = &mns08_paper_row[k];
    if (!row->filled) continue;
    cell condition;
    snprintf(condition.text, sizeof condition.text, "%.2e", row->condition);
    text_table_put(&t, "%s", row->name);
    text_table_put(&t, "%d", (int)row->n);
    pair(&t, s->mixed, paper->entries, count_cell(row->entries));
    pair(&t, s->mixed, paper->condition, condition);
    for (int i = 0; i < 2; i++)
      pair(&t, s->mixed, paper->sweeps[i], bounded(row->sweeps.needed[i], row->sweeps.limit));
  }
  return t;
}

// Empty, as in the paper, once all have been found.
static cell identified_cell(const mns08_sweeps *sweeps, int mark) {
  cell c = {"-"};
  const int32_t count = sweeps->identified[mark];
  for (int k = 0; k < mark && (count < 0 || count == sweeps->zeros); k++) {
    if (sweeps->zeros >= 0 && sweeps->identified[k] == sweeps->zeros) return (cell){""};
  }
  if (count >= 0) snprintf(c.text, sizeof c.text, "%d/%d", (int)count, (int)sweeps->zeros);
  return c;
}

static text_table table2(const mns08_series *s) {
  static const column columns[] = {{"name", 0},    {"points", 0},   {"k = 2", 1},    {"k = 20", 1},
                                   {"k = 100", 1}, {"k = 1000", 1}, {"k = 10000", 1}, {0}};
  text_table t = begin(columns, s->mixed);
  for (int k = 0; k < MNS08_SCENES; k++) {
    const mns08_row *row = &s->row[k];
    if (!row->filled) continue;
    text_table_put(&t, "%s", row->name);
    text_table_put(&t, "%d", (int)(s->mixed ? row->n/3 : row->n));
    for (int mark = 0; mark < MNS08_MARKS; mark++)
      pair(&t, s->mixed, mns08_paper_row[k].identified[mark], identified_cell(&row->sweeps, mark));
  }
  return t;
}

enum { FIRST_OF_TABLE4 = 3 };   // nb235_nc1044

// Table 3 has the five largest problems; a quick run has those of Table 4 instead.
static int first_of_table3(const mns08_series *s) {
  return s->row[MNS08_SMALL].filled ? MNS08_SMALL : FIRST_OF_TABLE4;
}

static text_table table3(const mns08_series *s) {
  static const column columns[] = {
      {"name", 0}, {"interior point s", 1}, {"PGS(5)-SM(3) s", 1}, {"active set s", 0},
      {"interior point nz(L)", 1}, {"PGS(5)-SM(3) nz(L)", 1}, {"active set nz(L)", 0},
      {"interior point fact.", 1}, {"PGS(5)-SM(3) fact.", 1}, {"active set fact.", 0},
      {"PGS(5)-SM(1) iterations", 1}, {0}};
  text_table t = begin(columns, s->mixed);
  for (int k = first_of_table3(s); k < MNS08_SCENES; k++) {
    const mns08_row *row = &s->row[k];
    const mns08_paper *paper = &mns08_paper_row[k];
    if (!row->filled) continue;
    const mns08_run *barrier = &row->run[BARRIER], *subspace = &row->run[SUBSPACE_5_3];
    const mns08_run *active = &row->run[ACTIVE];
    text_table_put(&t, "%s", row->name);
    pair(&t, s->mixed, paper->barrier[0], seconds_cell(barrier));
    pair(&t, s->mixed, paper->subspace[0], seconds_cell(subspace));
    text_table_put(&t, "%s", seconds_cell(active).text);
    pair(&t, s->mixed, paper->barrier[1], nonzeros_cell(barrier));
    pair(&t, s->mixed, paper->subspace[1], nonzeros_cell(subspace));
    text_table_put(&t, "%s", nonzeros_cell(active).text);
    pair(&t, s->mixed, paper->barrier[2], factor_cell(barrier));
    pair(&t, s->mixed, paper->subspace[2], factor_cell(subspace));
    text_table_put(&t, "%s", factor_cell(active).text);
    pair(&t, s->mixed, k == MNS08_SINGLE ? "387" : "-", iterations_cell(&row->run[SUBSPACE_5_1]));
  }
  return t;
}

static text_table table4(const mns08_series *s) {
  static const column columns[] = {
      {"name", 0}, {"tron / gradient projection fact.", 1}, {"tron / gradient projection s", 1},
      {"PGS(2)-SM(3) fact.", 1}, {"PGS(2)-SM(3) s", 1}, {"PGS(5)-SM(3) fact.", 1},
      {"PGS(5)-SM(3) s", 1}, {"PGS(5)-SM(2) fact.", 1}, {"PGS(5)-SM(2) s", 1}, {"PGS s", 1},
      {"active set fact.", 0}, {"active set s", 0}, {0}};
  text_table t = begin(columns, s->mixed);
  for (int k = FIRST_OF_TABLE4; k < MNS08_ROWS; k++) {
    const mns08_row *row = &s->row[k];
    const mns08_paper *paper = &mns08_paper_row[k];
    if (!row->filled) continue;
    text_table_put(&t, "%s", row->name);
    pair(&t, s->mixed, paper->tron[0], factor_cell(&row->run[GRADIENT]));
    pair(&t, s->mixed, paper->tron[2], seconds_cell(&row->run[GRADIENT]));
    for (int v = 0; v < 3; v++) {
      const mns08_run *run = &row->run[SUBSPACE_2_3 + v];
      pair(&t, s->mixed, paper->variant[v][0], factor_cell(run));
      pair(&t, s->mixed, paper->variant[v][1], seconds_cell(run));
    }
    pair(&t, s->mixed, paper->pgs, seconds_cell(&row->run[SWEEPS]));
    text_table_put(&t, "%s", factor_cell(&row->run[ACTIVE]).text);
    text_table_put(&t, "%s", seconds_cell(&row->run[ACTIVE]).text);
  }
  return t;
}

static text_table (*const tables[])(const mns08_series *) = {table1, table2, table3, table4};

int mns08_tables(reproduction *r, const mns08_series *s) {
  int code = CODE_OK;
  for (int k = 0; k < 4 && !code; k++) {
    char file[64];
    snprintf(file, sizeof file, "table%d%s.tsv", k + 1, s->mixed ? "" : "-normal");
    text_table t = tables[k](s);
    code = t.failed ? fail(CODE_IO, "out of memory") : reproduction_save(r, file, text_table_tsv,
                                                                         &t);
    text_table_free(&t);
  }
  return code;
}

// ---------------------------------------------------------------------------------------- figures

// The last three scenes.
static int scene_of_figure(const mns08_series *s, int figure) {
  return (s->row[MNS08_SMALL].filled ? MNS08_SCENES : MNS08_SMALL) - 3 + figure;
}

int mns08_figures(reproduction *r, const mns08_series *s) {
  static const int shown[] = {SWEEPS, BARRIER, SUBSPACE_5_3, GRADIENT, ACTIVE};
  enum { SHOWN = sizeof shown/sizeof *shown };
  int code = CODE_OK;
  for (int figure = 0; figure < 3 && !code; figure++) {
    const mns08_row *row = &s->row[scene_of_figure(s, figure)];
    chart_curve curve[SHOWN];
    int curves = 0;
    for (int k = 0; k < SHOWN; k++) {
      const mns08_run *run = &row->run[shown[k]];
      if (run->known && run->count > 0)
        curve[curves++] = (chart_curve){.name = mns08_contender(shown[k]), .x = run->time,
                                        .y = run->error, .count = run->count};
    }
    char title[96], name[32];
    snprintf(title, sizeof title, "%s%s", row->name, s->mixed ? "" : ", normal rows only");
    snprintf(name, sizeof name, "figure%d%s", figure + 1, s->mixed ? "" : "-normal");
    const chart_mark mark = {.kind = CHART_HORIZONTAL, .y = 1e-8};
    chart picture = {.title = title, .x = {.label = "seconds", .log = 1},
                     .y = {.label = "error", .log = 1, .floor = 1e-16}, .curve = curve,
                     .curves = curves, .mark = &mark, .marks = 1};
    code = reproduction_draw(r, name, &picture);
  }
  return code;
}

// ----------------------------------------------------------------------------------------- report

typedef struct report { const reproduction *r; const mns08_series *series; } report;

static void write_report(FILE *out, const void *what) {
  static const char *const titles[] = {
      "Table 1: sweeps of projected Gauss-Seidel until (2.7) is at most 1e-1 and 1e-2",
      "Table 2: how many of the rows with v = 0 at the solution have v = 0 after k sweeps",
      "Table 3: seconds, entries of the factor, factorisations",
      "Table 4: factorisations and seconds"};
  const report *w = what;
  fprintf(out,
          "# MNS08 again\n\n"
          "J. L. Morales, J. Nocedal, M. Smelyanskiy: An algorithm for the fast solution of "
          "symmetric linear complementarity problems. Numer. Math. 111, 2008.\n\n"
          "Made by `perp reproduce mns08%s --seed %llu` with perp %s. The paper's scenes are not "
          "public. Ours (`perp gen bricks --preset NAME`) have the same bodies and constraints, "
          "the same condition number and nearly as many entries; impulses, and so all counts of "
          "sweeps and factorisations, belong to other problems. \"> k\" means: not within k. "
          "\"-\" means: the paper says nothing, the sweeps ended before, or this build does not "
          "have the method. Empty cells of Table 2: all were found after fewer sweeps.\n\n"
          "All methods begin at 0, take the problem whole and stop at 1e-8 in the paper's "
          "measures: (2.7) as corrected in docs/theory.md, (4.2) for interior points. Times are "
          "processor seconds, the best of three where they are below 0.1 s. nz(L) counts what is "
          "stored, zeros in blocks of columns included. Factorisations are those of the whole "
          "pattern; active set goes on by row modifications.\n",
          w->r->quick ? " --quick" : "", (unsigned long long)w->r->seed, perp_version());
  for (int k = 0; k < 2; k++) {
    const mns08_series *s = &w->series[k];
    fprintf(out, s->mixed ? "\n## As in the paper: a normal and two tangential rows a contact\n"
                          : "\n## Normal rows only: as many contacts as the paper has rows\n");
    for (int t = 0; t < 4; t++) {
      text_table table = tables[t](s);
      fprintf(out, "\n### %s\n\n", titles[t]);
      text_table_markdown(out, &table);
      text_table_free(&table);
    }
    fprintf(out, "\n### Figures 1 to 3: error against time\n\n");
    for (int figure = 0; figure < 3 && w->r->pictures; figure++)
      fprintf(out, "![%s](figure%d%s.svg)\n", s->row[scene_of_figure(s, figure)].name, figure + 1,
              s->mixed ? "" : "-normal");
  }
}

int mns08_report(reproduction *r, const mns08_series series[2]) {
  const report what = {r, series};
  return reproduction_save(r, "report.md", write_report, &what);
}
