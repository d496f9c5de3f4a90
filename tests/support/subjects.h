// subjects.h: operators with known matrices for the tests: every kind, and wrappers of them.
//
// Each subject comes with its matrix M in long double, built apart from the code under test.
#ifndef PERP_TEST_SUBJECTS_H
#define PERP_TEST_SUBJECTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "operator.h"
#include "random.h"
#include "vector.h"

enum { N = 24, BODIES = 7, BASES = 13, WRAPS = 3 };

static random_stream stream = {2024, 0};

typedef struct subject {
  char name[96];
  perp_operator A;
  int32_t n;
  long double M[N][N];
  perp_wrapper wrapper;
  double R[N], C[N];
  int32_t set[N];
} subject;

// The base operators.

typedef struct base_data {
  double dense[N*(N + 3)];
  int32_t colptr[N + 1], row[N*N];
  double value[N*N];
  perp_dense d;
  perp_csc c;
  int32_t rowptr[N + 1], column[N*6];
  double j_value[N*6], W[BODIES*3*3], compliance[N];
  perp_product p;
  double direction[2*4], mu[N];
  perp_contacts contacts;
  double diagonal[N];
  perp_callback f;
  uint8_t type[N];
  double face[3][2*N];
  perp_grid grid;
} base_data;

static base_data base_of[BASES];

static inline void random_matrix(int symmetric, double M[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      M[i][j] = random_uniform(&stream) < 0.3 ? perp_random_normal(stream.seed, stream.next++) : 0.0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++)
      if (symmetric) M[j][i] = M[i][j];
    M[i][i] = 6.0 + random_uniform(&stream);
  }
}

static inline int dense_apply(void *context, const double *x, double *y) {
  const perp_dense *d = context;
  for (int32_t i = 0; i < d->n; i++) y[i] = dot(d->n, d->value + i*d->n, x);
  return 0;
}

static inline int dense_apply_transpose(void *context, const double *x, double *y) {
  const perp_dense *d = context;
  for (int32_t i = 0; i < d->n; i++) {
    y[i] = 0.0;
    for (int32_t j = 0; j < d->n; j++) y[i] += d->value[j*d->n + i]*x[j];
  }
  return 0;
}

// s->M becomes that of the product, whose first `rows` rows are taken
static inline void make_product(base_data *data, subject *s, int32_t block, int with_compliance,
                                int32_t rows) {
  const int32_t dofs = BODIES*3;
  double J[N][BODIES*3] = {{0.0}}, W[BODIES*3][BODIES*3] = {{0.0}};
  int32_t p = 0;
  for (int32_t i = 0; i < N; i++) {
    data->rowptr[i] = p;
    const int32_t one = random_integer(&stream, BODIES), two = random_integer(&stream, BODIES);
    for (int32_t k = 0; k < dofs; k++) {
      if ((k/3 != one && k/3 != two) || random_uniform(&stream) < 0.2) continue;
      J[i][k] = data->j_value[p] = perp_random_normal(stream.seed, stream.next++);
      data->column[p++] = k;
    }
    data->compliance[i] = random_uniform(&stream);
  }
  data->rowptr[N] = p;
  for (int32_t k = 0; k < dofs; k += block) {   // W = L L' + I in each block
    double L[3][3];
    for (int i = 0; i < block; i++)
      for (int j = 0; j < block; j++) L[i][j] = perp_random_normal(stream.seed, stream.next++);
    for (int i = 0; i < block; i++)
      for (int j = 0; j < block; j++) {
        double w = i == j ? 1.0 : 0.0;
        for (int l = 0; l < block; l++) w += L[i][l]*L[j][l];
        W[k + i][k + j] = data->W[(k + i)*block + j] = w;
      }
  }
  data->p = (perp_product){rows, dofs, data->rowptr, data->column, data->j_value, block, data->W,
                           with_compliance ? data->compliance : NULL};
  for (int32_t i = 0; i < N; i++)
    for (int32_t j = 0; j < N; j++) {
      s->M[i][j] = with_compliance && i == j ? data->compliance[i] : 0.0;
      for (int32_t k = 0; k < dofs; k++)
        for (int32_t l = k - k % block; l < k - k % block + block; l++)
          s->M[i][j] += (long double)J[i][k]*W[k][l]*J[j][l];
    }
  s->A = perp_from_product(&data->p, PERP_CLAIM_NONE);
}

