# Linux on x86-64 with the musl C library (Debian: musl-tools).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER musl-gcc)
include(${CMAKE_CURRENT_LIST_DIR}/foreign.cmake)
