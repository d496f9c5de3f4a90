// solvers.h: declares the descriptors named in solvers.def.
#ifndef PERP_SOLVERS_H
#define PERP_SOLVERS_H

#include <perp/method.h>

#define PERP_LINEAR(name) extern const perp_linear_ops linear_##name;
#include "solvers.def"
#undef PERP_LINEAR

#endif
