// contact_faces.c: solves the linear system of contacts on their faces, and E13 (27) for a few of
// them.
//
// On a face l = P z and R v = 0, v = J w + b + rho (l - centre) with rho = sigma size + compliance.
// Then dl = -M (v + J dw) with M = P (R rho P)^-1 R, and dw = J'dl gives
//     (I + sum J'M J) dw = -sum J'M v,
// a system with one block per body. Redundant contacts do not make it more singular. Corrections
// with the same factor remove the rounding. For a few contacts S the other contacts can be
// eliminated: with H of the others,
//     v_S = v0 + J_S H^-1 J_S' l_S
// is a friction problem of |S| contacts, which Lemke's method solves. Cost: a factor of the body
// graph, and a solve per correction.
#include "contact_faces.h"

#include <math.h>
#include <string.h>

#include "vector.h"

int contact_faces_begin(contact_faces *f, const contact_bodies *s, perp_run *run) {
  const int32_t nb = s->bodies, n = s->count;
  *f = (contact_faces){0};
  int32_t *colptr = run_allocate(run, ((size_t)nb + 2 + (size_t)n)*sizeof *colptr);
  f->g = run_allocate(run, ((size_t)nb + 1)*BLOCK*sizeof *f->g);
  f->dl = run_allocate(run, 12*(size_t)n*sizeof *f->dl);
  f->chosen = run_allocate(run, (size_t)n + 1);
  if (colptr == NULL || f->g == NULL || f->dl == NULL || f->chosen == NULL) return 0;
  f->M = f->dl + 3*(size_t)n;
  memset(f->chosen, 0, (size_t)n);
  // One entry per contact of two bodies, in the column of the first body; some come twice.
  int32_t *row = colptr + nb + 2;
  memset(colptr, 0, ((size_t)nb + 2)*sizeof *colptr);
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t k = 0; k < n; k++) {
      const int32_t *body = s->contact[k].body;
      if (body[0] >= nb || body[1] >= nb) continue;
      if (pass == 0) colptr[body[0] + 2]++;
      else row[colptr[body[0] + 1]++] = body[1];
    }
    for (int32_t j = 0; j < nb && pass == 0; j++) colptr[j + 2] += colptr[j + 1];
  }
  const perp_csc graph = {nb, nb, colptr, row, NULL};
  f->factor = block_lu_create(&graph, run_allocator(run));
  if (f->factor == NULL) run_no_memory(run, "the factor of the bodies");
  return f->factor != NULL;
}

void contact_faces_end(contact_faces *f) { block_lu_destroy(f->factor); }

static int is_open(const contact_bodies *s, int32_t k) { return s->face[k] == CONE_OPEN; }
static double *answer(const contact_faces *f, int32_t k) { return f->M + 9*(size_t)k; }

static int factor(contact_faces *f, const contact_bodies *s, perp_run *run) {
  block_lu_identity(f->factor);
  for (int32_t k = 0; k < s->count; k++) {
    const body_contact *c = &s->contact[k];
    double rho[3];
    for (int i = 0; i < 3; i++) rho[i] = max2(s->sigma, SIGMA_MIN)*c->size + c->yield[i];
    if (cone_yield(&s->C, c->mu, s->face[k], rho, answer(f, k)))
      contact_bodies_couple(s, k, answer(f, k), f->factor);
  }
  const perp_deadline deadline = run_deadline(run);
  const int failed = block_lu_factor(f->factor, &deadline);
  run_factored(run, 1, block_lu_nonzeros(f->factor));
  return failed == 0;
}

static void clear(const contact_bodies *s, double *g) {
  memset(g, 0, ((size_t)s->bodies + 1)*BLOCK*sizeof *g);
}

static void solve(contact_faces *f, const contact_bodies *s, double *g) {
  block_lu_solve(f->factor, g);
  memset(g + (size_t)s->bodies*BLOCK, 0, BLOCK*sizeof *g);
}

