// march.c: the put with strike 1 from maturity to today on one grid.
//
// With tau the time to maturity, z = ln S + mu tau, mu = r - q - sigma^2/2, and w = e^(r tau) V,
// Black and Scholes' equation is the heat equation: w_v = w_zz/2 in v = sigma^2 tau, and early
// exercise is w >= G(z, tau) = e^(r tau) max(0, 1 - e^(z - mu tau)). The grid moves with the drift,
// so no sigma is too small: central differences always give a symmetric M-matrix.
// On nodes z_i = width sinh(i step), finite volumes of length l_i = (z_(i+1) - z_(i-1))/2,
//     (D w)_i = (w_(i+1) - w_i)/h_(i+1) - (w_i - w_(i-1))/h_i,
// a step of size k in v is the problem, in x = w - G >= 0,
//     y = L x - k/2 theta D x + b,   b = L (G - w_old) - k/2 (theta D G + (1 - theta) D w_old).
// theta is 1/2 (Crank, Nicolson), except in four half steps with theta = 1 wherever the data have a
// kink (Rannacher 1984): at maturity, and at Bermudan dates. Towards maturity the steps are halved at
// tau = T/4, T/16, ..., because the boundary moves like sqrt(tau ln tau) there. Within a block of
// equal steps the matrix is the same, and so are the stamps.
// At both ends, seven standard deviations away, w is that of the option without noise.
#include "march.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "plain.h"
#include "refuse.h"

static const double MARGIN_DEVIATIONS = 7.0;   // standard deviations: exp(-24.5) = 2e-11 of the price
enum {
  STEP_BLOCKS_MAX = 5,        // blocks of equal steps
  STEPS_PER_CALL = 64         // steps from one call of on_step to the next
};

mesh mesh_for(const put *what, int32_t nodes) {
  const double noise = what->sigma*sqrt(what->T),
               drift = (what->r - what->q - 0.5*what->sigma*what->sigma)*what->T;
  const double below = fmax(-drift, 0.0) + MARGIN_DEVIATIONS*noise, above = fmax(drift, 0.0) + MARGIN_DEVIATIONS*noise;
  // dense around the strike, where all begins, unless the drift carries everything far away
  mesh m = {.width = 2.0*noise + fabs(drift)};
  const double left = asinh(below/m.width), right = asinh(above/m.width);
  const int32_t eighth = nodes/8;   // so that the coarser meshes have a node on the strike, too
  int32_t part = (int32_t)lround(eighth*left/(left + right));
  part = part < 1 ? 1 : part > eighth - 1 ? eighth - 1 : part;
  m.left = 8*part;
  m.right = 8*(eighth - part);
  m.step = fmax(left/m.left, right/m.right);
  return m;
}

mesh mesh_coarser(mesh fine, int32_t factor) {
  return (mesh){fine.width, factor*fine.step, fine.left/factor, fine.right/factor};
}

double certain_put(const put *what, double S, double tau) {
  const double r = what->r, q = what->q;
  double best = exp(-r*tau) - S*exp(-q*tau);
  if (what->exercise == PERP_EXERCISE_EUROPEAN) return fmax(best, 0.0);
  if (what->exercise == PERP_EXERCISE_BERMUDAN) {
    for (int32_t k = 0; k < what->date_count; k++) {
      const double t = what->dates[k] - (what->T - tau);
      if (t >= -1e-12*what->T) best = fmax(best, exp(-r*t) - S*exp(-q*t));
    }
    return fmax(best, 0.0);
  }
  best = fmax(best, 1.0 - S);
  const double ratio = q*S/r, t = ratio > 0.0 ? log(ratio)/(q - r) : -1.0;   // r e^-rt = q S e^-qt
  if (t > 0.0 && t < tau) best = fmax(best, exp(-r*t) - S*exp(-q*t));
  return fmax(best, 0.0);
}

typedef struct stepper {
  const put *what;
  const perp_american_settings *settings;
  tally *tally;
  int32_t n;                  // inner nodes 1 .. n of 0 .. n + 1
  double *z, *ez;             // n + 2: nodes, e^z
  double *over;               // n + 1: 1/h between nodes i and i + 1
  double *length;             // n + 2: l_i
  double *w, *G, *flow;       // n + 2: solution, obstacle with the new end values, D w
  double *x, *b, *lo;         // n
  double *value;              // 3 n: of A
  int32_t *colptr, *row;      // n + 1, 3 n
  perp_csc A;
  perp_problem problem;
  perp_solver *solver;
  double k, theta;            // of the matrix at present
  double v;                   // sigma^2 tau
  double tau;
  int32_t low, high;          // contact: inner nodes low .. high; low > high: none
  double y_low, y_high;       // its ends as ln(S/K)
} stepper;

