// bins.c: lists the bodies that may be in each cell of a plane, by a counting sort.
#include "bins.h"

#include <stdlib.h>

static int32_t inside(int32_t value, int32_t count) {
  return value < 0 ? 0 : value >= count ? count - 1 : value;
}

static int reserve(int32_t **list, int64_t *room, int64_t count) {
  if (count <= *room) return 0;
  int32_t *larger = realloc(*list, (size_t)count*sizeof **list);
  if (!larger) return 1;
  *list = larger;
  *room = count;
  return 0;
}

int bins_fill(bins *what, int32_t columns, int32_t rows, int32_t (*range)[4], int32_t bodies) {
  const int64_t cells = (int64_t)columns*rows;
  if (reserve(&what->start, &what->cell_room, cells + 2)) return 1;
  int32_t *start = what->start;
  for (int64_t k = 0; k < cells + 2; k++) start[k] = 0;
  int64_t total = 0;
  for (int32_t i = 0; i < bodies; i++) {
    int32_t *at = range[i];
    const int nowhere = at[1] < at[0] || at[3] < at[2] || at[1] < 0 || at[3] < 0 ||
                        at[0] >= columns || at[2] >= rows;
    if (nowhere) {
      at[0] = 0, at[1] = -1;
      continue;
    }
    for (int k = 0; k < 4; k++) at[k] = inside(at[k], k < 2 ? columns : rows);
    for (int32_t y = at[2]; y <= at[3]; y++) {
      for (int32_t x = at[0]; x <= at[1]; x++) start[(int64_t)y*columns + x + 2]++;
    }
    total += (int64_t)(at[1] - at[0] + 1)*(at[3] - at[2] + 1);
  }
  if (total > INT32_MAX || reserve(&what->item, &what->item_room, total + 1)) return 1;
  for (int64_t k = 2; k < cells + 2; k++) start[k] += start[k - 1];
  for (int32_t i = 0; i < bodies; i++) {   // start[c + 1] is where cell c goes on
    const int32_t *at = range[i];
    if (at[1] < at[0]) continue;
    for (int32_t y = at[2]; y <= at[3]; y++) {
      for (int32_t x = at[0]; x <= at[1]; x++)
        what->item[start[(int64_t)y*columns + x + 1]++] = i;
    }
  }
  what->columns = columns;
  what->rows = rows;
  return 0;
}

void bins_free(bins *what) {
  free(what->start);
  free(what->item);
  *what = (bins){0};
}
