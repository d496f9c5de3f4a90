// small_family.h: every family of the gallery, kept small, for tests of all methods on all families.
#ifndef PERP_SMALL_FAMILY_H
#define PERP_SMALL_FAMILY_H

#include "support.h"

typedef struct setting {
  const char *family, *name;
  double value;
} setting;

static const setting small[] = {
    // what keeps the problems small; everything else stays at its default
    {"fluid2d", "size", 8},
    {"fluid3d", "size", 4},
    {"wall", "bodies", 6},
    {"wall", "condition", 1e3},
    {"bricks", "bodies", 7},
    {"bricks", "constraints", 36},
    {"bricks", "condition", 1e3},
    {"friction", "bodies", 4},
    {"bearing", "nx", 8},
    {"bearing", "ny", 7},
    {"obstacle", "size", 7},
    {"torsion", "nx", 7},
    {"torsion", "ny", 6},
    {"dense-pd", "n", 18},
    {"dense-psd", "n", 18},
    {"p-matrix", "n", 18},
    {"m-matrix", "n", 30},
    {"mixed", "n", 24},
    {"murty", "n", 8},
    {"fathi", "n", 8},
    {"toolbox-fluid", "size", 4},
    {"toolbox-contact", "contacts", 4},
};

static inline void make_small(const perp_family *family, int variant, uint64_t seed,
                              perp_sample *g) {
  double values[32];
  for (int32_t k = 0; k < family->parameter_count; k++) {
    const perp_gallery_parameter *p = &family->parameters[k];
    values[k] = p->initial;
    for (size_t q = 0; q < sizeof small/sizeof small[0]; q++)
      if (strcmp(small[q].family, family->name) == 0 && strcmp(small[q].name, p->name) == 0)
        values[k] = small[q].value;
    if (strcmp(p->name, "built") == 0) values[k] = variant & 1;
    if (strcmp(p->name, "degenerate") == 0) values[k] = variant & 2 ? 0.3 : 0.0;
    if (p->choices != NULL) values[k] = variant & 4 ? p->low : p->initial;
    if (strcmp(p->name, "n") == 0 && variant & 8) values[k] = 5;
  }
  if (perp_generate(family, values, seed, g) != PERP_OK)
    fail_msg("%s: %s", family->name, perp_last_message());
}

#endif
