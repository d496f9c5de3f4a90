// contact_bodies.c: takes contacts and bodies from a contact operator, and relaxes contacts.
//
// B = J W J' with W = G G', one block per body. The rows J G of a contact have entries at no more
// than two bodies, with six degrees of freedom each. With w = G'J'l a contact's velocity is J G w +
// b. Cost: 36 products for a velocity, and 36 to add an impulse, for any K.
#include "contact_bodies.h"

#include <math.h>
#include <string.h>

#include "vector.h"

static int unfit(perp_run *run, const char *why) {
  run_stop(run, PERP_STATUS_BREAKDOWN, "%s cannot take these contacts: %s", run->method->name, why);
  return 0;
}

// The degrees of freedom per body: the largest number up to six that divides dofs, contains whole
// blocks of W and lets no contact touch more than two bodies; 0: there is none.
static int32_t freedoms(const perp_contacts *P) {
  const perp_product *B = &P->B;
  const int32_t rows = 1 + P->tangents;
  for (int32_t D = BLOCK; D > 0; D--) {
    int fits = B->block > 0 && D%B->block == 0 && B->dofs%D == 0;
    for (int32_t c = 0; c < P->count && fits; c++) {
      int32_t seen[2] = {-1, -1};
      for (int32_t p = B->rowptr[rows*c]; p < B->rowptr[rows*(c + 1)] && fits; p++) {
        const int32_t body = B->column[p]/D;
        if (body == seen[0] || body == seen[1]) continue;
        if (seen[0] < 0) seen[0] = body;
        else if (seen[1] < 0) seen[1] = body;
        else fits = 0;
      }
    }
    if (fits) return D;
  }
  return 0;
}

// row <- row G for a block W = G G' by Cholesky.
static void times_root(const double *W, int32_t size, double *row) {
  double G[BLOCK_ENTRIES], out[BLOCK] = {0.0};
  for (int32_t i = 0; i < size; i++)
    for (int32_t j = 0; j <= i; j++) {
      double sum = W[i*size + j];
      for (int32_t k = 0; k < j; k++) sum -= G[i*size + k]*G[j*size + k];
      const double pivot = j < i ? G[j*size + j] : 0.0;
      G[i*size + j] = i == j ? sqrt(max2(sum, 0.0)) : pivot > 0.0 ? sum/pivot : 0.0;
      out[j] += row[i]*G[i*size + j];
    }
  memcpy(row, out, (size_t)size*sizeof *row);
}

static void take_contact(contact_bodies *s, const perp_contacts *P, int32_t D, int32_t c) {
  const perp_product *B = &P->B;
  const int32_t rows = 1 + P->tangents;
  body_contact *k = &s->contact[c];
  memset(k, 0, sizeof *k);
  k->body[0] = k->body[1] = s->bodies;
  k->mu = P->mu[c];
  for (int32_t r = 0; r < rows; r++) {
    for (int32_t p = B->rowptr[rows*c + r]; p < B->rowptr[rows*c + r + 1]; p++) {
      const int32_t body = B->column[p]/D;
      const int side = k->body[0] != body && k->body[0] != s->bodies;
      k->body[side] = body;
      k->J[side][r][B->column[p]%D] = B->value[p];
    }
    if (B->compliance != NULL) k->yield[r] = B->compliance[rows*c + r];
  }
  for (int side = 0; side < 2; side++)
    for (int32_t r = 0; r < rows && k->body[side] < s->bodies; r++)
      for (int32_t from = 0; from < D; from += B->block)
        times_root(B->W + ((size_t)k->body[side]*(size_t)D + (size_t)from)*(size_t)B->block,
                   B->block, &k->J[side][r][from]);
  for (int32_t i = 0; i < 3; i++)
    for (int32_t j = 0; j < 3; j++)
      for (int32_t d = 0; d < BLOCK; d++)
        k->own.G[3*i + j] += k->J[0][i][d]*k->J[0][j][d] + k->J[1][i][d]*k->J[1][j][d];
  k->size = k->own.G[0] + k->yield[0];
  double all = k->size;
  for (int i = 1; i < 3; i++) all += k->own.G[4*i] + k->yield[i];
  if (all == 0.0) {   // the contact moves no body and must be open: any response will do
    k->size = 1.0;
    for (int i = 0; i < 3; i++) k->yield[i] = 1.0;
  }
  if (rows == 2) k->yield[2] = k->size;   // the unused tangent
  for (int i = 0; i < 3; i++) k->own.G[4*i] += k->yield[i];
  k->inert = all == 0.0;
}

