// assemble.c: the pressure problem of a substep.
//
// With u the velocity after forces, s the open fraction of a face and v the velocity of its wall,
//     b = density/dt (D u - kappa phi),   (D u) = 1/h sum over the faces of +-(s u + (1 - s) v),
// phi the fraction of the cell that is not solid. A = -div(w grad) has the weights w = s between
// two liquid cells and s/theta towards air, theta the part of the way between the two centres that
// is liquid, where the pressure is 0 [Gibou et al. 2002]: theta = l/(l - a), l and a the distances
// of the surface. theta is at least THETA_MIN, because the weight would grow without bound as the
// surface approaches a centre. Then A p + b = density/dt (D u' - kappa phi) for u' = u - dt/density
// grad p.
//
// A liquid cell is complementary, 0 <= p _|_ D u' - kappa phi >= 0, where it touches a wall: a face
// that is not wholly open, except across a grid of one cell, where nothing moves. ANE17 (46)-(47)
// have it the wrong way round. All others, and all with walls that do not separate, are equations.
//
// In a part of the liquid without a free surface, sum A p = 0 over its cells. So a solution needs
// sum b = 0 if all its cells are equations, and sum b >= 0 if not. A piston that presses on a full
// container violates this. Then the excess volume is spread over all cells of that part,
// b += |sum b|/cells: they are compressed by as much as the piston moves. The report says
// infeasible if perp_check_farkas confirms it, otherwise unsolved.
//
// No slip: faces within half a cell of a wall start the substep with the wall's velocity, to which
// only forces and pressure are added, so liquid at rest stays at rest.
#include <perp/analysis.h>

#include "lattice.h"

#define THETA_MIN 0.01           // smallest share of liquid between two centres

typedef struct work {
  perp_fluid *f;
  lattice cells;
  int32_t *part;        // cells: of the liquid; the number of one of its cells
  uint8_t *free_surface;   // cells: of part `number`: it has one
  int32_t *bad;         // lines: 1 + the cell whose velocity is not a number
} work;

typedef struct total { double sum, size; int32_t count; } total;   // of b over a part: and of |b|

static double ghost(double liquid, double air) {
  const double theta = liquid/(liquid - air);
  return theta < THETA_MIN ? THETA_MIN : theta;
}

static void weigh(void *data, int32_t axis, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice l = faces_of(f, axis), *c = &w->cells;
  const int32_t s = c->stride[axis];
  for (int32_t k = 0; k < l.n[2]; k++)
    for (int32_t j = 0; j < l.n[1]; j++)
      for (int32_t i = 0; i < l.n[0]; i++) {
        const int32_t face = at(&l, i, j, k), high = at(c, i, j, k), low = high - s;
        const double open = f->open[axis][face];
        double *weight = &f->weight[axis][face];
        *weight = open;
        if (!(open > 0.0)) continue;   // and so on all sides of the grid
        const int liquid_low = f->type[low] == PERP_CELL_LIQUID;
        const int liquid_high = f->type[high] == PERP_CELL_LIQUID;
        if (liquid_low == liquid_high) continue;
        *weight = open/(liquid_low ? ghost(f->surface[low], f->surface[high])
                                   : ghost(f->surface[high], f->surface[low]));
      }
}

// ---------------------------------------------------------------------------- parts of the liquid

static int32_t find(int32_t *part, int32_t c) {
  while (part[c] != c) {
    part[c] = part[part[c]];
    c = part[c];
  }
  return c;
}

static int joined(const perp_fluid *f, int a, int32_t face, int32_t neighbour, int type) {
  return f->weight[a][face] > 0.0 && f->type[neighbour] == type;
}

