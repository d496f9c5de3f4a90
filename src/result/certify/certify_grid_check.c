// certify_grid_check.c: the two passes over the cells of a grid that a certificate takes: one at
// x_ref, one at x.
//
// The operator's own loops compute y and a = |A||x| + |b| of some cells of a line, compensated, and
// the cells are judged at once. Cells of one component are judged four at a time while they are
// clearly right or clearly wrong, the others one by one. If x_ref = 0, nothing needs to be
// computed: y = b and a = |b|. The lines are divided into chunks. Their number does not depend on
// the number of threads, and their results are combined in order.
#include "certify_grid_parts.h"

static const double u = 0x1p-53;

// |y| times the distance to the bound that y points to, or |x| where that is infinite, as
// gap_distance() of certify_row.h
EXACT_INLINE four gap_of(const quad *f) {
  const four_mask up = four_less(four_all(0.0), f->y);
  const four distance = four_choose(up, f->below, four_subtract(four_all(0.0), f->above));
  const four_mask finite = four_less(distance, four_all((double)INFINITY));
  return four_multiply(four_size(f->y), four_choose(finite, distance, four_size(f->x)));
}

// ---- the reference

// The largest r and R a of a run, at unit 1, and its part of the certificate's numbers.
typedef struct measured { double r, size, natural, gap; } measured;

EXACT_INLINE void measure(const cells *s, int32_t from, int32_t to, const double *x,
                          const double *y, const double *a, measured *m) {
  four r = four_all(m->r), size = four_all(m->size), natural = four_all(m->natural);
  four gap = four_all(0.0);
  int32_t q = from;
  for (; q + 4 <= to; q += 4) {
    const quad f = quad_at(s, q, 1.0, x, y);
    r = four_max(f.r, r);   // b and the bounds are no NaN
    size = four_max(four_multiply(f.R, four_load(a + q)), size);
    natural = four_max(f.natural, natural);
    gap = four_add(gap, gap_of(&f));
  }
  m->r = four_most(r);
  m->size = four_most(size);
  m->natural = four_most(natural);
  m->gap += four_sum(gap);
  for (; q < to; q++) {
    const double lo = s->lo[q], hi = s->hi[q], distance = y[q] > 0.0 ? x[q] - lo : hi - x[q];
    m->r = max2(m->r, distance_of(x[q], y[q], lo, hi, s->power[q], s->inverse[q]));
    m->size = max2(m->size, s->power[q]*a[q]);
    m->natural = max2(m->natural, fabs(mid(x[q] - hi, y[q], x[q] - lo)));
    m->gap += fabs(y[q])*gap_distance(x[q], distance);
  }
}
FOUR_TARGET static void measure_wide(const cells *s, int32_t from, int32_t to, const double *x,
                                     const double *y, const double *a, measured *m) {
  measure(s, from, to, x, y, a, m);
}
static void measure_plain(const cells *s, int32_t from, int32_t to, const double *x,
                          const double *y, const double *a, measured *m) {
  measure(s, from, to, x, y, a, m);
}

// y = A x_ref + b into c->y, and a = |A||x_ref| + |b|, of some cells from p on. Returns their
// number.
static int32_t reference_from(const certifier *c, grid_place p, int32_t first, double *a) {
  const double *b = c->problem->b + first;
  if (!c->reference_is_zero)
    return grid_residual_from(c->grid.cells, p, c->x, b, c->y + first, a);
  const int32_t left = c->grid.cells->cells[0] - p.at[0],
                count = left < GRID_STRETCH_MAX ? left : GRID_STRETCH_MAX;
  for (int32_t q = 0; q < count; q++) a[q] = fabs(b[q]);
  return count;
}

// x and y of these cells at x_ref. If x_ref is 0, neither is stored.
static const double *reference_x(const certifier *c, const cells *s) {
  return c->reference_is_zero ? s->zero : c->x + s->first;
}
static const double *reference_y(const certifier *c, int32_t first) {
  return (c->reference_is_zero ? c->problem->b : c->y) + first;
}

static void clear_some(void *data, int32_t from, int32_t to, int32_t share) {
  (void)share;
  memset((double *)data + from, 0, (size_t)(to - from)*sizeof(double));
}

