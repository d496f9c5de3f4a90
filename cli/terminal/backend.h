// backend.h: finds linear solvers by name, in the library and in backends that are loaded at run
// time.
#pragma once

#include <perp/method.h>

#include <stddef.h>

typedef struct backend_row {
  const char *name;      // "klu"
  const char *library;   // "libperp-klu.so"
  const char *what;      // "sparse LU of SuiteSparse"
  const char *package;   // what to install
} backend_row;

const backend_row *backend_at(int index);   // NULL after the last

// Loads a backend, once. NULL: it is missing, and `where` says why; else `where` is its file.
const perp_linear_ops *backend_load(const backend_row *row, char *where, size_t size);

// The linear solver of that name. Returns 0, or an exit code after having said what is wrong.
int linear_find(const char *name, const perp_linear_ops **linear);

// Names of all linear solvers, for suggest().
const char *linear_name_at(const void *unused, int index);
