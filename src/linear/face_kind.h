// face_kind.h: what a kind of face must be able to do; face.c forwards to it.
#ifndef PERP_FACE_KIND_H
#define PERP_FACE_KIND_H

#include "face.h"

typedef struct face_kind {   // as the functions of face.h
  void (*destroy)(face *f);
  int (*values)(face *f, const perp_operator *A);
  void (*shift)(face *f, double sigma);
  int (*update)(face *f, const uint8_t *is_free, const perp_deadline *deadline);
  int (*solve)(face *f, double *v, int refine);
  void (*apply)(const face *f, const double *x, double *y);
  double (*flops_anew)(const face *f);
  double (*flops_rows)(const face *f, const uint8_t *is_free);
  double (*flops_solve)(const face *f);
  int64_t (*nnz)(const face *f);
  double (*flops_update)(const face *f, const uint8_t *is_free);
} face_kind;

struct face {                // the first member of every kind
  const face_kind *kind;
  double asymmetry;          // see face_asymmetry
  int32_t factorizations, modifications;
};

// By the entries of A: any operator that has them. As face_create.
face *face_entries_create(const perp_operator *A, const perp_allocator *allocator, int *failed);

#endif
