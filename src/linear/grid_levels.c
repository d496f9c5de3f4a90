// grid_levels.c: masked multigrid on grids of cells, and conjugate gradients around it.
#include "grid_levels.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "linear.h"
#include "vector.h"

enum { MOST_LEVELS = 32, SMALLEST = 64, SWEEPS = 2, SWEEPS_AT_END = 40 };

typedef struct level {
  int32_t cells[3], n, halved[3];
  double size[3];                  // of a cell
  uint8_t *type;                   // n: without mask
  uint8_t *state;                  // n: with it: a free cell is LIQUID, a bound one AIR
  double *w[3], *leak;             // n: weights to the next cell of each direction, to air
  double *masked[3], *spill;       // n: the same under the mask of a finer level
  const double *use[3], *use_leak; // which of both
  double *r, *z, *v;               // n
} level;

struct grid_levels {
  perp_allocator allocator;
  team *threads;
  int32_t levels;
  size_t bytes;
  level at[MOST_LEVELS];
  double *p, *q;                   // n of level 0
  int32_t *label;                  // n of level 0
  int32_t closed;
  double *sum;                     // per closed component
  int32_t *held;                   // per closed component: cells that are not free
};

static void *take(grid_levels *g, int64_t count, size_t size) {
  if (count < 1) count = 1;
  if ((uint64_t)count > SIZE_MAX/size) return NULL;
  g->bytes += (size_t)count*size;
  void *block = g->allocator.allocate(g->allocator.context, (size_t)count*size);
  if (block != NULL) memset(block, 0, (size_t)count*size);
  return block;
}

static void give(const grid_levels *g, void *block) {
  if (block != NULL) g->allocator.release(g->allocator.context, block);
}

static const int32_t *strides(const level *l, int32_t stride[3]) {
  stride[0] = 1;
  stride[1] = l->cells[0];
  stride[2] = l->cells[0]*l->cells[1];
  return stride;
}

static void fine_weights(level *l, const perp_grid *grid) {
  const int32_t nx = l->cells[0], ny = l->cells[1];
  int32_t stride[3];
  strides(l, stride);
  memcpy(l->type, grid->type, (size_t)l->n);
  for (int32_t i = 0; i < l->n; i++) l->leak[i] = 0.0;
  for (int d = 0; d < 3; d++)
    for (int32_t i = 0; i < l->n; i++) {
      const int32_t at[3] = {i%nx, i/nx%ny, i/nx/ny};
      l->w[d][i] = 0.0;
      if (at[d] + 1 >= l->cells[d]) continue;
      int64_t f = i + stride[d];                     // the face above cell i
      if (d == 0) f += i/nx;
      if (d == 1) f += (int64_t)at[2]*nx;
      const double w = (grid->face[d] != NULL ? grid->face[d][f] : 1.0)/
                       (grid->spacing[d]*grid->spacing[d]);
      const uint8_t a = l->type[i], b = l->type[i + stride[d]];
      if (a == PERP_CELL_LIQUID && b == PERP_CELL_LIQUID) l->w[d][i] = w;
      else if (a == PERP_CELL_LIQUID && b == PERP_CELL_AIR) l->leak[i] += w;
      else if (a == PERP_CELL_AIR && b == PERP_CELL_LIQUID) l->leak[i + stride[d]] += w;
    }
}

