// contact_scene.h: random contact LCPs E13 (27), as contacts between bodies and as the matrix,
// whose entries are summed in long double apart from the library.
#ifndef PERP_TEST_CONTACT_SCENE_H
#define PERP_TEST_CONTACT_SCENE_H

#include "support.h"

enum { CONTACTS = 12, MOST_K = 8, SCENE_ROWS = (2 + MOST_K)*CONTACTS, SCENE_BODIES = 8 };

typedef struct contact_scene {
  int32_t n, bodies, dofs;
  int32_t rowptr[3*CONTACTS + 1], column[3*CONTACTS*12];
  double value[3*CONTACTS*12], W[SCENE_BODIES*6*3], compliance[3*CONTACTS];
  double direction[2*MOST_K], mu[CONTACTS], b[SCENE_ROWS];
  perp_contacts contacts;
  int32_t colptr[SCENE_ROWS + 1], row[SCENE_ROWS*SCENE_ROWS];
  double entry[SCENE_ROWS*SCENE_ROWS];
  perp_csc csc;
} contact_scene;

typedef struct scene_kind {
  int32_t count, K, tangents;   // tangents 1: the plane
  int boxes;                    // W in blocks of 3, contacts off centre everywhere
  int soft;                     // some compliances
  double mass, size;            // units of the bodies' masses and of velocities
} scene_kind;

static inline void scene_frame(int plane, double e[3][3]) {   // normal and tangents
  memset(e, 0, 9*sizeof(double));
  if (plane) {
    const double angle = whole(0, 3) == 0 ? 1.5707963267948966*whole(0, 3) : between(0, 6.28);
    e[0][0] = whole(0, 5) ? cos(angle) : 0.0;
    e[0][1] = e[0][0] == 0.0 ? 1.0 : sin(angle);
    e[1][0] = -e[0][1];
    e[1][1] = e[0][0];
    return;
  }
  if (whole(0, 2) == 0) {   // along an axis
    for (int k = 0, axis = whole(0, 2); k < 3; k++) e[k][(axis + k) % 3] = 1.0;
    return;
  }
  double a[3] = {between(-1, 1), between(-1, 1), between(-1, 1)}, norm = 0.0;
  for (int k = 0; k < 3; k++) norm += a[k]*a[k];
  if (norm < 1e-3) a[0] = norm = 1.0;
  norm = sqrt(a[0]*a[0] + a[1]*a[1] + a[2]*a[2]);
  const int least = fabs(a[0]) < fabs(a[1]) ? (fabs(a[0]) < fabs(a[2]) ? 0 : 2)
                                            : (fabs(a[1]) < fabs(a[2]) ? 1 : 2);
  for (int k = 0; k < 3; k++) e[0][k] = a[k]/norm;
  double dot = e[0][least], length = sqrt(1.0 - dot*dot);
  for (int k = 0; k < 3; k++) e[1][k] = ((k == least ? 1.0 : 0.0) - dot*e[0][k])/length;
  for (int k = 0; k < 3; k++)
    e[2][k] = e[0][(k + 1) % 3]*e[1][(k + 2) % 3] - e[0][(k + 2) % 3]*e[1][(k + 1) % 3];
}

static inline void scene_bodies(contact_scene *s, const scene_kind *kind) {
  const int32_t plane = kind->tangents == 1, D = plane ? 3 : 6, block = kind->boxes ? 3 : 1;
  s->dofs = D*s->bodies;
  for (int32_t q = 0; q < s->bodies; q++) {
    const double weight = whole(0, 9) ? between(0.5, 3)/kind->mass : 0.0;   // 0: it cannot move
    for (int32_t k = 0; k < D; k++)
      for (int32_t l = 0; l < block; l++) {
        const int turn = k >= (plane ? 2 : 3), i = k % 3;
        double w = block == 1 || i == l ? (turn ? 2.5 + (block == 3 ? 0.5*i : 0.0) : 1.0) : 0.0;
        if (block == 3 && turn && i != l && !plane) w = 0.25*(i + l);
        s->W[(D*q + k)*block + l] = weight*w;
      }
  }
}

