#!/usr/bin/env bash
# A prefix that is moved after installation still works: no file in it remembers where it was.
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"
need pkg-config gcc g++
scratch relocated

try "$PERP_CMAKE" --install "$PERP_BUILD" --prefix "$work/here"
mkdir "$work/some where"
mv "$work/here" "$work/some where/else"
moved="$work/some where/else"
export PKG_CONFIG_PATH="$moved/$PERP_LIBDIR/pkgconfig"
if grep -rIF "$work/here" "$moved/$PERP_LIBDIR" "$moved/include"; then die 'the old place is still named'; fi

# pkg-config escapes the blank in the path; eval reads its words as a shell would.
flags=()
eval "flags=($(pkg-config --cflags --libs perp))"
try gcc "$here/consumer.c" "${flags[@]}" -o "$work/program"
answers env "LD_LIBRARY_PATH=$moved/$PERP_LIBDIR" "$work/program"

try "$PERP_CMAKE" -S "$here/consumer" -B "$work/build" "-DCMAKE_PREFIX_PATH=$moved"
try "$PERP_CMAKE" --build "$work/build"
answers "$work/build/shared"
answers "$work/build/static"
