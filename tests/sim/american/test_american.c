// test_american.c: option prices against published ones, formulas, a binomial tree and limits.
// cost: 2
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <perp/gallery.h>
#include <perp/method.h>
#include <perp/american.h>

// Under sanitizers a few contracts take the same steps as all of them (support.h is not for clients).
static int is_brief(void) { return getenv("PERP_BRIEF_TESTS") != NULL; }

static perp_american_result price_with(const perp_american *o, int32_t nodes, int32_t steps,
                                       int all) {
  perp_american_settings s = perp_american_defaults();
  s.nodes = nodes;
  s.steps = steps;
  s.sensitivities = all;
  perp_american_result r;
  const perp_error error = perp_american_price(o, &s, &r);
  if (error != PERP_OK) fail_msg("%s: %s", perp_error_name(error), r.message);
  assert_int_equal(r.unsolved, 0);
  return r;
}

static perp_american_result price_on(const perp_american *o, int32_t nodes, int32_t steps) {
  return price_with(o, nodes, steps, 0);
}

static perp_american_result price(const perp_american *o) {   // without its curves
  perp_american_result r = price_on(o, 800, 400);
  perp_american_free(&r);
  return r;
}

static perp_american_result all_of(const perp_american *o) {   // vega and rho, too
  perp_american_result r = price_with(o, 800, 400, 1);
  perp_american_free(&r);
  return r;
}

static void near(const char *what, double found, double expected, double tol) {
  if (!(fabs(found - expected) <= tol))
    fail_msg("%s: %.9g instead of %.9g: off by %.2g", what, found, expected, found - expected);
}

// ---- independent answers ----

static double normal(double d) { return 0.5*erfc(-d/sqrt(2.0)); }
static double density(double d) { return exp(-0.5*d*d)/sqrt(2.0*acos(-1.0)); }

typedef struct greeks { double price, delta, gamma, theta, vega, rho; } greeks;

static greeks closed(const perp_american *o) {   // Merton 1973
  const double S = o->spot, K = o->strike, r = o->rate, q = o->dividend, v = o->volatility,
               T = o->maturity, sign = o->kind == PERP_AMERICAN_CALL ? 1.0 : -1.0;
  const double d1 = (log(S/K) + (r - q + 0.5*v*v)*T)/(v*sqrt(T)), d2 = d1 - v*sqrt(T);
  const double asset = S*exp(-q*T), cash = K*exp(-r*T);
  greeks g = {.price = sign*(asset*normal(sign*d1) - cash*normal(sign*d2)),
              .delta = sign*exp(-q*T)*normal(sign*d1),
              .gamma = exp(-q*T)*density(d1)/(S*v*sqrt(T)),
              .vega = asset*density(d1)*sqrt(T), .rho = sign*T*cash*normal(sign*d2)};
  g.theta = -0.5*asset*density(d1)*v/sqrt(T) - sign*r*cash*normal(sign*d2) +
            sign*q*asset*normal(sign*d1);
  return g;
}

// A binomial tree whose last step is the closed formula (Broadie, Detemple 1996).
static double tree(const perp_american *o, int32_t steps) {
  const double dt = o->maturity/steps, up = exp(o->volatility*sqrt(dt)), down = 1.0/up,
               p = (exp((o->rate - o->dividend)*dt) - down)/(up - down), fade = exp(-o->rate*dt),
               sign = o->kind == PERP_AMERICAN_CALL ? 1.0 : -1.0;
  double *V = malloc((size_t)steps*sizeof *V);
  assert_non_null(V);
  for (int32_t n = steps - 1; n >= 0; n--) {
    double S = o->spot*pow(up, -n);
    for (int32_t i = 0; i <= n; i++, S *= up*up) {
      double hold;
      if (n == steps - 1) {
        perp_american last = *o;
        last.spot = S;
        last.maturity = dt;
        hold = closed(&last).price;
      } else {
        hold = fade*(p*V[i + 1] + (1.0 - p)*V[i]);
      }
      V[i] = fmax(hold, sign*(S - o->strike));
    }
  }
  const double value = V[0];
  free(V);
  return value;
}

static double extrapolated_tree(const perp_american *o) { return 2.0*tree(o, 600) - tree(o, 300); }