void grid_judge_take_reference(certifier *c) {
  if (!c->reference_is_zero || c->n == 0) return;
  team_share(c->threads, c->n, clear_some, c->x);
  team_copy(c->threads, c->y, c->problem->b, c->n);
}

// What was found in a chunk.
typedef struct surveyed {
  perp_certificate found;
  grid_part *parts;           // G and S of the components, so far as they are in it, at unit 1
  int32_t infeasible;
  int settles, elsewhere;     // elsewhere: x_ref is not 0, as c->reference_is_zero has it
} surveyed;

typedef struct survey {
  certifier *c;
  surveyed of[CHUNKS];
} survey;

// A cell that is tied to no other, and not fixed.
static double reference_alone(const certifier *c, int32_t i, int32_t *infeasible) {
  const double lo = lower(c->problem->lo, i), hi = upper(c->problem->hi, i),
               y = reference_y(c, 0)[i];
  if (c->component[i] == EMPTY && ((y < 0.0 && hi == (double)INFINITY) ||
                                   (y > 0.0 && lo == -(double)INFINITY)))
    *infeasible = i;
  return grid_rule_of(c, i).G;
}

// Computes G and S of a component again, in its unit, because its b is too large or small at unit 1.
static void look_again(certifier *c, int32_t k) {
  grid_part *part = &c->grid.parts[k];
  const double *y = reference_y(c, 0);
  part->unit = grid_unit(part->S);
  part->G = part->S = 0.0;
  double a[GRID_STRETCH_MAX];
  int32_t first = 0;
  for (grid_place p = {{0, 0, 0}}; first < c->n;) {
    const int32_t count = reference_from(c, p, first, a);
    for (int32_t q = 0; q < count; q++) {
      const int32_t i = first + q;
      if (c->component[i] != k) continue;
      const certify_scale own = grid_judge_scale(c, i);
      const double lo = lower(c->problem->lo, i), hi = upper(c->problem->hi, i);
      part->G = max2(part->G, distance_of(clamp(0.0, lo, hi), y[i], lo, hi, own.R, own.inverse_C));
      if (!(own.R*a[q] <= part->S)) part->S = own.R*a[q];
    }
    grid_advance(c->grid.cells, &p, count);
    first += count;
  }
}

// G and S have been computed at unit 1. They are proportional to it, and it is a power of two.
// If S = 0, then G = 0, and any unit will do, because only zeros pass.
static void settle_parts(certifier *c) {
  enum { COMPONENTS_MAX = 64 };   // components with extreme b that each take a pass over the cells
  int32_t again = 0;
  for (int32_t k = 0; k < c->grid.count; k++) {
    grid_part *part = &c->grid.parts[k];
    const int fine = part->S > 0x1p-400 && part->S < 0x1p400;
    part->unit = fine ? grid_unit(part->S) : 1.0;
    part->G *= part->unit;
    part->S *= part->unit;
    if (!fine && part->S > 0.0 && again++ < COMPONENTS_MAX) look_again(c, k);
  }
}

// Some cells of a line at x_ref.
static void measure_cells(const certifier *c, const cells *s, const double *a, surveyed *v) {
  const double *x = reference_x(c, s), *y = reference_y(c, s->first);
  const int32_t *component = c->component + s->first;
  perp_certificate *found = &v->found;
  for (int32_t q = 0; q < s->count;) {
    if (component[q] >= 0) {
      const int32_t end = cells_run(component, q, s->count);
      grid_part *part = &v->parts[component[q]];
      measured m = {part->G, part->S, found->natural_residual, 0.0};
      (FOUR_HAS_TARGET() ? measure_wide : measure_plain)(s, q, end, x, y, a, &m);
      part->G = m.r;
      part->S = m.size;
      found->natural_residual = m.natural;
      found->gap += m.gap;
      q = end;
      continue;
    }
    if (s->lo[q] != s->hi[q]) {   // otherwise r = 0
      const double r = reference_alone(c, s->first + q, &v->infeasible),
                   distance = y[q] > 0.0 ? x[q] - s->lo[q] : s->hi[q] - x[q];
      if (r > 0.0) {
        found->residual = max2(found->residual, r < (double)INFINITY ? 1.0 : r);
        found->worst = s->first + q;
      }
      v->settles |= r == 0.0;
      found->natural_residual = max2(found->natural_residual,
                                     no_nan(fabs(mid(x[q] - s->hi[q], y[q], x[q] - s->lo[q]))));
      found->gap += fabs(y[q])*gap_distance(x[q], distance);
    }
    q++;
  }
}

