// line_search.h: the projected Armijo search of E13 5.4 along clamp(x + tau d), tau = beta^h.
#ifndef PERP_LINE_SEARCH_H
#define PERP_LINE_SEARCH_H

#include <perp/method.h>

// Length below which the methods treat a step as failed. With 1e-7, walls take 1.3 times the work.
#define SHORT_STEP_MAX 0.1

typedef struct line_search {
  double alpha, beta, delta;      // sufficient decrease, reduction of the step, smallest step
  // Forms the *projected* trial point for the step tau and keeps it. Returns its merit >= 0. NaN
  // counts as infinite; a negative value ends the search.
  double (*merit)(void *context, double tau);
  void *context;
} line_search;

typedef struct line_step {
  double tau, merit;              // of the last trial
  int32_t trials;
  int32_t accepted;               // 1: merit <= reference + alpha tau slope < reference
} line_step;

// E13 (83) with the smallest exponent: the first tau = beta^h >= delta with merit(tau) <= reference
// + alpha tau slope. reference: the merit at x, or in a non-monotone search the largest merit
// allowed; slope < 0: the directional derivative at x.
line_step line_search_run(const line_search *search, double reference, double slope);

#define LINE_SEARCH_PARAMETERS                                                                     \
  {"newton.alpha", PERP_KIND_REAL, offsetof(perp_options, newton.alpha), 1e-4, 0, 1, 1, 1, NULL,   \
   "part of the predicted decrease that a step must achieve, E13 (81)"},                           \
  {"newton.beta", PERP_KIND_REAL, offsetof(perp_options, newton.beta), 0.5, 0, 1, 1, 1, NULL,      \
   "reduction of a step that was refused, E13 (83)"}

#endif