static greeks tree_greeks(const perp_american *o) {
  greeks g = {.price = extrapolated_tree(o)};
  perp_american m = *o;
  const double h = 0.03*o->spot;
  double v[5];   // at S0 - 2 h, ..., S0 + 2 h
  for (int i = 0; i < 5; i++) {
    m.spot = o->spot + (i - 2)*h;
    v[i] = extrapolated_tree(&m);
  }
  g.delta = (8.0*(v[3] - v[1]) - (v[4] - v[0]))/(12.0*h);
  g.gamma = (16.0*(v[3] + v[1]) - (v[4] + v[0]) - 30.0*v[2])/(12.0*h*h);
  m = *o;
  double *const parameter[] = {&m.volatility, &m.rate, &m.maturity}, step[] = {0.01, 0.005, 0.02};
  double *const answer[] = {&g.vega, &g.rho, &g.theta};
  for (int k = 0; k < 3; k++) {
    m = *o;
    *parameter[k] += step[k];
    *answer[k] = extrapolated_tree(&m);
    *parameter[k] -= 2.0*step[k];
    *answer[k] = (*answer[k] - extrapolated_tree(&m))/(2.0*step[k]);
  }
  g.theta = -g.theta;
  return g;
}

// ---- prices ----

static void nine_published_prices(void **state) {
  (void)state;
  const double cases[][6] = {
      {100, 100, .10, .2, .25, 3.07010}, {100, 100, .10, .8, .25, 14.67888},
      {100, 100, .05, .2, 1, 6.09037},   {90, 100, .05, .2, 1, 11.49271},
      {110, 100, .05, .2, 1, 2.98653},   {36, 40, .06, .2, 1, 4.48667},
      {36, 40, .06, .4, 2, 8.51419},     {40, 40, .06, .2, 1, 2.31957},
      {44, 40, .06, .2, 1, 1.11296}};
  for (size_t k = 0; k < sizeof cases/sizeof *cases; k += is_brief() ? 4 : 1) {
    const double *c = cases[k];
    const perp_american o = {.spot = c[0], .strike = c[1], .rate = c[2], .volatility = c[3],
                             .maturity = c[4]};
    const perp_american_result r = price(&o);
    near("price", r.price, c[5], 2e-5);
    assert_true(fabs(r.price - c[5]) <= r.error + 1e-5 && r.error < 5e-4);
    near("on the grid", r.fine, c[5], 5e-4);
  }
}

static const perp_american contracts[] = {
    {PERP_AMERICAN_PUT, 0, 100, 100, .05, 0, .2, 1, NULL, 0},
    {PERP_AMERICAN_CALL, 0, 100, 100, .05, .08, .2, 1, NULL, 0},
    {PERP_AMERICAN_CALL, 0, 110, 100, .03, .03, .35, .5, NULL, 0},
    {PERP_AMERICAN_PUT, 0, 95, 100, .02, .06, .3, 2, NULL, 0},
    {PERP_AMERICAN_PUT, 0, 40, 50, .08, .02, .45, .75, NULL, 0},
    {PERP_AMERICAN_CALL, 0, 7, 9, .01, .12, .6, 1.5, NULL, 0},
};
static int contract_count(void) {   // brief: a put and a call, both exercised early
  return is_brief() ? 2 : (int)(sizeof contracts/sizeof *contracts);
}

static void european_is_the_closed_formula(void **state) {
  (void)state;
  for (int k = 0; k < contract_count(); k++) {
    perp_american o = contracts[k];
    o.exercise = PERP_EXERCISE_EUROPEAN;
    const greeks g = closed(&o);
    const perp_american_result r = all_of(&o);
    near("price", r.price, g.price, 2e-7*o.strike);
    near("formula", perp_american_european(&o), g.price, 1e-13*o.strike);
    near("delta", r.delta, g.delta, 3e-5);
    near("gamma", r.gamma*o.spot, g.gamma*o.spot, 3e-4);
    near("theta", r.theta, g.theta, 3e-4*o.strike);
    near("vega", r.vega, g.vega, 1e-4*o.strike);
    near("rho", r.rho, g.rho, 3e-4*o.strike);
  }
}

static void american_is_the_tree(void **state) {
  (void)state;
  for (int k = 0; k < contract_count(); k++) {
    const perp_american *o = &contracts[k];
    const greeks g = tree_greeks(o);
    const perp_american_result r = all_of(o);
    near("price", r.price, g.price, 6e-6*o->strike);   // what the tree can do
    near("delta", r.delta, g.delta, 1e-4);
    near("gamma", r.gamma*o->spot, g.gamma*o->spot, 1e-2);
    near("theta", r.theta, g.theta, 1e-3*o->strike);
    near("vega", r.vega, g.vega, 1e-3*o->strike);
    near("rho", r.rho, g.rho, 3e-3*o->strike);
  }
}

