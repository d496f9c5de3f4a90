// contact_interior.c: Newton's equations of interior points of E13 (27), on corners and bodies.
//
// With impulses a_k >= 0 at the corners (1, mu d_k) of its cone, a contact of (27) reads
//     l = sum_k a_k (1, mu d_k),         0 <= a_k _|_ z_k = vn + mu d_k.vt + s >= 0,
//     ln = sum_k a_k,                    0 <= ln  _|_ zn = vn >= 0,
// with s free: if ln > 0, it is mu times the sliding speed. Newton's method for a_k z_k = c, ln zn
// = K c leaves the velocities as unknowns. With q_k = 1/(z_k/a_k), q_n = 1/(zn/ln) and the mean
// corner m = sum_k q_k e_k/sum_k q_k, e_k = (1, mu d_k), an impulse responds to its velocity by
//     dl = push - M dv,     M = sum_k q_k (e_k - m)(e_k - m)' + q_n m n'.
// So friction resists motion if several corners carry impulses; if one corner carries all, friction
// follows the normal impulse. The bodies have (1 + J'M J) dw = J'push, with one block per body, even
// if contacts are redundant.
//
// Towards a solution z/a falls to 1e-16, and its inverse multiplies rounding. So STIFFNESS_SHIFT is
// added to z/a, as by a proximal term with its centre at the last point (Pougkakiotis, Gondzio
// 2021), and the residual of a solve is solved for again.
// Cost: a factor with a 6 x 6 block per body and about one per contact.
#include "contact_interior.h"

#include <math.h>
#include <string.h>

#include "vector.h"

// Steps of refinement per linear solve. Without them, jammed spheres take 1.5 times the
// factorisations.
enum { CORRECTIONS_MAX = 2 };
// Added to z/a, relative to the `size` of the contact. If larger, six scenes stay unsolved; if
// smaller, card houses take 1.2 times the work.
#define STIFFNESS_SHIFT 1e-8
// Relative residual of a linear solve that needs no refinement. If smaller, card houses take 1.8
// times the work.
#define SOLVE_RESIDUAL_MAX 1e-6

int contact_interior_begin(contact_interior *p, const contact_bodies *s, perp_run *run) {
  const size_t n = (size_t)s->count, K = (size_t)s->K;
  const size_t wide = ((size_t)s->bodies + 1)*BLOCK;
  double *next =
      run_allocate(run, ((POINT_PARTS(K) + POINT_CHANGES(K) + 3*K + 29)*n + 2*wide)*sizeof *next);
  if (next == NULL) return 0;
  *p = (contact_interior){.K = s->K, .count = s->count, .corners = s->K*s->count};
  p->state = next;
  p->change = next + POINT_PARTS(K)*n;
  const struct {
    double **at;
    size_t size;
  } parts[] = {{&p->a, K*n},    {&p->z, K*n},    {&p->zn, n},     {&p->s, n},
               {&p->da, K*n},   {&p->dz, K*n},   {&p->dzn, n},    {&p->ds, n},
               {&p->dln, n},    {&p->rest, K*n}, {&p->aim, K*n},  {&p->q, K*n},
               {&p->qn, n},     {&p->rest_n, n}, {&p->aim_n, n},  {&p->weight, n},
               {&p->ln, n},     {&p->mean, 3*n}, {&p->push, 3*n}, {&p->M, 9*n},
               {&p->inverse, 9*n}, {&p->g, wide}, {&p->left, wide}};
  for (size_t k = 0; k < sizeof parts/sizeof parts[0]; k++) {
    *parts[k].at = next;
    next += parts[k].size;
  }
  return 1;
}

// Corner k of the cone without its 1.
static void corner(const contact_bodies *s, int32_t c, int32_t k, double *e) {
  e[0] = s->contact[c].mu*s->C.d[k][0];
  e[1] = s->contact[c].mu*s->C.d[k][1];
}

