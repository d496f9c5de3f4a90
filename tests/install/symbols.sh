#!/usr/bin/env bash
# The libraries need libc and libm only, and define no global name but perp_*. The test install_abi
# compares the names with the headers.
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"
need readelf nm
library=$libdir/libperp.so

dynamic=$(readelf -d "$library") || die "readelf cannot read $library"
soname=$(sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p' <<<"$dynamic")
[ "$soname" = "$PERP_SONAME" ] || die "SONAME is '$soname', expected $PERP_SONAME"
while read -r needed; do
  case $needed in
    libc.so.* | libm.so.* | ld-linux*) ;;
    libpthread.so.*)   # a library of its own until glibc 2.34
      [ "$(printf '%s\n' 2.34 "$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" | sort -V | head -n 1)" != 2.34 ] || die "needs $needed" ;;
    *) die "the shared library needs $needed" ;;
  esac
done < <(sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' <<<"$dynamic")
! grep -qE '\((RPATH|RUNPATH)\)' <<<"$dynamic" || die 'the shared library carries a search path'

# foreign FILE...: global names that are defined but not ours; version nodes and linker marks are no names of anybody.
foreign() { nm "$@" --defined-only --extern-only 2>/dev/null | awk 'NF == 3 && $3 !~ /^perp_/ { print $3 }'; }
names=$(foreign -D "$library")
[ -z "$names" ] || die "the shared library exports $names"
names=$(foreign "$libdir/libperp.a")
[ -z "$names" ] || die "the static library defines $names"

names=$(foreign -D "$libdir/libperp-american.so")
[ -z "$names" ] || die "libperp-american.so exports $names"
names=$(foreign "$libdir/libperp-american.a")
[ -z "$names" ] || die "libperp-american.a defines $names"

# It needs libperp, and ODE if it was built with boxes; nothing else.
wanted="libc libm libperp$([ "$PERP_ODE" = ON ] && echo ' libode')"
while read -r needed; do
  case " $wanted ld-linux-x86-64 libpthread " in
    *" ${needed%%.so*} "*) ;;
    *) die "libperp-contact.so needs $needed" ;;
  esac
done < <(readelf -d "$libdir/libperp-contact.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
names=$(foreign -D "$libdir/libperp-contact.so")
[ -z "$names" ] || die "libperp-contact.so exports $names"
names=$(foreign "$libdir/libperp-contact.a")
[ -z "$names" ] || die "libperp-contact.a defines $names"

# Liquids need libperp alone.
while read -r needed; do
  case " libc libm libperp ld-linux-x86-64 libpthread " in
    *" ${needed%%.so*} "*) ;;
    *) die "libperp-fluid.so needs $needed" ;;
  esac
done < <(readelf -d "$libdir/libperp-fluid.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
names=$(foreign -D "$libdir/libperp-fluid.so")
[ -z "$names" ] || die "libperp-fluid.so exports $names"
names=$(foreign "$libdir/libperp-fluid.a")
[ -z "$names" ] || die "libperp-fluid.a defines $names"
