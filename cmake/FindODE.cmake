# FindODE: the Open Dynamics Engine (BSD or LGPL), whose collision test for boxes is used, as
# ODE_LIBRARY and ODE_INCLUDE_DIR. It has pkg-config files, but no CMake package in Debian.
find_path(ODE_INCLUDE_DIR ode/ode.h)
find_library(ODE_LIBRARY ode)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ODE REQUIRED_VARS ODE_LIBRARY ODE_INCLUDE_DIR)
mark_as_advanced(ODE_INCLUDE_DIR ODE_LIBRARY)
