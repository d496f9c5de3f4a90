// mns08.h: the experiments of MNS08: its numbers, and what we measure beside them.
#pragma once

#include "reproduce.h"

enum {
  MNS08_SCENES = 10,                 // Table 1
  MNS08_SMALL = 5,                   // the first of them: --quick
  MNS08_ROWS = MNS08_SCENES + 1,     // and the journal bearing of Table 4
  MNS08_SINGLE = 5,                  // nb907_nc5832: the one that is also solved with k_sm = 1
  MNS08_MARKS = 5                    // Table 2: after 2, 20, 100, 1000 and 10000 sweeps
};

typedef struct mns08_paper {         // as printed; "-" where there is nothing
  const char *name;
  const char *n, *entries, *condition, *sweeps[2];   // Table 1
  const char *identified[MNS08_MARKS];               // Table 2
  const char *barrier[3], *subspace[3];              // Table 3: seconds, nz(L), factorisations
  const char *tron[3], *variant[3][2], *pgs;         // Table 4: factorisations and seconds
} mns08_paper;
extern const mns08_paper mns08_paper_row[MNS08_ROWS];

// Sweeps of Algorithm 2.1 from x = 0.
typedef struct mns08_sweeps {
  int32_t limit;                     // how many were affordable
  int32_t needed[2];                 // until (2.7) is at most 1e-1, 1e-2; 0: more than the limit
  int32_t zeros;                     // rows with v = 0 at the solution; -1: it is not known
  int32_t identified[MNS08_MARKS];   // of `zeros`: v = 0 after the sweeps of each mark; -1: not known
} mns08_sweeps;
// at_zero: n, 1 where v = 0 at the solution; NULL: not known. 0, or an exit code.
int mns08_sweep(const perp_problem *problem, const uint8_t *at_zero, int32_t limit,
                mns08_sweeps *out);

// The methods that compete, in the order of the tables.
enum {
  BARRIER, SUBSPACE_2_3, SUBSPACE_5_3, SUBSPACE_5_2, GRADIENT, ACTIVE, SWEEPS,
  SUBSPACE_5_1,                      // on one problem only: MNS08 4, below Table 3
  CONTENDERS
};
enum { TRACE = 2048 };

typedef struct mns08_run {
  int known;                         // this build has the method
  int reached;                       // the paper's measure fell below 1e-8
  double seconds, limit;             // limit: of time
  int32_t iterations, factorizations;
  int64_t nonzeros;                  // of L
  double residual;                   // of the certificate
  double time[TRACE], error[TRACE];  // count: the paper's measure against seconds
  int32_t count;
} mns08_run;
const char *mns08_contender(int which);   // "PGS(5)-SM(3)"
int mns08_compete(const perp_problem *problem, int which, double limit, mns08_run *run);
// The solution, by whatever method finds it: at_zero as above; *known = 0: none was certified.
int mns08_solution(const perp_problem *problem, uint8_t *at_zero, int *known);

typedef struct mns08_row {           // what we have on a problem
  int filled;                        // 0: nothing, as in rows that --quick leaves out
  char name[32];
  int32_t n, entries;
  double condition;
  mns08_sweeps sweeps;
  mns08_run *run;                    // CONTENDERS
} mns08_row;

typedef struct mns08_series {
  int mixed;                         // with tangential rows, as in the paper, or normal rows only
  mns08_row row[MNS08_ROWS];
} mns08_series;

int mns08_tables(reproduction *r, const mns08_series *s);
int mns08_figures(reproduction *r, const mns08_series *s);
int mns08_report(reproduction *r, const mns08_series series[2]);