// part: the lowest cell of each connected part of the liquid; free_surface of that cell. Cells are
// looked at in their order, so that the lowest one of a part comes first.
static int32_t connect(const work *w) {
  const perp_fluid *f = w->f;
  const lattice *l = &w->cells;
  int32_t *part = w->part, count = 0;
  lattice faces[3];
  for (int a = 0; a < f->dimension; a++) faces[a] = faces_of(f, a);
  for (int pass = 0; pass < 2; pass++)   // unite, then look for air
    for (int32_t line = 0, c = 0; line < lines_of(l); line++) {
      const int32_t j = line % l->n[1], k = line/l->n[1];
      int32_t face[3];
      for (int a = 0; a < f->dimension; a++) face[a] = at(&faces[a], 0, j, k);
      for (int32_t i = 0; i < l->n[0]; i++, c++) {
        if (f->type[c] != PERP_CELL_LIQUID) continue;
        if (pass == 0) {
          part[c] = c;
          for (int a = 0; a < f->dimension; a++) {
            const int32_t low = c - l->stride[a];
            if (!joined(f, a, face[a] + i, low, PERP_CELL_LIQUID)) continue;
            const int32_t p = find(part, low), q = find(part, c);
            if (p < q) part[q] = p;
            else part[p] = q;
          }
          continue;
        }
        const int32_t p = part[c] = find(part, c);
        if (p == c) w->free_surface[c] = 0, count++;
        for (int a = 0; a < f->dimension && !w->free_surface[p]; a++) {
          const int32_t low = face[a] + i, s = l->stride[a];
          w->free_surface[p] = joined(f, a, low, c - s, PERP_CELL_AIR) ||
                               joined(f, a, low + faces[a].stride[a], c + s, PERP_CELL_AIR);
        }
      }
    }
  return count;
}

// ------------------------------------------------------------------------------------ rows

// the fraction of a cell that is not solid
static double room(const perp_fluid *f, int32_t i, int32_t j, int32_t k) {
  if (f->solids == 0) return 1.0;
  const lattice l = corners_of(f);
  const int32_t high = f->dimension == 3 ? l.stride[2] : 0;
  const double *d = f->solid_distance + at(&l, i, j, k);
  double v[8], centre = 0.0;
  for (int c = 0; c < 8; c++) {
    v[c] = -d[(c & 1) + (c >> 1 & 1)*l.stride[1] + (c >> 2)*high];
    centre += 0.125*v[c];
  }
  return f->dimension == 3 ? cube_below(v, centre) : square_below(v, centre);
}

// D u of a cell; *touches: it has a face that is not wholly open. A sum that is only rounding is
// set to 0: otherwise liquid in free fall would need the pressure of noise, to eight digits.
#define DIVERGENCE_ROUNDING 1e-12   // relative to the sum of |terms|
double fluid_divergence(const perp_fluid *f, int32_t i, int32_t j, int32_t k, int *touches) {
  double sum = 0.0, size = 0.0;
  *touches = 0;
  for (int a = 0; a < f->dimension; a++) {
    const lattice l = faces_of(f, a);
    const int32_t low = at(&l, i, j, k), high = low + l.stride[a];
    const double *s = f->open[a], *u = f->u[a], *v = f->wall[a];
    const double out = s[high]*u[high] + (1.0 - s[high])*v[high];
    const double in = s[low]*u[low] + (1.0 - s[low])*v[low];
    sum += out - in;
    size += fabs(out) + fabs(in);
    if (f->n[a] > 1 && (s[low] < 1.0 || s[high] < 1.0)) *touches = 1;
  }
  return fabs(sum) <= DIVERGENCE_ROUNDING*size ? 0.0 : sum/f->h;
}

double fluid_aim_at(const perp_fluid *f, int32_t i, int32_t j, int32_t k) {
  const int32_t c = (k*f->n[1] + j)*f->n[0] + i;
  const double own = f->kappa != NULL ? f->kappa[c] : 0.0;
  const double kappa = own + (f->vented[c] ? f->correction : 0.0);
  return kappa == 0.0 ? 0.0 : kappa*room(f, i, j, k);
}

