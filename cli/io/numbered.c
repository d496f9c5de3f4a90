// numbered.c: names with a place for a number, such as frames_%04d.png.
#include "numbered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where the next place begins, and its length; NULL: there is none.
static const char *next_place(const char *from, size_t *length) {
  for (const char *at = strchr(from, '%'); at; at = strchr(at + 1, '%')) {
    const size_t digits = strspn(at + 1, "0123456789");
    *length = digits + 2;
    if (at[1 + digits] == 'd' && digits <= 2) return at;
  }
  return NULL;
}

int numbered_places(const char *path) {
  size_t length;
  int count = 0;
  for (const char *at = path; (at = next_place(at, &length)) != NULL; at += length) count++;
  return count;
}

int numbered_path(const char *path, int64_t number, char *out, size_t size) {
  size_t length = 0;
  const char *at = next_place(path, &length);
  const int written = !at ? snprintf(out, size, "%s", path)
                          : snprintf(out, size, "%.*s%0*lld%s", (int)(at - path), path,
                                     atoi(at + 1), (long long)number, at + length);
  return written >= 0 && (size_t)written < size;
}
