// american.c: perp_american_price. A call is priced as a put. Prices come from two grids,
// sensitivities from differences.
//
// A call is a put with the roles exchanged (McDonald, Schroder 1998; Carr, Chesney 1996):
//     C(S, K, r, q) = P(K, S, q, r),
// so V = S u(ln(K/S)), where u is the put of strike 1, which is bounded whatever sigma is.
//
// The error of the grid is c h^2 + ... If P_4h confirms this order, the price is
// P_h + (P_h - P_2h)/3, and the size of that correction is the error estimate, which is usually far
// too large. Otherwise, as with noise that no grid resolves, the price is P_h. The estimate is then
// the sum of all further differences, if they keep shrinking at the observed rate.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "march.h"
#include "plain.h"
#include "refuse.h"

enum { INTERVALS_MIN = 16, INTERVALS_MAX = 10000000 };   // of the grid, and time steps

perp_american_settings perp_american_defaults(void) {
  return (perp_american_settings){.size = sizeof(perp_american_settings), .nodes = 800,
                                  .steps = 400, .estimate = 1, .sensitivities = 1};
}

static perp_error check_dates(const perp_american *o) {
  if (o->exercise != PERP_EXERCISE_BERMUDAN) return PERP_OK;
  if (o->date_count > 0 && o->dates == NULL) return refuse(PERP_ERROR_ARGUMENT, "dates is NULL");
  const range count = {"date_count", o->date_count, 0, INTERVALS_MAX/100, "[0, 100000]"};
  perp_error error = check_ranges(&count, 1);
  for (int32_t k = 0; k < o->date_count && error == PERP_OK; k++) {
    error = check_ranges(&(range){"date", o->dates[k], 0.0, o->maturity, "[0, T]"}, 1);
    if (error == PERP_OK && k > 0 && !(o->dates[k] > o->dates[k - 1]))
      error = refuse_value("date", o->dates[k], "the times after the date before it");
  }
  return error;
}

static perp_error check(const perp_american *o, const perp_american_settings *s) {
  const double T = o->maturity;
  const range all[] = {
    {"kind", o->kind, PERP_AMERICAN_PUT, PERP_AMERICAN_CALL, "{put, call}"},
    {"exercise", o->exercise, 0, 2, "{0, 1, 2}"},
    {"S0", o->spot, 0.0, 1e100, "[0, 1e100]"},
    {"K", o->strike, 1e-100, 1e100, "[1e-100, 1e100]"},
    {"T", T, 0.0, 1e4, "[0, 10000]"},
    {"sigma", o->volatility, 0.0, 1e4, "[0, 10000]"},
    {"sigma sqrt(T)", o->volatility*sqrt(fmax(T, 0.0)), 0.0, 20.0, "[0, 20]"},
    {"r", o->rate, -1e4, 1e4, "[-10000, 10000]"},
    {"q", o->dividend, -1e4, 1e4, "[-10000, 10000]"},
    {"r T", o->rate*T, -50.0, 50.0, "[-50, 50]"},
    {"q T", o->dividend*T, -50.0, 50.0, "[-50, 50]"},
    {"nodes", s->nodes, INTERVALS_MIN, INTERVALS_MAX, "[16, 10000000]"},
    {"steps", s->steps, INTERVALS_MIN, INTERVALS_MAX, "[16, 10000000]"}};
  const perp_error error = check_ranges(all, sizeof all/sizeof *all);
  return error == PERP_OK ? check_dates(o) : error;
}

static put put_of(const perp_american *o) {
  const int call = o->kind == PERP_AMERICAN_CALL;
  const double y = log(o->spot/o->strike);
  return (put){.y = call ? -y : y, .r = call ? o->dividend : o->rate,
               .q = call ? o->rate : o->dividend, .sigma = o->volatility, .T = o->maturity,
               .exercise = o->exercise, .dates = o->dates, .date_count = o->date_count};
}

// ---- without noise ----

