// face.c: forwards the functions of face.h to the chosen kind of face.
#include "face_kind.h"

#include <math.h>
#include <string.h>

#include "dense_kernels.h"

int face_checked(int32_t n, double *v, int good) {
  int wrong = !good;
  for (int32_t i = 0; i < n; i++) wrong |= !(fabs(v[i]) <= 0x1p1000);   // also NaN
  if (!wrong) return 0;
  memset(v, 0, (size_t)n*sizeof *v);
  return 1;
}

void face_destroy(face *f) {
  if (f != NULL) f->kind->destroy(f);
}

void face_shift(face *f, double sigma) { f->kind->shift(f, sigma); }

void face_diagonal(face *f, const double *p, const double *q) { f->kind->diagonal(f, p, q); }

void face_accuracy(face *f, double tol) { f->accuracy = tol; }

int32_t face_inner_iterations(const face *f) { return f->inner_iterations; }

double face_error(const face *f) { return f->error; }

double face_left(const face *f) { return f->left; }

void face_multiply(const face *f, int transposed, const double *x, double *y) {
  f->kind->multiply(f, transposed, x, y);
}

int face_lifts(const face *f) { return f->lifts; }

int face_quasidefinite(const face *f) { return f->quasidefinite; }

int face_update(face *f, const uint8_t *is_free, const perp_deadline *deadline) {
  return f->kind->update(f, is_free, deadline);
}

int face_solve(face *f, double *v, int refine) { return f->kind->solve(f, v, refine); }

int face_solve_within(face *f, double *v, int refine, const perp_deadline *deadline) {
  f->deadline = deadline;
  const int code = f->kind->solve(f, v, refine);
  f->deadline = NULL;
  return code == 1 && deadline_passed(deadline) ? -1 : code;
}

double face_flops_factor(const face *f) { return f->kind->flops_factor(f); }

double face_flops_rows(const face *f, const uint8_t *is_free) {
  return f->kind->flops_rows(f, is_free);
}

double face_flops_solve(const face *f) { return f->kind->flops_solve(f); }

double face_flops_update(const face *f, const uint8_t *is_free) {
  return f->kind->flops_update(f, is_free);
}

int32_t face_factorizations(const face *f) { return f->factorizations; }

int64_t face_nnz(const face *f) { return f->kind->nnz(f); }
