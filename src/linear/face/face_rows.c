// face_rows.c: updates of the faces whose rows come and go one by one.
//
// An update either modifies the rows that changed or factors again, whichever takes fewer
// operations. Deletions come first, because they keep a semidefinite block definite.
#include <math.h>

#include "dense_kernels.h"
#include "face_kind.h"
#include "vector.h"

// Operations of the modifications. Stops counting at `enough`.
static double rows_up_to(const row_face *f, const uint8_t *is_free, double enough) {
  double flops = 0.0;
  if (!f->factored) return (double)INFINITY;
  for (int32_t i = 0; i < f->n && flops <= enough; i++)
    if ((is_free[i] != 0) != f->kept[i]) flops += f->rows->flops_row(f, i);
  return flops;
}

double row_face_flops_rows(const face *base, const uint8_t *is_free) {
  return rows_up_to((const row_face *)base, is_free, (double)INFINITY);
}

double row_face_flops_update(const face *base, const uint8_t *is_free) {
  const row_face *f = (const row_face *)base;
  const double whole = f->rows->flops_factor(f, is_free);
  return min2(whole, rows_up_to(f, is_free, whole));
}

// Deletes the rows that are not free, then adds the free rows that are missing.
static int follow(row_face *f, const uint8_t *is_free, const perp_deadline *deadline) {
  for (uint8_t comes = 0; comes < 2; comes++)
    for (int32_t i = 0; i < f->n; i++) {
      if (f->kept[i] == comes || (is_free[i] != 0) != comes) continue;
      const int code = deadline_passed(deadline) ? -1 : f->rows->modify(f, i, comes);
      if (code != 0) return code;
    }
  return 0;
}

int row_face_update(face *base, const uint8_t *is_free, const perp_deadline *deadline) {
  row_face *f = (row_face *)base;
  const double whole = f->rows->flops_factor(f, is_free);
  f->ready = 0;
  const int code = rows_up_to(f, is_free, whole) <= whole ? follow(f, is_free, deadline)
                                                          : FACE_REFACTOR;
  if (code == FACE_REFACTOR) {
    for (int32_t i = 0; i < f->n; i++) f->kept[i] = is_free[i] != 0;
    return f->rows->refactor(f, deadline);
  }
  f->ready = code == 0;
  return code;
}
