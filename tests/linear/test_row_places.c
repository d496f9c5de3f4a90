// test_row_places.c: the places of cells follow from the pattern of their couplings alone.
#include "support.h"

#include "row_places.h"

enum { SIDE = 24, CELLS = SIDE*SIDE*SIDE };

typedef struct liquid {
  int32_t n, row_of[CELLS], cell[CELLS];   // -1: no liquid
  int32_t colptr[CELLS + 1], row[7*CELLS];
} liquid;

// The pattern of the five- or seven-point matrix of the cells that are set.
static void set_pattern(liquid *l, int32_t sides[3], const uint8_t *is_set) {
  const int32_t cells = sides[0]*sides[1]*sides[2];
  const int32_t stride[3] = {1, sides[0], sides[0]*sides[1]};
  l->n = 0;
  for (int32_t c = 0; c < cells; c++) {
    l->row_of[c] = is_set[c] ? l->n : -1;
    if (is_set[c]) l->cell[l->n++] = c;
  }
  int32_t used = 0;
  for (int32_t i = 0; i < l->n; i++) {
    const int32_t c = l->cell[i];
    l->colptr[i] = used;
    for (int side = 0; side < 7; side++) {
      const int axis = side < 3 ? 2 - side : side - 4, step = side < 3 ? -1 : 1;
      const int32_t at = side == 3 ? 0 : c/stride[axis]%sides[axis] + step;
      if (side != 3 && (at < 0 || at >= sides[axis])) continue;
      const int32_t other = side == 3 ? i : l->row_of[c + step*stride[axis]];
      if (other >= 0) l->row[used++] = other;
    }
  }
  l->colptr[l->n] = used;
}

// Couplings between places that are not as far apart as the cells are.
static int32_t misplaced(const liquid *l, int32_t sides[3], const row_place *place) {
  int32_t wrong = 0;
  for (int32_t i = 0; i < l->n; i++)
    for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++) {
      const int32_t j = l->row[p], a = l->cell[i], b = l->cell[j];
      const int32_t apart[3] = {a%sides[0] - b%sides[0],
                                a/sides[0]%sides[1] - b/sides[0]%sides[1],
                                a/(sides[0]*sides[1]) - b/(sides[0]*sides[1])};
      for (int k = 0; k < 3; k++)
        wrong += place[i].at[k] - place[j].at[k] != apart[k];
    }
  return wrong;
}

// A comb, whose teeth begin apart and meet in the last line; and a plane with random holes.
static void planes(void **state) {
  (void)state;
  static liquid l;
  static row_place place[CELLS];
  static int32_t work[CELLS];
  static uint8_t is_set[CELLS];
  int32_t sides[3] = {100, 100, 1};
  support_state = 3;
  for (int kind = 0; kind < 2; kind++) {
    for (int32_t c = 0; c < 10000; c++)
      is_set[c] = (uint8_t)(kind == 0 ? c/100 == 99 || c%100%7 > 1 : draw()%10 > 0);
    set_pattern(&l, sides, is_set);
    assert_int_equal(row_places_find(l.n, l.colptr, l.row, place, work), 1);
    assert_int_equal(misplaced(&l, sides, place), 0);
    for (int k = 0; k < 3; k++) assert_int_equal(place[0].at[k], 0);
  }
}

// A block, and two blocks that a bridge of one cell joins.
static void blocks(void **state) {
  (void)state;
  static liquid l;
  static row_place place[CELLS];
  static int32_t work[CELLS];
  static uint8_t is_set[CELLS];
  int32_t sides[3] = {SIDE, SIDE, SIDE};
  for (int kind = 0; kind < 2; kind++) {
    for (int32_t c = 0; c < CELLS; c++) {
      const int32_t x = c%SIDE;
      is_set[c] = (uint8_t)(kind == 0 || x < 10 || x > 12 || c/SIDE == SIDE*SIDE/2);
    }
    set_pattern(&l, sides, is_set);
    assert_int_equal(row_places_find(l.n, l.colptr, l.row, place, work), 1);
    assert_int_equal(misplaced(&l, sides, place), 0);
  }
}

// A ring with chords has five entries a row, and is no lattice.
static void ring(void **state) {
  (void)state;
  static liquid l;
  static row_place place[CELLS];
  static int32_t work[CELLS];
  enum { N = 400 };
  int32_t used = 0;
  for (int32_t i = 0; i < N; i++) {
    const int32_t to[4] = {(i + 1)%N, (i + N - 1)%N, (i + 37)%N, (i + N - 37)%N};
    l.colptr[i] = used;
    for (int32_t j = 0; j < N; j++)
      if (j == i || j == to[0] || j == to[1] || j == to[2] || j == to[3]) l.row[used++] = j;
  }
  l.colptr[N] = used;
  assert_int_equal(row_places_find(N, l.colptr, l.row, place, work), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(planes), cmocka_unit_test(blocks),
                                     cmocka_unit_test(ring)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