// 1: all x are finite and within the bounds.
static int all_inside(const cells *s, const double *x) {
  int inside = 1;
  for (int32_t q = 0; q < s->count; q++)
    inside &= (s->lo[q] <= x[q]) & (x[q] <= s->hi[q]) & (x[q] - x[q] == 0.0);
  return inside;
}

static void measure_chunk(void *data, int32_t index) {
  survey *all = data;
  certifier *c = all->c;
  surveyed *v = &all->of[index];
  chunk k = chunk_of(c->grid.cells, index);
  double a[GRID_STRETCH_MAX];
  cells s;
  cells_begin(&s);
  while (k.from < k.to) {
    const int32_t count = reference_from(c, k.p, k.from, a);
    cells_at(c, k.from, count, &s);
    if (c->reference_is_zero && !all_inside(&s, s.zero)) {
      v->elsewhere = 1;
      return;
    }
    measure_cells(c, &s, a, v);
    grid_advance(c->grid.cells, &k.p, count);
    k.from += count;
  }
}

// 0: x_ref is not 0, although c->reference_is_zero says so. If x_ref is 0, each chunk has its own G
// and S: x and y are not stored then, so there is room.
static int measure_reference(certifier *c, perp_certificate *found) {
  const size_t parts = (size_t)c->grid.count;
  const int apart = c->reference_is_zero &&
                    CHUNKS*parts*sizeof(grid_part) <= (size_t)c->n*sizeof *c->x;
  grid_part *table = apart ? (grid_part *)(void *)c->x : c->grid.parts;
  survey v = {.c = c};
  for (int32_t q = 0; q < CHUNKS; q++)
    v.of[q] = (surveyed){.infeasible = -1, .parts = apart ? table + (size_t)q*parts : table};
  memset(table, 0, (apart ? CHUNKS : 1)*parts*sizeof *table);
  if (apart) team_run(c->threads, measure_chunk, &v, CHUNKS);
  else for (int32_t q = 0; q < CHUNKS; q++) measure_chunk(&v, q);
  *found = (perp_certificate){.worst = c->n > 0 ? 0 : -1, .components = c->components,
                              .componentwise = -1.0, .componentwise_row = -1};
  if (apart) memset(c->grid.parts, 0, parts*sizeof *table);
  c->infeasible = -1;
  c->settles = 0;
  for (int32_t q = 0; q < CHUNKS; q++) {
    const surveyed *own = &v.of[q];
    if (own->elsewhere) return 0;
    found->natural_residual = max2(found->natural_residual, own->found.natural_residual);
    found->gap += own->found.gap;
    if (own->found.residual > 0.0) found->worst = own->found.worst;
    found->residual = max2(found->residual, own->found.residual);
    if (own->infeasible >= 0) c->infeasible = own->infeasible;
    c->settles |= own->settles;
    for (size_t k = 0; apart && k < parts; k++) {
      c->grid.parts[k].G = max2(c->grid.parts[k].G, own->parts[k].G);
      c->grid.parts[k].S = max2(c->grid.parts[k].S, own->parts[k].S);
    }
  }
  return 1;
}

void grid_measure_reference(certifier *c) {
  const perp_problem *problem = c->problem;
  perp_certificate found;
  c->reference_is_zero = 1;
  if (!measure_reference(c, &found)) {
    c->reference_is_zero = 0;
    for (int32_t i = 0; i < c->n; i++)
      c->x[i] = clamp(0.0, lower(problem->lo, i), upper(problem->hi, i));
    measure_reference(c, &found);
  }
  settle_parts(c);
  for (int32_t k = 0; k < c->grid.count; k++) {
    const double G = c->grid.parts[k].G;
    if (G > 0.0) found.residual = max2(found.residual, G < (double)INFINITY ? 1.0 : G);
    c->settles |= G == 0.0;
  }
  if (found.gap != found.gap) found.gap = (double)INFINITY;
  c->grid.reference = found;
}

// ---- the verdict

typedef struct verdict {      // on a chunk
  perp_certificate found;
  int snaps;
} verdict;

