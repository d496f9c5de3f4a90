// trace.h: the iterations of a solve as a CSV file.
#pragma once

#include <perp/perp.h>

int trace_write(const char *path, const perp_statistics *trace,
                int32_t count);   // 0, or an exit code