static inline void scene_contact(contact_scene *s, const scene_kind *kind, int32_t c) {
  const int32_t plane = kind->tangents == 1, D = plane ? 3 : 6, rows = 1 + kind->tangents;
  int32_t body[2] = {whole(-1, s->bodies - 1), whole(-1, s->bodies - 1)};   // -1: the ground
  if (body[0] == body[1]) body[1] = -1;
  if (body[0] > body[1]) {
    const int32_t swap = body[0];
    body[0] = body[1];
    body[1] = swap;
  }
  double e[3][3], arm[2][3];
  scene_frame(plane, e);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < 3; k++)
      arm[side][k] = kind->boxes ? between(-1, 1)*(k < 2 || !plane)
                                 : (side ? -1.0 : 1.0)*0.5*e[0][k];
  const int copy = c > 0 && whole(0, 4) == 0;   // redundant
  int32_t used = s->rowptr[rows*c];
  for (int32_t t = 0; t < rows; t++) {
    const int32_t row = rows*c + t;
    if (copy) {
      for (int32_t p = s->rowptr[row - rows]; p < s->rowptr[row - rows + 1]; p++, used++) {
        s->column[used] = s->column[p];
        s->value[used] = s->value[p];
      }
    }
    for (int side = 0; side < 2 && !copy; side++) {
      if (body[side] < 0) continue;
      const double *f = e[t], *r = arm[side], sign = side ? -1.0 : 1.0;
      const double turn[3] = {r[1]*f[2] - r[2]*f[1], r[2]*f[0] - r[0]*f[2], r[0]*f[1] - r[1]*f[0]};
      for (int32_t k = 0; k < D; k++) {
        const double v = sign*(k < (plane ? 2 : 3) ? f[k] : turn[plane ? 2 : k - 3]);
        if (v == 0.0 && whole(0, 1)) continue;   // stored zeros are allowed
        s->column[used] = D*body[side] + k;
        s->value[used++] = v;
      }
    }
    s->rowptr[row + 1] = used;
    s->compliance[row] = kind->soft && whole(0, 2) == 0 ? between(0, 1)/kind->mass : 0.0;
  }
  s->mu[c] = whole(0, 4) == 0 ? 0.0 : between(0, 2);
}

// b = J v + something where contacts separate, scaled; (27) has no solution for normals that move
// no body and approach, so these do not
static inline void scene_velocities(contact_scene *s, const scene_kind *kind) {
  const int32_t nc = kind->count, K = kind->K, T = kind->tangents;
  double v[SCENE_BODIES*6];
  for (int32_t k = 0; k < s->dofs; k++)
    v[k] = s->W[k*s->contacts.B.block + (s->contacts.B.block == 3 ? k % 3 : 0)] > 0.0
         ? kind->size*between(-1, 1) : 0.0;
  for (int32_t c = 0; c < nc; c++) {
    double u[3] = {0.0};
    for (int32_t t = 0; t <= T; t++)
      for (int32_t p = s->rowptr[(1 + T)*c + t]; p < s->rowptr[(1 + T)*c + t + 1]; p++)
        u[t] += s->value[p]*v[s->column[p]];
    s->b[c] = u[0] + (whole(0, 2) == 0 ? kind->size*uniform() : 0.0);
    for (int32_t k = 0; k < K; k++) {
      double along = 0.0;
      for (int32_t t = 0; t < T; t++) along += s->direction[k*T + t]*u[1 + t];
      s->b[nc + K*c + k] = along;
    }
    s->b[(1 + K)*nc + c] = 0.0;
  }
}

