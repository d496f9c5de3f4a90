// A zlib stream made by threads unpacks to what went in, and is the same for any number of them.
// labels: tsan
// cost: 1
#include "pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

enum { PIECE = 1 << 20 };

// Repeats itself after 20,000 bytes, also across the ends of pieces, so that dictionaries matter.
static unsigned char *sample(size_t length) {
  unsigned char *out = malloc(length + 1);
  uint32_t state = 7;
  assert_non_null(out);
  for (size_t i = 0; i < length; i++) {
    state = state*1664525u + 1013904223u;
    out[i] = i < 20000 ? (unsigned char)(state >> 24) : out[i - 20000];
  }
  return out;
}

static void streams_unpack_and_do_not_depend_on_threads(void **state) {
  (void)state;
  const size_t lengths[] = {0, 1, PIECE - 1, PIECE, PIECE + 1, 3*(size_t)PIECE + 12345};
  const int32_t threads[] = {1, 2, 5, 1000};
  for (size_t l = 0; l < sizeof lengths/sizeof *lengths; l++) {
    const size_t length = lengths[l];
    unsigned char *data = sample(length), *back = malloc(length + 1), *first = NULL;
    size_t size = 0;
    for (size_t t = 0; t < sizeof threads/sizeof *threads; t++) {
      size_t packed = 0;
      unsigned char *stream = pack_zlib(data, length, threads[t], &packed);
      uLongf room = (uLongf)length + 1;
      assert_non_null(stream);
      assert_int_equal(uncompress(back, &room, stream, (uLong)packed), Z_OK);
      assert_int_equal(room, length);
      if (length > 0) assert_memory_equal(back, data, length);
      if (t == 0) {
        first = stream, size = packed;
        continue;
      }
      assert_int_equal(packed, size);
      assert_memory_equal(stream, first, size);
      free(stream);
    }
    // Without the bytes before it a piece would have 20,000 bytes of its own.
    assert_true(size < 30000 + length/100);
    free(first);
    free(back);
    free(data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(streams_unpack_and_do_not_depend_on_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
