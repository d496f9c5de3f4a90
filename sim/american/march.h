// march.h: one grid of perp_american_price: the put with strike 1, from maturity to today.
#pragma once

#include <perp/american.h>

typedef struct mesh {   // z_i = width sinh(i step), i = -left .. right: a node on the strike
  double width, step;
  int32_t left, right;
} mesh;

typedef struct put {    // strike 1; a call becomes one by symmetry
  double y;             // ln(S0/K), which may be -inf
  double r, q, sigma, T;
  perp_exercise exercise;
  const double *dates;
  int32_t date_count;
} put;

typedef struct tally {  // of all grids
  int64_t solves, unsolved, iterations, factorizations;
  double residual;
  int64_t done, total;  // steps, for on_step
  int stopped;
  char message[256];
} tally;

typedef struct course {   // what one march leaves behind
  double u, slope, bend;  // V/K at y, its first and second derivative by y
  int exercised;          // today, at y
  int32_t count;          // nodes
  double *y_of, *value;   // count: ln(S/K) of the nodes today, and V/K
  int32_t boundaries;
  double *time, *upper, *lower;   // boundaries: time to maturity, ln(S/K) of the exercise region
  void *block;
} course;

mesh mesh_for(const put *what, int32_t nodes);   // nodes: a multiple of 16
mesh mesh_coarser(mesh fine, int32_t factor);    // every 2nd, 4th or 8th node
int64_t march_steps(const put *what, int32_t steps);   // how many solves

// `keep`: fills the curves. course->block is to be released by the caller in any case.
perp_error march(const put *what, mesh m, int32_t steps, const perp_american_settings *settings,
                 int keep, tally *t, course *c);

// max over t in [0, tau] of K e^(-rt) - S e^(-qt), or 0: the put without noise, strike 1.
double certain_put(const put *what, double S, double tau);
