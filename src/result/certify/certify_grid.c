// certify_grid.c: the certificate of a grid of cells, in 30 bytes per cell and two passes over
// them.
//
// The rule is that of certify.h. Much of it is known from the structure of A:
//
// - A is symmetric and positive semidefinite, because validation has refused negative weights. So
//   |A_ij| <= sqrt(A_ii A_jj), and R_i = C_i = 1/sqrt(A_ii) brings all row and column maxima to 1.
//   No other symmetric scaling does. equilibrate.c has the proof in two lines; it takes the same
//   powers of two for symmetric matrices by columns, so both certificates see the same r_i/G. Of a
//   power of two only the exponent is stored. Entries of R A C are at most 2.
// - The rows and columns of a component share a unit, because A_ii > 0 ties row i to column i. The
//   whole rule is proportional to this unit, which makes S about 1 unless b is 0.
// - A component consists of liquid cells that weights other than 0 connect. Cells that are tied to
//   no liquid cell stand alone: solid cells, air, drops of one cell. Their G, S and unit are
//   computed from their own b, bounds and A_ii when they are needed. Liquid cells without an open
//   face have an empty row.
//
// certify_grid_check.c has the passes over the cells.
#include <string.h>

#include "certify_grid_parts.h"
#include "error_free.h"

static void layout(certifier *c, arena *memory, int32_t n) {
  const size_t m = (size_t)n;
  c->x = ARENA_ARRAY(memory, double, m);
  c->y = ARENA_ARRAY(memory, double, m);
  c->component = ARENA_ARRAY(memory, int32_t, m);
  c->grid.exponent = ARENA_ARRAY(memory, int16_t, m);
  c->grid.cells = NULL;
  c->grid.parts = ARENA_ARRAY(memory, grid_part, m/2 + 1);   // of two cells at least
}

// ---- what depends on A alone

static inline double two_to(int e) {   // 2^e, normal
  const uint64_t bits = (uint64_t)(e + 1023) << 52;
  double v;
  memcpy(&v, &bits, sizeof v);
  return v;
}

