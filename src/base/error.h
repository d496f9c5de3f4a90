// error.h: sets the text of the last error in this thread.
#ifndef PERP_ERROR_H
#define PERP_ERROR_H

#include <perp/perp.h>

// Stores a message for perp_last_message() and returns the code:
// return error_set(PERP_ERROR_PROBLEM, "row %d: lo = %g > hi = %g", i, lo, hi);
perp_error error_set(perp_error code, const char *format, ...);

#endif
