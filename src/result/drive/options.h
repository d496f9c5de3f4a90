// options.h: checking options against the tables that describe them.
#ifndef PERP_OPTIONS_H
#define PERP_OPTIONS_H

#include <perp/method.h>

// Checks that the common parameters and those of the method are in range.
perp_error options_check(const perp_options *options);

// Sets the method's own parameters to their defaults and keeps all others.
void options_default(perp_options *options, const perp_method *method);

#define OPTIONS_COUNT(table) ((int32_t)(sizeof(table)/sizeof((table)[0])))

#endif