// V/K, or V/S of a call, where there is no noise or where it does not reach: the ends of the grid
// and beyond. Its derivatives by differences in y: it is a maximum of exponentials.
static void certain(const put *p, course *c) {
  if (p->y == -(double)INFINITY) {   // S = 0
    c->u = certain_put(p, 0.0, p->T);
    c->exercised = p->exercise == PERP_EXERCISE_AMERICAN && c->u == 1.0;
    return;
  }
  const double h = 1e-4, S = exp(p->y);
  if (!(S < (double)INFINITY)) return;   // u = 0
  const double u = certain_put(p, S, p->T), up = certain_put(p, S*exp(h), p->T),
               down = certain_put(p, S*exp(-h), p->T);
  c->u = u;
  c->slope = (up - down)/(2.0*h);
  c->bend = (up - 2.0*u + down)/(h*h);
  c->exercised = p->exercise == PERP_EXERCISE_AMERICAN && u == 1.0 - S;
}

static int has_grid(const put *p) {
  return p->T > 0.0 && p->sigma > 0.0 && p->sigma*sqrt(p->T) > 1e-10;
}

static int on_grid(const put *p, mesh m) {
  const double z = p->y + (p->r - p->q - 0.5*p->sigma*p->sigma)*p->T;
  return z >= m.width*sinh(-m.left*m.step) && z <= m.width*sinh(m.right*m.step);
}

// ---- prices ----

static double scale_of(const perp_american *o) {
  return o->kind == PERP_AMERICAN_CALL ? o->spot : o->strike;
}

// With K's part of the call at S = 0: u of a call is 0 there
static double price_of(const perp_american *o, const course *c) { return scale_of(o)*c->u; }

static int32_t coarser_by(int32_t nodes) { return nodes < 3200 ? 4 : 8; }

static double price_on(const perp_american *o, int32_t nodes, int32_t coarser, int32_t steps,
                       const perp_american_settings *s, tally *t, perp_error *error) {
  const put p = put_of(o);
  const mesh m = mesh_coarser(mesh_for(&p, nodes), coarser);
  course c = {0};
  if (!has_grid(&p) || !on_grid(&p, m)) certain(&p, &c);
  else if (*error == PERP_OK && !t->stopped) *error = march(&p, m, steps, s, 0, t, &c);
  return price_of(o, &c);
}

// dV/dparameter by central differences of fourth order on a coarser grid. The nodes do not follow
// the exercise boundary, so a price is smooth in its parameters only up to a part of the grid's
// error: wide steps, which divide it by more, need the higher order.
static double difference(const perp_american *moved, double *parameter, double h,
                         const perp_american_result *r, const perp_american_settings *s, tally *t,
                         perp_error *error) {
  const double value = *parameter, weight[] = {1.0, -8.0, 8.0, -1.0}, at[] = {-2, -1, 1, 2};
  const int32_t factor = coarser_by(r->nodes);
  double sum = 0.0;
  for (int k = 0; k < 4; k++) {
    *parameter = value + at[k]*h;
    sum += weight[k]*price_on(moved, r->nodes, factor, r->steps/factor, s, t, error);
  }
  *parameter = value;
  return sum/(12.0*h);
}

static void greeks(const perp_american *o, const course *c, perp_american_result *r) {
  const double S = o->spot, K = o->strike, sigma = o->volatility;
  if (o->kind == PERP_AMERICAN_CALL) {   // V = S u(-ln(S/K))
    r->delta = c->u - c->slope;
    r->gamma = S > 0.0 ? (c->bend - c->slope)/S : 0.0;
  } else if (S > 0.0) {                // V = K u(ln(S/K))
    r->delta = K*c->slope/S;
    r->gamma = K*(c->bend - c->slope)/(S*S);
  } else {                             // u = u(0) + u'(S) S/K
    put p = put_of(o);
    r->delta = (certain_put(&p, 1e-9, p.T) - certain_put(&p, 0.0, p.T))/1e-9;
    r->gamma = 0.0;
  }
  if (c->exercised) r->gamma = 0.0;
  r->theta = c->exercised ? 0.0
                          : o->rate*r->fine - (o->rate - o->dividend)*S*r->delta -
                                0.5*sigma*sigma*S*S*r->gamma;
}