// Computes b of the tangents from b_k = d_k . b of the directions. 0: b does not have this form.
static int take_b(contact_bodies *s, const perp_contacts *P, const double *b, int32_t c) {
  const int32_t K = s->K, n = s->count;
  body_contact *k = &s->contact[c];
  const double *t = b + n + (size_t)K*(size_t)c;
  double N[3] = {0.0}, r[2] = {0.0};
  for (int32_t i = 0; i < K; i++) {
    const double *d = s->C.d[i];
    N[0] += d[0]*d[0];
    N[1] += d[0]*d[1];
    N[2] += d[1]*d[1];
    r[0] += d[0]*t[i];
    r[1] += d[1]*t[i];
  }
  const double determinant = N[0]*N[2] - N[1]*N[1];
  k->b[0] = b[c];
  k->b[1] = P->tangents == 1 ? r[0]/N[0] : (r[0]*N[2] - r[1]*N[1])/determinant;
  k->b[2] = P->tangents == 1 ? 0.0 : (N[0]*r[1] - N[1]*r[0])/determinant;
  double off = 0.0;
  for (int32_t i = 0; i < K; i++)
    off = max2(off, fabs(t[i] - s->C.d[i][0]*k->b[1] - s->C.d[i][1]*k->b[2]));
  for (int i = 0; i < 3; i++) s->speed = max2(s->speed, fabs(k->b[i]));
  return off <= 1e-13*(fabs(k->b[1]) + fabs(k->b[2])) &&
         b[(1 + (size_t)K)*(size_t)n + (size_t)c] == 0.0;
}

const char *contact_bodies_unfit(const perp_operator *A) {
  const perp_view view = operator_view(A);
  if (view.kind != PERP_VIEW_CONTACT || view.R != NULL || view.C != NULL || view.shift != 0.0)
    return "A is no contact operator";
  const perp_contacts *P = view.data;
  polygon C;
  if (!polygon_set(&C, P->directions, P->tangents, P->direction))
    return "the directions of friction are not the corners of a polygon about 0";
  return freedoms(P) == 0 ? "a contact touches more than two bodies" : NULL;
}

int contact_bodies_begin(contact_bodies *s, perp_run *run) {
  const perp_view view = operator_view(&run->A);
  const char *why = contact_bodies_unfit(&run->A);
  if (why != NULL) return unfit(run, why);
  const perp_contacts *P = view.data;
  const int32_t D = freedoms(P), n = P->count;
  *s = (contact_bodies){.count = n, .K = P->directions};
  polygon_set(&s->C, P->directions, P->tangents, P->direction);
  s->bodies = P->B.dofs/D;
  s->contact = run_allocate(run, (size_t)n*sizeof *s->contact);
  s->w = run_allocate(run, ((size_t)s->bodies + 1)*BLOCK*sizeof *s->w);
  s->l = run_allocate(run, 6*(size_t)n*sizeof *s->l);
  s->face = run_allocate(run, (size_t)n*sizeof *s->face);
  if (s->contact == NULL || s->w == NULL || s->l == NULL || s->face == NULL) return 0;
  s->centre = s->l + 3*(size_t)n;
  for (int32_t c = 0; c < n; c++) {
    take_contact(s, P, D, c);
    if (!take_b(s, P, run->b, c)) return unfit(run, "b does not belong to two tangents, or b_s != 0");
    const body_contact *k = &s->contact[c];
    if (!(k->size > 0.0) || (k->inert && k->b[0] < 0.0))
      return unfit(run, "the normal of a contact moves nothing");
    s->contact[c].root = sqrt(k->size);
    cone_invert(&s->contact[c].own);
    double *l = s->l + 3*(size_t)c;
    const double *x = run->x + n + (size_t)s->K*(size_t)c;
    l[0] = run->x[c];
    l[1] = l[2] = 0.0;
    for (int32_t i = 0; i < s->K; i++)
      for (int t = 0; t < 2; t++) l[1 + t] += x[i]*s->C.d[i][t];
    s->face[c] = CONE_OPEN;
  }
  if (!(s->speed > 0.0)) s->speed = 1.0;
  memcpy(s->centre, s->l, 3*(size_t)n*sizeof *s->l);
  contact_bodies_refresh(s);
  return 1;
}

void contact_bodies_write(const contact_bodies *s, double *x) {
  const int32_t n = s->count, K = s->K;
  for (int32_t c = 0; c < n; c++) {
    double v[3];
    contact_bodies_velocity(s, c, v);
    x[c] = max2(s->l[3*(size_t)c], 0.0);
    cone_parts(&s->C, s->contact[c].mu, s->face[c], s->l + 3*(size_t)c,
               x + n + (size_t)K*(size_t)c);
    x[(1 + (size_t)K)*(size_t)n + (size_t)c] =
        s->face[c] == CONE_STICK ? 0.0 : cone_speed(&s->C, v);
  }
}

void contact_bodies_sigma(contact_bodies *s, double sigma) {
  const double change = sigma - s->sigma;
  for (int32_t c = 0; c < s->count; c++) {
    body_contact *k = &s->contact[c];
    for (int i = 0; i < 3; i++) k->own.G[4*i] += change*k->size;
    cone_invert(&k->own);
  }
  s->sigma = sigma;
}

