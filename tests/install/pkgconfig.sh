#!/usr/bin/env bash
# pkg-config finds the prefix; a C program links the shared library, and the static one without any other.
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"
need pkg-config gcc readelf
scratch pkgconfig

[ "$(pkg-config --modversion perp)" = "$PERP_VERSION" ] || die "pkg-config says $(pkg-config --modversion perp)"
read -ra flags <<<"$(pkg-config --cflags --libs perp)"
try gcc -std=c17 -Wall -Wextra -Werror "$here/consumer.c" "${flags[@]}" "-Wl,-rpath,$libdir" -o "$work/shared"
answers "$work/shared"
readelf -d "$work/shared" | grep -qF "[$PERP_SONAME]" || die 'the program does not need the shared library'

read -ra flags <<<"$(pkg-config --static --cflags --libs perp)"
try gcc -std=c17 -Wall -Wextra -Werror -static "$here/consumer.c" "${flags[@]}" -o "$work/static"
answers "$work/static"

# An archive named by its path is all that a partly static program needs besides libm.
try gcc -std=c17 "$here/consumer.c" "-I$PERP_PREFIX/include" "$libdir/libperp.a" -lm -o "$work/archive"
answers "$work/archive"

# The library for options finds libperp beside itself.
read -ra priced <<<"$(pkg-config --cflags --libs perp-american)"
try gcc -std=c17 -Wall -Wextra -Werror "$PERP_SOURCE/examples/c/american_put.c" "${priced[@]}" "-Wl,-rpath,$libdir" -o "$work/put"
try "$work/put"

# So does the one for bodies in contact.
read -ra touching <<<"$(pkg-config --cflags --libs perp-contact)"
try gcc -std=c17 -Wall -Wextra -Werror "$PERP_SOURCE/examples/c/bouncing_ball.c" "${touching[@]}" "-Wl,-rpath,$libdir" -o "$work/ball"
try "$work/ball"

# And the one for liquids.
read -ra wet <<<"$(pkg-config --cflags --libs perp-fluid)"
try gcc -std=c17 -Wall -Wextra -Werror "$PERP_SOURCE/examples/c/dam.c" "${wet[@]}" "-Wl,-rpath,$libdir" -o "$work/dam"
try "$work/dam"

# An engine of its own needs the solver alone.
read -ra flags <<<"$(pkg-config --cflags --libs perp)"
try gcc -std=c17 -Wall -Wextra -Werror "$PERP_SOURCE/examples/c/own_engine.c" "${flags[@]}" -lm "-Wl,-rpath,$libdir" -o "$work/engine"
try "$work/engine"

# Examples are compiled as their own line says.
lines=0
for source in "$PERP_SOURCE"/examples/c/*.c; do
  line=$(sed -n 's|^// *\(cc .*\)|\1|p' "$source" | head -n 1)
  [ -n "$line" ] || continue
  (cd "$PERP_SOURCE/examples/c" && try bash -c "${line% -o *} -o '$work/example'") || exit 1
  lines=$((lines + 1))
done
[ "$lines" -ge 7 ] || die "only $lines examples say how to compile them"