void contact_interior_refresh(contact_interior *p, contact_bodies *s) {
  for (int32_t c = 0; c < p->count; c++) {
    double *l = s->l + 3*(size_t)c, e[2];
    memset(l, 0, 3*sizeof *l);
    for (int32_t k = 0; k < p->K; k++) {
      const double a = p->a[c*p->K + k];
      corner(s, c, k, e);
      l[0] += a;
      l[1] += a*e[0];
      l[2] += a*e[1];
    }
    p->ln[c] = l[0];
  }
  contact_bodies_refresh(s);
}

void contact_interior_start(contact_interior *p, contact_bodies *s) {
  for (int32_t c = 0; c < p->count; c++) {
    for (int32_t k = 0; k < p->K; k++) {
      p->a[c*p->K + k] = s->speed/s->contact[c].size/p->K;
      p->z[c*p->K + k] = s->speed;
    }
    p->zn[c] = p->s[c] = s->speed;
  }
  memset(p->change, 0, POINT_CHANGES(p->K)*(size_t)p->count*sizeof *p->change);
  contact_interior_refresh(p, s);
}

static int measure(contact_interior *p, const contact_bodies *s) {   // 1: finite
  double sum = 0.0, worst = 0.0;
  for (int32_t c = 0; c < p->count; c++) {
    double v[3], e[2];
    contact_bodies_velocity(s, c, v);
    p->rest_n[c] = v[0] - p->zn[c];
    sum += p->ln[c]*p->zn[c];
    worst = max_or_nan(worst, fabs(p->rest_n[c]));
    for (int32_t k = 0, i = c*p->K; k < p->K; k++, i++) {
      corner(s, c, k, e);
      p->rest[i] = v[0] + e[0]*v[1] + e[1]*v[2] + p->s[c] - p->z[i];
      sum += p->a[i]*p->z[i];
      worst = max_or_nan(worst, fabs(p->rest[i]));
    }
  }
  p->mu = sum/(2.0*p->corners);
  return p->mu > 0.0 && worst < (double)INFINITY;
}

// ---- the responses of contacts ----

static double stiffness(const contact_bodies *s, int32_t c, double z, double a) {
  return 1.0/(z/a + STIFFNESS_SHIFT*s->contact[c].size);
}

static int soft(const body_contact *c) { return c->yield[0] + c->yield[1] + c->yield[2] > 0.0; }

// A contact with compliance Y responds by dl = push - M (dv + Y dl): divides both by 1 + M Y.
static int divide(double *M, double *inverse, const double *yield) {
  double B[9], C[9];
  for (int i = 0; i < 9; i++) B[i] = (i%4 == 0) + M[i]*yield[i%3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int r = (j + 1)%3, t = (j + 2)%3, u = (i + 1)%3, w = (i + 2)%3;
      inverse[3*i + j] = B[3*r + u]*B[3*t + w] - B[3*r + w]*B[3*t + u];
    }
  const double determinant = B[0]*inverse[0] + B[1]*inverse[3] + B[2]*inverse[6];
  for (int i = 0; i < 9; i++) inverse[i] /= determinant;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3*i + j] = inverse[3*i]*M[j] + inverse[3*i + 1]*M[3 + j] + inverse[3*i + 2]*M[6 + j];
  memcpy(M, C, sizeof C);
  return determinant > 0.0;
}

// Computes M of contact c, and the mean of its corners. 0: there is no M.
static int answer(contact_interior *p, const contact_bodies *s, int32_t c) {
  double *m = p->mean + 3*(size_t)c, *M = p->M + 9*(size_t)c, e[2], sum = 0.0;
  const int32_t K = p->K;
  m[0] = 1.0;
  m[1] = m[2] = 0.0;
  for (int32_t k = 0; k < K; k++) {
    const double q = stiffness(s, c, p->z[c*K + k], p->a[c*K + k]);
    p->q[c*K + k] = q;
    corner(s, c, k, e);
    sum += q;
    m[1] += q*e[0];
    m[2] += q*e[1];
  }
  m[1] /= sum;
  m[2] /= sum;
  const double normal = stiffness(s, c, p->zn[c], p->ln[c]);
  p->qn[c] = normal;
  memset(M, 0, 9*sizeof *M);
  for (int i = 0; i < 3; i++) M[3*i] = normal*m[i];
  for (int32_t k = 0; k < K; k++) {
    const double q = p->q[c*K + k];
    corner(s, c, k, e);
    const double off[2] = {e[0] - m[1], e[1] - m[2]};
    M[4] += q*off[0]*off[0];
    M[5] += q*off[0]*off[1];
    M[8] += q*off[1]*off[1];
  }
  M[7] = M[5];
  const body_contact *body = &s->contact[c];
  return !soft(body) || divide(M, p->inverse + 9*(size_t)c, body->yield);
}

