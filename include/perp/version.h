// version.h: the version of perp, for the preprocessor and for CMake, which reads it from here.
//
// Before 1.0 a new minor number may change the interface, so shared libraries carry it in their
// name (`libperp.so.0.2`), and `find_package(perp 0.2)` accepts no other. From 1.0 on the major
// number takes that part. A new patch number changes no declaration and no layout of a struct.
#ifndef PERP_VERSION_H
#define PERP_VERSION_H

// The version of these headers.
#define PERP_VERSION_MAJOR 0
#define PERP_VERSION_MINOR 2
#define PERP_VERSION_PATCH 0
#define PERP_VERSION_STRING "0.2.0"

#endif