static void fill(void *data, int32_t part, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice *l = &w->cells;
  const double scale = f->settings.density/f->dt;
  const int separating = f->settings.walls == PERP_WALLS_SEPARATING;
  for (int32_t line = first_line(l, part), end = first_line(l, part + 1); line < end; line++) {
    const int32_t j = line % l->n[1], k = line/l->n[1];
    w->bad[line] = 0;
    for (int32_t i = 0; i < l->n[0]; i++) {
      const int32_t c = line*l->n[0] + i;
      f->b[c] = f->lo[c] = f->hi[c] = 0.0;
      f->vented[c] = 0;
      if (f->type[c] != PERP_CELL_LIQUID) continue;
      int touches;
      const double divergence = fluid_divergence(f, i, j, k, &touches);
      f->vented[c] = w->free_surface[w->part[c]];
      f->b[c] = scale*(divergence - fluid_aim_at(f, i, j, k));
      if (!isfinite(f->b[c])) w->bad[line] = 1 + c;
      f->hi[c] = INFINITY;
      f->lo[c] = separating && (touches || f->settings.every_cell) ? 0.0 : -INFINITY;
    }
  }
}

// f->infeasible: is there no pressure, before the sums are made possible? u: cells, as perp_farkas
// has it. A vector that the check refuses proves nothing.
static perp_error check_infeasible(perp_fluid *f, const double *u) {
  const perp_problem problem = {.A = perp_from_grid(&f->grid, PERP_CLAIM_NONE), .b = f->b,
                                .lo = f->lo, .hi = f->hi};
  perp_farkas farkas;
  const perp_error error = perp_check_farkas_within(&problem, u, f->options.tol,
                                                    f->options.absolute_tol, &f->allocator, &farkas);
  if (error == PERP_ERROR_MEMORY) return refuse(error, "%s", perp_last_message());
  f->infeasible = error == PERP_OK && farkas.proven;
  return PERP_OK;
}

// Closed parts: makes their sums possible. f->squeezed counts those that were not, by more than
// rounding. proof: cells, work; constant in each of them, it is the vector that is to prove it.
// Of parts that can open the sum becomes a little more than 0: one that is 0 but for rounding may
// be less than 0, which has no solution.
static perp_error balance(const work *w, total *of, double *proof) {
  perp_fluid *f = w->f;
  double largest = 0.0;
  int32_t closed = 0;
  f->squeezed = f->infeasible = 0;
  for (int32_t c = 0; c < f->cells; c++) {
    if (f->type[c] != PERP_CELL_LIQUID || w->part[c] != c || w->free_surface[c]) continue;
    of[c] = (total){0};
    closed++;
  }
  if (closed == 0) return PERP_OK;
  uint8_t *can_open = w->free_surface;   // of a closed part: 2
  for (int32_t c = 0; c < f->cells; c++) {
    const int32_t p = w->part[c];
    if (f->type[c] != PERP_CELL_LIQUID || can_open[p] == 1) continue;
    of[p].sum += f->b[c];
    of[p].size += fabs(f->b[c]);
    of[p].count++;
    if (f->lo[c] == 0.0) can_open[p] = 2;
  }
  for (int a = 0; a < f->dimension; a++)   // what b was summed from
    for (int32_t face = 0; face < f->faces[a]; face++) {
      const double u = fabs(f->open[a][face] > 0.0 ? f->u[a][face] : 0.0);
      if (u > largest) largest = u;
    }
  const double rounding = DIVERGENCE_ROUNDING*f->settings.density/f->dt*largest/f->h;
  for (int32_t c = 0; c < f->cells; c++) {
    const int32_t p = w->part[c];
    proof[c] = 0.0;
    if (f->type[c] != PERP_CELL_LIQUID || can_open[p] == 1) continue;
    const double sum = of[p].sum, size = of[p].size;
    if (can_open[p] == 2 && sum >= 0.0) continue;
    if (!(fabs(sum)/of[p].count > rounding + DIVERGENCE_ROUNDING*size/of[p].count)) continue;
    proof[c] = (sum < 0.0 ? 1.0 : -1.0)/size;
    f->squeezed += p == c;
  }
  if (f->squeezed > 0) {
    const perp_error error = check_infeasible(f, proof);
    if (error != PERP_OK) return error;
  }
  for (int32_t c = 0; c < f->cells; c++) {
    const int32_t p = w->part[c];
    if (f->type[c] != PERP_CELL_LIQUID || can_open[p] == 1) continue;
    const double more = can_open[p] == 2 ? DIVERGENCE_ROUNDING*of[p].size : 0.0;
    if (can_open[p] == 2 && of[p].sum >= more) continue;
    f->b[c] -= of[p].sum/of[p].count - more/of[p].count;
  }
  return PERP_OK;
}

