// error.h: the text of the last error in this thread, and the short way to return one.
#ifndef PERP_ERROR_H
#define PERP_ERROR_H

#include <perp/perp.h>

// Remembers a message for perp_last_message() and returns the code:
// return error_set(PERP_ERROR_..., "row %d: ...", i);
perp_error error_set(perp_error code, const char *format, ...);

#endif