static inline void scene_assemble(contact_scene *s) {
  const perp_contacts *P = &s->contacts;
  const perp_product *B = &P->B;
  const int32_t nc = P->count, K = P->directions, T = P->tangents, rows = B->n, block = B->block;
  static long double M[3*CONTACTS][3*CONTACTS], size[3*CONTACTS][3*CONTACTS];
  memset(M, 0, sizeof M);
  memset(size, 0, sizeof size);
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t j = 0; j < rows; j++)
      for (int32_t p = s->rowptr[i]; p < s->rowptr[i + 1]; p++)
        for (int32_t q = s->rowptr[j]; q < s->rowptr[j + 1]; q++) {
          const int32_t k = s->column[p], l = s->column[q];
          if (k/block != l/block) continue;
          const long double t = (long double)s->value[p]*s->W[k*block + l % block]*s->value[q];
          M[i][j] += t;
          size[i][j] += fabsl(t);
        }
    M[i][i] += s->compliance[i];
  }
  int32_t used = 0;
  for (int32_t j = 0; j < s->n; j++) {
    s->colptr[j] = used;
    for (int32_t i = 0; i < s->n; i++) {
      const int32_t slacks = (1 + K)*nc;
      long double a = 0.0L, large = 0.0L;
      if (i < slacks && j < slacks) {
        const int32_t ci = i < nc ? i : (i - nc)/K, cj = j < nc ? j : (j - nc)/K;
        for (int32_t t = 0; t <= T; t++)
          for (int32_t q = 0; q <= T; q++) {
            const double left = i < nc ? t == 0 : t > 0 ? P->direction[(i - nc) % K*T + t - 1] : 0;
            const double right = j < nc ? q == 0 : q > 0 ? P->direction[(j - nc) % K*T + q - 1] : 0;
            a += (long double)left*right*M[(1 + T)*ci + t][(1 + T)*cj + q];
            large += fabsl((long double)left*right)*size[(1 + T)*ci + t][(1 + T)*cj + q];
          }
        if (fabsl(a) < 1e-14L*large) a = 0.0L;   // it cancels but for rounding of J
      } else if (i >= slacks && j < slacks) {
        const int32_t c = i - slacks;
        a = j == c ? (long double)s->mu[c] : j >= nc && (j - nc)/K == c ? -1.0L : 0.0L;
      } else if (i < slacks && j >= slacks && i >= nc && (i - nc)/K == j - slacks) {
        a = 1.0L;
      }
      if ((double)a == 0.0) continue;
      s->row[used] = i;
      s->entry[used++] = (double)a;
    }
  }
  s->colptr[s->n] = used;
  s->csc = (perp_csc){s->n, s->n, s->colptr, s->row, s->entry};
}

static inline void draw_contacts(contact_scene *s, const scene_kind *kind) {
  *s = (contact_scene){.n = (2 + kind->K)*kind->count, .bodies = whole(1, SCENE_BODIES)};
  const int32_t T = kind->tangents;
  for (int32_t k = 0; k < kind->K; k++)
    for (int32_t t = 0; t < T; t++) {
      const double angle = 6.283185307179586*k/kind->K;
      s->direction[k*T + t] = T == 1 ? (k % 2 ? -1.0 : 1.0)
                            : kind->K == 4 ? (k % 2 == t ? (k < 2 ? 1.0 : -1.0) : 0.0)
                            : t == 0 ? cos(angle) : sin(angle);
    }
  scene_bodies(s, kind);
  for (int32_t c = 0; c < kind->count; c++) scene_contact(s, kind, c);
  s->contacts = (perp_contacts){
      .count = kind->count, .directions = kind->K, .tangents = T, .direction = s->direction,
      .mu = s->mu,
      .B = {.n = (1 + T)*kind->count, .dofs = s->dofs, .rowptr = s->rowptr, .column = s->column,
            .value = s->value, .block = kind->boxes ? 3 : 1, .W = s->W,
            .compliance = kind->soft ? s->compliance : NULL}};
  scene_velocities(s, kind);
  scene_assemble(s);
}

#endif
