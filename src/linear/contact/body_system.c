// body_system.c: solves (diag(p) A + diag(q)) z = r for A = B B' + diag(slack), through bodies.
//
// Where p_i > 0, row i says (A z)_i + (q_i/p_i) z_i = r_i/p_i. Where p_i = 0, it says z_i =
// r_i/q_i, and column i moves to the right-hand side. The remaining matrix is symmetric, B B' + D
// with D = slack + q/p. face_body.c solves it by H = I + B'D^-1 B with a factor of the bodies'
// size. Cost: a factorisation as in face_body.c; a solve with H and a few passes over B.
#include "body_system.h"

#include <math.h>

#include "allocator.h"
#include "face_kind.h"

struct body_system {
  perp_allocator allocator;
  int32_t n;
  face *bodies;
  double *d;                 // n: q/p where p > 0
  double *p, *q;             // n: as given
  double *r;                 // n: right-hand side
  uint8_t *kept;             // n: p_i > 0
  int masked, usable;
};

void body_system_destroy(body_system *s) {
  if (s == NULL) return;
  const perp_allocator allocator = s->allocator;
  face_destroy(s->bodies);
  if (s->d != NULL) allocator.release(allocator.context, s->d);
  if (s->kept != NULL) allocator.release(allocator.context, s->kept);
  allocator.release(allocator.context, s);
}

body_system *body_system_create(const perp_operator *A, const perp_allocator *given, int *failed) {
  const perp_allocator allocator = allocator_of(given);
  const size_t n = (size_t)A->n;
  face *bodies = face_choose_bodies(A, &allocator, failed);
  if (bodies == NULL) return NULL;
  *failed = -2;
  body_system *s = allocator.allocate(allocator.context, sizeof *s);
  if (s == NULL) {
    face_destroy(bodies);
    return NULL;
  }
  *s = (body_system){.allocator = allocator, .n = A->n, .bodies = bodies};
  double **const vectors[] = {&s->d, &s->p, &s->q, &s->r};
  const size_t count = sizeof vectors/sizeof vectors[0];
  s->d = allocator.allocate(allocator.context, (count*n + 1)*sizeof *s->d);
  s->kept = allocator.allocate(allocator.context, n + 1);
  if (s->d == NULL || s->kept == NULL) {
    body_system_destroy(s);
    return NULL;
  }
  for (size_t k = 0; k < count; k++) *vectors[k] = s->d + k*n;
  *failed = 0;
  return s;
}

int body_system_factor(body_system *s, const double *p, const double *q,
                       const perp_deadline *deadline) {
  s->usable = s->masked = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double pi = s->p[i] = p != NULL ? p[i] : 1.0, qi = s->q[i] = q != NULL ? q[i] : 0.0;
    if (!(pi >= 0.0) || !(qi >= 0.0) || !(pi + qi > 0.0)) return i + 1;
    s->kept[i] = pi > 0.0;
    s->masked |= pi == 0.0;
    s->d[i] = pi > 0.0 ? qi/pi : 0.0;
  }
  face_body_diagonal(s->bodies, s->d);
  const int code = face_update(s->bodies, s->kept, deadline);
  s->usable = code == 0;
  return code;
}

double body_system_solve(body_system *s, double *v, int refine, double most) {
  const int32_t n = s->n;
  if (!s->usable) return (double)INFINITY;
  int moves = 0;
  for (int32_t i = 0; i < n && s->masked; i++) {
    s->r[i] = s->kept[i] ? 0.0 : v[i]/s->q[i];
    moves |= s->r[i] != 0.0;
  }
  if (moves) face_body_product(s->bodies, s->r, s->r);
  for (int32_t i = 0; i < n; i++)
    s->r[i] = s->kept[i] ? v[i]/s->p[i] - (moves ? s->r[i] : 0.0) : 0.0;
  const int failed = face_solve(s->bodies, s->r, refine - 1);
  const double error = failed == 0 ? face_body_error(s->bodies) : (double)INFINITY;
  if (!(error <= most)) return error == error ? error : (double)INFINITY;
  for (int32_t i = 0; i < n; i++) v[i] = s->kept[i] ? s->r[i] : v[i]/s->q[i];
  return error;
}

double body_system_left(const body_system *s) { return face_body_left(s->bodies); }

void body_system_apply(const body_system *s, const double *x, double *y) {
  face_body_product(s->bodies, x, y);
}

const double *body_system_p(const body_system *s) { return s->p; }
const double *body_system_q(const body_system *s) { return s->q; }
int64_t body_system_nonzeros(const body_system *s) { return s->usable ? face_nnz(s->bodies) : 0; }
