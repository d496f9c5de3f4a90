// line_search.c: backtracking along the projected path until the merit has decreased enough.
//
//   smallest h with theta(clamp(x + beta^h d)) <= theta(x) + alpha beta^h theta'(x; d)   E13 (83)
//
// The source says "largest h" and then updates with the unprojected point; the smallest h and the
// projected point are meant. At most 1 + log delta / log beta merits are computed.
#include "line_search.h"

#include <math.h>

enum { MOST_TRIALS = 10000 };   // beta near 1 would take forever

line_step line_search_run(const line_search *search, double reference, double slope) {
  line_step step = {.tau = 0.0, .merit = (double)INFINITY};
  for (double tau = 1.0; tau >= search->delta; tau *= search->beta) {
    step.tau = tau;
    step.merit = search->merit(search->context, tau);
    step.trials++;
    if (step.merit < 0.0) break;
    if (step.merit != step.merit) step.merit = (double)INFINITY;
    // strictly: what a step must gain may be lost in rounding
    step.accepted = step.merit <= reference + search->alpha*tau*slope && step.merit < reference;
    if (step.accepted || !(tau > 0.0) || step.trials == MOST_TRIALS) break;
  }
  return step;
}