static perp_error fill_curves(const perp_american *o, const course *c, perp_american_result *r) {
  const int call = o->kind == PERP_AMERICAN_CALL;
  const size_t n = (size_t)c->count, m = (size_t)c->boundaries;
  if (c->block == NULL) return PERP_OK;
  double *memory = malloc((3*n + 3*m + 1)*sizeof *memory);
  if (memory == NULL) return refuse(PERP_ERROR_MEMORY, "no memory for curves of %zu points", n);
  r->curve_spot = memory;
  r->curve_value = memory + n;
  r->curve_payoff = memory + 2*n;
  r->boundary_time = memory + 3*n;
  r->boundary_spot = r->boundary_time + m;
  r->boundary_other = r->boundary_spot + m;
  r->curve_count = c->count;
  r->boundary_count = c->boundaries;
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t k = call ? c->count - 1 - i : i;   // ascending in S
    const double S = o->strike*exp(call ? -c->y_of[k] : c->y_of[k]);
    r->curve_spot[i] = S;
    r->curve_value[i] = (call ? S : o->strike)*c->value[k];
    r->curve_payoff[i] = fmax(call ? S - o->strike : o->strike - S, 0.0);
  }
  for (int32_t i = 0; i < c->boundaries; i++) {
    const int32_t k = c->boundaries - 1 - i;   // from now on
    r->boundary_time[i] = fmax(o->maturity - c->time[k], 0.0);
    r->boundary_spot[i] = o->strike*exp(call ? -c->upper[k] : c->upper[k]);
    r->boundary_other[i] = o->strike*exp(call ? -c->lower[k] : c->lower[k]);
  }
  return PERP_OK;
}

// vega and rho
static perp_error sensitivities(const perp_american *o, const perp_american_settings *s, tally *t,
                                perp_american_result *r) {
  perp_american moved = *o;
  perp_error error = PERP_OK;
  const double T = o->maturity;
  r->vega = r->rho = 0.0;
  if (!(T > 0.0)) return PERP_OK;
  if (o->volatility > 0.0)
    r->vega = difference(&moved, &moved.volatility, 0.05*o->volatility, r, s, t, &error);
  // not across r = 0, from where on a put is exercised early
  const double h = fmin(fmax(0.2*fabs(o->rate), 1e-3), 0.01);
  r->rho = difference(&moved, &moved.rate, fmin(h, 0.1/T), r, s, t, &error);
  return error;
}

static void extrapolate(double coarsest, perp_american_result *r) {
  const double last = r->fine - r->coarse, before = r->coarse - coarsest;
  const double ratio = last != 0.0 ? before/last : 4.0;   // 4: second order
  if (ratio > 2.5 && ratio < 10.0) {
    r->price = r->fine + last/3.0;
    r->error = fabs(last)/3.0;
  } else {
    const double fall = fabs(ratio) > 1.2 ? fabs(ratio) - 1.0 : 0.2;
    r->error = fabs(last)*fmax(1.0, 1.0/fall);
  }
}

