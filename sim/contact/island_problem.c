// island_problem.c: the problem of an island: normal LCP, friction LCP E13 (27), or boxed friction.
//
// A row of J, for a direction e at the point of a contact: e on body a, -e on b, and the moments
// arm x e. B = J W J' couples contacts that share a body. Normal and boxed problems are products
// that are never formed, except that small ones are dense, which is faster. The same holds for
//     [ Bnn  Bnt  0 ] [ ln ]   [ bn ]
//     [ Btn  Btt  E ] [ lt ] + [ bt ]  >= 0   _|_   x >= 0,     E13 (27) with the signs corrected
//     [ mu   -E'  0 ] [ s  ]   [ 0  ]
// with ln of contact c at c, lt of its direction k at nc + K c + k, the sliding speed s at
// (1 + K) nc + c. Direction k is cos(2 pi k/K) t1 + sin(2 pi k/K) t2.
#include "island_problem.h"

#include <string.h>

static const contact *contact_at(const contact_list *l, const island *s, int32_t i) {
  return (const contact *)l->contacts.at + s->order[i];
}

static double *x_at(const perp_world *w, const contact_list *l, const island *s, int32_t i) {
  return (double *)l->x.at + (size_t)s->order[i]*(size_t)w->width;
}

static const double *direction(const contact *c, int which) {   // normal, tangents
  return which == 0 ? c->normal : c->t[which - 1];
}

static int32_t side(const contact *c, int which) { return which == 0 ? c->a : c->b; }

// arm x e of side and direction at [side][direction], and W times it behind
static int find_arms(const perp_world *w, worker *by, const contact_list *l, const island *s,
                     int directions) {
  if (!buffer_grow(&by->allocator, &by->arms, (size_t)s->count*36*sizeof(double), 0)) return 0;
  double *out = by->arms.at;
  for (int32_t i = 0; i < s->count; i++, out += 36) {
    const contact *c = contact_at(l, s, i);
    memset(out, 0, 36*sizeof *out);
    for (int which = 0; which < 2; which++) {
      const body *o = bodies_of(w) + side(c, which);
      if (!moves(o)) continue;
      for (int k = c->central >> which & 1; k < directions; k++) {
        double *turn = out + 9*which + 3*k;
        cross3(c->arm[which], direction(c, k), turn);
        apply3(o->W, turn, turn + 18);
      }
    }
  }
  return 1;
}

// G = directions x directions of B between contacts i and j, row-major with stride 3. Called with
// i <= j only, so that B is symmetric to the last bit.
static void couple(const perp_world *w, const worker *by, const contact *ci, const contact *cj,
                   int32_t i, int32_t j, int directions, double *G) {
  const double *arms = by->arms.at, *ai = arms + 36*(size_t)i, *aj = arms + 36*(size_t)j;
  memset(G, 0, 9*sizeof *G);
  for (int p = 0; p < 2; p++)
    for (int q = 0; q < 2; q++) {
      if (side(ci, p) != side(cj, q)) continue;
      const body *o = bodies_of(w) + side(ci, p);
      if (!moves(o)) continue;
      const double sign = p == q ? 1.0 : -1.0;
      for (int k = 0; k < directions; k++)
        for (int m = 0; m < directions; m++)
          G[3*k + m] += sign*(o->weight*dot3(direction(ci, k), direction(cj, m)) +
                              dot3(ai + 9*p + 3*k, aj + 9*q + 3*m + 18));
    }
  if (i != j) return;
  for (int k = 0; k < directions; k++)   // rounding of W must not show
    for (int m = 0; m < k; m++) G[3*k + m] = G[3*m + k];
}

static int vectors(worker *by, int64_t n) {
  const size_t bytes = (size_t)n*sizeof(double);
  return buffer_grow(&by->allocator, &by->b, bytes, 0) &&
         buffer_grow(&by->allocator, &by->x, bytes, 0);
}

// ---- products ----

static int32_t freedoms(const perp_world *w, const island *s) {
  const int32_t dimension = w->settings.dimension;
  return !s->turning ? dimension : dimension == 2 ? 3 : 6;
}

static int32_t put(int32_t *column, double *value, int32_t at, int32_t where, double v) {
  if (v == 0.0) return at;
  column[at] = where;
  value[at] = v;
  return at + 1;
}