typedef struct trial {
  certifier *c;
  const double *x;            // as given,
  const double *inside;       //   within the bounds: c->x, or x itself until it proves not to be
  int clamped;
  double tol, absolute_tol;
  int outside[CHUNKS], finite[CHUNKS];
  double violation[CHUNKS], moved[CHUNKS];
  verdict of[CHUNKS];
} trial;

static void clamp_chunk(void *data, int32_t index) {
  trial *t = data;
  const perp_problem *p = t->c->problem;
  const chunk k = chunk_of(t->c->grid.cells, index);
  double violation = 0.0, moved = 0.0;
  int finite = 1;
  for (int32_t i = k.from; i < k.to; i++) {
    const double x = t->x[i], inside = clamp(x, lower(p->lo, i), upper(p->hi, i));
    finite &= x - x == 0.0;
    if (x != inside) {
      const certify_scale own = grid_judge_scale(t->c, i);
      violation = max2(violation, fabs(x - inside));
      moved = max2(moved, fabs(x - inside)*own.inverse_C/own.base);
    }
    t->c->x[i] = inside;
  }
  t->finite[index] = finite;
  t->violation[index] = violation;
  t->moved[index] = moved;
}

static void raise(perp_certificate *found, int32_t i, double componentwise) {
  if (!(componentwise > found->componentwise)) return;
  found->componentwise = componentwise;
  found->componentwise_row = i;
}

// Cell i with y and a = |A||x| + |b|.
static void judge_one(const trial *t, int32_t i, double y, double a, verdict *v) {
  const certifier *c = t->c;
  const perp_problem *p = c->problem;
  const double lo = lower(p->lo, i), hi = upper(p->hi, i), x = t->inside[i],
               away = fabs(t->x[i] - x);
  const double below = x - lo, above = x - hi, untold = overflow_of(y);
  const double natural = no_nan(fabs(mid(above, y, below))) + untold;
  const double distance = y > 0.0 ? below : -above;
  perp_certificate *found = &v->found;
  found->natural_residual = max2(found->natural_residual, natural);
  found->gap += fabs(y)*gap_distance(x, distance);
  const cell_rule rule = grid_rule_of(c, i);
  // An x that had to be moved far to its bounds is not the answer: how far counts like a residual.
  const double moved = away*rule.inverse_C,
               r = max2(distance_of(x, y, lo, hi, rule.R, rule.inverse_C), moved) + untold;
  v->snaps |= (r > 0.0) & (r < rule.R*fabs(y));
  const certify_row row = grid_judge_cell(&rule, r, y, moved, max2(a - fabs(p->b[i]), 0.0), t->tol);
  const double relative = r == 0.0 || (row.solved && row.base == 0.0) ? 0.0 : row.relative;
  if (relative > found->residual) {
    found->residual = relative;
    found->worst = i;
  }
  if (t->absolute_tol > 0.0 && max2(natural, away) <= t->absolute_tol && !rule.empty) return;
  const double wrong = rule.R*wrong_part(y, below, above);
  if (!(distance*rule.inverse_C < wrong) && !rule.empty)
    raise(found, i, componentwise_row(wrong, rule.R*a, row.base, (double)INFINITY));
  if (!row.solved) found->solved = 0;
  else if (!row.strict) found->attainable = 1;
}

