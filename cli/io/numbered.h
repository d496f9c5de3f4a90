// numbered.h: names with a place for a number, such as frames_%04d.png.
#pragma once

#include <stddef.h>
#include <stdint.h>

int numbered_places(const char *path);   // how many %d or %04d there are
// The first of them replaced by the number; 0 if the name does not fit.
int numbered_path(const char *path, int64_t number, char *out, size_t size);