// The row of direction k at contact i: columns ascending.
static int32_t put_row(const perp_world *w, const worker *by, const island *s, const contact *c,
                       int32_t i, int k, int32_t at) {
  const int32_t dimension = w->settings.dimension, D = freedoms(w, s);
  const double *arms = (const double *)by->arms.at + 36*(size_t)i, *e = direction(c, k);
  const body *o = bodies_of(w);
  const int first = moves(&o[c->a]) && moves(&o[c->b]) && o[c->b].local < o[c->a].local;
  int32_t *column = by->column.at;
  double *value = by->value.at;
  for (int turn = 0; turn < 2; turn++) {
    const int which = turn ^ first;
    const body *of = o + side(c, which);
    if (!moves(of)) continue;
    const double sign = which == 0 ? 1.0 : -1.0, *arm = arms + 9*which + 3*k;
    const int32_t base = D*of->local;
    for (int32_t d = 0; d < dimension; d++) at = put(column, value, at, base + d, sign*e[d]);
    if (!s->turning) continue;
    if (dimension == 2) {
      at = put(column, value, at, base + 2, sign*arm[2]);
    } else {
      for (int32_t d = 0; d < 3; d++) at = put(column, value, at, base + 3 + d, sign*arm[d]);
    }
  }
  return at;
}

static void put_weights(const perp_world *w, const island *s, int32_t block, double *W) {
  const int32_t D = freedoms(w, s), dimension = w->settings.dimension;
  memset(W, 0, (size_t)s->bodies*(size_t)D*(size_t)block*sizeof *W);
  for (int32_t i = 0; i < s->bodies; i++) {
    const body *o = bodies_of(w) + s->member[i];
    double *at = W + (size_t)i*(size_t)D*(size_t)block;
    for (int32_t d = 0; d < dimension; d++) at[d*block + (block == 3 ? d : 0)] = o->weight;
    if (!s->turning) continue;
    if (dimension == 2) at[2] = o->W[8];
    else if (block == 1)
      for (int32_t d = 0; d < 3; d++) at[3 + d] = o->W[4*d];
    else
      for (int32_t d = 0; d < 9; d++) at[9 + d] = o->W[d];
  }
}

// J and W; b and x are the caller's.
static int put_bodies(const perp_world *w, worker *by, const contact_list *l, const island *s,
                      int directions, assembled *out) {
  const int32_t n = directions*s->count, D = freedoms(w, s), dofs = D*s->bodies;
  const int32_t block = s->turning && w->settings.dimension == 3 && !s->round ? 3 : 1;
  const perp_allocator *from = &by->allocator;
  if (!find_arms(w, by, l, s, directions) ||
      !buffer_grow(from, &by->rowptr, ((size_t)n + 1)*sizeof(int32_t), 0) ||
      !buffer_grow(from, &by->column, (size_t)n*2*(size_t)D*sizeof(int32_t), 0) ||
      !buffer_grow(from, &by->value, (size_t)n*2*(size_t)D*sizeof(double), 0) ||
      !buffer_grow(from, &by->W, (size_t)dofs*(size_t)block*sizeof(double), 0))
    return 0;
  int32_t *rowptr = by->rowptr.at, at = 0;
  for (int32_t i = 0; i < s->count; i++)
    for (int k = 0; k < directions; k++) {
      rowptr[directions*i + k] = at;
      at = put_row(w, by, s, contact_at(l, s, i), i, k, at);
    }
  rowptr[n] = at;
  put_weights(w, s, block, by->W.at);
  out->product = (perp_product){.n = n, .dofs = dofs, .rowptr = rowptr, .column = by->column.at,
                                .value = by->value.at, .block = block, .W = by->W.at};
  return 1;
}

static int put_product(const perp_world *w, worker *by, const contact_list *l, const island *s,
                       int directions, assembled *out) {
  if (!put_bodies(w, by, l, s, directions, out) || !vectors(by, directions*s->count)) return 0;
  out->problem = (perp_problem){.A = perp_from_product(&out->product, PERP_CLAIM_NONE),
                                .b = by->b.at};
  out->x = by->x.at;
  return 1;
}