// C(S, K, r, q) = P(K, S, q, r), and a call without dividends is not exercised early.
static void symmetry_and_merton(void **state) {
  (void)state;
  const perp_american call = {.kind = PERP_AMERICAN_CALL, .spot = 105, .strike = 90, .rate = .04,
                              .dividend = .07, .volatility = .25, .maturity = 1.5};
  const perp_american put = {.spot = 90, .strike = 105, .rate = .07, .dividend = .04,
                             .volatility = .25, .maturity = 1.5};
  near("symmetry", price(&call).price, price(&put).price, 1e-9);
  perp_american plain = call;
  plain.dividend = 0.0;
  const perp_american_result r = price_on(&plain, 800, 400);
  near("Merton", r.price, closed(&plain).price, 2e-5);
  for (int32_t i = 0; i < r.boundary_count; i++) assert_true(isnan(r.boundary_spot[i]));
  perp_american_result copy = r;
  perp_american_free(&copy);
}

static void bermudan(void **state) {
  (void)state;
  const double cases[][3] = {{36, .2, 4.478}, {36, .4, 7.101}, {40, .2, 2.314}};
  for (int k = 0; k < (is_brief() ? 1 : 3); k++) {
    double dates[50];
    for (int i = 0; i < 50; i++) dates[i] = (i + 1)/50.0;
    perp_american o = {.exercise = PERP_EXERCISE_BERMUDAN, .spot = cases[k][0], .strike = 40,
                       .rate = .06, .volatility = cases[k][1], .maturity = 1, .dates = dates,
                       .date_count = 50};
    const perp_american_result r = price(&o);
    near("50 dates", r.price, cases[k][2], 6e-4);
    o.exercise = PERP_EXERCISE_AMERICAN;
    const double american = price(&o).price;
    assert_true(american - r.price > 0.003 && american - r.price < 0.012);
    o.exercise = PERP_EXERCISE_BERMUDAN;   // maturity alone
    o.dates = dates + 49;
    o.date_count = 1;
    near("one date", price(&o).price, closed(&o).price, 1e-5);
    const double today = 0.0;
    o.dates = &today;
    o.spot = 20.0;
    near("today", price(&o).price, 20.0, 1e-12);
  }
}

// Two dates by hand: V(0) is the discounted mean of max(closed formula, payoff) over the lognormal
// S at the first date, by the trapezoidal rule.
static void two_dates_by_quadrature(void **state) {
  (void)state;
  for (int k = 0; k < contract_count(); k++) {
    perp_american o = contracts[k];
    const double first = 0.4*o.maturity, sign = o.kind == PERP_AMERICAN_CALL ? 1.0 : -1.0;
    const double dates[] = {first, o.maturity};
    o.exercise = PERP_EXERCISE_BERMUDAN;
    o.dates = dates;
    o.date_count = 2;
    perp_american rest = o;
    rest.maturity = o.maturity - first;
    double sum = 0.0;
    const double drift = (o.rate - o.dividend - 0.5*o.volatility*o.volatility)*first;
    const double h = 1e-3;
    for (int i = -9000; i <= 9000; i++) {
      const double g = i*h;
      rest.spot = o.spot*exp(drift + o.volatility*sqrt(first)*g);
      sum += h*density(g)*fmax(closed(&rest).price, sign*(rest.spot - o.strike));
    }
    near("two dates", price(&o).price, exp(-o.rate*first)*sum, 3e-6*o.strike);
  }
}

// ---- the boundary ----

static void boundary(void **state) {
  (void)state;
  for (int k = 0; k < contract_count(); k++) {
    const perp_american *o = &contracts[k];
    const int call = o->kind == PERP_AMERICAN_CALL;
    perp_american_result r = price_on(o, 800, 400);
    const double K = o->strike, limit = call ? fmax(K, o->rate*K/o->dividend)
                                             : o->dividend > 0 ? fmin(K, o->rate*K/o->dividend) : K;
    assert_int_equal(r.boundary_count, 400);
    near("boundary at maturity", r.boundary_spot[399], limit, 0.04*K);
    for (int i = 0; i < 400; i++) {
      assert_true(isnan(r.boundary_other[i]));
      assert_true(call ? r.boundary_spot[i] > limit - 0.02*K : r.boundary_spot[i] < limit + 0.02*K);
      if (i > 0) assert_true(r.boundary_time[i] > r.boundary_time[i - 1]);
      if (i > 0 && !call) assert_true(r.boundary_spot[i] > r.boundary_spot[i - 1] - 0.002*K);
    }
    // at the boundary the value is what exercise pays, a little inside the other side it is more
    perp_american at = *o;
    at.spot = r.boundary_spot[0]*(call ? 1.01 : 0.99);
    near("inside", price(&at).price, fabs(at.spot - K), 1e-12*K);
    at.spot = r.boundary_spot[0]*(call ? 0.97 : 1.03);
    assert_true(price(&at).price > fabs(at.spot - K) + 1e-5*K);
    perp_american_free(&r);
  }
}

