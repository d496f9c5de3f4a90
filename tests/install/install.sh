#!/usr/bin/env bash
# Installs the build into a prefix of its own and checks that what belongs there is there.
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"

rm -rf "$PERP_PREFIX"
try "$PERP_CMAKE" --install "$PERP_BUILD" --prefix "$PERP_PREFIX"
for file in include/perp/perp.h include/perp/tuning.h include/perp/matrix.h include/perp/analysis.h \
            include/perp/batch.h include/perp/method.h include/perp/gallery.h include/perp/version.h \
            include/perp/contact.h include/perp/fluid.h include/perp/american.h \
            "$PERP_LIBDIR/libperp.a" "$PERP_LIBDIR/libperp.so" "$PERP_LIBDIR/$PERP_SONAME" \
            "$PERP_LIBDIR/libperp.so.$PERP_VERSION" "$PERP_LIBDIR/pkgconfig/perp.pc" \
            "$PERP_LIBDIR/cmake/perp/perp-config.cmake" "$PERP_LIBDIR/cmake/perp/perp-config-version.cmake"; do
  [ -e "$PERP_PREFIX/$file" ] || die "not installed: $file"
done
for name in perp-contact perp-fluid perp-american; do
  for file in "lib$name.a" "lib$name.so" "lib$name.so.$PERP_VERSION" "pkgconfig/$name.pc"; do
    [ -e "$libdir/$file" ] || die "not installed: $file"
  done
done
leaks=$(grep -rIlF -e "$PERP_SOURCE/src" -e "$PERP_BUILD/src" "$libdir/cmake" "$libdir/pkgconfig" "$PERP_PREFIX/include")
[ -z "$leaks" ] || die "these files name the build: $leaks"