// Types and weights of c from those of l; w, leak and state are the masked ones or those without.
static void coarse_weights(const level *l, const level *c, const uint8_t *state,
                           const double *const w[3], const double *leak, uint8_t *type,
                           double *const into[3], double *into_leak) {
  const int32_t nx = l->cells[0], ny = l->cells[1];
  for (int32_t k = 0; k < c->n; k++) {
    type[k] = PERP_CELL_SOLID;
    into_leak[k] = 0.0;
    for (int d = 0; d < 3; d++) into[d][k] = 0.0;
  }
  int32_t stride[3], coarse[3];
  strides(l, stride);
  strides(c, coarse);
  for (int32_t i = 0; i < l->n; i++) {
    const int32_t at[3] = {i%nx, i/nx%ny, i/nx/ny};
    int32_t k = 0;
    for (int d = 0; d < 3; d++) k += (at[d] >> l->halved[d])*coarse[d];
    if (state[i] == PERP_CELL_LIQUID) type[k] = PERP_CELL_LIQUID;
    else if (state[i] == PERP_CELL_AIR && type[k] == PERP_CELL_SOLID) type[k] = PERP_CELL_AIR;
    if (state[i] != PERP_CELL_LIQUID) continue;
    double out = leak[i];
    for (int d = 0; d < 3; d++) {
      if (at[d] > 0 && state[i - stride[d]] == PERP_CELL_AIR) out += w[d][i - stride[d]];
      if (at[d] + 1 >= l->cells[d]) continue;
      if (state[i + stride[d]] == PERP_CELL_AIR) out += w[d][i];
      if (state[i + stride[d]] == PERP_CELL_LIQUID && (!l->halved[d] || at[d]%2 == 1))
        into[d][k] += l->halved[d] ? 0.5*w[d][i] : w[d][i];
    }
    into_leak[k] += 0.5*out;
  }
}

static double diagonal_at(const level *l, const double *const w[3], const double *leak,
                          int32_t i) {
  const int32_t nx = l->cells[0], ny = l->cells[1];
  const int32_t at[3] = {i%nx, i/nx%ny, i/nx/ny};
  int32_t stride[3];
  strides(l, stride);
  double d = leak[i];
  for (int k = 0; k < 3; k++) d += w[k][i] + (at[k] > 0 ? w[k][i - stride[k]] : 0.0);
  return d;
}

// sum of w_ij x_j over the neighbours
static double around(const level *l, const double *const w[3], const double *x, int32_t i) {
  const int32_t nx = l->cells[0], ny = l->cells[1];
  const int32_t at[3] = {i%nx, i/nx%ny, i/nx/ny};
  int32_t stride[3];
  strides(l, stride);
  double s = 0.0;
  for (int d = 0; d < 3; d++) {
    if (at[d] + 1 < l->cells[d]) s += w[d][i]*x[i + stride[d]];
    if (at[d] > 0) s += w[d][i - stride[d]]*x[i - stride[d]];
  }
  return s;
}

static const double *const *plain(const level *l) { return (const double *const *)l->w; }

static int colour_of(const level *l, int32_t i) {
  const int32_t nx = l->cells[0], ny = l->cells[1];
  return (i%nx + i/nx%ny + i/nx/ny)%2;
}

// Components of liquid by a walk; `stack` is p as numbers.
static void find_closed(grid_levels *g) {
  level *l = &g->at[0];
  int32_t stride[3], *stack = (int32_t *)(void *)g->p;
  strides(l, stride);
  const int32_t nx = l->cells[0], ny = l->cells[1];
  for (int32_t i = 0; i < l->n; i++) g->label[i] = -2;
  g->closed = 0;
  for (int32_t start = 0; start < l->n; start++) {
    if (g->label[start] != -2) continue;
    if (l->type[start] != PERP_CELL_LIQUID) {
      g->label[start] = -1;
      continue;
    }
    int32_t first = 0, last = 0;
    double leak = 0.0;
    stack[last++] = start;
    g->label[start] = g->closed;
    while (first < last) {
      const int32_t i = stack[first++];
      leak += l->leak[i];
      const int32_t at[3] = {i%nx, i/nx%ny, i/nx/ny};
      for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
          if (side == 0 ? at[d] == 0 : at[d] + 1 >= l->cells[d]) continue;
          const int32_t j = side == 0 ? i - stride[d] : i + stride[d];
          if (g->label[j] == -2 && l->w[d][side == 0 ? j : i] > 0.0) {
            g->label[j] = g->closed;
            stack[last++] = j;
          }
        }
    }
    if (leak > 0.0)
      while (last > 0) g->label[stack[--last]] = -1;
    else g->closed++;
  }
}