// A long maturity is forever: gamma = 2 r/sigma^2, S* = K gamma/(1 + gamma) (McKean 1965).
static void perpetual(void **state) {
  (void)state;
  const perp_american o = {.spot = 100, .strike = 100, .rate = .05, .volatility = .2,
                           .maturity = 100};
  const double gamma = 2.5, star = 100*gamma/(1 + gamma);
  perp_american_result r = price_on(&o, 1600, 800);
  near("price", r.price, (100 - star)*pow(100/star, -gamma), 1.5e-3);
  near("boundary", r.boundary_spot[0], star, 0.02);
  perp_american_free(&r);
}

// q < r < 0: exercise between two boundaries (Battauz, De Donno, Sbuelz 2015); contact on both
// sides is what one pass cannot do.
static void two_boundaries(void **state) {
  (void)state;
  const perp_american o = {.spot = 100, .strike = 100, .rate = -.02, .dividend = -.06,
                           .volatility = .2, .maturity = 3};
  perp_american_result r = price_on(&o, 800, 400);
  near("price", r.price, extrapolated_tree(&o), 5e-4);
  near("lower at maturity", r.boundary_other[r.boundary_count - 1], 100/3.0, 1.0);
  assert_true(r.boundary_other[0] > 35 && r.boundary_other[0] < r.boundary_spot[0]);
  assert_true(r.factorizations > 100);   // policy iteration
  perp_american_free(&r);
}

// ---- limits ----

static void limits(void **state) {
  (void)state;
  const struct { perp_american o; double price, tol; } cases[] = {
      // S0 = 0, far in, far out
      {{.spot = 0, .strike = 100, .rate = .05, .volatility = .2, .maturity = 1}, 100, 0},
      {{.spot = 0, .strike = 100, .rate = -.05, .volatility = .2, .maturity = 1},
       100*1.0512710963760241, 1e-9},
      {{PERP_AMERICAN_CALL, 0, 0, 100, .05, 0, .2, 1, NULL, 0}, 0, 0},
      {{.spot = 1, .strike = 100, .rate = .05, .volatility = .2, .maturity = 1}, 99, 1e-12},
      {{.spot = 1e6, .strike = 100, .rate = .05, .volatility = .2, .maturity = 1}, 0, 1e-12},
      {{PERP_AMERICAN_CALL, 0, 1e6, 100, .05, 0, .2, 1, NULL, 0}, 1e6 - 95.122942450071400, 1e-8},
      // no time, next to none
      {{.spot = 90, .strike = 100, .rate = .05, .volatility = .2, .maturity = 0}, 10, 1e-13},
      {{.spot = 100, .strike = 100, .rate = .05, .volatility = .2, .maturity = 1e-8},
       100*.2*1e-4/2.5066282746, 1e-6},
      // no noise: the best moment of K e^-rt - S e^-qt
      {{.spot = 103, .strike = 100, .rate = .01, .dividend = .06, .maturity = 1},
       99.004983374916805 - 103*.94176453358424872, 1e-12},
      {{.spot = 98, .strike = 100, .rate = .05, .maturity = 1}, 2, 1e-13},
      // next to none of it, wherever the drift carries it
      {{.spot = 105, .strike = 100, .dividend = .05, .volatility = 1e-4, .maturity = 1},
       100 - 105*.95122942450071400, 1e-9},
      {{.spot = 95, .strike = 100, .rate = .05, .volatility = 1e-4, .maturity = 1}, 5, 1e-12},
      {{PERP_AMERICAN_CALL, 0, 100, 100, .05, 0, 1e-4, 1, NULL, 0}, 100 - 95.122942450071400, 1e-8},
      // r <= 0: a put is not exercised early
      {{.spot = 100, .strike = 100, .volatility = .2, .maturity = 1}, 7.965567455405804, 1e-5},
      // all noise
      {{PERP_AMERICAN_CALL, 0, 100, 100, .05, 0, 5, 10, NULL, 0}, 100, 1e-9},
  };
  for (size_t k = 0; k < sizeof cases/sizeof *cases; k++) {
    perp_american_result r = all_of(&cases[k].o);
    char name[16];
    snprintf(name, sizeof name, "case %d", (int)k);
    near(name, r.price, cases[k].price, cases[k].tol + 1e-15);
    const double all[] = {r.delta, r.gamma, r.theta, r.vega, r.rho, r.error};
    for (int i = 0; i < 6; i++) assert_true(isfinite(all[i]));
  }
}