static int put_dense(const perp_world *w, worker *by, const contact_list *l, const island *s,
                     int directions, assembled *out) {
  const int32_t n = directions*s->count;
  if (!find_arms(w, by, l, s, directions) || !vectors(by, n) ||
      !buffer_grow(&by->allocator, &by->value, (size_t)n*(size_t)n*sizeof(double), 0))
    return 0;
  double *A = by->value.at, G[9];
  for (int32_t i = 0; i < s->count; i++)
    for (int32_t j = i; j < s->count; j++) {
      couple(w, by, contact_at(l, s, i), contact_at(l, s, j), i, j, directions, G);
      for (int k = 0; k < directions; k++)
        for (int m = 0; m < directions; m++) {
          const int32_t row = directions*i + k, column = directions*j + m;
          A[row*n + column] = A[column*n + row] = G[3*k + m];
        }
    }
  out->dense = (perp_dense){.n = n, .value = A};
  out->problem = (perp_problem){
    .A = perp_from_dense(&out->dense, PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD), .b = by->b.at};
  out->x = by->x.at;
  return 1;
}

int problem_normal(const perp_world *w, worker *by, const contact_list *l, const island *s,
                   assembled *out) {
  if (!(s->count <= DENSE_ROWS_MAX ? put_dense(w, by, l, s, 1, out)
                                   : put_product(w, by, l, s, 1, out)))
    return 0;
  double *b = by->b.at, *x = by->x.at;
  for (int32_t i = 0; i < s->count; i++) {
    b[i] = contact_at(l, s, i)->free[0];
    x[i] = x_at(w, l, s, i)[0];
  }
  return 1;
}

int problem_soften(worker *by, assembled *a, double part) {
  const int32_t n = a->problem.A.n;
  if (!buffer_grow(&by->allocator, &by->compliance, (size_t)n*sizeof(double), 0)) return 0;
  double *C = by->compliance.at, *A = by->value.at;
  a->problem.A.ops->diagonal(a->problem.A.self, C);
  for (int32_t i = 0; i < n; i++) C[i] *= part;
  if (a->problem.A.self != &a->dense) a->product.compliance = C;
  else
    for (int32_t i = 0; i < n; i++) A[i*n + i] += C[i];
  return 1;
}

// ---- boxed friction: bounds follow ln of x ----

int problem_boxed(const perp_world *w, worker *by, const contact_list *l, const island *s,
                  assembled *out) {
  const int directions = w->settings.dimension;
  const int32_t n = directions*s->count;
  const size_t bytes = (size_t)n*sizeof(double);
  if (!(n <= DENSE_ROWS_MAX ? put_dense(w, by, l, s, directions, out)
                   : put_product(w, by, l, s, directions, out)) ||
      !buffer_grow(&by->allocator, &by->lo, bytes, 0) ||
      !buffer_grow(&by->allocator, &by->hi, bytes, 0))
    return 0;
  double *b = by->b.at, *x = by->x.at, *lo = by->lo.at, *hi = by->hi.at;
  for (int32_t i = 0; i < s->count; i++) {
    const contact *c = contact_at(l, s, i);
    const double *kept = x_at(w, l, s, i);
    for (int k = 0; k < directions; k++) {
      const int32_t row = directions*i + k;
      b[row] = c->free[k];
      x[row] = kept[k];
      lo[row] = k == 0 ? 0.0 : -c->mu*kept[0];
      hi[row] = k == 0 ? (double)INFINITY : c->mu*kept[0];
    }
  }
  out->problem.lo = lo;
  out->problem.hi = hi;
  return 1;
}

// ---- E13 (27) ----

static int put_contacts(const perp_world *w, worker *by, const contact_list *l, const island *s,
                        assembled *out) {
  const int K = w->directions, directions = w->settings.dimension, tangents = directions - 1;
  if (!put_bodies(w, by, l, s, directions, out) ||
      !buffer_grow(&by->allocator, &by->direction, (size_t)(K*tangents)*sizeof(double), 0) ||
      !buffer_grow(&by->allocator, &by->mu, (size_t)s->count*sizeof(double), 0))
    return 0;
  double *direction = by->direction.at, *mu = by->mu.at;
  for (int k = 0; k < K; k++) {
    direction[k*tangents] = w->cosine[k];
    if (tangents > 1) direction[k*tangents + 1] = w->sine[k];
  }
  for (int32_t i = 0; i < s->count; i++) mu[i] = contact_at(l, s, i)->mu;
  out->contacts = (perp_contacts){.count = s->count, .directions = K, .tangents = tangents,
                                  .direction = direction, .mu = mu, .B = out->product};
  out->problem.A = perp_from_contacts(&out->contacts, PERP_CLAIM_NONE);
  return 1;
}

