# 64-bit Windows; its programs run under wine (Debian: gcc-mingw-w64-x86-64-win32 wine64 wine).
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)      # no DLL of the compiler beside each program
set(CMAKE_SHARED_LINKER_FLAGS_INIT -static-libgcc)
include(${CMAKE_CURRENT_LIST_DIR}/foreign.cmake)
