// backend.c: finds linear solvers by name, in the library and in backends that are loaded at run
// time.
//
// A backend is a shared library with the single symbol perp_backend_linear. The program looks for
// it in $PERP_BACKENDS, in lib/perp beside the program's bin, and in the build folder.
#include "backend.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "suggest.h"
#include "text.h"

#ifndef PERP_LIBDIR_FROM_BIN
#define PERP_LIBDIR_FROM_BIN "../lib"
#endif

static const backend_row table[] = {
  {"klu", "libperp-klu.so", "sparse LU of SuiteSparse (LGPL)", "libsuitesparse-dev"},
  {"cholmod", "libperp-cholmod.so", "sparse Cholesky of SuiteSparse (GPL)", "libsuitesparse-dev"},
};
enum { COUNT = sizeof table/sizeof *table };

const backend_row *backend_at(int index) {
  return index >= 0 && index < COUNT ? &table[index] : NULL;
}

const char *linear_name_at(const void *unused, int index) {
  (void)unused;
  const perp_linear_ops *linear = perp_linear_at(index);
  if (linear) return linear->name;
  const backend_row *row = backend_at(index - perp_linear_count());
  return row ? row->name : NULL;
}

// The k-th folder to look in; 0: there are no more.
static int folder(int k, const backend_row *row, char *path, size_t size) {
  const char *given = getenv("PERP_BACKENDS");
  if (k == 0) {
    snprintf(path, size, "%s", given ? given : "");
    return 1;
  }
  const char *const beside[] = {PERP_LIBDIR_FROM_BIN "/perp", "../backend/"};
  if (k > (int)(sizeof beside/sizeof *beside)) return 0;
  char program[1024];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  *path = 0;
  if (length <= 0) return 1;
  program[length] = 0;
  *strrchr(program, '/') = 0;
  snprintf(path, size, "%s/%s%s", program, beside[k - 1], k == 2 ? row->name : "");
  return 1;
}

const perp_linear_ops *backend_load(const backend_row *row, char *where, size_t size) {
  char path[2048], file[2304], seen[1024] = "", reason[512] = "";
  for (int k = 0; folder(k, row, path, sizeof path); k++) {
    if (!*path) continue;
    snprintf(file, sizeof file, "%s/%s", path, row->library);
    if (access(file, R_OK) != 0) {
      text_append(seen, sizeof seen, "%s%s", *seen ? ", " : "", path);
      continue;
    }
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);   // stays for the life of the program
    const perp_linear_ops *(*get)(void) = NULL;
    if (library) {
      void *symbol = dlsym(library, "perp_backend_linear");
      memcpy(&get, &symbol, sizeof get);
    }
    const perp_linear_ops *linear = get ? get() : NULL;
    if (linear) {
      snprintf(where, size, "%s", file);
      return linear;
    }
    const char *error = library ? "it has no perp_backend_linear" : dlerror();
    snprintf(reason, sizeof reason, "%.400s", error ? error : "it cannot be loaded");
    break;
  }
  if (*reason) snprintf(where, size, "%s cannot be used: %s", file, reason);
  else snprintf(where, size, "%s is not in %s", row->library, seen);
  return NULL;
}

int linear_find(const char *name, const perp_linear_ops **linear) {
  *linear = perp_find_linear(name);
  if (*linear) return CODE_OK;
  for (int i = 0; i < COUNT; i++) {
    if (strcmp(table[i].name, name) != 0) continue;
    char where[2600];
    *linear = backend_load(&table[i], where, sizeof where);
    if (*linear) return CODE_OK;
    return fail(CODE_COMPONENT,
                "--linear %s: %s; build perp with %s installed, or let PERP_BACKENDS name its "
                "folder", name, where, table[i].package);
  }
  const char *near = suggest(name, linear_name_at, NULL);
  if (near)
    return fail(CODE_USAGE, "there is no linear solver '%s'; did you mean '%s'?", name, near);
  char names[256] = "";
  for (int i = 0; linear_name_at(NULL, i); i++)
    text_append(names, sizeof names, "%s%s", i ? ", " : "", linear_name_at(NULL, i));
  return fail(CODE_USAGE, "there is no linear solver '%s'; there are %s", name, names);
}
