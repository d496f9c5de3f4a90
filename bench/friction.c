// friction.c: spheres with friction, the LCP of E13 (27): ours against peers, and how the cost
// grows with the number of contacts.
#include <math.h>
#include <stdlib.h>

#include "contest.h"

static const char *const peers[] = {"Siconos lemke", "Siconos newton_min", "Siconos newton_FB",
                                    "Siconos pathsearch", "DART Lemke", NULL};
static const char *const methods[] = {"auto", "lemke", "fischer_newton", NULL};
enum { METHODS = 3, SIZES = 5 };

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "friction", "contact problems with friction, E13 (27)",
                              CONTEST_COLUMNS);
  const int32_t spheres[SIZES] = {14, 24, 88, 250, 760};   // 21, 50, 203, 616, 2006 contacts
  double n[METHODS][SIZES], seconds[METHODS][SIZES];
  int32_t solved[METHODS] = {0};
  for (int k = 0; k < (b.quick ? 2 : SIZES); k++) {
    perp_sample sample;
    char settings[64], name[64];
    snprintf(settings, sizeof settings, "bodies=%d", spheres[k]);
    bench_generate("friction", settings, &sample);
    snprintf(name, sizeof name, "%d contacts", sample.n/6);
    double *value = sample.n <= 2000 ? bench_dense(&sample) : NULL;
    const peer_problem theirs = contest_theirs(&sample, value);
    contest c = {.table = t, .problem = name, .ours = &sample.problem, .theirs = &theirs,
                 .limit = b.quick ? 5.0 : 60.0, .best = (double)INFINITY};
    if (value != NULL) contest_peers(&c, peers);
    for (int m = 0; m < METHODS; m++) {
      const double taken = contest_method(&c, methods[m]);
      if (taken < 0.0) continue;
      n[m][solved[m]] = sample.n;
      seconds[m][solved[m]++] = taken;
    }
    free(value);
    perp_sample_free(&sample);
  }
  for (int m = 0; m < METHODS; m++)
    if (solved[m] >= 3)
      bench_note(t, "%s: seconds ~ rows^%.2f by least squares over the %d sizes it solved",
                 methods[m], bench_growth(solved[m], n[m], seconds[m]), solved[m]);
    else
      bench_note(t, "%s: solved %d of the sizes, too few for a fit", methods[m], solved[m]);
  bench_note(t, "Seed 1; mu = 0.5, 4 directions. Dense peers are left out above 2000 rows. "
                "Limit %g s each; late: ended by it.", b.quick ? 5.0 : 60.0);
  bench_note(t, "failed, false: what a peer says of its own x, and where that is wrong.");
  bench_close(t);
  return 0;
}