static double mu(const put *p) { return p->r - p->q - 0.5*p->sigma*p->sigma; }

static size_t stepper_layout(stepper *s, char *block, int32_t n) {
  size_t used = 0;
  const size_t m = (size_t)n;
  double **const vectors[] = {&s->z, &s->ez, &s->over, &s->length, &s->w, &s->G, &s->flow,
                              &s->x, &s->b, &s->lo};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++) {
    *vectors[k] = block != NULL ? (double *)(void *)(block + used) : NULL;
    used += (m + 2)*sizeof(double);
  }
  s->value = block != NULL ? (double *)(void *)(block + used) : NULL;
  used += 3*m*sizeof(double);
  s->colptr = block != NULL ? (int32_t *)(void *)(block + used) : NULL;
  used += (m + 1)*sizeof(int32_t);
  s->row = block != NULL ? (int32_t *)(void *)(block + used) : NULL;
  return used + 3*m*sizeof(int32_t);
}

static void set_nodes(stepper *s, mesh m) {
  const int32_t n = s->n;
  for (int32_t i = 0; i <= n + 1; i++) {
    s->z[i] = m.width*sinh((i - m.left)*m.step);
    s->ez[i] = exp(s->z[i]);
  }
  for (int32_t i = 0; i <= n; i++) s->over[i] = 1.0/(s->z[i + 1] - s->z[i]);
  for (int32_t i = 1; i <= n; i++) s->length[i] = 0.5*(s->z[i + 1] - s->z[i - 1]);
  int32_t p = 0;
  for (int32_t j = 0; j < n; j++) {
    s->colptr[j] = p;
    for (int32_t i = j > 0 ? j - 1 : 0; i <= j + 1 && i < n; i++) s->row[p++] = i;
    s->lo[j] = -(double)INFINITY;
  }
  s->colptr[n] = p;
  s->A = (perp_csc){n, n, s->colptr, s->row, s->value};
}

// A = L - k/2 theta D
static void set_matrix(stepper *s, double k, double theta) {
  if (s->k == k && s->theta == theta) return;
  const double c = 0.5*k*theta;
  int32_t p = 0;
  for (int32_t j = 1; j <= s->n; j++) {
    if (j > 1) s->value[p++] = -c*s->over[j - 1];
    s->value[p++] = s->length[j] + c*(s->over[j - 1] + s->over[j]);
    if (j < s->n) s->value[p++] = -c*s->over[j];
  }
  s->k = k;
  s->theta = theta;
  s->problem.value_stamp++;
}

// G at tau; its ends are those of w
static void set_obstacle(stepper *s, double tau) {
  const put *p = s->what;
  const double grown = exp(p->r*tau), spot = exp(-mu(p)*tau);
  for (int32_t i = 1; i <= s->n; i++) {
    const double payoff = 1.0 - s->ez[i]*spot;
    s->G[i] = payoff > 0.0 ? grown*payoff : 0.0;
  }
  for (int32_t i = 0; i <= s->n + 1; i += s->n + 1)
    s->G[i] = grown*certain_put(p, s->ez[i]*spot, tau);
}

static void set_b(stepper *s) {
  const double implied = 0.5*s->k*s->theta, explicitly = 0.5*s->k*(1.0 - s->theta);
  const double *G = s->G, *w = s->w, *over = s->over, *length = s->length;
  double *b = s->b, *x = s->x;
  double G_flux = (G[1] - G[0])*over[0], w_flux = (w[1] - w[0])*over[0];
  for (int32_t i = 1; i <= s->n; i++) {
    const double G_next = (G[i + 1] - G[i])*over[i], w_next = (w[i + 1] - w[i])*over[i];
    const double above = w[i] - G[i];
    b[i - 1] = -length[i]*above - implied*(G_next - G_flux) - explicitly*(w_next - w_flux);
    x[i - 1] = above;   // the guess
    G_flux = G_next;
    w_flux = w_next;
  }
}

static int told_to_stop(stepper *s) {
  tally *t = s->tally;
  if (t->done++%STEPS_PER_CALL != 0 || s->settings->on_step == NULL) return 0;
  t->stopped |= s->settings->on_step(s->settings->context, t->done - 1, t->total) != 0;
  return t->stopped;
}