static perp_error price_all(const perp_american *o, const perp_american_settings *s, tally *t,
                            perp_american_result *r) {
  const put p = put_of(o);
  const mesh m = has_grid(&p) ? mesh_for(&p, r->nodes) : (mesh){0};
  const int gridded = has_grid(&p) && p.y > -(double)INFINITY && p.y < (double)INFINITY;
  perp_error error = PERP_OK;
  course c = {0};
  if (gridded) {
    t->total = march_steps(&p, r->steps) + 
               (s->estimate ? march_steps(&p, r->steps/2) + march_steps(&p, r->steps/4) : 0) +
               (s->sensitivities ? 8*march_steps(&p, r->steps/coarser_by(r->nodes)) : 0);
    error = march(&p, m, r->steps, s, 1, t, &c);
    if (error == PERP_OK && !t->stopped) error = fill_curves(o, &c, r);
    const perp_allocator from = buffer_allocator(s->allocator);
    buffer_release(&from, c.block);
    if (error != PERP_OK || t->stopped) return error;
  }
  const int noisy = gridded && on_grid(&p, m);
  if (!noisy) certain(&p, &c);
  r->price = r->fine = price_of(o, &c);
  greeks(o, &c, r);
  if (s->estimate && noisy && !c.exercised) {
    r->coarse = price_on(o, r->nodes, 2, r->steps/2, s, t, &error);
    extrapolate(price_on(o, r->nodes, 4, r->steps/4, s, t, &error), r);
  } else if (s->estimate) {
    r->coarse = r->fine;
    r->error = 0.0;
  }
  if (s->sensitivities && c.exercised) r->vega = r->rho = 0.0;   // the payoff knows neither
  else if (error == PERP_OK && s->sensitivities && !t->stopped) error = sensitivities(o, s, t, r);
  return error;
}

static perp_error price(const perp_american *option, const perp_american_settings *s,
                        perp_american_result *result) {
  result->nodes = (s->nodes + 15)/16*16;   // an eighth or a quarter of it is even
  result->steps = (s->steps + 15)/16*16;
  if (option->exercise == PERP_EXERCISE_BERMUDAN) {   // a quarter of it: four steps a date
    const int32_t least = 16*(option->date_count + 1);
    if (result->steps < least) result->steps = least;
  }
  tally t = {0};
  const perp_error error = price_all(option, s, &t, result);
  result->solves = t.solves;
  result->unsolved = t.unsolved;
  result->iterations = t.iterations;
  result->factorizations = t.factorizations;
  result->residual = t.residual;
  result->stopped = t.stopped;
  memcpy(result->message, t.message, sizeof result->message);
  return error;
}

perp_error perp_american_price(const perp_american *option, const perp_american_settings *settings,
                               perp_american_result *result) {
  if (result == NULL) return refuse(PERP_ERROR_ARGUMENT, "result is NULL");
  *result = (perp_american_result){.price = (double)NAN, .error = (double)NAN, .vega = (double)NAN,
                                   .rho = (double)NAN};
  const perp_american_settings defaults = perp_american_defaults();
  const perp_american_settings *s = settings != NULL ? settings : &defaults;
  perp_error error = option != NULL ? PERP_OK : refuse(PERP_ERROR_ARGUMENT, "option is NULL");
  if (error == PERP_OK)
    error = check_size("settings", s->size, sizeof *s, "perp_american_defaults()");
  if (error == PERP_OK) error = check(option, s);
  if (error == PERP_OK) error = price(option, s, result);
  if (error == PERP_OK) return PERP_OK;
  perp_american_free(result);
  plain_print(result->message, sizeof result->message, "%.250s", perp_last_message());
  return error;
}

void perp_american_free(perp_american_result *result) {
  if (result == NULL) return;
  free(result->curve_spot);   // the others are parts of it
  result->curve_spot = result->curve_value = result->curve_payoff = NULL;
  result->boundary_time = result->boundary_spot = result->boundary_other = NULL;
  result->curve_count = result->boundary_count = 0;
}

double perp_american_european(const perp_american *o) {
  if (o == NULL) return (double)NAN;
  const int call = o->kind == PERP_AMERICAN_CALL;
  const double T = o->maturity, noise = o->volatility*sqrt(T), sign = call ? 1.0 : -1.0;
  const double asset = o->spot*exp(-o->dividend*T), cash = o->strike*exp(-o->rate*T);
  if (!(noise > 0.0) || !(asset > 0.0)) return fmax(sign*(asset - cash), 0.0);
  const double d1 = log(asset/cash)/noise + 0.5*noise, d2 = d1 - noise;
  const double N1 = 0.5*erfc(-sign*d1/sqrt(2.0)), N2 = 0.5*erfc(-sign*d2/sqrt(2.0));
  return sign*(asset*N1 - cash*N2);
}