// A run of cells of one component. A row is right if r_i is at most tol G with all that y_i may
// have lost. It is wrong if r_i exceeds tol G and all that rounding could excuse: 32 u S and the
// cap of 100 tol G.
EXACT_INLINE void judge_run(const trial *t, const cells *s, int32_t from, int32_t to,
                            const grid_part *part, const double *y, const double *a, verdict *v) {
  const double *x = t->inside + s->first, *given = t->x + s->first;
  const double G = part->G, S = part->S;
  perp_certificate *found = &v->found;
  const int plain = G > 0.0 && G < (double)INFINITY && S < (double)INFINITY;
  const four right = four_all(t->tol*G), share = four_all(lost_part(GRID_SLOTS));
  const four wrong = four_all(t->absolute_tol > 0.0 ? (double)INFINITY
                                                    : 102.0*t->tol*G + 64.0*u*S);
  four worst = four_all(0.0), natural = four_all(0.0), gap = four_all(0.0);
  four most_wrong = four_all(0.0);
  four_mask any_wrong = four_bits(0), any_snap = four_bits(0);
  int32_t q = from;
  for (; plain && q + 4 <= to; q += 4) {
    quad f = quad_at(s, q, part->unit, x, y);
    const four away = four_multiply(four_size(four_subtract(four_load(given + q), f.x)), f.inverse);
    const four lost = four_multiply(four_multiply(share, f.R), four_load(a + q));
    const four r = four_max(away, f.r);
    const four_mask is_right = four_at_most(four_add(r, lost), right),
                    // as far as it is r_i, and not only moved, that is too large
                    is_wrong = four_and(four_less(wrong, f.r),
                                        four_less(f.r, four_all((double)INFINITY))),
                    told = four_less(four_size(f.y), four_all((double)INFINITY));
    if (four_any(four_not(four_and(told, four_or(is_right, is_wrong))))) {
      for (int k = 0; k < 4; k++) judge_one(t, s->first + q + k, y[q + k], a[q + k], v);
      continue;
    }
    any_wrong = four_or(any_wrong, is_wrong);
    // where r_i is R_i |y_i|, not a distance, and more than rounding: componentwise.h
    const four size = four_multiply(f.R, four_load(a + q)),
               rounding = four_multiply(four_all(COMPONENTWISE_PRODUCT), size),
               excess = four_subtract(four_subtract(f.r, four_all(COMPONENTWISE_ROUNDING*G)),
                                      rounding);
    const four_mask counts = four_and(
        four_and(four_less(four_all(0.0), excess), four_less(four_all(t->absolute_tol), f.natural)),
        four_not(four_less(f.r, four_multiply(f.R, four_size(f.y)))));
    if (four_any(counts))
      most_wrong = four_max(four_keep(counts, four_divide(excess, size)), most_wrong);
    any_snap = four_or(any_snap, four_and(four_less(four_all(0.0), r),
                                          four_less(r, four_multiply(f.R, four_size(f.y)))));
    worst = four_max(r, worst);
    natural = four_max(f.natural, natural);
    gap = four_add(gap, gap_of(&f));
  }
  v->snaps |= four_any(any_snap);
  if (four_any(any_wrong)) found->solved = 0;
  found->natural_residual = max2(found->natural_residual, four_most(natural));
  found->gap += four_sum(gap);
  const double componentwise = four_most(most_wrong);
  if (componentwise > found->componentwise) {   // rarely: where is it?
    found->componentwise = componentwise;
    for (int32_t k = from; k < q; k++) {
      const double R = within(s->power[k]*part->unit);
      if (componentwise_row(R*fabs(y[k]), R*a[k], G, (double)INFINITY) == componentwise)
        found->componentwise_row = s->first + k;
    }
  }
  const double most = four_most(worst);
  if (most > found->residual*G) {   // rarely: where is it?
    found->residual = most/G;
    for (int32_t k = from; k < q; k++) {
      const double R = within(s->power[k]*part->unit), inverse = within(s->inverse[k]*part->unit);
      const double r = max2(distance_of(x[k], y[k], s->lo[k], s->hi[k], R, inverse),
                            fabs(given[k] - x[k])*inverse);
      if (r == most) found->worst = s->first + k;
    }
  }
  for (; q < to; q++) judge_one(t, s->first + q, y[q], a[q], v);
}
FOUR_TARGET static void judge_run_wide(const trial *t, const cells *s, int32_t from, int32_t to,
                                       const grid_part *part, const double *y, const double *a,
                                       verdict *v) {
  judge_run(t, s, from, to, part, y, a, v);
}
static void judge_run_plain(const trial *t, const cells *s, int32_t from, int32_t to,
                            const grid_part *part, const double *y, const double *a, verdict *v) {
  judge_run(t, s, from, to, part, y, a, v);
}