// One step of size k in v, to tau. `bounded`: x >= 0, else free.
static perp_error step(stepper *s, double k, double theta, double tau, int bounded) {
  tally *t = s->tally;
  if (told_to_stop(s)) return PERP_OK;
  set_matrix(s, k, theta);
  set_obstacle(s, tau);
  set_b(s);
  s->problem.lo = bounded ? NULL : s->lo;
  perp_result result;
  const perp_error error = perp_solve(s->solver, &s->problem, s->x, &result);
  if (error != PERP_OK) return error;
  t->solves++;
  t->iterations += result.iterations;
  t->factorizations += result.factorizations;
  t->residual = fmax(t->residual, result.certificate.residual);
  if (result.status != PERP_STATUS_SOLVED && t->unsolved++ == 0)
    plain_print(t->message, sizeof t->message, "%.6g years to maturity, %d nodes: %.180s", tau,
                (int)s->n, result.message);
  for (int32_t i = 0; i < s->n; i++) s->w[i + 1] = s->G[i + 1] + s->x[i];
  s->w[0] = s->G[0];
  s->w[s->n + 1] = s->G[s->n + 1];
  s->tau = tau;
  return PERP_OK;
}

// Where x leaves 0 like a parabola (smooth fit), near node `at`, the last one where it is 0 in the
// direction `way`. With x_1, x_2 behind it on a grid of width h, and f h^2 = x_2 - 2 x_1,
//     x_j = f h^2 (j^2 - (1 - 2 x_1/(f h^2)) j)/2,
// the parabola f (z - z_0)^2/2 up to a constant of size h^2, with z_0 = h (1/2 - x_1/(f h^2)).
static double edge(const stepper *s, int32_t at, int32_t way) {
  const int32_t one = at + way, two = at + 2*way;
  if (one < 1 || one > s->n || two < 1 || two > s->n) return s->z[at];
  const double h = s->z[one] - s->z[at];
  if (s->what->exercise == PERP_EXERCISE_BERMUDAN) {   // no smooth fit: a straight line
    const double rise = s->x[two - 1] - s->x[one - 1];
    return rise > 0.0 ? s->z[one] - h*fmin(s->x[one - 1]/rise, 1.0) : s->z[one];
  }
  const double bend = s->x[two - 1] - 2.0*s->x[one - 1];
  const double share = bend > 0.0 ? 0.5 - s->x[one - 1]/bend : -0.5;
  return s->z[at] + h*fmax(share, -0.5);
}

// The exercise region: payoff > 0 and x = 0, and waiting costs more than it earns, r K > q S: where
// it does not, x is only too small for its digits. It is one interval, mostly up to the left end.
static void find_contact(stepper *s) {
  const put *p = s->what;
  const double shift = mu(p)*s->tau, spot = exp(-shift);
  s->low = 1;
  s->high = 0;
  for (int32_t i = 1; i <= s->n; i++) {
    if (!(s->G[i] > 0.0) || s->w[i] > s->G[i] || !(p->r > p->q*s->ez[i]*spot)) continue;
    if (s->high == 0) s->low = i;
    s->high = i;
  }
  s->y_low = s->y_high = (double)NAN;
  if (s->high == 0) return;
  s->y_high = edge(s, s->high, 1) - shift;
  if (s->low > 1) s->y_low = edge(s, s->low, -1) - shift;
}

static void keep_boundary(const stepper *s, course *c) {
  c->time[c->boundaries] = s->tau;
  c->upper[c->boundaries] = s->y_high;
  c->lower[c->boundaries++] = s->y_low;
}

// ---- today ----

// The polynomial through `count` nodes from `first` on, with its first two derivatives, at z.
static void interpolate(const stepper *s, int32_t first, int32_t count, double z, double *f) {
  double table[3][6];   // Neville's scheme for the value and two derivatives
  for (int32_t i = 0; i < count; i++) {
    table[0][i] = s->w[first + i];
    table[1][i] = table[2][i] = 0.0;
  }
  for (int32_t level = 1; level < count; level++)
    for (int32_t i = 0; i + level < count; i++) {
      const double left = s->z[first + i], right = s->z[first + i + level], h = right - left;
      for (int d = 2; d >= 0; d--) {
        const double slope = d > 0 ? d*(table[d - 1][i + 1] - table[d - 1][i]) : 0.0;
        table[d][i] = ((z - left)*table[d][i + 1] + (right - z)*table[d][i] + slope)/h;
      }
    }
  for (int d = 0; d < 3; d++) f[d] = table[d][0];
}