// ----------------------------------------------------------------------------------------- no slip

static int near_wall(const perp_fluid *f, int32_t i, int32_t j, int32_t k, int axis) {
  for (int a = 0; a < f->dimension; a++) {
    if (a == axis) continue;
    const lattice l = faces_of(f, a);
    const int32_t low = at(&l, i, j, k);
    if (f->n[a] > 1 && (f->open[a][low] < 1.0 || f->open[a][low + l.stride[a]] < 1.0)) return 1;
  }
  return 0;
}

static void hold(perp_fluid *f) {
  for (int a = 0; a < f->dimension; a++) {
    const lattice l = faces_of(f, a);
    for (int32_t k = 0; k < l.n[2]; k++)
      for (int32_t j = 0; j < l.n[1]; j++)
        for (int32_t i = 0; i < l.n[0]; i++) {
          const int32_t face = at(&l, i, j, k), place[3] = {i, j, k};
          int held = f->open[a][face] < 1.0;
          if (!held && place[a] < f->n[a]) held = near_wall(f, i, j, k, a);
          if (!held && place[a] > 0)
            held = near_wall(f, i - (a == 0), j - (a == 1), k - (a == 2), a);
          if (held) f->u[a][face] = f->wall[a][face] + (f->u[a][face] - f->before[a][face]);
        }
  }
}

perp_error fluid_assemble(perp_fluid *f) {
  work w = {.f = f, .cells = cells_of(f)};
  f->correction = fluid_correction(f);
  const size_t cells = (size_t)f->cells, lines = (size_t)lines_of(&w.cells);
  total *of = fluid_scratch(f, cells*(sizeof(total) + sizeof(double) + sizeof(int32_t) + 1) +
                              lines*sizeof(int32_t));
  if (of == NULL) return PERP_ERROR_MEMORY;
  double *proof = (double *)(of + cells);
  w.part = (int32_t *)(proof + cells);
  w.bad = w.part + cells;
  w.free_surface = (uint8_t *)(w.bad + lines);
  if (f->settings.walls == PERP_WALLS_NO_SLIP) hold(f);
  crew_run(f->crew, weigh, &w, f->dimension);
  f->report.components = connect(&w);
  crew_run(f->crew, fill, &w, parts_of(&w.cells));
  for (size_t line = 0; line < lines; line++)
    if (w.bad[line] > 0) {
      const int32_t c = w.bad[line] - 1, nx = f->n[0], ny = f->n[1];
      return refuse(PERP_ERROR_PROBLEM, "cell (%d, %d, %d): the velocity is not finite",
                    (int)(c % nx), (int)(c/nx % ny), (int)(c/nx/ny));
    }
  const perp_error error = balance(&w, of, proof);
  if (error != PERP_OK) return error;
  f->report.liquid = f->report.complementary = 0;
  for (int32_t c = 0; c < f->cells; c++) {
    f->report.liquid += f->type[c] == PERP_CELL_LIQUID;
    f->report.complementary += f->type[c] == PERP_CELL_LIQUID && f->lo[c] == 0.0;
  }
  return PERP_OK;
}
