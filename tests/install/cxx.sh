#!/usr/bin/env bash
# A C++17 program uses the library, built by every C++ compiler at hand.
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"
need pkg-config g++
scratch cxx

read -ra flags <<<"$(pkg-config --cflags --libs perp)"
for compiler in g++ clang++ clang++-14; do
  command -v "$compiler" >/dev/null || continue
  try "$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Werror -x c++ "$here/consumer.c" -x none "${flags[@]}" \
      "-Wl,-rpath,$libdir" -o "$work/$compiler"
  answers "$work/$compiler"
done
