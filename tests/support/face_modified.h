// face_modified.h: how many rows face_update() changed in a factor that it did not make again.
#ifndef PERP_TEST_FACE_MODIFIED_H
#define PERP_TEST_FACE_MODIFIED_H

#include "face.h"

// face_update() without a deadline. `last` (n) has the rows of the last update, and then those of
// this one. *modified grows by the rows that changed, unless there was a new factorisation.
static inline int update_counted(face *f, int32_t n, const uint8_t *is_free, uint8_t *last,
                                 int32_t *modified) {
  const int32_t before = face_factorizations(f);
  const int code = face_update(f, is_free, NULL);
  for (int32_t i = 0; i < n; i++) {
    *modified += face_factorizations(f) == before && last[i] != is_free[i];
    last[i] = is_free[i];
  }
  return code;
}

#endif