static void fill_levels(grid_levels *g, const perp_grid *grid) {
  fine_weights(&g->at[0], grid);
  for (int32_t k = 0; k + 1 < g->levels; k++) {
    level *l = &g->at[k], *c = &g->at[k + 1];
    coarse_weights(l, c, l->type, plain(l), l->leak, c->type, c->w, c->leak);
  }
  find_closed(g);
  grid_levels_mask(g, 0, NULL);
}

static void choose_halves(const level *l, int32_t halved[3]) {
  double finest = INFINITY;
  for (int d = 0; d < 3; d++)
    if (l->cells[d] > 1) finest = min2(finest, l->size[d]);
  for (int d = 0; d < 3; d++) halved[d] = l->cells[d] > 1 && l->size[d] < 1.5*finest;
}

grid_levels *grid_levels_create(const perp_grid *grid, team *threads,
                                const perp_allocator *allocator, const perp_deadline *deadline,
                                int *failed) {
  const perp_allocator m = allocator_of(allocator);
  grid_levels *g = m.allocate(m.context, sizeof *g);
  *failed = -2;
  if (g == NULL) return NULL;
  *g = (grid_levels){.allocator = m, .threads = threads, .bytes = sizeof *g};
  int state = 0;
  for (int32_t k = 0; state == 0 && k < MOST_LEVELS; k++) {
    level *l = &g->at[k];
    for (int d = 0; d < 3; d++) {
      const level *f = k > 0 ? &g->at[k - 1] : NULL;
      l->cells[d] = k == 0 ? grid->cells[d] : (f->cells[d] + f->halved[d]) >> f->halved[d];
      l->size[d] = k == 0 ? grid->spacing[d] : f->halved[d] ? 2.0*f->size[d] : f->size[d];
    }
    l->n = l->cells[0]*l->cells[1]*l->cells[2];
    l->type = take(g, l->n, 1);
    l->state = take(g, l->n, 1);
    double **const vectors[] = {&l->w[0], &l->w[1], &l->w[2], &l->leak, &l->r, &l->z, &l->v,
                                &l->masked[0], &l->masked[1], &l->masked[2], &l->spill};
    if (l->type == NULL || l->state == NULL) state = -2;
    for (int v = 0; v < 11; v++) {
      *vectors[v] = take(g, l->n, sizeof(double));
      if (*vectors[v] == NULL) state = -2;
    }
    g->levels++;
    if (deadline_passed(deadline)) state = -1;
    if (l->n <= SMALLEST) break;
    choose_halves(l, l->halved);
  }
  const int32_t n = g->at[0].n;
  g->p = take(g, n, sizeof *g->p);
  g->q = take(g, n, sizeof *g->q);
  g->label = take(g, n, sizeof *g->label);
  g->sum = take(g, n, sizeof *g->sum);
  g->held = take(g, n, sizeof *g->held);
  if (g->p == NULL || g->q == NULL || g->label == NULL || g->sum == NULL || g->held == NULL)
    state = -2;
  *failed = state;
  if (state != 0) {
    grid_levels_destroy(g);
    return NULL;
  }
  fill_levels(g, grid);
  return g;
}

void grid_levels_destroy(grid_levels *g) {
  if (g == NULL) return;
  for (int32_t k = 0; k < g->levels; k++) {
    level *l = &g->at[k];
    give(g, l->type);
    give(g, l->state);
    double *const vectors[] = {l->w[0], l->w[1], l->w[2], l->leak, l->r, l->z, l->v,
                               l->masked[0], l->masked[1], l->masked[2], l->spill};
    for (int v = 0; v < 11; v++) give(g, vectors[v]);
  }
  give(g, g->p);
  give(g, g->q);
  give(g, g->label);
  give(g, g->sum);
  give(g, g->held);
  const perp_allocator m = g->allocator;
  m.release(m.context, g);
}

int grid_levels_renew(grid_levels *g, const perp_grid *grid) {
  for (int d = 0; d < 3; d++)
    if (grid->cells[d] != g->at[0].cells[d] || !(grid->spacing[d] == g->at[0].size[d])) return 1;
  fill_levels(g, grid);
  return 0;
}