// One correction with the current factor. Returns |R v|/speed before it.
static double correct(contact_faces *f, contact_bodies *s, int last) {
  double left = 0.0;
  clear(s, f->g);
  for (int32_t k = 0; k < s->count; k++) {
    double P[3][3], R[3][3], v[3], y[3];
    if (is_open(s, k)) continue;
    contact_bodies_velocity(s, k, v);
    const int32_t m = cone_face(&s->C, s->contact[k].mu, s->face[k], P, R);
    for (int32_t i = 0; i < m; i++)
      left = max_or_nan(left, fabs(R[i][0]*v[0] + R[i][1]*v[1] + R[i][2]*v[2]));
    multiply3(answer(f, k), v, y);
    for (int i = 0; i < 3; i++) y[i] = -y[i];
    contact_bodies_spread(s, k, y, f->g);
  }
  left /= s->speed;
  if (last || !(left > 1e-14)) return left;
  solve(f, s, f->g);
  for (int32_t k = 0; k < s->count; k++) {
    double v[3], *dl = f->dl + 3*(size_t)k;
    memset(dl, 0, 3*sizeof *dl);
    if (is_open(s, k)) continue;
    contact_bodies_velocity(s, k, v);
    contact_bodies_gather(s, k, f->g, v);
    multiply3(answer(f, k), v, dl);
  }
  for (size_t i = 0; i < 3*(size_t)s->count; i++) s->l[i] -= f->dl[i];
  contact_bodies_refresh(s);
  return left;
}

double contact_faces_solve(contact_faces *f, contact_bodies *s, perp_run *run, int corrections) {
  if (!factor(f, s, run)) return (double)INFINITY;
  double left = (double)INFINITY;
  for (int k = 0; k <= corrections; k++) left = correct(f, s, k == corrections);
  return left;
}

// ---- a few contacts ----

static int take_room(contact_faces *f, const contact_bodies *s, perp_run *run) {
  const size_t width = ((size_t)s->bodies + 1)*BLOCK, three = 3*(size_t)FACES_CONTACTS_MAX;
  const int32_t m = FACES_CONTACTS_MAX*(s->K + 2);
  if (f->column != NULL) return 1;
  f->column = run_allocate(run, (three*width + three*three + three)*sizeof *f->column);
  f->doubles = run_allocate(run, small_lcp_doubles(m)*sizeof *f->doubles);
  f->integers = run_allocate(run, small_lcp_integers(m)*sizeof *f->integers);
  if (f->column == NULL || f->doubles == NULL || f->integers == NULL) return 0;
  f->G = f->column + three*width;
  return 1;
}

// Computes G = J_S H^-1 J_S' + rho, and v0 behind it. 0: no time.
static int reduce(contact_faces *f, const contact_bodies *s, perp_run *run, const int32_t *chosen,
                  int32_t count) {
  const size_t width = ((size_t)s->bodies + 1)*BLOCK, n = 3*(size_t)count;
  double *v0 = f->G + n*n;
  for (int32_t j = 0; j < count; j++) {
    const body_contact *c = &s->contact[chosen[j]];
    contact_bodies_velocity(s, chosen[j], v0 + 3*(size_t)j);
    if (run_out_of_time(run)) return 0;
    for (int r = 0; r < 3; r++) {
      const double unit[3] = {r == 0, r == 1, r == 2};
      const size_t at = 3*(size_t)j + (size_t)r;
      double *g = f->column + at*width;
      clear(s, g);
      contact_bodies_spread(s, chosen[j], unit, g);
      memset(g + (size_t)s->bodies*BLOCK, 0, BLOCK*sizeof *g);
      solve(f, s, g);
      for (int32_t i = 0; i < count; i++) {
        double v[3] = {0.0};
        contact_bodies_gather(s, chosen[i], g, v);
        if (i == j) v[r] += s->sigma*c->size + c->yield[r];
        for (size_t t = 0; t < 3; t++) f->G[(3*(size_t)i + t)*n + at] = v[t];
      }
    }
  }
  return 1;
}

// Row i of a contact (0: normal, then directions) as a combination of the three rows of J.
static void combine(const polygon *C, int32_t i, double *e) {
  e[0] = i == 0;
  e[1] = i == 0 ? 0.0 : C->d[i - 1][0];
  e[2] = i == 0 ? 0.0 : C->d[i - 1][1];
}