static void find_exponents(void *data, int32_t index) {
  certifier *c = data;
  chunk k = chunk_of(c->grid.cells, index);
  double d[GRID_STRETCH_MAX];
  while (k.from < k.to) {
    const int32_t count = grid_diagonal_from(c->grid.cells, k.p, d);
    for (int32_t q = 0; q < count; q++)
      c->grid.exponent[k.from + q] =            // INT16_MAX: an empty row
          d[q] > 0.0 ? (int16_t)root_exponent(d[q]) : INT16_MAX;
    grid_advance(c->grid.cells, &k.p, count);
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

// Finds runs of tied cells in a line, each represented by its first cell (unless they are known),
// and joins them with runs of the lines below, along the directions d with along[d] = 1.
static void join_line(certifier *c, int32_t line, int fresh, const int along[3]) {
  const perp_grid *g = c->grid.cells;
  int32_t *parent = c->component, h = line*g->cells[0];
  const double scale[3] = {grid_scale(g, 0), grid_scale(g, 1), grid_scale(g, 2)};
  int32_t run = -1, joined[3] = {-1, -1, -1};   // the run that this one was joined to last, along d
  grid_place p = {{0, line%g->cells[1], line/g->cells[1]}};
  for (; p.at[0] < g->cells[0]; p.at[0]++, h++) {
    if (g->type[h] != PERP_CELL_LIQUID) {
      if (fresh) parent[h] = ALONE;
      continue;
    }
    if (!tied(g, p, h, 0, scale[0])) {
      run = h;
      joined[1] = joined[2] = -1;
    }
    if (fresh) parent[h] = run;
    for (int d = 1; d < 3; d++) {
      if (!along[d] || !tied(g, p, h, d, scale[d])) continue;
      const int32_t other = h - grid_stride(g, d), leader = parent[other];
      if (leader == joined[d] || other == joined[d]) continue;
      const int32_t one = root_of(parent, run), two = root_of(parent, other);
      parent[one > two ? one : two] = one > two ? two : one;   // the smaller leads
      joined[d] = parent[other];
    }
  }
}

// The lines are joined in this many parts, and then the parts to each other. With a thousand times
// as many, grids take up to 1.3 times the work.
enum { JOINED_PARTS = 4 };
static int32_t joint(const certifier *c, int32_t part) {
  return (int32_t)((int64_t)c->grid.cells->cells[1]*c->grid.cells->cells[2]*part/JOINED_PARTS);
}

static void join_part(void *data, int32_t part) {
  certifier *c = data;
  const int32_t deep = c->grid.cells->cells[1], from = joint(c, part);
  for (int32_t line = from; line < joint(c, part + 1); line++)
    join_line(c, line, 1, (const int[3]){0, line > from, line - deep >= from});
}

// Union-find. The first cell of a component is its leader, in any order of joining.
static void join_runs(certifier *c) {
  const int32_t deep = c->grid.cells->cells[1], lines = deep*c->grid.cells->cells[2];
  team_run(c->threads, join_part, c, JOINED_PARTS);
  for (int32_t part = 1; part < JOINED_PARTS; part++) {
    const int32_t from = joint(c, part);
    if (from == lines || from == joint(c, part - 1)) continue;   // fewer lines than parts
    join_line(c, from, 0, (const int[3]){0, 1, 0});
    for (int32_t line = from < deep ? deep : from; line < from + deep && line < lines; line++)
      join_line(c, line, 0, (const int[3]){0, 0, 1});
  }
}

// Numbers the components of several cells in the order of their leaders. A leader that is tied to
// no later cell stands alone. There are three passes, so no thread reads what another one writes.
typedef struct numbering {
  certifier *c;
  int32_t *leader;                                  // n: of each liquid cell
  int32_t several[CHUNKS];                          // of them in a chunk, and then before it
  int32_t components[CHUNKS];                       // in a chunk
} numbering;

static int leads_others(const perp_grid *g, grid_place p, int32_t h) {
  for (int d = 0; d < 3; d++) {
    grid_place above = p;
    if (++above.at[d] < g->cells[d] && tied(g, above, h + grid_stride(g, d), d, grid_scale(g, d)) &&
        g->type[h + grid_stride(g, d)] == PERP_CELL_LIQUID)
      return 1;
  }
  return 0;
}

static void find_leaders(void *data, int32_t index) {
  numbering *all = data;
  certifier *c = all->c;
  const int32_t *part = c->component;
  const chunk k = chunk_of(c->grid.cells, index);
  int32_t several = 0, components = 0, before = -1, root = -1;   // of the cell before
  for (int32_t h = k.from; h < k.to; h++) {
    const int empty = c->grid.exponent[h] == INT16_MAX;
    if (empty) c->grid.exponent[h] = 0;
    all->leader[h] = h;
    if (part[h] == ALONE) {
      components++;
    } else if (part[h] == h) {
      const int more = leads_others(c->grid.cells, grid_place_of(c->grid.cells, h), h);
      components++;
      several += more;
      if (!more) all->leader[h] = empty ? EMPTY : ALONE;
    } else {
      if (part[h] != before)
        for (before = root = part[h]; part[root] != root;) root = part[root];
      all->leader[h] = root;
    }
  }
  all->several[index] = several;
  all->components[index] = components;
}

static void number_leaders(void *data, int32_t index) {
  const numbering *all = data;
  int32_t *part = all->c->component, number = all->several[index];
  const chunk k = chunk_of(all->c->grid.cells, index);
  for (int32_t h = k.from; h < k.to; h++)
    if (part[h] == h) part[h] = all->leader[h] == h ? number++ : all->leader[h];
}

static void number_cells(void *data, int32_t index) {
  const numbering *all = data;
  int32_t *part = all->c->component;
  const chunk k = chunk_of(all->c->grid.cells, index);
  for (int32_t h = k.from; h < k.to; h++)
    if (all->leader[h] >= 0 && all->leader[h] != h) part[h] = part[all->leader[h]];
}

// Returns the number of all components. leader: n, work
static int32_t number_parts(certifier *c, int32_t *leader) {
  numbering all = {.c = c, .leader = leader};
  int32_t several = 0, components = 0;
  team_run(c->threads, find_leaders, &all, CHUNKS);
  for (int32_t q = 0; q < CHUNKS; q++) {
    const int32_t here = all.several[q];
    all.several[q] = several;
    several += here;
    components += all.components[q];
  }
  team_run(c->threads, number_leaders, &all, CHUNKS);
  team_run(c->threads, number_cells, &all, CHUNKS);
  c->grid.count = several;
  return components;
}

static void look_at_grid(certifier *c) {
  team_run(c->threads, find_exponents, c, CHUNKS);
  join_runs(c);
  c->components = number_parts(c, (int32_t *)c->x);   // x is not needed yet
}

// ---- the rule of a row

// A cell that is tied to no other: a component of one row and one column.
static cell_rule rule_alone(const certifier *c, int32_t i) {
  const perp_problem *p = c->problem;
  const double lo = lower(p->lo, i), hi = upper(p->hi, i), b = p->b[i], x = clamp(0.0, lo, hi);
  double d = 0.0;
  int32_t column;
  if (c->component[i] != EMPTY) grid_entry(c->grid.cells, i, GRID_DIAGONAL, &column, &d);
  const double power = two_to(c->grid.exponent[i]), inverse = two_to(-c->grid.exponent[i]);
  exact_sum y = {b, 0.0};
  exact_add_product(&y, d, x);
  const double a = fabs(d*x) + fabs(b), unit = grid_unit(power*a);
  cell_rule rule = {.R = within(power*unit), .inverse_C = within(inverse*unit), .empty = d == 0.0};
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
    if (grid_entry(c->grid.cells, i, slot, &l, &a)) size += fabs(a*reference_of(c->problem, l));
  return size;
}

static inline double cell_R(const certifier *c, int32_t i, const grid_part *part) {
  return within(two_to(c->grid.exponent[i])*part->unit);
}
static inline double cell_inverse_C(const certifier *c, int32_t i, const grid_part *part) {
  return within(two_to(-c->grid.exponent[i])*part->unit);
}

cell_rule grid_rule_of(const certifier *c, int32_t i) {
  if (c->component[i] < 0) return rule_alone(c, i);
  const grid_part *part = &c->grid.parts[c->component[i]];
  const double R = cell_R(c, i, part);
  return (cell_rule){R, cell_inverse_C(c, i, part), part->G, part->S, R*reference_size(c, i), 0};
}

certify_scale grid_judge_scale(const certifier *c, int32_t i) {
  const int32_t k = c->component[i];
  if (k >= 0) {
    const grid_part *part = &c->grid.parts[k];
    return (certify_scale){cell_R(c, i, part), cell_inverse_C(c, i, part),
                           base_of(part->G, part->S)};
  }
  // where x is fixed, r = 0 in any units
  if (lower(c->problem->lo, i) == upper(c->problem->hi, i)) return (certify_scale){1.0, 1.0, 1.0};
  const cell_rule rule = rule_alone(c, i);
  return (certify_scale){rule.R, rule.inverse_C, base_of(rule.G, rule.S)};
}

int grid_judge_settled(const certifier *c, int32_t i) {
  const int32_t k = c->component[i];
  return (k >= 0 ? c->grid.parts[k].G : rule_alone(c, i).G) == 0.0;
}

certify_row grid_judge_cell(const cell_rule *rule, double r, double y, double moved, double a,
                            double tol) {
  const row_rule own = {.R = rule->R, .G = rule->G, .S = rule->S, .s = rule->s,
                        .T = rule->G > 0.0 ? rule->G : rule->s, .less = 1.0,
                        .lost = lost_part(GRID_SLOTS)*rule->R*a, .empty = rule->empty};
  return judge_row(&own, r, y, moved, a, tol);
}

static certify_row evaluate(const certifier *c, int32_t i, double r, double y, double a,
                            double tol) {
  const cell_rule rule = grid_rule_of(c, i);
  return grid_judge_cell(&rule, r, y, 0.0, a, tol);
}

static double componentwise(const certifier *c, int32_t i, double r, double y, double a) {
  const certify_scale own = grid_judge_scale(c, i);
  if (r == 0.0 || r < own.R*fabs(y)) return 0.0;
  return componentwise_row(own.R*fabs(y), own.R*a, own.base, (double)INFINITY);
}

static void fit(const certifier *c, int32_t i, double *R, double *C) {
  *R = *C = two_to(c->grid.exponent[i]);
}

static perp_error prepare(certifier *c, const perp_problem *problem,
                          const perp_deadline *deadline) {
  (void)deadline;   // the look takes a few products
  const int32_t n = problem->A.n;
  const int same = certifier_knows(c, problem) && c->grid.cells != NULL;
  c->problem = problem;
  c->grid.cells = problem->A.self;
  c->n = n;
  if (!same) look_at_grid(c);
  c->look.value_stamp = problem->value_stamp;
  c->look.pattern_stamp = problem->pattern_stamp;
  c->look.hurried = c->look.weaker = c->look.rough = c->look.reducible = c->look.shifted = 0;
  c->look.product = 0;
  c->two = c->kkt.count = c->near.known = 0;
  c->look.balanced = c->last.snaps = 1;
  grid_measure_reference(c);
  return PERP_OK;
}

const judge_ops grid_judge = {
  .measures = 1, .layout = layout, .prepare = prepare, .check = grid_judge_check,
  .check_reference = grid_judge_reference, .take_reference = grid_judge_take_reference,
  .scale = grid_judge_scale, .rule = grid_judge_scale, .fit = fit, .settled = grid_judge_settled,
  .evaluate = evaluate, .leeway = grid_judge_leeway, .componentwise = componentwise,
  .residual = grid_judge_residual, .weights = grid_judge_weights, .units = grid_judge_units};