int32_t grid_levels_count(const grid_levels *g) { return g->levels; }
size_t grid_levels_bytes(const grid_levels *g) { return g->bytes; }
int32_t grid_levels_shape(const grid_levels *g, int32_t level_of, int32_t cells[3]) {
  memcpy(cells, g->at[level_of].cells, 3*sizeof *cells);
  return g->at[level_of].n;
}
void grid_levels_halved(const grid_levels *g, int32_t level_of, int32_t halved[3]) {
  memcpy(halved, g->at[level_of].halved, 3*sizeof *halved);
}
const uint8_t *grid_levels_type(const grid_levels *g, int32_t level_of) {
  return g->at[level_of].type;
}
void grid_levels_diagonal(const grid_levels *g, int32_t level_of, double *d) {
  const level *l = &g->at[level_of];
  for (int32_t i = 0; i < l->n; i++)
    d[i] = l->type[i] == PERP_CELL_LIQUID ? diagonal_at(l, plain(l), l->leak, i) : 1.0;
}

void grid_levels_apply(const grid_levels *g, int32_t level_of, const double *x, const double *b,
                       double *y) {
  const level *l = &g->at[level_of];
  for (int32_t i = 0; i < l->n; i++) {
    const double Ax = l->type[i] != PERP_CELL_LIQUID ? x[i]
                    : diagonal_at(l, plain(l), l->leak, i)*x[i] - around(l, plain(l), x, i);
    y[i] = b != NULL ? Ax + b[i] : Ax;
  }
}

void grid_levels_sweep(const grid_levels *g, int32_t level_of, int32_t sweeps, const double *b,
                       const double *lo, const double *hi, double *x) {
  const level *l = &g->at[level_of];
  for (int32_t half = 0; half < 2*sweeps; half++)
    for (int32_t i = 0; i < l->n; i++) {
      if (l->type[i] != PERP_CELL_LIQUID || colour_of(l, i) != half%2) continue;
      const double d = diagonal_at(l, plain(l), l->leak, i);
      if (!(d > 0.0)) continue;
      double v = (around(l, plain(l), x, i) - b[i])/d;
      if (hi != NULL) v = min2(hi[i], v);
      if (lo != NULL) v = max2(lo[i], v);
      x[i] = v;
    }
}

static int32_t parent(const level *l, const level *c, int32_t i) {
  const int32_t nx = l->cells[0], ny = l->cells[1];
  return ((i/nx/ny >> l->halved[2])*c->cells[1] + (i/nx%ny >> l->halved[1]))*c->cells[0] +
         (i%nx >> l->halved[0]);
}

void grid_levels_coarsen(const grid_levels *g, int32_t level_of, int32_t mean, const double *v,
                         double *coarse) {
  const level *l = &g->at[level_of], *c = l + 1;
  for (int32_t k = 0; k < c->n; k++) coarse[k] = c->v[k] = 0.0;
  for (int32_t i = 0; i < l->n; i++) {
    if (l->type[i] != PERP_CELL_LIQUID) continue;
    coarse[parent(l, c, i)] += v[i];
    c->v[parent(l, c, i)] += 1.0;
  }
  for (int32_t k = 0; mean && k < c->n; k++)
    if (c->v[k] > 0.0) coarse[k] /= c->v[k];
}

void grid_levels_coarsen_flags(const grid_levels *g, int32_t level_of, const uint8_t *v,
                               uint8_t *coarse) {
  const level *l = &g->at[level_of], *c = l + 1;
  memset(coarse, 0, (size_t)c->n);
  for (int32_t i = 0; i < l->n; i++)
    if (l->type[i] == PERP_CELL_LIQUID) coarse[parent(l, c, i)] |= v[i];
}