void contact_bodies_velocity(const contact_bodies *s, int32_t k, double *v) {
  const body_contact *c = &s->contact[k];
  const double *first = s->w + (size_t)c->body[0]*BLOCK, *second = s->w + (size_t)c->body[1]*BLOCK;
  const double *l = s->l + 3*(size_t)k, *centre = s->centre + 3*(size_t)k;
  const double weight = s->sigma*c->size;
  for (int r = 0; r < 3; r++) {
    double a = c->b[r] + c->yield[r]*l[r] + weight*(l[r] - centre[r]), b = 0.0;
    for (int d = 0; d < BLOCK; d++) {
      a += c->J[0][r][d]*first[d];
      b += c->J[1][r][d]*second[d];
    }
    v[r] = a + b;
  }
}

void contact_bodies_spread(const contact_bodies *s, int32_t k, const double *l, double *g) {
  const body_contact *c = &s->contact[k];
  for (int side = 0; side < 2; side++) {
    double *own = g + (size_t)c->body[side]*BLOCK;
    for (int d = 0; d < BLOCK; d++)
      own[d] += c->J[side][0][d]*l[0] + c->J[side][1][d]*l[1] + c->J[side][2][d]*l[2];
  }
}

void contact_bodies_gather(const contact_bodies *s, int32_t k, const double *g, double *v) {
  const body_contact *c = &s->contact[k];
  for (int r = 0; r < 3; r++)
    for (int side = 0; side < 2; side++)
      for (int d = 0; d < BLOCK; d++)
        v[r] += c->J[side][r][d]*g[(size_t)c->body[side]*BLOCK + (size_t)d];
}

static void congruent(const double A[3][BLOCK], const double *M, const double B[3][BLOCK],
                      double *X) {   // A'M B
  double T[3][BLOCK];
  for (int r = 0; r < 3; r++)
    for (int d = 0; d < BLOCK; d++)
      T[r][d] = M[3*r]*B[0][d] + M[3*r + 1]*B[1][d] + M[3*r + 2]*B[2][d];
  for (int i = 0; i < BLOCK; i++)
    for (int j = 0; j < BLOCK; j++)
      X[BLOCK*i + j] = A[0][i]*T[0][j] + A[1][i]*T[1][j] + A[2][i]*T[2][j];
}

void contact_bodies_couple(const contact_bodies *s, int32_t k, const double *M, block_lu *factor) {
  const body_contact *c = &s->contact[k];
  double X[BLOCK_ENTRIES];
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) {
      if (c->body[a] >= s->bodies || c->body[b] >= s->bodies) continue;
      congruent(c->J[a], M, c->J[b], X);
      block_lu_add(factor, c->body[a], c->body[b], X);
    }
}

// Adds the effect of dl at contact k to w.
static void push(contact_bodies *s, int32_t k, const double *dl) {
  contact_bodies_spread(s, k, dl, s->w);
}

void contact_bodies_refresh(contact_bodies *s) {
  memset(s->w, 0, ((size_t)s->bodies + 1)*BLOCK*sizeof *s->w);
  for (int32_t k = 0; k < s->count; k++) push(s, k, s->l + 3*(size_t)k);
}

// Solves contact k's own problem with the others held. Returns its face; -1: no face fits.
static int32_t answer(const contact_bodies *s, int32_t k, double *target) {
  const body_contact *c = &s->contact[k];
  const double *G = c->own.G, *l = s->l + 3*(size_t)k;
  double q[3];
  contact_bodies_velocity(s, k, q);
  for (int r = 0; r < 3; r++) q[r] -= G[3*r]*l[0] + G[3*r + 1]*l[1] + G[3*r + 2]*l[2];
  return cone_solve(&s->C, c->mu, &c->own, q, s->face[k], target);
}

double contact_bodies_sweep(contact_bodies *s) {
  double worst = 0.0;
  for (int32_t k = 0; k < s->count; k++) {
    double target[3], *l = s->l + 3*(size_t)k;
    const int32_t face = answer(s, k, target);
    if (face < 0) {
      worst = max2(worst, s->speed);
      continue;
    }
    const double dl[3] = {target[0] - l[0], target[1] - l[1], target[2] - l[2]};
    const double change = s->contact[k].size*(fabs(dl[0]) + fabs(dl[1]) + fabs(dl[2]));
    s->face[k] = face;
    worst = max_or_nan(worst, change);
    if (change == 0.0) continue;
    push(s, k, dl);
    memcpy(l, target, sizeof target);
  }
  return worst/s->speed;
}

contact_look contact_bodies_look(const contact_bodies *s, int32_t *wanted, double *target) {
  contact_look out = {0};
  double sum = 0.0;
  for (int32_t k = 0; k < s->count; k++) {
    double own[3];
    const double *l = s->l + 3*(size_t)k, unit = s->contact[k].size/s->speed;
    const int32_t face = answer(s, k, own);
    wanted[k] = face < 0 ? s->face[k] : face;
    out.wrong += face != s->face[k];
    double change = face < 0 ? 1.0 : 0.0;
    sum += change;
    for (int i = 0; i < 3 && face >= 0; i++) {
      const double d = unit*(own[i] - l[i]);
      change += fabs(d);
      sum += d*d;
    }
    if (target != NULL) memcpy(target + 3*(size_t)k, face < 0 ? l : own, sizeof own);
    out.worst = max_or_nan(out.worst, change);
  }
  out.merit = sqrt(sum);
  return out;
}