int problem_friction(const perp_world *w, worker *by, const contact_list *l, const island *s,
                     assembled *out) {
  const int K = w->directions;
  const int32_t nc = s->count, n = (2 + K)*nc;
  out->problem = (perp_problem){0};
  if (!vectors(by, n) || !put_contacts(w, by, l, s, out)) return 0;
  double *b = by->b.at, *x = by->x.at;
  for (int32_t i = 0; i < nc; i++) {
    const contact *c = contact_at(l, s, i);
    const double *kept = x_at(w, l, s, i);
    b[i] = c->free[0];
    x[i] = kept[0];
    for (int k = 0; k < K; k++) {
      b[nc + K*i + k] = w->cosine[k]*c->free[1] + w->sine[k]*c->free[2];
      x[nc + K*i + k] = kept[1 + k];
    }
    b[(1 + K)*nc + i] = 0.0;
    x[(1 + K)*nc + i] = kept[1 + K];
  }
  out->problem.b = b;
  out->x = x;
  return 1;
}

// ---- impulses ----

void problem_row(const perp_world *w, const island *s, const double *x, int32_t i, double *kept) {
  const int K = w->directions, directions = w->settings.dimension;
  const int32_t nc = s->count;
  switch (w->settings.model) {
    case PERP_CONTACT_NORMAL: kept[0] = x[i]; break;
    case PERP_CONTACT_BOXED:
      for (int k = 0; k < directions; k++) kept[k] = x[directions*i + k];
      break;
    default:
      kept[0] = x[i];
      for (int k = 0; k < K; k++) kept[1 + k] = x[nc + K*i + k];
      kept[1 + K] = x[(1 + K)*nc + i];
  }
}

void problem_scale(const perp_world *w, const island *s, double *x, double factor) {
  const int32_t slacks = w->directions > 0 ? s->count : 0;   // at the end: speeds, no impulses
  for (int32_t i = 0; i < s->rows - slacks; i++) x[i] = factor > 0.0 ? factor*x[i] : 0.0;
}

void problem_keep(const perp_world *w, const island *s, const double *x, double *kept) {
  for (int32_t i = 0; i < s->count; i++)
    problem_row(w, s, x, i, kept + (size_t)s->order[i]*(size_t)w->width);
}

void problem_feel(const perp_world *w, const worker *by, const contact *c, int32_t i, double *v) {
  const double *arms = (const double *)by->arms.at + 36*(size_t)i;
  v[0] = v[1] = v[2] = 0.0;
  for (int which = 0; which < 2; which++) {
    const body *o = bodies_of(w) + side(c, which);
    if (!moves(o)) continue;
    for (int k = 0; k < 3; k++) {
      const double own = dot3(direction(c, k), o->shift) + dot3(arms + 9*which + 3*k, o->shift + 3);
      v[k] += which == 0 ? own : -own;
    }
  }
}

void problem_hit(const perp_world *w, const worker *by, const contact *c, int32_t i,
                 const double *l) {
  const double *arms = (const double *)by->arms.at + 36*(size_t)i;
  for (int which = 0; which < 2; which++) {
    body *o = bodies_of(w) + side(c, which);
    if (!moves(o)) continue;
    for (int k = 0; k < 3; k++) {
      const double own = which == 0 ? l[k] : -l[k];
      add_scaled3(o->shift, own*o->weight, direction(c, k));
      add_scaled3(o->shift + 3, own, arms + 18 + 9*which + 3*k);
    }
  }
}

void problem_block(const perp_world *w, const worker *by, const contact *c, int32_t i, double *G) {
  couple(w, by, c, c, i, i, 3, G);
}

double problem_impulse(const perp_world *w, const contact *c, const double *x, double *tangential) {
  double along[2] = {0.0, 0.0};
  if (w->settings.model == PERP_CONTACT_BOXED) {
    along[0] = x[1];
    along[1] = w->settings.dimension == 3 ? x[2] : 0.0;
  } else {
    for (int k = 0; k < w->directions; k++) {
      along[0] += w->cosine[k]*x[1 + k];
      along[1] += w->sine[k]*x[1 + k];
    }
  }
  for (int k = 0; k < 3; k++) tangential[k] = along[0]*c->t[0][k] + along[1]*c->t[1][k];
  return x[0];
}