int contact_interior_factor(contact_interior *p, const contact_bodies *s, block_lu *factor,
                            perp_run *run) {
  if (!measure(p, s)) return 0;
  block_lu_identity(factor);
  for (int32_t c = 0; c < p->count; c++) {
    if (!answer(p, s, c)) return 0;
    contact_bodies_couple(s, c, p->M + 9*(size_t)c, factor);
  }
  const perp_deadline deadline = run_deadline(run);
  const int failed = block_lu_factor(factor, &deadline);
  run_factored(run, 1, block_lu_nonzeros(factor));
  return failed ? 0 : block_lu_sign(factor);
}

// ---- one direction ----

// Sets the right-hand sides: (centre - a z - second-order terms of the last direction)/a.
static void set_aims(contact_interior *p, const contact_bodies *s, double centre, double second) {
  const int32_t K = p->K;
  for (int32_t c = 0; c < p->count; c++) {
    double *push = p->push + 3*(size_t)c, e[2];
    const double *m = p->mean + 3*(size_t)c;
    const double target = p->weight[c]*centre;
    p->aim_n[c] = (K*target - second*p->dln[c]*p->dzn[c])/p->ln[c] - p->zn[c] - p->rest_n[c];
    const double normal = p->qn[c]*p->aim_n[c];
    for (int i = 0; i < 3; i++) push[i] = normal*m[i];
    for (int32_t k = 0, i = c*K; k < K; k++, i++) {
      p->aim[i] = (target - second*p->da[i]*p->dz[i])/p->a[i] - p->z[i] - p->rest[i];
      const double q = p->q[i];
      corner(s, c, k, e);
      push[1] += q*(e[0] - m[1])*p->aim[i];
      push[2] += q*(e[1] - m[2])*p->aim[i];
    }
    if (soft(&s->contact[c])) {
      double given[3];
      memcpy(given, push, sizeof given);
      multiply3(p->inverse + 9*(size_t)c, given, push);
    }
  }
}

// Computes the changes of a contact from those of its bodies; dl: change of its impulse.
static void follow(contact_interior *p, const contact_bodies *s, int32_t c, double *dl) {
  const body_contact *body = &s->contact[c];
  const int32_t K = p->K;
  double v[3] = {0.0}, e[2], back[3];
  contact_bodies_gather(s, c, p->g, v);
  if (soft(body)) {
    multiply3(p->M + 9*(size_t)c, v, back);
    for (int i = 0; i < 3; i++) v[i] += body->yield[i]*(p->push[3*(size_t)c + (size_t)i] - back[i]);
  }
  p->dln[c] = p->qn[c]*(p->aim_n[c] - v[0]);
  p->dzn[c] = p->aim_n[c] + p->rest_n[c] - p->zn[c]/p->ln[c]*p->dln[c];
  double sum = 0.0, all = 0.0;
  for (int32_t k = 0, i = c*K; k < K; k++, i++) {
    const double q = p->q[i];
    corner(s, c, k, e);
    p->da[i] = p->aim[i] - v[0] - e[0]*v[1] - e[1]*v[2];
    sum += q*p->da[i];
    all += q;
  }
  p->ds[c] = (sum - p->dln[c])/all;
  dl[0] = p->dln[c];
  dl[1] = dl[2] = 0.0;
  for (int32_t k = 0, i = c*K; k < K; k++, i++) {
    corner(s, c, k, e);
    p->da[i] = p->q[i]*(p->da[i] - p->ds[c]);
    p->dz[i] = p->aim[i] + p->rest[i] - p->z[i]/p->a[i]*p->da[i];
    dl[1] += e[0]*p->da[i];
    dl[2] += e[1]*p->da[i];
  }
}