// E13 (27): H picks and combines rows of B, then come E and mu.
static inline void make_contacts(base_data *data, subject *s, int32_t K, int32_t tangents) {
  const int32_t count = N/(2 + K), rows = (1 + tangents)*count, slacks = (1 + K)*count;
  static long double B[N][N];
  double H[N][N] = {{0.0}};
  make_product(data, s, tangents == 2 ? 3 : 1, tangents == 2, rows);
  memcpy(B, s->M, sizeof B);
  memset(s->M, 0, sizeof s->M);
  for (int32_t k = 0; k < K*tangents; k++)
    data->direction[k] = k == 1 ? 0.0 : perp_random_normal(stream.seed, stream.next++);
  for (int32_t c = 0; c < count; c++) {
    data->mu[c] = c == 1 ? 0.0 : random_uniform(&stream);
    H[(1 + tangents)*c][c] = 1.0;
    for (int32_t k = 0; k < K; k++) {
      const int32_t row = count + K*c + k;
      for (int32_t t = 0; t < tangents; t++)
        H[(1 + tangents)*c + 1 + t][row] = data->direction[k*tangents + t];
      s->M[row][slacks + c] = 1.0L;
      s->M[slacks + c][row] = -1.0L;
    }
    s->M[slacks + c][c] = data->mu[c];
  }
  for (int32_t i = 0; i < slacks; i++)
    for (int32_t j = 0; j < slacks; j++)
      for (int32_t k = 0; k < rows; k++)
        for (int32_t l = 0; l < rows; l++) s->M[i][j] += H[k][i]*B[k][l]*H[l][j];
  data->contacts = (perp_contacts){.count = count, .directions = K, .tangents = tangents,
                                   .direction = data->direction, .mu = data->mu, .B = data->p};
  s->A = perp_from_contacts(&data->contacts, PERP_CLAIM_NONE);
}

// Cells of all types; spacings are powers of two, so that the entries of faces are exact.
static inline void make_grid(base_data *data, subject *s, int32_t nx, int32_t ny, int32_t nz) {
  static const double spacing[3] = {0.5, 2.0, 1.0};
  const int32_t cells[3] = {nx, ny, nz}, step[3] = {1, nx, nx*ny};
  data->grid = (perp_grid){.cells = {nx, ny, nz}, .spacing = {0.5, 2.0, 1.0}, .type = data->type};
  for (int d = 0; d < 3; d++) {
    for (int f = 0; f < 2*N; f++)
      data->face[d][f] = random_uniform(&stream) < 0.2 ? 0.0 : random_range(&stream, 0.1, 9.0);
    if (d != nz/2) data->grid.face[d] = data->face[d];   // a direction without weights, too
  }
  for (int32_t h = 0; h < N; h++)
    data->type[h] = (uint8_t)(random_uniform(&stream) < 0.7 ? PERP_CELL_LIQUID
                                                            : 2*random_integer(&stream, 2));
  memset(s->M, 0, sizeof s->M);
  for (int32_t h = 0; h < N; h++) {
    const int32_t at[3] = {h % nx, h/nx % ny, h/nx/ny};
    if (data->type[h] != PERP_CELL_LIQUID) s->M[h][h] = 1.0L;
    for (int d = 0; d < 3 && data->type[h] == PERP_CELL_LIQUID; d++)
      for (int up = 0; up < 2; up++) {
        const int32_t l = up ? h + step[d] : h - step[d];
        int32_t face[3] = {at[0], at[1], at[2]};
        face[d] += up;
        if (face[d] == 0 || face[d] == cells[d] || data->type[l] == PERP_CELL_SOLID) continue;
        const int32_t f = (face[2]*(ny + (d == 1)) + face[1])*(nx + (d == 0)) + face[0];
        const long double w = (data->grid.face[d] != NULL ? data->face[d][f] : 1.0)/
                              (spacing[d]*spacing[d]);
        s->M[h][h] += w;
        if (data->type[l] == PERP_CELL_LIQUID) s->M[h][l] = -w;
      }
  }
  s->A = perp_from_grid(&data->grid, PERP_CLAIM_NONE);
}

