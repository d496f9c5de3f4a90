// methods.h: the descriptors named in methods.def.
#ifndef PERP_METHODS_H
#define PERP_METHODS_H

#include <perp/method.h>

#define PERP_METHOD(name) extern const perp_method method_##name;
#include "methods.def"
#undef PERP_METHOD

#endif