static int in_contact(const stepper *s, double y) {
  return s->high >= s->low && y <= s->y_high && !(y < s->y_low);
}

static void read_today(stepper *s, int exercisable, course *c) {
  const put *p = s->what;
  const double shrunk = exp(-p->r*p->T), z = p->y + mu(p)*p->T;
  if (exercisable && in_contact(s, p->y)) {
    const double S = exp(p->y);
    c->u = 1.0 - S;
    c->slope = c->bend = -S;
    c->exercised = 1;
    return;
  }
  int32_t at = 0;   // z is between nodes at and at + 1
  for (int32_t low = 0, high = s->n + 1; low < high;) {
    const int32_t middle = (low + high + 1)/2;
    if (s->z[middle] <= z) low = middle;
    else high = middle - 1;
    at = low;
  }
  int32_t first = at - 1, count = 4;
  // not across an edge of the contact, where the second derivative jumps
  const int32_t most = s->n + 1, least = 0;
  int32_t begin = least, end = most;
  if (s->high >= s->low) {
    if (at >= s->high) begin = s->high;
    else if (at < s->low) end = s->low;
  }
  if (end - begin + 1 < count) {
    begin = least;
    end = most;
  }
  if (first < begin) first = begin;
  if (first + count - 1 > end) first = end - count + 1;
  double f[3];
  interpolate(s, first, count, z, f);
  c->u = shrunk*f[0];
  c->slope = shrunk*f[1];
  c->bend = shrunk*f[2];
  c->exercised = 0;
}

// ---- the march ----

// Steps of a stretch of time, in blocks of equal size that shrink by 2 towards its later end.
typedef struct block { double size; int32_t count; } block;

static int32_t blocks_of(double length, int32_t steps, int graded, block *blocks) {
  int32_t left = steps, count = 0;
  double part = length;
  // the last one taken is the first in tau
  while (graded && count + 1 < STEP_BLOCKS_MAX && left%2 == 0 && left >= 8) {
    blocks[count++] = (block){0.75*part/(left/2), left/2};
    part *= 0.25;
    left /= 2;
  }
  blocks[count++] = (block){part/left, left};
  return count;
}

static int32_t segment_steps(const put *p, double length, int32_t steps) {
  const double share = ceil(steps*length/p->T - 1e-9);
  return share < 4.0 ? 4 : (int32_t)share;
}

// From tau to tau + length: `steps` steps of which the first two become four half steps.
static perp_error stretch(stepper *s, double length, int32_t steps, int graded, int bounded,
                          course *c) {
  const double rate = s->what->sigma*s->what->sigma, begin = s->tau;
  block blocks[STEP_BLOCKS_MAX];
  double passed = 0.0;
  int32_t taken = 0;
  for (int32_t j = blocks_of(length, steps, graded, blocks) - 1; j >= 0; j--) {
    const block *b = &blocks[j];
    for (int32_t i = 0; i < b->count; i++, taken++) {
      const int halves = taken < 2 ? 2 : 1;
      for (int h = 1; h <= halves; h++) {
        const double tau = begin + passed + (i + h/(double)halves)*b->size;
        const perp_error error = step(s, rate*b->size/halves, halves == 2 ? 1.0 : 0.5,
                                      tau, bounded);
        if (error != PERP_OK || s->tally->stopped) return error;
      }
      if (bounded && c->time != NULL) {
        find_contact(s);
        keep_boundary(s, c);
      }
    }
    passed += b->count*b->size;
  }
  s->tau = begin + length;
  return PERP_OK;
}

static void exercise_now(stepper *s, course *c) {   // at a Bermudan date
  set_obstacle(s, s->tau);
  for (int32_t i = 1; i <= s->n; i++) {
    s->w[i] = fmax(s->w[i], s->G[i]);
    s->x[i - 1] = s->w[i] - s->G[i];
  }
  s->w[0] = fmax(s->w[0], s->G[0]);
  if (c->time == NULL) return;
  find_contact(s);
  keep_boundary(s, c);
}

