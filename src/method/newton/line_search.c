// line_search.c: shortens a step along the projected path until the merit has decreased enough.
//
//   smallest h with theta(clamp(x + beta^h d)) <= theta(x) + alpha beta^h theta'(x; d)   E13 (83)
//
// The source says "largest h" and then uses the unprojected point. It means the smallest h and the
// projected point. Cost: at most 1 + log delta / log beta merits.
#include "line_search.h"

#include <math.h>

#define TRIALS_MAX 10000  // trials; with beta near 1 there would be too many

line_step line_search_run(const line_search *search, double reference, double slope) {
  line_step step = {.tau = 0.0, .merit = (double)INFINITY};
  for (double tau = 1.0; tau >= search->delta; tau *= search->beta) {
    step.tau = tau;
    step.merit = search->merit(search->context, tau);
    step.trials++;
    if (step.merit < 0.0) break;
    if (step.merit != step.merit) step.merit = (double)INFINITY;
    // Strictly less than the reference, because rounding may hide the required decrease.
    step.accepted = step.merit <= reference + search->alpha*tau*slope && step.merit < reference;
    if (step.accepted || !(tau > 0.0) || step.trials == TRIALS_MAX) break;
  }
  return step;
}
