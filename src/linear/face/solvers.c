// solvers.c: finds a built-in linear solver by name or number.
#include "solvers.h"

#include <string.h>

static const perp_linear_ops *const table[] = {
#define PERP_LINEAR(name) &linear_##name,
#include "solvers.def"
#undef PERP_LINEAR
};
enum { COUNT = sizeof table/sizeof table[0] };

int32_t perp_linear_count(void) { return COUNT; }

const perp_linear_ops *perp_linear_at(int32_t index) {
  return index >= 0 && index < COUNT ? table[index] : NULL;
}

const perp_linear_ops *perp_find_linear(const char *name) {
  for (int32_t k = 0; name != NULL && k < COUNT; k++)
    if (strcmp(table[k]->name, name) == 0) return table[k];
  return NULL;
}