static inline void make_base(int which, subject *s) {
  static const char *const names[BASES] = {"dense", "dense by columns", "csc", "symmetric csc",
                                           "product 1x1", "product 3x3", "callback",
                                           "bare callback", "callback without transpose",
                                           "contacts", "contacts in the plane", "grid",
                                           "plane grid"};
  base_data *data = &base_of[which];
  memset(s, 0, sizeof *s);
  strcpy(s->name, names[which]);
  s->n = N;
  double M[N][N];
  random_matrix(which == 3, M);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) s->M[i][j] = M[i][j];
  if (which <= 1) {
    const int32_t ld = which == 1 ? N + 3 : 0;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) data->dense[which == 1 ? j*(N + 3) + i : i*N + j] = M[i][j];
    data->d = (perp_dense){N, data->dense, ld, which};
    s->A = perp_from_dense(&data->d, PERP_CLAIM_NONE);
  } else if (which <= 3) {
    int32_t p = 0;
    for (int32_t j = 0; j < N; j++) {
      data->colptr[j] = p;
      for (int32_t i = 0; i < N; i++) {
        if (M[i][j] == 0.0) continue;
        data->row[p] = i;
        data->value[p++] = M[i][j];
      }
    }
    data->colptr[N] = p;
    data->c = (perp_csc){N, N, data->colptr, data->row, data->value};
    s->A = perp_from_csc(&data->c, which == 3 ? PERP_CLAIM_SYMMETRIC : PERP_CLAIM_NONE);
  } else if (which <= 5) {
    make_product(data, s, which == 4 ? 1 : 3, which == 5, N);
  } else if (which >= 11) {
    make_grid(data, s, which == 11 ? 4 : 6, which == 11 ? 3 : 4, which == 11 ? 2 : 1);
  } else if (which >= 9) {
    make_contacts(data, s, which == 9 ? 4 : 2, which == 9 ? 2 : 1);
  } else {
    for (int i = 0; i < N; i++) {
      data->diagonal[i] = M[i][i];
      for (int j = 0; j < N; j++) data->dense[i*N + j] = M[i][j];
    }
    data->d = (perp_dense){N, data->dense, 0, 0};
    data->f = (perp_callback){N, dense_apply, which == 6 ? dense_apply_transpose : NULL,
                              which == 7 ? NULL : data->diagonal, &data->d};
    s->A = perp_from_callback(&data->f, PERP_CLAIM_NONE);
  }
}

// The wrappers.

static inline void wrap(int how, const subject *inner, subject *s) {
  static const char *const names[WRAPS] = {"scaled", "shifted", "restricted"};
  memset(s, 0, sizeof *s);
  strcpy(s->name, names[how]);
  strcat(strcat(s->name, " "), inner->name);
  s->n = inner->n;
  if (how == 0) {
    for (int i = 0; i < s->n; i++) {
      s->R[i] = random_range(&stream, 0.3, 3.0);
      s->C[i] = random_range(&stream, 0.3, 3.0);
    }
    s->A = perp_scaled(&s->wrapper, inner->A, s->R, s->C);
    for (int i = 0; i < s->n; i++)
      for (int j = 0; j < s->n; j++) s->M[i][j] = s->R[i]*inner->M[i][j]*s->C[j];
  } else if (how == 1) {
    s->A = perp_shifted(&s->wrapper, inner->A, 0.7);
    memcpy(s->M, inner->M, sizeof s->M);
    for (int i = 0; i < s->n; i++) s->M[i][i] += 0.7;   // exactly the double 0.7
  } else {
    s->n = 0;
    for (int32_t i = 0; i < inner->n; i++)
      if (i % 5 < 3) s->set[s->n++] = i;
    s->A = perp_restricted(&s->wrapper, inner->A, s->set, s->n);
    for (int i = 0; i < s->n; i++)
      for (int j = 0; j < s->n; j++) s->M[i][j] = inner->M[s->set[i]][s->set[j]];
  }
  const perp_operator_ops *a = inner->A.ops, *b = s->A.ops;
  assert_int_equal(s->A.n, s->n);
  assert_int_equal(a->apply_transpose != NULL, b->apply_transpose != NULL);
  assert_int_equal(a->residual != NULL, b->residual != NULL);
  assert_int_equal(a->submatrix != NULL, b->submatrix != NULL);
  assert_true(b->diagonal != NULL || a->diagonal == NULL || (how == 2 && a->submatrix == NULL));
  if (a->sweep != NULL) assert_non_null(b->sweep);
  if (a->add_column != NULL) assert_non_null(b->add_column);
  const perp_view view = operator_view(&s->A);
  if (view.kind == PERP_VIEW_DENSE || view.kind == PERP_VIEW_CSC || view.kind == PERP_VIEW_GRID)
    assert_non_null(b->row_col_max);
}

static inline void *exact_memory(size_t bytes) {   // of just this size, filled with NaN
  unsigned char *memory = malloc(bytes > 0 ? bytes : 1);
  assert_non_null(memory);
  memset(memory, 0xff, bytes);
  return memory;
}

static inline void random_vector(int32_t n, double *x) {
  for (int32_t i = 0; i < n; i++)
    x[i] = perp_random_normal(stream.seed, stream.next++)*ldexp(1.0, random_integer(&stream, 8));
}

#endif