// Writes the LCP of the chosen contacts. The unit of impulses is 1/size, so that entries are near
// 1.
static void state(const contact_faces *f, const contact_bodies *s, const int32_t *chosen,
                  int32_t count, double size, small_lcp *lcp) {
  const int32_t K = s->K, q = K + 2;
  const size_t n = 3*(size_t)count;
  const double *v0 = f->G + n*n;
  for (int32_t a = 0; a < count; a++)
    for (int32_t i = 0; i < q; i++) {
      double *row = small_lcp_row(lcp, q*a + i), e[3], d[3];
      memset(row, 0, ((size_t)lcp->m + 2)*sizeof *row);
      if (i == K + 1) {
        row[q*a] = s->contact[chosen[a]].mu;
        for (int32_t j = 1; j <= K; j++) row[q*a + j] = -1.0;
        continue;
      }
      combine(&s->C, i, e);
      row[lcp->m + 1] = dot(3, e, v0 + 3*(size_t)a);
      if (i > 0) row[q*a + K + 1] = 1.0;
      for (int32_t b = 0; b < count; b++)
        for (int32_t j = 0; j <= K; j++) {
          const double *G = f->G + 3*(size_t)a*n + 3*(size_t)b;
          combine(&s->C, j, d);
          row[q*b + j] = (e[0]*dot(3, G, d) + e[1]*dot(3, G + n, d) + e[2]*dot(3, G + 2*n, d))/size;
        }
    }
}

static int32_t face_of(const double *z, int32_t K) {
  int32_t first = -1, last = -1;
  if (!(z[0] > 0.0)) return CONE_OPEN;
  if (!(z[K + 1] > 0.0)) return CONE_STICK;
  for (int32_t k = 0; k < K; k++)
    if (z[1 + k] > 0.0) {
      first = first < 0 ? k : first;
      last = k;
    }
  if (first == last) return CONE_SLIDE + (first < 0 ? 0 : first);
  return CONE_SLIDE + K + (first == 0 && last == K - 1 ? last : first);
}

int contact_faces_choose(contact_faces *f, contact_bodies *s, perp_run *run, const int32_t *chosen,
                         int32_t count) {
  const int32_t K = s->K, q = K + 2;
  if (!take_room(f, s, run)) return 0;
  for (int32_t j = 0; j < count; j++) {
    s->face[chosen[j]] = CONE_OPEN;
    memset(s->l + 3*(size_t)chosen[j], 0, 3*sizeof *s->l);
  }
  contact_bodies_refresh(s);
  if (!(contact_faces_solve(f, s, run, 2) < (double)INFINITY)) return 0;
  if (!reduce(f, s, run, chosen, count)) return 0;
  small_lcp lcp;
  small_lcp_place(&lcp, q*count, f->doubles, f->integers);
  const double size = s->contact[chosen[0]].size;
  state(f, s, chosen, count, size, &lcp);
  if (!small_lcp_solve(&lcp, 1e-12)) return 0;
  clear(s, f->g);
  const size_t width = ((size_t)s->bodies + 1)*BLOCK;
  for (int32_t j = 0; j < count; j++) {
    const double *z = lcp.z + (size_t)q*(size_t)j;
    double *l = s->l + 3*(size_t)chosen[j];
    l[0] = z[0]/size;
    for (int32_t k = 0; k < K; k++)
      for (int t = 0; t < 2; t++) l[1 + t] += z[1 + k]*s->C.d[k][t]/size;
    s->face[chosen[j]] = face_of(z, K);
    f->chosen[chosen[j]] = 1;
    for (size_t r = 0; r < 3; r++) {
      const double *column = f->column + (3*(size_t)j + r)*width;
      for (size_t i = 0; i < width; i++) f->g[i] += l[r]*column[i];
    }
  }
  for (int32_t k = 0; k < s->count; k++) {   // the other contacts react
    double v[3] = {0.0}, dl[3];
    if (f->chosen[k] || is_open(s, k)) continue;
    contact_bodies_gather(s, k, f->g, v);
    multiply3(answer(f, k), v, dl);
    for (size_t i = 0; i < 3; i++) s->l[3*(size_t)k + i] -= dl[i];
  }
  for (int32_t j = 0; j < count; j++) f->chosen[chosen[j]] = 0;
  contact_bodies_refresh(s);
  return 1;
}
