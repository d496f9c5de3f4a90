// backend_load.h: a linear solver from a library of its own, loaded as the program loads it.
#ifndef PERP_TEST_BACKEND_LOAD_H
#define PERP_TEST_BACKEND_LOAD_H

#include <dlfcn.h>

#include "support.h"

// NULL: it cannot be loaded, and why has been printed. *library is to be closed by dlclose().
static inline const perp_linear_ops *backend_load(const char *path, void **library) {
  const perp_linear_ops *(*get)(void) = NULL;
  *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (*library != NULL) *(void **)&get = dlsym(*library, "perp_backend_linear");
  if (get == NULL) print_error("%s\n", dlerror());
  return get != NULL ? get() : NULL;
}

#endif