// Where it is exercised today it is worth its payoff, whatever sigma and r are: also where a rate a
// little lower would make waiting better.
static void exercised_today(void **state) {
  (void)state;
  const perp_american cases[] = {
      {.spot = 20.297, .strike = 50, .rate = .038334, .dividend = .07731, .volatility = .057539,
       .maturity = .80591},
      {PERP_AMERICAN_CALL, 0, 50, 20.297, .07731, .038334, .057539, .80591, NULL, 0},
  };
  for (size_t k = 0; k < sizeof cases/sizeof *cases; k++) {
    perp_american_result r = all_of(&cases[k]);
    near("price", r.price, 29.703, 1e-12);
    near("vega", r.vega, 0, 0);
    near("rho", r.rho, 0, 0);
    near("theta", r.theta, 0, 0);
    near("gamma", r.gamma, 0, 0);
  }
}

// The estimate holds what it promises over random contracts: against a grid four times as fine.
static void honest_estimates(void **state) {
  (void)state;
  const uint64_t count = is_brief() ? 4 : 20;
  for (uint64_t k = 0; k < count; k++) {
    double u[6];
    for (uint64_t i = 0; i < 6; i++) u[i] = perp_random_uniform(k, i);
    const perp_american o = {.kind = k%2 ? PERP_AMERICAN_CALL : PERP_AMERICAN_PUT,
                             .spot = 70 + 60*u[0], .strike = 100, .rate = .12*u[1] - .02,
                             .dividend = .12*u[2] - .02, .volatility = .05 + .6*u[3]*u[3], .maturity = .1 + 3*u[4]};
    perp_american_result r = price_on(&o, 208, 112), fine = price_on(&o, 1200, 608);
    if (!(fabs(r.price - fine.price) <= r.error + fine.error + 1e-9))
      fail_msg("contract %d: %.8g +- %.1e, in truth %.8g", (int)k, r.price, r.error, fine.price);
    assert_true(r.error < 0.05);
    perp_american_free(&r);
    perp_american_free(&fine);
  }
}

// ---- methods and refusals ----

static void methods_agree(void **state) {
  (void)state;
  const perp_american o = {.spot = 100, .strike = 100, .rate = .05, .volatility = .2,
                           .maturity = 1};
  perp_american_settings s = perp_american_defaults();
  s.nodes = 96;
  s.steps = 48;
  s.estimate = s.sensitivities = 0;
  perp_american_result first, r;
  assert_int_equal(perp_american_price(&o, &s, &first), PERP_OK);
  const char *const names[] = {"psor", "pgs", "nncg", "lemke", "dantzig", "interior_point",
                               "active_set", "auto"};
  for (size_t k = 0; k < sizeof names/sizeof *names; k++) {
    const perp_method *m = perp_find_method(names[k]);
    if (m == NULL) continue;
    const perp_options steps = perp_default_options(m);
    s.options = &steps;
    assert_int_equal(perp_american_price(&o, &s, &r), PERP_OK);
    if (r.unsolved > 0) fail_msg("%s: %s", names[k], r.message);
    near(names[k], r.price, first.price, 1e-6);
    perp_american_free(&r);
  }
  perp_options hasty = perp_default_options(perp_find_method("psor"));
  hasty.iteration_limit = 1;
  s.options = &hasty;
  assert_int_equal(perp_american_price(&o, &s, &r), PERP_OK);
  assert_true(r.unsolved > 0 && r.unsolved <= r.solves && strstr(r.message, "limit") != NULL);
  perp_american_free(&r);
  perp_american_free(&first);
}

static int stop_at_once(void *context, int64_t done, int64_t total) {
  int *calls = context;
  assert_true(done >= 0 && total > done);
  return ++*calls >= 3;
}

