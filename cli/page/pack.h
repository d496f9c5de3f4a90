// pack.h: bytes as a zlib stream, packed by several threads.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The stream, to be freed, and its length; NULL: no memory. Its bytes do not depend on `threads`.
unsigned char *pack_zlib(const unsigned char *data, size_t length, int32_t threads, size_t *packed);
