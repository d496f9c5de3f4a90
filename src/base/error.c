// error.c: the names of errors and statuses, and the last message of each thread.
#include "error.h"

#include <stdarg.h>

#include "plain.h"

static _Thread_local char last_message[512];

perp_error error_set(perp_error code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  plain_vprint(last_message, sizeof last_message, format, arguments);
  va_end(arguments);
  return code;
}

perp_error perp_fail(perp_error code, const char *message) {
  return error_set(code, "%s", message != NULL ? message : perp_error_text(code));
}

const char *perp_last_message(void) { return last_message; }

const char *perp_version(void) { return PERP_VERSION_STRING; }

#define PERP_X(id, name, text) {name, text},
static const char *const errors[][2] = {PERP_ERROR_LIST(PERP_X)};
static const char *const statuses[][2] = {PERP_STATUS_LIST(PERP_X)};
#undef PERP_X

const char *perp_error_name(perp_error error) {
  return (unsigned)error < PERP_ERROR_COUNT ? errors[error][0] : "unknown error";
}
const char *perp_error_text(perp_error error) {
  return (unsigned)error < PERP_ERROR_COUNT ? errors[error][1] : "a number that is no perp_error";
}
const char *perp_status_name(perp_status status) {
  return (unsigned)status < PERP_STATUS_COUNT ? statuses[status][0] : "unknown status";
}
const char *perp_status_text(perp_status status) {
  return (unsigned)status < PERP_STATUS_COUNT ? statuses[status][1]
                                              : "a number that is no perp_status";
}