static long alive, allowed;
static void *counted(void *context, size_t bytes) {
  (void)context;
  if (allowed-- <= 0) return NULL;
  alive++;
  return malloc(bytes);
}
static void uncounted(void *context, void *memory) {
  (void)context;
  alive -= memory != NULL;
  free(memory);
}

static void stops_and_refuses(void **state) {
  (void)state;
  perp_american o = {.spot = 100, .strike = 100, .rate = .05, .volatility = .2, .maturity = 1};
  perp_american_settings s = perp_american_defaults();
  perp_american_result r;
  int calls = 0;
  s.on_step = stop_at_once;
  s.context = &calls;
  assert_int_equal(perp_american_price(&o, &s, &r), PERP_OK);
  assert_true(r.stopped && isnan(r.price) && calls == 3 && r.curve_count == 0);
  perp_american_free(&r);
  s.on_step = NULL;

  const perp_allocator allocator = {counted, uncounted, NULL};
  s.allocator = &allocator;
  for (long k = 0; k < 8; k++) {
    allowed = k;
    const perp_error error = perp_american_price(&o, &s, &r);
    assert_true(error == PERP_ERROR_MEMORY || error == PERP_OK);
    assert_int_equal(alive, 0);
    if (error != PERP_OK) assert_true(r.message[0] != '\0');
    perp_american_free(&r);
  }
  s.allocator = NULL;

  const double late[] = {0.5, 2.0}, twice[] = {0.5, 0.5};
  const struct { perp_american o; const char *says; } wrong[] = {
      {{.spot = -1, .strike = 1, .maturity = 1}, "S0 = -1"},
      {{.spot = 1, .strike = 0, .maturity = 1}, "K = 0"},
      {{.spot = 1, .strike = 1, .volatility = -1, .maturity = 1}, "sigma = -1"},
      {{.spot = 1, .strike = 1, .maturity = -1}, "T = -1"},
      {{.spot = 1, .strike = 1, .maturity = NAN}, "T = "},
      {{.spot = INFINITY, .strike = 1, .maturity = 1}, "S0 = inf"},
      {{.spot = 1, .strike = 1, .rate = NAN, .maturity = 1}, "r = "},
      {{.spot = 1, .strike = 1, .rate = 60, .maturity = 1}, "r T = 60"},
      {{.spot = 1, .strike = 1, .volatility = 30, .maturity = 1}, "sigma sqrt(T) = 30"},
      {{.exercise = PERP_EXERCISE_BERMUDAN, .spot = 1, .strike = 1, .maturity = 1, .dates = late,
        .date_count = 2}, "date = 2"},
      {{.exercise = PERP_EXERCISE_BERMUDAN, .spot = 1, .strike = 1, .maturity = 1, .dates = twice,
        .date_count = 2}, "date = 0.5"},
  };
  for (size_t k = 0; k < sizeof wrong/sizeof *wrong; k++) {
    assert_int_equal(perp_american_price(&wrong[k].o, NULL, &r), PERP_ERROR_ARGUMENT);
    if (strstr(r.message, wrong[k].says) == NULL) fail_msg("%s: %s", wrong[k].says, r.message);
    assert_string_equal(perp_last_message(), r.message);
  }
  s.nodes = 15;
  assert_int_equal(perp_american_price(&o, &s, &r), PERP_ERROR_ARGUMENT);
  s = (perp_american_settings){.nodes = 16, .steps = 16};
  assert_int_equal(perp_american_price(&o, &s, &r), PERP_ERROR_ARGUMENT);
  assert_non_null(strstr(perp_last_message(), "settings.size"));
  assert_int_equal(perp_american_price(NULL, NULL, &r), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_american_price(&o, NULL, NULL), PERP_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nine_published_prices),
      cmocka_unit_test(european_is_the_closed_formula),
      cmocka_unit_test(american_is_the_tree),
      cmocka_unit_test(symmetry_and_merton),
      cmocka_unit_test(bermudan),
      cmocka_unit_test(two_dates_by_quadrature),
      cmocka_unit_test(boundary),
      cmocka_unit_test(perpetual),
      cmocka_unit_test(two_boundaries),
      cmocka_unit_test(limits),
      cmocka_unit_test(exercised_today),
      cmocka_unit_test(honest_estimates),
      cmocka_unit_test(methods_agree),
      cmocka_unit_test(stops_and_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
