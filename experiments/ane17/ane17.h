// ane17.h: the experiments of ANE17 6: what is measured, for the tables.
#pragma once

#include "reproduce.h"

enum { ANE17_SOLVERS = 4, ANE17_PRECONDITIONERS = 6, ANE17_XIS = 6, ANE17_SIZES = 5 };
extern const char *const ane17_solver[ANE17_SOLVERS];
extern const char *const ane17_preconditioner[ANE17_PRECONDITIONERS];
extern const char *const ane17_xi[ANE17_XIS];

// Liquid behind a dam, a disc in its way, in a box of size x size cells with walls around it.
typedef struct ane17_scene {
  perp_grid grid;
  int32_t size, liquid;
  uint8_t *type;               // n
  double *b, *lo, *hi, *x;     // n; bounds of separating walls,
  double *open;                //   and lower ones of slip: -inf in liquid
} ane17_scene;

enum { ANE17_INNER = 1000 };   // at most, in a Newton step

typedef struct ane17_run {
  int slip;                    // one linear system
  perp_status status;
  int32_t newton, inner;       // iterations
  double residual;             // certified
  double seconds;              // of the processor
} ane17_run;
int ane17_cut(const ane17_run *run);   // ended by a limit, and not because it was done

typedef struct ane17_results {
  int32_t size;                // of the grid of the first three
  ane17_run slip[ANE17_SOLVERS][ANE17_PRECONDITIONERS];        // Figure 12
  ane17_run separating[ANE17_SOLVERS][ANE17_PRECONDITIONERS];  // Figure 13
  int32_t sizes[ANE17_SIZES], count;                           // Figure 14
  ane17_run grown[ANE17_SIZES][3];   // CG for slip, minimum map Newton for separation, and ours
  ane17_run xi[ANE17_SIZES][ANE17_XIS];                        // Figure 16
} ane17_results;

int ane17_write(reproduction *r, const ane17_results *results);   // tables, figures, report.md
