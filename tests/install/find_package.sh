#!/usr/bin/env bash
# find_package(perp) finds the prefix; a newer version than the installed one is refused.
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"
need g++
scratch find_package

try "$PERP_CMAKE" -S "$here/consumer" -B "$work/build" "-DCMAKE_PREFIX_PATH=$PERP_PREFIX"
try "$PERP_CMAKE" --build "$work/build"
for program in shared static cxx; do answers "$work/build/$program"; done
for program in ball ball_static engine; do try "$work/build/$program"; done

mkdir "$work/newer"
printf 'cmake_minimum_required(VERSION 3.22)\nproject(newer C)\nfind_package(perp 99 REQUIRED)\n' >"$work/newer/CMakeLists.txt"
if "$PERP_CMAKE" -S "$work/newer" -B "$work/newer/build" "-DCMAKE_PREFIX_PATH=$PERP_PREFIX" >/dev/null 2>&1; then
  die 'find_package(perp 99) succeeded'
fi
