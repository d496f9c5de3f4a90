// cmocka.h: the few words of cmocka that our tests use, for systems to which cmocka was not brought.
//
// A build for another system than the one that compiles (tests/CMakeLists.txt) includes this file
// instead of cmocka's. A test that fails jumps back to cmocka_run_group_tests(), which goes on with
// the next one and returns how many have failed. Setup and teardown run as in cmocka.
#ifndef PERP_TEST_CMOCKA_H
#define PERP_TEST_CMOCKA_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
  const char *name;
  void (*run)(void **state);
};
#define cmocka_unit_test(function) {#function, function}

enum { CMOCKA_FAILED = 1, CMOCKA_SKIPPED = 2 };
static jmp_buf cmocka_back;

static inline _Noreturn void cmocka_leave(int how, const char *file, int line) {
  printf("%s:%d: %s\n", file, line, how == CMOCKA_SKIPPED ? "skipped" : "failed");
  longjmp(cmocka_back, how);
}
#if defined(__MINGW_PRINTF_FORMAT)
__attribute__((format(__MINGW_PRINTF_FORMAT, 1, 2)))
#elif defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static inline void print_message(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
}
#define print_error print_message
#define skip() cmocka_leave(CMOCKA_SKIPPED, __FILE__, __LINE__)
#define fail() cmocka_leave(CMOCKA_FAILED, __FILE__, __LINE__)
#define fail_msg(...) (print_message(__VA_ARGS__), print_message("\n"), fail())
#define assert_true(c) ((c) ? (void)0 : fail_msg("not true: %s", #c))
#define assert_false(c) ((c) ? fail_msg("not false: %s", #c) : (void)0)
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_null(p) assert_true((p) == NULL)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))

static inline void cmocka_compare(uintmax_t a, uintmax_t b, int same, const char *words,
                                  const char *file, int line) {
  if ((a == b) == same) return;
  printf("%s: %" PRIdMAX " and %" PRIdMAX "\n", words, (intmax_t)a, (intmax_t)b);
  cmocka_leave(CMOCKA_FAILED, file, line);
}
#define CMOCKA_COMPARE(a, b, same, words) \
  cmocka_compare((uintmax_t)(a), (uintmax_t)(b), same, words, __FILE__, __LINE__)
#define assert_int_equal(a, b) CMOCKA_COMPARE(a, b, 1, "not equal: " #a ", " #b)
#define assert_int_not_equal(a, b) CMOCKA_COMPARE(a, b, 0, "equal: " #a ", " #b)

static inline void cmocka_range(uintmax_t v, uintmax_t low, uintmax_t high, const char *words,
                                const char *file, int line) {
  if (v >= low && v <= high) return;
  printf("%s: %" PRIdMAX "\n", words, (intmax_t)v);
  cmocka_leave(CMOCKA_FAILED, file, line);
}
#define assert_in_range(v, low, high)                                                   \
  cmocka_range((uintmax_t)(v), (uintmax_t)(low), (uintmax_t)(high),                     \
               "outside " #low " .. " #high ": " #v, __FILE__, __LINE__)

static inline void cmocka_strings(const char *a, const char *b, int same, const char *file,
                                  int line) {
  if ((strcmp(a, b) == 0) == same) return;
  printf("strings \"%s\" and \"%s\"\n", a, b);
  cmocka_leave(CMOCKA_FAILED, file, line);
}
#define assert_string_equal(a, b) cmocka_strings(a, b, 1, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) cmocka_strings(a, b, 0, __FILE__, __LINE__)
#define assert_memory_equal(a, b, bytes)                              \
  (memcmp((const void *)(a), (const void *)(b), (bytes)) == 0         \
       ? (void)0                                                      \
       : fail_msg("bytes differ: %s, %s", #a, #b))
#define assert_float_equal(a, b, tolerance)                                                  \
  ((double)(a) - (double)(b) <= (double)(tolerance) &&                                       \
           (double)(b) - (double)(a) <= (double)(tolerance)                                  \
       ? (void)0                                                                             \
       : fail_msg("%s = %.17g, %s = %.17g", #a, (double)(a), #b, (double)(b)))

static inline int cmocka_run(const struct CMUnitTest *tests, size_t count, int (*setup)(void **),
                             int (*teardown)(void **)) {
  static void *state;
  static size_t k;            // static: a jump back leaves them as they are
  static int failed, skipped;
  setvbuf(stdout, NULL, _IONBF, 0);
  if (setup != NULL && setup(&state) != 0) return 1;
  for (k = 0; k < count; k++) {
    const int how = setjmp(cmocka_back);
    if (how == 0) tests[k].run(&state);
    if (how == CMOCKA_FAILED) failed++;
    if (how == CMOCKA_SKIPPED) skipped++;
    printf("%s - %s\n", how == CMOCKA_FAILED ? "not ok" : "ok", tests[k].name);
  }
  printf("%zu tests, %d failed, %d skipped\n", count, failed, skipped);
  if (teardown != NULL && teardown(&state) != 0) return 1;
  return failed;
}
#define cmocka_run_group_tests(tests, setup, teardown) \
  cmocka_run(tests, sizeof(tests)/sizeof((tests)[0]), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
  (print_message("%s\n", name), cmocka_run_group_tests(tests, setup, teardown))

#endif