// v_i += value of the coarse function at cell i (or the transpose: coarse += weights times v_i).
static void interpolate(const level *l, const level *c, const uint8_t *type, int32_t i,
                        double *coarse, double *v, int transpose) {
  const int32_t nx = l->cells[0], ny = l->cells[1];
  const int32_t at[3] = {i%nx, i/nx%ny, i/nx/ny};
  int32_t stride[3];
  strides(c, stride);
  const int32_t k = parent(l, c, i);
  for (int corner = 0; corner < 8; corner++) {
    double weight = 1.0;
    int32_t j = k, inside = 1;
    for (int d = 0; d < 3; d++) {
      const int far = corner >> d & 1;
      if (!l->halved[d]) {
        if (far) weight = 0.0;
        continue;
      }
      weight *= far ? 0.25 : 0.75;
      if (!far) continue;
      const int32_t to = (at[d] >> 1) + (at[d]%2 == 1 ? 1 : -1);
      if (to < 0 || to >= c->cells[d]) inside = 0;
      j += at[d]%2 == 1 ? stride[d] : -stride[d];
    }
    if (weight == 0.0) continue;
    if (!inside || type[j] == PERP_CELL_SOLID) j = k;
    if (type[j] == PERP_CELL_AIR) continue;
    if (transpose) coarse[j] += weight*v[i];
    else v[i] += weight*coarse[j];
  }
}

void grid_levels_refine(const grid_levels *g, int32_t level_of, const double *coarse, double *v) {
  const level *l = &g->at[level_of], *c = l + 1;
  for (int32_t i = 0; i < l->n; i++) {
    v[i] = 0.0;
    if (l->type[i] == PERP_CELL_LIQUID)
      interpolate(l, c, c->type, i, (double *)(uintptr_t)coarse, v, 0);
  }
}

void grid_levels_mask(grid_levels *g, int32_t from, const uint8_t *is_free) {
  level *l = &g->at[from];
  for (int d = 0; d < 3; d++) l->use[d] = l->w[d];
  l->use_leak = l->leak;
  for (int32_t i = 0; i < l->n; i++) {
    l->state[i] = l->type[i];
    if (l->type[i] != PERP_CELL_LIQUID) continue;
    if (!(diagonal_at(l, plain(l), l->leak, i) > 0.0)) l->state[i] = PERP_CELL_SOLID;
    else if (is_free != NULL && !is_free[i]) l->state[i] = PERP_CELL_AIR;
  }
  for (int32_t k = from; k + 1 < g->levels; k++) {
    level *f = &g->at[k], *c = &g->at[k + 1];
    coarse_weights(f, c, f->state, f->use, f->use_leak, c->state, c->masked, c->spill);
    for (int d = 0; d < 3; d++) c->use[d] = c->masked[d];
    c->use_leak = c->spill;
  }
  if (from > 0) return;
  for (int32_t k = 0; k < g->closed; k++) g->held[k] = 0;
  for (int32_t i = 0; i < l->n; i++)
    if (g->label[i] >= 0 && l->state[i] != PERP_CELL_LIQUID) g->held[g->label[i]]++;
}

static void relax(const level *l, int colour) {
  for (int32_t i = 0; i < l->n; i++)
    if (l->state[i] == PERP_CELL_LIQUID && colour_of(l, i) == colour) {
      const double d = diagonal_at(l, l->use, l->use_leak, i);
      l->z[i] = d > 0.0 ? (l->r[i] + around(l, l->use, l->z, i))/d : 0.0;
    }
}

static void cycle(grid_levels *g, int32_t at) {      // l->r into l->z
  level *l = &g->at[at], *c = l + 1;
  for (int32_t i = 0; i < l->n; i++) l->z[i] = 0.0;
  const int last = at + 1 == g->levels;
  const int sweeps = last ? SWEEPS_AT_END : SWEEPS;
  for (int k = 0; k < 2*sweeps; k++) relax(l, k%2);
  if (!last) {
    for (int32_t k = 0; k < c->n; k++) c->r[k] = 0.0;
    for (int32_t i = 0; i < l->n; i++) {
      l->v[i] = 0.0;
      if (l->state[i] != PERP_CELL_LIQUID) continue;
      l->v[i] = l->r[i] - diagonal_at(l, l->use, l->use_leak, i)*l->z[i] + around(l, l->use, l->z, i);
      interpolate(l, c, c->state, i, c->r, l->v, 1);
    }
    cycle(g, at + 1);
    for (int32_t i = 0; i < l->n; i++)
      if (l->state[i] == PERP_CELL_LIQUID) interpolate(l, c, c->state, i, c->z, l->z, 0);
  }
  for (int k = 0; k < 2*sweeps; k++) relax(l, (k + 1)%2);
}

