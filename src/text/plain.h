// plain.h: reads and writes numbers as text with a decimal point in every locale.
//
// printf() and strtod() take the decimal point from the locale: after setlocale(LC_ALL, "de_DE")
// they write "1,5" and stop reading at the point of "1.5". A library must not change the locale of
// its process, so these functions switch the calling thread to "C" during the call. newlocale() is
// cheap there, because "C" is a constant of the C library. Windows has no newlocale(): there the
// thread gets its own locale during the call.
#ifndef PERP_PLAIN_H
#define PERP_PLAIN_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
typedef struct plain_locale {
  int mode;
  char before[128];
} plain_locale;

static inline plain_locale plain_begin(void) {
  plain_locale l = {.mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE)};
  snprintf(l.before, sizeof l.before, "%s", setlocale(LC_NUMERIC, NULL));
  setlocale(LC_NUMERIC, "C");
  return l;
}
static inline void plain_end(plain_locale l) {
  setlocale(LC_NUMERIC, l.before);
  _configthreadlocale(l.mode);
}
#else
typedef struct plain_locale {
  locale_t plain, before;
} plain_locale;

static inline plain_locale plain_begin(void) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return (plain_locale){plain, plain != (locale_t)0 ? uselocale(plain) : (locale_t)0};
}
static inline void plain_end(plain_locale l) {
  if (l.plain == (locale_t)0) return;
  uselocale(l.before);
  freelocale(l.plain);
}
#endif

#if defined(__MINGW_PRINTF_FORMAT)
#define PLAIN_FORMAT __MINGW_PRINTF_FORMAT
#else
#define PLAIN_FORMAT printf
#endif

// vsnprintf()
__attribute__((format(PLAIN_FORMAT, 3, 0)))
static inline int plain_vprint(char *to, size_t size, const char *format, va_list arguments) {
  const plain_locale l = plain_begin();
  const int length = vsnprintf(to, size, format, arguments);
  plain_end(l);
  return length;
}

// snprintf()
__attribute__((format(PLAIN_FORMAT, 3, 4)))
static inline int plain_print(char *to, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = plain_vprint(to, size, format, arguments);
  va_end(arguments);
  return length;
}

// strtod()
static inline double plain_number(const char *from, char **end) {
  const plain_locale l = plain_begin();
  const double number = strtod(from, end);
  plain_end(l);
  return number;
}

#endif