static perp_error bermudan(stepper *s, int32_t steps, course *c) {
  const put *p = s->what;
  for (int32_t k = p->date_count - 1; k >= -1; k--) {
    const double until = k >= 0 ? p->T - p->dates[k] : p->T, length = until - s->tau;
    if (length > 0.0) {
      const perp_error error = stretch(s, length, segment_steps(p, length, steps), 0, 0, c);
      if (error != PERP_OK || s->tally->stopped) return error;
    }
    if (k >= 0 && s->tau > 0.0) exercise_now(s, c);
  }
  return PERP_OK;
}

int64_t march_steps(const put *p, int32_t steps) {
  if (p->exercise != PERP_EXERCISE_BERMUDAN) return (int64_t)steps + 2;
  int64_t sum = 0;
  double tau = 0.0;
  for (int32_t k = p->date_count - 1; k >= -1; k--) {
    const double until = k >= 0 ? p->T - p->dates[k] : p->T;
    if (until > tau) sum += segment_steps(p, until - tau, steps) + 2;
    tau = fmax(tau, until);
  }
  return sum;
}

static perp_error create_solver(stepper *s) {
  const perp_american_settings *settings = s->settings;
  perp_options options = settings->options != NULL
                             ? *settings->options
                             : perp_default_options(perp_find_method("tridiagonal"));
  options.presolve = options.split = 0;   // there is nothing to find, step by step
  const uint32_t claims = PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD | PERP_CLAIM_PD | PERP_CLAIM_Z |
                          PERP_CLAIM_H;
  s->problem = (perp_problem){.A = perp_from_csc(&s->A, claims), .b = s->b, .pattern_stamp = 1};
  const perp_limits limits = perp_limits_of(&s->problem);
  return perp_solver_create(options.method, &limits, &options, settings->allocator, &s->solver);
}

static perp_error keep_curves(const stepper *s, int64_t steps, int keep, course *c) {
  *c = (course){.count = s->n + 2};
  if (!keep) return PERP_OK;
  const size_t nodes = (size_t)s->n + 2, most = (size_t)steps + 2;
  const perp_allocator from = buffer_allocator(s->settings->allocator);
  double *memory = from.allocate(from.context, (2*nodes + 3*most)*sizeof *memory);
  if (memory == NULL) return PERP_ERROR_MEMORY;
  c->block = c->y_of = memory;
  c->value = memory + nodes;
  c->time = memory + 2*nodes;
  c->upper = c->time + most;
  c->lower = c->upper + most;
  return PERP_OK;
}

static void copy_curve(const stepper *s, course *c) {
  const put *p = s->what;
  const double shrunk = exp(-p->r*p->T), shift = mu(p)*p->T;
  for (int32_t i = 0; i < c->count; i++) {
    c->y_of[i] = s->z[i] - shift;
    c->value[i] = shrunk*s->w[i];
  }
}

perp_error march(const put *what, mesh m, int32_t steps, const perp_american_settings *settings,
                 int keep, tally *t, course *c) {
  stepper s = {.what = what, .settings = settings, .tally = t, .n = m.left + m.right - 1,
               .low = 1};
  const int64_t solves = march_steps(what, steps);
  const perp_allocator from = buffer_allocator(settings->allocator);
  char *memory = from.allocate(from.context, stepper_layout(&s, NULL, s.n));
  perp_error error = memory != NULL ? keep_curves(&s, solves, keep, c) : PERP_ERROR_MEMORY;
  if (error == PERP_OK) {
    stepper_layout(&s, memory, s.n);
    set_nodes(&s, m);
    error = create_solver(&s);
  } else {
    refuse(error, "no memory for %d nodes and %d steps", (int)s.n, (int)steps);
  }
  if (error == PERP_OK) {
    set_obstacle(&s, 0.0);
    memcpy(s.w, s.G, ((size_t)s.n + 2)*sizeof *s.w);
    const int bounded = what->exercise == PERP_EXERCISE_AMERICAN;
    error = what->exercise == PERP_EXERCISE_BERMUDAN
                ? bermudan(&s, steps, c) : stretch(&s, what->T, steps, 1, bounded, c);
  }
  if (error == PERP_OK && !t->stopped) {
    const int today = what->exercise == PERP_EXERCISE_BERMUDAN && what->date_count > 0 &&
                      what->dates[0] == 0.0;
    const int exercisable = what->exercise == PERP_EXERCISE_AMERICAN || today;
    if (exercisable) find_contact(&s);
    else s.high = s.low - 1;
    read_today(&s, exercisable, c);
    if (keep) copy_curve(&s, c);
  }
  perp_solver_destroy(s.solver);
  buffer_release(&from, memory);
  return error;
}
