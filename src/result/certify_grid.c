// certify_grid.c: the certificate of a grid of cells, in 30 bytes a cell and two passes over it.
//
// The rule is that of certify.h. What the structure of A tells need not be found or stored:
//
// - A is symmetric and positive semidefinite, because its weights are not negative, which has been
//   validated. So |A_ij| <= sqrt(A_ii A_jj), R_i = C_i = 1/sqrt(A_ii) has all maxima at 1, and no
//   other symmetric scaling has (equilibrate.c has the two lines of proof): the scalings that begin
//   at the caller's units and at the fit are both this one, up to the factor within which sweeps
//   stop. As a power of two it is an exponent, and entries of R A C are at most 2.
// - Rows and columns of a component share its unit: cells tie their row to their column by A_ii > 0.
// - Components are those of liquid cells and weights other than 0. Cells that no liquid cell is tied
//   to stand alone: solid cells, air, droplets of one cell. Their G, S and unit follow from their
//   own b, bounds and A_ii whenever somebody asks, in a few operations. Liquid cells without any
//   open face have an empty row.
//
// y and a = |A||x| + |b| are computed for some cells of a line at a time, compensated, by the
// operator's own loops, and judged on the spot. Where x_ref = 0, y = b and a = |b| there.
//
// Lines are dealt out in chunks whose number does not depend on that of the threads.
#include "certify_grid.h"

#include "certify_blocks.h"
#include "certify_row.h"
#include "exact.h"
#include "grid.h"

enum { CHUNKS = 64, ALONE = -1, EMPTY = -2 };   // in c->component, instead of a number

void grid_judge_layout(certifier *c, arena *memory, int32_t n) {
  const size_t m = (size_t)n;
  c->x = ARENA_ARRAY(memory, double, m);
  c->y = ARENA_ARRAY(memory, double, m);
  c->component = ARENA_ARRAY(memory, int32_t, m);
  c->exponent = ARENA_ARRAY(memory, int16_t, m);
  c->parts_of_grid = ARENA_ARRAY(memory, grid_part, m/2 + 1);   // of two cells at least
}

// ---- chunks of lines

typedef struct chunk {        // cells from .. to-1, whole lines; p: where `from` is
  int32_t from, to;
  grid_place p;
} chunk;

static chunk chunk_of(const perp_grid *g, int32_t index) {
  const int64_t lines = (int64_t)g->cells[1]*g->cells[2];
  const int32_t first = (int32_t)(lines*index/CHUNKS), last = (int32_t)(lines*(index + 1)/CHUNKS);
  return (chunk){first*g->cells[0], last*g->cells[0],
                 {{0, first % g->cells[1], first/g->cells[1]}}};
}

// ---- what depends on A alone

