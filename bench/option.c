// option.c: an American put on one grid, by the methods that can take its steps.
//
// The same march with the same certificate at 1e-8 for every step; only the method differs. `bare`
// is the clamped elimination of Brennan and Schwartz alone, as many times: what no driver can
// undercut. pgs gets a smaller grid, and its time is scaled by the nodes and steps, which favours
// it: the sweeps that it needs grow with the grid.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/american.h>

#include "bench.h"

typedef struct march {
  perp_american_settings settings;
  perp_options options;
  perp_american_result result;
} march;

static const perp_american subject = {.spot = 100, .strike = 100, .rate = 0.05, .volatility = 0.2,
                                      .maturity = 1};

static void price(void *data) {
  march *m = data;
  perp_american_free(&m->result);
  perp_american_price(&subject, &m->settings, &m->result);
}

typedef struct bare { int32_t n, steps; double *a, *d, *b, *pivot, *value, *x; } bare;

static void eliminate(void *data) {
  bare *s = data;
  for (int32_t k = 0; k < s->steps; k++) {
    double pivot = 1.0, value = 0.0, last = 0.0;
    for (int32_t i = s->n - 1; i >= 0; i--) {
      const double ratio = s->a[i]*pivot;
      value = -s->b[i] - ratio*value;
      pivot = 1.0/(s->d[i] - ratio*s->a[i]);
      s->pivot[i] = pivot;
      s->value[i] = value;
    }
    for (int32_t i = 0; i < s->n; i++)
      s->x[i] = last = fmax(0.0, (s->value[i] - s->a[i]*last)*s->pivot[i]);
    s->b[k%s->n] += 1e-9*s->x[0];
  }
}

static double measure_bare(int32_t nodes, int32_t steps) {
  bare s = {.n = nodes - 1, .steps = steps};
  double **const vectors[] = {&s.a, &s.d, &s.b, &s.pivot, &s.value, &s.x};
  for (int k = 0; k < 6; k++) *vectors[k] = bench_take((size_t)nodes, sizeof(double));
  for (int32_t i = 0; i < s.n; i++) {
    s.a[i] = i < s.n - 1 ? -1.0 : 0.0;
    s.d[i] = 2.1;
    s.b[i] = i < s.n/3 ? 1.0 : -0.01;
  }
  const double best = bench_measure(eliminate, &s, 1, 3).best;
  for (int k = 0; k < 6; k++) free(*vectors[k]);
  return best;
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  const int32_t nodes = b.quick ? 1000 : 4000, steps = nodes/2;
  bench_table *t = bench_open(&b, "option", "an American put, one certified problem a step",
                              "method|grid|seconds|times tridiagonal, at least|iterations a step|"
                              "price|unsolved");
  const char *const names[] = {"tridiagonal", "active_set", "auto", "psor", "pgs"};
  double first = 0.0;
  for (size_t k = 0; k < sizeof names/sizeof *names; k++) {
    const perp_method *method = perp_find_method(names[k]);
    if (method == NULL) {
      bench_row(t, "%s|absent|||||", names[k]);
      continue;
    }
    march m = {.settings = perp_american_defaults(), .options = perp_default_options(method)};
    const int32_t part = strcmp(names[k], "pgs") == 0 ? 4 : 1;   // of nodes and of steps
    m.settings.nodes = nodes/part;
    m.settings.steps = steps/part;
    m.settings.estimate = m.settings.sensitivities = 0;
    m.settings.options = &m.options;
    const double seconds = bench_measure(price, &m, 1, k == 0 ? 5 : 1).best;
    if (k == 0) first = seconds;
    const perp_american_result *r = &m.result;
    bench_row(t, "%s|%d x %d|%.3f|%.1f|%.1f|%.6f|%lld", names[k], (int)r->nodes, (int)r->steps,
              seconds, seconds*part*part/first, (double)r->iterations/(double)r->solves, r->price,
              (long long)r->unsolved);
    perp_american_free(&m.result);
  }
  const double least = measure_bare(nodes, steps);
  bench_row(t, "bare elimination|%d x %d|%.3f|%.1f|1.0||", (int)nodes, (int)steps, least,
            least/first);
  bench_note(t, "S0 = K = 100, r = 0.05, sigma = 0.2, T = 1: the price is 6.09037. pgs on a "
                "quarter of the nodes and steps: times 16.");
  bench_close(t);
  return 0;
}
