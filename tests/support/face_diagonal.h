// face_diagonal.h: short names for tests that solve (diag(p) A + diag(q)) z = r with a face.
#ifndef PERP_TEST_FACE_DIAGONAL_H
#define PERP_TEST_FACE_DIAGONAL_H

#include <math.h>

#include "face.h"

static inline face *diagonal_face(const perp_operator *A, const perp_allocator *allocator) {
  int failed = 0;
  face *f = face_create(A, FACE_DIAGONALS, allocator, &failed);
  assert_true((f == NULL) == (failed != 0));
  return f;
}

static inline int diagonal_factor(face *f, const double *p, const double *q,
                                  const perp_deadline *deadline) {
  face_diagonal(f, p, q);
  return face_update(f, NULL, deadline);
}

// The backward error; INFINITY: it failed.
static inline double diagonal_solve(face *f, double *v, int refine) {
  return face_solve(f, v, refine) == 0 ? face_error(f) : (double)INFINITY;
}

#endif
