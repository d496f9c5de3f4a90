// message.h: errors and warnings on stderr, and the one JSON object of --json.
#pragma once

#include <jansson.h>

// Exit codes, with their texts for help, manual and documentation.
#define EXIT_CODE_LIST(X)                                                          \
  X(OK,          0,   "solved, or finished")                                       \
  X(UNSOLVED,    1,   "not solved; the best iterate is still written")             \
  X(USAGE,       2,   "wrong usage: an option, a name or a value")                 \
  X(INPUT,       3,   "bad input; the message says file:line:column")              \
  X(UNSOLVABLE,  4,   "proven unsolvable, or a problem the method cannot take")    \
  X(COMPONENT,   5,   "a component is missing, such as gnuplot")                   \
  X(IO,          6,   "reading, writing or memory failed")                         \
  X(INTERRUPTED, 130, "interrupted; the best iterate or the state of the run is written")

enum {
#define CODE_X(id, value, text) CODE_##id = value,
  EXIT_CODE_LIST(CODE_X)
#undef CODE_X
};

typedef struct exit_row { int code; const char *text; } exit_row;
const exit_row *exit_code_at(int index);   // NULL after the last

void message_begin(const char *command);   // "solve": messages start with "perp solve: "
void message_quiet(void);                  // no warnings
// From now on options come from the header of this file, and messages about wrong ones name the
// file. NULL: options come from the command line again. The caller keeps the path alive.
void message_header_of(const char *path);
int message_header_code(int code);         // CODE_INPUT instead of CODE_USAGE, while they do
void message_json(void);                   // from now on, results go into message_object()

// The object that --json prints, or NULL without --json. Commands fill it; main prints it once, at
// the very end, so that there is exactly one on every path.
json_t *message_object(void);
int message_end(int code);   // prints the object, flushes stdout; returns the final exit code

// Says "perp COMMAND: ..." on stderr, records it as "error", and returns the code.
int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

// JSON values that cannot fail to print: numbers that are not finite become null, bytes that are
// not UTF-8 become '?'.
json_t *json_number(double value);
json_t *json_numbers(const double *value, int count);
json_t *json_text(const char *text);