// Computes all changes. The impulses must move the bodies as the solve says; a further solve corrects
// the difference. 1: finite.
int contact_interior_direction(contact_interior *p, const contact_bodies *s, block_lu *factor,
                               double centre, double second) {
  const size_t wide = (size_t)s->bodies*BLOCK;
  set_aims(p, s, centre, second);
  memset(p->g, 0, (wide + BLOCK)*sizeof *p->g);
  for (int32_t c = 0; c < p->count; c++)
    contact_bodies_spread(s, c, p->push + 3*(size_t)c, p->g);
  block_lu_solve(factor, p->g);
  for (int round = 0;; round++) {
    double off = 0.0, size = 0.0, dl[3];
    memset(p->g + wide, 0, BLOCK*sizeof *p->g);
    memset(p->left, 0, (wide + BLOCK)*sizeof *p->left);
    for (int32_t c = 0; c < p->count; c++) {
      follow(p, s, c, dl);
      contact_bodies_spread(s, c, dl, p->left);
    }
    for (size_t i = 0; i < wide; i++) {
      p->left[i] -= p->g[i];
      off = max_or_nan(off, fabs(p->left[i]));
      size = max2(size, fabs(p->g[i]));
    }
    if (!(off < (double)INFINITY)) return 0;
    if (round == CORRECTIONS_MAX || off <= SOLVE_RESIDUAL_MAX*size) return 1;
    block_lu_solve(factor, p->left);
    for (size_t i = 0; i < wide; i++) p->g[i] += p->left[i];
  }
}

double contact_interior_reach(const contact_interior *p) {
  double far = 1e300;
  for (int32_t i = 0; i < p->corners; i++) {
    if (p->da[i] < 0.0) far = min2(far, -p->a[i]/p->da[i]);
    if (p->dz[i] < 0.0) far = min2(far, -p->z[i]/p->dz[i]);
  }
  for (int32_t c = 0; c < p->count; c++)
    if (p->dzn[c] < 0.0) far = min2(far, -p->zn[c]/p->dzn[c]);
  return far;
}

double contact_interior_leave(const contact_interior *p, double length) {
  double sum = 0.0;
  for (int32_t i = 0; i < p->corners; i++)
    sum += (p->a[i] + length*p->da[i])*(p->z[i] + length*p->dz[i]);
  for (int32_t c = 0; c < p->count; c++)
    sum += (p->ln[c] + length*p->dln[c])*(p->zn[c] + length*p->dzn[c]);
  return sum/(2.0*p->corners)/p->mu;
}

void contact_interior_move(contact_interior *p, contact_bodies *s, double length) {
  for (int32_t i = 0; i < p->corners; i++) {
    p->a[i] = max2(p->a[i] + length*p->da[i], 1e-300);
    p->z[i] = max2(p->z[i] + length*p->dz[i], 1e-300);
  }
  for (int32_t c = 0; c < p->count; c++) {
    p->zn[c] = max2(p->zn[c] + length*p->dzn[c], 1e-300);
    p->s[c] += length*p->ds[c];
  }
  contact_interior_refresh(p, s);
}

void contact_interior_write(const contact_interior *p, const contact_bodies *s, double *x) {
  const int32_t n = p->count, K = p->K;
  for (int32_t c = 0; c < n; c++) {
    double v[3];
    contact_bodies_velocity(s, c, v);
    x[c] = p->ln[c];
    for (int32_t k = 0; k < K; k++) x[n + K*c + k] = s->contact[c].mu*p->a[c*K + k];
    x[(1 + K)*n + c] = cone_speed(&s->C, v);
  }
}
