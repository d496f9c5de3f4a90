#!/usr/bin/env bash
# Each public header compiles by itself, as C17 and as C++17, with gcc and with clang, without a warning.
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"
need gcc g++
scratch header

compiled=0
for header in "$PERP_PREFIX"/include/perp/*.h; do
  name=$(basename "$header")
  printf '#include <perp/%s>\n#include <perp/%s>\nint one;\n' "$name" "$name" >"$work/one.c"
  cp "$work/one.c" "$work/one.cpp"
  for compiler in gcc clang clang-14; do
    command -v "$compiler" >/dev/null || continue
    try "$compiler" -std=c17 -Wall -Wextra -Wpedantic -Wconversion -Werror "-I$PERP_PREFIX/include" -fsyntax-only "$work/one.c"
    compiled=$((compiled + 1))
  done
  for compiler in g++ clang++ clang++-14; do
    command -v "$compiler" >/dev/null || continue
    try "$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror "-I$PERP_PREFIX/include" -fsyntax-only "$work/one.cpp"
    compiled=$((compiled + 1))
  done
done
[ "$compiled" -ge 8 ] || die "only $compiled compilations"
