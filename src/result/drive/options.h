// options.h: checking options against the tables that describe them.
#ifndef PERP_OPTIONS_H
#define PERP_OPTIONS_H

#include <perp/method.h>

// every parameter of the method, and the common ones, in range
perp_error options_check(const perp_options *options);

// the method's own parameters at their defaults; the others stay
void options_default(perp_options *options, const perp_method *method);

#define OPTIONS_COUNT(table) ((int32_t)(sizeof(table)/sizeof((table)[0])))

#endif
