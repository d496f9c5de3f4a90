// version.h: the version of perp, for the preprocessor and for CMake, which reads it from here.
#ifndef PERP_VERSION_H
#define PERP_VERSION_H

// The version of these headers.
#define PERP_VERSION_MAJOR 0
#define PERP_VERSION_MINOR 1
#define PERP_VERSION_PATCH 0
#define PERP_VERSION_STRING "0.1.0"

#endif