static void judge_chunk(void *data, int32_t index) {
  trial *t = data;
  certifier *c = t->c;
  chunk k = chunk_of(c->grid.cells, index);
  const int wide = FOUR_HAS_TARGET();
  double a[GRID_STRETCH_MAX];
  cells s;
  cells_begin(&s);
  verdict v = {.found = {.solved = 1, .worst = k.from, .componentwise_row = -1}};
  while (k.from < k.to) {
    double *y = c->y + k.from;
    const int32_t count = grid_residual_from(c->grid.cells, k.p, t->inside, c->problem->b + k.from,
                                             y, a),
                  *component = c->component + k.from;
    cells_at(c, k.from, count, &s);
    if (!t->clamped && !all_inside(&s, t->x + k.from)) {
      t->outside[index] = 1;
      return;
    }
    if (t->inside != c->x)
      memcpy(c->x + k.from, t->x + k.from, (size_t)count*sizeof *c->x);
    for (int32_t q = 0; q < count;) {
      if (component[q] < 0) {   // most often solid or air, and fixed: r = 0
        if (s.lo[q] != s.hi[q] || t->x[k.from + q] != s.lo[q] || overflow_of(y[q]) > 0.0)
          judge_one(t, k.from + q, y[q], a[q], &v);
        q++;
        continue;
      }
      const int32_t end = cells_run(component, q, count);
      (wide ? judge_run_wide : judge_run_plain)(t, &s, q, end, &c->grid.parts[component[q]], y,
                                                a, &v);
      q = end;
    }
    grid_advance(c->grid.cells, &k.p, count);
    k.from += count;
  }
  t->of[index] = v;
}

static void put_together(certifier *c, const trial *t, perp_certificate *certificate) {
  perp_certificate found = {.solved = 1, .worst = c->n > 0 ? 0 : -1, .components = c->components,
                            .componentwise_row = -1};
  int snaps = 0;
  for (int32_t q = 0; q < CHUNKS; q++) {
    const perp_certificate *part = &t->of[q].found;
    found.solved &= part->solved;
    found.attainable |= part->attainable;
    found.bound_violation = max2(found.bound_violation, t->violation[q]);
    found.natural_residual = max2(found.natural_residual, part->natural_residual);
    found.gap += part->gap;
    snaps |= t->of[q].snaps;
    raise(&found, part->componentwise_row, part->componentwise);
    if (!(part->residual > found.residual)) continue;
    found.residual = part->residual;
    found.worst = part->worst;
  }
  for (int32_t q = 0; q < CHUNKS; q++) {   // where x was moved in place its rows cannot tell
    if (t->x != c->x) break;
    found.residual = max2(found.residual, t->moved[q]);
    found.solved &= t->moved[q] <= t->tol;
  }
  if (found.gap != found.gap) found.gap = (double)INFINITY;
  found.solved &= found.componentwise <= componentwise_limit(c->componentwise.tol, t->tol);
  if (!found.solved) found.attainable = 0;
  c->last.snaps = snaps;
  *certificate = found;
}

perp_error grid_judge_check(certifier *c, const double *x, double tol, double absolute_tol, int far,
                            perp_certificate *certificate) {
  (void)far;   // its products are compensated at the price of plain ones
  trial t = {.c = c, .x = x, .inside = x, .tol = tol, .absolute_tol = absolute_tol};
  c->last.twice = 0;
  int outside = 0, finite = 1;
  team_run(c->threads, judge_chunk, &t, CHUNKS);
  for (int32_t q = 0; q < CHUNKS; q++) outside |= t.outside[q];
  if (outside) {
    t.inside = c->x;
    t.clamped = 1;
    team_run(c->threads, clamp_chunk, &t, CHUNKS);
    for (int32_t q = 0; q < CHUNKS; q++) finite &= t.finite[q];
    if (finite) team_run(c->threads, judge_chunk, &t, CHUNKS);
  }
  if (finite) {
    put_together(c, &t, certificate);
    return PERP_OK;
  }
  c->last.snaps = 1;
  *certificate = certificate_of_none(c);
  return PERP_OK;
}

// If x_ref = 0 has a row with r > 0, the largest r is G. No allowance for rounding is that large,
// because y = b is exact. Otherwise x_ref is judged like any x.
void grid_judge_reference(certifier *c, double tol, double absolute_tol,
                          perp_certificate *certificate) {
  *certificate = c->grid.reference;
  if (c->reference_is_zero && absolute_tol == 0.0 && c->grid.reference.residual > 0.0) return;
  grid_judge_take_reference(c);
  grid_judge_check(c, c->x, tol, absolute_tol, 0, certificate);
}