void grid_levels_cycle(grid_levels *g, int32_t from, const double *r, double *z) {
  level *l = &g->at[from];
  for (int32_t i = 0; i < l->n; i++) l->r[i] = l->state[i] == PERP_CELL_LIQUID ? r[i] : 0.0;
  cycle(g, from);
  memcpy(z, l->z, (size_t)l->n*sizeof *z);
}

static void centre(grid_levels *g, int32_t from, double *v) {   // mean 0 where it is singular
  if (from > 0 || g->closed == 0) return;
  int32_t n = g->at[0].n, *count = (int32_t *)(void *)(g->sum + g->closed);
  for (int32_t k = 0; k < g->closed; k++) {
    g->sum[k] = 0.0;
    count[k] = 0;
  }
  for (int32_t i = 0; i < n; i++)
    if (g->label[i] >= 0) {
      g->sum[g->label[i]] += v[i];
      count[g->label[i]]++;
    }
  for (int32_t i = 0; i < n; i++)
    if (g->label[i] >= 0 && g->held[g->label[i]] == 0)
      v[i] -= g->sum[g->label[i]]/count[g->label[i]];
}

int grid_levels_solve(grid_levels *g, int32_t from, const double *r, double *z, double relative,
                      double absolute, int32_t limit, const perp_deadline *deadline,
                      grid_levels_report *report) {
  level *l = &g->at[from];
  const int32_t n = l->n;
  double *rest = l->spill, *p = g->p, *q = g->q, *c = l->masked[0];   // not in use on this level
  for (int32_t i = 0; i < n; i++) {
    rest[i] = l->state[i] == PERP_CELL_LIQUID ? r[i] : 0.0;
    z[i] = p[i] = 0.0;
  }
  centre(g, from, rest);
  double before = 0.0;
  for (int32_t k = 0;; k++) {
    double norm = 0.0, most = 0.0;
    for (int32_t i = 0; i < n; i++) {
      norm += rest[i]*rest[i];
      most = max2(most, fabs(rest[i]));
    }
    norm = sqrt(norm);
    if (k == 0) {
      report->norm_before = norm;
      report->most_before = most;
    }
    report->iterations = k;
    report->norm = norm;
    report->most = most;
    if (norm <= relative*report->norm_before || most <= absolute) return 0;
    if (k == limit) return 1;
    if (deadline_passed(deadline)) return -1;
    grid_levels_cycle(g, from, rest, c);
    centre(g, from, c);
    const double inner = dot(n, c, rest);
    const double turn = k > 0 ? -dot(n, c, q)/before : 0.0;
    if (!(inner > 0.0)) return 1;
    for (int32_t i = 0; i < n; i++) p[i] = c[i] + turn*p[i];
    for (int32_t i = 0; i < n; i++)
      q[i] = l->state[i] != PERP_CELL_LIQUID ? 0.0
           : diagonal_at(l, plain(l), l->leak, i)*p[i] - around(l, plain(l), p, i);
    const double bend = dot(n, p, q), step = inner/bend;
    if (!(bend > 0.0)) return 1;
    for (int32_t i = 0; i < n; i++) {
      z[i] += step*p[i];
      q[i] *= step;
      rest[i] -= q[i];
    }
    before = inner;
  }
}

int32_t grid_levels_closed(const grid_levels *g, const int32_t **label) {
  *label = g->closed > 0 ? g->label : NULL;
  return g->closed;
}