static inline double two_to(int e) {   // 2^e, normal
  const uint64_t bits = (uint64_t)(e + 1023) << 52;
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

// 2^exponent is the power of two nearest to 1/sqrt(d) in the logarithm: with E = floor(log2 d),
// -E/2 or, where E is odd, -(E + 1)/2. Exponents are kept within what can be squared.
static inline int16_t scale_exponent(double d) {
  enum { LARGEST = 500 };
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  const int E = (int)(bits >> 52) - 1023, e = -((E + 1025)/2 - 512);   // E + 1025 > 0: rounds down
  return (int16_t)(e > LARGEST ? LARGEST : e < -LARGEST ? -LARGEST : e);
}

static void find_exponents(void *data, int32_t index) {
  certifier *c = data;
  chunk k = chunk_of(c->grid, index);
  double d[GRID_STRETCH];
  while (k.from < k.to) {
    const int32_t count = grid_diagonal_from(c->grid, k.p, d);
    for (int32_t q = 0; q < count; q++)
      c->exponent[k.from + q] = d[q] > 0.0 ? scale_exponent(d[q]) : INT16_MAX;   // an empty row
    grid_advance(c->grid, &k.p, count);
    k.from += count;
  }
}

static int32_t root_of(int32_t *parent, int32_t h) {
  while (parent[h] != h) {
    parent[h] = parent[parent[h]];   // path halving
    h = parent[h];
  }
  return h;
}

// Is there an entry between liquid cell h and the liquid cell below it along d?
static inline int tied(const perp_grid *g, grid_place p, int32_t h, int d, double scale) {
  if (p.at[d] == 0 || g->type[h - grid_stride(g, d)] != PERP_CELL_LIQUID) return 0;
  return g->face[d] == NULL || g->face[d][grid_face(g, p, d)]*scale != 0.0;
}

// Union-find over the runs of tied cells in each line: the first cell of a run stands for it.
static void join_runs(const perp_grid *g, int32_t *parent) {
  const double scale[3] = {grid_scale(g, 0), grid_scale(g, 1), grid_scale(g, 2)};
  int32_t h = 0;
  for (int32_t k = 0; k < g->cells[2]; k++)
    for (int32_t j = 0; j < g->cells[1]; j++) {
      int32_t run = -1, joined[3] = {-1, -1, -1};   // with whom this run was joined last, along d
      for (int32_t i = 0; i < g->cells[0]; i++, h++) {
        if (g->type[h] != PERP_CELL_LIQUID) {
          parent[h] = ALONE;
          continue;
        }
        const grid_place p = {{i, j, k}};
        if (!tied(g, p, h, 0, scale[0])) {
          run = h;
          joined[1] = joined[2] = -1;
        }
        parent[h] = h == run ? h : run;
        for (int d = 1; d < 3; d++) {
          if (!tied(g, p, h, d, scale[d])) continue;
          const int32_t other = h - grid_stride(g, d), leader = parent[other];
          if (leader == joined[d] || other == joined[d]) continue;
          const int32_t one = root_of(parent, run), two = root_of(parent, other);
          parent[one > two ? one : two] = one > two ? two : one;   // the smaller leads
          joined[d] = parent[other];
        }
      }
    }
}

// Numbers for components of several cells, in the order of their first cells; returns how many
// components there are in all. members: n, work
static int32_t number_parts(certifier *c, int32_t *members) {
  int32_t *part = c->component, components = 0, numbered = 0;
  for (int32_t h = 0; h < c->n; h++) {
    if (part[h] == ALONE) continue;
    if (part[h] == h) members[h] = 1;
    else {
      int32_t root = part[h];   // before h, and compressed already
      while (part[root] != root) root = part[root];
      part[h] = root;
      members[root]++;
    }
  }
  for (int32_t h = 0; h < c->n; h++) {
    const int empty = c->exponent[h] == INT16_MAX;
    if (empty) c->exponent[h] = 0;
    if (part[h] >= 0 && part[h] != h) {
      part[h] = members[part[h]];
      continue;
    }
    components++;
    if (part[h] == ALONE) continue;
    if (members[h] > 1) part[h] = members[h] = numbered++;
    else part[h] = empty ? EMPTY : ALONE;
  }
  c->grid_parts = numbered;
  return components;
}

static void look_at_grid(certifier *c) {
  team_run(c->threads, find_exponents, c, CHUNKS);
  join_runs(c->grid, c->component);
  c->components = number_parts(c, (int32_t *)c->x);   // x is not needed yet
}

// ---- what a row is judged by

typedef struct cell_rule { double R, inverse_C, G, S, s; int empty; } cell_rule;

static inline double within(double v) { return clamp(v, 0x1p-1000, 0x1p1000); }

static inline double distance_of(double x, double y, double lo, double hi, double R,
                                 double inverse_C) {
  return no_nan(fabs(mid((x - hi)*inverse_C, R*y, (x - lo)*inverse_C)));
}

// As settle_units() in certify.c: the power of two that makes the largest R a about 1; where that is
// 0, the smallest bound over C; where there is none, so large that only exact zeros pass. scale:
// the largest of R and 1/C
static double unit_from(double most, double least_bound, double scale) {
  int e = 300 - ilogb(scale);
  if (most > 0.0) e = -ilogb(min2(most, 0x1p1000));
  else if (least_bound > 0.0 && least_bound < (double)INFINITY) e = -ilogb(least_bound);
  return power_of_two_within(e, 1000);
}

static double smaller_bound(const perp_problem *p, int32_t i, double inverse_C, double least) {
  const double bounds[] = {fabs(lower(p->lo, i)), fabs(upper(p->hi, i))};
  for (int side = 0; side < 2; side++)
    if (bounds[side] > 0.0 && bounds[side] < (double)INFINITY)
      least = min2(least, clamp(bounds[side]*inverse_C, 0x1p-900, 0x1p900));
  return least;
}

// A cell that nothing is tied to: a component by itself, of one row and one column. In an empty row
// these have units of their own.
static cell_rule rule_alone(const certifier *c, int32_t i) {
  const perp_problem *p = c->problem;
  const double lo = lower(p->lo, i), hi = upper(p->hi, i), b = p->b[i], x = clamp(0.0, lo, hi);
  double d = 0.0;
  int32_t column;
  if (c->component[i] != EMPTY) grid_entry(c->grid, i, GRID_DIAGONAL, &column, &d);
  const double power = two_to(c->exponent[i]), inverse = two_to(-c->exponent[i]);
  exact_sum y = {b, 0.0};
  exact_add_product(&y, d, x);
  const double a = fabs(d*x) + fabs(b), bound = smaller_bound(p, i, inverse, (double)INFINITY);
  const double row = unit_from(power*a, d > 0.0 ? bound : 0.0, max2(power, inverse)),
               unit = d > 0.0 ? row : unit_from(0.0, bound, 1.0);   // of the column
  cell_rule rule = {.R = within(power*row), .inverse_C = within(inverse*unit), .empty = d == 0.0};
  rule.G = distance_of(x, exact_value(y), lo, hi, rule.R, rule.inverse_C);
  rule.S = rule.s = d > 0.0 ? rule.R*a : 0.0;
  return rule;
}

static double reference_of(const perp_problem *p, int32_t i) {
  return clamp(0.0, lower(p->lo, i), upper(p->hi, i));
}

// |b| + |A||x_ref| of a row
static double reference_size(const certifier *c, int32_t i) {
  double size = fabs(c->problem->b[i]), a;
  int32_t l;
  for (int32_t slot = 0; !c->reference_is_zero && slot < GRID_SLOTS; slot++)
    if (grid_entry(c->grid, i, slot, &l, &a)) size += fabs(a*reference_of(c->problem, l));
  return size;
}

static inline double cell_R(const certifier *c, int32_t i, const grid_part *part) {
  return within(two_to(c->exponent[i])*part->unit);
}
static inline double cell_inverse_C(const certifier *c, int32_t i, const grid_part *part) {
  return within(two_to(-c->exponent[i])*part->unit);
}

static cell_rule rule_of(const certifier *c, int32_t i) {
  if (c->component[i] < 0) return rule_alone(c, i);
  const grid_part *part = &c->parts_of_grid[c->component[i]];
  const double R = cell_R(c, i, part);
  return (cell_rule){R, cell_inverse_C(c, i, part), part->G, part->S, R*reference_size(c, i), 0};
}

static double base_of(double G, double S) { return G > 0.0 ? G : S > 0.0 ? S : 1.0; }

certify_scale grid_judge_scale(const certifier *c, int32_t i) {
  const int32_t k = c->component[i];
  if (k >= 0) {
    const grid_part *part = &c->parts_of_grid[k];
    return (certify_scale){cell_R(c, i, part), cell_inverse_C(c, i, part),
                           base_of(part->G, part->S)};
  }
  const cell_rule rule = rule_alone(c, i);
  return (certify_scale){rule.R, rule.inverse_C, base_of(rule.G, rule.S)};
}

int grid_judge_settled(const certifier *c, int32_t i) {
  const int32_t k = c->component[i];
  return (k >= 0 ? c->parts_of_grid[k].G : rule_alone(c, i).G) == 0.0;
}

static certify_row judge_cell(const cell_rule *rule, double r, double y, double moved, double a,
                              double lost, double tol) {
  const row_rule own = {.R = rule->R, .G = rule->G, .S = rule->S, .s = rule->s,
                        .T = rule->G > 0.0 ? rule->G : rule->s, .less = 1.0, .lost = lost,
                        .empty = rule->empty};
  return judge_row(&own, r, y, moved, a, tol);
}

certify_row grid_judge_row(const certifier *c, int32_t i, double r, double y, double a,
                           double tol) {
  const cell_rule rule = rule_of(c, i);
  return judge_cell(&rule, r, y, 0.0, a, lost_part(GRID_SLOTS)*rule.R*a, tol);
}

// ---- the reference

// y = A x_ref + b into c->y and a = |A||x_ref| + |b| of some cells from p on; how many they are
static int32_t reference_from(const certifier *c, grid_place p, int32_t first, double *a) {
  const double *b = c->problem->b + first;
  if (!c->reference_is_zero)
    return grid_residual_from(c->grid, p, c->x, b, c->y + first, a);
  const int32_t left = c->grid->cells[0] - p.at[0],
                count = left < GRID_STRETCH ? left : GRID_STRETCH;
  for (int32_t q = 0; q < count; q++) {
    c->y[first + q] = b[q];
    a[q] = fabs(b[q]);
  }
  return count;
}

// The largest R a of each component, and from it the unit.
static void settle_units_of_parts(certifier *c) {
  const perp_grid *g = c->grid;
  double a[GRID_STRETCH];
  grid_part *parts = c->parts_of_grid;
  for (int32_t k = 0; k < c->grid_parts; k++) parts[k] = (grid_part){0};
  int32_t first = 0;
  for (grid_place p = {{0, 0, 0}}; first < c->n;) {
    const int32_t count = reference_from(c, p, first, a);
    for (int32_t q = 0; q < count; q++) {
      const int32_t k = c->component[first + q];
      if (k >= 0) parts[k].S = max2(parts[k].S, min2(two_to(c->exponent[first + q])*a[q], 0x1p1000));
    }
    grid_advance(g, &p, count);
    first += count;
  }
  int open = 0;
  for (int32_t k = 0; k < c->grid_parts; k++) {
    open |= !(parts[k].S > 0.0);
    parts[k].G = (double)INFINITY;   // for now: the smallest bound over C; unit: the largest scale
  }
  for (int32_t i = 0; open && i < c->n; i++) {
    const int32_t k = c->component[i];
    if (k < 0 || parts[k].S > 0.0) continue;
    const double power = two_to(c->exponent[i]), inverse = two_to(-c->exponent[i]);
    parts[k].G = smaller_bound(c->problem, i, inverse, parts[k].G);
    parts[k].unit = max2(parts[k].unit, max2(power, inverse));
  }
  for (int32_t k = 0; k < c->grid_parts; k++) {
    const double unit = unit_from(parts[k].S, parts[k].G, parts[k].unit > 0.0 ? parts[k].unit : 1.0);
    parts[k] = (grid_part){.unit = unit};
  }
}

// G and S of each component, and the numbers of the certificate at x_ref.
static void measure_reference(certifier *c) {
  const perp_problem *problem = c->problem;
  double a[GRID_STRETCH], most = -1.0;
  perp_certificate found = {.worst = c->n > 0 ? 0 : -1, .components = c->components};
  int32_t first = 0;
  c->infeasible = -1;
  for (grid_place p = {{0, 0, 0}}; first < c->n;) {
    const int32_t count = reference_from(c, p, first, a);
    for (int32_t q = 0; q < count; q++) {
      const int32_t i = first + q, k = c->component[i];
      const double lo = lower(problem->lo, i), hi = upper(problem->hi, i), x = c->x[i],
                   y = c->y[i];
      if (k < 0 && lo == hi) continue;   // r = 0
      if (k == EMPTY && ((y < 0.0 && hi == (double)INFINITY) ||
                         (y > 0.0 && lo == -(double)INFINITY)))
        c->infeasible = i;
      double r;
      if (k >= 0) {
        grid_part *part = &c->parts_of_grid[k];
        const double R = cell_R(c, i, part), s = R*a[q];
        r = distance_of(x, y, lo, hi, R, cell_inverse_C(c, i, part));
        part->G = max2(part->G, r);
        if (!(s <= part->S)) part->S = s;
      } else {
        r = rule_alone(c, i).G;
      }
      if (r > most) {
        most = r;
        found.worst = i;
      }
      if (r > 0.0) found.residual = max2(found.residual, r < (double)INFINITY ? 1.0 : r);
      found.natural_residual = max2(found.natural_residual, no_nan(fabs(mid(x - hi, y, x - lo))));
      const double distance = y > 0.0 ? x - lo : hi - x;
      found.gap += distance < (double)INFINITY ? fabs(y)*distance : 0.0;
    }
    grid_advance(c->grid, &p, count);
    first += count;
  }
  if (found.gap != found.gap) found.gap = (double)INFINITY;
  c->reference = found;
}

void grid_judge_prepare(certifier *c, const perp_problem *problem) {
  const int32_t n = problem->A.n;
  const int same = n == c->n && problem->value_stamp != 0 &&
                   problem->value_stamp == c->value_stamp &&
                   problem->pattern_stamp == c->pattern_stamp && c->grid != NULL;
  c->problem = problem;
  c->grid = problem->A.self;
  c->n = n;
  if (!same) look_at_grid(c);
  c->value_stamp = problem->value_stamp;
  c->pattern_stamp = problem->pattern_stamp;
  c->hurried = c->weaker = c->rough = c->two = c->reducible = c->shifted = c->product = 0;
  c->symmetric = c->balanced = c->equilibrated = c->snaps = 1;
  c->reference_is_zero = 1;
  for (int32_t i = 0; i < n; i++) {
    c->x[i] = reference_of(problem, i);
    c->reference_is_zero &= c->x[i] == 0.0;
  }
  settle_units_of_parts(c);
  measure_reference(c);
}

// ---- the verdict

typedef struct verdict {      // on a chunk
  perp_certificate found;
  int snaps;
} verdict;

typedef struct trial {
  certifier *c;
  const double *x;
  double tol, absolute_tol;
  int finite[CHUNKS];
  double violation[CHUNKS];
  verdict of[CHUNKS];
} trial;

static void clamp_chunk(void *data, int32_t index) {
  trial *k = data;
  const perp_problem *p = k->c->problem;
  const chunk cells = chunk_of(k->c->grid, index);
  double violation = 0.0;
  int finite = 1;
  for (int32_t i = cells.from; i < cells.to; i++) {
    const double x = k->x[i], inside = clamp(x, lower(p->lo, i), upper(p->hi, i));
    finite &= x - x == 0.0;
    violation = max2(violation, fabs(x - inside));
    k->c->x[i] = inside;
  }
  k->finite[index] = finite;
  k->violation[index] = violation;
}

// Cell i with y and a = |A||x| + |b|.
static void judge_one(const trial *t, int32_t i, double y, double a, verdict *v) {
  const certifier *c = t->c;
  const perp_problem *p = c->problem;
  const double lo = lower(p->lo, i), hi = upper(p->hi, i), x = c->x[i], away = fabs(t->x[i] - x);
  perp_certificate *found = &v->found;
  const int32_t k = c->component[i];
  if (k < 0 && lo == hi && away == 0.0) return;   // r = 0, as for most solid cells and air
  const double below = x - lo, above = x - hi, natural = no_nan(fabs(mid(above, y, below)));
  const double distance = y > 0.0 ? below : -above;
  found->natural_residual = max2(found->natural_residual, natural);
  found->gap += distance < (double)INFINITY ? fabs(y)*distance : 0.0;
  double r, R, inverse, G, S;
  cell_rule rule;
  if (k >= 0) {
    const grid_part *part = &c->parts_of_grid[k];
    R = cell_R(c, i, part);
    inverse = cell_inverse_C(c, i, part);
    G = part->G;
    S = part->S;
  } else {
    rule = rule_alone(c, i);
    R = rule.R;
    inverse = rule.inverse_C;
    G = rule.G;
    S = rule.S;
  }
  // An x that had to be moved far to its bounds is not the answer: how far counts like a residual.
  const double moved = away*inverse, lost = lost_part(GRID_SLOTS)*R*a;
  r = max2(distance_of(x, y, lo, hi, R, inverse), moved);
  v->snaps |= (r > 0.0) & (r < R*fabs(y));
  if (r + lost <= t->tol*G && k != EMPTY && G < (double)INFINITY && S < (double)INFINITY) {
    if (r > found->residual*G) {   // most rows
      found->residual = r/G;
      found->worst = i;
    }
    return;
  }
  if (k >= 0) rule = rule_of(c, i);
  const certify_row row = judge_cell(&rule, r, y, moved, a - fabs(p->b[i]),
                                     lost_part(GRID_SLOTS)*R*(a - fabs(p->b[i])), t->tol);
  const double base = G > 0.0 ? G : S,
               relative = r == 0.0 || (row.solved && base == 0.0) ? 0.0 : row.relative;
  if (relative > found->residual) {
    found->residual = relative;
    found->worst = i;
  }
  if (t->absolute_tol > 0.0 && max2(natural, away) <= t->absolute_tol && k != EMPTY) return;
  if (!row.solved) found->solved = 0;
  else if (!row.strict) found->attainable = 1;
}

static void judge_chunk(void *data, int32_t index) {
  trial *k = data;
  certifier *c = k->c;
  chunk cells = chunk_of(c->grid, index);
  double a[GRID_STRETCH];
  verdict v = {.found = {.solved = 1, .worst = cells.from}};
  while (cells.from < cells.to) {
    double *y = c->y + cells.from;
    const int32_t count = grid_residual_from(c->grid, cells.p, c->x, c->problem->b + cells.from, y,
                                             a);
    for (int32_t q = 0; q < count; q++) judge_one(k, cells.from + q, y[q], a[q], &v);
    grid_advance(c->grid, &cells.p, count);
    cells.from += count;
  }
  k->of[index] = v;
}

static void put_together(certifier *c, const trial *k, perp_certificate *certificate) {
  perp_certificate found = {.solved = 1, .worst = c->n > 0 ? 0 : -1, .components = c->components};
  int snaps = 0;
  for (int32_t q = 0; q < CHUNKS; q++) {
    const perp_certificate *part = &k->of[q].found;
    found.solved &= part->solved;
    found.attainable |= part->attainable;
    found.bound_violation = max2(found.bound_violation, k->violation[q]);
    found.natural_residual = max2(found.natural_residual, part->natural_residual);
    found.gap += part->gap;
    snaps |= k->of[q].snaps;
    if (!(part->residual > found.residual)) continue;
    found.residual = part->residual;
    found.worst = part->worst;
  }
  if (found.gap != found.gap) found.gap = (double)INFINITY;
  if (!found.solved) found.attainable = 0;
  c->snaps = snaps;
  *certificate = found;
}

void grid_judge_check(certifier *c, const double *x, double tol, double absolute_tol,
                      perp_certificate *certificate) {
  trial k = {.c = c, .x = x, .tol = tol, .absolute_tol = absolute_tol};
  team_run(c->threads, clamp_chunk, &k, CHUNKS);
  int finite = 1;
  for (int32_t q = 0; q < CHUNKS; q++) finite &= k.finite[q];
  c->twice = 0;
  c->snaps = 1;
  if (!finite) {
    *certificate = (perp_certificate){.worst = -1, .components = c->components,
                                      .residual = (double)INFINITY,
                                      .natural_residual = (double)INFINITY,
                                      .bound_violation = (double)INFINITY, .gap = (double)INFINITY};
    return;
  }
  team_run(c->threads, judge_chunk, &k, CHUNKS);
  put_together(c, &k, certificate);
}

// Where x_ref = 0 has a row with r > 0, that row's r is G: no allowance for rounding is that large,
// because y = b is exact. Otherwise it is judged like any x.
void grid_judge_reference(certifier *c, double tol, double absolute_tol,
                          perp_certificate *certificate) {
  if (c->reference_is_zero && absolute_tol == 0.0 && c->reference.residual > 0.0)
    *certificate = c->reference;
  else
    grid_judge_check(c, c->x, tol, absolute_tol, certificate);
}

// ---- estimates

typedef struct estimate {
  const certifier *c;
  const double *x, *y;
  double of[CHUNKS];
} estimate;

static void estimate_chunk(void *data, int32_t index) {
  estimate *e = data;
  const certifier *c = e->c;
  const perp_problem *p = c->problem;
  const chunk cells = chunk_of(c->grid, index);
  double worst = 0.0;
  for (int32_t i = cells.from; i < cells.to; i++) {
    const double lo = lower(p->lo, i), hi = upper(p->hi, i);
    if (lo == hi) continue;
    const certify_scale scale = grid_judge_scale(c, i);
    const double r = distance_of(e->x[i], e->y[i], lo, hi, scale.R, scale.inverse_C);
    if (r > worst*scale.base) worst = r/scale.base;
  }
  e->of[index] = worst;
}

double grid_judge_residual(const certifier *c, const double *x, const double *y) {
  estimate e = {.c = c, .x = x, .y = y};
  team_run(c->threads, estimate_chunk, &e, CHUNKS);
  double worst = 0.0;
  for (int32_t q = 0; q < CHUNKS; q++) worst = max2(worst, e.of[q]);
  return worst;
}
